// When a version is to be measured on a kind of worker, for policy adaptive: first runs, and looks at what was not
// chosen for long.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_SCHED_FIRSTRUNS_H
#define HSCHED_SCHED_FIRSTRUNS_H

#include "sched/GraphAhead.h"
#include "sched/VersionTimes.h"

#include <array>
#include <atomic>
#include <limits>
#include <vector>

namespace hsched::rt {

// Lock, of VersionTimes, guards what is not atomic.
struct AdaptiveGroup : VersionTimes {
  AdaptiveGroup(const TaskType &Type, SizeClass Size) : VersionTimes(Type, Size) {}

  GraphAhead::Kind Fastest;
  std::array<uint64_t, MaxVersions> Tried{}; // bits of ModelId: being measured for the first time

  bool isTried(unsigned V, ModelId Model) const { return Tried[V] >> Model & 1; }
  void setTried(unsigned V, ModelId Model, bool Is) {
    const uint64_t Bit = uint64_t(1) << Model;
    Tried[V] = Is ? Tried[V] | Bit : Tried[V] & ~Bit;
  }
  bool anyKnown() const { return Fastest.Nanoseconds.load(std::memory_order_relaxed) > 0; }
};

// One way to run a task. Times in nanoseconds from now on; Run is 0 where it is not Known.
struct Candidate {
  using Ns = VersionTimes::Ns;
  static constexpr Ns Never = std::numeric_limits<Ns>::max() / 4;

  WorkerId W = NoWorker;
  unsigned V = 0;
  Ns Run = 0, Travel = 0, Begin = 0, End = 0;
  bool Known = false, Idle = false;
  bool Body = false; // host code, whose first run may build kernels
  int64_t Tasks = 0; // that W has
};

// Any thread; who asks about a group holds its lock.
class FirstRuns {
public:
  using Ns = VersionTimes::Ns;

  // Lambda: with fewer runs a device's time is doubtful.
  void start(Ns Now, unsigned Lambda) {
    Begun = Now;
    this->Lambda = Lambda;
    LastLook.store(Now);
  }
  // G's times may have changed: which is the fastest, and how much slower other kinds of workers are.
  void changed(AdaptiveGroup &G);
  // What is to be measured, or null. While nothing at all is known, a core is tried once a device has as many tasks as
  // it may be faster, or at once where the device's version is host code. A pair without a run is tried, by one task at
  // a time, where it would end no later than what is known, if it is as much slower as other tasks are on that kind of
  // worker; or if it takes at most a fiftieth of the time so far. What was not chosen for 32 choices is tried again if
  // its worker is idle and it takes at most a hundredth of the time since the last such look. Of a device that has few
  // runs, a twentieth of the time so far is enough: its first runs may have waited for what else it had to set up.
  // Shortest: run of the best known, or Never. Not on worker 0, which may not come, where another one can.
  const Candidate *find(AdaptiveGroup &G, const WorkerList &Workers, const std::vector<Candidate> &All, Ns Shortest,
                        Ns Now);

private:
  // How many times slower a core is than a device, while nothing tells: at least so much, and so much for each of the
  // device's compute units.
  static constexpr double UnknownCore = 16, UnknownPerUnit = 2;
  // What device times have of launching: it tells nothing of cores.
  static constexpr Ns Launch = 10'000;
  // So many choices later without a core's time, the guess from units has been no good.
  static constexpr unsigned GuessesAtMost = 256;
  static constexpr Ns TryShare = 50, LookShare = 100, DoubtShare = 20;
  static constexpr uint64_t ChoicesBetween = 32, ChoicesInDoubt = 4;

  Ns Begun = 0;
  unsigned Lambda = 3;
  std::array<std::atomic<double>, MaxModels> SlowerBy{}; // by ModelId: than the fastest, of tasks lately; 0: not known
  std::atomic<Ns> LastLook{0};
  std::atomic<unsigned> Guesses{0}; // choices by a guess from units
};

} // namespace hsched::rt
#endif
