// Reports commands to the engine's observers: HSCHED_TRACE, HSCHED_STATS, HSCHED_GRAPH, HSCHED_EXPLAIN, HSCHED_RECORD.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command is a task. Its type is the name of the kernel or command. Its sections are the bytes that it uses of
// memory objects and of the program's memory. Devices are workers; vendor queues are their rows.
#ifndef HSCHED_ICD_REPORTER_H
#define HSCHED_ICD_REPORTER_H

#include "graph/TaskType.h"
#include "icd/Minikernel.h"
#include "trace/Observer.h"

#include <array>
#include <map>
#include <set>
#include <span>

namespace hsched::icd {

class Reporter {
public:
  // Null without observers, or in a forked child. The first call starts the engine if there is an observer.
  static Reporter *get();

  // Numbers the command.
  void submitted(Command &C);
  // True if observers want the launches of kernels: see launching().
  bool wantsLaunches() const { return To.wantsLaunches(); }
  // The kernel's source and arguments, for a command that has been submitted. A record has no launch without a source,
  // with sizes of a device's own, or with a work-group smaller than the others. The log names each such
  // kernel once.
  void launching(const Command &C, const Kernel &K, const Kernel::Bound &Args, const Sizes &S);
  void dependence(const std::vector<uint64_t> &From, const Command &To);
  // Its device is known.
  void placed(const Command &C, const Device &On);
  void ran(const Command &C);
  // A new row for a vendor queue.
  rt::RowId stream(const Device &D);
  // For the directory of data, which reports copies and lookups itself.
  rt::Observer &observer() { return To; }
  rt::WorkerId idOf(const Device &D);
  // A type of that name; it lives as long as the process.
  rt::TaskType *typeOf(const char *Name);
  void waited(cl_ulong Begin);

  // The scheduler's prediction for a command on a device. Negative run time: unknown.
  struct Prediction {
    const Device *On;
    double Run, Transfer, Wait; // In seconds.
    unsigned Runs;
  };
  void mapped(const Command &C, const Device &To, const char *Why, std::span<const Prediction> All);

private:
  explicit Reporter(rt::Observer &To) : To(To) {}
  static Reporter *make();
  static Reporter *Only;
  struct Worker {
    rt::WorkerId Id;
    std::string Name;
    unsigned Streams = 0;
  };
  Worker &workerOf(const Device &D); // Under the lock.
  const char *nameOf(const Command &C);
  // A description of the kernel; it lives as long as the process.
  const hsched_kernel_desc *descriptionOf(const Kernel &K);

  rt::Observer &To;
  std::mutex Lock;
  std::map<const Device *, Worker> Workers;
  std::set<std::string> Names;
  std::map<std::array<std::string, 3>, hsched_kernel_desc> Kernels; // By name, options and source.
  std::set<std::pair<std::string, const char *>> LeftOut;           // Kernels, and why their launches were left out.
  std::map<std::string, rt::TaskType> Types;
};

} // namespace hsched::icd
#endif
