// The front end: Clang parses, directives are bound, source is edited.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Frontend.h"

#include "analysis/AstVisitor.h"
#include "analysis/bind/Bind.h"
#include "analysis/lower/Standard.h"
#include "emit/CCode.h"
#include "emit/Code.h"
#include "emit/Metadata.h"
#include "parse/DirectiveParser.h"
#include "rewrite/Edits.h"
#include "rewrite/NeededBodies.h"
#include "rewrite/Rewriter.h"
#include "rewrite/UnitOf.h"

#include "clang/Basic/DiagnosticSema.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Initialization.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <set>

using namespace clang;

namespace hsched::cc {
namespace {

// True for an error about what GCC accepts, if Clang's tree is complete nevertheless. An attribute with other arguments
// is dropped. What initialises an array of variable length, or a pointer or reference to one, stays in a RecoveryExpr.
bool acceptedByGcc(const Diagnostic &Info) {
  switch (Info.getID()) {
  case diag::err_attribute_wrong_number_arguments:
  case diag::err_attribute_too_many_arguments:
  case diag::err_variable_object_no_init:
  case diag::err_typecheck_pointer_arith_void_type:
    return true;
  case diag::err_init_conversion_failed:
    if (Info.getArgKind(0) != DiagnosticsEngine::ak_sint || Info.getArgSInt(0) != InitializedEntity::EK_Variable)
      return false;
    [[fallthrough]];
  case diag::err_lvalue_reference_bind_to_unrelated:
  case diag::err_typecheck_convert_incompatible_pointer:
  case diag::err_typecheck_comparison_of_distinct_pointers:
  case diag::err_typecheck_sub_ptr_compatible:
    for (unsigned I = 0; I != Info.getNumArgs(); ++I)
      if (Info.getArgKind(I) == DiagnosticsEngine::ak_qualtype &&
          !QualType::getFromOpaquePtr(reinterpret_cast<void *>(Info.getRawArg(I)))->isVariablyModifiedType())
        return false;
    return true;
  default:
    return false;
  }
}

// Passes on errors, and only hsched's own warnings: the host compiler reports the others. Messages come in the order of
// the source, though binding visits it several times.
class OwnDiagnostics final : public DiagnosticConsumer {
public:
  // ForHost: the host compiler accepts the input, so that errors of Clang are only noted.
  OwnDiagnostics(DiagnosticOptions *Options, bool Color, const WarningLevels &Levels, bool ForHost)
      : Levels(Levels), ForHost(ForHost), Stream(Text), Printer(Stream, Options) {
    Stream.enable_colors(Color);
  }

  void BeginSourceFile(const LangOptions &Lang, const Preprocessor *PP) override { Printer.BeginSourceFile(Lang, PP); }
  void EndSourceFile() override { Printer.EndSourceFile(); }
  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    if (Level != DiagnosticsEngine::Note) {
      bool Ours = Info.getID() >= diag::DIAG_UPPER_LIMIT;
      Named = Ours && Level == DiagnosticsEngine::Warning ? findWarning(Info.getDiags()->getFlagValue()) : nullptr;
      WarningLevel Wanted = Named ? Levels.of(Named->Which) : WarningLevel::On;
      Passing = Level >= DiagnosticsEngine::Error || (Ours && Wanted != WarningLevel::Off);
      if (Level >= DiagnosticsEngine::Error && acceptedByGcc(Info)) {
        Passing = false;
      } else if (Level == DiagnosticsEngine::Error && ForHost && !Ours) {
        Passing = false;
        note(Info);
      }
      if (Wanted == WarningLevel::Error)
        Level = DiagnosticsEngine::Error;
      else
        Named = nullptr;
      ClangErrors |= Passing && !Ours;
      OwnErrors |= Ours && Level >= DiagnosticsEngine::Error;
      if (Passing)
        Groups.push_back({Info.hasSourceManager() && Info.getLocation().isValid()
                              ? Info.getSourceManager().getExpansionLoc(Info.getLocation()).getRawEncoding()
                              : 0,
                          ""});
    }
    if (!Passing || Groups.empty())
      return;
    DiagnosticConsumer::HandleDiagnostic(Level, Info); // Counts the errors.
    Printer.HandleDiagnostic(Level, Info);
    Stream.flush();
    if (Named && Level == DiagnosticsEngine::Error)
      if (size_t At = Text.rfind(suffixOf(Named->Which), Text.find('\n')); At != std::string::npos)
        Text.insert(At + 1, "-Werror,");
    Groups.back().second += Text;
    Text.clear();
  }

