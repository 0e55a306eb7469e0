// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "virtual/Fabric.h"

#include "data/Promise.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hsched::rt::virt {

status VirtualEvent::wait() {
  while (!Done)
    if (!Drive())
      return status::error(errc::internal, "a simulated operation never ends");
  return {};
}

void VirtualEvent::finish(Interval When) {
  Done = true;
  Ran = When;
  std::vector<Waiter *> Notified;
  Notified.swap(Waiters);
  for (Waiter *W : Notified)
    if (--W->NumPending == 0)
      W->arrived();
}

void await(Waiter &W, const EventRef &E) {
  if (!E || E->done())
    return;
  // The directory's state holds promises, which are kept before this is called, because there is one thread.
  const auto *Promised = dynamic_cast<const Promise *>(E.get());
  static_cast<VirtualEvent &>(Promised ? *Promised->event() : *E).addWaiter(W);
}

bool awaitAll(Waiter &W, std::span<const EventRef> Events) {
  for (const EventRef &E : Events)
    await(W, E);
  return W.NumPending != 0;
}

// Two channels per link: down, to the device, and up. A link that is not duplex has only the first.
static unsigned channelOf(const PlatformModel &P, unsigned Link, bool Up) {
  return Link * 2 + (Up && P.Links[Link].Duplex);
}

static std::vector<double> capacities(const PlatformModel &P) {
  std::vector<double> Each;
  for (const LinkModel &L : P.Links) {
    Each.push_back(L.ToDeviceBytesPerSecond / 1e9);
    Each.push_back(L.ToHostBytesPerSecond / 1e9);
  }
  return Each;
}

Fabric::Fabric(const PlatformModel &Platform, Timeline &Time)
    : Platform(Platform), Time(Time), Net(capacities(Platform)), Streams(Platform.Workers.size() * StreamsEach),
      TurnsOf(Platform.Workers.size()), SetUpDone(Platform.Workers.size()) {}

EventRef Fabric::enqueue(unsigned StreamId, const PlatformModel::Path &Path, uint64_t Bytes, Duration Fixed,
                         std::span<const EventRef> Wait, std::vector<BufferRef> Owned) {
  Stream &S = Streams[StreamId];
  Operation &Op = S.Queue.emplace_back();
  Op.Of = this;
  Op.Stream = StreamId;
  Op.Bytes = Bytes;
  Op.Latency = Fixed;
  Op.Done = newEvent();
  Op.Owned = std::move(Owned);
  auto pass = [&](unsigned Link, bool Up) {
    if (unsigned C = channelOf(Platform, Link, Up); std::ranges::find(Op.Channels, C) == Op.Channels.end())
      Op.Channels.push_back(C);
    Op.Latency += Platform.Links[Link].Latency;
  };
  for (unsigned Link : Path.Up)
    pass(Link, true);
  for (unsigned Link : Path.Down)
    pass(Link, false);
  EventRef Done = Op.Done;
  (void)awaitAll(Op, Wait);
  await(Op, setUp(StreamId / StreamsEach));
  startHead(StreamId);
  return Done;
}

void Fabric::startHead(unsigned StreamId) {
  Stream &S = Streams[StreamId];
  if (S.Running || S.Queue.empty() || S.Queue.front().NumPending != 0)
    return;
  S.Running = true;
  if (takeTurn(StreamId / StreamsEach, StreamId))
    begin(StreamId);
}

void Fabric::begin(unsigned StreamId) {
  Operation &Op = Streams[StreamId].Queue.front();
  Op.Began = Time.now();
  Time.plan(Time.now() + Op.Latency, TimelineEvent::LatencyEnds, StreamId);
}

EventRef Fabric::setUp(uint32_t W) {
  const Duration Takes = Platform.Kinds[Platform.Workers[W].Kind].SetUp;
  if (Takes > Duration(0) && !SetUpDone[W]) {
    SetUpDone[W] = newEvent();
    Time.plan(Time.now() + Takes, TimelineEvent::DeviceIsSetUp, W);
  }
  return SetUpDone[W];
}

bool Fabric::runWants(uint32_t W) { return takeTurn(W, ARun); }

bool Fabric::runEnded(uint32_t W) {
  passTurn(W);
  return Platform.Kinds[Platform.Workers[W].Kind].Overlaps;
}

bool Fabric::takeTurn(uint32_t W, unsigned Stream) {
  if (Platform.Kinds[Platform.Workers[W].Kind].Overlaps)
    return true;
  Turns &T = TurnsOf[W];
  if (!std::exchange(T.InUse, true))
    return true;
  T.Waiting.push_back(Stream);
  return false;
}

void Fabric::passTurn(uint32_t W) {
  Turns &T = TurnsOf[W];
  if (T.Waiting.empty()) {
    T.InUse = false;
    return;
  }
  const unsigned Next = T.Waiting.front();
  T.Waiting.pop_front();
  if (Next == ARun)
    RunMayBegin(W);
  else
    begin(Next);
}

void Fabric::handle(const TimelineEvent &H) {
  if (H.What == TimelineEvent::DeviceIsSetUp)
    return static_cast<VirtualEvent &>(*SetUpDone[H.Index]).finish({Time.now(), Time.now()});
  if (H.What == TimelineEvent::LatencyEnds) {
    Operation &Op = Streams[H.Index].Queue.front();
    if (Op.Channels.empty() || Op.Bytes == 0)
      return end(H.Index);
    Net.begin(H.Index, Op.Channels, Op.Bytes, Time.now());
    return planNetwork();
  }
  if (H.Stamp != Net.stamp())
    return;
  std::vector<uint32_t> Ended = Net.ended(Time.now());
  planNetwork();
  for (uint32_t Id : Ended)
    end(Id);
}

