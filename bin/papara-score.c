/* SPDX-License-Identifier: MIT
 * papara-score: kernels/papara. */
#include "lib/run/tool.h"

extern const ws_tool ws_papara_tool;

int main(int argc, char **argv) { return ws_main(&ws_papara_tool, argc, argv); }
