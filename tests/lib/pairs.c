/* SPDX-License-Identifier: MIT
 * Packed pairs: tables of all kinds there and back, what is stored, cuts and damage at every byte, streams that lie. */
#include "lib/stream/decimal.h"
#include "lib/stream/packfmt.h"
#include "lib/stream/pairs.h"
#include "lib/stream/packed.h"
#include "tests/lib/io.h"

#include <math.h>

static void fine(int rc) { must(!rc, "memory"); }
static int same_buf(const ws_buf *a, const ws_buf *b) { return a->n == b->n && (!a->n || !memcmp(a->p, b->p, a->n)); }

/* ---- reading ---- */

static ws_stream_size size_of(const ws_ledger *g) {
    return g->nstage || g->ends ? ws_ledger_size(g) : (ws_stream_size){.state = WS_SIZE_NO_END};
}

/* Like read_all, but for the lines of rows, which packed pairs have not; more of the conf is the caller's. */
static int read_rows(ws_seqread_conf conf, const ws_buf *in, ws_buf *got, ws_buf *lines, ws_stream_size *counts,
                     ws_err *err) {
    char path[PATH_SIZE];
    const char *paths[] = {path};
    ws_seqread *r = NULL;
    ws_batch b = {0};
    size_t seqs = 0;
    temp_file(path, in->p, in->n);
    conf.path = paths;
    conf.npath = 1;
    got->n = 0;
    int rc = ws_seqread_open(&r, &conf, err);
    while (!rc && !(rc = ws_seqread_fill(r, &b, err))) {
        for (size_t i = 0; i < b.nrow; i++) b.row[i].line = 0;
        dump(got, &b, conf.abc, &seqs);
    }
    const ws_tsv_head *head = ws_seqread_head(r);
    ws_err e;
    if (lines) {
        lines->n = 0;
        fine(ws_buf_add(lines, ws_seqread_ledger(r)->lines.p, ws_seqread_ledger(r)->lines.n, &e));
        for (int i = 0; i < head->nall; i++) fine(ws_buf_addf(lines, &e, "%s%s", i ? "\t" : "", head->all[i]));
    }
    if (counts) *counts = size_of(ws_seqread_ledger(r));
    ws_seqread_close(r);
    ws_batch_release(&b);
    unlink(path);
    return rc;
}

static ws_seqread_conf conf_of(size_t batch) {
    return (ws_seqread_conf){.abc = ws_abc_get(WS_ABC_AMINO), .batch_residues = UINT64_C(1) << 40, .batch_seqs = batch};
}

/* ---- writing: a table becomes a stream, as a program would make it ---- */

typedef struct packer {
    ws_pairs *p;
    const ws_tsv_head *head;
    ws_buf *out;
} packer;

static int find(const ws_tsv_head *head, const char *name) {
    for (int i = 0; i < head->ncolumn; i++)
        if (!strcmp(head->column[i], name)) return i;
    return -1;
}

static void pack_row(packer *k, const ws_batch *b, const ws_row *row) {
    ws_err err;
    ws_cell cell[64] = {{0}};
    uint32_t number;
    const int query = find(k->head, "query"), qlen = find(k->head, "qlen");
    const ws_cell name = ws_row_cell(b, row, query);
    const double positions = qlen < 0 ? 0 : ws_row_number(b, row, qlen);
    const ws_query q = {.name = name.text, .n = name.n, .qlen = positions >= 1 ? (uint32_t)positions : 0, .hash = 77};
    fine(ws_pairs_query(k->p, &q, &number, &err));
    for (int i = 0, rest = 0; i < k->head->nall; i++)
        if (rest < k->head->ncolumn && k->head->all[i] == k->head->column[rest]) cell[i] = ws_row_cell(b, row, rest++);
    fine(ws_pairs_add(k->p, number, cell, &err));
}

