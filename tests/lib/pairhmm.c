/* SPDX-License-Identifier: MIT
 * Pair-HMM: worked examples, golden values on every CPU backend, a second implementation, sharing, portions, damaged
 * input. */
#include "bin/likelihoods/format.h"
#include "kernels/pairhmm/gpu.h"
#include "bin/likelihoods/input.h"
#include "kernels/pairhmm/pairhmm.h"
#include "lib/base/mem.h"
#include "lib/compress/source.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const ws_pairhmm_body *body[WS_NWIDTH];
static const char *name_of[WS_NWIDTH];
static int nbody;

static void find_bodies(tap *t) {
    static const ws_pairhmm_body *const all[] = {WS_BY_WIDTH(ws_pairhmm_)};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    for (int i = WS_NWIDTH - 1; i >= 0; i--) { /* scalar first */
        if (cpu.why_not[i]) {
            tap_skip(t, ws_width_name[i], cpu.why_not[i]);
            continue;
        }
        name_of[nbody] = ws_width_name[i];
        body[nbody++] = all[i];
    }
}

/* ---- a text through a backend ---- */

typedef struct run {
    ws_pairhmm_text text;
    ws_pairhmm_result *result;
    ws_pairhmm_counts count;
} run;

static void run_score(run *r, const ws_pairhmm_body *b, int all_double, int share) {
    ws_pairhmm_conf conf = {.all_double = all_double, .share = share};
    ws_pairhmm_work *w;
    ws_buf room = {0};
    ws_err err = {0};
    ws_pairhmm_quals_make(&conf.quals);
    r->result = malloc((r->text.npair + 1) * sizeof *r->result);
    sample_must(ws_pairhmm_work_create(&w, &err), &err);
    sample_must(ws_pairhmm_score(&conf, b, &r->text, w, &room, r->result, &r->count, &err), &err);
    ws_pairhmm_work_destroy(w);
    ws_buf_release(&room);
}

static int parse(ws_pairhmm_text *t, const char *text, size_t n, ws_err *err) {
    const ws_pairhmm_origin at = {.name = "test", .line = 1};
    const int results = n > 0 && (text[0] == '#' || (text[0] | 0x20) >= 'a');
    return (results ? ws_pairhmm_parse_results : ws_pairhmm_parse_batches)(t, text, n, &at, err);
}

static void run_text(run *r, const char *text, size_t n, const ws_pairhmm_body *b, int all_double, int share) {
    ws_err err = {0};
    *r = (run){0};
    sample_must(parse(&r->text, text, n, &err), &err);
    run_score(r, b, all_double, share);
}

static void run_release(run *r) {
    ws_pairhmm_text_release(&r->text);
    free(r->result);
}

static int same_results(const run *a, const run *b) {
    int same = a->text.npair == b->text.npair;
    for (size_t i = 0; same && i < a->text.npair; i++)
        same = memcmp(&a->result[i].log10, &b->result[i].log10, sizeof(double)) == 0 &&
               a->result[i].precision == b->result[i].precision;
    return same;
}

static int within(double got, double want, int all_double, uint32_t m) {
    if (isinf(want) || isinf(got)) return got == want;
    return fabs(got - want) <= (all_double ? 1e-9 + 1e-12 * fabs(want) : 1e-5 + 2e-9 * m);
}

/* ---- worked examples of the specification ---- */

static void test_worked(tap *t) {
    static const char spec[] =
        "2 2\nACGTACGT IIIIIIII NNNNNNNN NNNNNNNN ++++++++\nCGTAC 5555' NNNNN NNNNN +++++\nACGTACGTAC\nACGTTCGTAC\n";
    static const double want[] = {-1.04628036, -5.51809432, -0.887901314, -1.18746863};
    run r;
    for (int b = 0; b < nbody; b++)
        for (int d = 0; d < 2; d++) {
            int good = 1;
            run_text(&r, spec, sizeof spec - 1, body[b], d, 1);
            for (int i = 0; i < 4; i++) good &= fabs(r.result[i].log10 - want[i]) < (d ? 6e-9 : 1e-6);
            run_release(&r);
            run_text(&r, "1 1\nACGT LLLL LLLL LLLL LLLL\nACGT\n", 33, body[b], d, 1);
            good &= fabs(r.result[0].log10 + 0.6022797) < 5e-6;
            run_release(&r);
            tap_ok(t, good, "worked examples, %s, %s", name_of[b], d ? "double" : "mixed");
        }
}

