// Polynomials with integer coefficients over symbols, for subscripts, loop bounds and section extents.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are exact. An operation that would overflow 64 bits gives a polynomial that is not valid(). So does one that
// needs more than MostTerms terms, or MostFactors symbols in a term, as hash functions do. So does every operation on
// an invalid one. Invalid means unknown: no query about it returns true.
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

using SymbolId = unsigned; // An index into AccessTree::Symbols, or another numbering of the Poly's user.

class Poly {
public:
  // A product of symbols, sorted, each repeated by its power. Empty: the constant term.
  using Monomial = std::vector<SymbolId>;

  static constexpr std::size_t MostTerms = 64, MostFactors = 16;

  Poly() = default; // 0
  Poly(std::int64_t Constant);
  static Poly symbol(SymbolId S);
  static Poly term(const Monomial &M, std::int64_t C); // A term from another's terms().
  static Poly invalid();

  bool valid() const { return Valid; }
  bool isZero() const { return Valid && Terms.empty(); }
  std::optional<std::int64_t> constant() const; // Nothing if it has symbols or is not valid.
  const std::map<Monomial, std::int64_t> &terms() const { return Terms; }
  std::set<SymbolId> symbols() const;
  bool mentions(SymbolId S) const;
  bool mentionsFrom(SymbolId First) const; // True if it has a symbol >= First.

  Poly operator+(const Poly &O) const;
  Poly operator-(const Poly &O) const;
  Poly operator*(const Poly &O) const;
  Poly operator-() const { return Poly() - *this; }
  // Equality. An invalid polynomial equals nothing.
  bool operator==(const Poly &O) const { return Valid && O.Valid && Terms == O.Terms; }
  // A total order, for maps.
  bool operator<(const Poly &O) const { return std::tie(Valid, Terms) < std::tie(O.Valid, O.Terms); }

  // {A, B} such that *this == A * S + B and neither mentions S; nothing if S occurs with a power above 1.
  std::optional<std::pair<Poly, Poly>> linearIn(SymbolId S) const;
  Poly substituted(SymbolId S, const Poly &By) const;
  // The Q with Q * D == *this, for a D with one term. Nothing: none exists.
  std::optional<Poly> dividedBy(const Poly &D) const;

  // Sums and products of an unsigned type are modulo 2^Bits, so a factor that was a negative number is 2^Bits - c. Of
  // polynomials with symbols, such coefficients become -c again, and c - 2^Bits becomes c. Others are left as they are.
  Poly modulo(unsigned Bits) const;
  // As a C++ expression: "m * lda + n - 1"; "0" for zero.
  std::string print(const std::function<std::string(SymbolId)> &Name) const;

private:
  bool Valid = true;
  std::map<Monomial, std::int64_t> Terms; // No zero coefficients.
  void add(const Monomial &M, std::int64_t C);
};

// With generated names s0, s1, ...: for tests and debuggers.
std::ostream &operator<<(std::ostream &OS, const Poly &P);

} // namespace hsched::cc
#endif