static void pack_table(const ws_buf *table, ws_buf *out, size_t batch) {
    char path[PATH_SIZE];
    const char *paths[] = {path};
    ws_seqread_conf conf = conf_of(batch);
    ws_seqread *r;
    ws_err err;
    ws_batch b = {0};
    packer k = {.out = out};
    temp_file(path, table->p, table->n);
    conf.path = paths;
    conf.npath = 1;
    fine(ws_seqread_open(&r, &conf, &err));
    k.head = ws_seqread_head(r);
    int rc = ws_seqread_fill(r, &b, &err);
    fine(ws_pairs_open(&k.p, (const char *const *)k.head->all, k.head->nall, &err));
    fine(ws_pairs_head(k.p, out, conf.abc, ws_seqread_ledger(r)->lines.p, ws_seqread_ledger(r)->lines.n, &err));
    for (; !rc; rc = ws_seqread_fill(r, &b, &err)) {
        for (size_t i = 0, row = 0; i < b.n; i++) {
            fine(ws_pairs_seq(k.p, out, &b, i, &err));
            for (; row < b.nrow && b.row[row].seq == i; row++) pack_row(&k, &b, &b.row[row]);
        }
    }
    must(rc == WS_EOF, err.text);
    const ws_stream_size size = size_of(ws_seqread_ledger(r));
    fine(ws_pairs_end(k.p, out, &size, &err));
    ws_pairs_close(k.p);
    ws_seqread_close(r);
    ws_batch_release(&b);
    unlink(path);
}

/* ---- random tables ---- */

/* A field of one of the kinds that tools and people write. */
static void random_field(ws_buf *t, uint64_t *seed, int kind) {
    static const char *const odd[] = {"", "n/a", "nan", "inf", "-inf", "+", "-", "-0", "007", "1e5", "1.50", "0x10",
                                      " 1", "infinity", "2147483648", "-2147483648", "9007199254740993",
                                      "18446744073709551616", "1e400", "#", "##end", "\"", "-0.0000", "1.000e-300",
                                      "4.941e-324", "3.403e+38", "16777217", "0.0001", "123456789.1234"};
    ws_err err;
    const double u = (double)below(seed, 1 << 20) / (1 << 20);
    switch (kind) {
    case 0: fine(ws_buf_addf(t, &err, "%.4f", 300 * u - 100)); break;
    case 1: fine(ws_buf_addf(t, &err, "%.4g", exp(-600 * u))); break;
    case 2: fine(ws_buf_addf(t, &err, "%zu", below(seed, 100000))); break;
    case 3: fine(ws_buf_adds(t, below(seed, 2) ? "+" : "-", &err)); break;
    case 4: break;
    case 5: fine(ws_buf_addf(t, &err, "%.4f", 1e6 * u)); break;
    case 6: fine(ws_buf_adds(t, odd[below(seed, sizeof odd / sizeof *odd)], &err)); break;
    case 7: fine(ws_buf_adds(t, "inf", &err)); break;
    default: fine(ws_buf_addf(t, &err, "t%zu \xc3\xa9", below(seed, 50))); break;
    }
}

typedef struct shape {
    size_t seqs, longest, pairs, queries;
    int columns, quals, mixed; /* mixed: a kind for each field, not for each column */
} shape;

static void random_residues(ws_buf *t, uint64_t *seed, size_t n) {
    ws_err err;
    for (; n > 0; n--) fine(ws_buf_add(t, &"ACDEFGHIKLMNPQRSTVWYBJZOUX*"[below(seed, 27)], 1, &err));
}

static void random_table(ws_buf *t, uint64_t *seed, const shape *x) {
    ws_err err;
    int kind[32];
    ws_buf residues = {0};
    for (int k = 0; k < x->columns; k++) kind[k] = (int)below(seed, 9);
    static const char *const descs[] = {"", "a\xe4 desc", "kinase OS=E. coli (strain K12) GN=y",
                                        "OS=E. coli (strain K12) GN="};
    fine(ws_buf_adds(t, "##warpsieve pg=1 prog=x\n##note of a user\n#name\tquery\tseq\tqual\tdesc\tqlen\ttlen", &err));
    for (int k = 0; k < x->columns; k++) fine(ws_buf_addf(t, &err, "\tcol%d", k));
    fine(ws_buf_adds(t, "\n", &err));
    for (size_t i = 0; i < x->seqs; i++) {
        const size_t L = below(seed, x->longest + 1), n = 1 + below(seed, x->pairs), first = below(seed, x->queries);
        residues.n = 0;
        random_residues(&residues, seed, L);
        for (size_t j = 0; j < n; j++) {
            const size_t q = (first + j) % x->queries;
            fine(ws_buf_addf(t, &err, "s%zu\tq %zu\xff#\t%.*s\t", i, q, (int)L, L ? residues.p : ""));
            for (size_t c = 0; x->quals && i % 2 && c < L; c++) fine(ws_buf_add(t, "!", 1, &err));
            fine(ws_buf_addf(t, &err, "\t%s\t%zu\t%zu", descs[i % 11 % 4], 50 + q,
                             below(seed, 40) || x->mixed ? L : L + 1));
            for (int k = 0; k < x->columns; k++) {
                fine(ws_buf_adds(t, "\t", &err));
                random_field(t, seed, x->mixed ? (int)below(seed, 9) : kind[k]);
            }
            fine(ws_buf_adds(t, "\n", &err));
        }
    }
    fine(ws_buf_adds(t, "##end rows=9999999 in=4711 residues=123456\n", &err));
    ws_buf_release(&residues);
}

