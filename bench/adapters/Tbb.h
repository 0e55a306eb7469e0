// oneTBB: a task_group where nothing depends on anything, else a flow graph of continue_nodes with explicit edges.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It tracks no data: the pattern names each task's predecessors. An edge made after its source has run would never
// fire. So a graph is built whole, and wait() fires its sources. Building, running and freeing it are all timed.
#ifndef HSCHED_BENCH_ADAPTERS_TBB_H
#define HSCHED_BENCH_ADAPTERS_TBB_H

#include "../Access.h"

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rt {

inline const char Name[] = "oneTBB";
constexpr bool TracksData = false, TracksRanges = false, NestedWaits = true;

inline std::string version() { return TBB_runtime_version(); }

inline std::unique_ptr<tbb::global_control> Limit;
inline std::unique_ptr<tbb::task_arena> Arena;

inline void start(unsigned Threads) {
  Limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, Threads);
  Arena = std::make_unique<tbb::task_arena>(static_cast<int>(Threads));
}
inline void stop() { Arena.reset(); }
inline void adopt(bench::Datum *, size_t) {}
inline void disown(bench::Datum *, size_t) {}
template <class F> void region(F Run) { Arena->execute(Run); }

class Group {
public:
  template <class Body, size_t N, class... Accesses>
  void submit(typename Body::Args Args, bench::After<N> Earlier, Accesses...) {
    if constexpr (N == 0) {
      Free.run([Args] { Body::run(Args); });
    } else {
      if (!Flow)
        Flow.emplace();
      Node &Mine = Flow->Nodes.emplace_back(Flow->Graph, [Args](const tbb::flow::continue_msg &) { Body::run(Args); });
      bool Source = true;
      for (size_t I = 0; I < N; ++I) {
        bool Again = false; // A pattern may name one task twice.
        for (size_t J = 0; J < I; ++J)
          Again |= Earlier[J] == Earlier[I];
        if (Earlier[I] < 0 || Again)
          continue;
        tbb::flow::make_edge(Flow->Nodes[static_cast<size_t>(Earlier[I])], Mine);
        Source = false;
      }
      if (Source)
        Flow->Sources.push_back(&Mine);
    }
  }
  void wait() {
    Free.wait();
    if (Flow) {
      for (Node *Each : Flow->Sources)
        Each->try_put({});
      Flow->Graph.wait_for_all();
      Flow.reset();
    }
  }

private:
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  struct FlowGraph {
    tbb::flow::graph Graph;
    std::deque<Node> Nodes;
    std::vector<Node *> Sources;
  };
  tbb::task_group Free;
  std::optional<FlowGraph> Flow;
};

} // namespace rt
#endif
