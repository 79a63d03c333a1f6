/* SPDX-License-Identifier: MIT
 * Rows of SSV and MSV that are made of match emissions, or read from pressed files, beside those of the profile; and
 * the scores of models that are read, by each width. Operands: files of models, or of pressed sets, for the first
 * part. */
#include "kernels/msv/msv.h"
#include "tests/lib/io.h"
#include "tests/lib/worked.h"

#include <string.h>

static void fine(int rc, const ws_err *err) { must(!rc, err->text); }

/* Returns whether a cost in the rows is that of the form. */
static int same_rows(const ws_striped *s, const ws_bytes *b) {
    const size_t M = (size_t)b->M, row = s->nq * WS_STRIPED_VECTOR;
    int same = s->bytes.bias == b->bias && s->bytes.tbm == b->tbm && s->bytes.tec == b->tec && s->bytes.M == b->M;
    for (size_t x = 0; x < (size_t)s->ncode; x++)
        for (size_t k = 0; k < s->nq * WS_STRIPED_VECTOR; k++) {
            const int want = k < M ? b->cost[x * (M + 1) + k + 1] : 255;
            same &= s->cost[x * row + k % s->nq * WS_STRIPED_VECTOR + k / s->nq] == want;
        }
    return same;
}

/* Compares what is read of a model in parts with the model. */
static int check_model(ws_hmmset *set, size_t i) {
    ws_err err = {0};
    ws_profile p;
    ws_bytes b;
    ws_words w, read;
    ws_striped s;
    const ws_hmm *h = &set->hmm[i];
    void *room = ws_alloc(ws_striped_room(h->M, h->abc), &err);
    must(room != NULL, err.text);
    int same = 1;
    ws_hmm_forget(&set->hmm[i]);
    fine(ws_hmmset_load(set, i, &err), &err);
    fine(ws_profile_create(&p, h, &err), &err);
    fine(ws_bytes_create(&b, &p, &err), &err);
    fine(ws_words_create(&w, &p, &err), &err);
    for (int all = 0; all < 2; all++) {
        fine(ws_hmmset_striped(set, i, room, all, &s, &err), &err);
        same &= s.ncode == (all ? h->abc->Kp : h->abc->K) && same_rows(&s, &b);
        same &= !memcmp(s.compo, h->compo, (size_t)h->abc->K * sizeof *h->compo);
    }
    uint8_t *undone = ws_alloc((size_t)b.Kp * ((size_t)b.M + 1), &err);
    must(undone != NULL, err.text);
    ws_striped_undo(&s, undone);
    same &= !memcmp(undone, b.cost, (size_t)b.Kp * ((size_t)b.M + 1));
    if (set->pressed) {
        const size_t row = (size_t)w.M + 1;
        fine(ws_pressed_words(set, i, &read, &err), &err);
        same &= !memcmp(read.emit, w.emit, (size_t)w.Kp * row * sizeof *w.emit);
        for (int t = 0; t < WS_NPTRANS; t++) same &= !memcmp(read.tr[t], w.tr[t], row * sizeof *w.tr[t]);
        ws_words_destroy(&read);
    }
    ws_free(undone);
    ws_free(room);
    ws_words_destroy(&w);
    ws_bytes_destroy(&b);
    ws_profile_destroy(&p);
    ws_hmm_forget(&set->hmm[i]);
    ws_hmm_forget_annotation(&set->hmm[i]);
    return same;
}

static void test_file(tap *t, const char *path) {
    ws_err err = {0};
    ws_hmmset set;
    int state;
    size_t other = 0;
    fine(ws_hmmset_find_pressed(&set, path, 1, &state, &err), &err);
    if (state != WS_PRESSED_FOUND) fine(ws_hmmset_find(&set, &path, 1, 1, &err), &err);
    for (size_t i = 0; i < set.n; i++) other += !check_model(&set, i);
    tap_ok(t, !other, "%s%s: rows of %zu models, of which %zu are others than the profile's", path,
           set.pressed ? ", pressed" : "", set.n, other);
    ws_hmmset_release(&set);
}

/* ---- rounding: numbers near the halves of third-bits ---- */

static void test_halves(tap *t, sample *r) {
    enum { M = 6000 };
    ws_err err = {0};
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    ws_hmm h = {.M = M, .abc = abc};
    ws_profile p;
    ws_bytes b;
    ws_striped s;
    int valid, same[2];
    fine(ws_hmm_alloc(&h, &err), &err);
    void *room = ws_alloc(ws_striped_room(M, abc), &err);
    must(room != NULL, err.text);
    float *mat = ws_striped_mat(room);
    for (int nats = 0; nats < 2; nats++) {
        for (size_t i = 20; i < 20 * ((size_t)M + 1); i++) {
            const double half = (sample_below(r, 60) - 50 + 0.5 + 1e-5 * (sample_below(r, 401) - 200)) / 3;
            const double v = -half * WS_LN2 - log((double)abc->background[i % 20]);
            mat[i] = (float)(v < 0 ? 0 : nats ? v : exp(-v));
            if (sample_below(r, 100) == 0) mat[i] = nats ? INFINITY : sample_below(r, 2) ? 0 : 1e-38f;
            h.mat[i] = nats ? expf(-mat[i]) : mat[i];
        }
        fine(ws_striped_of(&s, M, abc, room, nats, 0, &valid, &err), &err);
        fine(ws_profile_create_emissions(&p, &h, &err), &err);
        fine(ws_bytes_create(&b, &p, &err), &err);
        same[nats] = valid && same_rows(&s, &b);
        ws_bytes_destroy(&b);
        ws_profile_destroy(&p);
    }
    tap_ok(t, same[0] && same[1], "numbers near a half, 0 and very small ones: %d of probabilities, %d of nats",
           same[0], same[1]);
    mat[25] = 1.5f;
    fine(ws_striped_of(&s, M, abc, room, 0, 0, &valid, &err), &err);
    tap_ok(t, !valid, "1.5 is no probability");
    ws_free(room);
    ws_hmm_release(&h);
}

