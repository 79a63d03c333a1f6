#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Makefile's own decisions: the devices that it compiles for, the files that it makes anew, and the text of
# --version.

bats_require_minimum_version 1.5.0
load helper

setup() {
    [ -z "${WARPSIEVE_BIN:-}" ] || skip "programs from elsewhere are tested"
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p with/bin
    # a compiler that knows what nvcc 13 knows, and a machine with the devices of the file caps
    printf '#!/bin/sh\n[ "$1" = --list-gpu-code ] && printf "sm_%%s\\n" 75 80 86 89 90 100 120\n' >with/bin/nvcc
    printf '#!/bin/sh\n[ "$*" = "--query-gpu=compute_cap --format=csv,noheader" ] && cat "%s/caps"\n' "$PWD" >with/bin/nvidia-smi
    chmod +x with/bin/*
    : >caps
}
mk() {
    PATH=$PWD/with/bin:$PATH outside_of_bats make -s -C "$top" --no-print-directory CUDA=1 NVCC="$PWD/with/bin/nvcc" \
        B="$PWD/b" "$@"
}
compiled_for() { # the words of the compiler's command that name devices
    mk -n "$PWD/b/lib/dev/device_cuda.o" "$@" | grep -oE 'code=[a-z]+_[0-9]+|WS_CUDA_(SMS|PTX)=[^-]*[0-9"]' |
        sed "s/code=//; s/[\"']//g" | tr '\n' ' '
}

@test "make compiles for the devices that it finds, each once, and PTX of the last" {
    printf '9.0\n8.6\n9.0\n' >caps
    compiled_for >got
    [ "$(cat got)" = "WS_CUDA_SMS=86 90 WS_CUDA_PTX=90 sm_86 sm_90 compute_90 " ] || fail "$(cat got)"
}

@test "make compiles for 80 and 90 and PTX of 80 where no device is, or none that the compiler knows" {
    for found in '' '7.0\n' '13.0\n' 'No devices were found\n' '[N/A]\n'; do
        printf "$found" >caps
        compiled_for >got
        [ "$(cat got)" = "WS_CUDA_SMS=80 90 WS_CUDA_PTX=80 sm_80 sm_90 compute_80 " ] || fail "with $found: $(cat got)"
    done
    rm with/bin/nvidia-smi
    [ "$(compiled_for)" = "$(cat got)" ]
}

@test "make: SMS and PTX of the user win, and are remembered until the user changes them" {
    printf '9.0\n' >caps
    [ "$(compiled_for SMS='75 120')" = "WS_CUDA_SMS=75 120 WS_CUDA_PTX=120 sm_75 sm_120 compute_120 " ]
    [ "$(compiled_for SMS=86 PTX=80)" = "WS_CUDA_SMS=86 WS_CUDA_PTX=80 sm_86 compute_80 " ]
    mk SMS='80 86' PTX=75 "$PWD/b/SMS.is" "$PWD/b/PTX.is"
    printf '8.9\n' >caps # make install on another machine
    [ "$(compiled_for)" = "WS_CUDA_SMS=80 86 WS_CUDA_PTX=75 sm_80 sm_86 compute_75 " ] || fail "$(compiled_for)"
    touch -d '2001-01-01' b/SMS.is
    mk "$PWD/b/SMS.is"
    [ "$(stat -c %Y b/SMS.is)" -lt 1000000000 ] || fail "the same value made the file new"
    mk SMS=89 "$PWD/b/SMS.is"
    [ "$(stat -c %Y b/SMS.is)" -gt 1000000000 ] || fail "another value did not make the file new"
}

# make without CUDA=, on a machine with that nvcc: what it would say with the library, and the sources for devices. The
# second way reads the Makefile and prints no command of the others.
unasked() { # unasked GOAL...
    PATH=$PWD/with/bin:$PATH outside_of_bats make -s -C "$top" --no-print-directory NVCC="$PWD/with/bin/nvcc" B="$PWD/b" "$@" \
        >said 2>errors || fail "$(cat errors)"
    grep -c 'device_cuda' said || :
}
whole() { unasked -n "$PWD/b/libwarpsieve.a" "$@"; }
brief() { unasked -f "$BATS_TEST_TMPDIR/brief.mk" list "$@"; }
@test "make without CUDA=: kernels where a GPU answers; elsewhere none, and how to get them; later as the first time" {
    printf '%s\n' 'include Makefile' 'list: ; @$(if $(LEFT_OUT),echo "$(subst ",,$(LEFT_OUT))";) echo $(CUSRC:%.cu=%.o)' >brief.mk
    [ "$(whole)" -eq 0 ]
    [ "$(grep -c '^echo .*no GPU answers.*make CUDA=1.*SMS=90' said)" -eq 1 ] || fail "$(tail -3 said)"
    [ "$(brief)" -eq 0 ]
    [ "$(grep -c 'no GPU answers.*make CUDA=1.*SMS=90' said)" -eq 1 ] || fail "$(cat said)"
    [ "$(brief CUDA=1)" -eq 1 ]
    [ "$(brief CUDA=0)" -eq 0 ]
    ! grep 'no GPU answers' said || fail "it says so to one who asked"
    printf '9.0\n' >caps
    [ "$(brief)" -eq 1 ]
    mkdir b
    echo 0 >b/CUDA.is
    [ "$(brief)" -eq 0 ]
    ! grep 'no GPU answers' said || fail "it says so again"
    : >caps
    echo 1 >b/CUDA.is
    [ "$(brief)" -eq 1 ]
}

@test "make builds on all cores, and on as many as -j says; not where one goal undoes another" {
    local cores
    cores=$(getconf _NPROCESSORS_ONLN)
    printf 'include Makefile\nflags: ; @echo "flags: $$MAKEFLAGS"\n' >one.mk
    flags() { outside_of_bats make -s -C "$top" --no-print-directory -f "$BATS_TEST_TMPDIR/one.mk" B="$PWD/b" CUDA=0 STATIC=0 "$@" |
        grep 'flags: '; }
    flags flags >said
    grep -q -- "-j$cores\b" said || fail "$(cat said)"
    flags -j1 flags >said
    ! grep -q -- '--jobserver' said || fail "$(cat said)"
    flags -j3 flags >said
    grep -q -- '-j3' said && ! grep -q -- "-j$cores\b" said || fail "$(cat said)"
    flags uninstall flags -n >said
    ! grep -q -- '-j' said || fail "$(cat said)"
}

@test "--version: the commit of the checkout, with + if files differ from it" {
    command -v git >/dev/null && [ -e "$top/.git" ] || skip "this is no git checkout"
    mkdir copy
    git -C "$top" ls-files -co --exclude-standard >files
    (cd "$top" && while read -r f; do [ ! -f "$f" ] || echo "$f"; done | xargs -d '\n' cp --parents -t "$BATS_TEST_TMPDIR/copy") <files
    cd copy
    git init -q . && git add -A && git -c user.name=t -c user.email=t@t.invalid commit -qm t
    export WARPSIEVE_TEST_HASH=$(git rev-parse --short=12 HEAD)
    # without asking the compiler what it has
    commit() { make -s CUDA=0 ZSTD=0 ISAL=0 STATIC=0 CFLAGS=-O0 build/COMMIT.is && cat build/COMMIT.is; }
    [ "$(commit)" = "$WARPSIEVE_TEST_HASH" ] || fail "$(commit)"
    echo "# changed" >>Makefile
    [ "$(commit)" = "$WARPSIEVE_TEST_HASH+" ] || fail "$(commit)"
    # in a tarball, git archive wrote it; without either it is the one that was known when B was made
    git archive HEAD packaging/commit | tar -xO >from-archive
    rm -rf .git
    [ "$(commit)" = "$WARPSIEVE_TEST_HASH+" ] || fail "$(commit)"
    cp from-archive packaging/commit
    [ "$(commit)" = "$WARPSIEVE_TEST_HASH" ] || fail "$(commit)"
    rm -rf build
    printf '$Format:%%H$\n' >packaging/commit
    [ "$(commit)" = unknown ] || fail "$(commit)"
}

version_has_facts() {
    "$1" --version >got
    [ "$(cut -d: -f1 got | tail -n +2 | tr '\n' ' ')" = "commit backends cuda compression " ] || fail "$(cat got)"
    grep -qxE 'commit: ([0-9a-f]{12}\+?|unknown)' got || fail "$(cat got)"
    # what --list-backends says, without those that were not built
    "$1" --list-backends |
        awk -F '\t' 'NR == 1 || $1 == "cuda+cpu" || $3 ~ /built without CUDA/ { next } { printf " %s", $1; n++ }
            END { print n ? "" : " none" }' >want
    same want <(sed -n 's/^backends://p' got)
    grep -qxE 'cuda: (none|[0-9]+\.[0-9]+, compute capability [0-9 ]+, PTX of [0-9]+)' got || fail "$(cat got)"
    grep -qxE 'compression: zlib [0-9.a-z-]+(, ISA-L [0-9.]+)?(, libzstd [0-9.]+)?' got || fail "$(cat got)"
}
@test "--version: commit, backends, CUDA, compute capabilities and libraries of the build" { each version_has_facts $(all_tools); }

@test "make: hardening of programs, unless CFLAGS ask for sanitizers or no optimization" {
    mk -n CUDA=0 "$PWD/b/lib/base/err.o" bin/respack >said
    for flag in -fstack-protector-strong -D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now; do
        grep -q -e "$flag" said || fail "no $flag: $(cat said)"
    done
    for cflags in '-O1 -fsanitize=address' -O0; do
        mk -n CUDA=0 CFLAGS="$cflags" "$PWD/b/lib/base/err.o" >said
        # shellcheck disable=SC2314 # the last command of the loop's body
        if grep -q FORTIFY said; then fail "$cflags: $(cat said)"; fi
    done
    mk -n CUDA=0 CPPFLAGS=-D_FORTIFY_SOURCE=3 "$PWD/b/lib/base/err.o" >said
    [ "$(grep -o _FORTIFY_SOURCE=. said)" = _FORTIFY_SOURCE=3 ]
    ! sanitized || skip 'built with a sanitizer'
    wants readelf
    for t in $(all_tools); do
        readelf -dW "$top/bin/$t" | grep -q 'NOW' || fail "$t: no BIND_NOW"
        readelf -lW "$top/bin/$t" | grep -q GNU_RELRO || fail "$t: no RELRO"
        readelf -sW "$top/bin/$t" | grep -q __stack_chk_fail || fail "$t: no stack protector"
    done
}

@test "what the files of nvcc include is C++ without warnings, as its host compiler sees it" {
    command -v g++ >/dev/null || skip "g++ is not installed"
    cd "$top" || return 1
    local headers
    headers=$(sed -n 's/^#include "\(.*[^c]\.h\)"$/\1/p' $(find bin kernels lib -name '*.cu' -o -name '*.cuh') |
        grep -v '\.inc\.h$' | sort -u)
    [ "$(wc -w <<<"$headers")" -ge 10 ]
    for h in $headers; do printf '#include "%s"\n' "$h"; done |
        g++ -std=c++17 -I. -Wall -Wextra -Werror -fsyntax-only -x c++ - >"$BATS_TEST_TMPDIR/said" 2>&1 ||
        fail "$(cat "$BATS_TEST_TMPDIR/said")"
}

@test "make says where the programs are, unless it is asked to be silent or has another goal" {
    local said='The programs are in bin' flags=(-C "$top" --no-print-directory CUDA=0 TOOLS= SCRIPTS= PAGES= NAMED=)
    run -0 outside_of_bats make "${flags[@]}"
    grep -q "^$said" <<<"$output" || fail "$output"
    run -0 outside_of_bats make -s "${flags[@]}" all
    [[ $output != *$said* ]] || fail "$output"
    run -0 outside_of_bats make -n "${flags[@]}" demo
    [[ $output != *$said* ]] || fail "$output"
}

@test "make debug: links each program into build/debug/bin" {
    run -0 make -n -C "$top" CUDA=0 debug
    for t in $(all_tools); do grep -q -- "-o build/debug/bin/$t " <<<"$output" || fail "$t"; done
}

@test "make hook: a commit with a breach of style is refused, with the place; another hook is left alone" {
    wants git
    mkdir sources
    (cd "$top" && cp -r --parents Makefile packaging/*.mk packaging/*.sh lib/base lib/simd tests/style.sh tests/comments.py \
        tests/pre-commit.sh tests/commit-msg.sh "$BATS_TEST_TMPDIR/sources/")
    cd sources
    git init -q .
    commit() { outside_of_bats git -c user.name=a -c user.email=a@b commit -q -m "$1" 2>said; }
    hook() { outside_of_bats make -s --no-print-directory CUDA=0 TOOLS= hook; }
    hook
    git add .
    commit First || fail "$(cat said)"
    # a line too long is refused; mended on disk alone, it still is; the mended file is not
    { echo '/* SPDX-License-Identifier: MIT */'; printf '/* %0300d */\n' 0; } >lib/base/wide.h
    git add .
    ! commit Wide || fail "the hook let a wide line pass"
    grep -q '^  lib/base/wide.h:2: 306 characters, at most 120$' said || fail "$(cat said)"
    sed -i 2d lib/base/wide.h
    ! commit Wide || fail "the hook looked at the disk"
    git add .
    commit Mended || fail "$(cat said)"
    # a file that was fetched or built is refused, too
    head -c 262145 /dev/zero >tests/fetched.whl
    git add .
    ! commit Fetched || fail "the hook let a large file pass"
    grep -q '^  tests/fetched.whl: 262145 bytes, at most 262144$' said || fail "$(cat said)"
    git rm -qf tests/fetched.whl
    # a sentence without an actor is refused; the words of strings and of code are not sentences
    local who=some
    who+=body
    printf '%s\n' '/* SPDX-License-Identifier: MIT' ' * What is in "Of x". What else? */' "extern int Of; // as $who: Of" \
        'static const char *const s = "// What // Of";' '// The first line.' '// Of the second: "it". Of b' >lib/base/talk.h
    git add .
    ! commit Talk || fail "the hook let a sentence without an actor pass"
    sed -n 's/^  lib.base.talk.h:\([0-9]*\): \([A-Za-z]* [a-z]*\).*/\1 \2/p' said | sort >places
    printf '%s\n' '1 What else' '1 What is' '5 Of b' '5 Of the' >want
    sed -i "/ $who /d" places
    same want places
    grep -q "^  lib/base/talk.h:3: $who: " said || fail "$(cat said)"
    git rm -qf lib/base/talk.h
    # subjects: at most 60 characters, a verb first, no prefix and no full stop
    # (git asks for them after the files, so the hook is asked alone, but for one)
    subject() { printf '%s\n' "$1" >message && outside_of_bats sh .git/hooks/commit-msg message 2>said; }
    ! commit 'Reviewed the reader' || fail "git does not ask for the subject"
    grep -q '^commit-msg: the subject .*: Reviewed the reader$' said || fail "$(cat said)"
    local subject sixty='Read keys from standard input, and say which line has none -'
    [ ${#sixty} -eq 60 ]
    for subject in "$sixty-" 'read keys' 'Reader: read keys' 'Read keys.' 'Tidied the reader' 'Sentences of the reader'; do
        ! subject "$subject" || fail "the hook let a subject pass: $subject"
        grep -q "^commit-msg: the subject .*: $subject\$" said || fail "$(cat said)"
    done
    echo >lib/base/more.txt
    git add .
    commit "$sixty" || fail "$(cat said)"
    # again does no harm; a hook of the user's own stays
    hook
    echo 'exit 0' >.git/hooks/pre-commit
    ! hook 2>said || fail "make hook replaced a hook"
    grep -q 'pre-commit is there already' said
    [ "$(cat .git/hooks/pre-commit)" = 'exit 0' ]
    rm .git/hooks/pre-commit
    echo 'exit 0' >.git/hooks/commit-msg
    ! hook 2>said || fail "make hook replaced a hook"
    grep -q 'commit-msg is there already' said
    [ ! -e .git/hooks/pre-commit ] || fail "one hook without the other"
}

@test "make mutants: a test that hangs, or leaves children in groups of their own, is ended with all of them; a signal too" {
    printf '%s\n' '#!/bin/sh' 'echo $$ >>pids' "setsid sh -c 'echo \$\$ >>pids; exec sleep 300' &" \
        "timeout 300 sh -c 'echo \$\$ >>pids; exec sleep 300' &" '[ -z "$1" ] || exec sleep "$1"' >slow
    chmod +x slow
    export PYTHONPATH=$top/tests PYTHONDONTWRITEBYTECODE=1
    gone() { # each process of the file pids
        [ "$(wc -l <pids)" -eq 3 ] || fail "not all began: $(cat pids)" || return 1
        for pid in $(cat pids); do [ ! -e "/proc/$pid" ] || fail "still there: $(tr '\0' ' ' <"/proc/$pid/cmdline")" ||
            return 1; done
        rm pids
    }
    python3 -c 'import mutants as m; m.adopt(); assert m.run(["./slow", "300"], 2) == 124'
    gone
    python3 -c 'import mutants as m; m.adopt(); assert m.run(["./slow", "2"], 60) == 0'
    gone
    python3 -c 'import mutants as m, signal; m.adopt(); signal.signal(signal.SIGTERM, m.stop); m.run(["./slow", "300"])' &
    for _ in $(seq 100); do [ "$(cat pids 2>/dev/null | wc -l)" -eq 3 ] && break || sleep 0.1; done
    kill $!
    s=0
    wait $! || s=$?
    [ "$s" -eq 143 ]
    gone
}
