// An OpenCL device's construction, memory and transfers; launches are in Launch.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/ClDevice.h"

#include "backends/opencl/CpuCores.h"
#include "base/Log.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace hsched::rt::opencl {

bool MemoryAccount::take(uint64_t Bytes) {
  uint64_t Now = Used.load(std::memory_order_relaxed);
  do {
    if (Bytes > Limit || Now > Limit - Bytes)
      return false;
  } while (!Used.compare_exchange_weak(Now, Now + Bytes, std::memory_order_relaxed));
  return true;
}

ClBuffer::~ClBuffer() {
  Native = cl::Buffer(); // commands that are under way keep the memory
  if (Account)
    Account->giveBack(Size);
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

status ClDevice::open(const cl::Device &Native, const DeviceSettings &Settings, std::unique_ptr<Device> &Out) {
  std::unique_ptr<ClDevice> D(new ClDevice);
  D->Native = Native;
  if (status S = D->describe(Settings); !S.ok())
    return S;
  cl_int Code = CL_SUCCESS;
  D->Context = cl::Context({Native}, nullptr, contextSays, nullptr, &Code);
  if (Code != CL_SUCCESS)
    return clError(errc::device_lost, Code, "no context on " + D->Title);
  D->Programs = std::make_unique<ProgramCache>(D->Context, Native, D->Title);
  if (status S = D->makeQueues(Settings); !S.ok())
    return S;
  bool InPlace = false;
  if (status S = D->probe(InPlace); !S.ok())
    return S;
  D->Info.SharesHostMemory = D->Info.Type == DeviceType::Cpu && InPlace && !Settings.Copy;
  D->makeStaging(Settings);
  Out = std::move(D);
  return {};
}

ClDevice::~ClDevice() {
  // Commands under way use memory that their users are about to free.
  for (const std::shared_ptr<Stream> &S : Compute)
    S->Queue.finish();
  if (Upload)
    Upload->Queue.finish();
  if (Download)
    Download->Queue.finish();
}

status ClDevice::describe(const DeviceSettings &Settings) {
  cl_device_type Type = Native.getInfo<CL_DEVICE_TYPE>();
  Info.Name = text(Native, CL_DEVICE_NAME);
  Info.Vendor = text(Native, CL_DEVICE_VENDOR);
  Info.Driver = text(Native, CL_DRIVER_VERSION);
  Info.Platform = cl::Platform(Native.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>().c_str();
  Info.Backend = "opencl";
  Info.Index = Settings.Index;
  Info.Kind = DeviceKind::OpenCL;
  Info.Type = Type & CL_DEVICE_TYPE_CPU   ? DeviceType::Cpu
              : Type & CL_DEVICE_TYPE_GPU ? DeviceType::Gpu
                                          : DeviceType::Accelerator;
  Info.ComputeUnits = Native.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  Info.HostCores = Settings.HostCores;
  Title = Info.Name + " #" + std::to_string(Info.Index);
  MaxItems = Native.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
  LocalMemoryBytes = Native.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();

  uint64_t All = Native.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  if (All == 0)
    return status::error(errc::unsupported, Title + " reports no memory");
  // The driver needs some itself: code, queues, what is being freed.
  Info.MemoryBytes = All - All / 32;
  if (Settings.MemoryLimitPercent)
    Info.MemoryBytes = std::min(Info.MemoryBytes, All / 100 * std::min(Settings.MemoryLimitPercent, 100u));
  if (Settings.MemoryLimitBytes)
    Info.MemoryBytes = std::min(Info.MemoryBytes, Settings.MemoryLimitBytes);
  uint64_t Largest = Native.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  Info.MaxAllocationBytes = Largest ? std::min(Largest, Info.MemoryBytes) : Info.MemoryBytes;
  Account = std::make_shared<MemoryAccount>();
  Account->Limit = Info.MemoryBytes;
  return {};
}

status ClDevice::makeStream(unsigned Number, std::shared_ptr<Stream> &Out) {
  auto S = std::make_shared<Stream>();
  cl_int Code = CL_SUCCESS;
  S->Context = Context;
  S->Queue = cl::CommandQueue(Context, Native, CL_QUEUE_PROFILING_ENABLE, &Code);
  if (Code != CL_SUCCESS)
    return clError(errc::device_lost, Code, "no command queue on " + Title);
  S->Number = Number;
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
  unsigned Queues = Settings.Queues;
  if (Queues == 0) // kernels side by side on one core would only blur each other's times
    Queues = Info.Type == DeviceType::Cpu ? std::clamp(Info.ComputeUnits, 1u, 4u) : 4;
  for (unsigned I = 0; I < Queues; ++I) {
    Compute.emplace_back();
    if (status S = makeStream(I, Compute.back()); !S.ok())
      return S;
  }
  return {};
}

status ClDevice::probe(bool &InPlace) {
  // An address such as a section in the middle of an array has, off every boundary but the element's.
  alignas(128) unsigned char Memory[256] = {};
  unsigned char *Host = Memory + 4;
  constexpr size_t Bytes = 64;
  const unsigned char Pattern[Bytes] = {1, 2, 3};
  cl_int Code = CL_SUCCESS;
  bool Cpu = Info.Type == DeviceType::Cpu;
  cl::Buffer B(Context, CL_MEM_READ_WRITE | (Cpu ? CL_MEM_USE_HOST_PTR : 0), Bytes, Cpu ? Host : nullptr, &Code);
  if (Code != CL_SUCCESS)
    return clError(errc::out_of_memory, Code, "no buffer of " + std::to_string(Bytes) + " bytes on " + Title);
  for (int Round = 0; Round < 5; ++Round) {
    cl::Event E;
    TimePoint Enqueued = SteadyClock().now();
    Code = Upload->Queue.enqueueWriteBuffer(B, CL_FALSE, 0, Bytes, Pattern, nullptr, &E);
    if (Code == CL_SUCCESS)
      Code = E.wait();
    if (Code != CL_SUCCESS)
      return clError(errc::device_lost, Code, "a first transfer to " + Title);
    TimePoint Seen = SteadyClock().now();
    cl_ulong Begin = 0, End = 0;
    if (E.getProfilingInfo(CL_PROFILING_COMMAND_START, &Begin) == CL_SUCCESS &&
        E.getProfilingInfo(CL_PROFILING_COMMAND_END, &End) == CL_SUCCESS && Begin != 0 && End >= Begin)
      Time->calibrate(Begin, End, Enqueued, Seen);
  }
  if (!Cpu)
    return {};
  // What the device wrote must be here, and what is changed here must be there, with nothing mapped.
  unsigned char Back[Bytes] = {};
  bool Arrived = std::memcmp(Host, Pattern, Bytes) == 0;
  Host[5] = 77;
  Code = Download->Queue.enqueueReadBuffer(B, CL_TRUE, 0, Bytes, Back);
  InPlace = Code == CL_SUCCESS && Arrived && Back[5] == 77;
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
  if (!Account->take(Bytes)) {
    uint64_t Used = Account->Used.load(std::memory_order_relaxed);
    return Refuse(" bytes free", Info.MemoryBytes - std::min(Used, Info.MemoryBytes));
  }
  auto B = std::make_shared<ClBuffer>();
  B->Size = Bytes;
  B->Account = Account;
  cl_int Code = CL_SUCCESS;
  B->Native = cl::Buffer(Context, CL_MEM_READ_WRITE, Bytes, nullptr, &Code);
  if (Code != CL_SUCCESS) {
    uint64_t Used = Account->Used.load(std::memory_order_relaxed) - Bytes;
    // Whatever number a driver has for it: it did not get the memory.
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

status ClDevice::wrap(void *Ptr, size_t Bytes, BufferRef &Out) try {
  if (!Info.SharesHostMemory)
    return status::error(errc::unsupported, Title + " has memory of its own");
  if (!Ptr || Bytes == 0)
    return status::error(errc::invalid_argument, "no host memory to wrap");
  std::pair<uintptr_t, size_t> Key(reinterpret_cast<uintptr_t>(Ptr), Bytes);
  std::lock_guard Guard(WrapLock);
  if (auto Known = Wrapped.find(Key); Known != Wrapped.end()) {
    Out = Known->second;
    return {};
  }
  auto B = std::make_shared<ClBuffer>();
  B->Size = Bytes;
  cl_int Code = CL_SUCCESS;
  B->Native = cl::Buffer(Context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, Bytes, Ptr, &Code);
  if (Code != CL_SUCCESS)
    return clError(errc::out_of_memory, Code, std::to_string(Bytes) + " bytes of host memory for " + Title);
  // The entries say no more than an address and a size, so they are valid for ever and cheap to make again.
  if (Wrapped.size() >= 1024)
    Wrapped.clear();
  Wrapped.emplace(Key, B);
  Out = std::move(B);
  return {};
} catch (...) {
  return caughtException();
}

static ClBuffer &native(const BufferRef &B) { return static_cast<ClBuffer &>(*B); }

status ClDevice::transferChecks(const char *What, const BufferRef &B, size_t Offset, size_t Bytes) const {
  if (!B)
    return status::error(errc::invalid_argument, std::string(What) + " on " + Title + ": no buffer");
  if (Offset > B->bytes() || Bytes > B->bytes() - Offset)
    return status::error(errc::invalid_argument, std::string(What) + " on " + Title + ": bytes " +
                                                     std::to_string(Offset) + " to " + std::to_string(Offset + Bytes) +
                                                     " of a buffer of " + std::to_string(B->bytes()));
  return {};
}

// A command that does nothing but come after others.
static cl_int enqueueNothing(const Stream &S, const WaitList &W, cl_event *E) {
  return clEnqueueMarkerWithWaitList(S.Queue(), W.size(), W.data(), E);
}

void ClDevice::makeStaging(const DeviceSettings &Settings) {
  // Where one thread copies, the driver's own staging does as well; of more than a quarter of the cores, too many would
  // be taken from the program.
  unsigned Cores = std::thread::hardware_concurrency();
  bool Remote = Info.Type != DeviceType::Cpu;
  unsigned Threads = Settings.StagingThreads >= 0 ? static_cast<unsigned>(Settings.StagingThreads)
                     : Remote && Cores >= 8       ? std::min(Cores / 4, 6u)
                                                  : 0;
  if (Threads == 0 || Info.SharesHostMemory)
    return;
  cl_int Code = CL_SUCCESS;
  Stage = Staging::make(Context, Upload->Queue, Threads, Code);
  if (!Stage)
    log(LogLevel::Debug, "%s: no pinned memory for transfers: %s", Title.c_str(), describeError(Code).c_str());
}

status ClDevice::write(const BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes,
                       std::span<const EventRef> Wait, EventRef &Done) try {
  if (status S = transferChecks("a transfer to the device", Dst, DstOffset, Bytes); !S.ok())
    return S;
  cl::Event First;
  status S =
      enqueue(Upload, Wait, errc::transfer_failed, "a transfer of " + std::to_string(Bytes) + " bytes to the device",
              {Dst}, Done, [&](const WaitList &W, cl_event *E) {
                if (Bytes == 0)
                  return enqueueNothing(*Upload, W, E);
                // What has to wait must not keep this thread in the ring.
                if (Stage && W.size() == 0 && Staging::pays(Bytes))
                  return Stage->write(native(Dst).Native, DstOffset, Src, Bytes, First, E);
                return clEnqueueWriteBuffer(Upload->Queue(), native(Dst).Native(), CL_FALSE, DstOffset, Bytes, Src,
                                            W.size(), W.data(), E);
              });
  if (S.ok() && First())
    static_cast<ClEvent &>(*Done).startsWith(std::move(First));
  return S;
} catch (...) {
  return caughtException();
}

status ClDevice::read(const BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes, std::span<const EventRef> Wait,
                      EventRef &Done) try {
  if (status S = transferChecks("a transfer to the host", Src, SrcOffset, Bytes); !S.ok())
    return S;
  return enqueue(Download, Wait, errc::transfer_failed, "a transfer of " + std::to_string(Bytes) + " bytes to the host",
                 {Src}, Done, [&](const WaitList &W, cl_event *E) {
                   if (Bytes == 0)
                     return enqueueNothing(*Download, W, E);
                   return clEnqueueReadBuffer(Download->Queue(), native(Src).Native(), CL_FALSE, SrcOffset, Bytes, Dst,
                                              W.size(), W.data(), E);
                 });
} catch (...) {
  return caughtException();
}

status ClDevice::copy(const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst, size_t DstOffset, size_t Bytes,
                      std::span<const EventRef> Wait, EventRef &Done) try {
  if (status S = transferChecks("a copy from", Src, SrcOffset, Bytes); !S.ok())
    return S;
  if (status S = transferChecks("a copy to", Dst, DstOffset, Bytes); !S.ok())
    return S;
  return enqueue(Upload, Wait, errc::transfer_failed, "a copy of " + std::to_string(Bytes) + " bytes", {Src, Dst}, Done,
                 [&](const WaitList &W, cl_event *E) {
                   if (Bytes == 0)
                     return enqueueNothing(*Upload, W, E);
                   return clEnqueueCopyBuffer(Upload->Queue(), native(Src).Native(), native(Dst).Native(), SrcOffset,
                                              DstOffset, Bytes, W.size(), W.data(), E);
                 });
} catch (...) {
  return caughtException();
}

void ClDevice::flush() {
  auto All = [](Stream &S) { S.flushTo(S.Enqueued.load(std::memory_order_acquire)); };
  All(*Upload);
  for (const std::shared_ptr<Stream> &S : Compute)
    All(*S);
  All(*Download);
}

unsigned ClDevice::streamOf(const Event &E) const {
  auto *Own = dynamic_cast<const ClEvent *>(&E);
  return Own ? Own->stream()->Number : 0;
}

} // namespace hsched::rt::opencl
