// A coroutine is suspended as a whole, not in one of its tasks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not %hsched-cc -std=c++20 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
#include <coroutine>
struct Job {
  struct promise_type {
    Job get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int) { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
void use(int);
Job job(int n) {
#pragma hsched task
  // CHECK: [[@LINE+1]]:5: error: a task cannot suspend the coroutine around it: do so behind the taskwait
  { co_await std::suspend_always(); }
#pragma hsched task
  // CHECK: [[@LINE+1]]:5: error: a task cannot suspend the coroutine around it
  { co_yield n; }
#pragma hsched task
  // CHECK: [[@LINE+1]]:5: error: a task cannot suspend the coroutine around it
  { co_return; }
#pragma hsched task
  // A coroutine inside of the task is its own affair.
  { auto inner = [](int m) -> Job { use(m); co_return; }; inner(n); }
}
