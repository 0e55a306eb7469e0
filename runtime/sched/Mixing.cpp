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

void Mixing::start(unsigned Number) {
  std::lock_guard Guard(Lock);
  if (Number == Devices)
    return;
  Devices = Number;
  Count = 0;
  Last = 0;
  Reference = {};
  Rates = {};
  Trying = false;
  Wait = 0;
  Patience = LeastPatience;
  Mixed.store(true, std::memory_order_relaxed);
}

void Mixing::ended(const void *Kind, Ns Least, Ns OnDevice, Ns At) {
  std::lock_guard Guard(Lock);
  if (!Devices)
    return;
  if (!Count) {
    Begin = Last ? Last : At;
    Pause = Busy = 0;
    Now = {};
  }
  Pause = std::max(Pause, At - std::max(Last, Begin));
  Last = std::max(Last, At);
  Busy += OnDevice;
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
    Rates = {};
    Trying = false;
    Wait = 0;
    Patience = LeastPatience;
    Mixed.store(true, std::memory_order_relaxed);
    return;
  }
  judge(Now.All / static_cast<double>(Elapsed),
        static_cast<double>(Busy) >= BusyEnough * static_cast<double>(Elapsed) * Devices);
}

void Mixing::judge(double Rate, bool DevicesBusy) {
  if (Trying && !std::exchange(Moved, true)) // Data have moved in this window.
    return;
  Rates = {Rate, Rates[0], Rates[1], Rates[2]};
  if (Wait)
    --Wait;
  if (!Trying) {
    if (Wait || Rates.back() == 0 || (allowed() && DevicesBusy))
      return;
    Before = *std::ranges::max_element(Rates);
    Trying = true;
    Moved = false;
    turn();
    return;
  }
  if (Rates[1] == 0)
    return;
  Trying = false;
  if (std::min(Rates[0], Rates[1]) < Better * Before)
    turn(); // Back.
  Wait = Patience;
  Patience = std::min(2 * Patience, MostPatience);
}

void Mixing::turn() {
  Rates = {};
  Mixed.store(!allowed(), std::memory_order_relaxed);
}

} // namespace hsched::rt
