#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# zstd, which a build with libzstd undoes like gzip, and BGZF with several threads. Input that is compressed with something
# that is not undone here: the message has the command that undoes it.

bats_require_minimum_version 1.5.0
load helper

setup_file() { make_data; }
setup() { in_data; }

has_zstd() { msvfilt --version | grep -q '^compression: .*libzstd'; }
need_zstd() {
    has_zstd || skip "built without libzstd"
    wants zstd
    zstd -q -f --check small.fa -o small.fa.zst
}

zstd_is_undone() {
    local m f t
    m=$(model_of "$1")
    "$1" --no-provenance -O tsv $m small.fa >want
    [ -z "$m" ] || { zstd -q -f "$m" -o m.zst && m=m.zst; }
    for f in small.fa.zst frames.zst; do
        for t in 1 3; do "$1" --no-provenance -O tsv -t $t $m $f | same want -; done
        "$1" --no-provenance -O tsv $m <$f | same want -
        cat $f | "$1" --no-provenance -O tsv $m - | same want -
    done
}
@test "zstd: plain, several frames, skippable frames; a file, standard input, a pipe; models too" {
    need_zstd
    head -c 20000 small.fa | zstd -q -19 >frames.zst
    { printf '\x50\x2a\x4d\x18\x03\x00\x00\x00abc'; tail -c +20001 small.fa | zstd -q --no-check; } >>frames.zst
    each zstd_is_undone $(sequence_tools)
}

zstd_is_refused() {
    local m n
    m=$(model_of "$1")
    n=$(stat -c %s small.fa.zst)
    head -c $((n - 10)) small.fa.zst >cut
    run -1 --separate-stderr "$1" -a -O tsv $m cut
    [ "$stderr" = "$1: cut: the zstd data end inside a frame after $((n - 10)) bytes, so they were cut" ] || fail "$stderr"
    { cat small.fa.zst; echo garbage; } >more
    run -1 --separate-stderr "$1" -a -O tsv $m more
    local says="$1: more: byte $n of the zstd data is neither the start of a frame nor zero padding: \"garbage"
    [[ $stderr = "$says"* ]] || fail "$stderr"
}
@test "zstd: cut, and with garbage after the end, a sentence with file and byte" {
    need_zstd
    each zstd_is_refused $(sequence_tools)
}

@test "BGZF: the same bytes with any number of threads; a damaged block and what is before it" {
    local t first said
    for _ in {1..40}; do cat small.fa; done >long.fa
    python3 - <<'EOF'
import struct, zlib
def block(part):
    z = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = z.compress(part) + z.flush()
    return (b"\x1f\x8b\x08\x04" + bytes(6) + b"\x06\x00BC\x02\x00" + struct.pack("<H", len(body) + 25) + body +
            struct.pack("<II", zlib.crc32(part), len(part)))
text = open("long.fa", "rb").read()
blocks = [block(text[i:i + 30000]) for i in range(0, len(text), 30000)] + [block(b"")]
open("long.gz", "wb").write(b"".join(blocks))
bad = bytearray(b"".join(blocks))
bad[sum(map(len, blocks[:len(blocks) // 2])) + 100] ^= 4
open("bad.gz", "wb").write(bad)
EOF
    ssvfilt --no-provenance -a m.hmm long.fa >want
    for t in 1 2 3 8; do ssvfilt --no-provenance -a -t $t m.hmm long.gz | same want -; done
    run -1 --separate-stderr ssvfilt --no-provenance -a -t 1 m.hmm bad.gz
    first=$output said=$stderr
    [[ $said =~ ^ssvfilt:\ bad.gz:\ the\ gzip\ data\ are\ damaged\ at\ byte\ [0-9]+:\  ]] || fail "$said"
    [ "$(wc -l <<<"$first")" -gt 100 ] && same <(head -n "$(wc -l <<<"$first")" want) - <<<"$first"
    for t in 2 3 8; do
        run -1 --separate-stderr ssvfilt --no-provenance -a -t $t m.hmm bad.gz
        [ "$output" = "$first" ] && [ "$stderr" = "$said" ] || fail "-t $t: $stderr"
    done
}

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
        hmmpick) compressed "$1" f key ;;
        hmmindex)
            run --separate-stderr "$1" f
            refused 1 "$name is not supported"
            [ "$stderr" = "$1: f: $name is not supported; run: $undo f > FILE, and index that" ] || fail "$stderr"
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
@test "xz, bzip2 and others, zstd without libzstd, are named, with what undoes them" {
    cat >marks <<'EOF'
\x1f\x9d compress gzip -dc
\xfd7zXZ\0 xz xz -dc
BZh91AY&SY bzip2 bzip2 -dc
\x04\x22\x4d\x18 lz4 lz4 -dc
LZIP\x01 lzip lzip -dc
PK\x03\x04 zip unzip -p
EOF
    has_zstd || printf '%s\n' '\x28\xb5\x2f\xfd zstd zstd -dc' '\x5f\x2a\x4d\x18 zstd zstd -dc' >>marks
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

other_files() {
    local m
    m=$(model_of "$1")
    while IFS='|' read -r bytes text; do
        printf "$bytes%020d\n" 7 >other.fa.gz
        run -1 --separate-stderr "$1" $m other.fa.gz
        told "^$1: other.fa.gz: $text" || fail "$text: $stderr"
    done <<'END'
\x89PNG\r\n\x1a\n|found a PNG image, expected data
\x89HDF\r\n\x1a\n|found an HDF5 file, expected data
%%PDF-1.4|found a PDF document, expected data
<!DOCTYPE html>|found an HTML page, which a failed download may leave, expected data
<html>|found an HTML page
<?xml version|found an XML document
\x7fELF\2|found an executable
L\0\0\0\1\x14\2\0\0|found a Windows shortcut, which only names a file
version https://git-lfs|found a pointer of Git LFS
\xff\xfe>\0a\0|text in UTF-16 is not supported; run: iconv -f UTF-16 -t UTF-8 other.fa.gz
\xfe\xff\0>\0a|text in UTF-16 is not supported
7z\xbc\xaf\x27\x1c|7z is not supported; run: 7z x -so other.fa.gz
END
}
@test "what is no data is named: a page, an image, a document, a shortcut, UTF-16" {
    each other_files $(sequence_tools) hmmsieve
    local t
    for t in hmmindex hmmcast; do # models, alignments
        printf '<html>\n' >page
        run -1 --separate-stderr $t page
        told 'page: found an HTML page' || fail "$t: $stderr"
    done
    run -1 --separate-stderr hmmsieve page small.fa
    told 'page: found an HTML page'
    run -1 --separate-stderr respack <page
    told 'found an HTML page'
}
