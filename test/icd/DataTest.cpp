// Memory objects as data: a vendor has less memory than the program's objects take (SmallVendor.cpp). The platform
// knows it from HSCHED_DEVICE_MEMORY, or from the device, or learns it when the vendor refuses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <numeric>
#include <random>
#include <thread>

namespace icdtest {
namespace {

constexpr size_t Limit = 256 << 10; // As CMakeLists.txt says.
constexpr size_t N = 16 << 10, Bytes = N * sizeof(int);

class DataTest : public Platform {
protected:
  struct Counts {
    size_t Peak, Made, Refused;
  };
  // Counts of the small vendor's buffers since the last call.
  static Counts counts() {
    Counts C{};
    function<void (*)(size_t *, size_t *, size_t *)>("small_vendor_counts")(&C.Peak, &C.Made, &C.Refused);
    return C;
  }
  template <class F> static F function(const char *Name) {
    return reinterpret_cast<F>(dlsym(dlopen(std::getenv("HSCHED_TEST_SMALL_VENDOR"), RTLD_NOW | RTLD_NOLOAD), Name));
  }
  void TearDown() override {
    EXPECT_EQ(function<size_t (*)()>("small_vendor_overlaps")(), 0u);
    Platform::TearDown();
    // PoCL gives a command's objects back after it has reported the command's end.
    const auto Used = function<size_t (*)()>("small_vendor_used");
    const auto Until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (Used() && std::chrono::steady_clock::now() < Until)
      std::this_thread::yield();
    EXPECT_EQ(Used(), 0u);
  }
  // True if the platform has to learn the device's memory from the vendor's refusals.
  static bool isSizeUnknown() {
    const char *Size = std::getenv("HSCHED_DEVICE_MEMORY");
    return Size && std::string(Size) == "1G";
  }
};

std::vector<int> counted(int From) {
  std::vector<int> V(N);
  std::iota(V.begin(), V.end(), From);
  return V;
}

// Twice as much as there is room for, used in turns; nothing is waited for in between.
TEST_F(DataTest, MoreThanAVendorHasRoomFor) {
  constexpr size_t Count = 2 * Limit / Bytes;
  std::vector<cl_mem> All;
  for (size_t I = 0; I != Count; ++I)
    All.push_back(ints(counted(static_cast<int>(I))));
  cl_kernel K = kernel(AddSource, "add");
  constexpr int Rounds = 3;
  (void)counts();
  for (int Round = 0; Round != Rounds; ++Round)
    for (size_t I = 0; I != Count; ++I) {
      arg(K, 0, All[I]);
      arg(K, 1, 1 << Round);
      run(Queues[0], K, N);
    }
  ok(clFinish(Queues[0]));
  const Counts C = counts();
  EXPECT_EQ(C.Peak, Limit); // All that there is was used.
  EXPECT_GT(C.Made, Count); // What left came again.
  if (isSizeUnknown()) {
    EXPECT_GT(C.Refused, 0u);
  }
  for (size_t I = 0; I != Count; ++I)
    ASSERT_EQ(read(Queues.back(), All[I], N), counted(static_cast<int>(I) + (1 << Rounds) - 1)) << I;
  clReleaseKernel(K);
}

// The kernel's argument is set once; the vendor's object behind it goes and another one comes.
TEST_F(DataTest, ArgumentsFollowTheirObjects) {
  cl_mem Kept = ints(counted(0));
  cl_kernel K = kernel(AddSource, "add"), Put = kernel(AddSource, "put");
  arg(K, 0, Kept);
  arg(K, 1, 1);
  arg(Put, 1, 0);
  arg(Put, 2, 7);
  for (int Round = 1; Round != 4; ++Round) {
    run(Queues[0], K, N);
    for (size_t I = 0; I != Limit / Bytes; ++I) { // Drives it out.
      arg(Put, 0, buffer(Bytes));
      run(Queues[0], Put, N);
    }
    run(Queues[0], K, N);
    ASSERT_EQ(read(Queues[0], Kept, N), counted(2 * Round)) << Round;
  }
  clReleaseKernel(K);
  clReleaseKernel(Put);
}

TEST_F(DataTest, ViewsGoAndComeWithTheirRoot) {
  cl_mem Whole = ints(counted(0));
  std::array<cl_mem, 2> Halves;
  for (size_t I = 0; I != 2; ++I) {
    cl_buffer_region R{I * Bytes / 2, Bytes / 2};
    cl_int Error;
    Halves[I] = clCreateSubBuffer(Whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &R, &Error);
    ok(Error);
  }
  cl_kernel K = kernel(AddSource, "add");
  int Zero = 0;
  for (int Round = 0; Round != 4; ++Round) {
    arg(K, 0, Halves[static_cast<size_t>(Round) % 2]);
    arg(K, 1, 10);
    run(Queues[static_cast<size_t>(Round) % Queues.size()], K, N / 2);
    for (cl_command_queue Q : Queues)
      ok(clFinish(Q));
    for (size_t I = 0; I != Limit / Bytes; ++I)
      ok(clEnqueueFillBuffer(Queues[0], buffer(Bytes), &Zero, sizeof(Zero), 0, Bytes, 0, nullptr, nullptr));
    ok(clFinish(Queues[0]));
  }
  EXPECT_EQ(read(Queues.back(), Whole, N), counted(20));
  EXPECT_EQ(read(Queues[0], Halves[1], N / 2).front(), static_cast<int>(N / 2) + 20);
  for (cl_mem H : Halves)
    clReleaseMemObject(H);
  clReleaseKernel(K);
}

TEST_F(DataTest, ACommandThatNeedsMoreThanThereIsFails) {
  cl_int Error;
  cl_mem Huge = clCreateBuffer(Context, CL_MEM_READ_WRITE, 2 * Limit, nullptr, &Error);
  ok(Error);
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, Huge);
  arg(K, 1, 1);
  size_t Global = N;
  cl_event E = nullptr;
  cl_int Enqueued = clEnqueueNDRangeKernel(Queues[0], K, 1, nullptr, &Global, nullptr, 0, nullptr, &E);
  if (Enqueued == CL_SUCCESS) {
    EXPECT_NE(clWaitForEvents(1, &E), CL_SUCCESS);
    EXPECT_EQ(status(E), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    clReleaseEvent(E);
  } else {
    EXPECT_EQ(Enqueued, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  }
  cl_mem Small = ints(counted(0)); // Other commands still work.
  arg(K, 0, Small);
  run(Queues[0], K, N);
  EXPECT_EQ(read(Queues[0], Small, N), counted(1));
  clReleaseMemObject(Huge);
  clReleaseKernel(K);
}

// What is mapped lies where it is whatever happens to copies of it.
TEST_F(DataTest, MappedObjectsStay) {
  cl_mem M = ints(counted(0)), Other = ints(counted(0));
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, M);
  arg(K, 1, 1);
  run(Queues[0], K, N);
  cl_int Error;
  auto *P = static_cast<int *>(clEnqueueMapBuffer(Queues[0], M, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, sizeof(int),
                                                  Bytes - sizeof(int), 0, nullptr, nullptr, &Error));
  ok(Error);
  EXPECT_EQ(P[0], 2);
  int Zero = 0;
  for (size_t I = 0; I != 2 * Limit / Bytes; ++I)
    ok(clEnqueueFillBuffer(Queues[0], buffer(Bytes), &Zero, sizeof(Zero), 0, Bytes, 0, nullptr, nullptr));
  ok(clEnqueueCopyBuffer(Queues.back(), Other, buffer(Bytes), 0, 0, Bytes, 0, nullptr, nullptr));
  for (cl_command_queue Q : Queues)
    ok(clFinish(Q));
  EXPECT_EQ(P[N - 2], static_cast<int>(N));
  for (size_t I = 0; I != N - 1; ++I)
    P[I] = static_cast<int>(I) + 6; // As it would be with 5 more.
  ok(clEnqueueUnmapMemObject(Queues[0], M, P, 0, nullptr, nullptr));
  ok(clFinish(Queues[0]));
  run(Queues.back(), K, N);
  auto Got = read(Queues.back(), M, N);
  EXPECT_EQ(Got[0], 2); // It was not mapped.
  for (size_t I = 1; I != N; ++I)
    ASSERT_EQ(Got[I], static_cast<int>(I) + 6) << I;
  // All of it is overwritten: nothing is brought for that.
  P = static_cast<int *>(
      clEnqueueMapBuffer(Queues[0], M, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, Bytes, 0, nullptr, nullptr, &Error));
  ok(Error);
  std::fill(P, P + N, 3);
  ok(clEnqueueUnmapMemObject(Queues[0], M, P, 0, nullptr, nullptr));
  ok(clFinish(Queues[0]));
  EXPECT_EQ(read(Queues.back(), M, N), std::vector<int>(N, 3));
  clReleaseKernel(K);
}

// The vendor refuses an object when it is made, because another program uses its memory.
TEST_F(DataTest, AnObjectThatAVendorRefusesComesLater) {
  const auto Take = function<void (*)(size_t)>("small_vendor_take");
  Take(Limit - Bytes / 2);
  cl_mem M = ints(counted(3));
  Take(0);
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 0, M);
  arg(K, 1, 4);
  run(Queues[0], K, N);
  EXPECT_EQ(read(Queues[0], M, N), counted(7));
  clReleaseKernel(K);
}

TEST_F(DataTest, ImagesGoAndCome) {
  constexpr size_t W = 100, H = 60; // Rows are no power of two.
  cl_image_format Format{CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc Desc{};
  Desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  Desc.image_width = W;
  Desc.image_height = H;
  std::vector<cl_command_queue> With; // Devices that have images.
  for (size_t D = 0; D != Devices.size(); ++D)
    if (info<cl_bool>(clGetDeviceInfo, Devices[D], cl_device_info(CL_DEVICE_IMAGE_SUPPORT)))
      With.push_back(Queues[D]);
  if (With.empty())
    GTEST_SKIP() << "no device has images";
  std::vector<unsigned> X(W * H);
  std::iota(X.begin(), X.end(), 0x01020304u);
  cl_int Error;
  cl_mem M = clCreateImage(Context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &Format, &Desc, X.data(), &Error);
  ok(Error);
  int Zero = 0;
  for (unsigned Round = 0; Round != 6; ++Round) {
    size_t Origin[3] = {Round, 2 * Round, 0}, Extent[3] = {7, 3, 1};
    std::vector<unsigned> Patch(21, Round);
    cl_command_queue Q = With[Round % With.size()];
    ok(clEnqueueWriteImage(Q, M, CL_TRUE, Origin, Extent, 0, 0, Patch.data(), 0, nullptr, nullptr));
    for (size_t Y = 0; Y != 3; ++Y)
      std::fill_n(X.begin() + static_cast<long>((Origin[1] + Y) * W + Origin[0]), 7, Round);
    for (size_t I = 0; I != Limit / Bytes; ++I)
      ok(clEnqueueFillBuffer(Q, buffer(Bytes), &Zero, sizeof(Zero), 0, Bytes, 0, nullptr, nullptr));
    size_t All[3] = {W, H, 1}, Begin[3] = {};
    std::vector<unsigned> Got(W * H);
    ok(clEnqueueReadImage(With[(Round + 1) % With.size()], M, CL_TRUE, Begin, All, 0, 0, Got.data(), 0, nullptr,
                          nullptr));
    ASSERT_EQ(Got, X) << Round;
  }
  clReleaseMemObject(M);
}

// Each thread has a queue and objects of its own; together they take three times what there is.
TEST_F(DataTest, ThreadsDriveOutEachOthersObjects) {
  constexpr size_t Count = 4, Each = 3 * Limit / Bytes / Count;
  std::vector<std::thread> Threads;
  std::vector<cl_mem> All;
  for (size_t I = 0; I != Count * Each; ++I)
    All.push_back(ints(counted(static_cast<int>(I))));
  cl_program P = build(AddSource);
  for (size_t T = 0; T != Count; ++T)
    Threads.emplace_back([&, T] {
      cl_int Error;
      cl_command_queue Q = clCreateCommandQueue(Context, Devices[T % 2], 0, &Error);
      ok(Error);
      cl_kernel K = clCreateKernel(P, "add", &Error);
      ok(Error);
      arg(K, 1, 1);
      cl_event Last = nullptr;
      for (size_t I = 0; I != 6 * Each; ++I) {
        arg(K, 0, All[T * Each + I % Each]);
        run(Q, K, N / 16, {}, I + 1 == 6 * Each ? &Last : nullptr);
      }
      ok(clWaitForEvents(1, &Last));
      clReleaseEvent(Last);
      clReleaseKernel(K);
      clReleaseCommandQueue(Q);
    });
  for (std::thread &T : Threads)
    T.join();
  for (size_t I = 0; I != All.size(); ++I) {
    auto Want = counted(static_cast<int>(I));
    for (size_t J = 0; J != N / 16; ++J)
      Want[J] += 6;
    ASSERT_EQ(read(Queues[0], All[I], N), Want) << I;
  }
  clReleaseProgram(P);
}

// Both threads bring what they have changed on the host, at the same time. A vendor that copies inside its functions
// must not be called by both.
TEST_F(DataTest, ThreadsCopyToOneDevice) {
  constexpr int Rounds = 300;
  std::vector<std::thread> Threads;
  std::array<cl_mem, 2> All = {ints(counted(0)), ints(counted(0))};
  cl_program P = build(AddSource);
  for (cl_mem M : All)
    Threads.emplace_back([&, M] {
      cl_int Error;
      cl_command_queue Q = clCreateCommandQueue(Context, Devices[0], 0, &Error);
      ok(Error);
      cl_kernel K = clCreateKernel(P, "add", &Error);
      ok(Error);
      arg(K, 0, M);
      arg(K, 1, 1);
      for (int Round = 0; Round != Rounds; ++Round) {
        auto *At =
            static_cast<int *>(clEnqueueMapBuffer(Q, M, CL_TRUE, CL_MAP_WRITE, 0, Bytes, 0, nullptr, nullptr, &Error));
        ok(Error);
        ++At[0];
        ok(clEnqueueUnmapMemObject(Q, M, At, 0, nullptr, nullptr));
        run(Q, K, 1);
      }
      ok(clFinish(Q));
      clReleaseKernel(K);
      clReleaseCommandQueue(Q);
    });
  for (std::thread &T : Threads)
    T.join();
  for (cl_mem M : All)
    EXPECT_EQ(read(Queues[0], M, N).front(), 2 * Rounds);
  clReleaseProgram(P);
}

// A serial program's bytes against random commands on random devices, through buffers and parts of them.
TEST_F(DataTest, RandomCommands) {
  const unsigned Seed = std::random_device()();
  SCOPED_TRACE(Seed);
  std::mt19937 Random(Seed);
  auto below = [&](size_t Most) { return std::uniform_int_distribution<size_t>(0, Most - 1)(Random); };
  constexpr size_t Count = 9, Items = 10 << 10, Grain = 1024; // Ints; more than there is room for.
  std::vector<cl_mem> All;
  std::vector<std::vector<int>> Want;
  std::vector<std::vector<int>> Hosts(3, std::vector<int>(Items, 5));
  for (size_t I = 0; I != Count; ++I) {
    Want.emplace_back(Items, static_cast<int>(I));
    cl_mem_flags Flags = I < Hosts.size() ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
    if (I < Hosts.size())
      Hosts[I] = Want[I];
    All.push_back(buffer(Items * sizeof(int), Flags, I < Hosts.size() ? Hosts[I].data() : Want[I].data()));
  }
  cl_kernel Add = kernel(AddSource, "add"), Sum = kernel(AddSource, "sum");
  cl_command_queue Last = nullptr;
  for (int Step = 0; Step != 300; ++Step) {
    cl_command_queue Q = Queues[below(Queues.size())];
    if (Last && Q != Last)
      ok(clFinish(Last));
    Last = Q;
    size_t A = below(Count), B = below(Count), C = below(Count);
    size_t First = below(Items / Grain) * Grain, Some = (1 + below((Items - First) / Grain)) * Grain;
    int Value = static_cast<int>(below(1000));
    switch (below(6)) {
    case 0: { // A part is updated.
      cl_buffer_region R{First * sizeof(int), Some * sizeof(int)};
      cl_int Error;
      cl_mem Sub = clCreateSubBuffer(All[A], 0, CL_BUFFER_CREATE_TYPE_REGION, &R, &Error);
      ok(Error);
      arg(Add, 0, Sub);
      arg(Add, 1, Value);
      run(Q, Add, Grain); // Few items: one of the vendors interprets them.
      clReleaseMemObject(Sub);
      for (size_t I = First; I != First + Grain; ++I)
        Want[A][I] += Value;
      break;
    }
    case 1:
      if (A == C || B == C)
        break;
      arg(Sum, 0, All[A]);
      arg(Sum, 1, All[B]);
      arg(Sum, 2, All[C]);
      run(Q, Sum, Grain);
      for (size_t I = 0; I != Grain; ++I)
        Want[C][I] = static_cast<int>(static_cast<unsigned>(Want[A][I]) + static_cast<unsigned>(Want[B][I]));
      break;
    case 2:
      ok(clEnqueueFillBuffer(Q, All[A], &Value, sizeof(Value), First * sizeof(int), Some * sizeof(int), 0, nullptr,
                             nullptr));
      std::fill_n(Want[A].begin() + static_cast<long>(First), Some, Value);
      break;
    case 3:
      if (A == B)
        break;
      ok(clEnqueueCopyBuffer(Q, All[A], All[B], First * sizeof(int), 0, Some * sizeof(int), 0, nullptr, nullptr));
      std::copy_n(Want[A].begin() + static_cast<long>(First), Some, Want[B].begin());
      break;
    case 4: {
      cl_int Error;
      auto *P = static_cast<int *>(clEnqueueMapBuffer(Q, All[A], CL_TRUE, CL_MAP_WRITE, First * sizeof(int),
                                                      Some * sizeof(int), 0, nullptr, nullptr, &Error));
      ok(Error);
      ASSERT_TRUE(std::equal(P, P + Some, Want[A].begin() + static_cast<long>(First))) << Step;
      P[0] = Want[A][First] = Value;
      ok(clEnqueueUnmapMemObject(Q, All[A], P, 0, nullptr, nullptr));
      break;
    }
    default:
      ASSERT_EQ(read(Q, All[A], Some, First), std::vector<int>(Want[A].begin() + static_cast<long>(First),
                                                               Want[A].begin() + static_cast<long>(First + Some)))
          << Step;
    }
  }
  ok(clFinish(Last));
  for (size_t I = 0; I != Count; ++I)
    EXPECT_EQ(read(Queues[I % Queues.size()], All[I], Items), Want[I]) << I;
  clReleaseKernel(Add);
  clReleaseKernel(Sum);
}

} // namespace
} // namespace icdtest
