// Included by ../includes.cl.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef COMMON_H
#define COMMON_H
#include "deeper/types.h"
#define KERNEL_NAME(op) KERNEL_NAME_(op)
#define KERNEL_NAME_(op) apply_##op
#define DEFINE_KERNEL(op, expression)                                                                                  \
  kernel void KERNEL_NAME(op)(global number * y, global const number *x) {                                             \
    const number v = x[get_global_id(0)];                                                                              \
    y[get_global_id(0)] = expression;                                                                                  \
  }
#endif
