/* SPDX-License-Identifier: MIT
 * ORFs of records that wait in memory or in a temporary file, cut by one thread or with the help of others: the same.
 * With operands FILE HOLD BATCH THREADS it writes a line for each ORF of a file, for tests/faults.bats. */
#include "lib/translate/orfread.h"
#include "tests/lib/drip.h"
#include "tests/lib/orf_helper.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { RECORDS = 4, LONGEST = 700000 };

/* Writes records of random bases, some of them long, one of few bases before a long one, with runs of one base. */
static void make_genome(ws_buf *to, uint64_t seed) {
    ws_err err;
    for (int i = 0; i < RECORDS; i++) {
        const size_t L = i == 1 ? 2 : LONGEST / 4 + below(&seed, 3 * LONGEST / 4);
        must(!ws_buf_addf(to, &err, ">r%d of %zu bases", i, L), "memory");
        for (size_t k = 0, run = 0, base = 0; k < L; k++) {
            if (k % 60 == 0) must(!ws_buf_add(to, "\n", 1, &err), "memory");
            if (run == 0 && below(&seed, 100000) == 0) run = 1 + below(&seed, 200000);
            else if (run) run--;
            if (run == 0) base = below(&seed, 4);
            must(!ws_buf_add(to, &"ACGT"[base], 1, &err), "memory");
        }
        must(!ws_buf_add(to, "\n", 1, &err), "memory");
    }
}

/* Appends names, descriptions and words of all ORFs. Returns what the last call returned. */
static int read_orfs(const char *path, int joins, size_t hold, size_t batch, int helpers, ws_buf *got, ws_err *err) {
    enum { MOST = 3 };
    const ws_seqread_conf conf = {.path = &path, .npath = 1, .abc = ws_abc_get(WS_ABC_DNA), .batch_residues = batch,
                                  .batch_seqs = SIZE_MAX, .whole_text = 1};
    const ws_translate how = {.table = 1, .least = 30, .joins = joins};
    pthread_t thread[MOST];
    ws_batch b = {0};
    helper h = {0};
    int rc = ws_orfread_open(&h.r, &conf, &how, 1 + helpers, hold, err);
    if (rc) return rc;
    for (int i = 0; i < helpers; i++) must(!pthread_create(&thread[i], NULL, help, &h), "thread");
    while (!(rc = ws_orfread_fill(h.r, &b, err)))
        for (size_t i = 0; i < b.n; i++) {
            const ws_seqtext *t = &b.seqtext[i];
            must(!ws_buf_add(got, ws_batch_text(&b, t->name), t->name.n + t->desc.n, err), "memory");
            must(!ws_buf_add(got, b.word + b.first[i], 4 * ws_batch_words(b.len[i]), err), "memory");
        }
    h.over = 1;
    for (int i = 0; i < helpers; i++) pthread_join(thread[i], NULL);
    ws_orfread_close(h.r);
    ws_batch_release(&b);
    return rc;
}

/* Returns by how much the share that a reader says to have delivered is off at most from that of the ORFs' residues;
 * all: of these. */
static double read_shares(const char *path, double all, ws_seqread_counts *n) {
    const ws_seqread_conf conf = {.path = &path, .npath = 1, .abc = ws_abc_get(WS_ABC_DNA), .batch_residues = 10000,
                                  .batch_seqs = SIZE_MAX};
    const ws_translate how = {.table = 1, .least = 5};
    ws_orfread *r = NULL;
    ws_batch b = {0};
    ws_err err;
    double most = 0;
    must(!ws_orfread_open(&r, &conf, &how, 4, 0, &err), "open");
    while (!ws_orfread_fill(r, &b, &err)) {
        ws_orfread_counts_get(r, n);
        most = fmax(most, fabs(ws_orfread_share(r) - (double)n->residues / all));
    }
    ws_orfread_close(r);
    ws_batch_release(&b);
    return most;
}

