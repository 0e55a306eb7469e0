// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/inline/Sizes.h"

using namespace clang;

namespace hsched::cc {
namespace {

// True if E depends on a variable of a function that is no constant.
bool varies(const Stmt *E) {
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return E && ((V && V->hasLocalStorage() && !V->isConstexpr() && !V->getType().isConstQualified()) ||
               llvm::any_of(E->children(), varies));
}

// The size of A if it is known at run time only, also in a template. Null: it is a constant.
const clang::Expr *sizeAtRunTime(const clang::ArrayType *A) {
  if (const auto *V = dyn_cast_or_null<VariableArrayType>(A))
    return V->getSizeExpr();
  const auto *D = dyn_cast_or_null<DependentSizedArrayType>(A);
  return D && varies(D->getSizeExpr()) ? D->getSizeExpr() : nullptr;
}

// What T's elements or pointers lead to. Null: nothing.
QualType behind(QualType T) {
  const auto *A = dyn_cast<clang::ArrayType>(T);
  const QualType Inner = A ? A->getElementType() : T->getPointeeType();
  return Inner.isNull() ? Inner : Inner.getCanonicalType();
}

// The declaration of a variable again. The program's expression for a value of its type grows with each level.
struct Again {
  ASTContext &Context;
  const std::string &Of; // Part of the sizes' names.
  llvm::function_ref<std::string(const clang::Expr *)> Written;
  CaptureCode &Code; // Receives sizes and element.

  // "double (*Name)[hsched_d0_x]" of T. In C++ the elements' type has a name of its own, and is left out.
  std::string operator()(QualType T, std::string Name, const std::string &Access) {
    const bool Cxx = Context.getLangOpts().CPlusPlus;
    const ArrayType *A = Context.getAsArrayType(T);
    if (!hasRunTimeSize(T) && !(Cxx && A)) {
      Code.Element = Access;
      if (!Cxx)
        T.getAsStringInternal(Name, PrintingPolicy(Context.getLangOpts()));
      return Name;
    }
    if (const auto *P = T->getAs<PointerType>())
      return (*this)(P->getPointeeType(), "(*" + std::string(!Cxx && T.isConstQualified() ? "const " : "") + Name + ")",
                     "(*" + Access + ")");
    if (!A)
      return "";
    std::string Size;
    if (const auto *Constant = dyn_cast<ConstantArrayType>(A)) {
      Size = std::to_string(Constant->getZExtSize());
    } else if (const clang::Expr *E = sizeAtRunTime(A)) {
      Size = Written(E);
    }
    if (Size.empty()) {
      Size = "hsched_d" + std::to_string(Code.Sizes.size()) + "_" + Of;
      Code.Sizes.push_back("sizeof(" + Access + ") / sizeof(" + Access + "[0])");
    }
    return (*this)(A->getElementType(), Name + "[" + Size + "]", "(" + Access + "[0])");
  }
};

} // namespace

bool hasRunTimeSize(QualType T) { return !T.isNull() && !runTimeSizes(T).empty(); }

std::vector<const clang::Expr *> runTimeSizes(QualType T) {
  std::vector<const clang::Expr *> Out;
  for (T = T.getNonReferenceType().getCanonicalType(); !T.isNull(); T = behind(T))
    if (const clang::Expr *E = sizeAtRunTime(dyn_cast<clang::ArrayType>(T)))
      Out.push_back(E);
  return Out;
}

void declareAgain(ASTContext &Context, QualType T, const std::string &Of,
                  llvm::function_ref<std::string(const clang::Expr *)> Written, CaptureCode &Code) {
  T = T.getNonReferenceType().getCanonicalType();
  Code.Array = T->isArrayType();
  Code.Of = Of;
  Code.Modified = Again{Context, Of, Written, Code}(T, "@", Code.Name);
}

void measureRows(ASTContext &Context, QualType T, Section &S) {
  if (!Context.getLangOpts().CPlusPlus || !hasRunTimeSize(T))
    return;
  T = T.getNonReferenceType().getCanonicalType();
  if (!T->isArrayType() && !(T->isPointerType() && T->getPointeeType()->isArrayType()))
    return;
  std::string Access = "(" + S.Base.Text + ")";
  for (bool First = true;; First = false) {
    const ArrayType *A = Context.getAsArrayType(T);
    if (!A && !First)
      break;
    S.Sizes.push_back(A ? "sizeof(" + Access + ") / sizeof(" + Access + "[0])" : "0");
    T = A ? A->getElementType() : T->getPointeeType();
    Access += "[0]";
  }
  S.Elements = "reinterpret_cast<__typeof__(" + Access + ") *>(" + S.Base.Text + ")";
}

} // namespace hsched::cc
