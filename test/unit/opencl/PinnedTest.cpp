// Transfers from and to pinned host memory, and in rows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClTest.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

// Whole pages, given back at the end.
struct Pages {
  explicit Pages(size_t Bytes) : Bytes(Bytes) {
    Memory = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(Memory, MAP_FAILED);
    uint32_t Seed = 7;
    for (size_t I = 0; I < Bytes; ++I)
      data()[I] = static_cast<unsigned char>((Seed = Seed * 1664525u + 1013904223u) >> 24);
  }
  ~Pages() { munmap(Memory, Bytes); }
  unsigned char *data() const { return static_cast<unsigned char *>(Memory); }
  size_t Bytes;
  void *Memory;
};

class PinnedTest : public OpenClTest, public testing::WithParamInterface<const char *> {
protected:
  void SetUp() override {
    setenv("HSCHED_OPENCL_COPY", "1", 1);
    setenv("HSCHED_PIN_MEMORY", GetParam(), 1);
  }
  // There and back, and what lies beside it stays as it is.
  void roundTrip(unsigned char *Host, size_t Bytes) {
    std::vector<unsigned char> Want(Host, Host + Bytes);
    BufferRef B;
    EventRef Up, Down;
    ASSERT_TRUE(Dev->allocate(Bytes, B).ok());
    ASSERT_TRUE(Dev->write(B, 0, Host, Bytes, {}, Up).ok());
    ASSERT_TRUE(Up->wait().ok());
    ASSERT_TRUE(Up->times());
    std::fill_n(Host, Bytes, static_cast<unsigned char>(0));
    ASSERT_TRUE(Dev->read(B, 0, Host, Bytes, {}, Down).ok());
    ASSERT_TRUE(Down->wait().ok());
    EXPECT_TRUE(std::equal(Want.begin(), Want.end(), Host));
  }
};
INSTANTIATE_TEST_SUITE_P(Lazily, PinnedTest, testing::Values("0", "1"),
                         [](const auto &Info) { return std::string(Info.param[0] == '1' ? "Yes" : "No"); });

TEST_P(PinnedTest, EveryByteArrives) {
  OPEN_DEVICE();
  // Across the ranges that are pinned at a time, off every boundary.
  Pages P(size_t(70) << 20);
  roundTrip(P.data() + 12345, P.Bytes - 54321);
  roundTrip(P.data() + (size_t(40) << 20) + 1, 300 << 10);
  roundTrip(P.data(), 100);
}

// A driver that gave the whole range device memory and copied it would undo them.
TEST_P(PinnedTest, WhatLiesBesideMayBeWrittenMeanwhile) {
  OPEN_DEVICE();
  Pages P(size_t(8) << 20);
  constexpr size_t Begin = (size_t(3) << 20) + 64, Bytes = size_t(2) << 20;
  std::vector<uint64_t *> Beside;
  for (size_t At : {size_t(0), size_t(4096), Begin - sizeof(uint64_t), Begin + Bytes, P.Bytes - sizeof(uint64_t)})
    Beside.push_back(reinterpret_cast<uint64_t *>(P.data() + At));
  for (uint64_t *B : Beside)
    *B = 0;
  std::atomic<bool> Over{false};
  uint64_t Written = 0, Undone = 0;
  std::thread Writer([&] {
    while (!Over.load(std::memory_order_relaxed)) {
      for (uint64_t *B : Beside)
        Undone += std::atomic_ref(*B).exchange(Written + 1, std::memory_order_relaxed) != Written;
      ++Written;
    }
  });
  for (int I = 0; I < 30 && !HasFatalFailure(); ++I)
    roundTrip(P.data() + Begin, Bytes);
  Over.store(true);
  Writer.join();
  EXPECT_EQ(Undone, 0u) << "of " << Written;
  for (uint64_t *B : Beside)
    EXPECT_EQ(*B, Written);
}

TEST_P(PinnedTest, MemoryThatSaysSoIsPinned) {
  OPEN_DEVICE();
  Pages P(1 << 20);
  ASSERT_TRUE(Dev->pin(P.Memory, P.Bytes).ok());
  roundTrip(P.data() + 100, 5000);
  roundTrip(P.data(), P.Bytes);
  Dev->unpin(P.Memory);
  roundTrip(P.data() + 100, 5000);
}

