/* SPDX-License-Identifier: MIT
 * GKL's native methods: arrays of Java are copied, scored on several threads where that pays, and copied back. */
#include "bin/gkl/gkl.h"
#include "lib/base/freelist.h"
#include "lib/base/parallel_for.h"
#include "lib/base/system.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { NFIELD = 5, HAP_FIELD = NFIELD, MOST_THREADS = 64 };
static const char *const field_name[] = {"readBases", "readQuals", "insertionGOP", "deletionGOP", "overallGCP",
                                         "haplotypeBases"};

/* This is what initNative said. Java's fields stay valid as long as their class is loaded. */
static struct {
    void *_Atomic field[NFIELD + 1];
    atomic_int all_double, threads;
} said;

static void destroy_caller(void *c) { ws_pairhmm_caller_destroy(c); }
static ws_freelist idle = {.lock = PTHREAD_MUTEX_INITIALIZER, .destroy = destroy_caller};

/* ---- exceptions ---- */

/* Leaves an exception with the sentence of *err in env, unless one is pending. */
static void throw(ws_java *env, const ws_err *err) {
    const char *name = err->code == WS_ENOMEM   ? "java/lang/OutOfMemoryError"
                       : err->code == WS_EUSAGE ? "java/lang/IllegalStateException"
                                                : "java/lang/IllegalArgumentException";
    if ((*env)->exception_check(env)) return;
    void *class = (*env)->find_class(env, name);
    if (!class) return; /* Java has left an exception */
    (*env)->throw_new(env, class, err->text);
    (*env)->delete_local_ref(env, class);
}

/* Throws what Java itself throws for a null reference. Returns WS_EDATA. */
static int throw_null(ws_java *env, ws_err *err) {
    void *class = (*env)->find_class(env, "java/lang/NullPointerException");
    if (class) {
        (*env)->throw_new(env, class, err->text);
        (*env)->delete_local_ref(env, class);
    }
    return WS_EDATA;
}

void ws_gkl_init(ws_java *env, void *read_class, void *hap_class, int all_double, int threads) {
    void *field[NFIELD + 1];
    for (int i = 0; i <= HAP_FIELD; i++) {
        field[i] = (*env)->get_field_id(env, i == HAP_FIELD ? hap_class : read_class, field_name[i], "[B");
        if (!field[i]) return; /* with NoSuchFieldError */
    }
    for (int i = 0; i <= HAP_FIELD; i++) said.field[i] = field[i];
    const int cores = ws_system_cores(), most = cores < MOST_THREADS ? cores : MOST_THREADS;
    said.threads = threads < 1 ? 1 : threads < most ? threads : most;
    said.all_double = all_double;
}

/* ---- a call ---- */

/* A call's data in memory of its own. Each read has five arrays of m bytes, one after the other. */
typedef struct call {
    ws_java *env;
    ws_buf bytes;
    ws_pairhmm_caller_read *read;
    ws_pairhmm_caller_haplotype *hap;
    double *log10;
    size_t R, H, nparts;
    int all_double;
} call;

static void release(call *c) {
    ws_buf_release(&c->bytes);
    ws_free(c->read);
    ws_free(c->hap);
    ws_free(c->log10);
}

/* Appends the bytes of a field of an object, and sets *n to their number. `what` and `number` name the object. */
static int take_field(call *c, void *object, int field, const char *what, size_t number, size_t *n, ws_err *err) {
    ws_java *env = c->env;
    void *array = (*env)->get_object_field(env, object, said.field[field]);
    if (!array) {
        (void)ws_fail(err, WS_EDATA, "%s %zu: %s is null", what, number, field_name[field]);
        return throw_null(env, err);
    }
    *n = (size_t)(*env)->get_array_length(env, array);
    int rc = ws_buf_reserve(&c->bytes, *n, err);
    if (!rc) (*env)->get_byte_array_region(env, array, 0, (int32_t)*n, (int8_t *)c->bytes.p + c->bytes.n);
    (*env)->delete_local_ref(env, array);
    if (!rc) c->bytes.n += *n;
    return rc;
}

static int take_read(call *c, void *object, size_t r, ws_err *err) {
    size_t n;
    int rc = take_field(c, object, 0, "read", r, &c->read[r].length, err);
    for (int i = 1; i < NFIELD && !rc; i++) {
        rc = take_field(c, object, i, "read", r, &n, err);
        if (!rc && n != c->read[r].length)
            rc = ws_fail(err, WS_EDATA, "read %zu: %s has %zu bytes, readBases has %zu; the same number was expected",
                         r, field_name[i], n, c->read[r].length);
    }
    return rc;
}

static int take_hap(call *c, void *object, size_t h, ws_err *err) {
    return take_field(c, object, HAP_FIELD, "haplotype", h, &c->hap[h].length, err);
}

