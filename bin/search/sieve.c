/* SPDX-License-Identifier: MIT
 * The common part of hmmsieve, seqsieve and jacksieve: defaults and checks, outputs, the source of the chain, opening
 * and closing. */
#include "bin/search/sieve.h"
#include "bin/stages/machine.h"
#include "lib/base/system.h"
#include "lib/simd/codec.h"

#include <math.h>

void ws_sieve_defaults(void *own) {
    ws_sieve *s = own;
    ws_domscore_defaults(&s->dom);
    s->F1 = 0.02;
    s->F2 = 1e-3;
    s->F3 = 1e-5;
    s->dom.form = WS_DOMFORM_TEXT;
}

/* ---- checks ---- */

static int check(const ws_sieve *s, const char *program, ws_err *err) {
    const char *absent = s->mpi          ? "--mpi"
                         : s->stall      ? "--stall"
                         : s->restrictdb ? "--restrictdb_..."
                         : s->ssifile    ? "--ssifile"
                                         : NULL;
    if (absent) return ws_fail(err, WS_EUSAGE, "%s is an option of HMMER that %s does not have", absent, program);
    if (s->windows)
        return ws_fail(err, WS_EUSAGE, "--long stands in front of all other arguments: hmmsieve --long MODELS GENOME");
    if (s->max && (s->F_given || s->dom.cascade.nobias))
        return ws_fail(err, WS_EUSAGE, "--max turns all filters off, so --F1, --F2, --F3 and --nobias exclude it");
    return WS_OK;
}

static int take_format(const ws_sieve *s, const ws_job *job, ws_err *err) {
    ws_scan *scan = ws_scan_of(job);
    if (!s->tformat) return WS_OK;
    const ws_format format = ws_seqformat_find(s->tformat);
    scan->in_format = format;
    if (format != WS_FORMAT_AUTO) return WS_OK;
    return ws_seqformat_unknown(s->dom.by_seq ? "--qformat" : "--tformat", s->tformat, job->tool->name, err);
}

/* ---- outputs ---- */

void ws_sieve_count_all(ws_sieve *s) {
    for (size_t m = 0; m < s->job->ntarget && s->max; m++)
        for (int k = 0; k < WS_TEXT_FILTERS; k++) s->passed.count[m][k] = s->passed_all;
}

int ws_sieve_finish(ws_job *job, ws_err *err) {
    ws_sieve *s = ws_sieve_of(job);
    if (s->dom.by_seq) { /* all blocks have left */
        for (int k = 0; k < s->dom.nout; k++) s->dom.out[k].rows = job->out[s->dom.out[k].number].rows;
        const int changed = ws_pressed_unchanged(&ws_cascade_of(job)->set, err);
        return changed ? changed : ws_domscore_failure(&s->dom, err);
    }
    ws_sieve_count_all(s);
    return ws_domscore_finish(job, err);
}

/* Writes, after input that failed, what is held, without E-values that need the size of the database. */
static int flush(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    ws_dom_out *o = own;
    ws_sieve *s = ws_sieve_of(job);
    (void)text;
    if (!s->source_failed || s->dom.finished || s->dom.by_seq) return WS_OK;
    ws_sieve_count_all(s);
    s->passed.cut = !s->max; /* as programs on a pipe, of which the first alone knows */
    return ws_domscore_write_held(o->job, 0, err);
}

static void add_output(ws_job *job, ws_dom_form form, const char *path) {
    ws_domscore *d = &ws_sieve_of(job)->dom;
    ws_dom_out *o = &d->out[d->nout++];
    ws_output output = {.path = path, .own = o, .head = ws_domscore_head, .end = ws_domscore_end, .flush = flush};
    *o = (ws_dom_out){.form = form, .job = job};
    if (d->nout > 1 && ws_dom_out_is_apart(path)) o->pattern = path;
    else if (d->nout == 1) job->out[0] = output;
    else o->number = ws_job_add_output(job, &output);
}

