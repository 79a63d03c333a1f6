/* SPDX-License-Identifier: MIT
 * The profiles of a pressed database: see lib/hmm/pressed.h. The numbers are those of lib/hmm/profile.h; here they get
 * the order of HMMER's vectors of 16 bytes. */
#include "lib/hmm/pressed.h"

#include <math.h>
#include <string.h>

#include "lib/hmm/hmmfile.h"
#include "lib/hmm/hmmwrite.h"
#include "lib/hmm/profile.h"

enum {
    VECTOR = 16,       /* bytes */
    LOCAL = 1,         /* mode: local, several hits */
    NSPECIAL = 4,      /* E, N, J, C: each has a move and a loop */
    PLACE = 3 * sizeof(uint64_t)
};

/* Returns how many vectors of so many lanes hold M nodes: at least 2. */
static size_t vectors(int M, size_t lanes) { return ws_max(2, ((size_t)M + lanes - 1) / lanes); }

static int add_int(ws_buf *out, int32_t v, ws_err *err) { return ws_buf_add(out, &v, sizeof v, err); }
static int add_float(ws_buf *out, float v, ws_err *err) { return ws_buf_add(out, &v, sizeof v, err); }
static int add_byte(ws_buf *out, int v, ws_err *err) { return ws_buf_add(out, &(uint8_t){(uint8_t)v}, 1, err); }
static int add_word(ws_buf *out, int v, ws_err *err) { return ws_buf_add(out, &(int16_t){(int16_t)v}, 2, err); }

/* ---- stripes: lane z of vector q is node q + 1 + z * nq ---- */

/* Copies the vector of the elements first, first + nq, ... of table[0..M], each of `size` bytes, to `to`; pad: what
 * lanes beyond the last node hold. */
static char *put_vector(char *to, const void *table, size_t size, size_t first, size_t nq, int M, const void *pad) {
    for (size_t z = 0; z < VECTOR / size; z++) {
        const size_t k = first + z * nq;
        memcpy(to + z * size, k <= (size_t)M ? (const char *)table + k * size : pad, size);
    }
    return to + VECTOR;
}

/* Appends emissions: a row of nq vectors for each code. */
static int add_emissions(const void *table, size_t size, int Kp, int M, const void *pad, ws_buf *out, ws_err *err) {
    const size_t nq = vectors(M, VECTOR / size), row = ((size_t)M + 1) * size;
    int rc = ws_buf_reserve(out, (size_t)Kp * nq * VECTOR, err);
    if (rc) return rc;
    char *to = out->p + out->n;
    for (size_t x = 0; x < (size_t)Kp; x++)
        for (size_t q = 0; q < nq; q++)
            to = put_vector(to, (const char *)table + x * row, size, q + 1, nq, M, pad);
    out->n = (size_t)(to - out->p);
    return WS_OK;
}

/* Appends transitions: for each vector of nodes seven of them, then D->D of all vectors. A transition into
 * a node is stored at the node before. */
static int add_transitions(const void *const *tr, size_t size, int M, const void *pad, ws_buf *out, ws_err *err) {
    static const struct {
        ws_ptrans t;
        size_t back;
    } order[] = {{WS_PBM, 0}, {WS_PMM, 1}, {WS_PIM, 1}, {WS_PDM, 1}, {WS_PMD, 0}, {WS_PMI, 0}, {WS_PII, 0}};
    const size_t nq = vectors(M, VECTOR / size), n = sizeof order / sizeof order[0];
    int rc = ws_buf_reserve(out, (n + 1) * nq * VECTOR, err);
    if (rc) return rc;
    char *to = out->p + out->n;
    for (size_t q = 0; q < nq; q++)
        for (size_t i = 0; i < n; i++)
            to = put_vector(to, tr[order[i].t], size, q + 1 - order[i].back, nq, M, pad);
    for (size_t q = 0; q < nq; q++) to = put_vector(to, tr[WS_PDD], size, q + 1, nq, M, pad);
    out->n = (size_t)(to - out->p);
    return WS_OK;
}

/* ---- .h3f ---- */

/* Appends what SSV takes from a height for a residue: the stripes of costs without the bias, as signed bytes within
 * -127..127. Each row begins anew behind its end. */
