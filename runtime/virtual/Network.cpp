// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "virtual/Network.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hsched::rt::virt {

// A flow with fewer bytes left has ended: the rest is a rounding error.
static constexpr double NoBytes = 1e-3;

void Network::begin(uint32_t Id, std::vector<unsigned> Channels, uint64_t Bytes, TimePoint Now) {
  advance(Now);
  Flows.push_back({Id, std::move(Channels), static_cast<double>(Bytes)});
  share();
}

std::vector<uint32_t> Network::ended(TimePoint Now) {
  advance(Now);
  std::vector<uint32_t> Ids;
  std::erase_if(Flows, [&](const Flow &F) {
    if (F.Left >= NoBytes)
      return false;
    Ids.push_back(F.Id);
    return true;
  });
  if (!Ids.empty())
    share();
  return Ids;
}

std::optional<TimePoint> Network::nextEnd() const {
  std::optional<TimePoint> First;
  for (const Flow &F : Flows) {
    TimePoint End = Since + Duration(static_cast<Duration::rep>(std::ceil(std::max(0.0, F.Left) / F.Rate)));
    if (!First || End < *First)
      First = End;
  }
  return First;
}

double Network::rateOf(uint32_t Id) const {
  auto It = std::ranges::find(Flows, Id, &Flow::Id);
  return It == Flows.end() ? 0 : It->Rate;
}

void Network::advance(TimePoint Now) {
  const double Ns = static_cast<double>((Now - Since).count());
  for (Flow &F : Flows)
    F.Left -= F.Rate * Ns;
  Since = Now;
}

void Network::share() {
  ++Stamp;
  std::vector<double> Free = Capacity;
  std::vector<unsigned> Users(Capacity.size(), 0);
  for (Flow &F : Flows) {
    F.Rate = 0;
    for (unsigned C : F.Channels)
      ++Users[C];
  }
  for (size_t Left = Flows.size(); Left > 0;) {
    size_t Tightest = 0;
    double Share = std::numeric_limits<double>::infinity();
    for (size_t C = 0; C < Capacity.size(); ++C)
      if (Users[C] && Free[C] / Users[C] < Share) {
        Share = Free[C] / Users[C];
        Tightest = C;
      }
    for (Flow &F : Flows) {
      if (F.Rate != 0 || std::ranges::find(F.Channels, Tightest) == F.Channels.end())
        continue;
      F.Rate = Share;
      --Left;
      for (unsigned C : F.Channels) {
        Free[C] = std::max(0.0, Free[C] - Share);
        --Users[C];
      }
    }
  }
}

} // namespace hsched::rt::virt
