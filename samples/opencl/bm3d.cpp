// A pipeline shaped like BM3D, which denoises images by filtering groups of similar blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bm3d [--frames N] [--size N] [--repeat N] [--mode one | many | unordered | all]
//
// Each frame passes five kernels. Match computes distances of blocks. Find picks the eight most alike. Threshold
// transforms the group and sets small coefficients to 0. Aggregate adds blocks at their origins. Divide ends it. Frames
// are independent. Mode "one": all commands go to one in-order queue. Mode "many": each frame has an in-order queue.
// Mode "unordered": all go to one out-of-order queue, and events order a frame's kernels. Every kernel has few
// work-groups, so one kernel does not fill the machine: frames run concurrently.
//
// The program does not use hsched. On hsched's platform the three modes take the same time; a vendor that executes
// in-order queues strictly is slow with "one". All arithmetic is on integers, so the result equals the serial one bit
// by bit.
#include "common.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int Block = 8, Step = 8, Reach = 3, Alike = 8, Threshold = 1500;

const char *Source = R"(
#define BLOCK 8
#define STEP 8
#define REACH 3
#define WINDOW (2 * REACH + 1)
#define ALIKE 8
// Squared distances of a reference block to those around it; a block beyond the edge is none.
kernel void match(global const int *image, global int *distance, int size, int across) {
  int r = get_global_id(0), x = r % across * STEP, y = r / across * STEP;
  for (int c = 0; c < WINDOW * WINDOW; ++c) {
    int cx = x + c % WINDOW - REACH, cy = y + c / WINDOW - REACH, sum = 0;
    if (cx < 0 || cy < 0 || cx + BLOCK > size || cy + BLOCK > size) {
      distance[r * WINDOW * WINDOW + c] = INT_MAX;
      continue;
    }
    for (int i = 0; i < BLOCK * BLOCK; ++i) {
      int d = image[(y + i / BLOCK) * size + x + i % BLOCK] - image[(cy + i / BLOCK) * size + cx + i % BLOCK];
      sum += d * d;
    }
    distance[r * WINDOW * WINDOW + c] = sum;
  }
}
// The places of the blocks that are most alike, of equals the first.
kernel void find(global const int *distance, global int *place, int size, int across) {
  int r = get_global_id(0), x = r % across * STEP, y = r / across * STEP, last = -1, before = -1;
  for (int k = 0; k < ALIKE; ++k) {
    int least = INT_MAX, where = -1;
    for (int c = 0; c < WINDOW * WINDOW; ++c) {
      int d = distance[r * WINDOW * WINDOW + c];
      if (d < least && (d > last || (d == last && c > before))) {
        least = d;
        where = c;
      }
    }
    last = least;
    before = where;
    place[r * ALIKE + k] = (y + where / WINDOW - REACH) * size + x + where % WINDOW - REACH;
  }
}
void hadamard(int *v, int stride) {
  for (int span = 1; span < 8; span *= 2)
    for (int i = 0; i < 8; ++i)
      if (!(i & span)) {
        int a = v[i * stride], b = v[(i + span) * stride];
        v[i * stride] = a + b;
        v[(i + span) * stride] = a - b;
      }
}
void transform(int *g) {
  for (int i = 0; i < 64; ++i)
    hadamard(g + i * 8, 1); // rows of each block
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < 8; ++i)
      hadamard(g + k * 64 + i, 8); // columns
  for (int i = 0; i < 64; ++i)
    hadamard(g + i, 64); // across the group
}
kernel void threshold(global const int *image, global const int *place, global int *group, global int *weight, int size,
                      int least) {
  int r = get_global_id(0), g[512], left = 0;
  for (int i = 0; i < 512; ++i)
    g[i] = image[place[r * ALIKE + i / 64] + i / BLOCK % BLOCK * size + i % BLOCK];
  transform(g);
  for (int i = 0; i < 512; ++i) {
    if (abs(g[i]) < least)
      g[i] = 0;
    left += g[i] != 0;
  }
  transform(g);
  for (int i = 0; i < 512; ++i)
    group[r * 512 + i] = g[i] / 512;
  weight[r] = 512 / (1 + left) + 1;
}
kernel void aggregate(global const int *group, global const int *place, global const int *weight, global int *sum,
                      global int *weights, int size) {
  int r = get_global_id(0), w = weight[r];
  for (int i = 0; i < 512; ++i) {
    int at = place[r * ALIKE + i / 64] + i / BLOCK % BLOCK * size + i % BLOCK;
    atomic_add(sum + at, w * group[r * 512 + i]);
    atomic_add(weights + at, w);
  }
}
kernel void divide(global int *sum, global int *weights, global const int *image, global int *out) {
  int i = get_global_id(0);
  out[i] = weights[i] ? sum[i] / weights[i] : image[i];
  sum[i] = weights[i] = 0; // for the next frame that uses them
}
)";

