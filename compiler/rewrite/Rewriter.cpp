// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Rewriter.h"

#include "analysis/Report.h"
#include "analysis/bind/Conditions.h"
#include "emit/CCode.h"
#include "emit/Code.h"
#include "rewrite/Declarations.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

using namespace clang;

namespace hsched::cc {
namespace {

class Rewriter {
public:
  Rewriter(Sema &S, const ProgramCode &P, Edits &Out)
      : Context(S.Context), PP(S.PP), SM(S.getSourceManager()), Diags(S.getDiagnostics()), P(P), Out(Out),
        C(!S.getLangOpts().CPlusPlus) {}

  void function(BoundFunction &F) {
    if (F.IsTask)
      task(F);
    else
      version(F);
  }

  void wait(const BoundWait &W) {
    Out.replace(W.D->Hash, lengthOf(*W.D), (C ? c::waitStatement(W.Code) : waitStatement(W.Code)) + newlinesOf(*W.D));
  }

  // A statement becomes the body of a task in place.
  void statement(const BoundInline &I) {
    Done.insert(I.D);
    if (C && Nests.insert(I.Function).second)
      Out.insert(SM.getExpansionLoc(I.Function->getBeginLoc()), "HSCHED_C_NESTS ");
    Out.replace(I.D->Hash, lengthOf(*I.D),
                (C ? c::inlineBegin(I.Code) : inlineBegin(I.Code)) + (I.Code.Loop ? "" : newlinesOf(*I.D)));
    for (const BoundInline::Replacement &R : I.Head)
      Out.replace(R.Begin, R.Length, R.Text);
    FileID File = SM.getFileID(I.End);
    std::set<SourceLocation> Replaced; // A macro may use its argument twice.
    for (const auto &[Loc, Name] : I.References)
      if (Replaced.insert(Loc).second)
        Out.replace(Loc, static_cast<unsigned>(Name.size()), c::derefCapture(Name));
    Out.insert(I.End, (C ? c::inlineEnd(I.Code) : inlineEnd(I.Code)) + "\n" + lineAt(File, offset(I.End)));
  }

  void group(const BoundGroup &G) {
    Done.insert(G.D);
    Out.insert(G.End, C ? " hsched_taskwait(0u); }" : " ::hsched_taskwait(0u); }");
    Out.replace(G.D->Hash, lengthOf(*G.D), "{ " + newlinesOf(*G.D));
  }

  void reduction(const BoundReduction &R) {
    std::string Text;
    for (const ReductionCode &Code : R.Code)
      Text += C ? c::reduction(Code) : reductionStruct(Code);
    Done.insert(R.D);
    Out.replace(R.D->Hash, lengthOf(*R.D), Text + newlinesOf(*R.D));
  }

  // A directive that is replaced by no text.
  void blank(const Directive &D) {
    if (Done.insert(&D).second)
      Out.replace(D.Hash, lengthOf(D), newlinesOf(D));
  }
  bool Failed = false;

private:
  ASTContext &Context;
  Preprocessor &PP;
  const SourceManager &SM;
  DiagnosticsEngine &Diags;
  const ProgramCode &P;
  Edits &Out;
  const bool C; // The program is one in C.
  std::set<const Directive *> Done;
  std::set<const FunctionDecl *> Nests; // In C: functions that contain nested ones.

  // A place in a file, and the range of a declaration's text there.
  struct Extent {
    FileID File;
    unsigned Begin, End;           // Range of the head: up to the body's brace, or to the end of a declaration.
    const Directive *At = nullptr; // The last directive on this declaration; inserted text replaces it.
  };

  unsigned offset(SourceLocation Loc) const { return SM.getDecomposedLoc(SM.getExpansionLoc(Loc)).second; }
  unsigned lengthOf(const Directive &D) const { return offset(D.End) - offset(D.Hash); }
  std::string newlinesOf(const Directive &D) const {
    llvm::StringRef Text = SM.getBufferData(SM.getFileID(D.Hash)).substr(offset(D.Hash), lengthOf(D));
    return std::string(static_cast<size_t>(std::count(Text.begin(), Text.end(), '\n')), '\n');
  }
  std::string fileName(FileID File) const {
    PresumedLoc Place = SM.getPresumedLoc(SM.getLocForStartOfFile(File));
    return Place.isValid() ? Place.getFilename() : "";
  }
  std::string lineAt(FileID File, unsigned Offset) const {
    PresumedLoc Place = SM.getPresumedLoc(SM.getComposedLoc(File, Offset));
    return lineDirective(Place.getLine(), Place.getFilename());
  }
  SourceLocation at(FileID File, unsigned Offset) const { return SM.getComposedLoc(File, Offset); }

