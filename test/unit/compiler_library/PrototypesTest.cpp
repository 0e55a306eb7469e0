// The tables of known functions against the prototypes in this machine's headers. A pointer to const is not written. A
// pointer to a type that is not const has an effect. A followed argument is a pointer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/lower/LibraryTable.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"

#include <gtest/gtest.h>

using namespace clang;

namespace hsched::cc {
namespace {

struct Compared {
  unsigned Functions = 0;
  std::vector<std::string> Wrong;
};

void compare(const FunctionDecl &F, bool OpenCL, Compared &Out) {
  const LibraryFunction *Known = findLibraryFunction(F.getNameAsString(), OpenCL, F.getNumParams());
  if (!Known)
    return;
  ++Out.Functions;
  const auto Tell = [&](unsigned I, const std::string &What) {
    Out.Wrong.push_back(F.getNameAsString() + ", argument " + std::to_string(I) + ": " + What);
  };
  for (unsigned I = 0; I != F.getNumParams(); ++I) {
    const QualType T = F.getParamDecl(I)->getType();
    const bool Followed = T->isPointerType() && !T->isFunctionPointerType();
    const LibraryEffect *Effect = nullptr;
    bool Written = false;
    for (const LibraryEffect &E : Known->Effects)
      if (E.Argument == I || (E.AlsoLaterArguments && I > E.Argument)) {
        Effect = &E;
        Written |= E.Written;
      }
    const bool Opaque = T->isImageType() || T->isPipeType();
    if (Effect && !Followed && !Opaque && Effect->Argument == I && T->isArithmeticType())
      Tell(I, "no pointer");
    if (!Followed)
      continue;
    // OpenBLAS 0.3.21 has const where they write; get_fence looks at the address alone.
    if (F.getName() == "cblas_csrot" || F.getName() == "cblas_zdrot" || F.getName() == "get_fence")
      continue;
    const bool Const = T->getPointeeType().isConstQualified();
    if (Const && Written)
      Tell(I, "written, though a pointer to const");
    if (!Const && !Written && Known->Returns != int(I) && !(Effect && Effect->Read))
      Tell(I, "nothing is said of it");
  }
}

Compared compareAll(const std::string &Code, const std::vector<std::string> &Arguments, const std::string &File) {
  std::vector<std::string> All = Arguments;
  All.insert(All.end(), {"-resource-dir", HSCHED_CLANG_RESOURCE_DIR, "-w", "-fsyntax-only"});
  Compared Out;
  const std::unique_ptr<ASTUnit> AST = tooling::buildASTFromCodeWithArgs(Code, All, File);
  EXPECT_TRUE(AST && !AST->getDiagnostics().hasErrorOccurred()) << Code;
  if (!AST)
    return Out;
  const auto Visit = [&](auto &Self, const DeclContext *Context) -> void {
    for (const Decl *D : Context->decls())
      if (const auto *Linkage = dyn_cast<LinkageSpecDecl>(D))
        Self(Self, Linkage);
      else if (const auto *F = dyn_cast<FunctionDecl>(D); F && F->getIdentifier())
        compare(*F, AST->getLangOpts().OpenCL, Out);
  };
  Visit(Visit, AST->getASTContext().getTranslationUnitDecl());
  return Out;
}

std::string listed(const Compared &C) {
  std::string S;
  for (const std::string &W : C.Wrong)
    S += W + "\n";
  return S;
}

TEST(LibraryPrototypes, C) {
  const Compared C = compareAll("#define _GNU_SOURCE\n"
                                "#include <ctype.h>\n#include <inttypes.h>\n#include <math.h>\n#include <stdio.h>\n"
                                "#include <stdlib.h>\n#include <string.h>\n#include <strings.h>\n#include <time.h>\n"
                                "#include <unistd.h>\n#include <wchar.h>\n#include <complex.h>\n",
                                {"-O0"}, "all.c");
  EXPECT_GT(C.Functions, 300u);
  EXPECT_TRUE(C.Wrong.empty()) << listed(C);
}

TEST(LibraryPrototypes, VectorIntrinsics) {
#if defined(__x86_64__)
  const Compared C = compareAll("#include <immintrin.h>\n", {"-mavx512f"}, "simd.c");
  EXPECT_GT(C.Functions, 60u);
  EXPECT_TRUE(C.Wrong.empty()) << listed(C);
#else
  GTEST_SKIP() << "x86 alone";
#endif
}

TEST(LibraryPrototypes, Blas) {
  const Compared C = compareAll("#if __has_include(<cblas.h>)\n#include <cblas.h>\n#endif\n", {}, "blas.c");
  if (C.Functions == 0)
    GTEST_SKIP() << "no cblas.h";
  EXPECT_GT(C.Functions, 130u);
  EXPECT_TRUE(C.Wrong.empty()) << listed(C);
}

TEST(LibraryPrototypes, Lapack) {
  const Compared C = compareAll("#if __has_include(<lapacke.h>)\n#include <lapacke.h>\n#endif\n", {}, "lapack.c");
  if (C.Functions == 0)
    GTEST_SKIP() << "no lapacke.h";
  EXPECT_GT(C.Functions, 200u);
  EXPECT_TRUE(C.Wrong.empty()) << listed(C);
}

TEST(LibraryPrototypes, OpenCl) {
  for (const char *Standard : {"-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"}) {
    const Compared C = compareAll("#include <opencl-c.h>\n",
                                  {"-x", "cl", Standard, "-Xclang", "-cl-ext=+all", "-target", "spir64",
                                   "-I" HSCHED_CLANG_RESOURCE_DIR "/include"},
                                  "all.cl");
    EXPECT_GT(C.Functions, 5000u);
    EXPECT_TRUE(C.Wrong.empty()) << listed(C);
  }
}

} // namespace
} // namespace hsched::cc