static int add_ssv(const ws_buf *cost, int Kp, int bias, ws_buf *out, ws_err *err) {
    const size_t row = cost->n / (size_t)Kp, all = row + WS_PRESSED_MORE * VECTOR;
    const uint8_t top = (uint8_t)(bias + 127);
    uint8_t value[256];
    for (int c = 0; c < 256; c++) value[c] = (uint8_t)((top > c ? top - c : 0) ^ 127);
    int rc = ws_buf_reserve(out, (size_t)Kp * all, err);
    if (rc) return rc;
    uint8_t *to = (uint8_t *)out->p + out->n;
    for (size_t x = 0; x < (size_t)Kp; x++) {
        const uint8_t *from = (const uint8_t *)cost->p + x * row;
        for (size_t i = 0; i < all; i++) *to++ = value[from[i % row]];
    }
    out->n += (size_t)Kp * all;
    return WS_OK;
}

static int add_bytes(const ws_bytes *b, ws_buf *out, ws_err *err) {
    static const uint8_t pad = 255;
    ws_lenmodel lm;
    ws_buf cost = {0};
    ws_lenmodel_set(&lm, WS_PRESSED_L);
    int rc = add_byte(out, b->tbm, err);
    if (!rc) rc = add_byte(out, b->tec, err);
    if (!rc) rc = add_byte(out, lm.tjb, err);
    if (!rc) rc = add_float(out, WS_BYTE_SCALE, err);
    if (!rc) rc = add_byte(out, WS_BYTE_BASE, err);
    if (!rc) rc = add_byte(out, b->bias, err);
    if (!rc) rc = add_emissions(b->cost, sizeof *b->cost, b->Kp, b->M, &pad, &cost, err);
    if (!rc) rc = add_ssv(&cost, b->Kp, b->bias, out, err);
    if (!rc) rc = ws_buf_add(out, cost.p, cost.n, err);
    ws_buf_release(&cost);
    return rc;
}

/* Appends what both records begin with. */
static int add_name(uint32_t magic, const ws_hmm *h, ws_buf *out, ws_err *err) {
    const size_t n = strlen(h->name);
    int rc = add_int(out, (int32_t)magic, err);
    if (!rc) rc = add_int(out, h->M, err);
    if (!rc) rc = add_int(out, (int32_t)h->abc->type, err);
    if (!rc) rc = add_int(out, (int32_t)n, err);
    return rc ? rc : ws_buf_add(out, h->name, n + 1, err);
}

static int add_filter(const ws_hmm *h, const ws_bytes *b, ws_buf *out, size_t *place_at, ws_err *err) {
    enum { MOST = 20 };
    static const char none[PLACE] = {0};
    float compo[MOST]; /* none: 0, as HMMER has it once a model is read */
    for (int x = 0; x < MOST; x++) compo[x] = x < h->abc->K ? h->compo[x] : 0.0f;
    int rc = add_name(WS_PRESSED_FILTER, h, out, err);
    if (!rc) rc = add_int(out, h->made->maxl, err);
    if (!rc) rc = add_bytes(b, out, err);
    if (!rc) rc = ws_buf_add(out, h->evparam, sizeof h->evparam, err);
    *place_at = out->n;
    if (!rc) rc = ws_buf_add(out, none, sizeof none, err);
    if (!rc) rc = ws_buf_add(out, compo, sizeof compo, err);
    return rc ? rc : add_int(out, (int32_t)WS_PRESSED_FILTER, err);
}

void ws_pressed_set_place(char *p, const ws_pressed_place *place) {
    memcpy(p, (const uint64_t[]){place->model, place->filter, place->rest}, PLACE);
}

/* ---- .h3p ---- */

/* Appends a text: its length, and if it is not NULL the bytes with a zero. */
static int add_text(ws_buf *out, const char *s, ws_err *err) {
    const size_t n = s ? strlen(s) : 0;
    const int rc = add_int(out, (int32_t)n, err);
    return rc || !s ? rc : ws_buf_add(out, s, n + 1, err);
}

static int add_notes(const ws_hmm *h, ws_buf *out, ws_err *err) {
    static const int order[WS_NNOTE] = {WS_NOTE_RF, WS_NOTE_MM, WS_NOTE_CS, WS_NOTE_CONS};
    const size_t n = (size_t)h->M + 2;
    int rc = ws_buf_reserve(out, WS_NNOTE * n, err);
    for (int i = 0; i < WS_NNOTE && !rc; i++) {
        const char *note = h->note[order[i]];
        char *to = out->p + out->n;
        memset(to, 0, n);
        if (note) memcpy(to, note, n);
        out->n += n;
    }
    return rc;
}

/* Scores of the specials, in nats: a move and a loop of E, N, J and C. */
static void set_specials(float xsc[NSPECIAL][2]) {
    ws_lenmodel lm;
    ws_lenmodel_set(&lm, WS_PRESSED_L);
    xsc[0][0] = xsc[0][1] = (float)-WS_LN2;
    for (int s = 1; s < NSPECIAL; s++) {
        xsc[s][0] = (float)log((double)lm.pmove);
        xsc[s][1] = (float)log((double)lm.ploop);
    }
}

