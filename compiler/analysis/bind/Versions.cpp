// Versions and the main versions that they implement.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Fixes.h"
#include "analysis/Names.h"
#include "analysis/bind/Internal.h"
#include "analysis/infer/Questions.h"
#include "analysis/infer/Words.h"

#include "clang/AST/QualTypeNames.h"
#include "clang/Sema/Template.h"
#include "clang/Sema/TemplateDeduction.h"

#include <set>

using namespace clang;

namespace hsched::cc {
namespace {

class VersionBinder : public BindContext {
public:
  explicit VersionBinder(const BindContext &C) : BindContext(C) {}

  void bindVersion(BoundFunction &F) {
    const FunctionDecl *FD = F.Annotated;
    const Directive &D = F.D;
    auto Found = findFunctions(S, FD->getDeclContext(), D.Implements, D.ImplementsLoc);
    if (Found.empty()) {
      fail(D.ImplementsLoc,
           "no function '%0' is visible here: declare the main version, with its 'task' directive, before "
           "its versions",
           D.Implements);
      return;
    }
    BoundFunction *Best = nullptr, *Main = nullptr;
    const FunctionDecl *Near = nullptr;
    for (const NamedDecl *N : Found) {
      const auto *T = dyn_cast<FunctionTemplateDecl>(N);
      const FunctionDecl *Candidate = T ? T->getTemplatedDecl() : dyn_cast<FunctionDecl>(N);
      if (!Candidate)
        continue;
      Near = Near ? Near : Candidate;
      // An explicit specialization that is a separate task.
      if (T && !F.Template)
        for (const FunctionDecl *Special : T->specializations())
          if (auto It = ByFunction.find(Special->getCanonicalDecl());
              It != ByFunction.end() && It->second->IsTask && !It->second->Bad && sameParams(F, *It->second)) {
            Best = Main = It->second;
            break;
          }
      if (Main)
        break;
      auto It = ByFunction.find(Candidate->getCanonicalDecl());
      if (It == ByFunction.end() || !It->second->IsTask) {
        if (It != ByFunction.end())
          Near = Candidate;
        continue;
      }
      Best = Best ? Best : It->second;
      if (!It->second->Bad && sameParams(F, *It->second)) {
        Main = It->second;
        break;
      }
    }
    if (!Best) {
      auto It = Near ? ByFunction.find(Near->getCanonicalDecl()) : ByFunction.end();
      if (It != ByFunction.end())
        fail(D.ImplementsLoc, "'%0' is itself a version of '%1', not a main version: write implements(%1)",
             D.Implements, It->second->D.Implements);
      else
        fail(D.ImplementsLoc, "'%0' is not a main version: put '#pragma hsched task' before it", D.Implements);
      if (Near)
        note(Diags, Near->getLocation(), "'%0' is declared here", D.Implements);
      return;
    }
    if (!Main) {
      if (!Best->Bad)
        differentParams(F, *Best);
      return;
    }
    F.Main = Main;
    F.Version.TaskName = Main->Task.Name;
    F.Version.TaskLinkerName = Main->Task.LinkerName;
    if (takesObject(F, *Main)) {
      F.Version.Object = typeName(Main->Annotated);
      F.Version.ObjectFirst = true;
      F.Version.Params.erase(F.Version.Params.begin());
      for (size_t I = 0; I < F.Version.Params.size(); ++I) { // Their members are named by position.
        std::string &Declaration = F.Version.Params[I].Declaration;
        const std::string Old = "hsched_p" + std::to_string(I + 1);
        Declaration.replace(Declaration.rfind(Old), Old.size(), "hsched_p" + std::to_string(I));
      }
    }
    bindInstances(F, *Main);
    bindSections(F, *Main);
  }

  // Text in the words of the main version, without blanks. What the version has from elsewhere, but the main version
  // has as a parameter, differs from it.
  static std::string inWordsOfMain(llvm::StringRef Text, const FunctionCode &Version, const FunctionCode &Main) {
    return withoutBlanks(withNames(Text, [&](llvm::StringRef Name, char Before) -> std::string {
      if (Before)
        return Name.str();
      for (size_t I = 0; I < Version.Params.size() && I < Main.Params.size(); ++I)
        if (Version.Params[I].Name == Name)
          return Main.Params[I].Name;
      const bool IsMains = llvm::any_of(Main.Params, [&](const FieldCode &P) { return P.Name == Name; });
      return (IsMains ? "::" : "") + Name.str();
    }));
  }

