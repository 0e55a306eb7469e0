// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "icd/Device.h"

#include "base/Env.h"
#include "icd/CacheGroups.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

namespace hsched::icd {
namespace {

template <class T> T ask(cl_device_id Id, cl_device_info What, T Otherwise) {
  T Value = Otherwise;
  return table(Id).clGetDeviceInfo(Id, What, sizeof(T), &Value, nullptr) == CL_SUCCESS ? Value : Otherwise;
}

// Hides extensions whose functions take vendor objects: they would get the platform's.
bool passes(std::string_view Extension) {
  static constexpr std::array<std::string_view, 14> Functions = {"cl_khr_icd",
                                                                 "_sharing",
                                                                 "_gl_",
                                                                 "cl_khr_egl_",
                                                                 "_d3d1",
                                                                 "_dx9_",
                                                                 "cl_khr_command_buffer",
                                                                 "cl_khr_semaphore",
                                                                 "cl_khr_external_",
                                                                 "cl_intel_",
                                                                 "cl_ext_device_fission",
                                                                 "cl_arm_",
                                                                 "cl_qcom_",
                                                                 "cl_khr_create_command_queue"};
  for (std::string_view F : Functions)
    if (Extension.find(F) != Extension.npos)
      return false;
  return Extension != "cl_khr_suggested_local_work_size" && Extension != "cl_khr_gl_event";
}

std::string passing(const std::string &Extensions) {
  std::istringstream In(Extensions);
  std::string Kept, E;
  while (In >> E)
    if (passes(E))
      Kept += Kept.empty() ? E : " " + E;
  return Kept;
}

bool runsInCaller(std::string_view Platform, std::string_view Device) {
  return Platform.starts_with("Portable Computing Language") &&
         (Device.starts_with("basic") || Device.starts_with("cpu-minimal")); // The latter from PoCL 4 on.
}

} // namespace

Device::Device(Driver *Of, cl_device_id Id, Ref<Device> Parent)
    : Object(Tag), Of(Of), Id(Id), Parent(std::move(Parent)),
      Type(ask<cl_device_type>(Id, CL_DEVICE_TYPE, CL_DEVICE_TYPE_DEFAULT)),
      Version(std::min(Of->Version, versionOf(text(CL_DEVICE_VERSION)))),
      OutOfOrder(ask<cl_command_queue_properties>(Id, CL_DEVICE_QUEUE_PROPERTIES, 0) &
                 CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
      RunsInCaller(runsInCaller(Of->Name, text(CL_DEVICE_NAME))), Name(text(CL_DEVICE_NAME)),
      Key(Of->Name + "/" + Name + "/" + text(CL_DRIVER_VERSION) +
          (this->Parent ? "/" + std::to_string(number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS)) : "")) {}

Device::Device(const std::vector<Device *> &RealDevices)
    : Object(Tag), Of(RealDevices.front()->Of), Id(RealDevices.front()->Id), RealDevices(RealDevices),
      Type(everythingIsAuto() ? RealDevices.front()->Type : CL_DEVICE_TYPE_ACCELERATOR),
      Version((*std::min_element(RealDevices.begin(), RealDevices.end(),
                                 [](const Device *A, const Device *B) { return A->Version < B->Version; }))
                  ->Version),
      OutOfOrder(false), RunsInCaller(false), Name("hsched auto") {}

Device::~Device() {
  if (Parent)
    cl().clReleaseDevice(Id);
}

const Device::Limits &Device::limits() const {
  std::call_once(QueriedOnce, [&] {
    std::vector<size_t> Sizes(std::max<cl_uint>(number<cl_uint>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3), 3));
    if (cl().clGetDeviceInfo(Id, CL_DEVICE_MAX_WORK_ITEM_SIZES, Sizes.size() * sizeof(size_t), Sizes.data(), nullptr) ==
        CL_SUCCESS)
      std::copy_n(Sizes.begin(), 3, Its.ItemSizes);
    Its.GroupSize = number<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, ~size_t(0));
    Its.Alignment = std::max<size_t>(number<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN, 8) / 8, 1);
    Its.Units = number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, 1);
    Its.MHz = number<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY, 1000);
    Its.UnevenGroups = Version >= 300 ? number<cl_bool>(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT) != CL_FALSE
                                      : Version >= 200; // Then the program's language decides.
    Its.LocalBytes = number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, UINT64_MAX);
    Its.AllocBytes = number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE, UINT64_MAX);
    Its.SharesHostMemory = number<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
  });
  return Its;
}

std::string Device::text(cl_device_info What) const {
  return textOf(
      [&](size_t Bytes, void *Text, size_t *Needed) { return cl().clGetDeviceInfo(Id, What, Bytes, Text, Needed); });
}

