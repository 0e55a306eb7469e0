// Views of the standard library: std::span and the range adaptors, which refer to elements of another range.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_USES_VIEWS_H
#define HSCHED_ANALYSIS_USES_VIEWS_H

#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"

namespace hsched::cc {

// E without temporaries, conversions and copies.
const clang::Expr *withoutTemporaries(const clang::Expr *E);

// The range of view E, a call or a construction. Null: E is no view, or not of a range.
const clang::Expr *rangeOfView(const clang::Expr *E);

// True if an element is itself a reference to others: a view, or a tuple that may hold references.
bool holdsReferences(clang::QualType Element);

// True if the view's elements are values returned by a function.
bool yieldsValues(clang::QualType View);

// True if the view's elements cannot be changed through it.
bool hasConstElements(clang::QualType View);

// True if callable E, an argument of an adaptor or algorithm, only reads elements. True if E is no
// callable.
bool callableReads(const clang::Expr *E);

// The ranges that a call of a std::ranges algorithm only reads; empty: no such call. Position: the returned iterator is
// not written through.
llvm::SmallVector<const clang::Expr *, 2> rangesRead(const clang::CallExpr *Call, bool Position = false);

// True if a call is of a std::ranges algorithm; rangesRead() knows details of some.
bool isRangeAlgorithm(const clang::CallExpr *Call);

// True for a standard function that returns a reference to a part of its first argument and changes nothing, as
// std::get and operator * of std::optional.
bool returnsPart(const clang::FunctionDecl *F);

// True if a call only compares its arguments, or computes their distance.
bool comparesPositions(const clang::CallExpr *Call);

// True if a call is std::visit or std::apply with a callable that only reads.
bool visits(const clang::CallExpr *Call);

// True if a call changes nothing and returns a pointer or iterator into its argument or object: std::get_if, a map's
// lower_bound().
bool pointsInto(const clang::CallExpr *Call);

// The call whose result is E, or contains E; null: none.
const clang::CallExpr *positionOf(const clang::Expr *E);

// The call through which E reads an element: f(r) for the value of *f(r). Null: none.
const clang::CallExpr *lookedUp(const clang::Expr *E);

// The arguments of a call or construction; in the second function, those behind the first.
llvm::ArrayRef<clang::Expr *> argumentsOf(const clang::Expr *E);
llvm::ArrayRef<clang::Expr *> otherArguments(const clang::Expr *E);

} // namespace hsched::cc
#endif
