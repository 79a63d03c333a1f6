/* SPDX-License-Identifier: MIT
 * The policy of a chain: see bin/stages/plan.h. Each constant says what it trades, and what was measured. */
#include "bin/stages/plan.h"

#include <math.h>

/* ---- speeds ---- */

/* The steps of the filters and of spans. Pairs without a filter are as those of the first step of domains. */
static const ws_step_kind step_of[] = {WS_STEP_MSV, WS_STEP_VIT, WS_STEP_FWD, WS_STEP_PARSE},
                          span_of[] = {WS_STEP_PARSE, WS_STEP_RESOLVE, WS_STEP_RESCORE};

/* Return the cells that all threads, or all devices, do in a second. */
static double of_threads(const ws_plan_machine *m, ws_step_kind k) { return m->threads * m->thread[k]; }
static double of_device(const ws_plan_machine *m, ws_step_kind k) { return m->streams * m->stream[k]; }

/* ---- batches ---- */

enum { USUAL_BATCH = 128 << 10 }; /* residues: ws_job_batch */

uint64_t ws_plan_most_batch(double nodes) {
    /* The next program of a pipe gets its rows within a second of device time. A genome's annotation has models with
     * 4 M nodes in all; with a device's usual 4 M residues it made one batch, whose 900,000 rows one thread wrote. With
     * 10,000 models on an H200 the limit cuts the chain from 6.4 s to 4.2 s; the kernels alone lose 5 %:
     * bench/README.md. */
    const double cells = 1e12;
    return ws_max(USUAL_BATCH, (uint64_t)(cells / nodes));
}

uint64_t ws_plan_later_batch(size_t models) {
    /* A batch is worked on in parts only if there are several models (ws_policy_parts). The first filter leaves 100,000
     * residues of a proteome for one model, which one thread would score. */
    enum { OF_A_MODEL = 16 << 10 };
    return models < USUAL_BATCH / OF_A_MODEL ? models * OF_A_MODEL : 0;
}

uint64_t ws_plan_batch(uint64_t nodes) {
    /* A few milliseconds of a core are enough work, and large batches are read faster: an H200's host read 400 M packed
     * residues in 0.49 s by 128 K, in 0.2 s by a million and more, while all of 16 cores waited for them with one
     * model. */
    enum { LEAST = USUAL_BATCH, MOST = 1 << 20 };
    const double cells = 3e8, residues = cells / (double)ws_max(nodes, 1);
    return (uint64_t)fmin(fmax(residues, LEAST), MOST);
}

uint64_t ws_plan_placed_batch(double cells, double edges) {
    /* About 4e9 cells, so that cores share the reads of a small file. Rows that are kept take some 32 MB. */
    const double residues = fmin(4e9 / cells, edges > 0 ? 1.6e8 / edges : INFINITY);
    return (uint64_t)fmin(fmax(residues, 1), USUAL_BATCH);
}

/* ---- filters: pools ---- */

/* A pool waits until it is full, since a model meets few sequences of a small one, and vector bodies that interleave
 * sequences run out of them: with four times as many fwdscore takes a seventh less processor time (2,766 models x
 * E. coli, AVX-512). A device's pool has FULL_FOR_DEVICE times the pairs, and DEVICE_CELLS_AS the cells. FULL_BYTES
 * bounds memory where all sequences pass, as those of a family do: each stream holds a pool and a pinned copy of it,
 * and each filter has further pools. Codes take as much again. */
#define FULL_CELLS 4e9
enum { FULL_PAIRS = 128 << 10, FULL_BYTES = 64 << 20, FULL_FOR_DEVICE = 4, DEVICE_CELLS_AS = 200 };

/* After Forward each pair is a millisecond of a core. So with a device its pool is full early. */
enum { FULL_FOR_DEVICE_FWD = 16 << 10 };

/* While cores wait, fewer pairs are worth a call: without that, all domains of 100 models x 400 M residues came after
 * the last MSV, and the run took 5.9 s for 4.2 (H200, cuda). Not where a device has the domains too, since its calls
 * last long and MSV's wait for them: 100 models x 1 G residues took 12.8 s for 9.6. Calls of few pairs hold many
 * multiprocessors while a few warps work: 100 queries x 1 G residues took 3.63 s with 8,192 pairs of Viterbi, 3.54 with
 * 24,576 (H100, means of four). Without a device a WORTH_SHAREth of a full pool is worth a step. */
