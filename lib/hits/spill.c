/* SPDX-License-Identifier: MIT
 * Memory whose overflow goes to a file: see lib/hits/spill.h. */
#include "lib/hits/spill.h"

#include <sys/mman.h>
#include <unistd.h>

#include "lib/files/temp.h"

/* Parts of memory, and parts that go to the file. A kernel maps some 65,000 of the latter. */
enum { PART = 1 << 20, FILE_PART = 2 << 20, PAGE = 1 << 16 };

struct ws_spillpart {
    struct ws_spillpart *next;
    char *p;
    size_t n, cap;
    int pages; /* it is whole pages, which a file may replace */
};

static int open_file(ws_spill *s, ws_err *err) {
    const int fd = ws_temp_open();
    if (fd < 0)
        return ws_fail_errno(err, WS_EIO, "hits need more than their part of --mem, and no temporary file can be made "
                             "in %s, which TMPDIR chooses", ws_temp_folder());
    s->fd = fd;
    s->has_file = 1;
    return WS_OK;
}

static int write_all(const ws_spill *s, const char *p, size_t n, ws_err *err) {
    if (ws_temp_write(s->fd, p, n) == 0) return WS_OK;
    return ws_fail_errno(err, WS_EIO, "cannot write hits to a temporary file in %s, which TMPDIR chooses",
                         ws_temp_folder());
}

/* Writes a part that is full to the file, and has the file's pages take its place. */
static int move_out(ws_spill *s, struct ws_spillpart *part, ws_err *err) {
    int rc = s->has_file ? WS_OK : open_file(s, err);
    if (!rc) rc = write_all(s, part->p, part->cap, err);
    if (rc) return rc;
    if (mmap(part->p, part->cap, PROT_READ, MAP_SHARED | MAP_FIXED, s->fd, (off_t)s->in_file) == MAP_FAILED)
        return ws_fail_errno(err, WS_ENOMEM, "cannot map a temporary file in %s", ws_temp_folder());
    /* lists are read in the order of scores: pages beside the one that is needed would push out others */
    (void)madvise(part->p, part->cap, MADV_RANDOM);
    s->in_file += part->cap;
    s->bytes -= part->cap;
    return WS_OK;
}

static int add_part(ws_spill *s, size_t n, ws_err *err) {
    struct ws_spillpart *part = ws_alloc(sizeof *part, err);
    if (!part) return err->code;
    *part = (struct ws_spillpart){.next = s->part, .cap = ws_max(PART, n)};
    part->pages = s->room && s->bytes + part->cap > s->room;
    if (part->pages) {
        part->cap = (ws_max(FILE_PART, n) + PAGE - 1) / PAGE * PAGE;
        part->p = mmap(NULL, part->cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (part->p == MAP_FAILED) {
            (void)ws_fail_nomem(err, part->cap);
            part->p = NULL;
        }
    } else part->p = ws_alloc(part->cap, err);
    if (!part->p) {
        ws_free(part);
        return err->code;
    }
    s->part = part;
    s->bytes += part->cap;
    return WS_OK;
}

void *ws_spill_keep(ws_spill *s, size_t n, ws_err *err) {
    if (!s->part || s->part->cap - s->part->n < n) {
        if (s->part && s->part->pages && move_out(s, s->part, err)) return NULL;
        if (add_part(s, n, err)) return NULL;
    }
    void *p = s->part->p + s->part->n;
    s->part->n += n;
    return p;
}

void ws_spill_release(ws_spill *s) {
    while (s->part) {
        struct ws_spillpart *next = s->part->next;
        if (s->part->pages) munmap(s->part->p, s->part->cap);
        else ws_free(s->part->p);
        ws_free(s->part);
        s->part = next;
    }
    if (s->has_file) close(s->fd);
    *s = (ws_spill){0};
}