using Image = std::vector<int>;

void hadamard(int *V, int Stride) {
  for (int Half = 1; Half < 8; Half *= 2)
    for (int I = 0; I < 8; ++I)
      if (!(I & Half)) {
        int A = V[I * Stride], B = V[(I + Half) * Stride];
        V[I * Stride] = A + B;
        V[(I + Half) * Stride] = A - B;
      }
}
void transform(int *G) {
  for (int I = 0; I < 64; ++I)
    hadamard(G + I * 8, 1);
  for (int K = 0; K < 8; ++K)
    for (int I = 0; I < 8; ++I)
      hadamard(G + K * 64 + I, 8);
  for (int I = 0; I < 64; ++I)
    hadamard(G + I, 64);
}

Image serial(const Image &In, int Size) {
  auto At = [&](int X, int Y) { return In[static_cast<size_t>(Y * Size + X)]; };
  Image Sum(In.size()), Weights(In.size()), Out(In.size());
  for (int Y = 0; Y + Block <= Size; Y += Step)
    for (int X = 0; X + Block <= Size; X += Step) {
      std::vector<std::pair<int, int>> Near; // Distance and place.
      for (int Cy = Y - Reach; Cy <= Y + Reach; ++Cy)
        for (int Cx = X - Reach; Cx <= X + Reach; ++Cx) {
          if (Cx < 0 || Cy < 0 || Cx + Block > Size || Cy + Block > Size)
            continue;
          int D = 0;
          for (int I = 0; I != Block * Block; ++I) {
            int One = At(X + I % Block, Y + I / Block) - At(Cx + I % Block, Cy + I / Block);
            D += One * One;
          }
          Near.emplace_back(D, Cy * Size + Cx);
        }
      std::stable_sort(Near.begin(), Near.end(), [](auto &A, auto &B) { return A.first < B.first; });
      int G[512], Left = 0;
      auto Pixel = [&](int I) {
        return static_cast<size_t>(Near[static_cast<size_t>(I / 64)].second + I / Block % Block * Size + I % Block);
      };
      for (int I = 0; I != 512; ++I)
        G[I] = In[Pixel(I)];
      transform(G);
      for (int &V : G) {
        if (std::abs(V) < Threshold)
          V = 0;
        Left += V != 0;
      }
      transform(G);
      int W = 512 / (1 + Left) + 1;
      for (int I = 0; I != 512; ++I) {
        Sum[Pixel(I)] += W * (G[I] / 512);
        Weights[Pixel(I)] += W;
      }
    }
  for (size_t I = 0; I != In.size(); ++I)
    Out[I] = Weights[I] ? Sum[I] / Weights[I] : In[I];
  return Out;
}

struct Frame {
  Image In, Wanted, Out;
  cl_mem Pixels, Distance, Place, Group, Weight, Sum, Weights, Result;
};

} // namespace

