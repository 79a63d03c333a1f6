/* SPDX-License-Identifier: MIT
 * Fuzz target: ORFs. Byte 0 of the input chooses the genetic code, byte 1 where ORFs begin and what is left out, byte 2
 * how the second run differs: its batches, threads, and what it holds in memory. The rest is FASTA of DNA; for some
 * values of byte 2 the end of it is repeated, until the last record comes in pieces. Both runs must have the same ORFs
 * and failure. Each ORF is as long as it says, has the residues of its bases, and has no stop. */
#include "lib/hits/orf.h"
#include "lib/translate/orfread.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/io.h"
#include "tests/lib/orf_helper.h"

#include <pthread.h>
#include <stdatomic.h>

const char ws_fuzz_name[] = "translate";
const long ws_fuzz_cost = 100; /* a run reads files */

enum { CODES = 26, STARTS = 3, LONG = 280000, CODON = 3, STOP = '*', BATCH = 1 << 17 };

/* The conditions of both runs. */
typedef struct problem {
    const char *path;
    ws_seqread_conf conf;
    ws_translate how;
    const ws_gencode *code;
} problem;

typedef struct result {
    ws_batch orfs; /* all */
    int rc;
    ws_err err;
} result;

/* ---- the records ---- */

typedef struct record {
    const char *name;
    size_t nname, n;
    uint8_t *base;
} record;

typedef struct records {
    ws_batch b;
    record *r;
    size_t n;
} records;

/* Reads whole records, and puts those of fewer bases than a codon before the next one, if that is how it is done. */
static void read_records(const problem *q, records *to) {
    ws_seqread_conf conf = q->conf;
    ws_seqread *in;
    ws_err err;
    uint8_t before[CODON];
    size_t nbefore = 0;
    conf.path = &q->path;
    conf.batch_residues = UINT64_MAX;
    must(!ws_seqread_open(&in, &conf, &err), "open");
    if (ws_seqread_fill(in, &to->b, &err)) to->b.n = 0;
    ws_seqread_close(in);
    must((to->r = calloc(to->b.n + 1, sizeof *to->r)) != NULL, "memory");
    for (size_t i = 0; i < to->b.n; i++) {
        record *r = &to->r[to->n++];
        const ws_slice name = to->b.seqtext[i].name;
        const uint32_t *word = to->b.word + to->b.first[i];
        *r = (record){.name = name.n ? ws_batch_text(&to->b, name) : "", .nname = name.n, .n = nbefore + to->b.len[i]};
        must((r->base = malloc(r->n + 1)) != NULL, "memory");
        memcpy(r->base, before, nbefore);
        for (size_t k = 0; k < to->b.len[i]; k++)
            r->base[nbefore + k] = word[k / WS_RESIDUES_PER_WORD] >> 5 * (k % WS_RESIDUES_PER_WORD) & 31;
        nbefore = q->how.joins && r->n < CODON ? r->n : 0;
        memcpy(before, r->base, nbefore);
    }
}

static void release_records(records *s) {
    for (size_t i = 0; i < s->n; i++) free(s->r[i].base);
    free(s->r);
    ws_batch_release(&s->b);
}

/* ---- ORFs ---- */

static void add(ws_batch *to, const ws_batch *b) {
    ws_err err;
    for (size_t i = 0; i < b->n; i++) {
        ws_seqtext t = b->seqtext[i];
        const size_t words = ws_batch_words(b->len[i]), at = to->nword, text = to->text.n;
        must(!ws_batch_reserve_words(to, words, &err), "memory");
        if (words) memcpy(to->word + at, b->word + b->first[i], words * sizeof *to->word);
        FUZZ_CHECK(t.desc.at == t.name.at + t.name.n);
        must(!ws_batch_add_text(to, ws_batch_text(b, t.name), t.name.n + t.desc.n, &err), "memory");
        t.name.at = text;
        t.desc.at = text + t.name.n;
        must(!ws_batch_add_seq(to, at, b->len[i], &t, &err), "memory");
    }
}

static void cut(const problem *q, uint64_t batch, int threads, size_t hold, int helps, result *to) {
    ws_seqread_conf conf = q->conf;
    ws_batch b = {0};
    helper h = {0};
    pthread_t thread;
    conf.path = &q->path;
    conf.batch_residues = batch;
    must(!ws_orfread_open(&h.r, &conf, &q->how, threads, hold, &to->err), "open");
    if (helps) must(!pthread_create(&thread, NULL, help, &h), "thread");
    while (!(to->rc = ws_orfread_fill(h.r, &b, &to->err))) add(&to->orfs, &b);
    h.over = 1;
    if (helps) pthread_join(thread, NULL);
    ws_orfread_close(h.r);
    ws_batch_release(&b);
}

