// What the statements of a loop and the types of its counters tell, before the loop is lowered.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_ANALYSIS_LOWER_LOOP_STATEMENTS_H
#define HSCHED_CC_ANALYSIS_LOWER_LOOP_STATEMENTS_H

#include "clang/AST/Expr.h"

#include <optional>
#include <set>
#include <vector>

namespace hsched::cc {

// A first guess at the variables that a loop changes. It only saves a pass.
void findAssigned(const clang::Stmt *S, std::set<const clang::ValueDecl *> &Found);

// The n of i < n, where the loop changes i. Null if the condition is no comparison of a variable.
const clang::Expr *limitOf(const clang::Expr *Cond, const std::set<const clang::ValueDecl *> &Changed);

// True if S may throw.
bool mayThrow(const clang::Stmt *S);

// True if S has a throw of its own.
bool hasThrow(const clang::Stmt *S);

// True if a counter of type T may go on from its greatest number to its least. One of 64 bits never gets there.
bool wraps(const clang::ASTContext &Context, clang::QualType T);

// True if a counter of type T, or one of its members, has fewer numbers than int.
bool narrow(const clang::ASTContext &Context, clang::QualType T);

// True if S only adds constants that are not negative to D.
bool onlyRises(const clang::Stmt *S, const clang::ValueDecl *D);

// True if S has a statement that may leave a loop.
bool leaves(const clang::Stmt *S);

// True if S is a constant other than 0.
bool isAlways(const clang::Expr *Cond);

// The only test of for (;;) { Before; if (Cond) { After; break; } Behind }. After may end with a return instead.
struct LoopExit {
  std::vector<const clang::Stmt *> Before, Behind, After;
  const clang::Expr *Cond = nullptr;
  bool Until = false; // The loop ends when Cond holds, not when it fails.
  bool Last = false;  // It is a loop do { Before } while (Cond).
};
// Nothing: Body begins otherwise, or no comparison of numbers ends it. HasStep: something runs behind Body.
std::optional<LoopExit> exitOf(const clang::ASTContext &Context, const clang::Stmt *Body, bool HasStep);

} // namespace hsched::cc
#endif
