// hsched-corpus: what the analysis infers of the functions of a file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   hsched-corpus [--known FILE] [--verbose] [--trees] FILE... [-- CLANG-ARGUMENT...]    against the expectations in
//   the files hsched-corpus --list FILE [-- CLANG-ARGUMENT...]                           everything, one line a
//   parameter
//
// Exit code: 1 when something is wrong, or less precise and not in FILE's lines "file function name"; 2 on misuse.
#include "Compare.h"

#include "analysis/regions/Owned.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <sstream>

using namespace clang;
using namespace hsched::cc;
using namespace hsched::cc::corpus;

namespace {

struct Options {
  bool List = false, Verbose = false, Trees = false;
  std::string Known;
  std::vector<std::string> Files, ClangArguments;
};

std::unique_ptr<ASTUnit> parse(const std::string &File, const std::string &Text, const Options &O) {
  std::vector<std::string> Args;
  if (llvm::StringRef(File).ends_with(".cl"))
    Args = {"-x",           "cl",      "-cl-std=CL2.0",         "-Xclang", "-finclude-default-header", "-Xclang",
            "-cl-ext=+all", "-target", "spir64-unknown-unknown"};
  else if (!llvm::StringRef(File).ends_with(".c"))
    Args = {"-std=c++20"};
  Args.insert(Args.end(), {"-resource-dir", HSCHED_CLANG_RESOURCE_DIR, "-fsyntax-only", "-w"});
  Args.insert(Args.end(), O.ClangArguments.begin(), O.ClangArguments.end());
  return tooling::buildASTFromCodeWithArgs(Text, Args, File);
}

void eachFunction(const DeclContext &Context, const SourceManager &SM,
                  const std::function<void(const FunctionDecl &)> &Each) {
  for (const Decl *D : Context.decls()) {
    if (const auto *Inner = dyn_cast<NamespaceDecl>(D))
      eachFunction(*Inner, SM, Each);
    else if (const auto *Linkage = dyn_cast<LinkageSpecDecl>(D))
      eachFunction(*Linkage, SM, Each);
    else if (const auto *F = dyn_cast<FunctionDecl>(D);
             F && F->isThisDeclarationADefinition() && SM.isInMainFile(SM.getExpansionLoc(F->getBeginLoc())))
      Each(*F);
  }
}

Inferred infer(Lowering &L, const FunctionDecl &F, const Expectation *E) {
  Inferred I;
  if (F.hasAttr<OpenCLKernelAttr>()) {
    KernelGeometry G;
    G.Dims = E && !E->Global.empty() ? unsigned(E->Global.size()) : E ? 1 : 3;
    for (std::size_t K = 0; E && K != E->Global.size() && K != 3; ++K) {
      G.Global[K] = E->Global[K];
      if (K < E->Local.size())
        G.Local[K] = E->Local[K];
    }
    I.Tree = L.lowerKernel(F, G);
  } else {
    I.Tree = L.lower(F);
    if (E) // what is expected of an object is expected of what it owns
      foldOwned(I.Tree, [&](unsigned Id) {
        return std::any_of(E->Accesses.begin(), E->Accesses.end(),
                           [&](const ExpectedAccess &A) { return A.Name == I.Tree.Roots[Id].Name; });
      });
  }
  conclude(I, F);
  return I;
}

// Tab-separated: function, whether it is a kernel, parameter, whether it points to const, is read, written,
// role, section, why there is no section.
void list(Lowering &L, const FunctionDecl &F) {
  const bool Kernel = F.hasAttr<OpenCLKernelAttr>();
  const Inferred I = infer(L, F, nullptr);
  for (unsigned P = 0; P != F.getNumParams(); ++P) {
    const QualType T = F.getParamDecl(P)->getType();
    if ((!T->isPointerType() && !T->isReferenceType()) || T->getPointeeType()->isFunctionType() ||
        T->getPointeeType().getAddressSpace() == LangAS::opencl_local ||
        T->getPointeeType().getAddressSpace() == LangAS::opencl_private)
      continue; // no data of the host's
    bool Read = false, Written = false;
    std::string Role = "none", Section, Why;
    for (unsigned Id = 0; Id != I.Tree.Roots.size(); ++Id) {
      const Root &R = I.Tree.Roots[Id];
      if (R.K != Root::Param || R.Index != P)
        continue;
      Read |= I.E->of(Id).Read;
      Written |= I.E->of(Id).Written;
      for (const InferredAccess &A : I.Accesses)
        if (A.Root == Id && A.Role != "none") {
          Role = A.Role;
          Section = print(A, I.Tree);
          Why = I.E->of(Id).Why;
        }
    }
    llvm::outs() << F.getNameAsString() << '\t' << Kernel << '\t' << F.getParamDecl(P)->getNameAsString() << '\t'
                 << T->getPointeeType().isConstQualified() << '\t' << Read << '\t' << Written << '\t' << Role << '\t'
                 << Section << '\t' << Why << '\n';
  }
}

struct Counts {
  unsigned Functions = 0, Verdicts[4] = {0, 0, 0, 0}, Unlisted = 0, Alarms = 0;
};

const char *const Names[] = {"agreed", "more precise", "less precise", "wrong"};

void check(Lowering &L, const FunctionDecl &F, const Expectation &E, const std::string &File,
           std::set<std::string> &Known, const Options &O, Counts &C) {
  ++C.Functions;
  Inferred I = infer(L, F, &E);
  if (O.Trees) {
    std::ostringstream Text;
    Text << I.Tree;
    llvm::outs() << F.getNameAsString() << ":\n" << Text.str();
  }
  const std::vector<Finding> Found = compare(E, I);
  for (const Finding &One : Found) {
    ++C.Verdicts[unsigned(One.V)];
    const std::string Key = File + " " + F.getNameAsString() + " " + One.Name;
    const bool Listed = One.V == Verdict::LessPrecise && Known.erase(Key);
    const bool Bad = One.V == Verdict::Wrong || (One.V == Verdict::LessPrecise && !Listed);
    C.Unlisted += One.V == Verdict::LessPrecise && !Listed;
    if (Bad || (O.Verbose && One.V != Verdict::Agreed)) {
      llvm::outs() << File << ":" << E.Line << ": " << F.getNameAsString() << ": " << Names[unsigned(One.V)]
                   << ": expected " << One.Expected << ", inferred " << One.Inferred;
      if (!One.Why.empty())
        llvm::outs() << " (" << One.Why << ")";
      llvm::outs() << "\n";
    }
  }
  for (const std::string &A : alarms(E, I)) {
    ++C.Alarms;
    llvm::outs() << File << ":" << E.Line << ": " << F.getNameAsString() << ": false alarm: " << A << "\n";
  }
}

bool readKnown(const std::string &File, std::set<std::string> &Out) {
  const auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return false;
  llvm::SmallVector<llvm::StringRef, 0> Lines;
  (*Buffer)->getBuffer().split(Lines, '\n');
  for (llvm::StringRef Line : Lines)
    if (Line = Line.split('#').first.trim(); !Line.empty())
      Out.insert(Line.str());
  return true;
}

bool readOptions(int Argc, char **Argv, Options &O) {
  int I = 1;
  for (; I < Argc && std::strcmp(Argv[I], "--") != 0; ++I)
    if (std::strcmp(Argv[I], "--list") == 0)
      O.List = true;
    else if (std::strcmp(Argv[I], "--verbose") == 0)
      O.Verbose = true;
    else if (std::strcmp(Argv[I], "--trees") == 0)
      O.Trees = true;
    else if (std::strcmp(Argv[I], "--known") == 0 && I + 1 < Argc)
      O.Known = Argv[++I];
    else
      O.Files.push_back(Argv[I]);
  for (++I; I < Argc; ++I)
    O.ClangArguments.push_back(Argv[I]);
  return !O.Files.empty();
}

} // namespace

