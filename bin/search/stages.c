/* SPDX-License-Identifier: MIT
 * Processes of a pipe: see bin/search/stages.h. */
#include "bin/search/stages.h"
#include "lib/run/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
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

/* One process of the pipe. */
typedef struct process {
    pid_t pid;
    int status;     /* how it ended */
    int running;
    int ended;      /* by us */
    char *sentence; /* [WS_ERR_MAX], shared with it: why it failed; empty if it did not say so */
} process;

/* In the child: runs the tool. `others` are ends of pipes that belong to other programs: whoever held the reading end of its own output
 * would never see its reader go away. */
static _Noreturn void become(const process *p, const ws_tool *tool, const ws_stage_args *s, int in, int out, int others, pid_t parent) {
    ws_message_keep_error(p->sentence);
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

/* Starts program i; *in is what it reads, and then what the next one reads. */
static int start(process *p, const ws_tool *tool, const ws_stage_args *stage, size_t i, size_t n, int *in, ws_err *err) {
    const pid_t parent = getpid();
    int ends[2] = {-1, STDOUT_FILENO};
    if (i + 1 < n && pipe2(ends, O_CLOEXEC) < 0) return ws_fail_errno(err, WS_EIO, "cannot make a pipe behind %s", stage[i].arg[0]);
    p->pid = fork();
    if (p->pid == 0) become(p, tool, &stage[i], *in, ends[1], ends[0], parent);
    p->running = p->pid > 0;
    const int failed = p->pid < 0 ? ws_fail_errno(err, WS_EIO, "cannot start %s", stage[i].arg[0]) : WS_OK;
    if (*in != STDIN_FILENO) close(*in);
    if (i + 1 < n) close(ends[1]);
    *in = ends[0];
    return failed;
}

static int broke(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE; }

/* Ends those that run, of the first n. */
static void end_all(process *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i].running) {
            p[i].ended = 1;
            (void)kill(p[i].pid, SIGTERM);
        }
}

static int any_runs(const process *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i].running) return 1;
    return 0;
}

/* Notes how a process ended. Returns how many stand in front of it if it failed, else 0. */
static size_t note_end(process *p, size_t n, pid_t pid, int status) {
    for (size_t i = 0; i < n; i++)
        if (p[i].running && p[i].pid == pid) {
            p[i].running = 0;
            p[i].status = status;
            return status ? i : 0;
        }
    return 0; /* a child of a program that this one replaced */
}

/* Waits for all. Nobody reads what those in front of a failed one write, and they may wait for input, so they are ended; not at once,
 * because the one that failed may have seen the end of their output before they have said why. */
static void wait_for_all(process *p, size_t n) {
    enum { GRACE_MS = 300 };
    const struct timespec pause = {.tv_nsec = 1000000};
    size_t front = 0;
    for (int waited = 0; any_runs(p, n);) {
        int status;
        const pid_t pid = waitpid(-1, &status, any_runs(p, front) && waited < GRACE_MS ? WNOHANG : 0);
        if (pid > 0) front = ws_max(front, note_end(p, n, pid, status));
        if (pid < 0 && errno != EINTR) /* somebody else took them; that they ended well is not known */
            for (size_t i = 0; i < n; i++) (void)note_end(p, n, p[i].pid, 0x100);
        if (pid == 0) (void)nanosleep(&pause, NULL);
        if (pid == 0 && ++waited == GRACE_MS) end_all(p, front);
    }
}

/* A program that lost its reader says nothing of its own, and one that reads half an input fails because the one before it did. So the
 * first that failed of its own account is the cause. */
static int judge(const process *p, const ws_stage_args *stage, size_t n, ws_err *err) {
    for (size_t i = 0; i < n; i++) {
        const int status = p[i].status;
        const char *name = stage[i].arg[0];
        if (status == 0 || broke(status) || p[i].ended) continue;
        if (WIFEXITED(status) && p[i].sentence[0]) {
            ws_fail(err, WEXITSTATUS(status) == 2 ? WS_EUSAGE : WS_EDATA, "%s", p[i].sentence);
            ws_err_prefix(err, "%s: ", name);
            return err->code;
        }
        if (WIFSIGNALED(status))
            return ws_fail(err, WS_EDATA, "%s was killed by signal %d, so the results are not complete", name, WTERMSIG(status));
        return ws_fail(err, WS_EDATA, "%s ended with status %d, so the results are not complete", name, WEXITSTATUS(status));
    }
    return broke(p[n - 1].status) ? ws_fail(err, WS_EPIPE, "%s: nobody reads its output", stage[n - 1].arg[0]) : WS_OK;
}

int ws_stages_run(const ws_tool *const *tool, const ws_stage_args *stage, size_t n, ws_err *err) {
    const size_t room = WS_STAGES_MAX * WS_ERR_MAX;
    process p[WS_STAGES_MAX] = {{0}};
    int in = STDIN_FILENO, rc = WS_OK;
    size_t started = 0;
    char *sentences = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); /* zeros */
    if (sentences == MAP_FAILED) return ws_fail_nomem(err, room);
    for (size_t i = 0; i < n; i++) p[i].sentence = sentences + i * WS_ERR_MAX;
    signal(SIGCHLD, SIG_DFL); /* where it is ignored nobody hears how a child ended */
    for (; started < n && rc == WS_OK; started += rc == WS_OK) rc = start(&p[started], tool[started], stage, started, n, &in, err);
    if (in > STDIN_FILENO) close(in);
    if (rc) end_all(p, started);
    wait_for_all(p, started);
    if (!rc) rc = judge(p, stage, n, err);
    munmap(sentences, room);
    return rc;
}
