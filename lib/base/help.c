/* SPDX-License-Identifier: MIT
 * --help and --dump-options from the option tables. */
#include "lib/base/opt.h"

#include <stdio.h>
#include <string.h>

static const char *const group_title[WS_NGROUP] = {
    [WS_GROUP_SCORE] = "Scoring",
    [WS_GROUP_FILTER] = "What passes",
    [WS_GROUP_INPUT] = "Input",
    [WS_GROUP_OUTPUT] = "Output",
    [WS_GROUP_RUN] = "Running",
    [WS_GROUP_MISC] = "Other",
};

enum { LEFT = 30, WIDTH = 100 };

static int add_padded(ws_buf *out, const char *left, ws_err *err) {
    size_t n = strlen(left);
    int rc = ws_buf_addf(out, err, "%-*s", LEFT - 1, left);
    if (!rc) rc = n < LEFT - 1 ? ws_buf_add(out, " ", 1, err) : ws_buf_addf(out, err, "\n%*s", LEFT, "");
    return rc;
}

int ws_opt_add_wrapped(ws_buf *out, size_t left, const char *text, ws_err *err) {
    const size_t room = WIDTH - left;
    while (strlen(text) > room) {
        size_t n = room;
        while (n > 0 && text[n] != ' ') n--;
        if (n == 0) n = room;
        int rc = ws_buf_addf(out, err, "%.*s\n%*s", (int)n, text, (int)left, "");
        if (rc) return rc;
        text += n;
        while (*text == ' ') text++;
    }
    return ws_buf_addf(out, err, "%s\n", text);
}

int ws_opt_may_have_value(const ws_opt *o) { return o->type == WS_OPT_OPTSTR || o->type == WS_OPT_FOLDER; }

static int add_option(ws_buf *out, const ws_opt *o, ws_err *err) {
    char left[128], alias[48] = "", letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    if (o->alias) snprintf(alias, sizeof alias, ", --%s", o->alias);
    const char *open = !o->arg ? "" : ws_opt_may_have_value(o) ? "[=" : " ";
    const char *close = o->arg && ws_opt_may_have_value(o) ? "]" : "";
    snprintf(left, sizeof left, "  %s--%s%s%s%s%s", letter, o->name, alias, open, o->arg ? o->arg : "", close);
    int rc = add_padded(out, left, err);
    return rc ? rc : ws_opt_add_wrapped(out, LEFT, o->help, err);
}

int ws_opt_help(ws_buf *out, const ws_opt_table *tab, int ntab, ws_err *err) {
    for (int g = 0; g < WS_NGROUP; g++) {
        int titled = 0;
        for (int t = 0; t < ntab; t++)
            for (const ws_opt *o = tab[t].opt; o->name; o++) {
                if ((int)o->group != g || !ws_opt_shown(tab, t, o)) continue;
                int rc = titled ? WS_OK : ws_buf_addf(out, err, "\n%s:\n", group_title[g]);
                if (!rc) rc = add_option(out, o, err);
                if (rc) return rc;
                titled = 1;
            }
    }
    return WS_OK;
}

int ws_opt_dump(ws_buf *out, const ws_opt_table *tab, int ntab, ws_err *err) {
    for (int t = 0; t < ntab; t++)
        for (const ws_opt *o = tab[t].opt; o->name; o++) {
            if (!ws_opt_shown(tab, t, o)) continue;
            char letter[2] = {o->letter, '\0'};
            int rc = ws_buf_addf(out, err, "%s\t%s\t%s\t%s%s\t", letter, o->name, o->alias ? o->alias : "",
                                 ws_opt_may_have_value(o) ? "=" : "", o->arg ? o->arg : "");
            for (int i = 0; !rc && o->choices && o->choices[i]; i++)
                rc = ws_buf_addf(out, err, "%s%s", i ? "," : "", o->choices[i]);
            if (!rc) rc = ws_buf_addf(out, err, "\t%s\n", o->help);
            if (rc) return rc;
        }
    return WS_OK;
}
