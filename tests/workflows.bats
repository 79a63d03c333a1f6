#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The workflows give what plain hmmsearch gives: shell and Snakemake are run, the Nextflow module is checked as text and
# its script is run as shell. With WARPSIEVE_TESTS=full also on a whole proteome with 250 models, if the data are there.

bats_require_minimum_version 1.5.0
load helper

flows=$top/workflows
module=$flows/nextflow/modules/warpsieve/cascade
shared=$top/../shared/data

setup_file() {
    make_data
    hmmsearch --noali -o /dev/null --tblout want.tbl --domtblout want.dom three.hmm demo.fa
    msvfilt three.hmm demo.fa | vitfilt three.hmm | fwdscore -Z 400 three.hmm >want.tsv
    domscore three.hmm want.tsv >want.domains
    printf 'HMMER3/f\n' >none.hmm
    printf '>a\nMKVLAAGG\n>b\nMWWWW\n' >none.fa
}
setup() { in_data; }
table() { grep -v '^#' "$1" | tr -s ' '; }
same_report() { # same_report TBL DOM
    same <(table want.tbl) <(table "$1")
    same <(table want.dom) <(table "$2")
}
same_rows() { same <(grep -v '^##w' want.tsv) <(grep -v '^##w' "$1"); }
same_domains() { same <(grep -v '^##w' want.domains) <(grep -v '^##w' "$1"); }

# ---- shell ----

@test "shell/cascade.sh: the report and the table of the whole" {
    bash "$flows/shell/cascade.sh" three.hmm demo.fa.gz shell 2
    same_report shell.hits.tbl shell.hits.dom
    same <(rows want.tsv | cut -f1-14) <(rows shell.hits.tsv | cut -f1-14)
    same_domains shell.domains.tsv
}

@test "shell/cascade.sh: no survivors are no failure, a cut database is one" {
    bash "$flows/shell/cascade.sh" m.hmm none.fa none
    [ ! -s none.hits.fa ]
    [ "$(grep -c '^#' none.hits.tbl)" -gt 5 ] && [ "$(table none.hits.tbl | wc -l)" -eq 0 ]
    bash "$flows/shell/cascade.sh" m.hmm /dev/null empty
    grep -q '^#name' empty.domains.tsv
    head -c 20000 demo.fa.gz >cut.fa.gz
    run bash "$flows/shell/cascade.sh" m.hmm cut.fa.gz cut
    [ "$status" -ne 0 ]
    [ ! -e cut.hits.tbl ]
}

@test "shell/parts.sh and join.sh: all rows of a model in one part, and joined tables are those of one job" {
    local n f files x
    domscore --tblout whole.tbl --domtblout whole.dom -o whole.tsv three.hmm - <want.tsv
    for n in 1 2 3 5; do # also more parts than models
        rm -rf parts && mkdir parts
        files=$(seq -f "parts/%g" $n)
        bash "$flows/shell/parts.sh" three.hmm want.tsv $files
        same <(rows want.tsv | sort) <(cat $files | grep -v '^#' | sort)
        for f in $files; do
            same <(grep '^#' want.tsv) <(grep '^#' "$f")
            domscore --tblout "$f.tbl" --domtblout "$f.dom" -o "$f.tsv" three.hmm - <"$f"
        done
        for f in $files; do column "$f" query | sort -u; done >models
        same <(sort -u models) <(sort models)
        for x in tbl dom tsv; do
            bash "$flows/shell/join.sh" $(printf "%s.$x " $files) >joined
            same whole.$x joined || fail "$n parts: $x"
        done
    done
    [ "$(nrows parts/1)" -gt 0 ] && [ "$(nrows parts/5)" -gt 0 ] # the cells are dealt out, not the models
    head -4 want.tsv >none.tsv # no hit of any model
    sed -i '/^[^#]/d' none.tsv
    bash "$flows/shell/parts.sh" three.hmm none.tsv parts/1 parts/2
    [ "$(nrows parts/1)" -eq 0 ] && [ "$(nrows parts/2)" -eq 0 ]
    ! bash "$flows/shell/parts.sh" nothing.hmm want.tsv parts/1 2>said || fail "no models, and no failure"
    ! bash "$flows/shell/join.sh" nothing.tsv 2>said || fail "no table, and no failure"
}

