// Launches of kernels as the host saw them, and what their data began as. A part of the recorder.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TRACE_LAUNCHLOG_H
#define HSCHED_TRACE_LAUNCHLOG_H

#include "trace/Observer.h"
#include "trace/Record.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace hsched::rt {

class LaunchLog {
public:
  // Contents: a folder for what data are before their first task; empty: they are not kept.
  explicit LaunchLog(std::string Contents) : Contents(std::move(Contents)) {}

  // Any thread.
  void add(const LaunchRecord &R);

  // The datum of an address, and how far behind its beginning; false: there is none.
  using Locate = std::function<bool(uintptr_t Address, uint32_t &Datum, uint64_t &From)>;
  // Into R, whose tasks and data are there. Writes the files of contents; false: one of them could not be written.
  bool finish(record::Record &R, const Locate &Where);

private:
  struct Argument {
    record::Argument Arg;
    uintptr_t Pointer = 0; // Of a buffer.
  };
  struct Launched {
    const hsched_kernel_desc *Kernel;
    record::Launch What;
    std::vector<Argument> Args;
  };
  void keepContents(const LaunchRecord &R);

  const std::string Contents;
  std::mutex Lock;                      // Guards what follows.
  std::map<uint64_t, Launched> ByTask;  // The last launch of a task counts.
  std::map<uintptr_t, uintptr_t> Known; // Bytes that a task has read or written: from, to.
  std::map<uintptr_t, std::vector<unsigned char>> Pieces;
};

} // namespace hsched::rt
#endif