static void round_trip(tap *t, uint64_t seed, shape x) {
    const uint64_t start = seed;
    ws_err err;
    ws_buf table = {0}, packed = {0}, again = {0}, want = {0}, got = {0}, lines = {0}, lines2 = {0};
    ws_stream_size counts;
    random_table(&table, &seed, &x);
    pack_table(&table, &packed, SIZE_MAX);
    pack_table(&table, &again, 1 + below(&seed, 9));
    int ok = same_buf(&packed, &again) && packed.n % PACK_ALIGN == 0;
    ok &= read_rows(conf_of(SIZE_MAX), &table, &want, &lines, NULL, &err) == WS_EOF;
    ok &= read_rows(conf_of(SIZE_MAX), &packed, &got, &lines2, &counts, &err) == WS_EOF && same_buf(&got, &want);
    ok &= same_buf(&lines, &lines2) && counts.state == WS_SIZE_KNOWN && counts.seqs == 4711 &&
          counts.residues == 123456;
    ok &= read_rows(conf_of(1), &packed, &got, NULL, NULL, &err) == WS_EOF && same_buf(&got, &want);
    tap_ok(t, ok, "%zu sequences up to %zu, up to %zu pairs, %d %scolumns, seed %llu: %zu bytes of %zu", x.seqs,
           x.longest, x.pairs, x.columns, x.mixed ? "mixed " : "", (unsigned long long)start, packed.n, table.n);
    ws_buf *const all[] = {&table, &packed, &again, &want, &got, &lines, &lines2};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) ws_buf_release(all[i]);
}

/* ---- fields ---- */

static void fields(tap *t) {
    uint64_t seed = 11;
    ws_buf text = {0}, got = {0};
    ws_err err;
    int ok = 1;
    for (int i = 0; i < 20000; i++) {
        text.n = 0;
        random_field(&text, &seed, (int)below(&seed, 9));
        const ws_cell c = ws_cell_parse(text.n ? text.p : "", text.n);
        for (int f = WS_CELL_STRAND; f < WS_NCELLFORM; f++) {
            char store[8];
            if (!(c.forms & WS_CELL_BIT(f))) continue;
            ws_cell back = c;
            if (f != WS_CELL_TEXT) {
                ws_cellform_store((ws_cellform)f, store, 0, c.v);
                back = ws_cell_stored((ws_cellform)f, ws_cellform_load((ws_cellform)f, store, 0));
            }
            got.n = 0;
            fine(ws_cell_print(&got, &back, &err));
            if (!same_buf(&got, &text))
                ok = 0, tap_note("form %d of \"%.*s\" gives \"%.*s\"", f, (int)text.n, text.p, (int)got.n, got.p);
        }
    }
    tap_ok(t, ok, "every form that a text is said to have gives it back");
    const ws_cell bits = ws_cell_parse("17.5210", 7), p = ws_cell_parse("0.0004213", 9), n = ws_cell_parse("86", 2);
    tap_ok(t,
           ws_cellform_choose(bits.forms, 1) == WS_CELL_FIXED24 &&
               ws_cellform_choose(p.forms, 0) == WS_CELL_GENERAL24 && ws_cellform_choose(n.forms, 0) == WS_CELL_INT32,
           "bits and P-values are stored in three bytes, counts in four");
    ws_buf_release(&text);
    ws_buf_release(&got);
}

