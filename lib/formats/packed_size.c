/* SPDX-License-Identifier: MIT
 * The size of packed streams in a file, from their frames alone. */
#include "lib/compress/source.h"
#include "lib/formats/packed_read.h"

#include <stdio.h>
#include <sys/stat.h>

/* Returns the bytes of a block behind its frame, 0 for numbers that no block has. */
static uint64_t body_of(const pack_frame *f) {
    if (f->v[BLOCK_SEQS] > PACK_SEQS_MAX || f->v[BLOCK_TEXT] > PACK_TEXT_MAX) return 0;
    if (f->v[BLOCK_WORDS] > PACK_WORDS_MAX) return 0;
    return pack_front(f) + pack_body(4 * f->v[BLOCK_WORDS]);
}

/* Adds the blocks up. Returns 1 if the file is nothing but whole streams of sequences. */
static int add_up(FILE *file, uint64_t *residues) {
    pack_frame f;
    int in_stream = 0, streams = 0;
    while (fread(&f, sizeof f, 1, file) == 1 && f.check == pack_frame_check(&f)) {
        uint64_t body = 0;
        if (!memcmp(f.magic, PACK_HEAD, sizeof f.magic)) {
            if (in_stream++ || f.v[HEAD_VERSION] != PACK_SEQUENCES) return 0;
        } else if (!in_stream) {
            return 0;
        } else if (!memcmp(f.magic, PACK_END, sizeof f.magic)) {
            in_stream = 0;
            streams++;
        } else {
            if (memcmp(f.magic, PACK_BLOCK, sizeof f.magic) || !(body = body_of(&f))) return 0;
            *residues += f.v[BLOCK_RESIDUES];
        }
        if (body && fseeko(file, (off_t)body, SEEK_CUR)) return 0;
    }
    return feof(file) && streams > 0 && !in_stream;
}

int ws_packed_measure(const char *path, uint64_t *residues) {
    struct stat st;
    *residues = 0;
    if (ws_source_is_stdin(path) || stat(path, &st) || !S_ISREG(st.st_mode)) return 0;
    FILE *file = fopen(path, "rb");
    const int whole = file && add_up(file, residues);
    if (file) fclose(file);
    return whole;
}
