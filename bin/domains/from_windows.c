/* SPDX-License-Identifier: MIT
 * domscore's pairs that are windows. */
#include "bin/domains/from_windows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ws_dom_windows {
    ws_genome_model *model; /* [targets], made when a model's first window comes */
    uint8_t *made;
    pthread_mutex_t lock;   /* guards these two */
    ws_dom_worker **worker; /* [nworker] */
    ws_long_pieces *pieces; /* [nworker] */
    int nworker;
    ws_genome_results results;
    ws_genome_out out[WS_DOMSCORE_OUTPUTS];
};

/* ---- opening ---- */

static int form_of(ws_dom_form form) {
    switch (form) {
    case WS_DOMFORM_TSV: return WS_GENOME_TSV;
    case WS_DOMFORM_TBLOUT: return WS_GENOME_TBLOUT;
    case WS_DOMFORM_BED: return WS_GENOME_BED;
    case WS_DOMFORM_GFF3: return WS_GENOME_GFF3;
    default: return -1;
    }
}

static int check(const ws_job *job, const ws_domscore *d, ws_err *err) {
    if (ws_head_find(ws_scan_of(job)->head, "fwd_bits") < 0)
        return ws_fail(err, WS_EDATA, "the windows of the input have no Forward score; fwdscore is the stage before domscore");
    for (int k = 0; k < d->nout; k++)
        if (form_of(d->out[k].form) < 0)
            return ws_fail(err, WS_EUSAGE, "of windows domscore writes tsv, tblout, bed and gff3, and no alignments");
    return d->stream ? ws_fail(err, WS_EUSAGE, "--stream has no meaning for windows: duplicates are found when all hits are there") : WS_OK;
}

int ws_dom_windows_open(ws_job *job, ws_err *err) {
    ws_domscore *d = job->own;
    const ws_cascade *c = job->data;
    struct ws_dom_windows *w = d->windows = ws_calloc(1, sizeof *w, err);
    if (!w) return err->code;
    pthread_mutex_init(&w->lock, NULL);
    w->nworker = job->nworker;
    int rc = check(job, d, err);
    if (!rc && !(w->model = ws_calloc(job->ntarget, sizeof *w->model, err))) rc = err->code;
    if (!rc && !(w->made = ws_calloc(job->ntarget, 1, err))) rc = err->code;
    if (!rc && !(w->worker = ws_calloc((size_t)w->nworker, sizeof *w->worker, err))) rc = err->code;
    if (!rc && !(w->pieces = ws_calloc((size_t)w->nworker, sizeof *w->pieces, err))) rc = err->code;
    if (!rc) rc = ws_genome_results_create(&w->results, c->set.hmm, c->set.n, err);
    w->results.plain = job->common.plain;
    if (!rc) rc = ws_genome_columns(&w->results, job->common.fields, err);
    w->results.limits = (ws_long_limits){.evalue = d->E, .bits = d->T, .by_bits = d->T_given};
    w->results.cut = d->cut_ga ? WS_CUT_GA : d->cut_nc ? WS_CUT_NC : d->cut_tc ? WS_CUT_TC : -1;
    for (int k = 0; k < d->nout; k++) w->out[k] = (ws_genome_out){&w->results, (ws_genome_form)form_of(d->out[k].form), d->out[k].number};
    return rc;
}

void ws_dom_windows_close(ws_job *job) {
    struct ws_dom_windows *w = ((ws_domscore *)job->own)->windows;
    if (!w) return;
    for (size_t t = 0; w->made && t < job->ntarget; t++) {
        ws_dom_window_model_destroy(&w->model[t].background);
        ws_dom_tables_destroy(w->model[t].tables);
    }
    for (int i = 0; i < w->nworker; i++) {
        if (w->worker) ws_dom_worker_destroy(w->worker[i]);
        if (w->pieces) ws_long_pieces_release(&w->pieces[i]);
    }
    ws_genome_results_release(&w->results);
    pthread_mutex_destroy(&w->lock);
    ws_free(w->model);
    ws_free(w->made);
    ws_free(w->worker);
    ws_free(w->pieces);
    ws_free(w);
}

/* ---- scoring, in the workers ---- */

