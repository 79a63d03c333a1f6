/* SPDX-License-Identifier: MIT
 * Every V* macro of one width beside its definition in plain C, lane by lane (lib/simd/v_avx512.h specifies them). The
 * Makefile compiles this file for each width, and tests/lib/vectors.c calls it. */
#include "lib/simd/v.h"

#include "tests/simd/vectors.h"

#include <math.h>
#include <string.h>

static int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

/* Returns the name from the calling function if the lanes of a register are not as wanted; z is the lane. */
#define LANES(name, n, member, want) \
    for (int z = 0; z < (n); z++) \
        if (memcmp(&got.member[z], &(lanes){.member = {want}}.member[0], sizeof got.member[z]) != 0) return name
#define V_IS(name, v, n, member, want) \
    do { \
        V_STORE(got.u8, v); \
        LANES(name, n, member, want); \
    } while (0)
#define VF_IS(name, v, want) \
    do { \
        VF_STORE(got.f, v); \
        LANES(name, VF_LANES, f, want); \
    } while (0)
#define VD_IS(name, v, want) \
    do { \
        VD_STORE(got.d, v); \
        LANES(name, VD_LANES, d, want); \
    } while (0)
#define IS(name, value, want) \
    do { \
        if ((value) != (want)) return name; \
    } while (0)

static const char *bytes(const lanes *x, const lanes *y, const lanes *m) {
    const V a = V_LOAD(x->u8), b = V_LOAD(y->u8);
    const uint64_t bits = m->u64[0];
    lanes got;
    int any = 0, above = 0, most = 0, meet = 0;
    for (int z = 0; z < VB_LANES; z++) {
        meet |= (x->u8[z] & y->u8[z]) != 0;
        any |= x->u8[z] > y->u8[z];
        above |= x->s8[z] > y->s8[z];
        most = LARGER(most, x->u8[z]);
    }
    V_STOREU(got.u8 + 1, V_LOADU(x->u8 + 1));
    if (memcmp(got.u8 + 1, x->u8 + 1, VB_LANES) != 0) return "V_LOADU, V_STOREU";
    V_IS("VB_SET1", VB_SET1(x->u8[3]), VB_LANES, u8, x->u8[3]);
    V_IS("VB_ADDS_U", VB_ADDS_U(a, b), VB_LANES, u8, (uint8_t)clamp(x->u8[z] + y->u8[z], 0, 255));
    V_IS("VB_SUBS_U", VB_SUBS_U(a, b), VB_LANES, u8, (uint8_t)clamp(x->u8[z] - y->u8[z], 0, 255));
    V_IS("VB_SUBS_S", VB_SUBS_S(a, b), VB_LANES, s8, (int8_t)clamp(x->s8[z] - y->s8[z], -128, 127));
    V_IS("VB_SUB", VB_SUB(a, b), VB_LANES, u8, (uint8_t)(x->u8[z] - y->u8[z]));
    V_IS("VB_MAX_U", VB_MAX_U(a, b), VB_LANES, u8, LARGER(x->u8[z], y->u8[z]));
    V_IS("VB_MAX_S", VB_MAX_S(a, b), VB_LANES, s8, LARGER(x->s8[z], y->s8[z]));
    V_IS("VB_MIN_U", VB_MIN_U(a, b), VB_LANES, u8, SMALLER(x->u8[z], y->u8[z]));
    V_IS("VB_DOT", VB_DOT(a, b), VW_LANES, s16,
         (int16_t)clamp(x->u8[2 * z] * y->s8[2 * z] + x->u8[2 * z + 1] * y->s8[2 * z + 1], INT16_MIN, INT16_MAX));
    V_IS("VB_PICK", VB_PICK(bits, a, b), VB_LANES, u8, bits >> z & 1 ? x->u8[z] : y->u8[z]);
    V_IS("VB_UP1", VB_UP1(a, b), VB_LANES, u8, z ? x->u8[z - 1] : y->u8[VB_LANES - 1]);
    V_IS("VB_GROUP_UP1", VB_GROUP_UP1(a, b), VB_LANES, u8, z % 16 ? x->u8[z - 1] : y->u8[z + 15]);
    V_IS("VB_UP_GROUP", VB_UP_GROUP(a, b), VB_LANES, u8, z < 16 ? y->u8[VB_LANES - 16 + z] : x->u8[z - 16]);
    IS("VB_GROUP_TO_TOP, first", VB_LAST(VB_GROUP_TO_TOP(a, 0)), x->u8[15]);
    IS("VB_GROUP_TO_TOP, last", VB_LAST(VB_GROUP_TO_TOP(a, VB_LANES / 16 - 1)), x->u8[VB_LANES - 1]);
    uint8_t apart[VB_LANES / 16 * 17];
    for (int z = 0; z < VB_LANES; z++) apart[z / 16 * 17 + z % 16] = x->u8[z];
    V_IS("VB_LOAD_GROUPS", VB_LOAD_GROUPS(apart, 17), VB_LANES, u8, x->u8[z]);
    V_IS("VB_COUNT_EQ", VB_COUNT_EQ(a, b, V_LOAD(m->u8)), VB_LANES, u8, (uint8_t)(x->u8[z] + (y->u8[z] == m->u8[z])));
    V_IS("VB_XOR", VB_XOR(a, b), VB_LANES, u8, x->u8[z] ^ y->u8[z]);
    V_IS("VB_OR3", VB_OR3(a, b, V_LOAD(m->u8)), VB_LANES, u8, x->u8[z] | y->u8[z] | m->u8[z]);
    IS("VB_MEET", VB_MEET(a, b), meet);
    IS("VB_MEET, nothing", VB_MEET(VB_SET1(0x40), VB_SET1(0xbf)), 0);
    IS("VB_ANY_GT_U", VB_ANY_GT_U(a, b), any);
    IS("VB_HMAX_U", VB_HMAX_U(a), most);
    IS("VB_LAST", VB_LAST(a), x->u8[VB_LANES - 1]);
    vb_watch w = VB_BELOW;
    IS("VB_BELOW", VB_ABOVE(w, b), 0);
    w = VB_WATCH(w, a, b);
    w = VB_WATCH(w, VB_SET1(-128), b);
    IS("VB_WATCH, VB_ABOVE", VB_ABOVE(w, b), above);
    return NULL;
}