/* Records of so many bases: their ORFs are delivered as fast as the reader says. */
static void test_share(tap *t, size_t length) {
    enum { BASES = 1500000 };
    uint64_t seed = 7;
    char path[PATH_SIZE];
    ws_buf text = {0};
    ws_err err;
    ws_seqread_counts n;
    for (size_t i = 0; i < BASES / length; i++) {
        must(!ws_buf_addf(&text, &err, ">%06zu\n", i) && !ws_buf_reserve(&text, length + 1, &err), "memory");
        for (size_t k = 0; k < length; k++) text.p[text.n++] = "ACGT"[below(&seed, 4)];
        text.p[text.n++] = '\n';
    }
    temp_file(path, text.p, text.n);
    (void)read_shares(path, 1, &n);
    const double off = read_shares(path, (double)n.residues, &n);
    tap_ok(t, off < 0.05, "records of %zu bases: the share of the ORFs is %.3f off at most", length, off);
    unlink(path);
    ws_buf_release(&text);
}

/* Writes each ORF's name, description and first words as a line. */
static int write_lines(char **operand) {
    const char *const path = operand[0];
    const ws_seqread_conf conf = {.path = &path, .npath = 1, .abc = ws_abc_get(WS_ABC_DNA), .whole_text = 1,
                                  .batch_residues = strtoul(operand[2], NULL, 10), .batch_seqs = SIZE_MAX};
    const ws_translate how = {.table = 1, .least = 30};
    ws_orfread *r = NULL;
    ws_batch b = {0};
    ws_err err = {0};
    int rc = ws_orfread_open(&r, &conf, &how, atoi(operand[3]), strtoul(operand[1], NULL, 10), &err);
    while (!rc && !(rc = ws_orfread_fill(r, &b, &err)))
        for (size_t i = 0; i < b.n; i++) {
            const ws_seqtext *t = &b.seqtext[i];
            const uint32_t *word = b.word + b.first[i];
            printf("%.*s\t%.*s\t%08x%08x\n", (int)t->name.n, ws_batch_text(&b, t->name), (int)t->desc.n,
                   ws_batch_text(&b, t->desc), word[0], word[ws_batch_words(b.len[i]) - 1]);
        }
    ws_orfread_close(r);
    ws_batch_release(&b);
    if (rc != WS_EOF) fprintf(stderr, "translate: %s\n", err.text);
    return rc != WS_EOF;
}

int main(int argc, char **argv) {
    enum { OPERANDS = 4 };
    tap t = {0};
    ws_err err;
    char path[PATH_SIZE];
    if (argc == 1 + OPERANDS) return write_lines(argv + 1);
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (int joins = 0; joins < 2; joins++) {
            ws_buf genome = {0}, want = {0};
            make_genome(&genome, seed);
            temp_file(path, genome.p, genome.n);
            must(read_orfs(path, joins, 0, 1 << 17, 0, &want, &err) == WS_EOF, "read");
            static const struct { size_t hold, batch; int helpers; } how[] = {
                {1, 1 << 17, 0}, {100000, 5000, 2}, {0, 1, 3}};
            for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
                ws_buf got = {0};
                const int rc = read_orfs(path, joins, how[k].hold, how[k].batch, how[k].helpers, &got, &err);
                tap_ok(&t, rc == WS_EOF && want.n > 100000 && got.n == want.n && !memcmp(got.p, want.p, want.n),
                       "seed %d: %zu bytes held, batches of %zu, %d helpers", (int)seed, how[k].hold, how[k].batch,
                       how[k].helpers);
                ws_buf_release(&got);
            }
            unlink(path);
            ws_buf_release(&genome);
            ws_buf_release(&want);
        }
    static const size_t length[] = {30, 90, 150, 1000, 33000, 1500000};
    for (size_t k = 0; k < sizeof length / sizeof *length; k++) test_share(&t, length[k]);
    ws_buf genome = {0}, none = {0};
    make_genome(&genome, 1);
    temp_file(path, genome.p, genome.n);
    setenv("TMPDIR", "/nowhere", 1);
    const int rc = read_orfs(path, 0, 1, 1 << 17, 0, &none, &err);
    tap_ok(&t, rc == WS_EIO && none.n == 0 && strstr(err.text, "/nowhere") && strstr(err.text, "TMPDIR"),
           "a temporary file that cannot be made is told: %s", err.text);
    unlink(path);
    ws_buf_release(&genome);
    ws_buf_release(&none);
    return tap_end(&t);
}
