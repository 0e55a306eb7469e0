// The Cholesky factor of one tile on an OpenCL device, and the inverses of its diagonal blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of 64 columns, right-looking. One work-group factors and inverts the block on the diagonal. Products with this
// inverse give the columns below it. Products of these update what is right of them.
#ifndef HSCHED_SAMPLES_CHOLESKY_FACTOR_H
#define HSCHED_SAMPLES_CHOLESKY_FACTOR_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace samples {

// Work-groups of 256 work-items. A work-item computes 4 * 4 elements of a block.
inline const char *const factorSource = R"(
#define B 64
typedef float Block[B][B + 1];

// Element (row, column) is from[row * rowStep + column * columnStep]. Those outside of rows * columns are those of the
// identity.
void load(local Block to, global const float *from, ulong rowStep, ulong columnStep, int rows, int columns) {
  for (int e = get_local_id(0); e < B * B; e += 256) {
    const int i = rowStep > columnStep ? e / B : e % B, j = rowStep > columnStep ? e % B : e / B;
    to[i][j] = i < rows && j < columns ? from[i * rowStep + j * columnStep] : i == j ? 1.0f : 0.0f;
  }
}

// sum += x * y^T.
void multiply(float sum[4][4], local Block x, local Block y) {
  const int i = get_local_id(0) / 16, j = get_local_id(0) % 16;
  for (int k = 0; k < B; ++k)
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c)
        sum[r][c] += x[i + 16 * r][k] * y[j + 16 * c][k];
}

// to = scale * to + factor * sum.
void store(global float *to, ulong ld, int rows, int columns, float scale, float factor, float sum[4][4]) {
  const int i = get_local_id(0) / 16, j = get_local_id(0) % 16;
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c)
      if (i + 16 * r < rows && j + 16 * c < columns) {
        global float *element = &to[(i + 16 * r) * ld + j + 16 * c];
        *element = factor * sum[r][c] + (scale != 0.0f ? scale * *element : 0.0f);
      }
}

// The factor of the block at a, whose size is at most B, and its inverse, which lies in a block of 256 columns.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void diagonal(global float *a, ulong at, ulong ld, int size, global float *inverse, ulong to) {
  local Block l, x;
  const int t = get_local_id(0);
  a += at;
  inverse += to;
  load(l, a, ld, 1, size, size);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < B; ++k) {
    if (t == k)
      l[k][k] = sqrt(l[k][k]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t > k && t < B)
      l[t][k] /= l[k][k];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int i = t % B;
    for (int j = k + 1 + t / B; j <= i; j += 4)
      l[i][j] -= l[i][k] * l[j][k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t < B) // Column t.
    for (int i = 0; i < B; ++i) {
      float sum = i == t ? 1.0f : 0.0f;
      for (int k = t; k < i; ++k)
        sum -= l[i][k] * x[k][t];
      x[i][t] = i < t ? 0.0f : sum / l[i][i];
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int e = t; e < B * B; e += 256) {
    const int i = e / B, j = e % B;
    if (i >= size || j >= size)
      continue;
    if (j <= i)
      a[i * ld + j] = l[i][j];
    inverse[i * 256 + j] = x[i][j];
  }
}

// The columns below the block at a: a work-group for B rows of rows. Their size columns are multiplied by the transpose
// of its inverse.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void below(global float *a, ulong at, ulong ld, int size, int rows, global const float *inverse, ulong from) {
  local Block x, y;
  float sum[4][4] = {{0.0f}};
  const int first = get_group_id(0) * B, here = min(B, rows - first);
  global float *mine = a + at + (size + first) * ld;
  load(x, mine, ld, 1, here, size);
  load(y, inverse + from, 256, 1, size, size);
  barrier(CLK_LOCAL_MEM_FENCE);
  multiply(sum, x, y);
  store(mine, ld, here, size, 0.0f, 1.0f, sum);
}

// The lower triangle right of these columns: a work-group for each block.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void right(global float *a, ulong at, ulong ld, int size, int rows) {
  local Block x, y;
  float sum[4][4] = {{0.0f}};
  const int i = get_group_id(0) * B, j = get_group_id(1) * B;
  if (j > i)
    return;
  a += at + size * ld;
  load(x, a + i * ld, ld, 1, min(B, rows - i), size);
  load(y, a + j * ld, ld, 1, min(B, rows - j), size);
  barrier(CLK_LOCAL_MEM_FENCE);
  multiply(sum, x, y);
  store(a + i * ld + size + j, ld, min(B, rows - i), min(B, rows - j), 1.0f, -1.0f, sum);
}

