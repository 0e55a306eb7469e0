// A pool of reusable threads: those of the workers, and substitutes for workers that wait.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_THREADPOOL_H
#define HSCHED_EXEC_THREADPOOL_H

#include "base/Parker.h"

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace hsched::rt {

// Thread-safe. No member throws.
class ThreadPool {
public:
  using Job = std::function<void()>; // Must not throw.

  // Most: the greatest number of threads.
  explicit ThreadPool(unsigned Most) : Most(Most) {}
  ~ThreadPool() { end(); }
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  // Makes threads until Count are idle. Returns the number of idle threads, which is less if the system refuses more.
  unsigned prepare(unsigned Count) noexcept;
  // Gives Work to an idle thread, or to a new one. False: no thread is idle and none can be made.
  bool run(Job &&Work) noexcept;
  // Waits until all jobs have returned and ends the threads. No run may come after it.
  void end() noexcept;
  // For a process that exits: leaves the threads running. The thread pool must not be destroyed afterwards.
  void abandon() noexcept;

private:
  struct Member {
    Parker P;
    Job Work; // Guarded by Lock.
    std::thread Thread;
  };

  Member *make() noexcept; // Lock is held. The new member counts as idle. Null: the system refuses more threads.
  void loop(Member &Me);

  std::mutex Lock;
  const unsigned Most;
  std::vector<std::unique_ptr<Member>> Members; // Guarded by Lock.
  std::vector<Member *> Idle;                   // Guarded by Lock; its capacity suffices for all members.
  bool Ending = false;                          // Guarded by Lock.
};

} // namespace hsched::rt
#endif
