// Commands without events, which go to their vendor in the call, mixed with commands that have them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cl.h"

#include <atomic>
#include <random>
#include <thread>

namespace icdtest {
namespace {

using DirectTest = Platform;

constexpr const char *ScrambleSource =
    "kernel void scramble(global const int *a, global const int *b, global int *c) {\n"
    "  size_t i = get_global_id(0); int x = a[i], y = b[i];\n"
    "  for (int k = 0; k < 200; ++k) { x = x * 1664525 + y; y ^= x >> 3; }\n"
    "  c[i] = x ^ y; }\n";

std::vector<int> scrambled(const std::vector<int> &A, const std::vector<int> &B) {
  std::vector<int> C(A.size());
  for (size_t I = 0; I != A.size(); ++I) {
    unsigned X = static_cast<unsigned>(A[I]), Y = static_cast<unsigned>(B[I]);
    for (int K = 0; K != 200; ++K) {
      X = X * 1664525u + Y;
      Y ^= static_cast<unsigned>(static_cast<int>(X) >> 3);
    }
    C[I] = static_cast<int>(X ^ Y);
  }
  return C;
}

// A random program on one queue, against the same program in order. Data join and part again. Some commands have an
// event, wait for one, are markers, or block. Some use a part of the program's memory that an earlier command writes.
TEST_F(DirectTest, RandomProgramsAreInOrder) {
  constexpr size_t N = 64, Buffers = 9;
  unsigned Seed = std::random_device()();
  SCOPED_TRACE(Seed);
  std::mt19937 Random(Seed);
  auto Below = [&](size_t Most) { return Random() % Most; };
  cl_kernel K = kernel(ScrambleSource, "scramble");
  for (int Program = 0; Program != 24; ++Program) {
    cl_int Error;
    const cl_queue_properties Profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_command_queue Q = clCreateCommandQueueWithProperties(Context, Devices[static_cast<size_t>(Program) % 2],
                                                            Program % 6 == 5 ? Profiling : nullptr, &Error);
    ok(Error);
    std::vector<std::vector<int>> Wanted(Buffers), Host(3, std::vector<int>(N)), WantedHost = Host;
    std::vector<cl_mem> M;
    for (auto &W : Wanted) {
      for (size_t I = 0; I != N; ++I)
        W.push_back(static_cast<int>(Random()));
      M.push_back(ints(W));
    }
    std::vector<cl_event> Events;
    const size_t Bytes = N * sizeof(int);
    for (int Step = 0; Step != 120; ++Step) {
      size_t A = Below(Buffers), B = Below(Buffers), C = Below(Buffers), H = Below(3);
      cl_event E = nullptr, *Out = Below(8) ? nullptr : &E;
      std::vector<cl_event> After;
      if (!Events.empty() && !Below(10))
        After.push_back(Events[Below(Events.size())]);
      const auto Count = static_cast<cl_uint>(After.size());
      const cl_event *List = After.empty() ? nullptr : After.data();
      switch (Below(16)) {
      case 0:
        ok(clEnqueueReadBuffer(Q, M[A], CL_FALSE, 0, Bytes, Host[H].data(), Count, List, Out));
        WantedHost[H] = Wanted[A];
        break;
      case 1:
        ok(clEnqueueWriteBuffer(Q, M[A], CL_FALSE, 0, Bytes, Host[H].data(), Count, List, Out));
        Wanted[A] = WantedHost[H];
        break;
      case 2:
        if (A == B)
          break;
        ok(clEnqueueCopyBuffer(Q, M[A], M[B], 0, Bytes / 2, Bytes / 2, Count, List, Out));
        std::copy_n(Wanted[A].begin(), N / 2, Wanted[B].begin() + N / 2);
        break;
      case 3:
        ok(clEnqueueMarkerWithWaitList(Q, Count, List, Out));
        break;
      case 4:
        if (Below(4))
          break;
        ok(clEnqueueReadBuffer(Q, M[A], CL_TRUE, 0, Bytes, Host[H].data(), Count, List, Out));
        WantedHost[H] = Wanted[A];
        ASSERT_EQ(Host[H], WantedHost[H]) << "step " << Step;
        for (cl_event Each : Events) // An in-order queue: all before it has ended.
          ASSERT_EQ(status(Each), CL_COMPLETE);
        break;
      case 5:
        if (!Below(4))
          ok(clFinish(Q));
        break;
      default:
        arg(K, 0, M[A]);
        arg(K, 1, M[B]);
        arg(K, 2, M[C]);
        ok(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &N, nullptr, Count, List, Out));
        Wanted[C] = scrambled(Wanted[A], Wanted[B]); // Each work-item has its own element.
      }
      if (E)
        Events.push_back(E);
    }
    for (size_t I = 0; I != Buffers; ++I)
      ASSERT_EQ(read(Q, M[I], N), Wanted[I]) << "program " << Program << ", buffer " << I;
    ASSERT_EQ(Host, WantedHost);
    for (cl_event E : Events)
      clReleaseEvent(E);
    ok(clReleaseCommandQueue(Q));
  }
  clReleaseKernel(K);
}

// A wait for an event of a queue is also a wait for earlier commands without events.
TEST_F(DirectTest, AnEventStandsForWhatWasBefore) {
  constexpr size_t N = 4096;
  cl_kernel K = kernel(ScrambleSource, "scramble");
  std::vector<int> X(N, 5), Y(N, 6);
  cl_mem A = ints(X), B = ints(Y), C = ints(X);
  arg(K, 0, A);
  arg(K, 1, B);
  arg(K, 2, C);
  cl_event Marker;
  run(Queues[0], K, N);
  ok(clEnqueueMarkerWithWaitList(Queues[0], 0, nullptr, &Marker));
  cl_kernel Add = kernel(AddSource, "add");
  arg(Add, 0, C);
  arg(Add, 1, 1);
  run(Queues[1], Add, N, {Marker});
  auto Wanted = scrambled(X, Y);
  for (int &W : Wanted)
    ++W;
  EXPECT_EQ(read(Queues[1], C, N), Wanted);
  clReleaseEvent(Marker);
  clReleaseKernel(K);
  clReleaseKernel(Add);
}

// A destructor callback comes when nothing uses the memory any more.
TEST_F(DirectTest, MemoryStaysUntilItsCommandsHaveEnded) {
  constexpr size_t N = 1 << 14;
  cl_kernel K = kernel(ScrambleSource, "scramble");
  static std::atomic<int> Gone;
  Gone = 0;
  std::vector<int> Host(N, 3);
  cl_int Error;
  cl_mem M = clCreateBuffer(Context, CL_MEM_USE_HOST_PTR, N * sizeof(int), Host.data(), &Error);
  ok(Error);
  ok(clSetMemObjectDestructorCallback(M, [](cl_mem, void *) { ++Gone; }, nullptr));
  for (cl_uint I = 0; I != 3; ++I)
    arg(K, I, M);
  run(Queues[0], K, N);
  ok(clReleaseMemObject(M));
  EXPECT_EQ(Gone, 0);
  ok(clFinish(Queues[0]));
  clReleaseKernel(K);
  for (cl_command_queue Q : Queues) // The last ones to know of it.
    ok(clFinish(Q));
  while (!Gone) // Where a dispatcher's thread ends the command.
    ok(clFlush(Queues[0]));
}

// The same while its queue goes on, and the program still has the command's event.
TEST_F(DirectTest, MemoryGoesWhileItsQueueStays) {
  cl_kernel K = kernel(AddSource, "add");
  arg(K, 1, 1);
  static std::atomic<int> Gone;
  const std::vector<std::function<void(cl_command_queue, cl_mem, cl_event *)>> All = {
      [&](cl_command_queue Q, cl_mem, cl_event *E) { run(Q, K, 16, {}, E); },
      [&](cl_command_queue Q, cl_mem, cl_event *) { run(Q, K, 16); },
      [&](cl_command_queue Q, cl_mem M, cl_event *) { (void)read(Q, M, 16); },
      [&](cl_command_queue Q, cl_mem M, cl_event *E) {
        cl_int Error;
        void *At = clEnqueueMapBuffer(Q, M, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, nullptr, nullptr, &Error);
        ok(Error);
        ok(clEnqueueUnmapMemObject(Q, M, At, 0, nullptr, E));
      },
      [&](cl_command_queue Q, cl_mem M, cl_event *E) {
        ok(clEnqueueMigrateMemObjects(Q, 1, &M, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, E));
      }};
  for (cl_device_id D : Devices)
    for (cl_command_queue_properties Bits : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE})
      for (size_t I = 0; I != All.size(); ++I) {
        cl_int Error;
        cl_command_queue Q = clCreateCommandQueue(Context, D, Bits, &Error);
        ok(Error);
        Gone = 0;
        std::vector<int> Host(1 << 10, 3);
        cl_mem M = clCreateBuffer(Context, CL_MEM_COPY_HOST_PTR, Host.size() * sizeof(int), Host.data(), &Error);
        ok(Error);
        ok(clSetMemObjectDestructorCallback(M, [](cl_mem, void *) { ++Gone; }, nullptr));
        arg(K, 0, M);
        cl_event E = nullptr;
        All[I](Q, M, &E);
        ok(clFinish(Q));
        ok(clReleaseMemObject(M));
        // A dispatcher's thread may be about to end the command.
        for (int Try = 0; !Gone && Try != 5000000; ++Try)
          std::this_thread::yield();
        EXPECT_EQ(Gone, 1) << text(clGetDeviceInfo, D, CL_DEVICE_NAME) << ", queue " << Bits << ", command " << I;
        if (E)
          clReleaseEvent(E);
        clReleaseCommandQueue(Q);
      }
  clReleaseKernel(K);
}

} // namespace
} // namespace icdtest
