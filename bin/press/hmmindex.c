/* SPDX-License-Identifier: MIT
 * hmmindex: the four files that hmmscan of HMMER reads in place of a file of models, as hmmpress writes them. They are
 * written beside the old ones and take their places at the end: docs/spec/press.md, section 5. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "bin/press/program.h"
#include "bin/stages/plan.h"
#include "lib/hmm/hmmwrite.h"
#include "lib/hmm/pressed.h"
#include "lib/files/interrupt.h"
#include "lib/files/whole.h"

extern const ws_tool ws_hmmindex_tool;

/* The files, in the order in which they take their places but for the first, which is the last. */
enum { MODELS, REST, FILTER, INDEX, NFILE };
static const char *const ending[NFILE] = {".h3m", ".h3p", ".h3f", ".h3i"};
static const char *const content[NFILE] = {"binary HMM file", "binary profile file", "binary MSV filter file",
                                           "SSI index file"};

typedef struct options {
    int force;
} options;
static options *options_of(const ws_job *job) { return job->own; }

typedef struct plan {
    char *base;        /* of the files: the path of the models, without the ending of a compressed file */
    char *path[NFILE];
    ws_whole file[NFILE];
    int open;          /* so many of them */
    ws_ssi_list keys;
} plan;
static plan *plan_of(const ws_job *job) { return job->data; }
static ws_models *models_of(const ws_job *job) { return job->reader; }

static const ws_opt opts[] = {
    {'f', "force", NULL, WS_OPT_FLAG, offsetof(options, force), NULL, "replace the files of an earlier index",
     .group = WS_GROUP_OUTPUT, .given = WS_OPT_NOGIVEN},
    WS_OPT_END,
};

/* ---- before the run ---- */

/* Sets the name that the files have. HMMER looks for the models of NAME.h3m under NAME, which need not be there. */
static int set_base(plan *p, const ws_job *job, ws_err *err) {
    static const char *const suffix[] = {".gz", ".zst"};
    const char *path = job->input[0];
    const size_t n = strlen(path);
    const int compressed = ws_models_compressed(path);
    size_t keep = n;
    if (compressed && job->peer)
        return ws_fail(err, WS_EDATA, "%s must be a normal file, not a compressed one; hmmindex reads those", path);
    for (int i = 0; compressed && i < 2; i++) {
        const size_t k = strlen(suffix[i]);
        if (n > k && strcmp(path + n - k, suffix[i]) == 0) keep = n - k;
    }
    if (!(p->base = ws_strndup(path, keep, err))) return err->code;
    if (keep == n || access(p->base, F_OK) != 0) return WS_OK;
    return ws_fail(err, WS_EIO,
                   "the files of %s would be taken for those of %s, which is there too; index that, or move it away",
                   path, p->base);
}

static int check_existing(const plan *p, const options *o, ws_err *err) {
    static const int order[NFILE] = {INDEX, MODELS, FILTER, REST};
    for (int i = 0; i < NFILE && !o->force; i++)
        if (access(p->path[order[i]], F_OK) == 0)
            return ws_fail(err, WS_EIO, "%s %s already exists; -f replaces it", content[order[i]], p->path[order[i]]);
    return WS_OK;
}

static int pack(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text, ws_err *err);

static int open_index(ws_job *job, ws_err *err) {
    plan *p = job->data = ws_calloc(1, sizeof *p, err);
    if (!p) return err->code;
    job->input = job->cmdline.operand;
    job->ninput = job->cmdline.noperand;
    job->default_batch = WS_PLAN_PRESS_BATCH;
    job->out[0].pack = pack;
    if (job->ninput != 1)
        return ws_fail(err, WS_EUSAGE, "one file of models is expected, and %d are named", job->ninput);
    int rc = ws_models_check_file(job->input[0], "an index", err);
    if (!rc) rc = set_base(p, job, err);
    for (int i = 0; i < NFILE && !rc; i++)
        if (!(p->path[i] = ws_models_sibling(p->base, ending[i], err))) rc = err->code;
    if (!rc) rc = check_existing(p, options_of(job), err);
    for (int i = 0; i < NFILE && !rc; i++) rc = ws_job_add_file(job, "-f", p->path[i], err); /* a link to the models */
    return rc;
}

static void close_index(ws_job *job) {
    plan *p = plan_of(job);
    if (!p) return;
    for (int i = 0; i < p->open; i++) ws_whole_release(&p->file[i]);
    for (int i = 0; i < NFILE; i++) ws_free(p->path[i]);
    ws_ssi_list_release(&p->keys);
    ws_free(p->base);
    ws_free(p);
}

