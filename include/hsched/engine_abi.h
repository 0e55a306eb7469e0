/* The C ABI of the engine itself: what a front door submits, waits for and completes without generated code.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Part of the C ABI in abi.h, under its rules: structures begin with their size, fields are only appended. All of it
 * since minor 5, unless it says otherwise. <hsched/engine.h> has the same in C++. */
#ifndef HSCHED_ENGINE_ABI_H
#define HSCHED_ENGINE_ABI_H

#include <hsched/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs tasks. A null pointer stands for the process's own engine, which starts with the first task. */
typedef struct hsched_engine hsched_engine;

enum {
  HSCHED_CONFIG_BIND =
      1 /* Each CPU worker to a core of its own, as HSCHED_PIN=1 has it for the process's own engine. */
};

/* What an engine is made from. All zero: as many CPU workers as cores, on no core in particular, and no device. The
 * environment does not count, but for HSCHED_LOG. */
typedef struct hsched_config {
  size_t struct_bytes;
  const char *policy;        /* Null: the default one. */
  const char *opencl;        /* As HSCHED_OPENCL; null: no OpenCL device. */
  unsigned workers;          /* CPU workers; 0: as many as there are cores. */
  unsigned window;           /* As HSCHED_WINDOW; 0: the default. */
  unsigned lambda;           /* As HSCHED_LAMBDA; 0: the default. */
  unsigned simulated;        /* Simulated devices. */
  unsigned watchdog_seconds; /* As HSCHED_WATCHDOG. */
  unsigned flags;            /* HSCHED_CONFIG_... */
} hsched_config;

/* An engine beside the process's own. Engines share nothing but the types of tasks: each has workers, devices, data and
 * measurements of its own. Memory that two engines' tasks use is ordered by who waits for them. The functions of abi.h,
 * and so generated code, use the process's own engine, also inside another one's tasks. Any thread may use any number
 * of engines. Throws std::invalid_argument for a policy that there is not, std::runtime_error beyond 512 workers in
 * all. */
HSCHED_EXPORT hsched_engine *hsched_engine_make(const hsched_config *config);
/* Waits for its tasks. Not inside one of them, and while no other thread uses it. */
HSCHED_EXPORT void hsched_engine_destroy(hsched_engine *engine);
/* As hsched_taskwait: for the children of the task that the calling thread runs in that engine, or outside its tasks
 * for all. */
HSCHED_EXPORT void hsched_engine_wait(hsched_engine *engine, unsigned flags);

/* A counted reference to a task. */
typedef struct hsched_ref hsched_ref;

/* How a task ended. HSCHED_UNFINISHED: it has not. Cancelled: it did not run, because a task before it failed. */
enum { HSCHED_DONE = 0, HSCHED_FAILED = 1, HSCHED_CANCELLED = 2, HSCHED_UNFINISHED = 3 };

/* What runs tasks in an engine: a core, or a device. Worker 0 is a core of the thread that waits. */
typedef struct hsched_worker {
  size_t struct_bytes;  /* As far as the runtime has filled it. */
  const char *name;     /* Lives as long as the engine. */
  unsigned device;      /* HSCHED_DEVICE_... */
  unsigned device_type; /* HSCHED_TYPE_... */
  unsigned queues;      /* Compute queues of a device; 0: a core. */
} hsched_worker;

/* Writes the engine's workers, numbered from 0, to the first of n entries of entry_bytes bytes each, as many as there
 * is room for; returns how many there are. Starts the engine. */
HSCHED_EXPORT size_t hsched_workers(hsched_engine *engine, hsched_worker *entries, size_t n, size_t entry_bytes);

/* Tasks that go to one device together; all cores count as one. The engine settles the device with the first of them,
 * among those that can run all that have been submitted to it. */
typedef struct hsched_component hsched_component;
HSCHED_EXPORT hsched_component *hsched_component_make(hsched_engine *engine, const char *name);
HSCHED_EXPORT void hsched_component_release(hsched_component *component); /* Its tasks may be unfinished. */

/* Where a task may run. Policies choose among what it leaves. */
typedef struct hsched_placement {
  size_t struct_bytes;
  const unsigned *workers; /* n_workers numbers; null: any. */
  unsigned n_workers;
  hsched_component *component; /* Null: none. */
  unsigned flags;              /* HSCHED_PLACEMENT_... */
  unsigned queue;              /* With HSCHED_PLACEMENT_QUEUE: a compute queue of the one device in workers, from 0. */
} hsched_placement;

/* The task's commands go to that queue. Children of one task, or tasks outside any, that are placed on one queue run
 * one after another in the order of their submission; what is placed on two queues may overlap. As with `after`, a task
 * that fails cancels those that come after it on the queue, until the failure has been thrown by a wait. */
enum { HSCHED_PLACEMENT_QUEUE = 1 };

