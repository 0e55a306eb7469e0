// Devices in parts, and several platforms at once, as the runtime gets them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClTest.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <filesystem>
#include <fstream>
#include <set>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

class SubDeviceTest : public OpenClTest {
protected:
  static constexpr const char *Source = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }\n";

  // Adds what a kernel does on every device to the same numbers.
  void expectAllCompute() {
    std::vector<int> X(64, 1);
    int Expected = 1;
    for (const std::unique_ptr<Device> &D : Devices) {
      Dev = D.get();
      BufferRef B = bufferOf(X.data(), X.size() * sizeof(int));
      KernelRef K = kernel(describe(Source, "twice"));
      ASSERT_TRUE(B && K);
      BoundArg Args[] = {buffer(B)};
      EventRef Done;
      status S = D->launch(K, range(X.size()), Args, {}, Done);
      ASSERT_TRUE(S.ok()) << S.message();
      D->flush();
      S = Done->wait();
      ASSERT_TRUE(S.ok()) << S.message();
      bringBack(B, X.data(), X.size() * sizeof(int));
      Expected *= 2;
      EXPECT_EQ(X, std::vector<int>(X.size(), Expected)) << D->info().title();
    }
  }

  void expectOutlivesUse(const char *Selection) {
    Options = defaults();
    if (Options.HostCores.size() < 2)
      GTEST_SKIP() << "one core cannot be split";
    Options.Selection = Selection;
    OPEN_DEVICE();
    std::unique_ptr<NativeWork> Work;
    EventRef Done;
    ASSERT_TRUE(Dev->beginNative("part", {}, Work).ok());
    auto *Part = static_cast<cl_device_id>(Work->device());
    ASSERT_TRUE(Work->end(Done).ok());
    ASSERT_TRUE(Done->wait().ok());
    cl_device_id Whole = nullptr;
    ASSERT_EQ(clGetDeviceInfo(Part, CL_DEVICE_PARENT_DEVICE, sizeof(Whole), &Whole, nullptr), CL_SUCCESS);
    ASSERT_NE(Whole, nullptr) << "a part";
    cl_uint Users = 0;
    EXPECT_EQ(clGetDeviceInfo(Part, CL_DEVICE_REFERENCE_COUNT, sizeof(Users), &Users, nullptr), CL_SUCCESS);
    EXPECT_GT(Users, 1u) << "the backend's is the last";
    Work.reset();
    Done.reset();
    Devices.clear();
    EXPECT_EQ(clGetDeviceInfo(Part, CL_DEVICE_REFERENCE_COUNT, sizeof(Users), &Users, nullptr), CL_SUCCESS);
    EXPECT_GE(Users, 1u);
  }
};

} // namespace

TEST_F(SubDeviceTest, EqualParts) {
  setenv("HSCHED_OPENCL_COPY", "1", 1);
  Options = defaults();
  if (Options.HostCores.size() < 2)
    GTEST_SKIP() << "one core cannot be split";
  Options.Selection = "cpu/2";
  OPEN_DEVICE();
  ASSERT_EQ(Devices.size() % 2, 0u);
  const DeviceInfo &A = Devices[0]->info(), &B = Devices[1]->info();
  EXPECT_EQ(A.Index, B.Index);
  EXPECT_EQ(A.Part, 0);
  EXPECT_EQ(B.Part, 1);
  EXPECT_EQ(A.title(), A.Name + " #" + std::to_string(A.Index) + ".0");
  for (const std::unique_ptr<Device> &D : Devices)
    EXPECT_EQ(D->title(), D->info().title()) << "messages tell the parts apart";
  EXPECT_EQ(A.ComputeUnits, B.ComputeUnits);
  EXPECT_GE(A.ComputeUnits, 1u);
  EXPECT_LE(A.ComputeUnits * 2, Options.HostCores.size());
  EXPECT_EQ(A.MemoryBytes, B.MemoryBytes) << "half each";
  EXPECT_EQ(A.HostCores.size(), std::set<unsigned>(A.HostCores.begin(), A.HostCores.end()).size());
  EXPECT_GE(A.HostCores.size(), 2u);
  uint64_t Half = A.MemoryBytes;
  expectAllCompute();
  Devices.clear();
  Options.Selection = "cpu";
  OPEN_DEVICE();
  EXPECT_NEAR(static_cast<double>(Devices[0]->info().MemoryBytes), 2.0 * static_cast<double>(Half), 4096);
}

