/* SPDX-License-Identifier: MIT
 * Reads a pressed set: the headers of .h3f when it is opened, the rows of a model when a sequence meets it, its words
 * when one has passed MSV, and the model from .h3m when one has passed Viterbi. Source: specification press.md,
 * sections 2, 3 and 6.
 *
 * Files are read with pread, not mapped: a file that is cut while it is mapped ends the process by SIGBUS, without a
 * sentence. Rows of MSV are a third of .h3f, and those of SSV follow from them. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/system.h"
#include "lib/compress/source.h"
#include "lib/hmm/hmmfile.h"
#include "lib/hmm/pressed.h"

enum {
    HEAD = 4 * sizeof(int32_t), /* number, M, alphabet, bytes of the name; then the name, a zero, and: */
    SCALARS = 4 + 3 + 4 + 2,    /* longest instance; costs of B->M, E->C, N->B; scale; base, bias */
    TAIL = WS_NEVPARAM * 4 + 3 * 8 + 20 * 4 + 4,
    GUESS = HEAD + 64 + SCALARS, /* a head with most names */
    NAME_MOST = 1 << 20,
    LOOK_AGAIN = 64, /* reads of rows between two looks whether the file is the same */
    CUT_TAIL = WS_NCUT * 2 * 4 + 4 + 4 + 4 + 4 /* of a record of .h3p: cutoffs, mode, number */
};

typedef struct ws_pressed {
    int fd, rest_fd;           /* of .h3f and .h3p */
    ws_hmmstamp was, rest_was; /* these when they were opened */
    char *model, *filter, *rest; /* names of .h3m, .h3f and .h3p */
    const char *path;          /* model, as ws_hmmset.path wants it */
    uint64_t *rows;            /* [n] where MSV's rows of a model begin in .h3f */
    uint64_t *record;          /* [n] where its record begins in .h3p */
    uint8_t *bias;             /* [n] */
    unsigned reads;            /* of rows. Atomic */
} ws_pressed;

#define MAKE_ANEW "; hmmpress -f makes the index anew"

void ws_pressed_close(ws_pressed *p) {
    if (!p) return;
    if (p->fd >= 0) close(p->fd);
    if (p->rest_fd >= 0) close(p->rest_fd);
    ws_free(p->model);
    ws_free(p->filter);
    ws_free(p->rest);
    ws_free(p->rows);
    ws_free(p->record);
    ws_free(p->bias);
    ws_free(p);
}

/* ---- finding ---- */

/* A file whose records are being read. */
typedef struct finder {
    ws_hmmset *set;
    ws_pressed *of;
    size_t cap, place_cap, rows_cap, record_cap, bias_cap;
    uint64_t at, model_end; /* where the record begins; where the models end that were found */
    ws_buf text;            /* the tail of a record and the head of the next one */
    int cut;                /* cutoffs are needed */
    uint64_t names;         /* in .h3i; 0: there is none */
    int index_is_whole;     /* .h3i has the size that its head says */
} finder;

#define bad(f, err, ...) \
    (ws_fail(err, WS_EDATA, __VA_ARGS__), \
     ws_err_prefix(err, "%s, record %zu, byte %llu: ", (f)->of->filter, (f)->set->n + 1, \
                   (unsigned long long)(f)->at), WS_EDATA)

