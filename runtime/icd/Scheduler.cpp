// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Scheduler.h"

#include "base/DiskCache.h"
#include "base/Log.h"
#include "icd/ContextData.h"
#include "icd/DeviceProfile.h"
#include "icd/Mapper.h"
#include "icd/Minikernel.h"
#include "icd/Reporter.h"

#include <CL/cl_hsched.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <tuple>

namespace hsched::icd {
namespace {

constexpr size_t MostHeld = 1024;
constexpr uint64_t MostCacheBytes = 4 << 20;
constexpr unsigned MostSamples = 16; // Weight of earlier samples, at most.
constexpr double MostStart = 200e-6; // A longer start means that it waited for another queue.
constexpr double LongRun = 2e-3;     // A kernel of so many seconds is known after one run, a shorter one after two.
constexpr unsigned Convinced = 4;    // Number of similar epochs after which a queue stays on its device.
// A device of another type that is guessed to be this many times slower is measured only within the allowance.
constexpr double MuchSlower = 8;
constexpr double Allowance = 0.05; // Share of the kernels' time that such measurements may take.
constexpr double LeastLoad = 1e-9;
// An iterative queue comes back so often: its data travel once.
constexpr double Iterations = 16;
constexpr double Never = std::numeric_limits<double>::infinity();

const rt::DiskCache &cache() {
  static const rt::DiskCache &Its = *new rt::DiskCache(rt::DiskCache::ofUser("opencl-times", MostCacheBytes));
  return Its;
}

std::string keyOf(const Command &C, const Device &D) { return std::string(C.Kernel) + "|" + D.Key; }

unsigned sizeClass(double Items) {
  return static_cast<unsigned>(std::max(0.0, std::floor(std::log2(std::max(Items, 1.0)))));
}

// Operations a second at most, by the device's properties, for a kernel of so many items.
double peak(const Device &D, double Items) {
  const Device::Limits &Its = D.limits();
  const double Lanes = D.Type & CL_DEVICE_TYPE_GPU ? 64 : 8;
  return std::max(1.0, std::min(Items, static_cast<double>(Its.Units) * Lanes) * Its.MHz);
}

// The share of a device that so many items use.
double shareOf(const Device &D, double Items) {
  return std::min(1.0, peak(D, Items) / peak(D, std::numeric_limits<double>::max()));
}

Work workOf(const Command &C) {
  Work W{C.Size};
  for (const Use &U : C.Uses) {
    W.Read += U.Reads ? static_cast<double>(U.Bytes) : 0;
    W.Written += U.Writes ? static_cast<double>(U.Bytes) : 0;
  }
  return W;
}

// The weight without measurements: from the device's properties, and the resource that bounds the queue.
double staticWeight(const Device &D, cl_ulong Sched) {
  const Device::Limits &Its = D.limits();
  if (Sched & CL_QUEUE_SCHED_IO_BOUND_HSCHED) // Data stay in host memory.
    return Its.SharesHostMemory ? 2 : 1;
  if (Sched & CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED)
    return D.Type & CL_DEVICE_TYPE_GPU ? 10 : 1;
  return peak(D, std::numeric_limits<double>::max());
}

// Seconds of a kernel that has not run: by the devices' benchmarks, or by their properties.
double staticSeconds(const Work &W, const Device &D, cl_ulong Sched, bool Profiled) {
  return Profiled ? secondsOf(W, boundOf(Sched), *D.Profile.load(), shareOf(D, W.Items))
                  : W.Items / staticWeight(D, Sched) * 1e-6;
}

// An interpreter may say that it is of all types.
bool isGpu(const Device &D) { return (D.Type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU)) == CL_DEVICE_TYPE_GPU; }

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
    C->Of->Held.push_back(C);
    Full = C->Of->Held.size() >= MostHeld || !C->Of->isScheduled(); // Another thread may have settled it meanwhile.
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
  if (Sched & CL_QUEUE_SCHED_AUTO_STATIC_HSCHED && !InCallback::isHere())
    for (const Device *D : Q.In->vendorDevices())
      (void)DeviceProfiles::get().of(*D);
  std::lock_guard Hold(Lock);
  Q.Alike = 0;
}

double Scheduler::copySeconds(size_t Bytes) { return CopyStart + static_cast<double>(Bytes) / BytesASecond; }

void Scheduler::copied(size_t Bytes, double Seconds) {
  if (Bytes < (1 << 16) || Seconds <= 0)
    return;
  std::lock_guard Hold(Lock);
  BytesASecond = 0.75 * BytesASecond + 0.25 * static_cast<double>(Bytes) / Seconds;
}

