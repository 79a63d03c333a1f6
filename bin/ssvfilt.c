/* SPDX-License-Identifier: MIT
 * ssvfilt: kernels/ssv. */
#include "lib/run/tool.h"

extern const ws_tool ws_ssv_tool;

int main(int argc, char **argv) { return ws_main(&ws_ssv_tool, argc, argv); }
