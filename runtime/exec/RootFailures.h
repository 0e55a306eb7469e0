// What went wrong outside any task, and who is told of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One failure is kept for each thread that submitted such a task. Whoever waits first is told of it, and the thread
// that submitted the task as well, if that was another one.
#ifndef HSCHED_EXEC_ROOTFAILURES_H
#define HSCHED_EXEC_ROOTFAILURES_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <utility>

namespace hsched::rt {

// One thread at a time, but for any().
class RootFailures {
public:
  bool any() const { return Count.load() != 0; }

  // By: the number of the thread that submitted the task; 0: it has none. False where one of that thread's is kept of
  // which nobody has been told: Failure is left alone. Throws std::bad_alloc; then nothing has changed.
  bool record(std::exception_ptr &Failure, uint32_t By) {
    auto Same = std::ranges::find(All, By, &Failed::By);
    if (Same != All.end() && !Same->Told)
      return false;
    if (Same != All.end()) { // Somebody was told of that one.
      *Same = {std::move(Failure), By};
      return true;
    }
    All.push_back({Failure, By}); // Which may throw: nothing has changed then.
    Count.store(All.size());
    return true;
  }

  // What thread Me, 0: one without a number, is told of at a wait; null: nothing.
  std::exception_ptr tell(uint32_t Me) {
    std::exception_ptr Failure;
    auto It = std::ranges::find_if(All, [Me](const Failed &F) { return Me && F.By == Me; });
    const bool Own = It != All.end();
    if (!Own)
      It = std::ranges::find(All, false, &Failed::Told);
    if (It != All.end()) {
      Failure = It->What;
      It->Told = true;
      if (Own || It->By == 0)
        All.erase(It);
    }
    if (std::ranges::count(All, true, &Failed::Told) > MostTold)
      All.erase(std::ranges::find(All, true, &Failed::Told));
    Count.store(All.size());
    return Failure;
  }

  // Whether there is none that nobody has been told of.
  bool allTold() const { return std::ranges::find(All, false, &Failed::Told) == All.end(); }

  static constexpr ptrdiff_t MostTold = 64; // Whose submitters do not come for them.

private:
  struct Failed {
    std::exception_ptr What;
    uint32_t By;
    bool Told = false;
  };
  std::deque<Failed> All;
  std::atomic<size_t> Count{0};
};

} // namespace hsched::rt
#endif
