// SPDX-License-Identifier: MIT
// The four lanes of a problem on a device: four threads side by side, each with one lane. Bodies are templates over
// this class, so that a test can run the same bodies with four lanes of the processor (tests/fault/dom.cu).
#ifndef WS_DOM_QUAD_CUH
#define WS_DOM_QUAD_CUH

#include <stdint.h>

#define WS_DOM_BOTH __host__ __device__ __forceinline__
#ifdef __CUDA_ARCH__
#define WS_DOM_UNROLL _Pragma("unroll")
#define WS_DOM_UNROLL_8 _Pragma("unroll 8")
#else
#define WS_DOM_UNROLL
#define WS_DOM_UNROLL_8
#endif
#define WS_DOM_LANE __device__ __forceinline__

// Transitions of one place in the order of WS_DOM_BM ...
template <class V> struct ws_dom_odds_at {
    V bm, mm, im, dm, md, mi, ii, dd;
};

// A pointer to values of a place is that of lane 0; the other lanes follow it. All threads of a problem call these
// functions together.
template <int PLACES> struct ws_dom_quad {
    enum { AHEAD = PLACES };
    typedef float V;    // a value of each lane
    typedef bool P;     // a truth of each lane
    typedef uint32_t W; // a word of each lane
    unsigned mask;      // threads of the problem in the warp
    uint32_t z;         // the thread's lane

    WS_DOM_LANE ws_dom_quad() : mask(15u << (threadIdx.x % 32 & ~3u)), z(threadIdx.x % 4) {}
    WS_DOM_LANE bool leads() const { return z == 0; }
    WS_DOM_LANE V set(float a) const { return a; }
    WS_DOM_LANE W word(uint32_t a) const { return a; }
    WS_DOM_LANE V load(const float *p) const { return p[z]; }
    WS_DOM_LANE V load_fixed(const float *p) const { return __ldg(p + z); } // of memory that no kernel writes
    WS_DOM_LANE void store(float *p, V v) const { p[z] = v; }
    WS_DOM_LANE void store(uint32_t *p, W v) const { p[z] = v; }
    WS_DOM_LANE ws_dom_odds_at<V> odds(const float *place) const {
        const float4 *p = (const float4 *)(const void *)place + 2 * z, a = __ldg(p), b = __ldg(p + 1);
        return {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    }
    WS_DOM_LANE V larger(V a, V b) const { return a > b ? a : b; }
    WS_DOM_LANE V pick(P p, V a, V b) const { return p ? a : b; }
    WS_DOM_LANE W pick(P p, W a, W b) const { return p ? a : b; }
    WS_DOM_LANE W bit(P p, int at) const { return (W)p << at; }
    WS_DOM_LANE bool any(P p) const { return __any_sync(mask, p); }
    // Return each lane's next lower (higher) lane, and 0 in the first (last).
    WS_DOM_LANE V up(V a) const {
        const float t = __shfl_up_sync(mask, a, 1, 4);
        return z == 0 ? 0.0f : t;
    }
    WS_DOM_LANE V down(V a) const {
        const float t = __shfl_down_sync(mask, a, 1, 4);
        return z == 3 ? 0.0f : t;
    }
    // Returns (l0 + l1) + (l2 + l3).
    WS_DOM_LANE float sum(V a) const {
        const float pair = a + __shfl_xor_sync(mask, a, 1, 4);
        return pair + __shfl_xor_sync(mask, pair, 2, 4);
    }
    WS_DOM_LANE float largest(V a) const {
        const float pair = larger(a, __shfl_xor_sync(mask, a, 1, 4));
        return larger(pair, __shfl_xor_sync(mask, pair, 2, 4));
    }
    // Returns whether lane `lane` is below `n` in stripes of Q places: whether node lane * Q + q + 1 <= M.
    WS_DOM_LANE P has_node(int q, int Q, int M) const { return (int)z * Q + q < M; }
    // Returns the largest 4 q + lane + 1 among the lanes that say yes; 0 if none does.
    WS_DOM_LANE uint32_t last(P yes, W q) const {
        const uint32_t own = yes ? 4 * q + z + 1 : 0, pair = max(own, __shfl_xor_sync(mask, own, 1, 4));
        return max(pair, __shfl_xor_sync(mask, pair, 2, 4));
    }
};

#endif
