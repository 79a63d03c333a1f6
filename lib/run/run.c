/* SPDX-License-Identifier: MIT
 * The main flow of every tool: options, operands, backend, pipeline, end, exit status. */
#include "lib/run/backend.h"
#include "lib/run/pipe.h"
#include "lib/run/stream.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- what is shown instead of a run ---- */

static int show(const ws_buf *text, ws_err *err) {
    ws_out out;
    int rc = ws_out_open(&out, NULL, err);
    if (!rc) rc = ws_out_write(&out, text->p, text->n, err);
    return rc ? rc : ws_out_close(&out, err);
}

static int help_text(const ws_tool *tool, const ws_opt_table *tab, int ntab, ws_buf *out, ws_err *err) {
    int rc = ws_buf_addf(out, err, "%s - %s\n\nusage: %s [options] %s\n\nExamples:\n%s", tool->name, tool->summary, tool->name,
                         tool->usage, tool->examples);
    if (!rc) rc = ws_opt_help(out, tab, ntab, err);
    return rc ? rc : ws_buf_addf(out, err, "\nThe manual: man %s, man 7 warpsieve\n", tool->name);
}

static int show_instead(const ws_job *job, const ws_opt_table *tab, int ntab, ws_err *err) {
    ws_buf text = {0};
    int rc = WS_OK;
    if (job->common.list_backends)
        rc = ws_backend_list(job->tool, &job->machine, &text, err);
    else if (job->cmdline.outcome == WS_OPT_SHOW_HELP)
        rc = help_text(job->tool, tab, ntab, &text, err);
    else if (job->cmdline.outcome == WS_OPT_SHOW_VERSION)
        rc = ws_buf_addf(&text, err, "%s " WS_VERSION "\n", job->tool->name);
    else
        rc = ws_opt_dump(&text, tab, ntab, err);
    if (!rc) rc = show(&text, err);
    ws_buf_release(&text);
    return rc;
}

/* ---- the run ---- */

static int open_reader(ws_stream *st, ws_err *err) {
    static const char *const standard_input[] = {"-"};
    ws_job *job = st->job;
    const ws_common *c = &job->common;
    int nown = 0;
    for (int i = 0; i < job->ncol; i++)
        if (!job->col[i].if_absent) st->own[nown++] = job->col[i].name;
    st->conf = (ws_seqread_conf){.path = job->ninput ? job->input : standard_input,
                                 .npath = job->ninput ? job->ninput : 1,
                                 .format = (ws_format)c->in_format,
                                 .abc = job->abc,
                                 .any_abc = job->any_abc,
                                 .rows_apart = c->out_format == WS_OUT_TSV && !job->main_out.emit && !job->side_out.emit,
                                 .queries = job->tool->backends && !job->tool->any_query,
                                 .wait_ms = 200,
                                 .badres = (ws_badres)c->badres,
                                 .allow_cut = c->allow_cut,
                                 .tab_joins = job->tab_joins,
                                 .batch_residues = c->batch,
                                 .batch_seqs = SIZE_MAX,
                                 .own = st->own,
                                 .nown = nown};
    /* With -a or -U every pair is a hit of about 100 bytes: at most a million of them in a batch. */
    if ((c->all || job->keep_rejected) && job->ntarget > 0) st->conf.batch_seqs = ws_max(1, 1000000 / job->ntarget);
    int rc = ws_seqread_open(&st->reader, &st->conf, err);
    if (!rc) job->head = ws_seqread_head(st->reader);
    return rc;
}

static int make_slots(const ws_reader *reader, ws_slot **slot, void ***pointer, int n, ws_err *err) {
    int rc = WS_OK;
    *slot = ws_calloc((size_t)n, sizeof **slot, err);
    *pointer = ws_calloc((size_t)n, sizeof **pointer, err);
    if (!*slot || !*pointer) return WS_ENOMEM;
    for (int i = 0; i < n && !rc; i++) {
        (*pointer)[i] = &(*slot)[i];
        if (reader) rc = reader->create(&(*slot)[i].item, err);
    }
    return rc;
}

