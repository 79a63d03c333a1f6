/* SPDX-License-Identifier: MIT
 * The scans of kernels/long by every vector width against their definitions: random models and sequences with planted
 * instances, corner lengths, thresholds of all heights, lists in one call and one by one. WARPSIEVE_SEED chooses
 * another run. With WARPSIEVE_TESTS=quick each model has a part of the thresholds, its neighbours have others. */
#include "kernels/long/diagonal.h"
#include "tests/lib/longdata.h"
#include "tests/tap.h"

static const int model_sizes[] = {1, 2, 3, 4, 15, 16, 17, 31, 32, 33, 63, 64, 65, 80, 127, 128, 129, 200, 256, 257,
                                  383, 384, 385, 511, 512, 513, 700, 768, 769, 1536, 1537, 2900, 5000};
enum { NMODEL = sizeof model_sizes / sizeof model_sizes[0] };

typedef struct counts {
    size_t lists, found, bad;
} counts;

static void compare(ws_long_seeds *got, const ws_long_seeds *want, counts *c) {
    for (int j = 0; j < NLENGTH; j++) {
        c->lists++;
        c->found += want[j].n;
        c->bad += !same_seeds(&got[j], &want[j]);
        ws_free(got[j].at);
        got[j] = (ws_long_seeds){0};
    }
}

static void release_seeds(ws_long_seeds *s) {
    for (int j = 0; j < NLENGTH; j++) ws_free(s[j].at);
    memset(s, 0, NLENGTH * sizeof *s);
}

/* The SSV scan at one threshold. */
static void check_ssv(const ws_long_ssv_body *body, const ws_long_model *m, const longdata *d, counts *c) {
    ws_long_seeds want[NLENGTH] = {{0}}, got[NLENGTH] = {{0}};
    ws_buf scratch = {0};
    ws_long_ssv s, ref;
    ws_err err;
    sample_must(ws_long_ssv_create(&s, body, m, &err), &err);
    sample_must(ws_long_ssv_create(&ref, &ws_long_ssv_scalar, m, &err), &err);
    sample_must(ws_long_diagonals(&ref, d->strand, NLENGTH, want, &scratch, &err), &err);
    sample_must(ws_long_diagonals(&s, d->strand, NLENGTH, got, &scratch, &err), &err);
    compare(got, want, c);
    for (int j = 0; j < NLENGTH; j++)
        sample_must(ws_long_diagonals(&s, &d->strand[j], 1, &got[j], &scratch, &err), &err);
    compare(got, want, c);
    release_seeds(want);
    ws_long_ssv_destroy(&s);
    ws_long_ssv_destroy(&ref);
    ws_buf_release(&scratch);
}

/* A device marks ranges in which a block is a part: its diagonals by the marks of the whole strand are its own. */
static void check_parts(const ws_long_ssv_body *body, const ws_long_model *m, const longdata *d, counts *c) {
    ws_buf scratch = {0};
    ws_long_ssv s;
    ws_err err;
    sample_must(ws_long_ssv_create(&s, body, m, &err), &err);
    for (int j = 0; j < NLENGTH; j++) {
        const ws_long_strand *whole = &d->strand[j];
        uint8_t *flag = malloc(2 * ws_long_steps(m->M, whole->n) + 1), *own = flag + ws_long_steps(m->M, whole->n);
        sample_must(s.body->mark(s.layout, whole, 1, flag, &scratch, &err), &err);
        for (uint32_t share = 1; share < 4; share++) {
            const uint32_t at = whole->n / 4 * share, n = share == 2 ? whole->n / 4 : whole->n - at;
            const ws_long_strand part = {whole->x + at, n};
            ws_long_seeds want = {0}, got = {0};
            sample_must(ws_long_diagonals(&s, &part, 1, &want, &scratch, &err), &err);
            const int any = ws_long_flags_of_rows(m->M, flag, at, n, own);
            sample_must(ws_long_follow(&s, &part, own, &got, &scratch, &err), &err);
            c->lists++;
            c->bad += !same_seeds(&got, &want) || (want.n && !any);
            ws_free(want.at);
            ws_free(got.at);
        }
        free(flag);
    }
    ws_long_ssv_destroy(&s);
    ws_buf_release(&scratch);
}

/* Fills top[j] with the largest height, without clearing, of the rows of step j. */
static void find_tops(const ws_long_model *m, const uint8_t *x, uint32_t n, int *top) {
    const uint32_t step = ws_long_step(m->M);
    const size_t row = (size_t)m->M + 1;
    int *u = calloc(row, sizeof *u);
    memset(top, 0, ws_long_steps(m->M, n) * sizeof *top);
    for (uint32_t i = 0; i < n; i++)
        for (int k = m->M; k > 0; k--) {
            u[k] = u[k - 1] + m->bytes.bias - m->bytes.cost[x[i] * row + (size_t)k];
            if (u[k] < 0) u[k] = 0;
            if (u[k] > top[i / step]) top[i / step] = u[k];
        }
    free(u);
}

