#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# warpsieve-msa: its alignments are those of AlphaFold 3's own code, which made tests/data/msa with HMMER 3.4; runs that are killed go on;
# bad input gets a sentence. tests/msa_data.py makes inputs and databases.

bats_require_minimum_version 1.5.0
load helper

NAMES="uniref90 small_bfd mgnify uniprot rfam rnacentral nt_rna"

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    python3 "$top/tests/msa_data.py" . "$data/demo.fa.gz"
    warpsieve-msa -o base inputs $(databases db) 2>base.log
}
setup() { in_data; }
databases() { local n; for n in $NAMES; do echo "--db $n=$1/$n.fa"; done; } # of a folder
# warpsieve-msa over all inputs, into a folder: msa OUT OPTION...
msa() { local out=$1; shift; warpsieve-msa -q -o "$out" "$@" inputs $(databases db); }
jsons() { (cd "$1" && ls ./*.json); }
same_jsons() { # same_jsons ONE OTHER: all files of both
    local f
    same <(jsons "$1") <(jsons "$2")
    [ "$(jsons "$1" | wc -l)" -gt 3 ]
    for f in "$1"/*.json; do cmp "$f" "$2/${f##*/}" || fail "${f##*/} differs"; done
}
refused() { # refused TEXT ARGUMENT...: exit status 1, one sentence with the text, and no JSON
    local text=$1
    shift
    rm -rf no
    run -1 warpsieve-msa -o no "$@"
    grep -qF -- "$text" <<<"$output" || fail "$output"
    [ -z "$(ls no/*.json 2>/dev/null)" ]
}
ask() { echo "{\"dialect\":\"alphafold3\",\"version\":1,\"name\":\"x\",\"modelSeeds\":[1],\"sequences\":[$1]}"; }

@test "each field of the data JSON is what AlphaFold 3's code makes with HMMER 3.4" {
    local f n=0
    for f in "$data"/msa/*.gz; do
        zcat "$f" >want
        cmp want "base/$(basename "$f" .gz)" || fail "$f"
        n=$((n + 1))
    done
    same <(cd "$data/msa" && ls -- *.gz | sed 's/\.gz$//') <(cd base && ls -- *.json)
    [ "$n" -ge 7 ]
    grep -q 'kinase.*unpaired.*' base/report.tsv
    awk -F '\t' '$1 == "kinase" && $5 == "uniref90" { exit !($6 > 30) }' base/report.tsv || fail "too few hits"
}

@test "the same over 20 chains, beside AlphaFold 3's code and HMMER, where these are" {
    [ -n "${WARPSIEVE_ALPHAFOLD3:-}" ] || skip "WARPSIEVE_ALPHAFOLD3 names no checkout of AlphaFold 3"
    [ -n "${WARPSIEVE_HMMER:-}" ] || skip "WARPSIEVE_HMMER names no folder with the programs of HMMER 3.4"
    local proteomes="${WARPSIEVE_SHARED:-$top/../shared}/data" status=0
    [ -d "$proteomes" ] || skip "there are no proteomes: WARPSIEVE_SHARED names no folder with data"
    mkdir -p many
    python3 "$top/tests/msa_data.py" many "$proteomes"/*.fasta.gz --many
    [ "$(ls many/inputs | wc -l)" -ge 19 ]
    warpsieve-msa -q -o many/got many/inputs $(databases many/db)
    [ -d many/want ] || python3 "$top/tests/msa_peer.py" "$WARPSIEVE_ALPHAFOLD3" "$WARPSIEVE_HMMER" many/want many/inputs/*.json -- \
        $(databases many/db | sed 's/--db //') >log 2>&1 || status=$?
    [ "$status" != 3 ] || skip "$(tail -1 log)"
    [ "$status" = 0 ] || fail "$(tail -5 log)"
    same_jsons many/want many/got
}

@test "templates: the ones and the places that AlphaFold 3's code takes; without structures a sentence, or an empty list" {
    local seqres="$(databases db | grep -v -e rfam -e rna) --db seqres=db/seqres.fa"
    warpsieve-msa -o templates --mmcif mmcif more/inputs $seqres 2>log
    grep -q "left out without an mmCIF file: 1, the first is 9aae" log || fail "$(cat log)"
    zcat "$data/msa/templates/templated_data.json.gz" >want
    python3 - <<'READ'
import json
with open("want") as f, open("templates/templated_data.json") as g:
    want, got = json.load(f), json.load(g)
found = [t.pop("mmcif") for t in got["sequences"][0]["protein"]["templates"]]
assert got == want and len(found) == 3, found
first = found[0].split("\n")
assert first[0] == "data_9aaa" and "_entity_poly.type polypeptide(L)" in first
atoms = [line.split() for line in first if line.startswith(("ATOM", "HETATM"))]
residues = {line.split()[2] for line in first if line.startswith("A 1 ")}
assert {a[6] for a in atoms} == {"A"} and len({a[8] for a in atoms}) == len(residues) - 18
READ
    tar -cf mmcif.tar mmcif
    warpsieve-msa -q -o templates2 --mmcif mmcif.tar more/inputs $seqres
    cmp templates/templated_data.json templates2/templated_data.json
    warpsieve-msa -o templates3 more/inputs $seqres 2>log
    grep -q "templates are absent: they need" log
    [ "$(grep -c '"templates"' templates3/templated_data.json)" = 0 ]
    warpsieve-msa -q -o templates4 --no-templates more/inputs $seqres
    grep -q '"templates": \[\]' templates4/templated_data.json
    mkdir -p broken
    printf 'data_x\nloop_\n_a.b\n_a.c\n1 2 3\n' >broken/9aaa.cif
    refused "9aaa: _a.b has 3 values for 2 items" more/inputs $seqres --mmcif broken
    refused "expected a folder of .cif files" more/inputs $seqres --mmcif nowhere
    sed 's/ mol:protein.*//' db/seqres.fa >plain.fa
    refused "expected headers as PDB writes them" more/inputs $(databases db) --db seqres=plain.fa --mmcif mmcif
    refused "expected a date such as" more/inputs $seqres --mmcif mmcif --max-template-date May
}

@test "--to a3m has the same rows, and --to sto the alignments of jackhmmer -A" {
    local n
    msa folders --to a3m
    msa stockholm --to sto
    python3 - <<'READ'
import json, os
for name in ("kinase", "complex", "RNA"):
    with open(f"base/{name}_data.json") as f:
        entries = [next(iter(one.values())) for one in json.load(f)["sequences"]]
    entries = [e for e in entries if "unpairedMsa" in e and e["sequence"] != "MKV"]
    n = 0
    for e in entries:
        for i in e["id"] if isinstance(e["id"], list) else [e["id"]]:
            folder = os.path.join("folders", name, i if name != "kinase" else "")
            with open(os.path.join(folder, "unpaired.a3m")) as f:
                assert f.read() == e["unpairedMsa"], folder
            if "pairedMsa" in e:
                with open(os.path.join(folder, "paired.a3m")) as f:
                    assert f.read() == e["pairedMsa"], folder
            n += 1
    assert n >= 1, name
READ
    same <(ls folders/kinase) <(printf '%s\n' mgnify_hits.a3m paired.a3m small_bfd_hits.a3m uniprot_hits.a3m uniref90_hits.a3m unpaired.a3m)
    python3 -c 'import json; print(">query\n" + json.load(open("inputs/kinase.json"))["sequences"][0]["protein"]["sequence"])' >query.fa
    for n in uniref90 uniprot; do
        "$(hmmsieve --hmmer-path)/jackhmmer" -o /dev/null -A want.sto --noali --F1 0.0005 --F2 5e-05 --F3 5e-07 -N 1 -E 0.0001 \
            --incE 0.0001 query.fa db/$n.fa
        same <(grep -v '^#=GF AU' want.sto) <(grep -v '^#=GF AU' stockholm/kinase/${n}_hits.sto)
    done
}

@test "chains that are there twice are searched once; FASTA is read as JSON is" {
    grep -q "7 jobs, 8 different chains, 7 databases" base.log || fail "$(cat base.log)"
    python3 - <<'READ' >some.fa
import json
for name in ("kinase", "chain0"):
    with open(f"inputs/{name}.json") as f:
        print(f">{name} a description\n" + json.load(f)["sequences"][0]["protein"]["sequence"].lower())
READ
    warpsieve-msa -q -o fasta --no-templates some.fa $(databases db)
    for n in kinase chain0; do
        same <(sed 's/^    5$//; s/^    1,$/    1/' base/${n}_data.json | grep -v '^$') <(cat fasta/${n}_data.json; echo)
    done
    gzip -c some.fa >some.fa.gz
    warpsieve-msa -q -o fasta2 --no-templates some.fa.gz $(databases db)
    cmp fasta/kinase_data.json fasta2/kinase_data.json
}

@test "databases: packed once, compressed, in parts; a folder by AlphaFold 3's names" {
    local f n
    msa packed --pack packs
    same_jsons base packed
    f=$(stat -c %i packs/uniprot.fa.wsp)
    msa again --pack packs & msa again2 --pack packs
    wait
    same_jsons base again
    same_jsons base again2
    [ "$f" = "$(stat -c %i packs/uniprot.fa.wsp)" ] || fail "it was packed twice"
    [ -z "$(ls packs | grep part)" ]
    mkdir -p elsewhere
    cp db/uniref90.fa elsewhere
    refused "uniref90.fa.wsp was packed from" inputs --db uniref90=elsewhere/uniref90.fa --pack packs
    mkdir -p zipped
    for n in $NAMES; do gzip -c "db/$n.fa" >"zipped/$n.fa"; done
    rm zipped/uniprot.fa
    awk '/^>/ { k++ } { print > sprintf("zipped/uniprot.fa-%05d-of-00003", k * 3 / 410) }' db/uniprot.fa
    [ -s zipped/uniprot.fa-00002-of-00003 ]
    warpsieve-msa -q -o parts inputs $(databases zipped | sed 's/uniprot.fa/uniprot.fa@3/')
    same_jsons base parts
    mkdir -p af3
    ln -s "$PWD/db/uniref90.fa" af3/uniref90_2022_05.fa
    ln -s "$PWD/zipped/uniprot.fa-00000-of-00003" af3/uniprot_all_2021_04.fa-00000-of-00003
    ln -s "$PWD/zipped/uniprot.fa-00001-of-00003" af3/uniprot_all_2021_04.fa-00001-of-00003
    ln -s "$PWD/zipped/uniprot.fa-00002-of-00003" af3/uniprot_all_2021_04.fa-00002-of-00003
    warpsieve-msa -o named inputs/kinase.json --db-dir af3 --db small_bfd=db/small_bfd.fa --db mgnify=zipped/mgnify.fa 2>log
    cmp base/kinase_data.json named/kinase_data.json
    warpsieve-msa -o few inputs/kinase.json --db-dir af3 2>log
    grep -q "AlphaFold 3 also searches small_bfd, mgnify for protein chains" log || fail "$(cat log)"
}

@test "-Z makes a part of a database count as the whole" {
    msa z1 -Z uniref90=1e9
    [ "$(awk -F '\t' '$1 == "kinase" && $5 == "uniref90" { print $6 }' z1/report.tsv)" -lt \
        "$(awk -F '\t' '$1 == "kinase" && $5 == "uniref90" { print $6 }' base/report.tsv)" ]
}

@test "--part I/N: N runs make together what one makes, also where some have no job" {
    local f i n wrong
    printf '>one\nMKVLAAGG\n>two\nMKVLAAGC\n' >two.fa
    warpsieve-msa -q -o one inputs two.fa $(databases db)
    for n in 3 10; do
        rm -rf joined && mkdir joined
        for ((i = 1; i <= n; i++)); do
            warpsieve-msa -o "part.$n.$i" --part "$i/$n" inputs two.fa $(databases db) 2>part.log
            same <(grep -o "part .*" part.log) <(echo "part $i of $n: $(ls "part.$n.$i" | grep -c json) of 9 jobs")
            for f in "part.$n.$i"/*.json; do [ ! -e "$f" ] || { [ ! -e "joined/${f##*/}" ] && cp "$f" joined; }; done
        done
        same_jsons one joined
    done
    [ "$(ls part.3.2/*.json | wc -l)" = 3 ] && [ ! -e part.10.10/report.tsv ]
    printf '>one\nMKVLAAGGMKV\n' >again.fa # which would be another part's
    refused "would leave no/one_data.json, as the one of two.fa does" two.fa again.fa $(databases db) --part 2/2
    refused "inputs: it is also an input" -o inputs inputs $(databases db) --part 2/2
    for wrong in 0/2 3/2 2 1/0 a/b 1/2/3; do
        run -2 warpsieve-msa -o no --part $wrong inputs $(databases db)
        grep -q -- "--part $wrong: expected I/N" <<<"$output" || fail "$output"
    done
    run -2 warpsieve-msa -o no --part 1/2 --watch inputs $(databases db)
    grep -q "cannot be parted" <<<"$output" || fail "$output"
}

