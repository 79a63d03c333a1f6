/* SPDX-License-Identifier: MIT
 * Tables read with rows_apart: rows leave without waiting for the next one, and however they are divided among batches
 * they are the same rows, and a sequence whose rows follow each other counts once, unless one of them has the model of
 * the first: then it is another record. */
#include "tests/lib/drip.h"

typedef struct reading {
    ws_buf rows;
    ws_seqread_counts counts;
    int rc, batches;
} reading;

static void read_rows(const ws_seqread_conf *conf, reading *out) {
    ws_err err;
    ws_seqread *r = NULL;
    ws_batch b = {0};
    out->rows.n = 0;
    out->batches = 0;
    must(!ws_seqread_open(&r, conf, &err), "open");
    while ((out->rc = ws_seqread_fill(r, &b, &err)) == WS_OK || out->rc == WS_AGAIN) {
        out->batches += b.n > 0;
        for (size_t i = 0; i < b.nrow; i++) {
            const ws_row *row = &b.row[i];
            must(row->seq < b.n, "a row without its sequence");
            put_slice(&out->rows, &b, b.seqtext[row->seq].name);
            must(!ws_buf_addf(&out->rows, &err, "|%u|%llu|", b.len[row->seq], (unsigned long long)row->line), "memory");
            put_slice(&out->rows, &b, row->rest);
            must(!ws_buf_adds(&out->rows, "\n", &err), "memory");
        }
    }
    ws_seqread_counts_get(r, &out->counts);
    ws_seqread_close(r);
    ws_batch_release(&b);
}

/* Rows in runs of 1 to 4 of one sequence; some neighbours agree in name, residues or description but not in all. */
static void make_table(ws_buf *text, uint64_t *seed) {
    ws_err err;
    static const char *const residues[] = {"", "A", "AC", "ACDEFGHIK", "ACDEFGHIL"};
    int rc = ws_buf_adds(text, "name\tseq\tdesc\tquery\n", &err);
    for (int i = 0; i < 40; i++) {
        const char *name = below(seed, 3) ? "a" : "b", *seq = residues[below(seed, 5)],
                   *desc = below(seed, 3) ? "" : "d";
        const size_t queries = below(seed, 2) ? 3 : 100;
        for (size_t k = 1 + below(seed, 4); k; k--)
            rc |= ws_buf_addf(text, &err, "%s\t%s\t%s\tq%zu\n", name, seq, desc, below(seed, queries));
        if (below(seed, 10) == 0) rc |= ws_buf_adds(text, "name\tseq\tdesc\tquery\n", &err);
    }
    must(!rc, "memory");
}

static int same_reading(const reading *a, const reading *b) {
    return a->rc == b->rc && a->rows.n == b->rows.n && !memcmp(a->rows.p, b->rows.p, a->rows.n) &&
           a->counts.seqs == b->counts.seqs && a->counts.rows == b->counts.rows &&
           a->counts.residues == b->counts.residues;
}

static void any_batches(tap *t, uint64_t seed) {
    char one[PATH_SIZE], two[PATH_SIZE];
    ws_buf text[2] = {{0}, {0}};
    reading want = {{0}, {0}, 0, 0}, got = want;
    int fine = 1;
    const int first = (int)seed;
    make_table(&text[0], &seed);
    make_table(&text[1], &seed);
    temp_file(one, text[0].p, text[0].n);
    temp_file(two, text[1].p, text[1].n);
    const char *const path[] = {one, two, two};
    ws_seqread_conf conf = {
        .path = path, .npath = 3, .abc = ws_abc_get(WS_ABC_AMINO), .batch_residues = 1 << 20, .batch_seqs = 1 << 20};
    read_rows(&conf, &want);
    conf.rows_apart = 1;
    for (size_t n = 1; n < 200; n += 1 + n / 4) {
        conf.batch_seqs = n;
        read_rows(&conf, &got);
        fine &= same_reading(&want, &got);
    }
    tap_ok(t, fine && want.rc == WS_EOF, "the same rows and counts in batches of any size, three inputs, seed %d",
           first);
    unlink(one);
    unlink(two);
    for (int i = 0; i < 2; i++) ws_buf_release(&text[i]);
    ws_buf_release(&want.rows);
    ws_buf_release(&got.rows);
}

/* The rows of one sequence with a pause between them: they leave before the last one is there. */
static void pauses(tap *t) {
    static const char table[] = "name\tseq\tquery\na\tAC\tq1\na\tAC\tq2\nb\tAC\tq3\nb\tAC\tq4\n";
    const ws_buf text = {.p = (char *)table, .n = sizeof table - 1};
    int fd[2], old = dup(STDIN_FILENO);
    pthread_t thread;
    reading got = {{0}, {0}, 0, 0};
    const ws_seqread_conf conf = {.path = standard_input, .npath = 1, .abc = ws_abc_get(WS_ABC_AMINO), .rows_apart = 1,
                                  .batch_residues = 1 << 20, .batch_seqs = 1 << 20, .wait_ms = 20};
    must(pipe(fd) == 0 && dup2(fd[0], STDIN_FILENO) == 0, "pipe");
    close(fd[0]);
    drip d = {.fd = fd[1], .text = &text, .piece = 1, .pause_every = 8};
    must(!pthread_create(&thread, NULL, drip_run, &d), "thread");
    read_rows(&conf, &got);
    pthread_join(thread, NULL);
    must(dup2(old, STDIN_FILENO) == 0, "dup2");
    close(old);
    tap_ok(t, got.rc == WS_EOF && same_text(&got.rows, "a|2|2|q1\na|2|3|q2\nb|2|4|q3\nb|2|5|q4\n"),
           "pauses: the same rows");
    tap_ok(t, got.batches >= 3, "pauses: %d batches for four rows of two sequences", got.batches);
    tap_ok(t, got.counts.seqs == 2 && got.counts.rows == 4 && got.counts.residues == 4,
           "pauses: each sequence counts once");
    ws_buf_release(&got.rows);
}

int main(void) {
    tap t = {0};
    for (uint64_t seed = 1; seed <= 20; seed++) any_batches(&t, seed);
    pauses(&t);
    return tap_end(&t);
}
