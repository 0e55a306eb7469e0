// Writes reports of a program that a signal or std::terminate ends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signal handler may call almost no function: the interrupted thread may hold any lock, malloc's too. So the handler
// writes nothing. It wakes a thread made for this, waits for it, then lets the signal take its default action. If the
// writer waits for a lock of the interrupted thread, it uses no processor time. The handler then gives up, and the file
// is incomplete. docs/decisions/0025.
#ifndef HSCHED_API_SIGNALREPORT_H
#define HSCHED_API_SIGNALREPORT_H

#include <functional>

namespace hsched::rt {

// Any thread.
class SignalReport {
public:
  // Write is called at most once, on its own thread, while all others continue. Handlers are set for signals with the
  // default action; the program may replace them.
  explicit SignalReport(std::function<void()> Write);
  // Write is not called any more. If it is running, waits for its end.
  ~SignalReport();
  SignalReport(const SignalReport &) = delete;
  SignalReport &operator=(const SignalReport &) = delete;

private:
  std::function<void()> Write;
};

} // namespace hsched::rt
#endif
