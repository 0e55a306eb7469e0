// A seat that is lent: one thread has it at a time, it comes back to a thread that is at work, and whoever is woken for the
// seat looks for work, or another thread that has the seat does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step here            in the tree (exec/Lending.cpp)
// Lender               workInside: lend, the wait without a seat, claim, takeBack, and endLoan at its end
// Spare                serve: returnSeat between tasks, sit and the look for work before it sleeps
// Waker                Executor::wake: the work is visible, then Seat::P is read and unparked
//
// Bounds: one worker, one lender that waits up to twice, one spare thread at a time, a waker that makes two tasks.
// Memory: sequentially consistent, as the code asks for.
//
// Faults: 1 the lender takes its claim away without looking whether it was taken; 2 the spare thread returns the seat to
// a claim that it has only read; 3 the seat's parker is set after the look for work.
#ifndef FAULT
#define FAULT 0
#endif
#define LENDER 0
#define SPARE 1

byte holders = 1;          // threads that act as the seat's
bool claimant, returned;   // Seat::Claimant is the loan, Loan::Returned
byte parker = LENDER;      // Seat::P
bool token[2], asleep[2];
byte work;                 // that only who has the seat may run
bool spareHas;             // a spare thread serves
bool waker, over;          // the waker, the lender is done

inline has() { holders++; assert(holders == 1) }
inline lacks() { holders-- }

proctype Lender() {
  byte waits = 0;
  bool seated = true, claimed = false;
wait:
  waits++;
  // takeBack
  if
  :: !seated && claimed ->
     claimed = false;
#if FAULT == 1
     claimant = false;
#else
     if
     :: atomic { claimant -> claimant = false }
     :: atomic { !claimant && returned -> returned = false; seated = true; has() }
     fi
#endif
  :: else
  fi;
  if
  :: seated -> // it finds what it may not run, and lends
     lacks(); seated = false;
     spareHas = true;
     run Spare()
  :: else
  fi;
  // the wait is over: claim
  if
  :: atomic { !seated && !claimed && !claimant -> claimant = true; claimed = true }
  :: seated
  fi;
  // the body goes on, and may wait again
  if
  :: waits < 2 -> goto wait
  :: true
  fi;
  // endLoan
  if
  :: claimed ->
#if FAULT == 1
     claimant = false
#else
     if
     :: atomic { claimant -> claimant = false }
     :: atomic { !claimant && returned -> returned = false; seated = true; has() }
     fi
#endif
  :: else
  fi;
  // serve: with the seat it works on, else it is done
again:
  if
  :: !seated -> goto done
  :: else
  fi;
  parker = LENDER;
  if
  :: atomic { work > 0 -> work-- }; goto again
  :: else
  fi;
  asleep[LENDER] = true;
  if
  :: token[LENDER] -> token[LENDER] = false; asleep[LENDER] = false; goto again
  :: atomic { waker && !token[LENDER] && work == 0 -> asleep[LENDER] = false } // the end of the program
  fi;
done:
  over = true
}

proctype Spare() {
  bool read;
#if FAULT != 3
  parker = SPARE;
#endif
  has();
again:
  // returnSeat
#if FAULT == 2
  read = claimant;
  if
  :: read -> claimant = false
#else
  if
  :: atomic { claimant -> claimant = false }
#endif
     lacks();
     parker = LENDER;
     spareHas = false;
     returned = true;
     goto done
  :: else
  fi;
  if
  :: atomic { work > 0 -> work-- }; goto again
  :: else
  fi;
#if FAULT == 3
  parker = SPARE;
#endif
  asleep[SPARE] = true;
  if
  :: token[SPARE] -> token[SPARE] = false; asleep[SPARE] = false; goto again
  :: atomic { over && waker && !token[SPARE] && work == 0 -> asleep[SPARE] = false }
  fi;
done:
  skip
}

proctype Waker() {
  byte n = 0, p;
  do
  :: n < 2 -> work++; p = parker; token[p] = true; n++
  :: else -> break
  od;
  waker = true
}

init {
  atomic { run Lender(); run Waker() }
end:
  timeout;
  assert(work == 0)
}
