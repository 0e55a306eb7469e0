// Changes to files of execution times. On error, all throw std::runtime_error with file and reason, and change nothing.
// They return the text for the user.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_MODEL_EDIT_H
#define HSCHED_TOOLS_MODEL_EDIT_H

#include "model/Model.h"

namespace hsched::model {

ModelFile readFile(const std::string &Path);
// Throws, with the existing tasks, if no entry is selected.
void requireSome(const ModelFile &File, const Selection &What, const std::string &Text);
// The files of From are read first, so a damaged one changes nothing.
std::string mergeFiles(const std::string &To, const std::vector<std::string> &From);
std::string dropEntries(const std::string &Path, const std::string &What);
// To must not exist.
std::string exportEntries(const std::string &Path, const std::string &To, const std::string &What);

} // namespace hsched::model
#endif
