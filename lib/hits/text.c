/* SPDX-License-Identifier: MIT
 * The main output of hmmsearch or hmmscan for one query: the list of targets, the domains of each, their alignments.
 * Specification domains.md, sections 11.3 and 11.5. */
#include <math.h>
#include <string.h>

#include "lib/hits/lines.h"
#include "lib/hits/write.h"

enum { LEAST_NAME = 8 };

/* Returns what a target is called: its accession, if that is preferred. */
static const char *shown_name(const ws_hitquery *q, const ws_held *h) {
    const char *acc = q->text->accessions ? ws_hitlist_acc(q->list, h) : "";
    return *acc ? acc : ws_hitlist_name(q->list, h);
}

static void put_evalue(ws_sink *s, double v) {
    if (isnan(v)) ws_sink_f(s, "%9s ", "-");
    else ws_sink_f(s, "%9.2g ", v);
}

/* ---- targets ---- */

static void put_target(ws_sink *s, const ws_hitquery *q, const ws_held *h, int width, int room) {
    const ws_hitlist *l = q->list;
    const ws_held_domain *best = &ws_held_domains(h)[h->best];
    ws_sink_add(s, h->flags & WS_HELD_NEW ? "+ " : h->flags & WS_HELD_DROPPED ? "- " : "  ", 2);
    put_evalue(s, ws_hitlist_evalue(l, h, h->bits, l->spaces.Z));
    ws_sink_f(s, "%6.1f %5.1f  ", (double)h->bits, (double)ws_held_bias(h));
    put_evalue(s, ws_hitlist_evalue(l, h, best->bits, l->spaces.Z));
    ws_sink_f(s, "%6.1f %5.1f  %5.1f %2u  %-*s  ", (double)best->bits, ws_held_domain_bias(best), (double)h->expected,
              h->nreported, width, shown_name(q, h));
    ws_line_desc(s, ws_hitlist_desc(l, h), room);
    ws_sink_pause(s);
}

static int name_width(const ws_hitquery *q) {
    return (int)ws_max(LEAST_NAME, q->text->accessions ? q->list->shown_width : q->list->name_width);
}

static void put_heads(ws_sink *s, const ws_hitquery *q) {
    const int width = name_width(q);
    ws_sink_f(s, "Scores for complete sequence%s (score includes all domains):\n", q->seq ? "" : "s");
    ws_sink_f(s, "  %22s  %22s  %8s\n", " --- full sequence ---", " --- best 1 domain ---", "-#dom-");
    ws_sink_f(s, "    E-value  score  bias    E-value  score  bias    exp  N  %-*s Description\n", width,
              q->seq ? "Model" : "Sequence");
    ws_sink_f(s, "    ------- ------ -----    ------- ------ -----   ---- --  %-*s -----------\n", width, "--------");
}

void ws_write_text_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    const int width = name_width(q);
    if (!(h->flags & WS_HELD_REPORTED)) return;
    if (h == q->below) ws_sink_f(s, "  ------ inclusion threshold ------\n");
    put_target(s, q, h, width, ws_line_room(q->text->width, (size_t)width + 61, WS_LINE_DESC)); /* other columns: 61 */
}

/* Returns the accession of the sequence of a pair. */
static const char *sequence_acc(const ws_hitquery *q, const ws_held *h) {
    return q->seq ? ws_hitquery_acc(q) : ws_hitlist_acc(q->list, h);
}

/* ---- domains ---- */

static void put_domain(ws_sink *s, const ws_hitquery *q, const ws_held *h, const ws_held_domain *d, uint32_t number) {
    const ws_hitlist *l = q->list;
    ws_sink_f(s, " %3u %c %6.1f %5.1f ", number, d->flags & WS_HELD_INCLUDED ? '!' : '?', (double)d->bits,
              ws_held_domain_bias(d));
    put_evalue(s, ws_hitlist_evalue(l, h, d->bits, l->spaces.domZ));
    put_evalue(s, ws_hitlist_evalue(l, h, d->bits, l->spaces.Z));
    ws_sink_f(s, "%7u %7u %c%c %7u %7u %c%c %7u %7u %c%c %4.2f\n", d->hmm_from, d->hmm_to, d->hmm_from == 1 ? '[' : '.',
              d->hmm_to == (uint32_t)q->hmm->M ? ']' : '.', d->ali_from, d->ali_to, d->ali_from == 1 ? '[' : '.',
              d->ali_to == h->L ? ']' : '.', d->env_from, d->env_to, d->env_from == 1 ? '[' : '.',
              d->env_to == h->L ? ']' : '.', ws_held_accuracy(d));
}

static void put_alignments(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    const ws_hitlist *l = q->list;
    const ws_textconf *conf = q->text;
    ws_alilines a = {0};
    uint32_t number = 0;
    ws_sink_f(s, "\n  Alignments for each domain:\n");
    for (uint32_t j = 0; j < h->n; j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        if (!(d->flags & WS_HELD_REPORTED)) continue;
        const double e = ws_hitlist_evalue(l, h, d->bits, l->spaces.domZ);
        ws_sink_f(s, "  == domain %u  score: %.1f bits;  conditional E-value: ", ++number, (double)d->bits);
        if (isnan(e)) ws_sink_f(s, "-\n");
        else ws_sink_f(s, "%.2g\n", e);
        const ws_ali ali = ws_held_ali(h, d);
        const char *acc = conf->accessions ? sequence_acc(q, h) : "";
        ws_write_alignment(s, q->hmm, q->profile, &ali,
                           conf->accessions && q->hmm->acc && *q->hmm->acc ? q->hmm->acc : q->hmm->name,
                           *acc ? acc : ws_held_name(h), conf->width, &a);
        ws_sink_f(s, "\n");
        ws_sink_pause(s);
    }
    ws_alilines_release(&a);
}

