/* SPDX-License-Identifier: MIT
 * Writes models as text, HMMER3/f. Nearly all of it are probabilities, so these have code of their own. */
#include "lib/hmm/hmmwrite.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- probabilities ---- */

enum { WIDTH = 9 }; /* characters of a probability with the blank before it */

/* Writes the value as " %8.5f". A product of a single and 10^5 is exact in double, so rounding it to even, as the C
 * library rounds the exact decimal, gives the same digits. Returns the end. */
static char *put_value(char *p, float v) {
    if (!(v >= 0.0f && v < 99.0f) || signbit(v)) return p + sprintf(p, " %8.5f", (double)v);
    unsigned n = (unsigned)lrint((double)v * 1e5);
    for (int i = WIDTH - 1; i > 0; i--) {
        const int shown = i > WIDTH - 8 || n; /* up to the digit before the point */
        p[i] = i == WIDTH - 6 ? '.' : shown ? (char)('0' + n % 10) : ' ';
        if (i != WIDTH - 6) n /= 10;
    }
    p[0] = ' ';
    return p + WIDTH;
}

/* Writes n probabilities as negative logarithms. logf is the C library's: the digits of the file depend on it. */
static char *put_probabilities(char *p, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (x[i] == 0.0f) {
            memcpy(p, "        *", WIDTH);
            p += WIDTH;
        } else if (x[i] == 1.0f) {
            p = put_value(p, 0.0f);
        } else {
            p = put_value(p, -logf(x[i]));
        }
    }
    return p;
}

/* Bytes that n values take at most: a value out of the ordinary is below 10^39, or "nan". */
static size_t room_for(size_t n) { return n * 48 + 64; }

static int add_values(ws_buf *out, const char *before, const float *x, size_t n, ws_err *err) {
    const size_t length = strlen(before);
    int rc = ws_buf_reserve(out, room_for(n) + length, err);
    if (rc) return rc;
    char *p = out->p + out->n;
    memcpy(p, before, length);
    p = put_probabilities(p + length, x, n);
    *p++ = '\n';
    out->n = (size_t)(p - out->p);
    return WS_OK;
}

/* ---- header ---- */

static const char *yes_no(const void *present) { return present ? "yes" : "no"; }

/* Fails for a name that readers would take for another line, or for none. */
static int check_name(const char *name, ws_err *err) {
    char q[WS_QUOTE_MAX];
    const char *p = name;
    while (*p == ' ' || *p == '\t') p++;
    if (!*p || *p == '#')
        return ws_fail(err, WS_EDATA, "the name \"%s\" of a model %s, so no program could read the model",
                       ws_quote(q, name, strlen(name)), *p ? "begins with '#'" : "is empty");
    while (*p && !iscntrl((unsigned char)*p)) p++;
    if (!*p) return WS_OK;
    return ws_fail(err, WS_EDATA, "the name \"%s\" of a model has a control character, which would break its line",
                   ws_quote(q, name, strlen(name)));
}

/* Adds the log of commands, a numbered line each. */
static int add_log(const char *log, ws_buf *out, ws_err *err) {
    int rc = WS_OK, more = 1;
    for (int n = 1; more && !rc; n++) {
        const size_t length = strcspn(log, "\n");
        rc = ws_buf_addf(out, err, "COM   [%d] ", n);
        if (!rc) rc = ws_buf_add(out, log, length, err);
        if (!rc) rc = ws_buf_adds(out, "\n", err);
        more = log[length] && log[length + 1];
        log += length + 1;
    }
    return rc;
}

static int add_names(const ws_hmm *h, const char *date, ws_buf *out, ws_err *err) {
    int rc = check_name(h->name, err);
    if (!rc) rc = ws_buf_addf(out, err, "NAME  %s\n", h->name);
    if (!rc && h->acc) rc = ws_buf_addf(out, err, "ACC   %s\n", h->acc);
    if (!rc && h->desc) rc = ws_buf_addf(out, err, "DESC  %s\n", h->desc);
    if (!rc) rc = ws_buf_addf(out, err, "LENG  %d\n", h->M);
    if (!rc && h->maxl > 0) rc = ws_buf_addf(out, err, "MAXL  %d\n", h->maxl);
    if (!rc)
        rc = ws_buf_addf(out, err, "ALPH  %s\nRF    %s\nMM    %s\nCONS  %s\nCS    %s\nMAP   %s\n", h->abc->name,
                         yes_no(h->note[WS_NOTE_RF]), yes_no(h->note[WS_NOTE_MM]), yes_no(h->note[WS_NOTE_CONS]),
                         yes_no(h->note[WS_NOTE_CS]), yes_no(h->map));
    if (!rc && date) rc = ws_buf_addf(out, err, "DATE  %s\n", date);
    if (!rc && h->made->comlog) rc = add_log(h->made->comlog, out, err);
    if (!rc && h->made->from_sequence) rc = ws_buf_adds(out, "COM   [1] [HMM created from a query sequence]\n", err);
    return rc;
}

