/* SPDX-License-Identifier: MIT
 * From an alignment to its calibrated model: section 5 of build.md, annotation by 9.1. */
#include <string.h>

#include "kernels/cast/tables.h"

enum { ABSENT = -99999 }; /* a second cutoff that is not given */

static int copy(char **to, const char *text, size_t n, ws_err *err) {
    if (text && !(*to = ws_strndup(text, n, err))) return err->code;
    return WS_OK;
}

static int copy_all(char **to, const char *text, ws_err *err) { return copy(to, text, text ? strlen(text) : 0, err); }

/* Sets what the alignment says of its model. */
static int describe(ws_hmm *h, const ws_msa *m, const ws_build_ali *a, const char *name, ws_err *err) {
    const size_t nodes = (size_t)a->counts.M + 1;
    size_t n = m->desc ? strlen(m->desc) : 0;
    h->abc = m->abc;
    h->M = a->counts.M;
    while (n > 0 && (m->desc[n - 1] == ' ' || m->desc[n - 1] == '\t')) n--;
    if (copy_all(&h->name, name, err) || copy_all(&h->acc, m->acc, err) || copy(&h->desc, n ? m->desc : NULL, n, err))
        return err->code;
    for (int i = 0; i < WS_NNOTE; i++)
        if (copy_all(&h->note[i], a->note[i], err)) return err->code;
    if (!(h->map = ws_alloc(nodes * sizeof *h->map, err))) return err->code;
    memcpy(h->map, a->column, nodes * sizeof *h->map);
    for (int i = 0; i < WS_NCUT; i++) {
        h->has_cut[i] = m->ncut[i] > 0;
        h->cut[i][0] = m->cut[i][0];
        h->cut[i][1] = m->ncut[i] > 1 ? m->cut[i][1] : (float)ABSENT;
    }
    if (!(h->made = ws_calloc(1, sizeof *h->made, err))) return err->code;
    h->made->has_checksum = 1;
    h->made->checksum = a->checksum;
    return WS_OK;
}

int ws_build_draft_msa(const ws_builder *b, const ws_build_ali_settings *s, ws_msa *m, const char *name,
                       ws_build_ali *a, ws_hmm *h, ws_err *err) {
    ws_build_ali_settings own = *s;
    *a = (ws_build_ali){0};
    *h = (ws_hmm){0};
    if (m->abc != b->set.abc)
        return ws_fail(err, WS_EDATA, "the alignment has the %s alphabet, where %s was expected", m->abc->name,
                       b->set.abc->name);
    own.clusters = b->set.effective == WS_BUILD_ECLUST;
    own.width = b->set.width;
    if (ws_build_ali_create(a, m, &own, err) || describe(h, m, a, name, err)) return err->code;
    return ws_build_draft_counts(b, &a->counts, h, err);
}

int ws_build_from_msa(const ws_builder *b, const ws_build_ali_settings *s, ws_msa *m, const char *name, ws_build_ali *a,
                      ws_hmm *h, ws_err *err) {
    const int rc = ws_build_draft_msa(b, s, m, name, a, h, err);
    return rc ? rc : ws_build_complete(b, h, err);
}