static const char *words(const lanes *x, const lanes *y, uint32_t bits) {
    const V a = V_LOAD(x->u8), b = V_LOAD(y->u8);
    lanes got;
    int any = 0, most = INT16_MIN;
    for (int z = 0; z < VW_LANES; z++) {
        any |= x->s16[z] > y->s16[z];
        most = LARGER(most, x->s16[z]);
    }
    V_IS("VW_SET1", VW_SET1(x->s16[3]), VW_LANES, s16, x->s16[3]);
    V_IS("VW_ADD", VW_ADD(a, b), VW_LANES, u16, (uint16_t)(x->u16[z] + y->u16[z]));
    V_IS("VW_ADDS", VW_ADDS(a, b), VW_LANES, s16, (int16_t)clamp(x->s16[z] + y->s16[z], INT16_MIN, INT16_MAX));
    V_IS("VW_SUBS", VW_SUBS(a, b), VW_LANES, s16, (int16_t)clamp(x->s16[z] - y->s16[z], INT16_MIN, INT16_MAX));
    V_IS("VW_MAX", VW_MAX(a, b), VW_LANES, s16, LARGER(x->s16[z], y->s16[z]));
    V_IS("VW_ADDS_U", VW_ADDS_U(a, b), VW_LANES, u16, (uint16_t)clamp(x->u16[z] + y->u16[z], 0, UINT16_MAX));
    V_IS("VW_MIN_U", VW_MIN_U(a, b), VW_LANES, u16, SMALLER(x->u16[z], y->u16[z]));
    V_IS("VW_PICK", VW_PICK(bits, a, b), VW_LANES, u16, bits >> z & 1 ? x->u16[z] : y->u16[z]);
    V_IS("VW_UP1", VW_UP1(a, VW_SET1(y->s16[0])), VW_LANES, u16, z ? x->u16[z - 1] : y->u16[0]);
    IS("VW_ANY_GT", VW_ANY_GT(a, b), any);
    IS("VW_HMAX", VW_HMAX(a), most);
    return NULL;
}

