// What a program may use beside the pragmas. Every name here also works in the serial build (a compiler that ignores
// the pragmas, no library): waits do nothing, because everything has already run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_HSCHED_H
#define HSCHED_HSCHED_H

#include <stdexcept>
#include <string>

#if defined(__HSCHED__)
#include <hsched/abi.h>
#endif

namespace hsched {

// Thrown by a wait when a task could not be run at all: no version was left, or memory did not suffice.
// what() names task, device and cause in one line.
class task_error : public std::runtime_error {
public:
  task_error(std::string task, std::string device, std::string cause)
      : std::runtime_error("task '" + task + "' failed" + (device.empty() ? "" : " on " + device) + ": " + cause),
        task_(std::move(task)), device_(std::move(device)), cause_(std::move(cause)) {}

  const std::string &task() const noexcept { return task_; }
  const std::string &device() const noexcept { return device_; } // empty where no device was reached
  const std::string &cause() const noexcept { return cause_; }

private:
  std::string task_, device_, cause_;
};

#if defined(__HSCHED__)
// Waits for the calling task's children and brings their data home; the pragma's function form.
inline void taskwait() { ::hsched_taskwait(0); }
// The same, leaving data on the devices: the host must not touch it before the next taskwait without noflush.
inline void taskwait_noflush() { ::hsched_taskwait(HSCHED_WAIT_NOFLUSH); }
#else
inline void taskwait() {}
inline void taskwait_noflush() {}
#endif

} // namespace hsched
#endif
