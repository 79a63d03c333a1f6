/* SPDX-License-Identifier: MIT
 * The rounds of jacksieve: see bin/search/rounds.h. All threads end a round, each for one query at a time; text leaves
 * in the order of the queries. Specification build.md, section 12. */
#include "bin/search/rounds.h"

#include "lib/base/parallel_for.h"
#include "lib/hmm/hmmwrite.h"
#include "lib/run/backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A round that ends, for queries whose text is in memory together. */
typedef struct ending {
    ws_job *job;
    ws_rounds *r;
    ws_spaces spaces;
    ws_dom_group of; /* queries, among the targets */
} ending;

int ws_rounds_open(ws_rounds *r, ws_err *err) {
    const size_t n = r->queries.n;
    r->round = 1;
    r->sieve.again = r->most > 1;
    if (!(r->query = ws_calloc(n, sizeof *r->query, err))) return err->code;
    if (!(r->active = ws_calloc(n, sizeof *r->active, err))) return err->code;
    if (!(r->origin = ws_calloc(n, sizeof *r->origin, err))) return err->code;
    for (size_t i = 0; i < n; i++) {
        r->active[i] = i;
        r->origin[i] = r->queries.query[i];
        r->query[i].rows = 1;
    }
    r->sieve.dom.query = r->origin;
    return WS_OK;
}

static void release_text(ws_roundquery *q) {
    for (int k = 0; k < WS_DOMSCORE_OUTPUTS; k++) ws_sink_release(&q->out[k].sink);
}

void ws_rounds_close(ws_rounds *r) {
    for (size_t i = 0; r->query && i < r->queries.n; i++) {
        release_text(&r->query[i]);
        ws_sink_release(&r->query[i].checkpoint);
        ws_buf_release(&r->query[i].names);
        ws_free(r->query[i].included);
        ws_hmm_release(&r->query[i].next);
    }
    ws_free(r->query);
    ws_free(r->active);
    ws_free(r->origin);
    ws_free(r->seen);
}

/* ---- the inputs, which all rounds read ---- */

int ws_rounds_note_inputs(ws_rounds *r, const ws_job *job, ws_err *err) {
    int rc = WS_OK;
    if (r->most == 1) return WS_OK;
    if (!(r->seen = ws_calloc((size_t)job->ninput, sizeof *r->seen, err))) return err->code;
    for (int i = 0; i < job->ninput && !rc; i++) rc = ws_mark_take(&r->seen[i], job->input[i], err);
    return rc;
}

/* Fails if an input is another one than before the first round. */
static int check_inputs(const ws_rounds *r, const ws_job *job, ws_err *err) {
    char text[100];
    int rc = WS_OK;
    for (int i = 0; i < job->ninput && r->seen && !rc; i++) {
        ws_mark now;
        rc = ws_mark_take(&now, job->input[i], err);
        const char *difference = rc ? NULL : ws_mark_difference(&r->seen[i], &now, text, sizeof text);
        if (difference)
            rc = ws_fail(err, WS_EDATA, "%s: the file has changed since the search began: %s; all rounds need the same "
                         "sequences, so run again", job->input[i], difference);
    }
    return rc;
}

/* ---- checkpoints ---- */

enum { NOTED = 1000 }; /* the rounds whose files are checked before the first one; those of a later one, when it ends */

static int note_file(ws_job *job, const char *option, const char *file, int round, const char *suffix, ws_err *err) {
    ws_buf path = {0};
    int rc = ws_buf_addf(&path, err, "%s-%d.%s", file, round, suffix);
    if (!rc) rc = ws_job_add_file(job, option, path.p, err);
    ws_buf_release(&path);
    return rc;
}

