// Parts of variables that sections name: rows, elements, members.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INFER_PARTS_H
#define HSCHED_ANALYSIS_INFER_PARTS_H

#include "analysis/infer/Paths.h"
#include "model/AccessTree.h"
#include "model/Directive.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/ArrayRef.h"

namespace hsched::cc {

struct Part {
  std::optional<Box> Bytes; // From the first byte of the whole on; nothing: which ones is not known.
  bool Behind = false;      // Not in the whole, but what a pointer in it leads to.
};

// The part of an object of type Whole, or of what a pointer or reference of that type leads to, that S names by way of
// Base; nothing where it is not known to be one. Number reads an expression.
std::optional<Part> partOf(clang::ASTContext &Context, const Section &S, const Path &Base, clang::QualType Whole,
                           llvm::function_ref<std::optional<Poly>(llvm::StringRef)> Number);

// The type of what Steps lead to from a variable of type T, through pointers and references as well; null: not known.
clang::QualType typeAlong(clang::ASTContext &Context, clang::QualType T, llvm::ArrayRef<Path::Step> Steps);

// The members on that way, in order; nothing from one on that is not known.
std::vector<const clang::FieldDecl *> membersAlong(clang::ASTContext &Context, clang::QualType T,
                                                   llvm::ArrayRef<Path::Step> Steps);

// The members on that way, in order, up to one that is not known.
std::vector<const clang::FieldDecl *> membersAlong(clang::ASTContext &Context, clang::QualType T,
                                                   llvm::ArrayRef<Path::Step> Steps);

} // namespace hsched::cc
#endif
