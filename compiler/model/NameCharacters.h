// The characters of names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HSCHED_MODEL_NAMECHARACTERS_H
#define HSCHED_MODEL_NAMECHARACTERS_H

namespace hsched::cc {

// Compilers also accept '$' and, in UTF-8, letters beyond ASCII: each of their bytes counts.
constexpr bool inName(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || (C >= '0' && C <= '9') || C == '_' || C == '$' ||
         static_cast<unsigned char>(C) >= 0x80;
}
constexpr bool beginsName(char C) { return inName(C) && (C < '0' || C > '9'); }

} // namespace hsched::cc
#endif
