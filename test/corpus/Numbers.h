// Sections and boxes as sets of numbers, for parameters that have been given values: what two ways of saying an extent
// have in common can then be compared without algebra.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_CORPUS_NUMBERS_H
#define HSCHED_TEST_CORPUS_NUMBERS_H

#include "model/AccessTree.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace hsched::cc::corpus {

// Values for everything that expressions name. What has none gets a small one, the same each time it is asked for.
class Values {
public:
  explicit Values(unsigned Seed) : Seed(Seed) {}
  std::int64_t of(const std::string &Name);
  void set(const std::string &Name, std::int64_t V) { Known[Name] = V; }

private:
  unsigned Seed;
  std::map<std::string, std::int64_t> Known;
};

// An integer expression of C++: + - * / % << >>, min and max, casts; everything else is a name as it stands. Nothing
// where it is malformed or divides by zero.
std::optional<std::int64_t> evaluate(const std::string &Expression, Values &V);

// The same as a polynomial over T's symbols, to which names are added that are not among them. Nothing where it is
// none.
std::optional<Poly> polynomial(const std::string &Expression, AccessTree &T);

std::optional<std::int64_t> evaluate(const Poly &P, const AccessTree &T, Values &V);

using Elements = std::set<std::int64_t>;

std::optional<Elements> elements(const Box &B, const AccessTree &T, Values &V);

// What a tree's accesses come to, for each root: all that may be touched. Nothing of a root that is touched Anywhere.
// Loops without bounds and values that nobody knows are tried with a few numbers. False where it takes too long.
bool enumerate(const AccessTree &T, Values &V, std::map<unsigned, Elements> &Out);

} // namespace hsched::cc::corpus
#endif
