/* SPDX-License-Identifier: MIT
 * Folders with the names of HMMER's programs: that of the installation, and copies that need nothing beside them: see
 * lib/run/peer.h. */
#include "lib/base/mem.h"
#include "lib/base/system.h"
#include "lib/files/interrupt.h"
#include "lib/files/temp.h"
#include "lib/run/peer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char ws_peer_mark[] = "# The interface is that of HMMER; this program is";

enum { ROOM = 256 }; /* for what follows a path of PATH_MAX bytes */
typedef char path_buf[PATH_MAX + ROOM];
static const char hidden[] = ".warpsieve.";

/* Sets path to PREFIX/libexec/warpsieve/NAME, where PREFIX/bin has this program. */
static int installed(const char *name, path_buf path, ws_err *err) {
    if (ws_system_executable(path, PATH_MAX))
        return ws_fail(err, WS_EIO, "cannot tell where this program is installed");
    for (int k = 0; k < 2; k++) { /* "/usr/bin/hmmsieve" to "/usr" */
        char *slash = strrchr(path, '/');
        if (slash) *slash = '\0';
    }
    snprintf(path + strlen(path), ROOM, "/libexec/warpsieve/%s", name);
    return WS_OK;
}

/* Sets path to FOLDER/NAME. Returns 0 if that is too long. */
static int join(path_buf path, const char *folder, const char *name) {
    return snprintf(path, sizeof(path_buf), "%s/%s", folder, name) < (int)sizeof(path_buf);
}

static int find_folder(path_buf path, ws_err *err) {
    struct stat st;
    const int rc = installed("hmmer", path, err);
    if (rc) return rc;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return ws_fail(err, WS_EIO, "there is no folder %s; make install makes it", path);
    return WS_OK;
}

int ws_peer_folder(ws_buf *out, ws_err *err) {
    path_buf path;
    const int rc = find_folder(path, err);
    return rc ? rc : ws_buf_addf(out, err, "%s\n", path);
}

/* ---- a folder of its own ---- */

typedef struct maker {
    const char *dir;       /* as the user wrote it */
    path_buf to, temp;     /* the folder, and the one beside or in it where its files are made */
    struct dirent **name;  /* of the programs */
    int nname, there;      /* whether the folder was there */
} maker;

static int is_name(const struct dirent *e) { return e->d_name[0] != '.'; }

static int has_name(const maker *m, const char *name) {
    int k = 0;
    while (k < m->nname && strcmp(m->name[k]->d_name, name) != 0) k++;
    return k < m->nname;
}

/* Returns whether a file is a program of warpsieve under a name of HMMER's. */
static int is_ours(const char *path) {
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int ours = 0;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        const size_t n = (size_t)st.st_size;
        void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
        ours = p != MAP_FAILED && memmem(p, n, ws_peer_mark, strlen(ws_peer_mark)) != NULL;
        if (p != MAP_FAILED) munmap(p, n);
    }
    if (fd >= 0) close(fd);
    return ours;
}

/* Refuses a folder that holds anything but programs of an earlier call. */
static int check_files(const maker *m, ws_err *err) {
    path_buf path;
    int rc = WS_OK;
    DIR *d = opendir(m->to);
    if (!d) return ws_fail_errno(err, WS_EIO, "cannot read the folder %s", m->dir);
    for (const struct dirent *e; !rc && (e = readdir(d)) != NULL;) {
        const char *name = e->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strncmp(name, hidden, strlen(hidden)) == 0) continue;
        if (join(path, m->to, name) && has_name(m, name) && is_ours(path)) continue;
        rc = ws_fail(err, WS_EIO,
                     "%s holds %s, which no earlier --hmmer-path=DIR made: name a new folder, or an empty one",
                     m->dir, name);
    }
    closedir(d);
    return rc;
}

/* Finds out where the folder is to be, and makes the one for its files: beside it, or in it if it is there, since
 * another file system may begin at it. */
