#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The tarball of make dist builds anywhere to the same bytes, installs, passes installcheck and uninstalls to nothing; the Debian package
# and the conda recipe are made from it.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    [ -z "${WARPSIEVE_BIN:-}" ] || return 0
    cd "$BATS_FILE_TMPDIR" || return 1
    # a copy in a folder that another checkout ignores (make asan) is none either
    [ -n "$(git -C "$top" ls-files Makefile 2>/dev/null)" ] || return 0
    make -s -C "$top" dist B="$PWD/dist" >/dev/null
    tarball=$(ls dist/*.tar.gz)
    mkdir -p a/quite/another/place b
    tar -xzf "$tarball" -C a/quite/another/place
    tar -xzf "$tarball" -C b
    mv a/quite/another/place/warpsieve-* one
    mv b/warpsieve-* 'b/number two'
}
setup() {
    [ -z "${WARPSIEVE_BIN:-}" ] || skip "programs from elsewhere are tested"
    cd "$BATS_FILE_TMPDIR" || return 1
    [ -d one ] || skip "this is no git checkout, so there is nothing to make a tarball from"
}
# -O1 unless there is time; what could differ between folders is in the debug information, and that is the same
flags() { [ "${WARPSIEVE_TESTS:-}" = full ] && echo "-O3 -g" || echo "-O1 -g"; }
version() { sed -n 's/.*define WS_VERSION "\(.*\)"/\1/p' one/lib/base/ws.h; }
# make as a shell outside of bats calls it
clean_make() { outside_of_bats make -s "$@"; }
built() { [ -x one/bin/msvfilt ] || nice make -s -j2 -C one CUDA=0 CFLAGS="$(flags)" >built.log 2>&1 || fail "$(cat built.log)"; }

@test "make dist: named by the version, the same bytes again, nothing that was built" {
    [ -f "dist/warpsieve-$(version).tar.gz" ]
    make -s -C "$top" dist B="$PWD/again" >/dev/null
    cmp dist/*.tar.gz again/*.tar.gz
    [ -z "$(tar -tzf dist/*.tar.gz | grep -E '\.(o|a|tar\.gz)$|/build/|\.git/')" ]
}

@test "two builds in two folders: the same programs, which name neither folder" {
    built
    nice make -s -j2 -C 'b/number two' CUDA=0 CFLAGS="$(flags)"
    for t in $(all_tools); do
        cmp "one/bin/$t" "b/number two/bin/$t" || fail "$t differs"
        grep -c "$BATS_FILE_TMPDIR" "one/bin/$t" && fail "$t names the folder that it was built in"
    done
    [ -x one/bin/msvfilt ]
}

# What a compiler is not sure of differs by level, so all are asked where there is time.
@test "no warnings: as built above, and by each compiler at each level" {
    local cc o
    built
    [ -z "$(grep warning: built.log)" ] || fail "$(grep -A3 warning: built.log)"
    [ "${WARPSIEVE_TESTS:-}" = full ] || return 0
    for cc in gcc clang; do
        command -v $cc >/dev/null || { echo "# $cc is not installed, so its warnings were not asked for" >&3; continue; }
        for o in 0 1 2 3 g; do
            nice make -s -j2 -C one B=level CUDA=0 CC=$cc CFLAGS=-O$o level/libwarpsieve.a units >log 2>&1 || fail "$cc -O$o: $(tail log)"
            [ -z "$(grep warning: log)" ] || fail "$cc -O$o: $(grep -A3 warning: log)"
            rm -rf one/level
        done
    done
}

@test "from the tarball: demo, install, installcheck, uninstall to nothing" {
    built
    clean_make -C one demo CUDA=0 >log
    grep -q RAD53 log
    make -s -C one install CUDA=0 DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
    clean_make -C one installcheck DESTDIR="$PWD/root" PREFIX=/usr CHECKS="tests/contract.bats tests/respack.bats" >log || fail "$(cat log)"
    grep -q '^ok .*provenance' log
    rm root/usr/share/man/man1/vitfilt.1
    run clean_make -C one installcheck DESTDIR="$PWD/root" PREFIX=/usr CHECKS=tests/contract.bats
    [ "$status" -ne 0 ]
    grep -q 'man1/vitfilt.1 is not there' <<<"$output"
    make -s -C one uninstall DESTDIR="$PWD/root" PREFIX=/usr
    [ ! -e root ] || fail "left: $(find root)"
}

@test "from the tarball: all quick tests" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"
    built
    clean_make -j2 -C one check CUDA=0 >log 2>&1 || fail "$(tail -50 log)"
}

@test "no library of CUDA is asked for" {
    for t in $(all_tools); do
        ldd "$top/bin/$t" | grep -E 'libcud|not found' && fail "$t"
    done
    [ -x "$top/bin/msvfilt" ]
}

# ---- packages ----

@test "debian: version and fields" {
    [ "$(sed -n '1s/^warpsieve (\([^)-]*\).*/\1/p' one/debian/changelog)" = "$(version)" ]
    for f in Source Section Priority Maintainer Build-Depends Standards-Version Package Architecture Depends Description; do
        grep -q "^$f:" one/debian/control || fail "no $f"
    done
    [ -x one/debian/rules ]
    grep -q 'License: MIT' one/debian/copyright
}

