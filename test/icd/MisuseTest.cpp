// Handles that are null, stale, of the wrong kind, or of another context: the specified error, never a crash.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <functional>

namespace icdtest {
namespace {

class MisuseTest : public Platform {
protected:
  void SetUp() override {
    Platform::SetUp();
    cl_int Error;
    cl_device_id First = Devices[0];
    Other = clCreateContext(nullptr, 1, &First, nullptr, nullptr, &Error);
    ok(Error);
    M = buffer(64);
    Program = build(AddSource);
    Kernel = clCreateKernel(Program, "add", &Error);
    ok(Error);
    User = clCreateUserEvent(Context, &Error);
    ok(Error);
    Sampler = clCreateSampler(Context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &Error);
    ok(Error);
  }
  void TearDown() override {
    clReleaseSampler(Sampler);
    clReleaseEvent(User);
    clReleaseKernel(Kernel);
    clReleaseProgram(Program);
    clReleaseContext(Other);
    Platform::TearDown();
  }
  // Handles that are no H: null, a stale one, and one of each other kind.
  template <class H> std::vector<H> bad(H Stale) {
    std::vector<H> All{nullptr, Stale};
    for (void *Any : {static_cast<void *>(Id), static_cast<void *>(Devices[0]), static_cast<void *>(Context),
                      static_cast<void *>(Queues[0]), static_cast<void *>(M), static_cast<void *>(Program),
                      static_cast<void *>(Kernel), static_cast<void *>(User), static_cast<void *>(Sampler)})
      All.push_back(static_cast<H>(Any));
    return All;
  }
  template <class H> void refuses(std::vector<H> Handles, H Good, cl_int Expected, std::function<cl_int(H)> Call) {
    for (size_t I = 0; I != Handles.size(); ++I)
      if (Handles[I] != Good) {
        EXPECT_EQ(Call(Handles[I]), Expected) << I;
      }
  }

