// Sets of workers that policies reason about: classes of alike workers, and the workers that have nothing to do.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_WORKERCLASSES_H
#define HSCHED_SCHED_WORKERCLASSES_H

#include "graph/Placement.h"
#include "sched/Platform.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace hsched::rt {

// Bit c set: class c.
using ClassMask = uint64_t;

// Workers grouped so that a version that suits one of a class suits all. All CPU workers are one class, every device is
// one of its own; devices beyond the 62nd share the last one, which mixed() tells. Immutable once built.
class WorkerClasses {
public:
  static constexpr unsigned MaxClasses = 64;

  WorkerClasses() = default;
  explicit WorkerClasses(std::span<const Worker> Workers);

  unsigned size() const { return static_cast<unsigned>(Members.size()); }
  unsigned classOf(WorkerId W) const { return ClassOf[W]; }
  const std::vector<WorkerId> &members(unsigned Class) const { return Members[Class]; }
  const WorkerBits &bits(unsigned Class) const { return Bits[Class]; }
  // Bit m set: a worker of the class is of kind m (Worker::Model). One bit unless the class is mixed.
  uint64_t models(unsigned Class) const { return Models[Class]; }
  unsigned numWorkers() const { return static_cast<unsigned>(ClassOf.size()); }
  unsigned numWords() const { return (numWorkers() + 63) / 64; }

  // Classes of which some worker suits V, were V disabled nowhere. 0 for a kind or type that nobody knows.
  ClassMask suited(const Version &V) const {
    return V.Desc->device < NumKinds && V.Desc->device_type < NumTypes ? Suited[V.Desc->device][V.Desc->device_type]
                                                                       : 0;
  }
  // Classes whose workers are not all alike: each worker has to be asked.
  ClassMask mixed() const { return Mixed; }
  // Whether V is disabled on any worker, or its kernel not built for one.
  bool disabledSomewhere(const Version &V) const {
    for (unsigned Word = FirstSlotWord; Word < EndSlotWord; ++Word)
      if ((V.Disabled[Word].load(std::memory_order_relaxed) | V.Unbuilt[Word].load(std::memory_order_acquire)) &
          Slots[Word])
        return true;
    return false;
  }

private:
  static constexpr unsigned NumKinds = 3, NumTypes = 4;

  std::vector<unsigned> ClassOf;
  std::vector<std::vector<WorkerId>> Members;
  std::vector<WorkerBits> Bits;
  std::vector<uint64_t> Models;
  std::array<std::array<ClassMask, NumTypes>, NumKinds> Suited{};
  ClassMask Mixed = 0;
  WorkerBits Slots{}; // The workers' own of Version::Disabled.
  unsigned FirstSlotWord = 0, EndSlotWord = 0;
};

// The classes of workers that may become more. One thread sets them; readers see those of some moment. What was a class
// stays the same one.
class CurrentClasses {
public:
  void set(std::span<const Worker> Workers) {
    Now.store(All.emplace_back(std::make_unique<const WorkerClasses>(Workers)).get(), std::memory_order_release);
  }
  const WorkerClasses *operator->() const { return Now.load(std::memory_order_acquire); }
  const WorkerClasses &operator*() const { return *Now.load(std::memory_order_acquire); }

private:
  std::atomic<const WorkerClasses *> Now{nullptr};
  std::vector<std::unique_ptr<const WorkerClasses>> All; // Readers may hold old ones.
};

// Calls Visit(Class) for every class in Mask, in order.
template <class Visitor> void forEachClass(ClassMask Mask, Visitor Visit) {
  for (; Mask; Mask &= Mask - 1)
    Visit(static_cast<unsigned>(std::countr_zero(Mask)));
}

// The workers whose last pop came back empty, and who have done nothing else since. Any thread.
//
// No wake-up is lost when a worker sets its bit and then looks at the queues once more, and whoever queues a task looks
// for a bit afterwards: one of the two sees the other. Whoever takes a bit has to wake that worker, and a worker whose
// bit was taken either looks at the queues again or sees to it that another one does.
class IdleWorkers {
public:
  // By W's own thread. Sets its bit. Whether it was not set: then W has to look once more.
  bool enter(WorkerId W) {
    if (contains(W))
      return false;
    Entered[W] = true;
    add(W);
    return true;
  }
  // By W's own thread, which has something to do. Whether somebody had taken its bit since W last looked: for what that
  // one queued, another worker has to be woken.
  bool leave(WorkerId W) { return std::exchange(Entered[W], false) && !remove(W); }

  bool contains(WorkerId W) const { return Words[W / 64].load() >> (W % 64) & 1; }
  void add(WorkerId W) { Words[W / 64].fetch_or(bitOf(W)); }
  // Whether it was there.
  bool remove(WorkerId W) { return contains(W) && (Words[W / 64].fetch_and(~bitOf(W)) & bitOf(W)); }
  // Whether there is one of the first 64 NumWords.
  bool any(unsigned NumWords) const {
    for (unsigned Word = 0; Word < NumWords; ++Word)
      if (Words[Word].load())
        return true;
    return false;
  }
  // Removes and returns one worker of Among, or NoWorker. Worker 0 comes last: it may not be waiting for work at all.
  WorkerId takeOne(const WorkerBits &Among, unsigned NumWords);

private:
  static uint64_t bitOf(WorkerId W) { return uint64_t(1) << (W % 64); }

  std::array<std::atomic<uint64_t>, MaxWorkers / 64> Words{};
  std::array<bool, MaxWorkers> Entered{}; // And has not left: each by the worker's own thread.
};

} // namespace hsched::rt
#endif
