// Parts of OpenCL that few programs use: native kernels, sub-devices, shared memory, images of all shapes, printf.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <cstdlib>
#include <numeric>
#include <sched.h>
#include <unistd.h>

namespace icdtest {
namespace {

class FeaturesTest : public Platform {
protected:
  void SetUp() override {
    if (std::getenv("POCL_AFFINITY")) { // PoCL ends the process if it may not use the CPUs from 0 on.
      cpu_set_t May;
      CPU_ZERO(&May);
      (void)sched_getaffinity(0, sizeof(May), &May);
      for (long Cpu = 0; Cpu < sysconf(_SC_NPROCESSORS_ONLN); ++Cpu)
        if (!CPU_ISSET(static_cast<size_t>(Cpu), &May))
          GTEST_SKIP() << "this process may not use CPU " << Cpu;
    }
    Platform::SetUp();
  }
  // A context of one device, whose vendor's shared memory it can use.
  static cl_context contextOf(cl_device_id D) {
    cl_int Error;
    cl_context C = clCreateContext(nullptr, 1, &D, nullptr, nullptr, &Error);
    EXPECT_EQ(Error, CL_SUCCESS);
    return C;
  }
  static cl_kernel kernelOf(cl_context C, const char *Source, const char *Name) {
    cl_int Error;
    cl_program P = clCreateProgramWithSource(C, 1, &Source, nullptr, &Error);
    EXPECT_EQ(clBuildProgram(P, 0, nullptr, "-cl-std=CL1.2", nullptr, nullptr), CL_SUCCESS);
    cl_kernel K = clCreateKernel(P, Name, &Error);
    EXPECT_EQ(Error, CL_SUCCESS);
    clReleaseProgram(P);
    return K;
  }
  static bool has(cl_device_id D, cl_device_info What) { return info<cl_bool>(clGetDeviceInfo, D, What) != CL_FALSE; }
  // In a context C of its own. Null, and no context, if the device has no images.
  static cl_command_queue queueForImages(cl_device_id D, cl_context &C) {
    if (!has(D, CL_DEVICE_IMAGE_SUPPORT))
      return nullptr;
    C = contextOf(D);
    cl_int Error;
    return clCreateCommandQueue(C, D, 0, &Error);
  }
};

struct NativeArguments {
  int *Place;
  int Value;
};

TEST_F(FeaturesTest, NativeKernels) {
  for (size_t I = 0; I != Devices.size(); ++I) {
    const auto Can = info<cl_device_exec_capabilities>(clGetDeviceInfo, Devices[I],
                                                       cl_device_info(CL_DEVICE_EXECUTION_CAPABILITIES));
    if (!(Can & CL_EXEC_NATIVE_KERNEL))
      continue;
    cl_mem M = ints({1, 2});
    cl_kernel K = kernel(AddSource, "add");
    arg(K, 0, M);
    arg(K, 1, 10);
    run(Queues[I], K, 2);
    NativeArguments A{nullptr, 100};
    const void *Place = &A.Place;
    auto Function = [](void *Block) {
      auto *Its = static_cast<NativeArguments *>(Block);
      Its->Place[1] += Its->Value;
    };
    ok(clEnqueueNativeKernel(Queues[I], Function, &A, sizeof(A), 1, &M, &Place, 0, nullptr, nullptr));
    A.Value = 0; // The arguments were copied.
    run(Queues[I], K, 2);
    EXPECT_EQ(read(Queues[I], M, 2), (std::vector<int>{21, 122}));
    clReleaseKernel(K);
  }
}

TEST_F(FeaturesTest, SubDevices) {
  bool Any = false;
  for (cl_device_id D : Devices) {
    const auto Units = info<cl_uint>(clGetDeviceInfo, D, cl_device_info(CL_DEVICE_MAX_COMPUTE_UNITS));
    const cl_device_partition_property By[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint N = 0;
    if (Units < 2 || clCreateSubDevices(D, By, 0, nullptr, &N) != CL_SUCCESS)
      continue;
    Any = true;
    std::vector<cl_device_id> Parts(N);
    ok(clCreateSubDevices(D, By, N, Parts.data(), nullptr));
    ASSERT_EQ(Parts.size(), Units);
    EXPECT_EQ(info<cl_device_id>(clGetDeviceInfo, Parts[0], cl_device_info(CL_DEVICE_PARENT_DEVICE)), D);
    EXPECT_EQ(info<cl_uint>(clGetDeviceInfo, Parts[0], cl_device_info(CL_DEVICE_MAX_COMPUTE_UNITS)), 1u);
    cl_int Error;
    cl_context C = clCreateContext(nullptr, N, Parts.data(), nullptr, nullptr, &Error);
    ok(Error);
    cl_kernel K = kernelOf(C, AddSource, "add");
    std::vector<int> X(64, 0);
    cl_mem M = clCreateBuffer(C, CL_MEM_COPY_HOST_PTR, X.size() * sizeof(int), X.data(), &Error);
    ok(Error);
    arg(K, 0, M);
    arg(K, 1, 1);
    // By hand, and mapped by the platform, as MultiCL's paper has it.
    for (cl_queue_properties Sched : {CL_QUEUE_SCHED_OFF_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED})
      for (cl_device_id Part : Parts) {
        const cl_queue_properties P[] = {CL_QUEUE_SCHED_HSCHED, Sched, 0};
        cl_command_queue Q = clCreateCommandQueueWithProperties(C, Part, P, &Error);
        ok(Error);
        run(Q, K, X.size());
        ok(clFinish(Q));
        ok(clEnqueueReadBuffer(Q, M, CL_TRUE, 0, X.size() * sizeof(int), X.data(), 0, nullptr, nullptr));
        const auto On =
            info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_SCHED_DEVICE_HSCHED));
        EXPECT_NE(std::find(Parts.begin(), Parts.end(), On), Parts.end());
        clReleaseCommandQueue(Q);
      }
    EXPECT_EQ(X, std::vector<int>(X.size(), static_cast<int>(2 * N)));
    clReleaseMemObject(M);
    clReleaseKernel(K);
    clReleaseContext(C);
    for (cl_device_id Part : Parts)
      ok(clReleaseDevice(Part));
  }
  if (!Any)
    GTEST_SKIP() << "no device can be split into units";
}

// Groups of cores that share a cache. In icd.icd_test.groups PoCL's workers stay on their CPUs.
TEST_F(FeaturesTest, SubDevicesByCache) {
  bool Any = false;
  for (cl_device_id D : Devices) {
    const auto Domains =
        info<cl_device_affinity_domain>(clGetDeviceInfo, D, cl_device_info(CL_DEVICE_PARTITION_AFFINITY_DOMAIN));
    for (cl_device_affinity_domain Level : {CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
                                            CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE}) {
      const cl_device_partition_property By[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 static_cast<cl_device_partition_property>(Level), 0};
      cl_uint N = 0;
      const cl_int Error = clCreateSubDevices(D, By, 0, nullptr, &N);
      EXPECT_EQ(Error == CL_SUCCESS, (Domains & Level) != 0);
      if (Error != CL_SUCCESS)
        continue;
      Any = true;
      std::vector<cl_device_id> Parts(N);
      ok(clCreateSubDevices(D, By, N, Parts.data(), nullptr));
      EXPECT_GE(N, 2u);
      cl_uint Units = 0;
      for (cl_device_id Part : Parts) {
        Units += info<cl_uint>(clGetDeviceInfo, Part, cl_device_info(CL_DEVICE_MAX_COMPUTE_UNITS));
        cl_device_partition_property Type[3] = {};
        ok(clGetDeviceInfo(Part, CL_DEVICE_PARTITION_TYPE, sizeof(Type), Type, nullptr));
        EXPECT_EQ(Type[0], CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
        EXPECT_TRUE(Domains & static_cast<cl_device_affinity_domain>(Type[1]));
      }
      EXPECT_EQ(Units, info<cl_uint>(clGetDeviceInfo, D, cl_device_info(CL_DEVICE_MAX_COMPUTE_UNITS)));
      // The whole device and its groups in one context: each runs kernels on the same data.
      Parts.push_back(D);
      cl_int Code;
      cl_context C =
          clCreateContext(nullptr, static_cast<cl_uint>(Parts.size()), Parts.data(), nullptr, nullptr, &Code);
      ok(Code);
      cl_kernel K = kernelOf(C, AddSource, "add");
      std::vector<int> X(64, 0);
      cl_mem M = clCreateBuffer(C, CL_MEM_COPY_HOST_PTR, X.size() * sizeof(int), X.data(), &Code);
      arg(K, 0, M);
      arg(K, 1, 1);
      for (cl_device_id Part : Parts) {
        cl_command_queue Q = clCreateCommandQueue(C, Part, 0, &Code);
        ok(Code);
        run(Q, K, X.size());
        ok(clEnqueueReadBuffer(Q, M, CL_TRUE, 0, X.size() * sizeof(int), X.data(), 0, nullptr, nullptr));
        clReleaseCommandQueue(Q);
      }
      EXPECT_EQ(X, std::vector<int>(X.size(), static_cast<int>(Parts.size())));
      clReleaseMemObject(M);
      clReleaseKernel(K);
      clReleaseContext(C);
      Parts.pop_back();
      for (cl_device_id Part : Parts)
        ok(clReleaseDevice(Part));
    }
    std::vector<cl_device_partition_property> Ways(8);
    size_t Bytes = 0;
    ok(clGetDeviceInfo(D, CL_DEVICE_PARTITION_PROPERTIES, Ways.size() * sizeof(Ways[0]), Ways.data(), &Bytes));
    Ways.resize(Bytes / sizeof(Ways[0]));
    EXPECT_EQ(std::count(Ways.begin(), Ways.end(), CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN) != 0, Domains != 0);
  }
  if (!Any)
    GTEST_SKIP() << "no device has groups of cores by cache";
}

TEST_F(FeaturesTest, SharedMemory) {
  bool Any = false;
  for (cl_device_id D : Devices) {
    cl_device_svm_capabilities Can = 0;
    if (clGetDeviceInfo(D, CL_DEVICE_SVM_CAPABILITIES, sizeof(Can), &Can, nullptr) != CL_SUCCESS || !Can)
      continue;
    Any = true;
    cl_context C = contextOf(D);
    cl_int Error;
    cl_command_queue Q = clCreateCommandQueue(C, D, 0, &Error);
    constexpr size_t N = 256, Bytes = N * sizeof(int);
    auto *X = static_cast<int *>(clSVMAlloc(C, CL_MEM_READ_WRITE, Bytes, 0));
    auto *Y = static_cast<int *>(clSVMAlloc(C, CL_MEM_READ_WRITE, Bytes, 0));
    ASSERT_NE(X, nullptr);
    ASSERT_NE(Y, nullptr);
    const int Three = 3;
    ok(clEnqueueSVMMemFill(Q, X, &Three, sizeof(Three), Bytes, 0, nullptr, nullptr));
    cl_kernel K = kernelOf(C, AddSource, "add");
    ok(clSetKernelArgSVMPointer(K, 0, X));
    arg(K, 1, 4);
    run(Q, K, N);
    ok(clEnqueueSVMMemcpy(Q, CL_FALSE, Y, X, Bytes, 0, nullptr, nullptr));
    ok(clEnqueueSVMMap(Q, CL_TRUE, CL_MAP_READ, Y, Bytes, 0, nullptr, nullptr));
    EXPECT_EQ(std::vector<int>(Y, Y + N), std::vector<int>(N, 7));
    ok(clEnqueueSVMUnmap(Q, Y, 0, nullptr, nullptr));
    struct Freed {
      void *Is;
      cl_uint Count = 0;
    } Seen{X};
    void *Pointers[] = {X};
    ok(clEnqueueSVMFree(
        Q, 1, Pointers,
        [](cl_command_queue On, cl_uint Count, void **These, void *Data) {
          auto &Its = *static_cast<Freed *>(Data);
          Its.Count += Count == 1 && These[0] == Its.Is;
          clSVMFree(info<cl_context>(clGetCommandQueueInfo, On, cl_command_queue_info(CL_QUEUE_CONTEXT)), These[0]);
        },
        &Seen, 0, nullptr, nullptr));
    ok(clFinish(Q));
    EXPECT_EQ(Seen.Count, 1u);
    clSVMFree(C, Y);
    clReleaseKernel(K);
    clReleaseCommandQueue(Q);
    clReleaseContext(C);
  }
  if (!Any)
    GTEST_SKIP() << "no device has shared memory";
}

// "hsched auto" promises shared memory only if its context has it.
TEST_F(FeaturesTest, SharedMemoryOfAuto) {
  const auto Can = info<cl_device_svm_capabilities>(clGetDeviceInfo, Auto, cl_device_info(CL_DEVICE_SVM_CAPABILITIES));
  cl_context C = contextOf(Auto);
  void *At = clSVMAlloc(C, CL_MEM_READ_WRITE, 64, 0);
  EXPECT_EQ(Can != 0, At != nullptr);
  if (At)
    clSVMFree(C, At);
  clReleaseContext(C);
}

// What kernels print appears in the order of the queue, although their data are independent.
TEST_F(FeaturesTest, PrintfInOrder) {
  for (size_t I = 0; I != Queues.size(); ++I) {
    cl_kernel K = kernel("kernel void print(global int *x, int n) { x[0] = n; printf(\"<%d>\", n); }", "print");
    constexpr int Count = 8;
    ::testing::internal::CaptureStdout();
    std::string Wanted;
    for (int N = 0; N != Count; ++N) {
      arg(K, 0, ints({0}));
      arg(K, 1, N);
      run(Queues[I], K, 1);
      Wanted += "<" + std::to_string(N) + ">";
    }
    const cl_int Error = clFinish(Queues[I]);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), Wanted);
    ok(Error);
    clReleaseKernel(K);
  }
}

