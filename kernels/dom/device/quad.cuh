// SPDX-License-Identifier: MIT
// The four lanes of a problem on a device: four threads side by side, each with one lane. Bodies are templates over
// this class, so that a test can run the same bodies with four lanes of the processor (tests/fault/dom.cu).
#ifndef WS_DOM_QUAD_CUH
#define WS_DOM_QUAD_CUH

#include <stdint.h>

#define WS_DOM_BOTH __host__ __device__ __forceinline__
#ifdef __CUDA_ARCH__
#define WS_DOM_UNROLL _Pragma("unroll")
#define WS_DOM_UNROLL_2 _Pragma("unroll 2")
#define WS_DOM_UNROLL_4 _Pragma("unroll 4")
#define WS_DOM_UNROLL_8 _Pragma("unroll 8")
#define WS_DOM_UNROLL_16 _Pragma("unroll 16")
#else
#define WS_DOM_UNROLL
#define WS_DOM_UNROLL_2
#define WS_DOM_UNROLL_4
#define WS_DOM_UNROLL_8
#define WS_DOM_UNROLL_16
#endif
#define WS_DOM_LANE __device__ __forceinline__

// Transitions of one place in the order of WS_DOM_BM ...
template <class V> struct ws_dom_odds_at {
    V bm, mm, im, dm, md, mi, ii, dd;
};

// Stores a cell of a region's matrix: M, I and D of a node, and B of the row.
WS_DOM_BOTH void ws_dom_store_cell(float *at, float m, float i, float d, float b) {
    *(float4 *)(void *)at = make_float4(m, i, d, b);
}

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
    // Stores the cells of place q of a row that begins with node 0.
    WS_DOM_LANE void store_cells(float *row, int q, int Q, int M, V m, V i, V d, float b) const {
        const int k = (int)z * Q + q + 1;
        if (k <= M) ws_dom_store_cell(row + 4 * (size_t)k, m, i, d, b);
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

// Four places of a lane.
template <class V> struct ws_dom_four {
    V at[4];
};
template <class V> WS_DOM_BOTH ws_dom_four<V> ws_dom_all_four(V v) { return {{v, v, v, v}}; }

// A warp that has one problem, or a gang of WARPS warps that has one, which is a block: eight parts of four threads in
// each warp (wide.cuh). SHARED: its model's transitions lie in shared memory.
template <bool SHARED, int WARPS = 1> struct ws_dom_warp : ws_dom_quad<4> {
    template <class T> struct each { // a value of each part
        T value;
        WS_DOM_LANE T &operator[](int) { return value; }
    };
    uint32_t part;

    WS_DOM_LANE ws_dom_warp() : part(threadIdx.x % (32 * WARPS) / 4) {}
    WS_DOM_LANE int nparts() const { return 8 * WARPS; }
    WS_DOM_LANE bool leads() const { return threadIdx.x % (32 * WARPS) == 0; }
    WS_DOM_LANE bool leads_part() const { return z == 0; }
    // The barriers also order the memory accesses of the threads.
    template <class F> WS_DOM_LANE void parts(F f) const {
        f((int)part);
        barrier();
    }
    template <class F> WS_DOM_LANE void first(F f) const {
        if (part == 0) f();
        barrier();
    }
    // Returns the first thread's value. The caller has a phase between two calls of this function, and of each of the
    // next two, since the warps of a gang read what the next call writes.
    WS_DOM_LANE float of_first(float a) const {
        if (WARPS == 1) return __shfl_sync(~0u, a, 0);
        __shared__ float first;
        if (leads()) first = a;
        barrier();
        return first;
    }
    // Returns the largest `best` of all lanes of all parts.
    template <class B> WS_DOM_LANE float largest_best(each<B> &of) const {
        float most = of.value.best;
        for (int k = 1; k < 32; k *= 2) most = larger(most, __shfl_xor_sync(~0u, most, k));
        if (WARPS == 1) return most;
        __shared__ float of_warp[WARPS];
        return largest_of(of_warp, most);
    }
    // Returns the largest 4 q + lane + 1 of the places `at` whose `best` is E; 0 if there is none.
    template <class B> WS_DOM_LANE uint32_t last_best(each<B> &of, float E) const {
        uint32_t most = !(E > of.value.best) ? 4 * of.value.at + z + 1 : 0;
        for (int k = 1; k < 32; k *= 2) most = max(most, __shfl_xor_sync(~0u, most, k));
        if (WARPS == 1) return most;
        __shared__ uint32_t of_warp[WARPS];
        return largest_of(of_warp, most);
    }
    // Load and store what a lane has of a tile: all four places, or the one at u. `fixed`: of memory that no kernel
    // writes; `table`: of the model's transitions.
    WS_DOM_LANE ws_dom_four<V> load_four(const float *p) const { return four(((const float4 *)(const void *)p)[z]); }
    WS_DOM_LANE ws_dom_four<V> load_fixed_four(const float *p) const {
        return four(__ldg((const float4 *)(const void *)p + z));
    }
    WS_DOM_LANE ws_dom_four<V> table(const float *p) const { return SHARED ? load_four(p) : load_fixed_four(p); }
    WS_DOM_LANE V load_at(const float *p, int u) const { return p[4 * z + (uint32_t)u]; }
    WS_DOM_LANE V load_fixed_at(const float *p, int u) const { return __ldg(p + 4 * z + (uint32_t)u); }
    WS_DOM_LANE V table_at(const float *p, int u) const { return SHARED ? load_at(p, u) : load_fixed_at(p, u); }
    WS_DOM_LANE void store_four(float *p, const ws_dom_four<V> &v) const {
        ((float4 *)(void *)p)[z] = make_float4(v.at[0], v.at[1], v.at[2], v.at[3]);
    }
    // Begins to copy a tile that no kernel writes to shared memory, and waits for what the thread began to copy.
    WS_DOM_LANE void fetch_four(float *to, const float *from) const {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(to + 4 * z)),
                     "l"(from + 4 * z)
                     : "memory");
#else
        store_four(to, load_fixed_four(from));
#endif
    }
    WS_DOM_LANE void fetched() const {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    }
    // Asks for what load_four will load of products a row later.
    WS_DOM_LANE void soon(const float *p) const { asm volatile("prefetch.global.L2 [%0];" ::"l"(p + 8 * z)); }

  private:
    WS_DOM_LANE static ws_dom_four<V> four(float4 v) { return {{v.x, v.y, v.z, v.w}}; }
    WS_DOM_LANE void barrier() const {
        if (WARPS == 1) __syncwarp();
        else __syncthreads();
    }
    // Returns the largest of the warps' values.
    template <class T> WS_DOM_LANE T largest_of(T *of_warp, T own) const {
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = own;
        barrier();
        T most = of_warp[0];
WS_DOM_UNROLL
        for (int k = 1; k < WARPS; k++) most = of_warp[k] > most ? of_warp[k] : most;
        return most;
    }
};

