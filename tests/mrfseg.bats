#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mrfseg: the golden volumes, types and byte orders, series, labels, seeds, refusals, damaged and hostile files, one
# answer.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    for f in "$data"/golden/mrf/*.nii.gz; do zcat "$f" >"$(basename "$f" .gz)"; done
    make_nifti small.nii dims=9,7,5 values=0,100,250 noise=60
}
setup() { in_data; }

make_nifti() { python3 "$top/tests/mrf.py" make "$@"; }
header() { python3 "$top/tests/mrf.py" header "$1"; }
sha() { python3 "$top/tests/mrf.py" sha "$1"; }
bare() { mrfseg --no-provenance --header none "$@"; }
same_but_name() { same <(cut -f2- "$1") <(cut -f2- "$2"); }

@test "the golden volumes, on every backend" {
    run -0 python3 "$top/tests/mrf.py" golden "$data/golden/mrf"
    grep -q '^13 rows, backends .*scalar' <<<"$output" || fail "$output"
}

@test "types and byte orders: integers give the same rows and labels, floats the same labels" {
    bare --classes 3 --labels want.nii small.nii >want
    for type in int8 uint8 int16 uint16 int32 uint32 float32 float64; do
        for order in '<' '>'; do
            values=0,100,250 noise=60
            case $type in *8) values=0,20,50 noise=40 ;; esac
            make_nifti it.nii dims=9,7,5 type=$type order="$order" values=$values noise=$noise
            make_nifti as.nii dims=9,7,5 values=$values noise=$noise
            bare --classes 3 --labels got.nii it.nii >got
            bare --classes 3 --labels want.nii as.nii >want
            [ "$(sha want.nii)" = "$(sha got.nii)" ] || fail "labels of $type $order"
            case $type in float*) continue ;; esac
            same_but_name want got || fail "rows of $type $order"
        done
    done
}

@test "integers of a wide range and floats are rounded to 65,536 steps; slope and intercept are units" {
    make_nifti wide.nii dims=9,7,5 type=int32 values=0,2000000000 noise=1000
    make_nifti float.nii dims=9,7,5 type=float64 values=0,2000000000 noise=1000
    bare --classes 2 wide.nii >a
    bare --classes 2 float.nii >b
    same_but_name a b
    [ "$(cut -f3 a | paste -sd+ | bc)" -eq 315 ]
    make_nifti scaled.nii dims=9,7,5 values=0,100,250 noise=60 slope=-0.5 inter=1000
    bare --classes 3 small.nii >a
    bare --classes 3 scaled.nii >b
    awk -F '\t' '{ printf "%s %.5f %.5f %s\n", $3, 1000 - $5 / 2, $6 / 2, $8 }' a | tac >want # the means turn round
    awk -F '\t' '{ printf "%s %.5f %.5f %s\n", $3, $5, $6, $8 }' b >got
    same want got
    make_nifti flat.nii dims=4,4,4 type=float32 values=7.25
    bare --classes 2 flat.nii >a
    same <(cut -f2,3,5 a) <(printf '0\t64\t7.25\n1\t0\t7.25\n')
    make_nifti nanslope.nii dims=9,7,5 values=0,100,250 noise=60 raw=112:0000c07f raw=116:0000c07f
    bare --classes 3 nanslope.nii >b
    bare --classes 3 small.nii >a
    same_but_name a b
}

@test "edges of voxels in metres and micrometres; a value between two codes takes the upper one" {
    bare --classes 3 small.nii >want
    make_nifti um.nii dims=9,7,5 values=0,100,250 noise=60 raw=80:0000fa4400401c4500803b45 raw=123:03 # 2000, 2500, 3000
    # 0.002, 0.0025, 0.003
    make_nifti m.nii dims=9,7,5 values=0,100,250 noise=60 raw=80:6f12033b0ad7233ba69b443b raw=123:01
    for f in um m; do
        bare --classes 3 $f.nii >got
        same_but_name want got || fail "$f"
    done
    make_nifti half.nii type=float64 dims=12,1,1 values=0,0.5,0.4375,65535
    bare --class a:0:0.1 --class b:1:0.1 --class top:65535:1 --fixed --beta-in 0 half.nii >got # a code is 1
    same <(cut -f2,3 got) <(printf '%s\t%d\n' a 6 b 3 top 3)
}

