/* SPDX-License-Identifier: MIT
 * Segmentation of a volume by a Markov random field (mrf.md): volumes, classes, sweeps and what follows them.
 * README.md has the recurrence, the ranges of the numbers and the memory layout. */
#ifndef WS_MRF_H
#define WS_MRF_H

#include "kernels/mrf/gauss.h"
#include "lib/base/mem.h"
#include "lib/simd/width.h"

enum {
    WS_MRF_CLASSES = 64,    /* at most */
    WS_MRF_CODES = 65536,   /* codes have 16 bits */
    WS_MRF_OUTSIDE = 255,   /* the label around the volume, and outside of its mask: no class */
    WS_MRF_NEIGHBOURS = 26, /* at most */
    WS_MRF_BETA_MAX = 100,  /* of |beta_in| and |beta_out|: energies and their differences fit 32 bits */
    WS_MRF_XI_MAX = 10000   /* xi fits 32 bits */
};
#define WS_MRF_BETA_ALL 3.0 /* beta_in of all neighbours together, where the user does not say */
#define WS_MRF_VOXELS_MAX (UINT64_C(1) << 31) /* of a volume: its sums fit 64 bits */

/* ---- a volume (volume.c) ---- */

/* Codes and labels of a volume in the layout of the kernels, X x Y x Z voxels, whose axes may be those of the file in
 * another order: rows lie along a long axis, so that memory follows the voxels, whatever the shape. Each row is cut
 * into two halves, the voxels of even x and those of odd x: voxel (2j + h, y, z) is number j of half h. Labels have a
 * border of WS_MRF_OUTSIDE on all sides, and neighbouring rows, slices and halves share it. Zero-initialise; release
 * with ws_mrf_volume_release. */
typedef struct ws_mrf_volume {
    size_t X, Y, Z, n; /* of the layout; n: voxels */
    size_t size[3];    /* of the file: voxels along its x, y and z */
    int axis[3];       /* the layout's x, y and z in the file */
    size_t step[3];    /* from a voxel to the next along them, in voxels of the file */
    size_t stride;     /* from one half row to the next, more than half a row */
    uint32_t top;      /* no code is greater */
    uint16_t *code;    /* [ncode], where ws_mrf_code_at says; 0 between the rows and outside of the mask */
    uint8_t *label;    /* [places], where ws_mrf_row_at says; NULL before the first segmentation */
    size_t places;     /* of labels, with border and what a vector may read after them */
    size_t ncode, code_cap, label_cap;
    const uint8_t *mask; /* [n] as in the file, 0 outside; the caller's; NULL: all voxels are inside */
    size_t inside;       /* voxels inside of the mask */
} ws_mrf_volume;

/* Gives v the shape of a file's volume of X x Y x Z voxels: codes are 0, there are no labels, and there is no mask. All
 * sizes are at least 1, and the volume has at most WS_MRF_VOXELS_MAX voxels. WS_ENOMEM is the only failure. Keeps the
 * memory of an earlier shape. */
int ws_mrf_volume_shape(ws_mrf_volume *v, size_t X, size_t Y, size_t Z, ws_err *err);
void ws_mrf_volume_release(ws_mrf_volume *v);
/* Leaves the voxels i with mask[i] == 0 out: they get no class, are no neighbours and are not counted. mask[0..n) stays
 * the caller's as long as v has this shape. To be done before codes are set; at least one voxel must be inside. */
void ws_mrf_volume_mask(ws_mrf_volume *v, const uint8_t *mask);
/* Makes all labels WS_MRF_OUTSIDE. WS_ENOMEM is the only failure. */
int ws_mrf_labels_clear(ws_mrf_volume *v, ws_err *err);
/* Sets the codes of the file's row (y, z) from q[0..size[0]), outside of the mask to 0. A caller that sets all rows
 * sets v->top, too. */
void ws_mrf_volume_put(ws_mrf_volume *v, size_t y, size_t z, const uint16_t *q);
/* Copies the labels of the file's row (y, z) to out[0..size[0]), WS_MRF_OUTSIDE outside of the mask. */
void ws_mrf_labels_get(const ws_mrf_volume *v, size_t y, size_t z, uint8_t *out);

/* The places of a file's row among the labels: voxel x is at[x % 2] + x / 2 * step[0] + x * step[1]. */
typedef struct ws_mrf_line {
    size_t at[2], step[2];
} ws_mrf_line;
ws_mrf_line ws_mrf_line_of(const ws_mrf_volume *v, size_t y, size_t z);
static inline size_t ws_mrf_line_at(const ws_mrf_line *l, size_t x) {
    return l->at[x % 2] + x / 2 * l->step[0] + x * l->step[1];
}

