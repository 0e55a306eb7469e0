// Names and types at directives.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Instances.h"
#include "analysis/bind/Internal.h"
#include "analysis/lower/Standard.h"

#include "clang/AST/Mangle.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/Lex/Lexer.h"
#include "clang/Sema/Lookup.h"
#include "llvm/Support/xxhash.h"

using namespace clang;

namespace hsched::cc {

// The overload that a call on a const, or on a non-const, object selects.
static const CXXMethodDecl *findMethod(const CXXRecordDecl *R, llvm::StringRef Name, bool Const) {
  if (!R || !(R = R->getDefinition()))
    return nullptr;
  const CXXMethodDecl *Found = nullptr;
  for (const CXXMethodDecl *M : R->methods())
    if (M->getIdentifier() && M->getName() == Name && M->getNumParams() == 0 && M->getAccess() == AS_public &&
        (!Found || M->isConst() == Const))
      Found = M;
  for (const CXXBaseSpecifier &B : R->bases())
    if (!Found)
      Found = findMethod(B.getType()->getAsCXXRecordDecl(), Name, Const);
  return Found;
}

bool isTile(QualType T) { return isTile(T.getNonReferenceType()->getAsCXXRecordDecl()); }

QualType elementOfContainer(ASTContext &, QualType T) {
  T = T.getNonReferenceType();
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  const bool Const = T.isConstQualified();
  const CXXMethodDecl *Data = findMethod(R, "data", Const);
  if (!Data || (!findMethod(R, "size", Const) && !isTile(T)) || !Data->getReturnType()->isPointerType())
    return {};
  return Data->getReturnType()->getPointeeType();
}

bool mayOwn(ASTContext &Context, const Section &S, QualType T) {
  if (S.F != Section::Form::Whole && S.F != Section::Form::Pointee)
    return false;
  if (T.isNull())
    return true;
  T = T.getNonReferenceType();
  if (S.F == Section::Form::Pointee && T->isPointerType())
    T = T->getPointeeType();
  if (T->isDependentType() || T->isUndeducedType())
    return true;
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  // A class that is not instantiated yet is unknown.
  return R &&
         (!R->hasDefinition() || (!elementOfContainer(Context, T).isNull() && !T.isTriviallyCopyableType(Context)));
}

bool hasMemory(ASTContext &Context, const Section &S, QualType T, bool AnyClass) {
  if ((S.F != Section::Form::Whole && S.F != Section::Form::Pointee) || T.isNull())
    return false;
  T = T.getNonReferenceType();
  if (S.F == Section::Form::Pointee && T->isPointerType())
    T = T->getPointeeType();
  const CXXRecordDecl *R = T->isDependentType() ? nullptr : T->getAsCXXRecordDecl();
  return R && R->hasDefinition() && !T.isTriviallyCopyableType(Context) && (AnyClass || isStandard(R));
}

// The type of one subscript of T; null: T has none. Inner: the elements must lie in T itself.
static QualType subscripted(ASTContext &Context, QualType T, bool Inner) {
  T = T.getNonReferenceType();
  if (const ArrayType *Array = Context.getAsArrayType(T))
    return Array->getElementType();
  QualType ElementType = elementOfContainer(Context, T);
  if (!ElementType.isNull()) {
    const CXXRecordDecl *R = T->getAsCXXRecordDecl();
    return !Inner || (R->isAggregate() && T.isTriviallyCopyableType(Context)) ? ElementType : QualType();
  }
  return !Inner && T->isPointerType() ? T->getPointeeType() : QualType();
}

bool inOnePiece(ASTContext &Context, QualType T, unsigned Subscripts) {
  for (unsigned I = 0; I < Subscripts; ++I) {
    T = T->isDependentType() ? QualType() : subscripted(Context, T, I > 0);
    if (T.isNull())
      return false;
  }
  return Subscripts == 0 || (!T->isPointerType() && !T->isDependentType() &&
                             (elementOfContainer(Context, T).isNull() || !subscripted(Context, T, true).isNull()));
}

// The same of a tile, whose base is no container where it has a shape.
static std::string tileProblem(ASTContext &Context, const Section &S, QualType T) {
  bool Pointer = T.getNonReferenceType()->isPointerType();
  if (S.Shape.empty() && Pointer && S.Subscripts[0].K == Subscript::Kind::Range && S.Subscripts[0].Length.Text.empty())
    return "the extent of '" + S.Base.Text + "' is unknown, because it is a pointer: write the length, " + S.Base.Text +
           "[start:length], or the shape, ([n]" + S.Base.Text + ")[...]";
  for (size_t I = 0; S.Shape.empty() && I < S.Subscripts.size() && !T->isDependentType(); ++I) {
    QualType Element = subscripted(Context, T, I > 0);
    if (Element.isNull())
      return "'" + S.Base.Text + "' has " + (I == 1 ? "one dimension" : std::to_string(I) + " dimensions") +
             " of data that lie in one piece, but this section has " + std::to_string(S.Subscripts.size()) +
             " subscripts: a matrix behind a pointer is written ([rows][columns]p)[i:bm][j:bn], and rows that are "
             "allocated one by one are {p[i][start:length], i = 0; rows}";
    T = Element;
  }
  return "";
}

std::string sectionProblem(ASTContext &Context, const Section &S, QualType T, const std::string &Suggestion) {
  const bool Pointer = !T.isNull() && S.F == Section::Form::Whole && T.getNonReferenceType()->isPointerType();
  if (T.isNull() || (T->isDependentType() && !Pointer)) // T *p is a pointer, whatever T is.
    return "";
  const std::string &Name = S.Base.Text;
  QualType Value = T.getNonReferenceType();
  bool Container = !Pointer && !elementOfContainer(Context, T).isNull();
  if (S.F == Section::Form::Whole) {
    if (Pointer)
      return "the size of '" + Name + "' is unknown, because it is a pointer: write '[" + Suggestion + "]" + Name +
             "' or '" + Name + "[start:length]'";
    if (Container && (T->isReferenceType() || Value.isTriviallyCopyableType(Context)))
      return "";
    if (!T->isReferenceType() && !Value->isArrayType())
      return "'" + Name +
             "' is passed by value, so that every task has a copy of its own: leave it out of data clauses, "
             "or make it a reference";
    if (Value->isIncompleteType() || Value->isFunctionType())
      return "what '" + Name + "' refers to has no known size here";
    return "";
  }
  if (isTile(T))
    return "'" + Name + "' is a tile already, which is named as a whole: write '" + Name +
           "', or make a smaller tile of it";
  if (S.F == Section::Form::Tile)
    if (std::string Problem = tileProblem(Context, S, T); !Problem.empty())
      return Problem;
  if (Container)
    return "";
  if (!Value->isPointerType() && !Value->isArrayType())
    return "'" + Name + "' is not a pointer or array that a section could be taken of";
  QualType Element =
      Value->isPointerType() ? Value->getPointeeType() : QualType(Value->getArrayElementTypeNoTypeQual(), 0);
  if (Element->isVoidType())
    return "'" + Name + "' points to void, which has no size: write the section of a cast, as in '[n](char *)" + Name +
           "'";
  if (Element->isFunctionType() || Element->isIncompleteType())
    return "what '" + Name + "' points to has no known size here";
  return "";
}

bool checkGlobal(BindContext C, const Section &S, const ValueDecl *V) {
  if (!V || S.F != Section::Form::Whole || S.BaseName.empty() || !V->getType().getNonReferenceType()->isPointerType())
    return true;
  C.fail(S.Loc, "%0; '*&%1' is the pointer itself", sectionProblem(C.Context, S, V->getType(), "n"), S.BaseName);
  note(C.Diags, V->getLocation(), "'%0' is declared here", S.BaseName);
  return false;
}

const ValueDecl *memberOf(Sema &S, const FunctionDecl *F, const std::string &Name) {
  const auto *R = dyn_cast<CXXRecordDecl>(F->getDeclContext());
  if (!R || Name.empty())
    return nullptr;
  LookupResult Found(S, DeclarationName(S.PP.getIdentifierInfo(Name)), F->getLocation(), Sema::LookupMemberName);
  Found.suppressDiagnostics();
  if (!S.LookupQualifiedName(Found, const_cast<CXXRecordDecl *>(R)) || !Found.isSingleResult())
    return nullptr;
  const NamedDecl *D = Found.getFoundDecl()->getUnderlyingDecl();
  return isa<FieldDecl>(D) || isa<VarDecl>(D) ? cast<ValueDecl>(D) : nullptr;
}

QualType memberType(Sema &S, const FunctionDecl *F, const std::string &Name) {
  const ValueDecl *Member = memberOf(S, F, Name);
  if (!Member)
    return {};
  QualType T = Member->getType();
  (void)S.isCompleteType(F->getLocation(), T.getNonReferenceType());
  if (T->isReferenceType() || T->isPointerType())
    return T;
  const auto *M = dyn_cast<CXXMethodDecl>(F);
  return S.Context.getLValueReferenceType(M && M->isConst() && isa<FieldDecl>(Member) ? T.withConst() : T);
}

const ValueDecl *valueNamed(Sema &S, const DeclContext *DC, llvm::StringRef Name, SourceLocation Loc) {
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  Name.split(Parts, "::");
  bool Outwards = true; // Only the first part of a qualified name is searched outwards.
  if (Parts.front().empty()) {
    DC = S.Context.getTranslationUnitDecl();
    Parts.erase(Parts.begin());
  }
  for (size_t I = 0; I != Parts.size(); ++I) {
    const bool Last = I + 1 == Parts.size();
    const DeclContext *Inner = nullptr;
    for (const DeclContext *C = DC; C && !Inner; C = Outwards ? C->getParent() : nullptr) {
      LookupResult R(S, DeclarationName(S.PP.getIdentifierInfo(Parts[I])), Loc,
                     Last ? Sema::LookupOrdinaryName : Sema::LookupNestedNameSpecifierName);
      R.suppressDiagnostics();
      if (!S.LookupQualifiedName(R, const_cast<DeclContext *>(C)))
        continue;
      if (!R.isSingleResult()) // It hides other declarations of the name.
        return nullptr;
      const NamedDecl *D = R.getFoundDecl()->getUnderlyingDecl();
      if (const auto *V = Last ? dyn_cast<ValueDecl>(D) : nullptr)
        return V;
      if (const auto *Alias = dyn_cast<NamespaceAliasDecl>(D))
        D = Alias->getNamespace();
      if (const auto *T = dyn_cast<TypedefNameDecl>(D))
        D = T->getUnderlyingType()->getAsCXXRecordDecl();
      Inner = Last ? nullptr : dyn_cast_or_null<DeclContext>(D);
    }
    DC = Inner;
    Outwards = false;
  }
  return nullptr;
}

bool visibleFrom(Sema &S, const DeclContext *DC, const std::string &Name, SourceLocation Loc) {
  IdentifierInfo *II = S.PP.getIdentifierInfo(Name);
  for (const DeclContext *C = DC; C; C = C->getParent()) {
    if (auto *R = dyn_cast<CXXRecordDecl>(C))
      if (const ClassTemplateDecl *T = R->getDescribedClassTemplate())
        for (const NamedDecl *P : *T->getTemplateParameters())
          if (P->getIdentifier() == II)
            return true;
    LookupResult R(S, DeclarationName(II), Loc, Sema::LookupOrdinaryName);
    R.suppressDiagnostics();
    if (S.LookupQualifiedName(R, const_cast<DeclContext *>(C)))
      return true;
  }
  return false;
}

llvm::SmallVector<const NamedDecl *, 4> findFunctions(Sema &S, const DeclContext *DC, llvm::StringRef Name,
                                                      SourceLocation Loc) {
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  Name.split(Parts, "::");
  bool Global = Parts.front().trim().empty();
  if (Global) {
    Parts.erase(Parts.begin());
    DC = S.Context.getTranslationUnitDecl();
  }
  llvm::SmallVector<const NamedDecl *, 4> Found;
  for (const DeclContext *C = DC; C; C = C->getParent()) {
    const DeclContext *In = C;
    for (size_t I = 0; In && I < Parts.size(); ++I) {
      bool Last = I + 1 == Parts.size();
      LookupResult R(S, DeclarationName(S.PP.getIdentifierInfo(Parts[I].trim())), Loc,
                     Last ? Sema::LookupOrdinaryName : Sema::LookupNestedNameSpecifierName);
      R.suppressDiagnostics();
      S.LookupQualifiedName(R, const_cast<DeclContext *>(In));
      if (Last) {
        for (const NamedDecl *D : R)
          Found.push_back(D->getUnderlyingDecl());
        break;
      }
      NamedDecl *Next = R.isSingleResult() ? R.getFoundDecl()->getUnderlyingDecl() : nullptr;
      if (auto *T = dyn_cast_or_null<ClassTemplateDecl>(Next))
        Next = T->getTemplatedDecl();
      In = dyn_cast_or_null<DeclContext>(Next);
    }
    if (!Found.empty() || Global)
      break;
  }
  return Found;
}

static std::string scalarName(ASTContext &Context, QualType T) {
  T = T.getCanonicalType().getUnqualifiedType();
  if (const auto *E = T->getAs<EnumType>())
    T = E->getDecl()->getIntegerType().getCanonicalType();
  if (T->isVoidType())
    return "void";
  if (T->isDependentType())
    return "";
  if (T->isBooleanType())
    return "bool";
  if (T->isHalfType() || T->isFloat16Type())
    return "half";
  if (T->isSpecificBuiltinType(BuiltinType::Float))
    return "float";
  if (T->isSpecificBuiltinType(BuiltinType::Double))
    return "double";
  if (T->isIntegerType()) {
    std::string Sign = T->isUnsignedIntegerType() ? "u" : "";
    switch (Context.getTypeSize(T)) {
    case 8:
      return Sign + "char";
    case 16:
      return Sign + "short";
    case 32:
      return Sign + "int";
    case 64:
      return Sign + "long";
    default:
      break;
    }
  }
  return "struct";
}

HostArg hostArg(ASTContext &Context, QualType T) {
  HostArg A;
  A.Spelling = T.getAsString(Context.getPrintingPolicy());
  QualType Element = T;
  QualType ElementType = elementOfContainer(Context, T);
  if (!ElementType.isNull()) {
    A.Pointer = true;
    Element = ElementType;
  } else if (T->isPointerType()) {
    A.Pointer = true;
    Element = T->getPointeeType();
  } else if (T->isReferenceType()) {
    A.Pointer = true;
    Element = T.getNonReferenceType();
  }
  while (const ArrayType *Array = A.Pointer ? Context.getAsArrayType(Element) : nullptr)
    Element = Array->getElementType();
  A.PointeeConst = A.Pointer && Element.isConstQualified();
  A.Element = scalarName(Context, Element);
  if (!Element->isDependentType() && !Element->isIncompleteType() && !Element->isFunctionType())
    A.Bytes = static_cast<uint64_t>(Context.getTypeSizeInChars(Element).getQuantity());
  return A;
}

std::string hashed(llvm::StringRef Text) {
  static const char Digits[] = "0123456789abcdef";
  uint64_t H = llvm::xxh3_64bits(Text);
  std::string Out;
  for (int I = 0; I < 8; ++I, H >>= 4)
    Out += Digits[H & 15];
  return Out;
}

// True if T can be named at namespace scope: neither local to a function nor private to a class.
static bool nameable(QualType T) {
  T = T.getCanonicalType();
  while (true) {
    if (T->isPointerType() || T->isReferenceType())
      T = T->getPointeeType();
    else if (T->isArrayType())
      T = QualType(T->getArrayElementTypeNoTypeQual(), 0);
    else
      break;
  }
  if (const auto *Function = T->getAs<FunctionProtoType>()) {
    for (QualType P : Function->param_types())
      if (!nameable(P))
        return false;
    return nameable(Function->getReturnType());
  }
  const TagDecl *Tag = T->getAsTagDecl();
  if (const auto *Record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Tag))
    for (const TemplateArgument &A : Record->getTemplateArgs().asArray())
      if (A.getKind() == TemplateArgument::Type && !nameable(A.getAsType()))
        return false;
  for (const Decl *D = Tag; D && !isa<TranslationUnitDecl>(D); D = cast<Decl>(D->getDeclContext()))
    if (isa<FunctionDecl>(D) || D->getAccess() == AS_private || D->getAccess() == AS_protected)
      return false;
  return true;
}

