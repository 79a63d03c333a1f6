/* SPDX-License-Identifier: MIT
 * Rows of BED and GFF3: see lib/hits/features.h. Domains in ORFs are such rows too. */
#include "lib/hits/features.h"
#include "lib/hits/orf.h"
#include "lib/hits/write.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define U64(v) ((unsigned long long)(v))

static char sign(const ws_feature *f) { return f->minus ? '-' : '+'; }

/* BED counts from 0. Its end is one past the last residue, its score a whole number up to 1000. */
void ws_write_bed(ws_sink *s, const ws_feature *f, uint64_t *odd_names) {
    if (odd_names && f->nseq && *f->seq == '#') __atomic_fetch_add(odd_names, 1, __ATOMIC_RELAXED);
    ws_sink_add(s, f->seq, f->nseq);
    ws_sink_f(s, "\t%llu\t%llu\t%s\t%.0f\t%c\n", U64(f->from - 1), U64(f->to), f->model,
              fmin(fmax(f->bits, 0.0), 1000.0), sign(f));
}

/* Writes text of GFF3: what would end a field, or an attribute, is a percent sign and two hexadecimal digits. */
static void put_text(ws_sink *s, const char *text, const char *also) {
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p < ' ' || *p == 127 || *p == '%' || strchr(also, *p)) ws_sink_f(s, "%%%02X", *p);
        else ws_sink_add(s, (const char *)p, 1);
}

/* Writes the value of an attribute. */
static void put_gff3_value(ws_sink *s, const char *text) { put_text(s, text, ";=&,"); }

/* Writes the name of a sequence, in which GFF3 has these characters alone as they are. */
static void put_seqid(ws_sink *s, const char *name, size_t n) {
    for (const unsigned char *p = (const unsigned char *)name; n > 0; p++, n--)
        if (*p < 128 && (isalnum(*p) || (*p && strchr(".:^*$@!+_?-|", *p)))) ws_sink_add(s, (const char *)p, 1);
        else ws_sink_f(s, "%%%02X", *p);
}

void ws_write_gff3(ws_sink *s, const ws_feature *f) {
    put_seqid(s, f->seq, f->nseq);
    ws_sink_f(s, "\t%s\t%s\t%llu\t%llu\t", f->program, f->type, U64(f->from), U64(f->to));
    if (isnan(f->evalue)) ws_sink_add(s, ".", 1);
    else ws_sink_f(s, "%.2g", f->evalue);
    ws_sink_f(s, "\t%c\t.\tName=", sign(f));
    put_gff3_value(s, f->model);
    ws_sink_add(s, ";Target=", 8);
    put_text(s, f->model, ";=&, ");
    ws_sink_f(s, " %u %u;bits=%.1f;bias=%.1f", f->hmm_from, f->hmm_to, f->bits, f->bias);
}

/* ---- domains in ORFs ---- */

static ws_feature feature_of(const ws_hitquery *q, const ws_hmm *hmm, const ws_orf *o, const ws_held *h,
                             const ws_held_domain *d) {
    const uint64_t first = ws_orf_first(o, d->ali_from), last = ws_orf_last(o, d->ali_to);
    return (ws_feature){.seq = o->contig, .nseq = o->ncontig, .from = o->minus ? last : first,
                        .to = o->minus ? first : last, .minus = o->minus, .model = hmm->name, .hmm_from = d->hmm_from,
                        .hmm_to = d->hmm_to, .bits = (double)d->bits, .bias = ws_held_domain_bias(d),
                        .evalue = ws_hitlist_evalue(q->list, h, d->bits, q->list->spaces.Z), .program = q->program,
                        .type = "protein_hmm_match"};
}

/* Writes what a domain's row of GFF3 has besides. */
static void put_attributes(ws_sink *s, const ws_hitquery *q, const ws_orf *o, const ws_held *h,
                           const ws_held_domain *d) {
    ws_sink_f(s, ";frame=%d;orf=", o->frame);
    put_gff3_value(s, ws_held_name(h));
    if (d->locus) ws_sink_f(s, ";locus=%u;locus_bits=%.4f", d->locus, q->list->locus_bits[d->locus - 1]);
    ws_sink_add(s, "\n", 1);
}

static void write_target(ws_sink *s, const ws_hitquery *q, const ws_held *h, int gff3) {
    const ws_hmm *hmm = ws_hitquery_of(q, h).hmm;
    ws_orf o;
    if (!(h->flags & WS_HELD_REPORTED) || s->err.code != WS_OK || ws_held_orf(h, &o, &s->err) != WS_OK) return;
    for (uint32_t j = 0; j < h->n; j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        if (!(d->flags & WS_HELD_REPORTED)) continue;
        const ws_feature f = feature_of(q, hmm, &o, h, d);
        if (gff3) {
            ws_write_gff3(s, &f);
            put_attributes(s, q, &o, h, d);
        } else {
            ws_write_bed(s, &f, q->odd_names);
        }
        ws_sink_pause(s);
    }
}

void ws_write_bed_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) { write_target(s, q, h, 0); }
void ws_write_gff3_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) { write_target(s, q, h, 1); }
