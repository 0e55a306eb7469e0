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

// Selection of entries: TASK or TASK:VERSION, by the user's or the linker's name. An empty text selects
// all.
struct Selection {
  std::string Task, Version;
  explicit Selection(const std::string &Text); // Throws std::runtime_error if a part beside ':' is empty.
  bool holds(const ModelEntry &E) const;
};

// Readable forms: "saxpy", "512 KiB", "1.25 ms".
std::string taskOf(const ModelEntry &E);
std::string versionOf(const ModelEntry &E);
std::string sizeOf(const ModelEntry &E);
std::string timeOf(double Ns);

// One line for each task: numbers of versions, devices, sizes and runs.
std::string listTasks(const ModelFile &File);
// One line for each entry of What, and the growth of each version's time with the size if three sizes are known.
std::string showEntries(const ModelFile &File, const Selection &What);
// One line for each entry that only one file has, or whose medians differ by more than 10 %.
std::string diffEntries(const ModelFile &A, const ModelFile &B);
// A picture (SVG): times over sizes for What, on logarithmic axes, with a colour for each version and device and the
// fitted lines. Throws std::runtime_error if there is nothing to draw.
std::string plotEntries(const ModelFile &File, const Selection &What);

} // namespace hsched::model
#endif