std::string spelledArgs(ASTContext &Context, llvm::ArrayRef<TemplateArgument> Args) {
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.FullyQualifiedName = true;
  Policy.SuppressUnwrittenScope = true;
  std::string Out;
  llvm::SmallVector<TemplateArgument, 8> Flat;
  for (const TemplateArgument &A : Args)
    if (A.getKind() == TemplateArgument::Pack)
      Flat.append(A.pack_begin(), A.pack_end());
    else
      Flat.push_back(A);
  for (const TemplateArgument &A : Flat) {
    std::string One;
    if (A.getKind() == TemplateArgument::Type) {
      if (!nameable(A.getAsType()))
        return "";
      One = TypeName::getFullyQualifiedName(A.getAsType(), Context, Policy, /*WithGlobalNsPrefix=*/true);
    } else {
      llvm::raw_string_ostream OS(One);
      A.print(Policy, OS, /*IncludeType=*/true);
    }
    if (One.find("(lambda") != std::string::npos || One.find("(unnamed") != std::string::npos ||
        One.find("(anonymous") != std::string::npos)
      return "";
    Out += (Out.empty() ? "" : ", ") + One;
  }
  return "<" + Out + ">";
}

// "::a::S::" for declarations in DC. The caller appends the parameter names of class templates.
static std::string scopeOf(const DeclContext *DC) {
  if (!DC || DC->isTranslationUnit())
    return "::";
  std::string Outer = scopeOf(DC->getParent());
  if (auto *NS = dyn_cast<NamespaceDecl>(DC))
    return NS->isAnonymousNamespace() || NS->isInline() ? Outer : Outer + NS->getNameAsString() + "::";
  if (auto *R = dyn_cast<CXXRecordDecl>(DC))
    return Outer + R->getNameAsString() + "::";
  return Outer;
}

