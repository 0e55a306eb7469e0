// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Infer.h"

#include "analysis/Fixes.h"
#include "analysis/infer/Checks.h"
#include "analysis/infer/Expressions.h"
#include "analysis/infer/Questions.h"
#include "analysis/infer/Sharing.h"
#include "analysis/infer/Subject.h"
#include "analysis/lower/Standard.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <set>

using namespace clang;

namespace hsched::cc {
namespace {

std::string clauseFor(AccessRole R, const std::string &Section) {
  return std::string(spelling(R)) + "(" + Section + ")";
}

// What stands for an extent that only the user knows: no clause can be made of it unseen.
constexpr const char *UnknownCount = "[<count>]";

SourceLocation same(SourceLocation L) { return L; }
} // namespace

struct Inference::Impl : BindContext {
  explicit Impl(const BindContext &C) : BindContext(C), Trees(C.Context), Shared(C.Context) {}

  Lowering Trees;
  Sharing Shared;
  std::map<std::string, QualType> Locals;   // of a statement: variables with automatic storage
  std::vector<const ValueDecl *> SeenLater; // see BoundInline

  template <unsigned N, class... Args> void remark(SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
    if (Options.Explain)
      report(Diags, DiagnosticsEngine::Remark, Loc, Format, Values...);
  }

  // Why an access cannot be told, as a note where it stands.
  void because(const Subject &S, SourceLocation Loc, const std::string &Why) {
    SourceLocation Shown = S.At(Loc);
    if (!Why.empty() && Shown.isValid())
      note(Diags, Shown, "%0", Why);
  }

  // --- Inference ---

  // Sections that are just what a body touches, by their places.
  std::set<SourceLocation> Exact;

  // Whether without the clause just this would be inferred.
  bool asInferred(const Subject &S, unsigned Id, const Box &All, const Section &Written) {
    bool Whole = false;
    if (S.perElement(Id) == 0)
      return false;
    const std::optional<Section> Sec = sectionOf(All, S.nameOf(Id), S.perElement(Id), S.speller(), Whole);
    return Sec && Sec->Text == Written.Text;
  }

  // Whether there was something to say.
  bool check(const Subject &S, unsigned Id, const BoundFunction &Main, const BoundFunction *Version) {
    const std::optional<Box> &All = S.effects().of(Id).All;
    for (const Declared &D : S.declared(Id))
      if (All && (D.What == All || asInferred(S, Id, *All, D.A->What)))
        Exact.insert(D.A->What.Loc);
    return checkClauses(*this, S, Id, Main, Version);
  }

  enum class Verdict { Nothing, Inferred, Failed };

