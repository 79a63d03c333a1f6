/* SPDX-License-Identifier: MIT
 * pairhmm's "cuda" backend against the vector units of the host, pair by pair to the last bit: read lengths around the
 * ends of all classes and of the strips of long reads, haplotype lengths around words, chunks and warps, gap qualities
 * alike, alike and low, and of every row its own.
 *
 *   pairhmm [-m MOST]     MOST: leave out reads and haplotypes that are longer (for the sanitizer)
 *
 * Without a device all is skipped, with WARPSIEVE_REQUIRE_GPU=1 all fails. */
#include "kernels/pairhmm/gpu.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

static const int lengths[] = {1, 2, 3, 4, 5, 15, 31, 32, 33, 64, 65, 127, 128, 300, 1023, 1024, 3001};
enum { KINDS = 3, LENGTHS = sizeof lengths / sizeof lengths[0] };

static int most = 1 << 20;

static char letter(sample *r) { return "ACGTACGTACGTACGTacgtNR"[sample_below(r, 22)]; }

static void add_text(ws_buf *text, const char *p, size_t n) {
    ws_err err = {0};
    sample_must(ws_buf_add(text, p, n, &err), &err);
}

static void add_quality(ws_buf *text, sample *r, int m, int alike, int low, int high) {
    const char same = (char)(33 + low + sample_below(r, high - low));
    add_text(text, " ", 1);
    for (int i = 0; i < m; i++) {
        const char own = (char)(33 + low + sample_below(r, high - low));
        add_text(text, alike ? &same : &own, 1);
    }
}

/* A read that is a copy of a window with errors. */
static void add_read(ws_buf *text, sample *r, int m, int kind, const char *window) {
    const int low = kind == 1 ? 0 : 10;
    for (int i = 0; i < m; i++) {
        const char other = letter(r);
        add_text(text, sample_below(r, 30) ? &window[i] : &other, 1);
    }
    add_quality(text, r, m, 0, 2, 42);
    add_quality(text, r, m, kind < 2, low, 46);
    add_quality(text, r, m, kind < 2, low, 46);
    add_quality(text, r, m, kind < 2, 5, 20);
    add_text(text, "\n", 1);
}

/* One region: reads of m bases in all kinds of gap qualities, haplotypes of all lengths. */
static void make_region(ws_buf *text, sample *r, int m) {
    enum { WINDOW = 8192 };
    char window[WINDOW], head[32];
    int haps = 0;
    text->n = 0;
    for (int i = 0; i < WINDOW; i++) window[i] = "ACGT"[sample_below(r, 4)];
    for (int k = 0; k < LENGTHS; k++) haps += lengths[k] <= most;
    add_text(text, head, (size_t)snprintf(head, sizeof head, "%d %d\n", 2 * KINDS, haps));
    for (int k = 0; k < 2 * KINDS; k++) add_read(text, r, m, k % KINDS, window + sample_below(r, 200));
    for (int k = 0; k < LENGTHS; k++) {
        if (lengths[k] > most) continue;
        add_text(text, window + sample_below(r, 50), (size_t)lengths[k]);
        add_text(text, "\n", 1);
    }
}

static void score(const ws_pairhmm_body *b, const ws_pairhmm_body *host, int all_double, const ws_pairhmm_text *t,
                  ws_pairhmm_result *result) {
    ws_pairhmm_conf conf = {.share = 1, .host = host, .all_double = all_double};
    ws_pairhmm_counts count = {0};
    ws_pairhmm_work *w;
    ws_buf room = {0};
    ws_err err = {0};
    ws_pairhmm_quals_make(&conf.quals);
    sample_must(ws_pairhmm_work_create(&w, &err), &err);
    sample_must(ws_pairhmm_score(&conf, b, t, w, &room, result, &count, &err), &err);
    ws_pairhmm_work_destroy(w);
    ws_buf_release(&room);
}

static void test_length(tap *t, sample *r, int m, const ws_pairhmm_body *host, int all_double) {
    const ws_pairhmm_origin at = {.name = "random", .line = 1};
    ws_buf text = {0};
    ws_pairhmm_text parsed = {0};
    ws_err err = {0};
    int differ = 0, count[3] = {0};
    make_region(&text, r, m);
    sample_must(ws_pairhmm_parse_batches(&parsed, text.p, text.n, &at, &err), &err);
    ws_pairhmm_result *want = ws_calloc(parsed.npair, sizeof *want, &err),
                      *got = ws_calloc(parsed.npair, sizeof *got, &err);
    if (!want || !got) sample_must(WS_ENOMEM, &err);
    score(host, host, all_double, &parsed, want);
    score(&ws_pairhmm_cuda, host, all_double, &parsed, got);
    for (size_t k = 0; k < parsed.npair; k++) {
        differ += got[k].precision != want[k].precision || memcmp(&got[k].log10, &want[k].log10, sizeof got[k].log10);
        count[got[k].precision]++;
    }
    tap_ok(t, !differ, "reads of %d: %d pairs in single precision, %d in double, %d scaled; %d differ", m, count[0],
           count[1], count[2], differ);
    ws_free(want);
    ws_free(got);
    ws_buf_release(&text);
    ws_pairhmm_text_release(&parsed);
}

int main(int argc, char **argv) {
#define ENDS(p, k) (p) * (k),
    static const int end[] = {0, WS_PAIRHMM_ALIKE(ENDS) WS_PAIRHMM_OTHERS(ENDS)                    /* single */
                              WS_PAIRHMM_ALIKE_DOUBLE(ENDS) WS_PAIRHMM_OTHERS_DOUBLE(ENDS)          /* double */
                              896, 1280, 1792, 2688, 1920, 3000};                                   /* strips */
    tap t = {0};
    sample r = {20241117};
    ws_err err = {0};
    ws_cpu cpu;
    const char *why = NULL, *require = getenv("WARPSIEVE_REQUIRE_GPU");
    if (argc > 2) most = atoi(argv[2]);
    ws_cpu_probe(&cpu);
    if (!ws_dev_usable(NULL, &why)) {
        if (require && !strcmp(require, "1")) tap_ok(&t, 0, "a device: %s", why);
        else tap_skip(&t, "pairhmm on a device", why);
        return tap_end(&t);
    }
    static const ws_pairhmm_body *const by_width[] = {WS_BY_WIDTH(ws_pairhmm_)};
    const ws_pairhmm_body *host = by_width[ws_cpu_best(&cpu)];
    sample_must(ws_dev_start(NULL, 0, &err), &err);
    for (size_t k = 0; k < sizeof end / sizeof *end; k++)
        for (int m1 = end[k] - 1; m1 <= end[k] + 1; m1++)
            for (int all_double = 0; all_double < 2 && m1 > 0 && m1 <= most; all_double++)
                test_length(&t, &r, m1, host, all_double);
    ws_dev_stop();
    return tap_end(&t);
}
