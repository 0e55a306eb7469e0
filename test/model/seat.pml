// Worker 0's seat where tasks are calls: a task that is submitted while a call runs comes after it, a call begins only where
// nothing is unfinished, what another thread looks at is still there, and nobody sleeps for ever.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step here            in the tree (exec/Calls.cpp, exec/Waiting.cpp)
// Caller               Executor::submitCall outside any task: enterRootCall, runCall, leaveRootCall
// adopt                Executor::adoptRootCall, makeNode
// endNode              Executor::endNode, bodyEnded
// Submitter            Executor::submit, the long way, and taskwait: workUntil, tryTakeSeat0, leaveSeat0
// wake, notify         Executor::wake(0), notifyWaiters
//
// Bounds: one thread makes two calls one after the other, in the same frame; in each it may run what is ready (a wait in
// its body), or need a node for itself; two other threads submit one task each and wait for everything.
// What is outstanding is one number here: counters.pml. All tasks name the same datum.
// Memory: sequentially consistent, as the code asks for everywhere on this path.
//
// Faults: 1 a call begins without looking again once it is announced; 2 who submits does not look for a call; 3 who leaves
// the seat tells nobody; 4 a call that ends does not wait for the thread that is making a node for it.
#ifndef FAULT
#define FAULT 0
#endif
#define SUBMITTERS 2
mtype = { Free, Taken, Announced, Running, Adopting, Adopted };

mtype seat = Free;
bool frame;                       // the call's frame is there
bool calling;                     // between a call's beginning and its end
bool node, nodeOver;              // RootCallNode is in the domain, is complete
byte outstanding;
bool linked[SUBMITTERS], ready[SUBMITTERS], behind[SUBMITTERS], over[SUBMITTERS];
bool token[SUBMITTERS], waiting[SUBMITTERS], sits[SUBMITTERS], seatWaits;
bool seatToken, idle;             // of seat 0

// Executor::notifyWaiters: whoever has registered, by its seat's Parker if it has the seat.
inline notify() {
  atomic {
    if
    :: waiting[0] -> if :: sits[0] -> seatToken = true :: else -> token[0] = true fi
    :: else
    fi;
    if
    :: waiting[1] -> if :: sits[1] -> seatToken = true :: else -> token[1] = true fi
    :: else
    fi
  }
}

inline wake() {
  seatToken = true;
  if
  :: seat == Free -> notify()
  :: else
  fi
}

// Executor::dispatch: into a queue, and whoever sits idle is woken.
inline makeReady(i) {
  ready[i] = true;
  if
  :: atomic { idle -> idle = false }; wake()
  :: else
  fi
}

inline oneLess() {
  outstanding--;
  if
  :: outstanding == 0 -> notify()
  :: else
  fi
}

inline leaveSeat() {
  atomic {
    if
    :: idle -> idle = false
    :: else
    fi
  };
  seat = Free;
#if FAULT != 3
  notify();
#endif
  if
  :: seatToken -> wake()
  :: else
  fi
}

// Runs one task that is ready, if there is any; by who has the seat.
inline runOne() {
  if
  :: atomic { ready[0] -> ready[0] = false; assert(!calling && !over[0]); over[0] = true }; ran = true; oneLess()
  :: atomic { ready[1] -> ready[1] = false; assert(!calling && !over[1]); over[1] = true }; ran = true; oneLess()
  :: atomic { !ready[0] && !ready[1] -> ran = false }
  fi
}

inline adopt() {
  do
  :: atomic { seat == Free || seat == Taken || seat == Adopted }; break
  :: atomic { seat == Running -> seat = Adopting };
     assert(frame);
     outstanding++;
     assert(frame);
     atomic { node = true; nodeOver = false };
     seat = Adopted;
     break
  od
}

inline endNode() {
  seat = Taken;
  atomic { calling = false; nodeOver = true; node = false; n = 0 };
  do
  :: n == SUBMITTERS -> n = 0; break
  :: n < SUBMITTERS && behind[n] -> behind[n] = false; makeReady(n); n++
  :: else -> n++
  od;
  oneLess()
}

proctype Caller() {
  byte calls, n;
  bool mine, ran;
  do
  :: calls == 2 -> break
  :: else ->
     calls++;
     frame = true;
     if
     :: atomic { seat == Free -> seat = Announced };
        if
        :: outstanding == 0 || FAULT == 1 ->
           atomic { calling = true; seat = Running };
           // the body
           if
           :: true
           :: runOne()
           :: adopt(); mine = true; runOne()
           fi;
           ran = false;
           if
           :: mine -> mine = false; endNode(); leaveSeat()
           :: else ->
              if
              :: atomic { seat == Running -> seat = Free; calling = false };
                 notify();
                 if
                 :: seatToken -> wake()
                 :: else
                 fi
              :: else ->
#if FAULT != 4
                 adopt();
                 endNode();
#else
                 calling = false;
#endif
                 leaveSeat()
              fi
           fi
        :: else -> leaveSeat()
        fi
     :: else // as any other task: not this model's
     fi;
     frame = false
  od
}

proctype Submitter(byte i) {
  bool ran;
  outstanding++;
#if FAULT != 2
  adopt();
#endif
  atomic {
    if
    :: node && !nodeOver -> behind[i] = true
    :: else -> linked[i] = true
    fi
  };
  if
  :: linked[i] ->
     makeReady(i)
  :: else
  fi;
  // taskwait
  do
  :: outstanding == 0 -> break
  :: else ->
     if
     :: atomic { !sits[i] && seat == Free -> seat = Taken; sits[i] = true }
     :: else
     fi;
     if
     :: sits[i] ->
        idle = false;
        runOne();
        if
        :: ran -> ran = false; goto again
        :: else
        fi;
        idle = true;
        runOne();
        if
        :: ran -> ran = false; idle = false; goto again
        :: else
        fi
     :: else
     fi;
     waiting[i] = true;
     if
     :: outstanding == 0
     :: else ->
        if
        :: sits[i] -> atomic { seatToken -> seatToken = false }
        :: else ->
           if
           :: seat == Free
           :: else -> atomic { token[i] -> token[i] = false }
           fi
        fi
     fi;
     waiting[i] = false;
again:
     skip
  od;
  if
  :: sits[i] -> sits[i] = false; leaveSeat()
  :: else
  fi
}

init {
  atomic { run Caller(); run Submitter(0); run Submitter(1) };
  _nr_pr == 1;
  assert(over[0] && over[1] && outstanding == 0 && seat == Free)
}