# A machine with four devices, as far as a job sees: nvidia-smi names them, and msvfilt writes down which one it had,
# and from when to when.
make_devices() {
    rm -rf fake slots log.devices
    mkdir -p fake slots
    printf '#!/bin/sh\nprintf "0\\n1\\n2\\n3\\n"\n' >fake/nvidia-smi
    cat >fake/msvfilt <<SH
#!/bin/bash
args=()
while [ \$# -gt 0 ]; do case \$1 in --backend) shift 2 ;; --device) [ "\$2" = all ] && shift 2 ;; *) args+=("\$1"); shift ;; esac; done
began=\$(date +%s%N)
sleep 0.5
$(command -v msvfilt) "\${args[@]}"
s=\$?
echo "\${CUDA_VISIBLE_DEVICES-none} \$began \$(date +%s%N)" >>"$PWD/log.devices"
exit \$s
SH
    chmod +x fake/*
    export WARPSIEVE_SLOTS=$PWD/slots TMPDIR=$PWD/slots PATH=$PWD/fake:$PATH
    unset CUDA_VISIBLE_DEVICES XDG_RUNTIME_DIR
}
one_job_each() { # one_job_each JOBS DEVICES: each job had one device, none two jobs at a time, and all devices had some
    [ "$(wc -l <log.devices)" -eq "$1" ] || fail "$(cat log.devices)"
    [ "$(cut -d' ' -f1 log.devices | sort -u | paste -sd' ')" = "$2" ] || fail "$(cat log.devices)"
    sort -k1,1n -k2,2n log.devices | awk '$1 == d && $2 < end { bad = 1 } { d = $1; end = $3 } END { exit bad }' ||
        fail "$(sort log.devices)"
}

@test "shell/device.sh: a device for each command, a scheduler's choice, several for one, too few" {
    make_devices
    for _ in 1 2 3 4 5 6 7 8; do bash "$flows/shell/device.sh" 1 msvfilt --backend cuda --device all -o /dev/null m.hmm small.fa & done
    wait
    one_job_each 8 '0 1 2 3'
    [ "$(CUDA_VISIBLE_DEVICES=GPU-5a bash "$flows/shell/device.sh" 1 printenv CUDA_VISIBLE_DEVICES)" = GPU-5a ]
    [ "$(CUDA_VISIBLE_DEVICES=2,5,7 bash "$flows/shell/device.sh" 2 printenv CUDA_VISIBLE_DEVICES)" = 2,5 ]
    [ "$(bash "$flows/shell/device.sh" 4 printenv CUDA_VISIBLE_DEVICES)" = 0,1,2,3 ]
    run bash "$flows/shell/device.sh" 5 true
    [ "$status" -eq 1 ] && grep -q 'found 4 devices (0,1,2,3), expected at least 5' <<<"$output" || fail "$output"
    run bash "$flows/shell/device.sh" 1 false
    [ "$status" -eq 1 ]
}

# Folders that a job must not trust: a link, one that others may write to, one of another user.
refuses_folder() { # refuses_folder COMMAND...
    local folder=$PWD/slots/warpsieve-slots-$(id -u)
    unset WARPSIEVE_SLOTS
    export TMPDIR=$PWD/slots
    mkdir -p slots
    rm -rf "$folder" mine
    mkdir mine
    echo precious >mine/file
    for how in 'ln -s "$PWD/mine"' 'mkdir -m 777' 'mkdir -m 755' 'mkdir -m 750' : 'mkdir -m 700'; do
        if [ "$how" = : ] && [ "$(id -u)" -ne 0 ]; then continue; fi
        rm -rf "$folder"
        if [ "$how" = : ]; then mkdir -m 700 "$folder" && chown 65534 "$folder"; else eval "$how" '"$folder"'; fi
        [ -L "$folder" ] || ln -s "$PWD/mine/file" "$folder/all"
        ln -sf file mine/all
        status=0
        "$@" >said 2>&1 || status=$?
        [ "$(cat mine/file)" = precious ] || fail "$how: a file was emptied"
        [ "$how" = 'mkdir -m 700' ] || { [ $status -ne 0 ] && grep -q "$folder: found .*, expected a folder of your own" said; } ||
            fail "$how: status $status, $(cat said)"
    done
    [ $status -eq 0 ] || fail "$(cat said)"
    rm -rf "$folder" slots/run
    mkdir slots/run
    XDG_RUNTIME_DIR=$PWD/slots/run "$@"
    [ ! -e "$folder" ] && [ "$(stat -c %a "slots/run/${folder##*/}")" = 700 ]
}

@test "shell/device.sh: a folder that others can write to is refused, and no file is emptied" {
    make_devices
    refuses_folder bash "$flows/shell/device.sh" 1 true
}

