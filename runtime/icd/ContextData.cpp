// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/ContextData.h"

#include "base/Env.h"
#include "icd/Command.h"
#include "icd/Reporter.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace hsched::icd {
namespace {

// Number of retries if a vendor has no memory though it should have some.
constexpr unsigned MostRefusals = 64;
// Memory that another thread's copies or its own attempt hold comes back without a release by a command.
constexpr std::chrono::microseconds LongestRest{200};

hsched_access accessTo(const Use &U) {
  return {U.Root->datum() + U.First,
          U.Bytes,
          1,
          U.Bytes,
          static_cast<unsigned>(!U.Writes ? HSCHED_IN
                                : U.Reads ? HSCHED_INOUT
                                          : HSCHED_OUT),
          HSCHED_NO_PARAM};
}

bool isOfHost(const Command &C) {
  return std::any_of(C.Uses.begin(), C.Uses.end(), [](const Use &U) { return U.Home; });
}

} // namespace

uint64_t ContextData::limitOf(const Device &D) {
  static const rt::MemoryLimit Limit = rt::envMemoryLimit("HSCHED_DEVICE_MEMORY");
  if (Limit.Percent)
    return D.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE) / 100 * Limit.Percent;
  return Limit.Bytes;
}

ContextData::ContextData(Context &Of, uint64_t Limit) : In(Of) {
  Reporter *Report = Reporter::get();
  std::vector<rt::NodeInfo> Nodes{{nullptr, rt::NoWorker}};
  for (const auto &P : In.Parts) {
    Vendors.push_back(std::make_unique<VendorDevice>(*P, Limit));
    Nodes.push_back({Vendors.back().get(), Report ? Report->idOf(*P->Devices.front()) : P->Number});
  }
  Dir = std::make_unique<rt::Directory>(std::move(Nodes), Time, Report ? &Report->observer() : nullptr);
}

// Stores the place of the data while the command holds them.
void ContextData::place(Command &C) const {
  if (C.Acquired->Node == rt::HostNode)
    return;
  size_t I = 0;
  for (const Use &U : C.Uses)
    if (U.Root->datum()) {
      if (const rt::Placement &P = C.Acquired->Placements[I]; P.Mem)
        U.Root->setPlace(C.Acquired->Node - 1, static_cast<VendorBuffer *>(P.Mem.get()));
      ++I;
    }
}

bool ContextData::take(Command &C, bool MayWait) {
  constexpr size_t Few = 8;
  hsched_access Some[Few];
  std::vector<hsched_access> Many;
  size_t N = 0;
  for (const Use &U : C.Uses)
    if (U.Root->datum()) {
      if (N == Few && Many.empty())
        Many.assign(Some, Some + Few);
      if (N < Few)
        Some[N] = accessTo(U);
      else
        Many.push_back(accessTo(U));
      ++N;
    }
  if (!N)
    return true;
  if (!C.Acquired)
    C.Acquired = std::make_unique<rt::Acquisition>();
  rt::Task T;
  T.Type = C.Task && Reporter::get() ? Reporter::get()->typeOf(C.Name) : nullptr;
  T.Id = C.Task;
  T.AccessList = Many.empty() ? Some : Many.data();
  T.NumAccesses = static_cast<uint32_t>(N);
  const bool Host = isOfHost(C);
  if (Host && !C.Waits.empty()) { // The host must not access data while the vendor has pending work on them.
    if (!MayWait)
      return false;
    for (const auto &W : C.Waits) {
      cl_event E = W.On->Vendors.load(std::memory_order_acquire);
      check(table(E).clWaitForEvents(1, &E));
    }
  }
  const rt::MemoryNode Node = Host ? rt::HostNode : nodeOf(*C.Where.In);
  if (!Dir->tryBegin(T, Node, *C.Acquired)) {
    if (!MayWait && !tryAcquire(C, T, Node))
      return false;
    if (MayWait)
      acquire(C, T, Node);
  }
  place(C);
  return true;
}

