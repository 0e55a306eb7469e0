// The observer that makes a Record of a run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Log.h"
#include "trace/Assessment.h"
#include "trace/LaunchLog.h"
#include "trace/Record.h"
#include "trace/Shards.h"
#include "trace/Writers.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <unordered_map>
#include <utility>

namespace hsched::rt {
namespace {

using namespace record;

struct Submitted {
  SubmitRecord Record; // Label, Modes and Sections are dangling: see the copies.
  std::string Label;
  std::vector<hsched_access> Sections;
};

struct Decided {
  TaskId Id;
  TimePoint At;
  uint32_t Worker;
  const char *Version, *Why;
  std::vector<CandidateRecord> Candidates;
};

struct Ran {
  RunRecord Record; // Label is dangling.
  std::string Label;
};

struct Waited {
  WaitRecord Record; // Sections are dangling.
  std::vector<hsched_access> Sections;
};

struct Collected {
  std::vector<RowRecord> Rows;
  std::vector<Submitted> Tasks;
  std::vector<std::pair<TaskId, TaskId>> Edges;
  std::vector<Decided> Decisions;
  std::vector<Ran> Runs;
  std::vector<TransferRecord> Transfers;
  std::vector<EvictionRecord> Evictions;
  std::vector<Waited> Waits;
};

// Overlapping ranges form one datum.
class DataTable {
public:
  void note(const hsched_access &A) {
    if (A.bytes && A.rows)
      Ranges.emplace_back(begin(A), end(A));
  }
  bool find(uintptr_t Address, uint32_t &Datum, uint64_t &From) const {
    auto It = std::ranges::upper_bound(Ranges, Address, {}, &std::pair<uintptr_t, uintptr_t>::first);
    if (It == Ranges.begin() || Address >= std::prev(It)->second)
      return false;
    Datum = static_cast<uint32_t>(It - Ranges.begin() - 1);
    From = Address - std::prev(It)->first;
    return true;
  }
  std::vector<uint64_t> settle() {
    std::ranges::sort(Ranges);
    std::vector<std::pair<uintptr_t, uintptr_t>> Merged;
    for (const auto &R : Ranges)
      if (!Merged.empty() && R.first < Merged.back().second)
        Merged.back().second = std::max(Merged.back().second, R.second);
      else
        Merged.push_back(R);
    Ranges = std::move(Merged);
    std::vector<uint64_t> Bytes;
    for (const auto &[From, To] : Ranges)
      Bytes.push_back(To - From);
    return Bytes;
  }
  std::vector<Section> sections(const std::vector<hsched_access> &All) const {
    static const char *const Modes[] = {"", "in", "out", "inout", "concurrent", "commutative", "reduction"};
    std::vector<Section> Out;
    for (const hsched_access &A : All) {
      if (!A.bytes || !A.rows)
        continue;
      auto It = std::prev(std::ranges::upper_bound(Ranges, begin(A), {}, &std::pair<uintptr_t, uintptr_t>::first));
      Out.push_back({static_cast<uint32_t>(It - Ranges.begin()), A.mode < std::size(Modes) ? Modes[A.mode] : "inout",
                     begin(A) - It->first, A.bytes, A.rows, A.rows > 1 ? A.stride : 0});
    }
    return Out;
  }
  // The sections of R, a transfer or eviction: a range may span several data, and gaps between them.
  template <class Of> std::vector<Section> pieces(const Of &R) const {
    std::vector<Section> Out;
    const uint64_t Row = R.Rows ? R.Bytes / R.Rows : 0;
    if (!Row)
      return Out;
    const uintptr_t End = R.Begin + (R.Rows - 1) * R.Stride + Row;
    auto It = std::ranges::upper_bound(Ranges, R.Begin, {}, &std::pair<uintptr_t, uintptr_t>::first);
    if (It != Ranges.begin() && std::prev(It)->second > R.Begin)
      --It;
    for (; It != Ranges.end() && It->first < End; ++It) {
      const auto Datum = static_cast<uint32_t>(It - Ranges.begin());
      if (R.Rows > 1) { // Several rows belong to a tile, which is in one datum.
        if (It->first <= R.Begin && End <= It->second)
          Out.push_back({Datum, "", R.Begin - It->first, Row, R.Rows, R.Stride});
        continue;
      }
      const uintptr_t From = std::max(R.Begin, It->first);
      Out.push_back({Datum, "", From - It->first, std::min(End, It->second) - From, 1, 0});
    }
    return Out;
  }

private:
  static uintptr_t begin(const hsched_access &A) { return reinterpret_cast<uintptr_t>(A.base); }
  static uintptr_t end(const hsched_access &A) { return begin(A) + (A.rows - 1) * A.stride + A.bytes; }
  std::vector<std::pair<uintptr_t, uintptr_t>> Ranges;
};

class Recorder final : public Observer {
public:
  Recorder(std::string Path, std::ofstream File, bool Whole, std::string Policy,
           std::function<void(const std::string &)> Print, std::string Contents)
      : Path(std::move(Path)), File(std::move(File)), Whole(Whole), Policy(std::move(Policy)), Print(std::move(Print)),
        Launches(std::move(Contents)) {}

