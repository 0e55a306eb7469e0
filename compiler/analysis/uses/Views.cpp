// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/uses/Views.h"

#include "analysis/uses/OnlyReads.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace hsched::cc {
namespace {

// The namespace of the standard library that D is declared in by name: "std", "std::ranges", or none.
enum class Home { Elsewhere, Std, Ranges, Views };
Home homeOf(const Decl *D) {
  Home Found = Home::Std;
  for (const DeclContext *DC = D ? D->getDeclContext() : nullptr; DC; DC = DC->getParent()) {
    const auto *NS = dyn_cast<NamespaceDecl>(DC);
    if (NS && NS->isStdNamespace())
      return Found;
    if (NS && NS->getName() == "views")
      Found = Home::Views;
    else if (NS && NS->getName() == "ranges" && Found != Home::Views)
      Found = Home::Ranges;
  }
  return Home::Elsewhere;
}

// T may be null, for example for a list in parentheses that depends on a template.
bool isView(QualType T) {
  const CXXRecordDecl *R = T.isNull() ? nullptr : T.getNonReferenceType()->getAsCXXRecordDecl();
  if (!R || !R->getIdentifier())
    return false;
  const llvm::StringRef Name = R->getName();
  switch (homeOf(R)) {
  case Home::Std:
    return Name == "span" || Name == "basic_string_view";
  case Home::Ranges:
    return Name.ends_with("_view") || Name == "subrange";
  default:
    return false;
  }
}

bool isRange(const Expr *E) {
  const QualType T = E->getType();
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  if (!R)
    return T->isArrayType();
  if (isView(T))
    return true;
  if (!R->hasDefinition())
    return false;
  for (const CXXMethodDecl *M : R->methods())
    if (M->getIdentifier() && M->getName() == "begin")
      return true;
  return llvm::any_of(R->bases(), [](const CXXBaseSpecifier &Base) {
    const CXXRecordDecl *B = Base.getType()->getAsCXXRecordDecl();
    return B && B->isInStdNamespace(); // A container like std::vector.
  });
}

bool reads(const FunctionDecl &F) {
  for (unsigned I = 0; I != F.getNumParams(); ++I) {
    const QualType T = F.getParamDecl(I)->getType();
    if ((T->isReferenceType() || T->isPointerType()) && !T->getPointeeType().isConstQualified() && !onlyReads(F, I))
      return false;
  }
  return true;
}

} // namespace

const Expr *withoutTemporaries(const Expr *E) {
  while (E) {
    const Expr *Inner = E->IgnoreParenImpCasts();
    if (const auto *Full = dyn_cast<FullExpr>(Inner))
      Inner = Full->getSubExpr();
    else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Inner))
      Inner = Temporary->getSubExpr();
    else if (const auto *Bind = dyn_cast<CXXBindTemporaryExpr>(Inner))
      Inner = Bind->getSubExpr();
    else if (const auto *Cast = dyn_cast<CXXFunctionalCastExpr>(Inner))
      Inner = Cast->getSubExpr();
    else if (const auto *Construct = dyn_cast<CXXConstructExpr>(Inner);
             Construct && Construct->getConstructor()->isCopyOrMoveConstructor() && Construct->getNumArgs() == 1)
      Inner = Construct->getArg(0);
    if (Inner == E)
      return E;
    E = Inner;
  }
  return E;
}

llvm::ArrayRef<Expr *> argumentsOf(const Expr *E) {
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E))
    return llvm::ArrayRef(const_cast<CXXConstructExpr *>(Construct)->getArgs(), Construct->getNumArgs());
  if (const auto *Call = dyn_cast<CallExpr>(E)) {
    llvm::ArrayRef<Expr *> List(const_cast<CallExpr *>(Call)->getArgs(), Call->getNumArgs());
    const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Call);
    return Operator && Operator->getOperator() == OO_Call ? List.drop_front() : List;
  }
  return {};
}

llvm::ArrayRef<Expr *> otherArguments(const Expr *E) {
  const llvm::ArrayRef<Expr *> List = argumentsOf(E);
  return List.empty() || isa<CXXMemberCallExpr>(E) ? List : List.drop_front();
}

