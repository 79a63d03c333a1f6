/* SPDX-License-Identifier: MIT
 * --pfamtblout of hmmsearch and hmmscan: targets, then domains by their own scores. */
#include <math.h>
#include <string.h>

#include "lib/hits/keep.h"
#include "lib/hits/write.h"

static const char dash[] = "---------------------";

/* A reported domain: the list of domains has an order of its own. */
typedef struct entry {
    const ws_held *h;
    const ws_held_domain *d;
    uint32_t number; /* among the reported ones of its target */
} entry;

static void put_evalue(ws_sink *s, double v) {
    if (isnan(v)) ws_sink_f(s, " %9s", "-");
    else ws_sink_f(s, " %9.2g", v);
}

static void put_desc(ws_sink *s, const ws_hitlist *l, const ws_held *h) {
    const char *desc = ws_hitlist_desc(l, h);
    const int n = ws_hits_desc(desc);
    ws_sink_f(s, "%.*s\n", n ? n : 1, n ? desc : "-");
    ws_sink_pause(s);
}

static void put_targets(ws_sink *s, const ws_hitlist *l, int width) {
    ws_sink_f(s, "# Sequence scores\n# ---------------\n#\n");
    ws_sink_f(s, "# %-*s %6s %9s %3s %5s %5s    %s\n", width - 1, "name", " bits", "  E-value", "n", "exp", " bias",
              "description");
    ws_sink_f(s, "# %*s %6s %9s %3s %5s %5s    %s\n", width - 1, dash + 2, "------", "---------", "---", "-----",
              "-----", dash);
    for (size_t i = 0; i < l->n; i++) {
        const ws_held *h = l->hit[i];
        if (!(h->flags & WS_HELD_REPORTED)) continue;
        ws_sink_f(s, "%-*s  %6.1f", width, ws_hitlist_name(l, h), (double)h->bits);
        put_evalue(s, ws_hitlist_evalue(l, h, h->bits, l->spaces.Z));
        ws_sink_f(s, " %3u %5.1f %5.1f    ", h->n, (double)h->expected, (double)ws_held_bias(h));
        put_desc(s, l, h);
    }
}

static int compare(const void *a, const void *b, const void *ctx) {
    const entry *p = a, *q = b;
    const double x = ws_hitlist_key(ctx, p->h, p->d->bits), y = ws_hitlist_key(ctx, q->h, q->d->bits);
    if (x != y) return x > y ? -1 : 1;
    const int c = ws_hitlist_compare(ctx, p->h, p->d, q->h, q->d);
    return c ? c : p->number < q->number ? -1 : 1;
}

/* Lists the reported domains of all targets, and returns their number. */
static size_t list_domains(const ws_hitlist *l, entry *e) {
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const ws_held *h = l->hit[i];
        uint32_t number = 0;
        for (uint32_t j = 0; j < h->n; j++) {
            const ws_held_domain *d = &ws_held_domains(h)[j];
            if (!(d->flags & WS_HELD_REPORTED)) continue;
            number++;
            if (e) e[n] = (entry){h, d, number};
            n++;
        }
    }
    return n;
}

static void put_domain(ws_sink *s, const ws_hitlist *l, const entry *e, int width) {
    const ws_held_domain *d = e->d;
    ws_sink_f(s, "%-*s  %6.1f", width, ws_hitlist_name(l, e->h), (double)d->bits);
    put_evalue(s, ws_hitlist_evalue(l, e->h, d->bits, l->spaces.Z));
    ws_sink_f(s, " %5u %5.1f %6u %6u %6u %6u %6u %6u     ", e->number, ws_held_domain_bias(d), d->env_from, d->env_to,
              d->ali_from, d->ali_to, d->hmm_from, d->hmm_to);
    put_desc(s, l, e->h);
}

static void put_domains(ws_sink *s, const ws_hitlist *l, int width) {
    static const char line[] = "------";
    const size_t n = list_domains(l, NULL);
    entry *e = ws_calloc(n + 1, sizeof *e, &s->err);
    entry **order = e ? ws_calloc(n + 1, sizeof *order, &s->err) : NULL;
    ws_sink_f(s, "# Domain scores\n# -------------\n#\n");
    ws_sink_f(s, "# %-*s %6s %9s %5s %5s %6s %6s %6s %6s %6s %6s     %s\n", width - 1, " name", "bits", "E-value",
              "hit", "bias", "env-st", "env-en", "ali-st", "ali-en", "hmm-st", "hmm-en", "description");
    ws_sink_f(s, "# %*s %6s %9s %5s %5s %6s %6s %6s %6s %6s %6s      %s\n", width - 1, dash + 2, line, "---------",
              "-----", "-----", line, line, line, line, line, line, dash);
    if (order) {
        list_domains(l, e);
        for (size_t i = 0; i < n; i++) order[i] = &e[i];
        ws_hits_sort(order, n, compare, l);
        for (size_t i = 0; i < n; i++) put_domain(s, l, order[i], width);
    }
    ws_free(order);
    ws_free(e);
}

void ws_write_pfamtblout(ws_sink *s, const ws_hitquery *q) {
    const int width = (int)ws_max(20, q->list->name_width);
    put_targets(s, q->list, width);
    ws_sink_add(s, "\n", 1);
    put_domains(s, q->list, width);
}
