/* SPDX-License-Identifier: MIT
 * The ledger of a stream: lines by their form alone, sums, and the numbers of packed end frames. */
#include "lib/stream/ledger.h"

#include "tests/tap.h"

#include <string.h>

#define HASH "(xxh3:0123456789abcdef)"

static uint64_t number_of(const char *line) { return ws_ledger_stage_number(line, strlen(line)); }

static void stages(tap *t) {
    static const char *const good[] = {"##warpsieve pg=3", "##warpsieve pg=3 prog=x", "##warpsieve pg=3 version=1",
                                       "##warpsieve pg=3 prog=x version=1 model=a" HASH " args=\"\"",
                                       "##warpsieve pg=3 prog=x model=a args=\"a \" b\""};
    static const char *const bad[] = {"##warpsieve", "##warpsieve ", "##warpsieve pg=", "##warpsieve pg=0",
                                      "##warpsieve pg=03", "##warpsieve pg=-3", "##warpsieve pg=3x",
                                      "##warpsieve  pg=3", "##warpsieve pg=3 ", "##warpsieve pg=3 prog=",
                                      "##warpsieve pg=3 model=", "##warpsieve pg=3 model=a b",
                                      "##warpsieve pg=3 args=\"", "##warpsieve pg=3 args=\"a\" ",
                                      "##warpsieve pg=3 args=a", "##warpsieve prog=x pg=3",
                                      "##warpsieve pg=1000000000000000001"};
    int ok = 1;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) ok &= number_of(good[i]) == 3;
    tap_ok(t, ok, "stage lines");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ok &= number_of(bad[i]) == 0 && ws_ledger_is_stage(bad[i], strlen(bad[i]));
        if (number_of(bad[i])) tap_note("%s", bad[i]);
    }
    tap_ok(t, ok, "stage lines of another form");
    tap_ok(t, !ws_ledger_is_stage("##warpsieves pg=1", 17) && !ws_ledger_is_stage("##warpsiev", 10), "other lines");
}

static void add(ws_ledger *g, const char *line) {
    ws_err err;
    if (ws_ledger_add_line(g, line, strlen(line), &err)) abort();
}

static void lines(tap *t) {
    ws_ledger g = {0};
    add(&g, "##a note of pg=7 model=x" HASH);
    tap_ok(t, g.nstage == 0 && !g.names_models, "a note names no models");
    add(&g, "##warpsieve pg=1 prog=a model=m" HASH " args=\"model=n(xxh3:ffffffffffffffff)\"");
    add(&g, "##warpsieve pg=2 prog=b args=\"\"");
    tap_ok(t, g.nstage == 2 && g.names_models && g.models == 0x0123456789abcdef, "the hash is that of the field");
    tap_ok(t, g.lines.n == 173 && g.lines.p[g.lines.n - 1] == '\n', "the lines are kept: %zu bytes", g.lines.n);
    add(&g, "##warpsieve pg=3 model=m(xxh3:0123456789abcdeF)");
    add(&g, "##warpsieve pg=4 model=m(xxh3:0123456789abcde)");
    add(&g, "##warpsieve pg=5 model=" HASH);
    add(&g, "##warpsieve pg=6 model=m" HASH "b");
    tap_ok(t, g.nstage == 6 && g.models == 0x0123456789abcdef, "what is no hash is none");
    ws_ledger_release(&g);
}

static int reads(const char *line, ws_size_state state, uint64_t seqs, uint64_t residues) {
    uint64_t rows;
    ws_stream_size size;
    return ws_ledger_read_end(line, strlen(line), &rows, &size) && rows == 5 && size.state == state &&
           size.seqs == seqs && size.residues == residues;
}

static void ends(tap *t) {
    static const char *const bad[] = {"##end", "##end rows=", "##end rows=5 ", "##end rows=5 in=1", "##end rows=05",
                                      "##end rows=5 in=1 residues=", "##end rows=5 in=1 residues=2 ",
                                      "##end rows=5 residues=2 in=1", "##end rows=5 in=1 residues=1000000000000000001"};
    int ok = 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) ok &= !reads(bad[i], WS_SIZE_KNOWN, 1, 2);
    tap_ok(t, ok, "end lines of another form");
    tap_ok(t, reads("##end rows=5", WS_SIZE_UNKNOWN, 0, 0), "an end without counts");
    tap_ok(t, reads("##end rows=5 in=1 residues=1000000000000000000", WS_SIZE_KNOWN, 1, UINT64_C(1000000000000000000)),
           "an end with counts");
}

static void sums(tap *t) {
    const ws_stream_size one = {WS_SIZE_KNOWN, 7, 70}, huge = {WS_SIZE_KNOWN, UINT64_C(1000000000000000000), 0};
    const ws_stream_size states[] = {{WS_SIZE_UNKNOWN, 0, 0}, {WS_SIZE_NO_END, 0, 0}};
    ws_ledger g = {0};
    tap_ok(t, ws_ledger_add_size(&g, &one) && ws_ledger_add_size(&g, &one), "two sizes");
    tap_ok(t, !ws_ledger_add_size(&g, &huge), "a size beyond all");
    const ws_stream_size sum = ws_ledger_size(&g);
    tap_ok(t, sum.state == WS_SIZE_KNOWN && sum.seqs == 14 && sum.residues == 140, "their sum");
    for (int k = 0; k < 2; k++) {
        ws_ledger h = {.seqs = 3};
        tap_ok(t, ws_ledger_add_size(&h, &states[k]) && ws_ledger_size(&h).state == WS_SIZE_UNKNOWN, "state %d", k);
    }
}

static void frames(tap *t) {
    const ws_stream_size all[] = {{WS_SIZE_NO_END, 0, 0}, {WS_SIZE_UNKNOWN, 0, 0}, {WS_SIZE_KNOWN, 5, 6},
                                  {WS_SIZE_KNOWN, 0, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint64_t seqs, residues;
        ws_ledger_to_frame(&all[i], &seqs, &residues);
        const ws_stream_size back = ws_ledger_from_frame(seqs, residues);
        tap_ok(t, back.state == all[i].state && back.seqs == all[i].seqs && back.residues == all[i].residues,
               "a frame, %zu", i);
    }
}

int main(void) {
    tap t = {0};
    stages(&t);
    lines(&t);
    ends(&t);
    sums(&t);
    frames(&t);
    return tap_end(&t);
}
