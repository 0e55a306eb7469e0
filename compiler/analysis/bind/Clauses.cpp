// Binding of clauses to their function.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Fixes.h"
#include "analysis/bind/Internal.h"
#include "analysis/infer/Expressions.h"
#include "analysis/infer/Macros.h"

using namespace clang;

namespace hsched::cc {
namespace {

class ClauseBinder : public BindContext {
public:
  explicit ClauseBinder(const BindContext &C) : BindContext(C) {}

  // Names in E must be declared here, and E must have a meaning.
  bool checkNames(const BoundFunction &F, const Expr &E, const char *Clause, const Section *Of = nullptr) {
    bool Good = true;
    const FunctionDecl *FD = F.Annotated;
    for (const NameUse &N : E.Names) {
      bool Known = Of && Of->generates(N.Name);
      std::string Params;
      for (const ParmVarDecl *P : FD->parameters()) {
        Known |= P->getName() == N.Name;
        QualType T = P->getType().getNonReferenceType();
        Known |= N.Called && (T->isRecordType() || T->isDependentType());
        if (!P->getName().empty())
          Params += (Params.empty() ? "'" : ", '") + P->getNameAsString() + "'";
      }
      if (F.Template)
        for (const NamedDecl *P : *F.Template->getTemplateParameters())
          Known |= P->getName() == N.Name;
      if (Known || visibleFrom(S, FD->getDeclContext(), N.Name, N.Loc))
        continue;
      Good = false;
      fail(N.Loc,
           "unknown name '%0' in clause '%1': it is not a parameter of '%2' and nothing of that name is in scope here",
           N.Name, Clause, FD->getNameAsString());
      if (!Params.empty())
        note(Diags, FD->getLocation(), "the parameters of '%0' are %1", FD->getNameAsString(), Params);
    }
    return Good && checkMeaning(*this, Names(S, *FD, *FD), *FD, E, Clause, Of);
  }
  bool checkNames(const BoundFunction &F, const std::vector<Expr> &List, const char *Clause) {
    bool Good = true;
    for (const Expr &E : List)
      Good &= checkNames(F, E, Clause);
    return Good;
  }

  void bindClauses(BoundFunction &F) {
    const Directive &D = F.D;
    FunctionCode &C = F.code();
    C.Devices = D.Devices;
    std::vector<AccessCode> Accesses;
    for (const DataClause &Data : D.Data)
      for (const Section &Sec : Data.Sections)
        bindSection(F, Data, withoutMacro(S.PP, Sec), Accesses);
    checkReduced(F);
    if (D.Range)
      for (const std::vector<Expr> *Sizes : {&D.Range->Global, &D.Range->Local, &D.Range->Offset})
        F.Bad |= !checkNames(F, *Sizes, "ndrange");
    if (D.Args)
      for (const KernelArgument &A : *D.Args)
        F.Bad |= !checkNames(F, A.Value, "args");
    if (F.IsTask) {
      if (D.Priority && checkNames(F, *D.Priority, "priority"))
        F.Task.Priority = D.Priority->Text;
      if (D.Label && checkNames(F, *D.Label, "label"))
        F.Task.Label = D.Label->Text;
      if (D.If && checkNames(F, *D.If, "if"))
        F.Task.If = D.If->Text;
      if (D.Final && checkNames(F, *D.Final, "final"))
        F.Task.Final = D.Final->Text;
      if (D.Cost && checkNames(F, *D.Cost, "cost"))
        F.Task.Cost = D.Cost->Text;
      if (D.Where && checkNames(F, *D.Where, "where"))
        F.Task.Where = D.Where->Text;
      F.Task.HintLine = SM.getPresumedLineNumber(D.Loc);
      F.Task.Accesses = std::move(Accesses);
      F.Task.BodyName = "hsched_body_" + F.Annotated->getNameAsString();
      if (F.Annotated->getTemplateSpecializationKind() == TSK_ExplicitSpecialization || F.Task.SharesName)
        F.Task.BodyName += C.Id.substr(C.Id.rfind('_'));
      F.Task.Defined = F.Definition || D.Kernel;
      F.Task.UsedHere = F.Annotated->getCanonicalDecl()->isUsed(false) || F.Annotated->isReferenced();
      if (D.Kernel)
        F.Task.Weak = true;
    } else {
      F.Version.Defined = F.Definition || D.Kernel || F.InClass;
      F.Version.Call = F.Annotated->getNameAsString() + C.TemplateArgs;
      F.Version.Sections = std::move(Accesses);
    }
    F.Roles = rolesOf(F.IsTask ? F.Task.Accesses : F.Version.Sections);
  }

  static std::map<std::pair<int, std::string>, AccessRole> rolesOf(const std::vector<AccessCode> &List) {
    std::map<std::pair<int, std::string>, AccessRole> Roles;
    for (const AccessCode &A : List) {
      auto [It, New] = Roles.try_emplace({A.Param, A.Param < 0 ? A.What.Text : ""}, A.Role);
      if (!New && It->second != A.Role)
        It->second = AccessRole::InOut;
    }
    return Roles;
  }

  // A section names a parameter pack only as 'a...'.
  bool packsUnfolded(BoundFunction &F, const Section &Sec) {
    for (const Expr *E : Sec.expressions())
      for (const NameUse &N : E->Names)
        for (const ParmVarDecl *P : F.Annotated->parameters())
          if (P->isParameterPack() && P->getName() == N.Name) {
            F.Bad = true;
            return fail(N.Loc, "'%0' is a parameter pack: write '%1...' for a section of each of its elements", N.Name,
                        Sec.Text);
          }
    return true;
  }

