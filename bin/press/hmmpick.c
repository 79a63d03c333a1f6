/* SPDX-License-Identifier: MIT
 * hmmpick: models of a file by name or accession, and the index of a file, as hmmfetch does. */
#include <string.h>
#include <unistd.h>

#include "bin/press/program.h"
#include "bin/stages/plan.h"
#include "lib/hmm/hmmwrite.h"
#include "lib/compress/source.h"
#include "lib/files/whole.h"

extern const ws_tool ws_hmmpick_tool;

typedef struct options {
    int list, named, index;
} options;
static options *options_of(const ws_job *job) { return job->own; }

/* The files of an index of the models. */
static const char *const kept[] = {".ssi", ".h3m", ".h3i", ".h3f", ".h3p"};
enum { NKEPT = sizeof kept / sizeof *kept };

typedef struct plan {
    const char *models;
    const char *read[NKEPT + 2]; /* the models, the file in which the index has its places, and all files of an index
                                     * beside the models: no output replaces them */
    char *own;        /* their path, where that is none of the operands */
    char *kept[NKEPT];
    ws_picks keys;
    ws_places places; /* fd -1: the file is read from its beginning */
    char *ssi;        /* path of the index that is made; NULL: none is */
    ws_ssi_list list;
    int first_alone;  /* of hmmfetch with one key: what comes behind its model is not read */
    int done;         /* its model was found. Atomic */
    uint64_t written; /* models, the writer's */
    int noperand;     /* as the user gave them, for messages */
} plan;
static plan *plan_of(const ws_job *job) { return job->data; }

static const ws_opt opts[] = {
    {'f', "list", NULL, WS_OPT_FLAG, offsetof(options, list), NULL,
     "read names or accessions from the second operand, a file with one a line; - is standard input",
     .group = WS_GROUP_INPUT, .given = WS_OPT_NOGIVEN},
    {'O', "named", NULL, WS_OPT_FLAG, offsetof(options, named), NULL, "write each model to a file named by its key",
     .group = WS_GROUP_OUTPUT, .given = WS_OPT_NOGIVEN},
    {0, "index", NULL, WS_OPT_FLAG, offsetof(options, index), NULL,
     "make the index HMMFILE.ssi, so that models are found without reading the file", .group = WS_GROUP_OUTPUT,
     .given = WS_OPT_NOGIVEN},
    WS_OPT_END,
};

/* ---- before the run ---- */

/* Fails for options and operands that do not go together. */
static int check(const ws_job *job, const options *o, ws_err *err) {
    const int n = job->cmdline.noperand, one = job->peer || o->named;
    int rc = ws_opt_clash(o->index, o->list, "--index", "-f", err);
    if (!rc) rc = ws_opt_clash(o->index, job->common.output != NULL, "--index", "-o", err);
    if (!rc) rc = ws_opt_clash(o->index, o->named, "--index", "-O", err);
    if (!rc) rc = ws_opt_clash(o->named, job->common.output != NULL, "-O", "-o", err);
    if (!rc) rc = ws_opt_clash(o->named, o->list, "-O", "-f", err);
    if (rc) return rc;
    if (o->index && n != 1)
        return ws_fail(err, WS_EUSAGE, "with --index one file of models is expected, and %d operands are given", n);
    if (!o->index && (n < 2 || (n > 2 && (o->list || one))))
        return ws_fail(err, WS_EUSAGE, "%s takes a file of models and %s, and %d operands are given",
                       ws_job_program(job), o->list ? "one of keys" : one ? "one key" : "keys", n);
    return WS_OK;
}

/* The models may be those of a pressed database whose text is gone. */
static int set_models(plan *p, const char *path, ws_err *err) {
    p->models = path;
    if (ws_source_is_stdin(path) || access(path, F_OK) == 0) return WS_OK;
    if (!(p->own = ws_models_sibling(path, ".h3m", err))) return err->code;
    if (access(p->own, F_OK) == 0) p->models = p->own;
    return WS_OK;
}

