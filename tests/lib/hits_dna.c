/* SPDX-License-Identifier: MIT
 * Hits in long DNA by hand: duplicates, order, limits, records, and each form of output. tests/lib/long_tables.c
 * compares the same code
 * with nhmmer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hits/write.h"
#include "tests/tap.h"

typedef struct fixture {
    ws_dnastore store;
    ws_dnalist *list;
} fixture;

static void must(int rc) {
    if (rc) exit(1);
}

static void begin(fixture *f) {
    ws_err err;
    must(ws_dnastore_create(&f->store, 1, &err));
    f->list = f->store.list;
}

/* from > to is the other strand. The score is that of P = e^lnp. */
static void add(fixture *f, uint64_t number, uint64_t from, uint64_t to, uint32_t hmm_from, uint32_t hmm_to,
                double lnp) {
    static const struct {
        const char *name, *desc;
        uint64_t L;
    } record[] = {{"chr1", "", 3000000000}, {"chr2", "second", 1000}, {"chr10", "", 1000}, {"a b>c%", "", 0}};
    const ws_dnaseq seq = {.number = number, .L = record[number].L, .name = record[number].name,
                           .desc = record[number].desc,
                           .nname = strlen(record[number].name), .ndesc = strlen(record[number].desc)};
    const ws_dnahit h = {.minus = from > to, .hmm_from = hmm_from, .hmm_to = hmm_to, .ali_from = from, .ali_to = to,
                         .env_from = from,
                         .env_to = to, .bits = (float)-lnp, .lnp = lnp, .block = f->list->n};
    ws_err err;
    must(ws_dnastore_add(&f->store, 0, &seq, &h, &err));
}

static void rank(fixture *f, ws_dnalimits limits, uint64_t residues) { ws_dnalist_rank(f->list, &limits, residues,
                                                                                       100); }

/* The columns of a hit that tell it from others. */
typedef struct place {
    uint64_t record, from, to;
    uint32_t hmm_from, hmm_to;
    double lnp;
} place;

/* Returns which of two hits are duplicates: bit 0 the better one, bit 1 the other. */
static int duplicates(place a, place b) {
    fixture f;
    begin(&f);
    add(&f, a.record, a.from, a.to, a.hmm_from, a.hmm_to, a.lnp);
    add(&f, b.record, b.from, b.to, b.hmm_from, b.hmm_to, b.lnp);
    rank(&f, (ws_dnalimits)WS_DNA_LIMITS, 100);
    const int found = f.list->hit[0]->duplicate | f.list->hit[1]->duplicate << 1;
    ws_dnastore_destroy(&f.store);
    return found;
}

static void test_duplicates(tap *t) {
    const place a = {0, 1000, 1019, 1, 100, -20};
    tap_ok(t, duplicates(a, (place){0, 1003, 1200, 90, 190, -10}) == 2 &&
           duplicates((place){0, 1003, 1200, 90, 190, -10}, a) == 2,
           "starts 3 apart, and nodes overlap: the worse one is a duplicate, wherever it stands");
    tap_ok(t, duplicates((place){0, 1000, 1019, 1, 100, -10}, (place){0, 1003, 1200, 90, 190, -20}) == 2,
           "also if it is the first one");
    tap_ok(t, duplicates(a, (place){0, 1004, 1200, 90, 190, -10}) == 0, "starts 4 apart: none");
    tap_ok(t, duplicates((place){0, 1000, 1199, 1, 100, -20}, (place){0, 1150, 1202, 1, 100, -10}) == 2 &&
                  duplicates((place){0, 1000, 1199, 1, 100, -20},
                             (place){0, 1150, 1203, 1, 100, -10}) == 0, "ends 3 or 4 apart");
    tap_ok(t, duplicates(a, (place){0, 1003, 1200, 101, 190, -10}) == 0, "no common node: none");
    tap_ok(t, duplicates((place){0, 1000, 1399, 1, 100, -20}, (place){0, 1100, 1199, 1, 100, -10}) == 2 &&
                  duplicates((place){0, 1000, 1194, 1, 100, -20}, (place){0, 1100, 1199, 1, 100, -10}) == 2 &&
                  duplicates((place){0, 1000, 1193, 1, 100, -20},
                             (place){0, 1100, 1199, 1, 100, -10}) == 0, "95 of 100 residues, or 94");
    tap_ok(t, duplicates(a, (place){0, 1019, 1000, 1, 100, -10}) == 0 &&
           duplicates(a, (place){1, 1000, 1019, 1, 100, -10}) == 0,
           "another strand, another record: none");
    tap_ok(t, duplicates((place){0, 1019, 1000, 1, 100, -20}, (place){0, 1200, 1003, 1, 100, -10}) == 2,
           "on the other strand low ends are compared");
    tap_ok(t, duplicates(a, (place){0, 1000, 1019, 1, 100, -20}) == 2, "of equal ones one stays");
}

