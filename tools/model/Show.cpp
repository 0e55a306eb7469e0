// Execution times as text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Model.h"

#include "perfmodel/SizeFit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace hsched::model {

namespace {

// Columns as wide as their content, two spaces apart; those in Right are right-aligned.
std::string table(const std::vector<std::vector<std::string>> &Rows, const std::set<size_t> &Right) {
  std::vector<size_t> Widths;
  for (const auto &Row : Rows)
    for (size_t I = 0; I < Row.size(); ++I) {
      Widths.resize(std::max(Widths.size(), I + 1));
      Widths[I] = std::max(Widths[I], Row[I].size());
    }
  std::string Out;
  for (const auto &Row : Rows) {
    std::string Line;
    for (size_t I = 0; I < Row.size(); ++I) {
      const std::string Fill(Widths[I] - Row[I].size(), ' ');
      Line += (I ? "  " : "") + (Right.contains(I) ? Fill + Row[I] : Row[I] + Fill);
    }
    Line.erase(Line.find_last_not_of(' ') + 1);
    Out += Line + "\n";
  }
  return Out;
}

std::string number(double Value, const char *Unit) {
  char Text[64];
  std::snprintf(Text, sizeof(Text), Value >= 100 && Value < 1e4 ? "%.0f %s" : "%.3g %s", Value, Unit);
  return Text;
}

std::string plain(double Value) {
  char Text[64];
  std::snprintf(Text, sizeof(Text), "%.2f", Value);
  return Text;
}

auto keyOf(const ModelEntry &E) { return std::tuple(E.Task, E.Version, E.Code, E.Device, E.Size); }

std::vector<ModelEntry> sorted(const ModelFile &File, const Selection &What) {
  std::vector<ModelEntry> Out;
  std::ranges::copy_if(File.Entries, std::back_inserter(Out), [&](const ModelEntry &E) { return What.holds(E); });
  std::ranges::sort(Out, [](const ModelEntry &A, const ModelEntry &B) { return keyOf(A) < keyOf(B); });
  return Out;
}

double valueOf(const ModelEntry &E) { return rt::costOf(E.Size).value_or(static_cast<double>(E.Size)); }

} // namespace

Selection::Selection(const std::string &Text) {
  // A ':' within 'a::b' is not a separator.
  size_t At = 0;
  while ((At = Text.find(':', At)) != std::string::npos && Text.compare(At, 2, "::") == 0)
    At += 2;
  Task = Text.substr(0, At);
  if (At == std::string::npos)
    return;
  Version = Text.substr(At + 1);
  if (Task.empty() || Version.empty())
    throw std::runtime_error("'" + Text + "' has no " + (Task.empty() ? "task" : "version") +
                             ": write TASK or TASK:VERSION");
}

bool Selection::holds(const ModelEntry &E) const {
  return (Task.empty() || Task == E.Task || Task == E.TaskName) &&
         (Version.empty() || Version == E.Version || Version == E.VersionName);
}

std::string taskOf(const ModelEntry &E) { return E.TaskName.empty() ? E.Task : E.TaskName; }
std::string versionOf(const ModelEntry &E) { return E.VersionName.empty() ? E.Version : E.VersionName; }

std::string sizeOf(const ModelEntry &E) {
  if (const auto Cost = rt::costOf(E.Size))
    return number(*Cost, "(cost)");
  const char *const Units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto Value = static_cast<double>(E.Size);
  size_t Unit = 0;
  for (; Value >= 1023.5 && Unit + 1 < std::size(Units); ++Unit)
    Value /= 1024;
  return number(Value, Units[Unit]);
}

std::string timeOf(double Ns) {
  return Ns < 999.5     ? number(Ns, "ns")
         : Ns < 999.5e3 ? number(Ns / 1e3, "us")
         : Ns < 999.5e6 ? number(Ns / 1e6, "ms")
                        : number(Ns / 1e9, "s");
}

std::string listTasks(const ModelFile &File) {
  struct Sum {
    std::set<std::string> Versions, Devices;
    std::set<rt::SizeClass> Sizes;
    uint64_t Runs = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> Tasks; // Two tasks may have the same name.
  for (const ModelEntry &E : File.Entries) {
    Sum &S = Tasks[{taskOf(E), E.Task}];
    S.Versions.insert(E.Version);
    S.Devices.insert(E.Device);
    S.Sizes.insert(E.Size);
    S.Runs += E.Runs;
  }
  std::vector<std::vector<std::string>> Rows{{"task", "versions", "devices", "sizes", "runs"}};
  for (const auto &[Names, S] : Tasks)
    Rows.push_back({Names.first, std::to_string(S.Versions.size()), std::to_string(S.Devices.size()),
                    std::to_string(S.Sizes.size()), std::to_string(S.Runs)});
  return table(Rows, {1, 2, 3, 4});
}

std::string showEntries(const ModelFile &File, const Selection &What) {
  std::vector<std::vector<std::string>> Rows{{"task", "size", "version", "device", "runs", "median", "least", "most"}};
  std::map<std::tuple<std::string, std::string, std::string, std::string>, rt::SizeFit> Fits;
  for (const ModelEntry &E : sorted(File, What)) {
    const auto [Least, Most] = std::ranges::minmax(E.Recent);
    Rows.push_back({taskOf(E), sizeOf(E), versionOf(E), E.Device, std::to_string(E.Runs), timeOf(E.medianNs()),
                    timeOf(Least), timeOf(Most)});
    for (float Ns : E.Recent)
      Fits[{taskOf(E), versionOf(E), E.Device, E.Code}].add(valueOf(E), Ns);
  }
  std::string Out = table(Rows, {1, 4, 5, 6, 7});
  for (const auto &[Of, Fit] : Fits)
    if (const auto Line = Fit.line())
      Out += "\n" + std::get<0>(Of) + " as " + std::get<1>(Of) + " on " + std::get<2>(Of) +
             ": time grows with the size to the power of " + plain(Line->Power) + ", within " +
             number((Line->Factor - 1) * 100, "%") + "\n";
  return Out;
}

std::string diffEntries(const ModelFile &A, const ModelFile &B) {
  std::map<decltype(keyOf(ModelEntry())), std::pair<const ModelEntry *, const ModelEntry *>> Both;
  for (const ModelEntry &E : A.Entries)
    Both[keyOf(E)].first = &E;
  for (const ModelEntry &E : B.Entries)
    Both[keyOf(E)].second = &E;
  std::vector<std::vector<std::string>> Rows{{"task", "size", "version", "device", "before", "after", "ratio"}};
  for (const auto &[Key, Pair] : Both) {
    const auto &[Old, New] = Pair;
    const ModelEntry &E = Old ? *Old : *New;
    const double Before = Old ? Old->medianNs() : 0, After = New ? New->medianNs() : 0;
    if (Old && New && std::abs(After - Before) <= 0.1 * Before)
      continue;
    Rows.push_back({taskOf(E), sizeOf(E), versionOf(E), E.Device, Old ? timeOf(Before) : "-", New ? timeOf(After) : "-",
                    Old && New && Before > 0 ? number(After / Before, "x") : "-"});
  }
  return table(Rows, {1, 4, 5, 6});
}

} // namespace hsched::model
