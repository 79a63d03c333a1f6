#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The folder that hmmsieve --hmmer-path=DIR makes: one executable under HMMER's names, which runs where nothing else is, such as
# in any container's image that the folder is mounted into. Its outputs are compared with those that HMMER 3.4 left.

bats_require_minimum_version 1.5.0
load helper

names='hmmalign hmmbuild hmmfetch hmmpress hmmscan hmmsearch jackhmmer nhmmer nhmmscan papara phmmer'

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    hmmsieve --hmmer-path=names >made 2>refused || true
}
setup() {
    in_data
    [ -s made ] || { grep -q 'there is no .*/names to copy' refused && skip "this build has no static executable: $(cat refused)"; }
    [ -s made ] || fail "$(cat refused)"
}

# Puts programs into ./bin that run those of the folder in an empty root, by an absolute path there.
wrap() { # wrap PATH PROC
    unshare -r chroot . "/names/hmmsearch" -h >/dev/null 2>&1 || skip "neither unshare nor chroot may be used here"
    [ "$2" != mounted ] || unshare -rmpf mount -t proc proc /proc 2>/dev/null || skip "no /proc may be mounted here"
    rm -rf bin
    mkdir bin
    for p in $names; do
        printf '#!/bin/sh\nexec sh "%s" "%s" %s %s %s "$@"\n' "$top/tests/in-root.sh" "$PWD/names" "$1" "$2" "$p" >"bin/$p"
        chmod +x "bin/$p"
    done
}

@test "the folder has one file under eleven names, no script, no link, and asks for no library" {
    same <(tr ' ' '\n' <<<"$names") <(ls -A names)
    same <(echo "$PWD/names") made
    [ "$(find names -type f -perm 755 -links 11 | wc -l)" -eq 11 ]
    [ "$(stat -c %i names/* | sort -u | wc -l)" -eq 1 ]
    [ "$(head -c 4 names/hmmsearch | tail -c 3)" = ELF ]
    if command -v ldd >/dev/null; then ldd names/hmmsearch 2>&1 | grep -q 'not a dynamic executable\|statically linked'; fi
    for p in $names; do names/$p -h | head -1 | grep -q "^# $p :: " || fail "no $p"; done
}

@test "InterProScan 6's eight commands in an empty root, by their absolute path: what HMMER 3.4 left" {
    local n=0 proc
    for proc in none empty; do
        wrap /opt/hmmer3/bin $proc
        PATH=$PWD/bin:$PATH sh "$top/tests/pipelines.sh" "got-$proc" $(cut -f1 "$data/pipelines/commands.tsv" | grep '^ips-')
        for f in got-$proc/*; do
            same <(zcat "$data/pipelines/${f##*/}.gz") "$f" || fail "$f"
            n=$((n + 1))
        done
    done
    echo "# ran $n commands" >&3
    [ "$n" -ge 22 ]
}
@test "the same with a /proc" {
    wrap /opt/hmmer3/bin mounted
    PATH=$PWD/bin:$PATH sh "$top/tests/pipelines.sh" got ips-sfld ips-superfamily
    for f in got/*; do same <(zcat "$data/pipelines/${f##*/}.gz") "$f" || fail "$f"; done
}

# AlphaFold 3's calls, whose temporary folder is below the root.
as_alphafold() { # as_alphafold proteins|rna DATABASE
    wrap /hmmer/bin none
    rm -rf root && mkdir -p root/scratch && cp "$2" root/
    (cd root && TMPDIR=$PWD/scratch python3 "$top/tests/alphafold3.py" "$OLDPWD/bin" "$1" "$2" got)
    for f in root/got/*; do same <(zcat "$data/pipelines/alphafold3/${f##*/}.gz") "$f" || fail "$f"; done
}
@test "AlphaFold 3's jackhmmer, hmmbuild, hmmsearch and hmmalign in an empty root" {
    zcat "$data/demo.fa.gz" >demo.fa
    as_alphafold proteins demo.fa
}
@test "AlphaFold 3's nhmmer, hmmbuild and hmmalign in an empty root" {
    zcat "$data/golden/long-targets/inputs/short.fa.gz" >dna.fa
    as_alphafold rna dna.fa
}

@test "every other recorded command over the folder" {
    PATH=$PWD/names:$PATH sh "$top/tests/pipelines.sh" all
    for f in "$data"/pipelines/*.gz; do same <(zcat "$f") "all/$(basename "$f" .gz)" || fail "$f"; done
}

@test "a second call replaces the programs of the first, and no other file" {
    hmmsieve --hmmer-path=twice
    echo old >old
    first=$(stat -c %i twice/hmmsearch)
    hmmsieve --hmmer-path=twice/ >said
    same <(echo "$PWD/twice") said
    [ "$(stat -c %i twice/hmmsearch)" != "$first" ]
    same <(tr ' ' '\n' <<<"$names") <(ls -A twice)

    mkdir -p other empty
    cp old other/hmmsearch
    run --separate-stderr hmmsieve --hmmer-path=other
    refused 1 'other holds hmmsearch' 'empty'
    same old other/hmmsearch
    cp twice/hmmscan other/hmmsearch
    cp old other/hmmemit
    run --separate-stderr hmmsieve --hmmer-path=other
    refused 1 'other holds hmmemit'
    ln -sf ../twice/hmmscan other/hmmscan
    rm other/hmmemit
    run --separate-stderr hmmsieve --hmmer-path=other
    refused 1 'other holds hmmscan'
    same <(printf 'hmmscan\nhmmsearch\n') <(ls -A other)

    hmmsieve --hmmer-path=empty
    same <(ls -A twice) <(ls -A empty)
    run --separate-stderr hmmsieve --hmmer-path=old
    refused 1 'old is there' 'no folder'
    run --separate-stderr hmmsieve --hmmer-path=no/where
    refused 1 'cannot make the folder no/where' 'No such file'
    run --separate-stderr hmmsieve --hmmer-path=
    refused 2 'expected DIR'
    run --separate-stderr hmmsieve --hmmer-path where
    refused 2 'where behind it' '--hmmer-path=DIR'
    [ ! -e where ]
    [ -z "$(find . -name '.warpsieve.*')" ]
}

@test "a full disk leaves no folder, and the programs of one that is there" {
    unshare -rm mount -t tmpfs tmpfs /mnt 2>/dev/null || skip "no file system may be mounted here"
    size=$(stat -c %s names/hmmsearch)
    # shellcheck disable=SC2016 # for the inner shell
    unshare -rm sh -c 'mount -t tmpfs -o size=$((3 * $1 / 2)) tmpfs /mnt && hmmsieve --hmmer-path=/mnt/a &&
        { hmmsieve --hmmer-path=/mnt/b || hmmsieve --hmmer-path=/mnt/a || ls -A /mnt /mnt/a && /mnt/a/hmmscan -h; }' sh "$size" \
        >said 2>errors
    same <(printf '/mnt/a\n/mnt:\na\n\n/mnt/a:\n%s\n' "$(tr ' ' '\n' <<<"$names")") <(head -16 said)
    grep -q '^# hmmscan ::' said
    [ "$(grep -c 'No space left on device' errors)" -eq 2 ] || fail "$(cat errors)"
}

@test "under another name it says which names there are" {
    cp names/hmmsearch tool
    run --separate-stderr ./tool --help
    refused 2 'names' 'hmmsearch' 'hmmscan'
}
