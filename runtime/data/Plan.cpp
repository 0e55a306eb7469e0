// Execution of plans.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/Plan.h"

#include "base/NoMemory.h"
#include "data/DirectoryImpl.h"
#include "data/FlushLater.h"

#include <bit>
#include <utility>

namespace hsched::rt {

void Plan::refuse() {
  for (const Command &C : Commands)
    if (C.Done && !C.Done->settled())
      C.Done->refuse(statusOf([] { return status::error(errc::internal, "it was planned and not carried out"); }));
}

// Flushes the devices that got commands, before this thread blocks and at the end.
class Directory::Impl::Handover {
public:
  explicit Handover(Impl &I) : I(I) {}
  ~Handover() {
    flushIf([](MemoryNode N) { return !FlushLater::covers(N); });
  }
  void add(MemoryNode Node) { NodesWithCommands |= nodeBit(Node); }
  void flush() {
    flushIf([](MemoryNode) { return true; });
  }
  // For a device that may wait for P itself: P's event. Null if it was refused, or has ended.
  EventRef eventOf(const PromiseRef &P) {
    if (!P->settled()) {
      flush();
      P->await();
    }
    return P->event();
  }
  status wait(const EventRef &Ev) {
    if (!Ev->done())
      flush();
    return Ev->wait();
  }

private:
  template <class Fn> void flushIf(Fn Matches) {
    for (uint64_t Remaining = std::exchange(NodesWithCommands, 0); Remaining; Remaining &= Remaining - 1)
      if (const auto N = static_cast<MemoryNode>(std::countr_zero(Remaining)); Matches(N))
        I.Nodes[N].Dev->flush();
  }

