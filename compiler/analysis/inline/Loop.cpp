// The head of a taskloop's loop: start, bound and step.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/bind/Internal.h"
#include "analysis/uses/Uses.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"

#include <cstring>

using namespace clang;

namespace hsched::cc {
namespace {

// S without Clang's wrappers: conversions, temporaries, parentheses.
const Stmt *bare(const Stmt *S) {
  while (S) {
    const Stmt *Before = S;
    if (const auto *E = dyn_cast<clang::Expr>(S))
      S = E->IgnoreParenImpCasts();
    if (const auto *Full = dyn_cast<FullExpr>(S))
      S = Full->getSubExpr();
    if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(S))
      S = Temporary->getSubExpr();
    if (const auto *Bind = dyn_cast<CXXBindTemporaryExpr>(S))
      S = Bind->getSubExpr();
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(S);
        Construct && Construct->getNumArgs() == 1 && !isa<CXXTemporaryObjectExpr>(Construct))
      S = Construct->getArg(0);
    if (S == Before)
      break;
  }
  return S;
}

// A binary operator, built in or not.
struct Binary {
  BinaryOperatorKind Op = BO_Comma;
  const Stmt *Left = nullptr, *Right = nullptr;
};
Binary binary(const Stmt *S) {
  S = bare(S);
  if (const auto *B = dyn_cast_or_null<BinaryOperator>(S))
    return {B->getOpcode(), B->getLHS(), B->getRHS()};
  if (const auto *Rewritten = dyn_cast_or_null<CXXRewrittenBinaryOperator>(S)) {
    CXXRewrittenBinaryOperator::DecomposedForm Form = Rewritten->getDecomposedForm();
    return {Form.Opcode, Form.LHS, Form.RHS};
  }
  if (const auto *Call = dyn_cast_or_null<CXXOperatorCallExpr>(S);
      Call && Call->getNumArgs() == 2 && Call->isInfixBinaryOp())
    return {BinaryOperator::getOverloadedOpcode(Call->getOperator()), Call->getArg(0), Call->getArg(1)};
  return {};
}

class LoopBinder : public BindContext {
  // Reports an error. Messages say "taskloop"; %0 and %1 are strings.
  template <unsigned N, class... Args> bool fail(SourceLocation Loc, const char (&Format)[N], const Args &...Values) {
    std::string Text = inWordsOf(*B.D, Format);
    const std::string Words[] = {std::string(Values)..., ""};
    for (size_t I = 0; I < sizeof...(Values); ++I)
      for (size_t At; (At = Text.find("%" + std::to_string(I))) != std::string::npos;)
        Text.replace(At, 2, Words[I]);
    return BindContext::fail(Loc, "%0", Text);
  }

public:
  LoopBinder(const BindContext &C, BoundInline &B, const InlinePlace &Place, LoopHead &Head)
      : BindContext(C), B(B), Place(Place), Head(Head) {}

  bool run() {
    SourceLocation Loc = B.Target->getBeginLoc();
    if (const auto *Range = dyn_cast<CXXForRangeStmt>(B.Target))
      return overRange(*Range);
    For = dyn_cast<ForStmt>(B.Target);
    if (!For)
      return fail(Loc, "'taskloop' must be followed by a for loop");
    if (For->getForLoc().isMacroID() || For->getLParenLoc().isMacroID() || For->getRParenLoc().isMacroID())
      return fail(Loc, "the head of a taskloop's loop must be written out: it cannot come from a macro");
    L = &B.Code.Loop.emplace();
    if (B.D->Collapse > 1 && !B.D->isShared())
      return fail(B.D->CollapseLoc,
                  "clause 'collapse' belongs to a 'for' without data clauses: make chunks of the outer "
                  "loop tasks, or one loop of the two");
    return one() && inner();
  }

private:
  // A variable, or a member of one: evaluated twice, it is the same.
  static bool isVariableOrMember(const Stmt *S) {
    S = bare(S);
    if (const auto *M = dyn_cast<MemberExpr>(S))
      return isa<FieldDecl>(M->getMemberDecl()) && isVariableOrMember(M->getBase());
    // A member of a dependent type; a member function is not a range. A class may have an operator '->' of its own.
    if (const auto *M = dyn_cast<CXXDependentScopeMemberExpr>(S))
      return !M->isImplicitAccess() && (!M->isArrow() || M->getBase()->getType()->isPointerType()) &&
             isVariableOrMember(M->getBase());
    return isa<CXXThisExpr>(S) || (isa<DeclRefExpr>(S) && isa<VarDecl>(cast<DeclRefExpr>(S)->getDecl()));
  }

