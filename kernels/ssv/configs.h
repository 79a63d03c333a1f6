/* SPDX-License-Identifier: MIT
 * The shapes of SSV on a device, listed once. A lane holds R registers of 4 nodes, a group of g lanes 4*g*R nodes.
 *
 *   single   one lane a sequence, M <= 128
 *   group    2, 4 or 8 lanes share the table's 8 slots
 *   wide     16 or 32 lanes, as many slots
 *   global   32 lanes, the table read from device memory through the cache: M up to 4*32*128 = 16384 */
#ifndef WS_SSV_CONFIGS_H
#define WS_SSV_CONFIGS_H

enum { WS_SSV_SINGLE, WS_SSV_GROUP, WS_SSV_WIDE16, WS_SSV_WIDE32, WS_SSV_GLOBAL, WS_SSV_NKIND };

/* F(R, ...): two apart, so that padding is at most 4 % from R = 17 on */
#define WS_SSV_LOW(F, ...) \
    F(4, __VA_ARGS__) F(6, __VA_ARGS__) F(8, __VA_ARGS__) F(10, __VA_ARGS__) F(12, __VA_ARGS__) F(14, __VA_ARGS__) F(16, __VA_ARGS__)
#define WS_SSV_HIGH(F, ...) \
    F(18, __VA_ARGS__) F(20, __VA_ARGS__) F(22, __VA_ARGS__) F(24, __VA_ARGS__) F(25, __VA_ARGS__) F(26, __VA_ARGS__) \
    F(28, __VA_ARGS__) F(30, __VA_ARGS__) F(32, __VA_ARGS__)
#define WS_SSV_VAST(F, ...) F(40, __VA_ARGS__) F(64, __VA_ARGS__) F(96, __VA_ARGS__) F(128, __VA_ARGS__)

#endif
