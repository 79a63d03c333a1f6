/* SPDX-License-Identifier: MIT
 * -O jplace: the best edges of each read as placements, for programs that read those. Scores are no likelihoods: tied
 * edges share the weight, each in the middle of its branch. */
#include "kernels/papara/program.h"

static int head(const ws_job *job, ws_buf *out, ws_err *err) {
    const ws_papara_run_data *d = job->data;
    ws_buf tree = {0};
    int rc = ws_papara_tree_write(&d->ref.tree, 1, &tree, err);
    if (!rc) rc = ws_buf_adds(out, "{\n  \"version\": 3,\n  \"tree\": \"", err);
    for (size_t i = 0; i < tree.n && !rc; i++)
        rc = ws_buf_addf(out, err, tree.p[i] == '"' || tree.p[i] == '\\' ? "\\%c" : "%c", tree.p[i]);
    if (!rc)
        rc = ws_buf_addf(
            out, err,
            "\",\n  \"fields\": [\"edge_num\", \"likelihood\", \"like_weight_ratio\", \"distal_length\", \"pendant_length\"],\n"
            "  \"metadata\": {\"program\": \"papara-score\", \"version\": \"" WS_VERSION "\", \"scheme\": \"%s\"},\n"
            "  \"placements\": [\n",
            d->opts->scheme == 1 ? "eq1" : "papara2");
    ws_buf_release(&tree);
    return rc;
}

static int add_name(ws_buf *out, const char *p, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < n && !rc; i++)
        rc = (unsigned char)p[i] < ' ' ? ws_buf_addf(out, err, "\\u%04x", p[i])
                                       : ws_buf_addf(out, err, p[i] == '"' || p[i] == '\\' ? "\\%c" : "%c", p[i]);
    return rc;
}

/* Every read has a record, one without score has no placements in it: what follows the first record does not depend on
 * batches. */
static int emit(const ws_job *job, const ws_batch *b, const ws_hits *hits, ws_lane *lane, ws_outtext *out,
                ws_err *err) {
    const ws_papara_run_data *d = job->data;
    const ws_papara_tree *t = &d->ref.tree;
    int rc = WS_OK;
    for (size_t i = 0; i < hits->n && !rc; i++) {
        const uint32_t seq = hits->hit[i].seq;
        const ws_papara_score *s = ws_papara_score_of(lane, seq);
        const ws_slice name = b->seqtext[seq].name;
        rc = ws_buf_adds(&out->text, b->number == 0 && i == 0 ? "    {\"p\": [" : ",\n    {\"p\": [", err);
        for (int k = 0; k < s->ntop && s->cost[k] == s->cost[0] && !rc; k++) {
            const long long score = (long long)ws_papara_result(&d->ref.scheme, s->len, s->cost[k]);
            rc = ws_buf_addf(&out->text, err, "%s[%d, %lld, %.6g, %.6g, 0]", k ? ", " : "", t->jplace[s->edge[k]],
                             d->ref.scheme.model == WS_PAPARA_EQ1 ? -score : score, 1.0 / s->tied,
                             t->length[s->edge[k]] / 2);
        }
        if (!rc) rc = ws_buf_adds(&out->text, "], \"n\": [\"", err);
        if (!rc) rc = add_name(&out->text, ws_batch_text(b, name), name.n, err);
        if (!rc) rc = ws_buf_adds(&out->text, "\"]}", err);
        out->rows++;
    }
    return rc;
}

static int end(const ws_job *job, ws_buf *out, ws_err *err) {
    (void)job;
    return ws_buf_adds(out, "\n  ]\n}\n", err);
}

const ws_custom_out ws_papara_jplace_out = {.head = head, .emit = emit, .end = end};
