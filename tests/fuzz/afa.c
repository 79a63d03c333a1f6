/* SPDX-License-Identifier: MIT
 * Fuzz target: the parser of aligned FASTA. */
#include "tests/fuzz/parser.h"

FUZZ_TARGET("afa", ws_parser_afa, WS_FORMAT_AFA)