@test "shell/parts.sh and join.sh: files named a=b, rows whose names begin with #" {
    local x
    awk 'BEGIN { split("#x ##x ##end ##record # #name #- ##warpsieve name", odd) }
        FNR == NR { if (!/^#/) hit[$1] = 1; next }
        /^>/ && substr($1, 2) in hit && i < 9 { sub(/^>[^ ]*/, ">" odd[++i]) }
        { print }' want.tsv demo.fa >odd.fa
    msvfilt three.hmm odd.fa | vitfilt three.hmm | fwdscore -Z 400 three.hmm >odd=1.tsv
    [ "$(grep -c '^#' odd=1.tsv)" -eq $((5 + 8)) ]
    domscore --tblout whole.tbl --domtblout whole.dom -o whole.tsv three.hmm - <odd=1.tsv
    bash "$flows/shell/parts.sh" three.hmm odd=1.tsv run=1 run=2
    for x in run=1 run=2; do
        domscore --tblout "./$x.tbl" --domtblout "./$x.dom" -o "./$x.tsv" three.hmm - <"$x"
    done
    for x in tbl dom tsv; do
        bash "$flows/shell/join.sh" run=1.$x run=2.$x >joined
        same whole.$x joined || fail $x
    done
    bash "$flows/shell/join.sh" run=2.tbl run=1.tbl >joined # with such rows first
    same <(grep '^#[^ ]* .*Pkinase' whole.tbl | cut -c1-60) <(grep '^#[^ ]* .*Pkinase' joined | cut -c1-60)
}

@test "shell/join.sh: no end is made up: cut tables, other searches, an unknown size; parts.sh loses no input" {
    refused() { # refused PATTERN COMMAND...
        run -1 bash "$flows/shell/$2.sh" "${@:3}"
        grep -q "$1" <<<"$output" || fail "$2 ${*:3}: $output"
    }
    bash "$flows/shell/parts.sh" three.hmm want.tsv p1 p2
    for x in p1 p2; do domscore --tblout $x.tbl -o $x.tsv three.hmm - <$x; done
    sed '$d' p2.tsv >cut
    refused 'cut is cut: it has no line ##end' join p1.tsv cut
    sed '5,9d' p1.tsv >cut
    refused 'cut is cut: it has .* rows, and ##end counts' join cut p2.tsv
    sed '$d' p2.tbl >cut
    refused 'cut is cut: its last line is not' join p1.tbl cut
    sed 's/in=400/in=300/' p2.tsv >cut
    refused 'they are not parts of one search' join p1.tsv cut
    grep -v '^##' p2.tsv >cut
    refused 'cut has no line ##end, unlike' join p1.tsv cut
    : >cut
    refused '1 of 2 tables are empty' join p1.tsv cut
    sed 's/^#name/#other/' p2.tsv >cut
    refused 'cut has other columns' join p1.tsv cut
    sed 's/ in=400.*//' p2.tsv >cut
    bash "$flows/shell/join.sh" p1.tsv cut >joined
    [ "$(tail -1 joined)" = "##end rows=$(nrows want.domains)" ] || fail "$(tail -1 joined)"
    cp want.tsv kept.tsv
    cp three.hmm kept.hmm
    refused 'kept.hmm is also read, and would be lost' parts kept.hmm want.tsv p1 kept.hmm
    refused 'kept.tsv is also read, and would be lost' parts three.hmm kept.tsv p1 ./kept.tsv
    same want.tsv kept.tsv
    refused 'is no file, which TABLE must be' parts three.hmm /dev/null p1
    : >cut
    refused 'the table is empty' parts three.hmm cut p1
    refused 'is of model globins4\|is of model Pkinase\|is of model fn3' parts m.hmm want.tsv p1
    grep -v '^#' want.tsv >cut
    refused 'cut has no header' parts three.hmm cut p1
}

# ---- Snakemake ----

snake() {
    command -v snakemake >/dev/null || skip "snakemake is not installed"
    snakemake --nocolor "$@" >snake.log 2>&1 || fail "$(tail -30 snake.log)"
}

@test "snakemake: packed shards, cascade, gather, domains: the tables of plain hmmsearch" {
    snake -s "$flows/snakemake/Snakefile" --cores 2 --config database=demo.fa.gz models=three.hmm out=snake
    same_report snake/hits.tbl snake/hits.dom
    same_rows snake/hits.tsv
    same_domains snake/domains.tsv
    [ "$(ls snake | tr '\n' ' ')" = "counts.json domains.tsv hits.dom hits.fa hits.tbl hits.tsv log " ]
    snake -s "$flows/snakemake/Snakefile" --cores 2 --set-scatter shard=2 part=1 --config database=demo.fa.gz models=three.hmm out=other
    for f in domains.tsv hits.dom hits.fa hits.tbl hits.tsv; do
        same snake/$f <(sed 's|other/models|snake/models|' other/$f) || fail $f
    done
}

@test "snakemake: every rule asks for memory and time" {
    local f
    for f in "$flows"/snakemake/rules/*.smk; do
        awk '/^rule / { rule = $2; has = "" } /^rule warpsieve_/ { n++ } /^        (mem_mb=MEM_MB|runtime=RUNTIME),$/ && rule { n -= 0.5 }
            END { exit n != 0 }' "$f" || fail "a rule of $f has no mem_mb or no runtime"
    done
    snake -n -s "$flows/snakemake/Snakefile" all genomes searches orfs msas --config database=demo.fa.gz models=three.hmm \
        mem_mb=700 runtime=90 queries=none.fa dna_models=m.hmm 'databases={"a": {"files": ["demo.fa", "small.fa"], "apart": true}}' \
        'genomes={"g": "small.fa"}' 'contigs={"c": "small.fa"}'
    # what Snakemake would run, without the rules that run nowhere
    awk '/^(local)?rule / { name = $2; n++ } /^    resources:/ && !/mem_mb=700/ && name ~ /^warpsieve_/ { print name; bad = 1 }
        /^    resources:/ && !/runtime=90/ && name ~ /^warpsieve_/ { print name; bad = 1 } END { exit bad || n < 20 }' snake.log ||
        fail "no limits, or too few jobs: $(grep -c '^rule' snake.log)"
    for f in models shards cascade gather parts domains report counts search genome orfs msas; do
        grep -q "^rule warpsieve_$f:" snake.log || fail "no job of warpsieve_$f"
    done
}

@test "snakemake: searches and genomes, a job for each database: the tables of hmmsieve and nhmmsieve" {
    awk '/^>/ { n++ } { print > (n <= 200 ? "first.fa" : "second.fa") }' demo.fa
    snake -s "$flows/snakemake/Snakefile" searches --cores 2 --config models=three.hmm out=found \
        'databases={"whole": ["first.fa", "second.fa"], "each": {"files": ["first.fa", "second.fa"], "apart": true},
            "given": {"files": "first.fa", "Z": 400, "options": "-E 1e-3"}}'
    [ "$(ls found/searches | tr '\n' ' ')" = 'each.1.dom each.1.tbl each.2.dom each.2.tbl given.dom given.tbl whole.dom whole.tbl ' ] ||
        fail "$(ls found/searches)"
    same_report found/searches/whole.tbl found/searches/whole.dom
    # E-values of all 400; how many domains are reported depends on the hits of a file
    same <(table want.tbl | cut -d' ' -f1-10 | sort) <(cat found/searches/each.?.tbl | grep -v '^#' | tr -s ' ' | cut -d' ' -f1-10 | sort)
    hmmsieve -Z 400 -E 1e-3 -o /dev/null --tblout given.tbl three.hmm first.fa
    same <(table given.tbl) <(table found/searches/given.tbl)
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    cp "$data/golden/long-targets/inputs/dna_target.fa.gz" human.fa.gz
    snake -s "$flows/snakemake/Snakefile" genomes --cores 2 --config dna_models=made.hmm out=found 'genomes={"human": "human.fa.gz"}'
    nhmmsieve -o /dev/null --tblout human.tbl made.hmm human.fa.gz
    [ "$(table human.tbl | wc -l)" -gt 0 ]
    same <(table human.tbl) <(table found/genomes/human.tbl)
    snake -s "$flows/snakemake/Snakefile" orfs --cores 2 --config models=three.hmm out=found sixframe='-l 60' \
        hmmsieve='-E 1e4 --domE 1e4 --max --join' \
        'contigs={"human": {"files": ["human.fa.gz"]}}'
    sixframe -l 60 human.fa.gz | hmmsieve --orfs --join -E 1e4 --domE 1e4 --max -O tsv -o orfs.tsv --tblout orfs.tbl three.hmm
    [ "$(table orfs.tbl | wc -l)" -gt 0 ]
    same <(table orfs.tbl) <(table found/orfs/human.tbl)
    same <(grep -v '^##' orfs.tsv) <(grep -v '^##' found/orfs/human.tsv)
}

@test "snakemake: gpus=1 gives each job one device of its own; a scheduler's choice holds" {
    command -v snakemake >/dev/null || skip "snakemake is not installed"
    make_devices
    snake -s "$flows/snakemake/Snakefile" --cores 16 --set-scatter shard=8 --resources gpu=4 --config database=demo.fa.gz models=three.hmm \
        out=gpus threads=1 gpus=1
    one_job_each 8 '0 1 2 3'
    same_report gpus/hits.tbl gpus/hits.dom
    same_rows gpus/hits.tsv
    python3 -c 'import snakemake_executor_plugin_cluster_generic' 2>/dev/null ||
        "$(dirname "$(command -v snakemake)")/python" -c 'import snakemake_executor_plugin_cluster_generic' 2>/dev/null || return 0
    # a scheduler that has devices 5, 6 and 7, and gives each job one of them
    make_devices
    cat >submit <<'SH'
#!/bin/bash
exec {turn}>turn; flock "$turn"
n=$(($(cat turns 2>/dev/null || echo 0) + 1)); echo $n >turns
CUDA_VISIBLE_DEVICES=$((5 + n % 3)) bash "$@" >"job.$n" 2>&1
echo $n
SH
    chmod +x submit
    snake -s "$flows/snakemake/Snakefile" --executor cluster-generic --cluster-generic-submit-cmd ./submit --jobs 3 --set-scatter shard=6 \
        --resources gpu=3 --config database=demo.fa.gz models=three.hmm out=cluster threads=1 gpus=1
    [ "$(wc -l <log.devices)" -eq 6 ] && [ -z "$(cut -d' ' -f1 log.devices | grep -v '^[567]$')" ] ||
        fail "$(cat log.devices)"
    same_rows cluster/hits.tsv
}

@test "snakemake: MSAs of all queries, a job for each database; a database in two jobs with the Z of the whole" {
    cp "$data/golden/sequences/queries.fa" .
    awk '/^>/ { n++ } { print > (n <= 200 ? "first.fa" : "second.fa") }' demo.fa
    snake -s "$flows/snakemake/Snakefile" msas --cores 2 --config queries=queries.fa out=msas jacksieve='-N 1 --incE 1e-4' \
        'databases={"whole": "demo.fa.gz", "files": ["first.fa", "second.fa"], "rounds": {"files": "first.fa", "options": "-N 2"},
            "one": {"files": "first.fa", "Z": 400}, "two": {"files": "second.fa", "Z": 400}}'
    [ "$(ls msas/msas | tr '\n' ' ')" = 'files one rounds two whole ' ] || fail "$(ls msas/msas)"
    mkdir alone
    jacksieve -N 1 --incE 1e-4 -o /dev/null -A 'alone/%q.sto' queries.fa demo.fa
    diff -r -x .snakemake_timestamp alone msas/msas/whole
    diff -r -x .snakemake_timestamp alone msas/msas/files
    for f in alone/*; do # every row is in one of the parts
        same <(grep -v '^#' "$f" | awk 'NF { print $1 }' | sort -u) <(cat msas/msas/one/"${f##*/}" msas/msas/two/"${f##*/}" |
            grep -v '^#' | awk 'NF && !/^\/\// { print $1 } /^\/\// { print "//" }' | sort -u)
    done
    snake -s "$flows/snakemake/Snakefile" msas --cores 2 --config queries=queries.fa out=msas jacksieve='-N 1 --incE 1e-4' \
        'databases={"apart": {"files": ["first.fa", "second.fa"], "apart": true}}' # which counts for itself
    diff -r -x .snakemake_timestamp msas/msas/one msas/msas/apart.1
    diff -r -x .snakemake_timestamp msas/msas/two msas/msas/apart.2
    jacksieve -N 2 -o /dev/null -A 'alone/%q.sto' queries.fa first.fa
    diff -r -x .snakemake_timestamp alone msas/msas/rounds
}

@test "snakemake: chains in groups, a job of warpsieve-msa for each: what one run over all of them writes" {
    local d f jobs
    python3 "$top/tests/msa_data.py" af "$data/demo.fa.gz"
    printf '>one\nMKVLAAGG\n>two\nMKVLAAGC\n' >af/two.fa
    awk '/^>/ { n++ } { print > sprintf("af/db/parts-%05d-of-00003", n * 3 / 410) }' af/db/uniprot.fa
    d='{"uniref90": "af/db/uniref90.fa", "small_bfd": {"files": "af/db/small_bfd.fa", "Z": 5000}, "uniprot": "af/db/parts@3",
        "rfam": "af/db/rfam.fa"}'
    jobs=(-s "$flows/snakemake/Snakefile" --config 'chains=["af/inputs", "af/two.fa"]' "databases=$d" out=af/out
        msa='-q --no-templates' models=three.hmm)
    snake chains -n --set-scatter group=5 "${jobs[@]}" mem_mb=700 runtime=90 threads=3 gpus=1
    [ "$(grep -c '^rule warpsieve_chains:' snake.log)" -eq 5 ] || fail "$(cat snake.log)"
    [ "$(grep '^    resources:' snake.log | grep mem_mb=700 | grep runtime=90 | grep -c gpu=1)" -eq 5 ] || fail "$(cat snake.log)"
    snake chains --cores 2 --set-scatter group=2 "${jobs[@]}" threads=1
    warpsieve-msa -q --no-templates -o af/alone -Z small_bfd=5000 $(for f in uniref90 small_bfd rfam; do echo "--db $f=af/db/$f.fa"; done) \
        --db uniprot=af/db/parts@3 af/inputs af/two.fa
    [ "$(ls af/alone | wc -l)" -eq 10 ]
    diff -r -x .snakemake_timestamp -x .warpsieve-msa -x report.tsv af/alone af/out/chains
    same <(cut -f1-6,9- af/alone/report.tsv | sort) <(cut -f1-6,9- af/out/chains/report.tsv | sort)
    [ -z "$(ls -A af/out/groups 2>/dev/null)" ] || fail "left: $(ls -A af/out/groups)"
    # more groups than jobs, A3M; a group that failed begins anew with other databases
    jobs=(-s "$flows/snakemake/Snakefile" --config chains=af/two.fa "databases=$d" out=af/few 'msa=--to a3m' models=three.hmm)
    mkdir af/none
    sed '1s/^>//' af/db/rfam.fa >af/none/rfam.fa
    run snakemake chains --nocolor --cores 1 --set-scatter group=3 "${jobs[@]}" \
        "databases={\"uniref90\": \"af/db/uniref90.fa\", \"uniprot\": \"af/none/rfam.fa\"}"
    [ "$status" -ne 0 ] && grep -q 'af/none/rfam.fa: line 1' af/few/log/chains-?-of-3.log || fail "$output"
    [ ! -e af/few/chains ] && compgen -G 'af/few/groups/?-of-3.unfinished'
    snake chains --cores 1 --set-scatter group=3 "${jobs[@]}"
    same <(cd af/few/chains && find . -type f | grep -v /.snake | sort | paste -sd' ') \
        <(echo ./one/{paired,small_bfd_hits,unpaired,uniprot_hits,uniref90_hits}.a3m ./report.tsv \
            ./two/{paired,small_bfd_hits,unpaired,uniprot_hits,uniref90_hits}.a3m | tr ' ' '\n' | sort | paste -sd' ')
    mkdir af/bin # the first try ends behind its work, and the second has nothing to search
    printf '#!/bin/sh\n"%s" "$@" || exit\n[ -e af/tried ] || { touch af/tried; exit 1; }\n' \
        "$(command -v warpsieve-msa)" >af/bin/warpsieve-msa
    chmod +x af/bin/warpsieve-msa
    PATH=$PWD/af/bin:$PATH snake chains --cores 1 --retries 1 --set-scatter group=1 "${jobs[@]}" out=af/twice
    grep -q ' 0 jobs, 0 different chains' af/twice/log/chains-1-of-1.log || fail "$(cat af/twice/log/*.log)"
    diff -r -x .snakemake_timestamp -x report.tsv af/few/chains af/twice/chains
    run snakemake chains --nocolor --cores 1 -s "$flows/snakemake/Snakefile" --config chains=af/two.fa models=three.hmm out=af/wrong \
        'databases={"uniref90": {"files": ["a", "b"]}}'
    [ "$status" -ne 0 ] && grep -q 'database uniref90: found .*expected a file' <<<"$output" || fail "$output"
    run snakemake chains -n --nocolor --cores 1 -s "$flows/snakemake/Snakefile" --config chains=af/two.fa models=three.hmm out=af/wrong \
        'databases={"uniref90": {"files": ["a", "b"], "apart": true}}'
    [ "$status" -ne 0 ] && grep -q 'database uniref90: found apart, .*name the files FILE@N' <<<"$output" || fail "$output"
}

