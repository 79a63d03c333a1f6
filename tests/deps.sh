#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the missing packages that building and testing need on Debian and Ubuntu; names them elsewhere.
# With everything there it does nothing and needs no network. --build: only what building needs. A build and most tests do
# without the packages of wish: where these cannot be had, the script says so and succeeds.
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
want_module() { # want_module PACKAGE MODULE: the package is missing if python3 cannot import the module
    python3 -c "import $2" 2>/dev/null || missing="$missing $1"
}

wished=
wish() { # wish WANT ARGUMENT...: the package goes to those that nothing ends for
    needed=$missing
    missing=
    "$@"
    wished="$wished$missing"
    missing=$needed
}

want build-essential make "${CC:-cc}" ar
want_header zlib1g-dev zlib.h
want_header libxxhash-dev xxhash.h
wish want_header libzstd-dev zstd.h
case $(uname -m) in x86_64 | aarch64) wish want_header libisal-dev isa-l.h ;; esac
if [ "${1:-}" != --build ]; then
    want bats bats
    want hmmer hmmsearch
    want seqkit seqkit
    want mandoc mandoc
    want python3 python3
    want gzip zcat
    want binutils nm
    # without these a test each is skipped, with CI=true it fails; they take less than 100 MB in all
    wish want zsh zsh
    wish want fish fish
    wish want groff groff
    wish want zstd zstd
    wish want xz-utils xz
    wish want miller mlr
    wish want sqlite3 sqlite3
    wish want_module python3-yaml yaml
    wish want_module python3-venv ensurepip
    [ ! -e "$(dirname "$0")/../.git" ] || want git git # a tarball has no use for it
fi

if [ -z "$missing$wished" ]; then
    echo "everything that is needed is installed"
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    [ -z "$wished" ] || echo "not there, and it goes on without, by their Debian names:$wished" >&2
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
for package in $wished; do # singly, so that one that cannot be had takes no other with it
    install "$package" >/dev/null 2>&1 || echo "could not be installed, and it goes on without: $package"
done
