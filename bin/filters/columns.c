/* SPDX-License-Identifier: MIT
 * Columns of the filters: see columns.h. */
#include "bin/filters/columns.h"

#include <math.h>

double ws_filtercol_bits(const ws_filter_values *v) { return v->bits; }
double ws_filtercol_bias(const ws_filter_values *v) { return v->bias_bits; }
double ws_filtercol_p(const ws_filter_values *v) { return v->p; }
double ws_filtercol_evalue(const ws_filter_values *v) { return v->p * v->z; }
double ws_filtercol_saturated(const ws_filter_values *v) { return isinf(v->bits) && v->bits > 0; }

/* Returns the next column after *i that is written; NULL after the last one. */
static const ws_filtercol *next(const ws_names *columns, int nobias, int *i) {
    const ws_filtercol *all = columns->element;
    while (*i < columns->n) {
        const ws_filtercol *c = &all[(*i)++];
        if (c->value && !(nobias && c->flags & WS_FILTER_NEEDS_BIAS)) return c;
    }
    return NULL;
}

void ws_filtercol_add(ws_scan *scan, const ws_names *columns, int nobias) {
    const ws_filtercol *c;
    for (int i = 0; (c = next(columns, nobias, &i)) != NULL;)
        scan->col[scan->ncol++] = (ws_col){.name = c->name, .type = c->type,
                                           .if_absent = (c->flags & WS_FILTER_IF_ABSENT) != 0,
                                           .on_demand = (c->flags & WS_FILTER_ON_DEMAND) != 0};
}

void ws_filtercol_set(const ws_names *columns, int nobias, const ws_filter_values *v, double *value) {
    const ws_filtercol *c;
    for (int i = 0; (c = next(columns, nobias, &i)) != NULL;) *value++ = c->value(v);
}

int ws_filtercol_find(const ws_names *columns, int nobias, ws_filter_value *value) {
    const ws_filtercol *c;
    int at = 0;
    for (int i = 0; (c = next(columns, nobias, &i)) != NULL && c->value != value;) at++;
    return at;
}