/* Begins the files, before any model is read: a folder that takes none is told at once. */
static int early(ws_job *job, ws_err *err) {
    plan *p = plan_of(job);
    int rc = WS_OK;
    for (int i = 0; i < NFILE && !rc; i++) {
        p->open++;
        rc = ws_whole_open(&p->file[i], p->path[i], err);
    }
    return rc;
}

/* ---- the reader: an item is a portion of models, and what is made of it ---- */

typedef struct made {
    size_t name, acc;  /* in item.names; acc SIZE_MAX: none */
    size_t at[NFILE];  /* in item.bytes */
    size_t place;      /* in item.bytes[FILTER] */
    const ws_abc *abc;
} made;

typedef struct item {
    ws_hmmportion portion;
    ws_buf bytes[NFILE], names;
    made *model;
    size_t n, cap;
} item;

/* Lets a sentence that ends in a pipe to this program end in a file: an index is of one. */
static void advise_file(ws_err *err) {
    char *pipe_to = strstr(err->text, " | ");
    if (!err->ends_in_command || !pipe_to) return;
    err->ends_in_command = 0;
    snprintf(pipe_to, sizeof err->text - (size_t)(pipe_to - err->text), " > FILE, and index that");
}

static int open_reader(ws_job *job, ws_err *err) {
    ws_models *m = job->reader = ws_calloc(1, sizeof *m, err);
    const int rc = m ? ws_models_open(m, job->input[0], err) : err->code;
    if (rc) advise_file(err);
    return rc;
}

static void close_reader(ws_job *job) {
    if (job->reader) ws_models_close(job->reader);
    ws_free(job->reader);
}

static int create_item(void **out, ws_err *err) {
    return (*out = ws_calloc(1, sizeof(item), err)) ? WS_OK : err->code;
}

static void destroy_item(void *own) {
    item *it = own;
    ws_buf_release(&it->portion.text);
    for (int i = 0; i < NFILE; i++) ws_buf_release(&it->bytes[i]);
    ws_buf_release(&it->names);
    ws_free(it->model);
    ws_free(it);
}

static int fill(ws_job *job, void *own, size_t *parts, ws_err *err) {
    item *it = own;
    for (int i = 0; i < NFILE; i++) it->bytes[i].n = 0;
    it->n = it->names.n = 0;
    *parts = 1;
    return ws_hmmstream_next(models_of(job)->stream, &it->portion, job->common.batch, err);
}

/* Adds a model to an item. A model without a consensus line gets the one that HMMER would make of it. */
static int take(void *ctx, ws_hmm *h, uint64_t at, ws_err *err) {
    item *it = ctx;
    (void)at;
    int rc = h->note[WS_NOTE_CONS] ? WS_OK : ws_hmm_derive_consensus(h, err);
    if (!rc) rc = ws_grow(&it->model, &it->cap, it->n + 1, sizeof *it->model, err);
    if (rc) return rc;
    made *m = &it->model[it->n];
    *m = (made){.name = it->names.n, .acc = SIZE_MAX, .abc = h->abc};
    for (int i = 0; i < NFILE; i++) m->at[i] = it->bytes[i].n;
    rc = ws_buf_add(&it->names, h->name, strlen(h->name) + 1, err);
    if (h->acc) m->acc = it->names.n;
    if (!rc && h->acc) rc = ws_buf_add(&it->names, h->acc, strlen(h->acc) + 1, err);
    if (!rc) rc = ws_hmm_write_binary(h, &it->bytes[MODELS], err);
    if (!rc) rc = ws_pressed_add(h, &it->bytes[FILTER], &it->bytes[REST], &m->place, err);
    it->n += rc == WS_OK;
    return rc;
}

static int work(ws_job *job, void *own, size_t part, ws_worker *worker, ws_err *err) {
    item *it = own;
    (void)job, (void)part, (void)worker;
    return ws_hmmportion_read(&it->portion, take, it, err);
}

/* Writes an item behind those before it, which tell where its models begin. Nothing goes to standard output yet. */
static int pack(const ws_job *job, void *own, const void *made_, const ws_outtext *none, ws_buf *text, ws_err *err) {
    plan *p = plan_of(job);
    const item *it = made_;
    int rc = WS_OK;
    (void)own, (void)none, (void)text;
    for (size_t i = 0; i < it->n && !rc; i++) {
        const made *m = &it->model[i];
        const char *name = it->names.p + m->name;
        const ws_pressed_place place = {p->file[MODELS].size + m->at[MODELS], p->file[FILTER].size + m->at[FILTER],
                                        p->file[REST].size + m->at[REST]};
        ws_pressed_set_place(it->bytes[FILTER].p + m->place, &place);
        rc = ws_models_count(models_of(job), job->input[0], name, m->abc, err);
        if (!rc)
            rc = ws_ssi_add(&p->keys, name, m->acc == SIZE_MAX ? NULL : it->names.p + m->acc, place.model, err);
    }
    for (int i = 0; i < INDEX && !rc && !job->common.dry_run; i++)
        rc = ws_whole_write(&p->file[i], it->bytes[i].p, it->bytes[i].n, err);
    return rc;
}

