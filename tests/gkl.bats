#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The pair-HMM inside a caller: what the libraries show and need, the example of the manual page, the jar, installation, and
# GKL's own Java classes over the library, where Java and Debian's libgkl-java are. Values and refusals that need no Java
# are in tests/lib/gkl.c.

bats_require_minimum_version 1.5.0
load helper

libs=$top/${B:-build}/gkl
jars=${WARPSIEVE_JARS:-/usr/share/java}
jni=${WARPSIEVE_JNI:-/usr/lib/jni}

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    for f in "$data"/pairhmm/*.gz; do zcat "$f" >"$(basename "$f" .gz)"; done
    [ -d "$libs" ] || return 0
    mkdir native classes
    cp "$libs"/libgkl_pairhmm*.so native
    [ ! -e "$jni/libgkl_utils.so" ] || cp "$jni/libgkl_utils.so" native # it says which vectors the processor has
    if [ -z "$(lacking)" ]; then javac -d classes -cp "$(class_path)" "$top/tests/gkl/Likelihoods.java"; fi
}
setup() { in_data; [ -d "$libs" ] || skip "these libraries are not built here: make gkl"; }

class_path() { local j; for j in gkl gatk-native-bindings commons-logging commons-io; do printf '%s/%s.jar:' "$jars" "$j"; done; }

# Prints why GKL's classes cannot run here.
lacking() {
    if sanitized; then echo "a Java without the sanitizer cannot load these libraries"; return; fi
    command -v javac >/dev/null || { echo "there is no javac (default-jdk-headless)"; return; }
    for j in gkl gatk-native-bindings commons-logging commons-io; do
        [ -e "$jars/$j.jar" ] || { echo "there is no $jars/$j.jar (libgkl-java libgkl-jni libcommons-logging-java)"; return; }
    done
    [ -e "$jni/libgkl_utils.so" ] || { echo "$jni/libgkl_utils.so is not there (libgkl-jni)"; return; }
    grep -qw avx /proc/cpuinfo || echo "GKL loads nothing where the processor has no AVX"
}
needs_java() { local why; why=$(lacking); [ -z "$why" ] || skip "$why"; }

# likelihoods COMMAND...: GKL's Java over our libraries, in the place of Debian's. Its heap is there from the start; with
# options=-Xint it compiles nothing either, so that what grows is ours.
likelihoods() {
    # shellcheck disable=SC2086 # options are words
    java ${options:-} -Xms64m -Xmx64m -XX:+AlwaysPreTouch -XX:+UseSerialGC -Djava.library.path=native -cp "classes:$(class_path)" \
        Likelihoods "$@" 2>log
}

@test "the libraries show their functions alone and need the C library alone" {
    command -v readelf >/dev/null || skip "there is no readelf"
    for l in "$libs"/*.so; do
        readelf -d "$l" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
            grep -vE '^(libc|libm|libpthread|libxxhash|lib[alut]*san)\.so|^ld-linux' >needs || true
        [ ! -s needs ] || fail "$l needs $(cat needs)"
        nm -D --defined-only "$l" | awk '{ print $NF }' >"shown.$(basename "$l")"
    done
    printf 'Java_com_intel_gkl_pairhmm_IntelPairHmm_%s\n' computeLikelihoodsNative doneNative initNative >expected
    same expected shown.libgkl_pairhmm.so
    same expected shown.libgkl_pairhmm_omp.so
    sed -n 's/.*\(ws_pairhmm_caller_[a-z_]*\)(.*/\1/p' "$top/bin/gkl/ws_pairhmm.h" | sort >expected
    same expected shown.libws_pairhmm.so
}

@test "the example of ws_pairhmm(3) compiles as C and as C++ and prints what the page says" {
    ! sanitized || skip "the example is without the sanitizer"
    awk '/^\.Bd .*compact/ { on = 1; next } /^\.Ed/ { on = 0 } on { gsub(/\\e/, "\\"); print }' \
        "$top/man/ws_pairhmm.3" >example.c
    grep -q main example.c
    for as in c c++; do
        if [ $as = c++ ] && ! command -v c++ >/dev/null; then continue; fi

        ${CC:-cc} -x $as -Wall -Werror -I"$top/bin/gkl" -o example example.c -L"$libs" -Wl,-rpath,"$libs" -lws_pairhmm
        run -0 ./example
        [ "$output" = "-1.046280 -5.518094" ] || fail "$output"
    done
}

