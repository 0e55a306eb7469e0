// Memory objects as data of the engine: one directory of copies for each context.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vendor's part of a context is a memory node; the host is node 0. A command takes its data when it is handed over,
// and lets them go when it has ended: until then no block that it works on is moved or evicted. The graph has ordered
// commands by then, so the directory notes no events of theirs.
#ifndef HSCHED_ICD_CONTEXTDATA_H
#define HSCHED_ICD_CONTEXTDATA_H

#include "data/Directory.h"
#include "icd/VendorDevice.h"

#include <atomic>
#include <memory>
#include <vector>

namespace hsched::icd {

class Command;
struct Use;

class ContextData {
public:
  // Limit: how much of each vendor's memory is used, 0: all.
  ContextData(Context &In, uint64_t Limit);
  // What HSCHED_DEVICE_MEMORY leaves of the device's memory; 0: no limit.
  static uint64_t limitOf(const Device &D);

  static rt::MemoryNode nodeOf(const Part &P) { return P.Number + 1; }
  rt::Directory &directory() { return *Books; }

  // The command's target gets what the command uses; it is about to begin, after what Held.Wait has. False: something
  // has to be waited for, or a lazy vendor has to copy, and MayWait is not set. Throws Failure; then nothing has been
  // taken.
  bool take(Command &C, bool MayWait);
  // It has ended, or has not begun.
  void letGo(Command &C, bool NotBegun);
  // How many of the bytes would have to be copied to a vendor.
  uint64_t missing(const Use &U, const Part &P) const;

private:
  void acquire(Command &C, const rt::Task &T, rt::MemoryNode Node);
  // The same without waiting, as far as that is possible: copies of the command's own device come before it there.
  bool tryAcquire(Command &C, const rt::Task &T, rt::MemoryNode Node);
  void place(Command &C) const;

  Context &In;
  std::vector<std::unique_ptr<VendorDevice>> Vendors;
  rt::SteadyClock Time;
  std::unique_ptr<rt::Directory> Books;
  std::atomic<uint32_t> Releases{0}; // Of data by commands.
};

} // namespace hsched::icd
#endif
