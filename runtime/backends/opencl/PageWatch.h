// Tells when host memory is given back to the system, so that nobody goes on with pages that are not there any more.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Userfaultfd's events: who unmaps or discards pages of a range that is watched goes on only when the watching thread
// has read of it. The range is registered for faults on write protection, and nothing is ever protected: apart from
// that, it behaves as before. A library could not know otherwise: what an allocator calls itself cannot be seen from
// outside, and whether an address has the page that it had cannot be asked.
//
// The watching thread takes no lock and no memory, since whoever waits for it may hold any lock, the allocator's too.
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
  // Who is told, some time later and on a thread that may do anything, that there is something new to be read. False:
  // that is Pending, so it is to be told again.
  class Listener {
  public:
    virtual bool pagesChanged() = 0;

  protected:
    ~Listener() = default;
  };
  // Where the reading of changes stands. Guarded by its owner.
  struct Cursor {
    uint64_t Next = 0;
  };
  enum class News : uint8_t {
    None,
    Some,    // In Out.
    Missed,  // Too many to be kept: anything may have changed.
    Pending, // Something is changing right now, and what is not yet known.
  };
  struct Range {
    uintptr_t Begin, End;
  };

  // The process's; null where the system has none to give. Any thread.
  static std::shared_ptr<PageWatch> get();
  ~PageWatch();

  // Any thread. Watches whole pages of ordinary memory for as long as they stay mapped. False: they cannot be.
  bool watch(uintptr_t Begin, uintptr_t End);
  // Any thread, after watch(). Whether no page from Begin to End was missing then, and is not watched now: another
  // thread may map memory beside what its caller knows of. True without doubt only of memory that nobody gives back and
  // gets again twice between the calls.
  bool watched(uintptr_t Begin, uintptr_t End);
  // Any thread. Appends what was given back since the last time. After None or Some, all that anyone has been told is
  // gone is in what has been read; until Cursor's owner reads again, more may go.
  News read(Cursor &At, std::vector<Range> &Out);
  Cursor now() const { return {Published.load(std::memory_order_acquire)}; }

  void add(Listener &L);
  void remove(Listener &L); // Waits for a call that is under way.

private:
  PageWatch() = default;
  bool open();
  bool settled();
  bool unprotect(uintptr_t Begin, uintptr_t End);
  void closeFaults();
  void run();
  void tell();

  static constexpr uint64_t Kept = 1024;
  struct Slot {
    std::atomic<uintptr_t> Begin{0}, End{0};
  };

  int Faults = -1, Stop = -1; // Descriptors.
  void *Probe = nullptr;      // A page that is watched, to ask by.
  // Sequentially consistent, as a reader may be looking at what is being overwritten.
  std::array<Slot, Kept> Ring;
  std::atomic<uint64_t> Published{0}; // Of Ring, how many ever.
  std::atomic<bool> Reading{false};
  std::atomic<bool> Begun{false};
  std::atomic<bool> Ending{false};
  std::mutex Lock;
  std::vector<Listener *> Listeners; // Guarded by Lock.
  std::thread Watcher, Teller;
};

} // namespace hsched::rt::opencl
#endif
