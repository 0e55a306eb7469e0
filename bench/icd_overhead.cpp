// What the OpenCL platform adds to a vendor's own calls: the same commands on both, in turns, in one process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   OCL_ICD_VENDORS=FOLDER HSCHED_OPENCL_VENDORS=FOLDER icd_overhead [commands] [rounds] [case] [side]
//
// With a case, that one alone; with a side, 0 the vendor's and 1 the platform's, that one alone.
// FOLDER names the platform and one vendor: the loader has both. 500 commands and 21 rounds unless told. The device is
// the vendor's first one, and the platform's first one; their names are printed.
//
//   chain        null kernels on one in-order queue, all on one buffer, and clFinish
//   no buffer    null kernels without an argument
//   independent  null kernels on four buffers in turn
//   events       a chain in which each command names the event of the one before it
//   waited       a null kernel and clFinish
//   read         a blocking read of 4 bytes
//   100 us       a chain of kernels of some 100 us
//
// Figures are medians of the rounds, in microseconds a command, and the median of the rounds' own quotients.
#include "Measure.h"
#include "OpenClByHand.h"

#include <functional>

namespace {

using bench::check;
using bench::median;
using bench::nsOf;

const char *Source = "kernel void null(global int *x) { if (get_global_id(0) == 7) x[0] = 1; }\n"
                     "kernel void bare(int n) {}\n"
                     "kernel void spin(global uint *x, int rounds) {\n"
                     "  uint v = x[get_global_id(0)] + 1;\n"
                     "  for (int i = 0; i < rounds; ++i) { v ^= v << 13; v ^= v >> 17; v ^= v << 5; }\n"
                     "  x[get_global_id(0)] = v;\n"
                     "}\n";

struct Side {
  std::string Name;
  cl_context In = nullptr;
  cl_command_queue Q = nullptr;
  cl_kernel Null = nullptr, Bare = nullptr, Spin = nullptr;
  cl_mem Buffers[4] = {};

  Side(cl_platform_id P, const char *What) {
    cl_device_id D;
    check(clGetDeviceIDs(P, CL_DEVICE_TYPE_ALL, 1, &D, nullptr), "device");
    char Text[256] = "";
    clGetDeviceInfo(D, CL_DEVICE_NAME, sizeof(Text), Text, nullptr);
    Name = std::string(What) + ": " + Text;
    cl_int Error;
    In = clCreateContext(nullptr, 1, &D, nullptr, nullptr, &Error);
    check(Error, "context");
    Q = clCreateCommandQueue(In, D, 0, &Error);
    check(Error, "queue");
    cl_program Program = clCreateProgramWithSource(In, 1, &Source, nullptr, &Error);
    check(Error, "program");
    check(clBuildProgram(Program, 0, nullptr, "", nullptr, nullptr), "build");
    Null = clCreateKernel(Program, "null", &Error);
    Bare = clCreateKernel(Program, "bare", &Error);
    Spin = clCreateKernel(Program, "spin", &Error);
    check(Error, "kernels");
    for (cl_mem &B : Buffers) {
      B = clCreateBuffer(In, CL_MEM_READ_WRITE, 4096, nullptr, &Error);
      check(Error, "buffer");
    }
    cl_int N = 1;
    check(clSetKernelArg(Bare, 0, sizeof(N), &N), "argument");
    use(Null, 0);
    use(Spin, 0);
    rounds(10);
  }
  void use(cl_kernel K, int Buffer) { check(clSetKernelArg(K, 0, sizeof(cl_mem), &Buffers[Buffer]), "argument"); }
  void rounds(cl_int N) { check(clSetKernelArg(Spin, 1, sizeof(N), &N), "argument"); }
  void launch(cl_kernel K, cl_uint N = 0, const cl_event *Waits = nullptr, cl_event *Out = nullptr) {
    const size_t One = 1;
    check(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &One, &One, N, Waits, Out), "launch");
  }
  void finish() { check(clFinish(Q), "finish"); }

