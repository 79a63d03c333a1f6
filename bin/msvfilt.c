/* SPDX-License-Identifier: MIT
 * msvfilt: kernels/msv. */
#include "lib/run/tool.h"

extern const ws_tool ws_msv_tool;

int main(int argc, char **argv) { return ws_main(&ws_msv_tool, argc, argv); }
