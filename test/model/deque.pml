// The deque that thieves rob: every item comes out once, whole, and to one thread.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step here            in the tree (exec/WorkDeque.h)
// Owner                push with grow, pop
// Thief                steal; twice in a row, as Executor::steal does where there are many
// store, Memory        what the owner writes: buffered, and visible later
//
// Bounds: 3 items, pushed and popped by the owner in any order; a ring of 1 that grows to 2; two thieves, of which one
// tries twice and one once; then the owner empties it.
// Memory: stores of the owner wait in a buffer and become visible in any order that C++ allows: relaxed ones may pass
// others, but not one to the same place; a releasing or sequentially consistent one passes none. Sequentially consistent
// loads wait for the thread's own sequentially consistent stores; a read-modify-write waits for all of them. The relaxed
// look at Top may see an old value. Thieves read with acquire at least, so their loads keep their order.
//
// Faults: 1 pop does not wait for its store to Bottom; 2 push stores Bottom relaxed; 3 grow stores Current relaxed; 4 pop
// takes the last item without asking Top.
#ifndef FAULT
#define FAULT 0
#endif
#define ITEMS 3
#define BUFFER 5
// Places: the rest are the items of the ring of 1, and of the ring of 2.
#define BOTTOM 0
#define CURRENT 1
#define PLACES 5
#define CELL(ring, at) ((ring) == 0 -> 2 : 3 + (at) % 2)

byte memory[PLACES], seen[PLACES]; // what all see, what the owner sees
byte top;
byte place[BUFFER], value[BUFFER], n; // the buffer, and how many there are
bool ordered[BUFFER];
bool taken[ITEMS + 1];
byte thieves = 2;

inline take(item) {
  assert(item != 0 && !taken[item]);
  taken[item] = true
}

inline store(where, what, release) {
  atomic {
    n < BUFFER ->
    place[n] = where;
    value[n] = what;
    ordered[n] = release;
    n++;
    seen[where] = what
  }
}

#define PASSES(i, j) (!ordered[i] && place[i] != place[j])

inline flush(i) {
  memory[place[i]] = value[i];
  j = i + 1;
  do
  :: j < n -> place[j - 1] = place[j]; value[j - 1] = value[j]; ordered[j - 1] = ordered[j]; j++
  :: else -> break
  od;
  n--;
  place[n] = 0; value[n] = 0; ordered[n] = false;
  j = 0
}

proctype Memory() {
  byte j;
end:
  do
  :: atomic { n > 0 -> flush(0) }
  :: atomic { n > 1 && PASSES(1, 0) -> flush(1) }
  :: atomic { n > 2 && PASSES(2, 0) && PASSES(2, 1) -> flush(2) }
  :: atomic { n > 3 && PASSES(3, 0) && PASSES(3, 1) && PASSES(3, 2) -> flush(3) }
  od
}

#define BUFFERED(where) ((n > 0 && place[0] == where) || (n > 1 && place[1] == where) || (n > 2 && place[2] == where) || (n > 3 && place[3] == where) || (n > 4 && place[4] == where))

inline pop() {
  atomic { b = seen[BOTTOM] - 1 };
  if
  :: b == 255 || top > b // nothing, it seems
  :: b != 255 ->         // something, or an old Top
     store(BOTTOM, b, true);
#if FAULT != 1
     !BUFFERED(BOTTOM);
#endif
     at = top;
     if
     :: at > b -> store(BOTTOM, b + 1, false)
     :: else ->
        item = seen[CELL(seen[CURRENT], b)];
        if
        :: at == b ->
#if FAULT != 4
           if
           :: atomic { n == 0 && top == at -> top++ }
           :: atomic { n == 0 && top != at -> item = 0 }
           fi;
#endif
           store(BOTTOM, b + 1, false)
        :: else
        fi;
        if
        :: item != 0 -> take(item)
        :: else
        fi
     fi
  fi;
  atomic { b = 0; at = 0; item = 0 }
}

proctype Owner() {
  byte pushed, b, at, item, topSeen;
  do
  :: pushed < ITEMS && seen[BOTTOM] - top < 2 -> // the ring does not grow to 4
     b = seen[BOTTOM];
     if
     :: b - topSeen >= 1 + seen[CURRENT] ->
        topSeen = top;
        if
        :: b - topSeen >= 1 + seen[CURRENT] ->
           assert(seen[CURRENT] == 0);
           store(CELL(1, topSeen), seen[CELL(0, topSeen)], false);
           store(CURRENT, 1, FAULT != 3)
        :: else
        fi
     :: else
     fi;
     pushed++;
     store(CELL(seen[CURRENT], b), pushed, false);
     store(BOTTOM, b + 1, FAULT != 2)
  :: pop()
  :: pushed == ITEMS && thieves == 0 -> break
  od;
  n == 0;
  do
  :: top < seen[BOTTOM] -> pop()
  :: else -> break
  od;
  n == 0;
  assert(taken[1] && taken[2] && taken[3])
}

proctype Thief(byte tries) {
  byte at, ring, item;
  do
  :: tries == 0 -> break
  :: else ->
     tries--;
     at = top;
     if
     :: at >= memory[BOTTOM]
     :: else ->
        ring = memory[CURRENT];
        item = memory[CELL(ring, at)];
        if
        :: atomic { top == at -> top++; take(item) }
        :: else
        fi
     fi;
     atomic { at = 0; ring = 0; item = 0 }
  od;
  thieves--
}

init {
  atomic { run Memory(); run Owner(); run Thief(2); run Thief(1) }
}
