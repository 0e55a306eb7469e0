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
// equally until a channel is full. Then its flows keep their rates, and the others continue. Not thread-safe.
class Network {
public:
  // BytesPerNs: by channel, positive.
  explicit Network(std::vector<double> BytesPerNs) : Capacity(std::move(BytesPerNs)) {}

  // Id: unique among present flows. Channels: at least one, without duplicates.
  void begin(uint32_t Id, std::vector<unsigned> Channels, uint64_t Bytes, TimePoint Now);
  // Ids of flows that have ended by Now, in the order of their begin.
  std::vector<uint32_t> ended(TimePoint Now);
  // End of the next flow if none begins before; null: no flow.
  std::optional<TimePoint> nextEnd() const;
  // Changes whenever a flow begins or ends.
  uint64_t stamp() const { return Stamp; }
  // Bytes per nanosecond. For tests.
  double rateOf(uint32_t Id) const;

private:
  struct Flow {
    uint32_t Id;
    std::vector<unsigned> Channels;
    double Left; // Bytes left at Since.
    double Rate = 0;
  };
  void advance(TimePoint Now);
  void share();

  const std::vector<double> Capacity;
  std::vector<Flow> Flows; // Ordered by begin.
  TimePoint Since;
  uint64_t Stamp = 0;
};

} // namespace hsched::rt::virt
#endif