@test "kill -9 at ten moments, then the same command: equal files, and no other ones" {
    local i pid seen
    for i in 1 2 3 4 5 6 7 8 9 10; do
        msa killed & pid=$!
        sleep "0.$((RANDOM % 90 + 10))"
        kill -9 $pid 2>/dev/null || :
        wait $pid 2>/dev/null || :
        for seen in killed/*.json; do [ ! -e "$seen" ] || cmp "$seen" "base/${seen##*/}"; done
    done
    msa killed
    same_jsons base killed
    same <(cut -f1-6,9- base/report.tsv | sort) <(cut -f1-6,9- killed/report.tsv | sort)
    [ -z "$(ls -A killed/.warpsieve-msa/parts)" ] || fail "left: $(ls -A killed/.warpsieve-msa/parts)"
    [ -z "$(ls -A killed | grep part$)" ]
}

@test "--watch: chains that arrive meanwhile; a file that is no input is told; Ctrl-C ends after the pass" {
    local f pid
    mkdir -p arrive
    warpsieve-msa -o watched --watch arrive $(databases db) 2>watch.log & pid=$!
    for f in inputs/*; do
        cp "$f" arrive/.new
        mv arrive/.new "arrive/${f##*/}"
        sleep "0.$((RANDOM % 50))"
    done
    echo nonsense >arrive/bad.fa
    for ((f = 0; f < 300; f++)); do
        [ "$(ls watched/*.json 2>/dev/null | wc -l)" -lt 7 ] || ! grep -q bad.fa watch.log || break
        sleep 0.2
    done
    kill -INT $pid
    wait $pid
    same_jsons base watched
    grep -q "arrive/bad.fa: found 'nonsense'.*left out" watch.log || fail "$(cat watch.log)"
    [ "$(grep -c bad.fa watch.log)" = 1 ]
}

