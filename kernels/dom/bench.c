/* SPDX-License-Identifier: MIT
 * The domain stage by itself, on one thread: targets that passed the Forward filter against one model.
 *   build/kernels/dom/bench [-b backend] [-p passes] [-s seed] MODEL FASTA
 * Milliseconds of processor time of the best pass, whole and by step. */
#include "kernels/dom/kernel.h"
#include "lib/hmm/model.h"
#include "lib/compress/source.h"
#include "tests/lib/hmmread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void must(int rc, const ws_err *err) {
    if (!rc) return;
    fprintf(stderr, "bench: %s\n", err->text);
    exit(1);
}

typedef struct targets {
    ws_dom_pair *pair, **list;
    ws_lenmodel *lm;
    uint8_t **x;
    size_t n, cap, lm_cap;
    char *text;
} targets;

/* Reads the targets; codes replace the letters in place. */
static void read_fasta(targets *s, const char *path, const ws_abc *abc) {
    ws_err err = {0};
    size_t n;
    must(ws_source_slurp(path, NULL, &s->text, &n, &err), &err);
    for (char *p = s->text; *p;) {
        uint32_t L = 0;
        must(ws_grow(&s->x, &s->cap, s->n + 1, sizeof *s->x, &err), &err);
        must(ws_grow(&s->lm, &s->lm_cap, s->n + 1, sizeof *s->lm, &err), &err);
        p += strcspn(p, "\n");
        uint8_t *x = s->x[s->n] = (uint8_t *)++p;
        for (; *p && *p != '>'; p++) {
            const uint8_t code = abc->code_of[(unsigned char)*p];
            if (code < abc->Kp) x[L++] = code;
        }
        ws_lenmodel_set(&s->lm[s->n++], L);
    }
    s->pair = ws_calloc(s->n, sizeof *s->pair, &err);
    s->list = ws_calloc(s->n, sizeof *s->list, &err);
}

enum { PARSE, RESOLVE, RESCORE, FINISH, NSTEP };

/* Does one pass, and lists the spans for the middle steps as ws_dom_score does. */
static void pass(const ws_dom_tables *t, ws_dom_worker *w, targets *s, double *took) {
    ws_err err = {0};
    double at = now();
    for (size_t j = 0; j < s->n; j++) {
        s->list[j] = &s->pair[j];
        ws_dom_pair_begin(s->list[j], s->x[j], &s->lm[j]);
    }
    for (int step = 0; step < NSTEP; step++) {
        if (step == PARSE) must(ws_dom_parse(t, w, s->list, s->n, &err), &err);
        else if (step == FINISH)
            for (size_t j = 0; j < s->n; j++) must(ws_dom_finish(t, &w->options, s->list[j], &err), &err);
        else must(ws_dom_for_spans(t, w, s->list, s->n, step == RESCORE, &err), &err);
        took[step] = now() - at;
        at = now();
    }
}

int main(int argc, char **argv) {
    static const ws_dom_backend *const by_width[] = {WS_BY_WIDTH(ws_dom_)};
    const char *want = NULL;
    ws_dom_options options = {.seed = 42};
    ws_hmmset set;
    ws_profile p;
    ws_dom_tables *t;
    ws_dom_worker *w;
    ws_err err = {0};
    ws_cpu cpu;
    targets s = {0};
    long passes = 5;
    double best[NSTEP + 1] = {0};
    for (int o; (o = getopt(argc, argv, "b:p:s:")) != -1;) {
        if (o == 'b') want = optarg;
        else if (o == 'p') passes = atol(optarg);
        else if (o == 's') options.seed = (uint32_t)strtoul(optarg, NULL, 10);
        else return 2;
    }
    if (optind + 2 != argc) return 2;
    ws_cpu_probe(&cpu);
    const ws_dom_backend *be = ws_dom_backend_best(&cpu);
    for (int i = 0; want && i < WS_NWIDTH; i++)
        if (strcmp(want, ws_width_name[i]) == 0) be = by_width[i];
    must(hmm_read(&set, argv[optind], 1, &err), &err);
    must(ws_profile_create(&p, &set.hmm[0], &err), &err);
    must(ws_dom_tables_create(&t, &p, set.hmm[0].evparam[WS_FTAU], set.hmm[0].evparam[WS_FLAMBDA], &err), &err);
    must(ws_dom_worker_create(&w, be, &options, &err), &err);
    read_fasta(&s, argv[optind + 1], set.hmm[0].abc);
    size_t domains = 0, regions = 0, multi = 0, envelopes = 0, rows = 0, region_rows = 0, envelope_rows = 0, draws = 0,
           segments = 0;
    for (long k = 0; k < passes; k++) {
        double took[NSTEP], sum = 0;
        pass(t, w, &s, took);
        for (int step = 0; step < NSTEP; step++) sum += took[step];
        if (k == 0 || sum < best[NSTEP]) {
            memcpy(best, took, sizeof took);
            best[NSTEP] = sum;
        }
        domains = regions = multi = envelopes = 0;
        rows = region_rows = envelope_rows = draws = segments = 0;
        for (size_t j = 0; j < s.n; j++) {
            domains += s.pair[j].hit.n, regions += s.pair[j].hit.regions;
            multi += s.pair[j].hit.ensembles, envelopes += s.pair[j].hit.envelopes, rows += s.pair[j].L;
            for (uint32_t r = 0; r < s.pair[j].nregion; r++) {
                const ws_dom_region *g = &s.pair[j].region[r];
                region_rows += g->multi ? g->to - g->from + 1 : 0;
                draws += g->draws, segments += g->segments;
                for (uint32_t e = 0; e < g->nenv; e++) envelope_rows += g->env[e].to - g->env[e].from + 1;
            }
            ws_dom_pair_release(&s.pair[j]);
        }
    }
    printf("%s\t%s\tM %d\ttargets %zu\tregions %zu\tensembles %zu\tenvelopes %zu\tdomains %zu\tms %.2f\t"
           "parse %.2f\tresolve %.2f\trescore %.2f\trows %zu\tregion_rows %zu\tenvelope_rows %zu\tdraws %zu\tsegments "
           "%zu\n",
           be->name, set.hmm[0].name, set.hmm[0].M, s.n, regions, multi, envelopes, domains, best[NSTEP], best[PARSE],
           best[RESOLVE], best[RESCORE] + best[FINISH], rows, region_rows, envelope_rows, draws, segments);
    return 0;
}
