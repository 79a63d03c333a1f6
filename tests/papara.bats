#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# papara-score: small inputs of every kind, alignments, trees and jplace, one answer for all backends, batches and
# threads. Scores are checked edge by edge in kernels/papara/test.c.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cp -r "$data/papara/tiny5" "$data/papara/vag40" .
    cp "$data/papara/cases.tsv" .
}
setup() { in_data; }

bare() { papara-score --no-provenance --header none "$@"; }
golden() { papara-score "$@" "$g/ref.phy" "$g/ref.nwk" "$g/reads.fasta"; }

# ---- inputs ----

# cases.tsv: id, tree, alignment, reads, options, exit status, "read:edge:score;..." or a pattern of the message.
@test "trees, alignments and reads of every kind" {
    local id tree alignment reads options want expected n=0
    while IFS='|' read -r id tree alignment reads options want expected; do
        printf '%b' "$tree" >t
        printf '%b' "$alignment" >a
        printf '%b' "$reads" >q
        # shellcheck disable=SC2086 # options are words
        run --separate-stderr bare -f name,best_edge,score $options a t q
        if [ "$want" -gt 0 ]; then
            refused "$want" "$expected" || fail "$id"
        else
            [ "$status" -eq 0 ] || fail "$id: status $status: $stderr"
            [ "$(tr '\t\n' ':;' <<<"$output" | sed 's/;*$//')" = "$expected" ] || fail "$id: $output"
        fi
        n=$((n + 1))
    done < <(tail -n +2 cases.tsv | tr '\t' '|')
    [ $n -ge 60 ]
}

@test "notes say how much was changed or left out, and --quiet does not" {
    printf '((A:0,B),(C:0.1,D:0.1):-1,E:0.2);' >t
    printf '6 4\nA ACGT\nB ACGT\nC AC-T\nD AC-T\nE ACGT\nX ACGT\n' >a
    printf '>q1\nACGT\n>q2\nNN\n' >q
    run -0 --separate-stderr bare a t q
    grep -q 'without a length.*: 2$' <<<"$stderr"
    grep -q '0 or below.*: 2$' <<<"$stderr"
    grep -q 'not in the tree, ignored: 1 ' <<<"$stderr"
    grep -q 'without a score.*: 1$' <<<"$stderr"
    run -0 --separate-stderr bare --quiet a t q
    [ -z "$stderr" ]
    bare --quiet --extra-rows queries a t q >got
    [ "$(cut -f1 got | tr '\n' ' ')" = "q1 q2 X " ]
    cat q | bare --quiet --extra-rows queries a t >b
    same got b
    printf '4 4\nA MKLV\nB MRLV\nC EKFI\nD EKFQ\n' >p.phy
    printf '(A,B,(C,D));' >p.nwk
    printf '>q1\nACGTACGTACGTACGTACGTNNNNACGT\n>q2\nacgacgacgtacgatcgatcgatcg\n' >dna
    run -0 --separate-stderr bare p.phy p.nwk dna
    grep -q 'the reads look like DNA' <<<"$stderr"
    sed '2s/G/R/; $s/g/y/' dna >codes # a read has a code of several nucleotides
    run -0 --separate-stderr bare p.phy p.nwk codes
    grep -q 'the reads look like DNA' <<<"$stderr"
    for q in 'ACGTACGTACGTACGTACGTACGT' "$(printf '%060d' 0 | tr 0 A)MMMM"; do
        run -0 --separate-stderr bare p.phy p.nwk <(printf '>q\n%s\n' "$q")
        ! grep -q DNA <<<"$stderr" || fail "$q: $stderr"
    done
}

@test "--extra-rows queries needs no folder to write to" {
    unshare -m mount --bind /tmp /tmp 2>/dev/null || skip "no folder can be made read-only here"
    printf '6 4\nA ACGT\nB ACGT\nC AC-T\nD AC-T\nE ACGT\nX ACGT\n' >a
    printf '((A:1,B:1):1,(C:1,D:1):1,E:1);' >t
    # shellcheck disable=SC2016 # $1 is that of sh
    unshare -m sh -c 'mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp && ! touch /tmp/written 2>/dev/null &&
        "$1" --header none --no-provenance --extra-rows queries a t </dev/null' - "$(command -v papara-score)" >got
    [ "$(cut -f1 got)" = X ]
}

