// A task's block, arguments and label; data-set sizes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestTasks.h"
#include "base/Sanitizers.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

int Destroyed = 0;

struct Fixture : testing::Test {
  hsched_task_desc Desc{};
  TaskType Type;
  Fixture() {
    Desc.name = "named";
    Desc.args_bytes = 24;
    Desc.args_align = 8;
    Desc.destroy = [](void *) { ++Destroyed; };
    Type.Desc = &Desc;
    Destroyed = 0;
  }
};

TEST_F(Fixture, ArgumentsAreAlignedAsAsked) {
  for (size_t Align : {1, 8, 16, 64, 128, 4096})
    for (unsigned Accesses : {0, 1, 7}) {
      Desc.args_align = Align;
      Desc.args_bytes = Align * 2;
      TaskNode *T = createTask(&Type, Accesses);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(T->Args) % Align, 0u) << Align;
      std::fill_n(static_cast<char *>(T->Args), Desc.args_bytes, 'x');
      std::fill_n(T->AccessList, Accesses, in(1, 1));
      release(*T);
    }
}

TEST_F(Fixture, AnAbandonedTaskDestroysNothing) {
  release(*createTask(&Type, 1));
  EXPECT_EQ(Destroyed, 0);
}

TEST_F(Fixture, ArgumentsAreDestroyedOnce) {
  TaskNode *T = createTask(&Type, 1);
  T->ArgsLive = true;
  destroyArgs(*T);
  EXPECT_EQ(Destroyed, 1);
  release(*T);
  EXPECT_EQ(Destroyed, 1);
}

TEST_F(Fixture, LabelIsCopiedOrTheName) {
  TaskNode *T = createTask(&Type, 0);
  setLabel(*T, nullptr);
  EXPECT_STREQ(T->Label, "named");
  std::string Text = "first";
  setLabel(*T, Text.c_str());
  Text = "other";
  EXPECT_STREQ(T->Label, "first");
  release(*T);
}

TEST(DataBytes, IdenticalSectionsCountOnce) {
  Access Sections[] = {in(100, 10),
                       inout(100, 10),
                       in(100, 20),
                       section(HSCHED_IN, 0, 4, 3, 16),
                       section(HSCHED_OUT, 0, 4, 3, 16),
                       section(HSCHED_OUT, 0, 4, 3, 32)};
  EXPECT_EQ(dataBytes(Sections), 10u + 20u + 12u + 12u);
}

TEST(DataBytes, ManySectionsToo) {
  std::vector<Access> Sections;
  for (uintptr_t I = 0; I < 1000; ++I)
    Sections.push_back(in(I % 100 * 10, 10));
  EXPECT_EQ(dataBytes(Sections), 1000u);
}

TEST(BlockPool, BlocksTravelBetweenThreads) {
  // One thread allocates, another frees: the same blocks must come back, or memory grows for ever.
  std::vector<void *> Seen;
  for (int Round = 0; Round < 200; ++Round) {
    std::vector<void *> Blocks;
    for (int I = 0; I < 500; ++I)
      Blocks.push_back(allocateBlock(300));
    std::thread([&] {
      for (void *B : Blocks)
        freeBlock(B, 300);
    }).join();
    Seen.insert(Seen.end(), Blocks.begin(), Blocks.end());
  }
  std::ranges::sort(Seen);
  auto Rest = std::ranges::unique(Seen);
  Seen.erase(Rest.begin(), Rest.end());
#if !HSCHED_ASAN
  EXPECT_LT(Seen.size(), 2000u);
#endif
}

} // namespace
