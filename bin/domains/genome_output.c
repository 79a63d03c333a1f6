/* SPDX-License-Identifier: MIT
 * Hits in genomes as nhmmsieve and domscore write them: a table, nhmmer's --tblout, BED and GFF3. */
#include "bin/domains/genome.h"
#include "lib/run/table.h"

#include <math.h>
#include <string.h>

enum { NAME, QUERY, QUERY_ACCESSION, STRAND, TLEN, QLEN, EVALUE, BITS, BIAS, HMM_FROM, HMM_TO, ALI_FROM, ALI_TO, ENV_FROM, ENV_TO, DESC };
static const char *const column_name[WS_GENOME_COLUMNS] = {
    [NAME] = "name",         [QUERY] = "query",     [QUERY_ACCESSION] = "query_accession", [STRAND] = "strand",
    [TLEN] = "tlen",         [QLEN] = "qlen",       [EVALUE] = "evalue",                   [BITS] = "bits",
    [BIAS] = "bias",         [HMM_FROM] = "hmm_from", [HMM_TO] = "hmm_to",                 [ALI_FROM] = "ali_from",
    [ALI_TO] = "ali_to",     [ENV_FROM] = "env_from", [ENV_TO] = "env_to",                 [DESC] = "desc"};
const ws_names ws_genome_all_columns = WS_NAMES(column_name);

/* ---- results ---- */

int ws_genome_results_create(ws_genome_results *r, const ws_hmm *hmm, size_t n, ws_err *err) {
    r->hmm = hmm;
    r->n = n;
    r->cut = -1;
    r->model = ws_calloc(n, sizeof *r->model, err);
    r->hits = r->model ? ws_calloc(n, sizeof *r->hits, err) : NULL;
    return r->hits ? WS_OK : err->code;
}

void ws_genome_results_release(ws_genome_results *r) {
    for (size_t t = 0; r->hits && t < r->n; t++) ws_free(r->hits[t].at);
    for (size_t i = 0; i < r->nrecord; i++) {
        ws_free((void *)(uintptr_t)r->record[i].name);
        ws_free((void *)(uintptr_t)r->record[i].desc);
    }
    ws_free(r->record);
    ws_free(r->hits);
    ws_free(r->model);
}

int ws_genome_columns(ws_genome_results *r, const char *fields, ws_err *err) {
    return ws_fields_choose(fields, &ws_genome_all_columns, r->column, WS_GENOME_COLUMNS, &r->ncolumn, err);
}

int ws_genome_add_record(ws_genome_results *r, const char *name, size_t nname, const char *desc, size_t ndesc, uint64_t L, ws_err *err) {
    const int rc = ws_grow(&r->record, &r->record_cap, r->nrecord + 1, sizeof *r->record, err);
    if (rc) return rc;
    char *own_name = ws_strndup(name, nname, err), *own_desc = own_name ? ws_strndup(desc, ndesc, err) : NULL;
    if (!own_desc) {
        ws_free(own_name);
        return err->code;
    }
    r->record[r->nrecord++] = (ws_long_record){.name = own_name, .desc = own_desc, .L = L};
    return WS_OK;
}

int ws_genome_add_hit(ws_genome_results *r, uint32_t target, const ws_long_hit *h, ws_err *err) {
    ws_long_hits *l = &r->hits[target];
    const int rc = ws_grow(&l->at, &l->cap, l->n + 1, sizeof *l->at, err);
    if (!rc) l->at[l->n++] = *h;
    return rc;
}

/* ---- before and behind the rows ---- */

int ws_genome_head(const ws_job *job, const ws_genome_out *o, ws_buf *text, ws_err *err) {
    if (o->form == WS_GENOME_GFF3) return ws_buf_adds(text, "##gff-version 3\n", err);
    if (o->form != WS_GENOME_TSV) return WS_OK;
    return ws_table_head(job, &ws_genome_all_columns, o->results->column, o->results->ncolumn, text, err);
}

int ws_genome_end(const ws_job *job, const ws_genome_out *o, uint64_t rows, ws_buf *text, ws_err *err) {
    return o->form == WS_GENOME_TSV ? ws_table_end(job, rows, "", text, err) : WS_OK;
}

/* ---- rows ---- */

#define U64(v) ((unsigned long long)(v))

static int add_field(ws_buf *out, int plain, int column, const ws_hmm *hmm, const ws_long_hit *h, const ws_long_record *r, ws_err *err) {
    switch (column) {
    case NAME: return ws_cell_text(out, plain, r->name, strlen(r->name), err);
    case QUERY: return ws_cell_text(out, plain, hmm->name, strlen(hmm->name), err);
    case QUERY_ACCESSION: return ws_buf_adds(out, hmm->acc ? hmm->acc : "", err);
    case STRAND: return ws_buf_adds(out, h->minus ? "-" : "+", err);
    case TLEN: return r->L ? ws_buf_addf(out, err, "%llu", U64(r->L)) : WS_OK;
    case QLEN: return ws_buf_addf(out, err, "%d", hmm->M);
    case EVALUE: return ws_buf_addf(out, err, "%.2g", ws_long_hit_evalue(h));
    case BITS: return ws_buf_addf(out, err, "%.1f", (double)h->bits);
    case BIAS: return ws_buf_addf(out, err, "%.1f", (double)h->correction_nats * WS_LOG2E);
    case HMM_FROM: return ws_buf_addf(out, err, "%u", h->hmm_from);
    case HMM_TO: return ws_buf_addf(out, err, "%u", h->hmm_to);
    case ALI_FROM: return ws_buf_addf(out, err, "%llu", U64(h->ali_from));
    case ALI_TO: return ws_buf_addf(out, err, "%llu", U64(h->ali_to));
    case ENV_FROM: return ws_buf_addf(out, err, "%llu", U64(h->env_from));
    case ENV_TO: return ws_buf_addf(out, err, "%llu", U64(h->env_to));
    default: return ws_cell_text(out, plain, r->desc, strlen(r->desc), err);
    }
}