/* One task, as every front door describes it. The engine keeps no pointer into it. */
typedef struct hsched_submission {
  size_t struct_bytes;
  hsched_task_type *type;
  const hsched_submit_options *options; /* Null: none. A reduction's slot lies in `args`. */
  const hsched_access *accesses;        /* n_accesses of them. */
  /* Packed arguments. The engine has memory of its own for them, and moves them there with `move`, which may throw;
   * null: it copies their bytes. The type's destroy is called on the engine's. */
  void *args;
  void (*move)(void *to, void *from);
  /* Tasks before which this one does not begin, besides those that it depends on by its accesses: complete or not,
   * submitted or declared. If one of them fails, this one is cancelled. */
  hsched_ref *const *after;
  unsigned n_accesses, n_after;
  hsched_ref *declared; /* The declared task that this one is; null: a new one. */
  /* Called once with `ended_data` when the task has ended in one of the ways above: on the thread that completed it,
   * with no lock held, before a wait for the task returns. It may submit tasks, which count as submitted outside any
   * task, and does not wait for any. What it throws is thrown by the next wait, as a hsched::task_error. */
  void (*ended)(void *data, int how);
  void *ended_data;
  const hsched_placement *placement; /* Null: anywhere. */
} hsched_submission;

/* Submits a task to an engine, as a child of the task that the calling thread runs in that engine. *ref is set to a
 * reference to it, unless ref is null. Throws std::invalid_argument, and submits nothing, where the description cannot
 * be met: a null type, a predecessor of another engine, a task that would come after itself or after a task inside
 * which it is submitted, a worker or a queue that there is not, a component of which no device could run all tasks. A
 * declared task can then be submitted again. A task that none of the workers named can run fails, as one without a
 * version does. May run other tasks when the window is full. */
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

/* Task types made at run time. The description, with its strings, is copied; its linker_name may be null. Such a type
 * is for hsched_submit alone. */
HSCHED_EXPORT hsched_task_type *hsched_type_make(const hsched_task_desc *task);
/* Gives it one more version; the description with its strings is copied, what it points to is not. Returns its number.
 * `release` is called with `owner` when the version has been removed, or the type dropped, and no unfinished task may
 * run it: its code and what it points to may go away then. On whichever thread, with no lock held; it may be null.
 * Throws std::length_error beyond 32 versions. */
HSCHED_EXPORT unsigned hsched_type_add(hsched_task_type *type, const hsched_version_desc *version, void *owner,
                                       void (*release)(void *owner));
/* No task runs the version from here on, but for those that run it already. */
HSCHED_EXPORT void hsched_type_remove(hsched_task_type *type, unsigned version);
/* Nothing more is submitted to the type. Tasks that have been run as always. */
HSCHED_EXPORT void hsched_type_drop(hsched_task_type *type);

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

/* Data without a home on the host: a range of addresses that accesses name like any others, with no memory behind it.
 * Devices hold what tasks write there. The range gets memory on the host, as much as is needed, when a task runs there,
 * when the only copy has to leave a device, or when somebody asks for it. No wait brings such data home, except one
 * that names them. Contents that nobody has written are anything; they are never copied. All since minor 6.
 *
 * Makes a datum of `bytes` bytes, which may be more than there is memory, and returns its first address, at a page's
 * beginning. `flags` is 0. Throws std::bad_alloc where there are no addresses left, std::invalid_argument for 0 bytes
 * and unknown flags. Starts the engine. A datum lives until it is dropped or its engine is destroyed. */
HSCHED_EXPORT void *hsched_datum_make(hsched_engine *engine, size_t bytes, unsigned flags);

/* What the host does with what it has asked for. */
enum {
  HSCHED_HOME_READ = 0,     /* Devices' copies stay valid. */
  HSCHED_HOME_UPDATE = 1,   /* They do not. */
  HSCHED_HOME_OVERWRITE = 2 /* Nor do the contents: nothing is brought home. */
};
/* Asks for `bytes` bytes from `address` on, inside a datum, on the host: waits for the tasks that have them, as
 * hsched_taskwait_on, and brings them home. The calling thread may then read or write them, before it submits a task
 * that writes them, or for a write, uses them. Throws what hsched_taskwait_on throws, std::invalid_argument for an
 * address outside any datum and an unknown `use`. */
HSCHED_EXPORT void hsched_datum_home(hsched_engine *engine, void *address, size_t bytes, unsigned use);

/* The end of a datum. Waits first for the tasks that name it, as hsched_taskwait_on does: for the children of the task
 * that the calling thread runs, outside tasks for all. A failure of theirs is thrown by the next wait, not here. No
 * copy of the datum is written back. Throws std::invalid_argument where no datum begins there, and where a task uses it
 * that it cannot wait for: then the datum stays. Null is nothing. */
HSCHED_EXPORT void hsched_datum_drop(hsched_engine *engine, void *datum);

#ifdef __cplusplus
}
#endif
#endif
