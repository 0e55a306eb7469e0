// Extents of launches: reading hsched-kinfo's report, and evaluating it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Roles.h"

#include <gtest/gtest.h>

namespace hsched::icd {
namespace {

LaunchValues values(size_t Global, std::vector<int64_t> Arguments, size_t Local = 0) {
  LaunchValues V;
  V.Global[0] = Global;
  V.Local[0] = Local;
  V.Local[1] = V.Local[2] = Local ? 1 : 0;
  V.Argument = [Arguments](unsigned I) -> std::optional<int64_t> {
    return I < Arguments.size() ? std::optional(Arguments[I]) : std::nullopt;
  };
  return V;
}

std::optional<int64_t> value(const std::string &Text, int64_t N = 5, size_t Local = 0) {
  const auto E = LaunchExpression::parse(
      Text, [](const std::string &Name) { return Name == "n" ? std::optional(0u) : std::nullopt; });
  return E ? E->evaluate(values(64, {N}, Local)) : std::nullopt;
}

TEST(LaunchExtentsTest, Expressions) {
  EXPECT_EQ(value("2 * n + get_global_size(0) - 1"), 73);
  EXPECT_EQ(value("(n > 1 ? n : 1)", 0), 1);
  EXPECT_EQ(value("(n > 1 ? n : 1)", 7), 7);
  EXPECT_EQ(value("-n * -(n - 1)"), 20);
  EXPECT_EQ(value("(n / 2) % 2"), 0);
  EXPECT_EQ(value("get_num_groups(0) * get_local_size(0)", 0, 16), 64);
}

TEST(LaunchExtentsTest, WhatIsNotKnownHasNoValue) {
  EXPECT_EQ(value("m"), std::nullopt);
  EXPECT_EQ(value("(*n)"), std::nullopt);
  EXPECT_EQ(value("n[0]"), std::nullopt);
  EXPECT_EQ(value("s.n"), std::nullopt);
  EXPECT_EQ(value("(uchar)n"), std::nullopt);
  EXPECT_EQ(value("n & 3"), std::nullopt);
  EXPECT_EQ(value("n >> 1"), std::nullopt);
  EXPECT_EQ(value("n / 0"), std::nullopt);
  EXPECT_EQ(value("n / 2", -3), std::nullopt); // It depends on the type.
  EXPECT_EQ(value("n * n", int64_t(1) << 40), std::nullopt);
  EXPECT_EQ(value("get_num_groups(0)"), std::nullopt); // The vendor chooses it.
  EXPECT_EQ(value("get_num_groups(0)", 0, 5), std::nullopt);
  EXPECT_EQ(value("010"), std::nullopt);
  EXPECT_EQ(value(std::string(100, '(') + "n" + std::string(100, ')')), std::nullopt);
  EXPECT_EQ(value(""), std::nullopt);
}

std::string report(const std::string &Kernel, const std::string &Argument) {
  return R"({"files": [{"kernels": [{"name": "k", "workDimension": 1, "uses": [], )" + Kernel +
         R"(, "arguments": [{"name": "n", "pos": 0, "kind": "value", "element": "int"},
              {"name": "y", "pos": 1, "kind": "pointer", "elementBytes": 4, )" +
         Argument + "}]}]}]}";
}

std::optional<ByteRange> range(const std::string &Kernel, const std::string &Argument, size_t Global, int64_t N,
                               size_t Local = 0) {
  const Roles::Answer A = Roles::parse(report(Kernel, Argument));
  auto I = A.Extents.find("k");
  const LaunchValues V = values(Global, {N}, Local);
  return I != A.Extents.end() && I->second.holdFor(V) ? bytesOf(I->second.All.at(0), V) : std::nullopt;
}

const std::string Whole = R"("globalWorkSize": "[get_global_size(0),1,1]", "mayBeLarger": true, "holdsWhere": [])",
                  Guarded = R"("globalWorkSize": "[n,1,1]", "mayBeLarger": true, "holdsWhere": ["n - 2"])",
                  Out = R"("element": "float", "role": "out", "section": )";

TEST(LaunchExtentsTest, Sections) {
  auto R = range(Whole, Out + R"("[get_global_size(0)]y")", 8, 0);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->First, 0u);
  EXPECT_EQ(R->Bytes, 32u);
  EXPECT_TRUE(R->Overwritten);
  R = range(Whole, Out + R"("y[n:get_global_size(0)]")", 8, 3);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->First, 12u);
  R = range(Whole, Out + R"("([4][n]y)[1:3][2:8]")", 8, 10); // Rows with gaps.
  ASSERT_TRUE(R);
  EXPECT_EQ(R->First, 48u);
  EXPECT_EQ(R->Bytes, 4u * 28);
  EXPECT_FALSE(R->Overwritten);
  R = range(Whole, Out + R"("([4][n]y)[1:3][0:8]")", 8, 8); // Without gaps.
  ASSERT_TRUE(R);
  EXPECT_TRUE(R->Overwritten);
  EXPECT_TRUE(range(Whole, Out + R"("*y")", 8, 0));
  EXPECT_FALSE(range(Whole, Out + R"("[n]y")", 8, 0));
  EXPECT_FALSE(range(Whole, Out + R"("y[n:8]")", 8, -1));
  EXPECT_FALSE(range(Whole, Out + R"("[(*n)]y")", 8, 1));
  EXPECT_FALSE(range(Whole, Out + R"("[n]y", "onlyWhere": ["n - 4"])", 8, 3));
  EXPECT_TRUE(range(Whole, Out + R"("[n]y", "onlyWhere": ["n - 4"])", 8, 4));
  // A subscript of 32 bits does not reach further.
  EXPECT_TRUE(range(Whole, Out + R"("y[n:8]")", 8, (int64_t(1) << 32) - 8));
  EXPECT_FALSE(range(Whole, Out + R"("y[n:8]")", 8, (int64_t(1) << 32) - 7));
}