/* A strand of several stretches: a step with a height of the threshold is marked, and one without heights near it is
 * not. At the ends of a strand marks may tell of residues beyond it. */
static void check_marks(const ws_long_ssv_body *body, sample *r, int M, int height, counts *c) {
    enum { N = 40001 };
    const ws_long_options options = WS_LONG_DEFAULTS;
    ws_buf scratch = {0};
    ws_hmm h;
    ws_profile p;
    ws_long_model m;
    ws_long_ssv s;
    ws_err err;
    make_dna_model(&h, r, M);
    h.maxl = (int32_t)(2 * M + 10);
    h.evparam[WS_MLAMBDA] = h.evparam[WS_VLAMBDA] = h.evparam[WS_FLAMBDA] = 0.7f;
    sample_must(ws_profile_create(&p, &h, &err), &err);
    sample_must(ws_long_model_create(&m, &h, &p, &options, &err), &err);
    m.threshold = m.xB + height;
    sample_must(ws_long_ssv_create(&s, body, &m, &err), &err);
    const size_t steps = ws_long_steps(M, N), before = ((size_t)M - 1) / ws_long_step(M) + 1;
    uint8_t *x = malloc(N + WS_LONG_PAD), *flag = malloc(2 * steps);
    int *top = malloc(steps * sizeof *top);
    for (uint32_t i = 0; i < N + WS_LONG_PAD; i++) x[i] = sample_residue(r, h.abc);
    find_tops(&m, x, N, top);
    const ws_long_strand twice[2] = {{x, N}, {x, N}};
    sample_must(s.body->mark(s.layout, twice, 2, flag, &scratch, &err), &err);
    for (size_t j = 0; j < 2 * steps; j++) {
        const size_t at = j % steps;
        c->lists++;
        c->found += top[at] >= height;
        c->bad += flag[j] ? at >= before && at + 1 < steps && top[at] < height - 2 * m.bytes.bias : top[at] >= height;
    }
    free(top);
    free(flag);
    free(x);
    ws_buf_release(&scratch);
    ws_long_ssv_destroy(&s);
    ws_long_model_destroy(&m);
    ws_profile_destroy(&p);
    sample_model_release(&h);
}

/* The code that costs least at node k. */
static uint8_t best_code(const ws_long_model *m, int k) {
    const size_t row = (size_t)m->M + 1;
    int best = 0;
    for (int x = 1; x < 4; x++)
        if (m->bytes.cost[(size_t)x * row + (size_t)k] < m->bytes.cost[(size_t)best * row + (size_t)k]) best = x;
    return (uint8_t)best;
}

/* One diagonal of 24 cells across row 16380, where a stretch ends, for every node: its last row is marked at its own
 * height. */
static void check_borders(const ws_long_ssv_body *body, sample *r, int M, counts *c) {
    enum { BORDER = 16380, HALF = 12, N = BORDER + HALF };
    const ws_long_options options = WS_LONG_DEFAULTS;
    ws_buf scratch = {0};
    ws_hmm h;
    ws_profile p;
    ws_long_model m;
    ws_err err;
    uint8_t *x = malloc(N + WS_LONG_PAD), flag[N / 126 + 1];
    make_dna_model(&h, r, M);
    sample_must(ws_profile_create(&p, &h, &err), &err);
    sample_must(ws_long_model_create(&m, &h, &p, &options, &err), &err);
    for (uint32_t i = 0; i < N + WS_LONG_PAD; i++) x[i] = sample_residue(r, h.abc);
    for (int k = 1; k + 2 * HALF <= M + 1; k++) {
        const ws_long_strand strand = {x, N};
        int height = 0;
        for (int j = 0; j < 2 * HALF; j++) {
            const uint8_t code = x[BORDER - HALF + j] = best_code(&m, k + j);
            height += m.bytes.bias - m.bytes.cost[(size_t)code * ((size_t)M + 1) + (size_t)(k + j)];
        }
        ws_long_ssv s;
        m.threshold = m.xB + height;
        sample_must(ws_long_ssv_create(&s, body, &m, &err), &err);
        sample_must(s.body->mark(s.layout, &strand, 1, flag, &scratch, &err), &err);
        c->lists++;
        c->found += flag[0];
        c->bad += !flag[(N - 1) / ws_long_step(M)];
        ws_long_ssv_destroy(&s);
    }
    free(x);
    ws_buf_release(&scratch);
    ws_long_model_destroy(&m);
    ws_profile_destroy(&p);
    sample_model_release(&h);
}