  unsigned endOfToken(SourceLocation Loc) const {
    Loc = SM.getExpansionRange(Loc).getEnd();
    return offset(Loc) + Lexer::MeasureTokenLength(Loc, SM, Context.getLangOpts());
  }

  // Attributes may precede the beginning of a declaration that Clang reports.
  unsigned withAttributes(FileID File, unsigned Begin) const {
    llvm::StringRef Text = SM.getBufferData(File);
    Lexer Raw(SM.getLocForStartOfFile(File), Context.getLangOpts(), Text.begin(), Text.begin(), Text.end());
    Token T;
    // Start of the current run of attributes; a token that is not part of one ends the run.
    constexpr unsigned None = ~0u;
    unsigned Run = None;
    int Depth = 0;
    bool AfterWord = false;
    while (true) {
      bool Last = Raw.LexFromRawLexer(T);
      unsigned Here = SM.getFileOffset(T.getLocation());
      if (Last || Here >= Begin)
        break;
      bool Word =
          T.is(tok::raw_identifier) && (T.getRawIdentifier() == "__attribute__" || T.getRawIdentifier() == "alignas");
      if (Depth == 0) {
        if (Word || (T.is(tok::l_square) && !AfterWord && Text.substr(Here).drop_front().ltrim().starts_with("["))) {
          if (Run == None)
            Run = Here;
        } else if (!(AfterWord && T.is(tok::l_paren))) {
          Run = None;
        }
      }
      if (T.isOneOf(tok::l_square, tok::l_paren, tok::l_brace))
        Depth = Run != None ? Depth + 1 : 0;
      else if (T.isOneOf(tok::r_square, tok::r_paren, tok::r_brace) && Depth > 0)
        --Depth;
      AfterWord = Word;
    }
    return Run == None ? Begin : Run;
  }

  Extent extentOf(const BoundFunction &F, const FunctionDecl *FD) {
    Extent E;
    const Decl *Outer = FD;
    if (const FunctionTemplateDecl *T = FD->getDescribedFunctionTemplate())
      Outer = T;
    SourceLocation Begin = Outer->getBeginLoc();
    if (const auto *FDOuter = dyn_cast<FunctionDecl>(Outer))
      Begin = FDOuter->getOuterLocStart();
    if (const auto *L = dyn_cast<LinkageSpecDecl>(FD->getLexicalDeclContext()); L && !L->hasBraces())
      Begin = L->getBeginLoc();
    // A member template outside its class template.
    if (FD->getNumTemplateParameterLists() && !isa<FunctionDecl>(Outer))
      Begin = FD->getTemplateParameterList(0)->getTemplateLoc();
    Begin = SM.getExpansionLoc(Begin);
    E.File = SM.getFileID(Begin);
    E.Begin = offset(Begin);
    for (const Directive *D : F.Written)
      if (SM.getFileID(D->Hash) == E.File && offset(D->Hash) < offset(FD->getLocation()) &&
          (!E.At || offset(E.At->Hash) < offset(D->Hash)))
        if (directiveStandsOn(*D, FD))
          E.At = D;
    if (E.At) {
      llvm::StringRef Text = SM.getBufferData(E.File);
      E.Begin = offset(E.At->End);
      while (E.Begin < Text.size() && isspace(static_cast<unsigned char>(Text[E.Begin])))
        ++E.Begin;
    } else {
      E.Begin = withAttributes(E.File, E.Begin);
    }
    if (FD->doesThisDeclarationHaveABody())
      E.End = offset(bodyBegin(FD));
    else
      E.End = endOfToken(FD->getEndLoc());
    return E;
  }

