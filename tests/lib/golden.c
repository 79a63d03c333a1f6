/* SPDX-License-Identifier: MIT
 * Every row and column of the golden tables (scores of HMMER 3.4) against lib/hmm and the kernels.
 *
 *   golden [-b BACKEND] [-t THREADS] [DIR...]
 *
 * Without BACKEND all are checked, that of devices too where there is one. Without DIR the subset in tests/data/golden
 * is taken, and the full set in ../shared/golden where it is at hand and WARPSIEVE_TESTS is "full" (some seven minutes
 * of processor time). A folder holds up to four sets: a table, its targets and its models.
 *
 * Integer filters, null and bias scores must agree to the last bit, P-values to 5 digits, Forward with fwd64_nats
 * within 1e-3 + 1e-6 |score| (section 16), and where hmmsearch's pipeline stops must follow from them. HMMER's own
 * Forward (fwd_nats, gfwd_nats) is less exact than fwd64_nats; its bits and P-values check the conversion. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/msv/msv.h"
#include "lib/base/cpu.h"
#include "lib/hmm/evalue.h"
#include "lib/hmm/target.h"
#include "lib/compress/source.h"
#include "lib/simd/codec.h"
#include "tests/lib/hmmread.h"
#include "tests/tap.h"

extern const ws_tool ws_ssvfilt_tool, ws_msvfilt_tool, ws_vitfilt_tool, ws_fwdscore_tool;

enum { SSV, MSV, VIT, FWD, NKERNEL };
enum { PATH_BYTES = 1024, JOB_ROWS = 128 };
enum {
    MODEL, QUERY, QLEN, TARGET, TLEN, SSV_STATUS, SSV_NATS, MSV_STATUS, MSV_NATS, FULL_STATUS, FULL_NATS, NULL_NATS,
    MSV_BITS, MSV_P, BIAS_NATS, MSVB_BITS, MSVB_P, VIT_STATUS, VIT_NATS, VIT_BITS, VIT_P, VITB_BITS, VITB_P, FWD_STATUS,
    FWD_NATS, FWD_BITS, FWD_P, FWDB_BITS, FWDB_P, GFWD_NATS, FWD64_NATS, PIPE, NCOLUMN
};
static const char *const column_name[NCOLUMN] = {
    "model", "query", "M", "target", "L", "ssv_status", "ssv_nats", "msv_status", "msv_nats", "msvfull_status",
    "msvfull_nats", "null_nats", "msv_bits", "msv_P", "bias_nats", "msvb_bits", "msvb_P", "vit_status", "vit_nats",
    "vit_bits", "vit_P", "vitb_bits", "vitb_P", "fwd_status", "fwd_nats", "fwd_bits", "fwd_P", "fwdb_bits", "fwdb_P",
    "gfwd_nats", "fwd64_nats", "pipe"};

static const struct {
    const char *table, *fasta, *models;
} sets[] = {{"worked/worked.tsv", "worked/worked.fa", "worked"},
            {"hmmer34-dev.tsv.gz", "dev.fa", "models"},
            {"hmmer34-dna.tsv.gz", "dna.fa", "dna-models"},
            {"formats/hmmer34-formats.tsv.gz", "formats/formats.fa", "formats"}};

static void die(const ws_err *err) {
    printf("Bail out! %s\n", err->text);
    exit(1);
}

static int is_there(const char *path) { return access(path, R_OK) == 0; }

/* dir/name, or dir/name.gz if only that is there */
static int find_file(char path[PATH_BYTES], const char *dir, const char *name) {
    static const char *const suffix[] = {"", ".gz"};
    for (int i = 0; i < 2; i++) {
        int n = snprintf(path, PATH_BYTES, "%s/%s%s", dir, name, suffix[i]);
        if (n < PATH_BYTES && is_there(path)) return 1;
    }
    return 0;
}

/* ---- the targets ---- */

typedef struct seqs {
    char **name;
    ws_batch batch; /* without texts */
    ws_buf codes;
    ws_lenmodel *lm;
    ws_seqs all; /* as backends take them */
    size_t name_cap;
} seqs;

static void pad(ws_buf *codes, ws_err *err) {
    static const uint8_t none[6] = {31, 31, 31, 31, 31, 31};
    if (ws_buf_add(codes, none, (6 - codes->n % 6) % 6, err)) die(err);
}

