// HSCHED_STATS: what ran where, how long, and what was moved, as tables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/AreaBound.h"
#include "trace/BusyTime.h"
#include "trace/Shards.h"
#include "trace/Table.h"
#include "trace/Writers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace hsched::rt {
namespace {

// Welford's recurrence, and Chan's formula to merge two parts.
struct Spread {
  uint64_t N = 0;
  double Mean = 0, M2 = 0, Least = std::numeric_limits<double>::infinity();

  void add(double X) {
    double Delta = X - Mean;
    Mean += Delta / static_cast<double>(++N);
    M2 += Delta * (X - Mean);
    Least = std::min(Least, X);
  }
  void add(const Spread &O) {
    if (O.N == 0)
      return;
    double Delta = O.Mean - Mean, Both = static_cast<double>(N + O.N), OtherN = static_cast<double>(O.N);
    M2 += O.M2 + Delta * Delta * static_cast<double>(N) * OtherN / Both;
    Mean += Delta * OtherN / Both;
    N += O.N;
    Least = std::min(Least, O.Least);
  }
  double deviation() const { return N < 2 ? 0 : std::sqrt(M2 / static_cast<double>(N - 1)); }
};

// Transfers and hits.
struct Moves {
  std::array<uint64_t, NumTransferKinds> Bytes{}; // By TransferKind.
  uint64_t Hits = 0, Lookups = 0;

  void add(const Moves &O) {
    for (size_t I = 0; I < Bytes.size(); ++I)
      Bytes[I] += O.Bytes[I];
    Hits += O.Hits;
    Lookups += O.Lookups;
  }
};

// Names are compared by address, because they live as long as the program.
using VersionKey = std::tuple<const char *, uint64_t, const char *>;
using WorkerKey = std::pair<VersionKey, uint32_t>; // On one worker.

struct WorkerStats {
  std::string Name, Model;
  bool IsDevice = false;
  uint64_t Tasks = 0;
  BusyTime Busy;
  std::map<const char *, Moves> MovedFor; // By the name of a type; null: no task.
  std::map<VersionKey, uint64_t> Untimed; // Number of runs.
  double UntimedNs = 0;                   // Estimated time of those runs; only in finished().
};

struct Collected {
  std::map<WorkerKey, Spread> Versions;
  std::map<uint32_t, WorkerStats> Workers;
  uint64_t Failed = 0, Cancelled = 0;
  TimePoint First = TimePoint::max(), Last = TimePoint::min();

  // Cache: most runs are like the one before.
  Spread *Latest = nullptr; // The value of Versions[LatestKey].
  WorkerKey LatestKey;
  Spread &spreadOf(const WorkerKey &Key) {
    if (!Latest || LatestKey != Key) {
      Latest = &Versions[Key];
      LatestKey = Key;
    }
    return *Latest;
  }

  void span(const Interval &I) {
    First = std::min(First, I.Begin);
    Last = std::max(Last, I.End);
  }
};

// A worker's name: the common prefix of its rows' names, up to a word boundary.
std::string commonName(const std::string &A, const std::string &B) {
  if (A.empty() || A == B)
    return B;
  size_t N = 0;
  while (N < A.size() && N < B.size() && A[N] == B[N])
    ++N;
  bool WordEnds = (N == A.size() || A[N] == ' ') && (N == B.size() || B[N] == ' ');
  size_t End = WordEnds ? N : A.find_last_of(' ', N ? N - 1 : 0);
  End = End == std::string::npos ? 0 : A.find_last_not_of(' ', End ? End - 1 : 0) + 1;
  return End ? A.substr(0, End) : A;
}

class Statistics final : public Observer {
public:
  Statistics(std::function<void(const std::string &)> Print, bool Full) : Print(std::move(Print)), Full(Full) {}

  // Data of a worker are in the worker's part, whichever thread reports them, so contention is rare.
  void rowAdded(const RowRecord &R) override {
    Parts.with(R.Worker, [&](Collected &C) {
      WorkerStats &W = C.Workers[R.Worker];
      bool Queue = R.Kind == RowKind::DeviceCompute;
      W.Name = commonName(W.Name, R.Name.substr(0, Queue ? R.Name.rfind(" queue ") : std::string::npos));
      W.IsDevice = W.IsDevice || R.Kind != RowKind::CpuWorker;
      if (Queue || R.Kind == RowKind::CpuWorker)
        W.Model = R.Model.empty() && W.IsDevice ? W.Name : R.Model;
    });
  }

