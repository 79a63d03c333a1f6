/* SPDX-License-Identifier: MIT
 * mrfseg: segmentation of volumes by a Markov random field. */
#include "bin/mrf/program.h"
#include "lib/base/number.h"
#include "lib/compress/deflate.h"
#include "lib/run/job.h"
#include "lib/run/table.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

extern const ws_tool ws_mrfseg_tool;

static ws_mrf_options *options_of(const ws_job *job) { return job->own; }
static ws_mrf_plan *plan_of(const ws_job *job) { return job->data; }

/* Standard input is either the mask or a volume. */
static int check_standard_input(const ws_job *job, ws_err *err) {
    int named = job->ninput == 0;
    if (strcmp(options_of(job)->mask, "-") != 0) return WS_OK;
    for (int i = 0; i < job->ninput; i++) named |= strcmp(job->input[i], "-") == 0;
    return named ? ws_fail(err, WS_EUSAGE, "--mask -: standard input is the volume; expected a file for one of them")
                 : WS_OK;
}

static int open_mrf(ws_job *job, ws_err *err) {
    const ws_mrf_options *o = options_of(job);
    ws_mrf_plan *p = job->data = ws_calloc(1, sizeof *p, err);
    int rc = p ? ws_mrf_plan_make(p, o, &job->common, err) : WS_ENOMEM;
    job->input = job->cmdline.operand;
    job->ninput = job->cmdline.noperand;
    if (!rc && p->labels && job->ninput > 1)
        rc = ws_fail(err, WS_EUSAGE, "%s: the labels of %d inputs; expected one input, as a file has one geometry",
                     o->labels ? "--labels" : "--out-format nii", job->ninput);
    if (!rc && p->probabilities && job->ninput > 1)
        rc = ws_fail(err, WS_EUSAGE, "--probabilities: those of %d inputs; expected one input, as a file has one "
                                     "geometry", job->ninput);
    if (!rc && o->mask) rc = check_standard_input(job, err);
    return rc || !o->mask ? rc : ws_mrf_mask_read(&p->mask, o->mask, err);
}

static void close_mrf(ws_job *job) {
    if (job->data) ws_mrf_plan_release(job->data);
    ws_free(job->data);
}

/* ---- the reader ---- */

typedef struct reader {
    ws_mrf_input input;
    atomic_int busy; /* volumes that are being worked on */
    _Atomic uint64_t volumes, voxels, updates, changed;
} reader;
static reader *reader_of(const ws_job *job) { return job->reader; }

typedef struct item {
    ws_mrf_image image;
    ws_mrf_volume volume;
    ws_mrf_scale scale;
    ws_mrf_work work;
    ws_mrf_result result;
    ws_mrf_order order;
    ws_mrf_kept kept;
    ws_buf label; /* with x fastest */
    ws_buf share; /* the file of probabilities */
} item;

static int open_reader(ws_job *job, ws_err *err) {
    reader *r = job->reader = ws_calloc(1, sizeof *r, err);
    if (!r) return WS_ENOMEM;
    const ws_mrf_plan *p = plan_of(job);
    ws_inputs_init(&r->input.in, job->input, job->ninput);
    r->input.beside = 3 + (p->probabilities ? (size_t)p->conf.K * sizeof(float) : 0);
    return WS_OK;
}

static void close_reader(ws_job *job) {
    if (job->reader) ws_mrf_input_release(&reader_of(job)->input);
    ws_free(job->reader);
}

static int create_item(void **out, ws_err *err) { return (*out = ws_calloc(1, sizeof(item), err)) ? WS_OK : WS_ENOMEM; }

static void destroy_item(void *item_) {
    item *it = item_;
    ws_buf_release(&it->image.data);
    ws_mrf_volume_release(&it->volume);
    ws_mrf_work_release(&it->work);
    ws_buf_release(&it->label);
    ws_buf_release(&it->share);
    ws_free(it);
}

static int fill(ws_job *job, void *it, size_t *parts, ws_err *err) {
    *parts = 1;
    return ws_mrf_input_fill(&reader_of(job)->input, &((item *)it)->image, err);
}

