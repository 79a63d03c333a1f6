/* SPDX-License-Identifier: MIT
 * papara-score: scores reads against every branch of a tree. */
#include "bin/papara/program.h"
#include "bin/stages/plan.h"
#include "lib/base/system.h"
#include "lib/compress/source.h"
#include "lib/run/message.h"
#include "lib/run/peer.h"

#include <math.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- operands ---- */

/* Takes the operands. -s and -t replace the first two; the others are reads. */
static int operands(ws_job *job, ws_papara_run_data *d, const char **msa, const char **tree, ws_err *err) {
    const ws_cmdline *cl = &job->cmdline;
    const ws_papara_opts *o = d->opts;
    int at = 0, from_stdin = 0;
    *msa = o->reference ? o->reference : at < cl->noperand ? cl->operand[at++] : NULL;
    if (o->run && (!o->reference || !o->tree))
        return ws_fail(err, WS_EUSAGE, "-t names the reference tree and -s the alignment, and %s is not given",
                       o->tree ? "-s" : "-t");
    if (!*msa)
        return ws_fail(err, WS_EUSAGE, "no alignment: the operands are the reference alignment, the tree, and reads");
    *tree = o->tree ? o->tree : at < cl->noperand ? cl->operand[at++] : NULL;
    if (!*tree)
        return ws_fail(err, WS_EUSAGE, "no tree: the operands are the reference alignment, the tree, and reads");
    d->input = ws_calloc((size_t)(cl->noperand - at) + 2, sizeof *d->input, err);
    if (!d->input) return WS_ENOMEM;
    if (o->queries) d->input[job->ninput++] = o->queries;
    while (at < cl->noperand) d->input[job->ninput++] = cl->operand[at++];
    job->input = d->input;
    for (int i = 0; i < job->ninput; i++) from_stdin += ws_source_is_stdin(job->input[i]);
    from_stdin += job->ninput == 0 && !o->run; /* PaPaRa reads no standard input */
    if (from_stdin + ws_source_is_stdin(*msa) + ws_source_is_stdin(*tree) > 1)
        return ws_fail(err, WS_EUSAGE,
                       "more than one input would be read from standard input; name files for the others");
    return WS_OK;
}

static void note(const ws_job *job, const char *text, unsigned long long n, const char *more) {
    ws_message_note(job, "%s: %llu%s", text, n, more);
}

/* ---- rows that are no leaves ---- */

/* Returns a file in memory, because a container may have no writable folder. */
static FILE *unnamed_file(void) {
    const int fd = ws_system_memory_file();
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");
    if (!f && fd >= 0) close(fd);
    return f;
}

static int add_extra_rows(ws_job *job, ws_papara_run_data *d, const uint8_t *is_leaf, ws_err *err) {
    d->extra = unnamed_file();
    if (!d->extra) return ws_fail_errno(err, WS_EIO, "cannot make a file in memory for the rows that are queries");
    for (size_t r = 0; r < d->ref.msa.n; r++)
        if (!is_leaf[r]) fprintf(d->extra, ">%s\n%s\n", d->ref.msa.row[r].name, d->ref.msa.row[r].site);
    if (fflush(d->extra) || ferror(d->extra))
        return ws_fail_errno(err, WS_EIO, "cannot write the rows that are queries");
    rewind(d->extra);
    snprintf(d->extra_path, sizeof d->extra_path, "/dev/fd/%d", fileno(d->extra));
    if (job->ninput == 0 && !d->opts->run) d->input[job->ninput++] = "-";
    d->input[job->ninput++] = d->extra_path;
    return WS_OK;
}

static int extra_rows(ws_job *job, ws_papara_run_data *d, ws_err *err) {
    const ws_papara_ref *ref = &d->ref;
    const size_t extra = ref->msa.n - (size_t)ref->tree.ntip;
    if (extra == 0 && job->ninput == 0 && d->opts->run)
        return ws_fail(err, WS_EUSAGE, "no reads: there is no -q, and all rows of the alignment are in the tree");
    if (extra == 0) return WS_OK;
    if (d->opts->extra_rows == WS_PAPARA_IGNORE) {
        note(job, "rows of the alignment that are not in the tree, ignored", extra,
             " (--extra-rows queries scores them)");
        return WS_OK;
    }
    uint8_t *is_leaf = ws_calloc(ref->msa.n, 1, err);
    if (!is_leaf) return WS_ENOMEM;
    for (int x = 0; x < ref->tree.n; x++)
        if (!ref->tree.node[x].nchild) is_leaf[ref->tree.node[x].row] = 1;
    int rc = add_extra_rows(job, d, is_leaf, err);
    ws_free(is_leaf);
    return rc;
}

