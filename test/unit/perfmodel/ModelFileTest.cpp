// Files of execution times: round trips, refused files and their messages, several processes at once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "perfmodel/ModelFile.h"
#include "perfmodel/RunStats.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace hsched::rt;
namespace fs = std::filesystem;

namespace {

struct ModelFiles : testing::Test {
  void SetUp() override {
    std::string Pattern = fs::temp_directory_path() / "hsched-models-XXXXXX";
    ASSERT_TRUE(mkdtemp(Pattern.data()));
    Folder = Pattern;
  }
  void TearDown() override { fs::remove_all(Folder); }
  std::string path(const char *Name = "m.json") const { return Folder + "/" + Name; }

  static ModelEntry entry(const char *Task, uint64_t Bytes, uint64_t Runs, std::vector<float> Recent) {
    return {Task, "", "v", "", "c0de", "opencl: GPU", Bytes, Runs, std::move(Recent)};
  }

  std::string Folder;
};

TEST_F(ModelFiles, ComeBackAsTheyWere) {
  ModelFile File;
  File.Entries = {
      entry("a", 1024, 7, {1.5, 2, 3e9}),
      {"_Z1b", "n::b<int>", "_Z2b2", "b2", "", "cpu: \"quoted\" \xc3\xa4", sizeClassOf(0, 0.25), 3, {0, 1, 2}}};
  ASSERT_TRUE(File.write(path()).ok());
  ModelFile Back;
  ASSERT_TRUE(Back.read(path()).ok());
  ASSERT_EQ(Back.Entries.size(), 2u);
  for (size_t I = 0; I < 2; ++I) {
    EXPECT_TRUE(Back.Entries[I].sameAs(File.Entries[I])) << I;
    EXPECT_EQ(Back.Entries[I].TaskName, File.Entries[I].TaskName);
    EXPECT_EQ(Back.Entries[I].Runs, File.Entries[I].Runs);
    EXPECT_EQ(Back.Entries[I].Recent, File.Entries[I].Recent);
  }
  EXPECT_EQ(ModelFile().read(path("none")).code(), hsched::errc::not_found);
}

TEST_F(ModelFiles, WhatIsWrongIsNamedWithItsPlace) {
  const std::string Good = R"("task": "t", "version": "v", "bytes": 8, "recent_ns": [1])";
  auto file = [](const std::string &Entry) { return R"({"hsched_models": 1, "entries": [{)" + Entry + "}]}"; };
  const std::pair<std::string, const char *> Cases[] = {
      {"", "no JSON"},
      {"[", "no JSON"},
      {"[]", "it needs \"hsched_models\": 1"},
      {R"({"entries": []})", "it needs \"hsched_models\": 1"},
      {R"({"hsched_models": 2, "entries": []})", "hsched_models is not 1"},
      {R"({"hsched_models": 1})", "needs \"entries\", a list"},
      {R"({"hsched_models": 1, "entries": {}})", "needs \"entries\", a list"},
      {R"({"hsched_models": 1, "entries": [3]})", "entries[0] is not an object"},
      {file(R"("version": "v", "bytes": 8, "recent_ns": [1])"), "entries[0] needs \"task\", a string"},
      {file(R"("task": "", "version": "v", "bytes": 8, "recent_ns": [1])"), "entries[0].task is not a string"},
      {file(R"("task": "t", "version": 3, "bytes": 8, "recent_ns": [1])"), "entries[0].version is not a string"},
      {file(Good + R"(, "device": [])"), "entries[0].device is not a string"},
      {file(Good + R"(, "size": 3)"), "entries[0] has an unknown field \"size\""},
      {file(Good + R"(, "cost": 3)"), "entries[0] needs one of \"bytes\" and \"cost\""},
      {file(R"("task": "t", "version": "v", "recent_ns": [1])"), "entries[0] needs one of \"bytes\" and \"cost\""},
      {file(R"("task": "t", "version": "v", "bytes": -8, "recent_ns": [1])"), "entries[0].bytes is not a whole number"},
      {file(R"("task": "t", "version": "v", "bytes": 8.5, "recent_ns": [1])"),
       "entries[0].bytes is not a whole number"},
      {file(R"("task": "t", "version": "v", "bytes": 9223372036854775808, "recent_ns": [1])"), "entries[0].bytes"},
      {file(R"("task": "t", "version": "v", "cost": -1, "recent_ns": [1])"),
       "entries[0].cost is not a number from 0 on"},
      {file(R"("task": "t", "version": "v", "bytes": 8)"), "needs one of \"recent_ns\" and \"expected_ns\""},
      {file(Good + R"(, "expected_ns": 3)"), "needs one of \"recent_ns\" and \"expected_ns\""},
      {file(R"("task": "t", "version": "v", "bytes": 8, "recent_ns": [])"),
       "entries[0].recent_ns is not a list of 1 to 16"},
      {file(R"("task": "t", "version": "v", "bytes": 8, "recent_ns": 1)"), "entries[0].recent_ns is not a list"},
      {file(R"("task": "t", "version": "v", "bytes": 8, "recent_ns": [1, -2])"),
       "entries[0].recent_ns[1] is not a number"},
      {file(R"("task": "t", "version": "v", "bytes": 8, "recent_ns": [1, "x"])"),
       "entries[0].recent_ns[1] is not a number"},
      {file(R"("task": "t", "version": "v", "bytes": 8, "expected_ns": 1e30)"),
       "entries[0].expected_ns is not a number"},
      {file(Good + R"(, "runs": -1)"), "entries[0].runs is not a whole number"},
  };
  for (const auto &[Text, Expected] : Cases) {
    ModelFile File;
    File.Entries = {entry("kept", 1, 1, {1})};
    const hsched::status Read = File.parse(Text, "models.json");
    EXPECT_EQ(Read.code(), hsched::errc::invalid_argument) << Text;
    EXPECT_NE(Read.message().find(Expected), std::string::npos) << Read.message();
    EXPECT_EQ(Read.message().rfind("models.json: ", 0), 0u) << Read.message();
    EXPECT_EQ(File.Entries.size(), 1u) << Text;
  }
  ModelFile File;
  EXPECT_TRUE(File.parse(file(Good), "f").ok());
  EXPECT_EQ(File.Entries[0].Runs, 1u);
  // As deep as it likes.
  EXPECT_EQ(File.parse(std::string(1'000'000, '['), "f").code(), hsched::errc::invalid_argument);
}

TEST_F(ModelFiles, AHintCountsAsSoManyRuns) {
  ModelFile File;
  ASSERT_TRUE(File.parse(R"({"hsched_models": 1, "entries":
    [{"task": "t", "version": "v", "device": "opencl", "cost": 2, "expected_ns": 500}]})",
                         "f")
                  .ok());
  EXPECT_EQ(File.Entries[0].Runs, RunStats::ChangeAfter);
  EXPECT_EQ(File.Entries[0].medianNs(), 500);
  EXPECT_EQ(costOf(File.Entries[0].Size), 2);
}

