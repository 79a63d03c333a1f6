/* SPDX-License-Identifier: MIT
 * The parsers of FASTA, FASTQ and tables against tables of cases, each cut into pieces at every byte; several inputs;
 * batches; producers that pause; records longer than any buffer. */
#include "lib/formats/parser.h"
#include "tests/lib/cases.h"
#include "tests/lib/cases_flat.h"
#include "tests/lib/drip.h"
#include "tests/lib/io.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* Parsers alone, in pieces */

static const ws_parser *parser_of(ws_format f) {
    switch (f) {
    case WS_FORMAT_FASTA: return &ws_parser_fasta;
    case WS_FORMAT_FASTQ: return &ws_parser_fastq;
    case WS_FORMAT_AFA: return &ws_parser_afa;
    case WS_FORMAT_STOCKHOLM: return &ws_parser_stockholm;
    case WS_FORMAT_GENBANK: return &ws_parser_genbank;
    case WS_FORMAT_EMBL: return &ws_parser_embl;
    default: return &ws_parser_tsv;
    }
}

static ws_seqread_conf conf_of(const struct a_case *c) {
    static const char *const own[] = {"x_bits", "x_p"};
    return (ws_seqread_conf){.format = c->format,
                             .abc = ws_abc_get(c->type ? c->type : WS_ABC_AMINO),
                             .badres = c->badres,
                             .allow_cut = c->allow_cut,
                             .batch_residues = 1 << 20,
                             .batch_seqs = 1 << 20,
                             .own = own,
                             .nown = 2};
}

/* Feeds text in pieces that end at a and b (and every byte for itself if a > n). */
static int parse(const struct a_case *c, size_t a, size_t b, ws_buf *out, ws_err *err) {
    const ws_seqread_conf conf = conf_of(c);
    const ws_parser *parser = parser_of(c->format);
    const size_t n = strlen(c->in);
    ws_parse s;
    ws_batch batch = {0};
    size_t seqs = 0;
    must(!ws_parse_prepare(&s, &conf, err), "prepare");
    void *own = ws_calloc(1, parser->size, err);
    s.b = &batch;
    s.input = "in";
    s.line = 1;
    int rc = parser->begin(own, &s, err);
    for (size_t i = 0; i < n && !rc;) {
        const size_t end = a > n ? i + 1 : i < a ? a : i < b ? b : n;
        uint8_t *piece = malloc(end - i); /* of its own, so that a look beyond is seen */
        size_t take = end - i;
        memcpy(piece, c->in + i, take);
        rc = parser->feed(own, &s, piece, &take, err);
        free(piece);
        i = end;
    }
    rc = rc ? rc : parser->finish(own, &s, 1, err);
    ws_err unused;
    if (rc) (void)parser->finish(own, &s, 0, &unused);
    const ws_mark mark = ws_parse_mark(&s);
    batch.n = mark.n;
    batch.nrow = mark.nrow;
    out->n = 0;
    dump(out, &batch, conf.abc, &seqs);
    if (parser->release) parser->release(own);
    ws_free(own);
    ws_parse_release(&s);
    ws_batch_release(&batch);
    return rc;
}

static int as_expected(const struct a_case *c, int rc, const ws_buf *got, const ws_err *err, const char *input) {
    char message[WS_ERR_MAX];
    if (!same_text(got, c->records)) return 0;
    if (!c->message) return rc == WS_OK;
    snprintf(message, sizeof message, "%s%s%s", input, *c->message == ' ' ? "" : ": ", c->message);
    return rc == WS_EDATA && !strcmp(err->text, message);
}

static void show(const struct a_case *c, int rc, const ws_buf *got, const ws_err *err) {
    tap_note("code %d, %s", rc, rc ? err->text : "no message");
    tap_note("got \"%.*s\", expected \"%s\"", (int)got->n, got->n ? got->p : "", c->records);
}

static void in_pieces(tap *t, const struct a_case *c) {
    ws_err err;
    ws_buf got = {0};
    int fine = 1, rc;
    const size_t n = strlen(c->in), step = n > 300 ? n / 100 : 1;
    for (size_t a = 0; a <= n + 1 && fine; a++)
        for (size_t b = a; b <= n && fine; b += step) {
            rc = parse(c, a, b, &got, &err);
            fine = as_expected(c, rc, &got, &err, "in");
            if (!fine) tap_note("pieces end at %zu and %zu", a, b), show(c, rc, &got, &err);
        }
    tap_ok(t, fine, "%s: in pieces", c->what);
    ws_buf_release(&got);
}