int ws_rounds_note_files(const ws_rounds *r, ws_job *job, ws_err *err) {
    int rc = WS_OK;
    for (int n = 1; n <= r->most && n <= NOTED && !rc; n++) {
        if (r->chkhmm) rc = note_file(job, "--chkhmm", r->chkhmm, n, "hmm", err);
        if (r->chkali && !rc) rc = note_file(job, "--chkali", r->chkali, n, "sto", err);
    }
    return rc;
}

/* Opens FILE-ROUND.SUFFIX, writes what each query of the round has for it, and closes it. */
static int save(const ws_rounds *r, const char *option, const char *file, const char *suffix, size_t n,
                int (*text)(const void *of, size_t i, ws_buf *to, ws_err *err), const void *of, ws_err *err) {
    ws_job *job = r->sieve.job;
    ws_buf path = {0}, part = {0};
    ws_out out = {.fd = -1};
    int rc = ws_buf_addf(&path, err, "%s-%d.%s", file, r->round, suffix);
    if (!rc && r->round > NOTED) {
        rc = ws_job_add_file(job, option, path.p, err);
        if (!rc) rc = ws_output_paths_check(job, err);
    }
    if (!rc) rc = ws_out_open(&out, path.p, err);
    if (!rc) {
        rc = ws_out_begin(&out, err);
        for (size_t i = 0; i < n && !rc; i++) {
            part.n = 0;
            rc = text(of, i, &part, err);
            if (!rc) rc = ws_out_write(&out, part.p, part.n, err);
        }
        rc = ws_out_close_keeping(&out, rc, err);
    }
    ws_buf_release(&path);
    ws_buf_release(&part);
    return rc;
}

static int model_text(const void *of, size_t i, ws_buf *to, ws_err *err) {
    return ws_hmm_write(&((const ws_hmmset *)of)->hmm[i], "warpsieve " WS_VERSION " | jacksieve", NULL, to, err);
}

int ws_rounds_chain(ws_job *job, ws_chain_ops *ops, ws_err *err) {
    const ws_rounds *r = ws_rounds_of(job);
    const ws_hmmset *set = &ws_cascade_of(job)->set;
    int rc = WS_OK;
    if (r->chkhmm && !job->common.dry_run) rc = save(r, "--chkhmm", r->chkhmm, "hmm", set->n, model_text, set, err);
    return rc ? rc : ws_sieve_chain(job, ops, err);
}

static int alignment_text(const void *of, size_t i, ws_buf *to, ws_err *err) {
    const ws_rounds *r = of;
    const ws_sink *s = &r->query[r->active[i]].checkpoint;
    return ws_buf_add(to, s->text.p, s->text.n, err);
}

/* ---- which targets are new ---- */

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static int was_included(const ws_roundquery *q, const char *name) {
    return q->nincluded && bsearch(&name, q->included, q->nincluded, sizeof *q->included, by_name) != NULL;
}

/* Flags targets that are new or have dropped out, and returns how many are new. */
static size_t compare_targets(const ws_roundquery *q, ws_hitlist *l) {
    size_t new = 0;
    for (size_t i = 0; i < l->n; i++) {
        ws_held *h = l->hit[i];
        const int before = was_included(q, ws_held_name(h));
        if (!(h->flags & WS_HELD_INCLUDED)) {
            if (before) h->flags |= WS_HELD_DROPPED;
        } else if (!before) {
            h->flags |= WS_HELD_NEW;
            new++;
        }
    }
    return new;
}

/* Remembers the names of the included targets in place of those of the round before. */
static int keep_names(ws_roundquery *q, const ws_hitlist *l, ws_err *err) {
    int rc = WS_OK;
    q->names.n = 0;
    ws_free(q->included);
    q->nincluded = 0;
    if (!(q->included = ws_calloc(l->nincluded, sizeof *q->included, err))) return err->code;
    for (size_t i = 0; i < l->n && !rc; i++) {
        const char *name = ws_held_name(l->hit[i]);
        if (l->hit[i]->flags & WS_HELD_INCLUDED) rc = ws_buf_add(&q->names, name, strlen(name) + 1, err);
    }
    if (rc) return rc;
    size_t n = 0, unique = 0;
    for (const char *p = q->names.p; n < l->nincluded; p += strlen(p) + 1) q->included[n++] = p;
    if (n) qsort(q->included, n, sizeof *q->included, by_name);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(q->included[i], q->included[unique - 1]) != 0) q->included[unique++] = q->included[i];
    q->nincluded = unique;
    return WS_OK;
}

