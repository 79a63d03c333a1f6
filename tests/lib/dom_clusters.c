/* SPDX-License-Identifier: MIT
 * Clusters of sampled segments by hand (domains.md, section 8.5): their ends, and which of two that cover each other
 * goes; and labels of repeats in all widths, beside those of the definition. */
#include "kernels/dom/ref.h"
#include "tests/lib/worked.h"

/* A cluster whose members begin at so many places that none has a share of 2 %: the most frequent place counts, not the
 * first. */
static void test_scattered(tap *tp) {
    ws_err err = {0};
    const ws_dom_options options = {.seed = 42};
    ws_dom_segment segment[WS_DOM_TRACES];
    ws_dom_cluster *cluster;
    ws_dom_worker *w;
    uint32_t n, components;
    const ws_dom_sample s = {.segment = segment, .n = WS_DOM_TRACES};
    sample_must(ws_dom_worker_create(&w, &ws_dom_scalar, &options, &err), &err);
    for (uint32_t v = 0; v < WS_DOM_TRACES; v++)
        segment[v] = (ws_dom_segment){
            .trace = v, .i = v == 0 ? 130 : 100 + v % (WS_DOM_TRACES / 2), .j = 1200, .k = 10, .m = 60};
    sample_must(ws_dom_cluster_segments(w, &s, 1200, 60, &cluster, &n, &components, &err), &err);
    tap_ok(tp,
           n == 1 && components == 1 && cluster->i == 130 && cluster->j == 1200 && cluster->k == 10 && cluster->m == 60,
           "a cluster without a frequent begin takes the most frequent one");
    ws_free(cluster);
    ws_dom_worker_destroy(w);
}

/* Checks two clusters that cover each other, by other nodes: the less frequent one goes, the earlier one of equal ones.
 * */
static void test_ties(tap *tp) {
    ws_err err = {0};
    const ws_dom_options options = {.seed = 42};
    ws_dom_segment segment[2 * WS_DOM_TRACES];
    ws_dom_worker *w;
    sample_must(ws_dom_worker_create(&w, &ws_dom_scalar, &options, &err), &err);
    for (uint32_t fewer = 0; fewer < 3; fewer++) { /* 0: equal; 1: the first is less frequent; 2: the second is */
        ws_dom_sample s = {.segment = segment, .n = 0};
        ws_dom_cluster *cluster;
        uint32_t n, components;
        for (uint32_t v = 0; v < WS_DOM_TRACES; v++) {
            if (fewer != 1 || v > 9) segment[s.n++] = (ws_dom_segment){.trace = v, .i = 100, .j = 200, .k = 1, .m = 20};
            if (fewer != 2 || v > 9)
                segment[s.n++] = (ws_dom_segment){.trace = v, .i = 105, .j = 200, .k = 40, .m = 60};
        }
        sample_must(ws_dom_cluster_segments(w, &s, 1200, 60, &cluster, &n, &components, &err), &err);
        tap_ok(tp, n == 2 && components == 2 && cluster[0].i == 100 && cluster[1].i == 105 &&
               cluster[0].removed == (fewer != 2) && cluster[1].removed == (fewer == 2),
               "clusters of %.3f and %.3f of the traces", (double)cluster[0].posterior, (double)cluster[1].posterior);
        ws_free(cluster);
    }
    ws_dom_worker_destroy(w);
}

/* Checks the best domain of a target: the one with the most bits, of equal ones the first. */
static void test_best(tap *tp) {
    static const float nats[][3] = {{5, 9, 9}, {9, 9, 5}, {9, 5, 9}, {5, 5, 9}};
    static const uint32_t want[] = {1, 0, 0, 2};
    const ws_dom_tables t = {.tau = -4, .lambda = 0.7f};
    const ws_dom_options options = {.nonull2 = 1};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        ws_err err = {0};
        ws_dom_envelope env[3];
        ws_dom_region region = {.from = 1, .to = 300, .env = env, .nenv = 3};
        ws_dom_pair pair = {.L = 300, .region = &region, .nregion = 1, .hit = {.L = 300, .fwd_nats = 12}};
        for (uint32_t d = 0; d < 3; d++)
            env[d] = (ws_dom_envelope){
                .scored = 1, .domain = {.env_from = 100 * d + 1, .env_to = 100 * d + 80, .env_nats = nats[k][d]}};
        sample_must(ws_dom_finish(&t, &options, &pair, &err), &err);
        tap_ok(tp, pair.hit.n == 3 && pair.hit.best == want[k], "domains of %g, %g and %g nats: the best is %u",
               (double)nats[k][0], (double)nats[k][1], (double)nats[k][2], pair.hit.best);
        ws_dom_result_release(&pair.hit);
    }
}