int main(int Argc, char **Argv) {
  const int Size = static_cast<int>(sample::option(Argc, Argv, "--size", 64L)), Across = Size / Step;
  const size_t NumFrames = static_cast<size_t>(sample::option(Argc, Argv, "--frames", 30L));
  const long Repeat = sample::option(Argc, Argv, "--repeat", 5L);
  const std::string Mode = sample::option(Argc, Argv, "--mode", "all");
  if (Size < 16 || Size % Step) {
    std::fprintf(stderr, "bm3d: the size is a multiple of 8, and at least 16\n");
    return 2;
  }
  auto Devices = sample::devices();
  Devices.resize(1);
  cl_int Error;
  sample::Session In(Devices, clCreateContext(nullptr, 1, Devices.data(), nullptr, nullptr, &Error));
  sample::check(Error, "context");
  In.build(Source, "");
  cl_kernel Match = In.kernel("match"), Find = In.kernel("find"), Filter = In.kernel("threshold"),
            Aggregate = In.kernel("aggregate"), Divide = In.kernel("divide");

  const size_t Pixels = static_cast<size_t>(Size) * static_cast<size_t>(Size),
               Blocks = static_cast<size_t>(Across) * static_cast<size_t>(Across), Word = sizeof(int);
  // Two work-groups in all, if they are not too large.
  const size_t Local = Blocks / 2 > 256 ? static_cast<size_t>(Across) : std::max<size_t>(1, Blocks / 2);
  std::vector<Frame> All(NumFrames);
  const Image Zeros(Pixels);
  for (size_t F = 0; F != NumFrames; ++F) {
    Frame &Its = All[F];
    unsigned Noise = 12345 + static_cast<unsigned>(F);
    for (size_t I = 0; I != Pixels; ++I) {
      Noise = Noise * 1664525 + 1013904223;
      int X = static_cast<int>(I) % Size, Y = static_cast<int>(I) / Size;
      int Clean = (X / 16 + Y / 16 + static_cast<int>(F)) % 2 ? 190 : 60;
      Its.In.push_back(std::clamp(Clean + static_cast<int>(Noise >> 26) - 32, 0, 255));
    }
    Its.Wanted = serial(Its.In, Size);
    Its.Out.resize(Pixels);
    Its.Pixels = In.buffer(Pixels * Word, Its.In.data());
    Its.Distance = In.buffer(Blocks * 49 * Word);
    Its.Place = In.buffer(Blocks * Alike * Word);
    Its.Group = In.buffer(Blocks * 512 * Word);
    Its.Weight = In.buffer(Blocks * Word);
    Its.Sum = In.buffer(Pixels * Word, Zeros.data());
    Its.Weights = In.buffer(Pixels * Word, Zeros.data());
    Its.Result = In.buffer(Pixels * Word);
  }

  bool Right = true;
  const cl_queue_properties OutOfOrder[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  auto Pass = [&](size_t NumQueues, bool Unordered) {
    sample::Queues Q;
    for (size_t I = 0; I != NumQueues; ++I) {
      Q.push_back(clCreateCommandQueueWithProperties(In.Context, Devices[0], Unordered ? OutOfOrder : nullptr, &Error));
      sample::check(Error, "queue");
    }
    sample::Clock Time;
    Time.begin();
    for (size_t F = 0; F != NumFrames; ++F) {
      Frame &I = All[F];
      cl_command_queue On = Q[F % NumQueues];
      cl_event Last = nullptr;
      auto Next = [&](cl_kernel K, size_t Items, size_t Group) {
        cl_event Own = nullptr;
        sample::check(clEnqueueNDRangeKernel(On, K, 1, nullptr, &Items, &Group, Last ? 1 : 0, Last ? &Last : nullptr,
                                             Unordered ? &Own : nullptr),
                      "launch");
        if (Last)
          clReleaseEvent(Last);
        Last = Own;
      };
      sample::arguments(Match, I.Pixels, I.Distance, Size, Across);
      Next(Match, Blocks, Local);
      sample::arguments(Find, I.Distance, I.Place, Size, Across);
      Next(Find, Blocks, Local);
      sample::arguments(Filter, I.Pixels, I.Place, I.Group, I.Weight, Size, Threshold);
      Next(Filter, Blocks, Local);
      sample::arguments(Aggregate, I.Group, I.Place, I.Weight, I.Sum, I.Weights, Size);
      Next(Aggregate, Blocks, Local);
      sample::arguments(Divide, I.Sum, I.Weights, I.Pixels, I.Result);
      Next(Divide, Pixels, static_cast<size_t>(Size));
      if (Last)
        clReleaseEvent(Last);
    }
    for (cl_command_queue Its : Q)
      sample::check(clFlush(Its), "flush");
    for (cl_command_queue Its : Q)
      sample::check(clFinish(Its), "finish");
    Time.end();
    for (Frame &I : All) {
      sample::read(Q[0], I.Result, I.Out);
      Right &= I.Out == I.Wanted;
      std::fill(I.Out.begin(), I.Out.end(), 0);
    }
    for (cl_command_queue Its : Q)
      clReleaseCommandQueue(Its);
    return Time.Seconds;
  };

  struct Way {
    const char *Name;
    size_t Queues;
    bool Unordered;
    double Least = 1e30;
  } Ways[] = {{"one", 1, false}, {"many", NumFrames, false}, {"unordered", 1, true}};
  std::printf("%s\n", sample::nameOf(Devices[0]).c_str());
  for (long R = -1; R != Repeat; ++R) // In rotation; the first runs build the kernels.
    for (Way &W : Ways)
      if (Mode == "all" || Mode == W.Name) {
        double Seconds = Pass(W.Queues, W.Unordered);
        W.Least = R < 0 ? W.Least : std::min(W.Least, Seconds);
      }
  for (const Way &W : Ways)
    if (Mode == "all" || Mode == W.Name)
      std::printf("bm3d %s: %.2f ms\n", W.Name, W.Least * 1e3);
  std::printf("bm3d: %s\n", Right ? "right" : "WRONG");
  return Right ? 0 : 1;
}
