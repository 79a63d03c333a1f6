// SPDX-License-Identifier: MIT
// What the kernels' launchers see of a device: a lane (one stream, its buffers, the batch that stands in them), checked
// calls, and tables that stay on the device.
//
// A lane serves one call of score at a time. All its buffers only grow.
#ifndef WS_DEV_LANE_CUH
#define WS_DEV_LANE_CUH

#include "lib/dev/device.h"
extern "C" {
#include "lib/hmm/fscore.h"
#include "lib/hmm/target.h"
}

#include <cuda_runtime.h>
#include <pthread.h>

enum { WS_DEV_MAX = 16 };

struct ws_devbuf { // device memory, or pinned memory of the host
    void *p;
    size_t cap;
};

// A sequence of the batch as kernels see it.
struct ws_devseq {
    uint32_t first; // its first word
    uint32_t len;
    int16_t tjb, wmove;
    float pmove, ploop;
};

// One entry of a work list: residues 6*from .. 6*(from+words) of sequence seq, whose score is number out of the task.
struct ws_devitem {
    uint32_t seq, out, from, words;
};

struct ws_devlist { // longest first
    const ws_devitem *item;
    uint32_t n;
};

struct ws_device {
    int id, index; // CUDA's number; place among those in use
    int sms, shared_max; // multiprocessors; bytes of shared memory a block may ask for
    size_t limit;        // --gpu-mem; 0: none
    size_t used;
    pthread_mutex_t uploading; // one at a time
    void **chunk;        // memory of the targets' tables
    size_t nchunk, chunk_cap, chunk_left;
    char *chunk_at;
};

enum { WS_LANE_NAMES = 24, WS_LANE_SPILLS = 64 };
struct ws_devlane {
    ws_device *dev;
    cudaStream_t stream;
    bool busy;
    uint64_t batch;           // identity of the batch in words and seqs; 0: none
    ws_devbuf words, seqs, items; // the batch, on the device
    ws_devbuf out;            // scores of a call, on the device
    ws_devbuf arena;          // whatever else a call needs there
    size_t arena_used;
    ws_devbuf spill[WS_LANE_SPILLS]; // where the arena was too small; the next call finds it larger
    int nspill;
    ws_devbuf in, back;       // pinned: on the way there, on the way back
    size_t in_used;
    ws_devlist whole, pieces; // of all sequences of the batch
    const char *name[WS_LANE_NAMES]; // kernels launched since the last sync
    int nname;
    cudaEvent_t start, end;   // around the kernels of a call
};

enum { WS_PIECE_WORDS = 683 }; // a piece is at most this long: 4098 residues

// Takes a free lane, waiting for one, with the batch on its device. Lists longest first are made of it: `whole` with one
// item a sequence, `pieces` with several for long ones.
int ws_lane_take(ws_devlane **lane, const ws_batch *b, const ws_lenmodel *lm, ws_err *err);
void ws_lane_give(ws_devlane *lane);

int ws_lane_begin(ws_devlane *lane, ws_err *err); // take does these two
int ws_lane_load(ws_devlane *lane, const ws_batch *b, const ws_lenmodel *lm, ws_err *err);

// Room for n bytes; what was there is lost.
int ws_lane_room(ws_devlane *lane, ws_devbuf *buf, size_t n, ws_err *err);
// The list of each task: the batch's own, or one made of the items that the task names. cut: long sequences in pieces.
int ws_lane_lists(ws_devlane *lane, const ws_batch *b, const ws_task *task, size_t ntask, bool cut, ws_devlist *list, ws_err *err);
// n bytes on the device until the end of the call; put: with that content.
int ws_lane_alloc(ws_devlane *lane, size_t n, void **p, ws_err *err);
int ws_lane_put(ws_devlane *lane, const void *from, size_t n, void **p, ws_err *err);
// Copies n bytes to the device through pinned memory.
int ws_lane_send(ws_devlane *lane, void *to, const void *from, size_t n, ws_err *err);
// n bytes back into lane->back, there after the next sync.
int ws_lane_fetch(ws_devlane *lane, const void *from, size_t n, ws_err *err);
// Waits for everything queued; a failure names the kernels that were under way.
int ws_lane_sync(ws_devlane *lane, ws_err *err);
// Adds the time between start and end, both passed, to what ws_dev_seconds says.
void ws_lane_clock(ws_devlane *lane);
// After each launch.
int ws_lane_launched(ws_devlane *lane, const char *name, ws_err *err);

// A failed call of the runtime as a sentence.
int ws_cuda_fail(cudaError_t e, const char *what, ws_err *err);

// A table of a target: host bytes, and where they stand on each device once they are needed there.
struct ws_devtable {
    void *host;
    size_t size;
    void *at[WS_DEV_MAX];
};
int ws_table_create(ws_devtable *t, size_t size, ws_err *err); // zeroed
void ws_table_destroy(ws_devtable *t);
// Puts those of n tables that are not there onto the lane's device.
int ws_lane_tables(ws_devlane *lane, ws_devtable *const *table, size_t n, ws_err *err);

#endif
