/* SPDX-License-Identifier: MIT
 * Indexes of Easel: see lib/hmm/ssi.h. All numbers have the high byte first. */
#include "lib/hmm/ssi.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/system.h"

#define MAGIC 0xd3d3c9b3u
enum {
    OFFSET = 8,               /* bytes of an offset that is written */
    HEAD = 54 + 3 * OFFSET,   /* of the header: nine of 4 bytes, one of 2, two of 8, three offsets */
    FILE_MORE = 4 * 4,        /* of a file's record, behind its name */
    KEY_MORE = 2 + 2 * OFFSET + 8, /* of a name's record, behind it */
    LARGEST = 1 << 30         /* an index that is read */
};

/* ---- writing ---- */

int ws_ssi_add(ws_ssi_list *list, const char *name, const char *acc, uint64_t at, ws_err *err) {
    ws_ssi_key k = {.name = list->text.n, .acc = SIZE_MAX, .at = at};
    int rc = ws_grow(&list->key, &list->cap, list->n + 1, sizeof *list->key, err);
    if (!rc) rc = ws_buf_add(&list->text, name, strlen(name) + 1, err);
    if (!rc && acc) k.acc = list->text.n;
    if (!rc && acc) rc = ws_buf_add(&list->text, acc, strlen(acc) + 1, err);
    if (rc) return rc;
    list->key[list->n++] = k;
    list->nacc += acc != NULL;
    return WS_OK;
}

void ws_ssi_list_release(ws_ssi_list *list) {
    ws_buf_release(&list->text);
    ws_free(list->key);
    *list = (ws_ssi_list){0};
}

static const char *name_of(const ws_ssi_list *l, const ws_ssi_key *k) { return l->text.p + k->name; }
static const char *acc_of(const ws_ssi_list *l, const ws_ssi_key *k) { return l->text.p + k->acc; }

static int by_name(const void *a, const void *b, void *list) {
    return strcmp(name_of(list, a), name_of(list, b));
}

/* Keys without an accession come last. */
static int by_acc(const void *a_, const void *b_, void *list) {
    const ws_ssi_key *a = a_, *b = b_;
    if (a->acc == SIZE_MAX || b->acc == SIZE_MAX) return (a->acc == SIZE_MAX) - (b->acc == SIZE_MAX);
    return strcmp(acc_of(list, a), acc_of(list, b));
}

static int add_number(ws_buf *out, uint64_t v, size_t bytes, ws_err *err) {
    uint8_t b[8];
    for (size_t i = 0; i < bytes; i++) b[i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
    return ws_buf_add(out, b, bytes, err);
}

/* Adds a string that is filled up with zeros to `width` bytes. */
static int add_filled(ws_buf *out, const char *s, size_t width, ws_err *err) {
    const int rc = ws_buf_reserve(out, width, err);
    if (rc) return rc;
    memset(out->p + out->n, 0, width);
    memcpy(out->p + out->n, s, strlen(s));
    out->n += width;
    return WS_OK;
}

/* Appends the header. width: of the file's name, of names and of accessions. */
static int add_head(const ws_ssi_list *l, const size_t width[3], ws_buf *out, ws_err *err) {
    const uint64_t file = width[0] + FILE_MORE, key = width[1] + KEY_MORE, alias = width[1] + width[2];
    const uint64_t names = HEAD + file, accs = names + key * l->n;
    const struct {
        uint64_t v;
        size_t bytes;
    } part[] = {{MAGIC, 4}, {0, 4}, {OFFSET, 4}, {1, 2}, {l->n, 8}, {l->nacc, 8}, {width[0], 4}, {width[1], 4},
                {width[2], 4}, {file, 4}, {key, 4}, {alias, 4}, {HEAD, OFFSET}, {names, OFFSET}, {accs, OFFSET}};
    int rc = WS_OK;
    for (size_t i = 0; i < sizeof part / sizeof part[0] && !rc; i++)
        rc = add_number(out, part[i].v, part[i].bytes, err);
    return rc;
}

static int twice(const char *kind, const char *key, ws_err *err) {
    char q[WS_QUOTE_MAX];
    return ws_fail(err, WS_EDATA, "%s keys not unique: '%s' occurs more than once, and an index leads from each key to "
                   "one model; rename models, or take them out", kind, ws_quote(q, key, strlen(key)));
}

static int add_names(const ws_ssi_list *l, size_t width, ws_buf *out, ws_err *err) {
    int rc = WS_OK;
    ws_system_sort(l->key, l->n, sizeof *l->key, by_name, (void *)l);
    for (size_t i = 0; i < l->n && !rc; i++) {
        const char *name = name_of(l, &l->key[i]);
        if (i && strcmp(name, name_of(l, &l->key[i - 1])) == 0) return twice("primary", name, err);
        rc = add_filled(out, name, width, err);
        if (!rc) rc = add_number(out, 0, 2, err);
        if (!rc) rc = add_number(out, l->key[i].at, OFFSET, err);
        if (!rc) rc = add_number(out, 0, OFFSET, err);
        if (!rc) rc = add_number(out, 0, 8, err);
    }
    return rc;
}

static int add_accs(const ws_ssi_list *l, const size_t width[3], ws_buf *out, ws_err *err) {
    int rc = WS_OK;
    ws_system_sort(l->key, l->n, sizeof *l->key, by_acc, (void *)l);
    for (size_t i = 0; i < l->nacc && !rc; i++) {
        const char *acc = acc_of(l, &l->key[i]);
        if (i && strcmp(acc, acc_of(l, &l->key[i - 1])) == 0) return twice("secondary", acc, err);
        rc = add_filled(out, acc, width[2], err);
        if (!rc) rc = add_filled(out, name_of(l, &l->key[i]), width[1], err);
    }
    return rc;
}

int ws_ssi_write(const ws_ssi_list *list, const char *path, ws_buf *out, ws_err *err) {
    const char *slash = strrchr(path, '/'), *tail = slash ? slash + 1 : path;
    size_t width[3] = {strlen(path) + 1, 0, 0}; /* the name without its folder has the room of the whole path */
    for (size_t i = 0; i < list->n; i++) {
        const ws_ssi_key *k = &list->key[i];
        width[1] = ws_max(width[1], strlen(name_of(list, k)) + 1);
        if (k->acc != SIZE_MAX) width[2] = ws_max(width[2], strlen(acc_of(list, k)) + 1);
    }
    int rc = add_head(list, width, out, err);
    if (!rc) rc = add_filled(out, tail, width[0], err);
    if (!rc) rc = add_filled(out, "", FILE_MORE, err);
    if (!rc) rc = add_names(list, width[1], out, err);
    return rc ? rc : add_accs(list, width, out, err);
}

/* ---- reading ---- */

static uint64_t number_at(const ws_ssi *x, size_t at, size_t bytes) {
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++) v = v << 8 | (uint8_t)x->text.p[at + i];
    return v;
}

