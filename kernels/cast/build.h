/* SPDX-License-Identifier: MIT
 * Models made in memory, as hmmbuild makes them: of one sequence, or of the counts of an alignment. A made model has
 * all digits, calibration included; one that went through a file has five decimals. Specification build.md; README.md.
 *
 * A builder is what many models share. It knows no file and no option, and threads may share it. A model depends on the
 * builder's settings and on its own input only. */
#ifndef WS_BUILD_H
#define WS_BUILD_H

#include "kernels/cast/align.h"
#include "kernels/cast/counts.h"
#include "lib/simd/width.h"

/* Scores of pairs of canonical residues: score[a*K + b]. */
typedef struct ws_build_matrix {
    const ws_abc *abc;
    int score[20 * 20];
} ws_build_matrix;

/* Sets *m to the built-in matrix of a name, such as "BLOSUM62", or "DNA1" for nucleotides. Returns WS_EDATA with the
 * names that the alphabet has. */
int ws_build_matrix_named(ws_build_matrix *m, const ws_abc *abc, const char *name, ws_err *err);
/* Sets *m to a matrix in the format of hmmbuild's --mxfile: n bytes of text, from a file of that name for messages.
 * Returns WS_EDATA with file and line. */
int ws_build_matrix_parse(ws_build_matrix *m, const ws_abc *abc, const char *file, const char *text, size_t n,
                          ws_err *err);

typedef enum ws_build_effective { WS_BUILD_EENT, WS_BUILD_EENTEXP, WS_BUILD_ECLUST, WS_BUILD_ESET,
                                  WS_BUILD_ENONE } ws_build_effective;
typedef enum ws_build_prior { WS_BUILD_DIRICHLET, WS_BUILD_LAPLACE, WS_BUILD_NO_PRIOR } ws_build_prior;

/* How many random sequences of which length a calibration scores, with each of three filters. */
typedef struct ws_build_lengths {
    uint32_t length, n;
} ws_build_lengths;
enum { WS_BUILD_MSV, WS_BUILD_VITERBI, WS_BUILD_FORWARD, WS_BUILD_NFILTER };

typedef struct ws_build_settings {
    const ws_abc *abc;
    int width; /* which vector code calibrates: a number of lib/simd/width.h that runs here. No digit depends on it */

    /* calibration, section 3 */
    const int *stop; /* where a number other than 0, which any thread may set, ends it with WS_ESTOP; NULL: nowhere */
    uint32_t seed; /* 0: from the clock */
    ws_build_lengths random[WS_BUILD_NFILTER];
    double tail; /* Eft: the tail of Forward scores that tau belongs to */

    /* single sequences, section 2 */
    ws_build_matrix matrix;
    double popen, pextend;

    /* alignments, sections 7 to 9 */
    ws_build_effective effective;
    double neff;          /* of WS_BUILD_ESET */
    double ere, esigma;   /* target of relative entropy, bits a position; and what short models add */
    ws_build_prior prior;
    int fix_open, fix_extend; /* popen, pextend replace the gap parameters of the alignment's model, section 10.3 */

    double w_beta;     /* tail mass of MAXL, nucleotides only; 0: four times the nodes */
    int32_t w_length;  /* MAXL; 0: by w_beta */
} ws_build_settings;
/* Sets hmmbuild's defaults for an alphabet, and the best vector width of this machine. */
void ws_build_settings_default(ws_build_settings *s, const ws_abc *abc);

typedef struct ws_builder ws_builder;
/* Makes *b of a copy of the settings; it draws the random sequences of the calibration, some milliseconds. Returns
 * WS_EDATA if the matrix has no valid scale (section 2.2), or WS_ENOMEM. On failure *b is NULL. */
int ws_builder_create(ws_builder **b, const ws_build_settings *s, ws_err *err);
void ws_builder_destroy(ws_builder *b); /* b may be NULL */

/* A digital sequence of L residues, L >= 1. */
typedef struct ws_build_sequence {
    const char *name, *acc, *desc; /* acc and desc may be NULL, and go into the model */
    const uint8_t *codes;
    uint32_t L;
} ws_build_sequence;

/* Makes the calibrated model of a sequence (section 2.3): M = L. Any thread may call it. Sets all of *h, which the
 * caller gives back with ws_hmm_release. Returns WS_EDATA for an empty sequence, for more than 2^31 - 2 residues, or if
 * the calibration fails; or WS_ENOMEM. On failure there is nothing to release. */
int ws_build_from_sequence(const ws_builder *b, const ws_build_sequence *q, ws_hmm *h, ws_err *err);

/* Makes a calibrated model of an alignment's counts, which it uses up: *c stays the caller's to release. The caller has
 * set in *h what the counts do not say: abc, M and name, and where the alignment has them acc, desc, cut, the map, the
 * notes but the consensus, and h->made with the checksum. Any thread may call it for another model. Returns WS_EDATA if
 * there is no effective number of sequences or the calibration fails, or WS_ENOMEM; the caller calls ws_hmm_release in
 * any case. */
int ws_build_from_counts(const ws_builder *b, ws_build_counts *c, ws_hmm *h, ws_err *err);

/* Makes the calibrated model of an alignment with these settings, whose `clusters` the builder decides about. name: the
 * model's. Changes m as ws_build_ali_create does. Any thread may call it for another alignment. *a and *h are then for
 * ws_build_resave_open and for the caller, who calls ws_build_ali_release and ws_hmm_release in any case. WS_EDATA as
 * ws_build_ali_create and ws_build_from_counts, or if the alphabet is not the builder's; WS_ENOMEM. */
int ws_build_from_msa(const ws_builder *b, const ws_build_ali_settings *s, ws_msa *m, const char *name, ws_build_ali *a,
                      ws_hmm *h, ws_err *err);

/* ---- the same in steps, for callers that calibrate many models together ---- */

/* Make a draft, a model without calibration and what follows it. Fail as the functions above. */
int ws_build_draft_sequence(const ws_builder *b, const ws_build_sequence *q, ws_hmm *h, ws_err *err);
int ws_build_draft_msa(const ws_builder *b, const ws_build_ali_settings *s, ws_msa *m, const char *name,
                       ws_build_ali *a, ws_hmm *h, ws_err *err);

/* Sets h->evparam from the scores of random sequences against a draft (section 3). Returns WS_EDATA if a score leaves
 * the range, WS_ESTOP if the builder's `stop` says so, or WS_ENOMEM. */
int ws_build_calibrate(const ws_builder *b, ws_hmm *h, ws_err *err);

/* A draft of a call. fault: a draft with one, a code that is not 0, is left alone; one that cannot be calibrated gets
 * its WS_EDATA there. */
typedef struct ws_build_load {
    ws_hmm *h;
    ws_err *fault;
} ws_build_load;
/* Does the same for many models together on the devices in use, bit by bit. Returns WS_EDEV or WS_ENOMEM, and may then
 * be called again, or ws_build_calibrate for each model. */
int ws_build_calibrate_together(const ws_builder *b, ws_build_load *load, size_t n, ws_err *err);

/* Finishes a calibrated draft: masked nodes, MAXL, fixed gaps, entropy, hash. Returns WS_ENOMEM on failure. */
int ws_build_finish(const ws_builder *b, ws_hmm *h, ws_err *err);

#endif
