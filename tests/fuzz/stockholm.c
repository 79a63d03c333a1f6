/* SPDX-License-Identifier: MIT
 * Fuzz target: the parser of Stockholm as a file of sequences. */
#include "tests/fuzz/parser.h"

FUZZ_TARGET("stockholm", ws_parser_stockholm, WS_FORMAT_STOCKHOLM)
