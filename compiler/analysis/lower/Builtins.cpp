// Compiler built-ins: atomics, assumptions for the optimiser, pipes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"

#include "clang/Basic/Builtins.h"

using namespace clang;

namespace hsched::cc {

std::optional<Value> Lowerer::builtinCall(const CallExpr *E, unsigned Id) {
  const llvm::StringRef Name = Context.BuiltinInfo.getName(Id);
  switch (Id) {
  case Builtin::BI__builtin_expect:
  case Builtin::BI__builtin_expect_with_probability:
  case Builtin::BI__builtin_assume_aligned:
  case Builtin::BI__builtin_launder:
  case Builtin::BI__builtin_addressof:
  case Builtin::BImove:
  case Builtin::BIforward:
  case Builtin::BIas_const:
  case Builtin::BIaddressof:
  case Builtin::BI__addressof:
  case Builtin::BImove_if_noexcept:
  case Builtin::BIforward_like:
    return evaluate(E->getArg(0));
  case Builtin::BI__builtin_constant_p:
  case Builtin::BI__builtin_object_size:
  case Builtin::BI__builtin_dynamic_object_size:
  case Builtin::BI__builtin_assume:
  case Builtin::BI__assume:
  case Builtin::BI__builtin_va_start:
  case Builtin::BI__builtin_va_end:
    return Value();
  case Builtin::BI__builtin_is_constant_evaluated:
    return Value::integer(0);
  case Builtin::BI__builtin_unreachable:
    stop(E->getExprLoc(), true);
    return Value();
  case Builtin::BI__builtin_alloca:
  case Builtin::BI__builtin_alloca_with_align:
  case Builtin::BIalloca: {
    for (const Expr *A : E->arguments())
      evaluate(A);
    Value At = temporary(E, E->getType(), nullptr);
    At.To[0].Element = true;
    return At;
  }
  default:
    break;
  }
  if (Name.starts_with("__sync_") || Name.starts_with("__atomic_") || Name.starts_with("__c11_atomic")) {
    Value At, Given, Was;
    for (unsigned I = 0; I != E->getNumArgs(); ++I) {
      const Value V = evaluate(E->getArg(I));
      if (I == 0)
        At = V;
      else
        Given = join(Given, V.flat());
    }
    if (!E->getNumArgs() || !E->getArg(0)->getType()->isPointerType())
      return Value();
    const QualType T = E->getArg(0)->getType()->getPointeeType();
    touch(At, T, AccessKind::Update, E->getExprLoc(), E, true);
    for (const Place &P : At.To) {
      Was = join(Was, loadValue(P, T).flat());
      if (!P.Memory)
        storeObject(P, Value(), false);
    }
    if (holdsPointers(T))
      escape(Given, E->getExprLoc(), "it is put into memory");
    Was.forgetNumber();
    return Was;
  }
  if (Name.contains("_pipe")) { // Pipes of OpenCL.
    for (const Expr *A : E->arguments()) {
      const Value V = evaluate(A);
      escape(V, E->getExprLoc(), "it goes through a pipe");
    }
    return Value();
  }
  if (!Name.starts_with("__builtin_"))
    return std::nullopt;
  std::vector<Value> Args = arguments(llvm::ArrayRef<const Expr *>(E->getArgs(), E->getNumArgs()));
  llvm::SmallVector<const Expr *, 8> Exprs(E->arg_begin(), E->arg_end());
  if (std::optional<Value> V = libraryCall(E, E->getDirectCallee(), Args, Exprs))
    return V;
  Value All;
  for (std::size_t I = 0; I != Args.size(); ++I) {
    const QualType T = Exprs[I]->getType();
    if (!T->isPointerType() && !Exprs[I]->isGLValue())
      continue;
    const QualType To = T->isPointerType() ? T->getPointeeType() : T;
    escape(Args[I], E->getExprLoc(), "'" + text(Exprs[I]) + "' is handed to '" + Name.str() + "'",
           To.isConstQualified());
    All = join(All, Args[I].flat());
  }
  if (!holdsPointers(E->getType()))
    return Value();
  All.forgetNumber();
  All.Unbounded = "it is returned by '" + Name.str() + "'";
  return All;
}

Value Lowerer::atomicExpr(const AtomicExpr *E) {
  const Value At = evaluate(E->getPtr());
  std::vector<std::pair<Value, const Expr *>> Others;
  for (unsigned I = 1; I < E->getNumSubExprs(); ++I)
    Others.push_back({evaluate(E->getSubExprs()[I]), E->getSubExprs()[I]});
  const std::string Name = E->getOpAsString().str();
  const llvm::StringRef Op = Name;
  const bool Load = Op.ends_with("_load") || Op.ends_with("_load_n"),
             Store = Op.ends_with("_store") || Op.ends_with("_store_n") || Op.ends_with("_init");
  const QualType T = E->getPtr()->getType()->getPointeeType();
  touch(At, T, Load ? AccessKind::Read : Store ? AccessKind::Write : AccessKind::Update, E->getExprLoc(), E, true);
  for (const auto &[V, X] : Others)
    if (X->getType()->isPointerType()) { // The place of the value: expected, or the result.
      touch(V, X->getType()->getPointeeType(), AccessKind::Update, E->getExprLoc(), X);
      for (const Place &P : V.To)
        if (!P.Memory)
          storeObject(P, Value(), false);
    }
  Value R;
  for (const Place &P : At.To) {
    Value V = loadValue(P, T);
    R = join(R, V);
  }
  if (!Load && !At.pointsNowhere())
    for (const auto &[V, X] : Others)
      if (!V.pointsNowhere() && holdsPointers(T))
        escape(V, E->getExprLoc(), "it is put into memory");
  for (const Place &P : At.To)
    if (!P.Memory && !Load)
      storeObject(P, Value(), false);
  R.forgetNumber();
  return R;
}

// An element of a constant table.
Value Lowerer::constantElement(const Place &P, QualType T) const {
  const VarDecl *V = P.Memory && P.Id < Facts.size() ? Facts[P.Id].Variable : nullptr;
  if (!V || !Facts[P.Id].Constant || !P.Offset.isZero() || !V->getType()->isIntegralOrEnumerationType() ||
      !Context.hasSameUnqualifiedType(V->getType(), T))
    return {};
  const VarDecl *Def = V->getDefinition();
  if (!Def || !Def->hasInit() || Def->getInit()->isValueDependent())
    return {};
  if (const std::optional<std::int64_t> C = constantOf(Def->getInit()))
    return Value::integer(*C);
  return {};
}

} // namespace hsched::cc
