// Integer ids used across layers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_BASE_IDS_H
#define HSCHED_BASE_IDS_H

#include <cstdint>

namespace hsched::rt {

using TaskId = uint64_t;     // 1, 2, ... in order of submission; 0 is no task.
using WorkerId = uint32_t;   // Dense, from 0; worker 0 is the main thread's.
using MemoryNode = uint32_t; // Dense, from 0; 0 is host memory.
using RowId = uint32_t;      // A line of the trace: a worker, or a stream of a device.

inline constexpr WorkerId NoWorker = ~0u;
inline constexpr MemoryNode HostNode = 0;

// Rows of the trace. A CPU worker has one. A device has one for each direction of transfer and one for each compute
// queue (numbered as Device::streamOf numbers the streams of kernels). The executor announces all rows.
inline constexpr RowId RowsPerWorker = 64;
constexpr RowId cpuRow(WorkerId W) { return W * RowsPerWorker; }
constexpr RowId uploadRow(WorkerId W) { return W * RowsPerWorker; }
constexpr RowId downloadRow(WorkerId W) { return W * RowsPerWorker + 1; }
constexpr RowId computeRow(WorkerId W, unsigned Queue) { return W * RowsPerWorker + 2 + Queue % (RowsPerWorker - 2); }

} // namespace hsched::rt
#endif
