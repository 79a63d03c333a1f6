/* SPDX-License-Identifier: MIT
 * papara-score against golden data (specification papara.md, section 14): vectors, every score, best edges, paths,
 * on every backend that runs here. Then the backends against the definition at corner sizes. */
#include "kernels/papara/papara.h"
#include "lib/compress/source.h"
#include "tests/tap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(int rc, const ws_err *err) {
    if (!rc) return;
    printf("Bail out! %s\n", err->text);
    exit(1);
}

/* ---- a golden folder ---- */

typedef struct golden {
    char dir[256];
    ws_papara_ref ref;
    size_t nread;
    struct {
        char name[64];
        uint8_t *code;
        size_t n;
    } read[512];
} golden;

/* Reads a file whole, also one of numbers, whose bytes may be zero. */
static char *slurp(const char *dir, const char *file, size_t *n) {
    char path[512];
    ws_buf all = {0};
    ws_source *s;
    const uint8_t *p;
    size_t got;
    ws_err err = {0};
    snprintf(path, sizeof path, "%s/%s", dir, file);
    must(ws_source_open(&s, path, &err), &err);
    while (!ws_source_next(s, -1, &p, &got, &err)) must(ws_buf_add(&all, p, got, &err), &err);
    if (err.code) must(err.code, &err);
    ws_source_close(s);
    must(ws_buf_add(&all, "", 1, &err), &err);
    if (n) *n = all.n - 1;
    return all.p;
}

static void load_reads(golden *g) {
    size_t n;
    char *text = slurp(g->dir, "reads.fasta", &n);
    uint8_t *code = calloc(n + 1, 1);
    g->nread = 0;
    for (char *p = text; *p;) {
        const size_t line = strcspn(p, "\n");
        if (*p == '>') {
            g->read[g->nread].code = code;
            g->read[g->nread].n = 0;
            snprintf(g->read[g->nread++].name, 64, "%.*s", (int)strcspn(p + 1, " \n"), p + 1);
        } else {
            for (size_t i = 0; i < line; i++) {
                const uint8_t c = g->ref.letters.abc.code_of[(unsigned char)p[i]];
                if (c >= WS_C_SKIP) continue;
                *code++ = c;
                g->read[g->nread - 1].n++;
            }
        }
        p += line + (p[line] == '\n');
    }
    ws_free(text);
}

static void load(golden *g, const char *dir) {
    char path[512];
    ws_err err = {0};
    *g = (golden){.nread = 0};
    snprintf(g->dir, sizeof g->dir, "%s", dir);
    snprintf(path, sizeof path, "%s/ref.phy", dir);
    must(ws_papara_msa_read(&g->ref.msa, path, &err), &err);
    snprintf(path, sizeof path, "%s/ref.nwk", dir);
    must(ws_papara_tree_read(&g->ref.tree, path, 0, &err), &err);
    must(ws_papara_tree_bind(&g->ref.tree, &g->ref.msa, &err), &err);
    ws_papara_letters_set(&g->ref.letters, ws_papara_msa_is_protein(&g->ref.msa), 0);
    load_reads(g);
}

static void set_rule(golden *g, ws_papara_rule rule) {
    ws_err err = {0};
    ws_papara_edges_release(&g->ref.edges);
    must(ws_papara_edges_make(&g->ref.edges, &g->ref.tree, &g->ref.msa, &g->ref.letters, rule, &err), &err);
}

static void unload(golden *g) {
    free(g->read[0].code);
    ws_papara_msa_release(&g->ref.msa);
    ws_papara_tree_release(&g->ref.tree);
    ws_papara_edges_release(&g->ref.edges);
}

static int have(const char *dir, const char *file) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    return access(path, R_OK) == 0;
}

/* ---- vectors ---- */

