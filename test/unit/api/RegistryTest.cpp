// Registration of tasks and versions, in any order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Registry.h"
#include "base/Log.h"

#include <gtest/gtest.h>

using namespace hsched::rt;

namespace {

hsched_task_desc taskNamed(const char *LinkerName) {
  hsched_task_desc D{};
  D.abi_major = HSCHED_ABI_MAJOR;
  D.linker_name = LinkerName;
  D.name = "user::name";
  D.file = "file.cpp";
  return D;
}
hsched_version_desc versionNamed(const char *LinkerName, unsigned Device) {
  hsched_version_desc D{};
  D.linker_name = LinkerName;
  D.name = LinkerName;
  D.device = Device;
  return D;
}

TEST(Registry, VersionsMayComeFirst) {
  Registry R;
  auto V = versionNamed("v", HSCHED_DEVICE_OPENCL);
  R.addVersion("t", V);
  EXPECT_TRUE(R.wants(HSCHED_DEVICE_OPENCL));
  EXPECT_FALSE(R.wants(HSCHED_DEVICE_CUDA));
  auto D = taskNamed("t");
  RegisteredType &T = R.addTask(D);
  EXPECT_EQ(T.numVersions(), 1u);
  EXPECT_STREQ(T.name(), "user::name");
}

TEST(Registry, AVersionThatComesTooLateForItsDeviceIsWarnedAboutOnce) {
  Registry R;
  std::vector<std::string> Warnings;
  setLogSink([&](LogLevel, std::string_view Text) { Warnings.emplace_back(Text); });
  auto OnCpu = versionNamed("c", HSCHED_DEVICE_CPU), Late = versionNamed("late", HSCHED_DEVICE_OPENCL),
       Later = versionNamed("later", HSCHED_DEVICE_OPENCL);
  EXPECT_FALSE(R.wants(HSCHED_DEVICE_OPENCL));
  R.addVersion("t", OnCpu);
  EXPECT_TRUE(Warnings.empty());
  R.addVersion("t", Late);
  R.addVersion("t", Later);
  setLogSink({});
  ASSERT_EQ(Warnings.size(), 1u);
  EXPECT_NE(Warnings[0].find("'late'"), std::string::npos) << Warnings[0];
}

TEST(Registry, ASecondRegistrationIsTheSame) {
  Registry R;
  auto D1 = taskNamed("t"), D2 = taskNamed("t"), Other = taskNamed("u");
  RegisteredType &T = R.addTask(D1);
  EXPECT_EQ(&R.addTask(D2), &T);
  EXPECT_NE(&R.addTask(Other), &T);
  EXPECT_EQ(T.Desc, &D1);
  auto V1 = versionNamed("v", HSCHED_DEVICE_CPU), V2 = V1, OnCl = versionNamed("v", HSCHED_DEVICE_OPENCL);
  for (const auto *V : {&V1, &V2, &OnCl})
    R.addVersion("t", *V);
  ASSERT_EQ(T.numVersions(), 2u);
  EXPECT_EQ(T.Versions[0].Desc, &V1);
  EXPECT_EQ(T.Versions[1].Desc, &OnCl);
  EXPECT_EQ(T.Versions[1].Index, 1u);
}

TEST(Registry, NoMoreVersionsThanThereIsRoomFor) {
  setLogSink([](LogLevel, std::string_view) {});
  Registry R;
  std::vector<std::string> Names;
  for (unsigned I = 0; I < MaxVersions + 3; ++I)
    Names.push_back("v" + std::to_string(I));
  std::vector<hsched_version_desc> Versions;
  for (const std::string &Name : Names)
    Versions.push_back(versionNamed(Name.c_str(), HSCHED_DEVICE_CPU));
  for (const auto &V : Versions)
    R.addVersion("t", V);
  auto D = taskNamed("t");
  EXPECT_EQ(R.addTask(D).numVersions(), MaxVersions);
  setLogSink({});
}

TEST(Registry, AnotherAbiIsRefused) {
  setLogSink([](LogLevel, std::string_view) {});
  Registry R;
  auto D = taskNamed("t");
  D.abi_major = HSCHED_ABI_MAJOR + 1;
  EXPECT_FALSE(R.addTask(D).Refusal.empty());
  auto Fine = taskNamed("u");
  EXPECT_TRUE(R.addTask(Fine).Refusal.empty());
  setLogSink({});
}

TEST(Registry, MetadataIsKept) {
  Registry R;
  R.addMetadata("{}");
  ASSERT_EQ(R.metadata().size(), 1u);
  EXPECT_EQ(R.metadata()[0], "{}");
}

} // namespace
