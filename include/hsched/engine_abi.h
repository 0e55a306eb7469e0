/* The C ABI of the engine: submission, waits and completion without generated code.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Part of the C ABI in abi.h, under its rules: structures begin with their size, fields are only appended. All
 * functions exist since minor 5 unless marked. <hsched/engine.h> has the same in C++. */
#ifndef HSCHED_ENGINE_ABI_H
#define HSCHED_ENGINE_ABI_H

#include <hsched/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs tasks. A null pointer stands for the process's own engine, which starts with the first task. */
typedef struct hsched_engine hsched_engine;

/* Flags of a configuration. */
enum {
  HSCHED_CONFIG_BIND = 1 /* Binds each CPU worker to a core, as HSCHED_PIN=1 does for the default engine. */
};

/* Configuration of an engine. All zero: one CPU worker for each core, not bound, and no device. No environment variable
 * but HSCHED_LOG is read. */
typedef struct hsched_config {
  size_t struct_bytes;       /* Size of the structure that the caller was compiled with. */
  const char *policy;        /* Null: the default one. */
  const char *opencl;        /* As HSCHED_OPENCL; null: no OpenCL device. */
  unsigned workers;          /* CPU workers; 0: as many as there are cores. */
  unsigned window;           /* As HSCHED_WINDOW; 0: the default. */
  unsigned lambda;           /* As HSCHED_LAMBDA; 0: the default. */
  unsigned simulated;        /* Number of simulated devices. */
  unsigned watchdog_seconds; /* As HSCHED_WATCHDOG. */
  unsigned flags;            /* HSCHED_CONFIG_... */
} hsched_config;

/* Makes an engine beside the default one. Engines share only task types: each has its own workers, devices, data and
 * measurements. They do not order accesses to memory that both use; the program does, by waits. The functions of
 * abi.h, and so generated code, use the default engine, also inside another engine's tasks. Any thread may use any
 * number of engines. Throws std::invalid_argument for an unknown policy, std::runtime_error beyond 512 workers in all.
 * */
HSCHED_EXPORT hsched_engine *hsched_engine_make(const hsched_config *config);
/* Waits for the engine's tasks, then destroys it. Do not call it inside one of them, or while another thread uses it.
 * */
HSCHED_EXPORT void hsched_engine_destroy(hsched_engine *engine);
/* As hsched_taskwait: waits for the children of the task that the calling thread runs in that engine. Outside its
 * tasks: for all. */
HSCHED_EXPORT void hsched_engine_wait(hsched_engine *engine, unsigned flags);

/* A counted reference to a task. */
typedef struct hsched_ref hsched_ref;

/* How a task ended. */
enum {
  HSCHED_DONE = 0,      /* It has run. */
  HSCHED_FAILED = 1,    /* Its body threw, or it could not be run. */
  HSCHED_CANCELLED = 2, /* It did not run, because a predecessor failed. */
  HSCHED_UNFINISHED = 3 /* It has not ended. */
};

/* A worker of an engine: a core, or a device. Worker 0 is the core of a thread that waits. */
typedef struct hsched_worker {
  size_t struct_bytes;  /* Bytes that the runtime has filled. */
  const char *name;     /* Lives as long as the engine. */
  unsigned device;      /* HSCHED_DEVICE_... */
  unsigned device_type; /* HSCHED_TYPE_... */
  unsigned queues;      /* Compute queues of a device. 0: the worker is a core. */
} hsched_worker;

/* Writes the engine's workers, in order of their numbers from 0, to an array of n entries of entry_bytes bytes. Writes
 * at most n; returns how many there are. Starts the engine. */
HSCHED_EXPORT size_t hsched_workers(hsched_engine *engine, hsched_worker *entries, size_t n, size_t entry_bytes);

/* Tasks that go to one device together; all cores count as one. The engine chooses the device at the first task, among
 * those that can run all tasks submitted to the component so far. */
typedef struct hsched_component hsched_component;
/* Makes a component without tasks. `name` is copied. */
HSCHED_EXPORT hsched_component *hsched_component_make(hsched_engine *engine, const char *name);
HSCHED_EXPORT void hsched_component_release(
    hsched_component *component); /* Releases the handle. The component's tasks may be unfinished. */

