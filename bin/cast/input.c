/* SPDX-License-Identifier: MIT
 * The input of hmmcast: alignments of several files one after another, or batches of unaligned sequences. The first
 * one tells the alphabet, unless an option does. */
#include <string.h>

#include "bin/cast/program.h"
#include "lib/compress/inputs.h"
#include "lib/run/message.h"
#include "lib/simd/codec.h"

struct ws_cast_input {
    const ws_job *job;
    ws_cast_plan *plan;
    const char *const *path;
    int npath, next; /* the one to open next */
    uint64_t models; /* so far */

    /* alignments */
    ws_msareader *reader; /* of the open file; NULL: none is open */
    uint64_t in_file;     /* alignments of it so far */

    /* sequences */
    ws_seqread *seqread;
    ws_seqread_conf conf;
    const ws_codec *codec;
};

int ws_cast_input_open(ws_cast_input **out, const ws_job *job, ws_cast_plan *p, ws_err *err) {
    static const char *const standard_input[] = {"-"};
    ws_cast_input *in = *out = ws_calloc(1, sizeof *in, err);
    if (!in) return err->code;
    in->job = job;
    in->plan = p;
    in->path = job->ninput ? job->input : standard_input;
    in->npath = job->ninput ? job->ninput : 1;
    in->codec = ws_codec_get(&job->machine.cpu);
    if (!p->sequences) return WS_OK;
    /* letters of nucleotides are letters of proteins too, so sequences can be read before their alphabet is known */
    in->conf = (ws_seqread_conf){.path = in->path, .npath = in->npath, .format = WS_FORMAT_FASTA,
                                 .abc = p->abc ? p->abc : ws_abc_get(WS_ABC_AMINO), .badres = WS_BADRES_ERROR,
                                 .batch_residues = job->common.batch, .batch_seqs = job->common.batch,
                                 .wait_ms = WS_INPUTS_WAIT_MS};
    return ws_seqread_open(&in->seqread, &in->conf, err);
}

void ws_cast_input_close(ws_cast_input *in) {
    if (!in) return;
    ws_msareader_close(in->reader);
    ws_seqread_close(in->seqread);
    ws_free(in);
}

/* Makes the builder for the first input; checks that a later one has the same alphabet. */
static int take_alphabet(ws_cast_plan *p, const ws_abc *abc, const char *file, ws_err *err) {
    if (!p->builder) return ws_cast_plan_build(p, abc, err);
    if (p->abc == abc) return WS_OK;
    return ws_fail(err, WS_EDATA, "%s: the alphabet is %s, that of the inputs before is %s; all models of an output "
                   "must agree", file, abc->name, p->abc->name);
}

/* ---- alignments ---- */

static void add_to_sentence(ws_err *err, const char *more) {
    if (strlen(err->text) + strlen(more) < sizeof err->text) strcat(err->text, more);
}

/* Adds to a message about a first file that is not there what hmmbuild's order of operands would mean. */
static void hint_at_order(const char *path, ws_err *err) {
    const char *end = strrchr(path, '.');
    if (end && strcmp(end, ".hmm") == 0)
        add_to_sentence(err, "; operands are alignments, and the models go to standard output or to --output FILE");
}

static int open_file(ws_cast_input *in, ws_err *err) {
    const ws_cast_plan *p = in->plan;
    const ws_cast_options *o = p->o;
    if (in->next == in->npath) return WS_EOF;
    in->in_file = 0;
    const int rc = ws_msareader_open(&in->reader, in->path[in->next++], p->format,
                                     o->amino || o->dna || o->rna ? p->abc : NULL, err);
    if (rc == WS_EIO && in->next == 1 && in->npath == 2) hint_at_order(in->path[0], err);
    return rc;
}

/* Tells what hmmbuild does not: readers of models take the first word of a name. */
static void note_blank(const ws_cast_input *in, const char *name) {
    char q[WS_QUOTE_MAX];
    if (strpbrk(name, " \t"))
        ws_message_note(in->job, "the name \"%s\" has a blank: programs that read the model will call it by the first "
                        "word", ws_quote(q, name, strlen(name)));
}

static int copy_name(const ws_cast_input *in, ws_cast_item *it, const char *name, ws_err *err) {
    note_blank(in, name);
    it->name = ws_strndup(name, strlen(name), err);
    return it->name ? WS_OK : err->code;
}

/* Sets the name of an alignment's model (section 4.4): of -n, its ID, or for the first one of a file the file's. */
static int name_it(ws_cast_input *in, ws_cast_item *it, ws_err *err) {
    const char *given = in->plan->o->name, *path = in->path[in->next - 1];
    if (given && in->models > 0)
        return ws_fail(err, WS_EDATA, "%s: there is a second alignment, but -n %s names a single one", it->file, given);
    if (given || it->msa.id) return copy_name(in, it, given ? given : it->msa.id, err);
    if (in->in_file > 1)
        return ws_fail(err, WS_EDATA, "%s: alignment %llu has no name; from the second on each needs a line #=GF ID",
                       it->file, (unsigned long long)in->in_file);
    it->name = ws_alloc(strlen(path) + 1, err);
    if (!it->name) return err->code;
    if (ws_msa_default_name(it->name, path) && *it->name) {
        note_blank(in, it->name);
        return WS_OK;
    }
    return ws_fail(err, WS_EDATA, "%s: the alignment has no name, and there is no file name to take: give one with -n",
                   it->file);
}

