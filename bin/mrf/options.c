/* SPDX-License-Identifier: MIT
 * The options of mrfseg: see bin/mrf/program.h. */
#include "bin/mrf/program.h"


#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(ws_mrf_options, field)
#define PLAIN .given = WS_OPT_NOGIVEN
#define SCORE .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT

static const char *const out_formats[] = {"tsv", "nii", NULL};
#define NAME(size, colours, reach) #size,
static const char *const neighbourhoods[] = {WS_MRF_NEIGHBOURHOODS(NAME) NULL};
static const char *const rules[] = {"icm", "random", NULL}; /* the numbers of ws_mrf_rule */

const ws_opt ws_mrf_opts[] = {
    {0, "class", NULL, WS_OPT_LIST, AT(class_list), "CLASS",
     "a class as NAME:MEAN:SD, in the file's units; once for each class", SCORE, PLAIN},
    {0, "classes", NULL, WS_OPT_INT, AT(classes), "K", "find K classes from the values alone", .min = 2,
     .max = WS_MRF_CLASSES, SCORE, .given = AT(classes_given)},
    {0, "fixed", NULL, WS_OPT_FLAG, AT(fixed), NULL, "hold the means and deviations of --class", SCORE, PLAIN},
    {0, "neighbours", NULL, WS_OPT_CHOICE, AT(neighbours), "N",
     "voxels that share a face (6), or an edge (18), or a corner (26) [6]", .choices = neighbourhoods, SCORE, PLAIN},
    {0, "beta-in", NULL, WS_OPT_REAL, AT(beta_in), "X", "energy that a neighbour of the same class takes away [3 / N]",
     .min = -WS_MRF_BETA_MAX, .max = WS_MRF_BETA_MAX, SCORE, .given = AT(beta_given)},
    {0, "beta-out", NULL, WS_OPT_REAL, AT(beta_out), "X", "energy that a neighbour of another class takes away [0]",
     .min = -WS_MRF_BETA_MAX, .max = WS_MRF_BETA_MAX, SCORE, PLAIN},
    {0, "rule", NULL, WS_OPT_CHOICE, AT(rule), "RULE",
     "a voxel may take the best class (icm) or one drawn by lot (random) [icm]", .choices = rules, SCORE, PLAIN},
    {0, "xi", NULL, WS_OPT_REAL, AT(xi), "X", "a voxel changes if its energy falls by more than X [0]",
     .max = WS_MRF_XI_MAX, SCORE, PLAIN},
    {0, "random-seed", NULL, WS_OPT_INT, AT(random_seed), "N", "seed of the random numbers [42]", .max = 9e18, SCORE,
     PLAIN},
    {0, "sweeps", NULL, WS_OPT_INT, AT(sweeps), "N", "make at most N sweeps [50]", .max = 1e9, SCORE, PLAIN},
    {0, "eps", NULL, WS_OPT_REAL, AT(eps), "X",
     "stop after a sweep that lowers the mean energy of a voxel by at most X [1e-4]", .max = 1e6, SCORE, PLAIN},
    {0, "mask", NULL, WS_OPT_STRING, AT(mask), "FILE",
     "segment only the voxels that are not 0 in FILE (NIfTI-1): labels begin with 1, and 0 is outside",
     .group = WS_GROUP_INPUT, .flags = WS_OPT_RESULT, PLAIN},
    {0, "seed", NULL, WS_OPT_STRING, AT(seed), "VOXEL",
     "keep the component of voxel X,Y,Z, counted from 0; all else becomes 0", .group = WS_GROUP_FILTER,
     .flags = WS_OPT_RESULT, PLAIN},
    {0, "boundary", NULL, WS_OPT_FLAG, AT(boundary), NULL,
     "keep only voxels that share a face with another label; all else becomes 0",
     .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT, PLAIN},
    {0, "labels", NULL, WS_OPT_STRING, AT(labels), "FILE",
     "also write the labels to FILE, as NIfTI-1; a name in .gz compresses it", .group = WS_GROUP_OUTPUT, PLAIN},
    {0, "probabilities", NULL, WS_OPT_STRING, AT(probabilities), "FILE",
     "also write the probabilities to FILE, as NIfTI-1 with a volume for each class; a name in .gz compresses it",
     .group = WS_GROUP_OUTPUT, PLAIN},
    {'O', "out-format", NULL, WS_OPT_CHOICE, AT(nii), "FORMAT", "write tsv (the table) or nii (the labels) [tsv]",
     .choices = out_formats, .group = WS_GROUP_OUTPUT, PLAIN},
    {'K', "batch", NULL, WS_OPT_SIZE, AT(batch), "SIZE", "", .flags = WS_OPT_HIDDEN, PLAIN},
    WS_OPT_END,
};

void ws_mrf_defaults(void *options) {
    ws_mrf_options *o = options;
    o->random_seed = 42;
    o->sweeps = 50;
    o->eps = 1e-4;
}

/* ---- classes ---- */

static int bad_class(const char *text, const char *what, ws_err *err) {
    char q[WS_QUOTE_MAX];
    return ws_fail(err, WS_EUSAGE, "--class: found \"%s\", expected NAME:MEAN:SD, %s", ws_quote(q, text, strlen(text)),
                   what);
}

/* Reads a number up to `end`. */
static int parse_number(const char *p, const char *end, double *v) {
    char *stop;
    *v = strtod(p, &stop);
    return stop == end && stop > p && isfinite(*v);
}

