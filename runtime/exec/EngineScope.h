// Which engine the calling thread works for, where there are several in the process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread is (ThreadState) is one engine's view of it. While a program's code runs, that is the default engine's,
// also in a body that another engine runs: so the calls of generated code need not ask. Who enters another engine, by a
// call of it or as its worker, puts its own view there for that time.
#ifndef HSCHED_EXEC_ENGINESCOPE_H
#define HSCHED_EXEC_ENGINESCOPE_H

#include "exec/ThreadState.h"

namespace hsched::rt {

class Executor;

// One engine's view of a thread, without what does not depend on the engine.
struct ThreadView {
  Seat *S = nullptr;
  CallFrame *Call = nullptr;
  TaskNode *Current = nullptr;
  TaskNode *Next = nullptr;
  unsigned Depth = 0;
  bool Keeps = false, Entered = false, Completing = false;
};

// For its life the calling thread works for an engine; null: the default one, and the program's code.
class EngineScope {
public:
  explicit EngineScope(Executor *E);
  ~EngineScope();
  EngineScope(const EngineScope &) = delete;
  EngineScope &operator=(const EngineScope &) = delete;

  // The engine whose task's body the calling thread runs, if it is not the default one.
  static Executor *aroundBody();
  // A thread that an engine has made works for it until it ends.
  static void forLife(Executor *E);

private:
  Executor *const Was; // And its view.
  ThreadView Saved;
  EngineScope *const Outer;
  ThreadView *Source; // Where the new view came from, and goes back to; null: a thread that the engine has not met.
  TaskNode *BodyOutside;
  CallFrame *CallOutside;
};

} // namespace hsched::rt
#endif
