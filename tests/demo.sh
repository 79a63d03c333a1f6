#!/bin/sh
# SPDX-License-Identifier: MIT
# make demo: the main job on a real example that ships with the sources, ending in a table for people.
set -eu
cd "$(dirname "$0")/.."
PATH=${WARPSIEVE_BIN:-$PWD/bin}:$PATH
data=tests/data
proteins=$data/demo.fa.gz
model=$data/demo.hmm
hits=$(mktemp)
trap 'rm -f "$hits" "$hits".*' EXIT

n=$(zcat "$proteins" | grep -c '^>')
echo "$n proteins of baker's yeast, searched for the protein kinase domain (Pfam's model Pkinase):"
echo
echo "  zcat $proteins | msvfilt $model | vitfilt $model | fwdscore -Z $n $model"
echo
zcat "$proteins" | msvfilt "$model" >"$hits.1"
vitfilt "$model" "$hits.1" >"$hits.2"
fwdscore -Z "$n" "$model" "$hits.2" >"$hits"
passed() { sed -n 's/^##end rows=\([0-9]*\).*/\1/p' "$1"; }
echo "$(passed "$hits.1") passed msvfilt, $(passed "$hits.2") of these vitfilt, $(passed "$hits") of these fwdscore."
echo "The best six and the last seven:"
echo

# Columns are found by name: the table may gain some.
awk -F '\t' '
    /^##/ { next }
    /^#/ { sub(/^#/, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
        name = $at["name"]; sub(/^[a-z]*\|/, "", name); sub(/_YEAST$/, "", name); sub(/.*\|/, "", name)
        what = $at["desc"]; sub(/ OS=.*/, "", what); if (length(what) > 46) what = substr(what, 1, 43) "..."
        printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, $at["tlen"], $at["msv_bits"], $at["vit_bits"], $at["fwd_bits"], $at["fwd_evalue"], what
    }' "$hits" | sort -t "$(printf '\t')" -k5,5gr |
    awk -F '\t' '
        function bits(x) { return x == "inf" ? x : sprintf("%.1f", x) }
        function show(s, f) {
            split(s, f, "\t")
            printf "  %-8s %6s %8s %8s %8s %9s  %s\n", f[1], f[2], bits(f[3]), bits(f[4]), bits(f[5]), sprintf("%.1e", f[6]), f[7]
        }
        BEGIN { printf "  %-8s %6s %8s %8s %8s %9s  %s\n", "protein", "length", "msv_bits", "vit_bits", "fwd_bits", \
            "E-value", "what it is" }
        { row[NR] = $0 }
        END {
            for (i = 1; i <= NR && i <= 6; i++) show(row[i])
            if (NR > 13) print "  ..."
            for (i = NR > 13 ? NR - 6 : 7; i <= NR; i++) show(row[i])
        }'

cat <<'EOF'

What to look at: fwd_bits and the E-value. The best proteins are kinases by name, far beyond chance. "inf" is no error: msvfilt
computes with 8 bits and vitfilt with 16, and a score beyond that range passes. The last rows are distant relatives, like the atypical
kinase RIO2, or have lost parts of the domain, like SCY1 and PAN3. domscore gives domains, final scores and alignments;
hmmsieve runs the whole search with the options of hmmsearch (README.md shows both).
EOF
