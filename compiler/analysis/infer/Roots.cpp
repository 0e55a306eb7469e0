// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Roots.h"

#include "analysis/Fixes.h"
#include "analysis/infer/Checks.h"
#include "analysis/infer/Questions.h"
#include "analysis/lower/Standard.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {
namespace {

std::string clauseFor(AccessRole R, const std::string &Section) {
  return std::string(spelling(R)) + "(" + Section + ")";
}

// Placeholder for an extent that only the user knows, so the clause cannot be used unchanged.
constexpr const char *UnknownCount = "[<count>]";

} // namespace

void Roots::noteReason(const Subject &S, SourceLocation Loc, const std::string &Why) {
  SourceLocation Shown = S.At(Loc);
  if (!Why.empty() && Shown.isValid())
    note(Diags, Shown, "%0", Why);
}

bool Roots::equalsInferred(const Subject &S, unsigned Id, const Box &All, const Section &Written) {
  bool Whole = false;
  if (S.perElement(Id) == 0)
    return false;
  const std::optional<Section> Sec = sectionOf(All, S.nameOf(Id), S.perElement(Id), S.speller(), Whole);
  return Sec && Sec->Text == Written.Text;
}

bool Roots::check(const Subject &S, unsigned Id, const BoundFunction &Main, const BoundFunction *Version) {
  const std::optional<Box> &All = S.effects().of(Id).All;
  for (const Declared &D : S.declared(Id)) {
    auto isJust = [&](const Box &B) { return D.What == B || equalsInferred(S, Id, B, D.A->What); };
    if (All ? isJust(*All) : std::ranges::any_of(S.effects().of(Id).Pieces, [&](const RootEffect::Piece &P) {
          return isJust(P.What);
        }))
      Exact.insert(D.A->What.Loc);
  }
  return checkClauses(*this, S, Id, Main, Version);
}

