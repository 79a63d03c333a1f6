/* SPDX-License-Identifier: MIT
 * zstd frames through libzstd: see lib/compress/unzstd.h. A file may have several frames, also skippable ones, and zero
 * padding at its end. Other bytes after a frame are an error, because they would be lost in silence.
 *
 * The data are cut into pieces: a frame's header, each of its blocks, its checksum (RFC 8878). libzstd gets a piece
 * once all its bytes are there. So the byte that a sentence names does not depend on how the input came. */
#include "lib/compress/unzstd.h"

#include "lib/base/mem.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

typedef enum place { BETWEEN, HEADER, BLOCK, CHECKSUM, SKIP, PADDING } place;

/* The longest piece is a block: its header and at most 128 KiB. */
enum { MAGIC = 4, BLOCK_HEADER = 3, BLOCK_MAX = 1 << 17, PIECE_MAX = BLOCK_HEADER + BLOCK_MAX };

struct ws_unzstd {
    ZSTD_DStream *z;
    place place;
    int checksum, last; /* this frame has a checksum; this block is the frame's last */
    uint64_t taken;     /* bytes used so far */
    uint64_t skip;      /* bytes that are left of a skippable frame */

    uint8_t *piece;
    size_t npiece, at;       /* bytes of it that are here, and of these the ones that libzstd has */
    int whole;               /* libzstd may take it, and may hold text of it */

    uint8_t *kept;           /* text of a last block */
    size_t nkept, given;
    int checked;             /* it may leave */
};

const char *ws_unzstd_version(void) { return ZSTD_versionString(); }

ws_unzstd *ws_unzstd_create(ws_err *err) {
    ws_unzstd *f = ws_calloc(1, sizeof *f, err);
    if (!f) return NULL;
    f->piece = ws_alloc(PIECE_MAX, err);
    if (f->piece) f->kept = ws_alloc(BLOCK_MAX, err);
    if (f->kept && !(f->z = ZSTD_createDStream())) ws_fail_nomem(err, 1 << 17);
    if (f->z) return f;
    ws_unzstd_destroy(f);
    return NULL;
}

void ws_unzstd_destroy(ws_unzstd *f) {
    if (!f) return;
    (void)ZSTD_freeDStream(f->z);
    ws_free(f->piece);
    ws_free(f->kept);
    ws_free(f);
}

