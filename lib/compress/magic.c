/* SPDX-License-Identifier: MIT
 * Marks of files: see lib/compress/magic.h. Those of xz, zstd, bzip2, lz4, lzip, zip and compress stand in
 * the formats' descriptions; no sequence, model, alignment or tree begins with one, because all are long or have an odd
 * byte. */
#include "lib/compress/magic.h"

#define HTML "an HTML page, which a failed download may leave"

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
    {"\xff\xfe", 2, "text in UTF-16", "iconv -f UTF-16 -t UTF-8", "iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff", 2, "text in UTF-16", "iconv -f UTF-16 -t UTF-8", "iconv -f UTF-16 -t UTF-8"},
    {"7z\xbc\xaf\x27\x1c", 6, "7z", "7z x -so", "7z x -si -so"},
    {"\x89PNG\r\n", 6, "a PNG image", "", ""},
    {"\xff\xd8\xff", 3, "a JPEG image", "", ""},
    {"%PDF-", 5, "a PDF document", "", ""},
    {"\x89HDF\r\n", 6, "an HDF5 file", "", ""},
    {"\x7f" "ELF", 4, "an executable", "", ""},
    {"L\0\0\0\1\x14\2\0\0", 9, "a Windows shortcut, which only names a file", "", ""},
    {"<!DOCTYPE ", 10, HTML, "", ""},
    {"<!doctype ", 10, HTML, "", ""},
    {"<html", 5, HTML, "", ""},
    {"<HTML", 5, HTML, "", ""},
    {"<?xml ", 6, "an XML document", "", ""},
    {"version ht", 10, "a pointer of Git LFS, which only names a file", "", ""},
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
