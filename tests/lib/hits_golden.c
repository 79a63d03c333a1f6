/* SPDX-License-Identifier: MIT
 * The hit list against files that hmmsearch wrote, byte for byte: tables, alignments, the report. The domain stage
 * scores the pairs that a dump lists, which are those that passed hmmsearch's filters. The full set, where it is at
 * hand, is left out if WARPSIEVE_TESTS is "quick". */
#include "lib/hits/options.h"
#include "lib/hits/write.h"
#include "tests/lib/domcases.h"

typedef struct golden {
    const char *folder, *stem, *packed; /* of the files: stem.tblout, and ".gz" or ".xz" after */
    const char *fasta, *models;
    ws_abc_type type;
    double E, domE;
} golden;

static const golden sets[] = {
    {SUBSET, "domains/cases.def", ".gz", "domains/cases.fa.gz", "models", WS_ABC_AMINO, 10, 10},
    {SUBSET, "domains/cases.max", ".gz", "domains/cases.fa.gz", "models", WS_ABC_AMINO, 1e6, 1e6},
    {FULL, "domains/cases.def", ".xz", "domains/cases.fa.xz", "models", WS_ABC_AMINO, 10, 10},
    {FULL, "domains/cases.max", ".xz", "domains/cases.fa.xz", "models", WS_ABC_AMINO, 1e6, 1e6},
    {FULL, "domains/dev", ".xz", "dev.fa", "models", WS_ABC_AMINO, 10, 10},
    {FULL, "domains/dna", ".xz", "dna.fa", "dna-models", WS_ABC_DNA, 10, 10},
    {FULL, "domains/proteome-S.cerevisiae", ".xz", "../data/UP000002311-S.cerevisiae.fasta.gz", "models", WS_ABC_AMINO,
     10, 10},
    {FULL, "domains/proteome-P.falciparum", ".xz", "../data/UP000001450-P.falciparum.fasta.gz", "models", WS_ABC_AMINO,
     10, 10},
};

enum { TBLOUT, DOMTBLOUT, STOCKHOLM, REPORT, NFILES };
static const char *const suffix[NFILES] = {".tblout", ".domtblout", ".ali.sto", ".out"};

/* The text between a line "## name" and the next line that begins so; copied. NULL if the file has no such part. */
static char *part_of(const char *text, const char *name) {
    char head[160];
    ws_err err;
    const int n = snprintf(head, sizeof head, "## %s\n", name);
    const char *from = text;
    while (from && strncmp(from, head, (size_t)n) != 0) from = (from = strstr(from, "\n## ")) ? from + 1 : NULL;
    if (!from) return NULL;
    from += n;
    const char *end = strncmp(from, "## ", 3) == 0 ? from : strstr(from, "\n## ");
    return ws_strndup(from, !end ? strlen(from) : end == from ? 0 : (size_t)(end + 1 - from), &err);
}

