/* SPDX-License-Identifier: MIT
 * Shared by CPU backends around their kernels: a read's residues and memory, both strands, the ranking of edges. */
#include "kernels/papara/papara.h"

#include <string.h>

enum { CLASSES = 32, BLOCK = 8 }; /* upper bounds: kinds of residues in a read, sites that a kernel does at once */

ws_papara_scheme ws_papara_scheme_of(ws_papara_model model, int open, int extend, int match, int match_cgap) {
    if (model == WS_PAPARA_EQ1) /* the paper's numbers */
        return (ws_papara_scheme){
            .model = model, .mismatch = 3, .cgap = 3, .del_open = 4, .del_extend = 1, .ins_open = 3, .ins_extend = 3};
    return (ws_papara_scheme){.model = model,
                              .match = match,
                              .mismatch = match,
                              .cgap = -match_cgap,
                              .del_open = -open,
                              .del_extend = -extend,
                              .ins_open = match - open,
                              .ins_extend = match - extend};
}

/* Returns the bytes of scratch that a kernel needs for a read of m residues. For vectors: two rows, a table of costs,
 * an offset for each residue. For ref.c: two rows of int32_t and the sites of an edge. */
static size_t room_of(const ws_papara_ref *ref, size_t m) {
    const size_t vectors = (2 * (m + 1) + CLASSES * BLOCK) * WS_ALIGN + m * sizeof(uint32_t);
    return vectors + ref->edges.sites * sizeof(uint32_t);
}

static size_t aligned(size_t n) { return (n + WS_ALIGN - 1) / WS_ALIGN * WS_ALIGN; }

int ws_papara_read_begin(ws_papara_read *r, const ws_papara_ref *ref, const uint8_t *code, size_t n, ws_buf *scratch,
                         ws_err *err) {
    const size_t masks = aligned(n * sizeof *r->mask), costs = aligned(2 * ref->edges.nedge * sizeof *r->cost);
    char *p = ws_buf_scratch(scratch, masks + costs + room_of(ref, n), err);
    if (!p) return err->code;
    *r = (ws_papara_read){
        .ref = ref, .mask = (uint32_t *)(void *)p, .cost = (int64_t *)(void *)(p + masks), .room = p + masks + costs};
    r->m = ws_papara_residues(&ref->letters, code, n, r->mask);
    return WS_OK;
}

void ws_papara_rank(const int64_t *cost, size_t n, ws_papara_score *s) {
    s->ntop = 0;
    s->tied = 0;
    for (size_t e = 0; e < n; e++) {
        if (cost[e] == WS_PAPARA_FAR) continue;
        if (s->ntop == 0 || cost[e] < s->cost[0]) s->tied = 0;
        s->tied += s->ntop == 0 || cost[e] <= s->cost[0];
        int at = s->ntop < WS_PAPARA_TOP ? s->ntop++ : WS_PAPARA_TOP;
        for (; at > 0 && cost[e] < s->cost[at - 1]; at--) {
            if (at == WS_PAPARA_TOP) continue;
            s->cost[at] = s->cost[at - 1];
            s->edge[at] = s->edge[at - 1];
        }
        if (at == WS_PAPARA_TOP) continue;
        s->cost[at] = cost[e];
        s->edge[at] = (uint32_t)e;
    }
}

/* Returns 0 where eq1 is undefined, because the band has no room. */
static int scored(const ws_papara_read *r) {
    return r->m > 0 && !(r->ref->scheme.model == WS_PAPARA_EQ1 && r->m >= r->ref->edges.sites);
}

void ws_papara_read_score(ws_papara_read *r, ws_papara_cost_fn *fn, ws_papara_score *score) {
    const size_t n = r->ref->edges.nedge;
    *score = (ws_papara_score){.len = (uint32_t)r->m};
    if (!scored(r)) return;
    fn(r);
    ws_papara_rank(r->cost, n, score);
    if (!r->ref->both_strands) return;
    ws_papara_score other = {.len = score->len, .reverse = 1};
    int64_t *forward = r->cost;
    r->cost += n;
    ws_papara_reverse(r->mask, r->m);
    fn(r);
    ws_papara_rank(r->cost, n, &other);
    if (other.cost[0] < score->cost[0]) {
        *score = other;
    } else {
        ws_papara_reverse(r->mask, r->m);
        r->cost = forward;
    }
}

/* Returns the reference as it is: a CPU backend needs only the planes. */
int ws_papara_prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    (void)self;
    (void)err;
    *prep = t->data;
    return WS_OK;
}

void ws_papara_release(void *prep) { (void)prep; }

int ws_papara_score_tasks(ws_papara_cost_fn *fn, const ws_seqs *seqs, const ws_task *task, size_t ntask,
                          ws_buf *scratch, ws_err *err) {
    for (size_t t = 0; t < ntask; t++) {
        const ws_papara_ref *ref = task[t].prep;
        ws_papara_score *score = task[t].score;
        for (size_t j = 0; j < task[t].n; j++) {
            const size_t i = ws_task_item(&task[t], j);
            ws_papara_read r;
            score[j] = (ws_papara_score){0};
            if (ref->deferred) continue;
            int rc = ws_papara_read_begin(&r, ref, ws_seqs_codes(seqs, i), seqs->len[i], scratch, err);
            if (rc) return rc;
            ws_papara_read_score(&r, fn, &score[j]);
        }
    }
    return WS_OK;
}
