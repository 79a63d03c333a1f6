/* SPDX-License-Identifier: MIT
 * Fuzz target: the parser of tables. */
#include "tests/fuzz/parser.h"

FUZZ_TARGET("tsv", ws_parser_tsv, WS_FORMAT_TSV)
