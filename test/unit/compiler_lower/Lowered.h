// Functions given as text, lowered and printed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_COMPILER_LOWER_LOWERED_H
#define HSCHED_TEST_COMPILER_LOWER_LOWERED_H

#include "analysis/lower/Lower.h"

#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>

namespace hsched::cc {

inline const clang::FunctionDecl *findFunction(const clang::DeclContext &In, const std::string &Name) {
  const clang::FunctionDecl *Found = nullptr;
  for (const clang::Decl *D : In.decls()) {
    if (const auto *F = llvm::dyn_cast<clang::FunctionDecl>(D); F && F->getNameAsString() == Name)
      Found = !Found || F->hasBody() ? F : Found;
    if (const auto *T = llvm::dyn_cast<clang::FunctionTemplateDecl>(D); T && T->getNameAsString() == Name)
      for (const clang::FunctionDecl *F : T->specializations())
        Found = F;
    if (const auto *C = llvm::dyn_cast<clang::DeclContext>(D); C && !Found && !llvm::isa<clang::FunctionDecl>(D))
      Found = findFunction(*C, Name);
  }
  return Found;
}

struct Parsed {
  std::unique_ptr<clang::ASTUnit> Unit;
  explicit Parsed(const std::string &Code, bool OpenCL = false) {
    std::vector<std::string> Args = {"-resource-dir=" HSCHED_TEST_RESOURCE_DIR, "-w", "-ferror-limit=5"};
    if (OpenCL)
      Args.insert(Args.end(), {"-xcl", "-cl-std=CL3.0", "-Xclang", "-finclude-default-header", "--target=spir64"});
    else
      Args.push_back("-std=c++20");
    Unit = clang::tooling::buildASTFromCodeWithArgs(Code, Args, OpenCL ? "k.cl" : "f.cpp");
    EXPECT_TRUE(Unit && !Unit->getDiagnostics().hasErrorOccurred()) << Code;
  }
  const clang::FunctionDecl &function(const std::string &Name = "f") const {
    const clang::FunctionDecl *F = findFunction(*Unit->getASTContext().getTranslationUnitDecl(), Name);
    EXPECT_TRUE(F) << Name;
    return *F;
  }
};

inline std::string print(const AccessTree &T) {
  std::ostringstream OS;
  OS << T;
  return OS.str();
}

// The tree of a function of Code.
inline std::string lowered(const std::string &Code, const std::string &Name = "f") {
  const Parsed P(Code);
  return print(Lowering(P.Unit->getASTContext()).lower(P.function(Name)));
}

// f(int n, int m, float *x, float *y) with this body.
inline std::string body(const std::string &Body, const std::string &Before = "") {
  return lowered(Before + "\nvoid f(int n, int m, float *x, float *y) {\n" + Body + "\n}\n");
}

// Kernel k of Code, over an ndrange.
inline std::string kernel(const std::string &Code, const std::vector<std::string> &Global,
                          const std::vector<std::string> &Local = {}) {
  const Parsed P(Code, /*OpenCL=*/true);
  KernelGeometry G;
  G.Dims = unsigned(Global.size());
  for (std::size_t I = 0; I != Global.size(); ++I)
    G.Global[I] = Global[I];
  for (std::size_t I = 0; I != Local.size(); ++I)
    G.Local[I] = Local[I];
  return print(Lowering(P.Unit->getASTContext()).lowerKernel(P.function("k"), G));
}

} // namespace hsched::cc
#endif
