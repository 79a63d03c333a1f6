/* SPDX-License-Identifier: MIT
 * Marks of compressed files: see lib/compress/magic.h. Those of xz, zstd, bzip2, lz4, lzip, zip and compress stand in
 * the formats' descriptions; no sequence, model, alignment or tree begins with one, because all are long or have an odd
 * byte. */
#include "lib/compress/magic.h"

static const ws_magic magic[] = {
    {"\x1f\x8b", 2, "gzip", NULL, NULL},
    {"\x1f\x9d", 2, "compress", "gzip -dc", "gzip -dc"},
    {"\xfd" "7zXZ\0", 6, "xz", "xz -dc", "xz -dc"},
    {"\x28\xb5\x2f\xfd", 4, "zstd", "zstd -dc", "zstd -dc"},
    {"~\x2a\x4d\x18", 4, "zstd", "zstd -dc", "zstd -dc"}, /* a skippable frame */
    {"BZh?1AY&SY", 10, "bzip2", "bzip2 -dc", "bzip2 -dc"},
    {"\x04\x22\x4d\x18", 4, "lz4", "lz4 -dc", "lz4 -dc"},
    {"LZIP\1", 5, "lzip", "lzip -dc", "lzip -dc"},
    {"PK\3\4", 4, "zip", "unzip -p", "funzip"},
    {"\xef\xbb\xbf", 3, NULL, NULL, NULL}, /* U+FEFF in UTF-8 */
};

static int fits(char mark, uint8_t byte) {
    if (mark == '~') return (byte & 0xf0) == 0x50;
    return mark == '?' || (uint8_t)mark == byte;
}

const ws_magic *ws_magic_find(const uint8_t *p, size_t n, int *more) {
    *more = 0;
    for (size_t m = 0; m < sizeof magic / sizeof *magic; m++) {
        size_t i = 0;
        while (i < n && i < magic[m].n && fits(magic[m].bytes[i], p[i])) i++;
        if (i == magic[m].n) return &magic[m];
        if (i == n) *more = 1;
    }
    return NULL;
}
