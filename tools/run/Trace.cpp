// Parses a run's trace.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run/Picture.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>

namespace hsched::run {
namespace {

std::string deviceOfRow(const std::string &Row) {
  for (const char *End : {" upload", " download", " queue "})
    if (const size_t At = Row.rfind(End); At != std::string::npos)
      return Row.substr(0, At);
  return Row;
}

} // namespace

RunTrace readTrace(const std::string &Path) try {
  std::ifstream In(Path);
  if (!In)
    throw dag::Error("trace '" + Path + "' cannot be read");
  const nlohmann::json Root = nlohmann::json::parse(In);
  std::map<unsigned, std::string> Names;
  std::map<unsigned, unsigned> Order;
  std::set<unsigned> Used;
  const nlohmann::json &Events = Root.at("traceEvents");
  for (const nlohmann::json &E : Events) {
    const std::string Phase = E.at("ph");
    if (Phase == "M" && E.at("name") == "thread_name")
      Names[E.at("tid")] = E.at("args").at("name");
    else if (Phase == "M" && E.at("name") == "thread_sort_index")
      Order[E.at("tid")] = E.at("args").at("sort_index");
    else if (Phase == "X")
      Used.insert(E.at("tid").get<unsigned>());
  }
  std::vector<unsigned> Threads(Used.begin(), Used.end());
  std::stable_sort(Threads.begin(), Threads.end(), [&](unsigned A, unsigned B) { return Order[A] < Order[B]; });
  RunTrace Out;
  std::map<unsigned, unsigned> RowOf;
  for (unsigned T : Threads) {
    RowOf[T] = static_cast<unsigned>(Out.Rows.size());
    Out.Rows.push_back({Names[T], deviceOfRow(Names[T])});
  }
  for (const nlohmann::json &E : Events) {
    if (E.at("ph") != "X")
      continue;
    TraceBar B;
    B.Row = RowOf.at(E.at("tid"));
    B.Begin = E.at("ts");
    B.Length = E.at("dur");
    B.Name = E.at("name");
    const nlohmann::json &Args = E.at("args");
    B.Bytes = Args.value("bytes", uint64_t(0));
    if (E.at("cat") == "task") {
      B.Kind = Args.at("task");
      B.Task = Args.at("id");
    } else {
      B.Task = Args.value("task", uint64_t(0));
    }
    Out.Bars.push_back(std::move(B));
  }
  std::stable_sort(Out.Bars.begin(), Out.Bars.end(),
                   [](const TraceBar &A, const TraceBar &B) { return A.Begin < B.Begin; });
  return Out;
} catch (const nlohmann::json::exception &E) {
  throw dag::Error("trace '" + Path + "': " + E.what());
}

RunTrace lastRun(const RunTrace &Of) {
  // Every run has each kernel, a kernel in parts twice; tasks are numbered in order of submission.
  std::map<std::string, size_t> Times;
  for (const TraceBar &B : Of.Bars)
    if (!B.Kind.empty())
      ++Times[B.Name];
  size_t Runs = 0;
  for (const auto &[Name, N] : Times)
    Runs = Runs ? std::min(Runs, N) : N;
  if (Runs < 2)
    return Of;
  std::map<std::string, std::vector<uint64_t>> Tasks;
  for (const TraceBar &B : Of.Bars)
    if (!B.Kind.empty())
      Tasks[B.Name].push_back(B.Task);
  std::set<uint64_t> Last;
  for (auto &[Name, Ids] : Tasks) {
    std::sort(Ids.begin(), Ids.end());
    Last.insert(Ids.end() - static_cast<long>(Ids.size() / Runs), Ids.end());
  }
  RunTrace Out;
  double Begin = -1;
  for (const TraceBar &B : Of.Bars)
    if (Last.count(B.Task)) {
      Begin = B.Begin;
      break;
    }
  std::set<unsigned> Used;
  for (const TraceBar &B : Of.Bars)
    if (Last.count(B.Task) || (B.Kind.empty() && B.Begin >= Begin))
      Used.insert(B.Row);
  std::map<unsigned, unsigned> RowOf;
  for (unsigned R : Used) {
    RowOf[R] = static_cast<unsigned>(Out.Rows.size());
    Out.Rows.push_back(Of.Rows[R]);
  }
  for (TraceBar B : Of.Bars)
    if (Last.count(B.Task) || (B.Kind.empty() && B.Begin >= Begin)) {
      B.Row = RowOf[B.Row];
      Out.Bars.push_back(std::move(B));
    }
  return Out;
}

std::map<std::string, std::vector<std::string>> placesOf(const RunTrace &Of) {
  std::map<std::string, std::vector<std::string>> Out;
  for (const TraceBar &B : Of.Bars)
    if (!B.Kind.empty()) {
      std::vector<std::string> &Places = Out[B.Name];
      if (std::find(Places.begin(), Places.end(), Of.Rows[B.Row].Device) == Places.end())
        Places.push_back(Of.Rows[B.Row].Device);
    }
  for (auto &[Name, Places] : Out)
    std::sort(Places.begin(), Places.end());
  return Out;
}

} // namespace hsched::run