static size_t count_rows(const ws_hitlist *l) {
    size_t rows = 1;
    for (size_t i = 0; i < l->n; i++)
        if (l->hit[i]->flags & WS_HELD_INCLUDED) rows += l->hit[i]->nincluded;
    return rows;
}

/* ---- the end of a round of one query ---- */

static void put_round(ws_sink *s, const ws_rounds *r, const ws_roundquery *q, int M) {
    if (r->round == 1) return;
    ws_sink_f(s, "@@\n@@ Round:                  %d\n"
                 "@@ Included in MSA:        %zu subsequences (query + %zu subseqs from %zu targets)\n"
                 "@@ Model size:             %d positions\n@@\n\n",
              r->round, q->rows, q->rows - 1, q->nincluded, M);
}

static void put_end(ws_sink *s, const ws_rounds *r, const ws_roundquery *q, size_t new, size_t rows, int converged) {
    ws_sink_f(s, "\n@@ New targets included:   %zu\n"
                 "@@ New alignment includes: %zu subseqs (was %zu), including original query\n", new, rows, q->rows);
    if (converged) ws_sink_f(s, "@@\n@@ CONVERGED (in %d rounds). \n@@\n\n", r->round);
    else if (r->round < r->most) ws_sink_f(s, "@@ Continuing to next round.\n\n");
    const char *msa = r->sieve.dom.beside[WS_DOMFORM_STO];
    if (!q->done) return;
    if (msa) ws_sink_f(s, "# Alignment of %zu hits satisfying inclusion thresholds saved to: %s\n", rows, msa);
    ws_sink_f(s, "//\n");
}

static int make_model(const ws_rounds *r, const ws_hitquery *hq, ws_hmm *h, ws_err *err) {
    ws_msa msa = {0};
    ws_build_ali ali = {0};
    int rc = ws_hitquery_msa(hq, &msa, err);
    if (!rc) {
        rc = ws_build_from_msa(r->queries.builder, &r->ali, &msa, hq->msa_name, &ali, h, err);
        if (!rc) h->hash = ws_hmm_hash(h);
        else ws_err_prefix(err, "query %s, round %d: ", hq->origin->name, r->round + 1);
    }
    ws_build_ali_release(&ali);
    ws_msa_release(&msa);
    return rc;
}

static int is_written(const ws_rounds *r, const ws_roundquery *q, ws_dom_form form) {
    const int every = r->every_round && (form == WS_DOMFORM_RECORDS || form == WS_DOMFORM_STO);
    return q->done || every || form == WS_DOMFORM_TEXT;
}

/* Writes a ranked list to outputs: the report of each round, all others when the query is done. */
static int write_outputs(const ws_rounds *r, ws_roundquery *q, ws_dom_out *out, const ws_hitquery *hq, size_t new,
                         size_t rows, int converged, ws_err *err) {
    const ws_domscore *d = &r->sieve.dom;
    int rc = WS_OK;
    for (int k = 0; k < d->nout && !rc; k++) {
        ws_dom_out *o = &out[k];
        o->form = d->out[k].form;
        o->unread = d->out[k].unread;
        ws_hitquery one = *hq;
        one.first |= d->out[k].pattern != NULL;
        if (o->form == WS_DOMFORM_TEXT) put_round(&o->sink, r, q, hq->hmm->M);
        if (is_written(r, q, o->form)) ws_domscore_write_list(o, &one);
        if (o->form == WS_DOMFORM_TEXT) put_end(&o->sink, r, q, new, rows, converged);
        rc = ws_sink_flush(&o->sink, err);
    }
    if (!rc && r->chkali) {
        ws_hitquery block = *hq;
        block.msa_width = 0;
        q->checkpoint.text.n = 0;
        ws_write_stockholm(&q->checkpoint, &block);
        rc = ws_sink_flush(&q->checkpoint, err);
    }
    return rc;
}

