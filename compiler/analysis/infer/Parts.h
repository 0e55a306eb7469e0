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
  std::optional<Box> Bytes; // Relative to the whole's first byte. Nothing: unknown.
  bool Behind = false;      // Not inside the whole, but behind a pointer in it.
};

// The part that S names through Base, in an object of type Whole or behind a pointer or reference of that type.
// Nothing: not known to be a part. Number evaluates an expression.
std::optional<Part> partOf(clang::ASTContext &Context, const Section &S, const Path &Base, clang::QualType Whole,
                           llvm::function_ref<std::optional<Poly>(llvm::StringRef)> Number);

// The type at the end of Steps from a variable of type T, through pointers and references. Null: unknown.
clang::QualType typeOfPath(clang::ASTContext &Context, clang::QualType T, llvm::ArrayRef<Path::Step> Steps);

// The members on that way, in order; nothing from one on that is not known.
std::vector<const clang::FieldDecl *> membersOfPath(clang::ASTContext &Context, clang::QualType T,
                                                    llvm::ArrayRef<Path::Step> Steps);

// The members on that path, in order, up to the first unknown one.
std::vector<const clang::FieldDecl *> membersOfPath(clang::ASTContext &Context, clang::QualType T,
                                                    llvm::ArrayRef<Path::Step> Steps);

} // namespace hsched::cc
#endif