  // Adds the access that no clause names. F is the task.
  Verdict infer(const Subject &S, unsigned Id, BoundFunction &F, std::vector<AccessCode> &Found) {
    const Root &R = S.Tree.Roots[Id];
    const RootEffect &E = S.effects().of(Id);
    const std::string Name = S.nameOf(Id);
    const FunctionDecl *FD = F.Annotated;
    const AccessRole Role = S.roleOf(Id);
    AccessCode A{Role, -1, {}, SM.getPresumedLineNumber(F.D.Loc), ""};
    if (PresumedLoc Place = SM.getPresumedLoc(F.D.Loc); Place.isValid())
      A.File = Place.getFilename();
    const unsigned Index = S.parameterOf(R);
    const ParmVarDecl *Param = R.K == Root::Param && Index < FD->getNumParams() ? FD->getParamDecl(Index) : nullptr;
    if (Param && Param->getName() == llvm::StringRef(Name))
      A.Param = static_cast<int>(Index);
    const int Container = S.container(Id);
    // Named in pieces, as the vectors of a vector are: then all of it is the program's own affair.
    for (const AccessCode &Written : S.accesses())
      for (const NameUse &Use : Written.What.Base.Names)
        if (Use.Name == Name) {
          if (Param ? Param->getType()->isPointerType() || Param->getType()->isReferenceType() : R.K == Root::Indirect)
            checkPieces(S, Id, F);
          return Verdict::Nothing;
        }
    if (Container >= 0) {
      Param = FD->getParamDecl(static_cast<unsigned>(Container));
      A.Param = Container;
      // Its elements may be held by several roots.
      for (AccessCode &Other : Found)
        if (Other.Param == Container) {
          if (Other.Role != Role)
            Other.Role = AccessRole::InOut;
          return Verdict::Inferred;
        }
    } else if (const CXXRecordDecl *Class = Param ? Param->getType()->getAsCXXRecordDecl() : nullptr;
               Class && isStandard(Class) && Class->getIdentifier() &&
               (isOwner(Class) || Class->getName() == "function")) {
      // Every task has a copy of its own, with all that it keeps.
      remark(F.D.Loc, "'%0' is handed over with the task and not tracked", Param->getNameAsString());
      return Verdict::Nothing;
    } else if (A.Param < 0 && !reachable(FD, Name, Locals)) {
      unnamed(S, Id, F, llvm::StringRef(Name).ends_with("[...]") ? E.Why : "it is no public member", "");
      return Verdict::Nothing;
    }

    QualType T = Param ? Param->getType() : QualType();
    if (const auto *Pack = T.isNull() ? nullptr : T->getAs<PackExpansionType>())
      T = Pack->getPattern();
    // An opaque handle: nothing is known of what it leads to, not even by who uses it.
    if (QualType Element = S.elementOf(Id);
        !Element.isNull() && (Element->isIncompleteType() || Element->isFunctionType()) && !Element->isVoidType()) {
      remark(F.D.Loc, "'%0' leads to a type that is not complete here and is not tracked", Name);
      return Verdict::Nothing;
    }
    bool Exact = true;
    // What a parameter owns that is passed by value, as a string does, is every task's own.
    if (!T.isNull() && T->isRecordType() && !T.isTriviallyCopyableType(Context)) {
      remark(F.D.Loc, "'%0' is handed over with the task and not tracked", Name);
      return Verdict::Nothing;
    }
    if ((R.Object && A.Param >= 0) || Container >= 0) {
      A.What.F = Section::Form::Whole;
      A.What.Base.Text = A.What.BaseName = A.What.Text = Name;
      // A reference to a map or a string does not lie in one piece.
      if (std::string Problem = sectionProblem(Context, A.What, T, "n"); !Problem.empty()) {
        unnamed(S, Id, F, Problem, "");
        return Verdict::Nothing;
      }
    } else {
      std::optional<Section> Sec;
      if (E.All && S.perElement(Id) != 0)
        Sec = sectionOf(*E.All, Name, S.perElement(Id), S.speller(), Exact, S.wideSpeller());
      else if (S.onlyLooked(Id))
        Sec = sectionOf(Box{0, {}}, Name, 1, S.speller(), Exact);
      if (!E.All && S.perElement(Id) != 0 && inferPieces(S, Id, F, A, T, Found))
        return Verdict::Inferred;
      std::string Late;
      if (E.All && Sec && evaluable(Sec->Text))
        Late = S.changeable(*E.All, [&](unsigned Of) { return own(S, Of, F); });
      if (!Sec || !evaluable(Sec->Text) || !Late.empty()) {
        std::string Why = E.Why;
        if (!Late.empty())
          Why = "'" + Late + "' may change before the task runs";
        if (Why.empty())
          Why =
              S.perElement(Id) == 0 ? "the size of its elements is not known"
              : Sec && Sec->Text.find("?rounding") != std::string::npos
                  ? "the global size is rounded up to the local one, and the kernel does not test its index against it"
              : Sec && !S.Called.whyNot(Sec->Text).empty() ? S.Called.whyNot(Sec->Text)
              : Sec && firstOfPack(*FD) != ~0u             ? "it depends on other elements of the parameter pack"
                                                           : "its bounds are no sums and products";
        if (F.D.Kind == DirectiveKind::Taskloop) { // whose iterations may well be independent
          unnamed(S, Id, F, "its extent cannot be inferred, " + Why, "");
          return Verdict::Nothing;
        }
        // Of void there are no elements: what is behind it is counted in bytes.
        const QualType Element = S.elementOf(Id);
        const bool InBytes = !Element.isNull() && Element->isVoidType();
        const std::string Base = (!InBytes ? "" : Element.isConstQualified() ? "(const char *)" : "(char *)") + Name;
        if (InBytes && E.All && Late.empty())
          Sec = sectionOf(*E.All, Base, 1, S.speller(), Exact);
        const bool Known = !Late.empty() || (InBytes && E.All && Sec && evaluable(Sec->Text));
        fail(F.D.Loc, "the extent of '%0' cannot be inferred: %1; write it, for example %2", Name, Why,
             clauseFor(Role, (Known ? Sec->Text : UnknownCount + Base) + (S.Only ? "..." : "")));
        because(S, E.Why.empty() ? (E.Written ? E.FirstWrite : E.FirstRead) : E.WhyLoc, Late.empty() ? Why : "");
        if (Param)
          note(Diags, Param->getLocation(), "parameter '%0' is declared here", Param->getNameAsString());
        return Verdict::Failed;
      }
      A.What = *Sec;
    }
    A.What.Loc = F.D.Loc;
    A.What.Owner = mayOwn(Context, A.What, T);
    Found.push_back(std::move(A));
    return Verdict::Inferred;
  }