static size_t vectors_differ(const golden *g, const char *file) {
    size_t size, differ = 0, n = g->ref.edges.sites, wide = g->ref.edges.nstate == 20 ? 4 : 1;
    unsigned char *want = (unsigned char *)slurp(g->dir, file, &size);
    uint32_t *cell = calloc(n, sizeof *cell);
    if (size != n * g->ref.edges.nedge * wide) differ++;
    for (size_t e = 0; e < g->ref.edges.nedge && !differ; e++) {
        ws_papara_edges_get(&g->ref.edges, e, cell);
        for (size_t i = 0; i < n; i++) {
            const unsigned char *w = want + (e * n + i) * wide;
            const uint32_t flag = UINT32_C(1) << g->ref.edges.nstate;
            const uint32_t x = wide == 1 ? *w : w[0] | w[1] << 8 | w[2] << 16 | (uint32_t)w[3] << 24;
            differ += cell[i] != ((x & (flag - 1)) | (x & flag ? WS_PAPARA_CGAP : 0));
        }
    }
    free(cell);
    ws_free(want);
    return differ;
}

/* ---- scores ---- */

static const ws_backend *const backends[] = {WS_BY_WIDTH(ws_papara_)};

static const char *why_not(const ws_backend *b) {
    ws_machine m = {0};
    const char *why = NULL;
    ws_cpu_probe(&m.cpu);
    b->usable(&m, &why);
    return why;
}

static void score_one(const golden *g, const ws_backend *b, size_t q, ws_buf *scratch, ws_papara_read *r,
                      ws_papara_score *s) {
    ws_err err = {0};
    const ws_papara_face *face = b->own;
    must(ws_papara_read_begin(r, &g->ref, g->read[q].code, g->read[q].n, scratch, &err), &err);
    ws_papara_read_score(r, face->cost, s);
}

/* Returns column c of a row of expected.tsv, from 0. */
static long field(const char *row, int c) {
    for (; c > 0; c--) row += strcspn(row, "\t") + 1;
    return strtol(row, NULL, 10);
}

/* Reads 0..nread-1 on one backend, shared by one thread for each processor. */
typedef struct check {
    const golden *g;
    const ws_backend *b;
    const int16_t *want; /* [nread * edges]; NULL: only best edges */
    const char *row[512];
    int edge_col, ties_col;
    size_t nread;
    _Atomic size_t next, scores, bests, wrong_scores, wrong_bests;
} check;

static void check_read(check *c, size_t q, ws_buf *scratch) {
    ws_papara_read r;
    ws_papara_score s;
    const size_t nedge = c->g->ref.edges.nedge;
    score_one(c->g, c->b, q, scratch, &r, &s);
    for (size_t e = 0; c->want && e < nedge; e++) {
        const int64_t x = s.tied ? ws_papara_result(&c->g->ref.scheme, s.len, r.cost[e]) : 32767;
        c->wrong_scores += x != c->want[q * nedge + e];
    }
    if (c->want) c->scores += nedge;
    if (s.tied == 0) return;
    c->bests++;
    c->wrong_bests += s.len != field(c->row[q], 1) || s.edge[0] != field(c->row[q], c->edge_col) ||
                      ws_papara_result(&c->g->ref.scheme, s.len, s.cost[0]) != field(c->row[q], c->edge_col + 1) ||
                      (c->ties_col && s.tied != field(c->row[q], c->ties_col));
}

static void *check_reads(void *data) {
    check *c = data;
    ws_buf scratch = {0};
    for (size_t q; (q = c->next++) < c->nread;) check_read(c, q, &scratch);
    ws_buf_release(&scratch);
    return NULL;
}

/* Checks the scores of all edges if scores_file is given, else those of the table, where distant edges stay FAR. */
static void check_backend(check *c, golden *g, const char *scores_file) {
    pthread_t thread[64];
    size_t size = 0, n = 0;
    char *text = slurp(g->dir, "expected.tsv", NULL), *row = text;
    int16_t *want = scores_file ? (int16_t *)(void *)slurp(g->dir, scores_file, &size) : NULL;
    for (size_t q = 0; q < c->nread; q++) c->row[q] = row = row + strcspn(row, "\n") + 1;
    g->ref.exact_all = want != NULL;
    c->g = g;
    c->want = want;
    if (want && size != 2 * g->ref.edges.nedge * g->nread) c->nread = 0; /* a count of 0 is a failure */
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    while (n < 63 && (long)n + 1 < cores && pthread_create(&thread[n], NULL, check_reads, c) == 0) n++;
    check_reads(c);
    while (n > 0) pthread_join(thread[--n], NULL);
    ws_free(want);
    ws_free(text);
}

