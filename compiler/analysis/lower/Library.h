// What functions do whose bodies nobody sees: the C and C++ libraries, BLAS and LAPACK, OpenCL's built-ins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_LOWER_LIBRARY_H
#define HSCHED_ANALYSIS_LOWER_LIBRARY_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace hsched::cc {

// What a call does through one of its arguments. "Elements" are of the pointer's own type, or, where that is void, of
// ElementBytes bytes; a reference is a pointer here. An effect whose Argument, or an argument that its extent needs, is
// not there in a call (a default argument left out) counts as one of unknown extent, or as none where Argument itself
// is not there.
struct LibraryEffect {
  unsigned Argument = 0;              // From 0.
  bool AndAllAfter = false;           // And through all pointers among the arguments behind it (sscanf).
  bool Read = false, Written = false; // Both: each element is read before it is written.
  bool Atomic = false;
  // The call need not touch all of it (strncpy's source, fread's target); always so where the extent is not Known.
  bool Maybe = false;
  // Elements are also handed to the function that the call calls (LibraryFunction::Calls), by reference where it takes
  // them so: std::for_each.
  bool Handed = false;
  // Where argument Zero is the constant 0 it is written and not read (beta of gemm), else not all of it need be
  // touched.
  int Zero = -1;

  // How much, counted from the pointer on: as a product of arguments and a constant. Factor -1: not that factor.
  // Bytes: in bytes, else in elements. Unknown extent, anywhere before or behind the pointer: Known is false.
  bool Known = false, Bytes = false;
  int Factor[2] = {-1, -1};
  std::int64_t Times = 1;
  unsigned ElementBytes = 0;
  // Until >= 0: instead, as many as lie between arguments Since (Argument itself where it is -1) and Until, which are
  // iterators or pointers: std::fill(first, last, x), the target of std::copy(first, last, target).
  int Until = -1, Since = -1;
  // Offset >= 0: begins argument Offset * OffsetTimes elements behind the pointer: vloadN.
  int Offset = -1;
  std::int64_t OffsetTimes = 1;
  // Stride >= 0: a BLAS vector: Factor[0] elements, argument Stride apart; Times is 1. A constant 1 makes it
  // contiguous. A stride below 0 counts from the far end: the same elements as with -Stride. Where argument Trans is a
  // transposition, argument Other takes the place of Factor[0].
  int Stride = -1;
  // Ld >= 0: a BLAS matrix: Factor[1] columns of Factor[0] elements each, argument Ld elements apart; Times is 1.
  // Factor[0] and Factor[1] change places where exactly one of these holds: argument Order is row-major (101), argument
  // Trans is a transposition (not 111, 'N' or 'n'). Where argument Side is right (142, 'R' or 'r') both factors are
  // argument Other instead. An argument of these that is no constant: unknown extent.
  int Ld = -1, Order = -1, Trans = -1, Side = -1, Other = -1;
};

struct LibraryFunction {
  std::vector<LibraryEffect> Effects; // Arguments that are not here are values, or pointers that are not followed.
  int Returns = -1;                   // Returns this argument, or a pointer or reference into what it points to.
  int AlsoReturns = -1;               // Or this one: std::max.
  bool ReturnsSame = false;           // Argument Returns as it is: memcpy, std::move.
  bool Allocates = false;             // Returns memory that nothing else leads to, or null.
  bool Pure = true;                   // Touches nothing else that a task could see; printf and rand are not.
  bool NoReturn = false;
  bool ByReference = false; // Fortran: the arguments that extents are made of are pointers to the numbers.
  int Calls = -1; // Calls this argument (qsort, std::for_each), if it is there: its effects are those of any callee.
};

// Null where the function is not known, or not with so many arguments. Name is qualified, without template arguments
// and inline namespaces: "memcpy", "std::fill", "cblas_dgemm", "get_global_id", "vload4". OpenCL says whether the
// caller is OpenCL C. An execution policy is not among the arguments. Only for functions without a visible body, or
// whose body is of a system header; members of classes are not in the table. What is returned lives as long as the
// program.
const LibraryFunction *findLibraryFunction(std::string_view Name, bool OpenCL, unsigned NumArgs);

} // namespace hsched::cc
#endif
