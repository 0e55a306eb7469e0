// Detached tasks: tasks that are not complete when their body returns.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   #pragma hsched task out([n]p)
//   void receive(int n, float *p) {
//     if (hsched::completion done = hsched::detach())
//       start(n, p, std::move(done)); // some thread calls done.complete() later
//     else
//       wait_for(n, p);               // in the serial program
//   }
#ifndef HSCHED_COMPLETION_H
#define HSCHED_COMPLETION_H

#if defined(__HSCHED__) || defined(HSCHED_ENGINE_H)
#define HSCHED_DETACHES 1
#include <hsched/engine_abi.h>
#endif

#include <exception>
#include <string>
#include <utility>

namespace hsched {

// Completes a detached task, once. Converts to false if default-constructed, and in the serial program. The task fails
// if this is destroyed before complete() or fail(). Any thread may call them.
class completion {
public:
  // Completes nothing.
  completion() = default;
  // Afterwards `other` completes nothing.
  completion(completion &&other) noexcept : work_(std::exchange(other.work_, nullptr)) {}
  // The task that this completed so far fails.
  completion &operator=(completion &&other) noexcept {
    completion old(std::move(*this));
    work_ = std::exchange(other.work_, nullptr);
    return *this;
  }
  // If the task is not complete, it fails.
  ~completion() {
    if (work_)
      end("its completion was destroyed before it was complete", nullptr);
  }
  // True while there is a task to complete.
  explicit operator bool() const noexcept { return work_ != nullptr; }

  // Ends the task.
  void complete() { end(nullptr, nullptr); }
  // Ends it as failed: a wait throws a task_error with this cause, or this exception.
  void fail(const std::string &cause) { end(cause.c_str(), nullptr); }
  // Ends it as failed: a wait throws this exception. Null: a task_error.
  void fail(std::exception_ptr exception) { end("an exception that is null", exception ? &exception : nullptr); }

#if defined(HSCHED_DETACHES)
  // Takes ownership of what hsched_detach() returned.
  explicit completion(hsched_detached *work) noexcept : work_(work) {}

private:
  void end(const char *cause, const void *exception) {
    if (hsched_detached *work = std::exchange(work_, nullptr))
      hsched_detached_end(work, cause, exception);
  }
  hsched_detached *work_ = nullptr;
#else
private:
  void end(const char *, const void *) {}
  void *work_ = nullptr;
#endif
};

#if defined(HSCHED_DETACHES)
// Static initialisation: before the first task runs, tells the runtime that this unit's tasks may detach.
template <class> struct detaching {
  // Always true. Its initialisation has the effect.
  static inline const bool registered = (hsched_will_detach(), true);
};
// Call it once, in a task's body on the CPU, on the body's thread. The task is complete when the completion is. Throws
// std::logic_error elsewhere.
template <class Unit = void> completion detach() {
  (void)&detaching<Unit>::registered;
  return completion(hsched_detach());
}
#else
template <class = void> completion detach() { return {}; }
#endif

} // namespace hsched
#endif