  // What A names and its role, in the words of the main version. [n]x and x[0:n] are one.
  static std::string sameFor(const AccessCode &A, const FunctionCode &Of, const FunctionCode &Main) {
    const Section &S = A.What;
    std::string Text = S.Text;
    if (S.Over.empty() && S.F == Section::Form::Shaped && S.Shape.size() == 1 && S.Low.Wide.empty())
      Text = S.Base.Text + "[0:" + S.Shape[0].Text + "]";
    else if (S.Over.empty() && S.F == Section::Form::Range)
      Text = S.Base.Text + "[" + S.Low.Text + ":" + S.Length.Text + "]";
    return spelling(A.Role) + (" " + A.Op + " ") + inWordsOfMain(Text, Of, Main);
  }

  // Keeps the sections of F for the parameters of which it says something else than the main version.
  void bindSections(BoundFunction &F, const BoundFunction &Main) {
    std::vector<AccessCode> All = std::move(F.Version.Sections);
    F.Version.Sections.clear();
    if (F.Version.ObjectFirst)
      for (AccessCode &A : All)
        A.Param = std::max(A.Param - 1, -1);
    std::map<int, std::set<std::string>> Here, There;
    for (const AccessCode &A : All)
      Here[A.Param].insert(sameFor(A, F.Version, Main.Task));
    for (const AccessCode &A : Main.Task.Accesses)
      There[A.Param].insert(sameFor(A, Main.Task, Main.Task));
    const auto writesIt = [](const std::vector<AccessCode> &List, int Param) {
      return llvm::any_of(List, [Param](const AccessCode &A) { return A.Param == Param && writes(A.Role); });
    };
    const auto unordered = [](const std::vector<AccessCode> &List, int Param) -> const AccessCode * {
      for (const AccessCode &A : List)
        if (A.Param == Param && A.Role > AccessRole::InOut)
          return &A;
      return nullptr;
    };
    const bool NoBody = Main.D.Kernel || bodiesOf(Main).empty(); // What has no clause is inferred elsewhere or later.
    bool Contradicts = false;
    for (const auto &[Param, Texts] : Here) {
      if (Texts == There[Param])
        continue;
      const AccessCode *Mixed = unordered(All, Param) ? unordered(All, Param) : unordered(Main.Task.Accesses, Param);
      const bool Unknown = NoBody && There[Param].empty();
      if (Param < 0 || (!Unknown && writesIt(All, Param) != writesIt(Main.Task.Accesses, Param))) {
        Contradicts = true;
      } else if (Mixed) {
        const AccessCode &A = *llvm::find_if(All, [P = Param](const AccessCode &X) { return X.Param == P; });
        fail(A.What.Loc,
             "version '%0' cannot have a section of its own for '%1', because that is '%2': such data are shared by "
             "tasks, whichever versions run; write the clause of the task '%3' again, or none",
             F.Annotated->getNameAsString(), A.What.Base.Text, spelling(Mixed->Role), Main.Task.Name);
        note(Diags, Main.D.Loc, "the main version's clauses are here");
        F.Bad = true;
        return;
      }
    }
    if (Contradicts) {
      warn(Diags, Warning::Versions, F.D.Data.front().Loc,
           "this version says something else about its data than the main version '%0', whose "
           "clauses hold",
           Main.Task.Name, fixWithoutData(SM, F.D));
      note(Diags, Main.D.Loc, "the main version's clauses are here");
      return;
    }
    for (AccessCode &A : All)
      if (Here[A.Param] != There[A.Param] && !checkOwnSection(F, A)) {
        F.Version.Sections.clear();
        F.Bad = true;
        return;
      } else if (Here[A.Param] != There[A.Param]) {
        F.Version.Sections.push_back(std::move(A));
      }
  }

  // A section of a version is evaluated with the arguments of a task, outside of any object.
  bool checkOwnSection(const BoundFunction &F, const AccessCode &A) {
    if (A.What.Pack || llvm::any_of(F.Version.Params, [](const FieldCode &P) { return P.Pack; }))
      return fail(A.What.Loc,
                  "version '%0' takes a parameter pack, so that it has the sections of the task '%1': leave the clause "
                  "out",
                  F.Annotated->getNameAsString(), F.Version.TaskName);
    if (F.Version.Object.empty())
      return true;
    for (const Expr *E : A.What.expressions()) {
      std::string Of; // The first name that needs an object.
      (void)withNames(E->Text, [&](llvm::StringRef Name, char Before) {
        if (Of.empty() && !Before && !A.What.generates(Name.str()) && needsObject(F, Name.str()))
          Of = Name.str();
        return Name.str();
      });
      if (!Of.empty())
        return fail(A.What.Loc,
                    "a version's own section names parameters, but '%0' is a member: make it a parameter of the task "
                    "'%1', or write the section in the main version's clauses",
                    Of, F.Version.TaskName);
    }
    return true;
  }

