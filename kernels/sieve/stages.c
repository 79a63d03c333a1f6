/* SPDX-License-Identifier: MIT
 * Processes of a pipe: see kernels/sieve/stages.h. */
#include "kernels/sieve/stages.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int ws_stage_add(ws_stage_args *s, const char *text, ws_err *err) {
    int rc = ws_grow(&s->arg, &s->cap, s->n + 2, sizeof *s->arg, err);
    if (rc) return rc;
    s->arg[s->n + 1] = NULL;
    if (!(s->arg[s->n] = ws_strndup(text, strlen(text), err))) return err->code;
    s->n++;
    return WS_OK;
}

int ws_stage_add_text(ws_stage_args *s, const char *option, const char *v, ws_err *err) {
    int rc = ws_stage_add(s, option, err);
    return rc ? rc : ws_stage_add(s, v, err);
}

int ws_stage_add_real(ws_stage_args *s, const char *option, double v, ws_err *err) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", v);
    return ws_stage_add_text(s, option, text, err);
}

void ws_stage_release(ws_stage_args *s) {
    for (size_t i = 0; i < s->n; i++) ws_free(s->arg[i]);
    ws_free(s->arg);
    *s = (ws_stage_args){0};
}

/* ---- processes ---- */

/* In the child: runs the tool. `others` are ends of pipes that belong to other programs: whoever held the reading end of its own output
 * would never see its reader go away. */
static _Noreturn void become(const ws_tool *tool, const ws_stage_args *s, int in, int out, int others, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* nobody would wait for it */
    prctl(PR_SET_NAME, tool->name);
    if (getppid() != parent) _exit(1);
    if ((in != STDIN_FILENO && dup2(in, STDIN_FILENO) < 0) || (out != STDOUT_FILENO && dup2(out, STDOUT_FILENO) < 0)) _exit(1);
    if (in != STDIN_FILENO) close(in);
    if (out != STDOUT_FILENO) close(out);
    if (others >= 0) close(others);
    signal(SIGPIPE, SIG_DFL);
    exit(ws_main(tool, (int)s->n, s->arg));
}

/* One process of the pipe: its number, and how it ended. */
typedef struct process {
    pid_t pid;
    int status;
} process;

/* Starts program i; *in is what it reads, and then what the next one reads. */
static int start(process *p, const ws_tool *tool, const ws_stage_args *stage, size_t i, size_t n, int *in, int out, ws_err *err) {
    const pid_t parent = getpid();
    int ends[2] = {-1, out};
    if (i + 1 < n && pipe2(ends, O_CLOEXEC) < 0) return ws_fail_errno(err, WS_EIO, "cannot make a pipe behind %s", stage[i].arg[0]);
    p->pid = fork();
    if (p->pid == 0) become(tool, &stage[i], *in, ends[1], ends[0], parent);
    const int failed = p->pid < 0 ? ws_fail_errno(err, WS_EIO, "cannot start %s", stage[i].arg[0]) : WS_OK;
    if (*in != STDIN_FILENO) close(*in);
    if (i + 1 < n) close(ends[1]);
    *in = ends[0];
    return failed;
}

static void wait_for(process *p) {
    while (waitpid(p->pid, &p->status, 0) < 0)
        if (errno != EINTR) {
            p->status = 0x100; /* somebody else took it; that it ended well is not known */
            return;
        }
}

static int broke(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE; }

/* A program that lost its reader says nothing of its own, and one that reads half an input fails because the one before it did. So the
 * first that failed of its own account is the cause. */
static int judge(const process *p, const ws_stage_args *stage, size_t n, ws_err *err) {
    for (size_t i = 0; i < n; i++) {
        const int status = p[i].status;
        const char *name = stage[i].arg[0];
        if (status == 0 || broke(status)) continue;
        if (WIFSIGNALED(status))
            return ws_fail(err, WS_EDATA, "%s was killed by signal %d, so the results are not complete", name, WTERMSIG(status));
        return ws_fail(err, WS_EDATA, "%s ended with status %d, so the results are not complete", name, WEXITSTATUS(status));
    }
    return broke(p[n - 1].status) ? ws_fail(err, WS_EPIPE, "%s: nobody reads its output", stage[n - 1].arg[0]) : WS_OK;
}

int ws_stages_run(const ws_tool *const *tool, const ws_stage_args *stage, size_t n, int out, ws_err *err) {
    process p[WS_STAGES_MAX] = {{0, 0}};
    int in = STDIN_FILENO, rc = WS_OK;
    size_t started = 0;
    for (; started < n && rc == WS_OK; started += rc == WS_OK) rc = start(&p[started], tool[started], stage, started, n, &in, out, err);
    if (in > STDIN_FILENO) close(in);
    for (size_t i = 0; i < started; i++) wait_for(&p[i]);
    return rc ? rc : judge(p, stage, n, err);
}
