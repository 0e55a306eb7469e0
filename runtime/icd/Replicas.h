// Which copies of a memory object's bytes are valid.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies are numbered: 0 is host memory, 1 + n that of a context's part n. Not synchronised: Memory holds a lock. A
// class of its own so that the engine's directory of data can take its place.
#ifndef HSCHED_ICD_REPLICAS_H
#define HSCHED_ICD_REPLICAS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace hsched::icd {

class Replicas {
public:
  // A range of bytes and the copies (a bit each) that are valid all over it; none where nobody has written.
  struct Range {
    size_t First, Bytes;
    uint32_t Valid;
  };

  // All bytes are valid in the copies given.
  Replicas(size_t Bytes, uint32_t Valid) : Bytes(Bytes), Fragments{{0, Valid}} {}

  // Only this copy is valid in the range.
  void written(size_t First, size_t N, unsigned Copy) { set(First, N, 0, uint32_t(1) << Copy); }
  // This copy is valid, too.
  void arrived(size_t First, size_t N, unsigned Copy) { set(First, N, ~uint32_t(0), uint32_t(1) << Copy); }
  // What has to be copied so that the range is valid in Copy. Contents that nobody has written are not copied.
  std::vector<Range> missing(size_t First, size_t N, unsigned Copy) const;
  size_t fragments() const { return Fragments.size(); }

private:
  void set(size_t First, size_t N, uint32_t Keep, uint32_t Add);
  // A fragment begins at `At`.
  void split(size_t At);

  const size_t Bytes;
  std::map<size_t, uint32_t> Fragments; // By first byte, up to the next one; neighbours differ.
};

} // namespace hsched::icd
#endif
