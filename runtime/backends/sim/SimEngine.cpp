// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/sim/SimEngine.h"

#include <algorithm>

namespace hsched::rt::sim {

bool SimEvent::done() { return Eng->done(*this) && !Unreported; }
status SimEvent::wait() {
  Eng->called("wait");
  return Eng->wait(*this);
}

status SimEvent::outcome() {
  std::lock_guard Lock(Eng->M);
  return Result;
}

std::optional<Interval> SimEvent::times() {
  std::lock_guard Lock(Eng->M);
  return Done && Eng->Profiles ? std::optional(Ran) : std::nullopt;
}

std::shared_ptr<Context> makeContext() { return std::make_shared<Context>(); }

Engine::Engine(const SimOptions &Options)
    : Profiles(Options.Profiles), In(Options.In ? Options.In : makeContext()), M(In->M), Mode(Options.Mode),
      Polled(Options.Polled), Called(Options.Called), Manual(Options.Time), Changed(In->Changed),
      Streams(FirstCompute + std::max(1u, Options.Queues)) {
  std::lock_guard Lock(M);
  In->Engines.push_back(this);
}

Engine::~Engine() {
  std::lock_guard Lock(M);
  std::erase(In->Engines, this);
}

void Engine::start() {
  if (Mode != SimMode::Threads)
    return;
  for (unsigned N = 0; N < Streams.size(); ++N)
    Streams[N].Thread = std::thread([this, N] { runStream(N); });
}

void Engine::stop() {
  if (Mode == SimMode::Threads) {
    {
      std::lock_guard Lock(M);
      Stopping = true;
    }
    Changed.notify_all();
    for (Stream &S : Streams)
      if (S.Thread.joinable())
        S.Thread.join();
    return;
  }
  Guard Lock(M);
  for (Stream &S : Streams)
    while (!S.Queue.empty()) {
      SimEventRef Next = S.Queue.front().Done;
      drive(*Next, Lock);
    }
}

status Engine::enqueue(Lane L, std::function<status()> Run, std::span<const EventRef> Wait, Duration Cost,
                       EventRef &Done, unsigned Queue) {
  Operation Op;
  for (const EventRef &E : Wait) {
    if (!E)
      continue;
    auto Predecessor = std::dynamic_pointer_cast<SimEvent>(E);
    if (!Predecessor || Predecessor->Eng->In != In)
      return status::error(errc::invalid_argument, "sim: a wait list names an event of another device");
    Op.Wait.push_back(std::move(Predecessor));
  }
  Op.Run = std::move(Run);
  {
    std::lock_guard Lock(M);
    unsigned N = Queue == AnyQueue ? chooseStream(L, Op) : streamOf(L, Queue);
    Op.Done = std::make_shared<SimEvent>(shared_from_this(), N);
    Done = Op.Done;
    Op.Sequence = In->NextSequence++;
    Unflushed.fetch_add(1);
    if (Mode == SimMode::Virtual) {
      TimePoint &Free = Streams[N].BusyUntil;
      TimePoint Begin = std::max(Free, now());
      for (const SimEventRef &E : Op.Wait)
        Begin = std::max(Begin, E->Ran.End);
      Op.Done->Ran = {Begin, Begin + Cost};
      Free = Begin + Cost;
    }
    Streams[N].Queue.push_back(std::move(Op));
  }
  Changed.notify_all();
  return {};
}

// As in the OpenCL backend: the queue whose last command is a predecessor, otherwise the queue with the fewest
// commands, in rotation among equals.
unsigned Engine::chooseStream(Lane L, const Operation &Op) {
  if (L != Lane::Compute)
    return streamOf(L);
  for (const SimEventRef &E : Op.Wait)
    if (!E->Done && E->Eng.get() == this && E->On >= FirstCompute && Streams[E->On].Queue.back().Done == E)
      return E->On;
  unsigned First = NextQueue++, Best = 0;
  for (unsigned I = 0; I < computeQueues(); ++I) {
    unsigned N = streamOf(L, (First + I) % computeQueues());
    if (I == 0 || Streams[N].Queue.size() < Streams[Best].Queue.size())
      Best = N;
  }
  return Best;
}

bool Engine::ready(const Operation &Op) {
  return std::all_of(Op.Wait.begin(), Op.Wait.end(), [](const SimEventRef &E) { return E->Done; });
}

void Engine::runFront(unsigned N, Guard &Lock) {
  Operation &Front = Streams[N].Queue.front();
  Operation Op = std::move(Front);
  Front.Done = Op.Done;
  status Result;
  for (const SimEventRef &E : Op.Wait)
    if (Result.ok() && !E->Result.ok()) // As in OpenCL: a failed predecessor fails its successors.
      Result = status::error(errc::cancelled, "what it had to wait for failed: " + E->Result.message());
  TimePoint Begin = now();
  if (Mode == SimMode::Threads)
    Lock.unlock();
  if (Result.ok())
    Result = Op.Run();
  Op.Run = nullptr; // Releases buffers before any thread sees that the operation is done.
  if (Mode == SimMode::Threads)
    Lock.lock();
  Streams[N].Queue.pop_front();
  if (Mode != SimMode::Virtual)
    Op.Done->Ran = {Begin, now()};
  Op.Done->Result = std::move(Result);
  Op.Done->Done = true;
  Changed.notify_all();
}

void Engine::runStream(unsigned N) {
  const std::deque<Operation> &Queue = Streams[N].Queue;
  Guard Lock(M);
  for (;;) {
    Changed.wait(Lock, [&] { return Queue.empty() ? Stopping : ready(Queue.front()); });
    if (Queue.empty())
      return;
    runFront(N, Lock);
  }
}

void Engine::drive(SimEvent &E, Guard &Lock) {
  while (!E.Done) {
    // Streams are in order and waits refer to earlier operations, so this terminates.
    for (const SimEventRef &Before : std::vector(Streams[E.On].Queue.front().Wait))
      Before->Eng->drive(*Before, Lock);
    runFront(E.On, Lock);
  }
}

void Engine::executeDue(Guard &Lock) {
  for (;;) {
    // By end time, then by sequence: both respect the waits.
    const Operation *Next = nullptr;
    Engine *Where = nullptr;
    unsigned On = 0;
    for (Engine *Each : In->Engines)
      for (unsigned N = 0; N < Each->Streams.size(); ++N) {
        if (Each->Streams[N].Queue.empty())
          continue;
        const Operation &Front = Each->Streams[N].Queue.front();
        if (!Next || Front.Done->Ran.End < Next->Done->Ran.End ||
            (Front.Done->Ran.End == Next->Done->Ran.End && Front.Sequence < Next->Sequence)) {
          Next = &Front;
          Where = Each;
          On = N;
        }
      }
    if (!Next || Next->Done->Ran.End > now())
      return;
    Where->runFront(On, Lock);
  }
}

bool Engine::done(SimEvent &E) {
  if (Polled)
    Polled();
  Guard Lock(M);
  if (Mode == SimMode::Virtual)
    executeDue(Lock);
  return E.Done;
}

status Engine::wait(SimEvent &E) {
  Guard Lock(M);
  switch (Mode) {
  case SimMode::Threads:
    Changed.wait(Lock, [&] { return E.Done; });
    break;
  case SimMode::Manual:
    drive(E, Lock);
    break;
  case SimMode::Virtual:
    Manual->advanceTo(E.Ran.End);
    executeDue(Lock);
    break;
  }
  return E.Result;
}

bool Engine::step(unsigned N) {
  Guard Lock(M);
  if (Mode != SimMode::Manual || N >= Streams.size() || Streams[N].Queue.empty() || !ready(Streams[N].Queue.front()))
    return false;
  runFront(N, Lock);
  return true;
}

size_t Engine::pending() {
  std::lock_guard Lock(M);
  size_t N = 0;
  for (const Stream &S : Streams)
    N += S.Queue.size();
  return N;
}

Engine::Verdict Engine::fails(SimOp Op, const char *What, errc Otherwise, std::optional<bool> AtCall) {
  std::lock_guard Lock(FaultM);
  Verdict V;
  for (ArmedFault &A : Faults) {
    if ((A.Fault.Op != Op && A.Fault.Op != SimOp::Any) || (AtCall && A.Fault.AtCall != *AtCall))
      continue;
    ++A.NumCalls;
    if (A.NumCalls != A.Fault.Nth && !(A.Fault.Permanent && A.NumCalls > A.Fault.Nth))
      continue;
    V = {status::error(Otherwise, std::string("sim: injected failure of a ") + What), A.Fault.Late};
    if (A.Fault.LosesDevice)
      IsLost = true;
  }
  if (IsLost)
    V.Why = status::error(errc::device_lost, std::string("sim: the device is gone, at a ") + What);
  if (!V.Why.ok())
    ++NumFaults;
  return V;
}

void Engine::inject(const SimFault &Fault) {
  std::lock_guard Lock(FaultM);
  Faults.push_back({Fault});
}

bool Engine::take(uint64_t Bytes, uint64_t Limit) {
  uint64_t Now = Used.load();
  do {
    if (Bytes > Limit || Now > Limit - Bytes)
      return false;
  } while (!Used.compare_exchange_weak(Now, Now + Bytes));
  return true;
}

void Engine::give(uint64_t Bytes) { Used.fetch_sub(Bytes); }

} // namespace hsched::rt::sim
