/* SPDX-License-Identifier: MIT
 * The points of windows, from the order in which a device found them to a list of each window. */
#include "kernels/vit/points.h"

#include "lib/base/counting_sort.h"
#include "lib/base/mem.h"

/* Sorts points that are nearly in order: those of a window come row by row, but for the nodes of a row. */
static void sort(ws_vit_point *p, size_t n) {
    for (size_t i = 1; i < n; i++) {
        const ws_vit_point one = p[i];
        size_t to = i;
        for (; to > 0 && p[to - 1] > one; to--) p[to] = p[to - 1];
        p[to] = one;
    }
}

int ws_vit_points_take(const ws_task *task, size_t ntask, const ws_devfound *found, size_t n, ws_buf *list,
                       ws_err *err) {
    size_t windows = 0;
    for (size_t t = 0; t < ntask; t++) windows += task[t].n;
    uint32_t *item = ws_calloc(n + windows + 2, sizeof *item, err), *start = item + n;
    if (!item || ws_buf_reserve(list, n * sizeof(ws_vit_point), err)) {
        ws_free(item);
        return err->code;
    }
    const size_t first = list->n / sizeof(ws_vit_point);
    ws_vit_point *own = (ws_vit_point *)(void *)list->p + first;
    ws_counting_sort(&(ws_keys){found, sizeof *found, offsetof(ws_devfound, pair), n, 0, (uint32_t)windows, NULL},
                     item, start);
    for (size_t i = 0; i < n; i++) own[i] = found[item[i]].what;
    for (size_t t = 0, w = 0; t < ntask; t++)
        for (size_t j = 0; j < task[t].n; j++, w++) {
            ws_vit_points *to = (ws_vit_points *)task[t].score + j;
            const uint32_t at = start[w], count = start[w + 1] - at;
            uint64_t told; /* by the device, in the place of the result */
            memcpy(&told, to, sizeof told);
            const int known = found ? told < WS_VIT_UNKNOWN : told == 0;
            sort(own + at, count);
            *to = (ws_vit_points){(uint32_t)first + at, known ? count : WS_VIT_UNKNOWN};
        }
    list->n += n * sizeof *own;
    ws_free(item);
    return WS_OK;
}
