/* SPDX-License-Identifier: MIT
 * "cuda+cpu" and auto without a device: the scalar backend plays one that is free or taken at random while the CPU's
 * best scores beside it, in turns of a few cells. Every tool must write the bytes of a plain run, and with "cuda+cpu"
 * both must have had turns; with auto the device comes when it comes, or cannot be opened. */
#include "tests/lib/sample.h"
#include "tests/tap.h"

#include "kernels/papara/papara.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

extern const ws_tool ws_ssvfilt_tool, ws_msvfilt_tool, ws_vitfilt_tool, ws_fwdscore_tool, ws_papara_score_tool,
    ws_pairhmm_tool;

static sample chance;
static pthread_mutex_t chance_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t was_free, was_taken, was_lost;

static int start(const ws_devconf *conf, ws_err *err) {
    (void)conf;
    (void)err;
    return WS_OK;
}
static int no_start(const ws_devconf *conf, ws_err *err) {
    (void)conf;
    return ws_fail(err, WS_EDEV, "this device does not open");
}
static int no_score(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err) {
    (void)seqs;
    (void)scratch;
    memset(task->score, 0x55, ntask > 0 ? task->n : 0); /* what it had written counts for nothing */
    ++was_lost;
    return ws_fail(err, WS_EDEV, "this device is lost");
}
static int wait_for_it(ws_err *err) {
    (void)err;
    return WS_OK;
}
static void stop(void) {}
static int ready(void) {
    pthread_mutex_lock(&chance_lock);
    const int is_free = was_taken == 0 ? 0 : was_free == 0 ? 1 : sample_below(&chance, 2); /* each at least once */
    pthread_mutex_unlock(&chance_lock);
    ++*(is_free ? &was_free : &was_taken);
    return is_free;
}

/* 20,000 cells a turn: lists of one target are cut. */
static ws_backend as_device(const ws_backend *scalar) {
    ws_backend b = *scalar;
    b.name = "cuda";
    b.start = start;
    b.stop = stop;
    b.ready = ready;
    b.wait = wait_for_it;
    b.start_seconds = 0;
    b.max_tasks = 3;
    b.batch = 4096;
    b.cpu_speed = 1e6;
    return b;
}

static const ws_backend *scalar_of(const ws_tool *tool) {
    int i = 0;
    while (strcmp(tool->backends[i]->name, "scalar") != 0) i++;
    return tool->backends[i];
}

/* The best that runs here, in batches as small, so that auto has time to open its device. */
static ws_backend as_cpu(const ws_backend *const *of_tool) {
    ws_machine m = {0};
    const char *why;
    ws_cpu_probe(&m.cpu);
    int i = 1;
    while (!of_tool[i]->usable(&m, &why)) i++;
    ws_backend b = *of_tool[i];
    b.batch = 1500;
    return b;
}

static int run(const ws_tool *tool, const char *backend, const char *threads, const char *out,
               const char *const *more) {
    const char *argv[16] = {tool->name, "--no-provenance", "--backend", backend, "--threads", threads, "-o", out};
    int argc = 8;
    while (*more) argv[argc++] = *more++;
    return ws_main(tool, argc, (char **)(uintptr_t)argv);
}

static int same_files(const char *a, const char *b, long *size) {
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    int x, y, same = f && g;
    for (*size = 0; same; ++*size) {
        x = getc(f);
        y = getc(g);
        same = x == y;
        if (x == EOF) break;
    }
    if (f) fclose(f);
    if (g) fclose(g);
    return same;
}

/* The tool with the scalar backend as its device, and with it alone. */
static void compare(tap *t, const ws_tool *real, const ws_backend *const *backends, const char *what,
                    const char *const *more) {
    char plain[] = "/tmp/warpsieve.XXXXXX", both[] = "/tmp/warpsieve.XXXXXX";
    const int fd[2] = {mkstemp(plain), mkstemp(both)};
    ws_tool tool = *real;
    long size = 0;
    tool.backends = backends;
    int rc = run(real, "scalar", "1", plain, more);
    for (int i = 0; i < 4; i++) {
        const char *const backend = i / 2 ? "auto" : "cuda+cpu", *const threads = i % 2 ? "4" : "1";
        was_free = was_taken = 0;
        if (!rc) rc = run(&tool, backend, threads, both, more);
        const int same = !rc && same_files(plain, both, &size);
        tap_ok(t, same && size > 0 && (i / 2 || (was_free && was_taken)),
               "%s %s, %s, %s threads: %ld bytes; the device was free %llu times, taken %llu times", real->name, what,
               backend, threads, size, (unsigned long long)was_free, (unsigned long long)was_taken);
    }
    for (int i = 0; i < 2; i++) close(fd[i]);
    unlink(plain);
    unlink(both);
}