  // Where one section cannot hold all that the body touches, and a few can: adds an access for each. A is made but for
  // its section.
  bool inferPieces(const Subject &S, unsigned Id, BoundFunction &F, AccessCode A, QualType T,
                   std::vector<AccessCode> &Found) {
    std::vector<AccessCode> Pieces;
    for (const RootEffect::Piece &Piece : S.effects().of(Id).Pieces) {
      bool Exact = true;
      std::optional<Section> Sec =
          sectionOf(Piece.What, S.nameOf(Id), S.perElement(Id), S.speller(), Exact, S.wideSpeller());
      if (!Sec || !evaluable(Sec->Text) ||
          !S.changeable(Piece.What, [&](unsigned Of) { return own(S, Of, F); }).empty())
        return false;
      const bool Out = Piece.Written && Exact && S.effects().overwrites(Id, Piece.What) == Answer::Yes;
      A.Role = Out ? AccessRole::Out : Piece.Written ? AccessRole::InOut : AccessRole::In;
      A.What = std::move(*Sec);
      A.What.Loc = F.D.Loc;
      A.What.Owner = mayOwn(Context, A.What, T);
      Pieces.push_back(A);
    }
    Found.insert(Found.end(), Pieces.begin(), Pieces.end());
    return !Pieces.empty();
  }

  // Data that the body touches and no clause can or does name.
  void unnamed(const Subject &S, unsigned Id, BoundFunction &F, const std::string &Why, const std::string &Clause) {
    const bool Written = S.effects().of(Id).Written;
    const SourceLocation Loc = F.D.Loc,
                         At = S.At(Written ? S.effects().of(Id).FirstWrite : S.effects().of(Id).FirstRead);
    const std::string Tail = Why.empty() ? (Clause.empty() ? Why : ": add " + Clause) : ": " + Why;
    auto Say = [=, this, Task = calledSo(F), Name = readable(S.nameOf(Id)), Fix = fixWith(F.D, Clause)] {
      warn(Diags, Warning::Unnamed, Loc, "task '%0' %1 '%2', which no clause names%3", Task,
           Written ? "writes" : "reads", Name, Tail, Fix);
      if (At.isValid())
        note(Diags, At, "it is %0 here", Written ? "written" : "read");
    };
    Written ? Say() : Shared.unnamedRead(S, Id, Say);
  }

