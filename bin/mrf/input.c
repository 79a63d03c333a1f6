/* SPDX-License-Identifier: MIT
 * Reading volumes: see bin/mrf/input.h. */
#include "bin/mrf/input.h"

#include "lib/base/memory.h"
#include "lib/base/number.h"

#include <string.h>

enum { AT_ONCE = 64 << 20 /* bytes that a header alone may ask for */ };

void ws_mrf_input_release(ws_mrf_input *in) {
    ws_inputs_release(&in->in);
    ws_buf_release(&in->data);
}

static int open_next(ws_mrf_input *in, ws_err *err) {
    int rc = ws_inputs_open(&in->in, err);
    if (rc) return rc;
    in->known = 0;
    in->at = in->index = in->left = in->data.n = 0;
    return WS_OK;
}

static const char *name_of(const ws_mrf_input *in) { return ws_inputs_name(&in->in); }

/* ---- bytes ---- */

/* Makes sure that something is left of a chunk. */
static int more(ws_mrf_input *in, ws_err *err) {
    return in->left > 0 ? WS_OK : ws_inputs_next(&in->in, WS_INPUTS_WAIT_MS, &in->chunk, &in->left, err);
}

static void take(ws_mrf_input *in, size_t n) {
    in->chunk += n;
    in->left -= n;
    in->at += n;
}

/* Takes the bytes before `end`, without keeping them. */
static int skip(ws_mrf_input *in, uint64_t end, ws_err *err) {
    int rc = WS_OK;
    while (in->at < end && !(rc = more(in, err))) take(in, ws_min(in->left, end - in->at));
    return rc;
}

static int ended_in_header(const ws_mrf_input *in, ws_err *err) {
    if (in->at == 0) return ws_fail(err, WS_EDATA, "%s: empty, expected a NIfTI-1 file", name_of(in));
    return ws_fail(err, WS_EDATA, "%s: ends at byte %llu, expected a NIfTI-1 header of %d bytes", name_of(in),
                   (unsigned long long)in->at, WS_NIFTI_HEADER);
}

/* Refuses a volume that this process has no memory for: its values, and what the caller takes beside. */
static int check_memory(const ws_mrf_input *in, ws_err *err) {
    const ws_nifti *h = &in->header;
    const uint64_t need = ws_nifti_volume_size(h) + in->beside * (uint64_t)h->X * h->Y * h->Z,
                   may = ws_memory_allowed();
    char needs[WS_NUMBER_MAX], has[WS_NUMBER_MAX];
    if (need <= may) return WS_OK;
    return ws_fail(err, WS_ENOMEM, "%s: a volume of %zu x %zu x %zu voxels, %s, needs %s bytes of memory or more, but "
                                   "this process may have %s",
                   name_of(in), h->X, h->Y, h->Z, ws_nifti_type_name(h->type), ws_number_human(needs, (double)need),
                   ws_number_human(has, (double)may));
}

static int read_header(ws_mrf_input *in, ws_err *err) {
    while (in->at < WS_NIFTI_HEADER) {
        int rc = more(in, err);
        if (rc) return rc == WS_EOF ? ended_in_header(in, err) : rc;
        const size_t n = ws_min(in->left, WS_NIFTI_HEADER - in->at);
        memcpy(in->head + in->at, in->chunk, n);
        take(in, n);
    }
    int rc = ws_nifti_parse(&in->header, in->head, err);
    if (rc) ws_err_prefix(err, "%s: ", name_of(in));
    in->known = !rc;
    return rc;
}

/* ---- volumes ---- */

static int ended_in_volume(const ws_mrf_input *in, ws_err *err) {
    const ws_nifti *h = &in->header;
    return ws_fail(err, WS_EDATA,
                   "%s: ends at byte %llu, expected %llu for volume %llu of %zu: %zu x %zu x %zu voxels, %s",
                   name_of(in), (unsigned long long)in->at,
                   (unsigned long long)(h->offset + (in->index + 1) * ws_nifti_volume_size(h)),
                   (unsigned long long)in->index + 1, h->T, h->X, h->Y, h->Z, ws_nifti_type_name(h->type));
}

/* Reads the data of a volume. Room follows the data that came, not the claim of a header. */
static int read_data(ws_mrf_input *in, ws_err *err) {
    const uint64_t size = ws_nifti_volume_size(&in->header);
    int rc = in->data.n == 0 ? ws_buf_reserve(&in->data, (size_t)(size < AT_ONCE ? size : AT_ONCE), err) : WS_OK;
    while (!rc && in->data.n < size && !(rc = more(in, err))) {
        const size_t n = ws_min(in->left, size - in->data.n), room = in->data.n < AT_ONCE ? AT_ONCE - in->data.n : 0;
        if (n > room && in->data.n <= AT_ONCE) rc = check_memory(in, err); /* a cut file is told as one before */
        if (!rc) rc = ws_buf_add(&in->data, in->chunk, n, err);
        take(in, n);
    }
    return rc;
}

static int read_volume(ws_mrf_input *in, ws_err *err) {
    int rc = in->known ? WS_OK : read_header(in, err);
    if (!rc) rc = skip(in, in->header.offset, err);
    if (!rc) rc = read_data(in, err);
    return rc == WS_EOF ? ended_in_volume(in, err) : rc;
}

/* Reads the end after the last volume. Only there does gzip say whether all was whole. */
static int read_end(ws_mrf_input *in, ws_err *err) {
    int rc = more(in, err);
    if (rc == WS_OK)
        return ws_fail(err, WS_EDATA, "%s: goes on at byte %llu behind the last of %zu volumes, expected its end",
                       name_of(in), (unsigned long long)in->at, in->header.T);
    if (rc != WS_EOF) return rc;
    ws_inputs_close(&in->in);
    return WS_OK;
}

int ws_mrf_input_fill(ws_mrf_input *in, ws_mrf_image *p, ws_err *err) {
    for (;;) {
        int rc = in->in.src ? WS_OK : open_next(in, err);
        if (!rc && in->known && in->index == in->header.T) {
            rc = read_end(in, err);
            if (rc) return rc;
            continue;
        }
        if (!rc) rc = read_volume(in, err);
        if (rc) return rc;
        p->name = name_of(in);
        p->header = in->header;
        p->index = in->index++;
        const ws_buf swap = p->data;
        p->data = in->data;
        in->data = swap;
        in->data.n = 0;
        return WS_OK;
    }
}
