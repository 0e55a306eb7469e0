// Transfers in as few commands as drivers accept.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_PIECES_H
#define HSCHED_BACKENDS_OPENCL_PIECES_H

#include "backends/opencl/Events.h"
#include "backends/opencl/PinnedRanges.h"
#include "device/Device.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hsched::rt::opencl {

// Splits Memory at borders of pinned ranges: no known driver transfers across them at full speed. Piece(At, Bytes,
// Wait, Event *) enqueues one piece. The first waits; the last one's event is the result, if one is wanted; the others
// go to Earlier.
template <class Fn>
cl_int inPieces(const std::vector<PinRef> &Pins, const void *Memory, size_t Bytes, const WaitList &W,
                std::vector<cl::Event> &Earlier, cl_event *Last, Fn Piece) {
  auto Begin = reinterpret_cast<uintptr_t>(Memory);
  static const WaitList None;
  for (size_t At = 0; At < Bytes;) {
    size_t Count = Bytes - At;
    for (const PinRef &P : Pins)
      if (P->Begin <= Begin + At && Begin + At < P->End)
        Count = std::min<size_t>(Count, P->End - (Begin + At));
    cl_event Done = nullptr;
    const bool IsLast = At + Count == Bytes;
    if (cl_int Code = Piece(At, Count, At ? None : W, IsLast ? Last : &Done); Code != CL_SUCCESS) {
      // The caller may free the memory after a report that nothing was begun.
      if (!Earlier.empty())
        cl::Event::waitForEvents(Earlier);
      return Code;
    }
    At += Count;
    if (!IsLast)
      Earlier.emplace_back(Done);
  }
  return CL_SUCCESS;
}

// Transfers rows at Memory, which may lie in Pins, in as few pieces as NVIDIA's driver accepts. A rectangle must lie in
// one pinned range, or in none. A whole stride must follow the begin of its last row, there and in the buffer; Whole
// says that the buffer has it. So a row that crosses a border is a piece of its own, and often the last row is.
// Rectangle(Row, Count, Wait, Event &) and Part(Row, At, Bytes, Wait, Event &) enqueue a piece. The first waits; the
// last one's event is the result.
template <class Rect, class Plain>
cl_int rowsInPieces(const RowLayout &L, const std::vector<PinRef> &Pins, bool Whole, const void *Memory,
                    const WaitList &W, std::vector<cl::Event> &Earlier, cl_event *Last, Rect Rectangle, Plain Part) {
  static const WaitList None;
  auto Base = reinterpret_cast<uintptr_t>(Memory);
  bool Refused = false;
  for (size_t Row = 0; Row < L.Rows;) {
    uintptr_t At = Base + Row * L.HostStride, End = UINTPTR_MAX; // End of the range with the same property as At.
    for (const PinRef &P : Pins)
      if (At < P->End)
        End = std::min<uintptr_t>(End, P->Begin <= At ? P->End : P->Begin);
    const bool ToEnd = Whole && End != UINTPTR_MAX;
    size_t Count = Refused ? 0 : std::min<size_t>((End - At) / L.HostStride, L.Rows - (ToEnd ? 0 : 1) - Row);
    cl_event Done = nullptr;
    const WaitList &Before = Row ? None : W;
    cl_int Code = Count ? Rectangle(Row, Count, Before, &Done)
                        : inPieces(Pins, reinterpret_cast<const void *>(At), L.Bytes, Before, Earlier, &Done,
                                   [&](size_t Begin, size_t Bytes, const WaitList &Wait, cl_event *E) {
                                     return Part(Row, Begin, Bytes, Wait, E);
                                   });
    if (Code == CL_INVALID_VALUE && Count) { // A driver with other rules: without the last row, then row by row.
      Refused = !ToEnd;
      Whole = false;
      continue;
    }
    if (Code != CL_SUCCESS) {
      // The caller may free the memory after a report that nothing was begun.
      if (!Earlier.empty())
        cl::Event::waitForEvents(Earlier);
      return Code;
    }
    Row += std::max<size_t>(Count, 1);
    if (Row < L.Rows)
      Earlier.emplace_back(Done);
    else
      *Last = Done;
  }
  return CL_SUCCESS;
}

} // namespace hsched::rt::opencl
#endif
