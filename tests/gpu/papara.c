/* SPDX-License-Identifier: MIT
 * papara-score's "cuda" backend against scalar, record by record: random references and reads, corner sizes, both
 * strands, reads that the device leaves to the host, lists of items.
 *
 *   papara [-m MOST]     MOST: leave out what is larger (for the sanitizer)
 *
 * Without a device all is skipped, with WARPSIEVE_REQUIRE_GPU=1 all fails. */
#include "kernels/papara/papara.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

static const int edges[] = {1, 2, 3, 63, 64, 65, 130, 401}, sites[] = {1, 2, 15, 16, 17, 33, 100, 1500};
static const int lengths[] = {0,   1,   2,   15,  16,  17,  31,  32,  33,  63,  64,  65,  95,  96,  97,  111,  112, 113,
                              127, 128, 129, 143, 144, 145, 159, 160, 161, 192, 193, 256, 257, 320, 321, 512, 513, 700};
enum { NLENGTH = sizeof lengths / sizeof lengths[0] };

static void random_ref(ws_papara_ref *ref, sample *r, size_t nedge, size_t nsite) {
    ws_err err = {0};
    memset(ref, 0, sizeof *ref);
    ws_papara_letters_set(&ref->letters, 0, 0);
    ref->edges = (ws_papara_edges){.nstate = 4, .nedge = nedge, .ngroup = (nedge + 63) / 64, .sites = nsite};
    ref->edges.bit = ws_calloc(ref->edges.ngroup * nsite * 5, sizeof *ref->edges.bit, &err);
    sample_must(ref->edges.bit ? WS_OK : WS_ENOMEM, &err);
    for (size_t k = 0; k < nedge; k++)
        for (size_t i = 0; i < nsite; i++) {
            uint64_t *w = ref->edges.bit + (k / 64 * nsite + i) * 5, bit = UINT64_C(1) << k % 64;
            w[sample_below(r, 10) ? (i * i * 7 + i / 3) % 4 : (size_t)sample_below(r, 4)] |= bit;
            if (sample_below(r, 10) == 0) w[sample_below(r, 4)] |= bit;
            if (sample_below(r, 4) == 0) w[4] |= bit;
        }
}

/* Reads like the reference with errors; some have codes that only the host knows. */
static void make_batch(sample_batch *s, sample *r, int nsite, int most) {
    for (int k = 0; k < 2 * NLENGTH; k++) {
        const int L = lengths[k % NLENGTH];
        if (L > most) continue;
        uint8_t *x = sample_add(s, (size_t)L);
        const size_t from = (size_t)sample_below(r, nsite);
        for (size_t j = 0; j < (size_t)L; j++) {
            const size_t i = from + j;
            x[j] = (uint8_t)(sample_below(r, 15) ? (i * i * 7 + i / 3) % 4 : (size_t)sample_below(r, 4));
            if (k % 7 == 0 && sample_below(r, 30) == 0) x[j] = (uint8_t)sample_below(r, 16);
        }
    }
    sample_ready(s);
}

static int same(const ws_papara_score *a, const ws_papara_score *b) {
    int ok = a->len == b->len && a->tied == b->tied && a->reverse == b->reverse;
    if (a->tied == 0) return ok;
    for (int k = 0; k < (int)ws_min(a->tied, WS_PAPARA_TOP); k++)
        ok = ok && a->edge[k] == b->edge[k] && a->cost[k] == b->cost[k];
    if (a->ntop > 1) ok = ok && b->ntop > 1 && a->edge[1] == b->edge[1] && a->cost[1] == b->cost[1];
    return ok;
}

static int differences(ws_papara_ref *ref, sample_batch *s, sample *r, int list) {
    static const ws_backend *const backends[] = {&ws_papara_scalar, &ws_papara_cuda};
    const ws_target target = {.name = "random", .data = ref};
    ws_err err = {0};
    ws_papara_score *score[2];
    uint32_t *item = ws_calloc(s->b.n, sizeof *item, &err);
    int differ = 0;
    for (size_t i = 0; i < s->b.n; i++) item[i] = (uint32_t)sample_below(r, (int)s->b.n);
    for (int b = 0; b < 2; b++) {
        void *prep = NULL;
        score[b] = ws_calloc(s->b.n, sizeof *score[b], &err);
        ws_task task = {.n = s->b.n, .item = list ? item : NULL, .score = score[b]};
        sample_must(backends[b]->prepare(backends[b], &target, &prep, &err), &err);
        task.prep = prep;
        sample_must(backends[b]->score(&s->seqs, &task, 1, &s->scratch, &err), &err);
        backends[b]->release(prep);
    }
    for (size_t i = 0; i < s->b.n; i++) differ += !same(&score[0][i], &score[1][i]);
    ws_free(score[0]);
    ws_free(score[1]);
    ws_free(item);
    return differ;
}

static void test_size(tap *t, sample *r, int nedge, int nsite, int most) {
    static const int par[][4] = {{-3, -1, 2, -3}, {-7, -2, 5, 0}, {0, 0, 0, 0}, {-300, -40, 90, -500}};
    int differ = 0, n = 0;
    for (int k = 0; k < 5; k++) {
        ws_papara_ref ref;
        sample_batch s = {0};
        random_ref(&ref, r, (size_t)nedge, (size_t)nsite);
        ref.scheme = k < 4 ? ws_papara_scheme_of(WS_PAPARA_2, par[k][0], par[k][1], par[k][2], par[k][3])
                           : ws_papara_scheme_of(WS_PAPARA_EQ1, 0, 0, 0, 0);
        ref.both_strands = k == 1;
        make_batch(&s, r, nsite, most);
        differ += differences(&ref, &s, r, k == 2);
        n += (int)s.b.n;
        sample_batch_release(&s);
        ws_papara_edges_release(&ref.edges);
    }
    tap_ok(t, differ == 0, "%d edges, %d sites: %d reads as scalar", nedge, nsite, n);
}

int main(int argc, char **argv) {
    tap t = {0};
    sample r = {20120911};
    ws_err err = {0};
    ws_machine m = {0};
    const ws_devconf conf = {0};
    const char *why = NULL, *require = getenv("WARPSIEVE_REQUIRE_GPU");
    const int most = argc > 2 ? atoi(argv[2]) : 1 << 20;
    ws_cpu_probe(&m.cpu);
    if (!ws_papara_cuda.usable(&m, &why)) {
        if (require && !strcmp(require, "1")) tap_ok(&t, 0, "a device: %s", why);
        else tap_skip(&t, "papara-score on a device", why);
        return tap_end(&t);
    }
    sample_must(ws_papara_cuda.start(&conf, &err), &err);
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
        for (size_t i = 0; i < sizeof sites / sizeof *sites; i++)
            if (edges[e] <= most && sites[i] <= most && edges[e] * sites[i] <= 65 * 1500)
                test_size(&t, &r, edges[e], sites[i], most);
    ws_papara_cuda.stop();
    return tap_end(&t);
}
