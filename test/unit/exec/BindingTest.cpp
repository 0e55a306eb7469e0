// Kernel arguments: host addresses become buffers and offsets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/sim/Sim.h"
#include "exec/KernelBinding.h"
#include "graph/TaskGraph.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace hsched::rt;

namespace {

struct FakeBuffer : Buffer {
  size_t bytes() const override { return 64; }
};

// Works on host memory in place.
struct InPlaceDevice : Device {
  DeviceInfo Info;
  void *Wrapped = nullptr;
  size_t WrappedBytes = 0;
  using status = hsched::status;
  using Events = std::span<const EventRef>;

  status wrap(void *Ptr, size_t Bytes, BufferRef &Out) override {
    Wrapped = Ptr;
    WrappedBytes = Bytes;
    Out = std::make_shared<FakeBuffer>();
    return {};
  }
  const DeviceInfo &info() const override { return Info; }
  status allocate(size_t, BufferRef &) override { return none(); }
  status kernel(const hsched_kernel_desc &, KernelRef &) override { return none(); }
  status write(const BufferRef &, size_t, const void *, size_t, Events, EventRef &) override { return none(); }
  status read(const BufferRef &, size_t, void *, size_t, Events, EventRef &) override { return none(); }
  status copy(const BufferRef &, size_t, const BufferRef &, size_t, size_t, Events, EventRef &) override {
    return none();
  }
  status launch(const KernelRef &, const hsched_ndrange &, std::span<const BoundArg>, Events, EventRef &) override {
    return none();
  }
  void flush() override {}
  unsigned computeQueues() const override { return 1; }
  unsigned streamOf(const Event &) const override { return 0; }
  static status none() { return status::error(hsched::errc::unsupported, "not in this test"); }
};

// What the test wants fill to answer.
std::vector<hsched_kernel_arg> Answer;
size_t Items;

struct Binding : testing::Test {
  hsched_kernel_desc Desc{};
  TaskNode *T = nullptr;
  Acquisition Held;
  KernelBinding Bound;
  sim::SimDevice Dev{0, {}};

  void SetUp() override {
    Desc.name = "k";
    Desc.fill = [](const void *, hsched_ndrange *Range, hsched_kernel_arg *Out) {
      Range->dims = 1;
      Range->global[0] = Items;
      std::ranges::copy(Answer, Out);
    };
    Items = 16;
    Answer.clear();
  }
  void TearDown() override {
    if (T)
      release(*T);
  }
  void accesses(std::vector<Access> List) {
    T = createTask(nullptr, static_cast<unsigned>(List.size()));
    std::ranges::copy(List, T->AccessList);
    for (const Access &A : List)
      Held.Placements.push_back({std::make_shared<FakeBuffer>(), beginOf(A)});
  }
  hsched::status bind() {
    Desc.n_args = static_cast<unsigned>(Answer.size());
    return Bound.bind(*T, Desc, Held, Dev, false);
  }
  static hsched_kernel_arg buffer(uintptr_t Address, unsigned Param = HSCHED_NO_PARAM) {
    hsched_kernel_arg A{};
    A.kind = HSCHED_ARG_BUFFER;
    A.param = Param;
    A.pointer = reinterpret_cast<const void *>(Address);
    return A;
  }
  static Access at(uintptr_t Begin, size_t Bytes, unsigned Param) {
    return {reinterpret_cast<const void *>(Begin), Bytes, 1, 0, HSCHED_IN, Param};
  }
};

TEST_F(Binding, OffsetsAreFromTheBuffersBeginningAndWrap) {
  accesses({at(1000, 64, 0), at(2000, 64, 1)});
  Answer = {buffer(1000, 0), buffer(1900, 1)}; // the section begins 100 bytes behind what the parameter points at
  ASSERT_TRUE(bind().ok());
  ASSERT_EQ(Bound.args().size(), 2u);
  EXPECT_EQ(Bound.args()[0].Mem, Held.Placements[0].Mem);
  EXPECT_EQ(Bound.args()[1].Mem, Held.Placements[1].Mem);
  EXPECT_EQ(Bound.args()[0].Offset, 0u);
  EXPECT_EQ(Bound.args()[1].Offset, uint64_t(0) - 100);
}

TEST_F(Binding, AnArgumentOfNoParameterIsFoundByItsAddress) {
  accesses({at(1000, 64, 0), at(2000, 64, 1)});
  Answer = {buffer(2010)};
  ASSERT_TRUE(bind().ok());
  EXPECT_EQ(Bound.args()[0].Mem, Held.Placements[1].Mem);
  EXPECT_EQ(Bound.args()[0].Offset, 10u);
}

TEST_F(Binding, NullPointersHaveNoBuffer) {
  accesses({});
  Answer = {buffer(0, 0)};
  ASSERT_TRUE(bind().ok());
  EXPECT_EQ(Bound.args()[0].Mem, nullptr);
  EXPECT_EQ(Bound.args()[0].Offset, 0u);
}

TEST_F(Binding, DataThatNoSectionNamesIsAnError) {
  accesses({at(1000, 64, 0)});
  Answer = {buffer(5000)};
  EXPECT_EQ(bind().code(), hsched::errc::invalid_argument);
}

TEST_F(Binding, NoWorkItemsMeansNothingToLaunch) {
  accesses({});
  Items = 0;
  ASSERT_TRUE(bind().ok());
  EXPECT_TRUE(Bound.empty());
}

TEST_F(Binding, InPlaceAllSectionsOfAParameterAreWrappedTogether) {
  accesses({at(1000, 64, 0), at(1500, 100, 0), at(3000, 8, 1)});
  Answer = {buffer(900, 0)};
  Desc.n_args = 1;
  InPlaceDevice Host;
  ASSERT_TRUE(Bound.bind(*T, Desc, Held, Host, true).ok());
  EXPECT_EQ(Host.Wrapped, reinterpret_cast<void *>(1000));
  EXPECT_EQ(Host.WrappedBytes, 600u);
  EXPECT_EQ(Bound.args()[0].Offset, uint64_t(0) - 100);
}

TEST_F(Binding, SectionsOfOneParameterInTwoPlaces) {
  accesses({at(1000, 64, 0), at(9000, 64, 0)});
  Answer = {buffer(1000, 0)};
  EXPECT_EQ(bind().code(), hsched::errc::unsupported);
}

} // namespace
