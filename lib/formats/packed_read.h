/* SPDX-License-Identifier: MIT
 * The state of the reader of packed streams, shared by its two halves: frames and sequences (packed_read.c), and what
 * only streams with pairs have (pairs_read.c). Internal. */
#ifndef WS_FORMATS_PACKED_READ_H
#define WS_FORMATS_PACKED_READ_H

#include "lib/stream/packfmt.h"
#include "lib/formats/parser.h"

typedef struct unpack {
    enum { HEAD, FRAME, FRONT, WORDS, TAIL, BODY, ENDED } state; /* ENDED: the stream's end, or a head follows */
    uint64_t at, frame_at; /* bytes of the input so far; where the current frame began */
    pack_frame f;
    size_t nframe;         /* bytes of f that have arrived */
    ws_buf front;          /* of a block: lengths and texts */
    uint64_t nbytes;       /* bytes of words that have arrived */
    uint8_t tail[PACK_ALIGN + sizeof(uint64_t)]; /* gap and checksum */
    size_t ntail;
    uint64_t blocks, seqs, residues, pairs; /* of this stream so far */
    XXH3_state_t hash;

    /* with pairs */
    uint64_t version;
    ws_buf body;      /* of the head, of queries, of pairs: so many bytes of it are wanted */
    uint64_t want;
    int owed;         /* the pairs of the last block are still to come: its sequences are after the mark */
    ws_buf number;    /* uint32_t: the number among all queries of each query of this stream */
    uint8_t *kind;    /* [ncol] ws_paircol of each column */
    int *rest;        /* [ncol] its index among those that pass through, -1: none */
    size_t ncol;      /* the same for all streams; 0: none was read */
} unpack;

#define PACK_TEXT_MAX (UINT64_C(1) << 40)
#define PACK_WORDS_MAX (UINT64_C(1) << 38)
enum { PACK_SEQS_MAX = 1 << 28 };

/* Checks the frame of a head, of queries or of pairs, and sets `want` for its body (lib/formats/pairs_read.c).
 * WS_EDATA. */
int ws_pairs_read_frame(unpack *u, ws_parse *s, ws_err *err);
/* Takes that body, whose checksum is right. WS_EDATA or WS_ENOMEM. */
int ws_pairs_read_body(unpack *u, ws_parse *s, ws_err *err);
void ws_pairs_read_release(unpack *u);

static inline int ws_packed_is(const unpack *u, const char *magic) {
    return !memcmp(u->f.magic, magic, sizeof u->f.magic);
}

/* Makes the sentence about the frame at hand and its body. Returns WS_EDATA. */
static inline int ws_packed_bad(const unpack *u, const ws_parse *s, const char *what, ws_err *err) {
    if (u->state == HEAD || u->state == ENDED || (u->state == BODY && ws_packed_is(u, PACK_HEAD)))
        return ws_fail(err, WS_EDATA, "%s: the head of the packed stream at byte %llu %s", s->input,
                       (unsigned long long)u->frame_at, what);
    return ws_fail(err, WS_EDATA, "%s: block %llu of the packed stream, at byte %llu, %s", s->input,
                   (unsigned long long)u->blocks, (unsigned long long)u->frame_at, what);
}

#endif
