/* A scheduling policy of one's own, in a shared object that HSCHED_SCHED=./mine.so loads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A policy decides which version of a ready task runs on which worker, and in what order. The shared object exports one
 * function, hsched_policy_entry below, and links nothing of hsched. The header is C and C++ and needs only the standard
 * library. docs/adding-a-policy.md walks through a policy.
 *
 * Rules. Any thread may call all functions but start and stop, several at once: the policy locks what it shares, and
 * waits for nothing else. Each pushed task is returned by one pop or steal. A policy that makes a task available to a
 * worker wakes that worker, after pop can see the task. Without that the worker sleeps on. Worker 0 is the main thread.
 * It asks for work only while it waits, so a task may be kept for it only if no other worker can run it. The functions
 * throw no exception: if one does, it is logged, and the task goes to the first worker that can run it. The same holds
 * for a task that pop returns for a worker that cannot run it. */
#ifndef HSCHED_POLICY_H
#define HSCHED_POLICY_H

#include <hsched/abi.h>

#include <stddef.h>
#include <stdint.h>

/* A policy is loaded if its major number is the runtime's and its minor number is not newer. Structures begin with
 * their size. A new minor number appends to them. */
#define HSCHED_POLICY_MAJOR 1
#define HSCHED_POLICY_MINOR 0
#define HSCHED_POLICY_INTERFACE (HSCHED_POLICY_MAJOR * 1000 + HSCHED_POLICY_MINOR)

