/* SPDX-License-Identifier: MIT
 * What hmmset.c, hmmtext.c and hmmbin.c share: whole models in memory and the parsers of one of them. */
#ifndef WS_HMM_HMMFILE_H
#define WS_HMM_HMMFILE_H

#include "lib/hmm/model.h"

typedef struct ws_hmmfile {
    const char *name; /* for messages */
    const char *text; /* n bytes and a NUL behind them */
    size_t n;
    size_t bytes_before, lines_before; /* of the file, in front of the text */
    char version;     /* 'a' to 'f' of HMMER3/a to HMMER3/f, set by _version */
} ws_hmmfile;

/* Text: how many of n bytes are whole models, up to the last line that ends one; 0 if none does. The version from the file's
 * first line; then the start of each model, behind the blank and comment lines before it. *start is an array of *n offsets,
 * released with ws_free. */
size_t ws_hmmtext_whole(const char *text, size_t n);
size_t ws_hmmtext_lines(const char *text, size_t n); /* line ends in n bytes */
int ws_hmmtext_version(ws_hmmfile *f, ws_err *err);
int ws_hmmtext_split(const ws_hmmfile *f, size_t **start, size_t *n, ws_err *err);
/* The model at offset `start`. *h is zeroed before; on failure the caller releases what it holds. */
int ws_hmmtext_read(ws_hmm *h, const ws_hmmfile *f, size_t start, ws_err *err);

/* Binary: whether the file begins as one, from so many bytes; the version from its first magic; the model at *at, which moves behind it. */
enum { WS_HMMBIN_MAGIC = 4 };
int ws_hmmbin_detect(const ws_hmmfile *f);
int ws_hmmbin_version(ws_hmmfile *f, ws_err *err);
int ws_hmmbin_read(ws_hmm *h, const ws_hmmfile *f, size_t *at, ws_err *err);

/* The tables of a model whose M and abc are set. */
int ws_hmm_alloc(ws_hmm *h, ws_err *err);
void ws_hmm_release(ws_hmm *h);

/* Line number in the file, from 1, of a place in the text. Counts from the start: for messages only. */
size_t ws_hmmfile_line(const ws_hmmfile *f, const char *at);

/* What stands for mu, lambda and tau in HMMER when a model has no STATS: every P-value is then 1 (section 1.3). */
#define WS_EVPARAM_UNSET (-99999.0f)

/* Probabilities are sums of singles in some files, so one may lie this far above 1; more is an error. It bounds the growth
 * of Forward's insert states: kernels/fwd/README.md, range. */
#define WS_PROB_MAX 1.00001f

#endif
