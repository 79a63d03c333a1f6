/* SPDX-License-Identifier: MIT
 * Opening of a filter: models into targets, options into thresholds, columns. */
#include "lib/base/memory.h"
#include "bin/filters/cutoffs.h"
#include "bin/filters/models.h"
#include "bin/stages/plan.h"

#include "lib/hmm/fscore.h"
#include "lib/run/message.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- models ---- */

static int make(ws_job *job, size_t t, ws_err *err) {
    ws_cascade *c = ws_cascade_of(job);
    ws_hmm_target *m = &c->model[t];
    int rc = ws_hmmset_load(&c->set, t, err);
    if (rc) return rc;
    if (!m->is_biased) ws_bias_set(&m->bias, m->hmm);
    __atomic_store_n(&m->is_biased, 1, __ATOMIC_RELEASE);
    rc = ws_profile_create(&m->profile, m->hmm, err);
    /* once: the writer may look while the model is made again */
    if (!job->target[t].hash) job->target[t].hash = m->hmm->hash;
    ws_hmm_forget(&c->set.hmm[t]);
    return rc;
}

int ws_cascade_make(ws_job *job, uint32_t t, ws_err *err) {
    return ws_cascade_of(job)->model[t].reader ? WS_OK : make(job, t, err);
}

/* ws_hmm_reader of a job's models. */
static int read_whole(void *job, size_t t, ws_err *err) { return make(job, t, err); }
static int read_striped(void *job, size_t t, void *room, int all, ws_striped *out, ws_err *err) {
    return ws_hmmset_striped(&ws_cascade_of(job)->set, t, room, all, out, err);
}

static int read_words(void *job, size_t t, ws_words *out, ws_err *err) {
    return ws_pressed_words(&ws_cascade_of(job)->set, t, out, err);
}

/* Lets targets be read in parts, unless some models cannot be read again, since their file is compressed or a pipe. */
static void read_in_parts(ws_job *job, ws_cascade *c) {
    for (size_t i = 0; i < c->set.n; i++)
        if (!c->set.place || !c->set.place[i].n) return;
    for (size_t i = 0; i < c->set.n; i++) {
        c->model[i].reader = &c->reader;
        c->model[i].number = i;
    }
    job->one_by_one = 1;
    c->reader.own = job;
    c->reader.striped = read_striped;
    c->reader.words = c->set.pressed ? read_words : NULL;
    c->reader.whole = read_whole;
}

int ws_cascade_identify(ws_job *job, ws_err *err) {
    ws_cascade *c = ws_cascade_of(job);
    if (!c->pressed || job->model_id) return WS_OK;
    const int rc = ws_hmmset_hash_pressed(&c->set, c->pressed, err);
    return rc ? rc : ws_models_name(job, &c->set, err);
}

/* Returns what is left of the memory beside all models as they were found: a quarter at least, to work with. */
static uint64_t beside_models(const ws_cascade *c, uint64_t mem) {
    const uint64_t models = (uint64_t)c->set.n * WS_CASCADE_MODEL_BYTES;
    return models < mem - mem / 4 ? mem - models : mem / 4;
}

void ws_cascade_note_models(const ws_job *job, uint64_t bytes, uint64_t mem) {
    enum { LITTLE = 1000000 };
    const uint64_t all = job->ntarget * bytes;
    if (all > mem && all >= LITTLE)
        ws_message_note(job, "%zu models alone take %llu MB or more, whatever --mem says; fewer models in a run take "
                        "less", job->ntarget, (unsigned long long)(all / LITTLE));
}

/* Bounds the memory of made models, unless some cannot be read again, since their file is compressed or a pipe. */
static void bound_models(ws_job *job, const ws_cascade *c, uint64_t mem) {
    for (size_t i = 0; i < c->set.n; i++)
        if (!c->set.place || !c->set.place[i].n) mem = 0;
    job->target_mem = job->tool->forget ? mem : 0;
}

