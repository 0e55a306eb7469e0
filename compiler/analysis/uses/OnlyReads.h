// Whether a name for an object, a parameter or a reference, is only read through, as far as what is written proves it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_USES_ONLYREADS_H
#define HSCHED_ANALYSIS_USES_ONLYREADS_H

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Stmt.h"

namespace hsched::cc {

// Of the object that a reference or pointer parameter leads to, or that the member function F is called on. No, where
// the body is not visible, or another one may be called.
bool onlyReads(const clang::FunctionDecl &F, unsigned Parameter);
bool onlyReadsObject(const clang::CXXMethodDecl &F);

// Of the object that Reference, or the names that it is taken apart into, stand for; Within is all that they are seen
// in.
bool onlyReads(const clang::Stmt *Within, const clang::VarDecl &Reference);

// Of Variable; Within is all that it is seen in.
bool onlyReadsVariable(const clang::Stmt *Within, const clang::VarDecl &Variable);

// Of the elements that View, a variable that is one of the standard library's views, hands on.
bool onlyReadsThrough(const clang::Stmt *Within, const clang::VarDecl &View);

// Of the elements that Iterator, or a pointer, leads to.
bool onlyReadsAt(const clang::Stmt *Within, const clang::VarDecl &Iterator);

} // namespace hsched::cc
#endif
