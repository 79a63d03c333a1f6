#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Promises of every program that reads or writes windows of long DNA: its input ends early, its output fails, rows are
# bad, input pauses, calls of the system fail. tests/windows.bats and tests/nhmmsieve.bats have the results.

bats_require_minimum_version 1.5.0
load helper
load fault/common

setup_file() {
    local golden=$data/golden/long-targets
    cd "$BATS_FILE_TMPDIR" || return 1
    make_shim || return 1
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    { zcat "$golden/models/RF00001.hmm.gz" | sed "s/^ALPH  RNA/ALPH  DNA/" && echo && cat made.hmm; } >two.hmm
    sed 's/^NAME .*/NAME  MADE1/; s/^DESC.*//; /^$/d' "$data/demo.hmm" >protein.hmm
    zcat "$golden/inputs/short.fa.gz" >genome.fa
    awk '/^>/ { n++ } n > 60 { exit } { print }' genome.fa >few.fa
    make_stages genome && make_stages few
    gzip -kf genome.fa few.fa
}
setup() { in_data; }
teardown() { show_counts; }

make_stages() { # the input of each stage, as a table and packed: make_stages NAME of NAME.fa
    ssvfilt --long two.hmm "$1.fa" >"$1.ssv.tsv" && msvfilt two.hmm "$1.ssv.tsv" >"$1.msv.tsv" &&
        vitfilt two.hmm "$1.msv.tsv" >"$1.vit.tsv" && fwdscore two.hmm "$1.vit.tsv" >"$1.fwd.tsv" || return 1
    local s
    for s in ssv msv vit fwd; do respack --dna -K 1000 "$1.$s.tsv" >"$1.$s.wsp" || return 1; done
}

# The programs by what they read; "WORDS:STAGE" where STAGE ends the name of the input.
stages='ssvfilt_--long_two.hmm:fa msvfilt_--long_two.hmm:fa msvfilt_two.hmm:ssv vitfilt_two.hmm:msv fwdscore_two.hmm:vit
    domscore_two.hmm:fwd respack_--dna_-Otsv:fwd nhmmsieve_two.hmm:fa hmmsieve_--long_two.hmm:fa'
# stage STAGE [NAME]: sets cmd, and the forms of its input NAME.*
stage() {
    local from=${1#*:} name=${2:-genome}
    read -r -a cmd <<<"$(tr _ ' ' <<<"${1%:*}")"
    case $from in fa) forms=("$name.fa" "$name.fa.gz") ;; *) forms=("$name.$from.tsv" "$name.$from.wsp") ;; esac
}

# ---- input that ends early ----

# Its output is a beginning of the whole, in whole lines; rows without an end have no ##end.
cut_short() { # cut_short FILE BYTES COMMAND...
    local file=$1 n=$2
    shift 2
    head -c "$n" "$file" >cut
    run -1 --separate-stderr bash -c '"$@" <cut >part' - "$@"
    told 'cut|without one byte|ends at byte|ended without' || fail "$* of $n bytes of $file"
    [ "$(wc -l <<<"$stderr")" -eq 1 ] || fail "$*: $stderr"
    [ ! -s part ] || [ -z "$(tail -c 1 part | tr -d '\n')" ] || fail "$*: half a line: $(tail -1 part)"
    run -1 grep -q '^##end' part || [ "${1##*/}" = domscore ] || fail "$*: an end after $n bytes of $file"
    rows part >part.rows
    cmp -s -n "$(stat -c %s part.rows)" part.rows whole.rows || fail "$*: other rows after $n bytes of $file"
}
ends_early() {
    local f size n
    stage "$1"
    for f in "${forms[@]}"; do
        [ "$f" != genome.fa ] || continue # text without an end: the cut cannot be seen
        "${cmd[@]}" <"$f" >whole
        rows whole >whole.rows
        size=$(stat -c %s "$f")
        for n in 20 $((size / 7)) $((size / 2)) $((size - 400)) $((size - 1)); do
            case $f:$n in *.tsv:$((size - 1))) continue ;; esac # the last line feed alone
            cut_short "$f" "$n" "${cmd[@]}"
        done
    done
}
@test "input that is cut anywhere, or whose producer was killed: status 1, one sentence, whole rows that are a beginning" {
    # shellcheck disable=SC2086 # words
    each ends_early $stages
}

