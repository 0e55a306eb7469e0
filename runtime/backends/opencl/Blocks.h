// A device's memory: how much of it is handed out, and blocks that nobody uses at present.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To give memory back to a driver can wait for all that it runs, and so keep a device from its work while its cache
// changes: a block goes to the next who wants one of its size.
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

// Shared with the buffers, which give theirs back. Drivers allocate when memory is first used, so that their own
// refusal would come too late. Any thread.
class Blocks {
public:
  explicit Blocks(uint64_t Limit) : Limit(Limit) {}

  // A queue on which blocks are used from here on: the device's own, and those of others that copy from them.
  void usedOn(const std::shared_ptr<Stream> &S);
  // False: there is too little left. Out is an unused block of that size, or null: one is to be made.
  bool take(uint64_t Bytes, cl::Buffer &Out);
  // A block that take() allowed for; null: there is none after all.
  void giveBack(uint64_t Bytes, cl::Buffer Block);
  // Drops what is unused. Whether there was any.
  bool dropUnused();
  // The same, and keeps no more.
  void close();

  uint64_t used() const;
  size_t unused() const; // Blocks.

private:
  struct Unused {
    uint64_t Bytes;
    cl::Buffer Block;
  };
  bool maybeBusy() const; // With Lock held.

  const uint64_t Limit;
  mutable std::mutex Lock; // All below.
  std::vector<std::shared_ptr<Stream>> Streams;
  uint64_t Used = 0, UnusedBytes = 0;
  bool Closed = false;
  std::list<Unused> Kept; // The latest first; a quarter of Limit at most, and with Used no more than Limit.
};

} // namespace hsched::rt::opencl
#endif
