// Starting transfers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include <algorithm>
#include <bit>

namespace hsched::rt {

static status cannot(const char *What, uintptr_t Lo, uintptr_t Hi, const Device &Dev, const status &Why) {
  return status::error(Why.code(),
                       std::string("cannot ") + What + " " + std::to_string(Hi - Lo) + " bytes, device '" +
                           Dev.info().Name + "': " + Why.message(),
                       Why.native_code());
}

void Directory::Impl::started(TransferKind Kind, MemoryNode Dev, TaskId For, uint64_t Bytes, const EventRef &Ev) {
  WorkerId W = Nodes[Dev].Worker;
  RowId Row = Kind == TransferKind::DeviceToHost ? downloadRow(W) : uploadRow(W);
  Log.add(Dev, Ev, {Kind, Row, W, For, Bytes, {}});
  Started |= nodeBit(Dev);
}

void Directory::Impl::submit(uint64_t Except) {
  for (uint64_t Left = Started & ~Except; Left; Left &= Left - 1)
    Nodes[std::countr_zero(Left)].Dev->flush();
  Started &= Except;
}

status Directory::Impl::fetch(uintptr_t Lo, uintptr_t Hi, MemoryNode Node, TaskId For, bool &Hit) {
  // Neighbouring fragments that come from the same place travel together.
  struct Run {
    uintptr_t Begin, End;
    MemoryNode From;
  };
  std::vector<Run> Runs;
  Fragments.visit(Lo, Hi, [&](uintptr_t Begin, Fragment &F) {
    F.settle();
    if (F.validOn(Node))
      return;
    auto From = static_cast<MemoryNode>(std::countr_zero(F.Valid)); // the host where it can be
    if (!Runs.empty() && Runs.back().End == Begin && Runs.back().From == From)
      Runs.back().End = F.End;
    else
      Runs.push_back({Begin, F.End, From});
  });
  Hit = Runs.empty();
  for (const Run &R : Runs) {
    status Result;
    if (R.From != HostNode)
      Result = download(R.Begin, R.End, R.From, For);
    if (Result.ok() && Node != HostNode)
      Result = upload(R.Begin, R.End, Node, For);
    if (!Result.ok())
      return Result;
  }
  return {};
}

status Directory::Impl::upload(uintptr_t Lo, uintptr_t Hi, MemoryNode To, TaskId For) {
  Device &Dev = *Nodes[To].Dev;
  ReplicaRef R = Replicas[To].covering(Lo, Hi);
  if (!R)
    return status::error(errc::internal, "an upload without a replica");
  submit(nodeBit(To));
  WaitList Wait(To);
  status Result;
  Fragments.visit(Lo, Hi, [&](uintptr_t, Fragment &F) {
    if (Result.ok())
      Result = Wait.add(F.Copies[HostNode].Written, true);
    if (Result.ok())
      Result = Wait.addAll(F.Copies[To]);
  });
  EventRef Done;
  if (Result.ok())
    Result = Dev.write(R->Mem, Lo - R->base(), reinterpret_cast<const void *>(Lo), Hi - Lo, Wait.events(), Done);
  if (!Result.ok())
    return cannot("upload", Lo, Hi, Dev, Result);
  Fragments.visit(Lo, Hi, [&](uintptr_t, Fragment &F) {
    F.Valid |= nodeBit(To);
    F.Copies[To].Written = {Done, To};
    F.Copies[To].Read.clear();
    F.Copies[HostNode].Read.push_back({Done, To});
  });
  started(TransferKind::HostToDevice, To, For, Hi - Lo, Done);
  return {};
}

status Directory::Impl::download(uintptr_t Lo, uintptr_t Hi, MemoryNode From, TaskId For) {
  Device &Dev = *Nodes[From].Dev;
  for (uintptr_t At = Lo; At < Hi;) {
    ReplicaRef R = Replicas[From].covering(At, At + 1);
    if (!R)
      return status::error(errc::internal, "a valid copy without a replica");
    uintptr_t End = std::min(Hi, R->End);
    submit(nodeBit(From));
    WaitList Wait(From);
    status Result;
    Fragments.visit(At, End, [&](uintptr_t, Fragment &F) {
      if (Result.ok())
        Result = Wait.add(F.Copies[From].Written, true);
      if (Result.ok())
        Result = Wait.addAll(F.Copies[HostNode]);
    });
    EventRef Done;
    if (Result.ok())
      Result = Dev.read(R->Mem, At - R->base(), reinterpret_cast<void *>(At), End - At, Wait.events(), Done);
    if (!Result.ok())
      return cannot("download", At, End, Dev, Result);
    Fragments.visit(At, End, [&](uintptr_t, Fragment &F) {
      F.Valid |= nodeBit(HostNode);
      F.Copies[HostNode].Written = {Done, From};
      F.Copies[HostNode].Read.clear();
      F.Copies[From].Read.push_back({Done, From});
    });
    started(TransferKind::DeviceToHost, From, For, End - At, Done);
    At = End;
  }
  return {};
}

} // namespace hsched::rt
