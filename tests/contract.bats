#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Promises of every tool, whatever it computes: command line, exit statuses, output. Inputs are in input.bats.

bats_require_minimum_version 1.5.0
load helper

setup_file() { make_data; }
setup() { in_data; }

# ---- what it says about itself ----

help_is_help() {
    run -0 --separate-stderr "$1" --help
    [ -z "$stderr" ] || fail "stderr: $stderr"
    [[ ${lines[0]} == "$1 - "* ]] || fail "first line: ${lines[0]}"
    grep -q "^usage: $1 " <<<"$output"
    grep -q '^Examples:' <<<"$output"
    [ "$(sed -n '/^Examples:/,/^$/p' <<<"$output" | grep -c "$1")" -ge 1 ] || fail "no example with $1"
    [ "$(awk '{ if (length($0) > 100) n++ } END { print n + 0 }' <<<"$output")" -eq 0 ] ||
        fail "lines of more than 100 characters"
    [ "$(grep -c '^ \{31\}' <<<"$output")" -eq 0 ] || fail "lines that go on do not begin below the text" # in column 31
    cp /dev/null help
    printf '%s' "$output" >help
    run -0 "$1" -h
    [ "$output" = "$(cat help)" ]
}
@test "--help and -h: on stdout, with examples, status 0" { each help_is_help $(all_tools); }

