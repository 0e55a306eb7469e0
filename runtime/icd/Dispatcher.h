// A thread of the platform's own, for what no caller can do: copies between vendors, and commands that become ready on
// a vendor's thread, where vendors' functions may not be called freely.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_DISPATCHER_H
#define HSCHED_ICD_DISPATCHER_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace hsched::icd {

class Dispatcher {
public:
  // Starts its thread with the first piece of work. Lives as long as the process.
  static Dispatcher &get();
  // Runs it on the thread, in the order of posting. Any thread.
  void post(std::function<void()> Work);

private:
  void run();
  std::mutex Lock;
  std::condition_variable Posted;
  std::deque<std::function<void()>> Works;
  bool Started = false;
};

} // namespace hsched::icd
#endif