@test "an output that is an input, or another output, is refused before anything is written" {
    local option to
    cp -r tiny5 own
    cd own || return 1
    for to in reads.fasta ref.phy ref.nwk; do ln -s $to link.$to; done
    for option in output tree alignment stats rejected; do
        for to in reads.fasta ref.phy ref.nwk; do
            run --separate-stderr papara-score "--$option=link.$to" ref.phy ref.nwk reads.fasta
            refused 2 "$option: $to is also read" || fail "operands"
            run --separate-stderr papara-score "--$option=$to" -s ref.phy -t ref.nwk -q reads.fasta
            refused 2 "$option: $to is also read" || fail "options"
        done
    done
    run --separate-stderr papara-score -o new --tree ./new ref.phy ref.nwk reads.fasta
    refused 2 'tree: ./new is where --output goes'
    run --separate-stderr papara-score --tree new -O ids -f name ref.phy ref.nwk reads.fasta
    [ "$status" -eq 2 ]
    run --separate-stderr papara-score --tree new --backend nosuch ref.phy ref.nwk reads.fasta
    [ "$status" -eq 2 ]
    run --separate-stderr papara-score --tree - ref.phy ref.nwk reads.fasta
    refused 2 'tree: standard output is where --output goes'
    [ ! -e new ] || fail 'something was written'
    for to in reads.fasta ref.phy ref.nwk; do cmp $to ../tiny5/$to; done
    papara-score --tree new -o /dev/null ref.phy ref.nwk reads.fasta
    [ -s new ]
}

@test "files survive misuse that only the input tells" {
    for f in out tree ali; do echo kept >$f; done
    run -2 --separate-stderr papara-score -f bogus -o out --tree tree --alignment ali tiny5/ref.phy tiny5/ref.nwk tiny5/reads.fasta
    refused 2 bogus
    for f in out tree ali; do [ "$(cat $f)" = kept ] || fail "$f was emptied"; done
}

@test "multifurcations are an error that names the place, --resolve makes branches of them" {
    printf '((A,B,C,D)95,E,F,G);' >t
    printf '>A\nACGT\n>B\nACGA\n>C\nTCGT\n>D\nTCGA\n>E\nAAAA\n>F\nAAAT\n>G\nGGGG\n' >a
    printf '>q\nTCGA\n' >q
    run --separate-stderr bare a t q
    refused 1 't: line 1, byte 7' 'multifurcation' 'papara-score --resolve'
    printf "('A b':1,B:1,C:1);" >t
    run --separate-stderr bare a t q
    refused 1 'A b' 'end at a blank\)$'
    printf '((A,B,C,D)95,E,F,G);' >t
    papara-score --quiet --resolve --tree n.nwk a t q >/dev/null
    [ "$(grep -o '{[0-9]*}' n.nwk | sort -u | wc -l)" -eq 11 ]
    grep -q '1e-06{' n.nwk
}

@test "text after a tree is refused, blanks and comments are not" {
    printf '>A\nACGT\n>B\nACGA\n>C\nTCGT\n' >a
    printf '>q\nTCGA\n' >q
    printf '(A,B,C); \n [done]\n' >t
    papara-score --quiet a t q >want
    for more in '(A,C,B);' 'tree' ';' '0.1'; do
        printf '(A,B,C);\n%s\n' "$more" >t
        run --separate-stderr bare a t q
        refused 1 't: line 2, byte 10' 'found "[(t;0]' 'one tree is read'
    done
}

@test "operands: letters of papara, standard input for any one of them, gzip" {
    g=tiny5
    golden >want
    papara-score -s $g/ref.phy -t $g/ref.nwk -q $g/reads.fasta -j 1 -p -3:-1:2:-3 >got
    same <(rows want) <(rows got)
    papara-score -t $g/ref.nwk $g/ref.phy $g/reads.fasta >got
    same want got
    papara-score $g/ref.phy $g/ref.nwk - <$g/reads.fasta >got
    same want got
    papara-score - $g/ref.nwk $g/reads.fasta <$g/ref.phy >got
    same want got
    papara-score $g/ref.phy - $g/reads.fasta <$g/ref.nwk >got
    same want got
    for f in ref.phy ref.nwk reads.fasta; do gzip -c $g/$f >$f.gz; done
    papara-score ref.phy.gz ref.nwk.gz reads.fasta.gz >got
    same want got
    run --separate-stderr papara-score - - $g/reads.fasta
    refused 2 'standard input'
    run --separate-stderr papara-score $g/ref.nwk $g/ref.phy $g/reads.fasta
    refused 1 'alignment comes first'
}

