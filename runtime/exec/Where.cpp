// Restrictions of workers by the program: clause where(e), scopes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"
#include "graph/Placement.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace hsched::rt {
namespace {

constexpr unsigned AllKinds =
    HSCHED_WHERE_CPUS | HSCHED_WHERE_CPU_DEVICES | HSCHED_WHERE_GPUS | HSCHED_WHERE_ACCELERATORS;
constexpr std::pair<unsigned, const char *> KindNames[] = {{HSCHED_WHERE_CPUS, "CPU workers"},
                                                           {HSCHED_WHERE_CPU_DEVICES, "CPU devices"},
                                                           {HSCHED_WHERE_GPUS, "GPUs"},
                                                           {HSCHED_WHERE_ACCELERATORS, "accelerators"}};

unsigned kindOf(const Worker &W) {
  if (W.Kind == DeviceKind::Cpu)
    return HSCHED_WHERE_CPUS;
  return W.Type == DeviceType::Gpu   ? HSCHED_WHERE_GPUS
         : W.Type == DeviceType::Cpu ? HSCHED_WHERE_CPU_DEVICES
                                     : HSCHED_WHERE_ACCELERATORS;
}

WorkerBits workersOf(const hsched_place &Of, const WorkerList &All) {
  WorkerBits Bits{};
  unsigned Device = 0;
  for (const Worker &W : All) {
    const bool IsDevice = W.Kind != DeviceKind::Cpu;
    if ((Of.kinds & kindOf(W)) || (Of.workers[W.Id / 64] >> (W.Id % 64) & 1) ||
        (IsDevice && Device < 64 && (Of.devices >> Device & 1)))
      add(Bits, W.Id);
    Device += IsDevice;
  }
  return Bits;
}

// "GPUs, device 3".
std::string describe(const hsched_place &Of) {
  std::string Text;
  const auto append = [&Text](const std::string &What) { Text += (Text.empty() ? "" : ", ") + What; };
  for (auto [Kind, Name] : KindNames)
    if (Of.kinds & Kind)
      append(Name);
  for (unsigned D = 0; D < 64; ++D)
    if (Of.devices >> D & 1)
      append("device " + std::to_string(D));
  for (unsigned W = 0; W < MaxWorkers; ++W)
    if (Of.workers[W / 64] >> (W % 64) & 1)
      append("worker " + std::to_string(W));
  return Text.empty() ? "no worker" : Text;
}

bool isEverywhere(const hsched_place &Of) { return (Of.kinds & AllKinds) == AllKinds; }

bool onlyOnCpus(const TaskType &Type) {
  for (unsigned I = 0, N = Type.numVersions(); I < N; ++I)
    if (Type.Versions[I].Desc->device != HSCHED_DEVICE_CPU)
      return false;
  return true;
}

// The body that the calling thread runs; null outside any task.
const void *bodyOf(const ThreadState &Me) {
  return Me.Call ? static_cast<const void *>(Me.Call) : static_cast<const void *>(Me.Current);
}

} // namespace

void Executor::enterScope(ThreadState &Me, hsched_scope &S, const hsched_place &Where) {
  S.where = Where;
  S.body = bodyOf(Me);
  S.outer = std::exchange(Me.Scope, &S);
}

void Executor::leaveScope(ThreadState &Me, hsched_scope &S) { Me.Scope = S.outer; }

size_t Executor::countWorkers(const hsched_place &Of) const {
  if (Of.kinds != HSCHED_WHERE_CPUS || Of.devices ||
      std::ranges::any_of(Of.workers, [](unsigned long long Bits) { return Bits != 0; }))
    Coming.await();
  const WorkerBits Bits = workersOf(Of, Machine.Workers);
  return static_cast<size_t>(
      std::ranges::count_if(Machine.Workers, [&Bits](const Worker &W) { return contains(Bits, W.Id); }));
}

void Executor::confine(ThreadState &Me, TaskNode &T, const hsched_place *Clause, const char *Label) {
  std::vector<const hsched_place *> Given;
  const auto note = [&](const hsched_place &W) {
    // Without a restriction, devices still to come need not be awaited.
    if (!isEverywhere(W) && !((W.kinds & HSCHED_WHERE_CPUS) && onlyOnCpus(*T.Type)))
      Given.push_back(&W);
  };
  if (Clause)
    note(*Clause);
  for (const hsched_scope *S = Me.Scope; S; S = S->outer)
    if (S->body == bodyOf(Me))
      note(S->where);
  if (Given.empty())
    return;

  Coming.await(); // The clause names devices, or chooses among them.
  auto Where = std::make_unique<TaskPlace>();
  if (T.Placed)
    *Where = placementOf(T);
  else
    for (const Worker &W : Machine.Workers)
      add(Where->Workers, W.Id);
  for (const hsched_place *W : Given) {
    WorkerBits Both = workersOf(*W, Machine.Workers);
    bool Possible = false;
    for (size_t Word = 0; Word < Both.size(); ++Word)
      Both[Word] &= Where->Workers[Word];
    for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I)
      Possible = Possible || std::ranges::any_of(Machine.Workers, [&](const Worker &On) {
                   return contains(Both, On.Id) && Platform::willBeUsable(On, T.Type->Versions[I]);
                 });
    if (!Possible && (W->kinds & HSCHED_WHERE_PREFERRED))
      continue;
    Where->Workers = Both;
    Where->RequestedNames += (Where->RequestedNames.empty() ? "" : "; ") + describe(*W);
  }
  TaskExtras &X = T.extras();
  if (!X.Named) {
    X.Named = std::make_unique<NamedTask>();
    X.Named->Engine = this;
    X.Named->Name = Label ? Label : T.Type->name();
    X.Named->Submitted.store(true);
  }
  X.Named->Where = std::move(Where);
  T.Placed = true;
}

} // namespace hsched::rt