static int read_file(ws_buf *text, const char *path) {
    ws_err ignored;
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return 0;
    int good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= HEAD - 3 * 4 && st.st_size <= LARGEST &&
               ws_buf_reserve(text, (size_t)st.st_size, &ignored) == WS_OK;
    while (good && text->n < (size_t)st.st_size) {
        const ssize_t n = read(fd, text->p + text->n, (size_t)st.st_size - text->n);
        good = n > 0;
        text->n += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    return good;
}

/* Returns whether n records of `size` bytes lie in the index, and each has room for what is read of it. */
static int fits(const ws_ssi *x, size_t at, uint64_t n, size_t size, size_t least) {
    return size >= least && at <= x->text.n && n <= (x->text.n - at) / ws_max(size, 1);
}

/* Sets the members from the header. Records of another size than those that are written here are refused. */
static int understand(ws_ssi *x) {
    if (number_at(x, 0, 4) != MAGIC) return 0;
    x->offset = number_at(x, 8, 4);
    if ((x->offset != 4 && x->offset != 8) || x->text.n < 54 + 3 * x->offset) return 0;
    x->nname = number_at(x, 14, 8);
    x->nacc = number_at(x, 22, 8);
    x->namelen = number_at(x, 34, 4);
    x->acclen = number_at(x, 38, 4);
    x->names = number_at(x, 54 + x->offset, x->offset);
    x->accs = number_at(x, 54 + 2 * x->offset, x->offset);
    const size_t key = number_at(x, 46, 4), alias = number_at(x, 50, 4);
    return x->namelen > 0 && number_at(x, 12, 2) == 1 && key == x->namelen + 2 + 2 * x->offset + 8 &&
           alias == x->namelen + x->acclen && fits(x, x->names, x->nname, key, x->namelen) &&
           fits(x, x->accs, x->nacc, alias, x->nacc ? 1 : 0);
}

int ws_ssi_read(ws_ssi *x, const char *path) {
    *x = (ws_ssi){0};
    if (read_file(&x->text, path) && understand(x)) return 1;
    ws_ssi_release(x);
    return 0;
}

void ws_ssi_release(ws_ssi *x) {
    ws_buf_release(&x->text);
    *x = (ws_ssi){0};
}

/* Looks for a key among n sorted records. Returns where its record begins; SIZE_MAX: nowhere. */
static size_t search(const ws_ssi *x, const char *key, size_t at, uint64_t n, size_t size, size_t width) {
    uint64_t from = 0, to = n;
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        const char *p = x->text.p + at + middle * size;
        const int order = strncmp(key, p, width);
        if (order == 0) return (size_t)(p - x->text.p);
        if (order < 0) to = middle;
        else from = middle + 1;
    }
    return SIZE_MAX;
}

static size_t search_name(const ws_ssi *x, const char *key) {
    return search(x, key, x->names, x->nname, x->namelen + 2 + 2 * x->offset + 8, x->namelen);
}

int ws_ssi_find(const ws_ssi *x, const char *key, uint64_t *at) {
    size_t record = search_name(x, key);
    if (record == SIZE_MAX && x->nacc) {
        const size_t alias = search(x, key, x->accs, x->nacc, x->acclen + x->namelen, x->acclen);
        const char *name = alias == SIZE_MAX ? NULL : x->text.p + alias + x->acclen;
        if (name && memchr(name, '\0', x->namelen)) record = search_name(x, name);
    }
    if (record == SIZE_MAX) return 0;
    *at = number_at(x, record + x->namelen + 2, x->offset);
    return 1;
}
