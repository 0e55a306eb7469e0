// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/bind/Bind.h"

#include "analysis/Functions.h"
#include "analysis/bind/Conditions.h"
#include "analysis/bind/Internal.h"
#include "analysis/infer/Expressions.h"
#include "analysis/infer/Infer.h"
#include "analysis/inline/InC.h"
#include "analysis/inline/Sizes.h"
#include "hsched/abi.h"

#include "clang/Lex/Lexer.h"

using namespace clang;

namespace hsched::cc {
namespace {

class Binder : public BindContext {
public:
  Binder(const BindContext &C) : BindContext(C), Places(Context) {}

  void run(const std::vector<Directive> &Directives) {
    Out.UnitId = hashed(Options.MainFile + "\n" + Options.Salt);
    for (const Directive &D : Directives) {
      Out.Failed |= D.Bad;
      if (!D.Known || (D.Bad && (D.Kind == DirectiveKind::Taskwait || D.Kind == DirectiveKind::Declare)))
        continue;
      if (D.Kind == DirectiveKind::Taskwait)
        bindWait(D);
      else if (D.Kind == DirectiveKind::Declare)
        bindReduction(*this, D);
      else
        attach(D);
    }
    // A function with an error is skipped by later steps, so that each mistake is reported once, and all are reported.
    for (BoundFunction &F : Out.Functions)
      if (!F.Bad && completeDirective(*this, F) && checkFunction(*this, F))
        fillIdentity(S, F, Options.MainFile, Out.UnitId);
      else
        F.Bad = Out.Failed = true;
    for (BoundFunction &F : Out.Functions)
      if (!F.Bad)
        bindClauses(*this, F);
    Inference Infer(*this);
    for (BoundFunction &F : Out.Functions)
      if (!F.Bad && F.IsTask && !F.D.Kernel)
        Infer.inferTask(F);
    for (BoundInline &B : Out.Inlines)
      if (!B.Bad && !(B.Code.Loop && B.Code.Loop->Shared)) {
        Infer.inferStatement(B);
        Out.Failed |= B.Bad;
      }
    for (BoundFunction &F : Out.Functions)
      if (!F.Bad && !F.IsTask)
        bindVersion(*this, F);
    for (BoundFunction &F : Out.Functions)
      if (!F.Bad && !F.IsTask && !F.D.Kernel && F.Main && !F.Main->Bad)
        Infer.checkVersion(F);
    KernelBinder Kernels(S, Options, Out, Infer);
    for (BoundFunction &F : Out.Functions)
      if (!F.Bad && F.D.Kernel && (F.IsTask || (F.Main && !F.Main->Bad)))
        Kernels.bind(F, F.IsTask ? F : *F.Main);
    Infer.finish();
    // Devices have no containers, only elements.
    llvm::SmallPtrSet<const BoundFunction *, 8> Away;
    for (const BoundFunction &F : Out.Functions)
      if (llvm::any_of(F.D.Devices, [](const DeviceChoice &C) { return C.Kind != HSCHED_DEVICE_CPU; }))
        Away.insert(F.IsTask ? &F : F.Main);
    for (BoundFunction &F : Out.Functions)
      for (std::vector<AccessCode> *List : {&F.Task.Accesses, &F.Version.Sections})
        for (AccessCode &A : *List)
          A.What.Owner &= A.What.F != Section::Form::Whole || !Away.contains(F.IsTask ? &F : F.Main);
    for (BoundFunction &F : Out.Functions) // After the accesses of kernel tasks are known as well.
      if (!F.Bad && !F.D.Kernel && (F.IsTask || F.Main))
        Out.Failed |= !bindPacked(Diags, F, F.IsTask ? F : *F.Main, nullptr);
    for (const BoundFunction &F : Out.Functions) // If no body proves the length.
      for (const DataClause &Data : F.D.Data)
        for (const Section &Sec : Data.Sections)
          if (!F.Bad && !Infer.touchesExactly(Sec))
            noteOmpSsBounds(*this, Sec);
    for (const BoundInline &B : Out.Inlines)
      for (const DataClause &Data : B.D->Data)
        for (const Section &Sec : Data.Sections)
          if (!B.Bad && !Infer.touchesExactly(Sec))
            noteOmpSsBounds(*this, Sec);
    if (!Context.getLangOpts().CPlusPlus)
      nestInC(*this, Out);
  }

private:
  Sites Places;

