/* SPDX-License-Identifier: MIT
 * fwdscore: kernels/fwd. */
#include "lib/run/tool.h"

extern const ws_tool ws_fwd_tool;

int main(int argc, char **argv) { return ws_main(&ws_fwd_tool, argc, argv); }
