// Execution times of earlier program runs: read from files at the start, written at the end.
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
  // Path: the file that is updated, HSCHED_MODELS. HintPath: a file that is only read, HSCHED_HINTS. Either may be
  // empty. An unusable file gives a warning. Devices in the files get a ModelId of Machine, which outlives this. Call
  // it before devices are added.
  ModelKeeper(std::string Path, const std::string &HintPath, Platform &Machine);

  // Earlier times of Type's versions; see History::Before. Any thread.
  std::vector<HistoryRow> before(const TaskType &Type);

  // Adds this run's times to the file. Once, when no task runs and no device will be added.
  void save(const History &Recorded);

private:
  struct Names { // Kept because a type may be destroyed before save.
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
  std::map<std::string, ModelId> Devices; // Devices named in the files.
  std::mutex Lock;
  std::map<uint32_t, Names> Types; // By id; guarded by Lock.
};

// Identifies a version's code: for a kernel a hash of source and options, otherwise the build id of the program or
// library with its body. Empty without a build id.
std::string codeOf(const hsched_version_desc &Version);

} // namespace hsched::rt
#endif