void ws_cascade_forget(ws_job *job, uint32_t t) {
    ws_cascade *c = ws_cascade_of(job);
    __atomic_store_n(&c->model[t].is_whole, 0, __ATOMIC_RELEASE);
    ws_profile_destroy(&c->model[t].profile);
    ws_hmm_forget_annotation(&c->set.hmm[t]);
}

/* A profile has a score for each code and eight transitions. */
size_t ws_cascade_made_size(const ws_job *job, uint32_t t) {
    const ws_cascade *c = ws_cascade_of(job);
    return ((size_t)c->set.hmm[t].abc->Kp + WS_NPTRANS) * sizeof(float) * (size_t)(c->set.hmm[t].M + 1);
}

/* Bounds the size of a batch, and sets its usual size after the first filter. */
static void limit_batch(ws_job *job, const ws_cascade *c) {
    double nodes = 1;
    for (size_t i = 0; i < c->set.n; i++) nodes += (double)c->set.hmm[i].M;
    job->most_batch = ws_plan_most_batch(nodes);
    if (c->stage->later) job->default_batch = ws_plan_later_batch(c->set.n);
}

/* ---- options ---- */

static int thresholds(ws_cascade *c, const ws_job *job, ws_err *err) {
    const ws_cascade_opts *o = c->opts;
    if (o->windows)
        return ws_fail(err, WS_EUSAGE,
                       "%s has no --long: nhmmsieve searches long DNA in one program: nhmmsieve MODELS GENOME",
                       job->tool->name);
    if (o->evalue_given && !o->z_given)
        return ws_fail(err, WS_EUSAGE, "-E needs -Z: a stream does not know how many sequences the database has");
    c->max_p = o->p_given ? o->p : o->bits_given || o->evalue_given ? HUGE_VAL : c->stage->default_p;
    int asks_p = c->max_p < 1 || o->evalue_given;
    for (size_t i = 0; i < c->set.n; i++) {
        const ws_hmm *h = &c->set.hmm[i];
        const int rc = c->stage->final ? ws_models_check_stats(h, err) : WS_OK;
        if (rc) return rc;
        if (asks_p && !h->calibrated && !ws_scan_of(job)->all)
            return ws_fail(
                err, WS_EDATA,
                "model %s has no STATS lines, so it has no P-values; use -T BITS or -a, or build it with hmmbuild",
                h->name);
        c->model[i].hmm = h;
        c->model[i].gate = ws_gate_make(c, h);
    }
    return WS_OK;
}

static void columns(ws_job *job, ws_cascade *c) {
    ws_scan *scan = ws_scan_of(job);
    ws_filtercol_add(scan, c->stage->columns, c->opts->nobias);
}

static int find_models(ws_job *job, ws_cascade *c, ws_err *err) {
    if (c->stage->find) return c->stage->find(job, &c->set, err);
    int rc = ws_models_operands(job, &c->opts->models, &c->path, &c->npath, err), state = WS_PRESSED_NONE;
    if (!rc && c->opts->in_parts && c->npath == 1)
        rc = ws_hmmset_find_pressed(&c->set, c->path[0], c->opts->cut, &state, err);
    if (state == WS_PRESSED_OLD)
        ws_message_note(job, "%s is younger than %s.h3f, so models are read from it; hmmpress -f makes the index anew",
                        c->path[0], c->path[0]);
    if (state == WS_PRESSED_FOUND) c->pressed = c->path[0];
    return rc || c->pressed ? rc : ws_hmmset_find(&c->set, c->path, c->npath, ws_job_threads(job), err);
}

/* Makes targets of the models that were found. */
static int take_set(ws_job *job, ws_cascade *c, ws_err *err) {
    if (!(c->model = ws_calloc(c->set.n, sizeof *c->model, err))) return err->code;
    if (c->opts->in_parts) read_in_parts(job, c);
    const int rc = thresholds(c, job, err);
    return rc ? rc : ws_models_make_targets(job, &c->set, c->model, sizeof *c->model, err);
}

