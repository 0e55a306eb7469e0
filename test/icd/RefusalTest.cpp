// A device that has refused a launch is asked again later.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hook.h"

#include <algorithm>
#include <atomic>

namespace icdtest {
namespace {

class RefusalTest : public Hooked {
public:
  using Hooked::deviceNameOf;
  static cl_icd_dispatch &real() { return Real; }
};

// Refuses the first launches of one device: it has no memory for them.
struct NoMemory {
  static inline std::atomic<int> Left{0}, Accepted{0};
  static cl_int CL_API_CALL enqueue(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                    const size_t *Global, const size_t *Local, cl_uint N, const cl_event *List,
                                    cl_event *Event) {
    if (RefusalTest::deviceNameOf(Q).compare(0, 5, "basic") == 0) {
      if (Left > 0) {
        --Left;
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
      }
      ++Accepted;
    }
    return RefusalTest::real().clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, N, List, Event);
  }
};

TEST_F(RefusalTest, ADeviceWithoutMemoryIsAskedAgain) {
  Table->clEnqueueNDRangeKernel = NoMemory::enqueue;
  cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED, 0};
  cl_int Error;
  cl_command_queue Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
  ok(Error);
  cl_kernel K = kernel((std::string(AddSource) + "// With little memory.").c_str(), "add");
  cl_mem M = ints({0});
  arg(K, 0, M);
  arg(K, 1, 1);
  NoMemory::Left = 2;
  int Runs = 0;
  // 16 launches after the first refusal, 32 after the second one.
  for (; !NoMemory::Accepted && Runs != 80; ++Runs) {
    run(Q, K, 1);
    ok(clFinish(Q));
  }
  EXPECT_EQ(NoMemory::Left, 0);
  EXPECT_EQ(NoMemory::Accepted, 1);
  EXPECT_GE(Runs, 48);
  EXPECT_EQ(read(Q, M, 1), std::vector<int>{Runs});
  putBack();
  clReleaseKernel(K);
  clReleaseCommandQueue(Q);
}

// A vendor that refuses an argument that another one accepts: rusticl has other sizes of some structures.
struct OtherSizes {
  static cl_int CL_API_CALL set(cl_kernel K, cl_uint Number, size_t Bytes, const void *Value) {
    return Bytes == sizeof(int) ? CL_INVALID_ARG_SIZE : RefusalTest::real().clSetKernelArg(K, Number, Bytes, Value);
  }
};

TEST_F(RefusalTest, AnArgumentThatOneVendorRefuses) {
  const auto Other = std::find_if(Devices.begin(), Devices.end(), [](cl_device_id D) {
    const std::string Name = text(clGetDeviceInfo, D, CL_DEVICE_NAME);
    return !Name.starts_with("basic") && !Name.starts_with("pthread"); // Not PoCL's.
  });
  Table->clSetKernelArg = OtherSizes::set;
  cl_kernel K = kernel((std::string(AddSource) + "// With other sizes.").c_str(), "add");
  cl_mem M = ints({0});
  arg(K, 0, M);
  const int One = 1;
  if (Other == Devices.end()) { // All vendors refuse it.
    EXPECT_EQ(clSetKernelArg(K, 1, sizeof(One), &One), CL_INVALID_ARG_SIZE);
  } else {
    arg(K, 1, One);
    cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED, 0};
    cl_int Error;
    cl_command_queue Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
    ok(Error);
    for (int Run = 0; Run != 4; ++Run) {
      run(Q, K, 1);
      ok(clFinish(Q));
    }
    EXPECT_EQ(read(Q, M, 1), std::vector<int>{4});
    clReleaseCommandQueue(Q);
    const size_t Items = 1; // A queue of one device passes its vendor's error on.
    EXPECT_EQ(clEnqueueNDRangeKernel(Queues[0], K, 1, nullptr, &Items, nullptr, 0, nullptr, nullptr),
              CL_INVALID_ARG_SIZE);
    cl_command_queue Its = Queues[static_cast<size_t>(Other - Devices.begin())];
    run(Its, K, 1);
    ok(clFinish(Its));
    EXPECT_EQ(read(Queues[0], M, 1), std::vector<int>{5});
  }
  putBack();
  clReleaseKernel(K);
}

} // namespace
} // namespace icdtest