@test "an alignment in any of its forms gives the same table; what is wrong with one is told by its line" {
    printf '((A:1,B:1):1,(C:1,D:1):1);\n' >t
    printf '>q\nACGTTCGA\n>r\nAGGTACGT\n' >q
    rows() { printf "$1" >a && bare a t q; }
    rows '4 8\nA ACGTACGT\nB AGGTTCGT\nC TTTTACGT\nD TTTAACGA\n' >want
    rows '  4   8 \n\n  A   ACGT ACGT\nB AGGTTCGT\n\nC\tTTTTACGT\nD  TTTAACGA\n' >got && same want got
    rows '4 8\r\nA ACGT\r\nB AGGT\r\n\r\nC TTTT\r\nD TTTA\r\nACGT\r\nTCGT\r\nACGT\r\nACGA\r\n' >got && same want got
    rows '4 8\nA ACGT\nB AGGT\nC TTTT\nD TTTA\n\nA ACGT\nB TCGT\nC ACGT\nD ACGA\n' >got && same want got
    rows '4 8\nA ACGT\nACGT\nB AGGT\nTCGT\nC TTTT\nACGT\nD\nTTTAACGA\n' >got && same want got
    rows '>A x\nACGT\nACGT\n>B\nAGGTTCGT\n>C\nTTTT ACGT\n>D\nTTTAACGA' >got && same want got

    wrong() { # wrong ALIGNMENT PATTERN...
        printf "$1" >a
        run --separate-stderr papara-score a t q
        refused 1 'a: ' "${@:2}"
    }
    wrong '4 4\nA ACG\nB AGGT\nC TTTT\nD TTTA\n' 'line 2: row "A" has 3 columns, where the header has 4'
    wrong '4 4\nA ACGT\nBAGGT\nC TTTT\nD TTTA\n' 'line 3: row "BAGGT" has 0 columns' 'blank stands between a name and its text'
    wrong '4 4\na name ACGT\nB AGGT\nC TTTT\nD TTTA\n' 'line 2: row "a" has more than the 4 columns' 'a name ends at a blank'
    wrong '4 4\nA ACGT\nB AGGT\nC TTTT\n' 'line 4: the alignment ends after 3 of 4 rows'
    wrong '1 4\nA ACGT\nB AGGT\n' 'line 3: "B AGGT" follows the last row'
    wrong '4 4 I\nA ACGT\n' 'line 1: "I" follows the numbers'
    wrong '4 99999\nA ACGT\n' 'line 1: the header has 4 rows of 99999 columns, but only 7 bytes follow'
    wrong '>A\nACGT\n>B\nAGG\n>C\nTTTT\n' 'line 5: row "B", which ends before this line, has 3 columns, where the first row has 4$'
    wrong '>A\nACGT\n>A\nAGGT\n' 'two rows have the name "A"'
    wrong '>A\nAC1T\n>B\nACGT\n>C\nACGT\n>D\nACGT\n' 'row 1 \("A"\), column 3: found "1"'
    wrong '# STOCKHOLM 1.0\nA ACGT\n//\n' 'line 1: "# STOCKHOLM 1.0" begins no alignment: expected ">" of FASTA or "taxa sites" of PHYLIP'
}

# ---- outputs ----

@test "alignments are the golden ones: queries alone, as papara -r, as papara" {
    for g in tiny5 vag40; do
        golden --alignment got >/dev/null
        same <(zcat $g/queries_fullwidth.fasta.gz) got || fail "$g"
        golden --alignment got --with-references --drop-gap-columns >/dev/null
        same <(zcat $g/papara_alignment_r.fasta.gz) got || fail "$g -r"
        golden --alignment got --alignment-format phylip >/dev/null
        same <(zcat $g/papara_alignment.phy.gz) got || fail "$g phylip"
        golden --alignment want -j 1 >/dev/null
        golden --alignment got -j 3 -K 1 --alignment-format phylip >/dev/null
        same <(zcat $g/papara_alignment.phy.gz) got || fail "$g phylip in batches"
    done
}

@test "the alignment files that papara wrote for small inputs, byte for byte" {
    local inputs=$top/../shared/golden/papara/inputs.tsv
    [ -f "$inputs" ] || skip "no ../shared/golden/papara/inputs.tsv"
    python3 - "$inputs" >&3 <<'EOF'
import subprocess, sys
options = {"": "--alignment-format phylip", "-a": "--alignment-format phylip --alphabet protein",
           "-c": "--alignment-format phylip --flags rule", "-r": "--alignment-format phylip --insertions drop",
           "-g": "--with-references --insertions columns"}
plain = lambda s: s.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t")
equal = 0
for line in open(sys.argv[1]).read().split("\n")[1:-1]:
    name, tree, msa, reads, option, status, want, ours = line.split("\t")[1:9]
    if status != "0" or ours.startswith("error"): continue
    for f, x in ("t", tree), ("a", msa), ("q", reads): open(f, "w", newline="").write(plain(x))
    given = "--quiet --papara-residues --extra-rows queries --alignment got " + options[option] + " a t q"
    subprocess.run(["papara-score", *given.split()], check=True, stdout=subprocess.DEVNULL)
    assert open("got").read() == plain(want), name
    equal += 1
print(f"# ran {equal} of papara's alignment files: equal")
assert equal > 30
EOF
}

