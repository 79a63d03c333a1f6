# SPDX-License-Identifier: MIT
# The common base of fault tests: the shim, the two drivers, and the line of counts.

# With a sanitizer the Makefile has linked it with the tools.
make_shim() {
    if [ -n "${WARPSIEVE_SHIMMED:-}" ]; then
        export shim=- WARPSIEVE_BIN=$WARPSIEVE_SHIMMED
        PATH=$WARPSIEVE_BIN:$PATH # for the test that calls this, where setup_file does not
        return
    fi
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -I"$top" -shared -fPIC -o shim.so "$top/tests/fault/shim.c" -ldl
}

# drive KIND FIRST LAST STEP FORM OUTPUT... -- COMMAND...
drive() { python3 "$top/tests/fault/drive.py" "${shim:-./shim.so}" "$@"; }
live() { local said; said=$(python3 "$top/tests/fault/live.py" "$@" 2>&1) || fail "$*: $said"; }

shimmed() { [ "${shim:-}" = - ] || ! sanitized || skip 'a sanitizer is in the way of the shim'; }
# struck FAULT COMMAND...
struck() {
    local fault=$1 preload=./shim.so
    shift
    [ "${shim:-}" != - ] || preload=
    env ${preload:+LD_PRELOAD=$preload} WS_FAULT="$fault" "$@"
}
full() { [ "${WARPSIEVE_TESTS:-quick}" != quick ]; }

# what must do no harm: none of the faults so far ended with status 1
no_harm() { awk -F '\t' '$3 { exit 1 }' fault.counts || fail "a fault that should do no harm: $(cat fault.counts)"; }

show_counts() {
    [ ! -s fault.counts ] || awk -F '\t' -v what="$BATS_TEST_DESCRIPTION" '{ n += $2 + $3; bad += $3 }
        END { printf "# ran %d faults%s: %d ended with status 1, %d did no harm (%s)\n", n, part, bad, n - bad, what }' \
        part="${WARPSIEVE_FAULT_EVERY:+, one place in $WARPSIEVE_FAULT_EVERY}" fault.counts >&3
    rm -f fault.counts
}
