// Counted references to tasks: one, and a list.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_GRAPH_TASKREF_H
#define HSCHED_GRAPH_TASKREF_H

#include "graph/TaskGraph.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace hsched::rt {

// Only the domain holds references to an open bundle, so it counts them without atomic operations.
constexpr uint32_t OpenReferences = 1u << 30;
inline void keep(TaskNode &T) {
  if (T.At == Stage::OpenBundle)
    T.LastStamp.store(T.LastStamp.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  else
    retain(T);
}

// A counted reference to a task.
class TaskRef {
public:
  TaskRef() = default;
  explicit TaskRef(TaskNode &Node) : T(&Node) { keep(Node); }
  TaskRef(const TaskRef &Other) : T(Other.T) {
    if (T)
      keep(*T);
  }
  TaskRef(TaskRef &&Other) noexcept : T(std::exchange(Other.T, nullptr)) {}
  TaskRef &operator=(TaskRef Other) noexcept {
    std::swap(T, Other.T);
    return *this;
  }
  ~TaskRef() {
    if (T)
      release(*T);
  }
  TaskNode *get() const { return T; }
  // Releases ownership: the caller has the reference.
  TaskNode *detach() { return std::exchange(T, nullptr); }

private:
  TaskNode *T = nullptr;
};

// Counted references to tasks, most often none or one.
class TaskList {
public:
  TaskList() = default;
  TaskList(const TaskList &Other) {
    Other.forEach([this](TaskNode &T) { add(T); });
  }
  TaskList(TaskList &&Other) noexcept : Bits(std::exchange(Other.Bits, 0)) {}
  TaskList &operator=(TaskList Other) noexcept {
    std::swap(Bits, Other.Bits);
    return *this;
  }
  ~TaskList() { clear(); }

  bool empty() const { return Bits == 0; }
  size_t size() const { return isMany() ? many().size() : Bits != 0; }
  TaskNode *last() const { return isMany() ? many().back().get() : one(); } // Null: the list is empty.
  template <class Fn> void forEach(Fn Visit) const {
    if (isMany())
      for (const TaskRef &R : many())
        Visit(*R.get());
    else if (Bits)
      Visit(*one());
  }
  void add(TaskNode &T) {
    if (!Bits) {
      keep(T);
      Bits = reinterpret_cast<uintptr_t>(&T);
      return;
    }
    if (!isMany()) {
      auto All = std::make_unique<std::vector<TaskRef>>();
      All->reserve(4);
      All->emplace_back(*one());
      release(*one());
      Bits = reinterpret_cast<uintptr_t>(All.release()) | Many;
    }
    many().emplace_back(T);
  }
  template <class Fn> void removeIf(Fn Drop) {
    if (!isMany()) {
      if (Bits && Drop(*one()))
        clear();
      return;
    }
    std::erase_if(many(), [&](const TaskRef &R) { return Drop(*R.get()); });
    if (many().empty())
      clear();
  }
  // Releases ownership of the only one. Null if there is none or several.
  TaskNode *detachOne() { return isMany() ? nullptr : reinterpret_cast<TaskNode *>(std::exchange(Bits, 0)); }
  void clear() {
    uintptr_t Old = std::exchange(Bits, 0);
    if (Old & Many)
      delete reinterpret_cast<std::vector<TaskRef> *>(Old - Many);
    else if (Old)
      release(*reinterpret_cast<TaskNode *>(Old));
  }

private:
  static constexpr uintptr_t Many = 1;
  bool isMany() const { return Bits & Many; }
  TaskNode *one() const { return reinterpret_cast<TaskNode *>(Bits); }
  std::vector<TaskRef> &many() const { return *reinterpret_cast<std::vector<TaskRef> *>(Bits - Many); }

  uintptr_t Bits = 0; // A task's address, or a vector's address with bit Many.
};

} // namespace hsched::rt
#endif
