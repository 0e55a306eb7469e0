// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Names.h"

#include "analysis/bind/Internal.h"
#include "analysis/inline/Place.h"
#include "model/NameCharacters.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace hsched::cc {

Names::Names(Sema &S, const FunctionDecl &Clauses, const FunctionDecl &Body) : S(S), F(Clauses), Body(Body) {
  const SourceManager &SM = S.getSourceManager();
  Place = Clauses.getLocation();
  if (SM.isBeforeInTranslationUnit(Place, Body.getLocation()))
    Place = Body.getLocation();
  parametersOf(Body, Hiding);
  parametersOf(Clauses, Innermost);
}

Names::Names(Sema &S, const FunctionDecl &F, SourceLocation Loc, const ValueDecl *Variable)
    : S(S), F(F), Body(F), Place(Loc) {
  parametersOf(F, Innermost);
  const InlinePlace At = inlinePlaceOf(S.Context, &F, Loc);
  llvm::append_range(Innermost, At.All);
  Nominated = At.Nominated;
  if (Variable)
    Innermost.push_back(Variable);
}

void Names::parametersOf(const FunctionDecl &Of, std::vector<const NamedDecl *> &Out) {
  const FunctionDecl *Pattern = Of.getTemplateInstantiationPattern();
  if (const FunctionTemplateDecl *T = (Pattern ? Pattern : &Of)->getDescribedFunctionTemplate())
    llvm::append_range(Out, *T->getTemplateParameters());
  llvm::append_range(Out, Of.parameters());
}

// --- Lookup ----------------------------------------------------------------------------------------------------------

Names::Meaning Names::in(const DeclContext *DC, llvm::StringRef Name, bool OfScope) const {
  LookupResult R(S, DeclarationName(S.PP.getIdentifierInfo(Name)), Place,
                 OfScope ? Sema::LookupNestedNameSpecifierName : Sema::LookupOrdinaryName);
  R.suppressDiagnostics();
  if (!S.LookupQualifiedName(R, const_cast<DeclContext *>(DC)))
    return {};
  const SourceManager &SM = S.getSourceManager();
  Meaning Out;
  for (const NamedDecl *D : R) {
    D = D->getUnderlyingDecl();
    const Decl *First = D->getCanonicalDecl();
    if (!D->getDeclContext()->isRecord() && First->getLocation().isValid() &&
        SM.isBeforeInTranslationUnit(Place, First->getLocation()))
      continue;
    Out.D = Out.Found ? nullptr : D;
    Out.Found = true;
    Out.All.push_back(D);
  }
  if (Out.Found && !R.isSingleResult() && !R.isOverloadedResult())
    Out.D = nullptr;
  return Out;
}

void Names::merge(Meaning &Out, const Meaning &M) {
  if (!M.Found)
    return;
  Out.D = !Out.Found || Out.D == M.D ? M.D : nullptr;
  Out.Found = true;
  llvm::append_range(Out.All, M.All);
}

// Also looks up names that using directives in DC bring in.
void Names::nominated(const DeclContext *DC, llvm::StringRef Name, bool OfScope, Meaning &Out,
                      llvm::SmallPtrSetImpl<const DeclContext *> &Seen) const {
  if (!DC->isNamespace() && !DC->isTranslationUnit())
    return;
  for (const UsingDirectiveDecl *U : DC->using_directives()) {
    const DeclContext *N = U->getNominatedNamespace()->getPrimaryContext();
    if (!Seen.insert(N).second)
      continue;
    merge(Out, in(N, Name, OfScope));
    nominated(N, Name, OfScope, Out, Seen);
  }
}

// M, found in DC, a context of the template, as the same context In of the instance has it.
Names::Meaning Names::inInstance(Meaning M, const DeclContext *DC, const DeclContext *In, llvm::StringRef Name,
                                 bool OfScope) const {
  const auto *Instance = dyn_cast_or_null<CXXRecordDecl>(In);
  const CXXRecordDecl *Pattern = Instance ? Instance->getTemplateInstantiationPattern() : nullptr;
  if (!Pattern || !Pattern->Equals(DC) || // What a base declares is found outside of the template.
      llvm::none_of(M.All, [&](const NamedDecl *D) { return D->getDeclContext()->Equals(DC); }))
    return M;
  const Meaning Of = in(In, Name, OfScope);
  return Of.Found ? Of : M;
}