Roots::Verdict Roots::infer(const Subject &S, unsigned Id, BoundFunction &F, std::vector<AccessCode> &Found) {
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
  // Parts are named, as the vectors of a vector: the program is then responsible for all of it.
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
    // Several roots may hold its elements.
    for (AccessCode &Other : Found)
      if (Other.Param == Container) {
        if (Other.Role != Role)
          Other.Role = AccessRole::InOut;
        return Verdict::Inferred;
      }
  } else if (const CXXRecordDecl *Class = Param ? Param->getType()->getAsCXXRecordDecl() : nullptr;
             isLibrary(Class, ClassOwner | ClassFunction)) {
    // Every task has its own copy, with everything that it owns.
    remark(F.D.Loc, "'%0' is handed over with the task and not tracked", Param->getNameAsString());
    return Verdict::Nothing;
  } else if (A.Param < 0 && !reachable(FD, Name, Locals)) {
    unnamed(S, Id, F, llvm::StringRef(Name).ends_with("[...]") ? E.Why : "it is not a public member", "");
    return Verdict::Nothing;
  }

  QualType T = Param ? Param->getType() : QualType();
  if (const auto *Pack = T.isNull() ? nullptr : T->getAs<PackExpansionType>())
    T = Pack->getPattern();
  // An opaque handle: nothing is known about its target, not even by its user.
  if (QualType Element = S.elementOf(Id);
      !Element.isNull() && (Element->isIncompleteType() || Element->isFunctionType()) && !Element->isVoidType()) {
    remark(F.D.Loc, "'%0' leads to a type that is not complete here and is not tracked", Name);
    return Verdict::Nothing;
  }
  bool Exact = true;
  // Memory owned by a by-value parameter, such as a string, belongs to each task.
  if (!T.isNull() && T->isRecordType() && !T.isTriviallyCopyableType(Context)) {
    remark(F.D.Loc, "'%0' is handed over with the task and not tracked", Name);
    return Verdict::Nothing;
  }
  if ((R.Object && A.Param >= 0) || Container >= 0) {
    A.What.F = Section::Form::Whole;
    A.What.Base.Text = A.What.BaseName = A.What.Text = Name;
    if (!T.isNull() && T->isDependentType())
      A.What.Base.Wide = "::hsched_gen_object(" + Name + ")";
    // A reference to a map or a string is not contiguous.
    if (std::string Problem = sectionProblem(Context, A.What, T, "n"); !Problem.empty()) {
      unnamed(S, Id, F, Problem, "");
      return Verdict::Nothing;
    }
  } else {
    std::optional<Section> Sec;
    const auto [Elements, Per] = S.elements(Id);
    const std::string Doubt = ofIterations(S, Id);
    if (E.All && Per != 0 && Doubt.empty())
      Sec = sectionOf(*E.All, Elements, Per, S.speller(), Exact, S.wideSpeller());
    else if (S.onlyQueried(Id))
      Sec = sectionOf(Box{0, {}}, Name, 1, S.speller(), Exact);
    if (!E.All && Per != 0 && inferPieces(S, Id, F, A, T, Found))
      return Verdict::Inferred;
    std::string Late;
    std::vector<std::string> Counting;
    if (E.All && Sec && evaluable(Sec->Text))
      Late = S.changeable(*E.All, [&](const Symbol &N) { return constant(S, N, F, Counting); });
    for (const RootEffect::Piece &Piece : E.Pieces)
      if (!E.All && Late.empty())
        Late = S.changeable(Piece.What, [&](const Symbol &N) { return constant(S, N, F, Counting); });
    if (!Sec || !evaluable(Sec->Text) || !Late.empty()) {
      std::string Why = E.Why;
      const std::string OtherElements = "it depends on other elements of the parameter pack";
      const unsigned Pack = firstOfPack(*FD);
      if (Pack < FD->getNumParams() && Why.find("?" + FD->getParamDecl(Pack)->getNameAsString()) != std::string::npos)
        Why = OtherElements;
      if (!Late.empty())
        Why = "'" + Late + "' may change before the task runs";
      if (Why.empty())
        Why = !Doubt.empty() ? "it holds all of it only where " + Doubt + " >= 0"
              : Per == 0     ? "the size of its elements is not known"
              : Sec && Sec->Text.find("?rounding") != std::string::npos
                  ? "the global size is rounded up to the local one, and the kernel does not test its index against it"
              : Sec && Sec->Text.find("?groups") != std::string::npos
                  ? "it depends on the size of a work-group, which 'ndrange' does not say"
              : Sec && !S.Called.whyNot(Sec->Text).empty() ? S.Called.whyNot(Sec->Text)
              : Sec && Pack != ~0u                         ? OtherElements
                                                           : "its bounds are no sums and products";
      if (S.onlyText(Id)) { // Reading its length at the submission might crash.
        remark(F.D.Loc, "'%0' is read up to a zero, and is not tracked unless a task of this file may write it", Name);
        Shared.unnamedRead(S, Id, [=, this, Loc = F.D.Loc] {
          noExtent(Loc, Name, Why, clauseFor(Role, "[strlen(" + Name + ") + 1]" + Name));
        });
        return Verdict::Nothing;
      }
      if (F.D.Kind == DirectiveKind::Taskloop) { // Its iterations may be independent.
        unnamed(S, Id, F, "its extent cannot be inferred, " + Why, "");
        return Verdict::Nothing;
      }
      // void has no elements, so memory behind it is counted in bytes.
      const QualType Element = S.elementOf(Id);
      const bool InBytes = !Element.isNull() && Element->isVoidType();
      const std::string Base = (!InBytes ? "" : Element.isConstQualified() ? "(const char *)" : "(char *)") + Name;
      if (InBytes && E.All && Late.empty())
        Sec = sectionOf(*E.All, Base, 1, S.speller(), Exact);
      const bool Known = Sec && (!Late.empty() || (InBytes && E.All && evaluable(Sec->Text)));
      const bool Text = S.anyAccess(Id, [](const Access &X) { return X.Text; });
      const std::string Count = Text ? "[strlen(" + Name + ") + 1]" : UnknownCount;
      noExtent(F.D.Loc, Name, Why, clauseFor(Role, (Known ? Sec->Text : Count + Base) + (S.Only ? "..." : "")));
      noteReason(S, E.Why.empty() ? (E.Written ? E.FirstWrite : E.FirstRead) : E.WhyLoc, Late.empty() ? Why : "");
      if (Param)
        note(Diags, Param->getLocation(), "parameter '%0' is declared here", Param->getNameAsString());
      return Verdict::Failed;
    }
    keepConstant(S, F, Name, clauseFor(Role, Sec->Text), Counting);
    A.What = *Sec;
  }
  A.What.Loc = F.D.Loc;
  A.What.Owner = mayOwn(Context, A.What, T);
  Found.push_back(std::move(A));
  return Verdict::Inferred;
}

// What is assumed of a taskloop's variable, which the loop decides. Empty: nothing.
std::string Roots::ofIterations(const Subject &S, unsigned Id) const {
  for (const Poly &A : S.effects().of(Id).Assumed)
    if (!Variable.empty() && mentions(S.spell(A), Variable))
      return S.spell(A);
  return "";
}

