// What a symbol is: a place that a declaration leads to, or an operation on other symbols. Text plays no part in it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_MODEL_IDENTITY_H
#define HSCHED_MODEL_IDENTITY_H

#include "model/Poly.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace clang {
class ValueDecl;
}

namespace hsched::cc {

// A declaration and the way from it: s, then member rows, element k, member size.
struct AccessPath {
  struct Step {
    enum Kind : std::uint8_t { Member, Element, Size };
    Kind K;
    const clang::ValueDecl *Field = nullptr; // Of a member: the canonical declaration.
    Poly At = {};                            // Of an element: what is behind a pointer is its element 0.
    friend bool operator<(const Step &A, const Step &B) {
      return std::tie(A.K, A.Field, A.At) < std::tie(B.K, B.Field, B.At);
    }
  };
  const clang::ValueDecl *From = nullptr; // The canonical declaration. Null: the implicit object, or Written.
  std::string Written = {};               // Text of the host's side in a kernel's range and arguments. Empty: none.
  std::vector<Step> Steps = {};

  AccessPath then(Step S) const {
    AccessPath P = *this;
    P.Steps.push_back(std::move(S));
    return P;
  }
  AccessPath member(const clang::ValueDecl *Field) const { return then({Step::Member, Field}); }
  AccessPath element(Poly At) const { return then({Step::Element, nullptr, std::move(At)}); }
  AccessPath size() const { return then({Step::Size}); }
  friend bool operator<(const AccessPath &A, const AccessPath &B) {
    return std::tie(A.From, A.Written, A.Steps) < std::tie(B.From, B.Written, B.Steps);
  }
};

// Symbols are one if and only if their identities are equal.
struct Identity {
  AccessPath Place = {};      // For what lies in memory at the call's begin.
  std::string Operation = {}; // "<", "/": on the operands. Empty: it is Place.
  std::vector<Poly> Operands = {};

  Identity(AccessPath Place) : Place(std::move(Place)) {}
  Identity(std::string Operation, std::vector<Poly> Operands)
      : Operation(std::move(Operation)), Operands(std::move(Operands)) {}
  // A < B ? A : B, and A > B ? A : B.
  static Identity extreme(const Poly &A, const Poly &B, bool Least) { return {Least ? "<?:" : ">?:", {A, B}}; }
  // A / By, rounded to zero.
  static Identity quotient(const Poly &A, std::int64_t By) { return {"(# / #)", {A, By}}; }
  friend bool operator<(const Identity &A, const Identity &B) {
    return std::tie(A.Operation, A.Operands, A.Place) < std::tie(B.Operation, B.Operands, B.Place);
  }
};

} // namespace hsched::cc
#endif
