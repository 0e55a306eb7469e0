// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/Mixing.h"

#include <algorithm>
#include <cmath>
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
  turn(Mode::Both);
}

void Mixing::ended(const void *Kind, Ns Least, Ns OnDevice, Ns At, Ns OnCore) {
  std::lock_guard Guard(Lock);
  if (!Devices)
    return;
  if (!Count) {
    Begin = Last ? Last : At;
    Pause = Busy = CoreWork = 0;
    Now = {};
  }
  Pause = std::max(Pause, At - std::max(Last, Begin));
  Last = std::max(Last, At);
  Busy += OnDevice;
  CoreWork = OnCore > 0 && CoreWork >= 0 ? CoreWork + OnCore : -1;
  Now.add(Kind, Least);
  if (++Count == Window)
    close(Last - Begin);
}

void Mixing::close(Ns Elapsed) {
  Count = 0;
  if (Elapsed <= 0 || Pause > Elapsed / PauseShare)
    return;
  if (Now.distance(Reference) > Differs) { // Other work: what was found before does not count.
    Reference = Now;
    forget();
    return;
  }
  judge(Now.All / static_cast<double>(Elapsed),
        static_cast<double>(Busy) >= MinBusyShare * static_cast<double>(Elapsed) * Devices,
        CoreWork > 0 && Better * static_cast<double>(CoreWork) < static_cast<double>(Elapsed) * Cores);
}

Mixing::Mode Mixing::next(bool DevicesBusy, bool CoresSooner) const {
  if (!allowed())
    return Mode::Both;
  if (CoresSooner && (DevicesBusy || Tried != Mode::Cores))
    return Mode::Cores;
  return DevicesBusy ? Mode::Both : Mode::Devices;
}

void Mixing::judge(double Rate, bool DevicesBusy, bool CoresSooner) {
  if (Trying && !std::exchange(Moved, true)) // Data have moved in this window.
    return;
  Rates = {Rate, Rates[0], Rates[1], Rates[2]};
  if (Wait)
    --Wait;
  if (!Trying) {
    if (Wait || Rates.back() == 0)
      return;
    const Mode To = next(DevicesBusy, CoresSooner);
    if (To == mode())
      return;
    Before = *std::ranges::max_element(Rates);
    Trying = true;
    Moved = false;
    Previous = mode();
    if (To != Mode::Both)
      Tried = To;
    turn(To);
    return;
  }
  if (Rates[1] == 0)
    return;
  Trying = false;
  if (std::min(Rates[0], Rates[1]) < Better * Before)
    turn(Previous);
  Wait = Patience;
  Patience = std::min(2 * Patience, MostPatience);
}

void Mixing::turn(Mode To) {
  Rates = {};
  Current.store(To, std::memory_order_relaxed);
}

} // namespace hsched::rt
