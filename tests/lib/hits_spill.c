/* SPDX-License-Identifier: MIT
 * Memory whose overflow goes to a file: every byte stays where it was, and what it is. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/hits/spill.h"
#include "lib/files/temp.h"
#include "tests/tap.h"

enum { PIECES = 4000 };

static size_t size_of(size_t i) { return i % 1000 == 7 ? 3000000 : 1 + i * 7919 % 20000; }

/* Keeps pieces of many sizes and looks at all of them at the end. */
static void fill(tap *t, uint64_t room, int spills, const char *what) {
    static unsigned char *piece[PIECES];
    ws_spill s = {.room = room};
    ws_err err;
    size_t wrong = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < PIECES; i++) {
        if (!(piece[i] = ws_spill_keep(&s, size_of(i), &err))) {
            tap_ok(t, 0, "%s: %s", what, err.text);
            ws_spill_release(&s);
            return;
        }
        memset(piece[i], (int)(i % 251), size_of(i));
        all += size_of(i);
    }
    for (size_t i = 0; i < PIECES; i++)
        for (size_t k = 0; k < size_of(i); k++) wrong += piece[i][k] != i % 251;
    tap_ok(t, wrong == 0, "%s: every byte is as it was", what);
    tap_ok(t, (s.in_file > 0) == spills && s.bytes + s.in_file >= all, "%s: where the bytes are", what);
    tap_ok(t, !room || s.bytes <= room + (6 << 20), "%s: what is in memory", what);
    ws_spill_release(&s);
    tap_ok(t, s.bytes == 0 && !s.part && !s.has_file, "%s: all is given back", what);
}

int main(void) {
    tap t = {0};
    ws_spill s = {.room = 1};
    ws_err err;
    fill(&t, 0, 0, "no limit");
    fill(&t, 1, 1, "nothing stays in memory");
    fill(&t, 20 << 20, 1, "20 MB stay");
    fill(&t, 1ull << 40, 0, "a limit that is not reached");
    close(STDIN_FILENO);
    const int fd = ws_temp_open();
    tap_ok(&t, fd == STDIN_FILENO, "a temporary file takes the lowest descriptor that is free, %d", fd);
    setenv("TMPDIR", "/nonexistent/folder", 1);
    void *p = NULL;
    for (int i = 0; i < 3; i++) p = ws_spill_keep(&s, 2 << 20, &err);
    tap_ok(&t, !p && err.code == WS_EIO && strstr(err.text, "/nonexistent/folder, which TMPDIR chooses"),
           "no folder: a sentence");
    ws_spill_release(&s);
    return tap_end(&t);
}
