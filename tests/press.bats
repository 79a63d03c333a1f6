#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# hmmindex and hmmpick, also as hmmpress and hmmfetch: HMMER's files byte for byte, what is refused, and that no file is
# lost or half there, however a run ends.

bats_require_minimum_version 1.5.0
load helper

golden=$data/golden/press
shared=$top/../shared/golden/press

setup_file() {
    make_data
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    for m in fn3 m globins4; do sed '1s/.*/HMMER3\/f [3.4 | Aug 2023]/' $m.hmm >$m.as.hmmer; done # the first line names the writer
}
setup() {
    in_data
    rm -rf work && mkdir work
    cp three.hmm fn3.hmm made.hmm work/
    cd work || return 1
    names=$(hmmsieve --hmmer-path)
}
hmmpress() { "$names/hmmpress" "$@"; }
hmmfetch() { "$names/hmmfetch" "$@"; }
endings='h3m h3i h3f h3p'

# ---- HMMER's files ----

sets() { # the models that tests/data/golden/press is about, by the names that its indexes have
    local f
    mkdir sets && cd sets || return 1
    cp "$data/globins4.hmm" one
    cat "$data/globins4.hmm" "$data/demo.hmm" "$data/fn3.hmm" >three
    zcat "$data/golden/models/globins4_mm.hmm.gz" >masked
    zcat "$data/golden/models/tiny.hmm.gz" >tiny
    zcat "$data"/golden/dna-models/{MADE1,3box}.hmm.gz >dna2
    for f in "$data"/golden/formats/globins4*.hmm.gz; do zcat "$f" >"$(basename "$f" .gz)"; done
    cp "$data"/golden/formats/20aa-{3,bin3}?.h* .
}

@test "text of versions a to f, binary, proteins, DNA, masked, without COMPO or STATS: the bytes of HMMER 3.4" {
    local m k
    sets
    for m in *; do
        hmmpress "$m" >said
        hmmfetch --index "$m" >>said
    done
    for m in one dna2; do
        for k in $endings ssi; do cmp $m.$k <(zcat "$golden/$m.$k.gz") || fail "$m.$k"; done
    done
    sha256sum --quiet -c "$golden/SHA256SUMS"
    [ "$(wc -l <"$golden/SHA256SUMS")" -eq 95 ]
}

@test "all golden data of ../shared" {
    local m k
    [ -d "$shared" ] || skip "its data are not there"
    echo "# ../shared/golden/press: all files" >&3
    for m in one three masked dna3 padloc8; do
        xz -dc "$shared/$m.hmm.xz" | tee $m.hmm >$m.i.hmm
        hmmpress -f $m.hmm >$m.out
        hmmfetch --index $m.i.hmm >$m.i.out
        for k in $m.hmm.h3m $m.hmm.h3i $m.hmm.h3f $m.hmm.h3p $m.i.hmm.ssi $m.out $m.i.out; do
            cmp $k <(xz -dc "$shared/$k.xz") || fail "$k"
        done
    done
}

@test "the same bytes by the own name, for any threads and batch size, from gzip" {
    local o k
    mkdir want && cp three.hmm want/ && hmmpress want/three.hmm >said
    for o in '-t 1' '-t 3 -K 1' '-t 2 -K 30000'; do
        # shellcheck disable=SC2086 # words
        hmmindex -f $o three.hmm >got
        for k in h3m h3f h3p; do cmp three.hmm.$k want/three.hmm.$k || fail "$o: $k"; done
    done
    same <(sed 's/^Working... *done.$//; s|want/||' said | grep .) got
    gzip three.hmm
    hmmindex -f three.hmm.gz
    for k in h3m h3f h3p; do cmp three.hmm.$k want/three.hmm.$k || fail "gzip: $k"; done
    for k in $endings; do [ ! -e three.hmm.gz.$k ]; done
}

