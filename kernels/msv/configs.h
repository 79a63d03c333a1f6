/* SPDX-License-Identifier: MIT
 * The shapes of the MSV recursion on a device, listed once. A lane holds R registers of 2 nodes, a group of g lanes 2*g*R.
 *
 *   near     1 to 8 lanes share the table's 8 slots
 *   wide     16 or 32 lanes, as many slots
 *   global   32 lanes, the table read from device memory through the cache: M up to 2*32*160 = 10240 */
#ifndef WS_MSV_CONFIGS_H
#define WS_MSV_CONFIGS_H

enum { WS_MSV_NEAR, WS_MSV_WIDE16, WS_MSV_WIDE32, WS_MSV_GLOBAL, WS_MSV_NKIND };

#define WS_MSV_SHORT(F, ...) F(4, __VA_ARGS__) F(8, __VA_ARGS__) F(10, __VA_ARGS__) F(13, __VA_ARGS__)
#define WS_MSV_LONG(F, ...) F(16, __VA_ARGS__) F(20, __VA_ARGS__) F(24, __VA_ARGS__) F(28, __VA_ARGS__) F(32, __VA_ARGS__)
#define WS_MSV_VAST(F, ...) F(48, __VA_ARGS__) F(96, __VA_ARGS__) F(160, __VA_ARGS__)

#endif