const Expr *rangeOfView(const Expr *E) {
  E = E ? withoutTemporaries(E) : nullptr;
  if (!E || !isView(E->getType()))
    return nullptr;
  // Member functions first, last and subspan of span, substr of string_view.
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E)) {
    const Expr *Object = Member->getImplicitObjectArgument();
    return Object && isView(Object->getType()) && homeOf(Member->getMethodDecl()) == Home::Std
               ? withoutTemporaries(Object)
               : nullptr;
  }
  if (const auto *Call = dyn_cast<CallExpr>(E)) {
    if (homeOf(Call->getDirectCallee()) != Home::Ranges && homeOf(Call->getDirectCallee()) != Home::Views)
      return nullptr;
  } else if (!isa<CXXConstructExpr>(E)) {
    return nullptr;
  }
  const llvm::ArrayRef<Expr *> List = argumentsOf(E);
  return !List.empty() && isRange(List.front()) ? withoutTemporaries(List.front()) : nullptr;
}

bool holdsReferences(QualType Element) {
  const CXXRecordDecl *R = Element.getNonReferenceType()->getAsCXXRecordDecl();
  const Home Of = homeOf(R);
  return isView(Element) || Of == Home::Ranges || Of == Home::Views ||
         (Of == Home::Std && R->getIdentifier() && (R->getName() == "tuple" || R->getName() == "pair"));
}

bool yieldsValues(QualType View) {
  const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(View.getNonReferenceType()->getAsCXXRecordDecl());
  if (!R || !isView(View) || R->getName() != "transform_view" || R->getTemplateArgs().size() < 2)
    return false;
  const CXXRecordDecl *Function = R->getTemplateArgs()[1].getAsType()->getAsCXXRecordDecl();
  return Function && Function->hasDefinition() && llvm::any_of(Function->methods(), [](const CXXMethodDecl *M) {
           return M->getOverloadedOperator() == OO_Call && !M->getReturnType()->isReferenceType() &&
                  !M->getReturnType()->isPointerType() && !holdsReferences(M->getReturnType());
         });
}

bool hasConstElements(QualType View) {
  const auto *R = dyn_cast_or_null<ClassTemplateSpecializationDecl>(View.getNonReferenceType()->getAsCXXRecordDecl());
  if (!R || !isView(View) || homeOf(R) != Home::Std)
    return false;
  return R->getName() == "basic_string_view" || R->getTemplateArgs()[0].getAsType().isConstQualified();
}

bool callableReads(const Expr *E) {
  E = withoutTemporaries(E);
  QualType T = E->getType();
  if (T->isPointerType() && T->getPointeeType()->isFunctionType())
    T = T->getPointeeType();
  if (T->isFunctionType()) {
    const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
    if (const auto *F = Ref ? dyn_cast<FunctionDecl>(Ref->getDecl()) : nullptr)
      return reads(*F);
    const auto *Type = T->getAs<FunctionProtoType>();
    return Type && llvm::none_of(Type->param_types(), [](QualType P) {
             return (P->isReferenceType() || P->isPointerType()) && !P->getPointeeType().isConstQualified();
           });
  }
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  if (!R || !R->hasDefinition())
    return true;
  if (homeOf(R) != Home::Elsewhere) {
    // std::function and similar types hide what they call; a closure of an adaptor has its own arguments.
    if (R->getIdentifier() && llvm::is_contained({"function", "move_only_function", "reference_wrapper"}, R->getName()))
      return false;
    return llvm::all_of(argumentsOf(E), [](const Expr *A) { return callableReads(A); });
  }
  if (R->getNumBases() != 0) // They may have been called.
    return isRange(E);
  for (const Decl *D : R->decls()) {
    if (const auto *M = dyn_cast<CXXMethodDecl>(D); M && M->getOverloadedOperator() == OO_Call && !reads(*M))
      return false;
    const auto *Template = dyn_cast<FunctionTemplateDecl>(D);
    const auto *Pattern = Template ? dyn_cast<CXXMethodDecl>(Template->getTemplatedDecl()) : nullptr;
    if (!Pattern || Pattern->getOverloadedOperator() != OO_Call)
      continue;
    for (const FunctionDecl *Instance : Template->specializations())
      if (!reads(*Instance))
        return false;
  }
  return true;
}

static const ValueDecl *algorithmOf(const CallExpr *Call) {
  const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Call);
  if (!Operator || Operator->getOperator() != OO_Call)
    return nullptr;
  const auto *Ref = dyn_cast<DeclRefExpr>(Operator->getArg(0)->IgnoreParenImpCasts());
  return Ref && homeOf(Ref->getDecl()) == Home::Ranges && Ref->getDecl()->getIdentifier() ? Ref->getDecl() : nullptr;
}

