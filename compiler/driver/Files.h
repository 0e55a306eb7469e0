// Files and paths, as far as the driver touches them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_FILES_H
#define HSCHED_CC_DRIVER_FILES_H

#include <string>

namespace hsched::cc {

/// False, with errno set, when the file cannot be read. Folders cannot.
bool readFile(const std::string &Path, std::string &Text);
bool readDescriptor(int Descriptor, std::string &Text);

/// Writes the whole file, or standard output for "-"; false with errno set.
bool writeFile(const std::string &Path, const std::string &Text);

bool isRegularFile(const std::string &Path);

/// "." where the path has no folder.
std::string parentOf(const std::string &Path);
std::string nameOf(const std::string &Path);
/// The path without the last suffix of its name: "a.b/c.d" gives "a.b/c".
std::string withoutSuffix(const std::string &Path);

} // namespace hsched::cc

#endif
