/* SPDX-License-Identifier: MIT
 * hmmsieve: kernels/sieve, and the tools of its stages. With --long in front it is nhmmsieve. */
#include "lib/run/tool.h"

#include <string.h>

extern const ws_tool ws_genome_tool, ws_sieve_tool, ws_msv_tool, ws_vit_tool, ws_fwd_tool, ws_dom_tool;

int main(int argc, char **argv) {
    static const ws_tool *const stages[] = {&ws_msv_tool, &ws_vit_tool, &ws_fwd_tool, &ws_dom_tool};
    ws_tool tool = ws_sieve_tool;
    if (argc > 1 && strcmp(argv[1], "--long") == 0) {
        argv[1] = argv[0];
        return ws_main(&ws_genome_tool, argc - 1, argv + 1);
    }
    tool.for_reader = stages;
    return ws_main(&tool, argc, argv);
}