TEST_P(PinnedTest, Rows) {
  OPEN_DEVICE();
  constexpr size_t Stride = 200, Bytes = 60, Rows = 50, DeviceStride = 96, Offset = 130;
  std::vector<unsigned char> Host(Stride * Rows, 1),
      Want = Host, Block(Offset + DeviceStride * (Rows - 1) + Bytes, 9); // Nothing behind the last row.
  for (size_t R = 0; R < Rows; ++R)
    for (size_t I = 0; I < Bytes; ++I)
      Host[R * Stride + I] = Want[R * Stride + I] = static_cast<unsigned char>(R * 7 + I);
  BufferRef B;
  EventRef Edges, Up, Down, Whole;
  ASSERT_TRUE(Dev->allocate(Block.size(), B).ok());
  ASSERT_TRUE(Dev->write(B, 0, Block.data(), Block.size(), {}, Edges).ok());
  ASSERT_TRUE(Dev->writeRows(B, Offset, Host.data(), {Rows, Bytes, Stride, DeviceStride}, {}, Up).ok());
  ASSERT_TRUE(Up->wait().ok());
  ASSERT_TRUE(Dev->read(B, 0, Block.data(), Block.size(), {}, Whole).ok());
  ASSERT_TRUE(Whole->wait().ok());
  for (size_t At = 0; At < Block.size(); ++At) {
    size_t Row = (At - Offset) / DeviceStride, Column = (At - Offset) % DeviceStride;
    bool Inside = At >= Offset && Row < Rows && Column < Bytes;
    ASSERT_EQ(Block[At], Inside ? Want[Row * Stride + Column] : 9) << At;
  }
  for (size_t R = 0; R < Rows; ++R)
    std::fill_n(&Host[R * Stride], Bytes, static_cast<unsigned char>(0));
  ASSERT_TRUE(Dev->readRows(B, Offset, Host.data(), {Rows, Bytes, Stride, DeviceStride}, {}, Down).ok());
  ASSERT_TRUE(Down->wait().ok());
  EXPECT_EQ(Host, Want);
  // Rows that leave the buffer, and none.
  EXPECT_EQ(Dev->writeRows(B, Offset + DeviceStride, Host.data(), {Rows, Bytes, Stride, DeviceStride}, {}, Up).code(),
            errc::invalid_argument);
  EXPECT_EQ(Dev->readRows(B, 0, Host.data(), {0, Bytes, Stride, DeviceStride}, {}, Down).code(),
            errc::invalid_argument);
}

// Rows that lie in one range, in two, across the border, beside: there and back, and nothing between them.
TEST_P(PinnedTest, RowsAcrossRanges) {
  OPEN_DEVICE();
  const auto Page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  Pages P(6 * Page);
  ASSERT_TRUE(Dev->pin(P.data() + Page, Page).ok());
  ASSERT_TRUE(Dev->pin(P.data() + 2 * Page, 2 * Page).ok());
  const std::vector<unsigned char> Before(P.data(), P.data() + P.Bytes);
  for (size_t Stride : {size_t(300), size_t(1000), Page + 100})
    for (size_t Bytes : {size_t(8), size_t(300)})
      for (size_t Offset : {size_t(0), size_t(60), Page + 4, 2 * Page - 4}) {
        const size_t Rows = (P.Bytes - Offset - Bytes) / Stride + 1, DeviceStride = Bytes + 20;
        const size_t Behind = Offset % 60 ? 20 : 0; // A whole stride follows the begin of the last row, or does not.
        if (Rows < 2)
          continue;
        unsigned char *Host = P.data() + Offset;
        BufferRef B;
        EventRef Up, Down;
        ASSERT_TRUE(Dev->allocate((Rows - 1) * DeviceStride + Bytes + Behind, B).ok());
        status S = Dev->writeRows(B, 0, Host, {Rows, Bytes, Stride, DeviceStride}, {}, Up);
        ASSERT_TRUE(S.ok()) << S.message() << ": " << Stride << " " << Bytes << " " << Offset;
        ASSERT_TRUE(Up->wait().ok());
        for (size_t R = 0; R < Rows; ++R)
          std::fill_n(Host + R * Stride, Bytes, static_cast<unsigned char>(0));
        ASSERT_TRUE(Dev->readRows(B, 0, Host, {Rows, Bytes, Stride, DeviceStride}, {}, Down).ok());
        ASSERT_TRUE(Down->wait().ok());
        ASSERT_TRUE(std::equal(Before.begin(), Before.end(), P.data())) << Stride << " " << Bytes << " " << Offset;
      }
  Dev->unpin(P.data() + Page);
  Dev->unpin(P.data() + 2 * Page);
}

} // namespace
