// Policy "versioning-locality": versioning with better estimates, which VersioningChoice.h lists.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/VersioningChoice.h"

namespace hsched::rt {

static const PolicyRegistration VersioningLocalityRegistration(
    "versioning-locality", "the same with medians, predictions for new sizes, and a look now and then at what was slow",
    [] { return versioning::makeVersioning(Estimates::Robust); });

} // namespace hsched::rt
