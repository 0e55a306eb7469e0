// The order in which waiting acquires get memory on a device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A failed acquire holds nothing, so tasks that evict each other's data do not deadlock. But a large request could
// starve behind many small ones. So the oldest waiting acquire has a reservation: later ones get memory, and hold
// blocks, only beyond its need.
#include "data/DirectoryImpl.h"

namespace hsched::rt {

// Number of times that tasks with resident blocks may overtake it: their data are there now, and may be evicted soon.
static constexpr unsigned MostOvertakes = 16;

bool Directory::Impl::mayTakeRoom(const Task &T, MemoryNode Node, PackedParams Packed, const Acquisition &Out) {
  auto &Queue = Waiting[Node];
  if (Queue.empty())
    return true;
  std::erase_if(Queue, [](const auto &Each) { return Each.expired(); });
  const auto First = Queue.empty() ? nullptr : Queue.front().lock();
  if (!First || First == Out.Waits)
    return true;
  uint64_t BytesInUse = 0, More = 0; // Bytes of blocks held by tasks, and bytes that this one would hold in addition.
  for (const ReplicaRef &R : Replicas[Node].all())
    BytesInUse += R->Pins ? R->bytes() : 0;
  bool AllThere = true;
  for (const Extent &Needed : blocksFor(T, Packed)) {
    const ReplicaRef &R = Replicas[Node].covering(Needed);
    AllThere = AllThere && R;
    More += !R ? blockBytes(Needed) : R->Pins ? 0 : R->bytes();
  }
  const uint64_t Total = Nodes[Node].Dev->info().MemoryBytes;
  return !Total || !More || BytesInUse + More + First->Need <= Total ||
         (AllThere && First->Overtaken++ < MostOvertakes);
}

void Directory::Impl::noteTurn(MemoryNode Node, const status &Room, const Round &R, Acquisition &Out) {
  // Data that a task on another node is about to overwrite may stay long, for a reason that needs other tasks to run.
  if (Room.code() == errc::cancelled) // Another round follows.
    return;
  if (Room.code() != errc::out_of_memory || !R.Busy || R.Stuck) {
    Out.Waits.reset();
    return;
  }
  if (!Out.Waits || Out.Waits->Node != Node) {
    Out.Waits = std::make_shared<Acquisition::Turn>();
    Out.Waits->Node = Node;
    Waiting[Node].push_back(Out.Waits);
  }
  Out.Waits->Need = R.Need;
}

} // namespace hsched::rt
