// Tasks described by one value, with references: explicit order, callbacks, detached work.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"
#include "graph/Placement.h"
#include <hsched/hsched.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unordered_map>

namespace hsched::rt {
namespace {

TaskNode &taskOf(hsched_ref *R) { return *reinterpret_cast<TaskNode *>(R); }
NamedTask &named(const TaskNode &T) { return *T.Extras->Named; }

std::string quoted(const TaskNode &T) {
  return "'" + (T.Extras && T.Extras->Named ? named(T).Name : std::string(T.Label ? T.Label : "")) + "'";
}
const char *labelOf(const hsched_submission &What) {
  const char *Label = What.options ? What.options->label : nullptr;
  return Label ? Label : What.declared ? named(taskOf(What.declared)).Name.c_str() : What.type->name();
}

[[noreturn]] void refuse(const hsched_submission &What, const std::string &Why) {
  throw std::invalid_argument("task '" + std::string(labelOf(What)) + "' cannot be submitted: " + Why);
}

// "'b', which comes after 'a'" if task 'b' of Wanted depends on From, which is not submitted; else empty. Only
// incomplete tasks can depend on From. Their successor stacks are open, and they live while From cannot be
// submitted.
std::string wayTo(const TaskNode &From, std::span<hsched_ref *const> Wanted) {
  std::unordered_map<const TaskNode *, const TaskNode *> Before{{&From, nullptr}};
  std::vector<const TaskNode *> Next{&From};
  while (!Next.empty()) {
    const TaskNode *T = Next.back();
    Next.pop_back();
    if (std::ranges::any_of(Wanted, [T](hsched_ref *R) { return &taskOf(R) == T; })) {
      std::string Text = quoted(*T);
      while ((T = Before.at(T)))
        Text += ", which comes after " + quoted(*T);
      return Text;
    }
    for (const SuccessorLink *L = T->Successors.load(std::memory_order_acquire); L; L = L->Next)
      if (Before.emplace(L->To, T).second)
        Next.push_back(L->To);
  }
  return "";
}

// The type of a declared task that is never submitted.
TaskType &declaredType() {
  struct Declared : TaskType {
    Declared() { LinkerName = "declared"; }
  };
  static auto *Made = new Declared;
  return *Made;
}

struct Freed {
  void operator()(void *Memory) const { std::free(Memory); }
};
struct Released {
  void operator()(TaskNode *T) const { release(*T); }
};

} // namespace

TaskNode &Executor::declare(ThreadState &Me, const char *Name) {
  Call Entered(*this, Me);
  std::unique_ptr<TaskNode, Released> T(createTask(nullptr, 0));
  T->extras().Named = std::make_unique<NamedTask>();
  NamedTask &N = named(*T);
  N.Engine = this;
  N.Name = Name ? Name : "";
  N.Declared = true;
  T->Id = NextTask.fetch_add(1, std::memory_order_relaxed);
  NumDeclared.fetch_add(1);
  if (HangMonitor)
    HangMonitor->declared(T->Id, N.Name, declaredType());
  return *T.release();
}

bool Executor::checkOrder(ThreadState &Me, const hsched_submission &What) {
  const TaskNode *Own = What.declared ? &taskOf(What.declared) : nullptr;
  if (Own && &engineOf(*Own) != this)
    refuse(What, "it was declared in another engine");
  bool MayCircle = Own != nullptr;
  const TaskNode &Parent = context(Me);
  for (hsched_ref *R : std::span(What.after, What.n_after)) {
    const TaskNode &From = taskOf(R);
    if (&engineOf(From) != this)
      refuse(What, "it comes after task " + quoted(From) + ", which is of another engine");
    for (const TaskNode *Around = &Parent; Around != Root; Around = Around->Parent)
      if (Around == &From)
        refuse(What, "it comes after task " + quoted(From) + ", inside which it is submitted");
    MayCircle = MayCircle || !named(From).Submitted.load();
  }
  return MayCircle;
}

// Makes a node from What without submitting it. Throws what moving the arguments throws, without effect.
TaskNode &Executor::describedTask(const hsched_submission &What) {
  std::unique_ptr<TaskNode, Released> New;
  std::unique_ptr<void, Freed> Memory;
  std::unique_ptr<Access[]> Accesses;
  TaskNode *T = What.declared ? &taskOf(What.declared) : nullptr;
  const hsched_task_desc *Desc = What.type->Desc;
  const size_t ArgsBytes = Desc ? Desc->args_bytes : 0;
  if (!T) {
    New.reset(T = createTask(What.type, What.n_accesses));
  } else {
    Accesses = std::make_unique<Access[]>(What.n_accesses);
    if (ArgsBytes) {
      size_t Align = std::max(Desc->args_align, alignof(std::max_align_t));
      Memory.reset(std::aligned_alloc(Align, roundUp(ArgsBytes, Align)));
      if (!Memory)
        throw std::bad_alloc();
    }
  }
  TaskExtras &X = T->extras();
  if (New) { // Other threads may read a declared task.
    X.Named = std::make_unique<NamedTask>();
    X.Named->Engine = this;
    X.Named->Name = labelOf(What);
  }
  void *Args = New ? T->Args : Memory.get();
  if (What.move)
    What.move(Args, What.args);
  else if (What.args && ArgsBytes)
    std::memcpy(Args, What.args, ArgsBytes);
  X.Named->Ended = What.ended;
  X.Named->EndedData = What.ended_data;
  if (!New) {
    T->Type = What.type;
    X.OwnedAccesses = std::move(Accesses);
    T->AccessList = X.OwnedAccesses.get();
    T->NumAccesses = What.n_accesses;
    T->Args = X.OwnedArgs = Memory.release();
  }
  std::copy_n(What.accesses, What.n_accesses, T->AccessList);
  (void)New.release();
  return *T;
}

std::shared_ptr<Component> Executor::makeComponent(const char *Name) const {
  Coming.await();
  WorkerBits Cpus{}, All{};
  for (const Worker &W : Machine.Workers) {
    add(All, W.Id);
    if (W.Kind == DeviceKind::Cpu)
      add(Cpus, W.Id);
  }
  return std::make_shared<Component>(Name ? Name : "", Cpus, All);
}

unsigned Executor::checkQueue(const hsched_submission &What) const {
  const hsched_placement &Given = *What.placement;
  if (Given.flags & ~unsigned(HSCHED_PLACEMENT_QUEUE))
    refuse(What, "its placement has unknown flags " + std::to_string(Given.flags));
  if (!(Given.flags & HSCHED_PLACEMENT_QUEUE))
    return AnyQueue;
  const std::string Queue = "queue " + std::to_string(Given.queue);
  if (!Given.workers || Given.n_workers != 1 || Given.component)
    refuse(What, "it is placed on " + Queue + ", for which one device has to be named, and no component");
  const Worker &W = Machine.Workers[Given.workers[0]];
  if (!W.Dev)
    refuse(What, "it is placed on " + Queue + " of " + W.Name + ", which is not a device and has no queues");
  if (const unsigned N = std::max(1u, W.Dev->computeQueues()); Given.queue >= N)
    refuse(What, "it is placed on " + Queue + " of " + W.Name + ", which has " + std::to_string(N));
  return Given.queue;
}

std::unique_ptr<const TaskPlace> Executor::checkPlacement(const hsched_submission &What) const {
  const hsched_placement *Given = What.placement;
  if (!Given || (!Given->workers && !Given->component && !Given->flags))
    return nullptr;
  Coming.await(); // The description names devices, or chooses among them.
  auto Where = std::make_unique<TaskPlace>();
  for (const Worker &W : Machine.Workers)
    if (!Given->workers)
      add(Where->Workers, W.Id);
  for (unsigned W : std::span(Given->workers, Given->workers ? Given->n_workers : 0)) {
    if (W >= Machine.Workers.size())
      refuse(What, "it is placed on worker " + std::to_string(W) + ", and there are " +
                       std::to_string(Machine.Workers.size()));
    add(Where->Workers, W);
  }
  Where->Queue = checkQueue(What);
  if (!Given->component)
    return Where;
  Where->Together = *reinterpret_cast<const std::shared_ptr<Component> *>(Given->component);
  WorkerBits Able{};
  for (const Worker &W : Machine.Workers)
    for (unsigned I = 0, N = What.type->numVersions(); I < N; ++I)
      if (contains(Where->Workers, W.Id) && Platform::willBeUsable(W, What.type->Versions[I]))
        add(Able, W.Id);
  if (!Where->Together->admit(Able))
    refuse(What, "no device can run it and all tasks that were submitted to component '" + Where->Together->Name +
                     "' before it");
  return Where;
}

void Executor::submit(ThreadState &Me, const hsched_submission &What, TaskNode **Result, RunTimeType Owners) {
  if (!What.type)
    throw std::invalid_argument("a task cannot be submitted: its type is null");
  Call Entered(*this, Me);
  if (!What.declared && NumDeclared.load() == 0) // Otherwise all outstanding tasks may depend on this submission.
    makeRoom(Me);
  Enrolment Counted(*this, Me, context(Me));
  std::span After(What.after, What.n_after);
  // Held until it is linked, so that no other thread completes a cycle meanwhile.
  std::unique_lock<std::mutex> Guard(DeclaredLock, std::defer_lock);
  if (checkOrder(Me, What))
    Guard.lock();
  if (What.declared) {
    const TaskNode &Own = taskOf(What.declared);
    if (named(Own).Submitted.load())
      refuse(What, "it has been submitted already");
    if (std::string Circle = After.empty() ? "" : wayTo(Own, After); !Circle.empty())
      refuse(What, "it would come after itself: it comes after task " + Circle);
  }
  hsched_submit_options How = What.options ? *What.options : hsched_submit_options{};
  std::vector<hsched_reduction> Reductions(How.reductions, How.reductions + How.n_reductions);
  std::unique_ptr<const TaskPlace> Where = checkPlacement(What);
  std::unique_lock<std::mutex> QueueGuard(QueueLock, std::defer_lock);
  const unsigned Queue = Where ? Where->Queue : AnyQueue;
  const auto endOfQueue = [&]() -> TaskNode *& {
    return context(Me).extras().Queues.of(What.placement->workers[0], Queue);
  };
  if (Queue != AnyQueue) {
    QueueGuard.lock();
    hsched_ref *Last = reinterpret_cast<hsched_ref *>(endOfQueue()); // The queue has an entry from here on.
    if (What.declared && Last)
      if (std::string Circle = wayTo(taskOf(What.declared), {&Last, 1}); !Circle.empty())
        refuse(What, "it would come after itself: on its queue, it comes after task " + Circle);
    if (!What.declared) // The program's code moves the arguments next.
      QueueGuard.unlock();
  }
  std::vector<hsched_ref *> Each(After.begin(), After.end());
  Each.reserve(Each.size() + 1);
  TaskNode &T = describedTask(What);
  T.Placed = Where != nullptr;
  named(T).Where = std::move(Where);
  named(T).Code = std::move(Owners.Code);
  named(T).TypeOwner = std::move(Owners.Type);
  // The pointers lie in the arguments.
  for (hsched_reduction &R : Reductions)
    R.slot = static_cast<char *>(T.Args) + (static_cast<char *>(R.slot) - static_cast<char *>(What.args));
  How.reductions = Reductions.data();
  if (!How.label && What.declared)
    How.label = named(T).Name.c_str();
  try {
    prepare(Me, T, How);
  } catch (...) {
    What.declared ? undescribe(T) : release(T);
    throw;
  }
  // No step fails from here on: other threads see the task.
  Counted.commit();
  if (What.declared) { // The engine holds the first reference for others.
    retain(T);
    NumDeclared.fetch_sub(1);
  } else {
    T.Id = NextTask.fetch_add(1, std::memory_order_relaxed);
  }
  if (Result) {
    retain(T);
    *Result = &T;
  }
  if (Queue != AnyQueue) {
    if (!QueueGuard)
      QueueGuard.lock();
    // A failure that a wait has thrown cancels no more tasks.
    if (TaskNode *Last = endOfQueue(); Last && (!Last->complete() || context(Me).has(Signal::ChildFailed)))
      Each.push_back(reinterpret_cast<hsched_ref *>(Last));
  }
  std::ranges::sort(Each);
  Each.erase(std::unique(Each.begin(), Each.end()), Each.end());
  try {
    for (hsched_ref *From : Each) {
      linkBehind(T, taskOf(From));
      if (Watch || HangMonitor)
        named(T).After.push_back(taskOf(From).Id);
    }
  } catch (...) { // Memory is exhausted: the task is partly linked and must be completed.
    recordFailure(T, std::current_exception(), T);
    T.set(Signal::Poisoned);
  }
  if (Queue != AnyQueue) {
    retain(T);
    if (TaskNode *Before = std::exchange(endOfQueue(), &T))
      release(*Before);
    QueueGuard.unlock();
  }
  named(T).Submitted.store(true);
  if (Guard)
    Guard.unlock();
  admit(Me, T);
}

// Reverts T to a declared task.
void Executor::undescribe(TaskNode &T) {
  NamedTask &N = named(T);
  try {
    destroyArgs(T);
  } catch (...) { // The exception that the caller will throw takes precedence.
  }
  if (T.OwnsLabel)
    delete[] std::exchange(T.Label, nullptr);
  T.OwnsLabel = T.Placed = false;
  std::free(std::exchange(T.Extras->OwnedArgs, nullptr));
  T.Args = nullptr;
  T.Extras->Sections.reset();
  T.AccessList = nullptr;
  T.NumAccesses = 0;
  T.Groups.reset();
  T.Type = nullptr;
  T.Cost = NoCost;
  N.Where.reset();
  N.Code.reset();
  N.TypeOwner.reset();
  N.Ended = nullptr;
}

void Executor::abandonDeclared(ThreadState &Me, TaskNode &T) {
  T.Type = &declaredType();
  setLabel(T, named(T).Name.c_str());
  T.Parent = Root;
  T.Submitter = Me.Serial ? Me.Serial : serialOfThread(Me);
  T.Pending.store(0, std::memory_order_relaxed);
  named(T).Submitted.store(true);
  enrol(Me, *T.Parent);
  if (Log)
    logSubmitted(Me, T);
  else if (Watch)
    Watch->submitted({T.Id, Root->Id, T.Type->name(), T.Label, 0, Time.now(), NoCost, ""});
  if (HangMonitor)
    HangMonitor->submitted(T);
  fail(Me, T, "", "it was declared, and its last reference was released before it was submitted");
  bodyEnded(Me, T, ownWorker(Me));
}

void Executor::releaseNamed(ThreadState &Me, TaskNode &T) {
  if (T.References.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  const NamedTask &N = named(T);
  if (!N.Declared || N.Submitted.load())
    return destroyTask(T);
  Executor &E = engineOf(T);
  E.NumDeclared.fetch_sub(1);
  if (!T.Successors.load(std::memory_order_acquire)) {
    if (E.HangMonitor)
      E.HangMonitor->forgotten(T.Id);
    return destroyTask(T);
  }
  Call Entered(E, Me);
  T.References.store(1, std::memory_order_relaxed); // The reference of its completion.
  E.abandonDeclared(Me, T);
}

int Executor::waitFor(ThreadState &Me, TaskNode &T) {
  const std::atomic<int> &How = named(T).How;
  if (How.load() == HSCHED_UNFINISHED) {
    Call Entered(*this, Me);
    for (const TaskNode *Around = &context(Me); Around != Root; Around = Around->Parent)
      if (Around == &T)
        throw std::logic_error("a wait for task " + quoted(T) + " inside that task would never return");
    WaitReport Waiting(*this, Me, Awaits::Task, {}, &T);
    workUntil(Me, [&How] { return How.load() != HSCHED_UNFINISHED; }, inside(context(Me)));
  }
  return How.load();
}

// T is complete except for its parent's count, on which a wait may depend.
void Executor::notifyEnd(ThreadState &Me, TaskNode &T, bool Failed) {
  NamedTask &N = named(T);
  const int How = !Failed ? HSCHED_DONE : T.has(Signal::HasFailure) ? HSCHED_FAILED : HSCHED_CANCELLED;
  if (N.Ended) {
    // Its submissions count as outside any task, whatever this thread runs.
    TaskNode *Current = std::exchange(Me.Current, nullptr);
    CallFrame *Call = std::exchange(Me.Call, nullptr);
    bool Completing = std::exchange(Me.Completing, true);
    std::string Threw;
    try {
      Outside Program(*this, Me);
      N.Ended(N.EndedData, How);
    } catch (const std::exception &E) {
      Threw = std::string(" threw: ") + E.what();
    } catch (...) {
      Threw = " threw an exception of an unknown type";
    }
    Me.Current = Current;
    Me.Call = Call;
    Me.Completing = Completing;
    if (!Threw.empty())
      recordFailure(*T.Parent, std::make_exception_ptr(task_error(T.Label, "", "the callback for its end" + Threw)), T);
  }
  if (N.Code) {
    Outside Program(*this, Me);
    N.Code.reset();
  }
  N.How.store(How); // Sequentially consistent, as is Waiters::any.
  Sleeping.notify();
}

// --- detached work

TaskNode &Executor::detach(ThreadState &Me) {
  Call Entered(*this, Me);
  if (!Me.inTask())
    throw std::logic_error("hsched::detach(): this thread runs no task; it is called in a task's body");
  TaskNode &T = Me.Call ? nodeOf(Me, *Me.Call) : *Me.Current;
  if (T.extras().Detach.fetch_or(IsDetached) & IsDetached)
    throw std::logic_error("hsched::detach(): task '" + std::string(T.Label) + "' has been detached already");
  retain(T);
  return T;
}

void Executor::endDetached(ThreadState &Me, TaskNode &T, std::exception_ptr Failure) {
  Call Entered(*this, Me);
  if (Failure)
    recordFailure(T, std::move(Failure), T);
  if (HangMonitor)
    HangMonitor->detachedEnds(T);
  // Sequentially consistent, as is Waiters::any.
  if (T.Extras->Detach.fetch_or(WorkIsOver) & BodyIsOver)
    lastBodyEnds(Me, T, ownWorker(Me));
  else
    Sleeping.notify(); // See awaitDetached.
  release(T);
}

void Executor::awaitDetached(ThreadState &Me, TaskNode &T) {
  if (!T.Extras)
    return;
  const std::atomic<uint8_t> &Bits = T.Extras->Detach;
  if (Bits.load() & IsDetached)
    workUntil(Me, [&Bits] { return Bits.load() & WorkIsOver; }, &T);
}

} // namespace hsched::rt