/* Returns how many voxels of a row are in half h. */
static inline size_t ws_mrf_half_size(const ws_mrf_volume *v, int h) { return (v->X + 1 - (size_t)h) / 2; }
/* Return places from a slice of half rows to the next; before the first code, since a border has none. */
static inline size_t ws_mrf_plane(const ws_mrf_volume *v) { return (v->Y + 1) * v->stride; }
static inline size_t ws_mrf_skipped(const ws_mrf_volume *v) { return ws_mrf_plane(v); }
/* Returns the index in v->label of the first voxel of half h of row (y, z) of the layout. The border after a row, slice
 * or half is the one before the next. */
static inline size_t ws_mrf_row_at(const ws_mrf_volume *v, int h, size_t y, size_t z) {
    return ((size_t)h * (v->Z + 1) + z + 1) * ws_mrf_plane(v) + (y + 1) * v->stride;
}
/* Returns the same in v->code. */
static inline size_t ws_mrf_code_at(const ws_mrf_volume *v, int h, size_t y, size_t z) {
    return ws_mrf_row_at(v, h, y, z) - ws_mrf_skipped(v);
}
/* Returns the number in the file of voxel (h, y, z) of the layout. Voxel (2j + h, y, z) is 2j step[0] behind it. */
static inline uint64_t ws_mrf_number(const ws_mrf_volume *v, int h, size_t y, size_t z) {
    return (uint64_t)h * v->step[0] + y * v->step[1] + z * v->step[2];
}

/* The neighbourhoods, F(size, colours, reach) for each. size: neighbours of a voxel; reach: steps along axes to the
 * farthest. Two neighbours never have one of the colours: 2 alternate from voxel to voxel, 8 are the places in a cube
 * of 2 x 2 x 2. */
#define WS_MRF_NEIGHBOURHOODS(F) F(6, 2, 1) F(18, 8, 2) F(26, 8, 3)
typedef struct ws_mrf_neighbourhood {
    int size, colours, reach;
} ws_mrf_neighbourhood;
/* Returns the neighbourhood of a size that the list has. */
const ws_mrf_neighbourhood *ws_mrf_neighbourhood_of(int size);

/* Returns the half of row (y, z) that has the voxels of a colour out of `colours`, -1 if none has (mrf.md, section 3).
 * */
static inline int ws_mrf_half_of(int colours, int colour, size_t y, size_t z) {
    if (colours == 2) return (int)(((size_t)colour + y + z) & 1);
    return (int)(y & 1) == (colour >> 1 & 1) && (int)(z & 1) == colour >> 2 ? colour & 1 : -1;
}

/* Returns the colour of the layout that is the file's k-th of `colours`: each of 8 has a bit for each axis. */
static inline int ws_mrf_colour_of(const ws_mrf_volume *v, int colours, int k) {
    if (colours == 2) return k;
    return (k >> v->axis[0] & 1) | (k >> v->axis[1] & 1) << 1 | (k >> v->axis[2] & 1) << 2;
}

/* Sets at[k], k < around->size, so that neighbour k of voxel j of half h of row (y, z) has the label at[k][j]. */
void ws_mrf_neighbours(const ws_mrf_volume *v, const ws_mrf_neighbourhood *around, int h, size_t y, size_t z,
                       const uint8_t *at[WS_MRF_NEIGHBOURS]);

/* ---- classes (classes.c) ---- */

/* Counts the codes of the voxels inside into hist[0..WS_MRF_CODES). */
void ws_mrf_histogram(const ws_mrf_volume *v, uint64_t *hist);
/* Sets first means and deviations of K classes from a histogram of n > 0 voxels (mrf.md, section 5). */
void ws_mrf_first(const uint64_t *hist, uint64_t n, int K, ws_mrf_gauss *gauss);
/* Returns the integers between the rows of a table of K classes. G(c, q) stands at table[q * width + c]. */
static inline size_t ws_mrf_width(int K) { return ((size_t)K + 3) / 4 * 4; }
/* Fills the table of K classes for the codes 0..top. */
void ws_mrf_table(const ws_mrf_gauss *gauss, int K, uint32_t top, int32_t *table);
/* Returns the class of least G in a row of the table, the lowest number among equals. */
int ws_mrf_likeliest(const int32_t *row, int K);

/* ---- sweeps (ref.c, simd.c) ---- */

