/* SPDX-License-Identifier: MIT
 * The files of tests/data/plan, for tests/lib/simulate.c: works and machines. */
#ifndef WS_TESTS_SIMULATOR_FILES_H
#define WS_TESTS_SIMULATOR_FILES_H

#include "tests/lib/simulator.h"

#include <stdio.h>

/* Returns the next word of a line as a number. */
static double number(char **line) {
    char *end;
    const double x = strtod(*line, &end);
    if (end == *line) {
        printf("Bail out! a number was expected: %s\n", *line);
        exit(1);
    }
    *line = end;
    return x;
}

static FILE *open_file(const char *folder, const char *name, const char *suffix) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *f = fopen(path, "r");
    if (f) return f;
    printf("Bail out! %s cannot be read\n", path);
    exit(1);
}

/* Returns the line's rest behind its first word, if that is this word. */
static char *behind(char *line, const char *word) {
    const size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && line[n] == ' ' ? line + n : NULL;
}

static void read_numbers(char **line, int n, double *a, double *b, double *c) {
    double *const to[] = {a, b, c};
    for (int i = 0; i < n; i++) *to[i] = number(line);
}

/* Makes a work so many times as large. */
static void repeat(sim_work *w, double times) {
    w->seqs *= times;
    w->residues *= times;
    w->from_regions *= times;
    for (int k = 0; k < KINDS; k++) {
        w->n[k] *= times;
        w->cells[k] *= times;
    }
}

/* Reads what a search took: machine, backend, seconds. */
static void read_measured(sim_work *w, const char *line) {
    struct sim_measured *m = &w->measured[w->nmeasured];
    w->nmeasured += sscanf(line, "%31s %31s %lf", m->machine, m->backend, &m->seconds) == 3;
}

/* Reads a work. "times N" at its end: the input is so many times as large as the recorded one. */
static void read_work(sim_work *w, const char *folder, const char *name) {
    static const char *const kind[] = {"msv", "vit", "fwd", "parse", "ensemble", "envelope"};
    FILE *f = open_file(folder, name, ".work");
    char line[1024], *at;
    *w = (sim_work){0};
    snprintf(w->name, sizeof w->name, "%s", name);
    while (fgets(line, sizeof line, f)) {
        if ((at = behind(line, "models"))) read_numbers(&at, 2, &w->models, &w->nodes, NULL);
        if ((at = behind(line, "sequences"))) read_numbers(&at, 3, &w->seqs, &w->residues, &w->read);
        if ((at = behind(line, "from_ensembles"))) w->from_regions = number(&at);
        if ((at = behind(line, "measured"))) read_measured(w, at);
        if ((at = behind(line, "start"))) read_numbers(&at, 2, &w->start[0], &w->start[1], NULL);
        if ((at = behind(line, "end"))) read_numbers(&at, 2, &w->end[0], &w->end[1], NULL);
        if ((at = behind(line, "times"))) repeat(w, number(&at));
        for (int k = 0; k < KINDS; k++) {
            if (!(at = behind(line, kind[k]))) continue;
            read_numbers(&at, 2, &w->n[k], &w->cells[k], NULL);
            for (int q = 0; q < TENTHS && k >= PARSE; q++) w->tenth[k][q] = number(&at);
            if (k >= PARSE) w->longest[k] = number(&at);
        }
    }
    fclose(f);
}

/* Reads the machines. Returns how many there are. */
static int read_machines(sim_machine *m, int most, const char *folder) {
    FILE *f = open_file(folder, "machines", "");
    char line[1024];
    int n = 0;
    while (n < most && fgets(line, sizeof line, f)) {
        char *at = line + strcspn(line, " ");
        sim_machine *x = &m[n];
        if (*line == '#' || *line == '\n') continue;
        snprintf(x->name, sizeof x->name, "%.*s", (int)(at - line), line);
        at += strspn(at, " ");
        snprintf(x->width, sizeof x->width, "%.*s", (int)strcspn(at, " "), at);
        at += strcspn(at, " ");
        x->capability = (int)number(&at);
        x->threads = (int)number(&at);
        x->devices = (int)number(&at);
        x->streams = (int)number(&at);
        for (int k = 0; k < KINDS; k++) x->cpu[k] = number(&at);
        for (int k = 0; k < KINDS; k++) x->device[k] = number(&at);
        double *const rest[] = {&x->wake, &x->open, &x->close, &x->call, &x->serial, &x->unpack, &x->look, &x->region};
        for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) *rest[k] = number(&at);
        for (int k = 0; k < SIM_DEVICES; k++) x->part[k] = 1;
        n++;
    }
    fclose(f);
    return n;
}

#endif
