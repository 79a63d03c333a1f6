#!/bin/sh
# SPDX-License-Identifier: MIT
# The hook that `make hook` installs: git gives it the file of a commit's message. It refuses a subject that CONTRIBUTING.md
# does not allow. `git commit --no-verify` goes around it.
#
#   tests/commit-msg.sh FILE
set -eu
most=60
subject=$(grep -v '^#' "$1" | head -1)
refuse() {
    printf 'commit-msg: %s: %s\n' "$1" "$subject" >&2
    exit 1
}
case $subject in
'') exit ;; # git itself refuses a message without text
"Merge "* | "Revert "* | "fixup! "* | "squash! "*) exit ;;
esac
[ "$(printf %s "$subject" | wc -m)" -le $most ] || refuse "the subject has more than $most characters"
case $subject in
[!A-Z]*) refuse "the subject begins with a capital letter, without a prefix" ;;
*.) refuse "the subject ends without a full stop" ;;
esac
case ${subject%% *} in
*:) refuse "the subject begins with a verb, without a prefix" ;;
Added | Changed | Fixed | Looked | Made | Moved | Removed | Renamed | Reviewed | Rewrote | Said | Sentences | Tidied | Updated | Wrote)
    refuse "the subject says what the commit does, such as \"Read keys from standard input\""
    ;;
esac
exit 0