static int parse_class(ws_mrf_plan *p, const char *text, ws_err *err) {
    const char *mean = strchr(text, ':'), *sd = mean ? strchr(mean + 1, ':') : NULL, *end = text + strlen(text);
    const int c = p->conf.K;
    if (!sd || strchr(sd + 1, ':')) return bad_class(text, "with two colons", err);
    if (mean == text) return bad_class(text, "with a name", err);
    for (const char *n = text; n < mean; n++)
        if ((unsigned char)*n < ' ' || *n == 0x7f)
            return bad_class(text, "with a name of one line and without tabs", err);
    if (!parse_number(mean + 1, sd, &p->gauss[c].mean)) return bad_class(text, "with a number for MEAN", err);
    if (!parse_number(sd + 1, end, &p->gauss[c].sd) || p->gauss[c].sd <= 0)
        return bad_class(text, "with a number above 0 for SD", err);
    p->name[c] = ws_strndup(text, (size_t)(mean - text), err);
    if (!p->name[c]) return WS_ENOMEM;
    for (int k = 0; k < c; k++)
        if (strcmp(p->name[k], p->name[c]) == 0) return bad_class(text, "with a name that no other class has", err);
    p->conf.K++;
    return WS_OK;
}

static int number_classes(ws_mrf_plan *p, int K, ws_err *err) {
    for (; p->conf.K < K; p->conf.K++) {
        ws_buf name = {0};
        if (ws_buf_addf(&name, err, "%d", ws_mrf_first_label(p) + p->conf.K)) return WS_ENOMEM;
        p->name[p->conf.K] = name.p;
    }
    return WS_OK;
}

static int make_classes(ws_mrf_plan *p, const ws_mrf_options *o, ws_err *err) {
    const int n = o->class_list.n;
    if (n > 0 && o->classes_given) return ws_fail(err, WS_EUSAGE, "--class and --classes: expected one of them");
    if (n == 0 && !o->classes_given)
        return ws_fail(err, WS_EUSAGE, "expected classes: --class for each one, or their number with --classes");
    if (o->fixed && n == 0) return ws_fail(err, WS_EUSAGE, "--fixed holds the means of --class, found none");
    p->given = n > 0;
    if (!p->given) return number_classes(p, (int)o->classes, err);
    int rc = WS_OK;
    for (int i = 0; i < n && !rc; i++) rc = parse_class(p, o->class_list.value[i], err);
    return rc;
}

/* ---- the rest ---- */

static int parse_seed(ws_mrf_plan *p, const char *text, ws_err *err) {
    const char *at = text;
    char q[WS_QUOTE_MAX], *end;
    for (int i = 0; i < 3; i++) {
        if (*at < '0' || *at > '9' || strspn(at, "0123456789") > 9) break;
        p->seed[i] = strtoull(at, &end, 10);
        at = end;
        if (i < 2 && *at++ != ',') break;
        p->seeded = i == 2 && *at == '\0';
    }
    if (p->seeded) return WS_OK;
    return ws_fail(err, WS_EUSAGE, "--seed: expected a voxel as X,Y,Z, counted from 0, found \"%s\"",
                   ws_quote(q, text, strlen(text)));
}

static int ends_in_gz(const char *path) {
    const size_t n = path ? strlen(path) : 0;
    return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

static int refuse(const ws_mrf_options *o, ws_err *err) {
    if (o->batch) return ws_fail(err, WS_EUSAGE, "--batch has no meaning here: a volume is taken at once");
    if (o->boundary && !o->labels && !o->nii)
        return ws_fail(err, WS_EUSAGE, "--boundary is about labels, so it goes with --labels or --out-format nii");
    if (o->labels && o->nii)
        return ws_fail(err, WS_EUSAGE, "--labels and --out-format nii both write the labels: expected one of them");
    return WS_OK;
}

int ws_mrf_plan_make(ws_mrf_plan *p, const ws_mrf_options *o, const ws_common *common, ws_err *err) {
#define SIZE(size, colours, reach) size,
    static const int sizes[] = {WS_MRF_NEIGHBOURHOODS(SIZE)};
    int rc = refuse(o, err);
    p->mask_path = o->mask;
    if (!rc) rc = make_classes(p, o, err);
    if (!rc && o->seed) rc = parse_seed(p, o->seed, err);
    if (!rc && o->nii && common->fields)
        rc = ws_fail(err, WS_EUSAGE, "--fields is about columns of a table, so it goes with --out-format tsv only");
    if (!rc) rc = ws_fields_choose(common->fields, &ws_mrf_columns, p->column, WS_MRF_COLUMNS, &p->ncolumn, err);
    p->conf.neighbours = sizes[o->neighbours];
    p->conf.fixed = o->fixed;
    p->conf.rule = (ws_mrf_rule)o->rule;
    p->conf.in = ws_mrf_energy(o->beta_given ? o->beta_in : WS_MRF_BETA_ALL / p->conf.neighbours);
    p->conf.out = ws_mrf_energy(o->beta_out);
    p->conf.xi = ws_mrf_energy(o->xi);
    p->conf.seed = (uint64_t)o->random_seed;
    p->conf.sweeps = (uint64_t)o->sweeps;
    p->conf.eps = o->eps;
    p->boundary = o->boundary;
    p->table = !o->nii;
    p->labels = o->nii || o->labels;
    p->gzip = ends_in_gz(o->nii ? common->output : o->labels);
    p->probabilities = o->probabilities != NULL;
    p->gzip_probabilities = ends_in_gz(o->probabilities);
    return rc;
}

void ws_mrf_plan_release(ws_mrf_plan *p) {
    for (int c = 0; c < WS_MRF_CLASSES; c++) ws_free(p->name[c]);
    ws_mrf_mask_release(&p->mask);
}