@test "Ctrl-C ends after the pass with status 130, and the same command goes on" {
    local pid f status=0
    (trap - INT; exec warpsieve-msa -o stopped inputs $(databases db)) 2>stop.log & pid=$!
    for ((f = 0; f < 100; f++)); do ! grep -q jobs stop.log || break; sleep 0.05; done
    kill -INT $pid
    wait $pid || status=$?
    [ "$status" = 130 ] || fail "status $status"
    grep -q "unfinished jobs; the same command goes on" stop.log || fail "$(cat stop.log)"
    msa stopped
    same_jsons base stopped
}

@test "a folder belongs to one run, and to the databases that it was made with" {
    run -1 warpsieve-msa -q -o base inputs $(databases db) --to a3m
    grep -q "made with other databases or another --to" <<<"$output"
    cp -r db db2
    run -1 warpsieve-msa -q -o base inputs $(databases db2)
    exec 9>base/.warpsieve-msa/lock
    flock 9
    run -1 warpsieve-msa -q -o base inputs $(databases db)
    exec 9>&-
    grep -q "another warpsieve-msa" <<<"$output"
    msa base
}

@test "a database that failed the first run may be mended; one that rows are there of may not change" {
    local d end pid
    rm -rf mended db3 && cp -r db db3
    d=$(databases db3)
    printf 'no sequences\n' >db3/uniref90.fa # the first to be searched
    run -1 warpsieve-msa -q -o mended inputs $d
    cp db/uniref90.fa db3/uniref90.fa
    printf 'no sequences\n' >db3/mgnify.fa
    run -1 warpsieve-msa -q -o mended inputs $d --to a3m # nothing was made, so the form is free, too
    [ -n "$(ls mended/.warpsieve-msa/parts/*.uniref90.a3m)" ]
    cp db/mgnify.fa db3/mgnify.fa
    run -1 warpsieve-msa -q -o mended inputs $d # the parts are of --to a3m
    grep -q "made with other databases or another --to" <<<"$output"
    touch db3/uniref90.fa
    run -1 warpsieve-msa -q -o mended inputs $d --to a3m # a database that there are parts of
    grep -q "made with other databases or another --to" <<<"$output"
    for end in full killed; do # whatever it was, what is there decides
        rm -rf mended
        if [ $end = full ]; then
            ! (ulimit -f 1 && warpsieve-msa -q -o mended inputs $d 2>/dev/null) || fail "no file may have more than 1,024 bytes"
        else
            warpsieve-msa -q -o mended inputs $d & pid=$!
            sleep 0.2
            kill -9 $pid 2>/dev/null || :
            wait $pid || :
        fi
        touch db3/uniref90.fa
        if [ -n "$(ls mended/*.json mended/.warpsieve-msa/parts/*.uniref90.a3m 2>/dev/null)" ]; then
            run -1 warpsieve-msa -q -o mended inputs $d
            grep -q "made with other databases or another --to" <<<"$output"
        else
            warpsieve-msa -q -o mended inputs $d
            same_jsons base mended
        fi
    done
}

