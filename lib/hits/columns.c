/* SPDX-License-Identifier: MIT
 * Reported domains, or hits in long DNA, as a table of tab-separated columns: which columns there are, and what each
 * holds. */
#include <math.h>
#include <string.h>

#include "lib/hits/keep.h"
#include "lib/hits/orf.h"
#include "lib/hits/write.h"
#include "lib/stream/cell.h"

/* One row of a table: of a domain all but `dna`, of a hit in DNA that and the first three. */
typedef struct row {
    ws_sink *s;
    const ws_hmm *hmm;
    int plain;             /* texts as CSV has them */
    const ws_hitquery *q;
    const ws_held *h;
    const ws_held_domain *d;
    uint32_t number;       /* of the domain among the reported ones */
    const ws_alilines *ali; /* if the column needs it, as the next */
    const ws_orf *orf;
    const ws_dnahit *dna;
} row;

static void put_text(const row *r, const char *text) {
    if (r->s->err.code == WS_OK) (void)ws_cell_text(&r->s->text, r->plain, text, strlen(text), &r->s->err);
}
/* Writes a description, in which a tab would begin the next column. */
static void put_desc(const row *r, const char *desc) {
    const size_t at = r->s->text.n;
    if (r->s->err.code == WS_OK &&
        ws_cell_text(&r->s->text, r->plain, desc, ws_hits_plain(desc), &r->s->err) == WS_OK)
        ws_hits_blank(r->s->text.p + at, r->s->text.n - at);
}
static void put_count(const row *r, unsigned long v) { ws_sink_f(r->s, "%lu", v); }
static void put_bits(const row *r, double v) { ws_sink_f(r->s, "%.4f", v); }
/* Writes an E-value, or an empty field if it is unknown. */
static void put_e(const row *r, float bits, double size) {
    const double e = ws_hitlist_evalue(r->q->list, r->h, bits, size);
    if (!isnan(e)) ws_sink_f(r->s, "%.4g", e);
}

static void name(const row *r) { put_text(r, ws_held_name(r->h)); }
static void query(const row *r) { put_text(r, r->hmm->name); }
static void query_accession(const row *r) { put_text(r, r->hmm->acc ? r->hmm->acc : ""); }
static void tlen(const row *r) { put_count(r, r->h->L); }
static void qlen(const row *r) { put_count(r, (unsigned long)r->hmm->M); }
static void evalue(const row *r) { put_e(r, r->h->bits, r->q->list->spaces.Z); }
static void bits(const row *r) { put_bits(r, (double)r->h->bits); }
static void bias(const row *r) { put_bits(r, (double)ws_held_bias(r->h)); }
static void dom(const row *r) { put_count(r, r->number); }
static void ndom(const row *r) { put_count(r, r->h->nreported); }
static void c_evalue(const row *r) { put_e(r, r->d->bits, r->q->list->spaces.domZ); }
static void i_evalue(const row *r) { put_e(r, r->d->bits, r->q->list->spaces.Z); }
static void dom_bits(const row *r) { put_bits(r, (double)r->d->bits); }
static void dom_bias(const row *r) { put_bits(r, ws_held_domain_bias(r->d)); }
static void hmm_from(const row *r) { put_count(r, r->d->hmm_from); }
static void hmm_to(const row *r) { put_count(r, r->d->hmm_to); }
static void ali_from(const row *r) { put_count(r, r->d->ali_from); }
static void ali_to(const row *r) { put_count(r, r->d->ali_to); }
static void env_from(const row *r) { put_count(r, r->d->env_from); }
static void env_to(const row *r) { put_count(r, r->d->env_to); }
static void mean_pp(const row *r) { put_bits(r, ws_held_accuracy(r->d)); }
static void included(const row *r) { put_count(r, (r->d->flags & WS_HELD_INCLUDED) != 0); }
static void desc(const row *r) { put_desc(r, ws_held_desc(r->h)); }
static void seq(const row *r) { put_text(r, ws_held_text(r->h, r->h->seq)); }
static void qual(const row *r) { put_text(r, ws_held_text(r->h, r->h->qual)); }
static void expected(const row *r) { put_bits(r, (double)r->h->expected); }
static void reg(const row *r) { put_count(r, r->h->regions); }
static void clu(const row *r) { put_count(r, r->h->ensembles); }
static void ov(const row *r) { put_count(r, r->h->overlaps); }
static void env(const row *r) { put_count(r, r->h->envelopes); }
static void ali_model(const row *r) { put_text(r, r->ali->model); }
static void ali_seq(const row *r) { put_text(r, r->ali->target); }
static void pp(const row *r) { put_text(r, r->ali->pp); }
static void identity(const row *r) { put_bits(r, (double)r->ali->identical / (double)r->ali->n); }
static void hmm_cov(const row *r) { put_bits(r, (r->d->hmm_to - r->d->hmm_from + 1.0) / r->hmm->M); }
static void target_cov(const row *r) { put_bits(r, (r->d->ali_to - r->d->ali_from + 1.0) / r->h->L); }