typedef enum ws_mrf_rule { WS_MRF_ICM, WS_MRF_RANDOM } ws_mrf_rule;

/* The settings of a segmentation. Energies are in units of 1 / WS_MRF_ONE. */
typedef struct ws_mrf_conf {
    int K, neighbours, fixed; /* neighbours: the size of a neighbourhood; fixed: the classes are held */
    ws_mrf_rule rule;
    int32_t in, out, xi;   /* b_in, b_out, xi >= 0 */
    uint64_t seed, sweeps; /* of rule random; at most so many sweeps */
    double eps;
} ws_mrf_conf;

/* Returns floor(x * ONE + 0.5). */
static inline int32_t ws_mrf_energy(double x) { return (int32_t)ws_mrf_floor(x * WS_MRF_ONE + 0.5); }

/* Returns mix(x) of mrf.md, section 3. */
WS_DEVICE static inline uint64_t ws_mrf_mix(uint64_t x) {
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}
/* Returns the class that rule random proposes for voxel i in a sweep. */
WS_DEVICE static inline uint32_t ws_mrf_proposal(uint64_t seed, uint64_t i, uint64_t sweep, uint32_t K) {
    return (uint32_t)((ws_mrf_mix(ws_mrf_mix(seed + i) + sweep) >> 32) * K >> 32);
}

/* The update of one colour's voxels. */
typedef struct ws_mrf_pass {
    ws_mrf_volume *v;
    const ws_mrf_conf *conf;
    const int32_t *table;
    uint64_t sweep; /* from 0 */
    int colour;     /* of the layout */
} ws_mrf_pass;

/* The changes of a pass. */
typedef struct ws_mrf_tally {
    int64_t fall;
    uint64_t changed;
    ws_mrf_sums change[WS_MRF_CLASSES];
} ws_mrf_tally;

/* Counts that a voxel of code q went to another class, and the energy fell. */
static inline void ws_mrf_move(ws_mrf_tally *t, uint64_t q, int from, int to, int32_t fall) {
    ws_mrf_sums *a = &t->change[from], *b = &t->change[to];
    t->fall += fall;
    t->changed++;
    a->n--, a->s1 -= q, a->s2 -= q * q;
    b->n++, b->s1 += q, b->s2 += q * q;
}

/* ---- a whole segmentation (segment.c) ---- */

typedef struct ws_mrf_result {
    ws_mrf_gauss gauss[WS_MRF_CLASSES];
    ws_mrf_sums sums[WS_MRF_CLASSES]; /* of the labels */
    uint64_t sweeps, changed;         /* changed labels, over all sweeps */
    int64_t fall;                     /* of the energy, over all sweeps */
} ws_mrf_result;

/* The code of one width, or of a device. */
typedef struct ws_mrf_body {
    /* Updates the voxels of the pass's colour in rows first .. last-1 of the layout, row (y, z) being number y + Y z,
     * and adds to *t. */
    void (*pass)(const ws_mrf_pass *p, size_t first, size_t last, ws_mrf_tally *t);
    /* Devices have this in place of pass. It makes all sweeps from the labels of v and the classes and sums in *r, and
     * sets both. A failure is WS_EDEV or WS_ENOMEM, and leaves *r as it was. WS_AGAIN: a device was lost, others are
     * left, and labels are of any content. */
    int (*sweeps)(const ws_mrf_conf *conf, ws_mrf_volume *v, ws_mrf_result *r, ws_err *err);
} ws_mrf_body;

WS_DECLARE_WIDTHS(ws_mrf_body, ws_mrf_);
extern const ws_mrf_body ws_mrf_cuda; /* without CUDA it has nothing */

/* Memory of ws_mrf_segment, of one call at a time. Zero-initialise; release with ws_mrf_work_release. */
typedef struct ws_mrf_work {
    uint64_t *hist;
    int32_t *table;
    ws_mrf_tally *tally;
    size_t hist_cap, table_cap, tally_cap;
} ws_mrf_work;
void ws_mrf_work_release(ws_mrf_work *w);

/* Labels v by body b, on up to `threads` threads, and sets *r. If `given`, r->gauss has the first classes; else they
 * come from the histogram. WS_ENOMEM, and of a device WS_EDEV, are the only failures. */
int ws_mrf_segment(const ws_mrf_conf *conf, const ws_mrf_body *b, ws_mrf_volume *v, int given, int threads,
                   ws_mrf_work *w, ws_mrf_result *r, ws_err *err);

#endif
