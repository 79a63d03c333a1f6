/* SPDX-License-Identifier: MIT
 * The main function of every tool: options, what is shown in place of a run, exit status. */
#include "lib/base/mem.h"
#include "lib/dev/ids.h"
#include "lib/compress/igzip.h"
#include "lib/compress/inflate.h"
#include "lib/files/interrupt.h"
#include "lib/compress/unzstd.h"
#include "lib/run/backend.h"
#include "lib/run/message.h"
#include "lib/run/peer.h"
#include "lib/run/run.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { NTABLE = 3 };

/* Appends "NAME X.Y.Z", then lines "fact: value" of how the program was built. The Makefile defines WS_COMMIT for this
 * file alone. */
static int version_text(const ws_tool *tool, ws_buf *out, ws_err *err) {
    const char *cuda = ws_dev_built();
    int n = 0;
    int rc = ws_buf_addf(out, err, "%s " WS_VERSION "\ncommit: " WS_COMMIT "\nbackends:", tool->name);
    for (int i = 0; tool->backends && tool->backends[i] && !rc; i++) {
        const ws_backend *b = tool->backends[i];
        if (b->usable == ws_usable_device && !cuda) continue;
        rc = ws_buf_addf(out, err, " %s", b->name);
        n++;
    }
    if (!rc) rc = ws_buf_addf(out, err, "%s\ncuda: %s\n", n ? "" : " none", cuda ? cuda : "none");
    const char *isal = ws_igzip_version(), *zstd = ws_unzstd_version();
    if (!rc) rc = ws_buf_addf(out, err, "compression: zlib %s", ws_inflate_version());
    if (!rc && isal) rc = ws_buf_addf(out, err, ", ISA-L %s", isal);
    if (!rc && zstd) rc = ws_buf_addf(out, err, ", libzstd %s", zstd);
    return rc ? rc : ws_buf_adds(out, "\n", err);
}

/* Appends the names of the columns that --fields takes; nothing of a tool that writes no table. */
static int columns_text(const ws_tool *tool, ws_buf *out, ws_err *err) {
    if (!tool->columns[0]) return WS_OK;
    int rc = ws_buf_adds(out, "\nColumns that -f takes, besides those of a table that is read:\n  ", err);
    ws_buf columns = {0};
    for (size_t i = 0; i < sizeof tool->columns / sizeof *tool->columns && tool->columns[i] && !rc; i++) {
        if (i) rc = ws_buf_adds(&columns, ", ", err);
        if (!rc) rc = ws_names_add(&columns, tool->columns[i], ", ", err);
    }
    if (!rc) rc = ws_opt_add_wrapped(out, 2, columns.p, err);
    ws_buf_release(&columns);
    return rc;
}

static int help_text(const ws_tool *tool, const ws_opt_table *tab, int ntab, ws_buf *out, ws_err *err) {
    int rc = ws_buf_addf(out, err, "%s - %s\n\nusage: %s [options] %s\n\nExamples:\n%s", tool->name, tool->summary,
                         tool->name, tool->usage, tool->examples);
    if (!rc) rc = ws_opt_help(out, tab, ntab, err);
    if (!rc) rc = columns_text(tool, out, err);
    return rc ? rc : ws_buf_addf(out, err, "\nThe manual: man %s, man 7 warpsieve\n", tool->name);
}

static int show_instead(const ws_job *job, const ws_opt_table *tab, int ntab, ws_err *err) {
    ws_buf text = {0};
    int rc = WS_OK;
    if (job->cmdline.outcome == WS_OPT_SHOW_FOLDER)
        rc = job->cmdline.folder ? ws_peer_folder_make(job->cmdline.folder, &text, err) : ws_peer_folder(&text, err);
    else if (job->common.list_backends)
        rc = ws_backend_list(job->tool, &job->machine, &text, err);
    else if (job->peer)
        rc = ws_peer_help(job->peer, job->tool->name, tab, ntab, &text, err);
    else if (job->cmdline.outcome == WS_OPT_SHOW_HELP)
        rc = help_text(job->tool, tab, ntab, &text, err);
    else if (job->cmdline.outcome == WS_OPT_SHOW_VERSION)
        rc = version_text(job->tool, &text, err);
    else
        rc = ws_opt_dump(&text, tab, ntab, err);
    if (!rc) rc = ws_out_file(NULL, text.p, text.n, err);
    ws_buf_release(&text);
    return rc;
}

/* Appends the operands to a sentence that ends in the program's name, with - in place of the file that it is about. */
static void add_operands(const ws_cmdline *cl, ws_err *err) {
    ws_err ignored;
    ws_buf words = {0};
    const size_t n = strlen(err->text);
    int rc = WS_OK, found = 0;
    for (int i = 0; i < cl->noperand && !rc; i++) {
        const size_t len = strlen(cl->operand[i]);
        const int is_input = strncmp(err->text, cl->operand[i], len) == 0 && err->text[len] == ':';
        rc = ws_opt_add_word(&words, is_input ? "-" : cl->operand[i], &ignored);
        found |= is_input;
    }
    if (!found) words.n = 0;
    if (!found) rc = ws_buf_adds(&words, " ..., with - in its place", &ignored);
    if (!rc && words.n < sizeof err->text - n) {
        memcpy(err->text + n, words.p, words.n);
        err->text[n + words.n] = '\0';
    }
    ws_buf_release(&words);
}

/* Prints misuse of a program of HMMER as that does: on standard output, with status 1. */
static int peer_misuse(const ws_peer *peer, const ws_err *err) {
    char shown[4 * WS_ERR_MAX];
    ws_err ignored;
    ws_buf text = {0};
    int rc = ws_buf_addf(&text, &ignored, "%s\n", ws_err_show(shown, err->text));
    if (!rc) rc = ws_peer_usage(peer, &text, &ignored);
    if (!rc) (void)ws_out_file(NULL, text.p, text.n, &ignored);
    ws_buf_release(&text);
    return 1;
}

