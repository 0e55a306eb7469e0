// A scheduling policy: which version of a ready task runs where, and in what order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One policy, one file in policies/, which registers itself (HSCHED_POLICY below). docs/adding-a-policy.md walks
// through one. A program's users load theirs at run time, against <hsched/policy.h> (PluginPolicy.cpp).
//
// Contract. The executor calls; the policy never calls back except through PolicyHost. Unless said otherwise every
// function is called from any thread, concurrently, with no lock of the runtime's held: the policy locks what it
// shares. Every task that was pushed comes out of exactly one pop or steal. A policy that makes work available to a
// worker calls PolicyHost::wake for it, after the work is visible to pop: a wake-up that is not given is lost.
//
// A task that is Placed runs only on workers that mayRunOn allows, and a policy asks settleOn before it chooses one
// (graph/Placement.h). "Usable" below means that too. What goes elsewhere all the same is sent on by the executor.
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

// What a policy lets the executor do without asking it, for tasks with one version that CPU workers can run, no
// priority and no placement, where all workers are alike. Such tasks are told to no hook but busy.
enum Capability : unsigned {
  StealsAlike = 1,   // They wait in queues of the executor's own, from which workers steal.
  RunsCalls = 2,     // With one worker they run at their submission, where nothing unfinished stands before them.
  MakesBundles = 4,  // With several, short ones are handed over many at a time; with StealsAlike.
  TakesNewcomers = 8 // Devices may come after start; else they are waited for before it.
};

// What a policy is told of beside what it has to be told of.
enum Hook : unsigned {
  TellsSubmitted = 1,
  TellsEdges = 2,
  TellsStarted = 4,
  TellsArrived = 8,
  AsksToSteal = 16,
  TellsActivated = 32
};

class Policy {
public:
  virtual ~Policy() = default;

  // Asked once, before start. Bits of Capability and of Hook.
  virtual unsigned capabilities() const { return 0; }
  virtual unsigned hooks() const { return 0; }

  // Called once, before anything else but these.
  virtual void start(PolicyHost &Host) = 0;

  // TellsSubmitted: T was submitted, by the task Parent, 0 for none. On the submitting thread, before T's edges.
  virtual void submitted(const Task & /*T*/, TaskId /*Parent*/) {}
  // TellsEdges: To, which was submitted, comes after From, which is not complete. Once a pair and for explicit
  // predecessors once more. On the submitting thread, a lock of the graph's held: the policy must not push or wake.
  virtual void edge(TaskId /*From*/, TaskId /*To*/) {}

  // T's predecessors are complete, at its submission or later. At least one (worker, version) pair is usable.
  // From is the worker that the calling thread is, or NoWorker. Also called again for a task whose chosen version
  // turned out to be unusable.
  virtual void push(Task &T, WorkerId From) = 0;

  // The same for a task that became ready because a task on worker From completed.
  virtual void pushActivated(Task &T, WorkerId From) { push(T, From); }

  // TellsActivated: all tasks that one completion made ready have been pushed. From: as pushActivated was told, on the
  // same thread. Where some were, or none.
  virtual void activated(WorkerId /*From*/) {}

  // Next thing for worker W, or false. Called by W's own thread only. The version must be usable on W at the time of
  // the choice; the executor gives the task back through push when it has been disabled since. A task of which no
  // version is usable anywhere any more comes out nevertheless, with one that is disabled: the executor fails it.
  virtual bool pop(WorkerId W, Assignment &Out) = 0;

  // Next thing for CPU worker W among those that Wanted accepts, or false; comes out as it does of pop. Asked for a
  // body that waits and may run nothing else, after W's thread has gone on to other tasks: any thread, and W is not
  // idle afterwards if it was not before. Wanted is quick, and may be asked under the policy's locks. A policy that
  // never finds anything is correct as long as no program's tasks wait for one another by their own means.
  virtual bool popWanted(WorkerId /*W*/, const std::function<bool(const Task &)> & /*Wanted*/, Assignment & /*Out*/) {
    return false;
  }

  // AsksToSteal: W's pop came back empty. Something that waits for Victim and that W can run, or false. Asked for one
  // victim after the other, the nearest first: cores by what they share with W's, then devices, for a device those with
  // a memory of their own last. By W's own thread. A policy that notes in pop who is idle has done so by then, so that
  // no wake-up is lost.
  virtual bool steal(WorkerId /*W*/, WorkerId /*Victim*/, Assignment & /*Out*/) { return false; }

  // W, whose last pop came back empty, has something else to do than to wait for work: a task that did not come out of
  // a pop, or what comes after a wait. A policy that notes who is idle notes that W is not, and passes a wake-up that W
  // was given since on to another worker: W may come for work only when a long body has ended. By W's own thread.
  virtual void busy(WorkerId /*W*/) {}

  // T's unfinished predecessors all run on W, a device that orders what it is given behind them by itself, with no
  // round trip through the host. The version as which W takes T now, or null: then T is pushed when it is ready. What W
  // takes so counts as popped by it. By W's own thread.
  virtual const Version *takeEarly(Task & /*T*/, WorkerId /*W*/) { return nullptr; }

  // TellsArrived: what a popped T reads is in W's memory, or will be before W begins it. By W's own thread.
  virtual void arrived(const Task & /*T*/, WorkerId /*W*/) {}
  // TellsStarted: W begins T as V; a device has been given it. By W's own thread.
  virtual void started(const Task & /*T*/, const Version & /*V*/, WorkerId /*W*/) {}

  // A popped task has ended on W. Measured is the version's execution time, without transfers; negative when it did
  // not run (failed, cancelled or given back); a task that is given back is pushed after this call.
  virtual void completed(const Task & /*T*/, const Version & /*V*/, WorkerId /*W*/, Duration /*Measured*/) {}

  // TakesNewcomers: workers have come, which platform().Workers.appended() has, or versions have become usable on some
  // that are there. Before that, or at the same time, others see them. One thread at a time.
  virtual void moreUsable() {}

  // After completed: W could not take T as V, for want of memory or because of its work-group's size, though V works
  // there. The executor finds T another place. A policy that goes on choosing the pair for tasks like T loses time.
  virtual void refused(const Task & /*T*/, const Version & /*V*/, WorkerId /*W*/) {}
};

using PolicyFactory = std::function<std::unique_ptr<Policy>()>;

struct PolicyEntry {
  std::string Name, Summary; // Summary: one line for HSCHED_SCHED=help.
  PolicyFactory Make;
};

// All known policies, by name. Filled by the registrations below before main; read-only afterwards.
std::span<const PolicyEntry> policies();
// Whether there is one of that name.
bool isPolicy(const std::string &Name);
// Null when there is none of that name.
std::unique_ptr<Policy> makePolicy(const std::string &Name);
// What HSCHED_SCHED=help shows: a heading and one line a policy, each ended by a newline.
std::string policyHelp();

// Whether Name is that of a file, not of a known policy: it has a slash in it.
bool namesPlugin(const std::string &Name);
// A policy in a shared object that implements <hsched/policy.h>. not_found: no such file. unsupported: it cannot be
// loaded. version_mismatch: it is no policy, or one for another interface. The file stays loaded. Any thread.
status loadPolicy(const std::string &Path, std::unique_ptr<Policy> &Out);

struct PolicyRegistration {
  PolicyRegistration(const char *Name, const char *Summary, PolicyFactory Make);
};

#define HSCHED_POLICY(Class, Name, Summary)                                                                            \
  static const ::hsched::rt::PolicyRegistration Class##Registration(Name, Summary,                                     \
                                                                    [] { return std::make_unique<Class>(); })

} // namespace hsched::rt
#endif
