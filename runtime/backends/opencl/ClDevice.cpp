// An OpenCL device's construction and memory. Launches are in Launch.cpp, transfers in Transfers.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/ClDevice.h"

#include "backends/opencl/CpuCores.h"
#include "base/Log.h"
#include "device/Topology.h"

#include <algorithm>

#include <unistd.h>

namespace hsched::rt::opencl {

uint64_t ClBuffer::nextSerial() {
  static std::atomic<uint64_t> Last{0};
  return Last.fetch_add(1, std::memory_order_relaxed) + 1;
}

ClBuffer::~ClBuffer() {
  Parts.clear();
  if (From)
    From->giveBack(Size, std::move(Native));
}

static void CL_CALLBACK contextSays(const char *Text, const void *, size_t, void *) {
  log(LogLevel::Debug, "OpenCL: %s", Text ? Text : "");
}

// A device's text property without the blanks that some drivers pad with.
static std::string text(const cl::Device &D, cl_device_info What) {
  std::string Text;
  D.getInfo(What, &Text);
  Text = Text.c_str();
  size_t Begin = Text.find_first_not_of(' ');
  return Begin == std::string::npos ? "" : Text.substr(Begin, Text.find_last_not_of(' ') - Begin + 1);
}

thread_local ClDevice::Preference ClDevice::Preferred;

status makeContext(const std::vector<cl::Device> &Devices, cl::Context &Out) {
  cl_int Code = CL_SUCCESS;
  cl::Context C(Devices, nullptr, contextSays, nullptr, &Code);
  if (Code != CL_SUCCESS)
    return clError(errc::device_lost, Code, "no context");
  Out = std::move(C);
  return {};
}

status ClDevice::open(const cl::Device &Native, const DeviceSettings &Settings, std::unique_ptr<Device> &Out) {
  std::unique_ptr<ClDevice> D(new ClDevice);
  D->Native = Native;
  if (status S = D->describe(Settings); !S.ok())
    return S;
  D->Context = Settings.Context;
  if (!D->Context())
    if (status S = makeContext({Native}, D->Context); !S.ok())
      return status::error(S.code(), S.message() + " on " + D->Title, S.native_code());
  D->Programs = std::make_unique<ProgramCache>(D->Context, Native, D->Title);
  if (status S = D->makeQueues(Settings); !S.ok())
    return S;
  bool InPlace = false;
  if (status S = D->probe(InPlace); !S.ok())
    return S;
  D->Info.SharesHostMemory = InPlace && !Settings.Copy;
  D->makeStaging(Settings);
  uint64_t Pages = static_cast<uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L));
  D->Pins = std::make_unique<PinnedRanges>(D->Context, D->Info.SharesHostMemory ? PinLazily::Never : Settings.Pin,
                                           Pages / 2 * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
  Out = std::move(D);
  return {};
}

ClDevice::~ClDevice() {
  if (Memory)
    Memory->close();
  // Commands in progress use memory that their users will free.
  for (const std::shared_ptr<Stream> &S : Compute)
    if (S)
      S->finish();
  for (const std::shared_ptr<Stream> &S : {Upload, Download, QuickUpload, QuickDownload})
    if (S)
      S->finish();
}