void Device::info(cl_device_info What, const Answer &To) const {
  if (RealDevices.size() > 1 && common(What, To))
    return;
  switch (What) {
  case CL_DEVICE_PLATFORM:
    return To.value(Platform::get().handle<cl_platform_id>());
  case CL_DEVICE_PARENT_DEVICE:
    return To.value(Parent ? Parent->handle<cl_device_id>() : nullptr);
  case CL_DEVICE_TYPE:
    return To.value(Type);
  case CL_DEVICE_REFERENCE_COUNT:
    return To.value(Parent ? userRefs() : cl_uint(1));
  case CL_DEVICE_NAME:
    return To.text(Name);
  case CL_DEVICE_EXTENSIONS:
    return To.text(passing(text(What)));
  case CL_DEVICE_EXTENSIONS_WITH_VERSION: {
    size_t Bytes = 0;
    check(cl().clGetDeviceInfo(Id, What, 0, nullptr, &Bytes));
    std::vector<cl_name_version> All(Bytes / sizeof(cl_name_version));
    check(cl().clGetDeviceInfo(Id, What, Bytes, All.data(), nullptr));
    std::erase_if(All, [](const cl_name_version &E) { return !passes(E.name); });
    return To.list(All);
  }
  case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES: // The platform orders commands itself.
    return To.value(cl_command_queue_properties(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE));
  case CL_DEVICE_PARTITION_PROPERTIES:
    if (isAuto())
      return To.value(cl_device_partition_property(0));
    if (!cacheDomains(*this).empty()) {
      std::vector<cl_device_partition_property> All(8);
      size_t Bytes = 0;
      check(cl().clGetDeviceInfo(Id, What, All.size() * sizeof(All[0]), All.data(), &Bytes));
      All.resize(Bytes / sizeof(All[0]));
      std::erase(All, 0);
      All.push_back(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN);
      return To.list(All);
    }
    break;
  case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
    if (const auto Domains = cacheDomains(*this); !Domains.empty()) {
      cl_device_affinity_domain All = CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
      for (const CacheDomain &D : Domains)
        All |= D.Domain;
      return To.value(All);
    }
    break;
  case CL_DEVICE_PARTITION_TYPE:
    if (!PartitionType.empty())
      return To.list(PartitionType);
    break;
  case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
    if (isAuto())
      return To.value(cl_uint(0));
    break;
  case CL_DEVICE_SVM_CAPABILITIES: // What all its devices share; those of two vendors share nothing.
    if (isAuto()) {
      auto Its = number<cl_device_svm_capabilities>(What);
      for (const Device *D : RealDevices)
        Its &= D->Of == Of ? D->number<cl_device_svm_capabilities>(What) : 0;
      return To.value(Its);
    }
    break;
  default:
    break;
  }
  check(cl().clGetDeviceInfo(Id, What, To.Size, To.To, To.Needed));
}

Platform::Platform() : Object(Tag) {
  for (const auto &D : drivers()) {
    cl_uint N = 0;
    if (D->cl().clGetDeviceIDs(D->Id, CL_DEVICE_TYPE_ALL, 0, nullptr, &N) != CL_SUCCESS || !N)
      continue;
    std::vector<cl_device_id> Ids(N);
    if (D->cl().clGetDeviceIDs(D->Id, CL_DEVICE_TYPE_ALL, N, Ids.data(), nullptr) != CL_SUCCESS)
      continue;
    for (cl_device_id Id : Ids)
      Real.push_back(new Device(D.get(), Id, {}));
  }
  if (Real.empty())
    return;
  auto *Auto = new Device(Real);
  if (!everythingIsAuto())
    Visible = Real;
  Visible.push_back(Auto);
}

Platform &Platform::get() {
  static Platform &Only = *new Platform;
  return Only;
}

void Platform::info(cl_platform_info What, const Answer &To) const {
  switch (What) {
  case CL_PLATFORM_PROFILE:
    return To.text("FULL_PROFILE");
  case CL_PLATFORM_VERSION:
    return To.text("OpenCL 3.0 hsched");
  case CL_PLATFORM_NUMERIC_VERSION:
    return To.value(cl_version(CL_MAKE_VERSION(3, 0, 0)));
  case CL_PLATFORM_NAME:
  case CL_PLATFORM_VENDOR:
    return To.text("hsched");
  case CL_PLATFORM_EXTENSIONS:
    return To.text("cl_khr_icd");
  case CL_PLATFORM_EXTENSIONS_WITH_VERSION: {
    cl_name_version Icd{CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"};
    return To.value(Icd);
  }
  case CL_PLATFORM_ICD_SUFFIX_KHR:
    return To.text("HSCHED");
  case CL_PLATFORM_HOST_TIMER_RESOLUTION:
    return To.value(cl_ulong(1));
  default:
    throw Failure{CL_INVALID_VALUE};
  }
}

bool everythingIsAuto() {
  static const bool On = rt::envFlag("HSCHED_OPENCL_AUTO", false);
  return On;
}

} // namespace hsched::icd
