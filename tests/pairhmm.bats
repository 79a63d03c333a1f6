#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pairhmm: tables and matrices from golden input, refusals, one answer for all backends, cuts and streams. Values are
# checked pair by pair in tests/lib/pairhmm.c.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cp -r "$data/pairhmm/formats" "$data/pairhmm/bad" .
    for f in "$data"/pairhmm/*.gz; do zcat "$f" >"$(basename "$f" .gz)"; done
    cat edge.in tiny.in edge_extreme.in edge_overflow.in >all.in
}
setup() { in_data; }

bare() { pairhmm --no-provenance --header none "$@"; }

# within EXPECTED TABLE SLACK FIELDS: the same FIELDS, likelihoods within SLACK and 2e-9 of each base
within() {
    same <(grep -v '^#' "$1" | cut -f"$4") <(grep -v '^#' "$2" | cut -f"$4") || fail "rows of $2"
    paste <(grep -v '^#' "$1") <(grep -v '^#' "$2") | awk -F '\t' -v slack="$3" '{
        m = $(NF - 2); a = $(NF / 2); b = $NF; d = a - b; if (d < 0) d = -d
        if ((a == "-inf") != (b == "-inf") || (a != "-inf" && d > slack + 2e-9 * m)) { print "line " NR ": " a " " b; bad = 1 }
        } END { exit bad }'
}

@test "golden input gives the golden tables" {
    for x in tiny edge edge_extreme edge_overflow gpuPairHMM-readme; do
        pairhmm $x.in >got
        whole_rows got
        within $x.expected got 1e-5 1-5 || fail "$x"
        pairhmm --double $x.in >got
        within $x.expected got 4e-9 1-5 || fail "$x --double"
    done
    pairhmm pairhmm-testdata.txt >got
    within pairhmm-testdata.expected got 1e-5 1-3
    pairhmm gatk-hc-na12878.Java.hmmresults.txt >got
    within gatk-hc-na12878.expected got 1e-5 1-3
}

@test "every spelling of the same pairs gives the same values" {
    bare -f read_len,hap_len,log10_likelihood formats/small.in >want
    [ "$(wc -l <want)" -eq 22 ]
    for f in formats/small.*; do
        case $f in *.expected | *-cat.txt) continue ;; esac
        bare -f read_len,hap_len,log10_likelihood "$f" >got
        same want got || fail "$f"
        gzip -c "$f" | bare -f read_len,hap_len,log10_likelihood - >got
        same want got || fail "$f, gz from a pipe"
    done
    bare -f read_len,hap_len,log10_likelihood formats/small.results-cat.txt >got
    same <(cat want want) got
    bare -f pair formats/small.results-cat.txt >got
    same <(seq 0 43) got
    pairhmm formats/letters.in >got
    within formats/letters.expected got 1e-5 1-5
}

@test "reads that differ in one of their five strings are two reads, in a line after the other and in a batch" {
    local field line
    awk 'NR == 2 || NR == 4' formats/small.results-6col.txt >one
    for field in 2 3 4 5 6; do
        # another letter, qualities of nearly nothing
        awk -v f=$field '{ sub(/./, f == 2 ? "G" : "!", $f); sub(/.$/, f == 2 ? "A" : "\"", $f); print }' one >other
        { cat one other one; head -1 one; tail -1 other; cat one; } >both
        while read -r line; do bare -f log10_likelihood <(echo "$line"); done <both >want
        [ "$(sort -u want | wc -l)" -ge 3 ] || fail "field $field changes nothing: $(cat want)"
        bare -f log10_likelihood both | same want - || fail "field $field"
        bare --raw -f log10_likelihood both >want.raw
        { printf '3 2\n'; for line in 1 3 1; do sed -n ${line}p <(cat one other) | cut -d' ' -f2-; done; cut -d' ' -f1 one; } >batch
        bare --raw -f log10_likelihood batch | same <(head -6 want.raw) - || fail "field $field, a batch"
    done
}

@test "what is no input is refused: line and reason, no row of the broken batch" {
    while IFS=$'\t' read -r file line why; do
        case $file in '#'* | empty.in) continue ;; esac
        # its table says 2, a whole read; the reason given there, "the first line that is no read", is 3, as in
        # truncated-reads.in
        [ "$file" != count-huge.in ] || line=3
        run -1 --separate-stderr bare "bad/$file"
        refused 1 "bad/$file: line $line[:,]" || fail "$file: $why"
    done <bad/README.tsv
    run -0 --separate-stderr bare bad/empty.in
    [ -z "$output$stderr" ]
    run -1 --separate-stderr bare bad/quality-char-127.in
    told 'line 2, column 8'
    run -1 --separate-stderr bare "$data/fn3.hmm"
    refused 1 '"HMMER3/f" begins a profile HMM of HMMER: msvfilt'
    run -1 --separate-stderr bare <(printf '\001')
    refused 1 'line 1: begins with "\\x01": neither'
    for f in abc value -Infinitx 1e5x ---; do # in place of a value of results text, some as long as NaN and Infinity
        sed -n "2s/ *[^ ]*\$/ $f/p" pairhmm-testdata.txt >word.txt
        run -1 --separate-stderr bare word.txt
        refused 1 'word.txt: line 1'
    done
    for f in NaN -Infinity 1e-5; do
        sed -n "2s/ *[^ ]*\$/ $f/p" pairhmm-testdata.txt >word.txt
        run -0 --separate-stderr bare word.txt
    done
    for f in tiny.in pairhmm-testdata.txt; do
        tr '\n' '\r' <$f >mac.txt
        run -1 --separate-stderr bare mac.txt
        refused 1 'mac.txt: line 1'
        (tr '\n' '\r' <$f; echo) >mac.txt
        run -1 --separate-stderr bare mac.txt
        refused 1 'mac.txt: line 1'
    done
}

@test "rows before a fault are whole and right, wherever it is" {
    bare tiny.in >want
    for at in 400 5000 12345 31000; do
        head -c $at tiny.in >cut.in
        s=0
        bare -K 1 -t 3 cut.in 2>err >got || s=$?
        [ "$s" = 1 ] || fail "cut at $at: status $s"
        grep -qE '^pairhmm: cut.in: line [0-9]+' err || fail "$(cat err)"
        same <(head -n "$(wc -l <got)" want) got || fail "cut at $at"
    done
    sed '1s/.*/54 2/' tiny.in >more.in
    run -1 --separate-stderr bare more.in
    refused 1 'more.in: line 55:'
    sed '1s/.*/53 1/' tiny.in >less.in
    run -1 --separate-stderr bare less.in
    [ "$(wc -l <<<"$output")" -eq 53 ]
    told 'less.in: line 56:'
    gzip -c tiny.in | head -c 3000 >cut.in.gz
    run -1 --separate-stderr bare cut.in.gz
    told 'cut.in.gz'
}

