// A program in OpenCL's C++ interface, in BM3D's shape: five kernels a frame, on one queue, on many, out of order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>

#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace {

constexpr const char *Source = R"(
kernel void match(global const int *image, global int *distance, int n) {
  int i = get_global_id(0);
  int d = image[i] - image[(i + 1) % n];
  distance[i] = d * d;
}
kernel void find(global const int *distance, global int *place, int n) {
  int i = get_global_id(0), best = i;
  for (int k = 1; k < 4; ++k)
    if (distance[(i + k) % n] < distance[best]) best = (i + k) % n;
  place[i] = best;
}
kernel void threshold(global const int *image, global const int *place, global int *group) {
  int i = get_global_id(0), v = image[i] + image[place[i]];
  group[i] = v < 20 ? 0 : v;
}
kernel void aggregate(global const int *group, global const int *place, global int *sum, global int *weight) {
  int i = get_global_id(0);
  atomic_add(&sum[place[i]], group[i]);
  atomic_inc(&weight[place[i]]);
}
kernel void divide(global const int *sum, global const int *weight, global const int *image, global int *out) {
  int i = get_global_id(0);
  out[i] = weight[i] ? sum[i] / weight[i] : image[i];
}
)";

constexpr int N = 64;
constexpr size_t Frames = 30;
using Image = std::vector<int>;

Image serial(const Image &In) {
  Image Distance(N), Sum(N), Weight(N), Out(N);
  const auto At = [](int I) { return static_cast<size_t>(I % N); };
  for (int I = 0; I != N; ++I) {
    const int D = In[At(I)] - In[At(I + 1)];
    Distance[At(I)] = D * D;
  }
  for (int I = 0; I != N; ++I) {
    size_t Best = At(I);
    for (int K = 1; K != 4; ++K)
      if (Distance[At(I + K)] < Distance[Best])
        Best = At(I + K);
    const int V = In[At(I)] + In[Best];
    Sum[Best] += V < 20 ? 0 : V;
    ++Weight[Best];
  }
  for (size_t I = 0; I != N; ++I)
    Out[I] = Weight[I] ? Sum[I] / Weight[I] : In[I];
  return Out;
}

void pipeline(size_t NumQueues, cl_command_queue_properties Properties) {
  std::vector<cl::Platform> Platforms;
  cl::Platform::get(&Platforms);
  ASSERT_EQ(Platforms.size(), 1u);
  std::vector<cl::Device> Devices;
  Platforms[0].getDevices(CL_DEVICE_TYPE_ALL, &Devices);
  for (const cl::Device &D : Devices) {
    SCOPED_TRACE(D.getInfo<CL_DEVICE_NAME>());
    const cl::Context Context(D);
    cl::Program Program(Context, Source);
    Program.build();
    std::array<cl::Kernel, 5> K;
    const char *const Names[] = {"match", "find", "threshold", "aggregate", "divide"};
    for (size_t I = 0; I != K.size(); ++I)
      K[I] = cl::Kernel(Program, Names[I]);
    std::vector<cl::CommandQueue> Queues;
    for (size_t I = 0; I != NumQueues; ++I)
      Queues.emplace_back(Context, D, Properties);
    std::vector<Image> In(Frames, Image(N)), Out(Frames, Image(N));
    std::vector<cl::Event> Read(Frames);
    const Image Zeros(N);
    for (size_t F = 0; F != Frames; ++F) {
      for (size_t I = 0; I != N; ++I)
        In[F][I] = static_cast<int>((I * 37 + F * 11) % 29);
      cl::CommandQueue &Q = Queues[F % NumQueues];
      const cl::Buffer Pixels(Context, In[F].begin(), In[F].end(), true);
      auto Room = [&] { return cl::Buffer(Context, CL_MEM_READ_WRITE, N * sizeof(int)); };
      const cl::Buffer Distance = Room(), Place = Room(), Group = Room(), Result = Room();
      const cl::Buffer Sum(Context, CL_MEM_COPY_HOST_PTR, N * sizeof(int), const_cast<int *>(Zeros.data()));
      const cl::Buffer Weight(Context, CL_MEM_COPY_HOST_PTR, N * sizeof(int), const_cast<int *>(Zeros.data()));
      auto Set = [](cl::Kernel &Its, const auto &...Arguments) {
        cl_uint I = 0;
        (Its.setArg(I++, Arguments), ...);
      };
      Set(K[0], Pixels, Distance, N);
      Set(K[1], Distance, Place, N);
      Set(K[2], Pixels, Place, Group);
      Set(K[3], Group, Place, Sum, Weight);
      Set(K[4], Sum, Weight, Pixels, Result);
      std::vector<cl::Event> After;
      const bool ByEvents = Properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
      for (const cl::Kernel &Its : K) {
        cl::Event E;
        Q.enqueueNDRangeKernel(Its, cl::NullRange, cl::NDRange(N), cl::NullRange, &After, &E);
        if (ByEvents)
          After = {E};
      }
      // The program's buffers go before their commands have run.
      Q.enqueueReadBuffer(Result, CL_FALSE, 0, N * sizeof(int), Out[F].data(), &After, &Read[F]);
    }
    for (cl::CommandQueue &Q : Queues)
      Q.flush();
    cl::Event::waitForEvents(Read);
    for (size_t F = 0; F != Frames; ++F)
      EXPECT_EQ(Out[F], serial(In[F])) << F;
  }
}

TEST(HppTest, OneInOrderQueue) { pipeline(1, 0); }
TEST(HppTest, AQueueAFrame) { pipeline(Frames, 0); }
TEST(HppTest, OneOutOfOrderQueue) { pipeline(1, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }

} // namespace
