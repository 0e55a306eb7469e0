// A translation unit's metadata as JSON, in the form of docs/metadata.schema.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_COMPILER_EMIT_METADATA_H
#define HSCHED_COMPILER_EMIT_METADATA_H

#include "model/Unit.h"

#include <string>

namespace hsched::cc {

// The form's version: raised when a reader of the former would misunderstand the new one.
inline constexpr unsigned MetadataSchema = 1;

// Indent is a number of blanks a level; 0 puts everything on one line, as it is embedded. Keys stand in a fixed order;
// the same unit gives the same text. Bytes that are no UTF-8 become U+FFFD.
std::string toJson(const UnitData &U, unsigned Indent = 0);

} // namespace hsched::cc
#endif
