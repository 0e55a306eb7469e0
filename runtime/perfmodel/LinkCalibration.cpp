// Measuring a device's links.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/Links.h"

#include <algorithm>

namespace hsched::rt {

using namespace std::chrono_literals;

static constexpr size_t SmallBytes = 64, FirstBytes = 64 << 10, MostBytes = 16 << 20;
static constexpr unsigned SmallRounds = 5, LargeRounds = 3;
static constexpr Duration LongEnough = 500us;

// A small part of the device's memory: nobody is to be driven out of it.
size_t LinkCalibration::mostBytes() const {
  const DeviceInfo &Info = Dev.info();
  return static_cast<size_t>(std::min<uint64_t>({MostBytes, Info.MaxAllocationBytes, Info.MemoryBytes / 16}));
}

std::optional<LinkCalibration::Measured> LinkCalibration::transfer(size_t Size) {
  BufferRef A, B;
  if (!Dev.allocate(Size, A).ok() || (Direction == 2 && !Dev.allocate(Size, B).ok()))
    return std::nullopt;
  Host.resize(std::max(Host.size(), Size), 1);
  auto once = [&](Measured &Out) {
    EventRef Done;
    TimePoint Begin = Time.now();
    status S = Direction == 0   ? Dev.write(A, 0, Host.data(), Size, {}, Done)
               : Direction == 1 ? Dev.read(A, 0, Host.data(), Size, {}, Done)
                                : Dev.copy(A, 0, B, 0, Size, {}, Done);
    if (!S.ok())
      return false;
    Dev.flush();
    if (!Done->wait().ok())
      return false;
    Out.Seen = Time.now() - Begin;
    std::optional<Interval> Ran = Done->times();
    Out.Took = Ran && Ran->End > Ran->Begin ? Ran->End - Ran->Begin : Out.Seen;
    return true;
  };
  // The first one may have to find the memory.
  Measured M{};
  if (!once(M) || !once(M))
    return std::nullopt;
  return M;
}

bool LinkCalibration::giveUp() {
  Now = Phase::Over;
  Host = {};
  return false;
}

bool LinkCalibration::nextDirection() {
  auto Difference = static_cast<double>((Large.Took - Small.Took).count());
  LinkCost &Link = Direction == 0 ? Found.ToDevice : Direction == 1 ? Found.ToHost : Found.Within;
  Link.NsPerByte = std::max(0.0, Difference / static_cast<double>(Bytes - SmallBytes));
  Link.LatencyNs =
      std::max(0.0, static_cast<double>(Small.Seen.count()) - Link.NsPerByte * static_cast<double>(SmallBytes));
  Now = Phase::Small;
  if (++Direction < 3)
    return true;
  Result = Found;
  return giveUp();
}

bool LinkCalibration::step() {
  if (Now == Phase::Over || Dev.info().SharesHostMemory || mostBytes() < FirstBytes)
    return giveUp();
  bool Begins = Now == Phase::Small && Round == 0;
  if (Begins)
    Bytes = FirstBytes;
  std::optional<Measured> M = transfer(Now == Phase::Small ? SmallBytes : Bytes);
  if (!M)
    return giveUp();
  auto keepLeast = [&](Measured &Least, bool First) {
    Least = First ? *M : Measured{std::min(Least.Seen, M->Seen), std::min(Least.Took, M->Took)};
  };
  switch (Now) {
  case Phase::Small:
    keepLeast(Small, Begins);
    if (++Round == SmallRounds)
      Now = Phase::Grow;
    return true;
  case Phase::Grow:
    Round = 0;
    Large = *M;
    if (M->Took < LongEnough && Bytes * 4 <= mostBytes())
      Bytes *= 4;
    else
      Now = Phase::Large;
    return true;
  case Phase::Large:
    keepLeast(Large, false);
    if (++Round < LargeRounds)
      return true;
    Round = 0;
    return nextDirection();
  case Phase::Over:
    break;
  }
  return false;
}

std::optional<LinkTimes> measureLinks(Device &Dev, const Clock &Time) {
  LinkCalibration C(Dev, Time);
  while (C.step())
    ;
  return C.result();
}

} // namespace hsched::rt