/* A chain compares with the last hit that stayed: the third one is the first one's duplicate, not the second one's. */
static void test_chain(tap *t) {
    fixture f;
    begin(&f);
    add(&f, 0, 1000, 1399, 1, 100, -30);
    add(&f, 0, 1001, 1300, 1, 100, -20);
    add(&f, 0, 1050, 1401, 1, 100, -10);
    add(&f, 1, 1050, 1401, 1, 100, -10);
    rank(&f, (ws_dnalimits)WS_DNA_LIMITS, 100);
    tap_ok(t, f.list->nreported == 2 && f.list->hit[0]->reported && f.list->hit[3]->reported,
           "a chain ends with its record: %zu stay",
           f.list->nreported);
    ws_dnastore_destroy(&f.store);
}

static const char *text_of(ws_sink *s, const char *form, const ws_dnaquery *q) {
    ws_err err;
    s->text.n = 0;
    ws_dnaform_find(form)->write(s, q);
    ws_sink_add(s, "", 1);
    must(ws_sink_flush(s, &err));
    return s->text.p;
}

/* Order, limits and widths. */
static void test_table(tap *t) {
    static const char want[] =
        "# target name        accession  query name           accession  hmmfrom hmm to    alifrom "
        "    ali to    envfrom     env to"
        "     sq len strand   E-value  score  bias  description of target\n"
        "#------------------- ---------- -------------------- ---------- ------- -------    -------"
        "    -------    -------    -------"
        "    ------- ------ --------- ------ ----- ---------------------\n"
        "chr2                 -          a model              -                1      50        100"
        "        149        100        149"
        "       1000    +     2.1e-08   20.0   0.0  second\n"
        "chr1                 -          a model              -                1      50 2999999999"
        " 2999999950 2999999999 2999999950"
        " 3000000000    -     0.00045   10.0   0.0  -\n"
        "chr10                -          a model              -                1      50        100"
        "        149        100        149"
        "       1000    +     0.00045   10.0   0.0  -\n"
        "chr10                -          a model              -                1      50        249"
        "        200        249        200"
        "       1000    -     0.00045   10.0   0.0  -\n";
    const ws_hmm h = {.name = (char *)(uintptr_t) "a model"};
    fixture f;
    ws_sink s = {0};
    begin(&f);
    add(&f, 2, 249, 200, 1, 50, -10);
    add(&f, 2, 100, 149, 1, 50, -10);
    add(&f, 0, 2999999999, 2999999950, 1, 50, -10);
    add(&f, 1, 100, 149, 1, 50, -20);
    add(&f, 2, 500, 549, 1, 50, -7);
    rank(&f, (ws_dnalimits){.evalue = 5e-4}, 1000);
    const ws_dnaquery q = {.hmm = &h, .list = f.list, .first = 1};
    tap_ok(t, strcmp(text_of(&s, "tblout", &q), want) == 0, "the table: order, widths, what is reported");
    for (size_t j = 0; j < f.list->n; j++) f.list->hit[j]->lnp = (double)-f.list->hit[j]->bits;
    rank(&f, (ws_dnalimits){.bits = 10, .by_bits = 1}, 1000);
    tap_ok(t, f.list->nreported == 4 && !f.list->hit[4]->reported, "reported by score");
    for (int k = 0; k < 2; k++) { // the least normal number is exp(-708.396)
        const ws_dnahit one = {.lnp = k ? -708.39 : -708.40};
        tap_ok(t, k ? ws_dnahit_evalue(&one) > 0 : ws_dnahit_evalue(&one) == 0, "an E-value of exp(%.2f)", one.lnp);
    }
    ws_sink_release(&s);
    ws_dnastore_destroy(&f.store);
}

