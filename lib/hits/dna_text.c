/* SPDX-License-Identifier: MIT
 * The main output of nhmmer or nhmmscan for one query: the list of hits, each with its alignment, what passed the
 * filters. Specification nhmmer.md, sections 3, 4 and 8.7. */
#include <stdio.h>
#include <string.h>

#include "lib/hits/lines.h"
#include "lib/hits/write.h"

#define U64(v) ((unsigned long long)(v))
enum { LEAST_NAME = 8, LEAST_PLACE = 6 };

static const ws_hmm *model_of(const ws_dnaquery *q, const ws_dnahit *h) {
    return q->seq ? q->list->model[h->model] : q->hmm;
}

/* Returns a model's accession if that is preferred and there is one, else its name. */
static const char *model_name(const ws_dnaquery *q, const ws_hmm *hmm) {
    return q->text->accessions && hmm->acc && *hmm->acc ? hmm->acc : hmm->name;
}

/* Does the same of a record. */
static const char *record_name(const ws_dnaquery *q, const ws_dnarecord *r) {
    return q->text->accessions && *r->acc ? r->acc : r->name;
}

/* Returns what a target is called, and its description. */
static const char *shown_name(const ws_dnaquery *q, const ws_dnahit *h) {
    return q->seq ? model_name(q, model_of(q, h)) : record_name(q, h->record);
}
static const char *desc_of(const ws_dnaquery *q, const ws_dnahit *h) {
    const char *desc = q->seq ? model_of(q, h)->desc : h->record->desc;
    return desc ? desc : "";
}

/* ---- hits ---- */

static void put_query(ws_sink *s, const ws_dnaquery *q) {
    if (q->seq) {
        ws_sink_f(s, "Query:       %s  [L=%u]\n", q->seq->name, q->seq->L);
        if (q->seq->acc && *q->seq->acc) ws_sink_f(s, "Accession:   %s\n", q->seq->acc);
        const int n = ws_hits_desc(q->seq->desc);
        if (n) ws_sink_f(s, "Description: %.*s\n", n, q->seq->desc);
        return;
    }
    ws_sink_f(s, "Query:       %s  [M=%d]\n", q->hmm->name, q->hmm->M);
    if (q->hmm->acc) ws_sink_f(s, "Accession:   %s\n", q->hmm->acc);
    if (q->hmm->desc) ws_sink_f(s, "Description: %s\n", q->hmm->desc);
}

static int digits(uint64_t v) { return snprintf(NULL, 0, "%llu", U64(v)); }

static void put_hits(ws_sink *s, const ws_dnaquery *q) {
    const ws_dnalist *l = q->list;
    int name = LEAST_NAME, place = LEAST_PLACE, below = 0;
    for (size_t i = 0; i < l->n; i++) { /* reported or not */
        name = (int)ws_max((size_t)name, strlen(shown_name(q, l->hit[i])));
        place = ws_max(place, ws_max(digits(l->hit[i]->ali_from), digits(l->hit[i]->ali_to)));
    }
    const int room = ws_line_room(q->text->width, (size_t)name + 2 * (size_t)place + 32, WS_LINE_DESC);
    ws_sink_f(s, "Scores for complete hit%s:\n", q->seq ? "" : "s");
    ws_sink_f(s, "    E-value  score  bias  %-*s %*s %*s  Description\n", name, q->seq ? "Model" : "Sequence", place,
              "start", place, "end");
    ws_sink_f(s, "    ------- ------ -----  %-*s %*s %*s  -----------\n", name, "--------", place, "-----", place,
              "-----");
    for (size_t i = 0; i < l->n; i++) {
        const ws_dnahit *h = l->hit[i];
        if (!h->reported) continue;
        if (!h->included && !below++) ws_sink_f(s, "  ------ inclusion threshold ------\n");
        ws_sink_f(s, "  %9.2g %6.1f %5.1f  %-*s %*llu %*llu ", ws_dnahit_evalue(h), (double)h->bits,
                  ws_dnahit_bias(h), name, shown_name(q, h), place, U64(h->ali_from), place, U64(h->ali_to));
        ws_line_desc(s, desc_of(q, h), room);
        ws_sink_pause(s);
    }
    if (l->nreported == 0) ws_sink_f(s, "\n   [No hits detected that satisfy reporting thresholds]\n");
}

/* ---- annotation ---- */

/* Writes two ends and whether they are those of all `n`. */
static void put_ends(ws_sink *s, uint64_t from, uint64_t to, uint64_t n) {
    ws_sink_f(s, "%9llu %9llu %c%c ", U64(from), U64(to), from == 1 ? '[' : '.', to == n ? ']' : '.');
}

