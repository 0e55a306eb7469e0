// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Direct.h"

#include "icd/Queue.h"
#include "icd/Reporter.h"

#include <algorithm>

namespace hsched::icd {
namespace {

bool overlap(const HostUse &A, const HostUse &B) {
  auto FirstA = reinterpret_cast<uintptr_t>(A.First), FirstB = reinterpret_cast<uintptr_t>(B.First);
  return FirstA < FirstB + B.Bytes && FirstB < FirstA + A.Bytes;
}

} // namespace

bool conflict(const std::vector<Use> &A, const std::vector<HostUse> &AHost, const std::vector<Use> &B,
              const std::vector<HostUse> &BHost) {
  for (const Use &U : A)
    for (const Use &V : B)
      if (U.Root == V.Root && (U.Writes || V.Writes) && U.First < V.First + V.Bytes && V.First < U.First + U.Bytes)
        return true;
  for (const HostUse &U : AHost)
    for (const HostUse &V : BHost)
      if ((U.Writes || V.Writes) && overlap(U, V))
        return true;
  return false;
}

void Touch::uses(Memory &M, size_t First, size_t Bytes, bool Reads, bool Writes) {
  Uses.push_back({&M.root(), M.origin() + First, Bytes, Reads, Writes});
  if (M.root().usesHostPointer()) // The program's memory may change with it.
    HostUses.push_back({M.root().hostBytes() + M.origin() + First, Bytes, Writes});
}

bool Touch::usesData() const {
  return std::any_of(Uses.begin(), Uses.end(), [](const Use &U) { return U.Root->datum() != nullptr; });
}

bool Record::conflicts(const Touch &T) const {
  return Used.Fence || (T.Fence && !isEmpty()) || conflict(Used.Uses, Used.HostUses, T.Uses, T.HostUses);
}

void Record::add(const Use &U) {
  for (Use &Own : Used.Uses)
    if (Own.Root == U.Root && Own.First == U.First && Own.Bytes == U.Bytes) {
      Own.Reads |= U.Reads;
      Own.Writes |= U.Writes;
      return;
    }
  if (Used.Uses.size() < MostPlaces)
    Used.Uses.push_back(U);
  else
    Used.Fence = true;
}

void Record::add(const HostUse &U) {
  for (HostUse &Own : Used.HostUses)
    if (Own.First == U.First && Own.Bytes == U.Bytes) {
      Own.Writes |= U.Writes;
      return;
    }
  if (Used.HostUses.size() < MostPlaces)
    Used.HostUses.push_back(U);
  else
    Used.Fence = true;
}

void Record::add(const std::vector<Use> &Uses, const std::vector<HostUse> &HostUses, bool Fence) {
  Used.Fence |= Fence;
  for (const Use &U : Uses)
    add(U);
  for (const HostUse &U : HostUses)
    add(U);
}

bool Queue::canBeDirect() const {
  const Device &D = device();
  return In->isSingle() && !isScheduled() && !D.isAuto() && !D.Of->Lazy && (!isOutOfOrder() || D.OutOfOrder) &&
         !Unrecorded.load(std::memory_order_acquire) && !BehindBarrier.load(std::memory_order_acquire) &&
         !Pending.load(std::memory_order_acquire) && !Blocks.load(std::memory_order_acquire) && !Reporter::get();
}

// Under the lock: the lane for a command, and the other lanes for which it must wait.
Queue::Lane *Queue::laneFor(const Touch &T, std::vector<Lane *> &Others) {
  Device *D = &device();
  const size_t Most = mostLanes();
  Lane *First = nullptr, *Empty = nullptr, *Its = nullptr;
  size_t Count = 0;
  for (Lane &L : Lanes) {
    if (L.To.On != D || L.Measures != alwaysMeasures()) // No command is left in the others.
      continue;
    First = First ? First : &L;
    if (Most == 1)
      return First;
    ++Count;
    if (L.Used.isEmpty())
      Empty = Empty ? Empty : &L;
    else if (L.Used.conflicts(T)) {
      if (Its)
        Others.push_back(&L);
      else
        Its = &L;
    }
  }
  if (Its || Empty)
    return Its ? Its : Empty;
  if (Count < Most) {
    return &open(D, alwaysMeasures());
  }
  for (Turn = Turn % Lanes.size();; Turn = (Turn + 1) % Lanes.size())
    if (Lanes[Turn].To.On == D && Lanes[Turn].Measures == alwaysMeasures())
      return &Lanes[std::exchange(Turn, Turn + 1)];
}

bool Queue::direct(const Touch &T, Start Do, cl_int &Error, bool Blocking) {
  if (!canBeDirect() || (In->data() && T.usesData())) // Such commands acquire their data.
    return false;
  uint64_t Number;
  Target To;
  std::vector<Record> Old; // The last reference to a memory object is released without a lock: it calls the program.
  {
    // Commands of two threads have one order in the records and at the vendor. A callback of the program may enqueue
    // from inside a vendor function.
    const auto First = device().inTurn();
    std::lock_guard InTurn(Order);
    if (!canBeDirect())
      return false;
    std::vector<cl_event> Waits;
    std::vector<Target> Behind;
    {
      std::lock_guard Hold(Lock);
      if (Blocking && (Shows.load(std::memory_order_acquire) || isOutOfOrder()))
        return false; // It has ended when all before it have been seen to end.
      std::vector<Lane *> Others;
      Lane *L = laneFor(T, Others);
      if (Blocking && !Others.empty())
        return false;
      if (L->Used.isFull())
        return false;
      if (Blocking)
        for (const Lane &Other : Lanes)
          if (&Other != L && Other.Direct)
            return false;
      To = L->To;
      for (Lane *Other : Others) { // It is ordered behind them, and so are its successors.
        Behind.push_back(Other->To);
        L->Used.add(Other->Used);
        Old.push_back(std::exchange(Other->Used, {}));
      }
      L->Used.add(T);
      L->Direct = Number = ++Submitted;
      if (Blocking) { // Until its end, commands of other threads take nodes, which wait for it.
        Blocked = To.Queue;
        Blocks.store(true, std::memory_order_release);
      }
      HasDirect.store(true, std::memory_order_release);
    }
    for (const Target &B : Behind) {
      cl_event E = nullptr;
      Error = B.cl().clEnqueueMarkerWithWaitList(B.Queue, 0, nullptr, &E);
      if (Error < 0)
        break;
      B.cl().clFlush(B.Queue);
      Waits.push_back(E);
    }
    if (Error >= 0 && !Blocking)
      Error = Do(To, static_cast<cl_uint>(Waits.size()), Waits.empty() ? nullptr : Waits.data(), nullptr);
    for (cl_event E : Waits)
      table(E).clReleaseEvent(E);
    if (Waits.size() != Behind.size()) { // A marker was refused: what comes later still has to wait for these lanes.
      std::lock_guard Hold(Lock);
      for (Lane &L : Lanes)
        for (size_t I = 0; I != Behind.size(); ++I)
          if (L.To.Queue == Behind[I].Queue)
            L.Used.add(Old[I]);
    }
    if (Error >= 0 && !Blocking)
      handedOver(To.Queue);
  }
  if (Blocking)
    Error = block(To, Do, Number);
  if (To.On->answered(Error))
    Graph::get().lost(*In, *To.On);
  return true;
}

// The vendor waits for the command, faster than by an event, and without a lock.
cl_int Queue::block(const Target &To, Start Do, uint64_t Number) {
  cl_int Error;
  {
    const auto InTurn = device().inTurn();
    Error = Do(To, 0, nullptr, nullptr);
  }
  Ref<Command> Node;
  {
    std::lock_guard Hold(Lock);
    Node = std::exchange(Blocking, {});
    Blocked = nullptr;
    Blocks.store(false, std::memory_order_release);
  }
  if (Error >= 0)
    emptied(Number);
  if (Node)
    Graph::get().ended(Node, CL_COMPLETE, false);
  return Error;
}

// Everything enqueued up to Number has ended.
void Queue::emptied(uint64_t Number) {
  std::vector<Record> Old;
  std::lock_guard Hold(Lock);
  if (Submitted != Number || Blocks.load(std::memory_order_acquire))
    return;
  for (Lane &L : Lanes) {
    if (std::exchange(L.Direct, 0)) // Nothing is behind that.
      L.Unflushed = false;
    if (!L.Last && !L.Used.isEmpty())
      Old.push_back(std::exchange(L.Used, {}));
  }
  HasDirect.store(false, std::memory_order_release);
}

// Another thread may have emptied the lane's record since it was copied: the lane had no direct commands then.
Queue::Lane &Queue::record(const Target &To, const Command &C) {
  Lane &L = *std::find_if(Lanes.begin(), Lanes.end(), [&](const Lane &L) { return L.To.Queue == To.Queue; });
  L.Used.add(C.Uses, C.HostUses, C.Fence);
  return L;
}

void Queue::standIn() {
  if (!HasDirect.load(std::memory_order_acquire))
    return;
  const auto First = device().inTurn();
  std::lock_guard InTurn(Order);
  std::vector<std::pair<Target, Touch>> All;
  auto NodeOf = [&](Touch &&Used) {
    Ref<Command> C(new Command(In, this, CL_COMMAND_MARKER));
    C->releaseUser();
    C->uses(std::move(Used));
    C->FollowsLane = true;
    return C;
  };
  cl_command_queue BlockedQueue;
  {
    std::lock_guard Hold(Lock);
    for (Lane &L : Lanes)
      if (std::exchange(L.Direct, 0))
        All.emplace_back(L.To, L.Used.used());
    BlockedQueue = Blocked;
    LastMeasured = LastMeasured && All.empty();
    HasDirect.store(false, std::memory_order_release);
  }
  // Lanes whose marker the vendor refuses stay as they are: a later node or clFinish is for their commands.
  struct Remainder {
    Queue &Of;
    std::vector<std::pair<Target, Touch>> &All;
    size_t Done = 0;
    ~Remainder() {
      std::lock_guard Hold(Of.Lock);
      for (; Done != All.size(); ++Done)
        for (Lane &L : Of.Lanes)
          if (L.To.Queue == All[Done].first.Queue) {
            L.Direct = Of.Submitted;
            Of.HasDirect.store(true, std::memory_order_release);
          }
    }
  } Unmarked{*this, All};
  for (auto &[To, Used] : All) {
    if (To.Queue == BlockedQueue) { // The thread that waits for it ends the node.
      Ref<Command> C = NodeOf(std::move(Used));
      Graph::get().standsIn(C, To, nullptr);
      bool Over;
      {
        std::lock_guard Hold(Lock);
        record(To, *C);
        Over = Blocked != BlockedQueue;
        if (!Over)
          Blocking = C;
      }
      ++Unmarked.Done;
      if (Over)
        Graph::get().ended(C, CL_COMPLETE, false);
      continue;
    }
    cl_event Event = nullptr;
    check(To.cl().clEnqueueMarkerWithWaitList(To.Queue, 0, nullptr, &Event));
    Ref<Command> C = NodeOf(std::move(Used));
    {
      std::lock_guard Hold(Lock);
      record(To, *C).Last = C.get();
    }
    Graph::get().standsIn(C, To, Event);
    ++Unmarked.Done;
    handedOver(To.Queue);
  }
}

// Waits for all direct commands since standIn().
cl_int Queue::finishDirect() {
  if (!HasDirect.load(std::memory_order_acquire))
    return CL_SUCCESS;
  std::vector<Target> All;
  uint64_t Number;
  {
    std::lock_guard Hold(Lock);
    bool Others = false;
    for (Lane &L : Lanes) {
      if (L.Direct) {
        All.push_back(L.To);
        L.Unflushed = false;
      }
      Others |= L.Unflushed;
    }
    Unflushed.store(Others, std::memory_order_release);
    Number = Submitted;
  }
  cl_int Error = CL_SUCCESS;
  for (const Target &T : All)
    if (cl_int Its = T.cl().clFinish(T.Queue); Its < 0)
      Error = Its;
  if (!Error)
    emptied(Number);
  return Error;
}

} // namespace hsched::icd
