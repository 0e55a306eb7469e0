// What few vendors have: pipes, sub-groups, programs in an intermediate language. PoCL 3.1 has none of it, so the tests
// add functions to its table. Also what the platform answers for vendors without them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With HSCHED_TEST_OLD_VENDOR PoCL says that it is of OpenCL 2.0: then these functions are those of extensions.
#include "Hook.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

namespace icdtest {
namespace {

constexpr std::string_view IlMark = "IL: "; // The made-up language: this, then a source.

class OptionalTest : public Hooked {
protected:
  static bool isOld() { return std::getenv("HSCHED_TEST_OLD_VENDOR"); }
  static void SetUpTestSuite() { // Before the platform asks for the version.
    cl_icd_dispatch *Of = open();
    ASSERT_NE(Of, nullptr);
    Platforms = Of->clGetPlatformInfo;
    if (isOld())
      Of->clGetPlatformInfo = platformInfo;
  }
  void SetUp() override {
    Hooked::SetUp();
    Launches = 0;
    Constants.clear();
    Asked.reset();
  }
  // A device of PoCL's, and its queue.
  size_t pocl() const {
    for (size_t I = 0; I != Devices.size(); ++I)
      if (text(clGetDeviceInfo, Devices[I], CL_DEVICE_NAME).compare(0, 7, "pthread") == 0)
        return I;
    ADD_FAILURE() << "there is no device \"pthread\"";
    return 0;
  }

  void addPipes() {
    Table->clCreatePipe = createPipe;
    Table->clGetPipeInfo = pipeInfo;
    Table->clGetKernelArgInfo = argInfo;
    Table->clEnqueueNDRangeKernel = launch;
  }
  void addSubGroups() { (isOld() ? Table->clGetKernelSubGroupInfoKHR : Table->clGetKernelSubGroupInfo) = subGroupInfo; }
  void addIl() {
    Table->clGetDeviceInfo = deviceInfo;
    Table->clSetProgramSpecializationConstant = specialize;
    if (isOld())
      Table->clGetExtensionFunctionAddressForPlatform = address;
    else
      Table->clCreateProgramWithIL = createWithIl;
  }

  static inline std::atomic<int> Launches;
  static inline std::map<cl_uint, int> Constants; // By number.
  struct Question {
    std::string Kernel, Device;
    cl_kernel_sub_group_info What;
    std::vector<size_t> Input;
  };
  static inline std::optional<Question> Asked; // The last question for a sub-group.

private:
  static cl_int CL_API_CALL platformInfo(cl_platform_id P, cl_platform_info What, size_t Bytes, void *To,
                                         size_t *Needed) {
    return What == CL_PLATFORM_VERSION ? answer("OpenCL 2.0 PoCL", 16, Bytes, To, Needed)
                                       : Platforms(P, What, Bytes, To, Needed);
  }
  static cl_int answer(const void *Its, size_t ItsBytes, size_t Bytes, void *To, size_t *Needed) {
    if (Needed)
      *Needed = ItsBytes;
    if (To && Bytes < ItsBytes)
      return CL_INVALID_VALUE;
    if (To)
      std::memcpy(To, Its, ItsBytes);
    return CL_SUCCESS;
  }

