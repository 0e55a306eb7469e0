// Heads of attention in plain OpenCL: what a program by hand reaches with the kernels of samples/transformer. This is
// the limit of hsched-run for that graph.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   transformer_by_hand transformer.cl [heads] [size] [queues] [repetitions] [wide]
//
// A repetition does what one of hsched-run does. It sends the input and each head's four weights to the device. It runs
// each head's eight kernels, and reads each head's result. Host memory is pinned before. Head i takes queue i modulo
// queues. "wide" as sixth argument: the three products that a head begins with go to queues of their own. Prints the
// median in ms, of all repetitions but the first six.
#include "Measure.h"
#include "OpenClByHand.h"

#include <fstream>
#include <sstream>

using bench::check;

namespace {

struct Head {
  cl_mem Weights[4], Q, K, V, T, A, S, C, Z;
};

void launch(cl_command_queue Queue, cl_kernel K, cl_uint Dims, size_t Width, size_t Height, size_t LocalWidth,
            size_t LocalHeight, std::initializer_list<cl_mem> Buffers, std::initializer_list<int> Values,
            std::vector<cl_event> Waits = {}, cl_event *Out = nullptr) {
  cl_uint At = 0;
  for (cl_mem M : Buffers)
    check(clSetKernelArg(K, At++, sizeof(M), &M), "argument");
  for (int V : Values)
    check(clSetKernelArg(K, At++, sizeof(V), &V), "argument");
  const size_t Global[] = {Width, Height}, Local[] = {LocalWidth, LocalHeight};
  check(clEnqueueNDRangeKernel(Queue, K, Dims, nullptr, Global, LocalWidth ? Local : nullptr,
                               static_cast<cl_uint>(Waits.size()), Waits.empty() ? nullptr : Waits.data(), Out),
        "launch");
}

} // namespace

int main(int Count, char **Args) {
  if (Count < 2) {
    std::fprintf(stderr, "usage: transformer_by_hand transformer.cl [heads] [size] [queues] [repetitions] [wide]\n");
    return 2;
  }
  const int Heads = Count > 2 ? std::atoi(Args[2]) : 4, N = Count > 3 ? std::atoi(Args[3]) : 256;
  const int NumQueues = std::clamp(Count > 4 ? std::atoi(Args[4]) : 1, 1, 8),
            Reps = Count > 5 ? std::atoi(Args[5]) : 26;
  const bool Wide = Count > 6;
  std::ifstream In(Args[1]);
  std::stringstream Source;
  Source << In.rdbuf();
  if (!In) {
    std::fprintf(stderr, "%s cannot be read\n", Args[1]);
    return 1;
  }
  bench::ByHandDevice D;
  cl_kernel Gemm = D.kernel(Source.str().c_str(), "gemm"), Transpose = D.kernel(Source.str().c_str(), "transpose_of"),
            Softmax = D.kernel(Source.str().c_str(), "softmax_of_rows");
  const size_t Bytes = sizeof(float) * N * N, Side = static_cast<size_t>(N);
  cl_mem X = D.buffer(CL_MEM_READ_WRITE, Bytes);
  std::vector<Head> All(static_cast<size_t>(Heads));
  for (Head &H : All) {
    for (cl_mem *M :
         {&H.Weights[0], &H.Weights[1], &H.Weights[2], &H.Weights[3], &H.Q, &H.K, &H.V, &H.T, &H.A, &H.S, &H.C, &H.Z})
      *M = D.buffer(CL_MEM_READ_WRITE, Bytes);
  }
  const size_t Pieces = static_cast<size_t>(Heads) * 5 + 1;
  cl_mem Pinned = D.buffer(CL_MEM_ALLOC_HOST_PTR | CL_MEM_READ_WRITE, Bytes * Pieces);
  char *Host = static_cast<char *>(D.map(Pinned, Bytes * Pieces));
  std::fill_n(reinterpret_cast<float *>(Host), Bytes * Pieces / sizeof(float), 0.001f);

  std::vector<double> Times;
  for (int R = 0; R < Reps; ++R) {
    const auto Start = bench::Clock::now();
    std::vector<cl_event> Events;
    auto Event = [&]() -> cl_event * {
      Events.push_back(nullptr);
      return &Events.back();
    };
    Events.reserve(static_cast<size_t>(Heads) * 4 + 1);
    size_t Piece = 0;
    auto Write = [&](cl_command_queue Queue, cl_mem To, cl_event *Out = nullptr) {
      check(clEnqueueWriteBuffer(Queue, To, CL_FALSE, 0, Bytes, Host + Bytes * Piece++, 0, nullptr, Out), "write");
    };
    cl_event *Input = Event();
    Write(D.Queues[0], X, Input);
    check(clFlush(D.Queues[0]), "flush");
    for (int I = 0; I < Heads; ++I) {
      Head &H = All[static_cast<size_t>(I)];
      cl_command_queue Own = D.Queues[(Wide ? 3 * I : I) % NumQueues],
                       Second = Wide ? D.Queues[(3 * I + 1) % NumQueues] : Own,
                       Third = Wide ? D.Queues[(3 * I + 2) % NumQueues] : Own;
      auto Product = [&](cl_command_queue Queue, cl_mem A, cl_mem B, cl_mem C, std::vector<cl_event> Waits = {},
                         cl_event *Out = nullptr) {
        launch(Queue, Gemm, 2, Side, Side, 8, 8, {A, B, C}, {N, N, N}, std::move(Waits), Out);
      };
      auto First = [&](cl_command_queue Queue) {
        return Queue == D.Queues[0] ? std::vector<cl_event>() : std::vector<cl_event>{*Input};
      };
      cl_event *KEnd = nullptr, *VEnd = nullptr;
      Write(Own, H.Weights[0]);
      Product(Own, X, H.Weights[0], H.Q, First(Own));
      Write(Second, H.Weights[1]);
      Product(Second, X, H.Weights[1], H.K, First(Second));
      Write(Third, H.Weights[2]);
      Product(Third, X, H.Weights[2], H.V, First(Third), Third != Own ? VEnd = Event() : nullptr);
      launch(Second, Transpose, 2, Side, Side, 0, 0, {H.K, H.T}, {N, N}, {}, Second != Own ? KEnd = Event() : nullptr);
      Write(Own, H.Weights[3]);
      if (Wide)
        for (cl_command_queue Q : {Second, Third})
          check(clFlush(Q), "flush");
      Product(Own, H.Q, H.T, H.A, KEnd ? std::vector<cl_event>{*KEnd} : std::vector<cl_event>());
      launch(Own, Softmax, 1, 64 * Side, 1, 64, 1, {H.A, H.S}, {N, N});
      Product(Own, H.S, H.V, H.C, VEnd ? std::vector<cl_event>{*VEnd} : std::vector<cl_event>());
      Product(Own, H.C, H.Weights[3], H.Z);
      check(clEnqueueReadBuffer(Own, H.Z, CL_FALSE, 0, Bytes, Host + Bytes * Piece++, 0, nullptr, nullptr), "read");
      check(clFlush(Own), "flush");
    }
    for (int Q = 0; Q < NumQueues; ++Q)
      check(clFinish(D.Queues[Q]), "finish");
    Times.push_back(bench::nsSince(Start) * 1e-6);
    for (cl_event E : Events)
      if (E)
        clReleaseEvent(E);
  }
  if (Times.size() > 6)
    Times.erase(Times.begin(), Times.begin() + 6);
  std::printf("by hand, %d heads of %d, %d queues%s: %.3f ms\n", Heads, N, NumQueues, Wide ? ", wide" : "",
              bench::median(Times));
}
