// SPDX-License-Identifier: MIT
// Rows of ungapped diagonals on CUDA devices, for kernels/ssv/rows.cuh and kernels/long/mark.cuh;
// kernels/ssv/dipeptides.cuh has its floor and alarm. Four bytes to a register, a group of 1 to 32 lanes a sequence.
//
// A register holds v of four nodes as bytes 128 + v. Node n (from 0) of a lane's 4R is byte n / R of register n % R. So
// the diagonal's predecessor is the register before. Only register 0 takes its bytes from elsewhere: from register R -
// 1, one byte up, and from the lane before.
//
// A row is  t = u + E,  E = sum of -d_k(x) * 256^byte  in one 32-bit addition. Every byte of t lies in 0..255: d is at
// most 128, -d at most bias, and v is below 127 - bias while exact heights matter. Then bytes below 128 return to 128.
// mark.cuh has w for v, and bounds of its own.
#ifndef WS_SSV_STATE_CUH
#define WS_SSV_STATE_CUH

#include "kernels/filter/group.cuh"
#include "kernels/ssv/shapes.cuh"

static const uint32_t WS_SSV_FLOOR = 0x80808080u;

__device__ __forceinline__ uint32_t ws_ssv_above_floor(uint32_t t) {
    uint32_t mask;
    asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(mask) : "r"(t)); // 0xff where a byte's top bit is set
    return (t & mask) | WS_SSV_FLOOR;
}

// Tracks the highest byte. The integer pipe is the limit, so multiplications, which use another, replace shifts.
struct ws_ssv_top {
    uint32_t odd, even, byte_up; // byte_up: 256

    __device__ __forceinline__ void clear() { odd = even = 0; }
    __device__ __forceinline__ void see(uint32_t a, uint32_t b) {
        odd = __vimax3_u16x2(odd, a, b);
        even = __vimax3_u16x2(even, a * byte_up, b * byte_up);
    }
    __device__ __forceinline__ uint32_t best() const {
        const uint32_t m = __vmaxu2(odd, even); // the high byte of each half counts
        return max(m >> 24, m >> 8 & 255u);
    }
};

// Tells whether a height reached a threshold. Every byte is 128 at least, so no byte borrows from its neighbour, and
// its top bit stays set where its height is the threshold at least.
struct ws_ssv_alarm {
    uint32_t any, one, minus; // one: 1, for the multiplier; minus: the threshold in each byte, negated

    __device__ __forceinline__ void clear() { any = 0; }
    __device__ __forceinline__ void see(uint32_t a, uint32_t b) {
        any |= (a * one + minus) | (b * one + minus);
    }
    __device__ __forceinline__ bool raised() const { return any & WS_SSV_FLOOR; }
};

// WATCH sees all registers of a row, two at a time. The emission table has ROWS rows.
template <int R, int COLUMNS, bool GROUP, class WATCH, int ROWS = WS_CODES> struct ws_ssv_state {
    uint32_t u[R];
    WATCH watch;

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int j = 0; j < R; j++) u[j] = WS_SSV_FLOOR;
        watch.clear();
    }

    // Computes one row. e: the table row of this step and lane; g: lanes a group.
    __device__ __forceinline__ void row(const uint4 *e, bool first_lane, int g) {
        uint32_t in = WS_SSV_FLOOR;
        if (GROUP) {
            in = __shfl_up_sync(~0u, u[R - 1], 1, g);
            if (first_lane) in = WS_SSV_FLOOR;
        }
        in = __byte_perm(u[R - 1], in, 0x2107);
#pragma unroll
        for (int c = (R - 1) / 4; c >= 0; c--) {
            const uint4 q = e[c * ROWS * COLUMNS];
#pragma unroll
            for (int j = 4 * c + 3; j >= 4 * c; j--)
                if (j < R) u[j] = ws_ssv_above_floor((j ? u[j - 1] : in) + ws_element(q, j & 3));
#pragma unroll
            for (int j = 4 * c + 2; j >= 4 * c; j -= 2)
                if (j < R) watch.see(u[j], u[j + 1 < R ? j + 1 : j]);
        }
    }

    // Limits all heights to that of `cap`, the same byte four times, and forgets what the watch saw.
    __device__ __forceinline__ void clamp(uint32_t cap) {
#pragma unroll
        for (int j = 0; j < R; j++) u[j] = __vminu4(u[j], cap);
        watch.clear();
    }
};

#endif