// The clone has arguments of its own.
TEST_F(FeaturesTest, CloneOfAKernel) {
  cl_mem A = ints({0}), B = ints({0});
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, A);
  arg(K, 1, 1);
  cl_int Error;
  cl_kernel Clone = clCloneKernel(K, &Error);
  ok(Error);
  arg(Clone, 0, B);
  arg(K, 1, 5);
  for (cl_command_queue Q : Queues) {
    run(Q, K, 1);
    run(Q, Clone, 1);
    ok(clFinish(Q));
  }
  const int N = static_cast<int>(Queues.size());
  EXPECT_EQ(read(Queues[0], A, 1)[0], 5 * N);
  EXPECT_EQ(read(Queues[0], B, 1)[0], N);
  clReleaseKernel(Clone);
  clReleaseKernel(K);
}

struct Shape {
  cl_mem_object_type Type;
  size_t Width, Height, Depth, Layers;
  const char *Declared, *Place;
};

// Images of all shapes: written from the host, read by a kernel with a sampler, copied to a buffer and back.
TEST_F(FeaturesTest, ImagesOfAllShapes) {
  const Shape All[] = {
      {CL_MEM_OBJECT_IMAGE1D, 8, 0, 0, 0, "image1d_t", "i % 8"},
      {CL_MEM_OBJECT_IMAGE1D_ARRAY, 8, 0, 0, 3, "image1d_array_t", "(int2)(i % 8, i / 8)"},
      {CL_MEM_OBJECT_IMAGE2D, 8, 4, 0, 0, "image2d_t", "(int2)(i % 8, i / 8)"},
      {CL_MEM_OBJECT_IMAGE2D_ARRAY, 8, 4, 0, 3, "image2d_array_t", "(int4)(i % 8, i / 8 % 4, i / 32, 0)"},
      {CL_MEM_OBJECT_IMAGE3D, 8, 4, 3, 0, "image3d_t", "(int4)(i % 8, i / 8 % 4, i / 32, 0)"},
  };
  bool Any = false;
  for (size_t D = 0; D != Devices.size(); ++D) {
    cl_context C;
    cl_command_queue Q = queueForImages(Devices[D], C);
    if (!Q)
      continue;
    Any = true;
    cl_int Error;
    cl_sampler S = clCreateSampler(C, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &Error);
    ok(Error);
    for (const Shape &Its : All) {
      cl_image_format F{CL_RGBA, CL_SIGNED_INT32};
      cl_image_desc Desc{};
      Desc.image_type = Its.Type;
      Desc.image_width = Its.Width;
      Desc.image_height = Its.Height;
      Desc.image_depth = Its.Depth;
      Desc.image_array_size = Its.Layers;
      cl_mem Image = clCreateImage(C, CL_MEM_READ_WRITE, &F, &Desc, nullptr, &Error);
      ok(Error, Its.Declared);
      const size_t Second = Its.Type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? Its.Layers : std::max<size_t>(Its.Height, 1),
                   Third = Its.Type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? Its.Layers : std::max<size_t>(Its.Depth, 1),
                   N = Its.Width * Second * Third, Bytes = 4 * N * sizeof(int);
      std::vector<int> Pixels(4 * N), Got(4 * N, -1);
      std::iota(Pixels.begin(), Pixels.end(), 5);
      const size_t Zero[3] = {}, Extent[3] = {Its.Width, Second, Third};
      ok(clEnqueueWriteImage(Q, Image, CL_FALSE, Zero, Extent, 0, 0, Pixels.data(), 0, nullptr, nullptr));
      const std::string Source = std::string("kernel void look(read_only ") + Its.Declared +
                                 " a, sampler_t s, global int4 *out) { int i = get_global_id(0); out[i] = "
                                 "read_imagei(a, s, " +
                                 Its.Place + "); }";
      cl_kernel K = kernelOf(C, Source.c_str(), "look");
      cl_mem Out = clCreateBuffer(C, CL_MEM_READ_WRITE, Bytes, nullptr, &Error);
      arg(K, 0, Image);
      ok(clSetKernelArg(K, 1, sizeof(S), &S));
      arg(K, 2, Out);
      run(Q, K, N);
      ok(clEnqueueReadBuffer(Q, Out, CL_TRUE, 0, Bytes, Got.data(), 0, nullptr, nullptr));
      EXPECT_EQ(Got, Pixels) << Its.Declared;
      // There and back, with other contents between.
      const int Color[4] = {-1, -2, -3, -4};
      ok(clEnqueueCopyImageToBuffer(Q, Image, Out, Zero, Extent, 0, 0, nullptr, nullptr));
      ok(clEnqueueFillImage(Q, Image, Color, Zero, Extent, 0, nullptr, nullptr));
      ok(clEnqueueCopyBufferToImage(Q, Out, Image, 0, Zero, Extent, 0, nullptr, nullptr));
      ok(clEnqueueReadImage(Q, Image, CL_TRUE, Zero, Extent, 0, 0, Got.data(), 0, nullptr, nullptr));
      EXPECT_EQ(Got, Pixels) << Its.Declared;
      clReleaseMemObject(Out);
      clReleaseMemObject(Image);
      clReleaseKernel(K);
    }
    clReleaseSampler(S);
    clReleaseCommandQueue(Q);
    clReleaseContext(C);
    break; // Every build takes a while.
  }
  if (!Any)
    GTEST_SKIP() << "no device has images";
}