Names::Meaning Names::unqualified(llvm::StringRef Name, bool OfScope) const {
  const auto isCalled = [&](const NamedDecl *D) { return D->getIdentifier() && D->getName() == Name; };
  for (const NamedDecl *D : llvm::reverse(Innermost))
    if (isCalled(D) && (!OfScope || isa<TypeDecl, TemplateDecl, NamespaceAliasDecl>(D))) {
      Meaning M{D, true, {}};
      if (isa<FunctionDecl, FunctionTemplateDecl>(D)) // A using declaration brings in all overloads.
        llvm::copy_if(Innermost, std::back_inserter(M.All), isCalled);
      return M;
    }
  // Lookup in an instance would find members of bases that depend on parameters.
  const FunctionDecl *Pattern = F.getTemplateInstantiationPattern();
  const DeclContext *In = Body.getDeclContext();
  for (const DeclContext *DC = (Pattern ? Pattern : &F)->getDeclContext(); DC;
       DC = DC->getParent(), In = In ? In->getParent() : nullptr) {
    if (DC->isFunctionOrMethod() || DC->isTransparentContext())
      continue;
    Meaning M = inInstance(in(DC, Name, OfScope), DC, In, Name, OfScope);
    llvm::SmallPtrSet<const DeclContext *, 8> Seen;
    nominated(DC, Name, OfScope, M, Seen);
    for (const NamespaceDecl *N : Nominated)
      if (DC->isFileContext() && DC->Encloses(N) && Seen.insert(N->getPrimaryContext()).second)
        merge(M, in(N->getPrimaryContext(), Name, OfScope));
    if (M.Found)
      return M;
    const auto *Class = dyn_cast<CXXRecordDecl>(DC);
    const TemplateParameterList *List = Class ? Class->getDescribedTemplateParams() : nullptr;
    for (const NamedDecl *P : List ? List->asArray() : llvm::ArrayRef<NamedDecl *>())
      if (P->getIdentifier() && P->getName() == Name)
        return {P, true, {}};
  }
  return {};
}

// The parts of "a::b<c::d>::e".
static llvm::SmallVector<llvm::StringRef, 4> partsOf(llvm::StringRef Name, char Separator) {
  llvm::SmallVector<llvm::StringRef, 4> Out;
  int Depth = 0;
  size_t Begin = 0;
  for (size_t I = 0; I != Name.size(); ++I) {
    Depth += llvm::StringRef("<([").contains(Name[I]) - llvm::StringRef(">)]").contains(Name[I]);
    if (Depth != 0 || Name[I] != Separator || (Separator == ':' && !Name.substr(I).starts_with("::")))
      continue;
    Out.push_back(Name.slice(Begin, I).trim());
    I += Separator == ':';
    Begin = I + 1;
  }
  Out.push_back(Name.substr(Begin).trim());
  return Out;
}

static bool areFunctions(llvm::ArrayRef<const NamedDecl *> All) {
  return llvm::any_of(All, [](const NamedDecl *D) { return isa<FunctionTemplateDecl>(D); });
}

Names::Meaning Names::qualified(llvm::StringRef Name) const {
  const DeclContext *DC = nullptr;
  const auto Parts = partsOf(Name, ':');
  for (size_t I = 0; I != Parts.size(); ++I) {
    if (I == 0 && Parts[0].empty()) {
      DC = S.Context.getTranslationUnitDecl();
      continue;
    }
    const bool Last = I + 1 == Parts.size();
    llvm::StringRef Part = Parts[I];
    Part.consume_front("template ");
    const llvm::StringRef Id = Part.take_until([](char C) { return C == '<'; });
    Meaning M = DC ? in(DC, Id.trim(), !Last) : unqualified(Id.trim(), !Last);
    if (Id.size() != Part.size() && !areFunctions(M.All))
      M = specialised(M.D, Part.drop_front(Id.size() + 1).drop_back());
    if (Last)
      return M;
    if (const auto *Alias = dyn_cast_or_null<NamespaceAliasDecl>(M.D))
      M.D = Alias->getNamespace();
    if (const auto *T = dyn_cast_or_null<ClassTemplateDecl>(M.D))
      M.D = T->getTemplatedDecl();
    else if (const QualType T = typeOf(M); !T.isNull())
      M.D = T->getAsTagDecl();
    DC = dyn_cast_or_null<DeclContext>(M.D);
    if (const auto *Class = dyn_cast_or_null<CXXRecordDecl>(DC); Class && !Class->isDependentContext())
      (void)S.isCompleteType(Place, S.Context.getRecordType(Class));
    if (!DC)
      return {};
  }
  return {};
}

