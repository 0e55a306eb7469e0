// Command queues, and the completion of their commands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BACKENDS_OPENCL_EVENTS_H
#define HSCHED_BACKENDS_OPENCL_EVENTS_H

#include "backends/opencl/ClHeader.h"
#include "backends/opencl/DeviceClock.h"
#include "device/Device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace hsched::rt::opencl {

struct ClKernel;

// The end of a command with an event. It also reports the commands before it on its queue.
struct Mark {
  // Written once with the stream's Lock held, before Set.
  cl::Event E;
  uint64_t Number = 0; // Number of the command.
  std::atomic<bool> Set{false};
  std::atomic<cl_int> Status{CL_QUEUED}; // The last status seen.
};

// One in-order command queue. Outlives its device while its events live. Any thread, unless a lock is named.
struct Stream {
  cl::Context Context;
  cl::CommandQueue Queue;
  // A second native queue, without profiling, for commands whose times are not needed. NVIDIA's driver takes 10.7 us
  // for a write on a queue with profiling if there are several, and 2.8 us on one without. Commands of both run in
  // order. Lock guards it and the next two.
  cl::CommandQueue Untimed; // Null: not made yet.
  bool MayBeUntimed = false;
  unsigned UntimedScore = 0; // High if hardly any launches need times.
  static constexpr unsigned UntimedFrom = 32, UntimedMost = 1024, TimedCosts = 8;
  // The native queue of the next command: Queue or Untimed. Lock guards its changes.
  std::atomic<cl_command_queue> Current{nullptr};
  cl_command_queue native() const { return Current.load(std::memory_order_acquire); }
  unsigned Number = 0; // Index among the compute queues; 0 for transfer queues.
  std::string Device;  // For messages.
  std::shared_ptr<DeviceClock> Time;
  bool Counts = false;  // Its commands keep the device from other kernels.
  bool Profiles = true; // Events of Queue have times.
  bool isTimed() const { return Profiles && native() == Queue(); }

  std::mutex Lock;                          // Held from choosing a sequence number to the end of the enqueue.
  std::atomic<uint64_t> Enqueued{0};        // Sequence number of the last command; written with Lock held.
  std::atomic<uint64_t> Flushed{0};         // Every command up to this one has been flushed.
  std::atomic<uint64_t> LastWork{0};        // The last command that was not a marker.
  std::atomic<unsigned> Outstanding{0};     // Commands whose end has not been seen.
  std::atomic<uint64_t> NumObservedEnds{0}; // Every command up to this one has ended.
  std::atomic<uint64_t> LastToWait{0};      // The last command that waits for other queues; written with Lock held.
  // The last command that failed, or whose event was released before its end was seen.
  std::atomic<uint64_t> Abandoned{0};
  static void raise(std::atomic<uint64_t> &To, uint64_t Number) {
    uint64_t Old = To.load(std::memory_order_relaxed);
    while (Old < Number && !To.compare_exchange_weak(Old, Number, std::memory_order_acq_rel))
      ;
  }
  // The mark of the commands without an event since the last one with an event; null: none. Lock guards it and the
  // number of these commands.
  std::shared_ptr<Mark> Open;
  unsigned Unreported = 0;

  // Failed events are kept: PoCL 3.1 notifies the dependents of a failed event one after another and reads notified
  // events again. Guarded by RowLock, as are the three below.
  std::vector<cl::Event> Failed;

  std::mutex RowLock;
  bool AnyEnd = false;
  uint64_t LastDeviceEnd = 0; // Device time of the latest operation whose times were read.
  TimePoint LastEnd;          // The same in host time: one queue's operations must not overlap.

  // Chooses the native queue of the next command. Timed: its times are needed. Otherwise the queue is changed only
  // while all commands have ended, and if few launches need times. With Lock held.
  cl_int choose(bool Timed);
  // Counts a launch, for choose. With Lock held.
  void noteLaunch(bool Timed) {
    UntimedScore = Timed ? UntimedScore - std::min(UntimedScore, TimedCosts) : std::min(UntimedScore + 1, UntimedMost);
  }
  // Other queues that must be flushed up to these commands before this queue is: commands here wait for them. An entry
  // stays until that has been done. NeedsLock guards it.
  struct Need {
    std::shared_ptr<Stream> Other;
    uint64_t Number;
    cl::Event E; // The command's.
  };
  std::mutex NeedsLock;
  std::vector<Need> Needs;
  void needs(const std::shared_ptr<Stream> &Other, uint64_t Number, const cl::Event &E);
  void dropFlushedNeeds();
  // Flushes commands up to Number; no call if that has been done. False: the driver refused, and the commands may not
  // begin without a wait. May be called with Lock held.
  bool flushTo(uint64_t Number);
  // Waits for all commands. Without Lock.
  void finish();
  // Sets Open: E is an event of command Number. With Lock held.
  void close(uint64_t Number, const cl::Event &E);
  // Sets M by a marker command, unless it is set.
  void requestReport(Mark &M);
};

