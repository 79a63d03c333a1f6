#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The commands of docs/: the cookbook's blocks run in their order, what algorithm.md says about a new algorithm is
# done on a copy.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    make_data
    cp three.hmm models.hmm
    sed -i '/RAD53_YEAST/s/ / "/' demo.fa # a reader that believes in quotes would swallow rows
    gzip -c demo.fa >db.fa.gz
    zcat "$data/golden/dna-models/3box.hmm.gz" >dna.hmm
    zcat "$data/golden/dna.fa.gz" | awk '/^>/ { n++ } n > 20 { exit } { print }' | seqkit seq -m 60 >dna.fa
    seqkit fx2tab dna.fa | awk -F '\t' '{ q = $2; gsub(/./, "I", q); print "@" $1 "\n" $2 "\n+\n" q }' | gzip >dna.fq.gz
    awk '/^>/ { n++ } { print > "shard" 1 + (n > 150) ".fa" }' demo.fa
    respack -O tsv -f name,tlen --header plain --no-provenance demo.fa >lengths.tsv
    zcat "$data/pairhmm/gatk-hc-na12878.Java.hmmresults.txt.gz" >pairs.txt
    cp "$data/pairhmm/edge.in.gz" regions.in.gz
    cp "$data/golden/mrf/phantom-small.nii.gz" ct.nii.gz
    python3 "$top/tests/mrf.py" make t1.nii.gz dims=12,10,8 values=100,160,210 noise=40
    python3 "$top/tests/mrf.py" make brain.nii.gz dims=12,10,8 type=uint8 values=0,1,1
    cp "$data/golden/long-targets/inputs/dna_target.fa.gz" genome.fa.gz
    zcat "$data/golden/dna-models/MADE1.hmm.gz" | tee rrna.hmm >repeats.hmm
    cp "$data"/papara/tiny5/{ref.phy,ref.nwk,reads.fasta} .
    tee profiles.hmm padlocdb.hmm <models.hmm >dbCAN.hmm
    printf '%s\t%s\t%s\n' knum threshold score_type globins4 - - Pkinase 125.4 domain fn3 17 full >ko_list
    printf '%s\t%s\t%s\t%s\n' hmm.name e.val.threshold hmm.coverage.threshold target.coverage.threshold \
        globins4 1e-5 0.3 0.3 Pkinase 1e-5 0.4 0.3 fn3 NA NA NA >hmm_meta.txt
}
setup() { in_data; }