/* The digits of %.4g, of random numbers of all sizes and of those next to a tie or a power of ten. */
static void decimals(tap *t) {
    uint64_t seed = 3;
    int ok = 1;
    for (int i = 0; i < 400000; i++) {
        char text[2][40];
        double v, back;
        uint64_t bits = rnd(&seed) & INT64_MAX;
        memcpy(&v, &bits, sizeof v);
        if (i % 4 == 1) v = (double)(below(&seed, 200000)) * pow(10, (double)below(&seed, 300) - 310);
        if (i % 4 == 2) v = ((double)below(&seed, 20000) + 0.5) * pow(10, (double)below(&seed, 40) - 30);
        if (i % 4 == 3) v = nextafter(pow(10, (double)below(&seed, 600) - 300), i % 8 == 3 ? 0 : 1e308);
        if (!isfinite(v)) continue;
        back = ws_decimal_value(ws_decimal_of(v));
        snprintf(text[0], sizeof text[0], "%.4g", v);
        snprintf(text[1], sizeof text[1], "%.4g", back);
        if (strcmp(text[0], text[1]) != 0 || back != strtod(text[0], NULL))
            ok = 0, tap_note("%.17g: %s, %s", v, text[0], text[1]);
    }
    ok &= isnan(ws_decimal_value(ws_decimal_of((double)NAN)));
    tap_ok(t, ok, "24 bits hold what is printed with four digits");
}

/* Columns that a tool has computed: the bias keeps its last bit, other numbers are stored as they are printed. A column
 * without values takes a byte. */
static void exact(tap *t) {
    static const char *const names[] = {"name", "seq", "query", "bias_bits", "a_p", "evalue"};
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    ws_err err;
    ws_buf out = {0};
    ws_pairs *p;
    ws_batch b = {0};
    ws_seqtext text = {0};
    uint32_t q;
    fine(ws_batch_add_text(&b, "s", 1, &err));
    text.name.n = 1;
    fine(ws_batch_add_seq(&b, 0, 0, &text, &err));
    fine(ws_pairs_open(&p, names, 6, &err));
    fine(ws_pairs_head(p, &out, abc, "##warpsieve pg=1\n", 17, &err));
    fine(ws_pairs_query(p, &(ws_query){"m", 1, 10, 5}, &q, &err));
    fine(ws_pairs_seq(p, &out, &b, 0, &err));
    const double bits = (double)(1.0f / 3), pv = 0.3333;
    const ws_cell cell[6] = {[3] = ws_cell_number(WS_COL_BITS, bits), [4] = ws_cell_number(WS_COL_P, 1.0 / 3),
                             [5] = ws_cell_number(WS_COL_P, (double)NAN)};
    fine(ws_pairs_add(p, q, cell, &err));
    fine(ws_pairs_end(p, &out, &(ws_stream_size){.state = WS_SIZE_UNKNOWN}, &err));
    ws_pairs_close(p);
    char path[PATH_SIZE];
    const char *paths[] = {path};
    ws_seqread_conf conf = conf_of(99);
    ws_seqread *r;
    temp_file(path, out.p, out.n);
    conf.path = paths;
    conf.npath = 1;
    fine(ws_seqread_open(&r, &conf, &err));
    int ok = ws_seqread_fill(r, &b, &err) == WS_OK && b.nrow == 1 && b.ncolumn == 4;
    ok = ok && ws_row_number(&b, &b.row[0], 1) == bits && ws_row_number(&b, &b.row[0], 2) == pv &&
         isnan(ws_row_number(&b, &b.row[0], 3));
    ok &= b.col[1].form == WS_CELL_EXACT32 && b.col[2].form == WS_CELL_GENERAL24 && b.col[3].form == WS_CELL_STRAND;
    ok = ok && ws_queries_at(b.queries, 0)->hash == 5 && ws_queries_at(b.queries, 0)->qlen == 10;
    ok = ok && ws_seqread_fill(r, &b, &err) == WS_EOF && ws_seqread_ledger(r)->unknown;
    tap_ok(t, ok, "the bias keeps its last bit, and the counts are unknown");
    ws_seqread_close(r);
    ws_batch_release(&b);
    ws_buf_release(&out);
    unlink(path);
}

/* ---- damage ---- */

static const char small_table[] =
    "##warpsieve pg=1 prog=x\n#name\tseq\tdesc\tquery\tqlen\ttlen\tbits\tnote\n"
    "a\tMKV\tx\tp\t7\t3\t1.5000\tu\na\tMKV\tx\tq\t8\t3\t2.5000\t\nb\t\t\tq\t8\t0\tinf\tvw\n"
    "##end rows=3 in=9 residues=99\n";

static void small_stream(ws_buf *out) {
    const ws_buf table = {(char *)(uintptr_t)small_table, sizeof small_table - 1, 0};
    pack_table(&table, out, 1);
}

static int is_beginning(const ws_buf *got, const ws_buf *all) {
    return got->n <= all->n && (!got->n || !memcmp(got->p, all->p, got->n));
}

