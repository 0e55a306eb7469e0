// Packed tiles of a version, and the layout that is passed to it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_EXEC_PACKEDTILES_H
#define HSCHED_EXEC_PACKEDTILES_H

#include "data/Directory.h"

#include <vector>

namespace hsched::rt {

// Empty for null, and for code of an ABI without packed tiles.
PackedParams packedOf(const hsched_kernel_desc *Desc);
// For a version that is a kernel or a body.
PackedParams packedOf(const hsched_version_desc &Desc);
// Null if it takes none packed.
const hsched_packed_body *packedBodyOf(const hsched_version_desc &Desc);

// The place of each of Packed on the device, which works InPlace on host memory or where Acquired says. Tiles that
// share a parameter have one distance of rows, packed or the host's, and one layout is reported for all of them.
status findPacked(const Task &T, PackedParams Packed, const Acquisition &Acquired, bool InPlace,
                  std::vector<hsched_packed_place> &Out);

} // namespace hsched::rt
#endif
