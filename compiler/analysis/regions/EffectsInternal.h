// The parts of Effects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_EFFECTSINTERNAL_H
#define HSCHED_ANALYSIS_REGIONS_EFFECTSINTERNAL_H

#include "analysis/regions/Boxes.h"
#include "analysis/regions/Effects.h"

namespace hsched::cc {

// What is supposed of parameters (a box tells what of it was needed, and no section is said to be overwritten by it): a
// Value that is a loop's length, or a factor of one or of a section's size, is not negative.
struct Effects::Impl {
  static constexpr unsigned Work = 3000; // For one question, or one root's boxes.

  explicit Impl(const AccessTree &T);

  const AccessTree &Tree;
  regions::NormalTree Normal;
  regions::Prover P;
  regions::Prover Certain; // That supposes nothing of sizes.
  regions::Regions R;
  regions::Walk W;
  std::vector<regions::Site> Sites;
  std::vector<RootEffect> All;
  regions::Polys Given; // Tree.Facts
  unsigned StrictWork = 0;
  std::vector<regions::BoxFound::Pair> Wanted; // By the boxes that are in All.

  void roles();
  void readFirst();
  void boxes();
  // Pieces.cpp
  std::vector<RootEffect::Piece> pieces(regions::BoxFinder &Finder, unsigned Id,
                                        std::vector<const regions::Site *> Sites);

  // Values that the sizes of What are made of: >= 0.
  static regions::Polys sizesOf(const Box &What);
  bool overwritten(unsigned Root, const Box &What);
  // Where Given hold; where What has symbols that are the greatest of others, for each of these by itself if need be.
  bool overwritten(unsigned Root, const Box &What, const regions::Polys &Given, unsigned Depth);
  bool overwrittenAtOnce(unsigned Root, const Box &What, const regions::Polys &Given);
  static bool overwritten(unsigned Root, const Box &What, const regions::Polys &Given, regions::Prover &P,
                          regions::Regions &R, regions::Walk &W);
  bool holdsAccess(const regions::Site &S, const regions::Region &What, const regions::Polys &Facts);
  Answer inside(unsigned Root, const Box &What, bool Reads, bool Writes, clang::SourceLocation *Witness);

  // Refutations (Refute.cpp). Proofs that a call does otherwise for all parameters of the kind that they look at:
  // sizes of a few elements or more, loops that run, conditions that hold. That there are any is tried out.
  struct Corner {
    regions::Polys Facts; // When the access is made.
    Poly Index;           // Its first element.
    Poly Count;
  };
  // First and last iterations of the loops around, where the access is surely made then. OnlyFirst: of all loops.
  std::vector<Corner> cornersOf(const regions::Site &S, bool OnlyFirst, bool InBytes = false) const;
  bool possible(const regions::Polys &Facts) const;
  regions::Polys sensible(const Box &What, unsigned AtLeast) const;
  // Where Facts hold, some execution comes through, or returns, without throwing.
  bool mayReturn(const regions::Step &S, const regions::Polys &Facts);
  // No stride of B is negative where Facts hold.
  bool upwards(const Box &B, const regions::Polys &Facts);
  bool leaves(const regions::Site &S, const Box &What);
  // Bytes that S touches are in none of the parts.
  bool outside(const regions::Site &S, const std::vector<Box> &Parts);
  // None of them ever is in Part.
  bool neverIn(const regions::Site &S, const Box &Part);
  bool enters(const regions::Site &S, const Box &What);
  bool apart(const Box &A, const Box &B);
  bool missed(unsigned Root, const Box &What);
  bool leftOnCondition(unsigned Root, const Box &What);
  const regions::Site *readBeforeWritten(unsigned Root, const Box &What);
  // Of an access to no whole elements: whether its bytes are the same each time, and known.
  bool inBytes(const regions::Step &L) const {
    return !L.A->Low && L.Byte && Normal.known(*L.Byte) && Normal.known(L.Bytes);
  }
  // The elements that an access touches, its counters being its own.
  regions::Region touched(const regions::Site &S);
  // All that D can be is Rest modulo Modulus, and not negative; of a constant, Rest, Modulus being 0. Nothing: too
  // large.
  struct Residue {
    std::int64_t Rest, Modulus;
  };
  static std::optional<Residue> residueOf(const Poly &D);
  // D is never 0 where Facts hold.
  bool neverZero(const Poly &D, const regions::Polys &Facts) { return neverZero(D, Facts, P); }
  static bool neverZero(const Poly &D, const regions::Polys &Facts, regions::Prover &P);
  // No instance of the write is Index, where Facts hold.
  bool neverTouches(const regions::Site &Write, const Poly &Index, const regions::Polys &Facts);
};

} // namespace hsched::cc
#endif
