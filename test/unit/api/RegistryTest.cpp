// Registration of tasks and versions, in any order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Registry.h"
#include "../Captured.h"

#include <gtest/gtest.h>

using namespace hsched::rt;
using hsched::rt::test::Captured;

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
  Captured Log;
  auto OnCpu = versionNamed("c", HSCHED_DEVICE_CPU), Late = versionNamed("late", HSCHED_DEVICE_OPENCL),
       Later = versionNamed("later", HSCHED_DEVICE_OPENCL);
  EXPECT_FALSE(R.wants(HSCHED_DEVICE_OPENCL));
  R.addVersion("t", OnCpu);
  EXPECT_TRUE(Log.Lines.empty());
  R.addVersion("t", Late);
  R.addVersion("t", Later);
  ASSERT_EQ(Log.Lines.size(), 1u);
  EXPECT_NE(Log.Lines[0].find("'late'"), std::string::npos) << Log.Lines[0];
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

void runsThis(void *) {}
void runsThat(void *) {}

hsched_task_desc taskAt(const char *File, unsigned Line, void (*Run)(void *)) {
  hsched_task_desc D = taskNamed("t");
  D.struct_bytes = sizeof D;
  D.file = File;
  D.line = Line;
  D.run = Run;
  return D;
}
hsched_version_desc versionAt(const char *File, unsigned Line, void (*Run)(void *)) {
  hsched_version_desc D = versionNamed("t", HSCHED_DEVICE_CPU);
  D.file = File;
  D.line = Line;
  D.run = Run;
  return D;
}

TEST(Registry, WhatIsDefinedInTwoWaysIsTwoTasks) {
  Captured Log;
  Registry R;
  auto DA = taskAt("a/x.h", 3, runsThis), DB = taskAt("b/x.h", 3, runsThat), Again = DB, Third = DB;
  Third.line = 9;
  auto VA = versionAt("a/x.h", 3, runsThis), VB = versionAt("b/x.h", 3, runsThat);
  auto &A = R.addTask(DA);
  R.addVersion("t", VA);
  auto &B = R.addTask(DB);
  R.addVersion("t", VB);
  EXPECT_NE(&A, &B);
  EXPECT_NE(A.Id, B.Id);
  EXPECT_EQ(&R.addTask(Again), &B);
  EXPECT_NE(&R.addTask(Third), &A);
  ASSERT_EQ(A.numVersions(), 1u);
  ASSERT_EQ(B.numVersions(), 1u);
  EXPECT_EQ(A.Versions[0].Desc, &VA);
  EXPECT_EQ(B.Versions[0].Desc, &VB);
  EXPECT_EQ(&R.addTask(DA), &A);
  ASSERT_EQ(Log.Lines.size(), 1u);
  EXPECT_NE(Log.Lines[0].find("'user::name'"), std::string::npos) << Log.Lines[0];
  EXPECT_NE(Log.Lines[0].find("a/x.h:3"), std::string::npos) << Log.Lines[0];
  EXPECT_NE(Log.Lines[0].find("b/x.h:3"), std::string::npos) << Log.Lines[0];
}

TEST(Registry, InstancesForTypesOfTheUnitsOwnAreTwoTasks) {
  Captured Log;
  Registry R;
  auto DA = taskAt("x.h", 3, runsThis), DB = taskAt("x.h", 3, runsThat), Large = DA, Old = DA;
  for (auto *D : {&DA, &DB, &Large, &Old})
    D->linker_name = "static constexpr const char* hsched_task_t<T>::hsched_key() [with T = {anonymous}::Own]";
  Large.args_bytes = 80;
  Old.struct_bytes = offsetof(hsched_task_desc, run);
  Old.run = runsThat; // Ignored.
  auto &A = R.addTask(DA);
  EXPECT_NE(&R.addTask(DB), &A);
  EXPECT_NE(&R.addTask(Large), &A);
  EXPECT_EQ(&R.addTask(Old), &A);
  EXPECT_TRUE(Log.Lines.empty()) << Log.Lines[0];
}

TEST(Registry, OneTextThatMeansTwoThingsIsWarnedAboutOnce) {
  Captured Log;
  Registry R;
  auto DA = taskAt("x.h", 3, runsThis), DB = taskAt("x.h", 3, runsThat);
  auto &A = R.addTask(DA);
  auto &B = R.addTask(DB);
  EXPECT_NE(&A, &B);
  EXPECT_EQ(&R.addTask(DB), &B);
  ASSERT_EQ(Log.Lines.size(), 1u);
  EXPECT_NE(Log.Lines[0].find("x.h:3 and, in another way, at x.h:3"), std::string::npos) << Log.Lines[0];
}

