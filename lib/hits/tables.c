/* SPDX-License-Identifier: MIT
 * --tblout and --domtblout of hmmsearch and hmmscan. Specification domains.md, sections 11.1, 11.2, 11.6. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/hits/keep.h"
#include "lib/hits/write.h"

enum { NUMBER = 32 };

/* Spells an E-value in nine characters, an unknown one as "-". */
static const char *evalue(char *to, double v) {
    if (isnan(v)) snprintf(to, NUMBER, "%9s", "-");
    else snprintf(to, NUMBER, "%9.2g", v);
    return to;
}

typedef struct widths {
    int target, target_acc, query, query_acc;
} widths;

static const char *query_name(const ws_hitquery *q) {
    return q->seq ? q->seq->name : q->origin ? q->origin->name : q->hmm->name;
}
static const char *or_dash(const char *text) { return *text ? text : "-"; }

/* Writes the last column. */
static void put_description(ws_sink *s, const char *desc) {
    const int n = ws_hits_desc(desc);
    ws_sink_add(s, n ? desc : "-", n ? (size_t)n : 1);
    ws_sink_add(s, "\n", 1);
}

static widths widths_of(const ws_hitquery *q) {
    const ws_hitlist *l = q->list;
    return (widths){.target = (int)ws_max(20, q->streams ? 0 : l->name_width),
                    .target_acc = (int)ws_max(10, q->streams ? 0 : l->acc_width),
                    .query = (int)ws_max(20, strlen(query_name(q))),
                    .query_acc = (int)ws_max(10, strlen(ws_hitquery_acc(q)))};
}

void ws_write_tblout_head(ws_sink *s, const ws_hitquery *q) {
    static const char dash[] = "--------------------";
    if (!q->first) return;
    const widths w = widths_of(q);
    ws_sink_f(s, "#%*s %22s %22s %33s\n", w.target + w.query + w.target_acc + w.query_acc + 2, "",
              "--- full sequence ----",
              "--- best 1 domain ----", "--- domain number estimation ----");
    ws_sink_f(s, "#%-*s %-*s %-*s %-*s   E-value  score  bias "
              "  E-value  score  bias   exp reg clu  ov env dom rep inc description of target\n",
              w.target - 1, " target name", w.target_acc, "accession", w.query, "query name", w.query_acc,
              "accession");
    ws_sink_f(s,
              "#%*s %*s %*s %*s --------- ------ ----- --------- ------ -----   --- --- --- --- --- --- --- --- "
              "---------------------\n",
              w.target - 1, dash + 1, w.target_acc, dash + 10, w.query, dash, w.query_acc, dash + 10);
}

void ws_write_tblout_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    const ws_hitlist *l = q->list;
    const widths w = widths_of(q);
    const ws_held_domain *best = &ws_held_domains(h)[h->best];
    char whole[NUMBER], domain[NUMBER];
    if (!(h->flags & WS_HELD_REPORTED)) return;
    ws_sink_f(s, "%-*s %-*s %-*s %-*s %s %6.1f %5.1f %s %6.1f %5.1f %5.1f %3u %3u %3u %3u %3u %3u %3u ", w.target,
              ws_hitlist_name(l, h), w.target_acc, or_dash(ws_hitlist_acc(l, h)), w.query, query_name(q), w.query_acc,
              or_dash(ws_hitquery_acc(q)), evalue(whole, ws_hitlist_evalue(l, h, h->bits, l->spaces.Z)),
              (double)h->bits, (double)ws_held_bias(h),
              evalue(domain, ws_hitlist_evalue(l, h, best->bits, l->spaces.Z)), (double)best->bits,
              ws_held_domain_bias(best), (double)h->expected, h->regions, h->ensembles, h->overlaps, h->envelopes,
              h->n, h->nreported, h->nincluded);
    put_description(s, ws_hitlist_desc(l, h));
    ws_sink_pause(s);
}

void ws_write_domtblout_head(ws_sink *s, const ws_hitquery *q) {
    static const char dash[] = "--------------------";
    if (!q->first) return;
    const widths w = widths_of(q);
    ws_sink_f(s, "#%*s %22s %40s %11s %11s %11s\n", w.target + w.query - 1 + 15 + w.target_acc + w.query_acc, "",
              "--- full sequence ---", "-------------- this domain -------------", "hmm coord", "ali coord",
              "env coord");
    ws_sink_f(s, "#%-*s %-*s  tlen %-*s %-*s  qlen   E-value  score  bias   #  of"
              "  c-Evalue  i-Evalue  score  bias  from    to  from    to  from    to  acc description of target\n",
              w.target - 1, " target name", w.target_acc, "accession", w.query, "query name", w.query_acc,
              "accession");
    ws_sink_f(s, "#%*s %*s ----- %*s %*s ----- --------- ------ ----- --- --- "
              "--------- --------- ------ ----- ----- ----- ----- ----- ----- ----- ---- ---------------------\n",
              w.target - 1, dash + 1, w.target_acc, dash + 10, w.query, dash, w.query_acc, dash + 10);
}

void ws_write_domtblout_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    const ws_hitlist *l = q->list;
    const widths w = widths_of(q);
    const uint32_t M = (uint32_t)ws_hitquery_of(q, h).hmm->M;
    uint32_t shown = 0;
    if (!(h->flags & WS_HELD_REPORTED)) return;
    for (uint32_t j = 0; j < h->n; j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        char whole[NUMBER], conditional[NUMBER], independent[NUMBER];
        if (!(d->flags & WS_HELD_REPORTED)) continue;
        ws_sink_f(
            s,
            "%-*s %-*s %5u %-*s %-*s %5u %s %6.1f %5.1f %3u %3u %s %s %6.1f %5.1f %5u %5u %5u %5u %5u %5u %4.2f ",
            w.target, ws_hitlist_name(l, h), w.target_acc, or_dash(ws_hitlist_acc(l, h)), q->seq ? M : h->L, w.query,
            query_name(q), w.query_acc, or_dash(ws_hitquery_acc(q)), q->seq ? h->L : M,
            evalue(whole, ws_hitlist_evalue(l, h, h->bits, l->spaces.Z)), (double)h->bits, (double)ws_held_bias(h),
            ++shown, h->nreported, evalue(conditional, ws_hitlist_evalue(l, h, d->bits, l->spaces.domZ)),
            evalue(independent, ws_hitlist_evalue(l, h, d->bits, l->spaces.Z)),
            (double)d->bits, ws_held_domain_bias(d), d->hmm_from, d->hmm_to, d->ali_from, d->ali_to, d->env_from,
            d->env_to, ws_held_accuracy(d));
        put_description(s, ws_hitlist_desc(l, h));
    }
    ws_sink_pause(s);
}
