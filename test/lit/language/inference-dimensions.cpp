// A kernel goes through as many dimensions as its ndrange has, whatever it asks for them through.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc --hsched-explain -I %S/Inputs -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:
// CHECK: remark: task 'helper': out([w * h]y) is inferred
#pragma hsched task device(opencl) kernel("dimensions.cl", "helper") ndrange(w, h) args(w, y) options("-cl-std=CL2.0")
void helper(int w, int h, int *y);
// CHECK: remark: task 'row': out([w]y) is inferred
#pragma hsched task device(opencl) kernel("dimensions.cl", "helper") ndrange(w) options("-cl-std=CL2.0")
void row(int w, int *y);
// CHECK: remark: task 'lin': out([w * h]y) is inferred
#pragma hsched task device(opencl) kernel("dimensions.cl", "lin") ndrange(w, h) args(y) options("-cl-std=CL2.0")
void lin(int w, int h, int *y);
// CHECK: remark: task 'lin1': out([n]y) is inferred
#pragma hsched task device(opencl) kernel("dimensions.cl", "lin") ndrange(n) args(y) options("-cl-std=CL2.0")
void lin1(int n, int *y);
// CHECK: remark: task 'dims': inout([w]y) is inferred
#pragma hsched task device(opencl) kernel("dimensions.cl", "dims") ndrange(w, h) args(y) options("-cl-std=CL2.0")
void dims(int w, int h, int *y);
