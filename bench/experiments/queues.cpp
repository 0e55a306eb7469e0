// What queues of an OpenCL device give an attention layer, written by hand: the bound for hsched-run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   g++ -O2 -std=c++20 bench/experiments/queues.cpp -lOpenCL -pthread -o queues
//   queues samples/transformer/transformer.cl BETA RUNS HEADS...
//
// H heads of eight kernels, as samples/transformer. Each way is an assignment of kernels to in-order queues, with
// events where an edge crosses. Ways take turns, so that each round meets the same machine. A line has the median of
// all, and of the host's part of it.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

void check(cl_int E, const char *What) {
  if (E) {
    std::fprintf(stderr, "queues: %s: error %d\n", What, E);
    std::exit(1);
  }
}

enum Step { Q, K, V, T, A, S, C, Z, Steps };
// By kernel: the kernels whose results it reads, or -1.
constexpr int Before[Steps][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {K, -1}, {Q, T}, {A, -1}, {S, V}, {C, -1}};
constexpr const char *Function[Steps] = {"gemm", "gemm", "gemm", "transpose_of", "gemm", "softmax_of_rows",
                                         "gemm", "gemm"};
// By kernel: its weights, or -1.
constexpr int Weights[Steps] = {0, 1, 2, -1, -1, -1, -1, 3};

enum class Copies { None, Kernels, Own };

struct Way {
  std::string Name;
  unsigned Queues;
  std::function<unsigned(unsigned Head, int Step)> Of; // The kernel's queue.
  bool EventPerKernel = false; // Each kernel has an event and waits for those of its inputs, as in the paper.
  bool FlushPerHead = false;
  bool OutOfOrder = false;
  unsigned Threads = 1;  // Host threads. Each has the heads of its own queues.
  bool ByLevel = false;  // Kernels of all heads are enqueued level by level, not head by head.
  bool Profiled = false; // Its queues measure times.
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> V) {
  std::sort(V.begin(), V.end());
  return V[V.size() / 2];
}

class Bench {
public:
  Bench(const char *File, unsigned Beta, unsigned MostHeads) : Beta(Beta), Bytes(size_t(Beta) * Beta * 4) {
    cl_platform_id Platforms[16];
    cl_uint N = 0;
    check(clGetPlatformIDs(16, Platforms, &N), "platforms");
    for (cl_device_type Type : {cl_device_type(CL_DEVICE_TYPE_GPU), cl_device_type(CL_DEVICE_TYPE_ALL)})
      for (cl_uint I = 0; I < N && !Device; ++I)
        clGetDeviceIDs(Platforms[I], Type, 1, &Device, nullptr);
    check(Device ? CL_SUCCESS : CL_DEVICE_NOT_FOUND, "device");
    char Name[256] = "", Extensions[8192] = "";
    clGetDeviceInfo(Device, CL_DEVICE_NAME, sizeof(Name), Name, nullptr);
    clGetDeviceInfo(Device, CL_DEVICE_EXTENSIONS, sizeof(Extensions), Extensions, nullptr);
    std::printf("device %s, command buffers: %s\n", Name,
                std::string(Extensions).find("command_buffer") == std::string::npos ? "no" : "yes");
    cl_int E;
    Context = clCreateContext(nullptr, 1, &Device, nullptr, nullptr, &E);
    check(E, "context");
    std::stringstream Text;
    Text << std::ifstream(File).rdbuf();
    const std::string Source = Text.str();
    const char *At = Source.c_str();
    Program = clCreateProgramWithSource(Context, 1, &At, nullptr, &E);
    check(E, "program");
    check(clBuildProgram(Program, 1, &Device, "", nullptr, nullptr), "build");
    X = buffer();
    HostX = host();
    Heads.resize(MostHeads);
    for (Head &H : Heads) {
      for (int W = 0; W < 4; ++W) {
        H.Weights[W] = buffer();
        H.HostWeights[W] = host();
      }
      H.Home = host();
      for (int I = 0; I < Steps; ++I)
        H.Out[I] = buffer();
      for (int I = 0; I < Steps; ++I) {
        H.Kernels[I] = clCreateKernel(Program, Function[I], &E);
        check(E, "kernel");
        cl_uint Arg = 0;
        auto Set = [&](cl_mem M) { check(clSetKernelArg(H.Kernels[I], Arg++, sizeof(M), &M), "argument"); };
        if (I <= V)
          Set(X);
        for (int B : Before[I])
          if (B >= 0)
            Set(H.Out[B]);
        if (Weights[I] >= 0)
          Set(H.Weights[Weights[I]]);
        Set(H.Out[I]);
        const int Sizes = std::string(Function[I]) == "gemm" ? 3 : 2;
        for (int J = 0; J < Sizes; ++J) {
          const cl_int Number = static_cast<cl_int>(Beta);
          check(clSetKernelArg(H.Kernels[I], Arg++, 4, &Number), "argument");
        }
      }
    }
    cl_command_queue First = queue(false);
    std::vector<float> Data(Bytes / 4);
    for (Head &H : Heads)
      for (int W = 0; W < 4; ++W) {
        for (size_t I = 0; I < Data.size(); ++I)
          H.HostWeights[W][I] = float((I * 37 + size_t(W) * 11) % 64) / 64 / float(Beta);
        check(clEnqueueWriteBuffer(First, H.Weights[W], CL_TRUE, 0, Bytes, H.HostWeights[W], 0, nullptr, nullptr),
              "write");
      }
    for (size_t I = 0; I < Data.size(); ++I)
      HostX[I] = float(I * 13 % 128) / 128;
    check(clEnqueueWriteBuffer(First, X, CL_TRUE, 0, Bytes, HostX, 0, nullptr, nullptr), "write");
  }