/* The whole reader, format unknown, from a file, in one batch and in the smallest ones */

static void from_file(tap *t, const struct a_case *c) {
    char path[PATH_SIZE];
    const char *paths[] = {path};
    ws_err err;
    ws_buf got = {0};
    ws_seqread_conf conf = conf_of(c);
    temp_file(path, c->in, strlen(c->in));
    conf.path = paths;
    conf.npath = 1;
    conf.format = c->assert_format ? c->format : WS_FORMAT_AUTO;
    for (int small = 0; small < 2; small++) {
        if (small) conf.batch_seqs = 1;
        int rc = read_all(&conf, &got, 0, &err);
        if (rc == WS_EOF) rc = WS_OK;
        const int fine = as_expected(c, rc, &got, &err, path);
        tap_ok(t, fine, "%s: from a file, %s", c->what, small ? "small batches" : "one batch");
        if (!fine) show(c, rc, &got, &err);
    }
    unlink(path);
    ws_buf_release(&got);
}

/* Several inputs */

static int read_files(const char *const *text, int n, ws_buf *got, int marks, size_t batch_seqs, ws_err *err) {
    char path[4][PATH_SIZE];
    const char *paths[4];
    for (int i = 0; i < n; i++) {
        temp_file(path[i], text[i], strlen(text[i]));
        paths[i] = path[i];
    }
    const ws_seqread_conf conf = {.path = paths, .npath = n, .abc = ws_abc_get(WS_ABC_AMINO), .batch_residues = 1000,
                                  .batch_seqs = batch_seqs};
    int rc = read_all(&conf, got, marks, err);
    for (int i = 0; i < n; i++) unlink(path[i]);
    return rc;
}

static void several(tap *t) {
    static const char *const mixed[] = {">a\nAC", "", "@b\nDE\n+\nII\n", ">c x\nF\n"};
    static const char *const bad[] = {">a\nAC\n", "name\tseq\nb\tDE\n"};
    static const char *const tables[] = {"name\tseq\nb\tDE\n", "#name\tseq\nb\tDE\nc\tA\n", "name\tseq\tz\nb\tDE\n"};
    ws_err err;
    ws_buf got = {0};
    int rc = read_files(mixed, 4, &got, 0, 99, &err);
    tap_ok(t, rc == WS_EOF && same_text(&got, "a|||AC\nb||II|DE\nc|x||F\n"), "FASTA, nothing, FASTQ, FASTA");
    rc = read_files(mixed, 4, &got, 1, 2, &err);
    tap_ok(t, rc == WS_EOF && same_text(&got, "a|||AC\nb||II|DE\n--\nc|x||F\n"), "... in batches of two");
    rc = read_files(bad, 2, &got, 0, 99, &err);
    tap_ok(t, rc == WS_EDATA && same_text(&got, "a|||AC\n") && strstr(err.text, "cannot be read together"),
           "a table behind a FASTA file is refused: %s", rc == WS_EOF ? "no" : err.text);
    rc = read_files(tables, 2, &got, 0, 99, &err);
    tap_ok(t, rc == WS_EOF && same_text(&got, "b|||DE\n #0|||2\nb|||DE\n #1|||2\nc|||A\n #2|||3\n"),
           "two tables, header plain and hash");
    rc = read_files(tables, 3, &got, 0, 99, &err);
    tap_ok(t, rc == WS_EDATA && strstr(err.text, "line 1: the columns of this table are not those of the first one"),
           "a third one with other columns is refused");
    ws_buf_release(&got);
}