/* ---- golden files ---- */

static char *slurp(const char *folder, const char *name, size_t *n) {
    char path[512], *text = NULL;
    ws_err err = {0};
    snprintf(path, sizeof path, "%s/%s.gz", folder, name);
    if (access(path, R_OK)) snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) || ws_source_slurp(path, NULL, &text, n, &err) ? NULL : text;
}

/* The last column of a table. */
static size_t expected_of(const char *text, double *value, size_t max) {
    size_t n = 0;
    for (const char *p = text; *p && n < max;) {
        const char *end = strchr(p, '\n'), *tab = end;
        if (!end) end = p + strlen(p), tab = end;
        while (tab > p && tab[-1] != '\t') tab--;
        if (*p != '#') value[n++] = strtod(tab, NULL);
        p = *end ? end + 1 : end;
    }
    return n;
}

static void golden_file(tap *t, const char *folder, const char *name, const char *expected) {
    size_t n, m;
    char *text = slurp(folder, name, &n), *table = slurp(folder, expected, &m);
    if (!tap_ok(t, text && table, "%s/%s is there", folder, name)) return;
    double *want = malloc((m + 1) * sizeof *want);
    const size_t nwant = expected_of(table, want, m);
    for (int d = 0; d < 2; d++) {
        run first = {0};
        for (int b = 0; b < nbody; b++) {
            run r;
            run_text(&r, text, n, body[b], d, 1);
            size_t bad = r.text.npair != nwant, pair = 0;
            for (size_t g = 0; !bad && g < r.text.nregion; g++)
                for (size_t i = 0; i < r.text.region[g].R; i++)
                    for (size_t h = 0; h < r.text.region[g].H; h++, pair++)
                        bad += !within(r.result[pair].log10, want[pair], d, r.text.read[r.text.region[g].read + i].m);
            const int same = b == 0 || same_results(&first, &r);
            tap_ok(t, !bad && same, "%s, %s, %s: %zu pairs, %zu outside the tolerance%s", name, name_of[b],
                   d ? "double" : "mixed", r.text.npair, bad, same ? "" : ", not the bytes of scalar");
            if (b == 0) first = r;
            else run_release(&r);
        }
        run_release(&first);
    }
    free(want);
    ws_free(text);
    ws_free(table);
}

static void test_golden(tap *t) {
    static const char *const subset[] = {"tiny",           "edge", "edge_extreme", "edge_overflow", "gpuPairHMM-readme",
                                         "formats/letters"};
    static const char *const spelling[] = {"blank-no-eol.in",  "crlf.in",           "in",
                                           "results-6col.txt", "results-comma.txt", "results-noheader.txt",
                                           "results.crlf.txt", "results.txt",       "spaces.in"};
    static const char ours[] = "tests/data/pairhmm", full[] = "../shared/golden/pairhmm";
    char name[64], expected[64];
    for (int where = 0; where < 2; where++) {
        const char *folder = where ? full : ours;
        if (where && access(full, R_OK)) break;
        for (size_t i = 0; i < sizeof subset / sizeof *subset; i++) {
            snprintf(name, sizeof name, "%s.in", subset[i]);
            snprintf(expected, sizeof expected, "%s.expected", subset[i]);
            golden_file(t, folder, name, expected);
        }
        for (size_t i = 0; i < sizeof spelling / sizeof *spelling; i++) {
            snprintf(name, sizeof name, "formats/small.%s", spelling[i]);
            golden_file(t, folder, name, "formats/small.expected");
        }
        golden_file(t, folder, "pairhmm-testdata.txt", "pairhmm-testdata.expected");
        golden_file(t, folder, "gatk-hc-na12878.Java.hmmresults.txt", "gatk-hc-na12878.expected");
        if (where) golden_file(t, folder, "gatk-hc-na12878.AVX.hmmresults.txt", "gatk-hc-na12878.expected");
        if (where) golden_file(t, folder, "10s.in", "10s.expected");
        tap_note("ran pair-HMM golden sets: %s", where ? "the full ones" : "the committed subset");
    }
}

