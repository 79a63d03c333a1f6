// SPDX-License-Identifier: MIT
// The shapes of the MSV recursion on a device. A lane holds R registers of 2 nodes, a group of g lanes 2*g*R.
//
// Few sequences need the recursion, so the longest of them takes most of the time. A group therefore has many lanes
// with few nodes each. With fewer than 4 registers a row would wait for the lane before.
//
//   near   1 to 8 lanes share the table's 8 columns, M up to 64
//   wide   16 lanes up to M = 128, 32 lanes beyond; as many columns
//   vast   32 lanes, the table read from device memory through the cache: M up to 2*32*160 = 10240
#ifndef WS_MSV_SHAPES_CUH
#define WS_MSV_SHAPES_CUH

#include "kernels/filter/launch.cuh"

#define WS_MSV_LOW(F, ...) F(4, __VA_ARGS__)
#define WS_MSV_HIGH(F, ...) \
    F(6, __VA_ARGS__) F(8, __VA_ARGS__) F(10, __VA_ARGS__) F(13, __VA_ARGS__) F(16, __VA_ARGS__) F(20, __VA_ARGS__) \
    F(24, __VA_ARGS__) F(28, __VA_ARGS__) F(32, __VA_ARGS__)
#define WS_MSV_VAST(F, ...) F(48, __VA_ARGS__) F(96, __VA_ARGS__) F(160, __VA_ARGS__)

static const ws_cost ws_msv_costs[] = {{90, 3.5, 12, 24, 4}};

#endif