static void cut_and_damaged(tap *t) {
    ws_err err;
    ws_buf out = {0}, all = {0}, got = {0};
    int ok = 1;
    small_stream(&out);
    must(read_rows(conf_of(9), &out, &all, NULL, NULL, &err) == WS_EOF && all.n > 40, "a small stream");
    const size_t whole = out.n;
    for (size_t n = 1; n < whole; n++) {
        out.n = n;
        ok &= read_rows(conf_of(9), &out, &got, NULL, NULL, &err) == WS_EDATA && is_beginning(&got, &all);
        if (n == whole - PACK_FRAME) ok &= same_buf(&got, &all);
    }
    tap_ok(t, ok, "cut at each of %zu bytes: an error, whole blocks before it delivered", whole);
    out.n = whole;
    ok = 1;
    for (size_t i = 0; i < whole; i++)
        for (int bit = 0; bit < 8; bit++) {
            out.p[i] = (char)(out.p[i] ^ 1 << bit);
            ok &= read_rows(conf_of(9), &out, &got, NULL, NULL, &err) == WS_EDATA && is_beginning(&got, &all);
            out.p[i] = (char)(out.p[i] ^ 1 << bit);
        }
    tap_ok(t, ok, "every single bit turned is seen");
    ws_buf_release(&out);
    ws_buf_release(&all);
    ws_buf_release(&got);
}

/* Two streams one after the other are one, with the sums of both; other kinds are not mixed. */
static void concatenated(tap *t) {
    ws_err err;
    ws_buf one = {0}, two = {0}, got = {0}, want = {0};
    ws_stream_size counts;
    small_stream(&one);
    must(read_rows(conf_of(9), &one, &want, NULL, NULL, &err) == WS_EOF, "a small stream");
    fine(ws_buf_add(&two, one.p, one.n, &err) | ws_buf_add(&two, one.p, one.n, &err));
    int rc = read_rows(conf_of(9), &two, &got, NULL, &counts, &err);
    tap_ok(t, rc == WS_EOF && got.n == 2 * want.n && counts.seqs == 18 && counts.residues == 198, "two streams");
    const char *text = "##warpsieve pg=1 prog=x\n#name\tseq\tquery\nb\t\tq\n##end rows=1\n";
    const ws_buf table = {(char *)(uintptr_t)text, strlen(text), 0};
    two.n = one.n;
    pack_table(&table, &two, 9);
    rc = read_rows(conf_of(9), &two, &got, NULL, NULL, &err);
    tap_ok(t, rc == WS_EDATA && same_buf(&got, &want) && strstr(err.text, "other columns"), "other columns");
    two.n = one.n;
    ws_packed_totals totals = {0};
    fine(ws_packed_head(&two, ws_abc_get(WS_ABC_AMINO), &err) | ws_packed_end(&two, &totals, NULL, &err));
    rc = read_rows(conf_of(9), &two, &got, NULL, NULL, &err);
    tap_ok(t, rc == WS_EDATA && same_buf(&got, &want) && strstr(err.text, "be read together"), "pairs and sequences");
    ws_buf_release(&one);
    ws_buf_release(&two);
    ws_buf_release(&got);
    ws_buf_release(&want);
}

/* ---- streams that lie ---- */

/* Where the n-th frame with that magic begins. */
static size_t frame_of(const ws_buf *s, const char *magic) {
    for (size_t i = 0; i + PACK_FRAME <= s->n; i += PACK_ALIGN)
        if (!memcmp(s->p + i, magic, 8)) return i;
    must(0, "no such frame");
    return 0;
}

/* Puts the checksums of the frame at `at` and of the body of `body` bytes after it right. */
static void seal(ws_buf *s, size_t at, size_t body) {
    pack_frame f;
    memcpy(&f, s->p + at, sizeof f);
    f.check = pack_frame_check(&f);
    memcpy(s->p + at, &f, sizeof f);
    const uint64_t check = XXH3_64bits(s->p + at + PACK_FRAME, body - sizeof check);
    memcpy(s->p + at + PACK_FRAME + body - sizeof check, &check, sizeof check);
}

/* Writes n bytes of value at `offset` of the frame and its body. */
static void forge(ws_buf *s, const char *magic, size_t offset, uint64_t value, size_t n) {
    const size_t at = frame_of(s, magic);
    size_t end = at + PACK_FRAME;
    while (end < s->n && memcmp(s->p + end, PACK_HEAD, 3) != 0) end += PACK_ALIGN;
    memcpy(s->p + at + offset, &value, n);
    seal(s, at, end - at - PACK_FRAME);
}