bool ContextData::tryAcquire(Command &C, const rt::Task &T, rt::MemoryNode Node) {
  const Part *P = C.Where.In;
  if (Node == rt::HostNode || P->Of->Lazy || C.Where.On != P->Devices.front())
    return false;
  std::vector<rt::Directory::Source> From(In.Parts.size() + 1);
  Dir->sources(T, Node, From);
  for (size_t I = 1; I != From.size(); ++I)
    if (From[I].Bytes) // The data come through the host.
      return false;
  std::vector<rt::EventRef> Until;
  status Outcome = Dir->acquire(T, Node, *C.Acquired, &Until);
  if (!Outcome.ok()) {
    const bool Later = Outcome.code() == errc::out_of_memory || C.Acquired->DataLost;
    C.Acquired->clear();
    if (!Later)
      throw Failure{codeOf(Outcome)};
    return false;
  }
  const bool Ordered = C.Acquired->Before.empty() &&
                       std::all_of(C.Acquired->Wait.begin(), C.Acquired->Wait.end(),
                                   [](const rt::EventRef &E) { return commandOf(E) != nullptr || E->done(); });
  if (!Ordered) {
    Dir->release(T, *C.Acquired, true, rt::FailedOutputs::Untouched);
    return false;
  }
  Dir->begun(*C.Acquired);
  return true;
}

void ContextData::acquire(Command &C, const rt::Task &T, rt::MemoryNode Node) {
  struct NotStarved {
    std::atomic<bool> &Its;
    ~NotStarved() { Its.store(false, std::memory_order_seq_cst); }
  } AtTheEnd{Starved}; // There is one dispatcher.
  unsigned Refusals = 0;
  for (bool Forgotten = false;;) {
    const uint32_t Before = Releases.load(std::memory_order_acquire);
    status Outcome = Dir->acquire(T, Node, *C.Acquired);
    if (Outcome.ok()) {
      for (const auto *List : {&C.Acquired->Wait, &C.Acquired->Before})
        for (const rt::EventRef &E : *List)
          if (status Ended = E->wait(); !Ended.ok() && Outcome.ok())
            Outcome = Ended;
      if (Outcome.ok()) {
        C.Acquired->Wait.clear();
        return Dir->begun(*C.Acquired);
      }
      Dir->release(T, *C.Acquired, true, rt::FailedOutputs::Untouched);
    } else if (C.Acquired->MemoryBusy) { // Commands at vendors hold the memory.
      if (!Starved.exchange(true, std::memory_order_seq_cst))
        continue; // From here on submitted commands are reported to it.
      if (!Graph::get().awaitHolder(In, C))
        awaitRelease(Before);
      continue;
    } else if (Outcome.code() == errc::out_of_memory && Outcome.native_code() && ++Refusals < MostRefusals) {
      // Freed blocks may still be on their way back to the vendor.
      for (const auto &V : Vendors)
        V->finish();
      std::this_thread::yield();
      continue;
    } else if (C.Acquired->DataLost && !Forgotten) { // A command or a copy has failed: the contents are undefined.
      Dir->forget(T);
      Forgotten = true;
      continue;
    }
    C.Acquired->Waits.reset();
    throw Failure{codeOf(Outcome)};
  }
}

void ContextData::releaseData(Command &C, bool NotBegun) {
  if (!C.Acquired || !C.Acquired->Acquired)
    return;
  Dir->release({}, *C.Acquired, NotBegun, rt::FailedOutputs::Untouched);
  wakeStarved();
}

void ContextData::wakeStarved() {
  Releases.fetch_add(1, std::memory_order_seq_cst);
  if (!Starved.load(std::memory_order_seq_cst))
    return;
  std::lock_guard Hold(WaitLock);
  Released.notify_all();
}

void ContextData::awaitRelease(uint32_t Before) {
  std::unique_lock Hold(WaitLock);
  Released.wait_for(Hold, LongestRest, [&] { return Releases.load(std::memory_order_seq_cst) != Before; });
}

uint64_t ContextData::missing(const Use &U, const Part &P) const {
  uint64_t Sum = 0;
  missing(U, P, [&](const Part *, uint64_t Bytes) { Sum += Bytes; });
  return Sum;
}

void ContextData::missing(const Use &U, const Part &P, const std::function<void(const Part *, uint64_t)> &Each) const {
  if (!U.Root->datum())
    return;
  hsched_access A = accessTo(U);
  rt::Task T;
  T.AccessList = &A;
  T.NumAccesses = 1;
  std::vector<rt::Directory::Source> From(In.Parts.size() + 1);
  Dir->sources(T, nodeOf(P), From);
  for (size_t Node = 0; Node != From.size(); ++Node)
    if (From[Node].Bytes)
      Each(Node ? In.Parts[Node - 1].get() : nullptr, From[Node].Bytes);
}

} // namespace hsched::icd
