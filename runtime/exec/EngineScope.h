// The engine that the calling thread works for, in a process with several.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ThreadState is one engine's view of a thread. While a program's code runs, it is the default engine's view, also in a
// body that another engine runs. So calls of generated code need no lookup. A thread that enters another engine, by a
// call or as its worker, installs that engine's view for that time.
#ifndef HSCHED_EXEC_ENGINESCOPE_H
#define HSCHED_EXEC_ENGINESCOPE_H

#include "exec/ThreadState.h"

namespace hsched::rt {

class Executor;

// The part of a thread's state that depends on the engine.
struct ThreadView {
  Seat *S = nullptr;
  CallFrame *Call = nullptr;
  TaskNode *Current = nullptr;
  TaskNode *Next = nullptr;
  unsigned Depth = 0;
  bool MayKeepNext = false, Entered = false, Completing = false;
};

// A scope in which the calling thread works for an engine. Null: the default engine and the program's code.
class EngineScope {
public:
  EngineScope(ThreadState &Me, Executor *E);
  ~EngineScope();
  EngineScope(const EngineScope &) = delete;
  EngineScope &operator=(const EngineScope &) = delete;

  // The engine whose task's body the calling thread runs, if it is not the default one.
  static Executor *enclosingEngine(const ThreadState &Me);
  // For a thread that an engine has made: it works for E until it ends.
  static void forLife(Executor *E);

private:
  ThreadState &Me;
  Executor *const Was; // And its view.
  ThreadView Saved;
  EngineScope *const Outer;
  ThreadView *Source; // Storage of the new view between scopes. Null: the thread is new to the engine.
  TaskNode *BodyOutside;
  CallFrame *CallOutside;
};

} // namespace hsched::rt
#endif
