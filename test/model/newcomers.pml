// Tasks that nothing can run yet: none is forgotten, none fails that a device that came could have run, and none is
// given to a device before its kernel has been built.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Step here            in the tree
// ask                  ArrivingDevices::startBuilding, under ArrivalLock: Version::Unbuilt
// admit                ArrivingDevices::admit, under ArrivalLock: addBuilds, then WorkerList::publish; release
// endArrivals              ArrivingDevices::endArrivals: Expecting, release
// builder              ArrivingDevices::buildAll: Executor::disable, Version::setUnbuilt, release
// dispatch, hold       Executor::dispatch, ArrivingDevices::hold, under DeferredLock
// release              ArrivingDevices::release: takes what is held, under DeferredLock, and dispatches it
//
// Bounds: two tasks that only a device can run, of one type; one device, which comes or does not; a kernel that builds or
// does not. Memory: the flags are atomic, and every change of one comes before a lock that its reader takes afterwards.
//
// Faults: 1 hold does not look again under the lock; 2 what is built is released before it can be used; 3 the device is
// visible before its kernels are marked as not built; 4 the end of what is expected releases nothing.
#ifndef FAULT
#define FAULT 0
#endif
#define TASKS 2

bool come, expecting = true, unbuilt, disabled, asked, toBuild;
bool broken; // the kernel does not build
bool arrival, heldLock;
bool held[TASKS], given[TASKS], failed[TASKS];
byte running = 2; // threads that may still change something

#define usable (come && !unbuilt && !disabled)
#define mayBecome (expecting || (come && unbuilt))

inline lock(l) { atomic { !l -> l = true } }
inline unlock(l) { l = false }

// T is new, or was held.
inline dispatch(t) {
  if
  :: usable ->
     given[t] = true
  :: else ->
     lock(heldLock);
     if
#if FAULT != 1
     :: usable ->
        unlock(heldLock);
        given[t] = true
#endif
     :: (FAULT == 1 || !usable) && mayBecome ->
        held[t] = true;
        unlock(heldLock)
     :: (FAULT == 1 || !usable) && !mayBecome ->
        unlock(heldLock);
        assert(!usable); // a device has come, and could have run it
        failed[t] = true
     fi
  fi
}

inline release(a, b) {
  lock(heldLock);
  d_step {
    a = held[0];
    b = held[1];
    held[0] = false;
    held[1] = false
  };
  unlock(heldLock);
  if
  :: a -> dispatch(0)
  :: else
  fi;
  if
  :: b -> dispatch(1)
  :: else
  fi
}

active proctype submitter() {
  lock(arrival);
  asked = true;
  if
  :: come ->
     unbuilt = true;
     toBuild = true
  :: else
  fi;
  unlock(arrival);
  dispatch(0);
  dispatch(1)
}

active proctype opener() {
  bool a, b;
  if
  :: true -> // a device
     lock(arrival);
#if FAULT == 3
     come = true;
#endif
     if
     :: asked ->
        unbuilt = true;
        toBuild = true
     :: else
     fi;
     come = true;
     unlock(arrival);
     release(a, b)
  :: true
  fi;
  expecting = false;
#if FAULT != 4
  release(a, b)
#endif
  running--
}

active proctype builder() {
  bool a, b;
  if
  :: toBuild
  :: timeout -> goto done
  fi;
  if
  :: true ->
     broken = true;
     disabled = true
  :: true
  fi;
#if FAULT == 2
  release(a, b);
  unbuilt = false;
#else
  unbuilt = false;
  release(a, b);
#endif
done:
  running--
}

// A task that is given to the device while its kernel is being built waits there.
active proctype watcher() {
end:
  do
  :: atomic { (given[0] || given[1]) && asked && come && unbuilt && !(held[0] || held[1]) -> assert(false) }
  :: atomic {
       timeout ->
       if
       :: running == 0 ->
          assert((given[0] || failed[0]) && (given[1] || failed[1]));
          break
       :: else -> skip
       fi
     }
  od
}