/* Equal scores: by name, then the + strand first wherever it lies, then by place. */
static void test_ties(tap *t) {
    static const uint64_t want[] = {300, 400, 90, 249};
    fixture f;
    int ordered = 1;
    begin(&f);
    add(&f, 2, 249, 200, 1, 50, -10);
    add(&f, 2, 400, 449, 1, 50, -10);
    add(&f, 2, 90, 41, 1, 50, -10);
    add(&f, 2, 300, 349, 1, 50, -10);
    rank(&f, (ws_dnalimits)WS_DNA_LIMITS, 100);
    for (size_t i = 0; i < f.list->n; i++) ordered &= f.list->hit[i]->ali_from == want[i];
    tap_ok(t, ordered, "ties of a record: the + strand first, then by place");
    ws_dnastore_destroy(&f.store);
    /* two views of one place: that of the first sub-window stays, whichever came first */
    begin(&f);
    add(&f, 2, 200, 249, 1, 50, -10);
    add(&f, 2, 200, 249, 2, 50, -10);
    f.list->hit[0]->block = f.list->hit[1]->block = 0;
    f.list->hit[0]->subwindow = 1;
    f.list->hit[0]->number = 0;
    f.list->hit[1]->subwindow = 0;
    f.list->hit[1]->number = 1;
    rank(&f, (ws_dnalimits)WS_DNA_LIMITS, 100);
    for (size_t i = 0; i < 2; i++)
        tap_ok(t, f.list->hit[i]->reported == (f.list->hit[i]->hmm_from == 2), "sub-window %u of equal hits %s",
               f.list->hit[i]->subwindow, f.list->hit[i]->reported ? "stays" : "goes");
    ws_dnastore_destroy(&f.store);
}

/* The width of a place is that of the longest end of an alignment, wherever it stands. */
static void test_width(tap *t) {
    const ws_hmm h = {.name = (char *)(uintptr_t) "m"};
    const uint64_t end[] = {9999999, 10000000};
    for (int k = 0; k < 2; k++) {
        fixture f;
        ws_sink s = {0};
        begin(&f);
        add(&f, 0, 9999900, end[k], 1, 50, -20);
        rank(&f, (ws_dnalimits)WS_DNA_LIMITS, 100);
        const char *row = text_of(&s, "tblout", &(ws_dnaquery){.hmm = &h, .list = f.list});
        tap_ok(t, (strstr(row, "      50 9999900 9999999 ") != NULL) == !k &&
               (strstr(row, "      50  9999900 10000000 ") != NULL) == k,
               "places have the width of %llu: %.*s", (unsigned long long)end[k], (int)strcspn(row, "\n"), row);
        ws_sink_release(&s);
        ws_dnastore_destroy(&f.store);
    }
}

static void test_forms(tap *t) {
    const ws_hmm h = {.name = (char *)(uintptr_t) "m;=&, 1", .acc = (char *)(uintptr_t) "A1", .M = 60};
    fixture f;
    ws_sink s = {0};
    ws_hitcols columns;
    ws_err err;
    begin(&f);
    add(&f, 3, 249, 200, 2, 51, -1200.4);
    add(&f, 1, 100, 149, 1, 50, -20);
    add(&f, 2, 300, 349, 1, 50, 3);
    rank(&f, (ws_dnalimits){.evalue = 1e9}, 100);
    must(ws_hitcols_choose(&columns, &ws_dna_columns, 0, NULL, &err));
    const ws_dnaquery q = {.hmm = &h, .list = f.list, .columns = &columns, .program = "prog"};
    tap_ok(t, strcmp(text_of(&s, "bed", &q), "a b>c%\t199\t249\tm;=&, 1\t1000\t-\nchr2\t99\t149\tm;=&, 1\t20\t+\n"
                     "chr10\t299\t349\tm;=&, 1\t0\t+\n") == 0,
           "BED counts from 0, scores are 0 to 1000");
    tap_ok(t, strcmp(text_of(&s, "gff3", &q),
                     "a%20b%3Ec%25\tprog\tnucleotide_match\t200\t249\t0\t-\t.\tName=m%3B%3D%26%2C 1;Target=m%3B"
                     "%3D%26%2C%201 2 51;bits=1200.4;bias=0.0\n"
                     "chr2\tprog\tnucleotide_match\t100\t149\t2.1e-09\t+\t.\tName=m%3B%3D%26%2C 1;Target=m%3B%3D"
                     "%26%2C%201 1 50;bits=20.0;bias=0.0\n"
                     "chr10\tprog\tnucleotide_match\t300\t349\t20\t+\t.\tName=m%3B%3D%26%2C 1;Target=m%3B%3D%26"
                     "%2C%201 1 50;bits=-3.0;bias=0.0\n") == 0,
           "GFF3 spells what would end a field or an attribute");
    tap_ok(t, strcmp(text_of(&s, "tsv", &q),
                     "a b>c%\tm;=&, 1\tA1\t-\t\t60\t0\t1200.4\t0.0\t2\t51\t249\t200\t249\t200\t\n"
                     "chr2\tm;=&, 1\tA1\t+\t1000\t60\t2.1e-09\t20.0\t0.0\t1\t50\t100\t149\t100\t149\tsecond\n"
                     "chr10\tm;=&, 1\tA1\t+\t1000\t60\t20\t-3.0\t0.0\t1\t50\t300\t349\t300\t349\t\n") == 0,
           "a table; a length that is not known is empty");
    tap_ok(t, strstr(text_of(&s, "dfamtblout", &q), "chr10") && strstr(s.text.p, "# hit scores"),
           "each model has a head");
    tap_ok(t, !ws_dnaform_find("a2m"), "no other forms");
    ws_hitcols_release(&columns);
    tap_ok(t, ws_hitcols_choose(&columns, &ws_dna_columns, 0, "name,dom", &err) == WS_EUSAGE &&
           strstr(err.text, "\"dom\"") && strstr(err.text, "env_to,desc"),
           "the columns are those of DNA: %s", err.text);
    ws_hitcols_release(&columns);
    ws_sink_release(&s);
    ws_dnastore_destroy(&f.store);
}

