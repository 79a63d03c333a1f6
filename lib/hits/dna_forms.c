/* SPDX-License-Identifier: MIT
 * Hits in long DNA as nhmmer's --tblout and --dfamtblout, BED, GFF3 and a table. Specification long-targets.md, section
 * 14. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/hits/write.h"

#define U64(v) ((unsigned long long)(v))

/* ---- nhmmer's tables ---- */

typedef struct widths {
    int name, query, accession, place;
} widths;

enum { LENGTH = 24 };

/* Returns the record's length; "-" for one that is not known. */
static const char *length_of(char text[LENGTH], const ws_dnarecord *r) {
    snprintf(text, LENGTH, "%llu", U64(r->L));
    return r->L ? text : "-";
}

static size_t digits(uint64_t v) { return (size_t)snprintf(NULL, 0, "%llu", U64(v)); }

/* Returns the widths that all hits ask for, reported or not. */
static widths widths_of(const ws_dnaquery *q) {
    const ws_hmm *hmm = q->hmm;
    widths w = {20, (int)ws_max(20, strlen(hmm->name)), (int)ws_max(10, hmm->acc ? strlen(hmm->acc) : 0), 7};
    for (size_t i = 0; i < q->list->n; i++) {
        const ws_dnahit *h = q->list->hit[i];
        w.name = (int)ws_max((size_t)w.name, strlen(h->record->name));
        w.place = (int)ws_max((size_t)w.place, ws_max(digits(h->ali_from), digits(h->ali_to)));
    }
    return w;
}

static const char *accession(const ws_hmm *hmm) { return hmm->acc && *hmm->acc ? hmm->acc : "-"; }
static const char *description(const ws_dnahit *h) { return *h->record->desc ? h->record->desc : "-"; }
static char sign(const ws_dnahit *h) { return h->minus ? '-' : '+'; }

static void tblout_head(ws_sink *s, widths w) {
    static const char dash[] = "--------------------";
    ws_sink_f(s, "#%-*s %-*s %-*s %-*s hmmfrom hmm to %*s %*s %*s %*s %*s strand %9s %6s %5s  %s\n", w.name - 1,
              " target name", 10,
              "accession", w.query, "query name", w.accession, "accession", w.place, "alifrom", w.place, "ali to",
              w.place, "envfrom",
              w.place, "env to", w.place, "sq len", "E-value", " score", " bias", "description of target");
    ws_sink_f(s, "#%*s %*s %*s %*s ------- ------- %*s %*s %*s %*s %*s ------ --------- ------ ----- %s\n", w.name - 1,
              dash + 1, 10,
              dash + 10, w.query, dash, w.accession, dash + 10, w.place, dash + 13, w.place, dash + 13, w.place,
              dash + 13, w.place,
              dash + 13, w.place, dash + 13, "---------------------");
}

static void write_tblout(ws_sink *s, const ws_dnaquery *q) {
    static const char row[] = "%-*s %-*s %-*s %-*s %7u %7u %*llu %*llu %*llu %*llu %*s    %c   %9.2g %6.1f %5.1f  %s\n";
    const widths w = widths_of(q);
    char length[LENGTH];
    if (q->first) tblout_head(s, w);
    for (size_t i = 0; i < q->list->n; i++) {
        const ws_dnahit *h = q->list->hit[i];
        if (!h->reported) continue;
        ws_sink_f(s, row, w.name, h->record->name, 10, "-", w.query, q->hmm->name, w.accession, accession(q->hmm),
                  h->hmm_from,
                  h->hmm_to, w.place, U64(h->ali_from), w.place, U64(h->ali_to), w.place, U64(h->env_from), w.place,
                  U64(h->env_to),
                  w.place, length_of(length, h->record), sign(h), ws_dnahit_evalue(h), (double)h->bits,
                  ws_dnahit_bias(h),
                  description(h));
        ws_sink_pause(s);
    }
}

static void dfamtblout_head(ws_sink *s, widths w) {
    static const char dash[] = "-------------------", place[] = "-------";
    ws_sink_f(s, "# hit scores\n# ----------\n#\n# %-*s %-*s %-*s %6s %9s %5s  %s  %s %6s %*s %*s %*s %*s %*s   %s\n",
              w.name - 1,
              "target name", 20, "acc", w.query, "query name", "bits", "  e-value", " bias", "hmm-st", "hmm-en",
              "strand", w.place,
              "ali-st", w.place, "ali-en", w.place, "env-st", w.place, "env-en", w.place, "sq-len",
              "description of target");
    ws_sink_f(s, "# %-*s %-*s %-*s %6s %9s %5s %s %s %6s %*s %*s %*s %*s %*s   %s\n", w.name - 1, dash, 20, dash,
              w.query, dash, "------",
              "---------", "-----", place, place, "------", w.place, place, w.place, place, w.place, place, w.place,
              place, w.place,
              place, "---------------------");
}

