// What scheduled commands cost on devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Costs.h"

#include "icd/ContextData.h"
#include "icd/Queue.h"
#include "icd/Scheduler.h"

#include <CL/cl_hsched.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace hsched::icd {
namespace {

constexpr double LongRun = 2e-3; // A kernel of so many seconds is known after one run, a shorter one after two.
// A device of another type that is guessed to be this many times slower is measured only within the allowance.
constexpr double MuchSlower = 8;
// The same for devices of one type, of which only measured kernels tell something.
constexpr double Slower = 4;
// The first run of a short kernel may take so many times as long as later ones.
constexpr double FirstRun = 8;
// A kernel says something of kernels with at most so many times its items.
constexpr double Similar = 8;
// Such kernels show at most so much. Their first run may have contained a compilation.
constexpr double MostShown = 16;
constexpr double Allowance = 0.05; // Share of the kernels' time that such measurements may take.
// An iterative queue comes back so often: its data are transferred once.
constexpr double Iterations = 16;
// Rate and start of a copy between two vendors' memories, if there are no benchmarks.
constexpr double BytesASecond = 4e9, CopyStart = 20e-6;

// The share of a device that so many items use.
double shareOf(const Device &D, double Items) {
  return std::min(1.0, peak(D, Items) / peak(D, std::numeric_limits<double>::max()));
}

// Data go through the host. A vendor's first device copies for all. Null: from the host.
double copySeconds(const Part *From, const Part &To, uint64_t Bytes, bool Profiled) {
  const auto Size = static_cast<double>(Bytes);
  if (!Profiled)
    return CopyStart + Size / BytesASecond;
  return (From ? From->Devices.front()->Profile.load()->ToHost.seconds(Size) : 0) +
         To.Devices.front()->Profile.load()->FromHost.seconds(Size);
}

// A kernel's name ends with the number of its program's source.
std::string relationKey(const Command &C, const Device &Of, const Device &To) {
  return std::string(C.Kernel.substr(C.Kernel.rfind('@') + 1)) + "|" + Of.Key + "|" + To.Key;
}

} // namespace

std::string keyOf(const Command &C, const Device &D) { return std::string(C.Kernel) + "|" + D.Key; }

unsigned sizeClass(double Items) {
  return static_cast<unsigned>(std::max(0.0, std::floor(std::log2(std::max(Items, 1.0)))));
}

double peak(const Device &D, double Items) {
  const Device::Limits &Its = D.limits();
  const double Lanes = D.Type & CL_DEVICE_TYPE_GPU ? 64 : 8;
  return std::max(1.0, std::min(Items, static_cast<double>(Its.Units) * Lanes) * Its.MHz);
}

Work workOf(const Command &C) {
  Work W{C.Size};
  for (const Use &U : C.Uses) {
    W.Read += U.Reads ? static_cast<double>(U.Bytes) : 0;
    W.Written += U.Writes ? static_cast<double>(U.Bytes) : 0;
  }
  return W;
}

double staticWeight(const Device &D, cl_ulong Sched) {
  const Device::Limits &Its = D.limits();
  if (Sched & CL_QUEUE_SCHED_IO_BOUND_HSCHED) // Data stay in host memory.
    return Its.SharesHostMemory ? 2 : 1;
  if (Sched & CL_QUEUE_SCHED_MEMORY_BOUND_HSCHED)
    return D.Type & CL_DEVICE_TYPE_GPU ? 10 : 1;
  return peak(D, std::numeric_limits<double>::max());
}

double staticSeconds(const Work &W, const Device &D, cl_ulong Sched, bool Profiled) {
  return Profiled ? secondsOf(W, boundOf(Sched), *D.Profile.load(), shareOf(D, W.Items))
                  : W.Items / staticWeight(D, Sched) * 1e-6;
}

bool isGpu(const Device &D) { return (D.Type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU)) == CL_DEVICE_TYPE_GPU; }

double relation(const Command &C, const Device &Of, const Device &To, bool Profiled) {
  if (!Profiled)
    return peak(To, C.Size) / peak(Of, C.Size);
  const Work W = workOf(C);
  const cl_ulong Sched = C.Of ? C.Of->Sched.load(std::memory_order_acquire) : 0;
  return staticSeconds(W, Of, Sched, true) / staticSeconds(W, To, Sched, true);
}