  cl_context Other = nullptr;
  cl_mem M = nullptr;
  cl_program Program = nullptr;
  cl_kernel Kernel = nullptr;
  cl_event User = nullptr;
  cl_sampler Sampler = nullptr;
  size_t N = 1;
  int X[16] = {};
};

TEST_F(MisuseTest, Contexts) {
  cl_int Error;
  cl_device_id D = Devices[0];
  cl_context Stale = clCreateContext(nullptr, 1, &D, nullptr, nullptr, &Error);
  ok(clReleaseContext(Stale));
  auto Bad = bad(Stale);
  auto Refuses = [&](std::function<void(cl_context)> Call) {
    refuses<cl_context>(Bad, Context, CL_INVALID_CONTEXT, [&](cl_context C) {
      Error = CL_SUCCESS;
      Call(C);
      return Error;
    });
  };
  const char *Text = "";
  Refuses([&](cl_context C) { Error = clRetainContext(C); });
  Refuses([&](cl_context C) { Error = clReleaseContext(C); });
  Refuses([&](cl_context C) { Error = clGetContextInfo(C, CL_CONTEXT_NUM_DEVICES, 0, nullptr, &N); });
  Refuses([&](cl_context C) { clCreateBuffer(C, 0, 64, nullptr, &Error); });
  Refuses([&](cl_context C) { clCreateCommandQueue(C, D, 0, &Error); });
  Refuses([&](cl_context C) { clCreateCommandQueueWithProperties(C, D, nullptr, &Error); });
  Refuses([&](cl_context C) { clCreateUserEvent(C, &Error); });
  Refuses([&](cl_context C) { clCreateProgramWithSource(C, 1, &Text, nullptr, &Error); });
  Refuses([&](cl_context C) { clCreateSampler(C, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &Error); });
  Refuses([&](cl_context C) {
    Error = clGetSupportedImageFormats(C, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, nullptr);
  });
}

TEST_F(MisuseTest, APropertyOfAContextIsGivenOnce) {
  const auto Its = reinterpret_cast<cl_context_properties>(Id);
  const cl_context_properties Twice[] = {CL_CONTEXT_PLATFORM, Its, CL_CONTEXT_PLATFORM, Its, 0};
  cl_int Error = CL_SUCCESS;
  EXPECT_EQ(clCreateContext(Twice, 1, Devices.data(), nullptr, nullptr, &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_PROPERTY);
  Error = CL_SUCCESS;
  EXPECT_EQ(clCreateContextFromType(Twice, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_PROPERTY);
}

TEST_F(MisuseTest, Queues) {
  cl_int Error;
  cl_command_queue Stale = clCreateCommandQueue(Context, Devices[0], 0, &Error);
  ok(clReleaseCommandQueue(Stale));
  auto Bad = bad(Stale);
  auto Refuses = [&](std::function<cl_int(cl_command_queue)> Call) {
    refuses<cl_command_queue>(Bad, Queues[0], CL_INVALID_COMMAND_QUEUE, Call);
  };
  size_t Zero[3] = {}, One[3] = {1, 1, 1};
  Refuses([&](cl_command_queue Q) { return clRetainCommandQueue(Q); });
  Refuses([&](cl_command_queue Q) { return clReleaseCommandQueue(Q); });
  Refuses([&](cl_command_queue Q) { return clFlush(Q); });
  Refuses([&](cl_command_queue Q) { return clFinish(Q); });
  Refuses([&](cl_command_queue Q) { return clEnqueueReadBuffer(Q, M, CL_TRUE, 0, 64, X, 0, nullptr, nullptr); });
  Refuses([&](cl_command_queue Q) { return clEnqueueWriteBuffer(Q, M, CL_TRUE, 0, 64, X, 0, nullptr, nullptr); });
  Refuses([&](cl_command_queue Q) { return clEnqueueCopyBuffer(Q, M, M, 0, 32, 16, 0, nullptr, nullptr); });
  Refuses([&](cl_command_queue Q) { return clEnqueueFillBuffer(Q, M, X, 4, 0, 16, 0, nullptr, nullptr); });
  Refuses([&](cl_command_queue Q) {
    return clEnqueueReadBufferRect(Q, M, CL_TRUE, Zero, Zero, One, 0, 0, 0, 0, X, 0, nullptr, nullptr);
  });
  Refuses([&](cl_command_queue Q) {
    return clEnqueueNDRangeKernel(Q, Kernel, 1, nullptr, &N, nullptr, 0, nullptr, nullptr);
  });
  Refuses([&](cl_command_queue Q) { return clEnqueueTask(Q, Kernel, 0, nullptr, nullptr); });
  Refuses([&](cl_command_queue Q) { return clEnqueueMarkerWithWaitList(Q, 0, nullptr, nullptr); });
  Refuses([&](cl_command_queue Q) { return clEnqueueBarrierWithWaitList(Q, 0, nullptr, nullptr); });
  Refuses([&](cl_command_queue Q) { return clEnqueueMigrateMemObjects(Q, 1, &M, 0, 0, nullptr, nullptr); });
  Refuses([&](cl_command_queue Q) {
    clEnqueueMapBuffer(Q, M, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, &Error);
    return Error;
  });
}

TEST_F(MisuseTest, MemoryObjects) {
  cl_int Error;
  cl_mem Stale = clCreateBuffer(Context, 0, 64, nullptr, &Error);
  ok(clReleaseMemObject(Stale));
  auto Bad = bad(Stale);
  auto Refuses = [&](std::function<cl_int(cl_mem)> Call) { refuses<cl_mem>(Bad, M, CL_INVALID_MEM_OBJECT, Call); };
  cl_buffer_region R{0, 16};
  Refuses([&](cl_mem B) { return clRetainMemObject(B); });
  Refuses([&](cl_mem B) { return clReleaseMemObject(B); });
  Refuses([&](cl_mem B) { return clGetMemObjectInfo(B, CL_MEM_SIZE, 0, nullptr, &N); });
  Refuses([&](cl_mem B) { return clGetImageInfo(B, CL_IMAGE_WIDTH, 0, nullptr, &N); });
  Refuses([&](cl_mem B) {
    clCreateSubBuffer(B, 0, CL_BUFFER_CREATE_TYPE_REGION, &R, &Error);
    return Error;
  });
  Refuses([&](cl_mem B) { return clEnqueueReadBuffer(Queues[0], B, CL_TRUE, 0, 64, X, 0, nullptr, nullptr); });
  Refuses([&](cl_mem B) { return clEnqueueCopyBuffer(Queues[0], M, B, 0, 0, 16, 0, nullptr, nullptr); });
  Refuses([&](cl_mem B) { return clEnqueueUnmapMemObject(Queues[0], B, X, 0, nullptr, nullptr); });
  for (cl_mem B : Bad)
    if (B && B != M) {
      EXPECT_EQ(clSetKernelArg(Kernel, 0, sizeof(B), &B), CL_INVALID_MEM_OBJECT);
    }
  // A buffer where an image is wanted, and one of another context.
  size_t Zero[3] = {}, One[3] = {1, 1, 1};
  EXPECT_EQ(clEnqueueReadImage(Queues[0], M, CL_TRUE, Zero, One, 0, 0, X, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  cl_mem Foreign = clCreateBuffer(Other, 0, 64, nullptr, &Error);
  EXPECT_EQ(clEnqueueReadBuffer(Queues[0], Foreign, CL_TRUE, 0, 64, X, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(clSetKernelArg(Kernel, 0, sizeof(Foreign), &Foreign), CL_INVALID_MEM_OBJECT);
  ok(clReleaseMemObject(Foreign));
}

TEST_F(MisuseTest, ProgramsAndKernels) {
  cl_int Error;
  const char *Text = AddSource;
  cl_program StaleProgram = clCreateProgramWithSource(Context, 1, &Text, nullptr, &Error);
  ok(clReleaseProgram(StaleProgram));
  auto Refuses = [&](std::function<cl_int(cl_program)> Call) {
    refuses<cl_program>(bad(StaleProgram), Program, CL_INVALID_PROGRAM, Call);
  };
  Refuses([&](cl_program P) { return clRetainProgram(P); });
  Refuses([&](cl_program P) { return clBuildProgram(P, 0, nullptr, "", nullptr, nullptr); });
  Refuses([&](cl_program P) { return clGetProgramInfo(P, CL_PROGRAM_SOURCE, 0, nullptr, &N); });
  Refuses([&](cl_program P) { return clGetProgramBuildInfo(P, Devices[0], CL_PROGRAM_BUILD_LOG, 0, nullptr, &N); });
  Refuses([&](cl_program P) {
    clCreateKernel(P, "add", &Error);
    return Error;
  });
  EXPECT_EQ(clBuildProgram(Program, 0, nullptr, "", nullptr, nullptr), CL_INVALID_OPERATION); // It has kernels.

  cl_kernel StaleKernel = clCreateKernel(Program, "put", &Error);
  ok(clReleaseKernel(StaleKernel));
  auto Kernels = [&](std::function<cl_int(cl_kernel)> Call) {
    refuses<cl_kernel>(bad(StaleKernel), Kernel, CL_INVALID_KERNEL, Call);
  };
  Kernels([&](cl_kernel K) { return clRetainKernel(K); });
  Kernels([&](cl_kernel K) { return clSetKernelArg(K, 0, sizeof(M), &M); });
  Kernels([&](cl_kernel K) { return clGetKernelInfo(K, CL_KERNEL_NUM_ARGS, 0, nullptr, &N); });
  Kernels(
      [&](cl_kernel K) { return clGetKernelWorkGroupInfo(K, Devices[0], CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr, &N); });
  Kernels(
      [&](cl_kernel K) { return clEnqueueNDRangeKernel(Queues[0], K, 1, nullptr, &N, nullptr, 0, nullptr, nullptr); });
  clCreateKernel(Program, "missing", &Error);
  EXPECT_EQ(Error, CL_INVALID_KERNEL_NAME);
}

TEST_F(MisuseTest, ArgumentsAndSizes) {
  EXPECT_EQ(clSetKernelArg(Kernel, 9, sizeof(M), &M), CL_INVALID_ARG_INDEX);
  EXPECT_EQ(clSetKernelArg(Kernel, 0, 1, &M), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(Kernel, 1, 1, X), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(Kernel, 1, 4, nullptr), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clEnqueueNDRangeKernel(Queues[0], Kernel, 1, nullptr, &N, nullptr, 0, nullptr, nullptr),
            CL_INVALID_KERNEL_ARGS);
  cl_int Error;
  cl_mem Gone = clCreateBuffer(Context, 0, 64, nullptr, &Error);
  arg(Kernel, 0, Gone);
  arg(Kernel, 1, 1);
  ok(clReleaseMemObject(Gone));
  EXPECT_EQ(clEnqueueNDRangeKernel(Queues[0], Kernel, 1, nullptr, &N, nullptr, 0, nullptr, nullptr),
            CL_INVALID_KERNEL_ARGS);
  arg(Kernel, 0, M);
  EXPECT_EQ(clEnqueueNDRangeKernel(Queues[0], Kernel, 4, nullptr, &N, nullptr, 0, nullptr, nullptr),
            CL_INVALID_WORK_DIMENSION);
  EXPECT_EQ(clEnqueueNDRangeKernel(Queues[0], Kernel, 0, nullptr, &N, nullptr, 0, nullptr, nullptr),
            CL_INVALID_WORK_DIMENSION);
  size_t Huge = size_t(1) << 40, Zero = 0;
  EXPECT_EQ(clEnqueueNDRangeKernel(Queues[0], Kernel, 1, nullptr, &Huge, &Huge, 0, nullptr, nullptr),
            CL_INVALID_WORK_ITEM_SIZE);
  EXPECT_EQ(clEnqueueNDRangeKernel(Queues[0], Kernel, 1, nullptr, &N, &Zero, 0, nullptr, nullptr),
            CL_INVALID_WORK_GROUP_SIZE);
}

TEST_F(MisuseTest, EventsAndWaitLists) {
  cl_int Error;
  cl_event Stale = clCreateUserEvent(Context, &Error), Foreign = clCreateUserEvent(Other, &Error);
  ok(clReleaseEvent(Stale));
  auto Refuses = [&](cl_int Expected, std::function<cl_int(cl_event)> Call) {
    refuses<cl_event>(bad(Stale), User, Expected, Call);
  };
  Refuses(CL_INVALID_EVENT, [&](cl_event E) { return clRetainEvent(E); });
  Refuses(CL_INVALID_EVENT, [&](cl_event E) { return clReleaseEvent(E); });
  Refuses(CL_INVALID_EVENT, [&](cl_event E) { return clWaitForEvents(1, &E); });
  Refuses(CL_INVALID_EVENT, [&](cl_event E) { return clGetEventInfo(E, CL_EVENT_COMMAND_TYPE, 0, nullptr, &N); });
  Refuses(CL_INVALID_EVENT, [&](cl_event E) { return clSetUserEventStatus(E, CL_COMPLETE); });
  Refuses(CL_INVALID_EVENT_WAIT_LIST,
          [&](cl_event E) { return clEnqueueMarkerWithWaitList(Queues[0], 1, &E, nullptr); });
  EXPECT_EQ(clEnqueueMarkerWithWaitList(Queues[0], 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(Queues[0], 0, &User, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(Queues[0], 1, &Foreign, nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(clSetUserEventStatus(User, 1), CL_INVALID_VALUE);
  ok(clReleaseEvent(Foreign));
}

TEST_F(MisuseTest, Buffers) {
  cl_int Error;
  auto Make = [&](cl_mem_flags Flags, size_t Bytes, void *Data) {
    EXPECT_EQ(clCreateBuffer(Context, Flags, Bytes, Data, &Error), nullptr);
    return Error;
  };
  EXPECT_EQ(Make(0, 0, nullptr), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(Make(0, ~size_t(0), nullptr), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(Make(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(Make(CL_MEM_USE_HOST_PTR, 64, nullptr), CL_INVALID_HOST_PTR);
  EXPECT_EQ(Make(0, 64, X), CL_INVALID_HOST_PTR);
  EXPECT_EQ(Make(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, X), CL_INVALID_VALUE);
  cl_mem Written = buffer(1024, CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY);
  auto Sub = [&](cl_mem_flags Flags, size_t First, size_t Bytes) {
    cl_buffer_region R{First, Bytes};
    EXPECT_EQ(clCreateSubBuffer(Written, Flags, CL_BUFFER_CREATE_TYPE_REGION, &R, &Error), nullptr);
    return Error;
  };
  EXPECT_EQ(Sub(CL_MEM_READ_ONLY, 0, 16), CL_INVALID_VALUE);
  EXPECT_EQ(Sub(CL_MEM_HOST_READ_ONLY, 0, 16), CL_INVALID_VALUE);
  EXPECT_EQ(Sub(0, 1020, 16), CL_INVALID_VALUE);
  EXPECT_EQ(Sub(0, 0, 0), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(clEnqueueReadBuffer(Queues[0], Written, CL_TRUE, 0, 64, X, 0, nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueReadBuffer(Queues[0], M, CL_TRUE, 32, 64, X, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueReadBuffer(Queues[0], M, CL_TRUE, 0, 64, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueCopyBuffer(Queues[0], M, M, 0, 8, 16, 0, nullptr, nullptr), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(clEnqueueFillBuffer(Queues[0], M, X, 3, 0, 6, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

// Only properties that the program gave are reported.
TEST_F(MisuseTest, PropertiesOfSamplers) {
  size_t Bytes = 1;
  ok(clGetSamplerInfo(Sampler, CL_SAMPLER_PROPERTIES, 0, nullptr, &Bytes));
  EXPECT_EQ(Bytes, 0u);
  cl_sampler_properties P[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0};
  cl_int Error;
  cl_sampler S = clCreateSamplerWithProperties(Context, P, &Error);
  ok(Error);
  ok(clGetSamplerInfo(S, CL_SAMPLER_PROPERTIES, 0, nullptr, &Bytes));
  EXPECT_EQ(Bytes, sizeof(P));
  clReleaseSampler(S);
}

// No device of the context takes it.
TEST_F(MisuseTest, IntermediateLanguage) {
  for (cl_device_id D : Devices) {
    size_t Bytes = 0;
    if (clGetDeviceInfo(D, CL_DEVICE_IL_VERSION, 0, nullptr, &Bytes) == CL_SUCCESS && Bytes > 1)
      GTEST_SKIP() << "a device takes intermediate language";
  }
  const cl_uint Word = 0xdeadbeef;
  cl_int Error;
  EXPECT_EQ(clCreateProgramWithIL(Context, &Word, sizeof(Word), &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_OPERATION);
  EXPECT_EQ(clSetProgramSpecializationConstant(Program, 0, sizeof(Word), &Word), CL_INVALID_OPERATION);
}

} // namespace
} // namespace icdtest
