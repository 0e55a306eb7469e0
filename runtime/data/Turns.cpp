// Who gets room on a device first.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An acquire that fails holds nothing, so tasks that drive out each other's data do not wait for each other in a
// circle. But one that needs much may be overtaken for ever by others that need little. So the oldest one that waits
// has a claim: later ones get room, and hold blocks, only as far as its room remains.
#include "data/DirectoryImpl.h"

namespace hsched::rt {

// So often is it overtaken by tasks whose blocks are there: what they work on is there now, and soon may not be.
static constexpr unsigned MostOvertakes = 16;

bool Directory::Impl::mayTakeRoom(const Task &T, MemoryNode Node, PackedParams Packed, const Acquisition &Out) {
  auto &Queue = Waiting[Node];
  if (Queue.empty())
    return true;
  std::erase_if(Queue, [](const auto &Each) { return Each.expired(); });
  const auto First = Queue.empty() ? nullptr : Queue.front().lock();
  if (!First || First == Out.Waits)
    return true;
  uint64_t Held = 0, More = 0; // Bytes of blocks that tasks hold, and that this one would hold besides.
  for (const ReplicaRef &R : Replicas[Node].all())
    Held += R->Pins ? R->bytes() : 0;
  bool AllThere = true;
  for (const Extent &Want : wantsOf(T, Packed)) {
    const ReplicaRef &R = Replicas[Node].covering(Want);
    AllThere = AllThere && R;
    More += !R ? blockBytes(Want) : R->Pins ? 0 : R->bytes();
  }
  const uint64_t Total = Nodes[Node].Dev->info().MemoryBytes;
  return !Total || !More || Held + More + First->Need <= Total || (AllThere && First->Overtaken++ < MostOvertakes);
}

void Directory::Impl::noteTurn(MemoryNode Node, const status &Room, const Round &R, Acquisition &Out) {
  // What a task elsewhere is about to overwrite may stay for long, for a reason that needs others to go on.
  if (Room.code() == errc::cancelled) // Another look follows.
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
