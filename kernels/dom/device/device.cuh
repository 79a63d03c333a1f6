// SPDX-License-Identifier: MIT
// Problems of the domain stage on a device: what a kernel gets, and where a problem's rows and cells lie. README.md
// has the layout.
#ifndef WS_DOM_DEVICE_CUH
#define WS_DOM_DEVICE_CUH

extern "C" {
#include "kernels/dom/curves.h"
#include "kernels/dom/device.h"
#include "kernels/dom/launches.h"
}
#include "kernels/dom/device/quad.cuh"

enum {
    WS_DOM_SIDE_BY_SIDE = 8, // problems of a warp
    WS_DOM_PARTS = 8,        // of a warp that has one problem: four threads each
    WS_DOM_WARPS = 8,        // of a block, at most, that have a problem each
    WS_DOM_GANG = 4,         // warps that have one problem together
    WS_DOM_PARSER_ROWS = 3,  // places' values in a row of Forward or Backward: M, I, D
    WS_DOM_FIT_ROWS = 5,     // of an optimal accuracy: M, I, D, and the sums of M's and I's posteriors
    WS_DOM_CHOICES = 8,      // places whose choices share a word: four bits each
    WS_DOM_TILE = 16         // values of four places, [lane][place]: what a warp that has one problem loads at a time
};
// Forward keeps of all rows nothing, an envelope's products, or a region's cells.
enum { WS_DOM_KEEP_NOTHING, WS_DOM_KEEP_PRODUCTS, WS_DOM_KEEP_CELLS };

// One problem. The problems of a warp share Qmax, which is their largest Q, and `line`, 4 times their number. `part`
// is 0, or for a problem that has a warp or a gang the places of each of its parts, whole tiles.
struct ws_dom_job {
    // Tables of its model on the device: emit[(x Q + q) 4 + z]; in and out[(4 q + z) 8 + kind]. A problem that has a
    // warp finds tiles there: emit[residue][tile]; in and out[tile][kind] for kinds below WS_DOM_DD, [tile] for that.
    const float *emit, *in, *out;
    const float *mix, *node;      // mix[(q K + x) 4 + z]; `in` by node: node[8 k + kind], 0 for k = 0
    const uint32_t *contains;     // of its alphabet's codes
    const uint8_t *x;             // residues of rows 1..L
    ws_dom_mode mode;
    uint32_t L, line;
    int M, Q, K, Kp, Qmax, part;
    uint64_t row;                 // its row 0 among those of all problems
    uint64_t place;               // its first place in `state`, whose next place is one line further
    uint64_t cell;                // its row 0 in `cell`
    uint64_t choice;              // its row 0 in `choice`
    uint64_t column;              // in `column`: room for L + M bytes
    uint64_t segment;             // in `segment`: room for `segments`
    uint32_t segments;
};

// All that kernels get. Problems from .. to are those of this launch.
struct ws_dom_args {
    const ws_dom_job *job;
    uint32_t from, to;
    const uint32_t *block; // first problems of the blocks whose warps have a problem each, of one model
    ws_dom_row *f, *b;
    uint8_t *own;          // [n] Backward set its own scales
    float *state;          // rows that do not lie in shared memory
    float *cell;           // products of Forward and Backward, M and I
    uint32_t *choice;
    float *w, *B, *pC;     // by row: ws_dom_factors; of targets ws_dom_curves
    uint8_t *column;
    float *n2;             // by row of regions: sums over traces
    uint32_t *segment;     // as ws_dom_resolved
    ws_dom_margins margin; // of a region's choices
    uint32_t seed;         // the state of each region's generator
    ws_dom_parsed *parsed; // [n], or
    ws_dom_fitted *fitted; // [n], or
    ws_dom_resolved *resolved; // [n]
    uint32_t *pack, *packed; // words of results of unknown number; how many there are
};

// Returns the tiles of a row, the last of which may have room for places from Q on.
WS_DOM_BOTH int ws_dom_tiles(int Q) { return (Q + 3) / 4; }
// Returns the places of a part, in models of Q places in a lane, which `warps` have: an odd number of tiles.
WS_DOM_BOTH int ws_dom_part_of(int Q, int warps) {
    const int parts = WS_DOM_PARTS * warps;
    return ((ws_dom_tiles(Q) + parts - 1) / parts | 1) * 4;
}
// Returns the floats of a row of shared memory (wide.cuh): so many kinds, and behind it an emission of each place or,
// of optimal accuracies, a value of each part.
WS_DOM_BOTH int ws_dom_row_floats(int Q, int kinds) {
    const int tiles = ws_dom_tiles(Q);
    const int behind = kinds == WS_DOM_FIT_ROWS ? 4 * WS_DOM_PARTS * WS_DOM_GANG : tiles * WS_DOM_TILE;
    return (tiles + 2) * kinds * WS_DOM_TILE + behind;
}
// Returns the floats of a residue's emissions.
WS_DOM_BOTH size_t ws_dom_emissions(int Q, bool in_tiles) {
    return in_tiles ? (size_t)ws_dom_tiles(Q) * WS_DOM_TILE : (size_t)Q * 4;
}

// Return a problem's parts.
WS_DOM_BOTH size_t ws_dom_emission_row(const ws_dom_job &j) { return ws_dom_emissions(j.Q, j.part > 0); }
WS_DOM_BOTH const float *ws_dom_emission(const ws_dom_job &j, uint32_t i) {
    return j.emit + (size_t)j.x[i - 1] * ws_dom_emission_row(j);
}
WS_DOM_BOTH size_t ws_dom_cell_row(const ws_dom_job &j) {
    return j.part ? 2 * ws_dom_emission_row(j) : 2 * (size_t)j.Qmax * j.line;
}
// Returns the floats from one row of what Forward keeps to the next.
template <int KEEP> WS_DOM_BOTH size_t ws_dom_kept_row(const ws_dom_job &j) {
    return KEEP == WS_DOM_KEEP_CELLS ? WS_DOM_CELL * ((size_t)j.M + 1) : ws_dom_cell_row(j);
}
WS_DOM_BOTH size_t ws_dom_choice_row(const ws_dom_job &j) {
    const int places = j.part ? j.part : j.Qmax, words = (places + WS_DOM_CHOICES - 1) / WS_DOM_CHOICES;
    return (size_t)(j.part ? (j.Q + j.part - 1) / j.part * words : words) * j.line;
}
// Returns where the product of M of a place lies in its row. That of I follows ws_dom_product_step further.
WS_DOM_BOTH size_t ws_dom_product_at(const ws_dom_job &j, uint32_t q, uint32_t z) {
    return j.part ? (size_t)(q / 4) * 2 * WS_DOM_TILE + 4 * z + q % 4 : (size_t)(2 * q) * j.line + z;
}
WS_DOM_BOTH size_t ws_dom_product_step(const ws_dom_job &j) { return j.part ? (size_t)WS_DOM_TILE : j.line; }
// Returns a place's choice in its lowest four bits.
WS_DOM_BOTH uint32_t ws_dom_choice_at(const ws_dom_job &j, const uint32_t *row, uint32_t q, uint32_t z) {
    const uint32_t part = (uint32_t)j.part, nth = part ? q % part : q,
                   words = part ? q / part * ((part + WS_DOM_CHOICES - 1) / WS_DOM_CHOICES) : 0;
    return row[(size_t)(words + nth / WS_DOM_CHOICES) * j.line + z] >> 4 * (nth % WS_DOM_CHOICES);
}

#endif
