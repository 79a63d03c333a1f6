/* SPDX-License-Identifier: MIT
 * Profile HMMs as files hold them: HMMER3/a to 3/f text and HMMER3 binary (.h3m), any number in a file, also
 * gzipped. Source: specification profile-filters.md, section 1.
 *
 * Letters of the field, used everywhere: M model length, k node 1..M, L target length, i residue 1..L, x residue
 * code. */
#ifndef WS_HMM_MODEL_H
#define WS_HMM_MODEL_H

#include "lib/base/alphabet.h"
#include "lib/base/mem.h"

enum { WS_TMM, WS_TMI, WS_TMD, WS_TIM, WS_TII, WS_TDM, WS_TDD, WS_NTRANS };
enum { WS_MMU, WS_MLAMBDA, WS_VMU, WS_VLAMBDA, WS_FTAU, WS_FLAMBDA, WS_NEVPARAM };
enum { WS_NOTE_CONS, WS_NOTE_RF, WS_NOTE_MM, WS_NOTE_CS, WS_NNOTE }; /* annotation with one character for each node */
enum { WS_CUT_GA, WS_CUT_TC, WS_CUT_NC, WS_NCUT };

/* Beside its tables, the parts of a model that this process made, or that it read in full (lib/hmm/hmmstream.h). Other
 * readers keep no such parts, since no search needs them. */
typedef struct ws_hmm_made {
    float *ins;       /* insert emission probabilities: ins[k*K + x], k = 0..M; NULL: the background at each node */
    float effn;       /* effective number of sequences; below 0: none is said */
    double entropy;   /* mean relative entropy of a match state, bits: the column re/pos of hmmbuild's table */
    int has_checksum;
    uint32_t checksum; /* of the alignment, if has_checksum */
    int from_sequence; /* it was made of a query sequence, not of an alignment */

    /* of a model that was read in full */
    int whole;
    char *date, *comlog; /* NULL: none; lines of the log are joined by line feeds */
    char *ca;            /* M + 2 bytes of a binary file; NULL: none */
    int32_t nseq, maxl;  /* as the file has them; -1: it says nothing */
    uint32_t flags;      /* of a binary file; 0 of text */
} ws_hmm_made;

typedef struct ws_hmm {
    char *name, *acc, *desc; /* acc and desc may be NULL */
    int M;
    const ws_abc *abc;
    float *mat;       /* match emission probabilities: mat[k*K + x], k = 1..M; row 0 unused */
    float *tr;        /* transition probabilities out of node k: tr[k*WS_NTRANS + WS_T..], k = 0..M */
    float compo[20];  /* composition; all zero if the file has none (section 10.4) */
    char *note[WS_NNOTE]; /* strings, node k at [k], a blank at [0]; NULL where the file has none, except CONS */
    int32_t *map;     /* alignment column of node k at [k]; NULL if the file has none */
    int32_t nseq;     /* sequences that the model was made from; 0 if the file does not say */
    int32_t maxl;     /* longest instance worth a search, in residues (MAXL); 0 if the file does not say */
    int64_t cksum;    /* of the alignment that the model was made from, plus 1; 0: the file has no CKSUM */
    int calibrated;   /* the file has STATS */
    float evparam[WS_NEVPARAM];  /* valid if calibrated */
    int has_cut[WS_NCUT];
    float cut[WS_NCUT][2]; /* per sequence, per domain, bits */
    uint32_t further; /* fields of match lines behind the columns that HMMER3 has: nothing reads them */
    uint64_t hash;    /* ws_hmm_hash of the model; 0 until the tables are read */
    ws_hmm_made *made; /* NULL of a model from a file, unless it was read in full */
} ws_hmm;

/* The place of a model that was found but not read. */
typedef struct ws_hmmplace {
    size_t file, at, n; /* index of its file; its bytes there. n = 0: the model was read */
    uint64_t xxh3;      /* XXH3-64 of these bytes when the model was found */
    char version;       /* version of the text; 0: binary */
} ws_hmmplace;

/* Size of a file and time of its last change. One of them differs after a program has written to the file. */
typedef struct ws_hmmstamp {
    int64_t size, seconds, nanoseconds;
} ws_hmmstamp;

