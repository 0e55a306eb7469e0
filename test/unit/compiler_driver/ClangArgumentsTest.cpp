// The part of a command line that is passed to Clang.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ClangArguments.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace hsched::cc;

namespace {

StringList argumentsFor(StringList Words, ClangSettings Settings = {}) {
  Words.push_back("a.cpp");
  CommandLine Line = parseCommandLine(Words);
  return clangArguments(Line, Line.Arguments.back(), Settings);
}

/// What follows the flags that are always there.
StringList userPart(StringList Words) {
  StringList All = argumentsFor(std::move(Words));
  EXPECT_EQ(StringList(All.begin(), All.begin() + 3), (StringList{"-x", "c++", "-std=gnu++17"}));
  return {All.begin() + 3, All.end()};
}

TEST(ClangArguments, WhatChangesMeaningIsKept) {
  StringList Words = {"-I",
                      "d",
                      "-Ie",
                      "-isystem",
                      "s",
                      "-include",
                      "p.h",
                      "-DA=1",
                      "-UB",
                      "-O2",
                      "-mavx2",
                      "-mno-sse4",
                      "-m32",
                      "-pthread",
                      "-std=c++20",
                      "-fno-rtti",
                      "-march=native",
                      "-fno-exceptions",
                      "-funsigned-char"};
  EXPECT_EQ(userPart(Words), Words);
}

TEST(ClangArguments, WhatOnlyGccKnowsIsNot) {
  EXPECT_EQ(userPart({"-fno-tree-vectorize", "-fgcse", "-mno-avx256-split-unaligned-load", "-Wlogical-op", "--param",
                      "x=1", "-g", "-fconcepts-diagnostics-depth=2", "-Wall", "-c", "-o", "x", "-MD", "-lfoo",
                      "-mtune-ctrl=x", "-pipe", "-save-temps"}),
            StringList{});
}

TEST(ClangArguments, PreprocessorWords) {
  EXPECT_EQ(userPart({"-Wp,-DA,-MD,f,-Ix", "-Xpreprocessor", "-DB"}), (StringList{"-DA", "-Ix", "-DB"}));
}

TEST(ClangArguments, OpenMpIsTheHosts) {
  ClangSettings Settings;
  Settings.GccInstallDir = "/gcc";
  StringList Found = argumentsFor({"-fopenmp"}, Settings);
  EXPECT_EQ(Found.front(), "--gcc-install-dir=/gcc");
  EXPECT_EQ(std::count(Found.begin(), Found.end(), "-fopenmp"), 0);
  EXPECT_EQ(std::count(Found.begin(), Found.end(), "-D_OPENMP=201511"), 1);
  EXPECT_EQ(std::count(Found.begin(), Found.end(), "/gcc/include"), 1);

  ClangSettings Clang;
  Clang.HostIsClang = true;
  EXPECT_EQ(argumentsFor({"-fopenmp"}, Clang).back(), "-fopenmp");
}

TEST(ClangArguments, PreprocessedInput) {
  CommandLine Line = parseCommandLine({"a.ii"});
  StringList Found = clangArguments(Line, Line.Arguments[0], {});
  EXPECT_EQ(Found[1], "c++-cpp-output");
}

TEST(ClangArguments, OwnFoldersComeAfterTheUsers) {
  ClangSettings Settings;
  Settings.Before = {"-D__HSCHED__=1"};
  Settings.After = {"-isystem", "ours"};
  EXPECT_EQ(
      argumentsFor({"-Imine", "-isystem", "theirs"}, Settings),
      (StringList{"-x", "c++", "-std=gnu++17", "-D__HSCHED__=1", "-Imine", "-isystem", "theirs", "-isystem", "ours"}));
}

TEST(ClangArguments, IncludeDirs) {
  EXPECT_EQ(includeDirs(parseCommandLine({"-Ia", "-I", "b", "-isystem", "c"})), (StringList{"a", "b"}));
}

} // namespace
