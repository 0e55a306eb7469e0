// The page: tables as HTML, and the data for its scripts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Page.h"
#include "report/Html.h"
#include "trace/IdleTime.h"
#include "trace/Table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>

namespace hsched::report {
namespace {

using namespace rt::record;

std::string bounds(const Run &Of) {
  const Assessment &A = Of.A;
  auto row = [&](const std::string &What, Ns T) {
    return std::vector<std::string>{What, time(T), share(T, A.Makespan), bar(T, A.Makespan)};
  };
  std::vector<std::vector<std::string>> Rows{row("the run", A.Makespan), row("all work on all workers", A.Area),
                                             row("critical path", A.CriticalPath)};
  Rows.push_back(row(A.Links ? "busiest link: " + escaped(Of.R.Workers[A.LinkOf].Name) +
                                   (A.LinkToHost ? ", to host" : ", from host")
                             : "busiest link: none",
                     A.Links));
  Rows.push_back(row("the program by itself", A.HostOnly));
  return table("Time and bounds", {"<what", "time", "of the run", "<"}, Rows);
}

std::string types(const Run &Of) {
  std::vector<std::vector<std::string>> Rows;
  auto add = [&](const std::string &Name, const TypeRegret &T) {
    char Error[32] = "-";
    if (T.Predicted)
      std::snprintf(Error, sizeof(Error), "%.1f %%", 100 * T.MedianError);
    Rows.push_back({escaped(Name), std::to_string(T.Tasks), time(T.Ran), time(T.Regret), share(T.Regret, T.Ran),
                    time(T.Exploration), Error});
  };
  for (const TypeRegret &T : Of.A.Types)
    add(T.Type, T);
  if (Of.A.Types.size() > 1)
    add("all", Of.A.Whole);
  return table("Regret by type of task",
               {"<task", "tasks", "ran for", "regret", "of that", "exploring", "predictions off by"}, Rows);
}

struct VersionRow {
  uint64_t Runs = 0;
  std::vector<Ns> Times, Predicted;
  std::vector<double> Errors;
  Ns Regret = 0;
};
using VersionKey = std::tuple<std::string, rt::SizeClass, std::string, std::string>; // Type, size, version, model.

std::map<VersionKey, VersionRow> versionsOf(const Run &Of) {
  std::map<VersionKey, VersionRow> All;
  for (size_t I = 0; I < Of.R.Tasks.size(); ++I) {
    const Task &T = Of.R.Tasks[I];
    if (T.How != TaskOutcome::Done || T.Version.empty())
      continue;
    VersionRow &V = All[{T.Type, T.size(), T.Version, Of.R.Workers[T.Worker].Model}];
    ++V.Runs;
    V.Times.push_back(T.End - T.Begin);
    const Judged &J = Of.A.Tasks[I];
    V.Regret += J.Is ? J.Regret : 0;
    if (J.Predicted)
      V.Predicted.push_back(T.End - T.Begin - J.Error);
    if (J.Predicted && T.End > T.Begin)
      V.Errors.push_back(std::abs(static_cast<double>(J.Error)) / static_cast<double>(T.End - T.Begin));
  }
  for (auto &[Key, V] : All) {
    std::ranges::sort(V.Times);
    std::ranges::sort(V.Predicted);
    std::ranges::sort(V.Errors);
  }
  return All;
}

std::string sizeText(rt::SizeClass Size) {
  if (auto Cost = rt::costOf(Size)) {
    char Text[48];
    std::snprintf(Text, sizeof(Text), "cost %.6g", *Cost);
    return Text;
  }
  return rt::formatBytes(Size);
}

std::string versions(const Run &Of) {
  std::vector<std::vector<std::string>> Rows;
  for (auto &[Key, V] : versionsOf(Of)) {
    auto &[Type, Size, Version, Model] = Key;
    char Error[32] = "-";
    if (!V.Errors.empty())
      std::snprintf(Error, sizeof(Error), "%.1f %%", 100 * V.Errors[V.Errors.size() / 2]);
    Rows.push_back({escaped(Type), sizeText(Size), escaped(Version), escaped(Model), std::to_string(V.Runs),
                    time(V.Times.front()), time(V.Times[V.Times.size() / 2]), time(V.Times.back()),
                    V.Predicted.empty() ? "-" : time(V.Predicted[V.Predicted.size() / 2]), Error, time(V.Regret)});
  }
  return table("Versions by size",
               {"<task", "size", "<version", "<on", "runs", "least", "median", "most", "predicted, median",
                "predictions off by", "regret"},
               Rows);
}

std::string criticalPath(const Run &Of) {
  constexpr size_t MostShown = 200;
  std::vector<std::vector<std::string>> Rows;
  Ns Before = 0;
  for (uint64_t Id : Of.A.Path) {
    const Task *T = Of.R.find(Id);
    if (!T || Rows.size() == MostShown)
      break;
    Rows.push_back({taskLink(Id), escaped(T->Label.empty() ? T->Type : T->Label), escaped(T->Version),
                    escaped(Of.R.Workers[T->Worker].Name), time(T->Begin), time(T->End - T->Begin),
                    time(std::max<Ns>(0, T->Begin - Before))});
    Before = T->End;
  }
  const std::string Note = Of.A.Path.size() > MostShown ? "<p>The first " + std::to_string(MostShown) + " of " +
                                                              std::to_string(Of.A.Path.size()) + " tasks.</p>\n"
                                                        : "";
  return table("Critical path, as it was measured", {"<task", "<name", "<version", "<on", "began", "took", "waited"},
               Rows) +
         Note;
}

std::string idle(const Run &Of) {
  std::vector<Gap> Gaps = idleGaps(Of.R, Of.A.Makespan);
  std::vector<std::string> Head{"<worker", "idle"};
  for (size_t K = 0; K < NumIdle; ++K)
    Head.push_back(nameOf(static_cast<Idle>(K)));
  std::vector<std::array<Ns, NumIdle>> Sums(Of.R.Workers.size());
  for (const Gap &G : Gaps)
    for (size_t K = 0; K < NumIdle; ++K)
      Sums[G.Worker][K] += G.Parts[K];
  std::vector<std::vector<std::string>> Rows, Longest;
  for (size_t W = 0; W < Sums.size(); ++W) {
    Ns All = 0;
    for (Ns Each : Sums[W])
      All += Each;
    Rows.push_back({escaped(Of.R.Workers[W].Name), share(All, Of.A.Makespan)});
    for (Ns Each : Sums[W])
      Rows.back().push_back(share(Each, Of.A.Makespan));
  }
  std::ranges::stable_sort(Gaps, std::greater(), [](const Gap &G) { return G.End - G.Begin; });
  Gaps.resize(std::min<size_t>(Gaps.size(), 20));
  for (const Gap &G : Gaps)
    Longest.push_back(
        {time(G.End - G.Begin), time(G.Begin), escaped(Of.R.Workers[G.Worker].Name),
         std::string(nameOf(G.main())) + ", " + share(G.Parts[static_cast<size_t>(G.main())], G.End - G.Begin),
         G.Next ? taskLink(G.Next) : "-"});
  return table("Why workers were idle, in shares of the run", Head, Rows) +
         table("The longest gaps", {"lasted", "began", "<worker", "<main reason", "<next task"}, Longest);
}

std::string change(Ns Before, Ns Now) {
  char Text[32];
  if (Before <= 0)
    return "-";
  std::snprintf(Text, sizeof(Text), "%+.1f %%", (static_cast<double>(Now) / static_cast<double>(Before) - 1) * 100);
  return Text;
}

std::string comparison(const Run &Of, const Run &Other) {
  std::vector<std::vector<std::string>> Rows;
  auto add = [&](const std::string &What, Ns Before, Ns Now) {
    Rows.push_back({What, time(Before), time(Now), change(Before, Now)});
  };
  add("the run", Other.A.Makespan, Of.A.Makespan);
  add("all work on all workers", Other.A.Area, Of.A.Area);
  add("critical path", Other.A.CriticalPath, Of.A.CriticalPath);
  add("busiest link", Other.A.Links, Of.A.Links);
  add("regret", Other.A.Whole.Regret, Of.A.Whole.Regret);
  add("exploring", Other.A.Whole.Exploration, Of.A.Whole.Exploration);
  auto bytes = [&](const char *What, uint64_t Before, uint64_t Now) {
    Rows.push_back(
        {What, rt::formatBytes(Before), rt::formatBytes(Now), change(static_cast<Ns>(Before), static_cast<Ns>(Now))});
  };
  const Moved Was = moved(Other), Is = moved(Of);
  bytes("bytes moved", Was.Bytes, Is.Bytes);
  if (Other.Needless.Known && Of.Needless.Known)
    bytes("of that needless", Was.Needless, Is.Needless);
  Rows.push_back({"evictions", std::to_string(Other.R.Evictions.size()), std::to_string(Of.R.Evictions.size()),
                  change(static_cast<Ns>(Other.R.Evictions.size()), static_cast<Ns>(Of.R.Evictions.size()))});
  const auto Now = versionsOf(Of), Before = versionsOf(Other);
  for (auto &[Key, V] : Now)
    if (auto It = Before.find(Key); It != Before.end())
      add(escaped(std::get<2>(Key)) + ", " + sizeText(std::get<1>(Key)) + ", median",
          It->second.Times[It->second.Times.size() / 2], V.Times[V.Times.size() / 2]);
  return "<section aria-labelledby=\"compare\"><h2 id=\"compare\">Against " + escaped(Other.Name) + "</h2>\n" +
         table("Times of both runs", {"<what", "before", "now", "change"}, Rows) + "</section>\n";
}

// Text with each {{mark}} replaced; inserted text is not searched for marks.
std::string filled(const std::string &Text, const std::map<std::string, std::string> &Parts) {
  std::string Out;
  size_t From = 0;
  for (size_t At; (At = Text.find("{{", From)) != std::string::npos;) {
    const size_t End = Text.find("}}", At);
    Out += Text.substr(From, At - From) + Parts.at(Text.substr(At + 2, End - At - 2));
    From = End + 2;
  }
  return Out + Text.substr(From);
}

} // namespace

std::string page(const Run &Of, const Run *Other) {
  std::string Advice;
  for (const std::string &Each : advice(Of))
    Advice += "<li>" + escaped(Each) + "</li>\n";
  // A script ends at "</script" at any position.
  std::string Data = dataOf(Of).dump(-1, ' ', false, Json::error_handler_t::replace);
  for (size_t At = 0; (At = Data.find('<', At)) != std::string::npos; At += 6)
    Data.replace(At, 1, "\\u003c");
  return filled(page_html, {{"css", page_css},
                            {"script", std::string(timeline_js) + page_js},
                            {"data", std::move(Data)},
                            {"links", transfers(Of)},
                            {"versions", versions(Of) + types(Of)},
                            {"idle", idle(Of)},
                            {"path", criticalPath(Of)},
                            {"compare", Other ? comparison(Of, *Other) : ""},
                            {"advice", Advice},
                            {"bounds", bounds(Of)},
                            {"verdict", escaped(verdict(Of.A, Of.R))},
                            {"about", escaped(std::to_string(Of.A.Whole.Tasks) + " tasks on " +
                                              std::to_string(Of.R.Workers.size()) + " workers" +
                                              (Of.R.Policy.empty() ? "" : ", policy " + Of.R.Policy))},
                            {"name", escaped(Of.Name)}});
}

} // namespace hsched::report
