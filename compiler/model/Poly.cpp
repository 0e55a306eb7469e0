// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Poly.h"

#include <algorithm>

namespace hsched::cc {

Poly::Poly(std::int64_t Constant) { add({}, Constant); }

Poly Poly::symbol(SymbolId S) { return term({S}, 1); }

Poly Poly::term(const Monomial &M, std::int64_t C) {
  Poly P;
  P.add(M, C);
  return P;
}

Poly Poly::invalid() {
  Poly P;
  P.Valid = false;
  return P;
}

void Poly::add(const Monomial &M, std::int64_t C) {
  if (C == 0)
    return;
  auto [It, New] = Terms.try_emplace(M, C);
  if (New) {
    Valid &= Terms.size() <= MostTerms;
    return;
  }
  if (__builtin_add_overflow(It->second, C, &It->second))
    Valid = false;
  else if (It->second == 0)
    Terms.erase(It);
}

std::optional<std::int64_t> Poly::constant() const {
  if (!Valid)
    return std::nullopt;
  if (Terms.empty())
    return 0;
  if (Terms.size() == 1 && Terms.begin()->first.empty())
    return Terms.begin()->second;
  return std::nullopt;
}

std::set<SymbolId> Poly::symbols() const {
  std::set<SymbolId> All;
  for (const auto &[M, C] : Terms)
    All.insert(M.begin(), M.end());
  return All;
}

bool Poly::mentions(SymbolId S) const {
  return std::any_of(Terms.begin(), Terms.end(),
                     [&](const auto &T) { return std::binary_search(T.first.begin(), T.first.end(), S); });
}

bool Poly::mentionsFrom(SymbolId First) const {
  return std::any_of(Terms.begin(), Terms.end(),
                     [&](const auto &T) { return !T.first.empty() && T.first.back() >= First; });
}

Poly Poly::operator+(const Poly &O) const {
  if (!Valid || !O.Valid)
    return invalid();
  Poly R = *this;
  for (const auto &[M, C] : O.Terms)
    R.add(M, C);
  return R.Valid ? R : invalid();
}

Poly Poly::operator-(const Poly &O) const { return *this + O * Poly(-1); }

Poly Poly::operator*(const Poly &O) const {
  if (!Valid || !O.Valid)
    return invalid();
  Poly R;
  for (const auto &[M, C] : Terms)
    for (const auto &[N, D] : O.Terms) {
      if (M.size() + N.size() > MostFactors)
        return invalid();
      Monomial Product = M;
      Product.insert(Product.end(), N.begin(), N.end());
      std::sort(Product.begin(), Product.end());
      std::int64_t E;
      if (__builtin_mul_overflow(C, D, &E))
        return invalid();
      R.add(Product, E);
      if (!R.Valid)
        return invalid();
    }
  return R;
}

std::optional<std::pair<Poly, Poly>> Poly::linearIn(SymbolId S) const {
  if (!Valid)
    return std::nullopt;
  Poly A, B;
  for (const auto &[M, C] : Terms) {
    auto [First, Last] = std::equal_range(M.begin(), M.end(), S);
    if (Last - First > 1)
      return std::nullopt;
    if (First == Last) {
      B.add(M, C);
      continue;
    }
    Monomial Rest(M.begin(), First);
    Rest.insert(Rest.end(), Last, M.end());
    A.add(Rest, C);
  }
  return std::pair(A, B);
}

Poly Poly::substituted(SymbolId S, const Poly &By) const {
  if (!Valid)
    return invalid();
  Poly R;
  for (const auto &[M, C] : Terms) {
    Poly Product(C);
    for (SymbolId T : M)
      Product = Product * (T == S ? By : symbol(T));
    R = R + Product;
  }
  return R;
}

std::optional<Poly> Poly::dividedBy(const Poly &D) const {
  if (!Valid || !D.Valid || D.Terms.size() != 1)
    return std::nullopt;
  const auto &[By, Coefficient] = *D.Terms.begin();
  Poly Q;
  for (const auto &[M, C] : Terms) {
    // INT64_MIN / -1 is the only quotient that overflows.
    if (Coefficient == -1 && C == INT64_MIN)
      return std::nullopt;
    if (C % Coefficient != 0 || !std::includes(M.begin(), M.end(), By.begin(), By.end()))
      return std::nullopt;
    Monomial Rest;
    std::set_difference(M.begin(), M.end(), By.begin(), By.end(), std::back_inserter(Rest));
    Q.add(Rest, C / Coefficient);
  }
  return Q;
}

Poly Poly::modulo(unsigned Bits) const {
  constexpr std::int64_t Small = std::int64_t(1) << 20;
  if (!Valid || constant() || Bits < 32 || Bits > 62)
    return *this;
  const std::int64_t Whole = std::int64_t(1) << Bits;
  Poly R;
  for (const auto &[M, C] : Terms)
    R.add(M, C > Whole - Small && C < Whole + Small    ? C - Whole
             : C < Small - Whole && C > -Whole - Small ? C + Whole
                                                       : C);
  return R;
}

std::string Poly::print(const std::function<std::string(SymbolId)> &Name) const {
  if (!Valid)
    return "?";
  if (Terms.empty())
    return "0";
  // Products before the constant, as in usual notation; added terms before subtracted ones.
  std::vector<std::pair<Monomial, std::int64_t>> Sorted(Terms.begin(), Terms.end());
  std::stable_sort(Sorted.begin(), Sorted.end(), [](const auto &A, const auto &B) {
    if ((A.second > 0) != (B.second > 0))
      return A.second > 0;
    return A.first.size() > B.first.size();
  });
  std::string Text;
  for (const auto &[M, C] : Sorted) {
    const bool Minus = C < 0;
    // The negation of INT64_MIN overflows a signed integer.
    const std::uint64_t Size = Minus ? 0 - static_cast<std::uint64_t>(C) : static_cast<std::uint64_t>(C);
    Text += Text.empty() ? (Minus ? "-" : "") : Minus ? " - " : " + ";
    if (M.empty() || Size != 1)
      Text += std::to_string(Size);
    for (std::size_t I = 0; I != M.size(); ++I)
      Text += (I || Size != 1 ? " * " : "") + Name(M[I]);
  }
  return Text;
}

std::ostream &operator<<(std::ostream &OS, const Poly &P) {
  return OS << P.print([](SymbolId S) { return "s" + std::to_string(S); });
}

} // namespace hsched::cc
