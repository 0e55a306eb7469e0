// The parts of Effects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_EFFECTSINTERNAL_H
#define HSCHED_ANALYSIS_REGIONS_EFFECTSINTERNAL_H

#include "analysis/regions/Boxes.h"
#include "analysis/regions/Effects.h"

namespace hsched::cc {

// Assumption about parameters: a Value that is a loop's length, or a factor of one or of a section's size, is not
// negative. A box reports the assumptions it needs, and no proof of overwriting uses them.
struct Effects::Impl {
  static constexpr unsigned Work = 3000; // Budget of one question, or of one root's boxes.

  explicit Impl(const AccessTree &T);

  const AccessTree &Tree;
  regions::NormalTree Normal;
  regions::Prover P;
  regions::Prover Certain; // Assumes nothing about sizes.
  regions::Regions R;
  regions::Walk W;
  std::vector<regions::Site> Sites;
  std::vector<RootEffect> All;
  regions::Polys Given; // Tree.Facts.
  unsigned StrictWork = 0;
  std::vector<regions::BoxResult::Pair> Wanted; // Requests of the boxes in All.

  void roles();
  void readFirst();
  void boxes();
  // Pieces.cpp
  std::vector<RootEffect::Piece> pieces(regions::BoxFinder &Finder, unsigned Id,
                                        std::vector<const regions::Site *> Sites);

  // The Values in the sizes of What, each assumed >= 0.
  static regions::Polys sizesOf(const Box &What);
  bool overwritten(unsigned Root, const Box &What);
  // Under the facts Given. If What has maximum symbols, each operand is tried separately if needed.
  bool overwritten(unsigned Root, const Box &What, const regions::Polys &Given, unsigned Depth);
  bool overwrittenAtOnce(unsigned Root, const Box &What, const regions::Polys &Given);
  static bool overwritten(unsigned Root, const Box &What, const regions::Polys &Given, regions::Prover &P,
                          regions::Regions &R, regions::Walk &W);
  bool holdsAccess(const regions::Site &S, const std::vector<const regions::Region *> &What,
                   const regions::Polys &Facts, regions::Regions &R) const;
  bool inside(unsigned Root, const std::vector<Box> &Parts, bool Writes);
  Answer inside(unsigned Root, const Box &What, bool Reads, bool Writes, clang::SourceLocation *Witness);

  // Refutations (Refute.cpp). Proofs that a call violates a clause for all parameters in a class. The class has sizes
  // of a few elements or more, loops that run, conditions that hold. A trial shows that the class is not empty.
  struct Corner {
    regions::Polys Facts; // Facts when the access is made.
    Poly Index;           // The first element of the access.
    Poly Count;
  };
  // First and last iterations of the enclosing loops in which the access is certain. OnlyFirst: only first ones.
  std::vector<Corner> cornersOf(const regions::Site &S, bool OnlyFirst, bool InBytes = false) const;
  bool possible(const regions::Polys &Facts) const;
  regions::Polys sensible(const Box &What, unsigned AtLeast) const;
  // Subscripts of unsigned numbers that are evaluated whenever S is: one that wraps is beyond any array.
  regions::Polys subscriptsWith(const regions::Site &S) const;
  // True if, under Facts, some execution passes through S or returns without throwing.
  bool mayReturn(const regions::Step &S, const regions::Polys &Facts);
  // True if no stride of B is negative under Facts.
  bool upwards(const Box &B, const regions::Polys &Facts);
  bool leaves(const regions::Site &S, const Box &What);
  // True if S accesses bytes outside all parts.
  bool outside(const regions::Site &S, const std::vector<Box> &Parts);
  // True if no access of S is ever in Part.
  bool neverIn(const regions::Site &S, const Box &Part);
  bool enters(const regions::Site &S, const Box &What);
  bool apart(const Box &A, const Box &B);
  bool missed(unsigned Root, const Box &What);
  bool leftOnCondition(unsigned Root, const Box &What);
  const regions::Site *readBeforeWritten(unsigned Root, const Box &What);
  // For an access to partial elements: true if its bytes are constant and known.
  bool inBytes(const regions::Step &L) const {
    return !L.A->Low && L.Byte && Normal.known(*L.Byte) && Normal.known(L.Bytes);
  }
  // The region of an access, with its counters as free symbols.
  regions::Region touched(const regions::Site &S);
  // D is congruent to Rest modulo Modulus and not negative. Modulus 0: D is the constant Rest. Nothing: too
  // large.
  struct Residue {
    std::int64_t Rest, Modulus;
  };
  static std::optional<Residue> residueOf(const Poly &D);
  // True if D is never 0 under Facts.
  bool neverZero(const Poly &D, const regions::Polys &Facts) { return neverZero(D, Facts, P); }
  static bool neverZero(const Poly &D, const regions::Polys &Facts, regions::Prover &P);
  // True if, under Facts, no instance of the write is element Index.
  bool isDisjoint(const regions::Site &Write, const Poly &Index, const regions::Polys &Facts);
};

} // namespace hsched::cc
#endif
