/* SPDX-License-Identifier: MIT
 * Opening of a program with models: see models.h. */
#include "bin/filters/models.h"

#include "lib/compress/source.h"
#include "lib/run/message.h"

#include <stdio.h>

int ws_models_operands(ws_job *job, const ws_opt_list *given, const char *const **path, size_t *npath, ws_err *err) {
    const ws_cmdline *cl = &job->cmdline;
    const int n = given ? given->n : 0;
    if (cl->noperand == 0 && !n)
        return ws_fail(err, WS_EUSAGE, "no model file: the first operand is the HMM, the rest are sequences");
    *path = n ? given->value : cl->operand;
    *npath = n ? (size_t)n : 1;
    job->input = cl->operand + !n;
    job->ninput = cl->noperand - !n;
    int from_stdin = job->ninput == 0;
    for (int i = 0; i < job->ninput; i++) from_stdin |= ws_source_is_stdin(job->input[i]);
    for (size_t i = 0; i < *npath; i++) from_stdin += ws_source_is_stdin((*path)[i]) != 0;
    if (from_stdin > 1)
        return ws_fail(err, WS_EUSAGE, "both the model and the sequences would be read from standard input; "
                       "name a file for one of them");
    return WS_OK;
}

int ws_models_make_targets(ws_job *job, const ws_hmmset *set, void *model, size_t size, ws_err *err) {
    job->target = ws_calloc(set->n, sizeof *job->target, err);
    if (!job->target) return WS_ENOMEM;
    job->ntarget = set->n;
    for (size_t i = 0; i < set->n; i++) {
        const ws_hmm *h = &set->hmm[i];
        job->target[i] =
            (ws_target){.name = h->name, .qlen = (uint64_t)h->M, .acc = h->acc, .data = (char *)model + i * size};
    }
    return set->pressed ? WS_OK : ws_models_name(job, set, err);
}

int ws_models_name(ws_job *job, const ws_hmmset *set, ws_err *err) {
    char name[64];
    ws_buf id = {0};
    snprintf(name, sizeof name, "%zu_models", set->n);
    const int rc = ws_buf_addf(&id, err, "%s(xxh3:%016llx)", set->n == 1 ? set->hmm[0].name : name,
                               (unsigned long long)set->xxh3);
    job->model_id = id.p;
    job->model_hash = set->xxh3;
    return rc;
}

int ws_models_check_stats(const ws_hmm *hmm, ws_err *err) {
    if (hmm->calibrated) return WS_OK;
    return ws_fail(err, WS_EDATA, "model %s has no STATS lines, so no E-values are possible; build it with hmmbuild",
                   hmm->name);
}

int ws_models_cut(int ga, int nc, int tc, int *cut, ws_err *err) {
    *cut = ga ? WS_CUT_GA : nc ? WS_CUT_NC : tc ? WS_CUT_TC : -1;
    if (ga + nc + tc > 1) return ws_fail(err, WS_EUSAGE, "only one of --cut_ga, --cut_nc and --cut_tc can be given");
    return WS_OK;
}

void ws_models_note(const ws_job *job, const ws_hmmset *set) {
    const ws_hmm *first = NULL;
    unsigned long long fields = 0;
    for (size_t i = 0; i < set->n; i++) {
        if (!first && set->hmm[i].further) first = &set->hmm[i];
        fields += set->hmm[i].further;
    }
    if (first)
        ws_message_note(job, "fields of match lines that HMMER3 does not have, and that are not read: %llu, the first "
                             "in model %s", fields, first->name);
}
