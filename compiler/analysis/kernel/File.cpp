// Runs Clang on a kernel file, in this process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/kernel/File.h"
#include "analysis/kernel/Internal.h"
#include "analysis/lower/Lower.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace clang;

namespace hsched::cc {
namespace {

// Calls of min, max and clamp that are ambiguous, and may be warnings.
struct MixedCalls {
  std::vector<KernelDiagnostic> Warnings;
  bool Silent = false; // -w
};

class DiagnosticCollector : public DiagnosticConsumer {
public:
  explicit DiagnosticCollector(std::vector<KernelDiagnostic> &Out) : Out(Out) {}

  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    if (Level < DiagnosticsEngine::Note || Level == DiagnosticsEngine::Remark ||
        Info.getID() == diag::fatal_too_many_errors)
      return;
    KernelDiagnostic D;
    const bool IsAmbiguous = isMixedCall(Info);
    D.Level = Level == DiagnosticsEngine::Note      ? KernelDiagnostic::Note
              : Level == DiagnosticsEngine::Warning ? KernelDiagnostic::Warning
                                                    : KernelDiagnostic::Error;
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    D.Message = std::string(Text);
    if (Info.hasSourceManager() && Info.getLocation().isValid()) {
      const SourceManager &SM = Info.getSourceManager();
      if (PresumedLoc Place = SM.getPresumedLoc(SM.getFileLoc(Info.getLocation())); Place.isValid()) {
        D.File = Place.getFilename();
        D.Line = Place.getLine();
        D.Column = Place.getColumn();
      }
      for (const FixItHint &Hint : Info.getFixItHints())
        if (!addEdit(Hint, SM, D)) { // A partial fix-it is worse than none.
          D.Edits.clear();
          break;
        }
    }
    if (IsAmbiguous && !Info.getDiags()->getWarningsAsErrors()) {
      Mixed.Warnings.push_back(D);
      Mixed.Silent = Info.getDiags()->getIgnoreAllWarnings();
    }
    Out.push_back(std::move(D));
  }

  MixedCalls Mixed;

  void BeginSourceFile(const LangOptions &Options, const Preprocessor *) override { Lang = Options; }

private:
  std::vector<KernelDiagnostic> &Out;
  LangOptions Lang;

  static bool isMixedCall(const Diagnostic &Info) {
    if (Info.getID() != diag::err_ovl_ambiguous_call || Info.getNumArgs() == 0 ||
        Info.getArgKind(0) != DiagnosticsEngine::ak_declarationname)
      return false;
    const std::string Name = DeclarationName::getFromOpaqueInteger(uintptr_t(Info.getRawArg(0))).getAsString();
    return Name == "min" || Name == "max" || Name == "clamp";
  }

