#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the completion file of one tool for one shell to standard output:
#   sh completions/gen.sh bash|zsh|fish TOOL [PROGRAM]
# It asks the program (bin/TOOL unless named) for its options, so a new option needs no edit here. EMULATOR runs a program
# for another processor.
set -eu
[ $# -ge 2 ] || { echo "usage: gen.sh bash|zsh|fish TOOL [PROGRAM]" >&2; exit 2; }
shell=$1
tool=$2
program=${3:-$(dirname "$0")/../bin/$tool}
case $shell in bash | zsh | fish) ;; *) echo "gen.sh: expected bash, zsh or fish, found \"$shell\"" >&2; exit 2 ;; esac

backends=$(${EMULATOR:-} "$program" --list-backends | awk 'NR > 1 { printf ",%s", $1 }')
options=$(${EMULATOR:-} "$program" --dump-options)

# Fields: letter, name, alias, argument (with "=" before it if the value is optional), choices, help.
printf '%s\n' "$options" | awk -F '\t' -v tool="$tool" -v shell="$shell" -v backends="auto$backends" '
function choices_of() { return $2 == "backend" ? backends : $5 }
function words(list) { gsub(",", " ", list); return list }
function forms(between, n, s) { # "-o --output", with `between` between
    s = $1 == "" ? "" : "-" $1 between
    s = s "--" $2
    return $3 == "" ? s : s between "--" $3
}
function quoted(s) { gsub("\047", "\047\\\047\047", s); return "\047" s "\047" }

# ---- bash: one case per kind of value, collected while reading ----
function bash_case(what) { cases = cases "    " forms("|") ") mapfile -t COMPREPLY < <(compgen " what "); return ;;\n" }
function bash_option() {
    all = all (all == "" ? "" : " ") forms(" ")
    if ($4 == "" || substr($4, 1, 1) == "=") return
    if (choices_of() != "") bash_case("-W \"" words(choices_of()) "\" -- \"$cur\"")
    else if ($4 == "FILE") bash_case("-f -- \"$path\"")
    else free = free (free == "" ? "" : "|") forms("|")
}
function bash_end(f) {
    f = tool; gsub(/[^A-Za-z0-9_]/, "_", f)
    printf "# bash completion for %s, generated from its option table\n_%s() {\n", tool, f
    print "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}"
    print "    COMPREPLY=()"
    print "    # --name=value arrives as three words"
    print "    if [[ $cur == = ]]; then cur="
    print "    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi"
    print "    # a name as it is, without the quotes that a blank in it needs; -o filenames puts them back"
    print "    local path=${cur#[\\\"\\\047]}"
    print "    path=${path//\\\\}"
    print "    case $prev in"
    printf "%s", cases
    if (free != "") printf "    %s) return ;;\n", free
    print "    --stats) [[ ${COMP_LINE:0:COMP_POINT} == *--stats=* ]] && { mapfile -t COMPREPLY < <(compgen -f -- \"$path\"); return; } ;;"
    print "    esac"
    printf "    if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W \"%s\" -- \"$cur\")\n", all
    print "    else mapfile -t COMPREPLY < <(compgen -f -- \"$path\"); fi"
    printf "}\ncomplete -o filenames -F _%s %s\n", f, tool
}

# ---- zsh: one specification per option for _arguments ----
function zsh_text(s) { gsub(/[\[\]:\\]/, "\\\\&", s); return s }
function zsh_value(arg) {
    arg = $4; sub(/^=/, "", arg)
    if (choices_of() != "") return ":" arg ":(" words(choices_of()) ")"
    return ":" arg ":" (arg == "FILE" ? "_files" : arg == "DIR" ? "_files -/" : " ")
}
function zsh_one(form, long, s) {
    s = form
    if ($4 != "") s = s (substr($4, 1, 1) == "=" ? "=-" : long ? "=" : "+")
    s = s "[" zsh_text($6) "]"
    if (substr($4, 1, 1) == "=") s = s ":" zsh_value()
    else if ($4 != "") s = s zsh_value()
    printf "  %s \\\n", quoted("(" forms(" ") ")" s)
}
function zsh_option() {
    if ($1 != "") zsh_one("-" $1, 0)
    zsh_one("--" $2, 1)
    if ($3 != "") zsh_one("--" $3, 1)
}

# ---- fish: one command per option ----
function fish_option(s) {
    s = "complete -c " tool ($1 == "" ? "" : " -s " $1) " -l " $2
    if ($3 != "") s = s " -l " $3
    if ($4 != "" && substr($4, 1, 1) != "=") {
        if (choices_of() != "") s = s " -x -a " quoted(words(choices_of()))
        else s = s ($4 == "FILE" ? " -r -F" : " -x")
    }
    print s " -d " quoted($6)
}

BEGIN {
    if (shell == "zsh") printf "#compdef %s\n# zsh completion for %s, generated from its option table\n_arguments -s -S \\\n", tool, tool
    if (shell == "fish") printf "# fish completion for %s, generated from its option table\n", tool
}
shell == "bash" { bash_option() }
shell == "zsh" { zsh_option() }
shell == "fish" { fish_option() }
END {
    if (shell == "bash") bash_end()
    if (shell == "zsh") print "  \047*:file:_files\047"
}
'