  // True if V has the type of Other, or one of them is not known.
  bool isOfType(const VarDecl &V, const VarDecl *Other) const {
    return !Other || V.getType()->isDependentType() || Other->getType()->isDependentType() ||
           Context.hasSameUnqualifiedType(V.getType(), Other->getType());
  }

  // A loop over the elements of a range: its iterators are divided.
  bool overRange(const CXXForRangeStmt &Range) {
    const clang::Expr *Init = Range.getRangeInit();
    if (Range.getForLoc().isMacroID() || Range.getColonLoc().isMacroID() || Range.getRParenLoc().isMacroID())
      return fail(Range.getBeginLoc(),
                  "the head of a taskloop's loop must be written out: it cannot come from a macro");
    if (Range.getInit() || B.D->Collapse > 1 || !isVariableOrMember(Init) || Init->getType()->isVariablyModifiedType())
      return fail(Init->getBeginLoc(), "'taskloop' divides a loop over a variable or a member: write 'for (size_t i = "
                                       "0; i < n; ++i)' in place of this range");
    const auto *Begin = Range.getBeginStmt() ? cast<VarDecl>(Range.getBeginStmt()->getSingleDecl()) : nullptr;
    const auto *End = Range.getEndStmt() ? cast<VarDecl>(Range.getEndStmt()->getSingleDecl()) : nullptr;
    for (const VarDecl *Its : {Begin, End}) // The end may be a sentinel, of another type.
      if (Its && (!hasDistances(Its->getType(), Init->getBeginLoc()) || !isOfType(*Its, Begin)))
        return fail(Init->getBeginLoc(), "the iterators of a taskloop's range have no distances; they have type '%0'",
                    Its->getType().getAsString(Context.getPrintingPolicy()));
    L = &B.Code.Loop.emplace();
    const Text Words = textOf(Init->getSourceRange());
    const PresumedLoc Where = SM.getPresumedLoc(Range.getForLoc());
    L->File = Where.isValid() ? Where.getFilename() : Options.MainFile;
    L->Line = Where.isValid() ? Where.getLine() : 0;
    L->Resume = SM.getPresumedLineNumber(B.D->End) + 1;
    L->Variable = "hsched_i" + B.Code.Id;
    L->Start = "auto " + L->Variable + " = ::hsched_gen_range_begin(" + Words.Words + ", ::hsched_gen_first())";
    L->Bound = "::hsched_gen_range_end(" + Words.Words + ", ::hsched_gen_first())";
    L->Step = "1";
    L->Goes = LoopCode::Relation::Unequal;
    B.Head.push_back({SM.getComposedLoc(SM.getFileID(Range.getForLoc()), Words.Begin), Words.End - Words.Begin,
                      "::hsched_gen_span_of(hsched_c" + B.Code.Id + ")"});
    return true;
  }

