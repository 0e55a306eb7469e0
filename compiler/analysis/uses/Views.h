// Views of the standard library: std::span and the range adaptors, which hand on the elements of what they are made of.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_USES_VIEWS_H
#define HSCHED_ANALYSIS_USES_VIEWS_H

#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"

namespace hsched::cc {

// Without what makes a temporary object of it, or converts or copies it.
const clang::Expr *withoutTemporaries(const clang::Expr *E);

// What E, a call or a construction of a view, is a view of; null: it is none, or not one of a range.
const clang::Expr *rangeOfView(const clang::Expr *E);

// Of an element that is no copy of anything, but leads to other elements: a view, a tuple that may be of references.
bool leadsOn(clang::QualType Element);

// Of a view whose elements are values that a function returns.
bool yieldsValues(clang::QualType View);

// Of a view whose elements cannot be changed through it.
bool hasConstElements(clang::QualType View);

// Whether what E, an argument of an adaptor or an algorithm, calls with elements only reads them. What is no callable
// calls nothing.
bool callableReads(const clang::Expr *E);

// The ranges that a call of an algorithm of std::ranges only reads; none: it is no such call. Position: nobody writes
// through an iterator that it returns.
llvm::SmallVector<const clang::Expr *, 2> rangesRead(const clang::CallExpr *Call, bool Position = false);

// Whether a call is of an algorithm of std::ranges; rangesRead() knows more of some.
bool isRangeAlgorithm(const clang::CallExpr *Call);

// A function of the standard library that leads to a part of its first argument, as std::get and operator * of
// std::optional do, and changes nothing by itself.
bool leadsToPart(const clang::FunctionDecl *F);

// Whether a call compares its arguments, or counts from one to the other, and hands neither on.
bool comparesPositions(const clang::CallExpr *Call);

// Whether a call is of std::visit or std::apply, for something that only reads.
bool visits(const clang::CallExpr *Call);

// Whether a call changes nothing, but returns a pointer or an iterator into its argument or object: std::get_if, a
// map's lower_bound().
bool pointsInto(const clang::CallExpr *Call);

// The call that E, or what it is a member of, is the result of; null: none.
const clang::CallExpr *positionOf(const clang::Expr *E);

// The call that E reads an element by: f(r) of the value of *f(r); null: it is no such value.
const clang::CallExpr *lookedUp(const clang::Expr *E);

// The arguments of a call or construction; those behind the first.
llvm::ArrayRef<clang::Expr *> argumentsOf(const clang::Expr *E);
llvm::ArrayRef<clang::Expr *> otherArguments(const clang::Expr *E);

} // namespace hsched::cc
#endif
