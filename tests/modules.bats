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
