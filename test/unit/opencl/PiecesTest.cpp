// The commands that a transfer of rows consists of.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Pieces.h"
#include "AnyDevice.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

using namespace hsched::rt;
using namespace hsched::rt::opencl;

namespace {

// Rows of 100 bytes, 1,000 bytes apart, from byte 20,000 of some pages on. The transferred bytes are counted.
struct Pieces : testing::Test {
  void SetUp() override {
    const cl::Device Native = anyDevice();
    if (!Native())
      GTEST_SKIP() << "no OpenCL device on this machine";
    Ranges = std::make_unique<PinnedRanges>(cl::Context(Native), PinLazily::Never, 0);
  }
  // Pins from one page to another, and returns what is pinned between the first and the last byte of the rows.
  std::vector<PinRef> pinned(std::vector<std::pair<size_t, size_t>> PageRanges, size_t Rows) {
    for (const auto &[From, To] : PageRanges)
      EXPECT_TRUE(Ranges->add(Memory + From * 4096, (To - From) * 4096).ok());
    return Ranges->find(Memory + 20000, (Rows - 1) * 1000 + 100);
  }
  // "R<first row>+<rows>" is a rectangle, "P<row>@<byte>+<bytes>" is a part of a row.
  std::string commands(size_t Rows, const std::vector<PinRef> &Pins, bool Whole, size_t LargestRectangle = SIZE_MAX) {
    std::string Out;
    size_t Bytes = 0;
    WaitList None;
    std::vector<cl::Event> Earlier;
    cl_event Last = nullptr;
    const cl_int Code = rowsInPieces(
        {Rows, 100, 1000, 100}, Pins, Whole, Memory + 20000, None, Earlier, &Last,
        [&](size_t Row, size_t Count, const WaitList &, cl_event *) -> cl_int {
          if (Count > LargestRectangle)
            return CL_INVALID_VALUE;
          Out += " R" + std::to_string(Row) + "+" + std::to_string(Count);
          Bytes += Count * 100;
          return CL_SUCCESS;
        },
        [&](size_t Row, size_t At, size_t Size, const WaitList &, cl_event *) -> cl_int {
          Out += " P" + std::to_string(Row) + "@" + std::to_string(At) + "+" + std::to_string(Size);
          Bytes += Size;
          return CL_SUCCESS;
        });
    EXPECT_EQ(Code, CL_SUCCESS);
    EXPECT_EQ(Bytes, Rows * 100);
    return Out;
  }

  alignas(4096) char Memory[32 * 4096] = {};
  std::unique_ptr<PinnedRanges> Ranges;
};

TEST_F(Pieces, RowsInOneRangeAreOneCommand) {
  const std::vector<PinRef> All = pinned({{0, 32}}, 50);
  EXPECT_EQ(commands(50, All, true), " R0+50");
  EXPECT_EQ(commands(50, All, false), " R0+49 P49@0+100") << "the buffer ends with the last row";
}

// The last row lies at byte 69,000 and the 17 pages end at byte 69,632. So no whole stride follows.
TEST_F(Pieces, ARangeThatEndsWithinTheLastStride) {
  const std::vector<PinRef> All = pinned({{0, 17}}, 50);
  EXPECT_EQ(commands(50, All, true), " R0+49 P49@0+100");
}

// The border at byte 40,960 lies behind the data of row 20. That row's stride crosses it.
TEST_F(Pieces, ABorderSplitsRows) {
  const std::vector<PinRef> Both = pinned({{0, 10}, {10, 32}}, 50);
  EXPECT_EQ(commands(50, Both, true), " R0+20 P20@0+100 R21+29");
}

TEST_F(Pieces, MemoryThatIsNotPinned) {
  EXPECT_EQ(commands(50, {}, true), " R0+49 P49@0+100");
  EXPECT_EQ(commands(2, {}, true), " R0+1 P1@0+100");
}

// A driver with stricter rules gets the last row by itself, and one that takes no rectangle gets each row.
TEST_F(Pieces, WhatADriverRefuses) {
  const std::vector<PinRef> All = pinned({{0, 32}}, 5);
  EXPECT_EQ(commands(5, All, true, 4), " R0+4 P4@0+100");
  EXPECT_EQ(commands(3, All, true, 0), " P0@0+100 P1@0+100 P2@0+100");
}

} // namespace
