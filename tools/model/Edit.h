// Changes to files of execution times. All throw std::runtime_error, with the file and what is wrong, and change
// nothing then; they return what to tell the user.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_TOOLS_MODEL_EDIT_H
#define HSCHED_TOOLS_MODEL_EDIT_H

#include "model/Model.h"

namespace hsched::model {

ModelFile readFile(const std::string &Path);
// Throws unless some entry is meant; names the tasks that there are.
void requireSome(const ModelFile &File, const Selection &What, const std::string &Text);
// The files of From are read first: one that is damaged changes nothing.
std::string mergeFiles(const std::string &To, const std::vector<std::string> &From);
std::string dropEntries(const std::string &Path, const std::string &What);
// To is not there yet.
std::string exportEntries(const std::string &Path, const std::string &To, const std::string &What);

} // namespace hsched::model
#endif