// A command's name for messages. A kernel's text is made on demand, because few need it.
class CommandName {
public:
  CommandName(std::string Text) : Text(std::make_unique<const std::string>(std::move(Text))) {}
  explicit CommandName(std::shared_ptr<ClKernel> K) : K(std::move(K)) {}
  std::string text() const; // "kernel 'add'".
  bool isKernel() const { return K != nullptr; }

private:
  std::unique_ptr<const std::string> Text; // Null where K is not.
  std::shared_ptr<ClKernel> K;             // Keeps the kernel alive.
};

// A small vector of references: a few are stored inline.
template <class Ref, size_t NumFew> class FewRefs {
public:
  FewRefs() = default;
  FewRefs(std::initializer_list<Ref> Refs) {
    for (const Ref &R : Refs)
      add(R);
  }
  FewRefs(std::vector<Ref> Refs) : More(std::move(Refs)) {}
  FewRefs(FewRefs &&O) noexcept : Count(std::exchange(O.Count, 0)), More(std::move(O.More)) {
    for (size_t I = 0; I < Count; ++I)
      Few[I] = std::move(O.Few[I]);
  }
  FewRefs &operator=(FewRefs &&) = delete;
  void add(Ref R) {
    if (Count < NumFew)
      Few[Count++] = std::move(R);
    else
      More.push_back(std::move(R));
  }
  // Drops them all.
  void clear() {
    while (Count)
      Few[--Count] = {};
    More = {};
  }
  template <class Fn> bool any(Fn Is) const {
    return std::any_of(Few.begin(), Few.begin() + Count, Is) || std::ranges::any_of(More, Is);
  }
  std::vector<Ref> list() const {
    std::vector<Ref> All(Few.begin(), Few.begin() + Count);
    All.insert(All.end(), More.begin(), More.end());
    return All;
  }

private:
  std::array<Ref, NumFew> Few;
  size_t Count = 0;
  std::vector<Ref> More;
};
using OwnedRefs = FewRefs<std::shared_ptr<void>, 3>; // What a command uses until it has ended.
using PriorEvents = FewRefs<EventRef, 2>;

class ClEvent final : public Event {
public:
  // Kept: objects that the command uses until it has ended. Before: its unfinished predecessors; if one fails, this
  // fails, whatever the driver reports. Failure: the code of a failed outcome. The caller has counted the command in
  // S's Enqueued and Outstanding.
  ClEvent(std::shared_ptr<Stream> S, uint64_t Number, cl::Event E, errc Failure, TimePoint EnqueuedAt, CommandName What,
          OwnedRefs &&Owned, PriorEvents &&Before);
  ~ClEvent() override;

  // The same for a command without its own event; M reports its end.
  ClEvent(std::shared_ptr<Stream> S, uint64_t Number, std::shared_ptr<Mark> M, errc Failure, CommandName What,
          OwnedRefs &&Owned, PriorEvents &&Before)
      : ClEvent(std::move(S), Number, cl::Event(), Failure, TimePoint(), std::move(What), std::move(Owned),
                std::move(Before)) {
    this->M = std::move(M);
  }

  bool done() override;
  status wait() override;
  status outcome() override;
  std::optional<Interval> times() override;

  // Earlier: all pieces of the command but the last. times() spans all pieces, and the command fails if one of them
  // fails. Call before other threads see this.
  void comesAfterPieces(std::vector<cl::Event> Earlier) {
    if (!Earlier.empty())
      parts().Pieces = std::move(Earlier);
  }
  // times() begins at the end of Before, of all predecessors, and of the device's earlier work: it measures the time
  // that the device was busy. Before was enqueued at BeforeAt or later. Call before other threads see this.
  void startsAfter(cl::Event Before, TimePoint BeforeAt) {
    parts().StartsAfter = std::move(Before);
    parts().BeforeAt = BeforeAt;
  }
  // Adds predecessors, like Before. Call before other threads see this.
  void comesAfter(PriorEvents &&More) {
    for (EventRef &E : More.list())
      Before.add(std::move(E));
  }
  // It ends when these have ended too, and fails if one of them fails. Call before other threads see this.
  void needsAlso(std::vector<cl::Event> Events) { parts().Also = std::move(Events); }

