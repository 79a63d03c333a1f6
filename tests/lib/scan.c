/* SPDX-License-Identifier: MIT
 * lib/scan by itself: the parts of a batch and the order of their hits, target names, and what leaves for each output.
 * */
#include "lib/scan/state.h"

#include "tests/lib/io.h"
#include "tests/lib/sample.h"

enum { TARGETS = 5, SEQS = 6 };

static ws_target target[TARGETS] = {{.name = "a"}, {.name = "bb"}, {.name = ""}, {.name = "d"}, {.name = "ab"}};

static void add_hit(ws_hits *h, uint32_t seq, uint32_t row, uint32_t to, int pass) {
    ws_err err;
    ws_hit *hit = ws_hits_add(h, &err);
    if (!hit) sample_must(WS_ENOMEM, &err);
    hit->seq = seq;
    hit->row = row;
    hit->target = to;
    hit->pass = pass;
}

/* Hits come part by part and in a part target by target; of a table each row has one, in any order of targets. */
static void order(tap *t, size_t nparts, int has_rows) {
    ws_job job = {.target = target, .ntarget = TARGETS, .nworker = 4};
    ws_scan_state s = {.job = &job};
    ws_scan_item it = {.nparts = nparts};
    ws_err err = {0};
    it.batch.n = SEQS;
    it.batch.has_rows = has_rows;
    it.batch.nrow = has_rows ? SEQS * TARGETS : 0;
    sample_must(ws_grow(&it.part, &it.part_cap, nparts, sizeof *it.part, &err), &err);
    memset(it.part, 0, it.part_cap * sizeof *it.part);
    for (size_t k = 0; k < nparts; k++)
        for (size_t to = k * TARGETS / nparts; to < (k + 1) * TARGETS / nparts; to++)
            for (uint32_t seq = 0; seq < SEQS; seq++)
                add_hit(&it.part[k], seq, has_rows ? seq * TARGETS + (TARGETS - 1 - (uint32_t)to) : UINT32_MAX,
                        (uint32_t)to, 1);
    int fine = ws_scan_collect(&s, &it, &err) == WS_OK && it.hits.n == SEQS * TARGETS;
    for (size_t i = 0; fine && i < it.hits.n; i++) {
        const uint32_t want = (uint32_t)(i % TARGETS);
        fine &= it.hits.hit[i].seq == i / TARGETS && it.hits.hit[i].target == (has_rows ? TARGETS - 1 - want : want);
    }
    for (size_t k = 0; k < it.part_cap; k++) fine &= it.part[k].n == 0;
    tap_ok(t, fine, "hits of %zu parts%s: in the order of the input", nparts, has_rows ? " of a table" : "");
    ws_scan_item_release(&it);
}

static size_t parts_of(uint32_t len, size_t ntarget, int nworker) {
    ws_target big[64];
    static const ws_backend cpu = {.name = "scalar"};
    ws_job job = {.target = big, .ntarget = ntarget, .nworker = nworker, .backend = &cpu, .backend_ready = 1};
    const ws_scan_state s = {.job = &job};
    ws_scan_item it = {0};
    ws_err err = {0};
    for (size_t i = 0; i < 64; i++) big[i] = (ws_target){.name = "m", .qlen = 1000};
    it.batch.n = 1;
    it.batch.residues = len;
    sample_must(ws_scan_split(&s, &it, &err), &err);
    const size_t n = it.nparts;
    ws_scan_item_release(&it);
    return n;
}

static void parts(tap *t) {
    tap_ok(t, parts_of(100, 64, 4) == 1, "6 million cells: one part");
    tap_ok(t, parts_of(100000, 64, 1) == 1, "one thread: one part");
    tap_ok(t, parts_of(100000, 1, 4) == 1, "one target: one part");
    tap_ok(t, parts_of(2000, 64, 4) == 4, "128 million cells: four parts of at least 30 million");
    tap_ok(t, parts_of(1000000, 64, 3) == 16, "no more than 8 for each thread beside this one");
    tap_ok(t, parts_of(100000000, 64, 32) == 64, "no more than targets");
}

static void names(tap *t) {
    static const ws_target twice[] = {{.name = "x"}, {.name = "y"}, {.name = "x"}};
    ws_queries *index;
    ws_err err = {0};
    sample_must(ws_scan_name_targets(&index, target, TARGETS, &err), &err);
    int fine = 1;
    for (uint32_t i = 0; i < TARGETS; i++) fine &= ws_queries_find(index, target[i].name, strlen(target[i].name)) == i;
    tap_ok(t, fine, "each target by its name, also an empty one");
    tap_ok(t, ws_queries_find(index, "abc", 3) == UINT32_MAX && ws_queries_find(index, "abc", 2) == 4,
           "a name has its length");
    ws_queries_destroy(index);
    tap_ok(t, ws_scan_name_targets(&index, twice, 3, &err) == WS_EDATA && !index && strstr(err.text, "x"),
           "one name for two targets");
}

