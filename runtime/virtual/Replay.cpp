// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "virtual/Replay.h"
#include "trace/Assessment.h"
#include "virtual/RecordedMachine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace hsched::rt::virt {
namespace {

using record::Ns;
using record::Record;

constexpr uintptr_t FirstAddress = uintptr_t(1) << 40;

class Replayed final : public Program {
public:
  explicit Replayed(const Replay &R) : R(R) {
    for (const auto &T : R.Types)
      Names.push_back(T.Name);
  }
  const std::vector<std::string> &types() const override { return Names; }
  bool namesTasks() const override { return true; }
  bool submitsFirst() const override { return true; }
  bool sendsHome() const override { return R.SendsHome; }
  bool next(TaskSpec &Out) override {
    if (At == R.Tasks.size())
      return false;
    Out = R.Tasks[At++];
    return true;
  }

private:
  const Replay &R;
  std::vector<std::string> Names;
  size_t At = 0;
};

class Maker {
public:
  Maker(const Record &R, Replay &Out) : R(R), Out(Out) {}

  status make() {
    if (!R.Whole)
      return status::error(errc::invalid_argument,
                           "it has no sections, so that it cannot be run again; write a record with HSCHED_RECORD");
    if (R.Tasks.empty() || R.Workers.empty() || R.Workers[0].isDevice())
      return status::error(errc::invalid_argument, "it has no tasks, or no CPU worker");
    const record::Assessment A = record::assess(R);
    Out.Recorded = Duration(A.Makespan);
    Out.Policy = R.Policy;
    if (status Made = makePlatform(); !Made.ok())
      return Made;
    Out.SendsHome = sentHomeEarly(R);
    RunTimes = runTimes(R);
    findVersions();
    placeData();
    for (const record::Wait &W : R.Waits)
      if (W.Within)
        WaitedIn[W.Within] += W.End - W.Begin;
    for (const record::Task &T : R.Tasks)
      if (!T.Version.empty() && T.How == record::TaskOutcome::Done)
        addTask(T);
    if (Out.Tasks.empty())
      return status::error(errc::invalid_argument, "none of its tasks has ended");
    addWaits();
    addHost();
    note(Children, " tasks were submitted by other tasks; they run after these, as if the program had submitted them.");
    note(R.Tasks.size() - Out.Tasks.size(), " tasks did not run, or failed; they are left out.");
    return {};
  }

private:
  void note(uint64_t Count, const char *What) {
    if (Count)
      Out.Notes.push_back(std::to_string(Count) + What);
  }