// "::a::S<int>::" for declarations in DC, all of whose classes are instances. Empty: it cannot be named.
static std::string scopeOfInstance(ASTContext &Context, const DeclContext *DC) {
  const auto *R = dyn_cast<CXXRecordDecl>(DC);
  if (!R)
    return scopeOf(DC);
  const std::string Outer = scopeOfInstance(Context, R->getParent());
  const auto *I = dyn_cast<ClassTemplateSpecializationDecl>(R);
  const std::string Args = I ? spelledArgs(Context, I->getTemplateArgs().asArray()) : "";
  return Outer.empty() || (I && Args.empty()) ? "" : Outer + R->getNameAsString() + Args + "::";
}

static void fillInstances(ASTContext &Context, BoundFunction &F, const std::string &Struct) {
  FunctionCode &C = F.code();
  if (!F.Template && !F.InClassTemplate) {
    C.Instances.push_back(C.Scope + Struct);
    return;
  }
  for (const FunctionDecl *I : instancesOf(*F.Annotated)) {
    const TemplateArgumentList *Args = F.Template ? I->getTemplateSpecializationArgs() : nullptr;
    const std::string Scope = scopeOfInstance(Context, I->getDeclContext());
    const std::string Spelled = Args ? spelledArgs(Context, Args->asArray()) : "";
    if (!Scope.empty() && !(F.Template && Spelled.empty())) {
      C.Instances.push_back(Scope + Struct + Spelled);
    } else {
      llvm::raw_string_ostream OS(C.Unnamed.emplace_back());
      if (F.Template)
        I->getNameForDiagnostic(OS, Context.getPrintingPolicy(), /*Qualified=*/false);
      else
        cast<CXXRecordDecl>(I->getDeclContext())
            ->getNameForDiagnostic(OS, Context.getPrintingPolicy(), /*Qualified=*/false);
    }
  }
}

