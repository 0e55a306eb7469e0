// The plugin's devices for tests, and short ways to use them. Tests are skipped, with the reason, where OpenCL is not
// there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_UNIT_OPENCL_OPENCLTEST_H
#define HSCHED_TEST_UNIT_OPENCL_OPENCLTEST_H

#include "device/BackendLoader.h"
#include "device/Topology.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace hsched::rt::test {

// A description with everything but what is named left at its default.
inline hsched_kernel_desc describe(const char *Source, const char *Name, unsigned Flags = 0, const char *Options = "") {
  hsched_kernel_desc D = {};
  D.struct_bytes = sizeof(D);
  D.file = "test.cl";
  D.name = D.entry = Name;
  D.source = Source;
  D.source_bytes = std::strlen(Source);
  D.options = Options;
  D.flags = Flags;
  return D;
}

inline hsched_ndrange range(size_t Global, size_t Local = 0) { return {1, {Global, 1, 1}, {Local, 1, 1}, {}}; }

inline BoundArg buffer(BufferRef B, uint64_t Offset = 0) {
  BoundArg A;
  A.K = BoundArg::Kind::Buffer;
  A.Mem = std::move(B);
  A.Offset = Offset;
  return A;
}

template <typename T> BoundArg value(const T &V) {
  BoundArg A;
  A.Value = &V;
  A.Bytes = sizeof(T);
  return A;
}

inline BoundArg local(size_t Bytes) {
  BoundArg A;
  A.K = BoundArg::Kind::Local;
  A.Bytes = Bytes;
  return A;
}

inline bool contains(const std::string &Text, const std::string &Part) { return Text.find(Part) != std::string::npos; }

// Takes a while that no compiler can take away, then x = x * 3 + v.
inline const char *const Step = R"(
kernel void advance_one(global uint *x, uint v, uint rounds) {
  uint s = *x;
  for (uint i = 0; i < rounds; ++i)
    s = s * 1664525u + 1013904223u;
  *x = (rounds == 0xffffffffu ? s : *x) * 3 + v;
})";

class OpenClTest : public testing::Test {
protected:
  BackendOptions Options;
  std::vector<std::unique_ptr<Device>> Devices;
  Device *Dev = nullptr; // The first.

  static BackendOptions defaults() {
    BackendOptions O;
    O.HostCores = discoverTopology().Cores;
    return O;
  }

  status load() {
    setenv("HSCHED_PLUGIN_PATH", TEST_PLUGINS, 1);
    return loadBackends({"opencl"}, Options, Devices);
  }

  // Opens the devices and skips the test where there is none.
  void open() {
    if (Options.HostCores.empty())
      Options.HostCores = defaults().HostCores;
    status S = load();
    if (S.code() == errc::unsupported) // Most likely there is no libOpenCL.
      GTEST_SKIP() << S.message();
    ASSERT_TRUE(S.ok()) << S.message();
    if (Devices.empty())
      GTEST_SKIP() << "no OpenCL device on this machine";
    Dev = Devices.front().get();
  }

  // A buffer with a copy of Bytes bytes at Host: host memory in place where the device shares it.
  BufferRef bufferOf(void *Host, size_t Bytes) {
    BufferRef B;
    status S = Dev->info().SharesHostMemory ? Dev->wrap(Host, Bytes, B) : Dev->allocate(Bytes, B);
    EXPECT_TRUE(S.ok()) << S.message();
    if (!S.ok() || Dev->info().SharesHostMemory)
      return B;
    EventRef Done;
    S = Dev->write(B, 0, Host, Bytes, {}, Done);
    EXPECT_TRUE(S.ok()) << S.message();
    S = Done->wait();
    EXPECT_TRUE(S.ok()) << S.message();
    return B;
  }

  void bringBack(const BufferRef &B, void *Host, size_t Bytes) {
    if (Dev->info().SharesHostMemory)
      return;
    EventRef Done;
    status S = Dev->read(B, 0, Host, Bytes, {}, Done);
    ASSERT_TRUE(S.ok()) << S.message();
    S = Done->wait();
    ASSERT_TRUE(S.ok()) << S.message();
  }

  KernelRef kernel(const hsched_kernel_desc &Desc) {
    KernelRef K;
    status S = Dev->kernel(Desc, K);
    EXPECT_TRUE(S.ok()) << S.message();
    return K;
  }
};

// Skips from within a test body when open() did.
#define OPEN_DEVICE()                                                                                                  \
  do {                                                                                                                 \
    open();                                                                                                            \
    if (HasFatalFailure() || IsSkipped())                                                                              \
      return;                                                                                                          \
  } while (false)

} // namespace hsched::rt::test
#endif
