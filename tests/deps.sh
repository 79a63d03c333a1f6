#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the missing packages that building and testing need on Debian and Ubuntu; names them elsewhere.
# With everything there it does nothing and needs no network. --build: only what building needs.
set -eu

missing=
want() { # want PACKAGE PROGRAM...: the package is missing if one of its programs is
    package=$1
    shift
    for program; do
        command -v "$program" >/dev/null 2>&1 || { missing="$missing $package"; return; }
    done
}
want_header() { # want_header PACKAGE HEADER
    printf '#include <%s>\n' "$2" | ${CC:-cc} ${CPPFLAGS:-} -E -x c - >/dev/null 2>&1 || missing="$missing $1"
}

want build-essential make "${CC:-cc}" ar
want_header zlib1g-dev zlib.h
want_header libxxhash-dev xxhash.h
if [ "${1:-}" != --build ]; then
    want bats bats
    want hmmer hmmsearch
    want seqkit seqkit
    want mandoc mandoc
    want python3 python3
    want gzip zcat
    want binutils nm
    [ ! -e "$(dirname "$0")/../.git" ] || want git git # a tarball has no use for it
fi

if [ -z "$missing" ]; then
    echo "everything that is needed is installed"
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "missing, by their Debian names:$missing" >&2
    echo "install them with this system's package manager; INSTALL says what each is for" >&2
    exit 1
fi
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
echo "installing:$missing"
run() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@"; }
# shellcheck disable=SC2086 # a list of words
run install -y --no-install-recommends $missing >/dev/null 2>&1 || {
    run update -q && run install -y --no-install-recommends $missing
}