  // A local variable that no clause names: a statement that is a task has a copy of its own.
  bool privateCopy(const Subject &S, unsigned Id) const {
    const Root &R = S.Tree.Roots[Id];
    return R.K == Root::Global && R.Decl && R.Decl->getDeclContext()->isFunctionOrMethod() && Locals.count(R.Name) != 0;
  }

  // Whether the root is a static of a function, or behind one, that is not in scope at the directive.
  bool hidden(const Subject &S, unsigned Id, const BoundFunction &F) const {
    const Root &R = above(S.Tree, Id);
    return R.OfFunction && !(isStatement(F) && SM.isBeforeInTranslationUnit(R.Loc, F.D.Loc) &&
                             SM.isBeforeInTranslationUnit(F.Annotated->getBeginLoc(), R.Loc));
  }

  // The variable that a statement has a copy of, no clause naming it, and that Id is in or behind; null: there is none.
  // Owned: what it owns is in it, what its pointers lead to is not.
  const Root *copied(const Subject &S, unsigned Id, const BoundFunction &F, bool Owned) const {
    while (S.Tree.Roots[Id].K == Root::Indirect && (!Owned || S.Tree.Roots[Id].Owned))
      Id = S.Tree.Roots[Id].Parent;
    if (!isStatement(F) || !privateCopy(S, Id))
      return nullptr;
    for (const AccessCode &A : F.Task.Accesses) // a part that a clause names is no copy
      for (const NameUse &Use : A.What.Base.Names)
        if (Use.Name == S.Tree.Roots[Id].Name)
          return nullptr;
    return &S.Tree.Roots[Id];
  }

  // Whether the root is in what a statement has copies of: its variables, and what they own.
  bool own(const Subject &S, unsigned Id, const BoundFunction &F) const {
    return isStatement(F) && (privateCopy(S, Id) || ownObject(S.Tree, Id, Locals) || copied(S, Id, F, /*Owned=*/true));
  }

  // A change to what a copy owns is lost.
  void checkLost(const Subject &S, unsigned Id, const BoundFunction &F) {
    const Root *Copy = copied(S, Id, F, /*Owned=*/true);
    if (!Copy || !S.effects().of(Id).Written || !S.definite(Id, /*Write=*/true))
      return;
    auto It = llvm::find_if(SeenLater, [&](const ValueDecl *V) { return V->getLocation() == Copy->Loc; });
    if (It == SeenLater.end())
      return;
    SourceLocation At = S.At(S.effects().of(Id).FirstWrite);
    warnLost(Diags, Context, F.D, **It, At.isValid() ? At : F.D.Loc);
    SeenLater.erase(It);
  }

  // Whether a clause for what is behind a copied variable would have the task work on the variable itself.
  bool wouldRefer(const Subject &S, unsigned Id, const BoundFunction &F) const {
    const Root *Copy = copied(S, Id, F, /*Owned=*/false);
    auto It = Copy ? Locals.find(Copy->Name) : Locals.end();
    return It != Locals.end() && (It->second.isNull() || howNamed(Context, It->second) != CaptureCode::How::Value);
  }

  // Whether clauses name the variable or member in pieces, as in out(matrix[i]), and allow there what is done with it.
  bool namedInPart(const Subject &S, unsigned Id) const {
    return llvm::any_of(S.parts(Id),
                        [&](const Declared &D) { return D.A->Role != AccessRole::In || !S.effects().of(Id).Written; });
  }

  // The clause that would name the root; empty where there is none.
  std::string clauseNaming(const Subject &S, unsigned Id, const BoundFunction &F) const {
    const Root &R = S.Tree.Roots[Id];
    const RootEffect &E = S.effects().of(Id);
    std::string Clause;
    bool Exact = true;
    if (R.K != Root::Indirect && R.Object)
      Clause = clauseFor(S.roleOf(Id), S.nameOf(Id));
    else if (E.All && S.perElement(Id) != 0)
      if (std::optional<Section> Sec = sectionOf(*E.All, S.nameOf(Id), S.perElement(Id), S.speller(), Exact))
        Clause = clauseFor(S.roleOf(Id), Sec->Text);
    return evaluable(Clause) && !wouldRefer(S, Id, F) ? Clause : "";
  }