static void put_annotation(ws_sink *s, const ws_dnaquery *q, const ws_dnahit *h, ws_alilines *a) {
    const ws_hmm *hmm = model_of(q, h);
    const char *name = shown_name(q, h);
    const uint64_t L = q->seq ? (uint64_t)hmm->M : h->record->L; /* nhmmscan compares places with the model, too */
    ws_sink_f(s, ">> %s  ", name);
    ws_line_desc(s, desc_of(q, h), ws_line_room(q->text->width, strlen(name) + 5, WS_LINE_DESC));
    if (!h->shown) {
        ws_sink_f(s, "   [No individual domains that satisfy reporting thresholds (although complete target did)]\n\n");
        return;
    }
    ws_sink_f(s, "   %6s %5s %9s %9s %9s %2s %9s %9s %2s %9s %9s    %9s %2s %4s\n", "score", "bias", "  Evalue",
              "hmmfrom", "hmm to", "", " alifrom ", " ali to ", "", " envfrom ", " env to ",
              q->seq ? " mod len " : "  sq len ", "", "acc");
    ws_sink_f(s, "   %6s %5s %9s %9s %9s %2s %9s %9s %2s %9s %9s    %9s %2s %4s\n", "------", "-----",
              "---------", "-------", "-------", "", "---------", "---------", "", "---------", "---------",
              "---------", "", "----");
    ws_sink_f(s, " %c %6.1f %5.1f %9.2g ", h->included ? '!' : '?', (double)h->bits, ws_dnahit_bias(h),
              ws_dnahit_evalue(h));
    put_ends(s, h->hmm_from, h->hmm_to, (uint64_t)hmm->M);
    put_ends(s, h->ali_from, h->ali_to, L);
    put_ends(s, h->env_from, h->env_to, L);
    ws_sink_f(s, "%9llu    %4.2f\n\n", U64(L), ws_dnahit_accuracy(h));
    if (q->text->alignments) {
        const ws_ali ali = ws_dnahit_ali(h);
        ws_sink_f(s, "  Alignment:\n  score: %.1f bits\n", (double)h->bits);
        ws_write_alignment(s, hmm, NULL, &ali, model_name(q, hmm), record_name(q, h->record), q->text->width, a);
        ws_sink_add(s, "\n", 1);
    }
    ws_sink_pause(s);
}

/* ---- statistics ---- */

/* Writes a share of what was searched, as a program of HMMER prints it on x86. */
static void put_share(ws_sink *s, double v, double all) {
    if (all > 0) ws_sink_f(s, "%.3g", v / all);
    else ws_sink_f(s, "-nan");
}

static void put_counts(ws_sink *s, const ws_dnaquery *q) {
    static const char *const name[WS_TEXT_FILTERS] = {"SSV filter: ", "bias filter:", "Vit filter: ", "Fwd filter: "};
    const ws_textconf *conf = q->text;
    const double all = (double)conf->residues * (q->seq ? (double)conf->seqs : 1.0);
    double hits = 0;
    if (q->seq)
        ws_sink_f(s, "Query sequence(s):           %15d  (%llu residues searched)\n"
                  "Target model(s):             %15llu  (%llu nodes)\n", 1, U64(conf->residues), U64(conf->seqs),
                  U64(conf->nodes));
    else
        ws_sink_f(s, "Query model(s):              %15d  (%d nodes)\n"
                  "Target sequences:            %15llu  (%llu residues searched)\n", 1, q->hmm->M, U64(conf->seqs),
                  U64(conf->residues));
    for (int f = 0; f < WS_TEXT_FILTERS && conf->filters; f++) {
        ws_sink_f(s, "Residues passing %s%15lld  (", name[f], (long long)conf->passed[f]);
        put_share(s, (double)(int64_t)conf->passed[f], all);
        ws_sink_f(s, "); expected (%.3g)\n", conf->filter_p[f]);
    }
    for (size_t i = 0; i < q->list->n; i++)
        if (q->list->hit[i]->reported) hits += (double)ws_dnahit_residues(q->list->hit[i]);
    ws_sink_f(s, "Total number of hits:        %15zu  (", q->list->nreported);
    put_share(s, hits, all);
    ws_sink_f(s, ")\n");
}

void ws_write_text_dna(ws_sink *s, const ws_dnaquery *q) {
    const ws_textconf *conf = q->text;
    ws_alilines a = {0};
    put_query(s, q);
    put_hits(s, q);
    ws_sink_f(s, "\n\nAnnotation for each hit %s:\n", conf->alignments ? " (and alignments)" : "");
    for (size_t i = 0; i < q->list->n; i++)
        if (q->list->hit[i]->reported) put_annotation(s, q, q->list->hit[i], &a);
    if (q->list->nreported == 0) ws_sink_f(s, "\n   [No targets detected that satisfy reporting thresholds]\n");
    ws_sink_f(s, "\n\nInternal pipeline statistics summary:\n-------------------------------------\n");
    put_counts(s, q);
    ws_sink_f(s, "//\n");
    if (conf->msa) ws_line_saved(s, q->list->nincluded, conf->msa);
    ws_alilines_release(&a);
}
