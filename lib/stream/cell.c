/* SPDX-License-Identifier: MIT
 * Fields as numbers: see lib/stream/cell.h. */
#include "lib/stream/cell.h"

#include "lib/stream/decimal.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTEGERS (WS_CELL_BIT(WS_CELL_INT32) | WS_CELL_BIT(WS_CELL_INT64))
#define EXACT WS_CELL_BIT(WS_CELL_EXACT32)
#define FIXED (EXACT | WS_CELL_BIT(WS_CELL_FIXED24) | WS_CELL_BIT(WS_CELL_FIXED32) | WS_CELL_BIT(WS_CELL_FIXED64))
#define GENERAL (WS_CELL_BIT(WS_CELL_GENERAL24) | WS_CELL_BIT(WS_CELL_GENERAL32) | WS_CELL_BIT(WS_CELL_GENERAL64))
/* INT_MIN and its fellow stand for an empty field; a double holds no more integers than these. */
#define INT32_MOST 2147483647.0
#define INT64_MOST 9007199254740991.0
#define FIXED24_MOST 8388605.0 /* one more is inf */

/* Returns the bit of WS_CELL_GENERAL24 if it has the number, which is not below 0. */
static unsigned general24(double v) { return v >= 0 && !isinf(v) && !signbit(v) ? WS_CELL_BIT(WS_CELL_GENERAL24) : 0; }

/* Returns the bit of WS_CELL_FIXED24 if it has the number. The product of a single is exact, so its rounding is that of
 * %.4f. A number that was read from four decimals is one rounding away from them. */
static unsigned fixed24(double v) {
    const double n = rint(v * 1e4);
    return isinf(v) || (fabs(n) <= FIXED24_MOST && (n != 0 || !signbit(v))) ? WS_CELL_BIT(WS_CELL_FIXED24) : 0;
}

/* Returns the forms of an integer. One of at most four digits is the same text in %.4g. */
static unsigned forms_of_integer(double v) {
    unsigned forms = WS_CELL_BIT(WS_CELL_TEXT);
    if (fabs(v) > INT64_MOST || (v == 0 && signbit(v))) return forms;
    forms |= WS_CELL_BIT(WS_CELL_INT64);
    if (fabs(v) <= INT32_MOST) forms |= WS_CELL_BIT(WS_CELL_INT32);
    if (fabs(v) < 10000) forms |= WS_CELL_BIT(WS_CELL_GENERAL32) | WS_CELL_BIT(WS_CELL_GENERAL64) | general24(v);
    return forms;
}

static unsigned forms_of_real(ws_cellform narrow, ws_cellform wide, double v) {
    return WS_CELL_BIT(WS_CELL_TEXT) | WS_CELL_BIT(wide) | ((double)(float)v == v ? WS_CELL_BIT(narrow) : 0);
}

ws_cell ws_cell_number(ws_coltype type, double v) {
    ws_cell c = {.forms = WS_CELL_ALL_EMPTY, .v = v};
    if (isnan(v)) return c;
    switch (type) {
    case WS_COL_BITS:
        c.forms = forms_of_real(WS_CELL_FIXED32, WS_CELL_FIXED64, v);
        if (c.forms & WS_CELL_BIT(WS_CELL_FIXED32)) c.forms |= EXACT | fixed24(v);
        break;
    case WS_COL_P: c.forms = forms_of_real(WS_CELL_GENERAL32, WS_CELL_GENERAL64, v) | general24(v); break;
    case WS_COL_COUNT:
        c.v = v = rint(v) + 0.0;
        c.forms = forms_of_integer(v);
        break;
    case WS_COL_STRAND: c.forms = WS_CELL_BIT(WS_CELL_STRAND) | WS_CELL_BIT(WS_CELL_TEXT); break;
    }
    return c;
}

ws_cell ws_cell_stored(ws_cellform form, double v) {
    ws_cell c = {.forms = WS_CELL_ALL_EMPTY, .v = v};
    if (isnan(v)) return c;
    switch (form) {
    case WS_CELL_STRAND: return ws_cell_number(WS_COL_STRAND, v);
    case WS_CELL_EXACT32: return ws_cell_number(WS_COL_BITS, v);
    case WS_CELL_FIXED24: /* a single that rounds to the same decimals prints them too */
        c.forms = forms_of_real(WS_CELL_FIXED32, WS_CELL_FIXED64, v) | fixed24(v);
        if (rint((double)(float)v * 1e4) == rint(v * 1e4)) c.forms |= WS_CELL_BIT(WS_CELL_FIXED32);
        return c;
    case WS_CELL_FIXED32:
    case WS_CELL_FIXED64:
        c = ws_cell_number(WS_COL_BITS, v);
        c.forms &= ~EXACT;
        return c;
    case WS_CELL_GENERAL24:
    case WS_CELL_GENERAL32:
    case WS_CELL_GENERAL64: return ws_cell_number(WS_COL_P, v);
    default: return ws_cell_number(WS_COL_COUNT, v);
    }
}

