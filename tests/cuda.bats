#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The sources for GPUs compile with CUDA 12.4 too, whose programs run with drivers from 525 on: by their names, and by a compiler
# of 12.x where one is told. tests/data/cuda/README.md says where the list of names is from.

bats_require_minimum_version 1.5.0
load helper

oldest=12.4
names=$top/tests/data/cuda/names.tsv.gz
setup() { cd "$BATS_TEST_TMPDIR" || return 1; }
check() { python3 "$top/tests/cuda_names.py" check "$names" $oldest "$@"; }
sources() { (cd "$top" && ls lib/*/*.cu lib/*/*.cuh kernels/*/*.cu kernels/*/*.cuh kernels/*/device/*.cu* tests/gpu/*.cu 2>/dev/null
    grep -lE '__CUDA_ARCH__|__CUDACC__' lib/*/*.h kernels/*/*.h); }

@test "no source uses a name that CUDA 12.4 does not have" {
    cd "$top"
    run -0 check $(sources)
    [[ $output =~ ^([0-9]+)\ files,\ ([0-9]+)\ names\ of\ CUDA,\ 0\ that\ $oldest ]] || fail "$output"
    [ "${BASH_REMATCH[1]}" -ge 40 ] && [ "${BASH_REMATCH[2]}" -ge 500 ] || fail "too little was read: $output"
}

newer() { # newer NAME VERSION LINE...: of a source with these lines NAME is reported as of VERSION
    printf '%s\n' "${@:3}" >tried.cu
    run -1 check tried.cu
    grep -q "^tried.cu:[0-9]*: $1 came with CUDA $2, .*#if CUDART_VERSION >= ${2/./0}0$" <<<"$output" || fail "$output"
}
fine() { printf '%s\n' "$@" >tried.cu; run -0 check tried.cu; }

@test "a newer name is reported with its version, and is in order behind a guard" {
    newer __block_size__ 12.9 '__global__ __block_size__(32) void f(void);'
    newer cudaErrorContained 12.8 'if (e == cudaErrorContained) return;'
    newer cudaErrorContained 12.8 '#if CUDART_VERSION >= 12080' '#else' 'e = cudaErrorContained;' '#endif'
    newer cudaErrorContained 12.8 '#if CUDART_VERSION >= 12080' '#endif' 'e = cudaErrorContained;'
    newer cudaErrorContained 12.8 '#if CUDART_VERSION >= 12050' 'e = cudaErrorContained;' '#endif'
    newer __ffma2_rn 12.8 'x = __ffma2_rn(a, b, c);'
    fine '#if CUDART_VERSION >= 12080' '#if FAST' 'e = cudaErrorContained;' '#else' 'e = cudaErrorContained;' '#endif' '#endif'
    fine 'cudaFree(p); // cudaErrorContained' '/* cudaErrorContained */' 'puts("cudaErrorContained");'
    printf 'cudaMallocQuickly(1);\ncuda::barrier<1> b;\n__shuffle_sync(1);\n' >tried.cu
    run -1 check tried.cu
    [ "$(grep -c 'is in no header of CUDA up to 13.0' <<<"$output")" -eq 3 ] || fail "$output"
}

@test "where WARPSIEVE_NVCC12 is a compiler of 12.4 or later: every source compiles with it" {
    [ -n "${WARPSIEVE_NVCC12:-}" ] || skip "WARPSIEVE_NVCC12 names no nvcc of CUDA 12"
    [ -z "${WARPSIEVE_BIN:-}" ] || skip "programs from elsewhere are tested"
    local n objects
    objects=$(cd "$top" && ls lib/*/*.cu kernels/*/*.cu kernels/*/device/*.cu 2>/dev/null | sed "s|^|$PWD/b/|; s|cu\$|o|")
    nice make -k -C "$top" B="$PWD/b" CUDA=1 NVCC="$WARPSIEVE_NVCC12" SMS=90 PTX=75 $objects >log 2>&1 ||
        fail "$(grep -E 'error|Error' log)"
    n=$(ls $objects | wc -l)
    [ "$n" -ge 20 ]
    echo "# ran: $("$WARPSIEVE_NVCC12" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p') compiles $n sources" >&3
}