@test "HMMER's programs read these files, and find in them what they find in HMMER's own" {
    local hmmer
    unset -f hmmpress hmmfetch
    command -v hmmpress >/dev/null || skip "HMMER is not installed"
    hmmindex three.hmm
    hmmscan --tblout got.tbl -o /dev/null three.hmm ../small.fa
    hmmstat three.hmm >got.stat
    hmmfetch three.hmm PF00041.13 >got.hmm
    grep -q Pkinase got.tbl && grep -q globins4 got.stat && grep -q '^NAME  fn3' got.hmm
    mkdir own && cp three.hmm own/ && hmmpress own/three.hmm >said
    hmmscan --tblout want.tbl -o /dev/null own/three.hmm ../small.fa
    same <(grep -v '^#' want.tbl) <(grep -v '^#' got.tbl)
    rm three.hmm # HMMER does without
    hmmstat three.hmm | same got.stat -
    same <(sed 1d fn3.hmm) <(hmmfetch three.hmm fn3 | sed 1d)
}

@test "programs here read a file of models beside which an index is, whatever the index is" {
    local k
    hmmsieve -Z 40 --tblout want -o /dev/null three.hmm ../small.fa
    hmmindex three.hmm
    hmmsieve -Z 40 --tblout got -o /dev/null three.hmm ../small.fa
    same <(grep -v '^#' want) <(grep -v '^#' got)
    for k in $endings ssi; do : >three.hmm.$k; done
    hmmsieve -Z 40 --tblout got -o /dev/null three.hmm ../small.fa
    same <(grep -v '^#' want) <(grep -v '^#' got)
}

# ---- what is refused leaves all as it was ----

sums() { find . -type f ! -name kept ! -name said -exec sha256sum {} + | sort; }
keep() { sums >kept; }
left() { sums | same kept -; }

no_index() { # no_index PATTERN COMMAND...
    local want=$1
    shift
    run -1 --separate-stderr "$@"
    [[ "$output$stderr" =~ $want ]] || fail "$*: $output $stderr"
    left || fail "$*"
}

@test "hmmpress refuses what is there, names that occur twice, bad models and what is no file; nothing is left behind" {
    local k
    cat fn3.hmm fn3.hmm >twice.hmm
    sed 's/^NAME.*/NAME  other/' fn3.hmm | cat fn3.hmm - >accs.hmm
    cat three.hmm made.hmm >mixed.hmm
    head -c 60000 three.hmm >cut.hmm
    : >empty.hmm
    echo hello >no.hmm
    gzip -k three.hmm
    mkdir folder
    hmmpress fn3.hmm >said
    cp fn3.hmm one.hmm
    keep
    no_index 'SSI index file fn3.hmm.h3i already exists' hmmpress fn3.hmm
    no_index "twice.hmm: primary keys not unique: 'fn3' occurs more than once" hmmpress -f twice.hmm
    no_index "accs.hmm: secondary keys not unique: 'PF00041.13' occurs more than once" hmmpress accs.hmm
    no_index 'mixed.hmm: model 4, MADE1, has the alphabet DNA' hmmpress mixed.hmm
    no_index 'cut.hmm, line [0-9]+: ' hmmpress cut.hmm
    no_index 'cut.hmm, line [0-9]+: ' hmmfetch --index cut.hmm
    no_index 'empty.hmm: no model; the file is empty' hmmpress empty.hmm
    no_index 'no.hmm, line 1: found "hello"' hmmpress no.hmm
    no_index 'none.hmm: No such file' hmmpress none.hmm
    no_index 'folder is no regular file' hmmpress folder
    no_index 'three.hmm.gz must be a normal file' hmmpress three.hmm.gz
    no_index 'three.hmm.gz is compressed' hmmfetch --index three.hmm.gz
    no_index 'standard input is none' hmmpress -
    no_index 'three.hmm.gz would be taken for those of three.hmm' hmmindex three.hmm.gz
    for k in $endings; do
        echo "of another" >one.hmm.$k
        keep
        no_index "one.hmm.$k already exists" hmmpress one.hmm
        rm one.hmm.$k
    done
    mkdir one.hmm.h3p
    keep
    no_index 'one.hmm.h3p.*: Is a directory' hmmpress -f one.hmm
}

