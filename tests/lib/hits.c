/* SPDX-License-Identifier: MIT
 * The hit list by hand: order, thresholds, duplicates, unknown sizes, and each form of output on a list of a few
 * targets. tests/lib/hits_golden.c compares the same code with hmmsearch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hits/options.h"
#include "lib/hits/write.h"
#include "tests/tap.h"

enum { M = 4, MOST = 8 };

static char consensus[] = " ACDE", name[] = "tiny", accession[] = "PF1.2";
static ws_hmm hmm;

typedef struct fixture {
    ws_hitstore store;
    ws_hitlist *list;
    ws_hitquery query;
    uint64_t number;
    int hold;
    ws_hitcols columns;
    ws_textconf text;
} fixture;

static void begin(fixture *f) {
    ws_err err;
    hmm = (ws_hmm){
        .name = name, .acc = accession, .M = M, .abc = ws_abc_get(WS_ABC_AMINO), .note = {[WS_NOTE_CONS] = consensus}};
    *f = (fixture){.hold = WS_HOLD_ALIGNMENTS | WS_HOLD_SEQUENCE};
    if (ws_hitstore_create(&f->store, 1, &err) != WS_OK) exit(1);
    f->list = f->store.list;
    f->list->tau = 0.0f;
    f->list->lambda = 1.0f; /* P = e^-bits */
    f->query = (ws_hitquery){.hmm = &hmm, .list = f->list, .columns = &f->columns, .text = &f->text};
}

static void end(fixture *f) { ws_hitstore_destroy(&f->store); }

/* AC (ac)* DE: the residues of every target, of which domain d takes all: M M I I M M. */
static const char letters[] = "ACKKDE";

static void add(fixture *f, const char *target, const char *desc, float bits, const ws_domain *d, uint32_t n,
                uint32_t overlaps) {
    static const uint8_t columns[] = {WS_COLUMN_M | 9, WS_COLUMN_M | WS_CODE_STAR,
                                      WS_COLUMN_I | 5, WS_COLUMN_I | 4,
                                      WS_COLUMN_M | 8, WS_COLUMN_M | 0};
    static uint8_t x[7], column[6]; /* a domain that begins at 2 has six columns too */
    ws_domain domain[MOST];
    ws_err err;
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    for (int i = 0; i < 6; i++) x[i] = abc->code_of[(unsigned char)letters[i]];
    memcpy(column, columns, sizeof column);
    ws_dom_result t = {.L = 6, .bits = bits, .pre_bits = bits + 1, .expected = 1.5f, .regions = 2, .ensembles = 1,
                       .overlaps = overlaps, .envelopes = 4, .domain = domain, .n = n};
    for (uint32_t j = 0; j < n; j++) {
        domain[j] = d[j];
        if (domain[j].ali_to == 0) domain[j].ali_from = 1, domain[j].ali_to = 6;
        domain[j].hmm_from = 1, domain[j].hmm_to = 4, domain[j].env_from = 1, domain[j].env_to = 6,
        domain[j].accuracy = 3.0f;
        domain[j].column = column, domain[j].ncolumn = 6;
        if (domain[j].bits > domain[t.best].bits) t.best = j;
    }
    const ws_hitseq seq = {.number = f->number++, .name = target, .desc = desc, .qual = "", .nname = strlen(target),
                           .ndesc = strlen(desc), .x = x, .abc = abc};
    if (ws_hitstore_add(&f->store, 0, &seq, &t, f->hold, &err) != WS_OK) exit(1);
}

static void add_one(fixture *f, const char *target, float bits) {
    add(f, target, "", bits, &(ws_domain){.bits = bits}, 1, 0);
}

/* The list's names in their order, reported ones in capitals of R and included ones of I after: "a:RI b:R c:". */
static const char *order(const fixture *f) {
    static char out[256];
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < f->list->n; i++) {
        const ws_held *h = f->list->hit[i];
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%s:%s%s", i ? " " : "", ws_held_name(h),
                              h->flags & WS_HELD_REPORTED ? "R" : "", h->flags & WS_HELD_INCLUDED ? "I" : "");
    }
    return out;
}

