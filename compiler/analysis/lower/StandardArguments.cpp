// Effects of standard library functions on their arguments: read, write, keep or move from them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lowerer.h"
#include "analysis/lower/Standard.h"

#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace hsched::cc {
namespace {

// The type of parameter I as written in the template of which F is an instance.
QualType writtenType(const FunctionDecl &F, unsigned I) {
  const FunctionDecl *Pattern = F.getTemplateInstantiationPattern(/*ForDefinition=*/false);
  if (!Pattern)
    Pattern = &F;
  if (Pattern->getNumParams() == 0)
    return {};
  const QualType T = Pattern->getParamDecl(std::min(I, Pattern->getNumParams() - 1))->getType();
  const auto *Pack = T->getAs<PackExpansionType>();
  return Pack ? Pack->getPattern() : T;
}

// Any type: T, or a forwarding reference T &&.
bool isAnyType(QualType Written) {
  if (Written.isNull())
    return false;
  if (const auto *R = Written->getAs<RValueReferenceType>())
    Written = R->getPointeeType();
  return isa<TemplateTypeParmType>(Written.getCanonicalType());
}

// True if constructors of T, or of its parts, may write through their arguments.
bool constructorsWrite(QualType T, unsigned Depth = 0) {
  if (T.isNull() || Depth > 3)
    return false;
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  R = R ? R->getDefinition() : nullptr;
  if (!R)
    return false;
  if (isStandard(R)) {
    const auto *Instance = dyn_cast<ClassTemplateSpecializationDecl>(R);
    return Instance && !isLibrary(R, ClassPolicy) &&
           llvm::any_of(Instance->getTemplateArgs().asArray(), [&](const TemplateArgument &A) {
             const auto Writes = [&](const TemplateArgument &One) {
               return One.getKind() == TemplateArgument::Type && constructorsWrite(One.getAsType(), Depth + 1);
             };
             return A.getKind() == TemplateArgument::Pack ? llvm::any_of(A.pack_elements(), Writes) : Writes(A);
           });
  }
  for (const Decl *D : R->decls()) {
    if (const auto *Template = dyn_cast<FunctionTemplateDecl>(D);
        Template && isa<CXXConstructorDecl>(Template->getTemplatedDecl()))
      return true;
    const auto *C = dyn_cast<CXXConstructorDecl>(D);
    if (!C || C->isImplicit() || C->isDefaulted() || C->isDeleted() || C->isCopyOrMoveConstructor())
      continue;
    for (const ParmVarDecl *P : C->parameters()) {
      const QualType To = P->getType()->getPointeeType();
      if (P->getType()->isRecordType() || (!To.isNull() && !To.isConstQualified() && !To->isFunctionType()))
        return true;
    }
  }
  return false;
}

// True for constructors and members of owning containers: they read through iterators and make elements from other
// arguments.
bool makesElements(const FunctionDecl &F) {
  const auto *M = dyn_cast<CXXMethodDecl>(&F);
  const LibraryMember Does = F.getIdentifier() ? libraryMember(F.getName()) : LibraryMember::Other;
  if (M ? !isa<CXXConstructorDecl>(M) && !isLibrary(M->getParent(), ClassOwner)
        : Does != LibraryMember::Make && Does != LibraryMember::MakeValue)
    return false;
  if (M)
    return !constructorsWrite(M->getASTContext().getRecordType(M->getParent()));
  const TemplateArgumentList *Given = F.getTemplateSpecializationArgs();
  return !Given || !llvm::any_of(Given->asArray(), [](const TemplateArgument &A) {
    return A.getKind() == TemplateArgument::Type && constructorsWrite(A.getAsType());
  });
}

bool isCallable(const CXXRecordDecl *R) {
  R = R ? R->getDefinition() : nullptr;
  return R && !R->lookup(R->getASTContext().DeclarationNames.getCXXOperatorName(OO_Call)).empty();
}

// True if F may call an argument of type T, now or later. Calls of a std::function are analysed.
bool mayCall(const FunctionDecl &F, QualType T) {
  const auto *M = dyn_cast<CXXMethodDecl>(&F);
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  return isCallable(R) && !isStandard(R) && !(M && isCallable(M->getParent()));
}

// The element type behind a pointer, reference, iterator or view; null: none of these.
QualType ledTo(QualType T) {
  if (const QualType To = T->getPointeeType(); !To.isNull())
    return To;
  const StandardType S = standardType(T);
  return S.K == StandardType::Iterator || S.K == StandardType::View ? S.Element : QualType();
}

bool isWritable(QualType To) {
  if (To.isNull() || To.isConstQualified() || To->isFunctionType())
    return false;
  // Holders leave it unchanged.
  return !isLibrary(To->getAsCXXRecordDecl(), ClassSynchronizes);
}

// True if F may write memory behind argument I of type T.
bool mayWrite(const FunctionDecl &F, unsigned I, QualType T) {
  if (I >= F.getNumParams())
    return isWritable(ledTo(T));
  const QualType P = F.getParamDecl(I)->getType();
  if (P->isRValueReferenceType() || (isAnyType(writtenType(F, I)) && makesElements(F)))
    return false;
  return isWritable(ledTo(P));
}

} // namespace

