/* SPDX-License-Identifier: MIT
 * The Viterbi filter: the worked example row by row, and a second implementation that evaluates every run of
 * deletions by itself. */
#include "kernels/vit/points.h"
#include "kernels/vit/vit.h"
#include "tests/lib/worked.h"

/* ---- the worked example (15.5, 15.8) ---- */

/* Reads the two rows of M, I, D that the scalar backend leaves behind. For odd L the last row is the second. */
static void test_worked(tap *t) {
    static const int16_t M[WORKED_L][4] = {{9333, 7092, 11148, 8105},   {12017, 7570, 8322, 9862},
                                           {7783, 14303, 7635, 8813},   {12156, 8552, 15767, 9515},
                                           {10848, 11077, 10574, 17510}, {13391, 12575, 13163, 13489}};
    static const int16_t I[WORKED_L][3] = {{-32768, -32768, -32768}, {5362, 3121, 7177}, {8046, 3599, 6620},
                                           {7489, 10332, 6063},      {8185, 9775, 11796}, {7628, 9218, 11239}};
    static const int16_t D[WORKED_L][3] = {{4841, 4152, 6656}, {7525, 6836, 6147},  {3291, 9811, 9122},
                                           {7664, 6975, 11275}, {6356, 6585, 6082}, {8899, 8210, 8671}};
    static const int xC[WORKED_L] = {10648, 11517, 13803, 15267, 17010, 17010};
    enum { ROW = 5 };
    worked w;
    worked_open(&w);
    for (size_t i = 0; i < WORKED_L; i++) {
        ws_fscore s = sample_score(&w.s, &ws_vit_scalar, &w.data, i);
        const int16_t *cell = (const int16_t *)(void *)w.s.scratch.p + (i % 2 ? 0 : 3 * ROW);
        float nats = (float)((double)((float)(xC[i] - 792 - 12000) / 721.347534f) - 3.0);
        tap_ok(t, !memcmp(cell + 1, M[i], sizeof M[i]) && !memcmp(cell + ROW + 1, I[i], sizeof I[i]) &&
                      !memcmp(cell + 2 * ROW + 2, D[i], sizeof D[i]) && s.status == WS_F_OK && s.nats == nats,
               "row %zu of w1", i + 1);
    }
    ws_fscore s = sample_score(&w.s, &ws_vit_scalar, &w.data, 5);
    tap_ok(t, s.nats == 2.8473897f, "w1");
    s = sample_score(&w.s, &ws_vit_scalar, &w.data, WORKED_W2);
    tap_ok(t, s.status == WS_F_OK && s.nats == -6.52811909f, "w2");
    worked_close(&w);
}

/* ---- whole matrices; D(i,k) is the maximum over all nodes j at which a run of deletions can begin ---- */

static int add(int a, int b) { return a + b < -32768 ? -32768 : a + b > 32767 ? 32767 : a + b; }
static int max(int a, int b) { return a > b ? a : b; }

static int best_delete(const ws_words *w, const int *M, int k) {
    int best = -32768;
    for (int j = 1; j < k; j++) {
        int v = add(M[j], w->tr[WS_PMD][j]);
        for (int d = j + 1; d < k; d++) v = add(v, w->tr[WS_PDD][d]);
        best = max(best, v);
    }
    return best;
}

static ws_fscore naive(const ws_words *w, const ws_lenmodel *lm, const uint8_t *x, size_t L) {
    const size_t row = (size_t)w->M + 1, n = (L + 1) * row;
    int *M = malloc(3 * n * sizeof *M), *I = M + n, *D = I + n, xB = 12000 + lm->wmove, xJ = -32768, overflow = 0;
    for (size_t i = 0; i < 3 * n; i++) M[i] = -32768;
    for (size_t i = 1; i <= L && !overflow; i++) {
        const int *m = M + (i - 1) * row, *ins = I + (i - 1) * row, *del = D + (i - 1) * row;
        int xE = -32768;
        for (size_t k = 1; k < row; k++) {
            int from = max(add(m[k - 1], w->tr[WS_PMM][k - 1]), add(ins[k - 1], w->tr[WS_PIM][k - 1]));
            from = max(max(from, add(del[k - 1], w->tr[WS_PDM][k - 1])), add(xB, w->tr[WS_PBM][k]));
            xE = max(xE, M[i * row + k] = add(from, w->emit[x[i - 1] * row + k]));
            I[i * row + k] = max(add(m[k], w->tr[WS_PMI][k]), add(ins[k], w->tr[WS_PII][k]));
        }
        for (size_t k = 2; k < row; k++) D[i * row + k] = best_delete(w, M + i * row, (int)k);
        overflow = xE == 32767;
        xJ = max(xJ, xE - 500);
        xB = max(xJ, 12000) + lm->wmove;
    }
    free(M);
    if (overflow) return (ws_fscore){INFINITY, WS_F_OVERFLOW};
    if (xJ == -32768) return (ws_fscore){-INFINITY, WS_F_OK};
    return (ws_fscore){(float)((double)((float)(xJ + lm->wmove - 12000) / 721.347534f) - 3.0), WS_F_OK};
}

