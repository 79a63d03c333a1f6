/* SPDX-License-Identifier: MIT
 * Models on demand: finding the models of plain files by their headers, and reading one model from its place. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/hmm/hmmfile.h"
#include "lib/io/magic.h"
#include "lib/io/source.h"

enum {
    STEP = 256 << 10, /* bytes hashed and searched at a time; they stay in the second-level cache */
    HEADER = 2 << 10  /* most headers end within so many bytes */
};

/* A file that is searched. The finder reads the mapping once, from begin to end; ws_hmmset_load later reads models
 * from the file. */
typedef struct finder {
    ws_hmmset *set;
    size_t cap, place_cap;
    XXH3_state_t *hash;
    const char *name, *text;
    size_t n, file;
    size_t hashed; /* leading bytes that *hash has taken */
    char version;
    ws_buf copy; /* a copy of a piece, with a NUL */
} finder;

static void hash_to(finder *f, size_t at) {
    if (at > f->hashed) (void)XXH3_64bits_update(f->hash, f->text + f->hashed, at - f->hashed);
    f->hashed = ws_max(at, f->hashed);
}

/* Copies a piece of the file into the form that the parsers take. */
static int cut_out(finder *f, size_t at, size_t n, ws_hmmfile *piece, ws_err *err) {
    f->copy.n = 0;
    int rc = ws_buf_reserve(&f->copy, n + 1, err);
    if (rc != WS_OK) return rc;
    memcpy(f->copy.p, f->text + at, n);
    f->copy.p[n] = '\0';
    *piece = (ws_hmmfile){.name = f->name, .text = f->copy.p, .n = n, .bytes_before = at, .version = f->version};
    return WS_OK;
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
    const ws_hmmfile model = {.name = f->name, .text = f->text + at, .n = end - at, .bytes_before = at};
    size_t *start = NULL, n = 0;
    int rc = ws_hmmfile_check_text(&model, err);
    for (size_t take = whole ? ws_min(HEADER, end - at) : end - at; rc == WS_OK; take = end - at) {
        ws_err unused;
        if ((rc = cut_out(f, at, take, &piece, err)) != WS_OK || (rc = ws_hmmtext_split(&piece, &start, &n, err)) != WS_OK) break;
        if (n && whole && ws_hmmtext_header(&h, &piece, start[0], &unused) == WS_OK) break;
        ws_hmm_release(&h);
        if (take == end - at) {
            piece.lines_before = ws_hmmtext_lines(f->text, at);
            if (n) rc = ws_hmmtext_read(&h, &piece, start[0], err); /* fails, unless the last model lacks only its line end */
            break;
        }
        ws_free(start);
        start = NULL;
    }
    const ws_hmmplace place = {f->file, at, end - at, f->version};
    if (rc == WS_OK && n) rc = add_model(f, &h, &place, err);
    if (rc != WS_OK) ws_hmm_release(&h);
    ws_free(start);
    return rc;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Returns 1 if the slash at `at` begins a line "//" of a model that begins at `from`. */
static int ends_model(const finder *f, size_t from, size_t at) {
    size_t q = at;
    while (q > from && is_blank(f->text[q - 1])) q--;
    return at + 1 < f->n && f->text[at + 1] == '/' && (at + 2 == f->n || is_blank(f->text[at + 2]) || f->text[at + 2] == '\n') &&
           (q == from || f->text[q - 1] == '\n');
}

static int find_text(finder *f, ws_err *err) {
    size_t from = 0, at = 0;
    ws_hmmfile first = {0};
    int rc = cut_out(f, 0, ws_min(f->n, STEP), &first, err);
    if (rc == WS_OK) rc = ws_hmmfile_check_text(&first, err);
    if (rc == WS_OK) rc = ws_hmmtext_version(&first, err);
    f->version = first.version;
    while (rc == WS_OK && at < f->n) {
        const size_t step = ws_min(f->n, at - at % STEP + STEP);
        hash_to(f, step);
        const char *slash = memchr(f->text + at, '/', step - at);
        at = slash ? (size_t)(slash - f->text) : step;
        if (!slash) continue;
        if (!ends_model(f, from, at)) {
            at++;
            continue;
        }
        const char *lf = memchr(slash, '\n', f->n - at);
        at = lf ? (size_t)(lf - f->text) + 1 : f->n;
        rc = find_text_model(f, from, at, 1, err);
        from = at;
    }
    return rc == WS_OK && from < f->n ? find_text_model(f, from, f->n, 0, err) : rc;
}

/* ---- binary ---- */

static int find_binary(finder *f, ws_err *err) {
    ws_hmmfile file = {.name = f->name, .text = f->text, .n = f->n};
    size_t at = 0;
    int rc = ws_hmmbin_version(&file, err);
    while (rc == WS_OK && at < f->n) {
        ws_hmm h = {0};
        ws_hmmplace place = {.file = f->file, .at = at};
        rc = ws_hmmbin_header(&h, &file, &at, err);
        place.n = at - place.at;
        if (rc == WS_OK) rc = add_model(f, &h, &place, err);
        if (rc != WS_OK) ws_hmm_release(&h);
        hash_to(f, at);
    }
    return rc;
}

/* ---- files ---- */

/* Returns a descriptor for a regular file that begins with no mark of lib/io/magic.h: it is not compressed and has no
 * byte-order mark. Returns -1 for any other file and for one shorter than the marks, which are read as streams. */
static int open_plain(const char *path, size_t *size) {
    struct stat st;
    uint8_t begin[WS_MAGIC_MAX];
    int more;
    if (!strcmp(path, "-")) return -1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    const int plain = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0 &&
                      pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin && !ws_magic_find(begin, sizeof begin, &more);
    if (!plain) {
        close(fd);
        return -1;
    }
    *size = (size_t)st.st_size;
    return fd;
}

static int find_in_map(finder *f, ws_err *err) {
    const ws_hmmfile begin = {.text = f->text, .n = f->n};
    int rc = ws_hmmbin_detect(&begin) ? find_binary(f, err) : find_text(f, err);
    if (rc == WS_OK) hash_to(f, f->n);
    return rc;
}

/* Finds the models of one file. Models of a file that had to be read get places without bytes. */
static int find_in_file(finder *f, const char *path, int threads, ws_err *err) {
    ws_hmmset *set = f->set;
    const size_t before = set->n;
    const int fd = open_plain(path, &f->n);
    set->fd[f->file] = fd;
    f->name = ws_source_name_of(path);
    void *map = fd < 0 ? MAP_FAILED : mmap(NULL, f->n, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map != MAP_FAILED) {
        (void)madvise(map, f->n, MADV_SEQUENTIAL);
        f->text = map;
        f->hashed = 0;
        int rc = find_in_map(f, err);
        munmap(map, f->n);
        return rc;
    }
    int rc = ws_hmmset_append(set, f->hash, path, threads, err);
    f->cap = set->n;
    if (rc == WS_OK) rc = ws_grow(&set->place, &f->place_cap, set->n, sizeof *set->place, err);
    for (size_t i = before; rc == WS_OK && i < set->n; i++) set->place[i] = (ws_hmmplace){.file = f->file};
    return rc;
}

int ws_hmmset_find(ws_hmmset *set, const char *const *path, size_t npath, int threads, ws_err *err) {
    *set = (ws_hmmset){.path = path};
    finder f = {.set = set, .hash = XXH3_createState()};
    int rc = f.hash && XXH3_64bits_reset(f.hash) == XXH_OK ? WS_OK : ws_fail_nomem(err, sizeof(XXH3_state_t *));
    if (rc == WS_OK && !(set->fd = ws_calloc(npath, sizeof *set->fd, err))) rc = err->code;
    for (; rc == WS_OK && f.file < npath; f.file++) {
        set->fd[f.file] = -1;
        set->nfile = f.file + 1;
        rc = find_in_file(&f, path[f.file], threads, err);
        if (rc == WS_OK) rc = ws_hmmset_check_alphabets(set, ws_source_name_of(path[f.file]), err);
    }
    if (rc == WS_OK) set->xxh3 = XXH3_64bits_digest(f.hash);
    else ws_hmmset_release(set);
    XXH3_freeState(f.hash);
    ws_buf_release(&f.copy);
    return rc;
}

/* ---- one model ---- */

static int read_place(const ws_hmmset *set, const ws_hmmplace *p, ws_buf *text, ws_err *err) {
    const char *name = ws_source_name_of(set->path[p->file]);
    int rc = ws_buf_reserve(text, p->n + 1, err);
    if (rc != WS_OK) return rc;
    while (text->n < p->n) {
        const ssize_t got = pread(set->fd[p->file], text->p + text->n, p->n - text->n, (off_t)(p->at + text->n));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return ws_fail_errno(err, WS_EIO, "%s: reading failed", name);
        if (got == 0) return ws_fail(err, WS_EDATA, "%s: the file ends at byte %zu, but was longer before", name, p->at + text->n);
        text->n += (size_t)got;
    }
    text->p[p->n] = '\0';
    return WS_OK;
}

/* Returns the lines before a place, for messages only. */
static size_t lines_before(const ws_hmmset *set, const ws_hmmplace *p) {
    char part[4096];
    size_t lines = 0;
    for (size_t at = 0; at < p->at;) {
        const ssize_t got = pread(set->fd[p->file], part, ws_min(sizeof part, p->at - at), (off_t)at);
        if (got <= 0) break;
        lines += ws_hmmtext_lines(part, (size_t)got);
        at += (size_t)got;
    }
    return lines;
}

static int parse_text(ws_hmm *h, ws_hmmfile *f, ws_err *err) {
    size_t *start = NULL, n = 0;
    int rc = ws_hmmfile_check_text(f, err);
    if (rc == WS_OK) rc = ws_hmmtext_split(f, &start, &n, err);
    if (rc == WS_OK) rc = ws_hmmtext_read(h, f, n ? start[0] : 0, err);
    ws_free(start);
    return rc;
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
    f.lines_before = lines_before(set, p);
    return parse_text(h, &f, err);
}

int ws_hmmset_load(ws_hmmset *set, size_t i, ws_err *err) {
    ws_hmm *h = &set->hmm[i], full = {0};
    const ws_hmmplace *p = set->place ? &set->place[i] : NULL;
    ws_buf text = {0};
    if (h->mat || !p || !p->n) return WS_OK;
    int rc = read_place(set, p, &text, err);
    if (rc == WS_OK) rc = parse(&full, set, p, &text, err);
    if (rc == WS_OK && (full.M != h->M || full.abc != h->abc || strcmp(full.name, h->name) != 0))
        rc = ws_fail(err, WS_EDATA, "%s: byte %zu was the begin of model %s; the file has changed since",
                     ws_source_name_of(set->path[p->file]), p->at, h->name);
    if (rc == WS_OK) {
        ws_free(h->map);
        for (int k = 0; k < WS_NNOTE; k++) ws_free(h->note[k]);
        h->mat = full.mat;
        h->tr = full.tr;
        h->map = full.map;
        h->hash = full.hash;
        memcpy(h->compo, full.compo, sizeof h->compo);
        memcpy(h->note, full.note, sizeof h->note);
        full.mat = full.tr = NULL;
        full.map = NULL;
        memset(full.note, 0, sizeof full.note);
    }
    ws_hmm_release(&full);
    ws_buf_release(&text);
    return rc;
}