  // Binds the inner loops that are divided with this one.
  bool inner() {
    std::vector<const ValueDecl *> Outer{Head.Variable};
    const ForStmt *Around = For;
    for (unsigned Depth = 1; Depth < B.D->Collapse; ++Depth) {
      const Stmt *Body = Around->getBody();
      while (const auto *Block = dyn_cast_or_null<CompoundStmt>(Body))
        Body = Block->size() == 1 ? Block->body_front() : nullptr;
      const auto *Next = dyn_cast_or_null<ForStmt>(Body);
      if (!Next || Next->getForLoc().isMacroID() || Next->getLParenLoc().isMacroID())
        return fail(B.D->CollapseLoc,
                    "collapse(%0) takes %0 loops, each of them the only statement of the one around it",
                    std::to_string(B.D->Collapse));
      LoopHead InHead;
      LoopCode Code;
      LoopBinder In(*this, B, Place, InHead);
      In.For = Next;
      In.L = &Code;
      In.Depth = Depth;
      if (!In.one())
        return false;
      for (const Stmt *Part : {In.Start, InHead.Bound, InHead.Step})
        if (Part)
          for (const auto &[V, Use] : usesOf(Context, Part, Place).Variables)
            if (llvm::is_contained(Outer, V))
              return fail(Use.First,
                          "the loops of 'collapse' are a rectangle: where one begins and ends cannot depend "
                          "on the variable '%0' of another",
                          V->getNameAsString());
      if (!Code.Declared)
        Head.Inner.push_back(InHead.Variable);
      Outer.push_back(InHead.Variable);
      B.Code.Loop->Inner.push_back(std::move(Code));
      Around = Next;
    }
    return true;
  }

  unsigned Depth = 0; // Depth of the loop among those that are divided together.

  bool one() {
    PresumedLoc Where = SM.getPresumedLoc(For->getLParenLoc());
    L->File = Where.isValid() ? Where.getFilename() : Options.MainFile;
    L->Line = Where.isValid() ? Where.getLine() : 0;
    L->Resume = SM.getPresumedLineNumber(B.D->End) + 1;
    if (!(start() && condition() && step() && type() && unchanged() && texts()))
      return false;
    L->Constant = true;
    for (const Stmt *Part : {Start, Head.Bound, Head.Step}) {
      const auto *E = dyn_cast_or_null<clang::Expr>(Part);
      clang::Expr::EvalResult Value;
      L->Constant &= !E || E->isValueDependent() ||
                     (E->getType()->isIntegralOrEnumerationType() && E->EvaluateAsInt(Value, Context));
    }
    return true;
  }

  BoundInline &B;
  const InlinePlace &Place;
  LoopHead &Head;
  const ForStmt *For = nullptr;
  LoopCode *L = nullptr;
  const Stmt *Start = nullptr;

  bool isVariable(const Stmt *S) const {
    const auto *Ref = dyn_cast_or_null<DeclRefExpr>(bare(S));
    return Ref && Ref->getDecl() == Head.Variable;
  }

  bool start() {
    const Stmt *Init = For->getInit();
    SourceLocation Loc = Init ? Init->getBeginLoc() : For->getLParenLoc();
    if (const auto *Decls = dyn_cast_or_null<DeclStmt>(Init)) {
      if (!Decls->isSingleDecl())
        return fail(Loc, "the loop of 'taskloop' declares one variable in its head: declare the others in front of the "
                         "directive");
      const auto *V = dyn_cast<VarDecl>(Decls->getSingleDecl());
      if (!V || !V->hasInit() || V->getInitStyle() != VarDecl::CInit || !V->getIdentifier())
        return fail(Loc, "the loop of 'taskloop' begins with a value: 'for (int i = 0; ...'");
      if (V->getType()->isReferenceType())
        return fail(Loc, "the variable of a taskloop cannot be a reference, because each task has its own copy");
      Head.Variable = V;
      Start = V->getInit();
      return true;
    }
    Binary Assign = binary(Init);
    const auto *Ref = dyn_cast_or_null<DeclRefExpr>(bare(Assign.Left));
    if (Assign.Op != BO_Assign || !Ref)
      return fail(Loc, "the loop of 'taskloop' begins with a value: 'for (int i = 0; ...'");
    const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (!V || !(V->hasLocalStorage() || V->isStaticLocal()) || V->getType()->isReferenceType())
      return fail(Loc, "the variable of a taskloop must be a local variable, because each task has a copy: declare it "
                       "in the loop's head");
    L->Declared = false;
    Head.Variable = V;
    Start = Assign.Right;
    return true;
  }

