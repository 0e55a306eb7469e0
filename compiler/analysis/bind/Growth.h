// How a number of a clause changes with a loop's variable.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ANALYSIS_BIND_GROWTH_H
#define HSCHED_ANALYSIS_BIND_GROWTH_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <optional>
#include <string>
#include <vector>

namespace hsched::cc {

enum class Degree {
  None,     // It does not change.
  Affine,   // It changes by the same amount from each iteration to the next.
  Monotone, // It never falls, or never rises.
  Other
};

struct Growth {
  Degree D = Degree::None;
  int Sign = 0;       // 1: it does not fall, -1: it does not rise, 0: one of them, the same for all iterations.
  unsigned Bits = 0;  // The number of bits of its constant factors together.
  bool Wraps = false; // A factor is so large that the values may wrap around, as those of a hash do.
};

// The growth of A + B.
Growth sum(Growth A, Growth B);

// Reads expressions that Clang has built. Variable is the name of the loop's variable.
class GrowthOf {
public:
  GrowthOf(clang::ASTContext &Context, llvm::StringRef Variable) : Context(Context), Variable(Variable) {}

  // The growth of the sum of All. Terms that cancel each other do not count.
  Growth sumOf(llvm::ArrayRef<const clang::Expr *> All) const;
  // The growth of the address of E.
  Growth placeOf(const clang::Expr *E) const;
  bool mentions(const clang::Stmt *S) const;

private:
  clang::ASTContext &Context;
  llvm::StringRef Variable;

  struct Term {
    bool Minus;
    const clang::Expr *E; // Null: a conversion changes its values.
    std::string Text;
  };
  // The lesser or the greater of two values.
  struct Choice {
    const clang::Expr *First, *Second;
  };

  bool isVariable(const clang::DeclRefExpr &E) const;
  const clang::Expr *plain(const clang::Expr *E, unsigned *Width = nullptr) const;
  bool keepsValues(clang::QualType From, clang::QualType To) const;
  static bool cancelled(const std::vector<Term> &All, const Term &T);
  std::string text(const clang::Expr *E) const;
  void split(const clang::Expr *E, bool Minus, std::vector<Term> &Out) const;
  std::int64_t factorOf(const clang::Expr *E) const;
  Growth total(std::vector<Term> Terms, unsigned Depth) const;
  std::optional<Choice> choice(const clang::Expr *E) const;
  bool mayPassZero(const clang::Stmt *S) const;
  std::optional<llvm::APSInt> constantOf(const clang::Expr *E) const;
  int signOf(const clang::Expr *E) const;
  Growth scaled(Growth G, unsigned Bits, int Sign, clang::QualType In) const;
  Growth of(const clang::Expr *E) const;
};

} // namespace hsched::cc
#endif
