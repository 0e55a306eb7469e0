// Lost devices and lost copies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/DirectoryImpl.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>

namespace hsched::rt {

void Directory::Impl::handleOutcome(MemoryNode Node, const status &Outcome) {
  if (Outcome.code() == errc::device_lost)
    Nodes[Node].Dev->lose(Outcome);
}

void Directory::Impl::handleLoss(MemoryNode N) {
  Swept |= nodeBit(N);
  status Why = Nodes[N].Dev->whyLost();
  Fragments.visitExisting({0, UINTPTR_MAX}, [&](const Extent &, Fragment &F) {
    F.settle();
    F.invalidate(N, Why);
  });
}

void Directory::Impl::collect(Report &Rep, MemoryNode Node) {
  std::vector<TransferLog::Failure> Failed;
  try {
    for (MemoryNode N = 1; N < numNodes(); ++N)
      if ((Node == HostNode || Node == N) && !Log.empty(N))
        Log.collect(N, Time.now(), Counts, Rep, Failed);
  } catch (const std::bad_alloc &) { // The other fragments are handled at the next call.
  }
  for (const TransferLog::Failure &F : Failed) {
    // If one of two devices is known to be lost, it is the cause.
    bool Others = F.From != NoWorker && std::ranges::any_of(Nodes, [&F](const NodeInfo &N) {
                    return N.Dev && N.Worker == F.From && N.Dev->lost();
                  });
    if (!Others)
      handleOutcome(F.Dev, F.Outcome);
  }
}

static std::string datum(uintptr_t Lo, uint64_t Bytes) {
  char Text[64];
  std::snprintf(Text, sizeof(Text), "%" PRIuPTR " bytes at 0x%" PRIxPTR, Bytes, Lo);
  return Text;
}

status Directory::Impl::isLost(const Extent &At, const Fragment &F) const {
  const Device *Dev = Nodes[F.LostOn].Dev;
  return status::error(errc::device_lost,
                       datum(At.Begin, At.bytes()) + " are lost, of which the only copy was on " +
                           (Dev ? "device '" + Dev->title() + "'" : "the host") + ": " + F.Lost.message(),
                       F.Lost.native_code());
}

status Directory::Impl::notAtHome(std::span<const Section> Parts, bool Named, std::span<const Section> Requested,
                                  const status &Failure, bool Forget, WorkerId &Blame) {
  struct Absent {
    Extent At;
    MemoryNode On;
    status Why; // Ok: the data are lost.
  };
  std::vector<Absent> All;
  status First;
  auto look = [&](std::span<const Section> Where, bool AlsoLate) HSCHED_NO_THREAD_SAFETY_ANALYSIS { // Called with M.
    for (const Section &S : Where)
      Fragments.visitExisting(S.At, [&](const Extent &At, Fragment &F) {
        F.settle();
        if (F.Writers || F.validOn(HostNode) || (F.Valid && !AlsoLate) || F.Unwritten || (F.Homeless && !Named))
          return;
        MemoryNode On = F.Valid ? static_cast<MemoryNode>(std::countr_zero(F.Valid)) : F.LostOn;
        if (!All.empty() && All.back().At.Rows == 1 && At.Rows == 1 && All.back().At.end() == At.Begin &&
            All.back().On == On)
          All.back().At.Bytes += At.Bytes;
        else
          All.push_back({At, On, F.Valid ? Failure : F.Lost});
        if (First.ok())
          First = status::error(F.Valid ? Failure.code() : errc::device_lost, "");
        if (Forget && !F.DeviceReaders)
          F.setValid(nodeBit(HostNode));
      });
  };
  look(Parts, false);
  if (!Failure.ok())
    look(Requested, true);
  if (All.empty())
    return {};
  const Absent &A = All.front();
  const Device *Dev = Nodes[A.On].Dev;
  Blame = Dev ? Nodes[A.On].Worker : NoWorker;
  std::string Text = datum(A.At.Begin, A.At.bytes()) + ", of which the only copy was on " +
                     (Dev ? "device '" + Dev->title() + "'" : "the host") + ": " + A.Why.message();
  uint64_t More = 0;
  for (const Absent &Other : All)
    More += Other.At.bytes();
  if (All.size() > 1)
    Text += " (and " + std::to_string(More - A.At.bytes()) + " bytes at " + std::to_string(All.size() - 1) +
            " other places)";
  return status::error(First.code(), std::move(Text), A.Why.native_code());
}

bool Directory::whole(const Task &T) const {
  MutexLock Lock(I->M);
  bool Whole = true;
  std::vector<Section> Parts;
  for (const Access &A : T.accesses())
    if (reads(A))
      appendSections(A, Parts);
  for (const Section &S : Parts)
    I->Fragments.visitExisting(S.At, [&](const Extent &, Fragment &F) {
      F.settle();
      Whole &= !F.lost();
    });
  return Whole;
}

void Directory::forget(const Task &T) {
  MutexLock Lock(I->M);
  std::vector<Section> Parts;
  for (const Access &A : T.accesses())
    if (writes(A))
      appendSections(A, Parts);
  for (const Section &S : Parts) {
    I->Fragments.visitExisting(S.At, [&](const Extent &, Fragment &F) {
      F.settle();
      if (F.lost())
        F.giveUp();
    });
    I->Fragments.tidy(S.At);
  }
  I->updateHasFragments();
}

} // namespace hsched::rt