  // Seconds until all is done, and until all is enqueued.
  std::pair<double, double> once(const Way &W, unsigned NumHeads, Copies How) {
    std::vector<cl_command_queue> &Qs = queues(W.OutOfOrder ? 1000 : W.Queues + (W.Profiled ? 100 : 0), W.OutOfOrder);
    const double Begin = now();
    cl_event XCame = nullptr;
    const bool Copying = How != Copies::None;
    cl_command_queue Extra = How == Copies::Own ? queues(2000, false)[0] : nullptr;
    if (Copying) {
      check(clEnqueueWriteBuffer(Extra ? Extra : Qs[0], X, CL_FALSE, 0, Bytes, HostX, 0, nullptr, &XCame), "write");
      if (W.Queues > 1 || Extra)
        clFlush(Extra ? Extra : Qs[0]);
    }
    auto Some = [&](unsigned Thread) {
      std::vector<State> States(NumHeads);
      auto Mine = [&](unsigned H) { return W.Of(H, Q) % W.Threads == Thread; };
      if (W.ByLevel) {
        for (const std::vector<int> &Level : {std::vector<int>{Q, K, V}, {T}, {A}, {S}, {C}, {Z}})
          for (unsigned H = 0; H < NumHeads; ++H)
            for (int I : Level)
              enqueue(W, Qs, H, I, How, Extra, XCame, States[H]);
      } else {
        for (unsigned H = 0; H < NumHeads; ++H) {
          if (!Mine(H))
            continue;
          for (int I : {Q, K, T, V, A, S, C, Z})
            enqueue(W, Qs, H, I, How, Extra, XCame, States[H]);
          if (W.FlushPerHead)
            for (unsigned J = 0; J < W.Queues; ++J)
              if (J == W.Of(H, Q) || J == W.Of(H, K) || J == W.Of(H, V) || J == W.Of(H, A) || J == W.Of(H, C))
                clFlush(Qs[J]);
        }
      }
      for (State &St : States)
        for (cl_event E : St.Ends)
          if (E)
            clReleaseEvent(E);
    };
    if (W.Threads > 1) {
      std::vector<std::thread> All;
      for (unsigned I = 1; I < W.Threads; ++I)
        All.emplace_back(Some, I);
      Some(0);
      for (std::thread &Th : All)
        Th.join();
    } else {
      Some(0);
    }
    if (Extra)
      clFlush(Extra);
    for (cl_command_queue One : Qs)
      clFlush(One);
    const double Enqueued = now();
    for (cl_command_queue One : Qs)
      clFinish(One);
    if (Extra)
      clFinish(Extra);
    if (XCame)
      clReleaseEvent(XCame);
    return {now() - Begin, Enqueued - Begin};
  }

  double sum(unsigned NumHeads) {
    double Sum = 0;
    std::vector<float> Data(Bytes / 4);
    for (unsigned H = 0; H < NumHeads; ++H) {
      check(clEnqueueReadBuffer(queue(false), Heads[H].Out[Z], CL_TRUE, 0, Bytes, Data.data(), 0, nullptr, nullptr),
            "read");
      for (float F : Data)
        Sum += F;
    }
    return Sum;
  }

