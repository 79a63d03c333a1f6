#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Figures of the pages are those of bench/data, to the digit; bench/run/all.sh measures, and says what it left out.

bats_require_minimum_version 1.5.0
load helper

setup() {
    wants python3
    cd "$BATS_TEST_TMPDIR"
}
tables() { python3 "$top/bench/run/tables.py" "$@"; }
# Tables outside of the marks: what a table says there in seconds was typed.
typed() { sed '/^<!-- bench: /,/^<!-- end -->/d' "$1" | grep -nE '^\|.*[0-9] ?(s|ms|seconds)( |\||$)'; }

@test "tables of README.md and bench/README.md, and the picture, are what bench/data gives" {
    cd "$top"
    run -0 tables --check README.md bench/README.md
    [ -z "$output" ] || fail "$output"
    python3 bench/run/plot.py --check bench/sizes.svg
    run ! typed bench/README.md
    if grep -q '^<!-- bench: ' README.md; then run ! typed README.md; fi
    [ "$(wc -w <bench/README.md)" -le 1500 ] || fail "$(wc -w bench/README.md)"
}

@test "a figure that was changed by hand is found, in a table and in the picture" {
    mkdir bench
    cp "$top/bench/README.md" "$top/bench/sizes.svg" bench/
    sed 's/<!-- bench: proteins -->/<!-- bench: first -->/' bench/README.md >README.md
    tables README.md
    tables --check README.md bench/README.md
    for page in README.md bench/README.md; do
        cp $page kept
        # the first figure that has a peer's beside it
        python3 -c 'import re, sys
sys.stdout.write(re.sub(r"\d(?=\u00a0/)", lambda m: str((int(m[0]) + 1) % 10), sys.stdin.read(), count=1))' <kept >$page
        run ! cmp kept $page
        run -1 tables --check $page
        [ "$(grep -c '^-|' <<<"$output")" -eq 1 ] && [ "$(grep -c '^+|' <<<"$output")" -eq 1 ] || fail "$output"
        tables $page
        same kept $page
    done
    sed -i '0,/cy="[0-9]*/s//cy="1/' bench/sizes.svg
    run -1 python3 "$top/bench/run/plot.py" --check bench/sizes.svg
    [[ $output == *'is not what the tables give'* ]]
    printf '| a search | 1.9 s |\n' >>README.md
    typed README.md
}

@test "a table or a machine that is not there ends with a sentence, and the page stays" {
    printf '<!-- bench: nosuch -->\n<!-- end -->\n' >page.md
    run -1 tables page.md
    [[ $output == 'tables.py: page.md: bench/rows.txt has no table nosuch; it has first '* ]] || fail "$output"
    printf '<!-- bench: first zen9-3core -->\n<!-- end -->\n' >page.md
    cp page.md kept
    run -1 tables page.md
    [ "$output" = 'tables.py: there is no current-zen9-3core.tsv' ] || fail "$output"
    same kept page.md
    mkdir data
    printf '# machine: x\n#row\tprogram\n' >data/current-x.tsv
    run -1 tables --data data page.md
    [[ $output == *'current-x.tsv:2: the columns are '* ]] || fail "$output"
}

@test "each row of bench/rows.txt has what it needs, and each table its rows" {
    PYTHONPATH=$top/bench/run python3 - <<'PYTHON'
import re
import inputs, rows
listed, tables = rows.listed()
for row in listed.values():
    assert {"question", "page", "threads"} <= set(row) and rows.OURS in row["programs"], row
    for program, (threads, command) in row["programs"].items():
        for name in re.findall(r"@(\w+)", command):
            made = re.fullmatch(r"(ecoli|yeast|marv)\d+x|yeast\d+|t|b|o|here", name) or hasattr(inputs.Inputs, name)
            assert made, f"{row['name']}: @{name}"
        assert all(t in ("all", "gpu") or t.isdigit() for t in threads), row
for table in tables.values():
    assert table["rows"] == "*" or set(table["rows"].split()) <= set(listed), table
PYTHON
}