int main(int Argc, char **Argv) {
  Options O;
  if (!readOptions(Argc, Argv, O)) {
    llvm::errs()
        << "usage: hsched-corpus [--known FILE] [--verbose] [--trees] [--list] FILE... [-- CLANG-ARGUMENT...]\n";
    return 2;
  }
  std::set<std::string> Known;
  if (!O.Known.empty() && !readKnown(O.Known, Known)) {
    llvm::errs() << O.Known << ": cannot be read\n";
    return 2;
  }
  Counts C;
  bool Failed = false;
  for (const std::string &File : O.Files) {
    const auto Buffer = llvm::MemoryBuffer::getFile(File);
    std::vector<Expectation> Expected;
    std::string Error = "cannot be read";
    if (!Buffer || (!O.List && !readExpectations((*Buffer)->getBuffer().str(), Expected, Error))) {
      llvm::errs() << File << ": " << Error << "\n";
      return 2;
    }
    const std::unique_ptr<ASTUnit> AST = parse(File, (*Buffer)->getBuffer().str(), O);
    if (!AST || (AST->getDiagnostics().hasErrorOccurred() && !O.List)) {
      llvm::errs() << File << ": does not compile\n";
      Failed = true;
      continue;
    }
    const SourceManager &SM = AST->getSourceManager();
    Lowering L(AST->getASTContext());
    std::map<unsigned, const Expectation *> ByLine;
    for (const Expectation &E : Expected)
      ByLine[E.Line] = &E;
    eachFunction(*AST->getASTContext().getTranslationUnitDecl(), SM, [&](const FunctionDecl &F) {
      if (O.List)
        return list(L, F);
      const auto It = ByLine.find(SM.getExpansionLineNumber(F.getBeginLoc()));
      if (It == ByLine.end())
        return;
      check(L, F, *It->second, llvm::sys::path::filename(File).str(), Known, O, C);
      ByLine.erase(It);
    });
    for (const auto &[Line, E] : ByLine) {
      llvm::outs() << File << ":" << Line << ": an expectation without a function\n";
      Failed = true;
    }
  }
  if (O.List)
    return Failed;
  for (const std::string &Stale : Known) {
    llvm::outs() << O.Known << ": no longer true: " << Stale << "\n";
    Failed = true;
  }
  llvm::outs() << C.Functions << " functions: agreed " << C.Verdicts[0] << ", more precise " << C.Verdicts[1]
               << ", less precise " << C.Verdicts[2] << " (not listed: " << C.Unlisted << "), wrong " << C.Verdicts[3]
               << "; false alarms " << C.Alarms << "\n";
  return Failed || C.Unlisted || C.Verdicts[3] || C.Alarms;
}
