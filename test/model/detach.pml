// A body that returns before its work is done: the task is complete when body, other work and children are, once; what
// the work uses stays until then; a call, whose arguments lie on its thread's stack, waits for the work.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step here            in the tree
// Body                 Executor::detach, bodyEnded; with CALL, awaitDetached before it
// Work                 Executor::endDetached, on any thread, from the moment on that detach has returned
// Child                Executor::completeAll, from the end of the task's child on
// lastBodyEnds         the same
// finish               Executor::completeAll with the task itself: complete, and release of the last reference
// BODY, WORK           BodyIsOver, WorkIsOver, bits of TaskExtras::Detach; IsDetached is 1
// noted, token         Waiters::sleep: the thread is noted, and then looks once more; its Parker
//
// Bounds: one task, which detaches or does not, with a child or without one; the work ends on a thread of its own. CALL: the
// task is a call or an item of a bundle.
// Memory: every step is a read-modify-write or a sequentially consistent load.
//
// Faults: 1 a bit is set by a load and a store; 2 detach takes no reference; 3 the work looks whether the body is over,
// and then says that it is; 4 (CALL) it wakes who waits before it says so; 5 (CALL) nobody waits for the work.
#ifndef FAULT
#define FAULT 0
#endif
#define DETACHED 1
#define BODY 2
#define WORK 4

byte detach, live = 1, references = 1;
bool gone, completed, bodyOver, workOver, childOver, hasChild, isDetached, argsGone, noted, token, handle;

inline touch() { assert(!gone) }

inline drop() {
  atomic {
    touch();
    references--;
    gone = references == 0
  }
}

inline finish() {
  atomic {
    touch();
    assert(!completed && bodyOver);
    assert(!isDetached || workOver);
    assert(!hasChild || childOver);
    completed = true
  };
  drop()
}

// seen: the caller's.
inline countDown() {
  atomic { touch(); seen = live; live-- };
  if
  :: seen == 1 -> finish()
  :: else
  fi
}

inline lastBodyEnds() {
  touch();
  seen = live;
  if
  :: seen == 1 -> finish()
  :: else -> countDown()
  fi
}

// old: the caller's.
inline setBit(which) {
#if FAULT == 1
  touch();
  old = detach;
  touch();
  detach = old | which
#else
  atomic { touch(); old = detach; detach = detach | which }
#endif
}

inline wakeWhoWaits() {
  if
  :: noted -> token = true
  :: else
  fi
}

proctype Work() {
  byte seen, old;
  handle;
  assert(!argsGone); // it works with them
  workOver = true;
#if FAULT == 3
  touch();
  if
  :: detach & BODY -> setBit(WORK); lastBodyEnds()
  :: else -> setBit(WORK); wakeWhoWaits()
  fi;
#elif FAULT == 4
  wakeWhoWaits();
  setBit(WORK);
  if
  :: old & BODY -> lastBodyEnds()
  :: else
  fi;
#else
  setBit(WORK);
  if
  :: old & BODY -> lastBodyEnds()
  :: else -> wakeWhoWaits()
  fi;
#endif
  drop()
}

proctype Child() {
  byte seen;
  childOver = true;
  countDown()
}

proctype Body() {
  byte seen, old;
  if
  :: live++; hasChild = true; run Child()
  :: true
  fi;
  if
  :: atomic { touch(); detach = detach | DETACHED };
#if FAULT != 2
     atomic { touch(); references++ };
#else
     skip;
#endif
     isDetached = true;
     run Work();
     handle = true
  :: true
  fi;
#ifdef CALL
#if FAULT != 5
  if
  :: isDetached ->
     do
     :: touch(); if
        :: detach & WORK -> break
        :: else
        fi;
        noted = true;
        if
        :: detach & WORK
        :: else -> token; token = false
        fi;
        noted = false
     od
  :: else
  fi;
#endif
  argsGone = true;
#endif
  bodyOver = true;
  touch();
  if
  :: detach != 0 ->
     setBit(BODY);
     if
     :: old & WORK -> lastBodyEnds()
     :: else
     fi
  :: else -> lastBodyEnds()
  fi
}

init {
  atomic { run Body() };
  _nr_pr == 1;
  assert(completed && gone)
}
