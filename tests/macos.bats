#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Sources compile as for macOS (tests/macos.sh). Nothing is linked or run there.

bats_require_minimum_version 1.5.0
load helper

setup() {
    cd "$top" || return 1
    [ -z "${WARPSIEVE_BIN:-}" ] || skip "programs from elsewhere are tested"
}

@test "sources with headers of the system compile as for macOS" {
    run -0 sh tests/macos.sh some
    [ "${#lines[@]}" -eq 1 ] || fail "$output"
    [[ $output =~ ^([0-9]+)\ sources\ as\ for\ macOS\ by\ (clang|[^ ]+),\ no\ with\ a\ message$ ]]
    [ "${BASH_REMATCH[1]}" -ge 30 ]
}

refused_for_macos() { # refused_for_macos WORD LINE: the message has the word
    printf '%s\n' '#include <fcntl.h>' '#include <stdio.h>' '#include <stdlib.h>' '#include <string.h>' '#include <sys/mman.h>' \
        '#include <sys/stat.h>' '#include "lib/base/ws.h"' 'int ws_tried(char *p, int n);' 'int ws_tried(char *p, int n) {' \
        "    $2" '    return p != NULL && n > 0;' '}' >"$BATS_TEST_TMPDIR/tried.c"
    run -1 sh tests/macos.sh "$BATS_TEST_TMPDIR/tried.c"
    grep -q 'error: ' <<<"$output" && grep -q "$1" <<<"$output" || fail "$2: $output"
}

@test "what Linux alone has is refused there" {
    refused_for_macos memfd_create 'n += memfd_create("x", 0);'
    refused_for_macos memrchr 'p = memrchr(p, 1, 2);'
    refused_for_macos O_TMPFILE 'n += open(p, O_TMPFILE | O_RDWR, 0600);'
    refused_for_macos F_SETPIPE_SZ 'n += fcntl(n, F_SETPIPE_SZ, 4096);'
    refused_for_macos MADV_HUGEPAGE 'n += madvise(p, 4096, MADV_HUGEPAGE);'
    refused_for_macos posix_fadvise 'n += posix_fadvise(n, 0, 0, 0);'
    refused_for_macos st_mtim 'struct stat s; n += stat(p, &s) + (s.st_mtim.tv_sec == 1);'
    refused_for_macos compare 'extern int (*compare)(const void *, const void *, void *); qsort_r(p, 1, 1, compare, p);'
    ! command -v clang >/dev/null || refused_for_macos 'unsigned long\|long unsigned' 'uint64_t v = 1; n += printf("%lu", v);'
    printf '#include <endian.h>\nint ws_tried;\n' >"$BATS_TEST_TMPDIR/tried.c"
    run -1 sh tests/macos.sh "$BATS_TEST_TMPDIR/tried.c"
    grep -q 'macOS has no endian.h' <<<"$output"
}
