#!/bin/bash
# SPDX-License-Identifier: MIT
# conda-build calls this in the unpacked sources with PREFIX, CC, CFLAGS, CPPFLAGS and LDFLAGS set.
set -euo pipefail
export CPPFLAGS="${CPPFLAGS:-} -I$PREFIX/include"
export LDFLAGS="${LDFLAGS:-} -L$PREFIX/lib"
export CFLAGS="${CFLAGS:-} -O3"
make -j"${CPU_COUNT:-1}" CUDA=0
make install CUDA=0 PREFIX="$PREFIX"