TEST_F(ModelFiles, RunsAreAdded) {
  ModelFile File;
  File.add(entry("a", 8, 3, {10, 11, 12}));
  File.add(entry("a", 16, 1, {90}));
  File.add(entry("a", 8, 20, {13, 14}));
  ASSERT_EQ(File.Entries.size(), 2u);
  EXPECT_EQ(File.Entries[0].Runs, 23u);
  EXPECT_EQ(File.Entries[0].Recent, (std::vector<float>{10, 11, 12, 13, 14}));
  // Four that differ take the place of what was.
  File.add(entry("a", 8, 4, {11, 12, 10}));
  File.add(entry("a", 8, 4, {100, 101, 102, 103}));
  EXPECT_EQ(File.Entries[0].Recent, (std::vector<float>{100, 101, 102, 103}));
  for (auto Change : {&ModelEntry::Version, &ModelEntry::Code, &ModelEntry::Device, &ModelEntry::Task}) {
    ModelEntry Other = entry("a", 8, 1, {1});
    Other.*Change = "other";
    File.add(Other);
  }
  EXPECT_EQ(File.Entries.size(), 6u);
}

TEST_F(ModelFiles, ProcessesLoseNothing) {
  constexpr int Processes = 4, Rounds = 25;
  std::vector<pid_t> Children;
  for (int P = 0; P < Processes; ++P) {
    pid_t Child = fork();
    ASSERT_GE(Child, 0);
    if (Child == 0) {
      bool Good = true;
      for (int I = 0; I < Rounds; ++I)
        Good = updateModels(path("deep/er/m.json"),
                            {entry("shared", 8, 2, {5, 6}), entry(("own" + std::to_string(P)).c_str(), 8, 1, {7})})
                   .ok() &&
               Good;
      _exit(Good ? 0 : 1);
    }
    Children.push_back(Child);
  }
  for (pid_t Child : Children) {
    int Status = 0;
    ASSERT_EQ(waitpid(Child, &Status, 0), Child);
    EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
  }
  ModelFile File;
  ASSERT_TRUE(File.read(path("deep/er/m.json")).ok());
  EXPECT_EQ(File.Entries.size(), 1u + Processes);
  for (const ModelEntry &E : File.Entries)
    EXPECT_EQ(E.Runs, E.Task == "shared" ? 2u * Processes * Rounds : Rounds) << E.Task;
  for (const auto &Left : fs::directory_iterator(Folder + "/deep/er"))
    EXPECT_TRUE(Left.path().filename() == "m.json" || Left.path().filename() == "m.json.lock") << Left.path();
}

