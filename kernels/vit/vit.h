/* SPDX-License-Identifier: MIT
 * The Viterbi filter: the best gapped path in 16 bits. Backends of one kernel; see README.md. */
#ifndef WS_VIT_H
#define WS_VIT_H

#include "lib/hmm/fscore.h"
#include "lib/hmm/profile.h"
#include "lib/run/tool.h"

extern const ws_backend ws_vit_scalar, ws_vit_avx2, ws_vit_avx512, ws_vit_cuda;

#endif
