// Versions that are OpenCL kernels: the file, the kernel, its arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Names.h"
#include "analysis/bind/Internal.h"

#include "analysis/Fixes.h"
#include "analysis/infer/Infer.h"
#include "analysis/infer/KernelWords.h"
#include "analysis/kernel/File.h"

#include "clang/Basic/FileManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace hsched::cc {

SourceLocation KernelBinder::placeIn(const std::string &File, unsigned Line, unsigned Column) {
  SourceManager &SM = S.getSourceManager();
  auto Ref = SM.getFileManager().getFileRef(File);
  if (!Ref) {
    llvm::consumeError(Ref.takeError());
    return {};
  }
  FileID ID = SM.getOrCreateFileID(*Ref, SrcMgr::C_User);
  return SM.translateLineCol(ID, std::max(Line, 1u), std::max(Column, 1u));
}

static std::string findBeside(const SourceManager &SM, const KernelClause &Clause, const BindOptions &Options) {
  llvm::StringRef Name = Clause.File.Value;
  if (llvm::sys::path::is_absolute(Name))
    return llvm::sys::fs::exists(Name) ? Name.str() : "";
  std::vector<std::string> Dirs;
  llvm::StringRef Here = SM.getFilename(SM.getExpansionLoc(Clause.Loc));
  Dirs.push_back(llvm::sys::path::parent_path(Here).str());
  Dirs.insert(Dirs.end(), Options.KernelDirs.begin(), Options.KernelDirs.end());
  for (const std::string &Dir : Dirs) {
    llvm::SmallString<256> Path(Dir);
    llvm::sys::path::append(Path, Name);
    if (llvm::sys::fs::exists(Path))
      return Path.str().str();
  }
  return "";
}

const KernelBinder::Loaded *KernelBinder::load(const KernelClause &Clause, const std::string &BuildOptions) {
  DiagnosticsEngine &Diags = S.getDiagnostics();
  std::string Path = findBeside(S.getSourceManager(), Clause, Options);
  if (Path.empty()) {
    error(Diags, Clause.File.Loc, "kernel file '%0' is neither beside this source file nor in a folder given with -I",
          Clause.File.Value);
    return nullptr;
  }
  std::unique_ptr<Loaded> &Entry = Cache[{Path, BuildOptions}];
  if (!Entry) {
    Entry = std::make_unique<Loaded>();
    std::vector<KernelDiagnostic> Said;
    Entry->File.Checks = Options.Checks;
    Entry->Good = loadKernelFile(Path, BuildOptions, Options.KernelDirs, Said, Entry->File);
    Out.KernelFiles.push_back(Path);
    Out.KernelFiles.insert(Out.KernelFiles.end(), Entry->File.Includes.begin(), Entry->File.Includes.end());
    if (!Entry->Good)
      error(Diags, Clause.File.Loc, "kernel file '%0' does not compile", Clause.File.Value);
    for (const KernelDiagnostic &D : Said) {
      SourceLocation Loc = placeIn(D.File.empty() ? Path : D.File, D.Line, D.Column);
      Fixes Edits;
      for (const KernelDiagnostic::Edit &E : D.Edits)
        Edits.push_back(FixItHint::CreateReplacement(
            CharSourceRange::getCharRange(placeIn(E.File, E.Line, E.Column), placeIn(E.File, E.EndLine, E.EndColumn)),
            E.Text));
      if (D.Level == KernelDiagnostic::Error) {
        error(Diags, Loc, "%0", D.Message, Edits);
      } else if (D.Level == KernelDiagnostic::Warning) {
        warn(Diags, Warning::KernelCode, Loc, "%0", D.Message, Edits);
        note(Diags, Clause.File.Loc, "the kernel file is named here");
      } else {
        note(Diags, Loc, "%0", D.Message, Edits);
      }
    }
  }
  return Entry->Good ? Entry.get() : nullptr;
}

