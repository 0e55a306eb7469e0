// Types of the C++ library that lowering knows by name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_LOWER_STANDARD_H
#define HSCHED_ANALYSIS_LOWER_STANDARD_H

#include "analysis/lower/Library.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Type.h"

#include <cstdint>
#include <optional>

namespace hsched::cc {

struct StandardType {
  enum Kind { None, Container, Array, View, Pointer, Iterator, Atomic, AtomicRef } K = None;
  clang::QualType Element;
  std::optional<std::int64_t> Count; // Number of elements, if the type defines it.
};

StandardType standardType(clang::QualType T);
bool isStandard(const clang::Decl *D); // True in namespace std, or in the library's own.
// Is: a set of LibraryClass. False for null.
bool isLibrary(const clang::CXXRecordDecl *R, unsigned Is);
bool isAnalysed(const clang::CXXRecordDecl *R); // Its members' bodies are analysed: std::pair.
// The body shows more than the library's table: lowering follows calls in it.
bool hasFollowedBody(const clang::FunctionDecl &F);
bool isTile(const clang::CXXRecordDecl *R);                 // True for hsched::tile. False for null.
bool synchronizes(clang::QualType T);                       // A type for synchronisation, such as a mutex.
bool hasDefaultDeleter(clang::QualType Smart);              // A smart pointer with the default deleter.
bool destructorsRun(clang::QualType T, unsigned Depth = 0); // True if destroying a T runs a destructor of the program.
// True if the library may run copies, assignments or operators of the program on a T.
bool ownCodeRuns(clang::QualType T, unsigned Depth = 0);
bool isComparison(clang::OverloadedOperatorKind K);

} // namespace hsched::cc
#endif
