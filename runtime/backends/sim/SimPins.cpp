// Pinned host memory of simulated devices. It has no effect; tests inspect it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/sim/Sim.h"

#include <iterator>
#include <map>
#include <mutex>

namespace hsched::rt::sim {

namespace {
struct Pins {
  std::mutex M;
  std::map<const SimDevice *, std::map<uintptr_t, size_t>> Of; // Bytes by first address.
};
} // namespace

// For all devices, because programs that only have the plugin query it too. Never destroyed, because devices may live
// until the end.
static Pins &pins() {
  static Pins &P = *new Pins;
  return P;
}

static bool covers(const std::map<uintptr_t, size_t> &Ranges, const void *Ptr, size_t Bytes) {
  auto Begin = reinterpret_cast<uintptr_t>(Ptr);
  auto Next = Ranges.upper_bound(Begin);
  return Next != Ranges.begin() && Begin + Bytes <= std::prev(Next)->first + std::prev(Next)->second;
}

status SimDevice::pin(void *Ptr, size_t Bytes) {
  std::lock_guard Lock(pins().M);
  pins().Of[this][reinterpret_cast<uintptr_t>(Ptr)] = Bytes;
  return {};
}

void SimDevice::unpin(void *Ptr) {
  std::lock_guard Lock(pins().M);
  pins().Of[this].erase(reinterpret_cast<uintptr_t>(Ptr));
}

void SimDevice::unpinAll() {
  std::lock_guard Lock(pins().M);
  pins().Of.erase(this);
}

bool SimDevice::pinned(const void *Ptr, size_t Bytes) const {
  std::lock_guard Lock(pins().M);
  auto Pins = pins().Of.find(this);
  return Pins != pins().Of.end() && covers(Pins->second, Ptr, Bytes);
}

uint64_t SimDevice::pinnedBytes() const {
  std::lock_guard Lock(pins().M);
  uint64_t Sum = 0;
  if (auto Pins = pins().Of.find(this); Pins != pins().Of.end())
    for (auto [Begin, Bytes] : Pins->second)
      Sum += Bytes;
  return Sum;
}

void SimDevice::countPinned(const void *Host, const RowLayout &Rows) {
  PinnedTransfers.fetch_add(pinned(Host, (Rows.Rows - 1) * Rows.HostStride + Rows.Bytes));
}

unsigned simPinnedOn(const void *Ptr, size_t Bytes) {
  std::lock_guard Lock(pins().M);
  unsigned N = 0;
  for (const auto &[Dev, Ranges] : pins().Of)
    N += covers(Ranges, Ptr, Bytes);
  return N;
}

} // namespace hsched::rt::sim