static int exit_status(const ws_tool *tool, const ws_peer *peer, int rc, const ws_err *err) {
    if (rc == WS_OK) return 0;
    /* the parent process ignores SIGPIPE, or this is process 1: die of it all the same, silently */
    if (rc == WS_EPIPE) ws_interrupt_die(SIGPIPE);
    if (peer && rc == WS_EUSAGE) return peer_misuse(peer, err);
    ws_message_error(peer ? peer->name : tool->name, err->text);
    if (rc == WS_EUSAGE) ws_message_usage(tool->name);
    return rc == WS_EUSAGE ? 2 : 1;
}

/* Opens /dev/null for standard descriptors that are closed, in the wrong direction. Otherwise the next file would get
 * such a number, and notes for standard error would end up in a table. Reading or writing one of these fails with a
 * message. */
static void take_standard_descriptors(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Lists the tables of a run's options; returns how many. */
static int list_tables(ws_job *job, ws_opt_table tab[NTABLE]) {
    const ws_tool *tool = job->tool;
    const unsigned unseen = (tool->backends ? 0u : WS_OPT_SCORING) | (tool->columns[0] ? 0u : WS_OPT_TABLE);
    int ntab = 0;
    tab[ntab++] = (ws_opt_table){tool->opts, job->own, unseen};
    if (tool->reader->opts) tab[ntab++] = (ws_opt_table){tool->reader->opts, job->reader_opts, unseen};
    tab[ntab++] = (ws_opt_table){ws_common_opts, &job->common, unseen};
    return ntab;
}

/* Parses and runs, or shows what is asked for in place of a run. */
static int run_or_show(ws_job *job, const ws_opt_table *tab, int ntab, int argc, char **argv, ws_err *err) {
    ws_cpu_probe(&job->machine.cpu);
    int rc = ws_opt_parse(&job->cmdline, tab, ntab, argc, argv, err);
    if (job->peer) {
        job->common.no_progress = 1;
        job->cmdline.fixed = ws_peer_fixed(job->peer);
    }
    if (job->common.plain) {
        job->common.header = WS_HEADER_PLAIN;
        job->common.no_provenance = job->common.no_seq = 1;
    }
    if (!rc) rc = ws_opt_clash(job->common.gpu, job->common.backend != NULL, "--gpu", "--backend", err);
    if (job->common.gpu) job->common.backend = "cuda";
    job->machine.device = job->common.device;
    if (!job->stop) { /* else other users of devices live in this process */
        ws_dev_narrow(job->common.device);
        ws_dev_load_at_start();
    }
    if (rc) return rc;
    const int instead = job->cmdline.outcome != WS_OPT_RUN || job->common.list_backends;
    return instead ? show_instead(job, tab, ntab, err) : ws_run_job(job, err);
}

/* Does the same for the arguments of a program of HMMER. */
static int run_as_peer(ws_job *job, const ws_opt_table *tab, int ntab, int argc, char **argv, ws_err *err) {
    char **own = NULL;
    int n, help;
    int rc = ws_peer_arguments(job->peer, tab, ntab, argc, argv, &own, &n, &help, err);
    if (!rc && help) rc = show_instead(job, tab, ntab, err);
    else if (!rc) rc = run_or_show(job, tab, ntab, n, own, err);
    ws_free(own);
    return rc;
}

/* Lets --as NAME, in front of all else, be the name of the program: where no link can have that name. */
static void take_name(const ws_tool *tool, int *argc, char ***argv) {
    if (*argc < 3 || strcmp((*argv)[1], "--as") != 0 || !ws_peer_find(tool->peers, (*argv)[2])) return;
    *argc -= 2;
    *argv += 2;
}

int ws_main_run(const ws_tool *tool, const ws_peer *peer, int argc, char **argv, const int *stop, ws_err *err) {
    ws_job job = {.tool = tool, .peer = peer, .argv = argv, .argc = argc, .stop = stop};
    ws_opt_table tab[NTABLE];
    job.own = ws_calloc(1, ws_max(tool->own_size, 1), err);
    job.reader_opts = ws_calloc(1, ws_max(tool->reader->size, 1), err);
    int rc = job.own && job.reader_opts ? WS_OK : WS_ENOMEM;
    if (!rc && tool->defaults) tool->defaults(job.own);
    const int ntab = list_tables(&job, tab);
    if (!rc) rc = (job.peer ? run_as_peer : run_or_show)(&job, tab, ntab, argc, argv, err);
    if (rc && err->ends_in_command) add_operands(&job.cmdline, err);
    ws_cmdline_release(&job.cmdline);
    ws_free(job.model_id);
    ws_free(job.reader_opts);
    ws_free(job.own);
    return rc;
}

int ws_main(const ws_tool *tool, int argc, char **argv) {
    for (const ws_mode *m = tool->modes; m && m->option && argc > 1; m++)
        if (strcmp(argv[1], m->option) == 0) {
            argv[1] = argv[0];
            return ws_main(m->tool, argc - 1, argv + 1);
        }
    take_name(tool, &argc, &argv);
    take_standard_descriptors();
    ws_interrupt_init();
    /* a write beyond the limit of a file's size then fails with a message and leaves no part of a row */
    signal(SIGXFSZ, SIG_IGN);
    ws_err err = {0};
    const ws_peer *peer = ws_peer_find(tool->peers, argv[0]);
    const int rc = ws_main_run(tool, peer, argc, argv, NULL, &err);
    return exit_status(tool, peer, rc, &err);
}
