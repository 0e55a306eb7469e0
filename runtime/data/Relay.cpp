// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/Relay.h"

#include "base/NoMemory.h"
#include "base/Signals.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <new>
#include <string>
#include <utility>

namespace hsched::rt {

using namespace std::chrono_literals;

static constexpr std::align_val_t PageAlignment{4096};

static void handleOutcome(Device &Dev, const status &Outcome) {
  if (Outcome.code() == errc::device_lost)
    Dev.lose(Outcome);
}

// Decided once all pieces have been enqueued, or one has failed. The copy has ended when the writes have ended.
class Relay::Done final : public Event {
public:
  bool done() override {
    std::lock_guard Guard(Lock);
    return Decided && std::ranges::all_of(Writes, [](const EventRef &E) { return E->done(); });
  }
  status wait() override {
    {
      std::unique_lock Guard(Lock);
      Changed.wait(Guard, [&] { return Decided; });
    }
    for (const EventRef &E : Writes) // The writes do not change any more.
      (void)E->wait();
    return outcome();
  }
  status outcome() override {
    std::lock_guard Guard(Lock);
    for (const EventRef &E : Writes)
      if (Failure.ok())
        Failure = E->outcome();
    return Failure;
  }
  std::optional<Interval> times() override {
    std::lock_guard Guard(Lock);
    if (!Decided || !FirstRead || Writes.empty())
      return std::nullopt;
    auto Begun = FirstRead->times(), Ended = Writes.back()->times();
    return Begun && Ended ? std::optional(Interval{Begun->Begin, std::max(Begun->Begin, Ended->End)}) : std::nullopt;
  }