TEST(LaunchExtentsTest, ConditionsOfALaunch) {
  const std::string Y = Out + R"("[n]y")";
  EXPECT_TRUE(range(Guarded, Y, 8, 8));
  EXPECT_TRUE(range(Guarded, Y, 8, 5));
  EXPECT_FALSE(range(Guarded, Y, 8, 9)); // Too few work-items.
  EXPECT_FALSE(range(Guarded, Y, 8, 1)); // An integer wraps around.
  EXPECT_TRUE(range(Guarded, Y, 8, 8, 4));
  EXPECT_FALSE(range(Guarded, Y, 8, 8, 3)); // A group is smaller than the others.
  EXPECT_FALSE(range(R"("globalWorkSize": "[n,1,1]", "mayBeLarger": false, "holdsWhere": [])", Y, 8, 5));
  EXPECT_FALSE(
      range(R"("globalWorkSize": "[n,1,1]", "mayBeLarger": true)", Y, 8, 8)); // The format of an older hsched-kinfo.
  EXPECT_FALSE(range(R"("globalWorkSize": "[(*m),1,1]", "mayBeLarger": true, "holdsWhere": [])", Y, 8, 8));
}

TEST(LaunchExtentsTest, ElementsWithGapsAreNotOverwritten) {
  for (const char *Element : {"float3", "struct S", "S", "double3"})
    EXPECT_FALSE(range(Whole, "\"element\": \"" + std::string(Element) + R"(", "role": "out", "section": "[8]y")", 8, 0)
                     .value()
                     .Overwritten)
        << Element;
  for (const char *Element : {"float", "uchar", "double2", "float4", "int8", "ushort16"})
    EXPECT_TRUE(range(Whole, "\"element\": \"" + std::string(Element) + R"(", "role": "out", "section": "[8]y")", 8, 0)
                    .value()
                    .Overwritten)
        << Element;
}

TEST(LaunchExtentsTest, UnusedArgumentsAreRead) {
  const auto Its = Roles::parse(report(Whole, R"("role": "unused")"));
  EXPECT_TRUE(Its.Unused.count({"k", 1}));
  EXPECT_TRUE(Its.OnlyRead.count({"k", 1}));
  EXPECT_FALSE(Roles::parse(report(Whole, R"("role": "in")")).Unused.count({"k", 1}));
}

TEST(LaunchExtentsTest, DamagedReports) {
  EXPECT_TRUE(Roles::parse("").OnlyRead.empty());
  EXPECT_TRUE(Roles::parse("{").OnlyRead.empty());
  EXPECT_TRUE(Roles::parse(R"({"files": [{"kernels": [{"name": 1}]}]})").OnlyRead.empty());
}

} // namespace
} // namespace hsched::icd
