// Starting transfers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include <algorithm>
#include <bit>

namespace hsched::rt {

static status cannot(const char *What, const Strip &S, const Device &Dev, const status &Why) {
  return status::error(Why.code(),
                       std::string("cannot ") + What + " " + std::to_string(S.Bytes * S.Rows) + " bytes, device '" +
                           Dev.title() + "': " + Why.message(),
                       Why.native_code());
}

void Directory::Impl::started(TransferKind Kind, MemoryNode Dev, const Task *For, uint64_t Bytes, const EventRef &Ev,
                              WorkerId From) {
  WorkerId W = Nodes[Dev].Worker;
  RowId Row = Kind == TransferKind::DeviceToHost ? downloadRow(W) : uploadRow(W);
  Log.add(Dev, Ev, {Kind, Row, W, For ? For->Id : 0, Bytes, {}, typeNameOf(For), From});
  Started |= nodeBit(Dev);
}

void Directory::Impl::submit(uint64_t Except) {
  for (uint64_t Left = Started & ~Except; Left; Left &= Left - 1)
    Nodes[std::countr_zero(Left)].Dev->flush();
  Started &= Except;
}

MemoryNode Directory::Impl::sourceOf(uint64_t Valid, MemoryNode To) const {
  if (!(Valid & nodeBit(HostNode)) && (Valid & Peers[To]))
    Valid &= Peers[To];
  return static_cast<MemoryNode>(std::countr_zero(Valid));
}

void Directory::Impl::findMissing(const Extent &E, MemoryNode Node, std::vector<Strip> &Out) {
  size_t First = Out.size();
  Fragments.visit(E, [&](const Extent &At, Fragment &F) {
    F.settle();
    if (F.validOn(Node) || !F.Valid) // what is lost, or was never written, comes from nowhere
      return;
    MemoryNode From = sourceOf(F.Valid, Node);
    // Neighbouring fragments that come from the same place travel together.
    if (Out.size() > First && Out.back().Rows == 1 && At.Rows == 1 && Out.back().end() == At.Begin &&
        Out.back().From == From)
      Out.back().Bytes += At.Bytes;
    else
      Out.push_back({At.Begin, At.Bytes, At.Rows, At.Stride, From});
  });
}

// Rows of one length and distance that come from the same place travel together too.
static std::vector<Strip> together(const std::vector<Strip> &Rows) {
  std::vector<Strip> Out;
  for (const Strip &R : Rows) {
    if (!Out.empty()) {
      Strip &Last = Out.back();
      uint64_t Stride = Last.Rows > 1 ? Last.Stride : R.Begin - Last.Begin;
      if (R.Rows == 1 && Last.From == R.From && Last.Bytes == R.Bytes && R.Begin > Last.Begin && Stride > R.Bytes &&
          R.Begin == Last.Begin + Last.Rows * Stride) {
        Last.Stride = Stride;
        ++Last.Rows;
        continue;
      }
    }
    Out.push_back(R);
  }
  return Out;
}

status Directory::Impl::fetch(const std::vector<Strip> &Missing, MemoryNode Node, const Task *For) {
  status Result;
  for (const Strip &S : together(Missing)) {
    status Each;
    bool Direct = S.From != HostNode && Node != HostNode && across(S, Node, For).ok();
    if (S.From != HostNode && !Direct)
      Each = download(S, For);
    if (Each.ok() && Node != HostNode && !Direct)
      Each = upload(S, Node, For);
    if (Result.ok())
      Result = Each; // the rest comes all the same
  }
  return Result;
}

// Move(Part, Replica) for the parts of S that a replica on Node each covers.
template <class Fn> status Directory::Impl::inEachReplica(const Strip &S, MemoryNode Node, Fn Move) {
  const Extent All = S.at();
  if (ReplicaRef R = Replicas[Node].covering(All))
    return Move(S, R);
  uint64_t Covered = 0;
  for (const ReplicaRef &R : Replicas[Node].overlapping(All))
    for (const Extent &Part : common(All, R->At)) {
      if (status Result = Move(Strip{Part.Begin, Part.Bytes, Part.Rows, Part.Stride, S.From}, R); !Result.ok())
        return Result;
      Covered += Part.bytes();
    }
  return Covered == All.bytes() ? status() : status::error(errc::internal, "a copy without a replica");
}

status Directory::Impl::upload(const Strip &S, MemoryNode To, const Task *For) {
  auto Move = [&](const Strip &Part, const ReplicaRef &R)
                  HSCHED_NO_THREAD_SAFETY_ANALYSIS { return uploadToOne(Part, To, *R, For); };
  return inEachReplica(S, To, Move); // calls it with M
}

status Directory::Impl::uploadToOne(const Strip &S, MemoryNode To, const Replica &R, const Task *For) {
  Device &Dev = *Nodes[To].Dev;
  submit(nodeBit(To));
  WaitList Wait(Peers[To]);
  status Result;
  Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
    if (Result.ok())
      Result = Wait.add(F.Copies[HostNode].Written, true);
    if (Result.ok())
      Result = Wait.addAll(F.Copies[To]);
  });
  EventRef Done;
  auto *Src = reinterpret_cast<const void *>(S.Begin);
  size_t Offset = R.offsetOf(S.Begin);
  if (Result.ok()) {
    Result = S.Rows == 1 ? Dev.write(R.Mem, Offset, Src, S.Bytes, Wait.events(), Done)
                         : Dev.writeRows(R.Mem, Offset, Src, {S.Rows, S.Bytes, S.Stride, R.strideOf(S.at())},
                                         Wait.events(), Done);
    heed(To, Result);
  }
  if (!Result.ok())
    return cannot("upload", S, Dev, Result);
  Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
    F.Valid |= nodeBit(To);
    F.Copies[To].Written = {Done, To};
    F.Copies[To].Read.clear();
    F.Copies[HostNode].Read.push_back({Done, To});
  });
  started(TransferKind::HostToDevice, To, For, S.Bytes * S.Rows, Done);
  return {};
}

