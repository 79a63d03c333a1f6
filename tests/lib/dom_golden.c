/* SPDX-License-Identifier: MIT
 * The domain stage against HMMER's own intermediate values, for every backend: dumps with six decimals of every stage,
 * and the alignments of hmmsearch -A. The subset in tests/data/golden/domains, and the full set where it is at hand;
 * with WARPSIEVE_SLOW every fifth pair of the dumps that have no alignments, with WARPSIEVE_TESTS=quick also of the
 * full set, each backend others. */
#include "kernels/dom/kernel.h"
#include "tests/lib/domcases.h"

#include <ctype.h>

/* ---- a dump of one pair, as the golden files have it ---- */

static void add_traces(ws_buf *to, const ws_dom_sample *s, uint32_t from) {
    ws_err err;
    for (uint32_t trace = 0, at = 0; trace < 3; trace++) {
        ws_buf_addf(to, &err, "  TRACE %u:", trace);
        for (; at < s->n && s->segment[at].trace == trace; at++) {
            const ws_dom_segment *g = &s->segment[at];
            ws_buf_addf(to, &err, " %u-%u/%u-%u", g->i + from - 1, g->j + from - 1, g->k, g->m);
        }
        ws_buf_addf(to, &err, "\n");
    }
}

static void add_ensemble(ws_buf *to, const ws_dom_pair *pair, const ws_dom_region *g) {
    ws_err err;
    double sum = 0;
    for (uint32_t i = g->from; i <= g->to; i++) sum += (double)pair->n2[i];
    ws_buf_addf(to, &err, "  ENSEMBLE fwd %.6f draws %llu segments %u clusters %u significant %u n2sum %.5f\n",
                (double)g->fwd_nats, (unsigned long long)g->draws, g->segments, g->clusters, g->nsignificant, sum);
    for (uint32_t c = 0; c < g->nsignificant; c++)
        ws_buf_addf(to, &err, "   CLUSTER %u-%u/%u-%u p %.4f\n", g->cluster[c].i, g->cluster[c].j, g->cluster[c].k,
                    g->cluster[c].m, (double)g->cluster[c].posterior);
}

static void add_envelope(ws_buf *to, const ws_dom_envelope *e) {
    const ws_domain *d = &e->domain;
    ws_err err;
    if (e->own_scales) ws_buf_addf(to, &err, "  OWN %u %u\n", e->from, e->to);
    if (!e->scored) ws_buf_addf(to, &err, "  ENV %u %u overflow\n", e->from, e->to);
    else
        ws_buf_addf(to, &err, "  ENV %u %u envsc %.6f dcorr %.6f oasc %.6f ali %u %u hmm %u %u\n", e->from, e->to,
                    (double)d->env_nats, (double)d->correction_nats, (double)d->accuracy, d->ali_from, d->ali_to,
                    d->hmm_from, d->hmm_to);
}

/* ---- alignments ---- */

/* A row of hmmsearch -A: "target/from-to", and for each M, I and D of it two characters: state and code. */
typedef struct aligned {
    char name[128];
    char *columns;
    int seen;
} aligned;

typedef struct alignments {
    aligned *row;
    size_t n, cap;
    int bad;
} alignments;

/* States and codes of one row; D only between its first and last M. */
static char *columns_of(const char *letters, const char *pp, const char *rf) {
    const size_t n = strlen(letters);
    char *out = calloc(2 * n + 1, 1), *w = out, *last = out;
    for (size_t c = 0; c < n; c++) {
        const int residue = letters[c] != '-' && letters[c] != '.';
        if (!residue && (rf[c] == '.' || w == out)) continue;
        *w++ = !residue ? 'D' : rf[c] == '.' ? 'I' : 'M';
        *w++ = pp[c];
        if (residue) last = w;
    }
    *last = '\0';
    return out;
}

/* The model's part of a file: rows first, the reference line last. Names with a number in front repeat and are left
 * out. */
