// A task's sections as disjoint segments with the allowed accesses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CHECK_SECTIONS_H
#define HSCHED_CHECK_SECTIONS_H

#include "check/Memory.h"
#include <hsched/abi.h>

#include <span>
#include <vector>

namespace hsched::check {

template <class Each> void forEachRow(const hsched_access &X, Each &&Do) {
  const auto Base = reinterpret_cast<Address>(X.base);
  if (X.bytes == 0)
    return;
  for (size_t Row = 0; Row < X.rows; ++Row)
    Do(Base + Row * X.stride, Base + Row * X.stride + X.bytes);
}

struct Segment {
  Address Low = 0, High = 0;
  bool MayRead = false, MayWrite = false;
  bool Overwritten = false;  // By the clauses, every byte is written before it is read.
  unsigned Access = 0;       // A covering access: the first with the most rights.
  size_t Written = SIZE_MAX; // If Overwritten: index of its bytes in Sections::Bytes.
};

class Sections {
public:
  explicit Sections(std::span<const hsched_access> Accesses);
  // The segment that contains A, or null.
  Segment *find(Address A) {
    if (Last && A - Last->Low < Last->High - Last->Low)
      return Last;
    return findOther(A);
  }
  // The first segment that begins at A or later, or null.
  Segment *next(Address A);
  std::span<Segment> all() { return Parts; }
  // For an overwritten segment: one flag per byte, set once the task has written it.
  uint8_t *written(const Segment &S, Address A) { return Bytes.data() + S.Written + (A - S.Low); }
  void forgetWritten() { Bytes.assign(Bytes.size(), 0); }

private:
  Segment *findOther(Address A);
  std::vector<Segment> Parts; // Ordered by address.
  std::vector<uint8_t> Bytes;
  Segment *Last = nullptr;
};

} // namespace hsched::check
#endif
