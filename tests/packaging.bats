#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The tarball of make dist builds anywhere to the same bytes, installs, passes installcheck and uninstalls to nothing;
# the Debian package and the conda recipe are made from it.

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
    unset MAKEFLAGS
    [ "${WARPSIEVE_TESTS:-}" = full ] || share_objects
}
setup() {
    [ -z "${WARPSIEVE_BIN:-}" ] || skip "programs from elsewhere are tested"
    unset MAKEFLAGS # set by make -j2 check; a make of a test would warn about it
    cd "$BATS_FILE_TMPDIR" || return 1
    [ -d one ] || skip "this is no git checkout, so there is nothing to make a tarball from"
}
# Where there is little time, the tarball's objects are those of this tree, if they were made from the same sources with
# the same flags: one that is made anew, in another folder, has to be the same. Then the file shared has the flags.
share_objects() {
    local here=$top/${B:-build}
    [ -z "$(git -C "$top" status --porcelain -uno)" ] || return 0
    nice make -s -C 'b/number two' CUDA=0 CFLAGS="${CFLAGS:--O3 -g}" build/lib/base/err.o || return 0
    cmp -s "$here/lib/base/err.o" 'b/number two/build/lib/base/err.o' || return 0
    mkdir -p one/build/main
    cp -r "$here/lib" "$here/kernels" "$here/bin" one/build/ # now, so younger than the files of the tarball
    echo "${CFLAGS:--O3 -g}" >shared
}
# -O1 for what there is little time for; what could differ between folders is in the debug information, and that is the
# same
flags() { [ "${WARPSIEVE_TESTS:-}" = full ] && echo "-O3 -g" || cat "$BATS_FILE_TMPDIR/shared" 2>/dev/null || echo "-O1 -g"; }
version() { sed -n 's/.*define WS_VERSION "\(.*\)"/\1/p' "$BATS_FILE_TMPDIR/one/lib/base/ws.h"; }
# make as a shell outside of bats calls it
clean_make() { outside_of_bats make -s "$@"; }
built() { [ -x one/bin/msvfilt ] || nice make -s -j2 -C one CUDA=0 CFLAGS="$(flags)" >built.log 2>&1 ||
    fail "$(cat built.log)"; }

@test "make dist: named by the version, the same bytes again, nothing that was built" {
    [ -f "dist/warpsieve-$(version).tar.gz" ]
    make -s -C "$top" dist B="$PWD/again" >/dev/null
    cmp dist/*.tar.gz again/*.tar.gz
    [ -z "$(tar -tzf dist/*.tar.gz | grep -E '\.(o|a|tar\.gz)$|^[^/]*/(build|libexec)/|\.git/')" ]
}

