// Platforms, devices and contexts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Api.h"
#include "icd/CacheGroups.h"

#include <algorithm>

namespace hsched::icd {

std::vector<Ref<Device>> deviceList(cl_uint N, const cl_device_id *List) {
  require(N && List, CL_INVALID_VALUE);
  std::vector<Ref<Device>> All;
  for (cl_uint I = 0; I != N; ++I)
    All.emplace_back(&need<Device>(List[I], CL_INVALID_DEVICE));
  return All;
}

namespace {

cl_int CL_API_CALL getPlatformInfo(cl_platform_id P, cl_platform_info What, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] {
    Platform &Its = P ? need<Platform>(P, CL_INVALID_PLATFORM) : Platform::get();
    Its.info(What, {Bytes, To, Needed});
  });
}

std::vector<Device *> devicesOf(cl_device_type Type) {
  const auto &All = Platform::get().devices();
  constexpr cl_device_type Known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                   CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
  require(Type == CL_DEVICE_TYPE_ALL || (Type && !(Type & ~Known)), CL_INVALID_DEVICE_TYPE);
  std::vector<Device *> Found;
  if (Type == CL_DEVICE_TYPE_DEFAULT) { // A GPU if one exists.
    auto Gpu = std::find_if(All.begin(), All.end(), [](Device *D) { return D->Type & CL_DEVICE_TYPE_GPU; });
    if (!All.empty())
      Found.push_back(Gpu == All.end() ? All.front() : *Gpu);
  } else {
    std::copy_if(All.begin(), All.end(), std::back_inserter(Found), [&](Device *D) {
      return Type == CL_DEVICE_TYPE_ALL ? !(D->Type & CL_DEVICE_TYPE_CUSTOM) : (D->Type & Type) != 0;
    });
  }
  require(!Found.empty(), CL_DEVICE_NOT_FOUND);
  return Found;
}

cl_int CL_API_CALL getDeviceIds(cl_platform_id P, cl_device_type Type, cl_uint N, cl_device_id *To, cl_uint *Found) {
  return guarded([&] {
    if (P)
      (void)need<Platform>(P, CL_INVALID_PLATFORM);
    require(!(To && !N) && (To || Found), CL_INVALID_VALUE);
    auto All = devicesOf(Type);
    if (Found)
      *Found = static_cast<cl_uint>(All.size());
    for (size_t I = 0; To && I != std::min<size_t>(N, All.size()); ++I)
      To[I] = All[I]->handle<cl_device_id>();
  });
}

cl_int CL_API_CALL getDeviceInfo(cl_device_id D, cl_device_info What, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] { need<Device>(D, CL_INVALID_DEVICE).info(What, {Bytes, To, Needed}); });
}

// Root devices are not reference-counted.
cl_int CL_API_CALL retainDevice(cl_device_id D) {
  return guarded([&] {
    Device &Its = need<Device>(D, CL_INVALID_DEVICE);
    if (Its.Parent)
      Its.retainUser();
  });
}
cl_int CL_API_CALL releaseDevice(cl_device_id D) {
  return guarded([&] {
    Device &Its = need<Device>(D, CL_INVALID_DEVICE);
    if (Its.Parent)
      Its.releaseUser();
  });
}

// One domain that OpenCL names.
bool isDomain(cl_device_affinity_domain D) {
  return D == CL_DEVICE_AFFINITY_DOMAIN_NUMA || D == CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE ||
         D == CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE || D == CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE ||
         D == CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE || D == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
}

