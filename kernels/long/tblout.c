/* SPDX-License-Identifier: MIT
 * nhmmer's --tblout, specification long-targets.md, section 14, and its --dfamtblout, which differs in columns and in a head for each
 * model. */
#include <stdio.h>
#include <string.h>

#include "kernels/long/hits.h"

typedef struct widths {
    int name, query, accession, place;
} widths;

enum { LENGTH = 24 };

/* Returns the record's length; "-" if nobody knows it. */
static const char *length_of(char text[LENGTH], const ws_long_record *r) {
    snprintf(text, LENGTH, "%llu", (unsigned long long)r->L);
    return r->L ? text : "-";
}

static int digits(uint64_t v) { return snprintf(NULL, 0, "%llu", (unsigned long long)v); }

/* All hits count, reported or not. */
static widths widths_of(const ws_hmm *hmm, const ws_long_hits *l, const ws_long_record *record) {
    widths w = {20, (int)ws_max(20, strlen(hmm->name)), (int)ws_max(10, hmm->acc ? strlen(hmm->acc) : 0), 7};
    for (size_t i = 0; i < l->n; i++) {
        const ws_long_hit *h = &l->at[i];
        w.name = (int)ws_max((size_t)w.name, strlen(record[h->record].name));
        w.place = (int)ws_max((size_t)w.place, (size_t)ws_max((size_t)digits(h->ali_from), (size_t)digits(h->ali_to)));
    }
    return w;
}

static int head(ws_buf *out, widths w, ws_err *err) {
    static const char dash[] = "--------------------";
    int rc = ws_buf_addf(out, err, "#%-*s %-*s %-*s %-*s hmmfrom hmm to %*s %*s %*s %*s %*s strand %9s %6s %5s  %s\n", w.name - 1,
                         " target name", 10, "accession", w.query, "query name", w.accession, "accession", w.place, "alifrom", w.place,
                         "ali to", w.place, "envfrom", w.place, "env to", w.place, "sq len", "E-value", " score", " bias",
                         "description of target");
    if (rc) return rc;
    return ws_buf_addf(out, err, "#%*s %*s %*s %*s ------- ------- %*s %*s %*s %*s %*s ------ --------- ------ ----- %s\n", w.name - 1,
                       dash + 1, 10, dash + 10, w.query, dash, w.accession, dash + 10, w.place, dash + 13, w.place, dash + 13, w.place,
                       dash + 13, w.place, dash + 13, w.place, dash + 13, "---------------------");
}

static int row(ws_buf *out, widths w, const ws_hmm *hmm, const ws_long_hit *h, const ws_long_record *r, ws_err *err) {
    static const char format[] = "%-*s %-*s %-*s %-*s %7u %7u %*llu %*llu %*llu %*llu %*s    %c   %9.2g %6.1f %5.1f  %s\n";
    char length[LENGTH];
    return ws_buf_addf(out, err, format, w.name, r->name, 10, "-", w.query, hmm->name, w.accession, hmm->acc && *hmm->acc ? hmm->acc : "-",
                       h->hmm_from, h->hmm_to, w.place, (unsigned long long)h->ali_from, w.place, (unsigned long long)h->ali_to, w.place,
                       (unsigned long long)h->env_from, w.place, (unsigned long long)h->env_to, w.place, length_of(length, r),
                       h->minus ? '-' : '+', ws_long_hit_evalue(h), (double)h->bits,
                       (double)h->correction_nats * WS_LOG2E,
                       *r->desc ? r->desc : "-");
}

int ws_long_tblout(ws_buf *out, const ws_hmm *hmm, const ws_long_hits *l, const ws_long_record *record, int first, ws_err *err) {
    const widths w = widths_of(hmm, l, record);
    int rc = first ? head(out, w, err) : WS_OK;
    for (size_t i = 0; i < l->n && !rc; i++)
        if (l->at[i].reported) rc = row(out, w, hmm, &l->at[i], &record[l->at[i].record], err);
    return rc;
}

static int dfam_head(ws_buf *out, widths w, ws_err *err) {
    static const char dash[] = "-------------------", place[] = "-------";
    int rc = ws_buf_addf(out, err,
                         "# hit scores\n# ----------\n#\n# %-*s %-*s %-*s %6s %9s %5s  %s  %s %6s %*s %*s %*s %*s %*s   %s\n", w.name - 1,
                         "target name", 20, "acc", w.query, "query name", "bits", "  e-value", " bias", "hmm-st", "hmm-en", "strand",
                         w.place, "ali-st", w.place, "ali-en", w.place, "env-st", w.place, "env-en", w.place, "sq-len",
                         "description of target");
    if (rc) return rc;
    return ws_buf_addf(out, err, "# %-*s %-*s %-*s %6s %9s %5s %s %s %6s %*s %*s %*s %*s %*s   %s\n", w.name - 1, dash, 20, dash,
                       w.query, dash, "------", "---------", "-----", place, place, "------", w.place, place,
                       w.place, place, w.place, place, w.place, place, w.place, place, "---------------------");
}

static int dfam_row(ws_buf *out, widths w, const ws_hmm *hmm, const ws_long_hit *h, const ws_long_record *r, ws_err *err) {
    static const char format[] = "%-*s  %-*s %-*s %6.1f %9.2g %5.1f %7u %7u    %c   %*llu %*llu %*llu %*llu %*s   %s\n";
    char length[LENGTH];
    return ws_buf_addf(out, err, format, w.name, r->name, 20, hmm->acc && *hmm->acc ? hmm->acc : "-", w.query, hmm->name, (double)h->bits,
                       ws_long_hit_evalue(h), (double)h->correction_nats * WS_LOG2E, h->hmm_from, h->hmm_to,
                       h->minus ? '-' : '+', w.place, (unsigned long long)h->ali_from, w.place, (unsigned long long)h->ali_to, w.place,
                       (unsigned long long)h->env_from, w.place, (unsigned long long)h->env_to, w.place, length_of(length, r),
                       *r->desc ? r->desc : "-");
}

int ws_long_dfamtblout(ws_buf *out, const ws_hmm *hmm, const ws_long_hits *l, const ws_long_record *record, ws_err *err) {
    const widths w = widths_of(hmm, l, record);
    int rc = dfam_head(out, w, err);
    for (size_t i = 0; i < l->n && !rc; i++)
        if (l->at[i].reported) rc = dfam_row(out, w, hmm, &l->at[i], &record[l->at[i].record], err);
    return rc;
}
