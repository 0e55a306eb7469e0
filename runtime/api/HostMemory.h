// Memory of hsched_malloc: pages of its own, pinned for every device that has memory of its own; and the end of any.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_HOSTMEMORY_H
#define HSCHED_API_HOSTMEMORY_H

#include "device/Device.h"

#include <cstddef>

namespace hsched::rt {

// Any thread. Null where there is none, and for 0 bytes. Starts the runtime.
// D has come: what was allocated, and will be, is pinned for it.
void pinHostMemoryFor(Device &D);

void *allocateHostMemory(size_t Bytes);
// Any thread. Null is nothing. No task that names any of it is unfinished.
void releaseHostMemory(void *Memory);
// Any thread. Nothing brings it home any more. No task that names any of it is unfinished.
void discardHostMemory(const void *Memory, size_t Bytes);

} // namespace hsched::rt
#endif
