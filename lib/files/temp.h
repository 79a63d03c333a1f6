/* SPDX-License-Identifier: MIT
 * Temporary files without a name, by default in the folder that TMPDIR chooses. */
#ifndef WS_FILES_TEMP_H
#define WS_FILES_TEMP_H

#include "lib/base/ws.h"

/* Returns the folder of temporary files: TMPDIR, or /tmp. */
const char *ws_temp_folder(void);

/* Opens a file that has no name, or loses it at once, so nothing is left behind, however the process ends. Returns the
 * descriptor, which the caller closes, or -1 with errno set. */
int ws_temp_open(void);
/* Does the same in another folder. */
int ws_temp_open_in(const char *folder);

/* Writes n bytes. Returns 0, or -1 with errno set. */
int ws_temp_write(int fd, const char *p, size_t n);

#endif
