/* SPDX-License-Identifier: MIT
 * Loci by hand: what follows what, gaps that are just small enough, ties, numbers and sums. */
#include "lib/base/mem.h"
#include "lib/hits/orf.h"
#include "tests/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An ORF of one domain, which covers all of it. */
typedef struct orf {
    const char *contig;
    unsigned from, to, hmm_from, hmm_to;
    float bits;
    int lost; /* not reported */
} orf;

static int add(ws_hitstore *s, const orf *o, uint64_t number, ws_err *err) {
    char desc[200];
    const int minus = o->from > o->to;
    const uint32_t L = ((minus ? o->from - o->to : o->to - o->from) + 1) / 3;
    ws_domain d = {.env_from = 1, .env_to = L, .ali_from = 1, .ali_to = L, .hmm_from = o->hmm_from,
                   .hmm_to = o->hmm_to, .bits = o->bits};
    const ws_dom_result t = {.L = L, .bits = o->bits, .domain = &d, .n = 1};
    snprintf(desc, sizeof desc, "source=%s coords=%u..%u length=%u frame=%d desc=", o->contig, o->from, o->to, L,
             minus ? 4 : 1);
    const ws_hitseq seq = {.number = number, .name = "orf", .nname = 3, .desc = desc, .ndesc = strlen(desc)};
    return ws_hitstore_add(s, 0, &seq, &t, 0, err);
}

/* Says "locus:sum" of each domain, in the order given. */
static void loci(tap *t, uint64_t gap, const orf *o, size_t n, const char *want, const char *what) {
    ws_hitstore s;
    ws_err err;
    char got[300] = "";
    int rc = ws_hitstore_create(&s, 1, &err);
    ws_hitlist *l = s.list;
    for (size_t i = 0; i < n && !rc; i++) {
        rc = add(&s, &o[i], i, &err);
        ws_held *h = rc ? NULL : l->hit[i];
        if (rc || o[i].lost) continue;
        h->flags = ((ws_held_domain *)(void *)(h + 1))->flags = WS_HELD_REPORTED;
        h->nreported = 1;
    }
    if (!rc) rc = ws_hitlist_join(l, gap, &err);
    for (size_t i = 0; i < n && !rc; i++) {
        const uint32_t locus = ws_held_domains(l->hit[i])->locus;
        const size_t at = strlen(got);
        if (!o[i].lost) snprintf(got + at, sizeof got - at, "%s%u:%g", at ? " " : "", locus, l->locus_bits[locus - 1]);
        else if (locus) rc = 1;
    }
    if (!tap_ok(t, !rc && strcmp(got, want) == 0, "%s", what)) tap_note("%s, expected %s", got, want);
    ws_hitstore_destroy(&s);
}
#define LOCI(gap, want, what, ...) \
    loci(&t, gap, (orf[]){__VA_ARGS__}, sizeof((orf[]){__VA_ARGS__}) / sizeof(orf), want, what)

int main(void) {
    tap t = {0};
    LOCI(10, "1:30 1:30", "two parts of a gene", {"c", 1, 30, 1, 10, 10, 0}, {"c", 35, 64, 11, 20, 20, 0});
    LOCI(10, "1:30 1:30", "... on the other strand", {"c", 64, 35, 1, 10, 10, 0}, {"c", 30, 1, 11, 20, 20, 0});
    LOCI(10, "1:30 1:30", "... the second one best", {"c", 35, 64, 11, 20, 20, 0}, {"c", 1, 30, 1, 10, 10, 0});
    LOCI(10, "1:10 2:20", "the model goes back", {"c", 1, 30, 11, 20, 10, 0}, {"c", 35, 64, 1, 10, 20, 0});
    LOCI(10, "1:10 2:20", "one strand is not the other", {"c", 1, 30, 1, 10, 10, 0}, {"c", 64, 35, 11, 20, 20, 0});
    LOCI(10, "1:10 2:20", "nor one contig the other", {"c", 1, 30, 1, 10, 10, 0}, {"d", 35, 64, 11, 20, 20, 0});
    LOCI(4, "1:30 1:30", "a gap of 4", {"c", 1, 30, 1, 10, 10, 0}, {"c", 35, 64, 11, 20, 20, 0});
    LOCI(3, "1:10 2:20", "... is more than 3", {"c", 1, 30, 1, 10, 10, 0}, {"c", 35, 64, 11, 20, 20, 0});
    LOCI(0, "1:30 1:30", "no gap", {"c", 1, 30, 1, 10, 10, 0}, {"c", 31, 60, 11, 20, 20, 0});
    LOCI(0, "1:30 1:30", "two frames overlap", {"c", 1, 30, 1, 10, 10, 0}, {"c", 20, 49, 8, 17, 20, 0});
    LOCI(10, "1:10 2:20", "one inside the other", {"c", 1, 60, 1, 20, 10, 0}, {"c", 20, 49, 5, 25, 20, 0});
    LOCI(10, "1:10 2:20", "... in the model", {"c", 1, 60, 1, 20, 10, 0}, {"c", 61, 75, 15, 19, 20, 0});
    LOCI(10, "1:10 2:20", "the same part of the model twice", {"c", 1, 30, 1, 10, 10, 0},
         {"c", 35, 64, 1, 10, 20, 0});
    LOCI(100, "1:9 2:6 2:6 1:9", "the nearer locus goes on, then the other one", {"c", 1, 30, 1, 10, 1, 0},
         {"c", 41, 70, 1, 10, 2, 0}, {"c", 80, 109, 11, 20, 4, 0}, {"c", 120, 149, 11, 20, 8, 0});
    LOCI(50, "1:1 2:9 2:9", "of two that end together the better one", {"c", 1, 30, 1, 10, 1, 0},
         {"c", 7, 30, 3, 10, 2, 0}, {"c", 35, 64, 11, 20, 7, 0});
    LOCI(10, "1:10 2:20", "what is not reported joins nothing", {"c", 1, 30, 1, 10, 10, 0},
         {"c", 31, 60, 11, 20, 5, 1}, {"c", 61, 90, 21, 30, 20, 0});
    LOCI(10, "1:5.3 1:5.3", "sums are of printed digits", {"c", 1, 30, 1, 10, 2.10004f, 0},
         {"c", 35, 64, 11, 20, 3.20004f, 0});
    LOCI(10, "", "nothing is reported", {"c", 1, 30, 1, 10, 10, 1});
    return tap_end(&t);
}
