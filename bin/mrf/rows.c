/* SPDX-License-Identifier: MIT
 * The table and the labels: see bin/mrf/program.h. */
#include "bin/mrf/program.h"

#include "lib/compress/deflate.h"

#include <stdio.h>
#include <string.h>

enum { VOLUME, CLASS, VOXELS, ML, MEAN, SD, SWEEPS, ENERGY, CHANGED, LABEL };
static const char *const column_name[WS_MRF_COLUMNS] = {"volume", "class",  "voxels", "ml",      "mean",
                                                        "sd",     "sweeps", "energy", "changed", "label"};
const ws_names ws_mrf_columns = WS_NAMES(column_name);

/* A row's values. */
typedef struct cells {
    const ws_mrf_image *image;
    const ws_mrf_result *r;
    const char *name, *suffix;
    int label;
    uint64_t voxels;
    ws_mrf_gauss gauss; /* in the file's units */
} cells;

/* Appends the file's name without characters that would break a row, and the number of the volume if there are
 * several. */
static int add_volume(const ws_mrf_image *image, ws_buf *out, ws_err *err) {
    const size_t from = out->n;
    int rc = ws_buf_adds(out, image->name, err);
    for (size_t i = from; i < out->n && !rc; i++)
        if ((unsigned char)out->p[i] < ' ') out->p[i] = '?';
    return rc || image->header.T == 1 ? rc : ws_buf_addf(out, err, "[%llu]", (unsigned long long)image->index);
}

static int add_cell(const cells *c, int column, ws_buf *out, ws_err *err) {
    const double *mm = c->image->header.mm, ml = mm[0] * mm[1] * mm[2] / 1000;
    switch (column) {
    case VOLUME: return add_volume(c->image, out, err);
    case CLASS: return ws_buf_addf(out, err, "%s%s", c->name, c->suffix);
    case VOXELS: return ws_buf_addf(out, err, "%llu", (unsigned long long)c->voxels);
    case ML: return ml > 0 ? ws_buf_addf(out, err, "%.6g", (double)c->voxels * ml) : WS_OK;
    case MEAN: return ws_buf_addf(out, err, "%.9g", c->gauss.mean);
    case SD: return ws_buf_addf(out, err, "%.9g", c->gauss.sd);
    case SWEEPS: return ws_buf_addf(out, err, "%llu", (unsigned long long)c->r->sweeps);
    case ENERGY: return ws_buf_addf(out, err, "%.6f", (double)c->r->fall / WS_MRF_ONE);
    case CHANGED: return ws_buf_addf(out, err, "%llu", (unsigned long long)c->r->changed);
    default: return ws_buf_addf(out, err, "%d", c->label);
    }
}

static int add_row(const ws_mrf_plan *p, const cells *c, ws_outtext *out, ws_err *err) {
    int rc = WS_OK;
    for (int i = 0; i < p->ncolumn && !rc; i++) {
        rc = i ? ws_buf_add(&out->text, "\t", 1, err) : WS_OK;
        if (!rc) rc = add_cell(c, p->column[i], &out->text, err);
    }
    if (!rc) rc = ws_buf_add(&out->text, "\n", 1, err);
    out->rows += !rc;
    return rc;
}

int ws_mrf_rows(const ws_mrf_plan *p, const ws_mrf_image *image, const ws_mrf_scale *scale, const ws_mrf_result *r,
                const ws_mrf_order *order, const ws_mrf_kept *kept, ws_outtext *out, ws_err *err) {
    int rc = WS_OK;
    cells c = {.image = image, .r = r, .suffix = ""};
    for (int k = 0; k < p->conf.K && !rc; k++) {
        const int class = order->class[k];
        c.name = p->name[k];
        c.label = ws_mrf_first_label(p) + k;
        c.voxels = r->sums[class].n;
        c.gauss = ws_mrf_in_units(scale, r->gauss[class]);
        rc = add_row(p, &c, out, err);
    }
    if (rc || !p->seeded) return rc;
    c.name = p->name[kept->label - ws_mrf_first_label(p)], c.suffix = ":component"; /* no name has a colon */
    c.label = kept->label;
    c.voxels = kept->sums.n;
    c.gauss = ws_mrf_in_units(scale, ws_mrf_gauss_of(&kept->sums));
    return add_row(p, &c, out, err);
}

void ws_mrf_describe(const ws_mrf_plan *p, char text[WS_NIFTI_DESCRIPTION]) {
    static const char more[] = ", ...";
    const size_t most = WS_NIFTI_DESCRIPTION;
    const int first = ws_mrf_first_label(p);
    size_t n = (size_t)snprintf(text, most, "mrfseg: %s", first ? "0 outside" : "");
    if (!p->given) {
        snprintf(text + n, most - n, "%s%d classes by mean", first ? ", " : "", p->conf.K);
        return;
    }
    for (int k = 0; k < p->conf.K; k++) {
        const size_t room = most - n - (k + 1 < p->conf.K ? sizeof more - 1 : 0);
        const int size = snprintf(text + n, room, "%s%d %s", k + first ? ", " : "", k + first, p->name[k]);
        if ((size_t)size >= room) {
            memcpy(text + n, more, sizeof more);
            return;
        }
        n += (size_t)size;
    }
}

int ws_mrf_add_labels(const ws_mrf_plan *p, const ws_mrf_image *image, const uint8_t *label, ws_buf *out, ws_err *err) {
    int (*const add)(ws_buf *, const void *, size_t, ws_err *) = p->gzip ? ws_gzip_add : ws_buf_add;
    const ws_nifti *h = &image->header;
    uint8_t header[WS_NIFTI_DATA];
    char description[WS_NIFTI_DESCRIPTION];
    int rc = WS_OK;
    ws_mrf_describe(p, description);
    ws_nifti_labels(h, description, header);
    if (image->index == 0) rc = add(out, header, sizeof header, err);
    return rc ? rc : add(out, label, h->X * h->Y * h->Z, err);
}