  static SourceLocation bodyBegin(const FunctionDecl *FD) {
    // hasSkippedBody never holds here: only bodies of system headers are skipped.
    return FD->getBody()->getBeginLoc();
  }

  bool directiveStandsOn(const Directive &D, const FunctionDecl *FD) const {
    // No other declaration of the same function lies between.
    for (const FunctionDecl *R : FD->redecls())
      if (R != FD && SM.getFileID(SM.getExpansionLoc(R->getLocation())) == SM.getFileID(D.Hash) &&
          offset(R->getLocation()) > offset(D.Hash) && offset(R->getLocation()) < offset(FD->getLocation()))
        return false;
    return true;
  }

  // Edits inside a head; offsets are absolute in the file.
  using Changes = std::vector<Edits::Edit>;

  void dropDefaults(const FunctionDecl *FD, FileID File, Changes &C) {
    auto drop = [&](SourceLocation Name, SourceLocation Last) {
      if (Name.isInvalid() || Last.isInvalid() || Name.isMacroID())
        return;
      unsigned End = endOfToken(Last);
      llvm::StringRef Text = SM.getBufferData(File);
      Lexer Raw(SM.getLocForStartOfFile(File), Context.getLangOpts(), Text.begin(), Text.begin() + offset(Name),
                Text.end());
      Token T;
      while (!Raw.LexFromRawLexer(T) && SM.getFileOffset(T.getLocation()) < End)
        if (T.is(tok::equal)) {
          unsigned From = SM.getFileOffset(T.getLocation());
          C.push_back({From, endOfDefault(Raw, SM, From, End) - From, ""});
          return;
        }
    };
    for (const ParmVarDecl *Param : FD->parameters())
      if (Param->hasDefaultArg() && !Param->hasInheritedDefaultArg())
        drop(Param->getLocation(), Param->getDefaultArgRange().getEnd());
    const FunctionTemplateDecl *T = FD->getDescribedFunctionTemplate();
    if (!T)
      return;
    for (const NamedDecl *Param : *T->getTemplateParameters())
      if (const auto *Type = dyn_cast<TemplateTypeParmDecl>(Param)) {
        if (Type->hasDefaultArgument() && !Type->defaultArgumentWasInherited())
          drop(Type->getLocation(), Type->getDefaultArgument().getSourceRange().getEnd());
      } else if (const auto *Value = dyn_cast<NonTypeTemplateParmDecl>(Param)) {
        if (Value->hasDefaultArgument() && !Value->defaultArgumentWasInherited())
          drop(Value->getLocation(), Value->getDefaultArgument().getSourceRange().getEnd());
      } else if (const auto *Inner = dyn_cast<TemplateTemplateParmDecl>(Param)) {
        if (Inner->hasDefaultArgument() && !Inner->defaultArgumentWasInherited())
          drop(Inner->getLocation(), Inner->getDefaultArgument().getSourceRange().getEnd());
      }
  }

  void rename(const BoundFunction &F, const FunctionDecl *FD, Changes &C, bool Unqualified = false) {
    SourceLocation Begin = FD->getLocation();
    if (Unqualified && FD->getQualifierLoc())
      Begin = FD->getQualifierLoc().getBeginLoc();
    C.push_back({offset(Begin), endOfToken(FD->getLocation()) - offset(Begin), F.Task.BodyName});
    // The body of an explicit specialization is a separate function: no template has its name.
    if (FD->getTemplateSpecializationKind() != TSK_ExplicitSpecialization)
      return;
    for (unsigned I = 0; I < FD->getNumTemplateParameterLists(); ++I) {
      const TemplateParameterList *Head = FD->getTemplateParameterList(I);
      C.push_back(
          {offset(Head->getTemplateLoc()), endOfToken(Head->getRAngleLoc()) - offset(Head->getTemplateLoc()), ""});
    }
    if (const ASTTemplateArgumentListInfo *Args = FD->getTemplateSpecializationArgsAsWritten();
        Args && Args->getLAngleLoc().isValid())
      C.push_back({offset(Args->getLAngleLoc()), endOfToken(Args->getRAngleLoc()) - offset(Args->getLAngleLoc()), ""});
  }

