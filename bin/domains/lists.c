/* SPDX-License-Identifier: MIT
 * Held hits as text: lists are ranked, all threads make text of them, list by list, and the outputs get it in the order
 * of the lists. */
#include "bin/domains/domscore.h"
#include "bin/stages/plan.h"
#include "lib/base/parallel_for.h"

#include <math.h>
#include <string.h>

/* ---- a list ---- */

enum { BLOCK = 200 }; /* columns of Stockholm, as hmmsearch has them */

ws_hitquery ws_domscore_query(const ws_domscore *d, const ws_hmm_target *h, const ws_hitlist *l,
                              const ws_textconf *text) {
    return (ws_hitquery){.hmm = h->hmm, .profile = &h->profile, .list = l, .columns = &d->columns, .text = text,
                         .msa_width = d->notextw ? 0 : BLOCK, .author = d->author.p,
                         .program = ws_job_program(d->out[0].job), .in_file = d->store.body.has_file,
                         .odd_names = &d->out[0].job->odd_names};
}

void ws_domscore_count_passed(const ws_job *job, size_t m, ws_textconf *text) {
    const ws_dom_passed *p = ws_domscore_of(job)->passed;
    const ws_stream_size size = ws_scan_size(job);
    text->known = !(p && p->cut) && size.state == WS_SIZE_KNOWN;
    text->seqs = size.seqs;
    text->residues = size.residues;
    text->filters = p != NULL;
    if (!p) return;
    memcpy(text->filter_p, p->p, sizeof text->filter_p);
    memcpy(text->passed, p->count[m], sizeof text->passed);
}

static uint64_t rows_of(const ws_dom_out *o, const ws_held *h) {
    const int reported = (h->flags & WS_HELD_REPORTED) != 0;
    return ws_hitforms[o->form].row_of_target ? (uint64_t)reported : reported ? h->nreported : 0;
}

void ws_domscore_write_target(ws_domscore *d, const ws_hitquery *q, const ws_held *h) {
    for (int k = 0; k < d->nout; k++) {
        if (!d->out[k].unread) ws_hitforms[d->out[k].form].pass[0].target(&d->out[k].sink, q, h);
        d->out[k].rows += rows_of(&d->out[k], h);
    }
}

void ws_domscore_write_list(ws_dom_out *o, const ws_hitquery *q) {
    if (!o->unread) ws_hitform_write(&ws_hitforms[o->form], &o->sink, q);
    for (size_t i = 0; i < q->list->n; i++) o->rows += rows_of(o, q->list->hit[i]);
}

ws_textconf ws_domscore_text(const ws_domscore *d) {
    return (ws_textconf){.width = d->notextw ? 0 : (int)d->textw, .alignments = !d->noali, .accessions = d->acc,
                         .z_given = d->Z_given, .domz_given = d->domZ_given, .msa = d->beside[WS_DOMFORM_STO]};
}

/* ---- lists side by side ---- */

/* The text of one list, for each output. */
typedef struct made {
    ws_dom_out out[WS_DOMSCORE_OUTPUTS];
} made;

typedef struct group {
    const ws_dom_lists *lists;
    ws_dom_group of;
    made *made; /* [of.n] */
} group;

/* Ranks list i and writes it to outputs. */
static int make(const ws_dom_lists *l, size_t i, ws_dom_out *out, int threads, ws_err *err) {
    const ws_domscore *d = ws_domscore_of(l->job);
    ws_textconf text = ws_domscore_text(d);
    ws_hitquery q = {0};
    int rc = l->rank(l, i, &q, &text, err);
    q.text = &text;
    q.threads = threads;
    for (int k = 0; k < d->nout && !rc; k++) {
        q.first = d->out[k].pattern || (i == 0 && l->heads);
        ws_domscore_write_list(&out[k], &q);
        if (out[k].sink.err.code) rc = ws_sink_flush(&out[k].sink, err);
    }
    return rc;
}

static size_t weight(const void *of, size_t i) {
    const group *g = of;
    return g->lists->list[g->of.first + i].n;
}

static int make_one(void *of, size_t i, ws_err *err) {
    const group *g = of;
    const ws_domscore *d = ws_domscore_of(g->lists->job);
    const int threads = ws_domscore_list_threads(&g->of, &g->lists->list[g->of.first + i],
                                                 g->lists->job->nworker);
    for (int k = 0; k < d->nout; k++)
        g->made[i].out[k] = (ws_dom_out){.form = d->out[k].form, .unread = d->out[k].unread};
    return make(g->lists, g->of.first + i, g->made[i].out, threads, err);
}

static const char *name_of(const ws_dom_lists *l, size_t i) {
    const ws_domscore *d = ws_domscore_of(l->job);
    return d->query ? d->query[i].name : l->job->target[i].name;
}

/* Hands the text of a list on. */
static int give_one(void *of, size_t i, ws_err *err) {
    const group *g = of;
    ws_domscore *d = ws_domscore_of(g->lists->job);
    int rc = WS_OK;
    for (int k = 0; k < d->nout && !rc; k++) {
        ws_dom_out *from = &g->made[i].out[k], *to = &d->out[k];
        rc = to->pattern ? ws_dom_out_begin(to, name_of(g->lists, g->of.first + i), err) : WS_OK;
        if (rc) break;
        ws_sink_pass(&to->sink, from->sink.text.p, from->sink.text.n);
        to->rows += from->rows;
        if (to->sink.err.code) rc = ws_sink_flush(&to->sink, err);
        rc = ws_dom_out_end(to, rc, err);
        ws_sink_release(&from->sink);
    }
    return rc;
}