const KernelInfo *KernelBinder::choose(const BoundFunction &F, const BoundFunction &Main, const KernelFile &File) {
  DiagnosticsEngine &Diags = S.getDiagnostics();
  const KernelClause &Clause = *F.D.Kernel;
  std::string Names;
  for (const KernelInfo &K : File.Kernels)
    Names += (Names.empty() ? "'" : ", '") + K.Name + "'";
  if (Clause.Name) {
    const KernelInfo *K = File.find(Clause.Name->Value);
    if (!K)
      error(Diags, Clause.Name->Loc, "there is no kernel '%0' in '%1'; it has %2", Clause.Name->Value,
            Clause.File.Value, Names.empty() ? std::string("none") : Names);
    return K;
  }
  for (const std::string &Name : {F.Annotated->getNameAsString(), Main.Annotated->getNameAsString()})
    if (const KernelInfo *K = File.find(Name))
      return K;
  if (File.Kernels.size() == 1)
    return &File.Kernels.front();
  error(Diags, Clause.File.Loc,
        "which kernel of '%0' is meant? It has %1, none of them called like the function: name it as in kernel(\"%0\", "
        "\"name\")",
        Clause.File.Value, Names.empty() ? std::string("none") : Names);
  return nullptr;
}

static std::string hostType(llvm::StringRef Element) {
  return llvm::StringSwitch<std::string>(Element)
      .Case("char", "signed char")
      .Case("uchar", "unsigned char")
      .Case("ushort", "unsigned short")
      .Case("uint", "unsigned int")
      .Case("long", "long long")
      .Case("ulong", "unsigned long long")
      .Cases("short", "int", "float", "double", Element.str())
      .Default("");
}

void KernelBinder::arguments(BoundFunction &F, const KernelInfo &Kernel, KernelCode &Code) {
  DiagnosticsEngine &Diags = S.getDiagnostics();
  const FunctionDecl *FD = F.Annotated;
  const FunctionCode &Self = F.code();
  std::vector<HostArg> Host;
  std::vector<SourceLocation> Places;

  // How parameter P is passed unchanged.
  auto whole = [&](unsigned P) {
    const ParmVarDecl *Param = FD->getParamDecl(P);
    QualType T = Param->getType();
    KernelArgCode A{KernelArgCode::Kind::Value, static_cast<int>(P), Self.Params[P].Name, "", ""};
    HostArg H = hostArg(S.Context, T);
    if (H.Pointer) {
      A.K = KernelArgCode::Kind::Buffer;
      if (!T->isPointerType())
        A.Text = "::hsched_gen_address(" + A.Text + ")";
    }
    Code.Args.push_back(A);
    Host.push_back(H);
  };
  auto paramIndex = [&](llvm::StringRef Name) {
    for (unsigned I = 0; I < FD->getNumParams(); ++I)
      if (FD->getParamDecl(I)->getName() == Name)
        return static_cast<int>(I);
    return -1;
  };

  if (!F.D.Args) {
    for (unsigned P = 0; P < FD->getNumParams(); ++P) {
      whole(P);
      Places.push_back(FD->getParamDecl(P)->getLocation());
    }
  } else {
    for (size_t I = 0; I < F.D.Args->size(); ++I) {
      const KernelArgument &A = (*F.D.Args)[I];
      Places.push_back(A.Value.Begin);
      if (A.Local) {
        Code.Args.push_back({KernelArgCode::Kind::Local, -1, A.Value.Text, "", ""});
        HostArg H;
        H.Local = H.Pointer = true;
        Host.push_back(H);
        continue;
      }
      int Whole = paramIndex(A.Value.Text);
      if (Whole >= 0) {
        whole(static_cast<unsigned>(Whole));
        continue;
      }
      // An expression: an address if the kernel takes a pointer and exactly one pointer is named; else a number.
      int Pointer = -1;
      for (const NameUse &N : A.Value.Names) {
        int P = paramIndex(N.Name);
        if (P >= 0 && FD->getParamDecl(static_cast<unsigned>(P))->getType()->isPointerType())
          Pointer = P;
      }
      bool WantsBuffer = I < Kernel.Params.size() && Kernel.Params[I].isBuffer();
      HostArg H;
      if (WantsBuffer && Pointer >= 0) {
        H = hostArg(S.Context, FD->getParamDecl(static_cast<unsigned>(Pointer))->getType());
        Code.Args.push_back({KernelArgCode::Kind::Buffer, Pointer, A.Value.Text, "", ""});
      } else if (WantsBuffer && !Self.Object.empty() && A.Value.Names.size() == 1 && paramIndex(A.Value.Text) < 0) {
        // A member that points to data: the data are found by their address.
        H.Pointer = true;
        Code.Args.push_back({KernelArgCode::Kind::Buffer, -1, A.Value.Text, "", ""});
        if (QualType T = memberType(S, FD, A.Value.Text); !T.isNull()) {
          H = hostArg(S.Context, T);
          if (!T->isPointerType())
            Code.Args.back().Text = "::hsched_gen_address(" + A.Value.Text + ")";
        } else {
          H.Element = Kernel.Params[I].Element;
          H.Bytes = Kernel.Params[I].ElementBytes;
        }
      } else {
        std::string Element = I < Kernel.Params.size() ? Kernel.Params[I].Element : "";
        Code.Args.push_back({KernelArgCode::Kind::Computed, -1, A.Value.Text, hostType(Element), ""});
        if (I < Kernel.Params.size() && !Kernel.Params[I].Pointer) {
          H.Element = Element; // Converted to the kernel's type.
          H.Bytes = Kernel.Params[I].ElementBytes;
        }
      }
      Host.push_back(H);
    }
  }

  SourceLocation KernelPlace = placeIn(Kernel.File, Kernel.Line, Kernel.Column);
  if (std::optional<std::string> Why = wrongCount(Kernel, Host.size())) {
    error(Diags, F.D.Args ? F.D.ArgsLoc : FD->getLocation(), "%0", *Why);
    note(Diags, KernelPlace,
         "kernel '%0' is here; args(...) gives its arguments where they are not the parameters in "
         "order",
         Kernel.Name);
    Out.Failed = true;
    return;
  }
  for (size_t I = 0; I < Host.size(); ++I) {
    Code.Args[I].Element = Kernel.Params[I].Element;
    if (F.D.Args)
      Code.Args[I].Line = S.getSourceManager().getPresumedLineNumber(Places[I]);
    if (std::optional<std::string> Why = mismatch(Kernel.Params[I], Host[I])) {
      error(Diags, Places[I], "argument %0 does not match kernel '%1': %2", std::to_string(I + 1), Kernel.Name, *Why);
      note(Diags, placeIn(Kernel.File, Kernel.Params[I].Line, Kernel.Params[I].Column),
           "the kernel's parameter is here");
      Out.Failed = true;
      continue;
    }
  }
}

