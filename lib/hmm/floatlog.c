/* SPDX-License-Identifier: MIT
 * The tables of floatlog.h: 1/c rounded to 20 bits after the point, -log of that rounded to 42 bits, and the
 * remainder. */
#include "lib/hmm/floatlog.h"

const ws_floatlog_table ws_floatlog __attribute__((aligned(64))) = {
    .inverse = {0x1.6c16cp+0, 0x1.5c988p+0, 0x1.4e5e1p+0, 0x1.41414p+0, 0x1.3521dp+0, 0x1.29e41p+0, 0x1.1f704p+0,
                0x1.15b1ep+0, 0x1.0c971p+0, 1.0, 1.0, 0x1.d41d4p-1, 0x1.bacfap-1, 0x1.a41a4p-1, 0x1.8f9c2p-1,
                0x1.7d06p-1},
    .high = {-0x1.68ac7fe9c7p-2, -0x1.3c251f7333p-2, -0x1.1178f9227ep-2, -0x1.d103772656p-3, -0x1.823c18551ap-3,
             -0x1.365fb90158p-3, -0x1.da72063844p-4, -0x1.4d30bdd208p-4, -0x1.894a0949f8p-5, 0.0, 0.0,
             0x1.6f0d38ae58p-4, 0x1.2954eb82p-3, 0x1.9525b1cf46p-3, 0x1.fb9162d5e4p-3, 0x1.2e8e0bae12p-2},
    .low = {0x1.82f966ca9df86p-44, -0x1.03b54ab5c12a2p-46, -0x1.1cef1cf876496p-45, 0x1.c4a7e7861a190p-47,
            -0x1.deddb9a6873d8p-46, -0x1.da45f4c7a96dfp-44, 0x1.1ddb06a6b91e1p-44, 0x1.073a28fa4a459p-44,
            -0x1.cb334d0604118p-45, 0.0, 0.0, -0x1.434641b10f0bdp-44, 0x1.ccd2e7e07238fp-45, -0x1.217137d49c039p-44,
            0x1.9d46a30b36357p-46, 0x1.4c2700879c369p-44},
};
