/* SPDX-License-Identifier: MIT
 * Shared by hmmset.c, hmmfind.c, hmmtext.c and hmmbin.c: files in memory and the parsers of one model. */
#ifndef WS_HMM_HMMFILE_H
#define WS_HMM_HMMFILE_H

#include "lib/hmm/model.h"
#include "lib/hmm/striped.h"

#include <xxhash.h>

typedef struct ws_hmmfile {
    const char *name; /* for messages */
    const char *text; /* n bytes and a NUL */
    size_t n;
    size_t bytes_before, lines_before; /* of the file, before the text */
    char version;     /* 'a' to 'f' of HMMER3/a to HMMER3/f; _version sets it */
    size_t more;      /* bytes of the file behind the text; only ws_hmmbin_header asks */
} ws_hmmfile;

static inline int ws_hmmtext_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
/* Returns 1 for what ends a word of a text of models: a blank, a line feed, or the NUL behind the text. */
static inline int ws_hmmtext_is_end(char c) { return ws_hmmtext_is_blank(c) || c == '\n' || c == '\0'; }

/* Three functions for text. _whole returns how many of n bytes are whole models, up to the last line that ends a
 * model; 0: none. _version reads the version from the file's first line. _split returns the offset of each model,
 * behind blank and comment lines, as an array of *n that the caller frees with ws_free. */
size_t ws_hmmtext_whole(const char *text, size_t n);
size_t ws_hmmtext_lines(const char *text, size_t n); /* returns the line ends in n bytes */
int ws_hmmtext_version(ws_hmmfile *f, ws_err *err);
int ws_hmmtext_split(const ws_hmmfile *f, size_t **start, size_t *n, ws_err *err);
/* Reads the model at offset `start` into *h, which is zeroed. On failure the caller releases what *h holds. */
int ws_hmmtext_read(ws_hmm *h, const ws_hmmfile *f, size_t start, ws_err *err);
/* Reads only its header: no tables, composition, annotation or hash. */
int ws_hmmtext_header(ws_hmm *h, const ws_hmmfile *f, size_t start, ws_err *err);

/* Reads -ln of the match emissions of the one model of a text, whose header is h, to mat[k * K + x], and to compo[K]
 * its composition, 0 if there is none. Returns 0 if something is not as it should be. ws_hmmtext_read then says what.
 * */
int ws_hmmtext_match(const ws_hmm *h, const ws_hmmfile *f, float *mat, float *compo);
/* Returns the columns behind match emissions of a version. */
int ws_hmmtext_columns(char version);

/* Three functions for binary files: test whether the file begins as one, read the version from its first magic, read
 * the model at *at and advance *at. */
enum { WS_HMMBIN_MAGIC = 4 };
#define WS_HMMBIN_MAGIC_F 0xe8ededbau /* begins each model of version f */
int ws_hmmbin_detect(const ws_hmmfile *f);
int ws_hmmbin_version(ws_hmmfile *f, ws_err *err);
int ws_hmmbin_read(ws_hmm *h, const ws_hmmfile *f, size_t *at, ws_err *err);
/* Reads the same without tables, annotation and hash, and does not check these. Returns WS_AGAIN if the text ends
 * before the model and the file does not; *at is unchanged then. */
int ws_hmmbin_header(ws_hmm *h, const ws_hmmfile *f, size_t *at, ws_err *err);

/* Reads all models of a file and appends them to the set; *hash takes the file's bytes. A failure leaves the set
 * unchanged. Defined in hmmset.c. */
int ws_hmmset_append(ws_hmmset *set, XXH3_state_t *hash, const char *path, int threads, ws_err *err);
/* Looks for a zero byte in the text. Returns WS_EDATA with its place in the file if there is one, for the parsers of
 * text take a zero byte for the end. Defined in hmmset.c. */
int ws_hmmfile_check_text(const ws_hmmfile *f, ws_err *err);
/* Fails with WS_EDATA if a line that begins at a byte of the file and has n bytes, or more, is longer than any of a
 * model: more is damage, and would take memory without a bound. A description that FASTA may have fits. Defined in
 * hmmset.c. */
enum { WS_HMMTEXT_LINE = (16 << 20) + 4096 };
int ws_hmmfile_check_line(const char *name, size_t begin, size_t n, ws_err *err);
/* Checks that the last model has the alphabet of the set. Fails with "model 3, NAME, has the alphabet ...". */
int ws_hmmset_check_alphabets(const ws_hmmset *set, const char *name, ws_err *err);

/* Five functions of hmmfind.c. _read reads n bytes at `at` of a file behind the content of *to, and a NUL: WS_EIO,
 * WS_ENOMEM, or WS_EDATA if the file ends before. _stamp takes the stamp of an open file: WS_EIO. _unchanged fails with
 * WS_EDATA unless it is the same still. _take_text and _give_text lend a buffer of the set, empty. */
int ws_hmmfile_read(int fd, const char *name, size_t at, size_t n, ws_buf *to, ws_err *err);
int ws_hmmfile_stamp(int fd, const char *name, ws_hmmstamp *stamp, ws_err *err);
int ws_hmmfile_unchanged(int fd, const char *name, const ws_hmmstamp *was, ws_err *err);
ws_buf *ws_hmmset_take_text(ws_hmmset *set, ws_err *err);
void ws_hmmset_give_text(ws_hmmset *set, ws_buf *b);
/* Does the same as _read to memory of n bytes, without a NUL. */
int ws_hmmfile_read_to(int fd, const char *name, size_t at, size_t n, void *to, ws_err *err);

/* Functions of pressread.c for hmmfind.c: close a pressed set, check that model i, which was read from .h3m, is the one
 * that .h3f has, and read its rows, as ws_hmmset_striped does. */
void ws_pressed_close(struct ws_pressed *p);
int ws_pressed_check(const ws_hmmset *set, size_t i, const ws_hmm *full, ws_err *err);
int ws_pressed_striped(const ws_hmmset *set, size_t i, void *room, int all, ws_striped *out, ws_err *err);

/* Returns the line number in the file, from 1, of a place in the text. It counts from the start, so it is for
 * messages only. */
size_t ws_hmmfile_line(const ws_hmmfile *f, const char *at);

/* Flags of a binary file: which parts a model has. */
enum {
    WS_HMMBIN_DESC = 1 << 1,
    WS_HMMBIN_RF = 1 << 2,
    WS_HMMBIN_CS = 1 << 3,
    WS_HMMBIN_STATS = 1 << 7,
    WS_HMMBIN_MAP = 1 << 8,
    WS_HMMBIN_ACC = 1 << 9,
    WS_HMMBIN_GA = 1 << 10,
    WS_HMMBIN_TC = 1 << 11,
    WS_HMMBIN_NC = 1 << 12,
    WS_HMMBIN_CA = 1 << 13,
    WS_HMMBIN_COMPO = 1 << 14,
    WS_HMMBIN_CKSUM = 1 << 15,
    WS_HMMBIN_CONS = 1 << 16,
    WS_HMMBIN_MM = 1 << 17
};
/* HMMER's value of a cutoff that a model lacks. */
#define WS_CUT_UNSET (-99999.0f)

/* HMMER's value of mu, lambda and tau for a model without STATS: every P-value is then 1 (section 1.3). */
#define WS_EVPARAM_UNSET (-99999.0f)

/* The largest probability that the parser accepts. Some files have sums of singles just above 1. The limit bounds
 * the growth of Forward's insert states: kernels/fwd/README.md, range. */
#define WS_PROB_MAX 1.00001f

#endif
