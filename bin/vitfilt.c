/* SPDX-License-Identifier: MIT
 * vitfilt: kernels/vit. */
#include "lib/run/tool.h"

extern const ws_tool ws_vit_tool;

int main(int argc, char **argv) { return ws_main(&ws_vit_tool, argc, argv); }