  // Microseconds of the host a call, of some calls.
  void primitives() {
    cl_command_queue A1 = queue(false), B1 = queue(false);
    const int N = 200;
    auto Time = [&](const char *Name, const std::function<void(int)> &Call) {
      std::vector<double> All;
      for (int R = 0; R < 5; ++R) {
        const double Begin = now();
        for (int I = 0; I < N; ++I)
          Call(I);
        All.push_back((now() - Begin) / N * 1e6);
        clFinish(A1);
        clFinish(B1);
      }
      std::printf("  %-44s %6.2f us\n", Name, median(All));
    };
    const size_t One[2] = {8, 8};
    cl_kernel Small = Heads[0].Kernels[T];
    Time("launch", [&](int) { clEnqueueNDRangeKernel(A1, Small, 2, nullptr, One, nullptr, 0, nullptr, nullptr); });
    Time("launch, flush",
         [&](int) { clEnqueueNDRangeKernel(A1, Small, 2, nullptr, One, nullptr, 0, nullptr, nullptr), clFlush(A1); });
    Time("launch with an event, release", [&](int) {
      cl_event E;
      clEnqueueNDRangeKernel(A1, Small, 2, nullptr, One, nullptr, 0, nullptr, &E);
      clReleaseEvent(E);
    });
    Time("launches on two queues in turns",
         [&](int I) { clEnqueueNDRangeKernel(I % 2 ? A1 : B1, Small, 2, nullptr, One, nullptr, 0, nullptr, nullptr); });
    Time("launch with event, launch behind it elsewhere", [&](int) {
      cl_event E;
      clEnqueueNDRangeKernel(A1, Small, 2, nullptr, One, nullptr, 0, nullptr, &E);
      clEnqueueNDRangeKernel(B1, Small, 2, nullptr, One, nullptr, 1, &E, nullptr);
      clReleaseEvent(E);
    });
    Time("the same with a flush between", [&](int) {
      cl_event E;
      clEnqueueNDRangeKernel(A1, Small, 2, nullptr, One, nullptr, 0, nullptr, &E);
      clFlush(A1);
      clEnqueueNDRangeKernel(B1, Small, 2, nullptr, One, nullptr, 1, &E, nullptr);
      clReleaseEvent(E);
    });
    Time("write of one matrix",
         [&](int) { clEnqueueWriteBuffer(A1, X, CL_FALSE, 0, Bytes, HostX, 0, nullptr, nullptr); });
    Time("marker", [&](int) { clEnqueueMarkerWithWaitList(A1, 0, nullptr, nullptr); });
    for (int I : {Q, T, S}) {
      const double Begin = now();
      for (int R = 0; R < 100; ++R)
        launch(A1, 0, I, {}, nullptr);
      clFinish(A1);
      std::printf("  100 %s on one queue: %.2f us each\n", Function[I], (now() - Begin) / 100 * 1e6);
    }
    for (unsigned Num : {2u, 4u, 8u}) {
      std::vector<cl_command_queue> Many;
      for (unsigned I = 0; I < Num; ++I)
        Many.push_back(queue(false));
      const double Begin = now();
      for (int R = 0; R < 160; ++R)
        launch(Many[unsigned(R) % Num], unsigned(R) % unsigned(Heads.size()), Q, {}, nullptr);
      for (cl_command_queue One1 : Many)
        clFlush(One1);
      const double Enqueued = now();
      for (cl_command_queue One1 : Many)
        clFinish(One1);
      std::printf("  160 gemm on %u queues in turns: %.2f us each, host %.2f\n", Num, (now() - Begin) / 160 * 1e6,
                  (Enqueued - Begin) / 160 * 1e6);
    }
  }

private:
  struct Head {
    cl_mem Weights[4], Out[Steps];
    float *HostWeights[4], *Home;
    cl_kernel Kernels[Steps];
  };
  struct State {
    cl_event Ends[Steps] = {};
  };