killed_producer() {
    stage "$1"
    "${cmd[@]}" <"${forms[1]}" >whole
    rows whole >whole.rows
    run -1 --separate-stderr bash -c '{ head -c 3000 "$0"; kill -KILL $BASHPID; } | "$@" >part' "${forms[1]}" "${cmd[@]}"
    told 'cut'
    rows part >part.rows
    cmp -n "$(stat -c %s part.rows)" part.rows whole.rows
}
@test "a producer that is killed in mid-stream" {
    # shellcheck disable=SC2086 # words
    each killed_producer $stages
}

# ---- output ----

bad_output() {
    stage "$1"
    run -1 --separate-stderr bash -c '"$@" >/dev/full' - "${cmd[@]}" "${forms[0]}"
    refused 1 'No space left' || fail "a full disk"
    run -1 --separate-stderr "${cmd[@]}" -o /dev/full "${forms[0]}"
    refused 1 '/dev/full' 'No space left' || fail "-o /dev/full"
    run -1 --separate-stderr bash -c '"$@" >&-' - "${cmd[@]}" "${forms[0]}"
    told 'standard output' || fail "closed standard output"
    run -1 --separate-stderr bash -c 'ulimit -f 1; "$@" -o limited' - "${cmd[@]}" "${forms[0]}"
    refused 1 'limited' 'File too large' || fail "a limit on the size of files"
    whole_rows limited
    run --separate-stderr bash -c 'exec 3>&1; { sleep 0.1; "$@"; echo "status $?" >&3; } | :' - "${cmd[@]}" "${forms[0]}"
    [ "$output" = 'status 141' ] && [ -z "$stderr" ] || fail "a reader that left: $output $stderr"
    run --separate-stderr bash -c 'trap "" PIPE; exec 3>&1; { sleep 0.1; "$@"; echo "status $?" >&3; } | :' - "${cmd[@]}" "${forms[0]}"
    [ "$output" = 'status 141' ] && [ -z "$stderr" ] || fail "a reader that left, SIGPIPE ignored: $output $stderr"
}
@test "a full disk, a closed standard output, a limit on files, a reader that left" {
    # shellcheck disable=SC2086 # words
    each bad_output $stages
}

# ---- rows ----

