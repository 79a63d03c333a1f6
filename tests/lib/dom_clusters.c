/* SPDX-License-Identifier: MIT
 * Clusters of sampled segments by hand (domains.md, section 8.5): their ends, and which of two that cover each other
 * goes. */
#include "kernels/dom/ref.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

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

int main(void) {
    tap t = {0};
    test_scattered(&t);
    test_ties(&t);
    return tap_end(&t);
}