static const char *integers(const lanes *x, const lanes *y, uint32_t bits) {
    const V a = VI_LOAD(x->u8), b = V_LOAD(y->u8);
    lanes got;
    uint32_t greater = 0, equal = 0;
    for (int z = 0; z < VI_LANES; z++) {
        greater |= (uint32_t)(x->s32[z] > y->s32[z]) << z;
        equal |= (uint32_t)(x->s32[z] == y->s32[z]) << z;
    }
    V_IS("VI_SET1", VI_SET1(x->s32[1]), VI_LANES, s32, x->s32[1]);
    V_IS("VI_ADD", VI_ADD(a, b), VI_LANES, u32, x->u32[z] + y->u32[z]);
    V_IS("VI_SUB", VI_SUB(a, b), VI_LANES, u32, x->u32[z] - y->u32[z]);
    V_IS("VI_MUL", VI_MUL(a, b), VI_LANES, u32, x->u32[z] * y->u32[z]);
    V_IS("VI_MIN_U", VI_MIN_U(a, b), VI_LANES, u32, SMALLER(x->u32[z], y->u32[z]));
    V_IS("VI_PICK", VI_PICK(bits, a, b), VI_LANES, u32, bits >> z & 1 ? x->u32[z] : y->u32[z]);
    V_IS("VI_OF_BYTES", VI_OF_BYTES(x->u8 + 1), VI_LANES, u32, x->u8[1 + z]);
    IS("VI_GT, VIM_BITS", VIM_BITS(VI_GT(a, b)), greater);
    IS("VI_EQ, VIM_BITS", VIM_BITS(VI_EQ(a, b)), equal);
    V_IS("VIM_PICK", VIM_PICK(VI_GT(a, b), a, b), VI_LANES, s32, LARGER(x->s32[z], y->s32[z]));
    V_IS("VL_SET1", VL_SET1(x->s64[1]), VD_LANES, s64, x->s64[1]);
    V_IS("VL_ADD", VL_ADD(a, b), VD_LANES, u64, x->u64[z] + y->u64[z]);
    V_IS("VL_SUB", VL_SUB(a, b), VD_LANES, u64, x->u64[z] - y->u64[z]);
    V_IS("VL_AND", VL_AND(a, b), VD_LANES, u64, x->u64[z] & y->u64[z]);
    V_IS("VL_OR", VL_OR(a, b), VD_LANES, u64, x->u64[z] | y->u64[z]);
    V_IS("VL_SHR", VL_SHR(a, 7), VD_LANES, u64, x->u64[z] >> 7);
    VF_IS("VF_OF_TOP24", VF_OF_TOP24(a), (float)(x->u32[z] >> 8) * 0x1p-24f);
    return NULL;
}

