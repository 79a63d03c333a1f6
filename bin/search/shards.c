/* SPDX-License-Identifier: MIT
 * --db-shards: each file of sequences stands for several, with the names that AlphaFold 3 gives to parts. */
#include "bin/search/sieve.h"

#include "lib/compress/source.h"

#include <string.h>
#include <sys/stat.h>

/* Adds the names of a database's parts, with NUL, and looks for each file: a search of hours tells at once what it
 * lacks. */
static int add_names(ws_sieve *s, const char *path, ws_err *err) {
    struct stat st;
    int rc = WS_OK;
    if (ws_source_is_stdin(path))
        return ws_fail(err, WS_EUSAGE, "--db-shards needs the name of a database, not standard input");
    for (long long i = 0; i < s->db_shards && !rc; i++) {
        const size_t at = s->shard_names.n;
        rc = ws_buf_addf(&s->shard_names, err, "%s-%05lld-of-%05lld", path, i, s->db_shards);
        if (!rc) rc = ws_buf_add(&s->shard_names, "", 1, err);
        if (!rc && stat(s->shard_names.p + at, &st) != 0)
            rc = ws_fail_errno(err, WS_EIO, "cannot open %s, one of --db-shards %lld", s->shard_names.p + at,
                               s->db_shards);
    }
    return rc;
}

int ws_sieve_shards(ws_sieve *s, ws_job *job, ws_err *err) {
    if (!s->db_shards) return WS_OK;
    if (!job->ninput) return add_names(s, "-", err);
    const size_t n = (size_t)job->ninput * (size_t)s->db_shards;
    int rc = WS_OK;
    for (int i = 0; i < job->ninput && !rc; i++) rc = add_names(s, job->input[i], err);
    if (rc) return rc;
    if (!(s->shard = ws_calloc(n, sizeof *s->shard, err))) return err->code;
    const char *p = s->shard_names.p;
    for (size_t i = 0; i < n; i++, p += strlen(p) + 1) s->shard[i] = p;
    job->input = s->shard;
    job->ninput = (int)n;
    return WS_OK;
}