TEST(Registry, AVersionThatIsDefinedInTwoWaysIsWarnedAboutOnce) {
  Captured Log;
  Registry R;
  auto A = versionAt("a.cpp", 3, runsThis), Same = A, B = versionAt("b.cpp", 4, runsThat), Again = B;
  for (const auto *V : {&A, &Same, &B, &Again})
    R.addVersion("other", *V);
  auto D = taskNamed("other");
  auto &T = R.addTask(D);
  ASSERT_EQ(T.numVersions(), 1u);
  EXPECT_EQ(T.Versions[0].Desc, &A);
  ASSERT_EQ(Log.Lines.size(), 1u);
  EXPECT_NE(Log.Lines[0].find("a.cpp:3"), std::string::npos) << Log.Lines[0];
  EXPECT_NE(Log.Lines[0].find("b.cpp:4"), std::string::npos) << Log.Lines[0];
}

TEST(Registry, NoMoreVersionsThanThereIsRoomFor) {
  Captured Log;
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
}

TEST(Registry, AnotherAbiIsRefused) {
  Captured Log;
  Registry R;
  auto D = taskNamed("t");
  D.abi_major = HSCHED_ABI_MAJOR + 1;
  EXPECT_FALSE(R.addTask(D).Refusal.empty());
  auto Fine = taskNamed("u");
  EXPECT_TRUE(R.addTask(Fine).Refusal.empty());
}

TEST(Registry, MetadataIsKept) {
  Registry R;
  R.addMetadata("{}");
  ASSERT_EQ(R.metadata().size(), 1u);
  EXPECT_EQ(R.metadata()[0], "{}");
}

VersionFilter filter(const char *Text) {
  VersionFilter F;
  const hsched::status Read = VersionFilter::parse(Text, F);
  EXPECT_TRUE(Read.ok()) << Read.message();
  return F;
}

TEST(VersionFilter, ForcesAndExcludes) {
  const VersionFilter F = filter("a:x,a:y,b:!x,n::c:m::z,d:x,d:!x");
  EXPECT_TRUE(F.allows("a", "x") && F.allows("a", "y"));
  EXPECT_FALSE(F.allows("a", "z"));
  EXPECT_FALSE(F.allows("b", "x"));
  EXPECT_TRUE(F.allows("b", "y") && F.allows("e", "x"));
  EXPECT_TRUE(F.allows("n::c", "m::z"));
  EXPECT_FALSE(F.allows("n::c", "z"));
  EXPECT_FALSE(F.allows("d", "x"));
  EXPECT_TRUE(filter("").empty());
}

TEST(VersionFilter, BadInputIsOneClearError) {
  for (const char *Text : {"a", "a:", ":x", "a:!", "a:x,", "a:x,,b:y", ",", "a::x", "!a"}) {
    VersionFilter F = filter("a:x");
    const hsched::status Read = VersionFilter::parse(Text, F);
    EXPECT_FALSE(Read.ok()) << Text;
    EXPECT_NE(Read.message().find("neither task:version nor task:!version"), std::string::npos) << Read.message();
    EXPECT_EQ(F.entries().size(), 1u) << "it is as it was";
  }
}

TEST(Registry, OnlyVersionsThatAreAllowedRun) {
  Registry R;
  auto D = taskNamed("t");
  auto Main = versionNamed("m", HSCHED_DEVICE_CPU), Other = versionNamed("o", HSCHED_DEVICE_CPU),
       Gpu = versionNamed("g", HSCHED_DEVICE_OPENCL);
  Main.run = Other.run = [](void *) {};
  R.addVersion("t", Main); // Before its task has a name.
  RegisteredType &T = R.addTask(D);
  ASSERT_TRUE(R.restrict(filter("user::name:m")).ok());
  EXPECT_EQ(T.OnlyOnCpu.load(), &T.Versions[0]);
  R.addVersion("t", Other);
  R.addVersion("t", Gpu);
  EXPECT_EQ(T.OnlyOnCpu.load(), &T.Versions[0]) << "still without a choice";
  EXPECT_TRUE(T.Versions[1].disabledOn(0) && T.Versions[1].disabledOn(MaxWorkers - 1));
  EXPECT_FALSE(R.wants(HSCHED_DEVICE_OPENCL)) << "no device is opened for it";
  R.forgetFailures(0, MaxWorkers);
  EXPECT_TRUE(T.Versions[2].disabledOn(3)) << "for no engine";
  EXPECT_FALSE(T.Versions[0].disabledOn(3));
}

TEST(Registry, WhatIsNamedAndNotThereIsAnErrorThatSaysWhatThereIs) {
  Registry R;
  auto D = taskNamed("t");
  auto V = versionNamed("v", HSCHED_DEVICE_CPU);
  R.addTask(D);
  R.addVersion("t", V);
  EXPECT_EQ(R.restrict(filter("user::name:w")).message(),
            "HSCHED_VERSIONS: task 'user::name' has no version 'w'; it has v");
  EXPECT_EQ(R.restrict(filter("nobody:!v,user::name:v")).message(),
            "HSCHED_VERSIONS: there is no task 'nobody'; there are user::name");
}

} // namespace