static int begin(maker *m, ws_err *err) {
    struct stat st;
    char real[PATH_MAX];
    size_t n = strlen(m->dir);
    while (n > 1 && m->dir[n - 1] == '/') n--;
    m->there = realpath(m->dir, real) != NULL;
    if (!m->there && errno != ENOENT) return ws_fail_errno(err, WS_EIO, "cannot make the folder %s", m->dir);
    if (m->there && (stat(real, &st) != 0 || !S_ISDIR(st.st_mode)))
        return ws_fail(err, WS_EIO, "%s is there and is no folder: name a new folder, or an empty one", m->dir);
    const int length = m->there ? snprintf(m->to, sizeof m->to, "%s", real)
                                : snprintf(m->to, sizeof m->to, "%.*s", (int)ws_min(n, PATH_MAX), m->dir);
    const int most = PATH_MAX - ROOM; /* names follow */
    if (length > most) return ws_fail(err, WS_EIO, "the path of the folder has more than %d bytes", most);
    const int rc = m->there ? check_files(m, err) : WS_OK;
    if (rc) return rc;
    const char *slash = strrchr(m->to, '/');
    const int parent = slash ? (int)(slash - m->to) + 1 : 0;
    const int fits = snprintf(m->temp, sizeof m->temp, "%.*s%s%sXXXXXX", m->there ? length : parent, m->to,
                              m->there ? "/" : "", hidden) < (int)sizeof m->temp;
    if (fits && mkdtemp(m->temp)) return WS_OK;
    *m->temp = '\0';
    return ws_fail_errno(err, WS_EIO, "cannot make the folder %s", m->dir);
}

/* Copies the executable, with the rights that a new program has here. */
static int copy(const maker *m, const char *from, const char *to, mode_t mask, ws_err *err) {
    char part[1 << 16];
    ssize_t n = 0;
    int bad = 1;
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0 && errno == ENOENT)
        return ws_fail(err, WS_EIO, "there is no %s to copy: make builds it where it finds libc.a and the other "
                       "libraries as archives", from);
    if (in < 0) return ws_fail_errno(err, WS_EIO, "cannot read %s", from);
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (out >= 0) {
        bad = 0;
        while (!bad && (n = read(in, part, sizeof part)) > 0) bad = ws_temp_write(out, part, (size_t)n) != 0;
        bad |= n < 0 || fchmod(out, 0777 & ~mask) != 0 || (fsync(out) != 0 && errno != EINVAL);
    }
    const int reason = errno;
    if (out >= 0) bad |= close(out) != 0 && errno != EINTR;
    if (bad && reason) errno = reason;
    close(in);
    return bad ? ws_fail_errno(err, WS_EIO, "cannot make a program in %s", m->dir) : WS_OK;
}

/* Makes all files: one executable, and the other names as links to it, or as copies where there are no such links. */
static int fill(const maker *m, mode_t mask, ws_err *err) {
    path_buf from, first, path;
    int rc = installed("names", from, err);
    for (int k = 0; k < m->nname && !rc; k++) {
        if (!join(path, m->temp, m->name[k]->d_name)) return ws_fail(err, WS_EIO, "%s: a path is too long", m->dir);
        if (k == 0) memcpy(first, path, sizeof path);
        if (k == 0 || link(first, path) != 0) rc = copy(m, from, path, mask, err);
    }
    return rc;
}

/* Puts what was made in its place. */
static int place(maker *m, mode_t mask, ws_err *err) {
    path_buf from, to;
    if (!m->there) {
        if (chmod(m->temp, 0777 & ~mask) != 0 || rename(m->temp, m->to) != 0)
            return ws_fail_errno(err, WS_EIO, "cannot make the folder %s", m->dir);
        *m->temp = '\0';
        return WS_OK;
    }
    for (int k = 0; k < m->nname; k++) {
        const char *name = m->name[k]->d_name;
        if (!join(from, m->temp, name) || !join(to, m->to, name) || rename(from, to) != 0)
            return ws_fail_errno(err, WS_EIO, "cannot put a program into %s", m->dir);
    }
    return WS_OK;
}

/* Removes what is left of the folder where files were made. */
static void clear(const maker *m) {
    path_buf path;
    if (!*m->temp) return;
    for (int k = 0; k < m->nname; k++) {
        if (join(path, m->temp, m->name[k]->d_name)) (void)unlink(path);
    }
    (void)rmdir(m->temp);
}

int ws_peer_folder_make(const char *dir, ws_buf *out, ws_err *err) {
    maker *m = ws_calloc(1, sizeof *m, err);
    path_buf path;
    if (!m) return err->code;
    m->dir = dir;
    const mode_t mask = umask(0);
    umask(mask);
    int rc = find_folder(path, err);
    if (!rc && (m->nname = scandir(path, &m->name, is_name, alphasort)) <= 0)
        rc = ws_fail(err, WS_EIO, "%s has no programs; make install puts them there", path);
    ws_interrupt_hold();
    if (!rc) rc = begin(m, err);
    if (!rc) rc = fill(m, mask, err);
    if (!rc) rc = place(m, mask, err);
    clear(m);
    ws_interrupt_release();
    if (!rc) rc = ws_buf_addf(out, err, "%s\n", realpath(m->to, path) ? path : m->to);
    for (int k = 0; k < m->nname; k++) free(m->name[k]);
    free(m->name);
    ws_free(m);
    return rc;
}
