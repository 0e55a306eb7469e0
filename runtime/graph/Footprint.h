// The data of a task, in eight bytes: names of its largest sections.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names are hints. Two sections may have the same name; then a task is sent to a worker without its data. Sections have
// the same name if their middles lie in the same page. So a block with its halo has the
// block's name.
#ifndef HSCHED_GRAPH_FOOTPRINT_H
#define HSCHED_GRAPH_FOOTPRINT_H

#include <hsched/abi.h>

#include <array>
#include <cstdint>
#include <span>

namespace hsched::rt {

// Tasks with less data have no footprint: to fetch the data takes no longer than to hand over the task.
inline constexpr uint64_t FootprintBytes = 4096;

struct Footprint {
  static constexpr unsigned NameBits = 14, Names = 1u << NameBits, Most = 4;
  // By size, the largest first. If sizes are equal: inout, then out, then in. Low bits: the name; 0: no section.
  std::array<uint16_t, Most> Sections;
  static constexpr uint16_t Reads = 1u << NameBits, Writes = 2u << NameBits;

  bool any() const { return Sections[0] != 0; }
  // True if the task reads a section of those that are named.
  bool reads() const { return ((Sections[0] | Sections[1] | Sections[2] | Sections[3]) & Reads) != 0; }
  static unsigned nameOf(uint16_t Section) { return Section & (Names - 1); }
};

// The footprint of the sections that have at least an eighth of the largest one's bytes. Reduced sections do not count.
Footprint footprintOf(std::span<const hsched_access> Sections);

} // namespace hsched::rt
#endif