static void heads(tap *t) {
    static const char text[] =
        "##warpsieve pg=1 prog=a\n##warpsieve pg=2 prog=b\n#name\tseq\tqual\tdesc\tquery\tx_p\ta_bits\n"
        "s\tAC\t\t\tm\t1\t2\n##end rows=1 in=20 residues=300\n"
        "##warpsieve pg=1 prog=a\n##warpsieve pg=2 prog=b\n#name\tseq\tqual\tdesc\tquery\tx_p\ta_bits\n"
        "##end rows=0 in=4 residues=7\n";
    char path[PATH_SIZE];
    const char *paths[] = {path};
    static const char *const own[] = {"x_p"};
    ws_err err;
    ws_seqread *r;
    ws_batch b = {0};
    ws_seqread_counts c;
    temp_file(path, text, strlen(text));
    const ws_seqread_conf conf = {.path = paths, .npath = 1, .abc = ws_abc_get(WS_ABC_AMINO), .batch_residues = 1000,
                                  .batch_seqs = 99, .own = own, .nown = 1};
    must(!ws_seqread_open(&r, &conf, &err), "open");
    tap_ok(t, ws_seqread_format(r) == WS_FORMAT_AUTO, "no format before the first fill");
    int rc = ws_seqread_fill(r, &b, &err);
    const ws_tsv_head *h = ws_seqread_head(r);
    const ws_ledger *g = ws_seqread_ledger(r);
    tap_ok(t, !rc && b.has_rows && h->present && g->nstage == 2 && ws_seqread_format(r) == WS_FORMAT_TSV,
           "a table is told as one");
    tap_ok(t, h->ncolumn == 2 && !strcmp(h->column[0], "query") && !strcmp(h->column[1], "a_bits"),
           "columns that pass through");
    tap_ok(t, same_text(&g->lines, "##warpsieve pg=1 prog=a\n##warpsieve pg=2 prog=b\n"),
           "provenance of the first table");
    tap_ok(t, g->ends == 2 && g->seqs == 24 && g->residues == 307, "sums over the ends");
    tap_ok(t, ws_seqread_fill(r, &b, &err) == WS_EOF && b.n == 0, "the end");
    ws_seqread_counts_get(r, &c);
    tap_ok(t, c.seqs == 1 && c.rows == 1 && c.residues == 2 && c.bad_residues == 0, "counts");
    ws_seqread_close(r);
    ws_batch_release(&b);
    unlink(path);
}

/* Random records in all three formats, through pipes that give them in drops */

typedef struct text_set {
    ws_buf fasta, fastq, tsv, want_fasta, want_fastq, want_tsv;
} text_set;

static void add(ws_buf *b, const char *s) {
    ws_err err;
    must(!ws_buf_adds(b, s, &err), "memory");
}

static void random_set(text_set *s, uint64_t *seed, int n) {
    char name[32], seq[400], qual[400], field[64];
    size_t group = 0, line = 1;
    add(&s->tsv, "##warpsieve pg=1\n#name\tseq\tdesc\tquery\tscore\n");
    line += 2;
    for (int i = 0; i < n; i++) {
        const size_t L = below(seed, 4) ? below(seed, 300) : below(seed, 8), width = below(seed, 70) + 1;
        const int rows = below(seed, 3) ? 1 : (int)below(seed, 6) + 1;
        snprintf(name, sizeof name, "s%d", i);
        for (size_t k = 0; k < L; k++)
            seq[k] = "ACDEFGHIKLMNPQRSTVWYX*"[below(seed, 22)], qual[k] = (char)('!' + below(seed, 94));
        seq[L] = qual[L] = '\0';
        add(&s->fasta, ">"), add(&s->fasta, name), add(&s->fasta, " some text\n");
        for (size_t k = 0; k < L; k += width) {
            char piece[80];
            snprintf(piece, sizeof piece, "%.*s\n", (int)width, seq + k);
            add(&s->fasta, piece);
        }
        add(&s->fastq, "@"), add(&s->fastq, name), add(&s->fastq, "\n"), add(&s->fastq, seq), add(&s->fastq, "\n+\n");
        add(&s->fastq, qual), add(&s->fastq, "\n");
        add(&s->want_fasta, name), add(&s->want_fasta, "|some text||"), add(&s->want_fasta, seq),
            add(&s->want_fasta, "\n");
        add(&s->want_fastq, name), add(&s->want_fastq, "||"), add(&s->want_fastq, qual), add(&s->want_fastq, "|");
        add(&s->want_fastq, seq), add(&s->want_fastq, "\n");
        add(&s->want_tsv, name), add(&s->want_tsv, "|d||"), add(&s->want_tsv, seq), add(&s->want_tsv, "\n");
        for (int k = 0; k < rows; k++) {
            add(&s->tsv, name), add(&s->tsv, "\t"), add(&s->tsv, seq);
            snprintf(field, sizeof field, "\td\tq%d\t%d.5\n", k, i);
            add(&s->tsv, field);
            snprintf(field, sizeof field, " #%zu|q%d|q%d\t%d.5|%zu\n", group, k, k, i, line++);
            add(&s->want_tsv, field);
        }
        group++;
    }
    add(&s->tsv, "##end rows=9999\n");
    must(!ws_buf_add(&s->want_fasta, "", 1, &(ws_err){0}) && !ws_buf_add(&s->want_fastq, "", 1, &(ws_err){0}) &&
             !ws_buf_add(&s->want_tsv, "", 1, &(ws_err){0}), "memory");
}