@test "letters that are no residue: searched as X or N, as AlphaFold 3 does, with a line for each chain" {
    mkdir -p letters
    printf '>sel\nMKVBJOUZXAKLVU\n>plain\nMKVXAKLV\n' >letters/a.fa
    ask '{"protein":{"id":"C","sequence":"MUVkL","modifications":[{"ptmType":"MSE","ptmPosition":2}]}},
        {"rna":{"id":"D","sequence":"ACTGN"}}' >letters/b.json
    warpsieve-msa -o out letters $(databases db) 2>log
    same <(grep ' searched as ' log | sed 's/^[0-9:]* //') <(cat <<'END'
letters/a.fa: sel: protein A: 6 letters searched as X, as AlphaFold 3 does: 1 B, 1 J, 1 O, 2 U, 1 Z
letters/b.json: x: protein C: 1 letter searched as X, as AlphaFold 3 does: 1 k
letters/b.json: x: rna D: 1 letter searched as N, as AlphaFold 3 does: 1 T
END
    )
    grep -q '"sequence": "MKVXXXXXXAKLVX"' out/sel_data.json
}

@test "a job that is another one now is told, and one by a name in use" {
    local query=MKVLAAGIVGLLLAQWMKVLSAGIVGLLAQW name
    echo "no sequences" >mend.fa
    printf '>one\n%s\n' $query >one.fa
    run -1 warpsieve-msa -o remade --no-templates --db uniref90=mend.fa one.fa
    printf '>t\n%s\n' $query >mend.fa
    warpsieve-msa -q -o remade --no-templates --db uniref90=mend.fa one.fa
    cp remade/one_data.json was.json
    warpsieve-msa -q -o remade --no-templates --db uniref90=mend.fa one.fa
    printf '>one\n%s\n' "${query}MKV" >one.fa
    run -1 warpsieve-msa -q -o remade --no-templates --db uniref90=mend.fa one.fa
    grep -q "remade/one_data.json was made of another job 'one' than one.fa has now" <<<"$output" || fail "$output"
    cmp was.json remade/one_data.json
    rm remade/one_data.json
    warpsieve-msa -q -o remade --no-templates --db uniref90=mend.fa one.fa
    grep -q "\"sequence\": \"${query}MKV\"" remade/one_data.json
    for name in report.tsv plots .x.part; do
        printf '>%s\n%s\n' $name $query >one.fa
        run -1 warpsieve-msa -q -o odd --to a3m --no-templates --db uniref90=mend.fa one.fa
        grep -q "which has another use; expected another name" <<<"$output" || fail "$output"
    done
}

