// Transfers that share links.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_VIRTUAL_NETWORK_H
#define HSCHED_VIRTUAL_NETWORK_H

#include "base/Clock.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace hsched::rt::virt {

// Max-min fair sharing by progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2): all flows' rates grow
// alike until a channel is full; those that use it keep what they have, the others go on. One thread.
class Network {
public:
  // BytesPerNs: by channel, positive.
  explicit Network(std::vector<double> BytesPerNs) : Capacity(std::move(BytesPerNs)) {}

  // Id: no other flow's now. Channels: each named once; at least one.
  void begin(uint32_t Id, std::vector<unsigned> Channels, uint64_t Bytes, TimePoint Now);
  // The ids of flows that have ended by Now, in the order in which they began.
  std::vector<uint32_t> ended(TimePoint Now);
  // When the next flow ends, if none begins before; null: there is none.
  std::optional<TimePoint> nextEnd() const;
  // Changes with each flow that begins or ends.
  uint64_t stamp() const { return Stamp; }
  // Bytes a nanosecond. For tests.
  double rateOf(uint32_t Id) const;

private:
  struct Flow {
    uint32_t Id;
    std::vector<unsigned> Channels;
    double Left; // Bytes, at Since.
    double Rate = 0;
  };
  void advance(TimePoint Now);
  void share();

  const std::vector<double> Capacity;
  std::vector<Flow> Flows; // In order of beginning.
  TimePoint Since;
  uint64_t Stamp = 0;
};

} // namespace hsched::rt::virt
#endif