void Fabric::planNetwork() {
  if (std::optional<TimePoint> Next = Net.nextEnd())
    Time.plan(std::max(*Next, Time.now()), TimelineEvent::NetworkChanges, 0, Net.stamp());
}

void Fabric::end(unsigned StreamId) {
  Stream &S = Streams[StreamId];
  const Operation &Op = S.Queue.front();
  EventRef Done = Op.Done;
  const Interval Ran{Op.Began, Time.now()};
  S.Queue.pop_front();
  S.Running = false;
  const uint32_t W = StreamId / StreamsEach;
  const bool Overlaps = Platform.Kinds[Platform.Workers[W].Kind].Overlaps;
  if (Overlaps)
    startHead(StreamId);
  static_cast<VirtualEvent &>(*Done).finish(Ran);
  if (!Overlaps)
    startHead(StreamId); // A run that waited for this transfer was enqueued before the next transfer.
  passTurn(W);
}

namespace {

struct VirtualBuffer final : Buffer {
  VirtualBuffer(size_t Bytes, std::shared_ptr<uint64_t> Used) : Size(Bytes), Used(std::move(Used)) {
    *this->Used += Size;
  }
  ~VirtualBuffer() override { *Used -= Size; }
  size_t bytes() const override { return Size; }
  const size_t Size;
  const std::shared_ptr<uint64_t> Used;
};

} // namespace

VirtualDevice::VirtualDevice(Fabric &Net, unsigned Worker) : Net(Net), Worker(Worker) {
  const WorkerModel &W = Net.Platform.Workers[Worker];
  const WorkerKind &K = Net.Platform.Kinds[W.Kind];
  Info.Name = W.Name;
  Info.Backend = "virtual";
  Info.Index = Worker;
  Info.Kind = K.Device;
  Info.Type = K.Type;
  Info.MemoryBytes = K.MemoryBytes;
  Info.ComputeUnits = K.Units;
}

status VirtualDevice::allocate(size_t Bytes, BufferRef &Out) {
  if (*Used + Bytes > Info.MemoryBytes)
    return status::error(errc::out_of_memory, "no memory is left");
  Out = std::make_shared<VirtualBuffer>(Bytes, Used);
  return {};
}

status VirtualDevice::write(const BufferRef &Dst, size_t, const void *, size_t Bytes, std::span<const EventRef> Wait,
                            EventRef &Done) {
  Done = Net.enqueue(stream(Lane::HostToDevice), {{}, Net.Platform.Workers[Worker].Way}, Bytes, {}, Wait, {Dst});
  return {};
}

status VirtualDevice::read(const BufferRef &Src, size_t, void *, size_t Bytes, std::span<const EventRef> Wait,
                           EventRef &Done) {
  std::vector<unsigned> Up(Net.Platform.Workers[Worker].Way.rbegin(), Net.Platform.Workers[Worker].Way.rend());
  Done = Net.enqueue(stream(Lane::DeviceToHost), {std::move(Up), {}}, Bytes, {}, Wait, {Src});
  return {};
}

status VirtualDevice::writeRows(const BufferRef &Dst, size_t Offset, const void *Src, const RowLayout &Rows,
                                std::span<const EventRef> Wait, EventRef &Done) {
  return write(Dst, Offset, Src, Rows.Rows * Rows.Bytes, Wait, Done);
}

status VirtualDevice::readRows(const BufferRef &Src, size_t Offset, void *Dst, const RowLayout &Rows,
                               std::span<const EventRef> Wait, EventRef &Done) {
  return read(Src, Offset, Dst, Rows.Rows * Rows.Bytes, Wait, Done);
}

status VirtualDevice::copy(const BufferRef &Src, size_t, const BufferRef &Dst, size_t, size_t Bytes,
                           std::span<const EventRef> Wait, EventRef &Done) {
  const double PerSecond = Net.Platform.Kinds[Net.Platform.Workers[Worker].Kind].CopyBytesPerSecond;
  const Duration Takes(std::llround(static_cast<double>(Bytes) / PerSecond * 1e9));
  Done = Net.enqueue(stream(Lane::Compute), {}, Bytes, Takes, Wait, {Src, Dst});
  return {};
}

status VirtualDevice::copyFrom(const Device &From, const BufferRef &Src, size_t SrcOffset, const BufferRef &Dst,
                               size_t DstOffset, const RowLayout &Rows, std::span<const EventRef> Wait,
                               EventRef &Done) {
  const size_t Bytes = Rows.Rows * Rows.Bytes;
  if (&From == this)
    return copy(Src, SrcOffset, Dst, DstOffset, Bytes, Wait, Done);
  if (!Net.Platform.Peers)
    return unsupported();
  const unsigned Other = static_cast<const VirtualDevice &>(From).Worker;
  Done = Net.enqueue(stream(Lane::HostToDevice), Net.Platform.path(Other, Worker), Bytes, {}, Wait, {Src, Dst});
  return {};
}

} // namespace hsched::rt::virt
