/* SPDX-License-Identifier: MIT
 * Return codes and the error record that every function which can fail takes as its last argument.
 *
 * There are two kinds of trouble. The user's (bad data, a full disk, no memory, no device) is written into a ws_err as
 * one sentence and returned as a code; only main() prints it. Ours (a broken invariant) aborts through ws_bug(). */
#ifndef WS_BASE_WS_H
#define WS_BASE_WS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WS_VERSION "0.1.0"

enum {
    WS_OK = 0,
    WS_EDATA,  /* the input is not what it should be */
    WS_EIO,    /* read, write, open */
    WS_ENOMEM, /* memory */
    WS_EDEV,   /* device, backend */
    WS_EUSAGE, /* the command line: exit status 2, all others 1 */
    WS_EPIPE,  /* the reader of our output went away: die of SIGPIPE */
    WS_EOF,    /* not a failure: the input ended */
    WS_AGAIN   /* not a failure: nothing arrived in the time given */
};

enum { WS_ERR_MAX = 1024 };

typedef struct ws_err {
    int code;
    char text[WS_ERR_MAX]; /* one sentence without program name, full stop and newline */
} ws_err;

#if defined(__GNUC__)
#define WS_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define WS_UNUSED __attribute__((unused))
#define WS_INLINE static inline __attribute__((always_inline, unused))
#else
#define WS_PRINTF(f, a)
#define WS_UNUSED
#define WS_INLINE static inline
#endif

#ifdef __CUDACC__ /* one body for the host and for kernels */
#define WS_DEVICE __host__ __device__
#else
#define WS_DEVICE
#endif

/* Writes the sentence into *err and returns code, so that a caller can say `return ws_fail(err, WS_EDATA, ...)`. */
int ws_fail(ws_err *err, int code, const char *fmt, ...) WS_PRINTF(3, 4);

/* The same with ": " and the text of errno at the end. */
int ws_fail_errno(ws_err *err, int code, const char *fmt, ...) WS_PRINTF(3, 4);

/* The sentence for a failed allocation of `bytes` bytes; returns WS_ENOMEM. */
int ws_fail_nomem(ws_err *err, size_t bytes);

/* Puts "prefix" (formatted) before the sentence already in *err: adds a file name to a message from below. */
void ws_err_prefix(ws_err *err, const char *fmt, ...) WS_PRINTF(2, 3);

/* A broken invariant of ours: says where on stderr and aborts. */
void ws_bug_at(const char *file, int line, const char *what) __attribute__((noreturn));
#define ws_bug(what) ws_bug_at(__FILE__, __LINE__, what)

/* A printable copy of n bytes of foreign text for a message: at most 40 bytes, control and non-ASCII bytes as \xNN,
 * "..." where it was cut. Returns buf (of at least WS_QUOTE_MAX bytes). */
enum { WS_QUOTE_MAX = 192 };
const char *ws_quote(char *buf, const char *text, size_t n);

static inline size_t ws_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t ws_max(size_t a, size_t b) { return a > b ? a : b; }

#ifdef __cplusplus
}
#endif
#endif