  bool wantsDecisions() const override { return true; }
  bool wantsLaunches() const override { return Whole; }
  void launching(const LaunchRecord &R) override { Launches.add(R); }
  void rowAdded(const RowRecord &R) override {
    Parts.withOwn([&](Collected &C) { C.Rows.push_back(R); });
  }
  void submitted(const SubmitRecord &R) override {
    Submitted S{R, R.Label ? R.Label : "", {}};
    if (Whole)
      S.Sections.assign(R.Sections.begin(), R.Sections.end());
    Parts.withOwn([&](Collected &C) { C.Tasks.push_back(std::move(S)); });
  }
  void dependence(TaskId From, TaskId To) override {
    Parts.withOwn([&](Collected &C) { C.Edges.emplace_back(To, From); });
  }
  void decided(const DecisionRecord &R) override {
    Decided D{R.Id, R.At, R.Worker, R.Version, R.Why, {R.Candidates.begin(), R.Candidates.end()}};
    Parts.withOwn([&](Collected &C) { C.Decisions.push_back(std::move(D)); });
  }
  void ran(const RunRecord &R) override {
    std::string Label = R.Label ? R.Label : "";
    Parts.withOwn([&](Collected &C) { C.Runs.push_back({R, std::move(Label)}); });
  }
  void transferred(const TransferRecord &R) override {
    Parts.withOwn([&](Collected &C) { C.Transfers.push_back(R); });
  }
  void evicted(const EvictionRecord &R) override {
    Parts.withOwn([&](Collected &C) { C.Evictions.push_back(R); });
  }
  void waited(const WaitRecord &R) override {
    Waited W{R, {}};
    if (Whole)
      W.Sections.assign(R.Sections.begin(), R.Sections.end());
    Parts.withOwn([&](Collected &C) { C.Waits.push_back(std::move(W)); });
  }
  void linkMeasured(const LinkRecord &R) override { Links[R.Worker] = R; }

  void finished() override {
    Record R = build();
    if (File.is_open()) {
      const bool Written = writeRecord(File, R);
      File.close();
      if (!Written || !File)
        log(LogLevel::Warning, "the record %s is incomplete", Path.c_str());
    }
    if (Print)
      for (const std::string &Line : shortly(assess(R), R))
        Print(Line);
  }

private:
  Ns since(TimePoint T) const { return (T - Origin).count(); }

  Record build() {
    Collected All;
    Parts.forEach([&](Collected &C) {
      moveAll(C.Rows, All.Rows);
      moveAll(C.Tasks, All.Tasks);
      moveAll(C.Edges, All.Edges);
      moveAll(C.Decisions, All.Decisions);
      moveAll(C.Runs, All.Runs);
      moveAll(C.Transfers, All.Transfers);
      moveAll(C.Evictions, All.Evictions);
      moveAll(C.Waits, All.Waits);
    });
    // Sorted, so the file does not depend on which threads reported.
    std::ranges::stable_sort(All.Tasks, {}, [](const Submitted &S) { return S.Record.Id; });
    std::ranges::sort(All.Edges);
    All.Edges.erase(std::unique(All.Edges.begin(), All.Edges.end()), All.Edges.end());
    // A repeated choice comes later.
    std::ranges::stable_sort(All.Decisions, {}, [](const Decided &D) { return std::pair(D.Id, D.At); });
    std::ranges::stable_sort(All.Transfers, {}, [](const TransferRecord &T) { return T.Ran.Begin; });
    std::ranges::stable_sort(All.Evictions, {}, &EvictionRecord::At);
    std::ranges::stable_sort(All.Waits, {}, [](const Waited &W) { return W.Record.Waited.Begin; });
    findOrigin(All);
    Record R;
    R.Policy = Policy;
    R.Whole = Whole;
    addWorkers(All, R);
    addTasks(All, R);
    for (const TransferRecord &T : All.Transfers)
      R.Transfers.push_back({kindName(T.Kind), T.Worker, T.For, T.Bytes, since(T.Ran.Begin), since(T.Ran.End), {}});
    for (const EvictionRecord &E : All.Evictions)
      R.Evictions.push_back({E.Worker, since(E.At), E.Bytes, {}});
    const auto Ids = All.Waits.empty() ? std::vector<std::pair<Ns, uint64_t>>() : idsOverTime(R);
    for (const Waited &W : All.Waits) {
      const Ns Begin = since(W.Record.Waited.Begin);
      auto Behind = std::ranges::upper_bound(Ids, Begin, {}, &std::pair<Ns, uint64_t>::first);
      R.Waits.push_back({W.Record.Within,
                         Behind == Ids.begin() ? 0 : std::prev(Behind)->second,
                         Begin,
                         since(W.Record.Waited.End),
                         W.Record.Flush,
                         {}});
    }
    if (Whole)
      addSections(All, R);
    return R;
  }

