// What the standard library's types mean.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

using namespace clang;

namespace hsched::cc {

QualType Lowerer::standardArrayElement(QualType) const { return {}; }
bool Lowerer::standardView(const Place &, QualType, Value &) { return false; }
bool Lowerer::standardParameter(QualType, const Root &, const RootFacts &, Value &) { return false; }
std::optional<Place> Lowerer::standardObject(const Root &, const RootFacts &, QualType) { return std::nullopt; }
std::optional<Value> Lowerer::standardFunction(const CallExpr *, const FunctionDecl *) { return std::nullopt; }
std::optional<Value> Lowerer::standardMember(const CallExpr *, const CXXMethodDecl *, const Expr *,
                                             llvm::ArrayRef<const Expr *>) {
  return std::nullopt;
}
std::optional<Value> Lowerer::standardConstructor(const CXXConstructExpr *) { return std::nullopt; }
Condition Lowerer::standardCondition(const Expr *, bool &Understood) {
  Understood = false;
  return {};
}
std::optional<Value> Lowerer::builtinCall(const CallExpr *, unsigned) { return std::nullopt; }
Value Lowerer::atomicExpr(const AtomicExpr *E) { return unknown(E); }
Value Lowerer::constantElement(const Place &, QualType) const { return {}; }

std::optional<Value> Lowerer::openclCall(const CallExpr *, const FunctionDecl *) { return std::nullopt; }
Poly Lowerer::parseExpression(const std::string &Text) { return symbolOf(Text); }
AccessTree Lowerer::kernel(const FunctionDecl &F, const KernelGeometry &) { return function(F); }

} // namespace hsched::cc
