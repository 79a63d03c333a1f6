#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Inputs of every tool: empty, odd, cut, damaged, of the wrong kind. A fault is exit status 1, what came before it is
# answered in whole rows, and the message has what a person needs: which file, where in it, what was found.

bats_require_minimum_version 1.5.0
load helper

setup_file() { make_data; }
setup() { in_data; }

# ---- nothing, little ----

header_only() { # header_only [COUNTS]: the run's output is a table without rows, of a database without sequences
    [ "$(grep -vc '^##' <<<"$output")" -eq 1 ] || fail "$output"
    [[ ${lines[-1]} =~ ^"##end rows=0${1- in=0 residues=0}"$ ]] || fail "${lines[-1]}"
}
nothing() {
    : >empty
    gzip -c empty >empty.gz
    run -0 --separate-stderr tsv "$1" empty
    header_only
    run -0 --separate-stderr tsv "$1" </dev/null
    header_only
    run -0 --separate-stderr tsv "$1" empty.gz
    header_only
    run -0 --separate-stderr tsv "$1" empty.gz empty /dev/null
    header_only
    [ -z "$stderr" ]
    respack </dev/null >empty.wsp
    run -0 --separate-stderr tsv "$1" empty.wsp
    header_only
    for o in fasta ids; do
        run -0 --separate-stderr "$1" -O $o $(model_of "$1") empty
        [ -z "$output$stderr" ] || fail "-O $o: $output"
    done
}
@test "empty input: header and end only" { each nothing $(sequence_tools); }

only_a_header() {
    tsv "$1" empty >head.tsv
    run -0 --separate-stderr tsv "$1" head.tsv
    header_only
    printf '#name\tseq\n' >plain.tsv # without an end its size is unknown
    run -0 --separate-stderr tsv "$1" plain.tsv
    header_only ''
    printf 'name\tseq\tqual\tdesc' >plain.tsv
    run -0 --separate-stderr tsv "$1" plain.tsv
    header_only ''
}
@test "a table of a header and no rows" { : >"$BATS_FILE_TMPDIR/empty"; each only_a_header $(sequence_tools); }

# ---- odd but right: the same sequences, whatever they look like ----

odd_forms() {
    tsv "$1" -a small.fa >want
    sed 's/$/\r/' small.fa >f && tsv "$1" -a f >got
    same want got || fail "CRLF"
    head -c -1 small.fa >f && tsv "$1" -a f >got
    same want got || fail "no final newline"
    { printf '\xef\xbb\xbf' && cat small.fa; } >f && tsv "$1" -a f >got
    same want got || fail "byte-order mark"
    { printf '\xef\xbb\xbf' && respack -O tsv --no-provenance --header plain small.fa; } >f
    same <(rows want | cut -f1,2) <(tsv "$1" -a f | grep -v '^#' | cut -f1,2) || fail "byte-order mark of a table"
    awk '/^>/ { print; next } { print tolower($0) }' small.fa >f
    tsv "$1" -a f >got
    same want got || fail "lower case"
    awk '/^>/ { printf "%s%s\n", (NR > 1 ? "\n\n" : ""), $0; next } { printf "%s", $0 } END { print "\n" }' small.fa >f
    tsv "$1" -a f >got
    same want got || fail "one line each, blank lines between"
    awk '/^>/ { print; next } { gsub(/....../, "& "); print "  " $0 "\t" }' small.fa >f
    tsv "$1" -a f >got
    same want got || fail "blanks between residues"
    seqkit fx2tab small.fa | awk -F '\t' '{ q = $2; gsub(/./, "I", q); print "@" $1 "\n" $2 "\n+\n" q }' >f
    tsv "$1" -a f >got
    same <(cut -f1,2,4- want) <(cut -f1,2,4- got) || fail "FASTQ"
    [ "$(column got qual | head -1 | cut -c1-3)" = III ]
}
carriage_returns() {
    tr '\n' '\r' <small.fa >f
    run -1 --separate-stderr tsv "$1" -a f
    told 'f: line 1' 'carriage returns'
    run -1 --separate-stderr bash -c 't=$1; shift; { head -c 9 f; sleep 0.3; tail -c +10 f; } | "$t" -O tsv "$@"' - "$1" $(model_of "$1") -a
    told 'standard input: line 1' 'carriage returns'
    (tr '\n' '\r' <small.fa; echo) >f
    run -1 --separate-stderr tsv "$1" -a f
    told 'f: line 1' 'carriage returns'
    for text in '>a\rACDE' '>a\r>b\rACDE\n' '>a\r\r\n>b\r\rACDE\n' '@a\rACDE\r+\rIIII\r' \
        '#name\tseq\ra\tMKV\r' 'name\tseq\ra\tMKV\n' '##x\r#name\tseq\ra\tMKV\n'; do
        # shellcheck disable=SC2059 # the escapes are the point
        printf "$text" >f
        run --separate-stderr tsv "$1" -a f
        [ "$status" -eq 1 ] || fail "$text: status $status"
        told 'f: line [1-3]: .*carriage returns'
        run --separate-stderr bash -c 't=$1; shift; { head -c 3 f; sleep 0.1; tail -c +4 f; } | "$t" -O tsv "$@"' - "$1" $(model_of "$1") -a
        [ "$status" -eq 1 ] || fail "$text, in two parts: status $status"
    done
    printf '>a b\r' >f
    run -0 --separate-stderr tsv "$1" -a f
    printf '>a b\r\r\nMKV\r\r\n' >f
    run -0 --separate-stderr tsv "$1" -a -f name,seq f
    [ "${lines[-2]}" = $'a\tMKV' ] || fail "$output"
}
@test "lines that end in carriage returns alone are no record without residues" { each carriage_returns $(sequence_tools); }

