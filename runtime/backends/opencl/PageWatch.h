// Reports host pages that are returned to the system, so that pinned ranges over them are dropped.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses userfaultfd events: a thread that unmaps or discards pages of a watched range continues only when the watching
// thread has read the event. The range is registered for write-protection faults, but nothing is ever protected, so it
// behaves as before. There is no other way: calls inside an allocator cannot be intercepted, and the system cannot tell
// whether an address still has the same page.
//
// The watching thread takes no lock and allocates nothing: a thread that waits for it may hold any lock, the
// allocator's too.
#ifndef HSCHED_BACKENDS_OPENCL_PAGEWATCH_H
#define HSCHED_BACKENDS_OPENCL_PAGEWATCH_H

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace hsched::rt::opencl {

class PageWatch {
public:
  // Notified later, on an unrestricted thread, that changes can be read. False: the result was Pending, so notify
  // again.
  class Listener {
  public:
    virtual bool pagesChanged() = 0;

  protected:
    ~Listener() = default;
  };
  // Position of a reader of changes. Guarded by its owner.
  struct Cursor {
    uint64_t Next = 0;
  };
  enum class WatchResult : uint8_t {
    None,
    Some,    // Out holds them.
    Missed,  // Too many to keep: anything may have changed.
    Pending, // A change is in progress, and its range is unknown yet.
  };
  struct Range {
    uintptr_t Begin, End;
  };

  // The process's instance; null if the system does not offer it. Any thread.
  static std::shared_ptr<PageWatch> get();
  ~PageWatch();

  // Any thread. Watches whole pages of ordinary memory while they stay mapped. False: impossible.
  bool watch(uintptr_t Begin, uintptr_t End);
  // Any thread, after watch(). True if no page of [Begin, End) was missing then and all are watched now: another
  // thread may map memory nearby. Certain unless the memory was returned and mapped again twice between the
  // calls.
  bool watched(uintptr_t Begin, uintptr_t End);
  // Any thread. Appends the ranges returned since the last call. After None or Some, every range reported so far has
  // been read; more may follow before the next call.
  WatchResult read(Cursor &At, std::vector<Range> &Out);
  Cursor now() const { return {Published.load(std::memory_order_acquire)}; }

  void add(Listener &L);
  void remove(Listener &L); // Waits for a call in progress.

private:
  PageWatch() = default;
  bool open();
  bool settled();
  bool unprotect(uintptr_t Begin, uintptr_t End);
  void closeFaults();
  void run();
  void notifyOwner();

  static constexpr uint64_t RingSlots = 1024;
  struct Slot {
    std::atomic<uintptr_t> Begin{0}, End{0};
  };

  int Faults = -1, Stop = -1; // File descriptors.
  void *Probe = nullptr;      // A watched page for queries.
  // Sequentially consistent, because a reader may read a slot that is being overwritten.
  std::array<Slot, RingSlots> Ring;
  std::atomic<uint64_t> Published{0}; // Number of entries ever put into Ring.
  std::atomic<bool> Reading{false};
  std::atomic<bool> Started{false};
  std::atomic<bool> Ending{false};
  std::mutex Lock;
  std::vector<Listener *> Listeners; // Guarded by Lock.
  std::thread Watcher, Teller;
};

} // namespace hsched::rt::opencl
#endif