  status makePlatform() {
    PlatformModel &P = Out.Platform;
    P.Name = "recorded";
    P.Peers = std::ranges::any_of(R.Transfers, [](const auto &T) { return T.Kind == "between devices"; });
    for (const record::Worker &W : R.Workers) {
      auto [It, New] = KindOf.try_emplace({W.Model, W.HasMemory}, static_cast<unsigned>(P.Kinds.size()));
      if (New) {
        WorkerKind &K = P.Kinds.emplace_back();
        K.Name = W.isDevice() ? W.Model : "cpu";
        K.Device = W.isDevice() ? DeviceKind::OpenCL : DeviceKind::Cpu;
        K.Type = W.Type == "gpu"           ? DeviceType::Gpu
                 : W.Type == "accelerator" ? DeviceType::Accelerator
                                           : DeviceType::Cpu;
        K.MemoryBytes = W.HasMemory ? MostBytes : 0;
        // An OpenCL device of cores copies with the threads that run kernels.
        K.Overlaps = K.Type != DeviceType::Cpu || !W.HasMemory;
        const StartTimes Starts = startTimesOf(R, W.Model);
        K.Between = Duration(Starts.Between);
        K.Wakes = Duration(W.HasMemory ? Starts.Between : Starts.Wakes);
        if (W.HasMemory)
          K.SetUp = Duration(setUpOf(R, W.Model));
      }
      WorkerModel M{W.Name, It->second, {}};
      if (W.HasMemory) {
        LinkModel L;
        L.Name = "link of " + W.Name;
        auto known = [](const std::optional<record::Link> &Way) { return Way && Way->BytesPerSecond > 0; };
        L.ToDeviceBytesPerSecond = known(W.ToDevice) ? W.ToDevice->BytesPerSecond : 1e10;
        L.ToHostBytesPerSecond = known(W.ToHost) ? W.ToHost->BytesPerSecond : L.ToDeviceBytesPerSecond;
        L.AssumedToDevice = L.ToDeviceBytesPerSecond;
        L.AssumedToHost = L.ToHostBytesPerSecond;
        if (const double Rate = rateOf(R, W.Id, false); Rate > 0)
          L.ToDeviceBytesPerSecond = Rate;
        if (const double Rate = rateOf(R, W.Id, true); Rate > 0)
          L.ToHostBytesPerSecond = Rate;
        L.Latency = Duration(known(W.ToDevice) ? std::llround(W.ToDevice->LatencyNs) : 10'000);
        if (!P.Kinds[It->second].Overlaps)
          L.Latency = Duration(beforeTransfersOf(R, W.Id).value_or(L.Latency.count()));
        if (!known(W.ToDevice))
          Out.Notes.push_back("The link of " + W.Name + " was not measured; 10 GB/s and 10 us are taken.");
        M.Way.push_back(static_cast<unsigned>(P.Links.size()));
        P.Links.push_back(std::move(L));
      }
      P.Workers.push_back(std::move(M));
      Kinds.push_back(It->second);
    }
    size_t Memories = P.Links.size();
    if (P.Workers.size() > MaxWorkers || Memories > 63)
      return status::error(errc::invalid_argument, "at most 512 workers, 63 of them devices, can be simulated");
    return {};
  }

  struct VersionTimes {
    unsigned Index;
    // By kind, then by bytes and cost.
    std::map<unsigned, std::map<std::pair<uint64_t, double>, std::vector<Ns>>> Ran, Predicted;
  };
  struct TypeTimes {
    unsigned Index;
    std::map<std::string, VersionTimes> Versions;
    std::map<std::pair<uint64_t, double>, const Duration *> Tables; // By size.
  };

  void findVersions() {
    auto version = [&](const record::Task &T, const std::string &Name, uint32_t Worker) -> VersionTimes & {
      auto [Type, NewType] = Types.try_emplace(T.Type);
      if (NewType) {
        Type->second.Index = static_cast<unsigned>(Out.Types.size());
        Out.Types.push_back({T.Type, {}});
      }
      auto &Spec = Out.Types[Type->second.Index];
      auto [V, New] = Type->second.Versions.try_emplace(Name);
      if (New) {
        V->second.Index = static_cast<unsigned>(Spec.Versions.size());
        Spec.Versions.push_back(
            {Name, R.Workers[Worker].isDevice(), std::vector<bool>(Out.Platform.Kinds.size(), false)});
      }
      Spec.Versions[V->second.Index].Kinds[Kinds[Worker]] = true;
      return V->second;
    };
    FirstRuns = firstRuns(R, RunTimes);
    // The first choice that a version and kind were candidates of.
    std::map<std::tuple<std::string, std::string, unsigned, SizeClass>, std::pair<Ns, const record::Candidate *>>
        Earliest;
    for (size_t I = 0; I < R.Tasks.size(); ++I) {
      const record::Task &T = R.Tasks[I];
      const std::pair Size(T.Bytes, T.Cost);
      if (T.How == record::TaskOutcome::Done && !T.Version.empty()) {
        VersionTimes &V = version(T, T.Version, T.Worker);
        V.Ran[Kinds[T.Worker]][Size].push_back(usual(T));
        if (auto It = FirstRuns.find(I); It != FirstRuns.end()) {
          auto &By = Out.Types[Types[T.Type].Index].Versions[V.Index].FirstRun;
          By.resize(Out.Platform.Kinds.size());
          By[Kinds[T.Worker]] = Duration(It->second);
        }
      }
      for (const record::Choice &C : T.Choices)
        for (const record::Candidate &K : C.Candidates) {
          if (K.Runs)
            version(T, K.Version, K.Worker).Predicted[Kinds[K.Worker]][Size] = {K.Run};
          auto &Known = Earliest[{T.Type, K.Version, Kinds[K.Worker], T.size()}];
          if (!Known.second || C.At < Known.first)
            Known = {C.At, &K};
        }
    }
    for (const auto &[Of, Known] : Earliest)
      if (const auto &[Type, Name, Kind, Size] = Of; Known.second->Runs) {
        const TypeTimes &T = Types.at(Type);
        Out.Known.push_back(
            {T.Index, T.Versions.at(Name).Index, Kind, Size, Known.second->Runs, Duration(Known.second->Run)});
      }
  }

  // The time of the size itself, or of the nearest size scaled by bytes.
  static double timeAt(const std::map<std::pair<uint64_t, double>, std::vector<Ns>> &Known,
                       const std::pair<uint64_t, double> &Size) {
    auto median = [](std::vector<Ns> All) {
      auto Middle = All.begin() + static_cast<ptrdiff_t>(All.size() / 2);
      std::ranges::nth_element(All, Middle);
      return static_cast<double>(*Middle);
    };
    if (auto It = Known.find(Size); It != Known.end())
      return median(It->second);
    auto Next = std::ranges::min_element(Known, {}, [&](const auto &Each) {
      return std::abs(std::log1p(static_cast<double>(Each.first.first)) - std::log1p(static_cast<double>(Size.first)));
    });
    return median(Next->second) * (static_cast<double>(Size.first) + 1) / (static_cast<double>(Next->first.first) + 1);
  }

  const Duration *tableFor(const record::Task &T) {
    TypeTimes &Type = Types.at(T.Type);
    const std::pair Size(T.Bytes, T.Cost);
    auto [It, New] = Type.Tables.try_emplace(Size, nullptr);
    if (!New)
      return It->second;
    const size_t N = Out.Platform.Kinds.size();
    auto &Table = *Out.Times.emplace_back(
        std::make_unique<std::vector<Duration>>(Out.Types[Type.Index].Versions.size() * N, Duration(1)));
    for (auto &[Name, V] : Type.Versions)
      for (unsigned K = 0; K < N; ++K) {
        auto Ran = V.Ran.find(K), Predicted = V.Predicted.find(K);
        const bool AnyRan = Ran != V.Ran.end(), AnyPredicted = Predicted != V.Predicted.end();
        if (!AnyRan && !AnyPredicted)
          continue;
        const bool Take = AnyRan && (Ran->second.contains(Size) || !AnyPredicted || !Predicted->second.contains(Size));
        const double Time = timeAt(Take ? Ran->second : Predicted->second, Size);
        Table[V.Index * N + K] = Duration(std::max<Ns>(1, std::llround(Time)));
      }
    return It->second = Table.data();
  }

  void placeData() {
    uintptr_t Next = FirstAddress;
    for (uint64_t Bytes : R.Data) {
      Bases.push_back(Next);
      Next += (Bytes + 4095) / 4096 * 4096;
    }
  }

  void addTask(const record::Task &T) {
    TaskSpec S;
    const TypeTimes &Type = Types.at(T.Type);
    S.Type = Type.Index;
    S.Priority = T.Priority;
    S.Cost = T.Cost;
    S.Times = tableFor(T);
    S.Own = Duration(own(T));
    S.OwnAt = static_cast<unsigned>(Type.Versions.at(T.Version).Index * Out.Platform.Kinds.size() + Kinds[T.Worker]);
    static const std::map<std::string_view, unsigned> Modes = {{"in", HSCHED_IN},
                                                               {"out", HSCHED_OUT},
                                                               {"inout", HSCHED_INOUT},
                                                               {"concurrent", HSCHED_CONCURRENT},
                                                               {"commutative", HSCHED_COMMUTATIVE},
                                                               {"reduction", HSCHED_CONCURRENT}};
    for (const record::Section &A : T.Sections)
      S.access(Bases[A.Datum] + A.From, A.Bytes, Modes.at(A.Mode), A.Rows, A.Stride);
    std::set<TaskId> After;
    for (uint64_t From : T.After)
      if (auto It = NumberOf.find(From); It != NumberOf.end())
        After.insert(It->second);
    if (T.Parent) {
      ++Children;
      if (auto It = NumberOf.find(T.Parent); It != NumberOf.end())
        After.insert(It->second);
    }
    S.After.assign(After.begin(), After.end());
    Out.Tasks.push_back(std::move(S));
    Sources.push_back(&T);
    NumberOf[T.Id] = Out.Tasks.size();
  }

  // Its time, minus the excess of a first run.
  Ns usual(const record::Task &T) const {
    const auto Index = static_cast<size_t>(&T - R.Tasks.data());
    auto It = FirstRuns.find(Index);
    return RunTimes[Index] - (It == FirstRuns.end() ? 0 : It->second);
  }

  // The same, minus its waits for its own children.
  Ns own(const record::Task &T) const {
    auto It = WaitedIn.find(T.Id);
    return std::max<Ns>(1, usual(T) - (It == WaitedIn.end() ? 0 : It->second));
  }

  // Adds the recorded waits to the next task that the program itself submitted.
  void addWaits() {
    for (const record::Wait &W : R.Waits) {
      if (W.Within)
        continue;
      auto Next = std::ranges::upper_bound(Sources, W.Behind, {}, [](const record::Task *T) { return T->Id; });
      while (Next != Sources.end() && (*Next)->Parent)
        ++Next;
      if (Next == Sources.end())
        continue;
      TaskSpec &S = Out.Tasks[static_cast<size_t>(Next - Sources.begin())];
      if (W.Sections.empty()) {
        S.AwaitsAll = true;
        S.Flushes = S.Flushes || W.Flush;
        continue;
      }
      for (const record::Section &Of : W.Sections)
        for (size_t I = static_cast<size_t>(Next - Sources.begin()); I-- > 0;)
          if (std::ranges::any_of(Sources[I]->Sections, [&](const record::Section &A) {
                return A.Mode != "in" && A.Datum == Of.Datum && A.From < endOf(Of) && Of.From < endOf(A);
              })) {
            S.Awaits.push_back(I + 1);
            break;
          }
    }
  }
  static uint64_t endOf(const record::Section &S) { return S.From + (S.Rows - 1) * S.Stride + S.Bytes; }

  // Computes the program's time before each submission. It is the time since the last one, minus waits, and minus tasks
  // that the main thread ran because of a full window.
  void addHost() {
    std::vector<std::pair<Ns, Ns>> Else; // Other work of the main thread.
    for (const record::Task *T : Sources)
      if (T->Worker == 0)
        Else.emplace_back(T->Begin, T->End);
    for (const record::Wait &W : R.Waits)
      if (!W.Within)
        Else.emplace_back(W.Begin, W.End);
    std::ranges::sort(Else);
    Ns Last = -1;
    auto Next = Else.begin();
    Ns Until = 0; // End of the main thread's other work.
    for (size_t I = 0; I < Sources.size(); ++I) {
      if (Sources[I]->Parent) {
        Out.Tasks[I].Host = Duration(0);
        continue;
      }
      const Ns At = Sources[I]->Submitted;
      Ns Free = Last < 0 ? 0 : At - Last;
      if (Last >= 0) {
        Ns From = std::max(Last, Until);
        Free = std::max<Ns>(0, At - From);
        for (; Next != Else.end() && Next->first < At; ++Next) {
          Free -= std::max<Ns>(0, std::min(At, Next->second) - std::max(From, Next->first));
          From = std::max(From, std::min(At, Next->second));
          Until = std::max(Until, Next->second);
        }
      }
      Out.Tasks[I].Host = Duration(std::max<Ns>(0, Free));
      Last = std::max(Last, At);
    }
  }

  static constexpr uint64_t MostBytes = uint64_t(1) << 60;
  const Record &R;
  Replay &Out;
  std::map<std::pair<std::string, bool>, unsigned> KindOf;
  std::vector<unsigned> Kinds; // By worker.
  std::map<std::string, TypeTimes> Types;
  std::vector<uintptr_t> Bases;                  // By datum.
  std::vector<const record::Task *> Sources;     // Sources of Out.Tasks.
  std::unordered_map<uint64_t, TaskId> NumberOf; // By recorded id.
  std::unordered_map<uint64_t, Ns> WaitedIn;     // By id of the task.
  std::vector<Ns> RunTimes;                      // By index in R.Tasks.
  std::map<size_t, Ns> FirstRuns;                // By index in R.Tasks.
  uint64_t Children = 0;
};

} // namespace

std::unique_ptr<Program> Replay::program() const { return std::make_unique<Replayed>(*this); }

History::Before Replay::known() const {
  // Kinds of devices are numbered as the simulation does: by the workers that it adds.
  std::vector<ModelId> ModelOf(Platform.Kinds.size(), CpuModel);
  ModelId Next = CpuModel + 1;
  for (const WorkerModel &W : Platform.Workers)
    if (Platform.Kinds[W.Kind].Device != DeviceKind::Cpu && ModelOf[W.Kind] == CpuModel)
      ModelOf[W.Kind] = Next++;
  return [this, ModelOf](const TaskType &Type) {
    std::vector<HistoryRow> Rows;
    for (const KnownTime &K : Known)
      if (K.Type == Type.Id) {
        const std::vector<float> Recent(std::min<uint64_t>(K.Runs, RunStats::MostRecent),
                                        static_cast<float>(K.Run.count()));
        Rows.push_back({Type.Id, K.Size, K.Version, ModelOf[K.Kind], {}});
        Rows.back().Stats.seed(K.Runs, Recent);
      }
    return Rows;
  };
}

TaskTypes Replay::types(const PlatformModel &On) const {
  if (!Described)
    return TaskTypes(On, Types);
  std::vector<std::string> Names;
  for (const TaskTypes::TypeSpec &T : Types)
    Names.push_back(T.Name);
  return TaskTypes(On, Names);
}

status putOn(const PlatformModel &P, Replay &R) {
  for (const TaskTypes::TypeSpec &T : R.Types)
    if (std::ranges::none_of(P.Workers, [&](const WorkerModel &W) { return P.Kinds[W.Kind].speedOf(T.Name); }))
      return status::error(errc::invalid_argument, "no worker of platform '" + P.Name + "' has a speed for task '" +
                                                       T.Name + "'; add it, or \"*\", to \"speeds\" of a kind");
  R.Described = true;
  R.Platform = P;
  for (TaskSpec &T : R.Tasks) {
    T.Times = nullptr;
    T.Own = T.Host = Duration(-1);
    T.Work = T.Cost;
    if (T.Cost < 0) {
      T.Work = 0;
      for (const Access &A : T.Accesses)
        T.Work += static_cast<double>(A.bytes) * static_cast<double>(A.rows);
    }
  }
  return {};
}

status makeReplay(const Record &R, Replay &Out) {
  Out = {};
  return Maker(R, Out).make();
}

} // namespace hsched::rt::virt
