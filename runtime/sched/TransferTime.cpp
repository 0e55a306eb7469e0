// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/TransferTime.h"
#include "data/FragmentMap.h"

#include <array>

namespace hsched::rt {

Duration transferTime(const Directory &Data, const Links &Measured, std::span<const WorkerId> NodeWorkers,
                      const Task &T, MemoryNode Node) {
  Duration All{0};
  auto linksOf = [&](MemoryNode N) -> const LinkTimes & {
    const LinkTimes *Known = Measured.of(NodeWorkers[N]);
    return Known ? *Known : UnmeasuredLinks;
  };
  std::array<Directory::Source, MaxNodes> From;
  Data.sources(T, Node, std::span(From).first(NodeWorkers.size()));
  for (MemoryNode N = 0; N < NodeWorkers.size(); ++N)
    if (From[N].Bytes)
      All += (N == HostNode      ? linksOf(Node).ToDevice
              : Node == HostNode ? linksOf(N).ToHost
                                 : Measured.between(NodeWorkers[N], NodeWorkers[Node]))
                 .time(From[N].Bytes, From[N].Sections);
  return All;
}

void returnTimes(const Directory &Data, const Links &Measured, std::span<const WorkerId> NodeWorkers, const Task &T,
                 std::span<Duration::rep> ByNode) {
  uint64_t Bytes = 0;
  for (const Access &A : T.accesses())
    if (writes(A)) {
      std::array<uint64_t, MaxNodes> Valid{};
      Data.validBytes(A, Valid);
      Bytes += Valid[HostNode];
    }
  for (MemoryNode N = 0; N < std::min(ByNode.size(), NodeWorkers.size()); ++N) {
    const LinkTimes *Known = Measured.of(NodeWorkers[N]);
    ByNode[N] = N == HostNode || !Bytes ? 0 : (Known ? *Known : UnmeasuredLinks).ToHost.time(Bytes).count();
  }
}

Duration underway(const Directory &Data, const Links &Measured, WorkerId W, MemoryNode Node) {
  const LinkTimes *Known = Measured.of(W);
  const uint64_t Bytes = Data.bytesUnderway(Node);
  return Bytes ? (Known ? *Known : UnmeasuredLinks).ToDevice.time(Bytes) : Duration(0);
}

Duration handOver(const Links &Measured, WorkerId W) {
  const LinkTimes *Known = Measured.of(W);
  const LinkTimes &Way = Known ? *Known : UnmeasuredLinks;
  return Way.ToHost.time(0) + Way.ToDevice.time(0);
}

} // namespace hsched::rt
