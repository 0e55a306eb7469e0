// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/infer/Infer.h"

#include "analysis/infer/Expressions.h"
#include "analysis/infer/Questions.h"
#include "analysis/infer/Roots.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {
namespace {

SourceLocation same(SourceLocation L) { return L; }

std::vector<Lowering::Boxes> boxesOf(AccessTree &Tree) {
  const Effects E(Tree);
  std::vector<Lowering::Boxes> All;
  for (unsigned Id = 0; Id != Tree.Roots.size(); ++Id) {
    const RootEffect &Of = E.of(Id);
    Lowering::Boxes &B = All.emplace_back();
    const auto Add = [&](bool Touched, const Box &What, AccessKind K) {
      if (Touched)
        B.All.push_back({What, K});
    };
    for (const RootEffect::Piece &P : Of.Pieces) {
      Add(P.Read, P.What, AccessKind::Read);
      Add(P.Written, P.What, AccessKind::Write);
    }
    if (Of.Pieces.empty()) {
      Add(Of.Reads.has_value(), Of.Reads.value_or(Box()), AccessKind::Read);
      Add(Of.Writes.has_value(), Of.Writes.value_or(Box()), AccessKind::Write);
    }
    B.Known = !Of.Pieces.empty() || (Of.Assumed.empty() && (!Of.Read || Of.Reads) && (!Of.Written || Of.Writes));
  }
  return All;
}

bool inParts(AccessTree &Tree, unsigned Root, const std::vector<Lowering::Boxes::Part> &Parts) {
  std::vector<Box> Reads, Writes;
  for (const Lowering::Boxes::Part &P : Parts)
    (P.K == AccessKind::Read ? Reads : Writes).push_back(P.What);
  const Effects E(Tree);
  return E.inside(Root, Reads, false) && E.inside(Root, Writes, true);
}
} // namespace

struct Inference::Impl : Roots {
  explicit Impl(const BindContext &C) : Roots(C), Trees(C.Context) {
    Trees.concludeWith({boxesOf, inParts});
    if (Options.Missing.isInvalid())
      return;
    Trees.distrust();
    remark(Options.Missing, "nothing is inferred in this file: only the host compiler understands this");
  }

  Lowering Trees;
  const Directive *PackOf = nullptr; // The last one with a warning about a parameter pack.

  void explainAll(const BoundFunction &F, size_t Written) {
    if (!Options.Explain)
      return;
    for (size_t I = 0; I != F.Task.Accesses.size(); ++I) {
      const AccessCode &A = F.Task.Accesses[I];
      remark(F.D.Loc, "task '%0': %1(%2) is %3", F.Task.Name, spelling(A.Role), A.What.Text,
             I < Written ? "as written" : "inferred");
    }
  }