/* Hits come in any order and in any thread. */
static void test_records(tap *t) {
    const ws_dnahit h = {.ali_from = 1, .ali_to = 9};
    fixture f;
    ws_err err;
    begin(&f);
    for (uint64_t k = 0; k < 40; k++) {
        const uint64_t number = k * 7 % 20;
        const ws_dnaseq seq = {.number = number, .L = k, .name = k % 2 ? "odd" : "even", .nname = k % 2 ? 3 : 4,
                               .desc = ""};
        must(ws_dnastore_add(&f.store, 0, &seq, &h, &err));
    }
    int ordered = 1;
    for (size_t i = 1; i < f.store.nrecord; i++) ordered &= f.store.record[i - 1]->number < f.store.record[i]->number;
    tap_ok(t, f.store.nrecord == 20 && ordered, "a record for each number and name: %zu", f.store.nrecord);
    const ws_dnaseq other = {.number = 4, .L = 1, .name = "odd", .nname = 3, .desc = ""};
    must(ws_dnastore_add(&f.store, 0, &other, &h, &err));
    ws_dnastore_note_length(&f.store, 4, 500);
    ws_dnastore_note_length(&f.store, 4, 400);
    ws_dnastore_note_length(&f.store, 77, 900);
    tap_ok(t, f.store.nrecord == 21 && f.store.record[4]->L == 500 && f.store.record[5]->L == 500 &&
           f.store.record[3]->L < 500 &&
                  strcmp(f.store.record[4]->name, "even") == 0 && strcmp(f.store.record[5]->name, "odd") == 0,
           "names tell records of one number apart, and lengths grow");
    ws_dnastore_destroy(&f.store);
}

/* Included hits, those without an alignment, and hits that can no longer be reported. */
static void test_included(tap *t) {
    const ws_dnalimits limits = {.evalue = 1e-3, .inc_evalue = 1e-7}, row = {.bits = 5, .inc_bits = 5, .by_bits = 1,
                                                                             .inc_by_bits = 1, .by_row = 1, .row = 15};
    const ws_dnahit h = {.lnp = log(1e-5), .bits = 7};
    fixture f;
    begin(&f);
    add(&f, 1, 100, 149, 1, 50, -20);
    add(&f, 1, 101, 149, 1, 50, -19); /* the same */
    add(&f, 1, 300, 349, 1, 50, -10);
    add(&f, 1, 600, 649, 1, 50, -3);
    rank(&f, limits, 100);
    tap_ok(t, f.list->nreported == 2 && f.list->nincluded == 1 && f.list->hit[0]->included &&
              f.list->hit[2]->reported && !f.list->hit[2]->included,
           "included are some of the reported ones: %zu, %zu", f.list->nreported, f.list->nincluded);
    ws_dnastore_destroy(&f.store);
    begin(&f);
    add(&f, 1, 100, 149, 1, 50, -20);
    add(&f, 1, 300, 349, 1, 50, -10);
    rank(&f, row, 100);
    tap_ok(t, f.list->nreported == 2 && f.list->nincluded == 1 && f.list->hit[1]->included && !f.list->hit[1]->shown,
           "below the second cutoff there is no alignment");
    tap_ok(t, ws_dnalimits_may(&limits, &h, 9900, 100) && !ws_dnalimits_may(&limits, &h, 10100, 100) &&
              ws_dnalimits_may(&row, &h, 1000000, 100),
           "an E-value only grows with what is searched");
    ws_dnastore_destroy(&f.store);
}

int main(void) {
    tap t = {0};
    test_included(&t);
    test_duplicates(&t);
    test_chain(&t);
    test_table(&t);
    test_ties(&t);
    test_width(&t);
    test_forms(&t);
    test_records(&t);
    return tap_end(&t);
}
