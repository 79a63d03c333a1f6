/* SPDX-License-Identifier: MIT
 * Fuzz target: reference alignments, PHYLIP in its forms and FASTA. */
#include "kernels/papara/papara.h"
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

const char ws_fuzz_name[] = "phylip";

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    ws_papara_msa m;
    ws_err err = {0};
    char path[64];
    const int fd = memfd_create("phylip", 0);
    FUZZ_CHECK(fd >= 0 && write(fd, p, n) == (ssize_t)n && lseek(fd, 0, SEEK_SET) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int rc = ws_papara_msa_read(&m, path, &err);
    /* no memory that the file's size does not justify; damage of compressed input is WS_EIO */
    FUZZ_CHECK(rc == WS_OK || rc == WS_EDATA || rc == WS_EIO);
    if (!rc) {
        FUZZ_CHECK(m.n > 0 && m.sites > 0 && (m.n * m.sites <= n || p[0] == 0x1f || p[0] == 0x28));
        for (size_t r = 0; r < m.n; r++) FUZZ_CHECK(m.row[r].site[m.sites] == '\0' && m.row[r].name);
        (void)ws_papara_msa_is_protein(&m);
        ws_papara_msa_release(&m);
    }
    close(fd);
    return 0;
}