static uint32_t u32(const uint8_t *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Returns whether a frame may begin with p[0..n), n <= 4. */
static int may_begin(const uint8_t *p, size_t n) {
    static const uint8_t frame[MAGIC] = {0x28, 0xb5, 0x2f, 0xfd}, skippable[MAGIC] = {0x50, 0x2a, 0x4d, 0x18};
    if (!memcmp(p, frame, n)) return 1;
    return (p[0] & 0xf0) == skippable[0] && !memcmp(p + 1, skippable + 1, n - 1);
}

static int garbage(uint64_t at, const uint8_t *p, size_t n, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    return ws_fail(err, WS_EDATA,
                   "byte %llu of the zstd data is neither the start of a frame nor zero padding: \"%s\" follows",
                   (unsigned long long)at, ws_quote(quote, (const char *)p, n));
}

static int damaged(const ws_unzstd *f, const char *what, ws_err *err) {
    return ws_fail(err, WS_EDATA, "the zstd data are damaged at byte %llu: %s",
                   (unsigned long long)(f->taken - f->npiece), what);
}

/* Returns the bytes of a frame's header by its descriptor: that is the fifth byte. */
static size_t header_size(uint8_t d) {
    static const uint8_t dictionary[4] = {0, 1, 2, 4}, content[4] = {0, 2, 4, 8};
    const int single = d >> 5 & 1;
    return MAGIC + 1 + !single + dictionary[d & 3] + content[d >> 6] + (single && d >> 6 == 0);
}

/* Returns the bytes that the piece has in the end, as far as its first npiece bytes tell. */
static size_t wanted(const ws_unzstd *f) {
    if (f->place == BETWEEN) return MAGIC;
    if (f->place == CHECKSUM) return 4;
    if (f->place == SKIP) return MAGIC + 4;
    if (f->place == HEADER) return f->npiece > MAGIC ? header_size(f->piece[MAGIC]) : MAGIC + 1;
    if (f->npiece < BLOCK_HEADER) return BLOCK_HEADER;
    const uint32_t h = f->piece[0] | (uint32_t)f->piece[1] << 8 | (uint32_t)f->piece[2] << 16;
    const int run = (h >> 1 & 3) == 1; /* one byte, repeated */
    return BLOCK_HEADER + (run ? 1 : h >> 3);
}

/* Takes the bytes of a skippable frame, or of zero padding. */
static int pass_over(ws_unzstd *f, const uint8_t *in, size_t n, size_t *used, ws_err *err) {
    size_t i = 0;
    if (f->place == SKIP)
        i = f->skip < n ? (size_t)f->skip : n;
    else
        while (i < n && in[i] == 0) i++;
    f->taken += i;
    *used = i;
    if (f->place == PADDING) return i < n ? garbage(f->taken, in + i, n - i, err) : WS_OK;
    f->skip -= i;
    if (!f->skip) f->place = BETWEEN;
    return WS_OK;
}

/* Collects bytes of a piece, and sees what it is. */
static int collect(ws_unzstd *f, const uint8_t *in, size_t n, size_t *used, ws_err *err) {
    if (f->place == BETWEEN && f->npiece == 0 && in[0] == 0) {
        f->place = PADDING;
        *used = 0;
        return WS_OK;
    }
    const size_t want = wanted(f);
    if (want > PIECE_MAX) return damaged(f, "a block of more than 128 KiB", err);
    *used = ws_min(want - f->npiece, n);
    memcpy(f->piece + f->npiece, in, *used);
    f->npiece += *used;
    f->taken += *used;
    if (f->place == BETWEEN && !may_begin(f->piece, f->npiece)) {
        const int here = f->npiece == *used; /* all of it */
        return garbage(f->taken - f->npiece, here ? in : f->piece, here ? n : f->npiece, err);
    }
    if (f->npiece < want) return WS_OK;
    if (f->place == BETWEEN) {
        f->place = f->piece[0] == 0x28 ? HEADER : SKIP;
        return WS_OK;
    }
    if (f->place == SKIP) {
        f->skip = u32(f->piece + MAGIC);
        f->npiece = 0;
        if (!f->skip) f->place = BETWEEN;
        return WS_OK;
    }
    f->whole = wanted(f) == f->npiece;
    if (f->place == HEADER) f->checksum = f->piece[MAGIC] >> 2 & 1;
    if (f->place == BLOCK) f->last = f->piece[0] & 1;
    f->at = 0;
    return WS_OK;
}

/* Goes on to the next piece: libzstd has this one and holds nothing of it. */
static void next_piece(ws_unzstd *f) {
    f->whole = 0;
    f->npiece = 0;
    if (f->place == CHECKSUM || (f->place == BLOCK && f->last && !f->checksum)) {
        f->place = BETWEEN;
        f->checked = 1;
        f->last = 0;
    } else {
        f->place = f->place == BLOCK && f->last ? CHECKSUM : BLOCK;
    }
}

/* Gives the piece to libzstd, and its text to out or to what is kept. */
static int decompress(ws_unzstd *f, uint8_t *out, size_t nout, size_t *o, ws_err *err) {
    const int keep = f->place == BLOCK && f->last;
    ZSTD_inBuffer from = {f->piece, f->npiece, f->at};
    ZSTD_outBuffer to = {keep ? f->kept : out, keep ? BLOCK_MAX : nout, keep ? 0 : *o};
    if (keep) f->checked = 0;
    const size_t rc = ZSTD_decompressStream(f->z, &to, &from);
    if (ZSTD_isError(rc)) {
        if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation) return ws_fail_nomem(err, 1 << 17);
        return damaged(f, ZSTD_getErrorName(rc), err);
    }
    f->at = from.pos;
    *(keep ? &f->nkept : o) = to.pos;
    if (keep || to.pos < to.size || f->place != BLOCK) next_piece(f);
    return WS_OK;
}

/* Gives out what was kept and is checked by now. */
static void give_kept(ws_unzstd *f, uint8_t *out, size_t nout, size_t *o) {
    const size_t n = ws_min(f->nkept - f->given, nout - *o);
    memcpy(out + *o, f->kept + f->given, n);
    *o += n;
    f->given += n;
    if (f->given == f->nkept) f->given = f->nkept = 0;
}

int ws_unzstd_step(ws_unzstd *f, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout, ws_err *err) {
    size_t i = 0, o = 0;
    int rc = WS_OK;
    while (!rc && o < *nout) {
        size_t used = 0;
        if (f->checked && f->nkept) {
            give_kept(f, out, *nout, &o);
        } else if (f->whole) {
            rc = decompress(f, out, *nout, &o, err);
        } else if (i == *nin) {
            break;
        } else if (f->place == PADDING || f->skip) {
            rc = pass_over(f, in + i, *nin - i, &used, err);
        } else {
            rc = collect(f, in + i, *nin - i, &used, err);
        }
        i += used;
    }
    *nin = i;
    *nout = o;
    return rc;
}

int ws_unzstd_let_go(ws_unzstd *f) {
    if (f->checked || !f->nkept) return 0;
    f->checked = 1;
    return 1;
}

int ws_unzstd_end(const ws_unzstd *f, ws_err *err) {
    if (f->place == PADDING || (f->place == BETWEEN && f->npiece == 0)) return WS_OK;
    return ws_fail(err, WS_EDATA, "the zstd data end inside a frame after %llu bytes, so they were cut",
                   (unsigned long long)f->taken);
}
