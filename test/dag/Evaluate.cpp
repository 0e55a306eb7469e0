// Evaluates guidance expressions, a line each: "value 7", or "error why". For expressions.py, which compares with
// Python's own. With --files a line is the path of a file of kernels, and the answer "taken", or "error why": for
// fields.py, which has thousands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dag/Expression.h"
#include "dag/Graph.h"

#include <iostream>
#include <string>

using namespace hsched::dag;

namespace {

void resolveAll(const std::map<std::string, std::string> &Symbols) {
  ResolveOptions Options;
  Options.MostBytes = 1 << 30;
  Options.Symbols = Symbols;
  for (std::string Path; std::getline(std::cin, Path);)
    try {
      const Document D = load(Path);
      (void)resolve(D, Options);
      std::cout << "taken" << std::endl;
    } catch (const Error &E) {
      std::cout << "error " << E.what() << std::endl;
    }
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc > 1 && std::string(Argv[1]) == "--files") {
    resolveAll(Argc > 2 ? std::map<std::string, std::string>{{Argv[2], "64"}} : std::map<std::string, std::string>{});
    return 0;
  }
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