/* ---- random regions ---- */

static char letter(sample *r) { return "ACGT"[sample_below(r, 4)]; }

/* Writes a random region. Haplotypes share prefixes, are prefixes of others, or are equal; reads have errors, and
 * some are equal. */
static void random_region(sample *r, ws_buf *out, size_t R, size_t H, size_t m, size_t n, int quals) {
    ws_err err = {0};
    char *window = malloc(n + 1), *line = malloc(5 * (m + 1) + 1);
    for (size_t i = 0; i < n; i++) window[i] = sample_below(r, 60) ? letter(r) : 'N';
    ws_buf_addf(out, &err, "%zu %zu\n", R, H);
    for (size_t k = 0; k < R; k++) {
        const size_t len = sample_below(r, 3) ? m : 1 + (size_t)sample_below(r, (int)m),
                     at = (size_t)sample_below(r, (int)n);
        char *p = line;
        for (size_t i = 0; i < len; i++) *p++ = sample_below(r, 20) ? window[(at + i) % n] : letter(r);
        for (int s = 0; s < 4; s++) {
            *p++ = ' ';
            for (size_t i = 0; i < len; i++)
                *p++ = (char)(33 + (quals ? sample_below(r, 94) : s == 0 ? 6 + sample_below(r, 35) : s < 3 ? 45 : 10));
        }
        *p++ = '\n';
        for (int copies = sample_below(r, 4) ? 1 : 2; copies && k<R; k += --copies> 0)
            ws_buf_add(out, line, (size_t)(p - line), &err);
    }
    for (size_t k = 0; k < H; k++) {
        const size_t len = sample_below(r, 2) ? n : 1 + (size_t)sample_below(r, (int)n),
                     at = (size_t)sample_below(r, (int)len);
        if (sample_below(r, 3)) window[at] = letter(r);
        ws_buf_add(out, window, len, &err);
        ws_buf_add(out, "\n", 1, &err);
    }
    free(window);
    free(line);
}

/* Compares with the implementation that keeps an exponent for each cell. Sharing must change nothing. */
static void test_random(tap *t, sample *r) {
    static const size_t count[][2] = {{1, 1},   {2, 3},  {7, 5},  {8, 2},  {9, 9}, {15, 1},
                                      {16, 30}, {17, 4}, {33, 7}, {1, 40}, {70, 3}};
    static const size_t length[][2] = {{1, 1},  {1, 9},   {3, 2},    {4, 31},   {5, 32},  {8, 33},
                                       {9, 64}, {31, 65}, {64, 100}, {120, 90}, {33, 400}};
    ws_pairhmm_quals quals;
    ws_pairhmm_quals_make(&quals);
    for (int d = 0; d < 2; d++) {
        size_t pairs = 0, bad = 0, differ = 0, unshared = 0;
        double worst = 0;
        for (size_t c = 0; c < 2 * sizeof count / sizeof *count; c++) {
            ws_buf text = {0};
            run first = {0};
            for (size_t l = 0; l < sizeof length / sizeof *length; l++)
                random_region(r, &text, count[c / 2][0], count[c / 2][1], length[l][0], length[l][1], (int)c % 2);
            for (int b = 0; b < nbody; b++) {
                run x, y;
                run_text(&x, text.p, text.n, body[b], d, 1);
                run_text(&y, text.p, text.n, body[b], d, 0);
                unshared += !same_results(&x, &y);
                run_release(&y);
                if (b) {
                    differ += !same_results(&first, &x);
                    run_release(&x);
                } else {
                    first = x;
                }
            }
            for (size_t g = 0; g < first.text.nregion; g++)
                for (size_t i = 0; i < first.text.region[g].R * first.text.region[g].H; i++, pairs++) {
                    const ws_pairhmm_region *region = &first.text.region[g];
                    const ws_pairhmm_read *read = &first.text.read[region->read + i / region->H];
                    const ws_pairhmm_hap *hap = &first.text.hap[region->hap + i % region->H];
                    ws_pairhmm_wide *row = malloc(6 * (hap->n + 1) * sizeof *row);
                    const double want = ws_pairhmm_scaled(&quals, read, hap, row),
                                 got = first.result[region->pair + i].log10;
                    if (!within(got, want, d, read->m)) bad++;
                    else if (!isinf(want)) worst = fmax(worst, fabs(got - want));
                    free(row);
                }
            run_release(&first);
            ws_buf_release(&text);
        }
        tap_ok(t, !bad && !differ && !unshared,
               "%zu random pairs, %s: %zu outside the tolerance (worst %.2g), %zu sets differ between backends, %zu "
               "with sharing",
               pairs, d ? "double" : "mixed", bad, worst, differ, unshared);
    }
}

