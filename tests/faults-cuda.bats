#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Faults of a device, without one: the tools with tests/fault/cuda.cu before the runtime, which also plays a device.
# Its kernels do nothing, but those of the domain stage. tests/gpu/run.sh does the same on a real one.

bats_require_minimum_version 1.5.0
load helper
load fault/common

setup_file() { make_data; }
setup() {
    in_data
    # shellcheck disable=SC2154 # the Makefile exports it
    [ -n "${WARPSIEVE_FAULTY:-}" ] || skip 'built without CUDA'
    export WS_FAULT_FAKE=2
    step=5
    ! full || step=1
}
teardown() { show_counts; }
device_tools() {
    local t
    for t in $(all_tools); do ! "$WARPSIEVE_FAULTY/$t" --list-backends | grep -q '^cuda.yes' || echo "$t"; done
}

registered() { : >calls; WS_FAULT_CALLS=calls WS_FAULT_REGISTERED=1 "$@" >said; grep -c __cudaRegisterFatBinary calls || :; }
@test "kernels are told to the runtime once a device is wanted, and the C++ library is not loaded" {
    local own all # the files of tests/fault tell theirs at the start
    own=$(ls "$top"/tests/fault/*.cu | wc -l)
    [ "$(registered "$WARPSIEVE_FAULTY/hmmsieve" --version)" -le "$own" ] || fail "--version: $(sort calls | uniq -c)"
    [ "$(registered "$WARPSIEVE_FAULTY/hmmsieve" -o /dev/null three.hmm small.fa)" -le "$own" ] || fail "$(sort calls | uniq -c)"
    all=$(registered "$WARPSIEVE_FAULTY/hmmsieve" --list-backends)
    [ "$all" -gt $((own + 5)) ] || fail "$all files were told"
    run -0 ldd "$(command -v hmmsieve)"
    [[ $output != *libstdc++* ]] || fail "$output"
}

one_thread() { sh "$top/tests/fault/device.sh" "$WARPSIEVE_FAULTY" "$1" $step 1; }
three_threads() { sh "$top/tests/fault/device.sh" "$WARPSIEVE_FAULTY" "$1" $((2 * step)) 3; }

@test "each tool with a cuda backend can be given a device that is none" { [ "$(device_tools | wc -l)" -ge 6 ]; }
@test "no memory, no pinned memory, no launch, a lost device, any call that fails" { each one_thread $(device_tools); }
@test "the same with three threads" { each three_threads $(device_tools); }

two_devices() {
    for kind in gone call; do
        shim=- drive $kind 1 100000 $((7 * step)) tsv stdout -- \
            "$WARPSIEVE_FAULTY/$1" --backend cuda --device all -t 4 -a -K 3000 three.hmm small.fa
    done
}
@test "the same with two devices" { each two_devices $(sequence_tools model); }

one_of_two() { WS_FAULT_DEVICE=0 sh "$top/tests/fault/device.sh" "$WARPSIEVE_FAULTY" "$1" $((12 * step)) 2 all; }
@test "one of two devices is lost in a call of any kind: the other does its work, and one note says so" { each one_of_two $(device_tools); }

lost_devices() { grep -cE '^msvfilt: goes on without device 0000:0[12]:00.0: ' said; }
@test "--stats names lost devices; where both are lost in turn, the second failure ends the run" {
    local search=(msvfilt --backend cuda --device all -a -t 1 -K 3000 three.hmm small.fa)
    WS_FAULT_DEVICE=0 WS_FAULT=lost=3 "$WARPSIEVE_FAULTY/${search[0]}" --stats "${search[@]:1}" 2>said >got
    [ "$(lost_devices)" -eq 1 ] || fail "$(cat said)"
    grep -q 'backend cuda on Fake at 0000:02:00.0; lost: 0000:01:00.0, bound by ' said || fail "$(cat said)"
    WS_FAULT_DEVICE=0 WS_FAULT=gone=4 run -0 --separate-stderr "$WARPSIEVE_FAULTY/${search[0]}" "${search[@]:1}"
    told 'goes on without device 0000:01:00.0: asking for the compute capability failed on the device'
    WS_FAULT=lost=3 run -1 --separate-stderr "$WARPSIEVE_FAULTY/${search[0]}" "${search[@]:1}"
    echo "$stderr" >said
    [ "$(lost_devices)-$(wc -l <said)" = 1-2 ] || fail "$stderr"
    tail -n 1 said | grep -q '^msvfilt: .* failed on the device: an illegal memory access' || fail "$stderr"
}

@test "the domain stage's kernels, which the processor runs for the fake device: the bits of vector code" {
    local some=(-e 7) # of the targets; all are a part of make check-full
    ! full || some=()
    run -0 env -C "$top" "$WARPSIEVE_FAULTY/dom" "${some[@]}"
    [[ $output != *SKIP* ]] || fail "$output"
}
of_domains() { # of_domains NAME QUERIES PROGRAM OPTION...
    "$3" --max --no-provenance -o $1.text --domtblout $1.dom -A $1.sto "${@:4}" "$2" small.fa
    sed -i '/^#/d' $1.dom $1.text
}
on_a_device() { # on_a_device QUERIES PROGRAM OPTION...
    of_domains cpu "$1" "$2" --backend scalar "${@:3}"
    for t in 1 4; do
        : >calls
        WS_FAULT_CALLS=calls of_domains device "$1" "$WARPSIEVE_FAULTY/$2" --backend cuda -t $t "${@:3}"
        grep -q cudaMemcpyAsync calls || fail 'no device took part'
        for f in text dom sto; do cmp cpu.$f device.$f; done
    done
}
@test "--max with the domain stage on a device: report, table and alignments are those without" {
    on_a_device three.hmm hmmsieve
    awk '/^>/ { n++ } n > 3 { exit } { print }' small.fa >three.fa
    on_a_device three.fa seqsieve
    on_a_device three.fa jacksieve -N 2
}
without_domains() { # without_domains QUERIES PROGRAM
    : >calls
    of_domains cpu "$1" "$2" --backend scalar
    WS_FAULT_CALLS=calls of_domains device "$1" "$WARPSIEVE_FAULTY/$2" --backend cuda --cpu-domains
    for f in text dom sto; do cmp cpu.$f device.$f; done
    grep -q cudaSetDevice calls || fail 'no device took part'
    ! grep -q cudaMemcpyAsync calls || fail 'the device had work'
}
@test "--cpu-domains: no domain goes to a device" {
    without_domains three.hmm hmmsieve
    awk '/^>/ { n++ } n > 1 { exit } { print }' small.fa >one.fa
    without_domains one.fa seqsieve
}

few='--no-provenance --amino --informat fasta --EmN 9 --EvN 7 --EfN 12' # random sequences: the fake device is slow
faulty_cast() { "$WARPSIEVE_FAULTY/hmmcast" $few "$@"; }
@test "hmmcast with calibration on a device: the bytes of the processor, for sequences, alignments and damage" {
    {
        awk '/^>/ { n++ } n > 12 { exit } { print }' demo.fa
        printf '>one\nM\n>two\nMW\n>many\n'
        awk '/^>/ { next } { printf "%s", $0 } length($0) && ++n == 80 { exit }' demo.fa # a model beyond shared memory
        printf '\n>strange\nXXBZJ\n'
    } >few.fa
    hmmcast --backend scalar $few few.fa >want
    for t in 1 4; do
        for device in 0 all; do
            : >calls
            WS_FAULT_CALLS=calls faulty_cast --backend cuda --device $device -t $t few.fa >got
            same want got
            grep -q cudaMemcpyAsync calls || fail 'no device took part'
        done
    done
    faulty_cast --backend cuda -t 3 -K 500 few.fa >got
    same want got
    faulty_cast --backend cuda+cpu -t 3 few.fa >got
    same want got
    for f in "$data"/golden/build/*.sto; do
        hmmcast --no-provenance --EfN 20 -O again --summary sum "$f" >want
        "$WARPSIEVE_FAULTY/hmmcast" --no-provenance --backend cuda --EfN 20 -O got.again --summary got.sum "$f" >got
        same want got
        same again got.again
        same sum got.sum
    done
    printf '>good\nMKVLAW\n>none\n\n>last\nMKV\n' >empty.fa
    run -1 --separate-stderr faulty_cast --backend cuda empty.fa
    told 'sequence none has no residues'
    [ "$(grep -c '^NAME' <<<"$output")" -eq 1 ] || fail "$output"
}
mallocs() { # mallocs SEQUENCES: of a run with ten models in a call and many problems for each
    awk -v n="$1" 'BEGIN { srand(1); for (i = 0; i < n; i++) { print ">s" i; s = ""
        for (k = 0; k < 400; k++) s = s substr("ACDEFGHIKLMNPQRSTVWY", 1 + int(20 * rand()), 1); print s } }' >equal.fa
    rm -f calls
    WS_FAULT_CALLS=calls "$WARPSIEVE_FAULTY/hmmcast" --backend cuda -t 1 -K 4000 --amino --informat fasta --EmL 2 \
        --EvL 2 --EfL 2 --EmN 2 --EvN 2 --EfN 200 equal.fa >models
    grep -cE '^cudaMalloc(Async)?$' calls
}
@test "hmmcast: a call copies a model once, and later models take the memory of earlier ones" {
    few=$(mallocs 20)
    [ "$few" -le 13 ] || fail "$few calls of cudaMalloc"
    many=$(mallocs 300) # 35 MB of tables, in chunks of 16
    [ "$many" -eq "$few" ] || fail "$many for $few"
}
@test "hmmcast --backend auto goes on without a device that fails in the middle" {
    for _ in $(seq 6); do awk '/^>/ { n++ } n > 30 { exit } { print }' demo.fa; done >many.fa
    does_without hmmcast $few -t 1 -K 5000 many.fa
}
@test "hmmcast --backend auto: a few models do not touch the device" {
    rm -f asked
    WS_FAULT_CALLS=asked faulty_cast small.fa >got
    [ ! -s asked ] || fail "$(sort asked | uniq -c)"
}

no_memory() {
    drive thread 1 5 1 tsv stdout -- \
        "$WARPSIEVE_FAULTY/$1" --backend cuda -t 2 -a -K 3000 three.hmm small.fa
    drive memory 1 5000 $step tsv stdout -- \
        "$WARPSIEVE_FAULTY/$1" --backend cuda -t 2 -a -K 3000 three.hmm small.fa
}
@test "a run on a device: no memory of the host at the n-th allocation, no threads" {
    [ -z "${WARPSIEVE_SHIMMED:-}" ] || skip 'a sanitizer is in the way of the shim'
    make_shim
    awk '/^>/ { n++ } n > 3 { exit } { print }' small.fa >three.fa
    for kind in thread memory; do
        drive $kind 1 5000 $step models stdout -- \
            "$WARPSIEVE_FAULTY/hmmcast" $few --backend cuda -t 2 -K 400 three.fa
    done
    each no_memory $(sequence_tools model)
}

named() { # named WHERE OPTION...: what the devices in use are called
    run -0 --separate-stderr "$WARPSIEVE_FAULTY/msvfilt" --stats -O ids --backend cuda "${@:2}" m.hmm small.fa
    [[ ${stderr%%$'\n'*} == "msvfilt "*", backend cuda on $1, bound by "* ]] || fail "$stderr"
    "$WARPSIEVE_FAULTY/msvfilt" --stats=stats.json -O ids --backend cuda "${@:2}" m.hmm small.fa >ids
    grep -q "\"device\": \"$1\"" stats.json || fail "$(cat stats.json)"
    run -0 "$WARPSIEVE_FAULTY/msvfilt" --dry-run --backend cuda "${@:2}" m.hmm small.fa
    grep -qx "device.$1" <<<"$output" || fail "$output"
}
@test "--stats, as text and as JSON, and --dry-run name the devices with their PCI addresses" {
    named 'Fake at 0000:01:00.0'
    named '2 x Fake at 0000:01:00.0, 0000:02:00.0' --device all
}

found_by_auto() { # found_by_auto MS ARGUMENT...: the devices of a run whose batches take so long by its clock
    WS_FAULT_CLOCK=$1 "$WARPSIEVE_FAULTY/fwdscore" --stats=stats.json -o /dev/null -t 1 -K 3000 "${@:2}" three.hmm demo.fa
    sed -n 's/^  "device": "\(.*\)",$/\1/p' stats.json
}
@test "--backend auto: one device for much work, all for a minute of it, and no others than options or variables name" {
    local one='Fake at 0000:01:00.0' two='2 x Fake at 0000:01:00.0, 0000:02:00.0'
    [ "$(found_by_auto 200)" = "$one" ] || fail "$(cat stats.json)"
    [ "$(found_by_auto 5000)" = "$two" ] || fail "$(cat stats.json)"
    [ "$(found_by_auto 5000 --device 1)" = 'Fake at 0000:02:00.0' ] || fail "$(cat stats.json)"
    [ "$(found_by_auto 5000 --backend cuda)" = "$one" ] || fail "$(cat stats.json)"
    [ "$(CUDA_VISIBLE_DEVICES=1,0 found_by_auto 5000)" = '2 x Fake at 0000:02:00.0, 0000:01:00.0' ] || fail "$(cat stats.json)"
    [ "$(CUDA_VISIBLE_DEVICES=1 found_by_auto 5000)" = 'Fake at 0000:02:00.0' ] || fail "$(cat stats.json)"
}

@test "--backend auto: of two devices one cannot be opened, or both are lost in turn" {
    WS_FAULT_DEVICE=0 WS_FAULT=context=1 run -0 --separate-stderr found_by_auto 5000
    [ "$output" = 'Fake at 0000:02:00.0; lost: 0000:01:00.0' ] || fail "$output"
    told 'goes on without device 0000:01:00.0: creating a context failed on the device'
    [ "$(wc -l <<<"$stderr")" -eq 1 ] || fail "$stderr"
    fwdscore --backend scalar -a -t 1 three.hmm demo.fa >want
    WS_FAULT_CLOCK=5000 WS_FAULT=lost=1 "$WARPSIEVE_FAULTY/fwdscore" -a -t 1 -K 3000 three.hmm demo.fa >got 2>said || fail "$(cat said)"
    same want got || fail 'other rows'
    cut -d: -f2 said | sed 's/0000//' | same <(printf ' %s\n' 'goes on without device ' 'goes on without the device') -
}

untouched() { # no call of the CUDA runtime, which alone makes a context
    rm -f calls
    WS_FAULT_CALLS=calls "$WARPSIEVE_FAULTY/$1" $(model_of "$1") small.fa >got
    [ ! -s calls ] || fail "a small search asked for a device: $(sort calls | uniq -c)"
}
@test "--backend auto: a small search does not touch the device" {
    each untouched $(sequence_tools) hmmsieve
    WS_FAULT_CALLS=calls "$WARPSIEVE_FAULTY/hmmsieve" --backend cuda three.hmm small.fa >got
    [ -s calls ]
}

@test "the driver loads all kernels as it starts, unless CUDA_MODULE_LOADING says else" {
    rm -f calls asked
    WS_FAULT_CALLS=calls "$WARPSIEVE_FAULTY/msvfilt" --backend cuda three.hmm small.fa >got
    grep -qx CUDA_MODULE_LOADING=EAGER calls
    CUDA_MODULE_LOADING=LAZY WS_FAULT_CALLS=asked "$WARPSIEVE_FAULTY/msvfilt" --backend cuda three.hmm small.fa >got
    grep -qx CUDA_MODULE_LOADING=LAZY asked
}

@test "--backend auto goes on without a device that cannot be opened" {
    local n
    fwdscore --backend scalar -a -t 1 three.hmm demo.fa >want
    for n in 1 9 15 21; do
        rm -f struck
        WS_FAULT_CLOCK=200 WS_FAULT=gone=$n WS_FAULT_LOG=struck \
            "$WARPSIEVE_FAULTY/fwdscore" -a -t 1 -K 3000 three.hmm demo.fa >got 2>said || fail "$n: $(cat said)"
        [ -s struck ] || fail "no device was asked for"
        same want got || fail "$n: other rows"
        [ $n -eq 1 ] || grep -qE '^fwdscore: goes on without (a|the) device: .* failed on the device: ' said ||
            fail "$n: $(cat said)"
    done
}

# The middle of a run with --backend auto: the processor has scored for a while, then a device is opened and given work,
# and fails at the n-th place. Scores of a fake device are of no use, so n ends where the first of them would be in the
# rows. WS_FAULT_CLOCK lets a batch take 0.1 s for the programs, so they ask for a device after the first one.
# $tool and $threads are set
auto_run() { WS_FAULT_CLOCK=100 "$WARPSIEVE_FAULTY/$tool" -t "$threads" -K 30K -P 1e-3 "$@" many.hmm many.fa; }
# as many sequences as it takes until nine tenths of the work are left for the device
make_long() {
    local i
    for i in $(seq 20); do sed "s/^NAME .*/&_$i/" three.hmm; done >many.hmm
    cat demo.fa demo.fa >many.fa
    for i in 1 2 3 4 5 6 7 8; do
        auto_run --stats=stats >/dev/null
        ! python3 -c 'import json; s = json.load(open("stats")); exit(s.get("device_cells", 0) < s["cells"] * 0.9)' ||
            return 0
        cat many.fa many.fa >more.fa
        mv more.fa many.fa
    done
    fail "no input is long enough for a device to be opened"
}
# The first call that pins asks whether the driver registers memory; a device goes on without.
first_of() { [ "$1" = pinned ] && echo 2 || echo 1; } # KIND
loses_device() { # KIND STEP [MOST]
    local n first
    first=$(first_of "$1")
    for ((n = first; n <= ${3:-1000}; n += $2)); do
        rm -f struck
        WS_FAULT=$1=$n WS_FAULT_LOG=struck auto_run >got 2>said || fail "$1=$n: status $?, $(cat said)"
        [ "$n" -eq "$first" ] || [ -e struck ] || return 0
        [ -s struck ] || fail "no device was asked for"
        [ "$(cat struck)" = x ] || return 0
        same want got || fail "$1=$n: other rows"
        # a machine that seems to have no device gets no sentence
        if [ "$1" != gone ] || [ $n -gt 4 ] || [ -s said ]; then
            grep -qE "^$tool: goes on without (a|the) device: ." said || fail "$1=$n: $(cat said)"
            [ "$(wc -l <said)" -eq 1 ] || fail "$1=$n: $(cat said)"
        fi
        cut -d: -f2 said >>notes
    done
}
goes_on() {
    tool=$1 threads=1
    rm -f notes
    make_long
    auto_run --backend avx2 >want || auto_run --backend scalar >want
    [ "$(nrows want)" -gt 100 ]
    if ! full; then
        loses_device lost 4 8
        loses_device launch 1 1
        loses_device gone 37 120
    else
        for kind in device-memory pinned lost launch; do loses_device $kind 1; done
        loses_device gone 7 # not call: where a release fails a device goes on
        threads=3
        make_long
        auto_run --backend avx2 >want || auto_run --backend scalar >want
        # another fault, or a later one, would leave scores of other threads' calls
        for kind in lost gone; do loses_device $kind 3 31; done
    fi
    grep -q 'without the device' notes || fail "no fault came after the opening"
    echo "# ran $(wc -l <notes) faults, $(grep -c 'without the device' notes) of them of a device at work: $1 --backend auto went on" >&3
}
@test "--backend auto goes on without a device that fails in the middle of a run" { each goes_on $(sequence_tools model); }

# A device that fails at its first batch, after batches that the processor did before it was open: all rows are the
# processor's. A later batch would not do, since the rows of the fake device are wrong.
does_without() { # does_without TOOL ARGUMENT...: ten batches or more, each 0.1 s by the programs' clock
    local kind
    export WS_FAULT_CLOCK=100
    "$1" --backend avx2 "${@:2}" >want || "$1" --backend scalar "${@:2}" >want
    for kind in ${kinds:-device-memory pinned launch lost}; do
        rm -f struck
        WS_FAULT=$kind=$(first_of "$kind") WS_FAULT_LOG=struck "$WARPSIEVE_FAULTY/$1" "${@:2}" >got 2>said ||
            fail "$1, $kind: $(cat said)"
        [ -s struck ] || fail "$1, $kind: no device was asked for"
        same want got || fail "$1, $kind: other rows"
        [ "$(grep -c "^$1: goes on without the device: " said)" -eq 1 ] || fail "$1, $kind: $(cat said)"
    done
    WS_FAULT=lost=1 "$WARPSIEVE_FAULTY/$1" --quiet "${@:2}" >got 2>said
    [ ! -s said ] || fail "$1, --quiet: $(cat said)"
}
@test "--backend auto goes on without a device that fails in the middle: pairhmm" {
    python3 "$top/bench/run/pairhmm-make.py" mixed 1.5e9 7 >long.in
    does_without pairhmm --double --no-sharing -t 1 -K 100K long.in
}
@test "--backend auto goes on without a device that fails in the middle: papara-score" {
    for _ in $(seq 5); do cat "$data/papara/vag40/reads.fasta"; done >long.fa
    does_without papara-score -j 1 -K 10K "$data/papara/vag40/ref.phy" "$data/papara/vag40/ref.nwk" long.fa
}
@test "--backend auto goes on without a device that fails in the middle: mrfseg" {
    local volumes=() k
    zcat "$data/golden/mrf/phantom-noisy.nii.gz" >noisy.nii
    for k in $(seq 25); do volumes+=(noisy.nii); done
    does_without mrfseg --classes 4 --rule random --eps 0 --sweeps 200 -t 1 "${volumes[@]}"
}
@test "a volume that the device has no room for: a sentence with a way out" {
    zcat "$data/golden/mrf/phantom-noisy.nii.gz" >noisy.nii
    for _ in $(seq 10); do tail -c +353 noisy.nii; done >more
    # 160 slices for 16
    (head -c 46 noisy.nii; printf '\240\000'; tail -c +49 noisy.nii | head -c 304; cat more) >large.nii
    local n
    for n in 0 all; do # too little for each
        run -1 --separate-stderr "$WARPSIEVE_FAULTY/mrfseg" --backend cuda --device $n --gpu-mem 1M \
            --classes 4 large.nii
        told 'gpu-mem 1000000 is too little for a batch or volume' 'a CPU backend'
        [ "$(wc -l <<<"$stderr")" -eq 1 ] || fail "$stderr"
    done
    WS_FAULT=device-memory=1 run -1 --separate-stderr "$WARPSIEVE_FAULTY/mrfseg" --backend cuda --classes 4 large.nii
    told 'not enough device memory' 'a CPU backend'
}
@test "--backend auto asks for no device for a small volume" {
    zcat "$data/golden/mrf/phantom-noisy.nii.gz" >noisy.nii
    WS_FAULT_CALLS=auto "$WARPSIEVE_FAULTY/mrfseg" --classes 4 noisy.nii >got
    [ ! -e auto ] || fail "$(cat auto)"
    WS_FAULT_CALLS=asked "$WARPSIEVE_FAULTY/mrfseg" --backend cuda --classes 4 noisy.nii >got
    [ -s asked ]
}

@test "--backend auto goes on without a device that fails in the middle: nhmmsieve" {
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    zcat "$data/golden/long-targets/inputs/short.fa.gz" >short.fa
    for _ in $(seq 30); do cat short.fa; done >long.fa
    # each stream has a thread: after a fault that strikes one call the others would hand over what the fake device made
    kinds=lost does_without nhmmsieve --max -t 1 -K 100K made.hmm long.fa
}

@test "long targets: a hundred models in one call, and marks that outlive what they were asked with" {
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    zcat "$data/golden/long-targets/inputs/dna_target.fa.gz" >human.fa
    for i in $(seq 100); do sed "s/^NAME .*/&_$i/" made.hmm; done >hundred.hmm
    export MALLOC_PERTURB_=165
    "$WARPSIEVE_FAULTY/nhmmsieve" --backend cuda hundred.hmm human.fa >got
    whole_rows got
}

# Counts the calls before a context, and none after it: releasing a missing context would make one.
no_context() {
    [ -z "$(grep -vE '^cuda(DriverGetVersion|GetDeviceCount|DeviceGet(Attribute|PCIBusId)|GetLastError|SetDevice(Flags)?)$|^CUDA_' calls)" ]
}
@test "a device that could not be opened is not opened again to be closed" {
    export WS_FAULT_CALLS=calls
    rm -f calls
    run -1 --separate-stderr "$WARPSIEVE_FAULTY/fwdscore" --backend cuda --device 0,1,7 -a m.hmm small.fa
    told 'there is no device 7'
    no_context || fail "$(cat calls)"
    ! grep SetDevice calls || fail 'a device was chosen'
    rm -f calls
    WS_FAULT=choice=1 run -1 --separate-stderr "$WARPSIEVE_FAULTY/fwdscore" --backend cuda --device 0 -a m.hmm small.fa
    told 'choosing the device'
    no_context || fail "$(cat calls)"
    rm -f calls
    WS_FAULT=context=1 run -1 --separate-stderr "$WARPSIEVE_FAULTY/fwdscore" --backend cuda --device 0 -a m.hmm small.fa
    told 'creating a context'
    [ "$(grep -c '^cudaFree$' calls)" -eq 1 ] || fail "$(cat calls)"
    sed -i '/^cudaFree$/d' calls
    no_context || fail "$(cat calls)"
}

@test "the sentence says what failed" {
    local t
    for t in $(sequence_tools model); do
        # shellcheck disable=SC2030 # the next case sets its own
        export WS_FAULT=pinned=2 # the first call asks whether it may
        run -1 --separate-stderr "$WARPSIEVE_FAULTY/$t" --backend cuda -a m.hmm small.fa
        told 'cannot pin [0-9]+ bytes of host memory'
        export WS_FAULT=lost=3
        run -1 --separate-stderr "$WARPSIEVE_FAULTY/$t" --backend cuda -a -K 3000 m.hmm small.fa
        told 'failed on the device: an illegal memory access'
    done
}

@test "where the driver registers no memory, it pins its own" {
    # shellcheck disable=SC2031 # of this case alone
    export WS_FAULT=pinned=1 WS_FAULT_CALLS=$PWD/pins
    run -0 --separate-stderr "$WARPSIEVE_FAULTY/fwdscore" --backend cuda -a m.hmm small.fa
    [ "$(grep -c '^cudaHostRegister$' pins)" -eq 1 ] || fail "$(sort pins | uniq -c)"
    grep -q '^cudaMallocHost$' pins || fail "$(sort pins | uniq -c)"
    [ "$(grep -c '^cudaMallocHost$' pins)" -eq "$(grep -c '^cudaFreeHost$' pins)" ] || fail "$(sort pins | uniq -c)"
}

@test "searches of proteins have six streams of a device, four with --mem" {
    WS_FAULT_CALLS=six "$WARPSIEVE_FAULTY/hmmsieve" --backend cuda -o /dev/null m.hmm small.fa
    WS_FAULT_CALLS=four "$WARPSIEVE_FAULTY/hmmsieve" --backend cuda --mem 1G -o /dev/null m.hmm small.fa
    local n=() f
    for f in six four; do n+=("$(grep -c '^cudaStreamCreateWithPriority$' $f)"); done
    [ $((n[0] - n[1])) -eq 2 ] || fail "${n[*]}"
}
