// The library's threads and the program's signals.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_SIGNALS_H
#define HSCHED_BASE_SIGNALS_H

#include <csignal>

namespace hsched::rt {

// Threads made during its life leave the program's asynchronous signals to the program's own threads. What a thread
// does wrong itself, and what profilers send, still reaches it.
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