static int open_outputs(ws_job *job, ws_err *err) {
    ws_domscore *d = &ws_sieve_of(job)->dom;
    add_output(job, (ws_dom_form)d->form, job->out[0].path);
    for (int f = 0; f < WS_NDOMFORM; f++)
        if (d->beside[f]) add_output(job, (ws_dom_form)f, d->beside[f]);
    int rc = ws_domscore_choose(d, job, err);
    if (!rc && (d->form == WS_DOMFORM_TSV || d->beside[WS_DOMFORM_TSV]) && !job->common.no_provenance)
        rc = ws_cascade_identify(job, err);
    for (int k = 0; k < d->nout && !rc; k++) {
        rc = ws_dom_out_check(&d->out[k], err);
        if (!rc && d->out[k].pattern && d->by_seq)
            rc = ws_fail(err, WS_EUSAGE, "--scan has no files by query: %s", d->out[k].pattern);
    }
    return rc;
}

/* ---- the chain ---- */

static ws_chain_wish wish(void *own) {
    ws_sieve *s = own;
    ws_sieve_filter *f = &s->filter[0];
    const ws_plan_machine m = ws_plan_machine_of(s->job, s->job->nworker);
    size_t half_full = 0, n = 0;
    if (ws_sieve_scan_is_full(s)) return WS_CHAIN_DRAIN;
    pthread_mutex_lock(&f->lock);
    for (const ws_sieve_pool *p = f->first; p; p = p->next, n++)
        half_full += p->taken * 2 < ws_sieve_pairs(p, s->job->ntarget);
    pthread_mutex_unlock(&f->lock);
    return ws_plan_wish(&m, n, half_full, ws_dom_steps_are_many(s->dom.steps));
}

/* Returns 1 if domains for the threads of the CPU run out before devices bring more of them. */
static int is_hungry(void *own) { return ws_dom_steps_are_few(((ws_sieve *)own)->dom.steps); }

/* Returns the seconds of a thread for what is left, and for a reading of all sequences that follows. */
static double seconds(void *own, double left, double all) {
    enum { PARSE = WS_SIEVE_FILTERS, STEPS = PARSE + WS_PLAN_SPAN_KINDS };
    ws_sieve *s = own;
    ws_policy_step step[STEPS] = {0};
    double spans[WS_PLAN_SPAN_KINDS];
    ws_dom_steps_left(s->dom.steps, spans);
    for (int k = 0; k < STEPS; k++) {
        const ws_step_kind kind = (ws_step_kind)(WS_STEP_MSV + k);
        step[k] = (ws_policy_step){.after = k <= PARSE ? k - 1 : PARSE, .done = ws_job_done(s->job, kind),
                                   .speed = ws_job_speed(s->job, WS_CHAIN_CPU, kind)};
        if (k >= PARSE) step[k].left = spans[k - PARSE];
        else if (k > 0 && k < s->nfilter) step[k].left = ws_sieve_filter_waiting(&s->filter[k]);
    }
    step[0].left = left + (s->again ? all : 0);
    return ws_policy_seconds(step, STEPS);
}

/* A table names the models that its rows meet. */
static int add_rows(ws_sieve *s, ws_sieve_pool *p, ws_err *err) {
    int rc = WS_OK;
    for (size_t r = 0; r < p->batch.nrow && !rc; r++) {
        const ws_row *row = &p->batch.row[r];
        p->all |= row->target == UINT32_MAX;
        rc = ws_grow(&p->pair, &p->pair_cap, p->npair + 1, sizeof *p->pair, err);
        if (rc) break;
        p->pair[p->npair++] = (ws_sieve_pair){row->seq, row->target, NAN, NAN};
        if (!p->all) p->cells += (double)p->batch.len[row->seq] * (double)s->job->target[row->target].qlen;
    }
    return rc;
}

static int read_batch(void *own, ws_err *err) {
    ws_sieve *s = own;
    ws_sieve_pool *p = ws_sieve_filter_pool(&s->filter[0], err);
    int rc = p ? ws_scan_fill(s->job, &p->batch, err) : err->code;
    if (!rc && s->job->ntarget == 0) rc = WS_EOF; /* in phmmer's place: each query is empty */
    if (!rc) rc = ws_grow(&p->number, &p->number_cap, p->batch.n, sizeof *p->number, err);
    for (size_t i = 0; !rc && i < p->batch.n; i++) {
        p->number[i] = p->batch.before + i;
        if (s->max) s->passed_all += p->batch.len[i] > 0;
    }
    if (!rc) p->all = !p->batch.has_rows;
    if (!rc && !p->all) rc = add_rows(s, p, err);
    if (!rc) rc = ws_sieve_scan_begin(s, p, err);
    ws_sieve_block *block = !rc && p->block && p->batch.n ? p->block[0] : NULL;
    if (!rc) ws_sieve_filter_put(&s->filter[0], p);
    else if (p) ws_sieve_pool_release(p);
    if (block) rc = ws_sieve_scan_end(s, block, 1, err);
    s->source_failed = rc && rc != WS_EOF && rc != WS_AGAIN;
    return rc;
}

