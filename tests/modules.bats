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
    local def='s/^    def \([a-z_]*\) = write_[a-z]* ? "\(-*[A-Za-z]*\) ${prefix}\.\([a-z]*\)".*/\1="\2 test.\3"/p'
    vars+=" $(sed -n "$def" "$modules/$1/main.nf" | tr '\n' ' ')"
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

# ---- Snakemake ----

wrappers=$flows/snakemake/wrappers
# A file is equal to HMMER 3.4's apart from lines of program, folder and time.
as_hmmer() { # as_hmmer FILE WANT
    local own='^# \(HMMER 3\|Copyright\|Freely\|The format\|CPU time\|Mc\/sec\|Program:\|Version:\|Option\|Current\|Date:\|'
    own+='Query file\|Target file\|'
    own+='.*\(file\|output\|database\|format\):\|number of worker\|MSA of\|Alignment of\|Pipeline mode\|\[ok\]\)\|^#=GF AU\|^#$'
    same <(grep -v "$own" "$small/$2") <(grep -v "$own" "$1") || fail "$1 $2"
}
wrapped_as_hmmer() { # wrapped_as_hmmer WRAPPER TABLE...: the files search.TABLE
    local peer=hmmsearch t
    [ "$1" != nhmmsieve ] || peer=nhmmer
    [ "$1" != jacksieve ] || peer=jackhmmer
    for t in "${@:2}"; do as_hmmer "search.$t" "$peer.$t"; done
    tail -1 search.out | grep -qx '\[ok\]'
}
prepare() { cp "$small"/{models.hmm,proteins.fa,queries.fa,dna.hmm,genome.fa} .; }

@test "snakemake: the command lines of the wrappers for hmmsieve, nhmmsieve and jacksieve leave what HMMER 3.4 left" {
    prepare
    wrapper() { python3 "$top/tests/wrappers.py" "$wrappers/$1/wrapper.py" threads=2 "log=logs/$1.log" "${@:2}"; }
    wrapper hmmsieve input.models=models.hmm input.sequences=proteins.fa output.report=search.out output.tblout=search.tbl \
        output.domtblout=search.dom output.pfamtblout=search.pfam output.alignment=search.sto 'params.extra=-Z 10'
    wrapped_as_hmmer hmmsieve tbl dom pfam sto
    wrapper hmmsieve input.models=models.hmm input.sequences=proteins.fa output.tblout=scan.tbl output.domtblout=scan.dom \
        params.extra=--scan
    as_hmmer scan.tbl hmmscan.tbl
    as_hmmer scan.dom hmmscan.dom
    wrapper hmmsieve input.models=models.hmm input.sequences=proteins.fa,queries.fa output.table=table.tsv
    [ "$(column table.tsv name)" = "$(hmmsieve -O tsv models.hmm proteins.fa queries.fa | grep -v '^##' | cut -f1 | sed 1d)" ]
    wrapper nhmmsieve input.query=dna.hmm input.sequences=genome.fa output.report=search.out output.tblout=search.tbl \
        output.dfamtblout=search.dfam output.alignment=search.sto
    wrapped_as_hmmer nhmmsieve tbl dfam sto
    wrapper jacksieve input.queries=queries.fa input.sequences=proteins.fa output.report=search.out output.tblout=search.tbl \
        output.domtblout=search.dom output.alignment=search.sto 'params.extra=-N 3'
    wrapped_as_hmmer jacksieve tbl dom sto
    # what fails says so, in the log too
    ! wrapper hmmsieve input.models=none.hmm input.sequences=proteins.fa output.tblout=none.tbl 2>said || fail "no models, and no failure"
    grep -q none.hmm logs/hmmsieve.log && [ ! -e none.tbl ]
    for w in hmmsieve nhmmsieve jacksieve; do
        ! wrapper $w output.report=a output.table=b 2>said || fail "$w writes a report and a table"
        grep -q "$w: output has report and table" said
        ! wrapper $w output.tsv=a 2>said || fail "$w knows tsv"
        ! wrapper $w output.table=a output.tsv=a 2>said || fail "$w knows tsv"
        grep -q "$w: output has tsv, expected some of .*table, tblout" said || fail "$(cat said)"
    done
}

@test "snakemake: wrappers have their parts; their own tests by Snakemake where it is installed" {
    local w key
    for w in hmmsieve nhmmsieve jacksieve; do
        for key in name description url input output params notes; do
            grep -q "^$key:" "$wrappers/$w/meta.yaml" || fail "meta.yaml of $w has no $key"
        done
        for key in $(sed -n 's/^OPTIONS = {\(.*\)}/\1/p' "$wrappers/$w/wrapper.py" | grep -o '"[a-z]*":' | tr -d '":'); do
            grep -q "^  - $key:" "$wrappers/$w/meta.yaml" || fail "meta.yaml of $w has no $key"
        done
        same "$wrappers/cascade/environment.yaml" "$wrappers/$w/environment.yaml" || fail "$w"
    done
    command -v snakemake >/dev/null || skip "snakemake is not installed"
    for w in hmmsieve nhmmsieve jacksieve; do
        mkdir -p "$w" "prefix/master/bio/warpsieve/$w"
        cp "$wrappers/$w"/*.* "prefix/master/bio/warpsieve/$w/"
        cp "$wrappers/$w/test/Snakefile" "$w"
        cd "$w"
        prepare
        snakemake --nocolor --cores 2 --wrapper-prefix "file://$BATS_TEST_TMPDIR/prefix/" \
            $(sed -n 's/^rule \(.*\):$/\1/p' Snakefile) >log 2>&1 || fail "$w: $(tail -20 log)"
        case $w in
        hmmsieve) wrapped_as_hmmer $w tbl dom pfam sto && as_hmmer scan.tbl hmmscan.tbl ;;
        nhmmsieve) wrapped_as_hmmer $w tbl dfam sto ;;
        jacksieve) wrapped_as_hmmer $w tbl dom sto ;;
        esac
        cd ..
    done
}
