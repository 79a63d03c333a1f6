/* SPDX-License-Identifier: MIT
 * Fuzz target: the FASTA parser. */
#include "tests/fuzz/parser.h"

FUZZ_TARGET("fasta", ws_parser_fasta, WS_FORMAT_FASTA)