// What is below the inverted blocks of B columns in one of 256: a work-group for B columns. Rows: those of the matrix.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void inverses(global const float *a, ulong at, ulong ld, int rows, global float *inverse, ulong to) {
  local Block x, y;
  const int begin = get_group_id(0) / 4 * 256, column = get_group_id(0) % 4 * B, size = min(256, rows - begin);
  a += at + begin * ld + begin;
  inverse += to + begin * 256;
  for (int e = get_local_id(0); e < B * min(column, size); e += 256)
    inverse[e / B * 256 + column + e % B] = 0.0f;
  if (size < 256) // Columns outside of the matrix.
    for (int e = get_local_id(0); e < B * size; e += 256)
      if (column + e % B >= size)
        inverse[e / B * 256 + column + e % B] = 0.0f;
  const int columns = min(B, size - column);
  for (int i = column + B; i < size; i += B) {
    const int here = min(B, size - i);
    float sum[4][4] = {{0.0f}}, product[4][4] = {{0.0f}};
    for (int k = column; k < i; k += B) {
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      load(x, a + i * ld + k, ld, 1, here, B);
      load(y, inverse + k * 256 + column, 1, 256, columns, B);
      barrier(CLK_LOCAL_MEM_FENCE);
      multiply(sum, x, y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c)
        y[get_local_id(0) % 16 + 16 * c][get_local_id(0) / 16 + 16 * r] = sum[r][c];
    load(x, inverse + i * 256 + i, 256, 1, here, here);
    barrier(CLK_LOCAL_MEM_FENCE);
    multiply(product, x, y);
    store(inverse + i * 256 + column, 256, here, columns, 0.0f, -1.0f, product);
  }
}
)";

inline void checkFactor(cl_int code, const char *what) {
  if (code != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + " fails with OpenCL error " + std::to_string(code));
}

// The program in a context: built once.
inline cl_program factorProgram(cl_context context) {
  static std::mutex lock;
  static std::map<cl_context, cl_program> built;
  std::lock_guard guard(lock);
  cl_program &program = built[context];
  if (!program) {
    cl_int code = CL_SUCCESS;
    const char *source = factorSource;
    cl_program made = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
    checkFactor(code, "clCreateProgramWithSource");
    checkFactor(clBuildProgram(made, 0, nullptr, "", nullptr, nullptr), "clBuildProgram");
    program = made;
  }
  return program;
}

// One kernel of the program, with the arguments that are given to each launch.
class FactorKernel {
public:
  FactorKernel(cl_program program, const char *name, cl_command_queue queue) : queue_(queue) {
    cl_int code = CL_SUCCESS;
    kernel_ = clCreateKernel(program, name, &code);
    checkFactor(code, "clCreateKernel");
  }
  ~FactorKernel() { clReleaseKernel(kernel_); } // When what is enqueued has ended.
  FactorKernel(const FactorKernel &) = delete;
  FactorKernel &operator=(const FactorKernel &) = delete;

  // As many work-groups. Done, unless null, receives the launch's event.
  template <class... Args> void launch(int x, int y, cl_event *done, const Args &...args) {
    cl_uint i = 0;
    (checkFactor(clSetKernelArg(kernel_, i++, sizeof(args), &args), "clSetKernelArg"), ...);
    const std::size_t local[2] = {256, 1}, global[2] = {256 * std::size_t(x), std::size_t(y)};
    checkFactor(clEnqueueNDRangeKernel(queue_, kernel_, 2, nullptr, global, local, 0, nullptr, done),
                "clEnqueueNDRangeKernel");
  }

private:
  cl_kernel kernel_ = nullptr;
  cl_command_queue queue_;
};

// Enqueues the factor of the n * n elements at a, whose rows are ld elements apart, and the inverses of its diagonal
// blocks of 256 columns. Returns the event of the last kernel. The queue is in order. A matrix that is not positive
// definite gives NaN.
inline cl_event enqueueFactor(cl_command_queue queue, int n, cl_mem a, cl_ulong at, cl_ulong ld, cl_mem inverse,
                              cl_ulong to) {
  constexpr int size = 64;
  cl_context context = nullptr;
  checkFactor(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, nullptr),
              "clGetCommandQueueInfo");
  const cl_program program = factorProgram(context);
  FactorKernel diagonal(program, "diagonal", queue), below(program, "below", queue), right(program, "right", queue),
      inverses(program, "inverses", queue);
  for (int k = 0; k < n; k += size) {
    const cl_ulong here = at + k * (ld + 1), its = to + cl_ulong(k) * 256 + k % 256;
    const cl_int columns = std::min(size, n - k), rows = n - k - columns, groups = (rows + size - 1) / size;
    diagonal.launch(1, 1, nullptr, a, here, ld, columns, inverse, its);
    if (rows == 0)
      break;
    below.launch(groups, 1, nullptr, a, here, ld, columns, rows, inverse, its);
    right.launch(groups, groups, nullptr, a, here, ld, columns, rows);
  }
  cl_event done = nullptr;
  inverses.launch(4 * ((n + 255) / 256), 1, &done, a, at, ld, cl_int(n), inverse, to);
  return done;
}

} // namespace samples
#endif
