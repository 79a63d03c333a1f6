/* SPDX-License-Identifier: MIT
 * respack: lib/run/respack.c. */
#include "lib/run/tool.h"

extern const ws_tool ws_respack_tool;

int main(int argc, char **argv) { return ws_main(&ws_respack_tool, argc, argv); }