@test "files, gzip, pipes, several inputs, series" {
    bare --classes 4 slab.nii >want
    for f in "$data/golden/mrf/slab.nii.gz" -; do
        bare --classes 4 $f <slab.nii >got
        same_but_name want got || fail "$f"
    done
    (head -c 100 slab.nii; sleep 0.3; tail -c +101 slab.nii | head -c 5000; sleep 0.3; tail -c +5101 slab.nii) |
        bare --classes 4 >got
    same_but_name want got || fail "a slow pipe"
    bare --classes 4 slab.nii line.nii small.nii >got
    same got <(for f in slab line small; do bare --classes 4 $f.nii; done)
    make_nifti series.nii dims=9,7,5,3 values=0,100,250 noise=60
    head -c $((352 + 630)) series.nii >one.nii
    printf '\003' | dd of=one.nii bs=1 seek=40 conv=notrunc status=none
    printf '\001' | dd of=one.nii bs=1 seek=48 conv=notrunc status=none
    bare --classes 3 --labels labels.nii series.nii >got
    bare --classes 3 --labels one-labels.nii one.nii >want
    same <(cut -f1 got | uniq -c | tr -s ' ') <(printf ' 3 series.nii[%d]\n' 0 1 2)
    same <(head -3 got | cut -f2-) <(cut -f2- want)
    [ "$(stat -c %s labels.nii)" -eq $((352 + 3 * 315)) ]
    cmp <(tail -c +353 labels.nii | head -c 315) <(tail -c +353 one-labels.nii)
    for t in 1 2 5; do
        bare --classes 3 -t $t --labels again.nii series.nii >want
        same want got && cmp labels.nii again.nii || fail "-t $t"
    done
}

@test "labels: the geometry of the input, compressed by name, as the main output" {
    for order in '<' '>'; do
        make_nifti it.nii dims=9,7,5 order="$order" values=0,100,250 noise=60 slope=2 inter=-5 raw=148:736563726574
        mrfseg --classes 3 --labels got.nii it.nii >/dev/null
        same <(header it.nii | grep -E '^(dim|geometry)') <(header got.nii | grep -E '^(dim|geometry)')
        printf 'type 2 8\nscale 352.0 1.0 0.0\nintent 1002\nbytes %d\n' $((352 + 315)) >want
        same want <(header got.nii | grep -vE '^(dim|geometry)')
        if grep -q secret got.nii; then fail "a text of the input's header"; fi
        mrfseg --classes 3 --labels got.nii.gz it.nii >/dev/null
        cmp <(gzip -dc got.nii.gz) got.nii
        mrfseg --classes 3 -O nii it.nii >main.nii
        cmp main.nii got.nii
        mrfseg --classes 3 -O nii -o main.nii.gz it.nii
        cmp main.nii.gz got.nii.gz
    done
    python3 -c 'import nibabel' 2>/dev/null || return 0
    python3 -c 'import nibabel, numpy
a, b = nibabel.load("it.nii"), nibabel.load("got.nii.gz")
assert (a.affine == b.affine).all() and b.get_fdata().max() == 2 and a.shape == b.shape'
}

@test "the component of a seed and its boundary" {
    classes="--class air:-1000:60 --class fat:-90:30 --class liver:60:25 --class bone:450:150"
    bare $classes --labels all.nii phantom-small.nii >rows
    bare $classes --seed 16,18,11 --labels liver.nii phantom-small.nii >with
    same <(head -4 with) rows || fail "the rows of the classes"
    python3 "$top/tests/mrf.py" kept all.nii 16,18,11 >want
    mrfseg $classes --seed 16,18,11 --boundary -O nii phantom-small.nii >edge.nii
    same want <(sha liver.nii; sha edge.nii)
    n=$(tail -c +353 liver.nii | tr -d '\0' | wc -c)
    [ "$n" -gt 1000 ]
    [ "$(tail -1 with | cut -f2,3)" = $'liver:component\t'"$n" ] || fail "$(tail -1 with)"
    awk -F '\t' '$2 == "liver:component" && $4 > 0 && $5 > 40 && $5 < 80 { ok = 1 } END { exit !ok }' with
}

