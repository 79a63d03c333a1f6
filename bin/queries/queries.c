/* SPDX-License-Identifier: MIT
 * Queries that are sequences: see bin/queries/queries.h. */
#include "bin/queries/queries.h"

#include "lib/base/parallel_for.h"
#include "lib/compress/source.h"

#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* for a hash state that we own */
#include <xxhash.h>

void ws_queryset_defaults(ws_queryset *q, const ws_abc *abc) {
    ws_build_settings s;
    ws_build_settings_default(&s, abc);
    q->popen = s.popen;
    q->pextend = s.pextend;
    q->Eft = s.tail;
    q->EmL = s.random[WS_BUILD_MSV].length;
    q->EmN = s.random[WS_BUILD_MSV].n;
    q->EvL = s.random[WS_BUILD_VITERBI].length;
    q->EvN = s.random[WS_BUILD_VITERBI].n;
    q->EfL = s.random[WS_BUILD_FORWARD].length;
    q->EfN = s.random[WS_BUILD_FORWARD].n;
}

/* ---- settings ---- */

static int read_matrix(ws_build_matrix *m, const ws_abc *abc, const char *path, ws_err *err) {
    char *text = NULL;
    size_t n = 0;
    int rc = ws_source_slurp(path, NULL, &text, &n, err);
    if (!rc) rc = ws_build_matrix_parse(m, abc, ws_source_name_of(path), text, n, err);
    ws_free(text);
    return rc;
}

int ws_queryset_settings(const ws_queryset *q, const ws_abc *abc, uint32_t seed, ws_build_settings *s, ws_err *err) {
    int rc = ws_opt_clash(q->mx != NULL, q->mxfile != NULL, "--mx", "--mxfile", err);
    if (rc) return rc;
    ws_build_settings_default(s, abc);
    s->seed = seed;
    s->popen = q->popen;
    s->pextend = q->pextend;
    s->tail = q->Eft;
    s->random[WS_BUILD_MSV] = (ws_build_lengths){(uint32_t)q->EmL, (uint32_t)q->EmN};
    s->random[WS_BUILD_VITERBI] = (ws_build_lengths){(uint32_t)q->EvL, (uint32_t)q->EvN};
    s->random[WS_BUILD_FORWARD] = (ws_build_lengths){(uint32_t)q->EfL, (uint32_t)q->EfN};
    if (q->mxfile) return read_matrix(&s->matrix, abc, q->mxfile, err);
    rc = q->mx ? ws_build_matrix_named(&s->matrix, abc, q->mx, err) : WS_OK;
    if (rc) err->code = WS_EUSAGE;
    return rc ? WS_EUSAGE : WS_OK;
}

/* ---- reading ---- */

static int take_operands(ws_job *job, ws_err *err) {
    const ws_cmdline *cl = &job->cmdline;
    if (cl->noperand == 0)
        return ws_fail(err, WS_EUSAGE, "no query: the first operand is the file of queries, the rest are sequences");
    job->input = cl->operand + 1;
    job->ninput = cl->noperand - 1;
    int from_stdin = job->ninput == 0;
    for (int i = 0; i < job->ninput; i++) from_stdin |= ws_source_is_stdin(job->input[i]);
    if (from_stdin && ws_source_is_stdin(cl->operand[0]))
        return ws_fail(err, WS_EUSAGE, "both the queries and the sequences would be read from standard input; "
                       "name a file for one of them");
    return WS_OK;
}

static int take_format(const ws_queryset *q, const ws_job *job, ws_format *format, ws_err *err) {
    *format = q->format ? ws_seqformat_find(q->format) : WS_FORMAT_AUTO;
    if (!q->format || *format != WS_FORMAT_AUTO) return WS_OK;
    return ws_seqformat_unknown("--qformat", q->format, job->tool->name, err);
}

static int read_all(ws_queryset *q, const char *path, ws_format format, const ws_abc *abc, ws_err *err) {
    const ws_seqread_conf conf = {.path = &path, .npath = 1, .format = format, .abc = abc,
                                  .batch_residues = 1 << 20, .batch_seqs = SIZE_MAX, .rows_apart = 1,
                                  .whole_text = 1};
    ws_seqread *reader = NULL;
    ws_batch part = {0};
    int rc = ws_seqread_open(&reader, &conf, err);
    while (!rc && !(rc = ws_seqread_fill(reader, &part, err)))
        for (size_t i = 0; i < part.n && !rc; i++) rc = ws_batch_copy_seq(&q->batch, &part, i, err);
    ws_seqread_close(reader);
    ws_batch_release(&part);
    return rc == WS_EOF ? WS_OK : rc;
}

