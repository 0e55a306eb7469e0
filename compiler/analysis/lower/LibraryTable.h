// The notation of the tables of known functions, for Library.cpp, the tables and their tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   {"memcpy memmove", "3: w0(a2 b) r1(a2 b) =0"}
//
// Names, separated by spaces, '%' in them standing for s, d, c and z in turn, '$' for s and d, '&' for c and z. Then
// how many arguments ("3:", "2-3:", "2+:", or "*:" for any number) and, in any order:
//
//   r0 w0 u0       argument 0 is read, written, updated; extent unknown unless a parenthesis follows at once:
//     (3)            3 elements; (a2), (a2*a3), (a2*4): argument 2, and so on; "b" after a space: of bytes
//     (0..1)         as many as between arguments 0 and 1
//     (+a0*4 4)      4 elements from argument 0 times 4 on
//     (a0/a3)        a0 elements, a3 apart; then " t1:a2": a2 elements where argument 1 is a transposition
//     (a0xa1/a5)     a1 columns of a0 elements, a5 apart; then, after spaces, o0 t1 s1:a3 name arguments Order, Trans,
//                    Side and Other
//     ?              after all this: need not touch all of it
//     !              atomic
//     &              elements are also handed to what is called
//     ~9             argument 9 is its Zero
//     +              so are all pointers behind
//   =0             returns a pointer into what argument 0 leads to; a second one of these: AlsoReturns
//   ==0            returns argument 0
//   calls3         calls argument 3
//   io noreturn allocates byref; with byref, arguments without an effect are read, one element each
//
// Elements of 4, 8, 8 and 16 bytes behind pointers to void for the names from %, $ and &.
#ifndef HSCHED_ANALYSIS_LOWER_LIBRARYTABLE_H
#define HSCHED_ANALYSIS_LOWER_LIBRARYTABLE_H

#include "analysis/lower/Library.h"

#include <functional>
#include <span>
#include <string>

namespace hsched::cc {

struct LibraryRow {
  const char *Names, *Spec;
};

std::span<const LibraryRow> libraryRowsC();      // LibraryC.cpp: names as in C; "std::" before them is the same.
std::span<const LibraryRow> libraryRowsCxx();    // LibraryCxx.cpp: names with "std::"
std::span<const LibraryRow> libraryRowsBlas();   // LibraryBlas.cpp
std::span<const LibraryRow> libraryRowsLapack(); // LibraryLapack.cpp
std::span<const LibraryRow> libraryRowsOpenCl(); // LibraryOpenCl.cpp: for OpenCL C. The others are for the host.

struct LibraryEntry {
  std::string Name;
  unsigned Fewest = 0, Most = 0; // Number of arguments.
  LibraryFunction F;
};

// Calls Each for each name of Row. False: the row is malformed; Left is then the unparsed rest.
bool parseLibraryRow(const LibraryRow &Row, const std::function<void(LibraryEntry)> &Each, std::string &Left);

// Calls Each for each function that findLibraryFunction() knows, for the host or for OpenCL C.
void forEachLibraryEntry(bool OpenCL, const std::function<void(const LibraryEntry &)> &Each);

} // namespace hsched::cc
#endif