static int open_index(plan *p, ws_err *err) {
    int rc = ws_models_check_file(p->models, "an index", err);
    if (rc) return rc;
    if (ws_models_compressed(p->models))
        return ws_fail(err, WS_EDATA, "%s is compressed, and an index leads to places in a file as it is", p->models);
    if (!(p->ssi = ws_models_sibling(p->models, ".ssi", err))) return err->code;
    if (access(p->ssi, F_OK) != 0) return WS_OK;
    return ws_fail(err, WS_EIO, "SSI index %s already exists; delete or rename it", p->ssi);
}

/* Takes the keys. No output destroys a file that is called like one of them, so they are then no operands. */
static int open_keys(ws_job *job, plan *p, const options *o, ws_err *err) {
    int rc = WS_OK;
    for (int i = 1; i < job->cmdline.noperand && !o->list && !rc; i++)
        rc = ws_picks_add(&p->keys, job->cmdline.operand[i], err);
    if (o->named) job->out[0].path = job->common.output = job->cmdline.operand[1];
    if (!o->list) {
        job->cmdline.noperand = 1;
        p->first_alone = job->peer != NULL;
        if (!rc) rc = ws_picks_sort(&p->keys, err);
    } else if (ws_source_is_stdin(job->input[0]) && ws_source_is_stdin(job->input[1])) {
        rc = ws_fail(err, WS_EUSAGE, "either the models or the keys can be standard input, not both");
    } else if (!rc) {
        rc = ws_picks_read(&p->keys, job->input[1], err);
    }
    if (!rc && !ws_source_is_stdin(p->models)) rc = ws_places_find(&p->places, p->models, &p->keys, !job->peer, err);
    int n = 0;
    p->read[n++] = p->models;
    if (p->places.fd >= 0) p->read[n++] = p->places.path;
    for (int i = 0; i < NKEPT && !rc && !ws_source_is_stdin(job->input[0]); i++) {
        if (!(p->kept[i] = ws_models_sibling(job->input[0], kept[i], err))) rc = err->code;
        else if (access(p->kept[i], F_OK) == 0) p->read[n++] = p->kept[i];
    }
    job->input = p->read;
    job->ninput = n;
    return rc;
}

/* Appends what hmmfetch says on standard output when the models go to a file. */
static int tell(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err) {
    const plan *p = plan_of(job);
    (void)own, (void)rows;
    if (p->first_alone) return ws_buf_addf(text, err, "\n\nRetrieved HMM %s.\n", ws_picks_key(&p->keys, 0));
    return ws_buf_addf(text, err, "\nRetrieved %llu HMMs.\n", (unsigned long long)p->written);
}

static int pack(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text, ws_err *err);

static int open_pick(ws_job *job, ws_err *err) {
    const options *o = options_of(job);
    plan *p = job->data = ws_calloc(1, sizeof *p, err);
    if (!p) return err->code;
    p->places.fd = -1;
    job->input = job->cmdline.operand;
    job->ninput = job->cmdline.noperand;
    job->default_batch = WS_PLAN_PRESS_BATCH;
    job->out[0].pack = pack;
    job->out[0].whole = 1;
    p->noperand = job->cmdline.noperand;
    int rc = check(job, o, err);
    if (!rc) rc = set_models(p, job->input[0], err);
    if (!rc) rc = o->index ? open_index(p, err) : open_keys(job, p, o, err);
    if (!rc && job->peer && job->common.output) ws_job_add_output(job, &(ws_output){.end = tell});
    return rc;
}

static void close_pick(ws_job *job) {
    plan *p = plan_of(job);
    if (!p) return;
    job->cmdline.noperand = p->noperand;
    ws_picks_release(&p->keys);
    ws_places_release(&p->places);
    ws_ssi_list_release(&p->list);
    for (int i = 0; i < NKEPT; i++) ws_free(p->kept[i]);
    ws_free(p->ssi);
    ws_free(p->own);
    ws_free(p);
}

/* ---- the reader: an item is a portion of models, or some places of the index ---- */

/* A model of an item that was asked for. */
typedef struct picked {
    size_t name, acc;     /* in item.names; acc SIZE_MAX: none */
    size_t from, n;       /* in item.text */
    uint32_t by[2];       /* keys that are its name, its accession; UINT32_MAX: none is */
    uint64_t at;
    const ws_abc *abc;
} picked;

