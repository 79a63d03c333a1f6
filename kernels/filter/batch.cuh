// SPDX-License-Identifier: MIT
// A batch of sequences on a device, and the work lists made from it.
#ifndef WS_FILTER_BATCH_CUH
#define WS_FILTER_BATCH_CUH

#include "lib/dev/stream.cuh"

extern "C" {
#include "lib/hmm/profile.h"
#include "lib/run/tool.h"
}

// A sequence of the batch, as kernels read it.
struct ws_devseq {
    uint32_t first; // index of its first word
    uint32_t len;
    int16_t tjb, wmove;
    float pmove, ploop;
};

// One entry of a work list: words from .. from+words-1 of sequence seq. Its score belongs to item `out` of the task.
struct ws_devitem {
    uint32_t seq, out, from, words;
};

struct ws_devlist { // longest first
    const ws_devitem *item;
    uint32_t n;
};

enum { WS_STRETCH_WORDS = 683 }; // the most words of a stretch of a long sequence: 4098 residues
enum { WS_KEPT_WORDS, WS_KEPT_SEQS, WS_KEPT_ITEMS }; // uses of a stream's kept buffers

static inline const uint32_t *ws_devbatch_words(const ws_devstream *s) {
    return (const uint32_t *)s->kept[WS_KEPT_WORDS].p;
}
static inline const ws_devseq *ws_devbatch_seqs(const ws_devstream *s) {
    return (const ws_devseq *)s->kept[WS_KEPT_SEQS].p;
}

// Queues the copies of sequences, of their length models (ws_seqs.perseq) and of lists of them to the stream's device.
// Returns WS_EDEV for more than 2^32 words and for failures of CUDA.
int ws_devbatch_load(ws_devstream *stream, const ws_seqs *seqs, ws_err *err);
// Sets list[0..ntask) to the list of each task: that of all sequences, or one of the items that the task names. cut:
// long sequences in stretches. The lists stay on the device until the end of the call.
int ws_devbatch_lists(ws_devstream *stream, const ws_seqs *seqs, const ws_task *task, size_t ntask, bool cut,
                      ws_devlist *list, ws_err *err);

#endif