static void progress(ws_job *job, double seconds, char *text, size_t n, double *share) {
    (void)seconds;
    ws_models_progress(models_of(job), text, n, share);
}

static int ahead(ws_job *job) { return ws_hmmstream_ahead(models_of(job)->stream); }

static int stats(ws_job *job, double seconds, ws_stat *stat) {
    (void)seconds;
    stat[0] = (ws_stat){"models", "models", (double)models_of(job)->n, 0};
    return 1;
}

/* ---- the end ---- */

/* Locks the folder of a file until the caller closes what is returned, so that of two indexes that are done at once
 * one follows the other. It waits longer than files take to be renamed, and no more: a script may hold the lock itself
 * while it runs this program. -1: there is no lock. */
static int take_turn(const char *path) {
    enum { TRIES = 2000, NS = 1000000 };
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    const int fd = open(folder, O_RDONLY | O_CLOEXEC);
    for (int i = 0; fd >= 0 && i < TRIES && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; i++)
        nanosleep(&(struct timespec){.tv_nsec = NS}, NULL);
    return fd;
}

/* Lets the files take their places. Without .h3m HMMER takes none of the others for an index, so an old one goes first
 * and the new one comes last: no moment has an index whose files do not belong together. */
static int place_files(plan *p, const options *o, ws_err *err) {
    int rc = WS_OK;
    for (int i = 0; i < NFILE && !rc; i++) rc = ws_whole_seal(&p->file[i], err);
    ws_interrupt_hold();
    const int turn = rc ? -1 : take_turn(p->file[MODELS].path);
    if (!rc && !o->force) rc = check_existing(p, o, err);
    if (!rc && o->force && unlink(p->file[MODELS].path) != 0 && access(p->file[MODELS].path, F_OK) == 0)
        rc = ws_fail_errno(err, WS_EIO, "cannot replace %s", p->path[MODELS]);
    for (int i = NFILE - 1; i >= 0 && !rc; i--) rc = ws_whole_place(&p->file[i], err);
    if (turn >= 0) close(turn);
    ws_interrupt_release();
    return rc;
}

static int report(ws_job *job, ws_err *err) {
    const plan *p = plan_of(job);
    const unsigned long long n = p->keys.n, nacc = p->keys.nacc;
    ws_buf text = {0};
    int rc = ws_buf_adds(&text, job->peer ? "Working...    done.\n" : "", err);
    if (!rc) rc = ws_buf_addf(&text, err, "Pressed and indexed %llu HMMs (%llu names", n, n);
    if (!rc && nacc) rc = ws_buf_addf(&text, err, " and %llu accessions", nacc);
    if (!rc)
        rc = ws_buf_addf(&text, err,
                         ").\nModels pressed into binary file:   %s\nSSI index for binary model file:   %s\n"
                         "Profiles (MSV part) pressed into:  %s\nProfiles (remainder) pressed into: %s\n",
                         p->path[MODELS], p->path[INDEX], p->path[FILTER], p->path[REST]);
    if (!rc) rc = ws_job_write(job, 0, text.p, text.n, 1, err);
    ws_buf_release(&text);
    return rc;
}

static int finish(ws_job *job, ws_err *err) {
    plan *p = plan_of(job);
    ws_buf index = {0};
    if (job->common.dry_run) return WS_OK;
    int rc = ws_ssi_write(&p->keys, p->base, &index, err);
    if (rc == WS_EDATA) ws_err_prefix(err, "%s: ", job->input[0]);
    if (!rc) rc = ws_whole_write(&p->file[INDEX], index.p, index.n, err);
    ws_buf_release(&index);
    if (!rc) rc = place_files(p, options_of(job), err);
    return rc ? rc : report(job, err);
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

static const ws_peer *const peers[] = {&ws_peer_hmmpress, NULL};

const ws_tool ws_hmmindex_tool = {
    .name = "hmmindex",
    .peers = peers,
    .summary = "press a file of profile HMMs for hmmscan of HMMER, as hmmpress does",
    .usage = "HMMFILE",
    .examples = "  # three.hmm.h3m, .h3i, .h3f and .h3p, for hmmscan and other programs of HMMER\n"
                "  hmmindex three.hmm\n"
                "  # anew, after the models have changed\n"
                "  hmmindex -f three.hmm\n",
    .opts = opts,
    .own_size = sizeof(options),
    .reader = &reader,
    .open = open_index,
    .close = close_index,
    .early = early,
    .finish = finish,
};