  void bindSection(BoundFunction &F, const DataClause &Data, const Section &Sec, std::vector<AccessCode> &Out) {
    const FunctionDecl *FD = F.Annotated;
    const char *Clause = spelling(Data.Role);
    bool Good = true;
    for (const Expr *E : Sec.expressions())
      Good &= checkNames(F, *E, Clause, &Sec);
    if (!Good) {
      F.Bad = true;
      return;
    }
    if (!Sec.Pack && !packsUnfolded(F, Sec))
      return;
    AccessCode A{Data.Role, -1, Sec, SM.getPresumedLineNumber(Sec.Loc), ""};
    if (PresumedLoc Place = SM.getPresumedLoc(Sec.Loc); Place.isValid())
      A.File = Place.getFilename();
    std::string Number = "n";
    const ParmVarDecl *Param = nullptr;
    for (unsigned I = FD->getNumParams(); I-- > 0;) {
      const ParmVarDecl *P = FD->getParamDecl(I);
      if (P->getType().getNonReferenceType()->isIntegerType() && !P->getName().empty())
        Number = P->getNameAsString();
      // A cast pointer still is that parameter. Memory behind another pointer in it is not.
      bool Through = Sec.Base.Text.find("->") != std::string::npos || Sec.Base.Text.find('.') != std::string::npos ||
                     Sec.Base.Text.find('[') != std::string::npos;
      bool Row = Sec.RootSubscripts > 0 && Sec.RootName == P->getName() &&
                 inOnePiece(Context, P->getType(), Sec.RootSubscripts);
      if (Row || (!Through && Sec.Base.Names.size() == 1 && Sec.Base.Names[0].Name == P->getName())) {
        Param = P;
        A.Param = static_cast<int>(I);
      }
    }
    if (Param && !Sec.BaseName.empty()) {
      // A reference alone does not instantiate the class.
      (void)S.isCompleteType(Sec.Loc, Param->getType().getNonReferenceType());
      std::string Problem = sectionProblem(Context, Sec, Param->getType(), Number);
      if (!Problem.empty()) {
        fail(Sec.Loc, "%0", Problem);
        note(Diags, Param->getLocation(), "parameter '%0' is declared here", Param->getNameAsString());
        F.Bad = true;
        return;
      }
      HostArg H = hostArg(Context, Param->getType());
      if (Data.Role != AccessRole::In && H.PointeeConst) {
        warn(Diags, Warning::Const, Sec.Loc,
             "'%0' cannot be '%1': what it refers to is const, so that only 'in' is possible", Sec.BaseName, Clause,
             fixRole(SM, F.D, Sec.Loc, "in"));
        note(Diags, Param->getLocation(), "parameter '%0' is declared here", Param->getNameAsString());
      }
    }
    QualType Named = Param && !Sec.BaseName.empty() ? Param->getType() : QualType();
    if (const ValueDecl *Member = Param ? nullptr : memberOf(S, FD, Sec.BaseName)) {
      QualType T = Named = memberType(S, FD, Sec.BaseName);
      if (std::string Problem = sectionProblem(Context, Sec, T, Number); !Problem.empty()) {
        fail(Sec.Loc, "%0", Problem);
        note(Diags, Member->getLocation(), "member '%0' is declared here", Sec.BaseName);
        F.Bad = true;
        return;
      }
    }
    if (!Param && Named.isNull() &&
        !checkGlobal(*this, Sec, valueNamed(S, FD->getDeclContext(), Sec.BaseName, Sec.Loc))) {
      F.Bad = true;
      return;
    }
    if (Data.Role == AccessRole::Reduction && !bindReduced(*this, F, Data, Sec, Param, A)) {
      F.Bad = true;
      return;
    }
    A.What.Owner = Data.Role != AccessRole::Reduction && mayOwn(Context, Sec, Named);
    A.What.Library = hasMemory(Context, Sec, Named, /*AnyClass=*/Data.Role == AccessRole::Reduction);
    Out.push_back(std::move(A));
  }

  // The body accesses a private copy through a reduced parameter, so no other clause may name it.
  void checkReduced(BoundFunction &F) {
    std::map<int, const Section *> Reduced;
    for (const DataClause &Data : F.D.Data)
      for (const Section &Sec : Data.Sections)
        for (unsigned I = 0; I < F.Annotated->getNumParams(); ++I)
          if (!Sec.BaseName.empty() && F.Annotated->getParamDecl(I)->getName() == Sec.BaseName) {
            auto [It, New] = Reduced.try_emplace(int(I), Data.Role == AccessRole::Reduction ? &Sec : nullptr);
            if (New || (!It->second && Data.Role != AccessRole::Reduction))
              continue;
            fail(Sec.Loc, "'%0' is reduced, so that the task has a private copy of it: name it in no other clause",
                 Sec.BaseName);
            F.Bad = true;
          }
  }
};

} // namespace

bool checkMeaning(BindContext C, const Names &Called, const FunctionDecl &F, const Expr &E, llvm::StringRef Clause,
                  const Section *Of) {
  static const Section None;
  if (F.isDependentContext()) // The host compiler checks each instance.
    return true;
  const bool Number = Of ? &E != &Of->Base : Clause == "ndrange" || Clause == "priority" || Clause == "cost";
  const std::string Why = Expressions(C.S, Called, F, F).problem(E.Text, Of ? *Of : None, Number);
  return Why.empty() || C.fail(E.Begin, "%0", Why);
}

void bindClauses(BindContext C, BoundFunction &F) { ClauseBinder(C).bindClauses(F); }

} // namespace hsched::cc
