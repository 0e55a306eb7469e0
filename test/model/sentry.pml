// One short task and a wait: nobody is woken while a worker keeps watch, and no task is left alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step here            in the tree
// submit               Executor::submitItem, passOnBundles: the work is visible; wakeForWork(Lone)
// wait                 Executor::workUntil: who submitted takes it, unless the worker has
// look, mark, park     Executor::find with QueueIdle.add and the last look; Parker
// rest                 Executor::rest: Sentry, a park that ends by itself, hasUnclaimedWork
//
// Bounds: one worker; a thread that submits three tasks, and waits after each, or never again. A round of the watch ends
// at any moment; after two in which nobody counted on it, the worker leaves. Memory: Sentry, the marks and what makes work
// visible are sequentially consistent.
//
// Faults: 1 who keeps watch leaves, and sleeps without another look; 2 who submits looks for the watch before the work is
// visible; 3 the last look comes before the watch is given up.
#ifndef FAULT
#define FAULT 0
#endif
#define TASKS 3

bool work, idle, token, sentry, unwoken;
bool gone; // the submitter submits and waits no more
byte submitted, taken;

inline take() {
  atomic {
    if
    :: work ->
       work = false;
       taken++
    :: else
    fi
  }
}

inline wake(watched) {
  if
  :: watched -> unwoken = true
  :: else ->
     atomic {
       if
       :: idle ->
          idle = false;
          token = true
       :: else
       fi
     }
  fi
}

active proctype submitter() {
  bool watched;
  do
  :: submitted < TASKS ->
#if FAULT == 2
     watched = sentry;
#endif
     work = true;
     submitted++;
#if FAULT != 2
     watched = sentry;
#endif
     wake(watched);
     if
     :: true -> take() // a wait
     :: true -> break  // it goes on for ever
     fi
  :: else -> break
  od;
  gone = true
}

active proctype worker() {
  byte quiet;
look:
  skip;
  take();
  idle = true;
  take(); // once more
  if
  :: atomic { token -> token = false };
     goto look
  :: true -> // it keeps watch
     sentry = true;
     quiet = 0;
     do
     :: quiet < 2 ->
        unwoken = false;
        if
        :: atomic { token -> token = false };
           break
        :: true
        fi;
        if
        :: work -> break
        :: else
        fi;
        if
        :: unwoken -> quiet = 0
        :: else -> quiet++
        fi
     :: else -> break
     od;
#if FAULT == 3
     take();
#endif
     idle = true;
     sentry = false;
#if FAULT != 1 && FAULT != 3
     take()
#endif
  :: true
  fi;
end:
  atomic { token -> token = false };
  goto look
}

active proctype watcher() {
end:
  atomic {
    timeout -> assert(!gone || !work)
  }
}
