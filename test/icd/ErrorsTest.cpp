// Values that the specification forbids: its error, from the call itself, also where the command waits for an event.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <functional>
#include <utility>

namespace icdtest {
namespace {

class ErrorsTest : public Platform {
protected:
  using Enqueue = std::function<cl_int(cl_uint N, const cl_event *Waits, cl_event *Event)>;
  // Submits one command in three ways: at once, with an event, behind an event that has not ended.
  void refuses(cl_int Expected, const char *Name, const Enqueue &F) {
    cl_int Error;
    cl_event User = clCreateUserEvent(Context, &Error), E = nullptr;
    ok(Error);
    EXPECT_EQ(F(0, nullptr, nullptr), Expected) << Name;
    EXPECT_EQ(F(0, nullptr, &E), Expected) << Name << ", with an event";
    if (E)
      clReleaseEvent(std::exchange(E, nullptr));
    EXPECT_EQ(F(1, &User, &E), Expected) << Name << ", behind an event";
    if (E)
      clReleaseEvent(E);
    ok(clSetUserEventStatus(User, CL_COMPLETE));
    ok(clFinish(Queues[0]));
    clReleaseEvent(User);
  }
  cl_int imageError(const cl_image_format &F, const cl_image_desc &D, cl_mem_flags Flags = 0, void *Host = nullptr) {
    cl_int Error = CL_SUCCESS;
    if (cl_mem M = clCreateImage(Context, Flags, &F, &D, Host, &Error))
      clReleaseMemObject(M);
    return Error;
  }
  static cl_image_desc flat(size_t Width, size_t Height, size_t Row = 0) {
    cl_image_desc D{};
    D.image_type = CL_MEM_OBJECT_IMAGE2D;
    D.image_width = Width;
    D.image_height = Height;
    D.image_row_pitch = Row;
    return D;
  }
  cl_mem image(cl_mem_object_type Type, cl_mem_flags Flags = 0) {
    cl_image_desc D = flat(8, 8);
    D.image_type = Type;
    D.image_depth = Type == CL_MEM_OBJECT_IMAGE3D ? 8 : 0;
    cl_int Error;
    Made.push_back(clCreateImage(Context, Flags, &Ints, &D, nullptr, &Error));
    EXPECT_EQ(Error, CL_SUCCESS);
    return Made.back();
  }
  bool hasImages() const {
    cl_uint N = 0;
    return clGetSupportedImageFormats(Context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &N) ==
               CL_SUCCESS &&
           N;
  }