@test "an aligned read is as wide as the reference and has letters of the read in their order; reference rows stay as they are" {
    for g in tiny5 vag40; do
        golden --alignment q.fa >/dev/null
        golden --alignment all.fa --with-references >/dev/null
        golden --alignment all.phy --alignment-format phylip >/dev/null
        python3 - $g <<'EOF'
import sys
def fasta(path): return [(r.split()[0], "".join(r.split("\n")[1:])) for r in open(path).read().split(">")[1:]]
def phylip(path): return [tuple(line.split()) for line in open(path).read().split("\n")[1:] if line]
reads = {n: s.upper().replace("U", "T") for n, s in fasta(sys.argv[1] + "/reads.fasta")}
plain = lambda s: s.upper().translate(str.maketrans("UN?", "T--")) # with references N is a gap, as papara writes it
reference = {n: plain(s) for n, s in phylip(sys.argv[1] + "/ref.phy")}
width = len(next(iter(reference.values())))
queries = fasta("q.fa")
assert len(queries) == len(reads) and all(len(s) == width for _, s in queries)
for name, row in queries + fasta("all.fa")[-len(queries):]:
    left = iter(reads[name])
    assert all(c in left for c in row.upper() if c not in "-N"), name
for rows in fasta("all.fa"), phylip("all.phy"):
    assert len({len(s) for _, s in rows}) == 1
    kept = {n: plain(s) for n, s in rows if n in reference}
    # columns that insertions added are gaps in all rows of the reference
    columns = [c for c in zip(*kept.values()) if set(c) != {"-"}]
    assert len(kept) == len(reference) and columns == [c for c in zip(*(reference[n] for n in kept)) if set(c) != {"-"}]
EOF
    done
}

# Sees that epa-ng can be called: it is installed, or with the long tests the wheel of another package brings it.
find_epa_ng() {
    if command -v epa-ng >/dev/null; then return 0; fi
    [ "${WARPSIEVE_TESTS:-}" = full ] || return 1
    [ -d wheel ] || timeout 120 python3 -m pip download -q --no-deps -d wheel bscampp >/dev/null 2>&1 || return 1
    python3 -m zipfile -e wheel/bscampp-*.whl wheel/ && chmod +x wheel/bscampp/tools/epa-ng &&
        PATH=$PWD/wheel/bscampp/tools:$PATH
    epa-ng --version >/dev/null 2>&1
}
@test "epa-ng places all reads of --alignment, numbers branches as -O jplace, and mostly agrees" {
    find_epa_ng || skip "epa-ng is not installed, and with the long tests no package index gave it"
    local more=
    [ "${WARPSIEVE_TESTS:-}" != full ] || [ ! -d "$top/../shared/golden/papara" ] || more="pyrg65 vag652 upp407_aa"
    for g in vag40 $more; do
        [ -d $g ] || cp -r "$top/../shared/golden/papara/$g" .
        golden --alignment q.fa >/dev/null
        golden -O jplace >j
        awk 'NR > 1 { print ">" $1 "\n" $2 }' $g/ref.phy >ref.fa
        rm -rf placed
        mkdir placed
        case $g in *_aa) model=LG+G ;; *) model=GTR+G ;; esac
        epa-ng -T 1 -t $g/ref.nwk -s ref.fa -q q.fa -m $model -w placed >log 2>&1 || fail "$(tail -5 log)"
        python3 - $g >&3 <<'EOF'
import json, re, sys
epa, ours = json.load(open("placed/epa_result.jplace")), json.load(open("j"))
branches = lambda t: [(name, n) for name, n in re.findall(r"([^(),:{}]*):[0-9.e+-]+\{(\d+)\}", t)]
assert branches(epa["tree"]) == branches(ours["tree"]) and len(branches(ours["tree"])) > 70
edge, weight = epa["fields"].index("edge_num"), epa["fields"].index("like_weight_ratio")
best = {p["n"][0]: max(p["p"], key=lambda x: x[weight])[edge] for p in epa["placements"]}
same = sum(best[p["n"][0]] in [x[0] for x in p["p"]] for p in ours["placements"])
print(f"# ran {sys.argv[1]}: epa-ng placed {len(best)} reads, {same} on the best branch of papara-score")
assert len(best) == len(ours["placements"]) and same > 0.6 * len(best)
EOF
    done
}