/* Begins the text of the query whose turn it is, with that of its earlier rounds. */
static int begin_text(const ending *e, const ws_roundquery *q, ws_err *err) {
    ws_domscore *d = &e->r->sieve.dom;
    int rc = ws_job_head(e->job, err);
    ws_domscore_connect_outputs(d);
    for (int k = 0; k < d->nout && !rc; k++) {
        ws_dom_out *to = &d->out[k];
        rc = ws_dom_out_begin(to, e->r->queries.query[e->r->written].name, err);
        ws_sink_add(&to->sink, q->out[k].sink.text.p, q->out[k].sink.text.n);
        to->rows += q->out[k].rows;
    }
    return rc;
}

static int end_text(const ending *e, ws_roundquery *q, int rc, ws_err *err) {
    ws_domscore *d = &e->r->sieve.dom;
    for (int k = 0; k < d->nout; k++) {
        rc = ws_dom_out_end(&d->out[k], rc, err);
        if (!d->out[k].pattern) e->job->out[d->out[k].number].rows = d->out[k].rows;
    }
    release_text(q);
    e->r->written++;
    return rc;
}

static int end_query(void *ctx, size_t i, ws_err *err) {
    const ending *e = ctx;
    const size_t t = e->of.first + i;
    const ws_rounds *r = e->r;
    ws_domscore *d = &e->r->sieve.dom;
    ws_roundquery *q = &r->query[r->active[t]];
    ws_hitlist *l = &d->store.list[t];
    ws_textconf text = ws_domscore_text(d);
    ws_buf name = {0};
    if (!d->beside[WS_DOMFORM_RECORDS]) ws_hitlist_prune(l, &d->threshold[t], e->spaces.Z);
    ws_hitlist_rank(l, &d->threshold[t], e->spaces);
    if (d->seq_limit) ws_hitlist_limit(l, (size_t)d->seq_limit);
    ws_domscore_count_passed(e->job, t, &text);
    text.round = r->round;
    text.msa = NULL;
    const size_t new = compare_targets(q, l), rows = count_rows(l);
    const int converged = new == 0 && rows <= q->rows;
    q->done = converged || r->round == r->most;
    text.converged = converged;
    ws_hitquery hq = ws_domscore_query(d, e->job->target[t].data, l, &text);
    hq.origin = &r->origin[t];
    hq.first = hq.origin->number == 0;
    int rc = ws_job_go_on(e->job, err);
    if (!rc && d->join) rc = ws_hitlist_join(l, (uint64_t)d->join_gap, err);
    if (!rc) rc = ws_buf_addf(&name, err, "%s-i%d", hq.origin->name, r->round);
    hq.msa_name = name.p;
    hq.threads = ws_domscore_list_threads(&e->of, l, e->job->nworker);
    /* the text of a long list goes to the outputs as it is made */
    const int at_once = e->of.n == 1 && q->done && r->written == r->active[t];
    if (!rc && at_once) rc = begin_text(e, q, err);
    if (!rc) rc = write_outputs(r, q, at_once ? d->out : q->out, &hq, new, rows, converged, err);
    if (at_once) rc = end_text(e, q, rc, err);
    if (!rc && !q->done) rc = make_model(r, &hq, &q->next, err);
    if (!rc) rc = keep_names(q, l, err);
    q->rows = rows;
    ws_buf_release(&name);
    return rc;
}

/* ---- all queries ---- */

static size_t weight(const void *ctx, size_t i) {
    const ending *e = ctx;
    return e->r->sieve.dom.store.list[e->of.first + i].n;
}

