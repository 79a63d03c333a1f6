#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What Galaxy, nf-core and Snakemake have of single programs runs its command lines and leaves what HMMER 3.4 left:
# workflows/galaxy, workflows/nextflow/modules, workflows/snakemake/wrappers. Its data are those of workflows/galaxy/test-data.

bats_require_minimum_version 1.5.0
load helper

flows=$top/workflows
small=$flows/galaxy/test-data

setup() { cd "$BATS_TEST_TMPDIR" || return 1; }

# ---- Galaxy ----

@test "galaxy: every <test> is run as its command line, and leaves what HMMER 3.4 left" {
    run -0 python3 "$top/tests/galaxy_tools.py" run "$flows/galaxy" out
    [[ ${lines[-1]} =~ ^([0-9]+)\ tests,\ 0\ wrong$ ]] || fail "$output"
    [ "${BASH_REMATCH[1]}" -ge 15 ]
}

@test "galaxy: options that the programs have, outputs that are tested; Galaxy's linters where they are installed" {
    run -0 python3 "$top/tests/galaxy_tools.py" check "$flows/galaxy"
    [[ ${lines[-1]} =~ ^7\ tools,\ [07]\ of\ them\ by\ Galaxy.s\ linters,\ 0\ faults$ ]] || fail "$output"
    echo "# ran: ${lines[-1]}" >&3
}

@test "galaxy: a wrong result, a wrong option, an output without a test are reported" {
    cp -r "$flows/galaxy" galaxy
    sed -i '5s/[0-9]/x/' galaxy/test-data/hmmscan.tbl
    run -1 python3 "$top/tests/galaxy_tools.py" run galaxy out
    grep -q 'hmmscan.xml, test 1: ' <<<"$output" && [ "${lines[-1]}" = "15 tests, 1 wrong" ] || fail "$output"
    sed -i 's/--outformat \$form/--outform $form/; s/<output name="aligned"/<output name="other"/' galaxy/hmmalign.xml
    run -1 python3 "$top/tests/galaxy_tools.py" check galaxy
    grep -q 'hmmalign -h has no option --outform$' <<<"$output" && grep -q 'no test has the output aligned' <<<"$output" || fail "$output"
}

# ---- nf-core ----

modules=$flows/nextflow/modules/warpsieve
# The text between the triple quotes after "script:" or "stub:", with Nextflow's variables as those of the shell
section() { # section MODULE script|stub
    awk -v want="$2" '$1 ~ /^[a-z]+:$/ { on = $1 == want ":" } on && /"""/ { q = !q; next } on && q' "$modules/$1/main.nf" |
        sed "s/\${task\.cpus}/2/g; s/\${write_[a-z]* ? 'true' : 'false'}/true/; s/\\\\\\$/\$/g"
}
# Runs script and stub of a module with all tables in the folders run and stub: nf MODULE FIRST SECOND
nf() {
    local vars="set -eu; prefix=test args= models=../$2 queries=../$2 query=../$2 sequences=../$3"
    vars+=" $(sed -n 's/^    def \([a-z_]*\) = write_[a-z]* ? "\(-*[A-Za-z]*\) ${prefix}\.\([a-z]*\)".*/\1="\2 test.\3"/p' "$modules/$1/main.nf" | tr '\n' ' ')"
    rm -rf run stub
    mkdir run stub
    section "$1" script >script.sh
    section "$1" stub >stub.sh
    [ -s script.sh ] && [ -s stub.sh ] || fail "$1 has no script or no stub"
    (cd run && bash -c "$vars; . ../script.sh")
    (cd stub && bash -c "$vars; . ../stub.sh")
}

@test "nf-core: script and stub of each module leave what is declared, with the bytes of HMMER 3.4" {
    local name first second x f
    cp "$small"/{models.hmm,proteins.fa,queries.fa,dna.hmm,genome.fa} .
    while read -r name first second tables; do
        ln -sf "$first" query
        nf "$name" "$first" "$second"
        for f in run stub; do
            same <(sed -n 's/.*path("\*\(.*\)"), emit.*/test\1/p' "$modules/$name/main.nf" | sort) <(ls $f) || fail "$name $f"
        done
        for x in $tables; do
            f=run/test.${x#*=}.gz
            [ "$(zcat "$f" | wc -l)" -gt 9 ] || fail "$name: $x is too short"
            same <(rows "$small/$name.${x%=*}" | grep -v '^#=GF AU') <(zcat "$f" | grep -v '^#' | grep -v '^#=GF AU') || fail "$name $x"
        done
        zcat run/test.txt.gz | tail -1 | grep -qx '\[ok\]' || fail "$name: the report has no end"
    done <<'LIST'
hmmsearch models.hmm proteins.fa tbl=tbl dom=domtbl sto=sto
hmmscan models.hmm proteins.fa tbl=tbl dom=domtbl
phmmer queries.fa proteins.fa tbl=tbl dom=domtbl sto=sto
nhmmer dna.hmm genome.fa tbl=tbl dfam=dfamtbl sto=sto
LIST
    same <(ls "$modules") <(printf '%s\n' cascade hmmscan hmmsearch nhmmer phmmer)
}

@test "nf-core: the collection's rules for meta.yml and environment.yml; parts, versions and snapshots of each module" {
    python3 -c 'import yaml' 2>/dev/null || absent "python3 has no yaml"
    local name m first second p v
    cp "$small"/{models.hmm,proteins.fa,queries.fa,dna.hmm,genome.fa} .
    v=$(hmmsieve --version | sed -n '1s/.* //p')
    for name in hmmsearch hmmscan phmmer nhmmer; do
        m=$modules/$name
        python3 "$top/tests/nfcore.py" check "$m" ${WARPSIEVE_NFCORE:+"$WARPSIEVE_NFCORE"} || fail "$name"
        for p in "label 'process_medium'" 'task.ext.when == null || task.ext.when' 'task.ext.args ?:' ' ${args} ' 'task.ext.prefix ?:' \
            'topic: versions' "process WARPSIEVE_${name^^} {"; do
            grep -qF "$p" "$m/main.nf" || fail "main.nf of $name has no $p"
        done
        [ "$(grep -c "warpsieve:$v--" "$m/main.nf")" -eq 2 ] || fail "the containers of $name are of another version"
        sed -n 's/.*path("\([^"]*\)"), emit: \([a-z_]*\).*/\1 \2/p' "$m/main.nf" | while read -r glob emit; do
            grep -q "^  $emit:" "$m/meta.yml" && grep -qF "\"$glob\"" "$m/meta.yml" || fail "meta.yml of $name has no $emit, $glob"
        done
        [ "$(bash -c "$(sed -n 's/.*eval("\(.*\)"), topic.*/\1/p' "$m/main.nf")")" = "$v" ]
        first=$(sed -n "s/.*warpsieve_small + '\/\([^']*\)'.*/\1/p" "$m/tests/main.nf.test" | sed -n 1p)
        second=$(sed -n "s/.*warpsieve_small + '\/\([^']*\)'.*/\1/p" "$m/tests/main.nf.test" | sed -n 2p)
        nf "$name" "$first" "$second"
        python3 "$top/tests/nfcore.py" tables "$m" run stub "$v" >snapshot
        [ "${WARPSIEVE_SNAPSHOT:-}" != write ] || cp snapshot "$m/tests/main.nf.test.snap"
        same "$m/tests/main.nf.test.snap" snapshot ||
            fail "WARPSIEVE_SNAPSHOT=write bats tests/modules.bats -f snapshots makes it anew for $name"
    done
}
