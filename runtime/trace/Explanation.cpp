// Why each task ran where it did: candidates with predictions, the choice, what happened.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Log.h"
#include "trace/Shards.h"
#include "trace/Writers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hsched::rt {
namespace {

struct Decision {
  TaskId Id;
  TimePoint At;
  uint32_t Worker;
  const char *Version;
  const char *Why;
  std::vector<CandidateRecord> Candidates;
};

struct Run {
  RunRecord Record; // Label dangles: see OwnLabel
  std::string OwnLabel;
};

struct Collected {
  std::vector<RowRecord> Rows;
  std::vector<Decision> Decisions;
  std::vector<Run> Runs;
};

class Explanation final : public Observer {
public:
  Explanation(std::string Path, std::ofstream File) : Path(std::move(Path)), File(std::move(File)) {}

  bool wantsDecisions() const override { return true; }
  void rowAdded(const RowRecord &R) override {
    Parts.withOwn([&](Collected &C) { C.Rows.push_back(R); });
  }
  void decided(const DecisionRecord &R) override {
    Decision D{R.Id, R.At, R.Worker, R.Version, R.Why, {R.Candidates.begin(), R.Candidates.end()}};
    Parts.withOwn([&](Collected &C) { C.Decisions.push_back(std::move(D)); });
  }
  void ran(const RunRecord &R) override {
    std::string Label = R.Label ? R.Label : "";
    Parts.withOwn([&](Collected &C) { C.Runs.push_back({R, std::move(Label)}); });
  }

  // One task a line, in order of submission.
  void finished() override {
    if (!File.is_open())
      return;
    gather();
    File << R"({"format":"hsched-explain","version":1,"tasks":[)";
    const char *Between = "\n";
    for (const Run &R : All.Runs) {
      File << std::exchange(Between, ",\n")
           << describe(R).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    File << "\n]}\n";
    File.close();
    if (!File)
      log(LogLevel::Warning, "the explanation %s is incomplete", Path.c_str());
  }

private:
  using Json = nlohmann::ordered_json;

  void gather() {
    Parts.forEach([&](Collected &C) {
      moveAll(C.Rows, All.Rows);
      moveAll(C.Decisions, All.Decisions);
      moveAll(C.Runs, All.Runs);
    });
    std::ranges::stable_sort(All.Runs, {}, [](const Run &R) { return R.Record.Id; });
    // A choice that is made anew comes later.
    std::ranges::stable_sort(All.Decisions, {}, [](const Decision &D) { return std::pair(D.Id, D.At); });
    for (const RowRecord &R : All.Rows)
      if (R.Kind == RowKind::CpuWorker || R.Kind == RowKind::DeviceCompute) {
        std::string Name = R.Name;
        if (R.Kind == RowKind::DeviceCompute) // less " queue 0"
          if (size_t End = Name.rfind(" queue "); End != std::string::npos)
            Name.resize(End);
        WorkerNames.try_emplace(R.Worker, std::move(Name));
      }
    Origin = TimePoint::max();
    for (const Run &R : All.Runs)
      Origin = std::min(Origin, R.Record.Ran.Begin);
    for (const Decision &D : All.Decisions)
      Origin = std::min(Origin, D.At);
  }

  static double us(Duration D) { return static_cast<double>(D.count()) / 1e3; }
  std::string nameOf(uint32_t Worker) const {
    auto It = WorkerNames.find(Worker);
    return It == WorkerNames.end() ? "worker " + std::to_string(Worker) : It->second;
  }

  Json describe(const Run &R) const {
    const RunRecord &Ran = R.Record;
    Json T{{"id", Ran.Id}, {"task", Ran.Task ? Ran.Task : ""}, {"label", R.OwnLabel}, {"bytes", Ran.DataBytes}};
    Json Choices = Json::array();
    auto Begin = std::ranges::lower_bound(All.Decisions, Ran.Id, {}, &Decision::Id);
    for (auto D = Begin; D != All.Decisions.end() && D->Id == Ran.Id; ++D) {
      Json C{{"at_us", us(D->At - Origin)}, {"worker", nameOf(D->Worker)}, {"version", D->Version}, {"why", D->Why}};
      Json Candidates = Json::array();
      for (const CandidateRecord &K : D->Candidates)
        Candidates.push_back({{"worker", nameOf(K.Worker)},
                              {"version", K.Version},
                              {"run_us", K.Runs ? Json(us(K.Run)) : Json()},
                              {"runs", K.Runs},
                              {"transfer_us", us(K.Transfer)},
                              {"wait_us", us(K.Wait)}});
      C["candidates"] = std::move(Candidates);
      Choices.push_back(std::move(C));
    }
    T["choices"] = std::move(Choices); // empty: it ran where it was submitted, or with no choice
    static constexpr const char *Outcomes[] = {"done", "failed", "cancelled"};
    T["ran"] = {{"worker", nameOf(Ran.Worker)},
                {"version", Ran.Version ? Json(Ran.Version) : Json()},
                {"begin_us", us(Ran.Ran.Begin - Origin)},
                {"end_us", us(Ran.Ran.End - Origin)},
                {"outcome", Outcomes[static_cast<unsigned>(Ran.How)]}};
    return T;
  }

  std::string Path;
  std::ofstream File;
  Shards<Collected> Parts;
  Collected All; // finished() only, as the rest
  std::unordered_map<uint32_t, std::string> WorkerNames;
  TimePoint Origin{};
};

} // namespace

std::unique_ptr<Observer> makeExplanation(std::string Path) {
  std::ofstream File(Path);
  if (!File) {
    log(LogLevel::Warning, "no explanation will be written to %s: %s", Path.c_str(), std::strerror(errno));
    return nullptr;
  }
  return std::make_unique<Explanation>(std::move(Path), std::move(File));
}

} // namespace hsched::rt
