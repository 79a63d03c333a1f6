#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --cutoffs: a table beside the models decides as GA lines in them would, and as KofamScan, PADLOC and dbCAN filter
# hmmsearch's tables.

bats_require_minimum_version 1.5.0
load helper

# Scores between those of three.hmm's hits: some pass for the sequence, and not for its domains.
setup_file() {
    make_data
    awk '/^NAME/ { n = $2 } /^(GA|TC|NC) / { next }
        /^STATS LOCAL MSV/ { print "GA    " (n == "fn3" ? "17.00 15.00" : n == "globins4" ? "20.00 20.00" : "120.00 125.40") ";" }
        { print }' three.hmm >ga.hmm
    printf 'model\tdom_bits\tbits\nfn3\t15\t17\r\n# a comment\n\n*\t125.40\t120\nglobins4\t20\t2e1\n' >own.tsv
    hmmsieve -T 0 -o /dev/null --tblout plain.tbl --domtblout plain.dom three.hmm demo.fa
    hmmsieve -o /dev/null --domtblout usual.dom three.hmm demo.fa
}
setup() { in_data; }

@test "scores of a table decide as GA lines with them: hmmsieve, domscore, by sequence, under HMMER's names" {
    search() { "$@" -o want.out --tblout want.tbl --domtblout want.dom ga.hmm demo.fa; }
    table() { "$@" --cutoffs own.tsv -o got.out --tblout got.tbl --domtblout got.dom three.hmm demo.fa; }
    for run in hmmsieve 'hmmsieve --scan' 'hmmsieve --scan --resolve total' domscore; do
        search $run --cut_ga
        table $run
        for x in out tbl dom; do
            [ "$(nrows want.$x)" -gt 20 ] || fail "$run: want.$x has no rows"
            same <(rows want.$x) <(rows got.$x) || fail "$run, $x"
        done
    done
    awk '$1 !~ /^#/ && $17 == 0 { n++ } END { exit !n }' want.tbl || fail "no sequence whose domains all fail"
    hmmsieve --cut_ga -O tsv ga.hmm demo.fa >want
    hmmsieve --cutoffs own.tsv -O tsv three.hmm demo.fa >got
    same <(rows want) <(rows got)
    names=$top/libexec/warpsieve/hmmer
    [ -d "$names" ] || names=$(hmmsieve --hmmer-path)
    "$names/hmmsearch" --cutoffs own.tsv --tblout got.tbl -o got.out three.hmm demo.fa
    hmmsieve --cut_ga --tblout want.tbl -o want.out ga.hmm demo.fa
    same <(rows want.tbl) <(rows got.tbl)
    grep -q '^# model-specific thresholding: *table own.tsv$' got.out
    cp three.hmm pressed.hmm
    "$names/hmmpress" pressed.hmm >/dev/null
    "$names/hmmscan" --cutoffs own.tsv --tblout got.tbl -o got.out pressed.hmm demo.fa
    hmmsieve --scan --cut_ga --tblout want.tbl -o want.out ga.hmm demo.fa
    same <(rows want.tbl) <(rows got.tbl)
}

@test "scores alone are -T, --domT, --incT and --incdomT; an option holds where a cell is empty" {
    printf 'model\tbits\tdom_bits\n*\t25.5\t\n' >t.tsv
    hmmsieve -O tsv -T 25.5 --incT 25.5 m.hmm demo.fa >want
    hmmsieve -O tsv --cutoffs t.tsv m.hmm demo.fa >got
    same <(rows want) <(rows got)
    hmmsieve -O tsv -T 25.5 --incT 25.5 --domT 60 --incdomE 1e-50 m.hmm demo.fa >want
    hmmsieve -O tsv --cutoffs t.tsv --domT 60 --incdomE 1e-50 m.hmm demo.fa >got
    same <(rows want) <(rows got)
    printf 'model\tdom_bits\n*\t30\n' >t.tsv
    hmmsieve --tblout want --domT 30 --incdomT 30 -T 100 -o /dev/null m.hmm demo.fa
    hmmsieve --tblout got --cutoffs t.tsv -T 100 -o /dev/null m.hmm demo.fa
    same <(rows want) <(rows got)
}