  // The errors that were only noted: what was converted to another type, with all operands in the tree, and others.
  const std::vector<SourceLocation> &conversions() const { return Conversions; }
  const std::vector<SourceLocation> &missing() const { return Missing; }
  // Tells whether Clang instantiates a template.
  std::function<bool()> Instantiates;

  // Whether the program itself has errors: its tree is not reliable then.
  bool clangErrors() const { return ClangErrors; }
  // Whether a directive has an error, even if it was dropped.
  bool ownErrors() const { return OwnErrors; }
  // Whether anything was reported as an error. The engine counts others: errors of Clang alone, no promoted warnings.
  bool failed() const { return getNumErrors() != 0; }

  // Said without the lines of source: Clang leaves them out if it has just shown them.
  static std::string withoutLines(llvm::StringRef Said) {
    std::string Out;
    while (!Said.empty()) {
      const auto [Line, Rest] = Said.split('\n');
      if (!Line.ltrim(" 0123456789").starts_with("| "))
        Out += Line.str() + "\n";
      Said = Rest;
    }
    return Out;
  }

  std::string sorted() {
    std::stable_sort(Groups.begin(), Groups.end(), [](const auto &A, const auto &B) { return A.first < B.first; });
    std::string Out;
    llvm::StringSet<> Before; // A message for several instances of a template is reported once.
    for (const auto &[Place, Said] : Groups)
      if (Before.insert(withoutLines(Said)).second)
        Out += Said;
    return Out;
  }

private:
  const WarningLevels &Levels;
  const bool ForHost;
  std::vector<SourceLocation> Conversions, Missing;

  void note(const Diagnostic &Info) {
    if (!Info.hasSourceManager() || Info.getLocation().isInvalid())
      return Missing.push_back({});
    // An instance of a library's template is used as its declarations say.
    if (Info.getSourceManager().isInSystemHeader(Info.getLocation()) && Instantiates && Instantiates())
      return;
    static constexpr unsigned Kept[] = {diag::err_init_conversion_failed,
                                        diag::err_typecheck_convert_incompatible,
                                        diag::err_typecheck_convert_incompatible_pointer,
                                        diag::err_ovl_no_viable_function_in_call,
                                        diag::err_typecheck_comparison_of_pointer_integer,
                                        diag::err_member_function_call_bad_cvr,
                                        diag::err_reference_bind_drops_quals};
    const bool Converts = llvm::is_contained(Kept, Info.getID());
    (Converts ? Conversions : Missing).push_back(Info.getSourceManager().getExpansionLoc(Info.getLocation()));
  }

  const WarningInfo *Named = nullptr; // The current warning, if it is reported as an error.
  std::string Text;
  llvm::raw_string_ostream Stream;
  TextDiagnosticPrinter Printer;
  bool Passing = false, ClangErrors = false, OwnErrors = false;
  std::vector<std::pair<SourceLocation::UIntTy, std::string>> Groups; // An error or warning with its notes.
};

// The places of what Clang could not convert, and keeps in the tree with its operands.
class Recovered final : AstVisitor {
public:
  explicit Recovered(ASTContext &Context) : SM(Context.getSourceManager()) {
    visitAll(Context.getTranslationUnitDecl());
  }
  bool contains(SourceLocation Loc) const {
    return llvm::any_of(Ranges, [&](SourceRange R) {
      const auto before = [&](SourceLocation A, SourceLocation B) {
        return A == B || SM.isBeforeInTranslationUnit(SM.getExpansionLoc(A), SM.getExpansionLoc(B));
      };
      return before(R.getBegin(), Loc) && before(Loc, R.getEnd());
    });
  }

private:
  const SourceManager &SM;
  std::vector<SourceRange> Ranges;

  bool visit(Decl &D) override {
    if (const auto *V = dyn_cast<VarDecl>(&D); V && V->getInit() && V->getInit()->containsErrors())
      Ranges.push_back(V->getSourceRange());
    return true;
  }
  bool visit(Stmt &S) override {
    if (isa<RecoveryExpr>(S))
      Ranges.push_back(S.getSourceRange());
    return true;
  }
  bool enters(const Decl &D) override { return D.getLocation().isInvalid() || !SM.isInSystemHeader(D.getLocation()); }
  bool entersInstantiations() const override { return true; }
};

class Consumer final : public SemaConsumer {
public:
  Consumer(CompilerInstance &CI, OwnDiagnostics &Said, const FrontendJob &Job, std::vector<Directive> &Directives,
           std::vector<Inclusion> &Inclusions, const std::set<std::string> &Known, std::set<std::string> &Shown,
           FrontendResult &Result)
      : CI(CI), Said(Said), Job(Job), Directives(Directives), Inclusions(Inclusions), Known(Known), Shown(Shown),
        Result(Result) {}

