#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the files of make release where they will be used: in bare roots of other systems, by a user without rights and
# without network, the static programs run and the wheel is installed with pip and runs, both with the output of the
# programs in bin/.
#   tests/packroot.sh FOLDER [SUITE...]     as root; needs debootstrap, a Debian mirror (MIRROR) and UBUNTU_MIRROR
# FOLDER/SUITE is the bare root of a suite; one that is not there is made and stays. Suites: bookworm bullseye jammy.
set -eu
[ $# -ge 1 ] || { echo "usage: packroot.sh FOLDER [SUITE...]" >&2; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/bareroot.sh"
mkdir -p "$1"
roots=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- bookworm bullseye jammy
wheel=$(ls "$top"/build/release/*.whl)
static=$(ls "$top"/build/release/*-static.tar.gz)
version=$(sed -n 's/.*define WS_VERSION "\(.*\)"/\1/p' "$top/lib/base/ws.h")
pipe='msvfilt demo.hmm demo.fa.gz | vitfilt demo.hmm | fwdscore -Z 400 --no-provenance demo.hmm'
want=$(cd "$top/tests/data" && PATH=$top/bin:$PATH sh -c "$pipe" | sha256sum)

alone() { within --net --userspec=tester:tester HOME=/srv/tester "PATH=$1:/usr/bin:/bin" "cd /srv/tester; $2"; }
same() { # same WHAT PATH
    got=$(alone "$2" "$pipe" | sha256sum)
    [ "$got" = "$want" ] || { echo "packroot.sh: $1 give another table in $suite" >&2; exit 1; }
    say "$suite, glibc $(alone "" "ldd --version | sed -n '1s/.* //p'"): $1 give the table of bin/"
    alone "$2" "msvfilt --version | sed 1d"
}

for suite; do
    root=$roots/$suite
    bare_make "$suite"
    cp -a "$root" "$work/$suite"
    root=$work/$suite
    inside "useradd -m -d /srv/tester tester"
    cp "$wheel" "$static" "$top"/tests/data/demo.* "$root/srv/tester/"
    alone "" "tar -xzf *-static.tar.gz"
    same "the static programs" "/srv/tester/warpsieve-$version/bin"
    inside "apt-get update -q >/dev/null; apt-get install -qq -y --no-install-recommends python3-venv >/dev/null 2>&1"
    alone "" "python3 -m venv venv && venv/bin/pip -q install --no-index --disable-pip-version-check *.whl"
    same "the programs of the wheel" /srv/tester/venv/bin
    alone "" "venv/bin/pip -q uninstall -y warpsieve; find venv -name '*warpsieve*' -o -name msvfilt" >"$work/left"
    [ ! -s "$work/left" ] || { echo "packroot.sh: pip uninstall left $(cat "$work/left")" >&2; exit 1; }
    rm -rf --one-file-system "$root"
done