/* ---- the target ---- */

static int check_letters(const ws_job *job, const ws_papara_msa *m, const ws_papara_letters *l, const char *path,
                         ws_err *err) {
    char q[WS_QUOTE_MAX], c[WS_QUOTE_MAX];
    const char *advice = job->peer && l->nstate == 4 ? "; -a says that they are proteins" : "";
    for (size_t r = 0; r < m->n; r++)
        for (size_t i = 0; i < m->sites; i++)
            if (!l->mask[(unsigned char)m->row[r].site[i]])
                return ws_fail(err, WS_EDATA,
                               "%s: row %zu (\"%s\"), column %zu: found \"%s\", expected a %s or a gap%s", path, r + 1,
                               ws_quote(q, m->row[r].name, strlen(m->row[r].name)), i + 1,
                               ws_quote(c, m->row[r].site + i, 1),
                               l->nstate == 4 ? "nucleotide" : "residue (of amino acids)", advice);
    return WS_OK;
}

/* Makes the target's identity: the number of leaves, and a checksum of all that scores depend on. */
static int make_id(ws_job *job, const ws_papara_ref *ref, ws_err *err) {
    ws_buf id = {0};
    const ws_papara_edges *e = &ref->edges;
    const XXH64_hash_t sum = XXH3_64bits(e->bit, e->ngroup * e->sites * ((size_t)e->nstate + 1) * sizeof *e->bit);
    int rc = ws_buf_addf(&id, err, "%d_leaves(xxh3:%016llx)", ref->tree.ntip, (unsigned long long)sum);
    job->model_id = id.p;
    job->model_hash = sum;
    return rc;
}

static int read_reference(const ws_job *job, ws_papara_run_data *d, const char *msa, const char *tree, ws_err *err) {
    ws_papara_ref *ref = &d->ref;
    const ws_papara_opts *o = d->opts;
    int rc = ws_papara_msa_read(&ref->msa, msa, err);
    if (!rc) rc = ws_papara_tree_read(&ref->tree, tree, o->resolve, err);
    if (!rc) rc = ws_papara_tree_bind(&ref->tree, &ref->msa, err);
    if (rc) return rc;
    ws_papara_letters_set(&ref->letters, o->alphabet ? o->alphabet == 2 : ws_papara_msa_is_protein(&ref->msa),
                          o->papara_residues);
    if (o->both_strands && ref->letters.nstate != 4)
        return ws_fail(err, WS_EUSAGE, "--both-strands: proteins have one strand");
    rc = check_letters(job, &ref->msa, &ref->letters, msa, err);
    if (rc) return rc;
    if (ref->tree.missing)
        note(job, "branches without a length, taken as 1.0", (unsigned long long)ref->tree.missing, "");
    if (ref->tree.not_positive)
        note(job, "branches with a length of 0 or below, taken as 1e-6", (unsigned long long)ref->tree.not_positive,
             "");
    const int rule = o->flags_given ? o->flags : o->scheme == 1;
    rc = ws_papara_edges_make(&ref->edges, &ref->tree, &ref->msa, &ref->letters,
                              rule ? WS_PAPARA_RULE : WS_PAPARA_LIKELIHOOD, err);
    if (!rc && (double)ref->scheme.match * (double)ref->edges.sites > 1e9)
        rc = ws_fail(err, WS_EUSAGE, "--parameters: with %zu sites a match of %d passes 32 bits", ref->edges.sites,
                     (int)ref->scheme.match);
    return rc;
}

enum { EDGE, SCORE, SECOND_EDGE, SECOND_SCORE, TIED, LEN, JPLACE, STRAND };

