/* SPDX-License-Identifier: MIT
 * nhmmsieve: kernels/dom, genome_*.c. */
#include "lib/run/tool.h"

extern const ws_tool ws_genome_tool;

int main(int argc, char **argv) { return ws_main(&ws_genome_tool, argc, argv); }