/* Checks that the small stream with such a forgery is refused with a sentence that says why. */
static void lie(tap *t, const char *magic, size_t offset, uint64_t value, size_t n, const char *says) {
    ws_err err;
    ws_buf s = {0}, got = {0};
    small_stream(&s);
    forge(&s, magic, offset, value, n);
    int rc = read_rows(conf_of(9), &s, &got, NULL, NULL, &err);
    const int ok = rc == WS_EDATA && got.n == 0 && strstr(err.text, says);
    tap_ok(t, ok, "%.3s, byte %zu: %llu", magic + 1, offset, (unsigned long long)value);
    if (!ok) tap_note("code %d: %s", rc, rc == WS_EOF ? "" : err.text);
    ws_buf_release(&s);
    ws_buf_release(&got);
}

static void liars(tap *t) {
    enum { NUMBER = 8, BODY = PACK_FRAME };
    static const char counts[] = "impossible counts";
    static const uint64_t huge[] = {UINT64_MAX, UINT64_C(1) << 62, (UINT64_C(1) << 40) + 1};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        for (int k = HEAD_COLUMNS; k <= HEAD_TEXT; k++) lie(t, PACK_HEAD, NUMBER + 8 * (size_t)k, huge[i], 8, counts);
        for (int k = QUERIES_N; k <= QUERIES_TEXT; k++)
            lie(t, PACK_QUERIES, NUMBER + 8 * (size_t)k, huge[i], 8, counts);
        for (int k = PAIRS_BLOCK; k <= PAIRS_TEXT; k++) lie(t, PACK_PAIRS, NUMBER + 8 * (size_t)k, huge[i], 8, counts);
    }
    lie(t, PACK_QUERIES, NUMBER, 1, 8, "do not follow");
    lie(t, PACK_QUERIES, NUMBER + 8, 0, 8, "impossible counts");
    lie(t, PACK_PAIRS, NUMBER + 8, 2, 8, "");
    lie(t, PACK_PAIRS, NUMBER + 8, 4, 8, "");
    lie(t, PACK_HEAD, BODY, 3, 4, "impossible lengths");
    lie(t, PACK_HEAD, BODY + 4 * 9, 'x', 1, "lacks the column name; name, seq and query are needed");
    lie(t, PACK_HEAD, BODY + 4 * 9 + 4, 'x', 1, "lacks the column seq; ");
    lie(t, PACK_HEAD, BODY + 4 * 9 + 4 + 3 + 4, 'x', 1, "lacks the column query; ");
    for (int i = 0; i < 2; i++) lie(t, PACK_HEAD, BODY + 4 * 9, "\t\r"[i], 1, "control character");
    lie(t, PACK_QUERIES, BODY + 24, 0, 4, "impossible lengths");
    lie(t, PACK_QUERIES, BODY + 32, 'p' << 8 | 'p', 2, "");
    lie(t, PACK_QUERIES, BODY + 32, '\n', 1, "control character");
    /* the pairs: 8 forms, counts of 2 sequences, queries of 3 pairs in 16 bits, bits in 24, ends of notes */
    lie(t, PACK_PAIRS, BODY, WS_CELL_TEXT, 1, "form that is not known");
    lie(t, PACK_PAIRS, BODY + 6, WS_CELL_IMPLIED, 1, "form that is not known");
    lie(t, PACK_PAIRS, BODY + 6, WS_NCELLFORM, 1, "form that is not known");
    lie(t, PACK_PAIRS, BODY + 6, WS_CELL_STRAND, 1, "");
    lie(t, PACK_PAIRS, BODY + 8, 1, 4, "impossible counts");
    lie(t, PACK_PAIRS, BODY + 8, UINT64_C(0) | UINT64_C(3) << 32, 8, "without pairs");
    lie(t, PACK_PAIRS, BODY + 16, 2, 2, "not named before");
    lie(t, PACK_PAIRS, BODY + 22, 1, 2, "impossible counts");
    lie(t, PACK_PAIRS, BODY + 40, 4, 4, "no fields of a table");
    lie(t, PACK_PAIRS, BODY + 40, 2, 4, "no fields of a table");
    lie(t, PACK_PAIRS, BODY + 56, '\t', 1, "no fields of a table");
    lie(t, PACK_PAIRS, BODY + 60, 'x', 1, "padding");
}