static int tsv_row(const ws_genome_results *g, ws_buf *out, const ws_hmm *hmm, const ws_long_hit *h, const ws_long_record *r, ws_err *err) {
    int rc = WS_OK;
    for (int c = 0; c < g->ncolumn && !rc; c++) {
        if (c) rc = ws_buf_add(out, "\t", 1, err);
        if (!rc) rc = add_field(out, g->plain, g->column[c], hmm, h, r, err);
    }
    return rc ? rc : ws_buf_add(out, "\n", 1, err);
}

static uint64_t low(const ws_long_hit *h) { return h->minus ? h->ali_to : h->ali_from; }
static uint64_t high(const ws_long_hit *h) { return h->minus ? h->ali_from : h->ali_to; }

/* BED counts from 0, its end is behind the last residue, its score a whole number up to 1000. */
static int bed_row(ws_buf *out, const ws_hmm *hmm, const ws_long_hit *h, const ws_long_record *r, ws_err *err) {
    const double score = fmin(fmax((double)h->bits, 0.0), 1000.0);
    return ws_buf_addf(out, err, "%s\t%llu\t%llu\t%s\t%.0f\t%c\n", r->name, U64(low(h) - 1), U64(high(h)), hmm->name, score,
                       h->minus ? '-' : '+');
}

/* Text of GFF3: what would end a field, or an attribute, is a percent sign and two hexadecimal digits. */
static int gff_text(ws_buf *out, const char *text, const char *also, ws_err *err) {
    int rc = WS_OK;
    for (const unsigned char *p = (const unsigned char *)text; *p && !rc; p++)
        rc = *p < ' ' || *p == 127 || *p == '%' || strchr(also, *p) ? ws_buf_addf(out, err, "%%%02X", *p) : ws_buf_add(out, p, 1, err);
    return rc;
}

static int gff_row(ws_buf *out, const char *program, const ws_hmm *hmm, const ws_long_hit *h, const ws_long_record *r, ws_err *err) {
    int rc = gff_text(out, r->name, " >", err);
    if (!rc) rc = ws_buf_addf(out, err, "\t%s\tnucleotide_match\t%llu\t%llu\t%.2g\t%c\t.\tName=", program, U64(low(h)), U64(high(h)),
                              ws_long_hit_evalue(h), h->minus ? '-' : '+');
    if (!rc) rc = gff_text(out, hmm->name, ";=&,", err);
    if (!rc) rc = ws_buf_adds(out, ";Target=", err);
    if (!rc) rc = gff_text(out, hmm->name, ";=&, ", err);
    return rc ? rc : ws_buf_addf(out, err, " %u %u;bits=%.1f;bias=%.1f\n", h->hmm_from, h->hmm_to, (double)h->bits,
                                 (double)h->correction_nats * WS_LOG2E);
}

/* The rows of a model in one form; returns through *rows how many. */
static int add_rows(const ws_job *job, const ws_genome_results *g, ws_genome_form form, size_t t, ws_buf *out, uint64_t *rows,
                    ws_err *err) {
    const ws_long_hits *l = &g->hits[t];
    const ws_hmm *hmm = &g->hmm[t];
    int rc = form == WS_GENOME_TBLOUT ? ws_long_tblout(out, hmm, l, g->record, t == 0, err) : WS_OK;
    if (form == WS_GENOME_DFAM) rc = ws_long_dfamtblout(out, hmm, l, g->record, err);
    *rows = 0;
    for (size_t i = 0; i < l->n && !rc; i++) {
        const ws_long_hit *h = &l->at[i];
        const ws_long_record *r = &g->record[h->record];
        if (!h->reported) continue;
        ++*rows;
        if (form == WS_GENOME_TSV) rc = tsv_row(g, out, hmm, h, r, err);
        if (form == WS_GENOME_BED) rc = bed_row(out, hmm, h, r, err);
        if (form == WS_GENOME_GFF3) rc = gff_row(out, job->tool->name, hmm, h, r, err);
    }
    return rc;
}

int ws_genome_write(ws_job *job, ws_genome_results *r, const ws_genome_out *out, int n, ws_err *err) {
    ws_buf text = {0};
    uint64_t rows;
    int rc = WS_OK;
    for (size_t t = 0; t < r->n && !rc; t++) {
        const ws_long_limits limits =
            r->cut < 0 ? r->limits : (ws_long_limits){.bits = (double)r->hmm[t].cut[r->cut][0], .by_bits = 1};
        if (r->hits[t].n) rc = ws_long_hits_finish(&r->hits[t], r->model[t], r->residues, &limits, r->record, err);
        for (int k = 0; k < n && !rc; k++) {
            text.n = 0;
            rc = add_rows(job, r, out[k].form, t, &text, &rows, err);
            if (!rc) rc = ws_job_write(job, out[k].number, text.p, text.n, rows, err);
        }
    }
    ws_buf_release(&text);
    return rc;
}
