// The library's threads and the program's signals.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_SIGNALS_H
#define HSCHED_BASE_SIGNALS_H

#include <csignal>

namespace hsched::rt {

// Threads made during its lifetime block asynchronous signals, which go to the program's own threads. Signals for a
// thread's own faults, and those of profilers, are not blocked.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t All;
    sigfillset(&All);
    for (int Kept : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF})
      sigdelset(&All, Kept);
    pthread_sigmask(SIG_BLOCK, &All, &Before);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &Before, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  sigset_t Before;
};

} // namespace hsched::rt
#endif