@test "hmmpress -f and -- : an index is replaced, also behind a link, and its modes stay; a name may begin with a dash" {
    cp three.hmm other && hmmpress other >said
    hmmpress made.hmm >said
    ln -s made.hmm.h3m three.hmm.h3m
    hmmpress -f three.hmm >said
    cmp other.h3m made.hmm.h3m
    [ -L three.hmm.h3m ]
    cp fn3.hmm ./-x.hmm
    hmmpress -- -x.hmm >said
    [ -s ./-x.hmm.h3p ]
    hmmfetch -- -x.hmm fn3 | same ../fn3.as.hmmer -
    chmod 640 ./-x.hmm.h3m && hmmpress -f -- -x.hmm >said
    [ "$(stat -c %a ./-x.hmm.h3m)" = 640 ] || fail "the mode of the file was lost"
}

@test "no link makes an index, or the models picked, lose what is read" {
    local k
    cp three.hmm want
    for k in $endings; do
        ln -s three.hmm three.hmm.$k
        run -2 hmmindex -f three.hmm
        [[ $output =~ '-f: three.hmm is also read, and would be lost' ]] || fail "$k: $output"
        same want three.hmm
        rm three.hmm.$k
    done
    touch one && ln -s one three.hmm.h3m && ln -s one three.hmm.h3i
    run -2 hmmindex -f three.hmm
    [[ $output =~ 'three.hmm.h3i is where -f goes' ]] || fail "$output"
    rm three.hmm.h3? && hmmindex three.hmm >said
    cp three.hmm.h3m pressed
    run -2 hmmpick -o three.hmm.h3m three.hmm fn3 # the index has its places
    [[ $output =~ 'three.hmm.h3m is also read, and would be lost' ]] || fail "$output"
    rm three.hmm
    run -2 hmmpick -o three.hmm.h3m three.hmm fn3 # all that is left of the models
    [[ $output =~ 'three.hmm.h3m is also read, and would be lost' ]] || fail "$output"
    same pressed three.hmm.h3m
}

@test "a disk that is full leaves the old index, and no other file" {
    hmmpress three.hmm >said
    keep
    run -1 --separate-stderr bash -c 'ulimit -f 8; "$@"' - "$names/hmmpress" -f three.hmm
    [[ $stderr =~ 'File too large' ]] || fail "$stderr"
    left
}

@test "kill -9 at any moment leaves the old index or the new one" {
    python3 - "$names/hmmpress" <<'EOF'
import glob, os, random, signal, subprocess, sys, time
three, fn3 = (open(f).read() for f in ("three.hmm", "fn3.hmm"))
models = {"old": three, "new": three.replace("2.", "2.1", 1) + fn3.replace("NAME  fn3", "NAME  more").replace("PF00041", "PF90041")}
want, seconds = {}, 0.0
for state, text in models.items():
    open("m.hmm", "w").write(text)
    begun = time.monotonic()
    subprocess.run([sys.argv[1], "-f", "m.hmm"], check=True, stdout=subprocess.DEVNULL)
    seconds = max(seconds, time.monotonic() - begun)
    want[state] = {k: open("m.hmm." + k, "rb").read() for k in ("h3m", "h3i", "h3f", "h3p")}
assert want["old"] != want["new"]
seen = set()
for n in range(50):
    old, new = ("old", "new") if n % 2 else ("new", "old")
    for k, b in want[old].items():
        open("m.hmm." + k, "wb").write(b)
    open("m.hmm", "w").write(models[new])
    p = subprocess.Popen([sys.argv[1], "-f", "m.hmm"], stdout=subprocess.DEVNULL)
    time.sleep(random.random() * seconds * 1.3)
    p.send_signal(signal.SIGKILL)
    p.wait()
    found = {f[6:]: open(f, "rb").read() for f in glob.glob("m.hmm.*")}
    state = [s for s in want if want[s] == found]
    # none is the one other state that may be: without .h3m HMMER reads the models themselves
    assert state or "h3m" not in found, f"try {n}: a mixture of {sorted(found)}"
    seen.add("none" if not state else "new" if state[0] == new else "old")
assert "old" in seen, seen
EOF
}