static void release_set(text_set *s) {
    ws_buf *all[] = {&s->fasta, &s->fastq, &s->tsv, &s->want_fasta, &s->want_fastq, &s->want_tsv};
    for (size_t i = 0; i < 6; i++) ws_buf_release(all[i]);
}

static void random_records(tap *t, uint64_t seed) {
    const uint64_t start = seed;
    ws_err err;
    ws_buf got = {0};
    text_set s = {0};
    random_set(&s, &seed, 300);
    const ws_buf *text[] = {&s.fasta, &s.fastq, &s.tsv};
    const char *want[] = {s.want_fasta.p, s.want_fastq.p, s.want_tsv.p};
    int fine = 1;
    for (int f = 0; f < 3; f++) {
        drip d = {.text = text[f], .seed = seed, .piece = below(&seed, 2000) + 1};
        const ws_seqread_conf conf = {.path = standard_input, .npath = 1, .abc = ws_abc_get(WS_ABC_AMINO),
                                      .batch_residues = below(&seed, 9000) + 1, .batch_seqs = below(&seed, 40) + 1};
        int rc = read_drips(&d, &conf, &got, 0, &err);
        fine &= rc == WS_EOF && same_text(&got, want[f]);
    }
    tap_ok(t, fine, "300 random records in three formats, in pieces, in small batches, seed %llu",
           (unsigned long long)start);
    release_set(&s);
    ws_buf_release(&got);
}

/* Text made of what the formats are made of: any records or error, but the same in one piece and byte by byte. */
static void random_junk(tap *t, uint64_t seed) {
    static const char *const parts[] = {">",
                                        "@",
                                        "#",
                                        "##",
                                        "\n",
                                        "\n",
                                        "\n",
                                        "\r\n",
                                        "\t",
                                        "\t",
                                        "name",
                                        "seq",
                                        "qual",
                                        "desc",
                                        "name\tseq\n",
                                        "#name\tseq\tqual\n",
                                        "##end rows=1\n",
                                        "##warpsieve pg=1\n",
                                        "+\n",
                                        "A",
                                        "ACD",
                                        "ACDEFGHIKLM",
                                        " ",
                                        "1",
                                        "-",
                                        "I",
                                        "II",
                                        "a\tAC\n",
                                        "@a\nAC\n+\nII\n",
                                        "b\tAC\tII\n",
                                        ">c d\nAC\n"};
    static const ws_badres policy[] = {WS_BADRES_ERROR, WS_BADRES_X, WS_BADRES_SKIP};
    const uint64_t start = seed;
    ws_err err;
    ws_buf whole = {0}, pieces = {0};
    int same = 1;
    for (int i = 0; i < 3000 && same; i++) {
        char text[600] = "";
        const size_t n = below(&seed, 30);
        for (size_t k = 0; k < n; k++) strcat(text, parts[below(&seed, sizeof parts / sizeof *parts)]);
        for (int f = WS_FORMAT_FASTA; f <= WS_FORMAT_TSV; f++) {
            const struct a_case c = {.format = (ws_format)f, .in = text, .badres = policy[below(&seed, 3)]};
            if (f == WS_FORMAT_PACKED) continue;
            const int rc = parse(&c, strlen(text), strlen(text), &whole, &err);
            same &= parse(&c, strlen(text) + 1, strlen(text) + 1, &pieces, &err) == rc && whole.n == pieces.n &&
                    (!whole.n || !memcmp(whole.p, pieces.p, whole.n));
            if (!same) tap_note("format %d: \"%s\"", f, text);
        }
    }
    tap_ok(t, same, "junk in three formats: the same in pieces, seed %llu", (unsigned long long)start);
    ws_buf_release(&whole);
    ws_buf_release(&pieces);
}