bool Roots::inferPieces(const Subject &S, unsigned Id, BoundFunction &F, AccessCode A, QualType T,
                        std::vector<AccessCode> &Found) {
  std::vector<AccessCode> Pieces;
  std::vector<std::string> Counting;
  for (const RootEffect::Piece &Piece : S.effects().of(Id).Pieces) {
    bool Exact = true;
    const auto [Elements, Per] = S.elements(Id);
    std::optional<Section> Sec = sectionOf(Piece.What, Elements, Per, S.speller(), Exact, S.wideSpeller());
    if (!Sec || !evaluable(Sec->Text) ||
        !S.changeable(Piece.What, [&](const Symbol &N) { return constant(S, N, F, Counting); }).empty())
      return false;
    const bool Out = Piece.Written && Exact && S.effects().overwrites(Id, Piece.What) == Answer::Yes;
    A.Role = Out ? AccessRole::Out : Piece.Written ? AccessRole::InOut : AccessRole::In;
    A.What = std::move(*Sec);
    A.What.Loc = F.D.Loc;
    A.What.Owner = mayOwn(Context, A.What, T);
    Pieces.push_back(A);
  }
  if (!Pieces.empty())
    keepConstant(S, F, S.nameOf(Id), clauseFor(A.Role, Pieces.front().What.Text), Counting);
  Found.insert(Found.end(), Pieces.begin(), Pieces.end());
  return !Pieces.empty();
}

void Roots::unnamed(const Subject &S, unsigned Id, BoundFunction &F, const std::string &Why,
                    const std::string &Clause) {
  if (S.nameOf(Id).empty()) // The object behind structured bindings, which have names of their own.
    return;
  const bool Written = S.effects().of(Id).Written;
  const SourceLocation Loc = F.D.Loc, At = S.At(Written ? S.effects().of(Id).FirstWrite : S.effects().of(Id).FirstRead);
  const std::string Tail = Why.empty() ? (Clause.empty() ? Why : ": add " + Clause) : ": " + Why;
  auto Say = [=, this, Task = calledSo(F), Name = readable(S.nameOf(Id)), Fix = fixWith(F.D, Clause)] {
    warn(Diags, Warning::Unnamed, Loc, "task '%0' %1 '%2', which no clause names%3", Task, Written ? "writes" : "reads",
         Name, Tail, Fix);
    if (At.isValid())
      note(Diags, At, "it is %0 here", Written ? "written" : "read");
  };
  Written ? Say() : Shared.unnamedRead(S, Id, Say);
}

bool Roots::privateCopy(const Subject &S, unsigned Id) const {
  const Root &R = S.Tree.Roots[Id];
  return R.K == Root::Global && R.Decl && R.Decl->getDeclContext()->isFunctionOrMethod() && Locals.count(R.Name) != 0;
}

bool Roots::hidden(const Subject &S, unsigned Id, const BoundFunction &F) const {
  const Root &R = above(S.Tree, Id);
  return R.OfFunction && !(isStatement(F) && SM.isBeforeInTranslationUnit(R.Loc, F.D.Loc) &&
                           SM.isBeforeInTranslationUnit(F.Annotated->getBeginLoc(), R.Loc));
}

const Root *Roots::copied(const Subject &S, unsigned Id, const BoundFunction &F, bool Owned) const {
  while (S.Tree.Roots[Id].K == Root::Indirect && (!Owned || S.Tree.Roots[Id].Owned))
    Id = S.Tree.Roots[Id].Parent;
  if (!isStatement(F) || !privateCopy(S, Id))
    return nullptr;
  for (const AccessCode &A : F.Task.Accesses) // A part in a clause is not a copy.
    for (const NameUse &Use : A.What.Base.Names)
      if (Use.Name == S.Tree.Roots[Id].Name)
        return nullptr;
  return &S.Tree.Roots[Id];
}

bool Roots::own(const Subject &S, unsigned Id, const BoundFunction &F) const {
  return isStatement(F) && (privateCopy(S, Id) || ownObject(S.Tree, Id, Locals) || copied(S, Id, F, /*Owned=*/true));
}

bool Roots::constant(const Subject &S, const Symbol &N, const BoundFunction &F, std::vector<std::string> &Counting) {
  const auto Id = static_cast<unsigned>(N.From);
  if (own(S, Id, F))
    return true;
  const Root &R = S.Tree.Roots[Id];
  const auto *V = dyn_cast_or_null<VarDecl>(R.Decl);
  if (R.K != Root::Global || R.PerThread || !V || V->getType().isVolatileQualified() ||
      (V->hasExternalFormalLinkage() && !V->getDefinition()) || F.D.Kind == DirectiveKind::Taskloop)
    return false;
  Counting.push_back(N.Spelling);
  return Shared.isVariable(S, N.Spelling);
}

void Roots::keepConstant(const Subject &S, const BoundFunction &F, const std::string &Name, const std::string &Clause,
                         const std::vector<std::string> &Counting) {
  for (const std::string &Number : Counting)
    Shared.keepConstant(S, Number, [=, this, Loc = F.D.Loc] {
      noExtent(Loc, Name, "'" + Number + "' may change before the task runs", Clause);
    });
}