# Other programs have these names too: Debian's gappa proves bounds of arithmetic.
reads_placements() { # reads_placements gappa|guppy
    case $1 in
    gappa) gappa --help 2>&1 | grep -q '^ *examine ' ;;
    guppy) guppy --cmds 2>&1 | grep -q '^ *to_csv ' ;;
    esac
}
@test "a program is known by what it does, not by its name" {
    mkdir -p named
    for says in 'gappa:Usage: gappa [OPTIONS]... [FILE]' 'guppy:guppy: a heap browser'; do
        printf '#!/bin/sh\necho "%s"\n' "${says#*:}" >"named/${says%%:*}"
        chmod +x "named/${says%%:*}"
        ! PATH=$PWD/named:$PATH reads_placements "${says%%:*}" || fail "$says was taken for another"
    done
    printf '#!/bin/sh\necho "Subcommands:"; echo "  examine     Commands for examining data."\n' >named/gappa
    printf '#!/bin/sh\necho "  to_csv  turn a placefile into csv"\n' >named/guppy
    for p in gappa guppy; do PATH=$PWD/named:$PATH reads_placements $p || fail "$p was not known"; done
}

# read_by PROGRAM: what it sees in j.jplace: csv, a line for each placement (guppy) or read (gappa); grafted, the tree
# with reads.
read_by() {
    rm -rf csv grafted out
    case $1 in
    guppy)
        guppy info j.jplace >log 2>&1 && guppy fat -o fat.xml j.jplace >log 2>&1 && guppy edpl j.jplace >log 2>&1 ||
            return 1
        guppy to_csv j.jplace >csv 2>log && guppy tog -o grafted j.jplace >log 2>&1
        ;;
    gappa)
        local c
        gappa examine info --jplace-path j.jplace >log 2>&1 || return 1
        for c in edpl graft lwr-list; do gappa examine $c --jplace-path j.jplace --out-dir out >log 2>&1 ||
            return 1; done
        mv out/lwr-list.csv csv
        mv out/j.newick grafted
        ;;
    esac
}

@test "gappa and guppy read -O jplace and find each read on its branch" {
    local p found= more=
    for p in gappa guppy; do if reads_placements $p; then found="$found $p"; fi; done
    [ -n "$found" ] || skip "neither the gappa nor the guppy that read placements is installed"
    [ "${WARPSIEVE_TESTS:-}" != full ] || [ ! -d "$top/../shared/golden/papara" ] || more="pyrg65 vag652 upp407_aa"
    for g in vag40 $more; do
        [ -d $g ] || cp -r "$top/../shared/golden/papara/$g" .
        golden -O jplace >j.jplace
        golden --tree n.nwk --no-provenance --header none >rows
        for p in $found; do
            read_by $p || fail "$p: $(tail -3 log)"
            python3 - $p $g >&3 <<'EOF' || fail "$p $g"
import csv, json, re, sys
def clades(text, label): # every node of a Newick tree as (label of its branch, its leaves below, its parent's index)
    nodes, open_, at = [], [], 0
    for x in re.findall(r"[(),;]|[^(),;]+", text.strip()):
        if x == "(": nodes.append([None, set(), open_[-1] if open_ else None]); open_.append(len(nodes) - 1); last = None
        elif x == ")": last = open_.pop()
        elif x == ",": last = None
        elif x != ";":
            if last is None: nodes.append([None, {x.split(":")[0]}, open_[-1]]); last = len(nodes) - 1
            nodes[last][0] = label(x)
    for i in range(len(nodes) - 1, 0, -1): nodes[nodes[i][2]][1] |= nodes[i][1]
    return nodes
program, folder = sys.argv[1:]
below = {n: leaves for n, leaves, _ in clades(open("n.nwk").read(), lambda x: int(x[x.index("{") + 1:-1])) if n is not None}
leaves = set().union(*below.values())
rows = [l.rstrip("\n").split("\t") for l in open("rows")]
placed = [r for r in rows if r[1]]
assert len(json.load(open("j.jplace"))["placements"]) == len(placed)
grafted, at = clades(open("grafted").read(), lambda x: x), {}
for i, node in enumerate(grafted):
    if len(node[1]) == 1: at.setdefault(next(iter(node[1])), i)
checked = 0
for r in placed:
    if r[5] != "1" or [x[0] for x in rows].count(r[0]) > 1: continue
    i = at[r[0]]
    while not grafted[i][1] & leaves: i = grafted[i][2]
    assert grafted[i][1] & leaves == below[int(r[1])], r
    checked += 1
seen = list(csv.reader(open("csv")))[1:]
if program == "guppy": # ours: name, jplace number, score
    p = [(n, str(x[0]), str(x[1])) for q in json.load(open("j.jplace"))["placements"] for n in q["n"] for x in q["p"]]
    assert sorted((x[1], x[3], x[6]) for x in seen) == sorted(p)
else: assert sorted(x[1] for x in seen) == sorted(r[0] for r in placed)
print(f"# ran {folder}: {program} read {len(placed)} reads, {checked} with one best branch hang there in its tree")
assert checked > len(placed) / 8
EOF
        done
    done
}