# changed COLUMN VALUE FILE: with another value in the third row; swap: from and to; short: without the first letter
changed() {
    awk -F '\t' -v OFS='\t' -v c="$1" -v v="$2" '/^##/ { print; next }
        !n++ { sub(/^#/, "", $1); for (i = 1; i <= NF; i++) at[$i] = i; $1 = "#" $1 }
        n == 4 && v == "swap" { x = $at["from"]; $at["from"] = $at["to"]; $at["to"] = x }
        n == 4 && v == "short" { $at[c] = substr($at[c], 2) }
        n == 4 && v != "swap" && v != "short" { $at[c] = v } { print }' "$3"
}
# A program that counts from the places says what is wrong with them; msvfilt, fwdscore and respack hand them on as they
# are.
bad_places() { # bad_places STAGE: a stage of $stages
    local c v pattern
    stage "$1"
    while read -r c v pattern; do
        changed "$c" "$v" "${forms[0]}" >bad.tsv
        run -1 --separate-stderr "${cmd[@]}" bad.tsv
        told 'line [0-9]+' 'window of record "mos' "$pattern" || fail "$c $v"
        [ "${cmd[0]}" != domscore ] || [ -z "$(rows - <<<"$output")" ] || fail "$c $v: output"
        respack --dna -q bad.tsv | run -1 --separate-stderr "${cmd[@]}"
        told 'window of record "mos' || fail "$c $v packed"
    done <<END
from 0 whole numbers from 1
to 0 whole numbers from 1
from -5 whole numbers from 1
from 1.5 whole numbers from 1
from x whole numbers from 1
to 99999999999999999999 whole numbers from 1
strand * neither .* nor -
strand ++ neither .* nor -
strand swap as far apart
seq short as far apart
to 3 as far apart
END
}
@test "rows whose place is none, or disagrees with the strand or with the residues" {
    each bad_places vitfilt_two.hmm:msv domscore_two.hmm:fwd
    local t
    for t in ssv:msvfilt:vitfilt vit:fwdscore:domscore; do
        changed strand '*' "genome.${t%%:*}.tsv" >bad.tsv
        t=${t#*:}
        "${t%:*}" -a two.hmm bad.tsv >on.tsv
        run -1 --separate-stderr "${t#*:}" two.hmm on.tsv
        told 'window of record "mos' 'neither .* nor -'
    done
}

bad_rows() {
    stage "$1"
    changed seq ACGTEACGT "${forms[0]}" >bad.tsv
    run -1 --separate-stderr "${cmd[@]}" bad.tsv
    told 'bad.tsv' 'line [0-9]+' "'E' is not a letter of the DNA alphabet"
    [ "${cmd[0]}" != respack ] || return 0
    changed query other "${forms[0]}" >bad.tsv
    run -1 --separate-stderr "${cmd[@]}" bad.tsv
    told 'bad.tsv' 'line [0-9]+' '"other"'
    local f
    for f in "${forms[@]}"; do # models of another alphabet, with the name of one that the rows have
        run -1 --separate-stderr "${cmd[0]}" protein.hmm "$f"
        told 'MADE1|5S_rRNA|DNA' || fail "$f"
        run -1 --separate-stderr "${cmd[0]}" protein.hmm <(grep -v '^##warpsieve' "${forms[0]}")
        [ -n "$stderr" ]
    done
}
@test "rows with letters that are no nucleotides, of models that are not there, or of proteins" {
    each bad_rows msvfilt_two.hmm:ssv vitfilt_two.hmm:msv fwdscore_two.hmm:vit domscore_two.hmm:fwd respack_--dna_-Otsv:fwd
}

# ---- pauses, readers that stop, signals ----

answered() { # answered TOOL:STAGE
    case ${1%:*} in
    *-long) live trickle one.fa -- "${1%-long:*}" --long two.hmm - ;;
    respack) live trickle "one.${1#*:}" -- respack --dna -O tsv - ;;
    vitfilt) live trickle "one.${1#*:}" -- vitfilt two.hmm - ;;
    *) live trickle "one.${1#*:}" -- "${1%:*}" -a two.hmm - ;;
    esac
}
@test "one byte at a time, with pauses: each window within a second, and the same bytes" {
    local names s
    ssvfilt --long two.hmm genome.fa >all.ssv && msvfilt two.hmm all.ssv >all.msv && vitfilt two.hmm all.msv >all.vit
    # records that give one row at every stage, so that each row is the answer to one
    names=$(for s in ssv msv vit; do rows all.$s | cut -f1 | uniq -u | sort; done | uniq_three | head -12)
    [ "$(wc -w <<<"$names")" -eq 12 ]
    awk 'FNR == NR { good[">" $1] = 1; next } /^>/ { on = $1 in good } on' - genome.fa <<<"$names" >one.fa
    ssvfilt --long two.hmm one.fa >one.ssv && msvfilt two.hmm one.ssv >one.msv && vitfilt two.hmm one.msv >one.vit
    each_at_once answered ssvfilt-long:fa msvfilt-long:fa msvfilt:ssv vitfilt:msv fwdscore:vit respack:ssv
}
uniq_three() { sort | uniq -c | awk '$1 == 3 { print $2 }'; }

