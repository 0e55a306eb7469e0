// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/inline/InC.h"

#include "analysis/AstVisitor.h"
#include "analysis/infer/Words.h"
#include "analysis/inline/Sizes.h"

#include <set>

using namespace clang;

namespace hsched::cc {
namespace {

// Places where a statement names a variable. Whole: not as a pointer to its first element.
struct References final : AstVisitor {
  const ValueDecl *V = nullptr;
  std::vector<SourceLocation> All, Whole;

private:
  bool visit(Stmt &S) override {
    const clang::Expr *Array = nullptr;
    if (const auto *E = dyn_cast<ImplicitCastExpr>(&S); E && E->getCastKind() == CK_ArrayToPointerDecay)
      Array = E->getSubExpr();
    else if (const auto *E = dyn_cast<ArraySubscriptExpr>(&S)) // In a template, no array decays.
      Array = E->getBase();
    if (Array)
      if (const auto *Ref = dyn_cast<DeclRefExpr>(Array->IgnoreParens()))
        Decayed.insert(Ref);
    if (const auto *E = dyn_cast<DeclRefExpr>(&S); E && E->getDecl() == V && Seen.insert(E->getLocation()).second) {
      All.push_back(E->getLocation());
      if (!Decayed.count(E))
        Whole.push_back(E->getLocation());
    }
    return true;
  }

  llvm::SmallPtrSet<const DeclRefExpr *, 8> Decayed;
  std::set<SourceLocation> Seen; // Initialiser lists are visited twice.
};

// Spellings in an outer block, by the program's name.
using Renamed = std::map<std::string, std::string>;

void rename(std::string &Text, const Renamed &Names) {
  Text = withNames(Text, [&](llvm::StringRef Name, char Before) {
    auto It = Before ? Names.end() : Names.find(Name.str());
    return It == Names.end() ? Name.str() : It->second;
  });
}

void rename(const Section &S, const Renamed &Names) {
  for (const Expr *E : S.expressions()) {
    rename(const_cast<Expr *>(E)->Text, Names);
    rename(const_cast<Expr *>(E)->Wide, Names);
  }
}

void rename(LoopCode &L, const Renamed &Names) {
  for (std::string *Text : {&L.Start, &L.Bound, &L.Step, &L.Grain})
    rename(*Text, Names);
  for (LoopCode &Inner : L.Inner)
    rename(Inner, Names);
}

} // namespace

bool fitForC(BindContext C, BoundInline &B, const ValueDecl *V, SourceLocation Loc, CaptureCode &Code) {
  ASTContext &Context = C.Context;
  const QualType T = V->getType();
  const std::string Name = V->getNameAsString();
  const bool Reference = Code.H == CaptureCode::How::Reference;
  References R;
  R.V = V;
  R.visitAll(const_cast<Stmt *>(B.Target));
  const auto *Record = Context.getBaseElementType(T)->getAsRecordDecl();
  if (Record && llvm::any_of(Record->fields(), [](const FieldDecl *F) { return F->isInvalidDecl(); }))
    return C.fail(Loc, "'%0' has members of variable length, and is not taken into a task: use pointers to its members",
                  Name);
  const bool Modified = T->isVariablyModifiedType();
  if (Modified && Code.H == CaptureCode::How::Value && T->isArrayType() && B.D->isShared())
    return C.fail(
        Loc,
        "'%0' is an array of variable length, of which the threads of a loop have no copies: declare it in the "
        "loop, or write private(%0)",
        Name);
  if (Modified)
    declareAgain(Context, T, Name, [](const clang::Expr *) { return ""; }, Code);
  if (Code.H == CaptureCode::How::Own || (Code.H == CaptureCode::How::Reduced && !T->isArrayType()))
    return true;
  Code.Array = T->isArrayType();
  Code.Whole = Code.Array && !R.Whole.empty();
  if (!Code.Array && !Reference)
    return true;
  for (SourceLocation Place : Code.Array ? R.Whole : R.All) {
    if (Place.isMacroID() && C.SM.isMacroArgExpansion(Place))
      Place = C.SM.getSpellingLoc(Place);
    if (Place.isMacroID() || !C.SM.isWrittenInSameFile(Place, B.End))
      return C.fail(C.SM.getExpansionLoc(Place),
                    "'%0', which the task shares with the function around it, is named by a macro here: hand it to the "
                    "macro, or use a pointer to it",
                    Name);
    const unsigned At = C.SM.getFileOffset(Place);
    if (llvm::none_of(B.Head, [&](const BoundInline::Replacement &H) { // The loop's head is evaluated before.
          const unsigned Begin = C.SM.getFileOffset(H.Begin);
          return Begin <= At && At < Begin + H.Length;
        }))
      B.References.push_back({Place, Name});
  }
  return true;
}

void nestInC(BindContext C, Binding &Out) {
  auto within = [&](SourceLocation Loc, const BoundInline &B) {
    Loc = C.SM.getExpansionLoc(Loc);
    return !B.Bad && C.SM.isBeforeInTranslationUnit(B.D->Hash, Loc) && C.SM.isBeforeInTranslationUnit(Loc, B.End);
  };
  auto innermost = [&](SourceLocation Loc) {
    const BoundInline *Found = nullptr;
    for (const BoundInline &B : Out.Inlines)
      if (within(Loc, B) && (!Found || within(B.D->Hash, *Found)))
        Found = &B;
    return Found;
  };
  for (BoundInline &Outer : Out.Inlines) {
    Renamed Names;
    for (const CaptureCode &Each : Outer.Code.Captures)
      if (Each.H != CaptureCode::How::Own && (Each.Array || Each.H == CaptureCode::How::Reference))
        Names[Each.Name] = "(*hsched_w_" + Each.Name + ")";
    if (Outer.Bad || Names.empty())
      continue;
    std::set<std::string> Needed;
    for (BoundInline &Inner : Out.Inlines) {
      if (&Inner == &Outer || !within(Inner.D->Hash, Outer))
        continue;
      llvm::erase_if(Outer.References, [&](const auto &Each) {
        return !C.SM.isBeforeInTranslationUnit(Each.first, Inner.Target->getBeginLoc()) && within(Each.first, Inner);
      });
      if (innermost(Inner.D->Hash) != &Outer)
        continue;
      for (CaptureCode &Each : Inner.Code.Captures)
        if (auto It = Names.find(Each.Name); It != Names.end()) {
          Each.From = It->second;
          for (std::string &Size : Each.Sizes)
            rename(Size, Names);
          Needed.insert(Each.Name);
        }
      for (AccessCode &A : Inner.Code.Accesses)
        rename(A.What, Names);
      for (std::string *Text : {&Inner.Code.Priority, &Inner.Code.Label, &Inner.Code.If, &Inner.Code.Final,
                                &Inner.Code.Cost, &Inner.Code.Where})
        rename(*Text, Names);
      if (Inner.Code.Loop)
        rename(*Inner.Code.Loop, Names);
    }
    for (BoundWait &W : Out.Waits)
      if (innermost(W.D->Hash) == &Outer)
        for (const Section &S : W.Code.On)
          rename(S, Names);
    for (CaptureCode &Each : Outer.Code.Captures)
      Each.Whole |= Each.Array && (Needed.count(Each.Name) || !Out.Waits.empty());
  }
}

} // namespace hsched::cc
