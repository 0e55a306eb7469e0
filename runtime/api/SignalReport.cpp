// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/SignalReport.h"

#include "base/Log.h"
#include "base/Signals.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hsched::rt {
namespace {

// Signals that end a program by default and can be handled, without those of timers.
constexpr std::array Ending{SIGHUP, SIGINT, SIGTERM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr long PollEveryNs = 1'000'000;
constexpr unsigned MostIdlePolls = 3000; // Polls without any processor time of the writer: it then waits for a lock.

// Everything that a handler accesses. Never destroyed.
struct State {
  std::atomic<pid_t> Process{0}; // The process of the writer: not a forked child.
  std::atomic<pid_t> WriterThread{0};
  clockid_t WriterClock = 0;
  sem_t Requests;
  std::atomic<bool> AnyAsked{false}, Written{false};
  std::terminate_handler Before = nullptr;

  std::mutex Lock; // Not used by handlers.
  std::vector<std::function<void()> *> All;
  bool Handling = false;
};
constinit std::atomic<State *> Known{nullptr}; // Set from the first writer on.

// The writer's processor time; async-signal-safe.
int64_t spentBy(const State &S) {
  timespec T{};
  clock_gettime(S.WriterClock, &T);
  return T.tv_sec * 1'000'000'000LL + T.tv_nsec;
}

// Async-signal-safe. Returns when everything is written, or cannot be written.
void askAndWait() {
  State *S = Known.load(std::memory_order_acquire);
  if (!S || S->Process.load() != getpid() || S->WriterThread.load() == static_cast<pid_t>(syscall(SYS_gettid)))
    return;
  const int Errno = errno;
  if (!S->AnyAsked.exchange(true))
    sem_post(&S->Requests);
  int64_t Spent = spentBy(*S);
  for (unsigned Idle = 0; !S->Written.load() && Idle < MostIdlePolls; ++Idle) {
    const timespec Pause{0, PollEveryNs};
    nanosleep(&Pause, nullptr);
    if (const int64_t Now = spentBy(*S); Now != Spent) {
      Spent = Now;
      Idle = 0;
    }
  }
  errno = Errno;
}

void handle(int Signal, siginfo_t *Info, void *) {
  askAndWait();
  struct sigaction Default{};
  Default.sa_handler = SIG_DFL;
  sigaction(Signal, &Default, nullptr);
  // A hardware fault recurs on return. Any other signal is sent again and arrives on return.
  if (!Info || Info->si_code <= 0 || Signal == SIGABRT || Signal == SIGHUP || Signal == SIGINT || Signal == SIGTERM)
    raise(Signal);
}

void terminated() {
  State *S = Known.load(std::memory_order_acquire);
  askAndWait();
  if (S && S->Before)
    S->Before();
} // The caller ends the program.

void writeAll(State &S) {
  std::lock_guard Guard(S.Lock); // Held by a thread that ends the program elsewhere: everything is written there.
  for (std::function<void()> *Each : S.All)
    try {
      (*Each)();
    } catch (const std::exception &E) {
      log(LogLevel::Warning, "what the program has done so far cannot be written down: %s", E.what());
    }
}

// False: no thread is available.
bool startWriter(State &S) {
  try {
    SignalsBlocked Blocked;
    std::thread([&S] {
      pthread_getcpuclockid(pthread_self(), &S.WriterClock);
      S.WriterThread.store(static_cast<pid_t>(syscall(SYS_gettid)));
      (void)pthread_setname_np(pthread_self(), "hsched writer");
      while (sem_wait(&S.Requests) != 0) { // A debugger may interrupt it.
      }
      writeAll(S);
      S.Written.store(true);
    }).detach();
  } catch (const std::exception &E) {
    log(LogLevel::Info, "nothing is written where a signal ends the program: %s", E.what());
    return false;
  }
  while (S.WriterThread.load() == 0)
    std::this_thread::yield();
  return true;
}

void setHandlers(State &S) {
  for (int Signal : Ending) {
    struct sigaction Now{};
    if (sigaction(Signal, nullptr, &Now) != 0 || (Now.sa_flags & SA_SIGINFO) || Now.sa_handler != SIG_DFL)
      continue;
    Now = {};
    Now.sa_sigaction = handle;
    Now.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(Signal, &Now, nullptr);
  }
  S.Before = std::set_terminate(terminated);
}

void unsetHandlers(State &S) {
  for (int Signal : Ending) {
    struct sigaction Now{};
    if (sigaction(Signal, nullptr, &Now) != 0 || !(Now.sa_flags & SA_SIGINFO) || Now.sa_sigaction != handle)
      continue;
    Now = {};
    Now.sa_handler = SIG_DFL;
    sigaction(Signal, &Now, nullptr);
  }
  if (std::get_terminate() == terminated)
    std::set_terminate(S.Before);
}

State &state() {
  static auto *Made = [] {
    auto *S = new State;
    sem_init(&S->Requests, 0, 0);
    return S;
  }();
  return *Made;
}

} // namespace

SignalReport::SignalReport(std::function<void()> W) : Write(std::move(W)) {
  State &S = state();
  std::lock_guard Guard(S.Lock);
  if (!Known.load()) {
    if (!startWriter(S))
      return;
    S.Process.store(getpid());
    Known.store(&S, std::memory_order_release);
  }
  if (S.Process.load() != getpid())
    return;
  S.All.push_back(&Write);
  if (!std::exchange(S.Handling, true))
    setHandlers(S);
}

SignalReport::~SignalReport() {
  State &S = state();
  std::lock_guard Guard(S.Lock);
  if (std::erase(S.All, &Write) != 0 && S.All.empty()) {
    S.Handling = false;
    unsetHandlers(S);
  }
}

} // namespace hsched::rt