@test "an E-value is that of -E; beside a score both decide" {
    printf 'model\tevalue\n*\t1e-30\nfn3\t1e-4\n' >t.tsv
    hmmsieve -O tsv --cutoffs t.tsv -f query,name,evalue three.hmm demo.fa >got
    { hmmsieve -O tsv -E 1e-30 -f query,name,evalue globins4.hmm demo.fa
      hmmsieve -O tsv -E 1e-30 -f query,name,evalue m.hmm demo.fa
      hmmsieve -O tsv -E 1e-4 -f query,name,evalue fn3.hmm demo.fa; } >want
    same <(rows want) <(rows got)
    [ "$(rows got | grep -c fn3)" -eq 1 ]
    printf 'model\tbits\tevalue\n*\t40\t1e-30\n' >t.tsv
    hmmsieve -O tsv --cutoffs t.tsv -f name,bits,evalue m.hmm demo.fa >got
    hmmsieve -O tsv -E 1e-30 -f name,bits,evalue m.hmm demo.fa >want # a score of 40 is far above
    same <(rows want | sort) <(rows got | sort)
    printf 'model\tbits\n*\t40\n' >t.tsv
    hmmsieve -O tsv --cutoffs t.tsv -E 1e-30 -f name,bits,evalue m.hmm demo.fa >got
    same <(rows want | sort) <(rows got | sort)
    hmmsieve --scan -O tsv --cutoffs t.tsv -E 1e-30 -Z 400 -f name,bits,evalue m.hmm demo.fa >got
    same <(rows want | sort -u) <(rows got | sort -u)
}

# Rows "protein model domain's i-E-value and ends" of a table of domains.
of_domains() { rows "$1" | awk '{ print $1, $4, $13, $16, $17, $18, $19 }' | sort; }

@test "shares and i_evalue are filters of domains; a sequence that keeps none is not reported" {
    printf 'model\ti_evalue\thmm_cov\ttarget_cov\n*\t1e-15\t0.35\t\nfn3\t\t.9\t0.08\n' >t.tsv
    hmmsieve --cutoffs t.tsv -o got.out --tblout got.tbl --domtblout got.dom three.hmm demo.fa
    rows usual.dom | awk '{ h = ($17 - $16 + 1) / $6; t = ($19 - $18 + 1) / $3 }
        $4 == "fn3" ? h >= .9 && t >= .08 : $13 <= 1e-15 && h >= .35 { print $1, $4, $13, $16, $17, $18, $19 }' | sort >want
    same want <(of_domains got.dom)
    [ "$(wc -l <want)" -gt 10 ] && [ "$(wc -l <want)" -lt "$(nrows usual.dom)" ]
    same <(cut -d' ' -f1,2 want | sort -u) <(rows got.tbl | awk '{ print $1, $3 }' | sort)
    # numbers of domains and conditional E-values count the targets before
    evalues() { rows "$1" | awk '{ print $1, $4, $12, $13 }' | sort; }
    [ -z "$(comm -13 <(evalues usual.dom) <(evalues got.dom))" ]
    hmmsieve --scan --cutoffs t.tsv -Z 400 -o /dev/null --domtblout got.dom three.hmm demo.fa
    rows got.dom | awk '{ print $4, $1, $13, $16, $17, $18, $19 }' | sort >by_seq
    same want by_seq
    fwdscore -a three.hmm demo.fa | domscore --stream -Z 400 --domZ 60 --cutoffs t.tsv -O domtblout three.hmm >got.dom
    same want <(of_domains got.dom)
}

@test "the size of the database is unknown: no E-value of a table turns anything down, and nothing is included by it" {
    printf 'model\ti_evalue\n*\t1e-15\n' >t.tsv
    msvfilt m.hmm demo.fa | vitfilt m.hmm | fwdscore m.hmm | grep -v '^##end' >cut.tsv
    run --separate-stderr -1 domscore --cutoffs t.tsv -f name,i_evalue,included m.hmm cut.tsv
    rows <(echo "$output") | awk -F '\t' '$2 != "" || $3 != 0 { exit 1 } END { exit NR < 20 }'
}