  bool addEdit(const FixItHint &Hint, const SourceManager &SM, KernelDiagnostic &D) const {
    const CharSourceRange Range = Lexer::getAsCharRange(Hint.RemoveRange, SM, Lang);
    if (Hint.InsertFromRange.isValid() || !Range.getBegin().isFileID() || !Range.getEnd().isFileID())
      return false;
    const auto File = SM.getFileEntryRefForID(SM.getFileID(Range.getBegin()));
    if (!File || SM.getFileID(Range.getBegin()) != SM.getFileID(Range.getEnd()))
      return false;
    D.Edits.push_back({File->getName().str(), SM.getSpellingLineNumber(Range.getBegin()),
                       SM.getSpellingColumnNumber(Range.getBegin()), SM.getSpellingLineNumber(Range.getEnd()),
                       SM.getSpellingColumnNumber(Range.getEnd()), Hint.CodeToInsert});
    return true;
  }
};

enum class Purpose { Embed, Describe, Shorten };

// Records the places in the tree, because the AST will be destroyed.
void notePlaces(const Node &N, const SourceManager &SM, std::map<unsigned, KernelPlace> &Places) {
  for (SourceLocation Loc : {N.Loc, N.A.Loc, N.A.WhyLoc}) {
    if (Loc.isInvalid() || Places.count(Loc.getRawEncoding()))
      continue;
    if (PresumedLoc Place = SM.getPresumedLoc(SM.getFileLoc(Loc)); Place.isValid())
      Places[Loc.getRawEncoding()] = {Place.getFilename(), Place.getLine(), Place.getColumn()};
  }
  for (const Node &Child : N.Children)
    notePlaces(Child, SM, Places);
}

void addTree(Lowering &Trees, const FunctionDecl &Def, unsigned Dims, bool WithNumbers, KernelInfo &Kernel) {
  KernelGeometry G;
  G.Dims = std::max(Dims, 1u);
  auto Tree = std::make_shared<AccessTree>(Trees.lowerKernel(Def, G));
  notePlaces(Tree->Body, Def.getASTContext().getSourceManager(), Kernel.Places);
  Kernel.Tree = std::move(Tree);
  G.WithNumbers = WithNumbers;
  if (WithNumbers)
    Kernel.Numbers = std::make_shared<AccessTree>(Trees.lowerKernel(Def, G));
}

// True if an object of the type would contain itself, directly or indirectly. Open: types in progress (true), and types
// known to be correct.
bool endless(const RecordDecl &R, llvm::DenseMap<const RecordDecl *, bool> &Open) {
  const RecordDecl *Def = R.getDefinition() ? R.getDefinition() : &R;
  if (const auto [Known, New] = Open.try_emplace(Def, true); !New)
    return Known->second;
  for (const FieldDecl *F : Def->fields())
    if (const RecordDecl *Inner = F->getType()->getBaseElementTypeUnsafe()->getAsRecordDecl())
      if (endless(*Inner, Open))
        return true;
  Open[Def] = false;
  return false;
}

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &CI, Purpose Why, KernelFile &Out) : CI(CI), Why(Why), Out(Out) {
    CI.getPreprocessor().addPPCallbacks(recordDirectives(CI.getSourceManager(), Directives));
    CI.getPreprocessor().addPPCallbacks(recordExtensions(Extensions));
    if (Out.Checks)
      CI.getPreprocessor().setTokenWatcher([this](const Token &T) {
        if (T.getLocation().isMacroID() && !T.isAnnotation())
          Expanded.push_back(T);
      });
  }

  // Clang reports a type that contains itself and goes on; with such a kernel parameter it loops forever.
  bool HandleTopLevelDecl(DeclGroupRef Decls) override {
    return llvm::none_of(Decls, [](const Decl *D) {
      const auto *R = dyn_cast<RecordDecl>(D);
      llvm::DenseMap<const RecordDecl *, bool> Open;
      return R && endless(*R, Open);
    });
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    noteIncludes();
    // After errors the AST is incomplete: types are missing. The caller gets the errors.
    DiagnosticsEngine &Diags = CI.getDiagnostics();
    if (Diags.hasErrorOccurred())
      return;
    Lowering Trees(Context);
    std::vector<const FunctionDecl *> Definitions;
    for (const Decl *D : Context.getTranslationUnitDecl()->decls()) {
      const auto *F = dyn_cast<FunctionDecl>(D);
      if (!F || !F->hasAttr<OpenCLKernelAttr>() || !F->isThisDeclarationADefinition() || F->isInvalidDecl())
        continue;
      Definitions.push_back(F);
      Out.Kernels.push_back(collectKernel(*F));
      if (Why != Purpose::Shorten) {
        addDimensions(Trees, *F, Out.Kernels.back());
        findUses(*F, Out.Kernels.back());
      }
      if (Why != Purpose::Embed)
        findFacts(*F, Extensions, Out.Kernels.back());
    }
    Out.Standard = standardOf(Context.getLangOpts());
    if (Why == Purpose::Describe)
      return;
    if (Why == Purpose::Shorten) {
      Out.Embedded = minikernels(Context, Definitions, Out.Kernels);
      return;
    }
    const unsigned ID = Diags.getCustomDiagID(DiagnosticsEngine::Error, "%0");
    Out.Embedded = embed(Context, Directives, Definitions, Out.Checks, Expanded,
                         [&](SourceLocation Loc, const std::string &Message) { Diags.Report(Loc, ID) << Message; });
  }

