// SPDX-License-Identifier: MIT
// Models of the domain stage as devices have them. README.md has the layouts.
#ifndef WS_DOM_MODEL_CUH
#define WS_DOM_MODEL_CUH

#include "kernels/dom/device/device.cuh"
#include "kernels/filter/launch.cuh"

// A model's tables: emissions, transitions in, transitions out, those in by node, emissions of canonical residues, and
// what the alphabet's codes contain. The first three have two forms, by places and by tiles.
struct ws_dom_devmodel {
    ws_devtable table;
    size_t in, out, node, mix, contains; // floats before them
};

// Copies the emissions of n residues in the form that kernels read, to n times ws_dom_emissions floats.
void ws_dom_devmodel_emissions(float *to, const ws_dom_tables *t, size_t n, bool tiled);

// Returns a form of a model, which is made unless a thread did so before; ws_dom_device_forget frees it with the
// tables. Returns WS_ENOMEM on failure.
int ws_dom_devmodel_need(const ws_dom_tables *t, bool tiled, ws_dom_devmodel **out, ws_err *err);

#endif
