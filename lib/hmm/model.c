/* SPDX-License-Identifier: MIT
 * A model in memory: its tables, its hash and its release; line numbers in its file. */
#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* for a hash state that we own */
#include <xxhash.h>

#include "lib/base/mem.h"
#include "lib/hmm/hmmfile.h"

int ws_hmm_alloc(ws_hmm *h, ws_err *err) {
    size_t nodes = (size_t)h->M + 1;
    h->mat = ws_calloc(nodes * (size_t)h->abc->K, sizeof *h->mat, err);
    if (!h->mat) return err->code;
    h->tr = ws_calloc(nodes * WS_NTRANS, sizeof *h->tr, err);
    return h->tr ? WS_OK : err->code;
}

int ws_hmm_alloc_inserts(ws_hmm *h, ws_err *err) {
    h->made->ins = ws_calloc(((size_t)h->M + 1) * (size_t)h->abc->K, sizeof *h->made->ins, err);
    return h->made->ins ? WS_OK : err->code;
}

static void hash_u32(XXH3_state_t *state, uint64_t n) {
    const uint32_t small = (uint32_t)n;
    (void)XXH3_64bits_update(state, &small, sizeof small);
}

uint64_t ws_hmm_hash(const ws_hmm *h) {
    const size_t K = (size_t)h->abc->K, M = (size_t)h->M;
    XXH3_state_t state;
    (void)XXH3_64bits_reset(&state);
    hash_u32(&state, h->abc->type);
    hash_u32(&state, M);
    hash_u32(&state, h->calibrated != 0);
    (void)XXH3_64bits_update(&state, h->compo, K * sizeof *h->compo);
    if (h->calibrated) (void)XXH3_64bits_update(&state, h->evparam, sizeof h->evparam);
    (void)XXH3_64bits_update(&state, h->mat + K, M * K * sizeof *h->mat);
    (void)XXH3_64bits_update(&state, h->tr, (M + 1) * WS_NTRANS * sizeof *h->tr);
    const uint64_t hash = XXH3_64bits_digest(&state);
    return hash ? hash : 1; /* 0 means that the hash is unknown */
}

void ws_hmm_release(ws_hmm *h) {
    ws_free(h->name);
    ws_free(h->acc);
    ws_free(h->desc);
    ws_free(h->mat);
    ws_free(h->tr);
    ws_free(h->map);
    for (int j = 0; j < WS_NNOTE; j++) ws_free(h->note[j]);
    if (h->made) {
        ws_free(h->made->ins);
        ws_free(h->made->date);
        ws_free(h->made->comlog);
        ws_free(h->made->ca);
    }
    ws_free(h->made);
    *h = (ws_hmm){0};
}

size_t ws_hmmfile_line(const ws_hmmfile *f, const char *at) {
    size_t line = f->lines_before + 1;
    for (const char *p = f->text; (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++) line++;
    return line;
}
