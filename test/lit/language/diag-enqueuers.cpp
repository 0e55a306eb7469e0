// Versions with a body for a device: what does not go together, and what such a body cannot do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
#include <hsched/opencl.h>
void enqueue(cl_command_queue queue, cl_mem x, cl_mem y);

#pragma hsched task in([n]x) out([n]y)
void copy(int n, const float *x, float *y);

// CHECK: [[@LINE+1]]:54: error: clause 'ndrange' belongs to a kernel: add kernel("file.cl"), or leave it out where a body enqueues the work itself
#pragma hsched implements(copy) device(opencl:gpu)   ndrange(n; 64)
void copy_range(int, const float *x, float *y) {
  enqueue(hsched::opencl_queue(), hsched::opencl_buffer(x), hsched::opencl_buffer(y));
}

// CHECK: [[@LINE+1]]:57: error: clause 'options' belongs to a kernel: add kernel("file.cl"), or leave it out
#pragma hsched implements(copy) device(opencl)  options("-DN=1")
void copy_options(int, const float *, float *) {}

// CHECK: [[@LINE+1]]:49: error: clause 'args' belongs to a kernel: add kernel("file.cl"), or leave it out
#pragma hsched implements(copy) device(opencl)  args(x)
void copy_args(int, const float *x, float *);

// CHECK: [[@LINE+1]]:33: error: clause 'ndrange' belongs to a kernel: add kernel("file.cl"){{$}}
#pragma hsched implements(copy) ndrange(n)
void copy_cpu(int n, const float *, float *);

// CHECK: [[@LINE+1]]:40: error: one body cannot be for 'cpu' and for 'opencl', where it enqueues work on the device: write a version for each
#pragma hsched implements(copy) device(cpu, opencl)
void copy_both(int, const float *, float *) {}

// CHECK: [[@LINE+2]]:24: error: one body cannot be for 'opencl' and for 'cpu'
#pragma hsched implements(copy) device(opencl)
#pragma hsched device( cpu)
void copy_stacked(int, const float *, float *) {}

// No error: two types of one kind.
#pragma hsched implements(copy) device(opencl:gpu, opencl:accelerator)
void copy_types(int, const float *x, float *y) {
  enqueue(hsched::opencl_queue(), hsched::opencl_buffer(x), hsched::opencl_buffer(y));
}

#pragma hsched implements(copy) device(opencl)
void copy_tasks(int n, const float *x, float *y) {
  // CHECK: [[@LINE+1]]:16: error: 'taskwait' in a version for 'opencl': its body enqueues work on the device, and leaves tasks to the host
#pragma hsched taskwait
  // CHECK: [[@LINE+1]]:16: error: 'task' in a version for 'opencl'
#pragma hsched task
  enqueue(hsched::opencl_queue(), hsched::opencl_buffer(x), hsched::opencl_buffer(y));
  // CHECK: [[@LINE+1]]:16: error: 'taskloop' in a version for 'opencl'
#pragma hsched taskloop
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}

#pragma hsched task in([n]x) inout([n]y)
template <class T>
void add(int n, const T *x, T *y) {
  for (int i = 0; i < n; ++i)
    y[i] += x[i];
}
#pragma hsched implements(add) device(opencl)
template <class T>
void add_cl(int n, const T *x, T *y) {
  // CHECK: [[@LINE+1]]:16: error: 'taskwait' in a version for 'opencl'
#pragma hsched taskwait
  enqueue(hsched::opencl_queue(), hsched::opencl_buffer(x), hsched::opencl_buffer(y + n));
}
void use(float *x) { add(3, x, x + 3); }

// What a body hands to a device may be written there, and how much of it nobody sees.
// CHECK: [[@LINE+1]]:16: error: the extent of 'x' cannot be inferred: 'x' is handed to 'opencl_buffer'{{.*}} write it, for example in([<count>]x)
#pragma hsched task device(opencl)
void fill(const float *x, float *y) {
  enqueue(hsched::opencl_queue(), hsched::opencl_buffer(x), hsched::opencl_buffer(y));
}
// CHECK: error: the extent of 'y' cannot be inferred: 'y' is handed to 'opencl_buffer'{{.*}} write it, for example inout([<count>]y)
