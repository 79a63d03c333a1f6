/* SPDX-License-Identifier: MIT
 * nhmmsieve --scan: hits by sequence, as nhmmscan has them. The records of a batch are whole, so their hits are known
 * when all models have met the batch. Batches leave in the order of the input. */
#include "bin/genomes/program.h"

int ws_genome_scan_begin(ws_genome_search *s, const ws_batch *b, ws_genome_hits *hits, ws_err *err) {
    const ws_genome *g = s->genome;
    if (!g->by_seq) return WS_OK;
    int rc = ws_dnastore_create(&hits->store, b->n, err);
    for (size_t i = 0; i < b->n && !rc; i++) {
        hits->store.list[i].model = g->hmm;
        hits->store.list[i].cut = g->cut;
    }
    if (!rc && !(hits->passed = ws_calloc(b->n, sizeof *hits->passed, err))) rc = err->code;
    if (!rc && !(hits->turn = ws_turns_take(&s->turns, err))) rc = err->code;
    if (rc) ws_genome_hits_release(hits);
    return rc;
}

void ws_genome_hits_release(ws_genome_hits *hits) {
    if (hits->store.nlist) ws_dnastore_destroy(&hits->store);
    ws_free(hits->passed);
    *hits = (ws_genome_hits){0}; /* the turn is that of the list of turns */
}

int ws_genome_scan_add(const ws_genome_search *s, ws_genome_hits *hits, uint32_t target, const ws_batch *b,
                       uint32_t seq, const ws_dnahit *found, ws_err *err) {
    const ws_genome *g = s->genome;
    const ws_dnaseq record = ws_dna_record(b, seq, seq, b->len[seq]);
    ws_dnahit h = *found;
    h.model = target;
    ws_dnahit_scale(&h, ws_genome_strands(g) * b->len[seq], g->target[target].model.maxl, g->set.n);
    const ws_dnalimits limits = ws_dna_limits(&g->dna, &g->set.hmm[target]);
    if (!g->dna.alignments || !ws_dnalimits_may(&limits, &h, 1, 1)) h.column = NULL;
    return ws_dnastore_add(&hits->store, seq, &record, &h, err);
}

static const char *copy_text(const ws_batch *b, ws_slice text, ws_buf *own, ws_err *err) {
    own->n = 0;
    const int rc = ws_buf_add(own, ws_batch_text(b, text), text.n, err);
    return rc || ws_buf_add(own, "", 1, err) ? NULL : own->p;
}

/* Ranks the hits of a record, and makes its text. */
static int make_text(const ws_genome_search *s, const ws_batch *b, size_t i, ws_genome_hits *hits, ws_buf own[3],
                     ws_sink *sink, ws_err *err) {
    const ws_genome *g = s->genome;
    const ws_queryseq seq = {.name = copy_text(b, b->seqtext[i].name, &own[0], err),
                             .desc = copy_text(b, b->seqtext[i].desc, &own[1], err),
                             .acc = copy_text(b, b->seqtext[i].acc, &own[2], err), .L = b->len[i]};
    ws_dnalist *l = &hits->store.list[i];
    ws_textconf text = g->dna.text;
    const ws_dnaquery q = {.seq = &seq, .list = l, .columns = &g->dna.columns, .program = s->job->tool->name,
                           .first = b->before + i == 0, .text = &text, .odd_names = &s->job->odd_names};
    if (!seq.name || !seq.desc || !seq.acc) return err->code;
    text.seqs = g->set.n;
    text.residues = (uint64_t)b->len[i] * (g->watson ? 1 : 2); /* of --crick too */
    for (int k = 0; k < WS_LONG_NPASSED; k++) text.passed[k] = (uint64_t)hits->passed[i][k];
    ws_dnalist_rank(l, &g->dna.limits, 0, 0);
    for (int k = 0; k < g->dna.nout; k++) {
        if (!g->dna.out[k].unread) g->dna.out[k].form->write(&sink[k], &q);
        if (sink[k].err.code) return ws_sink_flush(&sink[k], err);
    }
    return WS_OK;
}

int ws_genome_scan_end(ws_genome_search *s, const ws_batch *b, ws_genome_hits *hits, ws_err *err) {
    const ws_genome *g = s->genome;
    ws_sink sink[WS_DNA_OUTPUTS] = {{.err.code = WS_OK}};
    ws_buf own[3] = {{0}};
    ws_turn *turn = hits->turn;
    uint64_t rows = 0;
    int rc = WS_OK;
    if (!g->by_seq) return WS_OK;
    for (size_t i = 0; i < b->n && !rc; i++) {
        rc = make_text(s, b, i, hits, own, sink, err);
        rows += hits->store.list[i].nreported;
    }
    for (int k = 0; k < g->dna.nout; k++) {
        if (rc) ws_sink_release(&sink[k]);
        else turn->out[g->dna.out[k].number] = (ws_outtext){sink[k].text, rows};
    }
    ws_buf_release(&own[0]);
    ws_buf_release(&own[1]);
    ws_buf_release(&own[2]);
    ws_genome_hits_release(hits);
    return rc ? rc : ws_turns_give(&s->turns, turn, err);
}
