// SPDX-License-Identifier: MIT
// The shapes of Forward on a device. A warp owns a sequence, and a lane owns Q nodes as the canonical order demands. So
// Q is ceil(M/32) exactly, and each Q up to 32 has its own kernel.
//
// A node has 4 registers of state and 9 of coefficients. WS_FWD_KEPT(Q) coefficients, in the order of the enumeration
// in device.cuh, fit into registers; the others are in shared memory.
#ifndef WS_FWD_SHAPES_CUH
#define WS_FWD_SHAPES_CUH

#include "kernels/filter/launch.cuh"

#define WS_FWD_EACH_Q(F) \
    F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19) F(20) \
    F(21) F(22) F(23) F(24) \
    F(25) F(26) F(27) F(28) F(29) F(30) F(31) F(32)
#define WS_FWD_KEPT(Q) ((Q) <= 14 ? 9 : 200 / (Q) - 4)
// Kernels for longer models, each for eight Q up to its number. Beyond the last, a cluster of 2, 4 or 8 blocks splits
// the nodes of each lane. Beyond 8 blocks, or on a device without clusters, the CPU scores.
#define WS_FWD_EACH_LONG(F) F(40) F(48) F(56) F(64) F(72) F(80) F(88) F(96)
#define WS_FWD_EACH_WIDE(F, ...) \
    F(56, __VA_ARGS__) F(64, __VA_ARGS__) F(72, __VA_ARGS__) F(80, __VA_ARGS__) F(88, __VA_ARGS__) F(96, __VA_ARGS__)

// Warps of a block. Where the emission table leaves no room for a second block on a multiprocessor, a block has more.
#define WS_FWD_WARPS(Q) ((Q) > 20 ? 8 : 4)

// The shape with the fewest nodes that has room costs least.
static const ws_cost ws_fwd_costs[] = {{90, 1, 0, 0, 1}};

#endif