static void read_alignments(alignments *a, const char *text, const char *model) {
    char head[160], *line, *copy, *keep = NULL, *letters[4096], *pp[4096];
    ws_err err = {0};
    const char *part = NULL, *rf = NULL;
    size_t n = 0, done = 0;
    *a = (alignments){0};
    if (!text) return;
    snprintf(head, sizeof head, "## %s\n", model);
    part = strstr(text, head);
    if (!part) return;
    const char *end = strstr(part + 1, "\n## ");
    copy = end ? ws_strndup(part, (size_t)(end - part), &err) : ws_strndup(part, strlen(part), &err);
    for (line = strtok_r(copy, "\n", &keep); line; line = strtok_r(NULL, "\n", &keep)) {
        char *row = line + strcspn(line, " ");
        if (strncmp(line, "#=GC RF", 7) == 0) {
            rf = line + 7 + strspn(line + 7, " ");
            for (; done < n; done++) a->row[done].columns = columns_of(letters[done], pp[done], rf);
        }
        else if (strncmp(line, "#=GR ", 5) == 0) pp[n - 1] = strrchr(line, ' ') + 1;
        else if (*line != '#' && *line != '/' && *row && n < 4096) {
            must(ws_grow(&a->row, &a->cap, n + 1, sizeof *a->row, &err), &err);
            a->row[n] = (aligned){0};
            snprintf(a->row[n].name, sizeof a->row[n].name, "%.*s", (int)(row - line), line);
            letters[n++] = row + strspn(row, " ");
        }
    }
    a->n = n;
    ws_free(copy);
}

static void check_alignment(alignments *a, const char *name, const ws_domain *d) {
    char key[128];
    snprintf(key, sizeof key, "%s/%u-%u", name, d->ali_from, d->ali_to);
    for (size_t j = 0; j < a->n; j++) {
        if (strcmp(a->row[j].name, key) != 0) continue;
        const char *want = a->row[j].columns;
        int same = strlen(want) == 2 * (size_t)d->ncolumn;
        for (uint32_t c = 0; same && c < d->ncolumn; c++) {
            const int state = d->column[c] & WS_COLUMN_STATE, code = d->column[c] & WS_COLUMN_CODE;
            same = want[2 * c] == (state == WS_COLUMN_M ? 'M' : state == WS_COLUMN_I ? 'I' : 'D') &&
                   want[2 * c + 1] == (code == WS_CODE_NONE ? '.' : code == WS_CODE_STAR ? '*' : '0' + code);
        }
        if (!same) tap_note("%s: another alignment", key);
        a->bad += !same;
        a->row[j].seen = 1;
    }
}

/* Releases; returns the rows that were different, and with `all` those that no domain had. */
static int close_alignments(alignments *a, int all, size_t *rows) {
    int bad = a->bad;
    *rows += a->n;
    for (size_t j = 0; j < a->n; j++) {
        if (!all) *rows -= !a->row[j].seen;
        else if (!a->row[j].seen && !strchr(a->row[j].name, '|')) bad++;
        else if (!a->row[j].seen && !isdigit((unsigned char)a->row[j].name[0])) bad++;
        free(a->row[j].columns);
    }
    ws_free(a->row);
    *a = (alignments){0};
    return bad;
}

/* ---- one pair ---- */