std::pair<double, unsigned> Scheduler::expected(const Command &C, const Device &D) const {
  auto I = Known.find(keyOf(C, D));
  if (I == Known.end() || I->second.BySize.empty())
    return {-1, 0};
  // The nearest measured size.
  unsigned Wanted = sizeClass(C.Size);
  auto Distance = [&](unsigned Class) { return Class > Wanted ? Class - Wanted : Wanted - Class; };
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
  Times Copy;
  rt::log(rt::LogLevel::Debug, "OpenCL platform: %s took %g us on %s", std::string(C.Kernel).c_str(), Seconds * 1e6,
          D.Name.c_str());
  {
    std::lock_guard Hold(Lock);
    if (double &Its = Load[&D]; (Its -= C.Expected) < LeastLoad) // Sums and differences do not end at 0.
      Its = 0;
    if (C.Size <= 0 || !C.runTime())
      return;
    Ran += Seconds;
    if (const auto Its = C.idleTime()) {
      const double Idle = std::min(static_cast<double>(*Its) * 1e-9, MostStart);
      auto [First, New] = Start.emplace(&D, Idle);
      First->second += (Idle < First->second ? 0.3 : 0.03) * (Idle - First->second);
    }
    auto &[Mean, Count, Estimated] = Known[Key].BySize[sizeClass(C.Size)];
    if (std::exchange(Estimated, false))
      Mean = Seconds / C.Size;
    else if (++Count == 2) // The first run may have had cold caches.
      Mean = std::min(Mean, Seconds / C.Size);
    else
      Mean += (Seconds / C.Size - Mean) / std::min(Count, MostSamples);
    if (!std::has_single_bit(Count)) // Writing a file takes far longer than a short kernel.
      return;
    Copy = Known[Key];
  }
  save(Key, Copy);
}

void Scheduler::save(const std::string &Key, const Times &T) {
  if (!cache().on())
    return;
  std::ostringstream Out;
  Out.precision(17);
  for (const auto &[Class, E] : T.BySize)
    Out << Class << ' ' << E.Mean << ' ' << E.Count << '\n';
  cache().store(Key, Out.str());
}

size_t Scheduler::placeOf(const Queue &Q, const std::vector<double> &Copies, const std::vector<Device *> &On) const {
  const cl_ulong Sched = Q.Sched.load(std::memory_order_acquire);
  const Device *const Last = Q.Mapped ? Q.Mapped : Q.In->Computed;
  // Before its first kernel, a queue of the static mode is judged by one that reads and writes a megabyte.
  const bool Profiled = Sched & CL_QUEUE_SCHED_AUTO_STATIC_HSCHED && areProfiled(On);
  auto Rank = [&](size_t I) {
    return std::tuple(Copies[I], On[I] != Last,
                      Profiled ? staticSeconds({1 << 20, 1 << 20, 1 << 20}, *On[I], Sched, true)
                               : -staticWeight(*On[I], Sched));
  };
  size_t Best = 0;
  for (size_t I = 1; I != On.size(); ++I)
    if (Rank(I) < Rank(Best))
      Best = I;
  return Best;
}

double Scheduler::costOf(const Queue &Q, const std::vector<Ref<Command>> &Commands, Device &D, unsigned &Unknown) {
  Part *P = Q.In->partOf(&D);
  cl_ulong Sched = Q.Sched.load(std::memory_order_acquire);
  double Sum = 0;
  // The program has said that there will be more epochs with these data.
  const double Share =
      Sched & (CL_QUEUE_SCHED_ITERATIVE_HSCHED | CL_QUEUE_SCHED_EXPLICIT_REGION_HSCHED) ? 1 / Iterations : 1;
  std::set<std::pair<const Memory *, size_t>> Counted;
  const bool IsStatic = Sched & CL_QUEUE_SCHED_AUTO_STATIC_HSCHED;
  const bool Profiled = IsStatic && areProfiled(Q.In->vendorDevices());
  // Data go through the host. A vendor's first device copies for all.
  const auto CopySeconds = [&](const Part *From, uint64_t Bytes) {
    if (!Profiled)
      return copySeconds(Bytes);
    const auto Size = static_cast<double>(Bytes);
    return (From ? From->Devices.front()->Profile.load()->ToHost.seconds(Size) : 0) +
           P->Devices.front()->Profile.load()->FromHost.seconds(Size);
  };
  for (const auto &C : Commands) {
    if (!C->runsOn(D))
      return Never;
    if (ContextData *Data = Q.In->data())
      for (const Use &U : C->Uses) // Each object once, unless it is overwritten there.
        if (!U.Home && Counted.emplace(U.Root.get(), U.First).second && U.Reads)
          Data->missing(U, *P, [&](const Part *From, uint64_t Bytes) { Sum += Share * CopySeconds(From, Bytes); });
    if (C->Kernel.empty())
      continue;
    if (IsStatic) {
      Sum += staticSeconds(workOf(*C), D, Sched, Profiled);
      continue;
    }
    auto [Its, Runs] = expected(*C, D);
    Unknown += Its < 0 || (Runs == 1 && Its < LongRun);
    auto Before = Start.find(&D);
    Sum += std::max(Its, 0.0) + (Before == Start.end() ? 0 : Before->second);
  }
  return Sum;
}

