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
/* See HSCHED_POLICY_MAJOR. */
#define HSCHED_POLICY_MINOR 0
/* Both numbers in one. */
#define HSCHED_POLICY_INTERFACE (HSCHED_POLICY_MAJOR * 1000 + HSCHED_POLICY_MINOR)

#ifdef __cplusplus
extern "C" {
#endif

/* `from` of push on a thread that is no worker. */
#define HSCHED_NO_WORKER UINT32_MAX

/* What runs tasks: a core, or a device. Workers are numbered from 0, cores first. */
typedef struct hsched_policy_worker {
  const char *name;     /* Lives as long as the policy. */
  unsigned device;      /* HSCHED_DEVICE_... */
  unsigned device_type; /* HSCHED_TYPE_... */
  unsigned memory;      /* Which memory it works on; 0: the host's. */
} hsched_policy_worker;

/* A worker and a version that can run a task now, with predictions. Times are in seconds. */
typedef struct hsched_candidate {
  uint32_t worker;  /* Number of the worker. */
  uint32_t version; /* Number of the version. */
  uint64_t runs;    /* Number of measured runs of this version with tasks of this size class. */
  double run;       /* Their mean time; 0 without runs. */
  double transfer;  /* Predicted time of copying data that are not valid in the worker's memory. */
  double wait;      /* Predicted time until the worker has ended its running and queued tasks. */
  double end; /* Predicted end, from now. A core waits for its data; a device's data are copied while it runs other
                 tasks. */
} hsched_candidate;

/* Functions of the runtime. Any thread may call them while the policy exists. A task may be passed from its push to its
 * completed. The policy may hold its own locks, but not those that its functions take. */
typedef struct hsched_policy_host {
  size_t struct_bytes; /* Size of the structure that the runtime was compiled with. */
  unsigned interface;  /* The runtime's HSCHED_POLICY_INTERFACE. */
  void *self;          /* First argument of the functions that have one. */

  uint32_t (*workers)(void *self); /* Number of workers. */
  /* Describes a worker. */
  void (*worker)(void *self, uint32_t worker, hsched_policy_worker *out);
  double (*now)(void *self);      /* Seconds since a fixed moment. The clock may be simulated. */
  unsigned (*lambda)(void *self); /* HSCHED_LAMBDA: how often a version is measured before its mean is relied on. */
  /* Wakes the worker because it may have work now. Cheap if it is awake. */
  void (*wake)(void *self, uint32_t worker);

  uint64_t (*id)(const hsched_task *task);      /* 1, 2, ... in order of submission. */
  const char *(*name)(const hsched_task *task); /* Name of its type. */
  int32_t (*priority)(const hsched_task *task); /* Value of its priority clause. Greater is more urgent. */
  uint64_t (*bytes)(const hsched_task *task);   /* Bytes of its sections, identical ones counted once. */
  double (*cost)(const hsched_task *task);      /* Value of its cost clause; below 0: none. */
  /* Sets *out to its sections, and returns their number. They live as long as the task. */
  uint32_t (*accesses)(const hsched_task *task, const hsched_access **out);
  uint32_t (*versions)(const hsched_task *task);                     /* Number of versions. */
  const char *(*version)(const hsched_task *task, uint32_t version); /* Name of a version. */
  /* Non-zero if the worker may run this version of the task: right kind, right placement, no failure there before. */
  int (*usable)(void *self, const hsched_task *task, uint32_t version, uint32_t worker);
  /* Writes the usable pairs with predictions, ordered by worker, then by version: at most as many as fit. Returns how
   * many there are. */
  uint32_t (*predict)(void *self, const hsched_task *task, hsched_candidate *out, uint32_t room);
  /* Adds that many seconds to the worker's queue until pop or steal returns the task. */
  void (*queued)(void *self, hsched_task *task, uint32_t worker, double seconds);
  /* Stores a pointer of the policy in the task, null at first, from its push until pop or steal returns it. */
  void (*set_data)(hsched_task *task, void *data);
  void *(*data)(const hsched_task *task); /* The pointer that set_data stored. */
  /* Records the reason of a choice: a text that lives as long as the program ("its data are there"). */
  void (*because)(void *self, hsched_task *task, uint32_t version, uint32_t worker, const char *why);
} hsched_policy_host;

/* What a policy leaves to the runtime if all workers are cores: tasks with one version, without priority and placement,
 * are then never pushed. */
enum {
  HSCHED_POLICY_STEALS = 1, /* The runtime queues them, and workers steal. */
  HSCHED_POLICY_CALLS = 2,  /* With one worker they run at their submission. */
  HSCHED_POLICY_BUNDLES = 4 /* With several workers, short ones are bundled. Requires HSCHED_POLICY_STEALS. */
};

/* The functions of a policy, as hsched_policy_entry() returns them. */
typedef struct hsched_policy {
  size_t struct_bytes;   /* Size of the structure that the policy was compiled with. */
  unsigned interface;    /* HSCHED_POLICY_INTERFACE */
  const char *name;      /* For messages. */
  unsigned capabilities; /* HSCHED_POLICY_STEALS, ... */

  /* Makes the policy and returns the first argument of the other functions. Null is an error. */
  void *(*start)(const hsched_policy_host *host);
  void (*stop)(void *policy); /* May be null. */

  /* The task is ready. from: the calling thread's worker, or HSCHED_NO_WORKER. activated: a task that completed on that
   * worker released this one. Also called for a task that could not run as chosen. */
  void (*push)(void *policy, hsched_task *task, uint32_t from, int activated);
  /* Chooses the next task for the worker, and its version. Returns 1, or 0 if there is none. Called on the worker's own
   * thread. */
  int (*pop)(void *policy, uint32_t worker, hsched_task **task, uint32_t *version);

  /* All of these may be null. */
  /* Takes a task from the victim's queue after the worker's own pop found none. Called for the nearest victims first.
   * */
  int (*steal)(void *policy, uint32_t worker, uint32_t victim, hsched_task **task, uint32_t *version);
  /* The worker, whose last pop found no task, does other work instead of waiting. */
  void (*busy)(void *policy, uint32_t worker);
  /* A task was submitted, by the task parent, 0 for none; before its edges. It may be pushed at any time from then. */
  void (*submitted)(void *policy, const hsched_task *task, uint64_t parent);
  /* The submitted task `to` depends on `from`. The runtime holds a lock: do not call functions of the host that take
   * `self`. */
  void (*edge)(void *policy, uint64_t from, uint64_t to);
  /* The worker begins the task. Its inputs are in the worker's memory, or will be when it runs. */
  void (*arrived)(void *policy, const hsched_task *task, uint32_t worker);
  /* The version's body begins, or its kernel has been enqueued. */
  void (*started)(void *policy, const hsched_task *task, uint32_t version, uint32_t worker);
  /* The task has ended. seconds: time of the version alone; below 0: it did not run, or failed. */
  void (*completed)(void *policy, const hsched_task *task, uint32_t version, uint32_t worker, double seconds);
  /* Called after pop: the worker's memory was too full for the task, though the version works there. The runtime places
   * the task elsewhere. */
  void (*refused)(void *policy, const hsched_task *task, uint32_t version, uint32_t worker);
} hsched_policy;

/* The one function of the shared object. What it points to lives as long as the program. Null: an error. */
HSCHED_EXPORT const hsched_policy *hsched_policy_entry(void);

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif
