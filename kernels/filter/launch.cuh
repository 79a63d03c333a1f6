// SPDX-License-Identifier: MIT
// From models to launches: the shapes for which a kernel was compiled, the choice of a model's shape, and the launches
// of a call, one for each shape of its models.
#ifndef WS_FILTER_LAUNCH_CUH
#define WS_FILTER_LAUNCH_CUH

#include "kernels/filter/batch.cuh"

// ---- shapes ----

// A compiled kernel. A group of g lanes owns a sequence. g is min_g, doubled up to a warp, then a warp more up to a
// block, then doubled again, up to max_g.
struct ws_shape {
    const void *kernel; // a __global__ function that takes one record of arguments
    const char *name;
    int R, nodes;     // registers of a lane for a row, and the nodes that they hold
    int min_g, max_g;
    int threads;      // of a block; 0: one group, or WS_BLOCK_LANES for larger groups
    int columns;      // of the emission table in shared memory; 0: lanes read the table through the cache
    int blocks;       // of a cluster that shares the groups; 0: as many as the lanes of a group need
};
enum { WS_BLOCK_LANES = 256 }; // the largest group within a block

// The cost of a row on devices of a compute capability (90: 9.0), in instructions of a warp: (per_register * R +
// per_row) for each lane of the group. `alone` more lanes stand for the time in which only the longest sequence runs.
// `cached`: factor where lanes read the table through the cache.
struct ws_cost {
    int capability;
    double per_register, per_row, alone, cached;
};

// The shape of a model (an index; -1: no shape is large enough) and the lanes of its groups.
struct ws_fit {
    int shape, g;
};

// Returns the cheapest shape for M nodes and an emission table of so many rows on the devices in use. cost[0..ncost) is
// in the order of capabilities; the last row not above theirs applies. Shapes whose table is larger than a block's
// shared memory do not count.
ws_fit ws_fit_choose(const ws_shape *shape, int nshape, const ws_cost *cost, int ncost, int rows, int M);

#define WS_FIT(shapes, costs, rows, M) \
    ws_fit_choose(shapes, (int)(sizeof shapes / sizeof *shapes), costs, (int)(sizeof costs / sizeof *costs), rows, \
                  M)

// Returns log2 of the lanes of a group, for groups up to a warp; 0 for g = 0.
static inline int ws_log2(int g) { return g ? __builtin_ctz((unsigned)g) : 0; }

// ---- emission tables ----

enum { WS_CODES = 32 }; // rows of most emission tables: one for each 5-bit code, also for padding

// Makes the emission table of a model: [chunk of 4 registers][row][lane of the group] of 16 bytes. reg(x, k) returns
// the register of row x whose first node is k. With P nodes to a register, register j of lane z begins at node z * P *
// R + j + 1; its other nodes are R apart. Returns WS_ENOMEM on failure.
template <class F> int ws_emissions_create(ws_devtable *t, int rows, int R, int g, int P, F reg, ws_err *err) {
    int rc = ws_devtable_create(t, (size_t)((R + 3) / 4 * rows * g) * 16, err);
    if (rc) return rc;
    uint32_t *to = (uint32_t *)t->host;
    for (int j = 0; j < R; j++)
        for (int x = 0; x < rows; x++)
            for (int z = 0; z < g; z++)
                to[((size_t)(j / 4 * rows + x) * (size_t)g + (size_t)z) * 4 + (size_t)(j % 4)] =
                    reg(x, z * P * R + j + 1);
    return WS_OK;
}

// Returns two 16-bit values in a register.
static inline uint32_t ws_pair16(int low, int high) { return (uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16; }

// Returns the bytes of a shape's table of so many rows in shared memory.
static inline size_t ws_emissions_shared(const ws_shape &s, int rows) {
    return (size_t)((s.R + 3) / 4 * rows * s.columns) * 16;
}

// ---- launches ----

// The work of one block: items chunk*per_block .. of a task's list.
struct ws_devunit {
    uint32_t task, chunk;
};

// The arguments of kernels that follow lists. TASK: the kernel's record of a model; SCORE: its result for a sequence.
template <class TASK, class SCORE> struct ws_devargs {
    const TASK *task;
    const ws_devunit *unit;
    const uint32_t *word;
    const ws_devseq *seq;
    SCORE *score;
    uint32_t *taken; // of each task: number of items that blocks have taken
};

// One launch: the tasks whose models have one shape and, beyond a warp, one group size. They are order[first .. first +
// n) of ws_launches; its units follow.
struct ws_launch {
    int shape, g;
    size_t first, n, unit, nunit;
};

// All launches of a call. The user zero-initialises it and releases it in any case.
struct ws_launches {
    ws_launch *at;
    size_t n, cap;
    uint32_t *order; // task indices
    ws_devunit *unit;
    size_t nunit, unit_cap;
};

// Makes the launches of ntask tasks from the fits of their models. Tasks without a shape get none. Returns WS_ENOMEM on
// failure.
int ws_launches_make(ws_launches *ls, const ws_shape *shape, const ws_fit *fit, size_t ntask, ws_err *err);
// Cuts the tasks' lists into units, the longest sequences of a launch first. A unit has as many sequences as a block
// has groups.
// sms: number of multiprocessors if free blocks take sequences from the lists; then a few units for each are enough. 0:
// every sequence has its unit. Returns WS_ENOMEM on failure.
int ws_launches_cut(ws_launches *ls, const ws_shape *shape, const ws_fit *fit, const ws_devlist *list, int sms,
                    ws_err *err);
void ws_launches_release(ws_launches *ls);

// Launches a kernel with one record of arguments, and `cluster` blocks (1: none) in a cluster of the grid. Returns
// WS_EDEV on failure.
int ws_launch_kernel(ws_devstream *s, const void *kernel, const char *name, dim3 grid, unsigned threads,
                     unsigned cluster, size_t shared, void *args, ws_err *err);
// Launches a kernel that fills the device: where a block of another kernel waits, a multiprocessor takes that first. So
// the few, long blocks of later steps run beside such a kernel, and need not wait for its end. Returns WS_EDEV on
// failure.
int ws_launch_filling(ws_devstream *s, const void *kernel, const char *name, dim3 grid, unsigned threads, size_t shared,
                      void *args, ws_err *err);
// Launches the units of one launch; fills: as above. Returns WS_EDEV on failure.
int ws_launch_units(ws_devstream *s, const ws_shape &shape, const ws_launch &launch, size_t shared, bool fills,
                    void *args, ws_err *err);

#endif
