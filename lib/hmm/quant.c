/* SPDX-License-Identifier: MIT
 * The search profile in bytes, words and single-precision odds. Source: specification profile-filters.md, sections
 * 5.1 to 5.3.
 *
 * Products are rounded to single precision before they are rounded to whole numbers, halves away from zero (pitfall
 * 14.6). Without the first rounding some parameters differ by one. */
#include <math.h>
#include <string.h>

#include "lib/hmm/profile.h"

/* Returns v rounded to a whole number within -most..most; `most` is a whole number that an int holds. It has no
 * branches, because a mispredicted branch costs more than all the rest, and fractions are unpredictable. */
static int rounded(float v, float most) {
    v = v < most ? v : most;
    v = v > -most ? v : -most;
    const int t = (int)v;
    const float d = v - (float)t; /* exact */
    return t + (d >= 0.5f) - (d <= -0.5f);
}

/* ---- 5.1: bytes ---- */

static int byte_of(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

int ws_bytes_third_bits(float s) { return rounded(WS_BYTE_SCALE * s, 510.0f); }

/* Returns a cost. Scores beyond 2 * 255 all give 255, for any bias. */
static int byte_cost(float s, int bias) { return byte_of(bias - rounded(WS_BYTE_SCALE * s, 510.0f)); }

void ws_bytes_set_entry(ws_bytes *b) {
    b->tbm = byte_cost(logf(2.0f / ((float)b->M * (float)(b->M + 1))), 0);
    b->tec = byte_cost(logf(0.5f), 0);
}

/* Returns the best score, from canonical residues only (pitfall 14.7). */
static float best_score(const ws_profile *p) {
    size_t row = (size_t)p->M + 1;
    float max = 0.0f;
    for (size_t x = 0; x < (size_t)p->abc->K; x++)
        for (size_t k = 1; k < row; k++)
            if (p->score[x * row + k] > max) max = p->score[x * row + k];
    return max;
}

int ws_bytes_create(ws_bytes *b, const ws_profile *p, ws_err *err) {
    size_t row = (size_t)p->M + 1, n = (size_t)p->abc->Kp * row;
    *b = (ws_bytes){.M = p->M, .Kp = p->abc->Kp};
    b->cost = ws_calloc(n, sizeof *b->cost, err);
    if (!b->cost) return err->code;
    b->bias = byte_cost(-best_score(p), 0);
    ws_bytes_set_entry(b);
    for (size_t i = 0; i < n; i++) b->cost[i] = (uint8_t)byte_cost(p->score[i], b->bias);
    return WS_OK;
}

void ws_bytes_destroy(ws_bytes *b) {
    ws_free(b->cost);
    *b = (ws_bytes){0};
}

WS_PROFILE_FORM(ws_bytes);

/* ---- 5.2: words ---- */

static int16_t word_of(float s) {
    const int v = rounded(WS_WORD_SCALE * s, 32768.0f);
    return (int16_t)(v < 32767 ? v : 32767);
}

int ws_words_create(ws_words *w, const ws_profile *p, ws_err *err) {
    /* largest score of a transition; DD is not clamped (pitfall 14.8) */
    static const int16_t ceiling[WS_NPTRANS] = {[WS_PII] = -1, [WS_PDD] = 32767};
    size_t row = (size_t)p->M + 1, n = (size_t)p->abc->Kp * row;
    *w = (ws_words){.M = p->M, .Kp = p->abc->Kp};
    w->emit = ws_calloc(n, sizeof *w->emit, err);
    if (!w->emit) goto fail;
    for (size_t i = 0; i < n; i++) w->emit[i] = word_of(p->score[i]);
    for (int t = 0; t < WS_NPTRANS; t++) {
        if (!(w->tr[t] = ws_calloc(row, sizeof *w->tr[t], err))) goto fail;
        for (size_t k = 0; k < row; k++) {
            int16_t v = word_of(p->tr[t][k]);
            w->tr[t][k] = v < ceiling[t] ? v : ceiling[t];
        }
    }
    return WS_OK;
fail:
    ws_words_destroy(w);
    return err->code;
}

void ws_words_destroy(ws_words *w) {
    ws_free(w->emit);
    for (int t = 0; t < WS_NPTRANS; t++) ws_free(w->tr[t]);
    *w = (ws_words){0};
}

WS_PROFILE_FORM(ws_words);

/* ---- 5.3: odds ---- */

/* Returns 2^n for n from -126 to 127. */
static float power_of_two(int n) {
    const uint32_t bits = (uint32_t)(n + 127) << 23;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Return 32 times the bit yes, and a where these are set, else b. With a choice between floats the compiler would keep
 * a branch, and do one float at a time. */
static uint32_t all_bits(int yes) { return -(uint32_t)yes; }
static float pick(uint32_t all, float a, float b) {
    uint32_t of_a, of_b;
    memcpy(&of_a, &a, sizeof a);
    memcpy(&of_b, &b, sizeof b);
    const uint32_t bits = (of_a & all) | (of_b & ~all);
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* Sets to[i] to exp(x[i]) by the polynomial of section 5.3, each operation rounded to single precision. The reference
 * builds 2^n in the exponent field and flushes subnormal results. So n = -127, which the lower bound allows, gives 0.
 * There are no branches and no calls, so the compiler does several at once. */
void ws_odds_of(float *to, const float *x, size_t count) {
    const float high = 88.3762627f, low = -88.3762627f;
    for (size_t i = 0; i < count; i++) {
        const uint32_t over = all_bits(!(x[i] < high)), under = all_bits(x[i] <= low);
        const float v = pick(over, high, pick(under, low, x[i]));
        const float t = v * 1.44269504f + 0.5f;
        const int whole = (int)t, n = whole - ((float)whole > t); /* floor */
        float g = v - (float)n * 0.693359375f;
        g = g - (float)n * -2.12194440e-4f;
        const float z = g * g;
        float y = 1.9875691500e-4f;
        y = y * g + 1.3981999507e-3f;
        y = y * g + 8.3334519073e-3f;
        y = y * g + 4.1665795894e-2f;
        y = y * g + 1.6666665459e-1f;
        y = y * g + 5.0000001201e-1f;
        const int half = n >> 1; /* in two steps, since n may be 128; the first one is exact */
        const float finite = (y * z + g + 1.0f) * power_of_two(half) * power_of_two(n - half);
        to[i] = pick(all_bits(x[i] > high), INFINITY, pick(under | all_bits(n < -126), 0.0f, finite));
    }
}

int ws_odds_create(ws_odds *o, const ws_profile *p, ws_err *err) {
    size_t row = (size_t)p->M + 1, n = (size_t)p->abc->Kp * row;
    *o = (ws_odds){.M = p->M, .Kp = p->abc->Kp};
    o->emit = ws_calloc(n, sizeof *o->emit, err);
    if (!o->emit) goto fail;
    ws_odds_of(o->emit, p->score, n);
    for (int t = 0; t < WS_NPTRANS; t++) {
        if (!(o->tr[t] = ws_calloc(row, sizeof *o->tr[t], err))) goto fail;
        ws_odds_of(o->tr[t], p->tr[t], row);
    }
    return WS_OK;
fail:
    ws_odds_destroy(o);
    return err->code;
}

void ws_odds_destroy(ws_odds *o) {
    ws_free(o->emit);
    for (int t = 0; t < WS_NPTRANS; t++) ws_free(o->tr[t]);
    *o = (ws_odds){0};
}
