/* SPDX-License-Identifier: MIT
 * A model's tables for the domain stage: its odds in four stripes for the recurrences, by node for paths, and by
 * residue for sums over nodes. Specification profile-filters.md, sections 5.3 and 9.4; domains.md, section 2. */
#include "kernels/dom/device.h"
#include "kernels/dom/kernel.h"

#include <string.h>

/* Returns the mode of section 2; the denominator is computed as ((float)L + 2) + nj. */
static ws_dom_mode mode_of(uint32_t L, float nj, float eC, float eJ) {
    ws_dom_mode m = {.pmove = (2.0f + nj) / (((float)L + 2.0f) + nj), .eC = eC, .eJ = eJ};
    m.ploop = 1.0f - m.pmove;
    return m;
}

ws_dom_mode ws_dom_multihit(uint32_t L) { return mode_of(L, 1.0f, 0.5f, 0.5f); }
ws_dom_mode ws_dom_unihit(uint32_t L) { return mode_of(L, 0.0f, 1.0f, 0.0f); }

static float at(const float *table, int M, int k) { return k >= 1 && k <= M ? table[k] : 0.0f; }

/* Lays out the emissions of the codes that t has. emit: [codes][M + 1], odds. */
static void lay_emissions(ws_dom_tables *t, const float *emit) {
    const size_t places = (size_t)t->Q * WS_DOM_LANES, row = (size_t)t->M + 1;
    for (int x = 0; x < t->codes; x++) {
        const float *from = emit + (size_t)x * row;
        float *to = t->emit + (size_t)x * places;
        for (int q = 0; q < t->Q; q++)
            for (int z = 0; z < WS_DOM_LANES; z++) *to++ = at(from, t->M, ws_dom_node(t, q, z));
        if (x >= t->K) continue;
        to = t->mix + (size_t)x * WS_DOM_LANES;
        for (int q = 0; q < t->Q; q++, to += (size_t)t->K * WS_DOM_LANES)
            for (int z = 0; z < WS_DOM_LANES; z++) to[z] = at(from, t->M, ws_dom_node(t, q, z));
    }
}

static void lay_transitions(ws_dom_tables *t, const ws_odds *o) {
    static const ws_ptrans kind[WS_DOM_NTR] = {WS_PBM, WS_PMM, WS_PIM, WS_PDM, WS_PMD, WS_PMI, WS_PII, WS_PDD};
    for (int q = 0; q < t->Q; q++)
        for (int z = 0; z < WS_DOM_LANES; z++) {
            const int k = ws_dom_node(t, q, z);
            for (int j = 0; j < WS_DOM_NTR; j++) {
                const int into = j == WS_DOM_MM || j == WS_DOM_IM || j == WS_DOM_DM;
                const size_t to = (size_t)(q * WS_DOM_NTR + j) * WS_DOM_LANES + (size_t)z;
                t->out[to] = at(o->tr[kind[j]], t->M, k);
                t->in[to] = k > t->M ? 0.0f : at(o->tr[kind[j]], t->M, k - into);
            }
        }
}

/* Sets `alike`, where it saves more than it costs. */
static void find_alike(ws_dom_tables *t) {
    enum { WORTH = 8 };
    const size_t step = WS_DOM_NTR * WS_DOM_LANES, but = WS_DOM_LANES * (WS_DOM_BM + 1);
    size_t q = 1;
    while (q + 1 < (size_t)t->Q &&
           !memcmp(t->in + step + but, t->in + (q + 1) * step + but, (step - but) * sizeof *t->in))
        q++;
    t->alike = q >= WORTH ? q : 0;
}

static void lay_nodes(ws_dom_tables *t, const ws_odds *o) {
    const uint32_t ones = UINT32_MAX;
    t->complete = 1;
    for (int j = 0; j < WS_NPTRANS; j++)
        for (int k = 1; k <= t->M; k++) {
            t->node[j][k] = o->tr[j][k];
            if (!(o->tr[j][k] > 0.0f) && (k < t->M || j == WS_PBM)) t->complete = 0;
        }
    for (int k = 1; k <= t->M; k++) memcpy(&t->valid[ws_dom_striped(t, (uint32_t)k)], &ones, sizeof ones);
}

