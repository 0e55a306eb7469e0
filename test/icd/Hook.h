// PoCL's table of functions, in which a test may replace some: only the platform calls PoCL in this process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TEST_ICD_HOOK_H
#define HSCHED_TEST_ICD_HOOK_H

#include "Cl.h"

#include <CL/cl_icd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

namespace icdtest {

class Hooked : public Platform {
protected:
  // Opens it for writing. Null: a failure has been reported.
  static cl_icd_dispatch *open() {
    std::ifstream File(std::string(std::getenv("HSCHED_OPENCL_VENDORS")) + "/pocl.icd");
    std::string Name;
    std::getline(File, Name);
    void *Pocl = dlopen(Name.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(Pocl, nullptr) << dlerror();
    if (!Pocl)
      return nullptr;
    auto Find = reinterpret_cast<void *(*)(const char *)>(dlsym(Pocl, "clGetExtensionFunctionAddress"));
    auto Get = reinterpret_cast<clIcdGetPlatformIDsKHR_fn>(Find("clIcdGetPlatformIDsKHR"));
    cl_platform_id Its = nullptr;
    ok(Get(1, &Its, nullptr));
    auto *Of = *reinterpret_cast<cl_icd_dispatch **>(Its);
    const auto Page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t Begin = reinterpret_cast<uintptr_t>(Of) / Page * Page;
    const int Opened =
        mprotect(reinterpret_cast<void *>(Begin), reinterpret_cast<uintptr_t>(Of + 1) - Begin, PROT_READ | PROT_WRITE);
    EXPECT_EQ(Opened, 0);
    return Opened == 0 ? Of : nullptr;
  }
  // Threads of the platform may call PoCL at any time, also between two tests. So the functions are read once, and
  // putBack() writes only those that a test has replaced.
  void SetUp() override {
    Platform::SetUp();
    Table = open();
    ASSERT_NE(Table, nullptr);
    [[maybe_unused]] static const bool Once = (Real = *Table, true);
  }
  void TearDown() override {
    if (Table)
      putBack();
    Platform::TearDown();
  }
  void putBack() {
    auto *Now = reinterpret_cast<std::byte *>(Table);
    const auto *Before = reinterpret_cast<const std::byte *>(&Real);
    constexpr size_t Bytes = sizeof(void *);
    for (size_t At = 0; At != sizeof(Real); At += Bytes)
      if (std::memcmp(Now + At, Before + At, Bytes) != 0)
        std::memcpy(Now + At, Before + At, Bytes);
  }

  // The name of the device that a command of PoCL's was enqueued to.
  static std::string deviceNameOf(cl_event E) {
    cl_command_queue Q = nullptr;
    (void)Real.clGetEventInfo(E, CL_EVENT_COMMAND_QUEUE, sizeof(Q), &Q, nullptr);
    return deviceNameOf(Q);
  }
  static std::string deviceNameOf(cl_command_queue Q) {
    cl_device_id D = nullptr;
    char Name[256] = "";
    (void)Real.clGetCommandQueueInfo(Q, CL_QUEUE_DEVICE, sizeof(D), &D, nullptr);
    (void)Real.clGetDeviceInfo(D, CL_DEVICE_NAME, sizeof(Name), Name, nullptr);
    return Name;
  }

  cl_icd_dispatch *Table = nullptr;
  static inline cl_icd_dispatch Real;
};

} // namespace icdtest
#endif