@test "the order in which the files take their places: .h3m goes first and comes last" {
    command -v strace >/dev/null || skip "strace is not installed"
    hmmpress three.hmm >said
    # the sanitizer's search for leaks does not go with strace
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -f -o calls \
        -e trace=unlink,unlinkat,rename,renameat,renameat2 "$names/hmmpress" -f three.hmm
    same <(printf '%s\n' h3m h3i h3f h3p h3m) <(sed -n 's/.*three\.hmm\.\(h3[a-z]\)") *= 0/\1/p' calls)
}

@test "two indexes that are done at once: one follows the other, and the later one stays whole" {
    cp three.hmm m.hmm
    python3 - "$names/hmmpress" <<'EOF'
import fcntl, glob, os, subprocess, sys, time
named = lambda: glob.glob(".warpsieve.*")
three, fn3 = open("three.hmm").read(), open("fn3.hmm").read()
want = []
for text in three, fn3:
    open("m.hmm", "w").write(text)
    subprocess.run([sys.argv[1], "-f", "m.hmm"], check=True, stdout=subprocess.DEVNULL)
    want.append({k: open("m.hmm." + k, "rb").read() for k in ("h3m", "h3i", "h3f", "h3p")})
files = lambda: {f[6:]: open(f, "rb").read() for f in glob.glob("m.hmm.*")}
assert files() == want[1]
lock = os.open(".", os.O_RDONLY)
fcntl.flock(lock, fcntl.LOCK_EX) # another process places its files
open("m.hmm", "w").write(three)
begun = time.monotonic()
p = subprocess.Popen([sys.argv[1], "-f", "m.hmm"], stdout=subprocess.DEVNULL)
while len(named()) < 4: # all are whole
    assert p.poll() is None and time.monotonic() - begun < 20, "it did not wait for its turn"
    time.sleep(0.001)
time.sleep(0.1)
assert p.poll() is None and files() == want[1], "it did not wait for its turn"
fcntl.flock(lock, fcntl.LOCK_UN)
assert p.wait() == 0 and files() == want[0] and not named()
fcntl.flock(lock, fcntl.LOCK_EX) # a script that holds the lock around the call
open("m.hmm", "w").write(fn3)
subprocess.run([sys.argv[1], "-f", "m.hmm"], check=True, stdout=subprocess.DEVNULL)
assert files() == want[1]
EOF
}

@test "hmmindex -f twice at once, renamings slowed down: no mixture" {
    command -v strace >/dev/null || skip "strace is not installed"
    strace -e trace=rename -e inject=rename:delay_exit=1 true 2>/dev/null || skip "this strace cannot slow calls down"
    cp three.hmm m.hmm && hmmindex m.hmm >said && mkdir want.three && mv m.hmm.h3? want.three
    cp fn3.hmm m.hmm && hmmindex m.hmm >said && mkdir want.fn3 && mv m.hmm.h3? want.fn3
    cp three.hmm m.hmm
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -f -o calls -e trace=rename,renameat,renameat2 \
        -e inject=rename,renameat,renameat2:delay_exit=200000 hmmindex -f m.hmm >said &
    for _ in $(seq 1000); do ! grep -q m.hmm.h3i calls 2>/dev/null || break; sleep 0.01; done
    cp fn3.hmm m.hmm
    hmmindex -f m.hmm >said.2
    wait $!
    for f in m.hmm.h3?; do cmp "$f" "want.fn3/$f"; done
}

# ---- hmmfetch ----