typedef struct item {
    ws_job *job;
    ws_hmmportion portion;
    size_t place, nplace;
    ws_buf text, names;
    picked *model;
    size_t n, cap;
} item;

typedef struct reader_state {
    ws_models models;
    size_t next; /* place */
} reader_state;
static reader_state *reader_of(const ws_job *job) { return job->reader; }

static int open_reader(ws_job *job, ws_err *err) {
    const plan *p = plan_of(job);
    reader_state *r = job->reader = ws_calloc(1, sizeof *r, err);
    if (!r) return err->code;
    return p->places.fd >= 0 ? WS_OK : ws_models_open(&r->models, p->models, err);
}

static void close_reader(ws_job *job) {
    reader_state *r = reader_of(job);
    if (r) ws_models_close(&r->models);
    ws_free(r);
}

static int create_item(void **out, ws_err *err) {
    return (*out = ws_calloc(1, sizeof(item), err)) ? WS_OK : err->code;
}

static void destroy_item(void *own) {
    item *it = own;
    ws_buf_release(&it->portion.text);
    ws_buf_release(&it->text);
    ws_buf_release(&it->names);
    ws_free(it->model);
    ws_free(it);
}

static int fill(ws_job *job, void *own, size_t *parts, ws_err *err) {
    enum { PLACES = 16 };
    plan *p = plan_of(job);
    reader_state *r = reader_of(job);
    item *it = own;
    it->job = job;
    it->n = it->text.n = it->names.n = 0;
    *parts = 1;
    if (__atomic_load_n(&p->done, __ATOMIC_RELAXED)) return WS_EOF;
    if (p->places.fd < 0) return ws_hmmstream_next(r->models.stream, &it->portion, job->common.batch, err);
    it->place = r->next;
    it->nplace = ws_min(PLACES, p->places.n - r->next);
    r->next += it->nplace;
    return it->nplace ? WS_OK : WS_EOF;
}

/* Adds a model to an item: its text if a key asks for it, its keys if an index is made. */
static int take(void *ctx, ws_hmm *h, uint64_t at, ws_err *err) {
    item *it = ctx;
    plan *p = plan_of(it->job);
    const char *program = it->job->peer ? "3.4 | Aug 2023" : "warpsieve " WS_VERSION " | hmmpick";
    picked k = {.name = it->names.n, .acc = SIZE_MAX, .from = it->text.n, .at = at, .abc = h->abc,
                .by = {ws_picks_find(&p->keys, h->name), ws_picks_find(&p->keys, h->acc)}};
    const int asked = k.by[0] != UINT32_MAX || k.by[1] != UINT32_MAX;
    int rc = ws_grow(&it->model, &it->cap, it->n + 1, sizeof *it->model, err);
    if (!rc) rc = ws_buf_add(&it->names, h->name, strlen(h->name) + 1, err);
    if (h->acc) k.acc = it->names.n;
    if (!rc && h->acc) rc = ws_buf_add(&it->names, h->acc, strlen(h->acc) + 1, err);
    if (!rc && asked) rc = ws_hmm_write(h, program, h->made->date, &it->text, err);
    if (rc) return rc;
    k.n = it->text.n - k.from;
    it->model[it->n++] = k;
    if (!asked || !p->first_alone) return WS_OK;
    __atomic_store_n(&p->done, 1, __ATOMIC_RELAXED);
    return WS_EOF;
}

static int work(ws_job *job, void *own, size_t part, ws_worker *worker, ws_err *err) {
    const plan *p = plan_of(job);
    item *it = own;
    int rc = WS_OK;
    (void)part, (void)worker;
    if (p->places.fd < 0) rc = ws_hmmportion_read(&it->portion, take, it, err);
    for (size_t i = 0; i < it->nplace && p->places.fd >= 0 && !rc; i++)
        rc = ws_places_read(&p->places, it->place + i, &it->portion, take, it, err);
    return rc == WS_EOF ? WS_OK : rc;
}