@test "given classes: first models, or held" {
    classes="--class low:20:30 --class high:260:40"
    bare $classes --fixed small.nii >got
    same <(cut -f2,5,6 got) <(printf 'low\t20\t30\nhigh\t260\t40\n')
    bare $classes small.nii >got
    awk -F '\t' '$5 == 20 || $6 == 40 { exit 1 }' got
    bare $classes --sweeps 0 small.nii >got
    same <(cut -f7-9 got | uniq) <(printf '0\t0.000000\t0\n')
    bare --class only:5:5 small.nii >got
    [ "$(cut -f2,3 got)" = $'only\t315' ]
    bare --class low:20:0.001 --class high:260:40 --fixed small.nii | cut -f2,5,6 |
        same - <(printf 'low\t20\t0.5\nhigh\t260\t40\n') # half a step of the values is the least
}

@test "random volumes with and without masks: as the specification says, in plain Python" {
    run -0 python3 "$top/tests/mrf_spec.py" 120
    [ "$output" = '120 volumes, 120 as the specification says' ]
}

@test "a mask: outside are no classes, no neighbours, no statistics, and any values" {
    make_nifti mask.nii.gz dims=9,7,5 type=uint8 values=0,1,1
    make_nifti int.nii dims=9,7,5 type=int16 order='>' values=0,-7,-7 slope=0.5 inter=0
    python3 - <<'PY'
import gzip, math, struct
inside = gzip.open("mask.nii.gz").read()[352:]
data = bytearray(open("small.nii", "rb").read())
for i, c in enumerate(inside):
    if not c: struct.pack_into("<h", data, 352 + 2 * i, -32768 + i * 70)
open("other.nii", "wb").write(data)
values = struct.unpack("<315h", data[352:])
struct.pack_into("<2h", data, 70, 16, 32)
open("float.nii", "wb").write(data[:352] + struct.pack("<315f", *(v if c else math.nan for v, c in zip(values, inside))))
PY
    n=$(gzip -dc mask.nii.gz | tail -c +353 | tr -d '\0' | wc -c)
    bare --classes 3 --mask mask.nii.gz --labels want.nii small.nii >want
    [ "$(cut -f3 want | paste -sd+ | bc)" -eq "$n" ]
    same <(cut -f2,10 want) <(printf '%s\t%s\n' 1 1 2 2 3 3)
    cmp <(tail -c +353 want.nii | tr '\1\2\3' '\1\1\1') <(gzip -dc mask.nii.gz | tail -c +353)
    for m in int.nii -; do
        for f in other.nii float.nii; do
            bare --classes 3 --mask $m --labels got.nii $f <int.nii >got
            [ "$(sha want.nii)" = "$(sha got.nii)" ] || fail "labels of $f, mask $m"
            if [ $f = other.nii ]; then same_but_name want got; fi
        done
    done
    bare --classes 3 --mask mask.nii.gz small.nii other.nii >got
    same <(head -3 got | cut -f2-) <(tail -3 got | cut -f2-)
    mrfseg --classes 3 --mask mask.nii.gz small.nii --stats=s.json >got
    grep -q -- '--mask mask.nii.gz' got
    python3 -c "import json; assert json.load(open('s.json'))['voxels'] == $n"
    bare --classes 3 --mask mask.nii.gz --seed 7,3,2 --labels part.nii small.nii >got
    python3 "$top/tests/mrf.py" kept want.nii 7,3,2 | head -1 | same - <(sha part.nii)
    tail -1 got | cut -f2,10 | grep -qx $'\\([123]\\):component\t\\1' || fail "$(tail -1 got)"
}

