// The platform and its devices.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <CL/cl_icd.h>

namespace icdtest {
namespace {

using PlatformTest = Platform;

// Every slot of the dispatch table: a null one crashes the program that calls it.
TEST_F(PlatformTest, NoFunctionIsMissing) {
  auto *Slots = *reinterpret_cast<void *const *const *>(Id);
  for (size_t I = 0; I != sizeof(cl_icd_dispatch) / sizeof(void *); ++I)
    EXPECT_NE(Slots[I], nullptr) << I;
  cl_int Error = CL_SUCCESS;
  const auto &T = **reinterpret_cast<const cl_icd_dispatch *const *>(Id);
  EXPECT_EQ(T.clCreateFromGLBuffer(Context, 0, 0, &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_OPERATION);
  EXPECT_EQ(T.clEnqueueAcquireGLObjects(Queues[0], 0, nullptr, 0, nullptr, nullptr), CL_INVALID_OPERATION);
}

TEST_F(PlatformTest, WhatItSaysOfItself) {
  EXPECT_EQ(text(clGetPlatformInfo, Id, CL_PLATFORM_NAME), "hsched");
  EXPECT_EQ(text(clGetPlatformInfo, Id, CL_PLATFORM_VERSION).substr(0, 11), "OpenCL 3.0 ");
  ASSERT_NE(Auto, nullptr);
  EXPECT_EQ(info<cl_device_type>(clGetDeviceInfo, Auto, cl_device_info(CL_DEVICE_TYPE)),
            cl_device_type(CL_DEVICE_TYPE_ACCELERATOR)); // A program that asks for CPUs gets only CPUs.
  for (cl_device_id D : Devices) {
    EXPECT_EQ(info<cl_platform_id>(clGetDeviceInfo, D, cl_device_info(CL_DEVICE_PLATFORM)), Id);
    EXPECT_NE(text(clGetDeviceInfo, D, CL_DEVICE_NAME), "hsched auto"); // It does not find itself.
    EXPECT_EQ(text(clGetDeviceInfo, D, CL_DEVICE_EXTENSIONS).find("cl_khr_icd"), std::string::npos);
  }
  char One;
  EXPECT_EQ(clGetPlatformInfo(Id, CL_PLATFORM_NAME, 1, &One, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetPlatformInfo(Id, CL_PLATFORM_NAME + 99, 0, nullptr, nullptr), CL_INVALID_VALUE);
  cl_uint N;
  EXPECT_EQ(clGetDeviceIDs(Id, CL_DEVICE_TYPE_CUSTOM, 0, nullptr, &N), CL_DEVICE_NOT_FOUND);
  EXPECT_EQ(clGetDeviceIDs(Id, 1 << 20, 0, nullptr, &N), CL_INVALID_DEVICE_TYPE);
}

TEST_F(PlatformTest, OneContextOfAllDevices) {
  EXPECT_EQ(info<cl_uint>(clGetContextInfo, Context, cl_context_info(CL_CONTEXT_NUM_DEVICES)), Devices.size());
  cl_context_properties Wrong[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(Devices[0]), 0},
                        Right[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(Id), 0},
                        Unknown[] = {0x1234, 1, 0};
  cl_int Error;
  EXPECT_EQ(clCreateContext(Wrong, 1, Devices.data(), nullptr, nullptr, &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_PLATFORM);
  EXPECT_EQ(clCreateContext(Unknown, 1, Devices.data(), nullptr, nullptr, &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_PROPERTY);
  cl_context C = clCreateContextFromType(Right, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &Error);
  ok(Error);
  EXPECT_EQ(info<cl_uint>(clGetContextInfo, C, cl_context_info(CL_CONTEXT_NUM_DEVICES)), Devices.size());
  ok(clReleaseContext(C));
}

TEST_F(PlatformTest, DestructorCallbacksRunInReverseOrder) {
  cl_int Error;
  cl_context C = clCreateContext(nullptr, 1, Devices.data(), nullptr, nullptr, &Error);
  std::vector<int> Destroyed;
  struct Note {
    std::vector<int> *To;
    int What;
  } One{&Destroyed, 1}, Two{&Destroyed, 2}, Three{&Destroyed, 3};
  cl_mem M = clCreateBuffer(C, 0, 64, nullptr, &Error);
  auto OfMemory = [](cl_mem, void *To) { static_cast<Note *>(To)->To->push_back(static_cast<Note *>(To)->What); };
  auto OfContext = [](cl_context, void *To) { static_cast<Note *>(To)->To->push_back(static_cast<Note *>(To)->What); };
  ok(clSetMemObjectDestructorCallback(M, OfMemory, &One));
  ok(clSetMemObjectDestructorCallback(M, OfMemory, &Two));
  ok(clSetContextDestructorCallback(C, OfContext, &Three));
  ok(clReleaseContext(C)); // The buffer keeps it.
  EXPECT_TRUE(Destroyed.empty());
  ok(clReleaseMemObject(M));
  EXPECT_EQ(Destroyed, (std::vector<int>{2, 1, 3}));
}

// Functions of extensions that have become part of OpenCL.
TEST_F(PlatformTest, FunctionsOfExtensions) {
  using Make = cl_command_queue(CL_API_CALL *)(cl_context, cl_device_id, const cl_queue_properties *, cl_int *);
  auto MakeQueue =
      reinterpret_cast<Make>(clGetExtensionFunctionAddressForPlatform(Id, "clCreateCommandQueueWithPropertiesKHR"));
  ASSERT_NE(MakeQueue, nullptr);
  cl_int Error;
  cl_command_queue Q = MakeQueue(Context, Devices[0], nullptr, &Error);
  ok(Error);
  ok(clReleaseCommandQueue(Q));
  for (const char *Name : {"clCreateProgramWithILKHR", "clGetKernelSubGroupInfoKHR"})
    EXPECT_NE(clGetExtensionFunctionAddressForPlatform(Id, Name), nullptr) << Name;
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(Id, "clNothingKHR"), nullptr);
}

TEST_F(PlatformTest, QueueProperties) {
  cl_int Error;
  cl_queue_properties P[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_command_queue Q = clCreateCommandQueueWithProperties(Context, Devices[0], P, &Error);
  ok(Error);
  EXPECT_EQ(info<cl_command_queue_properties>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_PROPERTIES)),
            cl_command_queue_properties(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
  EXPECT_EQ(info<cl_context>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_CONTEXT)), Context);
  EXPECT_EQ(info<cl_device_id>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_DEVICE)), Devices[0]);
  ok(clRetainCommandQueue(Q));
  EXPECT_EQ(info<cl_uint>(clGetCommandQueueInfo, Q, cl_command_queue_info(CL_QUEUE_REFERENCE_COUNT)), 2u);
  ok(clReleaseCommandQueue(Q));
  ok(clReleaseCommandQueue(Q));
  EXPECT_EQ(clReleaseCommandQueue(Q), CL_INVALID_COMMAND_QUEUE);
  clCreateCommandQueueWithProperties(Context, Auto, nullptr, &Error);
  EXPECT_EQ(Error, CL_INVALID_DEVICE); // Not one of this context's.
}

} // namespace
} // namespace icdtest