/* Step by step, as a caller with many threads would. */
static void dump(ws_buf *to, const ws_dom_tables *t, ws_dom_worker *w, const char *model, const target *tg,
                 alignments *a) {
    ws_err err = {0};
    ws_dom_pair pair, *list = &pair;
    ws_dom_pair_begin(&pair, tg->x, &tg->lm);
    must(ws_dom_parse(t, w, &list, 1, &err), &err);
    const ws_dom_result *h = &pair.hit;
    ws_buf_addf(to, &err, "SEQ %s %s L %u fwd %.6f null %.6f nexp %.6f\n", model, tg->name, h->L, (double)h->fwd_nats,
                (double)h->null_nats, (double)h->expected);
    for (uint32_t r = 0; r < pair.nregion; r++) {
        ws_dom_region *g = &pair.region[r];
        ws_dom_span span = {&pair, g, NULL};
        ws_buf_addf(to, &err, " REGION %u %u nB %.6f nE %.6f maxmin %.6f %s\n", g->from, g->to, (double)g->begins,
                    (double)g->ends, (double)g->crowd, g->multi ? "multi" : "single");
        if (g->multi) {
            must(ws_dom_resolve(t, w, &span, 1, &err), &err);
            add_traces(to, &w->sample, g->from);
            add_ensemble(to, &pair, g);
        }
        for (uint32_t e = 0; e < g->nenv; e++) {
            span.env = &g->env[e];
            must(ws_dom_rescore(t, w, &span, 1, &err), &err);
            add_envelope(to, &g->env[e]);
        }
    }
    must(ws_dom_finish(t, &w->options, &pair, &err), &err);
    if (h->status == WS_DOM_HIT)
        ws_buf_addf(to, &err, " N2SUM %.6f seqbias %.6f\n SCORE pre %.6f seq %.6f pre2 %.6f recon %.6f Ld %u %s\n",
                    (double)h->n2_sum, (double)h->bias_nats, (double)h->whole_pre_bits, (double)h->whole_bits,
                    (double)h->recon_pre_bits, (double)h->recon_bits, h->recon_residues,
                    h->reconstructed ? "recon" : "full");
    for (uint32_t d = 0; d < h->n; d++) check_alignment(a, tg->name, &h->domain[d]);
    ws_dom_pair_release(&pair);
}

/* ---- golden dumps ---- */

typedef struct golden {
    const char *folder, *dump, *stockholm, *fasta, *models;
    ws_abc_type type;
} golden;

static const golden sets[] = {
    {SUBSET, "domains/cases.def.dump.gz", "domains/cases.def.ali.sto.gz", "domains/cases.fa.gz", "models",
     WS_ABC_AMINO},
    {SUBSET, "domains/cases.max.dump.gz", NULL, "domains/cases.fa.gz", "models", WS_ABC_AMINO},
    {FULL, "domains/cases.def.dump.xz", "domains/cases.def.ali.sto.xz", "domains/cases.fa.xz", "models", WS_ABC_AMINO},
    {FULL, "domains/cases.max.dump.xz", "domains/cases.max.ali.sto.xz", "domains/cases.fa.xz", "models", WS_ABC_AMINO},
    {FULL, "domains/dev.dump.xz", "domains/dev.ali.sto.xz", "dev.fa", "models", WS_ABC_AMINO},
    {FULL, "domains/dna.dump.xz", "domains/dna.ali.sto.xz", "dna.fa", "dna-models", WS_ABC_DNA},
    {FULL, "domains/proteome-S.cerevisiae.dump.xz", NULL, "../data/UP000002311-S.cerevisiae.fasta.gz", "models",
     WS_ABC_AMINO},
    {FULL, "domains/proteome-P.falciparum.dump.xz", NULL, "../data/UP000001450-P.falciparum.fasta.gz", "models",
     WS_ABC_AMINO},
};

/* The lines of one pair, from "SEQ" to the next "SEQ" or "##". */
static char *block_end(char *p) {
    for (p += strcspn(p, "\n"); *p; p += 1 + strcspn(p + 1, "\n"))
        if (p[1] == 'S' || p[1] == '#' || p[1] == '\0') return p + 1;
    return p;
}

static void differ(const char *want, const char *got, size_t n, const char *file) {
    size_t at = 0, line = 0;
    while (at < n && want[at] == got[at]) {
        if (want[at] == '\n') line = at + 1;
        at++;
    }
    tap_note("%s: %.*s", file, (int)strcspn(want, "\n"), want);
    tap_note("  want %.*s", (int)strcspn(want + line, "\n"), want + line);
    tap_note("  got  %.*s", (int)strcspn(got + line, "\n"), got + line);
}

typedef struct counts {
    size_t met, pairs, bad, rows; /* met: pairs that were compared or left out */
    int rows_bad;
} counts;

