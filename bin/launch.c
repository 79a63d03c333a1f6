/* SPDX-License-Identifier: MIT
 * The main of a program in the shared object, which the Makefile compiles once for each as WS_PROGRAM. It is a file of
 * its own because bin/main.c brings a whole program into the executable. */
#include "bin/library.h"

int main(int argc, char **argv) { return ws_library_main(WS_PROGRAM, argc, argv); }