  // What a parameter leads to, of which clauses name parts, or what pointers in it lead to.
  void checkPieces(const Subject &S, unsigned Id, BoundFunction &F) {
    if (!S.parts(Id).empty() && (check(S, Id, F, nullptr) || namedInPart(S, Id)))
      return;
    if (S.parts(Id).empty() && !S.namedOnlyBehind(Id))
      return;
    if (S.anyAccess(Id, [](const Access &A) { return A.K != AccessKind::Read && !A.Guess && !A.Atomic; }))
      unnamed(S, Id, F, "", clauseNaming(S, Id, F));
  }

  Verdict root(const Subject &S, unsigned Id, BoundFunction &F, std::vector<AccessCode> &Found) {
    const Root &R = S.Tree.Roots[Id];
    const RootEffect &E = S.effects().of(Id);
    if (R.K == Root::Anything || S.aside(Id) || (!E.Read && !E.Written && !S.onlyLooked(Id)))
      return Verdict::Nothing;
    // The variables of a statement are its own copies, but for those that clauses name.
    if (own(S, Id, F)) {
      checkLost(S, Id, F);
      return Verdict::Nothing;
    }
    if (!S.declared(Id).empty()) {
      check(S, Id, F, nullptr);
      return Verdict::Nothing;
    }
    if (S.container(Id) >= 0)
      return infer(S, Id, F, Found);
    if (isStatement(F) && R.K == Root::Indirect && privateCopy(S, R.Parent) && S.Tree.Roots[R.Parent].Name == R.Name)
      return infer(S, Id, F, Found);
    switch (R.K) {
    case Root::Param:
      return infer(S, Id, F, Found);
    case Root::Global:
    case Root::This:
    case Root::Indirect: {
      if (!E.Written && (S.onTheWay(Id) || looksOnly(S.Tree, Id, S.accesses())))
        return Verdict::Nothing;
      if ((R.PointeeConst && R.K == Root::Global) || SM.isInSystemHeader(above(S.Tree, Id).Loc) || neverWritten(R) ||
          above(S.Tree, Id).PerThread || !S.definite(Id, E.Written) ||
          !S.anyAccess(Id, [](const Access &A) { return !A.Atomic; }))
        return Verdict::Nothing;
      if ((!S.parts(Id).empty() && (check(S, Id, F, nullptr) || namedInPart(S, Id))) ||
          Shared.namedOtherwise(S, Id, F.Task.Accesses))
        return Verdict::Nothing;
      if (hidden(S, Id, F)) {
        unnamed(S, Id, F, "no clause can name a static of a function: make it a variable of a namespace or a parameter",
                "");
        return Verdict::Nothing;
      }
      unnamed(S, Id, F, S.Called.whyNot(S.nameOf(Id)), clauseNaming(S, Id, F));
      return Verdict::Nothing;
    }
    case Root::Anything:
      break;
    }
    return Verdict::Nothing;
  }

  void explainAll(const BoundFunction &F, size_t Written) {
    if (!Options.Explain)
      return;
    for (size_t I = 0; I != F.Task.Accesses.size(); ++I) {
      const AccessCode &A = F.Task.Accesses[I];
      remark(F.D.Loc, "task '%0': %1(%2) is %3", F.Task.Name, spelling(A.Role), A.What.Text,
             I < Written ? "as written" : "inferred");
    }
  }