/* A sequence leaves once in a format of sequences, with the kept if one of its pairs passed. */
static void formats(tap *t) {
    static const ws_backend *const backends[] = {NULL};
    static const ws_tool filter = {.backends = backends};
    ws_scan scan = {.out_format = WS_OUT_IDS, .rejected_output = 1};
    ws_job job = {.tool = &filter, .target = target, .ntarget = TARGETS, .reader_opts = &scan, .nout = 2};
    ws_scan_state s = {.job = &job, .scan = &scan};
    ws_scan_item it = {0};
    ws_scan_worker worker = {0};
    ws_outtext out[WS_OUTPUT_MAX] = {0};
    ws_err err = {0};
    static const char letters[] = "pqrstu";
    job.reader = &s;
    for (uint32_t i = 0; i < SEQS; i++) {
        const ws_seqtext text = {.name = {i, 1}};
        sample_must(ws_batch_add_text(&it.batch, letters + i, 1, &err), &err);
        sample_must(ws_batch_add_seq(&it.batch, 0, 0, &text, &err), &err);
    }
    add_hit(&it.hits, 1, UINT32_MAX, 0, 0); /* q: fails, passes */
    add_hit(&it.hits, 1, UINT32_MAX, 1, 1);
    add_hit(&it.hits, 2, UINT32_MAX, 0, 0); /* r: fails; the others: no hit */
    add_hit(&it.hits, 5, UINT32_MAX, 0, 1); /* u: passes, fails */
    add_hit(&it.hits, 5, UINT32_MAX, 1, 0);
    sample_must(ws_scan_format(&s, &it, &worker, out, &err), &err);
    tap_ok(t, out[0].rows == 2 && out[0].text.n == 4 && !memcmp(out[0].text.p, "q\nu\n", 4), "what passes, once");
    tap_ok(t, out[1].rows == 4 && out[1].text.n == 8 && !memcmp(out[1].text.p, "p\nr\ns\nt\n", 8),
           "what does not, without a hit too");
    for (int k = 0; k < 2; k++) ws_buf_release(&out[k].text);
    ws_scan_item_release(&it);
}

/* ---- pairs ---- */

/* Takes all pairs by steps of a budget and makes tasks of each. Returns how many steps there were; 0 and a note if a
 * pair was not in just one task, a task named another sequence, or a step had more than it may. */
static size_t walk(const ws_scan_pairs *p, const ws_target *of, ws_budget most, double all_cells) {
    const size_t n = ws_scan_pairs_start(p, p->groups);
    uint8_t seen[SEQS * TARGETS] = {0};
    ws_scan_tasks tasks = {0};
    ws_err err = {0};
    size_t steps = 0;
    double sum = 0, cells;
    int fine = 1;
    for (size_t from = 0, to; from < n && fine; from = to, sum += cells, steps++) {
        to = ws_scan_pairs_end(p, of, from, most, &cells);
        sample_must(ws_scan_tasks_make(&tasks, p, from, to, &err), &err);
        size_t pairs = 0;
        for (size_t k = 0; k < tasks.n; k++) {
            const ws_task *task = &tasks.task[k];
            fine &= task->item != NULL || (p->whole && task->n == p->n);
            for (size_t j = 0; j < task->n; j++, pairs++) {
                const size_t group = ws_scan_pairs_group(p, from + pairs);
                fine &= task->target == ws_scan_pairs_target(p, group) && !seen[from + pairs]++;
                fine &= ws_task_item(task, j) == p->item[tasks.item[k] + j];
                fine &= tasks.item[k] + j == ws_scan_pairs_item(p, from + pairs);
            }
        }
        fine &= to > from && pairs == to - from && pairs <= most.pairs && tasks.n <= most.tasks;
    }
    ws_buf_release(&tasks.room);
    if (fine && sum == all_cells) return steps;
    tap_note("%zu steps of %g cells, %zu pairs, %zu tasks: %g cells", steps, most.cells, most.pairs, most.tasks, sum);
    return 0;
}