// An image of a buffer shows its bytes, at whatever vendor they were written.
TEST_F(FeaturesTest, ImageOfABuffer) {
  bool Any = false;
  for (size_t D = 0; D != Devices.size(); ++D) {
    cl_context C;
    cl_command_queue Q = queueForImages(Devices[D], C);
    if (!Q)
      continue;
    cl_int Error;
    cl_mem B = clCreateBuffer(C, CL_MEM_READ_WRITE, 16 * sizeof(int), nullptr, &Error);
    cl_image_format F{CL_R, CL_SIGNED_INT32};
    cl_image_desc Desc{};
    Desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    Desc.image_width = 16;
    Desc.buffer = B;
    cl_mem Image = clCreateImage(C, CL_MEM_READ_WRITE, &F, &Desc, nullptr, &Error);
    if (Error == CL_SUCCESS) {
      Any = true;
      const int Seven = 7;
      ok(clEnqueueFillBuffer(Q, B, &Seven, sizeof(Seven), 0, 16 * sizeof(int), 0, nullptr, nullptr));
      std::vector<int> Got(16, 0);
      const size_t Zero[3] = {}, Extent[3] = {16, 1, 1};
      ok(clEnqueueReadImage(Q, Image, CL_TRUE, Zero, Extent, 0, 0, Got.data(), 0, nullptr, nullptr));
      EXPECT_EQ(Got, std::vector<int>(16, 7));
      clReleaseMemObject(Image);
    }
    clReleaseMemObject(B);
    clReleaseCommandQueue(Q);
    clReleaseContext(C);
  }
  if (!Any)
    GTEST_SKIP() << "no device makes an image of a buffer";
}

TEST_F(FeaturesTest, Migration) {
  cl_mem M = ints({1, 2, 3});
  for (cl_command_queue Q : Queues) {
    ok(clEnqueueMigrateMemObjects(Q, 1, &M, 0, 0, nullptr, nullptr));
    EXPECT_EQ(read(Q, M, 3), (std::vector<int>{1, 2, 3}));
    ok(clEnqueueMigrateMemObjects(Q, 1, &M, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr));
    EXPECT_EQ(read(Q, M, 3), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(clEnqueueMigrateMemObjects(Q, 1, &M, 1 << 7, 0, nullptr, nullptr), CL_INVALID_VALUE);
  }
}

} // namespace
} // namespace icdtest
