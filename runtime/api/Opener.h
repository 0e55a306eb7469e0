// The thread that opens devices while the program runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_OPENER_H
#define HSCHED_API_OPENER_H

#include "base/Clock.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace hsched::rt {

// Thread-safe. Calls Open once on its thread, or never; then Over once, on the same thread or in settle.
class Opener {
public:
  // Worth: true if devices should be opened now. Polled until it returns true, summon is called, or this is stopped. If
  // no thread can be made, the constructor does everything.
  Opener(std::function<bool()> Worth, std::function<void()> Open, std::function<void()> Over);
  ~Opener() { stop(); }
  Opener(const Opener &) = delete;
  Opener &operator=(const Opener &) = delete;

  // Devices are needed: open them now. Wait: returns when Over has been called.
  void requestDevices(bool Wait);
  // Does not open devices if that has not begun. Returns when Over has been called and the thread has ended.
  void stop();
  // The process is about to call its exit handlers, also those of drivers, so no driver may be working. Returns when
  // Over has been called. Needed: opens devices even if that has not begun.
  void settle(bool Needed);

private:
  void run();

  const std::function<bool()> Worth;
  const std::function<void()> Open, Over;
  std::mutex Lock; // Guards the fields below.
  std::condition_variable Changed;
  bool Wanted = false, Stopped = false, IsOver = false;
  bool Opening = false; // Some thread calls Open or Over, or has called them.
  std::mutex Joining;
  std::thread Thread; // Guarded by Joining.
};

// Measurements of a program, and the cost of opening the devices.
struct StartFacts {
  Duration Cost;    // Time until the first kernel could run, on one core.
  unsigned Cpus;    // Number of CPU workers.
  Duration Lasted;  // Time since the first task.
  Duration Capable; // Time of CPU workers in tasks that a device could have run.
  uint64_t Runs;    // Number of all tasks.
  uint64_t Outstanding;
  Duration Running; // Time since a run ended, while tasks are outstanding.
  // Known: time of those Capable tasks whose time on a device earlier programs measured. OnDevice: that time.
  Duration Known{0}, OnDevice{0};
  bool Shares = false; // The devices compute on the CPU workers' cores, as far as is known.
};
// True in two cases. Times on devices are known for most of the work, and the devices save what opening them costs. Or
// opening the devices lengthens the program by at most 1/10 even if they are never used. Opening occupies a core for
// its time, and the program cannot end before. If times are known, what is outstanding saves too little for the second
// case. Then only a program that has lasted long is one. False if the devices save less than 1/10.
bool worthOpening(const StartFacts &F);

} // namespace hsched::rt
#endif
