// Sub-buffers of one buffer, for kernels that take no offsets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_BUFFERPARTS_H
#define HSCHED_BACKENDS_OPENCL_BUFFERPARTS_H

#include "backends/opencl/ClHeader.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace hsched::rt::opencl {

// A sub-buffer is made once for each range and lives as long as the buffer. Overlapping sub-buffers are released in the
// reverse order of their creation: NVIDIA's driver 580 crashes when one is released before another that was created
// later, overlaps it, and was an argument of a launched kernel. Any thread.
class BufferParts {
public:
  struct Part {
    std::shared_ptr<cl::Buffer> Native;
    uint64_t Serial = 0; // As ClBuffer's. It increases with each part.
  };

  BufferParts() = default;
  BufferParts(const BufferParts &) = delete;
  BufferParts &operator=(const BufferParts &) = delete;
  ~BufferParts() { clear(); }

  // Gets the part of Bytes at Offset of Whole, which is the same buffer in every call. Parts in use stay. Errors: those
  // of clCreateSubBuffer, for instance CL_MISALIGNED_SUB_BUFFER_OFFSET.
  cl_int get(cl::Buffer &Whole, size_t Offset, size_t Bytes, Part &Out);
  void clear(); // Call before Whole is released.
  size_t size() const;

private:
  void trim(); // With Lock held.

  mutable std::mutex Lock;
  std::map<std::pair<size_t, size_t>, Part> Parts; // By offset and bytes.
  size_t Most = 1024;                              // Limit beyond which unused parts are released.
};

} // namespace hsched::rt::opencl
#endif
