// Must-write analysis: regions that are certainly written at a point.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_WALK_H
#define HSCHED_ANALYSIS_REGIONS_WALK_H

#include "analysis/regions/Normal.h"
#include "analysis/regions/Region.h"

#include <functional>

namespace hsched::cc::regions {

// A leaf with its enclosing nodes.
struct Site {
  const Step *Leaf = nullptr;
  struct Around {
    const Step *At;      // A Loop or an If.
    unsigned Branch = 0; // Branch of the If.
  };
  std::vector<Around> Path; // Outermost first.
  Polys Conditions;         // Hold when the leaf is reached.
  // The nodes of Path from here on rest on an assumption (Node::Assumed). The leaf has none of their counters and
  // numbers, and does not need it.
  std::size_t Sure = 0;
  Polys Certain;       // The conditions without that assumption.
  unsigned Order = 0;  // Position in the tree's order.
  bool Reached = true; // Nothing before it, in the same iteration of all loops, may stop.
};

std::vector<Site> sitesOf(const Step &Body);

class Walk {
public:
  Walk(const NormalTree &Tree, Prover &P, Regions &R) : Tree(Tree), P(P), R(R), Memo(Tree.Steps) {}

  struct State {
    std::vector<Region> Written; // Written on all paths to here; symbols except Free are counters of enclosing loops.
    Polys Facts;                 // Facts that hold here.
    std::optional<std::size_t> Sure; // So many of them rest on no assumption (Node::Assumed); unset: all.
  };

  // Goes through the tree in order. OnRead: for each leaf that may read. OnExit: for each Stop that ends the call
  // without throwing, and for the body's end where it has one. Either returns false to stop the walk.
  using Visit = std::function<bool(const Step &, const State &)>;
  bool run(const Polys &Facts, const Visit &OnRead, const Visit &OnExit);

private:
  const NormalTree &Tree;
  Prover &P;
  Regions &R;

  // Regions written by one execution of a node: on every path to its end and, within a work-item, on every path that
  // ends the work-item.
  struct Written {
    bool Never = false; // No path reaches the end.
    std::vector<Region> All;
  };
  std::vector<std::optional<Written>> Memo;

  const Written &written(const Step &S, bool Parallel);
  Written compute(const Step &S, bool Parallel);
  Written ofIf(const Step &S, bool Parallel);
  void add(Written &To, const Written &From);
  bool step(const Step &S, State &At, bool Parallel, const Visit &OnRead, const Visit &OnExit);
};

} // namespace hsched::cc::regions
#endif