@test "bad input: the file, what is wrong and what was expected" {
    local d
    d=$(databases db)
    refused "no database is given" inputs
    refused "x.fa: there is no such file or folder" x.fa $d
    : >empty.fa
    refused "empty.fa: found ''" empty.fa $d
    printf '>a\nMKV1\n' >bad.fa
    refused "bad.fa: record 'a': found '1' at residue 4, expected letters" bad.fa $d
    printf '>a\n>b\nMK\n' >bad.fa
    refused "record 'a' has no residues" bad.fa $d
    printf '>a\nACGT\n' >bad.fa
    refused "may be DNA or a protein" bad.fa $d
    printf '>a\nMKV\n>a\nMKL\n' >bad.fa
    refused "two jobs would leave no/a_data.json" bad.fa $d
    printf '>%s\nMKV\n' "$(printf 'n%.0s' {1..201})" >bad.fa
    refused "has 201 letters for the name of a file, expected at most 200" bad.fa $d
    echo '{' >bad.json
    refused "bad.json: it is no JSON" bad.json $d
    ask '{"protein":{"id":"A","sequence":"MKV"}}' | sed 's/"name":"x"/"name":"a\\ud800"/' >bad.json
    refused "the name 'a\\ud800' has half of a character" bad.json $d
    echo '[{"name": "x"}]' >bad.json
    refused "as AlphaFold Server writes" bad.json $d
    ask '{"protein":{"id":"A","sequence":"MKV","msa":""}}' >bad.json
    refused "has the field msa, which AlphaFold 3 does not know" bad.json $d
    ask '{"protein":{"id":"A","sequence":"MKV","unpairedMsa":""}}' >bad.json
    refused "has a part of unpairedMsa, pairedMsa and templates" bad.json $d
    ask '{"protein":{"id":"A","sequence":"MKV","modifications":[{"ptmType":"QQQ","ptmPosition":2}]}}' >bad.json
    refused "the parent of residue QQQ at 2 is not known here; --modified QQQ=LETTER" bad.json $d
    ask '{"protein":{"id":"A","sequence":"MKV"}},{"rna":{"id":"A","sequence":"ACGU"}}' >bad.json
    refused "the id A is there twice" bad.json $d
    sed 's/"version":1/"version":9/' bad.json >bad2.json
    refused "version 9, expected alphafold3 and 1 to 4" bad2.json $d
    mkdir -p nothing
    refused "nothing: the folder has no input" nothing $d
    refused "expected NAME=PATH, with one of the names" inputs --db uniref=db/uniref90.fa
    refused "database uniref90: absent.fa is not there" inputs --db uniref90=absent.fa
    refused "found '-3', expected a number above 0" inputs $d -Z uniref90=-3
    printf '>a\nMK1V\n' >wrong.fa
    refused "uniref90, " inputs/kinase.json --db uniref90=wrong.fa
    grep -q "wrong.fa" <<<"$output"
}

