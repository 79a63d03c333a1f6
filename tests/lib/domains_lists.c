/* SPDX-License-Identifier: MIT
 * Which lists are made side by side at the end of a search, and how many threads make the text of one
 * (bin/domains/lists.c). */
#include "bin/domains/domscore.h"
#include "tests/tap.h"

/* Lists of so many hits. The fourth is alone without --mem, and with it all of more than 8,192. */
static const size_t hits[] = {450, 450, 9000, 40000, 450, 30000, 8193, 30000};
enum { LISTS = sizeof hits / sizeof *hits, THREADS = 16 };

static ws_hitlist list[LISTS];

static ws_dom_group group(int mem_given, size_t first) {
    const ws_domscore d = {.mem_given = mem_given, .hold = WS_HOLD_ALIGNMENTS};
    return ws_domscore_group(&d, list, LISTS, first);
}

static int is(ws_dom_group g, size_t first, size_t n, size_t most) {
    if (g.first == first && g.n == n && g.hits == most) return 1;
    tap_note("%zu lists from %zu on, %zu hits", g.n, g.first, g.hits);
    return 0;
}

static int threads(size_t all, size_t own) {
    const ws_dom_group g = {.n = 2, .hits = all};
    const ws_hitlist l = {.n = own};
    return ws_domscore_list_threads(&g, &l, THREADS);
}

int main(void) {
    tap t = {0};
    for (size_t i = 0; i < LISTS; i++) list[i].n = hits[i];
    tap_ok(&t, is(group(0, 0), 0, 3, 9900) && is(group(0, 3), 3, 1, 0), "lists before a long one, and that alone");
    tap_ok(&t, is(group(0, 4), 4, 4, 65536), "the text of 65,536 hits is in memory at most");
    tap_ok(&t, is(group(1, 0), 0, 2, 900) && is(group(1, 2), 2, 1, 0) && is(group(1, 6), 6, 1, 0),
           "with --mem shorter lists are alone");
    const ws_dom_group alone = {.n = 1};
    tap_ok(&t, ws_domscore_list_threads(&alone, &list[3], THREADS) == THREADS, "a list that is alone has all threads");
    tap_ok(&t, threads(50000, 450) == 1 && threads(50000, 0) == 1 && threads(0, 0) == 1, "a short one has one");
    tap_ok(&t, threads(50000, 1562) == 1 && threads(50000, 1563) == 2 && threads(50000, 8264) == 6,
           "another twice its part, rounded up");
    tap_ok(&t, threads(50000, 40000) == THREADS, "but no more than there are");
    ws_held two = {.flags = WS_HELD_REPORTED, .nreported = 2}, *hit[] = {&two, &two};
    const ws_hitlist l = {.hit = hit, .n = 2};
    ws_dom_out out = {.form = WS_DOMFORM_TEXT, .unread = 1};
    ws_domscore_write_list(&out, &(ws_hitquery){.list = &l}); /* a writer would need a model */
    tap_ok(&t, out.rows == 4 && !out.sink.text.n && !out.sink.err.code, "for /dev/null rows are counted, not written");
    return tap_end(&t);
}
