/* SPDX-License-Identifier: MIT
 * The search of long DNA targets against the intermediate values of HMMER 3.4's nhmmer, for every width: the committed
 * subset, and all stage files where they are at hand. The lines are those of the golden README, all of them. */
#include "tests/lib/longsearch.h"

#include <math.h>

/* Whether two lines say the same. nhmmer rounds its odds again after the first envelope that it scores (section 15.2),
 * so numbers of the Forward test and after it may differ in the last of seven digits. */
static int same_line(const char *want, size_t n, const char *got, size_t m) {
    const char *p = want, *q = got;
    if (n == m && memcmp(want, got, n) == 0) return 1;
    if (!strchr("FEH", *want) || *want != *got) return 0;
    for (p++, q++; p < want + n && q < got + m;) {
        char *pe, *qe;
        const double a = strtod(p, &pe), b = strtod(q, &qe);
        if (pe == p || qe == q || fabs(a - b) > 4e-6 * fmax(1.0, fabs(a))) return 0;
        if ((strspn(p + 1, "0123456789") == (size_t)(pe - p - 1)) && a != b) return 0; /* a whole number */
        p = pe;
        q = qe;
    }
    return p == want + n && q == got + m;
}

static void compare(tap *t, const char *name, const char *want, const char *got) {
    size_t lines = 0, bad = 0;
    while (*want || *got) {
        const size_t n = strcspn(want, "\n"), m = strcspn(got, "\n");
        lines++;
        if (!same_line(want, n, got, m) && bad++ < 5)
            tap_note("%s: want %.*s, got %.*s", name, (int)n, want, (int)m, got);
        got += m + (got[m] == '\n');
        want += n + (want[n] == '\n');
    }
    tap_ok(t, bad == 0 && lines > 0, "%s: %zu lines of stages, %zu differ", name, lines, bad);
}

static void check_case(tap *t, const longcase *c, const ws_cpu *cpu, int width) {
    const ws_long_options options = WS_LONG_DEFAULTS;
    const ws_dom_options dom = {.seed = 42};
    search s;
    longtargets targets;
    char name[96];
    open_search(&s, c->model, cpu, width, &options, &dom);
    longtargets_read(&targets, c->targets, s.hmm->abc);
    for (size_t j = 0; j < targets.n; j++) search_record(&s, &targets.r[j], j);
    SAY(&s, "%s", "");
    char *want = golden_text(c->stages);
    snprintf(name, sizeof name, "%s, %s", c->name, ws_width_name[width]);
    compare(t, name, want, s.text.p);
    ws_free(want);
    longtargets_release(&targets);
    close_search(&s);
}

int main(int argc, char **argv) {
    tap t = {0};
    ws_cpu cpu;
    longcase c;
    const char *depth = getenv("WARPSIEVE_TESTS");
    ws_cpu_probe(&cpu);
    for (int j = 0; longcase_next(&c, &j, !depth || strcmp(depth, "quick") != 0);)
        for (int w = 0; w < WS_NWIDTH; w++)
            if (!cpu.why_not[w] && (argc < 2 || strstr(c.name, argv[1]))) check_case(&t, &c, &cpu, w);
    return tap_end(&t);
}
