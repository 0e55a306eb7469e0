// The engine that the calling thread works for, in a process with several.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/EngineScope.h"

namespace hsched::rt {
namespace {

struct Scopes {
  Executor *Now = nullptr;
  EngineScope *Innermost = nullptr;
};
Scopes &scopes() {
  static constinit thread_local Scopes Own;
  return Own;
}

ThreadView viewOf(const ThreadState &T) {
  return {T.S, T.Call, T.Current, T.Next, T.Depth, T.MayKeepNext, T.Entered, T.Completing};
}
void put(ThreadState &T, const ThreadView &V) {
  T.S = V.S;
  T.Call = V.Call;
  T.Current = V.Current;
  T.Next = V.Next;
  T.Depth = V.Depth;
  T.MayKeepNext = V.MayKeepNext;
  T.Entered = V.Entered;
  T.Completing = V.Completing;
}

} // namespace

EngineScope::EngineScope(ThreadState &Me, Executor *E)
    : Me(Me), Was(scopes().Now), Outer(scopes().Innermost), Source(nullptr) {
  Saved = viewOf(Me);
  if (E != Was) {
    for (EngineScope *S = Outer; S && !Source; S = S->Outer)
      if (S->Was == E)
        Source = &S->Saved;
    put(Me, Source ? *Source : ThreadView{});
  }
  BodyOutside = Me.Current;
  CallOutside = Me.Call;
  scopes() = {E, this};
}

EngineScope::~EngineScope() {
  if (scopes().Now != Was) {
    if (Source)
      *Source = viewOf(Me);
    put(Me, Saved);
  }
  scopes() = {Was, Outer};
}

// Inside such a body, the default engine's view is that of the body's begin, unless a body of the default engine runs
// inside it.
Executor *EngineScope::enclosingEngine(const ThreadState &Me) {
  const EngineScope *S = scopes().Innermost;
  return !scopes().Now && S && S->Was && Me.Current == S->BodyOutside && Me.Call == S->CallOutside ? S->Was : nullptr;
}

void EngineScope::forLife(Executor *E) { scopes().Now = E; }

} // namespace hsched::rt