  // True if only directives, comments, attributes and macro names are between the directive and the declaration.
  bool adjacent(const Directive &D, SourceLocation Begin) {
    auto [File, From] = SM.getDecomposedLoc(D.End);
    unsigned To = SM.getDecomposedLoc(Begin).second;
    const std::string Text =
        withoutConditions(SM.getBufferData(File).slice(From, To).str(), Context.getLangOpts(), /*Whole=*/true);
    Lexer Raw(SourceLocation(), Context.getLangOpts(), Text.data(), Text.data(), Text.data() + Text.size());
    Token T;
    int Depth = 0;
    bool InDirective = false;
    while (!Raw.LexFromRawLexer(T)) {
      if (T.isAtStartOfLine())
        InDirective = T.is(tok::hash);
      if (InDirective)
        continue;
      if (T.isOneOf(tok::l_paren, tok::l_square))
        ++Depth;
      else if (T.isOneOf(tok::r_paren, tok::r_square))
        --Depth;
      else if (Depth == 0 && T.isOneOf(tok::semi, tok::l_brace, tok::r_brace, tok::equal))
        return false;
    }
    return true;
  }

  unsigned offset(SourceLocation Loc) const { return SM.getDecomposedLoc(SM.getExpansionLoc(Loc)).second; }

  void attach(const Directive &D) {
    const char *Name = spelling(D.Kind);
    if (SM.isInSystemHeader(D.Hash)) {
      fail(D.Loc,
           "'%0' in a system header, which is not compiled for hsched: leave '#pragma GCC "
           "system_header' out of it",
           Name);
      return;
    }
    bool Inline = D.Kind == DirectiveKind::Task || D.Kind == DirectiveKind::Taskgroup || D.isLoop();
    if (const FunctionDecl *Around = Places.around(D.Hash)) {
      if (offset(D.Hash) < offset(Around->getBody()->getBeginLoc())) {
        fail(D.Loc, "'%0' is inside the declaration of '%1': put it before the declaration", Name,
             Around->getNameAsString());
        return;
      }
      if (refuseInEnqueuer(Around, D.Loc, Name))
        return;
      if (D.Kind == DirectiveKind::Taskgroup)
        bindGroup(D, Around);
      else if (Inline)
        bindInline(*this, D, Around);
      else
        fail(D.Loc, "'%0' inside the body of '%1': it belongs to a function; only 'task' applies to a statement", Name,
             Around->getNameAsString());
      return;
    }
    if (D.isLoop() || D.Kind == DirectiveKind::Taskgroup) {
      fail(D.Loc, "'%0' must precede a %1 inside a function", Name, D.isLoop() ? "for loop" : "block");
      return;
    }
    const Site *At = Places.after(D.End);
    if (!At || !adjacent(D, At->Begin)) {
      fail(D.Loc, "'%0' must be followed by a function", Name);
      return;
    }
    const FunctionDecl *F = At->Function;
    if (!F) {
      fail(D.Loc, "'%0' must be followed by a function, but this is not one", Name);
      note(Diags, At->D->getBeginLoc(), "this follows");
      return;
    }
    BoundFunction *&B = ByFunction[F->getCanonicalDecl()];
    if (!B) {
      B = &Out.Functions.emplace_back();
      B->Annotated = F;
      B->Template = At->Template;
      B->D = D;
      B->Bad = D.Bad;
      B->IsTask = D.Kind == DirectiveKind::Task;
      B->Written.push_back(&D);
      return;
    }
    B->Bad |= D.Bad;
    if (B->Annotated == F) {
      merge(*B, D);
      B->Written.push_back(&D);
      return;
    }
    // Repeated on another declaration: it must be the same.
    std::string First, Again;
    llvm::raw_string_ostream FirstStream(First), AgainStream(Again);
    print(FirstStream, *B->Written.front());
    print(AgainStream, D);
    if (First != Again) {
      fail(D.Loc, "this says something else about '%0' than an earlier declaration", F->getNameAsString());
      note(Diags, B->Written.front()->Loc, "the earlier directive is here; one declaration is enough");
    }
    B->Written.push_back(&D);
  }

  // F is a version with a body for a device. The device's manager runs it, and cannot wait for tasks.
  bool refuseInEnqueuer(const FunctionDecl *F, SourceLocation Loc, const char *Name) {
    auto At = ByFunction.find(F->getCanonicalDecl());
    if (At == ByFunction.end() || At->second->D.Kernel)
      return false;
    for (const DeviceChoice &C : At->second->D.Devices)
      if (C.Kind != HSCHED_DEVICE_CPU) {
        fail(Loc, "'%0' in a version for '%1': its body enqueues work on the device, and leaves tasks to the host",
             Name, C.Text);
        return true;
      }
    return false;
  }

