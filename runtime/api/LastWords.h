// What is written where the program does not come to its end: it is ended by a signal, or by std::terminate.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler of a signal may call nearly nothing: the thread that it interrupts may hold any lock, malloc's too. So it
// writes nothing. It wakes a thread that was made for this, waits for that, and lets the signal do what it does by
// default. If the writer waits for what the interrupted thread holds, it gets no processor time: then the handler gives
// up, and the file is incomplete. docs/decisions/0025.
#ifndef HSCHED_API_LASTWORDS_H
#define HSCHED_API_LASTWORDS_H

#include <functional>

namespace hsched::rt {

// Any thread.
class LastWords {
public:
  // Write is called once at most, on a thread of its own, while all others go on. Handlers are set for signals whose
  // action is the default one just now; the program may set others.
  explicit LastWords(std::function<void()> Write);
  // From here on Write is not called. Where it is being called, the caller waits for its end.
  ~LastWords();
  LastWords(const LastWords &) = delete;
  LastWords &operator=(const LastWords &) = delete;

private:
  std::function<void()> Write;
};

} // namespace hsched::rt
#endif
