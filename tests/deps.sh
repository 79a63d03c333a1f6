#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the missing packages that building and testing need on Debian and Ubuntu; names them elsewhere.
# With everything there it does nothing and needs no network. --build: only what building needs. A build does without the
# packages of wish_header: where these cannot be had, the script says so and succeeds.
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

wished=
wish_header() { # wish_header PACKAGE HEADER
    needed=$missing
    missing=
    want_header "$1" "$2"
    wished="$wished$missing"
    missing=$needed
}

want build-essential make "${CC:-cc}" ar
want_header zlib1g-dev zlib.h
want_header libxxhash-dev xxhash.h
wish_header libzstd-dev zstd.h
case $(uname -m) in x86_64 | aarch64) wish_header libisal-dev isa-l.h ;; esac
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

if [ -z "$missing$wished" ]; then
    echo "everything that is needed is installed"
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    [ -z "$wished" ] || echo "not there, and a build does without, by their Debian names:$wished" >&2
    [ -n "$missing" ] || exit 0
    echo "missing, by their Debian names:$missing" >&2
    echo "install them with this system's package manager; INSTALL says what each is for" >&2
    exit 1
fi
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
echo "installing:$missing$wished"
run() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@"; }
install() { run install -y --no-install-recommends "$@"; }
# shellcheck disable=SC2086 # lists of words
install $missing $wished >/dev/null 2>&1 && exit 0
if [ -n "$missing" ]; then
    run update -q
    # shellcheck disable=SC2086
    install $missing
else
    run update -q -o Acquire::Retries=0 -o Acquire::http::Timeout=20 >/dev/null 2>&1 || :
fi
# shellcheck disable=SC2086
[ -z "$wished" ] || install $wished >/dev/null 2>&1 ||
    echo "these could not be installed, and the build does without them:$wished"