  // The body's function has a different name, but __func__ must be the user's. Not in lambdas, which have their own,
  // and not where it comes from a macro.
  void keepName(const FunctionDecl *FD, const Stmt *S) {
    if (!S || isa<LambdaExpr>(S))
      return;
    if (const auto *E = dyn_cast<PredefinedExpr>(S))
      if ((E->getIdentKind() == PredefinedIdentKind::Func || E->getIdentKind() == PredefinedIdentKind::Function) &&
          !E->getLocation().isMacroID())
        Out.replace(E->getLocation(), endOfToken(E->getLocation()) - offset(E->getLocation()),
                    quoted(FD->getNameAsString()));
    for (const Stmt *Child : S->children())
      keepName(FD, Child);
  }

  // Clauses and arguments use the template parameter names of the declaration with the directive.
  bool sameTemplateNames(const BoundFunction &F, const FunctionDecl *FD) {
    const FunctionTemplateDecl *T = FD->getDescribedFunctionTemplate();
    if (!F.Template || !T || T == F.Template)
      return true;
    const TemplateParameterList *Here = T->getTemplateParameters(), *There = F.Template->getTemplateParameters();
    for (unsigned I = 0; I < Here->size() && I < There->size(); ++I)
      if (Here->getParam(I)->getName() != There->getParam(I)->getName()) {
        error(Diags, Here->getParam(I)->getLocation(),
              "this template parameter is called '%0' at the directive: call it so here",
              There->getParam(I)->getNameAsString());
        note(Diags, There->getParam(I)->getLocation(), "the directive's declaration is here");
        Failed = true;
        return false;
      }
    return true;
  }

  // Specifiers that only the function under its own name can have: virtual, override, final.
  void dropVirtual(const FunctionDecl *FD, const Extent &E, Changes &C) {
    const auto *M = dyn_cast<CXXMethodDecl>(FD);
    if (!M || !M->isVirtual())
      return;
    llvm::StringRef Text = SM.getBufferData(E.File);
    Lexer Raw(SM.getLocForStartOfFile(E.File), Context.getLangOpts(), Text.begin(), Text.begin() + E.Begin, Text.end());
    unsigned Name = offset(FD->getLocation());
    int Depth = 0;
    Token T;
    while (!Raw.LexFromRawLexer(T) && SM.getFileOffset(T.getLocation()) < E.End) {
      Depth += T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace);
      Depth -= T.isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
      if (Depth || !T.is(tok::raw_identifier))
        continue;
      unsigned Here = SM.getFileOffset(T.getLocation());
      llvm::StringRef Word = T.getRawIdentifier();
      if (Here < Name ? Word == "virtual" : Word == "override" || Word == "final")
        C.push_back({Here, T.getLength(), ""});
    }
  }

  // g++ warns of 'noinline' on an inline function that is declared before its definition, as the body is.
  enum class Quiet {
    Already,
    Dropped, // Inline and noinline are removed from the declaration: the definition has both.
    Hushed   // Noinline, possibly in a macro, stays; the definition's warning has to be disabled.
  };
  Quiet dropNoInline(const FunctionDecl *FD, const Extent &E, Changes &C) {
    if (!FD->doesThisDeclarationHaveABody() || (!FD->isInlineSpecified() && !FD->isConstexpr()))
      return Quiet::Already;
    llvm::StringRef Text = SM.getBufferData(E.File);
    bool Any = false, Hush = FD->isConstexpr();
    for (const auto *A : FD->specific_attrs<NoInlineAttr>()) {
      if (A->isInherited())
        continue;
      Any = true;
      if (A->getRange().getBegin().isMacroID() || A->getRange().getEnd().isMacroID() ||
          SM.getFileID(A->getLocation()) != E.File) {
        Hush = true;
        continue;
      }
      unsigned Begin = offset(A->getRange().getBegin());
      C.push_back({Begin, endOfToken(A->getRange().getEnd()) - Begin, ""});
    }
    if (!Any)
      return Quiet::Already;
    Lexer Raw(SM.getLocForStartOfFile(E.File), Context.getLangOpts(), Text.begin(), Text.begin() + E.Begin, Text.end());
    Token T;
    Changes Inline;
    while (!Raw.LexFromRawLexer(T) && SM.getFileOffset(T.getLocation()) < offset(FD->getLocation()))
      if (T.is(tok::raw_identifier) && llvm::is_contained({"inline", "__inline", "__inline__"}, T.getRawIdentifier()))
        Inline.push_back({SM.getFileOffset(T.getLocation()), T.getLength(), ""});
    if (Hush || Inline.empty())
      return Quiet::Hushed;
    C.insert(C.end(), Inline.begin(), Inline.end());
    return Quiet::Dropped;
  }