/* auto opens a device when it likes, after the last batch too: so some tries. */
static void lost_device(tap *t, const char *const *few) {
    ws_backend lost = as_device(scalar_of(&ws_ssvfilt_tool)), cpu = *scalar_of(&ws_ssvfilt_tool);
    lost.score = no_score;
    cpu.batch = 1500;
    const ws_backend *const backends[] = {&lost, &cpu, NULL};
    ws_tool tool = ws_ssvfilt_tool;
    tool.backends = backends;
    char want[] = "/tmp/warpsieve.XXXXXX", got[] = "/tmp/warpsieve.XXXXXX";
    const int fd[2] = {mkstemp(want), mkstemp(got)};
    long size;
    int same = run(&ws_ssvfilt_tool, "scalar", "1", want, few) == 0;
    for (int i = 0; i < 2; i++) {
        was_lost = 0;
        for (int tries = 0; same && !was_lost && tries < 50; tries++) {
            was_free = was_taken = 0;
            same = run(&tool, "auto", i ? "4" : "1", got, few) == 0 && same_files(want, got, &size);
        }
        tap_ok(t, same && was_lost > 0, "auto goes on without a device that is lost, %s threads: it was so %llu times",
               i ? "4" : "1", (unsigned long long)was_lost);
    }
    tap_ok(t, run(&tool, "cuda+cpu", "1", "/dev/null", few) == 1, "cuda+cpu does not");
    for (int i = 0; i < 2; i++) close(fd[i]);
    unlink(want);
    unlink(got);
}

#define FASTA "tests/data/demo.fa.gz"
#define MODELS "tests/data/demo.hmm"
#define TREE "tests/data/papara/tiny5/"

int main(void) {
    const char *env = getenv("WARPSIEVE_SEED");
    tap t = {0};
    chance.state = env ? strtoull(env, NULL, 0) : 1;
    tap_note("seed %llu", (unsigned long long)chance.state);
    const ws_tool *const filters[] = {&ws_ssvfilt_tool, &ws_msvfilt_tool, &ws_vitfilt_tool, &ws_fwdscore_tool};
    char table[] = "/tmp/warpsieve.XXXXXX", fasta[] = "/tmp/warpsieve.XXXXXX";
    const int fd[] = {mkstemp(table), mkstemp(fasta)};
    const char *const sequences[] = {"-a", MODELS, fasta, NULL}, *const rows[] = {"--allow-cut", MODELS, table, NULL};
    const char *const make_rows[] = {"-P", "0.2", MODELS, FASTA, NULL}, *const make_fasta[] = {"-O", "fasta", MODELS,
                                                                                               FASTA, NULL};
    if (run(&ws_ssvfilt_tool, "auto", "0", table, make_rows) || run(&ws_ssvfilt_tool, "auto", "0", fasta, make_fasta))
        return 1;
    for (int i = 0; i < 4; i++) {
        const ws_backend device = as_device(scalar_of(filters[i])), cpu = as_cpu(filters[i]->backends);
        const ws_backend *const backends[] = {&device, &cpu, NULL};
        compare(&t, filters[i], backends, "of sequences", sequences);
        compare(&t, filters[i], backends, "of rows", rows);
    }
    for (int i = 0; i < 2; i++) close(fd[i]);
    unlink(table);
    unlink(fasta);

    const char *const reads[] = {TREE "ref.phy", TREE "ref.nwk", TREE "reads.fasta", NULL};
    ws_backend tree = as_device(&ws_papara_scalar), tree_cpu = as_cpu(ws_papara_score_tool.backends);
    tree.cpu_speed = 1e3; /* a tree and reads of a few letters: turns of one read */
    tree.batch = tree_cpu.batch = 20;
    const ws_backend *const papara[] = {&tree, &tree_cpu, NULL};
    compare(&t, &ws_papara_score_tool, papara, "of reads", reads);

    const char *const regions[] = {"--raw", "tests/data/pairhmm/edge.in.gz", NULL};
    ws_backend pairs = as_device(scalar_of(&ws_pairhmm_tool)), pairs_cpu = *scalar_of(&ws_pairhmm_tool);
    pairs_cpu.batch = 1500;
    const ws_backend *const pairhmm[] = {&pairs, &pairs_cpu, NULL};
    compare(&t, &ws_pairhmm_tool, pairhmm, "of regions", regions);

    ws_backend broken = as_device(scalar_of(&ws_ssvfilt_tool));
    broken.start = no_start;
    const ws_backend *const no_device[] = {&broken, scalar_of(&ws_ssvfilt_tool), NULL};
    ws_tool tool = ws_ssvfilt_tool;
    tool.backends = no_device;
    const char *const few[] = {MODELS, FASTA, NULL};
    tap_ok(&t, run(&tool, "auto", "1", "/dev/null", few) == 0,
           "auto goes on without a device that does not open, and says so");
    tap_ok(&t, run(&tool, "cuda+cpu", "1", "/dev/null", few) == 1, "cuda+cpu ends with its reason");
    lost_device(&t, few);
    return tap_end(&t);
}