  // A pipe is a buffer here, which kernels get as a pointer.
  static cl_mem CL_API_CALL createPipe(cl_context C, cl_mem_flags Flags, cl_uint Packet, cl_uint Most,
                                       const cl_pipe_properties *, cl_int *Error) {
    if (!Packet || !Most) {
      *Error = CL_INVALID_PIPE_SIZE;
      return nullptr;
    }
    cl_mem M = Real.clCreateBuffer(C, Flags, size_t(Packet) * Most, nullptr, Error);
    std::lock_guard Hold(Lock);
    Pipes[M] = {Packet, Most};
    return M;
  }
  static cl_int CL_API_CALL pipeInfo(cl_mem M, cl_pipe_info What, size_t Bytes, void *To, size_t *Needed) {
    std::lock_guard Hold(Lock);
    auto I = Pipes.find(M);
    if (I == Pipes.end())
      return CL_INVALID_MEM_OBJECT;
    if (What != CL_PIPE_PACKET_SIZE && What != CL_PIPE_MAX_PACKETS)
      return CL_INVALID_VALUE;
    return answer(What == CL_PIPE_PACKET_SIZE ? &I->second.first : &I->second.second, sizeof(cl_uint), Bytes, To,
                  Needed);
  }
  // Arguments that are called "fifo" are pipes.
  static cl_int CL_API_CALL argInfo(cl_kernel K, cl_uint I, cl_kernel_arg_info What, size_t Bytes, void *To,
                                    size_t *Needed) {
    char Name[64] = "";
    (void)Real.clGetKernelArgInfo(K, I, CL_KERNEL_ARG_NAME, sizeof(Name), Name, nullptr);
    if (What != CL_KERNEL_ARG_TYPE_QUALIFIER || std::string_view(Name) != "fifo")
      return Real.clGetKernelArgInfo(K, I, What, Bytes, To, Needed);
    const cl_kernel_arg_type_qualifier Its = CL_KERNEL_ARG_TYPE_PIPE;
    return answer(&Its, sizeof(Its), Bytes, To, Needed);
  }
  static cl_int CL_API_CALL launch(cl_command_queue Q, cl_kernel K, cl_uint Dimensions, const size_t *Offset,
                                   const size_t *Global, const size_t *Local, cl_uint Count, const cl_event *Waits,
                                   cl_event *Event) {
    ++Launches;
    return Real.clEnqueueNDRangeKernel(Q, K, Dimensions, Offset, Global, Local, Count, Waits, Event);
  }

  static cl_int CL_API_CALL subGroupInfo(cl_kernel K, cl_device_id D, cl_kernel_sub_group_info What, size_t InputBytes,
                                         const void *Input, size_t Bytes, void *To, size_t *Needed) {
    char Kernel[64] = "", Device[256] = "";
    (void)Real.clGetKernelInfo(K, CL_KERNEL_FUNCTION_NAME, sizeof(Kernel), Kernel, nullptr);
    (void)Real.clGetDeviceInfo(D, CL_DEVICE_NAME, sizeof(Device), Device, nullptr);
    const auto *Sizes = static_cast<const size_t *>(Input);
    Asked = {Kernel, Device, What, {Sizes, Sizes + InputBytes / sizeof(size_t)}};
    const size_t Answer[3] = {4, 5, 6};
    return answer(Answer, What == CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT ? sizeof(Answer) : sizeof(*Answer), Bytes,
                  To, Needed);
  }

  static cl_int CL_API_CALL deviceInfo(cl_device_id D, cl_device_info What, size_t Bytes, void *To, size_t *Needed) {
    return What == CL_DEVICE_IL_VERSION ? answer("SPIR-V_1.2", 11, Bytes, To, Needed)
                                        : Real.clGetDeviceInfo(D, What, Bytes, To, Needed);
  }
  static cl_program CL_API_CALL createWithIl(cl_context C, const void *Il, size_t Bytes, cl_int *Error) {
    std::string_view Its(static_cast<const char *>(Il), Bytes);
    if (!Its.starts_with(IlMark)) {
      *Error = CL_INVALID_VALUE;
      return nullptr;
    }
    Its.remove_prefix(IlMark.size());
    const char *Text = Its.data();
    const size_t Length = Its.size();
    return Real.clCreateProgramWithSource(C, 1, &Text, &Length, Error);
  }
  static cl_int CL_API_CALL specialize(cl_program, cl_uint Id, size_t Bytes, const void *Value) {
    if (Bytes != sizeof(int))
      return CL_INVALID_VALUE;
    std::memcpy(&Constants[Id], Value, Bytes);
    return CL_SUCCESS;
  }
  static void *CL_API_CALL address(cl_platform_id P, const char *Name) {
    return std::string_view(Name) == "clCreateProgramWithILKHR"
               ? reinterpret_cast<void *>(createWithIl)
               : Real.clGetExtensionFunctionAddressForPlatform(P, Name);
  }