  // True if Name is this, a member that an object has, or the parameter that stands for the object.
  bool needsObject(const BoundFunction &F, const std::string &Name) {
    if (Name == "this")
      return true;
    for (const ParmVarDecl *P : F.Annotated->parameters())
      if (P->getName() == Name)
        return F.Version.ObjectFirst && P->getFunctionScopeIndex() == 0;
    const Names Here(S, *F.Annotated, *F.Annotated);
    return isa_and_nonnull<FieldDecl>(Here.find(Name)) ||
           llvm::any_of(Here.functions(Name), [](const NamedDecl *D) { return D->isCXXInstanceMember(); });
  }

  // True if parameter types are equal; template parameters are compared by position.
  bool sameParams(const BoundFunction &V, const BoundFunction &M) {
    const FunctionDecl *A = V.Annotated, *B = M.Annotated;
    if (takesObject(V, M)) {
      for (unsigned I = 0; I < B->getNumParams(); ++I)
        if (!Context.hasSameType(A->getParamDecl(I + 1)->getType(), B->getParamDecl(I)->getType()))
          return false;
      return true;
    }
    if (!sameObject(A, B))
      return false;
    if (V.Template || !M.Template) {
      if (A->getNumParams() != B->getNumParams() || !V.Template != !M.Template ||
          (V.Template && V.Template->getTemplateParameters()->size() != M.Template->getTemplateParameters()->size()))
        return false;
      for (unsigned I = 0; I < A->getNumParams(); ++I)
        if (!Context.hasSameType(A->getParamDecl(I)->getType(), B->getParamDecl(I)->getType()))
          return false;
      return true;
    }
    return instanceFor(V, M) != nullptr;
  }

  // For a member M and a non-member V: true if V's first parameter is the object.
  bool takesObject(const BoundFunction &V, const BoundFunction &M) {
    const auto *Task = dyn_cast<CXXMethodDecl>(M.Annotated);
    const auto *Own = dyn_cast<CXXMethodDecl>(V.Annotated);
    if (!Task || Task->isStatic() || (Own && !Own->isStatic()) || V.Template || M.Template || M.InClassTemplate ||
        V.InClassTemplate || V.D.Kernel || V.Annotated->getNumParams() != Task->getNumParams() + 1)
      return false;
    QualType First = V.Annotated->getParamDecl(0)->getType();
    if (!First->isLValueReferenceType())
      return false;
    QualType Object = First.getNonReferenceType();
    return Context.hasSameUnqualifiedType(Object, Context.getRecordType(Task->getParent())) &&
           (Object.isConstQualified() || !Task->isConst()) && (Object.isVolatileQualified() || !Task->isVolatile());
  }

  // True if both have an implicit object of one class with compatible constness, or neither has one.
  static bool sameObject(const FunctionDecl *V, const FunctionDecl *M) {
    const auto *A = dyn_cast<CXXMethodDecl>(V), *B = dyn_cast<CXXMethodDecl>(M);
    bool OfA = A && !A->isStatic(), OfB = B && !B->isStatic();
    if (!OfA || !OfB)
      return OfA == OfB;
    return A->getParent()->getCanonicalDecl() == B->getParent()->getCanonicalDecl() &&
           (A->isConst() || !B->isConst()) && (A->isVolatile() || !B->isVolatile());
  }

  // The instance of task template M that the non-template version V implements.
  const FunctionDecl *instanceFor(const BoundFunction &V, const BoundFunction &M) {
    FunctionDecl *Instance = nullptr;
    sema::TemplateDeductionInfo Info(V.D.ImplementsLoc);
    auto Result = S.DeduceTemplateArguments(const_cast<FunctionTemplateDecl *>(M.Template), nullptr,
                                            V.Annotated->getType(), Instance, Info, /*IsAddressOfFunction=*/true);
    return Result == TemplateDeductionResult::Success ? Instance : nullptr;
  }

