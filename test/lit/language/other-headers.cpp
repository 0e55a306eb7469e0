// Headers of libraries that others wrote, as far as they are installed, in a file with directives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %hsched-cc -std=c++17 -w -O0 -I/usr/lib/x86_64-linux-gnu/openmpi/include -c %s -o %t.o
// RUN: nm -C %t.o | FileCheck %s
// CHECK: T spread(int, double*)
#if __has_include(<cblas.h>)
#include <cblas.h>
#endif
#if __has_include(<mpi.h>)
#include <mpi.h>
#endif
#if __has_include(<boost/graph/adjacency_list.hpp>)
#include <boost/graph/adjacency_list.hpp>
#endif
#if __has_include(<hdf5.h>)
#include <hdf5.h>
#endif
#if __has_include(<fftw3.h>)
#include <fftw3.h>
#endif
#pragma hsched task inout([n]x)
void spread(int n, double *x) {
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}
void all(int n, double *x) {
#pragma hsched for
  for (int i = 0; i < n; ++i)
    x[i] = i;
  spread(n, x);
#pragma hsched taskwait
}
