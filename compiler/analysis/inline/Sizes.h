// Types whose sizes are known at run time only: how generated code declares them again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_INLINE_SIZES_H
#define HSCHED_ANALYSIS_INLINE_SIZES_H

#include "model/Program.h"

#include "clang/AST/ASTContext.h"

namespace hsched::cc {

// True if T, or the type it refers to, is an array of variable length or leads to one.
bool hasRunTimeSize(clang::QualType T);

// The sizes in T that are known at run time only, outermost first.
std::vector<const clang::Expr *> runTimeSizes(clang::QualType T);

// Fills the fields of Code, a capture of a variable of type T, with which the block declares it again. Of: makes the
// sizes' names unique. Written: a size as the block may write it; empty: it is computed from the variable's type. The
// C++ compiler compares sizes as they are written.
void declareAgain(clang::ASTContext &Context, clang::QualType T, const std::string &Of,
                  llvm::function_ref<std::string(const clang::Expr *)> Written, CaptureCode &Code);

// Fills the fields of S that say how many elements the rows of its base have. T: the base's type.
void measureRows(clang::ASTContext &Context, clang::QualType T, Section &S);

} // namespace hsched::cc
#endif
