/* SPDX-License-Identifier: MIT
 * Services that Linux and macOS call by different names, or that one of them lacks. No other file asks which system
 * it runs on. */
#ifndef WS_BASE_SYSTEM_H
#define WS_BASE_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the cores that this process may run on, at least 1: those of its affinity mask, on macOS all. */
int ws_system_cores(void);

/* Returns the most memory that this process has had, in bytes. */
uint64_t ws_system_peak_memory(void);

/* Returns the name of the running program without its folder. */
const char *ws_system_program(void);

/* Writes the path of the running program, as a string, and returns 0; -1 if the system does not say or the path is
 * longer. */
int ws_system_executable(char *path, size_t size);

/* Asks for a pipe that holds so many bytes. Where the system refuses, nothing changes. */
void ws_system_widen_pipe(int fd, int bytes);

/* Says that a file will be read from its beginning to its end. */
void ws_system_read_ahead(int fd);

/* Asks for large pages of n bytes at p, both multiples of 4096. Where the system has none, nothing changes. */
void ws_system_large_pages(void *p, size_t n);

/* Returns the node of memory that a device of the PCI bus is near, by its address, such as 0000:18:00.0; -1 where the
 * machine has one node alone or does not say. */
int ws_system_node_of(const char *address);

/* Asks for n bytes at p, both multiples of 4096, to come from a node of memory when they are first written. Where the
 * system cannot do so, and for nodes below 0, nothing changes. */
void ws_system_prefer_node(void *p, size_t n, int node);

/* Gives freed memory back to the system, where the C library can: it may keep a gigabyte that threads have freed. */
void ws_system_give_back(void);

/* Opens a file of the folder that never has a name; -1 where the system or the folder has no such files. */
int ws_system_unnamed_file(const char *folder);

/* Opens a new file of the folder, without a name so far; -1 where the system or the folder has no such files.
 * ws_system_name_file then gives it a name that no file has: 0, or -1 and errno. */
int ws_system_nameless_file(const char *folder);
int ws_system_name_file(int fd, const char *path);

/* Opens a file in memory, on macOS a file of /tmp without a name; -1 and errno on failure. */
int ws_system_memory_file(void);

/* Returns when a file was last written to. */
struct timespec ws_system_written(const struct stat *file);

/* Returns the last byte of p[0..n) that is c; NULL: none is. */
const void *ws_system_last(const void *p, int c, size_t n);

/* Sorts n elements of `size` bytes. Elements that compare as equal may change places. */
void ws_system_sort(void *base, size_t n, size_t size, int (*compare)(const void *a, const void *b, void *context),
                    void *context);

#ifdef __cplusplus
}
#endif
#endif