/* Three forms of columns leave five bytes that must be zero. */
static void forms_padding(tap *t) {
    static const char text[] = "#name\tseq\tquery\na\tMKV\tp\n##end rows=1 in=1 residues=3\n";
    const ws_buf table = {(char *)(uintptr_t)text, sizeof text - 1, 0};
    ws_buf s = {0}, got = {0};
    ws_err err;
    for (size_t k = 0; k < 6; k++) { /* k = 5: nothing is forged */
        s.n = 0;
        pack_table(&table, &s, 1);
        if (k < 5) forge(&s, PACK_PAIRS, PACK_FRAME + 3 + k, 1, 1);
        const int rc = read_rows(conf_of(9), &s, &got, NULL, NULL, &err);
        tap_ok(t, k < 5 ? rc == WS_EDATA && !got.n && strstr(err.text, "impossible counts") : rc == WS_EOF && got.n > 0,
               "padding after the forms, byte %zu", k);
    }
    ws_buf_release(&s);
    ws_buf_release(&got);
}

/* Two streams name one query, whose hash differs, is the same, or is not known to one of them. */
static void hashes(tap *t) {
    static const struct {
        uint64_t first, second;
        int same;
    } pair[] = {{77, 77, 1}, {77, 78, 0}, {77, UINT64_C(77) << 32, 0}, {77, 0, 1}, {0, 78, 1}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        ws_buf one = {0}, two = {0}, got = {0};
        ws_err err;
        small_stream(&one);
        small_stream(&two);
        forge(&one, PACK_QUERIES, PACK_FRAME, pair[i].first, 8);
        forge(&two, PACK_QUERIES, PACK_FRAME, pair[i].second, 8);
        fine(ws_buf_add(&one, two.p, two.n, &err));
        const int rc = read_rows(conf_of(9), &one, &got, NULL, NULL, &err);
        tap_ok(t, pair[i].same ? rc == WS_EOF : rc == WS_EDATA && strstr(err.text, "\"p\", which is another model"),
               "a query of hash %llu, then %llu", (unsigned long long)pair[i].first,
               (unsigned long long)pair[i].second);
        ws_buf_release(&one);
        ws_buf_release(&two);
        ws_buf_release(&got);
    }
}

/* ---- limits of the writer ---- */

/* A table of `seqs` sequences of one residue with `pairs` pairs each, all of different queries. */
static void wide_table(ws_buf *t, size_t seqs, size_t pairs) {
    ws_err err;
    t->n = 0;
    fine(ws_buf_adds(t, "#name\tseq\tquery\n", &err));
    for (size_t i = 0; i < seqs; i++)
        for (size_t k = 0; k < pairs; k++) fine(ws_buf_addf(t, &err, "s%zu\tM\tq%zu\n", i, k));
    fine(ws_buf_addf(t, &err, "##end rows=%zu in=%zu residues=%zu\n", seqs * pairs, seqs, seqs));
}

static size_t frames_of(const ws_buf *s, const char *magic) {
    size_t n = 0;
    for (size_t i = 0; i + PACK_FRAME <= s->n; i += PACK_ALIGN) n += !memcmp(s->p + i, magic, 8);
    return n;
}

/* Blocks end at their limits exactly, and numbers of queries have 16 bits as long as these hold all. */
static void limits(tap *t) {
    enum { PAIRS = WS_PACKED_BLOCK_PAIRS, WORDS = WS_PACKED_PAIRS_WORDS };
    static const struct {
        size_t seqs, pairs, blocks;
        int narrow;
    } table_of[] = {{2, PAIRS - 1, 1, 1}, {2, PAIRS, 2, 1}, {WORDS, 1, 1, 1}, {WORDS + 1, 1, 2, 1},
                    {1, UINT16_MAX, 1, 1}, {1, UINT16_MAX + 1, 1, 0}, {1, UINT16_MAX + 2, 1, 0}};
    for (size_t i = 0; i < sizeof table_of / sizeof *table_of; i++) {
        ws_buf table = {0}, s = {0}, want = {0}, got = {0};
        ws_err err;
        wide_table(&table, table_of[i].seqs, table_of[i].pairs);
        pack_table(&table, &s, 1000);
        int same = read_rows(conf_of(9), &table, &want, NULL, NULL, &err) == WS_EOF;
        same &= read_rows(conf_of(9), &s, &got, NULL, NULL, &err) == WS_EOF && same_buf(&got, &want);
        const size_t blocks = frames_of(&s, PACK_PAIRS), form = frame_of(&s, PACK_PAIRS) + PACK_FRAME + 2;
        tap_ok(t, same && blocks == table_of[i].blocks && ((uint8_t)s.p[form] == PACK_QUERY16) == table_of[i].narrow,
               "%zu sequences, %zu queries: %zu blocks", table_of[i].seqs, table_of[i].pairs, blocks);
        ws_buf_release(&table);
        ws_buf_release(&s);
        ws_buf_release(&want);
        ws_buf_release(&got);
    }
}

