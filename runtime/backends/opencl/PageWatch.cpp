// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/PageWatch.h"

#include "base/Log.h"
#include "base/Signals.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

namespace hsched::rt::opencl {

static size_t pageBytes() {
  static const auto Bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return Bytes;
}

// A forked child must close this descriptor. While it is open anywhere, threads that return watched pages wait for a
// reader, even if this process has ended.
static std::atomic<int> Inherited{-1};

static void closeInherited() {
  if (int File = Inherited.exchange(-1); File >= 0)
    close(File);
}

std::shared_ptr<PageWatch> PageWatch::get() {
  static std::mutex Making;
  static std::weak_ptr<PageWatch> Made;
  std::lock_guard Guard(Making);
  std::shared_ptr<PageWatch> W = Made.lock();
  if (!W) {
    W.reset(new PageWatch);
    if (!W->open()) {
      log(LogLevel::Debug, "memory is not pinned in place: the system does not report freed pages: %s",
          std::strerror(errno));
      return nullptr;
    }
    Made = W;
  }
  return W;
}

bool PageWatch::open() {
  Stop = eventfd(0, EFD_CLOEXEC);
  // Without handling of kernel faults, it needs no privilege, and none is wanted.
  Faults = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
  if (Stop < 0 || Faults < 0)
    return false;
  [[maybe_unused]] static const int Once = pthread_atfork(nullptr, nullptr, closeInherited);
  Inherited.store(Faults);
  uffdio_api Api{};
  Api.api = UFFD_API;
  Api.features = UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMOVE;
  if (ioctl(Faults, UFFDIO_API, &Api) != 0)
    return false;
  Probe = mmap(nullptr, pageBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Probe == MAP_FAILED) {
    Probe = nullptr;
    return false;
  }
  auto At = reinterpret_cast<uintptr_t>(Probe);
  if (!watch(At, At + pageBytes()) || !settled())
    return false;
  SignalsBlocked Blocked;
  try {
    Teller = std::thread([this] { notifyOwner(); });
    Watcher = std::thread([this] { run(); });
  } catch (const std::exception &) { // The system refuses more threads: the destructor undoes the begun steps.
    return false;
  }
  // Nothing may be watched before: a starting thread may return pages (its stack's shadow under AddressSanitizer), and
  // no thread would read the event.
  Started.wait(false);
  return true;
}

PageWatch::~PageWatch() {
  Ending.store(true);
  if (Watcher.joinable()) {
    uint64_t One = 1;
    (void)!write(Stop, &One, sizeof(One));
    Watcher.join();
  } else if (Faults >= 0) {
    closeFaults();
  }
  if (Teller.joinable()) {
    Published.fetch_add(1); // No thread reads any more.
    Published.notify_all();
    Teller.join();
  }
  if (Stop >= 0)
    close(Stop);
  if (Probe)
    munmap(Probe, pageBytes());
}

bool PageWatch::watch(uintptr_t Begin, uintptr_t End) {
  uffdio_register Request{};
  Request.range = {Begin, End - Begin};
  Request.mode = UFFDIO_REGISTER_MODE_WP;
  return ioctl(Faults, UFFDIO_REGISTER, &Request) == 0;
}

// Changes nothing, because nothing is protected. But the system refuses it for memory that is not watched, and while a
// change is unread.
bool PageWatch::unprotect(uintptr_t Begin, uintptr_t End) {
  uffdio_writeprotect Nothing{};
  Nothing.range = {Begin, End - Begin};
  return ioctl(Faults, UFFDIO_WRITEPROTECT, &Nothing) == 0;
}

// True if no thread waits for the watching thread.
bool PageWatch::settled() {
  auto At = reinterpret_cast<uintptr_t>(Probe);
  return unprotect(At, At + pageBytes());
}

// Registering and unprotecting skip unmapped holes; msync, which has nothing to write here, fails on them.
bool PageWatch::watched(uintptr_t Begin, uintptr_t End) {
  return msync(reinterpret_cast<void *>(Begin), End - Begin, MS_ASYNC) == 0 && unprotect(Begin, End);
}

PageWatch::WatchResult PageWatch::read(Cursor &At, std::vector<Range> &Out) {
  // In this order: a change that has been read, and is no longer refused, has been published, or Reading is set.
  if (!settled() || Reading.load())
    return WatchResult::Pending;
  uint64_t End = Published.load();
  if (At.Next == End)
    return WatchResult::None;
  size_t Before = Out.size();
  for (uint64_t I = At.Next; I < End && End - At.Next <= RingSlots; ++I)
    Out.push_back({Ring[I % RingSlots].Begin.load(), Ring[I % RingSlots].End.load()});
  // The entry being written now, if any, overwrites the one RingSlots entries before it.
  bool Whole = Published.load() + 1 - At.Next <= RingSlots;
  At.Next = End;
  if (Whole)
    return WatchResult::Some;
  Out.resize(Before);
  return WatchResult::Missed;
}

void PageWatch::run() {
  Started.store(true);
  Started.notify_all();
  pollfd Fds[2] = {{Faults, POLLIN, 0}, {Stop, POLLIN, 0}};
  while (!Ending.load(std::memory_order_relaxed)) {
    if (poll(Fds, 2, -1) < 0)
      continue; // Interrupted, or temporarily out of memory.
    Reading.store(true);
    uffd_msg Message;
    while (::read(Faults, &Message, sizeof(Message)) == static_cast<ssize_t>(sizeof(Message))) {
      if (Message.event != UFFD_EVENT_UNMAP && Message.event != UFFD_EVENT_REMOVE)
        continue;
      uint64_t N = Published.load(std::memory_order_relaxed);
      Ring[N % RingSlots].Begin.store(Message.arg.remove.start);
      Ring[N % RingSlots].End.store(Message.arg.remove.end);
      Published.store(N + 1);
    }
    Reading.store(false);
    Published.notify_all();
  }
  // Here, not in the destructor: an ending thread returns pages of its stack, which may be watched, and no thread would
  // read the event. Waiting threads continue.
  closeFaults();
}

void PageWatch::closeFaults() {
  int OwnFaults = Faults; // Another watch may exist already.
  Inherited.compare_exchange_strong(OwnFaults, -1);
  close(Faults);
}

void PageWatch::notifyOwner() {
  for (uint64_t Seen = 0; !Ending.load();) {
    Published.wait(Seen, std::memory_order_acquire);
    Seen = Published.load(std::memory_order_acquire);
    std::lock_guard Guard(Lock);
    for (Listener *L : Listeners)
      while (!Ending.load() && !L->pagesChanged())
        std::this_thread::yield(); // Until the threads that return pages have been woken.
  }
}

void PageWatch::add(Listener &L) {
  std::lock_guard Guard(Lock);
  Listeners.push_back(&L);
}

void PageWatch::remove(Listener &L) {
  std::lock_guard Guard(Lock);
  std::erase(Listeners, &L);
}

} // namespace hsched::rt::opencl
