/* SPDX-License-Identifier: MIT
 * NIfTI-1 headers: see bin/mrf/nifti.h. Offsets and codes are those of the format's definition, nifti1.h of the
 * NIfTI DFWG. */
#include "bin/mrf/nifti.h"

#include <math.h>
#include <string.h>

enum { /* offsets */
    AT_AXES = 39, /* which axes are slice, phase and frequency */
    AT_DIM = 40,
    AT_INTENT_CODE = 68,
    AT_TYPE = 70,
    AT_BITS = 72,
    AT_PIXDIM = 76,
    AT_OFFSET = 108,
    AT_SLOPE = 112,
    AT_INTER = 116,
    AT_UNITS = 123,
    AT_DESCRIP = 148,
    AT_QFORM = 252, /* the position in space follows, up to the name */
    AT_SFORM = 254,
    AT_QUATERN = 256,
    AT_QOFFSET = 268,
    AT_SROW = 280,
    AT_INTENT_NAME = 328,
    AT_MAGIC = 344
};

enum { INTENT_LABEL = 1002, OFFSET_MAX = 1 << 30 };
#define VOXELS_MAX (UINT64_C(1) << 31)

static const struct {
    int code;
    size_t size;
    const char *name;
} types[WS_NIFTI_NTYPE] = {
    [WS_NIFTI_UINT8] = {2, 1, "uint8"}, [WS_NIFTI_INT8] = {256, 1, "int8"},
    [WS_NIFTI_INT16] = {4, 2, "int16"},          [WS_NIFTI_UINT16] = {512, 2, "uint16"},
    [WS_NIFTI_INT32] = {8, 4, "int32"},          [WS_NIFTI_UINT32] = {768, 4, "uint32"},
    [WS_NIFTI_FLOAT32] = {16, 4, "float32"},     [WS_NIFTI_FLOAT64] = {64, 8, "float64"},
};

const char *ws_nifti_type_name(ws_nifti_type type) { return types[type].name; }

/* ---- numbers of the header ---- */

static int16_t get16(const ws_nifti *h, int at) {
    uint16_t v;
    memcpy(&v, h->raw + at, sizeof v);
    if (h->foreign) v = __builtin_bswap16(v);
    return (int16_t)v;
}