void Roots::noExtent(SourceLocation Loc, const std::string &Name, const std::string &Why, const std::string &Clause) {
  fail(Loc, "the extent of '%0' cannot be inferred: %1; write it, for example %2", Name, Why, Clause);
}

void Roots::checkLost(const Subject &S, unsigned Id, const BoundFunction &F) {
  const Root *Copy = copied(S, Id, F, /*Owned=*/true);
  if (!Copy || !S.effects().of(Id).Written || !S.definite(Id, /*Write=*/true))
    return;
  auto It = llvm::find_if(ReadAfter, [&](const ValueDecl *V) { return V->getLocation() == Copy->Loc; });
  if (It == ReadAfter.end())
    return;
  SourceLocation At = S.At(S.effects().of(Id).FirstWrite);
  warnLost(Diags, Context, F.D, **It, At.isValid() ? At : F.D.Loc);
  ReadAfter.erase(It);
}

bool Roots::wouldUseVariable(const Subject &S, unsigned Id, const BoundFunction &F) const {
  const Root *Copy = copied(S, Id, F, /*Owned=*/false);
  auto It = Copy ? Locals.find(Copy->Name) : Locals.end();
  return It != Locals.end() && (It->second.isNull() || captureMode(Context, It->second) != CaptureCode::How::Value);
}

bool Roots::namedInPart(const Subject &S, unsigned Id) const {
  return llvm::any_of(S.parts(Id),
                      [&](const Declared &D) { return D.A->Role != AccessRole::In || !S.effects().of(Id).Written; });
}

std::string Roots::clauseNaming(const Subject &S, unsigned Id, const BoundFunction &F) const {
  const Root &R = S.Tree.Roots[Id];
  const RootEffect &E = S.effects().of(Id);
  std::string Clause;
  bool Exact = true;
  if (S.isPointer(Id)) // Alone, its name would be an array of unknown size.
    Clause = clauseFor(S.roleOf(Id), "*&" + S.nameOf(Id));
  else if (R.K != Root::Indirect && R.Object)
    Clause = clauseFor(S.roleOf(Id), S.nameOf(Id));
  else if (E.All && S.perElement(Id) != 0)
    if (std::optional<Section> Sec = sectionOf(*E.All, S.nameOf(Id), S.perElement(Id), S.speller(), Exact))
      Clause = clauseFor(S.roleOf(Id), Sec->Text);
  return evaluable(Clause) && !wouldUseVariable(S, Id, F) ? Clause : "";
}

void Roots::checkPieces(const Subject &S, unsigned Id, BoundFunction &F) {
  if (!S.parts(Id).empty() && (check(S, Id, F, nullptr) || namedInPart(S, Id)))
    return;
  if (S.parts(Id).empty() && !S.namedOnlyBehind(Id))
    return;
  if (S.anyAccess(Id, [](const Access &A) { return A.K != AccessKind::Read && !A.Guess && !A.Atomic; }))
    unnamed(S, Id, F, "", clauseNaming(S, Id, F));
}

// True if D declares that the variable of Id does not order tasks.
static bool withoutOrder(const Subject &S, unsigned Id, const Directive &D) {
  using How = NamedVariable::How;
  for (;; Id = S.Tree.Roots[Id].Parent) {
    for (const NamedVariable &V : D.Variables)
      if ((V.H == How::Shared || V.H == How::Unused) && V.Name == S.nameOf(Id))
        return true;
    if (S.Tree.Roots[Id].K != Root::Indirect)
      return false;
  }
}

Roots::Verdict Roots::root(const Subject &S, unsigned Id, BoundFunction &F, std::vector<AccessCode> &Found) {
  const Root &R = S.Tree.Roots[Id];
  const RootEffect &E = S.effects().of(Id);
  if (R.K == Root::Anything || S.ignored(Id) || (!E.Read && !E.Written && !S.onlyQueried(Id)))
    return Verdict::Nothing;
  if (withoutOrder(S, Id, F.D))
    return Verdict::Nothing;
  // A statement has its own copies of variables, except those in clauses.
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
    if (!E.Written && (S.isOnPath(Id) || evaluatedByClauses(S.Tree, Id, S.accesses())))
      return Verdict::Nothing;
    if ((R.PointeeConst && R.K == Root::Global) || SM.isInSystemHeader(above(S.Tree, Id).Loc) ||
        (!E.Written && neverWritten(R, OfStatics)) || above(S.Tree, Id).PerThread || !S.definite(Id, E.Written) ||
        !S.anyAccess(Id, [](const Access &A) { return !A.Atomic; }))
      return Verdict::Nothing;
    if ((!S.parts(Id).empty() && (check(S, Id, F, nullptr) || namedInPart(S, Id))) ||
        Shared.namedByAlias(S, Id, F.Task.Accesses))
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

} // namespace hsched::cc