// --- Templates -------------------------------------------------------------------------------------------------------

const TemplateArgument *argumentOf(const NamedDecl &P, const FunctionDecl &In) {
  const auto of = [&](const TemplateParameterList *List, const TemplateArgumentList *Args) -> const TemplateArgument * {
    for (unsigned I = 0; List && Args && I < Args->size() && I < List->size(); ++I)
      if (List->getParam(I)->getLocation() == P.getLocation())
        return &Args->get(I);
    return nullptr;
  };
  if (const FunctionTemplateDecl *T = In.getPrimaryTemplate())
    if (const TemplateArgument *A = of(T->getTemplateParameters(), In.getTemplateSpecializationArgs()))
      return A;
  for (const DeclContext *DC = In.getDeclContext(); DC; DC = DC->getParent())
    if (const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(DC)) {
      const auto From = Class->getSpecializedTemplateOrPartial();
      const auto *Partial = From.dyn_cast<ClassTemplatePartialSpecializationDecl *>();
      const TemplateParameterList *List =
          Partial ? Partial->getTemplateParameters() : From.get<ClassTemplateDecl *>()->getTemplateParameters();
      if (const TemplateArgument *A = of(List, &Class->getTemplateInstantiationArgs()))
        return A;
    }
  return nullptr;
}

std::optional<std::int64_t> Names::constant(const NamedDecl *D) const {
  if (const auto *P = dyn_cast_or_null<NonTypeTemplateParmDecl>(D)) {
    const TemplateArgument *A = argumentOf(*P, Body);
    return A && A->getKind() == TemplateArgument::Integral ? A->getAsIntegral().tryExtValue() : std::nullopt;
  }
  if (const auto *E = dyn_cast_or_null<EnumConstantDecl>(D))
    return E->getInitVal().tryExtValue();
  const auto *V = dyn_cast_or_null<VarDecl>(D);
  if (!V || isa<ParmVarDecl>(V) || !V->getType().isConstQualified() || !V->getType()->isIntegerType() ||
      V->getType()->isDependentType() || !V->getAnyInitializer() || V->getAnyInitializer()->isValueDependent())
    return std::nullopt;
  const APValue *Value = V->evaluateValue();
  return Value && Value->isInt() ? Value->getInt().tryExtValue() : std::nullopt;
}

QualType Names::typeOf(const Meaning &M) const {
  if (!M.T.isNull())
    return M.T;
  if (const auto *P = dyn_cast_or_null<TemplateTypeParmDecl>(M.D)) {
    const TemplateArgument *A = argumentOf(*P, Body);
    return A && A->getKind() == TemplateArgument::Type ? A->getAsType() : QualType();
  }
  if (const auto *Class = dyn_cast_or_null<CXXRecordDecl>(M.D); Class && Class->isInjectedClassName())
    return S.Context.getRecordType(cast<CXXRecordDecl>(Class->getDeclContext()));
  const auto *D = dyn_cast_or_null<TypeDecl>(M.D);
  return D ? S.Context.getTypeDeclType(D) : QualType();
}