/* Writes a list to the outputs as its text is made. */
static int write_alone(const group *g, ws_err *err) {
    ws_domscore *d = ws_domscore_of(g->lists->job);
    int rc = WS_OK;
    for (int k = 0; k < d->nout && !rc; k++)
        if (d->out[k].pattern) rc = ws_dom_out_begin(&d->out[k], name_of(g->lists, g->of.first), err);
    if (!rc) rc = make(g->lists, g->of.first, d->out, g->lists->job->nworker, err);
    for (int k = 0; k < d->nout; k++) rc = ws_dom_out_end(&d->out[k], rc, err);
    return rc;
}

ws_dom_group ws_domscore_group(const ws_domscore *d, const ws_hitlist *list, size_t n, size_t first) {
    const ws_plan_lists most = ws_plan_lists_of(d->mem_given, d->hold & WS_HOLD_ALIGNMENTS);
    ws_dom_group g = {.first = first};
    for (; first + g.n < n && g.n < most.lists && list[first + g.n].n <= most.alone; g.n++)
        g.hits += list[first + g.n].n;
    g.n = ws_max(g.n, 1);
    g.hits = ws_min(g.hits, most.together);
    return g;
}

int ws_domscore_list_threads(const ws_dom_group *g, const ws_hitlist *l, int threads) {
    return g->n == 1 ? threads : ws_plan_list_threads(threads, l->n, g->hits);
}

static int write_group(group *g, ws_err *err) {
    const ws_domscore *d = ws_domscore_of(g->lists->job);
    if (g->of.n == 1) return write_alone(g, err);
    if (!(g->made = ws_calloc(g->of.n, sizeof *g->made, err))) return err->code;
    const ws_ordered w = {.n = g->of.n, .room = g->of.hits, .weight = weight, .make = make_one,
                          .give = give_one, .ctx = g};
    const int rc = ws_parallel_in_order(&w, g->lists->job->nworker, err);
    for (size_t i = 0; i < g->of.n; i++)
        for (int k = 0; k < d->nout; k++) ws_sink_release(&g->made[i].out[k].sink);
    ws_free(g->made);
    return rc;
}

int ws_domscore_write_lists(const ws_dom_lists *l, ws_err *err) {
    const ws_domscore *d = ws_domscore_of(l->job);
    int rc = WS_OK;
    for (size_t i = 0; i < l->n && !rc;) {
        group g = {.lists = l, .of = ws_domscore_group(d, l->list, l->n, i)};
        rc = write_group(&g, err);
        i += g.of.n;
    }
    return rc;
}

/* ---- all lists of a run ---- */

/* The lists of a run whose queries are models, and the sizes of the search. */
typedef struct ranking {
    ws_dom_lists lists;
    ws_spaces spaces;
} ranking;

static int rank_one(void *of, size_t m, ws_err *err) {
    const ranking *r = of;
    const ws_domscore *d = ws_domscore_of(r->lists.job);
    ws_hitlist *l = &r->lists.list[m];
    (void)err;
    if (!d->beside[WS_DOMFORM_RECORDS]) ws_hitlist_prune(l, &d->threshold[m], r->spaces.Z);
    ws_hitlist_rank(l, &d->threshold[m], r->spaces);
    return WS_OK;
}

/* Ranks all lists, and lets domains of all models compete for their sequences. */
static int resolve(ranking *r, ws_err *err) {
    const ws_domscore *d = ws_domscore_of(r->lists.job);
    const int rc = ws_parallel_for(r->lists.n, r->lists.job->nworker, rank_one, r, err);
    return rc ? rc : ws_hitlists_resolve(r->lists.list, r->lists.n, (ws_resolve)d->resolve, err);
}

static int rank(const ws_dom_lists *of, size_t m, ws_hitquery *q, ws_textconf *text, ws_err *err) {
    ranking *r = (ranking *)(uintptr_t)of;
    const ws_domscore *d = ws_domscore_of(of->job);
    ws_hitlist *l = &of->list[m];
    if (!d->resolve) (void)rank_one(r, m, err);
    if (d->seq_limit) ws_hitlist_limit(l, (size_t)d->seq_limit);
    if (d->join && ws_hitlist_join(l, (uint64_t)d->join_gap, err)) return err->code;
    ws_domscore_count_passed(of->job, m, text);
    *q = ws_domscore_query(d, of->job->target[m].data, l, text);
    q->origin = d->query ? &d->query[m] : NULL;
    return WS_OK;
}

int ws_domscore_write(ws_job *job, int ended, ws_err *err) {
    ws_domscore *d = ws_domscore_of(job);
    const double Z = ws_domscore_size(job, ended), domZ = d->domZ_given ? d->domZ : ended && !isnan(Z) ? 0 : NAN;
    /* phmmer's tables have their head only if its first sequence is a query */
    const int heads = !d->query || d->query[0].number == 0;
    ranking r = {{.job = job, .list = d->store.list, .n = job->ntarget, .heads = heads, .rank = rank}, {Z, domZ}};
    int rc = d->resolve ? resolve(&r, err) : WS_OK;
    if (!rc) rc = ws_domscore_write_lists(&r.lists, err);
    for (int k = 0; k < d->nout && !rc; k++) rc = ws_sink_flush(&d->out[k].sink, err);
    return rc;
}
