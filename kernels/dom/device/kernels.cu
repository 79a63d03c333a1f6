// SPDX-License-Identifier: MIT
// The kernels of the domain stage on CUDA devices, which cuda.cu launches.
//
// Four threads compute a problem, eight problems are a warp (rows.cuh, fit.cuh); or a warp computes one (wide.cuh), as
// for long models; a warp follows the traces of a region (sample.cuh). The order of operations is that of ref.c.
// Multiplications and additions are not fused, divisions are exact, subnormals are zero: the Makefile has the flags.

// Device code that calls a host function is compiled, without the call and what follows it.
#pragma nv_diag_error 20011, 20014

#include "kernels/dom/launches.h"
#include "kernels/dom/device/sample.cuh"
#include "kernels/dom/device/trace.cuh"
#include "kernels/dom/device/wide_fit.cuh"

// Rows lie in shared memory (SHARED) or in the call's. A block is a warp.
extern __shared__ __align__(16) float shared[];
template <bool SHARED> __device__ __forceinline__ float *rows_of(const ws_dom_args &a, const ws_dom_job &j) {
    return SHARED ? shared + (threadIdx.x & ~3u) : a.state + j.place;
}

// So many warps of a multiprocessor leave enough registers for a thread: nothing is spilled.
enum { BLOCKS = 16 };

// More registers for rows that are farther away: few problems of long models fit into a device's memory anyhow.
template <bool SHARED> using quad = ws_dom_quad<SHARED ? 4 : 8>;

template <bool SHARED, int KEEP> __global__ void __launch_bounds__(32) forward_kernel(const ws_dom_args a) {
    const uint32_t p = a.from + blockIdx.x * WS_DOM_SIDE_BY_SIDE + threadIdx.x / 4;
    if (p >= a.to) return;
    const ws_dom_job j = a.job[p];
    ws_dom_forward<KEEP>(quad<SHARED>(), j, ws_dom_state(rows_of<SHARED>(a, j), j.line, WS_DOM_PARSER_ROWS),
                         a.f + j.row, KEEP ? a.cell + j.cell : NULL);
}

template <bool SHARED, bool KEEP> __global__ void __launch_bounds__(32, SHARED ? BLOCKS : 0)
    backward_kernel(const ws_dom_args a) {
    const uint32_t p = a.from + blockIdx.x * WS_DOM_SIDE_BY_SIDE + threadIdx.x / 4;
    if (p >= a.to) return;
    const ws_dom_job j = a.job[p];
    const quad<SHARED> g;
    const bool own = ws_dom_backward<KEEP>(g, j, ws_dom_state(rows_of<SHARED>(a, j), j.line, WS_DOM_PARSER_ROWS),
                                           a.f + j.row, a.b + j.row,
                                           KEEP ? a.cell + j.cell + j.L * ws_dom_cell_row(j) : NULL);
    if (g.leads()) a.own[p] = own;
}

template <bool SHARED> __global__ void __launch_bounds__(32) accuracy_kernel(const ws_dom_args a) {
    const uint32_t p = a.from + blockIdx.x * WS_DOM_SIDE_BY_SIDE + threadIdx.x / 4;
    if (p >= a.to || a.fitted[p].range) return;
    const ws_dom_job j = a.job[p];
    const ws_dom_factors at = {a.w + j.row, a.B + j.row, a.pC + j.row, 1};
    ws_dom_accuracy(quad<SHARED>(), j, ws_dom_state(rows_of<SHARED>(a, j), j.line, WS_DOM_FIT_ROWS), a.cell + j.cell,
                    a.choice + j.choice, at, &a.fitted[p]);
}

// Returns the warp's problem, or that of the gang, which is the block; UINT32_MAX: it has none. The problems of a block
// are of one model. With TABLES the block first copies that model's transitions to shared memory, before the rows.
template <bool TABLES, int WARPS>
__device__ __forceinline__ uint32_t problem_of(const ws_dom_args &a, const float *ws_dom_job::*odds) {
    const uint32_t first = a.block[a.from + blockIdx.x], end = a.block[a.from + blockIdx.x + 1];
    if (TABLES) {
        const ws_dom_job &j = a.job[first];
        const uint32_t n = (uint32_t)ws_dom_tiles(j.Q) * WS_DOM_NTR * WS_DOM_TILE / 4;
        const float4 *from = (const float4 *)(const void *)(j.*odds);
        for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) ((float4 *)(void *)shared)[i] = __ldg(from + i);
        __syncthreads();
    }
    const uint32_t p = first + threadIdx.x / (32 * WARPS);
    return p < end ? p : UINT32_MAX;
}
// Returns the row of the warp or of the gang.
template <bool TABLES, int WARPS> __device__ __forceinline__ ws_dom_tiles_row row_of(const ws_dom_job &j) {
    float *rows = shared + (TABLES ? ws_dom_tiles(j.Q) * WS_DOM_NTR * WS_DOM_TILE : 0);
    const uint32_t nth = threadIdx.x / (32 * WARPS);
    return ws_dom_tiles_row(rows + nth * (uint32_t)ws_dom_row_floats(j.Q, WS_DOM_PARSER_ROWS), j);
}