  static inline std::mutex Lock;
  static inline std::map<cl_mem, std::pair<cl_uint, cl_uint>> Pipes;
  static inline decltype(cl_icd_dispatch::clGetPlatformInfo) Platforms = nullptr;
};

TEST_F(OptionalTest, Pipes) {
  addPipes();
  const size_t D = pocl();
  cl_int Error;
  cl_context C = clCreateContext(nullptr, 1, &Devices[D], nullptr, nullptr, &Error);
  ok(Error);
  constexpr cl_uint Packet = sizeof(int), Most = 64;
  cl_mem P = clCreatePipe(C, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, Packet, Most, nullptr, &Error);
  ok(Error);
  cl_mem Out = clCreateBuffer(C, CL_MEM_READ_WRITE, Packet * Most, nullptr, &Error);
  ok(Error);
  EXPECT_EQ(info<cl_uint>(clGetPipeInfo, P, cl_pipe_info(CL_PIPE_PACKET_SIZE)), Packet);
  EXPECT_EQ(info<cl_uint>(clGetPipeInfo, P, cl_pipe_info(CL_PIPE_MAX_PACKETS)), Most);
  EXPECT_EQ(info<cl_mem_object_type>(clGetMemObjectInfo, P, cl_mem_info(CL_MEM_TYPE)),
            cl_mem_object_type(CL_MEM_OBJECT_PIPE));
  EXPECT_EQ(info<cl_context>(clGetMemObjectInfo, P, cl_mem_info(CL_MEM_CONTEXT)), C);
  // Misuse: what is no pipe, an unknown question, too little room, properties, and sizes that the vendor refuses.
  cl_uint Value;
  EXPECT_EQ(clGetPipeInfo(Out, CL_PIPE_PACKET_SIZE, sizeof(Value), &Value, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clGetPipeInfo(P, CL_MEM_SIZE, sizeof(Value), &Value, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetPipeInfo(P, CL_PIPE_PACKET_SIZE, 1, &Value, nullptr), CL_INVALID_VALUE);
  const cl_pipe_properties Properties[] = {0};
  EXPECT_EQ(clCreatePipe(C, 0, Packet, Most, Properties, &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_VALUE);
  EXPECT_EQ(clCreatePipe(C, 0, 0, Most, nullptr, &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_PIPE_SIZE);

  // A kernel that reads a pipe comes after one that writes it, in a queue whose kernels may run side by side.
  const char *Source = "kernel void put(global int *fifo) { fifo[get_global_id(0)] = 7; }\n"
                       "kernel void take(global int *fifo, global int *out) {\n"
                       "  out[get_global_id(0)] = fifo[get_global_id(0)]; }\n";
  cl_program Program = clCreateProgramWithSource(C, 1, &Source, nullptr, &Error);
  ok(clBuildProgram(Program, 0, nullptr, "-cl-kernel-arg-info", nullptr, nullptr));
  cl_kernel Put = clCreateKernel(Program, "put", &Error), Take = clCreateKernel(Program, "take", &Error);
  EXPECT_EQ(clSetKernelArg(Put, 0, sizeof(Out), &Out), CL_INVALID_ARG_VALUE); // A buffer.
  EXPECT_EQ(clSetKernelArg(Take, 1, sizeof(P), &P), CL_INVALID_ARG_VALUE);    // A pipe.
  arg(Put, 0, P);
  arg(Take, 0, P);
  arg(Take, 1, Out);
  cl_command_queue Q = clCreateCommandQueue(C, Devices[D], 0, &Error);
  cl_event User = clCreateUserEvent(C, &Error);
  run(Q, Put, Most, {User});
  run(Q, Take, Most);
  ok(clFlush(Q));
  EXPECT_EQ(Launches, 0);
  ok(clSetUserEventStatus(User, CL_COMPLETE));
  EXPECT_EQ(read(Q, Out, Most), std::vector<int>(Most, 7));
  clReleaseEvent(User);
  clReleaseKernel(Put);
  clReleaseKernel(Take);
  clReleaseProgram(Program);
  clReleaseMemObject(P);
  clReleaseMemObject(Out);
  clReleaseCommandQueue(Q);
  clReleaseContext(C);
}

// Pipes are in the memory of one vendor.
TEST_F(OptionalTest, NoPipesInAContextOfSeveralVendors) {
  addPipes();
  cl_int Error = 1;
  cl_mem P = clCreatePipe(Context, CL_MEM_READ_WRITE, 4, 64, nullptr, &Error);
  if (!std::getenv("HSCHED_TEST_VENDORS")) // PoCL alone.
    return ok(clReleaseMemObject(P));
  EXPECT_EQ(P, nullptr);
  EXPECT_EQ(Error, CL_INVALID_OPERATION);
}

// Each device by itself, and all together.
TEST_F(OptionalTest, VendorsWithoutPipes) {
  std::vector<std::vector<cl_device_id>> Contexts{Devices};
  for (cl_device_id D : Devices)
    Contexts.push_back({D});
  for (const auto &Its : Contexts) {
    const auto Has = [](cl_device_id D) {
      cl_bool Pipes = CL_FALSE;
      (void)clGetDeviceInfo(D, CL_DEVICE_PIPE_SUPPORT, sizeof(Pipes), &Pipes, nullptr);
      return Pipes != CL_FALSE;
    };
    if (std::any_of(Its.begin(), Its.end(), Has))
      continue;
    cl_int Error = CL_SUCCESS;
    cl_context C = clCreateContext(nullptr, static_cast<cl_uint>(Its.size()), Its.data(), nullptr, nullptr, &Error);
    ok(Error);
    EXPECT_EQ(clCreatePipe(C, CL_MEM_READ_WRITE, 4, 64, nullptr, &Error), nullptr);
    EXPECT_EQ(Error, CL_INVALID_OPERATION);
    clReleaseContext(C);
  }
}

TEST_F(OptionalTest, SubGroups) {
  addSubGroups();
  const size_t Local[2] = {8, 4}, Wanted = 3;
  size_t Value[3] = {};
  cl_kernel K = kernel(AddSource, "add");
  const cl_device_id D = Devices[pocl()];
  ok(clGetKernelSubGroupInfo(K, D, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(Local), Local, sizeof(*Value),
                             Value, nullptr));
  EXPECT_EQ(Value[0], 4u);
  ASSERT_TRUE(Asked);
  EXPECT_EQ(Asked->Kernel, "add");
  EXPECT_EQ(Asked->Device, text(clGetDeviceInfo, D, CL_DEVICE_NAME));
  EXPECT_EQ(Asked->What, cl_kernel_sub_group_info(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE));
  EXPECT_EQ(Asked->Input, (std::vector<size_t>{8, 4}));
  // By the function of the extension, with an answer of several numbers.
  auto Khr =
      reinterpret_cast<clGetKernelSubGroupInfoKHR_fn>(clGetExtensionFunctionAddressForPlatform(Id, "clGetKernelSubGroup"
                                                                                                   "InfoKHR"));
  ASSERT_NE(Khr, nullptr);
  size_t Bytes = 0;
  ok(Khr(K, D, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(Wanted), &Wanted, sizeof(Value), Value, &Bytes));
  EXPECT_EQ(Bytes, sizeof(Value));
  EXPECT_EQ(Value[2], 6u);
  EXPECT_EQ(Asked->Input, std::vector<size_t>{3});
  // The vendor's error, and a device that has to be named.
  EXPECT_EQ(clGetKernelSubGroupInfo(K, D, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, 1, Value, nullptr),
            CL_INVALID_VALUE);
  EXPECT_EQ(clGetKernelSubGroupInfo(K, nullptr, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, 0, nullptr, nullptr),
            CL_INVALID_DEVICE);
  clReleaseKernel(K);
}

TEST_F(OptionalTest, VendorsWithoutSubGroups) {
  cl_kernel K = kernel(AddSource, "add");
  for (cl_device_id D : Devices) {
    cl_uint Most = 0;
    (void)clGetDeviceInfo(D, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof(Most), &Most, nullptr);
    if (Most)
      continue;
    const size_t Local = 8;
    size_t Value = 0;
    EXPECT_EQ(clGetKernelSubGroupInfo(K, D, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(Local), &Local,
                                      sizeof(Value), &Value, nullptr),
              CL_INVALID_OPERATION)
        << text(clGetDeviceInfo, D, CL_DEVICE_NAME);
  }
  clReleaseKernel(K);
}

// The context may have further vendors, which do not take the language.
TEST_F(OptionalTest, IntermediateLanguage) {
  addIl();
  const std::string Il = std::string(IlMark) + AddSource;
  auto Khr = reinterpret_cast<decltype(&clCreateProgramWithIL)>(
      clGetExtensionFunctionAddressForPlatform(Id, "clCreateProgramWithILKHR"));
  ASSERT_NE(Khr, nullptr);
  for (auto Make : {&clCreateProgramWithIL, Khr}) {
    cl_int Error;
    cl_program P = Make(Context, Il.data(), Il.size(), &Error);
    ok(Error);
    size_t Bytes = 0;
    ok(clGetProgramInfo(P, CL_PROGRAM_IL, 0, nullptr, &Bytes));
    std::string Kept(Bytes, '\0');
    ok(clGetProgramInfo(P, CL_PROGRAM_IL, Bytes, Kept.data(), nullptr));
    EXPECT_EQ(Kept, Il);
    EXPECT_EQ(text(clGetProgramInfo, P, CL_PROGRAM_SOURCE), "");
    const int Five = 5;
    if (isOld()) {
      EXPECT_EQ(clSetProgramSpecializationConstant(P, 3, sizeof(Five), &Five), CL_INVALID_OPERATION);
    } else {
      ok(clSetProgramSpecializationConstant(P, 3, sizeof(Five), &Five));
      EXPECT_EQ(Constants[3], 5);
      EXPECT_EQ(clSetProgramSpecializationConstant(P, 3, 1, &Five), CL_INVALID_VALUE); // The vendor's error.
    }
    const auto Named = [](cl_device_id D, const char *Name) {
      return text(clGetDeviceInfo, D, CL_DEVICE_NAME).compare(0, std::strlen(Name), Name) == 0;
    };
    std::vector<cl_device_id> For;
    for (cl_device_id D : Devices)
      if (Named(D, "pthread") || Named(D, "basic"))
        For.push_back(D);
    std::vector<cl_device_id> Its(info<cl_uint>(clGetProgramInfo, P, cl_program_info(CL_PROGRAM_NUM_DEVICES)));
    ok(clGetProgramInfo(P, CL_PROGRAM_DEVICES, Its.size() * sizeof(*Its.data()), Its.data(), nullptr));
    EXPECT_EQ(Its, For);
    ok(clBuildProgram(P, 0, nullptr, "", nullptr, nullptr));
    cl_kernel K = clCreateKernel(P, "add", &Error);
    ok(Error);
    cl_mem M = ints({1, 2});
    arg(K, 0, M);
    arg(K, 1, 10);
    run(Queues[pocl()], K, 2);
    EXPECT_EQ(read(Queues[pocl()], M, 2), (std::vector<int>{11, 12}));
    const size_t One = 1;
    for (size_t I = 0; I != Devices.size(); ++I)
      if (std::find(For.begin(), For.end(), Devices[I]) == For.end()) {
        EXPECT_EQ(clBuildProgram(P, 1, &Devices[I], "", nullptr, nullptr), CL_INVALID_DEVICE);
        EXPECT_EQ(clEnqueueNDRangeKernel(Queues[I], K, 1, nullptr, &One, nullptr, 0, nullptr, nullptr),
                  CL_INVALID_PROGRAM_EXECUTABLE);
      }
    clReleaseKernel(K);
    clReleaseProgram(P);
  }
  // No program, and one that the vendor refuses.
  cl_int Error;
  EXPECT_EQ(clCreateProgramWithIL(Context, nullptr, 4, &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithIL(Context, "word", 4, &Error), nullptr);
  EXPECT_EQ(Error, CL_INVALID_VALUE);
  // A program from a source has no constants.
  cl_program P = build(AddSource);
  const int Five = 5;
  EXPECT_EQ(clSetProgramSpecializationConstant(P, 3, sizeof(Five), &Five), CL_INVALID_PROGRAM);
  clReleaseProgram(P);
}

} // namespace
} // namespace icdtest
