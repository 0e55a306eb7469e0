// A directory over simulated devices, and tasks whose effect on bytes is the same on host, device and in an oracle.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_DATA_HARNESS_H
#define HSCHED_TEST_DATA_HARNESS_H

#include "backends/sim/Sim.h"
#include "data/Directory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace hsched::rt {

// Host memory on a boundary of 128 bytes, so that what a section takes on a device does not depend on the heap's state.
template <typename T> struct Aligned {
  using value_type = T;
  Aligned() = default;
  template <typename U> Aligned(const Aligned<U> &) {}
  T *allocate(size_t N) { return static_cast<T *>(::operator new(N * sizeof(T), std::align_val_t(128))); }
  void deallocate(T *P, size_t) { ::operator delete(P, std::align_val_t(128)); }
  bool operator==(const Aligned &) const = default;
};
using ByteVector = std::vector<uint8_t, Aligned<uint8_t>>;

// Counts what the directory reports.
class CountingObserver final : public Observer {
public:
  void transferred(const TransferRecord &R) override {
    std::lock_guard Lock(M);
    Transfers.push_back(R);
  }
  void cacheLookup(const LookupRecord &R) override { ++(R.Hit ? Hits : Misses); }

  uint64_t bytes(TransferKind Kind) const {
    std::lock_guard Lock(M);
    uint64_t Sum = 0;
    for (const TransferRecord &R : Transfers)
      Sum += R.Kind == Kind ? R.Bytes : 0;
    return Sum;
  }
  size_t count(TransferKind Kind) const {
    std::lock_guard Lock(M);
    size_t N = 0;
    for (const TransferRecord &R : Transfers)
      N += R.Kind == Kind;
    return N;
  }

  std::atomic<unsigned> Hits{0}, Misses{0};
  mutable std::mutex M;
  std::vector<TransferRecord> Transfers;
};

inline Access section(void *Base, size_t Bytes, unsigned Mode) {
  return {Base, Bytes, 1, Bytes, Mode, HSCHED_NO_PARAM};
}
inline Access tile(void *Base, size_t Bytes, size_t Rows, size_t Stride, unsigned Mode) {
  return {Base, Bytes, Rows, Stride, Mode, HSCHED_NO_PARAM};
}

// A tile that TestTask's kernel takes packed: no two accesses of a task have the same Param.
inline Access packedTile(void *Base, size_t Bytes, size_t Rows, size_t Stride, unsigned Mode, unsigned Param = 0) {
  return {Base, Bytes, Rows, Stride, Mode, Param};
}

// A task that hashes what it reads into what it writes.
struct TestTask {
  explicit TestTask(std::vector<Access> List, uint64_t Salt = 1);
  TestTask(const TestTask &) = delete;

  // Pointers[i] stands for the i-th access's base, whose rows are Strides[i] apart.
  void run(const std::vector<uint8_t *> &Pointers, const std::vector<size_t> &Strides) const;
  void runOnHost() const;

  std::vector<Access> List;
  PackedParams packed() const { return {Packed, Leading.empty() ? nullptr : Leading.data()}; }

  std::vector<hsched_packed> Packed; // Tiles of all accesses with a parameter.
  std::vector<unsigned> Leading;     // The parameter that describes each of them; empty: each has its own.
  uint64_t Salt;
  Task T;
};

struct Harness {
  explicit Harness(sim::SimOptions Options = {});

  status acquire(const TestTask &T, MemoryNode Node, Acquisition &A) {
    return Dir->acquire(T.T, Node, A, nullptr, T.packed());
  }
  // Enqueues the task's kernel on a device after what it has to wait for. Failing launches are returned.
  status launch(const TestTask &T, Acquisition &A, EventRef &Done);
  // The whole life of a task. A device task's failure is in the status; then it has been released as failed.
  status run(const TestTask &T, MemoryNode Node);
  status flush(bool Invalidate = true) { return Dir->flush({}, true, Invalidate); }

  uint64_t up() const { return Seen.bytes(TransferKind::HostToDevice); }
  uint64_t down() const { return Seen.bytes(TransferKind::DeviceToHost); }
  uint64_t across() const { return Seen.bytes(TransferKind::DeviceToDevice); }
  uint64_t within() const { return Seen.bytes(TransferKind::WithinDevice); }
  sim::SimDevice &device(MemoryNode Node) { return *Devices[Node - 1]; }

  SteadyClock Time;
  CountingObserver Seen;
  std::vector<std::unique_ptr<sim::SimDevice>> Devices; // Devices[0] is node 1's.
  std::unique_ptr<Directory> Dir;
};

} // namespace hsched::rt
#endif