template <int KEEP, bool TABLES, int WARPS = 1>
__global__ void __launch_bounds__(WARPS > 1 ? WARPS * 32 : WS_DOM_WARPS * 32, 1)
    wide_forward_kernel(const ws_dom_args a) {
    const uint32_t p = problem_of<TABLES, WARPS>(a, &ws_dom_job::in);
    if (p == UINT32_MAX) return;
    const ws_dom_job j = a.job[p];
    ws_dom_warp<TABLES, WARPS> g;
    ws_dom_wide_forward<KEEP>(g, j, row_of<TABLES, WARPS>(j), TABLES ? shared : j.in, a.f + j.row,
                              KEEP ? a.cell + j.cell : NULL);
}

template <bool KEEP, bool TABLES, int WARPS = 1>
__global__ void __launch_bounds__(WARPS > 1 ? WARPS * 32 : WS_DOM_WARPS * 32, 1)
    wide_backward_kernel(const ws_dom_args a) {
    const uint32_t p = problem_of<TABLES, WARPS>(a, &ws_dom_job::out);
    if (p == UINT32_MAX) return;
    const ws_dom_job j = a.job[p];
    ws_dom_warp<TABLES, WARPS> g;
    const bool own = ws_dom_wide_backward<KEEP>(g, j, row_of<TABLES, WARPS>(j),
                                                TABLES ? shared : j.out, a.f + j.row, a.b + j.row,
                                                KEEP ? a.cell + j.cell + j.L * ws_dom_cell_row(j) : NULL);
    if (g.leads()) a.own[p] = own;
}

// A block is a warp, or a gang, which has one problem.
template <int WARPS>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS / WARPS) wide_accuracy_kernel(const ws_dom_args a) {
    const uint32_t p = a.from + blockIdx.x;
    if (a.fitted[p].range) return;
    const ws_dom_job j = a.job[p];
    const ws_dom_factors at = {a.w + j.row, a.B + j.row, a.pC + j.row, 1};
    ws_dom_warp<false, WARPS> g;
    ws_dom_wide_accuracy(g, j, ws_dom_accuracy_tiles(shared, j), a.cell + j.cell, a.choice + j.choice, at,
                         &a.fitted[p]);
}

// A block is a warp, which has one region.
enum { REGIONS = 24 }; // of a multiprocessor
static __global__ void __launch_bounds__(32, REGIONS) sample_kernel(const ws_dom_args a) {
    ws_dom_team g;
    ws_dom_sample_region(g, a, a.from + blockIdx.x, shared);
}

// A block is a warp, whose lanes have the rows or the path of one problem.
template <void BODY(ws_dom_team &, const ws_dom_args &, uint32_t)>
__global__ void __launch_bounds__(32) team_kernel(const ws_dom_args a) {
    ws_dom_team g;
    BODY(g, a, a.from + blockIdx.x);
}

