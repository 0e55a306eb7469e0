// The commands of hsched-model.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_MODEL_MODEL_H
#define HSCHED_TOOLS_MODEL_MODEL_H

#include "perfmodel/ModelFile.h"

#include <string>
#include <vector>

namespace hsched::model {

using rt::ModelEntry;
using rt::ModelFile;

// Which entries are meant: TASK or TASK:VERSION, each by the name that the user or the linker gave it. An empty part
// stands for all.
struct Selection {
  std::string Task, Version;
  explicit Selection(const std::string &Text);
  bool holds(const ModelEntry &E) const;
};

// As a user reads them: "saxpy", "512 KiB", "1.25 ms".
std::string taskOf(const ModelEntry &E);
std::string versionOf(const ModelEntry &E);
std::string sizeOf(const ModelEntry &E);
std::string timeOf(double Ns);

// A line a task: how many versions, devices, sizes and runs.
std::string listTasks(const ModelFile &File);
// A line an entry of What, and how each version's time grows with the size, where three sizes are known.
std::string showEntries(const ModelFile &File, const Selection &What);
// A line an entry that only one of the files has, or whose medians differ by more than a tenth.
std::string diffEntries(const ModelFile &A, const ModelFile &B);
// A picture (SVG): the times of What over the sizes, on logarithmic axes, a colour for each version and device, with
// the fitted line. Throws std::runtime_error if there is nothing to draw.
std::string plotEntries(const ModelFile &File, const Selection &What);

} // namespace hsched::model
#endif