static int32_t int_at(const char *p) {
    int32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static float float_at(const char *p) {
    float v;
    memcpy(&v, p, sizeof v);
    return v;
}

static size_t rows_bytes(const ws_hmm *h) {
    return (size_t)h->abc->Kp * ws_striped_vectors(h->M) * WS_STRIPED_VECTOR;
}

/* Returns the bytes of SSV's rows, which repeat 17 vectors behind their end. */
static size_t ssv_bytes(const ws_hmm *h) {
    return rows_bytes(h) + (size_t)h->abc->Kp * WS_PRESSED_MORE * WS_STRIPED_VECTOR;
}

static int take_sizes(finder *f, ws_hmm *h, const char *p, ws_err *err) {
    const int32_t M = int_at(p + 4), type = int_at(p + 8);
    const int64_t left = f->of->was.size - (int64_t)f->at;
    if ((uint32_t)int_at(p) != WS_PRESSED_FILTER)
        return bad(f, err, "found %08x where a record begins, expected %08x" MAKE_ANEW, (unsigned)int_at(p),
                   WS_PRESSED_FILTER);
    if (type != WS_ABC_AMINO && type != WS_ABC_DNA && type != WS_ABC_RNA)
        return bad(f, err, "alphabet number %d; RNA (1), DNA (2) and amino (3) are known" MAKE_ANEW, (int)type);
    h->abc = ws_abc_get((ws_abc_type)type);
    if (M < 1 || M > left / (2 * h->abc->Kp))
        return bad(f, err, "the model length is %d, but %lld bytes are left" MAKE_ANEW, (int)M, (long long)left);
    h->M = M;
    return WS_OK;
}

static int take_name(const finder *f, ws_hmm *h, const char *p, size_t n, ws_err *err) {
    if (memchr(p, '\0', n) || p[n] != '\0') return bad(f, err, "the name does not end where it says" MAKE_ANEW);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)p[i] <= ' ') return bad(f, err, "a blank in the name, expected one word" MAKE_ANEW);
    h->name = ws_strndup(p, n, err);
    return h->name ? WS_OK : err->code;
}

/* Takes what follows from M alone, which must be as this program computes it, and the bias. */
static int take_scalars(const finder *f, ws_hmm *h, const char *p, uint8_t *bias, ws_err *err) {
    ws_bytes b = {.M = h->M};
    ws_lenmodel lm;
    const uint8_t *u = (const uint8_t *)p;
    ws_bytes_set_entry(&b);
    ws_lenmodel_set(&lm, WS_PRESSED_L);
    h->maxl = int_at(p) > 0 ? int_at(p) : 0;
    *bias = u[12];
    if (u[4] == b.tbm && u[5] == b.tec && u[6] == lm.tjb && float_at(p + 7) == WS_BYTE_SCALE && u[11] == WS_BYTE_BASE)
        return WS_OK;
    return bad(f, err, "the costs of entry, end and length are not those of a local profile of %d nodes" MAKE_ANEW,
               h->M);
}

/* Takes the E-value parameters, the places and the composition behind the rows. */
static int take_tail(finder *f, ws_hmm *h, const char *p, ws_pressed_place *place, ws_err *err) {
    memcpy(h->evparam, p, sizeof h->evparam);
    memcpy(place, p + sizeof h->evparam, sizeof *place);
    memcpy(h->compo, p + sizeof h->evparam + sizeof *place, sizeof h->compo);
    if ((uint32_t)int_at(p + TAIL - 4) != WS_PRESSED_FILTER)
        return bad(f, err, "found %08x where the record ends, expected %08x" MAKE_ANEW, (unsigned)int_at(p + TAIL - 4),
                   WS_PRESSED_FILTER);
    h->calibrated = h->evparam[WS_MMU] != WS_EVPARAM_UNSET;
    for (int i = WS_MLAMBDA; i <= WS_FLAMBDA && h->calibrated; i += WS_VLAMBDA - WS_MLAMBDA)
        if (!(h->evparam[i] > 0))
            return bad(f, err, "a lambda is %g, expected more than 0" MAKE_ANEW, (double)h->evparam[i]);
    for (int i = 0; i < WS_NEVPARAM && h->calibrated; i++)
        if (isnan(h->evparam[i])) return bad(f, err, "an E-value parameter is no number" MAKE_ANEW);
    for (int x = 0; x < 20; x++)
        if (!(h->compo[x] >= 0 && h->compo[x] <= WS_PROB_MAX))
            return bad(f, err, "found %g where a probability was expected (composition)" MAKE_ANEW,
                       (double)h->compo[x]);
    if (place->filter != f->at)
        return bad(f, err, "it says that it begins at byte %llu" MAKE_ANEW, (unsigned long long)place->filter);
    if (f->set->n ? place->model <= f->model_end : place->model != 0)
        return bad(f, err, "its model is said to begin at byte %llu of %s, not behind the one before" MAKE_ANEW,
                   (unsigned long long)place->model, f->of->model);
    return WS_OK;
}

