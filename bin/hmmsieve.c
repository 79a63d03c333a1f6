/* SPDX-License-Identifier: MIT
 * hmmsieve: kernels/sieve, and the tools of its stages. */
#include "lib/run/tool.h"

extern const ws_tool ws_sieve_tool, ws_msv_tool, ws_vit_tool, ws_fwd_tool, ws_dom_tool;

int main(int argc, char **argv) {
    static const ws_tool *const stages[] = {&ws_msv_tool, &ws_vit_tool, &ws_fwd_tool, &ws_dom_tool};
    ws_tool tool = ws_sieve_tool;
    tool.for_reader = stages;
    return ws_main(&tool, argc, argv);
}
