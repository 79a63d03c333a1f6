/* SPDX-License-Identifier: MIT
 * Digital rows: see lib/msa/digital.h. */
#include "lib/msa/digital.h"

uint32_t ws_msa_checksum(const ws_msa *m) {
    uint32_t v = 0;
    for (size_t i = 0; i < m->rows * m->columns; i++) {
        const uint32_t x = m->code[i];
        v = (v + (x + (x << 10))) + (v << 10); /* (v + x) + ((v + x) << 10), of which v waits for as little as can be */
        v ^= v >> 6;
    }
    v += v << 3;
    v ^= v >> 11;
    return v + (v << 15);
}

int ws_msa_check_missing(const ws_msa *m, ws_err *err) {
    const uint8_t missing = (uint8_t)(m->abc->Kp - 1);
    for (size_t i = 0; i < m->rows; i++) {
        const uint8_t *row = ws_msa_row(m, i);
        size_t from = 0, to = m->columns;
        if (!memchr(row, missing, m->columns)) continue;
        while (from < to && row[from] == missing) from++;
        while (to > from && row[to - 1] == missing) to--;
        const uint8_t *bad = memchr(row + from, missing, to - from);
        if (bad)
            return ws_fail(err, WS_EDATA,
                "row \"%s\" has a \"~\" in column %zu, which may stand at the ends of a row only",
                           ws_msa_name(m, i), (size_t)(bad - row) + 1);
    }
    return WS_OK;
}

ws_msa_extent ws_msa_extent_of(const ws_msa *m, size_t row) {
    const uint8_t *x = ws_msa_row(m, row), K = (uint8_t)m->abc->K, end = (uint8_t)(m->abc->Kp - 2);
    ws_msa_extent e = {0};
    for (size_t c = 0; c < m->columns;) {
        uint8_t some = 0; /* of at most 255 columns, so that registers hold many of them */
        for (const size_t stop = ws_min(m->columns, c + 255); c < stop; c++)
            some += (uint8_t)((x[c] < end) & (x[c] != K));
        e.n += some;
    }
    if (e.n == 0) return e;
    while (!ws_msa_is_residue(m->abc, x[e.first])) e.first = ws_msa_skip(x, e.first + 1, m->columns, K);
    for (e.last = m->columns - 1; !ws_msa_is_residue(m->abc, x[e.last]);) e.last--;
    return e;
}

void ws_msa_mark_fragments(ws_msa *m, size_t first, size_t n, double threshold) {
    const int missing = m->abc->Kp - 1;
    for (size_t i = first; i < first + n; i++) {
        uint8_t *x = ws_msa_row(m, i);
        const ws_msa_extent e = ws_msa_extent_of(m, i);
        if ((double)e.n > threshold * (double)m->columns) continue;
        memset(x, missing, e.n ? e.first : m->columns);
        if (e.n) memset(x + e.last + 1, missing, m->columns - e.last - 1);
    }
}
