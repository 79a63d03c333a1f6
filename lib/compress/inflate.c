/* SPDX-License-Identifier: MIT
 * gzip members: see lib/compress/inflate.h. A file may have several members, as BGZF has, also empty ones, and zero
 * padding at its end. Other bytes after a member are an error, because they would be lost in silence.
 *
 * The text of a member's last deflate block, or of a whole member of BGZF, waits in `kept`. ws_inflate_step delivers it
 * once the member's checksum is right.
 *
 * zlib takes the header of a member. If the caller can rewind, ISA-L inflates the rest, and keeps back no less than
 * zlib would. After a failure zlib stands where ISA-L began; `skip` bytes of what zlib gives have left by then. */
#include "lib/compress/inflate.h"

#include "lib/base/mem.h"
#include "lib/compress/igzip.h"

#include <string.h>
#include <zlib.h>

typedef enum place { BETWEEN, INSIDE, QUICK, PADDING } place;

struct ws_inflate {
    z_stream z;
    place place;
    int full; /* the last output was filled up, so that zlib may hold more without further input */
    uint64_t taken, members; /* compressed bytes used so far; complete members */

    uint8_t *kept;                  /* of the last deflate block of this member, or of BGZF all of it */
    size_t nkept, kept_size, given; /* bytes and room in it, and of these bytes those that have left */
    int checked;                    /* the bytes in kept may leave */
    int beyond;                     /* these are more than KEEP bytes: the rest leaves at once */

    gz_header header; /* of this member */
    Bytef extra[64];  /* its extra field, as far as that matters here */
    int bgzf_open;    /* the last member was a block of BGZF that had bytes: more blocks must follow */

    ws_igzip *quick;  /* NULL: zlib alone */
    int tried;        /* ISA-L has had its turn at this member */
    uint64_t began;   /* where ISA-L did so */
    uint64_t out;     /* bytes that have left of what ISA-L gave of this member */
    size_t before;    /* bytes in kept that may belong to blocks before the last */
    int rewind;       /* the caller must go back to `began` */
    uint64_t skip;
};

/* A last block that gives more bytes than this is not kept back whole. zlib's blocks give 64 KB of text, members of
 * BGZF no more. */
enum { KEEP = 1 << 20, FIRST = 1 << 16 };

enum { GZIP_ONLY = 16 + MAX_WBITS };
enum { LAST_BLOCK = 64 }; /* a bit of zlib's data_type */

const char *ws_inflate_version(void) { return zlibVersion(); }

ws_inflate *ws_inflate_create(int can_rewind, ws_err *err) {
    ws_inflate *f = ws_calloc(1, sizeof *f, err);
    if (!f) return NULL;
    if (inflateInit2(&f->z, GZIP_ONLY) != Z_OK) {
        ws_fail_nomem(err, 1 << 15);
        ws_free(f);
        return NULL;
    }
    if (can_rewind && ws_igzip_version() && !(f->quick = ws_igzip_create(err))) {
        ws_inflate_destroy(f);
        return NULL;
    }
    return f;
}

void ws_inflate_destroy(ws_inflate *f) {
    if (!f) return;
    inflateEnd(&f->z);
    ws_igzip_destroy(f->quick);
    ws_free(f->kept);
    ws_free(f);
}

void ws_inflate_resume(ws_inflate *f, uint64_t taken, uint64_t members, int bgzf_open) {
    f->taken = taken;
    f->members = members;
    f->bgzf_open = bgzf_open;
}

uint64_t ws_inflate_members(const ws_inflate *f) { return f->members; }

int ws_inflate_rewinds(ws_inflate *f, uint64_t *to) {
    if (!f->rewind) return 0;
    f->rewind = 0;
    *to = f->began;
    return 1;
}

static int garbage(const ws_inflate *f, const char *p, size_t n, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    return ws_fail(err, WS_EDATA,
                   "byte %llu of the gzip data is neither the start of a member nor zero padding: \"%s\" follows",
                   (unsigned long long)f->taken, ws_quote(quote, p, n));
}

