// SPDX-License-Identifier: MIT
// The "cuda" backend of SSV; kernels/ssv/rows.cuh has the kernel.

#include "kernels/ssv/ssv.cuh"

#include <string.h>

struct ssv_model : ws_devmodel {
    ws_ssv_dev ssv;
};

static const ws_ssv_dev &ssv_of(const ws_task &t) { return ws_devmodel_of<ssv_model>(t).ssv; }

static int lay_out(ws_devmodel *m, const void *form, ws_err *err) {
    ssv_model *p = static_cast<ssv_model *>(m);
    int rc = ws_ssv_dev_lay_out(&p->ssv, &p->table[0], NULL, (const ws_bytes *)form, err);
    p->fit = p->ssv.fit;
    return rc;
}

static int queue(ws_devcall *c, ws_err *err) { return ws_ssv_dev_best(c, ssv_of, (uint16_t *)c->stream->out.p, err); }

static ws_fscore decode(const ws_devmodel *m, const ws_lenmodel *lm, const void *raw) {
    uint16_t best;
    memcpy(&best, raw, sizeof best);
    return ws_ssv_decide(&static_cast<const ssv_model *>(m)->ssv.bytes, lm->tjb, best);
}

static const ws_body *const cpu[] = {WS_BY_WIDTH(ws_ssv_)};
static const ws_devfilter filter = {&ws_bytes_form, cpu, sizeof(ssv_model), lay_out, queue, sizeof(uint16_t),
                                    decode,         NULL,    false, NULL};

extern "C" const ws_backend ws_ssv_cuda;
const ws_backend ws_ssv_cuda = ws_devfilter_backend(&filter, 1.5e11);