@test "snakemake: --lint has nothing to say" {
    command -v snakemake >/dev/null || skip "snakemake is not installed"
    run -0 snakemake --nocolor --lint -s "$flows/snakemake/Snakefile" --config database=demo.fa.gz models=three.hmm
    grep -q 'Congratulations' <<<"$output" || fail "$output"
    same <(sed 1d "$flows/snakemake/envs/warpsieve.yaml") <(sed 1d "$flows/snakemake/wrappers/cascade/environment.yaml")
}

@test "snakemake: nothing passes" {
    snake -s "$flows/snakemake/Snakefile" --cores 1 --set-scatter shard=2 --config database=none.fa models=m.hmm out=nothing threads=1
    [ "$(table nothing/hits.tbl | wc -l)" -eq 0 ]
    [ "$(nrows nothing/hits.tsv)" -eq 0 ]
}

@test "snakemake: a cut database fails and leaves no table; the second try asks for more memory" {
    command -v snakemake >/dev/null || skip "snakemake is not installed"
    head -c 20000 demo.fa.gz >cut.fa.gz
    run snakemake -s "$flows/snakemake/Snakefile" --cores 1 --retries 1 --config database=cut.fa.gz models=m.hmm out=cut mem_mb=700
    [ "$status" -ne 0 ]
    grep -q 'mem_mb=700' <<<"$output" && grep -q 'mem_mb=1400' <<<"$output" || fail "$output"
    [ ! -e cut/hits.tsv ]
    grep -qi 'cut\|truncated\|incomplete\|ends' cut/log/shards.log
}

