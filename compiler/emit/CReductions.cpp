// Built-in reductions in C: one constant for each operation and type.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/CodeInternal.h"

namespace hsched::cc {
namespace {

struct Operation {
  const char *Name, *Sign, *Begin, *Result;
};
constexpr Operation Operations[] = {
    {"hsched_gen_plus", "+", "0", "hsched_a + hsched_b"},
    {"hsched_gen_times", "*", "1", "hsched_a * hsched_b"},
    {"hsched_gen_bit_and", "&", "-1", "hsched_a & hsched_b"},
    {"hsched_gen_bit_or", "|", "0", "hsched_a | hsched_b"},
    {"hsched_gen_bit_xor", "^", "0", "hsched_a ^ hsched_b"},
    {"hsched_gen_and", "&&", "1", "hsched_a && hsched_b"},
    {"hsched_gen_or", "||", "0", "hsched_a || hsched_b"},
    {"hsched_gen_min", "min", "HSCHED_C_HIGH", "hsched_b < hsched_a ? hsched_b : hsched_a"},
    {"hsched_gen_max", "max", "HSCHED_C_LOW", "hsched_a < hsched_b ? hsched_b : hsched_a"},
};

} // namespace

std::string reductionName(const AccessCode &A) {
  if (!A.Reductions.empty())
    return A.Reductions.front();
  std::string Type = A.Element;
  for (char &C : Type)
    if (C == ' ')
      C = '_';
  return A.BuiltIn + "_" + Type;
}

std::string builtInReduction(const AccessCode &A) {
  for (const Operation &O : Operations)
    if (A.BuiltIn == O.Name) {
      std::string Begin = O.Begin;
      if (Begin[0] == 'H')
        Begin += "(" + A.Element + ")";
      return "HSCHED_C_REDUCTION(" + reductionName(A) + ", " + A.Element + ", \"" + O.Sign + "\", " + Begin + ", " +
             O.Result + ")\n";
    }
  return "";
}

} // namespace hsched::cc