/* The heights of one diagonal, which begins behind row `floor`, each with the least threshold that those before are
 * below. */
static void check_heights(const ws_long_model *m, const uint8_t *x, uint32_t floor, int first, counts *c) {
    int height = 0, least = 1;
    uint32_t i = floor + 1;
    for (int k = first; k <= m->M; k++, i++) {
        height += m->bytes.bias - m->bytes.cost[x[i - 1] * ((size_t)m->M + 1) + (size_t)k];
        if (height < 0) height = 0;
        c->bad += ws_long_diagonal_height(m, x, floor, i, k, least) != height;
        c->bad += ws_long_diagonal_height(m, x, floor, i, k, least + 100) != height;
        if (height >= least) least = height + 1;
    }
}

/* A model whose cells tell little: diagonals live for hundreds of rows, longer than the second pass goes back before a
 * mark. Marks are those of the definition, so that it goes back often. */
static void check_vague(const ws_long_ssv_body *body, sample *r, int M, counts *c) {
    enum { N = 60000, STEPS = N / 126 + 1, GAIN = 3, OF = 100 };
    const ws_long_options options = WS_LONG_DEFAULTS;
    ws_hmm h;
    ws_profile p;
    ws_long_model m;
    ws_long_ssv s;
    ws_err err;
    ws_buf scratch = {0};
    make_dna_model(&h, r, M);
    sample_must(ws_profile_create(&p, &h, &err), &err);
    sample_must(ws_long_model_create(&m, &h, &p, &options, &err), &err);
    m.bytes.bias = GAIN;
    for (size_t j = 0; j < (size_t)m.bytes.Kp * ((size_t)M + 1); j++)
        m.bytes.cost[j] = (uint8_t)(sample_below(r, 2 * GAIN + 1) + (sample_below(r, OF) < 11));
    uint8_t *x = malloc(N + WS_LONG_PAD), flag[STEPS], *cell = malloc((size_t)M + 1);
    int *top = malloc(STEPS * sizeof *top);
    for (uint32_t i = 0; i < N + WS_LONG_PAD; i++) x[i] = sample_residue(r, h.abc);
    for (int first = 1; first <= M; first += 37) check_heights(&m, x, (uint32_t)(5 * first), first, c);
    find_tops(&m, x, N, top);
    for (int height = 60; height <= 120; height += 20) {
        const ws_long_strand strand = {x, N};
        ws_long_seeds want = {0}, got = {0};
        m.threshold = m.xB + height;
        for (size_t j = 0; j < ws_long_steps(M, N); j++) flag[j] = top[j] >= height ? WS_LONG_MARK_STEP : 0;
        sample_must(ws_long_ssv_create(&s, body, &m, &err), &err);
        sample_must(ws_long_diagonals_ref(&m, x, N, cell, &want, &err), &err);
        sample_must(ws_long_follow(&s, &strand, flag, &got, &scratch, &err), &err);
        c->lists++;
        c->found += want.n;
        c->bad += !same_seeds(&got, &want);
        ws_free(want.at);
        ws_free(got.at);
        ws_long_ssv_destroy(&s);
    }
    free(top);
    free(cell);
    free(x);
    ws_buf_release(&scratch);
    ws_long_model_destroy(&m);
    ws_profile_destroy(&p);
    sample_model_release(&h);
}

static void check_vit(const ws_long_vit_body *body, const ws_profile *p, const longdata *d, int threshold, counts *c) {
    ws_long_seeds want[NLENGTH] = {{0}}, got[NLENGTH] = {{0}};
    ws_long_vit_window window[NLENGTH];
    ws_buf scratch = {0};
    ws_long_viterbi s, ref;
    ws_err err;
    for (int j = 0; j < NLENGTH; j++) {
        ws_lenmodel lm;
        ws_lenmodel_set(&lm, (uint32_t)ws_max(d->strand[j].n, 1));
        window[j] = (ws_long_vit_window){d->strand[j].x, d->strand[j].n, {lm.wmove, threshold}};
    }
    sample_must(ws_long_viterbi_create(&s, body, p, &err), &err);
    sample_must(ws_long_viterbi_create(&ref, &ws_long_vit_scalar, p, &err), &err);
    sample_must(ws_long_points(&ref, window, NLENGTH, want, &scratch, &err), &err);
    sample_must(ws_long_points(&s, window, NLENGTH, got, &scratch, &err), &err);
    compare(got, want, c);
    for (int j = 0; j < NLENGTH; j++) sample_must(ws_long_points(&s, &window[j], 1, &got[j], &scratch, &err), &err);
    compare(got, want, c);
    release_seeds(want);
    ws_long_viterbi_destroy(&s);
    ws_long_viterbi_destroy(&ref);
    ws_buf_release(&scratch);
}