static void check_block(const golden *g, const golden_model *m, const targets *tg, ws_dom_worker *w, const char *p,
                        size_t n, alignments *rows, counts *c) {
    char name[256], tname[256];
    ws_err err = {0};
    ws_buf got = {0};
    size_t j = 0;
    sscanf(p, "SEQ %255s %255s", name, tname);
    while (j < m->set.n && strcmp(m->set.hmm[j].name, name) != 0) j++;
    const target *t = find_target(tg, tname);
    if (j == m->set.n || !t) must(ws_fail(&err, WS_EDATA, "%s: no %s or %s", g->dump, name, tname), &err);
    dump(&got, m->t[j], w, name, t, rows);
    c->pairs++;
    if (got.n != n || memcmp(got.p, p, n) != 0)
        if (c->bad++ < 10) differ(p, got.p, ws_min(got.n, n), g->dump);
    ws_buf_release(&got);
}

/* plain: bytes from which envelopes go by blocks. */
static void check_dump(tap *tp, const golden *g, const ws_dom_backend *backend, int width, size_t plain) {
    char path[PATH_BYTES], name[256];
    ws_err err = {0};
    ws_dom_worker *w;
    const ws_dom_options options = {.seed = 42, .plain = plain};
    targets tg;
    golden_model m = {0};
    alignments rows = {0};
    counts c = {0};
    char *stockholm = NULL;
    const int part = tap_quick() ? strcmp(g->folder, FULL) == 0 || !g->stockholm : tap_slow() && !g->stockholm;
    const size_t every = part ? 5 : 1, first = (size_t)width % every;
    must(ws_dom_worker_create(&w, backend, &options, &err), &err);
    is_there(path, g->folder, g->fasta, "");
    read_fasta(&tg, path, ws_abc_get(g->type));
    if (g->stockholm && is_there(path, g->folder, g->stockholm, "")) stockholm = golden_text(path);
    is_there(path, g->folder, g->dump, "");
    char *text = golden_text(path);
    for (char *p = text, *end; *p; p = end) {
        if (*p == '#') {
            c.rows_bad += close_alignments(&rows, every == 1, &c.rows);
            close_models(&m);
            sscanf(p, "## %255s", name);
            open_named(&m, g->folder, g->models, name);
            read_alignments(&rows, stockholm, name);
            end = p + strcspn(p, "\n");
            end += *end == '\n';
        } else {
            end = block_end(p);
            if (c.met++ % every == first) check_block(g, &m, &tg, w, p, (size_t)(end - p), &rows, &c);
        }
    }
    c.rows_bad += close_alignments(&rows, every == 1, &c.rows);
    tap_ok(tp, c.bad == 0 && c.pairs > 0 && c.rows_bad == 0,
           "%s%s: %zu pairs, %zu differ; %zu rows of -A, %d differ (%s)", g->dump, plain ? " by blocks" : "", c.pairs,
           c.bad, c.rows, c.rows_bad, backend->name);
    if (c.pairs < c.met)
        tap_note("ran a part only: %zu of %zu pairs of %s", c.pairs, c.met, g->dump);
    close_models(&m);
    ws_free(text);
    ws_free(stockholm);
    ws_free(tg.t);
    ws_free(tg.text);
    ws_dom_worker_destroy(w);
}

/* golden [WORD]: the sets whose names have the word. */
int main(int argc, char **argv) {
    static const ws_dom_backend *const all[] = {WS_BY_WIDTH(ws_dom_)};
    tap t = {0};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    for (size_t j = 0; j < sizeof sets / sizeof sets[0]; j++) {
        char path[PATH_BYTES];
        if (argc > 1 && !strstr(sets[j].dump, argv[1])) continue;
        if (!is_there(path, sets[j].folder, sets[j].dump, "")) {
            tap_skip(&t, sets[j].dump, "the full golden data are not at hand");
            continue;
        }
        for (int b = WS_NWIDTH - 1; b >= 0; b--) {
            if (cpu.why_not[b]) continue;
            check_dump(&t, &sets[j], all[b], b, 0);
            if (strstr(sets[j].dump, "cases.def")) check_dump(&t, &sets[j], all[b], b, 1);
        }
    }
    return tap_end(&t);
}