// Every buffer must be data of the task; otherwise it would not be on the device.
void KernelBinder::checkNamed(BoundFunction &F, const BoundFunction &Main) {
  // Without the main version's body, its inferred clauses are unknown here.
  if (Main.Bad || (!F.IsTask && !Main.Definition && Main.D.Data.empty()))
    return;
  const FunctionCode &Self = F.code();
  const KernelCode &Code = F.IsTask ? F.Task.Kernel : F.Version.Kernel;
  for (size_t I = 0; I != Code.Args.size(); ++I) {
    const KernelArgCode &Arg = Code.Args[I];
    if (Arg.K != KernelArgCode::Kind::Buffer)
      continue;
    bool Named = Arg.Param < 0; // The target of a member is known only at run time.
    for (const AccessCode &A : Main.Task.Accesses)
      Named |= A.Param == Arg.Param;
    for (const AccessCode &A : F.Version.Sections)
      Named |= A.Param == Arg.Param;
    if (Named)
      continue;
    const size_t P = static_cast<size_t>(std::max(Arg.Param, 0));
    error(S.getDiagnostics(),
          F.D.Args && I < F.D.Args->size() ? (*F.D.Args)[I].Value.Begin
                                           : F.Annotated->getParamDecl(static_cast<unsigned>(P))->getLocation(),
          "the kernel reads or writes what '%0' points to, but no data clause of task '%1' names it, so that it would "
          "not be on the device",
          Self.Params[P].Name, Main.Task.Name);
    note(S.getDiagnostics(), Main.D.Loc, "the task's clauses are here; add for example inout([n]%0)",
         Main.Task.Params[P].Name);
    Out.Failed = true;
  }
}

