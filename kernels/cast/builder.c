/* SPDX-License-Identifier: MIT
 * A builder: defaults, creation, release. */
#include "kernels/cast/tables.h"

#include <time.h>
#include <unistd.h>

void ws_build_settings_default(ws_build_settings *s, const ws_abc *abc) {
    const int amino = abc->type == WS_ABC_AMINO;
    ws_cpu cpu;
    ws_err err;
    ws_cpu_probe(&cpu);
    *s = (ws_build_settings){
        .abc = abc, .width = ws_cpu_best(&cpu), .seed = 42,
        .random = {[WS_BUILD_MSV] = {200, 200}, [WS_BUILD_VITERBI] = {200, 200}, [WS_BUILD_FORWARD] = {100, 200}},
        .tail = 0.04, .popen = amino ? 0.02 : 0.03125, .pextend = amino ? 0.4 : 0.75,
        .ere = amino ? 0.59 : 0.62, .esigma = 45.0, .w_beta = 1e-7};
    if (ws_build_matrix_named(&s->matrix, abc, amino ? "BLOSUM62" : "DNA1", &err))
        ws_bug("a default matrix is missing");
}

/* Returns a seed that differs from run to run. */
static uint32_t arbitrary_seed(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const uint32_t mix = (uint32_t)now.tv_nsec * 2654435761u ^ (uint32_t)now.tv_sec ^ (uint32_t)getpid() << 16;
    return mix ? mix : 1;
}

int ws_builder_create(ws_builder **out, const ws_build_settings *s, ws_err *err) {
    ws_builder *b = *out = ws_calloc(1, sizeof *b, err);
    if (!b) return err->code;
    b->set = *s;
    if (!s->seed) b->set.seed = arbitrary_seed();
    ws_build_priors_set(&b->priors, s->abc, s->prior);
    int rc = ws_build_scale(b, err);
    if (!rc) rc = ws_build_draw(b, err);
    if (rc) {
        ws_builder_destroy(b);
        *out = NULL;
    }
    return rc;
}

void ws_builder_destroy(ws_builder *b) {
    for (int f = 0; b && f < WS_BUILD_NFILTER; f++) ws_build_random_release(&b->random[f]);
    ws_free(b);
}