QualType Names::type(llvm::StringRef Text) const {
  Text = Text.trim();
  const auto made = [&](auto Make) {
    const QualType T = type(Text);
    return T.isNull() || T->isReferenceType() ? T : Make(T);
  };
  if (Text.consume_back("*"))
    return made([&](QualType T) { return S.Context.getPointerType(T); });
  if (Text.consume_back("&"))
    return made([&](QualType T) { return S.Context.getLValueReferenceType(T); });
  if (Text.consume_front("const ") || Text.consume_back(" const"))
    return made([](QualType T) { return T.withConst(); });
  llvm::SmallVector<llvm::StringRef, 4> Words;
  llvm::SplitString(Text, Words);
  const auto has = [&](llvm::StringRef Word) { return llvm::count(Words, Word); };
  const auto isBuiltin = [](llvm::StringRef W) {
    return llvm::is_contained({"unsigned", "signed", "long", "int", "short", "char", "float", "double", "bool", "void"},
                              W);
  };
  if (Words.empty() || !llvm::all_of(Words, isBuiltin)) {
    Text.consume_front("typename ");
    return typeOf(qualified(Text));
  }
  ASTContext &C = S.Context;
  QualType T = has("float")       ? C.FloatTy
               : has("bool")      ? C.BoolTy
               : has("void")      ? C.VoidTy
               : has("double")    ? (has("long") ? C.LongDoubleTy : C.DoubleTy)
               : has("char")      ? (has("signed") ? C.SignedCharTy : C.CharTy)
               : has("short")     ? C.ShortTy
               : has("long") == 0 ? C.IntTy
               : has("long") == 1 ? C.LongTy
                                  : C.LongLongTy;
  return !has("unsigned") ? T : T == C.CharTy ? C.UnsignedCharTy : C.getCorrespondingUnsignedType(T);
}

bool Names::arguments(llvm::StringRef Text, TemplateArgumentListInfo &Out) const {
  const auto add = [&](const TemplateArgument &A) {
    const bool Integral = A.getKind() == TemplateArgument::Integral;
    if (Integral || A.getKind() == TemplateArgument::Type)
      Out.addArgument(S.getTrivialTemplateArgumentLoc(A, Integral ? A.getIntegralType() : QualType(), Place));
    return Integral || A.getKind() == TemplateArgument::Type;
  };
  const auto number = [&](std::int64_t N, QualType T) {
    return add({S.Context, llvm::APSInt(llvm::APInt(S.Context.getIntWidth(T), std::uint64_t(N), true), false), T});
  };
  for (llvm::StringRef Each : partsOf(Text, ',')) {
    if (Each.empty() && Text.trim().empty())
      return true;
    const bool Expanded = Each.consume_back("...");
    const NamedDecl *D = qualified(Each.trim()).D;
    const TemplateArgument *Given = D && D->isTemplateParameter() ? argumentOf(*D, Body) : nullptr;
    std::int64_t N;
    bool Good = false;
    if (Expanded)
      Good = Given && Given->getKind() == TemplateArgument::Pack && llvm::all_of(Given->pack_elements(), add);
    else if (Given)
      Good = add(*Given);
    else if (Each == "true" || Each == "false")
      Good = number(Each == "true", S.Context.BoolTy);
    else if (!Each.rtrim("uUlL").getAsInteger(0, N))
      Good = number(N, S.Context.LongTy);
    else if (const std::optional<std::int64_t> Value = constant(D))
      Good = number(*Value, S.Context.LongTy);
    else if (const QualType T = type(Each); !T.isNull())
      Good = add(T);
    if (!Good)
      return false;
  }
  return true;
}

Names::Meaning Names::specialised(const NamedDecl *Template, llvm::StringRef Args) const {
  if (const auto *Class = dyn_cast_or_null<CXXRecordDecl>(Template)) {
    Class = Class->isInjectedClassName() ? cast<CXXRecordDecl>(Class->getDeclContext()) : Class;
    const auto *Instance = dyn_cast<ClassTemplateSpecializationDecl>(Class);
    Template = Instance ? Instance->getSpecializedTemplate() : Class->getDescribedClassTemplate();
  }
  Sema::SFINAETrap Trap(S);
  TemplateArgumentListInfo List(Place, Place);
  if (!isa_and_nonnull<ClassTemplateDecl, TypeAliasTemplateDecl, VarTemplateDecl>(Template) || !arguments(Args, List))
    return {};
  auto *T = const_cast<TemplateDecl *>(cast<TemplateDecl>(Template));
  Meaning Out;
  if (auto *V = dyn_cast<VarTemplateDecl>(T)) {
    const DeclResult R = S.CheckVarTemplateId(V, Place, Place, List);
    Out.D = R.isUsable() ? cast<NamedDecl>(R.get()) : nullptr;
  } else {
    Out.T = S.CheckTemplateIdType(TemplateName(T), Place, List);
  }
  Out.Found = Out.D || !Out.T.isNull();
  return Out;
}