/* ---- texts ---- */

enum { NUMBER_MAX = 40 }; /* no form prints a number that is a candidate below with more characters */

static int prints(int fixed, double v, const char *text, size_t n) {
    char got[NUMBER_MAX + 320];
    const int len = fixed ? snprintf(got, sizeof got, "%.4f", v) : snprintf(got, sizeof got, "%.4g", v);
    return len == (int)n && !memcmp(got, text, n);
}

static int is_integer(const char *p, size_t n) {
    const size_t sign = n && *p == '-';
    if (n == sign || n - sign > 16 || (p[sign] == '0' && n > 1)) return 0;
    for (size_t i = sign; i < n; i++)
        if (p[i] < '0' || p[i] > '9') return 0;
    return 1;
}

/* Tries a form in both precisions, and returns those that give the text back. */
static unsigned try_form(int fixed, ws_cellform narrow, ws_cellform wide, double v, const char *p, size_t n) {
    if (!prints(fixed, v, p, n)) return 0;
    return WS_CELL_BIT(wide) | (prints(fixed, (double)(float)v, p, n) ? WS_CELL_BIT(narrow) : 0);
}

ws_cell ws_cell_parse(const char *p, size_t n) {
    ws_cell c = {.forms = WS_CELL_BIT(WS_CELL_TEXT), .v = NAN, .text = p, .n = n};
    char text[NUMBER_MAX + 1], *end;
    if (n == 0) c.forms = WS_CELL_ALL_EMPTY;
    if (n == 1 && (*p == '+' || *p == '-')) {
        c.v = *p == '+' ? 1 : -1;
        c.forms |= WS_CELL_BIT(WS_CELL_STRAND);
    }
    if (n == 0 || n > NUMBER_MAX || !strchr("-0123456789i", *p) || memchr(p, '\0', n)) return c;
    memcpy(text, p, n);
    text[n] = '\0';
    const double v = strtod(text, &end);
    if (end != text + n || isnan(v)) return c;
    c.v = v;
    if (is_integer(p, n)) {
        c.forms |= forms_of_integer(v);
        return c;
    }
    const unsigned fixed = try_form(1, WS_CELL_FIXED32, WS_CELL_FIXED64, v, p, n);
    const unsigned general = try_form(0, WS_CELL_GENERAL32, WS_CELL_GENERAL64, v, p, n);
    c.forms |= fixed | general | (fixed ? fixed24(v) : 0) | (general ? general24(v) : 0);
    return c;
}

int ws_cell_text(ws_buf *out, int plain, const char *p, size_t n, ws_err *err) {
    if (!plain || !n || !memchr(p, '"', n)) return ws_buf_add(out, p, n, err);
    int rc = ws_buf_add(out, "\"", 1, err);
    for (size_t i = 0; i < n && !rc; i++) rc = ws_buf_add(out, p[i] == '"' ? "\"\"" : p + i, p[i] == '"' ? 2 : 1, err);
    return rc ? rc : ws_buf_add(out, "\"", 1, err);
}

int ws_cell_print(ws_buf *out, const ws_cell *c, ws_err *err) {
    if (!(c->forms & ~WS_CELL_BIT(WS_CELL_TEXT))) return ws_buf_add(out, c->text, c->n, err);
    if (isnan(c->v)) return WS_OK;
    if (c->forms & FIXED) return ws_buf_addf(out, err, "%.4f", c->v);
    if (c->forms & INTEGERS) return ws_buf_addf(out, err, "%.0f", c->v);
    if (c->forms & GENERAL) return ws_buf_addf(out, err, "%.4g", c->v);
    return ws_buf_add(out, c->v < 0 ? "-" : "+", 1, err);
}

/* ---- stored numbers ---- */

ws_cellform ws_cellform_choose(unsigned forms, int exact) {
    static const uint8_t order[] = {WS_CELL_IMPLIED,   WS_CELL_STRAND,  WS_CELL_INT32,     WS_CELL_FIXED24,
                                    WS_CELL_GENERAL24, WS_CELL_EXACT32, WS_CELL_FIXED32,   WS_CELL_GENERAL32,
                                    WS_CELL_INT64,     WS_CELL_FIXED64, WS_CELL_GENERAL64, WS_CELL_TEXT};
    size_t i = 0;
    /* STRAND: all are empty */
    if (exact && forms & EXACT) return forms & WS_CELL_BIT(WS_CELL_STRAND) ? WS_CELL_STRAND : WS_CELL_EXACT32;
    while (!(forms & WS_CELL_BIT(order[i]))) i++;
    return (ws_cellform)order[i];
}

