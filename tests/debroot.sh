#!/bin/sh
# SPDX-License-Identifier: MIT
# Does what Debian would do: the package is built in a bare root with its build dependencies, installed in another one
# that has nothing but the dependencies of the package and of debian/tests, tested there as autopkgtest does, and
# purged.
#   tests/debroot.sh [ROOT]     as root; needs debootstrap, git and a Debian mirror, as cleanroot.sh
# ROOT is a bare root, or a folder to make it in, and stays as it is. CHECK=1 runs make check in the build too
# (minutes).
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/bareroot.sh"
bare=${1:-$work/bare}
options="parallel=$(nproc) nocheck"
[ "${CHECK:-0}" = 0 ] || options=${options% *}
install="apt-get install -qq -y --no-install-recommends"

root=$bare
bare_make
cp -a "$bare" "$work/build"
cp -a "$bare" "$work/test"

root=$work/build
bare_sources
say "build dependencies, dpkg-buildpackage with $options"
inside "apt-get update -q >/dev/null; $install build-essential >/dev/null 2>&1
    cd /srv/tester/warpsieve-*; apt-get build-dep -qq -y --no-install-recommends ./ >/dev/null 2>&1; dpkg-checkbuilddeps"
as_user "DEB_BUILD_OPTIONS='$options' dpkg-buildpackage -us -uc -b >/tmp/build.log 2>&1 || { tail -20 /tmp/build.log; exit 1; }
    grep -E '^[0-9]+ passed' /tmp/build.log || :"
deb=$(basename "$root"/srv/tester/warpsieve_*.deb)

built=$root
root=$work/test
bare_sources
cp "$built/srv/tester/$deb" "$root/srv/"
depends=$(sed -n 's/^Depends: @, //p' "$top/debian/tests/control" | tr -d ,)
say "$deb, with $depends"
inside "apt-get update -q >/dev/null; $install /srv/$deb $depends >/dev/null 2>&1
    dpkg -s warpsieve | grep -E '^(Status|Depends|Installed-Size)'"
for name in $(sed -n 's/^Tests: //p' "$top/debian/tests/control" | tr , ' '); do
    say "debian/tests/$name"
    # as autopkgtest: the sources, not built; words on stderr are a failure
    as_user "mkdir /tmp/adt; AUTOPKGTEST_TMP=/tmp/adt sh debian/tests/$name >/tmp/$name.log 2>/tmp/$name.err ||
        { grep -A12 '^not ok' /tmp/$name.log; tail -3 /tmp/$name.log /tmp/$name.err; exit 1; }
        [ ! -s /tmp/$name.err ] || { cat /tmp/$name.err; exit 1; }
        grep '# skip' /tmp/$name.log || :; echo \"\$(grep '^ok' /tmp/$name.log | grep -vc '# skip') passed\""
done
# what is there afterwards belongs to another package too
inside "dpkg -L warpsieve | grep -v '^/\.$' >/tmp/files; xargs dpkg -S </tmp/files | grep -v '^warpsieve: ' >/tmp/shared
    apt-get purge -qq -y warpsieve >/dev/null 2>&1
    while read -r f; do
        [ ! -e \"\$f\" ] || grep -q \": \$f\\\$\" /tmp/shared || { echo \"left: \$f\"; exit 1; }
    done </tmp/files"
say "purged, nothing is left"
