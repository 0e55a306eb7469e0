// Evaluates guidance expressions, a line each: "value 7", or "error why". For expressions.py, which compares with
// Python's own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Expression.h"

#include <iostream>
#include <string>

using namespace hsched::dag;

int main() {
  for (std::string Line; std::getline(std::cin, Line);) {
    try {
      const int64_t V = Expression::parse(Line).evaluate([](const std::string &Name) -> std::optional<int64_t> {
        if (Name == "M")
          return 1024;
        if (Name == "N")
          return -7;
        if (Name == "K")
          return 3;
        return std::nullopt;
      });
      std::cout << "value " << V << '\n';
    } catch (const ExpressionError &E) {
      std::cout << "error " << E.what() << '\n';
    }
  }
  return 0;
}
