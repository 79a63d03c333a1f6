/* SPDX-License-Identifier: MIT
 * The points of windows, from the order in which a device found them to lists of each window. */
#include "kernels/vit/points.h"

#include "lib/base/mem.h"

#include <string.h>

/* Sorts points that are nearly in order: those of a window come row by row, but for the nodes of a row. */
static void sort(ws_vit_point *p, size_t n) {
    for (size_t i = 1; i < n; i++) {
        const ws_vit_point one = p[i];
        size_t to = i;
        for (; to > 0 && p[to - 1] > one; to--) p[to] = p[to - 1];
        p[to] = one;
    }
}

/* Sets out[j] for window j of a task by its number of points, those from `next` on. Returns the place behind the last.
 */
static size_t set_places(const ws_task *t, size_t next, int known) {
    ws_vit_points *out = t->score;
    for (size_t j = 0; j < t->n; j++) {
        uint64_t n;
        memcpy(&n, &out[j], sizeof n); /* the device's number, in place of which the result comes */
        const int takes = n < WS_VIT_UNKNOWN && (known || n == 0);
        out[j] = (ws_vit_points){(uint32_t)next, takes ? (uint32_t)n : WS_VIT_UNKNOWN};
        if (takes) next += (size_t)n;
    }
    return next;
}

int ws_vit_points_take(const ws_task *task, size_t ntask, const ws_devfound *found, size_t n, ws_buf *list,
                       ws_err *err) {
    size_t pairs = 0, next = list->n / sizeof(ws_vit_point);
    for (size_t t = 0; t < ntask; t++) {
        next = set_places(&task[t], next, found != NULL);
        pairs += task[t].n;
    }
    if (!found || n == 0) return WS_OK;
    ws_vit_point **to = ws_calloc(pairs, sizeof *to, err);
    if (!to || ws_buf_reserve(list, n * sizeof **to, err)) {
        ws_free(to);
        return err->code;
    }
    ws_vit_point *all = (ws_vit_point *)(void *)list->p;
    for (size_t t = 0, k = 0; t < ntask; t++)
        for (size_t j = 0; j < task[t].n; j++) to[k++] = all + ((const ws_vit_points *)task[t].score)[j].first;
    for (size_t i = 0; i < n; i++) *to[found[i].pair]++ = found[i].what;
    for (size_t t = 0; t < ntask; t++)
        for (size_t j = 0; j < task[t].n; j++) {
            const ws_vit_points *p = (const ws_vit_points *)task[t].score + j;
            if (p->n != WS_VIT_UNKNOWN) sort(all + p->first, p->n);
        }
    list->n += n * sizeof **to;
    ws_free(to);
    return WS_OK;
}
