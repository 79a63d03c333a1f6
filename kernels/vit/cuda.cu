// SPDX-License-Identifier: MIT
// The Viterbi filter and the Viterbi scan of windows on CUDA devices: shapes, tables and the backends. The kernel is in
// device.cuh.
//
// Contents: 1 tables; 2 the backends

#include "kernels/vit/device.cuh"
#include "kernels/filter/device.cuh"

#include <limits.h>
#include <math.h>
#include <string.h>

#define SHAPE(R, COLUMNS, SPAN, BLOCK, MIN_G, MAX_G, GOAL) \
    {(const void *)ws_vit_scores<R, COLUMNS, SPAN, GOAL>, "ws_vit_scores<" #R ", " #COLUMNS ", " #SPAN ", " #GOAL ">", \
     R, 2 * R, MIN_G, \
     MAX_G, BLOCK, COLUMNS, 0},
#define SHAPES(GOAL) \
    WS_VIT_SHORT(SHAPE, 8, IN_WARP, THREADS, 1, 8, GOAL) \
    WS_VIT_LONG(SHAPE, 8, IN_WARP, THREADS, 1, 8, GOAL) \
    WS_VIT_LONG(SHAPE, 16, IN_WARP, THREADS, 16, 16, GOAL) \
    WS_VIT_LONG(SHAPE, 32, IN_WARP, THREADS, 32, 32, GOAL) \
    WS_VIT_FULL(SHAPE, 32, IN_WARP, THREADS, 32, 32, GOAL) \
    WS_VIT_VAST(SHAPE, 0, IN_BLOCK, 0, 64, MAX_LANES, GOAL) \
    WS_VIT_HUGE(SHAPE, 0, IN_CLUSTER, 0, 2 * MAX_LANES, WS_VIT_CLUSTER_MOST * MAX_LANES, GOAL)
static const ws_shape shapes[] = {SHAPES(SCORE)}, scan_shapes[] = {SHAPES(POINTS)};
static_assert((int)MAX_LANES == (int)WS_BLOCK_LANES, "groups beyond a block are whole blocks");

int ws_vit_is_filter(const void *kernel) {
    for (const ws_shape &s : shapes)
        if (s.kernel == kernel) return 1;
    return 0;
}

struct vit_model : ws_devmodel {
    int least_move; // see vit_task
    uint32_t dead;
};
enum { TABLE_EMISSIONS, TABLE_TRANSITIONS };

static const vit_model &model_of(const ws_task &t) { return ws_devmodel_of<vit_model>(t); }

// ---- 1 tables ----

// Returns whether all numbers of the model are in the range in which the device's arithmetic is exact. Sets the fields
// of *p that depend on them.
static bool fits(vit_model *p, const ws_words *w) {
    const size_t row = (size_t)w->M + 1;
    int entry = PAD_ENTRY;
    for (int x = 0; x < w->Kp; x++) {
        int most = -32768, least = 32767;
        for (int k = 1; k <= w->M; k++) {
            most = w->emit[(size_t)x * row + (size_t)k] > most ? w->emit[(size_t)x * row + (size_t)k] : most;
            least = w->emit[(size_t)x * row + (size_t)k] < least ? w->emit[(size_t)x * row + (size_t)k] : least;
        }
        if (most == -32768) p->dead |= 1u << x;
        else if (least < STEP || most >= SHIFT) return false;
    }
    for (int x = w->Kp; x < WS_CODES; x++) p->dead |= 1u << x;
    for (int k = 1; k <= w->M; k++) {
        entry = w->tr[WS_PBM][k] < entry ? w->tr[WS_PBM][k] : entry;
        for (int t = 0; t < WS_NPTRANS && k < w->M; t++)
            if (w->tr[t][k] < STEP || w->tr[t][k] > 0) return false;
    }
    p->least_move = LOW + SHIFT - WS_WORD_BASE - entry;
    return entry >= STEP && w->M > 0;
}

// Sets gain[k] to the most that a D of node k can gain through one or more D to D over an entry at the node that it
// leaves to. Source: HMMER's bound (profile-filters.md, section 5.2), which is that of all nodes. The bound of a share
// of the nodes must include paths that leave after that share.
static void set_gains(int *gain, const ws_words *w) {
    for (int k = w->M; k >= 0; k--) {
        gain[k] = -32768;
        if (k < 2 || k > w->M - 2) continue;
        const int next = w->tr[WS_PDM][k + 1] - w->tr[WS_PBM][k + 2], on = next > gain[k + 1] ? next : gain[k + 1];
        if (w->tr[WS_PDD][k] + on > gain[k]) gain[k] = w->tr[WS_PDD][k] + on;
    }
}

static int largest(const int *gain, int first, int last, int M) {
    int most = -32768;
    for (int k = first; k <= last && k <= M; k++) most = gain[k] > most ? gain[k] : most;
    return most;
}

