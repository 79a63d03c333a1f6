// SPDX-License-Identifier: MIT
// Forward on CUDA devices for models whose rows do not fit one multiprocessor's registers: a cluster of 2 to 8 blocks.
//
// Each block of the cluster holds one share of the positions of all lanes. Warp w of every block has the same sequence;
// lane z holds the nodes of lane z in the block's share. d and e pass through the positions in canonical order. So a
// block hands them to the next once in each pass. A warp waits while other blocks compute; the eight sequences of a
// cluster fill that time. Meanwhile the emissions of the next residue are copied into shared memory.
//
//     pass 1   block 0 -> 1 -> .. -> last: d, e           last: prefix scan over the lanes; in, e to all
//     pass 2   block 0 -> 1 -> .. -> last: e, last X      last: E, B; B, scale to all
#ifndef WS_FWD_WIDE_CUH
#define WS_FWD_WIDE_CUH

#include "kernels/fwd/device.cuh"
#include "lib/dev/cluster.cuh"

enum { BOX_CHAIN, BOX_IN, BOX_BORDER, BOX_NEXT, BOX_PLACE, NBOX };

struct fwd_mail { // messages to a warp from the other blocks' warps of its sequence
    float4 next[32];   // from the last block: B, the scale of the row, X of the node before this lane's first
    float2 chain[32];  // from the block before: d and e after its matches
    float2 in[32];     // from the last block: the D that enters the lane, e after all matches
    float2 border[32]; // from the block before: e after its deletes, X of its last node
    uint64_t bar[NBOX];
    uint32_t place;
};

struct fwd_post {
    fwd_mail *mine;
    uint32_t rank, blocks, phases; // bit b: phase of box b
    int z;

    template <typename T> __device__ __forceinline__ void send(uint32_t to, int box, const void *where, T v) const {
        ws_box_send(ws_cluster_at(where, to), ws_cluster_at(&mine->bar[box], to), v);
    }
    template <typename T> __device__ __forceinline__ void to_others(int box, const void *where, T v) const {
        for (uint32_t to = 0; to < blocks; to++)
            if (to != rank) send(to, box, where, v);
    }
    template <typename T> __device__ __forceinline__ T wait(int box, const T *where) {
        ws_box_wait(&mine->bar[box], 32 * sizeof(T), phases >> box & 1u);
        phases ^= 1u << box;
        return *where;
    }
    // Returns the index of the next sequence, which the first block takes for all. No block can take the next index
    // before all have read this one: each row's messages pass through every block, and listed sequences have residues.
    __device__ __forceinline__ uint32_t take_place(uint32_t *taken) {
        uint32_t place;
        if (rank == 0) {
            place = take(taken, z);
            if (z == 0) to_others(BOX_PLACE, &mine->place, place);
            return place;
        }
        ws_box_wait(&mine->bar[BOX_PLACE], sizeof place, phases >> BOX_PLACE & 1u);
        phases ^= 1u << BOX_PLACE;
        return mine->place;
    }
};

// The share of all lanes' positions that one block holds, in chunks of four. The last blocks have one chunk more where
// needed, so no share is more than 8 positions smaller than the largest.
struct fwd_part {
    int all, chunks, from; // chunks of all blocks; chunks of this block; its first chunk
    int Q;                 // its positions
};
__device__ __forceinline__ fwd_part part_of(int Q, int rank, int blocks) {
    const int all = (Q + 3) / 4, least = all / blocks, plain = blocks - all % blocks;
    const int chunks = least + (rank >= plain), from = rank * least + max(0, rank - plain);
    return {all, chunks, from, min(4 * chunks, Q - 4 * from)};
}

