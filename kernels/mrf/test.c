/* SPDX-License-Identifier: MIT
 * Tests of mrf: a worked example by hand; a second, naive implementation against every backend on random volumes;
 * threads. */
#include "kernels/mrf/after.h"

#include "lib/base/mem.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static tap t;
static ws_cpu cpu;
static const ws_mrf_body *const bodies[] = {WS_BY_WIDTH(ws_mrf_)};

static uint64_t state;
static uint32_t below(uint32_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

/* ---- the second implementation: arrays with x fastest, three nested loops, libm ---- */

typedef struct naive {
    int X, Y, Z, n, K;
    const uint16_t *q;
    const uint8_t *in; /* the mask */
    uint8_t *label;
    double mean[WS_MRF_CLASSES], sd[WS_MRF_CLASSES];
    long long fall, sweeps, changed;
} naive;

static int naive_prior(const naive *m, int c, int q) {
    const double d = q - m->mean[c], e = (log(m->sd[c]) + d * d / (2 * m->sd[c] * m->sd[c])) * 65536 + 0.5;
    return e < 1073741824.0 ? (int)floor(e) : 1073741824;
}

static long long naive_energy(const naive *m, const ws_mrf_conf *f, int x, int y, int z, int c) {
    const int reach = f->neighbours == 6 ? 1 : f->neighbours == 18 ? 2 : 3;
    long long e = naive_prior(m, c, m->q[x + m->X * (y + m->Y * z)]);
    for (int k = 0; k < 27; k++) {
        const int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1, far = abs(dx) + abs(dy) + abs(dz);
        const int a = x + dx, b = y + dy, d = z + dz;
        if (far == 0 || far > reach || a < 0 || b < 0 || d < 0 || a >= m->X || b >= m->Y || d >= m->Z) continue;
        if (!m->in[a + m->X * (b + m->Y * d)]) continue;
        e -= m->label[a + m->X * (b + m->Y * d)] == c ? f->in : f->out;
    }
    return e;
}

static uint64_t naive_mix(uint64_t x) {
    uint64_t z = x + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static long long naive_sweep(naive *m, const ws_mrf_conf *f) {
    long long fall = 0;
    for (int colour = 0; colour < (f->neighbours == 6 ? 2 : 8); colour++)
        for (int i = 0; i < m->n; i++) {
            const int x = i % m->X, y = i / m->X % m->Y, z = i / m->X / m->Y, old = m->label[i];
            if (colour != (f->neighbours == 6 ? (x + y + z) % 2 : x % 2 + 2 * (y % 2) + 4 * (z % 2))) continue;
            if (!m->in[i]) continue;
            const uint64_t h = naive_mix(naive_mix(f->seed + (uint64_t)i) + (uint64_t)m->sweeps);
            int r = f->rule == WS_MRF_RANDOM ? (int)(((h >> 32) * (uint64_t)m->K) >> 32) : 0;
            for (int c = 1; c < m->K && f->rule == WS_MRF_ICM; c++)
                if (naive_energy(m, f, x, y, z, c) < naive_energy(m, f, x, y, z, r)) r = c;
            const long long gain = naive_energy(m, f, x, y, z, old) - naive_energy(m, f, x, y, z, r);
            if (gain <= f->xi) continue;
            m->label[i] = (uint8_t)r;
            m->changed += r != old;
            fall += gain;
        }
    m->sweeps++;
    return fall;
}

static void naive_renew(naive *m) {
    for (int c = 0; c < m->K; c++) {
        unsigned __int128 n = 0, s1 = 0, s2 = 0;
        for (int i = 0; i < m->n; i++)
            if (m->in[i] && m->label[i] == c) n++, s1 += m->q[i], s2 += (uint32_t)m->q[i] * m->q[i];
        if (n == 0) continue;
        m->mean[c] = (double)s1 / (double)n;
        m->sd[c] = fmax(0.5, sqrt((double)(n * s2 - s1 * s1) / (double)(n * n)));
    }
}

static void naive_run(naive *m, const ws_mrf_conf *f) {
    long long voxels = 0;
    m->fall = m->sweeps = m->changed = 0;
    for (int i = 0; i < m->n; i++) {
        m->label[i] = m->in[i] ? 0 : WS_MRF_OUTSIDE;
        voxels += m->in[i];
        if (!m->in[i]) continue;
        for (int c = 1; c < m->K; c++)
            if (naive_prior(m, c, m->q[i]) < naive_prior(m, m->label[i], m->q[i])) m->label[i] = (uint8_t)c;
    }
    while (m->sweeps < (long long)f->sweeps) {
        const long long fall = naive_sweep(m, f);
        m->fall += fall;
        if (!f->fixed) naive_renew(m);
        if ((double)fall <= f->eps * (double)voxels * 65536) break;
    }
}

/* ---- random volumes ---- */

typedef struct sample {
    ws_mrf_volume v;
    ws_mrf_conf conf;
    uint16_t *q;
    uint8_t *in;
    ws_mrf_gauss gauss[WS_MRF_CLASSES];
} sample;

static void release(sample *s) {
    free(s->q);
    free(s->in);
    ws_mrf_volume_release(&s->v);
}

enum { NO_MASK, ANY_MASK, BY_LOT };

/* A mask of voxels by lot, of a ball, of all, or of one voxel. */
static void make_mask(sample *s, size_t X, size_t Y, int which) {
    const uint32_t kind = which == BY_LOT ? 0 : below(4), share = 1 + below(99), one = below((uint32_t)s->v.n);
    for (size_t i = 0; i < s->v.n; i++) {
        const double a = (double)(i % X) - (double)X / 2, b = (double)(i / X % Y) - (double)Y / 2,
                     c = (double)(i / X / Y) - (double)s->v.size[2] / 2;
        s->in[i] = kind == 0 ? below(100) < share : kind == 1 ? a * a + b * b + c * c < (double)share : kind == 2;
    }
    s->in[one] = 1;
}

/* Blobs of K values with noise, so that neighbours are often alike; without a mask or with one. */
static int make(sample *s, size_t X, size_t Y, size_t Z, int K, int masked, ws_err *err) {
    const uint32_t range = below(3) ? 40 + below(3000) : 65536, size = 1 + below(6);
    if (ws_mrf_volume_shape(&s->v, X, Y, Z, err)) return 0;
    s->q = malloc(s->v.n * sizeof *s->q);
    s->in = malloc(s->v.n);
    if (!s->q || !s->in) return 0;
    memset(s->in, 1, s->v.n);
    if (masked) make_mask(s, X, Y, masked), ws_mrf_volume_mask(&s->v, s->in);
    for (size_t i = 0; i < s->v.n; i++) {
        const size_t x = i % X / size, y = i / X % Y / size, z = i / X / Y / size;
        const uint32_t kind = (uint32_t)(x * 7 + y * 5 + z * 3) % (uint32_t)K;
        s->q[i] = (uint16_t)((uint64_t)(range - 1) * (kind * 64 + below(128)) / ((uint64_t)K * 64 + 64));
    }
    for (size_t row = 0; row < Y * Z; row++) ws_mrf_volume_put(&s->v, row % Y, row / Y, s->q + row * X);
    s->v.top = range - 1;
    for (int c = 0; c < K; c++) s->gauss[c] = (ws_mrf_gauss){below(range), 0.5 + below(range) / 8.0};
    return 1;
}

static ws_mrf_conf random_conf(int K) {
    static const int neighbours[] = {6, 18, 26};
    static const int32_t betas[] = {0, 32768, 98304, -20000, 6553600, 9633};
    return (ws_mrf_conf){.K = K,
                         .neighbours = neighbours[below(3)],
                         .fixed = below(3) == 0,
                         .rule = below(2) ? WS_MRF_RANDOM : WS_MRF_ICM,
                         .in = betas[below(6)],
                         .out = below(2) ? 0 : -betas[below(6)],
                         .xi = below(3) ? 0 : (int32_t)below(200000),
                         .seed = (uint64_t)below(1 << 30) << below(34),
                         .sweeps = 1 + below(8),
                         .eps = below(2) ? 0 : 0.01};
}

static int same_labels(const ws_mrf_volume *v, const uint8_t *want) {
    uint8_t *row = malloc(v->size[0]);
    int same = row != NULL;
    for (size_t r = 0; r < v->size[1] * v->size[2] && same; r++) {
        ws_mrf_labels_get(v, r % v->size[1], r / v->size[1], row);
        same = memcmp(row, want + r * v->size[0], v->size[0]) == 0;
    }
    free(row);
    return same;
}

static int same_result(const sample *s, const naive *m, const ws_mrf_result *r) {
    uint64_t n = 0;
    int same = r->fall == m->fall && r->sweeps == (uint64_t)m->sweeps && r->changed == (uint64_t)m->changed;
    for (int c = 0; c < m->K; c++) {
        n += r->sums[c].n;
        same = same && r->gauss[c].mean == m->mean[c] && r->gauss[c].sd == m->sd[c];
    }
    return same && n == s->v.inside && same_labels(&s->v, m->label);
}

/* The probabilities of the classes from the last to the first are the naive ones within 2^-24. */
static int same_shares(const sample *s, const naive *m, const ws_mrf_result *r, ws_mrf_work *work) {
    uint8_t class[WS_MRF_CLASSES];
    ws_err err = {0};
    float *got = malloc((size_t)m->K * s->v.n * sizeof *got);
    for (int k = 0; k < m->K; k++) class[k] = (uint8_t)(m->K - 1 - k);
    int same = got && !ws_mrf_probabilities(&s->conf, &s->v, r, class, 1 + (int)below(3), work, got, &err);
    for (int i = 0; i < m->n && same; i++) {
        const int x = i % m->X, y = i / m->X % m->Y, z = i / m->X / m->Y;
        long long least = INT64_MAX;
        double sum = 0, want[WS_MRF_CLASSES];
        for (int c = 0; c < m->K; c++)
            if (naive_energy(m, &s->conf, x, y, z, c) < least) least = naive_energy(m, &s->conf, x, y, z, c);
        for (int c = 0; c < m->K; c++)
            sum += want[c] = exp((double)(least - naive_energy(m, &s->conf, x, y, z, c)) / 65536);
        for (int c = 0; c < m->K; c++)
            same = same && fabs((m->in[i] ? want[c] / sum : 0) - (double)got[(m->K - 1 - c) * m->n + i]) < 0x1p-24;
    }
    free(got);
    return same;
}

static int border_stays(const ws_mrf_volume *v) {
    size_t inside = 0;
    for (size_t i = 0; i < v->places; i++) inside += v->label[i] != WS_MRF_OUTSIDE;
    return inside == v->inside;
}

/* One random volume through the naive implementation and all backends; says what differs. */
static int agree(uint64_t seed, size_t X, size_t Y, size_t Z, int K, int masked) {
    sample s = {.v = {0}};
    ws_mrf_work work = {0};
    ws_err err = {0};
    int good = make(&s, X, Y, Z, K, masked, &err);
    s.conf = random_conf(K);
    naive m = {.X = (int)X, .Y = (int)Y, .Z = (int)Z, .n = (int)s.v.n, .K = K, .q = s.q, .in = s.in,
               .label = malloc(s.v.n)};
    for (int c = 0; c < K; c++) m.mean[c] = s.gauss[c].mean, m.sd[c] = s.gauss[c].sd;
    if (good && m.label) naive_run(&m, &s.conf);
    for (int b = 0; b < WS_NWIDTH && good; b++) {
        ws_mrf_result r;
        if (cpu.why_not[b]) continue;
        memcpy(r.gauss, s.gauss, sizeof r.gauss);
        good = ws_mrf_segment(&s.conf, bodies[b], &s.v, 1, 1, &work, &r, &err) == WS_OK && same_result(&s, &m, &r) &&
               border_stays(&s.v) && (b + seed % 4 > 0 || same_shares(&s, &m, &r, &work));
        if (!good)
            tap_note("seed %llu: %s, %zu x %zu x %zu, %d classes, %d neighbours, rule %d differs",
                     (unsigned long long)seed, ws_width_name[b], X, Y, Z, K, s.conf.neighbours, s.conf.rule);
    }
    free(m.label);
    release(&s);
    ws_mrf_work_release(&work);
    return good;
}

/* The energy of all voxels, each pair of neighbours counted once. */
static long long total_energy(const naive *m, const ws_mrf_conf *f) {
    const ws_mrf_conf alone = {.neighbours = f->neighbours};
    long long priors = 0, all = 0;
    for (int i = 0; i < m->n; i++) {
        const int x = i % m->X, y = i / m->X % m->Y, z = i / m->X / m->Y;
        if (!m->in[i]) continue;
        priors += naive_energy(m, &alone, x, y, z, m->label[i]);
        all += naive_energy(m, f, x, y, z, m->label[i]);
    }
    return priors + (all - priors) / 2;
}

/* With held classes the energy of the volume falls by exactly what the sweeps say. */
static int falls_by_that(uint64_t seed) {
    sample s = {.v = {0}};
    ws_mrf_work work = {0};
    ws_mrf_result r;
    ws_err err = {0};
    state = seed;
    const int K = 2 + (int)below(4);
    int good = make(&s, 3 + below(40), 1 + below(9), 1 + below(9), K, seed % 2 == 0, &err);
    s.conf = random_conf(K);
    s.conf.fixed = 1;
    naive m = {.X = (int)s.v.size[0], .Y = (int)s.v.size[1], .Z = (int)s.v.size[2], .n = (int)s.v.n, .K = K, .q = s.q,
               .in = s.in, .label = malloc(s.v.n)};
    long long energy[2] = {0, 0};
    for (int c = 0; c < K; c++) m.mean[c] = s.gauss[c].mean, m.sd[c] = s.gauss[c].sd;
    for (int k = 0; k < 2 && good && m.label; k++) { /* after no sweeps, and after some */
        ws_mrf_conf conf = s.conf;
        conf.sweeps = k ? conf.sweeps : 0;
        memcpy(r.gauss, s.gauss, sizeof r.gauss);
        good = ws_mrf_segment(&conf, bodies[ws_cpu_best(&cpu)], &s.v, 1, 1, &work, &r, &err) == WS_OK;
        for (size_t row = 0; row < s.v.size[1] * s.v.size[2]; row++)
            ws_mrf_labels_get(&s.v, row % s.v.size[1], row / s.v.size[1], m.label + row * s.v.size[0]);
        energy[k] = total_energy(&m, &s.conf);
    }
    free(m.label);
    release(&s);
    ws_mrf_work_release(&work);
    return good && energy[0] - energy[1] == r.fall && r.fall >= 0;
}

static void test_random(void) {
    int good = 1;
    for (uint64_t seed = 1; seed <= 400 && good; seed++) {
        state = seed;
        good = agree(seed, 1 + below(12), 1 + below(7), 1 + below(7), 1 + (int)below(7), NO_MASK);
    }
    tap_ok(&t, good, "400 random volumes: every backend equals the naive implementation, voxel by voxel");
    for (uint64_t seed = 4001; seed <= 4400 && good; seed++) {
        state = seed;
        good = agree(seed, 1 + below(40), 1 + below(9), 1 + below(9), 1 + (int)below(7), ANY_MASK);
    }
    tap_ok(&t, good, "400 random volumes with masks of any shape: the same");
    for (uint64_t seed = 1001; seed <= 1040 && good; seed++) {
        state = seed;
        good = agree(seed, 60 + below(140), 1 + below(3), 1 + below(3), below(2) ? 4 : 1 + (int)below(WS_MRF_CLASSES),
                     seed % 2 == 0);
    }
    tap_ok(&t, good, "40 volumes of several vectors a row and up to 64 classes, half of them with masks");
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (uint64_t seed = 3001; seed <= 3060 && good; seed++) {
        state = seed;
        const size_t size[3] = {1 + below(3), 14 + below(3), 70 + below(70)};
        const int *a = order[seed % 6];
        good = agree(seed, size[a[0]], size[a[1]], size[a[2]], 1 + (int)below(7), seed % 4 < 2);
    }
    tap_ok(&t, good, "60 flat volumes, whose layout has the axes in every order, half of them with masks");
    for (uint64_t seed = 2001; seed <= 2100 && good; seed++) good = falls_by_that(seed);
    tap_ok(&t, good, "100 volumes: the energy of all voxels and pairs falls by what the sweeps say, never rises");
}

/* A volume's codes and labels take at most 6 bytes a voxel, however it lies. */
static void test_shapes(void) {
    static const size_t size[][3] = {{1500, 1500, 1},  {1500, 1, 1500}, {1, 1500, 1500}, {2, 1200, 1000},
                                     {1000, 3, 1200},  {16, 400, 500},  {500, 16, 400},  {130, 130, 130},
                                     {1, 32767, 60},   {60, 1, 32767},  {300, 9, 300},   {7, 7, 30000}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        ws_mrf_volume v = {0};
        ws_err err;
        const int rc = ws_mrf_volume_shape(&v, size[i][0], size[i][1], size[i][2], &err);
        const double bytes = (double)(v.places + v.ncode * sizeof *v.code) / (double)v.n;
        tap_ok(&t, !rc && bytes <= 6, "%zu x %zu x %zu: %.2f bytes a voxel", size[i][0], size[i][1], size[i][2], bytes);
        ws_mrf_volume_release(&v);
    }
}

/* ---- threads, worked example ---- */

static int equal_by_threads(int neighbours, ws_mrf_rule rule, int masked) {
    sample s = {.v = {0}};
    ws_mrf_work work = {0};
    ws_mrf_result one, r;
    ws_err err = {0};
    state = (uint64_t)neighbours;
    int good = make(&s, 130, 110, 50, 4, masked, &err);
    s.conf = (ws_mrf_conf){.K = 4, .neighbours = neighbours, .rule = rule, .in = 40000, .sweeps = 4, .seed = 3};
    uint8_t *label = malloc(s.v.places);
    good = good && label && ws_mrf_segment(&s.conf, bodies[ws_cpu_best(&cpu)], &s.v, 0, 1, &work, &one, &err) == WS_OK;
    if (good) memcpy(label, s.v.label, s.v.places);
    for (int threads = 2; threads <= 5 && good; threads++) {
        good = ws_mrf_segment(&s.conf, bodies[ws_cpu_best(&cpu)], &s.v, 0, threads, &work, &r, &err) == WS_OK;
        good = good && !memcmp(label, s.v.label, s.v.places) && r.fall == one.fall && r.changed == one.changed &&
               one.changed > 0;
        good =
            good && !memcmp(r.gauss, one.gauss, 4 * sizeof *r.gauss) && !memcmp(r.sums, one.sums, 4 * sizeof *r.sums);
    }
    free(label);
    release(&s);
    ws_mrf_work_release(&work);
    return good;
}

/* Seven voxels in a row, classes (0, 1) and (10, 1), b_in 60: the code of voxel 2 is worth 50, each neighbour of its
 * class 60. */
static void test_worked(void) {
    static const uint16_t q[] = {0, 0, 10, 0, 10, 10, 10};
    static const uint8_t want[] = {0, 0, 0, 0, 1, 1, 1};
    ws_mrf_volume v = {0};
    ws_mrf_work work = {0};
    ws_err err = {0};
    ws_mrf_conf conf = {.K = 2, .neighbours = 6, .fixed = 1, .in = 60 * WS_MRF_ONE, .sweeps = 9};
    for (int b = 0; b < WS_NWIDTH; b++) {
        ws_mrf_result r = {.gauss = {{0, 1}, {10, 1}}};
        if (cpu.why_not[b]) continue;
        int good = ws_mrf_volume_shape(&v, 7, 1, 1, &err) == WS_OK;
        ws_mrf_volume_put(&v, 0, 0, q);
        v.top = 10;
        good = good && ws_mrf_segment(&conf, bodies[b], &v, 1, 1, &work, &r, &err) == WS_OK;
        /* colour 0, voxel 2: class 1 costs 0, class 0 50 - 2 * 60, so it falls by 70; then nothing changes */
        tap_ok(&t, good && same_labels(&v, want) && r.fall == 70 * WS_MRF_ONE && r.changed == 1 && r.sweeps == 2,
               "%s: a lone voxel takes its neighbours' class, energy falls by 70", ws_width_name[b]);
    }
    ws_mrf_volume_release(&v);
    ws_mrf_work_release(&work);
}

/* ---- arithmetic ---- */

static void test_log(void) {
    double worst = 0;
    state = 5;
    for (int i = 0; i < 1000000; i++) {
        const double x = ldexp(0.5 + below(1u << 30) / 1073741824.0 + 1e-12 * below(1000), (int)below(40) - 2);
        const long double want = logl((long double)x), ulp = nextafter(fabs((double)want), 1e9) - fabs((double)want);
        const double off = (double)(fabsl(ws_mrf_log(x) - want) / ulp);
        worst = off > worst ? off : worst;
    }
    tap_ok(&t, worst < 2 && ws_mrf_log(1) == 0,
           "a million logarithms are within two units in the last place (worst %.2f)", worst);
}

static void test_exp(void) {
    double worst = 0, below0 = ws_mrf_exp(-708.1);
    state = 7;
    for (int i = 0; i < 1000000; i++) {
        const double x = -(double)below(708u << 16) / 65536.0 / (i % 2 ? 1 : 1 + below(100));
        const long double want = expl((long double)x), ulp = nextafter((double)want, 1e9) - (double)want;
        const double off = (double)(fabsl(ws_mrf_exp(x) - want) / ulp);
        worst = off > worst ? off : worst;
    }
    tap_ok(&t, worst < 2 && ws_mrf_exp(0) == 1 && below0 == 0,
           "a million powers of e are within two units in the last place (worst %.2f)", worst);
}

static void test_double(void) {
    int good = 1;
    state = 6;
    for (int i = 0; i < 1000000; i++) {
        const unsigned __int128 d =
            ((unsigned __int128)below(1u << 31) << 93 | (unsigned __int128)below(1u << 31) << 62 |
             (unsigned __int128)below(1u << 31) << 31 | below(2)) >>
            below(120);
        good = good && ws_mrf_double(d) == (double)d;
    }
    tap_ok(&t, good, "a million 128-bit integers become the nearest double");
    const ws_mrf_sums one = {1, 65535, UINT64_C(65535) * 65535};
    const ws_mrf_sums half = {UINT64_C(1) << 31, UINT64_C(65535) << 30, (UINT64_C(65535) * 65535) << 30};
    const ws_mrf_gauss a = ws_mrf_gauss_of(&one), b = ws_mrf_gauss_of(&half);
    tap_ok(&t, a.mean == 65535 && a.sd == 0.5 && b.mean == 32767.5 && b.sd == 32767.5,
           "mean and deviation of the largest volume");
    tap_ok(&t, ws_mrf_prior((ws_mrf_gauss){-1e300, 0.5}, ws_mrf_log(0.5), 65535) == WS_MRF_WORST &&
                   ws_mrf_prior((ws_mrf_gauss){7, 0.5}, ws_mrf_log(0.5), 7) == -45426,
           "an energy is at most 2^30, and rounds down below 0");
}

int main(void) {
    ws_cpu_probe(&cpu);
    test_worked();
    test_log();
    test_exp();
    test_double();
    test_random();
    test_shapes();
    for (int rule = WS_MRF_ICM; rule <= WS_MRF_RANDOM; rule++)
        tap_ok(&t, equal_by_threads(6, rule, NO_MASK) && equal_by_threads(18, rule, BY_LOT) &&
                       equal_by_threads(26, rule, BY_LOT),
               "1 to 5 threads: the same labels, sums and classes, rule %s", rule ? "random" : "icm");
    return tap_end(&t);
}
