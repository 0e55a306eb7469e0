// The machine as a whole, whatever part of it this process may use.
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
    uint64_t Bytes;  // Of each.
    unsigned Number; // How many such there are.
  };
  struct Numa {
    unsigned Index; // The system's.
    uint64_t Bytes;
    std::vector<unsigned> Cores; // Hardware threads beside it, OS indices.
  };

  std::string Cpu; // The model, as the system calls it; empty where it does not.
  unsigned Packages = 0, Cores = 0, Threads = 0;
  uint64_t MemoryBytes = 0;
  std::vector<Cache> Caches; // For data, innermost first.
  std::vector<Numa> NumaNodes;

  // What tells this configuration from others. Memory sizes are left out: they vary with what firmware and kernel keep.
  std::string key() const;
};

// Any thread; some milliseconds. Where the machine cannot be read, everything is empty or zero.
Machine describeMachine();

} // namespace hsched::rt
#endif