  const std::shared_ptr<Stream> &stream() const { return S; }
  uint64_t number() const { return Number; }
  // A native event for its end, and the command to flush for it. The end is reported from here on.
  const cl::Event &native() const {
    requestReport();
    return M ? M->E : E;
  }
  bool reportRequested() const { return !M || M->Set.load(std::memory_order_acquire); }
  uint64_t reportedBy() const { return M ? M->Number : Number; }
  void requestReport() const {
    if (!reportRequested())
      S->requestReport(*M);
  }
  // True if the end has been seen already. Does not call the driver.
  bool endObserved() const { return Ended.load(std::memory_order_acquire); }

private:
  // Data of the few commands that consist of several.
  struct Parts {
    std::vector<cl::Event> Pieces;
    cl::Event StartsAfter;  // Null: it starts with the first of Pieces, or E.
    TimePoint BeforeAt;     // If StartsAfter is set: when that was enqueued.
    uint64_t InputsEnd = 0; // If StartsAfter is set: end of the inputs, in device time. Written under Lock at the end.
    std::vector<cl::Event> Also;
  };
  Parts &parts() {
    if (!P)
      P = std::make_unique<Parts>();
    return *P;
  }
  void settle(cl_int Status);
  status lookBack(std::span<const EventRef> Others, cl_int &Status) const;
  std::optional<Interval> readTimes();

  const std::shared_ptr<Stream> S;
  const uint64_t Number;
  const cl::Event E;       // Null: M has the event.
  std::shared_ptr<Mark> M; // Null: E is its own.
  std::unique_ptr<Parts> P;
  const errc Failure;
  const TimePoint EnqueuedAt; // Unknown if E is null or has no times.
  const CommandName What;

  // A transfer without an event is reported after so many calls of done(). Devices' managers request it for kernels.
  static constexpr unsigned MostPolls = 64;
  // A command is flushed after so many calls of done(). Devices' managers flush several together before.
  static constexpr unsigned PollsUnflushed = 4;
  std::atomic<unsigned> Polls{0};
  std::atomic<bool> Ended{false};
  std::mutex Lock; // Guards all below until Ended.
  OwnedRefs Owned;
  PriorEvents Before;     // Cleared at the end.
  status Result;          // Constant from Ended on.
  TimePoint SeenAt;       // Constant from Ended on.
  bool TimesRead = false; // This and the next are always guarded by Lock.
  std::optional<Interval> Ran;
};

// A pool for events, which are made and freed by the thousand. Drivers' threads free memory at the same time, so
// malloc's locks would be contended. Blocks are kept until the process ends.
void *takeEventBlock(size_t Bytes);
void giveEventBlock(void *Block, size_t Bytes) noexcept;

template <class T> struct EventAllocator {
  using value_type = T;
  EventAllocator() = default;
  template <class U> EventAllocator(const EventAllocator<U> &) {}
  T *allocate(size_t N) { return static_cast<T *>(takeEventBlock(N * sizeof(T))); }
  void deallocate(T *P, size_t N) noexcept { giveEventBlock(P, N * sizeof(T)); }
  template <class U> bool operator==(const EventAllocator<U> &) const { return true; }
};

template <class... Args> std::shared_ptr<ClEvent> makeEvent(Args &&...A) {
  return std::allocate_shared<ClEvent>(EventAllocator<ClEvent>(), std::forward<Args>(A)...);
}

// Null if E is null or of another backend. Compares types, because this is called often and a dynamic_cast is slower.
inline ClEvent *ownEvent(Event *E) { return E && typeid(*E) == typeid(ClEvent) ? static_cast<ClEvent *>(E) : nullptr; }

// The wait list for a command on Target, made from Wait without ended events and without events of Target itself.
// Flushes the queues of the others, as OpenCL requires; WithTarget: later, before Target is flushed. User events
// represent events of other contexts. Fails with cancelled if one of Wait has failed. Owned keeps List's events alive.
struct WaitList {
  std::vector<cl_event> List;
  std::vector<cl::Event> Owned;
  PriorEvents Unsettled; // Events of Wait, of any context, that have not been seen to end.
  cl_uint size() const { return static_cast<cl_uint>(List.size()); }
  const cl_event *data() const { return List.empty() ? nullptr : List.data(); }
};
status makeWaitList(std::span<const EventRef> Wait, Stream &Target, WaitList &Out, bool WithTarget = false);

// Makes Out, a user event of Context that completes when Other has ended or failed. A wait for Other itself is unsafe:
// with PoCL 3.1, commands enqueued behind a failed event never end.
status followEvent(const cl::Event &Other, const cl::Context &Context, cl::Event &Out);

} // namespace hsched::rt::opencl
#endif