enum { WS_HMMSET_TEXTS = 16 };
typedef struct ws_hmmset {
    ws_hmm *hmm;
    size_t n;
    uint64_t xxh3; /* hash of the files' decompressed bytes, for provenance */

    /* of ws_hmmset_find */
    ws_hmmplace *place; /* [n]; NULL: all models were read */
    int *fd;            /* [nfile]; -1 for files that were read whole */
    ws_hmmstamp *was;   /* [nfile] when the file was opened */
    const char *const *path;
    struct ws_pressed *pressed; /* of ws_hmmset_find_pressed */
    size_t nfile;
    ws_buf *text[WS_HMMSET_TEXTS]; /* for ws_hmmset_load: buffers that no thread uses. Atomic */
} ws_hmmset;

/* Returns the XXH3-64 of all numbers that scores depend on: warpsieve-packed(5), "Hash of a model". The tables must
 * be present. */
uint64_t ws_hmm_hash(const ws_hmm *h);

/* Allocates the tables of a model whose M and abc are set. Returns WS_ENOMEM on failure. */
int ws_hmm_alloc(ws_hmm *h, ws_err *err);
/* Allocates the insert emissions of a model with `made`. Returns WS_ENOMEM on failure. */
int ws_hmm_alloc_inserts(ws_hmm *h, ws_err *err);
/* Frees what a model holds, and zeroes it. */
void ws_hmm_release(ws_hmm *h);

/* Two functions for annotation. The first makes a string of M blanks behind a first one. The second makes the
 * consensus of a model whose file has none (section 1.4): each node's most probable residue, in upper case from a
 * probability of 0.5 (proteins) or 0.9. */
int ws_hmm_add_note(ws_hmm *h, int which, ws_err *err);
int ws_hmm_derive_consensus(ws_hmm *h, ws_err *err);

/* Finds the models of several files ("-": standard input) as one set, and reads their headers. Each hmm then lacks mat,
 * tr, compo, note, map and hash. A compressed file, or one that is no regular file, is read whole, on up to `threads`
 * threads. An empty file, two alphabets in one file, and HMMER2 are errors (WS_EDATA). Messages name file and line
 * (text) or byte (binary). Errors in the tables of a found model appear only in ws_hmmset_load. The caller calls
 * ws_hmmset_release; a failure leaves nothing to release. path must live as long as the set. */
int ws_hmmset_find(ws_hmmset *set, const char *const *path, size_t npath, int threads, ws_err *err);
void ws_hmmset_release(ws_hmmset *set);

/* Reads the missing parts of model i; does nothing if mat is present. One thread at a time may call it for one i.
 * The name and the header stay where they are. Returns WS_EDATA as ws_hmmset_find, also if a byte of the model has
 * changed in the file since then; WS_EIO; WS_ENOMEM. */
int ws_hmmset_load(ws_hmmset *set, size_t i, ws_err *err);

/* Does the same as ws_hmmset_find for one file that is pressed: with PATH.h3m, .h3f and .h3p beside it. It reads no
 * model, but the headers of .h3f, so each hmm lacks acc, desc, nseq and cksum too until ws_hmmset_load. It has its
 * composition, and the set no xxh3. cut: cutoffs are needed. *state: whether there are such files, and whether PATH is
 * younger than they are; then, and without them, nothing is found and nothing is to be released. Files that do not
 * belong together are WS_EDATA. */
enum { WS_PRESSED_NONE, WS_PRESSED_OLD, WS_PRESSED_FOUND };
int ws_hmmset_find_pressed(ws_hmmset *set, const char *path, int cut, int *state, ws_err *err);
/* Looks whether .h3f is still the file that was found; reads of rows look only now and then. WS_EDATA, WS_EIO. Does
 * nothing if the models are not pressed. */
int ws_pressed_unchanged(const ws_hmmset *set, ws_err *err);
/* Sets set->xxh3 of pressed models to the hash of what stands in `path`, without it of .h3m. Fails as a reader. */
int ws_hmmset_hash_pressed(ws_hmmset *set, const char *path, ws_err *err);

/* Frees the tables mat and tr, 108 bytes a node. Nothing needs them once a profile exists. */
void ws_hmm_forget(ws_hmm *h);
/* Frees note and map, 9 bytes a node, of a model that ws_hmmset_load can read again. */
void ws_hmm_forget_annotation(ws_hmm *h);

#endif
