/* SPDX-License-Identifier: MIT
 * Reference alignments: FASTA, and PHYLIP in its sequential, interleaved and relaxed forms, by lib/msa. */
#include "kernels/papara/papara.h"
#include "lib/compress/source.h"
#include "lib/msa/msa.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b) {
    return strcmp((*(const ws_papara_row *const *)a)->name, (*(const ws_papara_row *const *)b)->name);
}

static int refuse_duplicates(const ws_papara_msa *m, const char *path, ws_err *err) {
    char q[WS_QUOTE_MAX];
    int rc = WS_OK;
    const ws_papara_row **sorted = ws_calloc(m->n, sizeof *sorted, err);
    if (!sorted) return WS_ENOMEM;
    for (size_t r = 0; r < m->n; r++) sorted[r] = &m->row[r];
    qsort(sorted, m->n, sizeof *sorted, by_name);
    for (size_t r = 1; r < m->n && !rc; r++)
        if (strcmp(sorted[r - 1]->name, sorted[r]->name) == 0)
            rc = ws_fail(err, WS_EDATA, "%s: two rows have the name \"%s\"", path,
                         ws_quote(q, sorted[r]->name, strlen(sorted[r]->name)));
    ws_free(sorted);
    return rc;
}

/* Takes the rows over, and the text of their names. */
static int take_rows(ws_papara_msa *m, ws_msa *from, ws_err *err) {
    *m = (ws_papara_msa){.n = from->rows, .sites = from->columns};
    m->row = ws_calloc(m->n, sizeof *m->row, err);
    m->sites_of_all = ws_calloc(m->n, m->sites + 1, err);
    if (!m->row || !m->sites_of_all) return WS_ENOMEM;
    m->names = from->names.p;
    from->names = (ws_buf){0};
    for (size_t i = 0; i < m->n; i++) {
        m->row[i] = (ws_papara_row){m->names + from->name_at[i], m->sites_of_all + i * (m->sites + 1)};
        memcpy(m->row[i].site, ws_msa_row(from, i), m->sites);
    }
    return WS_OK;
}

int ws_papara_msa_read(ws_papara_msa *m, const char *path, ws_err *err) {
    ws_msareader *r;
    ws_msa text = {0};
    *m = (ws_papara_msa){0};
    int rc = ws_msareader_open(&r, path, WS_MSA_GUESS, NULL, err);
    if (!rc) {
        ws_msareader_keep_text(r, "; the alignment comes first, the tree second");
        rc = ws_msareader_next(r, &text, err);
    }
    if (!rc) rc = take_rows(m, &text, err);
    if (!rc) rc = refuse_duplicates(m, ws_source_name_of(path), err);
    ws_msa_release(&text);
    ws_msareader_close(r);
    if (rc) ws_papara_msa_release(m);
    return rc;
}

void ws_papara_msa_release(ws_papara_msa *m) {
    ws_free(m->row);
    ws_free(m->names);
    ws_free(m->sites_of_all);
    *m = (ws_papara_msa){0};
}

int ws_papara_msa_is_protein(const ws_papara_msa *m) {
    size_t only_protein = 0, letters = 0;
    for (size_t r = 0; r < m->n; r++)
        for (const char *c = m->row[r].site; *c; c++) {
            letters += isalpha((unsigned char)*c) != 0;
            only_protein += *c && strchr("EFILPQZefilpqz", *c) != NULL;
        }
    return only_protein * 20 > letters;
}