static void test_random(tap *t, sample *r) {
    static const int size[] = {1, 2, 3, 4, 15, 16, 17, 31, 32, 33, 65, 100};
    int differ = 0, overflow = 0, n = 0;
    for (size_t m = 0; m < sizeof size / sizeof size[0]; m++) {
        ws_hmm h;
        ws_hmm_target data;
        ws_words w;
        ws_err err = {0};
        sample_batch s = {0};
        sample_model(&h, r, size[m], m % 2 ? 0.02 : 0);
        sample_target(&data, &h);
        sample_must(ws_words_create(&w, &data.profile, &err), &err);
        for (int i = 0; i < 16; i++) {
            size_t L = (size_t)(1 + sample_below(r, i % 2 ? 300 : 40));
            uint8_t *x = sample_add(&s, L);
            for (size_t j = 0; j < L; j++) x[j] = (uint8_t)sample_below(r, i % 3 ? 20 : 29);
            if (i % 4 == 1) sample_homolog(r, &h, x, L);
            if (i == 6) memset(x, 27, L); /* '*' alone */
        }
        sample_ready(&s);
        for (size_t i = 0; i < s.b.n; i++, n++) {
            ws_fscore a = sample_score(&s, &ws_vit_scalar, &data, i);
            ws_fscore b = naive(&w, sample_lenmodel(&s, i), ws_seqs_codes(&s.seqs, i), s.b.len[i]);
            differ += a.status != b.status || a.nats != b.nats;
            overflow += a.status == WS_F_OVERFLOW;
        }
        ws_words_destroy(&w);
        ws_profile_destroy(&data.profile);
        sample_model_release(&h);
        sample_batch_release(&s);
    }
    tap_ok(t, differ == 0 && overflow > 0, "%d random pairs agree with whole matrices (%d overflow)", n, overflow);
}

/* '*' has no emission, but -32768 is a number and not minus infinity. So the score becomes minus infinity only where
 * the entry into the model costs 12,000 too. */
static void test_impossible(tap *t, sample *r) {
    ws_hmm h;
    ws_hmm_target data;
    sample_batch s = {0};
    sample_model(&h, r, 100, 0);
    sample_target(&data, &h);
    memset(sample_add(&s, 300), 27, 300);
    memset(sample_add(&s, 20000), 27, 20000);
    sample_add(&s, 0);
    sample_ready(&s);
    ws_fscore some = sample_score(&s, &ws_vit_scalar, &data, 0), many = sample_score(&s, &ws_vit_scalar, &data, 1);
    ws_fscore none = sample_score(&s, &ws_vit_scalar, &data, 2);
    tap_ok(t, some.status == WS_F_OK && isfinite(some.nats), "300 '*' have a score");
    tap_ok(t, many.status == WS_F_OK && many.nats == -INFINITY, "20,000 '*' have none");
    tap_ok(t, none.status == WS_F_UNDERFLOW && none.nats == -INFINITY, "no residue");
    ws_profile_destroy(&data.profile);
    sample_model_release(&h);
    sample_batch_release(&s);
}

/* Fills w with transitions of 0 to `deep` below 0, many of them shallow, and emissions to match. */
static void wild_words(ws_words *w, sample *r, int deep) {
    for (int j = 0; j < WS_NPTRANS; j++)
        for (int k = 1; k <= w->M; k++) {
            const int most = sample_below(r, 3) ? deep / 8 + 1 : deep + 1;
            w->tr[j][k] = (int16_t)-sample_below(r, j == WS_PBM ? 9000 : most);
        }
    for (int x = 0; x < w->Kp; x++)
        for (int k = 1; k <= w->M; k++)
            w->emit[x * (w->M + 1) + k] = (int16_t)(x < 20 ? sample_below(r, 5000) - 3200 : -32768 * (x == 27));
}

