// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/VendorDevice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace hsched::icd;

namespace {

// What boxes name is what the range has, each byte once, at its place; what lies behind rows and slices is left out.
void check(const ImageLayout &L, size_t First, size_t Bytes) {
  std::vector<int> Named(Bytes, 0), Want(Bytes, 0);
  for (size_t I = 0; I != Bytes; ++I) {
    const size_t InSlice = (First + I) % L.Pitch[1];
    Want[I] = InSlice % L.Pitch[0] < L.Extent[0] * L.Element && InSlice / L.Pitch[0] < L.Extent[1];
  }
  for (const ImageBox &B : boxesOf(L, First, Bytes))
    for (size_t Z = 0; Z != B.Extent[2]; ++Z)
      for (size_t Y = 0; Y != B.Extent[1]; ++Y)
        for (size_t X = 0; X != B.Extent[0] * L.Element; ++X) {
          const size_t OnHost =
              (B.Origin[2] + Z) * L.Pitch[1] + (B.Origin[1] + Y) * L.Pitch[0] + B.Origin[0] * L.Element + X;
          const size_t InBox = B.At + Z * L.Pitch[1] + Y * L.Pitch[0] + X;
          ASSERT_EQ(OnHost - First, InBox);
          ASSERT_LT(InBox, Bytes);
          ++Named[InBox];
        }
  EXPECT_EQ(Named, Want) << First << " " << Bytes;
}

TEST(VendorDeviceTest, AnyPartOfAnImageIsBoxes) {
  std::mt19937 Random(1);
  auto below = [&](size_t N) { return std::uniform_int_distribution<size_t>(0, N - 1)(Random); };
  for (const ImageLayout &L :
       {ImageLayout{4, {5, 3, 2}, {20, 60}}, ImageLayout{4, {5, 3, 2}, {28, 100}}, ImageLayout{1, {7, 1, 1}, {7, 7}},
        ImageLayout{16, {3, 4, 1}, {64, 256}}, ImageLayout{2, {9, 1, 4}, {20, 24}}}) {
    const size_t All = L.Pitch[1] * L.Extent[2];
    check(L, 0, All);
    for (int Round = 0; Round != 60; ++Round) {
      const size_t First = below(All / L.Element) * L.Element;
      check(L, First, (1 + below((All - First) / L.Element)) * L.Element);
    }
  }
}

TEST(VendorDeviceTest, WholeImagesAreOneBox) {
  EXPECT_EQ(boxesOf({4, {5, 3, 2}, {20, 60}}, 0, 120).size(), 1u);
  EXPECT_EQ(boxesOf({4, {5, 3, 2}, {20, 60}}, 4, 116).size(), 3u); // The rest of a row, rows, a slice.
}

TEST(VendorDeviceTest, CodesAreTheVendors) {
  using hsched::errc;
  using hsched::status;
  EXPECT_EQ(codeOf({}), CL_SUCCESS);
  EXPECT_EQ(codeOf(status::error(errc::out_of_memory, "")), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(codeOf(status::error(errc::out_of_memory, "", CL_OUT_OF_RESOURCES)), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(codeOf(status::error(errc::transfer_failed, "")), CL_OUT_OF_RESOURCES);
}

} // namespace
