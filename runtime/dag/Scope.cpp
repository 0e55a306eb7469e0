// Symbols and their values.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Fields.h"
#include "dag/Resolve.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace hsched::dag {
namespace {

// The common case, without a parser: digits.
bool plain(const std::string &S, int64_t &Out) {
  if (S.empty() || S.size() > 18 || (S.size() > 1 && S[0] == '0') || S.find_first_not_of("0123456789") != S.npos)
    return false;
  Out = std::strtoll(S.c_str(), nullptr, 10);
  return true;
}

} // namespace

Scope::Scope(const Document &D, const ResolveOptions &Options) : Python2(D.Python2) {
  Assignments Given;
  for (const auto &[Name, Value] : Options.Symbols) {
    Given.push_back({Name, {Value, {}}});
    Unused.insert(Name);
  }
  define(Given, Known, true);
  Assignments Own;
  for (const auto &[Name, Value] : D.Symbols) {
    if (!isName(Name))
      Value.At.fail(quote(Name) + " is not a name that a symbol can have");
    if (!Options.Symbols.count(Name))
      Own.push_back({Name, Value});
    Unused.erase(Name);
  }
  define(Own, Known, false);
}

void Scope::add(const Assignments &Own) {
  for (const auto &[Name, Value] : Own)
    if (!isName(Name))
      Value.At.fail(quote(Name) + " is not a name that a symbol can have");
  define(Own, Local, false);
}

// Symbols may need each other in any order. A symbol that lacks one is tried again behind it, without recursion.
void Scope::define(const Assignments &All, std::map<std::string, int64_t> &To, bool OfCommandLine) {
  for (const auto &[Name, Value] : All)
    Pending[Name] = &Value;
  for (const auto &[First, FirstValue] : All) {
    std::vector<std::string> Way = {First};
    std::set<std::string> On = {First};
    while (!Way.empty()) {
      const std::string Name = Way.back();
      const auto At = Pending.find(Name);
      if (At == Pending.end()) {
        On.erase(Name);
        Way.pop_back();
        continue;
      }
      const Text &Value = *At->second;
      int64_t N = 0;
      Missing.clear();
      Defined = Name;
      try {
        if (!plain(Value.S, N))
          N = value(Value.S, {});
      } catch (const ExpressionError &E) {
        if (!Missing.empty() && On.insert(Missing).second) {
          Way.push_back(Missing);
          continue;
        }
        const std::string Why =
            quote(Value.S) + ": " +
            (Missing.empty() ? E.what() : "symbols " + quote(Missing) + " and " + quote(Name) + " need each other");
        if (OfCommandLine)
          throw Error("-D " + Name + "=" + Value.S + ": " + Why);
        Value.At.fail(Why);
      }
      To[Name] = N;
      Pending.erase(Name);
    }
  }
}

std::optional<int64_t> Scope::lookup(const std::string &Name) const {
  if (auto At = Local.find(Name); At != Local.end())
    return At->second;
  // A kernel's N may be computed from the file's N.
  if (Name != Defined && Pending.count(Name)) {
    Missing = Name;
    return std::nullopt;
  }
  if (auto At = Known.find(Name); At != Known.end())
    return At->second;
  return std::nullopt;
}

int64_t Scope::value(const std::string &S, const Part &Of) const {
  const Expression E = Expression::parse(S, Python2);
  const int64_t N = E.evaluate([this](const std::string &Name) { return lookup(Name); }, Of);
  if (!Unused.empty())
    for (const std::string &Name : E.symbols())
      if (!Local.count(Name))
        Unused.erase(Name);
  return N;
}

int64_t Scope::integer(const Text &T, const Part &Of) const {
  if (int64_t N; plain(T.S, N))
    return N;
  try {
    return value(T.S, Of);
  } catch (const ExpressionError &E) {
    T.At.fail(quote(T.S) + ": " + E.what());
  }
}

int64_t Scope::integer(const Text &T, int64_t Least, int64_t Most, const char *What, const Part &Of) const {
  const int64_t N = integer(T, Of);
  if (N < Least || N > Most) {
    const std::string Spelled = T.S == std::to_string(N) ? T.S : quote(T.S) + " is " + std::to_string(N);
    T.At.fail(Spelled + ": " + What +
              (Most == std::numeric_limits<int64_t>::max()
                   ? " is at least " + std::to_string(Least)
                   : " is between " + std::to_string(Least) + " and " + std::to_string(Most)));
  }
  return N;
}

bool Scope::isLiteral(const Text &T, double &N) {
  // The literal has the same meaning in Python.
  std::string Literal = T.S;
  if (!Literal.empty() && (Literal.back() == 'f' || Literal.back() == 'F') &&
      Literal.find_first_of("xX") == std::string::npos)
    Literal.pop_back();
  if (Literal.find_first_not_of("0123456789.eE+-") != std::string::npos ||
      Literal.find_first_of("0123456789") == std::string::npos)
    return false;
  char *End = nullptr;
  N = std::strtod(Literal.c_str(), &End);
  if (*End != '\0')
    return false;
  if (!std::isfinite(N))
    T.At.fail(quote(T.S) + " is too large for a number");
  return true;
}

double Scope::number(const Text &T, const Part &Of) const {
  if (int64_t N; plain(T.S, N))
    return static_cast<double>(N);
  if (double N; isLiteral(T, N))
    return N;
  return static_cast<double>(integer(T, Of));
}

std::string Scope::macro(const Text &T) const {
  try {
    return std::to_string(value(T.S, {}));
  } catch (const ExpressionError &E) {
    for (unsigned char C : T.S)
      if (!C || (!std::isalnum(C) && !std::strchr("_.+-*()<>=!&|^~%,", C)))
        T.At.fail(quote(T.S) + " is neither an expression nor a word for a macro: " + E.what());
    return T.S;
  }
}

bool Scope::usesPart(const Text &T) const {
  try {
    return Expression::parse(T.S, Python2).usesPart();
  } catch (const ExpressionError &) {
    return false;
  }
}

} // namespace hsched::dag
