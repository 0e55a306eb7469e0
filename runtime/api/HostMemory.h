// Memory of hsched_malloc: whole pages, pinned for every device with its own memory. Also freeing and discarding.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_HOSTMEMORY_H
#define HSCHED_API_HOSTMEMORY_H

#include "device/Device.h"

#include <cstddef>

namespace hsched::rt {

// Device D was added: pins all present and future blocks for
// it.
void pinHostMemoryFor(Device &D);

void *allocateHostMemory(size_t Bytes);
// Any thread. Null has no effect. No unfinished task may name any of it.
void releaseHostMemory(void *Memory);
// Any thread. The memory is written back no more. No unfinished task may name any of it.
void discardHostMemory(const void *Memory, size_t Bytes);

} // namespace hsched::rt
#endif
