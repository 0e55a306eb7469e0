// Polynomials with integer coefficients over symbols: what subscripts, loop bounds and section extents are in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are exact: an operation that would overflow 64 bits, or that would need more than MostTerms terms or
// MostFactors symbols in one of them (what a hash function computes soon does), gives a polynomial that is not valid(),
// as does every operation on one. Not valid means unknown: no question about it is answered with yes.
#ifndef HSCHED_MODEL_POLY_H
#define HSCHED_MODEL_POLY_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace hsched::cc {

using SymbolId = unsigned; // An index into AccessTree::Symbols, or whatever else the user of a Poly counts.

class Poly {
public:
  // Symbols multiplied, sorted; a symbol as often as its power says. Empty: the constant term.
  using Monomial = std::vector<SymbolId>;

  static constexpr std::size_t MostTerms = 64, MostFactors = 16;

  Poly() = default; // 0
  Poly(std::int64_t Constant);
  static Poly symbol(SymbolId S);
  static Poly term(const Monomial &M, std::int64_t C); // One of another's terms().
  static Poly invalid();

  bool valid() const { return Valid; }
  bool isZero() const { return Valid && Terms.empty(); }
  std::optional<std::int64_t> constant() const; // Nothing where it has symbols or is not valid.
  const std::map<Monomial, std::int64_t> &terms() const { return Terms; }
  std::set<SymbolId> symbols() const;
  bool mentions(SymbolId S) const;
  bool mentionsFrom(SymbolId First) const; // A symbol that is not less.

  Poly operator+(const Poly &O) const;
  Poly operator-(const Poly &O) const;
  Poly operator*(const Poly &O) const;
  Poly operator-() const { return Poly() - *this; }
  // The same polynomial; two that are not valid are not equal.
  bool operator==(const Poly &O) const { return Valid && O.Valid && Terms == O.Terms; }
  // Any total order, for maps.
  bool operator<(const Poly &O) const { return std::tie(Valid, Terms) < std::tie(O.Valid, O.Terms); }

  // {A, B} such that *this == A * S + B and neither mentions S; nothing where S occurs with a power above 1.
  std::optional<std::pair<Poly, Poly>> linearIn(SymbolId S) const;
  Poly substituted(SymbolId S, const Poly &By) const;
  // The Q with Q * D == *this, where D has one term; nothing where there is none.
  std::optional<Poly> dividedBy(const Poly &D) const;

  // As a C++ expression: "m * lda + n - 1"; "0" where it is zero.
  std::string print(const std::function<std::string(SymbolId)> &Name) const;

private:
  bool Valid = true;
  std::map<Monomial, std::int64_t> Terms; // No zero coefficients.
  void add(const Monomial &M, std::int64_t C);
};

// With made-up names, s0 and so on: for tests and debuggers.
std::ostream &operator<<(std::ostream &OS, const Poly &P);

} // namespace hsched::cc
#endif