enum { WORTH_FOR_DEVICE = 24 << 10, WORTH_FOR_DEVICE_FWD = 2 << 10, WORTH_SHARE = 4 };

/* The first calls of a filter have fewer cells, and need fewer pairs: a FIRST_SHAREth. Threads of the CPU have nothing
 * to do until some have passed. A trace of 1,200 models x 59 M residues had its first domains at 0.4 s of 3 (H100). */
#define FIRST_CELLS 2e10
enum { FIRST_CALLS = 8, FIRST_SHARE = 8 };

double ws_plan_pool_bytes(uint64_t mem) {
    enum { LEAST = 1 << 20, SHARE = 256 };
    return mem ? fmin(fmax((double)mem / SHARE, LEAST), FULL_BYTES) : FULL_BYTES;
}

double ws_plan_pool_fullness(const ws_plan_machine *m, const ws_plan_pool *p, double most_bytes) {
    if (!p->pairs) return 0;
    const double usual = (double)FULL_PAIRS * (m->device ? FULL_FOR_DEVICE : 1);
    const double full = m->device && p->filter == WS_PLAN_FWD ? FULL_FOR_DEVICE_FWD : usual;
    const double cells = p->cells / (FULL_CELLS * (m->device ? DEVICE_CELLS_AS : 1));
    return fmax(fmax((double)p->pairs / full, cells), p->bytes / most_bytes);
}

/* Returns whether an open pool, which is `full`, is worth a step. */
static int is_worth(const ws_plan_machine *m, const ws_plan_pool *p, double full, int calls) {
    if (!m->device) return full * WORTH_SHARE >= 1;
    const size_t worth = p->filter == WS_PLAN_FWD ? WORTH_FOR_DEVICE_FWD : WORTH_FOR_DEVICE;
    return p->pairs >= (calls < FIRST_CALLS ? worth / FIRST_SHARE : worth);
}

int ws_plan_pool_closes(const ws_plan_machine *m, const ws_plan_pool *p, double full, int calls, ws_chain_kind kind,
                        ws_chain_need need) {
    if (full <= 0 || !ws_plan_filter_is_for(m, p->filter, kind, need)) return 0;
    return need == WS_CHAIN_ANY || is_worth(m, p, full, calls);
}

int ws_plan_pool_spreads(const ws_plan_machine *m, int filter, double passing) {
    /* Where a batch alone brings a device enough pairs for a call, batches go to several pools. One pool for all had a
     * copy of each sequence of all batches in flight, and threads waited for one another to add to it. They did little
     * else in the first second of 1,200 models x 590 M residues, 16 threads and two H100 (a trace). */
    return m->device && filter == WS_PLAN_MSV && passing >= WORTH_FOR_DEVICE;
}

/* ---- filters: steps ---- */

int ws_plan_filter_is_for(const ws_plan_machine *m, int filter, ws_chain_kind kind, ws_chain_need need) {
    /* Threads of the CPU leave pairs to a device that is faster than all of them, since domains wait for the CPU: 1,200
     * models x 59 M residues took 6.2 s where both kinds took pairs, 4.5 s without the CPU (H200). Before they would
     * wait, the threads help, if that is WORTH_HELP of what the device does: else their steps would just come before
     * domains that arrive meanwhile. */
    const double WORTH_HELP = 1.0 / 16;
    if (filter == WS_PLAN_NO_FILTER) return kind == WS_CHAIN_CPU;
    if (kind == WS_CHAIN_DEVICE) return m->device;
    if (!m->device) return m->cpu;
    return m->cpu && of_threads(m, step_of[filter]) >= of_device(m, step_of[filter]) *
                                                           (need == WS_CHAIN_SPARE ? WORTH_HELP : 1);
}

int ws_plan_device_calibrates(const ws_plan_machine *m) {
    /* Where a thread did each model that came while the device was busy, calls had fewer models, and 10,000 proteins
     * took 2.34 s for 2.02 (H200, 16 threads). */
    return m->device && of_device(m, WS_STEP_FWD) >= of_threads(m, WS_STEP_FWD);
}