cl_int CL_API_CALL createSubDevices(cl_device_id D, const cl_device_partition_property *Properties, cl_uint N,
                                    cl_device_id *To, cl_uint *Found) {
  return guarded([&] {
    Device &Its = need<Device>(D, CL_INVALID_DEVICE);
    require(Properties, CL_INVALID_VALUE);
    require(!Its.isAuto(), CL_DEVICE_PARTITION_FAILED);
    require(Its.cl().clCreateSubDevices, CL_INVALID_VALUE); // Mesa 22 has no such function.
    std::vector<cl_device_partition_property> Type, Counts;
    if (Properties[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
      if (const auto Domains = cacheDomains(Its); !Domains.empty()) {
        const auto Asked = static_cast<cl_device_affinity_domain>(Properties[1]);
        const auto Level = std::find_if(Domains.begin(), Domains.end(), [&](const CacheDomain &Each) {
          return Each.Domain == Asked || Asked == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
        });
        require(Level != Domains.end() && !Properties[2],
                isDomain(Asked) ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_VALUE);
        Type = {Properties[0], static_cast<cl_device_partition_property>(Level->Domain), 0};
        Counts = {CL_DEVICE_PARTITION_BY_COUNTS};
        Counts.insert(Counts.end(), Level->Groups.begin(), Level->Groups.end());
        Counts.insert(Counts.end(), {CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
        Properties = Counts.data();
      }
    cl_uint Count = 0;
    check(Its.cl().clCreateSubDevices(Its.Id, Properties, 0, nullptr, &Count));
    require(!To || N >= Count, CL_INVALID_VALUE);
    if (Found)
      *Found = Count;
    if (!To)
      return;
    std::vector<cl_device_id> Ids(Count);
    check(Its.cl().clCreateSubDevices(Its.Id, Properties, Count, Ids.data(), nullptr));
    for (cl_uint I = 0; I != Count; ++I) {
      auto *Made = new Device(Its.Of, Ids[I], &Its);
      Made->PartitionType = Type;
      To[I] = Made->handle<cl_device_id>();
    }
  });
}

cl_int CL_API_CALL createSubDevicesExt(cl_device_id, const cl_device_partition_property_ext *, cl_uint, cl_device_id *,
                                       cl_uint *) {
  return CL_INVALID_OPERATION;
}

cl_int CL_API_CALL getDeviceAndHostTimer(cl_device_id D, cl_ulong *DeviceTime, cl_ulong *HostTime) {
  return guarded([&] {
    (void)need<Device>(D, CL_INVALID_DEVICE);
    require(DeviceTime && HostTime, CL_INVALID_VALUE);
    *DeviceTime = *HostTime = hostTime(); // Profiling shows times of the host's clock.
  });
}
cl_int CL_API_CALL getHostTimer(cl_device_id D, cl_ulong *HostTime) {
  return guarded([&] {
    (void)need<Device>(D, CL_INVALID_DEVICE);
    require(HostTime, CL_INVALID_VALUE);
    *HostTime = hostTime();
  });
}

cl_int CL_API_CALL setDefaultDeviceCommandQueue(cl_context C, cl_device_id D, cl_command_queue) {
  return guarded([&] {
    (void)need<Context>(C, CL_INVALID_CONTEXT);
    (void)need<Device>(D, CL_INVALID_DEVICE);
    throw Failure{CL_INVALID_OPERATION};
  });
}

cl_context CL_API_CALL createContext(const cl_context_properties *Properties, cl_uint N, const cl_device_id *List,
                                     Context::Notify Notified, void *UserData, cl_int *Error) {
  return guardedMake<cl_context>(Error, [&] {
    require(Notified || !UserData, CL_INVALID_VALUE);
    std::vector<Device *> Devices;
    for (const auto &D : deviceList(N, List))
      Devices.push_back(D.get());
    return (new Context(Properties, Devices, Notified, UserData))->handle<cl_context>();
  });
}

cl_context CL_API_CALL createContextFromType(const cl_context_properties *Properties, cl_device_type Type,
                                             Context::Notify Notified, void *UserData, cl_int *Error) {
  return guardedMake<cl_context>(Error, [&] {
    require(Notified || !UserData, CL_INVALID_VALUE);
    auto All = devicesOf(Type);
    if (All.size() > 1) // Scheduled queues must be requested by name.
      std::erase_if(All, [](Device *D) { return D->isAuto(); });
    return (new Context(Properties, All, Notified, UserData))->handle<cl_context>();
  });
}

cl_int CL_API_CALL retainContext(cl_context C) {
  return guarded([&] { need<Context>(C, CL_INVALID_CONTEXT).retainUser(); });
}
cl_int CL_API_CALL releaseContext(cl_context C) {
  return guarded([&] { need<Context>(C, CL_INVALID_CONTEXT).releaseUser(); });
}
cl_int CL_API_CALL getContextInfo(cl_context C, cl_context_info What, size_t Bytes, void *To, size_t *Needed) {
  return guarded([&] { need<Context>(C, CL_INVALID_CONTEXT).info(What, {Bytes, To, Needed}); });
}
cl_int CL_API_CALL setContextDestructorCallback(cl_context C, void(CL_CALLBACK *Notified)(cl_context, void *),
                                                void *UserData) {
  return guarded([&] {
    Context &Its = need<Context>(C, CL_INVALID_CONTEXT);
    require(Notified, CL_INVALID_VALUE);
    Its.onDestruction([=] { Notified(C, UserData); });
  });
}

cl_int CL_API_CALL unloadCompiler() { return CL_SUCCESS; }
cl_int CL_API_CALL unloadPlatformCompiler(cl_platform_id P) {
  return guarded([&] { (void)need<Platform>(P, CL_INVALID_PLATFORM); });
}
void *CL_API_CALL getExtensionFunctionAddress(const char *Name) { return functionNamed(Name); }
void *CL_API_CALL getExtensionFunctionAddressForPlatform(cl_platform_id P, const char *Name) {
  return find<Platform>(P) ? functionNamed(Name) : nullptr;
}

} // namespace

void addPlatform(cl_icd_dispatch &T) {
  T.clGetPlatformInfo = getPlatformInfo;
  T.clGetDeviceIDs = getDeviceIds;
  T.clGetDeviceInfo = getDeviceInfo;
  T.clRetainDevice = retainDevice;
  T.clReleaseDevice = releaseDevice;
  T.clCreateSubDevices = createSubDevices;
  T.clCreateSubDevicesEXT = createSubDevicesExt;
  T.clRetainDeviceEXT = retainDevice;
  T.clReleaseDeviceEXT = releaseDevice;
  T.clGetDeviceAndHostTimer = getDeviceAndHostTimer;
  T.clGetHostTimer = getHostTimer;
  T.clSetDefaultDeviceCommandQueue = setDefaultDeviceCommandQueue;
  T.clCreateContext = createContext;
  T.clCreateContextFromType = createContextFromType;
  T.clRetainContext = retainContext;
  T.clReleaseContext = releaseContext;
  T.clGetContextInfo = getContextInfo;
  T.clSetContextDestructorCallback = setContextDestructorCallback;
  T.clUnloadCompiler = unloadCompiler;
  T.clUnloadPlatformCompiler = unloadPlatformCompiler;
  T.clGetExtensionFunctionAddress = getExtensionFunctionAddress;
  T.clGetExtensionFunctionAddressForPlatform = getExtensionFunctionAddressForPlatform;
}

} // namespace hsched::icd
