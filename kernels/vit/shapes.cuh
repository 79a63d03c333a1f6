// SPDX-License-Identifier: MIT
// The shapes of the Viterbi filter on a device. A lane holds R times 2 nodes with their states and transitions in 9 R
// or 10 R registers, a group of g lanes 2*g*R nodes.
//
//   near     1 to 8 lanes share the table's 8 columns
//   wide     16 or 32 lanes, as many columns
//   block    a block of 2 to 8 warps a sequence, the table read through the cache: M up to 2*16*256 = 8192
//   cluster  2, 4 or 8 blocks a sequence: M up to 65536
#ifndef WS_VIT_SHAPES_CUH
#define WS_VIT_SHAPES_CUH

#include "kernels/filter/launch.cuh"

enum { WS_VIT_CLUSTER_MOST = 8 }; // most blocks of a cluster

// Blocks of four warps on a multiprocessor: its 65536 registers, at 10 R + 28 a thread.
#define WS_VIT_BLOCKS(R) (512 / (10 * (R) + 28))

// Whether the D-to-D transitions, the tenth R registers, fit there too. Only one row of several needs them.
#define WS_VIT_KEEP_DD(R) ((R) >= 16 && (R) <= 20)

#define WS_VIT_SHORT(F, ...) F(4, __VA_ARGS__) F(6, __VA_ARGS__)
#define WS_VIT_LONG(F, ...) \
    F(8, __VA_ARGS__) F(9, __VA_ARGS__) F(10, __VA_ARGS__) F(11, __VA_ARGS__) F(12, __VA_ARGS__) \
    F(13, __VA_ARGS__) F(14, __VA_ARGS__) \
    F(16, __VA_ARGS__)
#define WS_VIT_FULL(F, ...) F(18, __VA_ARGS__) F(20, __VA_ARGS__) F(22, __VA_ARGS__) F(24, __VA_ARGS__)
#define WS_VIT_VAST(F, ...) \
    F(10, __VA_ARGS__) F(11, __VA_ARGS__) F(12, __VA_ARGS__) F(13, __VA_ARGS__) F(14, __VA_ARGS__) F(16, __VA_ARGS__)
#define WS_VIT_HUGE(F, ...) F(12, __VA_ARGS__) F(16, __VA_ARGS__)

static const ws_cost ws_vit_costs[] = {{90, 10, 45, 0, 2}};

#endif