@test "bench/run/all.sh: a checkout alone has the demo, and the table says so and what was left out" {
    [ -z "${WARPSIEVE_BIN:-}" ] || skip "programs from elsewhere are tested"
    mkdir theirs
    printf '#!/bin/sh\necho "# HMMER 3.3.2 (Nov 2020)"\n' >theirs/hmmsearch
    chmod +x theirs/hmmsearch
    run -0 --separate-stderr sh "$top/bench/run/all.sh" --rows one,hmmpress --runs 2 --machine test-1core \
        HMMER=theirs PYHMMER=/usr/bin/false DATA=/none OUT=.
    [ "${lines[-1]}" = ./demo-test-1core.tsv ] || fail "$output $stderr"
    grep -qx '# data: the demo of tests/data again and again, since the folder of real data was not there' demo-test-1core.tsv
    grep -qx '# left out: one, HMMER: the hmmsearch found is HMMER 3.3.2, not 3.4' demo-test-1core.tsv
    grep -qx '# left out: one, pyhmmer: /usr/bin/false has no pyhmmer (PYHMMER=PYTHON names another)' demo-test-1core.tsv
    awk -F '\t' '!/^#/ { if (NF != 10 || $2 != "warpsieve" || $5 <= 0 || $6 <= 0 || $7 != 2) exit 1; n++ }
        END { exit n < 2 }' demo-test-1core.tsv
    # another call keeps the other rows, of the same commit, and the other work beside them
    sed -i 's/^# others: [0-9.]*/# others: 99.50/' demo-test-1core.tsv
    sh "$top/bench/run/all.sh" --rows hmmpress --runs 1 --machine test-1core HMMER=theirs DATA=/none OUT=. >said 2>&1
    [ "$(awk '$1 == "one" && $7 == 2' demo-test-1core.tsv | wc -l)" -ge 1 ]
    [ "$(awk '$1 == "hmmpress" && $7 == 1' demo-test-1core.tsv | wc -l)" -ge 1 ]
    grep -q '^# others: 99.50 cores' demo-test-1core.tsv
    [ "$(grep -c 'left out: one, ' demo-test-1core.tsv)" -eq 2 ] || fail "$(cat demo-test-1core.tsv)"
    run -1 sh "$top/bench/run/all.sh" --rows one,nosuch DATA=/none OUT=.
    [[ $output == 'turns.py: there is no row nosuch; there are search one '* ]] || fail "$output"
    # a program that fails is named, and so is the failure
    printf '#!/bin/sh\n[ "$1" = -h ] && echo "# HMMER 3.4" && exit\necho "no memory" >&2\nexit 3\n' >theirs/hmmsearch
    run -1 --separate-stderr sh "$top/bench/run/all.sh" --rows one --runs 1 --machine test-1core HMMER=theirs DATA=/none OUT=.
    grep -q '^# left out: one, HMMER, 1: status 3: no memory$' demo-test-1core.tsv
}

@test "each other table of bench/data is named where it counts, and has its date, commit or origin in its head" {
    local n=0 f
    for f in "$top"/bench/data/*; do
        case ${f##*/} in current-*.tsv) continue ;; esac
        n=$((n + 1))
        (cd "$top" && grep -rqF "${f##*/}" README.md docs kernels lib bin tests --include='*.[chm]*' --include='*.cu*' --include='*.py') ||
            fail "nothing names ${f##*/}: remove it"
        grep -qE '^# .*(20[0-9]{2}-[0-9]{2}|\b[0-9a-f]{7}\b|golden)' "$f" || fail "$f: no date, commit or origin in the head"
        case $f in
        *.tsv) awk -F '\t' '!/^# / { if (n && NF != n) { print FILENAME ":" FNR ": " NF " fields, not " n; bad = 1 } n = NF }
            END { exit bad }' "$f" ;;
        esac
    done
    [ "$n" -ge 10 ]
}