bool Names::argumentsOf(llvm::StringRef Name, TemplateArgumentListInfo &Out) const {
  const llvm::StringRef Last = partsOf(Name, ':').back();
  const size_t Begin = Last.find('<');
  return Begin != llvm::StringRef::npos && arguments(Last.drop_front(Begin + 1).drop_back(), Out);
}

bool Names::isTemplate(llvm::StringRef Name) const {
  const Meaning M = qualified(Name);
  const NamedDecl *D = M.D;
  if (areFunctions(M.All))
    return true;
  const auto *Class = dyn_cast_or_null<CXXRecordDecl>(D);
  return isa_and_nonnull<ClassTemplateDecl, TypeAliasTemplateDecl, VarTemplateDecl>(D) ||
         (Class && Class->isInjectedClassName() &&
          (Class->isDependentContext() || isa<ClassTemplateSpecializationDecl>(Class->getDeclContext())));
}

const CXXRecordDecl *Names::object() const {
  const auto *M = dyn_cast<CXXMethodDecl>(F.isDependentContext() && !Body.isDependentContext() ? &Body : &F);
  return M ? M->getParent() : nullptr;
}

const NamedDecl *Names::memberNamed(llvm::StringRef Name) const {
  const CXXRecordDecl *Class = object();
  const llvm::StringRef Last = partsOf(Name, ':').back();
  if (Class && Last.size() != Name.size()) {
    const QualType T = typeOf(qualified(Name.drop_back(Last.size()).rtrim().drop_back(2)));
    Class = T.isNull() ? nullptr : T->getAsCXXRecordDecl();
    Class = Class ? Class->getDefinition() : nullptr;
  }
  return Class ? in(Class, Last, false).D : nullptr;
}

const NamedDecl *Names::find(llvm::StringRef Name) const {
  if (Name.consume_front("this->"))
    return memberNamed(Name);
  return qualified(Name).D;
}

std::vector<const NamedDecl *> Names::functions(llvm::StringRef Name) const {
  std::vector<const NamedDecl *> Out;
  for (const NamedDecl *D : qualified(Name).All)
    if (isa<FunctionDecl, FunctionTemplateDecl>(D) && !llvm::is_contained(Out, D))
      Out.push_back(D);
  return Out;
}

// True if DC encloses the body: its class, or an instance of a class template.
bool Names::isBody(const DeclContext *DC) const {
  for (const DeclContext *Each = &Body; Each; Each = Each->getParent())
    if (Each->Equals(DC))
      return true;
  return false;
}

// True for the body of a generic lambda.
static bool isOfGenericLambda(const DeclContext *DC) {
  const auto *M = dyn_cast<CXXMethodDecl>(DC);
  return M && M->getParent()->isLambda() && M->isTemplateInstantiation();
}

// For a template, clauses name the pattern's declarations and the body an instance's.
bool Names::same(const NamedDecl *Found, const ValueDecl &D) const {
  if (!Found)
    return false;
  const Decl *A = Found->getCanonicalDecl(), *B = D.getCanonicalDecl();
  return A == B || ((isBody(D.getDeclContext()) || isOfGenericLambda(D.getDeclContext())) &&
                    Found->getDeclName() == D.getDeclName() && A->getLocation().isValid() &&
                    A->getLocation() == B->getLocation());
}

bool Names::means(llvm::StringRef Text, const ValueDecl &D) const {
  const bool Hidden = llvm::any_of(Hiding, [&](const NamedDecl *P) {
    return P->getIdentifier() && P->getName() == Text && P->getCanonicalDecl() != D.getCanonicalDecl();
  });
  return !Hidden && same(find(Text), D);
}

// --- Spelling --------------------------------------------------------------------------------------------------------

bool Names::accessibleAs(const NamedDecl &D) const {
  auto *Class = const_cast<CXXRecordDecl *>(dyn_cast<CXXRecordDecl>(D.getDeclContext()));
  if (!Class || D.getAccess() == AS_public || D.getAccess() == AS_none || isBody(Class))
    return true;
  Sema::ContextRAII At(S, const_cast<FunctionDecl *>(&F));
  return S.IsSimplyAccessible(const_cast<NamedDecl *>(&D), Class, S.Context.getRecordType(Class));
}

