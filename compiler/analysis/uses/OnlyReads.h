// Tests whether a parameter or reference is only read through, by a conservative analysis of the source.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_USES_ONLYREADS_H
#define HSCHED_ANALYSIS_USES_ONLYREADS_H

#include "clang/AST/DeclCXX.h"
#include "clang/AST/Stmt.h"

namespace hsched::cc {

// For the object behind a reference or pointer parameter, or the implicit object of F. False if the body is not
// visible, or if the call is virtual.
bool onlyReads(const clang::FunctionDecl &F, unsigned Parameter);
bool onlyReadsObject(const clang::CXXMethodDecl &F);

// For the object behind Reference, or behind its structured bindings. Within: their whole
// scope.
bool onlyReads(const clang::Stmt *Within, const clang::VarDecl &Reference);

// For Variable. Within: its whole scope.
bool onlyReadsVariable(const clang::Stmt *Within, const clang::VarDecl &Variable);

// For the elements of View, a variable with a view type of the standard library.
bool onlyReadsThrough(const clang::Stmt *Within, const clang::VarDecl &View);

// For the elements behind Iterator, which may be a pointer.
bool onlyReadsAt(const clang::Stmt *Within, const clang::VarDecl &Iterator);

} // namespace hsched::cc
#endif
