// Search for small boxes around accesses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_BOXES_H
#define HSCHED_ANALYSIS_REGIONS_BOXES_H

#include "analysis/regions/Walk.h"

#include <string>

namespace hsched::cc::regions {

// True if all coefficients are at most 0 and one is below.
bool negative(const Poly &P);

std::int64_t constantTerm(const Poly &P);

struct BoxResult {
  std::optional<Box> What; // Nothing: Why has the reason.
  Polys Assumed;           // As in RootEffect.
  // Assumed would be shorter if the tree had a symbol for the maximum, or the minimum, of these two.
  struct Pair {
    Poly A, B;
    bool Least;
    std::int64_t Divisor = 0; // Not 0: the quotient of A instead, without which an end is not known.
  };
  std::vector<Pair> Wanted;
  std::string Why;
  clang::SourceLocation WhyLoc;
  bool Unordered = false; // Each access has bounds, but their order is unknown.
};

// A box around all accesses of Sites, which are of one root. Two ways are tried:
//
// - By coordinates: subscripts are decomposed by the strides of their counters (A[i * lda + j + 1] is row i, column j +
//   1), and each coordinate gets the range from its minimum to its maximum.
// - Flat: from the minimum to the maximum subscript.
//
// The first is preferred in two cases. All accesses have the same shape up to a few elements per coordinate (a stencil
// leaves out corners), or both have the same ends. Counters are replaced by their bounds, innermost first. If the order
// of two ends depends on whether a loop runs, their maximum becomes a symbol, if the tree has one (Symbol::Greatest). A
// loop whose step may not divide its length ends just below its bound in the worst case. If a counter has several
// bounds that cannot be compared, one from an If is taken, because guards exist for that. The greater of two is never
// taken: the program might not have such a box.
class BoxFinder {
public:
  // P assumes that sizes are not negative; Certain does not. Facts that need P are reported in Assumed.
  BoxFinder(const AccessTree &Tree, const NormalTree &Normal, Prover &P, Prover &Certain)
      : Tree(Tree), Normal(Normal), P(P), Certain(Certain) {}

  // EitherWay: also finds a single column whose stride may be negative.
  BoxResult find(const Root &R, const std::vector<const Site *> &Sites, bool EitherWay = false);

private:
  struct Bound {
    Poly Value;
    bool MayOvershoot = false;          // May exceed the last value by less than a step.
    std::vector<BoxResult::Pair> Steps; // If so: a quotient that makes it exact, or nothing.
    bool Guarded = false;               // From an If.
    bool Flat = false;                  // From an If, for several counters at once.
    bool Widened = false;               // From an If about a counter that the subscript does not have.
    Polys Premises;                     // Assumed >= 0, from non-negative sizes; otherwise it is no bound.
    Polys Over;                         // Bounds of other guards; a loop's end may exceed the data.
  };
  struct Condition {
    Poly C;
    bool Guard;
  };
  // One access: subscript, its counters (outermost first), and facts about them.
  struct Form {
    const Site *At = nullptr;
    Poly Index;
    std::vector<SymbolId> Counters;
    std::vector<Condition> Conditions;
    Polys Facts;   // The same conditions as facts.
    Polys Entered; // Facts about Values alone, from loops that are entered.
    bool operator==(const Form &O) const { return Index == O.Index && Facts == O.Facts; }
  };
  struct Range {
    Poly Low, High;
    bool Flat = false;
    bool Near = true;              // All accesses have these ends, up to a few elements.
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
  Polys Running;       // Each enclosing loop runs.
  bool Either = false; // find()'s EitherWay
  std::vector<BoxResult::Pair> Wanted, Quotients;
  unsigned Tried = 0;      // Number of replacements of counters tried for one bound.
  bool EitherSign = false; // A counter's factor may have either sign.

  // Last - first of a loop, over Values. It is >= 0 if the loop is entered.
  std::optional<Poly> lengthOf(const Step &S) const;
  std::optional<Form> formOf(const Site &S);
  // Takes the conditions of an If that is Node::Assumed as assumptions. False: they are not known.
  bool assumed(const Form &F, const Step &If);
  bool certain(const Poly &D, const Form &F); // True if D >= 0 is proved whenever the access is made.
  void factor(Box &B, const std::vector<Form> &Forms);
  void assume(const Poly &D);
  std::optional<Poly> either(const Poly &A, const Poly &B, bool Least);
  // The extreme over Ranges is B only if no Doubtful end exceeds it. Finds an end that holds without this assumption.
  std::optional<Poly> endWithout(const Poly &B, const Polys &Doubtful, bool Upper);
  void bounds(const Form &F, Poly E, bool Upper, Bound So, std::vector<Bound> &All, unsigned Depth);
  std::optional<Bound> bound(const Form &F, const Poly &E, bool Upper);
  // The range of E. Ahead: constant added to E in the subscript.
  std::optional<Range> range(const Form &F, const Poly &E, std::int64_t Ahead);
  std::optional<Range> hull(const std::vector<Form> &Forms, const std::vector<Poly> &Exprs, std::int64_t Ahead = 0);
  std::optional<Poly> extreme(const std::vector<Form> &Forms, const std::vector<Poly> &Exprs,
                              const std::vector<Range> &Ranges, bool Upper, const Poly *Low = nullptr);
  std::optional<Box> flat(const std::vector<Form> &Forms, bool &ByGuard);
  struct Shape {
    bool One = false;     // The forms are near each other in each dimension.
    bool Rounded = false; // The coordinates of some base depend on Nearest.
  };
  // Nearest: x[10 * i + j - 1] is in row i, column j - 1. Otherwise it is in row i - 1, column j + 9, as the last of
  // the channels x[3 * i], x[3 * i + 1], x[3 * i + 2] is a channel of i.
  std::optional<Box> byCoordinates(const std::vector<Form> &Forms, bool Nearest, Shape &Its);
  // The smaller of the two boxes.
  std::optional<Box> byCoordinates(const std::vector<Form> &Forms, bool &OneShape);
  bool forward(const std::vector<Form> &Forms, const Poly &Stride); // True if Stride > 0 may be assumed.
  bool directed(const std::vector<Form> &Forms, Box &B);
  bool sameEnds(const Box &C, const Box &F);
  std::string subscript(const Form &F) const;
  bool fail(const Form &F, std::string Why);
};

} // namespace hsched::cc::regions
#endif