  void merge(BoundFunction &B, const Directive &D) {
    Directive &M = B.D;
    if (D.Kind != DirectiveKind::Device) {
      if (M.Kind != DirectiveKind::Device) {
        fail(D.Loc, "a second '%0' for one function", spelling(D.Kind));
        note(Diags, M.Loc, "the first directive is here");
        return;
      }
      M.Kind = D.Kind;
      M.Loc = D.Loc;
    }
    if (!D.Implements.empty()) {
      M.Implements = D.Implements;
      M.ImplementsLoc = D.ImplementsLoc;
    }
    M.Data.insert(M.Data.end(), D.Data.begin(), D.Data.end());
    M.Variables.insert(M.Variables.end(), D.Variables.begin(), D.Variables.end());
    M.Devices.insert(M.Devices.end(), D.Devices.begin(), D.Devices.end());
    M.Packed.insert(M.Packed.end(), D.Packed.begin(), D.Packed.end());
    auto once = [&](auto &To, const auto &From, const char *Clause) {
      if (!From)
        return;
      if (To)
        fail(D.Loc, "clause '%0' is given twice for one function", Clause);
      To = From;
    };
    once(M.Priority, D.Priority, "priority");
    once(M.Label, D.Label, "label");
    once(M.If, D.If, "if");
    once(M.Final, D.Final, "final");
    once(M.Cost, D.Cost, "cost");
    once(M.Where, D.Where, "where");
    once(M.Kernel, D.Kernel, "kernel");
    once(M.Range, D.Range, "ndrange");
    once(M.Args, D.Args, "args");
    once(M.Options, D.Options, "options");
    if (D.Args)
      M.ArgsLoc = D.ArgsLoc;
  }

  // Binds a block whose end waits for its tasks.
  void bindGroup(const Directive &D, const FunctionDecl *Function) {
    const Stmt *Block = inlinePlaceOf(Context, Function, D.End).Target;
    const SourceLocation End = Block ? endOfStatement(Context, Block) : SourceLocation();
    if (End.isInvalid() || isa<DeclStmt>(Block)) {
      fail(D.Loc, "'taskgroup' must be followed by a block, whose tasks are waited for at its end");
      return;
    }
    Out.Groups.push_back({&D, End});
  }

  void bindWait(const Directive &D) {
    const FunctionDecl *F = Places.around(D.Hash);
    StatementPlace Place;
    if (F)
      Place = placeOf(Context, F, D.Hash);
    if (!Place.Valid) {
      fail(D.Loc, "'taskwait' must be directly inside a block: after 'if', 'for' and the like put braces around it");
      return;
    }
    if (refuseInEnqueuer(F, D.Loc, "taskwait"))
      return;
    BoundWait W;
    W.D = &D;
    if (PresumedLoc Where = SM.getPresumedLoc(D.Loc); Where.isValid()) {
      W.Code.File = Where.getFilename();
      W.Code.Line = Where.getLine();
    }
    W.Code.NoFlush = D.NoFlush;
    W.Code.HasOn = D.On.has_value();
    if (D.On) {
      for (const Section &Sec : *D.On) {
        noteOmpSsBounds(*this, Sec);
        std::vector<NameUse> Names;
        for (const Expr *E : Sec.expressions())
          Names.insert(Names.end(), E->Names.begin(), E->Names.end());
        const VarDecl *Base = nullptr;
        for (const NameUse &N : Names) {
          bool Known = Place.Names.count(N.Name) != 0 || Sec.generates(N.Name);
          for (const VarDecl *V : Place.Locals)
            if (V->getName() == N.Name) {
              Known = true;
              if (N.Name == Sec.BaseName)
                Base = V;
            }
          if (const FunctionTemplateDecl *T = F->getDescribedFunctionTemplate())
            for (const NamedDecl *P : *T->getTemplateParameters())
              Known |= P->getName() == N.Name;
          if (!Known && !visibleFrom(S, F->getDeclContext(), N.Name, N.Loc))
            fail(N.Loc, "unknown name '%0' in clause 'on'", N.Name);
        }
        if (Base) {
          // A local object is named itself: a reference would be, too.
          QualType T = Base->getType();
          if (!T->isReferenceType())
            T = Context.getLValueReferenceType(T);
          if (std::string Problem = sectionProblem(Context, Sec, T, "n"); !Problem.empty())
            fail(Sec.Loc, "%0", Problem);
        }
      }
      W.Code.On = *D.On;
      for (Section &Sec : W.Code.On) {
        Sec.Owner = mayOwn(Context, Sec, QualType());
        if (llvm::any_of(Place.Locals, [&](const VarDecl *V) {
              return hasRunTimeSize(V->getType()) &&
                     llvm::any_of(Sec.Base.Names, [&](const NameUse &N) { return V->getName() == N.Name; });
            })) {
          const Names Called(S, *F, D.End, nullptr);
          measureRows(Context, Expressions(S, Called, *F, *F).typeOf(Sec.Base.Text, Sec), Sec);
        }
      }
    }
    Out.Waits.push_back(std::move(W));
  }
};

} // namespace

Binding bind(Sema &S, const std::vector<Directive> &Directives, const BindOptions &Options) {
  Binding Out;
  Out.Directives = &Directives;
  std::map<const FunctionDecl *, BoundFunction *> ByFunction;
  Binder({S, S.Context, S.getDiagnostics(), S.getSourceManager(), Options, Out, ByFunction}).run(Directives);
  return Out;
}

} // namespace hsched::cc
