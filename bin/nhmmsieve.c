/* SPDX-License-Identifier: MIT
 * nhmmsieve: kernels/dom, genome_*.c, and filters on devices for its windows. */
#include "kernels/dom/genome.h"

extern const ws_tool ws_genome_tool;
extern const ws_backend ws_msv_cuda, ws_vit_points_cuda, ws_fwd_cuda;

int main(int argc, char **argv) {
    static const ws_genome_devices devices = {&ws_msv_cuda, &ws_vit_points_cuda, &ws_fwd_cuda};
    ws_tool tool = ws_genome_tool;
    tool.for_reader = &devices;
    return ws_main(&tool, argc, argv);
}
