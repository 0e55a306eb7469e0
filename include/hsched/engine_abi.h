/* The C ABI of the engine itself: what a front door submits, waits for and completes without generated code.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Part of the C ABI in abi.h, under its rules: structures begin with their size, fields are only appended. All of it
 * since minor 5. <hsched/engine.h> has the same in C++. */
#ifndef HSCHED_ENGINE_ABI_H
#define HSCHED_ENGINE_ABI_H

#include <hsched/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs tasks. A null pointer stands for the process's own engine, which starts with the first task. */
typedef struct hsched_engine hsched_engine;

/* A counted reference to a task. */
typedef struct hsched_ref hsched_ref;

/* How a task ended. HSCHED_UNFINISHED: it has not. Cancelled: it did not run, because a task before it failed. */
enum { HSCHED_DONE = 0, HSCHED_FAILED = 1, HSCHED_CANCELLED = 2, HSCHED_UNFINISHED = 3 };

/* One task, as every front door describes it. The engine keeps no pointer into it. */
typedef struct hsched_submission {
  size_t struct_bytes;
  hsched_task_type *type;
  const hsched_submit_options *options; /* null: none. A reduction's slot lies in `args` */
  const hsched_access *accesses;        /* n_accesses of them */
  /* Packed arguments. The engine has memory of its own for them, and moves them there with `move`, which may throw;
   * null: it copies their bytes. The type's destroy is called on the engine's. */
  void *args;
  void (*move)(void *to, void *from);
  /* Tasks before which this one does not begin, besides those that it depends on by its accesses: complete or not,
   * submitted or declared. If one of them fails, this one is cancelled. */
  hsched_ref *const *after;
  unsigned n_accesses, n_after;
  hsched_ref *declared; /* the declared task that this one is; null: a new one */
  /* Called once with `ended_data` when the task has ended in one of the ways above: on the thread that completed it,
   * with no lock held, before a wait for the task returns. It may submit tasks, which count as submitted outside any
   * task, and does not wait for any. What it throws is thrown by the next wait, as a hsched::task_error. */
  void (*ended)(void *data, int how);
  void *ended_data;
} hsched_submission;

/* Submits a task to an engine, as a child of the task that the calling thread runs in that engine. *ref is set to a
 * reference to it, unless ref is null. Throws std::invalid_argument, and submits nothing, where the description cannot
 * be met: a null type, a predecessor of another engine, a task that would come after itself or after a task inside
 * which it is submitted. A declared task can then be submitted again. May run other tasks when the window is full. */
HSCHED_EXPORT void hsched_submit(hsched_engine *engine, const hsched_submission *submission, hsched_ref **ref);

/* A task that others may come after before it is submitted. `name` is copied. If its last reference is released before
 * it is submitted, it counts as a task that failed. */
HSCHED_EXPORT hsched_ref *hsched_declare(hsched_engine *engine, const char *name);

HSCHED_EXPORT void hsched_ref_retain(hsched_ref *ref);
HSCHED_EXPORT void hsched_ref_release(hsched_ref *ref);
/* Any thread, at any time. */
HSCHED_EXPORT int hsched_ref_state(const hsched_ref *ref);
/* Returns how the task ended when it has, its children and its callback included. The calling thread works meanwhile.
 * What failed is thrown by hsched_taskwait, not here. Data stay where they are: see hsched_taskwait_on. */
HSCHED_EXPORT int hsched_ref_wait(hsched_ref *ref);

/* Work of a task that goes on after its body has returned. */
typedef struct hsched_detached hsched_detached;

/* Called in a task's body on the CPU, on its thread: the task is not complete before hsched_detached_end is called,
 * however early its body returns. Once a task. Throws std::logic_error anywhere else. */
HSCHED_EXPORT hsched_detached *hsched_detach(void);
/* Ends that work. Any thread, once; also before the body has returned. The task has failed if `cause` is given, or
 * `exception`, which points to a std::exception_ptr. */
HSCHED_EXPORT void hsched_detached_end(hsched_detached *work, const char *cause, const void *exception);
/* Says that tasks of this program may call hsched_detach. The engine then runs no task as part of the call that submits
 * it; if it has not been told, such a task's end is waited for where it is submitted. <hsched/engine.h> calls it when
 * the program is loaded. Any thread. */
HSCHED_EXPORT void hsched_will_detach(void);

#ifdef __cplusplus
}
#endif
#endif