@test "hmmfetch copies models as HMMER does: by name, accession, list, list of standard input, from all forms" {
    local m f
    printf '# list\nfn3 x\n\n globins4\n' >keys
    cp three.hmm bin.hmm && hmmpress bin.hmm >said && mv bin.hmm.h3m bin.h3m && rm bin.hmm*
    gzip -k three.hmm
    for m in three.hmm bin.h3m three.hmm.gz; do
        hmmfetch $m Pkinase | same ../m.as.hmmer - || fail "$m"
        hmmfetch $m PF00069.17 | same ../m.as.hmmer - || fail "$m"
        same <(cat ../globins4.as.hmmer ../fn3.as.hmmer) <(hmmfetch -f $m keys) || fail "$m"
        same <(cat ../globins4.as.hmmer ../fn3.as.hmmer) <(hmmfetch -f $m - <keys) || fail "$m, keys of standard input"
        run -1 --separate-stderr hmmfetch $m none
        [[ -z $output && $stderr =~ "$m has no model called none" ]] || fail "$output $stderr"
    done
    same <(cat ../globins4.as.hmmer ../fn3.as.hmmer) <(hmmfetch -f - keys <three.hmm.gz)
    run -1 --separate-stderr hmmfetch -f three.hmm - <<<"$(printf 'a\nb\nfn3\n')"
    [[ $stderr =~ 'no model called a, and 1 more' ]] || fail "$stderr"
    run -1 --separate-stderr hmmfetch -f three.hmm - <<<"$(printf 'fn3\nfn3\n')"
    [[ -z $output && $stderr =~ 'the key fn3 occurs more than once' ]] || fail "$output $stderr"
    run -1 hmmfetch -f - - <keys
    [[ $output =~ 'not both' ]] || fail "$output"
    sed 's/^NAME.*/NAME  a\\b%s/' fn3.hmm >odd.hmm
    hmmfetch odd.hmm 'a\b%s' | grep -qxF 'NAME  a\b%s'
    hmmfetch -o got three.hmm fn3 | same <(printf '\n\nRetrieved HMM fn3.\n') -
    same ../fn3.as.hmmer got
    for f in 1 2; do hmmfetch -O three.hmm fn3 >said && same ../fn3.as.hmmer fn3; done
    hmmfetch -f -o got three.hmm keys | same <(printf '\nRetrieved 2 HMMs.\n') -
    same <(cat ../globins4.as.hmmer ../fn3.as.hmmer) got
}

@test "hmmpick writes the models of several keys in the order of the file, each once" {
    local i
    for i in scan index; do
        same <(printf 'globins4\nfn3\n') <(hmmpick three.hmm fn3 PF00041.13 globins4 | awk '/^NAME/ { print $2 }') || fail "$i"
        hmmpick three.hmm fn3 | head -1 | grep -q '^HMMER3/f \[warpsieve .* | hmmpick\]$'
        hmmpick three.hmm fn3 | sed 1d | same <(sed 1d fn3.hmm) - || fail "$i"
        hmmindex -f three.hmm
    done
    run -2 --separate-stderr hmmpick three.hmm
    refused 2 'keys, and 1 operands'
    run -2 --separate-stderr hmmpick --index -O three.hmm fn3
    refused 2 'exclude'
}

@test "an output is whole or as it was; it is never the input, and a cut gzip is an error" {
    local o
    ln -s three.hmm link.hmm
    ln three.hmm hard.hmm
    cp three.hmm want
    for o in three.hmm ./three.hmm link.hmm hard.hmm; do
        run -1 hmmfetch -o $o three.hmm fn3
        [[ $output =~ 'is also read, and would be lost' ]] || fail "$o: $output"
        same want three.hmm
    done
    gzip -c three.hmm | head -c -4 >cut.gz
    echo kept >old
    for o in old new; do
        run -1 hmmfetch -o $o three.hmm none
        run -1 hmmfetch -f -o $o three.hmm - <<<"$(printf 'fn3\nnone\n')"
        run -1 --separate-stderr hmmfetch -o $o cut.gz none
        [[ $stderr =~ 'so they were cut' ]] || fail "$stderr"
        run -1 --separate-stderr hmmfetch -o $o cut.gz globins4
        [[ $stderr =~ 'so they were cut' ]] || fail "$stderr"
        run -1 bash -c 'ulimit -f 8; "$@"' - "$names/hmmfetch" -o $o three.hmm Pkinase
    done
    same <(echo kept) old
    [ ! -e new ]
    [ -z "$(find . -name '.?*' -type f)" ] || fail "left: $(find . -name '.?*')"
    hmmfetch -o old three.hmm fn3 >said && same ../fn3.as.hmmer old
    ln -s target nowhere && hmmfetch -o nowhere three.hmm fn3 >said && same ../fn3.as.hmmer target && [ -L nowhere ]
    hmmfetch -o /dev/stdout three.hmm fn3 | head -3 | same <(head -3 ../fn3.as.hmmer) -
}