// The kernel is the body: absent clauses are inferred from it, and present ones compared with it.
void KernelBinder::infer(BoundFunction &F, const KernelInfo &Kernel, const KernelCode &Code) {
  std::vector<HostParam> Params;
  for (const ParmVarDecl *P : F.Annotated->parameters()) {
    HostArg H = hostArg(S.Context, P->getType());
    HostParam Host;
    Host.Name = P->getNameAsString();
    Host.Element = H.Element;
    Host.ElementBytes = static_cast<unsigned>(H.Bytes);
    Host.Object = H.Pointer && !P->getType()->isPointerType();
    Host.NonNegative = P->getType().getNonReferenceType()->isUnsignedIntegerType();
    Params.push_back(std::move(Host));
  }
  auto At = [this, &Kernel](SourceLocation Loc) {
    auto It = Kernel.Places.find(Loc.getRawEncoding());
    return It == Kernel.Places.end() ? SourceLocation() : placeIn(It->second.File, It->second.Line, It->second.Column);
  };
  // The directive's expressions are compared with clauses, so each declaration gets one spelling.
  KernelCode InOneSpelling = Code;
  Names Called(S, *F.Annotated, *F.Annotated);
  for (KernelArgCode &A : InOneSpelling.Args)
    A.Text = Called.inOneSpelling(A.Text);
  for (std::vector<Expr> *Sizes : {&InOneSpelling.Global, &InOneSpelling.Local})
    for (Expr &E : *Sizes)
      E.Text = Called.inOneSpelling(E.Text);
  AccessTree Tree = inWordsOfHost(Kernel, InOneSpelling, Params);
  if (F.IsTask)
    Infer.inferKernelTask(F, std::move(Tree), At);
  else
    Infer.checkKernelVersion(F, std::move(Tree), At);
}

void KernelBinder::bind(BoundFunction &F, const BoundFunction &Main) {
  std::string BuildOptions = F.D.Options ? F.D.Options->Value : "";
  const Loaded *L = load(*F.D.Kernel, BuildOptions);
  const KernelInfo *Kernel = L ? choose(F, Main, L->File) : nullptr;
  if (!Kernel) {
    Out.Failed = true;
    return;
  }
  KernelCode &Code = F.IsTask ? F.Task.Kernel : F.Version.Kernel;
  (F.IsTask ? F.Task.HasKernel : F.Version.HasKernel) = true;
  Code.File = F.D.Kernel->File.Value;
  Code.Name = Kernel->Name;
  Code.Entry = entryName(Kernel->Name);
  Code.Source = L->File.Embedded;
  Code.Options = BuildOptions;
  Code.Global = F.D.Range->Global;
  Code.Local = F.D.Range->Local;
  Code.Offset = F.D.Range->Offset;
  if (PresumedLoc Place = S.getSourceManager().getPresumedLoc(F.D.Range->Loc); Place.isValid()) {
    Code.ClauseFile = Place.getFilename();
    Code.RangeLine = Place.getLine();
  }
  bool Failed = Out.Failed;
  Out.Failed = false;
  arguments(F, *Kernel, Code);
  if (!Out.Failed && Kernel->Tree && Code.Offset.empty()) // Its ids begin at 0 in the tree.
    infer(F, *Kernel, Code);
  if (!Out.Failed)
    checkNamed(F, Main);
  if (!Out.Failed)
    Out.Failed |= !bindPacked(S.getDiagnostics(), F, Main, &Code);
  Out.Failed |= Failed;

  HostRange Range;
  Range.Dims = static_cast<unsigned>(Code.Global.size());
  Range.HasLocal = !Code.Local.empty();
  for (size_t I = 0; I < Code.Local.size() && I < 3; ++I) {
    uint64_t N;
    if (!llvm::StringRef(Code.Local[I].Text).getAsInteger(0, N))
      Range.Local[I] = N;
  }
  for (const RangeProblem &Problem : checkRange(*Kernel, Range)) {
    warn(S.getDiagnostics(), Warning::KernelRange, F.D.Range->Loc, "%0", Problem.Why,
         fixLocalSizes(S.getSourceManager(), S.getLangOpts(), *F.D.Range, Problem.Locals));
    note(S.getDiagnostics(), placeIn(Kernel->File, Kernel->Line, Kernel->Column), "kernel '%0' is here", Kernel->Name);
  }
}

} // namespace hsched::cc