# A package index gives iow, whose reader of placements is of the authors of SEPP's plugin for QIIME 2 and not ours.
find_iow() {
    if python3 -c 'import bp; bp.parse_jplace' 2>/dev/null; then return 0; fi
    [ "${WARPSIEVE_TESTS:-}" = full ] || return 1
    [ -x iow/bin/python3 ] || python3 -m venv iow >/dev/null 2>&1 || return 1
    timeout 300 iow/bin/pip -q install cython numpy wheel setuptools >/dev/null 2>&1 &&
        timeout 600 iow/bin/pip -q install --no-build-isolation iow >/dev/null 2>&1 || return 1
    PATH=$PWD/iow/bin:$PATH
    python3 -c 'import bp; bp.parse_jplace' 2>/dev/null
}
@test "a reader of placements that others wrote (iow) hangs each read on its branch" {
    find_iow || skip "iow, which reads jplace in Python, is not installed, and with the long tests no package index gave it"
    g=vag40
    golden --quiet -O jplace >j.jplace
    golden --quiet --no-provenance -f name,best_edge,edges_tied,jplace_edge --tree n.nwk >rows
    python3 - $g >&3 <<'EOF'
import re, sys, bp
placed, tree = bp.parse_jplace(open("j.jplace").read())
rows = [l.rstrip("\n").split("\t") for l in open("rows") if not l.startswith("#")]
rows = [r for r in rows if r[1]]
below, open_ = {}, [] # leaves below each branch, by the numbers of --tree
for x in re.findall(r"\(|[^(),;]*\{\d+\}", open("n.nwk").read()):
    if x == "(": open_.append(set())
    else:
        name, number = x.split(":")[0], int(re.search(r"\{(\d+)\}", x)[1])
        leaves = {name} if name else open_.pop()
        below[number] = leaves
        if open_: open_[-1] |= leaves
assert list(dict.fromkeys(placed.fragment)) == list(dict.fromkeys(r[0] for r in rows))
for r in rows:
    mine = placed[placed.fragment == r[0]]
    if list(placed.fragment).count(r[0]) == min(int(r[2]), 8): assert mine.edge_num.iloc[0] == int(r[3])
names = [r[0] for r in rows]
once = [r for r in rows if r[2] == "1" and names.count(r[0]) == 1]
one = placed[placed.fragment.isin([r[0] for r in once])]
full = bp.insert_fully_resolved(one, tree)
reads = set(names)
for r in once:
    at = full.find(r[0])
    while not {t.name for t in at.tips(include_self=True)} - reads: at = at.parent
    assert {t.name for t in at.tips(include_self=True)} - reads == below[int(r[1])], r
print(f"# ran {sys.argv[1]}: iow read {len(placed)} placements of {len(rows)} reads, {len(once)} with one best branch hang there")
assert len(once) > len(rows) / 8
EOF
}