static const char *floats(const lanes *x, const lanes *y, const lanes *c, const float *table) {
    const VF a = VF_LOAD(x->f), b = VF_LOAD(y->f);
    lanes got;
    uint8_t at[32];
    uint32_t greater = 0, least = 0;
    for (int z = 0; z < VF_LANES; z++) {
        greater |= (uint32_t)(x->f[z] > y->f[z]) << z;
        least |= (uint32_t)(x->f[z] >= c->f[z]) << z;
        at[z] = x->u8[z] & 31;
    }
    const VM gt = VM_GT(a, b), ge = VM_GE(a, VF_LOAD(c->f));
    VF_STOREU(got.f + 1, VF_LOADU(x->f + 1));
    if (memcmp(got.f + 1, x->f + 1, VF_LANES * sizeof(float)) != 0) return "VF_LOADU, VF_STOREU";
    VF_IS("VF_SET1", VF_SET1(x->f[2]), x->f[2]);
    VF_IS("VF_ADD", VF_ADD(a, b), x->f[z] + y->f[z]);
    VF_IS("VF_MUL", VF_MUL(a, b), x->f[z] * y->f[z]);
    VF_IS("VF_DIV", VF_DIV(a, VF_SET1(table[1])), x->f[z] / table[1]);
    VF_IS("VF_MAX", VF_MAX(a, b), LARGER(x->f[z], y->f[z]));
    VF_IS("VF_FMA", VF_FMA(a, b, VF_LOAD(c->f)), fmaf(x->f[z], y->f[z], c->f[z]));
    VF_IS("VF_ADD of VF_MUL", VF_ADD(VF_MUL(a, b), VF_LOAD(c->f)), x->f[z] * y->f[z] + c->f[z]);
    VF_IS("VF_LOOKUP32", VF_LOOKUP32(table, at), table[at[z]]);
    V_IS("VI_OF_VF", VI_OF_VF(a), VI_LANES, u32, x->u32[z]);
    V_IS("VF_AND", VI_OF_VF(VF_AND(a, b)), VI_LANES, u32, x->u32[z] & y->u32[z]);
    IS("VM_GT, VM_BITS", VM_BITS(gt), greater);
    IS("VM_GE, VM_BITS", VM_BITS(ge), least);
    IS("VM_AND", VM_BITS(VM_AND(gt, ge)), greater & least);
    IS("VM_OR", VM_BITS(VM_OR(gt, ge)), greater | least);
    IS("VM_ANDNOT", VM_BITS(VM_ANDNOT(gt, ge)), greater & ~least);
    IS("VM_ANY", VM_ANY(gt), greater != 0);
    IS("VM_ANY of none", VM_ANY(VM_ANDNOT(gt, gt)), 0);
    VF_IS("VM_PICK", VM_PICK(gt, a, b), LARGER(x->f[z], y->f[z]));
    return NULL;
}

static const char *of_32(const float *v) {
    VF in[V32], out[V32];
    _Alignas(64) float got[32];
    float sum[32];
    for (int j = 0; j < V32; j++) in[j] = VF_LOAD(v + j * VF_LANES);
#define UP_IS(off) \
    do { \
        VF32_UP(out, in, off); \
        for (int j = 0; j < V32; j++) VF_STORE(got + j * VF_LANES, out[j]); \
        for (int z = 0; z < 32; z++) \
            if (got[z] != (z < (off) ? 0.0f : v[z - (off)])) return "VF32_UP by " #off; \
    } while (0)
    UP_IS(1);
    UP_IS(2);
    UP_IS(4);
    UP_IS(8);
    UP_IS(16);
    memcpy(sum, v, sizeof sum);
    for (int off = 16; off; off /= 2)
        for (int z = 0; z < off; z++) sum[z] += sum[z + off];
    IS("VF32_SUM", VF32_SUM(in), sum[0]);
    return NULL;
}

