// A scheduling policy: which version of a ready task runs where, and in what order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One policy, one file in policies/, which registers itself (HSCHED_POLICY below). docs/adding-a-policy.md walks
// through one.
//
// Contract. The executor calls; the policy never calls back except through PolicyHost. Unless said otherwise every
// function is called from any thread, concurrently, with no lock of the runtime's held: the policy locks what it
// shares. Every task that was pushed comes out of exactly one pop. A policy that makes work available to a worker calls
// PolicyHost::wake for it, after the work is visible to pop: a wake-up that is not given is lost.
//
// A task that is Placed runs only on workers that mayRunOn allows, and a policy asks settleOn before it chooses one
// (graph/Placement.h). "Usable" below means that too. What goes elsewhere all the same is sent on by the executor.
#ifndef HSCHED_SCHED_POLICY_H
#define HSCHED_SCHED_POLICY_H

#include "base/Clock.h"
#include "graph/Task.h"
#include "perfmodel/History.h"
#include "sched/Platform.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hsched::rt {

// What a policy may use. Outlives the policy.
class PolicyHost {
public:
  virtual ~PolicyHost() = default;
  virtual const Clock &clock() const = 0;
  virtual const Platform &platform() const = 0;
  // Measured execution times; the executor has recorded a run before it calls completed().
  virtual History &history() = 0;
  // HSCHED_LAMBDA.
  virtual unsigned lambda() const = 0;
  // How long what T reads would travel to where it is read on Node, by the links' measured bandwidth and latency, as
  // the copies are now.
  virtual Duration transferTime(const Task & /*T*/, MemoryNode /*Node*/) { return Duration(0); }
  // Worker W may have work now. Cheap when W is awake.
  virtual void wake(WorkerId W) = 0;
};

struct Assignment {
  Task *T = nullptr;
  const Version *V = nullptr;
};

class Policy {
public:
  virtual ~Policy() = default;

  // Called once, before anything else.
  virtual void start(PolicyHost &Host) = 0;

  // T's predecessors are complete, at its submission or later. At least one (worker, version) pair is usable.
  // From is the worker that the calling thread is, or NoWorker. Also called again for a task whose chosen version
  // turned out to be unusable.
  virtual void push(Task &T, WorkerId From) = 0;

  // The same for a task that became ready because a task on worker From completed.
  virtual void pushActivated(Task &T, WorkerId From) { push(T, From); }

  // Next thing for worker W, or false. Called by W's own thread only. The version must be usable on W at the time of
  // the choice; the executor gives the task back through push when it has been disabled since. A task of which no
  // version is usable anywhere any more comes out nevertheless, with one that is disabled: the executor fails it.
  virtual bool pop(WorkerId W, Assignment &Out) = 0;

  // W, whose last pop came back empty, has something else to do than to wait for work: a task that did not come out of
  // a pop, or what comes after a wait. A policy that notes who is idle notes that W is not, and passes a wake-up that W
  // was given since on to another worker: W may come for work only when a long body has ended. By W's own thread.
  virtual void busy(WorkerId /*W*/) {}

  // T's unfinished predecessors all run on W, a device that orders what it is given behind them by itself, with no
  // round trip through the host. The version as which W takes T now, or null: then T is pushed when it is ready. What W
  // takes so counts as popped by it. By W's own thread.
  virtual const Version *takeEarly(Task & /*T*/, WorkerId /*W*/) { return nullptr; }

  // Whether, where all workers are alike, it is all the same to this policy which of them runs a task that has one
  // version and no priority. Such tasks are not pushed then: the executor has queues of its own for them, from which
  // workers steal.
  virtual bool leavesAlikeWorkersAlone() const { return false; }

  // A popped task has ended on W. Measured is the version's execution time, without transfers; negative when it did
  // not run (failed, cancelled or given back); a task that is given back is pushed after this call.
  virtual void completed(const Task & /*T*/, const Version & /*V*/, WorkerId /*W*/, Duration /*Measured*/) {}

  // After completed: W could not take T as V, for want of memory or because of its work-group's size, though V works
  // there. The executor finds T another place. A policy that goes on choosing the pair for tasks like T loses time.
  virtual void refused(const Task & /*T*/, const Version & /*V*/, WorkerId /*W*/) {}
};

using PolicyFactory = std::function<std::unique_ptr<Policy>()>;

struct PolicyEntry {
  std::string Name, Summary; // Summary: one line for HSCHED_SCHED=help
  PolicyFactory Make;
};

// All known policies, by name. Filled by the registrations below before main; read-only afterwards.
std::span<const PolicyEntry> policies();
// Null when there is none of that name.
std::unique_ptr<Policy> makePolicy(const std::string &Name);
// What HSCHED_SCHED=help shows: a heading and one line a policy, each ended by a newline.
std::string policyHelp();

struct PolicyRegistration {
  PolicyRegistration(const char *Name, const char *Summary, PolicyFactory Make);
};

#define HSCHED_POLICY(Class, Name, Summary)                                                                            \
  static const ::hsched::rt::PolicyRegistration Class##Registration(Name, Summary,                                     \
                                                                    [] { return std::make_unique<Class>(); })

} // namespace hsched::rt
#endif
