// Vendors' platforms: found in *.icd files, loaded and called without the OpenCL loader.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_DRIVER_H
#define HSCHED_ICD_DRIVER_H

#include "icd/Failure.h"
#include "icd/SerialTable.h"

#include <memory>
#include <string>
#include <vector>

namespace hsched::icd {

// One platform of a vendor. Lives as long as the process.
struct Driver {
  cl_platform_id Id = nullptr;
  std::string Name;
  unsigned Version = 0; // 300 for OpenCL 3.0.
  // True if its table has the functions of that version.
  bool has(unsigned Since) const { return Version >= Since; }
  const cl_icd_dispatch &cl() const { return table(Id); }
  // A driver that runs commands only inside waiting calls and is not thread-safe: Oclgrind. The dispatcher's thread
  // passes it commands and waits for each; its functions are called by one thread at a time.
  bool Lazy = false;
};

// A vendor's text. Empty on error.
template <class Ask> std::string textOf(Ask &&Get) {
  size_t Bytes = 0;
  if (Get(0, nullptr, &Bytes) != CL_SUCCESS || !Bytes)
    return {};
  std::string Text(Bytes, '\0');
  if (Get(Bytes, Text.data(), nullptr) != CL_SUCCESS)
    return {};
  while (!Text.empty() && !Text.back())
    Text.pop_back();
  return Text;
}
// Parses "OpenCL 1.2 text" as 120. 0: malformed.
unsigned versionOf(const std::string &Text);

// The libraries that the *.icd files of a folder name, in the order of the files' names; or those of one such file.
std::vector<std::string> librariesIn(const std::string &FolderOrFile);

// All vendors' platforms, loaded by the first call. A library that cannot be loaded, has no platform, or is this one,
// is skipped; HSCHED_LOG=info logs the reason. Any thread.
const std::vector<std::unique_ptr<Driver>> &drivers();

} // namespace hsched::icd
#endif
