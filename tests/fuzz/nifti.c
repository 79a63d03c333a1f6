/* SPDX-License-Identifier: MIT
 * Fuzz target: NIfTI-1 headers, and small volumes through their values and two sweeps, by ref.c and by the widest
 * vectors. */
#include "kernels/mrf/after.h"
#include "bin/mrf/values.h"
#include "lib/base/mem.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

const char ws_fuzz_name[] = "nifti";

enum { VOXELS_MAX = 2000 };

static void check_header(const ws_nifti *h) {
    FUZZ_CHECK(h->X >= 1 && h->Y >= 1 && h->Z >= 1 && h->T >= 1 && (uint64_t)h->X * h->Y * h->Z <= WS_MRF_VOXELS_MAX);
    FUZZ_CHECK(h->offset >= WS_NIFTI_DATA && isfinite(h->slope) && h->slope != 0 && isfinite(h->inter));
    FUZZ_CHECK(ws_nifti_volume_size(h) == (uint64_t)h->X * h->Y * h->Z * h->size);
}

/* The labels' header can be read again, with the same geometry. */
static void check_labels(const ws_nifti *h) {
    uint8_t out[WS_NIFTI_DATA];
    ws_nifti again;
    ws_err err;
    ws_nifti_labels(h, "classes", out);
    FUZZ_CHECK(ws_nifti_parse(&again, out, &err) == WS_OK);
    FUZZ_CHECK(again.X == h->X && again.Y == h->Y && again.Z == h->Z && again.T == h->T && again.foreign == h->foreign);
    FUZZ_CHECK(again.type == WS_NIFTI_UINT8 && again.slope == 1 && !memcmp(again.mm, h->mm, sizeof h->mm));
}

static void segment(const ws_nifti *h, const uint8_t *p) {
    static const ws_mrf_body *const bodies[] = {WS_BY_WIDTH(ws_mrf_)};
    const ws_mrf_conf conf = {.K = 3, .neighbours = h->X % 2 ? 6 : 26, .in = 30000, .sweeps = 2};
    ws_mrf_result r[2];
    ws_mrf_volume v[2] = {{0}, {0}};
    ws_mrf_work work = {0};
    ws_cpu cpu;
    ws_err err;
    int rc = WS_OK;
    uint8_t *mask = malloc((size_t)h->X * h->Y * h->Z); /* most voxels, if Z is odd */
    FUZZ_CHECK(mask);
    for (size_t i = 0; i < (size_t)h->X * h->Y * h->Z; i++) mask[i] = !i || p[i % ws_nifti_volume_size(h)] % 4;
    ws_cpu_probe(&cpu);
    for (int k = 0; k < 2 && !rc; k++) {
        ws_mrf_scale scale;
        uint8_t *data = fuzz_copy(p, (size_t)ws_nifti_volume_size(h));
        rc = ws_mrf_codes(h, data, h->Z % 2 ? mask : NULL, &v[k], &scale, 1, &err);
        FUZZ_CHECK(rc == WS_OK || rc == WS_EDATA);
        const ws_mrf_body *b = bodies[k ? ws_cpu_best(&cpu) : WS_WIDTH_scalar];
        if (!rc) FUZZ_CHECK(!ws_mrf_segment(&conf, b, &v[k], 0, 1, &work, &r[k], &err));
        free(data);
    }
    if (!rc) {
        FUZZ_CHECK(!memcmp(v[0].label, v[1].label, v[0].places) && r[0].fall == r[1].fall && r[0].fall >= 0);
        FUZZ_CHECK(!memcmp(r[0].gauss, r[1].gauss, 3 * sizeof *r[0].gauss));
    }
    for (int k = 0; k < 2; k++) ws_mrf_volume_release(&v[k]);
    ws_mrf_work_release(&work);
    free(mask);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    ws_nifti h;
    ws_err err;
    if (n < WS_NIFTI_HEADER) return 0;
    uint8_t *head = fuzz_copy(p, WS_NIFTI_HEADER);
    const int rc = ws_nifti_parse(&h, head, &err);
    free(head);
    FUZZ_CHECK(rc == WS_OK || rc == WS_EDATA);
    if (rc) return 0;
    check_header(&h);
    check_labels(&h);
    if (h.X * h.Y * h.Z <= VOXELS_MAX && h.offset + ws_nifti_volume_size(&h) <= n) segment(&h, p + h.offset);
    return 0;
}