  // Text with another attribute that neutralises noinline in macros.
  std::string withoutNoInline(const FunctionDecl *FD, const std::string &Text) const {
    std::string Before = "#if defined(__GNUC__) && !defined(__clang__)\n", After = Before;
    for (llvm::StringRef Word : {"noinline", "__noinline__"}) {
      const bool Macro = static_cast<bool>(PP.getMacroDefinitionAtLoc(PP.getIdentifierInfo(Word), FD->getLocation()));
      const std::string Quoted = "(\"" + Word.str() + "\")\n";
      Before += "#pragma push_macro" + Quoted;
      Before += "#undef " + Word.str() + "\n";
      Before += "#define " + Word.str() + (Macro ? " __attribute__((__unused__))\n" : " __unused__\n");
      After += "#pragma pop_macro" + Quoted;
    }
    return Before + "#endif\n" + Text + After + "#endif\n";
  }

  // Pragmas around the head of a definition.
  std::string hush(const FunctionDecl *FD) {
    const Stmt *Body = FD->getBody();
    if (const auto *Try = dyn_cast<CXXTryStmt>(Body))
      Body = Try->getTryBlock();
    Out.insert(SM.getExpansionLoc(Body->getBeginLoc()).getLocWithOffset(1), " _Pragma(\"GCC diagnostic pop\") ");
    const std::string Pragma = "#pragma GCC ";
    std::string Text = Pragma + "diagnostic push\n";
    Text += Pragma + "diagnostic ignored \"-Wattributes\"\n";
    return Text;
  }

  // Clauses use the parameter names of the declaration with the directive.
  void nameParameters(const BoundFunction &F, const FunctionDecl *FD, Changes &C) {
    for (unsigned I = 0; I < FD->getNumParams(); ++I) {
      const ParmVarDecl *Param = FD->getParamDecl(I);
      const std::string &Name = F.Task.Params[I].Name;
      if (Param->getName() == Name)
        continue;
      if (Param->getLocation().isMacroID()) {
        error(Diags, Param->getLocation(), "this parameter is called '%0' at the directive: call it so here", Name);
        Failed = true;
        continue;
      }
      unsigned Begin = offset(Param->getLocation());
      if (Param->getName().empty())
        C.push_back({Begin, 0, " " + Name});
      else
        C.push_back({Begin, endOfToken(Param->getLocation()) - Begin, Name});
    }
  }

  // The text of a head with changes applied.
  std::string copy(const Extent &E, Changes C) const {
    std::stable_sort(C.begin(), C.end(), [](const auto &A, const auto &B) { return A.Offset < B.Offset; });
    llvm::StringRef Text = SM.getBufferData(E.File);
    std::string Result;
    unsigned At = E.Begin;
    for (const Edits::Edit &Change : C) {
      if (Change.Offset < E.Begin || Change.Offset > E.End)
        continue;
      Result += Text.slice(At, Change.Offset);
      Result += Change.Text;
      At = Change.Offset + Change.Length;
    }
    return withoutConditions(Result + Text.slice(At, E.End).str(), Context.getLangOpts());
  }

  // Inserts Text before the declaration at E, on separate lines.
  void before(const Extent &E, const std::string &Text) {
    if (!E.At) {
      Out.insert(at(E.File, E.Begin), "\n" + Text + lineAt(E.File, E.Begin));
      return;
    }
    Done.insert(E.At);
    unsigned Next = offset(E.At->End);
    PresumedLoc Place = SM.getPresumedLoc(E.At->End);
    std::string Line = lineDirective(Place.getLine() + 1, Place.getFilename());
    Line.pop_back(); // The directive's own line end follows.
    Out.replace(E.At->Hash, Next - offset(E.At->Hash), "\n" + Text + Line);
  }

