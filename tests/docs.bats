#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The option table, --help, the manual pages and the completions say the same; pages are clean mdoc; make install and
# uninstall.

bats_require_minimum_version 1.5.0
load helper

setup_file() { make_data; }
setup() { in_data; }

# Lines "letter name alias argument" of a tool's table, "." for what is not there, an optional argument with "=" before
# it.
table_of() { "$1" --dump-options |
    awk -F '\t' '{ for (i = 1; i <= 4; i++) if ($i == "") $i = "."; print $1, $2, $3, $4 }'; }

# The same of a page's .It Fl lines: "o Ar FILE , Fl -output Ar FILE".
page_options() {
    awk '/^\.Sh / { on = $2 == "OPTIONS" } on && /^\.It Fl / {
        letter = name = alias = arg = "."; optional = 0
        for (i = 3; i <= NF; i++) {
            if ($i == "Fl" || $i == "," || $i == "Ns") continue
            if ($i == "Op") { optional = 1; continue }
            if ($i == "=") continue
            if ($i == "Ar") { arg = $(++i); continue }
            w = $i
            if (w !~ /^-/) letter = w
            else if (name == ".") name = substr(w, 2)
            else alias = substr(w, 2)
        }
        print letter, name, alias, (optional ? "=" : "") arg
    }' "$1"
}

page_agrees() {
    local page=$pages/$1.1
    [ -f "$page" ] || fail "no page"
    same <(table_of "$1" | sort) <(page_options "$page" | sort) ||
        fail "options of $page (>) are not those of the table (<)"
    grep -q "^\.Dt $(tr a-z A-Z <<<"$1") 1\$" "$page"
}
@test "every manual page has the options of its tool: letter, name, alias, argument" { each page_agrees $(all_tools); }

help_agrees() {
    "$1" --help | awk '/^ +(-., )?--[a-zA-Z]/ { gsub(/,/, ""); l = n = a = g = "."
        for (i = 1; i <= NF; i++) {
            if ($i ~ /^-[A-Za-z]$/) l = substr($i, 2)
            else if ($i ~ /^--/) {
                w = substr($i, 3)
                if (w ~ /\[=/) { g = w; sub(/.*\[=/, "=", g); sub(/\]/, "", g); sub(/\[.*/, "", w) }
                if (n == ".") n = w; else a = w
            }
            else { if ($i ~ /^[A-Z]+$/ && g == ".") g = $i; break }
        }
        print l, n, a, g }' | sort >got
    same <(table_of "$1" | sort) got
}
@test "--help has them too" { each help_agrees $(all_tools); }

columns_of_help() {
    local set=$data/golden operands='m.hmm small.fa'
    case $1 in
    papara-score) operands="--both-strands $(echo "$data"/papara/tiny5/{ref.phy,ref.nwk,reads.fasta})" ;;
    pairhmm) operands="--raw $data/pairhmm/edge.in.gz" ;;
    mrfseg) operands="--classes 2 $set/mrf/line.nii.gz" ;;
    respack) operands='-O tsv small.fa' ;;
    sixframe) operands="-O tsv $set/long-targets/inputs/short.fa.gz" ;;
    hmmsieve) operands='-O tsv m.hmm small.fa' ;;
    jacksieve) operands='-O tsv -N 1 small.fa small.fa' ;;
    seqsieve) operands='-O tsv small.fa small.fa' ;;
    nhmmsieve) operands="-O tsv $set/dna-models/MADE1.hmm.gz $set/long-targets/inputs/short.fa.gz" ;;
    esac
    # shellcheck disable=SC2086 # words
    "$1" -f nosuch $operands 2>&1 | sed -n 's/.*there are //p' | head -1 | tr ',' '\n' >want
    [ -s want ]
    "$1" --help | sed -n '/^Columns that -f takes/,/^$/p' | sed '1d; s/ ([^)]*)//g' | tr -s ', ' '\n' | grep . >got
    same want got || fail "columns that -f takes (<) and that --help lists (>)"
}
with_table() { local t; for t in $(all_tools); do if "$t" --help | grep -q '^Columns that'; then echo "$t"; fi; done; }
@test "--help lists the columns that -f takes; tools without a table do not show -f" {
    each columns_of_help $(with_table)
    for t in $(all_tools); do
        if "$t" --help | grep -q '^Columns that'; then continue; fi
        if "$t" --help | grep -e '--fields' -e '--header' -e '--plain'; then fail "$t"; fi
    done
}