/* A model as the stages of nhmmsieve want it; profile and MAXL are those that the filters have. */
static int make_model(const ws_job *job, struct ws_dom_windows *w, uint32_t t, ws_err *err) {
    const ws_hmm_target *h = job->target[t].data;
    ws_genome_model *m = &w->model[t];
    int rc = WS_OK;
    pthread_mutex_lock(&w->lock);
    if (!w->made[t]) {
        m->filter.hmm = h->hmm;
        m->model = *ws_cascade_window_model(job->data, t);
        rc = ws_dom_tables_create(&m->tables, &h->profile, h->hmm->evparam[WS_FTAU], h->hmm->evparam[WS_FLAMBDA], err);
        if (!rc) rc = ws_dom_window_model_create(&m->background, m->tables, &h->profile, h->hmm, err);
        w->results.model[t] = &m->model;
        w->made[t] = !rc;
    }
    pthread_mutex_unlock(&w->lock);
    return rc;
}

static int make_worker(const ws_job *job, struct ws_dom_windows *w, int number, ws_err *err) {
    const ws_domscore *d = job->own;
    const ws_dom_options o = {.seed = (uint32_t)d->seed, .nonull2 = d->nonull2, .memory = (size_t)d->mem};
    return w->worker[number] ? WS_OK : ws_dom_worker_create(&w->worker[number], ws_domscore_backend(job), &o, err);
}

/* Before each hit in what a worker hands to the writer: name and description of its record follow. */
typedef struct header {
    ws_genome_hit hit;
    uint64_t record; /* its number in the input of the first stage */
    uint64_t end;    /* the last residue of its window in the record, whose length comes at the end of the input */
    uint32_t nname, ndesc;
} header;

/* Where a window is from. */
typedef struct from {
    uint64_t record, end;
} from;

static int pack_hit(const ws_batch *b, const ws_row *row, const ws_genome_hit *g, const from *f, ws_buf *out, ws_err *err) {
    const ws_seqtext *t = &b->seqtext[row->seq];
    header h;
    memset(&h, 0, sizeof h);
    h.hit = *g;
    h.record = f->record;
    h.end = f->end;
    h.nname = (uint32_t)t->name.n;
    h.ndesc = (uint32_t)t->desc.n;
    int rc = ws_buf_add(out, &h, sizeof h, err);
    if (!rc) rc = ws_buf_add(out, ws_batch_text(b, t->name), t->name.n, err);
    return rc ? rc : ws_buf_add(out, ws_batch_text(b, t->desc), t->desc.n, err);
}

enum { TOGETHER = 64 /* windows of one model: they fill registers side by side */ };

/* Hits hit[0..n), all of one target and of rows that passed. */
static int score_some(const ws_job *job, const ws_batch *b, const ws_hit *hit, size_t n, const ws_scan_worker *worker,
                      ws_buf *out, ws_err *err) {
    struct ws_dom_windows *w = ((ws_domscore *)job->own)->windows;
    ws_long_pieces *p = &w->pieces[worker->number];
    ws_genome_found found = {.target = hit->target};
    from f[TOGETHER];
    int rc = make_model(job, w, hit->target, err);
    if (!rc) rc = make_worker(job, w, worker->number, err);
    ws_long_pieces_reuse(p);
    for (size_t j = 0; j < n && !rc; j++) {
        const ws_row *row = &b->row[hit[j].row];
        ws_long_row where;
        if ((rc = ws_long_row_read(&where, ws_cascade_window_columns(job->data), b, row, err))) {
            ws_scan_name_input(job, err);
            break;
        }
        const uint64_t first = where.place.from;
        f[j] = (from){where.record, where.place.minus ? first : ws_long_coordinate(first, 0, b->len[row->seq])};
        where.place.record = (uint32_t)j;
        rc = ws_long_pieces_add(p, ws_seqs_codes(&worker->seqs, row->seq), b->len[row->seq], &where.place, err);
        if (!rc) p->item[j] = (uint32_t)j;
    }
    if (!rc) rc = ws_genome_domains(&w->model[hit->target], w->worker[worker->number], p, n, &found, err);
    for (size_t i = 0; i < found.n && !rc; i++) {
        const size_t j = (size_t)found.at[i].hit.record;
        rc = pack_hit(b, &b->row[hit[j].row], &found.at[i], &f[j], out, err);
    }
    ws_free(found.at);
    return rc;
}

int ws_dom_windows_score(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                         ws_buf *out, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0, n; i < hits->n && !rc; i += n) {
        const ws_hit *h = &hits->hit[i];
        for (n = 1; i + n < hits->n && n < TOGETHER && h[n].target == h->target; n++) continue;
        rc = score_some(job, b, h, n, worker, out, err);
    }
    return rc;
}

/* ---- hits, in the writer ---- */

