// SPDX-License-Identifier: MIT
// Problems of the domain stage on a device: what a kernel gets, and where a problem's rows and cells lie. README.md,
// "On a device", has the layout.
#ifndef WS_DOM_DEVICE_CUH
#define WS_DOM_DEVICE_CUH

extern "C" {
#include "kernels/dom/curves.h"
#include "kernels/dom/device.h"
}
#include "kernels/dom/quad.cuh"

enum {
    WS_DOM_SIDE_BY_SIDE = 8, // problems of a warp
    WS_DOM_PARSER_ROWS = 3,  // places' values in a row of Forward or Backward: M, I, D
    WS_DOM_FIT_ROWS = 5,     // of an optimal accuracy: M, I, D, and the sums of M's and I's posteriors
    WS_DOM_CHOICES = 8       // places whose choices share a word: four bits each
};

// One problem. The problems of a warp share Qmax, which is their largest Q, and `line`, 4 times their number.
struct ws_dom_job {
    const float *emit, *in, *out; // of its model, on the device: emit[(x Q + q) 4 + z]; in and out[(4 q + z) 8 + kind]
    const uint8_t *x;             // residues of rows 1..L
    ws_dom_mode mode;
    uint32_t L, line;
    int M, Q, K, Qmax;
    uint64_t row;                 // its row 0 among those of all problems
    uint64_t place;               // its first place in `state`, whose next place is one line further
    uint64_t cell;                // its row 0 in `cell`
    uint64_t choice;              // its row 0 in `choice`
    uint64_t column;              // in `column`: room for L + M bytes
};

// All that kernels get. Problems from .. to are those of this launch.
struct ws_dom_args {
    const ws_dom_job *job;
    uint32_t from, to;
    ws_dom_row *f, *b;
    uint8_t *own;          // [n] Backward set its own scales
    float *state;          // rows that do not lie in shared memory
    float *cell;           // products of Forward and Backward, M and I
    uint32_t *choice;
    float *w, *B, *pC;     // by row: ws_dom_factors; of targets ws_dom_curves
    uint8_t *column;
    ws_dom_parsed *parsed; // [n], or
    ws_dom_fitted *fitted; // [n]
    uint32_t *pack, *packed; // words of results of unknown number; how many there are
};

// Return a problem's parts.
WS_DOM_BOTH const float *ws_dom_emission(const ws_dom_job &j, uint32_t i) {
    return j.emit + (size_t)j.x[i - 1] * (size_t)j.Q * 4;
}
WS_DOM_BOTH size_t ws_dom_cell_row(const ws_dom_job &j) { return 2 * (size_t)j.Qmax * j.line; }
WS_DOM_BOTH size_t ws_dom_choice_row(const ws_dom_job &j) {
    return (size_t)((j.Qmax + WS_DOM_CHOICES - 1) / WS_DOM_CHOICES) * j.line;
}

#endif