static void release_slots(const ws_reader *reader, ws_slot *slot, void **pointer, int n) {
    for (int i = 0; slot && i < n; i++) {
        if (slot[i].item) reader->destroy(slot[i].item);
        ws_slot_release(&slot[i]);
    }
    ws_free(slot);
    ws_free(pointer);
}

static int run_pipe(ws_stream *st, ws_err *err) {
    static const ws_pipe_ops sequences = {ws_stream_read, ws_stream_work, ws_stream_finish, ws_stream_write, ws_stream_idle};
    static const ws_pipe_ops items = {ws_item_read, ws_item_work, ws_item_finish, ws_item_write, ws_item_idle};
    const ws_reader *reader = st->job->tool->reader;
    ws_slot *slot = NULL;
    void **pointer = NULL;
    int nslot = 2 * st->nlane + 2;
    int rc = make_slots(reader, &slot, &pointer, nslot, err);
    if (!rc) rc = ws_pipe_run(reader ? &items : &sequences, st, pointer, nslot, st->nlane, err);
    if (!rc && !st->headed) rc = reader ? ws_item_head(st, err) : ws_stream_head(st, err);
    if (!rc)
        rc = reader ? ws_item_end(st, err) : ws_stream_end(st, err);
    else
        ws_stream_break(st);
    release_slots(reader, slot, pointer, nslot);
    return rc;
}

static void note_bad_residues(ws_stream *st) {
    const ws_seqread_counts n = ws_stream_counts(st);
    if (n.bad_residues && !st->job->common.quiet)
        fprintf(stderr, "%s: characters that were no residues, %s: %llu\n", st->job->tool->name,
                st->job->common.badres == WS_BADRES_X ? "taken as unknown ones" : "left out", (unsigned long long)n.bad_residues);
}

static int close_out(ws_out *o, int rc, ws_err *err) {
    ws_err ignored;
    int rc2 = ws_out_close(o, rc ? &ignored : err);
    return rc ? rc : rc2;
}

static int run_stream(ws_stream *st, ws_err *err) {
    const ws_common *c = &st->job->common;
    const ws_reader *reader = st->job->tool->reader;
    int rc = ws_out_open(&st->out, c->output, err);
    if (rc) return rc;
    if (c->rejected) {
        rc = ws_out_open(&st->rejected, c->rejected, err);
        st->has_rejected = rc == WS_OK;
    }
    if (!rc && st->job->side_out.emit) {
        rc = ws_out_open(&st->side, st->job->side_out.path, err);
        st->has_side = rc == WS_OK;
    }
    if (!rc && c->stats && *c->stats) { /* now, not at the end: a path that cannot be written is told before hours of work */
        rc = ws_out_open(&st->stats, c->stats, err);
        st->has_stats = rc == WS_OK;
    }
    if (!rc) rc = reader ? reader->open(st->job, &st->own_reader, err) : open_reader(st, err);
    if (!rc) {
        st->lane = ws_calloc((size_t)st->nlane, sizeof *st->lane, err);
        rc = st->lane ? run_pipe(st, err) : WS_ENOMEM;
        ws_late_join(st);
    }
    if (!rc) note_bad_residues(st);
    if (!rc) ws_report_progress(st, 1);
    if (!rc) rc = ws_report_stats(st, err);
    for (int i = 0; st->lane && i < st->nlane; i++) {
        ws_buf_release(&st->lane[i].codes);
        ws_buf_release(&st->lane[i].scratch);
        ws_buf_release(&st->lane[i].perseq);
        ws_buf_release(&st->lane[i].scores);
        ws_buf_release(&st->lane[i].hints);
    }
    ws_free(st->lane);
    ws_seqread_close(st->reader);
    if (st->own_reader) reader->close(st->own_reader);
    ws_names_destroy(st->names);
    ws_batch_release(&st->packed_kept.open);
    ws_batch_release(&st->packed_rejected.open);
    ws_free(st->ocol);
    if (st->has_rejected) rc = close_out(&st->rejected, rc, err);
    if (st->has_side) rc = close_out(&st->side, rc, err);
    if (st->has_stats) rc = close_out(&st->stats, rc, err);
    return close_out(&st->out, rc, err);
}

