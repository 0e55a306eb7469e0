// Conclusions about an AccessTree: roles, extents, coverage. No Clang, no source: trees in, answers out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_EFFECTS_H
#define HSCHED_ANALYSIS_REGIONS_EFFECTS_H

#include "model/AccessTree.h"

#include <memory>

namespace hsched::cc {

// What a call does to one root, whatever the values of its parameters.
struct RootEffect {
  bool Read = false, Written = false; // May be.
  // An element of the root may be read, of those of the memory before the call, although the call writes it too.
  bool ReadFirst = false;
  clang::SourceLocation FirstRead,
      FirstWrite; // Places to show; FirstRead is one that makes ReadFirst true if any does.
  // The smallest boxes found that hold all accesses, all reads, all writes. Nothing: none was found, and Why and WhyLoc
  // say which access defeats it, in words as of Access::Why.
  std::optional<Box> All, Reads, Writes;
  // Where All is nothing, and that for want of knowing which end is less: a few boxes that hold all accesses together.
  // Each has an innermost dimension of stride 1, be it of one element, if its strides may be negative.
  struct Piece {
    Box What;
    bool Read = false, Written = false;
  };
  std::vector<Piece> Pieces;
  std::string Why;
  // The boxes hold all accesses of calls in which each of these is >= 0: n - 1 where [0, n) stands for y[0] and a loop
  // over [1, n). What they take for granted is plausible (loops that are there run), but not proved. Mostly empty. Of
  // strides nothing is: they may be negative, but for the innermost.
  std::vector<Poly> Assumed;
  clang::SourceLocation WhyLoc;
};

enum class Answer { No, Yes, Unknown };

class Effects {
public:
  // Kept by reference. It gets symbols for the greater of two ends of what is touched where it needs them.
  explicit Effects(AccessTree &Tree);
  ~Effects();
  Effects(Effects &&) noexcept;

  const RootEffect &of(unsigned Root) const;

  // Whether the call overwrites every element of What, wholly, on every path on which it does not throw, before it
  // reads it: what out means. Yes is proved. No: some element is surely missed or read first, Witness says where, and
  // ReadIt which of the two.
  Answer overwrites(unsigned Root, const Box &What, clang::SourceLocation *Witness = nullptr,
                    bool *ReadIt = nullptr) const;

  // Whether every access to the root is inside What. No is proved too: there are values of the parameters that make
  // sense of the section, and an access at Witness that leaves it then.
  Answer inside(unsigned Root, const Box &What, clang::SourceLocation *Witness = nullptr) const;

  // inside() for reads or writes alone.
  Answer readsInside(unsigned Root, const Box &What, clang::SourceLocation *Witness = nullptr) const;
  Answer writesInside(unsigned Root, const Box &What, clang::SourceLocation *Witness = nullptr) const;

  // Where bytes of the root are written, or else read and not written, that are in none of the parts, boxes of bytes:
  // proved as of inside(); invalid: it is not known that there are any. What is atomic is no such place.
  clang::SourceLocation outside(unsigned Root, const std::vector<Box> &Parts, bool Writes) const;

  // Where an element of What is surely written, for values that make sense of the section; invalid: it is not known.
  clang::SourceLocation writesIn(unsigned Root, const Box &What) const;
  // No element is in both, where both make sense: proved.
  bool apart(const Box &A, const Box &B) const;

  // How much has been tried to prove so far, in Prover's units; bounded, and the same for the same tree and questions.
  unsigned work() const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::cc
#endif