/* Handles the bytes after a member: another member, padding, or an error. Returns the bytes passed over. */
static int between(ws_inflate *f, const uint8_t *in, size_t n, size_t *used, ws_err *err) {
    size_t i = 0;
    if (f->place == BETWEEN && in[0] == 0) f->place = PADDING;
    if (f->place == PADDING) {
        while (i < n && in[i] == 0) i++;
        f->taken += i;
        *used = i;
        return i < n ? garbage(f, (const char *)in + i, n - i, err) : WS_OK;
    }
    *used = 0;
    if (in[0] != 0x1f) return garbage(f, (const char *)in, n, err);
    f->header = (gz_header){.extra = f->extra, .extra_max = sizeof f->extra};
    if (inflateReset(&f->z) != Z_OK || inflateGetHeader(&f->z, &f->header) != Z_OK) ws_bug("inflateReset");
    f->beyond = f->checked = f->tried = 0;
    f->place = INSIDE;
    return WS_OK;
}

static int damaged(const ws_inflate *f, int z, ws_err *err) {
    if (z == Z_MEM_ERROR) return ws_fail_nomem(err, 1 << 15);
    /* one byte of a member's magic was right and the next was not */
    if (f->members && f->z.total_in <= 2)
        return ws_fail(err, WS_EDATA, "byte %llu of the gzip data is neither the start of a member nor zero padding",
                       (unsigned long long)(f->taken - f->z.total_in));
    return ws_fail(err, WS_EDATA, "the gzip data are damaged at byte %llu: %s", (unsigned long long)f->taken,
                   f->z.msg ? f->z.msg : "not a gzip member");
}

/* Returns whether a member is a block of BGZF. A subfield "BC" of the extra field makes a member a block of BGZF
 * (specification of SAM, section 4.1). */
static int is_bgzf(const gz_header *h) {
    const size_t n = h->done == 1 && h->extra ? ws_min(h->extra_len, h->extra_max) : 0;
    for (size_t i = 0; i + 4 <= n; i += 4 + (size_t)h->extra[i + 2] + ((size_t)h->extra[i + 3] << 8))
        if (h->extra[i] == 'B' && h->extra[i + 1] == 'C') return 1;
    return 0;
}

static int no_end_block(const ws_inflate *f, ws_err *err) {
    return ws_fail(err, WS_EDATA,
                   "the gzip data are blocks (BGZF) that stop after %llu bytes without the empty block at the end, so "
                   "they were cut",
                   (unsigned long long)f->taken);
}

/* Ends a member, whose checksum is right. */
static int end_member(ws_inflate *f, ws_err *err) {
    const int bgzf = is_bgzf(&f->header);
    f->place = BETWEEN;
    f->full = 0;
    f->checked = 1;
    f->members++;
    if (f->bgzf_open && !bgzf) return no_end_block(f, err);
    f->bgzf_open = bgzf && f->z.total_out > 0;
    return WS_OK;
}

/* Gives the member to ISA-L, if zlib has taken its header and nothing else. A block of BGZF stays with zlib; a member
 * after such a block may have no right to be there. */
static void try_quick(ws_inflate *f) {
    if (!f->quick || f->tried || f->header.done != 1 || f->bgzf_open || is_bgzf(&f->header)) return;
    f->tried = 1;
    f->began = f->taken;
    f->out = 0;
    f->place = QUICK;
    ws_igzip_begin(f->quick);
}

/* Asks the caller to go back, and lets zlib inflate the member. */
static void give_up_quick(ws_inflate *f) {
    f->place = INSIDE;
    f->taken = f->began;
    f->skip = f->out;
    f->nkept = f->given = 0;
    f->checked = f->beyond = 0;
    f->full = 0;
    f->rewind = 1;
}

/* Inflates once through ISA-L, as inflate_some. */
static int quick_some(ws_inflate *f, const uint8_t *in, size_t nin, size_t *i, uint8_t *out, size_t nout, size_t *o,
                      ws_err *err) {
    const int keep = f->before > 0 && !f->beyond;
    if (keep && f->nkept == f->kept_size && ws_grow(&f->kept, &f->kept_size, 2 * f->nkept, 1, err)) return WS_ENOMEM;
    uint8_t *to = keep ? f->kept + f->nkept : out + *o;
    const size_t room = ws_min(keep ? f->kept_size - f->nkept : nout - *o, 1 << 30);
    size_t took = ws_min(nin - *i, 1 << 30), gave = room;
    const ws_igzip_at at = ws_igzip_step(f->quick, in + *i, &took, to, &gave);
    if (at == WS_IGZIP_FAILED) {
        give_up_quick(f);
        return WS_OK;
    }
    *i += took;
    f->taken += took;
    f->full = gave == room;
    if (!keep && !f->beyond && at != WS_IGZIP_INSIDE) { /* the last block has begun in these bytes */
        if (ws_grow(&f->kept, &f->kept_size, ws_max(gave, FIRST), 1, err)) return WS_ENOMEM;
        memcpy(f->kept, to, gave);
        f->nkept = f->before = gave;
        f->before += gave == 0;
    } else {
        *(keep ? &f->nkept : o) += gave;
    }
    if (at == WS_IGZIP_END) {
        f->before = 0;
        return end_member(f, err);
    }
    f->checked = f->beyond = f->beyond || (keep && f->nkept >= KEEP + f->before);
    return WS_OK;
}

