// The devices that there are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: [[@LINE+1]]:28: error: unknown device 'fpga'; expected 'cpu', 'opencl', 'cuda', or one with a type: 'opencl:gpu'
#pragma hsched task device(fpga)
void a(int n);
// CHECK: [[@LINE+1]]:28: error: unknown device 'cpu:gpu'
#pragma hsched task device(cpu:gpu)
void b(int n);
// CHECK: [[@LINE+1]]:28: error: unknown device 'opencl:big'
#pragma hsched task device(opencl:big)
void c(int n);
// CHECK: [[@LINE+1]]:28: error: expected a device between the commas
#pragma hsched task device(cpu,)
void d(int n);