  void began(const EventRef &Read) {
    std::lock_guard Guard(Lock);
    FirstRead = Read;
  }
  // Sets the number of writes to expect.
  void expect(size_t Pieces) {
    std::lock_guard Guard(Lock);
    Writes.reserve(Pieces);
  }
  void wrote(EventRef Write, bool Last) {
    std::lock_guard Guard(Lock);
    Writes.push_back(std::move(Write));
    Decided = Last;
    if (Last)
      Changed.notify_all();
  }
  void failed(const status &Why) {
    std::lock_guard Guard(Lock);
    if (Decided)
      return;
    Failure = Why;
    Decided = true;
    Changed.notify_all();
  }
  bool hasFailed() {
    std::lock_guard Guard(Lock);
    return Decided;
  }

private:
  std::mutex Lock; // Guards all below.
  std::condition_variable Changed;
  bool Decided = false;
  EventRef FirstRead;
  std::vector<EventRef> Writes;
  status Failure;
};

void Relay::stop() {
  {
    std::lock_guard Guard(Lock);
    Stopping = true;
  }
  Changed.notify_all();
  if (Thread.joinable())
    Thread.join();
  for (Device *Dev : PinnedFor)
    Dev->unpin(Memory);
  PinnedFor.clear();
  ::operator delete(std::exchange(Memory, nullptr), PageAlignment);
  Stopping = false;
}

EventRef Relay::start(Copy C) {
  Job J{std::make_shared<Copy>(std::move(C)), std::make_shared<Done>()};
  try {
    std::lock_guard Guard(Lock);
    if (!Memory)
      Memory = static_cast<std::byte *>(::operator new(PieceBytes * Blocks.size(), PageAlignment));
    if (!Thread.joinable()) {
      SignalsBlocked Blocked;
      Thread = std::thread([this] { loop(); });
    }
    Jobs.push_back(J);
  } catch (const std::exception &E) {
    J.Result->failed(status::error(errc::transfer_failed, std::string("no copy between devices: ") + E.what()));
  }
  Changed.notify_all();
  return J.Result;
}

status Relay::copy(Device &From, const BufferRef &Src, Device &To, const BufferRef &Dst, size_t Bytes, EventRef &Done) {
  const RowLayout All{1, Bytes, Bytes, Bytes};
  if (!To.reaches(From)) {
    Done = start({&From, &To, Src, Dst, 0, 0, All, {}, {}, {}, {}});
    return {};
  }
  status Outcome = To.copyFrom(From, Src, 0, Dst, 0, All, {}, Done);
  if (Outcome.ok())
    To.flush();
  return Outcome;
}

// Several threads start copies, so one may arrive before its predecessor.
void Relay::loop() {
  constexpr auto FirstPause = 10us, MostPause = 160us;
  std::chrono::microseconds Pause = FirstPause;
  for (;;) {
    const bool Idle = Pieces.empty() && Reading.empty();
    {
      std::unique_lock Guard(Lock);
      if (Idle && Claimed.empty())
        Changed.wait(Guard, [&] { return Stopping || !Jobs.empty(); });
      try {
        for (; !Jobs.empty(); Jobs.pop_front())
          Claimed.push_back(Jobs.front());
      } catch (const std::bad_alloc &) { // The other copies are started later.
      }
      if (Stopping && Idle && Claimed.empty() && Jobs.empty())
        break;
    }
    if (Pieces.empty() && beginNext())
      Pause = FirstPause;
    else if (Idle) { // No event reports the end of what all copies wait for.
      std::unique_lock Guard(Lock);
      Changed.wait_for(Guard, Pause, [&] { return !Jobs.empty(); });
      Pause = std::min(2 * Pause, MostPause);
    }
    // Half of the blocks receive data while the other half is sent.
    if (!Pieces.empty() && Reading.size() < std::max<size_t>(1, Blocks.size() / 2)) {
      Piece P = std::move(Pieces.front());
      Pieces.pop_front();
      read(std::move(P));
    } else if (!Reading.empty()) {
      writeOldest();
    }
  }
  for (const EventRef &E : Blocks)
    if (E)
      (void)E->wait();
  std::ranges::fill(Blocks, nullptr);
}

bool Relay::beginNext() {
  const auto ended = [](const EventRef &E) { return E->done(); };
  const auto Next = std::ranges::find_if(Claimed, [&](const Job &J) {
    return std::ranges::all_of(J.C->Others, ended) && std::ranges::all_of(J.C->Sources, ended);
  });
  if (Next == Claimed.end())
    return false;
  const Job J = *Next;
  Claimed.erase(Next);
  try {
    split(J);
  } catch (const std::bad_alloc &) {
    Pieces.clear(); // All of them belong to J.
    releaseBuffers(*J.C);
    J.Result->failed(noHostMemory());
  }
  return true;
}

void Relay::split(const Job &J) {
  const Copy &C = *J.C;
  pinFor(*C.From);
  pinFor(*C.To);
  const RowLayout &All = C.Rows;
  auto add = [&](size_t Row, size_t At, size_t Rows, size_t Bytes) {
    Pieces.push_back({J.C,
                      J.Result,
                      C.SrcOffset + Row * All.HostStride + At,
                      C.DstOffset + Row * All.DeviceStride + At,
                      {Rows, Bytes, All.HostStride, All.DeviceStride},
                      Row == 0 && At == 0,
                      false,
                      0,
                      nullptr});
  };
  if (size_t Fit = PieceBytes / All.Bytes; Fit && All.Rows > 1) {
    for (size_t Row = 0; Row < All.Rows; Row += Fit)
      add(Row, 0, std::min(Fit, All.Rows - Row), All.Bytes);
  } else {
    for (size_t Row = 0; Row < All.Rows; ++Row)
      for (size_t At = 0; At < All.Bytes; At += PieceBytes)
        add(Row, At, 1, std::min(PieceBytes, All.Bytes - At));
  }
  Pieces.back().Last = true;
  J.Result->expect(Pieces.size());
}

void Relay::writeOldest() {
  Piece P = std::move(Reading.front());
  Reading.pop_front();
  write(P);
}

void Relay::read(Piece P) {
  if (P.Result->hasFailed())
    return;
  Copy &C = *P.Of;
  if (P.First)
    for (const EventRef &E : C.Sources) // All of them have ended.
      if (status Ended = E->wait(); !Ended.ok())
        return fail(P, Ended);
  P.Block = NextBlock;
  NextBlock = (NextBlock + 1) % Blocks.size();
  if (EventRef Busy = std::exchange(Blocks[P.Block], nullptr))
    (void)Busy->wait(); // If it failed, its own copy reports it.
  std::byte *Into = block(P.Block);
  status Outcome = statusOf([&] {
    return P.Rows.Rows == 1
               ? C.From->read(C.Src, P.SrcOffset, Into, P.Rows.Bytes, C.FromWait, P.Read)
               : C.From->readRows(C.Src, P.SrcOffset, Into,
                                  {P.Rows.Rows, P.Rows.Bytes, P.Rows.Bytes, P.Rows.HostStride}, C.FromWait, P.Read);
  });
  handleOutcome(*C.From, Outcome);
  if (!Outcome.ok())
    return fail(P, Outcome);
  C.From->flush();
  if (P.First)
    P.Result->began(P.Read);
  try {
    Reading.push_back(std::move(P));
  } catch (const std::bad_alloc &) { // P is unchanged: its block has been read.
    (void)P.Read->wait();
    fail(P, noHostMemory());
  }
}

void Relay::write(Piece &P) {
  Copy &C = *P.Of;
  status Outcome = P.Read->wait(); // Also if the copy has failed, because the block is read into.
  if (P.Result->hasFailed())
    return;
  EventRef Written;
  const std::byte *From = block(P.Block);
  handleOutcome(*C.From, Outcome);
  if (Outcome.ok()) {
    Outcome = statusOf([&] {
      return P.Rows.Rows == 1
                 ? C.To->write(C.Dst, P.DstOffset, From, P.Rows.Bytes, C.ToWait, Written)
                 : C.To->writeRows(C.Dst, P.DstOffset, From,
                                   {P.Rows.Rows, P.Rows.Bytes, P.Rows.Bytes, P.Rows.DeviceStride}, C.ToWait, Written);
    });
    handleOutcome(*C.To, Outcome);
  }
  if (!Outcome.ok())
    return fail(P, Outcome);
  C.To->flush();
  Blocks[P.Block] = Written;
  if (P.Last)
    releaseBuffers(C);
  P.Result->wrote(std::move(Written), P.Last);
}

void Relay::fail(Piece &P, const status &Why) {
  releaseBuffers(*P.Of);
  P.Result->failed(Why);
}

void Relay::pinFor(Device &Dev) {
  if (std::ranges::find(PinnedFor, &Dev) != PinnedFor.end())
    return;
  PinnedFor.reserve(PinnedFor.size() + 1);
  if (Dev.pin(Memory, PieceBytes * Blocks.size()).ok()) // Without pinning, it is transferred like any other memory.
    PinnedFor.push_back(&Dev);
}

} // namespace hsched::rt
