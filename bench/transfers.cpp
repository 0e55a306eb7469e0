// Rates of transfers for tasks, and of transfers by hand, in one run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   transfers [megabytes] [piece-kilobytes] [rounds]     1024, 4096 and 5 unless told
//
// By hand: transfers of pieces between a device buffer and three kinds of host memory. These are memory that the driver
// allocated and mapped, ordinary memory, and ordinary memory under a mapped CL_MEM_USE_HOST_PTR buffer. Each way, and
// both ways at once. With tasks: one a piece, which reads its piece or overwrites it on the device. The memory is of
// malloc and of hsched_malloc. The first use is listed apart, and so is the average of the first four.
// HSCHED_PIN_MEMORY=1 pins what malloc gave, too.
//
// A device that shares the host's memory copies nothing: HSCHED_OPENCL_COPY=1 makes it. Figures are medians in GB/s.
#include "Measure.h"
#include "OpenClByHand.h"

#include <hsched/abi.h>

#include <cstdlib>
#include <new>

namespace {

using bench::check;
using bench::median;
using bench::nsOf;

// Overwrites a piece, or reads one word of it (and writes one, never). No printf: NVIDIA's driver waits for each kernel
// that could print, 20 us without a transfer.
const char Source[] = "kernel void fill(global uint4 *p, uint value, ulong offset) {\n"
                      "  global uint4 *q = (global uint4 *)((global char *)p + offset);\n"
                      "  q[get_global_id(0)] = (uint4)(value);\n"
                      "}\n"
                      "kernel void look(global uint *p, ulong offset) {\n"
                      "  global uint *q = (global uint *)((global char *)p + offset);\n"
                      "  if (q[0] == 0xdeadbeef) q[1] = 0;\n"
                      "}\n";

struct Args {
  char *Piece;
  size_t Bytes;
  unsigned Value;
};

void setBuffer(hsched_kernel_arg &Arg, const Args &A) {
  Arg.kind = HSCHED_ARG_BUFFER;
  Arg.param = 0;
  Arg.pointer = A.Piece;
}

void fillArgs(const void *Packed, hsched_ndrange *Range, hsched_kernel_arg *Out) {
  auto &A = *static_cast<const Args *>(Packed);
  Range->dims = 1;
  Range->global[0] = A.Bytes / 16;
  setBuffer(Out[0], A);
  Out[1].kind = HSCHED_ARG_VALUE;
  Out[1].param = 1;
  Out[1].bytes = sizeof(A.Value);
  Out[1].value = &A.Value;
}

void lookArgs(const void *Packed, hsched_ndrange *Range, hsched_kernel_arg *Out) {
  Range->dims = 1;
  Range->global[0] = 1;
  setBuffer(Out[0], *static_cast<const Args *>(Packed));
}

const char *const ParamNames[] = {"piece", "bytes", "value"};

struct DeviceTask {
  hsched_task_desc Task;
  hsched_kernel_desc Kernel;
  hsched_version_desc Version;
  hsched_task_type *Type;

