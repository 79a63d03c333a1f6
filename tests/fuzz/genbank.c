/* SPDX-License-Identifier: MIT
 * Fuzz target: the parser of GenBank. */
#include "tests/fuzz/parser.h"

FUZZ_TARGET("genbank", ws_parser_genbank, WS_FORMAT_GENBANK)