/* Reads the cutoffs in front of the end of a record of .h3p. */
static int take_cutoffs(const finder *f, ws_hmm *h, uint64_t end, ws_err *err) {
    char p[CUT_TAIL];
    const char *rest = f->of->rest;
    const int rc = ws_hmmfile_read_to(f->of->rest_fd, rest, end - CUT_TAIL, CUT_TAIL, p, err);
    if (rc) return rc;
    if ((uint32_t)int_at(p + CUT_TAIL - 4) != WS_PRESSED_REST)
        return ws_fail(err, WS_EDATA, "%s: the record of model %s does not end at byte %llu, as %s says" MAKE_ANEW,
                       rest, h->name, (unsigned long long)end, f->of->filter);
    memcpy(h->cut, p, sizeof h->cut);
    for (int i = 0; i < WS_NCUT; i++) {
        if (!isfinite(h->cut[i][0]) || !isfinite(h->cut[i][1]))
            return ws_fail(err, WS_EDATA, "%s: a cutoff of model %s is no number" MAKE_ANEW, rest, h->name);
        h->has_cut[i] = h->cut[i][0] != WS_CUT_UNSET;
    }
    return WS_OK;
}

/* Ends the model before, of which now is known where it ends in both files. */
static int end_model(finder *f, uint64_t model_end, uint64_t rest_end, ws_err *err) {
    ws_hmmset *set = f->set;
    if (!set->n) return WS_OK;
    const uint64_t rest = f->of->record[set->n - 1];
    set->place[set->n - 1].n = model_end - set->place[set->n - 1].at;
    if (rest_end > (uint64_t)f->of->rest_was.size || rest_end < rest + CUT_TAIL)
        return ws_fail(err, WS_EDATA, "%s: model %s should have bytes %llu to %llu of %lld, as %s says" MAKE_ANEW,
                       f->of->rest, set->hmm[set->n - 1].name, (unsigned long long)rest, (unsigned long long)rest_end,
                       (long long)f->of->rest_was.size, f->of->filter);
    return f->cut ? take_cutoffs(f, &set->hmm[set->n - 1], rest_end, err) : WS_OK;
}

/* Makes room for models, at first for as many as .h3i says, so that no array moves. */
static int make_room(finder *f, ws_err *err) {
    ws_hmmset *set = f->set;
    const uint64_t most = (uint64_t)f->of->was.size / (HEAD + SCALARS + TAIL);
    const size_t n = set->n ? set->n + 1 : ws_max(1, (size_t)(f->names < most ? f->names : most));
    int rc = ws_grow(&set->hmm, &f->cap, n, sizeof *set->hmm, err);
    if (!rc) rc = ws_grow(&set->place, &f->place_cap, n, sizeof *set->place, err);
    if (!rc) rc = ws_grow(&f->of->rows, &f->rows_cap, n, sizeof *f->of->rows, err);
    if (!rc) rc = ws_grow(&f->of->record, &f->record_cap, n, sizeof *f->of->record, err);
    return rc ? rc : ws_grow(&f->of->bias, &f->bias_cap, n, sizeof *f->of->bias, err);
}

static int add(finder *f, const ws_hmm *h, const ws_pressed_place *place, uint64_t rows, uint8_t bias, ws_err *err) {
    ws_hmmset *set = f->set;
    int rc = end_model(f, place->model, place->rest, err);
    if (!rc) rc = make_room(f, err);
    if (rc) return rc;
    set->place[set->n] = (ws_hmmplace){.at = place->model};
    f->of->rows[set->n] = rows;
    f->of->record[set->n] = place->rest;
    f->of->bias[set->n] = bias;
    set->hmm[set->n++] = *h;
    f->model_end = place->model;
    return WS_OK;
}

/* Reads bytes of .h3f, as many as there are up to n. *got: how many. */
static int read_some(const finder *f, uint64_t at, size_t n, ws_buf *to, ws_err *err) {
    to->n = 0;
    n = ws_min(n, (uint64_t)f->of->was.size - at);
    return ws_hmmfile_read(f->of->fd, f->of->filter, at, n, to, err);
}

