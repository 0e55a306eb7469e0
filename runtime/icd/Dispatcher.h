// The platform's own thread. It does copies between vendors, and launches commands that become ready on a vendor's
// thread, where vendor functions must not be called.
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
  // Starts its thread with the first work item. Lives as long as the process.
  static Dispatcher &get();
  // Queues work for the thread, which runs it in order. Any thread.
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
