/* SPDX-License-Identifier: MIT
 * Fuzz target: the parser of EMBL and UniProt. */
#include "tests/fuzz/parser.h"

FUZZ_TARGET("embl", ws_parser_embl, WS_FORMAT_EMBL)