TEST_F(ModelFiles, ADamagedFileIsRenamedAndReplaced) {
  std::ofstream(path()) << "{\"hsched_models\": 1, \"entr";
  const hsched::status Done = updateModels(path(), {entry("a", 8, 1, {1})});
  EXPECT_EQ(Done.code(), hsched::errc::invalid_argument);
  EXPECT_NE(Done.message().find("it is kept as '" + path() + ".damaged'"), std::string::npos) << Done.message();
  ModelFile File;
  ASSERT_TRUE(File.read(path()).ok());
  EXPECT_EQ(File.Entries.size(), 1u);
  EXPECT_TRUE(fs::exists(path() + ".damaged"));
}

TEST_F(ModelFiles, AFailedWriteIsReported) {
  fs::create_directory(path());
  const hsched::status OnFolder = updateModels(path(), {entry("a", 8, 1, {1})}),
                       Nowhere = ModelFile().write("/proc/none/m.json");
  EXPECT_FALSE(OnFolder.ok());
  EXPECT_NE(OnFolder.message().find(path()), std::string::npos) << OnFolder.message();
  EXPECT_TRUE(fs::is_directory(path()));
  EXPECT_EQ(Nowhere.code(), hsched::errc::io);
  EXPECT_NE(Nowhere.message().find("/proc/none/m.json"), std::string::npos) << Nowhere.message();
}

TEST_F(ModelFiles, AChangeThatThrowsChangesNothing) {
  ASSERT_TRUE(updateModels(path(), {entry("a", 8, 1, {1})}).ok());
  EXPECT_THROW((void)editModels(path(),
                                [](ModelFile &File) {
                                  File.Entries.clear();
                                  throw std::runtime_error("no");
                                }),
               std::runtime_error);
  ModelFile File;
  ASSERT_TRUE(File.read(path()).ok());
  EXPECT_EQ(File.Entries.size(), 1u);
  EXPECT_TRUE(editModels(path(), [](ModelFile &File) { File.Entries.clear(); }).ok());
  ASSERT_TRUE(File.read(path()).ok());
  EXPECT_TRUE(File.Entries.empty());
}

TEST_F(ModelFiles, TheEnvironmentNamesTheFile) {
  setenv("HSCHED_CACHE", Folder.c_str(), 1);
  for (const auto &[Value, Expected] : {std::pair<const char *, std::string>{"", ""},
                                        {"0", ""},
                                        {"off", ""},
                                        {"1", Folder + "/models.json"},
                                        {"on", Folder + "/models.json"},
                                        {"./x.json", "./x.json"},
                                        {"/a/b", "/a/b"},
                                        {"maybe", ""}}) {
    setenv("HSCHED_MODELS", Value, 1);
    EXPECT_EQ(modelPath(), Expected) << Value;
  }
  setenv("HSCHED_CACHE", "0", 1);
  setenv("HSCHED_MODELS", "1", 1);
  EXPECT_EQ(modelPath(), "");
  unsetenv("HSCHED_MODELS");
}

} // namespace