private:
  void addDimensions(Lowering &Trees, const FunctionDecl &Def, KernelInfo &Kernel) const {
    const WorkDims Dims = workDimsOf(Def);
    if (Why == Purpose::Embed) {
      // A launch with fewer dimensions is no error if more are only possibly queried; one with more counts.
      Kernel.WorkDim = Dims.FromConstants;
      return addTree(Trees, Def, Dims.Linear ? 3 : Dims.Possible, /*WithNumbers=*/false, Kernel);
    }
    Kernel.WorkDim = std::max(Dims.Possible, Dims.Linear ? 1u : 0u);
    for (unsigned D = 1; D != 3; ++D) // A group of some dimensions needs a launch of as many.
      if (Kernel.ReqdWorkGroup[D] > 1)
        Kernel.WorkDim = std::max(Kernel.WorkDim, D + 1);
    addTree(Trees, Def, Kernel.WorkDim, Why == Purpose::Describe, Kernel);
  }

  static std::string standardOf(const LangOptions &Lang) {
    const unsigned Number = Lang.OpenCLCPlusPlus ? Lang.OpenCLCPlusPlusVersion : Lang.OpenCLVersion;
    if (Number >= 200000) // 202100
      return "CLC++" + std::to_string(Number / 100);
    return (Lang.OpenCLCPlusPlus ? "CLC++" : "CL") + std::to_string(Number / 100) + "." +
           std::to_string(Number / 10 % 10);
  }

  void noteIncludes() {
    const SourceManager &SM = CI.getSourceManager();
    for (const auto &[Parent, List] : Directives)
      for (const InlinedDirective &D : List) {
        OptionalFileEntryRef File = D.Child.isValid() ? SM.getFileEntryRefForID(D.Child) : std::nullopt;
        if (!File)
          continue;
        llvm::SmallString<256> Path(File->getName());
        CI.getFileManager().makeAbsolutePath(Path);
        llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/false);
        if (std::find(Out.Includes.begin(), Out.Includes.end(), Path.str()) == Out.Includes.end())
          Out.Includes.emplace_back(Path.str());
      }
  }

  CompilerInstance &CI;
  const Purpose Why;
  KernelFile &Out;
  DirectiveMap Directives;
  ExtensionPragmas Extensions;
  MacroTokens Expanded;
};

class Action : public ASTFrontendAction {
public:
  Action(Purpose Why, KernelFile &Out, bool Mixed) : Why(Why), Out(Out), Mixed(Mixed) {}

protected:
  bool BeginSourceFileAction(CompilerInstance &CI) override {
    if (Mixed)
      CI.getPreprocessor().setPredefines(CI.getPreprocessor().getPredefines() + mixedOverloads());
    return true;
  }
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef) override {
    return std::make_unique<Consumer>(CI, Why, Out);
  }

private:
  const Purpose Why;
  KernelFile &Out;
  const bool Mixed;
};

// Options with the same meaning for Clang's front end and a device's compiler. Vendors' own options would be errors
// here.
bool isUnderstood(llvm::StringRef Option) {
  static const llvm::StringRef Known[] = {"-cl-single-precision-constant",
                                          "-cl-denorms-are-zero",
                                          "-cl-opt-disable",
                                          "-cl-mad-enable",
                                          "-cl-no-signed-zeros",
                                          "-cl-unsafe-math-optimizations",
                                          "-cl-finite-math-only",
                                          "-cl-fast-relaxed-math",
                                          "-cl-strict-aliasing",
                                          "-w",
                                          "-Werror"};
  return Option.starts_with("-cl-std=") || std::find(std::begin(Known), std::end(Known), Option) != std::end(Known);
}

// Clang's own command line (cc1's: no driver is run) for a file and the options of its kernel clause.
std::vector<std::string> arguments(const std::string &Path, const std::string &Options,
                                   const std::vector<std::string> &IncludeDirs) {
  std::vector<std::string> Args = {"-triple",
                                   "spir64-unknown-unknown",
                                   "-fsyntax-only",
                                   "-resource-dir",
                                   HSCHED_CLANG_RESOURCE_DIR,
                                   "-internal-isystem",
                                   HSCHED_CLANG_RESOURCE_DIR "/include",
                                   "-finclude-default-header",
                                   "-fdeclare-opencl-builtins",
                                   "-fgnu-keywords",            // Asm.
                                   "-Wno-error=int-conversion", // As before Clang 15.
                                   "-fno-caret-diagnostics",
                                   "-ferror-limit",
                                   "20"};
  bool HasStandard = false;
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *, 8> Words;
  llvm::cl::TokenizeGNUCommandLine(Options, Saver, Words);
  for (std::size_t I = 0; I != Words.size(); ++I) {
    llvm::StringRef Word = Words[I];
    if (Word == "-D" || Word == "-U" || Word == "-I") {
      if (I + 1 != Words.size())
        Args.push_back(Word.str() + Words[++I]);
    } else if (Word.starts_with("-D") || Word.starts_with("-U") || Word.starts_with("-I")) {
      Args.push_back(Word.str());
    } else if (isUnderstood(Word)) {
      HasStandard |= Word.starts_with("-cl-std=");
      Args.push_back(Word.str());
    }
  }
  if (!HasStandard)
    Args.push_back("-cl-std=CL1.2");
  for (const std::string &Dir : IncludeDirs)
    Args.push_back("-I" + Dir);
  Args.insert(Args.end(), {"-x", "cl", Path});
  return Args;
}

