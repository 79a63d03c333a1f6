/* SPDX-License-Identifier: MIT
 * The pair-HMM inside a caller: values of ws_pairhmm.h on every width, refusals, and GKL's native methods in a Java
 * that this file plays. tests/gkl.bats has the real one. */
#include "bin/gkl/gkl.h"
#include "kernels/pairhmm/pairhmm.h"
#include "lib/compress/source.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

#include <math.h>
#include <pthread.h>

/* ---- regions of a golden file, by the program's parser and by the library ---- */

typedef struct input {
    ws_pairhmm_text text;
    ws_pairhmm_result *want;
    char *bytes;
    ws_pairhmm_caller_read *read; /* of the whole text */
    ws_pairhmm_caller_haplotype *hap;
    uint8_t *quals; /* as numbers */
} input;

static const uint8_t *numbers(uint8_t **to, const uint8_t *from, size_t n) {
    uint8_t *p = *to;
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)(from[i] - 33);
    *to += n;
    return p;
}

static void input_open(input *in, const char *path, int all_double) {
    const ws_pairhmm_origin at = {.name = path, .line = 1};
    ws_pairhmm_conf conf = {.all_double = all_double, .share = 1};
    static const ws_pairhmm_body *const body[] = {WS_BY_WIDTH(ws_pairhmm_)};
    ws_pairhmm_counts count = {0};
    ws_pairhmm_work *work;
    ws_cpu cpu;
    ws_buf room = {0};
    ws_err err = {0};
    size_t n;
    *in = (input){0};
    sample_must(ws_source_slurp(path, NULL, &in->bytes, &n, &err), &err);
    sample_must(ws_pairhmm_parse_batches(&in->text, in->bytes, n, &at, &err), &err);
    in->want = malloc(in->text.npair * sizeof *in->want);
    in->read = malloc(in->text.nread * sizeof *in->read);
    in->hap = malloc(in->text.nhap * sizeof *in->hap);
    uint8_t *q = in->quals = malloc(n);
    for (size_t i = 0; i < in->text.nread; i++) {
        const ws_pairhmm_read *r = &in->text.read[i];
        ws_pairhmm_caller_read *to = &in->read[i];
        *to = (ws_pairhmm_caller_read){.bases = r->base, .length = r->m};
        to->quals = numbers(&q, r->q, r->m);
        to->insertion = numbers(&q, r->ins, r->m);
        to->deletion = numbers(&q, r->del, r->m);
        to->continuation = numbers(&q, r->gcp, r->m);
    }
    for (size_t i = 0; i < in->text.nhap; i++)
        in->hap[i] = (ws_pairhmm_caller_haplotype){in->text.hap[i].base, in->text.hap[i].n};
    ws_pairhmm_quals_make(&conf.quals);
    ws_cpu_probe(&cpu);
    sample_must(ws_pairhmm_work_create(&work, &err), &err);
    sample_must(ws_pairhmm_score(&conf, body[ws_cpu_best(&cpu)], &in->text, work, &room, in->want, &count, &err), &err);
    ws_pairhmm_work_destroy(work);
    ws_buf_release(&room);
}

static void input_close(input *in) {
    ws_pairhmm_text_release(&in->text);
    ws_free(in->bytes);
    free(in->want);
    free(in->read);
    free(in->hap);
    free(in->quals);
}

/* Returns whether values are the bytes of the results from `pair` on. */
static int same(const input *in, size_t pair, const double *got, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (memcmp(&got[i], &in->want[pair + i].log10, sizeof *got)) return 0;
    return 1;
}

/* Scores each region by the library. Returns whether all values are those of the program. */
static int library_agrees(const input *in, ws_pairhmm_caller *c) {
    double *got = malloc(in->text.npair * sizeof *got);
    int good = 1;
    for (size_t k = 0; k < in->text.nregion; k++) {
        const ws_pairhmm_region *g = &in->text.region[k];
        const int rc = ws_pairhmm_caller_score(c, in->read + g->read, g->R, in->hap + g->hap, g->H, got);
        good &= rc == WS_PAIRHMM_CALLER_OK && same(in, g->pair, got, g->R * g->H);
    }
    free(got);
    return good;
}

