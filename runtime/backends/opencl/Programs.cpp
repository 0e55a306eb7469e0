// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Programs.h"

#include "backends/opencl/Errors.h"
#include "base/Log.h"

#include <new>
#include <optional>
#include <unistd.h>
#include <vector>

namespace hsched::rt::opencl {

std::string trimLog(const std::string &Log, size_t Bytes) {
  static const char Blank[] = " \t\r\n";
  std::string Text(Log.c_str()); // Drivers include one or more NULs.
  size_t Begin = Text.find_first_not_of(Blank);
  if (Begin == std::string::npos)
    return "(the driver gave no build log)";
  size_t LineBegin = Text.find_last_of('\n', Begin); // The first line keeps its indentation.
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
  if (!P->BuildAttempted) {
    P->Result = build(Desc, *P);
    // Exhausted memory may be temporary; a wrong source is not.
    P->BuildAttempted = P->Result.ok() || P->Result.code() == errc::build_failed;
  }
  if (!P->Result.ok())
    return P->Result;
  bool Offsets = Desc.flags & HSCHED_KERNEL_OFFSETS;
  std::shared_ptr<ClKernel> &K = P->Kernels[std::string(Desc.entry) + (Offsets ? " + " : " ") + Desc.name];
  if (!K) {
    status S = create(Desc, *P, K);
    if (!S.ok() && P->FromDisk) { // The driver may refuse a binary that it once made.
      log(LogLevel::Debug, "%s from the cache on disk cannot be used: %s", Desc.file, S.message().c_str());
      if (P->Result = compile(Desc, *P); !P->Result.ok())
        return P->Result;
      keepBinary(diskKey(Desc), *P); // Otherwise every process would get here.
      S = create(Desc, *P, K);
    }
    if (!S.ok())
      return S;
  }
  Out = K;
  return {};
} catch (...) {
  return caughtException();
}

void ProgramCache::preload(const hsched_kernel_desc &Desc) try {
  const std::string Key = diskKey(Desc);
  if (KernelRef Unused; !Key.empty() && access(Disk.pathOf(Key).c_str(), R_OK) == 0)
    (void)kernel(Desc, Unused);
} catch (const std::bad_alloc &) { // As if it had not been called.
}

bool mayInclude(std::string_view Source, std::string_view Options) {
  if (Options.find("-include") != std::string_view::npos)
    return true;
  // Any line with both '#', in any spelling, and the word "include"; a backslash continues a
  // line.
  for (size_t At = 0; (At = Source.find("include", At)) != std::string_view::npos; ++At) {
    size_t Begin = At;
    while (Begin > 0 && (Source[Begin - 1] != '\n' || (Begin > 1 && Source[Begin - 2] == '\\') ||
                         (Begin > 2 && Source[Begin - 2] == '\r' && Source[Begin - 3] == '\\')))
      --Begin;
    std::string_view Before = Source.substr(Begin, At - Begin);
    for (std::string_view Sign : {"#", "%:",
                                  "?" // Split, because a trigraph gives a warning.
                                  "?="})
      if (Before.find(Sign) != std::string_view::npos)
        return true;
  }
  return false;
}

BinaryOrigin originOf(const cl::Device &Device) {
  auto Text = [&](cl_device_info What) {
    std::string Value;
    Device.getInfo(What, &Value);
    return Value;
  };
  BinaryOrigin From;
  cl_platform_id Id = nullptr;
  if (Device.getInfo(CL_DEVICE_PLATFORM, &Id) == CL_SUCCESS && Id) {
    cl::Platform(Id).getInfo(CL_PLATFORM_NAME, &From.Platform);
    cl::Platform(Id).getInfo(CL_PLATFORM_VERSION, &From.PlatformVersion);
  }
  From.Vendor = Text(CL_DEVICE_VENDOR);
  From.Name = Text(CL_DEVICE_NAME);
  From.Version = Text(CL_DEVICE_VERSION);
  From.Driver = Text(CL_DRIVER_VERSION);
  From.Extensions = Text(CL_DEVICE_EXTENSIONS);
  return From;
}

std::string binaryKey(const BinaryOrigin &From, std::string_view Options, std::string_view Source) {
  return cacheKey({"opencl program", From.Platform, From.PlatformVersion, From.Vendor, From.Name, From.Version,
                   From.Driver, From.Extensions, Options, Source});
}

std::string ProgramCache::diskKey(const hsched_kernel_desc &Desc) const {
  std::string_view Source(Desc.source, Desc.source_bytes), Options(Desc.options ? Desc.options : "");
  if (!Disk.on() || mayInclude(Source, Options))
    return {};
  return binaryKey(originOf(Device), Options, Source);
}

status ProgramCache::build(const hsched_kernel_desc &Desc, Program &P) {
  std::string Key = diskKey(Desc);
  if (!Key.empty() && loadBinary(Desc, Key, P)) {
    log(LogLevel::Debug, "%s for %s is in the disk's cache", Desc.file, DeviceName.c_str());
    P.FromDisk = true;
    return {};
  }
  status S = compile(Desc, P);
  if (S.ok() && !Key.empty())
    keepBinary(Key, P);
  return S;
}

bool ProgramCache::loadBinary(const hsched_kernel_desc &Desc, const std::string &Key, Program &P) {
  std::optional<std::string> Binary = Disk.load(Key);
  if (!Binary || Binary->empty())
    return false;
  cl_int Code = CL_SUCCESS;
  std::vector<cl_int> Each;
  cl::Program Native(Context, {Device}, {std::vector<unsigned char>(Binary->begin(), Binary->end())}, &Each, &Code);
  if (Code == CL_SUCCESS)
    Code = Native.build({Device}, Desc.options ? Desc.options : "");
  if (Code != CL_SUCCESS) {
    log(LogLevel::Debug, "%s from the disk's cache is refused: %s", Desc.file, describeError(Code).c_str());
    return false;
  }
  P.Native = std::move(Native);
  return true;
}

void ProgramCache::keepBinary(const std::string &Key, const Program &P) {
  // A program belongs to all devices of its context; only this one's binary is queried. PoCL names the whole device for
  // a program of a part.
  std::vector<cl::Device> Devices;
  std::vector<size_t> Sizes;
  if (P.Native.getInfo(CL_PROGRAM_DEVICES, &Devices) != CL_SUCCESS ||
      P.Native.getInfo(CL_PROGRAM_BINARY_SIZES, &Sizes) != CL_SUCCESS || Sizes.size() != Devices.size())
    return;
  std::vector<unsigned char *> Places(Devices.size());
  std::string Binary;
  for (size_t I = 0; I < Devices.size(); ++I)
    if (Devices.size() == 1 || Devices[I]() == Device()) {
      Binary.resize(Sizes[I]);
      Places[I] = reinterpret_cast<unsigned char *>(Binary.data());
    }
  if (!Binary.empty() && clGetProgramInfo(P.Native(), CL_PROGRAM_BINARIES, Places.size() * sizeof(Places[0]),
                                          Places.data(), nullptr) == CL_SUCCESS)
    Disk.store(Key, Binary);
}

status ProgramCache::compile(const hsched_kernel_desc &Desc, Program &P) {
  P.FromDisk = false;
  Compiled.fetch_add(1, std::memory_order_relaxed);
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
  status Why = clError(errc::build_failed, Code,
                       std::string(Desc.file) + " (kernel '" + Desc.name + "') does not build on " + DeviceName);
  return status::error(Why.code(), Why.message() + "\n" + trimLog(Log), Code);
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
  std::string Subject = "kernel '" + std::string(Desc.name) + "' on " + DeviceName;
  if (Code != CL_SUCCESS)
    return clError(errc::build_failed, Code, Subject);
  K->Name = Desc.name;
  K->TakesOffsets = Desc.flags & HSCHED_KERNEL_OFFSETS;
  cl_uint Args = 0;
  if (Code = K->Native.getInfo(CL_KERNEL_NUM_ARGS, &Args); Code != CL_SUCCESS)
    return clError(errc::build_failed, Code, Subject);
  K->Args = Args;
  // Limits only improve messages: if one is unknown, the driver checks.
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