@test "respack shows no option that does nothing there, and takes them" {
    respack --help >help
    for o in all rejected backend device gpu-mem list-backends; do
        if grep -q -e "--$o\b" help; then fail "--$o"; fi
        msvfilt --help | grep -q -e "--$o\b" || fail "msvfilt --$o"
    done
    respack small.fa >want
    respack -a -U none --backend scalar --device 0 --gpu-mem 1G -q small.fa >got
    same want got
}

headings_agree() { # "Scoring --double" for each long name
    awk '/^\.Sh / { on = $2 == "OPTIONS" } on && /^\.Ss / { sub(/^\.Ss /, ""); h = $0 }
        on && /^\.It Fl / { for (i = 3; i <= NF; i++) if ($i ~ /^-[a-zA-Z]/) { print h " -" $i; next } }' "$pages/$1.1" |
        # what the input is written in has a heading of its own in the page of respack
        sed 's/^Alphabet /Input /' | sort >page
    "$1" --help | awk '/^[A-Z].*:$/ { sub(/:$/, ""); h = $0 }
        /^ +(-., )?--[a-zA-Z]/ { sub(/^ +(-., )?/, ""); sub(/[^a-zA-Z0-9_-].*/, ""); print h " " $0 }' | sort >got
    same page got || fail "headings of the page (<) and of --help (>)"
}
@test "an option stands under the same heading in --help and in the page" { each headings_agree $(all_tools); }

page_text() { mandoc -T ascii -O width=80 "$1" | sed 's/.\x08//g'; }
choices_are_named() { # every choice, and every default that --help puts into brackets, stands in the page
    local text
    text=$(page_text "$pages/$1.1" | tr -s ' \n' ' ')
    "$1" --dump-options | cut -f5 | tr ',' '\n' | sort -u | while read -r c; do
        [ -z "$c" ] || grep -q -- "$c" <<<"$text" || fail "the page does not name the choice $c"
    done
    "$1" --dump-options | sed -n 's/.*\[\([0-9][0-9.e-]*\)\]$/\1/p' | while read -r c; do
        grep -q -- "by default $c" <<<"$text" || fail "the page does not name the default $c"
    done
}
@test "choices and defaults are in the pages" { each choices_are_named $(all_tools); }

@test "what is common to all tools is said in the same words" {
    common() { awk '/^\.Ss Input/ { on = 1 } /^\.Sh EXAMPLES/ { on = 0 } on' "$pages/$1.1" >"common.$1"; }
    common msvfilt
    for t in $(sequence_tools with-model); do
        common "$t"
        [ -s common.$t ]
        same common.msvfilt common.$t || fail "$t"
    done
    common respack # which scores nothing
    diff common.msvfilt common.respack | grep '^>' >more || [ ! -s more ] || fail "$(cat more)"
}

@test "a page that includes a file that is not there is not made" {
    printf '.Sh NAME\n.so %s/man/common/quiet.mdoc\n.so none.mdoc\n' "$top" >page.1
    run -1 awk -f "$top/man/include.awk" page.1
    grep -q '^Errors are still printed.$' <<<"$output"
    grep -q '^page.1:3: there is no file none.mdoc$' <<<"$output"
}

@test "manual pages are clean mdoc, name one another rightly and fit 80 columns" {
    for page in "$pages"/*.[157]; do
        mandoc -T lint -W warning "$page" >lint || fail "$(cat lint)"
        sed -n 's/^\.Xr \([a-z-]*\) \([0-9]\).*/\1.\2/p' "$page" | sort -u | while read -r x; do
            case $x in
            cat.1 | cut.1 | awk.1 | gzip.1 | head.1 | mlr.1 | seqkit.1 | sh.1) ;;
            hmmalign.1 | hmmbuild.1 | hmmfetch.1 | hmmpress.1 | hmmscan.1 | hmmsearch.1 | nhmmer.1 | phmmer.1 | jackhmmer.1 | nhmmscan.1) ;;
            *) [ -f "$pages/$x" ] || fail "$page: no $x" ;;
            esac
        done
        page_text "$page" >text
        [ "$(wc -l <text)" -gt 20 ]
        if grep -nE '<[a-z]+>' text; then fail "$page: mdoc took a word for its macro In"; fi
        awk -v p="$page" 'length($0) > 80 { print p ": " $0; bad = 1 } END { exit bad }' text
        head -1 "$page" | grep -q 'SPDX-License-Identifier: MIT'
    done
}