static const char *quads(const lanes *x, const lanes *y, float *table) {
    const VF a = VF_LOAD(x->f), b = VF_LOAD(y->f), c = VF_MUL(a, a), d = VF_MUL(b, b);
    lanes got;
    float *at[VP_QUADS];
    const float *from[VP_QUADS];
    VF r[4] = {a, b, c, d}, e[VP_QUADS];
    _Alignas(64) float first[16], cell[4][16], turned[4][16];
    for (int j = 0; j < VP_QUADS; j++) from[j] = at[j] = table + 8 * (VP_QUADS - 1 - j);
#define QUAD (4 * (z / 4))
    VF_IS("VP_BCAST", VP_BCAST(table + 4), table[4 + z % 4]);
    VF_IS("VP_SPREAD", VP_SPREAD(table), table[z / 4]);
    VF_IS("VP_LOADS", VP_LOADS(from, 4), from[z / 4][4 + z % 4]);
    VP_STORES(at, 4, a);
    for (int z = 0; z < VF_LANES; z++) IS("VP_STORES", at[z / 4][4 + z % 4], x->f[z]);
    VP_FIRSTS(first, a);
    for (int j = 0; j < VP_QUADS; j++) IS("VP_FIRSTS", first[j], x->f[4 * j]);
    VF_IS("VP_UP", VP_UP(a), z % 4 ? x->f[z - 1] : 0.0f);
    VF_IS("VP_DOWN", VP_DOWN(a), z % 4 < 3 ? x->f[z + 1] : 0.0f);
    VF_IS("VP_SPLAT1", VP_SPLAT1(a), x->f[QUAD + 1]);
    VF_IS("VP_SUM", VP_SUM(a), (x->f[QUAD] + x->f[QUAD + 1]) + (x->f[QUAD + 2] + x->f[QUAD + 3]));
    VF_IS("VP_MAX", VP_MAX(a), LARGER(LARGER(x->f[QUAD], x->f[QUAD + 1]), LARGER(x->f[QUAD + 2], x->f[QUAD + 3])));
    for (int k = 0; k < 4; k++) VF_STORE(cell[k], r[k]);
    VF_IS("VP_MIX", VP_MIX(a, b, c, d), cell[z % 4][z]);
    VP_TRANSPOSE(r);
    for (int k = 0; k < 4; k++) VF_STORE(turned[k], r[k]);
    for (int k = 0; k < 4; k++)
        for (int z = 0; z < VF_LANES; z++) IS("VP_TRANSPOSE", turned[k][z], cell[z % 4][QUAD + k]);
    for (int j = 0; j < VP_QUADS; j++) e[j] = VF_LOAD(cell[j]);
    VP_EXCHANGE(e);
    for (int j = 0; j < VP_QUADS; j++) {
        VF_STORE(got.f, e[j]);
        for (int z = 0; z < VF_LANES; z++) IS("VP_EXCHANGE", got.f[z], cell[z / 4][4 * j + z % 4]);
    }
    return NULL;
}

static const char *doubles(const lanes *f, const double *x, const double *y, const double *c, const double *table) {
    const VD a = VD_LOAD(x), b = VD_LOAD(y);
    lanes got, at;
    for (int z = 0; z < VD_LANES; z++) at.u64[z] = f->u8[z] & 15;
    VD_IS("VD_SET1", VD_SET1(x[1]), x[1]);
    VD_IS("VD_ADD", VD_ADD(a, b), x[z] + y[z]);
    VD_IS("VD_SUB", VD_SUB(a, b), x[z] - y[z]);
    VD_IS("VD_MUL", VD_MUL(a, b), x[z] * y[z]);
    VD_IS("VD_FMA", VD_FMA(a, b, VD_LOAD(c)), fma(x[z], y[z], c[z]));
    VD_IS("VD_ADD of VD_MUL", VD_ADD(VD_MUL(a, b), VD_LOAD(c)), x[z] * y[z] + c[z]);
    VD_IS("VD_OF_HALF of 0", VD_OF_HALF(VF_LOAD(f->f), 0), (double)f->f[z]);
    VD_IS("VD_OF_HALF of 1", VD_OF_HALF(VF_LOAD(f->f), 1), (double)f->f[VD_LANES + z]);
    VF_IS("VF_OF_HALVES", VF_OF_HALVES(a, b), (float)(z < VD_LANES ? x[z] : y[z - VD_LANES]));
    VD_IS("VD_BITS, VD_FROM_BITS", VD_FROM_BITS(VL_ADD(VD_BITS(a), VL_SET1(1))), nextafter(x[z], 2 * x[z]));
    VD_IS("VD_LOOKUP16", VD_LOOKUP16(table, V_LOAD(at.u8)), table[at.u64[z]]);
    return NULL;
}

const char *V_FACE(ws_vectors_)(const ws_vectors *in) {
    const lanes *x = &in->x, *y = &in->y, *m = &in->m;
    _Alignas(64) float table[32];
    const char *bad = bytes(x, y, m);
    memcpy(table, in->number, sizeof table);
    if (!bad) bad = bytes(x, x, m);
    if (!bad) bad = words(x, y, m->u32[0]);
    if (!bad) bad = words(x, x, m->u32[0]);
    if (!bad) bad = integers(x, y, m->u32[0]);
    if (!bad) bad = floats(&in->f, &in->g, &in->h, in->number);
    if (!bad) bad = of_32(in->number);
    if (!bad) bad = quads(&in->f, &in->g, table);
    return bad ? bad : doubles(&in->f, in->d, in->e, in->c, in->real);
}
