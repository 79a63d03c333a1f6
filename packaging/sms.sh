#!/bin/sh
# SPDX-License-Identifier: MIT
# Which compute capabilities to compile for:
#   packaging/sms.sh NVCC           those of this machine's devices, else "80 90 +80"
#   packaging/sms.sh NVCC release   all that programs for others have, as far as this compiler knows them
# A number with + is PTX, from which the driver makes machine code for any later device when a program starts.
set -u
known=$("$1" --list-gpu-code 2>/dev/null | sed -n 's/^sm_//p')
wanted="75 80 86 89 90 100 120"
[ "${2:-}" = release ] || wanted=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    tr -d '. ' | grep -x '[0-9]*' | sort -nu)
taken=
# one that this compiler does not know, or of which the sources need more, is served by PTX or not at all
for cc in $wanted; do
    for k in $known; do [ "$k" -ne "$cc" ] || [ "$cc" -lt 75 ] || taken="$taken $cc"; done
done
taken=${taken# }
if [ "${2:-}" = release ]; then echo "$taken"
elif [ -n "$taken" ]; then echo "$taken +${taken##* }"
else echo "80 90 +80"; fi # nvcc makes PTX of 80 for code of 80 anyway