@test "wrong calls: one sentence, whatever is wrong" {
    local d value
    d=$(databases db)
    echo x >file
    for value in file file/sub; do
        run -1 warpsieve-msa -o $value inputs $d
        [ "$(wc -l <<<"$output")" = 1 ] && [[ "$output" != *Errno* ]] || fail "$output"
    done
    run -1 timeout 20 warpsieve-msa -o no --watch file $d
    [ "$output" = "warpsieve-msa: --watch file: it is a file, expected a folder" ] || fail "$output"
    : >empty.fa
    refused "database uniref90: empty.fa is empty" inputs --db uniref90=empty.fa
    printf '>a\nACGTT\n' >bad.fa
    refused "record 'a': found 'T' at residue 4, expected letters of RNA" bad.fa $d --fasta rna
    for value in '"modifications":5' '"unpairedMsaPath":5' '"templates":[1]'; do
        ask "{\"protein\":{\"id\":\"A\",\"sequence\":\"MKV\",$value}}" >bad.json
        refused "bad.json: a value has another type" bad.json $d
        [ "$(wc -l <<<"$output")" = 1 ] || fail "$output"
    done
    [ "$(id -u)" -eq 0 ] && mkdir -p disk && mount -t tmpfs -o size=100k tmpfs disk 2>/dev/null || skip "no small disk can be mounted"
    run warpsieve-msa -q -o disk/out inputs $d
    umount disk
    [ "$status" -eq 1 ] && [[ "$output" == *"No space left on device; "*"goes on"* ]] && [[ "$output" != *Errno* ]] || fail "$output"
}

@test "the page has the options of --help" {
    warpsieve-msa --help | grep -E '^  -' | cut -c3-40 | grep -oE -- '(^| )--?[a-zA-Z][a-z-]*' | tr -d ' ' | sort -u >told
    grep '^\.It Fl ' "$pages/warpsieve-msa.1" | grep -oE 'Fl [a-zA-Z-]+' | sed 's/^Fl /-/' | sort -u >in_page
    [ "$(wc -l <told)" -gt 20 ]
    same told in_page
}