static void contig(const row *r) {
    if (r->s->err.code == WS_OK) (void)ws_cell_text(&r->s->text, r->plain, r->orf->contig, r->orf->ncontig, &r->s->err);
}
static void orf_strand(const row *r) { ws_sink_add(r->s, r->orf->minus ? "-" : "+", 1); }
static void frame(const row *r) { put_count(r, (unsigned long)r->orf->frame); }
static void from(const row *r) { put_count(r, ws_orf_first(r->orf, r->d->ali_from)); }
static void to(const row *r) { put_count(r, ws_orf_last(r->orf, r->d->ali_to)); }
static void locus(const row *r) { put_count(r, r->d->locus); }
static void locus_bits(const row *r) { put_bits(r, r->q->list->locus_bits[r->d->locus - 1]); }

/* M, I and D with their numbers, the model taken as the reference. */
static void cigar(const row *r) {
    ws_aliwalk w = ws_held_ali(r->h, r->d).walk;
    int state = WS_COLUMN_M;
    unsigned n = 0;
    for (uint32_t c = 0; c <= r->d->ncolumn; c++) {
        if (c < r->d->ncolumn) ws_aliwalk_step(&w);
        const int next = c < r->d->ncolumn ? w.column & WS_COLUMN_STATE : -1;
        if (n > 0 && next != state) {
            ws_sink_f(r->s, "%u%c", n, state == WS_COLUMN_M ? 'M' : state == WS_COLUMN_I ? 'I' : 'D');
            n = 0;
        }
        state = next;
        n++;
    }
}

/* ---- of hits in long DNA ---- */

static void record_name(const row *r) { put_text(r, r->dna->record->name); }
static void strand(const row *r) { ws_sink_add(r->s, r->dna->minus ? "-" : "+", 1); }
static void record_length(const row *r) {
    if (r->dna->record->L) put_count(r, r->dna->record->L);
}
static void dna_evalue(const row *r) { ws_sink_f(r->s, "%.2g", ws_dnahit_evalue(r->dna)); }
static void dna_bits(const row *r) { ws_sink_f(r->s, "%.1f", (double)r->dna->bits); }
static void dna_bias(const row *r) { ws_sink_f(r->s, "%.1f", ws_dnahit_bias(r->dna)); }
static void dna_hmm_from(const row *r) { put_count(r, r->dna->hmm_from); }
static void dna_hmm_to(const row *r) { put_count(r, r->dna->hmm_to); }
static void dna_ali_from(const row *r) { put_count(r, r->dna->ali_from); }
static void dna_ali_to(const row *r) { put_count(r, r->dna->ali_to); }
static void dna_env_from(const row *r) { put_count(r, r->dna->env_from); }
static void dna_env_to(const row *r) { put_count(r, r->dna->env_to); }
static void record_desc(const row *r) { put_desc(r, r->dna->record->desc); }

/* ---- tables ---- */

enum { ALI = WS_HOLD_ALIGNMENTS, SEQ = WS_HOLD_SEQUENCE, PLACE = WS_KNOWN_PLACES, LOCUS = WS_KNOWN_LOCI };
typedef struct column {
    const char *name;
    void (*put)(const row *r);
    int hold;
} column;
static const column of_domains[] = {
    {"name", name, 0},
    {"query", query, 0},
    {"query_accession", query_accession, 0},
    {"tlen", tlen, 0},
    {"qlen", qlen, 0},
    {"evalue", evalue, 0},
    {"bits", bits, 0},
    {"bias", bias, 0},
    {"dom", dom, 0},
    {"ndom", ndom, 0},
    {"c_evalue", c_evalue, 0},
    {"i_evalue", i_evalue, 0},
    {"dom_bits", dom_bits, 0},
    {"dom_bias", dom_bias, 0},
    {"hmm_from", hmm_from, 0},
    {"hmm_to", hmm_to, 0},
    {"ali_from", ali_from, 0},
    {"ali_to", ali_to, 0},
    {"env_from", env_from, 0},
    {"env_to", env_to, 0},
    {"mean_pp", mean_pp, 0},
    {"included", included, 0},
    {"desc", desc, 0},
    {"cigar", cigar, ALI},
    {"pp", pp, ALI},
    {"ali_seq", ali_seq, ALI},
    {"ali_model", ali_model, ALI},
    {"seq", seq, SEQ},
    {"qual", qual, SEQ},
    {"exp", expected, 0},
    {"reg", reg, 0},
    {"clu", clu, 0},
    {"ov", ov, 0},
    {"env", env, 0},
    {"identity", identity, ALI},
    {"hmm_cov", hmm_cov, 0},
    {"target_cov", target_cov, 0},
    {"contig", contig, PLACE},
    {"strand", orf_strand, PLACE},
    {"frame", frame, PLACE},
    {"from", from, PLACE},
    {"to", to, PLACE},
    {"locus", locus, LOCUS},
    {"locus_bits", locus_bits, LOCUS},
};
enum { NDEFAULT = 23 }; /* of the columns of domains, before those that an option adds */
static const column of_dna[] = {
    {"name", record_name, 0}, {"query", query, 0}, {"query_accession", query_accession, 0}, {"strand", strand, 0},
    {"tlen", record_length, 0}, {"qlen", qlen, 0}, {"evalue", dna_evalue, 0}, {"bits", dna_bits, 0},
    {"bias", dna_bias, 0}, {"hmm_from", dna_hmm_from, 0}, {"hmm_to", dna_hmm_to, 0}, {"ali_from", dna_ali_from, 0},
    {"ali_to", dna_ali_to, 0}, {"env_from", dna_env_from, 0}, {"env_to", dna_env_to, 0}, {"desc", record_desc, 0},
};

