/* SPDX-License-Identifier: MIT
 * The main of every program. The Makefile compiles it once for each tool table of bin/THEME/, as WS_TOOL. */
#include "lib/run/tool.h"

extern const ws_tool WS_TOOL;

int main(int argc, char **argv) { return ws_main(&WS_TOOL, argc, argv); }