status Directory::Impl::across(const Strip &S, MemoryNode To, const Task *For) {
  auto Move = [&](const Strip &Part, const ReplicaRef &Src) HSCHED_NO_THREAD_SAFETY_ANALYSIS {
    auto MovePiece = [&](const Strip &Piece, const ReplicaRef &Dst)
                         HSCHED_NO_THREAD_SAFETY_ANALYSIS { return acrossFromOne(Piece, *Src, To, *Dst, For); };
    return inEachReplica(Part, To, MovePiece);
  };
  return inEachReplica(S, S.From, Move); // calls it with M
}

status Directory::Impl::acrossFromOne(const Strip &S, const Replica &Src, MemoryNode To, const Replica &Dst,
                                      const Task *For) {
  Device &Dev = *Nodes[To].Dev, &From = *Nodes[S.From].Dev;
  const size_t SrcOffset = Src.offsetOf(S.Begin), DstOffset = Dst.offsetOf(S.Begin);
  const RowLayout Layout{S.Rows, S.Bytes, Src.strideOf(S.at()), Dst.strideOf(S.at())};
  Use By;
  if (Peers[To] & nodeBit(S.From)) {
    submit(nodeBit(To) | nodeBit(S.From));
    WaitList Wait(Peers[To]);
    status Result;
    Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
      if (Result.ok())
        Result = Wait.add(F.Copies[S.From].Written, true);
      if (Result.ok())
        Result = Wait.addAll(F.Copies[To]);
    });
    By.By = To;
    if (Result.ok())
      Result = Dev.copyFrom(From, Src.Mem, SrcOffset, Dst.Mem, DstOffset, Layout, Wait.events(), By.Ev);
    heed(To, Result);
    if (!Result.ok())
      return cannot("copy", S, Dev, Result);
  } else {
    Relay::Copy C{&From, &Dev, Src.Mem, Dst.Mem, SrcOffset, DstOffset, Layout, {}, {}, {}, {}};
    auto sort = [&](const Use &U, bool IsSource) {
      addEvent(U.By == S.From ? C.FromWait : U.By == To ? C.ToWait : IsSource ? C.Sources : C.Others, U.Ev);
    };
    Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
      sort(F.Copies[S.From].Written, true);
      sort(F.Copies[To].Written, false);
      for (const Use &U : F.Copies[To].Read)
        sort(U, false);
    });
    By.Ev = Between.start(std::move(C));
  }
  Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
    F.Valid |= nodeBit(To);
    F.Copies[To].Written = By;
    F.Copies[To].Read.clear();
    F.Copies[S.From].Read.push_back(By);
  });
  started(TransferKind::DeviceToDevice, To, For, S.Bytes * S.Rows, By.Ev, Nodes[S.From].Worker);
  return {};
}

status Directory::Impl::download(const Strip &S, const Task *For) {
  auto Move = [&](const Strip &Part, const ReplicaRef &R)
                  HSCHED_NO_THREAD_SAFETY_ANALYSIS { return downloadFromOne(Part, *R, For); };
  return inEachReplica(S, S.From, Move); // calls it with M
}

status Directory::Impl::downloadFromOne(const Strip &S, const Replica &R, const Task *For) {
  const MemoryNode From = S.From;
  Device &Dev = *Nodes[From].Dev;
  submit(nodeBit(From));
  WaitList Wait(Peers[From]);
  status Result;
  Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
    if (Result.ok())
      Result = Wait.add(F.Copies[From].Written, true);
    if (Result.ok())
      Result = Wait.addAll(F.Copies[HostNode]);
  });
  EventRef Done;
  auto *Dst = reinterpret_cast<void *>(S.Begin);
  size_t Offset = R.offsetOf(S.Begin);
  if (Result.ok())
    Result = Homes.commit(S.at());
  if (Result.ok())
    Result = S.Rows == 1 ? Dev.read(R.Mem, Offset, Dst, S.Bytes, Wait.events(), Done)
                         : Dev.readRows(R.Mem, Offset, Dst, {S.Rows, S.Bytes, S.Stride, R.strideOf(S.at())},
                                        Wait.events(), Done);
  heed(From, Result);
  if (!Result.ok())
    return cannot("download", S, Dev, Result);
  Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
    F.Valid |= nodeBit(HostNode);
    F.Copies[HostNode].Written = {Done, From};
    F.Copies[HostNode].Read.clear();
    F.Copies[From].Read.push_back({Done, From});
  });
  started(TransferKind::DeviceToHost, From, For, S.Bytes * S.Rows, Done);
  return {};
}

} // namespace hsched::rt