const ws_names ws_hit_columns = WS_NAMES(of_domains), ws_dna_columns = WS_NAMES(of_dna);

static const column *column_of(const ws_hitcols *c, int i) { return (const column *)c->of->element + c->column[i]; }

/* Adds the columns that the default table has besides, where they are known. */
static void add_known(ws_hitcols *c, int known) {
    for (int i = NDEFAULT; i < c->of->n; i++)
        if (of_domains[i].hold & known) c->column[c->n++] = i;
}

static int check_known(const ws_hitcols *c, int known, ws_err *err) {
    for (int i = 0; i < c->n; i++) {
        const int lacks = column_of(c, i)->hold & (PLACE | LOCUS) & ~known;
        if (lacks)
            return ws_fail(err, WS_EUSAGE, "--fields: column %s is %s, so it needs %s", column_of(c, i)->name,
                           lacks == PLACE ? "a place in a contig" : "of a locus", lacks == PLACE ? "--orfs" : "--join");
    }
    return WS_OK;
}

int ws_hitcols_choose(ws_hitcols *c, const ws_names *of, int known, const char *list, ws_err *err) {
    const int by_default = !list && of == &ws_hit_columns;
    ws_names names = *of;
    if (by_default) names.n = NDEFAULT;
    const int n = list ? ws_fields_count(list) : of->n;
    *c = (ws_hitcols){.of = of};
    if (!(c->column = ws_calloc((size_t)n, sizeof *c->column, err))) return err->code;
    const int rc = ws_fields_choose(list, &names, c->column, n, &c->n, err);
    if (rc) return rc;
    if (by_default) add_known(c, known);
    for (int i = 0; i < c->n; i++) c->hold |= column_of(c, i)->hold;
    return check_known(c, known, err);
}

void ws_hitcols_release(ws_hitcols *c) {
    ws_free(c->column);
    *c = (ws_hitcols){0};
}

static void put_row(const ws_hitcols *c, const row *r) {
    for (int i = 0; i < c->n; i++) {
        if (i) ws_sink_add(r->s, "\t", 1);
        column_of(c, i)->put(r);
    }
    ws_sink_add(r->s, "\n", 1);
    ws_sink_pause(r->s);
}

void ws_write_columns_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    const ws_hitcols *c = q->columns;
    const ws_hitquery one = ws_hitquery_of(q, h);
    ws_alilines ali = {0};
    ws_orf orf;
    row r = {.s = s, .hmm = one.hmm, .plain = c->plain, .q = q, .h = h, .ali = &ali, .orf = &orf};
    if ((h->flags & WS_HELD_REPORTED) && (c->hold & PLACE) && s->err.code == WS_OK)
        (void)ws_held_orf(h, &orf, &s->err);
    if (s->err.code != WS_OK) return;
    for (uint32_t j = 0; j < h->n && (h->flags & WS_HELD_REPORTED); j++) {
        r.d = &ws_held_domains(h)[j];
        if (!(r.d->flags & WS_HELD_REPORTED)) continue;
        r.number++;
        if (c->hold & WS_HOLD_ALIGNMENTS) {
            const ws_ali held = ws_held_ali(h, r.d);
            if (ws_alilines_make(&ali, one.hmm, one.profile, &held, &s->err) != WS_OK) break;
        }
        put_row(c, &r);
    }
    ws_alilines_release(&ali);
}

void ws_write_columns_dna(ws_sink *s, const ws_hmm *hmm, const ws_hitcols *c, const ws_dnahit *h) {
    put_row(c, &(row){.s = s, .hmm = hmm, .plain = c->plain, .dna = h});
}
