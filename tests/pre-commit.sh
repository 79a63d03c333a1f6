#!/bin/sh
# SPDX-License-Identifier: MIT
# The hook that `make hook` installs: git runs it before each commit, at the top of the sources. It refuses a commit
# with a breach of style. It looks at the staged files, which may differ from those on disk. It takes some five seconds
# and needs no build: only make check-style looks at links and symbols too. `git commit --no-verify` goes around it.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
git checkout-index --all --prefix="$tmp/tree/"
# shellcheck disable=SC2046 # words
unset $(git rev-parse --local-env-vars) # git names its index to hooks; the copy has none
TRACKED=1 B=none OBJECTS='' sh "$tmp/tree/tests/style.sh" >"$tmp/said" 2>&1 && exit
grep -v ' not looked at$' "$tmp/said" >&2
exit 1
