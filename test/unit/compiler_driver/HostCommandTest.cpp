// The host compiler's command lines, and the names of what it writes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/HostCommand.h"

#include <gtest/gtest.h>

using namespace hsched::cc;

namespace {

const HostCompiler Gcc = {{"g++"}, false};
const Installation Home = {"/p/bin/hsched-cc", "/p/include", "/p/lib"};

std::string joined(const StringList &Words) {
  std::string Result;
  for (const std::string &Word : Words)
    Result += (Result.empty() ? "" : " ") + Word;
  return Result;
}

std::string forwarded(const StringList &Words) {
  return joined(forwardCommand(Gcc, Home, parseCommandLine(Words), {}, nullptr));
}

TEST(HostCommand, PlainFilesGetTheUsersLine) {
  EXPECT_EQ(forwarded({"-O2", "-c", "a.cpp", "--hsched-keep", "-fweird", "-o", "a.o", "-MD"}),
            "g++ " + versionDefinition() + " -O2 -c a.cpp -fweird -o a.o -MD -isystem /p/include");
}

TEST(HostCommand, SystemFoldersAreNotMovedForward) {
  Installation System = {"/usr/bin/hsched-cc", "/usr/include", "/usr/lib"};
  EXPECT_EQ(System.includeFlags(), StringList{});
}

TEST(HostCommand, ObjectsTakeTheirInputsPlace) {
  CommandLine Line = parseCommandLine({"a.o", "b.cpp", "-x", "c++", "c.txt", "-lz"});
  std::map<const Argument *, std::string> Objects = {{&Line.Arguments[1], "/t/b.o"}, {&Line.Arguments[3], "/t/c.o"}};
  std::string Command = joined(forwardCommand(Gcc, Home, Line, Objects, nullptr));
  EXPECT_NE(Command.find(" a.o /t/b.o -x c++ -x none /t/c.o -x c++ -lz "), std::string::npos) << Command;
  EXPECT_NE(Command.find("--as-needed -lhsched -Wl,--pop-state"), std::string::npos) << Command;
  EXPECT_NE(Command.find("-Wl,-rpath,/p/lib"), std::string::npos) << Command;
}

TEST(HostCommand, SharesName) {
  CommandLine Line = parseCommandLine({"-c", "a.cpp", "b.cpp"});
  EXPECT_EQ(joined(forwardCommand(Gcc, Home, Line, {}, &Line.Arguments[2])),
            "g++ " + versionDefinition() + " -c b.cpp -isystem /p/include");
}

TEST(HostCommand, GeneratedSource) {
  CommandLine Line =
      parseCommandLine({"-x", "c++", "d/a.cpp", "-c", "-Iq", "-lz", "-MD", "-MP", "-MT", "t", "-o", "a.o"});
  GeneratedInput Input = {"/t/0-a.hsched.cpp", "d/a.cpp", "d"};
  EXPECT_EQ(joined(compileCommand(Gcc, Home, Line, Input, "a.o", "/t/a.d", "a.o")),
            "g++ " + versionDefinition() +
                " -iquote d -Iq -isystem /p/include -ffile-prefix-map=/t/0-a.hsched.cpp=d/a.cpp -frandom-seed=d/a.cpp"
                " -MD -MF /t/a.d -MT t -c /t/0-a.hsched.cpp -o a.o");
}

UnitOutputs outputs(const StringList &Words, bool IsClang = false) {
  return outputsOf(parseCommandLine(Words), IsClang, "d/a.cpp");
}

TEST(HostCommand, NamesOfOutputs) {
  EXPECT_EQ(outputs({"-c"}).Output, "a.o");
  EXPECT_EQ(outputs({"-S"}).Output, "a.s");
  EXPECT_EQ(outputs({"-c", "-o", "x/b.obj"}).Output, "x/b.obj");
  EXPECT_EQ(outputs({"-c"}).DependencyFile, "");
}

TEST(HostCommand, NamesOfDependencyFiles) {
  EXPECT_EQ(outputs({"-c", "-MD"}).DependencyFile, "a.d");
  EXPECT_EQ(outputs({"-c", "-MD"}).DefaultTarget, "a.o");
  EXPECT_EQ(outputs({"-c", "-MD", "-o", "x/b.o"}).DependencyFile, "x/b.d");
  EXPECT_EQ(outputs({"-c", "-MD", "-o", "x/b.o"}).DefaultTarget, "x/b.o");
  EXPECT_EQ(outputs({"-c", "-MD", "-MF", "y.d", "-o", "x/b.o"}).DependencyFile, "y.d");
  EXPECT_EQ(outputs({"-MD"}).DependencyFile, "a-a.d");
  EXPECT_EQ(outputs({"-MD"}, true).DependencyFile, "a.d");
  EXPECT_EQ(outputs({"-MD", "-o", "prog"}).DependencyFile, "prog.d");
  EXPECT_EQ(outputs({"-M"}).DependencyFile, "-");
  EXPECT_EQ(outputs({"-MM", "-o", "z.d"}).DependencyFile, "z.d");
  EXPECT_EQ(outputs({"-MM", "-o", "z.d"}).DefaultTarget, "a.o");
}

} // namespace
