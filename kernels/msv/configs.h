/* SPDX-License-Identifier: MIT
 * The shapes of the MSV recursion on a device, listed once. A lane holds R registers of 2 nodes, a group of g lanes 2*g*R.
 *
 * Few sequences come here, and the rows of the longest of them are what takes the time. So many lanes have few nodes each;
 * below 4 registers a row waits for the lane before.
 *
 *   near     1 to 8 lanes share the table's 8 slots, M up to 64
 *   wide     16 lanes up to M = 128, 32 lanes beyond; as many slots
 *   global   32 lanes, the table read from device memory through the cache: M up to 2*32*160 = 10240 */
#ifndef WS_MSV_CONFIGS_H
#define WS_MSV_CONFIGS_H

enum { WS_MSV_NEAR, WS_MSV_WIDE16, WS_MSV_WIDE32, WS_MSV_GLOBAL, WS_MSV_NKIND };

#define WS_MSV_LOW(F, ...) F(4, __VA_ARGS__)
#define WS_MSV_HIGH(F, ...) \
    F(6, __VA_ARGS__) F(8, __VA_ARGS__) F(10, __VA_ARGS__) F(13, __VA_ARGS__) F(16, __VA_ARGS__) F(20, __VA_ARGS__) \
    F(24, __VA_ARGS__) F(28, __VA_ARGS__) F(32, __VA_ARGS__)
#define WS_MSV_VAST(F, ...) F(48, __VA_ARGS__) F(96, __VA_ARGS__) F(160, __VA_ARGS__)

#endif