// A warp whose lanes have 32 rows of a problem, or 32 steps of a path or of a region's traces (find.cuh, trace.cuh,
// sample.cuh).
enum { WS_DOM_TEAM = 32 };
struct ws_dom_team {
    template <class T> struct each { // a value of each lane
        T value;
        WS_DOM_LANE T &operator[](int) { return value; }
    };
    WS_DOM_LANE bool leads() const { return threadIdx.x == 0; }
    template <class F> WS_DOM_LANE void lanes(F f) const { f((int)threadIdx.x); }
    // Waits for all lanes, and orders their accesses to memory.
    WS_DOM_LANE void sync() const { __syncwarp(); }
    // Returns the first lane that says yes; 32: none does.
    template <class F> WS_DOM_LANE uint32_t first(F yes) const {
        const uint32_t all = __ballot_sync(~0u, yes((int)threadIdx.x));
        return all ? (uint32_t)__ffs((int)all) - 1 : 32;
    }
    // Returns a bit of each lane.
    template <class F> WS_DOM_LANE uint32_t ballot(F yes) const { return __ballot_sync(~0u, yes((int)threadIdx.x)); }
    template <class T> WS_DOM_LANE T of(each<T> &a, uint32_t lane) const {
        return __shfl_sync(~0u, a.value, (int)lane);
    }
    // Adds (multiplies) the first n lanes' values to `all`, one after another. Each lane keeps the result up to its own
    // value. Return the last result.
    WS_DOM_LANE float running_sum(each<float> &a, float all, uint32_t n) const {
        return running(a, all, n, [](float x, float y) { return x + y; });
    }
    WS_DOM_LANE float running_product(each<float> &a, float all, uint32_t n) const {
        return running(a, all, n, [](float x, float y) { return x * y; });
    }
    // Gives each lane the value of the lane before it, and the first lane `first`.
    WS_DOM_LANE void shift(each<float> &a, float first) const {
        const float before = __shfl_up_sync(~0u, a.value, 1);
        a.value = threadIdx.x ? before : first;
    }
    WS_DOM_LANE float largest(const each<float> &a) const {
        float most = a.value;
        for (int k = 1; k < 32; k *= 2) {
            const float other = __shfl_xor_sync(~0u, most, k);
            most = other > most ? other : most;
        }
        return most;
    }
    WS_DOM_LANE int32_t least(const each<int32_t> &a) const {
        int32_t least = a.value;
        for (int k = 1; k < 32; k *= 2) {
            const int32_t other = __shfl_xor_sync(~0u, least, k);
            least = other < least ? other : least;
        }
        return least;
    }
    // Adds to each lane's value those of the lanes before it.
    WS_DOM_LANE void add_up(each<double> &a) const {
        for (unsigned k = 1; k < 32; k *= 2) {
            const double before = __shfl_up_sync(~0u, a.value, k);
            if (threadIdx.x >= k) a.value += before;
        }
    }
    // Sets each lane's value to (l0 + l1) + (l2 + l3) of its four.
    WS_DOM_LANE void add_four(each<float> &a) const {
        const float pair = a.value + __shfl_xor_sync(~0u, a.value, 1);
        a.value = pair + __shfl_xor_sync(~0u, pair, 2);
    }

  private:
    template <class F> WS_DOM_LANE static float running(each<float> &a, float all, uint32_t n, F and_one) {
        const float mine = a.value;
WS_DOM_UNROLL_8
        for (uint32_t u = 0; u < n; u++) {
            all = and_one(all, __shfl_sync(~0u, mine, (int)u));
            if (threadIdx.x == u) a.value = all;
        }
        return all;
    }
};

WS_DOM_BOTH uint32_t ws_dom_ones(uint32_t word) {
#ifdef __CUDA_ARCH__
    return (uint32_t)__popc(word);
#else
    return (uint32_t)__builtin_popcount(word);
#endif
}

#endif
