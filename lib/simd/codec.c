/* SPDX-License-Identifier: MIT
 * The choice of a codec: see lib/simd/codec.h. */
#include "lib/simd/codec.h"

static const ws_codec *const codecs[WS_NWIDTH] = {WS_BY_WIDTH(ws_codec_)};

const ws_codec *ws_codec_get(const ws_cpu *cpu) { return codecs[ws_cpu_best(cpu)]; }
