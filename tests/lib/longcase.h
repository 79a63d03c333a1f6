/* SPDX-License-Identifier: MIT
 * Golden searches of long targets: their files, and genomes as codes. */
#ifndef WS_TESTS_LONGCASE_H
#define WS_TESTS_LONGCASE_H

#include "lib/hmm/model.h"
#include "lib/compress/source.h"
#include "tests/lib/golden_text.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGCASE_PATH = 256 };

typedef struct longrecord {
    char *name, *desc; /* desc: empty if there is none */
    uint8_t *x;
    uint64_t n;
} longrecord;

typedef struct longtargets {
    longrecord *r;
    size_t n, cap;
    char *text;
} longtargets;

/* The codes stand where the letters were. */
WS_UNUSED static void longtargets_read(longtargets *s, const char *path, const ws_abc *abc) {
    ws_err err = {0};
    *s = (longtargets){.text = golden_text(path)};
    for (char *p = s->text; *p;) {
        must(ws_grow(&s->r, &s->cap, s->n + 1, sizeof *s->r, &err), &err);
        longrecord *r = &s->r[s->n++];
        char *head = p + 1;
        p += strcspn(p, "\n");
        const char *rest = head + strcspn(head, " \t\n");
        rest += strspn(rest, " \t");
        r->desc = ws_strndup(rest, (size_t)(p - rest), &err);
        r->x = (uint8_t *)++p;
        r->n = 0;
        for (; *p && *p != '>'; p++) {
            const uint8_t code = abc->code_of[(unsigned char)*p];
            if (code < abc->Kp) r->x[r->n++] = code;
        }
        r->name = ws_strndup(head, strcspn(head, " \t\n"), &err);
    }
}

WS_UNUSED static void longtargets_release(longtargets *s) {
    for (size_t j = 0; j < s->n; j++) {
        ws_free(s->r[j].name);
        ws_free(s->r[j].desc);
    }
    ws_free(s->r);
    ws_free(s->text);
}

typedef struct longcase {
    char name[64], model[LONGCASE_PATH], targets[LONGCASE_PATH], stages[LONGCASE_PATH];
} longcase;

/* The case number *j or the next one whose files are there; 0 at the end. full: not only the committed subset. */
WS_UNUSED static int longcase_next(longcase *c, int *j, int full) {
    static const char *const folders[] = {"tests/data/golden/long-targets", "../shared/golden/long-targets"};
    static const struct {
        int full;
        const char *name, *model, *targets;
    } cases[] = {{0, "made-human", "../dna-models/MADE1", "dna_target.fa.gz"},
                 {0, "5s-short", "models/RF00001", "short.fa.gz"},
                 {1, "bmyd-tandem", "models/bmyD", "tandem.fa.xz"},
                 {1, "2og-mosaic", "models/2OG-FeII_Oxy_3-nt", "mosaic.fa.xz"},
                 {1, "5s-ecoli", "models/RF00001", "ecoli700k.fa.xz"},
                 {1, "lsu-ecoli", "models/LSU", "ecoli700k.fa.xz"},
                 {1, "made-edge", "models/MADE1", "edge.fa.xz"},
                 {1, "made-mosaic", "models/MADE1", "mosaic.fa.xz"},
                 {1, "ssu-ecoli", "models/SSU_RF00177", "ecoli700k.fa.xz"}};
    for (const int n = sizeof cases / sizeof cases[0]; *j < n;) {
        const int at = (*j)++;
        const char *folder = folders[cases[at].full];
        snprintf(c->name, sizeof c->name, "%s", cases[at].name);
        snprintf(c->model, sizeof c->model, "%s/%s.hmm.gz", folder, cases[at].model);
        snprintf(c->targets, sizeof c->targets, "%s/inputs/%s", folder, cases[at].targets);
        snprintf(c->stages, sizeof c->stages, "%s/stages/%s.stages.gz", folder, cases[at].name);
        if (full >= cases[at].full && access(c->stages, R_OK) == 0) return 1;
    }
    return 0;
}

#endif