/* Hands the text of the queries before `end` on, up to the first one that is not done. */
static int hand_on(ws_job *job, ws_rounds *r, size_t end, ws_err *err) {
    ws_domscore *d = &r->sieve.dom;
    int rc = ws_job_head(job, err);
    for (; r->written < end && r->query[r->written].done && !rc; r->written++) {
        ws_roundquery *q = &r->query[r->written];
        for (int k = 0; k < d->nout && !rc; k++) {
            ws_dom_out *to = &d->out[k];
            const ws_dom_out *from = &q->out[k];
            rc = ws_dom_out_begin(to, r->queries.query[r->written].name, err);
            to->rows += from->rows;
            if (rc) break;
            rc = to->pattern ? ws_out_write(&to->file, from->sink.text.p, from->sink.text.n, err)
                             : ws_job_write(job, to->number, from->sink.text.p, from->sink.text.n, from->rows, err);
            rc = ws_dom_out_end(to, rc, err);
        }
        release_text(q);
    }
    return rc;
}

/* After the round of target i of the group has ended, and those of the targets before. */
static int give_query(void *ctx, size_t i, ws_err *err) {
    const ending *e = ctx;
    return hand_on(e->job, e->r, e->r->active[e->of.first + i] + 1, err);
}

/* Makes a set of the models of the queries that are not done. */
static int gather(ws_rounds *r, size_t targets, ws_hmmset *set, ws_err *err) {
    *set = (ws_hmmset){0};
    if (!(set->hmm = ws_calloc(targets, sizeof *set->hmm, err))) return err->code;
    for (size_t t = 0; t < targets; t++) {
        const size_t i = r->active[t];
        if (r->query[i].done) continue;
        r->active[set->n] = i;
        r->origin[set->n] = r->queries.query[i];
        set->hmm[set->n++] = r->query[i].next;
        r->query[i].next = (ws_hmm){0};
    }
    return WS_OK;
}

int ws_rounds_again(ws_job *job, int *more, ws_err *err) {
    ws_rounds *r = ws_rounds_of(job);
    ws_domscore *d = &r->sieve.dom;
    const double Z = ws_domscore_size(job, 1);
    ws_hmmset set = {0};
    *more = 0;
    if (job->ntarget == 0) return WS_OK;
    ws_domscore_end_steps(d);
    if (r->round == r->most) ws_backend_retire(job); /* no further round will come */
    if (isnan(Z)) return ws_domscore_no_size(err);
    ending e = {.job = job, .r = r, .spaces = {Z, d->domZ_given ? d->domZ : 0}};
    ws_sieve_count_all(&r->sieve);
    int rc = ws_domscore_failure(d, err);
    if (!rc && r->round > 1) rc = check_inputs(r, job, err);
    for (size_t first = 0; first < job->ntarget && !rc; first += e.of.n) {
        e.of = ws_domscore_group(d, d->store.list, job->ntarget, first);
        const ws_ordered w = {.n = e.of.n, .room = e.of.hits, .weight = weight, .make = end_query,
                              .give = give_query, .ctx = &e};
        rc = ws_parallel_in_order(&w, job->nworker, err);
        const size_t next = first + e.of.n; /* queries before it may have ended in an earlier round */
        if (!rc) rc = hand_on(job, r, next < job->ntarget ? r->active[next] : r->queries.n, err);
    }
    if (!rc && r->chkali) rc = save(r, "--chkali", r->chkali, "sto", job->ntarget, alignment_text, r, err);
    if (!rc) rc = gather(r, job->ntarget, &set, err);
    *more = !rc && set.n > 0;
    r->round++;
    r->sieve.again = r->round < r->most;
    if (*more) rc = check_inputs(r, job, err);
    if (*more && !rc) rc = ws_sieve_restart(job, &set, err);
    ws_hmmset_release(&set);
    return rc;
}
