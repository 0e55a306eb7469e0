// Runs versions that are host code for a device, and finds their data there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/DeviceBody.h"

#include "base/NoMemory.h"
#include "device/EndedEvent.h"
#include "exec/DeviceWorker.h"
#include "exec/PackedTiles.h"
#include <hsched/hsched.h>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace hsched::rt {

constinit thread_local DeviceBody *DeviceBody::Current = nullptr;

std::exception_ptr DeviceBody::run() {
  Current = this;
  std::exception_ptr Thrown;
  try {
    if (const hsched_packed_body *Packed = packedBodyOf(*V.Desc))
      Packed->run(T.Args, Places.data());
    else
      V.Desc->run(T.Args);
  } catch (...) {
    Thrown = std::current_exception();
  }
  Current = nullptr;
  return Thrown;
}

// Device offset of the byte at Address from the first byte of A, a tile with row distance Stride on the device. Null if
// it is in no row.
static std::optional<size_t> inTile(const Access &A, uint64_t Stride, uintptr_t Address) {
  const uintptr_t Ahead = Address - beginOf(A);
  return Ahead % A.stride < A.bytes ? std::optional(Ahead / A.stride * Stride + Ahead % A.stride) : std::nullopt;
}

// Overlapping sections lie in one buffer of the directory or, in place, in one range of host memory. So the result is
// unique even if several sections contain Address. Bytes between the rows of a packed tile have no place.
status DeviceBody::memory(uintptr_t Address, void *&Handle, size_t &Offset) {
  uintptr_t Begin = UINTPTR_MAX, End = 0;
  const Placement *Where = nullptr;
  bool Empty = false, InARow = false;
  for (size_t I = 0; I < T.NumAccesses; ++I) {
    const Access &A = T.AccessList[I];
    if (beginOf(A) == endOf(A))
      Empty |= beginOf(A) == Address;
    if (Address < beginOf(A) || endOf(A) <= Address)
      continue;
    if (!InPlace) {
      const Placement &P = Acquired.Placements[I];
      const std::optional<size_t> Row =
          A.rows > 1 && A.stride > A.bytes ? inTile(A, P.Stride ? P.Stride : A.stride, Address) : Address - beginOf(A);
      if (P.Stride ? !Row : InARow && !Row)
        continue;
      InARow |= Row.has_value();
      Where = &P;
      Offset = (beginOf(A) - P.HostBegin) + (Row ? *Row : Address - beginOf(A));
    }
    Begin = std::min(Begin, beginOf(A));
    End = std::max(End, endOf(A));
  }
  if (Begin > End) {
    if (Empty) {
      Handle = nullptr;
      Offset = 0;
      return {};
    }
    char Text[2 * sizeof(Address) + 3];
    std::snprintf(Text, sizeof Text, "0x%llx", static_cast<unsigned long long>(Address));
    return status::error(errc::invalid_argument, std::string(Text) + " lies in no section of task '" + T.Type->name() +
                                                     "': ask with the address of an element that a data clause of the "
                                                     "task names, such as &p[lo] where it says p[lo:n]");
  }
  if (!InPlace) {
    Handle = Work.memory(Where->Mem);
    return {};
  }
  BufferRef Wrapped;
  if (status S = Dev.wrap(reinterpret_cast<void *>(Begin), End - Begin, Wrapped); !S.ok())
    return S;
  Handle = Work.memory(Wrapped);
  Offset = Address - Begin;
  return {};
}

void DeviceWorker::runBody(Place At) {
  Flight &F = *At;
  std::vector<hsched_packed_place> Places;
  const bool InPlace = W.Node == HostNode;
  std::unique_ptr<NativeWork> Work;
  // Of work that has been awaited, because the driver would not report its end. Made before the work begins.
  std::shared_ptr<EndedEvent> Failed;
  if (status Begun = statusOf([&] {
        status Known = findPacked(*F.T, packedOf(*F.V->Desc), F.Acquired, InPlace, Places);
        if (!Known.ok())
          return Known;
        addPredecessors(F);
        Failed = std::make_shared<EndedEvent>();
        return Dev.beginNative(F.V->Desc->name, F.After, Work, queueOf(*F.T));
      });
      !Begun.ok())
    return giveUp(At, Begun, true);
  E.ReadyTasks.cancelIdle(S); // It may take long, so a pending wake-up is passed on.
  F.Launched = E.Time.now();
  F.Thrown = DeviceBody(*F.T, *F.V, F.Acquired, Places, Dev, *Work, InPlace).run();
  // Work enqueued before an exception must also end before its memory is reused.
  if (status Ended = statusOf([&] { return Work->end(F.Done); }); !Ended.ok()) {
    // It may have changed its data in part: no other worker can run the task now.
    if (!F.Thrown)
      try {
        F.Thrown = std::make_exception_ptr(task_error(F.T->Label, W.Name, Ended.message()));
      } catch (const std::bad_alloc &) {
        F.Thrown = std::current_exception();
      }
    Failed->Outcome = std::move(Ended);
    F.Done = std::move(Failed);
  }
  launched(At);
}

} // namespace hsched::rt