TEST_F(SubDeviceTest, PartsByCounts) {
  Options = defaults();
  if (Options.HostCores.size() < 2)
    GTEST_SKIP() << "one core cannot be split";
  Options.Selection = "cpu/1+1";
  OPEN_DEVICE();
  ASSERT_GE(Devices.size(), 2u);
  for (const std::unique_ptr<Device> &D : Devices)
    EXPECT_EQ(D->info().ComputeUnits, 1u);
  expectAllCompute();
}

// What the driver's own threads still hold is on them.
TEST_F(SubDeviceTest, PartsOutliveTheirUsers) { expectOutlivesUse("cpu/1+1"); }
TEST_F(SubDeviceTest, WhatCpuWorkersHaveNotOutlivesItsUse) { expectOutlivesUse("cpu"); }

TEST_F(SubDeviceTest, WhatCannotBeSplitSaysHowItCan) {
  Options = defaults();
  Options.Selection = "cpu";
  OPEN_DEVICE();
  std::string Name = Dev->info().Name;
  Devices.clear();
  for (const char *Way : {"/250", "/200+200", "/l4"}) {
    Options.Selection = std::string("cpu") + Way;
    status S = load();
    EXPECT_EQ(S.code(), errc::invalid_argument) << Way;
    EXPECT_TRUE(contains(S.message(), "HSCHED_OPENCL='cpu" + std::string(Way) + "': device ")) << S.message();
    EXPECT_TRUE(contains(S.message(), "too few for") || contains(S.message(), "it can be split by") ||
                contains(S.message(), "cannot be split"))
        << S.message();
    EXPECT_TRUE(contains(S.message(), "there are: ") && contains(S.message(), Name)) << S.message();
    EXPECT_TRUE(Devices.empty());
  }
}

TEST_F(SubDeviceTest, ByName) {
  Options = defaults();
  Options.Selection = "all";
  OPEN_DEVICE();
  std::string Name = Devices.back()->info().Name, Platform = Devices.back()->info().Platform;
  size_t All = Devices.size();
  for (const std::string &Part : {Name.substr(1, 5), Platform}) {
    Devices.clear();
    Options.Selection = Part;
    OPEN_DEVICE();
    EXPECT_LE(Devices.size(), All);
    EXPECT_EQ(Devices.back()->info().Name, Name) << Part;
  }
}

TEST_F(SubDeviceTest, SeveralPlatformsAtOnce) {
  // A second vendor beside those that are installed, without touching the system's list.
  const char *Second = nullptr;
  for (const char *Place :
       {"/usr/lib/x86_64-linux-gnu/oclgrind/liboclgrind-rt-icd.so", "/usr/lib/x86_64-linux-gnu/liboclgrind-rt-icd.so",
        "/usr/lib/oclgrind/liboclgrind-rt-icd.so"})
    if (std::filesystem::exists(Place))
      Second = Place;
  if (!Second)
    GTEST_SKIP() << "Oclgrind is not installed";
  std::string Folder = std::filesystem::temp_directory_path() / "hsched-icd-XXXXXX";
  ASSERT_TRUE(mkdtemp(Folder.data()));
  std::error_code Ignored;
  for (const auto &E : std::filesystem::directory_iterator("/etc/OpenCL/vendors", Ignored))
    std::filesystem::copy_file(E.path(), std::filesystem::path(Folder) / E.path().filename());
  std::ofstream(Folder + "/second.icd") << Second << "\n";
  setenv("OCL_ICD_VENDORS", Folder.c_str(), 1);
  Options = defaults();
  Options.Selection = "all";
  open();
  std::filesystem::remove_all(Folder);
  if (HasFatalFailure() || IsSkipped())
    return;
  std::set<std::string> Platforms;
  for (const std::unique_ptr<Device> &D : Devices)
    Platforms.insert(D->info().Platform);
  if (Platforms.size() < 2)
    GTEST_SKIP() << "there is one platform all the same";
  expectAllCompute();
}