bool hasDefaultDeleter(QualType Smart) {
  const auto *D = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Smart->getAsCXXRecordDecl());
  if (!D || !isLibrary(D, ClassDeletes) || D->getTemplateArgs().size() < 2)
    return true;
  const CXXRecordDecl *Deleter = D->getTemplateArgs()[1].getAsType()->getAsCXXRecordDecl();
  return isLibrary(Deleter, ClassDeleter);
}

// The class of T's elements, if its members are known.
static const CXXRecordDecl *classOf(QualType T, unsigned Depth) {
  const CXXRecordDecl *R = T.isNull() || Depth > 6 ? nullptr : T->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  R = R ? R->getDefinition() : nullptr;
  return R && !R->isDependentType() && !R->isInvalidDecl() ? R : nullptr;
}

// True if Is holds for a type that the library's class R has objects of.
static bool anyArgument(const CXXRecordDecl &R, llvm::function_ref<bool(QualType)> Is) {
  const auto *Instance = dyn_cast<ClassTemplateSpecializationDecl>(&R);
  const auto IsOne = [&](const TemplateArgument &A) {
    return A.getKind() == TemplateArgument::Type && Is(A.getAsType());
  };
  return Instance && !isLibrary(&R, ClassPolicy) &&
         llvm::any_of(Instance->getTemplateArgs().asArray(), [&](const TemplateArgument &A) {
           return A.getKind() == TemplateArgument::Pack ? llvm::any_of(A.pack_elements(), IsOne) : IsOne(A);
         });
}

bool destructorsRun(QualType T, unsigned Depth) {
  const CXXRecordDecl *R = classOf(T, Depth);
  if (!R)
    return false;
  if (isStandard(R)) {
    return anyArgument(*R, [&](QualType Of) { return destructorsRun(Of, Depth + 1); });
  }
  if (R->hasTrivialDestructor())
    return false;
  const CXXDestructorDecl *D = R->getDestructor();
  return !D || D->isUserProvided() ||
         llvm::any_of(R->bases(), [&](const CXXBaseSpecifier &B) { return destructorsRun(B.getType(), Depth + 1); }) ||
         llvm::any_of(R->fields(), [&](const FieldDecl *F) { return destructorsRun(F->getType(), Depth + 1); });
}

// True if T may be an R in an instance of the template of a function.
static bool mayBe(QualType T, const CXXRecordDecl *R) {
  T = T.getNonReferenceType();
  const auto *Of = dyn_cast<ClassTemplateSpecializationDecl>(R);
  if (const auto *As = T->getAs<TemplateSpecializationType>())
    if (const TemplateDecl *Named = As->getTemplateName().getAsTemplateDecl())
      return Of && Named->getCanonicalDecl() == Of->getSpecializedTemplate()->getCanonicalDecl();
  return T->isTemplateTypeParmType() || T->getAsCXXRecordDecl() == R;
}

// True if a function of the program may be an operator for R that the library uses.
static bool hasOperators(const CXXRecordDecl *R) {
  const ASTContext &Context = R->getASTContext();
  const auto Takes = [&](const FunctionDecl *F) {
    return llvm::any_of(F->parameters(), [&](const ParmVarDecl *P) {
      return P->getType().getNonReferenceType()->getAsCXXRecordDecl() == R;
    });
  };
  const auto IsOperator = [&](const NamedDecl *D) {
    if (isa<FunctionTemplateDecl>(D))
      return true;
    const auto *F = dyn_cast<FunctionDecl>(D);
    // Unary ones are those of iterators and smart pointers.
    return F && !F->isDefaulted() &&
           (isa<CXXMethodDecl>(F) ? F->getNumParams() == 1 || F->getOverloadedOperator() == OO_PlusPlus : Takes(F));
  };
  for (const OverloadedOperatorKind K :
       {OO_Less, OO_EqualEqual, OO_Spaceship, OO_Greater, OO_ExclaimEqual, OO_LessEqual, OO_GreaterEqual, OO_Plus,
        OO_Minus, OO_Star, OO_Slash, OO_Percent, OO_Amp, OO_Pipe, OO_Caret, OO_PlusPlus}) {
    const DeclarationName Name = Context.DeclarationNames.getCXXOperatorName(K);
    if (llvm::any_of(R->lookup(Name), IsOperator) ||
        llvm::any_of(R->getEnclosingNamespaceContext()->getRedeclContext()->lookup(Name), [&](const NamedDecl *D) {
          if (const auto *Template = dyn_cast<FunctionTemplateDecl>(D))
            return llvm::any_of(Template->getTemplatedDecl()->parameters(),
                                [&](const ParmVarDecl *P) { return mayBe(P->getType(), R); });
          const auto *F = dyn_cast<FunctionDecl>(D);
          return F && Takes(F);
        }))
      return true;
  }
  if (std::any_of(R->conversion_begin(), R->conversion_end(), [](const NamedDecl *D) {
        const auto *F = dyn_cast<CXXConversionDecl>(D->getUnderlyingDecl());
        return !F || !F->getConversionType()->isBooleanType();
      }))
    return true;
  return llvm::any_of(R->friends(), [&](const FriendDecl *F) {
    const auto *Function = dyn_cast_or_null<FunctionDecl>(F->getFriendDecl());
    return Function && Function->isOverloadedOperator() && Takes(Function);
  });
}

