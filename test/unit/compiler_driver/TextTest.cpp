// Quoting, response files, dependency rules, line markers, and the search for directives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/DependencyFile.h"
#include "driver/DirectiveScan.h"
#include "driver/Files.h"
#include "driver/PreprocessedText.h"
#include "driver/ResponseFile.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

using namespace hsched::cc;

namespace {

class Folder {
public:
  Folder() {
    std::string Pattern = std::filesystem::temp_directory_path() / "hsched-test-XXXXXX";
    Path = mkdtemp(Pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(Path); }
  std::string add(const std::string &Name, const std::string &Text) {
    std::string File = Path + "/" + Name;
    std::filesystem::create_directories(parentOf(File));
    EXPECT_TRUE(writeFile(File, Text));
    return File;
  }
  std::string Path;
};

TEST(Quoting, SplitsAsGccDoes) {
  EXPECT_EQ(splitQuoted(" a  b\nc\t"), (StringList{"a", "b", "c"}));
  EXPECT_EQ(splitQuoted("-DA='x y' \"p q\"r ''"), (StringList{"-DA=x y", "p qr", ""}));
  EXPECT_EQ(splitQuoted("a\\ b \"c\\\"d\" '\\''"), (StringList{"a b", "c\"d", "'"}));
  EXPECT_EQ(splitQuoted(""), StringList{});
}

TEST(Quoting, BackAndForth) {
  for (const char *Word : {"plain", "", "with space", "q\"uote", "back\\slash", "it's", "tab\tnew\nline"})
    EXPECT_EQ(splitQuoted(quoteWord(Word)), StringList{Word});
}

TEST(ResponseFiles, Nested) {
  Folder F;
  std::string Inner = F.add("inner", "-DB 'x y.cpp'");
  std::string Outer = F.add("outer", "-DA @" + Inner + "\n-DC");
  StringList Words = {"first", "@" + Outer, "last", "@/nowhere/at/all"};
  std::string Error;
  EXPECT_TRUE(expandResponseFiles(Words, Error));
  EXPECT_EQ(Words, (StringList{"first", "-DA", "-DB", "x y.cpp", "-DC", "last", "@/nowhere/at/all"}));
}

TEST(ResponseFiles, OneThatNamesItself) {
  Folder F;
  std::string File = F.Path + "/self";
  F.add("self", "@" + File);
  StringList Words = {"@" + File};
  std::string Error;
  EXPECT_FALSE(expandResponseFiles(Words, Error));
  EXPECT_NE(Error.find(File), std::string::npos);
}

TEST(Dependencies, GeneratedFileIsReplaced) {
  DependencyRewrite R;
  R.GeneratedFile = "/tmp/x y/0-a.cpp";
  R.UserFile = "src/a.cpp";
  R.More = {"k.cl", "src/h.h"};
  EXPECT_EQ(rewriteDependencies("a.o: /tmp/x\\ y/0-a.cpp \\\n src/h.h /usr/include/$$a\n", R),
            "a.o: src/a.cpp src/h.h /usr/include/$$a k.cl\n");
}

TEST(Dependencies, PhonyTargetsAndOddNames) {
  DependencyRewrite R;
  R.GeneratedFile = "/t/g.cpp";
  R.UserFile = "a b.cpp";
  R.More = {"k#1.cl"};
  R.Phony = true;
  R.DotRemoved = true;
  EXPECT_EQ(rewriteDependencies("x\\ y.o: /t/g.cpp ./h\\ 1.h\n", R),
            "x\\ y.o: a\\ b.cpp h\\ 1.h k\\#1.cl\nh\\ 1.h:\nk\\#1.cl:\n");
}

TEST(Dependencies, LongRulesAreFolded) {
  DependencyRewrite R;
  R.UserFile = "a.cpp";
  std::string Rule = "a.o: g.cpp";
  for (int I = 0; I < 30; ++I)
    R.More.push_back("some/folder/header" + std::to_string(I) + ".h");
  std::string Text = rewriteDependencies(Rule + "\n", R);
  size_t Longest = 0, Column = 0;
  for (char C : Text)
    Longest = std::max(Longest, Column = C == '\n' ? 0 : Column + 1);
  EXPECT_LE(Longest, 80u);
  EXPECT_NE(Text.find(" \\\n"), std::string::npos);
}

TEST(LineMarkers, NameTheUsersFile) {
  LineMarkers M;
  M.GeneratedFile = "/t/g.cpp";
  M.UserFile = "a.cpp";
  M.DotRemoved = true;
  M.More = {"k.cl"};
  EXPECT_EQ(
      rewriteLineMarkers("# 0 \"/t/g.cpp\"\n# 1 \"./h.h\" 1\nint /t/g.cpp; # 1 \"/t/g.cpp\"\n# 2 \"/t/g.cpp\" 2\n", M),
      "# 0 \"a.cpp\"\n# 1 \"h.h\" 1\nint /t/g.cpp; # 1 \"/t/g.cpp\"\n# 2 \"a.cpp\" 2\n# 1 \"k.cl\"\n# 1 \"a.cpp\"\n");
}

bool scan(const std::string &File, const StringList &Flags = {}) {
  StringList Words = Flags;
  Words.push_back(File);
  CommandLine Line = parseCommandLine(Words);
  return mayHaveDirectives(File, parentOf(File), Line.Arguments.back(), Line);
}

TEST(Scan, TheFileItself) {
  Folder F;
  EXPECT_FALSE(scan(F.add("a.cpp", "#include <vector>\n#include \"missing.h\"\nint main() {}\n")));
  EXPECT_TRUE(scan(F.add("b.cpp", "#pragma hsched task\nvoid f();\n")));
  EXPECT_TRUE(scan(F.add("c.cpp", "#pragma hs\\\nched task\nvoid f();\n")));
  EXPECT_TRUE(scan(F.add("d.cpp", "#define T _Pragma(\"hsched task\")\n")));
}

TEST(Scan, WhatItIncludes) {
  Folder F;
  F.add("sub/h.h", "#include \"deep.h\"\n");
  F.add("sub/deep.h", "#pragma hsched task\nvoid f();\n");
  F.add("cycle.h", "#include \"cycle.h\"\n");
  EXPECT_TRUE(scan(F.add("a.cpp", "#include \"sub/h.h\"\n")));
  EXPECT_FALSE(scan(F.add("b.cpp", "#include <h.h>\n")));
  EXPECT_TRUE(scan(F.Path + "/b.cpp", {"-I" + F.Path + "/sub"}));
  EXPECT_TRUE(scan(F.Path + "/b.cpp", {"-isystem", F.Path + "/sub"}));
  EXPECT_FALSE(scan(F.Path + "/b.cpp", {"-iquote", F.Path + "/sub"}));
  EXPECT_FALSE(scan(F.add("c.cpp", "#include \"cycle.h\"\n")));
  EXPECT_TRUE(scan(F.Path + "/c.cpp", {"-include", F.Path + "/sub/h.h"}));
  EXPECT_TRUE(scan(F.add("d.cpp", "#if 0\n#endif\n  #  include\t\"sub/deep.h\"\n")));
  EXPECT_TRUE(scan(F.add("e.cpp", "# /* why */ include \"sub/deep.h\"\n")));
}

TEST(Scan, FirstPlaceFoundCounts) {
  Folder F;
  F.add("one/h.h", "int A;\n");
  F.add("two/h.h", "#pragma hsched task\nvoid f();\n");
  std::string File = F.add("a.cpp", "#include <h.h>\n"), Next = F.add("b.cpp", "#include_next <h.h>\n");
  StringList Flags = {"-I", F.Path + "/one", "-I", F.Path + "/two"};
  EXPECT_FALSE(scan(File, Flags));
  EXPECT_TRUE(scan(Next, Flags));
}

TEST(Scan, NamesFromMacrosAreNotTrusted) {
  Folder F;
  EXPECT_TRUE(scan(F.add("a.cpp", "#include NAME\n")));
  EXPECT_FALSE(scan(F.add("b.cpp", "int includes; // include what you use\n")));
}

TEST(Scan, PreprocessedTextNeedsAPragmaLine) {
  Folder F;
  EXPECT_FALSE(scan(F.add("a.ii", "# 1 \"hsched.cpp\"\nint hsched_x;\n")));
  EXPECT_TRUE(scan(F.add("b.ii", "# 1 \"a.cpp\"\n#pragma hsched task\nvoid f();\n")));
}

} // namespace