/* FASTA as section 2.3 has it; the files are known to be clean. */
static void read_fasta(seqs *s, const char *path, const ws_abc *abc) {
    static const ws_seqtext no_text;
    ws_err err;
    char *text;
    size_t n;
    if (ws_source_slurp(path, NULL, &text, &n, &err)) die(&err);
    for (const char *p = text; *p;) {
        size_t i = s->batch.n, head = strcspn(p, "\n");
        if (ws_grow(&s->name, &s->name_cap, i + 1, sizeof *s->name, &err)) die(&err);
        s->name[i] = ws_strndup(p + 1, strcspn(p + 1, " \t\n"), &err);
        const size_t begin = s->codes.n;
        for (p += head; *p && *p != '>'; p++) {
            uint8_t code = abc->code_of[(unsigned char)*p];
            if (code < abc->Kp && ws_buf_add(&s->codes, &code, 1, &err)) die(&err);
        }
        const size_t n_codes = s->codes.n - begin;
        if (ws_batch_add_seq(&s->batch, begin / 6, (uint32_t)n_codes, &no_text, &err)) die(&err);
        pad(&s->codes, &err);
    }
    ws_free(text);
    s->batch.nword = s->codes.n / 6;
    if (ws_batch_reserve_words(&s->batch, 0, &err) || ws_buf_reserve(&s->codes, WS_ALIGN, &err)) die(&err);
    ws_codec_scalar.pack((const uint8_t *)s->codes.p, s->codes.n, s->batch.word);
    if (!(s->lm = ws_calloc(s->batch.n, sizeof *s->lm, &err))) die(&err);
    for (size_t i = 0; i < s->batch.n; i++) ws_lenmodel_set(&s->lm[i], s->batch.len[i]);
    s->all = ws_seqs_of(&s->batch, (const uint8_t *)s->codes.p);
    s->all.perseq = s->lm;
    s->all.identity = ws_dev_identity();
}

static void release_seqs(seqs *s) {
    for (size_t i = 0; i < s->batch.n; i++) ws_free(s->name[i]);
    ws_free(s->name);
    ws_batch_release(&s->batch);
    ws_buf_release(&s->codes);
    ws_free(s->lm);
}

/* ---- the models ---- */

typedef struct model {
    char *file;
    ws_hmmset set;
    ws_hmm_target *target; /* one per model of the set */
    void **prep[NKERNEL];
    ws_bytes *bytes;
    int hmmer2; /* refused, as it should be */
} model;

typedef struct golden {
    const ws_backend *backend[NKERNEL];
    seqs seqs;
    model *model;
    size_t nmodel, model_cap;
    char *text, *end; /* the table, tabs and newlines as zeros */
    char **row;       /* the first field of each row */
    size_t nrow, row_cap;
    struct job *job;
    size_t njob, job_cap;
    atomic_size_t next;
    pthread_mutex_t lock;
    size_t checked, refused, bad, worst_row;
    double worst; /* Forward's largest deviation */
} golden;

typedef struct job {
    size_t model, query, first, n;
} job;

static void prepare_model(const golden *g, model *m) {
    ws_err err;
    m->target = ws_calloc(m->set.n, sizeof *m->target, &err);
    m->bytes = ws_calloc(m->set.n, sizeof *m->bytes, &err);
    for (int k = 0; k < NKERNEL; k++) m->prep[k] = ws_calloc(m->set.n, sizeof *m->prep[k], &err);
    for (size_t i = 0; i < m->set.n; i++) {
        ws_hmm_target *h = &m->target[i];
        ws_target target = {.name = m->set.hmm[i].name, .data = h};
        h->hmm = &m->set.hmm[i];
        ws_bias_set(&h->bias, h->hmm);
        if (ws_profile_create(&h->profile, h->hmm, &err) || ws_bytes_create(&m->bytes[i], &h->profile, &err)) die(&err);
        for (int k = 0; k < NKERNEL; k++)
            if (g->backend[k]->prepare(g->backend[k], &target, &m->prep[k][i], &err)) die(&err);
    }
}

