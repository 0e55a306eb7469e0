// Each call of a vendor fails in turn, while a program uses most functions: it ends, nothing crashes, and the next
// program is right.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Hook.h"

#include <atomic>
#include <tuple>
#include <type_traits>

namespace icdtest {
namespace {

class EachCallTest : public Hooked {
protected:
  static constexpr long Never = 1L << 40;
  static inline std::atomic<long> Left = Never; // Calls until one fails.
  static inline std::atomic<const char *> Failed = nullptr;

  // The functions are replaced once, and for good: threads of the platform may call them at any time.
  void SetUp() override {
    Hooked::SetUp();
    [[maybe_unused]] static const bool Once = (hookAll(), true);
  }
  void TearDown() override {
    Table = nullptr;
    Hooked::TearDown();
  }

  // A function that fails if it is its turn, with an error that a driver may always return.
  template <auto Slot, class F> struct Failing;
  template <auto Slot, class R, class... A> struct Failing<Slot, R(CL_API_CALL *)(A...)> {
    static inline const char *Name = nullptr;
    static R CL_API_CALL call(A... Given) {
      if (Left.fetch_sub(1) != 1)
        return (Real.*Slot)(Given...);
      Failed = Name;
      if constexpr (std::is_same_v<R, cl_int>) {
        return CL_OUT_OF_RESOURCES;
      } else {
        auto Last = std::get<sizeof...(A) - 1>(std::tuple(Given...));
        if constexpr (std::is_same_v<decltype(Last), cl_int *>)
          if (Last)
            *Last = CL_OUT_OF_RESOURCES;
        return R();
      }
    }
  };
  template <auto Slot> void hook(const char *Name) {
    using F = std::remove_cvref_t<decltype(Real.*Slot)>;
    Failing<Slot, F>::Name = Name;
    Table->*Slot = Failing<Slot, F>::call;
  }
  void hookAll() {
#define HOOK(NAME) hook<&cl_icd_dispatch::NAME>(#NAME);
    HOOK(clGetDeviceInfo)
    HOOK(clCreateContext)
    HOOK(clCreateCommandQueue)
    HOOK(clCreateBuffer)
    HOOK(clCreateSubBuffer)
    HOOK(clCreateImage)
    HOOK(clGetSupportedImageFormats)
    HOOK(clGetMemObjectInfo)
    HOOK(clGetImageInfo)
    HOOK(clCreateSampler)
    HOOK(clCreateProgramWithSource)
    HOOK(clCreateProgramWithBinary)
    HOOK(clBuildProgram)
    HOOK(clCompileProgram)
    HOOK(clLinkProgram)
    HOOK(clGetProgramInfo)
    HOOK(clGetProgramBuildInfo)
    HOOK(clCreateKernel)
    HOOK(clSetKernelArg)
    HOOK(clGetKernelInfo)
    HOOK(clGetKernelArgInfo)
    HOOK(clGetKernelWorkGroupInfo)
    HOOK(clWaitForEvents)
    HOOK(clGetEventInfo)
    HOOK(clGetEventProfilingInfo)
    HOOK(clSetEventCallback)
    HOOK(clFlush)
    HOOK(clFinish)
    HOOK(clEnqueueReadBuffer)
    HOOK(clEnqueueWriteBuffer)
    HOOK(clEnqueueCopyBuffer)
    HOOK(clEnqueueFillBuffer)
    HOOK(clEnqueueReadBufferRect)
    HOOK(clEnqueueWriteBufferRect)
    HOOK(clEnqueueCopyBufferRect)
    HOOK(clEnqueueReadImage)
    HOOK(clEnqueueWriteImage)
    HOOK(clEnqueueCopyImage)
    HOOK(clEnqueueFillImage)
    HOOK(clEnqueueCopyImageToBuffer)
    HOOK(clEnqueueCopyBufferToImage)
    HOOK(clEnqueueMapBuffer)
    HOOK(clEnqueueMapImage)
    HOOK(clEnqueueUnmapMemObject)
    HOOK(clEnqueueMigrateMemObjects)
    HOOK(clEnqueueNDRangeKernel)
    HOOK(clEnqueueNativeKernel)
    HOOK(clEnqueueMarkerWithWaitList)
    HOOK(clEnqueueBarrierWithWaitList)
    HOOK(clCreateUserEvent)
    HOOK(clSetUserEventStatus)
    HOOK(clCreateSubDevices)
    HOOK(clSVMAlloc)
    HOOK(clEnqueueSVMMemcpy)
    HOOK(clEnqueueSVMMemFill)
    HOOK(clEnqueueSVMMap)
    HOOK(clEnqueueSVMUnmap)
    HOOK(clSetKernelArgSVMPointer)
    HOOK(clCloneKernel)
#undef HOOK
  }

