#!/bin/sh
# SPDX-License-Identifier: MIT
# Sets the version everywhere it is written (tests/packaging.bats compares the places):
#   packaging/version.sh X.Y.Z [YYYY-MM-DD]     the day is that of the release, by default today
set -eu
[ $# -ge 1 ] || { echo "usage: version.sh X.Y.Z [YYYY-MM-DD]" >&2; exit 2; }
echo "$1" | grep -qx '[0-9]*\.[0-9]*\.[0-9]*' || { echo "version.sh: expected X.Y.Z, found \"$1\"" >&2; exit 2; }
cd "$(dirname "$0")/.."
day=${2:-$(date -u +%F)}
old=$(sed -n 's/.*define WS_VERSION "\(.*\)"/\1/p' lib/base/ws.h)
sed -i "/define WS_VERSION/s/\"$old\"/\"$1\"/" lib/base/ws.h
sed -i "s/^version: .*/version: $1/; s/^date-released: .*/date-released: $day/" CITATION.cff
sed -i "s/set version = \"[^\"]*\"/set version = \"$1\"/" packaging/bioconda/meta.yaml
sed -i "s/warpsieve=[0-9.]*/warpsieve=$1/" workflows/nextflow/modules/warpsieve/*/environment.yml
sed -i "s/warpsieve:[0-9.]*--/warpsieve:$1--/" workflows/nextflow/modules/warpsieve/*/main.nf
sed -i "s/warpsieve =[0-9.]*/warpsieve =$1/" workflows/snakemake/wrappers/*/environment.yaml \
    workflows/snakemake/envs/warpsieve.yaml
sed -i "/name=\"@TOOL_VERSION@\"/s/>[0-9.]*</>$1</" workflows/galaxy/macros.xml
sed -i "s/^## Unreleased.*/## $1 ($day)/" CHANGELOG.md
head -1 debian/changelog | grep -q "($1-" || {
    {
        printf 'warpsieve (%s-1) UNRELEASED; urgency=medium\n\n  * New version; CHANGELOG.md says what is in it.\n\n' "$1"
        printf ' -- %s  %s\n\n' "$(sed -n 's/^Maintainer: //p' debian/control)" "$(date -u -R -d "$day")"
        cat debian/changelog
    } >debian/changelog.new
    mv debian/changelog.new debian/changelog
}
echo "now $1, before $old. To be done: make, and WARPSIEVE_SNAPSHOT=write bats -f snapshot tests/workflows.bats tests/modules.bats"
