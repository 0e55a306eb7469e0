// Finds the memory object of an address: heap block, variable, stack, thread-local memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CHECK_MEMORY_H
#define HSCHED_CHECK_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace hsched::check {

using Address = uintptr_t;

// Bytes [Low, High).
struct Extent {
  Address Low = 0, High = 0;
  bool holds(Address A) const { return A - Low < High - Low; }
  bool empty() const { return Low == High; }
};

// A heap block or a variable. Empty: unknown.
struct Object {
  Extent Bytes;
  std::string Name; // Name, for a variable.
};

// Heap blocks, reported by the functions of Heap.cpp when they are allocated and freed. Any thread.
void blockAllocated(Address A, size_t Bytes);
Extent blockFreed(Address A);

// The heap block that contains A; empty: none. Any thread.
Extent blockAt(Address A);
// The object that contains A. Any thread.
Object objectAt(Address A);
// True for read-only memory of the program.
bool isConstant(Address A);
// True for std::cout, std::cin and the like.
bool isStream(Address A);
// The calling thread's own.
Extent stackOfThread();
bool isThreadLocal(Address A);

} // namespace hsched::check
#endif