@test "snakemake: the wrapper passes its own test" {
    mkdir -p wrapped prefix/master/bio/warpsieve/cascade
    cp "$flows"/snakemake/wrappers/cascade/*.* prefix/master/bio/warpsieve/cascade/
    cp demo.fa.gz wrapped/
    cp "$data/demo.hmm" wrapped/
    cp "$flows/snakemake/wrappers/cascade/test/Snakefile" wrapped/
    cd wrapped
    snake --cores 2 --wrapper-prefix "file://$BATS_FILE_TMPDIR/prefix/" hits.tsv
    cd ..
    [ "$(nrows wrapped/hits.tsv)" -eq "$(grep -c '>' wrapped/hits.fa)" ]
    msvfilt m.hmm demo.fa | vitfilt m.hmm | fwdscore m.hmm >one.tsv
    same <(column wrapped/hits.tsv fwd_bits) <(column one.tsv fwd_bits)
    for key in name description input output params; do grep -q "^$key:" "$flows/snakemake/wrappers/cascade/meta.yaml" ||
        fail "no $key"; done
}

@test "snakemake: 250 models against a proteome, the tables of plain hmmsearch" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"
    [ -d "$shared" ] || skip "its data are not there"
    cp "$shared"/UP000000625-E.coli.fasta.gz ecoli.fa.gz
    zcat "$shared/padloc-250.hmm.gz" >250.hmm
    zcat ecoli.fa.gz >ecoli.fa
    hmmsearch --cpu 2 --noali -o /dev/null --tblout want.tbl --domtblout want.dom 250.hmm ecoli.fa
    snake -s "$flows/snakemake/Snakefile" --cores 2 --config database=ecoli.fa.gz models="$shared/padloc-250.hmm.gz" out=ecoli
    same_report ecoli/hits.tbl ecoli/hits.dom
    echo "# ran equal: 250 models, $(grep -c '>' ecoli.fa) sequences, $(table want.tbl | wc -l) hits, by Snakemake as by hmmsearch" >&3
}

@test "snakemake: the workflow on a Slurm of one node, by its profile" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"
    local status=0
    bash "$top/tests/slurm.sh" >said 2>&1 || status=$?
    [ $status -ne 77 ] || skip "$(tail -1 said)"
    [ $status -eq 0 ] || fail "$(tail -60 said)"
    sed 's/^/# ran: /' said >&3
}

# ---- Nextflow, as text and as shell ----

# Prints the text between the triple quotes after "script:" or "stub:", with Nextflow's variables as those of the shell
section() { awk -v want="$1" '$1 ~ /^[a-z]+:$/ { on = $1 == want ":" } on && /"""/ { q = !q; next } on && q' "$module/main.nf" |
    sed 's/\${task\.cpus}/2/g; s/\\\$/$/g'; }

@test "nextflow: the module has nf-core's parts, and every output its place in stub and meta.yml" {
    for f in main.nf meta.yml environment.yml tests/main.nf.test tests/main.gpu.nf.test tests/nextflow.gpu.config; do
        [ -s "$module/$f" ] || fail "no $f"
    done
    for p in "label 'process_medium'" "label 'process_gpu'" 'task.ext.when == null || task.ext.when' 'task.ext.args ?:' \
        'task.ext.prefix ?:' 'topic: versions' 'eval("msvfilt --version'; do
        grep -qF "$p" "$module/main.nf" || fail "main.nf has no $p"
    done
    ! grep -qE 'accelerator *=' "$module/main.nf" || fail "accelerator is the pipeline's to set"
    sed -n 's/.*path("\([^"]*\)"), emit: \([a-z_]*\).*/\1 \2/p' "$module/main.nf" >outputs
    [ "$(wc -l <outputs)" -eq 3 ]
    while read -r glob emit; do
        section stub | grep -qF "\${prefix}${glob#\*}" || fail "the stub makes no $glob"
        grep -q "^  $emit:" "$module/meta.yml" || fail "meta.yml has no $emit"
        grep -qF "\"$glob\"" "$module/meta.yml" || fail "meta.yml has no $glob"
    done <outputs
    for f in "$flows"/nextflow/main.nf "$flows"/nextflow/nextflow.config "$module"/main.nf "$module"/tests/*; do
        python3 - "$f" <<'PY'
import re, sys
text = re.sub(r"(?m)^ *//.*", "", open(sys.argv[1]).read())
depth = [text.count(a) - text.count(b) for a, b in ("{}", "()", "[]")]
assert depth == [0, 0, 0] and text.count('"""') % 2 == 0, (sys.argv[1], depth)
PY
    done
    for f in cpus memory time; do grep -qE "^    $f = " "$flows/nextflow/nextflow.config" || fail "no $f"; done
    same <(grep assert "$module/tests/main.nf.test") <(grep assert "$module/tests/main.gpu.nf.test") ||
        fail "the GPU is asked for something else"
}