/* Reads the record at f->at, of whose head f->text has some at `from`. Leaves there the tail and what follows. */
static int find_one(finder *f, size_t *from, ws_err *err) {
    ws_hmm h = {0};
    ws_pressed_place place;
    uint8_t bias = 0;
    const size_t have = f->text.n - *from;
    const int32_t named = have >= HEAD ? int_at(f->text.p + *from + 12) : 0;
    if (have < HEAD || named < 1 || named > NAME_MOST)
        return bad(f, err, "%zu bytes and a name of %d bytes are no record" MAKE_ANEW, have, (int)named);
    const size_t head = HEAD + (size_t)named + 1 + SCALARS;
    int rc = WS_OK;
    if (have < head) {
        rc = read_some(f, f->at, head, &f->text, err);
        *from = 0;
    }
    if (!rc && f->text.n - *from < head) return bad(f, err, "the file ends inside the record" MAKE_ANEW);
    const char *p = f->text.p + *from;
    if (!rc) rc = take_sizes(f, &h, p, err);
    if (!rc) rc = take_name(f, &h, p + HEAD, (size_t)named, err);
    if (!rc) rc = take_scalars(f, &h, p + HEAD + named + 1, &bias, err);
    if (!rc) {
        const uint64_t rows = f->at + head + ssv_bytes(&h), tail = rows + rows_bytes(&h);
        if (tail + TAIL > (uint64_t)f->of->was.size) rc = bad(f, err, "the file ends inside the record" MAKE_ANEW);
        if (!rc) rc = read_some(f, tail, TAIL + GUESS, &f->text, err);
        if (!rc) rc = take_tail(f, &h, f->text.p, &place, err);
        if (!rc) rc = add(f, &h, &place, rows, bias, err);
        if (!rc) f->at = tail + TAIL;
        *from = TAIL;
    }
    if (rc) ws_hmm_release(&h);
    return rc;
}

/* Checks that the last model is the last one of .h3m. */
static int check_end(finder *f, ws_err *err) {
    ws_hmmset *set = f->set;
    const ws_hmmplace *p = &set->place[set->n - 1];
    ws_hmm h = {0};
    size_t at = 0;
    ws_err unused;
    f->text.n = 0;
    int rc = ws_hmmfile_read(set->fd[0], f->of->model, p->at, p->n, &f->text, err);
    ws_hmmfile file = {.name = f->of->model, .text = f->text.p, .n = p->n, .bytes_before = p->at};
    if (rc) return rc;
    int good = ws_hmmbin_version(&file, &unused) == WS_OK && ws_hmmbin_header(&h, &file, &at, &unused) == WS_OK;
    good = good && at == p->n && !strcmp(h.name, set->hmm[set->n - 1].name);
    ws_hmm_release(&h);
    if (good) return WS_OK;
    return ws_fail(err, WS_EDATA,
                   "%s: its last record is of model %s, which is not the last one of %s: the files do not belong "
                   "together" MAKE_ANEW, f->of->filter, set->hmm[set->n - 1].name, f->of->model);
}

/* Returns the bytes of the 16-bit form of a model, and those of the form of singles. */
static size_t words_bytes(const ws_hmm *h) {
    const size_t lanes = WS_STRIPED_VECTOR / sizeof(int16_t), rows = (size_t)h->abc->Kp + WS_NPTRANS;
    return rows * WS_STRIPED_VECTOR * ws_max(2, ((size_t)h->M + lanes - 1) / lanes);
}

static size_t odds_bytes(const ws_hmm *h) {
    const size_t lanes = WS_STRIPED_VECTOR / sizeof(float), rows = (size_t)h->abc->Kp + WS_NPTRANS;
    return rows * WS_STRIPED_VECTOR * ws_max(2, ((size_t)h->M + lanes - 1) / lanes);
}

/* Returns where a record of .h3p has its 16-bit form; NULL if it is not of this model, or of another size. n: its bytes
 * without the form of singles, of which so many are at p. */
