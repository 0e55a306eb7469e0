// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/Backend.h"

#include "backends/opencl/ClDevice.h"
#include "backends/opencl/CpuCores.h"
#include "backends/opencl/SubDevices.h"
#include "base/Env.h"
#include "base/Log.h"
#include "device/SubmittingDevice.h"
#include "device/Topology.h"

#include <algorithm>
#include <climits>
#include <iterator>
#include <map>
#include <optional>

namespace hsched::rt::opencl {

namespace {
// A GPU's commands are handed over by a thread of their own if there are so many cores.
constexpr size_t CoresForSubmission = 4;

struct Found {
  cl::Device Native;
  Candidate Facts;
  size_t Platform;
};
// A device or a part of one, to be opened.
struct Opened {
  cl::Device Native;
  unsigned Number;
  int Part;
  unsigned Parts;
};
struct Findings {
  std::vector<Found> Devices;
  std::vector<std::vector<int>> Threads; // Threads that each platform made at the query of its devices.
};
} // namespace

static DeviceType typeOf(cl_device_type Type) {
  if (Type & CL_DEVICE_TYPE_CPU)
    return DeviceType::Cpu;
  return Type & CL_DEVICE_TYPE_GPU ? DeviceType::Gpu : DeviceType::Accelerator;
}

// Devices that can build and run kernels, in the loader's order. Empty if nothing is installed.
static Findings findDevices() {
  Findings All;
  std::vector<cl::Platform> Platforms;
  if (cl_int Code = cl::Platform::get(&Platforms); Code != CL_SUCCESS) {
    log(LogLevel::Debug, "no OpenCL platform: %s", describeError(Code).c_str());
    return All;
  }
  // The platform of libhsched_opencl lists the others' devices again.
  if (std::erase_if(Platforms, [&](const cl::Platform &P) {
        return Platforms.size() > 1 && std::string(P.getInfo<CL_PLATFORM_NAME>().c_str()) == "hsched";
      }))
    log(LogLevel::Debug, "the OpenCL platform 'hsched' is left to OpenCL programs");
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
      All.Devices.push_back(
          {D, {Name.c_str(), typeOf(Type), P.getInfo<CL_PLATFORM_NAME>().c_str()}, All.Threads.size() - 1});
    }
  }
  return All;
}

// Number of devices that do not compute on the CPU's cores. PoCL makes its threads when it is asked for any device, and
// they keep the cores of that moment, so it is not asked here.
static unsigned countOthers() {
  std::vector<cl::Platform> Platforms;
  size_t Found = 0;
  if (cl::Platform::get(&Platforms) == CL_SUCCESS)
    for (const cl::Platform &P : Platforms) {
      const std::string Name = P.getInfo<CL_PLATFORM_NAME>().c_str();
      std::vector<cl::Device> Devices;
      if (Name != "Portable Computing Language" && Name != "hsched" &&
          P.getDevices(CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR, &Devices) == CL_SUCCESS)
        Found += Devices.size();
    }
  return static_cast<unsigned>(Found);
}

// Finds devices with the calling thread bound to Cores, which drivers' threads inherit. Threads of platforms without a
// selected CPU device are unbound again. Other threads may be made meanwhile, by the program: they keep what they are
// bound to.
static std::vector<Found> findDevicesOn(const std::vector<unsigned> &Cores, const std::string &Selection,
                                        status &Outcome, std::vector<Selected> &Chosen) {
  AffinityGuard Bound(Cores);
  Findings All = findDevices();
  std::vector<Candidate> Facts;
  for (const Found &F : All.Devices)
    Facts.push_back(F.Facts);
  Outcome = selectDevices(Selection, Facts, Chosen);
  for (const Selected &C : Chosen)
    if (All.Devices[C.Number].Facts.Type == DeviceType::Cpu)
      All.Threads[All.Devices[C.Number].Platform].clear();
  if (Bound.active())
    for (const std::vector<int> &Threads : All.Threads)
      Bound.before().applyTo(Threads, Affinity::ofCurrentThread());
  return std::move(All.Devices);
}

// Splits devices as selected. An impossible part is an error like an unknown device.
static status makeParts(const std::string &Selection, const std::vector<Found> &All,
                        const std::vector<Selected> &Chosen, unsigned CpuUnits, std::vector<Opened> &Out) {
  for (const Selected &C : Chosen) {
    const Found &F = All[C.Number];
    bool Cpu = F.Facts.Type == DeviceType::Cpu;
    if (C.Parts.How == Split::By::Whole) {
      Out.push_back({Cpu ? partOf(F.Native, CpuUnits) : F.Native, C.Number, -1, 1});
      continue;
    }
    std::vector<cl::Device> Parts;
    std::string Wrong = splitDevice(F.Native, C.Parts, Cpu ? CpuUnits : UINT_MAX, Parts);
    if (!Wrong.empty()) {
      std::vector<Candidate> Facts;
      for (const Found &Each : All)
        Facts.push_back(Each.Facts);
      return refuseSelection(Selection, "device " + std::to_string(C.Number) + ": " + Wrong, Facts);
    }
    for (size_t I = 0; I < Parts.size(); ++I)
      Out.push_back({Parts[I], C.Number, static_cast<int>(I), static_cast<unsigned>(Parts.size())});
  }
  return {};
}

