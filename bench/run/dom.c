/* SPDX-License-Identifier: MIT
 * Speed of the domain stage on a device: targets, envelopes and ensembles of one model a row, best of several passes.
 *
 *     make build/bench/run/dom && build/bench/run/dom [-p passes] [-c million cells] [-M size,...] [-S bytes,...]
 *         [-W places,...] [-G places,...]
 *
 * Random models, and targets that these emit. -S: most bytes of a warp's rows in shared memory. -W: least places of
 * a lane, M / 4, for which a warp computes one problem; -G: a gang of warps. Seconds are the
 * device's own, around the kernels, and those of the whole call; cells are nodes times rows, counted once for all
 * recurrences. The processor's are of one thread, of the best vector width, with a thirtieth of the targets. */
#include "kernels/dom/device.h"
#include "kernels/dom/kernel.h"
#include "kernels/dom/launches.h"
#include "lib/dev/device.h"
#include "tests/lib/sample.h"

#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct work {
    ws_hmm hmm;
    ws_dom_tables *t;
    uint8_t *x;
    ws_lenmodel lm;
    ws_dom_pair *pair;
    ws_dom_envelope *env;
    ws_dom_region *region;
    ws_dom_load *load;
    size_t n;
} work;
enum { TARGETS, ENVELOPES, ENSEMBLES, STEPS };

/* Targets of M residues and a sixteenth more, each from another place of one long homolog. */
static void make(work *w, int M, double cells) {
    sample r = {(uint64_t)M};
    ws_profile p;
    ws_err err = {0};
    const uint32_t L = (uint32_t)(M + M / 16 + 1);
    *w = (work){.n = (size_t)(cells / M / L) + 1};
    sample_model(&w->hmm, &r, M, 0);
    sample_must(ws_profile_create(&p, &w->hmm, &err), &err);
    sample_must(ws_dom_tables_create(&w->t, &p, -4.0f, 0.7f, &err), &err);
    ws_profile_destroy(&p);
    w->x = ws_calloc(64 * (size_t)L + L, 1, &err);
    sample_homolog(&r, &w->hmm, w->x, 65 * (size_t)L);
    ws_lenmodel_set(&w->lm, L);
    w->pair = ws_calloc(w->n, sizeof *w->pair, &err);
    w->env = ws_calloc(w->n, sizeof *w->env, &err);
    w->region = ws_calloc(w->n, sizeof *w->region, &err);
    w->load = ws_calloc(w->n, sizeof *w->load, &err);
    if (!w->x || !w->pair || !w->env || !w->region || !w->load) sample_must(WS_ENOMEM, &err);
}

static void begin(work *w, int step) {
    ws_err err = {0};
    for (size_t i = 0; i < w->n; i++) {
        ws_dom_pair_begin(&w->pair[i], w->x + i % (64 * (size_t)w->lm.L), &w->lm);
        w->env[i] = (ws_dom_envelope){.from = 1, .to = w->lm.L};
        w->region[i] = (ws_dom_region){.from = 1, .to = w->lm.L, .multi = 1, .begins = 2};
        w->load[i] = (ws_dom_load){.t = w->t, .span = {.pair = &w->pair[i]}};
        if (step == ENVELOPES) w->load[i].span.env = &w->env[i];
        if (step == ENSEMBLES) w->load[i].span.region = &w->region[i];
        if (step == TARGETS) continue;
        if (!(w->pair[i].n2 = ws_calloc((size_t)w->lm.L + 1, sizeof(float), &err))) sample_must(1, &err);
    }
}

static void end(work *w) {
    for (size_t i = 0; i < w->n; i++) {
        ws_free(w->env[i].domain.column);
        ws_free(w->region[i].cluster);
        ws_free(w->region[i].env);
        ws_free(w->region[i].sampled);
        ws_dom_pair_release(&w->pair[i]);
    }
}