static const char *form_of(const ws_hmm *h, const char *p, size_t n) {
    /* specials of words, three scalars; specials of singles, cutoffs, mode, number */
    enum { BESIDE = 8 * 2 + 12 + 8 * 4 + CUT_TAIL };
    const size_t named = strlen(h->name), notes = 4 * ((size_t)h->M + 2);
    size_t at = HEAD + named + 1;
    if (at + 4 > n || (uint32_t)int_at(p) != WS_PRESSED_REST || int_at(p + 4) != h->M ||
        int_at(p + 8) != (int32_t)h->abc->type || int_at(p + 12) != (int32_t)named ||
        memcmp(p + HEAD, h->name, named + 1) != 0)
        return NULL;
    for (int text = 0; text < 2; text++) { /* accession, description */
        const int32_t length = int_at(p + at);
        if (length < 0 || (size_t)length > n || at + (size_t)length + 9 > n) return NULL;
        at += 4 + (length ? (size_t)length + 1 : 0);
    }
    return at + notes + words_bytes(h) + BESIDE == n ? p + at + notes : NULL;
}

/* Reads the record of model i in .h3p but for its end. *form: where in `text` its 16-bit form is. */
static int read_form(const ws_hmmset *set, size_t i, ws_buf *text, const char **form, ws_err *err) {
    const ws_pressed *p = set->pressed;
    const ws_hmm *h = &set->hmm[i];
    const uint64_t end = i + 1 < set->n ? p->record[i + 1] : (uint64_t)p->rest_was.size;
    const uint64_t n = end - p->record[i], odds = odds_bytes(h);
    text->n = 0;
    int rc = n < odds ? WS_OK : ws_hmmfile_read(p->rest_fd, p->rest, p->record[i], n - odds, text, err);
    if (!rc) rc = ws_hmmfile_unchanged(p->rest_fd, p->rest, &p->rest_was, err);
    *form = !rc ? form_of(h, text->p, text->n) : NULL;
    if (rc || *form) return rc;
    return ws_fail(err, WS_EDATA, "%s: bytes %llu to %llu are no record of model %s, as %s says" MAKE_ANEW, p->rest,
                   (unsigned long long)p->record[i], (unsigned long long)end, h->name, p->filter);
}

/* Checks that the last record of .h3p is one, up to the end of the file. */
static int check_rest(finder *f, ws_err *err) {
    const char *form;
    return read_form(f->set, f->set->n - 1, &f->text, &form, err);
}

static int find_all(finder *f, ws_err *err) {
    ws_hmmset *set = f->set;
    size_t from = 0;
    int rc = read_some(f, 0, GUESS, &f->text, err);
    if (!rc && !f->text.n) return ws_fail(err, WS_EDATA, "%s: the file is empty" MAKE_ANEW, f->of->filter);
    while (!rc && f->at < (uint64_t)f->of->was.size) rc = find_one(f, &from, err);
    if (!rc && f->model_end >= (uint64_t)set->was[0].size)
        return ws_fail(err, WS_EDATA,
                       "%s: the last model should begin at byte %llu, but the file has %lld: it does not belong to %s"
                       MAKE_ANEW, f->of->model, (unsigned long long)f->model_end,
                       (long long)set->was[0].size, f->of->filter);
    if (!rc) rc = end_model(f, (uint64_t)set->was[0].size, (uint64_t)f->of->rest_was.size, err);
    if (!rc && f->names && f->names != set->n)
        return ws_fail(err, WS_EDATA, "%s: it has %zu models, but its .h3i has %llu names" MAKE_ANEW, f->of->filter,
                       set->n, (unsigned long long)f->names);
    if (!rc && f->names && !f->index_is_whole)
        return ws_fail(err, WS_EDATA, "%s: the head of its .h3i does not say what an index of that size has" MAKE_ANEW,
                       f->of->model);
    if (!rc) rc = check_end(f, err);
    if (!rc) rc = check_rest(f, err);
    if (!rc) rc = ws_hmmset_check_alphabets(set, f->of->filter, err);
    if (!rc) rc = ws_hmmfile_unchanged(f->of->fd, f->of->filter, &f->of->was, err);
    return rc ? rc : ws_hmmfile_unchanged(set->fd[0], f->of->model, &set->was[0], err);
}

