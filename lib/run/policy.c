/* SPDX-License-Identifier: MIT
 * The policy of lib/run: see lib/run/policy.h. */
#include "lib/run/policy.h"

#include <math.h>
#include <string.h>

/* ---- speeds ---- */

/* A row has speeds of msv, vit, fwd, parse, ensemble, envelope, mark and scan, from WS_STEP_MSV on. */
enum { GUESSES = WS_STEP_KINDS - WS_STEP_MSV };

/* A thread: --stats of searches on a Xeon of 2.8 GHz with AVX-512; AVX2 by the ratios of bench/data/kernels-zen5.txt
 * and dom-zen5.tsv. NEON was never measured on its own machine, and has half of AVX2's; scalar code a fiftieth. */
static const struct {
    const char *width;
    double speed[GUESSES];
} thread_guess[] = {
    {"avx512", {6.4e10, 6.1e9, 1.6e9, 8e8, 4e8, 2.5e8, 0, 1.6e10}},
    {"avx2", {3.7e10, 4.5e9, 1.3e9, 7e8, 3.5e8, 2e8, 0, 1e10}},
    {"neon", {1.8e10, 2.2e9, 6e8, 3.5e8, 1.7e8, 1e8, 0, 5e9}},
    {"scalar", {7e8, 9e7, 3e7, 1.5e7, 7e6, 4e6, 0, 2e8}},
};

/* A device: H100 (9.0) by bench/data/gpu-h200.tsv, dipeptides-h100.tsv and dom-h200.tsv. T4 (7.5) and L40S (8.9) were
 * never measured: an H100's by multiprocessors and clock, of Viterbi less, since these have no instructions for it. */
static const struct {
    int capability;
    double speed[GUESSES];
} device_guess[] = {
    {90, {2.3e13, 1.9e12, 1e12, 2.5e10, 4e10, 1.3e10, 1e13, 0}},
    {89, {3.4e13, 1.1e12, 1.5e12, 3.7e10, 6e10, 2e10, 1.5e13, 0}},
    {0, {6.4e12, 2.1e11, 2.8e11, 7e9, 1.1e10, 3.6e9, 3e12, 0}},
};

double ws_policy_thread_speed(const char *width, ws_step_kind kind) {
    const size_t last = sizeof thread_guess / sizeof *thread_guess - 1;
    size_t i = 0;
    while (i < last && strcmp(width, thread_guess[i].width) != 0) i++;
    return kind == WS_STEP_NONE ? 0 : thread_guess[i].speed[kind - WS_STEP_MSV];
}

double ws_policy_device_speed(int capability, ws_step_kind kind) {
    size_t i = 0;
    while (capability < device_guess[i].capability) i++;
    return kind == WS_STEP_NONE ? 0 : device_guess[i].speed[kind - WS_STEP_MSV];
}

double ws_policy_believed(double guess, double cells, double seconds) {
    /* The guess counts as much as measuring for so long: a dozen steps of a thread, or calls of a device. One step
     * tells little, since it may have been interrupted, and a first call finds nothing loaded. */
    const double weight = 0.1;
    return (guess * weight + cells) / (weight + seconds);
}

/* Returns the seconds of a thread for a cell of step k, with what it brings. */
static double seconds_of_cell(const ws_policy_step *step, int n, int k) {
    double seconds = 1 / step[k].speed;
    for (int i = k + 1; i < n; i++)
        if (step[i].after == k && step[k].done > 0)
            seconds += (step[i].done + step[i].left) / step[k].done * seconds_of_cell(step, n, i);
    return seconds;
}

double ws_policy_seconds(const ws_policy_step *step, int n) {
    /* Before later steps are measured: those of 1,200 models x yeast took half as long as the first one, of 100
     * proteins x yeast twice as long (--stats, avx512 with 16 threads of an H200's host). */
    const double LEAST_BROUGHT = 0.25;
    double seconds = step[0].left * fmax(seconds_of_cell(step, n, 0), (1 + LEAST_BROUGHT) / step[0].speed);
    for (int k = 1; k < n; k++) seconds += step[k].left * seconds_of_cell(step, n, k);
    return seconds;
}

/* ---- opening a device ---- */