static void is(tap *t, const char *got, const char *want, const char *what) {
    if (!tap_ok(t, strcmp(got, want) == 0, "%s", what)) tap_note("got \"%s\", want \"%s\"", got, want);
}

static const char *text_of(ws_sink *s) {
    static ws_buf out;
    ws_err err;
    out.n = 0;
    if (ws_buf_add(&out, s->text.p, s->text.n, &err) != WS_OK || ws_buf_add(&out, "", 1, &err) != WS_OK) exit(1);
    ws_sink_release(s);
    *s = (ws_sink){0};
    return out.p;
}

static void test_order(tap *t) {
    fixture f;
    ws_thresholds th = WS_THRESHOLDS_DEFAULT;
    begin(&f);
    const ws_domain early = {.bits = 5, .ali_from = 1, .ali_to = 6}, late = {.bits = 5, .ali_from = 2, .ali_to = 6},
                    point = {.bits = 5, .ali_from = 1, .ali_to = 1};
    add_one(&f, "low", 1);
    add(&f, "twin", "late", 5, &late, 1, 0);
    add(&f, "twin", "early", 5, &early, 1, 0);
    add(&f, "twin", "point", 5, &point, 1, 0);
    add_one(&f, "alpha", 5);
    add_one(&f, "under", -3);
    add_one(&f, "below", -2);
    ws_hitlist_rank(f.list, &th, (ws_spaces){1000, 0});
    is(t, order(&f), "alpha:R twin:R twin:R twin:R low: below: under:", "by P, then name");
    tap_ok(t, strcmp(ws_held_desc(f.list->hit[1]), "early") == 0 && strcmp(ws_held_desc(f.list->hit[2]), "late") == 0,
           "then by where the first alignment begins");
    tap_ok(t, strcmp(ws_held_desc(f.list->hit[3]), "point") == 0, "an alignment of one residue is behind others");
    th.by_incT = 1;
    th.incT = 5;
    ws_hitlist_rank(f.list, &th, (ws_spaces){1000, 0});
    is(t, order(&f), "alpha:RI twin:RI twin:RI twin:RI low: below: under:", "--incT: by score, also where P is 1");
    tap_ok(t, f.list->name_width == 5 && f.list->nreported == 4 && f.list->nincluded == 4 && f.list->spaces.domZ == 4.0,
           "counts, widest name, domZ is the number of reported targets");
    end(&f);
}

static void test_long_list(tap *t) {
    fixture f;
    const ws_thresholds th = WS_THRESHOLDS_DEFAULT;
    begin(&f);
    f.hold = 0;
    for (unsigned i = 0; i < 1000; i++) add_one(&f, "same", (float)(i * 7919 % 499));
    ws_hitlist_rank(f.list, &th, (ws_spaces){1, 0});
    int sorted = 1;
    for (size_t i = 1; i < f.list->n; i++) {
        const ws_held *a = f.list->hit[i - 1], *b = f.list->hit[i];
        sorted &= a->bits > b->bits || (a->bits == b->bits && a->number < b->number);
    }
    tap_ok(t, sorted && f.list->n == 1000, "a thousand targets, equal ones in input order");
    end(&f);
}

