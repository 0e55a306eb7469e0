// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/UsesAhead.h"

#include <functional>

namespace hsched::rt {

std::size_t UsesAhead::Hash::operator()(const Section &S) const {
  return std::hash<const void *>()(S.Base) ^ (std::hash<std::size_t>()(S.Bytes) << 1);
}

void UsesAhead::submitted(const Task &T) {
  std::lock_guard Guard(Lock);
  for (const hsched_access &A : T.accesses())
    ++Uses[sectionOf(A)];
}

void UsesAhead::ended(const Task &T) {
  std::lock_guard Guard(Lock);
  for (const hsched_access &A : T.accesses())
    if (const auto At = Uses.find(sectionOf(A)); At != Uses.end() && --At->second == 0)
      Uses.erase(At);
}

double UsesAhead::share(const Task &T) const {
  double All = 0, Paid = 0;
  std::lock_guard Guard(Lock);
  for (const hsched_access &A : T.accesses()) {
    if (!(A.mode & HSCHED_IN))
      continue;
    const Section S = sectionOf(A);
    const auto At = Uses.find(S);
    All += static_cast<double>(S.Bytes);
    Paid += static_cast<double>(S.Bytes) / (At == Uses.end() ? 1 : At->second);
  }
  return All > 0 ? Paid / All : 1;
}

} // namespace hsched::rt