  // One body of a task. Found gets what is to be added.
  bool body(Subject &S, BoundFunction &F, std::vector<AccessCode> &Found) {
    S.read(F.Task.Accesses);
    Shared.add(S);
    Shared.add(S.Called, F.Task.Accesses);
    bool Good = true;
    for (unsigned Id = 0; Id != S.Tree.Roots.size(); ++Id)
      Good &= root(S, Id, F, Found) != Verdict::Failed;
    std::stable_sort(Found.begin(), Found.end(), [](const AccessCode &A, const AccessCode &B) {
      return static_cast<unsigned>(A.Param) < static_cast<unsigned>(B.Param);
    });
    for (unsigned Id = 0; Options.Explain && Id != S.Tree.Roots.size(); ++Id) {
      const RootEffect &E = S.effects().of(Id);
      if (S.aside(Id))
        continue;
      if (!E.All && E.Pieces.empty() && !E.Why.empty()) { // it may as well be the reads or the writes alone that are not known
        remark(F.D.Loc, "task '%0': of '%1' it is not known which part is touched", F.Task.Name,
               S.Tree.Roots[Id].K == Root::Anything ? "other memory" : readable(S.nameOf(Id)));
        because(S, E.WhyLoc, E.Why);
      }
      for (const Poly &A : E.Assumed)
        if (E.All && S.declared(Id).empty())
          remark(F.D.Loc, "task '%0': the section that is inferred for '%1' holds all of it only where %2 >= 0",
                 F.Task.Name, readable(S.nameOf(Id)), S.spell(A));
    }
    return Good;
  }

  void finish(BoundFunction &F, std::vector<AccessCode> Found) {
    size_t Written = F.Task.Accesses.size();
    F.Task.Accesses.insert(F.Task.Accesses.end(), Found.begin(), Found.end());
    for (const AccessCode &A : Found)
      if (const auto [It, New] = F.Roles.try_emplace({A.Param, A.Param < 0 ? A.What.Text : ""}, A.Role);
          !New && It->second != A.Role) // of one of several sections
        It->second = AccessRole::InOut;
    explainAll(F, Written);
  }

  // Body, and then what it does with each element of a parameter pack, as a body of its own.
  bool eachSubject(const FunctionDecl &Body, const FunctionDecl &Clauses, const std::vector<AccessCode> &Accesses,
                   llvm::function_ref<bool(Subject &)> Do) {
    const unsigned First = firstOfPack(Clauses);
    Names Called(this->S, Clauses, Body);
    const Lowering::Asked Asked = Expressions(this->S, Called, Clauses, Body).all(Called, Accesses);
    for (std::optional<unsigned> Only; !Only || *Only < Body.getNumParams(); Only = Only ? *Only + 1 : First) {
      Subject S(*this, Called, Trees.lower(Body, {First, Only.value_or(First - 1)}, &Called, Asked), Body, Clauses,
                same);
      S.Only = Only;
      if (!Do(S))
        return false;
    }
    return true;
  }

  // What one instance of F adds; OfPack: for each element of its parameter pack, nothing where that is empty.
  bool instance(BoundFunction &F, const FunctionDecl &Body, std::vector<AccessCode> &Found,
                std::optional<std::vector<AccessCode>> &OfPack) {
    return eachSubject(Body, *F.Annotated, F.Task.Accesses, [&](Subject &S) {
      if (!S.Only)
        return body(S, F, Found);
      std::vector<AccessCode> These;
      if (!body(S, F, These))
        return false;
      for (AccessCode &A : These) {
        A.What.Pack = true;
        A.What.Text += "...";
      }
      if (!OfPack) {
        OfPack = std::move(These);
        return true;
      }
      if (sameSections(*OfPack, These))
        return true;
      return fail(F.D.Loc, "the elements of the parameter pack '%0' are not all touched alike: write the clauses",
                  F.Annotated->parameters().back()->getNameAsString());
    });
  }