prints_well() { # what mandoc prints, beyond what its lint sees
    local names macros='Aq|Bd|Bl|Bq|Brq|Cm|Dl|Dq|Dt|Ed|El|Ev|Fl|Nd|Nm|Ns|Op|Pa|Pc|Po|Pp|Ql|Sh|Sq|Ss|Ta|Xr|Ar'
    names=$(sed -n 's/^\.Xr \([a-z-]*\) [0-9].*/\1/p' "$pages"/*.[157] "$1" | sort -u | paste -sd'|')
    page_text "$1" >text
    tr -s ' \n' ' ' <text >line
    tr -d ' \n-' <text >joined # names may be cut at a hyphen
    sed -n 's/^\.Xr \([^ ]*\) \([0-9]\).*/\1(\2)/p' "$1" | tr -d - | sort | uniq -c | while read -r n name; do
        [ "$(grep -oF "$name" joined | wc -l)" -ge "$n" ] || fail "$1: .Xr does not print $name $n times"
    done
    if grep -oE "\\b($names) [1-8]\\b.{0,20}" line; then fail "$1: prints a name without its parentheses"; fi
    if grep -oE ".{0,30}\\b($macros) .{0,20}" line; then fail "$1: prints the name of a macro"; fi
    if grep -oE ".{0,30}('' ?|\`[^'\`]{0,60}\`).{0,10}" line; then fail "$1: prints a quote in a quote"; fi
    if grep -nE '^ *\.[A-Z][a-z]( |$)|\\[&(-]' text; then fail "$1: prints what mandoc should have read"; fi
    sed '1d; $d' text | awk '
        /^[A-Z]/ { if (top && !filled) print top; top = $0; filled = 0; sub_ = ""; next }
        /^   [^ ]/ { if (sub_ && !below) print sub_; sub_ = $0; below = 0; filled = 1; next }
        /[^ ]/ { filled = below = 1 }
        END { if (top && !filled) print top; if (sub_ && !below) print sub_ }' >empty
    [ ! -s empty ] || fail "$1: headings without text: $(cat empty)"
}
@test "what mandoc prints of the pages has names as name(1), no macros, no broken quotes and no empty sections" {
    each prints_well "$pages"/*.[157]
    # and the test sees each of these
    local bad
    for bad in '.Xr cat 1 , cut 1' 'Fl x' '.Ql grep -c \(aq>\(aq' '.Sh EMPTY' '.Ss Empty\n.Ss Full\nText.' ' .Ar x'; do
        { grep -v '^\.Sh SEE' "$pages/hmmpick.1"; printf "${bad//\(aq/\\(aq}\n"; } >bad.1
        (prints_well bad.1) >said 2>&1 || true
        grep -q '^bad.1: ' said || fail "not seen: $bad"
    done
}

@test "the page of a program says what is different where it is called by another name" {
    local name page
    for link in hmmpress=hmmindex hmmfetch=hmmpick papara=papara-score hmmbuild=hmmcast; do
        name=${link%=*} page=$top/man/${link#*=}.1
        grep -qiE "^(\.S[hs] )?called as $name( |\$)" "$page" || fail "$page says nothing of $name"
    done
}

@test "commands in the text of a page keep their blanks" {
    page_text "$pages/warpsieve.7" | grep -qF '|| [ $? -eq 141 ]' || fail "mandoc"
    wants groff
    groff -mdoc -Tascii -P-c "$pages/warpsieve.7" 2>/dev/null | sed 's/.\x08//g' | grep -qF '|| [ $? -eq 141 ]' ||
        fail "groff"
}

columns_are_explained() {
    local c # those of --help too, which -f alone brings
    for c in $(tsv "$1" -a small.fa | grep '^#name' | tr '\t' '\n' | sed 's/^#//') \
        $("$1" --help | sed -n '/^Columns that -f takes/,/^$/p' | sed '1d; s/ ([^)]*)//g' | tr -d ,); do
        grep -qE "Cm (.*, )?$c\b|Cm .*\b$c\b" "$pages/$1.1" "$pages/warpsieve-tsv.5" ||
            fail "the column $c is not explained"
    done
}
@test "every column is in the pages" { each columns_are_explained $(sequence_tools with-model); }

@test "a search's page explains the columns of its table itself" {
    for t in domscore hmmsieve seqsieve jacksieve nhmmsieve; do
        "$t" --help | sed -n '/^Columns that -f takes/,/^$/p' | sed '1d; s/ ([^)]*)//g' | tr -s ', ' '\n' | grep . >columns
        [ -s columns ]
        while read -r c; do
            grep -qE "Cm (.*, )?$c\b|Cm .*\b$c\b" "$pages/$t.1" || fail "$t.1 does not explain the column $c"
        done <columns
    done
}

@test "every environment variable that a program reads has its place under ENVIRONMENT of warpsieve(7)" {
    grep -rhoE 'getenv\("[A-Z_]+"\)' "$top/lib" "$top/bin" --include='*.c' | sed 's/.*"\(.*\)".*/\1/' | sort -u >read
    [ "$(wc -l <read)" -ge 3 ]
    awk '/^\.Sh / { on = $2 == "ENVIRONMENT" } on && /^\.It Ev/ { print $3 }' "$pages/warpsieve.7" | sort -u >said
    [ -z "$(comm -23 read said)" ] || fail "not in warpsieve(7): $(comm -23 read said)"
}

@test "the example of AlphaFold 3's search for RNA has the options of warpsieve-msa" {
    local option passes=$top/packaging/python/warpsieve/msa/passes.py # one strand alone would miss half of the hits
    for page in "$pages/nhmmsieve.1" <(nhmmsieve --help); do
        grep -A4 'AlphaFold 3 makes for a chain of RNA' "$page" | grep -o 'nhmmsieve -o .*' | tr -s ' ' '\n' >words
        [ -s words ]
        ! grep -q -e --watson -e --crick words || fail "one strand alone"
        for option in $(sed -n 's/^RNA = \[\(.*\)\]/\1/p' "$passes" | grep -o '"--rna"\|"-E"' | tr -d '"'); do
            grep -qx -e "$option" words || fail "no $option"
        done
    done
}

# ---- specification ----

# The texts of the tree, without data; a tarball has no git.
texts() {
    (cd "$top" && { [ -e .git ] && git ls-files 2>/dev/null || find . -type f ! -path './build/*' | sed 's|^\./||'; }) |
        grep -v '^tests/data/' | grep -E '\.(c|h|cu|cuh|md|bats|py|sh)$|^man/|^INSTALL$'
}
cited() { python3 "$top/tests/citations.py" "$1" $(texts); }

@test "each section of docs/spec that is cited exists" {
    cited "$top" >said || fail "$(cat said)"
    [ "$(sed -n 's/ citations$//p' said)" -ge 100 ] || fail "$(cat said)"
    # it would see a section, an item or a text that went away
    mkdir -p other && (cd "$top" && cp -r --parents docs/spec lib kernels "$BATS_FILE_TMPDIR/other/")
    sed -i 's/^### 10\.3 /### 10.33 /; /^17\. MSV ERANGE/d' other/docs/spec/profile-filters.md
    rm other/docs/spec/papara.md
    echo '/* profile-filters.md, sections 1.1, 14.9 and 14.17 */' >other/lib/hmm/evalue.h
    run cited other
    [ "$status" -eq 1 ]
    grep -q '^lib/hmm/bias.h:[0-9]*: docs/spec/profile-filters.md has no section 10.3$' <<<"$output"
    grep -q '^lib/hmm/evalue.h:1: docs/spec/profile-filters.md has no section 14.17$' <<<"$output"
    [ "$(grep -c '^lib/hmm/evalue.h' <<<"$output")" -eq 1 ] || fail "$output"
    grep -q '^kernels/papara/trace.c:[0-9]*: there is no docs/spec/papara.md$' <<<"$output"
}

# ---- completions ----

ask_bash() { # ask_bash TOOL WORD...: what bash offers for the last word
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
        f=$(complete -p "$1" | sed "s/.*-F \([^ ]*\).*/\1/")
        "$f" "$1" "${!#}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf "%s\n" "${COMPREPLY[@]}"' - "$1.bash" "$@"
}
choices_of() { "$1" --dump-options | awk -F '\t' -v o="$2" '$2 == o { gsub(/,/, " ", $5); print $5 }'; }
completes_in_bash() {
    sh "$top/completions/gen.sh" bash "$1" "$(command -v "$1")" >"$1.bash"
    ask_bash "$1" - | sort >got
    table_of "$1" | awk '{ if ($1 != ".") print "-" $1; print "--" $2; if ($3 != ".") print "--" $3 }' | sort >want
    same want got
    [ "$(ask_bash "$1" --out | sort)" = "$(grep -e '^--out' want)" ]
    [ "$(ask_bash "$1" -O)" = "$(grep -x -e -O want || true)" ]
    [ -z "$(choices_of "$1" out-format)" ] || [ "$(ask_bash "$1" -O '' | tr '\n' ' ')" = "$(choices_of "$1" out-format) " ]
    [ -z "$(choices_of "$1" bad-residue)" ] || [ "$(ask_bash "$1" --bad-residue = s | tr '\n' ' ')" = "skip " ]
    [ -z "$(choices_of "$1" header)" ] || [ "$(ask_bash "$1" --header = | tr '\n' ' ')" = "hash plain none " ]
    if table_of "$1" | grep -q ' backend '; then grep -q '^auto$' <<<"$(ask_bash "$1" --backend '')"; fi
    [ "$(ask_bash "$1" demo. | sort | tr '\n' ' ')" = "demo.fa demo.fa.gz demo.wsp " ]
    [ "$(ask_bash "$1" -o demo.w)" = demo.wsp ]
    [ "$(ask_bash "$1" --threads '')" = "" ]
}
@test "bash completes options, choices and files" { each completes_in_bash $(all_tools); }

@test "bash completes a name with a blank as one word" {
    cp small.fa 'zz db.fa'
    sh "$top/completions/gen.sh" bash msvfilt "$(command -v msvfilt)" >msvfilt.bash
    local word
    for word in zz 'zz\ d' '"zz d' "'zz d"; do
        [ "$(ask_bash msvfilt "$word")" = 'zz db.fa' ] || fail "$word: $(ask_bash msvfilt "$word")"
        [ "$(ask_bash msvfilt -o "$word")" = 'zz db.fa' ] || fail "-o $word: $(ask_bash msvfilt -o "$word")"
    done
    python3 - <<'EOF' # as typed: two words of it would be two operands
import os, pty, select, subprocess, time
def check(typed, want):
    master, slave = pty.openpty()
    env = dict(os.environ, TERM="dumb", PS1="$ ")
    p = subprocess.Popen(["bash", "--norc", "-i"], stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True)
    os.close(slave)
    out, end, sent = b"", time.time() + 10, False
    os.write(master, b"source ./msvfilt.bash; echo rea''dy\n")
    while time.time() < end and want not in out:
        if select.select([master], [], [], 0.1)[0]: out += os.read(master, 65536)
        if b"ready\r" in out and not sent: sent = os.write(master, typed) > 0
    p.kill(); p.wait(); os.close(master)
    assert want in out, out
check(b"msvfilt zz\t", b"msvfilt zz\\ db.fa")
check(b"msvfilt zz\\ d\t", b"msvfilt zz\\ db.fa")
check(b"msvfilt -o 'zz d\t", b"-o 'zz db.fa'")
EOF
}

completes_in_fish() {
    sh "$top/completions/gen.sh" fish "$1" "$(command -v "$1")" >"$1.fish"
    fish -N -c "source $1.fish; complete -C '$1 --out'" | cut -f1 | sort >got
    table_of "$1" | awk '{ print "--" $2; if ($3 != ".") print "--" $3 }' | grep '^--out' | sort | same - got
    if [ -n "$(choices_of "$1" out-format)" ]; then
        fish -N -c "source $1.fish; complete -C '$1 -O '" | cut -f1 | sort | tr '\n' ' ' >got
        [ "$(cat got)" = "$(choices_of "$1" out-format | tr ' ' '\n' | sort | tr '\n' ' ')" ] || fail "$(cat got)"
    fi
    fish -N -c "source $1.fish; complete -C '$1 -'" | grep -c '^--' >got
    [ "$(cat got)" -eq "$(table_of "$1" | awk '{ n += 1 + ($3 != ".") } END { print n }')" ]
}
@test "fish completes options and choices" {
    wants fish
    each completes_in_fish $(all_tools)
}

@test "zsh completes options and choices" {
    wants zsh
    mkdir -p zsh
    for t in $(all_tools); do
        sh "$top/completions/gen.sh" zsh "$t" "$(command -v "$t")" >"zsh/_$t"
        printf '%s --out\t%s\n' "$t" "$(table_of "$t" | awk '{ print "--" $2 }' | grep '^--out' | paste -sd' ')"
        [ -z "$(choices_of "$t" out-format)" ] || printf '%s -O \t%s\n' "$t" "$(choices_of "$t" out-format)"
    done >asked
    [ "$(wc -l <asked)" -gt "$(all_tools | wc -l)" ]
    python3 - asked <<'EOF'
import os, pty, select, subprocess, sys, time
master, slave = pty.openpty()
env = dict(os.environ, TERM="dumb", PS1="%% ", ZDOTDIR=os.getcwd() + "/zsh", COLUMNS="200")
p = subprocess.Popen(["zsh", "-f", "-i"], stdin=slave, stdout=slave, stderr=slave, env=env, close_fds=True, start_new_session=True)
os.close(slave)
def read(*until): # until all these words came
    out, end = b"", time.time() + 20
    while time.time() < end and not all(w in out for w in until):
        if select.select([master], [], [], 0.1)[0]:
            try: out += os.read(master, 65536)
            except OSError: break
    assert all(w in out for w in until), (until, out.decode(errors="replace"))
os.write(master, b"fpath=($ZDOTDIR $fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' list-choices; print rea''dy\n")
read(b"ready\r")
for n, asked in enumerate(open(sys.argv[1])):
    line, words = asked.rstrip("\n").split("\t")
    os.write(master, line.encode() + b"\t")
    read(*(w.encode() for w in words.split()))
    os.write(master, b"\x15print nex''t%d\n" % n)
    read(b"next%d\r" % n)
p.kill()
p.wait()
EOF
}

# ---- installation ----

@test "make install and uninstall: every file in its place, and nothing left, no folder either" {
    [ -z "${WARPSIEVE_BIN:-}" ] || skip "programs from elsewhere are tested"
    make -s -C "$top" install DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
    for t in $(all_tools); do
        [ -x "root/usr/bin/$t" ]
        [ -f "root/usr/share/man/man1/$t.1" ]
        [ -s "root/usr/share/bash-completion/completions/$t" ]
        [ -s "root/usr/share/zsh/site-functions/_$t" ]
        [ -s "root/usr/share/fish/vendor_completions.d/$t.fish" ]
        [ "$(root/usr/bin/"$t" --version)" = "$($t --version)" ]
    done
    for page in "$top"/man/*.[57]; do [ -f "root/usr/share/man/man${page##*.}/${page##*/}" ]; done
    for p in hmmsearch hmmscan nhmmer nhmmscan hmmalign hmmpress hmmfetch papara; do
        "$(root/usr/bin/hmmsieve --hmmer-path)/$p" -h | head -1 | grep -q "^# $p :: " || fail "no $p"
    done
    # cookbook and workflows as they are here, and one that runs from there; the library and its headers are private
    for d in docs workflows; do diff -r "$top/$d" root/usr/share/doc/warpsieve/$d || fail "$d is another"; done
    [ -z "$(find root -name '*.a' -o -name '*.h' -o -path '*/lib/*')" ] ||
        fail "$(find root -name '*.a' -o -name '*.h')"
    PATH=$PWD/root/usr/bin:$PATH bash root/usr/share/doc/warpsieve/workflows/shell/cascade.sh m.hmm demo.fa.gz installed
    grep -q RAD53 installed.hits.tbl
    make -s -C "$top" uninstall DESTDIR="$PWD/root" PREFIX=/usr
    [ ! -e root ] || fail "left: $(find root)"
    # folders that were there before stay
    mkdir -p root/usr/share/man/man1
    make -s -C "$top" install DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
    make -s -C "$top" uninstall DESTDIR="$PWD/root" PREFIX=/usr
    [ "$(find root | sort | tail -1)" = root/usr/share/man/man1 ] || fail "left: $(find root)"
    for target in install uninstall; do
        run make -s -C "$top" $target DESTDIR="$PWD/a root" PREFIX=/usr
        [ "$status" -ne 0 ] && grep -q 'must be without blanks' <<<"$output" || fail "$target: $output"
    done
}

@test "the names of the sources that docs/ and the READMEs of rooms mention are there" {
    grep -ohE '`ws_[a-z_]+' "$top"/docs/*.md "$top"/{bin,kernels,lib}/*/README.md "$top"/kernels/*/*/README.md |
        tr -d '\140' | grep -v '_$' | sort -u >names
    [ "$(wc -l <names)" -ge 40 ]
    while read -r name; do
        grep -rqw --include='*.h' --include='*.cuh' --include='*.c' "$name" "$top/lib" "$top/kernels" "$top/bin" ||
            fail "nothing is called $name"
    done <names
}