static size_t find_model(golden *g, const char *folder, const char *file) {
    char path[PATH_BYTES], name[PATH_BYTES / 4];
    ws_err err;
    for (size_t i = g->nmodel; i-- > 0;)
        if (strcmp(g->model[i].file, file) == 0) return i;
    if (ws_grow(&g->model, &g->model_cap, g->nmodel + 1, sizeof *g->model, &err)) die(&err);
    model *m = &g->model[g->nmodel];
    *m = (model){.file = ws_strndup(file, strlen(file), &err)};
    snprintf(name, sizeof name, "%s.h3m", file);
    if (!find_file(path, folder, name)) {
        snprintf(name, sizeof name, "%s.hmm", file);
        find_file(path, folder, name);
    }
    int rc = hmm_read(&m->set, path, 2, &err);
    m->hmmer2 = rc == WS_EDATA && strstr(err.text, "hmmconvert") != NULL;
    if (rc && !m->hmmer2) die(&err);
    prepare_model(g, m);
    return g->nmodel++;
}

static void release_model(const golden *g, model *m) {
    for (size_t i = 0; i < m->set.n; i++) {
        for (int k = 0; k < NKERNEL; k++) g->backend[k]->release(m->prep[k][i]);
        ws_bytes_destroy(&m->bytes[i]);
        ws_profile_destroy(&m->target[i].profile);
    }
    for (int k = 0; k < NKERNEL; k++) ws_free(m->prep[k]);
    ws_free(m->bytes);
    ws_free(m->target);
    ws_free(m->file);
    ws_hmmset_release(&m->set);
}

/* ---- the table ---- */

static const char *field(const char *row, int c) {
    while (c-- > 0) row += strlen(row) + 1;
    return row;
}

static void read_table(golden *g, const char *path) {
    ws_err err;
    size_t n;
    if (ws_source_slurp(path, NULL, &g->text, &n, &err)) die(&err);
    g->end = g->text + n;
    for (char *line = g->text; line < g->end;) {
        char *stop = memchr(line, '\n', (size_t)(g->end - line));
        if (ws_grow(&g->row, &g->row_cap, g->nrow + 1, sizeof *g->row, &err)) die(&err);
        g->row[g->nrow++] = line;
        for (char *p = line; p < stop; p++)
            if (*p == '\t') *p = '\0';
        *stop = '\0';
        line = stop + 1;
    }
    for (int c = 0; c < NCOLUMN; c++)
        if (strcmp(field(g->row[0], c), column_name[c]) != 0) {
            ws_fail(&err, WS_EDATA, "%s: column %d is not %s", path, c + 1, column_name[c]);
            die(&err);
        }
}

/* Runs of rows of one model, cut short enough for threads to share. */
static void make_jobs(golden *g, const char *folder) {
    ws_err err;
    for (size_t r = 1; r < g->nrow;) {
        const char *file = field(g->row[r], MODEL), *query = field(g->row[r], QUERY);
        job j = {.model = find_model(g, folder, file), .first = r};
        const ws_hmmset *set = &g->model[j.model].set;
        while (j.query < set->n && strcmp(set->hmm[j.query].name, query) != 0) j.query++;
        while (r < g->nrow && j.n < JOB_ROWS && !strcmp(file, field(g->row[r], MODEL)) &&
               !strcmp(query, field(g->row[r], QUERY)))
            r++, j.n++;
        if (g->model[j.model].hmmer2) {
            g->refused += j.n;
            continue;
        }
        if (j.query == set->n) {
            ws_fail(&err, WS_EDATA, "%s has no model %s", file, query);
            die(&err);
        }
        if (ws_grow(&g->job, &g->job_cap, g->njob + 1, sizeof *g->job, &err)) die(&err);
        g->job[g->njob++] = j;
    }
}

/* ---- the checks ---- */

typedef struct checker {
    golden *g;
    ws_buf scratch;
    ws_fscore *score[NKERNEL];
    uint32_t *item;
    size_t bad, worst_row, prior; /* prior: where the last target was found */
    double worst;
} checker;

static void complain(checker *c, const char *row, int col, const char *got) {
    if (c->bad++ < 10)
        tap_note("%s %s %s: %s is %s, expected %s", field(row, MODEL), field(row, QUERY), field(row, TARGET),
                 column_name[col], got, field(row, col));
}

static void check_text(checker *c, const char *row, int col, const char *got) {
    if (strcmp(field(row, col), got) != 0) complain(c, row, col, got);
}

/* %.9g gives back every single; -0 and 0 may differ, NaN never agrees. */
static void check_float(checker *c, const char *row, int col, float got) {
    char text[32];
    if (strtof(field(row, col), NULL) == got) return;
    snprintf(text, sizeof text, "%.9g", (double)got);
    complain(c, row, col, text);
}