  // Runs a program once for each of up to Most of its calls, which then fails. HSCHED_TEST_CALLS=N: up to N calls.
  template <class F> void each(F &&Program, long Most) {
    if (const char *N = std::getenv("HSCHED_TEST_CALLS"))
      Most = std::atol(N);
    auto Run = [&](long Fails) { // Returns the number of calls.
      Left = Fails;
      Failed = nullptr;
      Program(false);
      return Fails - Left.exchange(Never);
    };
    const long Calls = Run(Never), Step = std::max(1L, Calls / Most);
    EXPECT_GT(Calls, 20);
    for (long Call = 1; Call <= Calls; Call += Step) {
      Run(Call);
      SCOPED_TRACE(std::string(Failed ? Failed.load() : "none") + ", call " + std::to_string(Call) + " of " +
                   std::to_string(Calls));
      Program(true);
      if (HasFailure())
        return;
    }
  }

  // Commands of all kinds. IsRight: none fails. The program ignores all errors otherwise.
  void commands(bool IsRight);
  void builds(bool IsRight);

  static cl_int good(bool IsRight, cl_int Error, const char *What) {
    if (IsRight) {
      EXPECT_EQ(Error, CL_SUCCESS) << What;
    }
    return Error;
  }

  cl_program P = nullptr;
  static inline int Host[4096]; // A command that goes on after its failure was reported may still use it.
};

#define GOOD(CALL) good(IsRight, CALL, #CALL)

void EachCallTest::commands(bool IsRight) {
  cl_int Error = CL_SUCCESS;
  cl_kernel K = clCreateKernel(P, "add", &Error);
  GOOD(Error);
  cl_kernel Clone = clCloneKernel(K, &Error);
  std::vector<cl_command_queue> All;
  for (cl_device_id D : {Devices[0], Devices[1]})
    for (cl_queue_properties Bits : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE}) {
      All.push_back(clCreateCommandQueue(Context, D, Bits, &Error));
      GOOD(Error);
    }
  const cl_queue_properties Sched[] = {CL_QUEUE_SCHED_HSCHED, CL_QUEUE_SCHED_AUTO_DYNAMIC_HSCHED, 0};
  All.push_back(clCreateCommandQueueWithProperties(Context, Devices[0], Sched, &Error));
  GOOD(Error);
  cl_mem M = clCreateBuffer(Context, CL_MEM_READ_WRITE, 4096, nullptr, &Error), Second = nullptr, Image = nullptr;
  GOOD(Error);
  Second = clCreateBuffer(Context, CL_MEM_COPY_HOST_PTR, 4096, Host, &Error);
  cl_buffer_region Region{1024, 1024};
  cl_mem Sub = clCreateSubBuffer(M, 0, CL_BUFFER_CREATE_TYPE_REGION, &Region, &Error);
  cl_image_format Format{CL_RGBA, CL_SIGNED_INT32};
  cl_image_desc Shape{};
  Shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  Shape.image_width = Shape.image_height = 8;
  Image = clCreateImage(Context, CL_MEM_READ_WRITE, &Format, &Shape, nullptr, &Error);
  cl_sampler Sampler = clCreateSampler(Context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &Error);
  const size_t Zero[3] = {}, Block[3] = {16, 4, 1}, There[3] = {64, 8, 0}, Whole[3] = {8, 8, 1}, Items = 64;
  const int One = 1;
  for (cl_command_queue Q : All) {
    cl_event User = clCreateUserEvent(Context, &Error), E = nullptr, Last = nullptr;
    if (M) // A kernel may take no buffer, and then fault.
      GOOD(clSetKernelArg(K, 0, sizeof(M), &M));
    GOOD(clSetKernelArg(K, 1, sizeof(One), &One));
    GOOD(clEnqueueFillBuffer(Q, M, &One, sizeof(One), 0, 4096, 0, nullptr, &E));
    GOOD(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &Items, nullptr, E ? 1 : 0, E ? &E : nullptr, &Last));
    GOOD(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &Items, nullptr, Last ? 1 : 0, Last ? &Last : nullptr, nullptr));
    // Into a queue of another device: an edge between queues.
    GOOD(clEnqueueBarrierWithWaitList(Q, 0, nullptr, nullptr));
    GOOD(clEnqueueWriteBuffer(Q, Second, CL_FALSE, 0, 512, Host, User ? 1 : 0, User ? &User : nullptr, nullptr));
    GOOD(clEnqueueBarrierWithWaitList(Q, 0, nullptr, nullptr));
    GOOD(clEnqueueCopyBuffer(Q, Second, Sub, 0, 0, 256, 0, nullptr, nullptr));
    GOOD(clEnqueueWriteBufferRect(Q, M, CL_FALSE, Zero, Zero, Block, 64, 0, 64, 0, Host, 0, nullptr, nullptr));
    GOOD(clEnqueueBarrierWithWaitList(Q, 0, nullptr, nullptr));
    GOOD(clEnqueueCopyBufferRect(Q, M, M, Zero, There, Block, 128, 0, 128, 0, 0, nullptr, nullptr));
    GOOD(clEnqueueBarrierWithWaitList(Q, 0, nullptr, nullptr));
    GOOD(clEnqueueReadBufferRect(Q, M, CL_FALSE, Zero, Zero, Block, 64, 0, 64, 0, Host + 1024, 0, nullptr, nullptr));
    if (Image) {
      (void)clEnqueueWriteImage(Q, Image, CL_FALSE, Zero, Whole, 0, 0, Host, 0, nullptr, nullptr);
      (void)clEnqueueBarrierWithWaitList(Q, 0, nullptr, nullptr);
      (void)clEnqueueCopyImageToBuffer(Q, Image, Second, Zero, Whole, 1024, 0, nullptr, nullptr);
      (void)clEnqueueReadImage(Q, Image, CL_FALSE, Zero, Whole, 0, 0, Host + 2048, 0, nullptr, nullptr);
      (void)clEnqueueBarrierWithWaitList(Q, 0, nullptr, nullptr);
      (void)clEnqueueFillImage(Q, Image, Host, Zero, Whole, 0, nullptr, nullptr);
    }
    if (E)
      (void)clSetEventCallback(E, CL_COMPLETE, [](cl_event, cl_int, void *) {}, nullptr);
    (void)clFlush(Q);
    if (User)
      GOOD(clSetUserEventStatus(User, CL_COMPLETE));
    if (void *At = clEnqueueMapBuffer(Q, M, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 1024, 0, nullptr, nullptr, &Error))
      (void)clEnqueueUnmapMemObject(Q, M, At, 0, nullptr, nullptr);
    size_t Row = 0;
    if (void *At = Image ? clEnqueueMapImage(Q, Image, CL_TRUE, CL_MAP_WRITE, Zero, Whole, &Row, nullptr, 0, nullptr,
                                             nullptr, &Error)
                         : nullptr)
      (void)clEnqueueUnmapMemObject(Q, Image, At, 0, nullptr, nullptr);
    (void)clEnqueueMigrateMemObjects(Q, 1, &M, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr);
    GOOD(clEnqueueNDRangeKernel(Q, K, 1, nullptr, &Items, nullptr, 0, nullptr, nullptr));
    (void)clEnqueueReadBuffer(Q, M, CL_TRUE, 0, 4096, Host + 2048, 0, nullptr, nullptr);
    cl_ulong Time;
    if (Last)
      (void)clGetEventProfilingInfo(Last, CL_PROFILING_COMMAND_END, sizeof(Time), &Time, nullptr);
    GOOD(clFinish(Q));
    for (cl_event Any : {User, E, Last})
      if (Any)
        clReleaseEvent(Any);
  }
  if (IsRight) {
    EXPECT_EQ(read(All.front(), M, 1, 1023)[0], 1);
  }
  for (cl_mem Any : {Sub, Image, M, Second})
    if (Any)
      clReleaseMemObject(Any);
  for (cl_command_queue Q : All)
    if (Q) {
      (void)clFinish(Q);
      clReleaseCommandQueue(Q);
    }
  for (cl_kernel Any : {K, Clone})
    if (Any)
      clReleaseKernel(Any);
  if (Sampler)
    clReleaseSampler(Sampler);
}

