/* SPDX-License-Identifier: MIT
 * Shared by hmmindex and hmmpick: the input of models, and the keys that are looked for. */
#ifndef BIN_PRESSING_PROGRAM_H
#define BIN_PRESSING_PROGRAM_H

#include "lib/hmm/hmmstream.h"
#include "lib/hmm/ssi.h"
#include "lib/run/job.h"
#include "lib/run/peer.h"

extern const ws_peer ws_peer_hmmpress, ws_peer_hmmfetch;

/* ---- models.c: readers whose items are portions of a file of models ---- */

/* The state that both readers have. */
typedef struct ws_models {
    ws_hmmstream *stream;
    const ws_abc *abc;   /* of the first model; the writer's */
    char *name;          /* the first model's; the writer's */
    uint64_t n;          /* models so far; the writer's. Atomic */
} ws_models;

int ws_models_open(ws_models *m, const char *path, ws_err *err);
void ws_models_close(ws_models *m);
/* Counts a model, and checks that it has the alphabet of the first. Returns WS_EDATA if not; WS_ENOMEM. */
int ws_models_count(ws_models *m, const char *path, const char *name, const ws_abc *abc, ws_err *err);
void ws_models_progress(const ws_models *m, char *text, size_t n, double *share);

/* Returns whether a file is compressed by gzip or zstd. Returns 0 if the file cannot be read. */
int ws_models_compressed(const char *path);
/* Fails unless path is a regular file: an index leads to places in it. */
int ws_models_check_file(const char *path, const char *what, ws_err *err);
/* Returns `path` with an ending, for the caller to free; NULL and a sentence on failure. */
char *ws_models_sibling(const char *path, const char *ending, ws_err *err);

/* ---- keys.c: names and accessions that are looked for ---- */

typedef struct ws_picks {
    ws_buf text;       /* the keys' bytes */
    size_t *at;        /* [n] in text, in the order given */
    uint32_t *sorted;  /* [n] numbers of keys, by key */
    uint8_t *found;    /* [n], the writer's */
    size_t n, cap;
} ws_picks;

/* Adds keys of the command line, or those of a file: the first word of each line that is no comment. WS_EDATA if a key
 * of the file occurs twice; WS_EIO, WS_ENOMEM. */
int ws_picks_add(ws_picks *p, const char *key, ws_err *err);
int ws_picks_read(ws_picks *p, const char *path, ws_err *err);
/* To be called once all are added. */
int ws_picks_sort(ws_picks *p, ws_err *err);
const char *ws_picks_key(const ws_picks *p, size_t i); /* returns key i */
/* Returns the number of a key, or UINT32_MAX. key = NULL is none. */
uint32_t ws_picks_find(const ws_picks *p, const char *key);
/* Fails with WS_EDATA if a key was not found in the models of path. */
int ws_picks_check(const ws_picks *p, const char *path, ws_err *err);
void ws_picks_release(ws_picks *p);

/* ---- places.c: where an index says that they are ---- */

typedef struct ws_places {
    const char *path; /* of the models: the file, or its .h3m */
    char *own;
    int fd, binary;   /* fd -1: there is no index, or one of its places is wrong */
    char version;
    uint64_t *at;     /* [n] */
    size_t n;
} ws_places;

/* Looks for the keys in the index of a pressed database, then in PATH.ssi, and compares each model found with its key.
 * in_file: sorts the places in the order of the file, each once; else they are those of the keys. WS_ENOMEM. The caller
 * calls ws_places_release. */
int ws_places_find(ws_places *x, const char *path, const ws_picks *keys, int in_file, ws_err *err);
/* Reads the model at place i in full. Any thread. */
int ws_places_read(const ws_places *x, size_t i, ws_hmmportion *p, ws_hmmportion_take *take, void *ctx, ws_err *err);
void ws_places_release(ws_places *x);

#endif