  const cl_image_format Ints{CL_RGBA, CL_SIGNED_INT32};
  static constexpr size_t Zero[3] = {};
  int X[256] = {};
};

TEST_F(ErrorsTest, SizesOfWorkGroups) {
  cl_program P = build("kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global int *x) { x[0] = 1; }\n"
                       "kernel void every(global int *x) { x[0] = 1; }\n"
                       "kernel void uses(global int *x, local int *l) { l[0] = 1; x[0] = l[0]; }\n",
                       "-cl-std=CL1.2");
  cl_int Error;
  cl_kernel Four = clCreateKernel(P, "four", &Error), Any = clCreateKernel(P, "every", &Error),
            Uses = clCreateKernel(P, "uses", &Error);
  ok(Error);
  cl_mem M = ints({0});
  arg(Four, 0, M);
  arg(Any, 0, M);
  arg(Uses, 0, M);
  auto Launch = [&](cl_kernel K, size_t Global, size_t Local) -> Enqueue {
    return [=, this](cl_uint N, const cl_event *Waits, cl_event *E) {
      return clEnqueueNDRangeKernel(Queues[0], K, 1, nullptr, &Global, &Local, N, Waits, E);
    };
  };
  refuses(CL_INVALID_WORK_GROUP_SIZE, "another than the required one", Launch(Four, 64, 8));
  refuses(CL_SUCCESS, "the required one", Launch(Four, 64, 4));
  refuses(CL_INVALID_WORK_GROUP_SIZE, "a task of a kernel that requires four",
          [&](cl_uint N, const auto *Waits, auto *E) { return clEnqueueTask(Queues[0], Four, N, Waits, E); });
  const auto Version = text(clGetDeviceInfo, Devices[0], CL_DEVICE_VERSION);
  if (Version.compare(0, 9, "OpenCL 2.") != 0 &&
      !info<cl_bool>(clGetDeviceInfo, Devices[0], cl_device_info(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT)))
    refuses(CL_INVALID_WORK_GROUP_SIZE, "not a divisor", Launch(Any, 10, 3));
  // More local memory than the device has: PoCL would end the process.
  const auto Most = info<cl_ulong>(clGetDeviceInfo, Devices[0], cl_device_info(CL_DEVICE_LOCAL_MEM_SIZE));
  ok(clSetKernelArg(Uses, 1, static_cast<size_t>(Most) + 1, nullptr));
  refuses(CL_OUT_OF_RESOURCES, "too much local memory", Launch(Uses, 4, 4));
  // Local memory counts before the first launch.
  ok(clSetKernelArg(Uses, 1, 256, nullptr));
  for (cl_device_id D : Devices) {
    cl_ulong Bytes = 0;
    ok(clGetKernelWorkGroupInfo(Uses, D, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(Bytes), &Bytes, nullptr));
    EXPECT_GE(Bytes, 256u);
  }
  // A configuration for the device replaces the sizes of the call.
  const size_t Global = 8, Local = 4, Wrong = 3;
  using Set = clSetKernelWorkGroupInfoHSCHED_fn;
  auto SetInfo = reinterpret_cast<Set>(clGetExtensionFunctionAddressForPlatform(Id, "clSetKernelWorkGroupInfo"));
  ok(SetInfo(Any, Devices[0], 1, &Global, &Local));
  ok(clEnqueueNDRangeKernel(Queues[0], Any, 1, nullptr, &Global, &Wrong, 0, nullptr, nullptr));
  ok(clFinish(Queues[0]));
  cl_context Other = clCreateContext(nullptr, 1, &Devices[1], nullptr, nullptr, &Error);
  const char *Source = AddSource;
  cl_program Foreign = clCreateProgramWithSource(Other, 1, &Source, nullptr, &Error);
  ok(clBuildProgram(Foreign, 0, nullptr, "", nullptr, nullptr));
  cl_kernel Its = clCreateKernel(Foreign, "add", &Error);
  EXPECT_EQ(SetInfo(Its, Devices[0], 1, &Global, &Local), CL_INVALID_DEVICE); // A device of another context.
  for (cl_kernel K : {Four, Any, Uses, Its})
    clReleaseKernel(K);
  clReleaseProgram(P);
  clReleaseProgram(Foreign);
  clReleaseContext(Other);
}

TEST_F(ErrorsTest, CopiesThatOverlap) {
  cl_mem M = buffer(1024);
  const size_t There[3] = {2, 0, 0}, Beside[3] = {8, 0, 0}, Few[3] = {4, 1, 1}, Block[3] = {8, 4, 1};
  auto Copy = [&](const size_t *To, const size_t *Region, size_t Row, size_t ToRow) -> Enqueue {
    return [=, this](cl_uint N, const cl_event *Waits, cl_event *E) {
      return clEnqueueCopyBufferRect(Queues[0], M, M, Zero, To, Region, Row, 0, ToRow, 0, N, Waits, E);
    };
  };
  refuses(CL_MEM_COPY_OVERLAP, "a row", Copy(There, Few, 0, 0));
  refuses(CL_SUCCESS, "columns side by side", Copy(Beside, Block, 16, 16));
  refuses(CL_MEM_COPY_OVERLAP, "columns without a gap", Copy(Beside, Block, 12, 12));
  refuses(CL_INVALID_VALUE, "one buffer with two pitches", Copy(Beside, Block, 16, 32));
  const size_t Huge[3] = {4, ~size_t(0) / 2 + 1, 1}; // Its rows fill the address space, and one byte more.
  refuses(CL_INVALID_VALUE, "an overflow", [&](cl_uint N, const auto *Waits, auto *E) {
    return clEnqueueReadBufferRect(Queues[0], M, CL_FALSE, Zero, Zero, Huge, 4, 0, 4, 0, X, N, Waits, E);
  });
}

// It takes its place in the order, as on PoCL.
TEST_F(ErrorsTest, TransfersOfNoBytes) {
  cl_mem M = ints({1, 2});
  for (cl_command_queue Q : Queues)
    for (cl_bool Blocking : {CL_TRUE, CL_FALSE}) {
      cl_event E[2] = {};
      ok(clEnqueueWriteBuffer(Q, M, Blocking, 0, 0, X, 0, nullptr, &E[0]));
      ok(clEnqueueReadBuffer(Q, M, Blocking, 8, 0, X, 1, &E[0], &E[1]));
      ok(clEnqueueReadBuffer(Q, M, Blocking, 0, 0, X, 0, nullptr, nullptr));
      EXPECT_EQ(clEnqueueReadBuffer(Q, M, Blocking, 9, 0, X, 0, nullptr, nullptr), CL_INVALID_VALUE);
      ok(clWaitForEvents(2, E));
      EXPECT_EQ(info<cl_command_type>(clGetEventInfo, E[1], cl_event_info(CL_EVENT_COMMAND_TYPE)),
                cl_command_type(CL_COMMAND_READ_BUFFER));
      clReleaseEvent(E[0]);
      clReleaseEvent(E[1]);
      EXPECT_EQ(read(Q, M, 2), (std::vector<int>{1, 2}));
    }
}

TEST_F(ErrorsTest, ImagesAreRefusedWhereTheyAreMade) {
  if (!hasImages())
    GTEST_SKIP() << "no device has images";
  EXPECT_EQ(imageError(Ints, flat(8, 8)), CL_SUCCESS);
  EXPECT_EQ(imageError({CL_RGB, CL_UNORM_INT8}, flat(8, 8)), CL_IMAGE_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(imageError({CL_RGBA, 0x7777}, flat(8, 8)), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  EXPECT_EQ(imageError(Ints, flat(size_t(1) << 30, 8)), CL_INVALID_IMAGE_SIZE);
  EXPECT_EQ(imageError(Ints, flat(8, size_t(1) << 30)), CL_INVALID_IMAGE_SIZE);
  EXPECT_LT(imageError(Ints, flat(8, 0)), 0);
  EXPECT_EQ(imageError(Ints, flat(8, 8, 256)), CL_INVALID_IMAGE_DESCRIPTOR); // A pitch of no memory.
  EXPECT_EQ(imageError(Ints, flat(4, 4, 64), CL_MEM_COPY_HOST_PTR, X), CL_SUCCESS);
  EXPECT_EQ(imageError(Ints, flat(4, 4, 65), CL_MEM_COPY_HOST_PTR, X), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(imageError(Ints, flat(4, 4, 32), CL_MEM_COPY_HOST_PTR, X), CL_INVALID_IMAGE_DESCRIPTOR);
  cl_image_desc D = flat(8, 8);
  D.num_mip_levels = 2; // PoCL would end the process.
  EXPECT_EQ(imageError(Ints, D), CL_INVALID_IMAGE_DESCRIPTOR);
  EXPECT_EQ(imageError(Ints, flat(8, 8), CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY), CL_INVALID_VALUE);
  EXPECT_EQ(imageError(Ints, flat(8, 8), cl_mem_flags(1) << 40), CL_INVALID_VALUE);
  for (cl_mem_object_type Type : {CL_MEM_OBJECT_BUFFER, 0x7777})
    EXPECT_EQ(clGetSupportedImageFormats(Context, CL_MEM_READ_ONLY, Type, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(ErrorsTest, TransfersOfImages) {
  if (!hasImages())
    GTEST_SKIP() << "no device has images";
  cl_mem I = image(CL_MEM_OBJECT_IMAGE2D), Deep = image(CL_MEM_OBJECT_IMAGE3D);
  const size_t Four[3] = {4, 4, 1}, Cube[3] = {4, 4, 4}, There[3] = {2, 2, 0}, Apart[3] = {4, 0, 0};
  refuses(CL_INVALID_VALUE, "a pitch less than a row", [&](cl_uint N, const auto *Waits, auto *E) {
    return clEnqueueReadImage(Queues[0], I, CL_FALSE, Zero, Four, 32, 0, X, N, Waits, E);
  });
  refuses(CL_INVALID_VALUE, "a pitch less than a slice", [&](cl_uint N, const auto *Waits, auto *E) {
    return clEnqueueWriteImage(Queues[0], Deep, CL_FALSE, Zero, Cube, 64, 128, X, N, Waits, E);
  });
  auto Copy = [&](const size_t *To) -> Enqueue {
    return [=, this](cl_uint N, const cl_event *Waits, cl_event *E) {
      return clEnqueueCopyImage(Queues[0], I, I, Zero, To, Four, N, Waits, E);
    };
  };
  refuses(CL_MEM_COPY_OVERLAP, "one image", Copy(There));
  refuses(CL_SUCCESS, "two parts of one image", Copy(Apart));
}

TEST_F(ErrorsTest, ArgumentsOfTheWrongKind) {
  cl_mem M = buffer(64);
  cl_kernel Add = kernel(AddSource, "add");
  if (!hasImages()) {
    clReleaseKernel(Add);
    GTEST_SKIP() << "no device has images";
  }
  cl_kernel Look = kernel("kernel void look(read_only image2d_t a, write_only image2d_t b, global int4 *out) {\n"
                          "  sampler_t s = CLK_ADDRESS_CLAMP; out[0] = read_imagei(a, s, (int2)(0, 0));\n"
                          "  write_imagei(b, (int2)(0, 0), out[0]); }",
                          "look");
  auto Set = [](cl_kernel K, cl_uint I, cl_mem V) { return clSetKernelArg(K, I, sizeof(V), &V); };
  cl_mem I = image(CL_MEM_OBJECT_IMAGE2D);
  EXPECT_EQ(Set(Add, 0, I), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(Set(Look, 0, M), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(Set(Look, 0, nullptr), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(Set(Look, 0, image(CL_MEM_OBJECT_IMAGE3D)), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(Set(Look, 0, image(CL_MEM_OBJECT_IMAGE2D, CL_MEM_WRITE_ONLY)), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(Set(Look, 1, image(CL_MEM_OBJECT_IMAGE2D, CL_MEM_READ_ONLY)), CL_INVALID_ARG_VALUE);
  ok(Set(Look, 0, I));
  ok(Set(Look, 1, I));
  ok(Set(Add, 0, nullptr)); // A buffer may be absent.
  clReleaseKernel(Add);
  clReleaseKernel(Look);
}

TEST_F(ErrorsTest, ArgumentsOfTypesWithOtherNames) {
  if (!hasImages())
    GTEST_SKIP() << "no device has images";
  cl_kernel K = kernel("typedef image2d_t img;\n"
                       "typedef write_only image2d_t target;\n"
                       "typedef global int4 *cells;\n"
                       "kernel void look(read_only img a, target b, cells out) {\n"
                       "  sampler_t s = CLK_ADDRESS_CLAMP; out[0] = read_imagei(a, s, (int2)(0, 0)) + 1;\n"
                       "  write_imagei(b, (int2)(0, 0), out[0]); }",
                       "look");
  auto Set = [&](cl_uint I, cl_mem V) { return clSetKernelArg(K, I, sizeof(V), &V); };
  cl_mem I = image(CL_MEM_OBJECT_IMAGE2D), M = ints({0, 0, 0, 0});
  ok(Set(0, I)); // It is not run: PoCL takes no images by such a name.
  ok(Set(1, I));
  ok(Set(2, M));
  EXPECT_EQ(Set(1, M), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(Set(0, M), CL_INVALID_ARG_VALUE);
  ok(Set(2, nullptr));
  clReleaseKernel(K);
}

TEST_F(ErrorsTest, ProgramsOfOtherContextsAndWithoutCode) {
  cl_int Error;
  const char *Source = AddSource, *Name = "a.h", *None = nullptr;
  cl_context Other = clCreateContext(nullptr, 1, &Devices[0], nullptr, nullptr, &Error);
  ok(Error);
  cl_program Own = clCreateProgramWithSource(Context, 1, &Source, nullptr, &Error),
             Foreign = clCreateProgramWithSource(Other, 1, &Source, nullptr, &Error);
  auto Link = [&](cl_program P) {
    Error = CL_SUCCESS;
    EXPECT_EQ(clLinkProgram(Context, 0, nullptr, "", 1, &P, nullptr, nullptr, &Error), nullptr);
    return Error;
  };
  EXPECT_EQ(Link(Own), CL_INVALID_OPERATION); // It has not been compiled.
  ok(clCompileProgram(Foreign, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(Link(Foreign), CL_INVALID_PROGRAM);
  EXPECT_EQ(clCompileProgram(Own, 0, nullptr, "", 1, &Foreign, &Name, nullptr, nullptr), CL_INVALID_PROGRAM);
  EXPECT_EQ(clCompileProgram(Own, 0, nullptr, "", 1, &Own, &None, nullptr, nullptr), CL_INVALID_VALUE);
  clReleaseProgram(Own);
  clReleaseProgram(Foreign);
  clReleaseContext(Other);
}

TEST_F(ErrorsTest, PropertiesAndBlocks) {
  cl_int Error = CL_SUCCESS;
  const cl_sampler_properties Twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, CL_SAMPLER_FILTER_MODE,
                                         CL_FILTER_NEAREST, 0};
  EXPECT_EQ(clCreateSamplerWithProperties(Context, Twice, &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_VALUE);
  cl_mem M = buffer(64);
  const void *Place = X;
  const auto Can =
      info<cl_device_exec_capabilities>(clGetDeviceInfo, Devices[0], cl_device_info(CL_DEVICE_EXECUTION_CAPABILITIES));
  if (Can & CL_EXEC_NATIVE_KERNEL) { // A block that is too short for the address.
    EXPECT_EQ(
        clEnqueueNativeKernel(Queues[0], [](void *) {}, X, 4, 1, &M, &Place, 0, nullptr, nullptr), CL_INVALID_VALUE);
  }
}

TEST_F(ErrorsTest, SharedMemory) {
  cl_device_svm_capabilities Can = 0;
  if (clGetDeviceInfo(Devices[0], CL_DEVICE_SVM_CAPABILITIES, sizeof(Can), &Can, nullptr) != CL_SUCCESS || !Can)
    GTEST_SKIP() << "the device shares no memory";
  cl_int Error;
  cl_context C = clCreateContext(nullptr, 1, &Devices[0], nullptr, nullptr, &Error);
  cl_command_queue Q = clCreateCommandQueue(C, Devices[0], 0, &Error);
  auto *P = static_cast<char *>(clSVMAlloc(C, CL_MEM_READ_WRITE, 64, 0));
  ASSERT_NE(P, nullptr);
  cl_event User = clCreateUserEvent(C, &Error);
  EXPECT_EQ(clEnqueueSVMMemcpy(Q, CL_FALSE, P, P + 4, 16, 1, &User, nullptr), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(clEnqueueSVMMemFill(Q, P, X, 3, 9, 1, &User, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMemFill(Q, P, X, 4, 6, 1, &User, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMemFill(Q, P + 1, X, 4, 8, 1, &User, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMap(Q, CL_FALSE, 1 << 20, P, 4, 1, &User, nullptr), CL_INVALID_VALUE);
  ok(clSetUserEventStatus(User, CL_COMPLETE));
  ok(clFinish(Q));
  // A kernel's set of pointers may be empty.
  const char *Source = AddSource;
  cl_program Built = clCreateProgramWithSource(C, 1, &Source, nullptr, &Error);
  ok(clBuildProgram(Built, 0, nullptr, "", nullptr, nullptr));
  cl_kernel K = clCreateKernel(Built, "add", &Error);
  void *Set[] = {P};
  auto Tell = [&](size_t Bytes, const void *Value) {
    return clSetKernelExecInfo(K, CL_KERNEL_EXEC_INFO_SVM_PTRS, Bytes, Value);
  };
  EXPECT_EQ(Tell(sizeof(Set), Set), CL_SUCCESS);
  EXPECT_EQ(Tell(0, nullptr), CL_SUCCESS);
  EXPECT_EQ(Tell(0, Set), CL_SUCCESS);
  EXPECT_EQ(Tell(sizeof(Set), nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(Tell(sizeof(Set) - 1, Set), CL_INVALID_VALUE);
  EXPECT_EQ(clSetKernelExecInfo(K, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 0, nullptr), CL_INVALID_VALUE);
  clReleaseKernel(K);
  clReleaseProgram(Built);
  clSVMFree(C, P);
  clReleaseEvent(User);
  clReleaseCommandQueue(Q);
  clReleaseContext(C);
}

} // namespace
} // namespace icdtest
