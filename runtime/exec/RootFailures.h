// Failures of tasks submitted outside any task, and the waits that throw them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One failure is kept for each submitting thread. The first wait of any thread throws it. The submitting thread's next
// wait throws it too, if that is another thread.
#ifndef HSCHED_EXEC_ROOTFAILURES_H
#define HSCHED_EXEC_ROOTFAILURES_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <utility>

namespace hsched::rt {

// Not thread-safe, except for any().
class RootFailures {
public:
  bool any() const { return Count.load() != 0; }

  // By: the submitting thread's number, 0 if it has none. False: a failure of that thread is kept that no wait has
  // thrown; Failure is unchanged. Throws std::bad_alloc without effect.
  bool record(std::exception_ptr &Failure, uint32_t By) {
    auto Same = std::ranges::find(All, By, &Failed::By);
    if (Same != All.end() && !Same->Thrown)
      return false;
    if (Same != All.end()) { // A wait has thrown that one.
      *Same = {std::move(Failure), By};
      return true;
    }
    All.push_back({Failure, By}); // May throw; nothing has changed then.
    Count.store(All.size());
    return true;
  }

  // The failure that a wait of thread Me throws. Me is 0 for a thread without a number. Null: none.
  std::exception_ptr report(uint32_t Me) {
    std::exception_ptr Failure;
    auto It = std::ranges::find_if(All, [Me](const Failed &F) { return Me && F.By == Me; });
    const bool Own = It != All.end();
    if (!Own)
      It = std::ranges::find(All, false, &Failed::Thrown);
    if (It != All.end()) {
      Failure = It->What;
      It->Thrown = true;
      if (Own || It->By == 0)
        All.erase(It);
    }
    if (std::ranges::count(All, true, &Failed::Thrown) > MostThrown)
      All.erase(std::ranges::find(All, true, &Failed::Thrown));
    Count.store(All.size());
    return Failure;
  }

  // True if every failure has been thrown by some wait.
  bool allThrown() const { return std::ranges::find(All, false, &Failed::Thrown) == All.end(); }

  static constexpr ptrdiff_t MostThrown = 64; // Limit of failures that are kept only for their submitting threads.

private:
  struct Failed {
    std::exception_ptr What;
    uint32_t By;
    bool Thrown = false;
  };
  std::deque<Failed> All;
  std::atomic<size_t> Count{0};
};

} // namespace hsched::rt
#endif