ws_opens ws_policy_opens(const ws_policy_run *r) {
    /* Opening takes 0.3 s on an H200's host, closing 0.1, and meanwhile the driver slows the other threads. So what is
     * left should take LEAST_LEFT times as long as opening. Runs of 0.6 s on the CPU took as long with a device from
     * the beginning, runs of 0.4 s longer, and of 1.2 s 0.7 (16 threads, auto-rows-h200.tsv). A run of 0.6 s took a
     * quarter longer with a device that came when half was done. */
    const double LEAST_LEFT = 2, KNOWN_AFTER = 0.25, least = LEAST_LEFT * r->start;
    if (r->left >= least) return WS_OPENS_AT_ONCE;
    /* The size of a pipe is unknown. So that run takes at most twice the time that one with knowledge would need. */
    if (r->done < 0) return r->worked >= r->start ? WS_OPENS_BESIDE : WS_OPENS_NOT;
    /* Where nothing is measured, the rest takes as long as what is done, after KNOWN_AFTER: sooner that is mistaken,
     * later the device has less to do. Multiplied, since nothing may be done. */
    if (r->measured || r->worked < KNOWN_AFTER * r->start) return WS_OPENS_NOT;
    return r->worked * (1 - r->done) >= least * r->done ? WS_OPENS_BESIDE : WS_OPENS_NOT;
}

int ws_policy_opens_all(const ws_policy_run *r) {
    /* With each device more the first call comes 0.3 s later (one of four H200 after 0.4 s, all four after 1.3), and
     * other programs of the machine have less. One device does in 2.1 s what 16 threads with AVX-512 do in 19.6 (1,200
     * models x 59 M residues, H200), so it ends a shorter rest within some six seconds. Reckoned, not measured. */
    const double LEAST_LEFT = 60;
    const double guess = !r->measured && r->done > 0 ? r->worked * (1 - r->done) / r->done : 0;
    return fmax(r->left, guess) >= LEAST_LEFT;
}

/* ---- work ---- */

ws_budget ws_policy_call(size_t tasks, double speed) {
    /* Scores of PAIRS take 32 MB of each thread; with half as many the kernels of msvfilt take a tenth longer (1,200
     * models, H200). A core beside a device asks for a free stream after TURN seconds: sooner costs calls, and the end
     * of a run waits for a core no longer than that. */
    enum { PAIRS = 4 << 20 };
    const double TURN = 0.02;
    const size_t most = tasks < WS_POLICY_DEVICE_TASKS ? tasks : WS_POLICY_DEVICE_TASKS;
    return (ws_budget){speed > 0 ? fmax(TURN * speed, 1) : INFINITY, PAIRS, most ? most : 1};
}

size_t ws_policy_parts(const ws_policy_work *w) {
    /* Cells of a part at least: milliseconds of a core (bench/data/kernels-zen5.txt), beside which one more thread
     * unpacks the batch; of a device's, ten (SSV, H200), beside which it is copied to one more stream; or so many rows
     * of a table, because a filter passed them before and the host's share of each is larger. A call of a device lasts
     * as long as its longest sequence, some 4 ms for 4,910 residues: with 16,000 rows the kernels of vitfilt took 0.65
     * s for 3.5 million rows, with 60,000 0.33, 125,000 0.28, 250,000 0.27 (H200). A part that is worth it may be all
     * there is for a thread to do: a genome of 4,000 proteins is ten batches for a CPU, however many models it meets.
     * OF_THREAD parts of each thread end at about one time. */
    enum { OF_THREAD = 8 };
    const double LEAST = 3e7, DEVICE_LEAST = 2e11, DEVICE_ROWS = 125e3;
    const double parts = w->device ? w->cells / DEVICE_LEAST + (double)w->rows / DEVICE_ROWS : w->cells / LEAST;
    const double most = fmin((double)w->targets, (double)OF_THREAD * (w->threads - 1));
    return (size_t)fmax(fmin(parts, most), 1);
}

/* ---- items ---- */

int ws_policy_slots(int threads) {
    /* Each thread has an item to work on and one to go on with while the first waits for its turn to be written; two
     * more are being read and written. More would cost memory. */
    return 2 * threads + 2;
}

uint64_t ws_policy_pair_batch(uint64_t batch) {
    /* A model meets few sequences of a batch of packed pairs. With four times as many, vector bodies that interleave
     * sequences run out of them less often: fwdscore takes a seventh less processor time, vitfilt a thirtieth (2,766
     * models x E. coli, AVX-512). */
    return 4 * batch;
}

ws_policy_room ws_policy_item_room(uint64_t mem, int slots, size_t pair) {
    /* Half of the memory is for rows, half for hits. A batch's rows have some room in any case. Where every pair is a
     * hit, its row is about as long again: at most a million of them. */
    enum { LEAST_TEXT = 1 << 20, MOST_PAIRS = 1000000 };
    const uint64_t half = mem / 2 / (uint64_t)slots;
    return (ws_policy_room){half > LEAST_TEXT ? half : LEAST_TEXT, half / pair < MOST_PAIRS ? half / pair : MOST_PAIRS};
}

uint64_t ws_policy_sample_batch(uint64_t nodes, uint64_t batch) {
    /* A core has so many cells in about a tenth of a second: the sample can end in time. Fewer residues than LEAST are
     * read slowly. */
    const double cells = 1e9, most = cells / fmax((double)nodes, 1), least = 1000;
    return (uint64_t)fmin(fmax(most, least), (double)batch);
}