/* Inflates once, into out or what is kept. Adds to *i and *o what was used of in and out. */
static int inflate_some(ws_inflate *f, const uint8_t *in, size_t nin, size_t *i, uint8_t *out, size_t nout, size_t *o,
                        ws_err *err) {
    const int last = (f->z.data_type & LAST_BLOCK) && f->z.total_in, keep = (last || is_bgzf(&f->header)) && !f->beyond;
    if (keep && f->nkept == f->kept_size && ws_grow(&f->kept, &f->kept_size, f->nkept ? 2 * f->nkept : FIRST, 1, err))
        return WS_ENOMEM;
    const uInt give = (uInt)ws_min(nin - *i, 1 << 30);
    const uInt room = (uInt)(keep ? f->kept_size - f->nkept : ws_min(nout - *o, 1 << 30));
    f->z.next_in = (z_const Bytef *)(in + *i);
    f->z.avail_in = give;
    f->z.next_out = keep ? f->kept + f->nkept : out + *o;
    f->z.avail_out = room;
    const int z = inflate(&f->z, Z_TREES); /* returns at the edges of blocks */
    *i += give - f->z.avail_in;
    f->taken += give - f->z.avail_in;
    *(keep ? &f->nkept : o) += room - f->z.avail_out;
    f->full = f->z.avail_out == 0;
    if (z == Z_STREAM_END) return end_member(f, err);
    if (z != Z_OK && z != Z_BUF_ERROR) return damaged(f, z, err);
    f->checked = f->beyond = f->beyond || (keep && f->nkept >= KEEP);
    try_quick(f);
    return WS_OK;
}

/* Gives out what was kept and is checked by now. */
static void give_kept(ws_inflate *f, uint8_t *out, size_t nout, size_t *o) {
    const size_t n = ws_min(f->nkept - f->given, nout - *o);
    memcpy(out + *o, f->kept + f->given, n);
    *o += n;
    f->given += n;
    if (f->given == f->nkept) f->given = f->nkept = 0;
}

int ws_inflate_step(ws_inflate *f, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout, ws_err *err) {
    size_t i = 0, o = 0;
    int rc = WS_OK;
    while (!rc && o < *nout && !f->rewind) {
        const size_t before = o;
        size_t used;
        if (f->checked && f->nkept) {
            give_kept(f, out, *nout, &o);
        } else if (i == *nin && !f->full) {
            break;
        } else if (f->place == INSIDE) {
            rc = inflate_some(f, in, *nin, &i, out, *nout, &o, err);
        } else if (f->place == QUICK) {
            rc = quick_some(f, in, *nin, &i, out, *nout, &o, err);
        } else {
            rc = between(f, in + i, *nin - i, &used, err);
            i += used;
        }
        if (f->skip && o > before) {
            const size_t n = (size_t)ws_min(f->skip, o - before);
            memmove(out + before, out + before + n, o - before - n);
            o -= n;
            f->skip -= n;
        }
        f->out += o - before;
    }
    *nin = i;
    *nout = o;
    return rc;
}

int ws_inflate_let_go(ws_inflate *f) {
    if (f->place == QUICK) {
        give_up_quick(f);
        return 1;
    }
    if (f->checked || !f->nkept) return 0;
    f->checked = 1;
    return 1;
}

int ws_inflate_end(const ws_inflate *f, ws_err *err) {
    if (f->place != INSIDE) return f->bgzf_open ? no_end_block(f, err) : WS_OK;
    return ws_fail(err, WS_EDATA, "the gzip data end inside a member after %llu bytes, so they were cut",
                   (unsigned long long)f->taken);
}