/* Seconds of a step on the CPU. Overhead is a larger part of shorter ones, and of longer ones others wait for the end.
 * Pairs that are listed are of many models, and fill registers only if they are many. Steps are shorter where a pool
 * would else not last for OF_THREAD steps of each thread. */
#define STEP_LEAST_OF_ALL 5e-4
#define STEP_LEAST 1.5e-3
#define STEP_MOST 2e-2
#define OF_THREAD 4.0

/* A call takes as many cells as a device does in CALL_LONGEST seconds at most: of a slow one it would last long. */
#define CALL_LONGEST 0.1

/* A call of a device should have as many cells, or pairs, since the host's share of a pair that passed a filter is
 * larger. A call lasts as long as its longest sequence, some 4 ms for 4,910 residues: with 16,000 pairs the kernels of
 * vitfilt took 0.65 s for 3.5 million pairs, with 60,000 0.33, 125,000 0.28, 250,000 0.27. Streams share the cells
 * of a search: 1,200 models x E. coli are 2.8e11, and took 1.08 s with calls of 2e11 cells, 0.82 with 5e10. A fifth
 * of a large pool is more: 100 models x 400 M residues took 4.2 s with 5e10, 3.9 with 2e11, 4.1 with 6e11 (H200). */
#define CALL_CELLS 5e10
#define CALL_MOST_CELLS 2e11
enum { CALLS_OF_POOL = 5, CALL_PAIRS = 125000, CALL_PAIRS_OF_ALL = 4 << 20, CALL_TASKS = WS_POLICY_DEVICE_TASKS };

ws_budget ws_plan_filter_step(const ws_plan_machine *m, const ws_plan_pool *p, ws_chain_kind kind, int calls) {
    if (kind == WS_CHAIN_DEVICE) {
        const double share = fmin(fmax(p->cells / CALLS_OF_POOL, CALL_CELLS), CALL_MOST_CELLS);
        const double usual = calls < FIRST_CALLS ? FIRST_CELLS : share, device = of_device(m, step_of[p->filter]);
        const double cells = device > 0 ? fmin(usual, CALL_LONGEST * device) : usual;
        return (ws_budget){cells, p->all ? CALL_PAIRS_OF_ALL : CALL_PAIRS, CALL_TASKS};
    }
    const double share = p->cells / (OF_THREAD * m->threads), speed = m->thread[step_of[p->filter]];
    const double least = p->all ? STEP_LEAST_OF_ALL : STEP_LEAST;
    const double cells = fmin(fmax(share, least * speed), STEP_MOST * speed);
    return (ws_budget){cells, SIZE_MAX, SIZE_MAX};
}

int ws_plan_leaves_decision(int streams, int waiting) {
    /* A stream begins its next call at once. Scores that wait take memory, so they are no more than streams. */
    return waiting < streams;
}

int ws_plan_decides(ws_chain_kind kind, ws_chain_need need) {
    /* Threads of a device have other steps first. */
    return kind != WS_CHAIN_DEVICE || need == WS_CHAIN_SOME || need == WS_CHAIN_ANY;
}

ws_chain_wish ws_plan_wish(const ws_plan_machine *m, size_t pools, size_t half_full, int many) {
    /* Many threads share a device's large pool, and each has small ones of its own; AHEAD pools more bound memory. */
    enum { AHEAD = 2 };
    const size_t most = AHEAD + (size_t)(m->device ? m->streams : m->threads);
    if (pools >= most || many) return WS_CHAIN_NO_ROOM;
    return half_full ? WS_CHAIN_ROOM : WS_CHAIN_HURRY;
}

/* ---- domains: what waits ---- */

/* Spans do not wait for others of their model where so many do, or ENOUGH_CELLS for each thread. While a thread of the
 * CPU would wait, WORTH spans are worth a step. */
enum { WORTH = 128, TOO_MANY = 64 << 10 };
#define ENOUGH_CELLS 3e8

/* While filters have calls for a device it takes ensembles earlier than TOO_MANY: threads of the CPU had 180 of their
 * 280 seconds in those of 1,200 models x 590 M residues. */
enum { TOO_MANY_ENSEMBLES = 4 << 10 };

