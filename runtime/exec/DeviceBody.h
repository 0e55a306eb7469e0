// A version for a device that is host code: it runs on the device's manager thread and enqueues work of its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_DEVICEBODY_H
#define HSCHED_EXEC_DEVICEBODY_H

#include "data/Directory.h"
#include "exec/ThreadState.h"

#include <exception>
#include <span>

namespace hsched::rt {

class DeviceBody {
public:
  // InPlace: the device works on host memory, which is wrapped. Otherwise Acquired says where the data are, and Places
  // where those tiles are that the version takes packed (findPacked). All arguments outlive this.
  DeviceBody(const Task &T, const Version &V, const Acquisition &Acquired, std::span<const hsched_packed_place> Places,
             Device &Dev, NativeWork &Work, bool InPlace)
      : T(T), V(V), Acquired(Acquired), Places(Places), Dev(Dev), Work(Work), InPlace(InPlace) {}

  // Calls the version's function. Returns what it threw.
  std::exception_ptr run();

  // The body that the calling thread runs. Null outside any.
  static DeviceBody *current() { return Current; }

  const Task &task() const { return T; }
  NativeWork &work() { return Work; }
  // The handle of the device memory that holds the byte at Address, and the byte's offset there. Null for a section
  // without bytes. Error invalid_argument if Address is in no section of the task.
  status memory(uintptr_t Address, void *&Handle, size_t &Offset);

private:
  HSCHED_OWN_TLS static constinit thread_local DeviceBody *Current;

  const Task &T;
  const Version &V;
  const Acquisition &Acquired;
  const std::span<const hsched_packed_place> Places;
  Device &Dev;
  NativeWork &Work;
  const bool InPlace;
};

} // namespace hsched::rt
#endif
