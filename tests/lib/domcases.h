/* SPDX-License-Identifier: MIT
 * Golden data of the domain stage, for the tests that read them: files, targets by name, models with their tables. */
#ifndef WS_TESTS_DOMCASES_H
#define WS_TESTS_DOMCASES_H

#include "kernels/dom/dom.h"
#include "lib/hmm/model.h"
#include "lib/compress/source.h"
#include "tests/lib/golden_text.h"
#include "tests/lib/hmmread.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUBSET "tests/data/golden"
#define FULL "../shared/golden"

enum { PATH_BYTES = 1024 };

typedef struct target {
    char *name, *desc;
    size_t number; /* in the file, from 0 */
    uint8_t *x;
    ws_lenmodel lm;
} target;

typedef struct targets {
    target *t;
    size_t n, cap;
    char *text;
} targets;

static int by_name(const void *a, const void *b) {
    return strcmp(((const target *)a)->name, ((const target *)b)->name);
}

/* The codes stand where the letters were. */
static void read_fasta(targets *s, const char *path, const ws_abc *abc) {
    ws_err err = {0};
    *s = (targets){.text = golden_text(path)};
    for (char *p = s->text; *p;) {
        must(ws_grow(&s->t, &s->cap, s->n + 1, sizeof *s->t, &err), &err);
        target *t = &s->t[s->n++];
        t->name = p + 1;
        p += strcspn(p, "\n");
        *p = '\0';
        t->number = s->n - 1;
        t->desc = t->name + strcspn(t->name, " \t");
        if (*t->desc) *t->desc++ = '\0';
        t->desc += strspn(t->desc, " \t");
        t->x = (uint8_t *)++p;
        uint32_t L = 0;
        for (; *p && *p != '>'; p++) {
            const uint8_t code = abc->code_of[(unsigned char)*p];
            if (code < abc->Kp) t->x[L++] = code;
        }
        ws_lenmodel_set(&t->lm, L);
    }
    qsort(s->t, s->n, sizeof *s->t, by_name);
}

static const target *find_target(const targets *s, char *name) {
    const target key = {.name = name};
    return bsearch(&key, s->t, s->n, sizeof key, by_name);
}

/* ---- models ---- */

typedef struct golden_model {
    ws_hmmset set;
    ws_dom_tables **t;
} golden_model;

static void open_models(golden_model *m, const char *path) {
    ws_err err = {0};
    must(hmm_read(&m->set, path, 1, &err), &err);
    m->t = ws_calloc(m->set.n, sizeof *m->t, &err);
    for (size_t j = 0; j < m->set.n; j++) {
        ws_profile p;
        const ws_hmm *h = &m->set.hmm[j];
        must(ws_profile_create(&p, h, &err), &err);
        must(ws_dom_tables_create(&m->t[j], &p, h->evparam[WS_FTAU], h->evparam[WS_FLAMBDA], &err), &err);
        ws_profile_destroy(&p);
    }
}

static void close_models(golden_model *m) {
    for (size_t j = 0; j < m->set.n; j++) ws_dom_tables_destroy(m->t[j]);
    ws_free(m->t);
    ws_hmmset_release(&m->set);
}

/* folder/name + more */
static int is_there(char *path, const char *folder, const char *name, const char *more) {
    const int n = snprintf(path, PATH_BYTES, "%s/%s%s", folder, name, more);
    return n < PATH_BYTES && access(path, R_OK) == 0;
}

/* folder/models/NAME.hmm or .hmm.gz; two models of the subset stand elsewhere. */
static void open_named(golden_model *m, const char *set, const char *models, const char *name) {
    char path[PATH_BYTES], folder[PATH_BYTES];
    is_there(folder, set, models, "");
    if (!is_there(path, folder, name, ".hmm") && !is_there(path, folder, name, ".hmm.gz"))
        if (!is_there(path, SUBSET "/domains", name, ".hmm.gz"))
            is_there(path, "tests/data", strcmp(name, "Pkinase") == 0 ? "demo" : name, ".hmm");
    open_models(m, path);
}

#endif
