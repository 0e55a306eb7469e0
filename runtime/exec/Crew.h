// Threads that are kept and used again: the workers', and those that stand in for workers that wait.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_CREW_H
#define HSCHED_EXEC_CREW_H

#include "base/Parker.h"

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace hsched::rt {

// Thread-safe. No member throws.
class Crew {
public:
  using Job = std::function<void()>; // Throws nothing.

  // Most: how many threads there may be.
  explicit Crew(unsigned Most) : Most(Most) {}
  ~Crew() { end(); }
  Crew(const Crew &) = delete;
  Crew &operator=(const Crew &) = delete;

  // Makes threads until Count wait for a job. How many do: fewer where the system makes no more of them.
  unsigned prepare(unsigned Count) noexcept;
  // Gives Work to a thread that waits, or to a new one. False: there is none, and none can be made.
  bool run(Job &&Work) noexcept;
  // Waits until all jobs have returned and ends the threads. No run may come after it.
  void end() noexcept;
  // For a process that ends: its threads are left alone, and the crew must not be destroyed.
  void abandon() noexcept;

private:
  struct Member {
    Parker P;
    Job Work; // Guarded by Lock.
    std::thread Thread;
  };

  Member *make() noexcept; // Lock is held; null: the system makes no more. It counts as idle.
  void loop(Member &Me);

  std::mutex Lock;
  const unsigned Most;
  std::vector<std::unique_ptr<Member>> Members; // Guarded by Lock.
  std::vector<Member *> Idle;                   // Guarded by Lock; has room for all members.
  bool Ending = false;                          // Guarded by Lock.
};

} // namespace hsched::rt
#endif