  DeviceTask(const char *Name, unsigned NumArgs, void (*Fill)(const void *, hsched_ndrange *, hsched_kernel_arg *))
      : Task{sizeof(Task), HSCHED_ABI_MAJOR, HSCHED_ABI_MINOR, Name,    Name,   __FILE__, __LINE__, 3,
             ParamNames,   sizeof(Args),     alignof(Args),    nullptr, nullptr},
        Kernel{sizeof(Kernel),
               "transfers.cl",
               Name,
               Name,
               Source,
               sizeof(Source) - 1,
               "",
               NumArgs,
               HSCHED_KERNEL_OFFSETS,
               Fill,
               0,
               nullptr,
               nullptr,
               nullptr},
        Version{sizeof(Version), Name,    Name,    __FILE__, __LINE__, HSCHED_DEVICE_OPENCL,
                HSCHED_TYPE_ANY, nullptr, &Kernel, nullptr,  nullptr},
        Type(hsched_register_task(&Task)) {
    hsched_register_version(Name, &Version);
  }
  void submit(unsigned Mode, Args A) const {
    hsched_access *Accesses;
    void *Packed;
    hsched_task *T = hsched_task_begin(Type, 1, &Accesses, &Packed);
    new (Packed) Args(A);
    Accesses[0] = {A.Piece, A.Bytes, 1, 0, Mode, 0};
    hsched_task_submit(T, nullptr);
  }
};

size_t Total, Piece;

double speed(double Ns, size_t Bytes = Total) { return static_cast<double>(Bytes) / Ns; }

struct Rates {
  double Up, Down, Both;
};

// Between Host and a device buffer, by hand.
Rates byHand(const bench::ByHandDevice &D, char *Host, unsigned Rounds) {
  cl_mem M = D.buffer(CL_MEM_READ_WRITE, Total);
  auto up = [&](size_t At) {
    check(clEnqueueWriteBuffer(D.Queues[0], M, CL_FALSE, At, Piece, Host + At, 0, nullptr, nullptr), "write");
  };
  auto down = [&](size_t At) {
    check(clEnqueueReadBuffer(D.Queues[1], M, CL_FALSE, At, Piece, Host + At, 0, nullptr, nullptr), "read");
  };
  auto finish = [&] {
    check(clFinish(D.Queues[0]), "finish");
    check(clFinish(D.Queues[1]), "finish");
  };
  std::vector<double> Up, Down, Both;
  for (unsigned R = 0; R <= Rounds; ++R) {
    double U = nsOf([&] {
      for (size_t At = 0; At < Total; At += Piece)
        up(At);
      finish();
    });
    double W = nsOf([&] {
      for (size_t At = 0; At < Total; At += Piece)
        down(At);
      finish();
    });
    double B = nsOf([&] { // The upper half goes up while the lower comes down.
      for (size_t At = 0; At < Total / 2; At += Piece) {
        up(Total / 2 + At);
        down(At);
        clFlush(D.Queues[0]);
        clFlush(D.Queues[1]);
      }
      finish();
    });
    if (R) {
      Up.push_back(speed(U));
      Down.push_back(speed(W));
      Both.push_back(speed(B));
    }
  }
  clReleaseMemObject(M);
  return {median(Up), median(Down), median(Both)};
}

void print(const char *What, Rates R) {
  std::printf("%-44s up %6.1f   down %6.1f   both ways %6.1f\n", What, R.Up, R.Down, R.Both);
  std::fflush(stdout);
}

void withTasks(const char *What, const DeviceTask &Fill, const DeviceTask &Look, char *Host, unsigned Rounds) {
  auto each = [](size_t Lo, size_t Hi, auto F) {
    for (size_t At = Lo; At < Hi; At += Piece)
      F(At);
  };
  // Devices' copies are invalid after a wait that is no noflush.
  auto up = [&](size_t Lo, size_t Hi) {
    each(Lo, Hi, [&](size_t At) { Look.submit(HSCHED_IN, {Host + At, Piece, 0}); });
  };
  std::vector<double> Up, Down, Both;
  double First = 0, FirstFour = 0;
  for (unsigned R = 0; R < 4 + Rounds; ++R) {
    hsched_taskwait(0);
    double U = nsOf([&] {
      up(0, Total);
      hsched_taskwait(HSCHED_WAIT_NOFLUSH);
    });
    if (R == 0)
      First = U;
    if (R < 4)
      FirstFour += U;
    else
      Up.push_back(speed(U));
  }
  for (unsigned R = 0; R <= Rounds; ++R) {
    each(0, Total, [&](size_t At) { Fill.submit(HSCHED_OUT, {Host + At, Piece, R}); });
    hsched_taskwait(HSCHED_WAIT_NOFLUSH);
    double D = nsOf([&] { hsched_taskwait(0); });
    if (R)
      Down.push_back(speed(D));
    for (size_t At : {size_t(0), Total - 4})
      if (unsigned Seen; std::memcpy(&Seen, Host + At, 4), Seen != R)
        std::printf("WRONG: %u at byte %zu instead of %u\n", Seen, At, R);
  }
  for (unsigned R = 0; R <= Rounds; ++R) {
    each(0, Total / 2, [&](size_t At) { Fill.submit(HSCHED_OUT, {Host + At, Piece, R}); });
    hsched_taskwait(HSCHED_WAIT_NOFLUSH);
    hsched_access Lower = {Host, Total / 2, 1, 0, HSCHED_IN, HSCHED_NO_PARAM};
    double B = nsOf([&] {
      up(Total / 2, Total);
      hsched_taskwait_on(&Lower, 1, 0);
      hsched_taskwait(HSCHED_WAIT_NOFLUSH);
    });
    hsched_taskwait(0);
    if (R)
      Both.push_back(speed(B));
  }
  print(What, {median(Up), median(Down), median(Both)});
  std::printf("%-44s first %5.1f   average of the first four %6.1f\n", "", speed(First), speed(FirstFour / 4));
}

} // namespace

