/* SPDX-License-Identifier: MIT
 * Numbers as text, and what all tables have: the line of names, the choice of columns, the end. */
#include "lib/run/table.h"

#include "lib/base/mem.h"
#include "lib/base/number.h"
#include "tests/tap.h"

#include <inttypes.h>
#include <string.h>

static void numbers(tap *t) {
    static const int64_t v[] = {0, 7, -7, 10, 1234567890, INT64_MAX, INT64_MIN};
    static const struct {
        double v;
        const char *text;
    } human[] = {{0, "0"},        {999, "999"},     {999.6, "1.00K"}, {12345, "12.3K"},
                 {99960, "100K"}, {1.5e6, "1.50M"}, {3e18, "3000P"}};
    int fine = 1;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        char got[WS_NUMBER_MAX], want[WS_NUMBER_MAX];
        *ws_number_put(got, v[i]) = '\0';
        snprintf(want, sizeof want, "%" PRId64, v[i]);
        fine &= strcmp(got, want) == 0;
    }
    tap_ok(t, fine, "numbers as printf writes them, to both ends of 64 bits");
    for (size_t i = 0; i < sizeof human / sizeof *human; i++) {
        char got[WS_NUMBER_MAX];
        if (!tap_ok(t, strcmp(ws_number_human(got, human[i].v), human[i].text) == 0, "%g for people: %s", human[i].v,
                    human[i].text))
            tap_note("got %s", got);
    }
}

static const char *const name[] = {"name", "seq", "tlen", "name"};
static const ws_names names = WS_NAMES(name);

static int chosen(const char *list, int room, const char *want) {
    int pick[8], n = 0;
    char got[64] = "";
    ws_err err = {0};
    if (ws_fields_choose(list, &names, pick, room, &n, &err)) return strstr(err.text, want) != NULL;
    for (int i = 0; i < n; i++) snprintf(got + strlen(got), sizeof got - strlen(got), "%d ", pick[i]);
    return strcmp(got, want) == 0;
}

static void choices(tap *t) {
    tap_ok(t, chosen(NULL, 8, "0 1 2 3 "), "no list: all columns");
    tap_ok(t, chosen("tlen,name,tlen", 8, "2 0 2 ") && ws_fields_count("tlen,name,tlen") == 3,
           "a list: its order, twice if it says so");
    tap_ok(t, chosen("name,nam", 8, "no column \"nam\"; there are name,seq,tlen,name"), "a name that is none");
    tap_ok(t, chosen("", 8, "no column \"\"") && chosen("name,", 8, "no column \"\""), "an empty name");
    tap_ok(t, chosen("seq,seq,seq", 2, "3 columns, at most 2"), "more than there is room for");
}

static int written(int header, int no_provenance, const char *want) {
    ws_job job = {.common = {.header = header, .no_provenance = no_provenance}};
    ws_buf out = {0};
    ws_err err = {0};
    int rc = ws_table_head(&job, &names, NULL, 3, &out, &err);
    if (!rc) rc = ws_table_end(&job, 5, &out, &err);
    const int same = !rc && out.n == strlen(want) && (out.n == 0 || memcmp(out.p, want, out.n) == 0);
    ws_buf_release(&out);
    return same;
}

int main(void) {
    tap t = {0};
    numbers(&t);
    choices(&t);
    tap_ok(&t, written(WS_HEADER_HASH, 0, "#name\tseq\ttlen\n##end rows=5\n"), "names behind a #, and the end");
    tap_ok(&t, written(WS_HEADER_PLAIN, 1, "name\tseq\ttlen\n"), "plain names, no provenance");
    tap_ok(&t, written(WS_HEADER_NONE, 1, ""), "neither");
    return tap_end(&t);
}
