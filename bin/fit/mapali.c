/* SPDX-License-Identifier: MIT
 * The alignment that the model was made from, as the first rows: --mapali. Specification build.md, sections 5.6 and
 * 14. */
#include "bin/fit/fit.h"
#include "lib/compress/source.h"
#include "lib/msa/digital.h"

#include <string.h>

/* Notes where the '~' end with which a row begins: at a node, or behind it if a residue stands between two nodes. */
static void end_lead(ws_fitrow *r, int k, int inserted) {
    r->lead = k + inserted > 0;
    r->lead_node = (uint32_t)k;
    r->lead_through = inserted;
}

/* Sets a row from a digital text, by the column of each node in map[1..M], counted from 1. code and column have room
 * for all columns. */
static void map_row(const ws_hmm *hmm, const uint8_t *text, size_t columns, uint8_t *code, uint8_t *column,
                    ws_fitrow *r) {
    const uint8_t missing = (uint8_t)(hmm->abc->Kp - 1), gap = (uint8_t)hmm->abc->K;
    int k = 0, leading = text[0] == missing;
    r->code = code;
    r->column = column;
    r->k_from = 1;
    for (size_t c = 0; c < columns; c++) {
        const uint8_t x = text[c];
        const int node = k < hmm->M && hmm->map[k + 1] == (int64_t)c + 1;
        k += node;
        if (x == missing && !leading) {
            r->trail = 1;
            break;
        }
        if (leading && x != missing && (node || x != gap)) {
            end_lead(r, k, !node);
            leading = 0;
        }
        if (x != gap && x != missing) code[r->L++] = x;
        if (node) column[r->ncolumn++] = (x == gap || x == missing ? WS_COLUMN_D : WS_COLUMN_M) | WS_CODE_NONE;
        else if (x == gap || x == missing) continue;
        else if (k == 0) r->before++;
        else if (k == hmm->M) r->after++;
        else column[r->ncolumn++] = WS_COLUMN_I | WS_CODE_NONE;
    }
}

static int add_rows(ws_fit *f, const ws_msa *m, ws_err *err) {
    uint8_t *code = ws_alloc(2 * m->columns + (size_t)f->hmm->M, err);
    int rc = code ? WS_OK : err->code;
    for (size_t i = 0; i < m->rows && !rc; i++) {
        ws_fitrow row = {.name = ws_msa_name(m, i), .acc = ws_msa_note(m, i, 0), .desc = ws_msa_note(m, i, 1)};
        map_row(f->hmm, ws_msa_row(m, i), m->columns, code, code + m->columns, &row);
        rc = ws_fitrows_add(&f->rows, f->hmm, &row, NULL, err);
    }
    ws_free(code);
    return rc;
}

/* Checks that the alignment is the one that the model was made from. */
static int check(const ws_hmm *hmm, const ws_msa *m, const char *path, ws_err *err) {
    const uint32_t have = ws_msa_checksum(m);
    if ((int64_t)have + 1 != hmm->cksum)
        return ws_fail(err, WS_EDATA,
                       "--mapali: %s is not the alignment that model %s was made from: its checksum is %u, expected %u",
                       path, hmm->name, have, (uint32_t)(hmm->cksum - 1));
    for (int k = 1; k <= hmm->M; k++)
        if (hmm->map[k] <= (k > 1 ? hmm->map[k - 1] : 0) || (uint64_t)hmm->map[k] > m->columns)
            return ws_fail(err, WS_EDATA, "--mapali: model %s maps node %d to column %d of %zu columns", hmm->name, k,
                           hmm->map[k], m->columns);
    return ws_msa_check_missing(m, err);
}

int ws_fit_mapali(ws_fit *f, ws_err *err) {
    const char *name = ws_source_name_of(f->mapali);
    ws_msareader *r;
    ws_msa m = {0};
    if (!f->hmm->cksum || !f->hmm->map)
        return ws_fail(err, WS_EDATA, "--mapali: model %s has no %s, so its alignment cannot be known; build it with "
                       "hmmcast or hmmbuild", f->hmm->name, f->hmm->map ? "CKSUM line" : "MAP");
    int rc = ws_msareader_open(&r, f->mapali, WS_MSA_GUESS, f->hmm->abc, err);
    if (rc) return rc;
    ws_msareader_keep(r);
    rc = ws_msareader_next(r, &m, err);
    if (!rc) rc = check(f->hmm, &m, name, err);
    if (!rc) rc = add_rows(f, &m, err);
    ws_msa_release(&m);
    ws_msareader_close(r);
    return rc;
}