/* ---- the trie ---- */

static void test_trie(tap *t) {
    static const char *const text[] = {"ACGTT", "ACGTA", "ACG", "TTT", "ACGTA", "A", "ACGTAC"};
    enum { N = sizeof text / sizeof *text };
    ws_pairhmm_hap hap[N];
    uint32_t list[N];
    ws_pairhmm_trie trie = {0};
    ws_err err = {0};
    size_t bad = 0, columns = 0;
    for (uint32_t i = 0; i < N; i++) {
        hap[i] = (ws_pairhmm_hap){(const uint8_t *)text[i], (uint32_t)strlen(text[i])};
        list[i] = i;
    }
    ws_pairhmm_order(hap, list, N);
    sample_must(ws_pairhmm_trie_make(&trie, hap, list, N, 1, 1000, &err), &err);
    for (size_t k = 0; k < trie.nhap; k++) { /* walks from the end of each haplotype back to its first column */
        const ws_pairhmm_seg *s = &trie.seg[trie.end[k]];
        uint32_t c = s->end - 1;
        for (size_t at = hap[list[k]].n; at-- > 0;) {
            if (!c || trie.letter[trie.code[c]] != (text[list[k]][at] & 31)) {
                bad++;
                break;
            }
            const ws_pairhmm_seg *g = trie.seg;
            while (!(g->begin <= c && c < g->end)) g++;
            c = c == g->begin ? g->pred : c - 1;
        }
        bad += c != 0;
    }
    columns = trie.ncol - 1;
    tap_ok(t, trie.nhap == N && bad == 0 && columns == 10, "seven haplotypes of 27 letters as a trie of %zu columns",
           columns);
    sample_must(ws_pairhmm_trie_make(&trie, hap, list, N, 1, 4, &err), &err);
    tap_ok(t, trie.nhap == 2, "a trie of few columns takes %zu haplotypes", trie.nhap);
    ws_pairhmm_trie_release(&trie);
}

/* ---- blocks and portions ---- */

static int as_matrix(ws_buf *out, const char *path, uint64_t block, double cells) {
    const ws_pairhmm_style style = {.matrix = 1, .decimals = 6};
    ws_pairhmm_input *in;
    ws_pairhmm_block p = {0};
    ws_outtext text = {0};
    ws_err err = {0};
    int blocks = 0, rc;
    sample_must(ws_pairhmm_input_open(&in, &path, 1, WS_PAIRHMM_NONE, block, cells, &err), &err);
    while ((rc = ws_pairhmm_input_fill(in, &p, &err)) == WS_OK) {
        run r = {0};
        blocks++;
        sample_must(ws_pairhmm_parse_batches(&r.text, p.text.p, p.text.n, &p.at, &err), &err);
        run_score(&r, body[nbody - 1], 0, 1);
        sample_must(ws_pairhmm_write(&style, p.format, p.at.number, &r.text, r.result, &text, &err), &err);
        run_release(&r);
    }
    if (rc != WS_EOF) sample_must(rc, &err);
    ws_pairhmm_input_close(in);
    ws_buf_release(&p.text);
    *out = text.text;
    return blocks;
}

