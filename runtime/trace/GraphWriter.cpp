// The task graph as it ran, with its critical path: Graphviz or GraphML through Boost.Graph.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/Log.h"
#include "trace/Shards.h"
#include "trace/Writers.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/graph/topological_sort.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hsched::rt {
namespace {

struct TaskNode {
  TaskId Id = 0;
  TaskId Parent = 0;
  std::string Name, Label, Version, Worker;
  int64_t DurationNs = 0;
  bool Critical = false;
  std::string Modes = {}; // Modes of its accesses: "in, reduction".
};

struct DependenceEdge {
  bool Critical = false;
};

struct GraphTotals {
  int64_t CriticalPathNs = 0, WorkNs = 0;
  double Parallelism = 0; // Work / critical path: the upper bound of the speed-up.
};

using TaskGraphView =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, TaskNode, DependenceEdge, GraphTotals>;
using Vertex = boost::graph_traits<TaskGraphView>::vertex_descriptor;

struct Collected {
  std::vector<TaskNode> Tasks;
  std::vector<std::pair<TaskId, TaskId>> Dependences;
  std::vector<RowRecord> Rows;
  struct Run {
    TaskId Id;
    RowId Row;
    const char *Version;
    Duration Length;
  };
  std::vector<Run> Runs;
};

std::string readable(int64_t Ns) {
  char Text[32];
  double Value = static_cast<double>(Ns);
  if (Ns < 1'000'000)
    std::snprintf(Text, sizeof(Text), "%.1f us", Value / 1e3);
  else if (Ns < 1'000'000'000)
    std::snprintf(Text, sizeof(Text), "%.2f ms", Value / 1e6);
  else
    std::snprintf(Text, sizeof(Text), "%.3f s", Value / 1e9);
  return Text;
}

// Marks the longest path by measured time, and sums up the times.
void findCriticalPath(TaskGraphView &G) {
  GraphTotals &Totals = G[boost::graph_bundle];
  std::vector<Vertex> Order;
  Order.reserve(num_vertices(G));
  boost::topological_sort(G, std::back_inserter(Order)); // In reverse order.

  constexpr Vertex None = static_cast<Vertex>(-1);
  std::vector<int64_t> Length(num_vertices(G), 0); // Length of the longest path that begins at the vertex.
  std::vector<Vertex> Next(num_vertices(G), None);
  Vertex First = None;
  for (Vertex V : Order) {
    for (auto [E, End] = out_edges(V, G); E != End; ++E)
      if (Vertex To = target(*E, G); Next[V] == None || Length[To] > Length[Next[V]])
        Next[V] = To;
    Length[V] = G[V].DurationNs + (Next[V] == None ? 0 : Length[Next[V]]);
    Totals.WorkNs += G[V].DurationNs;
    if (First == None || Length[V] >= Length[First])
      First = V;
  }
  if (First == None)
    return;
  Totals.CriticalPathNs = Length[First];
  if (Totals.CriticalPathNs > 0)
    Totals.Parallelism = static_cast<double>(Totals.WorkNs) / static_cast<double>(Totals.CriticalPathNs);
  for (Vertex V = First; V != None; V = Next[V]) {
    G[V].Critical = true;
    if (Next[V] != None)
      for (auto [E, End] = out_edges(V, G); E != End; ++E)
        G[*E].Critical = G[*E].Critical || target(*E, G) == Next[V];
  }
}

void writeDot(std::ostream &Out, const TaskGraphView &G) {
  auto quote = [](const std::string &Text) { return boost::escape_dot_string(Text); };
  auto graphAttributes = [&](std::ostream &To) {
    const GraphTotals &T = G[boost::graph_bundle];
    char Bound[32];
    std::snprintf(Bound, sizeof(Bound), "%.2f", T.Parallelism);
    To << "criticalPathNs=" << T.CriticalPathNs << ";\nworkNs=" << T.WorkNs << ";\nparallelism=" << Bound << ";\nlabel="
       << quote("critical path " + readable(T.CriticalPathNs) + ", work " + readable(T.WorkNs) +
                ", parallelism at most " + Bound)
       << ";\nnode [shape=box];\n";
  };
  auto vertexAttributes = [&](std::ostream &To, Vertex V) {
    const TaskNode &N = G[V];
    std::string Text = N.Label + "\n" + readable(N.DurationNs) + (N.Worker.empty() ? "" : "\n" + N.Worker);
    To << "[label=" << quote(Text) << ",id=" << N.Id << ",task=" << quote(N.Name) << ",version=" << quote(N.Version)
       << ",worker=" << quote(N.Worker) << ",durationNs=" << N.DurationNs;
    if (N.Parent)
      To << ",parent=" << N.Parent;
    if (!N.Modes.empty())
      To << ",modes=" << quote(N.Modes);
    if (N.Critical)
      To << ",color=red,penwidth=2";
    To << "]";
  };
  auto edgeAttributes = [&](std::ostream &To, auto E) {
    if (G[E].Critical)
      To << "[color=red,penwidth=2]";
  };
  boost::write_graphviz(Out, G, vertexAttributes, edgeAttributes, graphAttributes);
}

void writeGraphML(std::ostream &Out, TaskGraphView &G) {
  GraphTotals &T = G[boost::graph_bundle];
  boost::dynamic_properties P;
  P.property("id", get(&TaskNode::Id, G));
  P.property("parent", get(&TaskNode::Parent, G));
  P.property("task", get(&TaskNode::Name, G));
  P.property("label", get(&TaskNode::Label, G));
  P.property("modes", get(&TaskNode::Modes, G));
  P.property("version", get(&TaskNode::Version, G));
  P.property("worker", get(&TaskNode::Worker, G));
  P.property("durationNs", get(&TaskNode::DurationNs, G));
  P.property("critical", get(&TaskNode::Critical, G));
  P.property("criticalEdge", get(&DependenceEdge::Critical, G));
  P.property("criticalPathNs", boost::ref_property_map<TaskGraphView *, int64_t>(T.CriticalPathNs));
  P.property("workNs", boost::ref_property_map<TaskGraphView *, int64_t>(T.WorkNs));
  P.property("parallelism", boost::ref_property_map<TaskGraphView *, double>(T.Parallelism));
  boost::write_graphml(Out, G, P, true);
}

class GraphWriter final : public Observer {
public:
  GraphWriter(std::string Path, std::ofstream File, bool Dot)
      : Path(std::move(Path)), File(std::move(File)), Dot(Dot) {}

  bool wantsEachTask() const override { return false; }
  bool wantsLog() const override { return true; }
  void rowAdded(const RowRecord &R) override {
    Parts.withOwn([&](Collected &C) { C.Rows.push_back(R); });
  }
  void submitted(const SubmitRecord &R) override {
    TaskNode N{R.Id, R.Parent, R.Task ? R.Task : "", R.Label ? R.Label : "", "", "", 0, false, R.Modes};
    if (N.Label.empty())
      N.Label = N.Name;
    Parts.withOwn([&](Collected &C) { C.Tasks.push_back(std::move(N)); });
  }
  void dependence(TaskId From, TaskId To) override {
    Parts.withOwn([&](Collected &C) { C.Dependences.emplace_back(From, To); });
  }
  void ran(const RunRecord &R) override {
    if (R.How != Outcome::Cancelled)
      Parts.withOwn([&](Collected &C) { C.Runs.push_back({R.Id, R.Row, R.Version, R.Ran.length()}); });
  }

  void finished() override {
    if (!File.is_open())
      return;
    TaskGraphView G = build();
    findCriticalPath(G);
    Dot ? writeDot(File, G) : writeGraphML(File, G);
    File.close();
    if (!File)
      log(LogLevel::Warning, "the task graph %s is incomplete", Path.c_str());
  }

private:
  TaskGraphView build() {
    Collected All;
    Parts.forEach([&](Collected &C) {
      moveAll(C.Tasks, All.Tasks);
      moveAll(C.Dependences, All.Dependences);
      moveAll(C.Rows, All.Rows);
      moveAll(C.Runs, All.Runs);
    });
    // Sorted, so the file does not depend on which threads reported.
    std::ranges::sort(All.Tasks, {}, &TaskNode::Id);
    std::ranges::sort(All.Dependences);

    std::unordered_map<RowId, std::string> RowNames;
    for (RowRecord &R : All.Rows)
      RowNames[R.Id] = std::move(R.Name);

    TaskGraphView G;
    std::unordered_map<TaskId, Vertex> VertexOf;
    for (TaskNode &N : All.Tasks) {
      TaskId Id = N.Id;
      VertexOf[Id] = add_vertex(std::move(N), G);
    }
    for (const Collected::Run &R : All.Runs)
      if (auto It = VertexOf.find(R.Id); It != VertexOf.end()) {
        TaskNode &N = G[It->second];
        N.DurationNs = R.Length.count();
        N.Version = R.Version ? R.Version : "";
        N.Worker = RowNames[R.Row];
      }
    for (auto [From, To] : All.Dependences) {
      auto A = VertexOf.find(From), B = VertexOf.find(To);
      if (A != VertexOf.end() && B != VertexOf.end())
        add_edge(A->second, B->second, G);
    }
    return G;
  }

  std::string Path;
  std::ofstream File;
  bool Dot;
  Shards<Collected> Parts;
};

} // namespace

std::unique_ptr<Observer> makeGraphWriter(std::string Path) {
  bool Dot = std::string_view(Path).ends_with(".dot");
  if (!Dot && !std::string_view(Path).ends_with(".graphml")) {
    log(LogLevel::Warning, "no task graph will be written to %s: its name ends neither in .dot nor in .graphml",
        Path.c_str());
    return nullptr;
  }
  std::ofstream File(Path);
  if (!File) {
    log(LogLevel::Warning, "no task graph will be written to %s: %s", Path.c_str(), std::strerror(errno));
    return nullptr;
  }
  return std::make_unique<GraphWriter>(std::move(Path), std::move(File), Dot);
}

} // namespace hsched::rt