enum { NOTHING = WS_DOM_KEEP_NOTHING, PRODUCTS = WS_DOM_KEEP_PRODUCTS, CELLS = WS_DOM_KEEP_CELLS, GANG = WS_DOM_GANG };
extern "C" const ws_dom_launch ws_dom_launches[WS_DOM_LAUNCHES] = {
    {WS_DOM_FORWARD, WS_DOM_IN_MEMORY, (const void *)forward_kernel<false, NOTHING>, "ws_dom_forward"},
    {WS_DOM_FORWARD, WS_DOM_IN_SHARED, (const void *)forward_kernel<true, NOTHING>, "ws_dom_forward"},
    {WS_DOM_BACKWARD, WS_DOM_IN_MEMORY, (const void *)backward_kernel<false, false>, "ws_dom_backward"},
    {WS_DOM_BACKWARD, WS_DOM_IN_SHARED, (const void *)backward_kernel<true, false>, "ws_dom_backward"},
    {WS_DOM_FORWARD_FIT, WS_DOM_IN_MEMORY, (const void *)forward_kernel<false, PRODUCTS>, "ws_dom_forward_fit"},
    {WS_DOM_FORWARD_FIT, WS_DOM_IN_SHARED, (const void *)forward_kernel<true, PRODUCTS>, "ws_dom_forward_fit"},
    {WS_DOM_BACKWARD_FIT, WS_DOM_IN_MEMORY, (const void *)backward_kernel<false, true>, "ws_dom_backward_fit"},
    {WS_DOM_BACKWARD_FIT, WS_DOM_IN_SHARED, (const void *)backward_kernel<true, true>, "ws_dom_backward_fit"},
    {WS_DOM_ACCURACY, WS_DOM_IN_MEMORY, (const void *)accuracy_kernel<false>, "ws_dom_accuracy"},
    {WS_DOM_ACCURACY, WS_DOM_IN_SHARED, (const void *)accuracy_kernel<true>, "ws_dom_accuracy"},
    {WS_DOM_FORWARD_CELLS, WS_DOM_IN_MEMORY, (const void *)forward_kernel<false, CELLS>, "ws_dom_forward_cells"},
    {WS_DOM_FORWARD_CELLS, WS_DOM_IN_SHARED, (const void *)forward_kernel<true, CELLS>, "ws_dom_forward_cells"},
    {WS_DOM_FORWARD_CELLS, WS_DOM_BY_WARP, (const void *)wide_forward_kernel<CELLS, false>,
     "ws_dom_forward_cells_wide"},
    {WS_DOM_FORWARD_CELLS, WS_DOM_BY_BLOCK, (const void *)wide_forward_kernel<CELLS, true>,
     "ws_dom_forward_cells_wide"},
    {WS_DOM_SAMPLE, WS_DOM_BY_WARP, (const void *)sample_kernel, "ws_dom_sample"},
    {WS_DOM_FORWARD, WS_DOM_BY_WARP, (const void *)wide_forward_kernel<NOTHING, false>, "ws_dom_forward_wide"},
    {WS_DOM_FORWARD, WS_DOM_BY_BLOCK, (const void *)wide_forward_kernel<NOTHING, true>, "ws_dom_forward_wide"},
    {WS_DOM_BACKWARD, WS_DOM_BY_WARP, (const void *)wide_backward_kernel<false, false>, "ws_dom_backward_wide"},
    {WS_DOM_BACKWARD, WS_DOM_BY_BLOCK, (const void *)wide_backward_kernel<false, true>, "ws_dom_backward_wide"},
    {WS_DOM_FORWARD_FIT, WS_DOM_BY_WARP, (const void *)wide_forward_kernel<PRODUCTS, false>, "ws_dom_forward_fit_wide"},
    {WS_DOM_FORWARD_FIT, WS_DOM_BY_BLOCK, (const void *)wide_forward_kernel<PRODUCTS, true>, "ws_dom_forward_fit_wide"},
    {WS_DOM_BACKWARD_FIT, WS_DOM_BY_WARP, (const void *)wide_backward_kernel<true, false>, "ws_dom_backward_fit_wide"},
    {WS_DOM_BACKWARD_FIT, WS_DOM_BY_BLOCK, (const void *)wide_backward_kernel<true, true>, "ws_dom_backward_fit_wide"},
    {WS_DOM_ACCURACY, WS_DOM_BY_WARP, (const void *)wide_accuracy_kernel<1>, "ws_dom_accuracy_wide"},
    {WS_DOM_FORWARD_CELLS, WS_DOM_BY_GANG, (const void *)wide_forward_kernel<CELLS, true, GANG>,
     "ws_dom_forward_cells_gang"},
    {WS_DOM_FORWARD, WS_DOM_BY_GANG, (const void *)wide_forward_kernel<NOTHING, true, GANG>, "ws_dom_forward_gang"},
    {WS_DOM_BACKWARD, WS_DOM_BY_GANG, (const void *)wide_backward_kernel<false, true, GANG>, "ws_dom_backward_gang"},
    {WS_DOM_FORWARD_FIT, WS_DOM_BY_GANG, (const void *)wide_forward_kernel<PRODUCTS, true, GANG>,
     "ws_dom_forward_fit_gang"},
    {WS_DOM_BACKWARD_FIT, WS_DOM_BY_GANG, (const void *)wide_backward_kernel<true, true, GANG>,
     "ws_dom_backward_fit_gang"},
    {WS_DOM_ACCURACY, WS_DOM_BY_GANG, (const void *)wide_accuracy_kernel<GANG>, "ws_dom_accuracy_gang"},
    {WS_DOM_FIND, 0, (const void *)team_kernel<ws_dom_find>, "ws_dom_find"},
    {WS_DOM_SCORE, 0, (const void *)team_kernel<ws_dom_score_rows>, "ws_dom_score"},
    {WS_DOM_DECODE, 0, (const void *)team_kernel<ws_dom_decode>, "ws_dom_decode"},
    {WS_DOM_TRACE, 0, (const void *)team_kernel<ws_dom_trace>, "ws_dom_trace"},
};
size_t ws_dom_shared_most = 32 << 10, ws_dom_block_most = SIZE_MAX, ws_dom_gangs_most = 0;
int ws_dom_wide_least = 33, ws_dom_gang_least = 300;
ws_dom_margins ws_dom_margin = {WS_DOM_UNSURE, WS_DOM_UNSURE_END};
