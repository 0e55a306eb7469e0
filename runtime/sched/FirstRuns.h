// Exploration for policy adaptive: first runs of versions on kinds of workers, and retries of pairs not chosen for
// long.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_FIRSTRUNS_H
#define HSCHED_SCHED_FIRSTRUNS_H

#include "sched/GraphAhead.h"
#include "sched/VersionTimes.h"

#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <vector>

namespace hsched::rt {

// VersionTimes::Lock guards the fields that are not atomic.
struct AdaptiveGroup : VersionTimes {
  AdaptiveGroup(const TaskType &Type, SizeClass Size) : VersionTimes(Type, Size), Size(Size) {}

  const SizeClass Size;

  GraphAhead::Kind Fastest;
  // By version: bits of the ModelIds on which its first measurement is in progress.
  std::array<uint64_t, MaxVersions> Tried{};

  bool isTried(unsigned V, ModelId Model) const { return Tried[V] >> Model & 1; }
  void setTried(unsigned V, ModelId Model, bool Is) {
    const uint64_t Bit = uint64_t(1) << Model;
    Tried[V] = Is ? Tried[V] | Bit : Tried[V] & ~Bit;
  }
  bool anyKnown() const { return Fastest.Nanoseconds.load(std::memory_order_relaxed) > 0; }
};

// A candidate: worker and version. Times in nanoseconds from now; Run is 0 unless Known.
struct Candidate {
  using Ns = VersionTimes::Ns;
  static constexpr Ns Never = std::numeric_limits<Ns>::max() / 4;

  WorkerId W = NoWorker;
  unsigned V = 0;
  Ns Run = 0, Travel = 0, Begin = 0, End = 0;
  // Added to End where kinds of workers are compared. The link time of the task's data, to the device and back, is
  // divided among the tasks that use the data. The part of a delay by other transfers that these tasks pay is
  // subtracted.
  Ns Links = 0;
  bool Known = false, Idle = false;
  bool Body = false; // Host code, whose first run may build kernels.
  int64_t Tasks = 0; // Number of tasks that W has.
};

// Any thread; the caller holds the group's lock.
class FirstRuns {
public:
  using Ns = VersionTimes::Ns;

  // Lambda: with fewer runs, a device's time is unreliable.
  void start(Ns Now, unsigned Lambda) {
    Begun = Now;
    Running.reserve(MostRunning);
    this->Lambda = Lambda;
    LastCheck.store(Now);
  }
  // A first run of a version on a kind of worker begins or has ended. Others of about this size wait for its time.
  void begins(AdaptiveGroup &G, const TaskType &Type, SizeClass Size, unsigned V, ModelId Model);
  // True if there was one.
  bool ends(AdaptiveGroup &G, const TaskType &Type, SizeClass Size, unsigned V, ModelId Model);
  // Call after G's times changed: updates the fastest kind and the slowdowns of the others. If no core has run such a
  // task, it also updates the time that one is assumed to take. Cores: the class of the CPU workers.
  void changed(AdaptiveGroup &G, ClassMask Cores);
  // The candidate to measure, or null. While nothing is known, a core is tried once the device's queue is as long as
  // its assumed speed-up. It is tried at once if the device's version is host code. A pair without a run is tried by
  // one task at a time in two cases. First: with the slowdown of other tasks on that kind of worker it would end no
  // later than the best known pair. Second: it takes at most 1/50 of the time so far. A pair not chosen for 32 choices
  // is retried if its worker is idle and it takes at most 1/100 of the time since the last retry. For a device with few
  // runs, 1/20 of the time so far suffices: its first runs may include set-up. Shortest: time of the best known pair,
  // or Never. Worker 0, which may not ask for work, is avoided if another worker can run it.
  const Candidate *find(AdaptiveGroup &G, const Task &T, const WorkerList &Workers, const std::vector<Candidate> &All,
                        Ns Shortest, Ns Now);

  // Number of a device's compute units that V's kernel uses for T: at most one for each work-group.
  static unsigned unitsOf(const Task &T, const Version &V, unsigned Units);

private:
  Ns assumedOnCore(const AdaptiveGroup &G, Ns OnDevice) const;
  // Assumed slowdown of a core against a device without measurements: the minimum, and per compute
  // unit.
  static constexpr double UnknownCore = 16, UnknownPerUnit = 2;
  // Size of a work-group that the program leaves to the device.
  static constexpr unsigned UsualGroup = 64;
  // Part of device times that is launch overhead, irrelevant for cores.
  static constexpr Ns Launch = 10'000;
  // Bytes that a core reads or writes in a nanosecond at best: the lower bound of its time for a task's data.
  static constexpr uint64_t CoreBytesPerNs = 16;
  // The usual number of them.
  static constexpr uint64_t UsualBytesPerNs = 8;
  // After this many choices without a core's time, the guess from compute units is dropped.
  static constexpr unsigned MostGuesses = 256;
  static constexpr Ns TryShare = 50, CheckShare = 100, DoubtShare = 20;
  static constexpr uint64_t ChoicesBetween = 32, ChoicesInDoubt = 4;

  Ns Begun = 0;
  unsigned Lambda = 3;
  // By ModelId: recent slowdown against the fastest kind; 0: unknown.
  std::array<std::atomic<double>, MaxModels> SlowerBy{};
  static constexpr size_t MostRunning = 32;
  struct Run {
    const TaskType *Type;
    SizeClass Size;
    unsigned V;
    ModelId Model;
  };
  bool runsNear(const Task &T, unsigned V, ModelId Model);

  std::mutex Lock; // Guards Running. Taken with a group's lock held.
  std::vector<Run> Running;
  std::atomic<size_t> NumRunning{0};
  std::atomic<Ns> LastCheck{0};
  std::atomic<unsigned> Guesses{0}; // Number of choices by a guess from compute units.
};

} // namespace hsched::rt
#endif
