/* SPDX-License-Identifier: MIT
 * Numbers as they are printed by %.4g, in 24 bits. Internal to lib/stream. */
#ifndef WS_STREAM_DECIMAL_H
#define WS_STREAM_DECIMAL_H

#include <stdint.h>

/* Returns the four digits of a number and its power of ten, as WS_CELL_GENERAL24 has them. Bits 0 to 13 are m, bits 14
 * to 23 are x + 512, and the number is m * 10^x. A NaN is WS_DECIMAL_EMPTY. v must be 0 or more, finite, and not the
 * zero with a sign. */
uint32_t ws_decimal_of(double v);
/* Returns the number that 24 bits stand for: the double that is nearest to m * 10^x. */
double ws_decimal_value(uint32_t bits);
#define WS_DECIMAL_EMPTY UINT32_C(0xffffff)

#endif
