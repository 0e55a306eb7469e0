// Launches as they are kept: what data were before the first task that reads them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/LaunchLog.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <unistd.h>

namespace hsched::rt {
namespace {

struct Kept : testing::Test {
  Kept() { std::iota(Memory, Memory + sizeof(Memory), static_cast<unsigned char>(1)); }
  ~Kept() override { std::filesystem::remove_all(Folder); }

  void launch(TaskId Id, size_t From, size_t Bytes, unsigned Mode, size_t Rows = 1, size_t Stride = 0) {
    const hsched_access A{Memory + From, Bytes, Rows, Stride, Mode, 0};
    Log.add({Id, &Kernel, &Range, {}, {&A, 1}});
  }
  std::vector<unsigned char> finish() {
    record::Record R;
    R.Data = {sizeof(Memory)};
    R.Tasks.resize(1);
    R.Tasks[0].Id = 1;
    EXPECT_TRUE(Log.finish(R, [&](uintptr_t At, uint32_t &Datum, uint64_t &From) {
      Datum = 0;
      From = At - reinterpret_cast<uintptr_t>(Memory);
      return true;
    }));
    EXPECT_TRUE(R.Tasks[0].Launched);
    EXPECT_EQ(R.Contents, std::filesystem::absolute(Folder).string());
    std::ifstream In(R.Contents + "/0.raw", std::ios::binary);
    return {std::istreambuf_iterator<char>(In), {}};
  }

  unsigned char Memory[32];
  const std::string Folder = testing::TempDir() + "hsched-launches-" + std::to_string(getpid());
  LaunchLog Log{Folder};
  hsched_kernel_desc Kernel{sizeof(Kernel), "k.cl", "k", "k", "", 0, "", 0, 0, nullptr, 0, nullptr, nullptr, nullptr};
  hsched_ndrange Range{1, {1, 1, 1}, {0, 0, 0}, {}};
};

TEST_F(Kept, WhatATaskReadsFirst) {
  launch(1, 8, 8, HSCHED_OUT);
  launch(2, 0, 4, HSCHED_IN);
  std::fill(std::begin(Memory), std::end(Memory), static_cast<unsigned char>(99)); // Tasks have run.
  std::iota(Memory + 4, Memory + 8, static_cast<unsigned char>(5));
  std::iota(Memory + 16, Memory + 24, static_cast<unsigned char>(17));
  launch(3, 0, 24, HSCHED_INOUT); // Knows 0 to 3; 8 to 15 are a task's.
  launch(4, 0, 24, HSCHED_IN);
  std::vector<unsigned char> Want(32, 0);
  std::iota(Want.begin(), Want.begin() + 8, static_cast<unsigned char>(1));
  std::iota(Want.begin() + 16, Want.begin() + 24, static_cast<unsigned char>(17));
  EXPECT_EQ(finish(), Want);
}

TEST_F(Kept, RowsOfATile) {
  launch(1, 2, 2, HSCHED_IN, 3, 8);
  std::vector<unsigned char> Want(32, 0);
  for (size_t Row : {2, 10, 18})
    for (size_t I : {0, 1})
      Want[Row + I] = static_cast<unsigned char>(Row + I + 1);
  EXPECT_EQ(finish(), Want);
}

} // namespace
} // namespace hsched::rt