  void ran(const RunRecord &R) override {
    Parts.with(R.Worker, [&](Collected &C) {
      if (R.How == Outcome::Cancelled) {
        ++C.Cancelled;
        return;
      }
      C.span(R.Ran);
      WorkerStats &W = C.Workers[R.Worker];
      ++W.Tasks;
      W.Busy.add(R.Ran);
      if (R.How == Outcome::Failed)
        ++C.Failed;
      else
        C.spreadOf({{R.Task, sizeClassOf(R.DataBytes, R.Cost), R.Version}, R.Worker})
            .add(static_cast<double>(R.Ran.length().count()));
    });
  }

  bool wantsEachTask() const override { return false; }
  void counted(const CountRecord &R) override {
    Parts.with(R.Worker, [&](Collected &C) {
      WorkerStats &W = C.Workers[R.Worker];
      W.Tasks += R.Runs;
      W.Untimed[{R.Task, sizeClassOf(R.DataBytes, R.Cost), R.Version}] += R.Runs;
    });
  }

  void transferred(const TransferRecord &R) override {
    Parts.with(R.Worker, [&](Collected &C) {
      C.span(R.Ran);
      WorkerStats &W = C.Workers[R.Worker];
      W.IsDevice = true;
      W.MovedFor[R.Task].Bytes[static_cast<size_t>(R.Kind)] += R.Bytes;
    });
  }

  void cacheLookup(const LookupRecord &R) override {
    Parts.with(R.Worker, [&](Collected &C) {
      WorkerStats &W = C.Workers[R.Worker];
      W.IsDevice = true;
      Moves &M = W.MovedFor[R.Task];
      M.Hits += R.Hit;
      ++M.Lookups;
    });
  }

  void finished() override {
    std::map<NamedKey, Runs> Versions;
    std::map<uint32_t, WorkerStats> Workers;
    std::map<std::pair<NamedKey, uint32_t>, Spread> OnWorkers;
    uint64_t Failed = 0, Cancelled = 0, Tasks = 0;
    Interval Whole{TimePoint::max(), TimePoint::min()};
    auto view = [](const char *Name) { return std::string_view(Name ? Name : ""); };
    auto named = [&](const VersionKey &Key) {
      return NamedKey(view(std::get<0>(Key)), std::get<1>(Key), view(std::get<2>(Key)));
    };
    Parts.forEach([&](Collected &C) {
      for (auto &[Key, Ran] : C.Versions) {
        Versions[named(Key.first)].Timed.add(Ran);
        OnWorkers[{named(Key.first), Key.second}].add(Ran);
      }
      for (auto &[Id, W] : C.Workers) {
        Tasks += W.Tasks;
        for (auto &[Key, N] : W.Untimed)
          Versions[named(Key)].Untimed += N;
        Workers[Id] = std::move(W);
      }
      Failed += C.Failed;
      Cancelled += C.Cancelled;
      Whole.Begin = std::min(Whole.Begin, C.First);
      Whole.End = std::max(Whole.End, C.Last);
      C = {};
    });
    // Untimed runs count with the mean of the timed ones.
    for (auto &[Id, W] : Workers)
      for (auto &[Key, N] : W.Untimed)
        W.UntimedNs += static_cast<double>(N) * Versions[named(Key)].Timed.Mean;

    double WallNs = Whole.Begin < Whole.End ? static_cast<double>(Whole.length().count()) : 0;
    Print(std::to_string(Tasks) + (Tasks == 1 ? " task ran in " : " tasks ran in ") + formatTime(WallNs) +
          (Failed ? ", " + std::to_string(Failed) + " failed" : "") +
          (Cancelled ? ", " + std::to_string(Cancelled) + " cancelled" : ""));
    if (Full || Versions.size() <= MostRows)
      printVersions(Versions);
    else
      printTotals(Versions);
    printWorkers(Workers, WallNs);
    printBound(Versions, OnWorkers, Workers, WallNs);
    printMoves(Workers);
  }

private:
  using Side = Table::Align;
  using NamedKey = std::tuple<std::string_view, uint64_t, std::string_view>;
  struct Runs {
    Spread Timed;
    uint64_t Untimed = 0;
  };

  void print(const Table &T) {
    if (T.empty())
      return;
    Print("");
    T.print(Print);
  }

