// Clang's thread-safety attributes, and a mutex with them: -Wthread-safety then checks which locks are held.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_THREADSAFETY_H
#define HSCHED_BASE_THREADSAFETY_H

#include <mutex>

#if defined(__clang__)
#define HSCHED_TSA(Attribute) __attribute__((Attribute))
#else
#define HSCHED_TSA(Attribute)
#endif

#define HSCHED_CAPABILITY(Name) HSCHED_TSA(capability(Name))
#define HSCHED_SCOPED_CAPABILITY HSCHED_TSA(scoped_lockable)
#define HSCHED_GUARDED_BY(Lock) HSCHED_TSA(guarded_by(Lock))              // A field guarded by Lock.
#define HSCHED_PT_GUARDED_BY(Lock) HSCHED_TSA(pt_guarded_by(Lock))        // A pointer whose target Lock guards.
#define HSCHED_REQUIRES(...) HSCHED_TSA(requires_capability(__VA_ARGS__)) // The caller holds these locks.
#define HSCHED_EXCLUDES(...) HSCHED_TSA(locks_excluded(__VA_ARGS__))      // The caller must not hold them.
#define HSCHED_ACQUIRE(...) HSCHED_TSA(acquire_capability(__VA_ARGS__))
#define HSCHED_RELEASE(...) HSCHED_TSA(release_capability(__VA_ARGS__))
#define HSCHED_TRY_ACQUIRE(...) HSCHED_TSA(try_acquire_capability(__VA_ARGS__))
#define HSCHED_NO_THREAD_SAFETY_ANALYSIS HSCHED_TSA(no_thread_safety_analysis) // Give the reason beside it.

namespace hsched::rt {

class HSCHED_CAPABILITY("mutex") Mutex {
public:
  void lock() HSCHED_ACQUIRE() { M.lock(); }
  void unlock() HSCHED_RELEASE() { M.unlock(); }
  bool try_lock() HSCHED_TRY_ACQUIRE(true) { return M.try_lock(); }

private:
  std::mutex M;
};

// Holds a Mutex for a scope; may unlock and lock it again meanwhile.
class HSCHED_SCOPED_CAPABILITY MutexLock {
public:
  explicit MutexLock(Mutex &Of) HSCHED_ACQUIRE(Of) : M(Of) { M.lock(); }
  ~MutexLock() HSCHED_RELEASE() {
    if (Locked)
      M.unlock();
  }
  MutexLock(const MutexLock &) = delete;
  MutexLock &operator=(const MutexLock &) = delete;

  void unlock() HSCHED_RELEASE() {
    Locked = false;
    M.unlock();
  }
  void lock() HSCHED_ACQUIRE() {
    M.lock();
    Locked = true;
  }

private:
  Mutex &M;
  bool Locked = true;
};

} // namespace hsched::rt
#endif
