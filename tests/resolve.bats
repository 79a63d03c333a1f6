#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --resolve of domscore and hmmsieve: which of the domains stay that overlap on a sequence, against rules written down
# once more in Python, the best sum by trying all sets.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    make_data
    # weak domains overlap often; chimeras have more of them
    awk '/^>/ { if (n++ % 4 == 0) print ">chimera" n; next } n > 320 { exit } { print }' demo.fa >small.fa
    hmmsieve -O tsv --max -E 1e6 --domE 1e6 -Z 1000 --no-provenance three.hmm small.fa >all.tsv
    cat >brute.py <<'EOF'
import csv, itertools, sys
from decimal import Decimal

rule, table = sys.argv[1:]
rows = list(csv.DictReader(open(table), delimiter="\t"))
names, models = [], []
for r in rows:
    r["name"] in names or names.append(r["name"])
    r["query"] in models or models.append(r["query"])
for r in rows:
    r["a"], r["b"], r["s"] = int(r["env_from"]), int(r["env_to"]), Decimal(r["dom_bits"])
apart = lambda x, y: x["b"] < y["a"] or y["b"] < x["a"]
fit = lambda s: all(apart(x, y) for x, y in itertools.combinations(s, 2))
tries = 0
for name in names:
    of = [r for r in rows if r["name"] == name]
    if rule == "greedy":
        stay = []
        for r in sorted(of, key=lambda r: (-r["s"], r["a"], models.index(r["query"]), int(r["dom"]))):
            if all(apart(r, s) for s in stay):
                stay.append(r)
    else:
        best = (Decimal(-1),)
        sets = [[]]
        for r in of:  # all sets without an overlap
            sets += [s + [r] for s in sets if all(apart(r, x) for x in s)]
            assert len(sets) < 1000000
        tries += len(sets)
        ends = lambda s: sorted(((r["b"], r["a"], models.index(r["query"]), int(r["dom"])) for r in s), reverse=True)
        top = max(sum((r["s"] for r in s), Decimal(0)) for s in sets)
        sets = [s for s in sets if sum((r["s"] for r in s), Decimal(0)) == top]
        few = min(len(s) for s in sets)
        stay = min((s for s in sets if len(s) == few), key=ends)
    for r in stay:
        print(r["name"], r["query"], r["a"], r["b"], r["s"], sep="\t")
print(f"{tries} sets of {len(rows)} domains", file=sys.stderr)
EOF
    sed -i '1s/^#//' all.tsv
}
setup() { in_data; }

chosen() { awk -F '\t' 'NR > 1 { print $name, $query, $from, $to, $bits } NR == 1 {
    sub(/^#/, ""); for (i = 1; i <= NF; i++) at[$i] = i
    name = at["name"]; query = at["query"]; from = at["env_from"]; to = at["env_to"]; bits = at["dom_bits"] }' OFS='\t' "$1" | sort; }

@test "greedy and total choose what the rules say, with any number of threads" {
    local rule t
    [ "$(wc -l <all.tsv)" -gt 100 ]
    for rule in greedy total; do
        python3 brute.py $rule all.tsv | sort >want
        [ "$(wc -l <want)" -gt 50 ] && [ "$(wc -l <want)" -lt $(($(wc -l <all.tsv) - 20)) ]
        for t in 1 3; do
            hmmsieve -O tsv --max -E 1e6 --domE 1e6 -Z 1000 --no-provenance -t $t --resolve $rule three.hmm small.fa >got
            same want <(chosen got)
        done
    done
    ! same <(python3 brute.py greedy all.tsv | sort) <(python3 brute.py total all.tsv | sort) 2>/dev/null
}

@test "domscore, hmmsieve and hmmsieve --scan choose the same; E-values stay; none is the default" {
    local rule
    ssvfilt -P 1 three.hmm small.fa | fwdscore -P 1 three.hmm >few.fwd
    set -- -E 1e6 --domE 1e6 -Z 1000 --domZ 50
    domscore "$@" --no-provenance three.hmm few.fwd >none
    domscore "$@" --no-provenance --resolve none three.hmm few.fwd | same none -
    for rule in greedy total; do
        domscore "$@" --no-provenance --resolve $rule three.hmm few.fwd >one
        hmmsieve "$@" --max --no-provenance -O tsv --resolve $rule three.hmm small.fa | same one -
        hmmsieve --scan "$@" --max --no-provenance -O tsv --resolve $rule three.hmm small.fa >scan
        same <(chosen one) <(chosen scan)
        # a row that stays differs in its number and the count of domains alone
        same <(cut -f 1-8,11- one | sort | comm -23 - <(cut -f 1-8,11- none | sort)) /dev/null
    done
}

@test "all outputs of a run have the same domains" {
    hmmsieve --max -Z 1000 -E 1e6 --domE 1e6 --resolve total --tblout tbl --domtblout dom -O tsv --no-provenance three.hmm small.fa >tsv
    same <(awk '!/^#/ { print $1, $4, $20, $21 }' dom | sort) <(chosen tsv | awk '{ print $1, $2, $3, $4 }' | sort)
    same <(awk '!/^#/ { print $1, $3 }' tbl | sort) <(chosen tsv | awk '{ print $1, $2 }' | sort -u)
    hmmsieve --max -Z 1000 -E 1e6 --domE 1e6 --resolve total --noali -o text three.hmm small.fa
    [ "$(grep -cE '^ +[0-9]+ [!?] ' text)" -eq "$(chosen tsv | wc -l)" ]
}

@test "what --resolve excludes" {
    run --separate-stderr domscore --stream -Z 5 --domZ 5 --resolve greedy three.hmm small.fa
    refused 2 '^domscore: --stream excludes --resolve'
    run --separate-stderr domscore --resolve best three.hmm small.fa
    refused 2 '--resolve.*none, greedy or total'
}
