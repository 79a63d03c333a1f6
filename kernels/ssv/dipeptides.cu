// SPDX-License-Identifier: MIT
// SSV's alarm for proteins on CUDA devices: shapes, tables and the launch. dipeptides.cuh has the rows.

#include "kernels/ssv/dipeptides.cuh"

// F(registers of a lane), from WS_SSV_DI_LEAST to WS_SSV_DI_MOST
#define SHAPES(F) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16)

// Takes a free slot for edges. There is one for each multiprocessor, and the registers of a multiprocessor suffice for
// one block.
static __device__ uint32_t take_slot(uint32_t *taken, uint32_t slots) {
    const uint32_t words = (slots + 31) / 32;
    for (uint32_t w = blockIdx.x % words;; w = (w + 1) % words) {
        const uint32_t here = min(slots - 32 * w, 32u), all = ~0u >> (32 - here);
        const uint32_t left = ~*(const volatile uint32_t *)&taken[w] & all, bit = left & -left;
        if (!left || atomicOr(&taken[w], bit) & bit) continue;
        __threadfence();
        return 32 * w + (uint32_t)__ffs((int)bit) - 1;
    }
}

// One launch has the units of all models, longest first, so that no shape waits for another one's longest sequence.
__global__ void __launch_bounds__(WS_SSV_DI_THREADS) ws_ssv_dipeptides(const ws_ssv_di_args a) {
    enum { CODES = WS_CODES };
    extern __shared__ uint4 table[];
    __shared__ uint16_t row_of[CODES * CODES];
    __shared__ uint32_t slot;
    const ws_ssv_di_unit unit = a.unit[blockIdx.x];
    const ws_ssv_di_task &t = a.ssv.task[unit.task].di;
    if (threadIdx.x == 0 && t.parts > 1) slot = take_slot(a.taken, a.slots);
    for (uint32_t i = threadIdx.x; i < CODES * CODES; i += WS_SSV_DI_THREADS) row_of[i] = ws_ssv_di_row_of(i);
    __syncthreads();
    const uint32_t edge = t.parts > 1 ? slot * a.words * WS_SSV_DI_GROUPS : 0;
    switch (t.R) {
#define ANY(R) \
    case R: \
        if (t.parts == 1) ws_ssv_di_run<R, false>(a, unit, table, row_of, edge); \
        else ws_ssv_di_run<R, true>(a, unit, table, row_of, edge); \
        break;
        SHAPES(ANY)
    }
    if (t.parts == 1) return;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAnd(&a.taken[slot / 32], ~(1u << slot % 32));
    }
}