static const ws_col column[] = {
    [EDGE] = {.name = "best_edge", .type = WS_COL_COUNT},
    [SCORE] = {.name = "score", .type = WS_COL_COUNT},
    [SECOND_EDGE] = {.name = "second_edge", .type = WS_COL_COUNT},
    [SECOND_SCORE] = {.name = "second_score", .type = WS_COL_COUNT},
    [TIED] = {.name = "edges_tied", .type = WS_COL_COUNT},
    [LEN] = {.name = "len", .type = WS_COL_COUNT},
    [JPLACE] = {.name = "jplace_edge", .type = WS_COL_COUNT},
    [STRAND] = {.name = "strand", .type = WS_COL_STRAND}};
static const ws_names one_strand = {column, sizeof *column, STRAND};
static const char *const strand[] = {"strand (with --both-strands)"};
static const ws_names both_strands = WS_NAMES(strand);

static void columns(ws_job *job, const ws_papara_run_data *d) {
    ws_scan *scan = ws_scan_of(job);
    memcpy(scan->col, column, sizeof column);
    scan->ncol = d->opts->both_strands ? STRAND + 1 : STRAND;
    if (job->common.fields || scan->out_format != WS_OUT_TSV) return;
    job->common.fields = d->opts->both_strands ? "name,best_edge,score,second_edge,second_score,edges_tied,len,strand"
                                               : "name,best_edge,score,second_edge,second_score,edges_tied,len";
}

/* Returns the residues of a batch. */
static uint64_t batch_size(const ws_papara_ref *ref) {
    const double edges = (double)ref->edges.nedge, strands = ref->both_strands ? 2 : 1;
    return ws_plan_placed_batch((double)ref->edges.sites * edges * strands, ref->exact_all ? edges : 0);
}

static int open_papara(ws_job *job, ws_err *err) {
    const char *msa = NULL, *tree = NULL;
    ws_papara_run_data *d = job->data = ws_calloc(1, sizeof *d, err);
    if (!d) return WS_ENOMEM;
    const ws_papara_opts *o = d->opts = job->own;
    job->common.quiet = o->quiet;
    job->common.threads = o->threads;
    ws_scan_of(job)->out_format = o->out_format == WS_PAPARA_JPLACE ? WS_OUT_TSV : o->out_format;
    int rc = ws_papara_options_check(o, job, &d->ref.scheme, err);
    if (!rc) rc = operands(job, d, &msa, &tree, err);
    if (!rc) rc = read_reference(job, d, msa, tree, err);
    if (!rc) rc = extra_rows(job, d, err);
    if (!rc) rc = make_id(job, &d->ref, err);
    if (rc) return rc;
    d->ref.both_strands = o->both_strands;
    d->ref.exact_all = d->ref.deferred = o->all_edges;
    if (o->all_edges && !job->common.batch) job->common.batch = batch_size(&d->ref); /* also on devices */
    ws_scan_of(job)->abc = &d->ref.letters.abc;
    ws_scan_of(job)->looks_like_dna =
        "the alignment is of proteins, but the reads look like DNA; their letters are scored as amino acids";
    job->target = ws_calloc(1, sizeof *job->target, err);
    if (!job->target) return WS_ENOMEM;
    *job->target =
        (ws_target){.name = "tree", .qlen = (uint64_t)d->ref.edges.sites * d->ref.edges.nedge, .data = &d->ref};
    job->ntarget = 1;
    job->default_batch = batch_size(&d->ref);
    ws_scan_of(job)->tab_joins = 1; /* the names of papara */
    columns(job, d);
    if (o->all_edges) ws_scan_set_main(job, &ws_papara_all_edges_out);
    if (o->out_format == WS_PAPARA_JPLACE) ws_scan_set_main(job, &ws_papara_jplace_out);
    if (o->alignment) {
        const ws_scan_output alignment = ws_papara_alignment_out(o, o->alignment);
        d->alignment_output = ws_scan_add_output(job, &alignment);
    }
    return o->run ? ws_papara_run_open(job, err) : WS_OK;
}