/* Adds to a message about aligned FASTA what else the input may be. */
static void add_hint(const ws_cast_input *in, ws_err *err) {
    static const char hint[] = "; unaligned sequences need --informat fasta";
    if (ws_msareader_format(in->reader) == WS_MSA_AFA) add_to_sentence(err, hint);
}

static int fill_alignment(ws_cast_input *in, ws_cast_item *it, ws_err *err) {
    int rc = WS_EOF;
    while (rc == WS_EOF) {
        if (!in->reader && (rc = open_file(in, err))) return rc;
        rc = ws_msareader_next(in->reader, &it->msa, err);
        if (rc != WS_EOF) break;
        ws_msareader_close(in->reader);
        in->reader = NULL;
    }
    if (rc == WS_EDATA) add_hint(in, err);
    if (rc) return rc;
    it->file = ws_source_name_of(in->path[in->next - 1]);
    it->in_file = ++in->in_file;
    rc = name_it(in, it, err);
    if (!rc) rc = take_alphabet(in->plan, it->msa.abc, it->file, err);
    it->first = in->models + 1;
    it->nmodel = 1;
    in->models++;
    return rc;
}

/* ---- sequences ---- */

/* Guesses the alphabet from the first sequence that has residues. */
static int guess(const ws_cast_item *it, const ws_abc *letters, const ws_abc **abc, ws_err *err) {
    const ws_batch *b = &it->batch;
    uint64_t count[26] = {0};
    size_t i = 0;
    while (i < b->n && b->len[i] == 0) i++;
    if (i == b->n) i = 0;
    const uint8_t *code = (const uint8_t *)it->codes.p + WS_RESIDUES_PER_WORD * b->first[i];
    for (uint32_t j = 0; j < b->len[i]; j++) {
        const char c = letters->letters[code[j]];
        if (c >= 'A' && c <= 'Z') count[c - 'A']++;
    }
    *abc = ws_msa_alphabet_of(count);
    if (*abc) return WS_OK;
    return ws_fail(err, WS_EDATA, "sequence %.*s: its letters do not tell the alphabet, of proteins, DNA or RNA; say "
                   "--amino, --dna or --rna", (int)b->seqtext[i].name.n, ws_batch_text(b, b->seqtext[i].name));
}

/* Turns codes of proteins into those of the same letters in another alphabet; a letter that it lacks becomes
 * WS_C_BAD. */
static void translate(ws_cast_item *it, const ws_abc *from, const ws_abc *to) {
    uint8_t table[32], *code = (uint8_t *)it->codes.p;
    for (int x = 0; x < 32; x++)
        table[x] = x < from->Kp ? to->code_of[(unsigned char)from->letters[x]] : (uint8_t)x;
    for (size_t i = 0; i < it->batch.n; i++) {
        uint8_t *x = code + WS_RESIDUES_PER_WORD * it->batch.first[i];
        for (uint32_t j = 0; j < it->batch.len[i]; j++) x[j] = table[x[j]];
    }
}

static int fill_sequences(ws_cast_input *in, ws_cast_item *it, ws_err *err) {
    enum { BEYOND = 64 }; /* codecs write whole registers */
    ws_cast_plan *p = in->plan;
    const ws_abc *abc = p->abc;
    int rc = ws_seqread_fill(in->seqread, &it->batch, err);
    if (rc) return rc;
    const ws_batch *b = &it->batch;
    uint8_t *code = ws_buf_scratch(&it->codes, b->nword * WS_RESIDUES_PER_WORD + BEYOND, err);
    if (!code) return err->code;
    in->codec->unpack(b->word, b->nword * WS_RESIDUES_PER_WORD, code);
    if (!abc) rc = guess(it, in->conf.abc, &abc, err);
    if (!rc) rc = take_alphabet(p, abc, "", err);
    if (rc) return rc;
    if (abc != in->conf.abc) translate(it, in->conf.abc, abc);
    if (p->o->name && in->models + b->n > 1)
        return ws_fail(err, WS_EDATA, "there is a second sequence, but -n %s names a single model", p->o->name);
    if (p->o->name) note_blank(in, p->o->name);
    it->first = in->models + 1;
    it->nmodel = b->n;
    in->models += b->n;
    return WS_OK;
}

int ws_cast_input_fill(ws_cast_input *in, ws_cast_item *it, ws_err *err) {
    return in->plan->sequences ? fill_sequences(in, it, err) : fill_alignment(in, it, err);
}

int ws_cast_input_ahead(ws_cast_input *in) { return in->seqread ? ws_seqread_ahead(in->seqread) : 0; }

void ws_cast_input_batch(ws_cast_input *in, uint64_t residues) {
    if (in->seqread) ws_seqread_batch(in->seqread, residues);
}

void ws_cast_input_progress(ws_cast_input *in, uint64_t *done, uint64_t *size) {
    *done = *size = 0;
    if (in->seqread) ws_seqread_progress(in->seqread, done, size);
}
