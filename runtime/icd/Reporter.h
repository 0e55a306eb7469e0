// Tells the engine's observers of commands: HSCHED_TRACE, HSCHED_STATS, HSCHED_GRAPH, HSCHED_EXPLAIN, HSCHED_RECORD.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command is a task: its type is the kernel's name, or the command's; its sections are the bytes of memory objects
// and of the program's memory that it uses. Devices are workers, vendors' queues their rows.
#ifndef HSCHED_ICD_REPORTER_H
#define HSCHED_ICD_REPORTER_H

#include "graph/TaskType.h"
#include "icd/Command.h"
#include "trace/Observer.h"

#include <map>
#include <set>
#include <span>

namespace hsched::icd {

class Reporter {
public:
  // Null: nobody listens, or this is a forked child. The first call starts the engine, if somebody does.
  static Reporter *get();

  // Numbers the command.
  void submitted(Command &C);
  void dependence(const std::vector<uint64_t> &From, const Command &To);
  // It goes where its queue goes.
  void placed(const Command &C, const Device &On);
  void ran(const Command &C);
  // A row for one more queue of a vendor's.
  rt::RowId stream(const Device &D);
  // For the directory of data, which tells of copies and look-ups itself.
  rt::Observer &observer() { return To; }
  rt::WorkerId idOf(const Device &D);
  // A type of that name, for as long as the process lives.
  rt::TaskType *typeOf(const char *Name);
  void waited(cl_ulong Begin);

  // What the scheduler predicted of a command on a device. Negative run time: it is not known.
  struct Prediction {
    const Device *On;
    double Run, Transfer, Wait; // seconds
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
  Worker &workerOf(const Device &D); // under the lock
  const char *nameOf(const Command &C);

  rt::Observer &To;
  std::mutex Lock;
  std::map<const Device *, Worker> Workers;
  std::set<std::string> Names;
  std::map<std::string, rt::TaskType> Types;
};

} // namespace hsched::icd
#endif
