/* SPDX-License-Identifier: MIT
 * hmmsearch's main output for one query: the list of targets, the domains of each, their alignments. Specification
 * domains.md, sections 11.3 and 11.5. */
#include <math.h>
#include <string.h>

#include "lib/hits/write.h"

enum { LEAST_DESC = 32, LEAST_NAME = 8, LEAST_ALIGNMENT = 40 };

/* At least `least` of what is left of a line; no limit without a width. */
static int room_for(const ws_textconf *conf, size_t used, size_t least) {
    if (conf->width <= 0) return INT32_MAX;
    const size_t width = (size_t)conf->width;
    return (int)ws_max(least, width > used ? width - used : 0);
}

static void put_desc(ws_sink *s, const char *desc, int room) {
    ws_sink_add(s, desc, ws_min(strlen(desc), (size_t)room));
    ws_sink_add(s, "\n", 1);
}

static void put_evalue(ws_sink *s, double v) {
    if (isnan(v)) ws_sink_f(s, "%9s ", "-");
    else ws_sink_f(s, "%9.2g ", v);
}

/* ---- targets ---- */

static void put_target(ws_sink *s, const ws_hitquery *q, const ws_held *h, int name_width, int room) {
    const ws_hitlist *l = q->list;
    const ws_held_domain *best = &ws_held_domains(h)[h->best];
    ws_sink_add(s, "  ", 2);
    put_evalue(s, ws_hitlist_p(l, h->bits) * l->spaces.Z);
    ws_sink_f(s, "%6.1f %5.1f  ", (double)h->bits, (double)ws_held_bias(h));
    put_evalue(s, ws_hitlist_p(l, best->bits) * l->spaces.Z);
    ws_sink_f(s, "%6.1f %5.1f  %5.1f %2u  %-*s  ", (double)best->bits, ws_held_domain_bias(best), (double)h->expected,
              h->nreported, name_width, ws_held_text(h, h->name));
    put_desc(s, ws_held_text(h, h->desc), room);
    ws_sink_pause(s);
}

static void put_targets(ws_sink *s, const ws_hitquery *q, const ws_textconf *conf) {
    const ws_hitlist *l = q->list;
    const int name_width = (int)ws_max(LEAST_NAME, l->name_width);
    const int room = room_for(conf, (size_t)name_width + 61, LEAST_DESC); /* the other columns take 61 */
    int below = 0;
    ws_sink_f(s, "Scores for complete sequences (score includes all domains):\n");
    ws_sink_f(s, "  %22s  %22s  %8s\n", " --- full sequence ---", " --- best 1 domain ---", "-#dom-");
    ws_sink_f(s, "    E-value  score  bias    E-value  score  bias    exp  N  %-*s Description\n", name_width,
              "Sequence");
    ws_sink_f(s, "    ------- ------ -----    ------- ------ -----   ---- --  %-*s -----------\n", name_width,
              "--------");
    for (size_t i = 0; i < l->n; i++) {
        const ws_held *h = l->hit[i];
        if (!(h->flags & WS_HELD_REPORTED)) continue;
        if (!(h->flags & WS_HELD_INCLUDED) && !below) {
            ws_sink_f(s, "  ------ inclusion threshold ------\n");
            below = 1;
        }
        put_target(s, q, h, name_width, room);
    }
    if (l->nreported == 0) ws_sink_f(s, "\n   [No hits detected that satisfy reporting thresholds]\n");
}

/* ---- alignments ---- */

static int digits(uint32_t v) {
    int n = 1;
    while (v >= 10) {
        v /= 10;
        n++;
    }
    return n;
}

typedef struct frame { /* of an alignment: the margins of its lines */
    const char *query, *target;
    int name, coordinate;
} frame;

static void put_marks(ws_sink *s, const frame *f, const char *line, size_t from, size_t n, const char *tag) {
    if (line)
        ws_sink_f(s, "  %*s %.*s%s%s\n", f->name + f->coordinate + 1, "", (int)n, line + from, *tag ? " " : "", tag);
}

