// Sets of workers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/WorkerClasses.h"

namespace hsched::rt {

WorkerClasses::WorkerClasses(std::span<const Worker> Workers) {
  constexpr unsigned None = ~0u;
  unsigned Cpus = None;
  auto newClass = [&] {
    Members.emplace_back();
    Bits.emplace_back();
    Models.push_back(0);
    return static_cast<unsigned>(Members.size()) - 1;
  };
  if (!Workers.empty()) {
    FirstSlotWord = Workers.front().slot() / 64;
    EndSlotWord = Workers.back().slot() / 64 + 1;
  }
  for (const Worker &W : Workers) {
    add(Slots, W.slot());
    unsigned Class;
    if (W.Kind == DeviceKind::Cpu)
      Class = Cpus = Cpus == None ? newClass() : Cpus;
    else if (Members.size() < MaxClasses - (Cpus == None))
      Class = newClass();
    else
      Class = static_cast<unsigned>(Members.size()) - 1;
    ClassOf.push_back(Class);
    Members[Class].push_back(W.Id);
    Bits[Class][W.Id / 64] |= uint64_t(1) << (W.Id % 64);
    Models[Class] |= uint64_t(1) << W.Model;
    if (Class != Cpus && Members[Class].size() > 1)
      Mixed |= ClassMask(1) << Class;

    auto Kind = static_cast<unsigned>(W.Kind), Type = static_cast<unsigned>(W.Type);
    Suited[Kind][HSCHED_TYPE_ANY] |= ClassMask(1) << Class;
    Suited[Kind][Type] |= ClassMask(1) << Class;
  }
}

WorkerId IdleWorkers::takeOne(const WorkerBits &Among, unsigned NumWords) {
  for (bool Main : {false, true})
    for (unsigned Word = 0; Word < (Main ? 1 : NumWords); ++Word) {
      uint64_t Wanted = Among[Word];
      if (Word == 0)
        Wanted = Main ? Wanted & 1 : Wanted & ~uint64_t(1);
      uint64_t Now = Words[Word].load();
      while (uint64_t Found = Now & Wanted) {
        uint64_t Lowest = Found & -Found;
        if (Words[Word].compare_exchange_weak(Now, Now & ~Lowest))
          return Word * 64 + static_cast<WorkerId>(std::countr_zero(Lowest));
      }
    }
  return NoWorker;
}

} // namespace hsched::rt
