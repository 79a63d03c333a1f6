// SPDX-License-Identifier: MIT
// The shapes of SSV on a device. A lane holds R registers of 4 nodes, a group of g lanes 4*g*R nodes.
//
//   single   one lane a sequence, M <= 128
//   group    2, 4 or 8 lanes share the table's 8 columns
//   wide     16 or 32 lanes, as many columns
//   vast     32 lanes, the table read from device memory through the cache: M up to 4*32*128 = 16384
#ifndef WS_SSV_SHAPES_CUH
#define WS_SSV_SHAPES_CUH

#include "kernels/filter/launch.cuh"

// F(R, ...): steps of two, so that padding is at most 4 % from R = 17 on
#define WS_SSV_LOW(F, ...) \
    F(4, __VA_ARGS__) \
    F(6, __VA_ARGS__) F(8, __VA_ARGS__) F(10, __VA_ARGS__) F(12, __VA_ARGS__) F(14, __VA_ARGS__) F(16, __VA_ARGS__)
#define WS_SSV_MIDDLE(F, ...) F(18, __VA_ARGS__) F(20, __VA_ARGS__) F(22, __VA_ARGS__) F(24, __VA_ARGS__)
#define WS_SSV_HIGH(F, ...) \
    WS_SSV_MIDDLE(F, __VA_ARGS__) \
    F(25, __VA_ARGS__) F(26, __VA_ARGS__) F(28, __VA_ARGS__) F(30, __VA_ARGS__) F(32, __VA_ARGS__)
#define WS_SSV_VAST(F, ...) F(40, __VA_ARGS__) F(64, __VA_ARGS__) F(96, __VA_ARGS__) F(128, __VA_ARGS__)

enum { WS_SSV_THREADS = 256, WS_SSV_THREADS_WIDE = 512 };

// F(R, COLUMNS, GROUP, GLOBAL, threads, fewest lanes, most lanes). ws_ssv_dev.fit is an index into this order.
#define WS_SSV_SHAPES(F) \
    WS_SSV_LOW(F, 8, false, false, WS_SSV_THREADS, 1, 1) \
    WS_SSV_HIGH(F, 8, false, false, WS_SSV_THREADS, 1, 1) \
    WS_SSV_HIGH(F, 8, true, false, WS_SSV_THREADS, 2, 8) \
    WS_SSV_HIGH(F, 16, true, false, WS_SSV_THREADS, 16, 16) \
    WS_SSV_HIGH(F, 32, true, false, WS_SSV_THREADS_WIDE, 32, 32) \
    WS_SSV_VAST(F, 32, true, true, WS_SSV_THREADS, 32, 32)

static const ws_cost ws_ssv_costs[] = {{90, 5.3, 12, 0, 4}};

#endif
