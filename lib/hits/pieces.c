/* SPDX-License-Identifier: MIT
 * Pieces in a temporary file: see lib/hits/pieces.h. */
#include "lib/hits/pieces.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/parallel_for.h"
#include "lib/files/temp.h"

enum { TOGETHER = 32 << 20 /* bytes of pieces that are sorted by block before they are written */ };

/* The pieces of a group, one block after the other. */
typedef struct made {
    ws_buf bytes;
    size_t *end; /* [nblock] in bytes */
} made;

/* A table while it is made. */
typedef struct making {
    ws_pieces *p;
    ws_pieces_fn *make;
    void *ctx;
    made *group;          /* [ngroup]; those before `written` are released */
    size_t written;
    uint64_t waiting;     /* bytes of groups that are made and not written */
    ws_buf sorted;
} making;

static int fail_file(const char *what, ws_err *err) {
    return ws_fail_errno(err, WS_EIO, "cannot %s a temporary file of alignments in %s, which TMPDIR chooses", what,
                         ws_temp_folder());
}

static int make_group(void *ctx, size_t i, ws_err *err) {
    const making *m = ctx;
    made *g = &m->group[i];
    if (!(g->end = ws_calloc(m->p->nblock, sizeof *g->end, err))) return err->code;
    for (size_t b = 0; b < m->p->nblock; b++) {
        if (m->make(m->ctx, i, b, &g->bytes, err)) return err->code;
        g->end[b] = g->bytes.n;
    }
    return WS_OK;
}

static void release_group(made *g) {
    ws_buf_release(&g->bytes);
    ws_free(g->end);
    *g = (made){0};
}

/* Writes the groups that wait, before group `to`, block by block. */
static int write_groups(making *m, size_t to, ws_err *err) {
    ws_pieces *p = m->p;
    m->sorted.n = 0;
    if (ws_buf_reserve(&m->sorted, m->waiting, err)) return err->code;
    for (size_t b = 0; b < p->nblock; b++)
        for (size_t i = m->written; i < to; i++) {
            const made *g = &m->group[i];
            const size_t from = b ? g->end[b - 1] : 0;
            p->at[b * p->ngroup + i] = p->size + m->sorted.n;
            if (ws_buf_add(&m->sorted, g->bytes.p + from, g->end[b] - from, err)) return err->code;
        }
    if (ws_temp_write(p->fd, m->sorted.p, m->sorted.n)) return fail_file("write", err);
    p->size += m->sorted.n;
    for (; m->written < to; m->written++) release_group(&m->group[m->written]);
    m->waiting = 0;
    return WS_OK;
}

static int give_group(void *ctx, size_t i, ws_err *err) {
    making *m = ctx;
    m->waiting += m->group[i].bytes.n;
    return m->waiting < TOGETHER && i + 1 < m->p->ngroup ? WS_OK : write_groups(m, i + 1, err);
}

static int map_file(ws_pieces *p, ws_err *err) {
    if (!p->size) return WS_OK;
    void *map = mmap(NULL, p->size, PROT_READ, MAP_SHARED, p->fd, 0);
    if (map == MAP_FAILED) return fail_file("map", err);
    p->map = map;
    return WS_OK;
}

int ws_pieces_make(ws_pieces *p, size_t nblock, size_t ngroup, int threads, ws_pieces_fn *make, void *ctx,
                   ws_err *err) {
    *p = (ws_pieces){.nblock = nblock, .ngroup = ngroup};
    making m = {.p = p, .make = make, .ctx = ctx};
    const ws_ordered w = {.n = ngroup, .room = 2 * (size_t)ws_max(threads, 1), .make = make_group, .give = give_group,
                          .ctx = &m};
    if (!(p->at = ws_calloc(nblock * ngroup, sizeof *p->at, err))) return err->code;
    if ((p->fd = ws_temp_open()) < 0) return fail_file("make", err);
    p->has_file = 1;
    if (!(m.group = ws_calloc(ngroup, sizeof *m.group, err))) return err->code;
    int rc = ws_parallel_in_order(&w, threads, err);
    for (size_t i = 0; i < ngroup; i++) release_group(&m.group[i]);
    ws_free(m.group);
    ws_buf_release(&m.sorted);
    return rc ? rc : map_file(p, err);
}

void ws_pieces_release(ws_pieces *p) {
    if (p->map) munmap((void *)(uintptr_t)p->map, p->size);
    if (p->has_file) close(p->fd);
    ws_free(p->at);
    *p = (ws_pieces){0};
}