int ws_dom_windows_take(ws_domscore *d, const char *packed, size_t n, ws_err *err) {
    ws_genome_results *r = &d->windows->results;
    int rc = WS_OK;
    for (const char *at = packed, *end = packed + n; at < end && !rc;) {
        header h;
        memcpy(&h, at, sizeof h);
        at += sizeof h;
        const ws_long_record *last = r->nrecord ? &r->record[r->nrecord - 1] : NULL;
        if (!last || last->number != h.record || strlen(last->name) != h.nname || memcmp(last->name, at, h.nname) != 0)
            rc = ws_genome_add_record(r, at, h.nname, at + h.nname, h.ndesc, 0, err);
        if (!rc) r->record[r->nrecord - 1].number = h.record;
        h.hit.hit.record = r->nrecord - 1;
        if (!rc) r->record[r->nrecord - 1].L = ws_max(r->record[r->nrecord - 1].L, h.end);
        if (!rc) rc = ws_genome_add_hit(r, h.hit.target, &h.hit.hit, err);
        at += h.nname + h.ndesc;
    }
    return rc;
}

typedef struct named {
    const char *name;
    uint64_t number;
    size_t record;
} named;

static int compare_names(const named *a, const named *b) {
    const int names = strcmp(a->name, b->name);
    return names ? names : (a->number > b->number) - (a->number < b->number);
}

static int by_name(const void *p, const void *q) {
    const named *a = p, *b = q;
    const int names = compare_names(a, b);
    return names ? names : (a->record > b->record) - (a->record < b->record);
}

/* Records are told apart by their names and numbers: the hits of each get its first entry. */
static int unite_records(ws_genome_results *r, ws_err *err) {
    named *list = ws_calloc(r->nrecord, sizeof *list, err);
    size_t *first = list ? ws_calloc(r->nrecord, sizeof *first, err) : NULL;
    for (size_t i = 0; first && i < r->nrecord; i++) list[i] = (named){r->record[i].name, r->record[i].number, i};
    if (first) qsort(list, r->nrecord, sizeof *list, by_name);
    for (size_t i = 0, j = 0; first && i < r->nrecord; i++) {
        if (compare_names(&list[i], &list[j]) != 0) j = i;
        first[list[i].record] = list[j].record;
    }
    for (size_t t = 0; first && t < r->n; t++)
        for (size_t i = 0; i < r->hits[t].n; i++) r->hits[t].at[i].record = first[r->hits[t].at[i].record];
    const int made = first != NULL;
    ws_free(first);
    ws_free(list);
    return made ? WS_OK : err->code;
}

/* Sets the lengths of records to what the input says at its end. Until then they are the least that their windows ask for. */
static int set_lengths(const ws_job *job, ws_genome_results *r, ws_err *err) {
    const ws_records *said = &ws_scan_of(job)->head->records;
    char quote[WS_QUOTE_MAX];
    for (size_t i = 0; i < r->nrecord; i++) {
        ws_long_record *record = &r->record[i];
        const size_t n = strlen(record->name);
        const uint64_t least = record->L;
        record->L = ws_records_length(said, &(ws_record){record->name, n, record->number});
        if (record->L == 0 && !ws_scan_of(job)->allow_cut)
            return ws_fail(err, WS_EDATA, "the input has no ##record line with the length of record \"%s\", in which there are hits; "
                           "--allow-cut leaves unknown lengths out", ws_quote(quote, record->name, n));
        if (record->L && record->L < least)
            return ws_fail(err, WS_EDATA, "a window of record \"%s\" ends at residue %llu, but its ##record line says that it has %llu",
                           ws_quote(quote, record->name, n), (unsigned long long)least, (unsigned long long)record->L);
    }
    return WS_OK;
}

int ws_dom_windows_write(ws_job *job, uint64_t residues, ws_err *err) {
    ws_domscore *d = job->own;
    d->windows->results.residues = residues;
    int rc = set_lengths(job, &d->windows->results, err);
    if (!rc) rc = unite_records(&d->windows->results, err);
    return rc ? rc : ws_genome_write(job, &d->windows->results, d->windows->out, d->nout, err);
}

int ws_dom_windows_head(const ws_job *job, int k, ws_buf *text, ws_err *err) {
    const ws_genome_out *o = &((const ws_domscore *)job->own)->windows->out[k];
    const int rc = o->form == WS_GENOME_TSV ? ws_scan_provenance(job, text, err) : WS_OK;
    return rc ? rc : ws_genome_head(job, o, text, err);
}

int ws_dom_windows_end(const ws_job *job, int k, uint64_t rows, ws_buf *text, ws_err *err) {
    const ws_genome_out *o = &((const ws_domscore *)job->own)->windows->out[k];
    return o->form == WS_GENOME_TSV ? ws_scan_end(job, NULL, rows, text, err) : WS_OK;
}