@test "-O jplace: names of any bytes are JSON, reads without a score are left out, with any batches" {
    printf ">A(1)\nACGTACGT\n>B:[x]\nACGAACGA\n>C\"q\"\\\\n\nTCGTTCGT\n>\303\251\nTCGATCGA\n" >a
    printf "(('A(1)':1,'B:[x]':2):1,'C\"q\"\\\\n':1,\303\251:0.5);" >t
    printf '>n\nNN\n>a"b\\c\nTCGA\n>\303\251\nTCGA\n>{1}(2)[3];,:\nTCGA\n>n\nN\n>t\tab\nTCGA\n' >q
    printf '>x\001y\nTCGA\n>l\351\nTCGT\n>\355\240\200\300\200\nACG\n>n\nN\n' >>q
    papara-score --quiet -O jplace a t q >j.jplace
    for o in '-K 1' '-K 1 -j 1' '-K 9 -j 3'; do
        # shellcheck disable=SC2086 # options are words
        papara-score --quiet -O jplace $o a t q >got
        same j.jplace got || fail "$o"
    done
    python3 - <<'EOF'
import json
j = json.load(open("j.jplace", encoding="utf-8"))
assert [p["n"] for p in j["placements"]] == [["a\"b\\c"], ["\u00e9"], ["{1}(2)[3];,:"], ["t_ab"], ["x\1y"], ["l\u00e9"],
    ["\u00ed\u00a0\u0080\u00c0\u0080"]], [p["n"] for p in j["placements"]]
assert j["tree"] == """(('A(1)':1{0},'B:[x]':2{1}):1{2},'C"q"\\n':1{3},'\u00e9':0.5{4});""", j["tree"]
assert all(p["p"] for p in j["placements"])
assert "no probability" in j["metadata"]["like_weight_ratio"], j["metadata"]
weight = j["fields"].index("like_weight_ratio")
assert all(abs(sum(x[weight] for x in p["p"]) - 1) < 1e-4 for p in j["placements"]) # as many as are tied, at most eight
EOF
    if reads_placements guppy; then [ "$(guppy to_csv j.jplace | tail -n +2 | cut -d, -f2 | sort -u | wc -l)" -ge 7 ]; fi
    if reads_placements gappa; then gappa examine info --jplace-path j.jplace | grep -qE '^j +5 +4 +7'; fi
    printf '>n\nN\n' | papara-score --quiet -O jplace a t >got
    python3 -c 'import json; assert json.load(open("got"))["placements"] == []'
}

@test "a read on the other strand: its row, and its alignment as that of its complement" {
    g=vag40
    awk '/^>/ { n++ } n <= 12' $g/reads.fasta >fwd.fa
    seqkit seq -t dna -r -p fwd.fa 2>/dev/null >rev.fa
    bare --both-strands --alignment fwd.al $g/ref.phy $g/ref.nwk fwd.fa >fwd
    bare --both-strands --alignment rev.al $g/ref.phy $g/ref.nwk rev.fa >rev
    same <(cut -f1-7 fwd) <(cut -f1-7 rev)
    same fwd.al rev.al
    [ "$(cut -f8 fwd rev | sort | uniq -c | awk '{ print $1 }' | sort -u)" = 12 ]
}

@test "--all-edges: every score, the best of which are the rows of the table" {
    g=vag40
    golden --all-edges --no-provenance --header none >all
    [ "$(wc -l <all)" -eq $((120 * 77)) ]
    awk -F '\t' '!($1 in best) { order[++n] = $1; best[$1] = -1 }
        $3 > best[$1] { best[$1] = $3; edge[$1] = $2; ties[$1] = 0 } $3 == best[$1] { ties[$1]++ }
        END { for (i = 1; i <= n; i++) print order[i] "\t" edge[order[i]] "\t" best[order[i]] "\t" ties[order[i]] }' all >want
    same want <(golden --no-provenance --header none -f name,best_edge,score,edges_tied)
    golden --all-edges >all
    tail -1 all | grep -qE "^##end rows=9240 in=120 residues=[0-9]+$"
    whole_rows all
}

@test "--tree and -O jplace: numbers that readers of trees find" {
    g=vag40
    golden --tree n.nwk -f best_edge,jplace_edge --no-provenance --header none >pairs
    golden -O jplace >j
    python3 - $g <<'EOF'
import json, re, sys
ours, j = open("n.nwk").read(), json.load(open("j"))
length = lambda t: {int(n): float(x) for x, n in re.findall(r":([0-9.e+-]+)\{(\d+)\}", t)}
edges = {int(r[0]): (int(r[1]), float(r[2])) for r in (l.split("\t") for l in open(sys.argv[1] + "/edges.tsv").read().split("\n")[1:] if l)}
a, b = length(ours), length(j["tree"])
assert len(a) == len(b) == 77 and list(re.findall(r"\{(\d+)\}", j["tree"])) == [str(i) for i in range(77)]
for e, (jp, l) in edges.items():
    assert abs(a[e] - l) < 1e-6 and abs(b[jp] - l) < 1e-6, e
rows = [l.split() for l in open("pairs")]
assert len(rows) == len(j["placements"]) == 120
for (e, jp), p in zip(rows, j["placements"]):
    assert edges[int(e)][0] == int(jp) == p["p"][0][0] and sum(x[2] for x in p["p"]) < 1.0001
    assert all(len(x) == len(j["fields"]) and abs(x[3] - b[x[0]] / 2) < 1e-6 and x[4] == 0 for x in p["p"]), p
assert j["version"] == 3 and j["fields"][0] == "edge_num" and {"distal_length", "pendant_length"} < set(j["fields"])
EOF
}