/* ---- scores ---- */

enum { SEQS = 24 };

static int read_times, laid_times; /* calls of `striped` since a test set them to 0, and those for rows of all codes */

static int striped(void *own, size_t number, void *room, int all, ws_striped *out, ws_err *err) {
    const ws_hmm *h = own;
    int valid;
    read_times++;
    laid_times += all;
    (void)number;
    memcpy(ws_striped_mat(room) + 20, h->mat + 20, (size_t)h->M * 20 * sizeof *h->mat);
    const int rc = ws_striped_of(out, h->M, h->abc, room, 0, all, &valid, err);
    memcpy(out->compo, h->compo, sizeof out->compo);
    return rc ? rc : valid ? WS_OK : ws_fail(err, WS_EDATA, "no probability");
}

static int fails(void *own, size_t number, void *room, int all, ws_striped *out, ws_err *err) {
    (void)own, (void)number, (void)room, (void)all, (void)out;
    return ws_fail(err, WS_EDATA, "cannot be read");
}

static ws_hmm_target *whole_target; /* what `whole` makes */

static int words(void *own, size_t number, ws_words *out, ws_err *err) {
    (void)own, (void)number, (void)out;
    return ws_fail(err, WS_EDATA, "not here");
}

static int read_whole(void *own, size_t number, ws_err *err) {
    const ws_hmm *h = own;
    (void)number;
    ws_bias_set(&whole_target->bias, h);
    return ws_profile_create(&whole_target->profile, h, err);
}

/* Adds sequences for a model: short, long, homologs, none, and with residues that are several. */
static void fill(sample_batch *s, sample *r, const ws_hmm *h) {
    const size_t M = (size_t)h->M;
    for (int i = 0; i < SEQS; i++) {
        const size_t L = i == 5 ? 0 : (size_t)(1 + sample_below(r, i % 3 ? 250 : i ? 20 : 1500));
        uint8_t *x = sample_add(s, L);
        for (size_t j = 0; j < L; j++) x[j] = sample_residue(r, h->abc);
        if (i % 2 && L) sample_homolog(r, h, x, ws_min(L, (size_t)(3 + sample_below(r, 40))));
        for (size_t k = 1; k < 4 && i == 0 && L > 3 * M; k++) /* where a sequence may be cut into parts */
            sample_homolog(r, h, x + k * (L - M) / 4 + M / 2, M);
        for (size_t j = 0; j < L && i >= SEQS / 2; j += 7) x[j] = (uint8_t)sample_below(r, h->abc->Kp);
    }
    sample_ready(s);
}

/* Returns 1 if a score is not the one that is wanted; with a gate, any that it rejects will do for one it rejects. */
static int is_other(const ws_gate *gate, const ws_lenmodel *lm, ws_fscore got, const ws_fscore *want) {
    if (!memcmp(&got, want, sizeof got)) return 0;
    return !gate || !ws_gate_fails(gate, got.nats - lm->null_nats, lm->L) ||
           !ws_gate_fails(gate, want->nats - lm->null_nats, lm->L);
}

/* Scores lists of 1 to SEQS sequences, again and again, until a layout is worth it, with a gate in each second round.
 * Returns how many scores differ. */
static int check_body(const ws_body *body, ws_hmm_target *target, sample_batch *s, sample *r, const ws_fscore *want) {
    ws_err err = {0};
    ws_filter *f;
    int other = 0;
    sample_must(ws_filter_create_from(&f, body, target, &err), &err);
    for (int round = 0; round < 28; round++) {
        const ws_gate gate = {(float)sample_below(r, 12) - 4, 0, 1};
        uint32_t item[SEQS];
        ws_fscore out[SEQS];
        const size_t n = round < 4 ? (size_t)round + 1 : (size_t)(1 + sample_below(r, SEQS));
        for (size_t j = 0; j < n; j++) item[j] = (uint32_t)sample_below(r, round % 2 ? SEQS : SEQS / 2);
        ws_seqlist list = sample_list(s, item, n);
        if (round % 2) list.gate = &gate;
        memset(out, 0x55, sizeof out);
        sample_must(ws_filter_scores(f, &list, out, &s->scratch, &err), &err);
        for (size_t j = 0; j < n; j++) other += is_other(list.gate, ws_seqlist_lm(&list, j), out[j], &want[item[j]]);
    }
    ws_filter_destroy(f);
    return other;
}

