// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "virtual/RecordedMachine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>

namespace hsched::rt::virt {

using record::Ns;
using record::Record;
using record::Task;

namespace {

bool ran(const Task &T) { return !T.Version.empty() && T.How == record::TaskOutcome::Done; }

template <class T> T medianOf(std::vector<T> All) {
  auto Middle = All.begin() + static_cast<ptrdiff_t>(All.size() / 2);
  std::ranges::nth_element(All, Middle);
  return *Middle;
}

// Tasks that ran, by worker, in order of their begin.
std::vector<std::vector<const Task *>> byWorker(const Record &R) {
  std::vector<std::vector<const Task *>> Of(R.Workers.size());
  for (const Task &T : R.Tasks)
    if (ran(T))
      Of[T.Worker].push_back(&T);
  for (auto &Each : Of)
    std::ranges::stable_sort(Each, {}, &Task::Begin);
  return Of;
}

} // namespace

Ns setUpOf(const Record &R, const std::string &Model) {
  Ns Chosen = std::numeric_limits<Ns>::max(), Began = Chosen;
  for (const Task &T : R.Tasks)
    if (ran(T) && R.Workers[T.Worker].Model == Model) {
      Began = std::min(Began, T.Begin);
      Chosen = std::min(Chosen, T.Choices.empty() ? T.Begin : T.Choices.back().At);
    }
  for (const record::Transfer &T : R.Transfers)
    if (R.Workers[T.Worker].Model == Model && T.Kind != "to host")
      Began = std::min(Began, T.Begin);
  return std::max<Ns>(0, Began - Chosen);
}

std::optional<Ns> beforeTransfersOf(const Record &R, uint32_t Worker) {
  struct Command {
    Ns Begin, End;
    bool Moves;
  };
  std::vector<Command> All;
  for (const Task &T : R.Tasks)
    if (ran(T) && T.Worker == Worker)
      All.push_back({T.Begin, T.End, false});
  for (const record::Transfer &T : R.Transfers)
    if (T.Worker == Worker)
      All.push_back({T.Begin, T.End, true});
  std::ranges::stable_sort(All, {}, &Command::Begin);
  std::vector<Ns> Gaps;
  for (size_t I = 1; I < All.size(); ++I)
    if (All[I].Moves && All[I].Begin >= All[I - 1].End)
      Gaps.push_back(All[I].Begin - All[I - 1].End);
  if (Gaps.size() < 8)
    return {};
  return medianOf(std::move(Gaps));
}

StartTimes startTimesOf(const Record &R, const std::string &Model) {
  std::unordered_map<uint64_t, Ns> Ready; // When the task's data had arrived and its predecessors had ended.
  std::unordered_map<uint64_t, const Task *> ById;
  for (const Task &T : R.Tasks)
    ById[T.Id] = &T;
  for (const record::Transfer &T : R.Transfers)
    if (T.For)
      Ready[T.For] = std::max(Ready[T.For], T.End);
  std::vector<Ns> Gaps, Delays;
  const auto Of = byWorker(R);
  for (uint32_t W = 0; W < R.Workers.size(); ++W)
    if (R.Workers[W].Model == Model)
      for (size_t I = 1; I < Of[W].size(); ++I) {
        const Task &T = *Of[W][I];
        Ns Possible = std::max(T.Submitted, Ready[T.Id]);
        for (uint64_t From : T.After)
          if (auto It = ById.find(From); It != ById.end())
            Possible = std::max(Possible, It->second->End);
        const Ns Last = Of[W][I - 1]->End;
        if (T.Begin >= std::max(Last, Possible))
          (Possible <= Last ? Gaps : Delays).push_back(T.Begin - std::max(Last, Possible));
      }
  auto usual = [](std::vector<Ns> All) { return All.size() < 8 ? 0 : medianOf(std::move(All)); };
  return {usual(std::move(Gaps)), usual(std::move(Delays))};
}

double rateOf(const Record &R, uint32_t Worker, bool ToHost) {
  double Bytes = 0, Took = 0;
  for (const record::Transfer &T : R.Transfers)
    if (T.Worker == Worker && T.Kind == (ToHost ? "to host" : "to device")) {
      Bytes += static_cast<double>(T.Bytes);
      Took += static_cast<double>(T.End - T.Begin);
    }
  return Bytes >= 1 << 20 && Took > 0 ? Bytes / Took * 1e9 : 0;
}

std::vector<Ns> runTimes(const Record &R) {
  std::vector<Ns> Took(R.Tasks.size(), 0);
  std::vector<std::vector<size_t>> Of(R.Workers.size());
  for (size_t I = 0; I < R.Tasks.size(); ++I)
    if (const Task &T = R.Tasks[I]; ran(T)) {
      Took[I] = T.End - T.Begin;
      if (R.Workers[T.Worker].isDevice())
        Of[T.Worker].push_back(I);
    }
  for (std::vector<size_t> &All : Of) {
    std::ranges::stable_sort(All, {}, [&](size_t I) { return std::pair(R.Tasks[I].End, R.Tasks[I].Begin); });
    Ns Last = std::numeric_limits<Ns>::min();
    for (size_t I : All) {
      const Task &T = R.Tasks[I];
      Took[I] = T.End - std::max(T.Begin, Last);
      Last = T.End;
    }
  }
  return Took;
}

bool sentHomeEarly(const Record &R) {
  auto Ran = byWorker(R);
  for (auto &Of : Ran)
    std::ranges::sort(Of, {}, &Task::End);
  std::vector<const record::Transfer *> Home;
  for (const record::Transfer &T : R.Transfers)
    if (!T.For && T.Kind == "to host")
      Home.push_back(&T);
  std::ranges::sort(Home, {}, &record::Transfer::Begin);
  size_t Early = 0;
  for (const record::Wait &W : R.Waits) {
    if (W.Within || !W.Flush || !W.Sections.empty())
      continue;
    for (auto It = std::ranges::lower_bound(Home, W.Begin, {}, &record::Transfer::Begin);
         It != Home.end() && (*It)->Begin < W.End; ++It) {
      const auto &Of = Ran[(*It)->Worker];
      const auto After = std::ranges::upper_bound(Of, (*It)->Begin, {}, &Task::End);
      Early += After != Of.end() && (*After)->End <= W.End;
    }
  }
  return Early > R.Evictions.size();
}

std::map<size_t, Ns> firstRuns(const Record &R, const std::vector<Ns> &RunTimes) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<size_t>> Of;
  for (size_t I = 0; I < R.Tasks.size(); ++I)
    if (const Task &T = R.Tasks[I]; ran(T) && R.Workers[T.Worker].isDevice())
      Of[{T.Type, T.Version, R.Workers[T.Worker].Model}].push_back(I);
  std::map<size_t, Ns> Found;
  auto size = [](const Task &T) { return T.Cost > 0 ? T.Cost : static_cast<double>(T.Bytes) + 1; };
  for (auto &[Unused, All] : Of) {
    std::ranges::stable_sort(All, {}, [&](size_t I) { return R.Tasks[I].Begin; });
    const Task &First = R.Tasks[All[0]];
    std::vector<double> Later;
    for (size_t I : All)
      if (const Task &T = R.Tasks[I]; I != All[0])
        Later.push_back(static_cast<double>(RunTimes[I]) * size(First) / size(T));
    if (Later.empty())
      continue;
    const Ns Usual = std::llround(medianOf(std::move(Later))), Took = RunTimes[All[0]];
    if (Took > Usual + Usual / 2)
      Found[All[0]] = Took - Usual;
  }
  return Found;
}

} // namespace hsched::rt::virt
