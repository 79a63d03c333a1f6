/* SPDX-License-Identifier: MIT
 * In front of each source by tests/macos.sh: the headers of this system without what macOS lacks, and with what macOS
 * calls by other names. No object comes of it. */
#define qsort_r ws_macos_gnu_qsort_r /* its arguments have another order */
#define st_mtim st_mtimespec
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#undef qsort_r

#define WS_MACOS /* from here on there is no endian.h */

const char *getprogname(void);
void qsort_r(void *base, size_t n, size_t size, void *context, int (*compare)(void *, const void *, const void *));
#define F_RDAHEAD 45

#undef st_mtim
#undef st_mtime
#define st_mtime st_mtimespec.tv_sec

/* 64 bits are "long long" there, which %lu does not print. */
typedef unsigned long long ws_macos_u64;
typedef long long ws_macos_s64;
#define uint64_t ws_macos_u64
#define int64_t ws_macos_s64

#undef F_GETPIPE_SZ
#undef F_SETPIPE_SZ
#undef MADV_HUGEPAGE
#undef MAP_POPULATE
#undef MFD_CLOEXEC
#undef O_DIRECT
#undef O_PATH
#undef O_TMPFILE
#undef POSIX_FADV_SEQUENTIAL
#undef htole32
#undef htole64
#undef le32toh
#undef le64toh
#pragma GCC poison F_GETPIPE_SZ F_SETPIPE_SZ MADV_HUGEPAGE MAP_POPULATE MFD_CLOEXEC O_DIRECT O_PATH O_TMPFILE
#pragma GCC poison POSIX_FADV_SEQUENTIAL htole32 htole64 le32toh le64toh
#pragma GCC poison accept4 aligned_alloc canonicalize_file_name clock_nanosleep copy_file_range cpu_set_t exp10
#pragma GCC poison fallocate fdatasync fgets_unlocked fopencookie fputs_unlocked fwrite_unlocked get_current_dir_name
#pragma GCC poison getauxval gettid mallinfo malloc_trim malloc_usable_size mallopt memfd_create mempcpy memrchr mremap
#pragma GCC poison pipe2 posix_fadvise posix_fallocate ppoll prctl program_invocation_name
#pragma GCC poison program_invocation_short_name pthread_condattr_setclock pthread_mutex_timedlock
#pragma GCC poison pthread_setaffinity_np pthread_spin_lock pthread_timedjoin_np pthread_tryjoin_np rawmemchr
#pragma GCC poison sched_getaffinity secure_getenv sem_timedwait sincos sincosf splice
#pragma GCC poison statx strchrnul sync_file_range sysinfo timer_create