bool ownCodeRuns(QualType T, unsigned Depth) {
  const CXXRecordDecl *R = classOf(T, Depth);
  if (!R || R->isLambda())
    return false;
  if (isStandard(R)) {
    return anyArgument(*R, [&](QualType Of) { return ownCodeRuns(Of, Depth + 1); });
  }
  const auto Given = [](const auto *F) { return F->isUserProvided(); };
  if (llvm::any_of(R->ctors(), [&](const auto *C) { return C->isCopyOrMoveConstructor() && Given(C); }) ||
      llvm::any_of(R->methods(),
                   [&](const auto *M) {
                     return (M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator()) && Given(M);
                   }) ||
      hasOperators(R))
    return true;
  return llvm::any_of(R->bases(), [&](const CXXBaseSpecifier &B) { return ownCodeRuns(B.getType(), Depth + 1); }) ||
         llvm::any_of(R->fields(), [&](const FieldDecl *F) { return ownCodeRuns(F->getType(), Depth + 1); });
}

// The library copies or compares what is at At, of type T, if the program has functions for that.
void Lowerer::runOwnCode(const Value &At, QualType T, SourceLocation Loc) {
  if (!holdsPointers(T) || !ownCodeRuns(T))
    return;
  escape(contentOf(At), Loc,
         "functions of '" + T.getCanonicalType().getUnqualifiedType().getAsString(Context.getPrintingPolicy()) +
             "' may follow it");
}

void Lowerer::runOwnCode(Expressions Exprs, const std::vector<Value> &Args, SourceLocation Loc) {
  for (std::size_t I = 0; I != Args.size(); ++I) {
    QualType T = Exprs[I]->getType();
    Value At = Args[I];
    if (const QualType To = ledTo(T); !To.isNull()) {
      if (Exprs[I]->isGLValue() && !T->isReferenceType())
        At = contentOf(At);
      T = To;
    } else if (!Exprs[I]->isGLValue() && T->isRecordType()) {
      if (holdsPointers(T) && ownCodeRuns(T))
        escape(At.flat(), Loc,
               "functions of '" + T.getCanonicalType().getUnqualifiedType().getAsString(Context.getPrintingPolicy()) +
                   "' may follow it");
      continue;
    }
    runOwnCode(At, T, Loc);
  }
}

