// Reductions: declared ones, and their use in clauses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/bind/Internal.h"
#include "model/NameCharacters.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace hsched::cc {
namespace {

// The innermost namespace or other context inside DC that contains Loc.
const DeclContext *contextAt(const SourceManager &SM, const DeclContext *DC, SourceLocation Loc) {
  for (const Decl *D : DC->decls()) {
    const auto *Inner = dyn_cast<DeclContext>(D);
    if (const auto *T = dyn_cast<ClassTemplateDecl>(D))
      Inner = T->getTemplatedDecl();
    if (const auto *T = dyn_cast<FunctionTemplateDecl>(D))
      Inner = T->getTemplatedDecl();
    if (!Inner || D->isImplicit())
      continue;
    SourceRange R(SM.getExpansionLoc(D->getBeginLoc()), SM.getExpansionLoc(D->getEndLoc()));
    if (SM.getFileID(R.getBegin()) == SM.getFileID(Loc) && SM.getFileID(R.getEnd()) == SM.getFileID(Loc) &&
        SM.getFileOffset(R.getBegin()) < SM.getFileOffset(Loc) && SM.getFileOffset(Loc) < SM.getFileOffset(R.getEnd()))
      return contextAt(SM, Inner, Loc);
  }
  return DC;
}

// "::a::b::"; names of unnamed and inline namespaces are optional.
std::string scopeName(const DeclContext *DC) {
  std::string Out = "::";
  for (; DC && !DC->isTranslationUnit(); DC = DC->getParent())
    if (const auto *NS = dyn_cast<NamespaceDecl>(DC); NS && !NS->isAnonymousNamespace() && !NS->isInline())
      Out = "::" + NS->getNameAsString() + Out;
  return Out;
}

std::string identifier(llvm::StringRef Name) {
  std::string Out;
  for (char C : Name)
    Out += inName(C) ? std::string(1, C) : std::to_string(int(C));
  return Out;
}

// The struct in gen.h for a built-in operation.
std::string builtIn(llvm::StringRef Op) {
  return llvm::StringSwitch<std::string>(Op)
      .Case("+", "hsched_gen_plus")
      .Case("*", "hsched_gen_times")
      .Case("&", "hsched_gen_bit_and")
      .Case("|", "hsched_gen_bit_or")
      .Case("^", "hsched_gen_bit_xor")
      .Case("&&", "hsched_gen_and")
      .Case("||", "hsched_gen_or")
      .Case("min", "hsched_gen_min")
      .Case("max", "hsched_gen_max")
      .Default("");
}

class ReductionBinder : public BindContext {
public:
  explicit ReductionBinder(const BindContext &C) : BindContext(C) {}

  void declare(const Directive &D) {
    const DeclaredReduction &R = *D.Reduction;
    const DeclContext *DC = contextAt(SM, Context.getTranslationUnitDecl(), D.Hash);
    if (!DC->isFileContext()) {
      fail(D.Loc, "'declare reduction' must be at namespace scope: put it outside the %0",
           isa<FunctionDecl>(DC) ? "function" : "class");
      return;
    }
    bool Good = true;
    for (const Expr *E : {&R.Combiner, &R.Initial})
      for (const NameUse &N : E->Names) {
        bool Own =
            E == &R.Combiner ? N.Name == "omp_in" || N.Name == "omp_out" : N.Name == "omp_priv" || N.Name == "omp_orig";
        if (!Own && !N.Called && !visibleFrom(S, DC, N.Name, N.Loc))
          Good =
              fail(N.Loc, "unknown name '%0' in 'declare reduction': its expressions see %1, and what is in scope here",
                   N.Name, E == &R.Combiner ? "omp_out and omp_in" : "omp_priv and omp_orig");
      }
    if (!Good)
      return;
    BoundReduction B;
    B.D = &D;
    PresumedLoc Place = SM.getPresumedLoc(D.Loc);
    // Equal in every unit that sees it in a header.
    bool Main = SM.isInMainFile(D.Hash);
    std::string Key = hashed((Main ? Options.MainFile + Options.Salt : std::string(Place.getFilename())) + ":" +
                             std::to_string(Place.getLine()));
    for (size_t I = 0; I < R.Types.size(); ++I)
      B.Code.push_back({scopeName(DC), "hsched_reduction_" + identifier(R.Name) + "_" + Key + "_" + std::to_string(I),
                        R.Types[I].Text, &R});
    Out.Reductions.push_back(std::move(B));
  }

