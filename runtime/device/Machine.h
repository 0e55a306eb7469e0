// Description of the whole machine, including parts that this process may not use.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_DEVICE_MACHINE_H
#define HSCHED_DEVICE_MACHINE_H

#include <cstdint>
#include <string>
#include <vector>

namespace hsched::rt {

struct Machine {
  struct Cache {
    unsigned Level;
    uint64_t Bytes;  // Size of each.
    unsigned Number; // Number of such caches.
  };
  struct Numa {
    unsigned Index; // The system's index.
    uint64_t Bytes;
    std::vector<unsigned> Cores; // Hardware threads of the node, OS indices.
  };

  std::string Cpu; // The model's name; empty if unknown.
  unsigned Packages = 0, Cores = 0, Threads = 0;
  uint64_t MemoryBytes = 0;
  std::vector<Cache> Caches; // Data caches, innermost first.
  std::vector<Numa> NumaNodes;

  // Identifies this configuration. Without memory sizes, which vary with reservations of firmware and kernel.
  std::string key() const;
};

// Any thread; takes some milliseconds. Everything is empty or zero if the machine cannot be read.
Machine describeMachine();

} // namespace hsched::rt
#endif
