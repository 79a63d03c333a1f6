// SPDX-License-Identifier: MIT
// Blocks of a cluster (compute capability 9.0 and later, ws_dev_clusters): access to each other's shared memory, and
// messages. A sender writes into the receiver's shared memory, and a barrier there counts the bytes. PTX ISA: mapa,
// st.async, mbarrier.
//
// A barrier expects one arrival in each phase: the receiver's own, which states the bytes of the message. Sender and
// receiver must alternate: the sender reuses a box only after the receiver's answer to the last message.
#ifndef WS_DEV_CLUSTER_CUH
#define WS_DEV_CLUSTER_CUH

#include <stdint.h>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

__device__ __forceinline__ uint32_t ws_cluster_rank() {
    uint32_t r;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ __forceinline__ uint32_t ws_cluster_blocks() {
    uint32_t n;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    return n;
}
// Returns the address in block `rank` of an object in this block's shared memory.
__device__ __forceinline__ uint32_t ws_cluster_at(const void *mine, uint32_t rank) {
    uint32_t at;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"((uint32_t)__cvta_generic_to_shared(mine)), "r"(rank));
    return at;
}
// Stores one word at an address from ws_cluster_at. A ws_cluster_sync must come before the read.
__device__ __forceinline__ void ws_cluster_store(uint32_t to, uint32_t v) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(to), "r"(v) : "memory");
}
// Waits until all threads of the cluster are here.
__device__ __forceinline__ void ws_cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// Makes a box's barrier; one thread calls it, and a ws_cluster_sync must follow.
__device__ __forceinline__ void ws_box_init(uint64_t *bar) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(bar))
                 : "memory");
}
// Waits until `bytes` have arrived. A whole warp calls it. phase alternates, beginning with 0.
__device__ __forceinline__ void ws_box_wait(uint64_t *bar, uint32_t bytes, uint32_t phase) {
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(bar);
    if (threadIdx.x % 32 == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
    uint32_t there;
    do
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(there)
                     : "r"(at), "r"(phase)
                     : "memory");
    while (!there);
}
// Sends v to address `to` of another block and counts its bytes on barrier `bar` there. Both are from ws_cluster_at.
__device__ __forceinline__ void ws_box_send(uint32_t to, uint32_t bar, uint32_t v) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), "r"(v),
                 "r"(bar)
                 : "memory");
}
__device__ __forceinline__ void ws_box_send(uint32_t to, uint32_t bar, float2 v) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(to),
                 "f"(v.x), "f"(v.y), "r"(bar)
                 : "memory");
}
__device__ __forceinline__ void ws_box_send(uint32_t to, uint32_t bar, float4 v) {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
        "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "r"(bar)
        : "memory");
}

// Begins to copy 16 bytes of device memory into shared memory. The same thread must wait for its copies.
__device__ __forceinline__ void ws_copy_begin(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}
__device__ __forceinline__ void ws_copy_wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }

#else // never launched: ws_dev_clusters returns 0

__device__ inline uint32_t ws_cluster_rank() { return 0; }
__device__ inline uint32_t ws_cluster_blocks() { return 1; }
__device__ inline uint32_t ws_cluster_at(const void *, uint32_t) { return 0; }
__device__ inline void ws_cluster_store(uint32_t, uint32_t) {}
__device__ inline void ws_cluster_sync() { __trap(); }
__device__ inline void ws_box_init(uint64_t *) {}
__device__ inline void ws_box_wait(uint64_t *, uint32_t, uint32_t) {}
template <typename T> __device__ inline void ws_box_send(uint32_t, uint32_t, T) {}
__device__ inline void ws_copy_begin(void *, const void *) {}
__device__ inline void ws_copy_wait() {}

#endif
#endif