/* ---- files ---- */

/* Returns a descriptor for PATH with an ending, and its name; -1 if there is no such regular file. */
static int open_part(const char *path, const char *ending, char **name, ws_err *err) {
    struct stat st;
    ws_buf text = {0};
    if (ws_buf_addf(&text, err, "%s%s", path, ending)) return -1; /* with its sentence */
    *name = text.p;
    if (stat(text.p, &st) != 0 || !S_ISREG(st.st_mode)) return -1;
    return open(text.p, O_RDONLY | O_CLOEXEC);
}

/* Returns whether PATH is there and was written after .h3f. */
static int is_younger(const char *path, const ws_hmmstamp *filter) {
    struct stat st;
    if (stat(path, &st) != 0) return 0;
    const struct timespec last = ws_system_written(&st);
    return last.tv_sec != filter->seconds ? last.tv_sec > filter->seconds : last.tv_nsec > filter->nanoseconds;
}

static int open_set(ws_hmmset *set, const char *path, ws_err *err) {
    ws_pressed *p = set->pressed = ws_calloc(1, sizeof *p, err);
    if (!p) return err->code;
    p->fd = p->rest_fd = -1;
    if (!(set->fd = ws_calloc(1, sizeof *set->fd, err))) return err->code;
    set->fd[0] = -1;
    set->nfile = 1;
    if (!(set->was = ws_calloc(1, sizeof *set->was, err))) return err->code;
    set->fd[0] = open_part(path, ".h3m", &p->model, err);
    p->path = p->model;
    set->path = &p->path;
    if (set->fd[0] >= 0) p->fd = open_part(path, ".h3f", &p->filter, err);
    if (p->fd >= 0) p->rest_fd = open_part(path, ".h3p", &p->rest, err);
    if (p->rest_fd < 0) return err->code;
    int rc = ws_hmmfile_stamp(set->fd[0], p->model, &set->was[0], err);
    if (!rc) rc = ws_hmmfile_stamp(p->fd, p->filter, &p->was, err);
    return rc ? rc : ws_hmmfile_stamp(p->rest_fd, p->rest, &p->rest_was, err);
}

static uint64_t number_at(const uint8_t *p, size_t at, size_t bytes) {
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++) v = v << 8 | p[at + i];
    return v;
}

/* Returns how many names .h3i has; 0 without one. *is_whole: its head is one of an index of that size. */
static uint64_t count_names(const char *path, int *is_whole, ws_err *err) {
    enum { INDEX = 78, NAMES = 14, ACCS = 22, SIZES = 42, PLACES = 54 }; /* press.md, section 4 */
    uint8_t p[INDEX];
    char *name = NULL;
    uint64_t n = 0;
    struct stat st;
    const int fd = open_part(path, ".h3i", &name, err);
    *is_whole = 0;
    if (fd >= 0 && pread(fd, p, sizeof p, 0) == (ssize_t)sizeof p && fstat(fd, &st) == 0) {
        n = number_at(p, NAMES, 8);
        uint64_t at = INDEX, count[] = {1, n, number_at(p, ACCS, 8)};
        int good = number_at(p, 0, 4) == 0xd3d3c9b3u && number_at(p, 8, 4) == 8 && number_at(p, 12, 2) == 1;
        for (size_t k = 0; k < 3 && good; k++) {
            good = number_at(p, PLACES + 8 * k, 8) == at && count[k] <= (uint64_t)st.st_size;
            at += count[k] * number_at(p, SIZES + 4 * k, 4);
        }
        *is_whole = good && at == (uint64_t)st.st_size;
    }
    if (fd >= 0) close(fd);
    ws_free(name);
    return n;
}

int ws_hmmset_find_pressed(ws_hmmset *set, const char *path, int cut, int *state, ws_err *err) {
    *set = (ws_hmmset){0};
    *state = WS_PRESSED_NONE;
    if (ws_source_is_stdin(path)) return WS_OK;
    err->code = WS_OK;
    int rc = open_set(set, path, err);
    if (!rc && set->pressed->rest_fd >= 0)
        *state = is_younger(path, &set->pressed->was) ? WS_PRESSED_OLD : WS_PRESSED_FOUND;
    if (*state == WS_PRESSED_FOUND) {
        finder f = {.set = set, .of = set->pressed, .cut = cut};
        f.names = count_names(path, &f.index_is_whole, err);
        rc = err->code ? err->code : find_all(&f, err);
        ws_buf_release(&f.text);
    }
    if (rc || *state != WS_PRESSED_FOUND) ws_hmmset_release(set);
    return rc;
}

