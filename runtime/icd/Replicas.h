// Validity of the copies of a memory object.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies are numbered: 0 is host memory, 1 + n part n of a context. Not thread-safe: Memory holds a lock. A separate
// class, so that the engine's directory can replace it.
#ifndef HSCHED_ICD_REPLICAS_H
#define HSCHED_ICD_REPLICAS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace hsched::icd {

class Replicas {
public:
  // A range of bytes, and bits of the copies that are valid in all of it. No bit: unwritten.
  struct Range {
    size_t First, Bytes;
    uint32_t Valid;
  };

  // All bytes are valid in the copies given.
  Replicas(size_t Bytes, uint32_t Valid) : Bytes(Bytes), Fragments{{0, Valid}} {}

  // Only this copy is valid in the range.
  void written(size_t First, size_t N, unsigned Copy) { set(First, N, 0, uint32_t(1) << Copy); }
  // This copy becomes valid, too.
  void arrived(size_t First, size_t N, unsigned Copy) { set(First, N, ~uint32_t(0), uint32_t(1) << Copy); }
  // The ranges to copy so that [First, First + N) is valid in Copy. Unwritten bytes are not copied.
  std::vector<Range> missing(size_t First, size_t N, unsigned Copy) const;
  size_t fragments() const { return Fragments.size(); }

private:
  void set(size_t First, size_t N, uint32_t Keep, uint32_t Add);
  // Makes a fragment begin at At.
  void split(size_t At);

  const size_t Bytes;
  std::map<size_t, uint32_t> Fragments; // By first byte, up to the next key. Neighbours differ.
};

} // namespace hsched::icd
#endif
