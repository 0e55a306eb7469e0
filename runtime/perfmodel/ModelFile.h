// Execution times in a file: what one run of a program has learnt for the next, and hints written by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON; docs/models.md has the format. A file is read whole, and written under another name and renamed: a reader sees
// all of it or none. Processes that write at the same time take turns by a lock on a file beside it, and each adds its
// own runs to what is there: nothing is lost.
#ifndef HSCHED_PERFMODEL_MODELFILE_H
#define HSCHED_PERFMODEL_MODELFILE_H

#include "base/SizeClass.h"

#include <hsched/status.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hsched::rt {

// One version of a task, on one kind of worker, for one size.
struct ModelEntry {
  std::string Task, TaskName; // Linker's name, and the one that the user wrote; of hints either.
  std::string Version, VersionName;
  // What tells the code from other code of that name: a hash of the kernel's source and options, or the build id of the
  // program or library. Empty: any, of hints.
  std::string Code;
  std::string Device; // The processor or the device's model and driver; "cpu" or "opencl": any such; empty: any.
  SizeClass Size = 0;
  uint64_t Runs = 0;         // At least as many as in Recent.
  std::vector<float> Recent; // Ns, the oldest first; at most RunStats::MostRecent.

  bool sameAs(const ModelEntry &Other) const {
    return Task == Other.Task && Version == Other.Version && Code == Other.Code && Device == Other.Device &&
           Size == Other.Size;
  }
  double medianNs() const;
};

class ModelFile {
public:
  std::vector<ModelEntry> Entries;

  // Replaces all entries. invalid_argument, which names Path and the field and leaves this as it was: the text is no
  // model file.
  status parse(std::string_view Text, const std::string &Path);
  // The same of a file; not_found where there is none, io where it cannot be read.
  status read(const std::string &Path);
  // What parse reads.
  std::string format() const;
  // Io where it cannot be written; then the old file is still there.
  status write(const std::string &Path) const;

  // Adds runs that are not in here: to the entry that is the same, or as a new one. The recent ones are the newest.
  void add(const ModelEntry &New);
};

// Adds New to the file, which need not be there, nor its folder. A file that is damaged is kept under the name
// Path.damaged, which the status says (invalid_argument), and a new one is begun. Any thread, any number of processes.
status updateModels(const std::string &Path, const std::vector<ModelEntry> &New);

// Changes a file that is there by Change, which may throw: then it stays as it was. No other process writes meanwhile.
status editModels(const std::string &Path, const std::function<void(ModelFile &)> &Change);

// The file that HSCHED_MODELS names: unset, empty, 0 or off: none, and the result is empty; 1 or on: models.json in
// cacheFolder(), if there is one; anything with a '/' is a file. Any other value is warned about and means none.
std::string modelPath();

} // namespace hsched::rt
#endif
