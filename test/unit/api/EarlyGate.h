// What the program of the tests of early opening and its plug-in of devices know of each other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_API_EARLYGATE_H
#define HSCHED_TEST_UNIT_API_EARLYGATE_H

#include <atomic>

namespace hsched::test {

// In the program, which exports it as early_gate. With TEST_GATE=1 devices are opened when the program says so.
struct EarlyGate {
  std::atomic<bool> Working{false}; // A call is opening devices.
  std::atomic<bool> Entered{false}, Open{false};
  std::atomic<int> Enumerated{0};   // Calls that opened devices.
  std::atomic<int> Early{0};        // The same on the thread that opens devices early.
  std::atomic<int> Live{0};         // Devices that are open.
  std::atomic<int> Built{0};        // Kernels that were built.
  std::atomic<int> Thread{0};       // The last call's.
  std::atomic<int> Cores{0};        // Cores that the thread of the last call might use.
  std::atomic<bool> Blocked{false}; // That thread did not accept SIGTERM.
};

} // namespace hsched::test
#endif