static void test_scores(tap *t, const char *name, const ws_body *body, sample *r) {
    int other = 0, unbiased = 0, models = 0;
    for (int M = 1; M < 1700; M += M < 200 ? 7 : 61, models++) {
        ws_hmm h;
        ws_hmm_target whole = {0}, target = {0};
        ws_hmm_reader reader = {.own = &h, .striped = striped, .words = models % 2 ? words : NULL, .whole = read_whole};
        sample_batch s = {0};
        ws_fscore want[SEQS];
        sample_model(&h, r, M, 0.01);
        for (int x = 0; x < 20; x++) h.compo[x] = h.abc->background[x];
        sample_target(&whole, &h);
        fill(&s, r, &h);
        sample_scores(&s, &ws_msv_scalar, &whole, NULL, SEQS, want);
        ws_hmm_reader_open(&reader);
        target = (ws_hmm_target){.hmm = &h, .gate = {-INFINITY, 0, 1}, .reader = &reader};
        whole_target = &target;
        other += check_body(body, &target, &s, r, want);
        unbiased += memcmp(&target.bias, &whole.bias, sizeof whole.bias) != 0;
        ws_hmm_reader_close(&reader);
        ws_profile_destroy(&target.profile);
        ws_profile_destroy(&whole.profile);
        sample_model_release(&h);
        sample_batch_release(&s);
    }
    tap_ok(t, !other && !unbiased, "%s: %d models that are read, %d other scores, %d other biases", name, models, other,
           unbiased);
}

/* The rows of a model are read again for each list until a layout is worth it. */
static void test_worth(tap *t, const char *name, const ws_body *body, sample *r) {
    enum { RESIDUES = 900, CALLS = 40 };
    ws_hmm h;
    sample_batch s = {0};
    ws_err err = {0};
    ws_fscore out;
    ws_filter *f;
    int least = 0;
    sample_model(&h, r, 120, 0);
    ws_hmm_reader reader = {.own = &h, .striped = striped, .words = words};
    ws_hmm_target target = {.hmm = &h, .gate = {-INFINITY, 0, 1}, .reader = &reader};
    uint8_t *x = sample_add(&s, RESIDUES);
    for (size_t j = 0; j < RESIDUES; j++) x[j] = (uint8_t)sample_below(r, 20);
    sample_ready(&s);
    ws_hmm_reader_open(&reader);
    sample_must(ws_filter_create_from(&f, body, &target, &err), &err);
    const ws_seqlist one = sample_list(&s, NULL, 1);
    read_times = laid_times = 0;
    for (int i = 0; i < CALLS; i++) {
        sample_must(ws_filter_scores(f, &one, &out, &s.scratch, &err), &err);
        if (!laid_times) least += RESIDUES;
    }
    tap_ok(t, least >= 12000 && laid_times == 1 && read_times < CALLS,
           "%s: %d residues are scored by the rows, then there is a layout", name, least);
    ws_filter_destroy(f);
    ws_hmm_reader_close(&reader);
    sample_model_release(&h);
    sample_batch_release(&s);
}

static void test_failure(tap *t, const char *name, const ws_body *body, sample *r) {
    ws_hmm h;
    ws_hmm_reader reader = {.own = &h, .striped = fails};
    sample_batch s = {0};
    ws_err err = {0};
    ws_fscore out[SEQS];
    ws_filter *f;
    sample_model(&h, r, 90, 0);
    fill(&s, r, &h);
    ws_hmm_target target = {.hmm = &h, .reader = &reader};
    sample_must(ws_filter_create_from(&f, body, &target, &err), &err);
    const ws_seqlist one = sample_list(&s, NULL, 1);
    int rc = ws_filter_scores(f, &one, out, &s.scratch, &err);
    tap_ok(t, rc == WS_EDATA && !strcmp(err.text, "cannot be read"), "%s: the reader's sentence", name);
    ws_filter_destroy(f);
    sample_model_release(&h);
    sample_batch_release(&s);
}

#define BODY(width, ...) [WS_WIDTH_##width] = &ws_msv_read_##width,

int main(int argc, char **argv) {
    static const char *const path[] = {"tests/data/globins4.hmm", "tests/data/fn3.hmm"};
    static const ws_body *const body[WS_NWIDTH] = {WS_WIDTHS(BODY, )};
    tap t = {0};
    sample r = worked_seed();
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    for (int i = 1; i < argc; i++) test_file(&t, argv[i]);
    for (size_t i = 0; i < sizeof path / sizeof *path && argc < 2; i++) test_file(&t, path[i]);
    test_halves(&t, &r);
    for (int w = 0; w < WS_NWIDTH; w++) {
        if (!body[w] || cpu.why_not[w]) continue;
        test_scores(&t, ws_width_name[w], body[w], &r);
        test_worth(&t, ws_width_name[w], body[w], &r);
        test_failure(&t, ws_width_name[w], body[w], &r);
    }
    return tap_end(&t);
}
