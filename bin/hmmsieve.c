/* SPDX-License-Identifier: MIT
 * hmmsieve: kernels/sieve, and the tools of its stages. With --long in front it is nhmmsieve. */
#include "kernels/dom/genome.h"

#include <string.h>

extern const ws_tool ws_genome_tool, ws_sieve_tool, ws_msv_tool, ws_vit_tool, ws_fwd_tool, ws_dom_tool;
extern const ws_backend ws_msv_cuda, ws_vit_points_cuda, ws_fwd_cuda;

int main(int argc, char **argv) {
    static const ws_tool *const stages[] = {&ws_msv_tool, &ws_vit_tool, &ws_fwd_tool, &ws_dom_tool};
    static const ws_genome_devices devices = {&ws_msv_cuda, &ws_vit_points_cuda, &ws_fwd_cuda};
    const int genome = argc > 1 && strcmp(argv[1], "--long") == 0;
    ws_tool tool = genome ? ws_genome_tool : ws_sieve_tool;
    if (genome) {
        argv[1] = argv[0];
        tool.for_reader = &devices;
        return ws_main(&tool, argc - 1, argv + 1);
    }
    tool.for_reader = stages;
    return ws_main(&tool, argc, argv);
}