/* Returns n rounded up to whole cache lines of floats. */
static size_t lines(size_t n) { return (n + 15) / 16 * 16; }

static size_t emit_floats(const ws_dom_tables *t) { return lines((size_t)t->codes * (size_t)t->Q * WS_DOM_LANES); }
static size_t mix_floats(const ws_dom_tables *t) { return lines((size_t)t->K * (size_t)t->Q * WS_DOM_LANES) + 16; }

/* Allocates one block for all tables. Returns WS_ENOMEM on failure. */
static int allocate(ws_dom_tables *t, ws_err *err) {
    const size_t Q = (size_t)t->Q, lanes = WS_DOM_LANES;
    const size_t emit = emit_floats(t), tr = lines(Q * WS_DOM_NTR * lanes), mix = mix_floats(t);
    const size_t valid = lines(Q * lanes);
    const size_t node = lines((size_t)t->M + 1 + WS_DOM_FRONT + 16);
    float *p = t->memory = ws_calloc(emit + 2 * tr + mix + valid + WS_NPTRANS * node, sizeof *p, err);
    if (!p) return err->code;
    t->emit = p;
    t->in = t->emit + emit;
    t->out = t->in + tr;
    t->mix = t->out + tr;
    t->valid = t->mix + mix;
    p = t->valid + valid;
    for (int j = 0; j < WS_NPTRANS; j++, p += node) t->node[j] = p + WS_DOM_FRONT;
    return WS_OK;
}

int ws_dom_tables_create(ws_dom_tables **out, const ws_profile *p, float tau, float lambda, ws_err *err) {
    const int Q = (p->M - 1) / WS_DOM_LANES + 1;
    ws_dom_tables *t = *out = ws_calloc(1, sizeof *t, err);
    ws_odds o;
    if (!t) return err->code;
    *t = (ws_dom_tables){
        .M = p->M, .Q = Q < 2 ? 2 : Q, .K = p->abc->K, .Kp = p->abc->Kp, .codes = p->abc->Kp, .abc = p->abc, .tau = tau,
        .lambda = lambda};
    int rc = ws_odds_create(&o, p, err);
    if (!rc) {
        rc = allocate(t, err);
        if (!rc) {
            lay_emissions(t, o.emit);
            lay_transitions(t, &o);
            find_alike(t);
            lay_nodes(t, &o);
        }
        ws_odds_destroy(&o);
    }
    if (rc) {
        ws_dom_tables_destroy(t);
        *out = NULL;
    }
    return rc;
}

int ws_dom_tables_fit(ws_dom_tables **out, const ws_dom_tables *model, const float *score, int codes, ws_err *err) {
    const size_t n = (size_t)codes * ((size_t)model->M + 1);
    ws_dom_tables *t = *out = ws_calloc(1, sizeof *t, err);
    if (!t) return err->code;
    *t = *model;
    t->codes = codes;
    t->device[0] = t->device[1] = NULL;
    float *odds = ws_alloc(n * sizeof *odds, err);
    t->memory = odds ? ws_calloc(emit_floats(t) + mix_floats(t), sizeof *t->memory, err) : NULL;
    if (t->memory) {
        t->emit = t->memory;
        t->mix = t->emit + emit_floats(t);
        ws_odds_of(odds, score, n);
        lay_emissions(t, odds);
    }
    ws_free(odds);
    return t->memory ? WS_OK : err->code;
}

void ws_dom_tables_destroy(ws_dom_tables *t) {
    for (int form = 0; t && form < 2; form++) ws_dom_device_forget(t->device[form]);
    if (t) ws_free(t->memory);
    ws_free(t);
}
