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
  status writeRows(const BufferRef &, size_t, const void *, const RowLayout &, Events, EventRef &) override {
    return none();
  }
  status readRows(const BufferRef &, size_t, void *, const RowLayout &, Events, EventRef &) override { return none(); }
  status pin(void *, size_t) override { return none(); }
  void unpin(void *) override {}
  status copy(const BufferRef &, size_t, const BufferRef &, size_t, size_t, Events, EventRef &) override {
    return none();
  }
  status launch(const KernelRef &, const hsched_ndrange &, std::span<const BoundArg>, Events, EventRef &,
                CompletionReport, unsigned) override {
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
  Acquisition Acquired;
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
    TearDown();
    Acquired.Placements.clear();
    T = createTask(nullptr, static_cast<unsigned>(List.size()));
    std::ranges::copy(List, T->AccessList);
    for (const Access &A : List)
      Acquired.Placements.push_back({std::make_shared<FakeBuffer>(), beginOf(A)});
  }
  hsched::status bind() {
    Desc.n_args = static_cast<unsigned>(Answer.size());
    return Bound.bind(*T, Desc, Acquired, Dev, false);
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
  Answer = {buffer(1000, 0), buffer(1900, 1)}; // The section begins 100 bytes behind what the parameter points at.
  ASSERT_TRUE(bind().ok());
  ASSERT_EQ(Bound.args().size(), 2u);
  EXPECT_EQ(Bound.args()[0].Mem, Acquired.Placements[0].Mem);
  EXPECT_EQ(Bound.args()[1].Mem, Acquired.Placements[1].Mem);
  EXPECT_EQ(Bound.args()[0].Offset, 0u);
  EXPECT_EQ(Bound.args()[1].Offset, uint64_t(0) - 100);
}

// What kernels without offsets are given ends where the sections do, so that parts for different data do not overlap.
TEST_F(Binding, ArgumentsEndWhereTheSectionsEnd) {
  accesses({at(1000, 64, 0), at(2000, 64, 1), at(2016, 100, 1)});
  Acquired.Placements[2].Mem = Acquired.Placements[1].Mem;
  Answer = {buffer(1000, 0), buffer(1900, 1)};
  ASSERT_TRUE(bind().ok());
  EXPECT_EQ(Bound.args()[0].Bytes, 64u);
  EXPECT_EQ(Bound.args()[1].Bytes, 216u);
}

TEST_F(Binding, AnArgumentOfNoParameterIsFoundByItsAddress) {
  accesses({at(1000, 64, 0), at(2000, 64, 1)});
  Answer = {buffer(2010)};
  ASSERT_TRUE(bind().ok());
  EXPECT_EQ(Bound.args()[0].Mem, Acquired.Placements[1].Mem);
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
  ASSERT_TRUE(Bound.bind(*T, Desc, Acquired, Host, true).ok());
  EXPECT_EQ(Host.Wrapped, reinterpret_cast<void *>(1000));
  EXPECT_EQ(Host.WrappedBytes, 600u);
  EXPECT_EQ(Bound.args()[0].Offset, uint64_t(0) - 100);
}

// Whole pages, which are there as a whole; not where a kernel takes no offsets, nor for large data.
TEST_F(Binding, InPlaceSmallDataOfOnePageShareABuffer) {
  struct Case {
    uintptr_t Begin;
    size_t Bytes;
    unsigned Flags;
    uintptr_t Wrapped;
    size_t WrappedBytes;
  };
  for (const Case &C : {Case{5000, 64, HSCHED_KERNEL_OFFSETS, 4096, 4096},
                        {4096, 64, HSCHED_KERNEL_OFFSETS, 4096, 4096},
                        {8100, 92, HSCHED_KERNEL_OFFSETS, 4096, 4096},
                        {8100, 93, HSCHED_KERNEL_OFFSETS, 4096, 8192},
                        {5000, 4096, HSCHED_KERNEL_OFFSETS, 5000, 4096},
                        {5000, 64, 0, 5000, 64}}) {
    accesses({at(C.Begin, C.Bytes, 0)});
    Answer = {buffer(C.Begin - 10, 0)};
    Desc.n_args = 1;
    Desc.flags = C.Flags;
    InPlaceDevice Host;
    ASSERT_TRUE(Bound.bind(*T, Desc, Acquired, Host, true).ok());
    EXPECT_EQ(Host.Wrapped, reinterpret_cast<void *>(C.Wrapped));
    EXPECT_EQ(Host.WrappedBytes, C.WrappedBytes);
    EXPECT_EQ(Bound.args()[0].Offset, C.Begin - 10 - C.Wrapped);
  }
}

