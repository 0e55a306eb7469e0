// Tiles that a version takes packed, and what it is told of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_PACKEDTILES_H
#define HSCHED_EXEC_PACKEDTILES_H

#include "data/Directory.h"

#include <vector>

namespace hsched::rt {

// None for null, and for code of an ABI that knew of none.
PackedParams packedOf(const hsched_kernel_desc *Desc);
// Of a version that is a kernel or a body.
PackedParams packedOf(const hsched_version_desc &Desc);
// Null where it takes none packed.
const hsched_packed_body *packedBodyOf(const hsched_version_desc &Desc);

// Where each of Packed lies on the device, which works InPlace on host memory or where Held says. Of tiles that share a
// parameter, whose rows are equally far apart there, or as on the host, all are said to lie as one of them does.
status findPacked(const Task &T, PackedParams Packed, const Acquisition &Held, bool InPlace,
                  std::vector<hsched_packed_place> &Out);

} // namespace hsched::rt
#endif
