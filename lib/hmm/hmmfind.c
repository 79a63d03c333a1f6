/* SPDX-License-Identifier: MIT
 * Models on demand: finding the models of plain files by their headers, and reading one model from its place. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/system.h"
#include "lib/hmm/hmmfile.h"
#include "lib/compress/magic.h"
#include "lib/compress/source.h"

enum {
    STEP = 256 << 10, /* bytes read, hashed and searched at a time; they stay in the second-level cache */
    HEADER = 2 << 10  /* most headers end within so many bytes */
};

/* A file that is searched. The finder reads it once, from begin to end, into one window that moves over it. */
typedef struct finder {
    ws_hmmset *set;
    size_t cap, place_cap;
    XXH3_state_t *hash, *model; /* of all files; of the model that is being found, up to `hashed` of its file */
    size_t hashed;
    const char *name;
    int fd;
    size_t n, file;  /* bytes in it; its index */
    ws_buf window;   /* bytes from `begin` on, a NUL behind them */
    size_t begin;
    char version;
    ws_buf copy;     /* a piece of the file, with a NUL */
} finder;

int ws_hmmfile_read_to(int fd, const char *name, size_t at, size_t n, void *to, ws_err *err) {
    for (char *p = to; n > 0;) {
        const ssize_t got = pread(fd, p, n, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return ws_fail_errno(err, WS_EIO, "%s: reading failed", name);
        if (got == 0)
            return ws_fail(err, WS_EDATA, "%s: the file ends at byte %zu now, but was longer before", name, at);
        p += got;
        at += (size_t)got;
        n -= (size_t)got;
    }
    return WS_OK;
}

int ws_hmmfile_read(int fd, const char *name, size_t at, size_t n, ws_buf *to, ws_err *err) {
    int rc = ws_buf_reserve(to, n + 1, err);
    if (rc == WS_OK) rc = ws_hmmfile_read_to(fd, name, at, n, to->p + to->n, err);
    if (rc != WS_OK) return rc;
    to->n += n;
    to->p[to->n] = '\0';
    return WS_OK;
}

int ws_hmmfile_stamp(int fd, const char *name, ws_hmmstamp *stamp, ws_err *err) {
    struct stat st;
    if (fstat(fd, &st) != 0) return ws_fail_errno(err, WS_EIO, "%s: reading failed", name);
    const struct timespec last = ws_system_written(&st);
    *stamp = (ws_hmmstamp){st.st_size, last.tv_sec, last.tv_nsec};
    return WS_OK;
}

int ws_hmmfile_unchanged(int fd, const char *name, const ws_hmmstamp *was, ws_err *err) {
    ws_hmmstamp now;
    const int rc = ws_hmmfile_stamp(fd, name, &now, err);
    if (rc != WS_OK || !memcmp(&now, was, sizeof now)) return rc;
    return ws_fail(err, WS_EDATA, "%s: the file has changed while its models were read; run again", name);
}

/* Returns the lines before a place of a file, for messages only. */
static size_t lines_before(int fd, size_t end) {
    char part[4096];
    size_t lines = 0;
    for (size_t at = 0; at < end;) {
        const ssize_t got = pread(fd, part, ws_min(sizeof part, end - at), (off_t)at);
        if (got <= 0) break;
        lines += ws_hmmtext_lines(part, (size_t)got);
        at += (size_t)got;
    }
    return lines;
}

static int has_ended(const finder *f) { return f->begin + f->window.n == f->n; }

/* Hashes the model that is being found up to a place in the window. */
static void hash_to(finder *f, size_t end) {
    if (end <= f->hashed) return;
    (void)XXH3_64bits_update(f->model, f->window.p + (f->hashed - f->begin), end - f->hashed);
    f->hashed = end;
}

/* Returns the hash of the model that ends there. The next one begins. */
static uint64_t end_hash(finder *f, size_t end) {
    hash_to(f, end);
    const uint64_t hash = XXH3_64bits_digest(f->model);
    (void)XXH3_64bits_reset(f->model);
    return hash;
}

/* Moves the window on: drops its first bytes, and reads and hashes more behind the others. */
static int move_window(finder *f, size_t drop, ws_err *err) {
    ws_buf *w = &f->window;
    hash_to(f, f->begin + drop);
    if (drop) memmove(w->p, w->p + drop, w->n - drop); /* at first there is no memory yet */
    w->n -= drop;
    f->begin += drop;
    const size_t had = w->n, at = f->begin + had;
    int rc = ws_hmmfile_read(f->fd, f->name, at, ws_min(STEP, f->n - at), w, err);
    if (rc == WS_OK) (void)XXH3_64bits_update(f->hash, w->p + had, w->n - had);
    return rc;
}

/* Copies a piece of the file into the form that the parsers take. */
static int cut_out(finder *f, size_t at, size_t n, ws_hmmfile *piece, ws_err *err) {
    f->copy.n = 0;
    int rc = ws_hmmfile_read(f->fd, f->name, at, n, &f->copy, err);
    if (rc == WS_OK)
        *piece = (ws_hmmfile){.name = f->name, .text = f->copy.p, .n = n, .bytes_before = at, .version = f->version};
    return rc;
}

static int add_model(finder *f, const ws_hmm *h, const ws_hmmplace *place, ws_err *err) {
    ws_hmmset *set = f->set;
    int rc = ws_grow(&set->hmm, &f->cap, set->n + 1, sizeof *set->hmm, err);
    if (rc == WS_OK) rc = ws_grow(&set->place, &f->place_cap, set->n + 1, sizeof *set->place, err);
    if (rc != WS_OK) return rc;
    set->place[set->n] = *place;
    set->hmm[set->n++] = *h;
    return WS_OK;
}

/* ---- text ---- */

/* Reads the header of a piece that ends with a line "//" or at the end of the file. A piece that is no whole model,
 * or no model, goes to the full parser, whose sentence says what is wrong. */
static int find_text_model(finder *f, size_t at, size_t end, int whole, ws_err *err) {
    ws_hmm h = {0};
    ws_hmmfile piece;
    size_t *start = NULL, n = 0;
    int rc = WS_OK;
    for (size_t take = whole ? ws_min(HEADER, end - at) : end - at; rc == WS_OK; take = end - at) {
        ws_err unused;
        if ((rc = cut_out(f, at, take, &piece, err)) != WS_OK || (rc = ws_hmmfile_check_text(&piece, err)) != WS_OK)
            break;
        if ((rc = ws_hmmtext_split(&piece, &start, &n, err)) != WS_OK) break;
        if (n && whole && ws_hmmtext_header(&h, &piece, start[0], &unused) == WS_OK) break;
        ws_hmm_release(&h);
        if (take == end - at) {
            piece.lines_before = lines_before(f->fd, at);
            /* fails, unless the last model lacks only its line end */
            if (n) rc = ws_hmmtext_read(&h, &piece, start[0], err);
            break;
        }
        ws_free(start);
        start = NULL;
    }
    const ws_hmmplace place = {
        .file = f->file, .at = at, .n = end - at, .xxh3 = end_hash(f, end), .version = f->version};
    if (rc == WS_OK && n) rc = add_model(f, &h, &place, err);
    if (rc != WS_OK) ws_hmm_release(&h);
    ws_free(start);
    return rc;
}

/* Returns 1 if the slash at `at` of a text that begins with a line is the first of a line "//". A NUL is behind the
 * text. */
static int ends_model(const char *text, size_t at) {
    const char *next = text + at + 1;
    size_t q = at;
    while (q > 0 && ws_hmmtext_is_blank(text[q - 1])) q--;
    return next[0] == '/' && ws_hmmtext_is_end(next[1]) && (q == 0 || text[q - 1] == '\n');
}

/* Finds the models that end within the first n bytes of the window, which are whole lines. *from: where the next model
 * begins. */
static int find_in_lines(finder *f, size_t n, size_t *from, ws_err *err) {
    const char *text = f->window.p, *slash, *lf;
    int rc = WS_OK;
    for (size_t at = 0; rc == WS_OK && (slash = memchr(text + at, '/', n - at)) != NULL;) {
        at = (size_t)(slash - text) + 1;
        if (!ends_model(text, at - 1)) continue;
        lf = memchr(slash, '\n', n - at + 1);
        at = lf ? (size_t)(lf - text) + 1 : n;
        rc = find_text_model(f, *from, f->begin + at, 1, err);
        *from = f->begin + at;
    }
    return rc;
}

static int find_text(finder *f, ws_err *err) {
    const ws_hmmfile start = {.name = f->name, .text = f->window.p, .n = f->window.n};
    ws_hmmfile first = start;
    size_t from = 0;
    int rc = ws_hmmfile_check_text(&first, err);
    if (rc == WS_OK) rc = ws_hmmtext_version(&first, err);
    f->version = first.version;
    while (rc == WS_OK) {
        const char *lf = ws_system_last(f->window.p, '\n', f->window.n);
        const size_t lines = has_ended(f) ? f->window.n : lf ? (size_t)(lf - f->window.p) + 1 : 0;
        rc = find_in_lines(f, lines, &from, err);
        if (has_ended(f)) break;
        if (rc == WS_OK) rc = ws_hmmfile_check_line(f->name, f->begin + lines, f->window.n - lines, err);
        if (rc == WS_OK) rc = move_window(f, lines, err);
    }
    return rc == WS_OK && from < f->n ? find_text_model(f, from, f->n, 0, err) : rc;
}

/* ---- binary ---- */

static int find_binary(finder *f, ws_err *err) {
    ws_hmmfile file = {.name = f->name, .text = f->window.p, .n = f->window.n};
    size_t at = 0;
    int rc = ws_hmmbin_version(&file, err);
    while (rc == WS_OK && !(has_ended(f) && at == f->window.n)) {
        ws_hmm h = {0};
        ws_hmmplace place = {.file = f->file, .at = f->begin + at};
        const size_t end = f->begin + f->window.n;
        file = (ws_hmmfile){.name = f->name,
                            .text = f->window.p,
                            .n = f->window.n,
                            .more = f->n - end,
                            .bytes_before = f->begin,
                            .version = file.version};
        rc = ws_hmmbin_header(&h, &file, &at, err);
        place.n = f->begin + at - place.at;
        if (rc == WS_OK) place.xxh3 = end_hash(f, place.at + place.n);
        if (rc == WS_OK) rc = add_model(f, &h, &place, err);
        if (rc != WS_OK) ws_hmm_release(&h);
        if (rc != WS_AGAIN) continue;
        rc = move_window(f, at, err);
        at = 0;
    }
    return rc;
}

/* ---- files ---- */

/* Returns a descriptor for a regular file that begins with no mark of lib/compress/magic.h: it is not compressed, and
 * has no byte-order mark. Returns -1 for any other file and for one shorter than the marks, which are read as
 * streams. */
static int open_plain(const char *path, struct stat *st) {
    uint8_t begin[WS_MAGIC_MAX];
    int more;
    /* a named pipe is opened once: its writer would take a second opening for a new reader */
    if (!strcmp(path, "-") || stat(path, st) != 0 || !S_ISREG(st->st_mode)) return -1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    const int plain = fstat(fd, st) == 0 && S_ISREG(st->st_mode) && lseek(fd, 0, SEEK_CUR) == 0 &&
                      pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin &&
                      !ws_magic_find(begin, sizeof begin, &more);
    if (!plain) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Finds the models of one file. Models of a file that had to be read get places without bytes. */
static int find_in_file(finder *f, const char *path, int threads, ws_err *err) {
    ws_hmmset *set = f->set;
    const size_t before = set->n;
    f->name = ws_source_name_of(path);
    struct stat st;
    ws_hmmstamp *was = &set->was[f->file];
    f->fd = set->fd[f->file] = open_plain(path, &st);
    f->n = f->fd >= 0 ? (size_t)st.st_size : 0;
    f->window.n = f->begin = f->hashed = 0;
    (void)XXH3_64bits_reset(f->model);
    if (f->fd >= 0) {
        const struct timespec last = ws_system_written(&st);
        *was = (ws_hmmstamp){st.st_size, last.tv_sec, last.tv_nsec};
        int rc = move_window(f, 0, err);
        const ws_hmmfile start = {.text = f->window.p, .n = f->window.n};
        if (rc == WS_OK) rc = ws_hmmbin_detect(&start) ? find_binary(f, err) : find_text(f, err);
        return rc == WS_OK ? ws_hmmfile_unchanged(f->fd, f->name, was, err) : rc;
    }
    int rc = ws_hmmset_append(set, f->hash, path, threads, err);
    f->cap = set->n;
    if (rc == WS_OK) rc = ws_grow(&set->place, &f->place_cap, set->n, sizeof *set->place, err);
    for (size_t i = before; rc == WS_OK && i < set->n; i++) set->place[i] = (ws_hmmplace){.file = f->file};
    return rc;
}

int ws_hmmset_find(ws_hmmset *set, const char *const *path, size_t npath, int threads, ws_err *err) {
    *set = (ws_hmmset){.path = path};
    finder f = {.set = set, .hash = XXH3_createState(), .model = XXH3_createState()};
    int rc = f.hash && f.model && XXH3_64bits_reset(f.hash) == XXH_OK ? WS_OK
                                                                      : ws_fail_nomem(err, sizeof(XXH3_state_t *));
    if (rc == WS_OK && !(set->fd = ws_calloc(npath, sizeof *set->fd, err))) rc = err->code;
    if (rc == WS_OK && !(set->was = ws_calloc(npath, sizeof *set->was, err))) rc = err->code;
    for (; rc == WS_OK && f.file < npath; f.file++) {
        set->fd[f.file] = -1;
        set->nfile = f.file + 1;
        rc = find_in_file(&f, path[f.file], threads, err);
        if (rc == WS_OK) rc = ws_hmmset_check_alphabets(set, ws_source_name_of(path[f.file]), err);
    }
    if (rc == WS_OK) set->xxh3 = XXH3_64bits_digest(f.hash);
    else ws_hmmset_release(set);
    XXH3_freeState(f.hash);
    XXH3_freeState(f.model);
    ws_buf_release(&f.window);
    ws_buf_release(&f.copy);
    return rc;
}

/* ---- one model ---- */

/* Takes one of the buffers that the set keeps for the text of a model, or makes one. A model's text is some 200 KB;
 * memory that is used again costs no new pages. Returns NULL and a sentence without memory. */
ws_buf *ws_hmmset_take_text(ws_hmmset *set, ws_err *err) {
    ws_buf *b = NULL;
    for (int i = 0; i < WS_HMMSET_TEXTS && !b; i++) b = __atomic_exchange_n(&set->text[i], NULL, __ATOMIC_ACQ_REL);
    if (!b) b = ws_calloc(1, sizeof *b, err);
    if (b) b->n = 0;
    return b;
}

void ws_hmmset_give_text(ws_hmmset *set, ws_buf *b) {
    for (int i = 0; i < WS_HMMSET_TEXTS && b; i++) b = __atomic_exchange_n(&set->text[i], b, __ATOMIC_ACQ_REL);
    if (b) ws_buf_release(b);
    ws_free(b);
}

static int parse_text(ws_hmm *h, const ws_hmmfile *f, ws_err *err) {
    int rc = ws_hmmfile_check_text(f, err);
    return rc == WS_OK ? ws_hmmtext_read(h, f, 0, err) : rc;
}

static int parse(ws_hmm *h, const ws_hmmset *set, const ws_hmmplace *p, const ws_buf *text, ws_err *err) {
    ws_hmmfile f = {.name = ws_source_name_of(set->path[p->file]), .text = text->p, .n = p->n, .bytes_before = p->at,
                    .version = p->version};
    size_t at = 0;
    if (!p->version) {
        int rc = ws_hmmbin_version(&f, err);
        return rc == WS_OK ? ws_hmmbin_read(h, &f, &at, err) : rc;
    }
    if (parse_text(h, &f, err) == WS_OK) return WS_OK;
    ws_hmm_release(h);
    f.lines_before = lines_before(set->fd[p->file], p->at);
    return parse_text(h, &f, err);
}

/* Reads the bytes of a found model and compares them with what they were: of pressed models the file as a whole. */
static int read_again(const ws_hmmset *set, const ws_hmm *h, const ws_hmmplace *p, ws_buf *text, ws_err *err) {
    const char *name = ws_source_name_of(set->path[p->file]);
    const int rc = ws_hmmfile_read(set->fd[p->file], name, p->at, p->n, text, err);
    if (rc == WS_OK && set->pressed) return ws_hmmfile_unchanged(set->fd[p->file], name, &set->was[p->file], err);
    if (rc == WS_EDATA || (rc == WS_OK && XXH3_64bits(text->p, p->n) != p->xxh3))
        return ws_fail(err, WS_EDATA, "%s: the file has changed since it was opened: bytes %zu to %zu, model %s, are "
                       "not what they were; run again", name, p->at, p->at + p->n, h->name);
    return rc;
}

/* Moves the tables and the annotation of a model. */
static void move_tables(ws_hmm *h, ws_hmm *full) {
    ws_free(h->map);
    for (int k = 0; k < WS_NNOTE; k++) ws_free(h->note[k]);
    h->mat = full->mat;
    h->tr = full->tr;
    h->map = full->map;
    h->hash = full->hash;
    __atomic_store_n(&h->further, full->further, __ATOMIC_RELAXED);
    if (memcmp(h->compo, full->compo, sizeof h->compo)) memcpy(h->compo, full->compo, sizeof h->compo);
    memcpy(h->note, full->note, sizeof h->note);
    full->mat = full->tr = NULL;
    full->map = NULL;
    memset(full->note, 0, sizeof full->note);
}

/* Moves the parts of the header that a pressed set's finder does not see; once, since other threads may read them. */
static void move_header(ws_hmm *h, ws_hmm *full) {
    if (h->acc || h->desc) return;
    h->acc = full->acc;
    h->desc = full->desc;
    full->acc = full->desc = NULL;
    h->nseq = full->nseq;
    h->cksum = full->cksum;
    if (!memcmp(h->has_cut, full->has_cut, sizeof h->has_cut)) return; /* they were read from .h3p */
    memcpy(h->cut, full->cut, sizeof h->cut);
    memcpy(h->has_cut, full->has_cut, sizeof h->has_cut);
}

int ws_hmmset_load(ws_hmmset *set, size_t i, ws_err *err) {
    ws_hmm *h = &set->hmm[i], full = {0};
    const ws_hmmplace *p = set->place ? &set->place[i] : NULL;
    if (h->mat || !p || !p->n) return WS_OK;
    ws_buf *text = ws_hmmset_take_text(set, err);
    int rc = text ? read_again(set, h, p, text, err) : err->code;
    if (rc == WS_OK) rc = parse(&full, set, p, text, err);
    if (rc == WS_OK && set->pressed) rc = ws_pressed_check(set, i, &full, err);
    if (rc == WS_OK && set->pressed) move_header(h, &full);
    if (rc == WS_OK) move_tables(h, &full);
    ws_hmm_release(&full);
    ws_hmmset_give_text(set, text);
    return rc;
}

/* ---- what SSV and MSV need of one model ---- */

/* Reads match emissions into a room; the composition is known. */
static int emissions_of_binary(const ws_hmmset *set, size_t i, void *room, ws_err *err) {
    enum { HEAD = 16 }; /* the number, flags, M, alphabet */
    const ws_hmm *h = &set->hmm[i];
    const ws_hmmplace *p = &set->place[i];
    const char *name = ws_source_name_of(set->path[p->file]);
    const size_t K = (size_t)h->abc->K;
    const int rc = ws_hmmfile_read_to(set->fd[p->file], name, p->at + HEAD, (size_t)h->M * K * sizeof(float),
                                      ws_striped_mat(room) + K, err);
    return rc ? rc : ws_hmmfile_unchanged(set->fd[p->file], name, &set->was[p->file], err);
}

/* Does the same for a text. *valid: whether it is as it should be. */
static int emissions_of_text(ws_hmmset *set, size_t i, void *room, float *compo, int *valid, ws_err *err) {
    const ws_hmm *h = &set->hmm[i];
    const ws_hmmplace *p = &set->place[i];
    ws_buf *text = ws_hmmset_take_text(set, err);
    const int rc = text ? read_again(set, h, p, text, err) : err->code;
    const ws_hmmfile f = {.name = "", .text = rc ? NULL : text->p, .n = p->n, .version = p->version};
    if (!rc) *valid = !memchr(text->p, '\0', p->n) && ws_hmmtext_match(h, &f, ws_striped_mat(room), compo);
    ws_hmmset_give_text(set, text);
    return rc;
}

/* Does the same with the whole parser, which refuses what is wrong, and takes what is odd. */
static int emissions_of_all(ws_hmmset *set, size_t i, void *room, float *compo, ws_err *err) {
    ws_hmm full = {0};
    ws_buf *text = ws_hmmset_take_text(set, err);
    int rc = text ? read_again(set, &set->hmm[i], &set->place[i], text, err) : err->code;
    if (!rc) rc = parse(&full, set, &set->place[i], text, err);
    if (!rc) {
        const size_t K = (size_t)full.abc->K;
        memcpy(ws_striped_mat(room) + K, full.mat + K, (size_t)full.M * K * sizeof *full.mat);
        memcpy(compo, full.compo, sizeof full.compo);
        __atomic_store_n(&set->hmm[i].further, full.further, __ATOMIC_RELAXED);
    }
    ws_hmm_release(&full);
    ws_hmmset_give_text(set, text);
    return rc;
}

int ws_hmmset_striped(ws_hmmset *set, size_t i, void *room, int all, ws_striped *out, ws_err *err) {
    const ws_hmm *h = &set->hmm[i];
    const int is_text = set->place[i].version != 0;
    float compo[20] = {0};
    int valid = 1, rc;
    if (set->pressed) return ws_pressed_striped(set, i, room, all, out, err);
    if (!is_text) memcpy(compo, h->compo, sizeof compo);
    rc = is_text ? emissions_of_text(set, i, room, compo, &valid, err) : emissions_of_binary(set, i, room, err);
    if (!rc && valid) rc = ws_striped_of(out, h->M, h->abc, room, is_text, all, &valid, err);
    if (!rc && !valid) {
        rc = emissions_of_all(set, i, room, compo, err);
        if (!rc) rc = ws_striped_of(out, h->M, h->abc, room, 0, all, &valid, err);
    }
    if (!rc) memcpy(out->compo, compo, sizeof compo);
    return rc;
}
