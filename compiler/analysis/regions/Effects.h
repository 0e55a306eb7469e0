// Conclusions about an AccessTree: roles, extents, coverage. No Clang, no source: trees in, answers out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_REGIONS_EFFECTS_H
#define HSCHED_ANALYSIS_REGIONS_EFFECTS_H

#include "model/AccessTree.h"

#include <functional>
#include <memory>

namespace hsched::cc {

// The effect of a call on one root, for all values of its parameters.
struct RootEffect {
  bool Read = false, Written = false; // May be read; may be written.
  // An element's value from before the call may be read, although the call also writes the element.
  bool ReadFirst = false;
  // Places for diagnostics. FirstRead is one that makes ReadFirst true, if any.
  clang::SourceLocation FirstRead, FirstWrite;
  // The smallest boxes found around all accesses, all reads, all writes. Nothing: none was found, because of the access
  // at WhyLoc; Why has the reason, as Access::Why.
  std::optional<Box> All, Reads, Writes;
  // If All is nothing because the order of its ends is unknown: a few boxes that together hold all accesses. If strides
  // may be negative, each has an innermost dimension of stride 1, possibly of one element.
  struct Piece {
    Box What;
    bool Read = false, Written = false;
  };
  std::vector<Piece> Pieces;
  std::string Why;
  // Assumptions, each >= 0, under which the boxes hold all accesses: n - 1 if [0, n) stands for y[0] and a loop over
  // [1, n). They are plausible (loops run) but not proved. Mostly empty. They never concern strides: all but the
  // innermost may be negative.
  std::vector<Poly> Assumed;
  clang::SourceLocation WhyLoc;
};

enum class Answer { No, Yes, Unknown };

class Effects {
public:
  // Tree is kept by reference. Symbols for the maximum of two ends are added to it as needed.
  explicit Effects(AccessTree &Tree);
  ~Effects();
  Effects(Effects &&) noexcept;

  const RootEffect &of(unsigned Root) const;

  // Whether the call overwrites every element of What before reading it, on every path that does not throw:
  // the meaning of `out`. Yes is proved. No is proved: an element is missed, or read first (ReadIt), at
  // Witness.
  Answer overwrites(unsigned Root, const Box &What, clang::SourceLocation *Witness = nullptr,
                    bool *ReadIt = nullptr) const;

  // Whether every access to the root is inside What. No is proved too: for some parameter values with a valid section,
  // the access at Witness is outside.
  Answer inside(unsigned Root, const Box &What, clang::SourceLocation *Witness = nullptr) const;

  // As inside(), for reads or writes alone.
  Answer readsInside(unsigned Root, const Box &What, clang::SourceLocation *Witness = nullptr) const;
  Answer writesInside(unsigned Root, const Box &What, clang::SourceLocation *Witness = nullptr) const;

  // True if it is proved, without assumptions on sizes, that every read (or every write) of the root lies in Parts.
  bool inside(unsigned Root, const std::vector<Box> &Parts, bool Writes) const;

  // The place of a write (or of a read of unwritten bytes) outside all parts, which are boxes of bytes; proved as in
  // inside(). Invalid: none is known. Atomic accesses do not count, and those for which Counts, if given, is false.
  clang::SourceLocation outside(unsigned Root, const std::vector<Box> &Parts, bool Writes,
                                const std::function<bool(const Access &)> &Counts = {}) const;

  // The place of a certain write to an element of What, for values with a valid section. Invalid: unknown.
  clang::SourceLocation writesIn(unsigned Root, const Box &What) const;
  // True if the boxes are proved disjoint.
  bool apart(const Box &A, const Box &B) const;

  // Proof work so far, in Prover's units. Bounded and deterministic.
  unsigned work() const;

private:
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace hsched::cc
#endif