// Makes the table vit_task.trans. Returns WS_ENOMEM on failure.
static int make_transitions(vit_model *p, const ws_words *w, int R, ws_err *err) {
    static const int from[NTRANS] = {WS_PBM, WS_PMM, WS_PIM, WS_PDM, WS_PMI, WS_PII, WS_PMD, WS_PDD};
    static const int before[NTRANS] = {0, 0, 0, 0, 0, 0, 1, 1};
    const int g = p->fit.g;
    int rc = ws_devtable_create(&p->table[TABLE_TRANSITIONS], (size_t)((NTRANS * R + 1) * g) * 4, err);
    if (rc) return rc;
    uint32_t *trans = (uint32_t *)p->table[TABLE_TRANSITIONS].host;
    for (int t = 0; t < NTRANS; t++) {
        auto value = [=](int k) {
            const int at = k - before[t];
            return (t == BM ? k <= w->M : at >= 1 && at < w->M) ? w->tr[from[t]][at]
                   : t == BM                                    ? (int)PAD_ENTRY
                                                                : (int)STEP;
        };
        for (int j = 0; j < R; j++)
            for (int z = 0; z < g; z++) {
                const int k = z * 2 * R + j + 1;
                trans[(t * R + j) * g + z] = ws_pair16(value(k), value(k + R));
            }
    }
    int *gain = (int *)ws_calloc((size_t)w->M + 1, sizeof *gain, err);
    if (!gain) return WS_ENOMEM;
    set_gains(gain, w);
    for (int z = 0; z < g; z++) {
        const int k = z * 2 * R;
        trans[NTRANS * R * g + z] =
            ws_pair16(largest(gain, k + 1, k + R, w->M), largest(gain, k + R + 1, k + 2 * R, w->M));
    }
    ws_free(gain);
    return WS_OK;
}

static int lay_out(ws_devmodel *m, const void *form, ws_err *err) {
    vit_model *p = static_cast<vit_model *>(m);
    const ws_words *w = (const ws_words *)form;
    if (!fits(p, w)) return WS_OK;
    p->fit = WS_FIT(shapes, ws_vit_costs, WS_CODES, w->M);
    if (p->fit.shape < 0) return WS_OK;
    const int R = shapes[p->fit.shape].R;
    auto emission = [=](int x, int k) {
        const int v = k <= w->M && x < w->Kp ? w->emit[(size_t)x * (size_t)(w->M + 1) + (size_t)k] : (int)STEP;
        return v < STEP ? (int)STEP : v;
    };
    auto reg = [=](int x, int k) { return ws_pair16(emission(x, k), emission(x, k + R)); };
    int rc = ws_emissions_create(&p->table[TABLE_EMISSIONS], WS_CODES, R, p->fit.g, 2, reg, err);
    return rc ? rc : make_transitions(p, w, R, err);
}

// ---- 2 the backends ----

template <vit_goal GOAL> static int queue(ws_devcall *c, ws_err *err) {
    ws_devstream *s = c->stream;
    void *taken = NULL;
    int rc = ws_devcall_zeros(c, c->ntask * sizeof(uint32_t), &taken, err);
    if (rc) return rc;
    typedef typename vit_result<GOAL>::type result;
    const vit_args<GOAL> args = {
        {NULL, NULL, ws_devbatch_words(s), ws_devbatch_seqs(s), (result *)s->out.p, (uint32_t *)taken}, c->finds};
    auto fit_of = [](const ws_task &t) { return model_of(t).fit; };
    auto task_of = [=](const ws_task &t, const ws_devlist &list, uint32_t first) {
        const vit_model &p = model_of(t);
        return vit_task{ws_devmodel_table<uint4>(s, p, TABLE_EMISSIONS),
                        ws_devmodel_table<uint32_t>(s, p, TABLE_TRANSITIONS), list.item, list.n, first,
                        ws_log2(p.fit.g), p.least_move, p.dead};
    };
    auto shared_of = [](const ws_task &t) { // the emissions, and vit_state.aside
        const ws_shape &s = shapes[model_of(t).fit.shape];
        return ws_emissions_shared(s, WS_CODES) +
               (s.columns ? (size_t)(WS_VIT_KEEP_DD(s.R) ? 1 : 1 + s.R) * 4 * 32 : 4 * MAX_LANES);
    };
    return ws_devcall_queue(c, GOAL == SCORE ? shapes : scan_shapes, false, true, args, fit_of, task_of, shared_of,
                            err);
}

static int32_t end_of(const void *raw) {
    int32_t xC;
    memcpy(&xC, raw, sizeof xC);
    return xC;
}

static ws_fscore decode(const ws_devmodel *, const ws_lenmodel *lm, const void *raw) {
    if (end_of(raw) == OVERFLOWED) return {INFINITY, WS_F_OVERFLOW};
    return ws_viterbi_score(end_of(raw), lm->wmove);
}

static bool undecided(const void *raw) { return end_of(raw) == UNDECIDED; }

static const ws_body *const cpu[] = {WS_BY_WIDTH(ws_vit_)};
static const ws_devfilter filter = {&ws_words_form,  cpu,    sizeof(vit_model), lay_out, queue<SCORE>,
                                    sizeof(int32_t), decode, undecided,         false,        NULL};
static const ws_devfilter scan = {&ws_words_form,        NULL, sizeof(vit_model), lay_out, queue<POINTS>,
                                  sizeof(ws_vit_points), NULL, NULL,              false,   ws_vit_points_take};

const ws_backend ws_vit_cuda = ws_devfilter_backend(&filter, 1.5e10);
const ws_backend ws_vit_points_cuda = ws_devfilter_backend(&scan, 1.5e10);