size_t Scheduler::placeOf(const Queue &Q, const std::vector<double> &Copies, const std::vector<Device *> &On) const {
  const cl_ulong Sched = Q.Sched.load(std::memory_order_acquire);
  const Device *const Last = Q.Mapped ? Q.Mapped : Q.In->Computed;
  // Before its first kernel, a queue is judged by one that reads and writes a megabyte.
  const bool Profiled = areProfiled(On);
  auto Rank = [&](size_t I) {
    return std::tuple(Copies[I], On[I] != Last,
                      Profiled ? staticSeconds(Typical, *On[I], Sched, true) : -staticWeight(*On[I], Sched));
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
  std::set<std::tuple<const Memory *, size_t, size_t>> Counted; // Ranges of objects.
  const bool IsStatic = Sched & CL_QUEUE_SCHED_AUTO_STATIC_HSCHED;
  const bool Profiled = areProfiled(Q.In->vendorDevices());
  for (const auto &C : Commands) {
    if (!C->runsOn(D))
      return Never;
    if (ContextData *Data = Q.In->data())
      for (const Use &U : C->Uses) // Each range once, unless it is overwritten there.
        if (!U.Home && !Counted.count({U.Root.get(), 0, U.Root->bytes()}) &&
            Counted.emplace(U.Root.get(), U.First, U.Bytes).second && U.Reads)
          Data->missing(
              U, *P, [&](const Part *From, uint64_t Bytes) { Sum += Share * copySeconds(From, *P, Bytes, Profiled); });
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

double Scheduler::atBest(const Command &C, const Device &D) const {
  const auto [Its, Runs] = expected(C, D);
  return Runs == 1 && Its < LongRun ? Its / FirstRun : Its;
}

void Scheduler::relate(const Command &C) {
  const auto On = C.In->vendorDevices();
  for (const Device *D : On)
    for (const Device *E : On) {
      const double Its = D == E ? -1 : atBest(C, *D), Others = expected(C, *E).first;
      if (Its > 0 && Others > 0)
        Relations[relationKey(C, *D, *E)].insert_or_assign(std::string(C.Kernel), Relation{C.Size, Its / Others});
    }
}

std::optional<double> Scheduler::shown(const Command &C, const Device &Of, const Device &To) const {
  std::optional<double> Least;
  if (const auto Both = Relations.find(relationKey(C, Of, To)); Both != Relations.end())
    for (const auto &[Kernel, Its] : Both->second)
      if (C.Size <= Similar * Its.Size)
        Least = std::min(Least.value_or(MostShown), Its.Times);
  return Least;
}

std::optional<double> Scheduler::slower(const Command &C, const Device &Of, const Device &To, bool Profiled) const {
  if (&Of == &To)
    return 1;
  const auto Shown = shown(C, Of, To);
  if (isGpu(Of) != isGpu(To)) // Kernels may differ much in what they gain there.
    return std::min(Shown.value_or(Never), relation(C, Of, To, Profiled));
  if (Shown || !Profiled) // Properties say little of devices of one type.
    return Shown;
  return relation(C, Of, To, true);
}

double Scheduler::slowerOrGuess(const Command &C, const Device &Of, const Device &To, bool Profiled) const {
  return slower(C, Of, To, Profiled).value_or(relation(C, Of, To, Profiled));
}

double Scheduler::guess(const std::vector<Ref<Command>> &Commands, const Device &D,
                        const std::vector<Device *> &On) const {
  double Sum = 0;
  const bool Profiled = areProfiled(On);
  for (const auto &C : Commands) {
    if (C->Kernel.empty())
      continue;
    double Least = atBest(*C, D);
    if (Least < 0) {
      Least = Never;
      for (const Device *E : On)
        if (const double Its = expected(*C, *E).first; Its >= 0)
          Least = std::min(Least, Its * slowerOrGuess(*C, D, *E, Profiled));
    }
    Sum += Least;
  }
  return Sum;
}

bool Scheduler::mayMeasure(const std::vector<Ref<Command>> &Commands, const Device &D, const std::vector<Device *> &On,
                           double &Extra) const {
  const Command *Largest = nullptr;
  bool HasRunAll = true;
  for (const auto &C : Commands)
    if (!C->Kernel.empty()) {
      HasRunAll &= expected(*C, D).first >= 0;
      if (!Largest || C->Size > Largest->Size)
        Largest = C.get();
    }
  Extra = 0;
  if (!Largest)
    return true;
  const bool Profiled = areProfiled(On);
  const Device *First = nullptr; // The one that is best so far.
  std::pair<double, double> Least;
  for (const Device *E : On)
    if (const std::pair Its(guess(Commands, *E, On), slowerOrGuess(*Largest, *E, D, Profiled)); !First || Its < Least) {
      First = E;
      Least = Its;
    }
  const auto Times = First ? slower(*Largest, D, *First, Profiled) : std::nullopt;
  if (!First || (!Times && !HasRunAll))
    return true;
  const double Most = isGpu(*First) == isGpu(D) && shown(*Largest, D, *First) ? Slower : MuchSlower;
  if (Least.first == Never) // Nothing is known of some kernel.
    return !Times || *Times <= Most;
  const double Its = guess(Commands, D, On);
  if (Its <= Most * Least.first)
    return true;
  Extra = Its - Least.first;
  return Measuring + Extra <= Allowance * Ran;
}

double Scheduler::transferTo(const Command &C, const Part &P) {
  double Sum = 0;
  const bool Profiled = areProfiled(C.In->vendorDevices());
  if (ContextData *Data = C.In->data())
    for (const Use &U : C.Uses)
      if (U.Reads && !U.Home)
        Data->missing(U, P, [&](const Part *From, uint64_t Bytes) { Sum += copySeconds(From, P, Bytes, Profiled); });
  return Sum;
}

} // namespace hsched::icd
