/* SPDX-License-Identifier: MIT
 * -O jplace: the best edges of each read as placements. Scores are no likelihoods, so tied edges share the weight
 * equally, each in the middle of its branch. */
#include "bin/papara/program.h"

#define BETWEEN ",\n"

/* Returns the bytes, 1 to 4, of the UTF-8 character at text; 0 if there is none. */
static size_t utf8(const char *text, size_t n) {
    const unsigned char *p = (const unsigned char *)text;
    const size_t size = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (size > n) return 0;
    for (size_t i = 1; i < size; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    const int wide = size > 2 ? p[0] << 8 | p[1] : 0x8080; /* overlong form, surrogate, or above U+10FFFF */
    const int bad = (wide >= 0xe000 && wide < 0xe0a0) || (wide >= 0xeda0 && wide < 0xee00) ||
                    (wide >= 0xf000 && wide < 0xf090) || wide >= 0xf490;
    return bad ? 0 : size;
}

/* Appends the inside of a JSON string. JSON is UTF-8; a byte that is not UTF-8 counts as Latin-1. */
static int add_text(ws_buf *out, const char *p, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0, size; i < n && !rc; i += size ? size : 1) {
        size = utf8(p + i, n - i);
        if (size == 0 || (unsigned char)p[i] < ' ') rc = ws_buf_addf(out, err, "\\u%04x", (unsigned char)p[i]);
        else if (p[i] == '"' || p[i] == '\\') rc = ws_buf_addf(out, err, "\\%c", p[i]);
        else rc = ws_buf_add(out, p + i, size, err);
    }
    return rc;
}

static int head(const ws_job *job, void *own, ws_buf *out, ws_err *err) {
    (void)own;
    const ws_papara_run_data *d = ws_papara_data_of(job);
    ws_buf tree = {0};
    int rc = ws_papara_tree_write(&d->ref.tree, 1, &tree, err);
    if (!rc) rc = ws_buf_adds(out, "{\n  \"version\": 3,\n  \"tree\": \"", err);
    if (!rc) rc = add_text(out, tree.p, tree.n, err);
    if (!rc)
        rc = ws_buf_addf(out, err,
                         "\",\n  \"fields\": [\"edge_num\", \"likelihood\", \"like_weight_ratio\", \"distal_length\", "
                         "\"pendant_length\"],\n"
                         "  \"metadata\": {\"program\": \"papara-score\", \"version\": \"" WS_VERSION
                         "\", \"scheme\": \"%s\", "
                         "\"like_weight_ratio\": \"share among the tied best edges, no probability\"},\n"
                         "  \"placements\": [\n",
                         d->opts->scheme == 1 ? "eq1" : "papara2");
    ws_buf_release(&tree);
    return rc;
}

/* Appends the placements of a batch, without reads that have no score. guppy adcl refuses a record without
 * placements, guppy fat a file of such records. */
static int emit(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                ws_outtext *out, ws_err *err) {
    const ws_papara_run_data *d = ws_papara_data_of(job);
    const ws_papara_tree *t = &d->ref.tree;
    int rc = WS_OK;
    for (size_t i = 0; i < hits->n && !rc; i++) {
        const uint32_t seq = hits->hit[i].seq;
        const ws_papara_score *s = ws_papara_score_of(worker, seq);
        const ws_slice name = b->seqtext[seq].name;
        if (s->tied == 0) continue;
        rc = ws_buf_addf(&out->text, err, "%s    {\"p\": [", out->rows ? BETWEEN : "");
        for (int k = 0; k < s->ntop && s->cost[k] == s->cost[0] && !rc; k++) {
            const long long score = (long long)ws_papara_result(&d->ref.scheme, s->len, s->cost[k]);
            rc = ws_buf_addf(&out->text, err, "%s[%d, %lld, %.6g, %.6g, 0]", k ? ", " : "", t->jplace[s->edge[k]],
                             d->ref.scheme.model == WS_PAPARA_EQ1 ? -score : score, 1.0 / s->tied,
                             t->length[s->edge[k]] / 2);
        }
        if (!rc) rc = ws_buf_adds(&out->text, "], \"n\": [\"", err);
        if (!rc) rc = add_text(&out->text, ws_batch_text(b, name), name.n, err);
        if (!rc) rc = ws_buf_adds(&out->text, "\"]}", err);
        out->rows++;
    }
    return rc;
}

static int end(const ws_job *job, void *own, uint64_t rows, ws_buf *out, ws_err *err) {
    (void)own, (void)rows;
    (void)job;
    return ws_buf_adds(out, "\n  ]\n}\n", err);
}

const ws_scan_output ws_papara_jplace_out = {.output = {.between = BETWEEN, .head = head, .end = end}, .emit = emit};