@test "the same bytes from every backend, with any number of threads, any batch size, with and without sharing" {
    pairhmm --backend scalar --raw -t 1 all.in >want
    for b in $(pairhmm --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
        for o in '-t 1' '-t 3 -K 1' '-t 2 -K 3000' '-K 1G' '-t 2 --no-sharing'; do
            # shellcheck disable=SC2086 # options
            pairhmm --backend "$b" --raw $o all.in >got
            same want got || fail "$b $o"
        done
    done
    pairhmm --raw -K 777 - <all.in >got
    same want got
    pairhmm -t 1 pairhmm-testdata.txt >want
    pairhmm -t 3 -K 1 pairhmm-testdata.txt >got
    same want got
}

@test "several files are one input; formats do not mix" {
    pairhmm all.in >want
    pairhmm edge.in tiny.in - edge_overflow.in <edge_extreme.in >got
    same want got
    run --separate-stderr bare -f batch tiny.in formats/small.results.txt
    [ "$status" -eq 1 ]
    told 'small.results.txt.*results.*batch'
    run -1 --separate-stderr bare --in-format results tiny.in
    refused 1 'tiny.in.*batch'
}

@test "-O matrix, --digits, --raw, -f, --header" {
    pairhmm -O matrix tiny.in >m
    [ "$(head -1 m)" = '53 2' ]
    [ "$(wc -l <m)" -eq 169 ]
    bare --digits 5 -f log10_likelihood tiny.in >v
    same <(awk '/^[0-9]+ [0-9]+$/ { next } { for (i = 1; i <= NF; i++) print $i }' m) v
    run -0 pairhmm --raw --header plain --no-provenance -f hap,precision,log10_likelihood edge_extreme.in
    [ "${lines[0]}" = $'hap\tprecision\tlog10_likelihood' ]
    grep -q scaled <<<"$output"
    run -0 bare --digits 0 -f log10_likelihood gpuPairHMM-readme.in
    [ "${lines[0]}" = -6 ]
    printf '1 1\nA ! N N +\nA\n' >zero.in
    run -0 bare -f log10_likelihood zero.in
    [ "$output" = -inf ]
    printf '0 2\nA\nC\n2 0\nA I N N +\nC I N N +\n' >none.in
    run -0 --separate-stderr bare none.in
    [ -z "$output$stderr" ]
    pairhmm -O matrix none.in >m
    same <(printf '0 2\n2 0\n\n\n') m
}

@test "a matrix of results text has the same regions for any batch size, pace, number of threads and place of a cut" {
    pairhmm -O matrix -K 1G -t 1 pairhmm-testdata.txt >want
    for k in 1 500 3000 10K 128K; do
        pairhmm -O matrix -K $k -t 3 pairhmm-testdata.txt >got
        same want got || fail "-K $k"
    done
    (split -n l/5 pairhmm-testdata.txt part. && for f in part.*; do cat "$f"; sleep 0.3; done) | pairhmm -O matrix >got
    same want got || fail "with pauses"
    pairhmm -O matrix formats/small.results.txt >one
    cat one one >want2
    pairhmm -O matrix -K 1 formats/small.results.txt formats/small.results.txt >got
    same want2 got || fail "a file ends a region"
    awk 'BEGIN { while (n++ < 300) { q = q "I"; h = h "A" } while (n++ < 60000) print h, h, q, q, q, q }' >long.txt
    pairhmm -O matrix -K 1G long.txt >want
    [ "$(grep -c '^[0-9]* [0-9]*$' want)" -gt 1 ] || fail "a region of 90 MB"
    pairhmm -O matrix -K 100K long.txt >got
    same want got || fail "a region that is too long"
    pairhmm -O matrix pairhmm-testdata.txt >want
    for at in 3000 20000; do # what a cut or damaged input gets is a beginning
        { head -c $at pairhmm-testdata.txt && printf 'A A x\n'; } >bad.txt
        s=0
        pairhmm -O matrix bad.txt 2>err >got || s=$?
        [ "$s" = 1 ] || fail "status $s"
        cmp -n "$(stat -c %s got)" got want || fail "cut at $at"
    done
}

@test "a long line costs time linear in its length" {
    seconds() { # of the processor, for a line of $1 MB that is no read
        { printf '1 1\n' && head -c "$1"000000 /dev/zero | tr '\0' A && echo; } >long.in
        python3 -c 'import resource, subprocess
assert subprocess.run(["pairhmm", "long.in"], capture_output=True).returncode == 1
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime)'
    }
    one=$(seconds 40) four=$(seconds 160)
    awk -v a="$one" -v b="$four" 'BEGIN { exit !(b < 8 * a + 0.3) }' || fail "40 MB: $one s, 160 MB: $four s"
}