  template <class Map> void printVersions(const Map &Versions) {
    const bool SomeUntimed = std::ranges::any_of(Versions, [](auto &Each) { return Each.second.Untimed != 0; });
    std::vector<Table::Column> Columns{{"task", Side::Left}, {"size"}, {"version", Side::Left}, {"runs"}};
    if (SomeUntimed)
      Columns.push_back({"timed"});
    for (const char *Name : {"mean", "spread", "least"})
      Columns.push_back({Name});
    Table T(std::move(Columns));
    // Sizes of one task that would round to the same text are printed in bytes.
    std::map<std::pair<std::string_view, std::string>, std::set<uint64_t>> Shown;
    for (auto &[Key, Ran] : Versions)
      if (!costOf(std::get<1>(Key)))
        Shown[{std::get<0>(Key), formatBytes(std::get<1>(Key))}].insert(std::get<1>(Key));
    auto size = [&](std::string_view Task, SizeClass Bytes) {
      if (auto Cost = costOf(Bytes)) {
        char Text[48];
        std::snprintf(Text, sizeof(Text), "cost %.6g", *Cost);
        return std::string(Text);
      }
      std::string Rounded = formatBytes(Bytes);
      return Shown[{Task, Rounded}].size() > 1 ? std::to_string(Bytes) + " B" : Rounded;
    };
    for (auto &[Key, Ran] : Versions) {
      const Spread &Timed = Ran.Timed;
      std::vector<std::string> Row{std::string(std::get<0>(Key)), size(std::get<0>(Key), std::get<1>(Key)),
                                   std::string(std::get<2>(Key)), std::to_string(Timed.N + Ran.Untimed)};
      if (SomeUntimed)
        Row.push_back(std::to_string(Timed.N));
      for (double Ns : {Timed.Mean, Timed.deviation(), Timed.Least})
        Row.push_back(formatTime(Ns));
      T.add(std::move(Row));
    }
    print(T);
  }

  // Prints sizes and versions grouped by task, longest time first.
  template <class Map> void printTotals(const Map &Versions) {
    struct Total {
      std::string_view Task;
      uint64_t Runs = 0;
      double Ns = 0;
      std::set<uint64_t> Sizes;
      std::set<std::string_view> Versions;
    };
    std::map<std::string_view, Total> ByTask;
    double All = 0;
    for (auto &[Key, Ran] : Versions) {
      Total &T = ByTask[std::get<0>(Key)];
      const uint64_t Runs = Ran.Timed.N + Ran.Untimed;
      T.Task = std::get<0>(Key);
      T.Runs += Runs;
      T.Ns += static_cast<double>(Runs) * Ran.Timed.Mean;
      All += static_cast<double>(Runs) * Ran.Timed.Mean;
      T.Sizes.insert(std::get<1>(Key));
      T.Versions.insert(std::get<2>(Key));
    }
    std::vector<Total> Totals;
    for (auto &[Task, T] : ByTask)
      Totals.push_back(std::move(T));
    std::ranges::stable_sort(Totals, std::ranges::greater(), &Total::Ns);
    Table T({{"task", Side::Left}, {"runs"}, {"total"}, {"share"}, {"mean"}, {"sizes"}, {"versions"}});
    auto add = [&](std::string Name, uint64_t Runs, double Ns, size_t Sizes, size_t NumVersions) {
      T.add({std::move(Name), std::to_string(Runs), formatTime(Ns), formatShare(Ns, All),
             formatTime(Runs ? Ns / static_cast<double>(Runs) : 0), std::to_string(Sizes),
             std::to_string(NumVersions)});
    };
    const size_t Shown = Totals.size() > MostRows ? MostRows - 1 : Totals.size();
    for (size_t I = 0; I < Shown; ++I)
      add(std::string(Totals[I].Task), Totals[I].Runs, Totals[I].Ns, Totals[I].Sizes.size(), Totals[I].Versions.size());
    Total Rest;
    size_t Sizes = 0, NumVersions = 0;
    for (size_t I = Shown; I < Totals.size(); ++I) {
      Rest.Runs += Totals[I].Runs;
      Rest.Ns += Totals[I].Ns;
      Sizes += Totals[I].Sizes.size();
      NumVersions += Totals[I].Versions.size();
    }
    if (Shown < Totals.size())
      add("(" + std::to_string(Totals.size() - Shown) + " others)", Rest.Runs, Rest.Ns, Sizes, NumVersions);
    print(T);
    Print("(HSCHED_STATS=full: each size and version)");
  }