int ws_hmmset_hash_pressed(ws_hmmset *set, const char *path, ws_err *err) {
    ws_source *source = NULL;
    XXH3_state_t *hash = XXH3_createState();
    struct stat st;
    int rc = hash && XXH3_64bits_reset(hash) == XXH_OK ? WS_OK : ws_fail_nomem(err, sizeof hash);
    if (!rc) rc = ws_source_open(&source, stat(path, &st) == 0 ? path : set->pressed->model, err);
    while (!rc) {
        const uint8_t *p;
        size_t n;
        rc = ws_source_next(source, -1, &p, &n, err);
        if (!rc) (void)XXH3_64bits_update(hash, p, n);
    }
    if (rc == WS_EOF) rc = WS_OK;
    if (!rc) set->xxh3 = XXH3_64bits_digest(hash);
    ws_source_close(source);
    XXH3_freeState(hash);
    return rc;
}

/* ---- one model ---- */

int ws_pressed_striped(const ws_hmmset *set, size_t i, void *room, int all, ws_striped *out, ws_err *err) {
    const ws_pressed *p = set->pressed;
    const ws_hmm *h = &set->hmm[i];
    uint8_t *cost = room;
    *out = (ws_striped){.bytes = {.M = h->M, .Kp = h->abc->Kp, .bias = p->bias[i]}, .nq = ws_striped_vectors(h->M),
                        .ncode = all ? h->abc->Kp : h->abc->K, .cost = cost};
    ws_bytes_set_entry(&out->bytes);
    memcpy(out->compo, h->compo, sizeof out->compo);
    const size_t n = (size_t)out->ncode * out->nq * WS_STRIPED_VECTOR;
    int rc = ws_hmmfile_read_to(p->fd, p->filter, p->rows[i], n, cost, err);
    if (!rc && __atomic_fetch_add(&set->pressed->reads, 1, __ATOMIC_RELAXED) % LOOK_AGAIN == 0)
        rc = ws_pressed_unchanged(set, err);
    return rc;
}

int ws_pressed_unchanged(const ws_hmmset *set, ws_err *err) {
    const ws_pressed *p = set->pressed;
    return p ? ws_hmmfile_unchanged(p->fd, p->filter, &p->was, err) : WS_OK;
}

/* Undoes the stripes of words: nq vectors, each `step` bytes behind the one before. Returns what is behind them. */
static const char *take_words(const char *from, int16_t *to, size_t M, size_t nq, size_t step) {
    enum { LANES = WS_STRIPED_VECTOR / sizeof(int16_t) };
    for (size_t q = 0; q < nq; q++) {
        int16_t v[LANES];
        memcpy(v, from + q * step, sizeof v);
        for (size_t z = 0; z < LANES && q + z * nq < M; z++) to[q + z * nq] = v[z];
    }
    return from + (nq - 1) * step + WS_STRIPED_VECTOR;
}

