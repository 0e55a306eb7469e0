// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/Mixing.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace hsched::rt {

void Mixing::Mix::add(const void *Kind, Ns Least) {
  All += static_cast<double>(Least);
  for (Part &P : Parts)
    if (P.Kind == Kind || !P.Kind) {
      P.Kind = Kind;
      P.Work += static_cast<double>(Least);
      return;
    } // Further kinds count in All alone.
}

double Mixing::Mix::distance(const Mix &Other) const {
  if (All <= 0 || Other.All <= 0)
    return 1;
  double Common = 0;
  for (const Part &P : Parts)
    for (const Part &Q : Other.Parts)
      if (P.Kind && P.Kind == Q.Kind)
        Common += std::min(P.Work / All, Q.Work / Other.All);
  return 1 - Common;
}

void Mixing::start(unsigned Number, unsigned NumCores) {
  std::lock_guard Guard(Lock);
  Cores = NumCores;
  if (Number == Devices)
    return;
  Devices = Number;
  Count = 0;
  Last = 0;
  Reference = {};
  forget();
}

void Mixing::forget() {
  Trying = false;
  Wait = 0;
  Patience = LeastPatience;
  Tried = Mode::Both;
  Done = 0;
  turn(Mode::Both);
}

void Mixing::resumes(Ns At) {
  std::lock_guard Guard(Lock);
  if (!Last || At <= Last)
    return;
  Begin += At - Last;
  Last = At;
}

void Mixing::ended(const void *Kind, Ns Least, Ns At, Ns OnCore, const std::function<Costs()> &Ask) {
  std::lock_guard Guard(Lock);
  if (!Devices)
    return;
  if (!Count) {
    Begin = Last ? Last : At;
    CoreWork = 0;
    Now = {};
  }
  Last = std::max(Last, At);
  CoreWork = OnCore > 0 && CoreWork >= 0 ? CoreWork + OnCore : -1;
  Now.add(Kind, Least);
  if (++Count == Window)
    close(Last - Begin, Ask ? Ask() : Costs());
}

void Mixing::close(Ns Elapsed, const Costs &C) {
  Count = 0;
  if (Elapsed <= 0)
    return;
  if (Now.distance(Reference) > Differs) { // Other work: what was found before does not count.
    Reference = Now;
    forget();
    return;
  }
  Done += Now.All;
  judge(Now.All / static_cast<double>(Elapsed), Devices,
        CoreWork > 0 ? Now.All * Cores / static_cast<double>(CoreWork) : 0, C);
}

bool Mixing::pays(double Then, Ns Transfers, const Costs &C) const {
  const double Work = std::max(static_cast<double>(C.Work), Done), Usual = usualRate();
  return Then > 0 && (Usual <= 0 || Work / Usual - Work / Then > static_cast<double>(Transfers));
}

Mixing::Mode Mixing::next(double Rate, double OfDevices, double OfCores, const Costs &C) const {
  if (!allowed())
    return Mode::Both;
  const bool DevicesSooner = Rate < NearBest * OfDevices && pays(OfDevices, C.ToDevices, C);
  const bool CoresSooner = OfCores > Better * usualRate() && pays(OfCores, C.Home, C);
  if (DevicesSooner && CoresSooner) {
    const Mode Faster = OfDevices > OfCores ? Mode::Devices : Mode::Cores;
    return Tried != Faster ? Faster : Faster == Mode::Cores ? Mode::Devices : Mode::Cores;
  }
  return CoresSooner ? Mode::Cores : DevicesSooner ? Mode::Devices : Mode::Both;
}

double Mixing::usualRate() const {
  double Sum = 0, Least = std::numeric_limits<double>::max();
  unsigned Number = 0;
  for (double Rate : Rates)
    if (Rate > 0) {
      Sum += Rate;
      Least = std::min(Least, Rate);
      ++Number;
    }
  return Number < 2 ? Sum : (Sum - Least) / (Number - 1);
}

void Mixing::judge(double Rate, double OfDevices, double OfCores, const Costs &C) {
  if (Trying && !std::exchange(Moved, true) && Rate >= Hopeless * Before) // Data have moved in this window.
    return;
  Rates = {Rate, Rates[0], Rates[1], Rates[2]};
  if (Wait)
    --Wait;
  if (!Trying) {
    if (Wait || Rates.back() == 0)
      return;
    const Mode To = next(Rate, OfDevices, OfCores, C);
    if (To == mode())
      return;
    Before = usualRate();
    Trying = true;
    Moved = false;
    Previous = mode();
    if (To != Mode::Both)
      Tried = To;
    turn(To);
    return;
  }
  if (Rates[2] == 0 && Rate >= Hopeless * Before)
    return;
  Trying = false;
  if (usualRate() < Better * Before)
    turn(Previous);
  Wait = Patience;
  Patience = std::min(2 * Patience, MostPatience);
}

void Mixing::turn(Mode To) {
  Rates = {};
  Current.store(To, std::memory_order_relaxed);
}

} // namespace hsched::rt
