// Command queues and the completion of what was put on them.
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

// The end of a command that has an event, which tells of those before it on its queue too.
struct Mark {
  // Written once, with the stream's Lock held, and then Set.
  cl::Event E;
  uint64_t Number = 0; // Of the command.
  std::atomic<bool> Set{false};
  std::atomic<cl_int> Status{CL_QUEUED}; // As it was last seen.
};

// One in-order command queue. Outlives its device while events of it live. Any thread, where no lock is named.
struct Stream {
  cl::Context Context;
  cl::CommandQueue Queue;
  unsigned Number = 0; // Among the compute queues; 0 for the queues of transfers.
  std::string Device;  // For messages.
  std::shared_ptr<DeviceClock> Time;
  bool Counts = false; // What ends here kept the device from other kernels.

  std::mutex Lock;                      // Held from choosing a sequence number to the end of the enqueue.
  std::atomic<uint64_t> Enqueued{0};    // Sequence number of the last command; written with Lock held.
  std::atomic<uint64_t> Flushed{0};     // Every command up to this one has been flushed.
  std::atomic<uint64_t> LastWork{0};    // The same of the last one that was more than a marker.
  std::atomic<unsigned> Outstanding{0}; // Commands whose end nobody has seen.
  std::atomic<uint64_t> SeenToEnd{0};   // Every command up to this one has ended.
  std::atomic<uint64_t> LastToWait{0};  // The last one that has to wait for other queues; written with Lock held.
  std::atomic<uint64_t> Abandoned{0};   // The last one whose event has gone before anyone saw the end, or that failed.
  static void raise(std::atomic<uint64_t> &To, uint64_t Number) {
    uint64_t Old = To.load(std::memory_order_relaxed);
    while (Old < Number && !To.compare_exchange_weak(Old, Number, std::memory_order_acq_rel))
      ;
  }
  // Of the commands without an event since the last one that had one; null: none. Guarded by Lock, as is how many.
  std::shared_ptr<Mark> Open;
  unsigned Untold = 0;

  // Events that have failed, kept: PoCL 3.1 tells one after the other of those that depend on a failed event, and looks
  // once more at events that have been told already. Guarded by RowLock, as are the three below.
  std::vector<cl::Event> Failed;

  std::mutex RowLock;
  bool AnyEnd = false;
  uint64_t LastDeviceEnd = 0; // Of the latest operation whose times were asked for.
  TimePoint LastEnd;          // The same on the host's time line: one queue's operations must not overlap there.

  // Hands commands up to Number to the device; no call where that has been done. False: the driver refuses, and they
  // may never begin unless they are waited for.
  bool flushTo(uint64_t Number);
  // Waits for all commands, by whichever way the driver offers.
  void finish();
  // Sets Open: E is an event of command Number. With Lock held.
  void close(uint64_t Number, const cl::Event &E);
  // Sets M, by means of a marker, unless it is set.
  void tell(Mark &M);
};

// What a command is, for messages, which few ask for: a kernel's is put into words when one does.
class CommandName {
public:
  CommandName(std::string Text) : Text(std::make_unique<const std::string>(std::move(Text))) {}
  explicit CommandName(std::shared_ptr<ClKernel> K) : K(std::move(K)) {}
  std::string text() const; // "Kernel 'add'".

private:
  std::unique_ptr<const std::string> Text; // Null where K is not.
  std::shared_ptr<ClKernel> K;             // Keeps the kernel, too.
};

// A few references, which mostly need no memory of their own here.
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
using KeptRefs = FewRefs<std::shared_ptr<void>, 3>; // What a command uses until it has ended.
using PriorEvents = FewRefs<EventRef, 2>;

class ClEvent final : public Event {
public:
  // Kept holds what the command uses until it has ended. It was ordered after Before, which have not been seen to end:
  // where one has failed, this one has, whether the driver looked or not. Failure is the code of an outcome that
  // failed. The caller has counted the command in S's Enqueued and Outstanding.
  ClEvent(std::shared_ptr<Stream> S, uint64_t Number, cl::Event E, errc Failure, TimePoint EnqueuedAt, CommandName What,
          KeptRefs &&Kept, PriorEvents &&Before);
  ~ClEvent() override;

  // The same of a command without an event of its own, which M tells of.
  ClEvent(std::shared_ptr<Stream> S, uint64_t Number, std::shared_ptr<Mark> M, errc Failure, CommandName What,
          KeptRefs &&Kept, PriorEvents &&Before)
      : ClEvent(std::move(S), Number, cl::Event(), Failure, TimePoint(), std::move(What), std::move(Kept),
                std::move(Before)) {
    this->M = std::move(M);
  }

