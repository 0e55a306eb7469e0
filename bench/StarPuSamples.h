// What the samples on StarPU share: codelets, tasks, handles, products of CLBlast's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BENCH_STARPUSAMPLES_H
#define HSCHED_BENCH_STARPUSAMPLES_H

#define CL_TARGET_OPENCL_VERSION 120
#include <cblas.h>
#include <clblast.h>
#include <starpu.h>
#include <starpu_opencl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

extern "C" {
void spotrf_(const char *, const int *, float *, const int *, int *, std::size_t);
void strtri_(const char *, const char *, const int *, float *, const int *, int *, std::size_t, std::size_t);
void sgetrf_(const int *, const int *, float *, const int *, int *, int *);
void openblas_set_num_threads(int);
}

namespace starpu_samples {

using Matrix = std::vector<float>;
constexpr int block = 256; // As in the samples: the diagonal blocks of a factor are inverted.

[[noreturn]] inline void fail(const std::string &what) {
  std::fprintf(stderr, "starpu_samples: %s\n", what.c_str());
  std::exit(2);
}

struct Args {
  int m = 0, n = 0, k = 0, at = 0;
};
inline Args argsOf(void *packed) { return *static_cast<Args *>(packed); }

inline float *host(void *buffer) { return reinterpret_cast<float *>(STARPU_MATRIX_GET_PTR(buffer)); }
inline int ld(void *buffer) { return static_cast<int>(STARPU_MATRIX_GET_LD(buffer)); }

// Part of a matrix in device memory; the distance of its rows, or columns, in elements.
struct Part {
  cl_mem memory;
  std::size_t offset, ld;
  Part at(int row, int column) const { return {memory, offset + std::size_t(row) * ld + std::size_t(column), ld}; }
};
inline Part part(void *buffer) {
  return {reinterpret_cast<cl_mem>(STARPU_MATRIX_GET_DEV_HANDLE(buffer)),
          STARPU_MATRIX_GET_OFFSET(buffer) / sizeof(float), std::size_t(ld(buffer))};
}

inline cl_command_queue queue() {
  cl_command_queue q;
  starpu_opencl_get_queue(starpu_worker_get_devid(starpu_worker_get_id()), &q);
  return q;
}
inline cl_mem temporary(std::size_t elements) {
  cl_context context;
  starpu_opencl_get_context(starpu_worker_get_devid(starpu_worker_get_id()), &context);
  return clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float) * elements, nullptr, nullptr);
}

// c = alpha * a * op(b) + beta * c, row by row.
inline void product(int m, int n, int k, bool transposed, float alpha, Part a, Part b, float beta, Part c) {
  cl_command_queue q = queue();
  const auto status =
      clblast::Gemm<float>(clblast::Layout::kRowMajor, clblast::Transpose::kNo,
                           transposed ? clblast::Transpose::kYes : clblast::Transpose::kNo, m, n, k, alpha, a.memory,
                           a.offset, a.ld, b.memory, b.offset, b.ld, beta, c.memory, c.offset, c.ld, &q, nullptr);
  if (status != clblast::StatusCode::kSuccess)
    fail("CLBlast fails with status " + std::to_string(static_cast<int>(status)));
}
inline void copy(int m, int n, Part from, Part to) {
  cl_command_queue q = queue();
  clblast::Omatcopy<float>(clblast::Layout::kRowMajor, clblast::Transpose::kNo, m, n, 1.0f, from.memory, from.offset,
                           from.ld, to.memory, to.offset, to.ld, &q, nullptr);
}

struct Codelet : starpu_codelet {
  starpu_perfmodel model;
  Codelet(const char *label, starpu_cpu_func_t cpu, starpu_opencl_func_t opencl,
          std::initializer_list<starpu_data_access_mode> accesses) {
    starpu_codelet_init(this);
    std::memset(&model, 0, sizeof(model));
    model.type = STARPU_HISTORY_BASED;
    model.symbol = label;
    name = label;
    starpu_codelet::model = &model;
    cpu_funcs[0] = cpu;
    if (opencl) {
      opencl_funcs[0] = opencl;
      opencl_flags[0] = STARPU_OPENCL_ASYNC;
    }
    nbuffers = 0;
    for (starpu_data_access_mode mode : accesses)
      modes[nbuffers++] = mode;
  }
};

inline void submit(Codelet &codelet, Args args, std::initializer_list<starpu_data_handle_t> handles, int priority = 0) {
  starpu_task *task = starpu_task_create();
  task->cl = &codelet;
  task->cl_arg = std::malloc(sizeof(Args));
  std::memcpy(task->cl_arg, &args, sizeof(Args));
  task->cl_arg_size = sizeof(Args);
  task->cl_arg_free = 1;
  task->priority = std::clamp(priority, starpu_sched_get_min_priority(), starpu_sched_get_max_priority());
  int i = 0;
  for (starpu_data_handle_t handle : handles)
    task->handles[i++] = handle;
  if (starpu_task_submit(task))
    fail("a task cannot be run");
}

// rows of `columns` elements, `ld` elements apart.
inline starpu_data_handle_t handleOf(float *at, std::size_t ld, int columns, int rows) {
  starpu_data_handle_t handle;
  starpu_matrix_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(at), ld, columns, rows,
                              sizeof(float));
  return handle;
}

// An n x n matrix for StarPU. StarPU copies a tile to a device row by row, and a contiguous tile in one piece.
class Tiled {
public:
  Tiled(int n, int tile, bool contiguous) : n(n), tile(tile), contiguous(contiguous), data(std::size_t(n) * n) {}

  void assign(const Matrix &from) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; j += tile)
        std::copy_n(&from[std::size_t(i) * n + j], width(j), &at(i, j));
  }
  float &at(int row, int column) {
    if (!contiguous)
      return data[std::size_t(row) * n + column];
    const int i = row / tile * tile, j = column / tile * tile;
    return data[std::size_t(i) * n + std::size_t(j) * width(i) + std::size_t(row - i) * width(j) + (column - j)];
  }
  // The tile that begins at this element.
  starpu_data_handle_t handle(int row, int column) {
    return handleOf(&at(row, column), contiguous ? width(column) : n, width(column), width(row));
  }

private:
  int width(int from) const { return std::min(tile, n - from); }

  int n, tile;
  bool contiguous;
  Matrix data;
};

using Clock = std::chrono::steady_clock;
inline void report(int repetition, Clock::time_point start) {
  const std::chrono::duration<double, std::milli> took = Clock::now() - start;
  std::fprintf(stderr, "repetition %d: %.2f ms\n", repetition, took.count());
}

} // namespace starpu_samples
#endif
