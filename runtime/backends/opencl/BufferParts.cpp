// Sub-buffers and the order of their release.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/BufferParts.h"

#include "backends/opencl/ClDevice.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace hsched::rt::opencl {

void BufferParts::clear() {
  std::vector<Part> Latest;
  {
    std::lock_guard Guard(Lock);
    for (auto &[Range, P] : Parts)
      Latest.push_back(std::move(P));
    Parts.clear();
  }
  std::ranges::sort(Latest, std::greater(), &Part::Serial);
  for (Part &P : Latest)
    P.Native.reset();
}

cl_int BufferParts::get(cl::Buffer &Whole, size_t Offset, size_t Bytes, Part &Out) {
  std::lock_guard Guard(Lock);
  const std::pair Range(Offset, Bytes);
  auto At = Parts.find(Range);
  if (At == Parts.end()) {
    if (Parts.size() >= Most)
      trim();
    cl_buffer_region Region{Offset, Bytes};
    cl_int Code = CL_SUCCESS;
    auto Native = std::make_shared<cl::Buffer>(
        Whole.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &Region, &Code));
    if (Code != CL_SUCCESS)
      return Code;
    At = Parts.emplace(Range, Part{std::move(Native), ClBuffer::nextSerial()}).first;
  }
  Out = At->second;
  return CL_SUCCESS;
}

// Releases unused parts that overlap no other part, which is safe in any order.
void BufferParts::trim() {
  size_t Before = 0; // The greatest end of all parts before At.
  for (auto At = Parts.begin(); At != Parts.end();) {
    auto Next = std::next(At);
    const size_t End = At->first.first + At->first.second;
    const bool Apart = Before <= At->first.first && (Next == Parts.end() || End <= Next->first.first);
    Before = std::max(Before, End);
    if (Apart && At->second.Native.use_count() == 1)
      Parts.erase(At);
    At = Next;
  }
  Most = std::max(Most, 2 * Parts.size());
}

size_t BufferParts::size() const {
  std::lock_guard Guard(Lock);
  return Parts.size();
}

} // namespace hsched::rt::opencl