/* HMMER flushes subnormal numbers to zero, so P below DBL_MIN is 0 there. */
static void check_p(checker *c, const char *row, int col, double got) {
    double want = strtod(field(row, col), NULL);
    char text[32];
    if (got == want || fabs(got - want) <= 5e-6 * fabs(want) + DBL_MIN) return;
    snprintf(text, sizeof text, "%.9g", got);
    complain(c, row, col, text);
}

static const char *status_text(ws_fscore s) {
    static const char *const text[] = {"OK", "ERANGE", "NORESULT", "ERANGE"};
    return text[s.status];
}

static void check_status(checker *c, const char *row, int status_col, ws_fscore s) {
    check_text(c, row, status_col, status_text(s));
    if (strcmp(field(row, status_col + 1), "NA") != 0) check_float(c, row, status_col + 1, s.nats);
}

static void check_forward(checker *c, size_t r, ws_fscore s) {
    const char *row = c->g->row[r];
    double want = strtod(field(row, FWD64_NATS), NULL), delta = fabs((double)s.nats - want);
    char text[32];
    check_text(c, row, FWD_STATUS, status_text(s));
    if (s.status != WS_F_OK) {
        if (s.nats != -INFINITY) complain(c, row, FWD64_NATS, "not -inf");
        return;
    }
    if (delta > c->worst) {
        c->worst = delta;
        c->worst_row = r;
    }
    if (delta <= 1e-3 + 1e-6 * fabs(want)) return;
    snprintf(text, sizeof text, "%.9g", (double)s.nats);
    complain(c, row, FWD64_NATS, text);
}

static void check_gumbel(checker *c, const char *row, int col, float nats, float null_nats, const float *param) {
    float bits = ws_bits(nats, null_nats);
    check_float(c, row, col, bits);
    check_p(c, row, col + 1, ws_gumbel_p(bits, param[0], param[1]));
}

/* From the table's own Forward score, whose last digits are HMMER's. */
static void check_tail(checker *c, const char *row, int col, float null_nats, const float *param) {
    if (strcmp(field(row, FWD_NATS), "NA") == 0) return;
    float bits = ws_bits(strtof(field(row, FWD_NATS), NULL), null_nats);
    check_float(c, row, col, bits);
    check_p(c, row, col + 1, ws_exp_p(bits, param[0], param[1]));
}

/* Section 12.2 with the default thresholds. A Forward score at the threshold may stand on either side of it. */
static void check_pipe(checker *c, const char *row, const ws_hmm *hmm, float null_nats, float bias,
                       ws_fscore *const score[], size_t i) {
    const float *ev = hmm->evparam;
    double msv = ws_gumbel_p(ws_bits(score[MSV][i].nats, null_nats), ev[WS_MMU], ev[WS_MLAMBDA]);
    double corrected = ws_gumbel_p(ws_bits(score[MSV][i].nats, bias), ev[WS_MMU], ev[WS_MLAMBDA]);
    double vit = ws_gumbel_p(ws_bits(score[VIT][i].nats, bias), ev[WS_VMU], ev[WS_VLAMBDA]);
    double fwd = ws_exp_p(ws_bits(score[FWD][i].nats, bias), ev[WS_FTAU], ev[WS_FLAMBDA]);
    const char *stop = "pass";
    if (fwd > 1e-5) stop = "fwd";
    if (score[FWD][i].status != WS_F_OK) stop = "error";
    if (corrected > 1e-3 && vit > 1e-3) stop = "vit";
    if (corrected > 0.02) stop = "bias";
    if (msv > 0.02) stop = "msv";
    if (fabs(fwd - 1e-5) > 1e-8) check_text(c, row, PIPE, stop);
}

