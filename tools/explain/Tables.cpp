// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explain/Tables.h"
#include "trace/Table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace hsched::explain {
namespace {

using namespace rt::record;
using rt::formatBytes;
using rt::formatShare;
using rt::Table;

std::string time(Ns T) { return rt::formatTime(static_cast<double>(T)); }
std::string share(Ns Part, Ns Whole) { return formatShare(static_cast<double>(Part), static_cast<double>(Whole)); }

std::string laidOut(const Table &T) {
  std::string Text;
  T.print([&](const std::string &Line) { Text += Line + "\n"; });
  return Text;
}

std::string percent(double Part) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), "%.1f %%", 100 * Part);
  return Text;
}

std::vector<size_t> byRegret(const Assessment &A, unsigned Most) {
  std::vector<size_t> All;
  for (size_t I = 0; I < A.Tasks.size(); ++I)
    if (A.Tasks[I].Is && A.Tasks[I].Regret > 0)
      All.push_back(I);
  std::ranges::stable_sort(All, std::greater(), [&](size_t I) { return A.Tasks[I].Regret; });
  All.resize(std::min<size_t>(All.size(), Most));
  return All;
}

std::string of(const Candidate &C, const Record &R) { return C.Version + " on " + R.Workers[C.Worker].Name; }

} // namespace

std::string summary(const Record &R, const Assessment &A, unsigned Most) {
  std::string Text = verdict(A, R) + "\n";
  if (A.Makespan <= 0)
    return Text;
  const Ns Lost = A.Makespan - A.oracle();
  Text += "Lost against the bounds: " + time(Lost) + ", " + share(Lost, A.oracle()) + " of what was needed.\n\n";
  using Side = Table::Align;
  Table Types({{"task", Side::Left},
               {"tasks"},
               {"choices"},
               {"ran for"},
               {"regret"},
               {"of that"},
               {"exploring"},
               {"predictions off by"}});
  auto add = [&](const std::string &Name, const TypeRegret &T) {
    Types.add({Name, std::to_string(T.Tasks), std::to_string(T.Judged), time(T.Ran), time(T.Regret),
               share(T.Regret, T.Ran), time(T.Exploration), T.Predicted ? percent(T.MedianError) : "-"});
  };
  for (const TypeRegret &T : A.Types)
    add(T.Type, T);
  if (A.Types.size() > 1)
    add("all", A.Whole);
  Text += laidOut(Types);
  const std::vector<size_t> Worst = byRegret(A, Most);
  if (Worst.empty())
    return Text + "\nLooking back, no choice was wrong.\n";
  Table Tasks({{"regret"},
               {"task"},
               {"name", Side::Left},
               {"ran as", Side::Left},
               {"better", Side::Left},
               {"reason", Side::Left}});
  for (size_t I : Worst) {
    const Task &T = R.Tasks[I];
    const Choice &C = T.Choices.back();
    Tasks.add({time(A.Tasks[I].Regret), std::to_string(T.Id), T.Label.empty() ? T.Type : T.Label,
               T.Version + " on " + R.Workers[T.Worker].Name, of(C.Candidates[A.Tasks[I].Best], R), C.Why});
  }
  return Text + "\n" + laidOut(Tasks);
}

std::string task(const Record &R, const Assessment &A, size_t I) {
  const Task &T = R.Tasks[I];
  std::string Text = whyHere(A, R, I) + "\n";
  if (T.Choices.empty() || T.Choices.back().Candidates.empty())
    return Text;
  using Side = Table::Align;
  Table Candidates(
      {{"candidate", Side::Left}, {"wait"}, {"transfers"}, {"work"}, {"runs"}, {"ends"}, {"looking back"}});
  const Choice &C = T.Choices.back();
  for (size_t K = 0; K < C.Candidates.size(); ++K) {
    const Candidate &Each = C.Candidates[K];
    const bool Chosen = Each.Worker == C.Worker && Each.Version == C.Version;
    const Ns Back = K < A.Tasks[I].Run.size() ? A.Tasks[I].Run[K] : -1;
    Candidates.add({of(Each, R) + (Chosen ? " (chosen)" : ""), time(Each.Wait), time(Each.Transfer),
                    Each.Runs ? time(Each.Run) : "?", std::to_string(Each.Runs), Each.Runs ? time(endOf(Each, R)) : "?",
                    Back < 0 ? "?" : time(endOf(Each, R, Back))});
  }
  return Text + "\n" + laidOut(Candidates);
}

std::string json(const Record &R, const Assessment &A, unsigned Most) {
  using Json = nlohmann::ordered_json;
  auto seconds = [](Ns T) { return static_cast<double>(T) / 1e9; };
  auto type = [&](const TypeRegret &T) {
    return Json{{"tasks", T.Tasks},
                {"choices", T.Judged},
                {"ran_s", seconds(T.Ran)},
                {"regret_s", seconds(T.Regret)},
                {"explored", T.Explored},
                {"exploring_s", seconds(T.Exploration)},
                {"median_error", T.Predicted ? Json(T.MedianError) : Json()}};
  };
  static constexpr const char *Blames[] = {"nothing", "work", "critical path", "links", "choices", "program", "idle"};
  Json J{{"verdict", verdict(A, R)},
         {"limit", Blames[static_cast<size_t>(A.To)]},
         {"time_s", seconds(A.Makespan)},
         {"area_s", seconds(A.Area)},
         {"critical_path_s", seconds(A.CriticalPath)},
         {"busiest_link_s", seconds(A.Links)},
         {"busy", A.Busy},
         {"nothing_ran_s", seconds(A.HostOnly)},
         {"all", type(A.Whole)}};
  J["types"] = Json::object();
  for (const TypeRegret &T : A.Types)
    J["types"][T.Type] = type(T);
  J["regrets"] = Json::array();
  for (size_t I : byRegret(A, Most))
    J["regrets"].push_back(
        {{"id", R.Tasks[I].Id}, {"regret_s", seconds(A.Tasks[I].Regret)}, {"why", whyHere(A, R, I)}});
  return J.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace hsched::explain