static int open_filters(ws_sieve *s, ws_err *err) {
    static const ws_stage *const stage[] = {&ws_msvfilt_stage, &ws_vitfilt_stage, &ws_fwdscore_stage};
    const double p[] = {s->F1, s->F2, s->F3};
    int rc = WS_OK;
    if (s->max) return ws_sieve_filter_create(&s->filter[s->nfilter++], s, WS_SIEVE_FILTERS, NULL, 1, err);
    for (int k = 0; k < WS_SIEVE_FILTERS && !rc; k++, s->nfilter++)
        rc = ws_sieve_filter_create(&s->filter[k], s, k, stage[k], fmin(p[k], 1), err);
    return rc;
}

int ws_sieve_chain(ws_job *job, ws_chain_ops *ops, ws_err *err) {
    ws_sieve *s = ws_sieve_of(job);
    s->codec = ws_codec_get(&job->machine.cpu);
    int rc = ws_domscore_open_store(&s->dom, job, err);
    if (!rc) rc = ws_domscore_make_steps(&s->dom, job, !s->cpu_domains, s, ws_sieve_domains_done, err);
    if (rc) return rc;
    for (int k = 0; k < s->nfilter; k++) s->stage[k] = ws_sieve_filter_stage(&s->filter[k]);
    ws_dom_steps_stages(s->dom.steps, s->stage + s->nfilter);
    s->stage[s->nfilter + WS_DOM_STEPS] = ws_sieve_decision_stage(s);
    *ops = (ws_chain_ops){.stage = s->stage, .nstage = (size_t)s->nfilter + WS_DOM_STEPS + 1, .own = s, .wish = wish,
                          .hungry = is_hungry, .seconds = seconds, .read = read_batch};
    return WS_OK;
}

/* ---- opening and closing ---- */

static int by_length(const void *a, const void *b, void *job) {
    const ws_target *target = ((const ws_job *)job)->target;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (target[x].qlen != target[y].qlen) return target[x].qlen > target[y].qlen ? -1 : 1;
    return (x > y) - (x < y);
}

/* Ranks the models. With --scan and their own cutoffs they stay in their order, since the first one without any ends
 * the search with a sentence. */
static int rank_models(ws_sieve *s, ws_err *err) {
    const uint32_t n = (uint32_t)s->job->ntarget;
    if (!(s->model = ws_calloc(n, sizeof *s->model, err))) return err->code;
    if (!(s->rank = ws_calloc(n, sizeof *s->rank, err))) return err->code;
    for (uint32_t t = 0; t < n; t++) s->model[t] = t;
    if (!s->dom.by_seq || s->dom.cut < 0) ws_system_sort(s->model, n, sizeof *s->model, by_length, s->job);
    for (uint32_t r = 0; r < n; r++) s->rank[s->model[r]] = r;
    return WS_OK;
}

/* Makes what there is of each model. */
static int open_models(ws_sieve *s, ws_err *err) {
    const size_t n = s->job->ntarget;
    if (!(s->passed.count = ws_calloc(n, sizeof *s->passed.count, err))) return err->code;
    if (!(s->pinned = ws_calloc(n, sizeof *s->pinned, err))) return err->code;
    const double p[] = {s->F1, s->F1, s->F2, s->F3};
    for (int k = 0; k < WS_TEXT_FILTERS; k++) s->passed.p[k] = s->max ? 1 : fmin(p[k], 1);
    s->dom.passed = &s->passed;
    return rank_models(s, err);
}

static void free_models(ws_sieve *s) {
    ws_free(s->passed.count);
    ws_free(s->pinned);
    ws_free(s->model);
    ws_free(s->rank);
    s->passed.count = NULL;
    s->pinned = NULL;
    s->model = s->rank = NULL;
}