/* Where a task may run. Policies choose among the remaining workers. */
typedef struct hsched_placement {
  size_t struct_bytes;         /* Size of the structure that the caller was compiled with. */
  const unsigned *workers;     /* n_workers worker numbers. Null: any worker. */
  unsigned n_workers;          /* Number of entries of `workers`. */
  hsched_component *component; /* Null: none. */
  unsigned flags;              /* HSCHED_PLACEMENT_... */
  unsigned queue;              /* With HSCHED_PLACEMENT_QUEUE: a compute queue of the one device in workers, from 0. */
} hsched_placement;

/* The task's commands go to that queue. Siblings on one queue run one after another, in order of submission. Tasks on
 * two queues may overlap. As with `after`, a failed task cancels the later ones on its queue until a wait has thrown
 * the failure. */
enum {
  HSCHED_PLACEMENT_QUEUE = 1 /* `queue` is given. */
};

/* The description of one task. The engine keeps no pointer into it. */
typedef struct hsched_submission {
  size_t struct_bytes;                  /* Size of the structure that the caller was compiled with. */
  hsched_task_type *type;               /* From hsched_type_make or hsched_register_task. */
  const hsched_submit_options *options; /* Null: none. A reduction's slot lies in `args`. */
  const hsched_access *accesses;        /* n_accesses of them. */
  /* Packed arguments. The engine moves them into its own memory with `move`, which may throw. Null: it copies the
   * bytes. It calls the type's destroy on its own copy. */
  void *args;
  void (*move)(void *to, void *from); /* Constructs the arguments at `to` from those at `from`. */
  /* Explicit predecessors, besides those that the accesses imply: complete or not, submitted or declared. If one of
   * them fails, this task is cancelled. */
  hsched_ref *const *after;
  unsigned n_accesses;  /* Number of entries of `accesses`. */
  unsigned n_after;     /* Number of entries of `after`. */
  hsched_ref *declared; /* The declared task that this submits. Null: a new task. */
  /* Called once with `ended_data` when the task has ended, with HSCHED_DONE, FAILED or CANCELLED. It runs on the
   * completing thread, without a lock, before a wait for the task returns. It may submit tasks, which count as
   * submitted outside any task. It must not wait. The next wait throws what it throws, as a hsched::task_error. */
  void (*ended)(void *data, int how);
  void *ended_data;                  /* First argument of `ended`. */
  const hsched_placement *placement; /* Null: anywhere. */
} hsched_submission;

/* Submits a task to an engine, as a child of the task that the calling thread runs there. Sets *ref to a reference to
 * it unless ref is null. Throws std::invalid_argument, and submits nothing, for an invalid description. Invalid are a
 * null type, a predecessor in another engine, an unknown worker or queue, and a component that no single device can
 * run. So is a cycle: the task itself, or a task around the submission, as predecessor. A declared task can then be
 * submitted again. If none of the named workers can run the task, it fails. May run other tasks when the window is
 * full. */
HSCHED_EXPORT void hsched_submit(hsched_engine *engine, const hsched_submission *submission, hsched_ref **ref);

/* Declares a task: it may be a predecessor before it is submitted. `name` is copied. It counts as failed if its last
 * reference is released before it is submitted. */
HSCHED_EXPORT hsched_ref *hsched_declare(hsched_engine *engine, const char *name);

/* Adds a reference. Any thread. */
HSCHED_EXPORT void hsched_ref_retain(hsched_ref *ref);
/* Releases a reference. Any thread. */
HSCHED_EXPORT void hsched_ref_release(hsched_ref *ref);
/* How the task ended: HSCHED_DONE, ..., or HSCHED_UNFINISHED. Any thread, at any time. */
HSCHED_EXPORT int hsched_ref_state(const hsched_ref *ref);
/* Waits for the task, its children and its callback; returns how it ended. The calling thread runs other tasks
 * meanwhile. Throws no failure of the task: hsched_taskwait does. Brings no data home: see hsched_taskwait_on. */