int main(int Argc, char **Argv) {
  auto number = [&](int I, size_t Default) { return Argc > I ? std::strtoul(Argv[I], nullptr, 10) : Default; };
  Piece = number(2, 4096) << 10;
  Total = (number(1, 1024) << 20) / (2 * Piece) * (2 * Piece);
  auto Rounds = static_cast<unsigned>(number(3, 5));
  if (Total == 0 || Rounds == 0) {
    std::fprintf(stderr, "usage: transfers [megabytes] [piece-kilobytes] [rounds]; at least two pieces\n");
    return 2;
  }
  auto *Plain = static_cast<char *>(std::aligned_alloc(4096, Total));
  if (!Plain)
    return 1;
  std::memset(Plain, 1, Total);
  {
    bench::ByHandDevice D;
    std::printf("%s, %zu MB in pieces of %zu kB, median of %u rounds, GB/s\n", D.name().c_str(), Total >> 20,
                Piece >> 10, Rounds);
    cl_mem Own = D.buffer(CL_MEM_ALLOC_HOST_PTR, Total);
    auto *Mapped = static_cast<char *>(D.map(Own, Total));
    std::memset(Mapped, 1, Total);
    print("by hand, memory of the driver, mapped", byHand(D, Mapped, Rounds));
    D.unmap(Own, Mapped);
    clReleaseMemObject(Own);
    print("by hand, memory of malloc", byHand(D, Plain, Rounds));
    cl_mem User = nullptr;
    void *At = nullptr;
    double Ns = nsOf([&] {
      User = D.buffer(CL_MEM_USE_HOST_PTR, Total, Plain);
      At = D.map(User, Total);
    });
    print("by hand, memory of malloc, pinned", byHand(D, Plain, Rounds));
    std::printf("%-44s %.1f ms a GB, once\n", "  to pin it", Ns * 1e-6 / (static_cast<double>(Total) * 1e-9));
    D.unmap(User, At);
    clReleaseMemObject(User);
  }
  static const DeviceTask Fill("fill", 2, fillArgs), Look("look", 1, lookArgs);
  { // The kernels are built now.
    static char Warm[64] = {};
    Fill.submit(HSCHED_OUT, {Warm, sizeof(Warm), 1});
    Look.submit(HSCHED_IN, {Warm, sizeof(Warm), 0});
    hsched_taskwait(0);
  }
  withTasks("tasks, memory of malloc", Fill, Look, Plain, Rounds);
  auto *Pinned = static_cast<char *>(hsched_malloc(Total));
  if (!Pinned)
    return 1;
  std::memset(Pinned, 1, Total);
  withTasks("tasks, memory of hsched_malloc", Fill, Look, Pinned, Rounds);
  hsched_free(Pinned);
  std::free(Plain);
  return 0;
}