/* Returns the largest of what a path gains in one more deletion, against a new entry two nodes on. */
static int deletion_bound(const ws_words *w) {
    int16_t bound = -32768;
    for (int k = 2; k < w->M - 1; k++) {
        const int v = w->tr[WS_PDD][k] + w->tr[WS_PDM][k + 1] - w->tr[WS_PBM][k + 2];
        if (v > bound) bound = (int16_t)v;
    }
    return bound;
}

static int add_words(const ws_words *w, ws_buf *out, ws_err *err) {
    static const int16_t pad = -32768;
    const void *tr[WS_NPTRANS];
    float xsc[NSPECIAL][2];
    for (int t = 0; t < WS_NPTRANS; t++) tr[t] = w->tr[t];
    set_specials(xsc);
    int rc = add_transitions(tr, sizeof pad, w->M, &pad, out, err);
    if (!rc) rc = add_emissions(w->emit, sizeof pad, w->Kp, w->M, &pad, out, err);
    for (int s = 0; s < NSPECIAL && !rc; s++) {
        rc = add_word(out, (int)roundf(WS_WORD_SCALE * xsc[s][0]), err);
        if (!rc) rc = add_word(out, s ? 0 : (int)roundf(WS_WORD_SCALE * xsc[s][1]), err);
    }
    if (!rc) rc = add_float(out, WS_WORD_SCALE, err);
    if (!rc) rc = add_word(out, WS_WORD_BASE, err);
    if (!rc) rc = add_word(out, deletion_bound(w), err);
    return rc ? rc : add_float(out, 0.0f, err);
}

static int add_odds(const ws_odds *o, ws_buf *out, ws_err *err) {
    static const float pad = 0.0f;
    const void *tr[WS_NPTRANS];
    float xsc[NSPECIAL][2];
    for (int t = 0; t < WS_NPTRANS; t++) tr[t] = o->tr[t];
    set_specials(xsc);
    int rc = add_transitions(tr, sizeof pad, o->M, &pad, out, err);
    if (!rc) rc = add_emissions(o->emit, sizeof pad, o->Kp, o->M, &pad, out, err);
    for (int s = 0; s < NSPECIAL && !rc; s++) {
        rc = add_float(out, expf(xsc[s][0]), err);
        if (!rc) rc = add_float(out, expf(xsc[s][1]), err);
    }
    return rc;
}

static int add_rest(const ws_hmm *h, const ws_words *w, const ws_odds *o, ws_buf *out, ws_err *err) {
    float cut[WS_NCUT][2];
    for (int i = 0; i < WS_NCUT; i++)
        for (int j = 0; j < 2; j++) cut[i][j] = h->has_cut[i] ? h->cut[i][j] : WS_CUT_UNSET;
    int rc = add_name(WS_PRESSED_REST, h, out, err);
    if (!rc) rc = add_text(out, h->acc, err);
    if (!rc) rc = add_text(out, h->desc, err);
    if (!rc) rc = add_notes(h, out, err);
    if (!rc) rc = add_words(w, out, err);
    if (!rc) rc = add_odds(o, out, err);
    if (!rc) rc = ws_buf_add(out, cut, sizeof cut, err);
    if (!rc) rc = add_float(out, 1.0f, err); /* hits of other copies: several */
    if (!rc) rc = add_int(out, LOCAL, err);
    if (!rc) rc = add_int(out, WS_PRESSED_L, err);
    return rc ? rc : add_int(out, (int32_t)WS_PRESSED_REST, err);
}

int ws_pressed_add(const ws_hmm *h, ws_buf *filter, ws_buf *rest, size_t *place_at, ws_err *err) {
    ws_profile p = {0};
    ws_bytes b = {0};
    ws_words w = {0};
    ws_odds o = {0};
    int rc = ws_profile_create(&p, h, err);
    if (!rc) rc = ws_bytes_create(&b, &p, err);
    if (!rc) rc = ws_words_create(&w, &p, err);
    if (!rc) rc = ws_odds_create(&o, &p, err);
    if (!rc) rc = add_filter(h, &b, filter, place_at, err);
    if (!rc) rc = add_rest(h, &w, &o, rest, err);
    ws_odds_destroy(&o);
    ws_words_destroy(&w);
    ws_bytes_destroy(&b);
    ws_profile_destroy(&p);
    return rc;
}
