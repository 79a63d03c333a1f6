/* SPDX-License-Identifier: MIT
 * hmmfit: aligns sequences to a model, with hmmalign's options. */
#include "bin/filters/models.h"
#include "bin/fit/fit.h"
#include "lib/compress/source.h"
#include "lib/run/peer.h"

#include <string.h>

/* ---- options ---- */

#define AT(field) offsetof(ws_fit, field)
#define PLAIN .given = WS_OPT_NOGIVEN
#define FLAG(name_, field, group_, help_) \
    {0, name_, NULL, WS_OPT_FLAG, AT(field), NULL, help_, .group = group_, PLAIN}

static const char *const badres[] = {"error", "x", "skip", NULL};

static const ws_opt opts[] = {
    FLAG("amino", amino, WS_GROUP_INPUT, "insist on a model of proteins"),
    FLAG("dna", dna, WS_GROUP_INPUT, "insist on a model of DNA"),
    FLAG("rna", rna, WS_GROUP_INPUT, "insist on a model of RNA"),
    {0, "in-format", "informat", WS_OPT_CHOICE, AT(in_format), "FORMAT",
     "insist on " WS_FORMAT_NAMES " [auto: by content]", .choices = ws_format_names,
     .group = WS_GROUP_INPUT, PLAIN},
    {0, "bad-residue", NULL, WS_OPT_CHOICE, AT(badres), "WHAT",
     "characters that are no residues: error, x (take the any residue) or skip [error]", .choices = badres,
     .group = WS_GROUP_INPUT, PLAIN},

    {'O', "out-format", "outformat", WS_OPT_CHOICE, AT(out_format), "FORMAT",
     "write " WS_MSAFORM_NAMES " [stockholm]", .choices = ws_msaform_names, .group = WS_GROUP_OUTPUT, PLAIN},
    {0, "mapali", NULL, WS_OPT_STRING, AT(mapali), "FILE", "write the rows of the model's alignment first",
     .group = WS_GROUP_INPUT, PLAIN},
    FLAG("trim", trim, WS_GROUP_OUTPUT, "leave out residues before the first node and behind the last"),
    {0, "mem", NULL, WS_OPT_SIZE, AT(mem), "SIZE",
     "memory for rows that wait for the last one; more go to a temporary file [1G]", .min = 1, .max = 1e15,
     .group = WS_GROUP_RUN, PLAIN},
    /* of hmmalign 3.0, which is the rule since */
    {0, "allcol", NULL, WS_OPT_FLAG, AT(ignored), NULL, "", .flags = WS_OPT_HIDDEN, PLAIN},
    WS_OPT_END,
};

/* Returns the alphabet that options insist on; NULL: none. */
static const char *asked_alphabet(const ws_fit *f) {
    return f->amino ? "amino" : f->dna ? "DNA" : f->rna ? "RNA" : NULL;
}

static int check_options(ws_fit *f, const ws_job *job, ws_err *err) {
    if (f->amino + f->dna + f->rna > 1)
        return ws_fail(err, WS_EUSAGE, "only one of --amino, --dna and --rna can be given");
    f->form = (ws_msaform)f->out_format;
    f->rows.most = f->mem ? f->mem : (uint64_t)1 << 30;
    f->streams = f->form == WS_MSAFORM_A2M || f->form == WS_MSAFORM_A3M;
    int from_stdin = job->ninput == 0;
    for (int i = 0; i < job->ninput; i++) from_stdin |= ws_source_is_stdin(job->input[i]);
    if (f->mapali && ws_source_is_stdin(f->mapali) && (from_stdin || ws_source_is_stdin(job->cmdline.operand[0])))
        return ws_fail(err, WS_EUSAGE, "--mapali: both the alignment and %s would be read from standard input",
                       from_stdin ? "the sequences" : "the model");
    if (job->common.fields)
        return ws_fail(err, WS_EUSAGE, "--fields chooses columns of a table; hmmfit writes alignments");
    return WS_OK;
}

/* ---- the model ---- */