void EachCallTest::builds(bool IsRight) {
  cl_int Error = CL_SUCCESS;
  const char *Source = AddSource;
  cl_context C = clCreateContext(nullptr, 2, Devices.data(), nullptr, nullptr, &Error);
  GOOD(Error);
  cl_program Built = clCreateProgramWithSource(C, 1, &Source, nullptr, &Error),
             Compiled = clCreateProgramWithSource(C, 1, &Source, nullptr, &Error), Linked = nullptr, Loaded = nullptr;
  GOOD(clBuildProgram(Built, 0, nullptr, "", nullptr, nullptr));
  GOOD(clCompileProgram(Compiled, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
  Linked = clLinkProgram(C, 0, nullptr, "", 1, &Compiled, nullptr, nullptr, &Error);
  GOOD(Error);
  size_t Sizes[2] = {};
  if (clGetProgramInfo(Built, CL_PROGRAM_BINARY_SIZES, sizeof(Sizes), Sizes, nullptr) == CL_SUCCESS && Sizes[0] &&
      Sizes[1]) {
    std::vector<unsigned char> First(Sizes[0]), Second(Sizes[1]);
    unsigned char *Data[] = {First.data(), Second.data()};
    (void)clGetProgramInfo(Built, CL_PROGRAM_BINARIES, sizeof(Data), Data, nullptr);
    Loaded = clCreateProgramWithBinary(C, 2, Devices.data(), Sizes, const_cast<const unsigned char **>(Data), nullptr,
                                       &Error);
    if (Loaded)
      (void)clBuildProgram(Loaded, 0, nullptr, "", nullptr, nullptr);
  }
  for (cl_program Any : {Built, Linked, Loaded}) {
    cl_kernel All[4] = {};
    cl_uint N = 0;
    if (Any && clCreateKernelsInProgram(Any, 4, All, &N) == CL_SUCCESS)
      for (cl_uint I = 0; I != N; ++I) {
        char Text[64];
        (void)clGetKernelArgInfo(All[I], 0, CL_KERNEL_ARG_NAME, sizeof(Text), Text, nullptr);
        clReleaseKernel(All[I]);
      }
  }
  for (cl_program Any : {Built, Compiled, Linked, Loaded})
    if (Any)
      clReleaseProgram(Any);
  if (C)
    clReleaseContext(C);
}

TEST_F(EachCallTest, OfCommands) {
  P = build(AddSource);
  each([&](bool IsRight) { commands(IsRight); }, Devices.size() == 2 ? 1 << 20 : 60);
  clReleaseProgram(P);
}

TEST_F(EachCallTest, OfBuilds) {
  each([&](bool IsRight) { builds(IsRight); }, 2);
}

} // namespace
} // namespace icdtest