/* Columns from .. from + n; *k and *i are the next node and residue. */
static void put_block(ws_sink *s, const frame *f, const ws_alilines *a, size_t from, size_t n, uint32_t *k,
                      uint32_t *i) {
    uint32_t nodes = 0, residues = 0;
    for (size_t c = from; c < from + n; c++) {
        nodes += a->model[c] != '.';
        residues += a->target[c] != '-';
    }
    put_marks(s, f, a->cs, from, n, "CS");
    put_marks(s, f, a->rf, from, n, "RF");
    ws_sink_f(s, "  %*s %*u %.*s %-*u\n", f->name, f->query, f->coordinate, *k, (int)n, a->model + from, f->coordinate,
              *k + nodes - 1);
    put_marks(s, f, a->match, from, n, "");
    if (residues > 0)
        ws_sink_f(s, "  %*s %*u %.*s %-*u\n", f->name, f->target, f->coordinate, *i, (int)n, a->target + from,
                  f->coordinate, *i + residues - 1);
    else
        ws_sink_f(s, "  %*s %*s %.*s %*s\n", f->name, f->target, f->coordinate, "-", (int)n, a->target + from,
                  f->coordinate, "-");
    put_marks(s, f, a->pp, from, n, "PP");
    *k += nodes;
    *i += residues;
}

static void put_alignment(ws_sink *s, const ws_hitquery *q, const ws_held *h, const ws_held_domain *d,
                          const ws_textconf *conf, ws_alilines *a) {
    frame f = {.query = conf->accessions && q->hmm->acc && *q->hmm->acc ? q->hmm->acc : q->hmm->name,
               .target = ws_held_text(h, h->name)};
    uint32_t k = d->hmm_from, i = d->ali_from;
    if (ws_alilines_make(a, q, h, d, &s->err) != WS_OK) return;
    f.name = (int)ws_max(strlen(f.query), strlen(f.target));
    f.coordinate = digits((uint32_t)ws_max(d->hmm_to, d->ali_to));
    const size_t used = (size_t)f.name + 2 * (size_t)f.coordinate + 5;
    const size_t width = conf->width > 0 ? (size_t)room_for(conf, used, LEAST_ALIGNMENT) : a->n;
    for (size_t from = 0; from < a->n; from += width) {
        if (from > 0) ws_sink_add(s, "\n", 1);
        put_block(s, &f, a, from, ws_min(width, a->n - from), &k, &i);
    }
}

/* ---- domains ---- */

static void put_domain(ws_sink *s, const ws_hitquery *q, const ws_held *h, const ws_held_domain *d, uint32_t number) {
    const ws_hitlist *l = q->list;
    const double p = ws_hitlist_p(l, d->bits);
    ws_sink_f(s, " %3u %c %6.1f %5.1f ", number, d->flags & WS_HELD_INCLUDED ? '!' : '?', (double)d->bits,
              ws_held_domain_bias(d));
    put_evalue(s, p * l->spaces.domZ);
    put_evalue(s, p * l->spaces.Z);
    ws_sink_f(s, "%7u %7u %c%c %7u %7u %c%c %7u %7u %c%c %4.2f\n", d->hmm_from, d->hmm_to, d->hmm_from == 1 ? '[' : '.',
              d->hmm_to == (uint32_t)q->hmm->M ? ']' : '.', d->ali_from, d->ali_to, d->ali_from == 1 ? '[' : '.',
              d->ali_to == h->L ? ']' : '.', d->env_from, d->env_to, d->env_from == 1 ? '[' : '.',
              d->env_to == h->L ? ']' : '.', ws_held_accuracy(d));
}

