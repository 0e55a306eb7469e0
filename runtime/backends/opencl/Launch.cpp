// Kernel launches: checks of limits with clear messages, arguments, choice of a queue.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/ClDevice.h"

#include <algorithm>
#include <cstring>

namespace hsched::rt::opencl {

static std::string sizes(const size_t *Sizes, unsigned Dims) {
  std::string Text;
  for (unsigned I = 0; I < Dims; ++I)
    Text += (I ? " x " : "") + std::to_string(Sizes[I]);
  return Text;
}

status ClDevice::checkRange(const ClKernel &K, const hsched_ndrange &Range, std::span<const BoundArg> Args) const {
  // Not a permanent fault of the kernel: another range, or other arguments, may work.
  auto Refuse = [&](const std::string &Why) {
    return status::error(errc::unsupported, "kernel '" + K.Name + "' on " + Title + ": " + Why);
  };
  if (Range.dims < 1 || Range.dims > 3)
    return Refuse("a range of " + std::to_string(Range.dims) + " dimensions");
  bool Requires = K.RequiredLocal[0] != 0;
  if (Range.local[0]) {
    size_t Items = 1;
    for (unsigned I = 0; I < Range.dims; ++I) {
      size_t Size = Range.local[I];
      if (Size == 0)
        return Refuse("work-group size " + sizes(Range.local, Range.dims));
      if (I < MaxItems.size() && Size > MaxItems[I])
        return Refuse("work-group size " + sizes(Range.local, Range.dims) + ", the device takes no more than " +
                      std::to_string(MaxItems[I]) + " in dimension " + std::to_string(I));
      if (Requires && Size != K.RequiredLocal[I])
        return Refuse("work-group size " + sizes(Range.local, Range.dims) + ", the kernel requires " +
                      sizes(K.RequiredLocal.data(), Range.dims));
      Items *= Size;
    }
    if (K.MaxGroup && Items > K.MaxGroup)
      return Refuse("a work-group of " + sizes(Range.local, Range.dims) + " = " + std::to_string(Items) +
                    " work-items, the kernel can have " + std::to_string(K.MaxGroup) + " there");
  }
  uint64_t Local = K.LocalBytes;
  for (const BoundArg &A : Args)
    if (A.K == BoundArg::Kind::Local)
      Local += A.Bytes;
  if (LocalMemoryBytes && Local > LocalMemoryBytes)
    return Refuse(std::to_string(Local) + " bytes of local memory, the device has " + std::to_string(LocalMemoryBytes));
  return {};
}

// The driver copies arguments. For a buffer it copies the handle, which may be reused after the buffer is released. So
// buffers are identified by their serials.
cl_int ClDevice::setArg(ClKernel &K, unsigned Index, size_t Bytes, const void *Value, uint64_t Serial) {
  if (K.Last.size() <= Index)
    K.Last.resize(Index + 1);
  ClKernel::SetArg &Last = K.Last[Index];
  bool Small = !Value || Bytes <= sizeof(Last.Value);
  if (Last.Bytes == Bytes && Bytes != 0 && Last.Serial == Serial && Last.Local == !Value && Small &&
      (!Value || std::memcmp(Last.Value.data(), Value, Bytes) == 0))
    return CL_SUCCESS;
  cl_int Code = clSetKernelArg(K.Native(), Index, Bytes, Value);
  Last.Bytes = Code == CL_SUCCESS && Small ? Bytes : 0;
  Last.Serial = Serial;
  Last.Local = !Value;
  if (Value && Small)
    std::memcpy(Last.Value.data(), Value, Bytes);
  return Code;
}

status ClDevice::setBuffer(ClKernel &K, unsigned Index, const BoundArg &Arg, OwnedRefs &Owned) {
  cl_mem Memory = nullptr;
  uint64_t Serial = 0;
  BufferParts::Part Part;
  if (Arg.Mem) {
    auto &B = static_cast<ClBuffer &>(*Arg.Mem);
    Memory = B.Native();
    Serial = B.Serial;
    Owned.add(Arg.Mem);
    // A kernel without offsets needs a buffer that begins and ends with its data, so that buffers of concurrent kernels
    // do not overlap.
    if (!K.TakesOffsets && Arg.Offset != 0) {
      cl_int Code = CL_INVALID_VALUE;
      if (Arg.Offset < B.Size) {
        const size_t Rest = B.Size - static_cast<size_t>(Arg.Offset);
        Code =
            B.Parts.get(B.Native, static_cast<size_t>(Arg.Offset), Arg.Bytes ? std::min(Arg.Bytes, Rest) : Rest, Part);
      }
      if (Code != CL_SUCCESS)
        return clError(errc::unsupported, Code,
                       "kernel '" + K.Name + "' on " + Title + ": argument " + std::to_string(Index) +
                           " would have to begin at byte " + std::to_string(static_cast<int64_t>(Arg.Offset)) +
                           " of a buffer");
      Memory = (*Part.Native)();
      Serial = Part.Serial;
      Owned.add(Part.Native);
    }
  }
  if (cl_int Code = setArg(K, Index, sizeof(cl_mem), &Memory, Serial); Code != CL_SUCCESS)
    return clError(errc::launch_failed, Code,
                   "kernel '" + K.Name + "' on " + Title + ": argument " + std::to_string(Index) + ", a buffer");
  return {};
}

// Requires the kernel's lock.
status ClDevice::setArgs(ClKernel &K, std::span<const BoundArg> Args, OwnedRefs &Owned) {
  size_t Buffers = 0;
  for (const BoundArg &A : Args)
    Buffers += A.K == BoundArg::Kind::Buffer;
  size_t Total = Args.size() + (K.TakesOffsets ? Buffers : 0);
  if (Total != K.Args)
    return status::error(errc::launch_failed, "kernel '" + K.Name + "' on " + Title + ": " + std::to_string(K.Args) +
                                                  " arguments taken, " + std::to_string(Total) + " given");
  unsigned OffsetIndex = static_cast<unsigned>(Args.size());
  for (unsigned I = 0; I < Args.size(); ++I) {
    const BoundArg &A = Args[I];
    if (A.K == BoundArg::Kind::Buffer) {
      if (status S = setBuffer(K, I, A, Owned); !S.ok())
        return S;
      cl_ulong Offset = A.Offset;
      if (K.TakesOffsets)
        if (cl_int Code = setArg(K, OffsetIndex++, sizeof(Offset), &Offset); Code != CL_SUCCESS)
          return clError(errc::launch_failed, Code,
                         "kernel '" + K.Name + "' on " + Title + ": offset of argument " + std::to_string(I));
      continue;
    }
    bool Local = A.K == BoundArg::Kind::Local;
    if (cl_int Code = setArg(K, I, A.Bytes, Local ? nullptr : A.Value); Code != CL_SUCCESS)
      return clError(errc::launch_failed, Code,
                     "kernel '" + K.Name + "' on " + Title + ": argument " + std::to_string(I) + ", " +
                         std::to_string(A.Bytes) + " bytes" + (Local ? " of local memory" : ""));
  }
  return {};
}

const std::shared_ptr<Stream> &ClDevice::chooseTransfer(const std::shared_ptr<Stream> &Plain,
                                                        const std::shared_ptr<Stream> &Quick, size_t Bytes,
                                                        bool Pinned) const {
  const bool ByRing = !Pinned && StagingThreads && Staging::pays(Bytes); // A ring belongs to Plain.
  return Quick && Bytes <= QuickBytes && !ByRing ? Quick : Plain;
}

void ClDevice::flushIfBlocking(Stream &S, const std::vector<PinRef> &Pins, const void *Memory, size_t Bytes) {
  const auto Begin = reinterpret_cast<uintptr_t>(Memory);
  const bool Pinned =
      std::ranges::any_of(Pins, [&](const PinRef &P) { return P->Begin <= Begin && Begin + Bytes <= P->End; });
  if (Bytes > CopiedAtOnce && !Pinned)
    (void)S.flushTo(S.Enqueued.load(std::memory_order_relaxed));
}

// The queue whose last command is a predecessor, because its order then implements the dependence. A tiny launch also
// waits for what came in between, which takes less time than an event. Otherwise the queue with the fewest waiting
// commands, in rotation among equals. Tiny launches stay on one queue, as many as one event reports.
const std::shared_ptr<Stream> &ClDevice::chooseCompute(std::span<const EventRef> Wait, CompletionReport When) {
  const bool Tiny = When == CompletionReport::Tiny;
  for (const EventRef &W : Wait) {
    ClEvent *E = ownEvent(W.get());
    if (!E || E->endObserved() || (!Tiny && E->number() != E->stream()->LastWork.load(std::memory_order_acquire)))
      continue;
    for (const std::shared_ptr<Stream> &S : Compute)
      if (S == E->stream())
        return S;
  }
  if (unsigned Left = Tiny ? TinyLeft.load(std::memory_order_relaxed) : 0) {
    TinyLeft.store(Left - 1, std::memory_order_relaxed);
    return Compute[TinyQueue.load(std::memory_order_relaxed)];
  }
  unsigned First = NextQueue.fetch_add(1, std::memory_order_relaxed);
  const std::shared_ptr<Stream> *Best = nullptr;
  unsigned Fewest = 0;
  for (unsigned I = 0; I < Compute.size(); ++I) {
    const std::shared_ptr<Stream> &S = Compute[(First + I) % Compute.size()];
    unsigned Waiting = S->Outstanding.load(std::memory_order_relaxed);
    if (!Best || Waiting < Fewest) {
      Best = &S;
      Fewest = Waiting;
    }
  }
  if (Tiny) {
    TinyQueue.store((*Best)->Number, std::memory_order_relaxed);
    TinyLeft.store(ReportBatch.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  return *Best;
}

status ClDevice::checkQueue(unsigned Queue) const {
  return Queue == AnyQueue || Queue < Compute.size()
             ? status()
             : status::error(errc::invalid_argument, Title + " has no queue " + std::to_string(Queue) + ", it has " +
                                                         std::to_string(Compute.size()));
}

status ClDevice::launch(const KernelRef &Ref, const hsched_ndrange &Range, std::span<const BoundArg> Args,
                        std::span<const EventRef> Wait, EventRef &Done, CompletionReport When, unsigned Queue) try {
  if (!Ref)
    return status::error(errc::invalid_argument, "a launch on " + Title + ": no kernel");
  auto &K = static_cast<ClKernel &>(*Ref);
  if (status S = checkRange(K, Range, Args); !S.ok())
    return S;
  if (status S = checkQueue(Queue); !S.ok())
    return S;
  if (Queue != AnyQueue && When == CompletionReport::Tiny) // Only if the device chooses the queue.
    When = CompletionReport::Late;
  size_t Global[3] = {1, 1, 1}, Local[3] = {1, 1, 1};
  bool Nothing = false, Moved = false, Grouped = Range.local[0] != 0;
  // A work-group size fixed by the source is rounded up to like any other.
  const size_t *Given = Grouped ? Range.local : K.RequiredLocal.data();
  Grouped = Grouped || K.RequiredLocal[0] != 0;
  for (unsigned I = 0; I < Range.dims; ++I) {
    Global[I] = Range.global[I];
    Nothing |= Global[I] == 0;
    Moved |= Range.offset[I] != 0;
    if (!Grouped)
      continue;
    Local[I] = Given[I];
    Global[I] = (Global[I] + Local[I] - 1) / Local[I] * Local[I];
  }
  const std::shared_ptr<Stream> &Target = Queue == AnyQueue ? chooseCompute(Wait, When) : Compute[Queue];
  OwnedRefs Owned;
  std::lock_guard Guard(K.Lock);
  if (!Nothing)
    if (status S = setArgs(K, Args, Owned); !S.ok())
      return S;
  return enqueue(
      Target, Wait, errc::launch_failed, CommandName(std::static_pointer_cast<ClKernel>(Ref)), std::move(Owned), Done,
      [&](const WaitList &W, cl_event *E) {
        const bool Timed = When == CompletionReport::Soon;
        if (cl_int Code = Target->choose(Timed); Code != CL_SUCCESS)
          return Code;
        Target->noteLaunch(Timed);
        if (Nothing) // OpenCL before 2.1 has no empty ranges.
          return clEnqueueMarkerWithWaitList(Target->native(), W.size(), W.data(), E);
        return clEnqueueNDRangeKernel(Target->native(), K.Native(), Range.dims, Moved ? Range.offset : nullptr, Global,
                                      Grouped ? Local : nullptr, W.size(), W.data(), E);
      },
      When);
} catch (...) {
  return caughtException();
}

void ClDevice::preferQueue(unsigned Queue, bool Timed) {
  Preferred = {this, Queue};
  if (Queue >= Compute.size())
    return;
  std::lock_guard Guard(Compute[Queue]->Lock);
  (void)Compute[Queue]->choose(Timed); // A failure shows at the launch.
}

void ClDevice::requestReport(const EventRef &Done) {
  if (const ClEvent *Own = ownEvent(Done.get())) {
    Own->requestReport();
    (void)Own->stream()->flushTo(Own->reportedBy()); // done() handles a refusal.
  }
}

bool ClDevice::isReported(const Event &Done) const {
  return typeid(Done) != typeid(ClEvent) || static_cast<const ClEvent &>(Done).reportRequested();
}

} // namespace hsched::rt::opencl
