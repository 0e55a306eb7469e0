// Events of one device waited for by another. PoCL offers a second CPU device for the asking.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpenClTest.h"

using namespace hsched;
using namespace hsched::rt;
using namespace hsched::rt::test;

TEST(TwoDevicesTest, OneWaitsForTheOther) {
  setenv("POCL_DEVICES", "pthread pthread", 1);
  setenv("HSCHED_OPENCL_COPY", "1", 1);
  setenv("HSCHED_PLUGIN_PATH", TEST_PLUGINS, 1);
  BackendOptions Options;
  Options.Selection = "all";
  Options.HostCores = discoverTopology().Cores;
  std::vector<std::unique_ptr<Device>> Devices;
  status S = loadBackends({"opencl"}, Options, Devices);
  if (S.code() == errc::unsupported)
    GTEST_SKIP() << S.message();
  ASSERT_TRUE(S.ok()) << S.message();
  if (Devices.size() < 2)
    GTEST_SKIP() << "only " << Devices.size() << " OpenCL device(s) on this machine";

  const char *Source =
      "kernel void inc(global int *x) { for (int i = 0; i < 100000; ++i) ++*(volatile global int *)x; }";
  int Value = 0;
  BufferRef Mem[2];
  KernelRef K[2];
  for (int I = 0; I < 2; ++I) {
    ASSERT_TRUE(Devices[I]->allocate(sizeof(int), Mem[I]).ok());
    ASSERT_TRUE(Devices[I]->kernel(describe(Source, "inc"), K[I]).ok());
  }
  // Back and forth through host memory, nothing waited for until the end.
  EventRef Last;
  for (int Round = 0; Round < 6; ++Round) {
    int D = Round % 2;
    EventRef Up, Run;
    std::vector<BoundArg> Args = {buffer(Mem[D])};
    ASSERT_TRUE(Devices[D]->write(Mem[D], 0, &Value, sizeof(int), std::vector{Last}, Up).ok());
    ASSERT_TRUE(Devices[D]->launch(K[D], range(1), Args, std::vector{Up}, Run).ok());
    ASSERT_TRUE(Devices[D]->read(Mem[D], 0, &Value, sizeof(int), std::vector{Run}, Last).ok());
    Devices[D]->flush();
  }
  S = Last->wait();
  ASSERT_TRUE(S.ok()) << S.message();
  EXPECT_EQ(Value, 600000);
}