stopped() { # a reader that stops, and the signals that end a run
    local seconds=2 s
    ! full || seconds=60
    stage "$1"
    sanitized || live stopped $seconds "${forms[0]}" -- "${cmd[@]}" -t 1 -K 20000 -
    for s in SIGINT SIGTERM; do live signal $s "${forms[0]}" -- "${cmd[@]}" -; done
}
@test "a reader that stops costs no memory; signals end a run within a second" {
    # shellcheck disable=SC2046 # words
    each_at_once stopped $(tr ' ' '\n' <<<"$stages" | grep -E '^(...filt|fwd|resp)')
}

# ---- faults of the system ----

faults() {
    local f step=31
    stage "$1" few
    ! full || step=1
    [ "${cmd[0]}" != hmmsieve ] || return 0 # it is nhmmsieve then, see tests/nhmmsieve.bats
    for f in "${forms[@]}"; do
        drive memory 1 5000 $step tsv stdout -- "${cmd[@]}" -t 2 -K 2000 "$f"
        WS_FAULT_PIECE=3000 drive read 1 200 3 tsv stdout -- "${cmd[@]}" -t 2 -K 2000 "$f"
    done
    drive memory-on 1 5000 $((3 * step)) tsv stdout -- "${cmd[@]}" -t 3 -K 1000 "$f"
    drive write 1 100 2 tsv pipe -- "${cmd[@]}" -t 2 "$f"
    drive room 0 20000 1711 tsv stdout -- "${cmd[@]}" -t 2 "$f"
    drive close 1 8 1 tsv stdout -- "${cmd[@]}" "$f"
    drive open 1 50 2 tsv stdout -- "${cmd[@]}" -t 1 "$f"
    case ${cmd[0]} in *filt | fwdscore | respack)
        drive memory 1 5000 $step packed stdout -- "${cmd[@]}" -O packed -t 2 -K 2000 "$f"
        drive room 0 20000 2911 packed stdout -- "${cmd[@]}" -O packed -t 2 "$f" ;;
    esac
}
@test "no memory, reads, writes and closing that fail, a disk that fills up: whole rows, one sentence" {
    shimmed
    # shellcheck disable=SC2086 # words
    each faults $stages
}
harmless() {
    local k
    stage "$1" few
    drive thread 1 4 1 tsv stdout -- "${cmd[@]}" -t 4 -K 2000 "${forms[0]}"
    for k in short eintr eagain; do drive $k - 0 0 tsv stdout -- "${cmd[@]}" -t 2 -K 2000 "${forms[1]}"; done
}
@test "short, interrupted and refused calls, no threads: the same bytes" {
    shimmed
    # shellcheck disable=SC2086 # words
    each harmless $stages
    no_harm
}

@test "a record of 2^31 + 1 residues through the stages" {
    full || skip "this takes half a minute and is for check-full"
    ! sanitized || skip 'a sanitizer takes more memory'
    zcat "$data/golden/long-targets/inputs/dna_target.fa.gz" | grep -v '>' | tr -d '\n' | cut -c 302301-302700 >hits
    { printf '>far\n' && head -c 2147483249 /dev/zero | tr '\0' N | fold -w 1000000 && cat hits; } |
        (ulimit -v 1000000 && ssvfilt --long -t 2 -O packed made.hmm) | msvfilt made.hmm | vitfilt -O packed made.hmm |
        fwdscore made.hmm | domscore --no-provenance -f name,tlen,strand,ali_from,ali_to,bits made.hmm >got
    printf '#name\ttlen\tstrand\tali_from\tali_to\tbits\nfar\t2147483649\t+\t2147483339\t2147483415\t38.8\n' >want
    printf 'far\t2147483649\t-\t2147483415\t2147483339\t29.2\n' >>want
    same want got
}