@test "the jar has both libraries where GKL's loader looks, and the same bytes each time" {
    rm -rf jar
    python3 -m zipfile -e "$libs/warpsieve-gkl.jar" jar
    for l in libgkl_pairhmm.so libgkl_pairhmm_omp.so; do cmp "jar/com/intel/gkl/native/$l" "$libs/$l"; done
    python3 "$top/packaging/jar.py" again.jar com/intel/gkl/native "$libs/libgkl_pairhmm.so" "$libs/libgkl_pairhmm_omp.so"
    cmp again.jar "$libs/warpsieve-gkl.jar"
}

@test "make install GKL=1 brings libraries, jar and header, and uninstall takes them back" {
    cd "$top"
    local root=$BATS_FILE_TMPDIR/root
    make -s install GKL=1 PREFIX=/usr DESTDIR="$root" >/dev/null
    for f in lib/warpsieve/libws_pairhmm.so lib/warpsieve/libgkl_pairhmm.so lib/warpsieve/libgkl_pairhmm_omp.so \
        lib/warpsieve/warpsieve-gkl.jar include/ws_pairhmm.h share/man/man3/ws_pairhmm.3; do
        [ -s "$root/usr/$f" ] || fail "$f"
    done
    make -s uninstall GKL=1 PREFIX=/usr DESTDIR="$root" >/dev/null
    [ ! -e "$root/usr" ] || fail "$(find "$root")"
}

@test "GATK's dumps: GKL's Java gets GATK's values, with one thread and with more" {
    needs_java
    for f in gatk-hc-na12878.Java.hmmresults.txt pairhmm-testdata.txt; do
        for threads in 1 4; do
            likelihoods check "$f" 1 $threads >got || fail "$f: $(cat log)"
            grep -q 'within 1e-5$' got
            likelihoods check "$f" 1 $threads double >got || fail "$f: $(cat log)"
        done
    done
}

@test "GKL's Java gets the numbers of pairhmm" {
    needs_java
    for f in tiny.in edge.in; do
        likelihoods values "$f" >got || fail "$f: $(cat log)"
        pairhmm --no-provenance --header none --digits 9 -f log10_likelihood "$f" >expected
        paste expected got | awk '{ a = $1; b = $2; sub("Infinity", "inf", b); d = a - b
            if (a == "-inf" || b == "-inf" ? a != b : d > 1e-9 || d < -1e-9) { print "line " NR ": " $0; exit 1 } }' || fail "$f"
        [ "$(wc -l <got)" -eq "$(wc -l <expected)" ]
    done
}

@test "threads of Java call at once, and memory stays where it was after 100000 calls" {
    needs_java
    likelihoods threads tiny.in 200 >got || fail "$(cat log)"
    [ "$(cat got)" = equal ]
    likelihoods threads tiny.in 100 4 >got || fail "$(cat log)"
    head -7 gpuPairHMM-readme.in >one.in
    options=-Xint likelihoods leak one.in 100000 >got || fail "$(cat log)"
    [ "$(cat got)" -lt 2000000 ] || fail "$(cat got) bytes more"
}

@test "what is wrong becomes an exception of Java" {
    needs_java
    likelihoods exceptions >got || fail "$(cat log)"
    [ "$(cat got)" = "all refused" ]
    grep -q 'read 0, base 2: the base quality is -1; 0 to 127 were expected' log
}

@test "GKL's loader takes the libraries from the jar, before its own, on a class path and with java -jar" {
    needs_java
    local mine=$libs/warpsieve-gkl.jar name
    mkdir -p theirs/com/intel/gkl/native jarred/META-INF
    cp native/libgkl_utils.so theirs/com/intel/gkl/native
    for name in gkl_pairhmm gkl_pairhmm_omp; do
        echo theirs >"theirs/com/intel/gkl/native/lib$name.so"
        java -cp "$mine:classes:theirs:$(class_path)" Likelihoods where $name >got
        same <(echo "jar:file:$mine!/com/intel/gkl/native/lib$name.so") got
    done
    printf 'Main-Class: Likelihoods\nClass-Path: %s\n' "$(class_path | tr : '\n' | sed '/./s|^|file:|' | tr '\n' ' ')" >manifest
    jar cfm gatk.jar manifest -C classes . -C theirs .
    java -jar gatk.jar where gkl_pairhmm_omp | grep -q 'gatk.jar!'
    java -Xbootclasspath/a:"$mine" -jar gatk.jar where gkl_pairhmm_omp >got
    same <(echo "jar:file:$mine!/com/intel/gkl/native/libgkl_pairhmm_omp.so") got
}
