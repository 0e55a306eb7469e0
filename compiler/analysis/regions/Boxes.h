// The smallest boxes that are found around accesses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_BOXES_H
#define HSCHED_ANALYSIS_REGIONS_BOXES_H

#include "analysis/regions/Walk.h"

#include <string>

namespace hsched::cc::regions {

struct BoxFound {
  std::optional<Box> What; // Nothing: Why says so.
  Polys Assumed;           // As of RootEffect.
  // Assumed would be shorter if the tree had a symbol for the greatest, or the least, of these two.
  struct Pair {
    Poly A, B;
    bool Least;
  };
  std::vector<Pair> Wanted;
  std::string Why;
  clang::SourceLocation WhyLoc;
  bool Unordered = false; // Each access has ends, and nobody knows which comes first.
};

// A box that holds all accesses of Sites, which are of one root. Two are tried:
//
// - By coordinates: subscripts are taken apart by the strides of the counters in them (A[i * lda + j + 1] is row i,
//   column j + 1), and each coordinate gets the range from its least to its greatest value.
// - Flat: from the least to the greatest subscript.
//
// The first is preferred where all accesses have the same shape, give or take a few elements a coordinate (what a
// stencil leaves out are corners), or where its ends are the second's. Counters are replaced by their bounds, innermost
// first. Of two ends of which the lesser may be the greater where a loop does not run, the greater is taken as a symbol
// of its own, if the tree has one (Symbol::Greatest). A loop that runs in steps that may not divide its length ends, at
// worst, just below its bound. Where a counter has several bounds and they cannot be compared, one that an If gives is
// taken: that is what it is there for. What is never done is to take the greater of two: the box would be none that the
// program surely has.
class BoxFinder {
public:
  // P supposes that sizes are not negative, Certain does not: what only P knows is told as assumed.
  BoxFinder(const AccessTree &Tree, const NormalTree &Normal, Prover &P, Prover &Certain)
      : Tree(Tree), Normal(Normal), P(P), Certain(Certain) {}

  // EitherWay: a single column is found of a stride that may be negative too.
  BoxFound find(const Root &R, const std::vector<const Site *> &Sites, bool EitherWay = false);

private:
  struct Bound {
    Poly Value;
    bool Loose = false;   // May lie beyond the last value by less than a step.
    bool Guarded = false; // An If gave it.
    bool Flat = false;    // An If gave it for several counters at once.
    Polys Supposed;       // >= 0, of sizes that are not negative; else it is no bound.
    Polys Over;           // What other guards say; a loop's end may be more than there is.
  };
  struct Condition {
    Poly C;
    bool Guard;
  };
  // One access: subscript, counters outermost first, what is known of them.
  struct Form {
    const Site *At = nullptr;
    Poly Index;
    std::vector<SymbolId> Counters;
    std::vector<Condition> Conditions;
    Polys Facts;   // The same.
    Polys Entered; // What follows for Values alone, of loops that are.
    bool operator==(const Form &O) const { return Index == O.Index && Facts == O.Facts; }
  };
  struct Range {
    Poly Low, High;
    bool Flat = false;
    bool Near = true;              // All that it holds have these ends, give or take a few.
    Polys Lower = {}, Higher = {}; // Bound::Over
  };
  struct Failure {
    std::string Why;
    clang::SourceLocation Loc;
    bool Unordered = false;
  };

  const AccessTree &Tree;
  const NormalTree &Normal;
  Prover &P, &Certain;
  Failure Last;
  Polys Assumed;
  Polys Running;       // Each loop that is there runs.
  bool Either = false; // find()'s EitherWay
  std::vector<BoxFound::Pair> Wanted;
  unsigned Tried = 0;      // Of the ways to replace counters, for one bound.
  bool EitherSign = false; // A counter's factor in it may be negative, or not.

  std::optional<Poly> lengthOf(const Step &S) const; // Of a loop: last - first, of Values; >= 0 where it is entered.
  std::optional<Form> formOf(const Site &S);
  bool certain(const Poly &D, const Form &F); // D >= 0 whenever the access is made.
  void factor(Box &B, const std::vector<Form> &Forms);
  void assume(const Poly &D);
  std::optional<Poly> either(const Poly &A, const Poly &B, bool Least);
  // Extreme over Ranges is B only where each of Doubtful is no more, or no less: an end that holds without that.
  std::optional<Poly> endWithout(const Poly &B, const Polys &Doubtful, bool Upper);
  void bounds(const Form &F, Poly E, bool Upper, Bound So, std::vector<Bound> &All, unsigned Depth);
  std::optional<Bound> bound(const Form &F, const Poly &E, bool Upper);
  // Ahead is added to E in the subscript.
  std::optional<Range> range(const Form &F, const Poly &E, std::int64_t Ahead);
  std::optional<Range> hull(const std::vector<Form> &Forms, const std::vector<Poly> &Exprs, std::int64_t Ahead = 0);
  std::optional<Poly> extreme(const std::vector<Form> &Forms, const std::vector<Poly> &Exprs,
                              const std::vector<Range> &Ranges, bool Upper, const Poly *Low = nullptr);
  std::optional<Box> flat(const std::vector<Form> &Forms, bool &ByGuard);
  std::optional<Box> byCoordinates(const std::vector<Form> &Forms, bool &OneShape);
  bool forward(const std::vector<Form> &Forms, const Poly &Stride); // May assume so.
  bool directed(const std::vector<Form> &Forms, Box &B);
  bool sameEnds(const Box &C, const Box &F);
  std::string subscript(const Form &F) const;
  bool fail(const Form &F, std::string Why);
};

} // namespace hsched::cc::regions
#endif
