# SPDX-License-Identifier: MIT
# A bare Debian 12, or another suite, in the folder $root, for the scripts that source this. MIRROR and UBUNTU_MIRROR
# are the mirrors, if not the usual ones. $work is a folder that goes at the end. shellcheck shell=sh disable=SC2154 #
# root and top are the caller's

[ "$(id -u)" -eq 0 ] || { echo "${0##*/}: only root can make a root" >&2; exit 1; }
for p in debootstrap unshare git; do
    command -v "$p" >/dev/null 2>&1 || { echo "${0##*/}: $p is not installed" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
say() { printf '== %s\n' "$*"; }
# Mounts live in a namespace of their own and end with it, however that ends; so do processes that are left.
within() { # within UNSHARE_OPTION CHROOT_OPTION HOME PATH COMMAND
    unshare "$1" --mount --pid --fork --kill-child sh -euc 'r=$1 who=$2; shift 2; mount -t proc proc "$r/proc"
        mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$r/dev/pts"; exec chroot "$who" "$r" env -i "$@"' - \
        "$root" "$2" "$3" "$4" DEBIAN_FRONTEND=noninteractive sh -euc "$5"
}
# as root, with the network
inside() { within --ipc --userspec=root:root HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$1"; }
as_user() { # in the sources, without network
    within --net --userspec=tester:tester HOME=/srv/tester PATH=/usr/bin:/bin "cd /srv/tester/warpsieve-*; $1"
}
bare_make() { # bare_make [SUITE]: in $root, if it is not there
    [ ! -e "$root/etc/debian_version" ] || return 0
    suite=${1:-bookworm} mirror=${MIRROR:-http://deb.debian.org/debian} check=
    case $suite in jammy | noble)
        mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
        check=--keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg
        if [ ! -s "${check#*=}" ]; then
            say "there is no ${check#*=}, so signatures of $mirror are not checked"
            check=--no-check-gpg
        fi
        set -- --components=main,universe
        ;;
    *) set -- ;;
    esac
    say "debootstrap $suite"
    # shellcheck disable=SC2086 # an option or nothing
    debootstrap --variant=minbase $check "$@" "$suite" "$root" "$mirror" >"$work/log" 2>&1 ||
        { tail -5 "$work/log" >&2; exit 1; }
}
bare_sources() { # those of make dist, for the user
    inside "id -u tester >/dev/null 2>&1 || useradd -m -d /srv/tester tester; rm -rf /srv/tester/warpsieve-*"
    [ -e "$work/dist" ] || make -s -C "$top" dist B="$work/dist"
    tar -xzf "$work"/dist/*.tar.gz -C "$root/srv/tester" --no-same-owner
    chroot "$root" chown -R tester:tester /srv/tester
}