  void bindInstances(BoundFunction &F, const BoundFunction &M) {
    VersionCode &V = F.Version;
    std::string MainStruct = "hsched_task_" + M.Task.Id, OwnStruct = "hsched_version_" + V.Id;
    if (F.Template) {
      for (const std::string &I : M.Task.Unnamed) {
        warn(Diags, Warning::Instances, F.D.Loc,
             "this version is not used for '%0', whose template arguments are local or private: the main version "
             "alone runs there",
             I);
        note(Diags, M.Annotated->getLocation(), "the main version is here");
      }
      // A template's versions are instantiated for the instances of its task, because nothing calls the version itself.
      V.Instances.clear();
      for (const std::string &I : M.Task.Instances) {
        const size_t At = I.find(MainStruct);
        // Within a class template the version is that of the same class.
        V.Instances.push_back((M.InClassTemplate ? I.substr(0, At) : V.Scope) + OwnStruct +
                              I.substr(At + MainStruct.size()));
        V.TaskKeys.push_back(I + "::hsched_key()");
      }
    } else if (M.Template) {
      const FunctionDecl *I = instanceFor(F, M);
      V.TaskKeys.push_back(M.Task.Scope + MainStruct +
                           spelledArgs(Context, I->getTemplateSpecializationArgs()->asArray()) + "::hsched_key()");
    } else if (M.InClassTemplate) {
      for (const std::string &I : M.Task.Instances)
        V.TaskKeys.push_back(I + "::hsched_key()");
      V.TaskKeys.resize(V.Instances.size(),
                        M.Task.Instances.empty() ? "" : M.Task.Instances.front() + "::hsched_key()");
    } else {
      V.TaskKeys.assign(V.Instances.size(), quotedName(M.Task.LinkerName));
    }
  }

  // "const ::ns::S" for the implicit object of a member.
  std::string typeName(const FunctionDecl *FD) {
    const auto *M = cast<CXXMethodDecl>(FD);
    PrintingPolicy Policy(Context.getLangOpts());
    return std::string(M->isConst() ? "const " : "") + (M->isVolatile() ? "volatile " : "") +
           TypeName::getFullyQualifiedName(Context.getRecordType(M->getParent()), Context, Policy,
                                           /*WithGlobalNsPrefix=*/true);
  }

  static std::string quotedName(const std::string &S) { return "\"" + S + "\""; }

  void differentParams(const BoundFunction &F, const BoundFunction &Main) {
    const FunctionDecl *V = F.Annotated, *M = Main.Annotated;
    PrintingPolicy Policy = Context.getPrintingPolicy();
    Out.Failed = true;
    if (!sameObject(V, M) && !takesObject(F, Main)) {
      const auto *Task = dyn_cast<CXXMethodDecl>(M);
      if (Task && !Task->isStatic())
        fail(V->getLocation(),
             "the task '%0' is called on an object: its versions are non-static members of '%1'%2, declared in the "
             "class, or functions with a body that take the object as one parameter more, a reference, in front",
             Main.Task.Name, Task->getParent()->getNameAsString(), Task->isConst() ? " that are const like it" : "");
      else
        fail(V->getLocation(), "version '%0' is called on an object, but the task '%1' is not: make it static",
             V->getNameAsString(), Main.Task.Name);
      note(Diags, M->getLocation(), "the main version is here");
      return;
    }
    if (V->getNumParams() != M->getNumParams()) {
      fail(V->getLocation(), "'%0' has %1 parameters, but the task '%2' that it implements has %3",
           V->getNameAsString(), std::to_string(V->getNumParams()), Main.Task.Name, std::to_string(M->getNumParams()));
      note(Diags, M->getLocation(), "the main version is here");
      return;
    }
    for (unsigned I = 0; I < V->getNumParams(); ++I) {
      const ParmVarDecl *P = V->getParamDecl(I), *Q = M->getParamDecl(I);
      if (Context.hasSameType(P->getType(), Q->getType()))
        continue;
      fail(P->getLocation(), "parameter %0 of version '%1' is '%2', but '%3' in the task '%4' that it implements",
           std::to_string(I + 1), V->getNameAsString(), P->getType().getAsString(Policy),
           Q->getType().getAsString(Policy), Main.Task.Name);
      note(Diags, Q->getLocation(), "the main version's parameter is here");
      return;
    }
    fail(V->getLocation(), "version '%0' and the task '%1' are not templates of the same shape", V->getNameAsString(),
         Main.Task.Name);
    note(Diags, M->getLocation(), "the main version is here");
  }
};

} // namespace

void bindVersion(BindContext C, BoundFunction &F) { VersionBinder(C).bindVersion(F); }

} // namespace hsched::cc