// Does both passes of a row over this block's share. before: X of the node before; the function updates it for the next
// row. The last block also computes E and what depends on it. Returns the scale of the row in the last block, and 1 in
// the others.
template <int QT>
__device__ __forceinline__ float wide_row(fwd_post &post, fwd_long_state<QT, 32> &s, fwd_specials &sp,
                                          const float4 *coef, const float4 *o, int Q, const float link[WS_FWD_LEVELS],
                                          const ws_devseq &seq, float &before) {
    const bool first = post.rank == 0, end = post.rank == post.blocks - 1;
    const int z = post.z;
    float2 chain = {}, in, border = {};
    if (!first) chain = post.wait(BOX_CHAIN, &post.mine->chain[z]);
    const float d = chain.x;
    ws_copy_wait();
    s.matches(coef, o, Q, sp.B, before, chain.x, chain.y);
    if (end) {
        in = {come_in(chain.x, link, z), chain.y};
        post.to_others(BOX_IN, &post.mine->in[z], in);
    } else {
        post.send(post.rank + 1, BOX_CHAIN, &post.mine->chain[z], chain);
        in = post.wait(BOX_IN, &post.mine->in[z]);
    }
    border.x = in.y;
    if (!first) border = post.wait(BOX_BORDER, &post.mine->border[z]);
    s.deletes(coef, o, Q, sp.B, before, d, in.x, border.x);
    before = border.y;
    if (end) return sp.row(seq, border.x);
    post.send(post.rank + 1, BOX_BORDER, &post.mine->border[z], float2{border.x, s.last});
    return 1.0f;
}

template <int QT> __global__ void __launch_bounds__(THREADS_LONG) ws_fwd_scores_cluster(const fwd_args a) {
    extern __shared__ float4 shared[];
    __shared__ fwd_mail mail[THREADS_LONG / 32];
    const int z = threadIdx.x % 32;
    fwd_post post = {&mail[threadIdx.x / 32], ws_cluster_rank(), ws_cluster_blocks(), 0, z};
    const ws_devunit unit = a.unit[blockIdx.x / post.blocks];
    const fwd_task t = a.task[unit.task];
    const fwd_part p = part_of(t.Q, (int)post.rank, (int)post.blocks);
    if (z < NBOX) ws_box_init(&post.mine->bar[z]);
    for (int i = threadIdx.x; i < NCOEF * p.chunks * 32; i += THREADS_LONG)
        shared[i] = t.coef[(i / (p.chunks * 32) * p.all + p.from) * 32 + i % (p.chunks * 32)];
    __syncthreads();
    ws_cluster_sync();
    const bool first = post.rank == 0, end = post.rank == post.blocks - 1;
    const float4 *emit = t.emit + (size_t)p.from * WS_CODES * 32 + z;
    float4 *o = shared + (NCOEF + (int)threadIdx.x / 32) * p.chunks * 32 + z; // the emissions of one residue
    auto prefetch = [&](uint32_t code) { // each lane copies what it reads itself
        for (int k = 0; k < p.chunks; k++) ws_copy_begin(o + k * 32, emit + (k * WS_CODES + (int)code) * 32);
    };
    float link[WS_FWD_LEVELS];
    load_links(t, z, link);

    for (uint32_t place; (place = post.take_place(a.taken + unit.task)) < t.n;) {
        const ws_devitem item = t.item[place];
        const ws_devseq seq = a.seq[item.seq];
        ws_fetch fetch;
        fwd_long_state<QT, 32> s;
        fwd_specials sp; // only B is current, except in the last block
        float before = 0.0f;
        fetch.begin(a.word + seq.first, item.words);
        sp.begin(seq);
        s.begin();
        uint32_t codes = fetch.get();
        prefetch(codes & 31u);
#pragma unroll 1
        for (uint32_t i = 0; i < seq.len;) {
            float by = wide_row(post, s, sp, shared + z, o, p.Q, link, seq, before);
            if (++i == seq.len) break;
            codes = i % 6 ? codes >> 5 : fetch.get();
            if (end) {
                float x = __fmul_rn(__shfl_up_sync(~0u, s.last, 1), by);
                if (z == 0) x = 0.0f;
                post.to_others(BOX_NEXT, &post.mine->next[z], float4{sp.B, by, x, 0.0f});
                prefetch(codes & 31u);
            } else {
                prefetch(codes & 31u);
                const float4 next = post.wait(BOX_NEXT, &post.mine->next[z]);
                sp.B = next.x;
                by = next.y;
                if (first) before = next.z;
            }
            if (by == 1.0f) continue;
            if (!first) before = __fmul_rn(before, by);
            s.scale(by);
        }
        if (end && z == 0) a.score[t.first + item.out] = {__fmul_rn(sp.C, seq.pmove), sp.exponent};
    }
    ws_cluster_sync(); // a block may leave only when no other still writes to it
}

#endif