TEST_F(Binding, SectionsOfOneParameterInTwoPlaces) {
  accesses({at(1000, 64, 0), at(9000, 64, 0)});
  Answer = {buffer(1000, 0)};
  EXPECT_EQ(bind().code(), hsched::errc::unsupported);
}

// Arguments of the last fill_packed.
std::vector<unsigned long long> Leading;

struct PackedBinding : Binding {
  const hsched_packed Packed[2] = {{0, 4}, {1, 8}};
  void SetUp() override {
    Binding::SetUp();
    Desc.struct_bytes = sizeof Desc;
    Desc.n_packed = 2;
    Desc.packed = Packed;
    Desc.fill_packed = [](const void *, const unsigned long long *Lds, hsched_ndrange *Range, hsched_kernel_arg *Out) {
      Leading.assign(Lds, Lds + 2);
      Range->dims = 1;
      Range->global[0] = Items;
      std::ranges::copy(Answer, Out);
    };
  }
  static Access tile(uintptr_t Begin, size_t Bytes, size_t Rows, size_t Stride, unsigned Param) {
    return {reinterpret_cast<const void *>(Begin), Bytes, Rows, Stride, HSCHED_IN, Param};
  }
};

TEST_F(PackedBinding, AsManyRowsAndElementsAwayAsOnTheHost) {
  accesses({tile(10000, 40, 6, 1000, 0), tile(20000, 80, 6, 1000, 1)});
  Acquired.Placements[0].Stride = 40;
  Acquired.Placements[1].HostBegin -= 24; // In a larger tile.
  Acquired.Placements[1].Stride = 160;
  // At the tile; at a matrix's beginning; behind a row and two elements of halo; three elements before the tile.
  for (auto [Address, Offset] :
       {std::pair(10000, 0), {10000 - 3 * 1000 - 20, -(3 * 40 + 20)}, {10000 + 1008, 40 + 8}, {10000 - 12, -12}}) {
    Answer = {buffer(static_cast<uintptr_t>(Address), 0), buffer(20000 - 2000, 1)};
    ASSERT_TRUE(bind().ok());
    EXPECT_EQ(Bound.args()[0].Offset, static_cast<uint64_t>(int64_t(Offset)));
    EXPECT_EQ(Bound.args()[1].Offset, static_cast<uint64_t>(int64_t(24 - 2 * 160)));
    EXPECT_EQ(Leading, (std::vector<unsigned long long>{10, 20}));
  }
}

TEST_F(PackedBinding, TilesThatKeepTheHostsStrides) {
  accesses({tile(10000, 40, 6, 1000, 0), tile(20000, 80, 1, 0, 1)});
  Answer = {buffer(9000, 0), buffer(20000, 1)};
  ASSERT_TRUE(bind().ok());
  EXPECT_EQ(Bound.args()[0].Offset, uint64_t(0) - 1000);
  EXPECT_EQ(Leading, (std::vector<unsigned long long>{250, 0})); // A single row is what the program says.
  InPlaceDevice Host;
  ASSERT_TRUE(Bound.bind(*T, Desc, Acquired, Host, true).ok());
  EXPECT_EQ(Leading, (std::vector<unsigned long long>{250, 0}));
}

TEST_F(PackedBinding, RowsThatAreNoWholeElementsApart) {
  accesses({tile(10000, 40, 6, 1002, 0)});
  Answer = {buffer(10000, 0)};
  EXPECT_EQ(bind().code(), hsched::errc::unsupported);
}

