// An allocator whose memory begins at a cache line. If blocks are whole lines, two threads never write to one line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SAMPLES_COMMON_ALIGNED_H
#define HSCHED_SAMPLES_COMMON_ALIGNED_H

#include <cstddef>
#include <new>
#include <vector>

namespace samples {

template <class T> struct Aligned {
  using value_type = T;
  static constexpr std::align_val_t Line{64};

  Aligned() = default;
  template <class U> Aligned(const Aligned<U> &) {}
  T *allocate(std::size_t n) { return static_cast<T *>(::operator new(n * sizeof(T), Line)); }
  void deallocate(T *p, std::size_t) { ::operator delete(p, Line); }
  template <class U> bool operator==(const Aligned<U> &) const { return true; }
};

template <class T> using AlignedVector = std::vector<T, Aligned<T>>;

} // namespace samples
#endif