// Mixed: min, max and clamp accept operands of different types. Calls: the calls that need this.
bool loadOnce(Purpose Why, const std::string &Path, const std::string &Options,
              const std::vector<std::string> &IncludeDirs, std::vector<KernelDiagnostic> &Diags, KernelFile &Out,
              llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS, bool Mixed, MixedCalls &Calls) {
  const bool Checks = Out.Checks;
  Out = KernelFile();
  Out.Checks = Checks;
  Out.Path = Path;
  if (!FS)
    FS = llvm::vfs::getRealFileSystem();
  if (!FS->exists(Path)) {
    Diags.push_back({KernelDiagnostic::Error, Path, 0, 0, "no such kernel file"});
    return false;
  }

  DiagnosticCollector Collector(Diags);
  const std::vector<std::string> Args = arguments(Path, Options, IncludeDirs);
  std::vector<const char *> Pointers;
  for (const std::string &Arg : Args)
    Pointers.push_back(Arg.c_str());

  CompilerInstance CI;
  {
    // Options that Clang refuses are reported like other errors, without a place.
    auto Engine = CompilerInstance::createDiagnostics(new DiagnosticOptions, &Collector, /*ShouldOwnClient=*/false);
    auto Invocation = std::make_shared<CompilerInvocation>();
    if (!CompilerInvocation::CreateFromArgs(*Invocation, Pointers, *Engine))
      return false;
    CI.setInvocation(std::move(Invocation));
  }
  CI.createDiagnostics(&Collector, /*ShouldOwnClient=*/false);
  CI.setVerboseOutputStream(llvm::nulls());
  CI.createFileManager(FS);
  Action Act(Why, Out, Mixed);
  const bool Ran = CI.ExecuteAction(Act);
  Calls = std::move(Collector.Mixed);
  return Ran && !CI.getDiagnostics().hasErrorOccurred();
}

bool load(Purpose Why, const std::string &Path, const std::string &Options, const std::vector<std::string> &IncludeDirs,
          std::vector<KernelDiagnostic> &Diags, KernelFile &Out, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS) {
  std::vector<KernelDiagnostic> First, Second;
  MixedCalls Calls, None;
  bool Good = loadOnce(Why, Path, Options, IncludeDirs, First, Out, FS, /*Mixed=*/false, Calls);
  if (!Good && !Calls.Warnings.empty() &&
      loadOnce(Why, Path, Options, IncludeDirs, Second, Out, std::move(FS), /*Mixed=*/true, None)) {
    Good = true;
    First = Calls.Silent ? std::vector<KernelDiagnostic>() : std::move(Calls.Warnings);
    for (KernelDiagnostic &D : First) {
      D.Level = KernelDiagnostic::Warning;
      D.Message += "; its operands are converted to one type";
    }
    First.insert(First.end(), std::make_move_iterator(Second.begin()), std::make_move_iterator(Second.end()));
  }
  Diags.insert(Diags.end(), std::make_move_iterator(First.begin()), std::make_move_iterator(First.end()));
  return Good;
}

} // namespace

bool loadKernelFile(const std::string &Path, const std::string &Options, const std::vector<std::string> &IncludeDirs,
                    std::vector<KernelDiagnostic> &Diags, KernelFile &Out,
                    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS) {
  return load(Purpose::Embed, Path, Options, IncludeDirs, Diags, Out, std::move(FS));
}

bool describeKernelFile(const std::string &Path, const std::string &Options,
                        const std::vector<std::string> &IncludeDirs, std::vector<KernelDiagnostic> &Diags,
                        KernelFile &Out, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS) {
  return load(Purpose::Describe, Path, Options, IncludeDirs, Diags, Out, std::move(FS));
}

bool shortenKernelFile(const std::string &Path, const std::string &Options, std::vector<KernelDiagnostic> &Diags,
                       KernelFile &Out, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS) {
  return load(Purpose::Shorten, Path, Options, {}, Diags, Out, std::move(FS));
}

} // namespace hsched::cc
