/* SPDX-License-Identifier: MIT
 * Models as text: each probability has the digits that printf gives its negative logarithm, and what is written is read
 * back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hmm/hmmfile.h"
#include "lib/hmm/hmmwrite.h"
#include "tests/tap.h"

enum { K = 20 };

/* Makes a model of M nodes without numbers. */
static int make(ws_hmm *h, int M, ws_err *err) {
    *h = (ws_hmm){.abc = ws_abc_get(WS_ABC_AMINO), .M = M};
    if (!(h->name = ws_strndup("m", 1, err)) || ws_hmm_alloc(h, err)) return err->code;
    if (!(h->made = ws_calloc(1, sizeof *h->made, err))) return err->code;
    return ws_hmm_add_note(h, WS_NOTE_CONS, err);
}

/* Returns how many of the values that a model of these match emissions shows are not printf's. */
static int wrong_digits(const float *p, size_t n) {
    ws_hmm h;
    ws_err err;
    ws_buf text = {0};
    int wrong = 0;
    if (make(&h, (int)((n + K - 1) / K), &err)) return -1;
    for (size_t i = 0; i < n; i++) h.mat[K + i] = p[i];
    if (ws_hmm_write(&h, "test", NULL, &text, &err)) return -1;
    text.p[text.n - 1] = '\0';
    const char *at = strstr(text.p, "\n      1 ");
    for (size_t i = 0; i < n; i++) {
        char want[64], line[32];
        if (i % K == 0) {
            snprintf(line, sizeof line, "\n %6zu ", i / K + 1);
            at = strstr(at, line) + strlen(line);
        }
        if (p[i] == 0.0f) snprintf(want, sizeof want, " %8s", "*");
        else snprintf(want, sizeof want, " %8.5f", p[i] == 1.0f ? 0.0 : (double)-logf(p[i]));
        if (strncmp(at, want, strlen(want)) != 0) {
            tap_note("%.9g: %.10s, not %s", (double)p[i], at, want);
            wrong++;
        }
        at += strlen(want);
    }
    ws_buf_release(&text);
    ws_hmm_release(&h);
    return wrong;
}

static void test_random(tap *t) {
    enum { N = 20000 };
    static float p[N];
    uint32_t r = 1;
    for (int i = 0; i < N; i++) {
        r = r * 69069u + 1u;
        const float u = (float)(r >> 8) / 16777216.0f;
        p[i] = i % 3 == 0 ? u : i % 3 == 1 ? expf(-100.0f * u) : 1.0f - u * 1e-4f;
    }
    const int wrong = wrong_digits(p, N);
    tap_ok(t, wrong == 0, "%d probabilities: %d differ from printf", N, wrong);
}

/* Halves of a unit in the last place go to the even digit: logarithms of odd 64ths. */
static void test_halves(tap *t) {
    static float p[400];
    size_t n = 0;
    for (int j = 1; j < 400; j += 2) {
        const float want = (float)j / 64.0f;
        float x = (float)exp(-(double)want);
        for (int i = 0; i < 8; i++) x = nextafterf(x, 0.0f);
        for (int i = 0; i < 16 && -logf(x) != want; i++) x = nextafterf(x, 2.0f);
        if (-logf(x) == want) p[n++] = x;
    }
    const int wrong = wrong_digits(p, n);
    tap_ok(t, n > 50 && wrong == 0, "%zu halves: %d differ from printf", n, wrong);
}

static void test_edges(tap *t) {
    const float p[] = {0.0f, 1.0f, nextafterf(1.0f, 0.0f), nextafterf(1.0f, 2.0f), 1.00001f, 1e-37f, 1e-42f, 1.4e-45f,
                       0.5f, expf(-9.999995f), expf(-10.0f), expf(-99.0f)};
    const int wrong = wrong_digits(p, sizeof p / sizeof *p);
    tap_ok(t, wrong == 0, "0, 1, above 1, subnormal: %d differ from printf", wrong);
}

static void test_read_back(tap *t) {
    ws_hmm h, back = {0};
    ws_err err;
    ws_buf text = {0};
    int rc = make(&h, 3, &err);
    for (int k = 0; !rc && k <= 3; k++) {
        for (int x = 0; x < K; x++) h.mat[k * K + x] = 0.05f;
        h.tr[k * WS_NTRANS + WS_TMM] = h.tr[k * WS_NTRANS + WS_TIM] = h.tr[k * WS_NTRANS + WS_TDM] = 1.0f;
        h.note[WS_NOTE_CONS][k] = k ? 'a' : ' ';
    }
    h.calibrated = 1;
    for (int i = 0; i < WS_NEVPARAM; i++) h.evparam[i] = (float)(i + 1) * 1.5f;
    h.has_cut[WS_CUT_GA] = 1;
    h.cut[WS_CUT_GA][0] = 25.0f;
    h.cut[WS_CUT_GA][1] = -99999.0f;
    h.nseq = 7;
    if (!rc) rc = ws_hmm_write(&h, "test", "a day", &text, &err);
    if (!rc) rc = ws_buf_add(&text, "", 1, &err);
    const ws_hmmfile f = {.name = "text", .text = text.p, .n = text.n - 1, .version = 'f'};
    if (!rc) rc = ws_hmmtext_read(&back, &f, 0, &err);
    tap_ok(t, rc == WS_OK, "a model is read back: %s", rc ? err.text : "");
    tap_ok(t, back.M == 3 && back.nseq == 7 && back.has_cut[WS_CUT_GA] && back.cut[WS_CUT_GA][1] == -99999.0f &&
               back.evparam[WS_FLAMBDA] == 9.0f && !strcmp(back.note[WS_NOTE_CONS], " aaa"), "with all that it says");
    tap_ok(t, strstr(text.p, "GA    25.00 -99999.00\n") && strstr(text.p, "\nDATE  a day\n") &&
               !strstr(text.p, "CKSUM"), "cutoffs, date, no checksum");
    ws_buf_release(&text);
    ws_hmm_release(&h);
    ws_hmm_release(&back);
}

int main(void) {
    tap t = {0};
    test_random(&t);
    test_halves(&t);
    test_edges(&t);
    test_read_back(&t);
    return tap_end(&t);
}