@test "nextflow: script and stub run as shell and make what is declared" {
    mkdir -p nf stub
    section script >nf.sh
    section stub >stub.sh
    [ -s nf.sh ] && [ -s stub.sh ]
    cat >vars <<'SH'
set -eu
prefix=test gpus=0 models=../three.hmm sequences=../demo.fa.gz z='-Z 400' backend= args= args2= args3= args4=
SH
    (cd nf && bash -c '. ../vars; . ../nf.sh')
    (cd stub && bash -c '. ../vars; . ../stub.sh')
    zcat nf/test.hits.tsv.gz >nf.tsv
    same_rows nf.tsv
    zcat nf/test.hits.fa.gz >nf.fa
    [ "$(grep -c '>' nf.fa)" -eq "$(column want.tsv name | uniq | wc -l)" ]
    grep -q '"sequences": 400' nf/test.hits.json
    for d in nf stub; do
        while read -r glob _; do compgen -G "$d/$glob" >/dev/null || fail "$d makes no $glob"; done < <(
            sed -n 's/.*path("\([^"]*\)"), emit: \([a-z_]*\).*/\1 \2/p' "$module/main.nf")
    done
    version=$(sed -n "s/.*eval(\"\(.*\)\"), topic.*/\1/p" "$module/main.nf")
    [ "$(bash -c "$version")" = "$(msvfilt --version | sed -n '1s/.* //p')" ]
    grep -q "warpsieve=$(bash -c "$version")\"\$" "$module/environment.yml"
    [ "$(grep -c "warpsieve:$(bash -c "$version")--" "$module/main.nf")" -eq 2 ] ||
        fail "the containers are of another version"
    [ "$(sed -n 's/.*size() == \([0-9]*\) }.*/\1/p' "$module/tests/main.nf.test" | sort -u)" = \
        "$(msvfilt m.hmm demo.fa | vitfilt m.hmm | fwdscore m.hmm | grep -vc '^#')" ]
}