int ws_ssv_di_lay_out(ws_ssv_di *p, ws_devtable *table, const ws_bytes *b, ws_err *err) {
    enum { OWN = 4 << 10, MOST_PARTS = 8 }; // bytes of the kernel besides its table
    enum { PADDING = 64, RAISES = -126 }; // third-bits
    const int nodes = b->M + 1; // diagonals may end behind the last one
    const size_t shared = ws_dev_shared() - ws_min(ws_dev_shared(), OWN);
    const int quads = (int)ws_min(WS_SSV_DI_MOST / 4, shared / WS_SSV_DI_SHARED);
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    *p = {};
    if (b->Kp != abc->Kp || b->M <= WS_SSV_DI_FEW || 4 * quads < WS_SSV_DI_LEAST) return WS_OK;
    int g = 2, parts = 1;
    while (g < WS_SSV_DI_COLUMNS && g * 16 * quads < nodes) g *= 2;
    while (parts * g * 16 * quads < nodes) parts++;
    if (parts > MOST_PARTS) return WS_OK;
    const int R = (int)ws_max(WS_SSV_DI_LEAST, (size_t)((nodes + 4 * g * parts - 1) / (4 * g * parts)));
    *p = {R, ws_log2(g), parts, table};
    auto cost = [=](int x, int k) { // of the residue of class x at node k
        const uint8_t *of = b->cost + (size_t)(x < WS_SSV_DI_CODES ? x : abc->any) * (size_t)(b->M + 1);
        return k < 1 || k > b->M ? 0 : (int)ws_min((size_t)(WS_SSV_CAP + b->bias), of[k]) - b->bias;
    };
    auto register_of = [=](int x, int second, int n) { // of nodes n + 1, n + R + 1 .., at which dipeptides end
        uint32_t e = 0;
        for (int byte = 0; byte < 4; byte++, n += R) {
            int d = n > b->M ? PADDING : cost(x, n + second);
            if (x == WS_SSV_DI_CLASSES - 1) d = n == 0 && !second ? RAISES : 0; // no height leads to the first node
            e -= (uint32_t)d << 8 * byte;
        }
        return e;
    };
    const int rows = (R + 3) / 4 * WS_SSV_DI_CLASSES * g;
    int rc = ws_devtable_create(table, (size_t)(parts * 2 * rows) * 16, err);
    if (rc) return rc;
    uint32_t *to = (uint32_t *)table->host;
    for (int part = 0; part < parts; part++)
        for (int second = 0; second < 2; second++)
            for (int quad = 0; quad < (R + 3) / 4; quad++)
                for (int x = 0; x < WS_SSV_DI_CLASSES; x++)
                    for (int z = 0; z < g; z++)
                        for (int j = 4 * quad; j < 4 * quad + 4; j++, to++)
                            if (j < R) *to = register_of(x, second, ((part * g + z) * 4) * R + j);
    return WS_OK;
}

// Returns the bytes of all edges of a device, for stretches of so many words.
static size_t edge_bytes(const ws_devstream *s, uint32_t words) {
    return (size_t)s->dev->sms * words * WS_SSV_DI_GROUPS * sizeof(uint2);
}

ws_ssv_di_task ws_ssv_di_choose(const ws_devcall *c, const ws_ssv_di &p, uint32_t words) {
    enum { SHARE = 64 }; // of --gpu-mem, for the edges of a stream
    const ws_device *d = c->stream->dev;
    const bool room = p.parts < 2 || !d->limit || edge_bytes(c->stream, words) <= d->limit / SHARE;
    return p.R && room ? ws_ssv_di_task{(const uint4 *)p.table->at[d->index], p.R, p.glog, p.parts} : ws_ssv_di_task{};
}

// The words of a list's items, longest first: how many items have so many words.
struct lengths {
    uint32_t count[WS_STRETCH_WORDS + 1];
};

static void count_lengths(lengths *h, const ws_seqs *seqs, const ws_task *task) {
    *h = {};
    for (size_t j = 0; j < task->n; j++) {
        const uint32_t words = (uint32_t)ws_batch_words(seqs->len[ws_task_item(task, j)]);
        const uint32_t n = (words + WS_STRETCH_WORDS - 1) / WS_STRETCH_WORDS;
        if (n) h->count[(words + n - 1) / n] += n; // the last stretch may be shorter
    }
}