static void put_alignments(ws_sink *s, const ws_hitquery *q, const ws_held *h, const ws_textconf *conf,
                           ws_alilines *a) {
    const ws_hitlist *l = q->list;
    uint32_t number = 0;
    ws_sink_f(s, "\n  Alignments for each domain:\n");
    for (uint32_t j = 0; j < h->n; j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        if (!(d->flags & WS_HELD_REPORTED)) continue;
        const double e = ws_hitlist_p(l, d->bits) * l->spaces.domZ;
        ws_sink_f(s, "  == domain %u  score: %.1f bits;  conditional E-value: ", ++number, (double)d->bits);
        if (isnan(e)) ws_sink_f(s, "-\n");
        else ws_sink_f(s, "%.2g\n", e);
        put_alignment(s, q, h, d, conf, a);
        ws_sink_f(s, "\n");
        ws_sink_pause(s);
    }
}

static void put_domains(ws_sink *s, const ws_hitquery *q, const ws_held *h, const ws_textconf *conf, ws_alilines *a) {
    const char *name = ws_held_text(h, h->name);
    uint32_t number = 0;
    ws_sink_f(s, ">> %s  ", name);
    put_desc(s, ws_held_text(h, h->desc), room_for(conf, strlen(name) + 5, LEAST_DESC));
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
    if (conf->alignments) put_alignments(s, q, h, conf, a);
    else ws_sink_f(s, "\n");
    ws_sink_pause(s);
}

static void put_space(ws_sink *s, const char *what, double v, const char *from) {
    if (isnan(v)) ws_sink_f(s, "%s%15s  [not known: the input is cut]\n", what, "-");
    else ws_sink_f(s, "%s%15.0f  %s\n", what, v, from);
}

/* Writes how much was searched, and how much passed each filter, as far as that is known. */
static void put_counts(ws_sink *s, const ws_textconf *conf) {
    static const char *const name[WS_TEXT_FILTERS] = {"MSV filter: ", "bias filter:", "Vit filter: ", "Fwd filter: "};
    if (!conf->known) return;
    ws_sink_f(s, "Target sequences:            %15llu  (%llu residues searched)\n", (unsigned long long)conf->seqs,
              (unsigned long long)conf->residues);
    for (int f = 0; f < WS_TEXT_FILTERS && conf->filters; f++) {
        const double n = (double)conf->passed[f], seqs = (double)conf->seqs, p = conf->filter_p[f];
        ws_sink_f(s, "Passed %s          %15.0f  (%.6g); expected %.1f (%.6g)\n", name[f], n, seqs > 0 ? n / seqs : 0,
                  p * seqs, p);
    }
}

void ws_write_text(ws_sink *s, const ws_hitquery *q) {
    const ws_textconf *conf = q->text;
    const ws_hmm *hmm = q->hmm;
    ws_alilines a = {0};
    ws_sink_f(s, "Query:       %s  [M=%d]\n", hmm->name, hmm->M);
    if (hmm->acc) ws_sink_f(s, "Accession:   %s\n", hmm->acc);
    if (hmm->desc) ws_sink_f(s, "Description: %s\n", hmm->desc);
    put_targets(s, q, conf);
    ws_sink_f(s, "\n\nDomain annotation for each sequence%s:\n", conf->alignments ? " (and alignments)" : "");
    for (size_t i = 0; i < q->list->n; i++)
        if (q->list->hit[i]->flags & WS_HELD_REPORTED) put_domains(s, q, q->list->hit[i], conf, &a);
    if (q->list->nreported == 0) ws_sink_f(s, "\n   [No targets detected that satisfy reporting thresholds]\n");
    ws_sink_f(s, "\n\nInternal pipeline statistics summary:\n-------------------------------------\n");
    ws_sink_f(s, "Query model(s):              %15d  (%d nodes)\n", 1, hmm->M);
    put_counts(s, conf);
    put_space(s, "Initial search space (Z):    ", q->list->spaces.Z,
              conf->z_given ? "[as set by --Z on cmdline]" : "[actual number of targets]");
    put_space(s, "Domain search space  (domZ): ", q->list->spaces.domZ,
              conf->domz_given ? "[as set by --domZ on cmdline]" : "[number of targets reported over threshold]");
    ws_sink_f(s, "//\n");
    ws_alilines_release(&a);
}
