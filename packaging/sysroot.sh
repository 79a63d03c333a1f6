#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetches from Debian 11 the libraries for the portable programs: the C library (glibc 2.31), and the others as
# archives. Programs that are linked so run on older systems than the one that compiles them.
#   packaging/sysroot.sh DIR [MACHINE]      needs apt-get and dpkg-deb, a Debian mirror (MIRROR), and no rights
# MACHINE is the processor as compilers name it: x86_64 (the default) or aarch64.
set -eu
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: sysroot.sh DIR [MACHINE]" >&2; exit 2; }
machine=${2:-x86_64}
case $machine in
x86_64) debian=amd64 ;;
aarch64) debian=arm64 ;;
*) echo "sysroot.sh: the machine is x86_64 or aarch64, not \"$machine\"" >&2; exit 2 ;;
esac
mirror=${MIRROR:-http://deb.debian.org/debian}
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -s "$keys" ] || { echo "sysroot.sh: no $keys; it is in the package debian-archive-keyring" >&2; exit 1; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
chmod 755 "$apt" # apt-get fetches as a user of its own
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/none/preferences.d"
echo "deb [arch=$debian signed-by=$keys] $mirror bullseye main" >"$apt/sources"
: >"$apt/status"
get() {
    apt-get -qq -o Dir::Etc="$apt/none" -o Dir::Etc::SourceList="$apt/sources" -o Dir::State::Lists="$apt/lists" \
        -o Dir::State::Status="$apt/status" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User= \
        -o APT::Architecture="$debian" -o APT::Architectures="$debian" "$@"
}
get update
(cd "$apt" && get download libc6 libc6-dev libgcc-10-dev libstdc++-10-dev libxxhash-dev libzstd-dev zlib1g-dev)
for deb in "$apt"/*.deb; do dpkg-deb -x "$deb" "$dir"; done
lib=$dir/usr/lib/$machine-linux-gnu
[ -s "$lib/libc.so" ] || { echo "sysroot.sh: no libc.so came with libc6-dev" >&2; exit 1; }
# only archives of what is to be linked as such: the linker takes a .so first
rm -f "$lib"/libz.so "$lib"/libxxhash.so "$lib"/libzstd.so
cp "$dir/usr/lib/gcc/$machine-linux-gnu/10/libstdc++.a" "$dir/usr/lib/gcc/$machine-linux-gnu/10/libgcc_eh.a" "$lib"
# Links that begin at the root point into DIR. They are relative, so DIR can be renamed.
find "$dir" -type l -lname '/*' | while read -r link; do ln -sfnr "$dir$(readlink "$link")" "$link"; done