  bool writtenOut(const FunctionDecl *FD) {
    bool Good =
        !FD->getLocation().isMacroID() && (!FD->doesThisDeclarationHaveABody() ||
                                           (!bodyBegin(FD).isMacroID() && !FD->getBody()->getEndLoc().isMacroID()));
    if (!Good) {
      error(Diags, FD->getLocation(),
            "'%0' is a task or a version, so that its name and braces must be written out: they "
            "cannot come from a macro",
            FD->getNameAsString());
      Failed = true;
    }
    return Good;
  }

  void task(BoundFunction &F) {
    const FunctionDecl *Declared = F.Annotated, *Defined = F.Definition;
    if (F.D.Kernel) {
      kernelTask(F);
      return;
    }
    if (!writtenOut(Declared) || (Defined && !writtenOut(Defined))) // The definition may be elsewhere in this unit.
      return;
    if (!C)
      befriend(*Declared, F.Task.BodyName, SM, Context.getLangOpts(), Out);
    bool Early = F.Template || F.InClass; // The struct must be visible to every user of the name.
    std::string Hush;
    auto declaration = [&](const FunctionDecl *FD, const Extent &E) {
      if (C && !FD->hasWrittenPrototype() && FD->getNumParams()) // A definition without prototype (K&R C).
        return std::string(FD->isExternallyVisible() ? "" : "static ") +
               FD->getReturnType().getAsString(PrintingPolicy(Context.getLangOpts())) + " " + F.Task.BodyName + "();\n";
      Changes C;
      rename(F, FD, C, !F.InClass);
      dropDefaults(FD, E.File, C);
      dropVirtual(FD, E, C);
      const Quiet How = dropNoInline(FD, E, C);
      std::string Text = copy(E, C);
      while (!Text.empty() && isspace(static_cast<unsigned char>(Text.back())))
        Text.pop_back();
      // The text may end with a comment or an #endif.
      bool OwnLine = Text.find_first_of("/#") != std::string::npos;
      Text += OwnLine ? "\n;\n" : ";\n";
      if (How != Quiet::Hushed)
        return Text;
      Hush = hush(FD);
      return withoutNoInline(FD, Text);
    };
    auto structs = [&](const FunctionDecl *FD, const Extent &E) {
      // Within a class the body's own definition suffices as a declaration, at any position.
      std::string Text = F.InClass && FD->doesThisDeclarationHaveABody() ? "" : declaration(FD, E);
      if (F.InClass)
        Text += friendship(P);
      TaskCode T = F.Task;
      T.TemplateHead = templateHead(F, FD);
      return withinNamespaces(FD, Text + (C ? c::task(T) : taskStruct(T)));
    };
    if (Early) {
      Extent E = extentOf(F, Declared);
      if (Declared != Defined)
        before(E, structs(Declared, E));
    }
    if (!Defined || !sameTemplateNames(F, Defined))
      return;
    Extent E = extentOf(F, Defined);
    std::string Text = Early && Declared != Defined ? "" : structs(Defined, E);
    Changes Named;
    nameParameters(F, Defined, Named);
    Text += lineAt(E.File, E.Begin) + copy(E, Named) + (C ? c::wrapperBody(F.Task) : wrapperBody(F.Task)) + Hush;
    before(E, Text);
    Changes Original;
    rename(F, Defined, Original);
    dropDefaults(Defined, E.File, Original);
    dropVirtual(Defined, E, Original);
    keepName(Defined, Defined->getBody());
    for (const Edits::Edit &Change : Original)
      Out.replace(at(E.File, Change.Offset), Change.Length, Change.Text);
  }

  std::string templateHead(const BoundFunction &F, const FunctionDecl *FD) const {
    if (!F.Template)
      return "";
    const FunctionTemplateDecl *T = FD->getDescribedFunctionTemplate();
    const TemplateParameterList *List = T->getTemplateParameters();
    Extent E;
    E.File = SM.getFileID(SM.getExpansionLoc(List->getTemplateLoc()));
    E.Begin = offset(List->getTemplateLoc());
    E.End = endOfToken(List->getRAngleLoc());
    Changes C;
    const_cast<Rewriter *>(this)->dropDefaults(FD, E.File, C);
    return copy(E, C);
  }

