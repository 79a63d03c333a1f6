/* SPDX-License-Identifier: MIT
 * Fuzz target: descriptions of ORFs. An accepted description, written anew, has the bytes that were read. */
#include "lib/hits/orf.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

const char ws_fuzz_name[] = "orf";

/* Returns the number behind the first "length=", so that some sequences are as long as they say; else 7. */
static uint64_t length_of(const uint8_t *p, size_t n) {
    static const char word[] = "length=";
    uint64_t v = 0;
    for (size_t i = 0; i + sizeof word <= n; i++) {
        if (memcmp(p + i, word, sizeof word - 1) != 0) continue;
        for (i += sizeof word - 1; i < n && p[i] >= '0' && p[i] <= '9' && v < 1000000; i++) v = 10 * v + p[i] - '0';
        return v;
    }
    return 7;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    uint8_t *own = fuzz_copy(p, n);
    const char *desc = (const char *)own;
    const uint64_t L = length_of(own, n);
    ws_orf o;
    ws_err err = {0};
    const int rc = ws_orf_read(&o, "an ORF", 6, desc, n, L, &err);
    FUZZ_CHECK(rc == WS_OK || (rc == WS_EDATA && !strncmp(err.text, "sequence an ORF", 15)));
    if (rc == WS_OK) {
        char again[200];
        FUZZ_CHECK(o.contig == desc + 7 && o.ncontig > 0 && o.ncontig < n - 7 && !memchr(o.contig, ' ', o.ncontig));
        const int m = snprintf(again, sizeof again, " coords=%llu..%llu length=%llu frame=%d desc=",
                               (unsigned long long)o.from, (unsigned long long)o.to, (unsigned long long)L, o.frame);
        FUZZ_CHECK(7 + o.ncontig + (size_t)m <= n && !memcmp(o.contig + o.ncontig, again, (size_t)m));
        FUZZ_CHECK(o.minus == (o.from > o.to) && o.minus == (o.frame > 3) && o.frame >= 1 && o.frame <= 6);
        FUZZ_CHECK(ws_orf_first(&o, 1) == o.from && ws_orf_last(&o, L) == o.to);
    }
    free(own);
    return 0;
}