static void put_domains(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    const ws_textconf *conf = q->text;
    const char *name = shown_name(q, h);
    uint32_t number = 0;
    ws_sink_f(s, ">> %s  ", name);
    ws_line_desc(s, ws_hitlist_desc(q->list, h), ws_line_room(conf->width, strlen(name) + 5, WS_LINE_DESC));
    if (h->nreported == 0) {
        ws_sink_f(s, "   [No individual domains that satisfy reporting thresholds (although complete target did)]\n\n");
        return;
    }
    ws_sink_f(
        s, "   #    score  bias  c-Evalue  i-Evalue hmmfrom  hmm to    alifrom  ali to    envfrom  env to     acc\n");
    ws_sink_f(
        s, " ---   ------ ----- --------- --------- ------- -------    ------- -------    ------- -------    ----\n");
    for (uint32_t j = 0; j < h->n; j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        if (d->flags & WS_HELD_REPORTED) put_domain(s, q, h, d, ++number);
    }
    if (conf->alignments) put_alignments(s, q, h);
    else ws_sink_f(s, "\n");
    ws_sink_pause(s);
}

static void put_space(ws_sink *s, const char *what, double v, const char *from) {
    if (isnan(v)) ws_sink_f(s, "%s%15s  [not known: the input is cut]\n", what, "-");
    else ws_sink_f(s, "%s%15.0f  %s\n", what, v, from);
}

/* Writes how much was searched, and how much passed each filter, as far as that is known. */
static void put_counts(ws_sink *s, const ws_hitquery *q) {
    static const char *const name[WS_TEXT_FILTERS] = {"MSV filter: ", "bias filter:", "Vit filter: ", "Fwd filter: "};
    const ws_textconf *conf = q->text;
    if (!q->seq) ws_sink_f(s, "Query model(s):              %15d  (%d nodes)\n", 1, q->hmm->M);
    else ws_sink_f(s, "Query sequence(s):           %15d  (%u residues searched)\n", 1, q->seq->L);
    if (!conf->known) return;
    if (!q->seq)
        ws_sink_f(s, "Target sequences:            %15llu  (%llu residues searched)\n", (unsigned long long)conf->seqs,
                  (unsigned long long)conf->residues);
    else
        ws_sink_f(s, "Target model(s):             %15llu  (%llu nodes)\n", (unsigned long long)conf->seqs,
                  (unsigned long long)conf->nodes);
    for (int f = 0; f < WS_TEXT_FILTERS && conf->filters; f++) {
        const double n = (double)conf->passed[f], seqs = (double)conf->seqs, p = conf->filter_p[f];
        ws_sink_f(s, "Passed %s          %15.0f  (%.6g); expected %.1f (%.6g)\n", name[f], n, seqs > 0 ? n / seqs : 0,
                  p * seqs, p);
    }
}

static void put_query(ws_sink *s, const ws_hitquery *q) {
    const ws_queryseq *seq = q->seq ? q->seq : q->origin;
    if (seq) {
        ws_sink_f(s, "Query:       %s  [L=%u]\n", seq->name, seq->L);
        if (*ws_hitquery_acc(q)) ws_sink_f(s, "Accession:   %s\n", ws_hitquery_acc(q));
        const int n = ws_hits_desc(seq->desc);
        if (n) ws_sink_f(s, "Description: %.*s\n", n, seq->desc);
        return;
    }
    ws_sink_f(s, "Query:       %s  [M=%d]\n", q->hmm->name, q->hmm->M);
    if (q->hmm->acc) ws_sink_f(s, "Accession:   %s\n", q->hmm->acc);
    if (q->hmm->desc) ws_sink_f(s, "Description: %s\n", q->hmm->desc);
}

/* Returns how many domains are in the alignment. */
static size_t count_included(const ws_hitlist *l) {
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->hit[i]->flags & WS_HELD_INCLUDED) n += l->hit[i]->nincluded;
    return n;
}

void ws_write_text_begin(ws_sink *s, const ws_hitquery *q) {
    if (q->text->round <= 1) put_query(s, q);
    if (q->text->round == 1) ws_sink_add(s, "\n", 1);
    put_heads(s, q);
}

void ws_write_domains_begin(ws_sink *s, const ws_hitquery *q) {
    if (q->list->nreported == 0) ws_sink_f(s, "\n   [No hits detected that satisfy reporting thresholds]\n");
    ws_sink_f(s, "\n\nDomain annotation for each %s%s:\n", q->seq ? "model" : "sequence",
              q->text->alignments ? " (and alignments)" : "");
}

void ws_write_domains_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    const ws_hitquery one = ws_hitquery_of(q, h);
    if (h->flags & WS_HELD_REPORTED) put_domains(s, &one, h);
}

void ws_write_domains_end(ws_sink *s, const ws_hitquery *q) {
    const ws_textconf *conf = q->text;
    if (q->list->nreported == 0) ws_sink_f(s, "\n   [No targets detected that satisfy reporting thresholds]\n");
    ws_sink_f(s, "\n\nInternal pipeline statistics summary:\n-------------------------------------\n");
    put_counts(s, q);
    put_space(s, "Initial search space (Z):    ", q->list->spaces.Z,
              conf->z_given ? "[as set by --Z on cmdline]" : "[actual number of targets]");
    put_space(s, "Domain search space  (domZ): ", q->list->spaces.domZ,
              conf->domz_given ? "[as set by --domZ on cmdline]" : "[number of targets reported over threshold]");
    if (!conf->round) ws_sink_f(s, "//\n");
    if (conf->msa) ws_line_saved(s, count_included(q->list), conf->msa);
}