/* Nobody typed anything and nothing is piped in: a person looks at a prompt that would wait for ever. */
static int waits_for_nobody(const ws_job *job) { return job->ninput == 0 && isatty(STDIN_FILENO); }

static int run_job(ws_job *job, ws_err *err) {
    ws_stream st = {.job = job, .codec = ws_codec_get(&job->machine.cpu), .start_ns = ws_now_ns()};
    int rc = job->tool->open(job, err);
    st.nlane = job->common.threads > 0 ? (int)job->common.threads : ws_cpu_allowed();
    if (!rc && waits_for_nobody(job))
        rc = ws_fail(err, WS_EUSAGE, "no input: name a file or pipe it in; --help shows how");
    if (!rc && job->common.fields && job->common.out_format != WS_OUT_TSV)
        rc = ws_fail(err, WS_EUSAGE, "--fields chooses columns of a table, so it goes with --out-format tsv only");
    if (!rc) rc = ws_places_check(job, err);
    job->keep_rejected = job->common.rejected && job->common.out_format == WS_OUT_TSV;
    if (!rc && job->tool->backends) rc = ws_backend_choose(job, err);
    if (!rc && job->backend) rc = ws_backend_begin(job, st.nlane, err);
    st.batch_given = job->common.batch != 0;
    if (!st.batch_given) job->common.batch = ws_job_batch(job, job->open || !job->beside ? job->backend : job->beside);
    if (!rc && job->tool->early) rc = job->tool->early(job, err);
    st.open_ns = ws_now_ns() - st.start_ns;
    if (!rc) rc = run_stream(&st, err);
    ws_backend_end(job);
    if (job->tool->close) job->tool->close(job);
    return rc;
}

/* Names of files are whatever somebody made them: a line feed would make two sentences of one, and an escape reach the terminal. */
static void say(const char *program, const char *sentence) {
    char text[4 * WS_ERR_MAX], *to = text; /* one write(2), so that the sentences of a pipeline's parts do not mix */
    for (const char *p = sentence; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        to += sprintf(to, c < ' ' || c == 0x7f ? "\\x%02x" : "%c", c);
    }
    *to = '\0';
    fprintf(stderr, "%s: %s\n", program, text);
}

static int exit_status(const ws_tool *tool, int rc, const ws_err *err) {
    if (rc == WS_OK) return 0;
    if (rc == WS_EPIPE) { /* SIGPIPE was ignored by whoever started us: die of it all the same, silently */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    say(tool->name, err->text);
    if (rc == WS_EUSAGE) fprintf(stderr, "%s --help shows what is possible\n", tool->name);
    return rc == WS_EUSAGE ? 2 : 1;
}

/* A descriptor that we were started without would be given to the next file that is opened, and notes for standard error end up in
 * a table. What takes its place cannot be used, so that whoever does is told. */
static void take_standard_descriptors(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int ws_main(const ws_tool *tool, int argc, char **argv) {
    take_standard_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is a write that fails, then: it is told, and no part of a row stays */
    ws_err err = {0};
    ws_job job = {.tool = tool};
    job.own = ws_calloc(1, ws_max(tool->own_size, 1), &err);
    if (!job.own) return exit_status(tool, err.code, &err);
    if (tool->defaults) tool->defaults(job.own);
    const ws_opt_table tab[] = {{tool->opts, job.own}, {ws_common_opts, &job.common}};
    ws_cpu_probe(&job.machine.cpu);
    int rc = ws_opt_parse(&job.cmdline, tab, 2, argc, argv, &err);
    job.machine.device = job.common.device;
    if (!rc) {
        int instead = job.cmdline.outcome != WS_OPT_RUN || job.common.list_backends;
        rc = instead ? show_instead(&job, tab, 2, &err) : run_job(&job, &err);
    }
    ws_cmdline_release(&job.cmdline);
    ws_free(job.model_id);
    ws_free(job.own);
    return exit_status(tool, rc, &err);
}
