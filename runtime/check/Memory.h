// What memory an address belongs to: blocks of the heap, variables of the program, stacks, thread-local memory.
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

// A block of the heap or a variable; empty: none is known.
struct Object {
  Extent Bytes;
  std::string Name; // Of a variable.
};

// Blocks of the heap, as the functions of Heap.cpp see them come and go. Any thread.
void blockCame(Address A, size_t Bytes);
Extent blockGone(Address A);

// Any thread.
Object objectAt(Address A);
// Memory of the program that it cannot write: constants.
bool isConstant(Address A);
// The calling thread's own.
Extent stackOfThread();
bool isThreadLocal(Address A);

} // namespace hsched::check
#endif
