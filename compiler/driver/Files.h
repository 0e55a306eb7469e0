// File and path helpers of the driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_CC_DRIVER_FILES_H
#define HSCHED_CC_DRIVER_FILES_H

#include <string>

namespace hsched::cc {

/// Reads a file. False, with errno set, if it cannot be read. Folders cannot be read.
bool readFile(const std::string &Path, std::string &Text);
bool readDescriptor(int Descriptor, std::string &Text);

/// Writes the whole file, or standard output for "-"; false with errno set.
bool writeFile(const std::string &Path, const std::string &Text);

bool isRegularFile(const std::string &Path);

/// The parent folder. "." if the path has none.
std::string parentOf(const std::string &Path);
std::string nameOf(const std::string &Path);
/// The path without the last suffix of its name: "a.b/c.d" gives "a.b/c".
std::string withoutSuffix(const std::string &Path);

} // namespace hsched::cc

#endif
