// Tasks for tests of the graph: no type, no arguments, just accesses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_GRAPH_TESTTASKS_H
#define HSCHED_TEST_UNIT_GRAPH_TESTTASKS_H

#include "graph/TaskGraph.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <semaphore>
#include <span>
#include <thread>
#include <vector>

namespace hsched::rt::test {

inline Access section(unsigned Mode, uintptr_t Begin, size_t Bytes, size_t Rows = 1, size_t Stride = 0) {
  return {reinterpret_cast<const void *>(Begin), Bytes, Rows, Stride, Mode, HSCHED_NO_PARAM};
}
inline Access in(uintptr_t Begin, size_t Bytes) { return section(HSCHED_IN, Begin, Bytes); }
inline Access out(uintptr_t Begin, size_t Bytes) { return section(HSCHED_OUT, Begin, Bytes); }
inline Access inout(uintptr_t Begin, size_t Bytes) { return section(HSCHED_INOUT, Begin, Bytes); }

inline Access concurrent(uintptr_t Begin, size_t Bytes) { return section(HSCHED_CONCURRENT, Begin, Bytes); }
inline Access commutative(uintptr_t Begin, size_t Bytes) { return section(HSCHED_COMMUTATIVE, Begin, Bytes); }

inline TaskNode *makeTask(std::span<const Access> Accesses, TaskId Id) {
  TaskNode *T = createTask(nullptr, static_cast<unsigned>(Accesses.size()));
  std::ranges::copy(Accesses, T->AccessList);
  T->Id = Id;
  return T;
}

// A thread that does one thing at a time, while the caller waits.
class Hand {
public:
  Hand() : Worker([this] { work(); }) {}
  ~Hand() {
    run(nullptr);
    Worker.join();
  }
  void run(std::function<void()> What) {
    begin(std::move(What));
    finish();
  }
  // The same in two steps.
  void begin(std::function<void()> What) {
    Job = std::move(What);
    Start.release();
  }
  void finish() { Done.acquire(); }

private:
  void work() {
    for (;;) {
      Start.acquire();
      bool Last = !Job;
      if (!Last)
        Job();
      Done.release();
      if (Last)
        return;
    }
  }
  std::function<void()> Job;
  std::binary_semaphore Start{0}, Done{0};
  std::thread Worker;
};

// Keeps tasks until its end, so that a test may look at them at any time.
class Program {
public:
  ~Program() {
    for (TaskNode *T : Tasks)
      release(*T);
  }

  // Submits and says whether the task was ready at once.
  bool submit(std::initializer_list<Access> Accesses, GraphListener *Listener = nullptr) {
    Tasks.push_back(makeTask({Accesses.begin(), Accesses.size()}, Tasks.size() + 1));
    return Domain.submit(*Tasks.back(), Listener);
  }
  TaskNode &operator[](size_t I) { return *Tasks[I]; }

  // Completes task I; returns the ids of those that became ready.
  std::vector<TaskId> finish(size_t I, bool Failed = false) {
    std::vector<TaskId> Ready;
    for (TaskNode *T = complete(*Tasks[I], Failed); T; T = T->NextReady)
      Ready.push_back(T->Id);
    return Ready;
  }

  DependenceDomain Domain;

private:
  std::vector<TaskNode *> Tasks;
};

} // namespace hsched::rt::test
#endif
