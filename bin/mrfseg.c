/* SPDX-License-Identifier: MIT
 * mrfseg: kernels/mrf. */
#include "lib/run/tool.h"

extern const ws_tool ws_mrf_tool;

int main(int argc, char **argv) { return ws_main(&ws_mrf_tool, argc, argv); }
