// Policy "versioning": OmpSs's versioning scheduler (Versioning.cpp above this folder).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/VersioningChoice.h"

namespace hsched::rt {

static const PolicyRegistration
    VersioningRegistration("versioning",
                           "learns each version's time for each data size, then the earliest executor (OmpSs)",
                           [] { return versioning::makeVersioning(Estimates::Means); });

} // namespace hsched::rt
