/* SPDX-License-Identifier: MIT
 * hmmsieve: kernels/sieve. */
#include "lib/run/tool.h"

extern const ws_tool ws_sieve_tool;

int main(int argc, char **argv) { return ws_main(&ws_sieve_tool, argc, argv); }