void fillIdentity(Sema &S, BoundFunction &F, const std::string &MainFile, const std::string &UnitId) {
  ASTContext &Context = S.Context;
  const SourceManager &SM = S.getSourceManager();
  const FunctionDecl *FD = F.Annotated;
  FunctionCode &C = F.code();
  C.Name = FD->getQualifiedNameAsString();
  for (size_t At; (At = C.Name.find("(anonymous namespace)::")) != std::string::npos;)
    C.Name.erase(At, 23);
  if (F.Template || F.InClassTemplate)
    C.LinkerName = C.Name + " " + FD->getType().getAsString();
  else
    C.LinkerName = ASTNameGenerator(Context).getName(FD);
  bool Internal = !FD->isExternallyVisible();
  if (Internal)
    C.LinkerName += "@" + UnitId;
  // If units define an inline function or a template differently (an ODR violation that no linker detects), they do not
  // share generated code. So each call fits the body that it runs. The hash covers expanded macros too.
  std::string Definition;
  if (F.IsTask && F.Definition && !Internal && (F.Template || F.InClassTemplate || F.Definition->isInlined())) {
    for (const SourceRange &R : {F.Definition->getSourceRange(), SourceRange(F.D.Loc, F.D.End)})
      if (R.isValid())
        Definition += Lexer::getSourceText(SM.getExpansionRange(R), SM, Context.getLangOpts());
    llvm::raw_string_ostream OS(Definition);
    print(OS, F.D);
    if (const Stmt *Body = F.Definition->getBody())
      Body->printPretty(OS, nullptr, PrintingPolicy(Context.getLangOpts()));
  }
  C.Id = FD->getNameAsString() + "_" + hashed(C.LinkerName + Definition);
  F.Task.SharesName = !Definition.empty();
  PresumedLoc Place = SM.getPresumedLoc(SM.getExpansionLoc(FD->getLocation()));
  C.File = Place.isValid() ? Place.getFilename() : MainFile;
  C.Line = Place.isValid() ? Place.getLine() : 0;
  C.Scope = F.InClassTemplate ? scopeOf(FD->getDeclContext()) : scopeOfInstance(Context, FD->getDeclContext());
  C.InClass = F.InClass;
  if (const auto *M = dyn_cast<CXXMethodDecl>(FD); M && !M->isStatic())
    C.Object = std::string(M->isConst() ? "const " : "") + (M->isVolatile() ? "volatile " : "") +
               M->getParent()->getNameAsString();
  if (F.Template) {
    for (const NamedDecl *P : *F.Template->getTemplateParameters())
      C.TemplateArgs +=
          (C.TemplateArgs.empty() ? "<" : ", ") + P->getNameAsString() + (P->isTemplateParameterPack() ? "..." : "");
    C.TemplateArgs += ">";
  }
  PrintingPolicy Policy(Context.getLangOpts());
  unsigned Number = 0;
  for (const ParmVarDecl *P : FD->parameters()) {
    FieldCode Field;
    Field.Name = P->getNameAsString().empty() ? "hsched_p" + std::to_string(Number) : P->getNameAsString();
    Field.Spelling = P->getType().getAsString(Policy);
    // Other parameters cannot be named in the member's type.
    QualType T = P->getType();
    if (Field.Spelling.find("decltype(") != std::string::npos && !T->isDependentType())
      T = T.getCanonicalType();
    T.getAsStringInternal(Field.Declaration = "hsched_p" + std::to_string(Number), Policy);
    if (!Context.getLangOpts().CPlusPlus && T->isVariablyModifiedType()) // Only the parameters give the sizes.
      Field.Declaration = "void *hsched_p" + std::to_string(Number);
    Field.Pack = P->isParameterPack();
    if (Field.Pack)
      Field.Declaration = "::hsched_gen_pack<" + Field.Spelling + "> hsched_p" + std::to_string(Number);
    Field.Late = !Field.Pack && F.InClass && T->isRecordType();
    C.Params.push_back(std::move(Field));
    ++Number;
  }
  if (F.IsTask) {
    F.Task.Kept = Internal;
    F.Task.Constexpr = FD->isConstexpr() && !F.D.Kernel;
    F.Task.InTemplate = F.InClassTemplate;
    F.Task.Weak = FD->isInlined() || F.InClass;
    if (F.Definition)
      F.Task.Weak = F.Task.Weak || F.Definition->isInlined();
  }
  fillInstances(Context, F, F.IsTask ? "hsched_task_" + C.Id : "hsched_version_" + C.Id);
}

} // namespace hsched::cc