  void launch(cl_command_queue On, unsigned H, int I, const std::vector<cl_event> &Waits, cl_event *End) {
    const size_t Square[2] = {Beta, Beta}, Group[2] = {8, 8}, Rows = size_t(64) * Beta, RowGroup = 64;
    const bool Softmax = I == S;
    check(clEnqueueNDRangeKernel(On, Heads[H].Kernels[I], Softmax ? 1 : 2, nullptr, Softmax ? &Rows : Square,
                                 Softmax  ? &RowGroup
                                 : I == T ? nullptr
                                          : Group,
                                 cl_uint(Waits.size()), Waits.empty() ? nullptr : Waits.data(), End),
          "launch");
  }

  void enqueue(const Way &W, std::vector<cl_command_queue> &Qs, unsigned H, int I, Copies How, cl_command_queue Extra,
               cl_event XCame, State &St) {
    const unsigned On = W.OutOfOrder ? 0 : W.Of(H, I);
    std::vector<cl_event> Waits;
    for (int B : Before[I])
      if (B >= 0 && St.Ends[B] && (W.EventPerKernel || W.OutOfOrder || W.Of(H, B) != On))
        Waits.push_back(St.Ends[B]);
    cl_event Came = nullptr;
    if (How != Copies::None && I <= V && (Extra || On != 0 || W.OutOfOrder))
      Waits.push_back(XCame);
    if (How != Copies::None && Weights[I] >= 0) {
      check(clEnqueueWriteBuffer(Extra ? Extra : Qs[On], Heads[H].Weights[Weights[I]], CL_FALSE, 0, Bytes,
                                 Heads[H].HostWeights[Weights[I]], 0, nullptr, Extra || W.OutOfOrder ? &Came : nullptr),
            "write");
      if (Extra)
        clFlush(Extra);
      if (Came)
        Waits.push_back(Came);
    }
    bool Crosses = W.EventPerKernel || W.OutOfOrder || (I == Z && How == Copies::Own);
    for (int Later = 0; Later < Steps; ++Later)
      for (int B : Before[Later])
        Crosses |= B == I && W.Of(H, Later) != On;
    launch(Qs[On], H, I, Waits, Crosses ? &St.Ends[I] : nullptr);
    if (Came)
      clReleaseEvent(Came);
    if (I == Z && How != Copies::None) {
      cl_command_queue Back = How == Copies::Own ? queues(2001, false)[0] : Qs[On];
      const bool Waiting = How == Copies::Own || W.OutOfOrder;
      if (How == Copies::Own)
        clFlush(Qs[On]);
      check(clEnqueueReadBuffer(Back, Heads[H].Out[Z], CL_FALSE, 0, Bytes, Heads[H].Home, Waiting,
                                Waiting ? &St.Ends[I] : nullptr, nullptr),
            "read");
      if (How == Copies::Own)
        clFlush(Back);
    }
  }

  cl_mem buffer() {
    cl_int E;
    cl_mem M = clCreateBuffer(Context, CL_MEM_READ_WRITE, Bytes, nullptr, &E);
    check(E, "buffer");
    return M;
  }

  // Pinned memory.
  float *host() {
    cl_int E;
    cl_mem M = clCreateBuffer(Context, CL_MEM_ALLOC_HOST_PTR, Bytes, nullptr, &E);
    check(E, "pinned buffer");
    void *P =
        clEnqueueMapBuffer(queue(false), M, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, Bytes, 0, nullptr, nullptr, &E);
    check(E, "map");
    return static_cast<float *>(P);
  }

  cl_command_queue queue(bool OutOfOrder) {
    if (!OutOfOrder && Plain.size() > 64)
      return Plain[Next++ % Plain.size()];
    cl_int E;
    cl_command_queue Made =
        clCreateCommandQueue(Context, Device, OutOfOrder ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &E);
    check(E, "queue");
    if (!OutOfOrder)
      Plain.push_back(Made);
    return Made;
  }

  std::vector<cl_command_queue> &queues(unsigned Key, bool OutOfOrder) {
    std::vector<cl_command_queue> &Of = ByNumber[Key];
    const unsigned Num = Key >= 1000 ? 1 : Key % 100;
    const bool Profiled = Key >= 100 && Key < 1000;
    while (Of.size() < Num) {
      cl_int E;
      Of.push_back(clCreateCommandQueue(Context, Device,
                                        OutOfOrder ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
                                        : Profiled ? CL_QUEUE_PROFILING_ENABLE
                                                   : 0,
                                        &E));
      check(E, "queue");
    }
    return Of;
  }