/* A block with a phrase, then with other flags and with texts that no phrase makes right. */
static void phrases(tap *t) {
    static const char text[] =
        "##warpsieve pg=1 prog=x\n#name\tseq\tdesc\tquery\na\tMKV\tone OS=E. coli (strain K12) GN=a\tp\n"
        "b\tMKV\tOS=E. coli (strain K12) GN=bc\tp\nc\tMKV\ttwo OS=E. coli (strain K12) GN=\tp\nd\tMKV\t\tp\n"
        "e\tMKV\tthree OS=E. coli (strain K12) GN=x\tp\nf\tMKV\tfour OS=E. coli (strain K12) GN=zz\tp\n"
        "##end rows=6 in=9 residues=99\n";
    enum { FLAGS = 8 + 8 * BLOCK_FLAGS, TEXTS = PACK_FRAME + 3 * 6 * 4, N = 27 };
    static const struct {
        size_t at, n;
        uint64_t value;
        const char *says;
    } lies[] = {{FLAGS, 8, (uint64_t)(N + 1) << 32 | 2, "impossible lengths"},
                {FLAGS, 8, (uint64_t)N << 32, "impossible counts"},
                {FLAGS, 8, 2, "impossible counts"}, {FLAGS, 8, UINT64_C(256) << 32 | 2, "impossible counts"},
                {FLAGS, 8, (uint64_t)N << 32 | 6, "impossible counts"}, {TEXTS, 1, 0, "control character"},
                {TEXTS + N, 1, 0, "control character"}, {TEXTS + 3, 1, '\t', "control character"}};
    const ws_buf table = {(char *)(uintptr_t)text, sizeof text - 1, 0};
    ws_buf s = {0}, got = {0}, want = {0};
    ws_err err;
    pack_table(&table, &s, 1);
    const size_t at = frame_of(&s, PACK_BLOCK), end = frame_of(&s, PACK_PAIRS);
    must(read_rows(conf_of(9), &table, &want, NULL, NULL, &err) == WS_EOF, "a table");
    int ok = read_rows(conf_of(9), &s, &got, NULL, NULL, &err) == WS_EOF && same_buf(&got, &want);
    ok &= !memcmp(s.p + at + TEXTS, "OS=E. coli (strain K12) GN=a", N) && s.p[at + TEXTS + N + 5] == '\0';
    tap_ok(t, ok, "the phrase of a block stands once");
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        s.n = 0;
        pack_table(&table, &s, 1);
        memcpy(s.p + at + lies[i].at, &lies[i].value, lies[i].n);
        seal(&s, at, end - at - PACK_FRAME);
        const int rc = read_rows(conf_of(9), &s, &got, NULL, NULL, &err);
        if (!tap_ok(t, rc == WS_EDATA && !got.n && strstr(err.text, lies[i].says), "a block whose phrase lies, %zu", i))
            tap_note("code %d: %s", rc, rc == WS_EOF ? "" : err.text);
    }
    ws_buf_release(&s);
    ws_buf_release(&got);
    ws_buf_release(&want);
}

int main(void) {
    tap t = {0};
    fields(&t);
    decimals(&t);
    exact(&t);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        round_trip(&t, seed, (shape){60, 300, 12, 20, 9, seed % 2 == 0, 0});
        round_trip(&t, seed, (shape){40, 30, 30, 400, 5, seed % 3 == 0, 1});
    }
    round_trip(&t, 5, (shape){0, 0, 1, 1, 3, 0, 0});
    round_trip(&t, 6, (shape){300, 9000, 40, 1000, 4, 0, 0}); /* blocks by residues */
    round_trip(&t, 7, (shape){3000, 3, 60, 70, 2, 0, 0});     /* ... by pairs */
    round_trip(&t, 8, (shape){1, 5, 300000, 300000, 2, 0, 0});
    concatenated(&t);
    cut_and_damaged(&t);
    liars(&t);
    forms_padding(&t);
    hashes(&t);
    limits(&t);
    phrases(&t);
    return tap_end(&t);
}