@test "dpkg-buildpackage: a package of programs, pages and completions that depends on no CUDA" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"
    for p in dpkg-buildpackage dh; do command -v $p >/dev/null || skip "$p is not installed"; done
    mkdir deb
    cp dist/*.tar.gz "deb/warpsieve_$(version).orig.tar.gz"
    tar -xzf dist/*.tar.gz -C deb
    cd deb
    (cd warpsieve-* && DEB_BUILD_OPTIONS="nocheck parallel=2" nice dpkg-buildpackage -us -uc >../log 2>&1) || fail "$(tail -20 log)"
    dpkg-deb -c warpsieve_*.deb | awk '{ print $6 }' >list
    for t in $(all_tools); do
        for f in bin/$t share/man/man1/$t.1.gz share/bash-completion/completions/$t share/zsh/vendor-completions/_$t \
            share/fish/vendor_completions.d/$t.fish; do
            grep -qx "./usr/$f" list || fail "no $f"
        done
    done
    dpkg-deb -f warpsieve_*.deb Depends >depends
    grep -q 'libc6' depends && grep -q 'libxxhash0' depends && grep -q 'zlib1g' depends || fail "$(cat depends)"
    ! grep -qi cuda depends || fail "$(cat depends)"
    dpkg-deb -x warpsieve_*.deb unpacked
    [ "$(unpacked/usr/bin/msvfilt --version)" = "msvfilt $(version)" ]
    if command -v lintian >/dev/null; then
        lintian --allow-root --fail-on error,warning warpsieve_*.changes || fail "lintian"
        lintian --allow-root -I --tag-display-limit 0 warpsieve_*.changes >lint
        [ ! -s lint ] || fail "$(cat lint)"
    fi
}

@test "conda recipe: version, files, libraries and commands are those of the sources; its script builds what its test asks for" {
    python3 -c 'import yaml' 2>/dev/null || skip "python3 has no yaml"
    built
    python3 "$top/tests/recipe.py" one >commands
    # it would see another version and a file that is not there
    cp -r one/packaging keep
    sed -i 's/set version = "[^"]*"/set version = "9.9"/' one/packaging/bioconda/meta.yaml
    run python3 "$top/tests/recipe.py" one
    [ "$status" -eq 1 ] && grep -q 'expected version' <<<"$output" || fail "$output"
    sed 's|demo.fa.gz$|none.fa.gz|' keep/bioconda/meta.yaml >one/packaging/bioconda/meta.yaml
    run python3 "$top/tests/recipe.py" one
    [ "$status" -eq 1 ] && grep -q 'no file tests/data/none.fa.gz' <<<"$output" || fail "$output"
    cp keep/bioconda/meta.yaml one/packaging/bioconda/
    bash -n one/packaging/bioconda/build.sh
    (cd one && PREFIX=$BATS_FILE_TMPDIR/conda CPU_COUNT=2 CC=${CC:-cc} bash packaging/bioconda/build.sh >../log 2>&1) || fail "$(tail log)"
    [ -s commands ]
    cp -r one/tests .
    PATH=$PWD/conda/bin:$PATH bash -euo pipefail commands
}