TEST_F(PackedBinding, TilesWithOneLeadingDimension) {
  const unsigned Params[] = {5, 5};
  Desc.leading_params = Params;
  accesses({tile(10000, 40, 6, 1000, 0), tile(20000, 80, 6, 2000, 1)});
  Answer = {buffer(10000, 0), buffer(20000, 1)};
  Acquired.Placements[0].Stride = 40;
  Acquired.Placements[1].Stride = 80;
  ASSERT_TRUE(bind().ok());
  EXPECT_EQ(Leading, (std::vector<unsigned long long>{10, 10}));
  // As on the host: what the program says, whatever that is.
  Acquired.Placements[0].Stride = Acquired.Placements[1].Stride = 0;
  T->AccessList[1].stride = 4001;
  ASSERT_TRUE(bind().ok());
  EXPECT_EQ(Leading, (std::vector<unsigned long long>{0, 0}));
  InPlaceDevice Host;
  ASSERT_TRUE(Bound.bind(*T, Desc, Acquired, Host, true).ok());
  EXPECT_EQ(Leading, (std::vector<unsigned long long>{0, 0}));
  // One that is nowhere.
  T->AccessList[1].bytes = 0;
  Acquired.Placements[0].Stride = 40;
  ASSERT_TRUE(bind().ok());
  EXPECT_EQ(Leading, (std::vector<unsigned long long>{10, 10}));
  // The directory prevents this case, and no reader gets partial data.
  T->AccessList[1].bytes = 80;
  T->AccessList[1].stride = 2000;
  EXPECT_EQ(bind().code(), hsched::errc::internal);
}

TEST_F(PackedBinding, BodiesReceiveThePlacesOfTheirTiles) {
  hsched_packed_body Body{};
  Body.struct_bytes = sizeof Body;
  Body.n_packed = 2;
  Body.packed = Packed;
  hsched_version_desc Version{};
  Version.struct_bytes = sizeof Version;
  Version.packed_body = &Body;
  EXPECT_EQ(packedOf(Version).size(), 2u);
  accesses({tile(10000, 40, 6, 1000, 0), tile(20000, 80, 1, 0, 1)});
  Acquired.Placements[0].Stride = 40;
  std::vector<hsched_packed_place> Places;
  ASSERT_TRUE(findPacked(*T, packedOf(Version), Acquired, false, Places).ok());
  EXPECT_EQ(Places[0].base, reinterpret_cast<const void *>(10000));
  EXPECT_EQ(Places[0].stride, 1000u);
  EXPECT_EQ(Places[0].leading, 10u);
  EXPECT_EQ(Places[1].base, nullptr);
  EXPECT_EQ(Places[1].leading, 0u); // A single row is what the program says.
  ASSERT_TRUE(findPacked(*T, packedOf(Version), Acquired, true, Places).ok());
  EXPECT_EQ(Places[0].leading, 250u);
  // A kernel says what it takes in its own description; an older version has no body of this kind.
  Version.struct_bytes = offsetof(hsched_version_desc, packed_body);
  EXPECT_TRUE(packedOf(Version).empty());
  Version.struct_bytes = sizeof Version;
  Version.kernel = &Desc;
  EXPECT_EQ(packedBodyOf(Version), nullptr);
}

TEST_F(PackedBinding, CodeOfAnOlderAbiHasNone) {
  const unsigned Params[] = {5, 5};
  Desc.leading_params = Params;
  EXPECT_EQ(packedOf(&Desc).size(), 2u);
  EXPECT_TRUE(packedOf(&Desc).anyTogether());
  Desc.struct_bytes = offsetof(hsched_kernel_desc, leading_params);
  EXPECT_EQ(packedOf(&Desc).size(), 2u);
  EXPECT_FALSE(packedOf(&Desc).anyTogether());
  Desc.struct_bytes = offsetof(hsched_kernel_desc, n_packed);
  EXPECT_TRUE(packedOf(&Desc).empty());
  EXPECT_TRUE(packedOf(nullptr).empty());
}

} // namespace
