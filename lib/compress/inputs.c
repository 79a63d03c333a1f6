/* SPDX-License-Identifier: MIT
 * The inputs of a run, one after another: see lib/compress/inputs.h. */
#include "lib/compress/inputs.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the bytes that a path has to be read; -1 if it is no file. For standard input, those after its offset. */
static int64_t size_of(const char *path) {
    const int is_stdin = strcmp(path, "-") == 0;
    struct stat st;
    const int rc = is_stdin ? fstat(STDIN_FILENO, &st) : stat(path, &st);
    if (rc < 0 || !S_ISREG(st.st_mode)) return -1;
    const off_t at = is_stdin ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    return at > 0 && at < st.st_size ? st.st_size - at : st.st_size;
}

void ws_inputs_init(ws_inputs *in, const char *const *path, int n) {
    static const char *const standard_input[] = {"-"};
    *in = (ws_inputs){.path = n ? path : standard_input, .n = n ? n : 1};
    pthread_rwlock_init(&in->lock, NULL);
    for (int i = 0; i < in->n; i++) {
        const int64_t size = size_of(in->path[i]);
        if (size < 0) {
            in->size = 0;
            return;
        }
        in->size += (uint64_t)size;
    }
}

void ws_inputs_release(ws_inputs *in) {
    if (!in->path) return;
    ws_inputs_close(in);
    pthread_rwlock_destroy(&in->lock);
}

int ws_inputs_open(ws_inputs *in, ws_err *err) {
    ws_source *src;
    if (in->next == in->n) return WS_EOF;
    int rc = ws_source_open(&src, in->path[in->next], err);
    if (rc) return rc;
    in->next++;
    pthread_rwlock_wrlock(&in->lock);
    in->src = src;
    pthread_rwlock_unlock(&in->lock);
    return WS_OK;
}

void ws_inputs_close(ws_inputs *in) {
    uint64_t done = 0, size;
    ws_source *src = in->src;
    pthread_rwlock_wrlock(&in->lock);
    if (src) ws_source_progress(src, &done, &size);
    in->done += done;
    in->src = NULL;
    pthread_rwlock_unlock(&in->lock);
    ws_source_close(src);
}

const char *ws_inputs_name(const ws_inputs *in) { return ws_source_name_of(in->path[in->next - 1]); }

int ws_inputs_next(ws_inputs *in, int timeout_ms, const uint8_t **p, size_t *n, ws_err *err) {
    return ws_source_next(in->src, timeout_ms, p, n, err);
}

int ws_inputs_ahead(ws_inputs *in) {
    int did = 0;
    if (pthread_rwlock_tryrdlock(&in->lock) != 0) return 0;
    if (in->src) did = ws_source_ahead(in->src);
    pthread_rwlock_unlock(&in->lock);
    return did;
}

void ws_inputs_progress(ws_inputs *in, uint64_t *done, uint64_t *size) {
    uint64_t now = 0, unused;
    pthread_rwlock_wrlock(&in->lock);
    if (in->src) ws_source_progress(in->src, &now, &unused);
    *done = in->done + now;
    *size = in->size;
    pthread_rwlock_unlock(&in->lock);
}