/* Idle threads that read ahead while several inputs are read. */
typedef struct helper {
    ws_seqread *r;
    atomic_int stop;
} helper;

static void *read_ahead(void *arg) {
    helper *h = arg;
    uint64_t done, size;
    while (!h->stop) {
        if (!ws_seqread_ahead(h->r)) sched_yield();
        ws_seqread_progress(h->r, &done, &size);
    }
    return NULL;
}

static void with_helpers(tap *t) {
    enum { INPUTS = 5 };
    char path[INPUTS][PATH_SIZE];
    const char *paths[INPUTS];
    ws_err err;
    ws_buf want = {0}, got = {0};
    ws_batch b = {0};
    helper h = {0};
    pthread_t thread[2];
    uint64_t seed = 42;
    size_t seqs = 0;
    int rc;
    for (int i = 0; i < INPUTS; i++) {
        text_set s = {0};
        random_set(&s, &seed, 2000);
        temp_file(path[i], s.fasta.p, s.fasta.n);
        must(!ws_buf_add(&want, s.want_fasta.p, s.want_fasta.n - 1, &err), "memory");
        paths[i] = path[i];
        release_set(&s);
    }
    const ws_seqread_conf conf = {
        .path = paths, .npath = INPUTS, .abc = ws_abc_get(WS_ABC_AMINO), .batch_residues = 10000, .batch_seqs = 1000};
    must(!ws_seqread_open(&h.r, &conf, &err), "open");
    for (int i = 0; i < 2; i++) must(!pthread_create(&thread[i], NULL, read_ahead, &h), "thread");
    while (!(rc = ws_seqread_fill(h.r, &b, &err))) dump(&got, &b, conf.abc, &seqs);
    h.stop = 1;
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    tap_ok(t, rc == WS_EOF && got.n == want.n && !memcmp(got.p, want.p, got.n),
           "%d inputs with two threads reading ahead", INPUTS);
    ws_seqread_close(h.r);
    ws_batch_release(&b);
    ws_buf_release(&want);
    ws_buf_release(&got);
    for (int i = 0; i < INPUTS; i++) unlink(path[i]);
}

/* A file of one chunk is taken by its batches little by little, although it is read at once. */
static void with_progress(tap *t) {
    char path[PATH_SIZE];
    ws_err err;
    ws_buf text = {0};
    ws_batch b = {0};
    ws_seqread *r;
    int rc, good = 1;
    for (int i = 0; i < 100; i++) must(!ws_buf_addf(&text, &err, ">s%d\n%0200d\n", i, 0), "memory");
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '0' && i && text.p[i - 1] != 's') text.p[i] = 'A';
    temp_file(path, text.p, text.n);
    const char *paths[] = {path};
    const ws_seqread_conf conf = {
        .path = paths, .npath = 1, .abc = ws_abc_get(WS_ABC_AMINO), .batch_residues = 2000, .batch_seqs = 1000};
    must(!ws_seqread_open(&r, &conf, &err), "open");
    uint64_t done, size, batches = 0;
    while (!(rc = ws_seqread_fill(r, &b, &err))) {
        ws_seqread_progress(r, &done, &size);
        const double share = (double)done / (double)size, want = 0.1 * (double)++batches;
        good &= size == text.n && share > want - 0.03 && share < want + 0.03;
    }
    ws_seqread_progress(r, &done, &size);
    tap_ok(t, rc == WS_EOF && good && batches == 10 && done == size, "progress of a small file, batch by batch");
    ws_seqread_close(r);
    ws_batch_release(&b);
    ws_buf_release(&text);
    unlink(path);
}