@test "probabilities: a volume for each class, in either byte order, that agree with the labels" {
    for order in '<' '>'; do
        make_nifti it.nii dims=9,7,5 order="$order" values=0,100,250 noise=60 slope=2 inter=-5 raw=148:736563726574
        bare --class a:0:30 --class b:200:30 --class c:490:30 --probabilities p.nii --labels l.nii it.nii >/dev/null
        same <(header it.nii | grep '^geometry') <(header p.nii | grep '^geometry')
        printf '%s\n' 'dim 4 9 7 5 3 1 1 1' 'type 16 32' 'scale 352.0 1.0 0.0' 'intent 0' 'bytes 4132' >want
        same want <(header p.nii | grep -v '^geometry')
        python3 - "$order" <<'PY'
import struct, sys
data, label = open("p.nii", "rb").read(), open("l.nii", "rb").read()[352:]
p = struct.unpack(sys.argv[1] + "945f", data[352:])
assert data[148:228].rstrip(b"\0") == b"mrfseg: 0 a, 1 b, 2 c", data[148:228]
for i, c in enumerate(label):
    own = [p[i + 315 * k] for k in range(3)]
    assert abs(sum(own) - 1) < 1e-6 and own[c] == max(own), (i, c, own)
PY
        for t in 2 5; do
            mrfseg --class a:0:30 --class b:200:30 --class c:490:30 --probabilities q.nii -t $t -O nii it.nii >m.nii
            cmp p.nii q.nii && cmp l.nii m.nii
        done
    done
    for b in $(mrfseg --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
        mrfseg --classes 4 --backend "$b" --probabilities "$b.p.nii.gz" phantom-small.nii >/dev/null
        mrfseg --classes 4 --backend scalar --probabilities want.nii phantom-small.nii >/dev/null
        cmp want.nii <(gzip -dc "$b.p.nii.gz") || fail "$b"
    done
    make_nifti series.nii dims=9,7,5,2 values=0,100,250 noise=60
    refuses 'series.nii: volume 1: a series of 2; --probabilities expects one volume' -- --probabilities q.nii series.nii
    misuse 'probabilities: those of 2 inputs; expected one' -- --classes 2 --probabilities q.nii small.nii
    misuse 'probabilities: p.nii is where --labels goes' -- --classes 2 --labels p.nii --probabilities p.nii
}

@test "a mask that is none, or does not fit" {
    masks() { # masks PATTERN... -- MASK
        local want=()
        while [ "$1" != -- ]; do want+=("$1"); shift; done
        refuses "${want[@]}" -- small.nii --mask "$2"
    }
    make_nifti m.nii dims=9,7,4 type=uint8 values=0,1
    masks 'small.nii: volume 1: 9 x 7 x 5 voxels, but the mask m.nii has 9 x 7 x 4; expected' -- m.nii
    make_nifti m.nii dims=9,7,5 type=uint8 values=0,1,2
    masks 'm.nii: voxel 3,0,0 of the mask, counted from 0, is 1, and voxel 6,0,0 is 2; expected 0 outside' -- m.nii
    make_nifti m.nii dims=9,7,5 type=float32 values=0.5,0,0.25
    masks 'm.nii: voxel 0,0,0 .* is 0.5, and voxel 6,0,0 is 0.25; expected' -- m.nii
    make_nifti m.nii dims=9,7,5 type=float32 values=0,nan
    masks 'm.nii: voxel 3,0,0 of the mask, counted from 0, is not a number; expected' -- m.nii
    make_nifti m.nii dims=9,7,5 type=float64 values=1,inf
    masks 'm.nii: voxel 3,0,0 of the mask, counted from 0, is infinite; expected' -- m.nii
    make_nifti m.nii dims=9,7,5 type=uint8 values=0
    masks 'm.nii: all voxels of the mask are 0; expected another' -- m.nii
    make_nifti m.nii dims=9,7,5,2 type=uint8 values=0,1
    masks 'm.nii: a series of 2 volumes, expected a mask of one' -- m.nii
    make_nifti m.nii dims=9,7,5 type=uint8 values=0,1 cut=1
    masks 'm.nii: ends at byte 666, expected 667' -- m.nii
    make_nifti m.nii dims=9,7,5 type=uint8 values=0,1 tail=1
    masks 'm.nii: goes on at byte 667' -- m.nii
    make_nifti m.nii dims=9,7,5 type=uint8 values=0,1 raw=280:00000040 # x the other way round
    masks 'small.nii: volume 1: voxel 8,0,0, .* lies at 74,-126,-72 mm, that of the mask m.nii at 106,-126,-72; expected' -- m.nii
    make_nifti m.nii dims=9,7,5 type=uint8 values=0,1 raw=254:0000 # nowhere
    bare --classes 2 --mask m.nii small.nii >/dev/null
    # by the qform, which turns nothing, from -126 on
    make_nifti m.nii dims=9,7,5 type=uint8 values=0,1 raw=252:01000000 raw=268:0000b4420000fcc2000090c2
    masks 'voxel 8,0,0, .* at 74,-126,-72 mm, that of the mask m.nii at 106,-126,-72' -- m.nii
    echo hello >m.nii
    masks 'm.nii: ends at byte 6' -- m.nii
    masks 'nosuch.nii.*No such file' -- nosuch.nii
    make_nifti m.nii dims=9,7,5 type=uint8 values=0,1
    refuses 'the seed 0,0,0 lies outside of the mask' -- small.nii --mask m.nii --seed 0,0,0
    misuse 'labels: m.nii is also read' -- --classes 2 --mask m.nii --labels m.nii
    run --separate-stderr mrfseg --classes 2 --mask - <m.nii
    refused 2 'mask -: standard input is the volume'
}

@test "the description of the labels names the classes" {
    described() { dd if="$1" bs=1 skip=148 count=80 status=none | tr -d '\0'; }
    make_nifti mask.nii dims=9,7,5 type=uint8 values=0,1
    local long=abcdefghijklmnopqrstuvwxyz
    while IFS='|' read -r options want; do
        mrfseg $options --labels got.nii small.nii >/dev/null
        [ "$(described got.nii)" = "$want" ] || fail "$options: $(described got.nii)"
    done <<EOF
--classes 3|mrfseg: 3 classes by mean
--classes 3 --mask mask.nii|mrfseg: 0 outside, 3 classes by mean
--class fat:90:30 --class air:10:20|mrfseg: 0 fat, 1 air
--class fat:90:30 --class air:10:20 --mask mask.nii|mrfseg: 0 outside, 1 fat, 2 air
--class $long:90:30 --class a$long:10:20 --class bcd:1:1|mrfseg: 0 $long, 1 a$long, 2 bcd
--class $long:90:30 --class a$long:10:20 --class bcdefghi:1:1|mrfseg: 0 $long, 1 a$long, 2 bcdefghi
--class $long:90:30 --class a$long:10:20 --class bcdefghij:1:1|mrfseg: 0 $long, 1 a$long, ...
EOF
}

@test "classes that were found are in the order of their means" {
    make_nifti three.nii dims=60,9,5 values=0,0,0,0,0,0,0,100,104,108,1000
    bare --classes 3 --beta-in 2 three.nii >got
    sort -t $'\t' -k5,5g got | same - got
    same <(cut -f2,10 got) <(printf '%s\t%s\n' 0 0 1 1 2 2)
}

@test "by default all neighbours together weigh the same in each neighbourhood" {
    for pair in 6:0.5 18:0.16666666666666666 26:0.11538461538461539; do
        bare --classes 4 --neighbours "${pair%:*}" phantom-noisy.nii >got
        bare --classes 4 --neighbours "${pair%:*}" --beta-in "${pair#*:}" phantom-noisy.nii >want
        same want got
    done
}

@test "columns, header, provenance, statistics" {
    mrfseg --classes 2 small.nii >a
    whole_rows a
    head -1 a | grep -q '^##warpsieve pg=1 prog=mrfseg version=[0-9.]* args="--classes 2"$' || fail "$(head -1 a)"
    [ "$(tail -1 a)" = '##end rows=2' ]
    mrfseg --classes 2 -f class,voxels --header plain --no-provenance small.nii >b
    same <(grep -v '^##' a | cut -f2,3 | sed 's/^#//') b
    mrfseg --classes 2 --stats=s.json small.nii >a
    python3 -c 'import json; s = json.load(open("s.json")); assert s["volumes"] == 1 and s["voxels"] == 315 and s["updates"] % 315 == 0, s'
    printf '\t' >"$(printf 'a\tb')"
    cp small.nii "$(printf 'a\tb.nii')"
    bare --classes 2 "$(printf 'a\tb.nii')" >b
    [ "$(cut -f1 b | uniq)" = 'a?b.nii' ]
    make_nifti nosize.nii dims=3,3,3 raw=80:00000000
    [ "$(bare --class a:0:1 nosize.nii | cut -f4)" = '' ]
    make_nifti metres.nii dims=3,3,3 raw=123:01
    make_nifti mm.nii dims=3,3,3
    [ "$(bare --class a:0:1 -f ml mm.nii)" = 0.405 ]
    [ "$(bare --class a:0:1 -f ml metres.nii)" = 4.05e+08 ]
}

misuse() { # misuse PATTERN... -- ARGUMENT...
    local want=()
    while [ "$1" != -- ]; do want+=("$1"); shift; done
    shift
    run --separate-stderr mrfseg "$@" small.nii
    refused 2 "${want[@]}" || fail "arguments: $*"
}
@test "misuse" {
    misuse 'expected classes' --
    misuse 'class and --classes' -- --classes 2 --class a:1:2
    misuse 'class: .*two colons' -- --class a:1
    misuse 'class: .*two colons' -- --class a:1:2:3
    misuse 'class: .*name' -- --class :1:2
    misuse 'class: .*MEAN' -- --class a:x:2
    misuse 'class: .*MEAN' -- --class a:nan:2
    misuse 'class: .*SD' -- --class a:1:0
    misuse 'class: .*SD' -- --class a:1:2x
    misuse 'class: .*no other class' -- --class a:1:2 --class a:3:4
    misuse 'class: .*tabs' -- --class $'a\tb:1:2'
    misuse 'classes' '65' 'range' -- --classes 65
    misuse 'classes' '0 is' 'range' -- --classes 0
    misuse 'classes: 1 is out of range: expected 2 to 64' -- --classes 1
    misuse 'class: expected CLASS, found ""' -- --class ''
    misuse 'class: given more than 64 times' -- $(for i in $(seq 65); do echo "--class c$i:$i:1"; done)
    misuse 'fixed' -- --fixed --classes 2
    misuse 'neighbours.*6, 18 or 26' -- --classes 2 --neighbours 8
    misuse 'beta-in.*range' -- --classes 2 --beta-in 101
    misuse 'rule.*icm or random' -- --classes 2 --rule best
    misuse 'xi.*range' -- --classes 2 --xi -1
    misuse 'seed.*X,Y,Z' -- --classes 2 --seed 1,2
    misuse 'seed.*X,Y,Z' -- --classes 2 --seed 1,2,3,4
    misuse 'seed.*X,Y,Z' -- --classes 2 --seed 1,2,-3
    misuse 'seed.*X,Y,Z' -- --classes 2 --seed 1,2,1000000000
    misuse 'seed.*X,Y,Z' -- --classes 2 --seed 000000000000000000000000000001,2,3
    misuse 'boundary' 'labels' -- --classes 2 --boundary
    misuse 'labels.*out-format' -- --classes 2 --labels x.nii -O nii
    misuse 'labels of 2 inputs' -- --classes 2 --labels x.nii line.nii
    misuse 'out-format.*labels of 2 inputs' -- --classes 2 -O nii line.nii
    misuse 'labels: small.nii is also read' -- --classes 2 --labels small.nii
    misuse 'labels: standard output is where --output goes' -- --classes 2 --labels -
    misuse 'no column "voxel"' 'voxels' -- --classes 2 -f class,voxel
    misuse 'fields.*tsv' -- --classes 2 -O nii -f class
    misuse 'no meaning here' -- --classes 2 -K 5
    misuse 'unknown option' -- --classes 2 --bad-residue x
    [ ! -e x.nii ]
}

refuses() { # refuses PATTERN... -- FILE [ARGUMENT...]
    local want=()
    while [ "$1" != -- ]; do want+=("$1"); shift; done
    shift
    run --separate-stderr mrfseg --no-provenance --header none --classes 2 "$@"
    refused 1 "${want[@]}" || fail "arguments: $*"
}
broken() { local f=$1; shift; make_nifti "$f" dims=9,7,5 "$@"; }
@test "no NIfTI-1 file, or one of a kind that is refused: byte, what was found, what was expected" {
    : >empty.nii
    refuses 'empty.nii: empty' 'NIfTI-1' -- empty.nii
    echo hello >text.nii
    refuses 'text.nii: ends at byte 6' '348' -- text.nii
    zcat "$data/demo.fa.gz" >demo.fa
    refuses 'demo.fa: byte 0' 'NIfTI-1' -- demo.fa
    broken b.nii raw=0:1c020000
    refuses 'b.nii: byte 0' 'NIfTI-2' -- b.nii
    broken b.nii raw=344:6e693100
    refuses 'byte 344' 'another file' -- b.nii
    broken b.nii raw=344:00000000
    refuses 'byte 344' 'n\+1' -- b.nii
    broken b.nii raw=70:8000
    refuses 'byte 70: data type 128' 'float64' -- b.nii
    broken b.nii raw=72:0800
    refuses 'byte 72: 8 bits' '16 for int16' -- b.nii
    broken b.nii raw=112:0000803f raw=116:0000807f
    refuses 'byte 116: the intercept is inf' -- b.nii
    run --separate-stderr mrfseg --classes 2 nosuch.nii
    refused 1 'nosuch.nii' 'No such file'
}

@test "hostile sizes: refused by their byte, or cut where the file ends, in little memory" {
    broken b.nii raw=40:0800
    refuses 'byte 40: dim\[0\] is 8' '1 to 7' -- b.nii
    broken b.nii raw=40:0000
    refuses 'byte 40: dim\[0\] is 0' -- b.nii
    broken b.nii raw=44:f9ff
    refuses 'byte 44: dim\[2\] is -7' '1 to 32767' -- b.nii
    broken b.nii raw=46:0000
    refuses 'byte 46: dim\[3\] is 0' -- b.nii
    broken b.nii raw=42:ff7fff7fff7f
    refuses 'byte 40: a volume of 32767 x 32767 x 32767' '2\^31' -- b.nii
    broken b.nii raw=40:0500 raw=50:0200
    refuses 'byte 50: dim\[5\] is 2' '4 dimensions' -- b.nii
    for offset in 0000af43 00000000 000080bf 0000807f 0000c07f 0000004f 0040b043; do # 350 0 -1 inf nan 2^31 352.5
        broken b.nii raw=108:$offset
        refuses 'byte 108: data begin at' '352' -- b.nii || fail "$offset"
    done
    broken big.nii raw=42:004000044000
    refuses 'big.nii: ends at byte 982, expected 2147484000 for volume 1 of 1' '16384 x 1024 x 64 voxels, int16' -- big.nii
    sanitized || (ulimit -v 600000 && refuses 'big.nii: ends at byte 982' -- big.nii)
    broken b.nii cut=1
    refuses 'b.nii: ends at byte 981, expected 982 for volume 1 of 1' -- b.nii
    head -c 351 b.nii >c.nii
    refuses 'c.nii: ends at byte 351' -- c.nii
    broken b.nii tail=1
    run --separate-stderr bare --classes 2 b.nii
    [ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 2 ] || fail "status $status: $output"
    told 'b.nii: goes on at byte 982'
    make_nifti s.nii dims=9,7,5,3 cut=1
    run --separate-stderr bare --classes 2 s.nii
    [ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 4 ] || fail "the volumes before a cut one: $output"
    told 's.nii: ends at byte 2241, expected 2242 for volume 3 of 3'
    head -c 300 "$data/golden/mrf/slab.nii.gz" >cut.nii.gz
    refuses 'cut.nii.gz' 'gzip' -- cut.nii.gz
}

@test "values that are no finite numbers, seeds that cannot be" {
    broken b.nii type=float32 values=1,2
    python3 - <<'PY'
import struct
data = bytearray(open("b.nii", "rb").read())
for name, value in (("nan", float("nan")), ("inf", float("-inf"))):
    struct.pack_into("<f", data, 352 + 4 * (2 + 9 * (3 + 7 * 4)), value)
    open(name + ".nii", "wb").write(data)
data = bytearray(open("b.nii", "rb").read()) + bytes(315 * 4)
struct.pack_into("<2h", data, 70, 64, 64)
struct.pack_into("<315d", data, 352, *([-1.7e308, 1.7e308] * 158)[:315])
open("range.nii", "wb").write(data)
PY
    refuses 'nan.nii: volume 1: voxel 2,3,4' 'not a number' -- nan.nii
    refuses 'inf.nii: volume 1: voxel 2,3,4' 'infinite' -- inf.nii
    refuses 'range.nii: volume 1: values go from -1.7e\+308 to 1.7e\+308' -- range.nii
    python3 - <<'PY'
import struct
data = bytearray(open("range.nii", "rb").read())
struct.pack_into("<315d", data, 352, *([1e308, 1.1e308] * 158)[:315])
struct.pack_into("<2f", data, 112, 3e38, 1)
open("scaled.nii", "wb").write(data)
data = bytearray(open("b.nii", "rb").read())
struct.pack_into("<2f", data, 112, 1e-30, 0)
open("tiny.nii", "wb").write(data)
PY
    refuses 'scaled.nii: volume 1: values go from 1e\+308 to 1.1e\+308, which the header scales by 3e\+38' -- scaled.nii
    run --separate-stderr mrfseg --class far:1e300:1 --class near:1:1 tiny.nii
    [ "$status" -eq 1 ]
    told 'tiny.nii: volume 1: class far: mean 1e\+300 and deviation 1 are out of range'
    refuses 'volume 1: the seed 9,0,0 lies outside of 9 x 7 x 5' -- small.nii --seed 9,0,0
    refuses 'the seed 0,7,0 lies outside' -- small.nii --seed 0,7,0
    refuses 'the seed 0,0,999999999 lies outside' -- small.nii --seed 0,0,999999999
    run --separate-stderr bare --class a:0:60 --class b:300:60 small.nii --seed 0,0,0
    refused 1 'the seed 0,0,0 has class a, the first' 'another class'
}

@test "output that cannot be written" {
    run --separate-stderr mrfseg --classes 2 small.nii --labels /dev/full
    [ "$status" -eq 1 ]
    told '/dev/full' 'No space left'
    run --separate-stderr mrfseg --classes 2 -O nii small.nii -o /dev/full
    refused 1 '/dev/full' 'No space left'
    run --separate-stderr mrfseg --classes 2 small.nii --labels no/such/folder
    refused 1 'no/such/folder'
}

@test "the same bytes from every backend and any number of threads" {
    for o in '--neighbours 6' '--neighbours 18 --rule random' '--neighbours 26 --beta-in 0.3 --beta-out 0.1'; do
        mrfseg --classes 4 $o --backend scalar -t 1 --labels want.nii phantom-noisy.nii >want
        for b in $(mrfseg --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
            for t in 1 2 7; do
                mrfseg --classes 4 $o --backend "$b" -t $t --labels got.nii phantom-noisy.nii >got
                same want got || fail "$o --backend $b -t $t"
                cmp want.nii got.nii || fail "labels of $o --backend $b -t $t"
            done
        done
    done
}

# A volume of 16-bit voxels that is one voxel thick: 2.4 million of them, 4.8 MB.
flat() { # flat X Y Z
    python3 - "$@" <<'EOF'
import array, random, struct, sys
X, Y, Z = map(int, sys.argv[1:])
head = bytearray(352)
struct.pack_into("<i", head, 0, 348)
struct.pack_into("<8h", head, 40, 3, X, Y, Z, 1, 1, 1, 1)
struct.pack_into("<2h", head, 70, 4, 16)
struct.pack_into("<4f", head, 76, 1, 1, 1, 1)
struct.pack_into("<f", head, 108, 352)
head[344:348] = b"n+1\0"
random.seed(1)
block = [random.randrange(4) * 50 + random.randrange(30) for _ in range(10007)]
sys.stdout.buffer.write(head + array.array("h", (block * (X * Y * Z // 10007 + 1))[:X * Y * Z]).tobytes())
EOF
}

@test "memory goes by voxels, not by shape: at most three times the volume's own bytes" {
    local own base most shape
    sanitized && skip "sanitizers take memory of their own"
    flat 10 10 1 >tiny.nii
    base=$(peak_memory mrfseg --classes 3 --sweeps 2 -t 2 -o out tiny.nii)
    for shape in '1 2000 1200' '2000 1 1200' '2000 1200 1' '2 1000 1200' '120 200 100'; do
        # shellcheck disable=SC2086 # three numbers
        flat $shape >flat.nii
        own=$(($(stat -c %s flat.nii) / 1024))
        most=$(peak_memory mrfseg --classes 3 --sweeps 2 -t 2 -o "out.${shape// /.}" flat.nii)
        [ $((most - base)) -le $((3 * own)) ] || fail "$shape: $((most - base)) KB for a volume of $own KB"
    done
    # a line of 2,400,000 voxels has the same numbers whichever way it lies
    same <(sed 1d out.1.2000.1200 | cut -f2-) <(sed 1d out.2000.1200.1 | cut -f2-)
    same <(sed 1d out.1.2000.1200 | cut -f2-) <(sed 1d out.2000.1.1200 | cut -f2-)
    # refused while 64 MB of it are in memory
    flat 1 1 1 >head.nii
    python3 -c 'import gzip, struct; d = bytearray(open("head.nii", "rb").read()); struct.pack_into("<4h", d, 40, 3, 32767, 32767, 2)
open("head.nii.gz", "wb").write(gzip.compress(d, 1) + 80 * gzip.compress(bytes(1 << 20), 1))'
    run --separate-stderr bash -c 'ulimit -v 4000000; mrfseg --classes 3 head.nii.gz'
    refused 1 'head.nii.gz: .*32767 x 32767 x 2 voxels, int16, needs 10.7G bytes'
    [ "$(peak_memory sh -c 'ulimit -v 4000000; mrfseg --classes 3 head.nii.gz 2>/dev/null || :')" -lt 100000 ]
}
