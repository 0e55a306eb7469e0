// The words in which a pattern names its data, and what every adapter offers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An adapter (adapters/*.h) defines, in namespace rt:
//   const char Name[]               the runtime's
//   std::string version()           which one of it
//   constexpr bool TracksData       dependences come from accesses; otherwise from the numbers in After
//   constexpr bool TracksRanges     sections that overlap are ordered
//   constexpr bool NestedWaits      a task may create tasks on memory that was not adopted, and wait for them
//   void start(unsigned Threads), void stop()
//   void adopt(bench::Datum *, size_t Count), void disown(bench::Datum *, size_t Count)
//   void region(F)                  calls F where tasks may be created; returns after F
//   class Group: void submit<Body>(Args, After, accesses...), void wait()
// A Body is a type with a nested Args (trivially copyable) and `static void run(const Args &)`. Tasks of one group
// number from 0 in order of submission, anew after each wait.
#ifndef HSCHED_BENCH_ACCESS_H
#define HSCHED_BENCH_ACCESS_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace bench {

// What tasks share: a word, on a cache line of its own so that no figure is one of false sharing.
struct alignas(64) Datum {
  uint64_t Value = 0;
  void *Base = nullptr; // The section; null: Value.
  size_t Bytes = 0;
  void *Handle = nullptr; // StarPU's

  void *base() { return Base ? Base : &Value; }
  size_t bytes() const { return Base ? Bytes : sizeof(Value); }
};

struct In {
  Datum *D;
};
struct Out {
  Datum *D;
};
struct InOut {
  Datum *D;
};

// Numbers of the tasks of the group that must come first, for runtimes that track no data; negative ones are none.
// `After<0>` says that no task of the whole group depends on another.
template <size_t N> using After = std::array<long, N>;

} // namespace bench
#endif
