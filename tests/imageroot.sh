#!/bin/sh
# SPDX-License-Identifier: MIT
# The images of packaging/, as far as they can be made without a registry: buildah makes those of the Containerfiles
# with bare roots in place of the published bases, and the steps of the Apptainer definition run in bare roots. The
# programs in each of them must give the table of the programs in bin/.
#   tests/imageroot.sh FOLDER [cpu|cuda|apptainer...]     as root; needs debootstrap, buildah, mirrors as packroot.sh
# FOLDER/bookworm and FOLDER/jammy are the bare roots; one that is not there is made and stays. For cuda this
# machine's toolkit is mounted into the root that stands for the base with a compiler, and only SMS (by default 90) is
# compiled for.
set -eu
[ $# -ge 1 ] || { echo "usage: imageroot.sh FOLDER [cpu|cuda|apptainer...]" >&2; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/bareroot.sh"
mkdir -p "$1"
roots=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- cpu cuda apptainer
store=$work/store
trap 'rm -rf --one-file-system "$work"' EXIT
buildah() { command buildah --root "$store" --runroot "$work/run" --storage-driver vfs "$@"; }
pipe='msvfilt demo.hmm demo.fa.gz | vitfilt demo.hmm | fwdscore -Z 400 --no-provenance demo.hmm'
want=$(cd "$top/tests/data" && PATH=$top/bin:$PATH sh -c "$pipe" | sha256sum)
make -s -C "$top" dist B="$work/context"

base() { # base SUITE: the bare root as an image of that name
    root=$roots/$1
    bare_make "$1"
    container=$(buildah from scratch)
    buildah copy -q "$container" "$root" / >/dev/null
    buildah commit -q --rm "$container" "localhost/$1" >/dev/null
}
table_of() { # table_of ROOT: the table of the programs there
    mkdir -p "$1/demo"
    cp "$top"/tests/data/demo.* "$1/demo/"
    root=$1
    within --net --userspec=nobody:nogroup HOME=/ PATH=/usr/local/bin:/usr/bin:/bin "cd /demo; $pipe" | sha256sum
}
agrees() { # agrees WHAT ROOT
    [ "$(table_of "$2")" = "$want" ] || { echo "imageroot.sh: $1 gives another table" >&2; exit 1; }
    say "$1 gives the table of bin/"
    ends_as_first "$2" || { echo "imageroot.sh: process 1 of $1 does not end by SIGTERM" >&2; exit 1; }
}
ends_as_first() { # ends_as_first ROOT: SIGTERM ends a program that is process 1 of a PID namespace in it
    mkfifo "$work/endless" 2>/dev/null || :
    timeout -k 5 2 unshare --pid --fork --kill-child chroot "$1" /usr/bin/env PATH=/usr/local/bin:/usr/bin:/bin \
        msvfilt /demo/demo.hmm - <>"$work/endless" >/dev/null 2>&1 &
    waiter=$!
    sleep 1
    unshared=$(pgrep -P "$(pgrep -P "$waiter")")
    kill -TERM "$unshared"
    status=0
    wait "$waiter" || status=$?
    [ "$status" = 143 ]
}
image() { # image NAME FILE OPTION...
    name=$1 file=$2
    shift 2
    say "buildah build -f $file $*"
    buildah build --isolation chroot -q -f "$top/packaging/$file" -t "$name" "$@" "$work/context" >"$work/log" 2>&1 ||
        { tail -20 "$work/log" >&2; exit 1; }
    container=$(buildah from "localhost/$name")
    agrees "the image of $file" "$(buildah mount "$container")"
    buildah rm "$container" >/dev/null
}

for kind; do
    case $kind in
    cpu)
        base bookworm
        image warpsieve Containerfile --build-arg BASE=localhost/bookworm
        ;;
    cuda)
        toolkit=$(readlink -f "$(dirname "$(dirname "$(command -v nvcc)")")")
        base jammy
        image warpsieve-cuda Containerfile.cuda --build-arg DEVEL=localhost/jammy --build-arg BASE=localhost/jammy \
            --build-arg "SMS=${SMS:-90}" -v "$toolkit:/usr/local/cuda:ro"
        ;;
    apptainer)
        # %post of the first stage, what %files takes from it, %post and %test of the second
        awk '/^Bootstrap:/ { section = "" } /^Stage:/ { stage = $2 } /^%/ { section = $1; next }
            section ~ /^%(post|test)$/ { print > dir "/" stage substr(section, 2) }' dir="$work" "$top/packaging/warpsieve.def"
        for stage in build final; do
            root=$roots/bookworm
            bare_make bookworm
            cp -a "$root" "$work/$stage"
            root=$work/$stage
            if [ $stage = build ]; then mkdir "$root/src" && cp "$work"/context/*.tar.gz "$root/src/"; fi
            if [ $stage = final ]; then cp -a "$work/build/image/usr/local" "$root/usr/"; fi
            cp "$work/${stage}post" "$root/post"
            inside "sh -e /post" >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
        done
        cp "$work/finaltest" "$root/post"
        within --ipc --userspec=root:root HOME=/ PATH=/usr/local/bin:/usr/bin:/bin "sh -e /post"
        agrees "the root that warpsieve.def makes" "$work/final"
        ;;
    *) echo "imageroot.sh: there is no image \"$kind\"" >&2; exit 2 ;;
    esac
done