size_t ws_cellform_width(ws_cellform form) {
    static const uint8_t width[WS_NCELLFORM] = {
        [WS_CELL_STRAND] = 1,    [WS_CELL_INT32] = 4,     [WS_CELL_EXACT32] = 4, [WS_CELL_FIXED32] = 4,
        [WS_CELL_GENERAL32] = 4, [WS_CELL_INT64] = 8,     [WS_CELL_FIXED64] = 8, [WS_CELL_GENERAL64] = 8,
        [WS_CELL_TEXT] = 4,      [WS_CELL_GENERAL24] = 3, [WS_CELL_FIXED24] = 3};
    return width[form];
}

static uint32_t bits24(const char *at) {
    return (uint32_t)(uint8_t)at[0] | (uint32_t)(uint8_t)at[1] << 8 | (uint32_t)(uint8_t)at[2] << 16;
}

static void put_bits24(char *at, uint32_t n) {
    for (int i = 0; i < 3; i++) at[i] = (char)(n >> 8 * i);
}

/* Returns the number of 24 bits in two's complement. The smallest is an empty field, the two largest magnitudes after
 * FIXED24_MOST are infinite. */
static double fixed24_value(uint32_t bits) {
    const double n = (double)((int32_t)(bits << 8) >> 8);
    if (n == -8388608.0) return (double)NAN;
    return fabs(n) > FIXED24_MOST ? copysign((double)INFINITY, n) : n / 1e4;
}

static uint32_t fixed24_of(double v) {
    if (isnan(v)) return 0x800000;
    if (isinf(v)) return (uint32_t)(int32_t)copysign(FIXED24_MOST + 1, v) & 0xffffff;
    return (uint32_t)(int32_t)rint(v * 1e4) & 0xffffff;
}

double ws_cellform_load(ws_cellform form, const void *array, size_t i) {
    const char *at = (const char *)array + i * ws_cellform_width(form);
    int32_t i32;
    int64_t i64;
    float f32;
    double f64 = (double)NAN;
    switch (form) {
    case WS_CELL_STRAND: return *at == '+' ? 1 : *at == '-' ? -1 : f64;
    case WS_CELL_INT32: memcpy(&i32, at, sizeof i32); return i32 == INT32_MIN ? f64 : (double)i32;
    case WS_CELL_INT64: memcpy(&i64, at, sizeof i64); return i64 == INT64_MIN ? f64 : (double)i64;
    case WS_CELL_EXACT32:
    case WS_CELL_FIXED32:
    case WS_CELL_GENERAL32: memcpy(&f32, at, sizeof f32); return (double)f32;
    case WS_CELL_FIXED64:
    case WS_CELL_GENERAL64: memcpy(&f64, at, sizeof f64); return f64;
    case WS_CELL_GENERAL24: return ws_decimal_value(bits24(at));
    case WS_CELL_FIXED24: return fixed24_value(bits24(at));
    case WS_CELL_IMPLIED:
    case WS_CELL_TEXT:
    case WS_NCELLFORM: break;
    }
    return f64;
}

void ws_cellform_store(ws_cellform form, void *array, size_t i, double v) {
    char *at = (char *)array + i * ws_cellform_width(form);
    const int empty = isnan(v);
    const int32_t i32 = empty || fabs(v) > INT32_MOST ? INT32_MIN : (int32_t)v;
    const int64_t i64 = empty || fabs(v) > INT64_MOST ? INT64_MIN : (int64_t)v;
    const float f32 = empty ? NAN : (float)v;
    const double f64 = empty ? (double)NAN : v; /* one NaN only: the same table is the same bytes */
    switch (form) {
    case WS_CELL_STRAND: *at = empty ? ' ' : v < 0 ? '-' : '+'; break;
    case WS_CELL_INT32: memcpy(at, &i32, sizeof i32); break;
    case WS_CELL_INT64: memcpy(at, &i64, sizeof i64); break;
    case WS_CELL_EXACT32:
    case WS_CELL_FIXED32:
    case WS_CELL_GENERAL32: memcpy(at, &f32, sizeof f32); break;
    case WS_CELL_FIXED64:
    case WS_CELL_GENERAL64: memcpy(at, &f64, sizeof f64); break;
    case WS_CELL_GENERAL24: put_bits24(at, ws_decimal_of(v)); break;
    case WS_CELL_FIXED24: put_bits24(at, fixed24_of(v)); break;
    case WS_CELL_IMPLIED:
    case WS_CELL_TEXT:
    case WS_NCELLFORM: break;
    }
}