/* Every width gives the definition's scores for transitions of any depth: whatever a row keeps must not wrap. */
static void test_wild(tap *t, sample *r) {
    static const ws_body *const all[] = {WS_BY_WIDTH(ws_vit_)};
    static const int deep[] = {200, 1500, 4000, 7700, 12000, 16000, 30000};
    enum { L = 120, SIZES = 40 };
    uint8_t codes[L + 64] = {0};
    ws_cpu cpu;
    ws_err err = {0};
    ws_buf scratch = {0};
    ws_cpu_probe(&cpu);
    for (int b = 0; b < WS_WIDTH_scalar; b++) {
        int differ = 0, n = 0;
        if (cpu.why_not[b]) {
            tap_skip(t, ws_width_name[b], cpu.why_not[b]);
            continue;
        }
        for (size_t d = 0; d < sizeof deep / sizeof deep[0]; d++)
            for (int size = 0; size < SIZES; size++, n++) {
                ws_hmm h;
                ws_hmm_target data;
                ws_words w;
                ws_filter *f;
                ws_lenmodel lm;
                ws_fscore got;
                sample_model(&h, r, 2 + sample_below(r, size % 4 ? 70 : 700), 0);
                sample_target(&data, &h);
                sample_must(ws_words_create(&w, &data.profile, &err), &err);
                wild_words(&w, r, deep[d]);
                for (int i = 0; i < L; i++) codes[i] = (uint8_t)(sample_below(r, 60) ? sample_below(r, 20) : 27);
                ws_lenmodel_set(&lm, size % 8 ? L : 20000);
                const uint64_t first = 0;
                const uint32_t len = L;
                const ws_seqlist list = {codes, &first, &len, &lm, NULL, 1, NULL};
                void *room = ws_calloc(ws_vit_scalar.room(&w), 1, &err);
                const ws_fscore want = ws_vit_scalar.one(&w, &lm, codes, L, room);
                sample_must(ws_filter_create_from(&f, all[b], &w, &err), &err);
                sample_must(ws_filter_scores(f, &list, &got, &scratch, &err), &err);
                differ += want.status != got.status || want.nats != got.nats;
                ws_free(room);
                ws_filter_destroy(f);
                ws_words_destroy(&w);
                ws_profile_destroy(&data.profile);
                sample_model_release(&h);
            }
        tap_ok(t, differ == 0, "%s: %d models with transitions of any depth, %d differ", ws_width_name[b], n, differ);
    }
    ws_buf_release(&scratch);
}

/* ---- points of windows: from a device's order to lists ---- */

enum { TASKS = 3, WINDOWS = 5 };
static const uint64_t counts[TASKS][WINDOWS] = {{0, 1, 3, 0, UINT64_MAX}, {2, 0, 0, 40, 1}, {0, 0, 5, UINT64_MAX, 1}};

/* The points of window `pair` of a call, in order: several in a row. */
static ws_vit_point point_of(int call, uint32_t pair, uint64_t i) {
    return ws_vit_point_of(1000 * (uint32_t)call + pair + 1 + (uint32_t)i / 3, (uint32_t)(pair * 100 + i % 3 * 7 + 1));
}

/* Makes what a device writes, the finds in any order. Returns how many there are. */
static size_t make_finds(sample *r, int call, ws_task *task, ws_vit_points (*score)[WINDOWS], ws_devfound *found) {
    size_t n = 0;
    for (uint32_t k = 0; k < TASKS; k++) {
        task[k] = (ws_task){.n = WINDOWS, .score = score[k]};
        memcpy(score[k], counts[k], sizeof counts[k]);
        for (uint32_t j = 0; j < WINDOWS; j++)
            for (uint64_t i = 0; counts[k][j] < UINT64_MAX && i < counts[k][j]; i++) {
                const uint32_t pair = k * WINDOWS + j;
                const size_t to = (size_t)sample_below(r, (int)n + 1);
                if (to < n) found[n] = found[to];
                n++;
                found[to] = (ws_devfound){point_of(call, pair, i), pair, 0};
            }
    }
    return n;
}

static void test_points(tap *t, sample *r) {
    ws_task task[TASKS];
    ws_vit_points score[TASKS][WINDOWS];
    ws_devfound found[64];
    ws_buf list = {0};
    ws_err err = {0};
    int bad = 0;
    for (int call = 0; call < 2; call++) { /* the second one appends */
        const size_t n = make_finds(r, call, task, score, found);
        sample_must(ws_vit_points_take(task, TASKS, found, n, &list, &err), &err);
        for (uint32_t k = 0; k < TASKS; k++)
            for (uint32_t j = 0; j < WINDOWS; j++) {
                const ws_vit_points p = score[k][j];
                bad += p.n != (counts[k][j] == UINT64_MAX ? WS_VIT_UNKNOWN : counts[k][j]);
                for (uint32_t i = 0; p.n != WS_VIT_UNKNOWN && i < p.n; i++)
                    bad += ws_vit_points_list(&list)[p.first + i] != point_of(call, k * WINDOWS + j, i);
            }
        bad += list.n != (size_t)(call + 1) * n * sizeof(ws_vit_point);
    }
    tap_ok(t, bad == 0, "points of windows in order, those of a second call behind");
    bad = 0;
    (void)make_finds(r, 0, task, score, found);
    sample_must(ws_vit_points_take(task, TASKS, NULL, 0, &list, &err), &err);
    for (uint32_t k = 0; k < TASKS; k++)
        for (uint32_t j = 0; j < WINDOWS; j++) bad += score[k][j].n != (counts[k][j] ? WS_VIT_UNKNOWN : 0);
    tap_ok(t, bad == 0, "without room for all points a device knows windows without any");
    const ws_vit_point far = ws_vit_point_of(WS_VIT_MOST_ROWS, (1 << 17) - 1);
    tap_ok(t, ws_vit_point_row(far) == WS_VIT_MOST_ROWS && ws_vit_point_node(far) == (1 << 17) - 1, "the last point");
    ws_buf_release(&list);
}

int main(void) {
    tap t = {0};
    sample r = worked_seed();
    test_worked(&t);
    test_random(&t, &r);
    test_impossible(&t, &r);
    test_wild(&t, &r);
    test_points(&t, &r);
    return tap_end(&t);
}