// True for a protected member that the function's class inherits.
bool Names::inherited(const NamedDecl &D) const {
  auto *Class = dyn_cast<CXXRecordDecl>(D.getDeclContext());
  if (!Class || D.getAccess() != AS_protected)
    return false;
  for (const DeclContext *DC = F.getDeclContext(); DC; DC = DC->getParent()) {
    const auto *Around = dyn_cast<CXXRecordDecl>(DC);
    Around = Around ? Around->getDefinition() : nullptr;
    if (Around && Around->isDerivedFrom(Class)) {
      Sema::ContextRAII At(S, const_cast<FunctionDecl *>(&F));
      return S.IsSimplyAccessible(const_cast<NamedDecl *>(&D), const_cast<CXXRecordDecl *>(Around),
                                  S.Context.getRecordType(Around));
    }
  }
  return false;
}

static constexpr const char *Private = "it is a private member";

// The member function that only returns Field.
static const CXXMethodDecl *getterOf(const FieldDecl &Field) {
  const auto *Class = dyn_cast<CXXRecordDecl>(Field.getParent());
  const CXXMethodDecl *Getter = nullptr;
  for (const CXXMethodDecl *M : Class ? Class->methods() : CXXRecordDecl::method_range({}, {})) {
    if (M->getAccess() != AS_public || !M->isConst() || M->getNumParams() != 0 || !M->getIdentifier() ||
        M->isVirtual() || M->getReturnType()->isPointerType())
      continue;
    const FunctionDecl *Def = nullptr;
    const auto *Body = M->hasBody(Def) ? dyn_cast_or_null<CompoundStmt>(Def->getBody()) : nullptr;
    const auto *Return = Body && Body->size() == 1 ? dyn_cast<ReturnStmt>(Body->body_front()) : nullptr;
    const auto *E =
        Return && Return->getRetValue() ? dyn_cast<MemberExpr>(Return->getRetValue()->IgnoreParenImpCasts()) : nullptr;
    const DeclContext::lookup_result Overloads = Class->lookup(M->getDeclName());
    if (E && E->getMemberDecl() == &Field && isa<CXXThisExpr>(E->getBase()->IgnoreParenImpCasts()) &&
        std::next(Overloads.begin()) == Overloads.end() &&
        Field.getASTContext().hasSameUnqualifiedType(M->getReturnType().getNonReferenceType(), Field.getType()))
      Getter = M;
  }
  return Getter;
}

std::string Names::member(const FieldDecl &Field) {
  const std::string Name = Field.getNameAsString();
  if (accessibleAs(Field))
    return Name;
  if (const CXXMethodDecl *M = getterOf(Field))
    return M->getNameAsString() + "()";
  Reasons["?" + Name] = "'" + Name + "' cannot be named there, because " + Private;
  return "?" + Name;
}

std::string Names::qualifier(const CXXRecordDecl &Base, const CXXRecordDecl &Of) {
  const Meaning M = Base.getIdentifier() ? in(&Of, Base.getName(), true) : Meaning();
  const auto *Found = dyn_cast_or_null<CXXRecordDecl>(M.D);
  if (Found && Found->isInjectedClassName())
    Found = cast<CXXRecordDecl>(Found->getDeclContext());
  return Found && declaresSameEntity(Found, &Base) ? Base.getNameAsString() + "::" : path(&Base);
}

// "::a::S<int>::" for declarations in DC. Empty if DC has no name.
std::string Names::path(const DeclContext *DC) const {
  if (DC->isTranslationUnit())
    return "::";
  std::string Outer = path(DC->getParent());
  if (Outer.empty() || DC->isTransparentContext())
    return Outer;
  if (const auto *NS = dyn_cast<NamespaceDecl>(DC))
    return NS->isAnonymousNamespace() || NS->isInline() ? Outer : Outer + NS->getNameAsString() + "::";
  const auto *Class = dyn_cast<CXXRecordDecl>(DC);
  if (!Class || !Class->getIdentifier())
    return "";
  Outer += Class->getNameAsString();
  if (const auto *Instance = dyn_cast<ClassTemplateSpecializationDecl>(Class)) {
    const std::string Args = spelledArgs(S.Context, Instance->getTemplateArgs().asArray());
    if (Args.empty())
      return "";
    Outer += Args;
  }
  return Outer + "::";
}