/* Heights above the start of a diagonal, in bytes, and Viterbi thresholds: few, many, all rows; -32768 is below every
 * cell. */
static void check_model(const ws_long_ssv_body *ssv, const ws_long_vit_body *vit, sample *r, int number, counts *a,
                        counts *b) {
    static const int heights[] = {0, 1, 12, 25, 50, 100, 126},
                     thresholds[] = {-32768, -32767, 0, 11000, 13000, 15000, 32767};
    const ws_long_options options = WS_LONG_DEFAULTS;
    const int M = model_sizes[number], quick = tap_quick();
    ws_hmm h;
    ws_profile p;
    ws_long_model m;
    ws_err err;
    longdata d;
    make_dna_model(&h, r, M);
    for (int k = 1; M % 2 && k <= M; k++)
        if (sample_below(r, 20) == 0) h.mat[4 * k + sample_below(r, 4)] = 0;
    h.maxl = (int32_t)(2 * M + 10);
    h.evparam[WS_MLAMBDA] = h.evparam[WS_VLAMBDA] = h.evparam[WS_FLAMBDA] = 0.7f;
    sample_must(ws_profile_create(&p, &h, &err), &err);
    sample_must(ws_long_model_create(&m, &h, &p, &options, &err), &err);
    make_data(&d, r, &h);
    for (size_t j = M > 400 ? 3 : 0; j < (M > 400 ? 5 : sizeof heights / sizeof heights[0]); j++) {
        if (quick && (j + (size_t)number) % 2) continue;
        m.threshold = m.xB + heights[j];
        check_ssv(ssv, &m, &d, a);
        check_parts(ssv, &m, &d, a);
        check_vit(vit, &p, &d, thresholds[j], b);
    }
    release_data(&d);
    ws_long_model_destroy(&m);
    ws_profile_destroy(&p);
    sample_model_release(&h);
}

int main(void) {
    static const ws_long_ssv_body *const ssv[] = {WS_BY_WIDTH(ws_long_ssv_)};
    static const ws_long_vit_body *const vit[] = {WS_BY_WIDTH(ws_long_vit_)};
    const char *seed = getenv("WARPSIEVE_SEED");
    tap t = {0};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    for (int w = 0; w < WS_WIDTH_scalar; w++) {
        sample r = {seed ? strtoull(seed, NULL, 10) : 17};
        counts a = {0}, b = {0}, marks = {0}, borders = {0}, vague = {0};
        if (cpu.why_not[w]) {
            tap_skip(&t, ws_width_name[w], cpu.why_not[w]);
            continue;
        }
        for (int j = 0; j < NMODEL; j++) check_model(ssv[w], vit[w], &r, j, &a, &b);
        for (int j = 0; j < NMODEL; j++)
            for (int height = 24; height <= 40; height += 8) // three more for twice the cells
                if (!tap_quick() || height / 8 == 3 + j % 3)
                    check_marks(ssv[w], &r, model_sizes[j], height + (int)(3 * log2(model_sizes[j])), &marks);
        check_borders(ssv[w], &r, 1100, &borders);
        for (int M = 300; M <= 1500; M += 400) check_vague(ssv[w], &r, M, &vague);
        tap_ok(&t, vague.bad == 0 && vague.found > 100,
               "%s: %zu strands of long diagonals, %zu found, %zu strands or heights differ", ws_width_name[w],
               vague.lists, vague.found, vague.bad);
        tap_ok(&t, borders.bad == 0 && borders.found * 20 < borders.lists,
               "%s: %zu diagonals across a stretch's end, %zu not marked", ws_width_name[w], borders.lists,
               borders.bad);
        tap_ok(&t, marks.bad == 0 && marks.found > (tap_quick() ? 300 : 1000) && marks.found < marks.lists / 3,
               "%s: %zu steps of strands in stretches, %zu with a height of the threshold, %zu marked wrongly",
               ws_width_name[w], marks.lists, marks.found, marks.bad);
        tap_ok(&t, a.bad == 0 && a.found > 1000, "%s: SSV scan, %zu strands, %zu diagonals, %zu strands differ",
               ws_width_name[w], a.lists, a.found, a.bad);
        tap_ok(&t, b.bad == 0 && b.found > 1000, "%s: Viterbi scan, %zu windows, %zu points, %zu windows differ",
               ws_width_name[w], b.lists, b.found, b.bad);
    }
    return tap_end(&t);
}
