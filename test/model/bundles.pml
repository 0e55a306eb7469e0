// Who takes bundles: no worker sleeps while a bundle that may run lies in a queue, is spilled or stands open, even if
// every body that runs takes forever and nobody submits anything more.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step here            in the tree
// open, close          Executor::submitItem, DependenceDomain::open, closeOpen; enqueueBundle of a thread with a queue
// spill                Executor::enqueueBundle of a thread without
// complete             Executor::completeAll, of the task that the open bundle comes after
// next                 ThreadState::Next
// offer                Executor::offerOpenBundle
// find                 Executor::runOne: takeSpilled; steal, takeOpenBundle among Searchers; anyWork
// mark, look again     Executor::runOne: QueueIdle.add, the last steal, takeSpilled, takeOpenBundle
// leave                Executor::requeueNext: a body's wait is over, and the body goes on
// park, token          Parker
//
// Bounds: two workers. One of them, or with DEVICE another thread, runs the task before the open bundle, whose end may
// make one more task ready. One thread opens two bundles at most, closes them or not, and submits no more; another one,
// without DEVICE, spills one. Memory as in idle.pml. Locks: what is done with RootDomain's or SpilledLock held is one step; queues are
// one count, because what threads do to a deque is deque.pml's and who looks at which is idle.pml's.
//
// Faults: 1 who was woken takes another's spilled bundle, and passes on nothing; 2 who goes on with other work tells
// nobody that it has made the open bundle ready; 3 nor does who leaves a wait; 4 nor a thread that completes what is not
// its own work; 5 opening wakes nobody; 6 who finds something in its last look takes no account of the rest, of which
// nobody was told while it searched; 7 spilling wakes nobody; 8 there is no last look for the open bundle; 9 there is
// none for spilled ones.
#ifndef FAULT
#define FAULT 0
#endif
#define NONE 2

byte queue, spilled;
bool open, behind;   // the open bundle; it comes after the task, which is not complete
bool waiting, ended; // a bundle that was closed waits for the task; the task is complete
bool idle[2], token[2], parked[2];
byte searchers;

inline wakeForWork() {
  if
  :: searchers == 0 ->
     atomic {
       if
       :: idle[0] -> idle[0] = false; to = 0
       :: !idle[0] && idle[1] -> idle[1] = false; to = 1
       :: else -> to = NONE
       fi
     };
     if
     :: to != NONE -> token[to] = true
     :: else
     fi;
     to = 0
  :: else
  fi
}

inline enqueue() {
  queue++;
  wakeForWork()
}

inline takeSpilled() {
  if
  :: spilled > 0 ->
     if
     :: atomic { spilled > 0 -> spilled--; found = true }
     :: else // another was faster
     fi
  :: else
  fi
}

inline takeOpen() {
  if
  :: open ->
     if
     :: atomic { open && !behind -> open = false; found = true }
     :: else
     fi
  :: else
  fi
}

inline steal() {
  if
  :: atomic { queue > 0 -> queue--; found = true }
  :: else
  fi
}

// For whoever goes on with other work, and may be the one who made the open bundle ready.
inline offer() {
  if
  :: open && searchers == 0 && (idle[0] || idle[1]) ->
     if
     :: atomic { open && !behind -> open = false; ready = true }
     :: else
     fi;
     if
     :: ready -> ready = false; enqueue()
     :: else
     fi
  :: else
  fi
}

// The task's end: what waited for it alone is ready.
inline complete() {
  atomic { ended = true; behind = false; ready = waiting; waiting = false }
  if
  :: ready -> ready = false; enqueue()
  :: else
  fi
}

proctype Worker(byte w) {
  byte to;
  bool found, marked, next, ready, last, mine;
#ifndef DEVICE
  if
  :: w == 0 -> mine = true; goto body
  :: else
  fi;
#endif
again:
#if FAULT == 1
  if
  :: marked -> marked = false; idle[w] = false
  :: else
  fi;
#endif
  if
  :: next ->
     next = false;
     goto taken
  :: else
  fi;
  takeSpilled();
  if
  :: found -> goto taken
  :: else
  fi;
  if
  :: marked -> marked = false; idle[w] = false
  :: else
  fi;
  searchers++;
  steal();
  if
  :: !found -> takeOpen()
  :: true // not yet
  fi;
  atomic { searchers--; last = searchers == 0 };
  if
  :: last && found && (queue > 0 || spilled > 0 || open) -> wakeForWork()
  :: else
  fi;
  last = false;
  if
  :: found -> goto taken
  :: else
  fi;
  marked = true;
  idle[w] = true;
  steal();
#if FAULT != 9
  if
  :: !found -> takeSpilled()
  :: else
  fi;
#endif
#if FAULT != 8
  if
  :: !found -> takeOpen()
  :: else
  fi;
#endif
  if
  :: found ->
     goto taken
  :: else
  fi;
  parked[w] = true;
endPark:
  atomic { token[w] -> token[w] = false; parked[w] = false };
  goto again;

taken:
  if
  :: marked -> // cancelIdle
     marked = false;
     if
     :: atomic { idle[w] -> idle[w] = false };
#if FAULT != 6
        if
        :: queue > 0 || spilled > 0 || open -> wakeForWork()
        :: else
        fi
#endif
     :: else ->
#if FAULT != 6
        wakeForWork()
#endif
     fi
  :: else
  fi;
#if FAULT != 2
  offer();
#endif
body:
  found = false;
  if
  :: goto forever
  :: true
  fi;
  if
  :: mine ->
     mine = false;
     complete(); // this thread looks at the open bundle, unless it has something else to do
     if
     :: next = true // of what else became ready, one task stays here
     :: true
     fi
  :: else
  fi;
  if
  :: goto again
  :: true -> // it ran while a body waited here, which goes on
     if
     :: next -> next = false; enqueue()
     :: else
     fi;
#if FAULT != 3
     if
     :: open -> wakeForWork()
     :: else
     fi
#endif
  fi;
forever:
}

#ifdef DEVICE
proctype Device() {
  byte to;
  bool ready;
  complete();
#if FAULT != 4
  if
  :: open -> wakeForWork()
  :: else
  fi
#endif
}
#endif

proctype Submitter() {
  byte n, to;
  bool ready;
  do
  :: n < 2 ->
     n++;
     atomic {
       open = true;
       if
       :: !ended && !waiting -> behind = true
       :: true
       fi
     };
#if FAULT != 5
     wakeForWork();
#endif
     if
     :: break // it stays open
     :: atomic { open -> open = false; ready = !behind; waiting = behind; behind = false };
        if
        :: ready -> ready = false; enqueue()
        :: else
        fi
     :: !open // taken
     fi
  :: else -> break
  od
}

proctype Spiller() {
  byte to;
  spilled++;
#if FAULT != 7
  wakeForWork()
#endif
}

init {
  atomic {
    run Worker(0);
    run Worker(1);
    run Submitter();
#ifndef DEVICE
    run Spiller();
#endif
#ifdef DEVICE
    run Device()
#endif
  };
end:
  timeout;
  assert(!(parked[0] || parked[1]) || (queue == 0 && spilled == 0 && (!open || behind)))
}
