// Results of hsched-kinfo, a separate process: the arguments that kernels of a source only read, and extents.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_ROLES_H
#define HSCHED_ICD_ROLES_H

#include "icd/Extents.h"

#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace hsched::icd {

class Roles {
public:
  // Starts hsched-kinfo concurrently with the vendors' compilers. Results are cached on disk. Null: hsched-kinfo is
  // absent, or vendors' compilers may see another source (see isSameForAll).
  static std::shared_ptr<const Roles> of(const std::string &Source, const std::string &Options);
  // Waits for the result. False if unknown.
  bool onlyReads(const std::string &Kernel, unsigned Argument) const;
  bool isUnused(const std::string &Kernel, unsigned Argument) const;

  // Waits for the result. Null if unknown. Valid as long as this object.
  const KernelExtents *extents(const std::string &Kernel) const;

  struct Answer {
    // (Kernel, argument) pairs. What a kernel does not access is in both.
    std::set<std::pair<std::string, unsigned>> OnlyRead, Unused;
    std::map<std::string, KernelExtents> Extents; // By kernel.
  };
  // Reads hsched-kinfo's report. Empty if it is damaged.
  static Answer parse(const std::string &Report);
  explicit Roles(std::shared_future<Answer> Its) : Its(std::move(Its)) {}

private:
  std::shared_future<Answer> Its;
};

// Asks for the source with minikernels, and for the kernels that need none: see hsched-kinfo --minikernels. Returns at
// once. The text is empty if there are none. Cached on disk.
std::shared_future<std::string> askForMinikernels(const std::string &Source, const std::string &Options);
// Waits for the text. Empty if it takes too long.
std::string answer(const std::shared_future<std::string> &Text);

// True if every compiler sees the same text: the source includes no file, and no condition depends on a name that a
// compiler may define.
bool isSameForAll(const std::string &Source);

} // namespace hsched::icd
#endif
