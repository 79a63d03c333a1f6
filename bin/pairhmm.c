/* SPDX-License-Identifier: MIT
 * pairhmm: kernels/pairhmm. */
#include "lib/run/tool.h"

extern const ws_tool ws_pairhmm_tool;

int main(int argc, char **argv) { return ws_main(&ws_pairhmm_tool, argc, argv); }