/* Pairs of five targets by steps of all sizes: all sequences, a list for all, and lists of which some are empty. */
static void pairs(tap *t) {
    enum { N = 4 };
    static const uint32_t item[] = {0, 1, 2, 3}, listed[] = {3, 1, 1, 0, 2}, start[] = {0, 0, 2, 2, 5, 5},
                          order[] = {4, 2, 0, 1, 3};
    uint32_t len[N] = {3, 0, 5, 2};
    const ws_batch b = {.n = N, .len = len, .residues = 10};
    const ws_target of[] = {{.qlen = 1}, {.qlen = 2}, {.qlen = 4}, {.qlen = 8}, {.qlen = 16}};
    const struct {
        const char *what;
        ws_scan_pairs p;
        double cells;
    } form[] = {
        {"all sequences, targets in an order", {&b, order, 0, TARGETS, item, NULL, N, 1}, 310},
        {"items for all of two targets", {&b, NULL, 3, 2, listed, NULL, 5, 0}, 10 * 24},
        {"items of each", {&b, NULL, 0, TARGETS, listed, start, 5, 0}, 2 * 2 + 8 * 8},
    };
    for (size_t f = 0; f < sizeof form / sizeof *form; f++) {
        int fine = 1;
        for (int cells = 1; cells < 400; cells += 13)
            for (size_t most = 1; most < 30; most++)
                for (size_t tasks = 1; tasks <= TARGETS; tasks++)
                    fine = fine && walk(&form[f].p, of, (ws_budget){cells, most, tasks}, form[f].cells) > 0;
        fine = fine && walk(&form[f].p, of, (ws_budget){INFINITY, SIZE_MAX, SIZE_MAX}, form[f].cells) == 1;
        tap_ok(t, fine, "%s: each pair in one task, by any budget; without one, all at once", form[f].what);
    }
}

/* ---- how much work there is ---- */

static int is_near(double value, double least, double most) {
    if (value >= least && value <= most) return 1;
    tap_note("%g, not %g to %g", value, least, most);
    return 0;
}

/* The cells of a file, of which a part was read; and the share that is scored. */
static void work(tap *t) {
    enum { RECORDS = 2000, LENGTH = 1000, NODES = 140 };
    const double all = (double)RECORDS * LENGTH * NODES;
    double cells;
    char path[PATH_SIZE];
    const char *const paths[] = {path};
    ws_target model = {.qlen = NODES};
    ws_scan scan = {0};
    ws_scan_state s = {.scan = &scan};
    const ws_reader *const reader = &ws_scan_reader;
    ws_job job = {.target = &model, .ntarget = 1, .reader = &s, .reader_opts = &scan};
    const ws_seqread_conf conf = {.path = paths, .npath = 1, .abc = ws_abc_get(WS_ABC_AMINO), .batch_seqs = SIZE_MAX,
                                  .batch_residues = RECORDS * LENGTH / 2};
    ws_batch b = {0};
    ws_buf text = {0};
    ws_err err = {0};
    for (int i = 0; i < RECORDS; i++) {
        must(!ws_buf_addf(&text, &err, ">%d\n", i) && !ws_buf_reserve(&text, LENGTH + 1, &err), "memory");
        memset(text.p + text.n, 'A', LENGTH);
        text.p[text.n + LENGTH] = '\n';
        text.n += LENGTH + 1;
    }
    temp_file(path, text.p, text.n);
    must(!ws_scan_input_open(&s.input, &conf, NULL, 1, &err), "open");
    tap_ok(t, reader->done(&job, &cells) < 0, "nothing was read: the work is unknown");
    must(!ws_seqread_fill(s.input.files, &b, &err), "read");
    s.cells = (uint64_t)(all / 4);
    tap_ok(t, is_near(reader->done(&job, &cells), 0.2, 0.35) && is_near(cells, 0.75 * all, 1.05 * all),
           "half was read: cells by its share of the bytes, and half of those read are done");
    while (!ws_seqread_fill(s.input.files, &b, &err)) continue;
    tap_ok(t, is_near(reader->done(&job, &cells), 0.249, 0.251) && is_near(cells, all * 0.999, all * 1.001),
           "all was read");
    s.reads_pairs = 1;
    tap_ok(t, reader->done(&job, &cells) < 0, "pairs: the work is unknown");
    ws_scan_input_close(&s.input);
    ws_batch_release(&b);
    ws_buf_release(&text);
    unlink(path);
}

int main(void) {
    tap t = {0};
    for (size_t n = 1; n <= TARGETS; n += 2) {
        order(&t, n, 0);
        order(&t, n, 1);
    }
    parts(&t);
    names(&t);
    formats(&t);
    pairs(&t);
    work(&t);
    return tap_end(&t);
}
