/* SPDX-License-Identifier: MIT
 * The wishes of a user of mrfseg, and its output: between the options, the reader and the writer of the tool. */
#ifndef WS_VOLUMES_PROGRAM_H
#define WS_VOLUMES_PROGRAM_H

#include "bin/mrf/input.h"
#include "bin/mrf/mask.h"
#include "bin/mrf/values.h"
#include "lib/base/opt.h"
#include "lib/run/job.h"

/* ---- options (options.c) ---- */

/* Values of the table ws_mrf_opts. */
typedef struct ws_mrf_options {
    ws_opt_list class_list;
    long long classes, random_seed, sweeps;
    int classes_given, beta_given, fixed, neighbours, rule, boundary, nii;
    double beta_in, beta_out, xi, eps;
    const char *seed, *labels, *mask, *probabilities;
    uint64_t batch; /* a common option that has no meaning here */
} ws_mrf_options;

extern const ws_opt ws_mrf_opts[];
void ws_mrf_defaults(void *options);

enum { WS_MRF_COLUMNS = 10 };
extern const ws_names ws_mrf_columns;

/* The options, understood. Zero-initialise; release with ws_mrf_plan_release. */
typedef struct ws_mrf_plan {
    ws_mrf_conf conf;
    int given;                          /* the classes have names and models */
    char *name[WS_MRF_CLASSES];         /* in the order of labels */
    ws_mrf_gauss gauss[WS_MRF_CLASSES]; /* in the file's units */
    int seeded, boundary;
    unsigned long long seed[3]; /* voxel x, y, z */
    int table, labels, gzip;    /* what is made: rows; labels, compressed */
    int probabilities, gzip_probabilities;
    int column[WS_MRF_COLUMNS], ncolumn; /* of the table, by number */
    const char *mask_path;               /* NULL: none */
    ws_mrf_mask mask;                    /* read by open */
} ws_mrf_plan;

/* Makes *p of the options. WS_EUSAGE, WS_ENOMEM. */
int ws_mrf_plan_make(ws_mrf_plan *p, const ws_mrf_options *o, const ws_common *common, ws_err *err);
void ws_mrf_plan_release(ws_mrf_plan *p);

/* Returns the label of the first class: outside of a mask labels are 0. */
static inline int ws_mrf_first_label(const ws_mrf_plan *p) { return p->mask_path != NULL; }

/* ---- results of a segmented volume (results.c) ---- */

/* The order of the classes in the output. */
typedef struct ws_mrf_order {
    uint8_t class[WS_MRF_CLASSES];     /* by place */
    uint8_t label[WS_MRF_OUTSIDE + 1]; /* by class; 0 of WS_MRF_OUTSIDE */
} ws_mrf_order;

/* Sets the order: that of the options of classes that were given, else that of the means in the file's units. */
void ws_mrf_order_of(const ws_mrf_plan *p, const ws_mrf_scale *scale, const ws_mrf_result *r, ws_mrf_order *order);

/* Returns WS_EDATA with a sentence if the seed lies outside of v. */
int ws_mrf_check_seed(const ws_mrf_plan *p, const ws_mrf_volume *v, ws_err *err);

/* The component of the seed, and its class. */
typedef struct ws_mrf_kept {
    int label;
    ws_mrf_sums sums;
} ws_mrf_kept;

/* Makes in *out the labels of a volume, one byte each with x fastest; with a seed only those of its component, which
 * *kept then describes, or of the boundary. WS_EDATA if the seed has the label 0; WS_ENOMEM. */
int ws_mrf_make_labels(const ws_mrf_plan *p, const ws_mrf_volume *v, const ws_mrf_order *order, ws_buf *out,
                       ws_mrf_kept *kept, ws_err *err);

/* Makes in *out the header and the values of a file of the classes' probabilities. WS_ENOMEM is the only failure. */
int ws_mrf_make_probabilities(const ws_mrf_plan *p, const ws_mrf_image *image, const ws_mrf_volume *v,
                              const ws_mrf_result *r, const ws_mrf_order *order, int threads, ws_mrf_work *w,
                              ws_buf *out, ws_err *err);

/* ---- output (rows.c) ---- */

/* Adds the rows of a volume: its classes, and with a seed the component. WS_ENOMEM is the only failure. */
int ws_mrf_rows(const ws_mrf_plan *p, const ws_mrf_image *image, const ws_mrf_scale *scale, const ws_mrf_result *r,
                const ws_mrf_order *order, const ws_mrf_kept *kept, ws_outtext *out, ws_err *err);
/* Writes which label is which class: as many names as have room. */
void ws_mrf_describe(const ws_mrf_plan *p, char text[WS_NIFTI_DESCRIPTION]);
/* Adds the labels of a volume, the header before the first of a file. The same failure. */
int ws_mrf_add_labels(const ws_mrf_plan *p, const ws_mrf_image *image, const uint8_t *label, ws_buf *out, ws_err *err);

#endif