// Visits all arguments of Callee, such as the ranges that a container is made from, and returns the values in their
// elements.
Value Lowerer::consume(llvm::ArrayRef<const Expr *> Exprs, const std::vector<Value> &Args, const FunctionDecl &Callee) {
  runOwnCode(Exprs, Args, Exprs.empty() ? SourceLocation() : Exprs[0]->getExprLoc());
  Value Stored;
  const auto Hold = [&](const Value &At, QualType T) {
    if (holdsPointers(T))
      for (const Place &P : At.To)
        Stored = join(Stored, loadValue(P, T).flat());
  };
  for (std::size_t I = 0; I != Args.size(); ++I) {
    const QualType T = Exprs[I]->getType();
    const StandardType S = standardType(T);
    const SourceLocation Loc = Exprs[I]->getExprLoc();
    const bool Written = mayWrite(Callee, unsigned(I), T);
    const AccessKind K = Written ? AccessKind::Update : AccessKind::Read;
    const std::string Why =
        "how much of '" + text(Exprs[I]) + "' is " + (Written ? "written" : "read") + " is not known";
    if (mayCall(Callee, T))
      escape(Args[I], Loc, "'" + text(Exprs[I]) + "' is handed to '" + Callee.getNameAsString() + "'");
    if (S.K == StandardType::Container || S.K == StandardType::Array || S.K == StandardType::View) {
      const Value V = Exprs[I]->isGLValue() ? viewOf(Args[I], T) : Args[I];
      const Value Size = V.member(&SizeKey);
      std::optional<Poly> Bytes;
      if (Size.Int)
        Bytes = *Size.Int * Poly(std::int64_t(bytesOf(S.Element)));
      if (S.K == StandardType::Container && Exprs[I]->isGLValue() && !Written)
        touch(Args[I], T, K, Loc, Exprs[I]); // The object itself, if it differs from its contents.
      else if (Written && Exprs[I]->isGLValue())
        touchRange(Args[I], T, std::int64_t(bytesOf(T)), K, Loc, true, false,
                   "'" + Callee.getNameAsString() + "' may change the size of the container");
      if (S.K != StandardType::Container || !standsForAll(Args[I], V))
        touchRange(V, S.Element, Bytes, K, Loc, Written || !Bytes, false, Why);
      Hold(V, S.Element);
    } else if (T->isPointerType() || S.K == StandardType::Iterator) {
      const QualType E = T->isPointerType() ? T->getPointeeType() : S.Element;
      if (E->isVoidType() && Callee.getOverloadedOperator() == OO_LessLess)
        continue; // A stream shows the address.
      const Value V = Exprs[I]->isGLValue() ? load(Args[I], T, Exprs[I]) : Args[I];
      std::optional<Poly> Bytes;
      if (I + 1 != Args.size()) {
        const Value Next = Exprs[I + 1]->isGLValue() ? load(Args[I + 1], T, Exprs[I + 1]) : Args[I + 1];
        Bytes = distance(V, Next);
        if (!Bytes && Next.Int)
          Bytes = *Next.Int * Poly(std::int64_t(bytesOf(E)));
      }
      if (Written && Exprs[I]->isGLValue()) // The pointer may get another value.
        touch(Args[I], T, K, Loc, Exprs[I]);
      touchRange(V, E, Bytes, E.isConstQualified() ? AccessKind::Read : K, Loc, Written || !Bytes, false, Why, false,
                 !Bytes && T->isPointerType() && E->isAnyCharacterType());
      Hold(V, E);
      Stored = join(Stored, V.flat()); // Or the pointer is itself an element.
      if (I + 1 != Args.size() && Bytes && (Exprs[I + 1]->getType()->isPointerType() || S.K == StandardType::Iterator))
        ++I;
    } else if (Exprs[I]->isGLValue()) {
      touchRange(Args[I], T, bytesOf(T) ? std::optional(Poly(std::int64_t(bytesOf(T)))) : std::nullopt, K, Loc, Written,
                 false, Why);
      Hold(Args[I], T);
    } else {
      Stored = join(Stored, Args[I].flat());
      if (T->isRecordType()) // Iterators of another kind, as std::move_iterator.
        touchRange(Args[I].flat(), QualType(), std::nullopt,
                   Written || isLibrary(T->getAsCXXRecordDecl(), ClassMoves) ? AccessKind::Update : AccessKind::Read,
                   Loc, true, false, Why);
    }
  }
  Stored = Stored.flat();
  return Stored;
}

// Arguments change: an rvalue in memory loses its contents; an argument that may be written may hold any value in
// Stored.
void Lowerer::handBack(llvm::ArrayRef<const Expr *> Exprs, const std::vector<Value> &Args, const FunctionDecl &Callee,
                       const Value &Stored) {
  for (unsigned I = 0; I < Args.size(); ++I) {
    const QualType T = Exprs[I]->getType();
    const SourceLocation Loc = Exprs[I]->getExprLoc();
    if (I < Callee.getNumParams() && Exprs[I]->isXValue() && T->isRecordType() && !T.isTriviallyCopyableType(Context) &&
        Callee.getParamDecl(I)->getType()->isRValueReferenceType())
      touchRange(Args[I], T, std::int64_t(bytesOf(T)), AccessKind::Update, Loc, true, false,
                 "what '" + text(Exprs[I]) + "' holds is handed over");
    if (!mayWrite(Callee, I, T))
      continue;
    const QualType E = Exprs[I]->isGLValue() ? T : ledTo(T);
    const bool Pointers = E.isNull() || E->isVoidType() || holdsPointers(E);
    bool Leaves = false;
    for (Place P : Args[I].To) {
      if (P.Memory) {
        Leaves = true;
        continue;
      }
      P.Element = true;
      storeObject(P, Pointers || P.TypePunned ? Stored.flat() : Value(), false);
    }
    if (Leaves && Pointers && !Stored.pointsNowhere())
      escape(Stored, Loc, "'" + Callee.getNameAsString() + "' puts it into memory");
  }
}

} // namespace hsched::cc
