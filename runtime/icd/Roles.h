// What hsched-kinfo, a process of its own, says of the kernels of a source: which memory they only read.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_ICD_ROLES_H
#define HSCHED_ICD_ROLES_H

#include <future>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace hsched::icd {

class Roles {
public:
  // Begins to ask, beside the vendors' compilers; answers are kept on disk. Null: there is no hsched-kinfo, or the
  // source may mean something else to a vendor's compiler.
  static std::shared_ptr<const Roles> of(const std::string &Source, const std::string &Options);
  // Waits for the answer. False where it is not known.
  bool onlyReads(const std::string &Kernel, unsigned Argument) const;

  using Answer = std::set<std::pair<std::string, unsigned>>; // Kernels' arguments that are only read.
  explicit Roles(std::shared_future<Answer> Its) : Its(std::move(Its)) {}

private:
  std::shared_future<Answer> Its;
};

// Whether a source is the same text for every compiler: it includes no file, and no condition asks for a name that a
// compiler may define.
bool isSameForAll(const std::string &Source);

} // namespace hsched::icd
#endif