  void InitializeSema(Sema &Sem) override {
    S = &Sem;
    Said.Instantiates = [&Sem] { return Sem.inTemplateInstantiation(); };
  }
  void ForgetSema() override { S = nullptr; }

  // System headers are never rewritten, and few of their functions' bodies are analysed.
  bool shouldSkipFunctionBody(Decl *D) override {
    const FunctionDecl *F = D->getAsFunction();
    return CI.getSourceManager().isInSystemHeader(D->getLocation()) ? !F || !hasFollowedBody(*F) : !matters(D);
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    Result.HasDirectives = !Directives.empty();
    const SourceManager &SM = Context.getSourceManager();
    for (const Directive &D : Directives)
      if (SM.isInSystemHeader(D.Hash))
        showSystemHeader(SM.getFileID(D.Hash));
    if (Directives.empty() || Said.clangErrors() || !Shown.empty())
      return;
    BindOptions Options;
    Options.MainFile = Job.Input;
    Options.KernelDirs = Job.KernelDirs;
    Options.Checks = Job.Check;
    Options.Explain = Job.Explain;
    Options.Salt = SM.getBufferData(SM.getMainFileID()).str();
    for (const std::string &A : Job.ClangArgs)
      Options.Salt += "\n" + A;
    Options.Missing = missing(Context);
    Binding B = hsched::cc::bind(*S, Directives, Options);
    for (const std::string &File : B.KernelFiles)
      if (KnownKernels.insert(File).second)
        Result.KernelFiles.push_back(File);
    if (B.Failed || Said.failed())
      return;
    ProgramCode P = programOf(B, Options);
    Edits All(SM);
    if (!rewrite(*S, B, Directives, P, All))
      return;
    FileID Main = SM.getMainFileID();
    All.of(Main); // There is a main file even if only its headers have directives.
    Result.InlinedHeaders = inlineHeaders(SM, Inclusions, Job.KernelDirs, All);
    std::string Forced = forcedHeaders(Inclusions, CI.getPreprocessor().getPredefinesFileID(), All);
    Result.HasForcedHeaders = !Forced.empty();
    UnitData U = unitOf(P);
    Result.Metadata = toJson(U, 2);
    const bool C = !CI.getLangOpts().CPlusPlus;
    Result.Source = (C ? c::prologue(P) : prologue(P)) + Forced + lineDirective(1, Job.Input) + All.apply(Main);
    if (Result.Source.back() != '\n')
      Result.Source += '\n';
    Result.Source += lineDirective(1, "<hsched>") + (C ? c::loader(P, toJson(U)) : loader(P, toJson(U)));
  }

private:
  // A part of the program that the AST may lack. Invalid: none.
  SourceLocation missing(ASTContext &Context) const {
    std::vector<SourceLocation> Places = Said.missing();
    if (!Said.conversions().empty()) {
      const Recovered Kept(Context);
      llvm::copy_if(Said.conversions(), std::back_inserter(Places),
                    [&](SourceLocation Loc) { return !Kept.contains(Loc); });
    }
    if (Places.empty())
      return {};
    return Places.front().isValid()
               ? Places.front()
               : Context.getSourceManager().getLocForStartOfFile(Context.getSourceManager().getMainFileID());
  }

  // For a function in the user's files: whether a task or a function that it calls may be in it. All bodies in headers
  // count.
  bool matters(const Decl *D) {
    const SourceManager &SM = CI.getSourceManager();
    auto inMain = [&](SourceLocation Loc) { return Loc.isFileID() && SM.getFileID(Loc) == SM.getMainFileID(); };
    const FunctionDecl *FD = D->getAsFunction();
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(FD);
    if (!FD || !FD->getIdentifier() || (Method && Method->isVirtual()) || !inMain(FD->getLocation()) ||
        !inMain(FD->getFirstDecl()->getLocation()))
      return true;
    // Declarations stand between such a head and its body, which the reader of bodies does not support.
    if (!FD->hasWrittenPrototype() && FD->getNumParams())
      return true;
    // Users of a task declared in a header must be known.
    for (; Seen < Directives.size(); ++Seen)
      HeadersHaveDirectives |= !inMain(Directives[Seen].Hash);
    if (HeadersHaveDirectives)
      return true;
    if (!Needed)
      Needed.emplace(SM.getBufferData(SM.getMainFileID()), CI.getLangOpts());
    return Needed->needs(FD->getName());
  }

