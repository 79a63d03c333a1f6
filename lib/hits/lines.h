/* SPDX-License-Identifier: MIT
 * Widths, descriptions and sentences that the reports of all searches have. */
#ifndef WS_HITS_LINES_H
#define WS_HITS_LINES_H

#include "lib/hits/keep.h"
#include "lib/hits/write.h"

enum { WS_LINE_DESC = 32, WS_LINE_ALIGNMENT = 40 }; /* room that these have at least */

/* Returns what is left of a line of `width` characters, at least `least`; no limit for a width of 0. */
static inline int ws_line_room(int width, size_t used, size_t least) {
    if (width <= 0) return INT32_MAX;
    return (int)ws_max(least, (size_t)width > used ? (size_t)width - used : 0);
}

/* Writes a description, as far as there is room for it, and ends the line. */
static inline void ws_line_desc(ws_sink *s, const char *desc, int room) {
    ws_sink_add(s, desc, ws_min((size_t)ws_hits_desc(desc), (size_t)room));
    ws_sink_add(s, "\n", 1);
}

/* Says where the alignment of n included hits is. */
static inline void ws_line_saved(ws_sink *s, size_t n, const char *msa) {
    if (n) ws_sink_f(s, "# Alignment of %zu hits satisfying inclusion thresholds saved to: %s\n", n, msa);
    else ws_sink_f(s, "# No hits satisfy inclusion thresholds; no alignment saved\n");
}

#endif
