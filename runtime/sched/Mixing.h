// Whether cores take part in work that devices run faster.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan task by task adds up predicted times. It does not see what mixing costs in the long run: small transfers for
// which both sides wait, and launches that take longer than runs. So the rate of work is measured, over windows of
// tasks. If devices that are never idle would have been faster, work goes on for some windows without the cores. If all
// cores together would have run a window sooner by their known times, it goes on without the devices. What was faster
// stays, and the other way is tried again after more and more windows. A program's first windows are slow because it
// learns, and single ones because of other programs. So the slowest of several windows does not count. To try the other
// way moves data. So that must pay by the work that is outstanding, or by as much work as was done.
#ifndef HSCHED_SCHED_MIXING_H
#define HSCHED_SCHED_MIXING_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

namespace hsched::rt {

// Any thread. Times in nanoseconds.
class Mixing {
public:
  using Ns = int64_t;
  // Tasks of a window.
  static constexpr unsigned Window = 256;

  // The workers that run the tasks that a device runs fastest.
  enum class Mode : uint8_t { Both, Devices, Cores };

  // What lies ahead.
  struct Costs {
    Ns Work = 0;      // Of outstanding tasks, each on its fastest worker.
    Ns ToDevices = 0; // To move the data of these tasks that the host has to the devices, and the results home.
    Ns Home = 0;      // To move home what devices have of these data.
  };

  // Number of devices that have cores of their own, and of cores. Forgets all if the devices have changed.
  void start(unsigned Devices, unsigned Cores = 0);
  Mode mode() const { return Current.load(std::memory_order_relaxed); }
  bool allowed() const { return mode() == Mode::Both; }
  // A task is submitted after all earlier tasks have ended: what the program did since is not counted.
  void resumes(Ns Now);
  // A task that a device runs fastest has ended. Kind: equal for tasks of one type and size. Least: its time on the
  // fastest worker. OnCore: the expected time on a core; 0: unknown. Ask: called under the lock at the end of a window;
  // without it nothing moves.
  void ended(const void *Kind, Ns Least, Ns Now, Ns OnCore = 0, const std::function<Costs()> &Ask = {});

private:
  static constexpr size_t MostKinds = 8;
  // Devices alone are not tried where cores and devices do at least this share of what devices alone do at best.
  static constexpr double NearBest = 0.95;
  // The other way is kept if it is better by this factor.
  static constexpr double Better = 1.03;
  // A trial with a window of less than this share of the usual rate ends at once.
  static constexpr double Hopeless = 0.25;
  // Windows whose kinds differ by a larger share of their work are not compared.
  static constexpr double Differs = 0.25;
  static constexpr unsigned LeastPatience = 16, MostPatience = 1024;

  struct Mix {
    struct Part {
      const void *Kind = nullptr;
      double Work = 0;
    };
    std::array<Part, MostKinds> Parts;
    double All = 0;
    void add(const void *Kind, Ns Least);
    // 0: the same shares. 1: nothing in common.
    double distance(const Mix &Other) const;
  };
  void close(Ns Elapsed, const Costs &C);
  // Rates: of the last window; of devices alone that are never idle; of cores alone by their known times, or 0.
  void judge(double Rate, double OfDevices, double OfCores, const Costs &C);
  // The mode to try now; the current one: none. If both are predicted to be faster, the faster one first.
  Mode next(double Rate, double OfDevices, double OfCores, const Costs &C) const;
  // True if work at the rate Then, after transfers of this time, ends before work at the usual rate.
  bool pays(double Then, Ns Transfers, const Costs &C) const;
  // The mean of the last rates but the least.
  double usualRate() const;
  void turn(Mode To);
  void forget();

  std::atomic<Mode> Current{Mode::Both};

  std::mutex Lock; // Guards the fields below.
  unsigned Devices = 0, Cores = 0;
  // The current window.
  unsigned Count = 0;
  Ns Begin = 0, Last = 0;
  Ns CoreWork = 0; // Expected time of its tasks on one core; below 0: unknown.
  Mix Now;
  double Done = 0; // Work since the last other work.
  // What earlier windows are compared by.
  Mix Reference;
  std::array<double, 4> Rates{}; // Rates of the last windows, the latest first. 0: none.
  double Before = 0;             // While the other way is tried: the usual rate until then.
  bool Trying = false, Moved = false;
  Mode Previous = Mode::Both, Tried = Mode::Both; // Before the trial; the last one other than Both.
  unsigned Wait = 0, Patience = LeastPatience;    // Windows until the next trial; between trials.
};

} // namespace hsched::rt
#endif
