/* SPDX-License-Identifier: MIT
 * Fuzz target: the FASTQ parser. */
#include "tests/fuzz/parser.h"

FUZZ_TARGET("fastq", ws_parser_fastq, WS_FORMAT_FASTQ)
