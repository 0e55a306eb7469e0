// Sets of workers: classes of equal workers, and idle workers.
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

// Workers grouped so that a version that suits one worker of a class suits all. All CPU workers are one class, and each
// device is one. Devices beyond the 62nd share the last class, which mixed() reports. Immutable.
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

  // Classes with a worker that suits V, ignoring disabled versions. 0 for an unknown kind or type.
  ClassMask suited(const Version &V) const {
    return V.Desc->device < NumKinds && V.Desc->device_type < NumTypes ? Suited[V.Desc->device][V.Desc->device_type]
                                                                       : 0;
  }
  // Classes whose workers differ: each worker is tested.
  ClassMask mixed() const { return Mixed; }
  // True if V is disabled on some worker, or its kernel is not built for one.
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
  WorkerBits Slots{}; // The workers' bits in Version::Disabled.
  unsigned FirstSlotWord = 0, EndSlotWord = 0;
};

// The classes of a growing list of workers. One thread sets them; readers see a consistent snapshot. Existing classes
// keep their index.
class CurrentClasses {
public:
  void set(std::span<const Worker> Workers) {
    Now.store(All.emplace_back(std::make_unique<const WorkerClasses>(Workers)).get(), std::memory_order_release);
  }
  const WorkerClasses *operator->() const { return Now.load(std::memory_order_acquire); }
  const WorkerClasses &operator*() const { return *Now.load(std::memory_order_acquire); }

private:
  std::atomic<const WorkerClasses *> Now{nullptr};
  std::vector<std::unique_ptr<const WorkerClasses>> All; // Old ones are kept because readers may use them.
};

// Calls Visit(Class) for every class in Mask, in order.
template <class Visitor> void forEachClass(ClassMask Mask, Visitor Visit) {
  for (; Mask; Mask &= Mask - 1)
    Visit(static_cast<unsigned>(std::countr_zero(Mask)));
}

// The workers whose last pop found no task and that have done nothing else since. Any thread.
//
// No wake-up is lost: a worker sets its bit, then searches the queues once more; a thread that queues a task reads the
// bits afterwards. One of the two sees the other. The thread that takes a bit must wake that worker. A worker whose bit
// was taken searches the queues again, or makes another worker do so.
class IdleWorkers {
public:
  // By W's own thread. Sets its bit. True if it was not set: W must search once more.
  bool enter(WorkerId W) {
    if (contains(W))
      return false;
    Entered[W] = true;
    add(W);
    return true;
  }
  // By W's own thread, which has found work. True if another thread has taken its bit since W's last search: another
  // worker must be woken for that thread's task.
  bool leave(WorkerId W) { return std::exchange(Entered[W], false) && !remove(W); }

  bool contains(WorkerId W) const { return Words[W / 64].load() >> (W % 64) & 1; }
  void add(WorkerId W) { Words[W / 64].fetch_or(bitOf(W)); }
  // True if W was in the set.
  bool remove(WorkerId W) { return contains(W) && (Words[W / 64].fetch_and(~bitOf(W)) & bitOf(W)); }
  // True if there is one of the first 64 * NumWords.
  bool any(unsigned NumWords) const {
    for (unsigned Word = 0; Word < NumWords; ++Word)
      if (Words[Word].load())
        return true;
    return false;
  }
  // Removes and returns one worker of Among, or NoWorker. Worker 0 comes last: it may not wait for work.
  WorkerId takeOne(const WorkerBits &Among, unsigned NumWords);

private:
  static uint64_t bitOf(WorkerId W) { return uint64_t(1) << (W % 64); }

  std::array<std::atomic<uint64_t>, MaxWorkers / 64> Words{};
  // W has entered and not left. Each element is used by the worker's own thread.
  std::array<bool, MaxWorkers> Entered{};
};

} // namespace hsched::rt
#endif
