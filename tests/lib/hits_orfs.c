/* SPDX-License-Identifier: MIT
 * Places of ORFs by hand: descriptions that tell one and those that do not, and residues as bases. */
#include <string.h>

#include "lib/hits/orf.h"
#include "tests/tap.h"

static int read(ws_orf *o, const char *desc, uint64_t L, ws_err *err) {
    return ws_orf_read(o, "orf1", 4, desc, strlen(desc), L, err);
}

static void test_places(tap *t) {
    ws_orf o;
    ws_err err;
    tap_ok(t, read(&o, "source=chr 1 coords=1..9 length=3 frame=1 desc=", 3, &err) == WS_EDATA,
           "a blank ends the name");
    tap_ok(t, read(&o, "source=chr1 coords=101..109 length=3 frame=2 desc=", 3, &err) == WS_OK && o.ncontig == 4 &&
              memcmp(o.contig, "chr1", 4) == 0 && o.from == 101 && o.to == 109 && o.frame == 2 && !o.minus,
           "an ORF of the + strand");
    tap_ok(t, ws_orf_first(&o, 1) == 101 && ws_orf_last(&o, 1) == 103 && ws_orf_first(&o, 3) == 107 &&
              ws_orf_last(&o, 3) == 109, "its residues are bases");
    tap_ok(t, read(&o, "source=a|b=c coords=109..101 length=3 frame=6 desc=coords=1..9 frame=1", 3, &err) == WS_OK &&
              o.from == 109 && o.to == 101 && o.frame == 6 && o.minus,
           "an ORF of the other strand; nothing is read from the text behind desc=");
    tap_ok(t, ws_orf_first(&o, 1) == 109 && ws_orf_last(&o, 1) == 107 && ws_orf_first(&o, 3) == 103 &&
              ws_orf_last(&o, 3) == 101, "its residues are bases");
    tap_ok(t, read(&o, "source=c coords=999999999999999997..999999999999999999 length=1 frame=3 desc=x", 1, &err) ==
              WS_OK && o.from == 999999999999999997u, "18 digits");
}

/* Each is refused with a sentence that names the sequence and has these words. */
static void test_refusals(tap *t) {
    static const struct {
        const char *desc;
        uint64_t L;
        const char *says;
    } bad[] = {
        {"", 3, "is no ORF"},
        {"source=c", 3, "is no ORF"},
        {"source= coords=1..9 length=3 frame=1 desc=", 3, "is no ORF"},
        {"x source=c coords=1..9 length=3 frame=1 desc=", 3, "is no ORF"},
        {"source=c coords=1..9 length=3 frame=1", 3, "is no ORF"},
        {"source=c coords=1..9 length=3 desc=", 3, "is no ORF"},
        {"source=c coords=1-9 length=3 frame=1 desc=", 3, "is no ORF"},
        {"source=c coords=1..9x length=3 frame=1 desc=", 3, "is no ORF"},
        {"source=c coords=-8..0 length=3 frame=1 desc=", 3, "is no ORF"},
        {"source=c coords=0..8 length=3 frame=1 desc=", 3, "is no ORF"},
        {"source=c coords=01..9 length=3 frame=1 desc=", 3, "is no ORF"},
        {"source=c coords=1..9 length=+3 frame=1 desc=", 3, "is no ORF"},
        {"source=c  coords=1..9 length=3 frame=1 desc=", 3, "is no ORF"},
        {"source=c coords=1000000000000000001..1000000000000000009 length=3 frame=1 desc=", 3, "is no ORF"},
        {"source=c coords=1..9 length=3 frame=1 desc=", 2, "2 residues, but its description says length=3"},
        {"source=c coords=1..8 length=3 frame=1 desc=", 3, "coords=1..8 are 8 bases, but length=3 asks for 9"},
        {"source=c coords=9..1 length=3 frame=1 desc=", 3, "frame=1 does not go with coords=9..1"},
        {"source=c coords=1..9 length=3 frame=4 desc=", 3, "frame=4 does not go with"},
        {"source=c coords=9..1 length=3 frame=7 desc=", 3, "frame=7 does not go with"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ws_orf o;
        ws_err err = {0};
        const int rc = read(&o, bad[i].desc, bad[i].L, &err);
        tap_ok(t, rc == WS_EDATA && strstr(err.text, "sequence orf1") && strstr(err.text, bad[i].says), "\"%s\": %s",
               bad[i].desc, err.text);
    }
    /* no byte behind the text is read */
    static const char whole[] = "source=c coords=1..9 length=3 frame=1 desc=";
    for (size_t n = 0; n + 1 < sizeof whole; n++) {
        char part[sizeof whole];
        ws_orf o;
        ws_err err;
        memcpy(part, whole, sizeof part);
        if (ws_orf_read(&o, "orf1", 4, part, n, 3, &err) != WS_EDATA) tap_ok(t, 0, "cut behind %zu bytes", n);
    }
}

int main(void) {
    tap t = {0};
    test_places(&t);
    test_refusals(&t);
    return tap_end(&t);
}
