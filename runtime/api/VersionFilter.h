// HSCHED_VERSIONS: which versions of a program's tasks may run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_API_VERSIONFILTER_H
#define HSCHED_API_VERSIONFILTER_H

#include <hsched/status.h>

#include <string>
#include <string_view>
#include <vector>

namespace hsched::rt {

// Names are those of the functions, as in log and traces.
class VersionFilter {
public:
  struct Entry {
    std::string Task, Version;
    bool Excludes = false;
  };

  // "task:version,...": of this task, only the named versions run. "task:!version": this version does not run. On
  // failure the message gives the syntax, and Out is unchanged.
  static status parse(std::string_view Text, VersionFilter &Out);

  bool empty() const { return Entries.empty(); }
  bool allows(std::string_view Task, std::string_view Version) const;
  const std::vector<Entry> &entries() const { return Entries; }

private:
  std::vector<Entry> Entries;
};

} // namespace hsched::rt
#endif