/* Appends the models of an item, and notes which keys they have. */
static int pack(const ws_job *job, void *own, const void *item_, const ws_outtext *none, ws_buf *text, ws_err *err) {
    plan *p = plan_of(job);
    const item *it = item_;
    int rc = WS_OK;
    (void)own, (void)none;
    for (size_t i = 0; i < it->n && !rc; i++) {
        const picked *k = &it->model[i];
        const char *name = it->names.p + k->name, *acc = k->acc == SIZE_MAX ? NULL : it->names.p + k->acc;
        rc = ws_models_count(&reader_of(job)->models, p->models, name, k->abc, err);
        if (!rc && p->ssi) rc = ws_ssi_add(&p->list, name, acc, k->at, err);
        if (!k->n || rc || (p->first_alone && p->written)) continue;
        for (int j = 0; j < 2; j++)
            if (k->by[j] != UINT32_MAX) p->keys.found[k->by[j]] = 1;
        rc = ws_buf_add(text, it->text.p + k->from, k->n, err);
        p->written++;
    }
    return rc;
}

static int ahead(ws_job *job) {
    reader_state *r = reader_of(job);
    return r->models.stream ? ws_hmmstream_ahead(r->models.stream) : 0;
}

static void progress(ws_job *job, double seconds, char *text, size_t n, double *share) {
    (void)seconds;
    ws_models_progress(&reader_of(job)->models, text, n, share);
}

static int stats(ws_job *job, double seconds, ws_stat *stat) {
    (void)seconds;
    stat[0] = (ws_stat){"models", "models", (double)reader_of(job)->models.n, 0};
    return 1;
}

/* ---- the end ---- */

static int write_index(ws_job *job, ws_err *err) {
    plan *p = plan_of(job);
    const unsigned long long n = p->list.n, nacc = p->list.nacc;
    ws_buf text = {0};
    ws_whole file = {.fd = -1};
    int rc = ws_ssi_write(&p->list, p->models, &text, err);
    if (rc == WS_EDATA) ws_err_prefix(err, "%s: ", p->models);
    if (!rc) rc = ws_whole_open(&file, p->ssi, err);
    if (!rc) rc = ws_whole_write(&file, text.p, text.n, err);
    if (!rc) rc = ws_whole_seal(&file, err);
    if (!rc) rc = ws_whole_place_new(&file, err);
    ws_whole_release(&file);
    text.n = 0;
    if (!rc) rc = ws_buf_adds(&text, job->peer ? "Working...    done.\n" : "", err);
    if (!rc) rc = ws_buf_addf(&text, err, "Indexed %llu HMMs (%llu names", n, n);
    if (!rc && nacc) rc = ws_buf_addf(&text, err, " and %llu accessions", nacc);
    if (!rc) rc = ws_buf_addf(&text, err, ").\nSSI index written to file %s\n", p->ssi);
    if (!rc) rc = ws_job_write(job, 0, text.p, text.n, 1, err);
    ws_buf_release(&text);
    return rc;
}

static int finish(ws_job *job, ws_err *err) {
    plan *p = plan_of(job);
    if (job->common.dry_run) return WS_OK;
    return p->ssi ? write_index(job, err) : ws_picks_check(&p->keys, p->models, err);
}

static const ws_reader reader = {
    .open = open_reader,
    .close = close_reader,
    .create = create_item,
    .destroy = destroy_item,
    .fill = fill,
    .work = work,
    .ahead = ahead,
    .progress = progress,
    .stats = stats,
};

static const ws_peer *const peers[] = {&ws_peer_hmmfetch, NULL};

const ws_tool ws_hmmpick_tool = {
    .name = "hmmpick",
    .peers = peers,
    .summary = "models of a file by name or accession, as hmmfetch does",
    .usage = "HMMFILE [KEY...]",
    .examples = "  # two models, by name or accession\n"
                "  hmmpick three.hmm fn3 PF00069.17 > two.hmm\n"
                "  # all of a list, one on each line\n"
                "  echo fn3 | hmmpick -f three.hmm - > some.hmm\n"
                "  # an index, where the file is large and models are picked often\n"
                "  hmmpick --index three.hmm\n",
    .opts = opts,
    .own_size = sizeof(options),
    .reader = &reader,
    .open = open_pick,
    .close = close_pick,
    .finish = finish,
};