static float get_float(const ws_nifti *h, int at) {
    uint32_t bits;
    float v;
    memcpy(&bits, h->raw + at, sizeof bits);
    if (h->foreign) bits = __builtin_bswap32(bits);
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void put16(uint8_t *out, int foreign, int at, uint16_t v) {
    if (foreign) v = __builtin_bswap16(v);
    memcpy(out + at, &v, sizeof v);
}

static void put_float(uint8_t *out, int foreign, int at, float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (foreign) bits = __builtin_bswap32(bits);
    memcpy(out + at, &bits, sizeof bits);
}

/* ---- checks ---- */

static int parse_magic(ws_nifti *h, ws_err *err) {
    uint32_t size;
    char q[WS_QUOTE_MAX];
    memcpy(&size, h->raw, sizeof size);
    h->foreign = size != WS_NIFTI_HEADER;
    const uint32_t turned = __builtin_bswap32(size);
    if (size == 540 || turned == 540)
        return ws_fail(err, WS_EDATA, "byte 0: the header has 540 bytes, so this is NIfTI-2; expected NIfTI-1");
    if (h->foreign && turned != WS_NIFTI_HEADER)
        return ws_fail(err, WS_EDATA,
                       "byte 0: expected a NIfTI-1 header, which begins with its size, 348, found \"%s\"",
                       ws_quote(q, (const char *)h->raw, 4));
    if (memcmp(h->raw + AT_MAGIC, "ni1", 4) == 0)
        return ws_fail(err, WS_EDATA,
                       "byte %d: \"ni1\", so the data are in another file; expected \"n+1\", header and data in one",
                       AT_MAGIC);
    if (memcmp(h->raw + AT_MAGIC, "n+1", 4) != 0)
        return ws_fail(err, WS_EDATA, "byte %d: expected \"n+1\" of NIfTI-1, found \"%s\"", AT_MAGIC,
                       ws_quote(q, (const char *)h->raw + AT_MAGIC, 4));
    return WS_OK;
}

static int parse_sizes(ws_nifti *h, ws_err *err) {
    size_t size[8] = {0, 1, 1, 1, 1, 1, 1, 1};
    const int n = get16(h, AT_DIM);
    if (n < 1 || n > 7) return ws_fail(err, WS_EDATA, "byte %d: dim[0] is %d, expected 1 to 7 dimensions", AT_DIM, n);
    for (int i = 1; i <= n; i++) {
        const int v = get16(h, AT_DIM + 2 * i);
        if (v < 1) return ws_fail(err, WS_EDATA, "byte %d: dim[%d] is %d, expected 1 to 32767", AT_DIM + 2 * i, i, v);
        size[i] = (size_t)v;
    }
    for (int i = 5; i <= n; i++)
        if (size[i] > 1)
            return ws_fail(err, WS_EDATA,
                           "byte %d: dim[%d] is %zu; expected 1, as a series of volumes has at most 4 dimensions",
                           AT_DIM + 2 * i, i, size[i]);
    h->X = size[1], h->Y = size[2], h->Z = size[3], h->T = size[4];
    if ((uint64_t)h->X * h->Y * h->Z > VOXELS_MAX)
        return ws_fail(err, WS_EDATA, "byte %d: a volume of %zu x %zu x %zu voxels, expected at most 2^31 together",
                       AT_DIM, h->X, h->Y, h->Z);
    return WS_OK;
}

static int parse_type(ws_nifti *h, ws_err *err) {
    const int code = get16(h, AT_TYPE), bits = get16(h, AT_BITS);
    int t = 0;
    while (t < WS_NIFTI_NTYPE && types[t].code != code) t++;
    if (t == WS_NIFTI_NTYPE)
        return ws_fail(err, WS_EDATA,
                       "byte %d: data type %d; expected 2, 256, 4, 512, 8, 768, 16 or 64: uint8, int8, int16, uint16, "
                       "int32, uint32, "
                       "float32, float64",
                       AT_TYPE, code);
    h->type = (ws_nifti_type)t;
    h->size = types[t].size;
    if (bits != 8 * (int)h->size)
        return ws_fail(err, WS_EDATA, "byte %d: %d bits a voxel, expected %zu for %s", AT_BITS, bits, 8 * h->size,
                       types[t].name);
    return WS_OK;
}

static int parse_offset(ws_nifti *h, ws_err *err) {
    const float offset = get_float(h, AT_OFFSET);
    if (!(offset >= WS_NIFTI_DATA && offset <= OFFSET_MAX) || offset != floorf(offset))
        return ws_fail(err, WS_EDATA, "byte %d: data begin at byte %.9g, expected a whole number from %d to %d",
                       AT_OFFSET, (double)offset, WS_NIFTI_DATA, OFFSET_MAX);
    h->offset = (uint64_t)offset;
    return WS_OK;
}

/* Reads the scale of values. A slope that is 0 or no number stands for none. */
static int parse_scale(ws_nifti *h, ws_err *err) {
    h->slope = (double)get_float(h, AT_SLOPE);
    h->inter = (double)get_float(h, AT_INTER);
    if (!isfinite(h->slope) || h->slope == 0) {
        h->slope = 1;
        h->inter = 0;
    }
    if (!isfinite(h->inter))
        return ws_fail(err, WS_EDATA, "byte %d: the intercept is %g, expected a number as there is a slope", AT_INTER,
                       h->inter);
    return WS_OK;
}

/* Returns the header's unit of length in mm. */
static double unit_of(const ws_nifti *h) {
    const int unit = h->raw[AT_UNITS] & 7;
    return unit == 1 ? 1000 : unit == 3 ? 0.001 : 1;
}

static void parse_edges(ws_nifti *h) {
    for (int i = 0; i < 3; i++) {
        const double v = fabs((double)get_float(h, AT_PIXDIM + 4 * (i + 1))) * unit_of(h);
        h->mm[i] = isfinite(v) ? v : 0;
    }
}

int ws_nifti_parse(ws_nifti *h, const uint8_t *p, ws_err *err) {
    memcpy(h->raw, p, sizeof h->raw);
    int rc = parse_magic(h, err);
    if (!rc) rc = parse_sizes(h, err);
    if (!rc) rc = parse_type(h, err);
    if (!rc) rc = parse_offset(h, err);
    if (!rc) rc = parse_scale(h, err);
    if (!rc) parse_edges(h);
    return rc;
}

/* ---- the grid ---- */

/* Sets the grid of the qform: a rotation by a quaternion, edges, an offset. */
static void grid_of_qform(const ws_nifti *h, double grid[3][4]) {
    const double b = (double)get_float(h, AT_QUATERN), c = (double)get_float(h, AT_QUATERN + 4),
                 d = (double)get_float(h, AT_QUATERN + 8), rest = 1 - b * b - c * c - d * d,
                 a = rest > 0 ? sqrt(rest) : 0, side = get_float(h, AT_PIXDIM) < 0 ? -1 : 1;
    const double turn[3][3] = {{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
                               {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
                               {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            grid[i][k] = turn[i][k] * (double)get_float(h, AT_PIXDIM + 4 * (k + 1)) * (k == 2 ? side : 1);
        grid[i][3] = (double)get_float(h, AT_QOFFSET + 4 * i);
    }
}

int ws_nifti_grid(const ws_nifti *h, double grid[3][4]) {
    double sum = 0;
    if (get16(h, AT_SFORM) > 0) {
        for (int i = 0; i < 12; i++) grid[i / 4][i % 4] = (double)get_float(h, AT_SROW + 4 * i);
    } else if (get16(h, AT_QFORM) > 0) {
        grid_of_qform(h, grid);
    } else {
        return 0;
    }
    for (int i = 0; i < 12; i++) sum += grid[i / 4][i % 4] *= unit_of(h);
    return isfinite(sum);
}

/* ---- headers of results ---- */

/* Begins the header of a file with the geometry and byte order of h and values of this type. */
static void begin(const ws_nifti *h, ws_nifti_type type, const char *description, uint8_t out[WS_NIFTI_DATA]) {
    memset(out, 0, WS_NIFTI_DATA);
    memcpy(out, h->raw, 4);
    memcpy(out + AT_AXES, h->raw + AT_AXES, 1);
    memcpy(out + AT_DIM, h->raw + AT_DIM, 16);
    memcpy(out + AT_PIXDIM, h->raw + AT_PIXDIM, 32);
    memcpy(out + AT_UNITS, h->raw + AT_UNITS, 1);
    memcpy(out + AT_QFORM, h->raw + AT_QFORM, AT_INTENT_NAME - AT_QFORM);
    memcpy(out + AT_DESCRIP, description, strnlen(description, WS_NIFTI_DESCRIPTION - 1));
    memcpy(out + AT_MAGIC, "n+1", 4);
    put16(out, h->foreign, AT_TYPE, (uint16_t)types[type].code);
    put16(out, h->foreign, AT_BITS, (uint16_t)(8 * types[type].size));
    put_float(out, h->foreign, AT_OFFSET, WS_NIFTI_DATA);
    put_float(out, h->foreign, AT_SLOPE, 1);
}

void ws_nifti_labels(const ws_nifti *h, const char *description, uint8_t out[WS_NIFTI_DATA]) {
    begin(h, WS_NIFTI_UINT8, description, out);
    put16(out, h->foreign, AT_INTENT_CODE, INTENT_LABEL);
}

void ws_nifti_floats(const ws_nifti *h, int K, const char *description, uint8_t out[WS_NIFTI_DATA]) {
    const size_t size[5] = {4, h->X, h->Y, h->Z, (size_t)K};
    begin(h, WS_NIFTI_FLOAT32, description, out);
    for (int i = 0; i < 8; i++) put16(out, h->foreign, AT_DIM + 2 * i, i < 5 ? (uint16_t)size[i] : 1);
}
