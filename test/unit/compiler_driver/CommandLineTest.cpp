// What each word of a command line is taken for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/CommandLine.h"
#include "driver/Launcher.h"
#include "model/Warnings.h"

#include <gtest/gtest.h>

using namespace hsched::cc;

namespace {

StringList inputs(const CommandLine &Line) {
  StringList Result;
  for (const Argument &A : Line.Arguments)
    if (A.Kind == ArgumentKind::Input)
      Result.push_back(A.Value);
  return Result;
}

const Argument &only(const CommandLine &Line) {
  EXPECT_EQ(Line.Arguments.size(), 1u);
  return Line.Arguments.at(0);
}

TEST(CommandLine, ValuesJoinedAndApart) {
  for (const char *Name : {"-I", "-D", "-U", "-L", "-l", "-isystem", "-iquote", "-idirafter", "-include", "-B"}) {
    CommandLine Apart = parseCommandLine({Name, "x.cpp"});
    EXPECT_EQ(only(Apart).Name, Name);
    EXPECT_EQ(only(Apart).Value, "x.cpp");
    EXPECT_EQ(only(Apart).Words.size(), 2u);
    EXPECT_FALSE(Apart.hasInput()) << Name;
    CommandLine Joined = parseCommandLine({std::string(Name) + "x.cpp"});
    EXPECT_EQ(only(Joined).Name, Name);
    EXPECT_EQ(only(Joined).Value, "x.cpp");
    EXPECT_EQ(only(Joined).Words.size(), 1u);
  }
}

TEST(CommandLine, ValuesThatLookLikeInputs) {
  CommandLine Line =
      parseCommandLine({"-Xlinker",  "a.cpp", "--param",  "b.cpp", "-Xclang",  "c.cpp", "-T",        "d.cpp",
                        "-u",        "e.cpp", "-z",       "f.cpp", "-MF",      "g.cpp", "-aux-info", "h.cpp",
                        "-dumpbase", "i.cpp", "-wrapper", "j.cpp", "-imacros", "k.cpp", "real.cpp"});
  EXPECT_EQ(inputs(Line), StringList{"real.cpp"});
}

TEST(CommandLine, ShortFlagsAreNotPrefixesOfOthers) {
  // Each of these begins like an option that takes a value.
  for (const char *Word : {"-undef", "-help", "-export-dynamic", "-traditional-cpp"}) {
    CommandLine Line = parseCommandLine({Word, "a.cpp"});
    EXPECT_EQ(inputs(Line), StringList{"a.cpp"}) << Word;
  }
}

TEST(CommandLine, MissingValue) {
  EXPECT_NE(parseCommandLine({"a.cpp", "-o"}).Error.find("'-o'"), std::string::npos);
  EXPECT_NE(parseCommandLine({"a.cpp", "-MF"}).Error.find("'-MF'"), std::string::npos);
}

TEST(CommandLine, LanguagesBySuffix) {
  for (const char *Path : {"a.cpp", "a.cc", "a.cxx", "a.C", "a.c++", "a.cp", "a.CPP", "a.c", "d.ir/a.b.cpp"})
    EXPECT_EQ(languageOf(Path), Language::Cxx) << Path;
  for (const char *Path : {"a.o", "a.a", "a.so", "a.so.1", "a.s", "a.S", "a.h", "a", "d.cpp/a", "cpp", "a.cu"})
    EXPECT_EQ(languageOf(Path), Language::Other) << Path;
  EXPECT_EQ(languageOf("a.ii"), Language::PreprocessedCxx);
  EXPECT_EQ(languageOf("a.i"), Language::PreprocessedCxx);
}

TEST(CommandLine, LanguageByOption) {
  CommandLine Line = parseCommandLine({"-x", "c++", "a.txt", "-", "-xc", "b.cpp", "-x", "none", "c.cpp", "d.o"});
  std::vector<Language> Found;
  for (const Argument &A : Line.Arguments)
    if (A.Kind == ArgumentKind::Input)
      Found.push_back(A.InputLanguage);
  EXPECT_EQ(Found, (std::vector<Language>{Language::Cxx, Language::Cxx, Language::C, Language::Cxx, Language::Other}));
  EXPECT_EQ(Line.Arguments.back().ForcedLanguage, "");
}

TEST(CommandLine, FilesThatAreC) {
  auto languages = [](const StringList &Words, bool ForC) {
    std::vector<Language> Found;
    for (const Argument &A : parseCommandLine(Words, ForC).Arguments)
      if (A.Kind == ArgumentKind::Input)
        Found.push_back(A.InputLanguage);
    return Found;
  };
  using List = std::vector<Language>;
  EXPECT_EQ(languages({"a.c", "b.cpp", "c.i", "d.ii"}, true),
            (List{Language::C, Language::Cxx, Language::PreprocessedC, Language::PreprocessedCxx}));
  // As g++ does, unless the standard is one of C's.
  EXPECT_EQ(languages({"a.c", "b.cpp"}, false), (List{Language::Cxx, Language::Cxx}));
  EXPECT_EQ(languages({"a.c", "b.cpp", "-std=gnu17"}, false), (List{Language::C, Language::Cxx}));
  EXPECT_EQ(languages({"-std=c11", "a.c", "-std=c++17"}, false), (List{Language::Cxx}));
  EXPECT_EQ(languages({"-x", "c", "a.txt", "-x", "cpp-output", "b", "-x", "none", "c.c"}, false),
            (List{Language::C, Language::PreprocessedC, Language::Cxx}));
}

TEST(CommandLine, StandardInputNeedsALanguage) {
  CommandLine Line = parseCommandLine({"-E", "-"});
  EXPECT_EQ(inputs(Line), StringList{"-"});
  EXPECT_EQ(Line.Arguments.back().InputLanguage, Language::Other);
}

TEST(CommandLine, LastStage) {
  EXPECT_EQ(parseCommandLine({"a.cpp"}).Last, Stage::Link);
  EXPECT_EQ(parseCommandLine({"a.cpp", "-c"}).Last, Stage::Compile);
  EXPECT_EQ(parseCommandLine({"-S", "-c", "a.cpp"}).Last, Stage::Assemble);
  EXPECT_EQ(parseCommandLine({"-c", "-fsyntax-only", "a.cpp"}).Last, Stage::SyntaxOnly);
  EXPECT_EQ(parseCommandLine({"-E", "-c", "a.cpp"}).Last, Stage::Preprocess);
  EXPECT_EQ(parseCommandLine({"-E", "-MM", "a.cpp"}).Last, Stage::Dependencies);
  EXPECT_TRUE(parseCommandLine({"-MM", "a.cpp"}).Dependencies.SkipSystem);
}

TEST(CommandLine, Dependencies) {
  CommandLine Line = parseCommandLine({"-c", "a.cpp", "-MMD", "-MP", "-MF", "x.d", "-MTone", "-MQ", "two", "-MG"});
  const DependencyOptions &D = Line.Dependencies;
  EXPECT_TRUE(D.AsSideEffect && D.SkipSystem && D.Phony && D.MissingGenerated);
  EXPECT_EQ(D.File, "x.d");
  ASSERT_EQ(D.Targets.size(), 2u);
  EXPECT_EQ(D.Targets[0], std::make_pair(false, std::string("one")));
  EXPECT_EQ(D.Targets[1], std::make_pair(true, std::string("two")));
}

TEST(CommandLine, DependenciesThroughWp) {
  CommandLine Line = parseCommandLine({"-c", "a.cpp", "-Wp,-MD,x.d,-DA=1,-MT,t"});
  EXPECT_TRUE(Line.Dependencies.AsSideEffect);
  EXPECT_EQ(Line.Dependencies.File, "x.d");
  ASSERT_EQ(Line.Dependencies.Targets.size(), 1u);
  StringList Plain;
  for (const Argument &A : Line.Arguments)
    if (A.Kind == ArgumentKind::Plain)
      Plain.insert(Plain.end(), A.Words.begin(), A.Words.end());
  EXPECT_EQ(Plain, StringList{"-Wp,-DA=1"});
}

TEST(CommandLine, OwnOptions) {
  CommandLine Line = parseCommandLine({"--hsched-keep", "--hsched-metadata=m.json", "--hsched-emit=json",
                                       "-Wno-hsched-const", "-Werror=hsched-versions", "a.cpp"});
  EXPECT_TRUE(Line.Keep && Line.WantMetadata);
  EXPECT_EQ(Line.MetadataFile, "m.json");
  EXPECT_EQ(Line.Emit, EmitKind::Json);
  EXPECT_EQ(Line.WarningFlags, (StringList{"-Wno-hsched-const", "-Werror=hsched-versions"}));
  for (const Argument &A : Line.Arguments)
    EXPECT_TRUE(A.Kind == ArgumentKind::Own || A.Kind == ArgumentKind::Input);
}

TEST(CommandLine, OwnOptionsThatAreWrong) {
  EXPECT_NE(parseCommandLine({"--hsched-nonsense"}).Error.find("--hsched-nonsense"), std::string::npos);
  EXPECT_NE(parseCommandLine({"--hsched-emit=obj"}).Error.find("emit=obj"), std::string::npos);
  EXPECT_NE(parseCommandLine({"--hsched-metadata="}).Error, "");
  EXPECT_EQ(parseCommandLine({"--hsched-expalin"}).Error,
            "unknown option '--hsched-expalin'; did you mean '--hsched-explain'? --hsched-help lists them");
  EXPECT_EQ(parseCommandLine({"--hsched-help=errors"}).Error,
            "unknown option '--hsched-help=errors'; --hsched-help lists them");
}

TEST(CommandLine, UnknownOptionsAndEmptyWordsGoOn) {
  const CommandLine L =
      parseCommandLine({"-fnew-option", "a.cpp", "", "-shared-by-all", "-eager", "-undone", "-Xlinkers", "-"});
  ASSERT_EQ(L.Error, "");
  ASSERT_EQ(L.Arguments.size(), 8u);
  for (const Argument &A : L.Arguments)
    EXPECT_EQ(A.Words.size(), 1u);
  EXPECT_EQ(L.Arguments[2].Kind, ArgumentKind::Input);
  for (size_t I : {0, 3, 4, 5, 6})
    EXPECT_EQ(L.Arguments[I].Kind, ArgumentKind::Plain) << L.Arguments[I].Words[0];
}

WarningLevel levelOfConst(const StringList &Words) {
  return WarningLevels(parseCommandLine(Words).WarningFlags).of(Warning::Const);
}

TEST(Warnings, NamesGoBeforeGroups) {
  constexpr WarningLevel Off = WarningLevel::Off, On = WarningLevel::On, Error = WarningLevel::Error;
  EXPECT_EQ(levelOfConst({"a.cpp"}), On);
  EXPECT_EQ(levelOfConst({"-Wno-hsched-const"}), Off);
  EXPECT_EQ(levelOfConst({"-Wno-hsched-const", "-Whsched-const"}), On);
  EXPECT_EQ(levelOfConst({"-Whsched-const", "-Wno-hsched"}), On);
  EXPECT_EQ(levelOfConst({"-Wno-hsched"}), Off);
  EXPECT_EQ(levelOfConst({"-Wno-hsched-versions"}), On);
  EXPECT_EQ(levelOfConst({"-Wno-all", "-Wno-error"}), On);
  EXPECT_EQ(levelOfConst({"-Whsched", "-w"}), Off);
  EXPECT_EQ(levelOfConst({"-Werror"}), Error);
  EXPECT_EQ(levelOfConst({"-Werror=hsched"}), Error);
  EXPECT_EQ(levelOfConst({"-Werror=hsched-const"}), Error);
  EXPECT_EQ(levelOfConst({"-Werror=hsched-versions"}), On);
  EXPECT_EQ(levelOfConst({"-Werror=unused"}), On);
  EXPECT_EQ(levelOfConst({"-Wno-error=hsched", "-Werror"}), On);
  EXPECT_EQ(levelOfConst({"-Werror=hsched", "-Wno-error=hsched-const"}), On);
  EXPECT_EQ(levelOfConst({"-Werror=hsched", "-Wno-hsched-const"}), Off);
  EXPECT_EQ(levelOfConst({"-Wno-hsched-const", "-Werror=hsched-const"}), Error);
  EXPECT_EQ(levelOfConst({"-Wno-hsched-const", "-Wno-error=hsched-const"}), Off);
}

TEST(Warnings, EachHasAName) {
  for (const WarningInfo &I : allWarnings()) {
    EXPECT_EQ(suffixOf(I.Which), "[-Whsched-" + std::string(I.Name) + "]");
    EXPECT_EQ(findWarning(I.Name), &I);
    EXPECT_FALSE(I.Help.empty());
  }
  EXPECT_EQ(findWarning(""), nullptr);
  EXPECT_EQ(findWarning("unused"), nullptr);
}

TEST(Warnings, UnknownNames) {
  bool Fatal = false;
  EXPECT_EQ(problemWithFlag("-Whsched", Fatal), "");
  EXPECT_EQ(problemWithFlag("-Wno-error=hsched-const", Fatal), "");
  EXPECT_EQ(problemWithFlag("-Wunused", Fatal), "");
  EXPECT_NE(problemWithFlag("-Whschedule", Fatal), "");
  EXPECT_TRUE(Fatal);
  EXPECT_NE(problemWithFlag("-Wno-hsched-nonsense", Fatal).find("--hsched-help=warnings"), std::string::npos);
  EXPECT_FALSE(Fatal);
  EXPECT_NE(problemWithFlag("-Werror=hsched-cnost", Fatal).find("'-Werror=hsched-const'"), std::string::npos);
  EXPECT_TRUE(Fatal);
}

TEST(CommandLine, OneOutputForSeveralInputs) {
  EXPECT_NE(parseCommandLine({"-c", "a.cpp", "b.cpp", "-o", "x"}).Error, "");
  EXPECT_EQ(parseCommandLine({"a.cpp", "b.cpp", "-o", "x"}).Error, "");
  EXPECT_EQ(parseCommandLine({"-c", "a.cpp", "b.o", "-o", "x"}).Error, "");
}

TEST(CommandLine, WhatTheLinkMayNotHave) {
  for (const char *Word : {"-r", "-nostdlib", "-nodefaultlibs"})
    EXPECT_TRUE(parseCommandLine({Word, "a.cpp"}).NoRuntimeLink) << Word;
  EXPECT_TRUE(parseCommandLine({"a.hpp"}).NoRuntimeLink);
  EXPECT_TRUE(parseCommandLine({"-x", "c++-header", "a"}).NoRuntimeLink);
  EXPECT_FALSE(parseCommandLine({"-rdynamic", "-shared", "a.cpp"}).NoRuntimeLink);
  EXPECT_TRUE(parseCommandLine({"-static", "a.cpp"}).StaticLink);
  EXPECT_FALSE(parseCommandLine({"-static-libstdc++", "a.cpp"}).StaticLink);
}

TEST(CommandLine, QuestionsToTheHost) {
  for (const char *Word : {"-dumpversion", "-dumpmachine", "-print-search-dirs", "--print-file-name=x", "--help"})
    EXPECT_TRUE(parseCommandLine({Word}).QueriesHost) << Word;
  EXPECT_FALSE(parseCommandLine({"--version"}).QueriesHost);
  EXPECT_TRUE(parseCommandLine({"--version"}).Version);
}

TEST(CommandLine, NoWordIsLost) {
  StringList Words = {"-fno-such-flag", "-Wall", "-O2", "-g3", "-std=c++20", "a.cpp", "-weird=1", "-Wl,-z,now"};
  StringList Found;
  for (const Argument &A : parseCommandLine(Words).Arguments)
    Found.insert(Found.end(), A.Words.begin(), A.Words.end());
  EXPECT_EQ(Found, Words);
}

TEST(CommandLine, ForcedHeaders) {
  // As CMake has it with GCC, and with Clang.
  std::vector<ForcedInclude> Forced = forcedIncludes(parseCommandLine({"-include", "a.h", "-imacros", "m.h", "x.cpp"}));
  ASSERT_EQ(Forced.size(), 1u);
  EXPECT_EQ(Forced[0].Header, "a.h");
  CommandLine Line = parseCommandLine({"-Xclang", "-include-pch", "-Xclang", "a.h.pch", "-O2", "-Xclang", "-include",
                                       "-Xclang", "a.h", "-Xclang", "-fno-x", "-include-pch", "b.pch"});
  Forced = forcedIncludes(Line);
  ASSERT_EQ(Forced.size(), 3u);
  EXPECT_EQ(Forced[0].Header, "a.h");
  EXPECT_EQ(Forced[1].Header, "");
  EXPECT_EQ(Forced[1].First, 3u);
  EXPECT_EQ(Forced[1].Count, 2u);
  EXPECT_EQ(Forced[2].Header, "b");
}

TEST(Launcher, WhatComesBeforeTheCompilerSeesHschedCc) {
  std::string Error;
  EXPECT_FALSE(isLauncherCall({"-c", "--hsched-launcher"}));
  ASSERT_TRUE(isLauncherCall({"--hsched-launcher", "g++", "-c", "a.cpp"}));
  Launch L = parseLauncher({"--hsched-launcher", "g++", "-c", "a.cpp"}, Error);
  EXPECT_EQ(L.Launchers, StringList{});
  EXPECT_EQ(L.Arguments, (StringList{"--hsched-host=g++", "-c", "a.cpp"}));
  L = parseLauncher({"--hsched-launcher=/my bin/c++", "env", "A=1", "ccache", "/my bin/c++", "-c", "a.cpp"}, Error);
  EXPECT_EQ(L.Launchers, (StringList{"env", "A=1", "ccache"}));
  EXPECT_EQ(L.Arguments, (StringList{"--hsched-host=\"/my bin/c++\"", "-c", "a.cpp"}));
  EXPECT_EQ(Error, "");
  parseLauncher({"--hsched-launcher=g++", "clang++", "-c"}, Error);
  EXPECT_NE(Error, "");
}

} // namespace