static void test_thresholds(tap *t) {
    fixture f;
    ws_err err;
    ws_thresholds th = WS_THRESHOLDS_DEFAULT;
    begin(&f);
    const ws_domain two[] = {{.bits = 9}, {.bits = 2, .ali_from = 2, .ali_to = 6}};
    add(&f, "a", "", 9, two, 2, 0);
    add_one(&f, "b", 4);
    ws_hitlist_rank(f.list, &th, (ws_spaces){81, 800}); /* E: 0.009996, 1.48; of domains 0.099, 108 */
    is(t, order(&f), "a:RI b:R", "E and incE at their borders");
    tap_ok(t, f.list->hit[0]->nreported == 1 && f.list->hit[0]->nincluded == 0, "domE and incdomE with the given domZ");
    ws_hitlist_rank(f.list, &th, (ws_spaces){82, 0});
    is(t, order(&f), "a:R b:R", "one sequence more, and it is not included");
    th.by_T = th.by_domT = 1;
    th.T = 4;
    th.domT = 2;
    ws_hitlist_rank(f.list, &th, (ws_spaces){81, 0});
    is(t, order(&f), "a:RI b:R", "-T reports by score, E-values still include");
    tap_ok(t, f.list->hit[0]->nreported == 2 && f.list->hit[0]->nincluded == 1, "--domT likewise");
    tap_ok(t,
           ws_thresholds_cut(&th, &hmm, WS_CUT_TC, &err) == WS_EDATA && strstr(err.text, "tiny") &&
               strstr(err.text, "TC"),
           "a model without the cutoff");
    hmm.has_cut[WS_CUT_TC] = 1;
    hmm.cut[WS_CUT_TC][0] = 4.5f;
    hmm.cut[WS_CUT_TC][1] = 2.5f;
    tap_ok(t, ws_thresholds_cut(&th, &hmm, WS_CUT_TC, &err) == WS_OK, "a model with it");
    ws_hitlist_rank(f.list, &th, (ws_spaces){1e9, 0});
    is(t, order(&f), "a:RI b:", "a cutoff takes the place of all E-values");
    tap_ok(t, f.list->hit[0]->nreported == 1 && f.list->hit[0]->nincluded == 1, "its second number is that of domains");
    tap_ok(t, ws_hitlist_p(f.list, NULL, 709) == 0.0 && ws_hitlist_p(f.list, NULL, 708) > 0.0,
           "P below the smallest normal number is 0");
    th = (ws_thresholds)WS_THRESHOLDS_DEFAULT;
    tap_ok(t, ws_hit_is_worth(&th, f.list, 4, 545) && !ws_hit_is_worth(&th, f.list, 4, 546),
           "worth holding while P Z is at most E");
    add_one(&f, "far", -1);
    ws_hitlist_prune(f.list, &th, NAN);
    tap_ok(t, f.list->n == 3, "a list is not pruned for a database of unknown size");
    ws_hitlist_prune(f.list, &th, 11);
    ws_hitlist_rank(f.list, &th, (ws_spaces){11, 0});
    is(t, order(&f), "a:RI b:R", "it is for a known size");
    end(&f);
}

static void test_duplicates(tap *t) {
    fixture f;
    const ws_thresholds th = WS_THRESHOLDS_DEFAULT;
    begin(&f);
    const ws_domain d[] = {{.bits = 9, .ali_from = 1, .ali_to = 6},
                           {.bits = 10, .ali_from = 1, .ali_to = 6},
                           {.bits = 10, .ali_from = 1, .ali_to = 6},
                           {.bits = 8, .ali_from = 1, .ali_to = 5}};
    add(&f, "over", "", 20, d, 4, 1);
    add(&f, "none", "", 19, d, 4, 0);
    ws_hitlist_rank(f.list, &th, (ws_spaces){1, 0});
    const ws_held *h = f.list->hit[0];
    const ws_held_domain *hd = ws_held_domains(h);
    tap_ok(t,
           !hd[0].flags && hd[1].flags && !hd[2].flags && hd[3].flags && h->nreported == 2 && h->nincluded == 2 &&
               h->n == 4,
           "of domains with equal ends the first of the best stays");
    tap_ok(t, f.list->hit[1]->nreported == 4, "where envelopes do not overlap nothing is looked at");
    end(&f);
}