# Where there is little time, tests do one part of N, which follows from the commit: the next commit has another one.
part_of() { echo $((16#$(cut -c1-4 "$BATS_FILE_TMPDIR/one/packaging/commit") % $1)); } # part_of N

# Where there is little time, an eighth of the objects in place of all programs: another one for another commit.
@test "two builds in two folders: the same programs, which name neither folder" {
    built
    if [ "${WARPSIEVE_TESTS:-}" = full ]; then
        nice make -s -j2 -C 'b/number two' CUDA=0 CFLAGS="$(flags)"
        (cd one && ls bin/* | grep -vE '\.|/$') | while read -r t; do [ ! -f "one/$t" ] || echo "$t"; done >sample
    else
        (cd one && make -s -n -B CUDA=0 build/libwarpsieve.a | grep -oE -- '-o build/[^ ]*\.o' | cut -c4- | sort |
            awk -v which="$(part_of 8)" 'NR % 8 == which') >sample
        nice make -s -j2 -C 'b/number two' CUDA=0 CFLAGS="$(flags)" $(cat sample) >eighth.log 2>&1 || fail "$(tail eighth.log)"
    fi
    [ "$(wc -l <sample)" -ge 12 ]
    while read -r f; do cmp "one/$f" "b/number two/$f" || fail "$f differs"; done <sample
    for t in $(all_tools); do
        grep -c "$BATS_FILE_TMPDIR" "one/bin/$t" && fail "$t names the folder that it was built in"
    done
    [ -x one/bin/msvfilt ]
}

# Shows clang's warnings without making code: seconds instead of minutes. A third of the files where there is little time.
syntax_only() {
    command -v clang >/dev/null ||
        { echo "# clang is not installed, so its warnings were not asked for" >&3; return 0; }
    make -n -B -C one CUDA=0 CC=clang units |
        sed -n 's/^\(clang .*\) -MMD -MP -c -o [^ ]* \([^ ]*\.c\)$/\1 -fsyntax-only \2/p' >commands
    [ "$(grep -c simd.c commands)" -ge 20 ] # all widths
    [ "${WARPSIEVE_TESTS:-}" = full ] || { awk -v which="$(part_of 3)" 'NR % 3 == which' commands >some && mv some commands; }
    (cd one && xargs -d '\n' -P2 -I{} nice sh -c '{}' <../commands >../syntax.log 2>&1) || fail "$(tail syntax.log)"
    [ -z "$(grep warning: syntax.log)" ] || fail "$(grep -A3 warning: syntax.log)"
}

# The doubts of gcc differ by level, so the test tries all levels where there is time. Those of clang do not.
@test "no warnings: as built above, by clang, and by gcc at each level" {
    local o
    built
    cat built.log eighth.log >log 2>/dev/null || :
    [ -z "$(grep warning: log)" ] || fail "$(grep -A3 warning: log)"
    syntax_only
    [ "${WARPSIEVE_TESTS:-}" = full ] || return 0
    for o in 0 1 2 3 g; do
        nice make -s -j2 -C one B=level CUDA=0 CC=gcc CFLAGS=-O$o level/libwarpsieve.a units >log 2>&1 || fail "gcc -O$o: $(tail log)"
        [ -z "$(grep warning: log)" ] || fail "gcc -O$o: $(grep -A3 warning: log)"
        rm -rf one/level
    done
}

@test "from the tarball: demo, install, installcheck, uninstall to nothing" {
    built
    clean_make -C one demo CUDA=0 >log
    grep -q RAD53 log
    make -s -C one install CUDA=0 DESTDIR="$PWD/root" PREFIX=/usr >/dev/null
    local checks=tests/respack.bats
    [ "${WARPSIEVE_TESTS:-}" != full ] || checks="tests/contract.bats tests/respack.bats"
    clean_make -C one installcheck DESTDIR="$PWD/root" PREFIX=/usr CHECKS="$checks" >log || fail "$(cat log)"
    [ "$(grep -c '^ok ' log)" -gt 5 ] || fail "$(cat log)"
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

@test "INSTALL names the libraries that ldd shows" {
    local t cpu cuda lib
    cpu=$(sed -n 's/^        \(libc\.so.*\)/\1/p' "$top/INSTALL")
    cuda=$(sed -n 's/^        \(lib.*\) of programs built with CUDA.*/\1/p' "$top/INSTALL")
    [ -n "$cpu" ] && [ -n "$cuda" ]
    for t in $(all_tools); do ldd "$(command -v "$t")" | awk '$1 ~ /^lib/ { print $1 }'; done | sort -u >got
    if msvfilt --version | grep -q '^cuda: [0-9]' && [ ! -e "$("${CC:-cc}" -print-file-name=libstdc++.a)" ]; then cpu+=" $cuda"; fi
    for t in libzstd ISA-L; do
        lib=$(sed -n "s/^        \(lib[^ ]*\) *of programs built with $t\$/\1/p" "$top/INSTALL")
        [ -n "$lib" ] || fail "no library of $t"
        ! msvfilt --version | grep -q "^compression: .*$t" || cpu+=" $lib"
    done
    same <(tr ' ' '\n' <<<"$cpu" | grep . | sort) got
}

@test "no library of CUDA is asked for" {
    for t in $(all_tools); do
        ldd "$top/bin/$t" | grep -E 'libcud|not found' && fail "$t"
    done
    [ -x "$top/bin/msvfilt" ]
}

# One file builds without CUDA and one with it; g++ of both has libstdc++.a, which the Makefile then links.
@test "images hold the libraries that programs load, and no others" {
    libraries() { # FILE
        sed -n 's/^RUN apt-get update .*--no-install-recommends \(lib.*\)/\1/p' "$1" |
            grep -oE '\<lib[a-z+0-9-]*[0-9][a-z0-9]*\>|zlib1g\>' | sort -u
    }
    libraries "$top/packaging/Containerfile" >cpu
    same <(printf '%s\n' libisal2 libxxhash0 libzstd1 zlib1g) cpu
    libraries "$top/packaging/Containerfile.cuda" | same cpu -
}

# ---- packages ----

@test "one version and one address everywhere; packaging/version.sh sets it" {
    places() { # FILE: VERSION
        local before='define WS_VERSION "[^"]*|^warpsieve \([^-]*|^version: .*|set version = "[^"]*|name="@TOOL_VERSION@">[^<]*'
        (cd "$1" && grep -oHE "$before|warpsieve(:|=| =)[0-9.]+" \
            lib/base/ws.h debian/changelog CITATION.cff packaging/bioconda/meta.yaml workflows/galaxy/macros.xml \
            workflows/snakemake/{wrappers/*/environment,envs/warpsieve}.yaml \
            workflows/nextflow/modules/warpsieve/*/{main.nf,environment.yml}) |
                sed -E 's/:.*[^0-9.]([0-9][0-9.]*)$/: \1/'
    }
    places one | grep -v '^debian' >found
    [ "$(cut -d: -f1 found | sort -u | wc -l)" -eq 19 ] || fail "$(cat found)"
    [ "$(cut -d: -f2 found | sort -u)" = " $(version)" ] || fail "not the same version everywhere:" "$(cat found)"
    [ "$(places one | grep -m1 '^debian')" = "debian/changelog: $(version)" ] ||
        fail "debian/changelog has another version"
    cp -r one other
    sed -i '1,/^## /s/^## .*/## Unreleased/' other/CHANGELOG.md
    sh other/packaging/version.sh 9.8.7 2031-02-03
    places other | awk '/^debian/ && n++ { next } { print }' | cut -d: -f2 | sort -u >got
    [ "$(cat got)" = " 9.8.7" ] || fail "$(places other)"
    grep -qx '## 9.8.7 (2031-02-03)' other/CHANGELOG.md
    grep -qx 'date-released: 2031-02-03' other/CITATION.cff
    grep -q 'Mon, 03 Feb 2031' other/debian/changelog
    rm -rf other
    # what stands for the address until there is one
    grep -rhoE 'https?://[a-z.]*warpsieve[a-z.]*' one/debian one/packaging one/workflows one/CITATION.cff | sort -u >got
    [ "$(cat got)" = https://warpsieve.invalid ] || fail "$(cat got)"
}

@test "CITATION.cff: what a citation needs" {
    python3 -c 'import yaml' 2>/dev/null || absent "python3 has no yaml"
    python3 - one/CITATION.cff <<'PY'
import sys, yaml
cff = yaml.safe_load(open(sys.argv[1]))
assert {"cff-version", "message", "title", "authors", "version", "date-released", "license", "url"} <= set(cff), cff
assert cff["cff-version"] == "1.2.0" and cff["license"] == "MIT" and cff["authors"], cff
PY
    if command -v cffconvert >/dev/null; then cffconvert --validate -i one/CITATION.cff; fi
}

@test "debian: fields" {
    for f in Source Section Priority Maintainer Build-Depends Standards-Version Homepage Package Architecture Depends Description; do
        grep -q "^$f:" one/debian/control || fail "no $f"
    done
    [ -x one/debian/rules ]
    grep -q 'License: MIT' one/debian/copyright
}

@test "dpkg-buildpackage: a package of programs, pages and completions that depends on no CUDA" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"
    for p in dpkg-buildpackage dh; do command -v $p >/dev/null || skip "$p is not installed"; done
    (cd one && dpkg-checkbuilddeps -Pnocheck) || skip "packages are missing that the build needs"
    mkdir deb
    cp dist/*.tar.gz "deb/warpsieve_$(version).orig.tar.gz"
    tar -xzf dist/*.tar.gz -C deb
    cd deb
    (cd warpsieve-*/ && DEB_BUILD_OPTIONS="nocheck parallel=2" nice dpkg-buildpackage -us -uc >../log 2>&1) ||
        fail "$(tail -20 log)"
    dpkg-deb -c warpsieve_*.deb | awk '{ print $6 }' >list
    for t in $(all_tools); do
        for f in bin/$t share/man/man1/$t.1.gz share/bash-completion/completions/$t share/zsh/vendor-completions/_$t \
            share/fish/vendor_completions.d/$t.fish; do
            grep -qx "./usr/$f" list || fail "no $f"
        done
    done
    (cd warpsieve-*/ && find docs workflows -type f) | while read -r f; do
        grep -qxE "./usr/share/doc/warpsieve/$f(.gz)?" list || fail "no $f"
    done
    dpkg-deb -f warpsieve_*.deb Depends >depends
    grep -q 'libc6' depends && grep -q 'libxxhash0' depends && grep -q 'zlib1g' depends &&
        grep -q libzstd1 depends && grep -q libisal2 depends || fail "$(cat depends)"
    ! grep -qi cuda depends || fail "$(cat depends)"
    dpkg-deb -x warpsieve_*.deb unpacked
    [ "$(unpacked/usr/bin/msvfilt --version | head -1)" = "msvfilt $(version)" ]
    if command -v lintian >/dev/null; then
        lintian --allow-root --fail-on error,warning warpsieve_*.changes || fail "lintian"
        lintian --allow-root -I --tag-display-limit 0 warpsieve_*.changes >lint
        [ ! -s lint ] || fail "$(cat lint)"
    fi
}

@test "conda recipe: version, files, libraries and commands are those of the sources; its script builds what its test asks for" {
    python3 -c 'import yaml' 2>/dev/null || absent "python3 has no yaml"
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
    conda() { (cd one && PREFIX=$BATS_FILE_TMPDIR/conda BUILD_PREFIX=$BATS_FILE_TMPDIR/tools CPU_COUNT=2 CC=${CC:-cc} \
        bash packaging/bioconda/build.sh >../log 2>&1); }
    # with the compiler of conda in its place: what it is asked for; without the runtime beside it a sentence
    mkdir -p tools/bin tools/targets/x/lib path
    printf '#!/bin/sh\n[ "$1" = --list-gpu-code ] && printf "sm_%%s\\n" 75 80 86 89 90\n' >tools/bin/nvcc
    printf '#!/bin/sh\necho "asked: $*"\n' >path/make
    chmod +x tools/bin/nvcc path/make
    ! PATH=$PWD/path:$PATH conda || fail "it goes on without the runtime"
    grep -q 'no libcudart_static.a in' log
    : >tools/targets/x/lib/libcudart_static.a
    PATH=$PWD/path:$PATH conda || fail "$(cat log)"
    [ "$(grep -c "asked: .*CUDA=1 NVCC=$PWD/tools/bin/nvcc CUDA_LIB=$PWD/tools/targets/x/lib SMS=75 80 86 89 90 NVCC" log)" -eq 2 ] ||
        fail "$(cat log)"
    rm -r tools
    mkdir tools
    conda || fail "$(tail log)"
    [ -s commands ]
    cp -r one/tests .
    (cd one && cp --parents bin/*/*.c ..)
    PATH=$PWD/conda/bin:$PATH bash -euo pipefail commands
}

# ---- wheel and static programs ----

# Checks the table that the programs in $1 make of the demo.
demo_by() { (cd one/tests/data && PATH=$1:$PATH && msvfilt demo.hmm demo.fa.gz | vitfilt demo.hmm |
    fwdscore -Z 400 demo.hmm); }
venv() { # venv FOLDER OPTION...
    venv=$1
    shift
    python3 -m venv "$@" "$venv" >log 2>&1 || absent "python3 has no venv with pip: $(head -1 log)"
    python() { "$venv/bin/python" "$@"; }
}

@test "pip install of the sources: programs, pages and the module; uninstalled to nothing" {
    built
    venv empty
    outside_of_bats env CUDA=0 CFLAGS="$(flags)" empty/bin/pip --disable-pip-version-check wheel -q \
        --no-index --no-deps -w wheels ./one >log 2>&1 || fail "$(tail -20 log)"
    python -m pip -q --disable-pip-version-check install --no-index wheels/warpsieve-"$(version)"-py3-none-linux_*.whl
    for t in $(all_tools); do
        cmp "one/build/shared/bin/$t" "empty/bin/$t"
        [ -s "empty/share/man/man1/$t.1" ] && [ -s "empty/share/bash-completion/completions/$t" ] ||
            fail "no page or completion of $t"
    done
    [ -s empty/share/doc/warpsieve/workflows/shell/cascade.sh ]
    for p in hmmsearch hmmscan phmmer jackhmmer nhmmer nhmmscan hmmbuild hmmalign hmmpress hmmfetch papara; do
        "$(empty/bin/hmmsieve --hmmer-path)/$p" -h | head -1 | grep -q "^# $p :: " || fail "no $p"
    done
    same <(demo_by "$PWD/one/bin") <(demo_by "$PWD/empty/bin")
    [ "$(python -c 'import warpsieve; print(warpsieve.program("msvfilt"))')" = "$PWD/empty/bin/msvfilt" ]
    cmp one/build/shared/lib/warpsieve/libwarpsieve.so empty/lib/warpsieve/libwarpsieve.so
    [ "$(find empty -name 'libwarpsieve*' | wc -l)" -eq 1 ] # each kernel once
    [ "$(python -c 'import sys, warpsieve; print(len(next(warpsieve.hmmsearch(*sys.argv[1:]))), warpsieve.__version__)' \
        one/tests/data/demo.hmm one/tests/data/demo.fa.gz)" = "50 $(version)" ]
    run python -c 'import warpsieve; warpsieve.read_table("x")'
    [ "$status" -ne 0 ] && grep -q 'pip install warpsieve\[pandas\]' <<<"$output" || fail "$output"
    run python -m warpsieve.pyhmmer -h
    [ "$status" -ne 0 ] && grep -q 'pyhmmer is not installed: pip install pyhmmer' <<<"$output" || fail "$output"
    python -m pip -q uninstall -y warpsieve
    [ -z "$(find empty -name '*warpsieve*' -o -name '*msvfilt*')" ] ||
        fail "$(find empty -name '*warpsieve*' -o -name '*msvfilt*')"
}

@test "the module: tables as pandas.DataFrame, pipes, and what fails" {
    python3 -c 'import pandas' 2>/dev/null || skip "python3 has no pandas"
    built
    PATH=$PWD/one/bin:$PATH PYTHONPATH=one/packaging/python timeout 300 python3 "$top/tests/module.py" one/tests/data ||
        fail "see above"
}

@test "the module: tables as Arrow and Parquet, and the filter python3 -m warpsieve" {
    python3 -c 'import pyarrow' 2>/dev/null || skip "python3 has no pyarrow"
    built
    PATH=$PWD/one/bin:$PATH PYTHONPATH=one/packaging/python timeout 300 python3 "$top/tests/arrow.py" one/tests/data ||
        fail "see above"
}

@test "a wheel is the same bytes again, and its tag is the oldest system that has what the programs ask for" {
    built
    mkdir -p stage/tree
    echo 1700000000 >stage/epoch
    make -s -C one install CUDA=0 CFLAGS="$(flags)" DESTDIR="$PWD/stage" PREFIX="/warpsieve-$(version)" >/dev/null
    python3 one/packaging/python/backend.py stage first >name 2>log
    python3 one/packaging/python/backend.py stage second 2>/dev/null
    cmp first/*.whl second/*.whl
    # these ask for libxxhash and libz
    grep -qE 'linux_[a-z0-9_]+\.whl$' name && grep -q 'needs .*libxxhash.so.0, libz.so.1.*, so' log ||
        fail "$(cat name log)"
    ! grep -q manylinux name
    printf 'int main(void) { return 0; }\n' | ${CC:-cc} -x c - -o small
    for f in "stage/warpsieve-$(version)"/bin/*; do cp small "$f"; done
    python3 one/packaging/python/backend.py stage third >name
    newest=$(objdump -p small | grep -oE 'GLIBC_2\.[0-9]+' | sort -Vu | tail -1)
    grep -q "manylinux_2_${newest#*.}_" name || fail "$(cat name), and the newest symbol is of $newest"
    # the tag names the processor of the programs, not that of this machine
    for f in "stage/warpsieve-$(version)"/bin/*; do printf '\267\0' | dd of="$f" bs=1 seek=18 conv=notrunc status=none; done
    python3 one/packaging/python/backend.py stage fourth >name
    grep -qE 'manylinux_2_[0-9]+_aarch64\.whl$' name || fail "$(cat name), of programs whose header says aarch64"
}

@test "programs for another processor: a folder without its libraries, and a processor without packages, are refused" {
    mkdir empty-root
    SYSROOT=empty-root run -1 sh one/packaging/stage.sh portable dist/*.tar.gz staged
    [[ $output == "stage.sh: $PWD/empty-root has no libraries for "*": no usr/lib/"*"/libc.so" ]] || fail "$output"
    run -2 sh one/packaging/sysroot.sh fetched riscv64
    [[ $output == 'sysroot.sh: the machine is x86_64 or aarch64, not "riscv64"' && ! -e fetched ]] || fail "$output"
}

# Links with the libraries of build/sysroot-aarch64 where make wheel has fetched them, else with those of this system.
@test "a wheel for 64-bit ARM, cross-compiled: its programs write the bytes of this machine's, in QEMU" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"
    local arm=${ARM:-aarch64-linux-gnu-} root=$top/build/sysroot-aarch64 qemu bin
    qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || skip "qemu-aarch64 is not installed"
    command -v "${arm}gcc" >/dev/null || skip "${arm}gcc is not installed"
    [ -d "$root" ] || root=
    [ -n "$root" ] ||
        echo 'int main(void) { return 0; }' | "${arm}gcc" -x c -include xxhash.h -o small-arm - -lxxhash -lz 2>/dev/null ||
        skip "no build/sysroot-aarch64 is there, and ${arm}gcc has no zlib and xxHash"
    nice make -s -C "$top" -j2 wheel B="$PWD/w" CUDA=0 CC="${arm}gcc" AR="${arm}ar" EMULATOR="$qemu" SYSROOT="$root" CFLAGS=-O1 \
        >log 2>&1 || fail "$(tail -20 log)"
    mkdir wheel-arm
    python3 -m zipfile -e w/release/warpsieve-*-manylinux_2_*_aarch64.whl wheel-arm
    bin=$(echo "$PWD"/wheel-arm/*.data/scripts)
    # pip puts programs and data under one folder
    cp -r "$bin" wheel-arm/bin && cp -r wheel-arm/*.data/data/lib wheel-arm/lib
    chmod +x wheel-arm/bin/*
    [ -z "$root" ] || ls w/release | grep -q 'manylinux_2_27_aarch64' || fail "$(ls w/release)"
    export QEMU_LD_PREFIX=$root
    "$qemu" wheel-arm/bin/hmmsieve --list-backends | grep -q '^neon'
    hmmsieve -O tblout "$data/demo.hmm" "$data/demo.fa.gz" | sed '/^#/d' >want
    "$qemu" wheel-arm/bin/hmmsieve -O tblout "$data/demo.hmm" "$data/demo.fa.gz" | sed '/^#/d' >got
    [ "$(wc -l <want)" -ge 40 ]
    cmp want got
}

@test "make release: wheel for manylinux, static programs, recipe, checksums" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"
    [ -z "$(git -C "$top" status --porcelain -uno)" ] || skip "there are changes that are not committed"
    nice make -s -C "$top" -j2 release B="$PWD/r" CUDA=0 SYSROOT= CFLAGS=-O1 >log 2>&1 || fail "$(tail -20 log)"
    (cd r/release && sha256sum --quiet -c SHA256SUMS && [ "$(wc -l <SHA256SUMS)" -eq 4 ]) ||
        fail "$(cat r/release/SHA256SUMS)"
    if python3 -c 'import yaml' 2>/dev/null; then
        python3 "$top/tests/recipe.py" one r/release/bioconda r/release/warpsieve-"$(version)".tar.gz >/dev/null
    else
        echo '# not looked at: the recipe of the release, since python3 has no yaml' >&3
    fi
    cmp r/release/warpsieve-"$(version)".tar.gz "r/warpsieve-$(version).tar.gz"
    mkdir unpacked-static
    tar -xzf r/release/*-static.tar.gz -C unpacked-static
    # its folder of names can be mounted as it is
    [ "$(find unpacked-static/*/libexec/warpsieve/hmmer -type f -links 11 | wc -l)" -eq 10 ]
    for f in unpacked-static/*/bin/* unpacked-static/*/libexec/warpsieve/hmmer/*; do
        ! objdump -p "$f" | grep -q NEEDED || fail "$f needs a library"
    done
    [ -s unpacked-static/*/share/doc/warpsieve/licenses/libxxhash-dev.txt ]
    same <(demo_by "$top/bin") <(demo_by "$(echo "$PWD"/unpacked-static/*/bin)")
    ls r/release/*-manylinux_2_*.whl
    venv packed
    python -m pip -q --disable-pip-version-check install --no-index r/release/*.whl
    same <(demo_by "$top/bin") <(demo_by "$PWD/packed/bin")
    if command -v auditwheel >/dev/null; then
        auditwheel show r/release/*.whl | tr '\n' ' ' >shown
        # it does not look for the programs' own object where pip puts it, so its first sentence is of no use
        grep -q 'This constrains the platform tag to "manylinux_2_' shown || fail "$(cat shown)"
    fi
}

@test "other systems: wheel, static programs, images" {
    skip "needs root, debootstrap and mirrors: make packroot, make imageroot, make cleanroot, make debroot"
}