/* Makes segments of some repeats. Their ends drift from trace to trace, so some of a repeat link by others alone. One
 * segment in `sparse` is there. front: residues before the first repeat. A repeat has one of so many
 * phases in the model. */
static size_t make_repeats(sample *r, ws_dom_segment *to, uint32_t repeats, uint32_t apart, int drift, int sparse,
                           uint32_t front, int phases) {
    size_t n = 0;
    for (uint32_t trace = 0; trace < WS_DOM_TRACES; trace++)
        for (uint32_t k = 0; k < repeats; k++) {
            const uint32_t by = (uint32_t)sample_below(r, drift + 1), cut = (uint32_t)sample_below(r, drift + 1);
            if (sample_below(r, sparse)) continue;
            const uint32_t i = front + k * apart;
            const uint32_t node = 60 * (uint32_t)sample_below(r, phases);
            to[n++] = (ws_dom_segment){trace, i + 1 + by, i + 60 - cut, node + 1 + by / 2, node + 60 - cut / 2};
        }
    return n;
}

/* Returns whether workers of two widths find the same clusters. */
static int same_clusters(ws_dom_worker *a, ws_dom_worker *b, const ws_dom_sample *s, uint32_t rows, uint32_t nodes) {
    ws_err err = {0};
    ws_dom_cluster *x, *y;
    uint32_t nx, ny, cx, cy;
    sample_must(ws_dom_cluster_segments(a, s, rows, nodes, &x, &nx, &cx, &err), &err);
    sample_must(ws_dom_cluster_segments(b, s, rows, nodes, &y, &ny, &cy, &err), &err);
    const int same = nx == ny && cx == cy && (nx == 0 || memcmp(x, y, nx * sizeof *x) == 0);
    ws_free(x);
    ws_free(y);
    return same;
}

/* Compares the labels of a width with the definition's, once they are numbered, and the clusters. Repeats are nested in
 * one another, beside one another, or apart. Some lie so far behind that 16 bits do not hold their places. Where they
 * have phases, clusters begin together, so that their numbers decide about their order. */
static void test_labels(tap *tp, sample *r, const ws_dom_backend *be) {
    enum { CASES = 240, REPEATS = 24, PHASES = 3, MOST = REPEATS * WS_DOM_TRACES };
    static ws_dom_segment segment[MOST];
    static uint32_t want[MOST], got[MOST];
    const ws_dom_options options = {.seed = 42};
    ws_dom_worker *by_definition, *w;
    ws_err err = {0};
    int bad = 0, other = 0;
    sample_must(ws_dom_worker_create(&by_definition, &ws_dom_scalar, &options, &err), &err);
    sample_must(ws_dom_worker_create(&w, be, &options, &err), &err);
    for (uint32_t k = 0; k < CASES; k++) {
        const uint32_t repeats = 1 + k % REPEATS, apart = 10 + 40 * (k % 3), front = k % 5 == 4 ? 70000 : 0,
                       rows = front + repeats * apart + 60;
        const int phases = k / REPEATS % 2 ? PHASES : 1;
        const size_t n = make_repeats(r, segment, repeats, apart, 2 + (int)k % 19, 1 << k % 8, front, phases);
        const ws_dom_sample s = {.segment = segment, .n = n};
        uint32_t nwant, ngot;
        sample_must(ws_dom_ref_label(by_definition, &s, rows, want, &nwant, &err), &err);
        sample_must(be->label(w, &s, rows, got, &ngot, &err), &err);
        sample_must(ws_dom_number_clusters(w, &s, got, ngot, &err), &err);
        bad += nwant != ngot || memcmp(want, got, n * sizeof *want) != 0;
        other += !same_clusters(by_definition, w, &s, rows, 60 * PHASES);
    }
    tap_ok(tp, !bad, "%s: labels of %d ensembles of repeats: %d differ from the definition's", be->name, CASES, bad);
    tap_ok(tp, !other, "%s: clusters of %d ensembles of repeats: %d differ from the definition's", be->name, CASES,
           other);
    ws_dom_worker_destroy(by_definition);
    ws_dom_worker_destroy(w);
}

static void test_widths(tap *tp) {
    static const ws_dom_backend *const all[] = {WS_BY_WIDTH(ws_dom_)};
    ws_cpu cpu;
    sample r = worked_seed();
    ws_cpu_probe(&cpu);
    for (int w = WS_WIDTH_scalar - 1; w >= 0; w--) {
        if (!cpu.why_not[w]) test_labels(tp, &r, all[w]);
        else tap_skip(tp, all[w]->name, cpu.why_not[w]);
    }
}

int main(void) {
    tap t = {0};
    test_scattered(&t);
    test_ties(&t);
    test_widths(&t);
    test_best(&t);
    return tap_end(&t);
}
