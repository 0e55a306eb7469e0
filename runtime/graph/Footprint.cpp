// The largest sections of a task, and their names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/Footprint.h"

#include <algorithm>

namespace hsched::rt {
namespace {

struct Entry {
  uint64_t Bytes = 0;
  uint16_t Section = 0;
};

// Tiles of one matrix may have middles in the same page, so their begins are named.
uint16_t nameOf(const hsched_access &A) {
  const auto Begin = reinterpret_cast<uintptr_t>(A.base);
  const uint64_t Key = A.rows > 1 ? (uint64_t(Begin) >> 6) | uint64_t(1) << 63 : (uint64_t(Begin) + A.bytes / 2) >> 12;
  // The name 0 stands for no section.
  return static_cast<uint16_t>((Key * 0x9e3779b97f4a7c15u >> (64 - Footprint::NameBits)) | 1);
}

uint16_t useOf(unsigned Mode) {
  switch (Mode) {
  case HSCHED_IN:
    return Footprint::Reads;
  case HSCHED_OUT:
    return Footprint::Writes;
  default:
    return Footprint::Reads | Footprint::Writes;
  }
}

} // namespace

Footprint footprintOf(std::span<const hsched_access> Sections) {
  // What was just written is in its writer's cache, so if votes are equal it decides before what is overwritten. If
  // several sections are read, most are neighbours' blocks.
  const bool ReadsOne = std::ranges::count_if(Sections, [](const hsched_access &A) {
                          return A.mode == HSCHED_IN && static_cast<uint64_t>(A.bytes) * A.rows >= FootprintBytes;
                        }) == 1;
  const auto rankOf = [ReadsOne](uint16_t Section) {
    return (Section & Footprint::Reads ? ReadsOne ? 2 : 1 : 0) + (Section & Footprint::Writes ? ReadsOne ? 1 : 2 : 0);
  };
  // A much larger section that is only read is probably read by all tasks.
  uint64_t Written = 0;
  for (const hsched_access &A : Sections)
    if (A.mode != HSCHED_IN && A.mode != HSCHED_REDUCTION)
      Written = std::max(Written, static_cast<uint64_t>(A.bytes) * A.rows);
  std::array<Entry, Footprint::Most> Largest;
  for (const hsched_access &A : Sections) {
    if (A.mode == HSCHED_REDUCTION ||
        (A.mode == HSCHED_IN && Written >= FootprintBytes && static_cast<uint64_t>(A.bytes) * A.rows > 4 * Written))
      continue;
    Entry New{static_cast<uint64_t>(A.bytes) * A.rows, static_cast<uint16_t>(nameOf(A) | useOf(A.mode))};
    for (Entry &E : Largest)
      if (New.Bytes > E.Bytes || (New.Bytes == E.Bytes && rankOf(New.Section) > rankOf(E.Section)))
        std::swap(E, New);
  }
  Footprint Result{};
  if (Largest[0].Bytes == 0)
    return Result;
  for (unsigned I = 0; I < Footprint::Most && Largest[I].Bytes >= Largest[0].Bytes / 8; ++I)
    Result.Sections[I] = Largest[I].Section;
  return Result;
}

} // namespace hsched::rt
