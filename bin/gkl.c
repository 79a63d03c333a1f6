/* SPDX-License-Identifier: MIT
 * The entry points of libgkl_pairhmm.so and libgkl_pairhmm_omp.so, by the names that com.intel.gkl.pairhmm.IntelPairHmm
 * of GKL asks Java for. The Makefile defines WS_GKL_THREADS: 1 where a call may use the threads that were asked for, 0
 * where it uses the calling one alone. */
#include "bin/gkl/gkl.h"

#define METHOD(name) __attribute__((visibility("default"))) void Java_com_intel_gkl_pairhmm_IntelPairHmm_##name

METHOD(initNative)(ws_java *env, void *class, void *read_class, void *hap_class, uint8_t all_double, int32_t threads);
METHOD(computeLikelihoodsNative)(ws_java *env, void *self, void *reads, void *haps, void *likelihoods);
METHOD(doneNative)(ws_java *env, void *self);

METHOD(initNative)(ws_java *env, void *class, void *read_class, void *hap_class, uint8_t all_double, int32_t threads) {
    (void)class;
    ws_gkl_init(env, read_class, hap_class, all_double, WS_GKL_THREADS ? threads : 1);
}

METHOD(computeLikelihoodsNative)(ws_java *env, void *self, void *reads, void *haps, void *likelihoods) {
    (void)self;
    ws_gkl_compute(env, reads, haps, likelihoods);
}

METHOD(doneNative)(ws_java *env, void *self) {
    (void)env;
    (void)self;
    ws_gkl_done();
}