int ws_sieve_open(ws_job *job, int (*find)(ws_job *job, ws_hmmset *set, ws_err *err), ws_err *err) {
    ws_sieve *s = ws_sieve_of(job);
    ws_domscore *d = &s->dom;
    int rc = check(s, job->tool->name, err);
    if (!rc) rc = take_format(s, job, err);
    if (rc) return rc;
    s->first = ws_msvfilt_stage;
    s->first.final = 1;
    s->first.find = find;
    s->job = job;
    pthread_mutex_init(&s->lock, NULL);
    ws_sieve_scores_open(s);
    if (s->threads_given) job->common.threads = s->threads > 0 ? s->threads : 1;
    d->cascade.p = fmin(s->F1, 1);
    d->cascade.p_given = 1;
    if (d->by_seq && d->mem_given) d->cascade.mem = d->mem;
    d->cascade.in_parts = d->by_seq && !find;
    d->cascade.cut = d->cut_ga || d->cut_nc || d->cut_tc;
    job->spares_streams = d->mem_given; /* each stream has a pool, and pins a copy of it */
    rc = ws_cascade_open(job, &s->first, err);
    if (!rc && d->mem_given && !d->by_seq) ws_cascade_note_models(job, WS_SIEVE_MADE_BYTES, d->mem);
    if (!rc && !find) rc = ws_sieve_shards(s, job, err);
    if (rc) return rc;
    job->default_batch = ws_plan_batch(ws_job_nodes(job));
    ws_scan_of(job)->own_fields = 1;
    ws_scan_of(job)->whole_text = 1;
    ws_scan_of(job)->grows = 1;
    ws_scan_of(job)->ncol = 0;
    rc = ws_domscore_check(d, job, &ws_cascade_of(job)->set, err);
    if (!rc) rc = open_outputs(job, err);
    if (!rc && !(d->tables = ws_calloc(job->ntarget, sizeof *d->tables, err))) rc = err->code;
    if (!rc) rc = open_models(s, err);
    return rc ? rc : open_filters(s, err);
}

void ws_sieve_close(ws_job *job) {
    ws_sieve *s = ws_sieve_of(job);
    if (!s->job) return;
    for (int k = 0; k < WS_SIEVE_FILTERS; k++) ws_sieve_filter_release(&s->filter[k]);
    ws_sieve_scan_close(s);
    ws_sieve_scores_release(s);
    free_models(s);
    ws_free(s->shard);
    ws_buf_release(&s->shard_names);
    ws_buf_release(&s->args);
    pthread_mutex_destroy(&s->lock);
    ws_domscore_close(job);
}

int ws_sieve_restart(ws_job *job, ws_hmmset *set, ws_err *err) {
    ws_sieve *s = ws_sieve_of(job);
    ws_domscore *d = &s->dom;
    for (int k = 0; k < WS_SIEVE_FILTERS; k++) {
        ws_sieve_filter_release(&s->filter[k]);
        s->filter[k] = (ws_sieve_filter){0};
    }
    ws_domscore_forget(d, job);
    free_models(s);
    s->nfilter = 0;
    s->passed_all = 0;
    int rc = ws_cascade_replace(job, set, err);
    if (!rc) rc = ws_domscore_check(d, job, &ws_cascade_of(job)->set, err);
    if (!rc && !(d->tables = ws_calloc(job->ntarget, sizeof *d->tables, err))) rc = err->code;
    if (!rc) rc = open_models(s, err);
    return rc ? rc : open_filters(s, err);
}

/* Forgets a model, unless forms may still be made of it. */
void ws_sieve_forget(ws_job *job, uint32_t t) {
    ws_domscore *d = &ws_sieve_of(job)->dom;
    if (job->prep[t] || job->cpu_prep[t]) return;
    ws_cascade_forget(job, t);
    ws_dom_tables_destroy(d->tables[t]);
    d->tables[t] = NULL;
}

/* Rows that name models say of which file they are. */
static int look_at_input(ws_job *job, ws_err *err) {
    return ws_head_find(ws_scan_of(job)->head, "query") >= 0 ? ws_cascade_identify(job, err) : WS_OK;
}

const ws_scoring ws_sieve_scoring = {.score_size = sizeof(ws_fscore), .input = look_at_input};
