// What is on file is matched with tasks, versions and devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/ModelKeeper.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>

using namespace hsched::rt;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

void body(void *) {}

struct Keeper : testing::Test {
  void SetUp() override {
    std::string Pattern = fs::temp_directory_path() / "hsched-keeper-XXXXXX";
    ASSERT_TRUE(mkdtemp(Pattern.data()));
    Folder = Pattern;
  }
  void TearDown() override { fs::remove_all(Folder); }
  std::string file() const { return Folder + "/m.json"; }

  // Task "_Zwork" with a version for the CPU, and a kernel of that source.
  TaskType &work(const char *Source) {
    TaskType &T = Types.emplace_back();
    T.Id = static_cast<uint32_t>(Types.size());
    T.LinkerName = "_Zwork";
    Task = {};
    Task.name = "work";
    T.Desc = &Task;
    hsched_kernel_desc &K = Kernels.emplace_back();
    K.source = Source;
    K.source_bytes = std::char_traits<char>::length(Source);
    K.options = "";
    K.entry = "work_cl";
    const hsched_version_desc Descs[] = {
        {sizeof(hsched_version_desc), "_Zwork", "work", "", 0, HSCHED_DEVICE_CPU, 0, body, nullptr, nullptr, nullptr},
        {sizeof(hsched_version_desc), "_Zwork_cl", "work_cl", "", 0, HSCHED_DEVICE_OPENCL, 0, nullptr, &K, nullptr,
         nullptr}};
    for (const hsched_version_desc &D : Descs) {
      const unsigned N = T.NumVersions;
      T.Versions[N].Desc = &Versions.emplace_back(D);
      T.Versions[N].Index = N;
      T.NumVersions.store(N + 1);
    }
    return T;
  }

  // A run of a program on a machine with these devices: records, and saves.
  struct Run {
    Run(const std::string &File, const std::string &Hints, std::initializer_list<const char *> Devices)
        : Known(File, Hints, Machine), Times([this](const TaskType &T) { return Known.before(T); }) {
      for (const char *Device : Devices)
        Models.push_back(Machine.modelOf(Device));
    }
    Platform Machine;
    ModelKeeper Known;
    History Times;
    std::vector<ModelId> Models; // Models of Devices.
  };

  std::string Folder;
  std::deque<TaskType> Types;
  std::deque<hsched_kernel_desc> Kernels;
  std::deque<hsched_version_desc> Versions;
  hsched_task_desc Task{};
};

