// Memory objects as data: one directory of copies for each context.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vendor's part of a context is a memory node; the host is node 0. A command acquires its data when it is passed to
// the vendor, and releases them at its end. Until then its blocks are not moved or evicted. The graph orders commands,
// so the directory records no events of them.
#ifndef HSCHED_ICD_CONTEXTDATA_H
#define HSCHED_ICD_CONTEXTDATA_H

#include "data/Directory.h"
#include "icd/VendorDevice.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace hsched::icd {

class Command;
struct Use;

class ContextData {
public:
  // Limit: usable bytes of each vendor's memory; 0: all.
  ContextData(Context &In, uint64_t Limit);
  // Bytes of the device's memory that HSCHED_DEVICE_MEMORY allows; 0: no limit.
  static uint64_t limitOf(const Device &D);

  static rt::MemoryNode nodeOf(const Part &P) { return P.Number + 1; }
  rt::Directory &directory() { return *Dir; }

  // Prepares copies between the vendors: data of scheduled queues will move. Any thread.
  void prepare() {
    for (const auto &V : Vendors)
      V->prepare();
  }

  // Acquires the command's data on its target; the command will begin after the events in Acquired.Wait.
  // False: a wait, or a copy by a lazy vendor, is needed, and MayWait is not set. Throws Failure without
  // effect.
  bool take(Command &C, bool MayWait);
  // A command that holds data is with its vendor: a thread that needs their room can wait for it.
  void handedOver() {
    if (Starved.load(std::memory_order_seq_cst))
      wakeStarved();
  }
  // Releases the data: the command has ended, or has not begun.
  void releaseData(Command &C, bool NotBegun);
  // Number of bytes to copy to a vendor.
  uint64_t missing(const Use &U, const Part &P) const;
  // The same by source: calls Each for each part that has some of them. Null: the host.
  void missing(const Use &U, const Part &P, const std::function<void(const Part *, uint64_t)> &Each) const;

private:
  void acquire(Command &C, const rt::Task &T, rt::MemoryNode Node);
  // The same without waiting, if possible: copies on the command's own device are ordered before it.
  bool tryAcquire(Command &C, const rt::Task &T, rt::MemoryNode Node);
  void place(Command &C) const;

  Context &In;
  std::vector<std::unique_ptr<VendorDevice>> Vendors;
  rt::SteadyClock Time;
  std::unique_ptr<rt::Directory> Dir;
  void wakeStarved();
  // Waits for a release after the first Before ones, but not for long.
  void awaitRelease(uint32_t Before);
  std::mutex WaitLock;
  std::condition_variable Released;
  std::atomic<bool> Starved{false}; // A thread waits for room.
  // Number of releases of data by commands and other events after which a retry may succeed.
  std::atomic<uint32_t> Releases{0};
};

} // namespace hsched::icd
#endif
