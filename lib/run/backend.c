/* SPDX-License-Identifier: MIT
 * Choice and preparation of backends: see lib/run/backend.h. */
#include "lib/run/backend.h"

#include "lib/dev/device.h"
#include "lib/dev/ids.h"
#include "lib/compress/source.h"
#include "lib/run/message.h"

#include <string.h>
#include <unistd.h>

#define USABLE(width, ...) \
    int ws_usable_##width(const ws_machine *m, const char **why) { return !(*why = m->cpu.why_not[WS_WIDTH_##width]); }
WS_WIDTHS(USABLE, )
USABLE(scalar, )

int ws_usable_device(const ws_machine *m, const char **why) { return ws_dev_usable(m->device, why); }

int ws_start_device(const ws_devconf *conf, ws_err *err) {
    ws_dev_have_streams(conf->streams);
    ws_dev_tell_loss(conf->hear, conf->own);
    return ws_dev_start(conf->list, conf->mem, err);
}

static const char together[] = "+cpu"; /* suffix of a device's backend: the CPU scores tasks too */

static int is_together(const ws_backend *b, const char *name) {
    const size_t n = strlen(b->name);
    return b->start && strncmp(name, b->name, n) == 0 && strcmp(name + n, together) == 0;
}

static int no_such(const ws_tool *tool, const char *name, ws_err *err) {
    char q[WS_QUOTE_MAX];
    ws_buf list = {0};
    int rc = WS_OK;
    for (int i = 0; tool->backends[i] && !rc; i++) {
        const ws_backend *b = tool->backends[i];
        rc = ws_buf_addf(&list, err, ", %s", b->name);
        if (b->start && !rc) rc = ws_buf_addf(&list, err, ", %s%s", b->name, together);
    }
    if (!rc)
        rc = ws_fail(err, WS_EUSAGE, "--backend: there is no \"%s\"; this build has auto%s",
                     ws_quote(q, name, strlen(name)), list.p);
    ws_buf_release(&list);
    return rc;
}

static void pick_cpu_backend(ws_job *job) {
    const char *why;
    for (int i = 0; !job->cpu_backend; i++) { /* the last one, scalar, is always usable */
        const ws_backend *b = job->tool->backends[i];
        if (!b->start && b->usable(&job->machine, &why)) job->cpu_backend = b;
    }
}

static int is_auto(const ws_job *job) { return !job->common.backend || strcmp(job->common.backend, "auto") == 0; }

/* Returns 1 if no option asks for a device. Then a device that fails does not fail the run. */
static int gpu_is_implicit(const ws_job *job) { return is_auto(job) && !job->common.device && !job->common.gpu_mem; }

static void say_without(const ws_job *job, const char *why) {
    if (job->backend_ready || gpu_is_implicit(job)) return;
    ws_message_note(job, "goes on without a device, so --%s has no effect: %s",
                    job->common.device ? "device" : "gpu-mem", why);
}

/* Sets up --backend auto. The program opens a device once there is enough work (auto_device.c), or now if an option
 * asks for one. */
static void take_auto(ws_job *job) {
    const char *why = "there is no backend for one";
    pick_cpu_backend(job);
    job->backend = job->tool->backends[0];
    if (job->backend->start) {
        job->backend_ready = !gpu_is_implicit(job) && job->backend->usable(&job->machine, &why);
        say_without(job, why);
    } else { /* this tool has no backend for devices */
        say_without(job, why);
        job->backend = job->cpu_backend;
        job->cpu_backend = NULL;
        job->backend_ready = 1;
    }
}

/* Returns whether an option names this backend, or this one together with the CPU. */
static int is_named(const ws_backend *b, const char *name) {
    return strcmp(b->name, name) == 0 || is_together(b, name);
}

void ws_backend_wake(const ws_job *job) {
    int named = 0;
    for (int i = 0; job->tool->backends && job->tool->backends[i] && !is_auto(job); i++)
        named |= job->tool->backends[i]->start && is_named(job->tool->backends[i], job->common.backend);
    if (named) ws_dev_wake();
}

int ws_backend_choose(ws_job *job, ws_err *err) {
    const char *name = job->common.backend, *why = NULL;
    ws_dev_ids ids; /* a malformed list is an error also where no device is */
    int rc = ws_dev_ids_parse(&ids, job->common.device, err);
    if (rc) return rc;
    if (is_auto(job)) {
        take_auto(job);
        return WS_OK;
    }
    for (int i = 0; job->tool->backends[i]; i++) {
        const ws_backend *b = job->tool->backends[i];
        if (!is_named(b, name)) continue;
        if (!b->usable(&job->machine, &why))
            return ws_fail(err, WS_EDEV, "--backend %s cannot run here: %s", name, why);
        if (is_together(b, name)) pick_cpu_backend(job);
        job->backend = b;
        job->backend_ready = 1;
        return WS_OK;
    }
    return no_such(job->tool, name, err);
}