static void test_unknown(tap *t) {
    fixture f;
    ws_sink s = {0};
    ws_err err;
    const ws_thresholds th = WS_THRESHOLDS_DEFAULT;
    begin(&f);
    add_one(&f, "a", 30);
    add_one(&f, "b", -5);
    ws_hitlist_rank(f.list, &th, (ws_spaces){NAN, NAN});
    is(t, order(&f), "a:R b:R", "without Z all are reported and none is included");
    if (ws_hitcols_choose(&f.columns, &ws_hit_columns, 0, "name,evalue,c_evalue,i_evalue,bits,included",
                          &err) != WS_OK) exit(1);
    ws_write_columns_target(&s, &f.query, f.list->hit[0]);
    is(t, text_of(&s), "a\t\t\t\t30.0000\t0\n", "unknown E-values are empty fields");
    ws_hitcols_release(&f.columns);
    ws_hitform_write(&ws_hitforms[WS_DOMFORM_TBLOUT], &s, &f.query);
    tap_ok(t, strstr(text_of(&s), "PF1.2              -   30.0   1.0         -   30.0") != NULL,
           "and '-' in hmmsearch's tables");
    f.text.alignments = 1;
    ws_hitform_write(&ws_hitforms[WS_DOMFORM_TEXT], &s, &f.query);
    const char *text = text_of(&s);
    tap_ok(t, strstr(text, "  1 ?   30.0   0.0         -         -") && strstr(text, "E-value: -\n"
       "") && strstr(text, "[not known: the input is cut]"),
           "and in the report");
    const char *line = strstr(text, "inclusion threshold");
    tap_ok(t, line && !strstr(line + 1, "inclusion threshold"),
           "the line between included and other targets is there once");
    end(&f);
}

static void test_columns(tap *t) {
    fixture f;
    ws_sink s = {0};
    ws_err err;
    const ws_thresholds th = WS_THRESHOLDS_DEFAULT;
    begin(&f);
    add(&f, "a", "a protein", 9, &(ws_domain){.bits = 8, .bias_nats = 0.5f}, 1, 3);
    ws_hitlist_rank(f.list, &th, (ws_spaces){2, 0});
    tap_ok(t, ws_hitcols_choose(&f.columns, &ws_hit_columns, 0, NULL, &err) == WS_OK && f.columns.n == 23 &&
           f.columns.hold == 0,
           "23 columns need no alignments");
    for (int i = 0; i < f.columns.n; i++)
        ws_sink_f(&s, "%s%s", i ? "\t" : "", ws_name_of(&ws_hit_columns, f.columns.column[i]));
    is(t, text_of(&s), "name\tquery\tquery_accession\ttlen\tqlen\tevalue\tbits\tbias\tdom\tndom\tc_evalue\ti_evalue\t"
       "dom_bits\tdom_bias\thmm_from\t"
       "hmm_to\tali_from\tali_to\tenv_from\tenv_to\tmean_pp\tincluded\tdesc", "their names");
    ws_write_columns_target(&s, &f.query, f.list->hit[0]);
    is(t, text_of(&s),
       "a\ttiny\tPF1.2\t6\t4\t0.0002468\t9.0000\t1.0000\t1\t1\t0.0003355\t0.0006709\t8.0000\t0.7213\t1\t"
       "4\t1\t6\t1\t6\t0.5000\t1\ta protein\n",
       "its fields");
    ws_hitcols_release(&f.columns);
    static const char all[] = "cigar,pp,ali_seq,ali_model,seq,qual,exp,reg,clu,ov,env,identity,hmm_cov,target_cov";
    if (ws_hitcols_choose(&f.columns, &ws_hit_columns, 0, all, &err) != WS_OK) exit(1);
    tap_ok(t, f.columns.hold == (WS_HOLD_ALIGNMENTS | WS_HOLD_SEQUENCE), "alignments and residues are needed");
    ws_write_columns_target(&s, &f.query, f.list->hit[0]);
    is(t, text_of(&s), "2M2I2M\t9*5480\tACkkDE\tAC..DE\tACKKDE\t\t1.5000\t2\t1\t3\t4\t0.6667\t1.0000\t1.0000\n",
       "the other columns");
    ws_hitcols_release(&f.columns);
    tap_ok(t, ws_hitcols_choose(&f.columns, &ws_hit_columns, 0, "name,nome", &err) == WS_EUSAGE &&
           strstr(err.text, "\"nome\"") &&
           strstr(err.text, "target_cov"),
           "a name that there is not");
    ws_hitcols_release(&f.columns);
    end(&f);
}

/* A residue that is only like the consensus has a '+' and does not count as identical. One that is unlike has a blank.
 * */