  // A header found by -isystem contains directives: it must be read as the program's own, and so must those that
  // include it.
  void showSystemHeader(FileID File) {
    const SourceManager &SM = CI.getSourceManager();
    for (; File.isValid() && SM.isInSystemHeader(SM.getLocForStartOfFile(File));
         File = SM.getDecomposedIncludedLoc(File).first)
      for (const Inclusion &I : Inclusions)
        if (I.File && SM.getFileEntryRefForID(File) &&
            &I.File->getFileEntry() == &SM.getFileEntryRefForID(File)->getFileEntry() && !Known.count(I.Spelled))
          Shown.insert(I.Spelled);
  }

  std::optional<NeededBodies> Needed;
  size_t Seen = 0; // Number of directives already processed.
  bool HeadersHaveDirectives = false;
  CompilerInstance &CI;
  OwnDiagnostics &Said;
  const FrontendJob &Job;
  std::vector<Directive> &Directives;
  std::vector<Inclusion> &Inclusions;
  const std::set<std::string> &Known;
  std::set<std::string> &Shown;
  FrontendResult &Result;
  Sema *S = nullptr;
  llvm::StringSet<> KnownKernels;

  static ProgramCode programOf(const Binding &B, const BindOptions &Options) {
    ProgramCode P;
    P.MainFile = Options.MainFile;
    P.UnitId = B.UnitId;
    for (const BoundFunction &F : B.Functions)
      if (F.IsTask)
        P.Tasks.push_back(F.Task);
      else
        P.Versions.push_back(F.Version);
    for (const BoundInline &I : B.Inlines)
      P.Inlines.push_back(I.Code);
    for (const BoundWait &W : B.Waits)
      P.Waits.push_back(W.Code);
    return P;
  }
};

class Action final : public ASTFrontendAction {
public:
  Action(OwnDiagnostics &Said, const FrontendJob &Job, const std::set<std::string> &Known, FrontendResult &Result)
      : Said(Said), Job(Job), Known(Known), Result(Result) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, llvm::StringRef) override {
    addDirectiveHandler(CI.getPreprocessor(), Directives);
    recordInclusions(CI.getPreprocessor(), Inclusions);
    return std::make_unique<Consumer>(CI, Said, Job, Directives, Inclusions, Known, Shown, Result);
  }
  // An error stops before the consumer is called: there may have been directives nevertheless.
  void EndSourceFileAction() override { Result.HasDirectives = !Directives.empty(); }

  std::set<std::string> Shown; // System headers that contain directives, as spelled in #include.

private:
  OwnDiagnostics &Said;
  const FrontendJob &Job;
  const std::set<std::string> &Known;
  FrontendResult &Result;
  std::vector<Directive> Directives;
  std::vector<Inclusion> Inclusions;
};

// CMake marks the headers that it precompiles as system headers, which would hide the directives in the files that they
// include.
void showForcedHeaders(PreprocessorOptions &Options) {
  for (const std::string &File : Options.Includes) {
    auto Buffer = llvm::MemoryBuffer::getFile(File);
    std::string Text = Buffer ? (*Buffer)->getBuffer().str() : "";
    size_t At = std::string::npos;
    for (llvm::StringRef Mark : {"#pragma GCC system_header", "#pragma clang system_header"})
      if (size_t Here = Text.find(Mark); Here != std::string::npos)
        Text.replace(At = Here, Mark.size(), Mark.size(), ' ');
    if (At == std::string::npos)
      continue;
    Options.addRemappedFile(File, llvm::MemoryBuffer::getMemBufferCopy(Text, File).release()); // Clang owns the buffer.
  }
}

// Constructs that are errors only for Clang, which can continue, such as narrowing. The host compiler decides.
void leaveToHost(DiagnosticsEngine &Diags) {
  std::vector<diag::kind> All;
  DiagnosticIDs::getAllDiagnostics(diag::Flavor::WarningOrError, All);
  for (diag::kind ID : All)
    if (DiagnosticIDs::isBuiltinWarningOrExtension(ID))
      Diags.setSeverity(ID, diag::Severity::Ignored, SourceLocation());
}