  unsigned Beta;
  size_t Bytes;
  cl_device_id Device = nullptr;
  cl_context Context;
  cl_program Program;
  cl_mem X;
  float *HostX;
  std::vector<Head> Heads;
  std::vector<cl_command_queue> Plain;
  size_t Next = 0;
  std::map<unsigned, std::vector<cl_command_queue>> ByNumber;
};

} // namespace

int main(int Count, char **Args) {
  if (Count < 5) {
    std::fprintf(stderr, "usage: queues transformer.cl BETA RUNS HEADS...\n");
    return 2;
  }
  const auto Beta = unsigned(std::atoi(Args[2])), Runs = unsigned(std::atoi(Args[3]));
  std::vector<unsigned> Numbers;
  for (int I = 4; I < Count; ++I)
    Numbers.push_back(unsigned(std::atoi(Args[I])));
  Bench B(Args[1], Beta, *std::max_element(Numbers.begin(), Numbers.end()));
  B.primitives();
  constexpr unsigned Turns[Steps] = {0, 1, 2, 0, 1, 2, 0, 1}, Chains[Steps] = {0, 1, 2, 1, 0, 0, 0, 0};
  for (unsigned H : Numbers) {
    auto One = [](unsigned, int) { return 0u; };
    auto PerHead = [](unsigned Most) { return [Most](unsigned Head, int) { return Head % Most; }; };
    auto Of = [](const unsigned *Table) { return [Table](unsigned, int I) { return Table[I]; }; };
    std::vector<Way> Ways = {
        {"a  one queue", 1, One},
        {"a' one queue, a flush a head", 1, One, false, true},
        {"b  a queue a head", H, PerHead(H)},
        {"b' a queue a head, a flush a head", H, PerHead(H), false, true},
        {"b2 heads on two queues", 2, PerHead(2)},
        {"b3 heads on three queues", 3, PerHead(3)},
        {"b4 heads on four queues", 4, PerHead(4)},
        {"b2 heads on two queues, by level", 2, PerHead(2), false, false, false, 1, true},
        {"b  a queue a head, by level", H, PerHead(H), false, false, false, 1, true},
        {"bt a queue a head, two host threads", H, PerHead(H), false, true, false, 2},
        {"bt a queue a head, four host threads", H, PerHead(H), false, true, false, 4},
        {"c  three queues in turns, an event a kernel", 3, Of(Turns), true},
        {"c' three queues in turns, events where needed", 3, Of(Turns)},
        {"d  chains follow, three queues", 3, Of(Chains)},
        {"d' chains follow, a flush a head", 3, Of(Chains), false, true},
        {"e  one queue out of order", 1, One, true, false, true},
        {"ap one queue that measures times", 1, One, false, false, false, 1, false, true},
        {"bp a queue a head, each measures times", H, PerHead(H), false, true, false, 1, false, true},
        {"cp three such in turns, an event a kernel", 3, Of(Turns), true, false, false, 1, false, true}};
    for (Copies How : {Copies::None, Copies::Kernels, Copies::Own}) {
      std::printf("%u heads, beta %u, %s\n", H, Beta,
                  How == Copies::None      ? "no copies"
                  : How == Copies::Kernels ? "copies on the kernel's queue"
                                           : "copies on two queues of their own");
      std::vector<std::vector<double>> All(Ways.size()), Host(Ways.size());
      double Sum = 0;
      for (unsigned R = 0; R < Runs + 3; ++R)
        for (size_t W = 0; W < Ways.size(); ++W) {
          if (How == Copies::Own && Ways[W].Threads > 1)
            continue;
          auto [Whole, Part] = B.once(Ways[W], H, How);
          if (R == 0) {
            const double Now = B.sum(H);
            Sum = W ? Sum : Now;
            if (Now != Sum)
              std::printf("  WRONG %s: %g for %g\n", Ways[W].Name.c_str(), Now, Sum);
          }
          if (R >= 3) {
            All[W].push_back(Whole * 1e3);
            Host[W].push_back(Part * 1e3);
          }
        }
      for (size_t W = 0; W < Ways.size(); ++W)
        if (!All[W].empty())
          std::printf("  %-46s %7.3f ms, host %7.3f, over a %5.2f\n", Ways[W].Name.c_str(), median(All[W]),
                      median(Host[W]), median(All[0]) / median(All[W]));
      std::fflush(stdout);
    }
  }
  return 0;
}
