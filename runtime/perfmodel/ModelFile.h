// Execution times in a file: measurements of earlier program runs, and hints written by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON; docs/models.md has the format. A file is written under another name and renamed, so a reader sees a complete
// file. Concurrent writers exclude each other by a lock file and add their runs to the present contents, so nothing is
// lost.
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
  std::string Task, TaskName; // The linker's name and the user's name; a hint has either.
  std::string Version, VersionName;
  // Identifies the code: a hash of the kernel's source and options, or the build id of the program or library. Empty,
  // in hints: any code.
  std::string Code;
  // The processor, or the device's model and driver. "cpu" or "opencl": any of that kind; empty: any.
  std::string Device;
  SizeClass Size = 0;
  uint64_t Runs = 0;         // Number of runs, at least as many as in Recent.
  std::vector<float> Recent; // Times in ns, the oldest first; at most RunStats::MostRecent.

  bool sameAs(const ModelEntry &Other) const {
    return Task == Other.Task && Version == Other.Version && Code == Other.Code && Device == Other.Device &&
           Size == Other.Size;
  }
  double medianNs() const;
};

class ModelFile {
public:
  std::vector<ModelEntry> Entries;

  // Replaces all entries. Error invalid_argument, without effect, for text that is no model file; it names Path and the
  // field.
  status parse(std::string_view Text, const std::string &Path);
  // The same for a file. Errors: not_found; io if it cannot be read.
  status read(const std::string &Path);
  // Returns text that parse accepts.
  std::string format() const;
  // Error io if it cannot be written; the old file then stays.
  status write(const std::string &Path) const;

  // Adds new runs to the matching entry, or as a new entry. Recent keeps the newest.
  void add(const ModelEntry &New);
};

// Adds New to the file, and makes file and folder if needed. A damaged file is renamed to Path.damaged, reported by the
// status (invalid_argument), and a new one is begun. Any thread, any number of processes.
status updateModels(const std::string &Path, const std::vector<ModelEntry> &New);

// Changes an existing file by Change. If Change throws, the file is unchanged. No other process writes meanwhile.
status editModels(const std::string &Path, const std::function<void(ModelFile &)> &Change);

// The file that HSCHED_MODELS names: unset, empty, 0 or off: none, and the result is empty; 1 or on: models.json in
// cacheFolder(), if there is one; anything with a '/' is a file. Any other value gives a warning and means none.
std::string modelPath();

} // namespace hsched::rt
#endif
