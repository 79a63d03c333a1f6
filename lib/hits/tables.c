/* SPDX-License-Identifier: MIT
 * hmmsearch's --tblout and --domtblout. Specification domains.md, sections 11.1, 11.2, 11.6. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/hits/write.h"

enum { NUMBER = 32 };

/* Spells an E-value in nine characters, an unknown one as "-". */
static const char *evalue(char *to, double v) {
    if (isnan(v)) snprintf(to, NUMBER, "%9s", "-");
    else snprintf(to, NUMBER, "%9.2g", v);
    return to;
}

typedef struct widths {
    int target, query, accession;
} widths;

static widths widths_of(const ws_hitquery *q, size_t name_width) {
    const size_t acc = q->hmm->acc ? strlen(q->hmm->acc) : 0;
    return (widths){(int)ws_max(20, name_width), (int)ws_max(20, strlen(q->hmm->name)), (int)ws_max(10, acc)};
}

static const char *accession(const ws_hmm *hmm) { return hmm->acc && *hmm->acc ? hmm->acc : "-"; }
static const char *description(const ws_held *h) {
    const char *desc = ws_held_text(h, h->desc);
    return *desc ? desc : "-";
}

static void tblout_head(ws_sink *s, widths w) {
    static const char dash[] = "--------------------";
    ws_sink_f(s, "#%*s %22s %22s %33s\n", w.target + w.query + 10 + w.accession + 2, "", "--- full sequence ----",
              "--- best 1 domain ----", "--- domain number estimation ----");
    ws_sink_f(s, "#%-*s %-*s %-*s %-*s   E-value  score  bias "
              "  E-value  score  bias   exp reg clu  ov env dom rep inc description of target\n",
              w.target - 1, " target name", 10, "accession", w.query, "query name", w.accession, "accession");
    ws_sink_f(s,
              "#%*s %*s %*s %*s --------- ------ ----- --------- ------ -----   --- --- --- --- --- --- --- --- "
              "---------------------\n",
              w.target - 1, dash + 1, 10, dash + 10, w.query, dash, w.accession, dash + 10);
}

static void tblout_row(ws_sink *s, const ws_hitquery *q, const ws_held *h, size_t name_width) {
    const ws_hitlist *l = q->list;
    const ws_held_domain *best = &ws_held_domains(h)[h->best];
    const widths w = widths_of(q, name_width);
    char whole[NUMBER], domain[NUMBER];
    if (!(h->flags & WS_HELD_REPORTED)) return;
    ws_sink_f(s, "%-*s %-*s %-*s %-*s %s %6.1f %5.1f %s %6.1f %5.1f %5.1f %3u %3u %3u %3u %3u %3u %3u %s\n", w.target,
              ws_held_text(h, h->name), 10, "-", w.query, q->hmm->name, w.accession, accession(q->hmm),
              evalue(whole, ws_hitlist_p(l, h->bits) * l->spaces.Z), (double)h->bits, (double)ws_held_bias(h),
              evalue(domain, ws_hitlist_p(l, best->bits) * l->spaces.Z), (double)best->bits, ws_held_domain_bias(best),
              (double)h->expected, h->regions, h->ensembles, h->overlaps, h->envelopes, h->n, h->nreported,
              h->nincluded, description(h));
    ws_sink_pause(s);
}

void ws_write_tblout_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) { tblout_row(s, q, h, 0); }

void ws_write_tblout(ws_sink *s, const ws_hitquery *q) {
    if (q->first) tblout_head(s, widths_of(q, q->list->name_width));
    for (size_t i = 0; i < q->list->n; i++) tblout_row(s, q, q->list->hit[i], q->list->name_width);
}

static void domtblout_head(ws_sink *s, widths w) {
    static const char dash[] = "--------------------";
    ws_sink_f(s, "#%*s %22s %40s %11s %11s %11s\n", w.target + w.query - 1 + 15 + 10 + w.accession, "",
              "--- full sequence ---", "-------------- this domain -------------", "hmm coord", "ali coord",
              "env coord");
    ws_sink_f(s, "#%-*s %-*s  tlen %-*s %-*s  qlen   E-value  score  bias   #  of"
              "  c-Evalue  i-Evalue  score  bias  from    to  from    to  from    to  acc description of target\n",
              w.target - 1, " target name", 10, "accession", w.query, "query name", w.accession, "accession");
    ws_sink_f(s, "#%*s %*s ----- %*s %*s ----- --------- ------ ----- --- --- "
              "--------- --------- ------ ----- ----- ----- ----- ----- ----- ----- ---- ---------------------\n",
              w.target - 1, dash + 1, 10, dash + 10, w.query, dash, w.accession, dash + 10);
}

static void domtblout_rows(ws_sink *s, const ws_hitquery *q, const ws_held *h, size_t name_width) {
    const ws_hitlist *l = q->list;
    const widths w = widths_of(q, name_width);
    uint32_t shown = 0;
    if (!(h->flags & WS_HELD_REPORTED)) return;
    for (uint32_t j = 0; j < h->n; j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        const double p = ws_hitlist_p(l, d->bits);
        char whole[NUMBER], conditional[NUMBER], independent[NUMBER];
        if (!(d->flags & WS_HELD_REPORTED)) continue;
        ws_sink_f(
            s,
            "%-*s %-*s %5u %-*s %-*s %5d %s %6.1f %5.1f %3u %3u %s %s %6.1f %5.1f %5u %5u %5u %5u %5u %5u %4.2f %s\n",
            w.target, ws_held_text(h, h->name), 10, "-", h->L, w.query, q->hmm->name, w.accession, accession(q->hmm),
            q->hmm->M, evalue(whole, ws_hitlist_p(l, h->bits) * l->spaces.Z), (double)h->bits, (double)ws_held_bias(h),
            ++shown, h->nreported, evalue(conditional, p * l->spaces.domZ), evalue(independent, p * l->spaces.Z),
            (double)d->bits, ws_held_domain_bias(d), d->hmm_from, d->hmm_to, d->ali_from, d->ali_to, d->env_from,
            d->env_to, ws_held_accuracy(d), description(h));
    }
    ws_sink_pause(s);
}

void ws_write_domtblout_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) { domtblout_rows(s, q, h, 0); }

void ws_write_domtblout(ws_sink *s, const ws_hitquery *q) {
    if (q->first) domtblout_head(s, widths_of(q, q->list->name_width));
    for (size_t i = 0; i < q->list->n; i++) domtblout_rows(s, q, q->list->hit[i], q->list->name_width);
}
