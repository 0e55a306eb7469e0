// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Backend.h"

#include "backends/opencl/ClDevice.h"
#include "backends/opencl/CpuCores.h"
#include "backends/opencl/Selection.h"
#include "base/Env.h"
#include "base/Log.h"
#include "device/Topology.h"

#include <algorithm>
#include <iterator>

namespace hsched::rt::opencl {

namespace {
struct Found {
  cl::Device Native;
  Candidate Facts;
  size_t Platform;
};
struct Findings {
  std::vector<Found> Devices;
  std::vector<std::vector<int>> Threads; // that each platform made when it was asked for its devices
};
} // namespace

static DeviceType typeOf(cl_device_type Type) {
  if (Type & CL_DEVICE_TYPE_CPU)
    return DeviceType::Cpu;
  return Type & CL_DEVICE_TYPE_GPU ? DeviceType::Gpu : DeviceType::Accelerator;
}

// Devices that can build and run kernels, in the loader's order. Nothing installed is an empty list.
static Findings findDevices() {
  Findings All;
  std::vector<cl::Platform> Platforms;
  if (cl_int Code = cl::Platform::get(&Platforms); Code != CL_SUCCESS) {
    log(LogLevel::Debug, "no OpenCL platform: %s", describeError(Code).c_str());
    return All;
  }
  for (const cl::Platform &P : Platforms) {
    std::vector<int> Before = currentThreads(), After;
    std::vector<cl::Device> Devices;
    cl_int Code = P.getDevices(CL_DEVICE_TYPE_ALL, &Devices);
    After = currentThreads();
    All.Threads.emplace_back();
    std::set_difference(After.begin(), After.end(), Before.begin(), Before.end(),
                        std::back_inserter(All.Threads.back()));
    if (Code != CL_SUCCESS)
      continue;
    for (const cl::Device &D : Devices) {
      cl_bool Available = CL_FALSE, Compiles = CL_FALSE;
      cl_device_type Type = 0;
      std::string Name;
      D.getInfo(CL_DEVICE_AVAILABLE, &Available);
      D.getInfo(CL_DEVICE_COMPILER_AVAILABLE, &Compiles);
      D.getInfo(CL_DEVICE_NAME, &Name);
      if (D.getInfo(CL_DEVICE_TYPE, &Type) != CL_SUCCESS || !Available || !Compiles || Type & CL_DEVICE_TYPE_CUSTOM)
        continue;
      All.Devices.push_back({D, {Name.c_str(), typeOf(Type)}, All.Threads.size() - 1});
    }
  }
  return All;
}

// Finds devices with the calling thread bound to Cores, which drivers' threads inherit. Those of platforms without a
// selected CPU device are set free again.
static std::vector<Found> findDevicesOn(const std::vector<unsigned> &Cores, const std::string &Selection,
                                        status &Selected, std::vector<unsigned> &Numbers) {
  AffinityGuard Bound(Cores);
  Findings All = findDevices();
  std::vector<Candidate> Facts;
  for (const Found &F : All.Devices)
    Facts.push_back(F.Facts);
  Selected = selectDevices(Selection, Facts, Numbers);
  for (unsigned N : Numbers)
    if (All.Devices[N].Facts.Type == DeviceType::Cpu)
      All.Threads[All.Devices[N].Platform].clear();
  if (Bound.active())
    for (const std::vector<int> &Threads : All.Threads)
      for (int Thread : Threads)
        (void)Bound.before().applyTo(Thread);
  return std::move(All.Devices);
}

status OpenClBackend::enumerate(const BackendOptions &Options, std::vector<std::unique_ptr<Device>> &Out) try {
  if (selectsNothing(Options.Selection))
    return {};
  // Drivers' threads are made once a process, so the cores are chosen once too. One thread at a time is in here.
  static const std::vector<unsigned> CpuCores = maySelectCpu(Options.Selection)
                                                    ? coresForDevice(Options.HostCores, Options.CpuWorkersWanted)
                                                    : std::vector<unsigned>();
  status Selected;
  std::vector<unsigned> Numbers;
  std::vector<Found> All = findDevicesOn(CpuCores, Options.Selection, Selected, Numbers);
  if (!Selected.ok())
    return Selected;

  DeviceSettings Settings;
  if (std::string Queues = envString("HSCHED_QUEUES").value_or(""); !Queues.empty())
    Settings.Queues = static_cast<unsigned>(envUnsigned("HSCHED_QUEUES", 4, 1, 32));
  Settings.Copy = envFlag("HSCHED_OPENCL_COPY", false);
  if (std::string Staging = envString("HSCHED_STAGING").value_or(""); !Staging.empty())
    Settings.StagingThreads = static_cast<int>(envUnsigned("HSCHED_STAGING", 0, 0, 64));
  Settings.MemoryLimitBytes = Options.MemoryLimitBytes;
  Settings.MemoryLimitPercent = Options.MemoryLimitPercent;
  for (unsigned Number : Numbers) {
    bool Cpu = All[Number].Facts.Type == DeviceType::Cpu;
    Settings.Index = Number;
    Settings.HostCores = Cpu ? CpuCores : std::vector<unsigned>();
    // With one core for all, the device keeps to one unit too.
    unsigned Units = std::max(1u, static_cast<unsigned>(CpuCores.size()));
    cl::Device Native = Cpu ? partOf(All[Number].Native, Units) : All[Number].Native;
    std::unique_ptr<Device> D;
    // A GPU's driver makes threads with the first context: they shall not inherit a binding that the caller may have.
    AffinityGuard Wide(Cpu ? std::vector<unsigned>() : Options.HostCores);
    if (status S = ClDevice::open(Native, Settings, D); !S.ok())
      log(LogLevel::Warning, "OpenCL device %s is left out: %s", All[Number].Facts.Name.c_str(), S.message().c_str());
    else
      Out.push_back(std::move(D));
  }
  return {};
} catch (...) {
  return caughtException();
}

} // namespace hsched::rt::opencl