/* A device and 16 threads need some seconds for so many cells. In that time the filters of a device let a million
 * sequences of a family pass, and each of them would wait with five bytes for each residue. */
#define MANY_CELLS 4e10

/* Cells for which a call of a device is worth its while, those that it takes while more may come, and the most of a
 * call: some ten milliseconds. With a backend of devices alone, they begin with FEW_CELLS too. */
#define CALL_WORTH 2e8
#define CALL_FULL 1e9
#define CALL_MOST 2e9
#define FEW_CELLS 2e7

/* Where both share, each has a part by its speed. A device makes no call for what the threads of the CPU end within
 * SOON seconds, about as long as a call. */
#define SOON 0.02

/* With device_first, envelopes are for devices alone if they have FEW_CELLS, up to what a device does in OWN_SECONDS.
 * In searches of proteins a device has them alone too, up to so many, while the filters have work for it: of all steps
 * it is fastest in these beside threads of the CPU. Not one that is slower than these.
 * Envelopes of long models run at 1/8 of the cells a second of targets on a CPU thread. The end of a search waits for
 * threads that take steps of eight such envelopes: 16 DNA models x 63 Mb took 2.01 and 2.47 s with such steps, 1.86
 * and 2.10 without (H100, a trial build of 07ef100). */
#define OWN_SECONDS 0.6

/* Seconds until a device brings domains: calls of Viterbi and Forward, and one of MSV that each may wait for. With 0.2
 * to 1 the CPU's threads of 100 queries x 1 G residues had work at all times, else they waited three times for 0.1 to
 * 0.2 s (traces, H100). */
#define BRINGS_SECONDS 0.2

/* A problem lasts as long as its rows and places, one after another. Where it has more cells than LONGEST, some 100 ms
 * a recurrence, the host is faster. Windows of genomes have more: threads that had the longest of them ended last, and
 * their envelopes came when all others were done. 16 DNA models x 63 Mb took 1.97 s with 12e6, 1.81 with 20e6 and 40e6
 * (means of three, early-h100.tsv). */
#define LONGEST 12e6
#define LONGEST_WINDOW 40e6

int ws_plan_spans_are_many(size_t n, double cells) { return n >= 2 * (size_t)TOO_MANY || cells >= MANY_CELLS; }

int ws_plan_spans_are_few(double seconds, int threads) { return seconds < BRINGS_SECONDS * threads; }

double ws_plan_span_longest(int device_first) { return device_first ? LONGEST_WINDOW : LONGEST; }

/* Returns whether no more spans come from stages that need the device, or nothing should wait. */
static int is_last(const ws_plan_spans *s, ws_chain_need need) { return need == WS_CHAIN_ANY || s->eager; }

/* Returns whether what waits is for devices alone. Those of proteins are while the filters have work for the device;
 * then both share what is left. */
static int are_devices_own(const ws_plan_spans *s, ws_chain_need need) {
    const double device = of_device(&s->m, WS_STEP_RESCORE);
    if (!s->m.device || s->kind != WS_PLAN_RESCORE || s->cells >= OWN_SECONDS * device) return 0;
    if (device <= of_threads(&s->m, WS_STEP_RESCORE)) return 0;
    return s->device_first ? s->cells >= FEW_CELLS : !is_last(s, need);
}

double ws_plan_spans_seconds(const ws_plan_spans *s) {
    return are_devices_own(s, WS_CHAIN_FULL) ? 0 : s->cells / s->m.thread[span_of[s->kind]];
}

/* ---- domains: steps of the CPU ---- */

/* Beside a device, and one that will join, the CPU cuts a step for each thread alone: a device does no steps of the
 * CPU, and steps of later stages come before them. When it cut 64, a trace of 20,000 targets of a family showed some
 * that waited until all else was done, and then kept few threads busy. */
static size_t spans_of_all(const ws_plan_spans *s) { return (size_t)s->m.threads * WS_PLAN_SPANS_OF_STEP; }

size_t ws_plan_spans_to_cut(const ws_plan_spans *s, size_t n) {
    return s->m.device || s->m.opening ? ws_min(n, spans_of_all(s)) : n;
}

size_t ws_plan_spans_of_step(const ws_plan_spans *s) {
    return s->waiting < spans_of_all(s) ? WS_PLAN_SPANS_OF_STEP / 2 : WS_PLAN_SPANS_OF_STEP;
}