@test "CRLF, no final newline, lower case, long lines, blanks, FASTQ" { each odd_forms $(sequence_tools); }

all_letters() {
    printf '>all the letters\nACDEFGHIKLMNPQRSTVWYBJZOUX*\n' >f
    run -0 --separate-stderr tsv "$1" -a -f name,seq,desc,tlen f
    [ "${lines[2]}" = $'all\tACDEFGHIKLMNPQRSTVWYBJZOUX*\tthe letters\t27' ] || fail "$output"
    printf '>e1\n>e2 empty too\n\n>full\nMKV\n>e3' >f
    run -0 --separate-stderr tsv "$1" -a -f name,seq,tlen f
    [ "${lines[2]}" = $'e1\t\t0' ] || fail "$output"
    [ "${lines[3]}" = $'e2\t\t0' ]
    [ "${lines[4]}" = $'full\tMKV\t3' ]
    [ "${lines[5]}" = $'e3\t\t0' ]
    [[ ${lines[6]} == '##end rows=4 in=4 residues=3' ]]
}
@test "every letter of the alphabet, empty records" { each all_letters $(sequence_tools); }

names() { # as hmmsearch takes them
    local text
    printf '> one  of them \nMKV\n> \t two\nMKL\n' >f
    run -0 --separate-stderr tsv "$1" -a -f name,desc,seq f
    [ "${lines[2]}" = $'one\tof them\tMKV' ] || fail "$output"
    [ "${lines[3]}" = $'two\t\tMKL' ] || fail "$output"
    for text in '>\nMKV\n' '>  \nMKV\n' '>one\nMKV\n> \t\r\n'; do
        # shellcheck disable=SC2059 # the escapes are the point
        printf "$text" >f
        run --separate-stderr tsv "$1" f
        [ "$status" -eq 1 ]
        told 'f: line [13]: a record without a name'
    done
}
@test "blanks before a name, records without one" { each names $(sequence_tools); }

empty_never_passes() {
    printf '>e1\n>e2\n' >f
    run -0 --separate-stderr "$1" m.hmm f
    [ "$(grep -vc '^#' <<<"$output")" -eq 0 ] || fail "$output"
}
@test "an empty record passes no filter" { each empty_never_passes $(sequence_tools with-model); }

