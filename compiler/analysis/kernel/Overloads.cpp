// Min, max and clamp of operands of different types. Clang's own declarations make a call ambiguous; other vendors'
// compilers convert the operands as an operator would. These declarations do so, too, and replace Clang's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/kernel/Internal.h"

namespace hsched::cc {

std::string mixedOverloads() {
  const std::string Types[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"};
  std::string Text;
  // The result's type is that of a sum of the operands.
  const auto declare = [&](const std::string &Result, const std::string &Name, const std::string &Of) {
    Text += Result + " __attribute__((overloadable, const)) " + Name + "(" + Of + ");\n";
  };
  for (const std::string &A : Types) {
    if (A == "double")
      Text += "#ifdef cl_khr_fp64\n";
    for (const char *Size : {"2", "3", "4", "8", "16"}) {
      const std::string V = A + Size;
      for (const std::string &Second : {V, A}) {
        declare(V, "min", V + ", " + Second);
        declare(V, "max", V + ", " + Second);
        declare(V, "clamp", V + ", " + Second + ", " + Second);
      }
    }
    for (const std::string &B : Types) {
      if (B == "double" && A != "double") // Declared with A and B exchanged below.
        continue;
      const std::string Both = "__typeof__((" + A + ")0 + (" + B + ")0";
      for (const char *Name : {"min", "max"}) {
        declare(Both + ")", Name, A + ", " + B);
        if (A == "double" && B != A)
          declare(Both + ")", Name, B + ", " + A);
      }
      for (const std::string &C : Types)
        if (A == "double" ? B == A && C == A : C != "double")
          declare(Both + " + (" + C + ")0)", "clamp", A + ", " + B + ", " + C);
    }
    if (A == "double")
      Text += "#endif\n";
  }
  return Text;
}

} // namespace hsched::cc