int ws_plan_spans_cut(const ws_plan_spans *s) {
    /* Beside a device only where threads of the CPU will soon have no step, although spans are not kept for it. So a
     * device that joins finds spans: of 20,000 targets of a family all would be steps of the CPU before it is open. */
    if (!s->m.device && !s->m.opening) return 1;
    return !s->device_first && !are_devices_own(s, WS_CHAIN_FULL) && s->steps < (size_t)s->m.threads;
}

int ws_plan_spans_most_calls(const ws_plan_machine *m, ws_chain_need need) {
    /* Half as many as there are streams while the filters have work too, whose short calls would else wait for the long
     * ones of domains. A call for windows' envelopes has a second stream in its second half. */
    return (int)ws_max(1, need == WS_CHAIN_ANY ? m->streams : m->streams / 2);
}

/* Returns whether spans are for the CPU. Before a thread would wait, many are, but envelopes of genomes: 1,200 models x
 * 59 M residues took 4.0 s so, else 4.7 (H200, device_first). A device with a backend of its own has the first spans of
 * a stage, however few. */
static int are_for_cpu(const ws_plan_spans *s, ws_chain_need need) {
    if (!s->m.device) return 1;
    const int own = are_devices_own(s, need);
    if (own && s->device_first) return 0;
    if (need == WS_CHAIN_SPARE && s->waiting >= WORTH) return 1;
    if (own) return 0;
    if (s->device_first && !is_last(s, need)) return 0;
    const int busy = s->calls >= ws_plan_spans_most_calls(&s->m, need);
    return s->m.cpu || busy || s->had || s->cells >= FEW_CELLS;
}

int ws_plan_spans_cpu_cuts(const ws_plan_spans *s, ws_chain_need need) {
    if (!s->waiting || !are_for_cpu(s, need)) return 0;
    const int may = need == WS_CHAIN_SOME || (need == WS_CHAIN_SPARE && s->m.device) || s->m.opening;
    return s->eager || need == WS_CHAIN_ANY || (may && s->waiting >= WORTH) || s->waiting >= TOO_MANY ||
           s->cells >= ENOUGH_CELLS * s->m.threads;
}

int ws_plan_spans_longest_first(const ws_plan_spans *s, ws_chain_need need) {
    /* At the end, so that others fill the time beside them: to look at all models takes long. */
    return need == WS_CHAIN_ANY && s->waiting < WS_PLAN_SPANS_OF_MODEL;
}

/* ---- domains: calls of a device ---- */

/* Cells of a call. */
typedef struct call {
    double least, most;
} call;

/* Returns what a device may take. While the filters have work for it, it takes envelopes, and of other spans too many
 * alone. */
static call call_of(const ws_plan_spans *s, ws_chain_need need) {
    const int last = is_last(s, need), first = !s->m.cpu && !s->had && s->cells < FEW_CELLS;
    call k = {0, CALL_MOST};
    if (!last && s->device_first) {
        k.least = need == WS_CHAIN_FULL || need == WS_CHAIN_EARLY ? CALL_FULL : CALL_WORTH;
    } else if (!last && s->kind == WS_PLAN_RESCORE) {
        k.least = need == WS_CHAIN_SOME ? CALL_WORTH : CALL_FULL;
    } else if (!last && need != WS_CHAIN_SOME) {
        k.least = INFINITY;
    } else if ((!last || !first) && !are_devices_own(s, need)) {
        const ws_step_kind step = span_of[s->kind];
        const double stream = s->m.stream[step], threads = of_threads(&s->m, step);
        const double share = stream > 0 ? stream / (of_device(&s->m, step) + threads) : 0;
        k.least = fmax(SOON * threads, CALL_WORTH);
        k.most = fmin(fmax(s->cells * share, CALL_WORTH), CALL_MOST);
    }
    return k;
}

double ws_plan_spans_call(const ws_plan_spans *s, ws_chain_need need) {
    if (!s->m.device || !s->waiting) return 0;
    const size_t many = s->kind == WS_PLAN_RESOLVE && !s->device_first ? TOO_MANY_ENSEMBLES : TOO_MANY;
    const call c = call_of(s, need);
    return s->cells < c.least && s->waiting < many ? 0 : c.most;
}

