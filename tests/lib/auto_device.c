/* SPDX-License-Identifier: MIT
 * When --backend auto opens a device: after how much work, and with how much of it left. A device that cannot run here
 * stands for one, so that nothing is opened: the test looks at whether the program went to open it. */
#include "lib/run/run.h"
#include "tests/tap.h"

static double share; /* of the work that is done */
static double cells; /* of all work; 0: they are unknown */
static double done(ws_job *job, double *all) {
    *all = cells;
    return job->ntarget == 0 ? share : -1;
}
static int usable(const ws_machine *m, const char **why) {
    (void)m;
    *why = "the test has none";
    return 0;
}

static double before;  /* seconds that each thread has scored in earlier rounds */
static double in_chain; /* seconds of a thread for what is left; below 0: nothing tells */
static double left_in_chain(void *own, double left, double all) {
    (void)own;
    return left <= all ? in_chain : 1e9;
}

/* Returns whether a run of four threads opens a device that takes 0.3 s, once each has scored for so long and this
 * share of the work is done; below 0: the size of the input is unknown. */
static int opens(double seconds, double share_done, int knows) {
    static const ws_backend cpu = {.name = "scalar"}, device = {.name = "cuda", .usable = usable, .start_seconds = 0.3,
                                                                .cpu_speed = 2.5e11};
    const ws_reader reader = {.done = knows ? done : NULL};
    ws_job job = {.backend = &device, .cpu_backend = &cpu, .nworker = 4};
    ws_run run = {.job = &job, .reader = &reader};
    share = share_done;
    run.work.cpu = (uint64_t)(4e9 * (seconds + before));
    run.worked_before = (uint64_t)(4e9 * before);
    if (in_chain >= 0) run.source.seconds = left_in_chain;
    ws_auto_device_look(&run);
    ws_auto_device_join(&run);
    return run.opener_begun;
}

int main(void) {
    tap t = {0};
    in_chain = -1;
    tap_ok(&t, !opens(0.29, -1, 1) && !opens(0.29, 0, 0),
           "an unknown size: not before all threads have scored for so long");
    tap_ok(&t, opens(0.31, -1, 1) && opens(0.31, 0, 0), "then at once");
    tap_ok(&t, !opens(0.07, 0, 1) && !opens(0.07, 0.001, 1), "a known size: not before a quarter of that");
    tap_ok(&t, opens(0.08, 0, 1) && opens(0.08, 0.11, 1) && opens(0.31, 0.33, 1),
           "then if the rest takes more than twice that");
    tap_ok(&t, !opens(0.08, 0.13, 1), "but not if the rest is small, early");
    tap_ok(&t, !opens(0.31, 0.35, 1) && !opens(0.31, 1, 1), "but not if the rest is small");
    tap_ok(&t, opens(10, 0.9, 1) && !opens(10, 0.95, 1), "whatever was done before");
    before = 10;
    tap_ok(&t, !opens(0.01, 0.01, 1) && opens(0.08, 0.11, 1), "a round is measured apart from those before it");
    before = 0;
    in_chain = 4 * 0.61;
    tap_ok(&t, opens(0, 0, 1) && opens(0.02, 1, 1) && opens(0, -1, 1), "a chain knows what is left");
    in_chain = 4 * 0.59;
    tap_ok(&t, !opens(0.1, 0.1, 1), "and if that is not much");
    in_chain = -1;
    cells = 6.5e11; /* 0.65 s of four cores that score 2.5e11 a second */
    tap_ok(&t, opens(0, 0, 1) && !opens(0, 0.1, 1), "a known size: at once if the rest takes more than twice that");
    tap_ok(&t, !opens(0.001, -1, 1) && !opens(0.001, 0, 0), "but not if the size is unknown");
    return tap_end(&t);
}