static size_t traces_differ(golden *g) {
    char *text = slurp(g->dir, "traces.txt", NULL), *row = text;
    size_t differ = 0;
    uint32_t *cell = calloc(g->ref.edges.sites, sizeof *cell);
    ws_papara_path path = {0};
    ws_buf scratch = {0};
    ws_err err = {0};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    for (size_t q = 0; q < g->nread; q++, row += strcspn(row, "\n") + 1) {
        char got[16384] = "";
        size_t at = 0;
        ws_papara_read r;
        ws_papara_score s;
        score_one(g, backends[ws_cpu_best(&cpu)], q, &scratch, &r, &s);
        ws_papara_edges_get(&g->ref.edges, s.edge[0], cell);
        must(ws_papara_trace(&path, &g->ref.scheme, cell, g->ref.edges.sites, r.mask, r.m, &err), &err);
        for (size_t i = 0; i < path.n; i++)
            at += (size_t)snprintf(got + at, sizeof got - at, "%u%c", path.run[i].n, "MDI"[path.run[i].op]);
        const char *want = row + strcspn(row, "\t") + 1;
        differ += strlen(got) != strcspn(want, "\n") || memcmp(want, got, strlen(got)) != 0;
    }
    free(cell);
    ws_free(path.run);
    ws_buf_release(&scratch);
    ws_free(text);
    return differ;
}

/* Tests a folder with so many reads at most, and so many of the scalar backend: the definition takes 2.5 seconds for a
 * read of the largest set. */
static void test_folder(tap *t, const char *dir, size_t most, size_t most_scalar) {
    static const struct {
        ws_papara_model model;
        ws_papara_rule rule;
        const char *vectors, *scores, *name;
        int edge_col, ties_col;
    } set[] = {{WS_PAPARA_2, WS_PAPARA_LIKELIHOOD, "vectors.bin.gz", "scores_papara2.i16.gz",
                "papara2, likelihood flags", 2, 4},
               {WS_PAPARA_2, WS_PAPARA_RULE, "vectors_cgapflags.bin.gz", "scores_papara2_cgapflags.i16.gz",
                "papara2, rule flags", 5, 0},
               {WS_PAPARA_EQ1, WS_PAPARA_RULE, NULL, "scores_eq1_cgapflags.i16.gz", "eq1", 7, 9}};
    const char *slash = strrchr(dir, '/') + 1;
    golden g;
    load(&g, dir);
    for (size_t k = 0; k < sizeof set / sizeof *set; k++) {
        set_rule(&g, set[k].rule);
        g.ref.scheme = ws_papara_scheme_of(set[k].model, -3, -1, 2, -3);
        if (set[k].vectors)
            tap_ok(t, vectors_differ(&g, set[k].vectors) == 0, "%s: masks and flags, %s", slash, set[k].name);
        for (int b = 0; b < WS_NWIDTH; b++) {
            char what[128];
            snprintf(what, sizeof what, "%s: %s, %s", slash, set[k].name, backends[b]->name);
            if (why_not(backends[b])) {
                tap_skip(t, what, why_not(backends[b]));
                continue;
            }
            for (int all = 1; all >= 0; all--) {
                check c = {.b = backends[b], .edge_col = set[k].edge_col, .ties_col = set[k].ties_col};
                c.nread = ws_min(b == WS_WIDTH_scalar ? most_scalar : most, g.nread);
                if (b == WS_WIDTH_scalar && !all) break; /* the definition computes every score in any case */
                check_backend(&c, &g, all ? set[k].scores : NULL);
                if (all) tap_ok(t, c.scores > 0 && c.wrong_scores == 0, "%s: %zu scores", what, c.scores);
                tap_ok(t, c.bests > 0 && c.wrong_bests == 0, "%s: best edges of %zu reads%s", what, c.bests,
                       all ? "" : ", without the scores of all");
            }
        }
        if (k == 0) tap_ok(t, traces_differ(&g) == 0, "%s: paths of %zu reads", slash, g.nread);
    }
    unload(&g);
}

/* ---- corners: random references, every width of cells ---- */

