// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void ranOn_cl(global int *x) { *x = 2; }
