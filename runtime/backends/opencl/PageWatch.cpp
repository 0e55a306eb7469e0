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

// The descriptor that a forked child is to close: as long as it is open anywhere, who gives watched pages back waits
// for somebody to read of it, whether this process still does or not.
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
      log(LogLevel::Debug, "memory is not pinned where it is: the system tells of no pages given back: %s",
          std::strerror(errno));
      return nullptr;
    }
    Made = W;
  }
  return W;
}

bool PageWatch::open() {
  Stop = eventfd(0, EFD_CLOEXEC);
  // Without faults of the kernel's own, everybody may have one; none is wanted at all.
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
    Teller = std::thread([this] { tell(); });
    Watcher = std::thread([this] { run(); });
  } catch (const std::exception &) { // The system makes no more threads: the destructor ends what has begun.
    return false;
  }
  // Nothing more may be watched before: a thread that begins may give pages up, of its stack's shadow under
  // AddressSanitizer, and nobody would read of it.
  Begun.wait(false);
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
    Published.fetch_add(1); // Nobody reads any more.
    Published.notify_all();
    Teller.join();
  }
  if (Stop >= 0)
    close(Stop);
  if (Probe)
    munmap(Probe, pageBytes());
}

bool PageWatch::watch(uintptr_t Begin, uintptr_t End) {
  uffdio_register Wanted{};
  Wanted.range = {Begin, End - Begin};
  Wanted.mode = UFFDIO_REGISTER_MODE_WP;
  return ioctl(Faults, UFFDIO_REGISTER, &Wanted) == 0;
}

// Changes nothing, since nothing is protected; but the system refuses it where memory is not watched, and as long as a
// change has not been read.
bool PageWatch::unprotect(uintptr_t Begin, uintptr_t End) {
  uffdio_writeprotect Nothing{};
  Nothing.range = {Begin, End - Begin};
  return ioctl(Faults, UFFDIO_WRITEPROTECT, &Nothing) == 0;
}

// Whether nobody waits for the watching thread.
bool PageWatch::settled() {
  auto At = reinterpret_cast<uintptr_t>(Probe);
  return unprotect(At, At + pageBytes());
}

// To begin to watch, as to unprotect, passes over holes; msync, which has nothing to write here, does not.
bool PageWatch::watched(uintptr_t Begin, uintptr_t End) {
  return msync(reinterpret_cast<void *>(Begin), End - Begin, MS_ASYNC) == 0 && unprotect(Begin, End);
}

PageWatch::News PageWatch::read(Cursor &At, std::vector<Range> &Out) {
  // In this order: what has been read, and so is not refused any more, has been published, or Reading is set.
  if (!settled() || Reading.load())
    return News::Pending;
  uint64_t End = Published.load();
  if (At.Next == End)
    return News::None;
  size_t Before = Out.size();
  for (uint64_t I = At.Next; I < End && End - At.Next <= Kept; ++I)
    Out.push_back({Ring[I % Kept].Begin.load(), Ring[I % Kept].End.load()});
  // The one being written now, if any, overwrites what is Kept before it.
  bool Whole = Published.load() + 1 - At.Next <= Kept;
  At.Next = End;
  if (Whole)
    return News::Some;
  Out.resize(Before);
  return News::Missed;
}

void PageWatch::run() {
  Begun.store(true);
  Begun.notify_all();
  pollfd Fds[2] = {{Faults, POLLIN, 0}, {Stop, POLLIN, 0}};
  while (!Ending.load(std::memory_order_relaxed)) {
    if (poll(Fds, 2, -1) < 0)
      continue; // Interrupted, or short of memory for a moment.
    Reading.store(true);
    uffd_msg Message;
    while (::read(Faults, &Message, sizeof(Message)) == static_cast<ssize_t>(sizeof(Message))) {
      if (Message.event != UFFD_EVENT_UNMAP && Message.event != UFFD_EVENT_REMOVE)
        continue;
      uint64_t N = Published.load(std::memory_order_relaxed);
      Ring[N % Kept].Begin.store(Message.arg.remove.start);
      Ring[N % Kept].End.store(Message.arg.remove.end);
      Published.store(N + 1);
    }
    Reading.store(false);
    Published.notify_all();
  }
  // Here, not in the destructor: a thread that ends gives pages of its stack back, which may be among those watched,
  // and nobody would read of it. Whoever waits goes on.
  closeFaults();
}

void PageWatch::closeFaults() {
  int Mine = Faults; // There may be another watch already.
  Inherited.compare_exchange_strong(Mine, -1);
  close(Faults);
}

void PageWatch::tell() {
  for (uint64_t Seen = 0; !Ending.load();) {
    Published.wait(Seen, std::memory_order_acquire);
    Seen = Published.load(std::memory_order_acquire);
    std::lock_guard Guard(Lock);
    for (Listener *L : Listeners)
      while (!Ending.load() && !L->pagesChanged())
        std::this_thread::yield(); // Until whoever gives pages back has been woken up.
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
