// A scheduling policy: which version of a ready task runs where, and in what order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each policy is one file in policies/ and registers itself (HSCHED_POLICY below). docs/adding-a-policy.md walks
// through one. Users' own policies are loaded at run time, against <hsched/policy.h> (PluginPolicy.cpp).
//
// Contract. The executor calls; the policy calls back only through PolicyHost. Unless stated otherwise, every function
// is called by any thread, concurrently, without a lock of the runtime: the policy locks what it shares. Every pushed
// task is returned by exactly one pop or steal. A policy that makes a task available to a worker calls PolicyHost::wake
// after the task is visible to pop. Otherwise the worker may sleep on.
//
// A task that is Placed runs only on workers that mayRunOn allows, and a policy asks settleOn before it chooses one
// (graph/Placement.h). "Usable" below means that too. The executor moves a task that is chosen for another worker.
#ifndef HSCHED_SCHED_POLICY_H
#define HSCHED_SCHED_POLICY_H

#include "sched/PolicyHost.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace hsched::rt {

struct Assignment {
  Task *T = nullptr;
  const Version *V = nullptr;
};

// What the executor may do without the policy if all workers are CPU workers: for tasks with one version, no priority
// and no placement. Only the hook busy concerns such tasks.
enum Capability : unsigned {
  StealsAlike = 1,       // They wait in the executor's queues, from which workers steal.
  RunsCalls = 2,         // With one worker they run at their submission if they have no unfinished predecessor.
  MakesBundles = 4,      // With several workers, short ones are bundled. Requires StealsAlike.
  AcceptsLateDevices = 8 // Devices may be added after start. Otherwise start waits for them.
};

// Optional hooks that the policy implements.
enum Hook : unsigned {
  HookSubmitted = 1,
  HookEdges = 2,
  HookStarted = 4,
  HookArrived = 8,
  StealsTasks = 16,
  HookActivated = 32
};

class Policy {
public:
  virtual ~Policy() = default;

  // Bits of Capability and Hook. Called once, before start.
  virtual unsigned capabilities() const { return 0; }
  virtual unsigned hooks() const { return 0; }

  // Called once, before all functions but the two above.
  virtual void start(PolicyHost &Host) = 0;

  // HookSubmitted: T was submitted, by the task Parent, or 0. On the submitting thread, before T's edges.
  virtual void submitted(const Task & /*T*/, TaskId /*Parent*/) {}
  // HookEdges: the submitted task To depends on From, which is not complete. Once a pair, and once more for explicit
  // predecessors. On the submitting thread, with a lock of the graph held: the policy must not push or wake.
  virtual void edge(TaskId /*From*/, TaskId /*To*/) {}

  // T's predecessors are complete, at its submission or later. At least one (worker, version) pair is usable.
  // From is the calling thread's worker, or NoWorker. Called again for a task whose chosen version was
  // unusable.
  virtual void push(Task &T, WorkerId From) = 0;

  // The same for a task that became ready because a task on worker From completed.
  virtual void pushActivated(Task &T, WorkerId From) { push(T, From); }

  // HookActivated: all tasks that one completion made ready, if any, have been pushed. From and thread: as in
  // pushActivated.
  virtual void activated(WorkerId /*From*/) {}

  // The next task for worker W, or false. Called by W's own thread only. The version must be usable on W at the time of
  // the choice; if it has been disabled since, the executor pushes the task again. A task without any usable version is
  // also returned, with a disabled one: the executor fails it. Throws std::bad_alloc without effect: the hub tries
  // again.
  virtual bool pop(WorkerId W, Assignment &Out) = 0;

  // The next task for CPU worker W among those that Wanted accepts, or false; otherwise as pop. For a body that waits
  // and may run only such tasks. Any thread. Does not change whether W is idle. Wanted is quick and may be called under
  // the policy's locks. A policy may always return false, unless tasks of the program wait for each other by other
  // means.
  virtual bool popMatching(WorkerId /*W*/, const std::function<bool(const Task &)> & /*Wanted*/, Assignment & /*Out*/) {
    return false;
  }

