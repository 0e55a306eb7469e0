// compiler_print_tree FILE [FUNCTION...] [ndrange=A,B,C] [local=A,B,C] [-clang-option...]: Prints the access trees of a
// file's functions, or of the kernels of OpenCL C.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/Lower.h"

#include "clang/AST/Attr.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"

#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

using namespace hsched::cc;

static KernelGeometry Geometry;

static void sizes(const std::string &Text, std::array<std::optional<std::string>, 3> &Out) {
  std::stringstream In(Text);
  std::string One;
  for (unsigned K = 0; K != 3 && std::getline(In, One, ','); ++K) {
    Out[K] = One;
    Geometry.Dims = std::max(Geometry.Dims, K + 1);
  }
}

static void printAll(const clang::DeclContext &In, clang::SourceManager &SM, const std::set<std::string> &Names,
                     Lowering &L) {
  for (const clang::Decl *D : In.decls()) {
    if (const auto *C = llvm::dyn_cast<clang::DeclContext>(D); C && !llvm::isa<clang::FunctionDecl>(D))
      printAll(*C, SM, Names, L);
    std::vector<const clang::FunctionDecl *> All;
    if (const auto *F = llvm::dyn_cast<clang::FunctionDecl>(D); F && F->isThisDeclarationADefinition())
      All.push_back(F);
    if (const auto *T = llvm::dyn_cast<clang::FunctionTemplateDecl>(D))
      for (const clang::FunctionDecl *F : T->specializations())
        All.push_back(F);
    for (const clang::FunctionDecl *F : All) {
      if (Names.empty() ? !SM.isInMainFile(F->getLocation()) : !Names.count(F->getNameAsString()))
        continue;
      std::cout << "== " << F->getNameAsString() << "\n";
      const bool Kernel = F->hasAttr<clang::OpenCLKernelAttr>();
      const AccessTree T = Kernel ? L.lowerKernel(*F, Geometry) : L.lower(*F);
      for (std::size_t I = 0; I != T.Roots.size(); ++I)
        std::cout << "  root " << I << ": " << T.Roots[I] << "\n";
      std::cout << T;
    }
  }
}

int main(int Argc, char **Argv) {
  std::ifstream In(Argv[1]);
  std::stringstream Text;
  Text << In.rdbuf();
  const std::string File = Argv[1];
  std::vector<std::string> Args = {"-resource-dir=" HSCHED_TEST_RESOURCE_DIR, "-w"};
  if (llvm::StringRef(File).ends_with(".cl"))
    Args.insert(Args.end(), {"-xcl", "-cl-std=CL3.0", "-Xclang", "-finclude-default-header", "--target=spir64"});
  else
    Args.push_back("-std=c++20");
  std::set<std::string> Names;
  for (int I = 2; I < Argc; ++I) {
    const std::string Arg = Argv[I];
    if (Arg[0] == '-')
      Args.push_back(Arg);
    else if (Arg.rfind("ndrange=", 0) == 0)
      sizes(Arg.substr(8), Geometry.Global);
    else if (Arg.rfind("local=", 0) == 0)
      sizes(Arg.substr(6), Geometry.Local);
    else
      Names.insert(Arg);
  }
  const auto Unit = clang::tooling::buildASTFromCodeWithArgs(Text.str(), Args, File);
  if (!Unit)
    return 1;
  Lowering L(Unit->getASTContext());
  printAll(*Unit->getASTContext().getTranslationUnitDecl(), Unit->getSourceManager(), Names, L);
}