  void inferTask(BoundFunction &F) {
    Shared.add(Names(this->S, *F.Annotated, *F.Annotated), F.Task.Accesses); // it may have no body here
    std::vector<AccessCode> Found;
    std::optional<std::vector<AccessCode>> FoundOfPack;
    bool First = true;
    for (const FunctionDecl *Body : bodiesOf(F)) {
      std::vector<AccessCode> These;
      std::optional<std::vector<AccessCode>> OfPack;
      if (!instance(F, *Body, These, OfPack)) {
        F.Bad = true;
        return;
      }
      const bool Same =
          (First || sameAccesses(Found, These)) && (!OfPack || !FoundOfPack || sameAccesses(*FoundOfPack, *OfPack));
      if (Same) {
        Found = std::move(These);
        FoundOfPack = OfPack ? OfPack : FoundOfPack;
        First = false;
      } else {
        fail(F.D.Loc,
             "the instances of template '%0' touch different sections: write the clauses, over the template's "
             "parameters",
             F.Annotated->getNameAsString());
        F.Bad = true;
        return;
      }
    }
    if (FoundOfPack)
      Found.insert(Found.end(), FoundOfPack->begin(), FoundOfPack->end());
    finish(F, std::move(Found));
  }

  void inferStatement(BoundInline &B) {
    if (!B.Target)
      return;
    if (!B.Code.Generic) {
      inferStatement(B, *B.Function, *B.Target);
      return;
    }
    // Every instance has to say the same.
    const std::vector<AccessCode> Written = B.Code.Accesses;
    std::optional<std::vector<AccessCode>> First;
    for (const FunctionDecl *Body : instancesAround(*B.Function)) {
      const Stmt *Target = instanceOf(B.Target, Body->getBody());
      if (!Target || usesParametersFrom(firstOfPack(*B.Function), Target)) // in a clause elements have one name
        continue;
      B.Code.Accesses = Written;
      inferStatement(B, *Body, *Target);
      if (B.Bad)
        return;
      if (First && !sameAccesses(*First, B.Code.Accesses)) {
        fail(B.D->Loc,
             "the instances of the template that '%0' stands in touch different sections: write the clauses, over the "
             "template's parameters",
             B.Code.Name);
        B.Bad = true;
        return;
      }
      First = B.Code.Accesses;
    }
  }

  void inferStatement(BoundInline &B, const FunctionDecl &Function, const Stmt &Target) {
    BoundFunction F;
    F.IsTask = true;
    F.D = *B.D;
    F.Annotated = &Function;
    F.Task = B.Code;
    const ValueDecl *Counter = nullptr;
    if (const auto *For = B.Code.Loop ? dyn_cast<ForStmt>(&Target) : nullptr)
      if (const auto *D = dyn_cast_or_null<DeclStmt>(For->getInit()); D && D->isSingleDecl())
        Counter = dyn_cast<ValueDecl>(D->getSingleDecl());
    Names Called(this->S, Function, B.D->End, Counter);
    const Lowering::Asked Asked = Expressions(this->S, Called, Function, Function).all(Called, F.Task.Accesses);
    for (AccessCode &A : F.Task.Accesses)
      A = Called.inOneSpelling(A);
    std::vector<const ValueDecl *> Copies = collectLocals(Target, Counter, Locals);
    SeenLater = B.SeenLater;
    const std::map<std::string, QualType> All = Locals;
    eraseReferred(Context, F.Task.Accesses, Locals);
    const std::string Variable = B.Code.Loop ? B.Code.Loop->Variable : "";
    llvm::erase_if(Copies,
                   [&](const ValueDecl *V) { return V->getName() == Variable || !Locals.count(V->getName().str()); });
    AccessTree Tree = Trees.lower(Target, &Called, {Copies, B.Code.Loop.has_value()}, Asked);
    if (B.Code.Loop && !eachIteration(Tree, Variable)) {
      auto It = Locals.find(Variable);
      if (It == Locals.end() || !It->second->isIntegerType()) {
        remark(F.D.Loc, "task '%0': what each iteration touches is not inferred, for '%1' is no integer", F.Task.Name,
               Variable);
        Locals.clear();
        return;
      }
      Tree = Trees.lowerIteration(cast<ForStmt>(Target), &Called, {Copies, true}, Asked);
    }
    // What is named for all iterations together no single one of them overwrites.
    if (B.Code.Loop)
      for (AccessCode &A : F.Task.Accesses)
        if (A.Role == AccessRole::Out && !A.Iterates)
          A.Role = AccessRole::InOut;
    Subject S(*this, Called, std::move(Tree), Function, Function, same);
    S.Locals = All;
    std::vector<AccessCode> Found;
    if (!body(S, F, Found)) {
      B.Bad = true;
      Locals.clear();
      return;
    }
    F.Task.Accesses = B.Code.Accesses;
    if (B.Code.Loop)
      llvm::erase_if(Found, [&](AccessCode &A) { return !overIterations(B, A); });
    finish(F, std::move(Found));
    B.Code.Accesses = F.Task.Accesses;
    Locals.clear();
  }

