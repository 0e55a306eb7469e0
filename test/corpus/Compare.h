// Compares what is expected of a function with what is inferred.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_CORPUS_COMPARE_H
#define HSCHED_TEST_CORPUS_COMPARE_H

#include "Expectations.h"
#include "Infer.h"

namespace hsched::cc::corpus {

enum class Verdict { Agreed, MorePrecise, LessPrecise, Wrong };

struct Finding {
  Verdict V = Verdict::Agreed;
  std::string Name;               // of what is touched
  std::string Expected, Inferred; // printed
  std::string Why;
};

// One finding for each access expected, and one for each that is inferred without. Adds names to I's tree.
std::vector<Finding> compare(const Expectation &E, Inferred &I);

// Where the expectation, taken as declared, would be contradicted: texts.
std::vector<std::string> alarms(const Expectation &E, Inferred &I);

} // namespace hsched::cc::corpus
#endif