status ClDevice::describe(const DeviceSettings &Settings) {
  cl_device_type Type = Native.getInfo<CL_DEVICE_TYPE>();
  Info.Name = text(Native, CL_DEVICE_NAME);
  Info.Vendor = text(Native, CL_DEVICE_VENDOR);
  Info.Driver = text(Native, CL_DRIVER_VERSION);
  Info.Platform = cl::Platform(Native.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>().c_str();
  Info.Backend = "opencl";
  Info.Index = Settings.Index;
  Info.Part = Settings.Part;
  Info.Kind = DeviceKind::OpenCL;
  Info.Type = Type & CL_DEVICE_TYPE_CPU   ? DeviceType::Cpu
              : Type & CL_DEVICE_TYPE_GPU ? DeviceType::Gpu
                                          : DeviceType::Accelerator;
  Info.ComputeUnits = Native.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  Info.HostCores = Settings.HostCores;
  Info.SharedCores = Settings.SharedCores;
  Title = Info.title();
  MaxItems = Native.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
  LocalMemoryBytes = Native.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();

  uint64_t All = Native.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  if (All == 0)
    return status::error(errc::unsupported, Title + " reports no memory");
  // The driver needs some memory itself: code, queues, memory being freed.
  Info.MemoryBytes = (All - All / 32) / Settings.Parts;
  if (Settings.MemoryLimitPercent)
    Info.MemoryBytes =
        std::min(Info.MemoryBytes, All / Settings.Parts / 100 * std::min(Settings.MemoryLimitPercent, 100u));
  if (Settings.MemoryLimitBytes)
    Info.MemoryBytes = std::min(Info.MemoryBytes, Settings.MemoryLimitBytes);
  uint64_t Largest = Native.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  Info.MaxAllocationBytes = Largest ? std::min(Largest, Info.MemoryBytes) : Info.MemoryBytes;
  Memory = std::make_shared<Blocks>(Info.MemoryBytes);
  return {};
}

status ClDevice::makeStream(unsigned Number, std::shared_ptr<Stream> &Out, bool Profiles) {
  auto S = std::make_shared<Stream>();
  cl_int Code = CL_SUCCESS;
  S->Context = Context;
  S->Queue = cl::CommandQueue(Context, Native, Profiles ? CL_QUEUE_PROFILING_ENABLE : 0, &Code);
  if (Code != CL_SUCCESS)
    return clError(errc::device_lost, Code, "no command queue on " + Title);
  S->Current = S->Queue();
  S->Number = Number;
  S->Profiles = Profiles;
  S->Device = Title;
  S->Time = Time;
  Out = std::move(S);
  return {};
}

status ClDevice::makeQueues(const DeviceSettings &Settings) {
  Time = std::make_shared<DeviceClock>();
  if (status S = makeStream(0, Upload); !S.ok())
    return S;
  if (status S = makeStream(0, Download); !S.ok())
    return S;
  if (!Settings.TimeTransfers)
    for (std::shared_ptr<Stream> *Quick : {&QuickUpload, &QuickDownload})
      if (status S = makeStream(0, *Quick, false); !S.ok())
        return S;
  unsigned Queues = Settings.Queues;
  if (Queues == 0) // Concurrent kernels on one core would only distort each other's times.
    Queues = Info.Type == DeviceType::Cpu ? std::clamp(Info.ComputeUnits, 1u, 4u) : 8;
  for (unsigned I = 0; I < Queues; ++I) {
    Compute.emplace_back();
    if (status S = makeStream(I, Compute.back()); !S.ok())
      return S;
    Compute.back()->Counts = true;
    Compute.back()->MayBeUntimed = !Settings.TimeTransfers;
    Memory->usedOn(Compute.back());
  }
  for (const std::shared_ptr<Stream> &S : {Upload, Download, QuickUpload, QuickDownload})
    if (S)
      Memory->usedOn(S);
  return {};
}

status ClDevice::allocate(size_t Bytes, BufferRef &Out) try {
  auto Refuse = [&](const char *Why, uint64_t There) {
    return status::error(errc::out_of_memory, "device memory of " + Title + ": " + std::to_string(Bytes) +
                                                  " bytes needed, " + std::to_string(There) + Why);
  };
  if (Bytes == 0)
    return status::error(errc::invalid_argument, "a buffer of no bytes");
  if (Bytes > Info.MemoryBytes)
    return Refuse(" bytes there in all", Info.MemoryBytes);
  if (Bytes > Info.MaxAllocationBytes)
    return Refuse(" bytes the most in one piece", Info.MaxAllocationBytes);
  auto B = std::make_shared<ClBuffer>();
  B->Size = Bytes;
  if (!Memory->take(Bytes, B->Native))
    return Refuse(" bytes free", Info.MemoryBytes - std::min(Memory->used(), Info.MemoryBytes));
  B->From = Memory;
  cl_int Code = CL_SUCCESS;
  bool New = !B->Native();
  if (New)
    B->Native = cl::Buffer(Context, CL_MEM_READ_WRITE, Bytes, nullptr, &Code);
  // Other programs may use memory that counts as free here. Releasing cached blocks may suffice.
  if (New && Code != CL_SUCCESS && Memory->dropUnused())
    B->Native = cl::Buffer(Context, CL_MEM_READ_WRITE, Bytes, nullptr, &Code);
  if (Code != CL_SUCCESS) {
    uint64_t Used = Memory->used() - Bytes;
    // Drivers use various codes for exhausted memory.
    bool Lost = Code == CL_INVALID_CONTEXT;
    return status::error(Lost ? errc::device_lost : errc::out_of_memory,
                         "device memory of " + Title + ": " + std::to_string(Bytes) + " bytes needed, " +
                             std::to_string(Info.MemoryBytes - std::min(Used, Info.MemoryBytes)) +
                             " bytes thought free: " + describeError(Code),
                         Code);
  }
  Out = std::move(B);
  return {};
} catch (...) {
  return caughtException();
}

void ClDevice::makeStaging(const DeviceSettings &Settings) {
  constexpr const char *Pinned[] = {"never", "where it is safe", "always"};
  Info.TransferSettings = std::string("pinned ") + Pinned[static_cast<unsigned>(Settings.Pin)];
  // With one copying thread, the driver's own staging is as fast. More than 3/8 of the cores would take too many from
  // the program.
  unsigned Cores = usableCpus();
  bool Remote = Info.Type != DeviceType::Cpu;
  unsigned Threads = Settings.StagingThreads >= 0 ? static_cast<unsigned>(Settings.StagingThreads)
                     : Remote && Cores >= 8       ? std::min(Cores / 8 * 3, 6u)
                                                  : 0;
  StagingThreads = Info.SharesHostMemory ? 0 : Threads;
  if (StagingThreads)
    Info.TransferSettings += ", " + std::to_string(StagingThreads) + " threads copy";
}

void ClDevice::flush() {
  // If the driver refuses, threads that query an event's end handle it.
  auto All = [](Stream &S) { (void)S.flushTo(S.Enqueued.load(std::memory_order_acquire)); };
  for (const std::shared_ptr<Stream> *S : {&Upload, &QuickUpload})
    if (*S)
      All(**S);
  for (const std::shared_ptr<Stream> &S : Compute)
    All(*S);
  for (const std::shared_ptr<Stream> *S : {&Download, &QuickDownload})
    if (*S)
      All(**S);
}

unsigned ClDevice::streamOf(const Event &E) const {
  const ClEvent *Own = ownEvent(const_cast<Event *>(&E));
  return Own ? Own->stream()->Number : 0;
}

} // namespace hsched::rt::opencl
