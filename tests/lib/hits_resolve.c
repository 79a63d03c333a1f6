/* SPDX-License-Identifier: MIT
 * Domains that overlap, by hand: ends that touch, equal scores and sums, targets that lose their last domain. */
#include "lib/base/mem.h"
#include "lib/hits/hits.h"
#include "tests/tap.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct domain {
    uint32_t model, from, to;
    float bits;
} domain;

enum { MODELS = 3, MOST = 8 };

/* One target for each model, with those of the domains that are its own, all reported. */
static void fill(ws_hitlist *l, const domain *d, size_t n) {
    for (uint32_t m = 0; m < MODELS; m++) {
        ws_held *h = calloc(1, sizeof *h + MOST * sizeof(ws_held_domain));
        ws_held_domain *to = (ws_held_domain *)(void *)(h + 1);
        if (!h) exit(1);
        for (size_t i = 0; i < n; i++)
            if (d[i].model == m)
                to[h->n++] = (ws_held_domain){.env_from = d[i].from, .env_to = d[i].to, .bits = d[i].bits,
                                              .flags = WS_HELD_REPORTED};
        h->nreported = h->n;
        h->flags = h->n ? WS_HELD_REPORTED | WS_HELD_INCLUDED : 0;
        l[m].hit[0] = h;
        l[m].n = 1;
        l[m].nreported = l[m].nincluded = h->n > 0;
    }
}

/* Says "model:from" of each domain that stays, by model. */
static void stays(tap *t, ws_resolve rule, const domain *d, size_t n, const char *want, const char *what) {
    ws_held *hit[MODELS];
    ws_hitlist l[MODELS] = {{.hit = &hit[0]}, {.hit = &hit[1]}, {.hit = &hit[2]}};
    char got[200] = "";
    ws_err err;
    fill(l, d, n);
    int fine = !ws_hitlists_resolve(l, MODELS, rule, &err);
    for (int m = 0; m < MODELS; m++) {
        uint32_t left = 0;
        for (uint32_t j = 0; j < hit[m]->n; j++) {
            const ws_held_domain *of = &ws_held_domains(hit[m])[j];
            const size_t at = strlen(got);
            if (!(of->flags & WS_HELD_REPORTED)) continue;
            left++;
            snprintf(got + at, sizeof got - at, "%s%d:%u", at ? " " : "", m, of->env_from);
        }
        fine &= hit[m]->nreported == left && l[m].nreported == (left > 0) && l[m].nincluded == (left > 0);
        fine &= (hit[m]->flags != 0) == (left > 0);
        free(hit[m]);
    }
    tap_ok(t, fine && !strcmp(got, want), "%s", what);
    if (strcmp(got, want)) tap_note("%s, expected %s", got, want);
}
#define STAYS(rule, want, what, ...) \
    stays(&t, rule, (domain[]){__VA_ARGS__}, sizeof((domain[]){__VA_ARGS__}) / sizeof(domain), want, what)

int main(void) {
    tap t = {0};
    STAYS(WS_RESOLVE_GREEDY, "0:1 1:11", "neighbours do not overlap", {0, 1, 10, 5}, {1, 11, 20, 4});
    STAYS(WS_RESOLVE_TOTAL, "0:1 1:11", "... nor for the sum", {0, 1, 10, 5}, {1, 11, 20, 4});
    STAYS(WS_RESOLVE_GREEDY, "0:1", "one common residue is an overlap", {0, 1, 11, 5}, {1, 11, 20, 4});
    STAYS(WS_RESOLVE_TOTAL, "0:1", "... also for the sum", {0, 1, 11, 5}, {1, 11, 20, 4});
    STAYS(WS_RESOLVE_GREEDY, "1:5", "the best of three", {0, 1, 10, 6}, {1, 5, 15, 7}, {2, 12, 20, 6});
    STAYS(WS_RESOLVE_TOTAL, "0:1 2:12", "the best sum of three", {0, 1, 10, 6}, {1, 5, 15, 7}, {2, 12, 20, 6});
    STAYS(WS_RESOLVE_GREEDY, "0:30", "one inside another, of one model too", {0, 30, 90, 8}, {0, 40, 50, 7},
          {1, 20, 99, 3});
    STAYS(WS_RESOLVE_GREEDY, "1:3", "equal scores: the one that begins first", {0, 4, 10, 5}, {1, 3, 10, 5});
    STAYS(WS_RESOLVE_GREEDY, "1:4", "... then the first model", {2, 4, 10, 5}, {1, 4, 12, 5});
    STAYS(WS_RESOLVE_GREEDY, "0:1 1:50", "a score below 0 stays if there is room", {0, 1, 10, -1}, {1, 50, 60, 2});
    STAYS(WS_RESOLVE_TOTAL, "1:50", "... but adds nothing to a sum", {0, 1, 10, -1}, {1, 50, 60, 2});
    STAYS(WS_RESOLVE_TOTAL, "1:1", "equal sums: the fewest", {0, 1, 10, 3}, {0, 11, 20, 3}, {1, 1, 20, 6});
    STAYS(WS_RESOLVE_TOTAL, "0:1", "... then the set that ends first", {0, 1, 10, 3}, {1, 5, 20, 3});
    STAYS(WS_RESOLVE_TOTAL, "1:5", "sums are those of printed digits", {0, 1, 10, 1.00004f}, {1, 5, 9, 1});
    STAYS(WS_RESOLVE_NONE, "0:1 1:5", "no rule, no change", {0, 1, 10, 3}, {1, 5, 20, 3});
    return tap_end(&t);
}