HSCHED_EXPORT int hsched_ref_wait(hsched_ref *ref);

/* Makes a task type at run time. The description and its strings are copied; linker_name may be null. Only
 * hsched_submit takes such a type. */
HSCHED_EXPORT hsched_task_type *hsched_type_make(const hsched_task_desc *task);
/* Adds a version and returns its number. The description and its strings are copied, but not what it points to.
 * `release` may be null. It is called with `owner` after the version has been removed, or the type dropped, and no
 * unfinished task can run it. Its code may be unloaded from then on. Any thread may call `release`; no lock is held.
 * Throws std::length_error beyond 32 versions. */
HSCHED_EXPORT unsigned hsched_type_add(hsched_task_type *type, const hsched_version_desc *version, void *owner,
                                       void (*release)(void *owner));
/* Removes a version. Tasks that run it already go on. */
HSCHED_EXPORT void hsched_type_remove(hsched_task_type *type, unsigned version);
/* Drops the type: no further submission is allowed. Tasks already submitted run. */
HSCHED_EXPORT void hsched_type_drop(hsched_task_type *type);

/* Detached work: it goes on after the task's body has returned. */
typedef struct hsched_detached hsched_detached;

/* Detaches the task: it is not complete before hsched_detached_end is called, even if its body has returned. Called
 * once, in the body, on the body's thread, on the CPU. Throws std::logic_error elsewhere. */
HSCHED_EXPORT hsched_detached *hsched_detach(void);
/* Ends detached work. Any thread, once, also before the body returns. The task fails if `cause` is given, or
 * `exception`, which points to a std::exception_ptr. */
HSCHED_EXPORT void hsched_detached_end(hsched_detached *work, const char *cause, const void *exception);
/* Declares that tasks of this program may call hsched_detach. The engine then runs no task within its submission.
 * Without this call, the submission of a detached task that runs in place waits for its end. <hsched/engine.h> calls it
 * when the program is loaded. Any thread. */
HSCHED_EXPORT void hsched_will_detach(void);

/* Homeless data: a range of addresses without host memory. Accesses name it like any other. Devices hold what tasks
 * write there. Pages get host memory when a task on the host uses them, when their only copy is evicted, or when the
 * host requests them. Only a wait that names such data brings them home. Unwritten contents are undefined and never
 * copied. All since minor 6.
 *
 * Makes a datum of `bytes` bytes, which may exceed the memory, and returns its page-aligned address. `flags` is 0.
 * Throws std::bad_alloc if the address space is exhausted, std::invalid_argument for 0 bytes or unknown flags. Starts
 * the engine. A datum lives until it is dropped or its engine is destroyed. */
HSCHED_EXPORT void *hsched_datum_make(hsched_engine *engine, size_t bytes, unsigned flags);

/* How the host uses data that it has asked for. */
enum {
  HSCHED_HOME_READ = 0,     /* Devices' copies stay valid. */
  HSCHED_HOME_UPDATE = 1,   /* Devices' copies become invalid. */
  HSCHED_HOME_OVERWRITE = 2 /* So do the contents: nothing is copied home. */
};
/* Brings `bytes` bytes at `address`, inside a datum, to the host. First waits for their tasks, as hsched_taskwait_on.
 * The calling thread may then read them until it submits a task that writes them. It may write them until it submits a
 * task that uses them. Throws what hsched_taskwait_on throws, std::invalid_argument for an address outside any datum or
 * an unknown `use`. */
HSCHED_EXPORT void hsched_datum_home(hsched_engine *engine, void *address, size_t bytes, unsigned use);

/* Destroys a datum. First waits for the tasks that name it, as hsched_taskwait_on does: for children of the calling
 * thread's task, or for all outside tasks. Their failure is thrown by the next wait, not here. No copy is written back.
 * Throws std::invalid_argument if no datum begins there, or if a task uses it for which this call cannot wait; the
 * datum then stays. Tries until there is memory: it never throws std::bad_alloc. Null has no effect. */
HSCHED_EXPORT void hsched_datum_drop(hsched_engine *engine, void *datum);

#ifdef __cplusplus
}
#endif
#endif
