// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/NoMemory.h"

namespace hsched::rt {

// Never freed: threads that outlive static objects may use it.
static const status &Made = *new status(status::error(errc::out_of_memory, "the host has no memory left"));

const status &noHostMemory() { return Made; }

} // namespace hsched::rt