static void release_set(ws_job *job, ws_cascade *c) {
    for (size_t i = 0; c->model && i < c->set.n; i++) ws_profile_destroy(&c->model[i].profile);
    ws_free(c->model);
    ws_hmmset_release(&c->set);
    ws_free(job->target);
    c->model = NULL;
    job->target = NULL;
}

int ws_cascade_replace(ws_job *job, ws_hmmset *set, ws_err *err) {
    ws_cascade *c = ws_cascade_of(job);
    char *id = job->model_id; /* outputs name the models that the run began with */
    ws_job_drop_targets(job);
    release_set(job, c);
    c->set = *set;
    *set = (ws_hmmset){0};
    job->model_id = NULL;
    const int rc = take_set(job, c, err);
    ws_free(job->model_id);
    job->model_id = id;
    return rc;
}

/* Lets the reader translate, if an option asks for it. */
static int translate(ws_job *job, ws_err *err) {
    ws_scan *scan = ws_scan_of(job);
    const int rc = ws_translate_choose(&((ws_cascade_opts *)job->own)->orfs, &scan->translate, err);
    if (rc || !scan->translate || scan->abc->type == WS_ABC_AMINO) return rc;
    return ws_fail(err, WS_EDATA, "--translate makes proteins, and the models are of %s; "
                   "nhmmsieve searches DNA with them", scan->abc->name);
}

int ws_cascade_open(ws_job *job, const ws_stage *stage, ws_err *err) {
    ws_cascade *c = job->data = ws_calloc(1, sizeof *c, err);
    if (!c) return WS_ENOMEM;
    ws_hmm_reader_open(&c->reader);
    c->stage = stage;
    c->opts = job->own;
    int rc = find_models(job, c, err);
    if (!rc) rc = take_set(job, c, err);
    if (!rc) limit_batch(job, c);
    ws_scan_of(job)->mem = beside_models(c, c->opts->mem ? c->opts->mem : ws_memory_allowed() / 4);
    if (!rc && c->opts->mem) ws_cascade_note_models(job, WS_CASCADE_MODEL_BYTES, c->opts->mem);
    if (!rc) bound_models(job, c, ws_scan_of(job)->mem / 2);
    /* without a query, in the place of phmmer, sequences are proteins */
    if (!rc) ws_scan_of(job)->abc = c->set.n ? c->set.hmm[0].abc : ws_abc_get(WS_ABC_AMINO);
    if (!rc) rc = translate(job, err);
    ws_scan_of(job)->looks_like_dna =
        "the models are of proteins, but the sequences look like DNA; their letters are scored as amino acids. "
        "sixframe translates DNA, hmmsieve --translate searches it";
    if (!stage->later && !stage->final)
        ws_scan_of(job)->looks_long =
            "a record has more than 100000 residues and is scored as one target; nhmmsieve looks for places in it";
    columns(job, c);
    return rc;
}

int ws_cascade_finish(ws_job *job, ws_err *err) {
    (void)err;
    ws_models_note(job, &ws_cascade_of(job)->set);
    return WS_OK;
}

void ws_cascade_close(ws_job *job) {
    ws_cascade *c = ws_cascade_of(job);
    if (!c) return;
    release_set(job, c);
    ws_hmm_reader_close(&c->reader);
    ws_free(c);
}

void ws_cascade_set_values(const ws_seqs *seqs, void *value) {
    ws_lenmodel *lm = value;
    for (size_t i = 0; i < seqs->n; i++) ws_lenmodel_set(&lm[i], seqs->len[i]);
}

const ws_scoring ws_cascade_scoring = {.score_size = sizeof(ws_fscore),
                                       .value_size = sizeof(ws_lenmodel),
                                       .set_values = ws_cascade_set_values,
                                       .decide = ws_cascade_decide};