@test "KofamScan: a ko_list as it is marks what KofamScan marks with a star" {
    printf 'knum\tthreshold\tscore_type\tprofile_type\tF-measure\tnseq\tnseq_used\talen\tmlen\teff_nseq\tre/pos\tdefinition\n' >ko_list
    printf '%s\t%s\t%s\tall\t0.9\t10\t10\t300\t260\t3.1\t0.59\ta definition with blanks\n' \
        globins4 - - Pkinase 125.40 domain fn3 17.02 full K99999 5 full >>ko_list
    hmmsieve --cutoffs ko_list -o /dev/null --tblout got.tbl three.hmm demo.fa
    # KofamScan: hmmsearch -T0 --tblout, then the score of the sequence or of its best domain
    awk -F '\t' 'NR > 1 && $2 != "-" { print $1, $2, $3 }' ko_list >ko
    awk 'FNR == NR { t[$1] = $2; type[$1] = $3; next } /^#/ || !($3 in t) { next }
        (type[$3] == "domain" ? $9 : $6) >= t[$3] { print $1, $3 }' ko plain.tbl | sort >want
    grep -c fn3 want && [ "$(grep -c Pkinase want)" -gt 20 ]
    [ "$(wc -l <want)" -lt "$(nrows plain.tbl)" ]
    same want <(rows got.tbl | awk '$3 != "globins4" { print $1, $3 }' | sort)
    hmmsieve --scan --cutoffs ko_list -o /dev/null --tblout got.tbl three.hmm demo.fa
    same want <(rows got.tbl | awk '$1 != "globins4" { print $3, $1 }' | sort)
    sed 's/domain/best/' ko_list >wrong
    run --separate-stderr hmmsieve --cutoffs wrong three.hmm demo.fa
    refused 1 'wrong, line 3' 'score_type' 'best' 'full or domain'
}

@test "PADLOC: an hmm_meta.txt as it is leaves what PADLOC's filter leaves" {
    echo hmm.accession hmm.name hmm.description protein.name secondary.name author e.val.threshold hmm.coverage.threshold \
        target.coverage.threshold literature.ref database.ref comment | tr ' ' '\t' >hmm_meta.txt
    printf 'P1\t%s\tWords\tX|Y\tNA\tSomebody\t%s\t%s\t%s\tNA\tNA\tNA\n' \
        globins4 NA '' 0.3 Pkinase 1.00E-05 0.4 0.3 fn3 1.00E-03 0.5 0.1 >>hmm_meta.txt
    hmmsieve --cutoffs hmm_meta.txt -o /dev/null --domtblout got.dom three.hmm demo.fa
    # the best domain of a protein and a model, then coverage without the first residue, three digits, then i-Evalue
    awk -F '\t' 'NR > 1 { print $2, $7 == "NA" ? 1e-5 : $7, $8 == "" ? .3 : $8, $9 }' hmm_meta.txt >meta
    awk 'FNR == NR { e[$1] = $2; h[$1] = $3; t[$1] = $4; next } /^#/ { next } { row[++n] = $0; k = $1 " " $4 }
        !(k in best) || $13 + 0 < best[k] { best[k] = $13 + 0 }
        END { for (i = 1; i <= n; i++) { split(row[i], f, " "); k = f[4]
            if (f[13] + 0 != best[f[1] " " k] || sprintf("%.3f", (f[17] - f[16]) / f[6]) < h[k] ||
                sprintf("%.3f", (f[19] - f[18]) / f[3]) < t[k] || f[13] + 0 > e[k] + 0) continue
            print f[1], k, f[13], f[16], f[17], f[18], f[19] } }' meta usual.dom | sort >want
    [ "$(wc -l <want)" -gt 10 ] && [ "$(wc -l <want)" -lt "$(nrows usual.dom)" ]
    same want <(of_domains got.dom)
}