static void check_row(checker *c, const job *j, size_t i) {
    const char *row = c->g->row[j->first + i];
    const model *m = &c->g->model[j->model];
    const ws_hmm *hmm = &m->set.hmm[j->query];
    const ws_seqs *all = &c->g->seqs.all;
    const ws_lenmodel *lm = &c->g->seqs.lm[c->item[i]];
    const uint8_t *x = ws_seqs_codes(all, c->item[i]);
    size_t L = all->len[c->item[i]];
    ws_err err;

    if (atoi(field(row, QLEN)) != hmm->M) complain(c, row, QLEN, "another number");
    if ((size_t)atoi(field(row, TLEN)) != L) complain(c, row, TLEN, "another number");
    if (L == 0) {
        for (int k = 0; k < NKERNEL; k++)
            if (c->score[k][i].nats != -INFINITY) complain(c, row, SSV_NATS, "not -inf for no residues");
        return;
    }
    uint8_t *cell = ws_buf_scratch(&c->scratch, (size_t)hmm->M + 1, &err);
    if (!cell) die(&err);
    check_status(c, row, SSV_STATUS, c->score[SSV][i]);
    check_status(c, row, MSV_STATUS, c->score[MSV][i]);
    check_status(c, row, FULL_STATUS, ws_msv_full_ref(&m->bytes[j->query], lm, x, L, cell));
    check_status(c, row, VIT_STATUS, c->score[VIT][i]);
    check_forward(c, j->first + i, c->score[FWD][i]);

    float bias = ws_bias_score(&m->target[j->query].bias, lm, x, L);
    check_float(c, row, NULL_NATS, lm->null_nats);
    check_float(c, row, BIAS_NATS, bias);
    check_gumbel(c, row, MSV_BITS, c->score[MSV][i].nats, lm->null_nats, &hmm->evparam[WS_MMU]);
    check_gumbel(c, row, MSVB_BITS, c->score[MSV][i].nats, bias, &hmm->evparam[WS_MMU]);
    check_gumbel(c, row, VIT_BITS, c->score[VIT][i].nats, lm->null_nats, &hmm->evparam[WS_VMU]);
    check_gumbel(c, row, VITB_BITS, c->score[VIT][i].nats, bias, &hmm->evparam[WS_VMU]);
    check_tail(c, row, FWD_BITS, lm->null_nats, &hmm->evparam[WS_FTAU]);
    check_tail(c, row, FWDB_BITS, bias, &hmm->evparam[WS_FTAU]);
    check_pipe(c, row, hmm, lm->null_nats, bias, c->score, i);
}

/* Tables list the targets in the order of their file. */
static uint32_t find_seq(checker *c, const char *name) {
    const seqs *s = &c->g->seqs;
    for (size_t i = 0; i < s->batch.n; i++) {
        size_t at = (c->prior + 1 + i) % s->batch.n;
        if (strcmp(s->name[at], name) == 0) return (uint32_t)(c->prior = at);
    }
    ws_err err;
    ws_fail(&err, WS_EDATA, "no target %s", name);
    die(&err);
    return 0;
}

static void check_job(checker *c, const job *j) {
    golden *g = c->g;
    ws_err err;
    for (size_t i = 0; i < j->n; i++) c->item[i] = find_seq(c, field(g->row[j->first + i], TARGET));
    for (int k = 0; k < NKERNEL; k++) {
        ws_task task = {.prep = g->model[j->model].prep[k][j->query], .item = c->item, .n = j->n, .score = c->score[k]};
        if (g->backend[k]->score(&g->seqs.all, &task, 1, &c->scratch, &err)) die(&err);
    }
    for (size_t i = 0; i < j->n; i++) check_row(c, j, i);
}

static void *check_jobs(void *arg) {
    golden *g = arg;
    checker c = {.g = g};
    ws_err err;
    size_t i, checked = 0;
    for (int k = 0; k < NKERNEL; k++)
        if (!(c.score[k] = ws_calloc(JOB_ROWS, sizeof *c.score[k], &err))) die(&err);
    if (!(c.item = ws_calloc(JOB_ROWS, sizeof *c.item, &err))) die(&err);
    while ((i = atomic_fetch_add(&g->next, 1)) < g->njob) {
        check_job(&c, &g->job[i]);
        checked += g->job[i].n;
    }
    pthread_mutex_lock(&g->lock);
    g->checked += checked;
    g->bad += c.bad;
    if (c.worst > g->worst) {
        g->worst = c.worst;
        g->worst_row = c.worst_row;
    }
    pthread_mutex_unlock(&g->lock);
    for (int k = 0; k < NKERNEL; k++) ws_free(c.score[k]);
    ws_free(c.item);
    ws_buf_release(&c.scratch);
    return NULL;
}

/* ---- sets and main ---- */

