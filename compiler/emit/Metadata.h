// A translation unit's metadata as JSON, in the form of docs/metadata.schema.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_EMIT_METADATA_H
#define HSCHED_COMPILER_EMIT_METADATA_H

#include "model/Unit.h"

#include <string>

namespace hsched::cc {

// Version of the format. Raised if readers of the old one would misunderstand the new one.
inline constexpr unsigned MetadataSchema = 1;

// Indent: blanks per level; 0 puts everything on one line, as embedded. Keys are in a fixed order; the output is
// deterministic. Invalid UTF-8 becomes U+FFFD.
std::string toJson(const UnitData &U, unsigned Indent = 0);

} // namespace hsched::cc
#endif