@test "by sequence models with scores and models without are in the order of P-values" {
    printf 'model\tbits\nfn3\t5\n*\t\n' >t.tsv
    hmmsieve --scan --cutoffs t.tsv -O tsv -f name,query,evalue -E 1000 --max three.hmm small.fa >got
    hmmsieve --scan -O tsv -f name,query,evalue -E 1000 --max three.hmm small.fa | awk -F '\t' '!/^#/' >all
    rows got | awk -F '\t' '$1 == n && $3 + 0 < e { print; exit 1 } { n = $1; e = $3 + 0; c[$1]++ }
        END { for (k in c) if (c[k] > 1) m = 1; exit !m }'
    same <(rows got) <(grep -Fxf <(rows got) all)
}

@test "tables that are wrong: file, line, what was found; no output is made" {
    wrong() { # wrong TABLE PATTERN...
        printf "$1" >w.tsv
        shift
        echo kept >keep
        run --separate-stderr hmmsieve -o keep --cutoffs w.tsv three.hmm demo.fa
        refused 1 w.tsv "$@"
        [ "$(cat keep)" = kept ]
    }
    wrong 'model\tbits\n*\tten\n' 'line 2' 'bits' 'ten' 'a number, or nothing'
    wrong 'model\tbits\n*\tinf\n' 'line 2' 'inf'
    wrong 'model\tbits\n*\t0x10\n' 'line 2' '0x10'
    wrong 'model\tevalue\n*\t0\n' 'line 2' 'evalue' 'above 0'
    wrong 'model\thmm_cov\n\n*\t35\n' 'line 3' 'hmm_cov' '35' 'from 0 to 1'
    wrong 'model\tbits\nfn3\t1\nm\t2\nfn3\t3\n' 'line 4' 'fn3' 'already, line 2'
    wrong 'model\tbits\n*\t1\n*\t2\n' 'line 3' 'already, line 2'
    wrong 'model\tbits\nfn3\t1\nglobins4\t2\n' 'no row for model Pkinase' '\*'
    wrong 'model\tscore\n*\t1\n' 'line 1' 'no column "score"' 'dom_bits'
    wrong 'model\tbits\tbits\n*\t1\t1\n' 'line 1' 'bits stands twice'
    wrong 'model\nfn3\n' 'line 1' 'model alone'
    wrong 'name,bits\nfn3,2\n' 'line 1' 'name,bits' 'expected a head' 'ko_list' 'hmm_meta'
    wrong 'model\tbits\nfn3\n' 'line 2' 'found 1 cell' '2'
    wrong 'model\tbits\nfn3\t1\t2\n' 'line 2' 'found 3 cells' '2'
    wrong 'model\tbits\n\t1\n' 'line 2' 'no name of a model'
    wrong 'knum\tscore_type\nfn3\tfull\n' 'line 1' 'no column threshold'
    wrong 'knum\tthreshold\tscore_type\nfn3\t1\n' 'line 2' 'found 2 cells'
    wrong 'hmm.name\thmm.coverage.threshold\n' 'line 1' 'e.val.threshold'
    wrong 'model\tbits\r*\t1\r' 'line 1' 'carriage returns alone' 'line feeds'
    wrong '' 'empty'
    wrong 'model\tbits\n*\t1\0002\n' 'zero'
    run --separate-stderr hmmsieve --cutoffs nosuch.tsv three.hmm demo.fa
    refused 1 'nosuch.tsv'
    run --separate-stderr hmmsieve --cut_ga --cutoffs own.tsv ga.hmm demo.fa
    refused 2 '--cutoffs and --cut_ga'
    run --separate-stderr bash -c 'hmmsieve --cutoffs - three.hmm <own.tsv'
    refused 2 '--cutoffs' 'standard input'
    run --separate-stderr hmmsieve -o own.tsv --cutoffs own.tsv three.hmm demo.fa
    refused 2 'own.tsv is also read'
    run --separate-stderr seqsieve --cutoffs own.tsv small.fa small.fa
    refused 2 'unknown option --cutoffs'
    hmmsieve --cutoffs - -O tsv three.hmm demo.fa <own.tsv >got
    hmmsieve --cutoffs own.tsv -O tsv three.hmm demo.fa >want
    same <(rows want) <(rows got)
}