/* Cuts from each report what no stage after the filters can know, and the blank line before the first. */
static void cut_report(char *text) {
    char *to = text;
    for (char *line = text, *next; *line; line = next) {
        const size_t n = strcspn(line, "\n");
        next = line + n + (line[n] == '\n');
        if (strncmp(line, "Target sequences:", 17) == 0 || strncmp(line, "Passed ", 7) == 0 ||
            strncmp(line, "[ok]", 4) == 0)
            continue;
        if (line == text && n == 0) continue;
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    *to = '\0';
}

typedef struct run {
    const golden *g;
    const targets *tg;
    golden_model m;
    ws_dom_worker *w;
    ws_hitstore store;
} run;

/* Scores the pair of a line "SEQ model target ..." and holds it. */
static void hold(run *r, const char *line) {
    char name[256], tname[256];
    ws_err err = {0};
    ws_dom_pair pair, *list = &pair;
    ws_thresholds t = WS_THRESHOLDS_DEFAULT;
    size_t q = 0;
    t.E = r->g->E;
    sscanf(line, "SEQ %255s %255s", name, tname);
    while (q < r->m.set.n && strcmp(r->m.set.hmm[q].name, name) != 0) q++;
    const target *tg = find_target(r->tg, tname);
    if (q == r->m.set.n || !tg) must(ws_fail(&err, WS_EDATA, "no %s or %s", name, tname), &err);
    ws_dom_pair_begin(&pair, tg->x, &tg->lm);
    must(ws_dom_score(r->m.t[q], r->w, &list, 1, &err), &err);
    ws_hitlist *l = &r->store.list[q];
    const ws_hitseq seq = {.number = tg->number, .name = tg->name, .nname = strlen(tg->name), .desc = tg->desc,
                           .ndesc = strlen(tg->desc), .x = tg->x, .abc = ws_abc_get(r->g->type)};
    if (pair.hit.status == WS_DOM_HIT && ws_hit_is_worth(&t, l, pair.hit.bits, (double)tg->number + 1))
        must(ws_hitstore_add(&r->store, q, &seq, &pair.hit, WS_HOLD_ALIGNMENTS, &err), &err);
    ws_dom_pair_release(&pair);
}

/* All files of one model file's queries. */
static void write_all(run *r, ws_sink *to) {
    ws_thresholds t = WS_THRESHOLDS_DEFAULT;
    const ws_textconf conf = {.alignments = 1};
    t.E = r->g->E;
    t.domE = r->g->domE;
    for (size_t q = 0; q < r->m.set.n; q++) {
        ws_err err = {0};
        ws_profile profile;
        must(ws_profile_create(&profile, &r->m.set.hmm[q], &err), &err);
        const ws_hitquery query = {.hmm = &r->m.set.hmm[q], .profile = &profile, .list = &r->store.list[q],
                                   .first = q == 0, .text = &conf, .author = "hmmsearch (HMMER 3.4)"};
        ws_hitlist_rank(&r->store.list[q], &t, (ws_spaces){(double)r->tg->n, 0});
        ws_hitform_write(&ws_hitforms[WS_DOMFORM_TBLOUT], &to[TBLOUT], &query);
        ws_hitform_write(&ws_hitforms[WS_DOMFORM_DOMTBLOUT], &to[DOMTBLOUT], &query);
        ws_write_stockholm(&to[STOCKHOLM], &query);
        ws_hitform_write(&ws_hitforms[WS_DOMFORM_TEXT], &to[REPORT], &query);
        ws_profile_destroy(&profile);
    }
}

static int differs(const char *want, const ws_sink *got, const char *file, const char *name) {
    const size_t n = strlen(want);
    if (got->text.n == n && (n == 0 || memcmp(got->text.p, want, n) == 0)) return 0;
    size_t at = 0, line = 0;
    for (; at < n && at < got->text.n && want[at] == got->text.p[at]; at++)
        if (want[at] == '\n') line = at + 1;
    tap_note("%s of %s", file, name);
    tap_note("  want %.*s", (int)strcspn(want + line, "\n"), want + line);
    tap_note("  got  %.*s", (int)(got->text.n - line), got->text.p + line);
    return 1;
}

typedef struct tally {
    size_t parts[NFILES], bad[NFILES], bytes[NFILES];
} tally;

/* One model file: the lines of the dump up to the next "##", and what hmmsearch wrote about it. */
static const char *check_part(run *r, const char *p, char *const *file, tally *c) {
    char name[256];
    ws_err err = {0};
    ws_sink sink[NFILES] = {0};
    sscanf(p, "## %255s", name);
    open_named(&r->m, r->g->folder, r->g->models, name);
    must(ws_hitstore_create(&r->store, r->m.set.n, &err), &err);
    for (size_t q = 0; q < r->m.set.n; q++) {
        r->store.list[q].tau = r->m.set.hmm[q].evparam[WS_FTAU];
        r->store.list[q].lambda = r->m.set.hmm[q].evparam[WS_FLAMBDA];
    }
    for (p += strcspn(p, "\n"); *p == '\n' && strncmp(p, "\n## ", 4) != 0; p = p + 1 + strcspn(p + 1, "\n"))
        if (strncmp(p + 1, "SEQ ", 4) == 0) hold(r, p + 1);
    write_all(r, sink);
    for (int f = 0; f < NFILES; f++) {
        char *want = file[f] ? part_of(file[f], name) : NULL;
        if (want && f == REPORT) cut_report(want);
        if (want) {
            c->parts[f]++;
            c->bytes[f] += strlen(want);
            c->bad[f] += (size_t)differs(want, &sink[f], suffix[f], name);
        }
        ws_free(want);
        ws_sink_release(&sink[f]);
    }
    ws_hitstore_destroy(&r->store);
    close_models(&r->m);
    return p + (*p == '\n');
}

static void check_set(tap *tp, const golden *g, const char *dump_path) {
    char path[PATH_BYTES], *file[NFILES] = {NULL};
    ws_cpu cpu;
    ws_err err = {0};
    const ws_dom_options options = {.seed = 42};
    targets tg;
    run r = {.g = g, .tg = &tg};
    tally c = {0};
    ws_cpu_probe(&cpu);
    must(ws_dom_worker_create(&r.w, ws_dom_backend_best(&cpu), &options, &err), &err);
    is_there(path, g->folder, g->fasta, "");
    read_fasta(&tg, path, ws_abc_get(g->type));
    for (int f = 0; f < NFILES; f++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", suffix[f], g->packed);
        if (is_there(path, g->folder, g->stem, name)) file[f] = golden_text(path);
    }
    char *dump = golden_text(dump_path);
    for (const char *p = dump; *p;) p = check_part(&r, p, file, &c);
    for (int f = 0; f < NFILES; f++) {
        if (file[f])
            tap_ok(tp, c.parts[f] > 0 && c.bad[f] == 0, "%s%s: %zu model files, %zu bytes, %zu differ", g->stem,
                   suffix[f], c.parts[f], c.bytes[f], c.bad[f]);
        ws_free(file[f]);
    }
    ws_free(dump);
    ws_free(tg.t);
    ws_free(tg.text);
    ws_dom_worker_destroy(r.w);
}

/* hits_golden [WORD]: the sets whose names have the word. */
int main(int argc, char **argv) {
    const char *depth = getenv("WARPSIEVE_TESTS");
    const int quick = depth && strcmp(depth, "quick") == 0;
    tap t = {0};
    for (size_t j = 0; j < sizeof sets / sizeof *sets; j++) {
        char path[PATH_BYTES], name[64];
        if (argc > 1 && !strstr(sets[j].stem, argv[1])) continue;
        if (quick && strcmp(sets[j].folder, FULL) == 0) continue;
        snprintf(name, sizeof name, ".dump%s", sets[j].packed);
        if (is_there(path, sets[j].folder, sets[j].stem, name)) check_set(&t, &sets[j], path);
        else tap_skip(&t, sets[j].stem, "the full golden data are not at hand");
    }
    return tap_end(&t);
}