static int add_numbers(const ws_hmm *h, ws_buf *out, ws_err *err) {
    static const char *const cut[WS_NCUT] = {[WS_CUT_GA] = "GA", [WS_CUT_TC] = "TC", [WS_CUT_NC] = "NC"};
    static const char *const stats[] = {"MSV", "VITERBI", "FORWARD"};
    int rc = WS_OK;
    if (h->nseq > 0) rc = ws_buf_addf(out, err, "NSEQ  %d\n", h->nseq);
    if (!rc && h->made->effn >= 0.0f) rc = ws_buf_addf(out, err, "EFFN  %f\n", (double)h->made->effn);
    if (!rc && h->made->has_checksum) rc = ws_buf_addf(out, err, "CKSUM %u\n", h->made->checksum);
    for (int c = 0; !rc && c < WS_NCUT; c++) {
        if (!h->has_cut[c]) continue;
        if (h->abc->type == WS_ABC_AMINO)
            rc = ws_buf_addf(out, err, "%s    %.2f %.2f\n", cut[c], (double)h->cut[c][0], (double)h->cut[c][1]);
        else
            rc = ws_buf_addf(out, err, "%s    %.2f\n", cut[c], (double)h->cut[c][0]);
    }
    for (int i = 0; !rc && h->calibrated && i < 3; i++)
        rc = ws_buf_addf(out, err, "STATS LOCAL %-8s %8.4f %8.5f\n", stats[i], (double)h->evparam[2 * i],
                         (double)h->evparam[2 * i + 1]);
    return rc;
}

/* ---- nodes ---- */

static int add_letters(const ws_hmm *h, ws_buf *out, ws_err *err) {
    int rc = ws_buf_adds(out, "HMM     ", err);
    for (int x = 0; !rc && x < h->abc->K; x++) rc = ws_buf_addf(out, err, "     %c   ", h->abc->letters[x]);
    if (rc) return rc;
    return ws_buf_adds(out, "\n            m->m     m->i     m->d     i->m     i->i     d->m     d->d\n", err);
}

/* Adds the lines of insert emissions and transitions. background: the line of a model whose inserts are all alike. */
static int add_inserts(const ws_hmm *h, size_t k, const ws_buf *background, ws_buf *out, ws_err *err) {
    const size_t K = (size_t)h->abc->K;
    int rc = h->made->ins ? add_values(out, "        ", h->made->ins + k * K, K, err)
                          : ws_buf_add(out, background->p, background->n, err);
    return rc ? rc : add_values(out, "        ", h->tr + k * WS_NTRANS, WS_NTRANS, err);
}

/* Returns the character of a note. The consensus of a masked node is shown as any residue. */
static int shown(const ws_hmm *h, int which, size_t k) {
    if (which == WS_NOTE_CONS && h->note[WS_NOTE_MM] && h->note[WS_NOTE_MM][k] == 'm')
        return tolower(h->abc->letters[h->abc->any]);
    return h->note[which] ? h->note[which][k] : '-';
}

static int add_node(const ws_hmm *h, size_t k, ws_buf *out, ws_err *err) {
    const size_t K = (size_t)h->abc->K;
    char before[24], behind[24 + 2 * WS_NNOTE] = "      -";
    snprintf(before, sizeof before, " %6zu ", k);
    int rc = add_values(out, before, h->mat + k * K, K, err);
    if (rc) return rc;
    out->n--; /* the annotation stands in the same line */
    if (h->map) snprintf(behind, sizeof behind, " %6d", h->map[k]);
    char *p = behind + strlen(behind);
    for (int c = 0; c < WS_NNOTE; c++) {
        *p++ = ' ';
        *p++ = (char)shown(h, c, k);
    }
    *p++ = '\n';
    return ws_buf_add(out, behind, (size_t)(p - behind), err);
}

static int add_nodes(const ws_hmm *h, const ws_buf *background, ws_buf *out, ws_err *err) {
    int rc = ws_hmm_has_compo(h) ? add_values(out, "  COMPO ", h->compo, (size_t)h->abc->K, err) : WS_OK;
    if (!rc) rc = add_inserts(h, 0, background, out, err);
    for (size_t k = 1; !rc && k <= (size_t)h->M; k++) {
        rc = add_node(h, k, out, err);
        if (!rc) rc = add_inserts(h, k, background, out, err);
    }
    return rc ? rc : ws_buf_adds(out, "//\n", err);
}

int ws_hmm_write(const ws_hmm *h, const char *program, const char *date, ws_buf *out, ws_err *err) {
    const size_t n = out->n;
    ws_buf background = {0};
    int rc = ws_buf_addf(out, err, "HMMER3/f [%s]\n", program);
    if (!rc) rc = add_names(h, date, out, err);
    if (!rc) rc = add_numbers(h, out, err);
    if (!rc) rc = add_letters(h, out, err);
    if (!rc && !h->made->ins) rc = add_values(&background, "        ", h->abc->background, (size_t)h->abc->K, err);
    if (!rc) rc = add_nodes(h, &background, out, err);
    ws_buf_release(&background);
    if (rc) out->n = n;
    return rc;
}
