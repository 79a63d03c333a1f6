/* SPDX-License-Identifier: MIT
 * Whole searches of long DNA targets against nhmmer's --tblout, byte for byte: the committed cases, and all 68 with
 * their options where they are at hand. Blocks are those of nhmmer --cpu 0; cases of its other layout have the same
 * hits (long-targets.md, section 15.3).
 *
 *   long_tables [WORD]     the cases whose names have the word */
#include "tests/lib/longsearch.h"

typedef struct request {
    ws_long_options scan;
    ws_dom_options dom;
    ws_dnalimits limits;
    int watson, crick, cut;
    double megabases; /* -Z; 0: count */
} request;

static double value_of(const char **p) {
    char *end;
    const double v = strtod(*p, &end);
    *p = end;
    return v;
}

static int takes(const char **p, const char *option) {
    const size_t n = strlen(option);
    if (strncmp(*p, option, n) != 0 || ((*p)[n] != ' ' && (*p)[n] != '\0')) return 0;
    *p += n;
    return 1;
}

static void take_one(request *r, const char **p) {
    static const char *const cuts[] = {[WS_CUT_GA] = "--cut_ga", [WS_CUT_TC] = "--cut_tc", [WS_CUT_NC] = "--cut_nc"};
    ws_long_options *o = &r->scan;
    for (int c = 0; c < WS_NCUT; c++)
        if (takes(p, cuts[c])) r->cut = c;
    if (takes(p, "-E")) r->limits.evalue = value_of(p);
    else if (takes(p, "-T")) r->limits = (ws_dnalimits){.bits = value_of(p), .by_bits = 1};
    else if (takes(p, "-Z")) r->megabases = value_of(p);
    else if (takes(p, "--max")) o->F2 = o->F3 = 1.0, o->nobias = 1;
    else if (takes(p, "--nobias")) o->nobias = 1;
    else if (takes(p, "--nonull2")) r->dom.nonull2 = 1;
    else if (takes(p, "--block_length")) o->block = (uint32_t)value_of(p);
    else if (takes(p, "--w_length")) o->w_length = (uint32_t)value_of(p);
    else if (takes(p, "--w_beta")) o->w_beta = value_of(p);
    else if (takes(p, "--watson")) r->crick = 0;
    else if (takes(p, "--crick")) r->watson = 0;
    else if (takes(p, "--seed")) r->dom.seed = (uint32_t)value_of(p);
    else if (takes(p, "--F1")) o->F1 = value_of(p);
    else if (takes(p, "--F2")) o->F2 = value_of(p);
    else if (takes(p, "--F3")) o->F3 = value_of(p);
    else if (takes(p, "--B1")) o->B1 = (uint32_t)value_of(p);
    else if (takes(p, "--B2")) o->B2 = (uint32_t)value_of(p);
    else if (takes(p, "--B3")) o->B3 = (uint32_t)value_of(p);
}

static request parse_options(const char *p) {
    request r = {.scan = WS_LONG_DEFAULTS, .dom = {.seed = 42}, .limits = WS_DNA_LIMITS, .watson = 1, .crick = 1,
                 .cut = -1};
    while (*p) {
        const char *before = p;
        take_one(&r, &p);
        if (p == before) p++; /* a blank, or "-" for no options */
    }
    return r;
}

static void check(tap *t, const char *folder, const char *name, const char *model, const char *targets,
                  const char *options, const ws_cpu *cpu) {
    char path[3][LONGCASE_PATH];
    request q = parse_options(options);
    longtargets tg;
    search s;
    ws_sink got = {0};
    snprintf(path[0], LONGCASE_PATH, "%s/%s.gz", folder, model);
    snprintf(path[1], LONGCASE_PATH, "%s/inputs/%s", folder, targets);
    snprintf(path[2], LONGCASE_PATH, "%s/expected/%s.tbl.gz", folder, name);
    open_search(&s, path[0], cpu, ws_cpu_best(cpu), &q.scan, &q.dom);
    s.watson = q.watson;
    s.crick = q.crick;
    longtargets_read(&tg, path[1], s.hmm->abc);
    for (size_t j = 0; j < tg.n; j++) search_record(&s, &tg.r[j], j);
    if (q.cut >= 0) q.limits = (ws_dnalimits){.bits = (double)s.hmm->cut[q.cut][0], .by_bits = 1};
    const uint64_t residues =
        q.megabases > 0 ? (uint64_t)(1e6 * q.megabases) * (uint64_t)(q.watson + q.crick) : s.residues;
    ws_dnalist_rank(s.hits.list, &q.limits, residues, s.model.maxl);
    ws_dnaform_find("tblout")->write(&got, &(ws_dnaquery){.hmm = s.hmm, .list = s.hits.list, .first = 1});
    ws_sink_add(&got, "", 1);
    char *want = golden_text(path[2]);
    if (!tap_ok(t, strcmp(want, got.text.p) == 0, "%s %s: %zu hits", name, options, s.hits.list->n)) {
        size_t at = 0, line = 0;
        for (; want[at] && want[at] == got.text.p[at]; at++)
            if (want[at] == '\n') line = at + 1;
        tap_note("want %.*s", (int)strcspn(want + line, "\n"), want + line);
        tap_note("got  %.*s", (int)strcspn(got.text.p + line, "\n"), got.text.p + line);
    }
    ws_free(want);
    ws_sink_release(&got);
    longtargets_release(&tg);
    close_search(&s);
}

/* The larger set: lines of case, model, target, options, layout, stages. */
static void check_all(tap *t, const char *word, const ws_cpu *cpu) {
    static const char folder[] = "../shared/golden/long-targets";
    char *text = golden_text("../shared/golden/long-targets/cases.tsv"), *keep = NULL;
    for (char *line = strtok_r(text, "\n", &keep); line; line = strtok_r(NULL, "\n", &keep)) {
        char name[64], model[80], targets[80], options[80];
        if (*line == '#' ||
            sscanf(line, "%63[^\t]\t%63[^\t]\t%63[^\t]\t%79[^\t]", name, model + 7, targets, options) != 4)
            continue;
        memcpy(model, "models/", 7);
        strcat(targets, ".xz");
        if (!word || strstr(name, word)) check(t, folder, name, model, targets, options, cpu);
    }
    ws_free(text);
}

int main(int argc, char **argv) {
    static const char folder[] = "tests/data/golden/long-targets", made1[] = "../dna-models/MADE1.hmm",
                      rf[] = "models/RF00001.hmm";
    const char *depth = getenv("WARPSIEVE_TESTS"), *word = argc > 1 ? argv[1] : NULL;
    tap t = {0};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    if (!word) {
        check(&t, folder, "made-human", made1, "dna_target.fa.gz", "", &cpu);
        check(&t, folder, "5s-human", rf, "dna_target.fa.gz", "-E 1000", &cpu);
        check(&t, folder, "made-short", made1, "short.fa.gz", "", &cpu);
        check(&t, folder, "5s-short", rf, "short.fa.gz", "", &cpu);
    }
    if ((!depth || strcmp(depth, "quick") != 0) && access("../shared/golden/long-targets/cases.tsv", R_OK) == 0)
        check_all(&t, word, &cpu);
    return tap_end(&t);
}