/* Takes transitions and emissions of the 16-bit form. */
static int take_form(const ws_hmm *h, const char *p, ws_words *w, ws_err *err) {
    static const struct {
        ws_ptrans t;
        size_t back; /* the node before has it */
    } order[] = {{WS_PBM, 0}, {WS_PMM, 1}, {WS_PIM, 1}, {WS_PDM, 1}, {WS_PMD, 0}, {WS_PMI, 0}, {WS_PII, 0}};
    enum { BESIDE = sizeof order / sizeof *order, LANES = WS_STRIPED_VECTOR / sizeof(int16_t) };
    const size_t M = (size_t)h->M, row = M + 1, nq = ws_max(2, (M + LANES - 1) / LANES);
    *w = (ws_words){.M = h->M, .Kp = h->abc->Kp};
    int rc = (w->emit = ws_calloc((size_t)w->Kp * row, sizeof *w->emit, err)) ? WS_OK : err->code;
    for (int t = 0; t < WS_NPTRANS && !rc; t++) {
        if (!(w->tr[t] = ws_calloc(row, sizeof *w->tr[t], err))) rc = err->code;
        else w->tr[t][0] = w->tr[t][M] = INT16_MIN;
    }
    if (rc) {
        ws_words_destroy(w);
        return rc;
    }
    for (size_t i = 0; i < BESIDE; i++)
        (void)take_words(p + i * WS_STRIPED_VECTOR, w->tr[order[i].t] + 1 - order[i].back, M, nq,
                         BESIDE * WS_STRIPED_VECTOR);
    p = take_words(p + BESIDE * nq * WS_STRIPED_VECTOR, w->tr[WS_PDD] + 1, M, nq, WS_STRIPED_VECTOR);
    for (size_t x = 0; x < (size_t)w->Kp; x++) {
        w->emit[x * row] = INT16_MIN;
        p = take_words(p, w->emit + x * row + 1, M, nq, WS_STRIPED_VECTOR);
    }
    return WS_OK;
}

/* Checks that no transition gains: one that does would let deletions carry on without end. */
static int check_transitions(const ws_pressed *p, const ws_hmm *h, const ws_words *w, ws_err *err) {
    for (int t = 0; t < WS_NPTRANS; t++)
        for (int k = 0; k <= w->M; k++)
            if (w->tr[t][k] > 0)
                return ws_fail(err, WS_EDATA, "%s: a transition of model %s, node %d, is %d, expected at most 0"
                               MAKE_ANEW, p->rest, h->name, k, w->tr[t][k]);
    return WS_OK;
}

int ws_pressed_words(ws_hmmset *set, size_t i, ws_words *out, ws_err *err) {
    const ws_hmm *h = &set->hmm[i];
    const char *form;
    ws_buf *text = ws_hmmset_take_text(set, err);
    if (!text) return err->code;
    int rc = read_form(set, i, text, &form, err);
    if (!rc) rc = take_form(h, form, out, err);
    ws_hmmset_give_text(set, text);
    if (rc) return rc;
    rc = check_transitions(set->pressed, h, out, err);
    if (rc) ws_words_destroy(out);
    return rc;
}

/* Compares the rows of single residues with those of the model's own emissions. */
static int same_rows(const ws_hmmset *set, size_t i, const ws_hmm *full, int *same, ws_err *err) {
    const size_t room = ws_striped_room(full->M, full->abc), K = (size_t)full->abc->K;
    ws_striped a, b;
    int valid;
    char *of = ws_alloc(2 * room, err), *own = of + room;
    if (!of) return err->code;
    memcpy(ws_striped_mat(own) + K, full->mat + K, (size_t)full->M * K * sizeof *full->mat);
    int rc = ws_pressed_striped(set, i, of, 0, &a, err);
    if (!rc) rc = ws_striped_of(&b, full->M, full->abc, own, 0, 0, &valid, err);
    if (!rc)
        *same = valid && a.bytes.bias == b.bytes.bias && !memcmp(a.cost, b.cost, K * a.nq * WS_STRIPED_VECTOR);
    ws_free(of);
    return rc;
}

int ws_pressed_check(const ws_hmmset *set, size_t i, const ws_hmm *full, ws_err *err) {
    const ws_hmm *h = &set->hmm[i];
    int same = full->M == h->M && full->abc == h->abc && !strcmp(full->name, h->name) &&
               full->calibrated == h->calibrated && !memcmp(full->evparam, h->evparam, sizeof h->evparam) &&
               !memcmp(full->compo, h->compo, (size_t)h->abc->K * sizeof *h->compo);
    const int rc = same ? same_rows(set, i, full, &same, err) : WS_OK;
    if (rc || same) return rc;
    return ws_fail(err, WS_EDATA, "%s: what it has of model %s, record %zu, is not what %s has at byte %zu" MAKE_ANEW,
                   set->pressed->filter, h->name, i + 1, set->pressed->model, set->place[i].at);
}