  // Variable: V is a variable of a statement task, treated like a reference to it; otherwise it is a task's parameter.
  bool reduced(const DeclContext *Scope, const DataClause &Data, const Section &Sec, const ValueDecl *V, bool Variable,
               AccessCode &A) {
    if (!Sec.single())
      return fail(Sec.Loc, "'%0' cannot be reduced: name one section of at most two dimensions", Sec.Text);
    QualType T = V->getType(), Value = T.getNonReferenceType();
    bool Dependent = Value->isDependentType() || Value->isUndeducedType();
    bool Container = !elementOfContainer(Context, T).isNull();
    const CXXRecordDecl *Record = Value->getAsCXXRecordDecl();
    bool Holds = Record && Record->hasDefinition() && Record->isAggregate(); // std::array contains its elements.
    if (Container && !(Holds && (T->isReferenceType() || Variable))) {
      fail(Sec.Loc,
           "'%0' cannot be reduced: a task cannot be given a private copy of what a '%1' refers to; take a "
           "pointer and a length",
           Sec.BaseName, Value.getAsString(Context.getPrintingPolicy()));
      note(Diags, V->getLocation(), "%0 '%1' is declared here", Variable ? "variable" : "parameter", Sec.BaseName);
      return false;
    }
    if (T->isReferenceType() && Value->isPointerType() && !Variable)
      return fail(Sec.Loc, "'%0' cannot be reduced through a reference to a pointer: take the pointer by value",
                  Sec.BaseName);
    HostArg H = hostArg(Context, Variable && !T->isReferenceType() ? Context.getLValueReferenceType(T) : T);
    if (H.PointeeConst)
      return fail(Sec.Loc, "'%0' cannot be reduced: what it refers to is const", Sec.BaseName);

    A.Op = Data.Op;
    A.BuiltIn = builtIn(Data.Op);
    findDeclared(Scope, Data.Op, Sec.Loc, A.Reductions);
    if (A.BuiltIn.empty() && A.Reductions.empty())
      return fail(Data.OpLoc,
                  "unknown reduction '%0': it is none of + * & | ^ && || min max, and no '#pragma hsched declare "
                  "reduction(%0 : type : omp_out ...)' is visible here",
                  Data.Op);
    if (!Context.getLangOpts().CPlusPlus)
      return inC(Data, Sec, Value, A);
    return !A.Reductions.empty() || Dependent || fits(Sec, Data, T);
  }

  // C has no overloads, so the function for the elements' type is chosen here.
  bool inC(const DataClause &Data, const Section &Sec, QualType T, AccessCode &A) {
    A.Holds = T->isPointerType() ? AccessCode::VariableKind::Pointer
              : T->isArrayType() ? AccessCode::VariableKind::Array
                                 : AccessCode::VariableKind::Object;
    QualType Element = T->isPointerType() ? T->getPointeeType() : T;
    while (const ArrayType *Array = Context.getAsArrayType(Element))
      Element = Array->getElementType();
    Element = Element.getUnqualifiedType();
    auto spelled = [&](QualType Type) { return Type.getAsString(PrintingPolicy(Context.getLangOpts())); };
    A.Element = spelled(Element->isArithmeticType() ? Element.getCanonicalType() : Element);
    if (const auto *E = Element->getAs<EnumType>())
      A.Element = spelled(E->getDecl()->getIntegerType().getCanonicalType());
    std::vector<std::string> Fitting;
    for (const BoundReduction &B : Out.Reductions)
      for (const ReductionCode &R : B.Code)
        if (llvm::is_contained(A.Reductions, R.Scope + R.Struct) &&
            (R.Type == spelled(Element) || R.Type == spelled(Element.getCanonicalType())))
          Fitting.push_back(R.Struct);
    const bool Declared = !A.Reductions.empty();
    A.Reductions = std::move(Fitting);
    if (!A.Reductions.empty())
      return true;
    if (Declared && A.BuiltIn.empty())
      return fail(Data.OpLoc, "no '#pragma hsched declare reduction(%0 : ...)' in scope is for elements of type '%1'",
                  Data.Op, spelled(Element));
    return fits(Sec, Data, T);
  }

