/* SPDX-License-Identifier: MIT
 * Reads and haplotypes in the memory of a caller, by the kernels of pairhmm on the processor: see ws_pairhmm.h. */
#include "bin/gkl/gkl.h"
#include "kernels/pairhmm/pairhmm.h"

#include <string.h>

struct ws_pairhmm_caller {
    ws_pairhmm_conf conf;
    const ws_pairhmm_body *body;
    ws_pairhmm_work *work;
    ws_pairhmm_text text;
    ws_buf room, quals; /* scratch of the kernels; qualities as the kernels' characters */
    ws_pairhmm_result *result;
    size_t result_cap;
    ws_err err; /* of the last call that failed */
};

static const ws_pairhmm_body *const bodies[] = {WS_BY_WIDTH(ws_pairhmm_)};

/* Uses a width. The next narrower one takes reads that would leave half of its lanes empty: half the width costs less
 * than a wide sweep. Scalar code is no such width, since it takes longer for one read than vectors for all lanes. */
static void use(ws_pairhmm_caller *c, int width) {
    c->body = c->conf.host = bodies[width];
    c->conf.few = width + 1 < WS_WIDTH_scalar ? bodies[width + 1] : NULL;
}

/* ---- a caller ---- */

ws_pairhmm_caller *ws_pairhmm_caller_create(void) {
    ws_err err;
    ws_cpu cpu;
    ws_pairhmm_caller *c = ws_calloc(1, sizeof *c, &err);
    if (!c) return NULL;
    if (ws_pairhmm_work_create(&c->work, &err)) {
        ws_free(c);
        return NULL;
    }
    ws_cpu_probe(&cpu);
    use(c, ws_cpu_best(&cpu));
    c->conf.share = 1;
    ws_pairhmm_quals_make(&c->conf.quals);
    return c;
}

void ws_pairhmm_caller_destroy(ws_pairhmm_caller *c) {
    if (!c) return;
    ws_pairhmm_work_destroy(c->work);
    ws_free(c->text.read);
    ws_free(c->text.hap);
    ws_free(c->text.region);
    ws_buf_release(&c->room);
    ws_buf_release(&c->quals);
    ws_free(c->result);
    ws_free(c);
}

void ws_pairhmm_caller_use_double(ws_pairhmm_caller *c, int on) { c->conf.all_double = on != 0; }

int ws_pairhmm_caller_use_width(ws_pairhmm_caller *c, const char *name) {
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    for (int i = 0; i < WS_NWIDTH; i++) {
        if (strcmp(ws_width_name[i], name) != 0) continue;
        if (cpu.why_not[i]) {
            (void)ws_fail(&c->err, WS_EDATA, "%s: %s", name, cpu.why_not[i]);
            return WS_PAIRHMM_CALLER_BAD_INPUT;
        }
        use(c, i);
        return WS_PAIRHMM_CALLER_OK;
    }
    (void)ws_fail(&c->err, WS_EDATA, "there is no vector width \"%.40s\" in this library", name);
    return WS_PAIRHMM_CALLER_BAD_INPUT;
}

const char *ws_pairhmm_caller_message(const ws_pairhmm_caller *c) { return c->err.text; }

/* ---- checks ---- */

static int check_length(const char *what, size_t number, size_t n, ws_err *err) {
    if (n == 0) return ws_fail(err, WS_EDATA, "%s %zu has no bases; at least one was expected", what, number);
    if (n > INT32_MAX)
        return ws_fail(err, WS_EDATA, "%s %zu has %zu bases; at most 2147483647 are possible", what, number, n);
    return WS_OK;
}

static int check_bases(const char *what, size_t number, const uint8_t *p, size_t n, ws_err *err) {
    unsigned bad = 0;
    for (size_t i = 0; i < n; i++) bad |= (uint8_t)((p[i] | 0x20) - 'a') > 25;
    if (!bad) return WS_OK;
    char q[WS_QUOTE_MAX];
    size_t i = 0;
    while ((uint8_t)((p[i] | 0x20) - 'a') <= 25) i++;
    return ws_fail(err, WS_EDATA, "%s %zu, base %zu: \"%s\" was found, a letter was expected", what, number, i,
                   ws_quote(q, (const char *)p + i, 1));
}

/* Adds n qualities to the buffer as characters. The buffer has room. */
static int add_quals(ws_buf *to, const char *what, size_t number, const uint8_t *p, size_t n, ws_err *err) {
    unsigned all = 0;
    for (size_t i = 0; i < n; i++) all |= p[i];
    if (all >= WS_PAIRHMM_QUALS) {
        size_t i = 0;
        while (p[i] < WS_PAIRHMM_QUALS) i++;
        return ws_fail(err, WS_EDATA, "read %zu, base %zu: the %s quality is %d; 0 to 127 were expected", number, i,
                       what, (int8_t)p[i]);
    }
    char *out = to->p + to->n;
    for (size_t i = 0; i < n; i++) out[i] = (char)(p[i] + 33);
    to->n += n;
    return WS_OK;
}