int ws_plan_spans_stream_ends(int threads, int streams) { return threads <= streams; }

/* ---- text, turns ---- */

ws_plan_lists ws_plan_lists_of(int tight, int aligned) {
    /* With 8,192 for both, 3 of 16 threads made text at the end of 100 queries x 1 G residues, and the search took 5.27
     * s. With 8,192 and 131,072 it took 5.10 s (points-h100.tsv, means of three). A hit is some 7 KB of text with its
     * alignment, and 1 KB without. With 65,536 of the latter, 8 of 32 threads made text at the end of 1,200 models x
     * 590 M residues, for 0.79 s, and the others waited for the longest lists (two H200). With 524,288, 13 of 16 did,
     * for 0.77 s (one H200). */
    enum { ALONE = 32768, ALIGNED = 65536, PLAIN = 8 * ALIGNED, TIGHT = 8192, LISTS = 4096 };
    return tight ? (ws_plan_lists){TIGHT, TIGHT, LISTS} : (ws_plan_lists){ALONE, aligned ? ALIGNED : PLAIN, LISTS};
}

int ws_plan_list_threads(int threads, size_t hits, size_t all) {
    /* Twice a list's part of the threads, since its hits may be longer than those of others, and its turn come late:
     * 100 queries x 1 G residues waited 0.1 s of 0.24 for one thread that had 3,459 of 50,000 hits (H100). */
    const size_t n = ws_max(all, 1), part = (2 * (size_t)threads * hits + n - 1) / n;
    return (int)ws_min((size_t)threads, ws_max(1, part));
}

/* ---- genomes ---- */

int ws_plan_set_nodes(long long left) {
    /* A large set asks a device for much work in a call, and unpacks few blocks again. The windows of a set go through
     * the device one after the other and a thread waits for them, so the last sets, which the end of a run waits for,
     * are small: a set has at most a quarter of the nodes that are left. */
    enum { LEAST = 4096, MOST = 16384, QUARTER = 4 };
    return (int)ws_max(ws_min((size_t)(left / QUARTER), MOST), LEAST);
}

int ws_plan_device_marks(const ws_plan_genome *g) {
    enum { AHEAD = 4 }; /* pools beside one for each stream, which bounds memory */
    return g->m.device && g->on_devices < AHEAD + (size_t)g->m.streams;
}

int ws_plan_cpu_marks(const ws_plan_genome *g, ws_chain_need need) {
    /* Beside devices the CPU may before it would wait, if they have tested before, or had nothing to test, and mark
     * alone now, and if no domains wait. It tests what it marks, and domains that come meanwhile wait for that. When it
     * marked whenever no domains waited, 48 models x 300 Mb took 8.0 to 8.6 s, else 7.2 to 7.5. When it marked until
     * the device was open, 16 models x 63 Mb took 1.87 s, else 1.52 and 1.65 (H100). */
    if (!g->m.device) return 1; /* also while one opens that may not be there soon */
    return g->m.cpu && g->tested && g->marking && !g->testing && (need == WS_CHAIN_SPARE || need == WS_CHAIN_ANY) &&
           !g->spans;
}

uint64_t ws_plan_slices(int marked, uint64_t nodes, uint64_t residues) {
    /* A slice is a few milliseconds of the whole scan. Where a device has marked, a step has more of them. */
    const uint64_t most = 8 << 20, cells = (uint64_t)3 << 30;
    return marked ? ws_max(ws_min(cells / nodes, most) / residues, 1) : 1;
}

int ws_plan_chunk_is_full(size_t n, double cells) {
    /* Four fill a register of 16 floats; more share a step if these have few cells. */
    enum { LEAST = 4, MOST = 64 };
    return n >= MOST || (n >= LEAST && cells > 1e7);
}

ws_chain_wish ws_plan_genome_wish(int threads, size_t batches, size_t half_full, size_t waiting) {
    enum { AHEAD = 2, MOST_WAITING = 2 }; /* both bound memory */
    if (batches >= (size_t)threads + AHEAD || waiting >= MOST_WAITING) return WS_CHAIN_NO_ROOM;
    return half_full ? WS_CHAIN_ROOM : WS_CHAIN_HURRY;
}