  // Analyses one body of a task. Appends new accesses to Found.
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
      if (S.ignored(Id))
        continue;
      // Possibly only the reads, or only the writes, are unknown.
      if (!E.All && E.Pieces.empty() && !E.Why.empty()) {
        remark(F.D.Loc, "task '%0': of '%1' it is not known which part is touched", F.Task.Name,
               S.Tree.Roots[Id].K == Root::Anything ? "other memory" : readable(S.nameOf(Id)));
        noteReason(S, E.WhyLoc, E.Why);
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
          !New && It->second != A.Role) // The role of one of several sections.
        It->second = AccessRole::InOut;
    explainAll(F, Written);
  }

  // Analyses Body, then each element of a parameter pack as a separate body.
  bool eachSubject(const FunctionDecl &Body, const FunctionDecl &Clauses, const std::vector<AccessCode> &Accesses,
                   llvm::function_ref<bool(Subject &)> Do) {
    const unsigned First = firstOfPack(Clauses);
    Names Called(this->S, Clauses, Body);
    const Lowering::ClauseValues ClauseValues = Expressions(this->S, Called, Clauses, Body).all(Called, Accesses);
    for (std::optional<unsigned> Only; !Only || *Only < Body.getNumParams(); Only = Only ? *Only + 1 : First) {
      Subject S(*this, Called, Trees.lower(Body, {First, Only.value_or(First - 1)}, &Called, ClauseValues), Body,
                Clauses, same);
      S.Only = Only;
      if (!Do(S))
        return false;
    }
    return true;
  }

  // The accesses that one instance of F adds. OfPack: for each element of its parameter pack; nothing if the pack is
  // empty.
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
    Shared.add(Names(this->S, *F.Annotated, *F.Annotated), F.Task.Accesses); // It may have no body in this unit.
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
    if (Options.Missing.isValid() && B.Code.Accesses.empty() && (B.Code.CapturesThis || !B.Code.Captures.empty()))
      warn(Diags, Warning::Unnamed, B.D->Loc,
           "task '%0': what it touches is not known, because only the host compiler understands all of this file: "
           "write the clauses",
           B.Code.Name);
    if (!B.Code.Generic) {
      inferStatement(B, *B.Function, *B.Target);
      return;
    }
    // All instances must agree.
    const std::vector<AccessCode> Written = B.Code.Accesses;
    std::optional<std::vector<AccessCode>> First;
    std::vector<std::pair<const FunctionDecl *, const Stmt *>> All;
    for (const FunctionDecl *Body : instancesAround(*B.Function))
      for (const Stmt *Target : instancesOf(*B.Target, Body->getBody()))
        All.emplace_back(Body, Target);
    for (const auto &[Body, Target] : All) {
      if (usesParametersFrom(firstOfPack(*B.Function), Target)) { // In a clause, all elements have one name.
        warnOfPack(B, *Body);
        continue;
      }
      B.Code.Accesses = Written;
      inferStatement(B, *Body, *Target);
      if (B.Bad)
        return;
      if (First && !sameAccesses(*First, B.Code.Accesses)) {
        fail(B.D->Loc,
             "the instances of the template around '%0' touch different sections: write the clauses, over the "
             "template's parameters",
             B.Code.Name);
        B.Bad = true;
        return;
      }
      First = B.Code.Accesses;
    }
  }

  // Nothing is inferred of B, which uses the last parameter of Body's template.
  void warnOfPack(const BoundInline &B, const FunctionDecl &Body) {
    const auto isPointer = [](const ParmVarDecl *P) { return P->getType()->isPointerType(); };
    if (!B.Code.Accesses.empty() || PackOf == B.D ||
        llvm::none_of(Body.parameters().drop_front(firstOfPack(*B.Function)), isPointer))
      return;
    PackOf = B.D;
    warn(Diags, Warning::Unnamed, B.D->Loc,
         "task '%0' uses pointers of the parameter pack '%1', and no clause names what they lead to: write, for "
         "example, "
         "inout(*%1...)",
         B.Code.Name, B.Function->parameters().back()->getNameAsString());
  }

  void inferStatement(BoundInline &B, const FunctionDecl &Function, const Stmt &Target) {
    BoundFunction F;
    F.IsTask = true;
    F.D = *B.D;
    F.Annotated = &Function;
    F.Task = B.Code;
    const ValueDecl *Counter = nullptr;
    if (const auto *For = B.Code.Loop ? dyn_cast<ForStmt>(&Target) : nullptr) {
      if (const auto *D = dyn_cast_or_null<DeclStmt>(For->getInit()); D && D->isSingleDecl())
        Counter = dyn_cast<ValueDecl>(D->getSingleDecl());
      const auto *Assign = dyn_cast_or_null<BinaryOperator>(For->getInit());
      const auto *Ref = Assign ? dyn_cast<DeclRefExpr>(Assign->getLHS()->IgnoreParens()) : nullptr;
      if (const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr; V && V->isStaticLocal())
        Counter = V;
    }
    Names Called(this->S, Function, B.D->End, Counter);
    const Lowering::ClauseValues ClauseValues =
        Expressions(this->S, Called, Function, Function).all(Called, F.Task.Accesses);
    for (AccessCode &A : F.Task.Accesses)
      A = Called.inOneSpelling(A);
    std::vector<const ValueDecl *> Copies = collectLocals(Target, Counter, Locals);
    ReadAfter = B.ReadAfter;
    const std::map<std::string, QualType> All = Locals;
    eraseDirectlyUsed(Context, F.Task.Accesses, Locals);
    const std::string Variable = B.Code.Loop ? B.Code.Loop->Variable : "";
    llvm::erase_if(Copies,
                   [&](const ValueDecl *V) { return V->getName() == Variable || !Locals.count(V->getName().str()); });
    AccessTree Tree = Trees.lower(Target, &Called, {Copies, B.Code.Loop.has_value()}, ClauseValues);
    const auto It = Locals.find(Variable);
    const bool Integer = It != Locals.end() && It->second->isIntegerType();
    const bool Counted = B.Code.Loop && eachIteration(Tree, Variable);
    if (Counted && Integer && isa<ForStmt>(Target)) {
      // Of an iteration alone, the variable is a number like any other. So i / 2 can be named, and min(i + 8, n) if
      // that section changes evenly.
      const unsigned Unknown = unknownRanges(Tree, Tree.Body);
      const bool Limited = hasOtherLimits(Tree, Tree.Body, Variable);
      if (Unknown || Limited) {
        AccessTree Alone = Trees.lowerIteration(cast<ForStmt>(Target), &Called, {Copies, true}, ClauseValues);
        if (unknownRanges(Alone, Alone.Body) < Unknown ||
            (Limited && changesEvenly(B, F, Called, Function, Alone, All)))
          Tree = std::move(Alone);
      }
    } else if (B.Code.Loop && !Counted) {
      if (!Integer) {
        if (isa<ForStmt>(Target))
          remark(F.D.Loc, "task '%0': what each iteration touches is not inferred, because '%1' is not an integer",
                 F.Task.Name, Variable);
        else
          remark(F.D.Loc, "task '%0': what each iteration touches is not inferred: the loop has no integer that counts",
                 F.Task.Name);
        Locals.clear();
        return;
      }
      Tree = Trees.lowerIteration(cast<ForStmt>(Target), &Called, {Copies, true}, ClauseValues);
    }
    // A section for all iterations together is not overwritten by a single one.
    if (B.Code.Loop)
      for (AccessCode &A : F.Task.Accesses)
        if (A.Role == AccessRole::Out && !A.Iterates)
          A.Role = AccessRole::InOut;
    Subject S(*this, Called, std::move(Tree), Function, Function, same);
    S.Locals = All;
    std::vector<AccessCode> Found;
    this->Variable = Variable;
    const bool Good = body(S, F, Found);
    this->Variable.clear();
    if (!Good) {
      B.Bad = true;
      Locals.clear();
      return;
    }
    F.Task.Accesses = B.Code.Accesses;
    if (B.Code.Loop)
      llvm::erase_if(Found, [&](AccessCode &A) { return !overIterations(B, A, Called, Function); });
    finish(F, std::move(Found));
    B.Code.Accesses = F.Task.Accesses;
    Locals.clear();
  }

  // True if all that is inferred of an iteration, whose tree is Alone, can be a clause of the taskloop. It gives no
  // messages.
  bool changesEvenly(const BoundInline &B, const BoundFunction &F, Names &Called, const FunctionDecl &Function,
                     const AccessTree &Alone, const std::map<std::string, QualType> &All) {
    const bool Before = Diags.getSuppressAllDiagnostics();
    Diags.setSuppressAllDiagnostics(true);
    BoundFunction Copy = F;
    Subject S(*this, Called, AccessTree(Alone), Function, Function, same);
    S.Locals = All;
    S.read(Copy.Task.Accesses);
    std::vector<AccessCode> Found;
    this->Variable = B.Code.Loop->Variable;
    bool Good = true;
    for (unsigned Id = 0; Id != S.Tree.Roots.size(); ++Id)
      Good &= root(S, Id, Copy, Found) != Verdict::Failed;
    this->Variable.clear();
    for (AccessCode &A : Found)
      Good &= overIterations(B, A, Called, Function);
    Diags.setSuppressAllDiagnostics(Before);
    return Good;
  }

  // Converts A, inferred for one iteration, to a chunk. False if that is impossible.
  bool overIterations(const BoundInline &B, AccessCode &A, const Names &Called, const FunctionDecl &Function) {
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
    const Expressions Built(this->S, Called, Function, Function);
    const auto [Problem, Uneven] = loopSection(Context, A.What, Variable, type, Built);
    A.Uneven = Uneven;
    if (!Problem.empty())
      warn(Diags, Warning::Unnamed, B.D->Loc, "taskloop '%0' touches '%1', which no clause names: %2", B.Code.Name,
           A.What.Base.Text, Problem);
    return Problem.empty();
  }

  // Version may have sections in place of Main's. OfOwn: these are compared, and else all other data. Then Clauses of S
  // is Version's function.
  void checkAgainst(Subject &S, const BoundFunction &Main, const BoundFunction &Version, bool OfOwn) {
    BoundFunction Own;
    if (OfOwn) {
      Own.D = Version.D;
      Own.Written = Version.Written;
      Own.Annotated = Version.Annotated;
      Own.Task.Name = Main.Task.Name;
      Own.Task.Params = Version.Version.Params;
      Own.Task.Accesses = Version.Version.Sections;
    }
    const BoundFunction &Clauses = OfOwn ? Own : Main;
    S.read(Clauses.Task.Accesses);
    for (unsigned Id = 0; Id != S.Tree.Roots.size(); ++Id) {
      const RootEffect &E = S.effects().of(Id);
      const auto Param = static_cast<int>(S.parameterOf(S.Tree.Roots[Id]));
      const bool IsOwn = S.Tree.Roots[Id].K == Root::Param && hasSections(Version, Param);
      if (!S.ignored(Id) && (E.Read || E.Written) && IsOwn == OfOwn)
        check(S, Id, Clauses, &Version);
    }
  }

  static bool hasSections(const BoundFunction &Version, int Param) {
    return llvm::any_of(Version.Version.Sections, [Param](const AccessCode &A) { return A.Param == Param; });
  }
};