@test "no file of an index is replaced by the models that are picked" {
    cp three.hmm kept.hmm
    hmmpick --index kept.hmm >said
    hmmindex kept.hmm >said
    for f in kept.hmm.*; do cp "$f" "was.${f##*.}"; done
    ln -s kept.hmm.ssi link
    for f in kept.hmm.ssi kept.hmm.h3m kept.hmm.h3i kept.hmm.h3f kept.hmm.h3p link; do
        run -2 --separate-stderr hmmpick -o $f kept.hmm fn3
        refused 2 'is also read, and would be lost'
        run -1 hmmfetch -o $f kept.hmm fn3
        [[ $output =~ 'would be lost' ]] || fail "$output"
    done
    for f in kept.hmm.*; do cmp "$f" "was.${f##*.}"; done
    hmmpick -o other.ssi kept.hmm fn3 # of no models that are read
    same <(sed 1d fn3.hmm) <(sed 1d other.ssi)
}

@test "an index is used: the order is that of the keys; one that is stale, damaged or short is not" {
    local k n
    printf 'fn3\nglobins4\n' >keys
    in_file() { same <(cat ../globins4.as.hmmer ../fn3.as.hmmer) <(hmmfetch -f three.hmm keys) || fail "$1"; }
    by_keys() { same <(cat ../fn3.as.hmmer ../globins4.as.hmmer) <(hmmfetch -f three.hmm keys) || fail "$1"; }
    in_file 'without an index'
    hmmfetch --index three.hmm >said
    by_keys .ssi
    run -1 --separate-stderr hmmfetch --index three.hmm
    [[ $stderr =~ 'three.hmm.ssi already exists; delete or rename it' ]] || fail "$stderr"
    cp three.hmm.ssi whole
    for n in 0 40 78 120 200; do head -c $n whole >three.hmm.ssi && in_file "$n bytes"; done
    { head -c 62 whole && printf '\377\377\377\377\377\377\377\377' && tail -c +71 whole; } >three.hmm.ssi && in_file damaged
    cp whole three.hmm.ssi
    sed -i 's/^DESC.*/& and more/' three.hmm # places have changed
    hmmfetch three.hmm Pkinase | grep -q '^DESC.*more$'
    [ "$(hmmfetch -f three.hmm keys | grep -c '^//')" -eq 2 ]
    cp ../three.hmm . && hmmpress three.hmm >said && rm three.hmm.ssi
    by_keys .h3i
    touch -d '1 hour ago' three.hmm.h3m
    in_file 'older than the models'
    touch three.hmm.h3m
    for k in $endings; do : >three.hmm.$k; done
    in_file empty
    hmmpress -f three.hmm >said && rm three.hmm
    hmmfetch three.hmm fn3 | same ../fn3.as.hmmer -
}

@test "kill -9 leaves no part of an .ssi" {
    python3 - "$names/hmmfetch" <<'EOF'
import os, random, subprocess, sys, time
want = None
for n in range(20):
    if os.path.exists("three.hmm.ssi"):
        os.remove("three.hmm.ssi")
    p = subprocess.Popen([sys.argv[1], "--index", "three.hmm"], stdout=subprocess.DEVNULL)
    if want is None:
        assert p.wait() == 0
        want = open("three.hmm.ssi", "rb").read()
        assert want
        continue
    time.sleep(random.random() * 0.04)
    p.kill()
    p.wait()
    assert not os.path.exists("three.hmm.ssi") or open("three.hmm.ssi", "rb").read() == want, f"try {n}"
EOF
}
