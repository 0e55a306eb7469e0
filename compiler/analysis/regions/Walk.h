// What has surely been written where control comes by.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_WALK_H
#define HSCHED_ANALYSIS_REGIONS_WALK_H

#include "analysis/regions/Normal.h"
#include "analysis/regions/Region.h"

#include <functional>

namespace hsched::cc::regions {

// A leaf with what is around it.
struct Site {
  const Step *Leaf = nullptr;
  struct Around {
    const Step *At;      // A Loop, or an If.
    unsigned Branch = 0; // Of the If.
  };
  std::vector<Around> Path; // Outermost first.
  Polys Conditions;         // Hold where control comes by.
  unsigned Order = 0;       // In which the tree has them.
  bool Reached = true;      // Nothing before it in the same iteration of all loops may stop.
};

std::vector<Site> sitesOf(const Step &Body);

class Walk {
public:
  Walk(const NormalTree &Tree, Prover &P, Regions &R) : Tree(Tree), P(P), R(R), Memo(Tree.Steps) {}

  struct State {
    std::vector<Region> Written; // Wholly, on all paths that lead here; Free apart, in terms of counters around.
    Polys Facts;                 // Hold here.
  };

  // Goes through the tree in order. OnRead: for each leaf that may read. OnExit: for each Stop that ends the call
  // without throwing, and for the body's end where it has one. Either returns false to end the walk.
  using Visit = std::function<bool(const Step &, const State &)>;
  bool run(const Polys &Facts, const Visit &OnRead, const Visit &OnExit);

private:
  const NormalTree &Tree;
  Prover &P;
  Regions &R;

  // What one run through a node writes: on every path that comes out at its end, and, within a work-item, on every
  // path that ends the work-item.
  struct Written {
    bool Never = false; // No path comes out.
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
