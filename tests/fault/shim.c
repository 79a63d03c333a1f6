/* SPDX-License-Identifier: MIT
 * A preload library that makes system calls fail on demand, for tests/faults.bats. With WS_FAULT_LINKED it is linked
 * with the tools (ld --wrap, tests/fault/shim.wrap), because a sanitizer is in the way of preload libraries. WS_FAULT
 * says how:
 *
 *   KIND=N    memory     the N-th posix_memalign fails
 *             memory-on  it and all later ones
 *             thread     the N-th pthread_create and all later ones fail
 *             read       the N-th read fails with EIO
 *             pread      the N-th pread fails with EIO
 *             write      the N-th write and all later ones fail with ENOSPC
 *             room       N bytes can be written in all, as on a disk that fills up; then ENOSPC
 *             close      the N-th close of standard output or of a file that was opened for writing fails with ENOSPC
 *             open       the N-th open fails with EMFILE
 *             zinit      the N-th inflateInit2 has no memory
 *             inflate    the N-th inflate has no memory
 *   KIND      short      every read and write moves 1 to 7 bytes; N: up to N
 *             eintr      half of the calls of read, write and poll are interrupted; eagain: are refused
 *
 * WS_FAULT_PIECE=N: every read gives at most N bytes, so that there are many. Standard error is left alone. When a
 * fault has struck a byte is written to the file WS_FAULT_LOG. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/fault/kind.h"

static long piece;
static atomic_long count, moved, struck_before;

__attribute__((constructor)) static void configure(void) {
    const char *what = getenv("WS_FAULT"), *most = getenv("WS_FAULT_PIECE");
    if (most) piece = strtol(most, NULL, 10);
    ask_for(what);
}

static void strike(void) {
    const char *log = getenv("WS_FAULT_LOG");
    if (!log || atomic_fetch_add(&struck_before, 1)) return;
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) return;
    (void)!syscall(SYS_write, fd, "x", 1);
    (void)syscall(SYS_close, fd);
}

/* Whether this call of its kind is the one; with `on` all later ones are too. */
static int due(const char *what, int on) {
    if (!is(what)) return 0;
    const long now = atomic_fetch_add(&count, 1) + 1;
    if (now != number && !(on && now > number)) return 0;
    strike();
    return 1;
}

#ifdef WS_FAULT_LINKED
#define OWN(name)  __wrap_##name
#define REAL(name) __real_##name
#define WRAPPED(name) extern __typeof__(name) __wrap_##name, __real_##name
WRAPPED(posix_memalign);
WRAPPED(pthread_create);
WRAPPED(read);
WRAPPED(pread);
WRAPPED(write);
WRAPPED(poll);
WRAPPED(close);
WRAPPED(open);
WRAPPED(inflateInit2_);
WRAPPED(inflate);
#else
#define OWN(name)  name
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#endif

int OWN(posix_memalign)(void **p, size_t align, size_t size) {
    static __typeof__(&posix_memalign) real;
    if (!real) real = REAL(posix_memalign);
    return due("memory", 0) || due("memory-on", 1) ? ENOMEM : real(p, align, size);
}

int OWN(pthread_create)(pthread_t *t, const pthread_attr_t *attr, void *(*start)(void *), void *arg) {
    return due("thread", 1) ? EAGAIN : REAL(pthread_create)(t, attr, start, arg);
}

/* Half of the calls. Which ones looks random: with every second one a loop of poll and read would get nowhere. */
static int this_one(void) { return ((unsigned)atomic_fetch_add(&count, 1) + 1) * 0x9e3779b1u >> 31; }

/* Bytes that a read or write may move, and interruptions. */
static int trouble(size_t *n) {
    if (is("short") && *n > 1) {
        const size_t most = number > 0 ? (size_t)number : 7, give = 1 + (size_t)atomic_fetch_add(&count, 1) % most;
        if (give < *n) *n = give;
        strike();
    }
    if ((is("eintr") || is("eagain")) && this_one()) {
        strike();
        errno = is("eintr") ? EINTR : EAGAIN;
        return 1;
    }
    return 0;
}

ssize_t OWN(read)(int fd, void *p, size_t n) {
    if (due("read", 0)) {
        errno = EIO;
        return -1;
    }
    if (piece > 0 && n > (size_t)piece) n = (size_t)piece;
    return trouble(&n) ? -1 : syscall(SYS_read, fd, p, n);
}

ssize_t OWN(pread)(int fd, void *p, size_t n, off_t at) {
    if (due("pread", 0)) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pread64, fd, p, n, at);
}

static int no_room(size_t *n) {
    const long before = atomic_load(&moved);
    if (before + (long)*n <= number) return 0;
    strike();
    *n = before < number ? (size_t)(number - before) : 0;
    return *n == 0;
}

ssize_t OWN(write)(int fd, const void *p, size_t n) {
    if (fd == STDERR_FILENO) return syscall(SYS_write, fd, p, n);
    if (due("write", 1) || (is("room") && n && no_room(&n))) {
        errno = ENOSPC;
        return -1;
    }
    if (trouble(&n)) return -1;
    const ssize_t got = syscall(SYS_write, fd, p, n);
    if (got > 0) atomic_fetch_add(&moved, got);
    return got;
}

int OWN(poll)(struct pollfd *p, nfds_t n, int timeout) {
    if (is("eintr") && this_one()) {
        errno = EINTR;
        return -1;
    }
    return REAL(poll)(p, n, timeout);
}

int OWN(close)(int fd) {
    const int flags = fcntl(fd, F_GETFL);
    const int failing = fd != STDERR_FILENO && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && due("close", 0);
    const int rc = (int)syscall(SYS_close, fd);
    if (failing) errno = ENOSPC;
    return failing ? -1 : rc;
}

int OWN(open)(const char *path, int flags, ...) {
    va_list ap;
    va_start(ap, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    if (due("open", 0)) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int OWN(inflateInit2_)(z_streamp z, int bits, const char *version, int size) {
    return due("zinit", 0) ? Z_MEM_ERROR : REAL(inflateInit2_)(z, bits, version, size);
}

int OWN(inflate)(z_streamp z, int flush) { return due("inflate", 0) ? Z_MEM_ERROR : REAL(inflate)(z, flush); }