/* Takes all objects of an array. Each local reference is given back at once, since Java keeps few. */
static int take_all(call *c, void *array, size_t n, const char *what,
                    int (*take)(call *c, void *object, size_t i, ws_err *err), ws_err *err) {
    ws_java *env = c->env;
    int rc = WS_OK;
    for (size_t i = 0; i < n && !rc; i++) {
        void *object = (*env)->get_object_array_element(env, array, (int32_t)i);
        if (!object) {
            (void)ws_fail(err, WS_EDATA, "%s %zu is null", what, i);
            return throw_null(env, err);
        }
        rc = take(c, object, i, err);
        (*env)->delete_local_ref(env, object);
    }
    return rc;
}

/* Points reads and haplotypes into the bytes, which move no more. */
static void point(call *c) {
    const unsigned char *p = (const unsigned char *)c->bytes.p;
    for (size_t r = 0; r < c->R; r++) {
        const size_t m = c->read[r].length;
        c->read[r] = (ws_pairhmm_caller_read){p, p + m, p + 2 * m, p + 3 * m, p + 4 * m, m};
        p += NFIELD * m;
    }
    for (size_t h = 0; h < c->H; h++) {
        c->hap[h].bases = p;
        p += c->hap[h].length;
    }
}

static int take_call(call *c, void *reads, void *haps, void *likelihoods, ws_err *err) {
    ws_java *env = c->env;
    const size_t room = (size_t)(*env)->get_array_length(env, likelihoods);
    c->R = (size_t)(*env)->get_array_length(env, reads);
    c->H = (size_t)(*env)->get_array_length(env, haps);
    if (c->R * c->H > room) /* both below 2^31 */
        return ws_fail(err, WS_EDATA, "%zu reads and %zu haplotypes have %zu likelihoods; the array has room for %zu",
                       c->R, c->H, c->R * c->H, room);
    if (!(c->read = ws_calloc(c->R, sizeof *c->read, err)) || !(c->hap = ws_calloc(c->H, sizeof *c->hap, err)) ||
        !(c->log10 = ws_alloc(c->R * c->H * sizeof *c->log10, err)))
        return WS_ENOMEM;
    int rc = take_all(c, reads, c->R, "read", take_read, err);
    if (!rc) rc = take_all(c, haps, c->H, "haplotype", take_hap, err);
    if (!rc) point(c);
    return rc;
}

/* ---- threads ---- */

/* A thread of its own pays from some half a millisecond on, and a part of few reads leaves lanes of a vector empty. */
enum { PART_CELLS = 4000000, PART_READS = 32, PARTS_OF_THREAD = 4 };

static size_t parts_of(const call *c, int threads) {
    double rows = 0, columns = 0;
    for (size_t r = 0; r < c->R; r++) rows += (double)c->read[r].length;
    for (size_t h = 0; h < c->H; h++) columns += (double)c->hap[h].length;
    const double cells = rows * columns / PART_CELLS, most = (double)threads * PARTS_OF_THREAD;
    const size_t parts = (size_t)(cells < most ? cells : most);
    return threads > 1 ? ws_max(1, ws_min(parts, c->R / PART_READS)) : 1;
}

static int score_part(void *call_, size_t i, ws_err *err) {
    const call *c = call_;
    const size_t first = i * c->R / c->nparts, next = (i + 1) * c->R / c->nparts;
    const ws_gkl_part part = {.read = c->read, .hap = c->hap, .first = first, .nread = next - first, .nhap = c->H,
                              .log10 = c->log10};
    ws_pairhmm_caller *caller = ws_freelist_take(&idle);
    if (!caller) caller = ws_pairhmm_caller_create();
    if (!caller) return ws_fail(err, WS_ENOMEM, "out of memory for another thread");
    ws_pairhmm_caller_use_double(caller, c->all_double);
    const int rc = ws_gkl_score(caller, &part, err);
    ws_freelist_give(&idle, caller);
    return rc;
}

void ws_gkl_compute(ws_java *env, void *reads, void *haps, void *likelihoods) {
    call c = {.env = env, .all_double = said.all_double};
    ws_err err = {0};
    const int threads = said.threads;
    int rc = threads ? take_call(&c, reads, haps, likelihoods, &err)
                     : ws_fail(&err, WS_EUSAGE, "computeLikelihoodsNative was called before initNative");
    if (!rc) {
        c.nparts = parts_of(&c, threads);
        rc = ws_parallel_for(c.nparts, threads, score_part, &c, &err);
    }
    if (rc) throw(env, &err);
    else (*env)->set_double_array_region(env, likelihoods, 0, (int32_t)(c.R * c.H), c.log10);
    release(&c);
}

void ws_gkl_done(void) {
    for (ws_pairhmm_caller *c; (c = ws_freelist_take(&idle));) ws_pairhmm_caller_destroy(c);
}