  // StealsTasks: W's pop found no task. Returns a task that waits for Victim and that W can run, or false. Called
  // for each victim, the nearest first: cores by shared caches, then devices; for a device those with their own
  // memory last. By W's own thread. A policy that records idle workers in pop has done so by then, so no wake-up is
  // lost.
  virtual bool steal(WorkerId /*W*/, WorkerId /*Victim*/, Assignment & /*Out*/) { return false; }

  // W, whose last pop found no task, does other work: a task that pop did not return, or the code behind a wait. A
  // policy that records idle workers removes W, and passes a wake-up given to W since on to another
  // worker. W may call pop only after a long body. By W's own thread.
  virtual void busy(WorkerId /*W*/) {}

  // All unfinished predecessors of T are on W, a device that orders commands itself, without a round trip to the host.
  // Returns the version as which W takes T now. Null: T is pushed when it is ready. A task taken this way counts as
  // popped by W. By W's own thread.
  virtual const Version *takeEarly(Task & /*T*/, WorkerId /*W*/) { return nullptr; }

  // HookArrived: the inputs of a popped T are in W's memory, or will be before W begins it. By W's own thread.
  virtual void arrived(const Task & /*T*/, WorkerId /*W*/) {}
  // HookStarted: W begins T as V; for a device: T has been launched. By W's own thread.
  virtual void started(const Task & /*T*/, const Version & /*V*/, WorkerId /*W*/) {}

  // A popped task has ended on W. Measured is the version's execution time, without transfers; negative if it did not
  // run (failed, cancelled or given back). A task that is given back is pushed after this call.
  virtual void completed(const Task & /*T*/, const Version & /*V*/, WorkerId /*W*/, Duration /*Measured*/) {}

  // HookSubmitted: T is complete, and so are its children. Also for tasks that were never pushed: run at once, or
  // cancelled. Any thread, before another thread can see that T is complete.
  virtual void complete(const Task & /*T*/) {}

  // AcceptsLateDevices: workers were added (platform().Workers.appended()), or versions became usable on existing
  // ones. Other threads may see them earlier. One thread at a time.
  virtual void moreUsable() {}

  // Called after completed: W could not run T as V, for lack of memory or because of its work-group size, though V
  // works there. The executor places T elsewhere. A policy should not choose this pair again for tasks like T.
  virtual void refused(const Task & /*T*/, const Version & /*V*/, WorkerId /*W*/) {}
};

using PolicyFactory = std::function<std::unique_ptr<Policy>()>;

struct PolicyEntry {
  std::string Name, Summary; // Summary: one line for HSCHED_SCHED=help.
  PolicyFactory Make;
};

// All known policies, by name. Filled by the registrations below before main; read-only afterwards.
std::span<const PolicyEntry> policies();
// True if a policy has that name.
bool isPolicy(const std::string &Name);
// Null if no policy has that name.
std::unique_ptr<Policy> makePolicy(const std::string &Name);
// The output of HSCHED_SCHED=help: a heading and one line for each policy, each with a newline.
std::string policyHelp();

// True if Name is a file name: it contains a slash.
bool namesPlugin(const std::string &Name);
// A policy in a shared object that implements <hsched/policy.h>. Errors: not_found; unsupported: it cannot be loaded;
// version_mismatch: it is no policy, or one for another interface. The file stays loaded. Any thread.
status loadPolicy(const std::string &Path, std::unique_ptr<Policy> &Out);

struct PolicyRegistration {
  PolicyRegistration(const char *Name, const char *Summary, PolicyFactory Make);
};

#define HSCHED_POLICY(Class, Name, Summary)                                                                            \
  static const ::hsched::rt::PolicyRegistration Class##Registration(Name, Summary,                                     \
                                                                    [] { return std::make_unique<Class>(); })

} // namespace hsched::rt
#endif
