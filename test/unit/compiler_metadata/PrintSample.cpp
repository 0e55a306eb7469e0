// Prints metadata for validate.py: the sample, or with an argument an empty unit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Sample.h"
#include "emit/Metadata.h"

#include <iostream>

int main(int Argc, char **) {
  using namespace hsched::cc;
  UnitData Empty;
  Empty.Source = "empty.cpp";
  std::cout << toJson(Argc > 1 ? Empty : sampleUnit(), 2) << '\n';
}
