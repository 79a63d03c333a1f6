/* SPDX-License-Identifier: MIT
 * Costs of SSV and MSV from match emissions, without a profile: see lib/hmm/striped.h.
 *
 * A cost is a rounded logarithm. A fast one, with an error below 0.001 third-bits, tells all but a few in a thousand;
 * what lies nearer to a half is computed as lib/hmm/profile.c and quant.c do. So the bytes are theirs. */
#include "lib/hmm/striped.h"

#include <math.h>
#include <string.h>

#include "lib/hmm/hmmfile.h"

enum { K_MOST = 20 };

/* A room has the emissions, then third-bits of all nodes, then the rows. */
static size_t mat_bytes(int M, const ws_abc *abc) {
    return (((size_t)M + 1) * (size_t)abc->K * sizeof(float) + WS_ALIGN - 1) / WS_ALIGN * WS_ALIGN;
}

static size_t bits_bytes(int M, const ws_abc *abc) {
    return ((size_t)M * (size_t)abc->K * sizeof(int16_t) + WS_ALIGN - 1) / WS_ALIGN * WS_ALIGN;
}

static size_t rows_bytes(int M, const ws_abc *abc) {
    return (size_t)abc->Kp * ws_striped_vectors(M) * WS_STRIPED_VECTOR;
}

size_t ws_striped_room(int M, const ws_abc *abc) {
    return mat_bytes(M, abc) + bits_bytes(M, abc) + rows_bytes(M, abc) + 4 * WS_ALIGN;
}

float *ws_striped_mat(void *room) { return room; }

/* ---- third-bits ---- */

static int exact(const ws_abc *abc, int x, float p) {
    return ws_bytes_third_bits((float)log((double)p / (double)abc->background[x]));
}

/* Sets to[x] to 3 log2(p[x]) + add[x], rounded, for n of them. Returns 1 if some are too near to a half, or too small,
 * for a fast logarithm; those are 0x7fff. Bits of a single are its exponent and mantissa; the mantissa is brought to
 * within sqrt(1/2) to sqrt(2), where four terms of 2 atanh((m - 1) / (m + 1)) err by less than 1e-7. */
WS_INLINE int fast(const int n, const float *p, const float *add, int16_t *to) {
    enum { HALF_ROOT = 0x3f3504f3, SHIFT = 1024 };
    const float each = 3.0f * 2.88539008f, near = 1e-3f, least = 1e-30f;
    int32_t bits[K_MOST], e[K_MOST];
    float m[K_MOST];
    int unsure = 0;
    memcpy(bits, p, (size_t)n * sizeof *p);
    for (int x = 0; x < n; x++) {
        e[x] = (bits[x] - HALF_ROOT) >> 23;
        bits[x] -= (int32_t)((uint32_t)e[x] << 23);
    }
    memcpy(m, bits, (size_t)n * sizeof *m);
    for (int x = 0; x < n; x++) {
        const float s = (m[x] - 1.0f) / (m[x] + 1.0f), z = s * s;
        const float log = s * (1.0f + z * (1 / 3.0f + z * (1 / 5.0f + z * (1 / 7.0f))));
        const float t = 3.0f * (float)e[x] + each * log + add[x] + ((float)SHIFT + 0.5f);
        const int32_t whole = (int32_t)t;
        const float rest = t - (float)whole;
        const int bad = (rest < near) | (rest > 1.0f - near) | (p[x] < least);
        unsure |= bad;
        to[x] = (int16_t)(bad ? INT16_MAX : whole - SHIFT);
    }
    return unsure;
}

/* Does the same from -ln of probabilities. */
WS_INLINE int fast_of_nats(const int n, const float *nats, const float *add, int16_t *to) {
    enum { SHIFT = 1024 };
    const float near = 1e-3f, most = 60.0f;
    int unsure = 0;
    for (int x = 0; x < n; x++) {
        const float v = nats[x] < most ? nats[x] : most;
        const float t = add[x] - v * WS_BYTE_SCALE + ((float)SHIFT + 0.5f);
        const int32_t whole = (int32_t)t;
        const float rest = t - (float)whole;
        const int bad = (rest < near) | (rest > 1.0f - near) | !(v < most);
        unsure |= bad;
        to[x] = (int16_t)(bad ? INT16_MAX : whole - SHIFT);
    }
    return unsure;
}

/* Sets third-bits of all nodes, of K codes each. Returns the largest, at least 0. */
WS_INLINE int nodes(const size_t K, const ws_abc *abc, const float *mat, size_t M, const int nats, int16_t *to) {
    float add[K_MOST];
    int most = 0;
    for (size_t x = 0; x < K; x++) add[x] = (float)(-3.0 * log2((double)abc->background[x]));
    for (size_t k = 0; k < M; k++, mat += K, to += K) {
        const int unsure = nats ? fast_of_nats((int)K, mat, add, to) : fast((int)K, mat, add, to);
        for (size_t x = 0; x < K && unsure; x++)
            if (to[x] == INT16_MAX) to[x] = (int16_t)exact(abc, (int)x, nats ? expf(-mat[x]) : mat[x]);
        int16_t best = 0;
        for (size_t x = 0; x < K; x++) best = to[x] > best ? to[x] : best;
        if (best > most) most = best;
    }
    return most;
}

