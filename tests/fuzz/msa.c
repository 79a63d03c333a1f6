/* SPDX-License-Identifier: MIT
 * Fuzz target: alignments in all formats, and their counts. The first byte chooses the format and the alphabet. */
#include "kernels/cast/align.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char ws_fuzz_name[] = "msa";
const long ws_fuzz_cost = 8;

static void check(const ws_msa *m) {
    FUZZ_CHECK(m->rows > 0 && m->columns > 0);
    for (size_t i = 0; i < m->rows * m->columns; i++) FUZZ_CHECK(m->code[i] < m->abc->Kp);
    for (size_t i = 0; i < m->rows; i++) FUZZ_CHECK(strlen(ws_msa_name(m, i)) < m->names.n);
    for (int i = 0; i < WS_MSA_NLINE; i++) FUZZ_CHECK(!m->line[i] || strlen(m->line[i]) <= m->columns);
}

/* Counts of both architectures; weights of a row are positive where it has residues. */
static void count(ws_msa *m, int way) {
    ws_build_ali_settings s;
    ws_build_ali a;
    ws_err err = {0};
    ws_build_ali_default(&s);
    s.hand = way & 1;
    s.weights = (ws_build_weights)(way % 5);
    s.clusters = way >> 1 & 1;
    if (ws_build_ali_create(&a, m, &s, &err)) return;
    FUZZ_CHECK(a.counts.M > 0 && (size_t)a.counts.M <= m->columns);
    for (int k = 0; k < a.counts.M * WS_NTRANS; k++) FUZZ_CHECK(isfinite(a.counts.tr[k]) && a.counts.tr[k] >= 0);
    FUZZ_CHECK(!s.clusters || (a.counts.nclusters > 0 && (size_t)a.counts.nclusters <= m->rows));
    ws_build_ali_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    char path[64];
    ws_msareader *r = NULL;
    ws_msa m;
    ws_err err = {0};
    if (n < 1) return 0;
    const int way = p[0] - '0', fd = memfd_create("msa", 0);
    FUZZ_CHECK(fd >= 0 && write(fd, p + 1, n - 1) == (ssize_t)(n - 1) && lseek(fd, 0, SEEK_SET) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ws_msaformat format = (ws_msaformat)((unsigned)way % (WS_MSA_SELEX + 1));
    FUZZ_CHECK(!ws_msareader_open(&r, path, format, way & 16 ? ws_abc_get(WS_ABC_AMINO) : NULL, &err));
    int rc = WS_OK;
    for (int i = 0; i < 4 && !(rc = ws_msareader_next(r, &m, &err)); i++) {
        check(&m);
        count(&m, way + i);
        ws_msa_release(&m);
    }
    FUZZ_CHECK(rc == WS_OK || rc == WS_EOF || rc == WS_EDATA || rc == WS_EIO);
    FUZZ_CHECK(rc != WS_EDATA || strlen(err.text) > 20);
    ws_msareader_close(r);
    close(fd);
    return 0;
}