  bool done() override;
  status wait() override;
  status outcome() override;
  std::optional<Interval> times() override;

  // The command was enqueued in pieces, of which these came before the last: times() spans them all, and it has failed
  // if one of them has. Before anyone else sees this.
  void comesAfterPieces(std::vector<cl::Event> Earlier) {
    if (!Earlier.empty())
      parts().Pieces = std::move(Earlier);
  }
  // times() begins where Before and all that it comes after have ended, and what the device had to do before: how long
  // it was kept busy. Before was enqueued at BeforeAt, or later. Before anyone else sees this.
  void startsAfter(cl::Event Before, TimePoint BeforeAt) {
    parts().StartsAfter = std::move(Before);
    parts().BeforeAt = BeforeAt;
  }
  // More that it comes after, like Before. Before anyone else sees this.
  void comesAfter(PriorEvents &&More) {
    for (EventRef &E : More.list())
      Before.add(std::move(E));
  }
  // It has ended when these have as well, and has failed if one of them has. Before anyone else sees this.
  void needsAlso(std::vector<cl::Event> Events) { parts().Also = std::move(Events); }

  const std::shared_ptr<Stream> &stream() const { return S; }
  uint64_t number() const { return Number; }
  // An event that ends when it has ended, and what to flush to for that. Told from here on.
  const cl::Event &native() const {
    tell();
    return M ? M->E : E;
  }
  bool told() const { return !M || M->Set.load(std::memory_order_acquire); }
  uint64_t toldBy() const { return M ? M->Number : Number; }
  void tell() const {
    if (!told())
      S->tell(*M);
  }
  // Whether the end has been seen already; asks nobody.
  bool knownDone() const { return Ended.load(std::memory_order_acquire); }

private:
  // What few commands have: they are made of several.
  struct Parts {
    std::vector<cl::Event> Pieces;
    cl::Event StartsAfter;  // Null: it starts with the first of Pieces, or E.
    TimePoint BeforeAt;     // Where StartsAfter is set: when that was enqueued.
    uint64_t InputsEnd = 0; // On the device, where StartsAfter is set; written under Lock when it has ended.
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
  const cl::Event E;       // Null: M's.
  std::shared_ptr<Mark> M; // Null: E is its own.
  std::unique_ptr<Parts> P;
  const errc Failure;
  const TimePoint EnqueuedAt; // Not known where E is null.
  const CommandName What;

  std::atomic<bool> Ended{false};
  std::mutex Lock; // All below, until Ended.
  KeptRefs Kept;
  PriorEvents Before;     // Empty when it has ended.
  status Result;          // Constant from Ended on.
  TimePoint SeenAt;       // The same.
  bool TimesRead = false; // These two: Lock all the time.
  std::optional<Interval> Ran;
};

// Memory for events, which come and go by the thousand: drivers' threads free what they allocated for a command at the
// same time, and malloc's locks are theirs as well. Kept for the next ones until the process ends.
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

// Null where E is another backend's, or null. A comparison: a dynamic_cast takes longer, and this is asked often.
inline ClEvent *ownEvent(Event *E) { return E && typeid(*E) == typeid(ClEvent) ? static_cast<ClEvent *>(E) : nullptr; }

// The part of Wait that a command on Target must name: what has ended, and what precedes it on Target itself, is left
// out; queues that it waits for are flushed, as OpenCL asks. Events of other contexts are represented by user events in
// Context's. Fails with cancelled where one of Wait has failed already. Owned keeps List's events alive.
struct WaitList {
  std::vector<cl_event> List;
  std::vector<cl::Event> Owned;
  PriorEvents Unsettled; // What of Wait, this context's or not, has not been seen to end.
  cl_uint size() const { return static_cast<cl_uint>(List.size()); }
  const cl_event *data() const { return List.empty() ? nullptr : List.data(); }
};
status makeWaitList(std::span<const EventRef> Wait, const Stream &Target, WaitList &Out);

// Out is a user event of Context that is complete once Other has ended, well or badly. To wait for Other itself is not
// safe where it may fail: commands that are enqueued behind what has failed already never end with PoCL 3.1.
status followEvent(const cl::Event &Other, const cl::Context &Context, cl::Event &Out);

} // namespace hsched::rt::opencl
#endif