version_is_version() {
    run -0 --separate-stderr "$1" --version
    [[ ${lines[0]} =~ ^"$1 "[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "${lines[0]}"
    [ -z "$stderr" ]
}
@test "--version: the first line is NAME X.Y.Z" { each version_is_version $(all_tools); }

backends_are_listed() {
    run -0 --separate-stderr "$1" --list-backends
    [ "${lines[0]}" = $'backend\tusable\treason' ] || fail "${lines[0]}"
    [ -z "$(usage_of "$1" | grep MODEL)" ] || grep -q $'^scalar\tyes' <<<"$output" || fail "no scalar: $output"
    awk -F '\t' 'NR > 1 && $2 == "no" && $3 == "" { exit 1 }' <<<"$output" ||
        fail "a backend is refused without a reason: $output"
}
@test "--list-backends: scalar is there, and who cannot run has a reason" { each backends_are_listed $(all_tools); }

# ---- misuse: 2, on stderr, nothing on stdout, nothing read ----

misuse() { # misuse PATTERN... -- COMMAND...
    local want=()
    while [ "$1" != -- ]; do want+=("$1"); shift; done
    shift
    run --separate-stderr "$@" <small.fa
    refused 2 "${want[@]}" || fail "command: $*"
    grep -q -- '--help' <<<"$stderr" || fail "no hint at --help: $stderr"
}
unknown_options() {
    misuse 'unknown option --nosuch' -- "$1" --nosuch
    misuse 'unknown option -y' -- "$1" -y
    local flag # an option of one letter and without argument, before the unknown one
    flag=$("$1" --dump-options | awk -F '\t' '$1 != "" && $4 == "" && $1 !~ /[hV]/ { print $1; exit }')
    misuse 'unknown option -y' -- "$1" "-${flag}y"
}
@test "misuse: unknown options" { each unknown_options $(all_tools); }

bad_values() {
    local m
    m=$(model_of "$1")
    misuse '-t, --threads: expected a whole number, found "many"' -- "$1" -t many $m small.fa
    misuse 'threads' '-1' 'range' -- "$1" -t -1 $m small.fa
    misuse 'batch' 'size' '"10X"' -- "$1" -K 10X $m small.fa
    misuse 'batch' '0' 'range' -- "$1" -K 0 $m small.fa
    misuse 'out-format' 'tsv, fasta.* or ids' '"sam"' -- "$1" -O sam $m small.fa
    misuse 'bad-residue' 'error, x or skip' -- "$1" --bad-residue=no $m small.fa
    misuse 'threads.*needs a value' -- "$1" $m small.fa --threads
    misuse '-t needs a value' -- "$1" $m small.fa -t
    misuse 'quiet takes no value' -- "$1" --quiet=1 $m small.fa
    misuse 'ambiguous option --no: --no.*, --no-' -- "$1" --no $m small.fa
    misuse 'operand is empty' -- "$1" $m ''
    misuse 'operand is empty' -- "$1" $m small.fa -- ''
    misuse 'output: expected FILE, found ""' -- "$1" $m small.fa -o ''
    misuse 'stats: expected FILE, found ""' -- "$1" $m small.fa --stats=
}
@test "misuse: bad numbers, unknown choices, missing values, ambiguous names" { each bad_values $(sequence_tools); }

filter_misuse() {
    misuse 'model' -- "$1"
    misuse 'pvalue' '1.5' 'range' -- "$1" -P 1.5 m.hmm small.fa
    misuse 'pvalue' 'number' '"low"' -- "$1" -P low m.hmm small.fa
    misuse 'bits' 'number' '"20b"' -- "$1" -T 20b m.hmm small.fa
    misuse 'db-size' '0 is out of range: expected more than 0' -- "$1" -Z 0 m.hmm small.fa
    misuse 'db-size' 'range' -- "$1" -Z -5 m.hmm small.fa
    misuse 'db-size' 'range' -- "$1" -Z nan m.hmm small.fa
    misuse 'db-size' 'range' -- "$1" -Z 1e-400 m.hmm small.fa
    misuse 'evalue' '0 is out of range: expected more than 0' -- "$1" -Z 1 -E 0 m.hmm small.fa
    misuse 'pvalue' 'range' -- "$1" -P -1e-9 m.hmm small.fa
    misuse 'bits' 'finite number' '"nan"' -- "$1" -T nan m.hmm small.fa
    misuse 'bits' 'finite number' '"-inf"' -- "$1" -T -inf m.hmm small.fa
    misuse '-E needs -Z' -- "$1" -E 1 m.hmm small.fa
    misuse 'no "gpu"' 'scalar' -- "$1" --backend gpu m.hmm small.fa
    misuse 'both' 'standard input' -- "$1" - -
    misuse 'both' 'standard input' -- "$1" -
    misuse 'both' 'standard input' -- "$1" - small.fa -
    misuse 'no column "score"' "tlen" -- "$1" -f name,score m.hmm small.fa
    misuse 'fields' 'tsv' -- "$1" -O fasta -f name m.hmm small.fa
}
@test "misuse: filters" { each filter_misuse $(sequence_tools with-model); }

terminal_waits() { # no file was named, and standard input is a terminal
    python3 - "$1" $(model_of "$1") <<'EOF'
import os, pty, subprocess, sys
master, slave = pty.openpty()
p = subprocess.run(sys.argv[1:], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=5)
assert p.returncode == 2 and p.stdout == b"" and b"name a file" in p.stderr, p
EOF
}
@test "misuse: no input and a terminal instead" { each terminal_waits $(sequence_tools); }

stdin_twice() {
    local m
    m=$(model_of "$1")
    misuse 'standard input is named 2 times' -- "$1" $m - small.fa -
    misuse 'standard input is named 3 times' -- "$1" $m - /dev/stdin -
}
@test "misuse: standard input as several inputs" {
    each stdin_twice $(sequence_tools)
    misuse 'standard input is named 2 times' -- nhmmsieve "$data/golden/dna-models/MADE1.hmm.gz" - -
    misuse 'standard input is named 2 times' -- hmmsieve m.hmm - small.fa -
    misuse 'standard input is named 2 times' -- pairhmm - -
    misuse 'standard input is named 2 times' -- mrfseg --classes 2 - -
}

# ---- operands and options in any order ----

any_order() {
    local m
    m=$(model_of "$1")
    "$1" -O tsv $m small.fa >a
    "$1" $m -O tsv small.fa >b
    same a b
    "$1" $m small.fa --out-format=tsv >b
    same a b
    "$1" -qOtsv $m -- small.fa >b
    same a b
    "$1" --out-f tsv $m - <small.fa >b
    same a b
    "$1" -Otsv $m <small.fa >b
    same a b
    "$1" -O tsv -o b $m small.fa >c
    same a b
    [ ! -s c ]
    awk '/^>/ { n++ } n <= 10' small.fa >head.fa
    awk '/^>/ { n++ } n > 10' small.fa >tail.fa
    "$1" -Otsv $m head.fa tail.fa >b
    same a b
    "$1" -Otsv $m head.fa - <tail.fa >b
    same a b
    cp small.fa ./-odd.fa
    "$1" -Otsv $m -- -odd.fa >b
    same a b
}
@test "options and operands in any order, --, -, several files, -o" { each any_order $(sequence_tools); }

# ---- one answer ----

one_answer() {
    local m t k
    m=$(model_of "$1")
    [ -z "$m" ] || m=three.hmm
    "$1" -a -O tsv -t 1 $m demo.fa >want
    for t in 2 3; do
        "$1" -a -O tsv -t $t $m demo.fa >got
        same want got || fail "-t $t"
    done
    for k in 1 1000 1G; do
        "$1" -a -O tsv -K $k $m demo.fa >got
        same want got || fail "-K $k"
    done
}
@test "the same bytes for any number of threads and any batch size" { each one_answer $(sequence_tools); }

every_form() {
    local m f
    m=$(model_of "$1")
    "$1" -O tsv $m demo.fa >want
    split -n l/3 demo.fa part.
    for f in part.*; do gzip -c "$f"; done >members.gz
    for f in demo.fa.gz members.gz demo.wsp; do
        "$1" -O tsv $m $f >got
        same want got || fail "$f"
        cat $f | "$1" -O tsv $m >got
        same want got || fail "$f from a pipe"
    done
}
@test "the same bytes from FASTA, gzip, several members and packed, from a file and a pipe" { each every_form $(sequence_tools); }

every_backend() {
    local b n=0
    "$1" -a --backend scalar three.hmm small.fa >want
    for b in $("$1" --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
        "$1" -a --backend "$b" three.hmm small.fa >got
        same want got || fail "--backend $b"
        n=$((n + 1))
    done
    for b in $("$1" --list-backends | awk -F '\t' 'NR > 1 && $2 == "no" { print $1 }'); do
        run --separate-stderr "$1" --backend "$b" three.hmm small.fa
        refused 1 "${b%+*}" || fail "--backend $b"
    done
    [ $n -ge 1 ]
}
@test "the same bytes from every backend that runs here; the others say why not" { each every_backend $(sequence_tools with-model); }

# ---- output that cannot be written ----

full_disk() {
    local m
    m=$(model_of "$1")
    run -1 --separate-stderr "$1" -O tsv $m /dev/null -o /dev/full
    refused 1 '/dev/full' 'No space left' || fail "little output"
    run -1 --separate-stderr "$1" -a -O tsv $m demo.fa -o /dev/full
    refused 1 '/dev/full' 'No space left' || fail "much output"
    run -1 --separate-stderr bash -c '"$@" >/dev/full' - "$1" -a -O tsv $m demo.fa
    refused 1 'standard output' 'No space left'
    run -1 --separate-stderr bash -c '"$@" >/dev/full' - "$1" --help
    refused 1 'No space left' || fail "--help"
    run -1 --separate-stderr bash -c 'ulimit -f 8; "$@" -o limited' - "$1" -a -O tsv $m demo.fa
    refused 1 'limited' 'File too large' || fail "a limit on the size of files"
    whole_rows limited
    run -1 --separate-stderr "$1" -O tsv $m small.fa -o no/such/folder
    refused 1 'no/such/folder' 'No such file'
    run -1 --separate-stderr bash -c '"$@" >&-' - "$1" -O tsv $m small.fa
    told 'standard output' || fail "closed standard output"
}
@test "a full disk, a folder that is not there, a closed stdout: status 1" { each full_disk $(sequence_tools); }

closed_descriptors() {
    local m
    m=$(model_of "$1")
    "$1" -a -O fasta -o want $m small.fa
    run -0 bash -c '"$@" --stats 2>&-' - "$1" -a -O fasta -o got $m small.fa
    same want got || fail "standard error was closed, and its text is in the output"
    run -1 --separate-stderr bash -c '"$@" >&-' - "$1" -a -O fasta -U got $m small.fa
    told 'standard output'
    [ ! -s got ] || fail "standard output was closed, and its text is in another file"
    run -1 --separate-stderr bash -c '"$@" <&-' - "$1" -a -O fasta $m
    told 'standard input'
}
@test "descriptors that were closed are not taken for files" { each closed_descriptors $(sequence_tools); }

listed() { # what --list-backends shows and what --backend takes
    run --separate-stderr "$1" --backend bogus $(model_of "$1") small.fa
    [[ $stderr == *'this build has auto, '* ]] || return 0 # it scores nothing
    "$1" --list-backends | awk -F '\t' 'NR > 1 { print $1 }' | same <(head -1 <<<"${stderr#*this build has auto, }" |
        sed 's/, /\n/g') -
}
@test "--list-backends lists every backend that --backend takes" { each listed $(all_tools); }

own_pipes() { # a program that wrote there would wait for itself
    local m o from
    m=$(model_of "$1")
    rm -f fifo && mkfifo fifo
    for o in /dev/stdin /proc/thread-self/fd/0; do
        for from in - small.fa; do
            run -2 --separate-stderr timeout 10 "$1" -o $o $m $from < <(exec sleep 11)
            told 'output: .* is the pipe that is read as standard input'
        done
    done
    run -1 --separate-stderr timeout 10 "$1" -o /proc/self/fd/0 $m - < <(exec sleep 11)
    told 'cannot open /proc/self/fd/0 for writing'
    run -2 --separate-stderr timeout 20 "$1" -o fifo $m fifo
    told 'output: fifo is the pipe that is read as fifo'
}
@test "outputs that are the pipes of the input are refused" { each own_pipes $(sequence_tools); }

own_places() { # what would be read, or written twice, is left as it was
    local m
    m=$(model_of "$1")
    cp small.fa in.fa
    rm -f new
    misuse 'output: in.fa is also read' -- "$1" $m in.fa -o in.fa
    misuse 'rejected: ./in.fa is also read|rejected: in.fa is also read' -- "$1" $m in.fa -U ./in.fa
    misuse 'stats: in.fa is also read' -- "$1" $m in.fa --stats=in.fa
    misuse 'rejected: new is where --output goes' -- "$1" $m in.fa -o new -U new
    misuse 'rejected: standard output is where --output goes' -- "$1" $m in.fa -U -
    misuse 'stats: standard output is where' -- "$1" $m in.fa --stats=-
    run -2 --separate-stderr bash -c '"$@" >>in.fa' - "$1" $m in.fa
    told 'output: in.fa is also read'
    run -2 --separate-stderr bash -c '"$@" -o in.fa <in.fa' - "$1" $m
    told 'output: standard input is also read'
    ln -sf in.fa soft.fa
    ln -f in.fa hard.fa
    misuse 'output: in.fa is also read' -- "$1" $m in.fa -o soft.fa
    misuse 'rejected: soft.fa is also read' -- "$1" $m soft.fa -U hard.fa
    misuse 'rejected: ./new is where --output goes' -- "$1" $m in.fa -o new -U ./new
    misuse 'rejected: standard output is where --output goes' -- "$1" $m in.fa -U /dev/stdout
    misuse 'stats: standard error is where --rejected goes' -- "$1" $m in.fa -U /dev/fd/2 --stats=/dev/stderr
    if [ -n "$m" ]; then
        misuse "output: $m is also read" -- "$1" $m in.fa -o $m
    fi
    same small.fa in.fa || fail "the input was changed"
    [ ! -e new ]
    run -0 "$1" $m in.fa -o /dev/null -U /dev/null --stats=/dev/null
    run -0 "$1" $m in.fa -o new --stats=-
    python3 -m json.tool <<<"$output" >/dev/null
}
@test "misuse: an output that is an input, or another output" { each own_places $(sequence_tools); }

descriptors() { # a file behind a descriptor is written where it stands, not from its beginning
    local m o
    m=$(model_of "$1")
    "$1" -a -O fasta $m small.fa >want
    for o in '-o /dev/stdout >>log' '-o /dev/fd/1 >>log' '-o /dev/fd/3 3>>log' '-o /proc/self/fd/3 3>>log' \
        '-o /dev/stderr 2>>log' '-o /dev/fd/0 0>>log'; do
        echo before >log
        bash -c '"$@" '"$o" - "$1" -a -O fasta $m small.fa
        same <(echo before; cat want) log || fail "$o"
    done
    echo before >log
    bash -c '"$@" --stats=/dev/stderr 2>>log' - "$1" -a -O fasta $m small.fa >got
    same want got || fail "rows"
    [ "$(head -1 log)" = before ] || fail "the log was emptied"
    tail -n +2 log | python3 -m json.tool >/dev/null || fail "$(cat log)"
    for o in results_1 tables.of.run.1; do # as long as the folders of descriptors, and then a digit
        run -0 "$1" -o "$o" -O fasta -a $m small.fa
        [ -z "$output" ] && same want "$o" || fail "$o"
        rm "$o"
    done
    run -1 --separate-stderr bash -c '"$@" 9>&-' - "$1" $m small.fa -o /dev/fd/9
    refused 1 '/dev/fd/9' 'descriptor'
}
# Misuse that only the input tells, such as a column that its table lacks, leaves files as they were and makes none.
survivors() {
    local m o
    m=$(model_of "$1")
    for o in keep keep2 keep3; do echo kept >$o; done
    run -2 --separate-stderr "$1" -O tsv -f bogus -o keep --stats=keep3 $m small.fa
    refused 2 'bogus'
    for o in keep keep3; do [ "$(cat $o)" = kept ] || fail "$o was emptied"; done
    rm -f new new3
    run -2 --separate-stderr "$1" -O tsv -f bogus -o new --stats=new3 $m small.fa
    [ ! -e new ] && [ ! -e new3 ] || fail 'a file was made'
    "$1" -o keep -O ids $m empty.fa # what is good empties it
    [ ! -s keep ] || fail "$(cat keep)"
    [ -n "$m" ] || return 0
    run -2 --separate-stderr "$1" -O tsv -f bogus -o /dev/null -U keep2 $m small.fa
    [ "$(cat keep2)" = kept ] || fail "keep2 was emptied"
    rm -f link link2 target
    ln -s target link
    ln -s link link2
    run --separate-stderr "$1" -o link -U target $m small.fa
    refused 2 'rejected: target is where --output goes'
    run --separate-stderr "$1" -o link2 -U ./target $m small.fa
    refused 2 'rejected: ./target is where --output goes'
    run --separate-stderr "$1" -o target --stats="$PWD/link2" $m small.fa
    refused 2 'is where --output goes'
    [ ! -e target ] || fail 'a file was made'
    run -2 --separate-stderr "$1" -O tsv -f bogus -o link2 $m small.fa
    [ ! -e target ] && [ -L link ] && [ -L link2 ] || fail 'a file was made behind a link, or a link is gone'
    mkdir -p there && ln -sf target there/link # what a link says is meant from the link's own folder
    run --separate-stderr "$1" -o there/link -U there/target $m small.fa
    refused 2 'rejected: there/target is where --output goes'
    run -0 "$1" -o there/link -U target $m small.fa
    rm -rf there target
}
@test "files survive misuse; links that lead nowhere are followed before outputs are compared" {
    : >"$BATS_FILE_TMPDIR/empty.fa"
    each survivors $(sequence_tools)
}

# Killed while it writes to a regular file: whole rows, however large the writes are. The input has no end, so each run
# meets its signal.
killed() {
    tsv "$1" -a big.fa >whole
    python3 - "$1" -O tsv -a -t 2 -K 2M -o part $(model_of "$1") <<'EOF'
import os, random, signal, subprocess, sys, time
whole = open("whole", "rb").read().splitlines(keepends=True)
row = next(i for i, line in enumerate(whole) if not line.startswith(b"#"))
head, rows = b"".join(whole[:row]), b"".join(whole[row:-1])
signals = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
def by_default(): # a shell starts what it does in the background with SIGINT ignored, nohup all with SIGHUP, and so they would stay
    for s in signals:
        signal.signal(s, signal.SIG_DFL)
for n in range(8):
    open("part", "w").close()
    feed = subprocess.Popen(["sh", "-c", "while cat big.fa 2>/dev/null; do :; done"], stdout=subprocess.PIPE)
    p = subprocess.Popen(sys.argv[1:], stdin=feed.stdout, preexec_fn=by_default)
    feed.stdout.close()
    time.sleep(0.02)
    try:
        end = time.monotonic() + 60
        while n % 3 and not os.path.getsize("part") and p.poll() is None: # so that most signals meet a write
            assert time.monotonic() < end, f"try {n}: nothing was written"
        time.sleep(random.random() * (0.05 if n % 3 == 0 else 0.003))
        p.send_signal(random.choice(signals))
        status = p.wait(60)
    finally:
        p.kill() # or a tool that outlives its signal would fill the disk
        feed.wait()
    assert status < 0, f"try {n}: status {status}, not a signal's"
    part = open("part", "rb").read()
    endless = head + rows * (1 + len(part) // len(rows))
    assert endless.startswith(part) and (not part or part.endswith(b"\n")), f"try {n}: {part[-80:]!r}"
EOF
}
@test "SIGINT, SIGTERM and SIGHUP leave whole rows in a file" {
    for _ in 1 2 3 4 5 6 7 8; do cat "$BATS_FILE_TMPDIR/demo.fa"; done >"$BATS_FILE_TMPDIR/big.fa"
    each killed $(sequence_tools)
}

@test "/dev/stdout, /dev/stderr and /dev/fd/N are those descriptors" { each descriptors $(sequence_tools); }

no_device() {
    local o
    export CUDA_VISIBLE_DEVICES=''
    "$1" -a m.hmm small.fa >want
    for o in '--device 1' '--device all' '--gpu-mem 1G' '--backend auto --device 0,1'; do
        # shellcheck disable=SC2086 # words
        run -0 --separate-stderr "$1" -a $o m.hmm small.fa
        same want - <<<"$output"
        told 'goes on without a device, so --(device|gpu-mem) has no effect: .'
        # shellcheck disable=SC2086
        run -0 --separate-stderr "$1" -q -a $o m.hmm small.fa
        [ -z "$stderr" ] || fail "-q: $stderr"
    done
    for o in '' x -1 0, ,1 0,0 1-3 99999999999 all,0; do
        misuse 'device' -- "$1" --device "$o" m.hmm small.fa
        misuse 'device' -- "$1" --backend scalar --device "$o" m.hmm small.fa
    done
}
@test "--device and --gpu-mem without a device: a note; what is no list is misuse" { each no_device $(sequence_tools with-model); }

closed_reader() {
    local m s
    m=$(model_of "$1")
    cat demo.fa demo.fa demo.fa demo.fa demo.fa demo.fa >big.fa
    s=$(bash -c '{ "$@" 2>err; echo $? >&3; } 3>st | head -1 >/dev/null; cat st' - "$1" -a -O tsv $m big.fa)
    [ "$s" = 141 ] || fail "status $s"
    [ ! -s err ] || fail "$(cat err)"
    s=$(bash -c 'trap "" PIPE; { "$@" 2>err; echo $? >&3; } 3>st | head -1 >/dev/null; cat st' - "$1" -a -O tsv $m big.fa)
    [ "$s" = 141 ] || fail "with SIGPIPE ignored: status $s"
    [ ! -s err ] || fail "with SIGPIPE ignored: $(cat err)"
}
@test "a closed reader: 141 and silence, also with SIGPIPE ignored" { each closed_reader $(sequence_tools); }

# ---- forms of output ----

fields_and_header() {
    tsv "$1" -f tlen,name small.fa >a
    grep -q $'^#tlen\tname$' a || fail "$(head -3 a)"
    tsv "$1" -f tlen,name --header plain small.fa >b
    grep -q $'^tlen\tname$' b
    ! grep '^#[^#]' b || fail "a # is left"
    same <(rows a) <(grep -vE '^(#|tlen)' b)
    tsv "$1" -f tlen,name --header none --no-provenance small.fa >b
    same <(rows a) b
    tsv "$1" --no-provenance small.fa >b
    ! grep -v '^##end rows=[0-9]* in=40 residues=' b | grep '^##' || fail "## lines are left"
    tsv "$1" small.fa >a
    same <(grep -v '^##' a) <(grep -v '^##' b)
}
@test "-f, --header, --no-provenance" { each fields_and_header $(sequence_tools); }

provenance() {
    tsv "$1" small.fa >a
    head -1 a | grep -qE "^##warpsieve pg=1 prog=$1 version=[0-9.]+ (model=Pkinase\(xxh3:[0-9a-f]{16}\) )?args=\"\"$" ||
        fail "$(head -1 a)"
    tail -1 a | grep -qE "^##end rows=$(nrows a) in=40 residues=[0-9]+$" || fail "$(tail -1 a)"
    tsv "$1" -a -t 2 -K 5K --stats=s -q small.fa >b
    head -1 b | grep -q 'args="-a"$' || fail "only what changes rows belongs there: $(head -1 b)"
    whole_rows a
}
@test "provenance names program, model and the options that rows depend on" { each provenance $(sequence_tools); }

sequences_out() {
    local m
    m=$(model_of "$1")
    "$1" -a -O fasta $m demo.fa >a
    same demo.fa a || fail "-O fasta"
    "$1" -a -O ids $m demo.fa >b
    same <(sed -n 's/^>\([^ ]*\).*/\1/p' demo.fa) b || fail "-O ids"
    "$1" -a -O packed $m demo.fa >a
    if [ -n "$m" ] && "$1" -a -O tsv $m small.fa | head -2 | grep -q "$(printf '\tquery\t')"; then
        respack -O fasta a | respack >b
        same demo.wsp b || fail "-O packed"
        "$1" -a -O tsv $m demo.fa >b
        respack -O tsv a | same b - || fail "-O packed"
    else
        same demo.wsp a || fail "-O packed"
    fi
    "$1" -a -O tsv $m demo.fa >a
    seqkit tab2fx -w 60 <a >b
    same <(sed '/^>/s/ .*//' demo.fa) b || fail "seqkit tab2fx"
}
@test "-O fasta, ids and packed, and seqkit tab2fx of a table, give the sequences back" { each sequences_out $(sequence_tools); }

kept_and_rejected() {
    local o
    "$1" -a m.hmm demo.fa >all
    "$1" -U no m.hmm demo.fa >yes
    [ "$(nrows yes)" -gt 0 ]
    [ "$(nrows no)" -gt 0 ]
    same <(rows all | sort) <({ rows yes; rows no; } | sort) || fail "tsv"
    whole_rows no
    tail -1 no | grep -q "^##end rows=$(nrows no) in=400"
    "$1" m.hmm demo.fa >b
    same yes b || fail "-U changed what passes"
    for o in fasta ids; do
        "$1" -O $o -U no.$o m.hmm demo.fa >yes.$o
        same <(seqs_of $o yes.$o | sort) <(column yes name | sort)
        same <(seqs_of $o no.$o | sort) <(column no name | sort)
    done
    "$1" -O packed -U no.wsp m.hmm demo.fa >yes.wsp
    respack -O fasta no.wsp >b
    same no.fasta b
    respack -O fasta yes.wsp >b
    same yes.fasta b
}
seqs_of() { case $1 in ids) cat "$2" ;; fasta) sed -n 's/^>\([^ ]*\).*/\1/p' "$2" ;; esac; }
@test "-U: what is kept and what is rejected are everything" { each kept_and_rejected $(sequence_tools with-model); }

# ---- standard error ----

silence() {
    run -0 --separate-stderr tsv "$1" small.fa
    [ -z "$stderr" ] || fail "stderr: $stderr"
    run -0 --separate-stderr "$1" --progress -O ids $(model_of "$1") small.fa
    grep -q '40 sequences' <<<"$stderr" || fail "--progress: $stderr"
    run -0 --separate-stderr "$1" --progress -q -O ids $(model_of "$1") small.fa
    [ -z "$stderr" ] || fail "-q: $stderr"
}
@test "stderr is silent on success unless progress is asked for" { each silence $(sequence_tools); }

terminal() {
    python3 - "$@" $(model_of "$1") small.fa <<'EOF'
import os, pty, subprocess, sys
def stderr_of(argv):
    master, slave = pty.openpty()
    p = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=slave, timeout=20)
    os.close(slave)
    assert p.returncode == 0, p
    text = b""
    try:
        while True:
            piece = os.read(master, 65536)
            if not piece: break
            text += piece
    except OSError: pass
    return text
assert b"40 sequences" in stderr_of(sys.argv[1:]), "no progress on a terminal"
for off in ("-q", "--no-progress"):
    assert stderr_of(sys.argv[1:] + [off]) == b"", off
EOF
}
@test "progress on a terminal, and how to turn it off" { each terminal $(sequence_tools); }

stats() {
    run -0 --separate-stderr "$1" --stats -O ids $(model_of "$1") small.fa
    grep -qE '^ *40 .*sequences' <<<"$stderr" || fail "$stderr"
    "$1" --stats=stats.json -O ids $(model_of "$1") small.fa >ids
    python3 - "$1" "$(wc -l <ids)" <<'EOF'
import json, sys
s = json.load(open("stats.json"))
assert s["program"] == sys.argv[1] and s["bound"] in ("input", "scoring", "output", "copy", "kernel"), s
assert s["sequences"] == 40 and s["rows"] == int(sys.argv[2]) and s["seconds"] > 0, s
EOF
    run -1 --separate-stderr "$1" --stats=/dev/full -O ids $(model_of "$1") small.fa
    told '/dev/full' 'No space left'
    run -1 --separate-stderr "$1" --stats=no/such/folder -O ids $(model_of "$1") small.fa
    [ -z "$output" ]
}
@test "--stats on stderr and as JSON" { each stats $(sequence_tools); }

# ---- a stream is answered while it flows ----

slow_producer() {
    python3 - "$1" $(model_of "$1") <<'EOF'
import os, select, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "-a", "-O", "ids"] + sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for name in (b"one", b"two"):
    p.stdin.write(b">" + name + b"\nMKVLAT\n>next_" + name + b"\nMK\n") # the last record may still go on, so only the first is due
    p.stdin.flush()
    t, got = time.time(), b""
    while name not in got:
        ready, _, _ = select.select([p.stdout], [], [], 1 - (time.time() - t))
        assert ready, "no answer within a second"
        got += os.read(p.stdout.fileno(), 4096)
p.stdin.close()
assert p.wait(60) == 0
EOF
}
@test "a slow producer is answered within a second" { each slow_producer $(sequence_tools); }

bounded_memory() { # 40 MB of sequences in a pipe, 200 MB of memory
    local m
    m=$(model_of "$1")
    [ -z "$m" ] || return 0
    for _ in $(seq 180); do cat demo.fa; done | (ulimit -v 600000; "$1" -t 2 -O ids $m) | wc -l >n
    [ "$(cat n)" -eq 72000 ]
}
@test "memory does not grow with the stream" { ! sanitized ||
    skip "a sanitizer needs more"; each bounded_memory $(sequence_tools); }
