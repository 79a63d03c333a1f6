/* SPDX-License-Identifier: MIT
 * Replays a fuzz target without a fuzzer, as a test program: its seeds, the cases once found, and a fixed number of
 * simple mutations of them (WARPSIEVE_FUZZ_RUNS, 200000). Run from the top of the tree, or with files as operands. */
#include "tests/fuzz/fuzz.h"
#include "tests/lib/io.h"

#include <glob.h>

enum { SEED_MAX = 256, GROWTH = 64 };

typedef struct seed {
    uint8_t *p;
    size_t n;
} seed;

static seed load(const char *path) {
    seed s = {0};
    FILE *f = fopen(path, "rb");
    must(f != NULL, path);
    fseek(f, 0, SEEK_END);
    const long n = ftell(f);
    rewind(f);
    must(n >= 0 && (s.p = malloc((size_t)n + 1)) != NULL, "memory");
    s.n = fread(s.p, 1, (size_t)n, f);
    fclose(f);
    return s;
}

/* One to four of: a byte changed, a stretch taken out, doubled, or taken from another seed. */
static size_t mutate(uint64_t *rng, uint8_t *to, const seed *from, const seed *other) {
    size_t n = from->n;
    memcpy(to, from->p, n);
    for (size_t k = below(rng, 4) + 1; k && n; k--) {
        const size_t at = below(rng, n), len = ws_min(below(rng, 12) + 1, n - at);
        switch (below(rng, 5)) {
        case 0: to[at] = (uint8_t)rnd(rng); break;
        case 1: to[at] = (uint8_t)"\t\n\r >@+#/0-9.~\x1f\0"[below(rng, 17)]; break;
        case 2:
            memmove(to + at, to + at + len, n - at - len);
            n -= len;
            break;
        case 3:
            if (n + len > from->n + GROWTH) break;
            memmove(to + at + len, to + at, n - at);
            n += len;
            break;
        default:
            if (other->n)
                memcpy(to + at, other->p + below(rng, other->n - ws_min(len, other->n) + 1), ws_min(len, other->n));
        }
    }
    return n;
}

static int replay(tap *t, seed *all, const char *pattern, const char *what) {
    glob_t g;
    int n = 0;
    if (glob(pattern, 0, NULL, &g)) return 0;
    for (; n < (int)g.gl_pathc && n < SEED_MAX; n++) {
        all[n] = load(g.gl_pathv[n]);
        (void)LLVMFuzzerTestOneInput(all[n].p, all[n].n);
    }
    globfree(&g);
    tap_ok(t, n > 0, "%s: %d %s", ws_fuzz_name, n, what);
    return n;
}

int main(int argc, char **argv) {
    static seed all[2 * SEED_MAX];
    tap t = {0};
    char pattern[256];
    for (int i = 1; i < argc; i++) {
        const seed s = load(argv[i]);
        (void)LLVMFuzzerTestOneInput(s.p, s.n);
        free(s.p);
    }
    if (argc > 1) return 0;
    snprintf(pattern, sizeof pattern, "tests/fuzz/seeds/%s/*", ws_fuzz_name);
    int n = replay(&t, all, pattern, "seeds");
    must(n > 0, "no seeds: run this from the top of the tree");
    snprintf(pattern, sizeof pattern, "tests/fuzz/cases/%s/*", ws_fuzz_name);
    n += replay(&t, all + n, pattern, "cases that once failed");

    const char *runs = getenv("WARPSIEVE_FUZZ_RUNS");
    const long count = (runs ? strtol(runs, NULL, 10) : 200000) / (&ws_fuzz_cost ? ws_fuzz_cost : 1);
    uint64_t rng = 8;
    for (long i = 0; i < count; i++) {
        const seed *s = &all[below(&rng, (size_t)n)];
        uint8_t *text = malloc(s->n + GROWTH);
        must(text != NULL, "memory");
        const size_t len = mutate(&rng, text, s, &all[below(&rng, (size_t)n)]);
        uint8_t *exact = fuzz_copy(text, len);
        (void)LLVMFuzzerTestOneInput(exact, len);
        free(exact);
        free(text);
    }
    tap_ok(&t, 1, "%s: %ld mutations", ws_fuzz_name, count);
    for (int i = 0; i < n; i++) free(all[i].p);
    return tap_end(&t);
}