  // A, inferred of one iteration: whether a chunk can have it.
  bool overIterations(const BoundInline &B, AccessCode &A) {
    const std::string &Variable = B.Code.Loop->Variable;
    for (const auto *E : A.What.expressions())
      A.Iterates |= mentions(E->Text, Variable);
    if (!A.Iterates)
      return true;
    A.What.Owner = false;
    auto type = [&](llvm::StringRef Name) {
      auto It = Locals.find(Name.str());
      return It == Locals.end() ? QualType() : It->second;
    };
    const std::string Problem = loopSectionProblem(Context, A.What, Variable, type);
    if (!Problem.empty())
      warn(Diags, Warning::Unnamed, B.D->Loc, "taskloop '%0' touches '%1', which no clause names: %2", B.Code.Name,
           A.What.Base.Text, Problem);
    return Problem.empty();
  }

  void checkAgainst(Subject &S, const BoundFunction &Main, const BoundFunction &Version) {
    S.read(Main.Task.Accesses);
    for (unsigned Id = 0; Id != S.Tree.Roots.size(); ++Id)
      if (const RootEffect &E = S.effects().of(Id); !S.aside(Id) && (E.Read || E.Written))
        check(S, Id, Main, &Version);
  }
};

Inference::Inference(const BindContext &C) : I(std::make_unique<Impl>(C)) {}
Inference::~Inference() = default;

void Inference::inferTask(BoundFunction &F) { I->inferTask(F); }
void Inference::inferStatement(BoundInline &B) { I->inferStatement(B); }

void Inference::finish() { I->Shared.say(); }

bool Inference::touchesExactly(const Section &S) const { return I->Exact.count(S.Loc) != 0; }

void Inference::checkVersion(BoundFunction &F) {
  if (F.Version.ObjectFirst) // its body knows the object by another name than the clauses
    return;
  for (const FunctionDecl *Body : bodiesOf(F))
    I->eachSubject(*Body, *F.Main->Annotated, F.Main->Task.Accesses, [&](Subject &S) {
      I->checkAgainst(S, *F.Main, F);
      return true;
    });
}

void Inference::inferKernelTask(BoundFunction &F, AccessTree Tree, std::function<SourceLocation(SourceLocation)> At) {
  Names Called(I->S, *F.Annotated, *F.Annotated);
  Subject S(*I, Called, std::move(Tree), *F.Annotated, *F.Annotated, std::move(At));
  S.OfKernel = true;
  std::vector<AccessCode> Found;
  if (!I->body(S, F, Found))
    F.Bad = true;
  else
    I->finish(F, std::move(Found));
}

void Inference::checkKernelVersion(BoundFunction &F, AccessTree Tree,
                                   std::function<SourceLocation(SourceLocation)> At) {
  Names Called(I->S, *F.Main->Annotated, *F.Annotated);
  Subject S(*I, Called, std::move(Tree), *F.Annotated, *F.Main->Annotated, std::move(At));
  I->checkAgainst(S, *F.Main, F);
}

} // namespace hsched::cc