/* Prints 10^9 cells a second of one step: kernels, whole call, one thread of the processor. */
static void measure(work *w, ws_dom_worker *cpu, int step, long passes) {
    static const char *const name[STEPS] = {"targets", "envelopes", "ensembles"};
    const double cells = (double)w->n * w->lm.L * w->t->M;
    const size_t some = w->n / 30 + 1;
    ws_err err = {0};
    double kernels = 1e9, whole = 1e9, host;
    for (long k = 0; k < passes; k++) {
        begin(w, step);
        const double before = ws_dev_clock().kernels_summed, at = now();
        sample_must(step == TARGETS     ? ws_dom_device_parse(w->load, w->n, &err)
                    : step == ENVELOPES ? ws_dom_device_rescore(w->load, w->n, &err)
                                        : ws_dom_device_resolve(w->load, w->n, &cpu->options, &err),
                    &err);
        whole = fmin(whole, now() - at);
        kernels = fmin(kernels, ws_dev_clock().kernels_summed - before);
        end(w);
    }
    begin(w, step);
    host = now();
    for (size_t i = 0; i < some; i += 16) {
        ws_dom_pair *list[16];
        ws_dom_span span[16];
        const size_t n = ws_min(16, some - i);
        for (size_t j = 0; j < n; j++) list[j] = &w->pair[i + j], span[j] = w->load[i + j].span;
        sample_must(step == TARGETS     ? ws_dom_parse(w->t, cpu, list, n, &err)
                    : step == ENVELOPES ? ws_dom_rescore(w->t, cpu, span, n, &err)
                                        : ws_dom_resolve(w->t, cpu, span, n, &err),
                    &err);
    }
    host = now() - host;
    end(w);
    printf("%s\t%d\t%zu\t%zu\t%d\t%d\t%.1f\t%.1f\t%.2f\n", name[step], w->t->M, w->n,
           ws_dom_shared_most, ws_dom_wide_least, ws_dom_gang_least, 1e-9 * cells / kernels, 1e-9 * cells / whole,
           1e-9 * cells * (double)some / (double)w->n / host);
    fflush(stdout);
}

static const char *after_comma(const char *list) {
    const char *comma = strchr(list, ',');
    return comma ? comma + 1 : NULL;
}

int main(int argc, char **argv) {
    const char *sizes = "50,100,200,260,400,800,1092", *shared = "32768", *wide = "33", *gang = "300";
    double cells = 4e9;
    long passes = 3;
    const ws_dom_options options = {.seed = 42};
    ws_err err = {0};
    ws_cpu cpu;
    ws_dom_worker *host;
    for (int o; (o = getopt(argc, argv, "p:c:M:S:W:G:")) != -1;) {
        if (o == 'p') passes = atol(optarg);
        else if (o == 'c') cells = 1e6 * atof(optarg);
        else if (o == 'M') sizes = optarg;
        else if (o == 'S') shared = optarg;
        else if (o == 'W') wide = optarg;
        else if (o == 'G') gang = optarg;
        else return 2;
    }
    ws_cpu_probe(&cpu);
    sample_must(ws_dom_worker_create(&host, ws_dom_backend_best(&cpu), &options, &err), &err);
    sample_must(ws_dev_start(NULL, 0, &err), &err);
    printf("#step\tM\tn\tshared\twide\tgang\tkernels\tcall\tcpu\n");
    for (const char *m = sizes; m; m = after_comma(m)) {
        work w;
        make(&w, atoi(m), cells);
        for (const char *s = shared; s; s = after_comma(s))
            for (const char *k = wide; k; k = after_comma(k))
                for (const char *g = gang; g; g = after_comma(g)) {
                    ws_dom_shared_most = strtoull(s, NULL, 10);
                    ws_dom_wide_least = atoi(k);
                    ws_dom_gang_least = atoi(g);
                    for (int step = 0; step < STEPS; step++) measure(&w, host, step, passes);
                }
        ws_dom_tables_destroy(w.t);
        sample_model_release(&w.hmm);
        ws_free(w.x);
        ws_free(w.pair);
        ws_free(w.env);
        ws_free(w.region);
        ws_free(w.load);
    }
    ws_dom_worker_destroy(host);
    ws_dev_stop();
    return 0;
}
