// Who sleeps and who wakes: no worker sleeps while a task lies in a queue, even if every body that runs takes forever.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step here            in the tree
// enqueue              Executor::enqueue: WorkDeque::push, IdleWorkers::any, takeOne, Executor::wake
// find                 Executor::runOne: OwnQueue's pop, steal with what it takes along; Searchers, anyWork
// mark, look again     Executor::runOne: QueueIdle.add, the last steal
// cancelIdle             Executor::cancelIdle
// park, token          Parker: a binary token
// wait                 Executor::workUntil, of a body (awaitChildren) or of the guest of seat 0; leaveSeat0
//
// Bounds: with GUEST one worker, the guest of seat 0 that waits once, a foreign thread that submits 2 tasks; without,
// two workers of which one body waits and one submits, a foreign thread that submits 2 tasks. A body ends, or never does.
// Memory: a pusher's sequentially consistent store is visible before what it loads next, so push is one step. Queues are
// counts: what threads do to one deque is deque.pml's.
//
// Faults: 1 no second look; 2 the push's order is weaker; 5 who stops waiting stays marked as idle; 6 who finds work in
// its second look keeps a wake-up that was meant for something else; 7 who searched last and found something wakes nobody
// for the rest; 8 who found nothing counts as searching until it has looked again. Two that were faults are none since who
// finds something in its second look tells of what is left, here as in the tree: 3 what a thief takes along is not told
// of, 4 a thief that was slower looks no further. They are about how long work lies there, which is not asked here.
#ifndef FAULT
#define FAULT 0
#endif
#ifdef GUEST
#define FIRST 0
#define LAST 1
#define SUBMITS 2
#define CHILDREN 0
#else
#define FIRST 1
#define LAST 2
#define SUBMITS 2
#define CHILDREN 1
#endif
#define FOREIGN 3
#define NQUEUES 4

byte top[NQUEUES], bottom[NQUEUES];
bool idle[3]; // QueueIdle
bool token[3], parked[3];
bool seated; // seat 0
byte searchers;
byte children = CHILDREN, waits = 1;

#define anyWork (top[0] != bottom[0] || top[1] != bottom[1] || top[2] != bottom[2] || top[3] != bottom[3])

// Executor::wake. The guest, when it waits, is the only one in Waiters.
inline wake(w) {
  token[w] = true;
#ifdef GUEST
  if
  :: w == 0 && !seated -> token[1] = true
  :: else
  fi
#endif
}

// Takes a marked worker, worker 0 last, and wakes it.
inline wakeIdle() {
  if
  :: searchers == 0 ->
     if
     :: idle[0] || idle[1] || idle[2] ->
     atomic {
       if
       :: idle[1] -> idle[1] = false; to = 1
       :: !idle[1] && idle[2] -> idle[2] = false; to = 2
       :: else -> to = NQUEUES
       fi
     };
     if
     :: atomic { to == NQUEUES && idle[0] -> idle[0] = false; to = 0 }
     :: else
     fi;
     if
     :: to != NQUEUES -> wake(to)
     :: else
     fi;
     to = 0
     :: else
     fi
  :: else
  fi
}

inline enqueue(q) {
#if FAULT == 2
  if
  :: bottom[q]++; wakeIdle()
  :: wakeIdle(); bottom[q]++
  fi
#else
  bottom[q]++;
  wakeIdle()
#endif
}

inline unmark(w, passOn) {
  marked = false;
  if
  :: atomic { idle[w] -> idle[w] = false };
     if
     :: passOn && anyWork -> wakeIdle()
     :: else
     fi
  :: else ->
     if
     :: passOn -> wakeIdle()
     :: else
     fi
  fi
}

// Rounds over the others' queues. Sets found.
inline steal(w) {
  q = FIRST;
  do
  :: atomic { q < NQUEUES ->
       if
       :: q == w || bottom[q] == top[q] -> left = 0; q++
       :: else -> left = bottom[q] - top[q]; at = top[q]
       fi };
     if
     :: left == 0
     :: else ->
        if
        :: atomic { at == top[q] && at < bottom[q] -> top[q]++; found = true; took = false; left = left / 2 };
           do
           :: left > 0 ->
              if
              :: atomic { top[q] < bottom[q] -> top[q]++ };
                 atomic { bottom[w]++; took = true; left-- }
              :: else -> left = 0
              fi
           :: else -> break
           od;
           if
           :: took -> wakeIdle()
           :: else
           fi;
           break
        :: else -> lost = true; q++ // another was faster, or the owner took it
        fi
     fi
  :: atomic { q == NQUEUES && lost -> lost = false; q = FIRST }
  :: q == NQUEUES && !lost -> break
  od;
  atomic { q = 0; left = 0; at = 0; took = false; lost = false }
}

proctype Thread(byte w) {
  byte q, left, at, to;
  bool found, took, lost, marked, nested, vain;

#ifdef GUEST
  if
  :: w == 0 -> seated = true; goto wait
  :: else
  fi;
#endif
again:
  if
  :: nested && !vain -> goto waited
  :: true
  fi;
  // runOne
  if
  :: marked -> unmark(w, false)
  :: else
  fi;
  if
  :: atomic { top[w] < bottom[w] -> bottom[w]--; found = true };
     goto body
  :: else
  fi;
  searchers++;
  steal(w);
#if FAULT == 8
  if
  :: found -> searchers--
  :: else
  fi;
#else
  searchers--;
#endif
  if
  :: found ->
#if FAULT != 7
     if
     :: searchers == 0 && anyWork ->
        wakeIdle()
     :: else
     fi;
#endif
     goto body
  :: else
  fi;
  marked = true;
  idle[w] = true;
#if FAULT != 1
  steal(w);
#endif
#if FAULT == 8
  searchers--;
#endif
  if
  :: found ->
#if FAULT == 6
     unmark(w, false);
#else
     unmark(w, true);
#endif
     goto body
  :: else
  fi;
  parked[w] = true;
endPark:
  if
  :: atomic { token[w] -> token[w] = false; parked[w] = false }; goto again
  :: atomic { nested && !vain -> token[w] = false; parked[w] = false }; goto waited
  fi;

body:
  found = false;
  if
  :: goto again // it ends
  :: goto forever
#ifndef GUEST
  :: atomic { !nested && children > 0 -> children-- };
     enqueue(w);
     if
     :: goto again
     :: goto forever
     fi
  :: atomic { !nested && waits > 0 -> waits-- }; goto wait
#endif
  fi;

wait: // for something that comes any time, or never
  nested = true;
  if
  :: vain = true
  :: true
  fi;
  goto again;

waited:
  nested = false;
#if FAULT != 5
  if
  :: marked -> unmark(w, true)
  :: else
  fi;
#endif
#ifdef GUEST
  if
  :: w == 0 ->
     seated = false;
     if
     :: token[0] -> wake(0)
     :: else
     fi
  :: else
  fi;
#endif
  if
  :: w != 0 -> goto again // the body ends
  :: true
  fi;
forever: // a body that never ends; the guest, who is gone
}

proctype Foreign() {
  byte n, to;
  do
  :: n < SUBMITS -> enqueue(FOREIGN); n++
  :: else -> break
  od
}

init {
  byte i = FIRST;
  atomic {
    do
    :: i <= LAST -> run Thread(i); i++
    :: else -> break
    od;
    run Foreign()
  };
end:
  timeout;
  i = FIRST;
  do
  :: i <= LAST ->
     assert(!parked[i] || !anyWork);
     i++
  :: else -> break
  od
}