@test "rooted trees are written unrooted, trees of two and three leaves too" {
    printf '>A\nACGT\n>B\nACGA\n>C\nTCGT\n>D\nTCGA\n' >a
    printf '>q\nTCGA\n' >q
    tree_of() { printf '%s' "$1" >t; papara-score --quiet --tree n a t q >/dev/null; cat n; }
    [ "$(tree_of '((A:1,B:2):3,(C:4,D:5):6);')" = '((A:1{3},B:2{4}):9{0},C:4{1},D:5{2});' ]
    [ "$(tree_of '((A:1,B:2):3,C:4);')" = '(A:1{1},B:2{2},C:7{0});' ]
    [ "$(tree_of '(A:1,(B:2,C:4):3);')" = '(A:4{0},B:2{1},C:4{2});' ]
    [ "$(tree_of "('A':1,B:2,C:4e-1);")" = '(A:1{1},B:2{2},C:0.4{0});' ]
    [ "$(tree_of '(A:1,B:2);')" = '(A:3{0},B:0);' ]
}

# ---- one answer ----

@test "the same bytes from every backend, batch size and number of threads" {
    local b o
    g=vag40
    if [ "${WARPSIEVE_TESTS:-}" != full ]; then # the scalar backend takes nearly all of the time
        g=short
        cp -r vag40 short
        awk '/^>/ { n++ } n > 30 { exit } { print }' vag40/reads.fasta >short/reads.fasta
    fi
    for o in '' --both-strands --all-edges '--scheme eq1' '-O jplace' '--flags rule -p -5:-2:3:0'; do
        # shellcheck disable=SC2086 # options are words
        golden --backend scalar -j 1 $o >want
        for b in $(papara-score --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
            golden --backend "$b" -j 3 -K 500 $o >got
            same want got || fail "--backend $b $o"
        done
    done
    golden -K 1G -j 1 >got
    golden >want
    same want got
}

@test "reads of any length: more than 8 and more than 16 bits" {
    local b
    g=vag40
    seqkit seq -t dna -g -s -w 0 <(awk 'NR > 1 { print ">" $1; $1 = ""; print }' $g/ref.phy) 2>/dev/null |
        tr -d '\n ' >all.txt
    { echo '>long'; head -c 3000 all.txt; echo; echo '>longer'; head -c 33000 all.txt; echo; } >long.fa
    # seven branches are enough for the width of a cell; all of them for the scalar backend take long
    # shellcheck disable=SC2046 # names
    printf '((%s,%s),(%s,%s),%s);' $(awk 'NR > 1 && NR < 7 { print $1 }' $g/ref.phy) >few.nwk
    [ "${WARPSIEVE_TESTS:-}" != full ] || cp $g/ref.nwk few.nwk
    papara-score --quiet --backend scalar $g/ref.phy few.nwk long.fa >want
    for b in $(papara-score --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
        papara-score --quiet --backend "$b" $g/ref.phy few.nwk long.fa >got
        same want got || fail "$b"
    done
}

# ---- command line ----

refuses() { run --separate-stderr papara-score "${@:2}" tiny5/ref.phy tiny5/ref.nwk tiny5/reads.fasta; refused 2 "$1" ||
    fail "${*:2}"; }
@test "misuse" {
    refuses 'four whole numbers' -p 1:2
    refuses 'four whole numbers' -p -3:-1:2:-3:4
    refuses 'not be above' -p -1:-3:2:-3
    refuses 'not be below 0' -p -3:-1:-2:-3
    refuses 'eq1' --scheme eq1 -p -3:-1:2:-3
    refuses '--alignment FILE' --alignment-format phylip
    refuses '--all-edges' --all-edges -O jplace
    refuses 'columns' --all-edges -f name
    refuses 'no column' -f nosuch
    refuses 'tsv, fasta, packed, ids or jplace' -O sam
    run --separate-stderr papara-score
    refused 2 'no alignment'
    run --separate-stderr papara-score tiny5/ref.phy
    refused 2 'no tree'
    run --separate-stderr papara-score tiny5/ref.phy tiny5/ref.nwk tiny5/reads.fasta --alignment /dev/full
    [ "$status" -eq 1 ]
    told '/dev/full' 'No space'
}
