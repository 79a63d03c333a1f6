// SPDX-License-Identifier: MIT
// The kernels of SSV with an alarm, for each shape: see kernels/ssv/rows.cuh. They have a file of their own, so that
// they compile beside the kernels of kernels/ssv/device.cu.

#include "kernels/ssv/rows.cuh"

#define SHAPE(R, COLUMNS, GROUP, GLOBAL, BLOCK, MIN_G, MAX_G) \
    {(const void *)ws_ssv_rows<true, R, COLUMNS, GROUP, GLOBAL>, "ws_ssv_rows<alarm, " #R ", " #COLUMNS ">", R, \
     4 * R, MIN_G, MAX_G, BLOCK, \
     GLOBAL ? 0 : COLUMNS, 1},
static const ws_shape shapes[] = {WS_SSV_SHAPES(SHAPE)};

const ws_shape *const ws_ssv_alarm_shapes = shapes;