@test "misuse" {
    for o in '-a' '-U x' '--bad-residue x' '--allow-cut' '-O fasta' '--digits 13' '-O matrix --raw' '-O matrix -f hap' \
        '-f nosuch' '-K 0'; do
        # shellcheck disable=SC2086 # options
        echo kept >keep
        run -2 --separate-stderr pairhmm $o tiny.in -o keep
        [ -z "$output" ]
        [ "$(cat keep)" = kept ] || fail "$o: the file was emptied"
    done
}

@test "a stream is answered while it flows" {
    python3 - <<'EOF'
import select, subprocess
p = subprocess.Popen(["pairhmm", "--no-provenance", "--header", "none", "-f", "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for i in range(3):
    p.stdin.write(b"1 1\nACGT IIII NNNN NNNN ++++\nACGT\n")
    p.stdin.flush()
    assert select.select([p.stdout], [], [], 5)[0], "no answer"
    assert p.stdout.readline() == b"%d\n" % i
p.stdin.close()
assert p.wait(5) == 0
EOF
}

@test "output that cannot be written, a reader that goes away" {
    run -1 --separate-stderr pairhmm all.in -o /dev/full
    refused 1 '/dev/full' 'No space left'
    for i in 1 2 3 4 5 6 7 8; do cat all.in; done >big.in
    s=$(bash -c '{ pairhmm big.in 2>err; echo $? >&3; } 3>st | head -1 >/dev/null; cat st')
    [ "$s" = 141 ] || fail "status $s"
    [ ! -s err ]
}

@test "--stats: pairs, cells and those that were computed" {
    pairhmm --stats=s.json all.in >got
    python3 - <<'EOF'
import json
s = json.load(open("s.json"))
rows = sum(1 for l in open("got") if not l.startswith("#"))
assert s["pairs"] == s["rows"] == rows and 0 < s["cells_computed"] < s["cells"], s
assert s["pairs_double"] > 50 and s["pairs_scaled"] > 20, s
EOF
    pairhmm --no-sharing --stats=s.json tiny.in >got
    python3 -c 'import json; s = json.load(open("s.json")); assert s["cells_computed"] == s["cells"], s'
}

@test "the full golden sets" {
    full=$top/../shared/golden/pairhmm
    [ -d "$full" ] || skip "not at hand"
    for x in 10s edge; do
        pairhmm "$full/$x.in" >got
        grep -v '^#' "$full/$x.expected" >x.expected
        within x.expected got 1e-5 1-5 || fail "$x"
    done
}
