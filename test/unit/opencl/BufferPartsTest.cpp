// Sub-buffers: made once, released in an order that drivers stand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/BufferParts.h"

#include <gtest/gtest.h>

#include <vector>

using namespace hsched::rt::opencl;

namespace {

class BufferPartsTest : public testing::Test {
protected:
  cl::Context Context;
  cl::Buffer Whole;
  size_t Align = 0;
  std::vector<int> Gone; // The parts in the order of their end.

  void SetUp() override {
    std::vector<cl::Platform> Platforms;
    cl::Platform::get(&Platforms);
    std::vector<cl::Device> Devices;
    for (const cl::Platform &P : Platforms)
      if (P.getDevices(CL_DEVICE_TYPE_ALL, &Devices) == CL_SUCCESS && !Devices.empty())
        break;
    if (Devices.empty())
      GTEST_SKIP() << "no OpenCL device on this machine";
    Context = cl::Context(Devices[0]);
    Align = Devices[0].getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8;
    Whole = cl::Buffer(Context, CL_MEM_READ_WRITE, 4096 * Align);
  }

  struct Mark {
    std::vector<int> *Gone;
    int Number;
  };
  std::vector<std::unique_ptr<Mark>> Marks;

  BufferParts::Part part(BufferParts &Parts, size_t At, size_t Length) {
    BufferParts::Part P;
    EXPECT_EQ(Parts.get(Whole, At * Align, Length * Align, P), CL_SUCCESS);
    return P;
  }
  void mark(const BufferParts::Part &P, int Number) {
    Marks.push_back(std::make_unique<Mark>(&Gone, Number));
    auto Note = [](cl_mem, void *M) { static_cast<Mark *>(M)->Gone->push_back(static_cast<Mark *>(M)->Number); };
    EXPECT_EQ(clSetMemObjectDestructorCallback((*P.Native)(), Note, Marks.back().get()), CL_SUCCESS);
  }
};

TEST_F(BufferPartsTest, ARangeIsMadeOnce) {
  BufferParts Parts;
  BufferParts::Part A = part(Parts, 1, 2), B = part(Parts, 1, 2), Longer = part(Parts, 1, 3), Later = part(Parts, 2, 2);
  EXPECT_EQ((*A.Native)(), (*B.Native)());
  EXPECT_EQ(A.Serial, B.Serial);
  EXPECT_NE(A.Serial, Longer.Serial);
  EXPECT_NE((*A.Native)(), (*Longer.Native)());
  EXPECT_EQ(Longer.Native->getInfo<CL_MEM_SIZE>(), 3 * Align);
  EXPECT_EQ(Later.Native->getInfo<CL_MEM_OFFSET>(), 2 * Align);
  EXPECT_EQ(Parts.size(), 3u);
}

TEST_F(BufferPartsTest, TheLastOneMadeGoesFirst) {
  {
    BufferParts Parts;
    mark(part(Parts, 5, 9), 0); // In another order than that of their offsets.
    mark(part(Parts, 1, 9), 1);
    mark(part(Parts, 7, 9), 2);
    mark(part(Parts, 1, 4), 3);
    mark(part(Parts, 3, 9), 4);
  }
  EXPECT_EQ(Gone, (std::vector{4, 3, 2, 1, 0}));
}

TEST_F(BufferPartsTest, UnusedPartsAreEvictedAboveTheLimit) {
  BufferParts Parts;
  BufferParts::Part Used = part(Parts, 3000, 1), Under = part(Parts, 3001, 4), Over = part(Parts, 3002, 1);
  const cl_mem First = (*Under.Native)();
  Under = Over = {}; // They are not in use, but they overlap.
  for (size_t At = 0; At < 2000; ++At)
    part(Parts, At, 1);
  EXPECT_LE(Parts.size(), 1024u);
  EXPECT_EQ((*part(Parts, 3001, 4).Native)(), First);
  EXPECT_EQ((*part(Parts, 3000, 1).Native)(), (*Used.Native)());
}

TEST_F(BufferPartsTest, AWrongRangeIsAnError) {
  BufferParts Parts;
  BufferParts::Part P;
  EXPECT_NE(Parts.get(Whole, 4095 * Align, 2 * Align, P), CL_SUCCESS);
  EXPECT_EQ(P.Native, nullptr);
  EXPECT_EQ(Parts.size(), 0u);
}

} // namespace