static void test_parts(tap *t, sample *r) {
    char path[] = "/tmp/pairhmm-test-XXXXXX";
    ws_buf text = {0}, whole, cut;
    const int fd = mkstemp(path);
    random_region(r, &text, 5, 3, 20, 50, 0);
    random_region(r, &text, 300, 4, 30, 60, 0);
    random_region(r, &text, 0, 4, 30, 60, 0);
    random_region(r, &text, 3, 0, 30, 60, 0);
    random_region(r, &text, 500, 5, 30, 60, 0);
    const int written = fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n;
    close(fd);
    const int one = as_matrix(&whole, path, 1 << 30, 1e18);
    for (int i = 0; i < 3; i++) {
        const int n = as_matrix(&cut, path, i ? 1 << 30 : 1, i < 2 ? 1 : 1e18);
        const int same = whole.n == cut.n && !memcmp(whole.p, cut.p, whole.n);
        tap_ok(t, written && one == 1 && same && (i == 2 ? n == 1 : n >= 10), "the same in %d block and in %d", one, n);
        ws_buf_release(&cut);
    }
    unlink(path);
    ws_buf_release(&whole);
    ws_buf_release(&text);
}

/* ---- the plan for a device: every pair once, in a class with room for it, with its own letters and qualities ---- */

static int plan_is_right(const ws_pairhmm_gpu *g, const ws_pairhmm_text *t, int all_double, size_t *taken) {
#define ROWS_OF(p, k) (p) * (k),
    static const size_t rows[2][WS_PAIRHMM_NCLASS] = {
        {WS_PAIRHMM_ALIKE(ROWS_OF) WS_PAIRHMM_OTHERS(ROWS_OF) SIZE_MAX, SIZE_MAX},
        {WS_PAIRHMM_ALIKE_DOUBLE(ROWS_OF) WS_PAIRHMM_OTHERS_DOUBLE(ROWS_OF) SIZE_MAX, SIZE_MAX}};
    const ws_pairhmm_gpu_list *list = &g->list[all_double];
    uint8_t *seen = calloc(t->npair + 1, 1);
    size_t bad = 0, class = 0, due = 0;
    for (size_t k = 0; k < list->n; k++) {
        const ws_pairhmm_read *r = &t->read[list->pair[k].read];
        const ws_pairhmm_hap *h = &t->hap[list->pair[k].hap];
        const ws_pairhmm_gpu_read *to = &g->read[list->pair[k].read];
        const uint8_t *gap = g->gap + 3 * (size_t)to->gap;
        const size_t m = (r->m + 3u) / 4 * 4;
        while (k >= list->first[class + 1]) class++;
        bad += r->m > rows[all_double][class] || to->m != r->m || g->hap[list->pair[k].hap].n != h->n ||
               seen[list->result[k]]++;
        bad += memcmp(g->letter + to->at, r->base, r->m) || memcmp(g->quality + to->at, r->q, r->m);
        bad += memcmp(g->letter + g->hap[list->pair[k].hap].at, h->base, h->n) != 0;
        if (to->unalike)
            bad += memcmp(gap, r->ins, r->m) || memcmp(gap + m, r->del, r->m) || memcmp(gap + 2 * m, r->gcp, r->m);
        for (size_t i = 0; i < r->m && !to->unalike; i++)
            bad += r->ins[i] != to->ins || r->del[i] != to->del || r->gcp[i] != to->gcp;
    }
    for (size_t k = 0; k < t->nregion; k++)
        for (size_t i = 0; i < t->region[k].R; i++)
            for (size_t j = 0; j < t->region[k].H; j++) {
                const int takes = g->takes[t->region[k].read + i];
                bad += seen[t->region[k].pair + i * t->region[k].H + j] != takes;
                due += (size_t)takes;
            }
    *taken = due;
    free(seen);
    return bad == 0 && due == list->n && g->list[!all_double].n == 0;
}