static int read_model(ws_fit *f, const char *const *path, int threads, ws_err *err) {
    const char *want = asked_alphabet(f), *name = ws_source_name_of(*path);
    int rc = ws_hmmset_find(&f->set, path, 1, threads, err);
    if (rc) return rc;
    if (f->set.n != 1)
        return ws_fail(err, WS_EDATA, "%s has %zu models, expected one: sequences are aligned to one model", name,
                       f->set.n);
    f->hmm = &f->set.hmm[0];
    if (want && strcmp(want, f->hmm->abc->name) != 0)
        return ws_fail(err, WS_EDATA, "%s: model %s has the alphabet %s, expected %s", name, f->hmm->name,
                       f->hmm->abc->name, want);
    rc = ws_hmmset_load(&f->set, 0, err);
    if (!rc) rc = ws_profile_create(&f->profile, f->hmm, err);
    if (!rc) rc = ws_dom_tables_create(&f->tables, &f->profile, 0.0f, 0.0f, err);
    return rc;
}

/* Writes the rows of --mapali where rows leave as they are made. */
static int head(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    ws_fit *f = ws_fit_of(job);
    ws_sink s = {.text = *text};
    (void)own;
    if (!f->streams || f->rows.n == 0) return WS_OK;
    int rc = ws_fitrows_write(f, &s, err);
    if (!rc && s.err.code) rc = ws_sink_flush(&s, err);
    ws_fitrows_release(&f->rows);
    *text = s.text;
    return rc;
}

static int open_fit(ws_job *job, ws_err *err) {
    ws_fit *f = ws_fit_of(job);
    const char *const *path;
    size_t npath;
    f->odd_names = &job->odd_names;
    int rc = ws_models_operands(job, NULL, &path, &npath, err);
    if (!rc) rc = check_options(f, job, err);
    if (!rc) rc = read_model(f, path, ws_job_threads(job), err);
    if (!rc) rc = ws_models_make_targets(job, &f->set, f, sizeof *f, err);
    job->out[0].head = head;
    return rc || !f->mapali ? rc : ws_fit_mapali(f, err);
}

static void close_fit(ws_job *job) {
    ws_fit *f = ws_fit_of(job);
    ws_fitrows_release(&f->rows);
    ws_dom_tables_destroy(f->tables);
    ws_profile_destroy(&f->profile);
    ws_free(job->target);
    ws_hmmset_release(&f->set);
}

/* ---- the end ---- */

static int write_text(void *job, const char *p, size_t n, ws_err *err) { return ws_job_write(job, 0, p, n, 0, err); }

static int finish(ws_job *job, ws_err *err) {
    ws_fit *f = ws_fit_of(job);
    ws_sink s = {.write = write_text, .to = job};
    if (f->rows.n == 0) return WS_OK;
    int rc = ws_fitrows_write(f, &s, err);
    if (!rc) rc = ws_sink_flush(&s, err);
    ws_sink_release(&s);
    return rc ? rc : ws_job_write(job, 0, "", 0, f->rows.n, err);
}

/* The model is ready for all backends when it has been read. */
static int prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    (void)self;
    (void)err;
    *prep = t->data;
    return WS_OK;
}
static void release(void *prep) { (void)prep; }

#define BACKEND(width, ...) \
    &(const ws_backend){.name = #width, .usable = ws_usable_##width, .prepare = prepare, .release = release, \
                        .own = &ws_dom_##width},
static const ws_backend *const backends[] = {WS_WIDTHS(BACKEND, ) BACKEND(scalar, ) NULL};

static const ws_peer *const peers[] = {&ws_peer_hmmalign, NULL};

const ws_tool ws_hmmfit_tool = {
    .name = "hmmfit",
    .peers = peers,
    .summary = "align sequences to a profile HMM, with hmmalign's options and alignments",
    .usage = "MODEL [SEQUENCES...]",
    .examples = "  # in place of hmmalign --trim -o all.sto m.hmm proteins.fa\n"
                "  hmmfit --trim -o all.sto m.hmm proteins.fa\n"
                "  # rows as they are made, for a program that reads A3M\n"
                "  zcat db.fa.gz | hmmfit -O a3m m.hmm > rows.a3m\n",
    .opts = opts,
    .own_size = sizeof(ws_fit),
    .backends = backends,
    .reader = &ws_fit_reader,
    .open = open_fit,
    .close = close_fit,
    .finish = finish,
};