  bool reducedParameter(BoundFunction &F, const DataClause &Data, const Section &Sec, const ParmVarDecl *Param,
                        AccessCode &A) {
    if (!Param || Sec.BaseName.empty())
      return fail(Sec.Loc, "'%0' cannot be reduced: name a parameter, through which the task reaches its private copy",
                  Sec.Text);
    if (!reduced(F.Annotated->getDeclContext(), Data, Sec, Param, false, A))
      return false;
    QualType T = Param->getType(), Value = T.getNonReferenceType();
    if (F.IsTask && T->isReferenceType()) {
      FieldCode &Field = F.Task.Params[static_cast<size_t>(A.Param)];
      std::string Name = "hsched_p" + std::to_string(A.Param);
      Context.getPointerType(Value).getAsStringInternal(Name, PrintingPolicy(Context.getLangOpts()));
      Field.Declaration = Name;
      Field.Pointed = true;
    }
    return true;
  }

private:
  // True if the language has the operation for the elements' type.
  bool fits(const Section &Sec, const DataClause &Data, QualType T) {
    QualType Element = elementOfContainer(Context, T);
    if (Element.isNull())
      Element = T->isPointerType() ? T->getPointeeType() : T.getNonReferenceType();
    while (const ArrayType *Array = Context.getAsArrayType(Element))
      Element = Array->getElementType();
    if (Element->isDependentType())
      return true;
    bool Bits = Data.Op == "&" || Data.Op == "|" || Data.Op == "^";
    std::string Type = Element.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
    if (!Element->isArithmeticType() || Element->isAnyComplexType())
      return fail(Data.OpLoc,
                  "reduction '%0' is not known for elements of type '%1': declare it, "
                  "#pragma hsched declare reduction(%0 : %1 : omp_out = ...)",
                  Data.Op, Type);
    if (Bits && !Element->isIntegralOrUnscopedEnumerationType())
      return fail(Data.OpLoc, "reduction '%0' works on integers, and elements of '%1' are of type '%2'", Data.Op,
                  Sec.BaseName, Type);
    return true;
  }

  // Reductions declared before Use, innermost scope first. Reductions of one scope differ by type.
  void findDeclared(const DeclContext *Scope, llvm::StringRef Op, SourceLocation Use, std::vector<std::string> &Found) {
    auto [Qualifier, Name] = Op.contains("::") ? Op.rsplit("::") : std::pair<llvm::StringRef, llvm::StringRef>("", Op);
    bool Global = Op.starts_with("::");
    if (Op.contains("::"))
      Qualifier = llvm::StringRef(Op.data(), Qualifier.size() + 2);
    std::string Path;
    for (char C : Qualifier)
      if (!isspace(static_cast<unsigned char>(C)))
        Path += C;
    std::string Within = Global ? "::" : scopeName(Scope);
    while (Found.empty()) {
      std::string Full = Global ? Path : Within + Path;
      for (const BoundReduction &B : Out.Reductions)
        for (const ReductionCode &R : B.Code)
          if (R.Declared->Name == Name.trim() && R.Scope == Full && SM.isBeforeInTranslationUnit(B.D->Hash, Use))
            Found.push_back(R.Scope + R.Struct);
      if (Within == "::")
        break;
      Within.resize(Within.rfind("::", Within.size() - 3) + 2);
    }
  }
};

} // namespace

void bindReduction(BindContext C, const Directive &D) { ReductionBinder(C).declare(D); }

bool bindReduced(BindContext C, BoundFunction &F, const DataClause &Data, const Section &Sec, const ParmVarDecl *Param,
                 AccessCode &Out) {
  return ReductionBinder(C).reducedParameter(F, Data, Sec, Param, Out);
}

bool bindReducedVariable(BindContext C, const FunctionDecl *F, const DataClause &Data, const Section &Sec,
                         const ValueDecl *V, AccessCode &Out) {
  return ReductionBinder(C).reduced(F->getDeclContext(), Data, Sec, V, true, Out);
}

} // namespace hsched::cc