static void check_set(tap *t, golden *g, const char *table, const char *fasta, const char *models, int threads) {
    pthread_t thread[64];
    read_table(g, table);
    make_jobs(g, models);
    read_fasta(&g->seqs, fasta, g->model[g->nmodel - 1].set.n ? g->model[g->nmodel - 1].set.hmm[0].abc
                                                               : ws_abc_get(WS_ABC_AMINO));
    pthread_mutex_init(&g->lock, NULL);
    atomic_init(&g->next, 0);
    int started = 0;
    while (started < threads - 1 && started < 64 && !pthread_create(&thread[started], NULL, check_jobs, g)) started++;
    check_jobs(g);
    while (started) pthread_join(thread[--started], NULL);
    pthread_mutex_destroy(&g->lock);
    tap_ok(t, g->bad == 0 && g->checked + g->refused == g->nrow - 1,
           "%s, %s: %zu rows, every column (%zu deviations), %zu rows of refused HMMER2", g->backend[0]->name, table,
           g->checked, g->bad, g->refused);
    const char *row = g->row[g->worst_row];
    tap_note("largest Forward deviation: %.3g nats of %s (%s, %s)", g->worst, field(row, FWD64_NATS), field(row, QUERY),
             field(row, TARGET));
}

static void release(golden *g) {
    for (size_t i = 0; i < g->nmodel; i++) release_model(g, &g->model[i]);
    ws_free(g->model);
    ws_free(g->text);
    ws_free(g->row);
    ws_free(g->job);
    release_seqs(&g->seqs);
}

static void check_folder(tap *t, const ws_backend *const *backend, const char *dir, int threads) {
    char table[PATH_BYTES], fasta[PATH_BYTES], models[PATH_BYTES];
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        golden g = {.worst = 0};
        memcpy(g.backend, backend, sizeof g.backend);
        if (!find_file(table, dir, sets[i].table)) {
            tap_skip(t, table, "not there");
            continue;
        }
        find_file(fasta, dir, sets[i].fasta);
        snprintf(models, sizeof models, "%s/%s", dir, sets[i].models);
        check_set(t, &g, table, fasta, models, threads);
        release(&g);
    }
    tap_note("ran golden scores in %s with %s", dir, backend[0]->name);
}

static const ws_backend *find_backend(const ws_tool *tool, const char *name, const ws_machine *machine,
                                      const char **why) {
    *why = "no such backend";
    for (const ws_backend *const *b = tool->backends; *b; b++)
        if (strcmp((*b)->name, name) == 0 && (*b)->usable(machine, why)) return *b;
    return NULL;
}

static void check_backend(tap *t, const char *name, const ws_machine *machine, char **dir, int ndir, int threads) {
    static const ws_tool *const tool[NKERNEL] = {&ws_ssvfilt_tool, &ws_msvfilt_tool, &ws_vitfilt_tool,
                                                 &ws_fwdscore_tool};
    const ws_backend *backend[NKERNEL];
    const char *why, *depth = getenv("WARPSIEVE_TESTS"), *full = "../shared/golden";
    for (int k = 0; k < NKERNEL; k++)
        if (!(backend[k] = find_backend(tool[k], name, machine, &why))) {
            tap_skip(t, name, why);
            return;
        }
    if (backend[0]->start) {
        const ws_devconf conf = {0};
        ws_err err;
        if (backend[0]->start(&conf, &err)) die(&err);
        threads = 1; /* a batch is loaded by one */
    }
    for (int i = 0; i < ndir; i++) check_folder(t, backend, dir[i], threads);
    if (ndir == 0) check_folder(t, backend, "tests/data/golden", threads);
    if (ndir == 0 && depth && strcmp(depth, "full") == 0 && is_there(full)) check_folder(t, backend, full, threads);
    if (backend[0]->stop) backend[0]->stop();
}

int main(int argc, char **argv) {
    const char *only = NULL;
    int threads = ws_cpu_allowed(), at = 1;
    ws_machine machine = {0};
    tap t = {0};

    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (argv[at][1] == 'b') only = argv[at + 1];
        if (argv[at][1] == 't') threads = atoi(argv[at + 1]);
    }
    ws_cpu_probe(&machine.cpu);
    for (int i = WS_WIDTH_scalar; i >= -1; i--) {
        const char *name = i < 0 ? "cuda" : ws_width_name[i];
        if (!only || strcmp(only, name) == 0) check_backend(&t, name, &machine, argv + at, argc - at, threads);
    }
    return tap_end(&t);
}
