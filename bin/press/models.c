/* SPDX-License-Identifier: MIT
 * Readers of files of models for hmmindex and hmmpick: see bin/press/program.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bin/press/program.h"
#include "lib/compress/source.h"

int ws_models_open(ws_models *m, const char *path, ws_err *err) { return ws_hmmstream_open(&m->stream, path, err); }

void ws_models_close(ws_models *m) {
    ws_hmmstream_close(m->stream);
    ws_free(m->name);
}

int ws_models_count(ws_models *m, const char *path, const char *name, const ws_abc *abc, ws_err *err) {
    const uint64_t n = ++m->n;
    if (!m->abc) {
        m->abc = abc;
        m->name = ws_strndup(name, strlen(name), err);
        return m->name ? WS_OK : err->code;
    }
    if (abc == m->abc) return WS_OK;
    return ws_fail(err, WS_EDATA,
                   "%s: model %llu, %s, has the alphabet %s, but the first model, %s, has %s; all models of a file "
                   "must agree",
                   ws_source_name_of(path), (unsigned long long)n, name, abc->name, m->name, m->abc->name);
}

void ws_models_progress(const ws_models *m, char *text, size_t n, double *share) {
    uint64_t done = 0, size = 0;
    if (m->stream) ws_hmmstream_progress(m->stream, &done, &size);
    *share = size ? (double)done / (double)size : -1;
    snprintf(text, n, "%llu models", (unsigned long long)__atomic_load_n(&m->n, __ATOMIC_RELAXED));
}

int ws_models_compressed(const char *path) {
    uint8_t b[4] = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t n = fd < 0 ? 0 : read(fd, b, sizeof b);
    if (fd >= 0) close(fd);
    return n == sizeof b && ((b[0] == 0x1f && b[1] == 0x8b) || memcmp(b, "\x28\xb5\x2f\xfd", 4) == 0);
}

int ws_models_check_file(const char *path, const char *what, ws_err *err) {
    struct stat st;
    if (ws_source_is_stdin(path))
        return ws_fail(err, WS_EUSAGE, "%s leads to places in a file, and standard input is none; name a file", what);
    if (stat(path, &st) != 0) return ws_fail_errno(err, WS_EIO, "cannot open %s", path);
    if (S_ISREG(st.st_mode)) return WS_OK;
    return ws_fail(err, WS_EIO, "%s is no regular file, and %s leads to places in one", path, what);
}

char *ws_models_sibling(const char *path, const char *ending, ws_err *err) {
    ws_buf b = {0};
    if (ws_buf_addf(&b, err, "%s%s", path, ending) == WS_OK) return b.p;
    ws_buf_release(&b);
    return NULL;
}
