/* SPDX-License-Identifier: MIT
 * The shapes of Forward on a device, listed once. A warp owns a sequence, a lane Q nodes, as the canonical order has it; so
 * Q is ceil(M/32) exactly, and each up to 32 has a kernel of its own.
 *
 * A node has 4 registers of state and 9 of coefficients. As many of the latter as fit stay in registers, the rest in shared
 * memory: WS_FWD_KEPT(Q), in the order of the enumeration in device.cuh. */
#ifndef WS_FWD_CONFIGS_H
#define WS_FWD_CONFIGS_H

#define WS_FWD_EACH_Q(F) \
    F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19) F(20) F(21) F(22) F(23) F(24) \
    F(25) F(26) F(27) F(28) F(29) F(30) F(31) F(32)
#define WS_FWD_KEPT(Q) ((Q) <= 14 ? 9 : 200 / (Q) - 4)
/* Longer models: a kernel serves eight Q, those up to its number, and the last one ends at WS_FWD_LONGEST. Beyond, 2, 4 or 8 blocks
 * of a cluster have so many places of each lane; beyond WS_FWD_BLOCKS of them, or on a device without clusters, the host scores. */
#define WS_FWD_EACH_LONG(F) F(40) F(48) F(56) F(64) F(72) F(80) F(88) F(96)
#define WS_FWD_LONGEST 96
#define WS_FWD_EACH_WIDE(F, ...) \
    F(56, __VA_ARGS__) F(64, __VA_ARGS__) F(72, __VA_ARGS__) F(80, __VA_ARGS__) F(88, __VA_ARGS__) F(96, __VA_ARGS__)
#define WS_FWD_BLOCKS 8

/* Warps of a block: one block a multiprocessor where the emission table leaves no room for a second. */
#define WS_FWD_WARPS(Q) ((Q) > 20 ? 8 : 4)

#endif
