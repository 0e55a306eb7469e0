// What runs of the program have learnt of execution times: read from files at the start, written at the end.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_MODELKEEPER_H
#define HSCHED_API_MODELKEEPER_H

#include "perfmodel/History.h"
#include "perfmodel/ModelFile.h"
#include "sched/Platform.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace hsched::rt {

class ModelKeeper {
public:
  // Path: the file that is kept, HSCHED_MODELS; HintPath: one that is only read, HSCHED_HINTS; each may be empty. A
  // file that cannot be used is warned about. Devices that the files tell of get their kind among Machine's, which
  // lives longer; call it before there are any.
  ModelKeeper(std::string Path, const std::string &HintPath, Platform &Machine);

  // What is known of Type's versions; see History::Before. Any thread.
  std::vector<HistoryRow> before(const TaskType &Type);

  // Adds what this run has recorded to the kept file. Once, when no task runs and no device comes any more.
  void save(const History &Recorded);

private:
  struct Names { // A type may be gone when it is saved.
    std::string Task, Name;
    struct OfVersion {
      std::string Version, Name, Code;
    };
    std::vector<OfVersion> Versions;
  };
  static Names namesOf(const TaskType &Type);

  const std::string Path;
  Platform &Machine;
  const std::string Cpu; // Identity of the processor.
  std::vector<ModelEntry> Kept, Hints;
  std::map<std::string, ModelId> Devices; // That the files tell of.
  std::mutex Lock;
  std::map<uint32_t, Names> Types; // By id; guarded by Lock.
};

// What tells a version's code from other code of its name: of a kernel a hash of its source and options, else the build
// id of the program or library that has its body; empty where there is none.
std::string codeOf(const hsched_version_desc &Version);

} // namespace hsched::rt
#endif