static void test_values(tap *t, const char *folder) {
    static const char *const files[] = {"tiny.in.gz", "edge.in.gz", "edge_extreme.in.gz", "edge_overflow.in.gz"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        for (int all_double = 0; all_double < 2; all_double++) {
            char path[512];
            input in;
            snprintf(path, sizeof path, "%s/%s", folder, files[f]);
            input_open(&in, path, all_double);
            /* scalar code takes seconds for edge.in; tests/lib/pairhmm.c compares it with the vectors */
            for (int w = 0; w < WS_NWIDTH - (in.text.npair > 1000); w++) {
                ws_pairhmm_caller *c = ws_pairhmm_caller_create();
                ws_pairhmm_caller_use_double(c, all_double);
                if (ws_pairhmm_caller_use_width(c, ws_width_name[w]))
                    tap_skip(t, files[f], ws_pairhmm_caller_message(c));
                else
                    tap_ok(t, library_agrees(&in, c), "%s, %s, precision %d", files[f], ws_width_name[w], all_double);
                ws_pairhmm_caller_destroy(c);
            }
            input_close(&in);
        }
}

/* ---- refusals of the library ---- */

static const uint8_t some[] = {30, 30, 30, 30, 30, 30, 30, 30};
static ws_pairhmm_caller_read read_of(const char *bases) {
    return (ws_pairhmm_caller_read){(const uint8_t *)bases, some, some, some, some, strlen(bases)};
}
static ws_pairhmm_caller_haplotype hap_of(const char *bases) {
    return (ws_pairhmm_caller_haplotype){(const uint8_t *)bases, strlen(bases)};
}

/* Scores one pair. Returns whether it is refused with this sentence and leaves the value alone. */
static int refuses(ws_pairhmm_caller *c, const ws_pairhmm_caller_read *r, const ws_pairhmm_caller_haplotype *h,
                   const char *why) {
    double value = 7;
    const int rc = ws_pairhmm_caller_score(c, r, 1, h, 1, &value);
    if (strcmp(ws_pairhmm_caller_message(c), why)) tap_note("%s", ws_pairhmm_caller_message(c));
    return rc == WS_PAIRHMM_CALLER_BAD_INPUT && value == 7 && !strcmp(ws_pairhmm_caller_message(c), why);
}

static void test_refusals(tap *t) {
    static const uint8_t wrong[] = {30, 128};
    ws_pairhmm_caller *c = ws_pairhmm_caller_create();
    ws_pairhmm_caller_read r = read_of("ACGT"), none = read_of(""), star = read_of("AC*T"), minus = read_of("AC");
    ws_pairhmm_caller_read long_read = r;
    ws_pairhmm_caller_haplotype h = hap_of("ACGT"), empty = hap_of(""), digit = hap_of("A1");
    double value = 7;
    minus.continuation = wrong;
    long_read.length = (size_t)1 << 31;
    tap_ok(t, !*ws_pairhmm_caller_message(c), "no sentence before the first fault");
    tap_ok(t, refuses(c, &none, &h, "read 0 has no bases; at least one was expected"), "a read without bases");
    tap_ok(t, refuses(c, &r, &empty, "haplotype 0 has no bases; at least one was expected"),
           "a haplotype without bases");
    tap_ok(t, refuses(c, &star, &h, "read 0, base 2: \"*\" was found, a letter was expected"),
           "a read that has no letter");
    tap_ok(t, refuses(c, &r, &digit, "haplotype 0, base 1: \"1\" was found, a letter was expected"),
           "a haplotype with a digit");
    tap_ok(t, refuses(c, &minus, &h, "read 0, base 1: the continuation quality is -128; 0 to 127 were expected"),
           "a negative quality");
    tap_ok(t, refuses(c, &long_read, &h, "read 0 has 2147483648 bases; at most 2147483647 are possible"),
           "too many bases");
    tap_ok(t, ws_pairhmm_caller_use_width(c, "sse") == WS_PAIRHMM_CALLER_BAD_INPUT &&
                  !strcmp(ws_pairhmm_caller_message(c), "there is no vector width \"sse\" in this library"),
           "an unknown width");
    tap_ok(t, ws_pairhmm_caller_score(c, &r, 0, &h, 1, &value) == 0 &&
                  ws_pairhmm_caller_score(c, &r, 1, &h, 0, &value) == 0 && value == 7,
           "no reads, no haplotypes: no values");
    tap_ok(t, ws_pairhmm_caller_score(c, &r, 1, &h, 1, &value) == 0 && value < 0, "a good call after bad ones");
    ws_pairhmm_caller_destroy(c);
    ws_pairhmm_caller_destroy(NULL);
}

/* Bytes of Java hold qualities up to 127: one base that does not match has e(q)/3 times 1 - e(continuation). */
static void test_large_qualities(tap *t) {
    static const uint8_t ten[] = {10};
    ws_pairhmm_caller *c = ws_pairhmm_caller_create();
    const ws_pairhmm_caller_haplotype h = hap_of("A");
    double most = 0, got;
    for (int q = 0; q < 128; q++) {
        const uint8_t quality = (uint8_t)q;
        const ws_pairhmm_caller_read r = {(const uint8_t *)"C", &quality, ten, ten, ten, 1};
        if (ws_pairhmm_caller_score(c, &r, 1, &h, 1, &got)) most = NAN;
        most = fmax(most, fabs(got - (-q / 10.0 - log10(3) + log10(0.9))));
    }
    tap_ok(t, most < 1e-6, "qualities from 0 to 127");
    ws_pairhmm_caller_destroy(c);
}

/* ---- a Java ---- */

typedef struct array { /* an array of objects, bytes or doubles */
    int32_t n;
    void **object;
    const uint8_t *byte;
    double *value;
} array;

typedef struct object { /* a read, or a haplotype with the first field alone */
    array *field[5];
} object;

typedef struct java {
    ws_java table; /* first: an env is the address of it */
    const char *thrown, *missing;
    char message[256];
    long references; /* local ones that are open */
} java;

static java *java_of(ws_java *env) { return (java *)(void *)env; }

static void *find_class(ws_java *env, const char *name) {
    java_of(env)->references++;
    return (void *)(uintptr_t)name;
}

static int32_t throw_new(ws_java *env, void *class, const char *message) {
    java *j = java_of(env);
    j->thrown = class;
    snprintf(j->message, sizeof j->message, "%s", message);
    return 0;
}

static void delete_local_ref(ws_java *env, void *unused) {
    (void)unused;
    java_of(env)->references--;
}

static void *get_field_id(ws_java *env, void *class, const char *name, const char *type) {
    static const char *const names[] = {"readBases", "readQuals", "insertionGOP", "deletionGOP", "overallGCP"};
    static char id[5];
    (void)class;
    if (java_of(env)->missing && !strcmp(name, java_of(env)->missing)) {
        java_of(env)->thrown = "java/lang/NoSuchFieldError";
        return NULL;
    }
    for (int i = 0; i < 5; i++)
        if (!strcmp(name, names[i])) return strcmp(type, "[B") ? NULL : &id[i];
    return &id[0];
}

static void *get_object_field(ws_java *env, void *of, void *field) {
    char *first = get_field_id(env, NULL, "readBases", "[B");
    void *found = ((object *)of)->field[(char *)field - first];
    java_of(env)->references += found != NULL;
    return found;
}

static int32_t get_array_length(ws_java *env, void *a) {
    (void)env;
    return ((array *)a)->n;
}

static void *get_object_array_element(ws_java *env, void *a, int32_t i) {
    void *found = ((array *)a)->object[i];
    java_of(env)->references += found != NULL;
    return found;
}

static void get_byte_array_region(ws_java *env, void *a, int32_t from, int32_t n, int8_t *to) {
    (void)env;
    if (n) memcpy(to, ((array *)a)->byte + from, (size_t)n);
}

static void set_double_array_region(ws_java *env, void *a, int32_t at, int32_t n, const double *from) {
    (void)env;
    if (n) memcpy(((array *)a)->value + at, from, (size_t)n * sizeof *from);
}

static uint8_t exception_check(ws_java *env) { return java_of(env)->thrown != NULL; }

static const ws_java_table functions = {.find_class = find_class,
                                        .throw_new = throw_new,
                                        .delete_local_ref = delete_local_ref,
                                        .get_field_id = get_field_id,
                                        .get_object_field = get_object_field,
                                        .get_array_length = get_array_length,
                                        .get_object_array_element = get_object_array_element,
                                        .get_byte_array_region = get_byte_array_region,
                                        .set_double_array_region = set_double_array_region,
                                        .exception_check = exception_check};

/* A call's three arrays, made of one region. */
typedef struct arguments {
    array reads, haps, values;
    object *object;
    array *bytes;
} arguments;

static void arguments_make(arguments *a, const ws_pairhmm_caller_read *read, size_t R,
                           const ws_pairhmm_caller_haplotype *hap, size_t H) {
    array *b = a->bytes = calloc(5 * R + H, sizeof *b);
    object *o = a->object = calloc(R + H, sizeof *o);
    a->reads = (array){(int32_t)R, malloc((R + 1) * sizeof(void *)), NULL, NULL};
    a->haps = (array){(int32_t)H, malloc((H + 1) * sizeof(void *)), NULL, NULL};
    a->values = (array){(int32_t)(R * H), NULL, NULL, calloc(R * H + 1, sizeof(double))};
    for (size_t r = 0; r < R; r++, o++) {
        const uint8_t *const of[] = {read[r].bases, read[r].quals, read[r].insertion, read[r].deletion,
                                     read[r].continuation};
        for (int i = 0; i < 5; i++) {
            *b = (array){(int32_t)read[r].length, NULL, of[i], NULL};
            o->field[i] = b++;
        }
        a->reads.object[r] = o;
    }
    for (size_t h = 0; h < H; h++, o++) {
        *b = (array){(int32_t)hap[h].length, NULL, hap[h].bases, NULL};
        o->field[0] = b++;
        a->haps.object[h] = o;
    }
}

static void arguments_free(arguments *a) {
    free(a->bytes);
    free(a->object);
    free(a->reads.object);
    free(a->haps.object);
    free(a->values.value);
}

/* Returns whether the call left this exception, and no reference nor value. */
static int throws(arguments *a, const char *name, const char *message) {
    java j = {.table = &functions};
    const double before = a->values.value[0] = 7;
    ws_gkl_compute(&j.table, &a->reads, &a->haps, &a->values);
    const int good = j.thrown && !strcmp(j.thrown, name) && !strcmp(j.message, message) && !j.references &&
                     a->values.value[0] == before;
    if (!good) tap_note("%s: %s", j.thrown ? j.thrown : "nothing", j.message);
    return good;
}

static void test_exceptions(tap *t) {
    static const char bad[] = "java/lang/IllegalArgumentException", null[] = "java/lang/NullPointerException";
    const ws_pairhmm_caller_read read[] = {read_of("ACGT"), read_of("ACGTAC")};
    const ws_pairhmm_caller_haplotype hap[] = {hap_of("ACGTACGT"), hap_of("ACGAACGT")};
    java j = {.table = &functions, .missing = "deletionGOP"};
    arguments a;
    arguments_make(&a, read, 2, hap, 2);
    tap_ok(t, throws(&a, "java/lang/IllegalStateException", "computeLikelihoodsNative was called before initNative"),
           "compute before init");
    ws_gkl_init(&j.table, NULL, NULL, 0, 1);
    tap_ok(t, j.thrown && throws(&a, "java/lang/IllegalStateException",
                                 "computeLikelihoodsNative was called before initNative"), "a class without the field");
    j = (java){.table = &functions};
    ws_gkl_init(&j.table, NULL, NULL, 0, 1);
    a.values.n = 3;
    tap_ok(t, throws(&a, bad, "2 reads and 2 haplotypes have 4 likelihoods; the array has room for 3"),
           "a short array");
    a.values.n = 4;
    a.bytes[7].n = 5;
    tap_ok(t, throws(&a, bad, "read 1: insertionGOP has 5 bytes, readBases has 6; the same number was expected"),
           "unequal arrays");
    a.bytes[7].n = 6;
    a.object[1].field[4] = NULL;
    tap_ok(t, throws(&a, null, "read 1: overallGCP is null"), "a field that is null");
    a.object[1].field[4] = &a.bytes[9];
    a.reads.object[0] = NULL;
    tap_ok(t, throws(&a, null, "read 0 is null"), "a read that is null");
    a.reads.object[0] = &a.object[0];
    a.object[3].field[0]->n = 0;
    tap_ok(t, throws(&a, bad, "haplotype 1 has no bases; at least one was expected"), "an empty haplotype");
    a.object[3].field[0]->n = 8;
    a.values.n = 9;
    ws_gkl_compute(&j.table, &a.reads, &a.haps, &a.values);
    tap_ok(t, !j.thrown && !j.references && a.values.value[0] < 0 && a.values.value[3] < 0,
           "a good call after bad ones, with more room than it needs");
    arguments_free(&a);
}

/* ---- threads ---- */

enum { CALLS = 300, CALLERS = 6 };

static int method_agrees(const input *in, size_t k) {
    const ws_pairhmm_region *g = &in->text.region[k];
    java j = {.table = &functions};
    arguments a;
    arguments_make(&a, in->read + g->read, g->R, in->hap + g->hap, g->H);
    ws_gkl_compute(&j.table, &a.reads, &a.haps, &a.values);
    const int good = !j.thrown && !j.references && same(in, g->pair, a.values.value, g->R * g->H);
    arguments_free(&a);
    return good;
}

static void *call_often(void *in_) {
    const input *in = in_;
    const int calls = tap_slow() ? CALLS / 10 : CALLS;
    for (int i = 0; i < calls; i++) {
        if (!method_agrees(in, (size_t)i % in->text.nregion)) return NULL;
        if (i % 40 == 0) ws_gkl_done();
    }
    return in_;
}

static void test_threads(tap *t, const char *folder) {
    java j = {.table = &functions};
    pthread_t thread[CALLERS];
    char path[512];
    input in;
    int good = 1;
    snprintf(path, sizeof path, "%s/tiny.in.gz", folder);
    input_open(&in, path, 0);
    ws_gkl_init(&j.table, NULL, NULL, 0, 1);
    for (int i = 0; i < CALLERS; i++) pthread_create(&thread[i], NULL, call_often, &in);
    for (int i = 0; i < CALLERS; i++) {
        void *done;
        pthread_join(thread[i], &done);
        good &= done != NULL;
    }
    tap_ok(t, good, "%d threads call at once", CALLERS);
    input_close(&in);
}

/* A region that is worth several threads, whose parts have odd numbers of reads. */
static void test_parts(tap *t) {
    enum { R = 333, H = 7, M = 101, N = 300 };
    static uint8_t bases[H][N], quals[R][M];
    ws_pairhmm_caller_read read[R];
    ws_pairhmm_caller_haplotype hap[H];
    static double want[R * H];
    sample s = {5};
    java j = {.table = &functions};
    arguments a;
    for (int h = 0; h < H; h++) {
        for (int i = 0; i < N; i++) bases[h][i] = (uint8_t)"ACGT"[sample_below(&s, 4)];
        hap[h] = (ws_pairhmm_caller_haplotype){bases[h], N};
    }
    for (int r = 0; r < R; r++) {
        for (int i = 0; i < M; i++) quals[r][i] = (uint8_t)(6 + sample_below(&s, 35));
        read[r] = (ws_pairhmm_caller_read){bases[r % H] + r % 200, quals[r], quals[(r + 1) % R], quals[(r + 2) % R],
                                           quals[(r + 3) % R], M - (size_t)(r % 9)};
    }
    ws_pairhmm_caller *c = ws_pairhmm_caller_create();
    ws_pairhmm_caller_score(c, read, R, hap, H, want);
    ws_pairhmm_caller_destroy(c);
    arguments_make(&a, read, R, hap, H);
    for (int threads = 1; threads < 100; threads += 33) {
        ws_gkl_init(&j.table, NULL, NULL, 0, threads);
        memset(a.values.value, 0, sizeof want);
        ws_gkl_compute(&j.table, &a.reads, &a.haps, &a.values);
        tap_ok(t, !j.thrown && !memcmp(a.values.value, want, sizeof want), "a region on up to %d threads", threads);
    }
    quals[R - 1][3] = 200;
    tap_ok(t, throws(&a, "java/lang/IllegalArgumentException",
                     "read 329, base 3: the continuation quality is -56; 0 to 127 were expected"),
           "a fault in a late part");
    arguments_free(&a);
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "tests/data/pairhmm";
    tap t = {0, 0};
    test_values(&t, folder);
    test_refusals(&t);
    test_large_qualities(&t);
    test_exceptions(&t);
    test_threads(&t, folder);
    test_parts(&t);
    ws_gkl_done();
    return tap_end(&t);
}