  Impl &I;
  uint64_t NodesWithCommands = 0; // Bits of nodes that got commands.
};

static const char *nameOf(Command::Kind What) {
  return What == Command::Kind::Upload ? "upload" : What == Command::Kind::Download ? "download" : "copy";
}

status Directory::Impl::carryAllOut(Plan &P, bool *RefusedAcross) {
  P.Freed.clear();
  status Result;
  if (P.Commands.empty())
    return Result;
  Handover Issued(*this);
  for (Command &C : P.Commands) {
    EventRef Done;
    status Outcome = statusOf([&] {
      status First = give(C, Issued, Done);
      if (First.ok() || C.What != Command::Kind::Within)
        return First;
      return copyThroughHost(C, Issued, Done, std::move(First));
    });
    if (!Outcome.ok()) {
      Outcome = statusOf([&] {
        return status::error(Outcome.code(),
                             std::string("cannot ") + nameOf(C.What) + " " + std::to_string(C.bytes()) +
                                 " bytes, device '" + Nodes[C.On].Dev->title() + "': " + Outcome.message(),
                             Outcome.native_code());
      });
      C.Done->refuse(Outcome);
      if (RefusedAcross)
        *RefusedAcross |= C.What == Command::Kind::Across;
      if (Result.ok())
        Result = Outcome; // The rest is still executed.
      continue;
    }
    Issued.add(C.On);
    try {
      Log.add(C.On, Done, C.Done, C.Record); // Before any thread can see that it has ended.
    } catch (const std::bad_alloc &) {       // Without a record, nothing reports its end, so this waits for it.
      (void)Issued.wait(Done);
    }
    C.Done->fulfill(std::move(Done));
  }
  P.Commands.clear(); // Frees their references to blocks.
  return Result;
}

status Directory::Impl::give(Command &C, Handover &Issued, EventRef &Done) {
  if (C.What == Command::Kind::Relayed)
    return relay(C, Issued, Done);
  std::vector<EventRef> Wait;
  for (const Command::After &A : C.Predecessors) {
    const bool Orders = A.U.By != ForeignNode && (Peers[C.On] & nodeBit(A.U.By));
    EventRef Ev = Orders ? Issued.eventOf(A.U.Ev) : nullptr;
    if (Ev) {
      addEvent(Wait, Ev);
      continue;
    }
    // It belongs to another device, was never begun, or is over.
    if (status Ended = Issued.wait(A.U.Ev); !Ended.ok() && A.IsSource)
      return Ended;
  }
  Device &Dev = *Nodes[C.On].Dev;
  const bool InARow = C.Rows.Rows == 1;
  status Outcome;
  switch (C.What) {
  case Command::Kind::Upload:
    Outcome = InARow ? Dev.write(C.Dst, C.DstOffset, C.Host, C.Rows.Bytes, Wait, Done)
                     : Dev.writeRows(C.Dst, C.DstOffset, C.Host, C.Rows, Wait, Done);
    break;
  case Command::Kind::Download:
    Outcome = Homes.commit({reinterpret_cast<uintptr_t>(C.Host), C.Rows.Bytes, C.Rows.Rows, C.Rows.HostStride});
    if (Outcome.ok())
      Outcome = InARow ? Dev.read(C.Src, C.SrcOffset, C.Host, C.Rows.Bytes, Wait, Done)
                       : Dev.readRows(C.Src, C.SrcOffset, C.Host, C.Rows, Wait, Done);
    break;
  case Command::Kind::Within:
    Outcome = InARow ? Dev.copy(C.Src, C.SrcOffset, C.Dst, C.DstOffset, C.Rows.Bytes, Wait, Done)
                     : Dev.copyFrom(Dev, C.Src, C.SrcOffset, C.Dst, C.DstOffset, C.Rows, Wait, Done);
    break;
  case Command::Kind::Across:
    Outcome = Dev.copyFrom(*Nodes[C.From].Dev, C.Src, C.SrcOffset, C.Dst, C.DstOffset, C.Rows, Wait, Done);
    break;
  case Command::Kind::Relayed:
    break;
  }
  handleOutcome(C.On, Outcome);
  return Outcome;
}

// The state no longer knows the source block, so its data must be moved now. If the device refuses to copy, they go
// through temporary host memory, and this thread waits.
status Directory::Impl::copyThroughHost(const Command &C, Handover &Issued, EventRef &Done, status Why) {
  Device &Dev = *Nodes[C.On].Dev;
  if (Dev.lost())
    return Why;
  for (const Command::After &A : C.Predecessors)
    if (status Ended = Issued.wait(A.U.Ev); !Ended.ok() && A.IsSource)
      return Ended;
  const RowLayout &R = C.Rows;
  const auto Between = std::make_unique<std::byte[]>(C.bytes());
  EventRef Read;
  for (size_t Row = 0; Row < R.Rows; ++Row) {
    if (status Outcome =
            Dev.read(C.Src, C.SrcOffset + Row * R.HostStride, Between.get() + Row * R.Bytes, R.Bytes, {}, Read);
        !Outcome.ok())
      return Why;
    if (!Read->wait().ok())
      return Why;
  }
  for (size_t Row = 0; Row < R.Rows; ++Row) {
    if (status Outcome =
            Dev.write(C.Dst, C.DstOffset + Row * R.DeviceStride, Between.get() + Row * R.Bytes, R.Bytes, {}, Done);
        !Outcome.ok())
      return Why;
    if (status Outcome = Done->wait(); !Outcome.ok())
      return Outcome;
  }
  return {};
}

status Directory::Impl::relay(Command &C, Handover &Issued, EventRef &Done) {
  Relay::Copy R{Nodes[C.From].Dev, Nodes[C.On].Dev, C.Src, C.Dst, C.SrcOffset, C.DstOffset, C.Rows, {}, {}, {}, {}};
  for (const Command::After &A : C.Predecessors) {
    const bool OfFrom = A.U.By == C.From, OfTo = A.U.By == C.On;
    if (EventRef Ev = OfFrom || OfTo ? Issued.eventOf(A.U.Ev) : nullptr)
      addEvent(OfFrom ? R.FromWait : R.ToWait, Ev);
    else
      addEvent(A.IsSource ? R.Sources : R.Others, A.U.Ev);
  }
  Done = Between.start(std::move(R));
  return {};
}

} // namespace hsched::rt