/* Appends a text and a NUL. */
static int add_text(ws_buf *to, const ws_batch *b, ws_slice s, ws_err *err) {
    int rc = s.n ? ws_buf_add(to, ws_batch_text(b, s), s.n, err) : WS_OK;
    return rc ? rc : ws_buf_add(to, "", 1, err);
}

/* Lists the sequences that have residues. */
static int list_queries(ws_queryset *q, const ws_codec *codec, ws_err *err) {
    const ws_batch *b = &q->batch;
    uint8_t *codes = ws_buf_scratch(&q->codes, b->nword * WS_RESIDUES_PER_WORD + WS_ALIGN, err);
    size_t at = 0;
    int rc = codes ? WS_OK : err->code;
    if (!rc && !(q->query = ws_calloc(b->n, sizeof *q->query, err))) rc = err->code;
    for (size_t i = 0; i < b->n && !rc; i++) {
        rc = add_text(&q->text, b, b->seqtext[i].name, err);
        if (!rc) rc = add_text(&q->text, b, b->seqtext[i].desc, err);
        if (!rc) rc = add_text(&q->text, b, b->seqtext[i].acc, err);
    }
    if (rc) return rc;
    codec->unpack(b->word, b->nword * WS_RESIDUES_PER_WORD, codes);
    for (size_t i = 0; i < b->n; i++) {
        const char *name = q->text.p + at;
        char *desc = q->text.p + at + strlen(name) + 1;
        const char *acc = desc + strlen(desc) + 1;
        at += strlen(name) + strlen(desc) + strlen(acc) + 3;
        desc[strcspn(desc, "\1")] = '\0'; /* as HMMER: what follows are descriptions of other entries */
        if (b->len[i])
            q->query[q->n++] = (ws_queryseq){.name = name, .desc = desc, .acc = acc, .L = b->len[i], .number = i,
                                             .x = codes + WS_RESIDUES_PER_WORD * b->first[i]};
    }
    return WS_OK;
}

int ws_queryset_load(ws_queryset *q, const char *path, ws_format format, const ws_abc *abc, const ws_codec *codec,
                     ws_err *err) {
    const int rc = read_all(q, path, format, abc, err);
    return rc ? rc : list_queries(q, codec, err);
}

int ws_queryset_read(ws_queryset *q, ws_job *job, ws_err *err) {
    ws_format format;
    int rc = take_operands(job, err);
    if (!rc) rc = take_format(q, job, &format, err);
    if (!rc)
        rc = ws_queryset_load(q, job->cmdline.operand[0], format, ws_abc_get(WS_ABC_AMINO),
                              ws_codec_get(&job->machine.cpu), err);
    if (rc || q->n || (q->batch.n && job->peer)) return rc;
    return ws_fail(err, WS_EDATA, "%s: no query: the file has %zu sequences, none of them with residues",
                   ws_source_name_of(job->cmdline.operand[0]), q->batch.n);
}

/* ---- models ---- */

typedef struct making {
    const ws_queryset *q;
    ws_hmmset *set;
} making;

static int make_model(void *ctx, size_t i, ws_err *err) {
    const making *m = ctx;
    const ws_queryseq *q = &m->q->query[i];
    const ws_build_sequence s = {.name = q->name, .codes = q->x, .L = q->L};
    ws_hmm *h = &m->set->hmm[i];
    const int rc = ws_build_from_sequence(m->q->builder, &s, h, err);
    if (!rc) h->made->effn = -1; /* hmmbuild alone says 1 */
    return rc;
}

int ws_queryset_models(ws_queryset *q, const ws_job *job, const ws_build_settings *s, ws_hmmset *set, ws_err *err) {
    making m = {q, set};
    ws_build_settings own = *s;
    own.stop = job->stop;
    *set = (ws_hmmset){0};
    if (!(set->hmm = ws_calloc(q->n, sizeof *set->hmm, err))) return err->code;
    set->n = q->n; /* those that are not made are zero, which is legal to release */
    int rc = q->builder ? WS_OK : ws_builder_create(&q->builder, &own, err);
    if (!rc) rc = ws_parallel_for(q->n, ws_job_threads(job), make_model, &m, err);
    if (rc) {
        ws_hmmset_release(set);
        return rc;
    }
    ws_queryset_hash(set);
    return WS_OK;
}

void ws_queryset_hash(ws_hmmset *set) {
    XXH3_state_t state;
    (void)XXH3_64bits_reset(&state);
    for (size_t i = 0; i < set->n; i++)
        (void)XXH3_64bits_update(&state, &set->hmm[i].hash, sizeof set->hmm[i].hash);
    set->xxh3 = XXH3_64bits_digest(&state);
}

void ws_queryset_release(ws_queryset *q) {
    ws_builder_destroy(q->builder);
    ws_batch_release(&q->batch);
    ws_buf_release(&q->codes);
    ws_buf_release(&q->text);
    ws_free(q->query);
    *q = (ws_queryset){0};
}