  void printWorkers(const std::map<uint32_t, WorkerStats> &Workers, double WallNs) {
    Table T({{"worker", Side::Left}, {"tasks"}, {"busy"}, {"share"}});
    for (auto &[Id, W] : Workers) {
      double BusyNs = static_cast<double>(W.Busy.total().count()) + W.UntimedNs;
      T.add({W.Name, std::to_string(W.Tasks), formatTime(BusyNs), formatShare(BusyNs, WallNs)});
    }
    print(T);
  }

  // Prints the least time of the run's tasks on its workers, by measured times.
  template <class Map, class ByWorker>
  void printBound(const Map &Versions, const ByWorker &OnWorkers, const std::map<uint32_t, WorkerStats> &Workers,
                  double WallNs) {
    std::map<std::string_view, size_t> Kinds;
    std::vector<uint64_t> Counts;
    for (auto &[Id, W] : Workers) {
      auto [It, New] = Kinds.try_emplace(W.Model, Kinds.size());
      Counts.resize(Kinds.size());
      ++Counts[It->second];
    }
    std::map<std::pair<NamedKey, size_t>, Spread> OnKinds;
    for (auto &[Key, Ran] : OnWorkers)
      OnKinds[{Key.first, Kinds.at(Workers.at(Key.second).Model)}].add(Ran);
    std::map<std::pair<std::string_view, uint64_t>, WorkClass> Classes;
    auto classOf = [&](const NamedKey &Key) -> WorkClass & {
      WorkClass &C = Classes[{std::get<0>(Key), std::get<1>(Key)}];
      C.Time.resize(Counts.size(), -1);
      return C;
    };
    for (auto &[Key, Ran] : Versions)
      classOf(Key).Tasks += Ran.Timed.N + Ran.Untimed;
    for (auto &[Key, Ran] : OnKinds)
      if (double &Time = classOf(Key.first).Time[Key.second]; Time < 0 || Ran.Mean < Time)
        Time = Ran.Mean;
    std::vector<WorkClass> Work;
    for (auto &[Key, C] : Classes)
      Work.push_back(std::move(C));
    const double Bound = std::min(areaBound(Work, Counts), WallNs);
    if (Bound <= 0)
      return;
    Print("");
    Print("the work alone takes " + formatTime(Bound) + " on these workers: " + formatShare(Bound, WallNs) +
          " of the run");
  }

  Table tableOfMoves(const char *What) {
    return Table({{What, Side::Left},
                  {"host to device"},
                  {"device to host"},
                  {"device to device"},
                  {"cache hits"},
                  {"look-ups"},
                  {"hit ratio"}});
  }

  static void addMoves(Table &T, std::string_view Name, const Moves &M) {
    auto bytes = [&](TransferKind Kind) { return formatBytes(M.Bytes[static_cast<size_t>(Kind)]); };
    T.add({std::string(Name), bytes(TransferKind::HostToDevice), bytes(TransferKind::DeviceToHost),
           bytes(TransferKind::DeviceToDevice), std::to_string(M.Hits), std::to_string(M.Lookups),
           formatShare(static_cast<double>(M.Hits), static_cast<double>(M.Lookups))});
  }

  void printMoves(const std::map<uint32_t, WorkerStats> &Workers) {
    Table Devices = tableOfMoves("device"), Tasks = tableOfMoves("moved for");
    std::map<std::string_view, Moves> ByTask;
    Moves Else;
    for (auto &[Id, W] : Workers) {
      if (!W.IsDevice)
        continue;
      Moves All;
      for (auto &[Task, M] : W.MovedFor) {
        All.add(M);
        (Task ? ByTask[Task] : Else).add(M);
      }
      addMoves(Devices, W.Name, All);
    }
    for (auto &[Task, M] : ByTask)
      addMoves(Tasks, Task, M);
    if (!ByTask.empty() && Else.Bytes != Moves().Bytes)
      addMoves(Tasks, "(no task)", Else);
    print(Devices);
    print(Tasks);
  }

  static constexpr size_t MostRows = 24; // Limit of a table of tasks, so that all fits a screen.
  std::function<void(const std::string &)> Print;
  const bool Full;
  Shards<Collected> Parts; // By worker.
};

} // namespace

std::unique_ptr<Observer> makeStatistics(std::function<void(const std::string &)> Print, bool Full) {
  return std::make_unique<Statistics>(std::move(Print), Full);
}

} // namespace hsched::rt
