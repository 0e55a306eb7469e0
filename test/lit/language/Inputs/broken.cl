// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void broken(int n, global float *x) { x[0] = undeclared; }