static int longer(const void *a, const void *b) {
    const ws_ssv_di_unit *x = (const ws_ssv_di_unit *)a, *y = (const ws_ssv_di_unit *)b;
    if (x->time != y->time) return x->time > y->time ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

// The units of a call.
struct plan {
    ws_ssv_di_unit *at;
    size_t n, cap;
};

// Returns the time of a word of a task: registers and what a row needs besides, for all parts.
static double time_of(const ws_ssv_di_task &t) {
    const double PER_ROW = 3.5;
    return t.parts * (t.R + PER_ROW);
}

// Estimates the time of a unit of n items of `words` words, of at most `all`: a block with fewer warps is taken to be
// shorter, down to a third.
static double time_of_unit(const ws_ssv_di_task &t, uint32_t words, uint32_t n, uint32_t all) {
    const double part = (double)n / all, least = 1.0 / 3;
    return words * time_of(t) * (part > least ? part : least);
}

// Cuts a list into units that last `most` at most if they can, since a call lasts as long as its longest unit.
static int cut(plan *p, uint32_t task, const ws_ssv_di_task &t, const lengths *h, uint32_t items, double most,
               ws_err *err) {
    const uint32_t all = WS_SSV_DI_THREADS >> t.glog, least = all / 4;
    uint32_t words = WS_STRETCH_WORDS, first = 0, gone = 0; // gone: items of more words
    for (;;) {
        while (words && gone + h->count[words] <= first) gone += h->count[words--];
        if (!words) break;
        uint32_t n = all;
        while (n > least && time_of_unit(t, words, n, all) > most) n /= 2;
        int rc = ws_grow(&p->at, &p->cap, p->n + 1, sizeof *p->at, err);
        if (rc) return rc;
        p->at[p->n++] = {task, first, n, (float)time_of_unit(t, words, n, all)};
        first += n;
    }
    if (first < items) ws_bug("a list has more items than lengths");
    return WS_OK;
}

// Plans the units of all tasks, longest first. Returns WS_ENOMEM on failure; the caller frees p->at.
static int make_plan(plan *p, const ws_devcall *c, const ws_devlist *list, const ws_ssv_di_task *di, ws_err *err) {
    lengths *h = (lengths *)ws_calloc(2, sizeof *h, err); // of the batch, and of a task with a list of its own
    int rc = h ? WS_OK : WS_ENOMEM;
    bool have = false;
    double sum = 0; // of the time of all tasks in full blocks
    for (int pass = 0; pass < 2; pass++)
        for (size_t t = 0; t < c->ntask && !rc; t++) {
            const bool own = c->task[t].item;
            if (!di[t].R) continue;
            if (own || !have) count_lengths(&h[own], c->seqs, &c->task[t]);
            have |= !own;
            if (pass == 0)
                for (uint32_t w = 1; w <= WS_STRETCH_WORDS; w++)
                    sum += (double)w * h[own].count[w] * time_of(di[t]) / (WS_SSV_DI_THREADS >> di[t].glog);
            else rc = cut(p, (uint32_t)t, di[t], &h[own], list[t].n, sum / c->stream->dev->sms / 4, err);
        }
    ws_free(h);
    if (!rc && p->n) qsort(p->at, p->n, sizeof *p->at, longer);
    return rc;
}

int ws_ssv_di_launch(ws_devcall *c, const ws_devlist *list, const ws_ssv_di_task *di, const ws_ssv_args &args,
                 uint32_t words, ws_err *err) {
    ws_devstream *s = c->stream;
    plan p = {};
    ws_ssv_di_args a = {args, NULL, words, (uint32_t)s->dev->sms, NULL, NULL};
    void *unit = NULL, *edge = NULL, *taken = NULL;
    int quads = 0, parts = 1;
    for (size_t t = 0; t < c->ntask; t++) {
        quads = max(quads, (di[t].R + 3) / 4);
        parts = max(parts, di[t].parts);
    }
    int rc = make_plan(&p, c, list, di, err);
    if (!rc && p.n) rc = ws_devstream_put(s, p.at, p.n * sizeof *p.at, &unit, err);
    ws_free(p.at);
    if (rc || !p.n) return rc;
    if (parts > 1) rc = ws_devstream_alloc(s, edge_bytes(s, words), &edge, err);
    if (!rc) rc = ws_devcall_zeros(c, (a.slots + 31) / 32 * sizeof *a.taken, &taken, err);
    if (rc) return rc;
    a.unit = (const ws_ssv_di_unit *)unit;
    a.edge = (uint2 *)edge;
    a.taken = (uint32_t *)taken;
    return ws_launch_filling(s, (const void *)ws_ssv_dipeptides, "ws_ssv_dipeptides", dim3((unsigned)p.n),
                             WS_SSV_DI_THREADS, (size_t)(quads * WS_SSV_DI_SHARED), &a, err);
}
