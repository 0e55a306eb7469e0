// Copies between devices that do not reach each other's memory, by way of pinned host memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data go in pieces through a ring of blocks: while one piece is written to the one device, the next ones are read from
// the other, also those of the next copy. A thread does it, made for the first copy; nobody else waits. The host's own
// place of the data is not touched.
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
    RowLayout Rows; // HostStride apart in Src, DeviceStride in Dst.
    // Events of From's and of To's that come first, and of others: Sources' failure is the copy's.
    std::vector<EventRef> FromWait, ToWait, Sources, Others;
  };

  Relay(size_t PieceBytes = 4 << 20, size_t NumPieces = 4) : PieceBytes(PieceBytes), Blocks(NumPieces) {}
  ~Relay() { stop(); }

  // Any thread. The event belongs to no device: none can be made to wait for it.
  EventRef start(Copy C);
  // Any thread. Copies as a directory does: directly where To reaches From, else by start(). Not ordered after
  // anything.
  status copy(Device &From, const BufferRef &Src, Device &To, const BufferRef &Dst, size_t Bytes, EventRef &Done);
  // Returns when all copies have ended, and holds no thread and no memory then. Not together with start().
  void stop();

private:
  class Done;
  // What is read from a block and written to one, at once.
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
  // Puts the oldest copy whose predecessors have ended in pieces. False: there is none.
  bool beginNext();
  void split(const Job &J);
  void read(Piece P);
  void writeOldest();
  void write(Piece &P);
  void fail(Piece &P, const status &Why);
  // The blocks are free for others as soon as anybody can see that the copy has ended.
  static void letGo(Copy &C) {
    C.Src.reset();
    C.Dst.reset();
  }
  void pinFor(Device &Dev);
  std::byte *block(size_t I) const { return Memory + I * PieceBytes; }

  const size_t PieceBytes;
  std::mutex Lock; // Jobs, Stopping; Memory's and Thread's making.
  std::condition_variable Changed;
  std::deque<Job> Jobs;
  bool Stopping = false;
  std::thread Thread;

  // The thread's own.
  std::deque<Job> Taken; // Out of Jobs, not begun.
  std::deque<Piece> Pieces, Reading;
  std::vector<EventRef> Blocks; // What was written last from each.
  size_t NextBlock = 0;
  std::vector<Device *> PinnedFor;

  std::byte *Memory = nullptr; // Of the blocks.
};

} // namespace hsched::rt
#endif
