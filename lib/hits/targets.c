/* SPDX-License-Identifier: MIT
 * Forms that need one target at a time: A3M, FASTA of domains, names. Specification domains.md, section 11.4. */
#include <ctype.h>

#include "lib/hits/keep.h"
#include "lib/hits/write.h"

static void put_header(ws_sink *s, const ws_held *h, const ws_held_domain *d) {
    const char *desc = ws_held_desc(h);
    const size_t n = ws_hits_plain(desc);
    ws_sink_f(s, ">%s/%u-%u%s", ws_held_name(h), d->ali_from, d->ali_to, n ? " " : "");
    const size_t at = s->text.n;
    ws_sink_add(s, desc, n);
    if (s->err.code == WS_OK) ws_hits_blank(s->text.p + at, s->text.n - at);
    ws_sink_add(s, "\n", 1);
}

static void put_dashes(ws_sink *s, size_t n) {
    for (; n > 0; n--) ws_sink_add(s, "-", 1);
}

void ws_write_a3m_origin(ws_sink *s, const ws_hitquery *q) {
    const ws_queryseq *o = q->origin;
    if (!o) return;
    ws_sink_f(s, ">%s%s%s\n", o->name, *o->desc ? " " : "", o->desc);
    for (uint32_t i = 0; i < o->L; i++) {
        const char letter = (char)toupper(ws_ali_letter(q->hmm->abc, o->x[i]));
        ws_sink_add(s, &letter, 1);
    }
    ws_sink_add(s, "\n", 1);
}

void ws_write_a3m_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    ws_alilines a = {0};
    for (uint32_t j = 0; j < h->n && (h->flags & WS_HELD_INCLUDED); j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        const ws_ali ali = ws_held_ali(h, d);
        if (!(d->flags & WS_HELD_INCLUDED) || ws_alilines_make(&a, q->hmm, q->profile, &ali, &s->err) != WS_OK)
            continue;
        put_header(s, h, d);
        put_dashes(s, d->hmm_from - 1);
        ws_sink_add(s, a.target, a.n);
        put_dashes(s, (size_t)q->hmm->M - d->hmm_to);
        ws_sink_add(s, "\n", 1);
        ws_sink_pause(s);
    }
    ws_alilines_release(&a);
}

void ws_write_fasta_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    const ws_abc *abc = ws_hitquery_of(q, h).hmm->abc;
    for (uint32_t j = 0; j < h->n && (h->flags & WS_HELD_REPORTED); j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        ws_aliwalk w = ws_held_ali(h, d).walk;
        if (!(d->flags & WS_HELD_REPORTED)) continue;
        put_header(s, h, d);
        for (uint32_t c = 0; c < d->ncolumn; c++) {
            ws_aliwalk_step(&w);
            if ((w.column & WS_COLUMN_STATE) != WS_COLUMN_D) ws_sink_add(s, &abc->letters[w.x], 1);
        }
        ws_sink_add(s, "\n", 1);
        ws_sink_pause(s);
    }
}

void ws_write_ids_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    (void)q;
    if (h->flags & WS_HELD_REPORTED) ws_sink_f(s, "%s\n", ws_held_name(h));
    ws_sink_pause(s);
}