  void findOrigin(const Collected &All) {
    Origin = TimePoint::max();
    for (const Submitted &S : All.Tasks)
      Origin = std::min(Origin, S.Record.At);
    for (const Ran &Each : All.Runs)
      Origin = std::min(Origin, Each.Record.Ran.Begin);
    for (const TransferRecord &T : All.Transfers)
      Origin = std::min(Origin, T.Ran.Begin);
    for (const Waited &W : All.Waits)
      Origin = std::min(Origin, W.Record.Waited.Begin);
    for (const Decided &D : All.Decisions)
      Origin = std::min(Origin, D.At);
  }

  void addWorkers(const Collected &All, Record &R) const {
    auto of = [&](uint32_t Id) -> Worker & {
      while (R.Workers.size() <= Id) {
        Worker &New = R.Workers.emplace_back();
        New.Id = static_cast<uint32_t>(R.Workers.size() - 1);
        New.Name = "worker " + std::to_string(New.Id);
        New.Type = New.Model = "cpu";
      }
      return R.Workers[Id];
    };
    for (const RowRecord &Row : All.Rows) {
      if (Row.Kind != RowKind::CpuWorker && Row.Kind != RowKind::DeviceCompute)
        continue;
      Worker &W = of(Row.Worker);
      W.Name = Row.Name;
      if (Row.Kind == RowKind::DeviceCompute) // Without " queue 0".
        if (size_t End = W.Name.rfind(" queue "); End != std::string::npos)
          W.Name.resize(End);
      W.Type = Row.Type;
      W.Model = Row.Model.empty() ? (Row.Kind == RowKind::CpuWorker ? "cpu" : W.Name) : Row.Model;
      W.HasMemory = Row.Memory != 0;
    }
    for (const Ran &Each : All.Runs)
      (void)of(Each.Record.Worker);
    for (const Decided &D : All.Decisions) {
      (void)of(D.Worker);
      for (const CandidateRecord &C : D.Candidates)
        (void)of(C.Worker);
    }
    for (const TransferRecord &T : All.Transfers)
      (void)of(T.Worker);
    for (const EvictionRecord &E : All.Evictions)
      (void)of(E.Worker);
    for (const auto &[Id, L] : Links)
      if (Id < R.Workers.size()) {
        R.Workers[Id].ToDevice = Link{L.ToDevice.LatencyNs, L.ToDevice.BytesPerSecond};
        R.Workers[Id].ToHost = Link{L.ToHost.LatencyNs, L.ToHost.BytesPerSecond};
      }
  }

  void addTasks(const Collected &All, Record &R) const {
    std::unordered_map<TaskId, size_t> At;
    auto of = [&](TaskId Id) -> Task & {
      auto [It, New] = At.try_emplace(Id, R.Tasks.size());
      if (New)
        R.Tasks.emplace_back().Id = Id;
      return R.Tasks[It->second];
    };
    for (const Submitted &S : All.Tasks) {
      Task &T = of(S.Record.Id);
      T.Parent = S.Record.Parent;
      T.Type = S.Record.Task ? S.Record.Task : "";
      T.Label = S.Label;
      T.Bytes = S.Record.DataBytes;
      T.Cost = S.Record.Cost;
      T.Priority = S.Record.Priority;
      T.Submitted = since(S.Record.At);
    }
    for (const Ran &Each : All.Runs) {
      const RunRecord &Run = Each.Record;
      Task &T = of(Run.Id);
      T.Type = Run.Task ? Run.Task : "";
      T.Label = Each.Label;
      T.Bytes = Run.DataBytes;
      T.Cost = Run.Cost;
      T.Worker = Run.Worker;
      T.Version = Run.Version ? Run.Version : "";
      T.Begin = since(Run.Ran.Begin);
      T.End = since(Run.Ran.End);
      T.How = static_cast<TaskOutcome>(Run.How);
    }
    std::ranges::stable_sort(R.Tasks, {}, &Task::Id);
    auto find = [&](TaskId Id) -> Task * {
      auto It = std::ranges::lower_bound(R.Tasks, Id, {}, &Task::Id);
      return It != R.Tasks.end() && It->Id == Id ? &*It : nullptr;
    };
    for (auto [To, From] : All.Edges)
      if (Task *T = find(To))
        T->After.push_back(From);
    for (const Decided &D : All.Decisions)
      if (Task *T = find(D.Id))
        T->Choices.push_back(choice(D, R));
  }