// Clang's <stdatomic.h> takes the next header of that name, if there is one. GCC's is for GCC alone.
void useOwnAtomics(CompilerInstance &CI) {
  static constexpr const char *Folder = "/hsched-headers-of-c";
  static constexpr const char *Text = R"(#if __STDC_HOSTED__
#include <stddef.h>
#include <stdint.h>
#undef __STDC_HOSTED__
#define __STDC_HOSTED__ 0
#include_next <stdatomic.h>
#undef __STDC_HOSTED__
#define __STDC_HOSTED__ 1
#else
#include_next <stdatomic.h>
#endif
)";
  auto Memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  auto Both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  if (auto Here = Both->getCurrentWorkingDirectory())
    Memory->setCurrentWorkingDirectory(*Here);
  Memory->addFile(std::string(Folder) + "/stdatomic.h", 0, llvm::MemoryBuffer::getMemBuffer(Text));
  Both->pushOverlay(Memory);
  CI.createFileManager(Both);
  std::vector<HeaderSearchOptions::Entry> &Dirs = CI.getHeaderSearchOpts().UserEntries;
  Dirs.insert(Dirs.begin(), {Folder, frontend::System, /*isFramework=*/false, /*ignoreSysRoot=*/true});
}

// Shown: headers found by -isystem that belong to the program nevertheless. If they turn out to be needed, they are
// only reported.
// ForHost: null before the host compiler is asked for its judgement; then whether it accepts the input.
FrontendResult runOnce(const FrontendJob &Job, std::set<std::string> &Shown, std::optional<bool> &ForHost) {
  FrontendResult Result;
  std::vector<std::string> Args = {Job.C ? "clang" : "clang++", "-fsyntax-only", "-x", Job.C ? "c" : "c++"};
  if (!Job.ResourceDir.empty())
    Args.push_back("-resource-dir=" + Job.ResourceDir);
  Args.insert(Args.end(), Job.ClangArgs.begin(), Job.ClangArgs.end());
  const bool Notes = ForHost.value_or(false);
  if (Notes)
    Args.insert(Args.end(), {"-ferror-limit=0", "-fno-spell-checking"});
  Args.push_back(Job.Input);
  std::vector<const char *> Pointers;
  for (const std::string &A : Args)
    Pointers.push_back(A.c_str());

  std::string Counted;
  llvm::raw_string_ostream Count(Counted); // The number of errors.
  llvm::IntrusiveRefCntPtr<DiagnosticOptions> DiagOptions(new DiagnosticOptions);
  DiagOptions->ShowColors = Job.Color;
  DiagOptions->ShowParseableFixits = Job.ParseableFixIts;
  DiagOptions->ShowPresumedLoc = true; // Like the host compiler: generated sources name their origin.
  OwnDiagnostics Own(DiagOptions.get(), Job.Color, Job.Warnings, Notes);
  llvm::IntrusiveRefCntPtr<DiagnosticsEngine> Diags =
      CompilerInstance::createDiagnostics(DiagOptions.get(), &Own, /*ShouldOwnClient=*/false);
  CreateInvocationOptions Create;
  Create.Diags = Diags;
  std::shared_ptr<CompilerInvocation> Invocation = createInvocation(Pointers, Create);
  if (!Invocation) {
    Result.Failed = Result.HasDirectives = true;
  } else {
    Invocation->getFrontendOpts().SkipFunctionBodies = true;
    Invocation->getFrontendOpts().DisableFree = Job.Only;
    Diags->setIgnoreAllWarnings(true); // Clang's warnings: the host compiler has its own.
    leaveToHost(*Diags);
    showForcedHeaders(Invocation->getPreprocessorOpts());
    for (const std::string &Header : Shown)
      Invocation->getHeaderSearchOpts().AddSystemHeaderPrefix(Header, /*IsSystemHeader=*/false);
    CompilerInstance CI;
    CI.setInvocation(std::move(Invocation));
    CI.setDiagnostics(Diags.get());
    CI.setVerboseOutputStream(Count);
    if (Job.C)
      useOwnAtomics(CI);
    Action A(Own, Job, Shown, Result);
    CI.ExecuteAction(A);
    if (!A.Shown.empty()) {
      Shown.insert(A.Shown.begin(), A.Shown.end());
      return Result;
    }
    Shown.clear();
    Result.Failed = Own.failed();
  }
  Result.HasDirectives |= Own.ownErrors();
  if (Result.HasDirectives && Own.clangErrors() && !ForHost && Job.HostAccepts) {
    ForHost = Job.HostAccepts();
    if (*ForHost)
      return runOnce(Job, Shown, ForHost);
  }
  // Without directives the host compiler alone judges the file.
  if (!Result.HasDirectives)
    Result.Failed = false;
  else
    llvm::errs() << Own.sorted() << Count.str();
  return Result;
}

} // namespace

FrontendResult runFrontend(const FrontendJob &Job) {
  std::set<std::string> Shown;
  std::optional<bool> ForHost;
  FrontendResult Result;
  do
    Result = runOnce(Job, Shown, ForHost);
  while (!Shown.empty());
  return Result;
}

} // namespace hsched::cc
