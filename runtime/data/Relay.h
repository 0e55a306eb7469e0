// Copies through pinned host memory, between devices that do not reach each other's memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data pass in pieces through a ring of blocks. While one piece is written to the target, the next ones, also of the
// next copy, are read from the source. One thread does this, made at the first copy; no other thread waits. The data's
// home is not touched.
#ifndef HSCHED_DATA_RELAY_H
#define HSCHED_DATA_RELAY_H

#include "device/Device.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace hsched::rt {

class Relay {
public:
  struct Copy {
    Device *From = nullptr, *To = nullptr;
    BufferRef Src, Dst;
    size_t SrcOffset = 0, DstOffset = 0;
    RowLayout Rows; // HostStride is the distance of rows in Src, DeviceStride in Dst.
    // Predecessors: events of From, of To, and of other devices. The copy fails if one of Sources fails.
    std::vector<EventRef> FromWait, ToWait, Sources, Others;
  };

  Relay(size_t PieceBytes = 4 << 20, size_t NumPieces = 4) : PieceBytes(PieceBytes), Blocks(NumPieces) {}
  ~Relay() { stop(); }

  // Any thread. The event belongs to no device, so no device can wait for it.
  EventRef start(Copy C);
  // Any thread. Copies as the directory does: directly if To reaches From, else by start(). Without
  // predecessors.
  status copy(Device &From, const BufferRef &Src, Device &To, const BufferRef &Dst, size_t Bytes, EventRef &Done);
  // Returns when all copies have ended; frees thread and memory. Do not call it concurrently with start().
  void stop();

private:
  class Done;
  // The unit that is read into a block and written from it.
  struct Piece {
    std::shared_ptr<Copy> Of;
    std::shared_ptr<Done> Result;
    size_t SrcOffset, DstOffset;
    RowLayout Rows;
    bool First, Last;
    size_t Block = 0;
    EventRef Read;
  };
  struct Job {
    std::shared_ptr<Copy> C;
    std::shared_ptr<Done> Result;
  };

  void loop();
  // Splits the oldest copy whose predecessors have ended into pieces. False: there is none.
  bool beginNext();
  void split(const Job &J);
  void read(Piece P);
  void writeOldest();
  void write(Piece &P);
  void fail(Piece &P, const status &Why);
  // Releases the buffers before any thread can see that the copy has ended.
  static void releaseBuffers(Copy &C) {
    C.Src.reset();
    C.Dst.reset();
  }
  void pinFor(Device &Dev);
  std::byte *block(size_t I) const { return Memory + I * PieceBytes; }

  const size_t PieceBytes;
  std::mutex Lock; // Guards Jobs and Stopping, and the creation of Memory and Thread.
  std::condition_variable Changed;
  std::deque<Job> Jobs;
  bool Stopping = false;
  std::thread Thread;

  // The fields below belong to the thread.
  std::deque<Job> Claimed; // Claimed from Jobs, not begun.
  std::deque<Piece> Pieces, Reading;
  std::vector<EventRef> Blocks; // By block: the last write from it.
  size_t NextBlock = 0;
  std::vector<Device *> PinnedFor;

  std::byte *Memory = nullptr; // Memory of the blocks.
};

} // namespace hsched::rt
#endif