  // Keeps for each kind of worker the candidate with the earliest predicted end.
  Choice choice(const Decided &D, const Record &R) const {
    Choice C{since(D.At), D.Worker, D.Version, D.Why, {}};
    std::map<std::pair<std::string_view, std::string_view>, size_t> Best; // By version and model.
    for (const CandidateRecord &K : D.Candidates) {
      const Candidate New{K.Worker, K.Version, K.Run.count(), K.Runs, K.Transfer.count(), K.Wait.count()};
      if (K.Worker == D.Worker && C.Version == K.Version) {
        C.Candidates.push_back(New);
        continue;
      }
      auto [It, First] = Best.try_emplace({K.Version, R.Workers[K.Worker].Model}, C.Candidates.size());
      if (First)
        C.Candidates.push_back(New);
      else if (Candidate &Old = C.Candidates[It->second]; endOf(New, R) < endOf(Old, R))
        Old = New;
    }
    return C;
  }

  void addSections(const Collected &All, Record &R) {
    DataTable Table;
    for (const Submitted &S : All.Tasks)
      std::ranges::for_each(S.Sections, [&](const hsched_access &A) { Table.note(A); });
    for (const Waited &W : All.Waits)
      std::ranges::for_each(W.Sections, [&](const hsched_access &A) { Table.note(A); });
    R.Data = Table.settle();
    auto T = R.Tasks.begin();
    for (const Submitted &S : All.Tasks) {
      while (T->Id < S.Record.Id)
        ++T;
      T->Sections = Table.sections(S.Sections);
    }
    for (size_t I = 0; I < All.Waits.size(); ++I)
      R.Waits[I].Sections = Table.sections(All.Waits[I].Sections);
    for (size_t I = 0; I < All.Transfers.size(); ++I)
      R.Transfers[I].Moved = Table.pieces(All.Transfers[I]);
    for (size_t I = 0; I < All.Evictions.size(); ++I)
      R.Evictions[I].Dropped = Table.pieces(All.Evictions[I]);
    auto Where = [&](uintptr_t At, uint32_t &Datum, uint64_t &From) { return Table.find(At, Datum, From); };
    if (!Launches.finish(R, Where))
      log(LogLevel::Warning, "what data began as was not all written to %s", R.Contents.c_str());
  }

  // By time: the highest id submitted so far.
  static std::vector<std::pair<Ns, uint64_t>> idsOverTime(const Record &R) {
    std::vector<std::pair<Ns, uint64_t>> All;
    for (const Task &T : R.Tasks)
      All.emplace_back(T.Submitted, T.Id);
    std::ranges::sort(All);
    for (size_t I = 1; I < All.size(); ++I)
      All[I].second = std::max(All[I].second, All[I - 1].second);
    return All;
  }

  static const char *kindName(TransferKind K) {
    static constexpr const char *Names[] = {"to device", "to host", "between devices", "within device"};
    return Names[static_cast<size_t>(K)];
  }

  std::string Path;
  std::ofstream File;
  const bool Whole;
  const std::string Policy;
  std::function<void(const std::string &)> Print;
  Shards<Collected> Parts;
  LaunchLog Launches;
  std::map<uint32_t, LinkRecord> Links;
  TimePoint Origin{};
};

} // namespace

std::unique_ptr<Observer> makeRecorder(std::string Path, bool Whole, std::string Policy,
                                       std::function<void(const std::string &)> Print, std::string Contents) {
  std::ofstream File;
  if (!Path.empty())
    File.open(Path);
  if (!Path.empty() && !File) {
    log(LogLevel::Warning, "no record will be written to %s: %s", Path.c_str(), std::strerror(errno));
    return nullptr;
  }
  return std::make_unique<Recorder>(std::move(Path), std::move(File), Whole, std::move(Policy), std::move(Print),
                                    std::move(Contents));
}

} // namespace hsched::rt