#ifdef __cplusplus
extern "C" {
#endif

#define HSCHED_NO_WORKER UINT32_MAX

/* What runs tasks: a core, or a device. Workers are numbered from 0, cores first. */
typedef struct hsched_policy_worker {
  const char *name;     /* Lives as long as the policy. */
  unsigned device;      /* HSCHED_DEVICE_... */
  unsigned device_type; /* HSCHED_TYPE_... */
  unsigned memory;      /* Which memory it works on; 0: the host's. */
} hsched_policy_worker;

/* A worker and a version that can run a task now, and what is known about them. Times are in seconds. */
typedef struct hsched_candidate {
  uint32_t worker, version;
  uint64_t runs;   /* Measured, of this version with tasks of this size. */
  double run;      /* Their mean; 0 if there are none. */
  double transfer; /* Of the data that are not valid in the worker's memory. */
  double wait;     /* Until the worker has ended what it runs and what is queued for it. */
  double end;      /* From now: a core waits for its data, a device's data are copied while it runs other tasks. */
} hsched_candidate;

/* What the runtime offers. Any thread, while the policy exists. Tasks may be named from their push to their completed.
 * The policy may hold its own locks, but not those that its functions take. */
typedef struct hsched_policy_host {
  size_t struct_bytes;
  unsigned interface; /* The runtime's HSCHED_POLICY_INTERFACE. */
  void *self;         /* First argument of the functions that have one. */

  uint32_t (*workers)(void *self);
  void (*worker)(void *self, uint32_t worker, hsched_policy_worker *out);
  double (*now)(void *self);      /* Seconds, since some moment; of a clock that may be simulated. */
  unsigned (*lambda)(void *self); /* HSCHED_LAMBDA: how often a version is measured before its mean is relied on. */
  /* The worker may have work now. Cheap where it is awake. */
  void (*wake)(void *self, uint32_t worker);

  uint64_t (*id)(const hsched_task *task); /* 1, 2, ... in order of submission. */
  const char *(*name)(const hsched_task *task);
  int32_t (*priority)(const hsched_task *task);
  uint64_t (*bytes)(const hsched_task *task); /* Of its sections, identical ones counted once. */
  double (*cost)(const hsched_task *task);    /* Of its cost clause; below 0: it has none. */
  uint32_t (*accesses)(const hsched_task *task, const hsched_access **out);
  uint32_t (*versions)(const hsched_task *task);
  const char *(*version)(const hsched_task *task, uint32_t version);
  /* Whether the worker may run the task as this version: kind, placement, no failure there before. */
  int (*usable)(void *self, const hsched_task *task, uint32_t version, uint32_t worker);
  /* All usable pairs with what is known of them, in order of workers, then of versions: as many as fit are written.
   * Returns how many there are. */
  uint32_t (*predict)(void *self, const hsched_task *task, hsched_candidate *out, uint32_t room);
  /* Counts the task as waiting for the worker, for so many seconds, until it comes out of a pop or steal. */
  void (*queued)(void *self, hsched_task *task, uint32_t worker, double seconds);
  /* A pointer of the policy's own, null at first, from the task's push until it comes out again. */
  void (*set_data)(hsched_task *task, void *data);
  void *(*data)(const hsched_task *task);
  /* Records the reason of a choice: a text that lives as long as the program ("its data are there"). */
  void (*because)(void *self, hsched_task *task, uint32_t version, uint32_t worker, const char *why);
} hsched_policy_host;

/* What a policy leaves to the runtime if all workers are cores: tasks with one version, without priority and placement,
 * are then never pushed. */
enum {
  HSCHED_POLICY_STEALS = 1, /* They wait in queues of the runtime's own, from which workers steal. */
  HSCHED_POLICY_CALLS = 2,  /* With one worker they run at their submission. */
  HSCHED_POLICY_BUNDLES = 4 /* With several, short ones are handed over many at a time; with HSCHED_POLICY_STEALS. */
};

typedef struct hsched_policy {
  size_t struct_bytes;
  unsigned interface; /* HSCHED_POLICY_INTERFACE */
  const char *name;   /* For messages. */
  unsigned capabilities;

  /* Makes the policy; what it returns is the first argument of the others. Null: it cannot be, which is an error. */
  void *(*start)(const hsched_policy_host *host);
  void (*stop)(void *policy); /* May be null. */

  /* The task is ready. From: the worker that the calling thread is, or HSCHED_NO_WORKER. Activated: a task that
   * completed on it released this one. Also for a task that could not run as it was chosen. */
  void (*push)(void *policy, hsched_task *task, uint32_t from, int activated);
  /* The next task for the worker, and as which version: 1, or 0 where there is none. By the worker's own thread. */
  int (*pop)(void *policy, uint32_t worker, hsched_task **task, uint32_t *version);

  /* All of these may be null. */
  /* The worker's pop came back empty: a task that waits for the victim. Nearest victims first. */
  int (*steal)(void *policy, uint32_t worker, uint32_t victim, hsched_task **task, uint32_t *version);
  /* The worker, whose last pop came back empty, does something else than to wait for work. */
  void (*busy)(void *policy, uint32_t worker);
  /* A task was submitted, by the task parent, 0 for none; before its edges. It may be pushed at any time from then. */
  void (*submitted)(void *policy, const hsched_task *task, uint64_t parent);
  /* The task to, which was submitted, comes after from. A lock of the runtime's is held: no function of the host that
   * has self may be called. */
  void (*edge)(void *policy, uint64_t from, uint64_t to);
  /* What the task reads is in the worker's memory, or will be when it begins; the worker begins it. */
  void (*arrived)(void *policy, const hsched_task *task, uint32_t worker);
  void (*started)(void *policy, const hsched_task *task, uint32_t version, uint32_t worker);
  /* It has ended. Seconds: of the version alone; below 0: it did not run, or failed. */
  void (*completed)(void *policy, const hsched_task *task, uint32_t version, uint32_t worker, double seconds);
  /* After that: the worker had no room for it, though the version works there. It goes elsewhere by itself. */
  void (*refused)(void *policy, const hsched_task *task, uint32_t version, uint32_t worker);
} hsched_policy;

/* The one function of the shared object. What it points to lives as long as the program. Null: an error. */
HSCHED_EXPORT const hsched_policy *hsched_policy_entry(void);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif
