/* SPDX-License-Identifier: MIT
 * Hits in long DNA as nhmmer's --tblout and --dfamtblout, BED, GFF3 and a table; the list of all
 * forms. Specification long-targets.md, section 14. */
#include <stdio.h>
#include <string.h>

#include "lib/hits/features.h"
#include "lib/hits/keep.h"
#include "lib/hits/write.h"

#define U64(v) ((unsigned long long)(v))

/* ---- nhmmer's tables ---- */

typedef struct widths {
    int name, name_acc, query, query_acc, place;
} widths;

/* Returns the model of a hit. */
static const ws_hmm *model_of(const ws_dnaquery *q, const ws_dnahit *h) {
    return q->list->model ? q->list->model[h->model] : q->hmm;
}

static const char *query_name(const ws_dnaquery *q) { return q->seq ? q->seq->name : q->hmm->name; }
static const char *or_dash(const char *acc) { return acc && *acc ? acc : "-"; }
static const char *acc_of(const ws_hmm *hmm) { return or_dash(hmm->acc); }
static const char *target_acc(const ws_dnaquery *q, const ws_dnahit *h) {
    return q->seq ? acc_of(model_of(q, h)) : or_dash(h->record->acc);
}
static const char *query_acc(const ws_dnaquery *q) { return or_dash(q->seq ? q->seq->acc : q->hmm->acc); }

enum { LENGTH = 24 };

/* Returns the length of the target; "-" for one that is not known. */
static const char *length_of(char text[LENGTH], const ws_dnaquery *q, const ws_dnahit *h) {
    const uint64_t L = q->seq ? (uint64_t)model_of(q, h)->M : h->record->L;
    snprintf(text, LENGTH, "%llu", U64(L));
    return L ? text : "-";
}
static const char *length_title(const ws_dnaquery *q, const char *of_record) { return q->seq ? "modlen" : of_record; }

static size_t digits(uint64_t v) { return (size_t)snprintf(NULL, 0, "%llu", U64(v)); }

/* Returns the widths that all hits ask for, reported or not. */
static widths widths_of(const ws_dnaquery *q) {
    widths w = {.name = 20, .name_acc = 10, .query = (int)ws_max(20, strlen(query_name(q))),
                .query_acc = (int)ws_max(10, strlen(query_acc(q))), .place = 7};
    for (size_t i = 0; i < q->list->n; i++) {
        const ws_dnahit *h = q->list->hit[i];
        w.name = (int)ws_max((size_t)w.name, strlen(ws_dnalist_name(q->list, h)));
        w.name_acc = (int)ws_max((size_t)w.name_acc, strlen(target_acc(q, h)));
        w.place = (int)ws_max((size_t)w.place, ws_max(digits(h->ali_from), digits(h->ali_to)));
    }
    return w;
}

/* Writes the last column. */
static void put_description(ws_sink *s, const ws_dnaquery *q, const ws_dnahit *h) {
    const char *desc = q->seq ? model_of(q, h)->desc : h->record->desc;
    const int n = desc ? ws_hits_desc(desc) : 0;
    ws_sink_add(s, n ? desc : "-", n ? (size_t)n : 1);
    ws_sink_add(s, "\n", 1);
}
static char sign(const ws_dnahit *h) { return h->minus ? '-' : '+'; }

static void tblout_head(ws_sink *s, const ws_dnaquery *q, widths w) {
    static const char dash[] = "--------------------", place[] = "-------";
    ws_sink_f(s, "#%-*s %-*s %-*s %-*s hmmfrom hmm to %*s %*s %*s %*s %*s strand %9s %6s %5s  %s\n", w.name - 1,
              " target name", w.name_acc, "accession", w.query, "query name", w.query_acc, "accession", w.place,
              "alifrom", w.place, "ali to", w.place, "envfrom", w.place, "env to", w.place, length_title(q, "sq len"),
              "E-value", " score", " bias", "description of target");
    ws_sink_f(s, "#%*s %*s %*s %*s ------- ------- %*s %*s %*s %*s %*s ------ --------- ------ ----- %s\n", w.name - 1,
              dash + 1, w.name_acc, dash + 10, w.query, dash, w.query_acc, dash + 10, w.place, place, w.place, place,
              w.place, place, w.place, place, w.place, place, "---------------------");
}

static void write_tblout(ws_sink *s, const ws_dnaquery *q) {
    static const char row[] = "%-*s %-*s %-*s %-*s %7u %7u %*llu %*llu %*llu %*llu %*s    %c   %9.2g %6.1f %5.1f  ";
    const widths w = widths_of(q);
    char length[LENGTH];
    if (q->first) tblout_head(s, q, w);
    for (size_t i = 0; i < q->list->n; i++) {
        const ws_dnahit *h = q->list->hit[i];
        if (!h->reported) continue;
        ws_sink_f(s, row, w.name, ws_dnalist_name(q->list, h), w.name_acc, target_acc(q, h), w.query, query_name(q),
                  w.query_acc, query_acc(q), h->hmm_from, h->hmm_to, w.place, U64(h->ali_from), w.place,
                  U64(h->ali_to), w.place, U64(h->env_from), w.place, U64(h->env_to), w.place,
                  length_of(length, q, h), sign(h), ws_dnahit_evalue(h), (double)h->bits, ws_dnahit_bias(h));
        put_description(s, q, h);
        ws_sink_pause(s);
    }
}

