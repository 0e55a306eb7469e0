// What functions do whose bodies nobody sees: the C and C++ libraries, BLAS and LAPACK, OpenCL's built-ins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_LOWER_LIBRARY_H
#define HSCHED_ANALYSIS_LOWER_LIBRARY_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hsched::cc {

// What a call does through one of its arguments.
struct LibraryEffect {
  unsigned Argument = 0; // from 0
  bool Read = false, Written = false;
  bool Atomic = false;
  // How much, counted from the pointer on: as a product of arguments and a constant. ByArgument -1: not that factor.
  // Bytes: in bytes, else in elements of the pointer's own type. Unknown extent: Known is false.
  bool Known = false, Bytes = false;
  int Factor[2] = {-1, -1};
  std::int64_t Times = 1;
  int Until = -1;     // a second iterator or pointer, that ends it: std::fill(first, last, x)
  bool Maybe = false; // the call need not touch all of it: strncpy's source, fread's target
};

struct LibraryFunction {
  std::vector<LibraryEffect> Effects; // arguments that are not here are values, or pointers that are not followed
  int Returns = -1;                   // returns this argument, or a pointer into what it points to
  bool Pure = true;                   // touches nothing else that a task could see; printf and rand are not
  bool NoReturn = false;
  int Calls = -1; // calls this argument (qsort, std::for_each): its effects are those of any callee
};

// Null where the function is not known. Name is qualified and without template arguments: "memcpy", "std::fill",
// "cblas_dgemm", "get_global_id", "vload4". OpenCL says whether the caller is OpenCL C.
const LibraryFunction *findLibraryFunction(std::string_view Name, bool OpenCL);

} // namespace hsched::cc
#endif
