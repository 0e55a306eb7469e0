// How many tasks are outstanding: the sum is never too small, and who waits for few enough of them is woken.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step here            in the tree
// outstanding          OwnQueues::outstanding
// takeQueue            OwnQueues::take: a thread comes to its queue late, while others add up
// less                 Executor::less, of one task
// Waiter               Executor::workUntil of taskwait outside any task: registers, asks again, parks
//
// Bounds: the waiting thread has submitted one task, whose body submits a child; a thread for which no queue was left
// submits one more; two workers, which come to their queues as they run, run any of them.
// Memory: every counter is read and written sequentially consistently: interleavings are all there is.
//
// Faults: 1 what was submitted is read before what was completed; 2 queues that were taken meanwhile are left out;
// 3 the last one looks for somebody who waits before it counts itself; 4 who waits does not ask again after it said so.
#ifndef FAULT
#define FAULT 0
#endif
#define MAIN 0
#define SHARED 3
#define QUEUES 4

byte submitted[QUEUES], completed[QUEUES], used = 1;
byte queueOf[3];                    // by thread; the main thread has queue 0
byte parent, child, foreign;        // 0 not there, 1 to be run, 2 being run, 3 complete
bool bodyOver;
byte live;                          // the parent's
bool waits, token;
bool wakeAtNone = true;

inline outstanding() {
#if FAULT == 1
  some = used;
  q = 0; sum = 0;
  do
  :: q < some -> sum = sum + submitted[q]; q++
  :: else -> break
  od;
  sum = sum + submitted[SHARED];
  sum = sum - completed[SHARED];
  q = 0;
  do
  :: q < some -> sum = sum - completed[q]; q++
  :: else -> break
  od;
#else
  some = used;
  sum = 0 - completed[SHARED];
  q = 0;
  do
  :: q < some -> sum = sum - completed[q]; q++
  :: else -> break
  od;
#if FAULT != 2
  some = used;
#endif
  q = 0;
  do
  :: q < some -> sum = sum + submitted[q]; q++
  :: else -> break
  od;
  sum = sum + submitted[SHARED];
#endif
  atomic { q = 0; some = 0 }
}

inline less(own) {
#if FAULT == 3
  if
  :: !waits -> completed[own]++
  :: else ->
     completed[own]++;
#else
  completed[own]++;
  if
  :: !waits
  :: else ->
#endif
     if
     :: wakeAtNone
     :: else ->
        outstanding();
        if
        :: sum == 0 -> token = true // a notifyWaiters
        :: else
        fi;
        sum = 0
     fi
  fi
}

// Queues 1 and 2, in the order in which threads come.
inline takeQueue(w) {
  if
  :: queueOf[w] == 0 -> atomic { queueOf[w] = used; used++ }
  :: else
  fi
}

proctype Worker(byte w) {
  byte q, some;
  short sum;
  do
  :: atomic { parent == 1 -> parent = 2 };
     takeQueue(w);
     live++;
     submitted[queueOf[w]]++;
     child = 1;
     if
     :: atomic { live == 1 -> live = 0 } goto ended // bodyEnded
     :: atomic { live == 2 -> live = 1 }
     fi
  :: atomic { child == 1 -> child = 2 };
     takeQueue(w);
     if
     :: atomic { live == 1 -> live = 0; child = 3 };
        less(queueOf[w]);
ended:  parent = 3;
        takeQueue(w);
        less(queueOf[w])
     :: atomic { live == 2 -> live = 1; child = 3 };
        less(queueOf[w])
     fi
  :: atomic { foreign == 1 -> foreign = 2 };
     takeQueue(w);
     foreign = 3;
     less(queueOf[w])
  :: parent == 3 && child == 3 && foreign == 3 -> break
  od
}

proctype Foreign() {
  submitted[SHARED]++;
  foreign = 1
}

proctype Waiter() {
  byte q, some;
  short sum;
  submitted[MAIN]++;
  atomic { live = 1; parent = 1 };
  do
  :: outstanding();
     assert(sum >= 0);
     if
     :: sum == 0 -> break
     :: else
     fi;
     wakeAtNone = false;
     waits = true;
#if FAULT != 4
     outstanding();
     if
     :: sum == 0 -> break
     :: else
     fi;
#endif
     sum = 0;
     atomic { token -> token = false };
     wakeAtNone = true;
     waits = false
  od;
  assert(parent == 3 && child == 3);
  outstanding();
}

init {
  atomic { run Waiter(); run Worker(1); run Worker(2); run Foreign() }
}