/* Reads with a pause after so many bytes; on a busy machine the writer may pause elsewhere too, then once more. */
static int paused(const ws_buf *text, size_t after, const char *want) {
    ws_err err;
    ws_buf got = {0};
    int fine = 0;
    const ws_seqread_conf conf = {
        .path = standard_input, .npath = 1, .abc = ws_abc_get(WS_ABC_AMINO), .batch_residues = 1000, .batch_seqs = 100};
    for (int i = 0; i < 5 && !fine; i++) {
        drip d = {.text = text, .piece = 1, .pause_every = after};
        const int rc = read_drips(&d, &conf, &got, 1, &err);
        fine = rc == WS_EOF && same_text(&got, want);
    }
    ws_buf_release(&got);
    return fine;
}

enum { PACE_MS = 25, RECORDS = 24 }; /* a record every 25 ms: never the 50 ms of silence that close a batch */

static void *write_at_a_pace(void *arg) {
    const int *job = arg; /* descriptor, whether it is a table */
    if (job[1]) must(write(job[0], "name\tseq\n", 9) == 9, "write");
    for (int i = 0; i < RECORDS; i++) {
        char text[64];
        const int n = snprintf(text, sizeof text, job[1] ? "r%d\tACDE\n" : ">r%d\nACDE\n", i);
        must(write(job[0], text, (size_t)n) == n, "write");
        pause_ms(PACE_MS);
    }
    close(job[0]);
    return NULL;
}

/* A batch leaves 250 ms after its first record, however regularly others follow: the batches of a producer that takes
 * 600 ms. */
static int batches_at_a_pace(int table) {
    const ws_seqread_conf conf = {.path = standard_input, .npath = 1, .abc = ws_abc_get(WS_ABC_AMINO),
                                  .batch_residues = 1 << 20, .batch_seqs = 1 << 20, .rows_apart = 1};
    int fd[2], old = dup(STDIN_FILENO), n = 0;
    size_t records = 0;
    pthread_t thread;
    ws_seqread *r;
    ws_batch b = {0};
    ws_err err;
    must(pipe(fd) == 0 && dup2(fd[0], STDIN_FILENO) == 0, "pipe");
    close(fd[0]);
    int job[2] = {fd[1], table};
    must(!pthread_create(&thread, NULL, write_at_a_pace, job), "thread");
    must(!ws_seqread_open(&r, &conf, &err), "open");
    while (ws_seqread_fill(r, &b, &err) == WS_OK) {
        n++;
        records += b.n;
    }
    pthread_join(thread, NULL);
    ws_seqread_close(r);
    ws_batch_release(&b);
    must(dup2(old, STDIN_FILENO) == 0, "dup2");
    close(old);
    return records == RECORDS ? n : 0;
}

static void paced_producer(tap *t) {
    const int fasta = batches_at_a_pace(0), table = batches_at_a_pace(1);
    tap_ok(t, fasta > 1, "FASTA: a record every %d ms, %d batches", PACE_MS, fasta);
    tap_ok(t, table > 1, "table: a row every %d ms, %d batches", PACE_MS, table);
}

/* A batch leaves after a quiet while; what was begun comes with the next one. */
static void slow_producer(tap *t) {
    enum { LONG = 60000 };
    static const char fasta[] = ">a\nACDEFGHIKL\n>b x\nACDEFGHIKLMNPQRSTVWY\n>c\nAC\n";
    /* byte 38 is in the third c */
    static const char table[] = "name\tseq\tquery\nb\tDE\t1\nc\tFG\t1\nc\tFG\t2\nc\tFG\t3\nd\tA\t1\n";
    ws_buf text = {0};
    char *residues = malloc(LONG + 1), *want = malloc(LONG + 50);
    must(residues && want, "memory");
    add(&text, fasta);
    tap_ok(t, paused(&text, 29, "a|||ACDEFGHIKL\n--\nb|x||ACDEFGHIKLMNPQRSTVWY\nc|||AC\n"),
           "FASTA: a pause inside a record closes the batch before it");
    text.n = 0;
    add(&text, table);
    tap_ok(t, paused(&text, 38, "b|||DE\n #0|1|1|2\n--\nc|||FG\n #1|1|1|3\n #1|2|2|4\n #1|3|3|5\nd|||A\n #2|1|1|6\n"),
           "table: ... but the rows of one sequence stay together");
    /* so long that a part of it is packed already */
    for (int i = 0; i < LONG; i++) residues[i] = "ACDEFGHIKLMNPQRSTVWY"[i * 7 % 20];
    residues[LONG] = '\0';
    snprintf(want, LONG + 50, "a|||AC\n--\nb|||%s\n--\nc|||\n", residues);
    text.n = 0;
    add(&text, ">a\nAC\n>b\n"), add(&text, residues), add(&text, "\n>c\n");
    tap_ok(t, paused(&text, 40000, want), "FASTA: a pause inside a long record");
    ws_buf_release(&text);
    free(residues);
    free(want);
}

