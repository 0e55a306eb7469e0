// An OpenCL device's transfers: from and to the host, and between its buffers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/ClDevice.h"

#include "backends/opencl/Pieces.h"
#include "base/Log.h"

#include <algorithm>
#include <array>

namespace hsched::rt::opencl {

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
  const bool EndsWithStride = DstOffset + Rows.Rows * Rows.DeviceStride <= Dst->bytes();
  std::vector<PinRef> Pinned = Pins->find(Src, (Rows.Rows - 1) * Rows.HostStride + Rows.Bytes, PinExtent::Rows);
  std::vector<std::shared_ptr<void>> Owned{Dst};
  Owned.insert(Owned.end(), Pinned.begin(), Pinned.end());
  std::vector<cl::Event> Earlier;
  cl_command_queue Queue = Upload->Queue();
  cl_mem Memory = native(Dst).Native();
  // Sends rows of L at From to the rows from First on. In: their pinned ranges.
  auto Send = [&](size_t First, const RowLayout &L, const std::vector<PinRef> &In, const char *From, const WaitList &W,
                  std::vector<cl::Event> &Before, cl_event *E) {
    return rowsInPieces(
        L, In, EndsWithStride, From, W, Before, E,
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
  const bool EndsWithStride = SrcOffset + Rows.Rows * Rows.DeviceStride <= Src->bytes();
  std::vector<PinRef> Pinned = Pins->find(Dst, (Rows.Rows - 1) * Rows.HostStride + Rows.Bytes, PinExtent::Rows);
  std::vector<std::shared_ptr<void>> Owned{Src};
  Owned.insert(Owned.end(), Pinned.begin(), Pinned.end());
  std::vector<cl::Event> Earlier;
  cl_command_queue Queue = Download->Queue();
  cl_mem Memory = native(Src).Native();
  // Fetches rows of L to To, from the rows from First on. In: their pinned ranges.
  auto Fetch = [&](size_t First, const RowLayout &L, const std::vector<PinRef> &In, char *To, const WaitList &W,
                   std::vector<cl::Event> &Before, cl_event *E) {
    return rowsInPieces(
        L, In, EndsWithStride, To, W, Before, E,
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
                    Rows, {}, false, nullptr, W, Earlier, E,
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

} // namespace hsched::rt::opencl