  bool condition() {
    const std::string Name = Head.Variable->getNameAsString();
    Binary Compare = binary(For->getCond());
    bool Mirrored = !isVariable(Compare.Left);
    using Relation = LoopCode::Relation;
    std::optional<Relation> Goes;
    switch (Compare.Op) {
    case BO_LT:
    case BO_GT:
      Goes = (Compare.Op == BO_LT) != Mirrored ? Relation::Less : Relation::Greater;
      break;
    case BO_LE:
    case BO_GE:
      Goes = (Compare.Op == BO_LE) != Mirrored ? Relation::LessEqual : Relation::GreaterEqual;
      break;
    case BO_NE:
      Goes = Relation::Unequal;
      break;
    default:
      break;
    }
    Head.Bound = Mirrored ? Compare.Left : Compare.Right;
    if (!Goes || !isVariable(Mirrored ? Compare.Right : Compare.Left))
      return fail(
          For->getCond() ? For->getCond()->getBeginLoc() : For->getLParenLoc(),
          "the loop of 'taskloop' goes on while '%0' compares with one bound: '%0 < n', with <, <=, >, >= or !=", Name);
    L->Goes = *Goes;
    return true;
  }

  bool step() {
    const std::string Name = Head.Variable->getNameAsString();
    const Stmt *Inc = bare(For->getInc());
    L->Step = "1";
    auto forward = [&](const Stmt *Variable, bool Back) {
      L->Back = Back;
      return isVariable(Variable);
    };
    bool Good = false;
    if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Inc)) {
      Good = Unary->isIncrementDecrementOp() && forward(Unary->getSubExpr(), Unary->isDecrementOp());
    } else if (const auto *Call = dyn_cast_or_null<CXXOperatorCallExpr>(Inc);
               Call && (Call->getOperator() == OO_PlusPlus || Call->getOperator() == OO_MinusMinus)) {
      Good = forward(Call->getArg(0), Call->getOperator() == OO_MinusMinus);
    } else if (Binary Change = binary(Inc); Change.Op == BO_AddAssign || Change.Op == BO_SubAssign) {
      Good = forward(Change.Left, Change.Op == BO_SubAssign);
      Head.Step = Change.Right;
    } else if (Change.Op == BO_Assign && isVariable(Change.Left)) {
      Binary Sum = binary(Change.Right);
      Good = (Sum.Op == BO_Add && (isVariable(Sum.Left) || isVariable(Sum.Right))) ||
             (Sum.Op == BO_Sub && isVariable(Sum.Left));
      L->Back = Sum.Op == BO_Sub;
      Head.Step = Good ? isVariable(Sum.Left) ? Sum.Right : Sum.Left : nullptr;
    }
    SourceLocation Loc = Inc ? Inc->getBeginLoc() : For->getLParenLoc();
    if (!Good)
      return fail(Loc, "the loop of 'taskloop' goes on by one step each time: '++%0', '--%0', '%0 += s', '%0 -= s'",
                  Name);
    using Relation = LoopCode::Relation;
    const bool Up = L->Goes == Relation::Less || L->Goes == Relation::LessEqual;
    const bool Down = L->Goes == Relation::Greater || L->Goes == Relation::GreaterEqual;
    std::optional<llvm::APSInt> Known = constant(Head.Step);
    bool Backwards = L->Back != (Known && Known->isNegative());
    if ((Known && *Known == 0) || ((!Head.Step || Known) && ((Up && Backwards) || (Down && !Backwards))))
      return fail(Loc, "this step leads away from the loop's end");
    if (!Up && !Down && Head.Step && !(Known && (*Known == 1 || *Known == -1)))
      return fail(Loc, "a loop that ends with '!=' must go on by 1, or it could miss its end: compare with < or >");
    return true;
  }

  std::optional<llvm::APSInt> constant(const Stmt *S) const {
    const auto *E = dyn_cast_or_null<clang::Expr>(S);
    if (!E || E->isValueDependent())
      return std::nullopt;
    return E->getIntegerConstantExpr(Context);
  }

  // True if '-' is defined for two values of type T.
  bool hasDistances(QualType T, SourceLocation At) {
    if (T->isDependentType() || T->isUndeducedType() || T->isIntegralOrEnumerationType() || T->isPointerType())
      return true;
    if (!T->isRecordType())
      return false;
    Sema::SFINAETrap Trap(S);
    OpaqueValueExpr One(At, T, VK_LValue), Other(At, T, VK_LValue);
    UnresolvedSet<8> Functions;
    S.LookupBinOp(S.TUScope, At, BO_Sub, Functions);
    ExprResult Difference = S.CreateOverloadedBinOp(At, BO_Sub, Functions, &One, &Other, /*RequiresADL=*/true);
    return !Difference.isInvalid() && !Trap.hasErrorOccurred();
  }
  bool type() {
    const QualType T = Head.Variable->getType();
    return hasDistances(T, For->getForLoc()) ||
           fail(Head.Variable->getLocation(),
                "the variable of a taskloop is an integer, a pointer or an iterator whose distances can be computed; "
                "'%0' has type '%1'",
                Head.Variable->getNameAsString(), T.getAsString(Context.getPrintingPolicy()));
  }

  // Checks that the body changes neither the variable nor the operands of the head.
  bool unchanged() {
    InlinePlace Inner = Place;
    BlockUses InBody = usesOf(Context, For->getBody(), Inner);
    if (const auto *V = dyn_cast<VarDecl>(Head.Variable);
        V && V->isStaticLocal() && V->getDeclContext()->isDependentContext())
      return fail(Head.Variable->getLocation(),
                  "the variable '%0' of a taskloop's loop is a static of a template: declare it in the loop's head",
                  V->getNameAsString());
    else if (V && V->isStaticLocal() && changesOf(Context, For->getBody()).count(V))
      return fail(For->getBody()->getBeginLoc(), "the variable '%0' of a taskloop's loop cannot be changed in its body",
                  V->getNameAsString());
    auto It = InBody.Variables.find(Head.Variable);
    if (It != InBody.Variables.end() && It->second.Changed.isValid())
      return fail(It->second.Changed, "the variable '%0' of a taskloop's loop cannot be changed in its body",
                  Head.Variable->getNameAsString());
    for (const Stmt *Part : {Head.Bound, Head.Step}) {
      if (!Part)
        continue;
      for (const auto &[V, Use] : usesOf(Context, Part, Inner).Variables) {
        if (V == Head.Variable)
          return fail(Use.First, "bound and step of a taskloop's loop cannot depend on its variable '%0'",
                      V->getNameAsString());
        auto Changed = InBody.Variables.find(V);
        // Another part of an object may change: 'i < mesh.elements' while the body fills the mesh.
        if (Changed == InBody.Variables.end() || Changed->second.Changed.isInvalid() || !Use.Evaluated ||
            V->getType().getNonReferenceType()->isRecordType())
          continue;
        fail(Changed->second.Changed, "'%0' says how far the taskloop's loop goes and cannot be changed in its body",
             V->getNameAsString());
        note(Diags, Use.First, "it is used here");
        return false;
      }
    }
    return true;
  }

  // The text between Begin and End in the file.
  struct Text {
    unsigned Begin = 0, End = 0; // Offsets.
    std::string Words;
  };
  Text textOf(SourceRange R) const {
    R = SourceRange(SM.getExpansionLoc(R.getBegin()), SM.getExpansionRange(R.getEnd()).getEnd());
    Text T;
    T.Begin = SM.getFileOffset(R.getBegin());
    T.End = SM.getFileOffset(R.getEnd()) + Lexer::MeasureTokenLength(R.getEnd(), SM, Context.getLangOpts());
    // As one line without comments.
    llvm::StringRef Buffer = SM.getBufferData(SM.getFileID(R.getBegin()));
    Lexer Raw(SM.getLocForStartOfFile(SM.getFileID(R.getBegin())), Context.getLangOpts(), Buffer.begin(),
              Buffer.begin() + T.Begin, Buffer.end());
    Token Word;
    while (!Raw.LexFromRawLexer(Word) && SM.getFileOffset(Word.getLocation()) < T.End) {
      if (!T.Words.empty() && (Word.hasLeadingSpace() || Word.isAtStartOfLine()))
        T.Words += ' ';
      T.Words += Lexer::getSpelling(Word, SM, Context.getLangOpts());
    }
    return T;
  }

  // A chunk of one loop is a struct of two values, of several loops it is an hsched_c_nest.
  void textsInC(FileID File, unsigned Begin, unsigned BeginEnd, unsigned Bound, unsigned BoundEnd) {
    const std::string Id = B.Code.Id, Chunk = "hsched_c" + Id, Number = std::to_string(Depth);
    std::string First = Chunk + ".hsched_first", Last = Chunk + ".hsched_last";
    if (B.D->Collapse > 1) {
      const std::string Cast = "(hsched_v" + Id + (Depth ? "_" + Number : "") + ")";
      First = Cast + "hsched_c_enter(&" + Chunk + ", " + Number + ", " + std::to_string(B.D->Collapse) + ")";
      Last = Cast + Chunk + ".hsched_last[" + Number + "]";
    }
    B.Head.push_back({SM.getComposedLoc(File, Begin), BeginEnd - Begin, First});
    B.Head.push_back({SM.getComposedLoc(File, Bound), BoundEnd - Bound, Last});
  }

  bool texts() {
    FileID File = SM.getFileID(For->getLParenLoc());
    Text First = textOf(Start->getSourceRange()), Last = textOf(Head.Bound->getSourceRange());
    L->Variable = Head.Variable->getNameAsString();
    L->Start = L->Declared ? textOf(SourceRange(For->getInit()->getBeginLoc(), Start->getEndLoc())).Words : First.Words;
    L->Bound = Last.Words;
    if (Head.Step)
      L->Step = textOf(Head.Step->getSourceRange()).Words;
    for (SourceLocation Part : {Start->getBeginLoc(), Head.Bound->getBeginLoc()})
      if (SM.getFileID(SM.getExpansionLoc(Part)) != File)
        return fail(Part, "the head of a taskloop's loop must be written out: it cannot come from a macro");
    // A macro covers more than one of them.
    if (First.End > Last.Begin || Last.End > SM.getFileOffset(For->getRParenLoc()))
      return fail(Start->getBeginLoc(),
                  "the head of a taskloop's loop must be written out: it cannot come from a macro");
    if (!Context.getLangOpts().CPlusPlus) {
      textsInC(File, First.Begin, First.End, Last.Begin, Last.End);
      return true;
    }
    auto replace = [&](const Text &T, const char *Member) {
      std::string Of = "hsched_c" + B.Code.Id;
      for (unsigned I = 0; I < Depth; ++I)
        Of += I == 0 ? ".hsched_inner" : ".hsched_now.hsched_inner";
      B.Head.push_back({SM.getComposedLoc(File, T.Begin), T.End - T.Begin, Of + Member});
    };
    replace(First, Depth ? ".hsched_enter()" : ".hsched_first");
    replace(Last, Depth ? ".hsched_now.hsched_last" : ".hsched_last");
    return true;
  }
};

} // namespace

std::string inWordsOf(const Directive &D, std::string Text) {
  if (D.Kind != DirectiveKind::For)
    return Text;
  for (auto [From, To] : {std::pair("'taskloop'", "'for'"), std::pair("a taskloop's loop", "the loop"),
                          std::pair("the taskloop's", "the"), std::pair("a taskloop", "the loop")})
    for (size_t At; (At = Text.find(From)) != std::string::npos;)
      Text.replace(At, std::strlen(From), To);
  return Text;
}

bool bindLoop(BindContext C, BoundInline &B, const InlinePlace &Place, LoopHead &Head) {
  return LoopBinder(C, B, Place, Head).run();
}

} // namespace hsched::cc