status OpenClBackend::enumerate(const BackendOptions &Options, std::vector<std::unique_ptr<Device>> &Out) try {
  if (selectsNoDevice(Options.Selection))
    return {};
  // Drivers make their threads once per process, so the cores are chosen once too. Called by one thread at a time.
  static std::optional<std::vector<unsigned>> ChosenCores;
  if (maySelectCpu(Options.Selection) && !ChosenCores)
    ChosenCores = Options.ShareCores
                      ? Options.HostCores
                      : coresForDevice(Options.HostCores, Options.RequestedCpuWorkers, unitsForParts(Options.Selection),
                                       maySelectOthers(Options.Selection) ? countOthers() : 0);
  const std::vector<unsigned> CpuCores = maySelectCpu(Options.Selection) ? *ChosenCores : std::vector<unsigned>();
  status Outcome;
  std::vector<Selected> Chosen;
  std::vector<Found> All = findDevicesOn(CpuCores, Options.Selection, Outcome, Chosen);
  // With one core for all, the device also uses one unit.
  unsigned Units = std::max(1u, static_cast<unsigned>(CpuCores.size()));
  std::vector<Opened> Requested;
  if (Outcome.ok())
    Outcome = makeParts(Options.Selection, All, Chosen, Units, Requested);
  if (!Outcome.ok())
    return Outcome;

  DeviceSettings Settings;
  const auto Queues = envNumbers("HSCHED_QUEUES", 1, 32);
  const unsigned QueuesByDefault = Settings.Queues;
  Settings.Copy = envFlag("HSCHED_OPENCL_COPY", false);
  if (auto Staging = envUnsigned("HSCHED_STAGING", 0, 64))
    Settings.StagingThreads = static_cast<int>(*Staging);
  if (auto Pin = envFlag("HSCHED_PIN_MEMORY"))
    Settings.Pin = *Pin ? PinLazily::Always : PinLazily::Never;
  const std::optional<bool> Apart = envFlag("HSCHED_SUBMIT_THREAD");
  Settings.TimeTransfers = Options.TimeTransfers;
  Settings.MemoryLimitBytes = Options.MemoryLimitBytes;
  Settings.MemoryLimitPercent = Options.MemoryLimitPercent;
  std::map<size_t, std::vector<cl::Device>> Together; // By platform.
  for (const Opened &O : Requested)
    Together[All[O.Number].Platform].push_back(O.Native);
  const bool Share = envChoice("HSCHED_OPENCL_CONTEXT", "own", "shared");
  std::map<size_t, cl::Context> Contexts;
  for (const Opened &O : Requested) {
    const Candidate &Facts = All[O.Number].Facts;
    bool Cpu = Facts.Type == DeviceType::Cpu;
    Settings.Index = O.Number;
    Settings.Part = O.Part;
    Settings.Parts = O.Parts;
    Settings.HostCores = Cpu && !Options.ShareCores ? CpuCores : std::vector<unsigned>();
    Settings.SharedCores = Cpu && Options.ShareCores ? static_cast<unsigned>(CpuCores.size()) : 0;
    Settings.Queues = QueuesByDefault;
    // A value for the device takes precedence over one for its type, and that over one for all.
    const std::string Number = std::to_string(&O - Requested.data());
    const char *const Type = Cpu ? "cpu" : Facts.Type == DeviceType::Gpu ? "gpu" : "accelerator";
    for (const std::string &Name : {std::string(), std::string(Type), Number})
      for (const auto &[For, N] : Queues)
        if (For == Name)
          Settings.Queues = N;
    std::unique_ptr<Device> D;
    // A GPU's driver makes threads with the first context, which must not inherit the caller's binding.
    AffinityGuard Wide(Cpu ? std::vector<unsigned>() : Options.HostCores);
    size_t Platform = All[O.Number].Platform;
    Settings.Context = cl::Context();
    if (Share && Together[Platform].size() > 1 && !Contexts.contains(Platform))
      if (status S = makeContext(Together[Platform], Contexts[Platform]); !S.ok())
        log(LogLevel::Warning, "OpenCL devices get contexts of their own: %s", S.message().c_str());
    if (auto Shared = Contexts.find(Platform); Shared != Contexts.end())
      Settings.Context = Shared->second;
    if (status S = ClDevice::open(O.Native, Settings, D); !S.ok())
      log(LogLevel::Warning, "OpenCL device %s is left out: %s", Facts.Name.c_str(), S.message().c_str());
    else {
      if (Apart.value_or(Facts.Type == DeviceType::Gpu && Options.HostCores.size() >= CoresForSubmission) &&
          !D->info().SharesHostMemory)
        D = std::make_unique<SubmittingDevice>(std::move(D));
      Out.push_back(std::move(D));
    }
  }
  return {};
} catch (...) {
  return caughtException();
}

} // namespace hsched::rt::opencl