long_proteins() {
    [ -s long.fa ] || python3 - <<'EOF'
import random
random.seed(7)
kinase = "".join(l.strip() for l in open("long.src") if l[0] != ">")
with open("long.fa", "w") as f:
    for n, L in (("titin", 150000), ("giant", 2000000)):
        s = "".join(random.choices("ACDEFGHIKLMNPQRSTVWY", k=L))
        f.write(">%s\n%s\n" % (n, s[:L // 2] + kinase + s[L // 2 + len(kinase):]))
EOF
    tsv "$1" -a -f name,tlen long.fa >got
    same <(rows got) <(printf 'titin\t150000\ngiant\t2000000\n')
}
@test "proteins of 150,000 and 2,000,000 residues are scored" {
    seqkit grep -p 'sp|P17157|PHO85_YEAST' demo.fa >long.src
    each long_proteins $(sequence_tools)
}

bad_residues() {
    printf '>one\nMKVL\nAA-1LG\n>two\nMKV\n' >f
    run --separate-stderr tsv "$1" f
    [ "$status" -eq 1 ]
    told 'f: line 3' "'-'" 'position 7' '"one"' 'bad-residue'
    run -0 --separate-stderr tsv "$1" -a --bad-residue=x -f name,seq f
    [ "${lines[2]}" = $'one\tMKVLAAXXLG' ] || fail "$output"
    told 'no residues.*: 2$'
    run -0 --separate-stderr tsv "$1" -a --bad-residue skip -f name,seq f
    [ "${lines[2]}" = $'one\tMKVLAALG' ] || fail "$output"
    told 'no residues.*: 2$'
    run -0 --separate-stderr tsv "$1" -q -a --bad-residue skip f
    [ -z "$stderr" ] || fail "-q: $stderr"
}
@test "--bad-residue: error, x, skip" { each bad_residues $(sequence_tools); }

# ---- cut and damaged ----

# after_fault WANT: rows of the run (table in `got`) are a beginning of those of the table WANT, without an end line
after_fault() {
    whole_rows got
    ! grep '^##end' got || fail "there is an end line"
    [ ! -s got ] || same <(rows "$1" | head -n "$(nrows got)") <(rows got)
}
faulty() { # faulty TOOL WANT INPUT PATTERN...: from a file and from a pipe
    local t=$1 want=$2 f=$3
    shift 3
    run --separate-stderr bash -c '"$@" >got' - "$t" -a -O tsv $(model_of "$t") "$f"
    [ "$status" -eq 1 ] || fail "status $status for $f"
    told "$f" "$@"
    after_fault "$want"
    run --separate-stderr bash -c 'f=$1; shift; cat "$f" | "$@" >got' - "$f" "$t" -a -O tsv $(model_of "$t")
    [ "$status" -eq 1 ] || fail "status $status for $f from a pipe"
    told "standard input" "$@"
    after_fault "$want"
}

endless_names() { # 40 MB of one header line; memory of a run stays far below twice that
    local f
    for f in long.fa long.fq long.tsv long.row; do
        run --separate-stderr bash -c 'ulimit -v 1000000; "$@"' - "$1" -O tsv -t 1 $(model_of "$1") $f
        [ "$status" -eq 1 ] || fail "$f: status $status"
        told "$f: line [12]:" 'more than 16 MiB'
    done
    head -c 16000000 long.fa >f
    printf '\nMKV\n' >>f
    tsv "$1" -a -f tlen,name f >got
    [ "$(tail -c 15000000 got | grep -c '##end')" -eq 1 ]
}
@test "names without an end are refused at 16 MiB" {
    ! sanitized || skip 'a sanitizer needs more address space'
    yes n | tr -d '\n' | head -c 40000000 >long
    { printf '>' && cat long; } >long.fa
    { printf '@' && cat long; } >long.fq
    { printf 'name\tseq\n' && cat long; } >long.tsv
    { printf 'name\tseq\tx\na\tMKV\t' && cat long; } >long.row
    each endless_names $(sequence_tools)
}

cut_gzip() {
    local n size
    tsv "$1" -a demo.fa >want
    size=$(stat -c %s demo.fa.gz)
    for n in 3 12 4000 60000 $((size - 9)) $((size - 1)); do
        head -c "$n" demo.fa.gz >cut.gz
        faulty "$1" want cut.gz 'gzip' "$n bytes" 'cut'
    done
    [ "$(nrows got)" -gt 300 ] || fail "what came before the cut was not answered: $(nrows got) rows"
}
@test "gzip cut at several places" { each cut_gzip $(sequence_tools); }

damaged_gzip() {
    tsv "$1" -a demo.fa >want
    { cat demo.fa.gz; echo 'not gzip'; } >f.gz
    faulty "$1" want f.gz 'byte 114720' 'not gzip'
    [ "$(nrows got)" -ge 399 ] # the last record might have gone on
    python3 -c 'd = bytearray(open("demo.fa.gz", "rb").read()); d[-6] ^= 85; open("f.gz", "wb").write(d)'
    faulty "$1" want f.gz 'damaged' 'byte 1147'
    { cat demo.fa.gz; head -c 512 /dev/zero; } >f.gz
    tsv "$1" -a f.gz >got
    same want got || fail "padding with zeros"
}
# 400 proteins in blocks of 60,000 bytes, f.bgzf; without the end block; cut after the second; with a bit of the third
# changed
make_bgzf() {
    python3 - <<'EOF'
import struct, zlib
def block(data):
    z = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = z.compress(data) + z.flush()
    return (b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(body) + 25) + body +
            struct.pack("<II", zlib.crc32(data), len(data)))
text = open("demo.fa", "rb").read()
blocks = [block(text[i:i + 60000]) for i in range(0, len(text), 60000)]
end = block(b"")
for name, data in (("f", blocks + [end]), ("noend", blocks), ("two", blocks[:2])):
    open(name + ".bgzf", "wb").write(b"".join(data))
third = bytearray(blocks[2])
third[400] ^= 1
open("bit.bgzf", "wb").write(b"".join(blocks[:2]) + third + b"".join(blocks[3:]) + end)
EOF
}
bgzf() {
    tsv "$1" -a demo.fa >want
    tsv "$1" -a f.bgzf >got
    same want got
    cat f.bgzf f.bgzf >f.gz
    tsv "$1" -a f.gz >got
    same <(rows want; rows want) <(rows got)
    faulty "$1" want noend.bgzf 'BGZF' 'cut'
    [ "$(nrows got)" -ge 399 ] || fail "$(nrows got) rows" # the last record might have gone on
    faulty "$1" want bit.bgzf 'damaged' # after_fault sees rows that the damage changed
    cp got before
    faulty "$1" want two.bgzf 'BGZF' 'cut'
    same <(rows before) <(rows got)
}
@test "BGZF: whole, joined, without its end block, cut between blocks, damaged" { make_bgzf; each bgzf $(sequence_tools); }

@test "gzip: garbage after it, a wrong checksum, padding" { each damaged_gzip $(sequence_tools); }

cut_packed() {
    local n size
    tsv "$1" -a demo.fa >want
    size=$(stat -c %s demo.wsp)
    for n in 3 20 1000 $((size / 2)) $((size - 40)) $((size - 1)); do
        head -c "$n" demo.wsp >cut.wsp
        faulty "$1" want cut.wsp 'packed' 'byte' 'cut'
    done
    { cat demo.wsp; echo 'no block'; } >f.wsp
    faulty "$1" want f.wsp 'packed|byte'
}
@test "a packed stream cut at several places, and garbage after it" { each cut_packed $(sequence_tools); }

damaged_packed() {
    tsv "$1" -a demo.fa >want
    python3 -c 'd = bytearray(open("demo.wsp", "rb").read()); d[len(d) // 2] ^= 85; open("f.wsp", "wb").write(d)'
    faulty "$1" want f.wsp 'block [0-9]+' 'byte [0-9]+' 'checksum'
    python3 -c 'd = bytearray(open("demo.wsp", "rb").read()); d[9] ^= 85; open("f.wsp", "wb").write(d)'
    faulty "$1" want f.wsp 'head|magic|version|damaged'
}
@test "a packed stream with a wrong checksum" { each damaged_packed $(sequence_tools); }

cut_table() {
    local n size
    tsv "$1" -a demo.fa >table.tsv
    tsv "$1" -a table.tsv >want
    size=$(stat -c %s table.tsv)
    for n in 300 5000 $((size / 2)) $((size - 45)) $((size - 20)) $((size - 1)); do
        head -c "$n" table.tsv >cut.tsv
        faulty "$1" want cut.tsv '##end|header' 'cut'
    done
    head -50 table.tsv >cut.tsv
    faulty "$1" want cut.tsv '##end' 'cut' 'allow-cut'
    [ "$(nrows got)" -eq 48 ]
    run -0 --separate-stderr tsv "$1" --allow-cut cut.tsv
    [ -z "$stderr" ]
    grep -v '^##' table.tsv | head -50 >plain.tsv # a table without any ## line is not checked
    run -0 --separate-stderr tsv "$1" -a plain.tsv
}
@test "a table cut at several places, --allow-cut" { each cut_table $(sequence_tools); }

bad_tables() {
    printf '#name\tqual\tdesc\na\t\tb\n' >f.tsv
    run --separate-stderr tsv "$1" f.tsv
    [ "$status" -eq 1 ]
    told 'f.tsv: line 1' 'header' 'name and seq'
    printf '#name\tseq\tx\na\tMKV\t1\nb\tMKL\n' >f.tsv
    run --separate-stderr tsv "$1" -a f.tsv
    [ "$status" -eq 1 ]
    told 'f.tsv: line 3' '2 fields' 'expected 3'
    [ "$(grep -vc '^#' <<<"$output")" -eq 1 ] || fail "the complete row was lost: $output"
    printf 'name\tseq\tx\n1\ta|1\tMKV\t1\n' >f.tsv # as R writes names of rows
    run -1 --separate-stderr tsv "$1" -a f.tsv
    told 'f.tsv: line 2' '4 fields' 'expected 3'
    printf 'x\tseq\tname\n1\tMK|V\ta\n' >f.tsv
    run -1 --separate-stderr tsv "$1" -a f.tsv
    told 'f.tsv: line 2' "'\|' is not a letter" 'position 3'
    printf '#name\tseq\tseq\na\tMKV\tM\n' >f.tsv
    run --separate-stderr tsv "$1" f.tsv
    [ "$status" -eq 1 ]
    told 'f.tsv: line 1' '"seq"' 'twice'
}
@test "tables with missing columns or fields" { each bad_tables $(sequence_tools); }

# ---- the wrong thing ----

wrong_files() {
    local m
    m=$(model_of "$1")
    run --separate-stderr "$1" $m no-such-file
    refused 1 'no-such-file' 'No such file'
    mkdir -p folder
    run --separate-stderr "$1" $m folder
    refused 1 'folder' 'directory'
    if [ "$(id -u)" -ne 0 ]; then
        cp small.fa locked && chmod 000 locked
        run --separate-stderr "$1" $m locked
        refused 1 'locked' 'Permission denied'
    fi
    run --separate-stderr "$1" $m m.hmm
    refused 1 'm.hmm: line 1' "expected '>'" 'HMMER3/f'
    run --separate-stderr "$1" --in-format tsv $m small.fa
    refused 1 'small.fa: line 1' 'expected' 'found'
    run --separate-stderr "$1" --in-format fastq $m small.fa
    refused 1 'small.fa: line 1' "expected '@'" 'found'
    run --separate-stderr "$1" --in-format packed $m small.fa
    refused 1 'small.fa' 'packed'
    run --separate-stderr "$1" --in-format fasta $m demo.wsp
    refused 1 'demo.wsp'
    run -0 --separate-stderr "$1" -O tsv --in-format fasta $m small.fa
    tsv "$1" small.fa >table.tsv
    run --separate-stderr "$1" -O tsv $m table.tsv small.fa
    [ "$status" -eq 1 ]
    told 'small.fa' 'table'
}
@test "missing, unreadable, of another kind; --in-format" { each wrong_files $(sequence_tools); }

odd_names() {
    local name
    for name in $'two\nlines' $'es\e[31mcape' $'\xe9t\xe9'; do
        printf 'x\n' >"$name"
        run --separate-stderr "$1" $(model_of "$1") "$name"
        refused 1 "expected '>'" || fail
        [ "$(grep -c . <<<"$stderr")" -eq 1 ] || fail "$stderr"
        ! grep -q $'\e' <<<"$stderr" || fail 'an escape'
        cp small.fa "$name"
        "$1" -a $(model_of "$1") "$name" >got
        "$1" -a $(model_of "$1") small.fa >want
        same want got
    done
}
@test "names of files with line feeds, escapes and bytes that are no UTF-8" { each odd_names $(sequence_tools); }

# A file that loses its end between opening and reading: the tool waits at a full pipe while that is done.
cut_while_read() {
    cp big.fa f
    python3 - "$1" -O tsv -t 1 -K 1000 $(model_of "$1") f <<'EOF'
import os, subprocess, sys, time
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
p.stdout.read(1)          # it reads and writes now; then the pipe is full and it waits
time.sleep(0.2)
os.truncate("f", 1500000)
out, err = p.communicate()
assert p.returncode == 1 and b"f became shorter while it was read" in err, (p.returncode, err)
EOF
}
@test "a file that shrinks while it is read is no shorter input" {
    for _ in $(seq 20); do cat demo.fa; done >big.fa
    each cut_while_read respack
}

model_and_input() {
    for name in /dev/stdin /dev/fd/0 /proc/self/fd/0 -; do
        run --separate-stderr bash -c 'cat m.hmm | "$@"' - "$1" "$name"
        [ "$status" -eq 2 ] || fail "$name: status $status"
        told 'standard input'
    done
}
@test "models and sequences cannot both be standard input, whatever its name" { each model_and_input $(sequence_tools with-model); }

@test "README's table of damaged input: msvfilt loses nothing in silence" {
    sh "$top/tests/silence.sh" >table
    awk -F '\t' '$2 == "msvfilt" { n++; if (!($3 == 1 || ($3 == 0 && $4 == 400))) bad = 1; if ($1 == "whole.fa" && $3) bad = 1 }
        END { exit bad || n != 6 }' table || fail "$(cat table)"
}

alignments() {
    printf 'BAM\001\062\000\000\000@HD' | gzip >f.bam
    printf 'CRAM\003\000and so on' >f.cram
    run --separate-stderr tsv "$1" f.bam
    refused 1 'f.bam: line 1: found BAM' 'samtools fasta FILE'
    run --separate-stderr tsv "$1" - <f.cram
    refused 1 'standard input: line 1: found CRAM' 'samtools fasta FILE'
}
@test "BAM and CRAM: the message names samtools fasta" { each alignments $(sequence_tools); }

# Messages show characters that a terminal obeys as \\xNN, C1 as UTF-8 and as bytes; other characters stay. A name of
# any length leaves the reason.
shown_names() {
    local name
    for name in $'c1\xc2\x9b31m' $'c1\x9b31m' $'del\x7f'; do
        run --separate-stderr "$1" $(model_of "$1") "$name"
        refused 1 '\\x(9b|7f)' 'No such file'
        # shellcheck disable=SC2314 # the last command of the loop's body
        if grep -qP '[\x7f-\x9f]' <<<"$stderr"; then fail "$stderr"; fi
    done
    run --separate-stderr "$1" $(model_of "$1") $'\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa7\xac'
    refused 1 $'\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa7\xac: No such file'
    name=$(printf 'd%.0s' $(seq 240))
    name=$name/$name/$name/$name/$name/$name
    run --separate-stderr "$1" $(model_of "$1") "$name/missing"
    refused 1 'd\.\.\.d.*/missing: No such file or directory$'
    run --separate-stderr "$1" $(model_of "$1") small.fa -o "$name/missing"
    refused 1 'd\.\.\.d.*/missing.*No such file or directory$'
}
@test "messages show no control characters and keep the reason after long names" { each shown_names $(sequence_tools); }

wrong_models() {
    run --separate-stderr "$1" no-such.hmm small.fa
    refused 1 'no-such.hmm' 'No such file'
    run --separate-stderr "$1" folder small.fa
    refused 1 'folder' 'directory'
    run --separate-stderr "$1" small.fa small.fa
    refused 1 'small.fa, line 1' 'found' 'HMMER3'
    : >empty
    run --separate-stderr "$1" empty small.fa
    refused 1 'empty' 'no model'
    printf 'HMMER2.0  [2.3.2]\nNAME  x\nLENG  2\n//\n' >h2.hmm
    run --separate-stderr "$1" h2.hmm small.fa
    refused 1 'h2.hmm' 'HMMER2' 'hmmconvert'
    head -100 m.hmm >cut.hmm
    run --separate-stderr "$1" cut.hmm small.fa
    refused 1 'cut.hmm' 'line|end'
    { cat globins4.hmm; head -100 m.hmm; } >cut.hmm
    run --separate-stderr "$1" cut.hmm small.fa
    refused 1 'cut.hmm' 'line|end'
    sed '0,/^ALPH .*/s//ALPH  klingon/' m.hmm >f.hmm
    run --separate-stderr "$1" f.hmm small.fa
    refused 1 'f.hmm, line 6' 'klingon|alphabet'
    gzip -c m.hmm | head -c 10000 >f.hmm.gz
    run --separate-stderr "$1" f.hmm.gz small.fa
    refused 1 'f.hmm.gz' 'cut'
    # a database in place of the models is not read to its end before that is said
    run bash -c 'yes ">seq" | head -c 100000000 | "$1" - small.fa 2>said; echo "${PIPESTATUS[@]:1}"' - "$1"
    [ "$output" = '141 1' ] || fail "$output"
    grep -q "line 1.*HMMER3" said || fail "$(cat said)"
    head -c 5000 /dev/urandom >noise
    run --separate-stderr "$1" noise small.fa
    refused 1 'noise'
}
@test "model files that are none" { mkdir -p "$BATS_FILE_TMPDIR/folder"; each wrong_models $(sequence_tools with-model); }

right_models() {
    "$1" m.hmm small.fa | grep -v '^##warpsieve' >want
    cat m.hmm | "$1" - small.fa | grep -v '^##warpsieve' >got
    same want got || fail "model from standard input"
    gzip -c m.hmm >m.hmm.gz
    "$1" m.hmm.gz small.fa | grep -v '^##warpsieve' >got
    same want got || fail "compressed model"
    sed 's/$/\r/' m.hmm >crlf.hmm
    "$1" crlf.hmm small.fa | grep -v '^##warpsieve' >got
    same want got || fail "model with CRLF"
    { printf '\xef\xbb\xbf' && cat m.hmm; } >bom.hmm
    "$1" bom.hmm small.fa | grep -v '^##warpsieve' >got
    same want got || fail "model with a byte-order mark"
    hmmconvert -b m.hmm >m.h3m
    "$1" m.h3m small.fa | grep -v '^##warpsieve' >got
    same want got || fail "binary model"
    hmmconvert --outfmt 3/b m.hmm >m3b.hmm
    "$1" m3b.hmm small.fa | grep -v '^##warpsieve' >got
    same want got || fail "3/b"
}
@test "models from a pipe, compressed, with CRLF, binary, older" { each right_models $(sequence_tools with-model); }

no_statistics() {
    grep -v '^STATS' m.hmm >nostats.hmm
    run --separate-stderr "$1" nostats.hmm small.fa
    refused 1 'Pkinase' 'STATS' 'hmmbuild'
    run -0 --separate-stderr "$1" -T -100 nostats.hmm small.fa
    run -0 --separate-stderr "$1" -a nostats.hmm small.fa
    "$1" -a -Z 400 nostats.hmm small.fa >got # the same bits, and no P- and E-values: an empty field means "not given"
    same <("$1" -a -Z 400 m.hmm small.fa | awk -F '\t' -v OFS='\t' '/^#name/ { for (i = 1; i <= NF; i++) p[i] = $i ~ /_p$|_evalue$/ }
        !/^#/ { for (i in p) if (p[i]) $i = "" } !/^##/') <(grep -v '^##' got) || fail "other bits, or P-values"
}
@test "a model file of 300 models, larger than the portions it is read in: the same answer, faults told by their place in the file" {
    local count size
    for i in $(seq 300); do sed "s/^NAME .*/NAME  model$i/" globins4.hmm; done >many.hmm
    count=$(wc -l <many.hmm) size=$(stat -c %s many.hmm)
    [ "$size" -gt $((17 << 20)) ]
    awk '/^>/ { n++ } n > 2 { exit } { print }' demo.fa >two.fa
    ssvfilt -a --no-provenance globins4.hmm two.fa >one
    ssvfilt -a many.hmm two.fa >all
    same <(for i in $(seq 300); do echo "model$i"; done) <(column all query | head -300)
    [ "$(column all ssv_bits | sort | uniq -c | awk '{ print $2, $1 }')" = "$(column one ssv_bits | sort | awk '{ print $1, 300 }')" ]
    gzip -1c many.hmm | ssvfilt -a - two.fa >piped
    same <(grep -v '^##warp' all) <(grep -v '^##warp' piped)
    [ "$(grep -o 'xxh3:[0-9a-f]*' all)" = "$(grep -o 'xxh3:[0-9a-f]*' piped)" ]
    { cat many.hmm; printf 'HMMER3/f [x]\nNAME  x\nLENG  two\n'; } >bad.hmm
    run --separate-stderr ssvfilt bad.hmm two.fa
    refused 1 "bad.hmm, line $((count + 3))" two
    { cat many.hmm; printf 'HMMER3/f\nNAME  \0\n'; } >bad.hmm
    run --separate-stderr ssvfilt bad.hmm two.fa
    refused 1 "byte $((size + 15)) is zero"
}

zero_byte() { # a name or a description with one is told with its line and byte, behind the records before it
    local f
    printf '>ok\nMKVLA\n>a\0b d\nMKVLA\n' >name.fa
    printf '>ok\nMKVLA\n>ab d\0e\nMKVLA\n' >desc.fa
    printf '@ok\nMKVLA\n+\nIIIII\n@a\0 d\nMKVLA\n+\nIIIII\n' >name.fq
    printf '# STOCKHOLM 1.0\nok MKVLA\na\0b MKVLA\n//\n' >name.sto
    for f in name.fa:3:3 desc.fa:3:6 name.fq:5:3 name.sto:3:2; do
        run --separate-stderr "$1" -O tsv $(model_of "$1") "${f%%:*}"
        f=${f/:/: line }
        [ "$status" -eq 1 ] && told "${f%:*}: byte ${f##*:} of the line is zero" || fail "$1 $f: $stderr"
    done
}
@test "a zero byte in a name or a description" { each zero_byte $(sequence_tools with-model); }

@test "what no program can read is refused after its first megabytes: models, alignments, trees; a line of a model" {
    early() { # early PATTERN COMMAND...
        local used
        run --separate-stderr "${@:2}"
        refused 1 "$1" || fail "${*:2}"
        used=$(peak_memory sh -c '"$@" 2>said || :' - "${@:2}")
        sanitized || [ "$used" -lt 50000 ] || fail "${*:2}: $used KB"
    }
    truncate -s 200M zeros
    head -c 60M /dev/zero | tr '\0' '\n' >blanks
    head -c 60M /dev/zero | tr '\0' x >letters
    printf '((a,b),c);\n' >a.tree
    early 'zeros: line 1: byte 1 is zero' hmmcast zeros
    early 'letters: no alignment begins in the first 16 MB' hmmcast letters
    early 'blanks: no alignment begins in the first 16 MB' hmmcast blanks
    early 'zeros: byte 0 is zero' nhmmsieve zeros small.fa
    early "letters, line 1: .* a model's first line" nhmmsieve letters small.fa
    early 'zeros: line 1: byte 1 is zero' papara-score zeros a.tree small.fa
    early 'letters: no alignment begins in the first 16 MB' papara-score letters a.tree small.fa
    early 'blanks: no alignment begins in the first 16 MB' papara-score blanks a.tree small.fa
    printf '3 4\na ACGT\nb ACGA\nc ACCA\n' >rows.phy
    early 'letters: line 1, byte 1: found .*which begins a tree' papara-score rows.phy letters small.fa
    { cat m.hmm && printf 'HMMER3/f [x]\nNAME  ' && cat letters && sed 1,2d m.hmm; } >long.hmm
    gzip -1kf long.hmm
    local size
    size=$(stat -c %s m.hmm)
    for f in long.hmm long.hmm.gz; do
        early "$f: the line from byte $((size + 13)) on has more than 16 MB" msvfilt -t 1 $f small.fa
    done
    rm zeros blanks letters long.hmm long.hmm.gz
}

@test "a model without calibration has bits and no P-values" { each no_statistics $(sequence_tools with-model); }
