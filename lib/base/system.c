/* SPDX-License-Identifier: MIT
 * Linux and macOS: see lib/base/system.h. */
#include "lib/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t peak(void) {
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? (uint64_t)used.ru_maxrss : 0;
}

#ifdef __APPLE__

#include <mach-o/dyld.h>

int ws_system_cores(void) {
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

uint64_t ws_system_peak_memory(void) { return peak(); }

const char *ws_system_program(void) { return getprogname(); }

int ws_system_executable(char *path, size_t size) {
    uint32_t n = (uint32_t)size;
    char *real = _NSGetExecutablePath(path, &n) == 0 ? realpath(path, NULL) : NULL; /* it may be a link's path */
    const int fits = real && strlen(real) < size;
    if (fits) memcpy(path, real, strlen(real) + 1);
    free(real);
    return fits ? 0 : -1;
}

void ws_system_widen_pipe(int fd, int bytes) { (void)fd, (void)bytes; }

void ws_system_read_ahead(int fd) { (void)fcntl(fd, F_RDAHEAD, 1); }

void ws_system_large_pages(void *p, size_t n) { (void)p, (void)n; }

int ws_system_node_of(const char *address) {
    (void)address;
    return -1;
}

void ws_system_prefer_node(void *p, size_t n, int node) { (void)p, (void)n, (void)node; }

void ws_system_give_back(void) {}

int ws_system_unnamed_file(const char *folder) {
    (void)folder;
    errno = ENOTSUP;
    return -1;
}

int ws_system_nameless_file(const char *folder) { return ws_system_unnamed_file(folder); }

int ws_system_name_file(int fd, const char *path) {
    (void)fd, (void)path;
    errno = ENOTSUP;
    return -1;
}

int ws_system_memory_file(void) {
    char path[] = "/tmp/warpsieve.XXXXXX";
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) (void)unlink(path);
    return fd;
}

struct timespec ws_system_written(const struct stat *file) { return file->st_mtimespec; }

const void *ws_system_last(const void *p, int c, size_t n) {
    const unsigned char *s = p;
    while (n > 0)
        if (s[--n] == (unsigned char)c) return s + n;
    return NULL;
}

typedef struct order {
    int (*compare)(const void *a, const void *b, void *context);
    void *context;
} order;

static int compare_in(void *o, const void *a, const void *b) {
    return ((order *)o)->compare(a, b, ((order *)o)->context);
}

void ws_system_sort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b, void *context),
                    void *context) {
    if (n) qsort_r(base, n, size, &(order){compare, context}, compare_in);
}

#else

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <ctype.h>
#include <sched.h>
#include <sys/syscall.h>

/* Machines beyond 1024 cores need a larger set, hence the loop. */
int ws_system_cores(void) {
    for (int max = 1024; max <= 1 << 18; max *= 4) {
        cpu_set_t *set = CPU_ALLOC(max);
        if (!set) break;
        size_t size = CPU_ALLOC_SIZE(max);
        int n = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (n > 0) return n;
    }
    return 1;
}

uint64_t ws_system_peak_memory(void) { return peak() * 1024; } /* Linux counts kilobytes */

const char *ws_system_program(void) { return program_invocation_short_name; }

int ws_system_executable(char *path, size_t size) {
    const ssize_t n = readlink("/proc/self/exe", path, size);
    if (n < 0 || (size_t)n == size) return -1;
    path[n] = '\0';
    return 0;
}

void ws_system_widen_pipe(int fd, int bytes) { (void)fcntl(fd, F_SETPIPE_SZ, bytes); }

void ws_system_read_ahead(int fd) { (void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); }

void ws_system_large_pages(void *p, size_t n) { (void)madvise(p, n, MADV_HUGEPAGE); }

/* Reads a short file as a string; an empty one if it cannot be read. */
static void read_line(const char *path, char *text, size_t size) {
    FILE *f = fopen(path, "re");
    text[0] = '\0';
    if (f && !fgets(text, (int)size, f)) text[0] = '\0';
    if (f) (void)fclose(f);
}

int ws_system_node_of(const char *address) {
    char path[96] = "/sys/bus/pci/devices/", text[32];
    size_t n = strlen(path);
    read_line("/sys/devices/system/node/online", text, sizeof text);
    if (!strpbrk(text, ",-")) return -1; /* "0": one node */
    for (; *address && n < 64; address++) path[n++] = (char)tolower((unsigned char)*address);
    snprintf(path + n, sizeof path - n, "/numa_node");
    read_line(path, text, sizeof text);
    return text[0] ? (int)strtol(text, NULL, 10) : -1;
}

void ws_system_prefer_node(void *p, size_t n, int node) {
    enum { PREFERRED = 1 /* MPOL_PREFERRED */, WORDS = 16, BITS = 8 * sizeof(unsigned long) };
    unsigned long nodes[WORDS] = {0};
    if (node < 0 || node >= WORDS * BITS) return;
    nodes[node / BITS] = 1UL << node % BITS;
    (void)syscall(SYS_mbind, p, n, PREFERRED, nodes, WORDS * BITS + 1, 0);
}

void ws_system_give_back(void) {
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

int ws_system_unnamed_file(const char *folder) { return open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600); }

/* Without /proc the file could never have a name. */
int ws_system_nameless_file(const char *folder) {
    if (access("/proc/self/fd", X_OK) != 0) return -1;
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

int ws_system_name_file(int fd, const char *path) {
    char from[40];
    snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int ws_system_memory_file(void) { return memfd_create("rows", MFD_CLOEXEC); }

struct timespec ws_system_written(const struct stat *file) { return file->st_mtim; }

const void *ws_system_last(const void *p, int c, size_t n) { return memrchr(p, c, n); }

void ws_system_sort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b, void *context),
                    void *context) {
    if (n) qsort_r(base, n, size, compare, context); /* without elements base may be NULL */
}

#endif
