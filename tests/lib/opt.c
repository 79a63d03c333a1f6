/* SPDX-License-Identifier: MIT
 * Values of options as people write them: sizes and their units, ranges. */
#include "lib/base/opt.h"

#include "tests/tap.h"

#include <string.h>

typedef struct values {
    uint64_t size;
    long long n;
} values;

static const ws_opt opts[] = {
    {'K', "batch", NULL, WS_OPT_SIZE, offsetof(values, size), "SIZE", "a size", .min = 1, .max = 1e12,
     .given = WS_OPT_NOGIVEN},
    {'t', "threads", NULL, WS_OPT_INT, offsetof(values, n), "N", "a number", .min = 0, .max = 10,
     .given = WS_OPT_NOGIVEN},
    WS_OPT_END,
};

static int parse(const char *letter, const char *text, values *v, ws_err *err) {
    const char *argv[] = {"tool", letter, text, NULL};
    const ws_opt_table tab = {.opt = opts, .values = v};
    ws_cmdline cl = {0};
    *v = (values){0};
    int rc = ws_opt_parse(&cl, &tab, 1, 3, (char **)(uintptr_t)argv, err);
    ws_cmdline_release(&cl);
    return rc;
}

int main(void) {
    static const struct {
        const char *text;
        uint64_t size; /* 0: refused */
    } v[] = {{"1", 1},         {"5", 5},           {"2K", 2000},        {"2k", 2000},   {"2Ki", 2048},  {"3M", 3000000},
             {"3Mi", 3145728}, {"1G", 1000000000}, {"1Gi", 1073741824}, {"1.5K", 1500}, {"0.5Ki", 512}, {"0", 0},
             {"2000G", 0},     {"K", 0},           {"1X", 0},           {"1Kb", 0},     {"-1", 0},      {"", 0}};
    tap t = {0};
    values got;
    ws_err err = {0};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        const int rc = parse("-K", v[i].text, &got, &err);
        if (!tap_ok(&t, v[i].size ? !rc && got.size == v[i].size : rc == WS_EUSAGE, "size \"%s\": %llu", v[i].text,
                    (unsigned long long)v[i].size))
            tap_note("rc %d, %llu", rc, (unsigned long long)got.size);
    }
    tap_ok(&t, !parse("-t", "10", &got, &err) && got.n == 10, "the end of a range is in it");
    tap_ok(&t, parse("-t", "11", &got, &err) == WS_EUSAGE && strstr(err.text, "threads"),
           "more is not, and the sentence names the option");
    return tap_end(&t);
}
