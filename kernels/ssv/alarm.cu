// SPDX-License-Identifier: MIT
// The kernels of SSV with an alarm, for each shape: see kernels/ssv/rows.cuh. They have a file of their own, so that
// they compile beside the kernels of kernels/ssv/device.cu.

#include "kernels/ssv/rows.cuh"

#define SHAPE(...) WS_SSV_SHAPE(true, "ws_ssv_rows alarm", __VA_ARGS__)
static const ws_shape shapes[] = {WS_SSV_SHAPES(SHAPE)};

const ws_shape *const ws_ssv_alarm_shapes = shapes;
