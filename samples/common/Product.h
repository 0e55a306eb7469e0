// Products of CLBlast's that do not wait for the device, and memory for what is between two kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CLBlast's Gemm allocates a buffer for large matrices and releases it when the kernels are enqueued. NVIDIA's driver
// then waits until they have ended, so the device has nothing to do until the next task comes. Here each queue keeps its
// buffers. A queue is in order, so the next product may use them again.
#ifndef HSCHED_SAMPLES_COMMON_PRODUCT_H
#define HSCHED_SAMPLES_COMMON_PRODUCT_H

#define CL_TARGET_OPENCL_VERSION 120
#include "FirstAlone.h"

#include <clblast.h>
#include <hsched/opencl.h>

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace samples {

// Buffers of the queues that the calling thread enqueues on.
class Scratch {
public:
  // A buffer of at least so many bytes for commands on queue, until the next call with the same number. Null for 0
  // bytes.
  static cl_mem get(cl_command_queue queue, int number, std::size_t bytes) {
    static thread_local Scratch its;
    if (bytes == 0)
      return nullptr;
    Buffer &buffer = its.buffers_[{queue, number}];
    if (buffer.bytes < bytes) {
      cl_context context = nullptr;
      cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, nullptr);
      cl_mem made = code == CL_SUCCESS ? clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &code) : nullptr;
      if (code != CL_SUCCESS)
        throw std::runtime_error("clCreateBuffer fails with OpenCL error " + std::to_string(code));
      if (buffer.memory)
        clReleaseMemObject(buffer.memory); // When what is enqueued has ended.
      buffer = {made, bytes};
    }
    return buffer.memory;
  }
  ~Scratch() {
    for (const auto &[queue, buffer] : buffers_)
      clReleaseMemObject(buffer.memory);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

private:
  struct Buffer {
    cl_mem memory = nullptr;
    std::size_t bytes = 0;
  };
  Scratch() = default;
  std::map<std::pair<cl_command_queue, int>, Buffer> buffers_;
};

// Part of a matrix in device memory: where it begins, and how far apart its rows or columns are, in elements.
struct DevicePart {
  cl_mem memory;
  std::size_t offset, ld;
};

// The argument p of a version of a task, as the version finds it on the device.
inline DevicePart devicePart(const float *p, int ld) {
  return {hsched::opencl_buffer(p), hsched::opencl_offset(p), std::size_t(ld)};
}

// Throws what CLBlast fails with.
inline void ok(clblast::StatusCode status) {
  if (status != clblast::StatusCode::kSuccess)
    throw std::runtime_error("CLBlast fails with status " + std::to_string(static_cast<int>(status)));
}

// c = alpha * a * b + beta * c, as the end of a task's version: a kernel that fails fails the task.
inline void enqueueProduct(clblast::Layout layout, clblast::Transpose transposeA, clblast::Transpose transposeB, int m,
                           int n, int k, float alpha, const DevicePart &a, const DevicePart &b, float beta,
                           const DevicePart &c) {
  const std::size_t rows = std::size_t(m), columns = std::size_t(n), inner = std::size_t(k);
  cl_command_queue queue = hsched::opencl_queue();
  cl_event done = nullptr;
  ok(firstAlone<clblast::StatusCode>([&] {
    std::size_t bytes = 0;
    const clblast::StatusCode asked =
        clblast::GemmTempBufferSize<float>(layout, transposeA, transposeB, rows, columns, inner, a.offset, a.ld,
                                           b.offset, b.ld, c.offset, c.ld, &queue, bytes);
    if (asked != clblast::StatusCode::kSuccess)
      return asked;
    return clblast::Gemm<float>(layout, transposeA, transposeB, rows, columns, inner, alpha, a.memory, a.offset, a.ld,
                                b.memory, b.offset, b.ld, beta, c.memory, c.offset, c.ld, &queue, &done,
                                Scratch::get(queue, 0, bytes));
  }));
  hsched::opencl_await(done);
  clReleaseEvent(done);
}

} // namespace samples

#endif