/* ---- a part ---- */

static int add_read(ws_pairhmm_caller *c, const ws_pairhmm_caller_read *r, size_t number, ws_pairhmm_read *to,
                    ws_err *err) {
    const uint8_t *q = (const uint8_t *)c->quals.p + c->quals.n;
    const size_t m = r->length;
    int rc = check_bases("read", number, r->bases, m, err);
    if (!rc) rc = add_quals(&c->quals, "base", number, r->quals, m, err);
    if (!rc) rc = add_quals(&c->quals, "insertion", number, r->insertion, m, err);
    if (!rc) rc = add_quals(&c->quals, "deletion", number, r->deletion, m, err);
    if (!rc) rc = add_quals(&c->quals, "continuation", number, r->continuation, m, err);
    *to = (ws_pairhmm_read){r->bases, q, q + m, q + 2 * m, q + 3 * m, (uint32_t)m};
    return rc;
}

static int reserve(ws_pairhmm_caller *c, const ws_gkl_part *p, ws_err *err) {
    size_t bytes = 0;
    for (size_t r = 0; r < p->nread; r++) {
        const size_t m = p->read[p->first + r].length;
        int rc = check_length("read", p->first + r, m, err);
        if (rc) return rc;
        bytes += 4 * m;
    }
    if (p->nread >= UINT32_MAX || p->nhap >= UINT32_MAX || p->nread > SIZE_MAX / sizeof *c->result / p->nhap)
        return ws_fail(err, WS_EDATA, "%zu reads and %zu haplotypes are more pairs than memory can hold", p->nread,
                       p->nhap);
    c->quals.n = 0;
    int rc = ws_buf_reserve(&c->quals, bytes, err);
    if (!rc) rc = ws_grow(&c->text.read, &c->text.read_cap, p->nread, sizeof *c->text.read, err);
    if (!rc) rc = ws_grow(&c->text.hap, &c->text.hap_cap, p->nhap, sizeof *c->text.hap, err);
    if (!rc) rc = ws_grow(&c->text.region, &c->text.region_cap, 1, sizeof *c->text.region, err);
    return rc ? rc : ws_grow(&c->result, &c->result_cap, p->nread * p->nhap, sizeof *c->result, err);
}

/* Makes one region of the part. */
static int make_region(ws_pairhmm_caller *c, const ws_gkl_part *p, ws_err *err) {
    ws_pairhmm_text *t = &c->text;
    int rc = reserve(c, p, err);
    for (size_t r = 0; r < p->nread && !rc; r++)
        rc = add_read(c, &p->read[p->first + r], p->first + r, &t->read[r], err);
    for (size_t h = 0; h < p->nhap && !rc; h++) {
        const ws_pairhmm_caller_haplotype *hap = &p->hap[h];
        rc = check_length("haplotype", h, hap->length, err);
        if (!rc) rc = check_bases("haplotype", h, hap->bases, hap->length, err);
        t->hap[h] = (ws_pairhmm_hap){hap->bases, (uint32_t)hap->length};
    }
    if (rc) return rc;
    t->region[0] = (ws_pairhmm_region){.R = p->nread, .H = p->nhap, .all = p->nread};
    t->nread = p->nread;
    t->nhap = p->nhap;
    t->npair = p->nread * p->nhap;
    t->nregion = 1;
    return WS_OK;
}

int ws_gkl_score(ws_pairhmm_caller *c, const ws_gkl_part *p, ws_err *err) {
    ws_pairhmm_counts unused = {0};
    if (!p->nread || !p->nhap) return WS_OK;
    int rc = make_region(c, p, err);
    if (!rc) rc = ws_pairhmm_score(&c->conf, c->body, &c->text, c->work, &c->room, c->result, &unused, err);
    if (rc) return rc;
    double *out = p->log10 + p->first * p->nhap;
    for (size_t i = 0; i < c->text.npair; i++) out[i] = c->result[i].log10;
    return WS_OK;
}

int ws_pairhmm_caller_score(ws_pairhmm_caller *c, const ws_pairhmm_caller_read *reads, size_t nread,
                            const ws_pairhmm_caller_haplotype *haplotypes, size_t nhaplotype, double *log10) {
    const ws_gkl_part all = {.read = reads, .hap = haplotypes, .nread = nread, .nhap = nhaplotype, .log10 = log10};
    const int rc = ws_gkl_score(c, &all, &c->err);
    if (rc == WS_OK) return WS_PAIRHMM_CALLER_OK;
    return rc == WS_ENOMEM ? WS_PAIRHMM_CALLER_NO_MEMORY : WS_PAIRHMM_CALLER_BAD_INPUT;
}
