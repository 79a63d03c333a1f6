#!/bin/bash
# SPDX-License-Identifier: MIT
# conda-build calls this in the unpacked sources with PREFIX, BUILD_PREFIX, CC, CFLAGS, CPPFLAGS and LDFLAGS set. One
# package serves machines with and without a device: the CUDA runtime is linked statically, and nothing of CUDA is
# needed to run.
set -euo pipefail
export CPPFLAGS="${CPPFLAGS:-} -I$PREFIX/include"
export LDFLAGS="${LDFLAGS:-} -L$PREFIX/lib"
export CFLAGS="${CFLAGS:-} -O3"
options=(CUDA=0)
nvcc=$BUILD_PREFIX/bin/nvcc
if [ -x "$nvcc" ]; then
    runtime=$(find "$BUILD_PREFIX/" -name libcudart_static.a | head -1)
    [ -n "$runtime" ] || { echo "build.sh: nvcc is there, but no libcudart_static.a in $BUILD_PREFIX" >&2; exit 1; }
    options=(CUDA=1 "NVCC=$nvcc" "CUDA_LIB=$(dirname "$runtime")" "SMS=$(sh packaging/sms.sh "$nvcc" release)"
        "NVCCFLAGS=-O3 -ccbin ${CC:-cc}")
fi
make -j"${CPU_COUNT:-1}" "${options[@]}"
make install "${options[@]}" PREFIX="$PREFIX"
