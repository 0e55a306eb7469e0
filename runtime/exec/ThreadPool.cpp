// A pool of reusable threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/ThreadPool.h"

#include "base/Signals.h"

#include <system_error>
#include <utility>

namespace hsched::rt {

ThreadPool::Member *ThreadPool::make() noexcept {
  if (Ending || Members.size() >= Most)
    return nullptr;
  try {
    Idle.reserve(Members.size() + 1);
    Members.push_back(std::make_unique<Member>());
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
  Member &New = *Members.back();
  try {
    SignalsBlocked Blocked;
    New.Thread = std::thread([this, &New] { loop(New); });
  } catch (...) { // std::system_error or std::bad_alloc.
    Members.pop_back();
    return nullptr;
  }
  Idle.push_back(&New);
  return &New;
}

unsigned ThreadPool::prepare(unsigned Count) noexcept {
  std::lock_guard Guard(Lock);
  while (Idle.size() < Count && make()) {
  }
  return static_cast<unsigned>(Idle.size());
}

bool ThreadPool::run(Job &&Work) noexcept {
  Member *M;
  {
    std::lock_guard Guard(Lock);
    if (Idle.empty() && !make())
      return false;
    M = Idle.back();
    Idle.pop_back();
    M->Work = std::move(Work);
  }
  M->P.unpark();
  return true;
}

void ThreadPool::loop(Member &Me) {
  for (;;) {
    Job Work;
    {
      std::lock_guard Guard(Lock);
      if (!Me.Work && Ending)
        return;
      Work = std::exchange(Me.Work, nullptr);
    }
    if (!Work) {
      Me.P.park();
      continue;
    }
    Work();
    Work = nullptr;
    std::lock_guard Guard(Lock);
    Idle.push_back(&Me);
  }
}

void ThreadPool::end() noexcept {
  {
    std::lock_guard Guard(Lock);
    Ending = true;
    for (auto &M : Members)
      M->P.unpark();
  }
  for (auto &M : Members) // No thread makes members any more.
    if (M->Thread.joinable())
      M->Thread.join();
}

void ThreadPool::abandon() noexcept {
  std::lock_guard Guard(Lock);
  Ending = true;
  for (auto &M : Members)
    if (M->Thread.joinable())
      M->Thread.detach();
}

} // namespace hsched::rt
