// Which devices there are, and which cores CPU devices compute on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClTest.h"

#include <algorithm>
#include <fstream>
#include <set>

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::test;

namespace {

class BackendTest : public OpenClTest {
protected:
  // For tests that need the plugin, but no device.
  void SetUp() override {
    BackendOptions None;
    None.Selection = "0";
    setenv("HSCHED_PLUGIN_PATH", TEST_PLUGINS, 1);
    if (status S = loadBackends({"opencl"}, None, Devices); S.code() == errc::unsupported)
      GTEST_SKIP() << S.message();
  }
};

// The cores that thread may run on, as the kernel writes them: "0-2,5".
std::string allowedCores(int Thread) {
  std::ifstream File("/proc/self/task/" + std::to_string(Thread) + "/status");
  for (std::string Line; std::getline(File, Line);)
    if (Line.rfind("Cpus_allowed_list:", 0) == 0)
      return Line.substr(Line.find_first_not_of(" \t", 18));
  return {};
}

} // namespace

TEST_F(BackendTest, ZeroIsNoDevice) {
  Options = defaults();
  Options.Selection = "0";
  EXPECT_TRUE(load().ok());
  EXPECT_TRUE(Devices.empty());
}

TEST_F(BackendTest, NoDriverInstalledIsNoDevice) {
  setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
  Options = defaults();
  status S = load();
  EXPECT_TRUE(S.ok()) << S.message();
  EXPECT_TRUE(Devices.empty());
}

TEST_F(BackendTest, BadSelectionListsDevices) {
  Options = defaults();
  Options.Selection = "17";
  status S = load();
  EXPECT_EQ(S.code(), errc::invalid_argument);
  EXPECT_TRUE(contains(S.message(), "HSCHED_OPENCL='17'")) << S.message();
  EXPECT_TRUE(Devices.empty());
}

TEST_F(BackendTest, Describes) {
  OPEN_DEVICE();
  for (const std::unique_ptr<Device> &D : Devices) {
    const DeviceInfo &I = D->info();
    EXPECT_FALSE(I.Name.empty());
    EXPECT_FALSE(I.Platform.empty());
    EXPECT_EQ(I.Backend, "opencl");
    EXPECT_EQ(I.Kind, DeviceKind::OpenCL);
    EXPECT_NE(I.Type, DeviceType::Any);
    EXPECT_GT(I.MemoryBytes, 0u);
    EXPECT_GT(I.MaxAllocationBytes, 0u);
    EXPECT_LE(I.MaxAllocationBytes, I.MemoryBytes);
    EXPECT_GE(I.ComputeUnits, 1u);
    EXPECT_GE(D->computeQueues(), 1u);
  }
}

TEST_F(BackendTest, CpuDeviceKeepsToItsCores) {
  Options = defaults();
  Options.Selection = "all";
  std::vector<int> Before = currentThreads();
  std::vector<unsigned> Mine = Affinity::ofCurrentThread().cores();
  OPEN_DEVICE();
  EXPECT_EQ(Affinity::ofCurrentThread().cores(), Mine) << "the caller's own binding is put back";
  const Device *Cpu = nullptr;
  for (const std::unique_ptr<Device> &D : Devices)
    if (D->info().Type == DeviceType::Cpu)
      Cpu = D.get();
  if (!Cpu)
    GTEST_SKIP() << "no CPU device of OpenCL here";
  const std::vector<unsigned> &Cores = Cpu->info().HostCores;
  size_t All = Options.HostCores.size();
  if (All < 2) {
    EXPECT_TRUE(Cores.empty()) << "one core is shared";
    return;
  }
  ASSERT_EQ(Cores, std::vector<unsigned>(Options.HostCores.end() - static_cast<std::ptrdiff_t>(All / 2),
                                         Options.HostCores.end()));
  EXPECT_EQ(Cpu->info().ComputeUnits, Cores.size());
  std::set<std::string> Lists;
  for (int Thread : currentThreads())
    if (!std::binary_search(Before.begin(), Before.end(), Thread))
      Lists.insert(allowedCores(Thread));
  ASSERT_FALSE(Lists.empty()) << "the driver has threads";
  if (std::ranges::all_of(Devices, [](const auto &D) { return D->info().Type == DeviceType::Cpu; })) {
    EXPECT_EQ(Lists.size(), 1u) << "and all are bound alike";
  }
  if (Cores.size() == 1) {
    EXPECT_TRUE(Lists.contains(std::to_string(Cores[0]))) << *Lists.begin();
  }
}

TEST_F(BackendTest, AsManyQueuesAsTheDeviceMakesUseOf) {
  Options = defaults();
  Options.Selection = "all";
  Options.HostCores = {0, 1, 2, 3, 4, 5, 6, 7}; // Half of them the CPU device's.
  OPEN_DEVICE();
  for (const std::unique_ptr<Device> &D : Devices) {
    EXPECT_EQ(D->computeQueues(), D->info().Type == DeviceType::Cpu ? std::min(D->info().ComputeUnits, 4u) : 8u);
  }
}

TEST_F(BackendTest, CpuDeviceLeavesWorkersTheirCores) {
  Options = defaults();
  Options.Selection = "all";
  Options.HostCores = {0, 1, 2, 3, 4, 5, 6, 7}; // Need not be there: binding to what is not is skipped.
  Options.RequestedCpuWorkers = 7;
  OPEN_DEVICE();
  bool HasCpu = false;
  for (const std::unique_ptr<Device> &D : Devices) {
    if (D->info().Type != DeviceType::Cpu)
      continue;
    HasCpu = true;
    EXPECT_EQ(D->info().HostCores, std::vector<unsigned>{7});
    EXPECT_EQ(D->info().ComputeUnits, 1u);
  }
  if (!HasCpu)
    GTEST_SKIP() << "no CPU device of OpenCL here";
}