int ws_job_fall_back_to_cpu(ws_job *job, const ws_backend *backend, int rc, const ws_err *err) {
    if (rc != WS_EDEV || !backend->start || !gpu_is_implicit(job)) return 0;
    if (__atomic_exchange_n(&job->backend_ready, 0, __ATOMIC_ACQ_REL))
        ws_message_note(job, "goes on without the device: %s", err->text);
    return 1;
}

int ws_job_width(const ws_job *job) {
    const ws_backend *b = job->cpu_backend ? job->cpu_backend : job->backend;
    for (int w = 0; w < WS_NWIDTH; w++)
        if (strcmp(b->name, ws_width_name[w]) == 0) return w;
    return ws_cpu_best(&job->machine.cpu);
}

const char *ws_backend_name(const ws_job *job) {
    if (!job->cpu_backend) return job->backend ? job->backend->name : "none";
    return ws_job_is_open(job) ? "cuda+cpu" : job->cpu_backend->name;
}

int ws_backend_list(const ws_tool *tool, const ws_machine *m, ws_buf *out, ws_err *err) {
    int rc = ws_buf_adds(out, "backend\tusable\treason\n", err);
    for (int i = 0; tool->backends && tool->backends[i] && !rc; i++) {
        const ws_backend *b = tool->backends[i];
        const char *why = "";
        int usable = b->usable(m, &why);
        for (int both = 0; both <= (b->start != NULL) && !rc; both++)
            rc = ws_buf_addf(out, err, "%s%s\t%s\t%s\n", b->name, both ? together : "", usable ? "yes" : "no",
                             usable ? "" : why);
    }
    return rc;
}

void ws_backend_guess(ws_job *job) {
    const char *width = ws_width_name[ws_job_width(job)];
    for (int k = 0; k < WS_STEP_KINDS; k++)
        job->speeds.guess[WS_CHAIN_CPU][k] = ws_policy_thread_speed(width, (ws_step_kind)k);
}

/* Sets the first guesses of a stream, of several that share a device. */
static void guess_device(ws_job *job) {
    const int capability = ws_dev_capability(), devices = ws_dev_clock().devices;
    const double streams = (double)ws_dev_streams() / ws_max((size_t)devices, 1);
    for (int k = 0; k < WS_STEP_KINDS && streams > 0; k++)
        job->speeds.guess[WS_CHAIN_DEVICE][k] = ws_policy_device_speed(capability, (ws_step_kind)k) / streams;
}

static void hear_of_loss(void *job, const char *device, const ws_err *why) {
    ws_message_note(job, "goes on without device %s: %s", device, why->text);
}

/* Opens the backend. Prepares for it the targets that the run has made so far, since a device may join late. */
int ws_backend_open(ws_job *job, int threads, ws_err *err) {
    const int streams = job->spares_streams ? 0 : job->backend->streams;
    const char *devices = job->all_devices ? "all" : job->common.device;
    const ws_devconf conf = {devices, job->common.gpu_mem, streams, hear_of_loss, job};
    int rc = job->backend->start ? job->backend->start(&conf, err) : WS_OK;
    if (!rc && job->backend->start) guess_device(job);
    return rc || job->ntarget == 0 ? rc : ws_ready_for(job, job->backend, threads, err);
}

int ws_backend_renew(ws_job *job, ws_err *err) {
    if (job->readiness) return WS_OK;
    if (!(job->prep = ws_calloc(job->ntarget, sizeof *job->prep, err))) return err->code;
    if (!(job->cpu_prep = ws_calloc(job->ntarget, sizeof *job->cpu_prep, err))) return err->code;
    return ws_ready_begin(job, err);
}

int ws_backend_begin(ws_job *job, int threads, ws_err *err) {
    int rc = ws_backend_renew(job, err);
    if (job->backend_ready && (job->ninput == 0 || ws_source_is_stdin(job->input[0]))) ws_dev_open_after(STDIN_FILENO);
    if (!rc && job->backend_ready) rc = ws_backend_open(job, threads, err);
    return rc || !job->cpu_backend || job->ntarget == 0 ? rc : ws_ready_for(job, job->cpu_backend, threads, err);
}

static void release(const ws_job *job, const ws_backend *b, void ***prep) {
    for (size_t t = 0; *prep && t < job->ntarget; t++)
        if ((*prep)[t]) b->release((*prep)[t]);
    ws_free(*prep);
    *prep = NULL;
}

void ws_job_drop_targets(ws_job *job) {
    release(job, job->backend, &job->prep);
    release(job, job->cpu_backend, &job->cpu_prep);
    ws_ready_end(job);
}

void ws_backend_end(ws_job *job) {
    ws_job_drop_targets(job);
    if (job->backend && job->backend->stop) job->backend->stop();
}

void ws_backend_retire(const ws_job *job) {
    if (!job->stop && ws_job_has_device(job) && job->backend->retire) job->backend->retire();
}