static void dfamtblout_head(ws_sink *s, const ws_dnaquery *q, widths w) {
    static const char dash[] = "-------------------", place[] = "-------";
    ws_sink_f(s, "# hit scores\n# ----------\n#\n# %-*s %-*s %-*s %6s %9s %5s  %s  %s %6s %*s %*s %*s %*s %*s   %s\n",
              w.name - 1, "target name", (int)ws_max(20, w.name_acc), "acc", w.query, "query name", "bits", "  e-value",
              " bias", "hmm-st", "hmm-en", "strand", w.place, "ali-st", w.place, "ali-en", w.place, "env-st", w.place,
              "env-en", w.place, length_title(q, "sq-len"), "description of target");
    ws_sink_f(s, "# %-*s %-*s %-*s %6s %9s %5s %s %s %6s %*s %*s %*s %*s %*s   %s\n", w.name - 1, dash,
              (int)ws_max(20, w.name_acc), dash, w.query, dash, "------", "---------", "-----", place, place, "------",
              w.place, place, w.place, place, w.place, place, w.place, place, w.place, place, "---------------------");
}

/* Writes a head for each query, as nhmmer does. */
static void write_dfamtblout(ws_sink *s, const ws_dnaquery *q) {
    static const char row[] = "%-*s  %-*s %-*s %6.1f %9.2g %5.1f %7u %7u    %c   %*llu %*llu %*llu %*llu %*s   ";
    const widths w = widths_of(q);
    char length[LENGTH];
    dfamtblout_head(s, q, w);
    for (size_t i = 0; i < q->list->n; i++) {
        const ws_dnahit *h = q->list->hit[i];
        if (!h->reported) continue;
        ws_sink_f(s, row, w.name, ws_dnalist_name(q->list, h), (int)ws_max(20, w.name_acc), acc_of(model_of(q, h)),
                  w.query, query_name(q), (double)h->bits, ws_dnahit_evalue(h), ws_dnahit_bias(h), h->hmm_from,
                  h->hmm_to, sign(h), w.place, U64(h->ali_from), w.place, U64(h->ali_to), w.place, U64(h->env_from),
                  w.place, U64(h->env_to), w.place, length_of(length, q, h));
        put_description(s, q, h);
        ws_sink_pause(s);
    }
}

/* ---- features ---- */

static ws_feature feature_of(const ws_dnaquery *q, const ws_dnahit *h) {
    return (ws_feature){.seq = h->record->name, .nseq = strlen(h->record->name), .from = ws_dnahit_low(h),
                        .to = ws_dnahit_high(h), .minus = h->minus, .model = model_of(q, h)->name,
                        .hmm_from = h->hmm_from, .hmm_to = h->hmm_to, .bits = (double)h->bits,
                        .bias = ws_dnahit_bias(h), .evalue = ws_dnahit_evalue(h), .program = q->program,
                        .type = "nucleotide_match"};
}

static void bed_row(ws_sink *s, const ws_dnaquery *q, const ws_dnahit *h) {
    const ws_feature f = feature_of(q, h);
    ws_write_bed(s, &f, q->odd_names);
}

static void gff_row(ws_sink *s, const ws_dnaquery *q, const ws_dnahit *h) {
    const ws_feature f = feature_of(q, h);
    ws_write_gff3(s, &f);
    ws_sink_add(s, "\n", 1);
}

static void column_row(ws_sink *s, const ws_dnaquery *q, const ws_dnahit *h) {
    ws_write_columns_dna(s, model_of(q, h), q->columns, h);
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

static const ws_dnaform forms[] = {
    {.name = "tsv", .head = "", .frame = WS_FRAME_COLUMNS, .write = write_tsv},
    {.name = "text", .head = "", .frame = WS_FRAME_REPORT, .alignments = 1, .write = ws_write_text_dna},
    {.name = "tblout", .head = "", .frame = WS_FRAME_HMMER, .write = write_tblout},
    {.name = "dfamtblout", .head = "", .write = write_dfamtblout},
    {.name = "sto", .head = "", .alignments = 1, .by_model = 1, .write = ws_write_stockholm_dna},
    {.name = "aliscores", .head = "", .alignments = 1, .by_model = 1, .write = ws_write_aliscores},
    {.name = "records", .head = "", .alignments = 1, .all = 1, .by_model = 1, .write = ws_write_records_dna},
    {.name = "bed", .head = "", .write = write_bed},
    {.name = "gff3", .head = WS_GFF3_HEAD, .write = write_gff3},
    {.name = NULL}};

const ws_dnaform *ws_dnaform_find(const char *name) {
    for (const ws_dnaform *f = forms; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}
