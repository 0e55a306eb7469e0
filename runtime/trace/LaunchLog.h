// Launches of kernels with host addresses, and initial contents of their data. Part of the recorder.
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
  // Contents: a folder for the data before their first task. Empty: they are not kept.
  explicit LaunchLog(std::string Contents) : Contents(std::move(Contents)) {}

  // Any thread.
  void add(const LaunchRecord &R);

  // Finds the datum of an address, and the offset in it. False: none.
  using Locate = std::function<bool(uintptr_t Address, uint32_t &Datum, uint64_t &From)>;
  // Adds the launches to R, whose tasks and data are complete. Writes the files of contents. False: one could not be
  // written.
  bool finish(record::Record &R, const Locate &Where);

private:
  struct Argument {
    record::Argument Arg;
    uintptr_t Pointer = 0; // For a buffer or an image. 0: none.
  };
  struct Launched {
    const hsched_kernel_desc *Kernel;
    record::Launch What;
    std::vector<Argument> Args;
  };
  void keepContents(const LaunchRecord &R);

  const std::string Contents;
  std::mutex Lock;                      // Guards the fields below.
  std::map<uint64_t, Launched> ByTask;  // If a task has several launches, the last one counts.
  std::map<uintptr_t, uintptr_t> Known; // Bytes that some task has read or written: first -> end.
  std::map<uintptr_t, std::vector<unsigned char>> Pieces;
};

} // namespace hsched::rt
#endif
