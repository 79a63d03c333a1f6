/* SPDX-License-Identifier: MIT
 * The functions of the shared object (`make shared`), for the executables of the wheel and its Python module, which
 * are of the same version. This is no public interface, and may change with each version.
 *
 * A run is a program of warpsieve with its arguments, inside of the calling process. Its inputs and outputs are files
 * or descriptors, /proc/self/fd/N, such as memfd_create(2) gives. The run leaves signals, standard descriptors and the
 * locale alone, prints nothing with --quiet, and never ends the process because of bad input. Several threads may run
 * at once; where a device is, one after the other. */
#ifndef WS_LIBRARY_H
#define WS_LIBRARY_H

#define WS_LIBRARY_API __attribute__((visibility("default")))

/* Returns the version, which the caller compares with its own. */
WS_LIBRARY_API const char *ws_library_version(void);

/* Runs a program. argv[0] is its name, argv[argc] NULL. Returns 0, or the exit status that the program would have, with
 * its sentence in `text`, of n bytes. *stop: a number other than 0, which any thread may set, ends the run soon. */
WS_LIBRARY_API int ws_library_run(int argc, char **argv, const int *stop, char *text, unsigned long n);

/* Is the program, as the main function of an executable. Returns its exit status. */
WS_LIBRARY_API int ws_library_main(const char *program, int argc, char **argv);

#endif
