// Measurement of a device's links, and of routes between devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/Links.h"

#include <algorithm>

namespace hsched::rt {

using namespace std::chrono_literals;

static constexpr size_t SmallBytes = 64, FirstBytes = 64 << 10, MostBytes = 16 << 20;
static constexpr unsigned SmallRounds = 5, LargeRounds = 3;
static constexpr Duration LongEnough = 500us;

// A small part of the device's memory, so that no data are evicted.
static size_t mostBytes(const Device &Dev) {
  const DeviceInfo &Info = Dev.info();
  return static_cast<size_t>(std::min<uint64_t>({MostBytes, Info.MaxAllocationBytes, Info.MemoryBytes / 16}));
}

bool LinkProbe::lacksMemory() const { return MostBytes < FirstBytes; }

size_t LinkProbe::next() const {
  return Now == Phase::Small ? SmallBytes : Now == Phase::Grow && !Bytes ? FirstBytes : Bytes;
}

void LinkProbe::took(const Measured &M) {
  auto keepLeast = [&](Measured &Least, bool First) {
    Least = First ? M : Measured{std::min(Least.Seen, M.Seen), std::min(Least.Took, M.Took)};
  };
  switch (Now) {
  case Phase::Small:
    keepLeast(Small, Round == 0);
    if (++Round == SmallRounds)
      Now = Phase::Grow;
    break;
  case Phase::Grow:
    Round = 0;
    Bytes = next();
    Large = M;
    if (!grow())
      Now = Phase::Large;
    break;
  case Phase::Large:
    keepLeast(Large, false);
    // An interrupted measurement is too long, so the minimum of several counts.
    if (++Round == LargeRounds)
      Now = grow() ? Phase::Grow : Phase::Over;
    break;
  case Phase::Over:
    break;
  }
}

bool LinkProbe::grow() {
  if (Large.Took >= LongEnough || Bytes * 4 > MostBytes)
    return false;
  Bytes *= 4;
  return true;
}

LinkCost LinkProbe::result() const {
  // A device may keep times of long transfers only. On the device, a small one takes next to no time.
  const bool Untimed = Small.Took == Small.Seen && Large.Took < Large.Seen;
  auto Difference = static_cast<double>((Large.Took - (Untimed ? Duration(0) : Small.Took)).count());
  LinkCost Link;
  Link.NsPerByte = std::max(0.0, Difference / static_cast<double>(Bytes - SmallBytes));
  Link.LatencyNs =
      std::max(0.0, static_cast<double>(Small.Seen.count()) - Link.NsPerByte * static_cast<double>(SmallBytes));
  return Link;
}

// Time of the second of two transfers, because the first one may include the memory's allocation. Start(EventRef &)
// begins one, Prepare() precedes each.
template <class Fn, class Before>
static std::optional<LinkProbe::Measured> second(const Clock &Time, Fn Start, Before Prepare) {
  LinkProbe::Measured M{};
  for (int I = 0; I < 2; ++I) {
    EventRef Done;
    if (!Prepare())
      return std::nullopt;
    TimePoint Begin = Time.now();
    if (!Start(Done).ok() || !Done->wait().ok())
      return std::nullopt;
    M.Seen = Time.now() - Begin;
    std::optional<Interval> Ran = Done->times();
    M.Took = Ran && Ran->End > Ran->Begin ? Ran->End - Ran->Begin : M.Seen;
  }
  return M;
}

LinkCalibration::LinkCalibration(Device &Dev, const Clock &Time)
    : Dev(Dev), Time(Time), Probe(std::in_place, mostBytes(Dev)) {}

std::optional<LinkProbe::Measured> LinkCalibration::transfer(size_t Size) {
  BufferRef A, B;
  if (!Dev.allocate(Size, A).ok() || (Direction == 2 && !Dev.allocate(Size, B).ok()))
    return std::nullopt;
  Host.resize(std::max(Host.size(), Size), 1);
  auto Start = [&](EventRef &Done) {
    status S = Direction == 0   ? Dev.write(A, 0, Host.data(), Size, {}, Done)
               : Direction == 1 ? Dev.read(A, 0, Host.data(), Size, {}, Done)
                                : Dev.copy(A, 0, B, 0, Size, {}, Done);
    if (S.ok())
      Dev.flush();
    return S;
  };
  return second(Time, Start, [] { return true; });
}

bool LinkCalibration::giveUp() {
  Probe.reset();
  Host = {};
  return false;
}

bool LinkCalibration::step() {
  if (!Probe || Dev.info().SharesHostMemory || Probe->lacksMemory())
    return giveUp();
  std::optional<LinkProbe::Measured> M = transfer(Probe->next());
  if (!M)
    return giveUp();
  Probe->took(*M);
  if (!Probe->over())
    return true;
  (Direction == 0 ? Found.ToDevice : Direction == 1 ? Found.ToHost : Found.Within) = Probe->result();
  if (++Direction < 3) {
    Probe.emplace(mostBytes(Dev));
    return true;
  }
  Result = Found;
  return giveUp();
}

std::optional<LinkTimes> measureLinks(Device &Dev, const Clock &Time) {
  LinkCalibration C(Dev, Time);
  while (C.step())
    ;
  return C.result();
}

// Makes Dev use all of Block, and waits.
static bool use(Device &Dev, const BufferRef &Block, size_t Bytes) {
  BufferRef Other;
  EventRef Done;
  if (!Dev.allocate(Bytes, Other).ok() || !Dev.copy(Other, 0, Block, 0, Bytes, {}, Done).ok())
    return false;
  Dev.flush();
  return Done->wait().ok();
}

PairCalibration::PairCalibration(Device &From, Device &To, const Clock &Time, CopyBetween Copy)
    : From(From), To(To), Time(Time), Copy(std::move(Copy)),
      Probe(std::in_place, std::min(mostBytes(From), mostBytes(To))) {}

bool PairCalibration::step() {
  std::optional<LinkProbe::Measured> M;
  BufferRef Src, Dst;
  if (Probe && !From.info().SharesHostMemory && !To.info().SharesHostMemory && !Probe->lacksMemory() && !From.lost() &&
      !To.lost())
    if (size_t Size = Probe->next(); From.allocate(Size, Src).ok() && To.allocate(Size, Dst).ok()) {
      // A driver may migrate shared buffers to their last user: NVIDIA's seems to copy 3 TB/s between GPUs when
      // repeated, because both blocks are then on one GPU. So the blocks are moved to their devices before each copy,
      // and host time counts.
      M = second(
          Time, [&](EventRef &Done) { return Copy(From, Src, To, Dst, Size, Done); },
          [&] { return use(From, Src, Size) && use(To, Dst, Size); });
      if (M)
        M->Took = M->Seen;
    }
  if (M)
    Probe->took(*M);
  if (M && !Probe->over())
    return true;
  if (M)
    Result = Probe->result();
  Probe.reset();
  return false;
}

std::optional<LinkCost> measurePair(Device &From, Device &To, const Clock &Time, const CopyBetween &Copy) {
  PairCalibration C(From, To, Time, Copy);
  while (C.step())
    ;
  return C.result();
}

} // namespace hsched::rt
