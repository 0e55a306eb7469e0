// Accounting of a device's memory, and a cache of unused blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Returning memory to a driver may wait for all running commands, and so idle the device. Therefore a freed block is
// kept for the next allocation of its size.
#ifndef HSCHED_BACKENDS_OPENCL_BLOCKS_H
#define HSCHED_BACKENDS_OPENCL_BLOCKS_H

#include "backends/opencl/ClHeader.h"
#include "backends/opencl/Events.h"
#include "device/Device.h"

#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace hsched::rt::opencl {

// Shared with the buffers, which return their blocks. This counts bytes because drivers allocate at the first use, so a
// driver's refusal would come too late. Any thread.
class Blocks {
public:
  explicit Blocks(uint64_t Limit) : Limit(Limit) {}

  // Adds a queue that uses blocks: of this device, or of one that copies from them.
  void usedOn(const std::shared_ptr<Stream> &S);
  // False: too little memory is left. Out: an unused block of that size; null: the caller makes one.
  bool take(uint64_t Bytes, cl::Buffer &Out);
  // Returns a block granted by take(). Null: none was made.
  void giveBack(uint64_t Bytes, cl::Buffer Block);
  // Releases unused blocks. True if there were any.
  bool dropUnused();
  // The same, and keeps none from now on.
  void close();

  uint64_t used() const;
  size_t unused() const; // Number of unused blocks.

private:
  struct Unused {
    uint64_t Bytes;
    cl::Buffer Block;
  };
  bool maybeBusy() const; // True if a queue may be busy. With Lock held.

  const uint64_t Limit;
  mutable std::mutex Lock; // Guards all below.
  std::vector<std::shared_ptr<Stream>> Streams;
  uint64_t Used = 0, UnusedBytes = 0;
  bool Closed = false;
  std::list<Unused> UnusedBlocks; // Latest first. At most Limit / 4 bytes, and with Used no more than Limit.
};

} // namespace hsched::rt::opencl
#endif