TEST_F(Keeper, TheNextRunKnows) {
  {
    Run First(file(), "", {"opencl: A", "opencl: B"});
    TaskType &T = work("source");
    for (int I = 0; I < 5; ++I) {
      First.Times.record(T, 100, 0, CpuModel, 500us);
      First.Times.record(T, 100, 1, First.Models[0], 10us);
      First.Times.record(T, 200, 1, First.Models[1], 90us);
    }
    First.Known.save(First.Times);
  }
  // Devices come in another order, and later than the first look.
  Run Next(file(), "", {});
  TaskType &T = work("source");
  EXPECT_EQ(Next.Times.lookup(T, 100, 0, CpuModel).Runs, 5u);
  const ModelId B = Next.Machine.modelOf("opencl: B"), A = Next.Machine.modelOf("opencl: A"),
                C = Next.Machine.modelOf("opencl: C");
  EXPECT_EQ(Next.Times.lookup(T, 100, 1, A).medianNs(), 10'000);
  EXPECT_EQ(Next.Times.lookup(T, 200, 1, B).medianNs(), 90'000);
  EXPECT_EQ(Next.Times.lookup(T, 100, 1, B).Runs, 0u);
  EXPECT_EQ(Next.Times.lookup(T, 100, 1, C).Runs, 0u);
  Next.Times.record(T, 100, 1, A, 12us);
  Next.Known.save(Next.Times);
  ModelFile File;
  ASSERT_TRUE(File.read(file()).ok());
  ASSERT_EQ(File.Entries.size(), 3u);
  for (const ModelEntry &E : File.Entries)
    EXPECT_EQ(E.Runs, E.Device == "opencl: A" ? 6u : 5u) << E.Device; // Only what is new is added.
}

TEST_F(Keeper, ChangedCodeIsOtherCode) {
  {
    Run First(file(), "", {"opencl: A"});
    First.Times.record(work("source"), 100, 1, First.Models[0], 10us);
    First.Known.save(First.Times);
  }
  Run Next(file(), "", {"opencl: A"});
  EXPECT_EQ(Next.Times.lookup(work("source "), 100, 1, Next.Models[0]).Runs, 0u);
  EXPECT_EQ(Next.Times.lookup(work("source"), 100, 1, Next.Models[0]).Runs, 1u);
}

TEST_F(Keeper, TypesThatAreGoneAreSaved) {
  Run First(file(), "", {});
  {
    auto Gone = std::make_unique<TaskType>();
    TaskType &T = work("source");
    Gone->Id = 77;
    Gone->LinkerName = "_Zgone";
    Gone->Versions[0].Desc = T.Versions[0].Desc;
    Gone->NumVersions.store(1);
    First.Times.record(*Gone, 100, 0, CpuModel, 10us);
  }
  First.Known.save(First.Times);
  ModelFile File;
  ASSERT_TRUE(File.read(file()).ok());
  ASSERT_EQ(File.Entries.size(), 1u);
  EXPECT_EQ(File.Entries[0].Task, "_Zgone");
}

TEST_F(Keeper, HintsNameTasksAsUsersDo) {
  std::ofstream(Folder + "/hints.json") << R"({"hsched_models": 1, "entries": [
    {"task": "work", "version": "work", "bytes": 100, "expected_ns": 7000},
    {"task": "work", "version": "_Zwork_cl", "device": "opencl", "bytes": 100, "expected_ns": 300},
    {"task": "work", "version": "work_cl", "device": "opencl: B", "bytes": 200, "expected_ns": 44},
    {"task": "work", "version": "work_cl", "device": "cpu", "bytes": 300, "expected_ns": 44},
    {"task": "other", "version": "work", "bytes": 400, "expected_ns": 44}]})";
  Run R(file(), Folder + "/hints.json", {"opencl: A", "opencl: B"});
  TaskType &T = work("source");
  EXPECT_EQ(R.Times.lookup(T, 100, 0, CpuModel).medianNs(), 7000);
  for (ModelId Model : R.Models)
    EXPECT_EQ(R.Times.lookup(T, 100, 1, Model).medianNs(), 300);
  EXPECT_EQ(R.Times.lookup(T, 200, 1, R.Models[0]).Runs, 0u);
  EXPECT_EQ(R.Times.lookup(T, 200, 1, R.Models[1]).medianNs(), 44);
  EXPECT_EQ(R.Times.lookup(T, 300, 0, CpuModel).Runs, 0u);
  EXPECT_EQ(R.Times.lookup(T, 400, 0, CpuModel).Runs, 0u);
  // Four runs that differ undo a hint; it is not saved.
  for (int I = 0; I < 4; ++I)
    R.Times.record(T, 100, 1, R.Models[0], 50us);
  EXPECT_EQ(R.Times.lookup(T, 100, 1, R.Models[0]).medianNs(), 50'000);
  EXPECT_EQ(R.Times.lookup(T, 100, 1, R.Models[1]).medianNs(), 300);
  R.Known.save(R.Times);
  ModelFile File;
  ASSERT_TRUE(File.read(file()).ok());
  ASSERT_EQ(File.Entries.size(), 1u);
  EXPECT_EQ(File.Entries[0].Runs, 4u);
  EXPECT_EQ(File.Entries[0].Recent, (std::vector<float>(4, 50'000)));
}

TEST_F(Keeper, WhatWasMeasuredGoesBeforeHints) {
  std::ofstream(Folder + "/hints.json")
      << R"({"hsched_models": 1, "entries": [{"task": "work", "version": "work", "bytes": 100, "expected_ns": 7}]})";
  {
    Run First(file(), "", {});
    First.Times.record(work("source"), 100, 0, CpuModel, 10us);
    First.Known.save(First.Times);
  }
  Run Next(file(), Folder + "/hints.json", {});
  EXPECT_EQ(Next.Times.lookup(work("source"), 100, 0, CpuModel).medianNs(), 10'000);
}

TEST_F(Keeper, FilesThatCannotBeUsedAreIgnored) {
  std::ofstream(file()) << "no JSON";
  Run R(file(), Folder + "/none.json", {});
  EXPECT_EQ(R.Times.lookup(work("source"), 100, 0, CpuModel).Runs, 0u);
}

TEST(CodeOf, IsTheSameForTheSameCodeOnly) {
  hsched_version_desc A{}, B{};
  A.run = body;
  EXPECT_GE(codeOf(A).size(), 16u);                        // A build id, as Debian's linker writes them.
  B.run = reinterpret_cast<void (*)(void *)>(&std::abort); // A function of another library.
  EXPECT_NE(codeOf(A), codeOf(B));
}

} // namespace