  void chain(cl_kernel K, int Commands) {
    for (int I = 0; I != Commands; ++I)
      launch(K);
    finish();
  }
  void independent(int Commands) {
    for (int I = 0; I != Commands; ++I) {
      use(Null, I % 4);
      launch(Null);
    }
    finish();
    use(Null, 0);
  }
  void events(int Commands) {
    cl_event Last = nullptr;
    for (int I = 0; I != Commands; ++I) {
      cl_event E = nullptr;
      launch(Null, Last ? 1 : 0, Last ? &Last : nullptr, &E);
      if (Last)
        clReleaseEvent(Last);
      Last = E;
    }
    finish();
    clReleaseEvent(Last);
  }
  void waited(int Commands) {
    for (int I = 0; I != Commands; ++I) {
      launch(Null);
      finish();
    }
  }
  void read(int Commands) {
    int To;
    for (int I = 0; I != Commands; ++I)
      check(clEnqueueReadBuffer(Q, Buffers[0], CL_TRUE, 0, sizeof(To), &To, 0, nullptr, nullptr), "read");
  }
};

} // namespace

int main(int Argc, char **Argv) {
  const char *Only = Argc > 3 ? Argv[3] : "";
  const int Alone = Argc > 4 ? std::atoi(Argv[4]) : -1;
  const int Commands = Argc > 1 ? std::atoi(Argv[1]) : 500, Rounds = Argc > 2 ? std::atoi(Argv[2]) : 21;
  cl_platform_id All[16];
  cl_uint N = 0;
  check(clGetPlatformIDs(16, All, &N), "platforms");
  cl_platform_id Theirs = nullptr, Ours = nullptr;
  for (cl_uint I = 0; I != std::min(N, 16u); ++I) {
    char Name[128] = "";
    clGetPlatformInfo(All[I], CL_PLATFORM_NAME, sizeof(Name), Name, nullptr);
    (std::strcmp(Name, "hsched") ? Theirs : Ours) = All[I];
  }
  if (!Theirs || !Ours) {
    std::fprintf(stderr, "icd_overhead: needs the platform hsched and one of a vendor in OCL_ICD_VENDORS\n");
    return 1;
  }
  Side Sides[2] = {{Theirs, "vendor"}, {Ours, "platform"}};
  for (const Side &S : Sides)
    std::printf("%s\n", S.Name.c_str());

  // As many rounds of the loop as take some 100 us.
  cl_int Loops = 1000;
  for (double Us = 0; Us < 80; Loops *= 2) {
    Sides[0].rounds(Loops);
    Us = 1e30; // The least of some: another program may take the core.
    for (int Try = 0; Try != 5; ++Try)
      Us = std::min(Us, static_cast<double>(nsOf([&] { Sides[0].chain(Sides[0].Spin, 20); })) / 20e3);
    if (Us >= 80)
      break;
  }
  for (Side &S : Sides)
    S.rounds(Loops);

  struct Case {
    const char *Name;
    int Commands;
    std::function<void(Side &, int)> Run;
  };
  const Case Cases[] = {{"chain", Commands, [](Side &S, int M) { S.chain(S.Null, M); }},
                        {"no buffer", Commands, [](Side &S, int M) { S.chain(S.Bare, M); }},
                        {"independent", Commands, [](Side &S, int M) { S.independent(M); }},
                        {"events", Commands, [](Side &S, int M) { S.events(M); }},
                        {"waited", Commands / 4 + 1, [](Side &S, int M) { S.waited(M); }},
                        {"read", Commands / 4 + 1, [](Side &S, int M) { S.read(M); }},
                        {"100 us", 50, [](Side &S, int M) { S.chain(S.Spin, M); }}};
  std::printf("%-12s %10s %10s %10s\n", "", "vendor us", "platform", "quotient");
  for (const Case &C : Cases) {
    if (*Only && std::strcmp(Only, C.Name))
      continue;
    std::vector<double> Us[2], Quotients;
    for (int R = -2; R != Rounds; ++R) {
      double Its[2];
      for (int S = 0; S != 2; ++S) {
        int Turn = R & 1 ? 1 - S : S;
        if (Alone >= 0)
          Turn = Alone;
        Its[Turn] = static_cast<double>(nsOf([&] { C.Run(Sides[Turn], C.Commands); })) / 1e3 / C.Commands;
      }
      if (R < 0)
        continue; // Not counted: kernels are built at their first launch.
      Us[0].push_back(Its[0]);
      Us[1].push_back(Its[1]);
      Quotients.push_back(Its[1] / Its[0]);
    }
    std::printf("%-12s %10.2f %10.2f %10.2f\n", C.Name, median(Us[0]), median(Us[1]), median(Quotients));
  }
}
