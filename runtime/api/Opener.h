// The thread on which devices are opened beside the program.
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

// Thread-safe. Calls Open once on its thread, or never; then Over on the same thread.
class Opener {
public:
  // Worth: whether to open by now; asked now and then until it says yes, somebody summons, or it is stopped. Where no
  // thread can be made, all is done in the constructor.
  Opener(std::function<bool()> Worth, std::function<void()> Open, std::function<void()> Over);
  ~Opener() { stop(); }
  Opener(const Opener &) = delete;
  Opener &operator=(const Opener &) = delete;

  // Somebody needs devices. Wait: returns when Over has been called.
  void summon(bool Wait);
  // What has not begun does not begin. Returns when Over has been called and the thread has ended.
  void stop();
  // The process is about to call its exit handlers, among them those of drivers: none is to be running. Returns when
  // Over has been called; Needed: what has not begun begins all the same.
  void settle(bool Needed);

private:
  void run();

  const std::function<bool()> Worth;
  const std::function<void()> Open, Over;
  std::mutex Lock; // Guards what follows.
  std::condition_variable Changed;
  bool Wanted = false, Stopped = false, IsOver = false;
  std::mutex Joining;
  std::thread Thread; // Guarded by Joining.
};

// What is known of a program, and of what it costs to open the devices.
struct StartFacts {
  Duration Cost;    // Until the first kernel could run, on one core.
  unsigned Cpus;    // CPU workers.
  Duration Lasted;  // Since the first task.
  Duration Capable; // What CPU workers took for tasks that a device could have run.
  uint64_t Runs;    // Of all tasks.
  uint64_t Outstanding;
  Duration Running; // Since a run ended, while tasks are outstanding.
};
// Whether opening the devices makes the program at most a tenth longer, should they turn out to be of no use: it takes
// a core for as long as it costs, and the program cannot end before it is over.
bool worthOpening(const StartFacts &F);

} // namespace hsched::rt
#endif
