// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Scheduler.h"

#include "base/DiskCache.h"
#include "base/Log.h"
#include "icd/ContextData.h"
#include "icd/Costs.h"
#include "icd/DeviceProfile.h"
#include "icd/Mapper.h"
#include "icd/Minikernel.h"
#include "icd/Reporter.h"

#include <CL/cl_hsched.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <tuple>

namespace hsched::icd {
namespace {

constexpr size_t MostUnmapped = 1024;
constexpr uint64_t MostCacheBytes = 4 << 20;
constexpr unsigned MostSamples = 16; // Weight of earlier samples, at most.
constexpr double MostStart = 200e-6; // A longer start means that it waited for another queue.
constexpr unsigned Convinced = 4;    // Number of similar epochs after which a queue stays on its device.
constexpr double LeastLoad = 1e-9;
constexpr std::chrono::seconds SavePeriod{1};

const rt::DiskCache &cache() {
  static const rt::DiskCache &Its = *new rt::DiskCache(rt::DiskCache::ofUser("opencl-times", MostCacheBytes));
  return Its;
}
} // namespace

Scheduler::Scheduler() = default;

Scheduler &Scheduler::get() {
  static Scheduler &Only = *new Scheduler;
  return Only;
}

void Scheduler::hold(const Ref<Command> &C) {
  bool Full;
  {
    std::lock_guard Hold(Lock);
    C->Of->Unmapped.push_back(C);
    Full = C->Of->Unmapped.size() >= MostUnmapped ||
           !C->Of->isScheduled(); // Another thread may have settled it meanwhile.
  }
  if (Full)
    map(*C->In);
}

Device *Scheduler::deviceOf(const Queue &Q) {
  std::lock_guard Hold(Lock);
  return Q.isScheduled() ? Q.Mapped : &Q.device();
}

void Scheduler::forget(Queue &Q) {
  std::lock_guard Hold(Lock);
  Q.Forget = true;
  Q.Alike = 0;
}

void Scheduler::begin(Queue &Q, cl_ulong Sched) {
  // A context with a scheduler is of a program that means to have scheduled queues: its devices are measured once on
  // the machine. Otherwise the dynamic mode uses what an earlier program has measured.
  const bool Measures = Sched & CL_QUEUE_SCHED_AUTO_STATIC_HSCHED ||
                        (Q.In->Scheduler == CL_CONTEXT_SCHEDULER_AUTOFIT_HSCHED && DeviceProfiles::get().areKept());
  if (!InCallback::isHere())
    for (const Device *D : Q.In->vendorDevices())
      (void)(Measures ? DeviceProfiles::get().of(*D) : DeviceProfiles::get().known(*D));
  if (ContextData *Data = Q.In->data(); Data && Q.In->Parts.size() > 1 && !InCallback::isHere())
    Data->prepare();
  std::lock_guard Hold(Lock);
  Q.Alike = 0;
}

std::pair<double, unsigned> Scheduler::expected(const Command &C, const Device &D) const {
  auto I = Known.find(keyOf(C, D));
  if (I == Known.end() || I->second.BySize.empty())
    return {-1, 0};
  // The nearest measured size.
  unsigned Requested = sizeClass(C.Size);
  auto Distance = [&](unsigned Class) { return Class > Requested ? Class - Requested : Requested - Class; };
  const auto *Best = &*I->second.BySize.begin();
  for (const auto &E : I->second.BySize)
    if (Distance(E.first) < Distance(Best->first))
      Best = &E;
  return {Best->second.Mean * C.Size, Best->second.Count};
}

void Scheduler::measured(const Command &C) {
  Device &D = *C.device();
  double Seconds = static_cast<double>(C.runTime()) * 1e-9;
  std::string Key = keyOf(C, D);
  rt::log(rt::LogLevel::Debug, "OpenCL platform: %s took %g us on %s", std::string(C.Kernel).c_str(), Seconds * 1e6,
          D.Name.c_str());
  {
    std::lock_guard Hold(Lock);
    if (double &Its = Load[&D]; (Its -= C.Expected) < LeastLoad) // Sums and differences do not end at 0.
      Its = 0;
    if (C.Size <= 0 || !C.runTime())
      return;
    Ran += Seconds;
    auto &Runs = Known[Key];
    // The first run may have waited for its compilation, and for a vendor queue.
    if (const auto Its = C.idleTime(); std::exchange(Runs.HasRun, true) && Its) {
      const double Idle = std::min(static_cast<double>(*Its) * 1e-9, MostStart);
      auto [First, New] = Start.emplace(&D, Idle);
      First->second += (Idle < First->second ? 0.3 : 0.03) * (Idle - First->second);
    }
    auto &[Mean, Count, Estimated] = Runs.BySize[sizeClass(C.Size)];
    if (std::exchange(Estimated, false))
      Mean = Seconds / C.Size;
    else if (++Count == 2) // The first run may have had cold caches.
      Mean = std::min(Mean, Seconds / C.Size);
    else
      Mean += (Seconds / C.Size - Mean) / std::min(Count, MostSamples);
    if (std::has_single_bit(Count))
      relate(C);
    if (!cache().on())
      return;
    Unsaved.insert(std::move(Key));
    if (const auto Now = std::chrono::steady_clock::now(); Now < NextSave)
      return;
    else if (NextSave == decltype(NextSave)()) { // The first one.
      NextSave = Now + SavePeriod;
      (void)std::atexit([] { get().save(true); }); // A program may leave its contexts to the system.
      return;
    }
  }
  save();
}

// Writing a file takes far longer than a short kernel, and the thread that notices a kernel's end is often the
// program's. So times are written now and then, and when a context or the process ends.
void Scheduler::save(bool AtExit) {
  std::vector<std::pair<std::string, std::string>> All; // Keys and texts.
  {
    std::unique_lock Hold(Lock, std::defer_lock);
    if (!AtExit)
      Hold.lock();
    else if (!Hold.try_lock()) // Its owner may be gone: this may be a child of a process with threads.
      return;
    NextSave = std::chrono::steady_clock::now() + SavePeriod;
    for (const std::string &Key : std::exchange(Unsaved, {})) {
      std::ostringstream Out;
      Out.precision(17);
      for (const auto &[Class, E] : Known[Key].BySize)
        Out << Class << ' ' << E.Mean << ' ' << E.Count << '\n';
      All.emplace_back(Key, Out.str());
    }
  }
  for (const auto &[Key, Text] : All)
    cache().store(Key, Text);
}

void Scheduler::logChoice(const Command &C, const Choice &Its, const std::vector<Device *> &On,
                          const std::vector<double> &Busy) {
  std::vector<Reporter::Prediction> All;
  for (size_t D = 0; D != On.size() && !C.Kernel.empty(); ++D) {
    auto [Run, Runs] = expected(C, *On[D]);
    if (C.runsOn(*On[D]))
      All.push_back({On[D], Run, transferTo(C, *C.In->partOf(On[D])), Busy[D], Runs});
  }
  Reporter::get()->mapped(C, *On[Its.Device], Its.Why, All);
}

std::vector<Scheduler::Choice> Scheduler::choose(Context &In, const std::vector<Item> &Items,
                                                 const std::vector<Device *> &On) {
  std::vector<Choice> To(Items.size());
  std::vector<std::vector<double>> Cost;
  std::vector<size_t> Mapped; // Items that the mapper assigns.
  std::vector<double> Busy;
  for (Device *D : On)
    Busy.push_back(Load[D]);
  for (size_t Q = 0; Q != Items.size(); ++Q) {
    Queue &Its = *Items[Q].Of;
    const auto &Commands = Items[Q].Commands;
    std::vector<double> Row;
    size_t Explore = On.size();
    unsigned Most = 0;
    double Extra = 0;
    size_t Candidates = 0; // Devices that are known, or may be measured.
    for (size_t I = 0; I != On.size(); ++I) {
      size_t D = (I + Turn) % On.size(); // Rotates among equal devices.
      unsigned Unknown = 0;
      if (costOf(Its, Commands, *On[D], Unknown) == Never)
        continue;
      double More = 0;
      const bool May = !Unknown || mayMeasure(Commands, *On[D], On, More);
      Candidates += May;
      if (May && Unknown > Most) {
        Most = Unknown;
        Explore = D;
        Extra = More;
      }
    }
    for (Device *D : On) {
      unsigned Unknown = 0;
      Row.push_back(costOf(Its, Commands, *D, Unknown));
      if (const double Its = Unknown ? guess(Commands, *D, On) : Never; Its != Never)
        Row.back() = std::max(Row.back(), Its);
    }
    auto Fixed = std::find(On.begin(), On.end(), Its.Mapped);
    size_t Decided = On.size();
    bool IsOnlyOne = false;
    const char *Why = "";
    if (In.Scheduler == CL_CONTEXT_SCHEDULER_ROUND_ROBIN_HSCHED) {
      Decided = Fixed != On.end() ? static_cast<size_t>(Fixed - On.begin()) : Turn % On.size();
      Why = "devices take turns";
    } else if (std::none_of(Commands.begin(), Commands.end(), [](const auto &C) { return !C->Kernel.empty(); })) {
      Decided = placeOf(Its, Row, On);
      Why = "it moves data only";
    } else if (Explore != On.size()) {
      Decided = Explore;
      IsOnlyOne = Candidates == 1;
      Why = IsOnlyOne ? "the others must be far slower" : "to measure a kernel of its queue there";
      Measuring += Extra;
    }
    if (Decided != On.size() && Row[Decided] != Never) {
      To[Q] = {Decided, Row[Decided], IsOnlyOne, Why};
      Busy[Decided] += Row[Decided];
      ++Turn;
      continue;
    }
    Mapped.push_back(Q);
    Cost.push_back(std::move(Row));
  }
  auto Its = mapQueues(Cost, Busy);
  for (size_t I = 0; I != Mapped.size(); ++I) {
    To[Mapped[I]].Device = Its[I];
    To[Mapped[I]].Seconds = Cost[I][Its[I]];
    To[Mapped[I]].Decides = true;
  }
  return To;
}

void Scheduler::load(const Command &C, const std::vector<Device *> &On) {
  if (C.Kernel.empty())
    return;
  bool IsNew = false;
  for (const Device *D : On) {
    std::string Key = keyOf(C, *D);
    auto [I, New] = Known.try_emplace(Key);
    auto Text = New && cache().on() ? cache().load(Key) : std::nullopt;
    if (!Text)
      continue;
    std::istringstream Lines(*Text);
    unsigned Class, Count;
    for (double Mean; Lines >> Class >> Mean >> Count;)
      I->second.BySize[Class] = {Mean, Count};
    IsNew = true;
  }
  if (IsNew)
    relate(C);
}

// Other commands before the first kernel: writes of its data. They run on the device that looks fastest.
void Scheduler::beginTransfers(Queue &Q, const std::vector<Device *> &On) {
  std::vector<Ref<Command>> First;
  Device *To;
  {
    std::lock_guard Hold(Lock);
    auto End = std::find_if(Q.Unmapped.begin(), Q.Unmapped.end(), [](const auto &C) { return !C->Kernel.empty(); });
    First.assign(Q.Unmapped.begin(), End);
    Q.Unmapped.erase(Q.Unmapped.begin(), End);
    cl_ulong Sched = Q.Sched.load(std::memory_order_acquire);
    const bool Profiled = areProfiled(On);
    To = *std::max_element(On.begin(), On.end(), [&](const Device *A, const Device *B) {
      return Profiled ? staticSeconds(Typical, *A, Sched, true) > staticSeconds(Typical, *B, Sched, true)
                      : staticWeight(*A, Sched) < staticWeight(*B, Sched);
    });
  }
  if (First.empty())
    return;
  send(Q, First, To);
  Q.flushVendors();
}

void Scheduler::send(Queue &Q, const std::vector<Ref<Command>> &Commands, Device *To) {
  cl_int Error = guarded([&] {
    Target T = Q.target(To);
    for (const auto &C : Commands)
      Graph::get().map(C, T);
  });
  if (Error) // Not a vendor queue.
    for (const auto &C : Commands)
      Graph::get().ended(C, Error, false);
}

std::vector<Device *> Scheduler::toEstimate(const Ref<Command> &C, const std::vector<Device *> &On) const {
  std::vector<Device *> Unmeasured;
  size_t Candidates = 0;
  for (Device *D : On) {
    if (!C->runsOn(*D))
      continue;
    double Extra = 0;
    if (expected(*C, *D).first >= 0) {
      ++Candidates;
    } else if (mayMeasure({C}, *D, On, Extra)) {
      ++Candidates;
      Unmeasured.push_back(D);
    }
  }
  if (Candidates < 2) // There is nothing to choose.
    return {};
  // The fastest by its properties first.
  std::stable_sort(Unmeasured.begin(), Unmeasured.end(),
                   [&](const Device *A, const Device *B) { return peak(*A, C->Size) > peak(*B, C->Size); });
  return Unmeasured;
}

void Scheduler::estimate(const std::vector<Ref<Queue>> &All, const std::vector<Device *> &On) {
  struct Unknown {
    Ref<Command> C;
    std::shared_ptr<const Minikernel> Mini;
  };
  auto Collect = [&] {
    std::vector<Unknown> Found;
    std::lock_guard Hold(Lock);
    for (const auto &Q : All)
      for (const auto &C : Q->Unmapped)
        if (C->Mini) {
          load(*C, On);
          if (std::any_of(On.begin(), On.end(), [&](Device *D) { return expected(*C, *D).first < 0; }))
            Found.push_back({C, std::move(C->Mini)});
        }
    return Found;
  };
  std::lock_guard Once(Estimating);
  for (const auto &[C, Mini] : Collect()) {
    std::vector<Device *> Unmeasured;
    {
      std::lock_guard Hold(Lock); // An earlier one may have the same kernel.
      Unmeasured = toEstimate(C, On);
    }
    if (Unmeasured.empty())
      continue;
    beginTransfers(*C->Of, On);
    if (!Graph::get().awaitInputs(C))
      continue;
    for (Device *D : Unmeasured) {
      {
        double Extra = 0;
        std::lock_guard Hold(Lock); // A device that has been estimated may show that this one is far slower.
        if (!mayMeasure({C}, *D, On, Extra))
          continue;
      }
      const double Seconds = Mini->seconds(*C, *D);
      if (Seconds <= 0)
        continue;
      rt::log(rt::LogLevel::Debug, "OpenCL platform: by a minikernel %s takes %g us on %s",
              std::string(C->Kernel).c_str(), Seconds * 1e6, D->Name.c_str());
      std::lock_guard Hold(Lock);
      Known[keyOf(*C, *D)].BySize[sizeClass(C->Size)] = {Seconds / C->Size, 2, true};
      relate(*C);
    }
  }
}

void Scheduler::map(Context &In) {
  std::vector<Item> Queues, Items; // Whole queues; what is mapped.
  std::vector<Choice> To;
  std::map<Queue *, Device *> Settled;
  std::vector<Device *> On = In.vendorDevices();
  if (!std::all_of(On.begin(), On.end(), [](const Device *D) { return D->isLost(); }))
    std::erase_if(On, [](const Device *D) { return D->isLost(); });
  {
    auto All = In.queues();
    for (const Device *D : On) // No vendor is asked under the lock.
      (void)D->limits();
    for (const auto &Q : All) // No vendor reports ends.
      Graph::get().look(*Q);
    if (!InCallback::isHere())
      estimate(All, On);
    std::lock_guard Hold(Lock);
    for (const auto &Q : All)
      if (!Q->Unmapped.empty())
        Queues.push_back({Q, std::exchange(Q->Unmapped, {})});
    if (Queues.empty())
      return;
    for (const auto &Q : Queues)
      for (const auto &C : Q.Commands)
        load(*C, On);
    for (const auto &Q : Queues) {
      const auto HasKernel = [](const auto &C) { return !C->Kernel.empty(); };
      if (!Q.Of->Forget || std::none_of(Q.Commands.begin(), Q.Commands.end(), HasKernel))
        continue;
      Q.Of->Forget = false;
      for (const auto &C : Q.Commands)
        for (const Device *D : On)
          if (HasKernel(C))
            Known[keyOf(*C, *D)].BySize.clear();
    }
    std::vector<double> Busy;
    for (Device *D : On)
      Busy.push_back(Load[D]);
    Items = Queues;
    To = spread(In, Items, choose(In, Items, On), On);
    for (size_t I = 0; I != Items.size(); ++I) {
      Device *D = On[To[I].Device];
      Queue &Its = *Items[I].Of;
      const bool IsChain =
          (I != 0 && Items[I - 1].Of == Items[I].Of) || (I + 1 != Items.size() && Items[I + 1].Of == Items[I].Of);
      const auto &Commands = Items[I].Commands;
      const bool HasKernel =
          std::any_of(Commands.begin(), Commands.end(), [](const auto &C) { return !C->Kernel.empty(); });
      if (HasKernel)
        Its.Alike = !To[I].Decides || IsChain ? 0 : D == Its.Mapped ? Its.Alike + 1 : 1;
      Its.Mapped = D;
      if (HasKernel)
        In.Computed = D;
      bool Keeps = Its.Sched.load(std::memory_order_acquire) &
                   (CL_QUEUE_SCHED_EXPLICIT_REGION_HSCHED | CL_QUEUE_SCHED_ITERATIVE_HSCHED);
      if (Keeps && Its.Alike >= Convinced && Its.isScheduled())
        Settled[&Its] = D;
      rt::log(rt::LogLevel::Debug, "OpenCL platform: a %s with %zu commands goes to %s", IsChain ? "chain" : "queue",
              Commands.size(), D->Name.c_str());
      for (const auto &C : Commands) {
        if (Reporter::get())
          logChoice(*C, To[I], On, Busy);
        if (!C->Kernel.empty()) {
          const auto [Its, Runs] = expected(*C, *D);
          C->Expected = std::max(0.0, Its);
          C->Measures = !Keeps || !To[I].Decides || Runs < Convinced;
          Load[D] += C->Expected;
        }
      }
    }
  }
  std::map<const Command *, Device *> Where;
  for (size_t I = 0; I != Items.size(); ++I)
    for (const auto &C : Items[I].Commands)
      Where[C.get()] = On[To[I].Device];
  for (const Item &Q : Queues) // In the program's order; neighbours with one device together.
    for (auto I = Q.Commands.begin(); I != Q.Commands.end();) {
      Device *D = Where[I->get()];
      auto End = std::find_if(I, Q.Commands.end(), [&](const auto &C) { return Where[C.get()] != D; });
      send(*Q.Of, {I, End}, D);
      I = End;
    }
  for (const Item &Q : Queues) {
    if (auto S = Settled.find(Q.Of.get()); S != Settled.end())
      Q.Of->settle(S->second);
    Q.Of->flushVendors();
  }
  bool IsLeft; // Held for a queue before it was settled.
  {
    std::lock_guard Hold(Lock);
    IsLeft = std::any_of(Settled.begin(), Settled.end(), [](const auto &S) { return !S.first->Unmapped.empty(); });
  }
  if (IsLeft)
    map(In);
}

} // namespace hsched::icd