/* Writes a head for each model, as nhmmer does. */
static void write_dfamtblout(ws_sink *s, const ws_dnaquery *q) {
    static const char row[] = "%-*s  %-*s %-*s %6.1f %9.2g %5.1f %7u %7u    %c   %*llu %*llu %*llu %*llu %*s   %s\n";
    const widths w = widths_of(q);
    char length[LENGTH];
    dfamtblout_head(s, w);
    for (size_t i = 0; i < q->list->n; i++) {
        const ws_dnahit *h = q->list->hit[i];
        if (!h->reported) continue;
        ws_sink_f(s, row, w.name, h->record->name, 20, accession(q->hmm), w.query, q->hmm->name, (double)h->bits,
                  ws_dnahit_evalue(h),
                  ws_dnahit_bias(h), h->hmm_from, h->hmm_to, sign(h), w.place, U64(h->ali_from), w.place,
                  U64(h->ali_to), w.place,
                  U64(h->env_from), w.place, U64(h->env_to), w.place, length_of(length, h->record), description(h));
        ws_sink_pause(s);
    }
}

/* ---- features ---- */

/* BED counts from 0. Its end is one past the last residue, its score a whole number up to 1000. */
static void bed_row(ws_sink *s, const ws_dnaquery *q, const ws_dnahit *h) {
    ws_sink_f(s, "%s\t%llu\t%llu\t%s\t%.0f\t%c\n", h->record->name, U64(ws_dnahit_low(h) - 1), U64(ws_dnahit_high(h)),
              q->hmm->name,
              fmin(fmax((double)h->bits, 0.0), 1000.0), sign(h));
}

/* Writes text of GFF3: what would end a field, or an attribute, is a percent sign and two hexadecimal digits. */
static void gff_text(ws_sink *s, const char *text, const char *also) {
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p < ' ' || *p == 127 || *p == '%' || strchr(also, *p)) ws_sink_f(s, "%%%02X", *p);
        else ws_sink_add(s, (const char *)p, 1);
}

static void gff_row(ws_sink *s, const ws_dnaquery *q, const ws_dnahit *h) {
    gff_text(s, h->record->name, " >");
    ws_sink_f(s, "\t%s\tnucleotide_match\t%llu\t%llu\t%.2g\t%c\t.\tName=", q->program, U64(ws_dnahit_low(h)),
              U64(ws_dnahit_high(h)),
              ws_dnahit_evalue(h), sign(h));
    gff_text(s, q->hmm->name, ";=&,");
    ws_sink_add(s, ";Target=", 8);
    gff_text(s, q->hmm->name, ";=&, ");
    ws_sink_f(s, " %u %u;bits=%.1f;bias=%.1f\n", h->hmm_from, h->hmm_to, (double)h->bits, ws_dnahit_bias(h));
}

static void column_row(ws_sink *s, const ws_dnaquery *q, const ws_dnahit *h) {
    ws_write_columns_dna(s, q->hmm, q->columns, h);
}

static void write_rows(ws_sink *s, const ws_dnaquery *q,
                       void (*row)(ws_sink *s, const ws_dnaquery *q, const ws_dnahit *h)) {
    for (size_t i = 0; i < q->list->n; i++) {
        if (q->list->hit[i]->reported) row(s, q, q->list->hit[i]);
        ws_sink_pause(s);
    }
}

static void write_bed(ws_sink *s, const ws_dnaquery *q) { write_rows(s, q, bed_row); }
static void write_gff3(ws_sink *s, const ws_dnaquery *q) { write_rows(s, q, gff_row); }
static void write_tsv(ws_sink *s, const ws_dnaquery *q) { write_rows(s, q, column_row); }

/* ---- forms ---- */

static const ws_dnaform forms[] = {{"tsv", "", 1, write_tsv},
                                   {"tblout", "", 0, write_tblout},
                                   {"bed", "", 0, write_bed},
                                   {"gff3", "##gff-version 3\n", 0, write_gff3},
                                   {"dfamtblout", "", 0, write_dfamtblout},
                                   {.name = NULL}};

const ws_dnaform *ws_dnaform_find(const char *name) {
    for (const ws_dnaform *f = forms; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}
