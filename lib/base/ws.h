/* SPDX-License-Identifier: MIT
 * Return codes, and the error record that every function that can fail takes as its last argument.
 *
 * There are two kinds of errors. Errors of the user or the machine (bad data, a full disk, no memory, no device) become
 * one sentence in a ws_err and a return code. Only lib/run/message.c prints the sentence. Errors of the program (a
 * broken invariant) abort through ws_bug(). */
#ifndef WS_BASE_WS_H
#define WS_BASE_WS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WS_VERSION "0.3.0"

enum {
    WS_OK = 0,
    WS_EDATA,  /* bad input */
    WS_EIO,    /* read, write, open */
    WS_ENOMEM, /* memory */
    WS_EDEV,   /* device, backend */
    WS_EUSAGE, /* bad command line: exit status 2; all others 1 */
    WS_EPIPE,  /* the reader of our output is gone: the process ends by SIGPIPE */
    WS_ESTOP,  /* who called the library wants no more */
    WS_EOF,    /* no failure: the input ended */
    WS_AGAIN   /* no failure: nothing arrived in the given time */
};

enum { WS_ERR_MAX = 1024 };

typedef struct ws_err {
    int code;
    char text[WS_ERR_MAX]; /* one sentence without program name, full stop and newline */
    /* the sentence, "FILE: ...", ends in the name of this program: its operands belong after it, - for FILE */
    int ends_in_command;
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

#ifdef __CUDACC__ /* the same function for the host and for kernels */
#define WS_DEVICE __host__ __device__
#else
#define WS_DEVICE
#endif

/* Writes the sentence into *err and returns code, so that a caller can say `return ws_fail(err, WS_EDATA, ...)`. A
 * sentence longer than WS_ERR_MAX loses its middle. */
int ws_fail(ws_err *err, int code, const char *fmt, ...) WS_PRINTF(3, 4);

/* Does the same, with ": " and the text of errno at the end. */
int ws_fail_errno(ws_err *err, int code, const char *fmt, ...) WS_PRINTF(3, 4);

/* Writes the sentence for a failed allocation of `bytes` bytes, and returns WS_ENOMEM. */
int ws_fail_nomem(ws_err *err, size_t bytes);

/* Puts the formatted prefix before the sentence in *err, for example the name of a file before a message from a
 * lower layer. */
void ws_err_prefix(ws_err *err, const char *fmt, ...) WS_PRINTF(2, 3);

/* Copies a sentence to `to`, which has room for four times as many bytes, for standard error. A file's name may hold
 * any bytes. Control characters, C1's too, and bytes that are no UTF-8 become \xNN, other characters stay. Returns
 * `to`. */
char *ws_err_show(char *to, const char *text);

/* Reports a broken invariant of this program with its place on standard error, and aborts. */
void ws_bug_at(const char *file, int line, const char *what) __attribute__((noreturn));
#define ws_bug(what) ws_bug_at(__FILE__, __LINE__, what)

/* Returns buf with a printable copy of n bytes of foreign text for a message. It shows at most 40 bytes, with
 * control and non-ASCII bytes as \xNN and "..." where it was cut. buf has at least WS_QUOTE_MAX bytes. */
enum { WS_QUOTE_MAX = 192 };
const char *ws_quote(char *buf, const char *text, size_t n);

static inline size_t ws_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t ws_max(size_t a, size_t b) { return a > b ? a : b; }

#ifdef __cplusplus
}
#endif
#endif
