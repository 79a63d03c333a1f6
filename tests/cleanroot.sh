#!/bin/sh
# SPDX-License-Identifier: MIT
# Does what a stranger does: a bare Debian 12 gets the packages that INSTALL names and nothing else; there the tarball
# of make dist is built, tried, checked, installed, checked again and uninstalled, by a user without rights and without
# network where no rights are needed.
#   tests/cleanroot.sh [ROOT]     as root; needs debootstrap, git and a Debian mirror (MIRROR, or debootstrap's own)
# ROOT is a folder to make, or the root that an earlier call that passed left there; without it a temporary one is made
# and removed. CHECK=0 leaves out make check and most of installcheck (minutes).
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/bareroot.sh"
root=${1:-$work/root}

# Everything but what builds and runs write: a line with kind, mode, owner, size, and target or checksum
listing() {
    inside 'find / -xdev \( -path /proc -o -path /srv -o -path /tmp -o -path /var/tmp -o -path /dev \) -prune -o \
        -printf "%y %m %u %s %p %l\n" | sort; find /usr /etc -xdev -type f -print0 | sort -z | xargs -0 md5sum'
}

bare_make
# "Debian: a b c." may go over lines
packages=$(tr '\n' ' ' <"$top/INSTALL" | grep -o 'Debian: [^.]*' | sed 's/Debian: //' | tr '\n' ' ')
say "packages that INSTALL names: $packages"
inside "apt-get update -q >/dev/null; apt-get install -qq -y --no-install-recommends $packages >/dev/null 2>&1"
bare_sources

say "sh tests/deps.sh finds nothing missing"
as_user 'sh tests/deps.sh | tee /tmp/deps; grep -q "^everything" /tmp/deps'
say "make"
as_user 'make -j"$(nproc)" >/tmp/make.log 2>&1 || { tail -20 /tmp/make.log; exit 1; }; ! grep -i warning: /tmp/make.log'
say "make demo"
as_user 'make -s demo | grep RAD53'
if [ "${CHECK:-1}" != 0 ]; then
    say "make check"
    as_user 'make -s check'
fi
listing >"$work/before"
for prefix in /usr /usr/local; do
    [ $prefix = /usr ] && [ "${CHECK:-1}" != 0 ] && checks= || checks=tests/contract.bats # all that test programs, once
    say "make install, installcheck, uninstall with PREFIX=$prefix"
    inside "cd /srv/tester/warpsieve-* && make -s install PREFIX=$prefix"
    as_user "PATH=$prefix/bin:\$PATH; msvfilt --version
        make -s installcheck CHECKS=$checks PREFIX=$prefix >/tmp/installcheck.log 2>&1 ||
        { grep -A12 '^not ok' /tmp/installcheck.log; tail -3 /tmp/installcheck.log; exit 1; }; grep -c '^ok' /tmp/installcheck.log"
    inside "cd /srv/tester/warpsieve-* && make -s uninstall PREFIX=$prefix"
    listing >"$work/after"
    if ! diff "$work/before" "$work/after" >"$work/left"; then
        echo "cleanroot.sh: uninstall left (>) or took (<):" >&2
        head -20 "$work/left" >&2
        exit 1
    fi
done
say "$(wc -l <"$work/before") lines of files, modes and checksums are as before"
