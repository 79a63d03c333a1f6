#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a command with N devices of its own, by CUDA_VISIBLE_DEVICES:
#   device.sh N COMMAND...
# A scheduler's choice of N devices holds. Where more are to be seen, because jobs share a machine without one, the
# command gets the first N that no other command of this script holds, and waits for them; a lock on a file tells, which
# ends with the command. WARPSIEVE_SLOTS is the folder of these files, which users may share. By default it is one for
# each user in XDG_RUNTIME_DIR, or else in TMPDIR, where a folder that others can write to is refused.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: device.sh N COMMAND..." >&2; exit 2; }
want=$1
shift
if [ -n "${CUDA_VISIBLE_DEVICES:-}" ]; then
    seen=$CUDA_VISIBLE_DEVICES
else
    seen=$(nvidia-smi --query-gpu=index --format=csv,noheader | paste -sd, -)
fi
IFS=, read -ra devices <<<"$seen"
if [ ${#devices[@]} -lt "$want" ]; then
    echo "device.sh: found ${#devices[@]} devices ($seen), expected at least $want" >&2
    exit 1
fi
if [ ${#devices[@]} -gt "$want" ]; then
    if [ -n "${WARPSIEVE_SLOTS:-}" ]; then
        slots=$WARPSIEVE_SLOTS
        mkdir -p "$slots"
    else
        slots=${TMPDIR:-/tmp}
        if [ -d "${XDG_RUNTIME_DIR:-}" ] && [ -w "$XDG_RUNTIME_DIR" ]; then slots=$XDG_RUNTIME_DIR; fi
        slots+=/warpsieve-slots-$(id -u)
        mkdir -m 700 "$slots" 2>/dev/null || true
        found=$(ls -ldn "$slots" 2>&1 || true)
        if [[ $found != drwx------* ]] || ! [ -O "$slots" ]; then # a link is none either
            echo "device.sh: $slots: found $found, expected a folder of your own with mode 700; remove it, or set WARPSIEVE_SLOTS" >&2
            exit 1
        fi
    fi
    exec {all}>>"$slots/all" # one program at a time takes devices: two that hold a half each would wait for ever
    flock "$all"
    mine=()
    while [ ${#mine[@]} -lt "$want" ]; do
        for d in "${devices[@]}"; do
            if [[ " ${mine[*]} " == *" $d "* ]]; then continue; fi
            exec {slot}>>"$slots/$d"
            if flock -n "$slot"; then mine+=("$d"); else exec {slot}>&-; fi
            [ ${#mine[@]} -lt "$want" ] || break
        done
        [ ${#mine[@]} -ge "$want" ] || sleep 0.2
    done
    exec {all}>&-
    seen=$(IFS=,; echo "${mine[*]}")
fi
CUDA_VISIBLE_DEVICES=$seen exec "$@"