/* One line of many residues, in all formats: longer than chunk, stage and first allocation. */
static void long_record(tap *t, const char *what, const char *before, const char *after, size_t L, int qual) {
    char path[PATH_SIZE];
    const char *paths[] = {path};
    ws_err err;
    ws_buf text = {0};
    ws_batch b = {0};
    ws_seqread *r;
    int fine = 1;
    add(&text, before);
    for (int k = 0; k < 1 + qual; k++) {
        must(!ws_buf_reserve(&text, L + 3, &err), "memory");
        for (size_t i = 0; i < L; i++) text.p[text.n + i] = "ACDEFGHIKLMNPQRSTVW"[i % 19];
        text.n += L;
        if (qual && !k) add(&text, "\n+\n");
    }
    add(&text, after);
    temp_file(path, text.p, text.n);
    ws_buf_release(&text);
    const ws_seqread_conf conf = {.path = paths, .npath = 1, .abc = ws_abc_get(WS_ABC_AMINO), .batch_residues = 1000,
                                  .batch_seqs = 100};
    must(!ws_seqread_open(&r, &conf, &err), "open");
    int rc = ws_seqread_fill(r, &b, &err);
    fine &=
        rc == WS_OK && b.n == 1 && b.len[0] == L && b.seqtext[0].name.n == 1 && b.seqtext[0].qual.n == (qual ? L : 0);
    const uint8_t code_of_rank[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
    for (size_t i = 0; fine && i < L; i++)
        fine = (b.word[b.first[0] + i / 6] >> i % 6 * 5 & 31) == code_of_rank[i % 19];
    fine &= ws_seqread_fill(r, &b, &err) == WS_EOF;
    tap_ok(t, fine, "%s: one line of %zu residues", what, L);
    ws_seqread_close(r);
    ws_batch_release(&b);
    unlink(path);
}

static void missing(tap *t) {
    static const char *const paths[] = {"/nonexistent.fa"};
    ws_err err;
    ws_buf got = {0};
    const ws_seqread_conf conf = {.path = paths, .npath = 1, .abc = ws_abc_get(WS_ABC_AMINO)};
    int rc = read_all(&conf, &got, 0, &err);
    tap_ok(t, rc == WS_EIO && !strcmp(err.text, "cannot open /nonexistent.fa: No such file or directory"),
           "missing input");
    ws_buf_release(&got);
}

static void run_cases(tap *t, const struct a_case *c, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!c[i].only_whole) in_pieces(t, &c[i]);
        from_file(t, &c[i]);
    }
}

int main(void) {
    tap t = {0};
    run_cases(&t, cases, sizeof cases / sizeof *cases);
    run_cases(&t, flat_cases, sizeof flat_cases / sizeof *flat_cases);
    several(&t);
    heads(&t);
    for (uint64_t seed = 1; seed <= 20; seed++) random_records(&t, seed);
    for (uint64_t seed = 1; seed <= 5; seed++) random_junk(&t, seed);
    with_helpers(&t);
    with_progress(&t);
    slow_producer(&t);
    paced_producer(&t);
    const size_t lengths[] = {262143, 262144, 262145, 100000000};
    for (size_t i = 0; i < 4; i++) long_record(&t, "FASTA", ">a\n", i % 2 ? "" : "\n", lengths[i], 0);
    long_record(&t, "FASTQ", "@a\n", "\n", 5000000, 1);
    long_record(&t, "table", "name\tseq\tx\na\t", "\t5\n", 5000000, 0);
    missing(&t);
    return tap_end(&t);
}
