// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/VersionFilter.h"

#include <algorithm>
#include <utility>

namespace hsched::rt {

// Position of the first colon outside "::": it separates task and version.
static size_t colonIn(std::string_view Text) {
  for (size_t At = Text.find(':'); At != std::string_view::npos; At = Text.find(':', At + 2))
    if (At + 1 == Text.size() || Text[At + 1] != ':')
      return At;
  return std::string_view::npos;
}

status VersionFilter::parse(std::string_view Text, VersionFilter &Out) {
  std::vector<Entry> Read;
  for (std::string_view Left = Text; !Left.empty();) {
    const size_t Comma = std::min(Left.find(','), Left.size());
    const std::string_view Each = Left.substr(0, Comma);
    const size_t Colon = colonIn(Each);
    const bool Excludes = Colon != std::string_view::npos && Each.substr(Colon + 1).starts_with('!');
    const size_t Begin = Colon + 1 + Excludes;
    if (Colon == std::string_view::npos || Colon == 0 || Begin >= Each.size() || Comma + 1 == Left.size())
      return status::error(errc::invalid_argument,
                           "HSCHED_VERSIONS=" + std::string(Text) + ": '" + std::string(Each) +
                               "' is neither task:version nor task:!version; several are separated by commas");
    Read.push_back({std::string(Each.substr(0, Colon)), std::string(Each.substr(Begin)), Excludes});
    Left.remove_prefix(std::min(Comma + 1, Left.size()));
  }
  Out.Entries = std::move(Read);
  return {};
}

bool VersionFilter::allows(std::string_view Task, std::string_view Version) const {
  bool Named = false, Among = false; // The task is named; some of its versions are named to run.
  for (const Entry &E : Entries) {
    if (E.Task != Task)
      continue;
    if (E.Excludes && E.Version == Version)
      return false;
    Named |= !E.Excludes;
    Among |= !E.Excludes && E.Version == Version;
  }
  return !Named || Among;
}

} // namespace hsched::rt