static void test_device_plan(tap *t, sample *r) {
    ws_pairhmm_gpu g = {0};
    for (int k = 0; k < 8; k++) {
        ws_buf text = {0};
        ws_pairhmm_text parsed = {0};
        ws_err err = {0};
        size_t taken;
        for (int i = 0; i < 20; i++)
            random_region(r, &text, (size_t)sample_below(r, 30), (size_t)sample_below(r, 6), k ? 30u << k : 3,
                          50u << k % 5, i % 3 == 0);
        sample_must(ws_buf_adds(&text, "1 1\nACGT IIII NNNN NNNN ++++\nACRT\n", &err), &err); /* for the host only */
        sample_must(parse(&parsed, text.p, text.n, &err), &err);
        sample_must(ws_pairhmm_gpu_plan(&g, &parsed, k % 2, &err), &err);
        const int right = plan_is_right(&g, &parsed, k % 2, &taken);
        tap_ok(t, right && taken > 0 && taken + 1 == parsed.npair, "the plan for a device: %zu of %zu pairs", taken,
               parsed.npair);
        ws_pairhmm_text_release(&parsed);
        ws_buf_release(&text);
    }
    ws_pairhmm_gpu_release(&g);
}

/* ---- damage: the regions before the fault equal those of the undamaged text, and nothing crashes ---- */

static size_t like(const ws_pairhmm_text *a, const ws_pairhmm_text *b) {
    size_t i = 0;
    for (; i < a->nregion && i < b->nregion; i++)
        if (a->region[i].R != b->region[i].R || a->region[i].H != b->region[i].H) break;
    return i;
}

static void test_damage(tap *t, sample *r, const char *name) {
    size_t n, bad = 0, refused = 0, tries = 3000;
    char *text = slurp("tests/data/pairhmm/formats", name, &n);
    ws_pairhmm_text whole = {0}, got = {0};
    ws_err err = {0};
    if (!text) return;
    const int batches = text[0] != '#';
    sample_must(parse(&whole, text, n, &err), &err);
    for (size_t i = 0; i < tries; i++) {
        const size_t cut = i < n ? i : n, keep = i < n ? cut : (size_t)sample_below(r, (int)n);
        char *copy = malloc(n + 1); /* exactly as long, so that a sanitizer reports any byte read beyond */
        memcpy(copy, text, n);
        if (i >= n)
            for (int k = sample_below(r, 3) + 1; k; k--) copy[sample_below(r, (int)n)] = (char)sample_below(r, 256);
        char *exact = malloc(ws_max(keep, 1));
        memcpy(exact, copy, keep);
        ws_pairhmm_text_reset(&got);
        const int rc = i < n ? (keep ? parse(&got, exact, keep, &err) : WS_OK) : parse(&got, copy, n, &err);
        refused += rc != WS_OK;
        bad += rc != WS_OK && rc != WS_EDATA;
        bad += rc != WS_OK && !strstr(err.text, "test: line ");
        /* after a cut: only whole regions, each equal to the original */
        if (i < n && batches) bad += like(&got, &whole) != got.nregion;
        free(copy);
        free(exact);
    }
    tap_ok(t, !bad && refused > tries / 4, "%s cut everywhere and damaged %zu times: %zu refused", name, tries,
           refused);
    ws_pairhmm_text_release(&whole);
    ws_pairhmm_text_release(&got);
    ws_free(text);
}

int main(void) {
    const char *given = getenv("WARPSIEVE_SEED");
    tap t = {0};
    sample r = {given ? strtoull(given, NULL, 0) : 20251121};
    tap_note("seed %llu", (unsigned long long)r.state);
    find_bodies(&t);
    test_worked(&t);
    test_trie(&t);
    test_random(&t, &r);
    test_parts(&t, &r);
    test_device_plan(&t, &r);
    test_damage(&t, &r, "small.in");
    test_damage(&t, &r, "small.results.txt");
    test_golden(&t);
    return tap_end(&t);
}
