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

// A sub-buffer is made once for each range and lives as long as the buffer. Those that overlap are released in the
// reverse order of their creation: NVIDIA's driver 580 crashes when one is released before another that was created
// later, overlaps it, and was an argument of a launched kernel. Any thread.
class BufferParts {
public:
  struct Part {
    std::shared_ptr<cl::Buffer> Native;
    uint64_t Serial = 0; // As ClBuffer's; later parts have greater ones.
  };

  BufferParts() = default;
  BufferParts(const BufferParts &) = delete;
  BufferParts &operator=(const BufferParts &) = delete;
  ~BufferParts() { clear(); }

  // Bytes from Offset on, of Whole, which is the same buffer in every call. A part that somebody holds stays. Errors:
  // as of clCreateSubBuffer, for instance CL_MISALIGNED_SUB_BUFFER_OFFSET.
  cl_int get(cl::Buffer &Whole, size_t Offset, size_t Bytes, Part &Out);
  void clear(); // Whole's own release comes after it.
  size_t size() const;

private:
  void trim(); // With Lock held.

  mutable std::mutex Lock;
  std::map<std::pair<size_t, size_t>, Part> Parts; // By offset and bytes.
  size_t Most = 1024;                              // Beyond which parts are released that nobody holds.
};

} // namespace hsched::rt::opencl
#endif
