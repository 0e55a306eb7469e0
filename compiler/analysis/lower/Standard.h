// Types of the C++ library that lowering knows by name.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_LOWER_STANDARD_H
#define HSCHED_ANALYSIS_LOWER_STANDARD_H

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Type.h"

#include <cstdint>
#include <optional>

namespace hsched::cc {

struct StandardType {
  enum Kind { None, Container, Array, View, Pointer, Iterator, Atomic, AtomicRef } K = None;
  clang::QualType Element;
  std::optional<std::int64_t> Count; // Of elements, where the type says it.
};

StandardType standardType(clang::QualType T);
bool isStandard(const clang::Decl *D);                      // In namespace std, or in the library's own.
bool isNatural(const clang::CXXRecordDecl *R);              // Its members' bodies say what it does: std::pair.
bool isOwner(const clang::CXXRecordDecl *R);                // Of the standard library's: has its elements to itself.
bool isTile(const clang::CXXRecordDecl *R);                 // hsched::tile; of null: not.
bool synchronizes(clang::QualType T);                       // A mutex and the like, which are there to be shared.
bool isPolicy(const clang::CXXRecordDecl *R);               // Says how they are kept, and holds nothing: std::less.
bool deletesByDefault(clang::QualType Smart);               // A smart pointer that has no deleter of its own.
bool destructorsRun(clang::QualType T, unsigned Depth = 0); // Of the program's own, where a T is destroyed.
bool isComparison(clang::OverloadedOperatorKind K);

} // namespace hsched::cc
#endif