static void test_similar(tap *t) {
    static char other[] = " AGDF";
    float score[32 * (M + 1)] = {0};
    fixture f;
    ws_sink s = {0};
    ws_alilines lines = {0};
    ws_err err;
    const ws_thresholds th = WS_THRESHOLDS_DEFAULT;
    begin(&f);
    const ws_profile profile = {.M = M, .abc = hmm.abc, .score = score};
    hmm.note[WS_NOTE_CONS] = other;
    f.query.profile = &profile;
    score[(size_t)hmm.abc->code_of['C'] * (M + 1) + 2] = 0.5f;
    score[(size_t)hmm.abc->code_of['E'] * (M + 1) + 4] = 0.0f; /* as likely as in the background: not similar */
    add(&f, "a", "", 9, &(ws_domain){.bits = 8}, 1, 0);
    ws_hitlist_rank(f.list, &th, (ws_spaces){2, 0});
    const ws_held *h = f.list->hit[0];
    const ws_ali ali = ws_held_ali(h, ws_held_domains(h));
    if (ws_alilines_make(&lines, f.query.hmm, f.query.profile, &ali, &err) != WS_OK) exit(1);
    is(t, lines.match, "A+  D ", "the line between model and residues: same, similar, inserted, same, unlike");
    if (ws_hitcols_choose(&f.columns, &ws_hit_columns, 0, "identity", &err) != WS_OK) exit(1);
    ws_write_columns_target(&s, &f.query, h);
    is(t, text_of(&s), "0.3333\n", "identity: 2 of 6 columns");
    ws_alilines_release(&lines);
    ws_hitcols_release(&f.columns);
    end(&f);
}

static void test_alignments(tap *t) {
    fixture f;
    ws_sink s = {0};
    const ws_thresholds th = WS_THRESHOLDS_DEFAULT;
    begin(&f);
    add(&f, "a", "a protein", 9, &(ws_domain){.bits = 8}, 1, 0);
    add_one(&f, "b", 1); /* reported, not included */
    ws_hitlist_rank(f.list, &th, (ws_spaces){2, 0});
    ws_write_a2m(&s, &f.query);
    is(t, text_of(&s), ">a/1-6 a protein\nACkkDE\n", "A2M");
    ws_write_a3m_target(&s, &f.query, f.list->hit[0]);
    ws_write_a3m_target(&s, &f.query, f.list->hit[1]);
    is(t, text_of(&s), ">a/1-6 a protein\nACkkDE\n", "A3M");
    ws_write_fasta_target(&s, &f.query, f.list->hit[1]);
    is(t, text_of(&s), ">b/1-6\nACKKDE\n", "FASTA of a reported domain");
    ws_write_ids_target(&s, &f.query, f.list->hit[1]);
    is(t, text_of(&s), "b\n", "names");
    add(&f, "a", "", 8, &(ws_domain){.bits = 8}, 1, 0);
    ws_hitlist_rank(f.list, &th, (ws_spaces){2, 0});
    f.query.msa_width = 4;
    f.query.author = "us";
    ws_write_stockholm(&s, &f.query);
    is(t, text_of(&s),
       "# STOCKHOLM 1.0\n# WARNING: seq names have been made unique by adding a prefix of \"<seq#>|\"\n"
       "#=GF ID tiny\n#=GF AC PF1.2\n"
       "#=GF AU us\n\n#=GS 0|a/1-6 DE [subseq from] a protein\n#=GS 1|a/1-6 DE [subseq from] a\n\n0|a/1-6         "
       "ACkk\n"
       "#=GR 0|a/1-6 PP 9*54\n"
       "1|a/1-6         ACkk\n#=GR 1|a/1-6 PP 9*54\n#=GC PP_cons    9*..\n#=GC RF         xx..\n\n0|a/1-6         "
       "DE\n#=GR 0|a/1-6 PP 80\n"
       "1|a/1-6         DE\n#=GR 1|a/1-6 PP 80\n#=GC PP_cons    80\n#=GC RF         xx\n//\n",
       "Stockholm: two rows with equal names, in blocks");
    end(&f);
}

int main(void) {
    tap t = {0};
    test_order(&t);
    test_long_list(&t);
    test_thresholds(&t);
    test_duplicates(&t);
    test_unknown(&t);
    test_columns(&t);
    test_similar(&t);
    test_alignments(&t);
    return tap_end(&t);
}