// The spelling of a member of the implicit object.
std::string Names::spellMember(const FieldDecl &D) const {
  const std::string Name = D.getNameAsString();
  if (means(Name, D))
    return Name;
  const NamedDecl *M = memberNamed(Name);
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  const auto *Class = Method ? Method->getParent()->getDefinition() : nullptr;
  if (same(M, D) || (!M && Class && Class->isDependentContext() && Class->hasAnyDependentBases()))
    return "this->" + Name;
  const auto *Base = dyn_cast<CXXRecordDecl>(D.getParent());
  std::string Scope = Base && Base->getIdentifier() ? Base->getNameAsString() + "::" : "";
  for (const bool Whole : {false, true}) {
    if (Whole && Base)
      Scope = path(Base);
    if (const std::string Text = "this->" + Scope + Name; !Scope.empty() && means(Text, D))
      return Text;
  }
  return "";
}

std::string Names::spell(const ValueDecl &D, std::string &Why) const {
  const std::string Name = D.getNameAsString();
  Why = Private;
  if (!accessibleAs(D) && !inherited(D))
    return "";
  Why = "nothing of its name means it";
  if (const auto *Field = dyn_cast<FieldDecl>(&D))
    return spellMember(*Field);
  const auto *V = dyn_cast<VarDecl>(&D);
  const bool Local = V && V->isLocalVarDeclOrParm() && !V->isLocalExternDecl();
  if (!V || Local || V->getDeclContext()->isFunctionOrMethod()) {
    Why = "it is a static of a function"; // A hidden variable can only be reached through pointers.
    return means(Name, D) ? Name : "";
  }
  const auto *Instance = dyn_cast<VarTemplateSpecializationDecl>(V);
  const std::string Scope = path(V->getDeclContext());
  Why = "nothing of its name means it";
  if (Scope.empty())
    return means(Name, D) ? Name : "";
  if (Instance) {
    const std::string Args = spelledArgs(S.Context, Instance->getTemplateArgs().asArray());
    return Args.empty() ? "" : Scope + Name + Args;
  }
  const std::string Global = Scope + Name;
  std::string Texts[] = {Global.substr(2), Name};
  if (isBody(V->getDeclContext()) && Scope.find('<') != std::string::npos) // All instances have one spelling.
    std::swap(Texts[0], Texts[1]);
  for (const std::string &Text : Texts)
    if (means(Text, D))
      return Text;
  if (means(Global, D) || Scope.find('<') != std::string::npos)
    return Global;
  if (S.getSourceManager().isBeforeInTranslationUnit(Place, D.getCanonicalDecl()->getLocation()))
    Why = "it is declared behind the task";
  return "";
}

std::string Names::of(const ValueDecl &Declared) {
  const auto &D = *cast<ValueDecl>(Declared.getCanonicalDecl());
  auto [It, New] = Spelled.try_emplace(&D);
  if (!New || !D.getIdentifier())
    return It->second; // The object behind structured bindings has no name.
  std::string Why, Text = spell(D, Why);
  if (const auto Other = Taken.find(Text); Other != Taken.end() && (same(Other->second, D) || same(&D, *Other->second)))
    return It->second = Text; // For both the pattern's and an instance's declaration.
  if (Text.empty() || !Taken.try_emplace(Text, &D).second) {
    const std::string Name = "?" + D.getNameAsString();
    Reasons[Name] = "'" + D.getNameAsString() + "' cannot be named there, because " + Why;
    for (unsigned N = 2; !Taken.try_emplace(Text = N == 2 ? Name : Name + "?" + std::to_string(N), &D).second;)
      ++N;
  }
  return It->second = Text;
}

std::string Names::whyNot(llvm::StringRef Text) const {
  for (const auto &[Mark, Why] : Reasons)
    for (size_t At = Text.find(Mark); At != llvm::StringRef::npos; At = Text.find(Mark, At + 1)) {
      const size_t End = At + Mark.size();
      if (End == Text.size() || !inName(Text[End]))
        return Why;
    }
  return "";
}

std::string readable(llvm::StringRef Spelling) {
  std::string Out;
  for (size_t I = 0; I != Spelling.size(); ++I)
    if (Spelling[I] != '?' || (I + 1 != Spelling.size() && Spelling[I + 1] == ' '))
      Out += Spelling[I];
    else
      while (I + 1 != Spelling.size() && llvm::isDigit(Spelling[I + 1]))
        ++I;
  return Out;
}

} // namespace hsched::cc