double Scheduler::guess(const std::vector<Ref<Command>> &Commands, const Device &D,
                        const std::vector<Device *> &On) const {
  double Sum = 0;
  for (const auto &C : Commands) {
    if (C->Kernel.empty())
      continue;
    double Least = expected(*C, D).first;
    if (Least < 0) {
      Least = Never;
      for (const Device *E : On)
        if (const double Its = expected(*C, *E).first; Its >= 0)
          Least = std::min(Least, Its * peak(*E, C->Size) / peak(D, C->Size));
    }
    Sum += Least;
  }
  return Sum;
}

bool Scheduler::mayMeasure(const std::vector<Ref<Command>> &Commands, const Device &D, const std::vector<Device *> &On,
                           double &Extra) const {
  double Items = 1;
  for (const auto &C : Commands)
    Items = std::max(Items, C->Size);
  const Device *First = nullptr; // The one that is best so far.
  std::pair<double, double> Least;
  for (const Device *E : On)
    if (const std::pair Its(guess(Commands, *E, On), -peak(*E, Items)); !First || Its < Least) {
      First = E;
      Least = Its;
    }
  Extra = 0;
  if (!First || isGpu(*First) == isGpu(D))
    return true;
  if (Least.first == Never) // Nothing is known of some kernel.
    return peak(*First, Items) <= MuchSlower * peak(D, Items);
  const double Its = guess(Commands, D, On);
  if (Its <= MuchSlower * Least.first)
    return true;
  Extra = Its - Least.first;
  return Measuring + Extra <= Allowance * Ran;
}

double Scheduler::transferTo(const Command &C, const Part &P) {
  double Sum = 0;
  if (ContextData *Data = C.In->data())
    for (const Use &U : C.Uses)
      if (U.Reads && !U.Home)
        if (uint64_t Bytes = Data->missing(U, P))
          Sum += copySeconds(Bytes);
  return Sum;
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
  }
}

// Other commands before the first kernel: writes of its data. They run on the device that looks fastest.
void Scheduler::beginTransfers(Queue &Q, const std::vector<Device *> &On) {
  std::vector<Ref<Command>> First;
  Device *To;
  {
    std::lock_guard Hold(Lock);
    auto End = std::find_if(Q.Held.begin(), Q.Held.end(), [](const auto &C) { return !C->Kernel.empty(); });
    First.assign(Q.Held.begin(), End);
    Q.Held.erase(Q.Held.begin(), End);
    cl_ulong Sched = Q.Sched.load(std::memory_order_acquire);
    To = *std::max_element(On.begin(), On.end(), [&](const Device *A, const Device *B) {
      return staticWeight(*A, Sched) < staticWeight(*B, Sched);
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
  std::vector<Device *> Left;
  size_t Candidates = 0;
  for (Device *D : On) {
    if (!C->runsOn(*D))
      continue;
    double Extra = 0;
    if (expected(*C, *D).first >= 0) {
      ++Candidates;
    } else if (mayMeasure({C}, *D, On, Extra)) {
      ++Candidates;
      Left.push_back(D);
    }
  }
  if (Candidates < 2) // There is nothing to choose.
    return {};
  // The fastest by its properties first.
  std::stable_sort(Left.begin(), Left.end(),
                   [&](const Device *A, const Device *B) { return peak(*A, C->Size) > peak(*B, C->Size); });
  return Left;
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
      for (const auto &C : Q->Held)
        if (C->Mini) {
          load(*C, On);
          if (std::any_of(On.begin(), On.end(), [&](Device *D) { return expected(*C, *D).first < 0; }))
            Found.push_back({C, std::move(C->Mini)});
        }
    return Found;
  };
  std::lock_guard Once(Estimating);
  for (const auto &[C, Mini] : Collect()) {
    std::vector<Device *> Left;
    {
      std::lock_guard Hold(Lock); // An earlier one may have the same kernel.
      Left = toEstimate(C, On);
    }
    if (Left.empty())
      continue;
    beginTransfers(*C->Of, On);
    if (!Graph::get().awaitInputs(C))
      continue;
    for (Device *D : Left) {
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
      if (!Q->Held.empty())
        Queues.push_back({Q, std::exchange(Q->Held, {})});
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
    IsLeft = std::any_of(Settled.begin(), Settled.end(), [](const auto &S) { return !S.first->Held.empty(); });
  }
  if (IsLeft)
    map(In);
}

} // namespace hsched::icd