@test "docs/cookbook.md: twenty-three tasks in three parts, and every command runs" {
    rm -f block.*
    export PYTHONPATH=$top/packaging/python
    [ "$(grep "^##* [0-9]" "$top/docs/cookbook.md" | sed "s/^### \([0-9]*\)\. .*/\1/" | xargs)" = "$(seq -s " " 23)" ]
    [ "$(grep "^## " "$top/docs/cookbook.md" | xargs)" = "## Proteins ## Genomes ## Other" ]
    awk '/^```sh$/ { file = sprintf("block.%03d", ++n); next } /^```/ { file = "" } file { print > file }' "$top/docs/cookbook.md"
    [ "$(ls block.* | wc -l)" -ge 20 ]
    cat >with.sh <<'SH'
n=400
SH
    left=
    for b in block.*; do
        bash -n "$b"
        if [ -n "$(not_installed "$b")" ]; then left="$left $(not_installed "$b")"; continue; fi
        cat with.sh "$b" >run.sh
        bash -e -o pipefail run.sh >stdout 2>stderr || fail "failed: $(cat "$b")" "$(head -5 stderr)"
        if grep -qvE '^\[|^$' stderr; then fail "stderr of $(cat "$b")" "$(head -5 stderr)"; fi
        sed -n 's/.*> \([a-z0-9]*\.[a-z]*\)$/\1/p' "$b" | while read -r f; do [ -e "$f" ] ||
            fail "$f is not there after: $(cat "$b")"; done
    done
    # shellcheck disable=SC2086 # words
    left_out $left
    same <(grep -v '^##' whole.tsv) <(msvfilt m.hmm db.fa.gz | vitfilt m.hmm | fwdscore -Z 400 m.hmm | grep -v '^##')
    [ ! -e hits.db ] || [ "$(sqlite3 hits.db 'select count(*) from hits')" -eq $(($(wc -l <plain.tsv) - 1)) ]
    grep -c RAD53 plain.tsv
    grep -v '^#' hits.tbl | awk '{ print $1, $3 }' | sort >searched
    grep -v '^#' scan.tbl | awk '{ print $3, $1 }' | sort >scanned
    [ -s searched ] && [ -s scanned ]
    for f in best.tsv dna.tsv names.txt lax.tsv trusted.tsv sure.tsv kinases.fa rest.fa named.fa short.tsv histogram.txt joined.tsv \
        likelihoods.tsv matrix.txt placed.tsv reads.jplace classes.tsv tissues.tsv shares.nii.gz surface.nii rrna.tbl rrna.gff3 \
        repeats.bed above.tsv mapper.txt padloc.dom dbcan.dom reads.tsv rdrp.tsv pfam.gff3; do
        [ -s $f ] || fail "$f is empty"
    done
}

# Words after "make" in a command, without files and options: "make -s demo" gives demo.
make_targets() { grep -oE '(^    |`|&& )make( -j[0-9]*| -s| [A-Z]+=[^ `]*)* [a-z][a-z-]*/?' "$1" |
    awk '!/\/$/ { print $NF }'; }

# Words of a page in backquotes that are paths of the sources. extrafilt and NAME, which a page tells to make, are not
# there.
source_paths() {
    grep -oE '`(lib|kernels|bin|tests|docs|man|bench|packaging|workflows|completions|debian)/[^` ]*`' "$1" |
        tr -d '\140' |
        grep -v 'extra\|NAME' | sort -u
}

@test "docs: files and targets that are named are there" {
    local page word
    sed -n 's/^\([a-z-]*\):.*/\1/p' "$top/Makefile" "$top/packaging/release.mk" | sort >targets
    (cd "$top" && find . -name '*.md' ! -path './build/*') | sed "s|^\.|$top|" >pages # a copy of the tree may lie in a build folder
    [ "$(wc -l <pages)" -gt 20 ]
    while read -r page; do
        grep -oE '\]\([A-Za-z.][^)]*\)' "$page" | tr -d '])(' | grep -v '^http' | while read -r word; do
            [ -e "$(dirname "$page")/${word%%#*}" ] || fail "$page: $word is not there"
        done
        source_paths "$page" | while read -r word; do
            compgen -G "$top/$word" >/dev/null || fail "$page: there is no $word"
        done
        make_targets "$page" | sort -u | while read -r word; do
            grep -qx -- "$word" targets || fail "$page: there is no make $word"
        done
    done < <(cat pages; echo "$top/INSTALL")
    [ "$(source_paths "$top/docs/architecture.md" | wc -l)" -ge 20 ]
    # the way of a residue: a file more is a step back
    awk '/^## The way of a residue/ { on = 1 } on && /^There is no thread/ { exit } on' "$top/docs/architecture.md" >way
    [ "$(grep -oE '`[a-z]+/[a-z]+/[a-z_.]+`' way | sort -u | wc -l)" -le 33 ]
    # what is given to make test exists
    grep -ohE ' T=[^ `)]*' "$top"/docs/*.md "$top/Makefile" | cut -d= -f2 | while read -r word; do
        [ -e "$top/$word" ] || [ -e "$top/$word.c" ] || fail "make test T=$word: no such file"
    done
}

@test "pages that are read as a whole stay short; what was tried and lost has one page" {
    local page
    cd "$top"
    sed -n 's/^## //p' docs/rejected.md | tr -d , | tr 'A-Z ' a-z- >"$BATS_TEST_TMPDIR/anchors"
    for page in kernels/*/README.md kernels/*/device/README.md; do
        [ "$(wc -w <"$page")" -le 1200 ] || fail "$page has $(wc -w <"$page") words, at most 1200"
        ! grep -iE '^#+ .*(tried|rejected|decided against)' "$page" || fail "$page: that belongs into docs/rejected.md"
        grep -qxF "$(sed -n 's/.*rejected\.md#\([a-z-]*\)).*/\1/p' "$page")" "$BATS_TEST_TMPDIR/anchors" ||
            fail "$page names no section of docs/rejected.md"
    done
    [ "$(wc -w <docs/architecture.md)" -le 1500 ] || fail "docs/architecture.md has $(wc -w <docs/architecture.md) words"
    ! awk -F '[|]' '/^[|]/ && (NF != 4 || $2 ~ /^ *$/ || $3 ~ /^ *$/)' docs/rejected.md | grep . ||
        fail "lines without an idea or without a reason"
}

# A copy of the sources with what is compiled already; objects with a sanitizer would not link without.
copy_sources() { # copy_sources FOLDER
    mkdir -p "$1"
    (cd "$top" && cp -rp Makefile bin kernels lib man completions packaging tests "$1/")
    rm -f $(all_tools | sed "s|^|$1/bin/|")
    if ! sanitized && [ -d "$top/build/kernels" ]; then
        mkdir "$1/build"
        cp -rp "$top/build/lib" "$top/build/kernels" "$top/build/bin" "$1/build/"
    fi
}

@test "docs/algorithm.md: a new tool by copying a folder, no other file changed, the same scores" {
    [ -z "${WARPSIEVE_BIN:-}" ] || skip "programs from elsewhere are tested"
    copy_sources "$PWD/copy"
    cd copy
    find . -type f ! -path './build/*' | sort | xargs sha256sum >../before
    awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$top/docs/algorithm.md" >../steps.sh
    grep -q '^make CUDA=0$' ../steps.sh
    # the new program alone, without the time that -O3 takes
    sed 's/^make CUDA=0$/make -s -j2 CUDA=0 CFLAGS=-O1 bin\/extrafilt bin\/respack build\/kernels\/extra\/test/' ../steps.sh >../quick.sh
    nice bash -e ../quick.sh >../log 2>&1 || fail "$(tail -20 ../log)"
    sha256sum --quiet -c ../before
    [ "$(bin/extrafilt --version | head -1)" = "$(vitfilt --version | sed -n "1s/vitfilt/extrafilt/p")" ]
    bin/extrafilt -a -f name,extra_bits --header none --no-provenance ../three.hmm ../demo.fa >../got
    vitfilt -a -f name,vit_bits --header none --no-provenance ../three.hmm ../demo.fa >../want
    same ../want ../got
    build/kernels/extra/test >../units.tap
    ! grep -q '^not ok' ../units.tap || fail "$(grep -A5 '^not ok' ../units.tap)"
    sh completions/gen.sh bash extrafilt | grep -q -- --backend
    find bin -name '*.c' ! -name extrafilt.c ! -name respack.c -delete
    outside_of_bats bats --tap tests/contract.bats >../contract.tap ||
        fail "$(grep -A5 '^not ok' ../contract.tap | head -40)"
}

@test "make plots: each kind of table has a picture, the same for the same table" {
    python3 -c 'import matplotlib' 2>/dev/null || skip "python3 has no matplotlib"
    python3 "$top/bench/run/report.py" "$top/bench/data" plots >made
    grep -q 'plots/kernels-.*\.svg' made
    grep -q 'plots/gpu-.*\.svg' made
    for f in plots/*.svg; do
        python3 -c 'import sys, xml.dom.minidom as d; assert d.parse(sys.argv[1]).documentElement.tagName == "svg"' "$f"
    done
    python3 "$top/bench/run/report.py" "$top/bench/data" again >made
    diff -r plots again >difference || fail "the same tables give other plots: $(cut -c1-150 difference | head -3)"
}

@test "docs/architecture.md: three of its changes, each in the room that the table names" {
    [ -z "${WARPSIEVE_BIN:-}" ] || skip "programs from elsewhere are tested"
    local change room
    copy_sources "$PWD/changed"
    remember() { rm -rf before-change && mkdir before-change &&
        cp -rp changed/bin changed/lib changed/kernels before-change/; }
    remember
    in_room() { # in_room CHANGE: which room does the table name, and is that the only one that differs?
        room=$(sed -nE "s/^\| $1[^|]*\\* \| \`([^\`]*)\`.*/\1/p" "$top/docs/architecture.md")
        [ -n "$room" ] || fail "the table has no row with a star for: $1"
        for folder in bin lib kernels; do diff -rq "before-change/$folder" "changed/$folder"; done |
            sed -nE 's|^Files before-change/([a-z]+/[a-z]+)/.*|\1|p' | sort -u >rooms
        same <(echo "$room") rooms
        remember
    }
    sed -i 's|^\( *\){"vit_p", .*|&\n\1{"vit_again", WS_COL_BITS, ws_filtercol_bits, 0},|' changed/bin/filters/vitfilt.c
    in_room 'a column of a filter'
    sed -i 's|{"hmm_cov", hmm_cov, 0},|& {"letters", tlen, 0},|' changed/lib/hits/columns.c
    in_room 'a column of `domscore`'
    sed -i 's|WS_DOMFORM_IDS, |&WS_DOMFORM_LIST, |; s|"fasta", "ids"|&, "list"|' changed/lib/hits/options.h
    sed -i '/^    \[WS_DOMFORM_IDS\]/a [WS_DOMFORM_LIST] = {.row_of_target = 1, .pass = {{.target = ws_write_ids_target}}},' \
        changed/lib/hits/forms.c
    in_room 'a form of the hit list'
    nice make -C changed -s -j2 CUDA=0 CFLAGS=-O1 bin/vitfilt bin/domscore bin/hmmsieve >log 2>&1 ||
        fail "$(tail -20 log)"
    changed/bin/vitfilt -a -f vit_bits,vit_again --header none --no-provenance three.hmm demo.fa >columns
    [ -s columns ] && awk -F '\t' '$1 != $2 { exit 1 }' columns
    changed/bin/vitfilt --help | grep -q 'vit_p, .*vit_again\|vit_again'
    changed/bin/hmmsieve -O tsv -f tlen,letters --header none --no-provenance three.hmm demo.fa | grep -v '^#' >columns
    [ -s columns ] && awk -F '\t' '$1 != $2 { exit 1 }' columns
    changed/bin/hmmsieve -O list three.hmm demo.fa >list
    hmmsieve -O ids three.hmm demo.fa >ids
    [ -s list ] && same ids list
}
