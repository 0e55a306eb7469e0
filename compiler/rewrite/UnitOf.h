// Makes a unit's metadata from its generated code.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_REWRITE_UNITOF_H
#define HSCHED_REWRITE_UNITOF_H

#include "model/Program.h"
#include "model/Unit.h"

namespace hsched::cc {

UnitData unitOf(const ProgramCode &P);

} // namespace hsched::cc
#endif