/* Does the same for any alphabet: with a number that the compiler knows, loops over codes become vectors. */
static int third_bits(const ws_abc *abc, const float *mat, size_t M, int nats, int16_t *to) {
    const size_t K = (size_t)abc->K;
    if (K == K_MOST) return nats ? nodes(K_MOST, abc, mat, M, 1, to) : nodes(K_MOST, abc, mat, M, 0, to);
    return nodes(K, abc, mat, M, nats, to);
}

static int are_probabilities(const float *p, size_t n) {
    int good = 1;
    for (size_t i = 0; i < n; i++) good &= (p[i] >= 0.0f) & (p[i] <= WS_PROB_MAX);
    return good;
}

/* ---- rows ---- */

static uint8_t byte_of(int v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

/* Puts the costs of K codes into their stripes. */
WS_INLINE void put(const size_t K, uint8_t *cost, const int16_t *bits, int bias, size_t M, size_t nq) {
    const size_t row = nq * WS_STRIPED_VECTOR;
    for (size_t z = 0; z * nq < M; z++)
        for (size_t q = 0; q < nq && q + z * nq < M; q++) {
            const int16_t *from = bits + (q + z * nq) * K;
            uint8_t *to = cost + q * WS_STRIPED_VECTOR + z, byte[K_MOST];
            for (size_t x = 0; x < K; x++) {
                const int16_t v = (int16_t)(bias - from[x]), high = v < 255 ? v : 255;
                byte[x] = (uint8_t)(high > 0 ? high : 0);
            }
            for (size_t x = 0; x < K; x++) to[x * row] = byte[x];
        }
}

static void put_rows(uint8_t *cost, const int16_t *bits, int bias, size_t M, size_t K, size_t nq) {
    memset(cost, 255, K * nq * WS_STRIPED_VECTOR);
    if (K == K_MOST) put(K_MOST, cost, bits, bias, M, nq);
    else put(K, cost, bits, bias, M, nq);
}

/* Does the same for all codes: those for several residues have expected scores. */
static int put_all_rows(ws_striped *out, int M, const ws_abc *abc, float *mat, uint8_t *cost, ws_err *err) {
    const ws_hmm h = {.M = M, .abc = abc, .mat = mat};
    const size_t nq = out->nq, row = nq * WS_STRIPED_VECTOR;
    ws_profile p;
    ws_bytes b = {0};
    int rc = ws_profile_create_emissions(&p, &h, err);
    if (!rc) rc = ws_bytes_create(&b, &p, err);
    ws_profile_destroy(&p);
    if (rc) return rc;
    memset(cost, 255, (size_t)abc->Kp * row);
    for (size_t x = 0; x < (size_t)abc->Kp; x++)
        for (size_t k = 0; k < (size_t)M; k++)
            cost[x * row + k % nq * WS_STRIPED_VECTOR + k / nq] = b.cost[x * ((size_t)M + 1) + k + 1];
    out->bytes.bias = b.bias;
    ws_bytes_destroy(&b);
    return WS_OK;
}

int ws_striped_of(ws_striped *out, int M, const ws_abc *abc, void *room, int nats, int all, int *valid, ws_err *err) {
    const size_t K = (size_t)abc->K;
    float *mat = ws_striped_mat(room);
    int16_t *bits = (int16_t *)(void *)((char *)room + mat_bytes(M, abc));
    uint8_t *cost = (uint8_t *)bits + bits_bytes(M, abc);
    for (size_t i = K; i < ((size_t)M + 1) * K && nats && all; i++) mat[i] = expf(-mat[i]);
    *valid = (nats && !all) || are_probabilities(mat + K, (size_t)M * K);
    if (!*valid) return WS_OK;
    *out = (ws_striped){.bytes = {.M = M, .Kp = abc->Kp}, .nq = ws_striped_vectors(M), .cost = cost};
    ws_bytes_set_entry(&out->bytes);
    out->ncode = all ? abc->Kp : abc->K;
    if (all) return put_all_rows(out, M, abc, mat, cost, err);
    out->bytes.bias = byte_of(third_bits(abc, mat + K, (size_t)M, nats, bits));
    put_rows(cost, bits, out->bytes.bias, (size_t)M, K, out->nq);
    return WS_OK;
}

void ws_striped_undo(const ws_striped *s, uint8_t *cost) {
    const size_t M = (size_t)s->bytes.M, row = s->nq * WS_STRIPED_VECTOR;
    memset(cost, 255, (size_t)s->bytes.Kp * (M + 1));
    for (size_t x = 0; x < (size_t)s->ncode; x++)
        for (size_t z = 0; z * s->nq < M; z++) {
            const uint8_t *from = s->cost + x * row + z;
            uint8_t *to = cost + x * (M + 1) + z * s->nq + 1;
            const size_t n = ws_min(s->nq, M - z * s->nq);
            for (size_t q = 0; q < n; q++) to[q] = from[q * WS_STRIPED_VECTOR];
        }
}
