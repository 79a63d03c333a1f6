/* SPDX-License-Identifier: MIT
 * Opening of a filter: models into targets, options into thresholds, columns. */
#include "lib/cascade/pass.h"

#include "lib/base/each.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- models ---- */

static int make_model(void *cascade, size_t i, ws_err *err) {
    ws_cascade *c = cascade;
    ws_hmm_target *t = &c->model[i];
    t->hmm = &c->set.hmm[i];
    ws_bias_set(&t->bias, t->hmm);
    int rc = ws_profile_create(&t->profile, t->hmm, err);
    ws_hmm_forget(&c->set.hmm[i]);
    return rc;
}

static int make_models(ws_cascade *c, int threads, ws_err *err) {
    c->model = ws_calloc(c->set.n, sizeof *c->model, err);
    return c->model ? ws_each(c->set.n, threads, make_model, c, err) : WS_ENOMEM;
}

/* Cells of a batch at most: so much is less than a second of a device, and the next program of a pipe waits for it. The models of a
 * genome's annotation have 4 M nodes; with a device's usual 4 M residues one batch was all, and one thread wrote 900,000 rows. With
 * 10,000 models on an H200 the chain takes 4.2 s in place of 6.4, and kernels alone are 5 % slower: bench/h200-2026-11-21.md. */
#define BATCH_CELLS 1e12
enum { BATCH_LEAST = 128 << 10 };

static int make_targets(ws_job *job, ws_cascade *c, ws_err *err) {
    char name[64];
    double nodes = 1;
    job->target = ws_calloc(c->set.n, sizeof *job->target, err);
    if (!job->target) return WS_ENOMEM;
    job->ntarget = c->set.n;
    for (size_t i = 0; i < c->set.n; i++) {
        job->target[i] = (ws_target){.name = c->set.hmm[i].name, .qlen = (uint64_t)c->set.hmm[i].M, .data = &c->model[i]};
        nodes += (double)c->set.hmm[i].M;
    }
    job->most_batch = ws_max(BATCH_LEAST, (uint64_t)(BATCH_CELLS / nodes));
    snprintf(name, sizeof name, "%zu_models", c->set.n);
    ws_buf id = {0};
    int rc = ws_buf_addf(&id, err, "%s(xxh3:%016llx)", c->set.n == 1 ? c->set.hmm[0].name : name,
                         (unsigned long long)c->set.xxh3);
    job->model_id = id.p;
    return rc;
}

/* ---- options ---- */

static int thresholds(ws_cascade *c, const ws_job *job, ws_err *err) {
    const ws_cascade_opts *o = c->opts;
    int ncut = o->cut_ga + o->cut_nc + o->cut_tc;
    if (o->evalue_given && !o->z_given)
        return ws_fail(err, WS_EUSAGE, "-E needs -Z: a stream does not know how many sequences the database has");
    if (ncut > 1) return ws_fail(err, WS_EUSAGE, "only one of --cut_ga, --cut_nc and --cut_tc can be asked");
    c->cut = o->cut_ga ? WS_CUT_GA : o->cut_nc ? WS_CUT_NC : o->cut_tc ? WS_CUT_TC : -1;
    c->max_p = o->p_given ? o->p : o->bits_given || o->evalue_given || ncut ? HUGE_VAL : c->stage->default_p;
    int asks_p = c->max_p < 1 || o->evalue_given;
    for (size_t i = 0; i < c->set.n; i++) {
        const ws_hmm *h = &c->set.hmm[i];
        if (c->cut >= 0 && !h->has_cut[c->cut])
            return ws_fail(err, WS_EDATA, "model %s has no %s line, which the cutoff asked for needs", h->name,
                           c->cut == WS_CUT_GA ? "GA" : c->cut == WS_CUT_NC ? "NC" : "TC");
        if (asks_p && !h->calibrated && !job->common.all)
            return ws_fail(err, WS_EDATA,
                           "model %s has no STATS lines, so it has no P-values; use -T BITS or -a, or build it with hmmbuild", h->name);
        c->model[i].gate = ws_gate_make(c, h);
    }
    return WS_OK;
}

static int add_column(ws_job *job, const char *name, ws_coltype type, int if_absent) {
    job->col[job->ncol] = (ws_col){name, type, if_absent};
    return job->ncol++;
}

static void columns(ws_job *job, ws_cascade *c) {
    const ws_stage *s = c->stage;
    c->col_bias = c->col_evalue = -1;
    c->col_bits = add_column(job, s->bits_column, WS_COL_BITS, 0);
    if (s->bias && !c->opts->nobias) c->col_bias = add_column(job, "bias_bits", WS_COL_BITS, !s->bias_column);
    c->col_p = add_column(job, s->p_column, WS_COL_P, 0);
    if (s->evalue) c->col_evalue = add_column(job, "evalue", WS_COL_P, 0);
}

/* The first operand is the model file, the rest are inputs. */
static int operands(ws_job *job, const char **model, ws_err *err) {
    const ws_cmdline *cl = &job->cmdline;
    if (cl->noperand == 0) return ws_fail(err, WS_EUSAGE, "no model file: the first operand is the HMM, the rest are sequences");
    *model = cl->operand[0];
    job->input = cl->operand + 1;
    job->ninput = cl->noperand - 1;
    int from_stdin = job->ninput == 0;
    for (int i = 0; i < job->ninput; i++) from_stdin |= strcmp(job->input[i], "-") == 0;
    if (strcmp(*model, "-") == 0 && from_stdin)
        return ws_fail(err, WS_EUSAGE, "both the model and the sequences would be read from standard input; name a file for one of them");
    return WS_OK;
}

int ws_cascade_open(ws_job *job, const ws_stage *stage, ws_err *err) {
    const char *path = NULL;
    int rc = operands(job, &path, err);
    if (rc) return rc;
    ws_cascade *c = job->data = ws_calloc(1, sizeof *c, err);
    if (!c) return WS_ENOMEM;
    c->stage = stage;
    c->opts = job->own;
    int threads = job->common.threads > 0 ? (int)job->common.threads : ws_cpu_allowed();
    rc = ws_hmmset_read(&c->set, path, threads, err);
    if (!rc) rc = make_models(c, threads, err);
    if (!rc) rc = thresholds(c, job, err);
    if (!rc) rc = make_targets(job, c, err);
    if (!rc) job->abc = c->set.hmm[0].abc;
    columns(job, c);
    return rc;
}

void ws_cascade_close(ws_job *job) {
    ws_cascade *c = job->data;
    if (!c) return;
    for (size_t i = 0; c->model && i < c->set.n; i++) ws_profile_destroy(&c->model[i].profile);
    ws_free(c->model);
    ws_hmmset_release(&c->set);
    ws_free(job->target);
    ws_free(c);
}

int ws_cascade_begin(const ws_job *job, const ws_batch *b, ws_lane *lane, ws_err *err) {
    (void)job;
    int rc = ws_buf_reserve(&lane->perseq, b->n * sizeof(ws_lenmodel), err);
    if (rc) return rc;
    ws_lenmodel *lm = (ws_lenmodel *)(void *)lane->perseq.p;
    for (size_t i = 0; i < b->n; i++) ws_lenmodel_set(&lm[i], b->len[i]);
    return WS_OK;
}