/* Whether an ORF is what its coordinates in a record say. */
static int is_of(const problem *q, const record *r, const ws_orf *o, const uint32_t *word, uint32_t L) {
    const uint8_t *other = ws_abc_get(WS_ABC_DNA)->complement;
    const uint64_t least = ws_min(o->from, o->to), most = ws_max(o->from, o->to),
                   at = o->minus ? r->n - most : least - 1;
    if (r->nname != o->ncontig || memcmp(r->name, o->contig, r->nname) != 0 || least < 1 || most > r->n) return 0;
    if ((uint64_t)(o->frame - 1) % CODON != at % CODON) return 0;
    for (uint32_t i = 0; i < L; i++) {
        uint8_t codon[CODON];
        for (size_t k = 0; k < CODON; k++)
            codon[k] = o->minus ? other[r->base[o->from - 1 - CODON * i - k]] : r->base[o->from - 1 + CODON * i + k];
        const unsigned residue = word[i / WS_RESIDUES_PER_WORD] >> 5 * (i % WS_RESIDUES_PER_WORD) & 31;
        const unsigned is = ws_codon(q->code, codon);
        if (i == 0 && !(is & WS_CODON_START)) return 0;
        if (residue != (i == 0 && q->code->first >= 0 ? (unsigned)q->code->first : is & WS_CODON_RESIDUE) ||
            residue == ws_abc_get(WS_ABC_AMINO)->code_of[STOP])
            return 0;
    }
    return 1;
}

static void check_orfs(const problem *q, const ws_batch *b) {
    records s = {0};
    read_records(q, &s);
    for (size_t i = 0; i < b->n; i++) {
        const ws_seqtext *t = &b->seqtext[i];
        const char *name = ws_batch_text(b, t->name);
        char want[WS_RESIDUES_PER_WORD * 5];
        ws_orf o;
        ws_err err = {0};
        size_t k = 0;
        const int n = snprintf(want, sizeof want, "orf%zu", i + 1);
        FUZZ_CHECK((size_t)n == t->name.n && !memcmp(name, want, t->name.n));
        FUZZ_CHECK(b->len[i] >= q->how.least && b->len[i] > 0);
        FUZZ_CHECK(!ws_orf_read(&o, name, t->name.n, ws_batch_text(b, t->desc), t->desc.n, b->len[i], &err));
        FUZZ_CHECK(q->how.strands != (o.minus ? WS_STRANDS_WATSON : WS_STRANDS_CRICK));
        while (k < s.n && !is_of(q, &s.r[k], &o, b->word + b->first[i], b->len[i])) k++; /* names may be doubled */
        FUZZ_CHECK(k < s.n);
    }
    release_records(&s);
}

static void compare(const result *a, const result *b) {
    FUZZ_CHECK(a->rc == b->rc && (a->rc == WS_EOF || !strcmp(a->err.text, b->err.text)));
    FUZZ_CHECK(a->orfs.n == b->orfs.n && a->orfs.text.n == b->orfs.text.n && a->orfs.nword == b->orfs.nword);
    FUZZ_CHECK(!a->orfs.n || !memcmp(a->orfs.text.p, b->orfs.text.p, a->orfs.text.n));
    FUZZ_CHECK(!a->orfs.nword || !memcmp(a->orfs.word, b->orfs.word, a->orfs.nword * sizeof *a->orfs.word));
}

/* ---- the input ---- */

/* Returns a table and ways to begin, made once. */
static const ws_gencode *code_of(uint8_t option, long long *table, ws_starts *starts, uint8_t starts_option) {
    static ws_gencode *known[CODES][STARTS];
    ws_err err;
    *starts = (ws_starts)(starts_option % STARTS);
    *table = 1 + option % (CODES - 1);
    while (ws_gencode_check(*table, "", &err)) *table = *table % (CODES - 1) + 1;
    ws_gencode **g = &known[*table][*starts];
    if (*g) return *g;
    must((*g = malloc(sizeof **g)) != NULL, "memory");
    ws_gencode_make(*g, *table, *starts);
    return *g;
}

/* Writes the text, and what is behind its last header again and again. */
static void make_file(char path[PATH_SIZE], const uint8_t *p, size_t n, int repeat) {
    ws_buf text = {0};
    ws_err err;
    size_t at = n;
    must(!ws_buf_add(&text, p, n, &err), "memory");
    while (at && p[at - 1] != '>') at--;
    while (at < n && p[at] != '\n') at++;
    while (repeat && at < n && text.n < LONG) must(!ws_buf_add(&text, p + at, n - at, &err), "memory");
    temp_file(path, text.p ? text.p : "", text.n);
    ws_buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    static const long long least[] = {0, 1, 2, 20};
    static const size_t hold[] = {1, 100, 70000, 0}, batch[] = {1, 50, 3000, BATCH};
    enum { HEAD = 3 };
    if (n <= HEAD) return 0;
    char path[PATH_SIZE];
    problem q = {.path = path, .conf = {.npath = 1, .format = WS_FORMAT_FASTA, .abc = ws_abc_get(WS_ABC_DNA),
                                        .batch_seqs = SIZE_MAX, .whole_text = 1}};
    result a = {0}, b = {0};
    q.code = code_of(p[0], &q.how.table, &q.how.starts, p[1] & 3);
    q.how.least = least[p[0] >> 5 & 3];
    q.conf.badres = (ws_badres)((p[1] >> 6) % 3);
    q.how.joins = p[1] >> 2 & 1;
    q.how.strands = (ws_strands)((p[1] >> 3 & 7) % 3);
    const int helps = p[2] >> 7;
    make_file(path, p + HEAD, n - HEAD, (p[2] >> 4 & 7) == 7);
    cut(&q, BATCH, 1, 0, 0, &a);
    cut(&q, batch[p[2] >> 2 & 3], 1 + helps, hold[p[2] & 3], helps, &b);
    compare(&a, &b);
    if (a.rc == WS_EOF) check_orfs(&q, &a.orfs);
    unlink(path);
    ws_batch_release(&a.orfs);
    ws_batch_release(&b.orfs);
    return 0;
}