/* Writes the tree of the input with the edge numbers of the rows. */
static int write_tree(ws_job *job, ws_err *err) {
    const ws_papara_run_data *d = ws_papara_data_of(job);
    ws_buf text = {0};
    if (!d->opts->tree_out) return WS_OK;
    int rc = ws_papara_tree_write(&d->ref.tree, 0, &text, err);
    if (!rc) rc = ws_buf_add(&text, "\n", 1, err);
    if (!rc) rc = ws_out_file(d->opts->tree_out, text.p, text.n, err);
    ws_buf_release(&text);
    return rc;
}

static void close_papara(ws_job *job) {
    ws_papara_run_data *d = ws_papara_data_of(job);
    if (!d) return;
    if (d->unscored)
        note(job,
             d->opts->scheme == 1
                 ? "reads without a score, because they have no residue or are not shorter than the reference"
                 : "reads without a score, because they have no residue",
             d->unscored, "");
    ws_papara_chunks_release(d);
    if (d->extra) fclose(d->extra);
    for (int k = 0; k < WS_PAPARA_RUN_FILES; k++) ws_free(d->run_file[k]);
    ws_papara_msa_release(&d->ref.msa);
    ws_papara_tree_release(&d->ref.tree);
    ws_papara_edges_release(&d->ref.edges);
    ws_free(d->input);
    ws_free(job->target);
    ws_free(d);
}

/* ---- reads ---- */

static void fill(const ws_papara_ref *ref, const ws_papara_score *s, double *v) {
    for (int i = 0; i < WS_COL_MAX; i++) v[i] = NAN;
    v[LEN] = s->len;
    if (s->tied == 0) return;
    v[EDGE] = s->edge[0];
    v[SCORE] = (double)ws_papara_result(&ref->scheme, s->len, s->cost[0]);
    v[TIED] = s->tied;
    v[JPLACE] = ref->tree.jplace[s->edge[0]];
    v[STRAND] = s->reverse ? -1 : 1;
    if (s->ntop < 2) return;
    v[SECOND_EDGE] = s->edge[1];
    v[SECOND_SCORE] = (double)ws_papara_result(&ref->scheme, s->len, s->cost[1]);
}

static int decide(const ws_job *job, const ws_batch *b, const ws_task *task, const uint32_t *row,
                  const ws_scan_worker *worker, ws_hits *hits, ws_err *err) {
    ws_papara_run_data *d = ws_papara_data_of(job);
    const ws_papara_score *score = task->score;
    ws_papara_score *of_seq = worker->value;
    (void)b;
    for (size_t j = 0; j < task->n; j++) {
        ws_hit *h = ws_hits_add(hits, err);
        if (!h) return WS_ENOMEM;
        h->seq = (uint32_t)ws_task_item(task, j);
        h->row = row ? row[j] : UINT32_MAX;
        h->pass = 1;
        of_seq[h->seq] = score[j];
        fill(&d->ref, &score[j], h->value);
        if (score[j].tied == 0 && !d->ref.deferred) d->unscored++;
    }
    return WS_OK;
}

static const ws_scoring scoring = {
    .score_size = sizeof(ws_papara_score), .value_size = sizeof(ws_papara_score), .any_query = 1, .decide = decide};
static const ws_backend *const backends[] = {&ws_papara_cuda, WS_BY_WIDTH(ws_papara_), NULL};

static const ws_peer *const peers[] = {&ws_peer_papara, NULL};

const ws_tool ws_papara_score_tool = {
    .name = "papara-score",
    .peers = peers,
    .summary = "score reads against every branch of a tree, and align them to the best (PaPaRa)",
    .usage = "ALIGNMENT TREE [FILE...]",
    .columns = {&ws_pair_columns, &one_strand, &both_strands},
    .examples = "  # best branch of each read\n"
                "  papara-score ref.phy ref.nwk reads.fasta > best.tsv\n"
                "  # aligned reads for epa-ng, and the tree with the numbers of the rows\n"
                "  papara-score --alignment q.fa --tree n.nwk ref.phy ref.nwk reads.fasta > best.tsv\n",
    .opts = ws_papara_opt_table,
    .own_size = sizeof(ws_papara_opts),
    .backends = backends,
    .reader = &ws_scan_reader,
    .scoring = &scoring,
    .open = open_papara,
    .close = close_papara,
    .early = write_tree,
    .finish = ws_papara_alignment_finish,
};
