// Planning of transfers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include <algorithm>
#include <bit>

namespace hsched::rt {

Use Directory::Impl::plan(Command C, const Extent &At, const Task *For) {
  const WorkerId W = Nodes[C.On].Worker;
  TransferKind Kind = TransferKind::DeviceToDevice;
  switch (C.What) {
  case Command::Kind::Upload:
    Kind = TransferKind::HostToDevice;
    break;
  case Command::Kind::Download:
    Kind = TransferKind::DeviceToHost;
    break;
  case Command::Kind::Within:
    Kind = TransferKind::WithinDevice;
    break;
  case Command::Kind::Across:
  case Command::Kind::Relayed:
    break;
  }
  const RowId Row = Kind == TransferKind::DeviceToHost ? downloadRow(W) : uploadRow(W);
  const WorkerId From = Kind == TransferKind::DeviceToDevice ? Nodes[C.From].Worker : NoWorker;
  C.Record = {Kind, Row,      W,       For ? For->Id : 0,          C.bytes(), {}, typeNameOf(For),
              From, At.Begin, At.Rows, At.Rows > 1 ? At.Stride : 0};
  C.Done = std::make_shared<Promise>();
  // No device can wait for the end of a copy through the host.
  const Use By{C.Done, C.What == Command::Kind::Relayed ? ForeignNode : C.On};
  Next.Commands.push_back(std::move(C));
  return By;
}

void Directory::Impl::comesAfter(Command &C, const Use &U, bool IsSource) {
  if (!U.Ev)
    return;
  auto Existing = std::ranges::find(C.Predecessors, U.Ev, [](const Command::After &A) { return A.U.Ev; });
  if (Existing == C.Predecessors.end())
    C.Predecessors.push_back({U, IsSource});
  else
    Existing->IsSource |= IsSource;
}

void Directory::Impl::comesAfterAll(Command &C, const Copy &Overwritten) {
  comesAfter(C, Overwritten.Written, false);
  for (const Use &U : Overwritten.Read)
    comesAfter(C, U, false);
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
    if (F.validOn(Node) || !F.Valid) // Lost or unwritten data have no source.
      return;
    MemoryNode From = sourceOf(F.Valid, Node);
    // Adjacent fragments with one source form one transfer.
    if (Out.size() > First && Out.back().Rows == 1 && At.Rows == 1 && Out.back().end() == At.Begin &&
        Out.back().From == From)
      Out.back().Bytes += At.Bytes;
    else
      Out.push_back({At.Begin, At.Bytes, At.Rows, At.Stride, From});
  });
}

// Rows of one length and distance with one source also form one transfer.
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

status Directory::Impl::fetch(const std::vector<Strip> &Missing, MemoryNode Node, const Task *For, bool ByHost) {
  status Result;
  for (const Strip &S : together(Missing)) {
    status Each;
    if (S.From != HostNode && Node != HostNode && !ByHost) {
      Each = across(S, Node, For);
    } else {
      if (S.From != HostNode)
        Each = download(S, For);
      if (Each.ok() && Node != HostNode)
        Each = upload(S, Node, For);
    }
    if (Result.ok())
      Result = Each; // The other strips are still transferred.
  }
  return Result;
}

// Calls Move(Part, Replica) for the parts of S, each covered by a replica on Node.
template <class Fn> status Directory::Impl::inEachReplica(const Strip &S, MemoryNode Node, Fn Move) {
  const Extent All = S.at();
  if (ReplicaRef R = Replicas[Node].covering(All)) {
    Move(S, R);
    return {};
  }
  uint64_t Covered = 0;
  for (const ReplicaRef &R : Replicas[Node].overlapping(All))
    for (const Extent &Part : common(All, R->At)) {
      Move(Strip{Part.Begin, Part.Bytes, Part.Rows, Part.Stride, S.From}, R);
      Covered += Part.bytes();
    }
  return Covered == All.bytes() ? status() : status::error(errc::internal, "a copy without a replica");
}

status Directory::Impl::upload(const Strip &S, MemoryNode To, const Task *For) {
  auto Move = [&](const Strip &Part, const ReplicaRef &R)
                  HSCHED_NO_THREAD_SAFETY_ANALYSIS { uploadToOne(Part, To, *R, For); };
  return inEachReplica(S, To, Move); // Calls Move with M held.
}

