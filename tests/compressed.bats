#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Input that is compressed with something that is not undone here: the message has the command that undoes it.

bats_require_minimum_version 1.5.0
load helper

setup_file() { make_data; }
setup() { in_data; }

compressed() { # compressed TOOL OPERAND...: one of the operands is f
    run --separate-stderr "$@"
    refused 1 "$name is not supported"
    local tool=$1 words='' w
    shift
    [ "$1" != --classes ] || shift 2
    for w; do if [ "$w" = f ]; then words+=' -'; else words+=" $w"; fi; done
    [ "$stderr" = "$tool: f: $name is not supported; run: $undo f | $tool$words" ] || fail "$stderr"
}
other_compressions() { # marks by hand: not every machine has the programs
    local bytes name undo
    while read -r bytes name undo; do
        # shellcheck disable=SC2059 # the escapes are the point
        printf "$bytes"'more\n' >f
        case $1 in
        papara-score)
            compressed "$1" f tree.nwk small.fa
            compressed "$1" "$data/papara/tiny5/ref.phy" f small.fa
            compressed "$1" "$data/papara/tiny5/ref.phy" "$data/papara/tiny5/ref.nwk" f
            ;;
        mrfseg) compressed "$1" --classes 2 f ;;
        hmmsieve)
            run --separate-stderr "$1" --max m.hmm f
            [ "$status" -eq 1 ] && [ -z "$output" ] || fail "status $status, output: $output"
            [ "$stderr" = "hmmsieve: f: $name is not supported; run: $undo f | hmmsieve m.hmm -" ] ||
                fail "$stderr"
            ;;
        jacksieve)
            run --separate-stderr "$1" f small.fa
            [ "$stderr" = "$1: f: $name is not supported; run: $undo f | $1 - small.fa" ] || fail "$stderr"
            compressed "$1" small.fa f
            ;;
        seqsieve)
            run --separate-stderr "$1" f small.fa
            [ "$stderr" = "$1: f: $name is not supported; run: $undo f | $1 - small.fa" ] || fail "$stderr"
            compressed "$1" small.fa f
            ;;
        nhmmsieve)
            compressed "$1" "$data/golden/dna-models/MADE1.hmm.gz" f
            compressed "$1" f small.fa
            ;;
        *)
            compressed "$1" $(model_of "$1") f
            [ -z "$(model_of "$1")" ] || compressed "$1" f small.fa
            ;;
        esac
    done <marks
}
@test "xz, zstd, bzip2 and others are named, with what undoes them" {
    cat >marks <<'EOF'
\x1f\x9d compress gzip -dc
\xfd7zXZ\0 xz xz -dc
\x28\xb5\x2f\xfd zstd zstd -dc
BZh91AY&SY bzip2 bzip2 -dc
\x04\x22\x4d\x18 lz4 lz4 -dc
LZIP\x01 lzip lzip -dc
PK\x03\x04 zip unzip -p
EOF
    each other_compressions $(all_tools)
    printf 'PK\x03\x04' >f
    run --separate-stderr pairhmm <f
    refused 1 '^pairhmm: standard input: zip is not supported; put funzip in front of pairhmm$'
    printf '\xfd7zXZ\0' >f
    run --separate-stderr msvfilt -m f small.fa
    refused 1 'run: xz -dc f \| msvfilt \.\.\., with - in its place'
    run --separate-stderr msvfilt -P 0.1 m.hmm ./f
    refused 1 'run: xz -dc ./f \| msvfilt m.hmm -$'
}
