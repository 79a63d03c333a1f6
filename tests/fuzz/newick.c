/* SPDX-License-Identifier: MIT
 * Fuzz target: Newick trees. A tree that was read is written and read again: the same tips and branches. */
#include "kernels/papara/papara.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

const char ws_fuzz_name[] = "newick";

static char *with_nul(const uint8_t *p, size_t n) {
    char *text = malloc(n + 1);
    FUZZ_CHECK(text != NULL);
    if (n) memcpy(text, p, n);
    text[n] = '\0';
    return text;
}

static void check(const ws_papara_tree *t) {
    int tips = 0;
    FUZZ_CHECK(t->root >= 0 && t->root < t->n && t->node[t->root].parent == WS_PAPARA_NONE);
    for (int x = 0; x < t->n; x++) {
        const ws_papara_node *v = &t->node[x];
        FUZZ_CHECK(v->nchild == 0 || v->nchild == 2 || (v->nchild == 3 && x == t->root));
        for (int c = 0; c < v->nchild; c++) FUZZ_CHECK(t->node[v->child[c]].parent == x);
        FUZZ_CHECK(v->nchild || v->name);
        tips += v->nchild == 0;
    }
    FUZZ_CHECK(tips == t->ntip);
    for (int e = 0; e < t->nedge; e++) FUZZ_CHECK(t->length[e] > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    ws_papara_tree t, again;
    ws_err err = {0};
    if (n < 1) return 0;
    char *text = with_nul(p + 1, n - 1);
    if (!ws_papara_tree_parse(&t, "in", text, n - 1, p[0] & 1, &err)) {
        ws_buf out = {0};
        check(&t);
        FUZZ_CHECK(!ws_papara_tree_write(&t, p[0] >> 1 & 1, &out, &err));
        char *copy = with_nul((const uint8_t *)out.p, out.n);
        if (ws_papara_tree_parse(&again, "out", copy, out.n, 0, &err)) {
            fprintf(stderr, "%s\n%s\n", copy, err.text);
            abort();
        }
        check(&again);
        FUZZ_CHECK(again.ntip == t.ntip && again.nedge == t.nedge);
        ws_papara_tree_release(&again);
        ws_papara_tree_release(&t);
        ws_buf_release(&out);
        free(copy);
    }
    free(text);
    return 0;
}