// Allocates room for one more, before a command is planned. A planned command is executed. If memory for this record
// were missing then, a write to the source would not wait for the command.
static void reserveOne(std::vector<Use> &Read) {
  if (Read.size() == Read.capacity())
    Read.reserve(std::max<size_t>(4, 2 * Read.size()));
}

void Directory::Impl::uploadToOne(const Strip &S, MemoryNode To, const Replica &R, const Task *For) {
  Command C{Command::Kind::Upload, To};
  C.Host = reinterpret_cast<void *>(S.Begin);
  C.Dst = R.Mem;
  C.DstOffset = R.offsetOf(S.Begin);
  C.Rows = {S.Rows, S.Bytes, S.Stride, R.strideOf(S.at())};
  Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
    comesAfter(C, F.Copies[HostNode].Written, true);
    comesAfterAll(C, F.Copies[To]);
    reserveOne(F.Copies[HostNode].Read);
  });
  const Use By = plan(std::move(C), S.at(), For);
  Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
    F.Valid |= nodeBit(To);
    F.Copies[To].Written = By;
    F.Copies[To].Read.clear();
    F.Copies[HostNode].Read.push_back(By);
  });
}

status Directory::Impl::across(const Strip &S, MemoryNode To, const Task *For) {
  status Result;
  auto Move = [&](const Strip &Part, const ReplicaRef &Src) HSCHED_NO_THREAD_SAFETY_ANALYSIS {
    auto MovePiece = [&](const Strip &Piece, const ReplicaRef &Dst)
                         HSCHED_NO_THREAD_SAFETY_ANALYSIS { acrossFromOne(Piece, *Src, To, *Dst, For); };
    if (status Each = inEachReplica(Part, To, MovePiece); !Each.ok())
      Result = Each;
  };
  status Found = inEachReplica(S, S.From, Move); // Calls Move with M held.
  return Found.ok() ? Result : Found;
}

void Directory::Impl::acrossFromOne(const Strip &S, const Replica &Src, MemoryNode To, const Replica &Dst,
                                    const Task *For) {
  const bool Direct = Peers[To] & nodeBit(S.From);
  Command C{Direct ? Command::Kind::Across : Command::Kind::Relayed, To, S.From};
  C.Src = Src.Mem;
  C.Dst = Dst.Mem;
  C.SrcOffset = Src.offsetOf(S.Begin);
  C.DstOffset = Dst.offsetOf(S.Begin);
  C.Rows = {S.Rows, S.Bytes, Src.strideOf(S.at()), Dst.strideOf(S.at())};
  Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
    comesAfter(C, F.Copies[S.From].Written, true);
    comesAfterAll(C, F.Copies[To]);
    reserveOne(F.Copies[S.From].Read);
  });
  const Use By = plan(std::move(C), S.at(), For);
  Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
    F.Valid |= nodeBit(To);
    F.Copies[To].Written = By;
    F.Copies[To].Read.clear();
    F.Copies[S.From].Read.push_back(By);
  });
}

status Directory::Impl::download(const Strip &S, const Task *For) {
  auto Move = [&](const Strip &Part, const ReplicaRef &R)
                  HSCHED_NO_THREAD_SAFETY_ANALYSIS { downloadFromOne(Part, *R, For); };
  return inEachReplica(S, S.From, Move); // Calls Move with M held.
}

void Directory::Impl::downloadFromOne(const Strip &S, const Replica &R, const Task *For) {
  const MemoryNode From = S.From;
  Command C{Command::Kind::Download, From};
  C.Host = reinterpret_cast<void *>(S.Begin);
  C.Src = R.Mem;
  C.SrcOffset = R.offsetOf(S.Begin);
  C.Rows = {S.Rows, S.Bytes, S.Stride, R.strideOf(S.at())};
  Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
    comesAfter(C, F.Copies[From].Written, true);
    comesAfterAll(C, F.Copies[HostNode]);
    reserveOne(F.Copies[From].Read);
  });
  const Use By = plan(std::move(C), S.at(), For);
  Fragments.visit(S.at(), [&](const Extent &, Fragment &F) {
    F.Valid |= nodeBit(HostNode);
    F.Copies[HostNode].Written = By;
    F.Copies[HostNode].Read.clear();
    F.Copies[From].Read.push_back(By);
  });
}

} // namespace hsched::rt
