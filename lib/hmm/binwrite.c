/* SPDX-License-Identifier: MIT
 * Writes models in HMMER3's binary form, version f: docs/spec/press.md, section 2. */
#include <string.h>

#include "lib/hmm/hmmfile.h"
#include "lib/hmm/hmmwrite.h"

int ws_hmm_has_compo(const ws_hmm *h) {
    for (int x = 0; x < h->abc->K; x++)
        if (h->compo[x] != 0.0f) return 1;
    return 0;
}

/* Returns the flags of a model that was read in full, as HMMER's binary files have them. */
static uint32_t flags_of(const ws_hmm *h) {
    static const uint32_t note[WS_NNOTE] = {[WS_NOTE_CONS] = WS_HMMBIN_CONS, [WS_NOTE_RF] = WS_HMMBIN_RF,
                                            [WS_NOTE_MM] = WS_HMMBIN_MM, [WS_NOTE_CS] = WS_HMMBIN_CS};
    static const uint32_t cut[WS_NCUT] = {
        [WS_CUT_GA] = WS_HMMBIN_GA, [WS_CUT_TC] = WS_HMMBIN_TC, [WS_CUT_NC] = WS_HMMBIN_NC};
    uint32_t flags = h->made->flags;
    for (int i = 0; i < WS_NNOTE; i++) flags |= h->note[i] ? note[i] : 0;
    for (int i = 0; i < WS_NCUT; i++) flags |= h->has_cut[i] ? cut[i] : 0;
    flags |= (h->acc ? WS_HMMBIN_ACC : 0) | (h->desc ? WS_HMMBIN_DESC : 0) | (h->map ? WS_HMMBIN_MAP : 0);
    flags |= (h->calibrated ? WS_HMMBIN_STATS : 0) | (ws_hmm_has_compo(h) ? WS_HMMBIN_COMPO : 0);
    return flags | (h->made->has_checksum ? WS_HMMBIN_CKSUM : 0);
}

static int add_int(ws_buf *out, int32_t v, ws_err *err) { return ws_buf_add(out, &v, sizeof v, err); }

/* Adds a string: its length with the zero byte, then the bytes; 0 for none. */
static int add_string(ws_buf *out, const char *s, ws_err *err) {
    const size_t n = s ? strlen(s) + 1 : 0;
    const int rc = add_int(out, (int32_t)n, err);
    return rc || !s ? rc : ws_buf_add(out, s, n, err);
}

static int add_tables(const ws_hmm *h, ws_buf *out, ws_err *err) {
    const size_t K = (size_t)h->abc->K, M = (size_t)h->M;
    int rc = ws_buf_add(out, h->mat + K, M * K * sizeof *h->mat, err);
    if (!rc) rc = ws_buf_add(out, h->made->ins, (M + 1) * K * sizeof *h->made->ins, err);
    return rc ? rc : ws_buf_add(out, h->tr, (M + 1) * WS_NTRANS * sizeof *h->tr, err);
}

static int add_annotation(const ws_hmm *h, ws_buf *out, ws_err *err) {
    static const int order[WS_NNOTE] = {WS_NOTE_RF, WS_NOTE_MM, WS_NOTE_CONS, WS_NOTE_CS};
    const size_t nodes = (size_t)h->M + 2;
    int rc = add_string(out, h->name, err);
    if (!rc && h->acc) rc = add_string(out, h->acc, err);
    if (!rc && h->desc) rc = add_string(out, h->desc, err);
    for (int i = 0; i < WS_NNOTE && !rc; i++)
        if (h->note[order[i]]) rc = ws_buf_add(out, h->note[order[i]], nodes, err);
    if (!rc && h->made->ca) rc = ws_buf_add(out, h->made->ca, nodes, err);
    if (!rc) rc = add_string(out, h->made->comlog, err);
    if (!rc) rc = add_int(out, h->made->nseq, err);
    if (!rc) rc = ws_buf_add(out, &h->made->effn, sizeof h->made->effn, err);
    if (!rc) rc = add_int(out, h->made->maxl, err);
    if (!rc) rc = add_string(out, h->made->date, err);
    if (!rc && h->map) rc = ws_buf_add(out, h->map, (nodes - 1) * sizeof *h->map, err);
    return rc ? rc : ws_buf_add(out, &h->made->checksum, sizeof h->made->checksum, err);
}

int ws_hmm_write_binary(const ws_hmm *h, ws_buf *out, ws_err *err) {
    const size_t n = out->n;
    const uint32_t magic = WS_HMMBIN_MAGIC_F, flags = flags_of(h);
    float cut[WS_NCUT][2];
    for (int i = 0; i < WS_NCUT; i++)
        for (int j = 0; j < 2; j++) cut[i][j] = h->has_cut[i] ? h->cut[i][j] : WS_CUT_UNSET;
    int rc = ws_buf_add(out, &magic, sizeof magic, err);
    if (!rc) rc = add_int(out, (int32_t)flags, err);
    if (!rc) rc = add_int(out, h->M, err);
    if (!rc) rc = add_int(out, (int32_t)h->abc->type, err);
    if (!rc) rc = add_tables(h, out, err);
    if (!rc) rc = add_annotation(h, out, err);
    if (!rc) rc = ws_buf_add(out, h->evparam, sizeof h->evparam, err);
    if (!rc) rc = ws_buf_add(out, cut, sizeof cut, err);
    if (!rc && (flags & WS_HMMBIN_COMPO)) rc = ws_buf_add(out, h->compo, (size_t)h->abc->K * sizeof *h->compo, err);
    if (rc) out->n = n;
    return rc;
}
