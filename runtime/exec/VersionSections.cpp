// Versions with sections of their own: the task depends by the sections of all versions, and the data of the one that
// runs are moved.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exec/Executor.h"

#include "base/SectionsOf.h"
#include <hsched/hsched.h>

#include <algorithm>

namespace hsched::rt {

void Executor::addVersionSections(TaskNode &T) {
  auto New = std::make_unique<VersionSections>();
  VersionSections &X = *New;
  X.All.assign(T.accesses().begin(), T.accesses().end());
  X.NumOwn = T.NumAccesses;
  size_t Most = 0;
  for (unsigned I = 0, N = T.Type->numVersions(); I < N; ++I) {
    const Version &V = T.Type->Versions[I];
    if (V.Removed.load(std::memory_order_relaxed) || !hasOwnSections(*V.Desc))
      continue;
    const size_t Begin = X.All.size();
    appendOwnSections(*V.Desc, T.Args, X.All);
    const std::span<const Access> Own(X.All.begin() + static_cast<ptrdiff_t>(Begin), X.All.end());
    for (const Access &A : Own)
      if (A.mode > HSCHED_INOUT)
        throw task_error(T.Type->name(), "",
                         "version '" + std::string(V.Desc->name) +
                             "' has a section of its own that is neither in, out nor inout");
    for (const Access &A : T.accesses())
      if (A.mode > HSCHED_INOUT && unlessReplaced(A, Own).mode != A.mode)
        throw task_error(T.Type->name(), "",
                         "version '" + std::string(V.Desc->name) +
                             "' has sections of its own in place of one that is concurrent, commutative or reduced");
    X.Parts.push_back({&V, static_cast<uint32_t>(Begin), static_cast<uint32_t>(X.All.size())});
    Most = std::max(Most, Own.size());
  }
  if (X.Parts.empty())
    return;
  X.Chosen.reserve(X.NumOwn + Most);
  T.extras().Sections = std::move(New);
  T.AccessList = X.All.data();
  T.NumAccesses = static_cast<uint32_t>(X.All.size());
}

status Executor::chooseSections(TaskNode &T, const Version &V) {
  VersionSections *X = T.Extras ? T.Extras->Sections.get() : nullptr;
  const bool Own = hasOwnSections(*V.Desc);
  if (!X)
    return Own ? status::error(errc::unsupported, "the version was registered after the task's submission, and has "
                                                  "sections of its own")
               : status();
  const auto Part = std::ranges::find(X->Parts, &V, &VersionSections::Part::V);
  if (Own && Part == X->Parts.end())
    return status::error(errc::unsupported,
                         "the version was registered after the task's submission, and has sections of its own");
  // The modes of the task's own sections may have changed when it was linked.
  X->Chosen.assign(X->All.begin(), X->All.begin() + X->NumOwn);
  if (Own) {
    const auto Replacements = std::span(X->All).subspan(Part->Begin, Part->End - Part->Begin);
    for (Access &A : X->Chosen) // Its place stays: reductions are known by it.
      A = unlessReplaced(A, Replacements);
    X->Chosen.insert(X->Chosen.end(), Replacements.begin(), Replacements.end());
  }
  T.AccessList = X->Chosen.data();
  T.NumAccesses = static_cast<uint32_t>(X->Chosen.size());
  if (T.Groups) // An earlier choice may have pointed the arguments to private copies.
    for (const ReductionPart &P : T.Groups->Parts)
      if (P.Copy)
        T.AccessList[P.Access].base = P.Copy->section().base;
  return {};
}

} // namespace hsched::rt
