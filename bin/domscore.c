/* SPDX-License-Identifier: MIT
 * domscore: kernels/dom. */
#include "lib/run/tool.h"

extern const ws_tool ws_dom_tool;

int main(int argc, char **argv) { return ws_main(&ws_dom_tool, argc, argv); }
