#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs of a tarball of make dist, built for other machines than this one, as a folder to be packed:
#   packaging/stage.sh portable|static TARBALL OUT
# makes OUT/warpsieve-VERSION (bin, share) and OUT/epoch, the time of the commit.
#   portable  needs the C library of a system from SYSROOT's year on and nothing else. CUDA and SMS are make's.
#             SYSROOT is a folder of packaging/sysroot.sh, or empty for the libraries of this system.
#             ISA-L, of which Debian has no archive, is in neither kind.
#   static    needs only the kernel; for processors alone, since a driver is a library that belongs to its system
# CC and AR may be those of a cross compiler; EMULATOR runs then what was built, with the libraries of SYSROOT if it is
# QEMU's.
set -eu
[ $# -eq 3 ] || { echo "usage: stage.sh portable|static TARBALL OUT" >&2; exit 2; }
kind=$1 tarball=$2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$3"
mkdir -p "$3"
out=$(cd "$3" && pwd)
tar -xzf "$tarball" -C "$out"
name=$(cd "$out" && echo warpsieve-*)
mv "$out/$name" "$out/src"
stat -c %Y "$out/src/Makefile" >"$out/epoch"
CC=${CC:-cc}

mkdir "$out/lib"
case $kind in
static) SYSROOT='' && set -- CUDA=0 LDFLAGS='-static -s' ;;
portable)
    if [ -n "${SYSROOT:-}" ]; then
        root=$(cd "$SYSROOT" && pwd)
        triplet=$($CC -dumpmachine | cut -d- -f1)-linux-gnu
        from=$root/usr/lib/$triplet
        [ -s "$from/libc.so" ] || { echo "stage.sh: $root has no libraries for $CC: no usr/lib/$triplet/libc.so" >&2; exit 1; }
        export QEMU_LD_PREFIX="$root"
        $CC -O2 -fno-builtin -c -o "$out/lib/oldmath.o" "$here/oldmath.c"
        set -- "CPPFLAGS=-isystem $root/usr/include/$triplet -isystem $root/usr/include ${CPPFLAGS:-}" \
            "LDFLAGS=-s -static-libgcc --sysroot=$root -B$from/ -L$from -L$root/lib/$triplet" "LDLIBS=$out/lib/oldmath.o"
    else
        zstd=0
        for l in xxhash z zstd stdc++; do
            archive=$($CC -print-file-name=lib$l.a)
            [ "$l" != zstd ] || [ ! -e "$archive" ] || zstd=1
            [ "$l" = zstd ] && [ $zstd = 0 ] || ln -s "$archive" "$out/lib/"
        done
        set -- "LDFLAGS=-s -static-libgcc -L$out/lib" ZSTD=$zstd ISAL=0
    fi
    set -- "$@" SHARED=1 STATIC_LDLIBS= # each kernel is there once; old names of functions are those of libm.so
    ;;
*) echo "stage.sh: there is no kind \"$kind\"" >&2; exit 2 ;;
esac

set -- "CFLAGS=${CFLAGS:--O3}" B=build DESTDIR="$out" PREFIX="/$name" "$@"
${MAKE:-make} -C "$out/src" "$@" install >"$out/log" 2>&1 || { tail -20 "$out/log" >&2; exit 1; }

# The folder of names can be mounted as it is.
if [ $kind = static ]; then
    [ -x "$out/$name/libexec/warpsieve/names" ] || { echo "stage.sh: make install brought no libexec/warpsieve/names" >&2; exit 1; }
    for link in "$out/$name"/libexec/warpsieve/hmmer/*; do ln -f "$out/$name/libexec/warpsieve/names" "$link"; done
fi

# The licences of the libraries inside ask for their texts.
doc=$out/$name/share/doc/warpsieve
cp "$out/src/LICENSE" "$out/src/CHANGELOG.md" "$doc/"
mkdir "$doc/licenses"
for text in "${SYSROOT:-}"/usr/share/doc/libxxhash-dev/copyright "${SYSROOT:-}"/usr/share/doc/zlib1g-dev/copyright \
    "${SYSROOT:-}"/usr/share/doc/libzstd-dev/copyright \
    "${SYSROOT:-}"/usr/share/doc/libc6-dev/copyright "${SYSROOT:-}"/usr/share/doc/gcc-*-base/copyright; do
    package=${text%/copyright}
    [ ! -s "$text" ] || cp "$text" "$doc/licenses/${package##*/}.txt"
done
first=$(ls "$out/$name/bin" | head -1)
zstd=$(${EMULATOR:-} "$out/$name/bin/$first" --version | grep -o libzstd || :)
for l in libxxhash-dev zlib1g-dev ${zstd:+libzstd-dev}; do
    [ -s "$doc/licenses/$l.txt" ] || { echo "stage.sh: no licence of $l is here to go with the programs" >&2; exit 1; }
done
if ! ${EMULATOR:-} "$out/$name/bin/$first" --version | grep -q 'cuda: none'; then
    echo "The CUDA runtime inside is NVIDIA's: https://docs.nvidia.com/cuda/eula/" >"$doc/licenses/cudart.txt"
fi
