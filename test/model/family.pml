// A task is complete when its body and its children are: once, with nobody who looks at it afterwards; and a body that
// waits for its children is woken.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step here            in the tree
// Body                 Executor::enrol for each child, awaitChildren, awaitRoom, bodyEnded
// withdraw             the end of Executor::awaitRoom: there is room, and children are left
// Child                Executor::completeAll, from the end of a child of Body's task on
// finish               the same with the parent itself: complete, and release of the last reference
// WAITS                TaskNode::BodyWaits, a bit of Live
//
// Bounds: 3 children, each on a thread of its own; the body waits after any of them, for all so far or until there is
// room, which is at any time; or it does not.
// Memory: every step is a read-modify-write or a sequentially consistent load.
//
// Faults: 1 the last child looks for somebody who waits though nobody said so; 2 it looks first, and then counts down;
// 3 who counts down to nothing is not the one who completes; 4 who goes on because there is room does not mind the last
// child, which has counted itself out and is about to say so.
#ifndef FAULT
#define FAULT 0
#endif
#define CHILDREN 3
#define WAITS 64

byte live = 1, references = 1;
bool gone, completed, token, waiter;
bool begun[CHILDREN];
byte ended;

inline touch() { assert(!gone) }

inline finish() {
  atomic {
    touch();
    assert(!completed && bodyOver && ended == made);
    completed = true;
    references--;
    gone = references == 0
  }
}

byte made;
bool bodyOver;

proctype Child(byte self) {
  byte seen;
  bool wake;
  begun[self];
  ended++;
#if FAULT == 1
  atomic { touch(); seen = live; live-- };
  if
  :: seen == 2 || seen == (WAITS | 2) ->
     touch();
     wake = waiter;
     if
     :: seen != 2 -> live = 1
     :: else
     fi
  :: else
  fi;
#elif FAULT == 2
  touch();
  wake = waiter;
  atomic { touch(); seen = live; live-- };
  if
  :: seen == (WAITS | 2) -> live = 1
  :: else
  fi;
#else
  atomic { touch(); seen = live; live-- };
  if
  :: seen == (WAITS | 2) ->
     touch();
     wake = waiter;
     touch();
     live = 1
  :: else
  fi;
#endif
  if
  :: wake -> token = true
  :: else
  fi;
#if FAULT == 3
  if
  :: seen == 2 -> finish()
  :: else
  fi
#else
  if
  :: seen == 1 -> finish()
  :: else
  fi
#endif
}

inline withdraw() {
  seen = live;
  do
  :: seen == 1 -> break
#if FAULT == 4
  :: else -> atomic { live = live & ~WAITS }; break
#else
  :: seen == (WAITS | 1) -> seen = live
  :: else ->
     if
     :: atomic { live == seen -> live = live & ~WAITS }; break
     :: atomic { live != seen -> seen = live }
     fi
#endif
  od
}

proctype Body() {
  byte seen;
  do
  :: made == CHILDREN -> break
  :: made < CHILDREN ->
     live++;
     atomic { begun[made] = true; made++ };
     if
     :: waiter = true;
        atomic { seen = live; live = live | WAITS };
        if
        :: seen == 1 -> live = 1
        :: else
        fi;
        do
        :: live == 1 -> assert(ended == made); break
        :: live != 1 -> token; token = false
        :: withdraw(); break
        od;
        waiter = false
     :: true
     fi
  od;
  bodyOver = true;
  seen = live;
  if
  :: seen == 1
  :: else -> atomic { seen = live; live-- }
  fi;
  if
  :: seen == 1 -> finish()
  :: else
  fi
}

init {
  atomic { run Body(); run Child(0); run Child(1); run Child(2) };
  _nr_pr == 1;
  assert(completed && gone)
}