bool isRangeAlgorithm(const CallExpr *Call) { return algorithmOf(Call); }

bool returnsPart(const FunctionDecl *F) {
  if (homeOf(F) != Home::Std)
    return false;
  if (const auto *M = dyn_cast<CXXMethodDecl>(F))
    return (M->getOverloadedOperator() == OO_Star || M->getOverloadedOperator() == OO_Arrow) &&
           M->getParent()->getIdentifier() && M->getParent()->getName() == "optional";
  return F->getIdentifier() && F->getNumParams() == 1 && llvm::is_contained({"get", "as_const"}, F->getName());
}

bool comparesPositions(const CallExpr *Call) {
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Call))
    return (Operator->isComparisonOp() || Operator->getOperator() == OO_Minus) && !Call->getType()->isRecordType();
  const FunctionDecl *F = Call->getDirectCallee();
  return homeOf(F) == Home::Std && F->getIdentifier() && F->getName() == "distance";
}

bool visits(const CallExpr *Call) {
  const FunctionDecl *F = Call->getDirectCallee();
  return homeOf(F) == Home::Std && F->getIdentifier() && llvm::is_contained({"visit", "apply"}, F->getName()) &&
         Call->getNumArgs() > 0 && callableReads(Call->getArg(0));
}

bool pointsInto(const CallExpr *Call) {
  const FunctionDecl *F = Call->getDirectCallee();
  if (homeOf(F) != Home::Std || !F->getIdentifier())
    return false;
  return isa<CXXMethodDecl>(F) ? llvm::is_contained({"lower_bound", "upper_bound"}, F->getName())
                               : F->getName() == "get_if";
}

llvm::SmallVector<const Expr *, 2> rangesRead(const CallExpr *Call, bool Position) {
  const ValueDecl *Algorithm = algorithmOf(Call);
  if (!Algorithm)
    return {};
  const llvm::StringRef Name = Algorithm->getName();
  // The result of for_each points behind the last element only.
  bool Reads = llvm::StringSwitch<bool>(Name)
                   .Cases("all_of", "any_of", "none_of", "count", "count_if", "equal", true)
                   .Cases("lexicographical_compare", "is_sorted", "is_partitioned", "is_heap", true)
                   .Cases("min", "max", "minmax", "binary_search", "includes", true)
                   .Cases("size", "ssize", "empty", "distance", "contains", "for_each", true)
                   .Cases("starts_with", "ends_with", "fold_left", "fold_right", true)
                   .Cases("copy", "copy_if", "transform", "remove_copy", "remove_copy_if", "replace_copy", true)
                   .Cases("reverse_copy", "rotate_copy", "unique_copy", "merge", "set_union", true)
                   .Cases("set_intersection", "set_difference", "uninitialized_copy", true)
                   .Default(false);
  Reads |= Position && llvm::StringSwitch<bool>(Name)
                           .Cases("min_element", "max_element", "find", "find_if", "find_if_not", true)
                           .Cases("lower_bound", "upper_bound", "adjacent_find", "is_sorted_until", true)
                           .Cases("begin", "end", "find_first_of", "minmax_element", "mismatch", true)
                           .Default(false);
  if (!Reads)
    return {};
  llvm::SmallVector<const Expr *, 2> Ranges;
  for (const Expr *A : argumentsOf(Call)) {
    if (!callableReads(A))
      return {};
    if (isRange(A))
      Ranges.push_back(A);
  }
  return Ranges;
}

const CallExpr *positionOf(const Expr *E) {
  E = withoutTemporaries(E);
  if (const auto *Member = dyn_cast<MemberExpr>(E); Member && !Member->isArrow())
    E = withoutTemporaries(Member->getBase());
  return dyn_cast<CallExpr>(E);
}

const CallExpr *lookedUp(const Expr *E) {
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E); Cast && Cast->getCastKind() == CK_LValueToRValue)
    if (const auto *Star = dyn_cast<CXXOperatorCallExpr>(Cast->getSubExpr()->IgnoreParens());
        Star && Star->getOperator() == OO_Star)
      return positionOf(Star->getArg(0));
  return nullptr;
}

} // namespace hsched::cc
