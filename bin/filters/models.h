/* SPDX-License-Identifier: MIT
 * The opening of programs with models: operands, targets, and checks of models and cutoffs. */
#ifndef WS_FILTERS_MODELS_H
#define WS_FILTERS_MODELS_H

#include "lib/hmm/model.h"
#include "lib/run/job.h"

/* Takes the first operand as the model file, unless `given` (-m; NULL: no such option) names some, and the others as
 * the job's inputs. Sets the paths of the models, which live as long as the command line. WS_EUSAGE without a model
 * file, or if standard input would be read twice. */
int ws_models_operands(ws_job *job, const ws_opt_list *given, const char *const **path, size_t *npath, ws_err *err);

/* Makes the job's targets of a set, and its model_id unless the set is pressed. The data of target i is element i of
 * model, whose elements have `size` bytes. The caller frees job->target. WS_ENOMEM. */
int ws_models_make_targets(ws_job *job, const ws_hmmset *set, void *model, size_t size, ws_err *err);
/* Makes the job's model_id of a set that has its hash. WS_ENOMEM. */
int ws_models_name(ws_job *job, const ws_hmmset *set, ws_err *err);

/* Checks that E-values of a model are possible. WS_EDATA. */
int ws_models_check_stats(const ws_hmm *hmm, ws_err *err);

/* Sets *cut to the kind that --cut_ga, --cut_nc or --cut_tc asks for, WS_CUT_GA ..., or to -1. WS_EUSAGE if several do.
 * */
int ws_models_cut(int ga, int nc, int tc, int *cut, ws_err *err);

/* Prints a note if models that were read have fields that nothing reads. For the end of a run. */
void ws_models_note(const ws_job *job, const ws_hmmset *set);

#endif
