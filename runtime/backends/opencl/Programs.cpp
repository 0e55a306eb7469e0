// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Programs.h"

#include "backends/opencl/Errors.h"
#include "base/Log.h"

namespace hsched::rt::opencl {

std::string trimLog(const std::string &Log, size_t Bytes) {
  static const char Blank[] = " \t\r\n";
  std::string Text(Log.c_str()); // drivers count one or more NULs in
  size_t Begin = Text.find_first_not_of(Blank);
  if (Begin == std::string::npos)
    return "(the driver gave no build log)";
  size_t LineBegin = Text.find_last_of('\n', Begin); // the first line keeps its indentation
  Text = Text.substr(LineBegin == std::string::npos ? 0 : LineBegin + 1);
  Text.erase(Text.find_last_not_of(Blank) + 1);
  if (Text.size() <= Bytes)
    return Text;
  size_t Cut = Text.rfind('\n', Bytes);
  return Text.substr(0, Cut == std::string::npos || Cut == 0 ? Bytes : Cut) + "\n...";
}

status ProgramCache::kernel(const hsched_kernel_desc &Desc, KernelRef &Out) try {
  Less::View Key(Desc.options ? Desc.options : "", std::string_view(Desc.source, Desc.source_bytes));
  std::shared_ptr<Program> P;
  {
    std::lock_guard Guard(Lock);
    auto Known = Programs.find(Key);
    if (Known == Programs.end())
      Known = Programs.emplace(Key, std::make_shared<Program>()).first;
    P = Known->second;
  }
  std::lock_guard Guard(P->Lock);
  if (!P->Tried) {
    P->Result = build(Desc, *P);
    // Memory may be there the next time; a source stays wrong.
    P->Tried = P->Result.ok() || P->Result.code() == errc::build_failed;
  }
  if (!P->Result.ok())
    return P->Result;
  bool Offsets = Desc.flags & HSCHED_KERNEL_OFFSETS;
  std::shared_ptr<ClKernel> &K = P->Kernels[std::string(Desc.entry) + (Offsets ? " + " : " ") + Desc.name];
  if (!K)
    if (status S = create(Desc, *P, K); !S.ok())
      return S;
  Out = K;
  return {};
} catch (...) {
  return caughtException();
}

status ProgramCache::build(const hsched_kernel_desc &Desc, Program &P) {
  cl_int Code = CL_SUCCESS;
  P.Native = cl::Program(Context, std::string(Desc.source, Desc.source_bytes), false, &Code);
  if (Code != CL_SUCCESS)
    return clError(errc::build_failed, Code, std::string(Desc.file) + ": no program can be made on " + DeviceName);
  log(LogLevel::Debug, "building %s for %s", Desc.file, DeviceName.c_str());
  Code = P.Native.build({Device}, Desc.options ? Desc.options : "");
  if (Code == CL_SUCCESS)
    return {};
  std::string Log;
  P.Native.getBuildInfo(Device, CL_PROGRAM_BUILD_LOG, &Log);
  std::string Message = std::string(Desc.file) + " (kernel '" + Desc.name + "') does not build on " + DeviceName +
                        ": " + describeError(Code) + "\n" + trimLog(Log);
  return status::error(Code == CL_OUT_OF_HOST_MEMORY ? errc::out_of_memory : errc::build_failed, Message, Code);
}

status ProgramCache::create(const hsched_kernel_desc &Desc, Program &P, std::shared_ptr<ClKernel> &Out) {
  auto K = std::make_shared<ClKernel>();
  cl_int Code = CL_SUCCESS;
  K->Native = cl::Kernel(P.Native, Desc.entry, &Code);
  if (Code == CL_INVALID_KERNEL_NAME) {
    std::string Names;
    P.Native.getInfo(CL_PROGRAM_KERNEL_NAMES, &Names);
    return status::error(errc::build_failed,
                         std::string(Desc.file) + " has no kernel '" + Desc.entry + "' on " + DeviceName +
                             "; it has: " + (Names.empty() ? "none" : Names.c_str()),
                         Code);
  }
  std::string Whose = "kernel '" + std::string(Desc.name) + "' on " + DeviceName;
  if (Code != CL_SUCCESS)
    return clError(errc::build_failed, Code, Whose);
  K->Name = Desc.name;
  K->TakesOffsets = Desc.flags & HSCHED_KERNEL_OFFSETS;
  cl_uint Args = 0;
  if (Code = K->Native.getInfo(CL_KERNEL_NUM_ARGS, &Args); Code != CL_SUCCESS)
    return clError(errc::build_failed, Code, Whose);
  K->Args = Args;
  // Limits are for better messages: where one is unknown, the driver checks alone.
  cl_ulong LocalBytes = 0;
  K->Native.getWorkGroupInfo(Device, CL_KERNEL_WORK_GROUP_SIZE, &K->MaxGroup);
  if (K->Native.getWorkGroupInfo(Device, CL_KERNEL_LOCAL_MEM_SIZE, &LocalBytes) == CL_SUCCESS)
    K->LocalBytes = LocalBytes;
  size_t Required[3] = {};
  if (clGetKernelWorkGroupInfo(K->Native(), Device(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(Required), Required,
                               nullptr) == CL_SUCCESS)
    K->RequiredLocal = {Required[0], Required[1], Required[2]};
  Out = std::move(K);
  return {};
}

} // namespace hsched::rt::opencl