static int label(const ws_job *job, const ws_mrf_body *b, item *it, int threads, ws_err *err) {
    const ws_mrf_plan *p = plan_of(job);
    for (int c = 0; c < p->conf.K && p->given; c++) {
        const ws_mrf_gauss g = it->result.gauss[c] = ws_mrf_in_codes(&it->scale, p->gauss[c]);
        if (!isfinite(g.mean) || !isfinite(g.sd))
            return ws_fail(err, WS_EDATA, "class %s: mean %g and deviation %g are out of range when scaled by %g",
                           p->name[c], p->gauss[c].mean, p->gauss[c].sd, it->scale.slope);
    }
    return ws_mrf_segment(&p->conf, b, &it->volume, p->given, threads, &it->work, &it->result, err);
}

static int segment(ws_job *job, item *it, int threads, ws_err *err) {
    const ws_mrf_plan *p = plan_of(job);
    if (p->probabilities && it->image.header.T > 1)
        return ws_fail(err, WS_EDATA, "a series of %zu; --probabilities expects one volume, as the fourth dimension "
                                      "of its file is that of the classes", it->image.header.T);
    int rc = p->mask.inside ? ws_mrf_mask_fits(&p->mask, &it->image.header, err) : WS_OK;
    if (!rc)
        rc = ws_mrf_codes(&it->image.header, it->image.data.p, p->mask.inside, &it->volume, &it->scale, threads, err);
    if (!rc && p->seeded) rc = ws_mrf_check_seed(p, &it->volume, err);
    ws_buf_release(&it->image.data); /* before there are labels: together they would be the most */
    if (rc) return rc;
    const ws_backend *b = ws_job_pick_backend(job);
    rc = label(job, b->own, it, threads, err);
    if (!rc || !ws_job_fall_back_to_cpu(job, b, rc, err)) return rc;
    return label(job, ws_job_pick_backend(job)->own, it, threads, err);
}

static int finish(const ws_mrf_plan *p, item *it, int threads, ws_err *err) {
    ws_mrf_order_of(p, &it->scale, &it->result, &it->order);
    int rc = WS_OK;
    if (p->labels || p->seeded) rc = ws_mrf_make_labels(p, &it->volume, &it->order, &it->label, &it->kept, err);
    if (!rc && p->probabilities)
        rc = ws_mrf_make_probabilities(p, &it->image, &it->volume, &it->result, &it->order, threads, &it->work,
                                       &it->share, err);
    return rc;
}

/* Segments a volume. Threads that are not at other volumes help with this one. */
static int work(ws_job *job, void *item_, size_t part, ws_worker *worker, ws_err *err) {
    reader *r = reader_of(job);
    item *it = item_;
    const int busy = ++r->busy, threads = job->nworker > busy ? job->nworker / busy : 1;
    (void)part, (void)worker;
    int rc = segment(job, it, threads, err);
    if (!rc) rc = finish(plan_of(job), it, threads, err);
    r->busy--;
    if (rc == WS_EDATA)
        ws_err_prefix(err, "%s: volume %llu: ", it->image.name, (unsigned long long)it->image.index + 1);
    if (rc) return rc;
    r->volumes++;
    r->voxels += it->volume.inside;
    r->updates += it->volume.inside * it->result.sweeps;
    r->changed += it->result.changed;
    return WS_OK;
}

/* Hands the file of probabilities to the writer. */
static int add_probabilities(const ws_mrf_plan *p, item *it, ws_buf *out, ws_err *err) {
    if (p->gzip_probabilities) return ws_gzip_add(out, it->share.p, it->share.n, err);
    const ws_buf swap = *out;
    *out = it->share;
    it->share = swap;
    return WS_OK;
}

/* Makes the text of a volume. A volume whose text is not whole leaves no text. */
static int format(ws_job *job, void *item_, ws_worker *worker, ws_outtext *out, ws_err *err) {
    const ws_mrf_plan *p = plan_of(job);
    item *it = item_;
    (void)worker;
    int rc = WS_OK;
    if (p->table) rc = ws_mrf_rows(p, &it->image, &it->scale, &it->result, &it->order, &it->kept, &out[0], err);
    if (!rc && p->labels) rc = ws_mrf_add_labels(p, &it->image, (const uint8_t *)it->label.p, &out[p->table].text, err);
    if (!rc && p->probabilities) rc = add_probabilities(p, it, &out[job->nout - 1].text, err);
    for (int k = 0; k < job->nout && rc; k++) out[k].text.n = out[k].rows = 0;
    return rc;
}