  // A main version that is a kernel: the declaration gets a body that submits the task.
  void kernelTask(BoundFunction &F) {
    const FunctionDecl *FD = F.Annotated;
    if (!writtenOut(FD))
      return;
    Extent E = extentOf(F, FD);
    TaskCode T = F.Task;
    T.TemplateHead = templateHead(F, FD);
    std::string Text = F.InClass ? friendship(P) : "";
    if (!F.InClass && !FD->getQualifierLoc()) { // Declares the definition first, for -Wmissing-declarations.
      Changes Plain;
      dropDefaults(FD, E.File, Plain);
      Text += copy(E, Plain) + "\n;\n";
    }
    before(E, Text + (C ? c::task(T) : taskStruct(T)));
    if (!F.Template && !F.InClass && FD->isExternallyVisible() && !FD->isInlined())
      Out.insert(SM.getExpansionLoc(FD->getBeginLoc()), "__attribute__((weak)) ");
    Changes Named;
    nameParameters(F, FD, Named);
    for (const Edits::Edit &Change : Named)
      Out.replace(at(E.File, Change.Offset), Change.Length, Change.Text);
    std::optional<Token> Next = Lexer::findNextToken(FD->getEndLoc(), SM, Context.getLangOpts());
    if (!Next || !Next->is(tok::semi)) {
      error(Diags, FD->getLocation(), "the declaration of kernel '%0' must end with ';' of its own",
            FD->getNameAsString());
      Failed = true;
      return;
    }
    unsigned Semi = offset(Next->getLocation());
    Out.replace(at(E.File, Semi), 1, "\n" + (C ? c::wrapperBody(F.Task) : wrapperBody(F.Task)) + lineAt(E.File, Semi));
  }

  void version(BoundFunction &F) {
    const FunctionDecl *FD = F.Annotated;
    if (!F.Version.Defined)
      return;
    VersionCode V = F.Version;
    V.TemplateHead = templateHead(F, F.Template && F.Definition ? F.Definition : FD);
    if (F.D.Kernel || F.InClass) {
      if (!writtenOut(FD))
        return;
      before(extentOf(F, FD), (F.InClass ? friendship(P) : "") + (C ? c::version(V) : versionStruct(V)));
      return;
    }
    // After the body, where the function has been declared.
    FD = F.Definition;
    if (!writtenOut(FD))
      return;
    SourceLocation End = SM.getExpansionLoc(FD->getBody()->getEndLoc());
    unsigned Behind = offset(End) + 1;
    FileID File = SM.getFileID(End);
    Out.insert(at(File, Behind),
               "\n" + withinNamespaces(FD, C ? c::version(V) : versionStruct(V)) + lineAt(File, Behind));
  }
};

} // namespace

bool rewrite(Sema &S, Binding &B, const std::vector<Directive> &Directives, const ProgramCode &P, Edits &Out) {
  Rewriter R(S, P, Out);
  for (BoundFunction &F : B.Functions) {
    R.function(F);
    if (F.InClass)
      befriendAround(*F.Annotated, friendship(P), S.getSourceManager(), Out);
  }
  for (const BoundReduction &Each : B.Reductions)
    R.reduction(Each);
  for (const BoundWait &W : B.Waits)
    R.wait(W);
  // If two end at the same place, the inner one ends first: its directive is the later one.
  std::map<const Directive *, std::function<void()>, std::greater<>> Inside;
  for (const BoundGroup &G : B.Groups)
    Inside[G.D] = [&] { R.group(G); };
  for (const BoundInline &I : B.Inlines)
    Inside[I.D] = [&] { R.statement(I); };
  for (const auto &[D, Edit] : Inside)
    Edit();
  for (const Directive &D : Directives)
    if (D.Kind != DirectiveKind::Taskwait)
      R.blank(D);
  return !R.Failed;
}

} // namespace hsched::cc
