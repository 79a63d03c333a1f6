/* SPDX-License-Identifier: MIT
 * Queries of nhmmsieve that are no models: sequences and alignments, whose models are made in memory. Specification
 * nhmmer.md, section 7. */
#include "bin/genomes/program.h"
#include "lib/hmm/hmmwrite.h"
#include "lib/formats/seqread.h"
#include "lib/compress/source.h"
#include "lib/msa/msa.h"
#include "lib/simd/codec.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

/* The file of queries, and what is made of it. */
typedef struct making {
    ws_job *job;
    ws_genome *g;
    const char *path, *name; /* name: for messages */
    const ws_abc *abc;       /* given, or guessed; NULL: not known yet */
    ws_builder *builder;     /* of alignments; of sequences the queryset has one */
    size_t cap, unnamed;     /* models there is room for; alignments without a name */
    int threads;
} making;

static int is_nucleic(const ws_abc *abc) { return abc && abc->complement; }

/* ---- the kind of file ---- */

typedef enum first { OF_MODELS, OF_FASTA, OF_OTHER } first;

/* Says by its first bytes what a file may be. Pipes and what cannot be read are for the reader of models. */
static first look(const char *path) {
    enum { MAGIC = 0xe8eded }; /* of binary models: the upper three bytes of a word */
    ws_source *s = NULL;
    struct stat st;
    const uint8_t *p;
    uint32_t word;
    ws_err ignored;
    size_t n, at = 0;
    first is = OF_MODELS;
    if (ws_source_is_stdin(path) || stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return OF_MODELS;
    if (ws_source_open(&s, path, &ignored) == WS_OK && ws_source_next(s, -1, &p, &n, &ignored) == WS_OK) {
        while (at < n && isspace(p[at])) at++;
        if (n - at >= sizeof word) memcpy(&word, p + at, sizeof word);
        else word = 0;
        if (at < n && p[at] == '>') is = OF_FASTA;
        else if (at < n && word >> 8 != MAGIC && !(n - at >= 5 && memcmp(p + at, "HMMER", 5) == 0)) is = OF_OTHER;
    }
    ws_source_close(s);
    return is;
}

static int has_suffix(const char *path, const char *suffix) {
    size_t n = strlen(path);
    if (n > 3 && strcmp(path + n - 3, ".gz") == 0) n -= 3;
    return n >= strlen(suffix) && memcmp(path + n - strlen(suffix), suffix, strlen(suffix)) == 0;
}

/* ---- sequences ---- */

static int fail_alphabet(const making *m, const ws_abc *abc, ws_err *err) {
    if (abc) return ws_fail(err, WS_EDATA, "%s: the queries are %s; nhmmsieve searches with DNA and RNA", m->name,
                            abc->name);
    return ws_fail(err, WS_EDATA, "%s: the letters do not tell whether the queries are DNA or RNA; say --dna or --rna",
                   m->name);
}

/* Guesses the alphabet from the first residues of the first sequence. The sequences were read as letters of proteins,
 * which those of nucleotides are too. */
static int guess_from_first(making *m, const ws_abc *letters, ws_err *err) {
    enum { MOST = 4000 };
    const ws_queryset *q = &m->g->queries;
    uint64_t count[26] = {0};
    for (size_t i = 0; q->n && i < q->query[0].L && i < MOST; i++) {
        const char c = letters->letters[q->query[0].x[i]];
        if (c >= 'A' && c <= 'Z') count[c - 'A']++;
    }
    m->abc = ws_msa_alphabet_of(count);
    return is_nucleic(m->abc) ? WS_OK : fail_alphabet(m, m->abc, err);
}

/* Turns codes of proteins into those of the same letters in the alphabet. */
static int translate(making *m, const ws_abc *letters, ws_err *err) {
    ws_queryset *q = &m->g->queries;
    for (size_t j = 0; j < q->n; j++) {
        uint8_t *x = (uint8_t *)q->codes.p + (q->query[j].x - (const uint8_t *)q->codes.p);
        for (uint32_t i = 0; i < q->query[j].L; i++) {
            const char c = letters->letters[x[i]];
            x[i] = m->abc->code_of[(unsigned char)c];
            if (x[i] >= m->abc->Kp)
                return ws_fail(err, WS_EDATA, "%s: '%c' is not a letter of the %s alphabet, at position %u of sequence "
                                              "%s", m->name, c, m->abc->name, i + 1, q->query[j].name);
        }
    }
    return WS_OK;
}

static int read_sequences(making *m, ws_format format, ws_err *err) {
    ws_queryset *q = &m->g->queries;
    const ws_abc *given = m->abc, *letters = given ? given : ws_abc_get(WS_ABC_AMINO);
    int rc = ws_queryset_load(q, m->path, format, letters, ws_codec_get(&m->job->machine.cpu), err);
    if (!rc && !given) rc = guess_from_first(m, letters, err);
    if (!rc && !given) rc = translate(m, letters, err);
    if (rc || (q->n > 0 && q->n == q->batch.n)) return rc;
    return ws_fail(err, WS_EDATA, "%s: a query needs residues, and %zu of %zu sequences have none", m->name,
                   q->batch.n - q->n, q->batch.n);
}

static int settings_of(const making *m, ws_build_settings *s, ws_err *err) {
    const ws_genome *g = m->g;
    const int rc = ws_queryset_settings(&g->queries, m->abc, 42, s, err); /* whatever --seed */
    s->w_length = (int32_t)g->w_length;
    if (g->w_beta_given) s->w_beta = g->scan.w_beta;
    return rc;
}

static int make_of_sequences(making *m, ws_format format, ws_err *err) {
    ws_build_settings s;
    int rc = read_sequences(m, format, err);
    if (!rc) rc = settings_of(m, &s, err);
    return rc ? rc : ws_queryset_models(&m->g->queries, m->job, &s, &m->g->set, err);
}

/* Reads a FASTA file as an alignment. *rows: how many it has; 0: it is none. *abc: that of all its letters. */
static int read_aligned(const making *m, size_t *rows, const ws_abc **abc, ws_err *err) {
    ws_msareader *r = NULL;
    ws_msa a = {0};
    ws_err ignored;
    int rc = ws_msareader_open(&r, m->path, WS_MSA_AFA, m->abc, err);
    if (rc) return rc;
    rc = ws_msareader_next(r, &a, &ignored);
    if (rc == WS_ENOMEM) *err = ignored;
    *rows = rc ? 0 : a.rows;
    *abc = ws_msareader_abc(r);
    ws_msa_release(&a);
    ws_msareader_close(r);
    return rc == WS_ENOMEM ? rc : WS_OK;
}

/* FASTA may be aligned. HMMER takes it as such first, so its alphabet is that of the whole file. */
static int make_of_fasta(making *m, ws_err *err) {
    size_t rows;
    int rc = read_aligned(m, &rows, &m->abc, err);
    if (!rc && rows > 1)
        rc = ws_fail(err, WS_EUSAGE, "%s: the sequences are equally long, so the file may be an alignment: say "
                                     "--qformat afa or fasta", m->name);
    if (!rc && m->abc && !is_nucleic(m->abc)) rc = fail_alphabet(m, m->abc, err);
    return rc ? rc : make_of_sequences(m, WS_FORMAT_FASTA, err);
}

/* Each sequence is a query, and each row of an alignment without its gaps. */
static int make_of_each(making *m, ws_err *err) {
    size_t rows;
    const ws_abc *abc;
    const int rc = read_aligned(m, &rows, &abc, err);
    return rc ? rc : make_of_sequences(m, rows ? WS_FORMAT_AFA : WS_FORMAT_FASTA, err);
}

/* ---- alignments ---- */

static ws_hmm *next_model(making *m, ws_err *err) {
    ws_hmmset *set = &m->g->set;
    return ws_grow(&set->hmm, &m->cap, set->n + 1, sizeof *set->hmm, err) ? NULL : &set->hmm[set->n];
}

/* Makes the model of a row without its gaps, by a score matrix. */
static int make_of_row(making *m, const ws_msa *a, size_t row, ws_err *err) {
    const uint8_t *x = ws_msa_row(a, row);
    ws_hmm *h = next_model(m, err);
    uint8_t *code = h ? ws_alloc(a->columns, err) : NULL;
    ws_build_sequence q = {.name = ws_msa_name(a, row), .codes = code};
    if (!code) return err->code;
    for (size_t c = 0; c < a->columns; c++)
        if (x[c] != a->abc->K && x[c] != a->abc->Kp - 1) code[q.L++] = x[c];
    const int rc = ws_build_from_sequence(m->builder, &q, h, err);
    ws_free(code);
    if (rc) return rc;
    h->made->effn = -1; /* nhmmer's have none */
    m->g->set.n++;
    return WS_OK;
}

/* Makes the model of an alignment. One without a name in a file has that of the file. */
static int make_of_rows(making *m, ws_msa *a, ws_err *err) {
    char *own = ws_alloc(strlen(m->path) + 1, err);
    ws_hmm *h = own ? next_model(m, err) : NULL;
    ws_build_ali_settings s;
    ws_build_ali made = {0};
    const char *name = a->id;
    int rc = h ? WS_OK : err->code;
    if (!rc && !name && m->unnamed++ == 0) name = ws_msa_default_name(own, m->path);
    if (!rc && !(name && *name))
        rc = ws_fail(err, WS_EDATA, "%s: alignment %zu has no name; all but one need a line #=GF ID", m->name,
                     m->g->set.n + 1);
    ws_build_ali_default(&s);
    s.threads = m->threads;
    if (!rc) {
        rc = ws_build_from_msa(m->builder, &s, a, name, &made, h, err);
        if (rc) ws_hmm_release(h);
        else m->g->set.n++;
        ws_build_ali_release(&made);
    }
    ws_free(own);
    return rc;
}

static int make_of_alignment(making *m, ws_msa *a, ws_err *err) {
    ws_build_settings s;
    int rc = WS_OK;
    if (!m->builder) {
        m->abc = a->abc;
        rc = is_nucleic(a->abc) ? settings_of(m, &s, err) : fail_alphabet(m, a->abc, err);
        if (!rc) rc = ws_builder_create(&m->builder, &s, err);
    }
    if (!rc && !m->g->qsingle_seqs && !(m->g->singlemx && a->rows == 1)) return make_of_rows(m, a, err);
    for (size_t i = 0; i < a->rows && !rc; i++) rc = make_of_row(m, a, i, err);
    return rc;
}

/* Returns WS_EOF for a file that begins as no alignment. */
static int make_of_alignments(making *m, ws_msaformat format, ws_err *err) {
    ws_msareader *r = NULL;
    ws_msa a = {0};
    int rc = ws_msareader_open(&r, m->path, format, m->abc, err);
    while (!rc && !(rc = ws_msareader_next(r, &a, err))) {
        rc = make_of_alignment(m, &a, err);
        ws_msa_release(&a);
    }
    const int known = !r || ws_msareader_format(r) != WS_MSA_GUESS;
    ws_msareader_close(r);
    if (rc == WS_EOF) rc = WS_OK;
    if (rc == WS_EDATA && !known) return WS_EOF;
    m->g->dna.row = !rc; /* they may have a second cutoff */
    if (!rc) ws_queryset_hash(&m->g->set);
    return rc;
}

/* ---- all ---- */

static int make_by_format(making *m, ws_err *err) {
    const char *format = m->g->qformat;
    const int aligned = ws_msaformat_find(format);
    const ws_format unaligned = ws_seqformat_find(format);
    if (aligned == WS_MSA_AFA && m->g->qsingle_seqs) return make_of_sequences(m, WS_FORMAT_AFA, err);
    if (aligned >= 0) return make_of_alignments(m, (ws_msaformat)aligned, err);
    if (unaligned != WS_FORMAT_AUTO) return make_of_sequences(m, unaligned, err);
    return ws_fail(err, WS_EUSAGE, "--qformat %s: queries may be fasta, fastq, packed, genbank, ddbj, embl or uniprot, "
                                   "or alignments in " WS_MSA_NAMES, format);
}

/* Sets *models if the file is one of models. */
static int make(making *m, int *models, ws_err *err) {
    const ws_genome *g = m->g;
    const first is = g->qformat && !g->by_seq ? OF_OTHER : g->by_seq ? OF_MODELS : look(m->path);
    int rc;
    *models = is == OF_MODELS;
    if (*models) return WS_OK;
    if (g->qformat) return make_by_format(m, err);
    if (is == OF_FASTA && has_suffix(m->path, ".a2m") && !g->qsingle_seqs)
        return make_of_alignments(m, WS_MSA_A2M, err);
    if (is == OF_FASTA) return g->qsingle_seqs ? make_of_each(m, err) : make_of_fasta(m, err);
    rc = make_of_alignments(m, WS_MSA_GUESS, err);
    *models = rc == WS_EOF;
    return *models ? WS_OK : rc;
}

/* Models were read: what goes with queries of other kinds alone, and the alphabet that was given. */
static int check_models(const making *m, ws_err *err) {
    const ws_hmmset *set = &m->g->set;
    if (m->g->qsingle_seqs)
        return ws_fail(err, WS_EUSAGE, "%s: --qsingle_seqs is for sequences and alignments, and these are models",
                       m->name);
    for (size_t i = 0; i < set->n && m->abc && !m->g->by_seq; i++)
        if (set->hmm[i].abc != m->abc)
            return ws_fail(err, WS_EDATA, "%s: model %s is of %s, not of %s", m->name, set->hmm[i].name,
                           set->hmm[i].abc->name, m->abc->name);
    return WS_OK;
}

static int write_made(ws_genome *g, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < g->set.n && !rc; i++)
        rc = ws_hmm_write(&g->set.hmm[i], "warpsieve " WS_VERSION " | nhmmsieve", NULL, &g->made, err);
    return rc;
}

int ws_genome_find_models(ws_job *job, const char *const *path, size_t npath, ws_err *err) {
    ws_genome *g = ws_genome_of(job);
    making m = {.job = job, .g = g, .path = path[0], .name = ws_source_name_of(path[0]),
                .abc = g->dna_given || g->rna ? ws_abc_get(g->rna ? WS_ABC_RNA : WS_ABC_DNA) : NULL,
                .threads = ws_job_threads(job)};
    int models = 1;
    int rc = make(&m, &models, err);
    ws_builder_destroy(m.builder);
    if (!rc && models) rc = ws_hmmset_find(&g->set, path, npath, m.threads, err);
    if (!rc && models) rc = check_models(&m, err);
    g->is_made = !rc && !models;
    return rc || models || !g->hmmout ? rc : write_made(g, err);
}