Inference::Inference(const BindContext &C) : I(std::make_unique<Impl>(C)) {}
Inference::~Inference() = default;

void Inference::inferTask(BoundFunction &F) { I->inferTask(F); }
void Inference::inferStatement(BoundInline &B) { I->inferStatement(B); }

void Inference::finish() { I->Shared.say(); }

bool Inference::touchesExactly(const Section &S) const { return I->Exact.count(S.Loc) != 0; }

void Inference::checkVersion(BoundFunction &F) {
  if (F.Version.ObjectFirst) // Its body uses another name for the object than the clauses.
    return;
  for (const FunctionDecl *Body : bodiesOf(F)) {
    I->eachSubject(*Body, *F.Main->Annotated, F.Main->Task.Accesses, [&](Subject &S) {
      I->checkAgainst(S, *F.Main, F, false);
      return true;
    });
    if (!F.Version.Sections.empty())
      I->eachSubject(*Body, *F.Annotated, F.Version.Sections, [&](Subject &S) {
        I->checkAgainst(S, *F.Main, F, true);
        return true;
      });
  }
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
  for (const bool OfOwn : {false, true}) {
    if (OfOwn && F.Version.Sections.empty())
      return;
    const FunctionDecl &Clauses = OfOwn ? *F.Annotated : *F.Main->Annotated;
    Names Called(I->S, Clauses, *F.Annotated);
    Subject S(*I, Called, Tree, *F.Annotated, Clauses, At);
    I->checkAgainst(S, *F.Main, F, OfOwn);
  }
}

} // namespace hsched::cc