static uint64_t state = 20120911;
static uint32_t below(uint32_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

/* Makes a target without a tree: random planes, like an ancestor with a few uncertain sites. */
static void random_ref(ws_papara_ref *ref, int protein, size_t nedge, size_t sites) {
    ws_err err = {0};
    *ref = (ws_papara_ref){.exact_all = 1};
    ws_papara_letters_set(&ref->letters, protein, 0);
    ws_papara_edges *e = &ref->edges;
    *e = (ws_papara_edges){.nstate = ref->letters.nstate, .nedge = nedge, .ngroup = (nedge + 63) / 64, .sites = sites};
    e->bit = ws_calloc(e->ngroup * sites * ((size_t)e->nstate + 1), sizeof *e->bit, &err);
    for (size_t k = 0; k < nedge; k++)
        for (size_t i = 0; i < sites; i++) {
            uint64_t *w = e->bit + (k / 64 * sites + i) * ((size_t)e->nstate + 1), bit = UINT64_C(1) << k % 64;
            w[(i * i * 7 + i / 3) % (size_t)e->nstate] |= bit;
            if (below(8) == 0) w[below((uint32_t)e->nstate)] |= bit;
            if (below(4) == 0) w[e->nstate] |= bit;
        }
}

static void random_read(ws_papara_ref *ref, uint8_t *code, size_t m) {
    uint32_t *cell = calloc(ref->edges.sites, sizeof *cell);
    ws_papara_edges_get(&ref->edges, below((uint32_t)ref->edges.nedge), cell);
    size_t i = below((uint32_t)ref->edges.sites);
    const int canonical = ref->letters.nstate;
    for (size_t j = 0; j < m; j++, i++) {
        code[j] = (uint8_t)below((uint32_t)canonical);
        if (below(20) == 0) i += 2;
        if (i < ref->edges.sites && below(10))
            for (uint8_t c = 0; c < canonical; c++)
                if (cell[i] & ref->letters.read_mask[c]) code[j] = c;
        if (canonical == 4 && below(50) == 0) code[j] = (uint8_t)(5 + below(10));
    }
    free(cell);
}

static size_t corner(const ws_papara_ref *ref, const ws_backend *b, const uint8_t *code, size_t m) {
    ws_buf scratch = {0};
    ws_err err = {0};
    ws_papara_read r;
    ws_papara_score s;
    size_t differ = 0;
    uint32_t *cell = calloc(ref->edges.sites, sizeof *cell);
    int32_t *row = calloc(2 * (m + 1), sizeof *row);
    must(ws_papara_read_begin(&r, ref, code, m, &scratch, &err), &err);
    ws_papara_read_score(&r, ((const ws_papara_face *)b->own)->cost, &s);
    for (size_t e = 0; e < ref->edges.nedge && s.tied; e++) {
        ws_papara_edges_get(&ref->edges, e, cell);
        differ += r.cost[e] != ws_papara_cost(&ref->scheme, cell, ref->edges.sites, r.mask, r.m, row);
    }
    free(cell);
    free(row);
    ws_buf_release(&scratch);
    return differ;
}

static void test_corners(tap *t) {
    static const size_t edges[] = {1, 2, 31, 32, 33, 63, 64, 65, 130}, sites[] = {1, 2, 3, 4, 5, 33, 100, 301},
                        reads[] = {1, 2, 7, 31, 32, 33, 127, 128, 129, 400, 2000};
    static const int par[][4] = {{-3, -1, 2, -3},        {-3, -1, 4, -3}, {-300, -40, 90, -500},
                                 {-30000, -1, 30000, 0}, {0, 0, 0, 0},    {-5, -5, 1, 0}};
    uint8_t *code = calloc(2001, 1);
    for (int b = 0; b < WS_WIDTH_scalar; b++) {
        size_t differ = 0, n = 0;
        if (why_not(backends[b])) {
            tap_skip(t, "corner sizes", why_not(backends[b]));
            continue;
        }
        for (size_t k = 0; k < 9 * 8; k++) {
            ws_papara_ref ref;
            random_ref(&ref, k % 5 == 4, edges[k % 9], sites[k / 9]);
            for (size_t p = 0; p < 7; p++)
                for (size_t m = 0; m < 11; m++, n++) {
                    if (reads[m] >= 400 && (k + p) % 7) continue;
                    if (tap_quick() && (k / 9 + k + p + m + (size_t)b) % 2) continue; /* another backend has it */
                    ref.scheme = p < 6 ? ws_papara_scheme_of(WS_PAPARA_2, par[p][0], par[p][1], par[p][2], par[p][3])
                                       : ws_papara_scheme_of(WS_PAPARA_EQ1, 0, 0, 0, 0);
                    random_read(&ref, code, reads[m]);
                    differ += corner(&ref, backends[b], code, reads[m]);
                }
            ws_papara_edges_release(&ref.edges);
        }
        tap_ok(t, differ == 0, "%zu random reads: %s equals the definition on every edge", n, backends[b]->name);
    }
    free(code);
}

/* Checks a tie of the strands: a read that is its own reverse complement costs the same on both, and the given
 * strand stays. */
static void test_tie(tap *t) {
    static const uint8_t code[] = {0, 1, 2, 3, 0, 1, 2, 3}; /* ACGTACGT */
    for (int b = 0; b <= WS_WIDTH_scalar; b++) {
        ws_papara_ref ref;
        ws_buf scratch = {0};
        ws_err err = {0};
        ws_papara_read r;
        ws_papara_score s;
        if (why_not(backends[b])) continue;
        random_ref(&ref, 0, 7, 33);
        ref.scheme = ws_papara_scheme_of(WS_PAPARA_2, -3, -1, 2, -3);
        ref.both_strands = 1;
        must(ws_papara_read_begin(&r, &ref, code, sizeof code, &scratch, &err), &err);
        ws_papara_read_score(&r, ((const ws_papara_face *)backends[b]->own)->cost, &s);
        tap_ok(t, s.tied > 0 && !s.reverse, "%s: of two strands with one score the given one is kept",
               backends[b]->name);
        ws_papara_edges_release(&ref.edges);
        ws_buf_release(&scratch);
    }
}

/* The cost of a path in a scheme that has neither CGAP sites nor free ends inside. */
static int64_t cost_of(const ws_papara_path *p, const ws_papara_scheme *s, const uint32_t *cell, const uint32_t *mask) {
    size_t i = 0, j = 0;
    int64_t cost = 0;
    for (size_t k = 0; k < p->n; k++) {
        const uint32_t n = p->run[k].n;
        const ws_papara_op op = p->run[k].op;
        for (uint32_t a = 0; a < n && op == WS_PAPARA_M; a++) cost += cell[i + a] & mask[j + a] ? 0 : s->mismatch;
        if (op == WS_PAPARA_I) cost += s->ins_open + (int64_t)(n - 1) * s->ins_extend;
        if (op == WS_PAPARA_D && k > 0 && k + 1 < p->n) cost += s->del_open + (int64_t)(n - 1) * s->del_extend;
        i += op == WS_PAPARA_I ? 0 : n;
        j += op == WS_PAPARA_D ? 0 : n;
    }
    return cost;
}

/* Insertions that lie across rows of the trace that are kept, 256 and 512: the path costs what the definition says. */
static void test_long_insertions(tap *t) {
    enum { SITES = 700, READ = 660, FIRST = 250, SECOND = 505, LENGTH = 20 };
    uint32_t cell[SITES], mask[READ];
    int32_t row[2 * (READ + 1)];
    ws_papara_path p = {0};
    ws_err err = {0};
    const ws_papara_scheme s = ws_papara_scheme_of(WS_PAPARA_2, -3, -1, 2, -3);
    for (int i = 0; i < SITES; i++) cell[i] = 1u << below(4);
    for (int j = 0, i = 30; j < READ; j++) {
        const int between = (j >= FIRST && j < FIRST + LENGTH) || (j >= SECOND && j < SECOND + LENGTH);
        mask[j] = between ? 1u << below(4) : cell[i];
        i += !between;
    }
    must(ws_papara_trace(&p, &s, cell, SITES, mask, READ, &err), &err);
    const int64_t want = ws_papara_cost(&s, cell, SITES, mask, READ, row), got = cost_of(&p, &s, cell, mask);
    size_t insertions = 0, residues = 0;
    for (size_t k = 0; k < p.n; k++) {
        insertions += p.run[k].op == WS_PAPARA_I;
        residues += p.run[k].op == WS_PAPARA_D ? 0 : p.run[k].n;
    }
    tap_ok(t, got == want && insertions == 2 && residues == READ,
           "insertions across kept rows: %zu of them, cost %lld, want %lld", insertions, (long long)got,
           (long long)want);
    ws_free(p.run);
}

/* ---- a tree of many levels ---- */

/* Reads an alignment from a file that holds the text. */
static void read_rows(ws_papara_msa *m, const ws_buf *text) {
    char path[] = "/tmp/wstestXXXXXX";
    ws_err err = {0};
    const int fd = mkstemp(path);
    const int fine = fd >= 0 && write(fd, text->p, text->n) == (ssize_t)text->n;
    if (!fine) must(ws_fail(&err, WS_EIO, "no temporary file"), &err);
    must(ws_papara_msa_read(m, path, &err), &err);
    close(fd);
    unlink(path);
}

/* Counts the edges without the flag CGAP in a comb of n leaves, of which all but the first have a gap in column 1. */
static size_t edges_without_gap(int n) {
    ws_buf tree = {0}, rows = {0};
    ws_papara_tree t;
    ws_papara_msa m;
    ws_papara_letters l;
    ws_papara_edges e;
    ws_err err = {0};
    size_t without = 0;
    for (int i = 1; i < n; i++) must(ws_buf_adds(&tree, "(", &err), &err);
    for (int i = 0; i < n; i++) {
        must(ws_buf_addf(&tree, &err, "%st%d:1", i == 0 ? "" : i == 1 ? "," : "):1,", i), &err);
        must(ws_buf_addf(&rows, &err, ">t%d\n%cA\n", i, i ? '-' : 'A'), &err);
    }
    must(ws_buf_adds(&tree, ");", &err), &err);
    must(ws_papara_tree_parse(&t, "tree", tree.p, tree.n, 0, &err), &err);
    read_rows(&m, &rows);
    must(ws_papara_tree_bind(&t, &m, &err), &err);
    ws_papara_letters_set(&l, 0, 0);
    must(ws_papara_edges_make(&e, &t, &m, &l, WS_PAPARA_LIKELIHOOD, &err), &err);
    for (size_t k = 0; k < e.nedge; k++) {
        uint32_t cell[2];
        ws_papara_edges_get(&e, k, cell);
        without += !(cell[0] & WS_PAPARA_CGAP);
    }
    ws_papara_edges_release(&e);
    ws_papara_msa_release(&m);
    ws_papara_tree_release(&t);
    ws_buf_release(&tree);
    ws_buf_release(&rows);
    return without;
}

/* Likelihoods of thousands of leaves are below the smallest double, unless they are scaled on their way. */
static void test_deep(tap *t) {
    const size_t few = edges_without_gap(100), many = edges_without_gap(4000);
    tap_ok(t, few > 0 && few < 20 && many == few, "a comb of 4,000 leaves has the flags of one of 100: %zu and %zu "
           "edges without", many, few);
}

int main(void) {
    static const char *const shipped[] = {"tests/data/papara/tiny5", "tests/data/papara/vag40"};
    static const char *const full[] = {"../shared/golden/papara/pyrg65", "../shared/golden/papara/upp407_aa",
                                       "../shared/golden/papara/vag652"};
    tap t = {0};
    int ran = 0;
    test_deep(&t);
    for (size_t i = 0; i < 2; i++) test_folder(&t, shipped[i], SIZE_MAX, tap_quick() ? 20 : SIZE_MAX);
    const char *depth = getenv("WARPSIEVE_TESTS");
    const int quick = !depth || strcmp(depth, "full") != 0;
    for (size_t i = 0; i < 3; i++) {
        if (!have(full[i], "ref.phy")) continue;
        test_folder(&t, full[i], quick ? 24 : SIZE_MAX, quick ? 1 : 128);
        ran++;
    }
    if (ran)
        tap_note("ran %d more golden sets of papara from ../shared%s", ran,
                 quick ? ", 24 reads of each; all of them with WARPSIEVE_TESTS=full" : "");
    test_corners(&t);
    test_tie(&t);
    test_long_insertions(&t);
    return tap_end(&t);
}
