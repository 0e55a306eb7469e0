// What the corpus's comments say, read from the text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_CORPUS_EXPECTATIONS_H
#define HSCHED_TEST_CORPUS_EXPECTATIONS_H

#include "Numbers.h"

#include <string>
#include <vector>

namespace hsched::cc::corpus {

struct ExpectedAccess {
  std::string Role; // "in", "out", "inout", "none"
  bool Conceded = false;
  std::string Name, Text;
  enum { Whole, Unknown, Section } Extent = Whole;
  std::string Base;                                      // Section
  std::vector<std::pair<std::string, std::string>> Dims; // count, stride
};

struct Expectation {
  unsigned Line = 0; // on which the function begins
  std::vector<ExpectedAccess> Accesses;
  bool Opaque = false;
  std::vector<std::string> Global, Local; // of ndrange
};

// All of a file's text. False, and Error says where, when a comment is malformed.
bool readExpectations(const std::string &Text, std::vector<Expectation> &Out, std::string &Error);

std::optional<Elements> elements(const ExpectedAccess &E, Values &V);

} // namespace hsched::cc::corpus
#endif
