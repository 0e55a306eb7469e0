// Maps scheduled queues to devices by measured times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands of scheduled queues are held until a flush, a wait or a blocking call. Then all scheduled queues of the
// context are mapped together. A kernel without a time on some device runs there first, as part of the program: no
// kernel runs twice. If all times are known, the chains of a queue whose data are independent may go to different
// devices.
#ifndef HSCHED_ICD_SCHEDULER_H
#define HSCHED_ICD_SCHEDULER_H

#include "icd/Queue.h"

#include <chrono>
#include <map>
#include <optional>
#include <set>

namespace hsched::icd {

class Scheduler {
public:
  static Scheduler &get();
  // Keeps a command of a scheduled queue until map().
  void hold(const Ref<Command> &C);
  // Maps the held commands of a context.
  void map(Context &In);
  // Another device for a command of a scheduled queue that its device has refused, and its expected time there. Null:
  // there is none.
  std::pair<Device *, double> elsewhere(const Command &C, const std::vector<Device *> &Refused);
  // Moves its expected time to the load of another device. Returns the one that it had.
  double moves(Command &C, const Device *From, const Device *To, double Seconds) noexcept;
  // The kernels of the queue's next epoch are measured anew.
  void forget(Queue &Q);
  // The queue begins to be scheduled. In the static mode the devices of its context have their profiles then, in the
  // dynamic mode if they have been measured.
  void begin(Queue &Q, cl_ulong Sched);
  // Records the time of an ended kernel on its device.
  void measured(const Command &C);
  // Writes measured times that are not on disk. AtExit: unless another thread is in the scheduler.
  void save(bool AtExit = false);
  // The device that a queue was last mapped to; null before.
  Device *deviceOf(const Queue &Q);

private:
  Scheduler();
  struct Sample {
    double Mean = 0;        // Seconds per work-item.
    unsigned Count = 0;     // Number of runs.
    bool Estimated = false; // By a minikernel.
  };
  struct Times {
    std::map<unsigned, Sample> BySize; // Keyed by log2 of work-items.
    bool HasRun = false;               // In this process.
  };
  // Reads the times of earlier programs. Under the lock.
  void load(const Command &C, const std::vector<Device *> &On);
  // Runs minikernels for the kernels of compute-bound queues that have no time on some device.
  void estimate(const std::vector<Ref<Queue>> &All, const std::vector<Device *> &On);
  // The devices on which a minikernel of the command is to run, in order. None if only one device comes into question.
  std::vector<Device *> toEstimate(const Ref<Command> &C, const std::vector<Device *> &On) const;
  // Predicted seconds on a device, and the number of runs behind it. Negative: unknown.
  std::pair<double, unsigned> expected(const Command &C, const Device &D) const;
  // What is mapped: the commands of a queue, or a chain of them.
  struct Item {
    Ref<Queue> Of;
    std::vector<Ref<Command>> Commands;
  };
  // The chains of a queue's commands.
  static std::vector<std::vector<Ref<Command>>> chains(const std::vector<Ref<Command>> &Commands);
  // True if the queue may spread over devices: the time of each of its kernels is known on each device that may be
  // measured. A device that must be far slower need not have run them.
  bool maySpread(const Context &In, const Item &Its, const std::vector<Device *> &On);
  // The device for commands that compute nothing. Copies: seconds to transfer their inputs to each device.
  size_t placeOf(const Queue &Q, const std::vector<double> &Copies, const std::vector<Device *> &On) const;
  double costOf(const Queue &Q, const std::vector<Ref<Command>> &Commands, Device &D, unsigned &Unknown);
  // The same, but the first run of a short kernel counts an eighth: it may have contained its compilation. Negative:
  // unknown.
  double atBest(const Command &C, const Device &D) const;
  // Keeps the relations of the devices' times of a kernel, after one of them has changed.
  void relate(const Command &C);
  // How many times as long a kernel takes on one device as on another one. Kernels of the same program that have run on
  // both with similarly many items show it; the least counts. None: there is no such kernel.
  std::optional<double> shown(const Command &C, const Device &Of, const Device &To) const;
  // The same by shown(), or else by benchmarks; for devices of different types the lesser of shown() and what
  // benchmarks or properties say. None: nothing is known.
  std::optional<double> slower(const Command &C, const Device &Of, const Device &To, bool Profiled) const;
  // The same; by properties where nothing is known.
  double slowerOrGuess(const Command &C, const Device &Of, const Device &To, bool Profiled) const;
  // Predicted seconds of the kernels on a device that need not have run them: by one that has, and slowerOrGuess().
  // Infinite: no device has run one of them.
  double guess(const std::vector<Ref<Command>> &Commands, const Device &D, const std::vector<Device *> &On) const;
  // True if commands may go to a device in order to measure their kernels there. Extra: the seconds that this is
  // guessed to cost, if they count.
  bool mayMeasure(const std::vector<Ref<Command>> &Commands, const Device &D, const std::vector<Device *> &On,
                  double &Extra) const;
  // Time to transfer its inputs.
  double transferTo(const Command &C, const Part &P);
  void beginTransfers(Queue &Q, const std::vector<Device *> &On);
  // Gives commands of a queue their device.
  static void send(Queue &Q, const std::vector<Ref<Command>> &Commands, Device *To);
  struct Choice {
    size_t Device = 0;
    double Seconds = 0;   // Predicted time there.
    bool Decides = false; // Decided by the times of its kernels, which are all known.
    const char *Why = "all queues of the context end earliest so";
  };
  void logChoice(const Command &C, const Choice &Its, const std::vector<Device *> &On, const std::vector<double> &Busy);
  std::vector<Choice> choose(Context &In, const std::vector<Item> &Items, const std::vector<Device *> &On);
  // Replaces items by their chains if all of them then end clearly earlier.
  std::vector<Choice> spread(Context &In, std::vector<Item> &Items, std::vector<Choice> Whole,
                             const std::vector<Device *> &On);
  // When the last device ends.
  double lastEnd(const std::vector<Choice> &Its, const std::vector<Device *> &On);
  std::mutex Estimating; // Held while minikernels run; taken before Lock.
  std::mutex Lock;
  std::map<std::string, Times> Known; // Keyed by kernel and device.
  std::set<std::string> Unsaved;      // Its keys with times that are not on disk.
  std::chrono::steady_clock::time_point NextSave;
  struct Relation {
    double Size, Times; // Work-items; seconds on the first device over those on the second one.
  };
  // Keyed by program and the keys of two devices, then by kernel.
  std::map<std::string, std::map<std::string, Relation, std::less<>>> Relations;
  std::map<const Device *, double> Load;
  // Seconds between a command's arrival at a device and its start on an idle queue: the lower ones of those
  // measured. The first run of a kernel on a device does not count.
  std::map<const Device *, double> Start;
  double Ran = 0, Measuring = 0; // Seconds of all kernels, and of those for mayMeasure.
  size_t Turn = 0;
};

} // namespace hsched::icd
#endif
