// Linking and releasing: each task becomes ready once, after all that it depends on and not before; what failed cancels
// what comes after it; no task is touched once its last reference is gone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step here            in the tree
// Submitter            DependenceDomain::submit: State::begin, after, finish; then Executor::submit
// link                 State::after: the stack of successors, closed or not
// forget               a fragment that lets go of its TaskRef: overwritten, or pruned (forgettable)
// finishAll            Executor::completeAll, readied; complete in TaskGraph.cpp
// releaseEarly                release in TaskGraph.h
//
// Nothing here depends on one lock for the domain: what it knows of each task has a lock of its own, and a task may be
// linked behind one whose own linking is still going on.
// Bounds: two workers; 3 tasks, the first and the last submitted by one thread, the other by another; any may come after
// any earlier one that the domain still knows; one body fails, or none. SERIAL: one thread submits all of them. DIAMOND: 4
// tasks, the last after two that are after the first; none fails.
// Memory: interleavings of atomic steps. What is read without being atomic (a link, Failed) was written before the
// releasing operation through which its reader came to it.
//
// Faults: 1 a task that is not ready is touched after its submission; 2 a link is read after its task was counted down;
// 3 no bias while a task is being linked; 4 a stack that was closed meanwhile is not noticed.
#ifndef FAULT
#define FAULT 0
#endif
#ifdef DIAMOND
#define N 4
#define FAILURES 0
#define RELATED(p, s) ((p) == 0 || (s) == 3)
#else
#define N 3
#define FAILURES 1
#define RELATED(p, s) true
#endif
#ifdef SERIAL
#define SUBMITTERS 1
#else
#define SUBMITTERS 2
#endif
#define NONE 255
#define CLOSED 254
#define LINKING 64
#define LINK(from, to) ((to) * N + (from)) // lies in the memory of to

byte references[N], pending[N], head[N], next[N * N];
bool failed[N], poisoned[N], gone[N];
bool known[N], locked[N]; // the domain's
bool ready[N];            // in some queue
byte ended, failures = FAILURES;
// What the program wants, for the assertions.
bool made[N], started[N], over[N];
byte before[N];           // bits

inline touch(t) { assert(!gone[t]) }

inline releaseEarly(t) {
  touch(t);
  references[t]--;
  if
  :: references[t] == 0 -> gone[t] = true
  :: else
  fi
}

// Completes the tasks in list, and those that are cancelled by that.
inline finishAll() {
  do
  :: list == 0 -> break
  :: else ->
     atomic {
       t = 0;
       do
       :: list & (1 << t) -> break
       :: else -> t++
       od;
       list = list & ~(1 << t);
       // complete: the stack is closed, and turned round
       touch(t);
       failed[t] = poisoned[t] || bad;
       over[t] = true;
       bad = false;
       link = head[t];
       head[t] = CLOSED;
       inOrder = NONE;
       do
       :: link == NONE -> break
       :: else ->
          touch(link / N);
          after = next[link];
          next[link] = inOrder;
          inOrder = link;
          link = after
       od
     };
     do
     :: inOrder == NONE -> break
     :: else ->
        atomic {
          to = inOrder / N;
          touch(to);
#if FAULT != 2
          after = next[inOrder];
#endif
          if
          :: failed[t] -> poisoned[to] = true
          :: else
          fi
        };
        atomic {
          touch(to);
          pending[to]--;
          if
          :: pending[to] == 0 -> released = released | (1 << to)
          :: else
          fi
        };
#if FAULT == 2
        touch(to);
        after = next[inOrder];
#endif
        inOrder = after
     od;
     // readied
     to = 0;
     do
     :: to == N -> to = 0; released = 0; break
     :: to < N && (released & (1 << to)) ->
        atomic {
          touch(to);
          if
          :: poisoned[to] -> list = list | (1 << to)
          :: else -> assert(!ready[to]); ready[to] = true
          fi;
          to++
        }
     :: else -> to++
     od;
     atomic { releaseEarly(t); ended++; t = 0 }
  od;
  atomic { link = 0; inOrder = 0; after = 0 }
}

proctype Submitter(byte self) {
  byte s = self, p, list, t, to, link, inOrder, after, released, linked;
  bool bad;
  do
  :: s >= N -> break
  :: else ->
     atomic {
       references[s] = 1;
       head[s] = NONE;
#if FAULT != 3
       pending[s] = LINKING;
#endif
       // the domain knows it from here on, in some of the places that it names
       references[s]++;
       known[s] = true;
       made[s] = true;
       linked = 0;
       p = 0
     };
     do
     :: p == s -> break
     :: else ->
        atomic { !locked[p] -> locked[p] = true };
        if
        :: known[p] && RELATED(p, s) ->
           atomic { before[s] = before[s] | (1 << p); after = head[p]; touch(p) };
           do
           :: after == CLOSED ->
              atomic {
                touch(p);
                if
                :: failed[p] -> poisoned[s] = true
                :: else
                fi
              };
              break
           :: else ->
              next[LINK(p, s)] = after;
              if
              :: atomic {
                   (head[p] == after || (FAULT == 4 && head[p] == CLOSED)) ->
                   touch(p);
                   head[p] = LINK(p, s);
#if FAULT == 3
                   pending[s]++;
#endif
                   linked++
                 };
                 break
              :: else -> after = head[p]
              fi
           od;
           // overwritten: what comes after it comes after s from here on
           if
           :: atomic { releaseEarly(p); known[p] = false }
           :: true
           fi
        :: atomic { known[p] && head[p] == CLOSED && !failed[p] -> releaseEarly(p); known[p] = false }
        :: !known[p] || !RELATED(p, s) || N == 3 // they have nothing in common
        fi;
        atomic { locked[p] = false; after = 0; p++ }
     od;
     p = 0;
     atomic {
       touch(s);
#if FAULT != 3
       pending[s] = pending[s] - (LINKING - linked);
#endif
       bad = pending[s] == 0 // whether it is ready
     };
#if FAULT == 1
     touch(s);
#endif
     if
     :: bad ->
        bad = false;
        touch(s);
        if
        :: poisoned[s] -> list = 1 << s; finishAll()
        :: else -> atomic { assert(!ready[s]); ready[s] = true }
        fi
     :: else
     fi;
     s = s + SUBMITTERS
  od
}

proctype Worker() {
  byte t, to, list, link, inOrder, after, released;
  bool bad;
  do
  :: ended == N -> break
  :: atomic {
       if
       :: ready[0] -> t = 0
       :: ready[1] -> t = 1
       :: ready[2] -> t = 2
       :: ready[N - 1] -> t = N - 1
       fi;
       ready[t] = false;
       list = 1 << t
     };
     atomic {
       touch(t);
       assert(made[t] && !started[t] && !poisoned[t]);
       started[t] = true;
       to = 0;
       do
       :: to == N -> to = 0; break
       :: else -> assert(!(before[t] & (1 << to)) || (over[to] && !failed[to])); to++
       od
     };
     if
     :: true
     :: atomic { failures > 0 -> failures--; bad = true }
     fi;
     finishAll()
  od
}

init {
  byte i;
  atomic {
    do
    :: i < SUBMITTERS -> run Submitter(i); i++
    :: else -> i = 0; break
    od;
    run Worker();
    run Worker()
  };
  _nr_pr == 1;
  do
  :: i == N -> break
  :: else ->
     atomic {
       assert(over[i] && (started[i] || failed[i]));
       if
       :: known[i] -> releaseEarly(i)
       :: else
       fi;
       assert(gone[i]);
       i++
     }
  od
}