static int head(const ws_job *job, void *own, ws_buf *out, ws_err *err) {
    const ws_mrf_plan *p = plan_of(job);
    (void)own;
    if (!p->table) return WS_OK;
    int rc = ws_provenance(job, 1, out, err);
    return rc ? rc : ws_table_head(job, &ws_mrf_columns, p->column, p->ncolumn, out, err);
}

static int end(const ws_job *job, void *own, uint64_t rows, ws_buf *out, ws_err *err) {
    (void)own;
    return plan_of(job)->table ? ws_table_end(job, rows, out, err) : WS_OK;
}

/* Labels beside the table are output 1, probabilities the last. */
static int outputs(ws_job *job, ws_err *err) {
    const ws_mrf_options *o = options_of(job);
    (void)err;
    job->out[0].head = head;
    job->out[0].end = end;
    if (o->labels) ws_job_add_output(job, &(ws_output){.path = o->labels});
    if (o->probabilities) ws_job_add_output(job, &(ws_output){.path = o->probabilities});
    return WS_OK;
}

static int ahead(ws_job *job) { return ws_inputs_ahead(&reader_of(job)->input.in); }

static void progress(ws_job *job, double seconds, char *text, size_t n, double *share) {
    char bytes[WS_NUMBER_MAX];
    reader *r = reader_of(job);
    uint64_t done, size;
    (void)seconds;
    ws_inputs_progress(&r->input.in, &done, &size);
    *share = size ? (double)done / (double)size : -1;
    snprintf(text, n, "%s bytes read, %llu volumes", ws_number_human(bytes, (double)done),
             (unsigned long long)r->volumes);
}

static int stats(ws_job *job, double seconds, ws_stat *stat) {
    const reader *r = reader_of(job);
    (void)seconds;
    const ws_stat own[] = {
        {"volumes", "volumes", (double)r->volumes, 0},
        {"voxels", "voxels", (double)r->voxels, 0},
        {"updates", "updates, voxels x sweeps over the volumes", (double)r->updates, 0},
        {"changed", "labels that a sweep changed", (double)r->changed, 0},
    };
    memcpy(stat, own, sizeof own);
    return (int)(sizeof own / sizeof *own);
}

static const ws_reader mrf_reader = {
    .outputs = outputs,
    .open = open_reader,
    .close = close_reader,
    .create = create_item,
    .destroy = destroy_item,
    .fill = fill,
    .work = work,
    .format = format,
    .ahead = ahead,
    .progress = progress,
    .stats = stats,
};

/* Their own are the bodies. */
#define BACKEND(width, ...) &(const ws_backend){.name = #width, .usable = ws_usable_##width, .own = &ws_mrf_##width},
static const ws_backend on_device = {WS_BACKEND_DEVICE, .own = &ws_mrf_cuda};
static const ws_backend *const backends[] = {&on_device, WS_WIDTHS(BACKEND, ) BACKEND(scalar, ) NULL};

const ws_tool ws_mrfseg_tool = {
    .name = "mrfseg",
    .summary = "segment a CT or MR volume into classes, by a Markov random field",
    .usage = "[VOLUME...]",
    .columns = {&ws_mrf_columns},
    .examples = "  # the tissues of a brain, given its mask: fluid 1, grey matter 2, white matter 3\n"
                "  mrfseg --mask brain.nii.gz --classes 3 --neighbours 18 --beta-in 0.25 "
                "--labels out.nii t1.nii.gz\n"
                "  # four classes of a CT volume, their sizes as a table, their labels as a volume\n"
                "  mrfseg --classes 4 --labels labels.nii.gz ct.nii.gz > classes.tsv\n"
                "  # the surface of the region around a voxel\n"
                "  mrfseg --classes 4 --seed 16,18,11 --boundary -O nii ct.nii.gz > surface.nii\n",
    .opts = ws_mrf_opts,
    .own_size = sizeof(ws_mrf_options),
    .defaults = ws_mrf_defaults,
    .backends = backends,
    .reader = &mrf_reader,
    .open = open_mrf,
    .close = close_mrf,
};
