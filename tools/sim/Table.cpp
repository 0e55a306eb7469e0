// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/Table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace hsched::sim {
namespace {

using namespace rt;

double seconds(Duration D) { return static_cast<double>(D.count()) / 1e9; }

std::string number(double Value, int Digits) {
  char Text[64];
  std::snprintf(Text, sizeof(Text), "%.*f", Digits, Value);
  return Text;
}

double share(Duration Part, Duration Whole, size_t Workers) {
  return Whole > Duration(0) && Workers ? seconds(Part) / seconds(Whole) / static_cast<double>(Workers) : 0;
}

// Busy time of the workers with their own memory, or of the others, divided by their total time.
double utilisation(const virt::SimulationResult &R, const virt::PlatformModel &P, bool Devices) {
  Duration Busy{0};
  size_t Workers = 0;
  for (size_t W = 0; W < R.Busy.size(); ++W)
    if ((P.Kinds[P.Workers[W].Kind].MemoryBytes != 0) == Devices) {
      Busy += R.Busy[W];
      ++Workers;
    }
  return share(Busy, R.Makespan, Workers);
}

std::string pad(const std::string &Text, size_t Width, bool Left) {
  const std::string Blanks(Width - std::min(Width, Text.size()), ' ');
  return Left ? Text + Blanks : Blanks + Text;
}

std::string layOut(const std::vector<std::vector<std::string>> &Rows) {
  std::vector<size_t> Widths;
  for (const auto &Row : Rows)
    for (size_t I = 0; I < Row.size(); ++I) {
      Widths.resize(std::max(Widths.size(), I + 1));
      Widths[I] = std::max(Widths[I], Row[I].size());
    }
  std::string Text;
  for (const auto &Row : Rows) {
    std::string Line;
    for (size_t I = 0; I < Row.size(); ++I)
      Line += (I ? "  " : "") + pad(Row[I], Widths[I], I == 0);
    Text += Line.substr(0, Line.find_last_not_of(' ') + 1) + "\n";
  }
  return Text;
}

} // namespace

std::vector<Duration> repetitions(const virt::SimulationResult &R) {
  std::vector<Duration> Each;
  Duration Before{0};
  for (Duration End : R.RunEnds) {
    Each.push_back(End - Before);
    Before = End;
  }
  Each.push_back(R.Makespan - Before);
  return Each;
}

std::string writeTable(const std::vector<Run> &Runs, const virt::PlatformModel &P) {
  const bool Devices =
      std::ranges::any_of(P.Workers, [&](const virt::WorkerModel &W) { return P.Kinds[W.Kind].MemoryBytes != 0; });
  std::vector<std::vector<std::string>> Rows(1), Shares(1);
  const bool Repeats = std::ranges::any_of(Runs, [](const Run &R) { return !R.Result.RunEnds.empty(); });
  Rows[0] = {"policy", "makespan s"};
  if (Repeats)
    Rows[0].insert(Rows[0].end(), {"first s", "later s"});
  Rows[0].push_back("CPU busy %");
  if (Devices)
    Rows[0].insert(Rows[0].end(), {"device busy %", "H2D GB", "D2H GB", "D2D GB", "hits %"});
  Shares[0] = {"tasks run as"};
  for (const Run &R : Runs)
    Shares[0].push_back(R.Policy);
  for (const Run &R : Runs) {
    const Traffic &M = R.Result.Moved;
    Rows.push_back({R.Policy, number(seconds(R.Result.Makespan), 6)});
    if (Repeats) {
      std::vector<Duration> Each = repetitions(R.Result);
      Rows.back().push_back(number(seconds(Each[0]), 6));
      std::sort(Each.begin() + 1, Each.end());
      Rows.back().push_back(Each.size() > 1 ? number(seconds(Each[1 + (Each.size() - 1) / 2]), 6) : "-");
    }
    Rows.back().push_back(number(100 * utilisation(R.Result, P, false), 1));
    if (Devices)
      for (const std::string &Cell :
           {number(100 * utilisation(R.Result, P, true), 1), number(static_cast<double>(M.InputBytes) / 1e9, 3),
            number(static_cast<double>(M.OutputBytes) / 1e9, 3), number(static_cast<double>(M.DeviceBytes) / 1e9, 3),
            M.Lookups ? number(100 * static_cast<double>(M.Hits) / static_cast<double>(M.Lookups), 1) : "-"})
        Rows.back().push_back(Cell);
  }
  if (Runs.empty())
    return layOut(Rows);
  for (size_t V = 0; V < Runs[0].Result.Versions.size(); ++V) {
    Shares.push_back({Runs[0].Result.Versions[V].Version});
    for (const Run &R : Runs) {
      uint64_t All = 0;
      for (const virt::VersionCount &Each : R.Result.Versions)
        if (Each.Task == R.Result.Versions[V].Task)
          All += Each.Runs;
      Shares.back().push_back(
          All ? number(100 * static_cast<double>(R.Result.Versions[V].Runs) / static_cast<double>(All), 1) + " %"
              : "-");
    }
  }
  return layOut(Rows) + "\n" + layOut(Shares);
}

std::string writeWhatIf(const std::vector<Run> &Runs) {
  std::vector<std::vector<std::string>> Rows{{"machine", "policy", "makespan s", "against now"}};
  for (const Run &R : Runs) {
    auto Now = std::ranges::find_if(Runs, [&](const Run &O) { return O.What.empty() && O.Policy == R.Policy; });
    const double Base = seconds(Now->Result.Makespan), Time = seconds(R.Result.Makespan);
    const double Change = Base > 0 ? (Time / Base - 1) * 100 : 0;
    Rows.push_back({R.What.empty() ? "as it is" : R.What, R.Policy, number(Time, 6),
                    R.What.empty() ? "" : (Change > 0 ? "+" : "") + number(Change, 1) + " %"});
  }
  return layOut(Rows);
}

std::string writeJson(const std::vector<Run> &Runs, const std::string &Platform, const std::string &Graph) {
  using Json = nlohmann::ordered_json;
  Json Out{{"platform", Platform}, {"graph", Graph}, {"runs", Json::array()}};
  for (const Run &R : Runs) {
    const virt::SimulationResult &S = R.Result;
    Json Workers = Json::array(), Versions = Json::array(), Parts = Json::array();
    for (Duration Each : repetitions(S))
      Parts.push_back(Each.count());
    for (size_t W = 0; W < S.Busy.size(); ++W)
      Workers.push_back({{"name", R.Workers[W]}, {"busy_ns", S.Busy[W].count()}});
    for (const virt::VersionCount &V : S.Versions)
      Versions.push_back({{"task", V.Task}, {"version", V.Version}, {"runs", V.Runs}, {"ran_ns", V.Ran.count()}});
    Out["runs"].push_back({{"policy", R.Policy},
                           {"what_if", R.What},
                           {"tasks", S.Tasks},
                           {"makespan_ns", S.Makespan.count()},
                           {"between_waits_ns", std::move(Parts)},
                           {"h2d_bytes", S.Moved.InputBytes},
                           {"d2h_bytes", S.Moved.OutputBytes},
                           {"d2d_bytes", S.Moved.DeviceBytes},
                           {"hits", S.Moved.Hits},
                           {"lookups", S.Moved.Lookups},
                           {"workers", std::move(Workers)},
                           {"versions", std::move(Versions)}});
  }
  return Out.dump(1) + "\n";
}

} // namespace hsched::sim