@test "nextflow: each task has a device of its own, a scheduler's choice holds" {
    make_devices
    section script >gpu.sh
    for n in 1 2 3 4 5 6; do
        mkdir -p gpu.$n
        (cd gpu.$n && bash -c "set -eu; prefix=test gpus=1 models=../three.hmm sequences=../demo.fa.gz z='-Z 400'
            backend='--backend cuda --device all' args= args2= args3= args4=; . ../gpu.sh") &
    done
    wait
    one_job_each 6 '0 1 2 3'
    zcat gpu.6/test.hits.tsv.gz >nf.tsv
    same_rows nf.tsv
    (cd gpu.1 && refuses_folder bash -c "set -eu; prefix=new gpus=1 models=../three.hmm sequences=../small.fa z='-Z 400'
        backend='--backend cuda --device all' args= args2= args3= args4=; rm -f new.*; . ../gpu.sh")
    rm log.devices
    mkdir chosen
    (cd chosen && CUDA_VISIBLE_DEVICES=9 bash -c "set -eu; prefix=test gpus=1 models=../three.hmm sequences=../small.fa z='-Z 40'
        backend='--backend cuda' args= args2= args3= args4=; . ../gpu.sh")
    one_job_each 1 9
}

@test "nextflow: tables of pieces are joined by respack in the order of the database, whatever its name" {
    ! grep -q collectFile "$flows/nextflow/main.nf" || fail "collectFile leaves a header and an end for each piece"
    awk '/^process WARPSIEVE_JOIN/ { p = 1 } p && /"""/ { q++; next } p && q == 1' "$flows/nextflow/main.nf" |
        sed 's/\${params\.alphabet}/amino/g' >join.sh
    [ "$(wc -l <join.sh)" -eq 2 ]
    mkdir -p pieces
    awk '/^>/ { n++ } { print > sprintf("pieces/db.%d.fa", 1 + int((n - 1) / 40)) }' demo.fa
    tables=
    for n in $(seq 10); do # as splitFasta and main.nf name them
        id=$(printf piece_%06d $n)
        msvfilt three.hmm pieces/db.$n.fa | vitfilt three.hmm | fwdscore -Z 400 three.hmm | gzip -n >$id.hits.tsv.gz
        tables+=" $id.hits.tsv.gz"
    done
    tables=$tables bash -eu join.sh
    [ "$(grep -c '^#name' hits.tsv)" -eq 1 ] && [ "$(grep -c '^##end' hits.tsv)" -eq 1 ]
    same_rows hits.tsv
}

@test "nextflow: meta.yml and environment.yml are valid by nf-core's schemas" {
    python3 -c 'import yaml' 2>/dev/null || absent "python3 has no yaml"
    python3 "$top/tests/nfcore.py" check "$module"
    mkdir broken
    cp "$module"/*.yml broken/
    sed -i '/homepage:/d; /documentation:/d; /tool_dev_url:/d' broken/meta.yml
    run python3 "$top/tests/nfcore.py" check broken
    [ "$status" -eq 1 ] && grep -q 'none of homepage' <<<"$output" || fail "$output"
    # a checkout of the collection has the schemas themselves
    if [ -n "${WARPSIEVE_NFCORE:-}" ]; then python3 "$top/tests/nfcore.py" check "$module" "$WARPSIEVE_NFCORE" >&3; fi
}

@test "nextflow: the snapshot is what the module's script makes (WARPSIEVE_SNAPSHOT=write makes it anew)" {
    python3 -c 'import yaml' 2>/dev/null || absent "python3 has no yaml"
    mkdir -p snap/run snap/stub
    section script >snap/script
    section stub >snap/stub.sh
    vars="set -eu; prefix=test gpus=0 models=../../m.hmm sequences=../../demo.fa.gz z='-Z 400' backend= args= args2= args3= args4="
    (cd snap/run && bash -c "$vars; . ../script")
    (cd snap/stub && bash -c "$vars; . ../stub.sh")
    python3 "$top/tests/nfcore.py" snapshot snap/run snap/stub "$(msvfilt --version | sed -n '1s/.* //p')" >snapshot
    for f in main.nf.test.snap main.gpu.nf.test.snap; do
        [ "${WARPSIEVE_SNAPSHOT:-}" != write ] || cp snapshot "$module/tests/$f"
        same "$module/tests/$f" snapshot ||
            fail "WARPSIEVE_SNAPSHOT=write bats tests/workflows.bats -f snapshot makes $f anew"
    done
}

# ---- --stats=FILE.json, which the workflows read ----

@test "--stats=FILE.json has the keys that warpsieve(7) documents, as numbers and strings" {
    awk '/^\.Ss Counts of a run/ { on = 1; next } /^\.S[hs]/ { on = 0 }
        on && /^\.It Cm/ { for (i = 3; i <= NF; i++) if ($i ~ /[a-z]/) print $i }' "$pages/warpsieve.7" | sort >documented
    [ -s documented ]
    one() {
        "$@" --stats=one.json >/dev/null
        python3 - documented <<'PY'
import json, sys
got = json.load(open("one.json"))
want = open(sys.argv[1]).read().split()
text = {"program", "version", "backend", "device", "bound", "threads_by", "memory_by"}
stages = {w + "_seconds" for w in "msv vit fwd decide parse ensemble envelope end mark scan test domain".split()}
steps = "msv vit fwd parse ensemble envelope scan".split() # whose speeds are measured
measured = {w + k for w in steps for k in ("_done", "_cells", "_first_speed", "_last_speed")}
some = stages | measured | {"parse_device_" + k for k in ("seconds", "cells", "last_speed")} # of chains
some |= {"device_seconds", "copy_seconds", "device_cells"} # of devices
assert set(want) - some <= set(got) <= set(want), set(got) ^ set(want)
if got["program"] == "hmmsieve":
    assert measured & set(got) == {m for m in measured if not m.startswith("scan")}, got
    assert got["msv_cells"] == got["cells"] and got["msv_done"] == got["pairs"], got
    assert 0 < got["msv_last_speed"] != got["msv_first_speed"] > 0, got
    assert stages & set(got) == {w + "_seconds" for w in "msv vit fwd decide parse ensemble envelope end".split()}, got
assert all(isinstance(v, str if k in text else (int, float)) for k, v in got.items()), got
assert got["sequences"] == 400 and got["residues"] == 165280, got
PY
    }
    one respack demo.fa.gz
    for t in $(sequence_tools with-model); do one $t three.hmm demo.fa; done
    one hmmsieve three.hmm demo.fa
    msvfilt --stats=one.json three.hmm demo.fa >rows.tsv
    [ "$(sed -n 's/.*"rows": \([0-9]*\),/\1/p' one.json)" -eq "$(nrows rows.tsv)" ]
    [ "$(sed -n 's/.*"pairs": \([0-9]*\),/\1/p' one.json)" -eq 1200 ]
    [ "$(sed -n 's/.*"cells": \([0-9]*\),/\1/p' one.json)" -eq $((165280 * (149 + 260 + 86))) ]
}
