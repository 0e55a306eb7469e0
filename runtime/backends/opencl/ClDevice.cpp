// An OpenCL device's construction, memory and transfers; launches are in Launch.cpp.
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

// Enqueues an empty command that waits for others.
static cl_int enqueueNothing(const Stream &S, const WaitList &W, cl_event *E) {
  return clEnqueueMarkerWithWaitList(S.native(), W.size(), W.data(), E);
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

status ClDevice::rowChecks(const char *What, const BufferRef &B, size_t Offset, const RowLayout &Rows) const {
  if (Rows.Rows == 0 || Rows.Bytes == 0 || Rows.HostStride < Rows.Bytes || Rows.DeviceStride < Rows.Bytes)
    return status::error(errc::invalid_argument, std::string(What) + " on " + Title + ": rows that overlap, or none");
  return transferChecks(What, B, Offset, Rows.deviceBytes());
}

// A command that must wait must not block this thread in the ring; nor must commands behind such a one on the queue.
bool ClDevice::takesRing(const Stream &S, Ring &R, const WaitList &W, size_t Bytes) const {
  if (StagingThreads == 0 || R.Refused || !Staging::pays(Bytes) || W.size() != 0 ||
      S.NumObservedEnds.load() < S.LastToWait.load())
    return false;
  if (R.Blocks)
    return true;
  cl_int Code = CL_SUCCESS;
  R.Blocks = Staging::make(Context, S.Queue, StagingThreads, Code);
  R.Refused = !R.Blocks;
  if (R.Refused)
    log(LogLevel::Debug, "%s: no pinned memory for transfers: %s", Title.c_str(), describeError(Code).c_str());
  return !R.Refused;
}

// Splits Memory at borders of pinned ranges: no known driver transfers across them at full speed. Piece(At, Bytes,
// Wait, Event *) enqueues one piece. The first waits; the last one's event is the result, if one is wanted; the others
// go to Earlier.
template <class Fn>
static cl_int inPieces(const std::vector<PinRef> &Pins, const void *Memory, size_t Bytes, const WaitList &W,
                       std::vector<cl::Event> &Earlier, cl_event *Last, Fn Piece) {
  auto Begin = reinterpret_cast<uintptr_t>(Memory);
  static const WaitList None;
  for (size_t At = 0; At < Bytes;) {
    size_t Count = Bytes - At;
    for (const PinRef &P : Pins)
      if (P->Begin <= Begin + At && Begin + At < P->End)
        Count = std::min<size_t>(Count, P->End - (Begin + At));
    cl_event Done = nullptr;
    const bool IsLast = At + Count == Bytes;
    if (cl_int Code = Piece(At, Count, At ? None : W, IsLast ? Last : &Done); Code != CL_SUCCESS) {
      // The caller may free the memory after a report that nothing was begun.
      if (!Earlier.empty())
        cl::Event::waitForEvents(Earlier);
      return Code;
    }
    At += Count;
    if (!IsLast)
      Earlier.emplace_back(Done);
  }
  return CL_SUCCESS;
}

status ClDevice::write(const BufferRef &Dst, size_t DstOffset, const void *Src, size_t Bytes,
                       std::span<const EventRef> Wait, EventRef &Done) try {
  if (status S = transferChecks("a transfer to the device", Dst, DstOffset, Bytes); !S.ok())
    return S;
  std::vector<PinRef> Pinned = Pins->find(Src, Bytes);
  std::vector<std::shared_ptr<void>> Owned{Dst};
  Owned.insert(Owned.end(), Pinned.begin(), Pinned.end());
  std::vector<cl::Event> Earlier;
  const std::shared_ptr<Stream> &Chosen = chooseTransfer(Upload, QuickUpload, Bytes, !Pinned.empty());
  // On the kernel's own queue, the order of the queue replaces an event, a flush and a wait.
  const bool Ahead = QuickUpload && Chosen == QuickUpload && Preferred.Of == this && Preferred.Queue < Compute.size();
  const std::shared_ptr<Stream> &On = Ahead ? Compute[Preferred.Queue] : Chosen;
  status S = enqueue(
      On, Wait, errc::transfer_failed, "a transfer of " + std::to_string(Bytes) + " bytes to the device",
      std::move(Owned), Done,
      [&](const WaitList &W, cl_event *E) {
        if (Bytes == 0)
          return enqueueNothing(*On, W, E);
        if (Pinned.empty() && On == Upload && takesRing(*Upload, Leaving, W, Bytes))
          return Leaving.Blocks->write(Src, {1, Bytes, Bytes, Bytes}, Earlier, E,
                                       [&](const std::byte *From, const Staging::Chunk &C, cl_event *Piece) {
                                         return clEnqueueWriteBuffer(Upload->Queue(), native(Dst).Native(), CL_FALSE,
                                                                     DstOffset + C.At, C.Bytes, From, 0, nullptr,
                                                                     Piece);
                                       });
        if (Ahead)
          flushIfBlocking(*On, Pinned, Src, Bytes);
        return inPieces(
            Pinned, Src, Bytes, W, Earlier, E, [&](size_t At, size_t Count, const WaitList &Before, cl_event *Piece) {
              return clEnqueueWriteBuffer(On->native(), native(Dst).Native(), CL_FALSE, DstOffset + At, Count,
                                          static_cast<const char *>(Src) + At, Before.size(), Before.data(), Piece);
            });
      },
      Ahead ? CompletionReport::Late : CompletionReport::Soon);
  if (S.ok() && !Earlier.empty())
    static_cast<ClEvent &>(*Done).comesAfterPieces(std::move(Earlier));
  return S;
} catch (...) {
  return caughtException();
}

status ClDevice::read(const BufferRef &Src, size_t SrcOffset, void *Dst, size_t Bytes, std::span<const EventRef> Wait,
                      EventRef &Done) try {
  if (status S = transferChecks("a transfer to the host", Src, SrcOffset, Bytes); !S.ok())
    return S;
  std::vector<PinRef> Pinned = Pins->find(Dst, Bytes);
  std::vector<std::shared_ptr<void>> Owned{Src};
  Owned.insert(Owned.end(), Pinned.begin(), Pinned.end());
  std::vector<cl::Event> Earlier;
  const std::shared_ptr<Stream> &On = chooseTransfer(Download, QuickDownload, Bytes, !Pinned.empty());
  status S = enqueue(
      On, Wait, errc::transfer_failed, "a transfer of " + std::to_string(Bytes) + " bytes to the host",
      std::move(Owned), Done, [&](const WaitList &W, cl_event *E) {
        if (Bytes == 0)
          return enqueueNothing(*On, W, E);
        if (Pinned.empty() && On == Download && takesRing(*Download, Landing, W, Bytes))
          return Landing.Blocks->read(Dst, {1, Bytes, Bytes, Bytes}, Earlier, E,
                                      [&](std::byte *To, const Staging::Chunk &C, cl_event *Piece) {
                                        return clEnqueueReadBuffer(Download->Queue(), native(Src).Native(), CL_FALSE,
                                                                   SrcOffset + C.At, C.Bytes, To, 0, nullptr, Piece);
                                      });
        return inPieces(
            Pinned, Dst, Bytes, W, Earlier, E, [&](size_t At, size_t Count, const WaitList &Before, cl_event *Piece) {
              return clEnqueueReadBuffer(On->Queue(), native(Src).Native(), CL_FALSE, SrcOffset + At, Count,
                                         static_cast<char *>(Dst) + At, Before.size(), Before.data(), Piece);
            });
      });
  if (S.ok() && !Earlier.empty())
    static_cast<ClEvent &>(*Done).comesAfterPieces(std::move(Earlier));
  return S;
} catch (...) {
  return caughtException();
}

// A buffer offset as row and column, for rows Stride bytes apart.
static std::array<size_t, 3> rowOrigin(size_t Offset, size_t Stride) { return {Offset % Stride, Offset / Stride, 0}; }

// Transfers rows at Memory, which may lie in Pins, in as few pieces as NVIDIA's driver accepts. A rectangle must lie in
// one pinned range, or in none, and a whole stride must follow its last row, there and in the buffer. So the last row
// is a piece of its own, as is each row that crosses a border. Rectangle(Row, Count, Wait, Event &) and Part(Row, At,
// Bytes, Wait, Event &) enqueue a piece. The first waits; the last one's event is the result.
template <class Rect, class Plain>
static cl_int rowsInPieces(const RowLayout &L, const std::vector<PinRef> &Pins, const void *Memory, const WaitList &W,
                           std::vector<cl::Event> &Earlier, cl_event *Last, Rect Rectangle, Plain Part) {
  static const WaitList None;
  auto Base = reinterpret_cast<uintptr_t>(Memory);
  bool Refused = false;
  for (size_t Row = 0; Row < L.Rows;) {
    uintptr_t At = Base + Row * L.HostStride, End = UINTPTR_MAX; // End of the range with the same property as At.
    for (const PinRef &P : Pins)
      if (At < P->End)
        End = std::min<uintptr_t>(End, P->Begin <= At ? P->End : P->Begin);
    size_t Count = Refused ? 0 : std::min<size_t>((End - At) / L.HostStride, L.Rows - 1 - Row);
    cl_event Done = nullptr;
    const WaitList &Before = Row ? None : W;
    cl_int Code = Count ? Rectangle(Row, Count, Before, &Done)
                        : inPieces(Pins, reinterpret_cast<const void *>(At), L.Bytes, Before, Earlier, &Done,
                                   [&](size_t Begin, size_t Bytes, const WaitList &Wait, cl_event *E) {
                                     return Part(Row, Begin, Bytes, Wait, E);
                                   });
    if (Code == CL_INVALID_VALUE && Count) { // A driver with other rules: row by row.
      Refused = true;
      continue;
    }
    if (Code != CL_SUCCESS) {
      // The caller may free the memory after a report that nothing was begun.
      if (!Earlier.empty())
        cl::Event::waitForEvents(Earlier);
      return Code;
    }
    Row += std::max<size_t>(Count, 1);
    if (Row < L.Rows)
      Earlier.emplace_back(Done);
    else
      *Last = Done;
  }
  return CL_SUCCESS;
}

static std::string rowsText(const RowLayout &Rows) {
  return std::to_string(Rows.Rows) + " rows of " + std::to_string(Rows.Bytes) + " bytes";
}

status ClDevice::writeRows(const BufferRef &Dst, size_t DstOffset, const void *Src, const RowLayout &Rows,
                           std::span<const EventRef> Wait, EventRef &Done) try {
  if (status S = rowChecks("a transfer to the device", Dst, DstOffset, Rows); !S.ok())
    return S;
  if (Rows.Rows == 1)
    return write(Dst, DstOffset, Src, Rows.Bytes, Wait, Done);
  const std::array<size_t, 3> Origin{};
  auto deviceAt = [&](size_t Row) { return DstOffset + Row * Rows.DeviceStride; };
  std::vector<PinRef> Pinned = Pins->find(Src, (Rows.Rows - 1) * Rows.HostStride + Rows.Bytes);
  std::vector<std::shared_ptr<void>> Owned{Dst};
  Owned.insert(Owned.end(), Pinned.begin(), Pinned.end());
  std::vector<cl::Event> Earlier;
  cl_command_queue Queue = Upload->Queue();
  cl_mem Memory = native(Dst).Native();
  // Sends rows of L at From to the rows from First on. In: their pinned ranges.
  auto Send = [&](size_t First, const RowLayout &L, const std::vector<PinRef> &In, const char *From, const WaitList &W,
                  std::vector<cl::Event> &Before, cl_event *E) {
    return rowsInPieces(
        L, In, From, W, Before, E,
        [&](size_t Row, size_t Count, const WaitList &W, cl_event *E) {
          std::array<size_t, 3> To = rowOrigin(deviceAt(First + Row), Rows.DeviceStride), Extent{Rows.Bytes, Count, 1};
          return clEnqueueWriteBufferRect(Queue, Memory, CL_FALSE, To.data(), Origin.data(), Extent.data(),
                                          Rows.DeviceStride, 0, L.HostStride, 0, From + Row * L.HostStride, W.size(),
                                          W.data(), E);
        },
        [&](size_t Row, size_t At, size_t Bytes, const WaitList &W, cl_event *E) {
          return clEnqueueWriteBuffer(Queue, Memory, CL_FALSE, deviceAt(First + Row) + At, Bytes,
                                      From + Row * L.HostStride + At, W.size(), W.data(), E);
        });
  };
  // The same for a block of the ring.
  auto SendBlock = [&](const std::byte *From, const Staging::Chunk &C, cl_event *E) {
    if (C.Rows == 1 || Rows.DeviceStride == Rows.Bytes)
      return clEnqueueWriteBuffer(Queue, Memory, CL_FALSE, deviceAt(C.Row) + C.At, C.Rows * C.Bytes, From, 0, nullptr,
                                  E);
    return Send(C.Row, {C.Rows, C.Bytes, C.Bytes, Rows.DeviceStride}, {}, reinterpret_cast<const char *>(From), {},
                Earlier, E);
  };
  status S = enqueue(Upload, Wait, errc::transfer_failed, "a transfer of " + rowsText(Rows) + " to the device",
                     std::move(Owned), Done, [&](const WaitList &W, cl_event *E) {
                       if (Pinned.empty() && takesRing(*Upload, Leaving, W, Rows.Rows * Rows.Bytes))
                         return Leaving.Blocks->write(Src, Rows, Earlier, E, SendBlock);
                       return Send(0, Rows, Pinned, static_cast<const char *>(Src), W, Earlier, E);
                     });
  if (S.ok())
    static_cast<ClEvent &>(*Done).comesAfterPieces(std::move(Earlier));
  return S;
} catch (...) {
  return caughtException();
}

status ClDevice::readRows(const BufferRef &Src, size_t SrcOffset, void *Dst, const RowLayout &Rows,
                          std::span<const EventRef> Wait, EventRef &Done) try {
  if (status S = rowChecks("a transfer to the host", Src, SrcOffset, Rows); !S.ok())
    return S;
  if (Rows.Rows == 1)
    return read(Src, SrcOffset, Dst, Rows.Bytes, Wait, Done);
  const std::array<size_t, 3> Origin{};
  auto deviceAt = [&](size_t Row) { return SrcOffset + Row * Rows.DeviceStride; };
  std::vector<PinRef> Pinned = Pins->find(Dst, (Rows.Rows - 1) * Rows.HostStride + Rows.Bytes);
  std::vector<std::shared_ptr<void>> Owned{Src};
  Owned.insert(Owned.end(), Pinned.begin(), Pinned.end());
  std::vector<cl::Event> Earlier;
  cl_command_queue Queue = Download->Queue();
  cl_mem Memory = native(Src).Native();
  // Fetches rows of L to To, from the rows from First on. In: their pinned ranges.
  auto Fetch = [&](size_t First, const RowLayout &L, const std::vector<PinRef> &In, char *To, const WaitList &W,
                   std::vector<cl::Event> &Before, cl_event *E) {
    return rowsInPieces(
        L, In, To, W, Before, E,
        [&](size_t Row, size_t Count, const WaitList &W, cl_event *E) {
          std::array<size_t, 3> From = rowOrigin(deviceAt(First + Row), Rows.DeviceStride),
                                Extent{Rows.Bytes, Count, 1};
          return clEnqueueReadBufferRect(Queue, Memory, CL_FALSE, From.data(), Origin.data(), Extent.data(),
                                         Rows.DeviceStride, 0, L.HostStride, 0, To + Row * L.HostStride, W.size(),
                                         W.data(), E);
        },
        [&](size_t Row, size_t At, size_t Bytes, const WaitList &W, cl_event *E) {
          return clEnqueueReadBuffer(Queue, Memory, CL_FALSE, deviceAt(First + Row) + At, Bytes,
                                     To + Row * L.HostStride + At, W.size(), W.data(), E);
        });
  };
  // The same for a block of the ring.
  auto FetchBlock = [&](std::byte *To, const Staging::Chunk &C, cl_event *E) {
    if (C.Rows == 1 || Rows.DeviceStride == Rows.Bytes)
      return clEnqueueReadBuffer(Queue, Memory, CL_FALSE, deviceAt(C.Row) + C.At, C.Rows * C.Bytes, To, 0, nullptr, E);
    return Fetch(C.Row, {C.Rows, C.Bytes, C.Bytes, Rows.DeviceStride}, {}, reinterpret_cast<char *>(To), {}, Earlier,
                 E);
  };
  status S = enqueue(Download, Wait, errc::transfer_failed, "a transfer of " + rowsText(Rows) + " to the host",
                     std::move(Owned), Done, [&](const WaitList &W, cl_event *E) {
                       if (Pinned.empty() && takesRing(*Download, Landing, W, Rows.Rows * Rows.Bytes))
                         return Landing.Blocks->read(Dst, Rows, Earlier, E, FetchBlock);
                       return Fetch(0, Rows, Pinned, static_cast<char *>(Dst), W, Earlier, E);
                     });
  if (S.ok())
    static_cast<ClEvent &>(*Done).comesAfterPieces(std::move(Earlier));
  return S;
} catch (...) {
  return caughtException();
}

status ClDevice::pin(void *Ptr, size_t Bytes) try {
  return Info.SharesHostMemory ? status() : Pins->add(Ptr, Bytes);
} catch (...) {
  return caughtException();
}

void ClDevice::unpin(void *Ptr) { Pins->remove(Ptr); }

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

bool ClDevice::reaches(const Device &From) const {
  auto *Other = dynamic_cast<const ClDevice *>(&From);
  return Other && Other->Context() == Context();
}

status ClDevice::copyFrom(const Device &From, const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst,
                          size_t DstOffset, const RowLayout &Rows, std::span<const EventRef> Wait, EventRef &Done) try {
  if (!reaches(From))
    return status::error(errc::unsupported, Title + " does not reach the memory of " + From.info().Name);
  // No other buffer may get Src's block while this may be in progress.
  static_cast<const ClDevice &>(From).Memory->usedOn(Upload);
  if (Rows.Rows == 1)
    return copy(Src, SrcOffset, Dst, DstOffset, Rows.Bytes, Wait, Done);
  if (status S = rowChecks("a copy to", Dst, DstOffset, Rows); !S.ok())
    return S;
  if (status S = transferChecks("a copy from", Src, SrcOffset, (Rows.Rows - 1) * Rows.HostStride + Rows.Bytes); !S.ok())
    return S;
  auto sourceAt = [&](size_t Row) { return SrcOffset + Row * Rows.HostStride; };
  auto targetAt = [&](size_t Row) { return DstOffset + Row * Rows.DeviceStride; };
  std::vector<cl::Event> Earlier;
  cl_command_queue Queue = Upload->Queue();
  cl_mem Read = native(Src).Native(), Written = native(Dst).Native();
  status S =
      enqueue(Upload, Wait, errc::transfer_failed, "a copy of " + rowsText(Rows), {Src, Dst}, Done,
              [&](const WaitList &W, cl_event *E) {
                return rowsInPieces(
                    Rows, {}, nullptr, W, Earlier, E,
                    [&](size_t Row, size_t Count, const WaitList &W, cl_event *E) {
                      std::array<size_t, 3> From = rowOrigin(sourceAt(Row), Rows.HostStride),
                                            To = rowOrigin(targetAt(Row), Rows.DeviceStride),
                                            Extent{Rows.Bytes, Count, 1};
                      return clEnqueueCopyBufferRect(Queue, Read, Written, From.data(), To.data(), Extent.data(),
                                                     Rows.HostStride, 0, Rows.DeviceStride, 0, W.size(), W.data(), E);
                    },
                    [&](size_t Row, size_t At, size_t Bytes, const WaitList &W, cl_event *E) {
                      return clEnqueueCopyBuffer(Queue, Read, Written, sourceAt(Row) + At, targetAt(Row) + At, Bytes,
                                                 W.size(), W.data(), E);
                    });
              });
  if (S.ok())
    static_cast<ClEvent &>(*Done).comesAfterPieces(std::move(Earlier));
  return S;
} catch (...) {
  return caughtException();
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
